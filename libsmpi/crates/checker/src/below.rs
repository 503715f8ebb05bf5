//! What comes below a state, whatever led to it: messages that are sent and requests that complete, each with the ranks
//! that it follows from.
//!
//! Whether a candidate comes late for a choice ([`crate::late`]) depends on the choice, and so on the path. An
//! exploration by states comes to a state by many paths, and explores what is below once. So it keeps, of each state,
//! what arrives below, and asks of each further path which of its choices that would be late for.
//!
//! *Ticks* tell what something follows from. Each state that an execution comes to is a tick. Whatever a rank passes
//! on ([`crate::history`]) bears the last tick of that rank, and the ticks that it has learnt of with it: a vector
//! clock. An arrival whose vector has the tick of a state for some rank follows from all that this rank knew in that
//! state. On a further path it follows from what the rank knows there. The same holds of messages that were under way
//! in the state, and of requests, which pass on later what they knew then ([`Carrier`]). What an arrival follows from
//! otherwise (a part of a collective operation, say) is not kept: then more counts as late than is, which costs
//! branches only.
//!
//! Of two arrivals that are the same but for their causes, the one that follows from less is late whenever the other
//! one is. So that one stands for both; and what many follow from in common stands for all of them.

use std::borrow::Borrow;
use std::hash::Hash;
use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use smpi_base::WorldRank;
use smpi_base::map::{FxBuildHasher, Map};
use smpi_mailbox::Envelope;

/// Arrivals that are kept for a state; of more, it is said that anything may come.
const MOST: usize = 1 << 10;

/// Causes that are kept of one arrival; of more, what they have in common.
const MOST_CAUSES: usize = 4;

/// What may pass on later what it knows now.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Carrier {
    /// A message that is under way from one rank to another.
    Message(WorldRank, WorldRank),
    /// A request of a rank, by its slot: what its completion tells.
    Request(WorldRank, u32),
}

/// Of something that was passed on by a carrier: the tick when the carrier came to be, and the one when it passed on
/// what it knew.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
struct Span {
    born: u32,
    passed: u32,
}

impl Span {
    /// Of two carriers with one name, the one that passed something on last counts.
    fn in_order(self) -> (u32, u32) {
        (self.passed, self.born)
    }

    /// Whether the carrier was there in the state of a tick, and passed on later what it knew then.
    fn contains(self, tick: u32) -> bool {
        self.born < tick && tick <= self.passed
    }
}

/// What something follows from, by ticks.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Ticks(Option<Arc<Known>>);

#[derive(Clone, PartialEq, Eq, Hash, Default, Debug, Serialize, Deserialize)]
struct Known {
    /// By rank: the last tick that it follows from, or 0.
    ranks: Vec<u32>,
    /// In the order of carriers. Of several with one name, the one that passed something on last.
    carriers: Vec<(Carrier, Span)>,
}

impl Ticks {
    /// Nothing.
    pub const NONE: Ticks = Ticks(None);

    /// The last tick of all ranks `0..ranks`.
    pub fn all(ranks: usize, tick: u32) -> Ticks {
        Ticks((tick > 0).then(|| Arc::new(Known { ranks: vec![tick; ranks], carriers: Vec::new() })))
    }

    fn change(&mut self) -> &mut Known {
        Arc::make_mut(self.0.get_or_insert_default())
    }

    /// Adds a tick of a rank, which comes after all that are known of it.
    pub fn add(&mut self, rank: WorldRank, tick: u32) {
        let ranks = &mut self.change().ranks;
        ranks.resize(ranks.len().max(rank.index() + 1), 0);
        ranks[rank.index()] = tick;
    }

    /// A carrier comes to be that knows all this.
    pub fn begin(&mut self, carrier: Carrier, tick: u32) {
        self.change().set(carrier, Span { born: tick, passed: tick });
    }

    /// A carrier that knows all this passes it on.
    pub fn pass(&mut self, carrier: Carrier, tick: u32) {
        if let Ok(at) = self.carriers().binary_search_by_key(&carrier, |known| known.0)
            && self.carriers()[at].1.passed != tick
        {
            self.change().carriers[at].1.passed = tick;
        }
    }

    /// Adds all of `other`.
    #[inline]
    pub fn join(&mut self, other: &Ticks) {
        if let Some(more) = &other.0 {
            self.join_some(more);
        }
    }

