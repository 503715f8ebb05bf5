//! How ranks that create a topology together compare their arguments, and collect each rank's part.
//!
//! As in `crate::agreements`: a rank leaves its part before a synchronising operation and reads the result
//! after it. The operation costs simulated time; the tables cost none.

use std::sync::Arc;

use smpi_base::map::Map;

use crate::comm::Place;
use crate::error::{ErrorClass, MpiError, Result};
use crate::topology::Topology;
use crate::topology::dist_graph::{DistGraph, Edge};

/// A topology that all ranks give as a whole.
#[derive(Clone, Debug)]
struct Common {
    topology: Arc<Topology>,
    /// Some rank gave another one.
    differs: bool,
    read: u32,
}

/// A graph that every rank gives a part of.
#[derive(Clone, Debug, Default)]
struct Collected {
    /// (contributing rank, its edges); sorted once all are there.
    parts: Vec<(u32, Vec<Edge>)>,
    /// Ranks that gave weights.
    weighted: u32,
    /// The parts of the result, made by the first rank that asks.
    graphs: Vec<DistGraph>,
    read: u32,
}

/// The creations in progress.
#[derive(Clone, Debug, Default)]
pub struct Meetings {
    common: Map<Place, Common>,
    collected: Map<Place, Collected>,
}

impl Meetings {
    /// Whether no creation is under way.
    pub fn is_idle(&self) -> bool {
        self.common.is_empty() && self.collected.is_empty()
    }

    /// Tells the others which topology this rank was given.
    pub fn propose(&mut self, place: Place, topology: Topology) {
        if let Some(common) = self.common.get_mut(&place) {
            common.differs |= *common.topology != topology;
            return;
        }
        let common = Common { topology: Arc::new(topology), differs: false, read: 0 };
        self.common.insert(place, common);
    }

    /// The topology that all have proposed; one copy for all of them. To be called once by each of the `readers`,
    /// after a synchronisation. Without one, ranks that come later may have proposed another one.
    ///
    /// # Errors
    /// `MPI_ERR_NOT_SAME` on all ranks when any two differ; without a synchronisation on those that come later.
    pub fn agreed(&mut self, place: Place, readers: u32) -> Result<Arc<Topology>> {
        let Some(common) = self.common.get_mut(&place) else { return Err(different()) };
        let found = if common.differs { Err(different()) } else { Ok(Arc::clone(&common.topology)) };
        common.read += 1;
        if common.read == readers {
            self.common.remove(&place);
        }
        found
    }

    /// Contributes edges of a distributed graph.
    pub fn contribute(&mut self, place: Place, rank: u32, edges: Vec<Edge>, weighted: bool) {
        let collected = self.collected.entry(place).or_default();
        collected.parts.push((rank, edges));
        collected.weighted += u32::from(weighted);
    }

    /// The part of `rank` in the graph made of all contributions: in the order of the ranks that gave them. To be
    /// called once by each of the `ranks`, after a synchronisation.
    ///
    /// # Errors
    /// `MPI_ERR_NOT_SAME` on all ranks when only some gave weights.
    pub fn collect(&mut self, place: Place, rank: u32, ranks: u32) -> Result<DistGraph> {
        let Some(collected) = self.collected.get_mut(&place) else { return Err(different()) };
        if collected.read == 0 {
            collected.parts.sort_by_key(|part| part.0);
            let edges = std::mem::take(&mut collected.parts).into_iter().flat_map(|part| part.1);
            collected.graphs = DistGraph::distribute(ranks, edges, collected.weighted > 0);
        }
        let found = if collected.weighted == 0 || collected.weighted == ranks {
            Ok(collected.graphs.get_mut(rank as usize).map(std::mem::take).unwrap_or_default())
        } else {
            let text = "some ranks pass MPI_UNWEIGHTED and some pass weights; allowed: all the same";
            Err(MpiError::new(ErrorClass::NOT_SAME, text))
        };
        collected.read += 1;
        if collected.read == ranks {
            self.collected.remove(&place);
        }
        found
    }
}

fn different() -> MpiError {
    MpiError::new(ErrorClass::NOT_SAME, "the ranks of the communicator describe different topologies in this call")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::Cart;

    const PLACE: Place = Place { parent: 4, number: 7, side: 0 };

    fn line(ranks: i32) -> Topology {
        Topology::Cart(Cart::new([(ranks, false)]).unwrap())
    }

    #[test]
    fn equal_topologies_are_shared_and_different_ones_refused() {
        let mut meetings = Meetings::default();
        meetings.propose(PLACE, line(2));
        meetings.propose(PLACE, line(2));
        let first = meetings.agreed(PLACE, 2).unwrap();
        assert!(Arc::ptr_eq(&first, &meetings.agreed(PLACE, 2).unwrap()));
        meetings.propose(PLACE, line(2));
        meetings.propose(PLACE, line(1));
        for _ in 0..2 {
            assert_eq!(meetings.agreed(PLACE, 2).unwrap_err().class, ErrorClass::NOT_SAME);
        }
        assert!(meetings.common.is_empty());
    }

    #[test]
    fn edges_come_in_the_order_of_the_ranks_that_gave_them() {
        let mut meetings = Meetings::default();
        let edge = |weight| Edge { from: 0, to: 1, weight };
        meetings.contribute(PLACE, 1, vec![edge(5), edge(6)], true);
        meetings.contribute(PLACE, 0, vec![edge(9)], true);
        let second = meetings.collect(PLACE, 1, 2).unwrap();
        let first = meetings.collect(PLACE, 0, 2).unwrap();
        assert_eq!(first.destinations.weights, [9, 5, 6]);
        assert_eq!(second.sources.weights, [9, 5, 6]);
        assert!(second.destinations.ranks.is_empty() && meetings.collected.is_empty());
    }

    #[test]
    fn weights_are_for_all_or_for_none() {
        let mut meetings = Meetings::default();
        meetings.contribute(PLACE, 0, Vec::new(), true);
        meetings.contribute(PLACE, 1, Vec::new(), false);
        for rank in 0..2 {
            assert_eq!(meetings.collect(PLACE, rank, 2).unwrap_err().class, ErrorClass::NOT_SAME);
        }
    }
}
