//! A control that tells transmission losses from losses through congestion: any control, a discriminator
//! that judges each loss, and an action for the losses that it attributes to transmission (Alnuem 2009
//! chapter 4, figures 4.16 and 4.17).

pub mod discriminators;
mod records;

pub use records::{Cause, Counted, IncomingAck, LossDifferentiation};

use crate::action::{Action, Answer};
use crate::classic::Window;
use crate::control::{
    Ack, Change, Control, Decision, Ending, Loss, LossSignal, Lost, Probe, Properties, Recovered, Sent,
    Timeout, WindowControl,
};
use ackclock_base::{Packets, Random};
use discriminators::{Discriminator, Judgement};

/// A control with a discriminator and an action around it.
pub struct Differentiating {
    control: Box<dyn WindowControl>,
    discriminator: Box<dyn Discriminator>,
    action: Box<dyn Action>,
    /// The greatest number of packets outstanding, whatever the window.
    limit: Packets,
    /// Window and slow start threshold before a loss that the action, not the control, has handled; `None`
    /// otherwise.
    before_action: Option<Window>,
    /// The latest loss, until the acknowledgement after its recovery.
    episode: Option<Episode>,
    /// The count that an action answers repeatedly; `None` if it does not.
    repeated: Option<Repeated>,
    judged: Judged,
}

/// A count whose answer is repeated until all that was outstanding at its loss has been acknowledged.
#[derive(Clone, Copy, Debug)]
struct Repeated {
    missing: u64,
    episode: Episode,
}

/// A loss and its recovery.
#[derive(Clone, Copy, Debug)]
struct Episode {
    loss: Loss,
    /// The cause to which it was attributed.
    cause: Cause,
    /// Whether the recovery ended with the present acknowledgement, which may still count the missing
    /// packets.
    is_over: bool,
}

/// The number of losses of each cause, for observers.
#[derive(Clone, Copy, Debug, Default)]
struct Judged {
    congestion: u64,
    transmission: u64,
}

impl Judged {
    fn count(&mut self, cause: Cause) {
        match cause {
            Cause::Congestion => self.congestion += 1,
            Cause::Transmission => self.transmission += 1,
        }
    }
}

/// Converts a loss to the first timeout of its packet, so that the control starts over.
fn as_timeout(loss: &Loss) -> Timeout {
    Timeout {
        now: loss.now,
        window: loss.window,
        inflight: loss.inflight,
        left_in_flight: loss.inflight,
        sent_to: loss.sent_to,
        in_a_row: 1,
        keeps_threshold: false,
    }
}

impl Differentiating {
    /// Puts the discriminator and the action around `control`, whose host lets at most `limit` packets be
    /// outstanding.
    pub fn new(
        control: Box<dyn WindowControl>,
        discriminator: Box<dyn Discriminator>,
        action: Box<dyn Action>,
        limit: Packets,
    ) -> Self {
        let (before_action, episode, repeated, judged) = (None, None, None, Judged::default());
        Self { control, discriminator, action, limit, before_action, episode, repeated, judged }
    }

    /// Returns the cause that a loss found now would have.
    fn cause(&self) -> Cause {
        self.cause_in(self.episode)
    }

    fn cause_in(&self, episode: Option<Episode>) -> Cause {
        match episode {
            Some(episode) if self.action.latches() => episode.cause,
            _ => self.discriminator.cause(),
        }
    }

    /// Lets the action react to a transmission loss.
    fn act(&mut self, loss: &Loss) {
        let before = self.window();
        self.before_action = Some(before);
        let cwnd = self.action.on_loss(before.cwnd, loss);
        self.control.set_cwnd(cwnd);
        if let Some(ssthresh) = self.action.ssthresh(cwnd) {
            self.control.set_ssthresh(ssthresh);
        }
    }

    /// Lets the action react to the count of missing packets.
    fn answer(&mut self, counted: &Counted, episode: Option<Episode>, random: &mut dyn Random) {
        match (self.action.on_counted(self.cwnd(), counted), episode) {
            (Answer::Window(cwnd), _) => self.control.set_cwnd(cwnd),
            (Answer::AsCongestion, Some(Episode { loss, .. })) => {
                self.before_action = None;
                self.control.on_loss(&Loss { now: counted.now, window: counted.window, ..loss }, random);
            }
            (Answer::AsCongestion, None) => {}
        }
    }

