//! What the world tells a verification, and what the world asks of it.

mod ahead;
mod alone;
mod cancel;
mod choose;
mod describe;
mod influence;
mod open;
mod order;
mod polls;
mod reluctant;
mod spawn;
mod steps;
mod symmetry;
mod told;
mod traces;
mod unseen;

use std::fmt::Debug;
use std::hash::{BuildHasher, Hash};
use std::ops::RangeInclusive;

use smpi_base::digest::{Digest, Named};
use smpi_base::map::FxBuildHasher;
use smpi_base::{SimTime, WorldRank};
use smpi_checker::alternatives::{self, NOT_YET};
use smpi_checker::below::{Arrival, Arriving, Carrier, Causes};
use smpi_checker::held::{Fate, HeldReceive};
use smpi_checker::history::{History, PassedOn};
use smpi_checker::influence::Influence;
use smpi_checker::{ChoiceId, Told};
use smpi_mailbox::{CommId, NO_RANK, Pattern, Posted};
use smpi_mpi::comm::TrafficKind;
use smpi_mpi::p2p::request::{Body, Operation, Owner, Phase, Recv, RequestKey, Status};
use smpi_mpi::world::{
    Chooser, Clock, Driver, Ended, Hints, HowMany, NOBODY, Notice, Numbers, Order, Picked, Poll, Post, ServerName,
    Spawning, Tags, World, slot_of,
};

use crate::state::{
    Cancels, Communication, Communications, NO_CHOICE, Polls, PostNote, Question, Requests, Retry, Single, Spawn,
    Started, State, Tracked, What, is_reluctant,
};

use order::Orders;
use spawn::Spawns;
use told::is_seen;

pub use ahead::EchoAhead;
pub use describe::{Answer, Described};
pub use order::bound;
pub use steps::NextOperation;

/// The driver of a verification.
#[derive(Debug)]
pub struct Verification {
    pub(crate) state: State,
    /// What is known of `MPI_Cancel`.
    cancels: Cancels,
    /// What is known of the order of locks and atomic accesses.
    orders: Orders,
    /// What is known of ranks that are spawned.
    spawns: Spawns,
    /// Completed requests beyond which not all sets that Waitsome can return are tried.
    max_waitsome: u32,
    /// Some set was left out for that reason.
    left_out: bool,
    /// The choices that were listed last are polls that find nothing.
    forced: bool,
    /// Executions in which a rank was told "not yet" in vain are void (`ahead.rs`).
    leaves_rounds: bool,
    /// Some ranks have got something of each other since somebody asked last.
    has_met: bool,
    /// How often a poll may have told nothing new since something happened, for these.
    most_futile: u32,
    /// That a send of standard mode is buffered is a choice (`reluctant.rs`).
    reluctant_sends: bool,
    /// Steps are explored one by one (`steps.rs`): annotations of the program are not heeded.
    stepping: bool,
    /// Polls that find nothing may be answered at any time.
    polls_freely: bool,
    /// Polls in a row after a first one that find nothing, if need be, whatever else can happen.
    free_polls: u32,
    /// What happens is only tried: clocks stand still.
    is_trial: bool,
    /// Some rank has looked at its clock meanwhile.
    looks_at_clock: bool,
    /// Messages that were recorded before that.
    recorded_before: Option<Vec<Communication>>,
    /// Ranks that may change places (`symmetry.rs`).
    symmetric: Vec<RangeInclusive<u32>>,
    /// What the post that is committed now was made with.
    committing: Option<PostNote>,
    /// The program's messages, while they are recorded.
    recorded: Option<Vec<Communication>>,
}

