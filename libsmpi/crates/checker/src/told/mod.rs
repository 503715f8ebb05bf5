//! What each rank is told in an execution: by whom, with which contents, and what it tells others after that.
//!
//! [`crate::influence`] follows which ranks a choice *can* have had an effect on: everybody who is sent something by
//! somebody who knows of it. Most of them are told the same as ever. Here each rank has a *trace* of what it was told,
//! and of its own choices; what it does follows from that alone. [`crate::reduction::histories`] compares the traces of
//! executions, and [`proof`] says whether anything else can come of combinations of them.
//!
//! A trace is a sequence of [`Step`]s. What a rank waits for in a step are [`Token`]s, which other ranks give: each
//! [`Give`] says after which steps of its rank it was given. Names of tokens follow from what their rank did, so they
//! mean the same in each execution.
//!
//! | event | step of its rank | what it gives |
//! |---|---|---|
//! | a message is sent | | [`Token::Sent`] |
//! | a receive is posted | [`Step::Posts`], if its sender is to be chosen | [`Token::Posted`], once it has a message |
//! | an operation is called that waits for all | | [`Token::Met`], which all of them give |
//! | a choice of the rank's own call is made | [`Step::Chose`] | |
//! | a completion is taken, or a probe sees a message | [`Step::Takes`] | |

mod log;
pub mod proof;
mod trie;

use std::hash::{BuildHasher, Hash};
use std::rc::Rc;

use smpi_base::WorldRank;
use smpi_base::map::{FxBuildHasher, Map};
use smpi_base::rng::Rng;
use smpi_mailbox::{Context, Envelope, Pattern};

use crate::choice::ChoiceId;
pub use log::Log;
pub use trie::{Node, Tries};

/// A message, named by its place among those from one rank to another: their order matters to who receives any of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Sent {
    /// Its sender.
    pub from: WorldRank,
    /// Its receiver.
    pub to: WorldRank,
    /// Its context.
    pub context: Context,
    /// The tag, where messages of other tags are in no order with it: those of collective operations.
    pub lane: Option<i32>,
    /// How many of these were sent before it.
    pub number: u32,
}

/// Something that a rank may wait for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Token {
    /// The message was sent.
    Sent(Sent),
    /// The receive was posted that takes the message.
    Posted(Sent),
    /// The operation was called by all who take part: of those in this context that wait for all, the one with this
    /// number.
    Met(Context, u32),
    /// The receive has a message that this request of a rank is: younger ones may have theirs.
    Had(WorldRank, u32),
}

/// What a choice of a rank's own call is between.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Offers {
    /// Nothing that others do.
    Nothing,
    /// Messages that the pattern accepts.
    Messages(Pattern),
    /// These requests of its rank, by their numbers.
    Requests(Rc<[u32]>),
}

/// What happens to a rank.
#[derive(Clone, Debug)]
pub enum Step {
    /// It makes a choice in a call.
    Chose {
        /// Which choice.
        choice: ChoiceId,
        /// What was chosen.
        answer: u64,
        /// What it was between.
        offers: Offers,
        /// Requests that it had started before.
        started: u32,
    },
    /// It posts the receive that this request is, whose message is to be chosen.
    Posts {
        /// Which choice.
        choice: ChoiceId,
        /// What it accepts.
        pattern: Pattern,
        /// The number of the request.
        started: u32,
    },
    /// It is told.
    Takes {
        /// The number of the request, unless a probe sees the message.
        started: Option<u32>,
        /// What that waited for.
        tokens: Rc<[Token]>,
        /// A digest of what it is told.
        told: u64,
    },
}

/// Something that a rank gives.
#[derive(Clone, Debug)]
pub struct Give {
    /// What it is.
    pub token: Token,
    /// After so many steps of the rank.
    pub after: u32,
    /// The number of the request that gives it, or of those started before.
    pub started: u32,
    /// What it waits for beside those steps, if that is known and not more: of an operation of several messages, those
    /// that it has received.
    pub own: Rc<[Token]>,
    /// Of a message, its envelope and a digest of its contents.
    pub contents: Option<(Envelope, u64)>,
}

