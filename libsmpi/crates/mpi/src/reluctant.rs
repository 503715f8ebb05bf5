//! Calls that wait and need not: where each send is buffered or not, and each rank waits for the others in a collective
//! operation or not, for itself (`--buffering each`).
//!
//! A standard-mode send waits as with zero buffering. That it is *buffered after all* is a reluctant choice of the
//! checker (see the crate `smpi-checker`), offered while its rank's present call asks about it: a wait that only such
//! operations keep from ending, a Waitany or a test. What the choice does is what a buffer does: the payload is put
//! away, and the request is over; the message stays in the mailbox. Likewise, a rank waits in a collective operation
//! until all ranks have called it, and *leaves early* by choice when it has the data that it needs.
//!
//! The rank learns nothing from the match of such a send, nor from others' calls of the collective: it could have gone
//! on without them, and what it does next would have the same causes.

use smpi_base::WorldRank;
use smpi_checker::{ChoiceId, ChoiceKind, Choices, Event, GO_ON};
use smpi_mailbox::{CommId, Context};

use crate::choosing::Asked;
use crate::comm::Traffic;
use crate::progress::{Data, NOBODY, slot_of};
use crate::protocol::Mode;
use crate::request::{Body, Owner, Phase, Send};
use crate::world::{Post, World};

/// What an operation waits for, and need not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    /// The receive of its message.
    Receive(CommId),
    /// The other ranks of a collective operation.
    Meeting((Context, i32)),
}

/// An operation that waits, and need not.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    id: ChoiceId,
    slot: u32,
    what: What,
    /// Nothing else moved, and it did not go on: it never does.
    kept: bool,
}

/// What is known of such operations. Empty where all do the same.
#[derive(Clone, Default, Debug)]
pub(crate) struct Reluctant {
    /// In the order of their numbers, rank by rank as they come.
    waiting: Vec<Waiting>,
    /// Those that went on, as long as what they could have waited for has not come.
    gone_on: Vec<(ChoiceId, What)>,
}

impl Waiting {
    fn kind(&self) -> ChoiceKind {
        match self.what {
            What::Receive(_) => ChoiceKind::Buffering,
            What::Meeting(_) => ChoiceKind::Leaving,
        }
    }
}

impl Reluctant {
    /// What was waited for has come (or was withdrawn): whether somebody waits makes no difference any more. Those that
    /// did.
    fn settled(&mut self, what: What) -> Vec<(WorldRank, u32)> {
        self.gone_on.retain(|gone_on| gone_on.1 != what);
        let settled = self.waiting.extract_if(.., |waiting| waiting.what == what);
        settled.map(|waiting| (waiting.id.rank, waiting.slot)).collect()
    }

    fn of_slot(&self, rank: WorldRank, slot: u32) -> Option<&Waiting> {
        self.waiting.iter().find(|waiting| waiting.id.rank == rank && waiting.slot == slot)
    }
}

/// Whether an operation may wait for others and need not.
pub(crate) fn is_reluctant(body: &Body) -> bool {
    let is_standard = |send: &Send| matches!(send.mode, Mode::Standard | Mode::Ready);
    match body {
        Body::Send(send) => is_standard(send),
        Body::SendRecv(both) => is_standard(&both.send),
        Body::Collective(_) => true,
        _ => false,
    }
}

impl World {
    /// A message was posted that nobody has received yet.
    pub(crate) fn note_waiting(&mut self, token: u64, comm: CommId) {
        if token == NOBODY || !self.is_reluctant(Owner::of(token)) {
            return;
        }
        let Owner { rank, slot, .. } = Owner::of(token);
        let number = self.ranks[rank.index()].requests.at_slot(slot).map(|request| request.going_on);
        if let (Some(number), Some(choosing)) = (number, &mut self.choosing) {
            let id = ChoiceId { rank, number };
            choosing.reluctant.waiting.push(Waiting { id, slot, what: What::Receive(comm), kept: false });
        }
    }

    /// A message is matched, or withdrawn.
    pub(crate) fn note_settled(&mut self, comm: CommId) {
        if let Some(choosing) = &mut self.choosing {
            choosing.reluctant.settled(What::Receive(comm));
        }
    }

    /// Whether the sender of a message waits for its receive and need not.
    pub(crate) fn is_reluctant(&self, sender: Owner) -> bool {
        let body = || self.ranks[sender.rank.index()].requests.at_slot(sender.slot).map(|request| &request.body);
        self.reluctant_sends
            && match body() {
                Some(Body::Collective(_)) | None => false,
                Some(body) => is_reluctant(body),
            }
    }

