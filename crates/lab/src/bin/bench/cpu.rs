//! Measurement of CPU time.

/// Returns the CPU time of this process in seconds, user and system. It reads schedstat, which counts
/// nanoseconds; fields 14 and 15 of /proc/self/stat have ticks of 10 ms. The counter of a running process is
/// updated only at the scheduler's ticks, up to 10 ms apart, so a measurement has to take many of them.
pub fn seconds() -> Result<f64, String> {
    let text =
        std::fs::read_to_string("/proc/self/schedstat").map_err(|error| format!("CPU time: {error}"))?;
    let nanoseconds: Option<f64> = text.split_whitespace().next().and_then(|field| field.parse().ok());
    nanoseconds.map(|ns| ns / 1e9).ok_or_else(|| "CPU time: cannot parse /proc/self/schedstat".to_owned())
}
