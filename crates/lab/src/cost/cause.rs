//! The reasons why a scenario is slow, and the messages about them.

use crate::transports::OwnEvents;
use ackclock_base::Span;

/// A reason why a scenario is slow, with the numbers that a message about it names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cause {
    /// The packets of a flow pass many links. `links` counts both directions.
    Passages {
        /// The number of links.
        links: usize,
    },
    /// A source over UDP sends packets whose headers are large beside the payload of `payload` bytes, so that
    /// it sends far more packets than its rate suggests; or each of its packets is answered.
    SmallPackets {
        /// The payload bytes of a packet.
        payload: u32,
    },
    /// An application writes `bytes` bytes at a time into a connection.
    Writes {
        /// The bytes of a write.
        bytes: f64,
    },
    /// A connection sends `packets` packets before the first acknowledgement.
    FirstWindow {
        /// The number of packets.
        packets: f64,
        /// The nanoseconds per packet.
        ns: f64,
    },
    /// Packets overtake one another while `packets` packets of a flow are in flight, and lists of ranges
    /// record what has arrived.
    Reordering {
        /// The number of packets in flight.
        packets: f64,
    },
    /// A queue discipline examines its queue at fixed times, whether or not packets arrive.
    Looks {
        /// The parameter that sets the time between two examinations.
        key: &'static str,
        /// The time between two examinations.
        every: Span,
    },
    /// A queue discipline predicts from `order` values at each arrival, or each time it examines its queue.
    Prediction {
        /// The number of values.
        order: f64,
        /// The parameter that sets the time between two predictions, and that time; `None` if the discipline
        /// predicts at arrivals.
        looks: Option<(&'static str, Span)>,
        /// The nanoseconds per value.
        ns: f64,
    },
    /// A `bc-pqp` discipline examines each of its phantom queues at the end of each window.
    PhantomQueues {
        /// The number of phantom queues.
        queues: f64,
        /// The length of the window.
        every: Span,
    },
    /// Phantom queues drain in rounds of `bytes` bytes.
    Quantum {
        /// The bytes of a round.
        bytes: f64,
    },
    /// An `sfb` discipline empties its bins whenever it changes its hash functions.
    Bins {
        /// The number of bins.
        bins: f64,
        /// The time between two changes.
        every: Span,
    },
    /// A loss model or jitter has states that change many times between two packets.
    States {
        /// The key of the link that has the states.
        key: &'static str,
        /// The mean time between two changes.
        each: Span,
    },
    /// A medium queries each of its stations at each packet.
    Stations {
        /// The number of links of the medium.
        links: usize,
    },
    /// TCP senders whose packets are never acknowledged time out again and again.
    Timeouts {
        /// The time between two timeouts of a sender if nothing is acknowledged.
        every: Span,
    },
    /// Idle paths of SCTP associations are probed with HEARTBEATs.
    Heartbeats {
        /// The mean time between two HEARTBEATs.
        every: Span,
    },
    /// Connections of a transport have events of their own, whatever the links deliver.
    Own(OwnEvents),
}

impl Cause {
    /// Returns the key that causes the cost, as a dotted path below its place.
    pub(super) fn key(self) -> String {
        match self {
            Self::Passages { .. } => "path".to_owned(),
            Self::SmallPackets { .. } | Self::Writes { .. } => "application".to_owned(),
            Self::FirstWindow { .. } => "transport.initial_window".to_owned(),
            Self::Reordering { .. } => "reorder".to_owned(),
            Self::Looks { key, .. } => format!("queue.{key}"),
            Self::Prediction { .. } => "queue.order".to_owned(),
            Self::PhantomQueues { .. } => "queue.window".to_owned(),
            Self::Quantum { .. } => "queue.quantum".to_owned(),
            Self::Bins { .. } => "queue.rehash".to_owned(),
            Self::States { key, .. } => key.to_owned(),
            Self::Stations { .. } => "access".to_owned(),
            Self::Timeouts { .. } => "transport.max_rto".to_owned(),
            Self::Heartbeats { .. } => "transport.heartbeat_interval".to_owned(),
            Self::Own(_) => "transport".to_owned(),
        }
    }

    /// Returns the nanoseconds per event.
    pub(super) fn ns(self) -> f64 {
        match self {
            Self::Passages { .. } | Self::SmallPackets { .. } => 100.0,
            Self::Writes { .. } => 50.0,
            Self::Reordering { .. } => 2.0,
            Self::Looks { .. } => 25.0,
            Self::Prediction { ns, .. } | Self::FirstWindow { ns, .. } => ns,
            Self::PhantomQueues { .. } => 5.0,
            Self::Quantum { .. } => 10.0,
            Self::Bins { .. } => 1.5,
            Self::States { .. } => 15.0,
            Self::Stations { .. } => 10.0,
            Self::Timeouts { .. } => 1500.0,
            Self::Heartbeats { .. } => 3000.0,
            Self::Own(own) => own.ns,
        }
    }

