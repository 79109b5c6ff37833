//! The functions of `ackclock_stack.h`, as Rust calls them. All unsafe code of this crate is here.
//!
//! What a library does behind its functions cannot be checked. The user who names a file with `--stack` trusts it as a program, and
//! `ackclock` runs it in a process of its own, whose end costs one run.
#![allow(unsafe_code, reason = "Rust can call the C functions of a shared library only in unsafe code")]

use ackclock_aqm::Ecn;
use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_void};
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// The version of the boundary: `ACKCLOCK_STACK_ABI`.
pub const ABI: u32 = 1;
/// No time, or a number that a stack does not know: `ACKCLOCK_NEVER`.
pub const NEVER: u64 = u64::MAX;

/// An option, as `ackclock_option` has it.
#[repr(C)]
struct Setting {
    key: *const c_char,
    value: *const c_char,
}

/// What an end tells about itself: `ackclock_state`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct State {
    size: u64,
    pub window_bytes: u64,
    pub in_flight_bytes: u64,
    pub srtt_ns: u64,
    pub min_rtt_ns: u64,
    pub pacing_bps: u64,
    pub sent_packets: u64,
    pub lost_packets: u64,
    pub spurious_packets: u64,
    pub pto_count: u64,
    pub reductions: u64,
    pub delivered: u64,
    closed: [u8; 128],
}

impl State {
    /// Returns the state in which nothing is known.
    fn unknown() -> Self {
        Self {
            size: size_of::<Self>() as u64,
            window_bytes: NEVER,
            in_flight_bytes: NEVER,
            srtt_ns: NEVER,
            min_rtt_ns: NEVER,
            pacing_bps: NEVER,
            sent_packets: NEVER,
            lost_packets: NEVER,
            spurious_packets: NEVER,
            pto_count: NEVER,
            reductions: NEVER,
            delivered: NEVER,
            closed: [0; 128],
        }
    }

    /// Returns why the connection is closed; `None` while it is open.
    pub fn closed(&self) -> Option<String> {
        Some(text(&self.closed)).filter(|text| !text.is_empty())
    }
}

/// Returns the text of a buffer up to its zero.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

// The types of the functions, as the header declares them.
type Abi = unsafe extern "C" fn() -> u32;
type About = unsafe extern "C" fn(*const c_char) -> *const c_char;
type New = unsafe extern "C" fn(u32, u64, *const Setting, usize, u64, *mut c_char, usize) -> *mut c_void;
type Recv = unsafe extern "C" fn(*mut c_void, *mut u8, usize, u32, u64);
type SendOne = unsafe extern "C" fn(*mut c_void, *mut u8, usize, *mut u32, *mut u64, u64) -> usize;
type Timeout = unsafe extern "C" fn(*mut c_void, u64) -> u64;
type OnTimeout = unsafe extern "C" fn(*mut c_void, u64);
type Write = unsafe extern "C" fn(*mut c_void, u64, u32, u64) -> u64;
type Read = unsafe extern "C" fn(*mut c_void, u64) -> u64;
type Tell = unsafe extern "C" fn(*mut c_void, *mut State);
type Free = unsafe extern "C" fn(*mut c_void);

/// The functions of a library.
///
/// A library is never unloaded: its texts and its code stay valid as long as the process lasts.
#[derive(Debug)]
pub struct Functions {
    /// The name of the stack, once the library has told it.
    name: String,
    about: About,
    new: New,
    recv: Recv,
    send: SendOne,
    timeout: Timeout,
    on_timeout: OnTimeout,
    write: Write,
    read: Read,
    state: Tell,
    free: Free,
}

