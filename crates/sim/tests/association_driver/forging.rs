//! Acknowledgements and control chunks that no real network would bring.

use super::ends::Owned;
use super::network_driver::Messages;
use super::script::Script;
use ackclock_base::Time;
use ackclock_sim::sctp::message::{Block, Control, ControlKind, Echo};

/// Returns one or several copies of a forged SACK for a sender whose chunks below `first` are acknowledged
/// and below `high` are sent.
pub fn sacks(script: &mut Script<'_>, now: Time, first: u64, high: u64) -> Messages<Owned> {
    let cumulative = match script.byte() % 4 {
        0 | 1 => first,
        2 => script.number_near(high).min(high + 2),
        _ => script.number_near(first + (high - first) / 2),
    };
    let blocks: Vec<Block> = (0..script.byte() % 12).map(|_| forged_block(script)).collect();
    let sent = match script.byte() % 3 {
        0 => now,
        1 => Time::from_nanos(script.number_near(now.nanos())),
        _ => Time::from_nanos(now.nanos().saturating_sub(u64::from(script.pair()) << 14)),
    };
    let echo = Echo { sent, path: script.byte() % 10 };
    let window = if script.byte() > 240 { u32::from(script.pair()) } else { 1 << 24 };
    let packets = script.byte();
    let times = usize::from(1 + script.byte() / 64);
    vec![(0, Owned::Sack { cumulative, blocks, window, echo, packets }); times]
}

/// Returns a forged control chunk over one of `paths` paths.
pub fn control(script: &mut Script<'_>, now: Time, paths: usize) -> Messages<Owned> {
    const KINDS: [ControlKind; 6] = [
        ControlKind::Init,
        ControlKind::InitAck,
        ControlKind::CookieEcho,
        ControlKind::CookieAck,
        ControlKind::Heartbeat,
        ControlKind::HeartbeatAck,
    ];
    let kind = script.one_of(&KINDS);
    let sent = Time::from_nanos(script.number_near(now.nanos()));
    let path = usize::from(script.byte()) % paths;
    vec![(path, Owned::Control(Control { kind, sent, tag: u64::from(script.byte()) }))]
}

fn forged_block(script: &mut Script<'_>) -> Block {
    let mut offset = || match script.byte() {
        255 => u16::MAX,
        254 => script.pair(),
        byte @ 128.. => u16::from(byte - 128),
        byte => u16::from(byte % 16),
    };
    let start = offset();
    Block { start, end: start.saturating_add(offset()) }
}
