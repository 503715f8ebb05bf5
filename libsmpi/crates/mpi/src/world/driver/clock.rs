//! Time, below MPI: what takes how long, and what the date is.

use smpi_base::{SimTime, WorldRank};
use smpi_mailbox::CommId;

/// Something that took time and is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// A message has arrived: [`World::transfer_done`] is due.
    Transfer(CommId),
    /// A rank's computation or sleep is over.
    Rank(WorldRank),
    /// A rank's alarm goes off, whatever it does.
    Alarm(WorldRank),
    /// Something that another layer has asked the driver for, by its number.
    Job(u32),
}

/// What polls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Poll {
    /// `MPI_Test` and its kin.
    Test,
    /// `MPI_Iprobe` and `MPI_Improbe`.
    Probe,
}

/// What takes how long. No method has a default: whoever hands them on to another driver cannot forget one.
pub trait Clock {
    /// Simulated time since the start of the run.
    fn now(&self) -> SimTime;

    /// Whether time passes at all. Where it does not, a rank that sleeps in a loop makes no headway.
    fn time_passes(&self) -> bool;

    /// Starts to move a message of `wire_size` bytes (envelope included). It comes back as [`Ended::Transfer`], never
    /// from within this call.
    fn start_transfer(&mut self, comm: CommId, from: WorldRank, to: WorldRank, wire_size: u64);

    /// Lets `rank` hear ([`Ended::Rank`]) when `duration` has passed.
    fn start_delay(&mut self, rank: WorldRank, duration: SimTime);

    /// Lets `rank` hear when its host has computed `flops` for it.
    fn start_computation(&mut self, rank: WorldRank, flops: f64);

    /// Sets a rank's alarm to a date, or cancels it when that is infinite.
    fn set_alarm(&mut self, rank: WorldRank, date: SimTime);

    /// Goes to the next instant at which something ends, and appends what does. False when nothing ever will.
    fn advance(&mut self, ended: &mut Vec<Ended>) -> bool;

    /// What a poll takes before it looks, in seconds; 0 lets the other ranks run that are ready now. `None`: it needs
    /// no pause, because looking suspends the rank anyway.
    fn poll_takes(&mut self, rank: WorldRank, poll: Poll) -> Option<f64>;

    /// What a look at the clock takes, in seconds.
    fn look_takes(&mut self, rank: WorldRank) -> f64;

    /// Whether what happens may depend on measured times.
    fn measures(&self) -> bool;

    /// A rank leaves MPI and computes from now on.
    fn burst_begins(&mut self, rank: WorldRank);

    /// A rank enters MPI. True when it has to wait ([`Ended::Rank`]) until its host has done what it computed.
    fn burst_ends(&mut self, rank: WorldRank) -> bool;

    /// A rank is suspended, maybe in the middle of a burst.
    fn burst_pauses(&mut self, rank: WorldRank);

    /// It goes on.
    fn burst_goes_on(&mut self, rank: WorldRank);

    /// Adds seconds of this machine to the burst of a rank that it did not spend, because its program skipped what it
    /// measured before.
    fn add_to_burst(&mut self, rank: WorldRank, secs: f64);
}
