//! Generational tables: values addressed by small keys that notice when they are stale.
//!
//! Freed slots are reused last-in first-out, so the keys that a rank sees depend only on what that rank did. A table
//! may be told to [forget](Table::forget_keys) the keys that were removed: then the next key depends only on which ones
//! are there, and a stale key is noticed only as long as its slot is free.

use std::hash::{Hash, Hasher};

/// Key of a [`Table`] entry: slot number and the generation in which it was handed out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Key {
    /// Slot number, below [`Key::MAX_SLOTS`].
    pub slot: u32,
    /// Times the slot had been reused before, modulo [`Key::GENERATIONS`].
    pub generation: u8,
}

impl Key {
    /// Slots a table can have: keys must fit the 31-bit handles of the C ABI.
    pub const MAX_SLOTS: u32 = 1 << 20;
    /// Generations before a slot's numbers repeat.
    pub const GENERATIONS: u8 = 64;
}

/// Values in numbered slots that are used again, each time with another generation.
#[derive(Clone, Debug)]
pub struct Table<T> {
    /// The generation of each slot's value, with [`LIVE`], or of the next one. Apart from the values, so that to look
    /// at many keys touches little memory.
    generations: Vec<u8>,
    /// The values. Invariant: there is one where the generation has [`LIVE`].
    values: Vec<Option<T>>,
    /// Slots without a value, the one to use next last. Invariant: all of them, each once.
    free: Vec<u32>,
    /// Removed keys are forgotten: generations are 0, and the lowest free slot is used next.
    forgets: bool,
}

/// Set in the generation of a slot with a value.
const LIVE: u8 = 1 << 7;
const _: () = assert!(Key::GENERATIONS <= LIVE);

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table { generations: Vec::new(), values: Vec::new(), free: Vec::new(), forgets: false }
    }
}

/// The values with their keys; what else the next keys depend on only where removed ones are not forgotten.
impl<T: Hash> Hash for Table<T> {
    fn hash<H: Hasher>(&self, into: &mut H) {
        self.len().hash(into);
        self.iter().for_each(|entry| entry.hash(into));
        if !self.forgets {
            (&self.generations, &self.free).hash(into);
        }
    }
}

impl<T> Table<T> {
    /// From now on keys depend on which ones are there, and not on those that were removed. The table must be empty.
    pub fn forget_keys(&mut self) {
        *self = Table { forgets: true, ..Table::default() };
    }

    /// Stores a value. `None` when all [`Key::MAX_SLOTS`] slots are taken.
    #[inline]
    pub fn insert(&mut self, value: T) -> Option<Key> {
        if let Some(slot) = self.free.pop() {
            let generation = self.generations[slot as usize];
            self.generations[slot as usize] = generation | LIVE;
            self.values[slot as usize] = Some(value);
            return Some(Key { slot, generation });
        }
        let slot = self.values.len() as u32;
        if slot >= Key::MAX_SLOTS {
            return None;
        }
        self.generations.push(LIVE);
        self.values.push(Some(value));
        Some(Key { slot, generation: 0 })
    }

    /// Whether the key has a value.
    #[inline]
    pub fn contains(&self, key: Key) -> bool {
        self.generations.get(key.slot as usize) == Some(&(key.generation | LIVE))
    }

    /// The value of a key, or `None` when it was removed (or never existed).
    pub fn get(&self, key: Key) -> Option<&T> {
        if self.contains(key) { self.at_slot(key.slot) } else { None }
    }

    /// Like [`Table::get`], for changing the value.
    pub fn get_mut(&mut self, key: Key) -> Option<&mut T> {
        if self.contains(key) { self.at_slot_mut(key.slot) } else { None }
    }

    /// The live value in a slot, whatever its generation: for keys that cannot be stale.
    pub fn at_slot(&self, slot: u32) -> Option<&T> {
        self.values.get(slot as usize)?.as_ref()
    }

    /// Like [`Table::at_slot`], for changing the value.
    pub fn at_slot_mut(&mut self, slot: u32) -> Option<&mut T> {
        self.values.get_mut(slot as usize)?.as_mut()
    }

