//! CPU time.

/// CPU time of this process in seconds, user and system: fields 14 and 15 of /proc/self/stat would come in ticks of
/// 10 ms; schedstat counts nanoseconds. That of a running process is brought up to date at the scheduler's ticks alone, up to 10 ms
/// apart, so what is measured has to take many of them.
pub fn seconds() -> Result<f64, String> {
    let text =
        std::fs::read_to_string("/proc/self/schedstat").map_err(|error| format!("CPU time: {error}"))?;
    let nanoseconds: Option<f64> = text.split_whitespace().next().and_then(|field| field.parse().ok());
    nanoseconds.map(|ns| ns / 1e9).ok_or_else(|| "CPU time: /proc/self/schedstat has another form".to_owned())
}
