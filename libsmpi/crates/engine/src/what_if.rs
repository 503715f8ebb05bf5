//! Another world: the same platform with one of its properties changed, to see what that would bring.

use smpi_settings::WhatIf;

/// What stands for infinite bandwidths: a message of any size adds nothing to a date then.
const INFINITE: f64 = 1e30;

/// What bandwidths are multiplied by.
pub(crate) fn bandwidth_factor(what_if: &WhatIf) -> f64 {
    what_if.bandwidth.min(INFINITE)
}
