//! The states that were explored, with what was found below each.
//!
//! They are what an exploration by states keeps most of. Where memory is short, those that the path does not lead
//! through go to files ([`Cold`]): nothing of them changes any more but whether their component is complete, which
//! takes two bits of memory for each.

use serde::{Deserialize, Serialize};
use smpi_base::map::Map;

use crate::below::{self, Arriving, Below, Causes};
use crate::choice::ChoiceId;
use crate::configuration::Configuration;
use crate::reduction::cold::{Cold, RECORD, Record, STRIDE};
use crate::reduction::cursor::Name;
use crate::reduction::endings::{Onward, Reach};
use crate::reduction::expansion::Evidence;
use crate::verdict::{Moved, NewFile};

/// See the module.
pub(super) struct Memo {
    states: Map<Configuration, Remembered>,
    sets: Sets,
    below: below::Sets,
    cold: Cold,
    components: Components,
    /// Files cannot be made or written; those that are there are still read.
    is_stuck: bool,
    /// Files cannot be read.
    has_failed: bool,
    moved: Moved,
    /// With fewer states in memory it is not worth while to look which can be moved.
    least: usize,
    /// What is new since it was kept last, where somebody keeps it.
    new: Option<New>,
}

/// What is new.
#[derive(Default)]
struct New {
    states: Vec<Configuration>,
    completed: Vec<(u32, Onward)>,
    /// Of sets it is new what comes behind so many.
    sets: usize,
    below: [usize; 3],
}

/// The same as it is kept, but for the states.
#[derive(Serialize, Deserialize)]
pub(super) struct NewStates {
    sets: Vec<Vec<ChoiceId>>,
    below: below::NewSets,
    completed: Vec<(u32, Onward)>,
}

/// What was found below a state: an [`Evidence`] with its sets by their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Remembered {
    /// The choices that led there first. What was found speaks of these.
    configuration: Configuration,
    on_path: bool,
    late: u32,
    seen: u32,
    cut: bool,
    /// What came below, whatever led there.
    below: u32,
    /// Its [`Reach::number`], if it has a name; whether its component was complete when it was left, and what
    /// becomes of the executions through it, as far as was known then.
    number: u32,
    is_complete: bool,
    onward: Onward,
}

/// What is known of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Recalled {
    /// Nothing.
    New,
    /// It was explored. What becomes of executions, as far as is known. The number if its component is incomplete. It
    /// was come to by the same choices, or by others; the number of what comes below ([`Memo::below`]).
    Explored { onward: Onward, open: Option<u32>, by_same: bool, below: u32 },
    /// The present path leads through it, a state of this number.
    OnPath(u32),
}

impl Recalled {
    /// The number of the state, if its component is incomplete.
    pub fn open(self) -> Option<u32> {
        match self {
            Recalled::New => None,
            Recalled::Explored { open, .. } => open,
            Recalled::OnPath(number) => Some(number),
        }
    }
}

impl Memo {
    pub fn new() -> Memo {
        Memo {
            states: Map::default(),
            sets: Sets::new(),
            below: below::Sets::default(),
            cold: Cold::default(),
            components: Components::default(),
            is_stuck: false,
            has_failed: false,
            moved: Moved::default(),
            least: 1,
            new: None,
        }
    }

    /// Remembers from now on what is new.
    pub fn remember_news(&mut self) {
        let known = || New { sets: self.sets.sets.len(), below: self.below.lens(), ..New::default() };
        self.new.get_or_insert_with(known);
    }

    /// Whether it does.
    pub fn remembers_news(&self) -> bool {
        self.new.is_some()
    }

    /// What is new, and the states that are, as bytes. `None` where states cannot be read again.
    pub fn news(&self) -> Option<(NewStates, Vec<u8>)> {
        let new = self.new.as_ref()?;
        let sets = self.sets.sets[new.sets..].iter().map(|set| set.to_vec()).collect();
        let mut states = Vec::with_capacity(new.states.len() * STRIDE);
        for &key in &new.states {
            let record = match self.states.get(&key) {
                Some(state) => state.record(key),
                None => self.cold.find(key).ok()??,
            };
            states.extend(record.key.0.to_le_bytes());
            states.extend(record.bytes);
        }
        Some((NewStates { sets, below: self.below.since(new.below), completed: new.completed.clone() }, states))
    }

    /// Nothing is new any more.
    pub fn forget_news(&mut self) {
        self.new = self.new.take().map(|_| New::default());
        if let Some(New { sets, below, .. }) = &mut self.new {
            (*sets, *below) = (self.sets.sets.len(), self.below.lens());
        }
    }

