//! Stacks in shared libraries, behind the C boundary of `ackclock_stack.h`, which is in the folder `include` of this crate.

mod boundary;

use self::boundary::{Functions, Handle, NEVER};
use crate::connection::{Connection, Connections, State};
use crate::control::{Control, Factory as AnyFactory, OwnControl, own};
use crate::end::{EPOCH, Packing};
use crate::stack::Stack;
use ackclock_adapter::Stack as Adapted;
use ackclock_aqm::Ecn;
use ackclock_base::{Descriptor, Span};
use bytes::{Bytes, BytesMut};
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

pub use boundary::{ABI, CALLS, PAGE_BYTES, watch};

/// The number of times that an end may be due at one time, before its library is taken to be stuck.
const MOST_WAKES: u32 = 10_000;
/// The number of datagrams that an end may send at one time, before its library is taken to be stuck.
const MOST_SENDS: u32 = 1_000_000;
/// The number of bytes that an end may take from its application at one time, before its library is taken to hold
/// whatever it is offered: more than any window.
const MOST_TAKEN: u64 = 1 << 30;

/// The datagrams with which options are tried before the first run.
const USUAL_DATAGRAM: u32 = 1472;

/// The options that every end has. The user sets none of them.
pub const OPTIONS: [&str; 3] = ["control", "datagram", "window"];

/// What a library tells about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The name of the stack, which scenarios give as the transport.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its congestion controls, the default first.
    pub controls: Vec<String>,
    /// What differs between runs with equal seeds; empty if nothing does.
    pub random: String,
    /// An SPDX expression.
    pub licence: String,
}

impl Facts {
    /// Returns the facts that a library tells. The error is a clause about the library.
    fn of(functions: &Functions) -> Result<Self, String> {
        let name = functions.about(c"name");
        if name.is_empty() || !name.bytes().all(|one| matches!(one, b'a'..=b'z' | b'0'..=b'9' | b'-')) {
            return Err(format!("reports the name {name:?}, expected lower-case letters, digits and '-'"));
        }
        let controls: Vec<String> =
            functions.about(c"controls").split_whitespace().map(str::to_owned).collect();
        if controls.is_empty() {
            return Err(format!(
                "({name}) names no congestion control: ackclock_stack_about(\"controls\") must name at least one"
            ));
        }
        if let Some(twice) =
            controls.iter().enumerate().find(|(at, one)| controls[..*at].contains(one)).map(|(_, one)| one)
        {
            return Err(format!(
                "({name}) names the congestion control {twice:?} twice: ackclock_stack_about(\"controls\") must name \
                 each once"
            ));
        }
        Ok(Self {
            name,
            version: functions.about(c"version"),
            controls,
            random: functions.about(c"random"),
            licence: functions.about(c"licence"),
        })
    }
}

/// A stack in a shared library. It is known by what the library has told, and [loaded](Self::load) only in the process that runs it.
#[derive(Debug)]
pub struct Library {
    path: PathBuf,
    /// The options of the user, for every end.
    options: Vec<(CString, CString)>,
    facts: Facts,
    name: &'static str,
    controls: Vec<&'static Descriptor>,
    functions: OnceLock<Functions>,
}

impl Library {
    /// Loads the library in a file, asks what it is, and tries whether it takes the user's options with one of its controls. The error is a
    /// sentence that begins with the path.
    pub fn inspect(path: &Path, options: &[(String, String)]) -> Result<Facts, String> {
        let say = |clause: String| format!("{}: {clause}", path.display());
        let mut functions = Functions::load(path).map_err(|clause| say(format!("the library {clause}")))?;
        let facts = Facts::of(&functions).map_err(|clause| say(format!("the library {clause}")))?;
        functions.set_name(&facts.name);
        let given = c_options(options).map_err(say)?;
        let mut refusal = None;
        for control in &facts.controls {
            let options = with_own(&given, control, USUAL_DATAGRAM, 1 << 24);
            match functions.end(0, 0, &options, 0) {
                Ok(end) => {
                    functions.free(end, 0);
                    return Ok(facts);
                }
                Err(reason) => refusal = refusal.or(Some(reason)),
            }
        }
        Err(say(format!("{} refuses: {}", facts.name, refusal.unwrap_or_default())))
    }