/// What is known of a request that is not over.
#[derive(Clone, Debug, Default)]
struct Pending {
    started: u32,
    after: u32,
    brings: Vec<Token>,
    /// A digest of what its messages contain.
    told: u64,
    meets: Option<Token>,
    is_choice: bool,
    is_over: bool,
}

/// A receive whose message is chosen.
#[derive(Clone, Copy, Debug)]
struct Chooser {
    started: u32,
    pattern: Pattern,
    has: bool,
    /// The rank has taken its completion, after so many steps.
    taken: Option<u32>,
}

/// One rank.
#[derive(Clone, Debug, Default)]
struct Teller {
    steps: Log<Step>,
    gives: Log<Give>,
    /// What its receives accept, by the numbers of their requests.
    receives: Log<(u32, Pattern)>,
    started: u32,
    /// By slot.
    requests: Vec<Pending>,
    /// Receives whose message is chosen, the oldest first.
    choosers: Vec<Chooser>,
    /// Messages sent so far, by receiver, context and lane.
    sent: Map<(WorldRank, Context, Option<i32>), u32>,
    /// Operations called that wait for all, by context.
    met: Map<Context, u32>,
    /// Digests of the steps, and of what was chosen for receives.
    trace: u64,
    chosen: u64,
}

impl Teller {
    fn step(&mut self, step: Step) {
        let told = match &step {
            Step::Chose { choice, answer, .. } => digest((0, choice, answer)),
            // Messages are chosen later.
            Step::Posts { choice, .. } => digest((1, choice)),
            Step::Takes { started, tokens, told } => digest((2, started, tokens, told)),
        };
        self.trace = digest((self.trace, told));
        self.steps.push(step);
    }

    /// Older receives that must have messages before a younger one, posted after so many steps, can have this one, or a
    /// probe can see it: those that accept it, too, and were not over then.
    fn before(&self, (rank, envelope): (WorldRank, Envelope), started: u32, after: u32) -> impl Iterator<Item = Token> {
        let accepts = move |one: &&Chooser| one.started < started && one.pattern.matches(&envelope);
        let is_open = move |one: &&Chooser| one.taken.is_none_or(|taken| taken >= after);
        self.choosers
            .iter()
            .filter(accepts)
            .filter(is_open)
            .filter(|one| one.has)
            .map(move |one| Token::Had(rank, one.started))
    }

    fn request(&mut self, slot: u32) -> &mut Pending {
        let slot = slot as usize;
        if self.requests.len() <= slot {
            self.requests.resize_with(slot + 1, Pending::default);
        }
        &mut self.requests[slot]
    }
}

/// Where somebody is in its trace: what it gives comes after that.
#[derive(Clone, Copy, Default, Debug)]
pub struct Place {
    after: u32,
    started: u32,
}

/// The traces of an execution, while it goes on. Copies share what is old.
#[derive(Clone, Debug, Default)]
pub struct Told {
    ranks: Vec<Rc<Teller>>,
    /// By slots of messages under way.
    messages: Vec<Option<(Sent, (Envelope, u64))>>,
    is_lost: bool,
}

impl Told {
    /// Nothing has happened yet to ranks `0..ranks`.
    pub fn new(ranks: u32) -> Told {
        Told { ranks: (0..ranks).map(|_| Rc::default()).collect(), messages: Vec::new(), is_lost: false }
    }

    /// Something happens of which it is not known what ranks are told by it.
    pub fn lose(&mut self) {
        self.is_lost = true;
    }

    /// Whether something happened that is not followed.
    pub fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> usize {
        self.ranks.len()
    }

    /// A digest of the trace of a rank, with the messages that it took.
    pub fn trace(&self, rank: usize) -> (u64, u64) {
        (self.ranks[rank].trace, self.ranks[rank].chosen)
    }

    /// The steps of a rank.
    pub fn steps(&self, rank: usize) -> Vec<&Step> {
        self.ranks[rank].steps.all()
    }