impl Functions {
    /// Loads the library in a file, which must have all functions of this version of the boundary. The error is a clause about the file.
    pub fn load(path: &Path) -> Result<Self, String> {
        let name = c_string(path.as_os_str())?;
        // SAFETY: `name` ends with a zero. What the library does as it is loaded is the user's choice (see the module). RTLD_NOW: a
        // symbol that the library lacks is found now and not in the middle of a run.
        let library = within(Call::Loading, "", 0, || unsafe {
            libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL)
        });
        let Some(library) = NonNull::new(library) else { return Err(last_error()) };
        macro_rules! function {
            ($name:literal, $type:ty) => {{
                let address = symbol(library, concat!("ackclock_stack_", $name, "\0"))?;
                // SAFETY: the header gives the function of this name this type, and the library has the ABI number of the header.
                unsafe { std::mem::transmute::<NonNull<c_void>, $type>(address) }
            }};
        }
        let abi = function!("abi", Abi);
        // SAFETY: the header asks that the library has this function with this type.
        let found = within(Call::Abi, "", 0, || unsafe { abi() });
        if found != ABI {
            return Err(format!(
                "is built for ABI {found} of ackclock_stack.h, expected ABI {ABI}: rebuild it with the header of this \
                 version of ackclock"
            ));
        }
        Ok(Self {
            name: String::new(),
            about: function!("about", About),
            new: function!("new", New),
            recv: function!("recv", Recv),
            send: function!("send", SendOne),
            timeout: function!("timeout", Timeout),
            on_timeout: function!("on_timeout", OnTimeout),
            write: function!("write", Write),
            read: function!("read", Read),
            state: function!("state", Tell),
            free: function!("free", Free),
        })
    }

    /// Sets the name of the stack, which reports of faults give.
    pub fn set_name(&mut self, name: &str) {
        name.clone_into(&mut self.name);
    }

    /// Returns a fact that the library tells about itself; empty if it tells none.
    pub fn about(&self, key: &CStr) -> String {
        // SAFETY: `key` ends with a zero, and so does what the function returns if it is not null.
        within(Call::About, &self.name, 0, || unsafe {
            let text = (self.about)(key.as_ptr());
            if text.is_null() { String::new() } else { CStr::from_ptr(text).to_string_lossy().into_owned() }
        })
    }

    /// Returns a new end. The error is the reason that the library gives.
    pub fn end(
        &self,
        role: u32,
        seed: u64,
        options: &[(CString, CString)],
        now: u64,
    ) -> Result<Handle, String> {
        let settings: Vec<Setting> =
            options.iter().map(|(key, value)| Setting { key: key.as_ptr(), value: value.as_ptr() }).collect();
        let mut error = [0_u8; 256];
        // SAFETY: the settings point to texts that outlive the call, and the library may write `error.len()` bytes to `error`.
        let end = within(Call::New, &self.name, now, || unsafe {
            let error = (error.as_mut_ptr().cast(), error.len());
            (self.new)(role, seed, settings.as_ptr(), settings.len(), now, error.0, error.1)
        });
        NonNull::new(end).map(Handle).ok_or_else(|| match text(&error) {
            reason if reason.is_empty() => "no reason given".to_owned(),
            reason => reason,
        })
    }

    /// Hands an arrived datagram to an end.
    pub fn recv(&self, end: &mut Handle, datagram: &mut [u8], ecn: Ecn, now: u64) {
        let ecn = match ecn {
            Ecn::NotCapable => 0,
            Ecn::LowLatency => 1,
            Ecn::Classic => 2,
            Ecn::Experienced => 3,
        };
        // SAFETY: `end` comes from this library and has not been freed; the datagram may be read and written.
        within(Call::Recv, &self.name, now, || unsafe {
            (self.recv)(end.0.as_ptr(), datagram.as_mut_ptr(), datagram.len(), ecn, now)
        });
    }

    /// Writes the next datagram of an end to `buffer`. Returns its length, its ECN field, and the earliest time at which it may leave;
    /// `None` if there is none.
    pub fn send(&self, end: &mut Handle, buffer: &mut [u8], now: u64) -> Option<(usize, Ecn, u64)> {
        let (mut ecn, mut at) = (0, now);
        // SAFETY: `end` comes from this library and has not been freed; the library may write `buffer.len()` bytes to the buffer.
        let length = within(Call::Send, &self.name, now, || unsafe {
            (self.send)(end.0.as_ptr(), buffer.as_mut_ptr(), buffer.len(), &mut ecn, &mut at, now)
        });
        let ecn = match ecn {
            0 => Ecn::NotCapable,
            1 => Ecn::LowLatency,
            2 => Ecn::Classic,
            _ => Ecn::Experienced,
        };
        (length > 0).then_some((length, ecn, at))
    }

    /// Returns when [`Self::on_timeout`] is due, or [`NEVER`].
    pub fn timeout(&self, end: &mut Handle, now: u64) -> u64 {
        // SAFETY: `end` comes from this library and has not been freed.
        within(Call::Timeout, &self.name, now, || unsafe { (self.timeout)(end.0.as_ptr(), now) })
    }

    /// Tells an end that its time has come.
    pub fn on_timeout(&self, end: &mut Handle, now: u64) {
        // SAFETY: `end` comes from this library and has not been freed.
        within(Call::OnTimeout, &self.name, now, || unsafe { (self.on_timeout)(end.0.as_ptr(), now) });
    }

    /// Offers bytes to the stream, or its end. Returns the number of bytes taken, or whether the end was.
    pub fn write(&self, end: &mut Handle, bytes: u64, fin: bool, now: u64) -> u64 {
        // SAFETY: `end` comes from this library and has not been freed.
        within(Call::Write, &self.name, now, || unsafe {
            (self.write)(end.0.as_ptr(), bytes, u32::from(fin), now)
        })
    }

    /// Consumes what has arrived in order. Returns the number of bytes.
    pub fn read(&self, end: &mut Handle, now: u64) -> u64 {
        // SAFETY: `end` comes from this library and has not been freed.
        within(Call::Read, &self.name, now, || unsafe { (self.read)(end.0.as_ptr(), now) })
    }

    /// Returns what an end tells about itself.
    pub fn state(&self, end: &Handle, now: u64) -> State {
        let mut state = State::unknown();
        // SAFETY: `end` comes from this library and has not been freed, and no other call is in progress; the library may write a `State`.
        within(Call::State, &self.name, now, || unsafe { (self.state)(end.0.as_ptr(), &mut state) });
        state
    }

    /// Frees an end.
    pub fn free(&self, end: Handle, now: u64) {
        // SAFETY: `end` comes from this library, and is not used after this call, which takes it.
        within(Call::Free, &self.name, now, || unsafe { (self.free)(end.0.as_ptr()) });
    }
}

