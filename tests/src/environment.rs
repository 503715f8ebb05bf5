//! What environment variables ask of tests: longer campaigns, other seeds.

/// The number in an environment variable, or the default where there is none.
///
/// # Panics
/// Where it is no number.
pub fn number(name: &str, default: u64) -> u64 {
    let Ok(text) = std::env::var(name) else { return default };
    text.parse().unwrap_or_else(|_| panic!("{name}={text}: expected a number"))
}
