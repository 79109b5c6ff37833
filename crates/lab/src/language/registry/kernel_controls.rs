//! The congestion controls of Linux's own TCP. On real hosts they are the kernel's; in a simulation a control of ours stands
//! for each.

use ackclock_base::{Descriptor, Kind, Values};
use ackclock_cc::entry::Entry;

/// A congestion control of the kernel.
#[derive(Debug)]
pub struct KernelControl {
    /// Its name in scenarios, and one line about it.
    pub descriptor: Descriptor,
    /// Its name in the kernel (tcp_congestion_control, TCP_CONGESTION).
    pub kernel_name: &'static str,
    /// The name of the control that a simulation runs.
    stands_for: &'static str,
    /// The parameters that this control has then, as scenarios write them.
    settings: &'static [(&'static str, &'static str)],
}

/// The controls, in the order of lists.
pub const KERNEL_CONTROLS: &[KernelControl] = &[
    KernelControl {
        descriptor: descriptor(
            "linux:cubic",
            "On real hosts, the CUBIC of the Linux kernel; in a simulation, `cubic` with `variant = \"linux\"`",
            "Linux net/ipv4/tcp_cubic.c",
        ),
        kernel_name: "cubic",
        stands_for: "cubic",
        settings: &[("variant", "linux")],
    },
    KernelControl {
        descriptor: descriptor(
            "linux:reno",
            "On real hosts, the Reno of the Linux kernel; in a simulation, `newreno`",
            "Linux net/ipv4/tcp_cong.c",
        ),
        kernel_name: "reno",
        stands_for: "newreno",
        settings: &[],
    },
    KernelControl {
        descriptor: descriptor(
            "linux:bbr",
            "On real hosts, the BBRv1 of the Linux kernel; in a simulation, `bbrv1` with `extra_acked_rounds = 10`",
            "Linux net/ipv4/tcp_bbr.c",
        ),
        kernel_name: "bbr",
        stands_for: "bbrv1",
        settings: &[("extra_acked_rounds", "10")],
    },
];

const fn descriptor(name: &'static str, summary: &'static str, source: &'static str) -> Descriptor {
    Descriptor { kind: Kind::Control, name, summary, source, parameters: &[], presets: &[] }
}

impl KernelControl {
    /// Returns the control of ours that a simulation runs.
    pub fn simulated(&self) -> &'static Entry {
        let found = ackclock_cc::registry::find(self.stands_for);
        found.unwrap_or_else(|| panic!("{} stands for {}", self.stands_for, self.descriptor.name))
    }

    /// Returns the parameters that this control has then.
    pub fn values(&self) -> Values {
        Values::with(self.simulated().descriptor, self.settings)
    }
}

/// Returns the kernel's control with this name in scenarios; `None` if there is none.
pub fn find(name: &str) -> Option<&'static KernelControl> {
    KERNEL_CONTROLS.iter().find(|control| control.descriptor.name == name)
}

/// Returns the descriptors of these controls.
pub fn descriptors() -> impl Iterator<Item = &'static Descriptor> {
    KERNEL_CONTROLS.iter().map(|control| &control.descriptor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registered_control_stands_for_each() {
        for control in KERNEL_CONTROLS {
            let parameters = control.simulated().descriptor.parameters;
            assert_eq!(control.values().iter().count(), parameters.len(), "{control:?}");
            assert!(control.descriptor.name.ends_with(&format!(":{}", control.kernel_name)));
        }
    }
}