/// A library's own end of a connection.
#[derive(Debug)]
pub struct Handle(NonNull<c_void>);

// SAFETY: the header asks that an end may be called from any thread, one call at a time; a `Handle` has one owner.
unsafe impl Send for Handle {}

/// Returns the address of a symbol whose name ends with a zero.
fn symbol(library: NonNull<c_void>, name: &'static str) -> Result<NonNull<c_void>, String> {
    // SAFETY: the library is loaded, and the name ends with a zero.
    let address = unsafe { libc::dlsym(library.as_ptr(), name.as_ptr().cast()) };
    NonNull::new(address).ok_or_else(|| format!("lacks the function {}", name.trim_end_matches('\0')))
}

/// Returns what the dynamic linker says of the last call that failed.
fn last_error() -> String {
    // SAFETY: the text stays until this thread's next call of the linker, and is copied at once.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return "cannot be loaded".to_owned();
    }
    // SAFETY: it is not null, so it is a text that ends with a zero.
    format!("cannot be loaded: {}", unsafe { CStr::from_ptr(text) }.to_string_lossy())
}

fn c_string(text: &OsStr) -> Result<CString, String> {
    CString::new(text.as_bytes()).map_err(|_| "has a name with a NUL character".to_owned())
}

/// A call of a library. The numbers are those of [`CALLS`].
#[derive(Clone, Copy)]
enum Call {
    Loading = 1,
    Abi,
    About,
    New,
    Recv,
    Send,
    Timeout,
    OnTimeout,
    Write,
    Read,
    State,
    Free,
}

