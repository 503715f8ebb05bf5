//! Finds late arrivals: candidates that appear for a choice after it was made, and that do not depend on it.
//!
//! What is to be watched follows from the kind of choice:
//!
//! - a receive, a probe: a message that the pattern accepts, from a sender that had no candidate when the choice was
//!   made. (A sender that had one has its older message in front; messages that were there and are hidden by older
//!   receives mean that those receives were enabled, and come first.);
//! - Waitany, Waitsome, Test and so on: the completion of a request that was asked about and had not been completed.
//!
//! Closed choices need not be watched.

use smpi_base::WorldRank;
use smpi_mailbox::{Envelope, Pattern};

use crate::choice::ChoiceId;
use crate::history::History;
use crate::shared_list::SharedList;

/// What would have been a further candidate of a choice that was made.
#[derive(Clone, Debug)]
enum Watched {
    /// A message that the pattern accepts, of another sender than these.
    Message { pattern: Pattern, senders: Box<[WorldRank]> },
    /// The completion of one of these requests.
    Completions(Box<[u64]>),
}

/// An open choice that was made.
#[derive(Clone, Debug)]
struct Watch {
    id: ChoiceId,
    /// Position of the choice in the execution.
    position: u32,
    what: Watched,
}

/// Open choices made in the present execution, and the late arrivals found for them.
#[derive(Clone, Default, Debug)]
pub struct Late {
    /// By rank of the choice. Invariant: of each rank's, the newer one has the higher position.
    watches: Vec<SharedList<Watch>>,
    found: Vec<ChoiceId>,
}

impl Late {
    /// Nothing chosen yet, for ranks `0..ranks`.
    pub fn new(ranks: u32) -> Late {
        Late { watches: vec![SharedList::default(); ranks as usize], found: Vec::new() }
    }

    /// A receive or probe was chosen for, as the `position`-th choice of the execution; `senders` had candidates.
    pub fn watch_messages(&mut self, id: ChoiceId, position: u32, pattern: Pattern, senders: &[WorldRank]) {
        let what = Watched::Message { pattern, senders: senders.into() };
        self.watches[id.rank.index()].push(Watch { id, position, what });
    }

    /// A Waitany, Test or the like was chosen for; `open` are the caller's tokens for the requests asked about that
    /// were not complete.
    pub fn watch_completions(&mut self, id: ChoiceId, position: u32, open: &[u64]) {
        let what = Watched::Completions(open.into());
        self.watches[id.rank.index()].push(Watch { id, position, what });
    }

    /// A message was sent; `history` is its sender's.
    pub fn sent(&mut self, from: WorldRank, to: WorldRank, envelope: &Envelope, history: &History) {
        for watch in unknown(&self.watches[to.index()], history) {
            if let Watched::Message { pattern, senders } = &watch.what
                && pattern.matches(envelope)
                && !senders.contains(&from)
            {
                self.found.push(watch.id);
            }
        }
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
        for watch in unknown(&self.watches[to.index()], history) {
            if let Watched::Message { pattern, senders } = &watch.what
                && pattern.matches(envelope)
                && !senders.contains(&from)
                && was_hidden(watch.id, pattern)
            {
                self.found.push(watch.id);
            }
        }
    }

    /// A request of `rank` completed; `history` is that of its completion.
    pub fn completed(&mut self, rank: WorldRank, token: u64, history: &History) {
        for watch in unknown(&self.watches[rank.index()], history) {
            if let Watched::Completions(open) = &watch.what
                && open.contains(&token)
            {
                self.found.push(watch.id);
            }
        }
    }

    /// A further candidate could have come at once, without anything else: by a reluctant choice.
    pub fn could_have_come(&mut self, id: ChoiceId) {
        self.found.push(id);
    }

    /// Hands over what was found since the last call.
    pub fn drain(&mut self, out: &mut Vec<ChoiceId>) {
        out.append(&mut self.found);
    }
}

/// The choices that something does not depend on. Of those made long ago most are known to everybody, so that the list
/// is not walked to its end.
fn unknown<'a>(watches: &'a SharedList<Watch>, history: &'a History) -> impl Iterator<Item = &'a Watch> {
    let first = history.first_missing();
    let open = watches.iter().take_while(move |watch| watch.position >= first);
    open.filter(|watch| !history.contains(watch.position))
}
