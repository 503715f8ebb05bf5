//! The list of a rank: what is known of an array of requests that its calls are about again and again.
//!
//! `MPI_Waitany` and its kin are given all requests each time, though few have changed since the last call. So the
//! handles of that call are kept, and with each request its place among them. The next call compares the handles, which
//! is a look at 8 bytes for each and none at the requests, and lists what differs. Which requests are done is known as
//! they complete, and found without a search.
//!
//! A list is made when two such calls in a row are about one array. Here are no pointers: an array has a number that is
//! its own as long as it exists, its address.

use std::collections::BTreeSet;
use std::mem;

use smpi_base::WorldRank;

use super::{Driver, RankState, World};
use crate::error::Result;
use crate::p2p::request::{Phase, Place, Request, RequestKey};

/// Arrays with fewer requests are searched as quickly.
const LEAST: usize = 64;
/// Handles that are compared at once.
const BLOCK: usize = 256;

/// The list that a call is about, see [`World::list`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ListId {
    id: u32,
    count: usize,
}

/// One array of requests. The places of requests name its `id`.
#[derive(Clone, Debug, Default)]
pub(crate) struct List {
    /// Another whenever the list begins anew; 0 is that of no list.
    id: u32,
    /// The array of the list, and that of the last call for which there was none.
    array: u64,
    other: u64,
    /// What the array held in the last call.
    handles: Vec<u64>,
    /// Places whose requests are gone since.
    gone: Vec<u32>,
    /// Places whose requests are done.
    done: BTreeSet<u32>,
    /// How many requests are active.
    active: u32,
    /// The rank is blocked until one of them is done.
    is_awaited: bool,
}

impl List {
    /// Forgets all requests.
    fn begin(&mut self, array: u64) {
        *self = List { id: self.id + 1, array, handles: mem::take(&mut self.handles), ..List::default() };
        self.handles.clear();
    }

    /// The place of a request, if it is in the list.
    fn place(&self, request: &Request) -> Option<u32> {
        (self.id > 0 && request.place.list == self.id).then_some(request.place.index)
    }

    /// Counts a request that comes to a place, or is in another phase now.
    fn enter(&mut self, index: u32, phase: Phase) {
        match phase {
            Phase::Inactive => {}
            Phase::Active => self.active += 1,
            Phase::Done => _ = self.done.insert(index),
        }
    }

    /// The opposite of [`List::enter`].
    fn exit(&mut self, index: u32, phase: Phase) {
        match phase {
            Phase::Inactive => {}
            Phase::Active => self.active -= 1,
            Phase::Done => _ = self.done.remove(&index),
        }
    }

    /// The places where the array differs from what it held before.
    fn differing(&self, array: &[u64]) -> Vec<usize> {
        let mut places: Vec<usize> = self.gone.iter().map(|&place| place as usize).collect();
        let blocks = array.chunks(BLOCK).zip(self.handles.chunks(BLOCK)).enumerate();
        for (block, (now, before)) in blocks.filter(|(_, (now, before))| now != before) {
            let pairs = now.iter().zip(before).enumerate();
            places.extend(pairs.filter(|(_, (now, before))| now != before).map(|(index, _)| block * BLOCK + index));
        }
        places
    }
}

impl RankState {
    /// Whether the rank is blocked until (among others) this request is done.
    pub fn waits_for(&self, request: &Request) -> bool {
        let is_listed = |list: &List| list.is_awaited && list.place(request).is_some();
        request.waited || request.phase == Phase::Active && self.list.as_deref().is_some_and(is_listed)
    }

    /// Sets how far a request is. True when the rank waits for any of its list, and this one is now done.
    #[inline]
    pub(super) fn set_phase(&mut self, slot: u32, phase: Phase) -> bool {
        let Some(request) = self.requests.at_slot_mut(slot) else { return false };
        let before = mem::replace(&mut request.phase, phase);
        self.list.is_some() && self.set_phase_in_list(slot, before, phase)
    }

    #[inline(never)]
    fn set_phase_in_list(&mut self, slot: u32, before: Phase, phase: Phase) -> bool {
        let (Some(list), Some(request)) = (&mut self.list, self.requests.at_slot(slot)) else { return false };
        let Some(index) = list.place(request) else { return false };
        list.exit(index, before);
        list.enter(index, phase);
        list.is_awaited && phase == Phase::Done
    }

