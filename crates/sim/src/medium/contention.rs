//! Media whose stations sense the medium and contend for it: the distributed coordination function of IEEE
//! 802.11, and a simpler one.
//!
//! A transmitter with a packet to send waits until the medium has been free for a while, and then for a
//! random number of slots. It stops counting slots while another transmitter sends. Transmitters whose counts
//! end at the same instant collide. All transmitters hear one another at once: there are no hidden stations.
//! Links that leave one node share one transmitter, which serves them in turn.

mod parameters;

pub use parameters::{Dcf, Exchange, Simple, Wifi};

use super::registry::{Entry, medium};
use super::{AccessRules, Answer, Medium, Outcome, Station, Turn};
use ackclock_base::{Descriptor, Random, Span, Time};

/// The medium with a random number of slots before each packet and without answers.
pub const SIMPLE: Entry = Entry {
    descriptor: &medium(
        "simple",
        "Stations sense the medium and wait a random time before each packet, without link-layer acknowledgements or \
         retransmissions",
        "Dahal 2007 section 5.1; ns-2's Mac/Simple",
        Simple::TABLE,
    ),
    build: |values, transmitters| Box::new(Contention::new(Simple::from(values).rules(), transmitters)),
};

/// The distributed coordination function.
pub const DCF: Entry = Entry {
    descriptor: &medium(
        "dcf",
        "The distributed coordination function (DCF) of Wi-Fi with basic access and the timing of the original 802.11 \
         radio (DSSS)",
        "IEEE 802.11-2020 sections 10.3 and 15",
        Dcf::TABLE,
    ),
    build: |values, transmitters| Box::new(Contention::new(Dcf::from(values).exchange.rules(), transmitters)),
};

/// The distributed coordination function with the times of today's radio, and several packets per turn.
pub const WIFI: Entry = Entry {
    descriptor: &Descriptor {
        presets: OF_WIFI,
        ..medium(
            "wifi",
            "The distributed coordination function (DCF) of Wi-Fi with the timing of 5 GHz radio, aggregation (A-MPDU) \
             and block acknowledgements",
            "IEEE 802.11-2020 sections 9.7, 10.3, 10.23, 10.25 and 17",
            Wifi::TABLE,
        )
    },
    build: |values, transmitters| Box::new(Contention::new(Wifi::from(values).rules(), transmitters)),
};

/// The defaults of the exchange in which `wifi` differs from `dcf`: OFDM in 20 MHz at 5 GHz, best effort.
const OF_WIFI: &[(&str, &str)] = &[
    ("slot", "9 us"),
    // SIFS and three slots.
    ("idle", "43 us"),
    ("sifs", "16 us"),
    // A preamble of 20 us and three symbols: 32 bytes at 24 Mbit/s.
    ("answer", "32 us"),
    // A very-high-throughput preamble with one stream.
    ("preamble", "40 us"),
    // 4 bytes of delimiter, 26 of header, 4 of checksum, 8 of LLC and SNAP.
    ("framing", "42 B"),
    ("least_window", "15"),
    ("most_window", "1023"),
];

/// The rules of contention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The length of a slot.
    pub slot: Span,
    /// The time for which the medium must have been free before slots count (DIFS, AIFS).
    pub idle: Span,
    /// The initial contention window: the number of slots is drawn uniformly from 0 to this.
    pub least_window: u32,
    /// The largest contention window. The window about doubles with each missing answer, up to this.
    pub most_window: u32,
    /// Whether a transmitter that finds the medium free waits for a random time too.
    pub always_waits: bool,
    /// The rules of a turn.
    pub access: AccessRules,
}

/// A medium whose stations contend.
#[derive(Clone, Debug)]
pub struct Contention {
    rules: Rules,
    transmitters: Vec<Transmitter>,
    /// The transmitter of each station.
    of: Vec<usize>,
    /// The time at which the medium becomes free, or since which it has been free.
    free: Time,
    /// The beginning of the turn that [`Medium::next`] returned last.
    starts: Time,
}

#[derive(Clone, Debug)]
struct Transmitter {
    window: u32,
    /// The number of slots to count from the time [`Contention::opens`]; `None` if the transmitter need not
    /// wait.
    slots: Option<u32>,
    /// The time at which it sends, if it has a packet and no other transmitter sends before; otherwise
    /// `None`.
    sends: Option<Time>,
    /// The indices of its stations; the position among them of the station served last, and of the one that
    /// sends in the present turn.
    stations: Vec<usize>,
    served: usize,
    serves: usize,
}

impl Contention {
    /// Creates the medium in its idle state. `transmitters` holds the transmitter of each station.
    pub fn new(rules: Rules, transmitters: &[usize]) -> Self {
        let count = transmitters.iter().max().map_or(0, |most| most + 1);
        let with = |transmitter: usize| Transmitter {
            window: rules.least_window,
            slots: None,
            sends: None,
            stations: (0..transmitters.len())
                .filter(|station| transmitters[*station] == transmitter)
                .collect(),
            served: 0,
            serves: 0,
        };
        Self {
            rules,
            transmitters: (0..count).map(with).collect(),
            of: transmitters.to_vec(),
            free: Time::ZERO,
            starts: Time::NEVER,
        }
    }

    /// Returns the time from which slots count.
    fn opens(&self) -> Time {
        self.free + self.rules.idle
    }

