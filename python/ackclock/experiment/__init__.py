"""Experiments: settings, metrics, samples, criteria and findings.

A study, an evaluation, a characterisation, a lesson, a search and ``--expect`` all run settings over seeds, compute
metrics of each run, compare them with criteria, and say what they found. This package has the parts that they share;
it knows no thesis, no RFC and no lesson.

* ``model``: the five types. A ``Setting`` is a point of a grid, a ``Metric`` a number of a run, ``Samples`` the values
  of metrics by setting and seed, a ``Criterion`` what is expected of them, a ``Finding`` what was found.
* ``expression``: the one language of expressions. ``run_words`` is its vocabulary over the result of a run (metrics),
  ``sample_words`` that over samples (criteria).
* ``judge``: from samples to a finding, by ``truth``.
* ``looks``: the numbers of seeds at which an experiment is judged, and the error that each look may spend.
"""