    /// Describes a library that has been [inspected](Self::inspect). Its names live as long as the program.
    pub fn new(path: PathBuf, options: &[(String, String)], facts: Facts) -> Result<Self, String> {
        let name: &'static str = facts.name.clone().leak();
        let source: &'static str = format!("{name} {}", facts.version).leak();
        let controls = facts.controls.iter().map(|control| {
            let name = format!("{name}:{control}").leak();
            &*Box::leak(Box::new(own(
                name,
                "A congestion control of a QUIC stack in a shared library",
                source,
            )))
        });
        let controls = controls.collect();
        let options = c_options(options)?;
        Ok(Self { path, options, facts, name, controls, functions: OnceLock::new() })
    }

    /// Loads the library into this process, unless it has been. The error is a sentence that begins with the path.
    pub fn load(&self) -> Result<(), String> {
        if self.functions.get().is_some() {
            return Ok(());
        }
        let say = |clause: String| format!("{}: the library {clause}", self.path.display());
        let mut functions = Functions::load(&self.path).map_err(say)?;
        let found = Facts::of(&functions).map_err(say)?;
        if found != self.facts {
            return Err(say("has changed since the command began: run the command again".to_owned()));
        }
        functions.set_name(self.name);
        // Another thread may have been faster: then its functions, which are the same, are kept.
        let _ = self.functions.set(functions);
        Ok(())
    }

    /// Returns the name of the stack.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns what the library tells about itself.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    fn functions(&self) -> &Functions {
        self.functions
            .get()
            .unwrap_or_else(|| panic!("the library of {} is not loaded in this process", self.name))
    }
}

/// Returns options as C has them. The error says which text has a zero.
fn c_options(options: &[(String, String)]) -> Result<Vec<(CString, CString)>, String> {
    let c = |text: &String| {
        CString::new(text.as_str()).map_err(|_| format!("the option {text:?} contains a NUL character"))
    };
    options.iter().map(|(key, value)| Ok((c(key)?, c(value)?))).collect()
}

/// Returns the options of an end: its own, then those of the user.
fn with_own(
    given: &[(CString, CString)],
    control: &str,
    datagram: u32,
    window: u64,
) -> Vec<(CString, CString)> {
    let values = [control.to_owned(), datagram.to_string(), window.to_string()];
    let own = OPTIONS.iter().zip(values).map(|(key, value)| {
        let c = |text: &str| CString::new(text).expect("names from C contain no NUL character");
        (c(key), c(&value))
    });
    own.chain(given.iter().cloned()).collect()
}

impl Stack for Library {
    fn name(&self) -> &'static str {
        self.name
    }

    fn facts(&self) -> Option<Adapted> {
        None
    }

    fn own(&'static self) -> Vec<OwnControl> {
        let control = |descriptor: &&'static Descriptor| OwnControl {
            descriptor,
            is_random: !self.facts.random.is_empty(),
            factory: AnyFactory::Library(Factory { library: self, control: control_of(descriptor) }),
        };
        self.controls.iter().map(control).collect()
    }

    fn connections(&'static self, control: &Control, packing: &Packing, _seed: u64) -> Box<dyn Connections> {
        let Control::Own(OwnControl { factory: AnyFactory::Library(factory), .. }) = control else {
            panic!("{control:?} is not a control of {}", self.name)
        };
        let options = with_own(&self.options, factory.control, packing.datagram, packing.window);
        Box::new(Maker { library: self, options: options.into(), datagram: packing.datagram as usize })
    }
}

