//! The state of a verification beside MPI's own: receives that wait for a choice, questions of blocked ranks, and
//! causality. Data only; [`crate::driver`] acts on it.
//!
//! A receive from `MPI_ANY_SOURCE` is *held* ([`Held`]): it does not reach the mailbox before its sender is chosen. All
//! other operations match by themselves, since each has only one possible partner.
//!
//! A rank learns a message's history when it takes the completion of its request, not when the message matches: until
//! then the rank's actions do not depend on the message ([`History`] has the table).
//!
//! A snapshot copies all of this state. Copies share the data of a rank until it changes.

mod anticipated;
mod clock;
mod communications;
mod discovery;
mod naming;
mod polls;
mod question;
mod reluctant;
mod seen;

use std::collections::VecDeque;
use std::fmt::Debug;
use std::rc::Rc;

use smpi_base::WorldRank;
use smpi_checker::ChoiceId;
use smpi_checker::below::{Carrier, Ticks};
use smpi_checker::held::Held;
use smpi_checker::history::History;
use smpi_checker::influence::Influence;
use smpi_checker::late::Late;
use smpi_checker::told::{By, Told};
use smpi_mailbox::{Context, Envelope, NO_RANK, Pattern};
use smpi_mpi::p2p::request::RequestKey;
use smpi_mpi::world::Ended;

pub(crate) use anticipated::{Anticipated, Operation, Started};
pub use anticipated::{Cancels, Name, Site};
pub(crate) use clock::Clock;
pub use communications::{Communication, Communications};
pub use discovery::{Discoveries, Discovery, Spawn};
pub use polls::{Echo, Polled, Remembered, Unseen};
pub(crate) use polls::{Polls, Turns};
pub(crate) use question::{Ahead, Pending, Place, Question, Requests};
pub use question::{Retry, Round};
pub(crate) use reluctant::{Reluctant, Waiting, What, is_reluctant};
use seen::Seen;

/// The number of what is no choice.
pub(crate) const NO_CHOICE: u32 = u32::MAX;

/// What is known of a request, beside what MPI knows of it: valid while the request is there.
#[derive(Clone, Debug)]
pub(crate) struct Tracked {
    /// Choices that its completion depends on.
    pub history: History,
    /// Choices that its present messages depended on when they were posted: what the other side learns.
    pub posted: History,
    /// The number of the choice that it is, or [`NO_CHOICE`].
    pub choice: u32,
    /// Its number among the requests that its rank started.
    pub start: u32,
    /// The number of its receive.
    pub receive: u32,
    /// The rank whose message it has received.
    pub sender: WorldRank,
    /// Of one that waits and need not: the number of the choice whether it does.
    pub going_on: u32,
}

impl Tracked {
    pub const NONE: Tracked = Tracked {
        history: History::EMPTY,
        posted: History::EMPTY,
        choice: NO_CHOICE,
        start: 0,
        receive: 0,
        sender: NO_RANK,
        going_on: NO_CHOICE,
    };
}

/// What is known of a message that a collective operation may await by itself.
#[derive(Clone, Debug)]
pub(crate) struct Single {
    /// Slot of the operation's request.
    pub slot: u32,
    /// The step that posted it.
    pub step: u32,
    /// Choices that it depended on when it was posted; once it is matched, those that awaiting it teaches.
    pub history: History,
}

/// What a rank knew when it posted something.
#[derive(Clone, Debug)]
pub(crate) struct PostNote {
    pub history: History,
    /// The send, where the program may cancel it.
    pub cancellable: Option<Started>,
    /// Failed polls before a probe.
    pub polls: Polls,
    /// What the rank was told before, where that is followed.
    pub by: Option<By>,
    /// Nobody has looked at the answer of a probe if it is "not yet".
    pub unheard: bool,
}

/// What is kept for one rank.
#[derive(Clone, Debug, Default)]
pub(crate) struct RankState {
    /// The question that it is blocked in.
    pub pending: Option<Pending>,
    /// The answer to it, until the rank takes it.
    pub answer: Option<i64>,
    /// Choice points that it has reached.
    reached: u32,
    /// Requests that it has started.
    pub started: u32,
    /// How often it has spawned ranks.
    pub spawned: u32,
    /// Its operations that it may cancel, in the order of their numbers.
    pub anticipated: Vec<Anticipated>,
    /// What it knows.
    pub history: History,
    /// What it knows of messages that it has not received.
    pub seen: Seen,
    /// It is through.
    pub ended: bool,
    /// How many operations it has started, questions it has asked and completions it has taken.
    pub progress: u32,
    /// By slot.
    requests: Vec<Tracked>,
    /// Messages of collective operations that may be awaited one by one.
    pub single: Vec<Single>,
    /// One for each of its posts that are not committed, oldest first.
    pub posted: VecDeque<PostNote>,
    /// Choices of Waitany whose outcome the program may still look at: number and position.
    pub unseen: Vec<(u32, u32)>,
    /// Nobody will have looked at what the probe that it posts next finds, if that is nothing.
    pub asks_unheard: bool,
    /// The number of its poll that was told "not yet" in the place of all answers, until it takes that.
    pub unheard: Option<u32>,
    /// What it has taken without learning of it.
    pub deferred: History,
    /// What servers knew that have done its accesses, by window and target: it learns of it when it knows that these
    /// are over.
    pub answers: Vec<((Context, u32), History)>,
    /// What it has sent and received.
    pub communications: Communications,
    /// What it sees of time.
    pub clock: Clock,
    pub polled: Polled,
}

