"""Characterises queue disciplines after RFC 7928: each runs in the same scenarios and is compared with drop-tail.

RFC 7928 says what to run and what to measure. It has no thresholds, so every criterion here is this project's own.
"""
