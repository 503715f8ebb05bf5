//! The data that the ranks of a collective operation send to and expect from each other, compared pair by pair.
//!
//! For operations whose blocks differ from rank to rank: the `v` and `w` operations, scattered reductions,
//! neighbourhoods, and everything on intercommunicators, where the roots of both sides must name each other, too. The
//! comparison runs when the last rank has called the operation, if [`super::Observers::exchanges`] asks for it. Source:
//! MPI 5.0 §6.5 to §6.10 (the amount of data sent must equal the amount of data expected, pairwise between every
//! process and the root, or between all), §8.6.

use std::collections::BTreeMap;

use smpi_base::WorldRank;

use super::World;
use super::meeting::Arrival;
use crate::usage::{Items, Observation};

/// Blocks between two ranks: those that are given, and those that are expected.
type Pair<'a> = (Vec<&'a Items>, Vec<&'a Items>);

impl World {
    /// Compares the exchanges of all calls of an operation, and notes the first pair of ranks that do not agree.
    pub(super) fn compare_exchanges(&mut self, arrived: &[Arrival]) {
        let misfit = self.first_misfit(arrived);
        self.observers.observations.extend(misfit);
    }

    fn first_misfit(&self, arrived: &[Arrival]) -> Option<Observation> {
        let mut pairs: BTreeMap<(WorldRank, WorldRank), Pair> = BTreeMap::new();
        for Arrival { side, call, comm, .. } in arrived {
            let exchange = call.agreed.exchange.as_ref()?;
            for (peer, items) in exchange.gives.iter().filter(|(_, items)| !items.is_nothing()) {
                pairs.entry((side.rank, comm.peer(*peer)?)).or_default().0.push(items);
            }
            for (peer, items) in exchange.takes.iter().filter(|(_, items)| !items.is_nothing()) {
                pairs.entry((comm.peer(*peer)?, side.rank)).or_default().1.push(items);
            }
        }
        let ((giver, taker), (given, taken)) = pairs.into_iter().find(|(_, (given, taken))| !fits(given, taken))?;
        let at = |rank: WorldRank| {
            let arrival = arrived.iter().find(|arrival| arrival.side.rank == rank)?;
            Some((self.side_now(arrival), arrival.call.clone()))
        };
        let all = |items: Vec<&Items>| items.into_iter().cloned().collect();
        Some(Observation::Exchange { giver: at(giver)?, taker: at(taker)?, given: all(given), taken: all(taken) })
    }
}

/// Several blocks between the same two ranks (neighbours on both sides of a small ring) need not be listed in the same
/// order.
fn fits(given: &[&Items], taken: &[&Items]) -> bool {
    let mut left: Vec<&Items> = taken.to_vec();
    given.len() == taken.len()
        && given.iter().all(|one| {
            let place = left.iter().position(|other| one.equals(other));
            place.map(|place| left.remove(place)).is_some()
        })
}
