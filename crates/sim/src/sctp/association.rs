//! The sending side of an association: its paths, its application, its timers, and the failure of a path or
//! of the association.

use super::chunks::Chunks;
use super::counts::Counts;
use super::details::Details;
use super::handshake::Handshake;
use super::heartbeat::Due;
use super::message::{Control, ControlKind, Message, MessageWire};
use super::options::Options;
use super::path::{Nothing, Path};
use super::persisting::WindowProbing;
use super::reachability::{Limits, State};
use super::report::{AssociationReport, PathReport};
use crate::histogram::Histogram;
use crate::random::Stream;
use crate::report::Report;
use ackclock_base::{Packets, Span, Time};
use ackclock_cc::PathSelector;
use ackclock_cc::selector::Paths;
use ackclock_recovery::detection::reports::MissingReports;
use ackclock_recovery::sender::Counts as RecoveryCounts;

/// The kind of a message that was not answered in time after the handshake. It decides whether the error
/// counts for the association as well as for the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unanswered {
    /// A chunk of data.
    Data,
    /// A HEARTBEAT.
    Heartbeat,
}

/// The sender of an association.
pub struct Association {
    pub(super) options: Options,
    pub(super) paths: Vec<Path>,
    pub(super) chunks: Chunks,
    /// One past the TSN of the last chunk that the application has to send.
    pub(super) data_until: u64,
    /// Whether the association stays open when all data is delivered.
    stays_open: bool,
    pub(super) handshake: Handshake,
    /// The primary path, and the path that new data takes.
    pub(super) primary: usize,
    pub(super) current: usize,
    pub(super) selector: Option<Box<dyn PathSelector>>,
    /// The receiver's window as last reported, in bytes.
    pub(super) window: u64,
    /// The counts of reports of missing chunks, by TSN.
    pub(super) reports: MissingReports,
    /// The highest TSN newly acknowledged by the last SACK whose cumulative TSN newly acknowledged a chunk,
    /// or by a later SACK. By ns-2's rules each SACK reports the missing chunks below it.
    pub(super) highest: u64,
    /// One past the highest TSN sent when the recovery began. The recovery ends when all chunks below it are
    /// acknowledged cumulatively (RFC 9260 section 7.2.4). `None` outside a recovery, except by ns-2's rules,
    /// which keep it afterwards. Not used under CMT.
    pub(super) recover: Option<u64>,
    /// The gap blocks of the last SACK, as ranges of TSNs with exclusive ends, and, while a SACK is
    /// processed, those of the SACK before. Receivers repeat blocks from SACK to SACK.
    pub(super) seen: Vec<(u64, u64)>,
    pub(super) earlier: Vec<(u64, u64)>,
    /// The number of packets that may still be sent at this event; and, by ns-2's rules, whether the limit on
    /// bursts applies to SACKs: from the cumulative acknowledgement of a chunk that reports had made lost
    /// until the limit has been reached.
    pub(super) burst: u64,
    pub(super) bounds_burst: bool,
    /// The path that CMT considers first for new data. The next path takes its place each time that data may
    /// be sent.
    pub(super) turn: usize,
    /// The number of errors in a row on all paths.
    pub(super) errors: u32,
    switch_at: Time,
    /// The probing of a window that the receiver has closed, and the time at which a probe or the change of
    /// the primary path is due, whichever comes first.
    pub(super) window_probing: WindowProbing,
    own_timer: Time,
    /// Whether a SACK has arrived since the last timeout.
    pub(super) is_heard: bool,
    failed_at: Option<Time>,
    pub(super) rtt: Histogram,
    pub(super) counts: Counts,
    pub(super) random: Stream,
}

impl Association {
    /// Creates an association that has not begun, with `chunks` chunks to send; [`u64::MAX`] for no end.
    pub fn new(
        options: Options,
        paths: Vec<Path>,
        selector: Option<Box<dyn PathSelector>>,
        chunks: u64,
        random: Stream,
    ) -> Self {
        let Details { receive_window, missing_reports, multiple_fast_retransmit, switch_primary_at, .. } =
            options.details;
        Self {
            chunks: Chunks::new(paths.len(), multiple_fast_retransmit),
            data_until: chunks,
            stays_open: false,
            handshake: Handshake::default(),
            primary: 0,
            current: 0,
            selector,
            window: receive_window.bytes(),
            reports: MissingReports::new(missing_reports),
            highest: 0,
            recover: None,
            seen: Vec::new(),
            earlier: Vec::new(),
            burst: u64::MAX,
            bounds_burst: false,
            turn: 0,
            errors: 0,
            switch_at: switch_primary_at.map_or(Time::NEVER, |at| Time::ZERO + at),
            own_timer: switch_primary_at.map_or(Time::NEVER, |at| Time::ZERO + at),
            window_probing: WindowProbing::new(options.reader.is_some()),
            is_heard: false,
            failed_at: None,
            rtt: Histogram::default(),
            counts: Counts::default(),
            random,
            paths,
            options,
        }
    }

