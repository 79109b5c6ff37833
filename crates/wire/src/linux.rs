//! Two hosts in namespaces of Linux with the network between them.
//!
//! Nothing is left behind, whatever ends the run: namespaces have no names and live as long as descriptors
//! and processes in them, interfaces live in them, and the programs of the hosts are killed with the first
//! process of their process namespace, whose input ends when this process does.

mod clock;
mod drive;
mod hosts;
mod kernel_flow;
mod namespaces;
mod offers;
mod port;
mod programs;
mod ring;
mod stack_end;
mod sys;
mod tun;
mod workers;

use crate::ends::EndCounts;
use crate::flows::{FlowFacts, FlowsPlan};
use crate::lateness::Lateness;
use crate::outcome::{Conditions, FlowsConditions, FlowsOutcome, Outcome};
use crate::plan::LinksPlan;
use crate::watch::Watch;
use crate::{Commands, Device, Error};
use ackclock_base::{Span, Time};
use ackclock_lab::Scenario;
use ackclock_lab::run::result::LinkResult;
use ackclock_sim::measure::Interval;
use drive::Drive;
use hosts::Hosts;
use offers::Offers;
use programs::Programs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use sys::{Priority, RealTime};
use workers::{Terms, Worker};

/// Runs the commands on two hosts with the planned network between them, until the first host's program ends.
/// `interrupted` is asked about every 20 ms whether the user wants to stop.
///
/// The calling thread moves into namespaces of its own. If the user is not root, it stays there, and the
/// process must have no other thread.
pub fn run(
    plan: LinksPlan,
    commands: &Commands,
    interrupted: &mut dyn FnMut() -> bool,
) -> Result<Outcome, Error> {
    let (hosts, ports) = Hosts::make(commands.control.as_deref(), commands.device)?;
    let mut programs = Programs::begin()?;
    let (measured, round_trip) = (plan.measured, plan.round_trip);
    let second_sends = plan.senders.first() == Some(&1);
    let mut drive = Drive::new(plan.links, plan.routes, ports, None);
    if !commands.server.is_empty() {
        hosts.namespaces.inside(1, || programs.start_server(&commands.server))??;
        programs.wait_for_server(&hosts.namespaces, interrupted)?;
    }
    let real_time = RealTime::begin(Priority::Links);
    drive.start()?;
    hosts.namespaces.inside(0, || programs.start_client(&commands.client, commands.quiet))??;
    let (exit_code, ended) = drive.until(|_| {
        if interrupted() {
            return Err(Error::Interrupted);
        }
        programs.client_exit()
    })?;
    let is_real_time = real_time.is_granted();
    drop(real_time);
    let conditions = conditions(&mut drive, &hosts, round_trip, is_real_time, 0)?;
    // Links count what they have decided to send, which a queue may still hold at the end.
    let last_sent = drive.links().iter().flatten().map(|link| link.free_at()).fold(ended, Time::max);
    let measured = Interval { to: measured.to.min(last_sent).max(measured.from), ..measured };
    let mut results = link_results(&mut drive, measured);
    if second_sends {
        results.reverse();
    }
    let [forward, backward] = results;
    Ok(Outcome {
        lasted_s: ended.seconds(),
        measured_from_s: measured.from.seconds(),
        measured_to_s: measured.to.seconds(),
        forward,
        backward,
        conditions,
        control: hosts.control.clone(),
        device: commands.device,
        exit_code,
    })
}

