//! Learning TCP (A. Jain 2003 chapter 4): NewReno's window and retransmission, a discriminator that learns
//! from its guesses, and an action that starts over after a wrong guess. Each part can be combined with any
//! other control too.

use super::reno::{BUILD, Reno};
use crate::entry::{Entry, PublishedDefaults, control};

/// The control's entry in the registry.
pub const ENTRY: Entry = Entry {
    descriptor: &control(
        "learning-tcp",
        "NewReno that guesses which losses are transmission errors and does not reduce its window for them; another \
         loss within 1.5 RTTs refutes the guess, restarts the window from one packet and makes such guesses rarer",
        "A. Jain 2003 chapter 4; the thesis does not name the TCP that it modifies",
        Reno::TABLE,
    ),
    build: BUILD,
    published: PublishedDefaults {
        recovery: Some("newreno"),
        discriminator: Some("learning"),
        action: Some("conservative"),
        ..PublishedDefaults::NONE
    },
};
