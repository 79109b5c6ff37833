//! The losses of the runs that are compared packet by packet with a real stack, and how far a comparison reaches.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// How far a comparison reaches.
#[derive(Clone, Copy)]
pub enum Reach {
    /// Up to the last packet.
    Whole,
    /// This number of packets, with the reason why the next one differs.
    Packets(usize, &'static str),
}

/// The packets that are lost or delayed: packets with data by their order from 0, acknowledgements from 1,
/// and everything in an outage.
#[derive(Default)]
pub struct Losses {
    pub data: BTreeSet<u64>,
    pub acks: BTreeSet<u64>,
    pub late_nanos: BTreeMap<u64, u64>,
    pub outage: Option<(f64, f64)>,
}

impl Losses {
    /// Reads the losses from lists such as `60-63,70`, or `-` for none.
    pub fn of(run: &Value) -> Self {
        let parts = |key: &str| {
            let text = run[key].as_str().expect("text");
            text.split(',').filter(|part| *part != "-").map(str::to_owned).collect::<Vec<_>>()
        };
        let number = |text: &str| text.parse::<f64>().expect("a number");
        let pair = |text: &str, by| text.split_once(by).map(|(a, b)| (number(a), number(b)));
        let all = |key: &str| {
            let range = |part: &String| pair(part, '-').unwrap_or_else(|| (number(part), number(part)));
            let ranges = parts(key).iter().map(range).collect::<Vec<_>>();
            ranges.into_iter().flat_map(|(from, to)| from as u64..=to as u64).collect()
        };
        let late = parts("late").iter().filter_map(|part| pair(part, ':')).collect::<Vec<_>>();
        Self {
            data: all("lost_data"),
            acks: all("lost_acks"),
            late_nanos: late.into_iter().map(|(place, ms)| (place as u64, ms as u64 * 1_000_000)).collect(),
            outage: parts("outage").first().and_then(|part| pair(part, '-')),
        }
    }

    /// Returns whether an outage loses what is sent at this time.
    pub fn is_out(&self, seconds: f64) -> bool {
        self.outage.is_some_and(|(from, until)| (from..until).contains(&seconds))
    }
}
