//! What takes time in a simulation.

use crate::places::Place;

/// What takes time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum What {
    /// A rank computes.
    Compute,
    /// A rank is busy with a call of MPI: overheads of sends, receives and polls.
    Overhead,
    /// A rank sleeps.
    Sleep,
    /// A message travels.
    Transfer,
    /// Data of a file travels, or is read or written.
    File,
}

impl What {
    /// How many there are.
    pub const COUNT: usize = What::File as usize + 1;
}

/// An activity. Dates and durations are in simulated seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Activity {
    /// What it is.
    pub what: What,
    /// Whose it is; of a message the sender.
    pub rank: u32,
    /// The receiver of a message; else the rank itself.
    pub peer: u32,
    /// The call that it belongs to; of a computation the call that it comes after.
    pub place: Place,
    /// Payload of a message.
    pub bytes: u64,
    /// When it began.
    pub start: f64,
    /// When it was over; as long as it is not, the same as `start`.
    pub end: f64,
    /// How long a message takes that shares its links with no other.
    pub alone_secs: f64,
    /// The number of a message among all events, where these are kept.
    pub number: u64,
    /// The number of a message's sender and receiver among all pairs, where these are told apart.
    pub pair: u32,
    /// It is a message that the program itself has sent, and not a collective operation or an access to a window.
    pub is_programs: bool,
    /// When a message was sent, others were there that its receiver had not asked for yet.
    pub wrong_order: bool,
}

impl Activity {
    /// Something that a rank does, and that begins now.
    pub fn of_rank(what: What, rank: u32, place: Place, now: f64) -> Activity {
        let (peer, start, end, pair) = (rank, now, now, u32::MAX);
        Activity {
            what,
            rank,
            peer,
            place,
            bytes: 0,
            start,
            end,
            alone_secs: 0.0,
            number: 0,
            pair,
            is_programs: false,
            wrong_order: false,
        }
    }

    /// The part of its duration that it would not have had alone, from 0 to 1.
    pub fn contention(&self) -> f64 {
        let secs = self.end - self.start;
        if self.what == What::Transfer && secs > 0.0 { ((secs - self.alone_secs) / secs).clamp(0.0, 1.0) } else { 0.0 }
    }
}
