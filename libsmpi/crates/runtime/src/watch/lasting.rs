//! Memory that a rank has given to MPI for longer than a call of Wait tells: the buffers of persistent requests between
//! two operations, and those of operations whose requests the program has freed.
//!
//! Source: MPI 5.0 §3.9 (a persistent request describes its buffer at every start), §3.7.3 (who frees an active request
//! is not told when its operation is over).

use smpi_mpi::buffers::Owned;
use smpi_mpi::p2p::request::RequestKey;
use smpi_mpi::usage::Origin;

/// An operation under way whose request the program has freed.
#[derive(Clone, Debug)]
pub struct Orphan {
    /// The key by which its memory is MPI's.
    pub key: RequestKey,
    /// The request.
    pub request: RequestKey,
    /// It receives: the rank can never tell that it is over.
    pub receives: bool,
    /// Where it was started.
    pub origin: Origin,
}

/// See the file's header.
#[derive(Clone, Debug, Default)]
pub struct Lasting {
    /// Buffers of persistent requests: from and up to.
    resting: Vec<(RequestKey, u64, u64)>,
    /// Persistent requests whose buffer was freed, and where.
    lost: Vec<(RequestKey, Origin)>,
    /// Blocks that were freed and are kept for a persistent request: from and up to.
    kept: Vec<(RequestKey, u64, u64)>,
    pub(super) orphans: Vec<Orphan>,
}

impl Lasting {
    /// A persistent request has these buffers.
    pub(super) fn rest(&mut self, request: RequestKey, memory: &[Owned]) {
        self.resting.extend(memory.iter().map(|owned| (request, owned.low, owned.high)));
    }

    /// The program frees the block at an address with these bytes, at a place. Whether persistent requests have some of
    /// them: then the block is to be kept.
    pub(super) fn lose(&mut self, (low, high): (u64, u64), place: impl FnOnce() -> Origin) -> bool {
        let meets = |piece: &&(RequestKey, u64, u64)| piece.1 < high && low < piece.2;
        let mut losing: Vec<RequestKey> = self.resting.iter().filter(meets).map(|piece| piece.0).collect();
        losing.dedup();
        if losing.is_empty() {
            return false;
        }
        let place = place();
        // It is given back once.
        self.kept.push((losing[0], low, high));
        for request in losing {
            if !self.lost.iter().any(|(other, _)| *other == request) {
                self.lost.push((request, place));
            }
        }
        true
    }

    /// Where the program has freed a buffer of a persistent request.
    pub(super) fn lost_at(&self, request: RequestKey) -> Option<Origin> {
        self.lost.iter().find(|(other, _)| *other == request).map(|(_, place)| *place)
    }

    /// A persistent request is no more. Gives the blocks that were kept for it.
    pub(super) fn forget(&mut self, request: RequestKey) -> Vec<u64> {
        self.resting.retain(|piece| piece.0 != request);
        self.lost.retain(|(other, _)| *other != request);
        // A block goes to another request that has some of it, if there is one.
        let resting = &self.resting;
        let heir = |low, high| resting.iter().find(|piece| piece.1 < high && low < piece.2).map(|piece| piece.0);
        let mut gone = Vec::new();
        self.kept.retain_mut(|(owner, low, high)| {
            if *owner != request {
                return true;
            }
            match heir(*low, *high) {
                Some(other) => *owner = other,
                None => gone.push(*low),
            }
            *owner != request
        });
        gone
    }

    /// A range of bytes around the buffers of persistent requests.
    pub(super) fn span(&self) -> Option<(u64, u64)> {
        let join = |(low, high): (u64, u64), (from, to): (u64, u64)| (low.min(from), high.max(to));
        self.resting.iter().map(|piece| (piece.1, piece.2)).reduce(join)
    }

    /// Whether there is anything.
    pub(super) fn is_empty(&self) -> bool {
        self.resting.is_empty() && self.lost.is_empty() && self.kept.is_empty() && self.orphans.is_empty()
    }

    /// Whether there is what does not follow from the rank's requests.
    pub(super) fn has_more(&self) -> bool {
        !self.lost.is_empty() || !self.orphans.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use smpi_base::table::Table;
    use smpi_mpi::collective::Part;
    use smpi_mpi::datatype::{Basic, Datatype};
    use smpi_mpi::memory::Addr;

    use super::*;

    fn bytes(at: u64, count: i64) -> Owned {
        Owned::of(&Part { at: Addr(at), count, datatype: Datatype::basic(Basic::Byte) }, true).unwrap()
    }

    #[test]
    fn a_block_is_kept_until_the_last_of_its_requests_is_freed() {
        let mut requests = Table::default();
        let (first, second) = (requests.insert(()).unwrap(), requests.insert(()).unwrap());
        let mut lasting = Lasting::default();
        lasting.rest(first, &[bytes(1000, 8), bytes(2000, 8)]);
        lasting.rest(second, &[bytes(1000, 4)]);
        assert_eq!(lasting.span(), Some((1000, 2008)));
        assert!(!lasting.lose((1100, 1200), Origin::default), "nobody has it");
        assert!(lasting.lose((1000, 1016), Origin::default) && lasting.lose((2000, 2016), Origin::default));
        assert!(lasting.lost_at(first).is_some() && lasting.lost_at(second).is_some());
        assert_eq!(lasting.forget(first), [2000], "the other one is described by a request that is left");
        assert_eq!(lasting.forget(second), [1000]);
        assert!(lasting.is_empty());
    }
}