    fn join_some(&mut self, more: &Arc<Known>) {
        match &mut self.0 {
            None => self.0 = Some(Arc::clone(more)),
            Some(known) if Arc::ptr_eq(known, more) || known.covers(more) => {}
            Some(known) if more.covers(known) => *known = Arc::clone(more),
            Some(known) => Arc::make_mut(known).join(more),
        }
    }

    fn ranks(&self) -> &[u32] {
        self.0.as_deref().map_or(&[], |known| &known.ranks)
    }

    fn carriers(&self) -> &[(Carrier, Span)] {
        self.0.as_deref().map_or(&[], |known| &known.carriers)
    }

    /// Where it is kept: the same for those that share it.
    fn address(&self) -> *const Known {
        self.0.as_ref().map_or(std::ptr::null(), Arc::as_ptr)
    }

    /// Whether all of it is in `other`, too.
    fn is_within(&self, other: &Ticks) -> bool {
        if self.address() == other.address() {
            return true;
        }
        let ranks = other.ranks();
        let lasts = |own: Span, other: Span| other.born <= own.born && other.passed >= own.passed;
        self.ranks().iter().enumerate().all(|(rank, &tick)| tick <= ranks.get(rank).copied().unwrap_or(0))
            && each_is_among(self.carriers(), other.carriers(), lasts)
    }

    /// What both follow from.
    fn meet(self, other: &Ticks) -> Ticks {
        let ranks = self.ranks().iter().zip(other.ranks()).map(|(one, other)| *one.min(other)).collect();
        let common = |&(carrier, span): &(Carrier, Span)| {
            let at = other.carriers().binary_search_by_key(&carrier, |known| known.0).ok()?;
            let also = other.carriers()[at].1;
            Some((carrier, Span { born: span.born.max(also.born), passed: span.passed.min(also.passed) }))
        };
        let carriers = self.carriers().iter().filter_map(common).collect();
        Ticks(Some(Arc::new(Known { ranks, carriers })))
    }

    /// As seen from a state of this tick and those before it: what comes later is as good as that state.
    fn capped(mut self, tick: u32) -> Ticks {
        let is_later = |known: &Known| {
            known.ranks.iter().any(|&known| known > tick)
                || known.carriers.iter().any(|(_, span)| span.passed > tick || span.born >= tick)
        };
        if self.0.as_deref().is_some_and(is_later) {
            let Known { ranks, carriers } = self.change();
            ranks.iter_mut().for_each(|known| *known = (*known).min(tick));
            carriers.retain(|(_, span)| span.born < tick);
            carriers.iter_mut().for_each(|(_, span)| span.passed = span.passed.min(tick));
        }
        self
    }

    /// What it follows from as it was in the state of a tick: of ranks, those of the first [`Causes::MOST`].
    fn since(&self, tick: u32) -> Causes {
        let known = self.ranks().iter().zip(0..Causes::MOST);
        let ranks = known.filter(|(known, _)| **known >= tick).fold(0, |ranks, (_, rank)| ranks | 1 << rank);
        let carriers = self.carriers().iter().filter(|(_, span)| span.contains(tick));
        Causes { ranks, carriers: carriers.map(|(carrier, _)| *carrier).collect() }
    }
}

/// Whether each of these carriers is among others, with spans of which that holds. Both are in order.
fn each_is_among(few: &[(Carrier, Span)], many: &[(Carrier, Span)], holds: impl Fn(Span, Span) -> bool) -> bool {
    let mut rest = many.iter();
    let is_there = |&(carrier, span): &(Carrier, Span)| {
        let same = rest.find(|known| known.0 >= carrier).filter(|known| known.0 == carrier);
        same.is_some_and(|known| holds(span, known.1))
    };
    few.len() <= many.len() && few.iter().all(is_there)
}

impl Known {
    fn set(&mut self, carrier: Carrier, span: Span) {
        match self.carriers.binary_search_by_key(&carrier, |known| known.0) {
            Ok(at) => self.carriers[at].1 = span,
            Err(at) => self.carriers.insert(at, (carrier, span)),
        }
    }

    /// Whether joining the other one would change nothing.
    fn covers(&self, other: &Known) -> bool {
        let is_later = |other: Span, own: Span| own.in_order() >= other.in_order();
        let ranks = other.ranks.iter().enumerate();
        self.ranks.len() >= other.ranks.len()
            && ranks.into_iter().all(|(rank, &tick)| tick <= self.ranks[rank])
            && each_is_among(&other.carriers, &self.carriers, is_later)
    }