/// Runs the flows of a scenario on real stacks with its network between them, for its duration. `interrupted` is asked
/// about every 20 ms whether the user wants to stop. `program` offers controls of ackclock to the kernel, if a flow
/// over the kernel's TCP has one. What holds of the calling thread in [`run`] holds here.
pub fn run_flows(
    scenario: &Scenario,
    seed: u64,
    plan: FlowsPlan,
    program: &Path,
    interrupted: &mut dyn FnMut() -> bool,
) -> Result<FlowsOutcome, Error> {
    let mut offers = Offers::begin(plan.offered(), program)?;
    let FlowsPlan { network, flows, ecn } = plan;
    let (measured, round_trip) = (network.measured, network.round_trip);
    let (hosts, ports) = Hosts::make(None, Device::Packet)?;
    hosts.set_tcp(ecn)?;
    let facts: Vec<FlowFacts> = flows.iter().map(|flow| flow.facts.clone()).collect();
    let mut drive = Drive::new(network.links, network.routes, ports, Some(Watch::new(&facts, measured)));
    let ready =
        flows.into_iter().enumerate().map(|(number, flow)| workers::open(&hosts, &offers, number, flow));
    let ready = ready.collect::<Result<Vec<_>, _>>()?;

    let over = AtomicBool::new(false);
    let (counts, is_real_time) = std::thread::scope(|scope| {
        let real_time = RealTime::begin(Priority::Links);
        let clock = drive.start()?;
        let terms = |flow| Terms { flow, measured, interval: scenario.observe.interval, clock, over: &over };
        let workers = facts.iter().zip(ready).map(|(flow, ready)| workers::start(scope, ready, terms(flow)));
        let workers = workers.collect::<Result<Vec<_>, _>>();
        let driven = workers.is_ok().then(|| {
            drive.until(|now| match () {
                () if interrupted() => Err(Error::Interrupted),
                () => Ok((now >= measured.to || over.load(Ordering::Relaxed)).then_some(())),
            })
        });
        // Whatever has happened: the scope ends when all threads have.
        over.store(true, Ordering::Relaxed);
        let is_real_time = real_time.is_granted();
        drop(real_time);
        let counts = workers?.into_iter().map(both).collect::<Result<Vec<_>, _>>();
        driven.transpose()?;
        Ok((counts?, is_real_time))
    })?;

    let lost = counts.iter().flatten().map(|end| end.lost).sum();
    let mut conditions = conditions(&mut drive, &hosts, round_trip, is_real_time, lost)?;
    let stacks = counts.iter().flatten().filter_map(|end| end.lateness.as_ref());
    let stacks = stacks.cloned().reduce(Lateness::and).map(|late| late.result(round_trip));
    if let Some(stacks) = &stacks {
        conditions.problems.extend(stacks.stack_problems());
    }
    let seen = drive.finish_watch();
    let links = link_results(&mut drive, measured).into_iter().flatten().collect();
    let flows: Vec<_> = facts.into_iter().zip(counts).zip(seen).map(|((a, b), c)| (a, b, c)).collect();
    let result = crate::result::result(scenario, seed, measured, links, &flows);
    let series = crate::result::series(scenario.observe.interval, measured.to, &flows);
    let wire = FlowsConditions { conditions, stacks, controls: offers.reports()?, series };
    Ok(FlowsOutcome { result, wire })
}

/// Waits for the two ends of a flow.
fn both(workers: [Worker<'_>; 2]) -> Result<[EndCounts; 2], Error> {
    let [sender, receiver] = workers.map(|worker| match worker.join() {
        Ok(counts) => counts,
        Err(panic) => std::panic::resume_unwind(panic),
    });
    Ok([sender?, receiver?])
}

/// Returns the conditions of a run that has ended. `lost` packets were lost by sockets of this process.
fn conditions(
    drive: &mut Drive,
    hosts: &Hosts,
    round_trip: Span,
    real_time: bool,
    lost: u64,
) -> Result<Conditions, Error> {
    let lost_outside = drive.lost_outside()? + hosts.dropped()? + lost;
    let lateness = drive.lateness.result(round_trip);
    let mut problems = lateness.problems();
    if lost_outside > 0 {
        let packets = if lost_outside == 1 {
            "1 packet was".to_owned()
        } else {
            format!("{lost_outside} packets were")
        };
        problems.push(format!("{packets} lost outside the links, in sockets and interfaces of this machine"));
    }
    Ok(Conditions {
        lateness,
        lost_outside,
        not_ip: drive.not_ip,
        real_time,
        user_namespace: hosts.namespaces.of_user,
        kernel: hosts::kernel(),
        problems,
    })
}

/// Returns the results of the links of both directions.
fn link_results(drive: &mut Drive, measured: Interval) -> [Vec<LinkResult>; 2] {
    drive.links().map(|links| links.into_iter().map(|link| LinkResult::of(link, measured)).collect())
}

/// Returns an error about an operating system call: what was to be done, and the system's reason.
fn failed(what: &str, reason: impl std::fmt::Display) -> Error {
    Error::Failed(format!("{what}: {reason}"))
}
