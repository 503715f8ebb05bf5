//! Strongly connected components of graphs that are known completely: automata and their products.
//!
//! `search` looks for components while a graph is still being explored.

/// An edge: its target, and the acceptance sets that it is in, one bit each.
pub(crate) type Edge = (u32, u128);

/// A graph: the edges of every node.
pub(crate) type Edges = [Vec<Edge>];

/// The components of a graph.
pub(crate) struct Components {
    /// The component of each node. An edge never leads to a component of a higher number.
    pub(crate) of: Vec<u32>,
    /// For each component the acceptance sets of its inner edges; `None` if it has no inner edge.
    pub(crate) sets: Vec<Option<u128>>,
}

impl Components {
    /// Tarjan's algorithm with a stack of its own ("Depth-first search and linear graph algorithms", 1972).
    pub(crate) fn new(graph: &Edges) -> Components {
        const UNSEEN: u32 = u32::MAX;
        let mut order = vec![UNSEEN; graph.len()];
        let mut lowest = vec![0; graph.len()];
        let mut of = vec![UNSEEN; graph.len()];
        let (mut open, mut path, mut seen, mut count) = (Vec::new(), Vec::new(), 0, 0);
        for root in 0..graph.len() as u32 {
            if order[root as usize] == UNSEEN {
                path.push((root, 0));
            }
            while let Some((node, edge)) = path.last_mut() {
                let n = *node as usize;
                if *edge == 0 && order[n] == UNSEEN {
                    (order[n], lowest[n]) = (seen, seen);
                    seen += 1;
                    open.push(*node);
                }
                if let Some(&(target, _)) = graph[n].get(*edge) {
                    *edge += 1;
                    let t = target as usize;
                    if order[t] == UNSEEN {
                        path.push((target, 0));
                    } else if of[t] == UNSEEN {
                        lowest[n] = lowest[n].min(order[t]);
                    }
                    continue;
                }
                path.pop();
                if let Some((parent, _)) = path.last() {
                    let p = *parent as usize;
                    lowest[p] = lowest[p].min(lowest[n]);
                }
                if lowest[n] == order[n] {
                    while of[n] == UNSEEN {
                        of[open.pop().expect("a component ends with its first node") as usize] = count;
                    }
                    count += 1;
                }
            }
        }
        let sets = sets_of(graph, &of, count as usize);
        Components { of, sets }
    }

    /// Whether an infinite path through the component can have edges of all sets in `all` for ever.
    pub(crate) fn accepts(&self, component: u32, all: u128) -> bool {
        self.sets[component as usize].is_some_and(|sets| sets & all == all)
    }
}

fn sets_of(graph: &Edges, of: &[u32], count: usize) -> Vec<Option<u128>> {
    let mut sets = vec![None; count];
    for (node, edges) in graph.iter().enumerate() {
        for (_, marks) in edges.iter().filter(|(target, _)| of[*target as usize] == of[node]) {
            *sets[of[node] as usize].get_or_insert(0) |= marks;
        }
    }
    sets
}
