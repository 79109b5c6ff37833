"""What RFC 9743 asks: its criteria in its order, and the items about process.

The section numbers and titles are those of the published RFC (March 2025). Its words for how strongly it asks were read
in quotations of it for sections 5.1.1 to 5.2.3 and 7.10, and otherwise in draft-ietf-ccwg-rfc5033bis-08, from which it
was edited. The edit changed some of them: "should" in sections 5.1.2 and 5.1.3 of the draft.
"""

from __future__ import annotations

from dataclasses import dataclass

TITLE = "RFC 9743 (BCP 133), Specifying New Congestion Control Algorithms"


@dataclass(frozen=True)
class Family:
    """A criterion of the RFC, or one of its scenarios."""

    id: str
    section: str
    title: str
    strength: str
    """The RFC's requirement word: MUST or SHOULD, with the required action, or another word in lower case; "-" if the
    section requires nothing. Most of these words require an evaluation, not a result.
    """
    demand: str
    not_evaluated: str = ""
    """Why no scenario is run for the criterion; empty if there are scenarios."""


FAMILIES = (
    Family(
        "N-01",
        "5.1.1",
        "Protection against congestion collapse",
        "should",
        "Stop sending above some drop rate, or back off fully: down to one packet per round trip, then "
        "ever longer gaps while the congestion lasts.",
    ),
    Family(
        "N-02",
        "5.1.2",
        "Protection against bufferbloat",
        "ought",
        "Try to avoid excessive queues. Reno and CUBIC do not; a new control has the opportunity to improve "
        "on them.",
    ),
    Family(
        "N-03",
        "5.1.3",
        "Protection against high packet loss",
        "needs",
        "Avoid causing excessive loss. BBRv1 causes it if several flows share a buffer below roughly 1.5 "
        "bandwidth-delay products.",
    ),
    Family(
        "N-04",
        "5.1.4",
        "Fairness within the proposed control",
        "should",
        "Explore how capacity is shared among flows of the same control.",
    ),
    Family(
        "N-05",
        "5.1.5",
        "Short flows",
        "MUST consider",
        "Consider how new and short flows affect long ones, and vice versa.",
    ),
    Family(
        "N-06",
        "5.2",
        "Harm and starvation in mixes of controls",
        "MUST assess",
        "Assess the potential to cause starvation; a loss of all feedback must lead to back-off. Harm is not "
        "only lost capacity, but also delay and loss.",
    ),
    Family(
        "N-07",
        "5.2.1",
        "Existing general-purpose congestion control",
        "MUST evaluate",
        "Evaluate in competition with standard controls. Strict friendliness to Reno or CUBIC is not required.",
    ),
    Family(
        "N-08",
        "5.2.2",
        "Real-time congestion control",
        "SHOULD consider",
        "Consider coexistence with widely deployed real-time controls.",
    ),
    Family(
        "N-09",
        "5.2.3",
        "Short and long flows of other controls",
        "MUST evaluate",
        "Evaluate the effect on short and long flows that use other common controls.",
    ),
    Family(
        "N-25",
        "5.3.2",
        "Incremental deployment: middleboxes",
        "MUST discuss",
        "Discuss whether incremental deployment is possible; report what is known about equipment "
        "deployed in the Internet (SHOULD).",
    ),
    Family(
        "N-10",
        "6.1",
        "Paths with tail-drop queues",
        "MUST evaluate",
        "Evaluate with drop-tail queues. ackclock runs every criterion of sections 5.1 and 5.2 with drop-tail queues.",
    ),
    Family(
        "N-11",
        "6.2",
        "Tunnel behaviour",
        "MUST consider",
        "If the control relies on explicit signals: consider traffic that passes through a tunnel.",
    ),
    Family(
        "N-12",
        "6.3",
        "Wired paths",
        "baseline",
        "Wired paths are the baseline: hardly any loss outside queues, and constant capacity.",
    ),
    Family(
        "N-13",
        "6.4",
        "Wireless paths",
        "should",
        "Evaluate with radio losses, with capacity that varies, and with jitter from medium access and "
        "link-layer retransmission.",
    ),
    Family(
        "N-14",
        "7.1",
        "Active queue management",
        "SHOULD evaluate",
        "Evaluate under a variety of queue disciplines; at a minimum, discuss FQ-CoDel, PIE and L4S. With "
        "ECN, the reaction to marks must conform to the codepoint.",
    ),
    Family(
        "N-15",
        "7.2",
        "Network circuit breakers",
        "ought",
        "React before a network circuit breaker opens.",
    ),
    Family(
        "N-16",
        "7.3",
        "Paths with varying delay",
        "SHOULD",
        "Be robust when the minimum delay changes significantly.",
    ),
    Family(
        "N-17",
        "7.4",
        "Internet of Things and constrained nodes",
        "-",
        "Constrained nodes have very low rates and small bandwidth-delay products; the number of control "
        "packets matters.",
    ),
    Family(
        "N-18", "7.5", "Paths with high delay", "ought", "Do not presume that all paths have a low delay."
    ),
    Family(
        "N-19",
        "7.6",
        "Misbehaving nodes",
        "SHOULD explore",
        "Explore non-compliant senders, receivers and routers, and attacks by third parties.",
    ),
    Family(
        "N-20", "7.7", "Extreme packet reordering", "ought", "Do not presume that packets arrive in order."
    ),
    Family(
        "N-21",
        "7.8",
        "Transient events",
        "SHOULD consider",
        "Consider transients: a sudden onset of congestion, a routing change, mobility.",
    ),
    Family(
        "N-22",
        "7.9",
        "Sudden changes in the path",
        "MUST evaluate",
        "Evaluate the control on paths that change. It must be robust to changes as frequent as re-routing usually is.",
    ),
    Family(
        "N-23",
        "7.10",
        "Multipath transport",
        "MUST evaluate",
        "For multipath controls: evaluate the harm to other flows after a fail-over, and at a shared bottleneck.",
        not_evaluated="The requirement applies to multipath controls, and each connection in these scenarios "
        "uses one path.",
    ),
    Family(
        "N-24",
        "7.11",
        "Data centers",
        "SHOULD",
        "Data centres have RTTs below 2 ms, bursts of traffic, and many nodes that complete a task at the same time; "
        "state with which controls the proposed control can coexist.",
    ),
)


