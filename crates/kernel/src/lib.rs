//! Congestion controls of ackclock for the TCP of Linux.
//!
//! The kernel tells a program in user space what happens to a connection ([`event`]), and takes what a control decides
//! ([`answer`]). This crate is everything between the two that needs neither privilege nor kernel: [`Host`] turns events into
//! decisions, [`Recording`] keeps both, and a replay of one gives the same decisions on every machine. The program that talks to the
//! kernel is `ackclock-structops`, built by `make wire`. [`Offered`] starts it:
//!
//! ```no_run
//! use ackclock_kernel::Offered;
//!
//! let mut offered = Offered::new(&["cubic,beta=0.8", "bbrv3"])?;
//! assert_eq!(offered.name(0), Some("ack_cubic")); // for setsockopt(TCP_CONGESTION) of any socket of the machine
//! let reports = offered.report()?;
//! println!("{} decisions in time, {} late, {} by Reno", reports[0].in_time, reports[0].late, reports[0].reno);
//! drop(offered); // the controls are gone; sockets that had them go on under Reno
//! # Ok::<(), ackclock_kernel::Missing>(())
//! ```
//!
//! * [`event`]: what the kernel reports of a connection.
//! * [`answer`]: the window, threshold, burst and pacing rate that a control decides, in the kernel's units.
//! * [`offer`]: a control that can be offered, from its name and parameters.
//! * [`connection`], [`flights`]: makes the records of a control from the events of its connection.
//! * [`host`]: all connections under a control.
//! * [`recording`]: events and decisions as text.
//! * [`report`]: the numbers of decisions that came in time, came late, or were made by Reno.
//! * [`offered`]: controls while they are offered.

pub mod answer;
pub mod connection;
pub mod event;
pub mod flights;
pub mod host;
pub mod offer;
pub mod offered;
pub mod recording;
pub mod report;

pub use answer::Answer;
pub use event::Event;
pub use host::Host;
pub use offer::Offer;
pub use offered::{Missing, Offered};
pub use recording::Recording;
pub use report::Report;
