//! Open choices and questions, for reports.

use smpi_abi::Callee;
use smpi_base::WorldRank;
use smpi_checker::{ChoiceId, ChoiceKind, Event};
use smpi_mailbox::{Context, Pattern};
use smpi_mpi::p2p::request::{Body, Owner, Request};
use smpi_mpi::usage::Origin;
use smpi_mpi::world::describe::{
    argument_words, describe_call_on, describe_requests, pattern_arguments, pattern_words, request_arguments,
    send_arguments,
};
use smpi_mpi::world::{HowMany, ServerName, World};

use super::Verification;
use crate::state::Question;

/// An open choice, for reports.
#[derive(Clone, Debug)]
pub struct Described {
    /// Its kind.
    pub kind: ChoiceKind,
    /// What its candidates are.
    pub answer: Answer,
    /// Arguments of its call, in words.
    pub arguments: String,
    /// Where its request was made; where there is none, its rank is in the call.
    pub origin: Origin,
}

/// What a question of a rank is answered with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Ranks whose message is seen.
    Message,
    /// Positions of requests.
    One,
    /// Sets of requests.
    Several,
    /// That all requests are over.
    All,
    /// Ranks that get the lock of this rank's part of a window, or whose access to it takes place.
    Served(ServerName),
    /// As the kind of the choice says.
    Other,
}

impl Verification {
    /// The arguments of the call that a rank is blocked in, and the context of its communicator for messages, as far as
    /// its requests and questions tell them. `call` is the function.
    pub fn describe_call(&self, world: &World, rank: WorldRank, call: Callee) -> (String, Option<Context>) {
        let question = self.state.ranks.at(rank).pending.as_ref().map(|pending| &pending.question);
        if let Some(pattern) = question.and_then(Question::pattern) {
            return (pattern_arguments(pattern), Some(pattern.context));
        }
        match question.and_then(Question::requests) {
            Some(requests) => {
                let slots = requests.slots.iter();
                let requests: Vec<&Request> = slots.filter_map(|&slot| world.request_at(rank, slot)).collect();
                describe_call_on(&requests, call)
            }
            None => world.describe_call(rank, call),
        }
    }

    /// What a rank looks for that is blocked in a probe.
    pub fn probed(&self, rank: WorldRank) -> Option<Pattern> {
        self.state.ranks.at(rank).pending.as_ref()?.question.pattern().copied()
    }

    /// The slots of the requests that a rank asks about.
    pub fn asked_slots(&self, rank: WorldRank) -> Vec<u32> {
        let pending = self.state.ranks.at(rank).pending.as_ref();
        let requests = pending.and_then(|pending| pending.question.requests());
        requests.map_or(Vec::new(), |requests| requests.slots.to_vec())
    }

    /// The question that a rank is blocked in.
    pub fn describe_question(&self, world: &World, rank: WorldRank) -> String {
        let Some(pending) = &self.state.ranks.at(rank).pending else { return "an answer".to_string() };
        if let Some(pattern) = pending.question.pattern() {
            return format!("a message {}", pattern_words(pattern));
        }
        match pending.question.requests() {
            Some(requests) => {
                let slots = requests.slots.iter();
                let words = describe_requests(slots.filter_map(|&slot| world.request_at(rank, slot)));
                format!("one of: {words}")
            }
            None => "an answer".to_string(),
        }
    }

    /// The message that an open choice of a receive or probe would take or see by this event: its receiver, sender and
    /// tag.
    pub fn message_of(&self, world: &World, event: Event) -> Option<(WorldRank, WorldRank, i32)> {
        let (rank, number) = (event.choice.rank(), event.choice.number);
        let sender = u32::try_from(event.candidate).ok().map(WorldRank).filter(|_| !world.is_server(rank))?;
        let pending = self.state.ranks.at(rank).pending.as_ref();
        let pattern = match pending.filter(|pending| pending.number == number) {
            Some(pending) => pending.question.pattern()?,
            None => &self.state.held.receive(rank, number)?.pattern,
        };
        let mut waiting = world.state.boxes.waiting_sends(rank).map(|(_, message)| message);
        let found = waiting.find(|message| message.from == sender && pattern.matches(&message.envelope))?;
        Some((rank, sender, found.envelope.tag))
    }

    /// The kind of an open choice, and where the request was made that it is about: what takes no words. Where there is
    /// no request, its rank is in the call.
    pub fn made_at(&self, world: &World, event: Event) -> (ChoiceKind, Origin) {
        let (rank, number) = (event.choice.rank(), event.choice.number);
        let pending = self.state.ranks.at(rank).pending.as_ref();
        if let Some(pending) = pending.filter(|pending| pending.number == number) {
            return (pending.question.kind(), Origin::default());
        }
        let of = |slot| world.request_at(rank, slot).map_or_else(Origin::default, Request::origin);
        if let Some((slot, kind)) = self.reluctant_slot(event.choice) {
            return (kind, of(slot));
        }
        if world.describe_server(rank).is_some() {
            let asked = world.asked_at(rank, WorldRank(event.candidate as u32));
            return (ChoiceKind::Lock, asked.unwrap_or_default());
        }
        let held = self.state.held.receive(rank, number);
        match held {
            Some(held) => (ChoiceKind::Receive, of(Owner::of(held.token).slot)),
            None => (ChoiceKind::Delivery, Origin::default()),
        }
    }

    /// An open choice.
    pub fn describe_choice(&self, world: &World, rank: WorldRank, number: u32) -> Option<Described> {
        let described = |kind, arguments, origin| Described { kind, answer: Answer::Other, arguments, origin };
        let pending = self.state.ranks.at(rank).pending.as_ref();
        if let Some(pending) = pending.filter(|pending| pending.number == number) {
            let (answer, words) = match &pending.question {
                Question::Probe { pattern, .. } | Question::Iprobe { pattern, .. } => {
                    (Answer::Message, argument_words(pattern))
                }
                Question::WaitAny { requests, .. } | Question::Test { requests, .. } => match requests.how_many {
                    HowMany::One => (Answer::One, String::new()),
                    HowMany::Some => (Answer::Several, String::new()),
                    HowMany::All => (Answer::All, String::new()),
                },
                Question::Random { min, max } => (Answer::Other, format!("{min}, {max}")),
                Question::Time | Question::Visible => (Answer::Other, String::new()),
            };
            return Some(Described { answer, ..described(pending.question.kind(), words, Origin::default()) });
        }
        if let Some((words, request)) = self.describe_delivery(world, rank, number) {
            return Some(described(ChoiceKind::Delivery, words, request.origin()));
        }
        if let Some((slot, kind)) = self.reluctant_slot(ChoiceId::of(rank, number)) {
            let request = world.request_at(rank, slot)?;
            let words = match &request.body {
                Body::SendRecv(both) => send_arguments(&both.send),
                _ => request_arguments(request).0,
            };
            return Some(described(kind, words, request.origin()));
        }
        if let Some(name) = world.describe_server(rank) {
            return Some(Described {
                answer: Answer::Served(name),
                ..described(ChoiceKind::Lock, String::new(), Origin::default())
            });
        }
        let held = self.state.held.receive(rank, number)?;
        let request = world.request_at(rank, Owner::of(held.token).slot)?;
        Some(described(ChoiceKind::Receive, argument_words(&held.pattern), request.origin()))
    }
}
