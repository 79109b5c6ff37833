"""Characterising queue disciplines after RFC 7928: the same scenarios for each, held against drop-tail.

RFC 7928 says what to run and what to measure. It has no thresholds, so every criterion here is this project's own.
"""