impl Verification {
    /// A verification before the first choice. `max_waitsome`: completed requests beyond which not all sets that
    /// Waitsome can return are tried. `stepping`: steps are explored one by one.
    pub fn new(ranks: u32, max_waitsome: u32, stepping: bool) -> Verification {
        Verification {
            state: State::new(ranks),
            cancels: Cancels::default(),
            orders: Orders::default(),
            spawns: Spawns::default(),
            max_waitsome,
            left_out: false,
            forced: false,
            leaves_rounds: false,
            has_met: false,
            most_futile: u32::MAX,
            reluctant_sends: false,
            stepping,
            polls_freely: false,
            free_polls: 0,
            is_trial: false,
            looks_at_clock: false,
            recorded_before: None,
            symmetric: Vec::new(),
            committing: None,
            recorded: None,
        }
    }

    /// Sets a world up for being verified: every operation is followed, and buffers are watched.
    pub fn prepare(world: &mut World) {
        world.rules.requests_for_all = true;
        world.rules.mismatched_stay = true;
        world.observers.contents = true;
        world.observers.exchanges = true;
    }

    /// Makes it a choice whether a standard-mode send is buffered, or not.
    pub fn set_reluctant_sends(&mut self, reluctant: bool) {
        self.reluctant_sends = reluctant;
        self.left_out = false;
    }

    /// From now on polls that find nothing may be answered at any time, and not only where nothing else can happen.
    pub fn poll_freely(&mut self) {
        self.polls_freely = true;
    }

    /// The first polls in a row may find nothing whatever else can happen: more executions, with the same results.
    pub fn poll_freely_at_first(&mut self) {
        self.free_polls = 2;
    }

    /// Whether steps are explored one by one.
    pub fn is_stepping(&self) -> bool {
        self.stepping
    }

    /// Whether some set of Waitsome was left out.
    pub fn has_left_out(&self) -> bool {
        self.left_out
    }

    /// The state to come back to.
    pub fn snapshot(&self) -> State {
        self.state.clone()
    }