    /// The full key of a live slot.
    pub fn key_at(&self, slot: u32) -> Option<Key> {
        let generation = *self.generations.get(slot as usize)?;
        (generation & LIVE != 0).then_some(Key { slot, generation: generation & !LIVE })
    }

    /// Removes the value and returns it; the key is stale from now on.
    pub fn remove(&mut self, key: Key) -> Option<T> {
        if !self.contains(key) {
            return None;
        }
        self.release(key);
        self.values[key.slot as usize].take()
    }

    /// Drops the value where it is, without moving it; the key is stale from now on.
    pub fn discard(&mut self, key: Key) {
        if self.contains(key) {
            self.release(key);
            self.values[key.slot as usize] = None;
        }
    }

    /// Makes the slot of a live key the next one to be used.
    fn release(&mut self, key: Key) {
        if self.forgets {
            self.generations[key.slot as usize] = 0;
            let place = self.free.partition_point(|&slot| slot > key.slot);
            return self.free.insert(place, key.slot);
        }
        self.generations[key.slot as usize] = (key.generation + 1) % Key::GENERATIONS;
        self.free.push(key.slot);
    }

    /// True when the slot exists and its entry was freed since `key` was handed out.
    pub fn is_stale(&self, key: Key) -> bool {
        (key.slot as usize) < self.generations.len() && !self.contains(key)
    }

    /// Live entries in slot order.
    pub fn iter(&self) -> impl Iterator<Item = (Key, &T)> {
        let slots = self.generations.iter().zip(&self.values).enumerate();
        slots.filter_map(|(slot, (generation, value))| {
            value.as_ref().map(|value| (Key { slot: slot as u32, generation: generation & !LIVE }, value))
        })
    }

    /// Live values in slot order, for changing them.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.values.iter_mut().flatten()
    }

    /// Number of live entries.
    pub fn len(&self) -> usize {
        self.values.len() - self.free.len()
    }

    /// True when nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removed_keys_are_stale() {
        let mut table = Table::default();
        let first = table.insert("a").unwrap();
        assert_eq!(table.remove(first), Some("a"));
        let second = table.insert("b").unwrap();
        assert_eq!(second.slot, first.slot);
        assert_eq!(table.get(first), None);
        assert!(table.is_stale(first));
        assert_eq!(table.get(second), Some(&"b"));
        assert_eq!(table.len(), 1);
    }

    #[test]
    fn a_table_that_forgets_gives_the_same_keys_whatever_was_removed() {
        let mut table = Table::default();
        table.forget_keys();
        let keys: Vec<Key> = (0..4).map(|value| table.insert(value).unwrap()).collect();
        [2, 0, 1].iter().for_each(|&removed| _ = table.remove(keys[removed]));
        let mut other = Table::default();
        other.forget_keys();
        let others: Vec<Key> = (0..4).map(|value| other.insert(value).unwrap()).collect();
        (0..3).for_each(|removed| other.discard(others[removed]));
        use crate::digest::Digest;
        assert_eq!(Digest::of(&table), Digest::of(&other));
        for slot in [0, 1, 2, 4] {
            assert_eq!(table.insert(7), Some(Key { slot, generation: 0 }));
            assert_ne!(Digest::of(&table), Digest::of(&other));
            assert_eq!(other.insert(7), Some(Key { slot, generation: 0 }));
            assert_eq!(Digest::of(&table), Digest::of(&other));
        }
    }

    #[test]
    fn a_slot_goes_through_all_generations_and_begins_again() {
        let mut table = Table::default();
        let first = table.insert(0).unwrap();
        let mut key = first;
        for value in 1..=u32::from(Key::GENERATIONS) {
            table.discard(key);
            assert!(!table.contains(key) && table.key_at(key.slot).is_none() && table.remove(key).is_none());
            let next = table.insert(value).unwrap();
            assert_eq!((next.slot, next.generation), (key.slot, (key.generation + 1) % Key::GENERATIONS));
            assert!(table.contains(next) && table.key_at(key.slot) == Some(next));
            assert_eq!(table.iter().collect::<Vec<_>>(), [(next, &value)]);
            key = next;
        }
        assert_eq!(key, first);
        let absent = Key { slot: 1, generation: 0 };
        assert!(!table.contains(absent) && !table.is_stale(absent));
    }
}