    /// A rank's part of a collective operation is done. It waits for the ranks that have not called it yet, and need
    /// not.
    pub(crate) fn schedule_done(&mut self, rank: WorldRank, slot: u32) {
        let Some(request) = self.ranks[rank.index()].requests.at_slot(slot) else { return };
        let Body::Collective(collective) = &request.body else { return };
        let key = (collective.comm.context_of(Traffic::Collective), collective.tag);
        let waits = self.reluctant_sends && !collective.schedule.gated && self.meetings.contains_key(&key);
        let Some(choosing) = self.choosing.as_mut().filter(|_| waits) else { return self.complete(rank, slot) };
        let id = ChoiceId { rank, number: request.going_on };
        choosing.reluctant.waiting.push(Waiting { id, slot, what: What::Meeting(key), kept: false });
        // It could be over now.
        choosing.late.completed(rank, u64::from(slot), &request.history);
    }

    /// All ranks have called a collective operation.
    pub(crate) fn note_met(&mut self, key: (Context, i32)) {
        let Some(choosing) = &mut self.choosing else { return };
        for (rank, slot) in choosing.reluctant.settled(What::Meeting(key)) {
            self.complete(rank, slot);
        }
    }

    /// What is asked about, and can go on.
    fn offers(&self) -> Vec<(ChoiceId, ChoiceKind)> {
        let mut offers = Vec::new();
        if let Some(choosing) = &self.choosing {
            for waiting in &choosing.reluctant.waiting {
                if self.may_go_on(waiting) && self.is_asked(waiting) {
                    offers.push((waiting.id, waiting.kind()));
                }
            }
        }
        offers.sort_unstable_by_key(|offer| offer.0);
        offers
    }

    /// Whether the operation could go on. Of a send that the program cancels, it is settled before whether its message
    /// is delivered; and a cancellation that comes before the call that waits is committed before that call ends.
    fn may_go_on(&self, waiting: &Waiting) -> bool {
        let ChoiceId { rank, .. } = waiting.id;
        let is_cancelled = |post: &Post| matches!(post, Post::Cancel(key, _) if key.slot == waiting.slot);
        let is_delivered = match waiting.what {
            What::Receive(comm) => self.is_delivered(rank, comm),
            What::Meeting(_) => true,
        };
        !waiting.kept && is_delivered && !self.posts.iter().any(|(by, post)| *by == rank && is_cancelled(post))
    }

    /// Whether its rank's present call could end if this operation went on. Of several that it would take, the first
    /// stands for all.
    fn is_asked(&self, waiting: &Waiting) -> bool {
        let rank = waiting.id.rank;
        let Some(choosing) = &self.choosing else { return false };
        match choosing.questions[rank.index()].as_ref().map(|question| &question.asked) {
            Some(Asked::Test { slots, all: true, .. }) => self.is_first(waiting, slots),
            Some(Asked::WaitAny { slots, .. } | Asked::Test { slots, .. }) => {
                slots.contains(&waiting.slot) && self.is_last_half(rank, waiting.slot)
            }
            Some(_) => false,
            None => self.ranks[rank.index()].waiting > 0 && self.is_first(waiting, &self.waited(rank)),
        }
    }

    /// The slots of the requests that a rank waits for.
    fn waited(&self, rank: WorldRank) -> Vec<u32> {
        let requests = self.ranks[rank.index()].requests.iter();
        requests.filter(|(_, request)| request.waited).map(|(key, _)| key.slot).collect()
    }

    /// Whether all of these requests that are not over could go on, and this is the first of them.
    fn is_first(&self, waiting: &Waiting, slots: &[u32]) -> bool {
        let rank = waiting.id.rank;
        let Some(choosing) = &self.choosing else { return false };
        let requests = &self.ranks[rank.index()].requests;
        let is_open = |slot: u32| requests.at_slot(slot).is_some_and(|request| request.phase == Phase::Active);
        let open = || slots.iter().copied().filter(|&slot| is_open(slot));
        let send = |slot| choosing.reluctant.of_slot(rank, slot).filter(|send| self.may_go_on(send));
        open().all(|slot| send(slot).is_some() && self.is_last_half(rank, slot))
            && open().filter_map(send).map(|send| send.id).min() == Some(waiting.id)
    }

    /// Whether nothing but its send keeps a request from being over.
    fn is_last_half(&self, rank: WorldRank, slot: u32) -> bool {
        match self.ranks[rank.index()].requests.at_slot(slot).map(|request| &request.body) {
            Some(Body::SendRecv(both)) => both.open == 1,
            _ => true,
        }
    }

    /// Whether a question could have had a further answer at once, if an operation went on; `open` are the slots that
    /// it is about and that are not over. Of a combined send and receive the other half may come later, and that is not
    /// noticed.
    pub(crate) fn could_be_over(&self, rank: WorldRank, asked: &Asked, open: &[u64]) -> bool {
        let Some(choosing) = &self.choosing else { return false };
        let waits = |&slot: &u64| choosing.reluctant.of_slot(rank, slot as u32).is_some_and(|send| !send.kept);
        match asked {
            Asked::Test { all: true, .. } => !open.is_empty() && open.iter().all(waits),
            Asked::WaitAny { .. } | Asked::Test { .. } => open.iter().any(waits),
            _ => false,
        }
    }

