//! The ends of all flows, each in a thread of this process with a socket in the namespace of its host.
//!
//! A socket belongs to the namespace in which it was opened, whichever thread uses it. So no other process is needed, and
//! nothing can outlive this one.

use super::clock::Clock;
use super::hosts::Hosts;
use super::offers::Offers;
use super::sys::{Priority, RealTime};
use super::{failed, kernel_flow, stack_end};
use crate::ends::EndCounts;
use crate::flows::{Carrier, FlowFacts, RealFlow};
use crate::watch::FIRST_PORT;
use crate::{ADDRESSES, Error};
use ackclock_base::{Span, Time};
use ackclock_sim::endpoint::Endpoint;
use ackclock_sim::measure::Interval;
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// What an end needs to know.
#[derive(Clone, Copy)]
pub struct Terms<'a> {
    /// Its flow.
    pub flow: &'a FlowFacts,
    /// What is measured.
    pub measured: Interval,
    /// The time between two samples of the values over time.
    pub interval: Span,
    /// The clock of the links.
    pub clock: Clock,
    /// Set when the run ends.
    pub over: &'a AtomicBool,
}

impl Terms<'_> {
    /// Returns whether the run is over at `now`.
    pub fn is_over(&self, now: Time) -> bool {
        now >= self.measured.to || self.over.load(Ordering::Relaxed)
    }
}

/// The two ends of a flow with their sockets, the sender's first.
pub enum Ready {
    /// The sockets of the kernel's TCP, and the address of the receiver.
    Kernel(TcpStream, TcpListener, SocketAddrV4),
    /// The ends of a connection of a stack.
    Stack([(Box<dyn Endpoint>, UdpSocket); 2]),
}

/// A thread with an end.
pub type Worker<'scope> = ScopedJoinHandle<'scope, Result<EndCounts, Error>>;

/// Opens the sockets of flow number `number`.
pub fn open(hosts: &Hosts, offers: &Offers, number: usize, flow: RealFlow) -> Result<Ready, Error> {
    let RealFlow { facts, carrier } = flow;
    let (sender, receiver) = (facts.sender, 1 - facts.sender);
    let address = |host: usize| {
        let ip: Ipv4Addr = ADDRESSES[host].parse().expect("the address of a host");
        SocketAddrV4::new(ip, FIRST_PORT + number as u16)
    };
    let (from, to) = (address(sender), address(receiver));
    let namespaces = &hosts.namespaces;
    match carrier {
        Carrier::Kernel(control) => {
            let control = offers.name(&control);
            let tos = facts.dscp << 2;
            let listener = namespaces.inside(receiver, || kernel_flow::listener(control, tos, to))??;
            let sender = namespaces.inside(sender, || kernel_flow::sender(control, tos, from))??;
            Ok(Ready::Kernel(sender, listener, to))
        }
        Carrier::Stack([first, second]) => {
            let own = namespaces.inside(sender, || stack_end::socket(from, to))??;
            let other = namespaces.inside(receiver, || stack_end::socket(to, from))??;
            Ok(Ready::Stack([(first, own), (second, other)]))
        }
    }
}

/// Starts the threads of a flow. An end that fails ends the run.
pub fn start<'scope, 'env>(
    scope: &'scope Scope<'scope, 'env>,
    ready: Ready,
    terms: Terms<'env>,
) -> Result<[Worker<'scope>; 2], Error> {
    match ready {
        Ready::Kernel(sender, listener, to) => Ok([
            spawn(scope, terms, move |terms| {
                let sender = kernel_flow::send(sender, to, terms)?;
                Ok(EndCounts { sender, ..EndCounts::default() })
            })?,
            spawn(scope, terms, move |terms| {
                let delivered = kernel_flow::receive(&listener, terms)?;
                Ok(EndCounts { delivered, ..EndCounts::default() })
            })?,
        ]),
        Ready::Stack([(first, own), (second, other)]) => Ok([
            spawn(scope, terms, move |terms| stack_end::run(first, &own, terms))?,
            spawn(scope, terms, move |terms| stack_end::run(second, &other, terms))?,
        ]),
    }
}

fn spawn<'scope, 'env>(
    scope: &'scope Scope<'scope, 'env>,
    terms: Terms<'env>,
    run: impl FnOnce(&Terms<'_>) -> Result<EndCounts, Error> + Send + 'scope,
) -> Result<Worker<'scope>, Error> {
    let body = move || {
        let _real_time = RealTime::begin(Priority::Ends);
        // Timers of a thread without real-time priority otherwise expire up to 50 us late.
        let _ = nix::sys::prctl::set_timerslack(1);
        let result = run(&terms);
        if result.is_err() {
            terms.over.store(true, Ordering::Relaxed);
        }
        result
    };
    Builder::new()
        .name("flow-end".to_owned())
        .spawn_scoped(scope, body)
        .map_err(|error| failed("a thread cannot be started", error))
}