    /// Takes a request off the list: it is about to be removed.
    #[inline]
    pub(super) fn unlist(&mut self, key: RequestKey) {
        if self.list.is_some() {
            self.unlist_listed(key);
        }
    }

    #[inline(never)]
    fn unlist_listed(&mut self, key: RequestKey) {
        if let (Some(list), Some(request)) = (&mut self.list, self.requests.get(key))
            && let Some(index) = list.place(request)
        {
            list.exit(index, request.phase);
            list.gone.push(index);
        }
    }

    /// Lists what the array holds now; `read` makes keys of handles. False when that cannot be: a handle is not one, or
    /// in two places.
    fn update_list(&mut self, array: &[u64], read: &impl Fn(u64) -> Result<Option<RequestKey>>) -> bool {
        let Some(list) = &mut self.list else { return false };
        let differing = list.differing(array);
        list.gone.clear();
        let shorter = array.len().min(list.handles.len());
        let mut left: Vec<u64> = differing.iter().map(|&index| list.handles[index]).collect();
        left.extend(list.handles.drain(shorter..));
        for key in left.into_iter().filter_map(|handle| read(handle).ok().flatten()) {
            if let Some(request) = self.requests.get_mut(key)
                && let Some(index) = list.place(request)
            {
                list.exit(index, request.phase);
                request.place = Place::default();
            }
        }
        list.handles.extend_from_slice(&array[shorter..]);
        for index in differing.into_iter().filter(|&index| index < shorter).chain(shorter..array.len()) {
            list.handles[index] = array[index];
            let Ok(key) = read(array[index]) else { return false };
            let Some(key) = key else { continue };
            let Some(request) = self.requests.get_mut(key) else { return false };
            if list.place(request).is_some_and(|place| place as usize != index) {
                return false;
            }
            if list.place(request).is_none() {
                request.place = Place { list: list.id, index: index as u32 };
                list.enter(index as u32, request.phase);
            }
        }
        true
    }
}

impl World {
    /// A call of `rank` is about an array of requests: lists them, if that is worth while and can be done. `array`
    /// names the array, `handles` are what it holds, and `read` makes keys of them. In a list, all are of requests, or
    /// null.
    pub fn list<D: Driver>(
        &mut self,
        driver: &D,
        rank: WorldRank,
        (array, handles): (u64, &[u64]),
        read: impl Fn(u64) -> Result<Option<RequestKey>>,
    ) -> Option<ListId> {
        // Where anything else could happen, all requests are asked about anyway.
        if handles.len() < LEAST || driver.explores() {
            return None;
        }
        let state = &mut self.state.ranks[rank.index()];
        let list = state.list.get_or_insert_default();
        if list.array != array {
            if mem::replace(&mut list.other, array) != array {
                return None;
            }
            list.begin(array);
        }
        list.other = 0;
        let id = list.id;
        if state.update_list(handles, &read) {
            return Some(ListId { id, count: handles.len() });
        }
        state.list.iter_mut().for_each(|list| list.begin(0));
        None
    }

    /// The list, unless another has taken its place (in a function of the program that the call has called).
    fn list_of(&self, rank: WorldRank, id: ListId) -> Option<&List> {
        self.state.ranks[rank.index()].list.as_deref().filter(|list| list.id == id.id && list.handles.len() == id.count)
    }

    /// Whether any request of a list is active or done; `None` when the list is not there any more.
    pub fn is_list_open(&self, rank: WorldRank, id: ListId) -> Option<bool> {
        self.list_of(rank, id).map(|list| list.active > 0 || !list.done.is_empty())
    }

    /// The first place at `from` or later whose request is done; `None` when the list is not there any more.
    pub fn done_in_list(&self, rank: WorldRank, id: ListId, from: u32) -> Option<Option<u32>> {
        self.list_of(rank, id).map(|list| list.done.range(from..).next().copied())
    }

    /// Declares that `rank` waits for any one of a list, as for requests that are named one by one: true when one is
    /// done or none is active. `None` when the list is not there any more.
    pub(super) fn wait_for_list(&mut self, rank: WorldRank, id: ListId) -> Option<bool> {
        let goes_on = self.list_of(rank, id).map(|list| list.active == 0 || !list.done.is_empty())?;
        let state = &mut self.state.ranks[rank.index()];
        state.list.as_mut()?.is_awaited = !goes_on;
        state.waiting = u32::from(!goes_on);
        Some(goes_on)
    }
}
