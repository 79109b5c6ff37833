//! Reachability of a path (RFC 9260 section 8.2, RFC 7829): errors in a row, and the states that follow from
//! them.

/// The state of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The path is not yet known to lead to the other end (RFC 9260 section 5.4).
    Unconfirmed,
    /// The path works.
    Active,
    /// The path may have failed (RFC 7829). New data takes another path if possible.
    PotentiallyFailed,
    /// The path has failed.
    Inactive,
}

/// The numbers of errors in a row that a path tolerates. One error more changes its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Path.Max.Retrans.
    pub inactive: u32,
    /// PotentiallyFailed.Max.Retrans; `None` if that state is not used.
    pub potentially_failed: Option<u32>,
}

/// The state and the errors of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reachability {
    /// The state.
    pub state: State,
    /// The number of errors since a message on the path was last answered.
    pub errors: u32,
}

impl Reachability {
    /// Creates the state of a new path, which is active if `confirmed` and unconfirmed otherwise.
    pub fn new(confirmed: bool) -> Self {
        Self { state: if confirmed { State::Active } else { State::Unconfirmed }, errors: 0 }
    }

    /// Counts an error, because a message sent over the path has not been answered in time. Changes the state
    /// if the count exceeds a limit.
    pub fn on_error(&mut self, limits: &Limits) {
        self.errors = self.errors.saturating_add(1);
        //= RFC 9260 section 8.2 fails: a path fails when its error count exceeds Path.Max.Retrans
        if self.errors > limits.inactive {
            self.state = State::Inactive;
        } else if self.state == State::Active
            && limits.potentially_failed.is_some_and(|most| self.errors > most)
        {
            self.state = State::PotentiallyFailed;
        }
    }

    /// Called when a message sent over the path has been answered. Returns whether the path becomes active by
    /// that.
    pub fn on_success(&mut self) -> bool {
        //= RFC 9260 section 8.2 clears: an acknowledgement of data or of a HEARTBEAT sets the error count of its path to zero
        self.errors = 0;
        std::mem::replace(&mut self.state, State::Active) != State::Active
    }

    /// Returns the rank of the path among those to choose from: by state, then by errors. The lowest rank is
    /// best.
    pub fn rank(&self) -> (u8, u32) {
        let state = match self.state {
            State::Active => 0,
            State::PotentiallyFailed => 1,
            State::Unconfirmed => 2,
            State::Inactive => 3,
        };
        (state, self.errors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    //= test RFC 9260 section 8.2 fails
    //= test RFC 9260 section 8.2 clears
    #[test]
    fn a_path_fails_at_the_sixth_error_in_a_row() {
        // Path.Max.Retrans is 5, which the sixth error exceeds. With RFC 7829 the first error makes the path
        // potentially failed.
        let mut path = Reachability::new(true);
        let limits = Limits { inactive: 5, potentially_failed: None };
        (0..5).for_each(|_| path.on_error(&limits));
        assert_eq!(path.state, State::Active);
        path.on_error(&limits);
        assert_eq!(path.state, State::Inactive);
        assert!(path.on_success() && path.errors == 0);
        let limits = Limits { potentially_failed: Some(0), ..limits };
        path.on_error(&limits);
        assert_eq!(path.state, State::PotentiallyFailed);
        (0..5).for_each(|_| path.on_error(&limits));
        assert_eq!(path.state, State::Inactive);
    }
}