    /// Adds what was new elsewhere.
    pub fn add(&mut self, new: NewStates, states: &[u8]) {
        new.sets.iter().for_each(|set| _ = self.sets.intern(set));
        self.below.add(new.below);
        for record in states.chunks_exact(STRIDE).map(Record::read) {
            self.states.insert(record.key, Remembered::of(&record));
        }
        new.completed.into_iter().for_each(|(number, onward)| self.components.complete(number, onward));
    }

    /// The path leads through a state.
    pub fn enter(&mut self, Name { key, configuration, .. }: Name, number: u32) {
        let (late, seen, cut, on_path) = (0, 0, true, true);
        let (is_complete, onward, below) = (false, Onward::Void, below::Sets::UNKNOWN);
        let state = Remembered { configuration, on_path, late, seen, cut, below, number, is_complete, onward };
        self.states.insert(key, state);
    }

    /// A state is explored. This was found and has come below.
    pub fn insert(&mut self, name: Name, found: &Evidence, below: &Below, reach: &Reach) {
        let Name { key, configuration, is_state } = name;
        let below = if found.cut { below::Sets::UNKNOWN } else { self.below.intern(below) };
        let (late, seen) = (self.sets.intern(&found.late), self.sets.intern(&found.seen));
        let (cut, on_path, number) = (found.cut, false, reach.number);
        // One that has no name may be part of a component: whether executions end from there is not kept up to date.
        let (is_complete, onward) = match is_state {
            true => (reach.is_first(), reach.onward),
            false => (true, Onward::Ends),
        };
        let state = Remembered { configuration, on_path, late, seen, cut, below, number, is_complete, onward };
        self.states.insert(key, state);
        self.new.iter_mut().for_each(|new| new.states.push(key));
    }

    /// The component of the state with this number is complete.
    pub fn complete(&mut self, number: u32, onward: Onward) {
        self.new.iter_mut().for_each(|new| new.completed.push((number, onward)));
        self.components.complete(number, onward);
    }

    /// Adds what was found below a state. If other choices led there, that is not known, but for what was seen of those
    /// polls that are `unheard` on the present path.
    pub fn recall(
        &mut self,
        Name { key, configuration, .. }: Name,
        unheard: &[ChoiceId],
        found: &mut Evidence,
    ) -> Recalled {
        let state = match self.states.get(&key) {
            Some(state) => *state,
            None => match self.cold.find(key) {
                Ok(Some(record)) => Remembered::of(&record),
                Ok(None) => return Recalled::New,
                Err(error) => {
                    self.has_failed = true;
                    self.moved.trouble = Some(format!("states cannot be read again: {error}"));
                    return Recalled::New;
                }
            },
        };
        if state.on_path {
            // What is below it is not explored yet.
            found.add(&[], unheard, false);
            return Recalled::OnPath(state.number);
        }
        let by_same = state.configuration == configuration;
        if by_same {
            found.add(self.sets.get(state.late), self.sets.get(state.seen), state.cut);
        } else if !unheard.is_empty() {
            let seen = self.sets.get(state.seen);
            let is_seen = |id: &&ChoiceId| state.cut || seen.iter().any(|other| other.rank() == id.rank());
            let seen: Vec<ChoiceId> = unheard.iter().filter(is_seen).copied().collect();
            found.add(&[], &seen, false);
        }
        let below = state.below;
        if state.is_complete {
            return Recalled::Explored { onward: state.onward, open: None, by_same, below };
        }
        match self.components.onward(state.number) {
            Some(onward) => Recalled::Explored { onward, open: None, by_same, below },
            None => Recalled::Explored { onward: state.onward, open: Some(state.number), by_same, below },
        }
    }

    /// What comes below a state, by the number with which it was recalled; `None` if that is not known.
    pub fn below(&self, number: u32) -> Option<impl Iterator<Item = (&Causes, impl Iterator<Item = Arriving>)>> {
        self.below.get(number)
    }

    /// How many states might be moved; 0 where it is not worth while to look.
    pub fn movable(&self) -> usize {
        if self.states.len() >= self.least && !self.is_stuck { self.states.len() } else { 0 }
    }

