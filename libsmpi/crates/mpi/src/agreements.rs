//! How ranks agree on new communicators and topologies (MPI 5.0 §7.4, §7.6).
//!
//! Members agree on a new context without sending anything: the first to arrive at "child number n of context c, colour
//! k" allocates it, the others find it. Context numbers only need to differ; they never reach a program.
//!
//! For a creation, each rank leaves its data for the others in [`Agreements`] before a synchronising operation and
//! reads theirs after it. The operation costs simulated time; the tables cost none.

use std::collections::VecDeque;
use std::hash::Hash;
use std::sync::Arc;

use smpi_abi::Function;
use smpi_base::WorldRank;
use smpi_base::map::Map;
use smpi_mailbox::Context;

use crate::comm::{CONTEXTS_PER_COMM, Place};
use crate::group::Group;
use crate::topology::meeting::Meetings;

/// Identity of a communicator under construction: parent context, number of the creating call, colour.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Birth {
    /// Base context of the parent.
    pub parent: Context,
    /// How many communicators the parent had created before on this rank.
    pub number: u32,
    /// Tells apart the communicators that one call creates (split colour, group's first rank, tag).
    pub colour: u64,
}

/// Identity of a communicator whose creation involves only the ranks of a group: they have no common count of calls,
/// so the members themselves tell one creation from another.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct GroupBirth {
    /// The creating function.
    pub call: Function,
    /// Base context of the parent; [`crate::comm::SELF_CONTEXT`] without one.
    pub parent: Context,
    /// The program's tag.
    pub tag: i32,
    /// The program's string tag.
    pub text: String,
    /// The members; of an intercommunicator, those of one side.
    pub members: Group,
    /// The other side of an intercommunicator.
    pub others: Option<Group>,
}

/// What one side of an intercommunicator tells the other, or a leader its group.
#[derive(Clone, Debug)]
pub struct Offer {
    /// A group.
    pub group: Group,
    /// A number whose meaning depends on the creating call.
    pub value: u32,
    /// Another one.
    pub more: u32,
    /// Why there will be no communicator.
    pub failure: Option<Arc<str>>,
}

impl Offer {
    /// A group and a number.
    pub fn new(group: Group, value: u32) -> Offer {
        Offer { group, value, more: 0, failure: None }
    }
}

/// What ranks told each other in an unfinished `MPI_Comm_split`.
#[derive(Clone, Debug, Default)]
struct Split {
    /// (colour, key, world rank) of those that arrived; sorted once all are there.
    entries: Vec<(i32, i32, u32)>,
    /// Resulting groups by colour, filled by the first rank that asks.
    groups: Map<i32, Group>,
    /// Times the result was asked for.
    taken: u32,
}

/// Two leaders of `MPI_Intercomm_create`, in the direction of what one tells the other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Greeting {
    /// Base context of the peer communicator.
    pub peer: Context,
    /// The program's tag.
    pub tag: i32,
    /// Who speaks.
    pub from: WorldRank,
    /// Who listens.
    pub to: WorldRank,
}

/// What the first member to ask has fixed.
#[derive(Clone, Debug)]
struct Agreed {
    context: Context,
    /// The new group, where it is worth sharing.
    group: Option<Group>,
    /// Members that have not asked yet.
    missing: u32,
}

/// The agreements in progress.
#[derive(Clone, Debug)]
pub struct Agreements {
    next_context: Context,
    births: Map<Birth, Agreed>,
    group_births: Map<GroupBirth, Agreed>,
    splits: Map<Place, Split>,
    /// Offers and how often they will still be read.
    offers: Map<Place, (Offer, u32)>,
    /// Groups that leaders told each other, oldest first: a fast leader may be one call ahead of the other.
    greetings: Map<Greeting, VecDeque<Group>>,
    /// Process topologies.
    pub topologies: Meetings,
}

impl Default for Agreements {
    fn default() -> Self {
        Agreements {
            next_context: 2 * CONTEXTS_PER_COMM,
            births: Map::default(),
            group_births: Map::default(),
            splits: Map::default(),
            offers: Map::default(),
            greetings: Map::default(),
            topologies: Meetings::default(),
        }
    }
}

impl Agreements {
    /// Whether no creation is under way.
    pub fn is_idle(&self) -> bool {
        let Agreements { next_context: _, births, group_births, splits, offers, greetings, topologies } = self;
        births.is_empty()
            && group_births.is_empty()
            && splits.is_empty()
            && offers.is_empty()
            && greetings.is_empty()
            && topologies.is_idle()
    }

    /// The base context of a communicator that its first member makes known to the others by other means.
    pub fn new_context(&mut self) -> Context {
        let context = self.next_context;
        self.next_context += CONTEXTS_PER_COMM;
        context
    }

    /// The base context of the communicator `birth`; each of its `members` asks exactly once.
    pub fn context(&mut self, birth: Birth, members: u32) -> Context {
        agree(&mut self.births, &mut self.next_context, birth, members, || None).0
    }

    /// As [`Agreements::context`], with the group: the first member makes it and all members share it, so that a
    /// communicator of n ranks does not take n² memory.
    pub fn context_and_group(
        &mut self,
        birth: Birth,
        members: u32,
        make: impl FnOnce() -> Group,
    ) -> (Context, Option<Group>) {
        agree(&mut self.births, &mut self.next_context, birth, members, || Some(make()))
    }

