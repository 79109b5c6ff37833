//! The format of a packet trace: what happened to each packet of a run, one record for each thing that happened.
//!
//! The simulator writes traces; the verifier, the data frames and the exports read them.

use serde::Serialize;

/// One thing that happened to one packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Record {
    /// The time at which it happened, in nanoseconds since the start of the run.
    pub time_ns: u64,
    /// The packet's path: twice the number of the pair of paths, plus one for the way back.
    pub path: u32,
    /// A number that identifies the packet within the run.
    pub packet: u64,
    /// The packet's size on the wire, in bytes.
    pub bytes: u32,
    /// What happened.
    pub event: Event,
}

/// What can happen to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// An endpoint sends the packet.
    Launched,
    /// The packet is offered to a link.
    Offered {
        /// The link's index.
        link: u32,
    },
    /// The link's queue drops the packet.
    Dropped {
        /// The link's index.
        link: u32,
    },
    /// The packet's transmission begins.
    Started {
        /// The link's index.
        link: u32,
    },
    /// The packet's transmission ends.
    Sent {
        /// The link's index.
        link: u32,
    },
    /// The packet's transmission ends, the other end has not received the packet, and the link will repeat it.
    Failed {
        /// The link's index.
        link: u32,
    },
    /// The packet is corrupted on the wire.
    Corrupted {
        /// The link's index.
        link: u32,
    },
    /// The packet reaches the end of the link.
    Arrived {
        /// The link's index.
        link: u32,
    },
    /// The packet begins its way as a copy of the packet that has just arrived over the link.
    Duplicated {
        /// The link's index.
        link: u32,
    },
    /// An agent at a node sends the packet.
    Injected {
        /// The index of the link that follows the node.
        link: u32,
    },
    /// An agent at a node takes the packet, which goes no further.
    Absorbed {
        /// The index of the link that would have followed.
        link: u32,
    },
    /// An endpoint receives the packet.
    Delivered,
}

impl Event {
    /// Returns the event's name as traces and data frames show it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Launched => "launched",
            Self::Offered { .. } => "offered",
            Self::Dropped { .. } => "dropped",
            Self::Started { .. } => "started",
            Self::Sent { .. } => "sent",
            Self::Failed { .. } => "failed",
            Self::Corrupted { .. } => "corrupted",
            Self::Arrived { .. } => "arrived",
            Self::Duplicated { .. } => "duplicated",
            Self::Injected { .. } => "injected",
            Self::Absorbed { .. } => "absorbed",
            Self::Delivered => "delivered",
        }
    }

    /// Returns the index of the link at which the event happens; `None` at an endpoint.
    pub fn link(self) -> Option<u32> {
        match self {
            Self::Launched | Self::Delivered => None,
            Self::Offered { link }
            | Self::Dropped { link }
            | Self::Started { link }
            | Self::Sent { link }
            | Self::Failed { link }
            | Self::Corrupted { link }
            | Self::Duplicated { link }
            | Self::Injected { link }
            | Self::Absorbed { link }
            | Self::Arrived { link } => Some(link),
        }
    }
}
