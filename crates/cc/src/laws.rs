//! The controls, each in the file of its name: a window law, or the parts that it puts around another's. To add one: write
//! its file here, and its line in [`crate::registry`].

pub mod a_tcp;
pub mod a_tcp_p;
pub mod adaptive_strength;
pub mod africa;
pub mod bic;
pub mod cm;
pub mod cocoon;
pub mod combined;
pub mod cubic;
pub mod cwa;
pub mod dca;
pub mod dctcp;
pub mod fast;
pub mod fractional;
pub mod hstcp;
pub mod htcp;
pub mod learning_tcp;
pub mod ledbat;
pub mod ltcp;
pub mod ltcp_rc;
pub mod mda;
pub mod newreno;
pub mod rbcc;
pub mod rbcc_dynamic;
pub mod reno;
pub mod rta;
pub mod sack;
pub mod scalable;
pub mod spike;
pub mod tcp_k;
pub mod tcp_p;
pub mod tcp_rtt;
pub mod twa;
pub mod vegas;
pub mod westwood;
