//! The 22 example cases of draft-ietf-ccwg-bbr, appendix A: a sender with `bbrv3` over one bottleneck, which
//! each case changes as the draft says. Where the draft leaves numbers open, they are chosen here. Where its
//! text and its pseudo-code disagree, or a set-up does not reach the branch that it is meant for (cases 4, 5,
//! 6, 7, 9, 18), the comment at the case says how it is interpreted.

mod aggregation;
mod bench;
mod changes;
mod probing;
mod round_trips;
mod spurious;
mod startup;