    /// Starts the association: sends an INIT, or data at once if there is no handshake.
    pub fn start(&mut self, now: Time, wire: &mut impl MessageWire) {
        self.paths.iter_mut().for_each(|path| path.sender.begin(now));
        if self.options.details.handshake {
            self.send_init(now, wire);
        } else {
            self.establish(now, wire);
        }
    }

    /// Establishes the association: sends data, and a HEARTBEAT over each unconfirmed path (RFC 9260 section
    /// 5.4).
    pub(super) fn establish(&mut self, now: Time, wire: &mut impl MessageWire) {
        self.handshake = Handshake::Established;
        for index in 0..self.paths.len() {
            self.paths[index].sender.open(now, &mut Nothing);
            self.wait_for_heartbeat(now, index);
            if self.paths[index].reachability.state == State::Unconfirmed {
                self.send_heartbeat(now, index, wire);
            }
        }
        self.burst = self.options.burst(false);
        // A change that was due before the association was established is due now. No timer may lie in the
        // past.
        self.switches(now);
        self.send_all(now, wire);
    }

    /// Makes the next path the primary one if that is due. Returns whether it was due.
    fn switches(&mut self, now: Time) -> bool {
        let due = now >= self.switch_at;
        if due {
            self.switch_at = Time::NEVER;
            self.set_own_timer();
            self.set_primary((self.primary + 1) % self.paths.len());
        }
        due
    }

    /// Keeps the association open after everything has been delivered, until it is [closed](Self::close).
    pub fn stay_open(&mut self) {
        self.stays_open = true;
    }

    /// Ends an association that has stayed open. Remaining data is still delivered.
    pub fn close(&mut self) {
        self.stays_open = false;
    }

    /// Adds `chunks` chunks to send, and sends what is allowed.
    pub fn send_more(&mut self, now: Time, chunks: u64, wire: &mut impl MessageWire) {
        self.data_until = self.data_until.saturating_add(chunks);
        self.burst = self.options.burst(false);
        self.send_all(now, wire);
    }

    /// Drops the data that has not been sent yet. Outstanding data is still retransmitted.
    pub fn stop(&mut self) {
        self.data_until = self.data_until.min(self.chunks.high());
    }

    /// Returns when [`Self::on_timer`] is due; [`Time::NEVER`] if no timer is set or the association is over.
    #[inline]
    pub fn timer(&self) -> Time {
        if self.is_over() {
            return Time::NEVER;
        }
        let paths = self.paths.iter().map(Path::timer).min().unwrap_or(Time::NEVER);
        paths.min(if self.is_established() { self.own_timer } else { Time::NEVER })
    }

    /// Sets the timer that belongs to no path: to the change of the primary path or the next window probe,
    /// whichever comes first.
    pub(super) fn set_own_timer(&mut self) {
        self.own_timer = self.switch_at.min(self.window_probing.due());
    }

    /// Called at the time that [`Self::timer`] announced. Handles all timers that are due: those of the
    /// handshake, of the window probes, of the change of the primary path, and of each path.
    pub fn on_timer(&mut self, now: Time, wire: &mut impl MessageWire) {
        if self.is_over() {
            return;
        }
        if !self.is_established() {
            if now >= self.timer() {
                self.on_no_answer(now, wire);
            }
            return;
        }
        self.burst = self.options.burst(false);
        if now >= self.own_timer {
            self.on_own_timer(now, wire);
        }
        for index in 0..self.paths.len() {
            if !self.is_over() {
                self.on_path_timer(now, index, wire);
            }
        }
    }

    #[cold]
    fn on_own_timer(&mut self, now: Time, wire: &mut impl MessageWire) {
        // ns-2's SetPrimary changes the path of new data and sends nothing: the next SACK does.
        if self.switches(now) && !self.options.repairs_first() {
            self.send_all(now, wire);
        }
        if now >= self.window_probing.due() {
            self.probe_window(now, wire);
        }
    }

