"""A lesson as a teacher writes one, for the tests of assignments."""

SCENARIO = """\
# two rates
duration = "2 s"
[dumbbell]
bottleneck = { rate = "1 Mbit/s", delay = "10 ms" }
access = { rate = "10 Mbit/s", delay = "1 ms" }
[[flows]]
name = "tcp"
control = "reno"
start = { uniform = ["0 s", "0.2 s"] }
"""
LESSON = """\
title = "Rates"
question = "What does a faster link carry?"
learn = "that it carries more."
change = ["The rate."]
look = ["The faster link carries more.", "It carries less than 10 Mbit/s."]

[[try]]
label = "slow"
set = { "dumbbell.bottleneck.rate" = "1 Mbit/s" }

[[try]]
label = "fast"
set = { "dumbbell.bottleneck.rate" = "2 Mbit/s" }

[[measure]]
id = "goodput"
label = "Goodput"
unit = "Mbit/s"
expr = 'flow("tcp").goodput_bps / 1e6'

[[check]]
look = 1
holds = "goodput('fast') > goodput('slow')"

[[check]]
look = 2
holds = "goodput('fast') < 10"
"""
