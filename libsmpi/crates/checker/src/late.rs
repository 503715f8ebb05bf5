//! Finds late arrivals: candidates that appear for a choice after it was made, and that do not depend on it.
//!
//! The kind of choice determines what is watched:
//!
//! - a receive, a probe: a message that the pattern accepts, from a sender that had no candidate when the choice was
//!   made. (A sender that had one still has its older message in front. If older receives hide a message, these
//!   receives are enabled and come first.);
//! - Waitany, Waitsome, Test and so on: the completion of a request of the call that was not complete when the choice
//!   was made.
//!
//! Closed choices need not be watched.

use std::sync::Arc;

use smpi_base::WorldRank;
use smpi_mailbox::{Envelope, Pattern};

use crate::below::{Arrival, Arriving};
use crate::choice::ChoiceId;
use crate::history::History;
use crate::shared_list::SharedList;

/// An open choice that was made.
#[derive(Clone, Copy, Debug)]
struct Made {
    id: ChoiceId,
    /// Position of the choice in the execution.
    position: u32,
}

/// Choices for which a message that the pattern accepts, of another sender than these, would have been a further
/// candidate.
#[derive(Clone, Debug)]
struct Messages {
    pattern: Pattern,
    senders: Arc<[WorldRank]>,
    /// Invariant: the newer one has the higher position.
    made: SharedList<Made>,
}

/// A choice for which the completion of one of these requests would have been.
#[derive(Clone, Debug)]
struct Completions {
    made: Made,
    open: Arc<[u64]>,
}

/// The choices of one rank that are watched.
#[derive(Clone, Default, Debug)]
struct Watches {
    /// By pattern and senders: there are few different ones, however many receives there are.
    messages: Vec<Messages>,
    /// Invariant: the newer one has the higher position.
    completions: SharedList<Completions>,
}

/// Open choices made in the present execution, and the late arrivals found for them.
#[derive(Clone, Default, Debug)]
pub struct Late {
    /// By rank of the choice.
    watches: Vec<Watches>,
    found: Vec<ChoiceId>,
    /// What has come since somebody asked last, whether it was late for something or not; `None` where nobody asks.
    arrived: Option<Vec<Arrival>>,
}

impl Late {
    /// Nothing chosen yet, for ranks `0..ranks`.
    pub fn new(ranks: u32) -> Late {
        Late { watches: vec![Watches::default(); ranks as usize], found: Vec::new(), arrived: None }
    }

    /// Adds ranks, up to this number.
    pub fn grow(&mut self, ranks: u32) {
        self.watches.resize_with(self.watches.len().max(ranks as usize), Watches::default);
    }

    /// A receive or probe was chosen for, as the `position`-th choice of the execution; `senders` had candidates.
    pub fn watch_messages(&mut self, id: ChoiceId, position: u32, pattern: Pattern, senders: &[WorldRank]) {
        let watched = &mut self.watches[id.rank().index()].messages;
        let is_same = |messages: &Messages| messages.pattern == pattern && *messages.senders == *senders;
        let place = watched.iter().position(is_same).unwrap_or_else(|| {
            watched.push(Messages { pattern, senders: senders.into(), made: SharedList::default() });
            watched.len() - 1
        });
        watched[place].made.push(Made { id, position });
    }

    /// A Waitany, Test or the like was chosen for; `open` are the caller's tokens for the requests asked about that
    /// were not complete.
    pub fn watch_completions(&mut self, id: ChoiceId, position: u32, open: &[u64]) {
        let watch = Completions { made: Made { id, position }, open: open.into() };
        self.watches[id.rank().index()].completions.push(watch);
    }

    /// A message was sent; `history` is its sender's.
    pub fn sent(&mut self, from: WorldRank, to: WorldRank, envelope: &Envelope, history: &History) {
        self.revealed(from, to, envelope, history, |_, _| true);
    }

