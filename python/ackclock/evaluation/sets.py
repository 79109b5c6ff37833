"""The published sets of scenarios beside those for RFC 9743: who published them, and where their numbers are from.

Each is a row of the report like a criterion of the RFC. Its scenarios have numbers without a limit, except where the
source states a target itself.
"""

from __future__ import annotations

from ackclock.evaluation.rfc import FAMILIES, Family

SETS = (
    Family(
        "common-tcp",
        "common-tcp",
        "Common TCP Evaluation Suite",
        "-",
        "draft-irtf-iccrg-tcpeval-01 (July 2014, expired; taken from notes on the draft, not checked against its "
        "text): a first evaluation of a change to TCP, compared with standard TCP on the same paths. The draft has no "
        "thresholds.",
    ),
    Family(
        "flent",
        "flent",
        "Flent's tests of queues and flows",
        "-",
        "Flent 2 (github.com/tohojo/flent, flent/tests): latency under load, and flows that share a bottleneck. Flent "
        "defines neither a path nor thresholds.",
    ),
    Family(
        "teacup",
        "teacup",
        "TEACUP's example experiments",
        "-",
        "TEACUP 0.8 (CAIA; github.com/knneth/teacup, example_configs): TCP flows, video streams and incast over an "
        "emulated home connection. TEACUP has no thresholds.",
    ),
    Family(
        "picoquic",
        "picoquic",
        "Picoquic's competing transfers and changing links",
        "-",
        "Picoquic (github.com/private-octopus/picoquic, picoquictest/cc_compete_test.c): a transfer that competes with "
        "another, or crosses a changing link, has to complete within a target time.",
    ),
)
"""The published sets of scenarios, in the order in which reports show them."""

ROWS = (*FAMILIES, *SETS)
"""The rows of a report: the criteria of RFC 9743, then the sets. Every scenario belongs to one row."""


def of_scenario(name: str) -> Family:
    """Returns what the scenario of the package called ``name`` belongs to. LookupError for a name of another kind."""
    for row in ROWS:
        if name == row.id or name.startswith(f"{row.id}-"):
            return row
    raise LookupError(name)
