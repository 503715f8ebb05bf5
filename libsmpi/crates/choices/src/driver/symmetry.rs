//! `--symmetric`: ranks that may change places.
//!
//! The user promises of some ranks that they run the same code, and that nobody treats them differently but by what has
//! happened: exchange two of them in an execution, and it is an execution again. As long as no choice has told two of
//! them apart, the state is the same with both exchanged. So what follows if the message of one of them is chosen
//! follows, with both exchanged, if that of the other is, and one of the two is tried: of *n* such messages that are
//! received one after the other, one order instead of *n*!.
//!
//! A choice tells a rank *apart* that makes it or that it names: a sender, and the partners of the requests that a
//! question is about. All other choices tell all of them apart: a random number may be a rank's. So does a spawning.
//!
//! What can be seen of a broken promise is seen where a message is chosen: ranks whose messages stand for each other
//! have done as much as each other.

use std::ops::RangeInclusive;

use smpi_base::WorldRank;
use smpi_checker::alternatives::NOT_YET;
use smpi_checker::{Choice, ChoiceKind, Choices, Event};
use smpi_mpi::p2p::request::{Body, Recv, Send, SendRecv};
use smpi_mpi::world::World;

use super::Verification;
use crate::state::{Pending, Question};

/// Why an exploration with interchangeable ranks is not complete.
const UNLIKE: &str = "two ranks named by --symmetric had not done the same when one of them was tried for both: they \
                      are not interchangeable, leave out --symmetric";

impl Verification {
    /// From now on one of these ranks stands for the others of its group, as long as nothing has told them apart.
    pub fn let_change_places(&mut self, groups: &[RangeInclusive<u32>]) {
        self.symmetric = groups.to_vec();
        let ranks = groups.iter().map(|group| *group.end() as usize + 1).max().unwrap_or(0);
        self.state.apart = vec![false; ranks].into();
    }

    /// The group of a rank that nothing has told apart from the others in it.
    fn group(&self, rank: u64) -> Option<usize> {
        let is_apart = self.state.apart.get(rank as usize).is_none_or(|apart| *apart);
        if is_apart { None } else { self.symmetric.iter().position(|group| group.contains(&(rank as u32))) }
    }

    /// Leaves one candidate of those that stand for each other: the first.
    pub(super) fn leave_one_of_each_group(&self, choices: &mut Choices) {
        let mut tried: Vec<(Choice, usize)> = Vec::new();
        choices.retain(|choice, key| {
            let of_sender = self.names_senders(choice.kind, Event { choice: choice.id, candidate: key });
            let Some(group) = of_sender.then(|| self.group(key)).flatten() else { return true };
            let entry = (*choice, group);
            let is_new = !tried.contains(&entry);
            tried.extend(is_new.then_some(entry));
            is_new
        });
    }

    /// Whether the candidates of a choice are ranks.
    fn names_senders(&self, kind: ChoiceKind, event: Event) -> bool {
        if event.candidate == NOT_YET {
            return false;
        }
        match self.question(event) {
            Some(question) => matches!(question, Question::Probe { .. } | Question::Iprobe { .. }),
            None => kind == ChoiceKind::Receive,
        }
    }

    fn question(&self, event: Event) -> Option<&Question> {
        let pending = self.state.ranks.at(event.choice.rank()).pending.as_ref();
        let asked = pending.filter(|Pending { number, .. }| *number == event.choice.number);
        asked.map(|Pending { question, .. }| question)
    }

    /// Who is told apart by a choice that is about to be made.
    pub(super) fn tell_apart(&mut self, world: &mut World, event: Event) {
        if self.state.apart.iter().all(|apart| *apart) {
            return;
        }
        let chooser = event.choice.rank();
        let is_receive =
            self.question(event).is_none() && self.state.held.receive(chooser, event.choice.number).is_some();
        let kind = if is_receive && !world.is_server(chooser) { ChoiceKind::Receive } else { ChoiceKind::Lock };
        let named: Option<Vec<WorldRank>> = if self.names_senders(kind, event) {
            let sender = WorldRank(event.candidate as u32);
            if self.group(event.candidate).is_some_and(|group| !self.is_like_others(world, sender, group)) {
                world.observers.unexplored = world.observers.unexplored.or(Some(UNLIKE));
            }
            Some(vec![sender])
        } else {
            match self.question(event) {
                Some(Question::Probe { .. } | Question::Iprobe { .. }) => Some(Vec::new()),
                Some(Question::WaitAny { requests, .. } | Question::Test { requests, .. }) => {
                    requests.slots.iter().map(|&slot| partner(world, chooser, slot)).collect()
                }
                _ => None,
            }
        };
        match named {
            Some(named) => named.iter().chain([&chooser]).for_each(|rank| {
                std::rc::Rc::make_mut(&mut self.state.apart)
                    .get_mut(rank.index())
                    .into_iter()
                    .for_each(|apart| *apart = true);
            }),
            None => self.tell_all_apart(),
        }
    }

    /// No rank may change places with another one any more.
    pub(super) fn tell_all_apart(&mut self) {
        if !self.state.apart.is_empty() {
            std::rc::Rc::make_mut(&mut self.state.apart).fill(true);
        }
    }

    /// Whether those that this rank may change places with have started as many operations, and are as far.
    fn is_like_others(&self, world: &World, rank: WorldRank, group: usize) -> bool {
        let done = |rank: WorldRank| {
            let state = self.state.ranks.at(rank);
            (state.progress, state.ended, world.state.ranks[rank.index()].requests.len())
        };
        let mut others = self.symmetric[group].clone().filter(|&other| self.group(other.into()) == Some(group));
        others.all(|other| done(WorldRank(other)) == done(rank))
    }
}

/// With whom a request has to do, if with one rank.
fn partner(world: &World, rank: WorldRank, slot: u32) -> Option<WorldRank> {
    match &world.request_at(rank, slot)?.body {
        Body::Send(Send { to, .. }) => *to,
        // Whom a receive from any source takes a message from was a choice.
        Body::Recv(Recv { source, from, .. }) => {
            if *source >= 0 {
                *from
            } else {
                Some(rank)
            }
        }
        Body::SendRecv(both) => {
            let SendRecv { send, recv, .. } = &**both;
            send.to.filter(|_| recv.source >= 0 && recv.from == send.to)
        }
        _ => None,
    }
}