    /// Moves the states that the path does not lead through.
    pub fn move_to_files(&mut self, new_file: NewFile) {
        let is_moved = |state: &Remembered| !state.on_path;
        let moved = self.states.iter().filter(|(_, state)| is_moved(state));
        let states = moved.clone().count();
        if states < self.states.len() / 2 {
            // It is the path that takes memory.
            self.least = 2 * self.states.len();
            return;
        }
        let mut records: Vec<Record> = moved.map(|(&key, state)| state.record(key)).collect();
        records.sort_unstable_by_key(|record| record.key);
        match self.cold.add(records, new_file) {
            Ok(()) => {
                self.moved.states += states as u64;
                self.states.retain(|_, state| !is_moved(state));
                self.states.shrink_to_fit();
            }
            Err(error) => {
                self.is_stuck = true;
                self.moved.trouble = Some(format!("states cannot be moved to a file: {error}"));
            }
        }
    }

    /// States that were moved cannot be read: nothing is known of what was explored.
    pub fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// What was moved so far.
    pub fn moved(self) -> Moved {
        self.moved
    }
}

impl Remembered {
    fn record(&self, key: Configuration) -> Record {
        let mut bytes = [0; RECORD];
        let flags = u32::from(self.cut) | u32::from(self.is_complete) << 1 | (self.onward as u32) << 2;
        bytes[..16].copy_from_slice(&self.configuration.0.to_le_bytes());
        for (place, number) in [self.late, self.seen, self.number, flags, self.below].into_iter().enumerate() {
            bytes[16 + 4 * place..20 + 4 * place].copy_from_slice(&number.to_le_bytes());
        }
        Record { key, bytes }
    }

    fn of(record: &Record) -> Remembered {
        let number = |place: usize| {
            let at = 16 + 4 * place;
            u32::from_le_bytes([0, 1, 2, 3].map(|byte| record.bytes[at + byte]))
        };
        let configuration: [u8; 16] = std::array::from_fn(|byte| record.bytes[byte]);
        let flags = number(3);
        Remembered {
            configuration: Configuration(u128::from_le_bytes(configuration)),
            on_path: false,
            late: number(0),
            seen: number(1),
            cut: flags & 1 != 0,
            below: number(4),
            number: number(2),
            is_complete: flags & 2 != 0,
            onward: Onward::ALL[(flags >> 2) as usize],
        }
    }
}

/// Of each state's number, whether its component is complete, and what becomes of the executions through it then.
#[derive(Default)]
struct Components {
    /// Two bits for each: 0 for one that is not complete, else its number from 1 on.
    bits: Vec<u8>,
}

impl Components {
    fn complete(&mut self, number: u32, onward: Onward) {
        let (at, shift) = (number as usize / 4, number % 4 * 2);
        if self.bits.len() <= at {
            self.bits.resize(at + 1, 0);
        }
        self.bits[at] |= (onward as u8 + 1) << shift;
    }

    /// Of a complete one.
    fn onward(&self, number: u32) -> Option<Onward> {
        let bits = self.bits.get(number as usize / 4)? >> (number % 4 * 2) & 3;
        Some(Onward::ALL[usize::from(bits).checked_sub(1)?])
    }
}

/// Sets of choices, each stored once. Number 0 is the empty one.
struct Sets {
    sets: Vec<Box<[ChoiceId]>>,
    numbers: Map<Box<[ChoiceId]>, u32>,
}

impl Sets {
    fn new() -> Sets {
        Sets { sets: vec![Box::default()], numbers: Map::default() }
    }

    fn get(&self, number: u32) -> &[ChoiceId] {
        &self.sets[number as usize]
    }

    fn intern(&mut self, set: &[ChoiceId]) -> u32 {
        if set.is_empty() {
            return 0;
        }
        if let Some(&number) = self.numbers.get(set) {
            return number;
        }
        let number = self.sets.len() as u32;
        self.sets.push(set.into());
        self.numbers.insert(set.into(), number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_the_same_after_it_was_in_a_file() {
        for flags in 0..12 {
            let state = Remembered {
                configuration: Configuration(u128::MAX / 3),
                on_path: false,
                late: 7,
                seen: u32::MAX,
                cut: flags & 1 != 0,
                below: u32::MAX - 1,
                number: 1 << 20,
                is_complete: flags & 2 != 0,
                onward: Onward::ALL[flags >> 2],
            };
            assert_eq!(Remembered::of(&state.record(Configuration(5))), state);
        }
    }

    #[test]
    fn components_are_told_apart() {
        let mut components = Components::default();
        let known = [(9, Onward::Ends), (6, Onward::Endless), (8, Onward::Void)];
        known.iter().for_each(|&(number, onward)| components.complete(number, onward));
        for number in 0..12 {
            let expected = known.iter().find(|known| known.0 == number).map(|known| known.1);
            assert_eq!(components.onward(number), expected);
        }
    }
}
