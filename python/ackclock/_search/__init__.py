"""Searching for the path on which a congestion control does worst.

A space is a scenario with ranges. An optimiser (CMA-ES) looks for the point of the space at which an objective is
worst, and what it finds is shrunk to the smallest change of the scenario that still shows it.
"""
