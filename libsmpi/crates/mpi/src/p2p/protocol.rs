//! How a message travels: when its sender is released and when its bytes start moving.
//!
//! Three protocols, SMPI's (thresholds `smpi/async-small-thresh` and `smpi/send-is-detached-thresh`): *eager* messages
//! leave before a receiver is known, *detached* messages release the sender at once but move when the receiver is
//! there, *rendezvous* holds the sender until the receiver has the data.

/// Bytes that every message carries besides its payload (SMPI charges the same envelope).
pub const ENVELOPE_BYTES: u64 = 16;

/// The way of one message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    /// Moves at once; the sender does not wait.
    Eager,
    /// Moves once matched; the sender does not wait.
    Detached,
    /// Moves once matched; the sender waits for the end.
    Rendezvous,
}

/// Communication modes of MPI 5.0 §3.4.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mode {
    /// `MPI_Send`: buffered or synchronous, as the size decides.
    Standard,
    /// `MPI_Bsend`: never waits for the receiver.
    Buffered,
    /// `MPI_Ssend`: always waits for the receiver.
    Synchronous,
    /// `MPI_Rsend`: as standard; the receive must have been posted.
    Ready,
}

/// Sizes at which protocols change, in payload bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Thresholds {
    /// Messages below this size are eager (`smpi/async-small-thresh`).
    pub eager_below: u64,
    /// Other messages below this size are detached (`smpi/send-is-detached-thresh`).
    pub detached_below: u64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Thresholds { eager_below: 0, detached_below: 65_536 }
    }
}

impl Thresholds {
    /// The protocol of a message of `size` payload bytes.
    pub fn choose(&self, mode: Mode, size: u64) -> Protocol {
        match mode {
            Mode::Synchronous => Protocol::Rendezvous,
            _ if size < self.eager_below => Protocol::Eager,
            Mode::Buffered => Protocol::Detached,
            _ if size < self.detached_below => Protocol::Detached,
            _ => Protocol::Rendezvous,
        }
    }
}
