//! The handshake (RFC 9260 section 5.1): INIT, INIT ACK with a cookie, COOKIE ECHO, COOKIE ACK. The other end
//! keeps no state before the cookie has come back.

use super::association::Association;
use super::message::{Control, ControlKind, Message, MessageWire};
use ackclock_base::Time;

/// The progress of the handshake at the sender's end, which begins it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Handshake {
    /// No message has been sent.
    #[default]
    Closed,
    /// INIT has been sent this number of times, last over this path.
    CookieWait(u32, usize),
    /// COOKIE ECHO has been sent this number of times, last over this path, with this cookie.
    CookieEchoed(u32, usize, u64),
    /// Data may be sent.
    Established,
}

/// Returns the cookie with which the other end answers an INIT with this tag. It stands for one that only
/// that end could compute. Nothing checks it when it comes back.
pub fn cookie(tag: u64) -> u64 {
    // A part of SplitMix64. Any function that the sender could not guess would do.
    let mixed = (tag ^ (tag >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ (mixed >> 27) | 1
}

impl Association {
    pub(super) fn send_init(&mut self, now: Time, wire: &mut impl MessageWire) {
        let (times, path) = match self.handshake {
            Handshake::CookieWait(times, path) => (times, (path + 1) % self.paths.len()),
            _ => (0, self.primary),
        };
        self.handshake = Handshake::CookieWait(times + 1, path);
        self.ask(now, path, ControlKind::Init, now.nanos(), wire);
    }

    fn send_cookie(&mut self, now: Time, times: u32, path: usize, cookie: u64, wire: &mut impl MessageWire) {
        self.handshake = Handshake::CookieEchoed(times + 1, path, cookie);
        self.ask(now, path, ControlKind::CookieEcho, cookie, wire);
    }

    fn ask(&mut self, now: Time, path: usize, kind: ControlKind, tag: u64, wire: &mut impl MessageWire) {
        wire.send(path, &Message::Control(Control { kind, sent: now, tag }));
        self.paths[path].sender.await_answer(now);
    }

    /// Called when the answer to INIT or COOKIE ECHO has not come in time (T1 has expired). Repeats the
    /// message over the next path, or fails the association if it has been repeated Max.Init.Retransmits
    /// times.
    pub(super) fn on_no_answer(&mut self, now: Time, wire: &mut impl MessageWire) {
        let (Handshake::CookieWait(times, path) | Handshake::CookieEchoed(times, path, _)) = self.handshake
        else {
            return;
        };
        let sender = &mut self.paths[path].sender;
        sender.on_no_answer();
        sender.give_up_answer();
        if times > self.options.details.max_init_retransmits {
            return self.fail(now);
        }
        match self.handshake {
            Handshake::CookieEchoed(times, path, cookie) => {
                self.send_cookie(now, times, (path + 1) % self.paths.len(), cookie, wire);
            }
            _ => self.send_init(now, wire),
        }
    }

    /// Called when INIT ACK or COOKIE ACK has arrived over path `index`. If it is the one that is awaited,
    /// takes a round-trip sample, if the details allow it, and sends COOKIE ECHO or establishes the
    /// association.
    pub(super) fn on_answer(
        &mut self,
        now: Time,
        index: usize,
        answer: &Control,
        wire: &mut impl MessageWire,
    ) {
        let awaited = match (self.handshake, answer.kind) {
            (Handshake::CookieWait(_, path), ControlKind::InitAck)
            | (Handshake::CookieEchoed(_, path, _), ControlKind::CookieAck) => path,
            _ => return,
        };
        if answer.sent > now || self.failed_at().is_some() {
            return;
        }
        // The timer runs on the path of the last message. An answer over another path belongs to an earlier
        // one.
        self.paths[awaited].sender.give_up_answer();
        if self.options.details.handshake_rtt {
            self.paths[index].sender.on_answer(now, answer.sent);
        }
        if answer.kind == ControlKind::InitAck {
            self.send_cookie(now, 0, index, answer.tag, wire);
        } else {
            self.on_success(index);
            self.establish(now, wire);
        }
    }
}