    fn join(&mut self, more: &Known) {
        self.ranks.resize(self.ranks.len().max(more.ranks.len()), 0);
        self.ranks.iter_mut().zip(&more.ranks).for_each(|(known, more)| *known = (*known).max(*more));
        let mut at = 0;
        for &(carrier, span) in &more.carriers {
            at += self.carriers[at..].iter().take_while(|known| known.0 < carrier).count();
            match self.carriers.get_mut(at).filter(|known| known.0 == carrier) {
                Some((_, known)) if span.in_order() > known.in_order() => *known = span,
                Some(_) => {}
                None => self.carriers.insert(at, (carrier, span)),
            }
        }
    }
}

/// What something follows from in a state.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Causes {
    /// A bit for each rank.
    ranks: u64,
    carriers: Vec<Carrier>,
}

impl Causes {
    /// Ranks that can be in it; of others it is not kept that something follows from them.
    const MOST: u32 = u64::BITS;

    /// The ranks.
    pub fn ranks(&self) -> impl Iterator<Item = WorldRank> {
        (0..Self::MOST).filter(|rank| self.ranks >> rank & 1 == 1).map(WorldRank)
    }

    /// All else, which was there in the state.
    pub fn carriers(&self) -> impl Iterator<Item = Carrier> {
        self.carriers.iter().copied()
    }
}

/// What may be late for a choice.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Arriving {
    /// A message is sent.
    Message {
        /// Its sender.
        from: WorldRank,
        /// Its receiver.
        to: WorldRank,
        /// What receives look at.
        envelope: Envelope,
    },
    /// A request completes.
    Completion {
        /// Whose it is.
        rank: WorldRank,
        /// The caller's token, by which choices wait for it.
        token: u64,
    },
    /// A rank is told "not yet" because nothing else can happen: all may be late that polls further on would find
    /// ([`Late::all_could_have_come`](crate::late::Late::all_could_have_come)).
    Forced,
}

/// Something that has come.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// What it is.
    pub what: Arriving,
    /// What it follows from.
    pub ticks: Ticks,
}

/// What has come below a state of the path.
pub(crate) struct Below {
    /// That of the state; `None` where nobody follows what comes.
    tick: Option<u32>,
    /// By what it is: those that follow from fewest. In the order in which they came, so that an exploration that was
    /// kept goes on in the same order.
    arrivals: IndexMap<Arriving, Vec<Ticks>, FxBuildHasher>,
    /// There was too much of it.
    is_unknown: bool,
}

impl Below {
    /// Nothing yet.
    pub fn new(tick: Option<u32>) -> Below {
        Below { tick, arrivals: IndexMap::default(), is_unknown: false }
    }

    /// Adds something that has come.
    fn add(&mut self, what: Arriving, ticks: Ticks, capping: &mut Capping) {
        if self.is_unknown {
            return;
        }
        add_least(self.arrivals.entry(what).or_default(), capping.capped(ticks));
        if self.arrivals.len() > MOST {
            self.give_up();
        }
    }

    /// Adds all that has come in a step.
    pub fn add_all(&mut self, arrived: &mut Vec<Arrival>) {
        let Some(tick) = self.tick else { return arrived.clear() };
        let mut capping = Capping::new(tick);
        arrived.drain(..).for_each(|Arrival { what, ticks }| self.add(what, ticks, &mut capping));
    }

    /// Adds what has come below a further state, which is below this one.
    pub fn join(&mut self, mut other: Below) {
        let Some(tick) = self.tick else { return };
        let mut capping = Capping::new(tick);
        if other.is_unknown {
            self.give_up();
        }
        if other.arrivals.len() > self.arrivals.len() && !self.is_unknown {
            std::mem::swap(&mut self.arrivals, &mut other.arrivals);
            for all in self.arrivals.values_mut() {
                match &mut all[..] {
                    [one] => *one = capping.capped(std::mem::take(one)),
                    _ => std::mem::take(all).into_iter().for_each(|ticks| add_least(all, capping.capped(ticks))),
                }
            }
        }
        for (what, all) in other.arrivals {
            all.into_iter().for_each(|ticks| self.add(what, ticks, &mut capping));
        }
    }

    /// Anything may come, of which nobody keeps account.
    pub fn give_up(&mut self) {
        *self = Below { is_unknown: true, ..Below::new(self.tick) };
    }

