//! Compiles the kernel's side of `ackclock-structops` with clang, if the feature `bpf` is on.

use std::env;
use std::path::PathBuf;
use std::process::Command;

const SOURCE: &str = "src/bin/structops/tcp.bpf.c";

fn main() {
    println!("cargo:rerun-if-changed={SOURCE}");
    if env::var_os("CARGO_FEATURE_BPF").is_none() {
        return;
    }
    let object = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("tcp.bpf.o");
    let arch = env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    let libbpf = env::var("DEP_BPF_INCLUDE").unwrap_or_default();
    // Version 3 of the instruction set has atomics of 32 bits, and every clang since 11 knows it. The types of Linux lie in a
    // folder of the architecture on Debian.
    let done = Command::new("clang")
        .args(["-g", "-O2", "-Wall", "-Werror", "-target", "bpf", "-mcpu=v3"])
        .arg(format!("-I{libbpf}"))
        .arg(format!("-idirafter/usr/include/{arch}-linux-gnu"))
        .args(["-c", SOURCE, "-o"])
        .arg(object)
        .status();
    match done {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("clang cannot compile {SOURCE}: {status}"),
        Err(error) => panic!("cannot run clang: {error}; `make wire` installs it"),
    }
}