    /// Tells each part of the state, with its name, to be compared. Whether messages are withheld is said anew at each
    /// return to a state.
    pub fn tell_parts(&self, tell: &mut dyn FnMut(&'static str, &dyn Debug)) {
        let mut state = self.snapshot();
        state.held.set_withholding(false);
        state.tell_parts(tell);
    }

    /// Adds what may still become of the present state, whatever led to it; with `messages`, the messages of the ranks
    /// so far belong to it.
    ///
    /// # Errors
    /// Why it has no name.
    pub fn name(&self, world: &World, tags: &Tags, messages: bool, into: &mut Digest) -> Named {
        if !self.cancels.are_none() {
            self.name_cancellable(world, into);
        }
        self.state.name(world, tags, messages, !self.polls_freely, into)
    }

    /// Puts a state back.
    pub fn restore(&mut self, state: &State) {
        self.state.clone_from(state);
        self.apply_cancellable();
    }

    /// Hands over the choices for which something came late.
    pub fn take_late(&mut self, into: &mut Vec<ChoiceId>) {
        self.state.late.drain(into);
    }

    /// What comes below states is told from now on, by their ticks.
    pub fn follow_arrivals(&mut self) {
        self.state.late.keep_arrived();
        self.state.tick = 1;
    }

    /// The program has come to the next state.
    pub fn next_tick(&mut self) {
        self.state.tick += u32::from(self.state.tick > 0);
    }

    /// The number of the present state, where what comes below it can be told.
    pub fn tick(&self) -> Option<u32> {
        (self.state.tick > 0 && !self.reluctant_sends).then_some(self.state.tick)
    }

    /// Hands over what has come since the last call that may be late for a choice.
    pub fn take_arrived(&mut self, into: &mut Vec<Arrival>) {
        self.state.late.drain_arrived(into);
        into.retain(|arrival| match arrival.what {
            Arriving::Message { envelope, .. } => !TrafficKind::is_collective(envelope.context),
            Arriving::Completion { .. } | Arriving::Forced => true,
        });
    }

    /// All this comes below the present state, and has these causes in it.
    pub fn recall(
        &mut self,
        world: &World,
        known: &mut PassedOn,
        causes: &Causes,
        below: &mut dyn Iterator<Item = Arriving>,
        into: &mut Vec<Arrival>,
    ) {
        let mut history = History::EMPTY;
        causes.ranks().for_each(|rank| history.join(known.of_rank(rank, || self.state.passed_on(rank))));
        causes.carriers().for_each(|carrier| history.join(known.of_carrier(carrier, || self.carried(world, carrier))));
        for what in below {
            if what != Arriving::Forced {
                self.state.late.recall(what, &history);
            }
            self.state.ahead.recall(what, &history);
            into.push(Arrival { what, ticks: history.ticks().clone() });
        }
    }

    /// What a carrier of the present state knows. Where several messages are under way between two ranks, nobody knows
    /// which is meant.
    fn carried(&self, world: &World, carrier: Carrier) -> History {
        match carrier {
            Carrier::Request(rank, slot) => self.state.told_by(rank, slot),
            Carrier::Message(from, to) => {
                let mut meant = world.state.boxes.on_the_way(from, to);
                match (meant.next(), meant.next()) {
                    (Some(comm), None) => self.told_by_message(world, comm),
                    _ => History::EMPTY,
                }
            }
        }
    }

    /// What a message tells who learns of it now.
    fn told_by_message(&self, world: &World, comm: CommId) -> History {
        let history = self.state.message(slot_of(comm)).clone();
        match world.state.boxes.get(comm) {
            Some(message) => history.passed_by(Carrier::Message(message.from, message.to), self.state.tick),
            None => history,
        }
    }

    /// Whether a deadline has passed by choice on some rank: what it prints may contain times.
    pub fn is_timed(&self) -> bool {
        self.state.ranks.iter().any(|rank| rank.clock.is_by_choice)
    }

    /// What each rank has sent and received so far.
    pub fn communications(&self) -> Vec<Communications> {
        self.state.ranks.iter().map(|rank| rank.communications).collect()
    }

    /// Records the program's messages from now on, or ends that; returns what was recorded.
    pub fn record(&mut self, records: bool) -> Vec<Communication> {
        std::mem::replace(&mut self.recorded, records.then(Vec::new)).unwrap_or_default()
    }

    /// How far a rank has come: grows with every operation that it starts or completes, and every question that it
    /// asks.
    pub fn progress_of(&self, rank: WorldRank) -> u32 {
        self.state.ranks.at(rank).progress
    }

    /// Whether the choices that were listed last are polls that find nothing.
    pub fn is_forced(&self) -> bool {
        self.forced
    }

    /// Whether some rank polls, as far as nothing else happens.
    pub fn is_polling(&self) -> bool {
        let mut pending = self.state.ranks.iter().filter_map(|rank| rank.pending.as_ref());
        pending.any(|pending| pending.question.polls().is_some())
    }

    /// Whether some ranks have got something of each other since this was asked last.
    pub fn take_met(&mut self) -> bool {
        std::mem::take(&mut self.has_met)
    }

    /// The number of the choice that the question of a rank is.
    pub fn asks(&self, rank: WorldRank) -> Option<u32> {
        self.state.ranks.at(rank).pending.as_ref().map(|pending| pending.number)
    }

    /// The ranks that poll.
    pub fn polling(&self) -> Vec<WorldRank> {
        let pending = self.state.ranks.iter().zip((0..).map(WorldRank));
        let polls = pending.filter(|(rank, _)| rank.pending.as_ref().is_some_and(|one| one.question.polls().is_some()));
        polls.map(|(_, rank)| rank).collect()
    }

    fn ask(&mut self, rank: WorldRank, question: Question) {
        let is_free = question.polls().is_some_and(|polls| polls.in_row > 0 && polls.in_row <= self.free_polls);
        self.state.ranks.at_mut(rank).ask(question, is_free.then_some(Retry::New));
    }

    fn take_answer(&mut self, rank: WorldRank) -> Option<i64> {
        self.state.ranks.at(rank).answer?;
        self.state.ranks.at_mut(rank).answer.take()
    }

    /// Counts a poll of a rank for the same thing, which `what` identifies; returns how many there were before it since
    /// the rank made progress.
    fn count_poll(&mut self, rank: WorldRank, what: impl Hash) -> Polls {
        let what = FxBuildHasher.hash_one(what);
        let turns = self.state.turns;
        self.state.ranks.at_mut(rank).polled.count(what, &turns)
    }

    /// What is made of what the program lets be known: nothing where steps are explored one by one.
    fn heeded(&self, hints: &mut Hints) -> Hints {
        let hints = std::mem::take(hints);
        if self.stepping { Hints::default() } else { hints }
    }

    /// The answer of a question about requests, as a wait or test returns it.
    fn picked(answer: i64, how_many: HowMany) -> Picked {
        match (answer as u64, how_many) {
            (NOT_YET, _) => Picked::Nothing,
            (_, HowMany::All) => Picked::Finished,
            (position, HowMany::One) => Picked::At(position as u32),
            (set, HowMany::Some) => {
                alternatives::members(set).map_or(Picked::Finished, |set| Picked::Set(set.into_boxed_slice()))
            }
        }
    }

    /// Whether it is remembered what a rank knew when it posted something. What a request knew is known of the request.
    fn is_noted(&self, post: &Post) -> bool {
        self.stepping || !matches!(post, Post::Start(_) | Post::Join(_) | Post::Advance(_))
    }

    /// Makes the matches at a rank that are no choices.
    fn progress_held(&mut self, world: &mut World, rank: WorldRank) {
        if !self.state.held.has_any(rank) {
            return;
        }
        let mut matched = Vec::new();
        self.state.held.progress(&mut world.state.boxes, rank, &mut matched);
        for comm in matched {
            world.joined(self, comm);
        }
    }

    /// The request in a slot, if the program may cancel it.
    fn cancellable(&self, world: &World, rank: WorldRank, slot: u32) -> Option<Started> {
        if self.cancels.are_none() {
            return None;
        }
        let tracked = self.state.ranks.at(rank).request(slot);
        world.request_at(rank, slot).filter(|request| self.cancels.expect(rank, request, tracked.start))?;
        Some(Started { key: world.state.ranks[rank.index()].requests.key_at(slot)?, number: tracked.choice })
    }
}

/// The slots of those requests that are not inactive, in their order.
fn active(world: &World, rank: WorldRank, keys: impl Iterator<Item = RequestKey>) -> Vec<u32> {
    let requests = &world.state.ranks[rank.index()].requests;
    let is_active = |key: &RequestKey| requests.get(*key).is_some_and(|request| request.phase != Phase::Inactive);
    keys.filter(is_active).map(|key| key.slot).collect()
}

impl Clock for Verification {
    fn now(&self) -> SimTime {
        SimTime::ZERO
    }

