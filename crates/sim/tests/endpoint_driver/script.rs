//! A string of bytes read as a sequence of choices. After its end it continues with zeros.

use ackclock_base::{Descriptor, Parameter, Quantity, Rate, Size, Span, Value, Values};

/// The remaining choices.
pub struct Script<'a> {
    bytes: &'a [u8],
}

impl<'a> Script<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    pub fn is_over(&self) -> bool {
        self.bytes.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        let (first, rest) = self.bytes.split_first().map_or((0, self.bytes), |(first, rest)| (*first, rest));
        self.bytes = rest;
        first
    }

    pub fn pair(&mut self) -> u16 {
        u16::from_le_bytes([self.byte(), self.byte()])
    }

    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[usize::from(self.byte()) % choices.len()]
    }

    /// Returns a number near `around`, or at the ends of the range.
    pub fn number_near(&mut self, around: u64) -> u64 {
        match self.byte() {
            255 => u64::MAX,
            254 => u64::from(self.pair()),
            byte @ 128.. => around.saturating_sub(u64::from(byte - 128)),
            byte => around.saturating_add(u64::from(byte)),
        }
    }

    /// Returns values of a descriptor's parameters: the defaults, except for a few that get one of the
    /// allowed values below.
    pub fn values(&mut self, descriptor: &Descriptor) -> Values {
        let mut values = descriptor.defaults();
        let changes = if descriptor.parameters.is_empty() { 0 } else { self.byte() % 16 };
        for _ in 0..changes {
            let parameter = self.one_of(descriptor.parameters);
            let allowed = allowed_values(&parameter);
            if !allowed.is_empty() {
                values.set(parameter.name, self.one_of(&allowed));
            }
        }
        values
    }
}

const NUMBERS: &[f64] = &[0.0, 1e-9, 0.001, 0.1, 0.5, 0.7, 1.0, 1.5, 2.0, 10.0, 64.0, 1e3, 1e6, 1e300];
const SPANS_NS: &[u64] = &[0, 1, 1000, 1_000_000, 10_000_000, 200_000_000, 1_000_000_000, 60_000_000_000];
/// The windows are small: a connection of a million packets finds no more errors, and takes long.
const PACKETS: &[f64] = &[0.0, 1.0, 1.5, 2.0, 3.0, 10.0, 40.0, 300.0];
const INTEGERS: &[i64] = &[1, 2, 3, 4, 8, 16, 1000];
const BYTES: &[u64] = &[0, 1, 40, 512, 1448, 9000];
const RATES: &[u64] = &[1, 64_000, 10_000_000, 1_000_000_000_000];

fn allowed_values(parameter: &Parameter) -> Vec<Value> {
    let candidates: Vec<Value> = match parameter.quantity {
        Quantity::Number => NUMBERS.iter().map(|number| Value::Number(*number)).collect(),
        Quantity::Integer => INTEGERS.iter().map(|number| Value::Integer(*number)).collect(),
        Quantity::Flag => vec![Value::Flag(false), Value::Flag(true)],
        Quantity::Time => SPANS_NS.iter().map(|ns| Value::Time(Span::from_nanos(*ns))).collect(),
        Quantity::Rate => RATES.iter().map(|bits| Value::Rate(Rate::from_bits_per_second(*bits))).collect(),
        Quantity::Size => BYTES.iter().map(|bytes| Value::Size(Size::from_bytes(*bytes))).collect(),
        Quantity::Packets => PACKETS.iter().map(|count| Value::Packets(*count)).collect(),
        Quantity::Limit | Quantity::File => Vec::new(),
        Quantity::Choice(words) => words.iter().map(|word| Value::Choice(word)).collect(),
    };
    let is_allowed = |value: &Value| value.base().is_none_or(|base| parameter.range.contains(base));
    candidates.into_iter().filter(is_allowed).collect()
}
