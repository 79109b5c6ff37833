//! Which control runs under which stack, and why another cannot.

use crate::stack::Stack;
use ackclock_base::ranges::quantity_words;
use ackclock_base::{Descriptor, Span, Time, Values, random::Scripted};
use ackclock_cc::entry::{Build, Entry};
use ackclock_cc::{Ack, Assembly, Change, Controller, EcnResponse, Initial, Part, RateSample, registry};
use std::fmt;

/// A registered control with its parameters, checked against a stack.
#[derive(Clone, Debug)]
pub struct Plan {
    entry: &'static Entry,
    values: Values,
    layers: Vec<Part>,
    stack: Stack,
    seed: u64,
}

/// Why a control does not run under a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no control of this name.
    Unknown {
        /// The name.
        name: String,
    },
    /// The control has no parameter of this name.
    NoParameter {
        /// The control.
        control: &'static str,
        /// The name.
        parameter: String,
        /// The parameters that it has.
        known: Vec<&'static str>,
    },
    /// A parameter's value is misspelt or out of its range.
    BadValue {
        /// The parameter.
        parameter: &'static str,
        /// What was given.
        given: String,
        /// What the parameter takes.
        expected: String,
    },
    /// The control needs something that the stack does not offer.
    Lacks {
        /// The control.
        control: &'static str,
        /// The stack.
        stack: &'static str,
        /// What is missing, as the end of a sentence.
        what: &'static str,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name } => write!(formatter, "there is no congestion control called {name:?}"),
            Self::NoParameter { control, parameter, known } if known.is_empty() => {
                write!(formatter, "{control} has no parameters, found {parameter:?}")
            }
            Self::NoParameter { control, parameter, known } => {
                write!(
                    formatter,
                    "{control} has no parameter {parameter:?}; its parameters: {}",
                    known.join(", ")
                )
            }
            Self::BadValue { parameter, given, expected } => {
                write!(formatter, "{parameter} is {given:?}, but must be {expected}")
            }
            Self::Lacks { control, stack, what } => {
                write!(formatter, "{control} does not run under {stack}: {what}")
            }
        }
    }
}

impl std::error::Error for Refusal {}

impl Plan {
    /// Returns the plan to run the registered control called `name`, with its default parameters, under `stack`.
    ///
    /// # Errors
    /// When there is no such control, or the stack cannot run it.
    pub fn named(name: &str, stack: Stack) -> Result<Self, Refusal> {
        let entry = registry::find(name).ok_or_else(|| Refusal::Unknown { name: name.to_owned() })?;
        Self::new(entry, entry.descriptor.defaults(), stack)
    }

    /// Returns the plan to run a registered control with these parameters under `stack`.
    ///
    /// # Errors
    /// When the stack cannot run it.
    pub fn new(entry: &'static Entry, values: Values, stack: Stack) -> Result<Self, Refusal> {
        match missing(entry, &values, &stack) {
            Some(what) => Err(Refusal::Lacks { control: entry.descriptor.name, stack: stack.name, what }),
            None => Ok(Self { entry, values, layers: Vec::new(), stack, seed: 0 }),
        }
    }

    /// Sets a parameter, written as in a scenario file: `("beta", "0.7")`.
    ///
    /// # Errors
    /// When the control has no such parameter, or the value is misspelt or out of range.
    pub fn with(mut self, name: &str, value: &str) -> Result<Self, Refusal> {
        let descriptor = self.descriptor();
        let parameter = descriptor.parameter(name).ok_or_else(|| Refusal::NoParameter {
            control: descriptor.name,
            parameter: name.to_owned(),
            known: descriptor.parameters.iter().map(|parameter| parameter.name).collect(),
        })?;
        let read = parameter.quantity.read(value).map_err(|expected| Refusal::BadValue {
            parameter: parameter.name,
            given: value.to_owned(),
            expected: expected.expected,
        })?;
        if read.base().is_some_and(|base| !parameter.range.contains(base)) {
            return Err(Refusal::BadValue {
                parameter: parameter.name,
                given: value.to_owned(),
                expected: quantity_words(parameter.quantity, &parameter.range),
            });
        }
        self.values.set(parameter.name, read);
        Ok(self)
    }

    /// Puts these layers around the window, the innermost first: a slow start, a response to marks, a limit of growth.
    pub fn within(mut self, layers: impl IntoIterator<Item = Part>) -> Self {
        self.layers.extend(layers);
        self
    }

    /// Sets the seed of controls that guess. Connections with equal seeds guess alike.
    pub fn seeded(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// The seed of controls that guess.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The control's description.
    pub fn descriptor(&self) -> &'static Descriptor {
        self.entry.descriptor
    }

    /// The stack under which it runs.
    pub fn stack(&self) -> &Stack {
        &self.stack
    }

    /// Makes what connections get their controls from. Controls of one assembly know of each other where the algorithm is one for
    /// several connections.
    pub fn assembly(&self) -> Assembly {
        Assembly::new(self.entry, &self.values, None, None).within(self.layers.iter().cloned())
    }

    /// Returns whether the connections of the control know of each other.
    pub fn is_group(&self) -> bool {
        is_group(self.entry)
    }

    /// Returns whether the control decides a sending rate once it knows the path.
    pub fn decides_rate(&self) -> bool {
        needs_rate(self.entry, &self.values)
    }

    /// Returns whether the control counts marks.
    pub fn counts_marks(&self) -> bool {
        opened(self.entry, &self.values).properties().ecn == EcnResponse::Counts
    }

    /// Returns whether what the control hears about marks is approximate: it counts marks, and the stack does not.
    pub fn approximates_marks(&self) -> bool {
        !self.stack.counts_marks && self.counts_marks()
    }
}