    /// What has come, and what it follows from; `None` where that is not known.
    fn known(&self) -> Option<(u32, impl Iterator<Item = (Arriving, &Ticks)>)> {
        let tick = self.tick.filter(|_| !self.is_unknown)?;
        Some((tick, self.arrivals.iter().flat_map(|(what, all)| all.iter().map(move |ticks| (*what, ticks)))))
    }
}

/// Ticks that many share, each once, on their way to another process.
#[derive(Default)]
pub(crate) struct Shared {
    list: Vec<Ticks>,
    numbers: Map<*const Known, u32>,
}

/// [`Shared`] as it is kept.
#[derive(Serialize, Deserialize)]
pub(crate) struct KeptTicks(Vec<Option<Known>>);

impl Shared {
    fn number(&mut self, ticks: &Ticks) -> u32 {
        *self.numbers.entry(ticks.address()).or_insert_with(|| {
            self.list.push(ticks.clone());
            self.list.len() as u32 - 1
        })
    }

    pub fn kept(&self) -> KeptTicks {
        KeptTicks(self.list.iter().map(|ticks| ticks.0.as_deref().cloned()).collect())
    }
}

impl KeptTicks {
    pub fn shared(self) -> Vec<Ticks> {
        self.0.into_iter().map(|known| Ticks(known.map(Arc::new))).collect()
    }
}

/// A [`Below`] as it is kept, with ticks by their numbers.
#[derive(Serialize, Deserialize)]
pub(crate) struct KeptBelow {
    tick: Option<u32>,
    arrivals: Vec<(Arriving, Vec<u32>)>,
    is_unknown: bool,
}

impl Below {
    pub fn kept(&self, shared: &mut Shared) -> KeptBelow {
        let mut numbers = |all: &[Ticks]| all.iter().map(|ticks| shared.number(ticks)).collect();
        let arrivals = self.arrivals.iter().map(|(what, all)| (*what, numbers(all))).collect();
        KeptBelow { tick: self.tick, arrivals, is_unknown: self.is_unknown }
    }
}

impl KeptBelow {
    /// The opposite of [`Below::kept`]; `None` where ticks are not among these.
    pub fn below(self, shared: &[Ticks]) -> Option<Below> {
        let ticks = |number: u32| shared.get(number as usize).cloned();
        let arrivals = self
            .arrivals
            .into_iter()
            .map(|(what, all)| Some((what, all.into_iter().map(ticks).collect::<Option<_>>()?)));
        Some(Below { tick: self.tick, arrivals: arrivals.collect::<Option<_>>()?, is_unknown: self.is_unknown })
    }
}

/// Ticks as seen from a state. Much comes that follows from the same, and goes on sharing that.
struct Capping {
    tick: u32,
    /// What was asked for, and what came of it.
    known: Map<*const Known, (Ticks, Ticks)>,
}

impl Capping {
    fn new(tick: u32) -> Capping {
        Capping { tick, known: Map::default() }
    }

    fn capped(&mut self, ticks: Ticks) -> Ticks {
        let Capping { tick, known } = self;
        let (_, capped) = known.entry(ticks.address()).or_insert_with(|| (ticks.clone(), ticks.capped(*tick)));
        capped.clone()
    }
}

/// Adds causes to those that no others are less than.
fn add_least(known: &mut Vec<Ticks>, ticks: Ticks) {
    if known.iter().any(|known| known.is_within(&ticks)) {
        return;
    }
    known.retain(|known| !ticks.is_within(known));
    known.push(ticks);
    if known.len() > MOST_CAUSES {
        let common = known.drain(..).reduce(|common, ticks| common.meet(&ticks));
        known.extend(common);
    }
}

/// What comes below states that were explored: each set is stored once.
#[derive(Default)]
pub(crate) struct Sets {
    causes: Numbered<Causes>,
    /// What comes, and the number of its causes.
    coming: Numbered<(Arriving, u32)>,
    /// What comes, by its numbers: all that has the same causes together.
    sets: Numbered<[u32]>,
}

impl Sets {
    /// The number of a set that is not known.
    pub const UNKNOWN: u32 = u32::MAX;