    fn time_passes(&self) -> bool {
        false
    }

    fn start_transfer(&mut self, comm: CommId, _from: WorldRank, _to: WorldRank, _wire_size: u64) {
        self.state.ended.push(Ended::Transfer(comm));
    }

    fn start_delay(&mut self, rank: WorldRank, duration: SimTime) {
        self.state.ranks.at_mut(rank).clock.sleep(duration.secs());
        self.state.ended.push(Ended::Rank(rank));
    }

    fn start_computation(&mut self, rank: WorldRank, _flops: f64) {
        self.state.ended.push(Ended::Rank(rank));
    }

    /// Where nothing takes time, alarms do not go off.
    fn set_alarm(&mut self, _rank: WorldRank, _date: SimTime) {}

    fn advance(&mut self, ended: &mut Vec<Ended>) -> bool {
        let before = ended.len();
        let is_transfer = |one: &Ended| matches!(one, Ended::Transfer(_));
        ended.extend(self.state.ended.iter().copied().filter(is_transfer));
        ended.extend(self.state.ended.drain(..).filter(|one| !is_transfer(one)));
        ended.len() > before
    }

    fn poll_takes(&mut self, _rank: WorldRank, _poll: Poll) -> Option<f64> {
        None
    }

    fn look_takes(&mut self, _rank: WorldRank) -> f64 {
        0.0
    }

