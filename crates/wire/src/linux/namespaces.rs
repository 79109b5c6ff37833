//! Network namespaces without names: they vanish with the descriptors and processes that hold them.

use super::failed;
use crate::Error;
use nix::errno::Errno;
use nix::sched::{CloneFlags, setns, unshare};
use nix::unistd::{getegid, geteuid};
use std::fs::{self, File};
use std::os::fd::AsRawFd;

/// The namespaces of two hosts and of the network between them.
pub struct Namespaces {
    hosts: [File; 2],
    middle: File,
    /// The namespace from which the thread came; `None` if it cannot go back.
    before: Option<File>,
    /// Whether a user namespace was needed.
    pub of_user: bool,
}

impl Namespaces {
    /// Creates the namespaces and moves the calling thread into the one between the hosts.
    pub fn make() -> Result<Self, Error> {
        let before = own("net")?;
        let of_user = match unshare(CloneFlags::CLONE_NEWNET) {
            Ok(()) => false,
            Err(Errno::EPERM) => {
                enter_user_namespace()?;
                unshare_network()?;
                true
            }
            Err(error) => return Err(without_namespaces(error)),
        };
        let first = own("net")?;
        unshare_network()?;
        let second = own("net")?;
        unshare_network()?;
        Ok(Self {
            hosts: [first, second],
            middle: own("net")?,
            before: (!of_user).then_some(before),
            of_user,
        })
    }

    /// Calls `action` in the namespace of a host.
    pub fn inside<T>(&self, host: usize, action: impl FnOnce() -> T) -> Result<T, Error> {
        enter(&self.hosts[host])?;
        let result = action();
        enter(&self.middle)?;
        Ok(result)
    }

    /// Returns the path of a host's namespace, for programs that are started by this process.
    pub fn path(&self, host: usize) -> String {
        format!("/proc/{}/fd/{}", std::process::id(), self.hosts[host].as_raw_fd())
    }
}

impl Drop for Namespaces {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // If the thread cannot go back it stays in a namespace that only it knows.
            let _ = enter(before);
        }
    }
}

fn own(kind: &str) -> Result<File, Error> {
    let path = format!("/proc/thread-self/ns/{kind}");
    File::open(&path).map_err(|error| failed(&format!("{path} cannot be opened"), error))
}

fn enter(namespace: &File) -> Result<(), Error> {
    setns(namespace, CloneFlags::CLONE_NEWNET)
        .map_err(|error| failed("a network namespace cannot be entered", error))
}

fn unshare_network() -> Result<(), Error> {
    unshare(CloneFlags::CLONE_NEWNET).map_err(without_namespaces)
}

/// Enters a user namespace in which the user is root.
fn enter_user_namespace() -> Result<(), Error> {
    let (user, group) = (geteuid(), getegid());
    unshare(CloneFlags::CLONE_NEWUSER).map_err(without_namespaces)?;
    let write = |file: &str, text: &str| {
        fs::write(format!("/proc/self/{file}"), text)
            .map_err(|error| without_namespaces(Errno::from_raw(error.raw_os_error().unwrap_or_default())))
    };
    // Required before a user who is not root may map groups (user_namespaces(7)).
    write("setgroups", "deny")?;
    write("uid_map", &format!("0 {user} 1"))?;
    write("gid_map", &format!("0 {group} 1"))
}

/// Says what gives network namespaces, and what works without.
fn without_namespaces(error: Errno) -> Error {
    let reason = match error {
        Errno::EPERM | Errno::EACCES | Errno::ENOSPC | Errno::EUSERS => {
            "this user may not create them; root may, as may other users where user namespaces are allowed (sysctl \
             user.max_user_namespaces above 0, kernel.unprivileged_userns_clone = 1 on Debian, \
             kernel.apparmor_restrict_unprivileged_userns = 0 on Ubuntu; a container can add restrictions)"
        }
        Errno::EINVAL => {
            "the kernel lacks them (CONFIG_NET_NS and CONFIG_USER_NS), or this process has several threads"
        }
        _ => "the kernel refuses them",
    };
    Error::Failed(format!(
        "the two hosts need network namespaces, but {reason}: {error}. `ackclock run` simulates the same network \
         without privileges"
    ))
}
