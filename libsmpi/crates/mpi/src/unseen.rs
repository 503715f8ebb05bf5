//! Results of Waitany that the program has not looked at: which request it was makes no difference so far.
//!
//! Who watches the program (the C layer) asks such questions as `alike`, and tells here when a difference is seen after
//! all. Until then the rank has learnt nothing of the choice, nor of the completion that it took: it would have gone on
//! with any other. So neither joins its history; an underestimated history costs time, an overestimated one executions
//! (docs/verification.md has the argument). When all requests of the group are taken, all their completions have
//! happened.
//!
//! Where a program has said by an annotation that it does not matter which of some requests it is given, it does not
//! learn of that completion either: only that it was one of them.

use smpi_base::WorldRank;
use smpi_checker::ChoiceId;
use smpi_checker::history::History;

use crate::request::RequestKey;
use crate::world::World;

/// What is unseen on every rank.
#[derive(Clone, Debug)]
pub(crate) struct Unseen {
    /// Choices whose outcome may still be seen: number and position.
    choices: Vec<Vec<(u32, u32)>>,
    /// What ranks have taken without learning of it.
    deferred: Vec<History>,
    /// The request that is about to be taken like this.
    next: Option<(WorldRank, RequestKey)>,
    /// The same, by slot, for one that does not matter by an annotation.
    ignored: Option<(WorldRank, u32)>,
    /// Choices whose outcome was seen since somebody asked last.
    seen: Vec<ChoiceId>,
}

impl Unseen {
    pub(crate) fn new(ranks: usize) -> Unseen {
        let (choices, deferred) = (vec![Vec::new(); ranks], vec![History::EMPTY; ranks]);
        Unseen { choices, deferred, next: None, ignored: None, seen: Vec::new() }
    }

    /// A choice of alike candidates was made.
    pub(crate) fn chose(&mut self, id: ChoiceId, position: u32) {
        self.choices[id.rank.index()].push((id.number, position));
    }

    /// The choice that is made lets its rank take the request in this slot, for any of those that do not matter.
    pub(crate) fn takes_next(&mut self, rank: WorldRank, slot: Option<u32>) {
        self.ignored = slot.map(|slot| (rank, slot));
    }

    /// A rank takes a completion; true when it does not learn of it.
    pub(crate) fn takes(&mut self, rank: WorldRank, key: RequestKey, history: &History) -> bool {
        if self.ignored.take_if(|ignored| *ignored == (rank, key.slot)).is_some() {
            return true;
        }
        let unseen = self.next.take_if(|next| *next == (rank, key)).is_some();
        if unseen {
            self.deferred[rank.index()].join(history);
        }
        unseen
    }
}

impl World {
    /// The rank takes this completion next, and does not look at which it is.
    pub fn take_unseen(&mut self, rank: WorldRank, key: RequestKey) {
        if let Some(choosing) = &mut self.choosing {
            choosing.unseen.next = Some((rank, key));
        }
    }

    /// All requests that a rank could have taken are taken: it has waited for all of them.
    pub fn all_taken(&mut self, rank: WorldRank) {
        if let Some(choosing) = &mut self.choosing {
            let deferred = std::mem::take(&mut choosing.unseen.deferred[rank.index()]);
            choosing.histories[rank.index()].join(&deferred);
        }
    }

    /// Nothing is left that could show what was chosen.
    pub fn nothing_seen(&mut self, rank: WorldRank) {
        if let Some(choosing) = &mut self.choosing {
            choosing.unseen.choices[rank.index()].clear();
        }
    }

    /// The rank looks at a difference.
    pub fn see(&mut self, rank: WorldRank) {
        self.all_taken(rank);
        let Some(choosing) = &mut self.choosing else { return };
        for (number, position) in choosing.unseen.choices[rank.index()].drain(..) {
            choosing.histories[rank.index()].insert(position);
            choosing.unseen.seen.push(ChoiceId { rank, number });
        }
    }

    /// Hands over the choices whose outcome was seen.
    pub fn take_seen(&mut self, into: &mut Vec<ChoiceId>) {
        if let Some(choosing) = &mut self.choosing {
            into.append(&mut choosing.unseen.seen);
        }
    }
}