    /// Returns the position, among a transmitter's stations, of the next one that may send; `None` if none
    /// may.
    fn next_place(&self, transmitter: usize, now: Time, stations: &[Station]) -> Option<usize> {
        let Transmitter { stations: own, served, .. } = &self.transmitters[transmitter];
        let mut after = (1..=own.len()).map(|step| (served + step) % own.len());
        after.find(|place| stations[own[*place]].may_send(now))
    }

    /// Returns when a transmitter with a packet sends if no other sends before. Draws a number of slots
    /// unless one is still being counted or the transmitter need not wait.
    fn access(&mut self, transmitter: usize, now: Time, random: &mut dyn Random) -> Time {
        let opens = self.opens();
        let Rules { slot, always_waits, .. } = self.rules;
        let after = |slots: u32| opens + slot * u64::from(slots);
        let transmitter = &mut self.transmitters[transmitter];
        // The slots drawn after its last packet may have passed while it had nothing to send.
        let waiting = transmitter.slots.map(after).filter(|sends| *sends >= now);
        if let Some(sends) = waiting {
            return sends;
        }
        transmitter.slots = None;
        if now >= opens && !always_waits {
            return now;
        }
        let drawn = draw(transmitter.window, random);
        // Slots are counted from `opens`, so those that have already passed are added to the drawn number.
        let passed = slots(now.since(opens).nanos().div_ceil(slot.nanos().max(1)));
        transmitter.slots = Some(passed + drawn);
        after(passed + drawn).max(now)
    }
}

fn draw(window: u32, random: &mut dyn Random) -> u32 {
    (random.uniform() * (f64::from(window) + 1.0)) as u32
}

/// Converts a number of slots. A number too large for the type is replaced by one that is never reached.
fn slots(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX / 2)
}

impl Medium for Contention {
    fn next(&mut self, now: Time, stations: &[Station], random: &mut dyn Random) -> Turn {
        let mut first = Turn { station: 0, starts: Time::NEVER };
        for index in 0..self.transmitters.len() {
            let Some(place) = self.next_place(index, now, stations) else {
                self.transmitters[index].sends = None;
                continue;
            };
            let sends = match self.transmitters[index].sends {
                Some(sends) => sends,
                None => self.access(index, now, random),
            };
            let transmitter = &mut self.transmitters[index];
            (transmitter.sends, transmitter.serves) = (Some(sends), place);
            if sends < first.starts {
                first = Turn { station: transmitter.stations[place], starts: sends };
            }
        }
        self.starts = first.starts;
        first
    }

    fn on_sending(&mut self, _station: usize, starts: Time, sent: Time) {
        let counted = slots(starts.since(self.opens()).nanos() / self.rules.slot.nanos().max(1));
        for transmitter in &mut self.transmitters {
            if transmitter.sends == Some(self.starts) {
                transmitter.served = transmitter.serves;
            }
            // Slots drawn after its last packet that have all been counted are used up.
            transmitter.slots =
                transmitter.slots.map(|slots| slots.saturating_sub(counted)).filter(|left| *left > 0);
            transmitter.sends = None;
        }
        self.free = sent;
    }

    fn access_rules(&self) -> AccessRules {
        self.rules.access
    }

    fn collides(&self, station: usize) -> bool {
        let transmitter = &self.transmitters[self.of[station]];
        transmitter.sends == Some(self.starts) && transmitter.stations[transmitter.serves] == station
    }

    fn on_outcome(&mut self, station: usize, outcome: Outcome, random: &mut dyn Random) {
        let Rules { least_window, most_window, .. } = self.rules;
        let transmitter = &mut self.transmitters[self.of[station]];
        transmitter.window = match outcome {
            Outcome::Answered | Outcome::GaveUp => least_window,
            Outcome::Silence => (2 * transmitter.window + 1).min(most_window),
        };
        transmitter.slots = Some(draw(transmitter.window, random));
    }
}

impl Exchange {
    fn rules(&self) -> Rules {
        let takes = self.sifs + self.answer;
        let answer = Answer {
            takes,
            missed: if self.eifs { takes } else { Span::ZERO },
            attempts: self.attempts as u32,
        };
        let access = AccessRules {
            before: self.preamble,
            framing_bytes: self.framing.bytes() as u32,
            answer: Some(answer),
            collides: true,
            ..AccessRules::default()
        };
        Rules {
            slot: self.slot,
            idle: self.idle,
            least_window: self.least_window as u32,
            most_window: self.most_window.max(self.least_window) as u32,
            always_waits: false,
            access,
        }
    }
}

impl Wifi {
    fn rules(&self) -> Rules {
        let rules = self.exchange.rules();
        let access = AccessRules {
            packets: self.aggregate as u32,
            bytes: self.aggregate_size.bytes() as u32,
            most: self.aggregate_time,
            ..rules.access
        };
        Rules { access, ..rules }
    }
}

impl Simple {
    fn rules(&self) -> Rules {
        Rules {
            slot: self.slot,
            idle: Span::ZERO,
            least_window: self.window as u32,
            most_window: self.window as u32,
            always_waits: true,
            access: AccessRules {
                framing_bytes: self.framing.bytes() as u32,
                collides: true,
                ..AccessRules::default()
            },
        }
    }
}

#[cfg(test)]
mod tests;