/// Returns the name of a control within its stack.
fn control_of(descriptor: &'static Descriptor) -> &'static str {
    descriptor.name.split_once(':').map_or(descriptor.name, |(_, control)| control)
}

/// A control of a library.
#[derive(Clone, Copy, Debug)]
pub struct Factory {
    library: &'static Library,
    control: &'static str,
}

impl Factory {
    /// Returns the name of the stack.
    pub fn stack(&self) -> &'static str {
        self.library.name
    }
}

/// Makes connections whose ends have the same options.
struct Maker {
    library: &'static Library,
    options: Arc<[(CString, CString)]>,
    datagram: usize,
}

impl Connections for Maker {
    fn connect(&mut self, seed: u64) -> [Box<dyn Connection>; 2] {
        let taken = Arc::new(AtomicU64::new(0));
        [0, 1].map(|role| {
            let end = End {
                library: self.library,
                options: Arc::clone(&self.options),
                role,
                seed: seed.wrapping_mul(2).wrapping_add(u64::from(role)),
                handle: None,
                space: vec![0; self.datagram],
                held: None,
                now: 0,
                wakes: 0,
                sends: 0,
                takes: 0,
                taken: Arc::clone(&taken),
                read: 0,
                refused: None,
            };
            Box::new(end) as Box<dyn Connection>
        })
    }
}

/// A datagram in the end's space, which the stack has stamped with a later time.
struct Held {
    length: usize,
    ecn: Ecn,
    at: u64,
}

/// One end of a connection of a library's stack.
struct End {
    /// The library, which is loaded when the end begins: others may build a run that they do not make.
    library: &'static Library,
    options: Arc<[(CString, CString)]>,
    role: u32,
    seed: u64,
    /// The library's own end; `None` before the connection begins, and if the library refuses to make one.
    handle: Option<Handle>,
    space: Vec<u8>,
    held: Option<Held>,
    /// The time of the last call.
    now: u64,
    /// How often the end was due, how many datagrams it has sent, and how many bytes it has taken from its application,
    /// since time last went on.
    wakes: u32,
    sends: u32,
    takes: u64,
    /// The number of bytes that the client has taken from its application, which both ends share.
    taken: Arc<AtomicU64>,
    /// The number of bytes that the end has handed to its application.
    read: u64,
    /// Why the library has refused to make an end.
    refused: Option<String>,
}

impl End {
    fn at(&mut self, now: Instant) -> u64 {
        let now = u64::try_from(now.duration_since(*EPOCH).as_nanos()).unwrap_or(NEVER);
        if now > self.now {
            (self.now, self.wakes, self.sends, self.takes) = (now, 0, 0, 0);
        }
        self.now
    }

    fn open(&mut self) {
        match self.library.functions().end(self.role, self.seed, &self.options, self.now) {
            Ok(handle) => self.handle = Some(handle),
            Err(reason) => self.refused = Some(format!("the library created no connection: {reason}")),
        }
    }

    /// Fails the run. What follows the name of the library is a clause.
    fn fail(&self, clause: &str) -> ! {
        panic!("{} {clause}, at {} s", self.library.name, self.now as f64 * 1e-9)
    }
}

impl Connection for End {
    fn connect(&mut self, now: Instant) {
        self.at(now);
        self.open();
    }

    fn receive(&mut self, now: Instant, mut datagram: BytesMut, ecn: Ecn) {
        let now = self.at(now);
        if self.handle.is_none() && self.refused.is_none() {
            self.open();
        }
        if let Some(end) = &mut self.handle {
            self.library.functions().recv(end, &mut datagram, ecn, now);
        }
    }

    fn transmit(&mut self, now: Instant, buffer: &mut Vec<u8>) -> Option<Ecn> {
        let now = self.at(now);
        let end = self.handle.as_mut()?;
        if self.held.is_none() {
            let (length, ecn, at) = self.library.functions().send(end, &mut self.space, now)?;
            self.held = Some(Held { length, ecn, at });
        }
        let held = self.held.take_if(|held| held.at <= now)?;
        if held.length > self.space.len() {
            self.fail(&format!(
                "sent a datagram of {} bytes, expected at most {} bytes",
                held.length,
                self.space.len()
            ));
        }
        self.sends += 1;
        if self.sends > MOST_SENDS {
            self.fail(&format!("sent more than {MOST_SENDS} datagrams without time advancing"));
        }
        buffer.extend_from_slice(&self.space[..held.length]);
        Some(held.ecn)
    }

