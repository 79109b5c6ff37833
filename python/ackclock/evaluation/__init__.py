"""Evaluating a congestion control after RFC 9743: it runs in the scenarios of standard controls, in their place.

RFC 9743 says what the community must consider, and gives neither a method nor thresholds: every number that a verdict
depends on is this project's own.
"""
