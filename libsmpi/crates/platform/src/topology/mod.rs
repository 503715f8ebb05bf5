//! The networks of clusters that follow a rule: how many hosts and links they have, and which links a message crosses.
//!
//! A topology numbers its hosts, links and nodes from 0; what they are called and where they are in the platform is
//! not known here. Ways are computed when they are asked for, from the numbers of the hosts alone. The rules are those
//! of SimGrid 3.32, so that its platforms give the same routes. Where a topology has several shortest ways, a cluster
//! may spread its messages over them instead.

mod dragonfly;
mod fat_tree;
mod torus;

pub use dragonfly::Dragonfly;
pub use fat_tree::FatTree;
pub use torus::Torus;

use crate::model::Direction;
use smpi_base::rng::Rng;

/// How the hosts of a cluster are joined.
#[derive(Clone, Debug, PartialEq)]
pub enum Topology {
    /// One switch in the middle; every host has a private link to it.
    Switch,
    /// A grid of any dimension whose ends are joined.
    Torus(Torus),
    /// Levels of switches.
    FatTree(FatTree),
    /// Groups of chassis of routers.
    Dragonfly(Dragonfly),
}

/// What a message passes on its way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// A host, switch or router: the link that limits all its traffic is crossed, if there is one.
    Node(u32),
    /// A link in a direction.
    Link(u32, Direction),
}

impl Topology {
    /// Number of hosts, where the topology determines it.
    pub fn hosts(&self) -> Option<u32> {
        match self {
            Topology::Switch => None,
            Topology::Torus(torus) => Some(torus.hosts()),
            Topology::FatTree(tree) => Some(tree.hosts()),
            Topology::Dragonfly(dragonfly) => Some(dragonfly.hosts()),
        }
    }

    /// Number of nodes that have a limiter, if there are limiters; the first ones are the hosts.
    pub(crate) fn nodes(&self, hosts: u32) -> u32 {
        match self {
            Topology::Switch | Topology::Torus(_) => hosts,
            Topology::FatTree(tree) => tree.nodes(),
            Topology::Dragonfly(dragonfly) => dragonfly.nodes(),
        }
    }

    /// Calls `add` for every link in the order of their numbers: its name within the cluster, and how many times the
    /// bandwidth of a single link it has.
    pub(crate) fn links(&self, add: &mut dyn FnMut(String, u32) -> Result<(), String>) -> Result<(), String> {
        match self {
            Topology::Switch => Ok(()),
            Topology::Torus(torus) => torus.links(add),
            Topology::FatTree(tree) => tree.links(add),
            Topology::Dragonfly(dragonfly) => dragonfly.links(add),
        }
    }

    /// What describes it in a platform file, as key and value; a switch is described by no key.
    pub(crate) fn written(&self) -> Option<(&'static str, String)> {
        match self {
            Topology::Switch => None,
            Topology::Torus(torus) => Some((Torus::KEY, torus.written())),
            Topology::FatTree(tree) => Some((FatTree::KEY, tree.written())),
            Topology::Dragonfly(dragonfly) => Some((Dragonfly::KEY, dragonfly.written())),
        }
    }

    /// What it is, with its sizes.
    pub(crate) fn words(&self) -> String {
        match self {
            Topology::Switch => "switch".to_owned(),
            Topology::Torus(torus) => torus.words(),
            Topology::FatTree(tree) => tree.words(),
            Topology::Dragonfly(dragonfly) => dragonfly.words(),
        }
    }

    /// Calls `step` for everything on the way between two hosts, in its order: the way of SimGrid's rule or, with
    /// `spread`, one of the shortest ways, another one for each pair. A switch's way is not known here.
    pub(crate) fn walk(&self, src: u32, dst: u32, spread: bool, step: &mut impl FnMut(Step)) {
        let dice = spread.then(|| Dice::new(src, dst));
        match self {
            Topology::Switch => {}
            Topology::Torus(torus) => torus.walk(src, dst, dice, step),
            Topology::FatTree(tree) => tree.walk(src, dst, dice, step),
            Topology::Dragonfly(dragonfly) => dragonfly.walk(src, dst, dice, step),
        }
    }
}

/// Sizes as people write them.
fn by(sizes: &[u32]) -> String {
    sizes.iter().map(u32::to_string).collect::<Vec<_>>().join(" × ")
}

/// Chooses among ways of the same length, in the same manner whenever the same pair asks: pairs are spread over the
/// ways as if by chance, which is what adaptive routers come to under steady traffic.
#[derive(Clone, Debug)]
struct Dice(Rng);

impl Dice {
    fn new(src: u32, dst: u32) -> Dice {
        Dice(Rng::new(u64::from(src) << 32 | u64::from(dst)))
    }

    /// A number below `bound`.
    fn below(&mut self, bound: u32) -> u32 {
        self.0.below(bound as usize) as u32
    }
}

/// How many hosts and switches a topology may have; what is beyond is a typing error or does not fit in memory.
const HOSTS: (u64, &str) = (10_000_000, "hosts");
const SWITCHES: (u64, &str) = (10_000_000, "switches");
/// The same for links.
const LINKS: (u64, &str) = (50_000_000, "links");

/// The product, if it is not more than this.
fn bounded(factors: impl IntoIterator<Item = u32>, (most, what): (u64, &str)) -> Result<u32, String> {
    let mut product = 1u64;
    for factor in factors {
        product = product.saturating_mul(u64::from(factor));
        if product > most {
            return Err(format!("more than {most} {what}"));
        }
    }
    Ok(product as u32)
}
