//! Locks and atomic accesses whose order makes no difference: nobody chooses it.
//!
//! A server (`world/servers.rs` of `smpi-mpi`) is a rank that receives from anybody, so that n ranks which ask it have
//! n! executions. Often the order makes no difference: where all locks are shared, and where all accesses add integers.
//! So the exploration begins with the assumption that no order matters. A lock is there when it is asked for, an
//! atomic access takes place when it arrives, and there are no servers.
//!
//! **The assumption**, for each target of a window by itself, and for its locks and its atomic accesses by themselves:
//! all of it is asked for by one origin, or all of it commutes (`rma/order.rs` of `smpi-mpi`). Locks commute if they
//! are shared. Accesses commute if they combine whole integers by the same operation and tell nobody what was there,
//! or if all of them only read.
//! What was asked for so far is part of MPI's state, and comes back with a snapshot.
//!
//! **Discovery.** What breaks the assumption does not happen: its rank waits for ever, so that this execution remains
//! the beginning of one that is possible. The number of the server is recorded, and the exploration begins again with
//! this server. A number means the same in every execution: it follows from the target, and from the numbers of its
//! windows.
//!
//! **Why this is enough.** Suppose that an exploration comes to its end and no execution of it breaks the assumption.
//! Let M be any execution of the program, with any order of locks and atomic accesses.
//!
//! 1. *Up to the first event of M that breaks the assumption*, each lock and each access without a server may as well
//!    happen when it is asked for. Nobody waits longer or shorter for what another rank does: a lock is held up only
//!    by one that excludes it, and an access by nothing. Nobody is told another value: an access has no result, or
//!    nobody but its own origin changes what it reads. And memory is the same wherever it is read. Who reads it by
//!    other means is ordered with all of these accesses by what ranks know, and then sees just those that came before;
//!    or it is not ordered with one of them, which is a race, whichever comes first.
//! 2. So these events are the beginning of an execution under the assumption. All of these are explored: they have the
//!    choices that are left.
//! 3. *If M has such an event*, what it breaks the assumption with was asked for before. Both ranks do the same in the
//!    execution of 2, and then ask for both: so it breaks the assumption, too, in whichever order. But none does. Thus
//!    M has no such event, and all of M is explored.
//!
//! Knowledge is unchanged, too: a shared lock tells what holders of exclusive ones knew, and there were none but the
//! same rank. An access without a result tells nothing, nor does one that reads what nobody else changes.

use std::collections::BTreeSet;

use smpi_base::WorldRank;
use smpi_mpi::world::Order;

use super::Verification;
use crate::state::{Cancels, Discoveries, Discovery};

/// What is known of orders in the present exploration. Not part of the state that snapshots restore.
#[derive(Default, Debug)]
pub(super) struct Orders {
    /// Servers that decide.
    servers: BTreeSet<WorldRank>,
    /// Further ones that should have.
    discovered: BTreeSet<WorldRank>,
}

impl Orders {
    pub fn of(&self, server: WorldRank) -> Order {
        if self.servers.contains(&server) { Order::Chosen } else { Order::Any }
    }

    pub fn discover(&mut self, server: WorldRank) {
        self.discovered.insert(server);
    }
}

impl Verification {
    /// Declares what is known of the program; before the ranks start.
    pub fn foresee(&mut self, known: &Discoveries) {
        let (mut cancels, mut orders) = (Cancels::default(), Orders::default());
        for discovery in known {
            match *discovery {
                Discovery::Cancels(name) => _ = cancels.cancellable.insert(name),
                Discovery::Orders(server) => _ = orders.servers.insert(server),
            }
        }
        (self.cancels, self.orders) = (cancels, orders);
        self.apply_cancellable();
    }

    /// What the present exploration knew from its start.
    pub fn foreseen(&self) -> Discoveries {
        let cancels = self.cancels.cancellable.iter().map(|name| Discovery::Cancels(*name));
        cancels.chain(self.orders.servers.iter().map(|server| Discovery::Orders(*server))).collect()
    }

    /// Whether the program did what the present exploration did not know of: it is of no use.
    pub fn is_surprised(&self) -> bool {
        !self.cancels.discovered.is_empty() || !self.orders.discovered.is_empty()
    }

    /// What that was.
    pub fn take_discovered(&mut self) -> Discoveries {
        let cancels = std::mem::take(&mut self.cancels.discovered).into_iter().map(Discovery::Cancels);
        cancels.chain(std::mem::take(&mut self.orders.discovered).into_iter().map(Discovery::Orders)).collect()
    }
}
