//! The messages with which SMPI makes communicators, where the table in use is one of SMPI's.
//!
//! To split one, the first rank gathers colours and keys and tells each rank its group. The first rank of every new
//! communicator broadcasts its number. Nothing else is sent: ranks of a duplicate know their group. The first operation
//! on a communicator for which it matters who shares a host finds that out. Source: SimGrid 4.1's `smpi_comm.cpp`; what
//! ranks really have to know is in [`crate::agreements`].

use crate::collective::hosts::Hosts;
use crate::collective::select::{Selection, Selector, Waits};
use crate::collective::{Builder, Part, Parts, allgather, bcast};
use crate::datatype::{Basic, Datatype};

impl Selection {
    /// Whether communicators are made with SMPI's messages.
    pub fn creates_as_smpi(&self) -> bool {
        use Selector::{Default, Impi, Mvapich2, Ompi, SmpiMpich};
        let is_smpi = matches!(self.selector, Some(Default | Impi | Mvapich2 | Ompi | SmpiMpich));
        is_smpi && self.waits() == Waits::Messages
    }
}

/// Colours and keys to the first rank, and an address from it to each rank.
pub fn split(b: &mut Builder) {
    let word = Datatype::basic(Basic::Int64);
    let own = b.scratch(1, &word);
    if b.rank != 0 {
        b.send_wait(0, &own);
        return b.recv_wait(0, &own);
    }
    let all = b.scratch(i64::from(b.size), &word);
    for rank in 1..b.size {
        b.recv(rank, &all.slice(i64::from(rank), 1));
    }
    b.fence();
    for rank in 1..b.size {
        b.send(rank, &all.slice(i64::from(rank), 1));
    }
    b.fence();
}

/// The number of a new communicator, to all its ranks.
pub fn number(b: &mut Builder, selection: &Selection) {
    let number = b.scratch(1, &Datatype::basic(Basic::Int));
    bcast::local(b, selection, &number, 0);
}

/// Which ranks share a host (SMPI's `init_smp`): everybody tells everybody its leader, leaders tell each other how many
/// they lead and tell their hosts whether these numbers are equal, and all agree whether the ranks of each host are
/// consecutive.
pub fn neighbours(b: &mut Builder) {
    let (hosts, selection, word) = (Hosts::new(b), Selection::new(Selector::Default), Datatype::basic(Basic::Int));
    let ring = |b: &mut Builder| {
        let all = b.scratch(i64::from(b.size), &word);
        allgather::ring(b, &selection, &Parts::Even(all.slice(0, 1)));
    };
    let own: Part = b.scratch(1, &word);
    ring(b);
    b.among(hosts.leaders(), ring);
    b.among(hosts.neighbours(b.rank), |b| bcast::scatter_ring(b, &own, 0));
    // What is combined makes no difference to the messages.
    if b.rank == 0 {
        let all = b.scratch(i64::from(b.size), &word);
        (1..b.size).for_each(|rank| b.recv(rank, &all.slice(i64::from(rank), 1)));
        b.fence();
    } else {
        b.send_wait(0, &own);
    }
    bcast::binomial(b, &own, 0);
}
