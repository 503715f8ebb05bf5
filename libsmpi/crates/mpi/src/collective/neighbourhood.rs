//! The schedule of every neighborhood collective (MPI 5.0 §8.6): a message to each destination, one from each source,
//! all at once.
//!
//! Two ranks may be neighbours more than once. Messages between them match in the order in which they are posted, so
//! the k-th edge to a rank meets the k-th edge from it. In a grid, a periodic dimension of one or two ranks has the
//! same rank on both sides. There, a message sent in the negative direction must arrive from the positive one. So the
//! two receives of each dimension are posted in exchanged order.

use super::select::{Selection, Waits};
use super::{Builder, Part, Parts};
use crate::topology::Neighbours;

/// Sends `send(k)` to the k-th destination and receives the k-th block from the k-th source. Blocks of neighbours
/// beyond a border are left alone; so are empty ones where ranks wait for data only.
pub fn build(b: &mut Builder, selection: &Selection, around: &Neighbours, send: impl Fn(u32) -> Part, recv: &Parts) {
    let data_only = selection.waits() == Waits::Data;
    if data_only {
        b.open_gate();
    }
    let travels = |part: &Part| !data_only || part.size() > 0;
    for step in 0..around.sources.len() {
        let place = if around.opposite { step ^ 1 } else { step };
        let part = recv.part(place as u32);
        if let Some(source) = around.sources[place].filter(|_| travels(&part)) {
            b.recv(source, &part);
        }
    }
    for (place, destination) in around.destinations.iter().enumerate() {
        let part = send(place as u32);
        if let Some(destination) = destination.filter(|_| travels(&part)) {
            b.send(destination, &part);
        }
    }
    b.fence();
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;
    use smpi_base::map::Map;

    use super::*;
    use crate::collective::{ScratchSource, Step};
    use crate::datatype::{Basic, Datatype};
    use crate::memory::Addr;
    use crate::topology::dist_graph::{DistGraph, Edge};
    use crate::topology::{Cart, Topology};

    struct NoScratch;

    impl ScratchSource for NoScratch {
        fn reserve(&mut self, _len: usize) -> Addr {
            unreachable!("these schedules need no scratch memory")
        }
    }

    /// Which block (rank, place) of the senders arrives at which place of each rank's receive buffer.
    fn deliver(topologies: &[Topology]) -> Vec<Vec<Option<(u32, u32)>>> {
        let block = |place: u32| Part { at: Addr(u64::from(place)), count: 1, datatype: Datatype::basic(Basic::Byte) };
        let ranks = topologies.len() as u32;
        let schedules: Vec<(usize, Vec<Step>)> = (0..ranks)
            .map(|rank| {
                let around = topologies[rank as usize].neighbours(rank);
                let mut memory = NoScratch;
                let mut b = Builder::new(rank, ranks, 0, &mut memory);
                build(&mut b, &Selection::default(), &around, block, &Parts::Even(block(0)));
                (around.sources.len(), b.finish().steps)
            })
            .collect();
        let mut messages: Map<(u32, u32), VecDeque<u32>> = Map::default();
        for (rank, (_, steps)) in (0..).zip(&schedules) {
            for step in steps {
                if let Step::Send(to, part) = step {
                    messages.entry((rank, to.number())).or_default().push_back(part.at.0 as u32);
                }
            }
        }
        let mut arrived = Vec::new();
        for (rank, (places, steps)) in (0..).zip(&schedules) {
            let mut blocks = vec![None; *places];
            for step in steps {
                if let Step::Recv(from, part) = step {
                    let from = from.number();
                    let sent = messages.get_mut(&(from, rank)).and_then(VecDeque::pop_front);
                    blocks[part.at.0 as usize] = Some((from, sent.expect("a message for every receive")));
                }
            }
            arrived.push(blocks);
        }
        assert!(messages.values().all(VecDeque::is_empty), "every message is received");
        arrived
    }

    proptest! {
        /// Also where a rank is its own neighbour, or has another one on both sides.
        #[test]
        fn in_grids_blocks_arrive_from_the_other_direction(
            dims in prop::collection::vec((1..4i32, any::<bool>()), 0..5),
        ) {
            let cart = Cart::new(dims).unwrap();
            let everywhere = vec![Topology::Cart(cart.clone()); cart.nodes() as usize];
            for (rank, blocks) in (0..).zip(deliver(&everywhere)) {
                let expected = cart.neighbours(rank).into_iter().enumerate();
                let expected: Vec<_> = expected.map(|(place, other)| Some((other?, place as u32 ^ 1))).collect();
                prop_assert_eq!(blocks, expected);
            }
        }

        /// The order of edges between two ranks is kept.
        #[test]
        fn in_graphs_equal_edges_stay_in_order(pairs in prop::collection::vec((0..4u32, 0..4u32), 0..30)) {
            let edges = pairs.iter().map(|&(from, to)| Edge { from, to, weight: 0 });
            let graphs: Vec<Topology> =
                DistGraph::distribute(4, edges, false).into_iter().map(Topology::DistGraph).collect();
            for (rank, blocks) in (0..).zip(deliver(&graphs)) {
                let sources = graphs[rank as usize].neighbours(rank).sources;
                let mut seen = [0usize; 4];
                for (block, source) in blocks.into_iter().zip(sources.into_iter().flatten()) {
                    let sent = graphs[source as usize].neighbours(source).destinations;
                    let mut edges = sent.iter().enumerate().filter(|(_, to)| **to == Some(rank)).map(|(place, _)| place);
                    let nth = edges.nth(seen[source as usize]).map(|place| (source, place as u32));
                    seen[source as usize] += 1;
                    prop_assert_eq!(block, nth);
                }
            }
        }
    }
}
