"""Evaluates a congestion control by RFC 9743: it runs in the same scenarios as standard controls, in their place.

RFC 9743 says what the community must consider, but specifies neither a method nor thresholds. A limit is ackclock's own
unless it names a source.
"""
