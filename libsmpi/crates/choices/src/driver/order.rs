//! Locks, atomic accesses and uses of files whose order makes no difference: nobody chooses it.
//!
//! A server (`world/servers.rs` of `smpi-mpi`) is a rank that receives from anybody, so that n ranks which ask it have
//! n! executions. Often the order makes no difference: where all locks are shared, where atomic accesses are to
//! different elements, are ordered already, or add integers. So the exploration begins with the assumption that no
//! order matters. A lock is there when it is asked for, an atomic access takes place when it arrives, and there are no
//! servers.
//!
//! **The assumption**, for each lock of a window, and for each element of its memory by itself:
//!
//! - a lock is asked for by one origin, or all that is asked for is shared (`rma/order.rs` of `smpi-mpi`);
//! - two atomic accesses of different origins to the element are ordered by what ranks know (`world/races.rs`), or they
//!   commute: they combine whole integers by the same operation and tell nobody what was there, or both only read
//!   (`rma/conflict.rs`).
//!
//! What was asked for so far is part of MPI's state, and comes back with a snapshot.
//!
//! **Discovery.** A lock that breaks the assumption is not given: its rank waits for ever, so that this execution
//! remains the beginning of one that is possible. An access that does takes place as it arrives, which is one of its
//! orders. The name of the server is recorded, and the exploration begins again with this server. Servers have their
//! numbers by the order of the names that are known, so that a number means the same in every execution.
//!
//! **Elements.** MPI promises atomicity for each element by itself, and an order between accesses of one origin only
//! where they are to the same element (MPI 5.0 §12.7.1, §12.7.2). So an access to several elements is a message to the
//! server of each that has one, and these servers take what they are sent at their own time. Messages of one origin to
//! one server stay in order. What reads the flag of an access may not see the data of the access before it, unless
//! there was a flush in between.
//!
//! **Why this is enough.** Suppose that an exploration comes to its end and no execution of it breaks the assumption.
//! Let M be any execution of the program, with any order of locks and of accesses to each element.
//!
//! 1. *Up to the first event of M that breaks the assumption*, each lock and each access to an element without a server
//!    may as well happen when it is asked for. Nobody waits longer or shorter for what another rank does: a lock is
//!    held up only by one that excludes it, and an access by nothing. Nobody is told another value: whatever changes
//!    the element and is not ordered with a read of it breaks the assumption. And memory is the same wherever it is
//!    read. Who reads it by other means is ordered with all of these accesses by what ranks know, and then sees just
//!    those that came before; or it is not ordered with one of them, which is a race, whichever comes first.
//! 2. So these events are the beginning of an execution under the assumption. All of these are explored: they have the
//!    choices that are left.
//! 3. *If M has such an event*, what it breaks the assumption with was asked for before, and is not ordered with it by
//!    what ranks know. Both ranks do the same and know the same in the execution of 2, and then ask for both: so it
//!    breaks the assumption, too, in whichever order. But none does. Thus M has no such event, and all of M is
//!    explored.
//!
//! Knowledge is unchanged, too: a shared lock tells what holders of exclusive ones knew, and there were none but the
//! same rank. An access without a result tells nothing. One that reads an element without a server learns from those
//! that changed it, which it knew to be over.
//!
//! **Files.** Accesses that wait for their end and are by a shared file pointer or in atomic mode are the same: two
//! of different ranks to one file, of which one changes what the other uses (the pointer, bytes, the end of the
//! file), are ordered by what ranks know, or break the assumption (`file_uses.rs` of `smpi-runtime`). Then all of
//! that kind ask the server of the file for their turn. What has no turn and is not ordered with one that has is
//! noticed: the verdict says that the exploration is not complete.
//!
//! **Many elements.** [`MOST_ELEMENTS`] of one target have servers. Where more would need one, all atomic accesses to
//! the target have a single server, which does each as a whole and those of one origin in the order in which they were
//! started. That is a part of the orders: the verdict says that the exploration is not complete.

use std::collections::{BTreeMap, BTreeSet};

use smpi_mpi::world::{Matter, Order, ServerName};

use super::Verification;
use super::cancel::bound_cancels;
use crate::state::{Cancels, Discoveries, Discovery};

/// Elements of one target that may have servers of their own. With eight, two origins that add to each of them have 256
/// executions, and three have 1.7 million.
const MOST_ELEMENTS: usize = 8;

/// What is known of orders in the present exploration. Not part of the state that snapshots restore.
#[derive(Default, Debug)]
pub(super) struct Orders {
    /// Servers that decide, and their numbers.
    servers: BTreeMap<ServerName, u32>,
    /// Further ones that should have.
    discovered: BTreeSet<ServerName>,
}