    /// The number of what has come below a state.
    pub fn intern(&mut self, below: &Below) -> u32 {
        let Some((tick, all)) = below.known() else { return Sets::UNKNOWN };
        let mut known: Map<*const Known, u32> = Map::default();
        let number = |(what, ticks): (Arriving, &Ticks)| {
            let causes = known.entry(ticks.address()).or_insert_with(|| self.causes.number(ticks.since(tick)));
            self.coming.number((what, *causes))
        };
        let mut set: Vec<u32> = all.map(number).collect();
        set.sort_unstable_by_key(|&coming| (self.coming.get(coming).1, coming));
        set.dedup();
        self.sets.number(set)
    }

    /// How many there are of each kind.
    pub fn lens(&self) -> [usize; 3] {
        [self.causes.list.len(), self.coming.list.len(), self.sets.list.len()]
    }

    /// What has come since there were so many of each kind.
    pub fn since(&self, [causes, coming, sets]: [usize; 3]) -> NewSets {
        NewSets {
            causes: self.causes.list[causes..].iter().map(|causes| Causes::clone(causes)).collect(),
            coming: self.coming.list[coming..].iter().map(|coming| **coming).collect(),
            sets: self.sets.list[sets..].iter().map(|set| set.to_vec()).collect(),
        }
    }

    /// Adds what has come elsewhere.
    pub fn add(&mut self, new: NewSets) {
        new.causes.into_iter().for_each(|causes| _ = self.causes.number(causes));
        new.coming.into_iter().for_each(|coming| _ = self.coming.number(coming));
        new.sets.into_iter().for_each(|set| _ = self.sets.number(set));
    }

    /// The set of a number, by causes; `None` where that is not known.
    pub fn get(&self, number: u32) -> Option<impl Iterator<Item = (&Causes, impl Iterator<Item = Arriving>)>> {
        let set = self.sets.list.get(number as usize)?;
        let have_same = |one: &u32, other: &u32| self.coming.get(*one).1 == self.coming.get(*other).1;
        Some(set.chunk_by(have_same).map(|all| {
            let causes = self.causes.get(self.coming.get(all[0]).1);
            (causes, all.iter().map(|&coming| self.coming.get(coming).0))
        }))
    }
}

/// What has come to [`Sets`].
#[derive(Serialize, Deserialize)]
pub(crate) struct NewSets {
    causes: Vec<Causes>,
    coming: Vec<(Arriving, u32)>,
    sets: Vec<Vec<u32>>,
}

/// Values that are stored once, each with a number.
struct Numbered<T: ?Sized> {
    list: Vec<Rc<T>>,
    numbers: Map<Rc<T>, u32>,
}

impl<T: ?Sized> Default for Numbered<T> {
    fn default() -> Numbered<T> {
        Numbered { list: Vec::new(), numbers: Map::default() }
    }
}

impl<T: ?Sized + Eq + Hash> Numbered<T> {
    fn number(&mut self, value: impl Borrow<T> + Into<Rc<T>>) -> u32 {
        if let Some(&number) = self.numbers.get(value.borrow()) {
            return number;
        }
        let (number, value) = (self.list.len() as u32, value.into());
        self.list.push(Rc::clone(&value));
        self.numbers.insert(value, number);
        number
    }

