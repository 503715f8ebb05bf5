//! Graphs that every rank knows as a whole (MPI 5.0 §8.5.3).

use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use crate::error::{ErrorClass, MpiError, Result};

/// A directed graph in the form of `MPI_Graph_create`: `index[i]` is the number of edges of the nodes `0..=i`.
#[derive(Clone, Debug)]
pub struct Graph {
    index: Vec<u32>,
    edges: Vec<u32>,
    one_sided: OnceLock<Option<(u32, u32)>>,
}

impl PartialEq for Graph {
    fn eq(&self, other: &Graph) -> bool {
        (&self.index, &self.edges) == (&other.index, &other.edges)
    }
}

impl Eq for Graph {}

impl Hash for Graph {
    fn hash<H: Hasher>(&self, into: &mut H) {
        (&self.index, &self.edges).hash(into);
    }
}

impl Graph {
    /// A graph. `edges` is asked for as many edges as the index tells, once that is checked. Positions in errors
    /// are `at` for the index and `at + 1` for the edges.
    ///
    /// # Errors
    /// `MPI_ERR_ARG` when the index decreases or an edge leads to no node; what `edges` says.
    pub fn new(index: &[i32], edges: impl FnOnce(usize) -> Result<Vec<i32>>) -> Result<Graph> {
        let mut before = 0;
        for (place, &end) in index.iter().enumerate() {
            if end < before {
                let allowed = format!("{before} or more: the sums of the nodes' degrees");
                return Err(MpiError::parameter(ErrorClass::ARG, &format!("index[{place}]"), end, &allowed));
            }
            before = end;
        }
        let edges = edges(before as usize)?;
        let nodes = index.len() as i32;
        if let Some(place) = edges.iter().position(|edge| !(0..nodes).contains(edge)) {
            let (name, allowed) = (format!("edges[{place}]"), format!("0 to {}", nodes - 1));
            return Err(MpiError::parameter(ErrorClass::ARG, &name, edges[place], &allowed));
        }
        let unsigned = |values: &[i32]| values.iter().map(|&value| value as u32).collect();
        Ok(Graph { index: unsigned(index), edges: unsigned(&edges), one_sided: OnceLock::new() })
    }

    /// Nodes of the graph.
    pub fn nodes(&self) -> u32 {
        self.index.len() as u32
    }

    /// For each node, the number of edges of it and the nodes before it.
    pub fn index(&self) -> &[u32] {
        &self.index
    }

    /// The edges' ends, node by node.
    pub fn edges(&self) -> &[u32] {
        &self.edges
    }

    /// The neighbours of a node in the order in which they were given; none for nodes that are not in the graph.
    pub fn neighbours(&self, node: u32) -> &[u32] {
        let node = node as usize;
        let Some(&end) = self.index.get(node) else { return &[] };
        let start = if node == 0 { 0 } else { self.index[node - 1] };
        &self.edges[start as usize..end as usize]
    }

    /// The first nodes that have fewer or more edges in one direction than in the other. Found once and kept, as every
    /// neighborhood collective asks.
    pub fn one_sided(&self) -> Option<(u32, u32)> {
        *self.one_sided.get_or_init(|| {
            let all = || (0..self.nodes()).flat_map(|node| self.neighbours(node).iter().map(move |&end| (node, end)));
            let mut there: Vec<(u32, u32)> = all().collect();
            let mut back: Vec<(u32, u32)> = all().map(|(from, to)| (to, from)).collect();
            there.sort_unstable();
            back.sort_unstable();
            // Equally many edges in both lists, so where they first differ, the smaller one is in one list only.
            there.iter().zip(&back).find(|(there, back)| there != back).map(|(there, back)| *there.min(back))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(index: &[i32], edges: &[i32]) -> Result<Graph> {
        Graph::new(index, |count| Ok(edges[..count].to_vec()))
    }

    #[test]
    fn the_example_of_the_standard() {
        let graph = graph(&[2, 3, 4, 6], &[1, 3, 0, 3, 0, 2]).unwrap();
        let all: Vec<&[u32]> = (0..5).map(|node| graph.neighbours(node)).collect();
        assert_eq!(all, [&[1, 3][..], &[0], &[3], &[0, 2], &[]]);
        assert_eq!(graph.one_sided(), None);
    }

    #[test]
    fn loops_and_repeated_edges_are_edges() {
        let graph = graph(&[3, 4], &[0, 1, 1, 0]).unwrap();
        assert_eq!(graph.neighbours(0), [0, 1, 1]);
        assert_eq!(graph.one_sided(), Some((0, 1)));
    }

    #[test]
    fn arguments_are_checked() {
        for (index, edges) in [(&[-1][..], &[][..]), (&[2, 1], &[0, 0]), (&[1], &[1]), (&[1], &[-1])] {
            assert_eq!(graph(index, edges).unwrap_err().class, ErrorClass::ARG);
        }
        assert_eq!(graph(&[], &[]).unwrap().nodes(), 0);
    }
}
