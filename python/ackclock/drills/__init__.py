"""Drills: what a stack's sender must do after a scripted event on its path, clause by clause.

A scenario asks what a control achieves. A drill loses exactly the fifth datagram, or holds all acknowledgements for
400 ms, and compares what the stack does with what a standard says. It sees what shows outside of a stack: when
datagrams leave and arrive, and the numbers that the stack tells of itself. What cannot be seen is a result of its own.

* :mod:`~ackclock.drills.script`: the path and the application of a drill.
* :mod:`~ackclock.drills.record`: what a stack did, and questions about it.
* :mod:`~ackclock.drills.drill`: a drill, its outcome, and running it.
* A file of drills for each subject: :mod:`~ackclock.drills.acknowledgements`, :mod:`~ackclock.drills.loss_detection`,
  :mod:`~ackclock.drills.window`, :mod:`~ackclock.drills.marks`, :mod:`~ackclock.drills.cubic`,
  :mod:`~ackclock.drills.bbr`.
* :mod:`~ackclock.drills.check`: all that ``ackclock check-stack`` asks of a stack.
"""
