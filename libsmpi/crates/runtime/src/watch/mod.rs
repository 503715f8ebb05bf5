//! Memory of one rank that somebody watches: what belongs to MPI, and results that nobody has looked at. Data; who
//! watches is above.

mod results;
mod territory;

use std::rc::Rc;

use smpi_mpi::buffers::Owned;
use smpi_mpi::p2p::request::RequestKey;
use smpi_mpi::usage::Origin;

pub use results::{Group, Meaning, Results, meets};
pub use territory::Territory;

/// Memory of one rank that is of interest. A copy costs little: it is part of snapshots.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// Memory that belongs to MPI, if any.
    pub owned: Option<Rc<Territory>>,
    /// What was reported, by place and request.
    reported: Option<Rc<Vec<(u64, Origin)>>>,
    /// Results of calls that the program has not looked at.
    pub results: Option<Rc<Results>>,
}

impl Watch {
    /// Memory belongs to MPI because of a request.
    #[inline]
    pub fn add(&mut self, request: RequestKey, more: &[Owned]) {
        if !more.is_empty() {
            Rc::make_mut(self.owned.get_or_insert_default()).add(request, more);
        }
    }

    /// It does not any more.
    #[inline]
    pub fn remove(&mut self, request: RequestKey) {
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