    /// What a rank gives.
    pub fn gives(&self, rank: usize) -> Vec<&Give> {
        self.ranks[rank].gives.all()
    }

    /// What the receives of a rank accept, by the numbers of their requests.
    pub fn receives(&self, rank: usize) -> Vec<(u32, Pattern)> {
        self.ranks[rank].receives.all().into_iter().copied().collect()
    }

    fn rank(&mut self, rank: WorldRank) -> Option<&mut Teller> {
        let found = self.ranks.get_mut(rank.index());
        self.is_lost |= found.is_none();
        found.map(Rc::make_mut)
    }

    /// Where a rank is now.
    pub fn place(&self, rank: WorldRank) -> Place {
        let rank = self.ranks.get(rank.index());
        rank.map_or(Place::default(), |rank| Place { after: rank.steps.len(), started: rank.started })
    }

    /// A rank starts the request in this slot: of a receive, what it accepts is known, and the choice of its message if
    /// that is one.
    pub fn starts(&mut self, rank: WorldRank, slot: u32, receive: Option<Pattern>, choice: Option<ChoiceId>) {
        let Some(rank) = self.rank(rank) else { return };
        let started = rank.started;
        rank.started += 1;
        receive.into_iter().for_each(|pattern| rank.receives.push((started, pattern)));
        if let (Some(choice), Some(pattern)) = (choice, receive) {
            // Of what is over before, nobody can be younger and open.
            let open = rank.requests.iter().filter(|one| !one.is_over).map(|one| one.after);
            let oldest = open.min().unwrap_or(rank.steps.len());
            rank.choosers.retain(|one| one.taken.is_none_or(|taken| taken >= oldest));
            rank.choosers.push(Chooser { started, pattern, has: false, taken: None });
            // Which message it has is part of that step.
            rank.step(Step::Posts { choice, pattern, started });
        }
        let after = rank.steps.len();
        *rank.request(slot) = Pending { started, after, is_choice: choice.is_some(), ..Pending::default() };
    }

    /// The request in this slot, which was started just now, is an operation that waits for all.
    pub fn arrives(&mut self, rank: WorldRank, slot: u32, context: Context) {
        let Some(rank) = self.rank(rank) else { return };
        let number = rank.met.entry(context).or_default();
        let token = Token::Met(context, *number);
        *number += 1;
        let request = rank.request(slot);
        request.meets = Some(token);
        let (after, started) = (request.after, request.started);
        rank.gives.push(Give { token, after, started, own: Rc::default(), contents: None });
    }

    /// All who take part have called the operations that these are.
    pub fn meet(&mut self, ready: &[(WorldRank, u32)]) {
        for &(rank, slot) in ready {
            let Some(rank) = self.rank(rank) else { return };
            let request = rank.request(slot);
            let token = request.meets;
            request.brings.extend(token);
            self.is_lost |= token.is_none();
        }
    }

    /// A message is sent, which has this slot and these contents.
    pub fn sends(&mut self, message: usize, (from, to): (WorldRank, WorldRank), contents: (Envelope, u64), by: By) {
        let (envelope, _) = contents;
        let lane = matches!(by, By::Step(_)).then_some(envelope.tag);
        let Some(rank) = self.rank(from) else { return };
        let number = rank.sent.entry((to, envelope.context, lane)).or_default();
        let sent = Sent { from, to, context: envelope.context, lane, number: *number };
        *number += 1;
        let (Place { after, started }, own) = match by {
            By::Place(place) => (place, Rc::default()),
            By::Request(slot) | By::Step(slot) => {
                let request = rank.request(slot);
                let place = Place { after: request.after, started: request.started };
                (place, request.brings.as_slice().into())
            }
        };
        rank.gives.push(Give { token: Token::Sent(sent), after, started, own, contents: Some(contents) });
        if self.messages.len() <= message {
            self.messages.resize(message + 1, None);
        }
        self.messages[message] = Some((sent, contents));
    }

