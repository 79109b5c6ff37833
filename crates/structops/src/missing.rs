//! What a machine lacks to offer controls, and what gives it.

use ackclock_kernel::Offer;
use nix::sys::utsname::uname;
use std::fs;
use std::path::Path;

/// The capabilities that are needed, by their bits (linux/capability.h).
const CAPABILITIES: [(&str, u32); 3] = [("CAP_NET_ADMIN", 12), ("CAP_PERFMON", 38), ("CAP_BPF", 39)];
/// The first kernel that holds a control by a link.
const LINKS: [u32; 2] = [6, 4];
/// The first kernel that passes the acknowledgement to a control that owns the window.
const MODELS: [u32; 2] = [6, 10];
/// What works all the same.
const WITHOUT: &str = "`ackclock run` simulates every control under the profile `linux`, and `ackclock path` runs the kernel's own controls";

/// Returns why these controls cannot be offered, or `None`.
pub fn reason(offers: &[Offer]) -> Option<String> {
    let lacks = release(offers).or_else(types).or_else(privilege)?;
    Some(format!("{lacks}. Without it, {WITHOUT}"))
}

/// Returns what an error of the kernel means.
pub fn refused(error: &libbpf_rs::Error) -> String {
    format!(
        "the kernel refuses the program: {error:#}. It needs CONFIG_BPF_SYSCALL, CONFIG_BPF_JIT and CONFIG_DEBUG_INFO_BTF. Without them, \
         {WITHOUT}"
    )
}

/// Returns the release of the running kernel.
pub fn kernel() -> String {
    uname().map(|name| name.release().to_string_lossy().into_owned()).unwrap_or_default()
}

fn release(offers: &[Offer]) -> Option<String> {
    let kernel = kernel();
    let mut numbers = kernel.split(['.', '-']).map_while(|part| part.parse().ok());
    let running = [numbers.next()?, numbers.next()?];
    let model = offers.iter().find(|offer| offer.owns_window());
    let (what, needed) = match model {
        Some(model) if running >= LINKS => (format!("`{}` owns its window, which", model.control()), MODELS),
        _ => ("a control of TCP from a program".to_owned(), LINKS),
    };
    let [major, minor] = needed;
    (running < needed).then(|| format!("{what} needs Linux {major}.{minor} or later, and this is {kernel}"))
}

fn types() -> Option<String> {
    let missing = !Path::new("/sys/kernel/btf/vmlinux").exists();
    missing.then(|| "the kernel has no type information: one with CONFIG_DEBUG_INFO_BTF is needed".to_owned())
}

fn privilege() -> Option<String> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let effective = effective.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok())?;
    let missing: Vec<&str> =
        CAPABILITIES.iter().filter(|(_, bit)| effective & (1 << bit) == 0).map(|(name, _)| *name).collect();
    if !missing.is_empty() {
        return Some(format!(
            "offering a control to the kernel needs root, and this user lacks {}",
            missing.join(", ")
        ));
    }
    let users = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    let mut users = users.split_whitespace();
    let whole = [users.next(), users.next(), users.next()] == [Some("0"), Some("0"), Some("4294967295")];
    (!whole).then(|| {
        "offering a control to the kernel needs root of the machine; root of a user namespace may not"
            .to_owned()
    })
}
