//! The controls of ackclock that are offered to the kernel while flows run.

use crate::Error;
use crate::flows::InKernel;
use ackclock_kernel::{Offered, Report};
use std::path::Path;

/// Offered controls, which are gone when this is dropped.
pub struct Offers {
    wanted: Vec<String>,
    offered: Option<Offered>,
}

impl Offers {
    /// Offers these controls by `program`, which is not started if there are none.
    pub fn begin(wanted: Vec<String>, program: &Path) -> Result<Self, Error> {
        let words: Vec<&str> = wanted.iter().map(String::as_str).collect();
        let missing = |missing: ackclock_kernel::Missing| {
            Error::Failed(format!(
                "{missing}. In real time, ackclock's congestion controls also run over `transport = \"noq\"`; the kernel's \
                 own controls have names such as `\"linux:cubic\"`"
            ))
        };
        let offered =
            (!words.is_empty()).then(|| Offered::by(program, &words, None)).transpose().map_err(missing)?;
        Ok(Self { wanted, offered })
    }

    /// Returns the name of a control in the kernel. Panics if it is not offered.
    pub fn name<'a>(&'a self, control: &'a InKernel) -> &'a str {
        match control {
            InKernel::Own(name) => name,
            InKernel::Offered(wanted) => {
                let index = self.wanted.iter().position(|one| one == wanted);
                let name = self.offered.as_ref().zip(index).and_then(|(offered, index)| offered.name(index));
                name.expect("every control of a flow is offered")
            }
        }
    }

    /// Returns how decisions reached the kernel, for each control.
    pub fn reports(&mut self) -> Result<Vec<Report>, Error> {
        let reports = self.offered.as_mut().map(Offered::report).transpose();
        reports.map(Option::unwrap_or_default).map_err(|missing| Error::Failed(missing.to_string()))
    }
}
