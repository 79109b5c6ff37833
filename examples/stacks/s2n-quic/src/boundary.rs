//! The functions of `ackclock_stack.h`. A panic ends the process, so none unwinds into the caller.

use crate::End;
use s2n_quic_core::time::Timestamp;
use std::ffi::{CStr, c_char};
use std::ptr;
use std::time::Duration;

const ABI: u32 = 1;
const NEVER: u64 = u64::MAX;
/// The clock of s2n-quic is ahead by this, so that no time is 0.
const AHEAD: Duration = Duration::from_secs(1);

#[repr(C)]
pub struct Choice {
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

fn time(now: u64) -> Timestamp {
    // SAFETY: this is the only source of times.
    unsafe { Timestamp::from_duration(Duration::from_nanos(now) + AHEAD) }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(NEVER)
}

#[unsafe(no_mangle)]
pub extern "C" fn ackclock_stack_abi() -> u32 {
    ABI
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_stack_about(key: *const c_char) -> *const c_char {
    // SAFETY: the host gives a text.
    let fact = match unsafe { CStr::from_ptr(key) }.to_bytes() {
        b"name" => c"s2n-quic",
        b"version" => c"1.91.0",
        b"controls" => c"cubic bbr",
        b"random" => c"",
        b"licence" => c"Apache-2.0",
        _ => return ptr::null(),
    };
    fact.as_ptr()
}

/// Returns an end, or why there is none.
fn made(role: u32, seed: u64, options: &[Choice]) -> Result<End, String> {
    let (mut control, mut datagram, mut window) = (String::new(), 0, 0);
    for option in options {
        // SAFETY: the host gives texts.
        let [key, value] =
            [option.key, option.value].map(|text| unsafe { CStr::from_ptr(text) }.to_string_lossy());
        let refused = || format!("{key} = {value} is unknown or out of range");
        match &*key {
            "control" => control = value.into_owned(),
            "datagram" => datagram = value.parse().map_err(|_| refused())?,
            "window" => window = value.parse().map_err(|_| refused())?,
            _ => return Err(refused()),
        }
    }
    End::new(role == 0, seed, &control, datagram, window)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_stack_new(
    role: u32,
    seed: u64,
    options: *const Choice,
    count: usize,
    _now: u64,
    error: *mut u8,
    error_size: usize,
) -> *mut End {
    // SAFETY: the host gives `count` options.
    let options = if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(options, count) } };
    match made(role, seed, options) {
        Ok(end) => Box::into_raw(Box::new(end)),
        Err(reason) => {
            let length = reason.len().min(error_size.saturating_sub(1));
            // SAFETY: the text and its zero fit into the buffer.
            unsafe {
                ptr::copy_nonoverlapping(reason.as_ptr(), error, length);
                *error.add(length) = 0;
            }
            ptr::null_mut()
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_stack_recv(
    end: &mut End,
    datagram: *mut u8,
    length: usize,
    ecn: u32,
    now: u64,
) {
    // SAFETY: the host lends the datagram.
    end.recv(unsafe { std::slice::from_raw_parts_mut(datagram, length) }, ecn as u8, time(now));
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_stack_send(
    end: &mut End,
    buffer: *mut u8,
    size: usize,
    ecn: &mut u32,
    _at: *mut u64,
    now: u64,
) -> usize {
    let Some((datagram, mark)) = end.send(time(now)) else { return 0 };
    assert!(datagram.len() <= size, "the datagram is larger than the buffer");
    *ecn = mark as u32;
    // SAFETY: it fits.
    unsafe { ptr::copy_nonoverlapping(datagram.as_ptr(), buffer, datagram.len()) };
    datagram.len()
}

#[unsafe(no_mangle)]
pub extern "C" fn ackclock_stack_timeout(end: &mut End, now: u64) -> u64 {
    // SAFETY: this is the only source of times.
    end.timeout().map_or(NEVER, |at| now.max(nanoseconds(unsafe { at.as_duration() }.saturating_sub(AHEAD))))
}

#[unsafe(no_mangle)]
pub extern "C" fn ackclock_stack_on_timeout(end: &mut End, _now: u64) {
    end.on_timeout();
}

#[unsafe(no_mangle)]
pub extern "C" fn ackclock_stack_write(end: &mut End, bytes: u64, fin: u32, _now: u64) -> u64 {
    end.write(bytes, fin == 1)
}

#[unsafe(no_mangle)]
pub extern "C" fn ackclock_stack_read(end: &mut End, _now: u64) -> u64 {
    end.read()
}

#[unsafe(no_mangle)]
pub extern "C" fn ackclock_stack_state(end: &mut End, state: &mut State) {
    state.delivered = end.is_delivered().into();
    let told = end.told();
    state.window_bytes = told.window.unwrap_or(NEVER);
    state.in_flight_bytes = told.in_flight.unwrap_or(NEVER);
    state.srtt_ns = told.srtt.map_or(NEVER, nanoseconds);
    state.min_rtt_ns = told.min_rtt.map_or(NEVER, nanoseconds);
    state.pacing_bps = told.pacing_bps.unwrap_or(NEVER);
    (state.sent_packets, state.lost_packets) = (told.sent, told.lost);
    if let Some(reason) = &told.closed {
        let length = reason.len().min(state.closed.len() - 1);
        state.closed[..length].copy_from_slice(&reason.as_bytes()[..length]);
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn ackclock_stack_free(end: *mut End) {
    // SAFETY: it came from `ackclock_stack_new`, and is not used again.
    drop(unsafe { Box::from_raw(end) });
}
