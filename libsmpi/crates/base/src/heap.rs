//! A heap whose entries are addressed by small integers: the key of an entry can be changed, and an entry can be
//! removed, both in O(log n).
//!
//! The heap is four-ary (fewer levels, one cache line of children per level) and keeps the keys inline, so that
//! sifting does not touch anything else. Entries of equal key leave in an order that follows from the sequence
//! of operations alone; whoever needs a finer order sorts what it took out.

/// A place in [`IndexedHeap::places`] that says "not in the heap".
const ABSENT: u32 = u32::MAX;

/// A minimum heap of `(key, id)` with ids below `u32::MAX`.
#[derive(Clone, Debug)]
pub struct IndexedHeap<K> {
    /// Invariant: no entry has a smaller key than its parent, the one at `(position - 1) / 4`.
    entries: Vec<(K, u32)>,
    /// Position of every id in `entries`, or [`ABSENT`]. Invariant: `entries[places[id]]` is that of `id`.
    places: Vec<u32>,
}

impl<K> Default for IndexedHeap<K> {
    fn default() -> Self {
        IndexedHeap { entries: Vec::new(), places: Vec::new() }
    }
}

impl<K: Copy + PartialOrd> IndexedHeap<K> {
    /// An empty heap.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True when nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The smallest key and its id.
    pub fn peek(&self) -> Option<(K, u32)> {
        self.entries.first().copied()
    }

    /// The key of an id that is in the heap.
    pub fn key(&self, id: u32) -> Option<K> {
        match self.places.get(id as usize) {
            Some(&place) if place != ABSENT => Some(self.entries[place as usize].0),
            _ => None,
        }
    }

    /// Inserts an id, or changes its key when it is there already.
    pub fn set(&mut self, id: u32, key: K) {
        if id as usize >= self.places.len() {
            self.places.resize(id as usize + 1, ABSENT);
        }
        let place = self.places[id as usize];
        if place == ABSENT {
            self.entries.push((key, id));
            self.sift_up(self.entries.len() - 1);
        } else if key < self.entries[place as usize].0 {
            self.entries[place as usize].0 = key;
            self.sift_up(place as usize);
        } else {
            self.entries[place as usize].0 = key;
            self.sift_down(place as usize);
        }
    }

    /// Removes an id; false when it was not in the heap.
    pub fn remove(&mut self, id: u32) -> bool {
        match self.places.get(id as usize) {
            Some(&place) if place != ABSENT => {
                self.take(place as usize);
                true
            }
            _ => false,
        }
    }

    /// Removes the entry with the smallest key.
    pub fn pop(&mut self) -> Option<(K, u32)> {
        let top = self.peek()?;
        self.take(0);
        Some(top)
    }

    /// Removes all entries; keeps the memory.
    pub fn clear(&mut self) {
        for &(_, id) in &self.entries {
            self.places[id as usize] = ABSENT;
        }
        self.entries.clear();
    }

    fn take(&mut self, place: usize) {
        let (key, id) = self.entries[place];
        self.places[id as usize] = ABSENT;
        let Some(last) = self.entries.pop() else { return };
        if place == self.entries.len() {
            return;
        }
        self.entries[place] = last;
        if last.0 < key {
            self.sift_up(place);
        } else {
            self.sift_down(place);
        }
    }

    fn sift_up(&mut self, mut place: usize) {
        let moving = self.entries[place];
        while place > 0 {
            let parent = (place - 1) / 4;
            let above = self.entries[parent];
            if moving.0 >= above.0 {
                break;
            }
            self.entries[place] = above;
            self.places[above.1 as usize] = place as u32;
            place = parent;
        }
        self.entries[place] = moving;
        self.places[moving.1 as usize] = place as u32;
    }

    fn sift_down(&mut self, mut place: usize) {
        let moving = self.entries[place];
        let len = self.entries.len();
        loop {
            let first = 4 * place + 1;
            if first >= len {
                break;
            }
            let mut best = first;
            for child in first + 1..(first + 4).min(len) {
                if self.entries[child].0 < self.entries[best].0 {
                    best = child;
                }
            }
            let below = self.entries[best];
            if moving.0 <= below.0 {
                break;
            }
            self.entries[place] = below;
            self.places[below.1 as usize] = place as u32;
            place = best;
        }
        self.entries[place] = moving;
        self.places[moving.1 as usize] = place as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// The slow twin: a sorted list of (key, id).
    fn smallest(list: &[(f64, u32)]) -> Option<f64> {
        list.iter().map(|e| e.0).min_by(f64::total_cmp)
    }

    #[test]
    fn behaves_like_a_sorted_list() {
        let mut rng = Rng::new(7);
        let mut heap = IndexedHeap::new();
        let mut list: Vec<(f64, u32)> = Vec::new();
        for _ in 0..20_000 {
            let id = rng.below(300) as u32;
            match rng.below(4) {
                0 | 1 => {
                    let key = rng.below(1000) as f64;
                    heap.set(id, key);
                    list.retain(|e| e.1 != id);
                    list.push((key, id));
                }
                2 => {
                    assert_eq!(heap.remove(id), list.iter().any(|e| e.1 == id));
                    list.retain(|e| e.1 != id);
                }
                _ => {
                    let popped = heap.pop();
                    assert_eq!(popped.map(|p| p.0), smallest(&list));
                    if let Some((key, id)) = popped {
                        let place = list.iter().position(|e| *e == (key, id)).expect("popped entries were pushed");
                        list.remove(place);
                    }
                }
            }
            assert_eq!(heap.len(), list.len());
            assert_eq!(heap.peek().map(|p| p.0), smallest(&list));
            for &(key, id) in &list {
                assert_eq!(heap.key(id), Some(key));
            }
        }
    }
}