impl Orders {
    fn new(known: &Discoveries) -> Orders {
        let servers = known.iter().filter_map(|discovery| match discovery {
            Discovery::Orders(server) => Some(*server),
            Discovery::Cancels(_) | Discovery::CancelsAt(_) | Discovery::Spawns(_) => None,
        });
        Orders { servers: servers.zip(0..).collect(), discovered: BTreeSet::new() }
    }

    pub fn of(&self, server: ServerName) -> Order {
        self.servers.get(&server).map_or(Order::Any, |number| Order::Chosen(*number))
    }

    pub fn discover(&mut self, server: ServerName) {
        self.discovered.insert(server);
    }
}

/// Keeps what is known finite, and short: too much of one kind becomes something that stands for all of it.
pub fn bound(known: &mut Discoveries) {
    bound_cancels(known);
    bound_servers(known);
}

/// Gives targets with too many elements one server for all accesses.
fn bound_servers(known: &mut Discoveries) {
    let mut elements: BTreeMap<ServerName, usize> = BTreeMap::new();
    for discovery in &*known {
        if let Discovery::Orders(server) = *discovery {
            let count = elements.entry(ServerName { matter: Matter::Accesses, ..server }).or_default();
            *count += match server.matter {
                Matter::Locks | Matter::File => 0,
                Matter::Accesses => MOST_ELEMENTS + 1,
                Matter::Element(_) => 1,
            };
        }
    }
    elements.retain(|_, count| *count > MOST_ELEMENTS);
    known.retain(|discovery| match *discovery {
        Discovery::Orders(server @ ServerName { matter: Matter::Element(_), .. }) => {
            !elements.contains_key(&ServerName { matter: Matter::Accesses, ..server })
        }
        _ => true,
    });
    known.extend(elements.into_keys().map(Discovery::Orders));
}

impl Verification {
    /// Declares what is known of the program; before the ranks start.
    pub fn foresee(&mut self, known: &Discoveries) {
        let requests = known.iter().filter_map(|discovery| match *discovery {
            Discovery::Cancels(name) => Some(name),
            Discovery::CancelsAt(_) | Discovery::Orders(_) | Discovery::Spawns(_) => None,
        });
        let sites = known.iter().filter_map(Discovery::site);
        self.cancels = Cancels { requests: requests.collect(), sites: sites.collect(), ..Cancels::default() };
        self.orders = Orders::new(known);
        self.spawns.foresee(known);
        self.apply_cancellable();
    }

    /// What the present exploration knew from its start.
    pub fn foreseen(&self) -> Discoveries {
        let requests = self.cancels.requests.iter().map(|name| Discovery::Cancels(*name));
        let cancels = requests.chain(self.cancels.sites.iter().map(|site| Discovery::CancelsAt(*site)));
        let orders = self.orders.servers.keys().map(|server| Discovery::Orders(*server));
        cancels.chain(orders).chain(self.spawns.known().map(Discovery::Spawns)).collect()
    }

    /// Whether the program did what the present exploration did not know of: it is of no use.
    pub fn is_surprised(&self) -> bool {
        !self.cancels.discovered.is_empty() || !self.orders.discovered.is_empty() || self.spawns.is_surprised()
    }

    /// What that was.
    pub fn take_discovered(&mut self) -> Discoveries {
        let cancels = std::mem::take(&mut self.cancels.discovered).into_iter().map(Discovery::Cancels);
        let orders = std::mem::take(&mut self.orders.discovered).into_iter().map(Discovery::Orders);
        cancels.chain(orders).chain(self.spawns.take_discovered().into_iter().map(Discovery::Spawns)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_elements_have_one_server() {
        let known = |names: &[&str]| names.iter().map(|name| name.parse().unwrap()).collect::<Discoveries>();
        let elements: Vec<String> = (0..=MOST_ELEMENTS).map(|element| format!("1w0a{}", element * 8)).collect();
        let elements: Vec<&str> = elements.iter().map(String::as_str).collect();
        let others = ["0.4", "0w0a8", "1w0l", "1w1a0"];
        let few = known(&[&others, &elements[1..]].concat());
        let mut bounded = few.clone();
        bound_servers(&mut bounded);
        assert_eq!(bounded, few);
        let mut many = known(&[&others, &elements[..]].concat());
        bound_servers(&mut many);
        let one = known(&[&others, &["1w0a"][..]].concat());
        assert_eq!(many, one);
        many.extend(known(&elements[..1]));
        bound_servers(&mut many);
        assert_eq!(many, one, "it stays so");
        let orders = Orders::new(&many);
        assert_eq!(
            orders.of(ServerName { target: smpi_base::WorldRank(1), window: 1, matter: Matter::Element(0) }),
            Order::Chosen(3)
        );
    }
}
