//! The model LogGOPS: messages wait for the interfaces of their hosts, and for nothing in between.
//!
//! ```text
//! start    t₀ = max(now, sender free)                 sender free   = t₀ + g + G S
//! head     t₁ = max(t₀ + L, receiver free)            receiver free = end + g
//! end      t₁ + G S
//! ```
//!
//! `L` is the latency of the route and `1/G` the bandwidth of its slowest link, both times the factors of the size; `g`
//! is `network/gap`. `o`, `O` and `S` of the model are the processor's and the protocol's: `smpi/os`, `smpi/or` and
//! `smpi/send-is-detached-thresh`. A receiver serves messages in the order in which they were sent, so a message costs
//! O(1), however many are under way (Hoefler, Schneider and Lumsdaine, "LogGOPSim", HPDC 2010, §2).

/// When the interfaces of each host are free.
#[derive(Debug)]
pub(crate) struct Nics {
    gap_secs: f64,
    /// Dates at which the sender and the receiver of a host are free, by host.
    free: Vec<[f64; 2]>,
}

impl Nics {
    pub fn new(hosts: usize, gap_secs: f64) -> Nics {
        Nics { gap_secs, free: vec![[0.0; 2]; hosts] }
    }

    /// The duration of a message that starts now.
    pub fn send(&mut self, now: f64, src: u32, dst: u32, latency_secs: f64, transfer_secs: f64) -> f64 {
        let start = now.max(self.free[src as usize][0]);
        self.free[src as usize][0] = start + self.gap_secs + transfer_secs;
        let end = (start + latency_secs).max(self.free[dst as usize][1]) + transfer_secs;
        self.free[dst as usize][1] = end + self.gap_secs;
        end - now
    }
}