    fn timeout(&mut self) -> Option<Instant> {
        let end = self.handle.as_mut()?;
        let timeout = self.library.functions().timeout(end, self.now);
        let at = self.held.as_ref().map_or(NEVER, |held| held.at).min(timeout);
        if at == NEVER { None } else { EPOCH.checked_add(Duration::from_nanos(at)) }
    }

    fn expire(&mut self, now: Instant) {
        let now = self.at(now);
        let Some(end) = &mut self.handle else { return };
        if self.library.functions().timeout(end, now) > now {
            return; // the time of the datagram that is held
        }
        self.library.functions().on_timeout(end, now);
        self.wakes += 1;
        if self.wakes > MOST_WAKES {
            self.fail(&format!(
                "still had a timer due after {MOST_WAKES} calls of ackclock_stack_on_timeout without time advancing"
            ));
        }
    }

    fn write(&mut self, data: Bytes) -> usize {
        let Some(end) = &mut self.handle else { return 0 };
        let taken = self.library.functions().write(end, data.len() as u64, false, self.now) as usize;
        if taken > data.len() {
            self.fail(&format!(
                "accepted {taken} bytes in ackclock_stack_write, but was offered only {}",
                data.len()
            ));
        }
        self.taken.fetch_add(taken as u64, Ordering::Relaxed);
        self.takes += taken as u64;
        if self.takes > MOST_TAKEN {
            self.fail(
                "accepted more than 1 GiB in ackclock_stack_write without time advancing: accept only what the \
                 send buffer holds",
            );
        }
        taken
    }

    fn set_buffer(&mut self, _bytes: u64) {}

    fn finish(&mut self) -> bool {
        self.handle.as_mut().is_some_and(|end| self.library.functions().write(end, 0, true, self.now) > 0)
    }

    fn read(&mut self) -> u64 {
        let Some(end) = &mut self.handle else { return 0 };
        let read = self.library.functions().read(end, self.now);
        self.read = self.read.saturating_add(read);
        let taken = self.taken.load(Ordering::Relaxed);
        if self.read > taken {
            self.fail(&format!(
                "delivered {} bytes in ackclock_stack_read, but the client has accepted only {taken} bytes",
                self.read
            ));
        }
        read
    }

    fn is_delivered(&self) -> bool {
        self.handle.as_ref().is_some_and(|end| self.library.functions().state(end, self.now).delivered == 1)
    }

    fn state(&mut self) -> State {
        let Some(end) = &self.handle else {
            return State { closed: self.refused.clone(), ..State::default() };
        };
        let state = self.library.functions().state(end, self.now);
        let known = |value: u64| (value != NEVER).then_some(value);
        State {
            window_bytes: known(state.window_bytes),
            in_flight_bytes: known(state.in_flight_bytes),
            rtt: known(state.srtt_ns).map(Span::from_nanos),
            least_rtt: known(state.min_rtt_ns).map(Span::from_nanos),
            pacing_bps: known(state.pacing_bps),
            sent_packets: known(state.sent_packets),
            lost_packets: known(state.lost_packets),
            spurious_packets: known(state.spurious_packets),
            probe_timeouts: known(state.pto_count),
            congestion_events: known(state.reductions),
            closed: state.closed(),
        }
    }

    fn publish(&self, _series: &mut dyn FnMut(&'static str, f64)) {}
}

impl Drop for End {
    fn drop(&mut self) {
        if let Some(end) = self.handle.take() {
            self.library.functions().free(end, self.now);
        }
    }
}
