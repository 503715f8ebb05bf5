//! The messages with which SMPI makes communicators, where the table in use is one of SMPI's.
//!
//! To split one, the first rank gathers colours and keys and tells each rank its group. The first rank of every new
//! communicator broadcasts its number. Nothing else is sent: ranks of a duplicate know their group. Source: SimGrid
//! 4.1's `smpi_comm.cpp`; what ranks really have to know is in [`crate::agreements`].

use crate::collective::select::{Selection, Selector, Waits};
use crate::collective::{Builder, bcast};
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