    fn on_path_timer(&mut self, now: Time, index: usize, wire: &mut impl MessageWire) {
        let path = &mut self.paths[index];
        if now >= path.sender.deadline() {
            self.on_timeout(now, index, wire);
        } else if now >= path.sender.timer() {
            path.sender.send_up_to(now, 0, &mut Nothing); // The pacer may send more.
            self.send_all(now, wire);
        }
        match self.paths[index].heartbeat.due(now).filter(|_| !self.is_over()) {
            Some(Due::Heartbeat) => self.send_heartbeat(now, index, wire),
            Some(Due::NoAnswer) => self.on_no_heartbeat_ack(now, index, wire),
            None => {}
        }
    }

    /// Processes a control chunk that has arrived over path `index`: an answer in the handshake, an answer to
    /// a HEARTBEAT, or a HEARTBEAT, which is answered.
    pub fn on_control(&mut self, now: Time, index: usize, control: &Control, wire: &mut impl MessageWire) {
        match control.kind {
            ControlKind::HeartbeatAck => self.on_heartbeat_ack(now, index, control.sent, wire),
            ControlKind::InitAck | ControlKind::CookieAck => self.on_answer(now, index, control, wire),
            ControlKind::Heartbeat => {
                let answer = Control { kind: ControlKind::HeartbeatAck, ..*control };
                wire.send(index, &Message::Control(answer));
            }
            ControlKind::Init | ControlKind::CookieEcho => {}
        }
    }

    /// Counts an error, because a message sent over path `index` has not been answered in time. If a limit is
    /// exceeded, the association fails, or the path becomes inactive or potentially failed; in the latter two
    /// cases its waiting chunks and new data move to another path, unless each is in a worse state. Returns
    /// whether this error has made the path inactive.
    pub(super) fn on_error(&mut self, now: Time, index: usize, what: Unanswered) -> bool {
        let details = &self.options.details;
        let limits = Limits {
            inactive: details.path_max_retrans,
            potentially_failed: details.potentially_failed.then_some(details.pf_max_retrans),
        };
        if self.is_error_of_all(index, what) {
            self.errors = self.errors.saturating_add(1);
        }
        //= RFC 9260 section 8.1: an association fails when its error count exceeds Association.Max.Retrans
        if self.errors > details.association_max_retrans {
            self.fail(now);
            return false;
        }
        let path = &mut self.paths[index];
        let before = path.reachability.state;
        path.reachability.on_error(&limits);
        let state = path.reachability.state;
        if state == before || state == State::Active {
            return false;
        }
        self.wait_for_heartbeat(now, index);
        let other = self.alternate(index);
        if other != index {
            self.chunks.redirect(index, other);
        }
        if self.current == index && other != index {
            self.counts.failovers += 1;
            self.current = other;
            if !self.options.details.failback && state == State::Inactive {
                self.primary = other;
            }
        }
        state == State::Inactive
    }

    /// Returns whether an error on path `index` counts for the association as well (RFC 9260 section 8.1):
    /// always for data, and for a HEARTBEAT if new data takes that path. In ns-2, a HEARTBEAT counts if the
    /// path is active.
    fn is_error_of_all(&self, index: usize, what: Unanswered) -> bool {
        let as_ns2 = self.options.repairs_first();
        let works = self.paths[index].reachability.state == State::Active;
        what == Unanswered::Data || if as_ns2 { works } else { index == self.current }
    }

    /// Called when a message sent over path `index` has been answered. Resets the error counts of the path
    /// and of the association. If the path was not active, it is now, and takes new data if the path that did
    /// so is not active, or if `index` is the primary path and there is no selector.
    pub(super) fn on_success(&mut self, index: usize) {
        self.errors = 0;
        if self.paths[index].reachability.on_success() {
            let is_home = index == self.primary && self.selector.is_none();
            if is_home || self.paths[self.current].reachability.state != State::Active {
                self.current = index;
            }
        }
    }

    /// Marks the association as failed (RFC 9260 section 8.1) and stops HEARTBEATs. Nothing more is sent.
    pub(super) fn fail(&mut self, now: Time) {
        self.failed_at = Some(now);
        self.paths.iter_mut().for_each(|path| path.heartbeat.stop());
    }

    /// Returns the other path with the best [rank](super::reachability::Reachability::rank), the next in turn
    /// among equals. Returns `index` itself if all other paths are in a worse state.
    pub(super) fn alternate(&self, index: usize) -> usize {
        let count = self.paths.len();
        let rank = |path: usize| self.paths[path].reachability.rank();
        let others = (1..count).map(|step| (index + step) % count);
        let best = others.reduce(|best, path| if rank(path) < rank(best) { path } else { best });
        // A failed path is left even for another failed one, since that may work again.
        best.filter(|best| rank(*best).0 <= rank(index).0).unwrap_or(index)
    }