impl RankState {
    /// What is known of the request in a slot.
    pub fn request(&self, slot: u32) -> &Tracked {
        self.requests.get(slot as usize).unwrap_or(&Tracked::NONE)
    }

    /// The same, to change it.
    pub fn request_mut(&mut self, slot: u32) -> &mut Tracked {
        let slot = slot as usize;
        if self.requests.len() <= slot {
            self.requests.resize(slot + 1, Tracked::NONE);
        }
        &mut self.requests[slot]
    }

    /// Where a message that may be awaited by itself is among those.
    pub fn single(&self, slot: u32, step: u32) -> Option<usize> {
        self.single.iter().position(|single| (single.slot, single.step) == (slot, step))
    }

    /// A new choice point.
    pub fn reach(&mut self) -> u32 {
        self.reached += 1;
        self.reached - 1
    }

    /// Puts a question of a rank that is (or will be) suspended, with what is known of it if it is a poll.
    pub fn ask(&mut self, question: Question, retry: Option<Retry>) {
        let number = self.reach();
        self.progress += 1;
        self.pending = Some(Pending { number, question, retry, ahead: Ahead::Unknown, same: Vec::new() });
    }
}

/// All ranks.
#[derive(Clone, Debug)]
pub(crate) struct AllRanks(Vec<Rc<RankState>>);

impl AllRanks {
    fn new(count: u32) -> AllRanks {
        AllRanks((0..count).map(|_| Rc::default()).collect())
    }

    fn grow(&mut self, ranks: u32) {
        self.0.resize_with(self.0.len().max(ranks as usize), Rc::default);
    }

    #[inline]
    pub fn at(&self, rank: WorldRank) -> &RankState {
        &self.0[rank.index()]
    }

    /// A rank, to change it.
    #[inline]
    pub fn at_mut(&mut self, rank: WorldRank) -> &mut RankState {
        Rc::make_mut(&mut self.0[rank.index()])
    }

    pub fn iter(&self) -> impl Iterator<Item = &RankState> {
        self.0.iter().map(|rank| &**rank)
    }
}

/// The state of a verification at one moment.
#[derive(Debug)]
pub struct State {
    pub(crate) held: Held,
    pub(crate) ranks: AllRanks,
    pub(crate) late: Late,
    /// What would be found by polls that come after one that has found something, had that been told "not yet".
    pub(crate) ahead: Late,
    pub(crate) reluctant: Reluctant,
    /// Choices that messages depend on, by the slots of their communications.
    pub(crate) messages: Vec<History>,
    /// Choices made in this execution.
    made: u32,
    /// One more than the states that it has come to, where what comes below states is followed
    /// ([`smpi_checker::below`]); else 0.
    pub(crate) tick: u32,
    /// The request that is about to be taken without its rank looking at which it is.
    pub(crate) taken_unseen: Option<(WorldRank, RequestKey)>,
    /// The same, by slot, for one that does not matter by an annotation.
    pub(crate) ignored: Option<(WorldRank, u32)>,
    /// Choices of Waitany whose outcome was seen since somebody asked last.
    pub(crate) seen: Vec<ChoiceId>,
    /// What has happened, which is when an operation starts and when a choice is made by which somebody gets something:
    /// what a poll that finds nothing may wait for. And whose turn it is to poll.
    pub(crate) turns: Turns,
    /// By rank, up to the last that may change places with others: whether something has told it apart.
    pub(crate) apart: Rc<Vec<bool>>,
    /// What choices have had an effect on, where that is followed.
    pub(crate) influence: Option<Influence>,
    /// What ranks were told, where that is followed.
    pub(crate) told: Option<Told>,
    /// What has ended, as nothing takes time, and of which nobody was told: where ranks go on for ever.
    pub(crate) ended: Vec<Ended>,
}

/// Putting a snapshot back is most of what a short execution costs, so it keeps the allocations.
impl Clone for State {
    fn clone(&self) -> State {
        State {
            held: self.held.clone(),
            ranks: self.ranks.clone(),
            late: self.late.clone(),
            ahead: self.ahead.clone(),
            reluctant: self.reluctant.clone(),
            messages: self.messages.clone(),
            made: self.made,
            tick: self.tick,
            taken_unseen: self.taken_unseen,
            ignored: self.ignored,
            seen: self.seen.clone(),
            turns: self.turns,
            apart: self.apart.clone(),
            influence: self.influence.clone(),
            told: self.told.clone(),
            ended: self.ended.clone(),
        }
    }