@dataclass(frozen=True)
class Item:
    """A demand on the document or on the process, which a simulation cannot answer."""

    id: str
    section: str
    strength: str
    demand: str


PROCESS = (
    Item(
        "PR-1",
        "3.1",
        "SHOULD",
        "Gain practical experience with implementations and their use before publication as an RFC",
    ),
    Item(
        "PR-2",
        "3.1",
        "ought",
        "Document the evidence for the results; an evaluation by others strengthens it",
    ),
    Item(
        "PR-3",
        "3.2",
        "MUST",
        "Without evidence at Internet scale, publish as Experimental, unless the control is not meant for general use",
    ),
    Item(
        "PR-4",
        "3.2",
        "SHOULD",
        "An Experimental control is not a default, its use is actively measured, and it can be switched off",
    ),
    Item(
        "PR-5",
        "3.2",
        "MAY",
        "If its deployment at Internet scale was measured, a control can go directly to the Standards Track",
    ),
    Item(
        "PR-6",
        "3.2",
        "REQUIRED",
        "The abstract states whether there is consensus that the control is safe, and where its use is not recommended",
    ),
    Item(
        "PR-7",
        "4",
        "need",
        "For controlled environments: describe the functions that the control relies on, and what happens "
        "if traffic leaks out",
    ),
    Item("PR-8", "5.3.1", "MUST", "Explain every deviation from RFC 2914 and RFC 7141"),
    Item(
        "PR-9",
        "5.3.2",
        "MUST",
        "Discuss incremental deployment, known behaviour with middleboxes and, for a control meant only for "
        "certain networks, how its use is restricted to them",
    ),
    Item("PR-10", "8", "MUST", "Examine security and privacy issues that arise from the design"),
)
