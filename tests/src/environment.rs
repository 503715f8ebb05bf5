//! What tests are run with: what environment variables ask for (longer campaigns, other seeds), and how many threads.

/// The number in an environment variable, or the default where there is none.
///
/// # Panics
/// Where it is no number.
pub fn number(name: &str, default: u64) -> u64 {
    let Ok(text) = std::env::var(name) else { return default };
    text.parse().unwrap_or_else(|_| panic!("{name}={text}: expected a number"))
}

/// Threads that run programs: one more than there are processors, because each spends some of its time waiting for the
/// end of a process.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from) + 1
}
