//! noq behind `ackclock_stack.h`: the code that runs inside the simulator, as a library. Its runs equal those of `transport = "noq"`, number by
//! number, which tests of the boundary compare. `cargo build -p ackclock-stacks --example noq_library` builds it.
#![allow(
    unsafe_code,
    reason = "the functions of the boundary take pointers from C, as the header describes them"
)]

use ackclock_aqm::Ecn;
use ackclock_stacks::library::ABI;
use ackclock_stacks::{Connection, Control, Stack, noq, packing};
use bytes::{Bytes, BytesMut};
use std::ffi::{CStr, c_char};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// An end, which C knows by its address only.
pub struct End {
    connection: Box<dyn Connection>,
    /// Whether it is the client, which writes.
    writes: bool,
    /// The receiver's window in bytes.
    window: u64,
}

/// `ackclock_option`.
#[repr(C)]
pub struct Setting {
    key: *const c_char,
    value: *const c_char,
}

/// `ackclock_state`.
#[repr(C)]
pub struct State {
    size: u64,
    window_bytes: u64,
    in_flight_bytes: u64,
    srtt_ns: u64,
    min_rtt_ns: u64,
    pacing_bps: u64,
    sent_packets: u64,
    lost_packets: u64,
    spurious_packets: u64,
    pto_count: u64,
    reductions: u64,
    delivered: u64,
    closed: [u8; 128],
}

static NOQ: noq::Noq = noq::Noq;
static EPOCH: LazyLock<Instant> = LazyLock::new(Instant::now);
static DATA: [u8; 65_536] = [7; 65_536];
/// The least bytes that are buffered, as inside.
const LEAST_BUFFER: u64 = 1 << 16;

fn at(now: u64) -> Instant {
    *EPOCH + Duration::from_nanos(now)
}

/// Copies a text with a zero at its end.
///
/// # Safety
/// `to` may be written for `size` bytes, which are at least one.
unsafe fn put(text: &str, to: *mut u8, size: usize) {
    let length = text.len().min(size - 1);
    // SAFETY: `length` is less than `size`, and a text of Rust does not overlap with the buffer.
    unsafe {
        text.as_ptr().copy_to_nonoverlapping(to, length);
        *to.add(length) = 0;
    }
}

