//! Distributed graphs: a rank knows its own edges (MPI 5.0 §8.5.4).

/// The edges of a rank in one direction.
#[derive(Clone, PartialEq, Eq, Default, Hash, Debug)]
pub struct Adjacent {
    /// The other ends.
    pub ranks: Vec<u32>,
    /// A weight for each edge; empty when the graph has none.
    pub weights: Vec<i32>,
}

/// The edges of one rank. Edges between the same two ranks are in the same order on both.
#[derive(Clone, PartialEq, Eq, Default, Hash, Debug)]
pub struct DistGraph {
    /// Edges into the rank.
    pub sources: Adjacent,
    /// Edges out of it.
    pub destinations: Adjacent,
    /// Weights were given.
    pub weighted: bool,
}

/// An edge as any rank may contribute it to `MPI_Dist_graph_create`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Where it starts.
    pub from: u32,
    /// Where it ends.
    pub to: u32,
    /// Not significant in a graph without weights.
    pub weight: i32,
}

impl Adjacent {
    fn add(&mut self, rank: u32, weight: Option<i32>) {
        self.ranks.push(rank);
        self.weights.extend(weight);
    }
}

impl DistGraph {
    /// The parts of all `ranks` ranks of the graph with these edges. Every rank's edges are in the order given.
    pub fn distribute(ranks: u32, edges: impl IntoIterator<Item = Edge>, weighted: bool) -> Vec<DistGraph> {
        let mut graphs = vec![DistGraph { weighted, ..DistGraph::default() }; ranks as usize];
        for Edge { from, to, weight } in edges {
            let weight = weighted.then_some(weight);
            graphs[from as usize].destinations.add(to, weight);
            graphs[to as usize].sources.add(from, weight);
        }
        graphs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Every edge is at both of its ends, and the k-th between two ranks is the k-th on both sides.
        #[test]
        fn both_ends_agree(pairs in prop::collection::vec((0..6u32, 0..6u32, 0..100i32), 0..40), weighted: bool) {
            let edges = pairs.iter().map(|&(from, to, weight)| Edge { from, to, weight });
            let graphs = DistGraph::distribute(6, edges, weighted);
            for (from, to) in (0..6).flat_map(|from| (0..6).map(move |to| (from, to))) {
                let weights = |side: &Adjacent, other: u32| -> Vec<Option<i32>> {
                    let of_other = side.ranks.iter().enumerate().filter(|(_, rank)| **rank == other);
                    of_other.map(|(place, _)| side.weights.get(place).copied()).collect()
                };
                let given = pairs.iter().filter(|pair| (pair.0, pair.1) == (from, to));
                let given: Vec<Option<i32>> = given.map(|pair| weighted.then_some(pair.2)).collect();
                prop_assert_eq!(&weights(&graphs[from as usize].destinations, to), &given);
                prop_assert_eq!(&weights(&graphs[to as usize].sources, from), &given);
            }
        }
    }
}
