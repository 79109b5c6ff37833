//! The two hosts: namespaces with an interface each, a veth whose other end lies in the namespace between them, or a TUN device.

use super::namespaces::Namespaces;
use super::port::Port;
use super::ring::Ring;
use super::tun::Tun;
use super::{failed, sys};
use crate::{ADDRESSES, ADDRESSES_V6, Device, Error};
use nix::net::if_::if_nametoindex;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};
use std::fs;
use std::io::Write;
use std::os::fd::AsFd;
use std::process::{Command, Stdio};

/// The two hosts.
pub struct Hosts {
    /// The namespaces.
    pub namespaces: Namespaces,
    /// The default congestion control of the hosts.
    pub control: String,
    /// The packets that interfaces dropped before the run.
    dropped_before: u64,
}

/// The interface of each host.
const INTERFACE: &str = "eth0";
/// The number of packets that a TUN device stores until they are read. It is the number of frames of a packet socket.
const TUN_PACKETS: u32 = 8192;
/// The other ends of the hosts' interfaces.
const PORTS: [&str; 2] = ["port1", "port2"];
/// The hardware addresses of the hosts' interfaces, of the range for local use (IEEE 802).
const HARDWARE: [&str; 2] = ["02:00:00:00:00:01", "02:00:00:00:00:02"];
/// Old commands of ethtool (linux/ethtool.h) that switch off what would hide packets from the links or leave
/// their checksums to hardware: checksums in sending, scatter-gather, segmentation, merging.
const OFFLOADS: [u32; 5] = [0x17, 0x19, 0x1f, 0x24, 0x2c];
const IPV6: &str = "/proc/sys/net/ipv6/conf";
const CONTROL: &str = "/proc/sys/net/ipv4/tcp_congestion_control";

impl Hosts {
    /// Creates the hosts in namespaces of their own, and moves the calling thread between them. Returns them with the ports of their
    /// interfaces.
    pub fn make(control: Option<&str>, device: Device) -> Result<(Self, [Port; 2]), Error> {
        let namespaces = Namespaces::make()?;
        set_ipv6("disable_ipv6", "1")?;
        let ports = [0, 1].map(|host| match device {
            Device::Packet => {
                add_veth(&namespaces, host)?;
                namespaces.inside(host, || set_up(host, device, control))??;
                open_packet_port(host)
            }
            Device::Tun => namespaces.inside(host, || -> Result<Port, Error> {
                let port = Tun::create(INTERFACE)?;
                set_up(host, device, control)?;
                Ok(Port::Tun(port))
            })?,
        });
        let [one, other] = ports;
        let ports = [one?, other?];
        let control = namespaces.inside(0, || fs::read_to_string(CONTROL).unwrap_or_default())?;
        let mut hosts = Self { namespaces, control: control.trim().to_owned(), dropped_before: 0 };
        hosts.dropped_before = hosts.count_dropped()?;
        Ok((hosts, ports))
    }

    /// Sets what the TCP of both hosts has for a host and not for a connection: whether it negotiates ECN, that a
    /// connection begins without what earlier ones have found out, and how large its send buffer may grow.
    pub fn set_tcp(&self, ecn: bool) -> Result<(), Error> {
        // ip-sysctl: 1 asks for ECN, 2 only grants it.
        let ecn = if ecn { "1" } else { "2" };
        for (name, value) in [("tcp_ecn", ecn), ("tcp_no_metrics_save", "1"), ("tcp_wmem", SEND_BUFFER)] {
            let path = format!("/proc/sys/net/ipv4/{name}");
            for host in 0..2 {
                let written = self.namespaces.inside(host, || fs::write(&path, value))?;
                written.map_err(|error| failed(&format!("{path} cannot be written"), error))?;
            }
        }
        Ok(())
    }

    /// Returns the number of packets that interfaces have dropped.
    pub fn dropped(&self) -> Result<u64, Error> {
        Ok(self.count_dropped()?.saturating_sub(self.dropped_before))
    }

    fn count_dropped(&self) -> Result<u64, Error> {
        let hosts = (0..2).map(|host| self.namespaces.inside(host, dropped_here)?);
        std::iter::once(dropped_here()).chain(hosts).sum()
    }
}

/// The least, the first and the largest size of a send buffer in bytes, of which data is about half. The first two are Linux's. Its
/// largest one, 4 MB, holds less than what BBR sends in Startup over 100 Mbit/s and 100 ms: every sample of the rate then counts as
/// limited by the application, and BBR never leaves Startup.
const SEND_BUFFER: &str = "4096 16384 67108864";

/// Returns the kernel's release.
pub fn kernel() -> String {
    fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().trim().to_owned()
}

/// Adds the interface of a host, with its other end in the namespace of the calling thread.
fn add_veth(namespaces: &Namespaces, host: usize) -> Result<(), Error> {
    let (port, path) = (PORTS[host], namespaces.path(host));
    ip(&format!("link add {port} type veth peer name {INTERFACE} netns {path}\nlink set {port} arp off up\n"))
}

/// Opens the port at the other end of a host's interface.
fn open_packet_port(host: usize) -> Result<Port, Error> {
    let name = PORTS[host];
    let index =
        if_nametoindex(name).map_err(|error| failed(&format!("interface {name} cannot be found"), error))?;
    Ring::open(index).map(Port::Packet)
}