    /// Returns the cause in words, for a message.
    pub(super) fn words(self) -> String {
        match self {
            Self::Passages { links } => format!("a path of {links} links, counting both directions"),
            Self::SmallPackets { payload } => format!("packets with {payload} B of payload"),
            Self::Writes { bytes } => format!("writes of {bytes} B"),
            Self::FirstWindow { packets, .. } => format!("an `initial_window` of {packets} packets"),
            Self::Reordering { packets } => {
                format!("`reorder` while up to {packets:.0} packets of a flow are in flight")
            }
            Self::Looks { key, every } => format!("`{key}` of {every}"),
            Self::Prediction { order, looks: None, .. } => format!("`order` of {order}"),
            Self::Prediction { order, looks: Some((key, every)), .. } => {
                format!("`{key}` of {every} with an `order` of {order}")
            }
            Self::PhantomQueues { queues, every } => format!("`window` of {every} with {queues} `queues`"),
            Self::Quantum { bytes } => format!("`quantum` of {bytes} B"),
            Self::Bins { bins, every } => format!("`rehash` of {every} with {bins} bins"),
            Self::States { key, each } => format!("`{key}` whose states last {each} on average"),
            Self::Stations { links } => format!("{links} links on the medium"),
            Self::Timeouts { every } => {
                format!("`min_rto`, `max_rto` and `max_backoff` that allow a timeout every {every}")
            }
            Self::Heartbeats { every } => {
                format!("`heartbeat_interval` and `min_rto` that allow a HEARTBEAT every {every}")
            }
            Self::Own(OwnEvents { owners, events, per_second, .. }) => {
                format!("{owners}, each with up to {per_second:.0} {events} per second")
            }
        }
    }

    /// Returns the name of the events, in the plural.
    pub(super) fn events(self) -> &'static str {
        match self {
            Self::Passages { .. } => "transmissions of packets over links",
            Self::SmallPackets { .. } => "packets and replies",
            Self::Writes { .. } => "writes into connections",
            Self::FirstWindow { .. } => "packets sent before the first acknowledgements",
            Self::Reordering { .. } => "entries moved in lists of received ranges",
            Self::Looks { .. } => "queue inspections by disciplines",
            Self::Prediction { .. } => "multiplications in predictors",
            Self::PhantomQueues { .. } => "inspections of phantom queues",
            Self::Quantum { .. } => "rounds of phantom queues",
            Self::Bins { .. } => "bins emptied",
            Self::States { .. } => "state changes",
            Self::Stations { .. } => "station queries",
            Self::Timeouts { .. } => "timeouts",
            Self::Heartbeats { .. } => "HEARTBEATs",
            Self::Own(own) => own.events,
        }
    }

    /// Returns what to change for fewer events, as alternatives.
    pub(super) fn remedy(self) -> String {
        let mut remedies: Vec<String> = match self {
            Self::Passages { .. } => strings(["a shorter path", "a lower rate"]),
            Self::SmallPackets { .. } => strings(["fewer packets", "larger packets"]),
            Self::Writes { .. } => strings(["a lower rate", "larger application packets"]),
            Self::FirstWindow { .. } => strings(["a smaller `initial_window`", "a lower `count`"]),
            Self::Reordering { .. } => strings(["no `reorder`", "a smaller `window`"]),
            Self::Looks { key, .. } => vec![format!("a longer `{key}`")],
            Self::Prediction { looks: None, .. } => strings(["a smaller `order`"]),
            Self::Prediction { looks: Some((key, _)), .. } => {
                vec![format!("a longer `{key}`"), "a smaller `order`".to_owned()]
            }
            Self::PhantomQueues { .. } => strings(["a longer `window`", "fewer `queues`"]),
            Self::Quantum { .. } => strings(["a larger `quantum`"]),
            Self::Bins { .. } => strings(["a longer `rehash`", "fewer `levels` or `bins`"]),
            Self::States { .. } => strings(["longer `good` and `bad`"]),
            Self::Stations { .. } => strings(["fewer links on the medium", "lower rates"]),
            Self::Timeouts { .. } => strings(["a longer `min_rto` and `max_rto`", "fewer flows"]),
            Self::Heartbeats { .. } => {
                strings(["a longer `heartbeat_interval`", "a longer `min_rto`", "fewer flows or paths"])
            }
            Self::Own(own) => own.remedies.iter().map(|remedy| (*remedy).to_owned()).collect(),
        };
        // The number of events that happen once does not depend on the duration of the run.
        if !matches!(self, Self::FirstWindow { .. }) {
            remedies.push("a shorter `duration`".to_owned());
        }
        let last = remedies.pop().unwrap_or_default();
        if remedies.is_empty() { last } else { format!("{} or {last}", remedies.join(", ")) }
    }
}

fn strings<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).to_vec()
}
