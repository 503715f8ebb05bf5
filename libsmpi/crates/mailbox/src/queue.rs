//! The queues of a mailbox: waiting sends and posted receives, each in posting order, with an index once they are long.
//!
//! A queue is an intrusive list in posting order. Up to [`SHORT`] entries, it is scanned. Longer queues are also linked
//! into *key lists*, one per distinct key, so that the oldest match is the head of a list found by hashing:
//!
//! - a receive lies in one key list: that of its own pattern. A send looks at the (at most four) patterns that accept
//!   its envelope, skips patterns without a posted receive, and takes the head with the lowest sequence number;
//! - a send lies in one key list for each kind of pattern in use at that mailbox (exact, any source, any tag, both).
//!   A receive takes the head of the list of its own pattern. The lists of a kind are built when the first receive
//!   of that kind meets the long queue, so that a program without wildcards pays for exact keys only.
//!
//! All queues share one hash map and one table of links; an empty queue owns no memory outside its [`Queue`].

use smpi_base::WorldRank;
use smpi_base::map::Map;

use crate::communication::{Link, NIL, Slab};
use crate::envelope::{Envelope, Kind};

/// Queues up to this length are scanned: comparing a few envelopes costs less than hashing one.
pub(crate) const SHORT: u32 = 8;

/// Which of the two queues of a mailbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Sends,
    Receives,
}

/// Key of a key list, packed for hashing: side, kind and rank with the context; source with the tag.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Key(u64, u64);

impl Key {
    #[inline]
    fn new(side: Side, owner: WorldRank, kind: Kind, envelope: &Envelope) -> Key {
        let masked = kind.mask(envelope);
        let head = u64::from(side == Side::Receives) << 31 | u64::from(kind.0) << 29 | u64::from(owner.0);
        Key(head << 32 | u64::from(masked.context), u64::from(masked.source) << 32 | u64::from(masked.tag as u32))
    }
}

#[derive(Clone, Copy, Debug)]
struct KeyList {
    head: u32,
    tail: u32,
}

/// The key lists of all long queues.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    lists: Map<Key, KeyList>,
    /// Neighbours in key lists, per kind and slot. Only as long as long queues have needed.
    links: [Vec<Link>; 4],
}

impl Index {
    fn append(&mut self, key: Key, kind: Kind, slot: u32) {
        let links = &mut self.links[usize::from(kind.0)];
        if links.len() <= slot as usize {
            links.resize(slot as usize + 1, Link::NONE);
        }
        let mut prev = NIL;
        self.lists
            .entry(key)
            .and_modify(|list| {
                prev = list.tail;
                list.tail = slot;
            })
            .or_insert(KeyList { head: slot, tail: slot });
        if prev != NIL {
            links[prev as usize].next = slot;
        }
        links[slot as usize] = Link { prev, next: NIL };
    }

    fn unlink(&mut self, key: Key, kind: Kind, slot: u32) {
        let links = &mut self.links[usize::from(kind.0)];
        let Link { prev, next } = links[slot as usize];
        if prev == NIL && next == NIL {
            self.lists.remove(&key);
            return;
        }
        if prev != NIL {
            links[prev as usize].next = next;
        } else if let Some(list) = self.lists.get_mut(&key) {
            list.head = next;
        }
        if next != NIL {
            links[next as usize].prev = prev;
        } else if let Some(list) = self.lists.get_mut(&key) {
            list.tail = prev;
        }
    }

    #[inline]
    fn head(&self, key: Key) -> Option<u32> {
        self.lists.get(&key).map(|list| list.head)
    }
}

#[cfg(test)]
impl Index {
    pub(crate) fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }
}

/// One queue of one mailbox. Which side it is and whose mailbox it is in is told to each call: 12 bytes and a set of
/// kinds.
#[derive(Clone, Debug)]
pub(crate) struct Queue {
    head: u32,
    tail: u32,
    len: u32,
    /// Kinds whose key lists hold the whole queue.
    indexed: u8,
}

impl Queue {
    pub(crate) const EMPTY: Queue = Queue { head: NIL, tail: NIL, len: 0, indexed: 0 };

    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// Oldest entry.
    pub(crate) fn head(&self) -> u32 {
        self.head
    }

    /// Appends a slot whose link is unused.
    #[inline]
    pub(crate) fn push(&mut self, side: Side, slab: &mut Slab, index: &mut Index, slot: u32) {
        slab.slot_mut(slot).link = Link { prev: self.tail, next: NIL };
        if self.tail == NIL {
            self.head = slot;
        } else {
            slab.slot_mut(self.tail).link.next = slot;
        }
        self.tail = slot;
        self.len += 1;
        if self.indexed != 0 {
            self.index_one(side, self.indexed, slab, index, slot);
        }
    }