    fn clone_from(&mut self, other: &State) {
        // All fields are named, so that none is forgotten.
        let State {
            held,
            ranks,
            late,
            ahead,
            reluctant,
            messages,
            made,
            tick,
            taken_unseen,
            ignored,
            seen,
            turns,
            apart,
            influence,
            told,
            ended,
        } = other;
        self.held.clone_from(held);
        self.ranks.0.clone_from(&ranks.0);
        self.late.clone_from(late);
        self.ahead.clone_from(ahead);
        self.reluctant.clone_from(reluctant);
        self.messages.clone_from(messages);
        self.made = *made;
        self.tick = *tick;
        self.taken_unseen = *taken_unseen;
        self.ignored = *ignored;
        self.seen.clone_from(seen);
        self.turns = *turns;
        self.apart.clone_from(apart);
        self.influence.clone_from(influence);
        self.told.clone_from(told);
        self.ended.clone_from(ended);
    }
}

impl State {
    /// The state before the first choice.
    pub(crate) fn new(ranks: u32) -> State {
        State {
            held: Held::new(ranks),
            ranks: AllRanks::new(ranks),
            late: Late::new(ranks),
            ahead: Late::new(ranks),
            reluctant: Reluctant::default(),
            messages: Vec::new(),
            made: 0,
            tick: 0,
            taken_unseen: None,
            ignored: None,
            seen: Vec::new(),
            turns: Turns::default(),
            apart: Rc::default(),
            influence: None,
            told: None,
            ended: Vec::new(),
        }
    }

    /// Tells each part, with its name.
    pub(crate) fn tell_parts(&self, tell: &mut dyn FnMut(&'static str, &dyn Debug)) {
        let State {
            held,
            ranks,
            late,
            ahead,
            reluctant,
            messages,
            made,
            tick,
            taken_unseen,
            ignored,
            seen,
            turns,
            apart,
            influence,
            told,
            ended,
        } = self;
        let parts: [(&str, &dyn Debug); 16] = [
            ("receives that are held", held),
            ("what ranks know", ranks),
            ("late arrivals", late),
            ("late arrivals for polls ahead", ahead),
            ("reluctant ranks", reluctant),
            ("what messages tell", messages),
            ("choices made", made),
            ("states on the way", tick),
            ("what was taken unseen", taken_unseen),
            ("what was ignored", ignored),
            ("what was seen", seen),
            ("turns of polls", turns),
            ("ranks told apart", apart),
            ("effects of choices", influence),
            ("what ranks were told", told),
            ("what has ended", ended),
        ];
        parts.into_iter().for_each(|(name, part)| tell(name, part));
    }

    /// Adds ranks, up to this number.
    pub(crate) fn grow(&mut self, ranks: u32) {
        self.held.grow(ranks);
        self.ranks.grow(ranks);
        self.late.grow(ranks);
        self.ahead.grow(ranks);
    }

    /// Choices that a message depends on.
    pub(crate) fn message(&self, slot: usize) -> &History {
        self.messages.get(slot).unwrap_or(&History::EMPTY)
    }

    /// The same, to change it.
    pub(crate) fn message_mut(&mut self, slot: usize) -> &mut History {
        if self.messages.len() <= slot {
            self.messages.resize(slot + 1, History::EMPTY);
        }
        &mut self.messages[slot]
    }

    /// The position of the choice that is made now.
    pub(crate) fn next_position(&mut self) -> u32 {
        self.made += 1;
        self.made - 1
    }

    /// Positions of this execution so far.
    pub(crate) fn positions(&self) -> u32 {
        self.made
    }

    /// Everything chosen so far.
    pub(crate) fn everything(&self) -> History {
        History::all(self.made).after(&Ticks::all(self.ranks.0.len(), self.tick))
    }

    /// A message comes from one rank to another, which may be late for a choice, or for what polls further on would
    /// find. All that comes is told here, so that neither is forgotten.
    pub(crate) fn is_sent(&mut self, (from, to): (WorldRank, WorldRank), envelope: &Envelope, history: &History) {
        self.late.sent(from, to, envelope, history);
        self.ahead.sent(from, to, envelope, history);
    }

    /// The same of a message that something kept from choices. What polls further on would find may have been kept from
    /// them by anything.
    pub(crate) fn is_revealed(
        &mut self,
        (from, to): (WorldRank, WorldRank),
        envelope: &Envelope,
        history: &History,
        was_hidden: impl Fn(ChoiceId, &Pattern) -> bool,
    ) {
        self.late.revealed(from, to, envelope, history, was_hidden);
        self.ahead.revealed(from, to, envelope, history, |_, _| true);
    }

    /// The same of a request that is over.
    pub(crate) fn is_over(&mut self, rank: WorldRank, slot: u32, history: &History) {
        self.late.completed(rank, u64::from(slot), history);
        self.ahead.completed(rank, u64::from(slot), history);
    }

    /// What a request tells now that is over, or was.
    pub(crate) fn told_by(&self, rank: WorldRank, slot: u32) -> History {
        let history = self.ranks.at(rank).request(slot).history.clone();
        history.passed_by(Carrier::Request(rank, slot), self.tick)
    }

    /// What a rank passes on now: what it knows, and where it is.
    pub(crate) fn passed_on(&self, rank: WorldRank) -> History {
        self.ranks.at(rank).history.passed_on(rank, self.tick)
    }
}