    fn get(&self, number: u32) -> &T {
        &self.list[number as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZERO: WorldRank = WorldRank(0);
    const ONE: WorldRank = WorldRank(1);
    const WHAT: Arriving = Arriving::Completion { rank: ZERO, token: 7 };

    /// What follows from these ticks of ranks.
    fn ticks(ranks: [u32; 2]) -> Ticks {
        let mut ticks = Ticks::NONE;
        ticks.add(ZERO, ranks[0]);
        ticks.add(ONE, ranks[1]);
        ticks
    }

    fn causes(ticks: &Ticks, tick: u32) -> (Vec<u32>, Vec<Carrier>) {
        let causes = ticks.since(tick);
        (causes.ranks().map(|rank| rank.0).collect(), causes.carriers().collect())
    }

    fn coming(below: &Below) -> Vec<Vec<u32>> {
        let (tick, known) = below.known().expect("it is known");
        let mut all: Vec<Vec<u32>> = known.map(|(_, ticks)| causes(ticks, tick).0).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    #[test]
    fn a_rank_is_a_cause_from_its_tick_back() {
        let mut one = ticks([3, 0]);
        assert_eq!([2, 3, 4].map(|tick| causes(&one, tick).0), [vec![0], vec![0], vec![]]);
        one.join(&ticks([1, 5]));
        assert_eq!([1, 3, 5, 6].map(|tick| causes(&one, tick).0), [vec![0, 1], vec![0, 1], vec![1], vec![]]);
        assert_eq!(causes(&one.clone().capped(2), 2), causes(&one, 2));
        assert_eq!(one.clone().capped(2), ticks([2, 2]));
        assert_eq!(one.meet(&ticks([2, 9])), ticks([2, 5]));
        assert_eq!(causes(&Ticks::all(2, 4), 4).0, [0, 1]);
    }

    #[test]
    fn a_carrier_is_a_cause_in_states_between_its_beginning_and_what_it_passed_on() {
        let message = Carrier::Message(ZERO, ONE);
        let mut told = Ticks::NONE;
        told.begin(message, 2);
        assert!((1..5).all(|tick| causes(&told, tick).1.is_empty()));
        told.pass(message, 4);
        assert_eq!([2, 3, 4, 5].map(|tick| causes(&told, tick).1), [vec![], vec![message], vec![message], vec![]]);
        // What another one of the same name passed on before is forgotten, whichever comes first.
        let mut before = Ticks::NONE;
        before.begin(message, 1);
        before.pass(message, 3);
        let (mut one, mut other) = (told.clone(), before.clone());
        one.join(&before);
        other.join(&told);
        assert_eq!((&one, &other), (&told, &told));
        // Who has passed on nothing is no cause, and what both have in common is what both spans contain.
        let mut nothing = Ticks::NONE;
        nothing.pass(message, 4);
        assert_eq!(nothing, Ticks::NONE);
        let common = told.clone().meet(&before);
        assert_eq!([2, 3, 4].map(|tick| causes(&common, tick).1), [vec![], vec![message], vec![]]);
        assert!(common.is_within(&told) && common.is_within(&before) && !told.is_within(&before));
        assert_eq!(causes(&told.clone().capped(3), 3).1, [message]);
        assert!(told.capped(2).carriers().is_empty(), "it came to be after the state");
    }

    #[test]
    fn those_that_follow_from_less_stand_for_the_others() {
        let mut below = Below::new(Some(2));
        let add = |below: &mut Below, ranks| below.add_all(&mut vec![Arrival { what: WHAT, ticks: ticks(ranks) }]);
        add(&mut below, [5, 5]);
        assert_eq!(coming(&below), [[0, 1]]);
        add(&mut below, [1, 2]);
        assert_eq!(coming(&below), [[1]]);
        add(&mut below, [2, 1]);
        assert_eq!(coming(&below), [[0], [1]]);
        // As the state before sees it, both follow from something that both ranks knew then.
        let mut above = Below::new(Some(1));
        above.join(below);
        assert_eq!(coming(&above), [[0, 1]]);
        above.give_up();
        add(&mut above, [0, 0]);
        assert!(above.known().is_none());
        let mut unasked = Below::new(None);
        add(&mut unasked, [0, 0]);
        assert!(unasked.known().is_none());
    }

    #[test]
    fn of_many_causes_what_they_have_in_common_is_kept() {
        let mut below = Below::new(Some(100));
        for step in 0..=MOST_CAUSES as u32 {
            below.add_all(&mut vec![Arrival { what: WHAT, ticks: ticks([step + 1, 50 - step]) }]);
        }
        assert_eq!(below.arrivals[&WHAT], [ticks([1, 50 - MOST_CAUSES as u32])]);
        for token in 0..=MOST as u64 {
            let what = Arriving::Completion { rank: ZERO, token };
            below.add_all(&mut vec![Arrival { what, ticks: Ticks::NONE }]);
        }
        assert!(below.known().is_none());
    }

    #[test]
    fn equal_sets_have_one_number() {
        let mut sets = Sets::default();
        let below = |ranks| {
            let mut below = Below::new(Some(1));
            below.add_all(&mut vec![
                Arrival { what: WHAT, ticks: ticks(ranks) },
                Arrival { what: Arriving::Forced, ticks: Ticks::NONE },
            ]);
            below
        };
        let numbers = [[0, 1], [0, 9], [1, 1]].map(|ranks| sets.intern(&below(ranks)));
        assert_eq!((numbers[0], numbers[1], numbers[0] == numbers[2]), (0, 0, false));
        assert_eq!(sets.get(0).expect("it is known").count(), 2);
        assert_eq!(sets.intern(&Below::new(None)), Sets::UNKNOWN);
        assert!(sets.get(Sets::UNKNOWN).is_none());
    }
}
