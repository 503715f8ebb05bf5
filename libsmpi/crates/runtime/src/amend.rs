//! Calls of the program as if they were written otherwise, to try what would help where it fails.
//!
//! What is amended is a line of the program: each call there does something else from then on, and everything else
//! follows from that as if the program had been written so. How many calls a rank has made there belongs to its state
//! ([`crate::state::RankRun::amended`]). To know what a line has, an execution can be noted: the calls that can be
//! amended, in the order in which they were made.
//!
//! *Nothing here calls MPI: the functions of MPI ask.*

use std::collections::BTreeMap;

use smpi_base::WorldRank;
use smpi_mpi::p2p::protocol::{Mode, Thresholds};
use smpi_mpi::p2p::request::RequestKey;
use smpi_mpi::usage::Origin;

/// What calls at a line do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Amendment {
    /// Receives and blocking probes of any source name one, as a rank of their communicator: for each rank of the world
    /// that of each of its calls at the line. Where there is none, a call asks for any source.
    Sources(Vec<Vec<Option<i32>>>),
    /// Sends of standard mode are synchronous, or buffered with room for every message.
    Sends(Mode),
    /// Blocking collective operations wait in a barrier of their communicator before they begin.
    Barrier,
}

/// A line that is amended.
#[derive(Clone, Debug)]
pub struct Amended {
    /// What its calls do.
    pub amendment: Amendment,
    /// What is known of places of ranks: whether they are at the line. A rank cannot look that up, and a place that
    /// nobody knows is taken to be elsewhere, and stands here without an answer.
    pub places: BTreeMap<(WorldRank, Origin), Option<bool>>,
}

impl Amended {
    /// Whether a rank's call is at the line.
    pub fn is_at(&mut self, rank: WorldRank, origin: Origin) -> bool {
        self.places.entry((rank, origin)).or_insert(None).unwrap_or(false)
    }
}

/// A call that can be amended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Call {
    /// A receive or probe of any source.
    AnySource {
        /// Its request, if it has one.
        request: Option<RequestKey>,
        /// The source of the message that it took, a rank of its communicator.
        took: Option<i32>,
    },
    /// A send of standard mode.
    StandardSend,
    /// A blocking collective operation.
    Collective,
}

/// A call of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Noted {
    /// Who made it.
    pub rank: WorldRank,
    /// Where.
    pub origin: Origin,
    /// What it is.
    pub call: Call,
}

/// What is amended, and what is noted. Neither in a simulation.
#[derive(Default, Debug)]
pub struct Amend {
    /// The line that is amended.
    pub amended: Option<Amended>,
    noted: Option<Vec<Noted>>,
}

impl Amend {
    /// Whether calls have to ask at all.
    #[inline(always)]
    pub fn is_asked(&self) -> bool {
        self.amended.is_some() || self.noted.is_some()
    }

    /// Notes calls from now on.
    pub fn start_notes(&mut self) {
        self.noted = Some(Vec::new());
    }

    /// Ends that, and hands the calls over.
    pub fn take_notes(&mut self) -> Vec<Noted> {
        self.noted.take().unwrap_or_default()
    }

    /// Notes a call, if calls are noted.
    pub fn note(&mut self, noted: Noted) {
        if let Some(all) = &mut self.noted {
            all.push(noted);
        }
    }

    /// A rank's receive has taken a message of this source.
    pub fn note_taken(&mut self, rank: WorldRank, request: RequestKey, source: i32) {
        let asked = Call::AnySource { request: Some(request), took: None };
        let mut noted = self.noted.iter_mut().flatten().rev();
        // A key is not used again while its request is there.
        if let Some(noted) = noted.find(|noted| noted.rank == rank && noted.call == asked) {
            noted.call = Call::AnySource { request: Some(request), took: Some(source) };
        }
    }
}

/// Room for every message.
pub const ROOM: Thresholds = Thresholds { eager_below: 0, detached_below: u64::MAX };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receive_knows_its_source_once_it_is_over() {
        let mut amend = Amend::default();
        let key = RequestKey { slot: 3, generation: 1 };
        let rank = WorldRank(1);
        let note = |call| Noted { rank, origin: Origin::default(), call };
        amend.note(note(Call::StandardSend));
        assert!(amend.take_notes().is_empty() && !amend.is_asked());
        amend.start_notes();
        amend.note(note(Call::AnySource { request: Some(key), took: None }));
        amend.note(note(Call::AnySource { request: Some(RequestKey { slot: 4, ..key }), took: None }));
        amend.note_taken(WorldRank(0), key, 7);
        amend.note_taken(rank, key, 2);
        let took = [Some(2), None];
        let noted = amend.take_notes();
        let is =
            |(noted, took): (&Noted, Option<i32>)| matches!(noted.call, Call::AnySource { took: t, .. } if t == took);
        assert!(noted.iter().zip(took).all(is) && noted.len() == 2);
    }

    #[test]
    fn a_place_that_nobody_knows_is_remembered() {
        let origin = Origin { site: 9, ..Origin::default() };
        let places = BTreeMap::from([((WorldRank(0), origin), Some(true))]);
        let mut amended = Amended { amendment: Amendment::Barrier, places };
        assert!(amended.is_at(WorldRank(0), origin) && !amended.is_at(WorldRank(1), origin));
        assert_eq!(amended.places.get(&(WorldRank(1), origin)), Some(&None));
    }
}
