"""Experiments: settings, metrics, samples, criteria and findings.

A study, an evaluation, a characterisation, a lesson, a search and ``--expect`` all run settings over seeds, compute
metrics of each run, compare them with criteria, and report findings. This package contains the parts that they share,
independent of any thesis, RFC or lesson.

* ``model``: the five types. A ``Setting`` is a point of a grid, a ``Metric`` a number computed from a run, ``Samples``
  the values of metrics by setting and seed, a ``Criterion`` an expectation about samples, a ``Finding`` its result.
* ``expression``: the language of expressions. ``run_words`` is its vocabulary for the result of a run (metrics),
  ``sample_words`` its vocabulary for samples (criteria).
* ``judge``: derives a finding from samples, with the statistics of ``truth``.
* ``looks``: the numbers of seeds at which an experiment is judged, and the error probability of each look.
"""
