//! Whether a path works (RFC 9260 section 8.2, RFC 7829): errors in a row, and what follows from them.

/// The state of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Not yet known to lead to the other end (RFC 9260 section 5.4).
    Unconfirmed,
    /// It works.
    Active,
    /// It may have failed (RFC 7829): new data goes elsewhere if it can.
    PotentiallyFailed,
    /// It has failed.
    Inactive,
}

/// When errors change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Path.Max.Retrans.
    pub inactive: u32,
    /// PotentiallyFailed.Max.Retrans, where that state is used.
    pub potentially_failed: Option<u32>,
}

/// What is known of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reachability {
    /// Its state.
    pub state: State,
    /// Errors since something of it was last acknowledged.
    pub errors: u32,
}

impl Reachability {
    /// At the beginning.
    pub fn new(confirmed: bool) -> Self {
        Self { state: if confirmed { State::Active } else { State::Unconfirmed }, errors: 0 }
    }

    /// Something sent over it has not been answered in time.
    pub fn on_error(&mut self, limits: &Limits) {
        self.errors = self.errors.saturating_add(1);
        //= RFC 9260 section 8.2 fails: a path fails when its errors exceed Path.Max.Retrans
        if self.errors > limits.inactive {
            self.state = State::Inactive;
        } else if self.state == State::Active
            && limits.potentially_failed.is_some_and(|most| self.errors > most)
        {
            self.state = State::PotentiallyFailed;
        }
    }

    /// Something sent over it has been answered. Says whether it works again, or for the first time.
    pub fn on_success(&mut self) -> bool {
        //= RFC 9260 section 8.2 clears: an answer clears the errors of its path
        self.errors = 0;
        std::mem::replace(&mut self.state, State::Active) != State::Active
    }

    /// How much it deserves to be taken, if none is active: less errors, and no more than potentially failed.
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
        // Path.Max.Retrans 5: the sixth error exceeds it. With RFC 7829 the first makes it potentially failed.
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
