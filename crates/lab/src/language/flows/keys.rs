//! The keys of a group of flows.

use crate::language::flows::start::NEVER;
use crate::language::keys::{Form, Key, SOME, Table};
use crate::language::limits::MAX_FLOWS;
use crate::language::values::rate;
use crate::transports::MOST_PATHS;
use ackclock_aqm::Dscp;
use ackclock_base::{Kind, Range};

const TIMES: Range = Range::between(0.0, 1e6);
/// The maximum number of nodes in the path of a flow.
pub(super) const MAX_STOPS: usize = 1000;
const STOPS: Form = Form::List(&Form::Text, [2, MAX_STOPS]);
const PAIR: Form = Form::whole(Range::at_least(1.0));

/// The keys that only flows with a congestion control have.
pub(super) const CONTROLLED: &[Key] = &[
    Key::new("control", &[Form::Named(Kind::Control)], "The congestion control, with its parameters")
        .otherwise(
            "none for an application such as `cbr`, which sends over UDP without a control; required for other \
             applications",
        )
        .such_as("\"cubic\""),
    Key::new(
        "discriminator",
        &[Form::Named(Kind::Discriminator)],
        "The rule that distinguishes transmission losses from congestion losses",
    )
    .otherwise("the discriminator with which the control was published, if any"),
    Key::new(
        "action",
        &[Form::Named(Kind::Action)],
        "The change of the window at a loss that the discriminator classifies as a transmission loss",
    )
    .otherwise("the action with which the control was published, or `no-cut`"),
    Key::new(
        "slow_start",
        &[Form::Named(Kind::SlowStart)],
        "The slow-start algorithm: how the window grows, and when slow start ends",
    )
    .otherwise("the control's own"),
    Key::new(
        "resume",
        &[Form::Named(Kind::Resume)],
        "The rule by which a connection uses the measurements of an earlier connection",
    ),
    Key::new(
        "ecn_response",
        &[Form::Named(Kind::EcnResponse)],
        "The change of the window at an echoed ECN mark",
    )
    .otherwise("the control's own change of the window at a mark, in most controls equal to its change at a loss"),
    Key::new(
        "growth_limit",
        &[Form::Named(Kind::GrowthLimit)],
        "The limit on the window's growth while the sender does not fill the window",
    )
    .otherwise("the transport's `cwnd_validation`"),
    Key::new("backoff", &[Form::Named(Kind::Backoff)], "The rule by which the retransmission timeout backs off")
        .otherwise("the back-off rule with which the control was published, or `exponential`"),
    Key::new(
        "selector",
        &[Form::Named(Kind::Selector)],
        "Over SCTP with several paths, the rule that selects the path for new data",
    )
    .otherwise("`primary`"),
    Key::new("transport", &[Form::Named(Kind::Transport)], "The transport profile, with its parameters")
        .or("\"rfc\""),
    Key::new("reader", rate::READER_FORMS, "The rate at which the receiving application reads")
        .otherwise("the application reads all data as it arrives")
        .such_as("\"5 Mbit/s\""),
];

/// The keys of the times at which the flows of a group begin.
static START: Table = Table::new(
    "start",
    "The times at which the flows of a group begin",
    &[&[
        Key::new("at", &[Form::time(TIMES)], "The time in the run at which the first flow begins")
            .or("\"0 s\""),
        Key::new(
            "every",
            &[Form::time(TIMES)],
            "The time from the start of one flow to the start of the next",
        )
        .or("\"0 s\""),
        Key::new(
            "uniform",
            &[Form::List(&Form::time(TIMES), [2, 2])],
            "The bounds of the random time, drawn uniformly for each flow, that is added to its start time",
        )
        .otherwise("nothing is added")
        .such_as("[\"0 s\", \"1 s\"]"),
    ]],
);

/// The keys of a group of flows.
pub static FLOWS: Table = Table::new(
    "flows",
    "A group of flows with equal settings",
    &[
        &[
            Key::new(
                "name",
                &[Form::Text],
                "The name of the group in results, without dots",
            )
            .otherwise("the name of the control; over UDP, the name of the application")
            .such_as("\"tcp\""),
            Key::new(
                "count",
                &[Form::whole(Range::between(1.0, MAX_FLOWS as f64))],
                "The number of flows of the group; not allowed with `transfers` and `web`, whose connections count as \
                 one flow",
            )
            .otherwise("1; with a list of pairs, one flow per pair")
            .such_as("2"),
        ],
        CONTROLLED,
        &[
            Key::new("application", &[Form::Named(Kind::Application)], "The application, which decides when each \
                                                                        flow sends how much data").or("\"bulk\""),
            Key::new(
                "start",
                &[Form::time(TIMES), Form::words_of(&[NEVER]), Form::Table(&START)],
                "The time in the run at which the flows begin; \"never\" for a group that the run leaves out; or a table \
                 for staggered or random starts",
            )
            .or("\"0 s\""),
            Key::new("stop", &[Form::time(TIMES)], "The time in the run from which the applications offer no more \
                                                    data")
                .otherwise("never")
                .such_as("\"8 s\""),
            Key::new(
                "dscp",
                &[Form::words_of(&Dscp::NAMES)],
                "The Differentiated Services Code Point (DSCP) of the flows' packets, in both directions",
            )
            .or("\"CS0\""),
            Key::new(
                "pair",
                &[PAIR, Form::List(&PAIR, SOME)],
                "The number of the pair of hosts between which the flows run, from 1; or a list of such numbers, which \
                 the flows use in turn",
            )
            .otherwise("the flows of all groups use the pairs in turn")
            .such_as("1"),
            Key::new("from", &[Form::Text], "The node that sends the data of the flows")
                .otherwise("the node that the network assigns")
                .such_as("\"source-1\"")
                .needing(&["to"]),
            Key::new("to", &[Form::Text], "The node that receives the data of the flows")
                .otherwise("the node that the network assigns")
                .such_as("\"sink-1\"")
                .needing(&["from"]),
            Key::new(
                "path",
                &[STOPS],
                "The nodes that each flow passes, in order, including both ends; from each node to the next, the flow \
                 uses the path with the fewest links",
            )
            .otherwise("the path with the fewest links between the ends of the flow")
            .such_as("[\"source-1\", \"left\", \"right\", \"sink-1\"]"),
            Key::new(
                "paths",
                &[Form::List(&STOPS, [1, MOST_PATHS])],
                "The paths of a flow over SCTP, each as a list of nodes; the first is the primary path",
            )
            .such_as("[[\"source-1\", \"left\", \"right\", \"sink-1\"]]"),
        ],
    ],
);
