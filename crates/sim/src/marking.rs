//! The ECN field of packets of a transport that uses ECN.

use ackclock_aqm::Ecn;
use ackclock_base::choice;

choice! {
    /// The ECN field of packets, with `ecn`.
    pub enum EcnField {
        /// The field that the control implies.
        Auto = "auto",
        /// ECT(0).
        Ect0 = "ect0",
        /// ECT(1).
        Ect1 = "ect1",
    }
}

impl EcnField {
    /// Returns the chosen ECN field; `None` for the field that the control implies.
    pub fn field(self) -> Option<Ecn> {
        match self {
            Self::Ect0 => Some(Ecn::Classic),
            Self::Ect1 => Some(Ecn::LowLatency),
            Self::Auto => None,
        }
    }
}