/// Sets up the interface of a host, in its namespace.
fn set_up(host: usize, device: Device, control: Option<&str>) -> Result<(), Error> {
    let socket = socket(AddressFamily::Inet, SockType::Datagram, SockFlag::SOCK_CLOEXEC, None)
        .map_err(|error| failed("a socket cannot be opened", error))?;
    for command in OFFLOADS {
        sys::switch_off(socket.as_fd(), INTERFACE, command).map_err(|error| {
            failed(
                &format!("ethtool command {command:#x} cannot switch off an offload of {INTERFACE}"),
                error,
            )
        })?;
    }
    let other = 1 - host;
    // One segment at a time is sent, also where a program asks for segmentation of its datagrams.
    let of_device = match device {
        Device::Packet => format!("address {}", HARDWARE[host]),
        Device::Tun => format!("txqueuelen {TUN_PACKETS}"),
    };
    ip(&format!(
        "link set lo up\nlink set {INTERFACE} {of_device} gso_max_segs 1\naddr add {}/24 dev {INTERFACE}\n",
        ADDRESSES[host]
    ))?;
    if has_ipv6() {
        set_ipv6("disable_ipv6", "0")?;
        // Without an address for the link alone, nothing looks for routers.
        let address = ADDRESSES_V6[host];
        ip(&format!("link set {INTERFACE} addrgenmode none\naddr add {address}/64 dev {INTERFACE} nodad\n"))?;
    }
    ip(&format!("link set {INTERFACE} up\n"))?;
    if device == Device::Packet {
        // Neighbours are permanent, so neither ARP nor neighbour solicitations cross the links. A TUN device has none.
        let addresses = [Some(ADDRESSES[other]), has_ipv6().then_some(ADDRESSES_V6[other])];
        for address in addresses.into_iter().flatten() {
            let hardware = HARDWARE[other];
            ip(&format!("neigh replace {address} lladdr {hardware} nud permanent dev {INTERFACE}\n"))?;
        }
    }
    let Some(control) = control else { return Ok(()) };
    fs::write(CONTROL, control).map_err(|error| {
        let allowed = fs::read_to_string("/proc/sys/net/ipv4/tcp_allowed_congestion_control");
        Error::Failed(format!(
            "`{control}` cannot be the default congestion control of the hosts ({error}): in a network namespace, \
             the kernel accepts only controls that unprivileged users may set{}; a program can set another control on \
             its own socket, as `iperf3 -C {control}` does",
            allowed.map_or_else(|_| String::new(), |allowed| format!(" (here {})", allowed.trim()))
        ))
    })
}

/// Sets a parameter of IPv6 for the interfaces of the calling thread's namespace, those that there are and
/// those to come.
fn set_ipv6(parameter: &str, value: &str) -> Result<(), Error> {
    for which in ["all", "default"] {
        let path = format!("{IPV6}/{which}/{parameter}");
        if has_ipv6() {
            fs::write(&path, value).map_err(|error| failed(&format!("{path} cannot be written"), error))?;
        }
    }
    Ok(())
}

/// Returns whether the kernel has IPv6.
fn has_ipv6() -> bool {
    fs::exists(IPV6).unwrap_or(false)
}

/// Passes commands to iproute2's `ip`, in the namespace of the calling thread.
fn ip(commands: &str) -> Result<(), Error> {
    let missing = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            Error::Failed("the program `ip` is missing: install iproute2".to_owned())
        }
        _ => failed("`ip` cannot be run", error),
    };
    let mut child = Command::new("ip")
        .args(["-batch", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(missing)?;
    if let Some(mut input) = child.stdin.take() {
        // If `ip` ends early, its own message says why.
        let _ = input.write_all(commands.as_bytes());
    }
    let output = child.wait_with_output().map_err(missing)?;
    if output.status.success() {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&output.stderr);
    let message = message.lines().next().unwrap_or("it printed no error");
    let hint = if message.contains("Unknown device type") { "; the kernel needs CONFIG_VETH" } else { "" };
    Err(Error::Failed(format!("`ip` cannot set up the hosts: {message}{hint}")))
}

/// Returns the number of packets that the interfaces of the calling thread's namespace have dropped, in both
/// directions.
fn dropped_here() -> Result<u64, Error> {
    let path = "/proc/thread-self/net/dev";
    let text = fs::read_to_string(path).map_err(|error| failed(&format!("{path} cannot be read"), error))?;
    Ok(dropped_in(&text))
}

/// Reads the columns of dropped packets, the fourth in each direction of eight.
fn dropped_in(text: &str) -> u64 {
    let rows = text.lines().filter_map(|line| Some(line.split_once(':')?.1));
    let fields = rows.flat_map(|row| row.split_whitespace().enumerate());
    fields.filter(|(column, _)| column % 8 == 3).filter_map(|(_, value)| value.parse::<u64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_of_all_interfaces_are_counted_in_both_directions() {
        let text = "Inter-|   Receive                |  Transmit\n \
                    face |bytes packets errs drop fifo frame compressed multicast|bytes packets errs drop fifo colls carrier compressed\n    \
                    lo:  10 1 0 2 0 0 0 0  10 1 0 0 0 0 0 0\n  \
                    eth0: 999 8 0 30 0 0 0 0 777 6 5 400 0 0 0 0\n";
        assert_eq!(dropped_in(text), 432);
    }
}
