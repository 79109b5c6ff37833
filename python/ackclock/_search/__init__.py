"""Searches for the path on which a congestion control does worst.

A space is a scenario with ranges. An optimiser (CMA-ES) looks for the point of the space at which an objective is
worst; the point is then shrunk to the smallest change of the scenario that keeps most of the effect.
"""
