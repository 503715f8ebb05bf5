//! How often ranks have polled in vain, and whose turn it is to poll.

use std::ops::Range;
use std::rc::Rc;

/// What polls are counted from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Turns {
    /// How often anything has happened.
    changes: u32,
    /// The last turn that a rank had since then ([`Polls::turn`]).
    served: u32,
    /// How often a rank was told "not yet" because nothing else could happen.
    pub forced: u32,
}

impl Turns {
    /// Something has happened: everybody polls anew.
    pub fn change(&mut self) {
        *self = Turns { changes: self.changes.wrapping_add(1), served: 0, ..*self };
    }

    /// A rank has had its turn.
    pub fn serve(&mut self, polls: &Polls) {
        self.served = self.served.max(polls.turn(self));
    }
}

/// Failed polls of one rank for the same thing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Polls {
    /// In a row: since the rank found something, or called anything else.
    pub in_row: u32,
    /// Of these, as many as came after the last change anywhere.
    in_vain: u32,
    /// When it is the rank's turn: the least comes first.
    turn: u32,
    /// [`Turns::changes`] when this was counted.
    changes: u32,
}

impl Polls {
    /// Those before a poll that is asked for now. Its turn does not come before the one that somebody has had: so all
    /// that matters of turns is how far they are from that one.
    fn now(self, turns: &Turns) -> Polls {
        let turn = self.turn(turns).max(turns.served);
        Polls { in_row: self.in_row, in_vain: self.in_vain(turns), turn, changes: turns.changes }
    }

    /// With one more.
    fn again(self) -> Polls {
        Polls { in_row: self.in_row + 1, in_vain: self.in_vain + 1, turn: self.turn + 1, ..self }
    }

    /// What they may still decide: whether there were any, and where there are turns, how far it is to this one. A turn
    /// that somebody has had since then is the next one, if that is polled for once more.
    pub fn name(&self, turns: Option<&Turns>) -> (bool, u32) {
        (self.in_row > 0, turns.map_or(0, |turns| self.turn(turns).saturating_sub(turns.served)))
    }

    /// Failed polls since something has happened.
    pub fn in_vain(&self, turns: &Turns) -> u32 {
        if self.changes == turns.changes { self.in_vain } else { 0 }
    }

    /// When it is the rank's turn.
    pub fn turn(&self, turns: &Turns) -> u32 {
        if self.changes == turns.changes { self.turn } else { 0 }
    }
}

/// What a rank has polled for without success since it has done anything that others can see, and how often.
#[derive(Clone, Debug, Default)]
pub struct Polled {
    counted: Vec<(u64, Polls)>,
    /// The call that it is in asks for something.
    asks: bool,
    /// It leaves requests as they are, whatever it is told.
    peeks: bool,
    /// It is told what it knows already.
    told_again: bool,
    /// It has looked at memory of windows.
    looks: bool,
    /// Where the rank was told "not yet" although that was not all that could happen.
    tried: Rc<Vec<Tried>>,
    /// How often it has made progress after polls in vain.
    pub progress: u32,
}

/// Memory that is left out of a name: from and up to.
pub type Unseen = Rc<[Range<usize>]>;

/// What a rank remembers: addresses, and what lies there.
pub type Remembered = Rc<[(usize, Box<[u8]>)]>;

/// A place that a rank comes to after it was told "not yet", and that is the place where it was told so but for little
/// that it remembers of what it was told before.
#[derive(Clone, Debug)]
pub struct Echo {
    /// The name of the rank there.
    pub place: u128,
    /// What it remembers otherwise at the place where it was told so.
    pub remembered: Remembered,
}

/// Where a rank was.
#[derive(Clone, Debug)]
struct Tried {
    /// The name of the rank.
    name: u128,
    /// What was left out of it.
    unseen: Unseen,
    echoes: Rc<[Echo]>,
    /// [`Turns::forced`] then.
    forced: u32,
}

impl Polled {
    /// Counts a poll for the same thing, which `what` identifies; returns how many there were before it.
    pub(crate) fn count(&mut self, what: u64, turns: &Turns) -> Polls {
        let place = self.counted.iter().position(|entry| entry.0 == what).unwrap_or_else(|| {
            self.counted.push((what, Polls::default()));
            self.counted.len() - 1
        });
        self.asks = true;
        let before = self.counted[place].1.now(turns);
        self.counted[place].1 = before.again();
        before
    }

    /// The rank makes another call; does that leave requests as they are?
    pub fn enter(&mut self, peeks: bool) {
        (self.asks, self.peeks, self.told_again) = (false, peeks, false);
    }

    /// Whether its call leaves requests as they are.
    pub(crate) fn peeks(&self) -> bool {
        self.peeks
    }

    /// It is told what it knows already.
    pub(crate) fn tell_again(&mut self) {
        self.told_again = true;
    }

    /// The rank accesses windows, or synchronises its accesses.
    pub fn look(&mut self) {
        self.looks = true;
    }

    /// Whether it has done so since it has made progress.
    pub fn has_looked(&self) -> bool {
        self.looks
    }

    /// Whether the call that it is in polls for something, and is not told what the rank knows already.
    pub fn is_asking(&self) -> bool {
        self.asks && !self.told_again
    }