    /// Takes an entry out, wherever it is.
    #[inline]
    pub(crate) fn remove(&mut self, side: Side, slab: &mut Slab, index: &mut Index, slot: u32) {
        let Link { prev, next } = slab.slot(slot).link;
        if prev == NIL {
            self.head = next;
        } else {
            slab.slot_mut(prev).link.next = next;
        }
        if next == NIL {
            self.tail = prev;
        } else {
            slab.slot_mut(next).link.prev = prev;
        }
        self.len -= 1;
        if self.indexed != 0 {
            self.unindex_one(side, slab, index, slot);
            if self.len <= SHORT / 2 {
                self.drop_index(side, slab, index);
            }
        }
    }

    /// The oldest waiting send that a receive of this kind accepts; `wanted` has zeros for its wildcards.
    #[inline]
    pub(crate) fn find_send(
        &mut self,
        owner: WorldRank,
        kind: Kind,
        wanted: &Envelope,
        slab: &Slab,
        index: &mut Index,
    ) -> Option<u32> {
        if self.len > SHORT && self.indexed & kind.bit() == 0 {
            self.build(Side::Sends, kind.bit(), slab, index);
        }
        self.look_for_send(owner, kind, wanted, slab, index)
    }

    /// The same without a chance to add an index: where there is none for this kind, a long queue is scanned as well.
    #[inline]
    pub(crate) fn look_for_send(
        &self,
        owner: WorldRank,
        kind: Kind,
        wanted: &Envelope,
        slab: &Slab,
        index: &Index,
    ) -> Option<u32> {
        if self.len <= SHORT || self.indexed & kind.bit() == 0 {
            return self.scan(slab, |slot| kind.accepts(wanted, &slab.slot(slot).comm.envelope));
        }
        index.head(Key::new(Side::Sends, owner, kind, wanted))
    }

    /// Indexes a long queue of sends for patterns that name a source.
    pub(crate) fn index_sources(&mut self, slab: &Slab, index: &mut Index) {
        let missing = (Kind::EXACT.bit() | Kind::ANY_TAG.bit()) & !self.indexed;
        if self.len > SHORT && missing != 0 {
            self.build(Side::Sends, missing, slab, index);
        }
    }

    /// The oldest posted receive that accepts this envelope; `posted` counts the receives of each kind.
    #[inline]
    pub(crate) fn find_receive(
        &mut self,
        owner: WorldRank,
        envelope: &Envelope,
        posted: &[u32; 4],
        slab: &Slab,
        index: &mut Index,
    ) -> Option<u32> {
        if self.len <= SHORT {
            return self.scan(slab, |slot| {
                let comm = &slab.slot(slot).comm;
                comm.kind.accepts(&comm.envelope, envelope)
            });
        }
        if self.indexed == 0 {
            self.build(Side::Receives, 0b1111, slab, index);
        }
        let mut oldest = None;
        for kind in Kind::ALL.into_iter().filter(|kind| posted[usize::from(kind.0)] != 0) {
            if let Some(slot) = index.head(Key::new(Side::Receives, owner, kind, envelope)) {
                let sequence = slab.slot(slot).comm.sequence;
                if oldest.is_none_or(|(lowest, _)| sequence < lowest) {
                    oldest = Some((sequence, slot));
                }
            }
        }
        oldest.map(|(_, slot)| slot)
    }

    #[inline]
    fn scan(&self, slab: &Slab, accepts: impl Fn(u32) -> bool) -> Option<u32> {
        let mut slot = self.head;
        while slot != NIL {
            if accepts(slot) {
                return Some(slot);
            }
            slot = slab.slot(slot).link.next;
        }
        None
    }

    /// Adds the key lists of `kinds`. Linear, but paid for by the postings that made the queue long.
    #[cold]
    fn build(&mut self, side: Side, kinds: u8, slab: &Slab, index: &mut Index) {
        let mut slot = self.head;
        while slot != NIL {
            self.index_one(side, kinds, slab, index, slot);
            slot = slab.slot(slot).link.next;
        }
        self.indexed |= kinds;
    }

    #[cold]
    fn drop_index(&mut self, side: Side, slab: &Slab, index: &mut Index) {
        let mut slot = self.head;
        while slot != NIL {
            self.unindex_one(side, slab, index, slot);
            slot = slab.slot(slot).link.next;
        }
        self.indexed = 0;
    }

    fn index_one(&self, side: Side, kinds: u8, slab: &Slab, index: &mut Index, slot: u32) {
        let comm = &slab.slot(slot).comm;
        for kind in lists_of(side, kinds, comm.kind) {
            index.append(Key::new(side, comm.to, kind, &comm.envelope), kind, slot);
        }
    }

    fn unindex_one(&self, side: Side, slab: &Slab, index: &mut Index, slot: u32) {
        let comm = &slab.slot(slot).comm;
        for kind in lists_of(side, self.indexed, comm.kind) {
            index.unlink(Key::new(side, comm.to, kind, &comm.envelope), kind, slot);
        }
    }
}

/// The kinds in whose key lists an entry lies when its queue is indexed for `kinds`.
fn lists_of(side: Side, kinds: u8, own: Kind) -> impl Iterator<Item = Kind> {
    let kinds = if side == Side::Receives { kinds & own.bit() } else { kinds };
    Kind::ALL.into_iter().filter(move |kind| kinds & kind.bit() != 0)
}
