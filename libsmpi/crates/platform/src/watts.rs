//! What hosts and links draw, in watts.

use std::ops::Range;

/// The power of a host (SimGrid's plugin `host_energy`: `Idle:Epsilon:AllCores`).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HostWatts {
    /// When nothing computes.
    pub idle: f64,
    /// What the power tends to when hardly anything computes: a host that is awake.
    pub busy: f64,
    /// When all cores compute. In between, the power grows with the part of the cores that do.
    pub full: f64,
    /// When it is off.
    pub off: f64,
}

/// The power of a link, which grows with the part of its bandwidth that is in use (SimGrid's plugin `link_energy`).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LinkWatts {
    /// When nothing crosses it.
    pub idle: f64,
    /// When its whole bandwidth is in use, in both directions if it has two.
    pub full: f64,
}

/// A power of many hosts or links that follow each other.
#[derive(Clone, PartialEq, Debug)]
pub struct Powered<W> {
    /// Their indices.
    pub range: Range<u32>,
    /// What each of them draws.
    pub watts: W,
}
