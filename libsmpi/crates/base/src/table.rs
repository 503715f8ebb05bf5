//! Generational tables: values addressed by small keys that notice when they are stale.
//!
//! Freed slots are reused last-in first-out, so the keys that a rank sees depend only on what that rank did.

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
    slots: Vec<Slot<T>>,
    /// Slots without a value, the one to use next last. Invariant: all of them, each once.
    free: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Slot<T> {
    /// Of the value, or of the next one.
    generation: u8,
    value: Option<T>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table { slots: Vec::new(), free: Vec::new() }
    }
}

impl<T> Table<T> {
    /// Stores a value. `None` when all [`Key::MAX_SLOTS`] slots are taken.
    #[inline]
    pub fn insert(&mut self, value: T) -> Option<Key> {
        if let Some(slot) = self.free.pop() {
            let entry = &mut self.slots[slot as usize];
            entry.value = Some(value);
            return Some(Key { slot, generation: entry.generation });
        }
        let slot = self.slots.len() as u32;
        if slot >= Key::MAX_SLOTS {
            return None;
        }
        self.slots.push(Slot { generation: 0, value: Some(value) });
        Some(Key { slot, generation: 0 })
    }

    /// The value of a key, or `None` when it was removed (or never existed).
    pub fn get(&self, key: Key) -> Option<&T> {
        self.slots.get(key.slot as usize).filter(|s| s.generation == key.generation)?.value.as_ref()
    }

    /// Like [`Table::get`], for changing the value.
    pub fn get_mut(&mut self, key: Key) -> Option<&mut T> {
        self.slots.get_mut(key.slot as usize).filter(|s| s.generation == key.generation)?.value.as_mut()
    }

    /// The live value in a slot, whatever its generation: for keys that cannot be stale.
    pub fn at_slot(&self, slot: u32) -> Option<&T> {
        self.slots.get(slot as usize)?.value.as_ref()
    }

    /// Like [`Table::at_slot`], for changing the value.
    pub fn at_slot_mut(&mut self, slot: u32) -> Option<&mut T> {
        self.slots.get_mut(slot as usize)?.value.as_mut()
    }

    /// The full key of a live slot.
    pub fn key_at(&self, slot: u32) -> Option<Key> {
        let entry = self.slots.get(slot as usize)?;
        entry.value.is_some().then_some(Key { slot, generation: entry.generation })
    }

    /// Removes the value and returns it; the key is stale from now on.
    pub fn remove(&mut self, key: Key) -> Option<T> {
        let entry = self.slots.get_mut(key.slot as usize).filter(|s| s.generation == key.generation)?;
        let value = entry.value.take()?;
        entry.generation = (entry.generation + 1) % Key::GENERATIONS;
        self.free.push(key.slot);
        Some(value)
    }

    /// Drops the value where it is, without moving it; the key is stale from now on.
    pub fn discard(&mut self, key: Key) {
        if let Some(entry) = self.slots.get_mut(key.slot as usize).filter(|s| s.generation == key.generation)
            && entry.value.is_some()
        {
            entry.value = None;
            entry.generation = (entry.generation + 1) % Key::GENERATIONS;
            self.free.push(key.slot);
        }
    }

    /// True when the slot exists and its entry was freed since `key` was handed out.
    pub fn is_stale(&self, key: Key) -> bool {
        self.slots.get(key.slot as usize).is_some_and(|s| s.generation != key.generation || s.value.is_none())
    }

    /// Live entries in slot order.
    pub fn iter(&self) -> impl Iterator<Item = (Key, &T)> {
        self.slots
            .iter()
            .enumerate()
            .filter_map(|(slot, s)| s.value.as_ref().map(|v| (Key { slot: slot as u32, generation: s.generation }, v)))
    }

    /// Number of live entries.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
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
}
