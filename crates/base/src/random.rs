//! Randomness as an argument: who needs it is handed a source, and owns none.

/// A source of random numbers.
pub trait Random {
    /// A number drawn uniformly from [0, 1).
    fn uniform(&mut self) -> f64;
}

/// A source that repeats a list, for tests with a known course.
#[derive(Clone, Debug)]
pub struct Scripted {
    numbers: Vec<f64>,
    next: usize,
}

impl Scripted {
    /// Repeats `numbers` for ever; they should lie in [0, 1).
    pub fn new(numbers: &[f64]) -> Self {
        Self { numbers: numbers.to_vec(), next: 0 }
    }
}

impl Random for Scripted {
    fn uniform(&mut self) -> f64 {
        let number = self.numbers.get(self.next).copied().unwrap_or(0.0);
        self.next = (self.next + 1) % self.numbers.len().max(1);
        number
    }
}
