//! Real-time priority. All `unsafe` code of this package is in this file.

#![expect(unsafe_code, reason = "no safe function sets the scheduler; the block says why it is sound")]

/// The priority among real-time processes. Any will do: the default of others is lower.
const PRIORITY: i32 = 20;

/// Asks for SCHED_FIFO for the calling thread. Without it, an answer comes too late whenever other work runs. Returns whether the kernel
/// has granted it.
pub fn begin() -> bool {
    let parameter = libc::sched_param { sched_priority: PRIORITY };
    // SAFETY: the kernel reads `parameter`, which lives until the call returns.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, &parameter) == 0 }
}
