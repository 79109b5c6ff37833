//! Two hosts in namespaces of Linux with the network between them.
//!
//! Nothing is left behind, whatever ends the run: namespaces have no names and live as long as descriptors
//! and processes in them, interfaces live in them, and the programs of the hosts are killed with the first
//! process of their process namespace, whose input ends when this process does.

mod clock;
mod drive;
mod hosts;
mod namespaces;
mod programs;
mod ring;
mod sys;

use crate::outcome::Outcome;
use crate::plan::Plan;
use crate::{Commands, Error};
use ackclock_base::Time;
use ackclock_lab::result::LinkResult;
use ackclock_sim::measure::Interval;
use drive::Drive;
use hosts::Hosts;
use programs::Programs;
use ring::Ring;

/// Runs the commands on two hosts with the planned network between them, until the first host's program ends.
/// `interrupted` is asked about every 20 ms whether the user wants to stop.
///
/// The calling thread moves into namespaces of its own. If the user is not root, it stays there, and the
/// process must have no other thread.
pub fn run(plan: Plan, commands: &Commands, interrupted: &mut dyn FnMut() -> bool) -> Result<Outcome, Error> {
    let hosts = Hosts::make(commands.control.as_deref())?;
    let rings = [Ring::open(hosts.ports[0])?, Ring::open(hosts.ports[1])?];
    let mut programs = Programs::begin()?;
    let (measured, round_trip) = (plan.measured, plan.round_trip);
    let mut drive = Drive::new(plan.links, rings);
    if !commands.server.is_empty() {
        hosts.namespaces.inside(1, || programs.start_server(&commands.server))??;
        programs.wait_for_server(&hosts.namespaces, interrupted)?;
    }
    let real_time = sys::RealTime::begin();
    drive.start()?;
    hosts.namespaces.inside(0, || programs.start_client(&commands.client, commands.quiet))??;
    let (exit_code, ended) = drive.until(|| {
        if interrupted() {
            return Err(Error::Interrupted);
        }
        programs.client_exit()
    })?;
    let is_real_time = real_time.is_granted();
    drop(real_time);
    let lost_outside = drive.lost_outside()? + hosts.dropped()?;
    // Links count what they have decided to send, which a queue may still hold at the end.
    let last_sent = drive.links().iter().flatten().map(|link| link.free_at()).fold(ended, Time::max);
    let measured = Interval { to: measured.to.min(last_sent).max(measured.from), ..measured };
    let lateness = drive.lateness.result(round_trip);
    let mut problems = lateness.problems();
    if lost_outside > 0 {
        problems.push(format!("{lost_outside} packets were lost outside of the links"));
    }
    let not_ip = drive.not_ip;
    let [forward, backward] = drive.links().map(|links| {
        links.into_iter().map(|link| LinkResult::of(link, measured)).collect::<Vec<LinkResult>>()
    });
    Ok(Outcome {
        lasted_s: ended.seconds(),
        measured_from_s: measured.from.seconds(),
        measured_to_s: measured.to.seconds(),
        forward,
        backward,
        lateness,
        lost_outside,
        not_ip,
        real_time: is_real_time,
        user_namespace: hosts.namespaces.of_user,
        control: hosts.control.clone(),
        kernel: hosts::kernel(),
        exit_code,
        problems,
    })
}

/// Returns an error about an operating system call: what was to be done, and the system's reason.
fn failed(what: &str, reason: impl std::fmt::Display) -> Error {
    Error::Failed(format!("{what}: {reason}"))
}