    /// It is told "not yet" where it has this name; the place has these echoes.
    pub(crate) fn try_at(&mut self, name: u128, unseen: Unseen, echoes: Rc<[Echo]>, turns: &Turns) {
        if self.tried.iter().all(|known| known.name != name) {
            Rc::make_mut(&mut self.tried).push(Tried { name, unseen, echoes, forced: turns.forced });
        }
    }

    /// Whether it was told "not yet" where it has this name, and nobody was forced to be told so since then.
    pub(crate) fn was_at(&self, name: u128, turns: &Turns) -> bool {
        self.tried.iter().any(|tried| tried.name == name && tried.forced == turns.forced)
    }

    /// The echoes of the places of which [`Polled::was_at`] says that it was there.
    pub(crate) fn echoes(&self, turns: &Turns) -> impl Iterator<Item = &Echo> {
        let forced = turns.forced;
        let current = self.tried.iter().filter(move |tried| tried.forced == forced);
        current.flat_map(|tried| tried.echoes.iter())
    }

    /// Whether it was where it is: `name` tells its name without some of its memory.
    pub fn has_tried<E>(&self, mut name: impl FnMut(&[Range<usize>]) -> Result<u128, E>) -> Result<bool, E> {
        let mut before: Option<(&Unseen, u128)> = None;
        for Tried { name: then, unseen, .. } in self.tried.iter() {
            let now = match before {
                Some((known, now)) if known == unseen => now,
                _ => name(unseen)?,
            };
            if now == *then {
                return Ok(true);
            }
            before = Some((unseen, now));
        }
        Ok(false)
    }

    /// The rank has made progress: a poll that found something, or a call that others can see.
    pub fn clear(&mut self) {
        self.counted.clear();
        self.progress = self.progress.wrapping_add(1);
        self.looks = false;
        self.tried = Rc::default();
    }

    /// What it has polled for.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(u64, Polls)> {
        self.counted.iter()
    }

    /// The names of where it was, and where there are turns, whether nobody was forced since then.
    pub(crate) fn tried(&self, turns: Option<&Turns>) -> impl Iterator<Item = (u128, bool)> {
        let is_current = move |tried: &Tried| turns.is_some_and(|turns| tried.forced == turns.forced);
        self.tried.iter().map(move |tried| (tried.name, is_current(tried)))
    }

    /// Whether the rank has made progress since its last poll.
    pub fn is_empty(&self) -> bool {
        self.counted.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happened_since_counts() {
        let (mut turns, mut polled) = (Turns::default(), Polled::default());
        turns.change();
        let mut count = |turns: &Turns| {
            let polls = polled.count(7, turns);
            (polls.in_row, polls.in_vain(turns))
        };
        assert_eq!([count(&turns), count(&turns), count(&turns)], [(0, 0), (1, 1), (2, 2)]);
        turns.change();
        assert_eq!([count(&turns), count(&turns)], [(3, 0), (4, 1)]);
    }

    #[test]
    fn a_place_is_known_by_its_name_without_what_was_left_out_of_it_then() {
        let mut polled = Polled::default();
        // A name that tells of its memory what is not left out.
        let name =
            |memory: u128| move |unseen: &[Range<usize>]| Ok::<u128, ()>(if unseen.is_empty() { memory } else { 0 });
        let mut turns = Turns::default();
        polled.try_at(3, Rc::new([]), Rc::default(), &turns);
        assert_eq!([3, 4].map(|memory| polled.has_tried(name(memory))), [Ok(true), Ok(false)]);
        polled.try_at(0, Rc::new([0..8, 16..24]), Rc::default(), &turns);
        assert_eq!(polled.has_tried(name(4)), Ok(true));
        assert!(polled.has_tried(|_| Err(())).is_err());
        assert_eq!([3, 4].map(|name| polled.was_at(name, &turns)), [true, false]);
        turns.forced += 1;
        assert!(!polled.was_at(3, &turns));
        polled.clear();
        assert_eq!(polled.has_tried(name(3)), Ok(false));
    }

    #[test]
    fn what_is_not_polled_for_any_more_has_the_next_turn() {
        let named = |after: u32| {
            let (mut turns, mut polled) = (Turns::default(), Polled::default());
            polled.count(8, &turns);
            for _ in 0..after {
                let polls = polled.count(7, &turns);
                turns.serve(&polls);
            }
            polled.iter().map(|(what, polls)| (*what, polls.name(Some(&turns)))).collect::<Vec<_>>()
        };
        assert_eq!(named(3), [(8, (true, 0)), (7, (true, 1))]);
        assert_eq!(named(5), named(3));
    }

    #[test]
    fn turns_are_named_from_the_last_one_that_somebody_had() {
        let named = |before: u32| {
            let (mut turns, mut polled) = (Turns::default(), Polled::default());
            for _ in 0..before {
                let polls = polled.count(7, &turns);
                turns.serve(&polls);
            }
            [polled.count(7, &turns), Polled::default().count(8, &turns)].map(|polls| polls.name(Some(&turns)))
        };
        assert_eq!(named(3), [(true, 1), (false, 0)]);
        assert_eq!(named(5), named(3));
    }
}