    /// Repeats the answer to a count at a later fresh acknowledgement, until the recovery is over.
    fn answer_again(&mut self, ack: &Ack, Repeated { missing, episode }: Repeated, random: &mut dyn Random) {
        if ack.acked_to >= episode.loss.sent_to {
            self.repeated = None;
        } else if self.cause_in(Some(episode)) == Cause::Transmission {
            let counted = Counted { now: ack.now, window: self.usable_window(), missing };
            self.answer(&counted, Some(episode), random);
        }
    }

    fn cwnd(&self) -> Packets {
        self.control.decision().cwnd
    }

    /// Returns the number of packets that may be outstanding.
    fn usable_window(&self) -> Packets {
        self.cwnd().min(self.limit)
    }

    fn window(&self) -> Window {
        let Decision { cwnd, ssthresh, .. } = self.control.decision();
        Window { cwnd, ssthresh }
    }
}

impl LossDifferentiation for Differentiating {
    fn on_incoming(&mut self, incoming: &IncomingAck, random: &mut dyn Random) -> Cause {
        self.episode = self.episode.filter(|episode| !episode.is_over);
        self.discriminator.on_incoming(incoming, random);
        self.cause()
    }

    fn on_counted(&mut self, counted: &Counted, random: &mut dyn Random) {
        if self.cause() == Cause::Transmission {
            self.answer(counted, self.episode, random);
        }
        let repeats = self.episode.filter(|_| self.action.repeats());
        self.repeated = repeats.map(|episode| Repeated { missing: counted.missing, episode });
    }
}

impl Control for Differentiating {
    fn decision(&self) -> Decision {
        self.control.decision()
    }

    fn properties(&self) -> Properties {
        self.control.properties()
    }

    fn on_change(&mut self, change: &Change) {
        self.control.on_change(change);
    }

    fn on_sent(&mut self, sent: &Sent, random: &mut dyn Random) {
        self.control.on_sent(sent, random);
    }

    fn on_ack(&mut self, ack: &Ack, random: &mut dyn Random) {
        self.control.on_ack(ack, random);
        self.discriminator.on_ack(ack, self.usable_window());
        if let Some(repeated) = self.repeated.filter(|_| ack.fresh) {
            self.answer_again(ack, repeated, random);
        }
    }

    fn on_lost(&mut self, lost: &Lost, random: &mut dyn Random) {
        self.control.on_lost(lost, random);
    }

    fn on_loss(&mut self, loss: &Loss, random: &mut dyn Random) {
        // A mark is a statement of the network (RFC 3168), and a full interface one of the host: there is
        // nothing to judge.
        let marked = matches!(loss.signal, LossSignal::Ecn | LossSignal::LocalDrop);
        let window = self.usable_window();
        let judgement =
            if marked { Judgement::Congestion } else { self.discriminator.judge(loss.now, window) };
        self.episode = Some(Episode { loss: *loss, cause: judgement.cause(), is_over: marked });
        self.judged.count(judgement.cause());
        self.before_action = None;
        self.repeated = None;
        match judgement {
            Judgement::Transmission => self.act(loss),
            Judgement::Refuted if self.action.starts_over() => {
                self.control.on_timeout(&as_timeout(loss), random);
            }
            Judgement::Congestion | Judgement::Refuted => self.control.on_loss(loss, random),
        }
    }

    fn on_probe(&mut self, probe: &Probe) {
        self.control.on_probe(probe);
    }

    fn on_recovered(&mut self, recovered: &Recovered) {
        if recovered.ending == Ending::Undone
            && let Some(before) = self.before_action
        {
            self.control.set_cwnd(before.cwnd.max(self.cwnd()));
            self.control.set_ssthresh(before.ssthresh);
            return;
        }
        if let (Ending::Repaired { .. }, Some(episode)) = (recovered.ending, &mut self.episode) {
            episode.is_over = true;
        }
        self.control.on_recovered(recovered);
    }

    fn on_timeout(&mut self, timeout: &Timeout, random: &mut dyn Random) {
        self.episode = None;
        self.repeated = None;
        let cause = self.discriminator.on_timeout(timeout, self.usable_window());
        self.action.on_timeout(timeout);
        // An undo takes back all timeouts in a row, so it is the window before the first that it restores. The control
        // inside remembers that one, unless the action had the last word before it.
        if timeout.in_a_row == 1 {
            // The window stays as it is while what was outstanding is retransmitted.
            self.before_action = (cause == Cause::Transmission).then(|| self.window());
        }
        if cause == Cause::Congestion {
            self.control.on_timeout(timeout, random);
        }
    }

