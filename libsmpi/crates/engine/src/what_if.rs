//! Another world: the same platform with one of its properties changed, to see what that would bring.

/// What is different. The default is the platform as it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WhatIf {
    /// Latencies are multiplied by this; 0 or more.
    pub latency: f64,
    /// Bandwidths are multiplied by this; infinite ones take no time at all.
    pub bandwidth: f64,
    /// Messages share links; else each has them for itself.
    pub contention: bool,
    /// Speeds of hosts are multiplied by this.
    pub speed: f64,
}

impl Default for WhatIf {
    fn default() -> WhatIf {
        WhatIf { latency: 1.0, bandwidth: 1.0, contention: true, speed: 1.0 }
    }
}

/// What stands for infinite bandwidths: a message of any size adds nothing to a date then.
const INFINITE: f64 = 1e30;

impl WhatIf {
    /// What bandwidths are multiplied by.
    pub fn bandwidth_factor(&self) -> f64 {
        self.bandwidth.min(INFINITE)
    }
}

/// Reads a factor.
///
/// # Errors
/// Text for the user: what was expected.
pub(crate) fn factor(value: &str, may_be_zero: bool) -> Result<f64, String> {
    let expected = if may_be_zero { "a factor of 0 or more" } else { "a factor above 0, or inf" };
    match value.parse::<f64>() {
        Ok(factor) if factor > 0.0 && (factor.is_finite() || !may_be_zero) => Ok(factor),
        Ok(0.0) if may_be_zero => Ok(0.0),
        _ => Err(format!("\"{value}\" is not valid, expected {expected}")),
    }
}
