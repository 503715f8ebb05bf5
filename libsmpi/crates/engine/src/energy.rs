//! What hosts and links have consumed.
//!
//! ```text
//! host   ∫ P dt,  P = off                                 when it is off
//!                     idle                                when nothing computes on it
//!                     busy + (full − busy) · load         else; load: what it computes, as a part of what
//!                                                         it can at full speed with all cores
//! link   ∫ P dt,  P = idle + (full − idle) · usage        usage: part of its bandwidth, of both directions together
//! ```
//!
//! These are the models of SimGrid's plugins `host_energy` and `link_energy` (Heinrich et al., "Predicting the Energy
//! Consumption of MPI Applications at Scale Using a Single Node", Cluster 2017).

/// Energy in joules, up to the date at which it was asked for.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Energy {
    /// Of the hosts whose watts the platform says; nothing if there is none.
    pub hosts: Option<f64>,
    /// The part of those that were named.
    pub used_hosts: f64,
    /// Of such links.
    pub links: Option<f64>,
}

/// For how long a host has been in which state.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    /// Seconds in which something computed.
    pub busy_secs: f64,
    /// Integral of what was computed as a part of what the host can, in seconds.
    pub load_secs: f64,
    /// Seconds in which it was off.
    pub off_secs: f64,
}