    fn publish(&self, series: &mut dyn FnMut(&'static str, f64)) {
        series("judged_congestion", self.judged.congestion as f64);
        series("judged_transmission", self.judged.transmission as f64);
        self.discriminator.publish(series);
        self.action.publish(series);
        self.control.publish(series);
    }
}

impl WindowControl for Differentiating {
    fn set_cwnd(&mut self, cwnd: Packets) {
        self.control.set_cwnd(cwnd);
    }

    fn set_ssthresh(&mut self, ssthresh: Packets) {
        self.control.set_ssthresh(ssthresh);
    }
}

#[cfg(test)]
mod tests {
    use super::Cause;
    use crate::laws::tcp_rtt;
    use crate::script::Script;

    /// Creates TCP-RTT in congestion avoidance at ten packets: minimum round trip 100, maximum 200, edge 115
    /// ms.
    fn tcp_rtt(action: &[(&str, &str)]) -> Script {
        let mut script =
            Script::of(&tcp_rtt::TCP_RTT, &[]).acting(action).window(10.0).starting_ssthresh(10.0);
        script.arrival(true, 200);
        calm(&mut script);
        script
    }

    fn calm(script: &mut Script) {
        (0..60).for_each(|_| assert!(script.arrival(true, 100).is_some()));
        assert_eq!(script.arrival(true, 100), Some(Cause::Transmission));
    }

    fn congested(script: &mut Script) {
        (0..60).for_each(|_| assert!(script.arrival(true, 200).is_some()));
        assert_eq!(script.arrival(true, 200), Some(Cause::Congestion));
    }

    #[test]
    fn the_control_handles_congestion_and_the_action_transmission() {
        let mut script = tcp_rtt(&[]);
        script.loss();
        assert_eq!((script.cwnd(), script.ssthresh()), (10.0, 10.0));
        script.recovered();
        congested(&mut script);
        script.loss();
        assert_eq!((script.cwnd(), script.ssthresh()), (5.0, 5.0));
        assert_eq!(
            (script.published("judged_transmission"), script.published("judged_congestion")),
            (1.0, 1.0)
        );
    }

    #[test]
    fn without_a_latch_a_loss_may_be_cut_twice_or_not_at_all() {
        let mut halved_and_cut = tcp_rtt(&[("tthresh", "false")]);
        congested(&mut halved_and_cut);
        halved_and_cut.loss();
        calm(&mut halved_and_cut);
        halved_and_cut.counted(2);
        assert_eq!(halved_and_cut.cwnd(), 3.0, "10 / 2 - 2");

        let mut never_cut = tcp_rtt(&[("tthresh", "false")]);
        never_cut.loss();
        congested(&mut never_cut);
        never_cut.counted(2);
        assert_eq!(never_cut.cwnd(), 10.0);
    }

    #[test]
    fn with_a_latch_the_judgement_at_the_loss_holds_until_the_count() {
        let latched = [("tthresh", "false"), ("latch", "true")];
        let mut halved = tcp_rtt(&latched);
        congested(&mut halved);
        halved.loss();
        (0..60).for_each(|_| assert_eq!(halved.arrival(true, 100), Some(Cause::Congestion)));
        // Reno's recovery ends with the acknowledgement that carries the count.
        halved.recovered();
        halved.counted(2);
        assert_eq!(halved.cwnd(), 5.0);
        assert_eq!(halved.arrival(true, 100), Some(Cause::Transmission), "the next one is judged on its own");

        let mut cut = tcp_rtt(&latched);
        cut.loss();
        (0..60).for_each(|_| assert_eq!(cut.arrival(true, 200), Some(Cause::Transmission)));
        cut.recovered();
        cut.counted(2);
        assert_eq!(cut.cwnd(), 8.0);
    }

    #[test]
    fn a_spurious_loss_of_transmission_gives_the_window_back() {
        let mut script = tcp_rtt(&[("tthresh", "false")]);
        script.loss();
        script.counted(4);
        assert_eq!(script.cwnd(), 6.0);
        script.spurious();
        assert_eq!(script.cwnd(), 10.0);
    }

    #[test]
    fn an_undo_gives_back_the_window_before_the_last_loss_of_transmission_and_not_one_long_past() {
        // A timeout at 10 packets, which the control remembers. Then a loss of transmission at 4, after which the timer
        // expires, for the second time without a sample of the round trip: an undo takes back what happened since 4.
        let mut script = tcp_rtt(&[]);
        script.timeout();
        script.set_cwnd(4.0);
        script.arrival(true, 200);
        calm(&mut script);
        script.loss();
        assert_eq!(script.cwnd(), 4.0);
        script.timeout_again();
        assert_eq!(script.cwnd(), 1.0);
        script.spurious();
        assert_eq!(script.cwnd(), 4.0);
    }
}
