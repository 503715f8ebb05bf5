//! Maps that keep the order in which keys were first set, and know the place of each entry.
//!
//! Every operation costs the logarithm of the entries at most: a hash map leads to a slot, slots are in order, and a
//! Fenwick tree counts the entries up to each slot (Fenwick, "A new data structure for cumulative frequency tables",
//! 1994). Slots of removed entries stay empty until there are more of them than entries.

use std::borrow::Borrow;
use std::hash::{Hash, Hasher};

use crate::map::Map;

/// A map in the order in which its keys were first set.
#[derive(Clone, Debug)]
pub struct OrderedMap<K, V> {
    /// Slots of the keys.
    slots: Map<K, u32>,
    /// Entries in order, with gaps where some were removed. The last slot is none.
    entries: Vec<Option<(K, V)>>,
    /// Node `i` counts the entries in as many slots up to `i` as the lowest bit of `i + 1` says.
    counts: Vec<u32>,
}

impl<K, V> Default for OrderedMap<K, V> {
    fn default() -> Self {
        OrderedMap { slots: Map::default(), entries: Vec::new(), counts: Vec::new() }
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for OrderedMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.entries.iter().flatten().eq(other.entries.iter().flatten())
    }
}

impl<K: Eq, V: Eq> Eq for OrderedMap<K, V> {}

impl<K: Hash, V: Hash> Hash for OrderedMap<K, V> {
    fn hash<H: Hasher>(&self, into: &mut H) {
        self.slots.len().hash(into);
        self.entries.iter().flatten().for_each(|entry| entry.hash(into));
    }
}

impl<K, V> OrderedMap<K, V> {
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// True without entries.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The entry in place `place`, from 0.
    pub fn nth(&self, place: usize) -> Option<(&K, &V)> {
        let entry = self.entries.get(self.slot_of(u32::try_from(place).ok()?)?)?;
        entry.as_ref().map(|(key, value)| (key, value))
    }

    /// The entry that was set last, if it is still there, or the one before.
    pub fn last(&self) -> Option<(&K, &V)> {
        self.entries.last()?.as_ref().map(|(key, value)| (key, value))
    }

    /// Keys and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.entries.iter().flatten().map(|(key, value)| (key, value))
    }

    /// The slot of the entry with `place` entries before it.
    fn slot_of(&self, mut place: u32) -> Option<usize> {
        let mut before = 0;
        let mut step = self.counts.len().checked_ilog2().map_or(0, |log| 1 << log);
        while step > 0 {
            if let Some(&count) = self.counts.get(before + step - 1)
                && count <= place
            {
                place -= count;
                before += step;
            }
            step /= 2;
        }
        (before < self.entries.len()).then_some(before)
    }

    /// Appends the count of a slot with an entry to the tree.
    fn count_last(&mut self) {
        let node = self.counts.len();
        // The nodes right below, which end where the one before ends.
        let (mut count, mut below, first) = (1, node, node & (node + 1));
        while below > first {
            count += self.counts[below - 1];
            below &= below - 1;
        }
        self.counts.push(count);
    }

    /// One entry less in a slot.
    fn discount(&mut self, slot: usize) {
        let mut node = slot;
        while let Some(count) = self.counts.get_mut(node) {
            *count -= 1;
            node |= node + 1;
        }
    }
}

impl<K: Clone + Eq + Hash, V> OrderedMap<K, V> {
    /// The value of a key.
    pub fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let slot = *self.slots.get(key)? as usize;
        self.entries[slot].as_ref().map(|(_, value)| value)
    }

    /// Sets a key. A value that was there is replaced, in its place, and returned.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        if let Some(&slot) = self.slots.get(&key)
            && let Some(entry) = &mut self.entries[slot as usize]
        {
            return Some(std::mem::replace(&mut entry.1, value));
        }
        self.slots.insert(key.clone(), self.entries.len() as u32);
        self.entries.push(Some((key, value)));
        self.count_last();
        None
    }

    /// Removes a key and returns its value.
    pub fn remove<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let slot = self.slots.remove(key)? as usize;
        let (_, value) = self.entries[slot].take()?;
        self.discount(slot);
        while let Some(None) = self.entries.last() {
            self.entries.pop();
            self.counts.pop();
        }
        if self.entries.len() > 2 * self.slots.len() {
            self.close_gaps();
        }
        Some(value)
    }

    fn close_gaps(&mut self) {
        self.counts.clear();
        self.entries.retain(Option::is_some);
        for (slot, (key, _)) in self.entries.iter().flatten().enumerate() {
            if let Some(place) = self.slots.get_mut(key) {
                *place = slot as u32;
            }
        }
        for _ in 0..self.entries.len() {
            self.count_last();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// The same with a list.
    #[derive(Default)]
    struct Slow(Vec<(u32, u32)>);

    impl Slow {
        fn insert(&mut self, key: u32, value: u32) -> Option<u32> {
            if let Some(entry) = self.0.iter_mut().find(|entry| entry.0 == key) {
                return Some(std::mem::replace(&mut entry.1, value));
            }
            self.0.push((key, value));
            None
        }

        fn remove(&mut self, key: u32) -> Option<u32> {
            let place = self.0.iter().position(|entry| entry.0 == key)?;
            Some(self.0.remove(place).1)
        }
    }

    #[test]
    fn it_does_what_a_list_does() {
        let mut random = Rng::new(1);
        for keys in [1, 3, 10, 60] {
            let (mut map, mut slow) = (OrderedMap::default(), Slow::default());
            for value in 0..2_000_usize {
                let key = random.below(keys) as u32;
                // Growing and shrinking in turns, so that gaps come and are closed.
                if random.below(10) < 3 + value / 500 % 2 * 4 {
                    assert_eq!(map.remove(&key), slow.remove(key));
                } else {
                    assert_eq!(map.insert(key, value as u32), slow.insert(key, value as u32));
                }
                assert_eq!(map.len(), slow.0.len());
                assert!(map.iter().eq(slow.0.iter().map(|(key, value)| (key, value))));
                assert_eq!(map.last(), slow.0.last().map(|(key, value)| (key, value)));
                for place in 0..=slow.0.len() {
                    assert_eq!(map.nth(place), slow.0.get(place).map(|(key, value)| (key, value)));
                }
                assert_eq!(map.get(&key).copied(), slow.0.iter().find(|entry| entry.0 == key).map(|entry| entry.1));
            }
        }
    }

    #[test]
    fn maps_are_equal_that_have_the_same_entries_in_the_same_order() {
        let of = |keys: &[u32]| {
            let mut map = OrderedMap::default();
            keys.iter().for_each(|&key| assert_eq!(map.insert(key, ()), None));
            map
        };
        let mut one = of(&[1, 2, 3, 4]);
        one.remove(&2);
        assert_eq!(one, of(&[1, 3, 4]));
        assert_ne!(one, of(&[3, 1, 4]));
        assert_ne!(one, of(&[1, 3]));
    }
}
