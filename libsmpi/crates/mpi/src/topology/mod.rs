//! Process topologies (MPI 5.0 §8): which ranks of a communicator are neighbours. Data and arithmetic only: ranks are
//! never reordered, so a topology changes only the answers of these functions.
//!
//! * [`dims`]: balanced dimensions of a grid;
//! * [`cart`], [`graph`], [`dist_graph`]: the three kinds of topology;
//! * [`meeting`]: how the ranks that create one together compare and collect its parts.
//!
//! Schedules of the neighborhood collectives are among the others (`collective/neighbourhood.rs`).

pub mod cart;
pub mod dims;
pub mod dist_graph;
pub mod graph;
pub mod meeting;

pub use cart::Cart;
pub use dist_graph::DistGraph;
pub use graph::Graph;

/// What `MPI_Topo_test` distinguishes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Topology {
    /// A grid, the same on all ranks.
    Cart(Cart),
    /// A graph that every rank knows as a whole.
    Graph(Graph),
    /// A graph of which a rank knows its own edges.
    DistGraph(DistGraph),
}

/// The neighbours of one rank in the order of their blocks in the buffers of neighborhood collectives (MPI 5.0 §8.6).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Neighbours {
    /// Whom it receives from. `None` is `MPI_PROC_NULL`: beyond the border of a grid.
    pub sources: Vec<Option<u32>>,
    /// Whom it sends to.
    pub destinations: Vec<Option<u32>>,
    /// Both lists are pairs of opposite directions, and what is sent in one direction arrives from the other.
    pub opposite: bool,
}

impl Topology {
    /// The neighbours of a rank. A rank outside of a graph has none.
    pub fn neighbours(&self, rank: u32) -> Neighbours {
        match self {
            Topology::Cart(cart) => {
                let around = cart.neighbours(rank);
                Neighbours { sources: around.clone(), destinations: around, opposite: true }
            }
            Topology::Graph(graph) => {
                let around: Vec<Option<u32>> = graph.neighbours(rank).iter().map(|&rank| Some(rank)).collect();
                Neighbours { sources: around.clone(), destinations: around, opposite: false }
            }
            Topology::DistGraph(graph) => Neighbours {
                sources: graph.sources.ranks.iter().copied().map(Some).collect(),
                destinations: graph.destinations.ranks.iter().copied().map(Some).collect(),
                opposite: false,
            },
        }
    }
}