    fn measures(&self) -> bool {
        false
    }

    fn burst_begins(&mut self, _rank: WorldRank) {}

    fn burst_ends(&mut self, _rank: WorldRank) -> bool {
        false
    }

    fn burst_pauses(&mut self, _rank: WorldRank) {}

    fn burst_goes_on(&mut self, _rank: WorldRank) {}

    fn add_to_burst(&mut self, _rank: WorldRank, _secs: f64) {}
}

impl Chooser for Verification {
    fn explores(&self) -> bool {
        true
    }

    fn look(&mut self, world: &mut World, rank: WorldRank) -> Option<f64> {
        if self.is_asking(rank) {
            return None;
        }
        if self.is_trial {
            self.looks_at_clock = true;
            return Some(self.state.ranks.at(rank).clock.secs);
        }
        let answer = self.take_answer(rank);
        // Not within the rank's own reductions, which are run whenever they are due.
        let polls = !self.state.ranks.at(rank).polled.is_empty() && world.user_work(rank).is_none();
        let state = self.state.ranks.at_mut(rank);
        match answer {
            Some(answer) if answer as u64 == NOT_YET => {}
            Some(_) => state.clock.pass(),
            None if !polls => state.clock.look(),
            None if state.clock.is_asked => state.clock.look_again(self.polls_freely),
            None => {
                state.clock.is_asked = true;
                state.ask(Question::Time, None);
                return None;
            }
        }
        Some(state.clock.secs)
    }

    fn random(&mut self, _world: &mut World, rank: WorldRank, min: i64, max: i64) -> Option<i64> {
        if self.is_asking(rank) {
            return None;
        }
        let answer = self.take_answer(rank);
        if answer.is_none() {
            self.ask(rank, Question::Random { min, max });
        }
        answer
    }

    fn show(&mut self, _world: &mut World, rank: WorldRank) -> bool {
        if self.is_asking(rank) {
            return false;
        }
        let is_seen = self.take_answer(rank).is_some();
        if !is_seen {
            self.ask(rank, Question::Visible);
        }
        is_seen
    }

    /// A poll like a test, of nothing that a request would tell: what it is for is in memory.
    fn looks_again(&mut self, _world: &mut World, rank: WorldRank, site: u64) -> bool {
        if self.is_asking(rank) {
            return false;
        }
        if self.take_answer(rank).is_some() {
            return true;
        }
        self.state.ranks.at_mut(rank).polled.look();
        let polls = self.count_poll(rank, ("memory of windows", site));
        if polls.in_row == 0 {
            return true;
        }
        let requests = Requests { slots: Vec::new(), how_many: HowMany::One, relevant: None };
        self.ask(rank, Question::Test { requests, take: false, polls, unheard: false });
        false
    }

    fn wait_any(
        &mut self,
        world: &mut World,
        rank: WorldRank,
        keys: impl Iterator<Item = RequestKey> + Clone,
        how_many: HowMany,
        hints: &mut Hints,
    ) -> Option<Picked> {
        if self.is_asking(rank) {
            return None;
        }
        if let Some(answer) = self.take_answer(rank) {
            return Some(Verification::picked(answer, how_many));
        }
        let slots = active(world, rank, keys);
        if slots.is_empty() {
            return Some(Picked::Nothing);
        }
        let Hints { relevant, alike, .. } = self.heeded(hints);
        let requests = Requests { slots, how_many, relevant };
        self.ask(rank, Question::WaitAny { requests, alike });
        None
    }

