//! The effect of a radio link on packets, by the distance of its ends: a [`Channel`], built for each link.

use super::mobility::Course;
use super::shadowing::Shadowing;
use crate::channel::{Carried, Channel, Sending};
use ackclock_base::{Descriptor, Kind, Random, Span, Time, Values};

/// A registered model of propagation.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name, the summary and the parameters.
    pub descriptor: &'static Descriptor,
    /// Builds the channel of a link between nodes on these courses.
    pub build: fn(&Values, [Course; 2]) -> Box<dyn Channel>,
}

/// The models of propagation, in the order in which lists show them.
pub const PROPAGATIONS: &[Entry] = &[Entry {
    descriptor: &Descriptor {
        kind: Kind::Propagation,
        name: "shadowing",
        summary: "Log-distance path loss with log-normal shadowing, drawn for each packet; a packet received with less \
                  power than `threshold_w` is corrupted",
        source: "Rappaport, Wireless Communications, section 4.9; ns-2's Propagation/Shadowing",
        parameters: Shadowing::TABLE,
        presets: &[],
    },
    build: |values, ends| Box::new(Shadowed { model: values.into(), ends }),
}];

/// Returns the model of propagation called `name`; `None` if there is none.
pub fn find(name: &str) -> Option<&'static Entry> {
    PROPAGATIONS.iter().find(|entry| entry.descriptor.name == name)
}

/// A link with shadowing. The power is drawn for every packet independently, as in ns-2: obstacles between
/// the ends are assumed to change from packet to packet.
struct Shadowed {
    model: Shadowing,
    ends: [Course; 2],
}

impl Shadowed {
    fn received(&mut self, now: Time, random: &mut dyn Random) -> bool {
        let [from, to] = &mut self.ends;
        let distance_m = from.at(now).distance_m(to.at(now));
        self.model.draw_db(distance_m, random) >= 0.0
    }
}

impl Channel for Shadowed {
    fn carry(&mut self, sending: &Sending, random: &mut dyn Random) -> Carried {
        let received = self.received(sending.starts, random);
        Carried { takes: sending.takes, delay: received.then_some(Span::ZERO) }
    }

    fn answers(&mut self, now: Time, random: &mut dyn Random) -> bool {
        self.received(now, random)
    }
}

#[cfg(test)]
mod tests {
    use super::super::mobility::Place;
    use super::*;
    use crate::random::Stream;

    #[test]
    fn the_loss_of_a_link_follows_from_the_distance_of_its_ends() {
        // The distance is 250 m (a 3-4-5 triangle). With an exponent of 2.2 the margin is 57.21 - 22 * 2.398
        // = 4.45 dB; at a deviation of 4 dB, 13.3 % of packets lie more than that below the mean.
        let ends = [Place { x_m: 0.0, y_m: 0.0 }, Place { x_m: 150.0, y_m: 200.0 }].map(Course::still);
        let entry = find("shadowing").unwrap();
        let values = Values::with(entry.descriptor, &[("exponent", "2.2")]);
        let mut channel = (entry.build)(&values, ends);
        let mut random = Stream::new(2, "radio");
        let sending = Sending { starts: Time::ZERO, takes: Span::from_millis(4), bytes: 1000 };
        let carried: Vec<Carried> = (0..40_000).map(|_| channel.carry(&sending, &mut random)).collect();
        let lost = carried.iter().filter(|carried| carried.delay.is_none()).count();
        assert!((lost as f64 / 40_000.0 - 0.133).abs() < 0.007, "{lost}");
        assert!(carried.iter().all(|carried| carried.takes == Span::from_millis(4)));
        let unanswered = (0..40_000).filter(|_| !channel.answers(Time::ZERO, &mut random)).count();
        assert!((unanswered as f64 / 40_000.0 - 0.133).abs() < 0.007, "{unanswered}");
    }
}
