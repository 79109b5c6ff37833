"""Drills: tests of a stack's reaction to a scripted event on its path, each against a clause of a standard or draft.

A scenario measures what a congestion control achieves. A drill drops exactly the fifth datagram, or holds all
acknowledgements for 400 ms, and compares the stack's reaction with the clause. It observes only when datagrams leave
and arrive, and the values that the stack reports. If these do not show whether the clause is met, the result is
``cannot be seen``.

* :mod:`~ackclock.drills.script`: the path and the application of a drill.
* :mod:`~ackclock.drills.record`: the record of what a stack did, and its queries.
* :mod:`~ackclock.drills.drill`: the types of a drill and its outcome, and the function that runs a script.
* A module of drills for each subject: :mod:`~ackclock.drills.acknowledgements`, :mod:`~ackclock.drills.loss_detection`,
  :mod:`~ackclock.drills.window`, :mod:`~ackclock.drills.marks`, :mod:`~ackclock.drills.cubic`,
  :mod:`~ackclock.drills.bbr`.
* :mod:`~ackclock.drills.check`: all checks of ``ackclock check-stack``.
"""