    fn test(
        &mut self,
        world: &mut World,
        rank: WorldRank,
        keys: impl Iterator<Item = RequestKey> + Clone,
        how_many: HowMany,
        hints: &mut Hints,
    ) -> Option<Picked> {
        if self.is_asking(rank) {
            return None;
        }
        if let Some(answer) = self.take_answer(rank) {
            return Some(Verification::picked(answer, how_many));
        }
        let slots = active(world, rank, keys);
        if slots.is_empty() {
            return Some(if how_many == HowMany::All { Picked::Finished } else { Picked::Nothing });
        }
        let polls = self.count_poll(rank, (&slots, how_many));
        let Hints { relevant, alike: unheard, .. } = self.heeded(hints);
        let requests = Requests { slots, how_many, relevant };
        let take = !self.state.ranks.at(rank).polled.peeks();
        self.ask(rank, Question::Test { requests, take, polls, unheard });
        None
    }

    fn is_asking(&self, rank: WorldRank) -> bool {
        self.state.ranks.at(rank).pending.is_some()
    }

    fn cancelling(&mut self, world: &mut World, rank: WorldRank, key: RequestKey) -> bool {
        self.discover(world, rank, key);
        true
    }

    fn numbers_of(&mut self, spawned: Spawning) -> Numbers {
        let state = self.state.ranks.at_mut(spawned.parent);
        let number = state.spawned;
        state.spawned += 1;
        self.tell_all_apart();
        let Spawning { parent, count, what } = spawned;
        self.spawns.numbers_of(Spawn { parent, number, count, what })
    }

    /// A receive whose message has to be chosen is held.
    fn receive(&mut self, world: &mut World, at: WorldRank, pattern: Pattern, owner: Owner) -> Option<Posted> {
        let number = self.state.ranks.at(at).request(owner.slot).choice;
        let started = self.cancellable(world, at, owner.slot);
        let fate = if started.is_some() { Fate::Open } else { Fate::Takes };
        let receive = HeldReceive { pattern, token: owner.token(), number, fate };
        if let Some(step) = single_step(world, owner) {
            let state = self.state.ranks.at_mut(at);
            let history = state.request(owner.slot).posted.clone();
            state.single.push(Single { slot: owner.slot, step, history });
        }
        let posted = self.state.held.recv(&mut world.state.boxes, at, receive);
        if posted.is_none() {
            if let Some(started) = started {
                self.anticipate_receive(world, at, started);
            }
            self.progress_held(world, at);
        }
        posted
    }

    fn forget_receive(&mut self, rank: WorldRank, owner: Owner) -> bool {
        self.state.held.cancel(rank, owner.token())
    }

    fn probes(&mut self, _world: &World, rank: WorldRank, pattern: Pattern, take: bool, block: bool) -> bool {
        let (polls, unheard) = self.committing.take().map(|note| (note.polls, note.unheard)).unwrap_or_default();
        let question = match block {
            true => Question::Probe { pattern, take },
            false => Question::Iprobe { pattern, take, polls, unheard },
        };
        self.ask(rank, question);
        true
    }

    fn cancels(&mut self, world: &mut World, rank: WorldRank, key: RequestKey) -> bool {
        let known = self.committing.take().map_or(History::EMPTY, |note| note.history);
        let start = self.state.ranks.at(rank).request(key.slot).start;
        let request = world.request_at(rank, key.slot);
        let is_expected = request.is_some_and(|request| self.cancels.expect(rank, request, start));
        if is_expected {
            self.mark(world, rank, key, &known);
        }
        is_expected
    }

    fn order(&self, server: ServerName) -> Order {
        self.orders.of(server)
    }

