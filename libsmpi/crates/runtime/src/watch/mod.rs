//! Memory of one rank that somebody watches: what belongs to MPI, and results that nobody has looked at. Data; who
//! watches is above.

mod lasting;
mod results;
mod territory;

use std::rc::Rc;

use smpi_base::digest::Digest;
use smpi_base::table::Key;
use smpi_mpi::buffers::Owned;
use smpi_mpi::p2p::request::RequestKey;
use smpi_mpi::rma::WindowId;
use smpi_mpi::usage::Origin;

pub use lasting::{Lasting, Orphan};
pub use results::{Group, Meaning, Results, Unheard, meets};
pub use territory::Territory;

/// An access to a window that has buffers of the rank.
#[derive(Clone, Debug)]
struct Borrower {
    /// Its request, or a key that no request has.
    key: RequestKey,
    window: WindowId,
    target: u32,
    origin: Origin,
}

/// Memory of one rank that is of interest. A copy costs little: it is part of snapshots.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// Memory that belongs to MPI, if any.
    pub owned: Option<Rc<Territory>>,
    /// Accesses to windows that some of it belongs to.
    borrowers: Option<Rc<Vec<Borrower>>>,
    /// What was reported, by place and request.
    reported: Option<Rc<Vec<(u64, Origin)>>>,
    /// Results of calls that the program has not looked at.
    pub results: Option<Rc<Results>>,
    /// Memory that is MPI's for longer than an operation.
    lasting: Option<Rc<Lasting>>,
}

impl Watch {
    /// Adds what does not follow from the rank's requests to a name. True when there is something that has none:
    /// accesses to windows, results of Waitany that nobody has looked at, and operations without requests.
    pub fn name(&self, into: &mut Digest) -> bool {
        let has_lasting = self.lasting.as_ref().is_some_and(|lasting| lasting.has_more());
        let results = self.results.as_ref().map(|results| results.name());
        into.add(&results);
        self.borrowers.is_some() || results == Some(None) || has_lasting
    }

    /// Memory belongs to MPI because of a request.
    #[inline]
    pub fn add(&mut self, request: RequestKey, more: &[Owned]) {
        if !more.is_empty() {
            Rc::make_mut(self.owned.get_or_insert_default()).add(request, more);
        }
    }

    /// Memory belongs to MPI because of an access to a target of a window, which was made at `origin`.
    pub fn lend(
        &mut self,
        (window, target): (WindowId, u32),
        request: Option<RequestKey>,
        origin: Origin,
        memory: &[Owned],
    ) {
        let key = request.unwrap_or_else(|| self.unused_key());
        let borrowers = Rc::make_mut(self.borrowers.get_or_insert_default());
        borrowers.push(Borrower { key, window, target, origin });
        self.add(key, memory);
    }

    /// A key that no request has.
    fn unused_key(&self) -> RequestKey {
        let borrowers = self.borrowers.iter().flat_map(|all| all.iter()).map(|one| one.key.slot);
        let slot = borrowers.chain(self.orphans().map(|one| one.key.slot)).map(|slot| slot + 1);
        Key { slot: slot.fold(Key::MAX_SLOTS, u32::max), generation: 0 }
    }

    /// The program frees the request of an operation under way, which has this memory: it stays MPI's.
    pub fn orphan(&mut self, request: RequestKey, receives: bool, origin: Origin, memory: &[Owned]) {
        let key = self.unused_key();
        let lasting = Rc::make_mut(self.lasting.get_or_insert_default());
        lasting.orphans.push(Orphan { key, request, receives, origin });
        self.add(key, memory);
    }

    /// The operations under way without requests.
    pub fn orphans(&self) -> impl Iterator<Item = &Orphan> {
        self.lasting.iter().flat_map(|lasting| &lasting.orphans)
    }

    /// Such operations are over, and the rank knows.
    pub fn forget_orphans(&mut self, is_over: impl Fn(&Orphan) -> bool) {
        let over: Vec<RequestKey> = self.orphans().filter(|one| is_over(one)).map(|one| one.key).collect();
        if let Some(lasting) = self.lasting.as_mut().filter(|_| !over.is_empty()) {
            Rc::make_mut(lasting).orphans.retain(|one| !over.contains(&one.key));
            self.lasting.take_if(|lasting| lasting.is_empty());
            over.into_iter().for_each(|key| self.remove(key));
        }
    }

    /// A persistent request was made that has this memory.
    pub fn rest(&mut self, request: RequestKey, memory: &[Owned]) {
        if !memory.is_empty() {
            Rc::make_mut(self.lasting.get_or_insert_default()).rest(request, memory);
        }
    }

    /// The program frees a block. Whether it is to be kept, because persistent requests have it.
    pub fn lose(&mut self, bytes: (u64, u64), place: impl FnOnce() -> Origin) -> bool {
        self.lasting.as_mut().is_some_and(|lasting| Rc::make_mut(lasting).lose(bytes, place))
    }

    /// Where the program has freed a buffer of a persistent request.
    pub fn lost_at(&self, request: RequestKey) -> Option<Origin> {
        self.lasting.as_ref()?.lost_at(request)
    }

