//! The disciplines, one file each.

pub mod adaptive_red;
pub mod apace;
pub mod avq;
pub mod bc_pqp;
pub mod blue;
pub mod choke;
pub mod codel;
pub mod droptail;
pub mod drr;
pub mod dualpi2;
pub mod fair_policer;
pub mod fq_codel;
pub mod paqm;
pub mod phantom_queue;
pub mod pi;
pub mod pie;
pub mod red;
pub mod red_diff;
pub mod scepter;
pub mod sfb;
pub mod sfq;
pub mod shaper;
pub mod sred;
pub mod srtcm;
pub mod token_bucket;
pub mod trtcm;
