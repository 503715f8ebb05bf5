//! What collective calls give to and expect from each rank, to be compared (`smpi_mpi::usage::Exchange`).
//!
//! Nothing is made when nobody will look at it.

use std::sync::Arc;

use smpi_mpi::collective::{Part, Parts, Root};
use smpi_mpi::comm::CommCore;
use smpi_mpi::datatype::Datatype;
use smpi_mpi::topology::Neighbours;
use smpi_mpi::usage::Exchange;
use smpi_mpi::usage::{Agreed, Items};

use smpi_runtime::with;

/// Ranks, and what is exchanged with each.
type Blocks = Vec<(u32, Items)>;

fn is_wanted() -> bool {
    with(|runtime| runtime.world.observers.exchanges)
}

fn agreed(exchange: Exchange) -> Agreed {
    Agreed { exchange: Some(Arc::new(exchange)), ..Agreed::default() }
}

fn peers(core: &CommCore) -> std::ops::Range<u32> {
    0..core.peers().size()
}

fn block(parts: &Parts, peer: u32) -> (u32, Items) {
    (peer, Items::of(&parts.part(peer)))
}

/// A call in which one rank takes a block from everybody: `own` from a rank that is asked for one, all blocks on the
/// root.
pub(super) fn gathered(core: &CommCore, root: Root, own: Option<&Part>, all: Option<&Parts>) -> Agreed {
    if !is_wanted() {
        return Agreed::default();
    }
    let (mine, others) = rooted(core, root, own, all);
    agreed(Exchange { gives: mine, takes: others })
}

/// A call in which one rank gives a block to everybody.
pub(super) fn scattered(core: &CommCore, root: Root, own: Option<&Part>, all: Option<&Parts>) -> Agreed {
    if !is_wanted() {
        return Agreed::default();
    }
    let (mine, others) = rooted(core, root, own, all);
    agreed(Exchange { gives: others, takes: mine })
}

/// Blocks with the root, and on the root those with everybody; with itself only when it is not in place.
fn rooted(core: &CommCore, root: Root, own: Option<&Part>, all: Option<&Parts>) -> (Blocks, Blocks) {
    let mine = match (root, own) {
        (Root::Rank(root), Some(part)) => vec![(root, Items::of(part))],
        _ => Vec::new(),
    };
    let in_place = core.remote.is_none() && own.is_none();
    let others = peers(core).filter(|&peer| !(in_place && peer == core.rank));
    let others = all.map_or(Vec::new(), |parts| others.map(|peer| block(parts, peer)).collect());
    (mine, others)
}

/// A call in which everybody gives the same to all. In place, the own block lies among those that are taken.
pub(super) fn spread(core: &CommCore, own: Option<&Part>, all: &Parts) -> Agreed {
    if !is_wanted() {
        return Agreed::default();
    }
    let given = own.map_or_else(|| block(all, core.rank).1, Items::of);
    let gives = peers(core).map(|peer| (peer, given.clone())).collect();
    agreed(Exchange { gives, takes: peers(core).map(|peer| block(all, peer)).collect() })
}

/// A call in which everybody gives everybody a block. In place, what is given is where what is taken goes.
pub(super) fn exchanged(core: &CommCore, send: Option<&Parts>, recv: &Parts) -> Agreed {
    if !is_wanted() {
        return Agreed::default();
    }
    let gives = peers(core).map(|peer| block(send.unwrap_or(recv), peer)).collect();
    agreed(Exchange { gives, takes: peers(core).map(|peer| block(recv, peer)).collect() })
}

/// A reduction whose result is cut: all ranks must cut it alike.
pub(super) fn cut(core: &CommCore, counts: &[i64], datatype: &Datatype) -> Agreed {
    if !is_wanted() || core.remote.is_some() {
        return Agreed::default();
    }
    let items = |rank: u32| Items { count: counts[rank as usize], datatype: datatype.clone() };
    let gives = peers(core).map(|peer| (peer, items(peer))).collect();
    agreed(Exchange { gives, takes: peers(core).map(|peer| (peer, items(core.rank))).collect() })
}

/// A neighbourhood operation: `send` and `recv` have a block for each place among the neighbours.
pub(super) fn around(neighbours: &Neighbours, send: impl Fn(u32) -> Part, recv: &Parts) -> Agreed {
    if !is_wanted() {
        return Agreed::default();
    }
    let list = |ranks: &[Option<u32>], items: &dyn Fn(u32) -> Items| {
        let places = (0..).zip(ranks);
        places.filter_map(|(place, rank)| rank.map(|rank| (rank, items(place)))).collect()
    };
    let gives = list(&neighbours.destinations, &|place| Items::of(&send(place)));
    agreed(Exchange { gives, takes: list(&neighbours.sources, &|place| Items::of(&recv.part(place))) })
}
