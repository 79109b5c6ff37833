//! A control that is offered to the kernel's sockets: what a user asks for, checked.

use ackclock_adapter::{Plan, Refusal, Stack};
use ackclock_cc::entry::Build;
use ackclock_cc::{Assembly, Part, registry};

/// What the kernel tells a control, and what it honours.
pub const LINUX: Stack =
    Stack { name: "Linux's TCP", honours_rates: true, names_packets: false, counts_marks: true };
/// The longest name of a control in the kernel (`TCP_CA_NAME_MAX` with its zero).
pub const NAME_BYTES: usize = 15;

/// A control as it runs under the kernel's TCP: with the slow start that Linux gives it, unless another is part of the control.
#[derive(Clone, Debug)]
pub struct Offer {
    specification: String,
    plan: Plan,
}

impl Offer {
    /// Reads `NAME` or `NAME,PARAMETER=VALUE,...`, such as `cubic,beta=0.8`.
    ///
    /// # Errors
    /// When there is no such control or parameter, a value is misspelt or out of range, or the control cannot run under the kernel.
    pub fn read(specification: &str) -> Result<Self, Refusal> {
        let mut words = specification.split(',').map(str::trim);
        let name = words.next().unwrap_or_default();
        let mut plan = Plan::named(name, LINUX)?;
        for word in words {
            let (parameter, value) = word.split_once('=').unwrap_or((word, ""));
            plan = plan.with(parameter.trim(), value.trim())?;
        }
        let entry = registry::find(name).ok_or_else(|| Refusal::Unknown { name: name.to_owned() })?;
        let slow_start = entry.published.slow_start_in_linux.and_then(registry::find_layer);
        let layer =
            slow_start.map(|layer| Part { name: layer.descriptor.name, values: layer.descriptor.defaults() });
        Ok(Self { specification: specification.to_owned(), plan: plan.within(layer) })
    }

    /// What was asked for.
    pub fn specification(&self) -> &str {
        &self.specification
    }

    /// The name of the control in the registry.
    pub fn control(&self) -> &'static str {
        self.plan.descriptor().name
    }

    /// Returns a name for the kernel that is not in `taken`: `ack_` and the control's name, cut to 15 characters, with a number
    /// where that is taken. The kernel allows letters, digits, `_` and `.`.
    pub fn kernel_name(&self, taken: &[String]) -> String {
        let plain: String =
            self.control().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let name = |suffix: &str| {
            let mut name = format!("ack_{plain}");
            name.truncate(NAME_BYTES - suffix.len());
            name + suffix
        };
        std::iter::once(name(""))
            .chain((2_u32..).map(|number| name(&format!("_{number}"))))
            .find(|name| !taken.contains(name))
            .unwrap_or_default()
    }

    /// Returns whether the control owns the window in every state, and is paced by the kernel. Otherwise the kernel reduces the
    /// window in recovery by itself (PRR).
    pub fn owns_window(&self) -> bool {
        let is_model =
            registry::find(self.control()).is_some_and(|entry| matches!(entry.build, Build::Model(_)));
        is_model || self.plan.decides_rate()
    }

    /// Returns whether the control counts marks, so that its connections ask for ECN.
    pub fn counts_marks(&self) -> bool {
        self.plan.counts_marks()
    }

    /// Returns whether connections to one destination share a control.
    pub fn is_group(&self) -> bool {
        self.plan.is_group()
    }

    /// Makes what connections get their controls from.
    pub fn assembly(&self) -> Assembly {
        self.plan.assembly()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_the_kernel_and_are_unique() {
        let offer = |name| Offer::read(name).unwrap_or_else(|refusal| panic!("{refusal}"));
        assert_eq!(offer("cubic").kernel_name(&[]), "ack_cubic");
        assert_eq!(offer("rbcc-dynamic").kernel_name(&[]), "ack_rbcc_dynami");
        let mut taken: Vec<String> = Vec::new();
        for entry in registry::CONTROLS {
            let Ok(offer) = Offer::read(entry.descriptor.name) else { continue };
            for _again in 0..2 {
                let name = offer.kernel_name(&taken);
                assert!(name.len() <= NAME_BYTES && !taken.contains(&name), "{name}");
                assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{name}");
                taken.push(name);
            }
        }
        assert_eq!(offer("cubic").kernel_name(&taken), "ack_cubic_3");
    }

    #[test]
    fn models_own_the_window_and_others_leave_recovery_to_the_kernel() {
        let owners: Vec<&str> = registry::CONTROLS
            .iter()
            .filter_map(|entry| Offer::read(entry.descriptor.name).ok())
            .filter(Offer::owns_window)
            .map(|offer| offer.control())
            .collect();
        assert_eq!(owners, ["bbrv1", "bbrv3", "prague", "copa", "c4", "vivace"]);
    }

    #[test]
    fn a_specification_has_parameters_and_its_mistakes_are_named() {
        let message = |text| Offer::read(text).map(|_| ()).unwrap_err().to_string();
        assert!(Offer::read("cubic,beta=0.8, c = 0.3").is_ok());
        assert_eq!(message("kubic"), "there is no congestion control called \"kubic\"");
        assert!(message("cubic,betta=0.8").starts_with("cubic has no parameter \"betta\"; its parameters: "));
        assert!(message("cubic,beta").starts_with("beta is \"\", but must be "));
        assert!(message("spike").starts_with("spike does not run under Linux's TCP: "));
    }
}