    /// The message in this slot meets the receive of a request of its receiver; if its sender waits for that, by the
    /// request in a slot.
    pub fn matches(&mut self, message: usize, receive: u32, waiting: Option<u32>) {
        let Some((sent, contents)) = self.messages.get(message).copied().flatten() else {
            self.is_lost = true;
            return;
        };
        if let Some(rank) = self.rank(sent.to) {
            let &mut Pending { started, after, is_choice, .. } = rank.request(receive);
            let before: Vec<Token> = rank.before((sent.to, contents.0), started, after).collect();
            let request = rank.request(receive);
            request.brings.extend(before);
            let own: Rc<[Token]> = request.brings.as_slice().into();
            request.brings.push(Token::Sent(sent));
            request.told = request.told.wrapping_add(digest((sent, contents)));
            if is_choice {
                rank.chosen = rank.chosen.wrapping_add(digest((started, sent)));
                let its = rank.choosers.iter_mut().filter(|one| one.started == started);
                its.for_each(|one| one.has = true);
                let (token, own) = (Token::Had(sent.to, started), [&own[..], &[Token::Sent(sent)]].concat().into());
                rank.gives.push(Give { token, after, started, own, contents: None });
            }
            rank.gives.push(Give { token: Token::Posted(sent), after, started, own, contents: None });
        }
        if let Some(slot) = waiting
            && let Some(rank) = self.rank(sent.from)
        {
            rank.request(slot).brings.push(Token::Posted(sent));
        }
    }

    /// A rank takes the completion of a request, or is only told that it is over.
    pub fn takes(&mut self, rank: WorldRank, slot: u32) {
        let Some(rank) = self.rank(rank) else { return };
        let request = rank.request(slot);
        request.is_over = true;
        let (started, told, tokens) = (request.started, request.told, request.brings.as_slice().into());
        let taken = rank.steps.len();
        let its = rank.choosers.iter_mut().filter(|one| one.started == started && one.taken.is_none());
        its.for_each(|one| one.taken = Some(taken));
        rank.step(Step::Takes { started: Some(started), tokens, told });
    }

    /// A rank's probe sees the message in this slot.
    pub fn sees(&mut self, rank: WorldRank, message: usize) {
        let Some((sent, contents)) = self.messages.get(message).copied().flatten() else {
            self.is_lost = true;
            return;
        };
        if let Some(rank) = self.rank(rank) {
            let before = rank.before((sent.to, contents.0), rank.started, rank.steps.len());
            let tokens = before.chain([Token::Sent(sent)]).collect();
            let told = digest(contents.0);
            rank.step(Step::Takes { started: None, tokens, told });
        }
    }

    /// A rank makes a choice in a call, between requests in these slots if it is between such.
    pub fn chooses(&mut self, choice: ChoiceId, answer: u64, between: Between<'_>) {
        let Some(rank) = self.rank(choice.rank()) else { return };
        let offers = match between {
            Between::Nothing => Offers::Nothing,
            Between::Messages(pattern) => Offers::Messages(pattern),
            Between::Slots(slots) => Offers::Requests(slots.iter().map(|&slot| rank.request(slot).started).collect()),
        };
        let started = rank.started;
        rank.step(Step::Chose { choice, answer, offers, started });
    }
}

fn digest(value: impl Hash) -> u64 {
    // Plain Fx hashes of neighbours are neighbours.
    Rng::new(FxBuildHasher.hash_one(value)).next_u64()
}

/// Who gives something.
#[derive(Clone, Copy, Debug)]
pub enum By {
    /// The request in this slot.
    Request(u32),
    /// A step of the collective operation that the request in this slot is.
    Step(u32),
    /// A rank that was here.
    Place(Place),
}

/// What a choice is between, as its rank names it.
#[derive(Clone, Copy, Debug)]
pub enum Between<'a> {
    /// Nothing that others do.
    Nothing,
    /// Messages that the pattern accepts.
    Messages(Pattern),
    /// Requests in these slots.
    Slots(&'a [u32]),
}
