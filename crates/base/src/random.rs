//! Defines sources of random numbers. Code that needs random numbers is given a source as an argument and
//! owns none.

/// A source of random numbers.
pub trait Random {
    /// Draws a number uniformly from [0, 1).
    fn uniform(&mut self) -> f64;
}

/// A source that repeats a list of numbers, for tests that must know what is drawn.
#[derive(Clone, Debug)]
pub struct Scripted {
    numbers: Vec<f64>,
    next: usize,
}

impl Scripted {
    /// Makes a source that repeats `numbers` for ever; they should lie in [0, 1). If the list is empty, the
    /// source gives zeros.
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
