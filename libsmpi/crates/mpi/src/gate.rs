//! Atomic collectives, for the checker: an operation happens when all ranks of the communicator have called it.
//!
//! The schedules then run through at once, as their messages cannot be seen from outside. That makes every collective
//! synchronise, which the standard allows for all of them (MPI 5.0 §6.1): a program that relies on one that does not is
//! wrong. `--collectives p2p` leaves the gates open and verifies the algorithms' own messages.

use smpi_base::WorldRank;
use smpi_base::map::Map;
use smpi_checker::history::History;
use smpi_mailbox::Context;

use crate::comm::Traffic;
use crate::request::Body;
use crate::world::{Fabric, World};

/// Who has arrived at which operation: context of the communicator's collectives and number of the operation.
pub(crate) type Gates = Map<(Context, i32), Vec<(WorldRank, u32)>>;

impl World {
    /// Makes collective operations atomic, or not.
    pub fn set_atomic_collectives(&mut self, atomic: bool) {
        self.gates = atomic.then(Gates::default);
    }

    /// A rank has called a collective operation; the last one opens the gate for all.
    pub(crate) fn pass_gate(&mut self, fabric: &mut dyn Fabric, rank: WorldRank, slot: u32) {
        let Some(Body::Collective(collective)) = self.ranks[rank.index()].requests.at_slot(slot).map(|r| &r.body)
        else {
            return;
        };
        let (comm, name) = (&collective.comm, collective.call.name);
        let members = comm.group.size() + comm.remote.as_ref().map_or(0, |group| group.size());
        let key = (comm.context_of(Traffic::Collective), collective.tag);
        let Some(gates) = &mut self.gates else { return };
        let arrived = gates.entry(key).or_default();
        arrived.push((rank, slot));
        if arrived.len() < members as usize {
            return;
        }
        let mut arrived = gates.remove(&key).unwrap_or_default();
        arrived.sort_unstable();
        self.tape_collective(name, &arrived);
        let noted = self.notes.len();
        for &other in &arrived[1..] {
            self.compare_calls(arrived[0], other);
        }
        if self.notes.len() == noted {
            self.compare_exchanges(&arrived);
        }
        let mut history = History::EMPTY;
        for &(rank, slot) in &arrived {
            if let Some(request) = self.ranks[rank.index()].requests.at_slot(slot) {
                history.join(&request.history);
            }
        }
        for &(rank, slot) in &arrived {
            if let Some(request) = self.ranks[rank.index()].requests.at_slot_mut(slot) {
                request.history.join(&history);
                request.posted = request.history.clone();
            }
        }
        for (rank, slot) in arrived {
            self.advance(fabric, rank, slot);
        }
    }
}
