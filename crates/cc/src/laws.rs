//! The window laws, one file each. To add one: write its file here, and its line in [`crate::registry`].

pub mod a_tcp;
pub mod a_tcp_p;
pub mod adaptive_strength;
pub mod africa;
pub mod alnuem;
pub mod bic;
pub mod cm;
pub mod cocoon;
pub mod cubic;
pub mod dca;
pub mod dctcp;
pub mod fast;
pub mod fractional;
pub mod hstcp;
pub mod htcp;
pub mod learning_tcp;
pub mod ltcp;
pub mod ltcp_rc;
pub mod rbcc;
pub mod rbcc_dynamic;
pub mod reno;
pub mod scalable;
pub mod tcp_k;
pub mod tcp_p;
pub mod vegas;
pub mod westwood;
