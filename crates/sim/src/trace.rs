//! A packet trace: everything that happened to every packet, for the verifier and for export. Off unless asked for,
//! since it grows with the run. What is [watched](crate::watch) of a link sees the same, and need not keep it.

use crate::watch::Watch;
use ackclock_base::Time;
use serde::Serialize;

/// One thing that happened to one packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Record {
    /// When.
    pub time_ns: u64,
    /// The path: twice the flow's index, plus one for the way back.
    pub path: u32,
    /// A number that identifies the packet within the run.
    pub packet: u64,
    /// Size on the wire.
    pub bytes: u32,
    /// What happened.
    pub event: Event,
}

/// What can happen to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// An endpoint sends it.
    Launched,
    /// It is offered to a link.
    Offered {
        /// The link's index.
        link: u32,
    },
    /// The link's queue drops it.
    Dropped {
        /// The link's index.
        link: u32,
    },
    /// Its transmission begins.
    Started {
        /// The link's index.
        link: u32,
    },
    /// Its transmission ends.
    Sent {
        /// The link's index.
        link: u32,
    },
    /// Its transmission ends, the other end has not received it, and the link will repeat it.
    Failed {
        /// The link's index.
        link: u32,
    },
    /// It is corrupted on the wire.
    Lost {
        /// The link's index.
        link: u32,
    },
    /// It reaches the end of the link.
    Arrived {
        /// The link's index.
        link: u32,
    },
    /// An agent at a node sends it.
    Injected {
        /// The index of the link that follows.
        link: u32,
    },
    /// An agent at a node ends its way.
    Absorbed {
        /// The index of the link that would have followed.
        link: u32,
    },
    /// An endpoint receives it.
    Delivered,
}

impl Event {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Launched => "launched",
            Self::Offered { .. } => "offered",
            Self::Dropped { .. } => "dropped",
            Self::Started { .. } => "started",
            Self::Sent { .. } => "sent",
            Self::Failed { .. } => "failed",
            Self::Lost { .. } => "lost",
            Self::Arrived { .. } => "arrived",
            Self::Injected { .. } => "injected",
            Self::Absorbed { .. } => "absorbed",
            Self::Delivered => "delivered",
        }
    }

    /// The index of the link at which it happens; `None` at an endpoint.
    pub fn link(self) -> Option<u32> {
        match self {
            Self::Launched | Self::Delivered => None,
            Self::Offered { link }
            | Self::Dropped { link }
            | Self::Started { link }
            | Self::Sent { link }
            | Self::Failed { link }
            | Self::Lost { link }
            | Self::Injected { link }
            | Self::Absorbed { link }
            | Self::Arrived { link } => Some(link),
        }
    }
}

/// The trace of a run. Records are in the order of processing; a packet's future on an uncontended link is written
/// when it enters it, so sort by time before replaying.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// What happened.
    pub records: Vec<Record>,
    /// What is followed at a link, if anything.
    pub watch: Option<Box<Watch>>,
    keeps: bool,
    launched: u64,
}

impl Trace {
    /// A trace that keeps its records or not, and shows them to `watch`; `None` where nobody wants it.
    pub(crate) fn new(keeps: bool, watch: Option<Watch>) -> Option<Self> {
        let wanted = keeps || watch.is_some();
        wanted.then(|| Self { keeps, watch: watch.map(Box::new), ..Self::default() })
    }

    /// A number for the next packet.
    pub(crate) fn next_packet(&mut self) -> u64 {
        self.launched += 1;
        self.launched
    }

    pub(crate) fn push(&mut self, time: Time, path: u32, packet: u64, bytes: u32, event: Event) {
        if let Some(watch) = &mut self.watch {
            watch.see(time, path, packet, bytes, event);
        }
        if self.keeps {
            self.records.push(Record { time_ns: time.nanos(), path, packet, bytes, event });
        }
    }
}