    /// Adds the reluctant choices. Where nothing else is enabled, that polls are answered "not yet" is one, too: these
    /// come first.
    pub(crate) fn offer(&mut self, max_futile: u32, out: &mut Choices) {
        let offers = self.offers();
        if out.is_empty() && !offers.is_empty() && self.posts.is_empty() {
            let mut polls = Choices::new();
            for index in 0..self.ranks.len() {
                self.open_choices_of(WorldRank(index as u32), Some(max_futile), &mut polls);
            }
            self.forced = !polls.is_empty();
            for poll in polls.iter() {
                polls.candidates(poll).iter().for_each(|&key| out.reluctant(poll.id, poll.kind, key));
            }
        }
        offers.into_iter().for_each(|(id, kind)| out.reluctant(id, kind, GO_ON));
    }

    /// Nothing else moves, and a poll is answered "not yet" instead of letting a call go on: those that could wait for
    /// good. Otherwise they would not have waited until now.
    pub(crate) fn keep_offers(&mut self) {
        let offers = self.offers();
        if let Some(choosing) = &mut self.choosing {
            let kept = choosing
                .reluctant
                .waiting
                .iter_mut()
                .filter(|waiting| offers.iter().any(|offer| offer.0 == waiting.id));
            kept.for_each(|waiting| waiting.kept = true);
        }
    }

    /// An operation goes on, and so do the others that its rank waits for at the same time.
    pub(crate) fn go_on(&mut self, id: ChoiceId) {
        let rank = id.rank;
        let waits = self.ranks[rank.index()].waiting > 0;
        let slots = match self.choosing.as_ref().and_then(|choosing| choosing.questions[rank.index()].as_ref()) {
            Some(question) => match &question.asked {
                Asked::Test { slots, all: true, .. } => slots.clone(),
                _ => Vec::new(),
            },
            None if waits => self.waited(rank),
            None => Vec::new(),
        };
        let Some(choosing) = &mut self.choosing else { return };
        choosing.next_position();
        let (going_on, waiting): (Vec<Waiting>, _) = choosing
            .reluctant
            .waiting
            .drain(..)
            .partition(|waiting| waiting.id == id || waiting.id.rank == rank && slots.contains(&waiting.slot));
        choosing.reluctant.waiting = waiting;
        choosing.reluctant.gone_on.extend(going_on.iter().map(|one| (one.id, one.what)));
        for Waiting { slot, what, .. } in going_on {
            match what {
                What::Receive(comm) => self.buffer(rank, slot, comm),
                What::Meeting(_) => self.complete(rank, slot),
            }
        }
    }

    /// Puts the payload of a message away; its sender need not wait any more.
    fn buffer(&mut self, rank: WorldRank, slot: u32, comm: CommId) {
        let flight = &mut self.flights[slot_of(comm)];
        if let Some(Data::InPlace(part)) = flight.data.take() {
            let packed = self.pack(rank, &part);
            self.flights[slot_of(comm)].data = Some(Data::Packed(packed));
        }
        self.boxes.set_send_token(comm, NOBODY);
        self.note_detached(rank, comm);
        let state = &self.ranks[rank.index()].requests;
        match state.at_slot(slot).map(|request| &request.body) {
            Some(Body::SendRecv(_)) => self.half_done(rank, slot),
            _ => {
                self.flights[slot_of(comm)].request = state.key_at(slot);
                self.complete(rank, slot);
            }
        }
    }

    /// What those that went on still change, for [`smpi_checker::System::marks`]: how far each rank has come, which
    /// operations are over before their time, and which wait for good.
    pub fn marks(&self, out: &mut Vec<Event>) {
        let Some(choosing) = self.choosing.as_ref().filter(|_| self.reluctant_sends) else { return };
        let mark = |choice: ChoiceId, candidate: u64| Event { choice, candidate };
        let ranks = choosing.progress.iter().zip(0..);
        out.extend(ranks.map(|(&number, rank)| mark(ChoiceId { rank: WorldRank(rank), number }, 1)));
        out.extend(choosing.reluctant.gone_on.iter().map(|&(id, _)| mark(id, 2)));
        let kept = choosing.reluctant.waiting.iter().filter(|waiting| waiting.kept);
        out.extend(kept.map(|waiting| mark(waiting.id, 3)));
    }

    /// How far a rank has come: grows with every operation that it starts or completes, and every question that it
    /// asks.
    pub fn progress_of(&self, rank: WorldRank) -> u32 {
        self.choosing.as_ref().map_or(0, |choosing| choosing.progress[rank.index()])
    }

    /// The operation that a choice is about: its request's slot, and the kind of the choice.
    pub(crate) fn reluctant_slot(&self, id: ChoiceId) -> Option<(u32, ChoiceKind)> {
        let mut waiting = self.choosing.as_ref()?.reluctant.waiting.iter();
        waiting.find(|waiting| waiting.id == id).map(|waiting| (waiting.slot, waiting.kind()))
    }
}