    /// As [`Agreements::context_and_group`] for a creation among the ranks of a group, with a synchronisation of the
    /// members between asking and the next creation of the same identity.
    pub fn context_for_group(&mut self, birth: GroupBirth, members: u32, group: &Group) -> (Context, Option<Group>) {
        agree(&mut self.group_births, &mut self.next_context, birth, members, || Some(group.clone()))
    }

    /// Takes back what the only member so far has asked for and said: the others will not come.
    pub fn take_back(&mut self, birth: &GroupBirth, greeting: Greeting) {
        self.group_births.remove(birth);
        self.greetings.remove(&greeting);
    }

    /// Tells the others this rank's colour and key. `colour < 0` (MPI_UNDEFINED): wants no communicator.
    pub fn split_deposit(&mut self, place: Place, rank: WorldRank, colour: i32, key: i32) {
        self.splits.entry(place).or_default().entries.push((colour, key, rank.0));
    }

    /// The group of `colour`, ordered by key and then by rank in the parent (`order`). To be called when all
    /// members of the side have deposited (after a synchronising collective), `readers` times in total.
    pub fn split_group(
        &mut self,
        place: Place,
        colour: i32,
        readers: u32,
        order: impl Fn(WorldRank) -> u32,
    ) -> Option<Group> {
        let split = self.splits.get_mut(&place)?;
        if split.taken == 0 {
            split.entries.sort_by_key(|&(colour, key, rank)| (colour, key, order(WorldRank(rank))));
            for part in split.entries.chunk_by(|a, b| a.0 == b.0).filter(|part| part[0].0 >= 0) {
                split.groups.insert(part[0].0, Group::list(part.iter().map(|entry| entry.2).collect()));
            }
        }
        let group = split.groups.get(&colour).cloned();
        split.taken += 1;
        if split.taken == readers {
            self.splits.remove(&place);
        }
        group
    }

    /// Leaves an offer for `readers` ranks; the first of those that leave the same one counts.
    pub fn offer(&mut self, place: Place, readers: u32, offer: Offer) {
        self.offers.entry(place).or_insert((offer, readers));
    }

    /// Reads an offer, once a reader, after a synchronisation with those that left it.
    pub fn take_offer(&mut self, place: Place) -> Option<Offer> {
        let (offer, readers) = self.offers.get_mut(&place)?;
        let offer = offer.clone();
        *readers -= 1;
        if *readers == 0 {
            self.offers.remove(&place);
        }
        Some(offer)
    }

    /// A leader tells the other one its group.
    pub fn greet(&mut self, greeting: Greeting, group: Group) {
        self.greetings.entry(greeting).or_default().push_back(group);
    }

    /// What the other leader said.
    pub fn greeted(&mut self, greeting: Greeting) -> Option<Group> {
        let queue = self.greetings.get_mut(&greeting)?;
        let group = queue.pop_front();
        if queue.is_empty() {
            self.greetings.remove(&greeting);
        }
        group
    }
}

/// What was agreed on under `birth`: a new context for the first of the `members`, who leaves it for the others.
fn agree<K: Hash + Eq>(
    births: &mut Map<K, Agreed>,
    next: &mut Context,
    birth: K,
    members: u32,
    make: impl FnOnce() -> Option<Group>,
) -> (Context, Option<Group>) {
    if let Some(agreed) = births.get_mut(&birth) {
        let found = (agreed.context, agreed.group.clone());
        agreed.missing -= 1;
        if agreed.missing == 0 {
            births.remove(&birth);
        }
        return found;
    }
    // A context that nobody else has or will have.
    let context = *next;
    *next += CONTEXTS_PER_COMM;
    let group = make();
    if members > 1 {
        births.insert(birth, Agreed { context, group: group.clone(), missing: members - 1 });
    }
    (context, group)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::WORLD_CONTEXT;

    #[test]
    fn members_agree_and_leave_nothing_behind() {
        let mut agreements = Agreements::default();
        let birth = Birth { parent: WORLD_CONTEXT, number: 0, colour: 0 };
        let first = agreements.context(birth, 2);
        assert_eq!(agreements.context(birth, 2), first);
        assert!(agreements.births.is_empty());
        // The same identity again is another communicator.
        assert_ne!(agreements.context(birth, 2), first);
    }

    #[test]
    fn splits_order_by_key_and_then_by_rank() {
        let mut agreements = Agreements::default();
        let place = Place { parent: WORLD_CONTEXT, number: 3, side: 0 };
        for (rank, colour, key) in [(2, 0, 5), (0, 0, 5), (1, 0, 4), (3, -1, 0)] {
            agreements.split_deposit(place, WorldRank(rank), colour, key);
        }
        let order = |rank: WorldRank| rank.0;
        for _ in 0..3 {
            assert_eq!(agreements.split_group(place, 0, 4, order), Some(Group::list(vec![1, 0, 2])));
        }
        assert_eq!(agreements.split_group(place, -1, 4, order), None);
        assert!(agreements.splits.is_empty());
    }

    #[test]
    fn a_fast_leader_does_not_overwrite_what_it_said() {
        let mut agreements = Agreements::default();
        let greeting = Greeting { peer: WORLD_CONTEXT, tag: 1, from: WorldRank(0), to: WorldRank(1) };
        agreements.greet(greeting, Group::range(0, 1));
        agreements.greet(greeting, Group::range(2, 1));
        assert_eq!(agreements.greeted(greeting), Some(Group::range(0, 1)));
        assert_eq!(agreements.greeted(greeting), Some(Group::range(2, 1)));
        assert!(agreements.greetings.is_empty());
    }
}