/// Returns what a control needs and the stack does not offer, or `None` if it can run.
fn missing(entry: &'static Entry, values: &Values, stack: &Stack) -> Option<&'static str> {
    let published = &entry.published;
    if published.discriminator.is_some() {
        return Some("the control's loss discriminator runs only over ackclock's own transports");
    }
    if published.backoff.is_some() {
        return Some(
            "the control has its own back-off of the retransmission timer, which the stack cannot use",
        );
    }
    if published.recovery.is_some_and(|rule| rule.starts_with("mda")) {
        return Some("the control has its own loss recovery, which the stack cannot use");
    }
    if !stack.honours_rates && needs_rate(entry, values) {
        return Some(
            "the control sets a sending rate, but the stack always derives its pacing rate from the window",
        );
    }
    None
}

/// Returns whether the control decides a sending rate once it knows the round trip and the rate of delivery.
fn needs_rate(entry: &'static Entry, values: &Values) -> bool {
    opened(entry, values).decision().pacing_rate.is_some()
}

/// Returns a control that has opened and heard three round trips of 50 ms with ten packets each.
fn opened(entry: &'static Entry, values: &Values) -> Controller {
    const RTT: Span = Span::from_millis(50);
    const WINDOW: f64 = 10.0;
    let initial = Initial { paced: true, ..Initial::default() };
    let mut control = Assembly::new(entry, values, None, None).join(&initial);
    let mut random = Scripted::new(&[0.5]);
    control.on_change(&Change::Begins);
    control.on_change(&Change::Opens { rtt: Some(RTT) });
    for round in 1..=3_u32 {
        let delivered = WINDOW * f64::from(round);
        let rate = RateSample {
            delivered: WINDOW,
            interval: RTT,
            prior_delivered: delivered - WINDOW,
            tx_in_flight: WINDOW,
            ..RateSample::default()
        };
        let ack = Ack {
            now: Time::ZERO + RTT * u64::from(round),
            fresh: true,
            acked_to: delivered as u64,
            sent_to: (delivered + WINDOW) as u64,
            newly_acked: WINDOW,
            abc_increment: WINDOW,
            rtt: Some(RTT),
            smoothed_rtt: RTT,
            min_rtt: RTT,
            inflight_before: WINDOW,
            delivered,
            round_start: true,
            cwnd_limited: true,
            rate: Some(rate),
            ..Ack::default()
        };
        control.on_ack(&ack, &mut random);
    }
    control
}

/// Returns every registered control with what `stack` lacks for it, or `None` where it can run.
pub fn table(stack: Stack) -> impl Iterator<Item = (&'static Entry, Option<&'static str>)> {
    registry::CONTROLS.iter().map(move |entry| {
        let values = entry.descriptor.defaults();
        (entry, missing(entry, &values, &stack))
    })
}

/// Returns whether the connections of a control know of each other.
pub fn is_group(entry: &Entry) -> bool {
    matches!(entry.build, Build::Group(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACES_ITSELF: Stack =
        Stack { name: "stack", honours_rates: false, names_packets: true, counts_marks: false };
    const HONOURS_RATES: Stack = Stack { honours_rates: true, ..PACES_ITSELF };

    fn refused(stack: Stack) -> Vec<&'static str> {
        table(stack)
            .filter(|(_, missing)| missing.is_some())
            .map(|(entry, _)| entry.descriptor.name)
            .collect()
    }

    #[test]
    fn what_belongs_to_a_host_of_ours_is_refused() {
        let refused = refused(HONOURS_RATES);
        assert_eq!(
            refused,
            ["cwa", "mda", "rta", "twa", "tcp-rtt", "tcp-rttm", "spike", "spike-nr", "learning-tcp"]
        );
    }

    #[test]
    fn controls_with_a_rate_need_a_stack_that_honours_it() {
        let honoured = refused(HONOURS_RATES);
        let mut rates: Vec<_> =
            refused(PACES_ITSELF).into_iter().filter(|name| !honoured.contains(name)).collect();
        rates.sort_unstable();
        assert_eq!(rates, ["bbrv1", "bbrv3", "c4", "copa", "prague", "vivace"]);
    }

    #[test]
    fn refusals_say_what_would_be_right() {
        let message = |plan: Result<Plan, Refusal>| plan.map(|_| ()).unwrap_err().to_string();
        assert_eq!(
            message(Plan::named("kubic", HONOURS_RATES)),
            "there is no congestion control called \"kubic\""
        );
        let cubic = || Plan::named("cubic", HONOURS_RATES).unwrap();
        assert!(
            message(cubic().with("betta", "0.7"))
                .starts_with("cubic has no parameter \"betta\"; its parameters: ")
        );
        assert!(message(cubic().with("beta", "much")).starts_with("beta is \"much\", but must be "));
        let ledbat = Plan::named("ledbat++", HONOURS_RATES).unwrap();
        assert_eq!(
            message(ledbat.with("target", "10 min")),
            "target is \"10 min\", but must be a time above 0 and at most 10 s"
        );
        assert_eq!(
            message(Plan::named("bbrv3", PACES_ITSELF)),
            "bbrv3 does not run under stack: the control sets a sending rate, but the stack always derives its pacing rate from the window"
        );
    }

    #[test]
    fn a_control_that_counts_marks_hears_approximately() {
        assert!(Plan::named("dctcp", HONOURS_RATES).unwrap().approximates_marks());
        assert!(!Plan::named("cubic", HONOURS_RATES).unwrap().approximates_marks());
    }
}