/// What a process is doing, by the first number of a [page](watch): nothing of a library, or a call.
pub const CALLS: [&str; 13] = [
    "",
    "the code that runs when the library is loaded",
    "ackclock_stack_abi",
    "ackclock_stack_about",
    "ackclock_stack_new",
    "ackclock_stack_recv",
    "ackclock_stack_send",
    "ackclock_stack_timeout",
    "ackclock_stack_on_timeout",
    "ackclock_stack_write",
    "ackclock_stack_read",
    "ackclock_stack_state",
    "ackclock_stack_free",
];

/// The page in which another process finds what this one is doing in a library, when it has ended.
#[repr(C)]
struct Page {
    call: AtomicU64,
    now: AtomicU64,
    /// The name of the stack, with zeros up to its end.
    name: [AtomicU64; NAME_WORDS],
}

const NAME_WORDS: usize = 8;
/// The size of that page in bytes: the number of the call, the time of the simulation in nanoseconds, and the name of the stack.
pub const PAGE_BYTES: usize = size_of::<Page>();

static PAGE: AtomicPtr<Page> = AtomicPtr::new(ptr::null_mut());

/// Notes every call of a library from now on in an open file of at least [`PAGE_BYTES`], which another process can read when this one has
/// been ended by the library. Returns whether that is possible.
pub fn watch(file: RawFd) -> bool {
    let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
    let mut about = std::mem::MaybeUninit::<libc::stat>::uninit();
    // SAFETY: `fstat` fills the struct if it returns 0, and only then is it read.
    let size = unsafe {
        if libc::fstat(file as c_int, about.as_mut_ptr()) == 0 { about.assume_init().st_size } else { 0 }
    };
    if size < PAGE_BYTES as i64 {
        return false;
    }
    // SAFETY: a new mapping takes the place of no other. It stays as long as the process.
    let page = unsafe { libc::mmap(ptr::null_mut(), PAGE_BYTES, access, flags, file as c_int, 0) };
    if page == libc::MAP_FAILED {
        return false;
    }
    PAGE.store(page.cast(), Ordering::Relaxed);
    true
}

/// A call in progress, which the page tells of until this is dropped.
struct Inside;

impl Inside {
    #[inline]
    fn enter(call: Call, name: &str, now: u64) -> Self {
        if let Some(page) = page() {
            page.now.store(now, Ordering::Relaxed);
            let mut bytes = [0; 8 * NAME_WORDS];
            let length = name.len().min(bytes.len());
            bytes[..length].copy_from_slice(&name.as_bytes()[..length]);
            for (to, from) in page.name.iter().zip(bytes.chunks_exact(8)) {
                to.store(u64::from_ne_bytes(from.try_into().unwrap_or_default()), Ordering::Relaxed);
            }
            page.call.store(call as u64, Ordering::Relaxed);
        }
        Self
    }
}

impl Drop for Inside {
    #[inline]
    fn drop(&mut self) {
        if let Some(page) = page() {
            page.call.store(0, Ordering::Relaxed);
        }
    }
}

fn page() -> Option<&'static Page> {
    // SAFETY: a page that has been set stays mapped, is aligned to a page of the system, and is made of atomics, which another process may
    // read meanwhile.
    unsafe { PAGE.load(Ordering::Relaxed).as_ref() }
}

fn within<T>(call: Call, name: &str, now: u64, act: impl FnOnce() -> T) -> T {
    let _inside = Inside::enter(call, name, now);
    act()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calls_have_the_names_of_the_header() {
        let header = include_str!("../../include/ackclock_stack.h");
        assert!(header.contains(&format!("#define ACKCLOCK_STACK_ABI {ABI}\n")));
        assert_eq!(CALLS[Call::Free as usize], "ackclock_stack_free");
        for call in &CALLS[2..] {
            assert!(header.contains(&format!(" {call}(")) || header.contains(&format!("*{call}(")), "{call}");
        }
        // Eleven functions: a function more is another ABI number.
        assert_eq!(CALLS.len() - 2, 11);
    }

    #[test]
    fn a_text_ends_at_its_zero() {
        assert_eq!(text(b"why\0else"), "why");
        assert_eq!(text(b"all"), "all");
    }
}
