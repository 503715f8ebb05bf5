//! Newtypes for the numbers that must not be mixed up.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Number of a rank in the whole run: its place in `MPI_COMM_WORLD` of a single-program run.
///
/// With several programs (`smpirun -np 2 ./a : -np 4 ./b`) ranks are numbered in the order of the command line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct WorldRank(pub u32);

/// What makes calls and choices: a thread of a rank. Thread 0 is the one that runs `main`; it is not written, so that
/// where ranks have one thread, agents are written as ranks.
///
/// Ordered, and as bits, agents of thread 0 are their ranks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Agent(u32);

impl Agent {
    /// How many ranks there may be where agents are named.
    pub const MOST_RANKS: u32 = 1 << 24;
    /// How many threads a rank may have there.
    pub const MOST_THREADS: u32 = 1 << 8;

    /// A thread of a rank.
    ///
    /// # Panics
    /// When there are more than [`Agent::MOST_RANKS`] or [`Agent::MOST_THREADS`].
    #[inline]
    pub fn new(rank: WorldRank, thread: u32) -> Agent {
        assert!(rank.0 < Agent::MOST_RANKS && thread < Agent::MOST_THREADS, "no agent has these numbers");
        Agent(thread << 24 | rank.0)
    }

    /// Its rank.
    #[inline]
    pub fn rank(self) -> WorldRank {
        WorldRank(self.0 & (Agent::MOST_RANKS - 1))
    }

    /// Its number among the threads of its rank.
    #[inline]
    pub fn thread(self) -> u32 {
        self.0 >> 24
    }

    /// To be kept as a number.
    #[inline]
    pub fn to_bits(self) -> u32 {
        self.0
    }

    /// From [`Agent::to_bits`].
    #[inline]
    pub fn from_bits(bits: u32) -> Agent {
        Agent(bits)
    }
}

impl From<WorldRank> for Agent {
    /// The thread of the rank that runs `main`.
    #[inline]
    fn from(rank: WorldRank) -> Agent {
        Agent::new(rank, 0)
    }
}

impl fmt::Display for Agent {
    /// `3`, or `3t1` for another thread than 0.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&agent_in_words(self.rank().0, self.thread()))
    }
}

/// How a thread of a rank is written, however many ranks there are: `3`, or `3t1` for another thread than 0.
pub fn agent_in_words(rank: u32, thread: u32) -> String {
    match thread {
        0 => rank.to_string(),
        thread => format!("{rank}t{thread}"),
    }
}

/// A text that names no agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoAgent;

impl FromStr for Agent {
    type Err = NoAgent;

    /// What is written, and nothing else: thread 0 has no number.
    fn from_str(text: &str) -> Result<Agent, NoAgent> {
        let number = |text: &str, known: Range<u32>| {
            let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|number| is_plain && known.contains(number)).ok_or(NoAgent)
        };
        let (rank, thread) = match text.split_once('t') {
            Some((rank, thread)) => (rank, number(thread, 1..Agent::MOST_THREADS)?),
            None => (text, 0),
        };
        Ok(Agent::new(WorldRank(number(rank, 0..Agent::MOST_RANKS)?), thread))
    }
}

/// Index of a host of the platform, in the order of its description.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct HostId(pub u32);

impl WorldRank {
    /// The rank as an index into per-rank tables.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl HostId {
    /// The host as an index into per-host tables.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for WorldRank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_read_as_they_are_written_and_thread_0_is_not() {
        for (text, rank, thread) in [("3", 3, 0), ("0t1", 0, 1), ("16777215t255", 16_777_215, 255)] {
            let agent: Agent = text.parse().unwrap();
            assert_eq!((agent.rank(), agent.thread(), agent.to_string().as_str()), (WorldRank(rank), thread, text));
            assert_eq!(Agent::from_bits(agent.to_bits()), agent);
        }
        for text in ["", "t1", "3t", "3t0", "+3", "-1", "3t256", "16777216", "3.1"] {
            assert_eq!(text.parse::<Agent>(), Err(NoAgent), "{text}");
        }
        assert_eq!(Agent::from(WorldRank(7)).to_bits(), 7);
    }
}