    /// Makes path `index` the primary one. New data takes it from now on if it is active. Outstanding data
    /// stays on its path.
    pub fn set_primary(&mut self, index: usize) {
        self.primary = index;
        if self.paths[index].reachability.state == State::Active {
            self.current = index;
        }
    }

    /// Returns the path that new data takes.
    pub fn current(&self) -> usize {
        self.current
    }

    /// Returns the paths.
    pub fn paths(&self) -> &[Path] {
        &self.paths
    }

    /// Returns the number of chunks that are acknowledged cumulatively.
    pub fn acknowledged(&self) -> u64 {
        self.chunks.first()
    }

    /// Returns one past the last chunk sent.
    pub fn sent_to(&self) -> u64 {
        self.chunks.high()
    }

    /// Returns whether all data of the application is acknowledged cumulatively; false before the association
    /// is established.
    pub fn is_done(&self) -> bool {
        self.is_established() && self.chunks.first() >= self.data_until
    }

    /// Returns when the association failed; `None` if it has not.
    pub fn failed_at(&self) -> Option<Time> {
        self.failed_at
    }

    /// Returns whether the association has failed, or is done and does not stay open.
    pub fn is_over(&self) -> bool {
        self.failed_at.is_some() || !self.stays_open && self.is_done()
    }

    /// Returns whether the handshake is complete, or there is none, so that data may be sent.
    pub fn is_established(&self) -> bool {
        self.handshake == Handshake::Established
    }

    /// Returns the options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Returns the counts of the association, without those of its paths.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Returns the round-trip times, since counting began, of packets whose chunks were sent once.
    pub fn rtt(&self) -> &Histogram {
        &self.rtt
    }

    /// Returns the number of chunks assumed to be in the network.
    pub fn in_flight(&self) -> u64 {
        self.chunks.in_flight()
    }

    /// Returns whether losses that reports have shown are being repaired, under CMT on any path. Repair after
    /// a timeout alone does not count.
    pub fn recovering(&self) -> bool {
        let first = self.chunks.first();
        let is_open = |recover: Option<u64>| recover.is_some_and(|recover| first < recover);
        is_open(self.recover) || self.paths.iter().any(|path| is_open(path.recover))
    }

    /// Publishes internal values of the path selector for figures.
    pub fn publish_selector(&self, series: &mut dyn FnMut(&'static str, f64)) {
        self.selector.iter().for_each(|selector| selector.publish(series));
    }

    /// Resets the counts at the end of the warm-up.
    pub fn reset_counts(&mut self, now: Time) {
        self.paths.iter_mut().for_each(|path| path.sender.reset_counts(now));
        (self.counts, self.rtt) = (Counts::default(), Histogram::default());
    }

    /// Returns what was measured since counting began, as of `until`.
    pub fn report(&self, until: Time) -> Report<'_> {
        let counts = self.paths.iter().fold(RecoveryCounts::default(), |mut sum, path| {
            sum.absorb(path.sender.counts());
            sum
        });
        Report {
            counts: Some(counts),
            rtt: Some(&self.rtt),
            cwnd_area: Some(self.paths.iter().map(|path| path.sender.cwnd_area(until)).sum()),
            window_probes: self.window_probes(),
            ..Report::default()
        }
    }

    /// Returns what only an association measures, since counting began, as of `until`.
    pub fn own_report(&self, until: Time) -> AssociationReport {
        let path = |path: &Path| PathReport {
            counts: path.sender.counts().clone(),
            cwnd_area: path.sender.cwnd_area(until),
        };
        let Counts { failovers, switches, heartbeats, heartbeats_lost, .. } = self.counts;
        AssociationReport {
            paths: self.paths.iter().map(path).collect(),
            failovers,
            switches,
            heartbeats,
            heartbeats_lost,
            failed_at: self.failed_at(),
        }
    }

    /// Returns the latest round-trip time on the path that new data takes; `None` before the first.
    pub fn last_rtt(&self) -> Option<Span> {
        self.paths[self.current].last_rtt()
    }
}

/// The state of the paths that a path selector may ask for.
pub(super) struct Choices<'a>(pub &'a [Path]);

impl Paths for Choices<'_> {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn is_usable(&self, path: usize) -> bool {
        self.0[path].reachability.state == State::Active
    }

    fn cwnd(&self, path: usize) -> Packets {
        self.0[path].cwnd()
    }
}