    /// A persistent request is no more; gives the addresses of the blocks that were kept for it.
    pub fn forget(&mut self, request: RequestKey) -> Vec<u64> {
        let Some(lasting) = &mut self.lasting else { return Vec::new() };
        let kept = Rc::make_mut(lasting).forget(request);
        self.lasting.take_if(|lasting| lasting.is_empty());
        kept
    }

    /// A range around the buffers of persistent requests.
    #[inline]
    pub fn resting(&self) -> Option<(u64, u64)> {
        self.lasting.as_ref()?.span()
    }

    /// The buffers of accesses to a target of a window, or to all, are the rank's again.
    pub fn give_back(&mut self, window: WindowId, target: Option<u32>) {
        let borrowers = self.borrowers.iter().flat_map(|all| all.iter());
        let is_over = |one: &&Borrower| one.window == window && target.is_none_or(|target| one.target == target);
        let over: Vec<RequestKey> = borrowers.filter(is_over).map(|one| one.key).collect();
        over.into_iter().for_each(|key| self.remove(key));
    }

    /// Where the access or the operation without a request was made that memory belongs to by this key, if it is one.
    pub fn borrowed_at(&self, key: RequestKey) -> Option<Origin> {
        let mut borrowers = self.borrowers.iter().flat_map(|all| all.iter());
        let borrower = borrowers.find(|one| one.key == key).map(|one| one.origin);
        borrower.or_else(|| self.orphans().find(|one| one.key == key).map(|one| one.origin))
    }

    /// It does not any more.
    #[inline]
    pub fn remove(&mut self, request: RequestKey) {
        if let Some(shared) = self.borrowers.as_mut().filter(|all| all.iter().any(|one| one.key == request)) {
            Rc::make_mut(shared).retain(|one| one.key != request);
            self.borrowers.take_if(|all| all.is_empty());
        }
        if let Some(shared) = self.owned.as_mut().filter(|owned| owned.has(request)) {
            let all = Rc::make_mut(shared);
            all.remove(request);
            if all.is_empty() {
                self.owned = None;
            }
        }
    }

    /// Limits around all of it, from and up to.
    #[inline]
    pub fn limits(&self) -> (usize, usize) {
        let own = self.owned.as_ref().and_then(|owned| owned.span());
        let own = own.map_or((usize::MAX, 0), |(low, high)| (low as usize, high as usize));
        match self.results.as_ref().and_then(|results| results.span()) {
            Some((low, high)) => (own.0.min(low as usize), own.1.max(high as usize)),
            None => own,
        }
    }

    /// What an access touches that it must not: the request, and whether it receives into that memory.
    #[inline]
    pub fn offended(&self, low: u64, high: u64, write: bool) -> Option<(RequestKey, bool)> {
        self.owned.as_ref()?.offended(low, high, write)
    }

    /// True when this was not reported before.
    pub fn is_new(&mut self, place: u64, origin: Origin) -> bool {
        let reported = self.reported.get_or_insert_default();
        let is_new = !reported.contains(&(place, origin));
        if is_new {
            Rc::make_mut(reported).push((place, origin));
        }
        is_new
    }
}

#[cfg(test)]
mod tests {
    use smpi_base::table::Table;
    use smpi_mpi::collective::Part;
    use smpi_mpi::datatype::{Basic, Datatype};
    use smpi_mpi::memory::Addr;

    use super::*;

    fn bytes(at: u64, count: i64, receives: bool) -> Owned {
        Owned::of(&Part { at: Addr(at), count, datatype: Datatype::basic(Basic::Byte) }, receives).unwrap()
    }

    #[test]
    fn limits_enclose_what_mpi_owns_and_what_was_not_looked_at() {
        let mut watch = Watch::default();
        let (low, high) = watch.limits();
        assert!(low > high, "nothing is of interest");
        let request = Table::default().insert(()).unwrap();
        watch.add(request, &[bytes(1000, 8, true), bytes(2000, 8, false)]);
        assert_eq!(watch.limits(), (1000, 2008));
        watch.results = Some(Rc::new(Results { places: vec![(500, 504)], group: None, polls: Vec::new() }));
        assert_eq!(watch.limits(), (500, 2008));
        watch.remove(request);
        assert_eq!(watch.limits(), (500, 504));
    }

    /// Snapshots share what they have in common, and keep what was.
    #[test]
    fn a_copy_does_not_change_with_the_original() {
        let mut requests = Table::default();
        let (first, second) = (requests.insert(()).unwrap(), requests.insert(()).unwrap());
        let mut watch = Watch::default();
        watch.add(first, &[bytes(1000, 8, true)]);
        assert!(watch.is_new(7, Origin::default()));
        let mut copy = watch.clone();
        watch.add(second, &[bytes(3000, 8, false)]);
        watch.remove(first);
        assert!(watch.is_new(8, Origin::default()) && !watch.is_new(7, Origin::default()));
        assert_eq!(copy.offended(1000, 1001, false), Some((first, true)));
        assert_eq!(copy.offended(3000, 3001, true), None);
        assert_eq!(watch.offended(1000, 1001, true), None);
        // Of memory that is sent from only writes are wrong.
        assert_eq!(watch.offended(3000, 3001, true), Some((second, false)));
        assert_eq!(watch.offended(3000, 3001, false), None);
        assert!(copy.is_new(8, Origin::default()) && !copy.is_new(7, Origin::default()));
    }
}
