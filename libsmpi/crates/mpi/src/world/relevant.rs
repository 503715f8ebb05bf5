//! What of causality (`causality.rs`) still matters where sends in ready mode are judged, for names of states.
//!
//! A send is compared with the receive that takes its message: was the number of that receive among its rank's known to
//! the sender? So of what is known of a rank it matters only which of the receives it knows of that may still be asked
//! about: those that a request has. Receives to come have higher numbers than any that is known, and what is known is
//! only ever joined with more. So each count stands for how many of these receives it covers, which is the same in all
//! states in which the same can happen, and has few values however long a program runs.

use smpi_base::WorldRank;
use smpi_base::digest::Digest;

use super::RankState;
use crate::usage::{Causes, Clock, Sent};

/// Of each rank, the numbers of the receives that requests have, ascending.
pub(super) struct Relevant(Vec<Vec<u32>>);

impl Relevant {
    pub fn of(ranks: &[RankState]) -> Relevant {
        let numbers = |rank: &RankState| {
            let known = rank.requests.iter().filter_map(|(_, request)| Some(request.causes.as_ref()?.number));
            let mut numbers: Vec<u32> = known.filter(|number| *number > 0).collect();
            numbers.sort_unstable();
            numbers
        };
        Relevant(ranks.iter().map(numbers).collect())
    }

    /// Adds what a clock says of these receives.
    pub fn name_clock(&self, clock: &Clock, into: &mut Digest) {
        for (rank, numbers) in (0..).map(WorldRank).zip(&self.0).filter(|(_, numbers)| !numbers.is_empty()) {
            let known = clock.knows(rank);
            into.add(numbers.partition_point(|number| *number <= known));
        }
    }

    /// Adds what a request of a rank has to do with causality.
    pub fn name_causes(&self, rank: WorldRank, causes: &Causes, into: &mut Digest) {
        // How often it was started matters of collective operations only: `Causality::name`.
        let Causes { before, posted, number, learnt, starts: _ } = causes;
        let numbers = self.0.get(rank.index()).map_or(&[][..], |numbers| numbers);
        into.add((*number > 0).then(|| numbers.partition_point(|other| other < number)));
        [before, posted, learnt].iter().for_each(|clock| self.name_clock(clock, into));
    }

    /// Adds what a message tells.
    pub fn name_sent(&self, sent: &Sent, into: &mut Digest) {
        let Sent { clock, is_ready, origin } = sent;
        self.name_clock(clock, into);
        // Two places are two findings.
        into.add(is_ready.then_some(origin));
    }
}