    fn may_leave(&mut self, world: &mut World, rank: WorldRank, slot: u32) -> bool {
        self.leaves(world, rank, slot)
    }
}

impl Driver for Verification {
    #[inline(always)]
    fn told(&mut self, world: &World, notice: Notice<'_>) {
        match notice {
            Notice::Entered { rank, function } => self.entered(rank, function),
            Notice::Polled { rank, found: true } => self.poll_found(rank),
            Notice::Posting { rank, post } => self.note_post(world, rank, post),
            Notice::Taken { rank, key, shown: false } => self.taken(world, rank, key),
            Notice::Taken { rank, key, shown: true } => self.shown(rank, key),
            Notice::RankEnded(rank) => self.state.ranks.at_mut(rank).ended = true,
            Notice::RankBegins { rank, parent } => self.rank_begins(rank, parent),
            Notice::Committing { rank, post } => self.commits(rank, post),
            Notice::ActingFor(rank) => self.acts_for(rank),
            Notice::InstantOver => self.committing = None,
            Notice::TakenBack(comm) => _ = self.state.reluctant.settled(What::Receive(comm)),
            Notice::Completed { rank, slot } => self.completed(world, rank, slot),
            Notice::BegunWithin { rank, whole, part } => self.begun_within(rank, whole, part),
            Notice::PieceArrived { rank, whole, step, part } => self.piece_arrived(rank, (whole, step), part),
            Notice::PartitionOver { rank, whole, part } => self.partition_over(rank, whole, part),
            Notice::Grow(ranks) => {
                self.follow(Influence::lose);
                self.tell(Told::lose);
                self.state.grow(ranks);
            }
            Notice::OrderMatters(server) => self.orders.discover(server),
            Notice::Answered { server, rank, about, slot } => self.answered(server, rank, about, slot),
            Notice::Served { server, rank, slot } => self.served(server, rank, slot),
            Notice::Heard { rank, about } => self.heard(rank, about),
            Notice::Changed { rank } => self.changed(rank),
            Notice::FencePassed { rank, slot } => self.fence_passed(rank, slot),
            Notice::MessageAwaited { rank, slot, step } => self.message_awaited(rank, slot, step),
            Notice::GateOpens(ready) => self.gate_opens(ready),
            // There is no time here, and nobody is told who woke whom.
            Notice::Polled { found: false, .. } | Notice::Ending(_) => {}
        }
    }

    /// Gives the choice that a request of its rank may be its number: in program order, which the order of commits is
    /// not (whether a rank blocks between two calls depends on what others have done).
    fn started(&mut self, world: &mut World, rank: WorldRank, key: RequestKey) {
        let Some(request) = world.request_at(rank, key.slot) else { return };
        if is_seen(request, rank) && !world.is_server(rank) {
            self.state.turns.change();
            self.acts(rank);
        }
        let state = self.state.ranks.at_mut(rank);
        state.progress += 1;
        let start = state.started;
        state.started += 1;
        let recv = match &request.body {
            Body::Recv(recv) => Some(recv),
            Body::SendRecv(both) => Some(&both.recv),
            _ => None,
        };
        let pattern = recv.filter(|recv| recv.source != Status::PROC_NULL.source).map(Recv::pattern);
        state.seen.starts(key.slot, pattern.as_ref());
        let is_choice =
            recv.is_some_and(|recv| recv.source == Status::EMPTY.source) || self.cancels.expect(rank, request, start);
        let (sent, receive) = state.communications.start(rank, request);
        if let Some(recorded) = &mut self.recorded {
            recorded.extend(sent);
        }
        let choice = if is_choice { state.reach() } else { NO_CHOICE };
        let waits = self.reluctant_sends && is_reluctant(&request.body);
        let going_on = if waits { state.reach() } else { NO_CHOICE };
        state.single.retain(|single| single.slot != key.slot);
        let posted = self.state.passed_on(rank);
        let history = posted.clone().begun(Carrier::Request(rank, key.slot), self.state.tick);
        *self.state.ranks.at_mut(rank).request_mut(key.slot) =
            Tracked { history, posted, choice, start, receive, sender: NO_RANK, going_on };
        self.tell_start(world, rank, key.slot, (choice, pattern));
    }

