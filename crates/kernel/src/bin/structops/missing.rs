//! What a machine lacks to offer controls, and what gives it.

use ackclock_kernel::Offer;
use libbpf_rs::{MapHandle, MapType};
use nix::sys::utsname::uname;
use std::fs;
use std::path::Path;

/// The capabilities that are needed, by their bits (linux/capability.h).
const CAPABILITIES: [(&str, u32); 3] = [("CAP_NET_ADMIN", 12), ("CAP_PERFMON", 38), ("CAP_BPF", 39)];
/// The first kernel that holds a control by a link.
const LINKS: [u32; 2] = [6, 4];
/// The first kernel that passes the acknowledgement to a control that owns the window.
const MODELS: [u32; 2] = [6, 10];
/// The type information of the kernel.
const TYPES: &str = "/sys/kernel/btf/vmlinux";
/// What works all the same.
const WITHOUT: &str = "`ackclock run` simulates every congestion control under the profile `linux`, and `ackclock path` runs the kernel's own controls";

/// What the kernel knows the controls of BPF programs by; it has them with `CONFIG_BPF_JIT` only.
const CONTROLS: &[u8] = b"bpf_struct_ops_tcp_congestion_ops";

/// Returns why these controls cannot be offered, or `None`.
pub fn reason(offers: &[Offer]) -> Option<String> {
    let lacks = release(offers).or_else(types).or_else(privilege)?;
    Some(format!("{lacks}. Otherwise, {WITHOUT}"))
}

/// Returns what an error of the kernel means: that it lacks what [`reason`] does not look for, or a fault of the program.
pub fn rejected(error: &libbpf_rs::Error) -> String {
    if let Some(lacks) = compiler().or_else(calls) {
        return format!("{lacks}. Otherwise, {WITHOUT}");
    }
    let release = kernel();
    format!(
        "Linux {release} rejects the BPF program: {error:#}. This is a bug in ackclock: please report it with this \
         whole message. Until it is fixed, {WITHOUT}"
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
        Some(model) if running >= LINKS => {
            (format!("`{}` sets its own window, which", model.control()), MODELS)
        }
        _ => ("a congestion control in BPF".to_owned(), LINKS),
    };
    let [major, minor] = needed;
    (running < needed).then(|| format!("{what} needs Linux {major}.{minor} or later, found {kernel}"))
}

fn types() -> Option<String> {
    let missing = !Path::new(TYPES).exists();
    missing.then(|| {
        "the kernel has no type information (BTF): boot one built with CONFIG_DEBUG_INFO_BTF and CONFIG_BPF_SYSCALL"
            .to_owned()
    })
}

fn compiler() -> Option<String> {
    let types = fs::read(TYPES).ok()?;
    if !types.windows(CONTROLS.len()).any(|bytes| bytes == CONTROLS) {
        return Some(
            "the kernel cannot load congestion controls in BPF: boot one built with CONFIG_BPF_JIT"
                .to_owned(),
        );
    }
    // Only the first network namespace shows it.
    let enabled = fs::read_to_string("/proc/sys/net/core/bpf_jit_enable").ok()?;
    (enabled.trim() == "0").then(|| {
        "the kernel's BPF JIT compiler is off: run `sysctl net.core.bpf_jit_enable=1` as root".to_owned()
    })
}

fn privilege() -> Option<String> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let effective = effective.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok())?;
    let missing: Vec<&str> =
        CAPABILITIES.iter().filter(|(_, bit)| effective & (1 << bit) == 0).map(|(name, _)| *name).collect();
    if !missing.is_empty() {
        return Some(format!(
            "offering a congestion control to the kernel requires root, but this process lacks {}",
            missing.join(", ")
        ));
    }
    let users = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    let mut users = users.split_whitespace();
    let whole = [users.next(), users.next(), users.next()] == [Some("0"), Some("0"), Some("4294967295")];
    (!whole).then(|| {
        "offering a congestion control to the kernel requires root on the host; root in a user namespace is not enough"
            .to_owned()
    })
}

/// Tries the smallest call to the kernel, which a container may forbid even to root.
fn calls() -> Option<String> {
    let options = libbpf_sys::bpf_map_create_opts {
        sz: size_of::<libbpf_sys::bpf_map_create_opts>() as u64,
        ..Default::default()
    };
    let error = MapHandle::create(MapType::Array, Some("probe"), 4, 4, 1, &options).err()?;
    Some(format!(
        "the kernel rejects all bpf() calls of this process, which containers often block even for root: {error}"
    ))
}