    /// A message can be taken now that something kept from the choices for which `was_hidden` holds; `history` is that
    /// of the message and of what has gone.
    pub fn revealed(
        &mut self,
        from: WorldRank,
        to: WorldRank,
        envelope: &Envelope,
        history: &History,
        was_hidden: impl Fn(ChoiceId, &Pattern) -> bool,
    ) {
        self.note(Arriving::Message { from, to, envelope: *envelope }, history);
        self.is_there(from, to, envelope, history, was_hidden);
    }

    fn is_there(
        &mut self,
        from: WorldRank,
        to: WorldRank,
        envelope: &Envelope,
        history: &History,
        was_hidden: impl Fn(ChoiceId, &Pattern) -> bool,
    ) {
        let could_come = |messages: &&Messages| messages.pattern.matches(envelope) && !messages.senders.contains(&from);
        let mut found: Vec<Made> = Vec::new();
        for Messages { pattern, made, .. } in self.watches[to.index()].messages.iter().filter(could_come) {
            let unknown = unknown(made, history, |made| made.position);
            found.extend(unknown.filter(|made| was_hidden(made.id, pattern)));
        }
        // The newest first, whatever it waited for.
        found.sort_unstable_by_key(|made| std::cmp::Reverse(made.position));
        self.found.extend(found.iter().map(|made| made.id));
    }

    /// A request of `rank` completed; `history` is that of its completion.
    pub fn completed(&mut self, rank: WorldRank, token: u64, history: &History) {
        self.note(Arriving::Completion { rank, token }, history);
        self.is_over(rank, token, history);
    }

    fn is_over(&mut self, rank: WorldRank, token: u64, history: &History) {
        let watches = &self.watches[rank.index()].completions;
        let unknown = unknown(watches, history, |watch| watch.made.position);
        self.found.extend(unknown.filter(|watch| watch.open.contains(&token)).map(|watch| watch.made.id));
    }

    /// A further candidate could have come at once, without anything else: by a reluctant choice.
    pub fn could_have_come(&mut self, id: ChoiceId) {
        self.found.push(id);
    }

    /// Something further could have come for all that is watched, and nobody can tell. It need not be watched any more.
    pub fn all_could_have_come(&mut self) {
        for Watches { messages, completions } in self.watches.iter_mut().map(std::mem::take) {
            self.found.extend(messages.iter().flat_map(|messages| messages.made.iter()).map(|made| made.id));
            self.found.extend(completions.iter().map(|watch| watch.made.id));
        }
    }

    /// What comes is handed over from now on ([`Late::drain_arrived`]).
    pub fn keep_arrived(&mut self) {
        self.arrived.get_or_insert_default();
    }

    /// Something has come that may be late for choices.
    #[inline]
    pub fn note(&mut self, what: Arriving, history: &History) {
        if let Some(arrived) = &mut self.arrived {
            arrived.push(Arrival { what, ticks: history.ticks().clone() });
        }
    }

    /// Something comes, with this history, below a state that was explored before.
    pub fn recall(&mut self, what: Arriving, history: &History) {
        match what {
            Arriving::Message { from, to, envelope } => self.is_there(from, to, &envelope, history, |_, _| true),
            Arriving::Completion { rank, token } => self.is_over(rank, token, history),
            Arriving::Forced => self.all_could_have_come(),
        }
    }

    /// Hands over what has come since the last call.
    pub fn drain_arrived(&mut self, out: &mut Vec<Arrival>) {
        self.arrived.iter_mut().for_each(|arrived| out.append(arrived));
    }

    /// Hands over what was found since the last call.
    pub fn drain(&mut self, out: &mut Vec<ChoiceId>) {
        out.append(&mut self.found);
    }
}

/// The choices that something does not depend on. Of those made long ago most are known to everybody, so that the list
/// is not walked to its end.
fn unknown<'a, T>(
    watches: &'a SharedList<T>,
    history: &'a History,
    position: impl Fn(&T) -> u32 + Copy + 'a,
) -> impl Iterator<Item = &'a T> {
    let first = history.first_missing();
    let open = watches.iter().take_while(move |watch| position(watch) >= first);
    open.filter(move |watch| !history.contains(position(watch)))
}