#[unsafe(no_mangle)]
extern "C" fn ackclock_stack_abi() -> u32 {
    ABI
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ackclock_stack_about(key: *const c_char) -> *const c_char {
    // SAFETY: the host gives a text with a zero at its end.
    let fact = match unsafe { CStr::from_ptr(key) }.to_bytes() {
        b"name" => c"noq-library",
        b"version" => c"1.4",
        b"controls" => c"cubic newreno",
        b"random" => c"",
        b"licence" => c"Apache-2.0 OR MIT",
        _ => return std::ptr::null(),
    };
    fact.as_ptr()
}

/// Returns an end with these options, and an error as a text.
fn new_end(role: u32, seed: u64, options: &[(String, String)], now: u64) -> Result<End, String> {
    let (mut control, mut datagram, mut window) = (String::new(), 0, 0);
    for (key, value) in options {
        let wrong = |_| format!("{key} = {value}");
        match key.as_str() {
            "control" => control = format!("noq:{value}"),
            "datagram" => datagram = value.parse().map_err(wrong)?,
            "window" => window = value.parse().map_err(wrong)?,
            _ => return Err(format!("there is no option {key}")),
        }
    }
    let own = NOQ.own().into_iter().find(|own| own.descriptor.name == control);
    let control = Control::Own(own.ok_or_else(|| format!("there is no control {control}"))?);
    let mut packing = packing(&control, datagram, 0, 0);
    packing.window = window;
    let [client, server] = NOQ.connections(&control, &packing, 0).connect(seed / 2);
    let mut connection = if role == 0 { client } else { server };
    if role == 0 {
        connection.connect(at(now));
    }
    Ok(End { connection, writes: role == 0, window })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ackclock_stack_new(
    role: u32,
    seed: u64,
    options: *const Setting,
    count: usize,
    now: u64,
    error: *mut u8,
    size: usize,
) -> *mut End {
    // SAFETY: the host gives `count` options, whose texts end with a zero.
    let options: Vec<(String, String)> = unsafe { std::slice::from_raw_parts(options, count) }
        .iter()
        .map(|option| {
            // SAFETY: as above.
            [option.key, option.value]
                .map(|text| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
        })
        .map(|[key, value]| (key, value))
        .collect();
    match new_end(role, seed, &options, now) {
        Ok(end) => Box::into_raw(Box::new(end)),
        Err(reason) => {
            // SAFETY: the host gives a buffer of this size.
            unsafe { put(&reason, error, size) };
            std::ptr::null_mut()
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ackclock_stack_recv(
    end: &mut End,
    datagram: *const u8,
    length: usize,
    ecn: u32,
    now: u64,
) {
    // SAFETY: the host gives a datagram of this length.
    let datagram = BytesMut::from(unsafe { std::slice::from_raw_parts(datagram, length) });
    let ecn = [Ecn::NotCapable, Ecn::LowLatency, Ecn::Classic, Ecn::Experienced][ecn as usize & 3];
    end.connection.receive(at(now), datagram, ecn);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ackclock_stack_send(
    end: &mut End,
    buffer: *mut u8,
    size: usize,
    ecn: &mut u32,
    _time: &mut u64,
    now: u64,
) -> usize {
    let mut datagram = Vec::with_capacity(size);
    let Some(field) = end.connection.transmit(at(now), &mut datagram) else { return 0 };
    *ecn = match field {
        Ecn::NotCapable => 0,
        Ecn::LowLatency => 1,
        Ecn::Classic => 2,
        Ecn::Experienced => 3,
    };
    assert!(datagram.len() <= size, "a datagram of {} bytes", datagram.len());
    // SAFETY: the host gives a buffer of `size` bytes, and the datagram is no longer.
    unsafe { datagram.as_ptr().copy_to_nonoverlapping(buffer, datagram.len()) };
    datagram.len()
}

#[unsafe(no_mangle)]
extern "C" fn ackclock_stack_timeout(end: &mut End, now: u64) -> u64 {
    let due = |at: Instant| (at.saturating_duration_since(*EPOCH).as_nanos() as u64).max(now);
    end.connection.timeout().map_or(u64::MAX, due)
}

#[unsafe(no_mangle)]
extern "C" fn ackclock_stack_on_timeout(end: &mut End, now: u64) {
    end.connection.expire(at(now));
}

#[unsafe(no_mangle)]
extern "C" fn ackclock_stack_write(end: &mut End, bytes: u64, fin: u32, _now: u64) -> u64 {
    if !end.writes {
        return 0;
    }
    let window = end.connection.state().window_bytes.unwrap_or(0).min(end.window);
    end.connection.set_buffer(2 * window + LEAST_BUFFER);
    if fin == 1 {
        return u64::from(end.connection.finish());
    }
    let most = bytes.min(DATA.len() as u64) as usize;
    end.connection.write(Bytes::from_static(&DATA[..most])) as u64
}

#[unsafe(no_mangle)]
extern "C" fn ackclock_stack_read(end: &mut End, _now: u64) -> u64 {
    end.connection.read()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ackclock_stack_state(end: &mut End, out: &mut State) {
    let state = end.connection.state();
    let known = |value: Option<u64>| value.unwrap_or(u64::MAX);
    out.window_bytes = known(state.window_bytes);
    out.sent_packets = known(state.sent_packets);
    out.lost_packets = known(state.lost_packets);
    out.reductions = known(state.congestion_events);
    out.srtt_ns = known(state.rtt.map(|rtt| rtt.nanos()));
    out.delivered = u64::from(end.connection.is_delivered());
    if let Some(closed) = state.closed {
        // SAFETY: the buffer has this length.
        unsafe { put(&closed, out.closed.as_mut_ptr(), out.closed.len()) };
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ackclock_stack_free(end: *mut End) {
    // SAFETY: the host gives an end that `ackclock_stack_new` has returned, and does not use it again.
    drop(unsafe { Box::from_raw(end) });
}