    fn sent(&mut self, world: &mut World, comm: CommId, owner: Option<u32>) {
        let Some(message) = world.state.boxes.get(comm) else { return };
        let (from, to) = (message.from, message.to);
        self.follow_message(world, (from, to), owner);
        self.tell_message(world, comm, owner);
        let (history, cancellable) = match owner {
            Some(slot) => (self.state.ranks.at(from).request(slot).posted.clone(), None),
            None => self.committing.take().map_or((History::EMPTY, None), |note| (note.history, note.cancellable)),
        };
        if cancellable.is_none() {
            self.state.is_sent((from, to), &message.envelope, &history);
        }
        *self.state.message_mut(slot_of(comm)) = history.begun(Carrier::Message(from, to), self.state.tick);
        if let Some(started) = cancellable {
            self.anticipate_send(world, from, started, comm, to);
        }
    }

    fn unmatched(&mut self, world: &mut World, comm: CommId) {
        let Some(message) = world.state.boxes.get(comm) else { return };
        let to = message.to;
        self.note_waiting(world, message.send_token, comm);
        self.progress_held(world, to);
    }

    /// Both sides of a matched message learn what the other knew, once they take their completions.
    fn matched(&mut self, world: &mut World, comm: CommId, receiver: Owner) {
        let Some(message) = world.state.boxes.get(comm) else { return };
        let sender = (message.send_token != NOBODY).then(|| Owner::of(message.send_token));
        self.tell(|told| told.matches(slot_of(comm), receiver.slot, sender.map(|owner| owner.slot)));
        self.has_met |= message.from != receiver.rank;
        let sent = std::mem::take(self.state.message_mut(slot_of(comm)));
        let sent = sent.passed_by(Carrier::Message(message.from, message.to), self.state.tick);
        if !self.cancels.are_none() {
            self.note_overtaking(comm, message.from, receiver.rank, (message.envelope, &sent));
        }
        let state = self.state.ranks.at_mut(receiver.rank);
        // Not what another half or step of the same request has learnt meanwhile.
        let single = single_step(world, receiver).and_then(|step| state.single(receiver.slot, step));
        let received = match single {
            Some(place) => std::mem::replace(&mut state.single[place].history, sent.clone()),
            None => state.request(receiver.slot).posted.clone(),
        };
        let tracked = state.request_mut(receiver.slot);
        tracked.history.join(&sent);
        tracked.sender = message.from;
        if let Some(owner) = sender {
            self.follow_message(world, (receiver.rank, owner.rank), Some(receiver.slot));
        }
        // A sender that need not have waited learns nothing.
        if let Some(owner) = sender.filter(|&owner| !self.is_reluctant(world, owner)) {
            let state = self.state.ranks.at_mut(owner.rank);
            state.request_mut(owner.slot).history.join(&received);
            if let Some(step) = single_step(world, owner) {
                state.single.push(Single { slot: owner.slot, step, history: received });
            }
        }
        self.state.reluctant.settled(What::Receive(comm));
    }

    fn cancelled(&mut self, world: &mut World, rank: WorldRank) {
        self.tell(Told::lose);
        self.progress_held(world, rank);
    }

    fn all_called(&mut self, world: &mut World, operation: Operation) {
        for (rank, slot) in self.state.reluctant.settled(What::Meeting(operation)) {
            world.complete(self, rank, slot);
        }
    }
}

/// The step of a message that its collective operation may await by itself, or that belongs to some partitions only.
fn single_step(world: &World, owner: Owner) -> Option<u32> {
    match &world.request_at(owner.rank, owner.slot)?.body {
        Body::Collective(collective) if collective.schedule.awaits_single_messages() => owner.step,
        Body::Partitioned(_) => owner.step,
        _ => None,
    }
}
