//! The choices that are open when nothing moves any more.
//!
//! What is a choice: (a) which source a wildcard receive or probe takes, (b) which completed requests Waitany,
//! Waitsome, Testany and Testsome return, (c) whether a test or probe answers yes or not yet, (d) what becomes of an
//! operation that is cancelled (`cancel.rs`), (e) whether a send or collective operation that need not wait does wait
//! (`reluctant.rs`), (f) `MC_random`, (g) whether a deadline has passed.
//!
//! **Fairness.** A rank that polls again after a futile poll gets an answer in three cases: there is something to
//! find, or no other choice is open anywhere and it is this rank's turn (`polls.rs`), or its rank was not told so
//! where it is ([`crate::Retry::New`]). Without this, every polling loop would have infinitely many executions.
//! Nor does a first poll find nothing where that leads nowhere (`ahead.rs`).
//! Where what is visible on the way matters, and states are recognised, it may always be told that there is nothing,
//! if there is nothing.

use smpi_base::WorldRank;
use smpi_checker::alternatives::{self, ANY, Completed, NOT_YET};
use smpi_checker::held::Fate;
use smpi_checker::{ChoiceId, ChoiceKind, Choices, Event, Tried};
use smpi_mailbox::Pattern;
use smpi_mpi::p2p::request::{Body, Owner, Phase, Recv, Request};
use smpi_mpi::world::{HowMany, World};

use super::Verification;
use crate::state::{Pending, Question, Requests};

/// The answer that a deadline has passed.
const PASSED: u64 = 1;
/// The answer that others have seen what has changed.
const SHOWN: u64 = 0;

impl Verification {
    /// Lists the open choices by rank and number: keys are senders' world ranks for messages; those of
    /// [`smpi_checker::alternatives`] for completions; 1 for a yes. Empty: nothing can go on, or only polls that have
    /// failed more than `max_futile` times since something happened; while posts wait to be committed, those are not
    /// forced.
    pub fn open_choices(&mut self, world: &World, max_futile: u32, out: &mut Choices) {
        (self.forced, self.most_futile) = (false, max_futile);
        for rank in world.everybody() {
            self.left_out |= self.open_choices_of(world, rank, None, out);
            self.cancels.is_partial |= self.probes_cancellable(world, rank);
        }
        if !self.symmetric.is_empty() {
            self.leave_one_of_each_group(out);
        }
        if self.reluctant_sends {
            self.offer(world, max_futile, out);
        }
        if out.is_empty() && world.posts().is_empty() {
            // Only polls that find nothing are left.
            self.forced = true;
            if !self.has_gone_round(world) {
                self.next_forced(world, max_futile, out);
            }
        }
    }

    /// True when alternatives were left out.
    pub(super) fn open_choices_of(
        &self,
        world: &World,
        rank: WorldRank,
        forced: Option<u32>,
        out: &mut Choices,
    ) -> bool {
        let state = self.state.ranks.at(rank);
        let pending = state.pending.as_ref();
        if pending.is_none() && !self.state.held.has_any(rank) && state.anticipated.is_empty() {
            return false;
        }
        let mut left_out = false;
        let question = pending.map(|pending| (pending, self.answers(world, rank, pending, forced, &mut left_out)));
        let mut next = 0;
        self.state.held.candidates(&world.state.boxes, rank, |receive, senders| {
            self.open_deliveries(rank, receive.number, &mut next, out);
            let named = named_sender(world.request_at(rank, Owner::of(receive.token).slot));
            let possible = world.all_ranks().filter(|&sender| named.is_none_or(|is| is == sender));
            // Ranks that may still be spawned count as ended. They are in no communicator yet; and they can ask for a
            // connection only after somebody has spawned them who has not ended, and does not wait for one now.
            let closed = senders.is_closed(possible, |sender| {
                let is_blocked = sender == rank && waits_for_token(world, receive.token);
                !self.state.ranks.at(sender).ended && !is_blocked
            });
            let kind = if world.is_server(rank) { ChoiceKind::Lock } else { ChoiceKind::Receive };
            out.open(ChoiceId::of(rank, receive.number), kind, closed);
            senders.available.iter().for_each(|sender| out.candidate(u64::from(sender.0)));
            if receive.fate == Fate::Open {
                out.candidate(NOT_YET);
            }
            out.drop_if_empty();
        });
        self.open_deliveries(rank, u32::MAX, &mut next, out);
        // A blocked rank has posted its receives before it asked.
        if let Some((pending, found)) = question.filter(|(_, found)| !found.is_empty()) {
            let closed = matches!(pending.question, Question::Random { .. } | Question::Time | Question::Visible);
            out.open(ChoiceId::of(rank, pending.number), pending.question.kind(), closed);
            let is_needless =
                found.len() > 1 && found.last() == Some(&NOT_YET) && self.leads_nowhere(world, rank, pending);
            let is_unheard = found.last() == Some(&NOT_YET) && self.is_unheard(world, rank, pending);
            found.into_iter().for_each(|key| out.candidate(key));
            if is_needless {
                out.try_only(Tried::AllButLast);
            }
            if is_unheard {
                out.try_only(Tried::Last);
            }
            if matches!(pending.question, Question::WaitAny { alike: true, .. }) {
                out.try_only(Tried::First);
            }
        }
        left_out
    }

    /// What a question can be answered with; notes it when not all of that is tried.
    pub(super) fn answers(
        &self,
        world: &World,
        rank: WorldRank,
        pending: &Pending,
        forced: Option<u32>,
        left_out: &mut bool,
    ) -> Vec<u64> {
        let mut found: Vec<u64> = Vec::new();
        let polls = match &pending.question {
            Question::Probe { pattern, .. } => return self.senders(world, rank, pattern),
            Question::Random { min, max } => return (*min..=*max).map(|value| value as u64).collect(),
            Question::Time => return vec![NOT_YET, PASSED],
            Question::Visible => return vec![SHOWN],
            Question::WaitAny { requests, .. } => {
                *left_out |= self.selections(world, rank, requests, &mut found);
                return found;
            }
            Question::Iprobe { pattern, polls, .. } => {
                found = self.senders(world, rank, pattern);
                polls
            }
            Question::Test { requests, polls, .. } => {
                *left_out |= self.selections(world, rank, requests, &mut found);
                polls
            }
        };
        if polls.in_vain(&self.state.turns) > self.most_futile {
            found.retain(|&answer| !self.is_known(world, rank, pending, answer));
        }
        // "Not yet" is a possible first answer unless the rank knows better; a repeated poll gets it only when nothing
        // else can happen, or if its rank was not told so where it is. So does a poll that leads nowhere (`ahead.rs`).
        let most_futile = |most| pending.most_futile(most, || self.is_void(world));
        let is_turn = |most| polls.in_vain(&self.state.turns) <= most_futile(most);
        let is_free = !pending.is_forced() && (!found.is_empty() || !self.leads_nowhere(world, rank, pending));
        if (is_free && !self.knows_yes(world, rank, &pending.question))
            || (found.is_empty() && (self.polls_freely || forced.is_some_and(is_turn)))
        {
            found.push(NOT_YET);
        }
        found
    }

    /// Whether the rank has been told already of requests or a message for which a test or probe must say yes.
    pub(super) fn knows_yes(&self, world: &World, rank: WorldRank, question: &Question) -> bool {
        let requests = match question {
            Question::Test { requests, .. } => requests,
            Question::Iprobe { pattern, .. } => return self.state.ranks.at(rank).seen.has(pattern),
            _ => return false,
        };
        let mut known = requests.slots.iter().map(|&slot| world.knows_done(rank, slot));
        if requests.how_many == HowMany::All { known.all(|known| known) } else { known.any(|known| known) }
    }

    /// What can be returned of the requests that are complete: one of them, a set of them, or all. True when not all is
    /// tried.
    pub(super) fn selections(&self, world: &World, rank: WorldRank, requests: &Requests, found: &mut Vec<u64>) -> bool {
        let done = self.done(world, rank, requests);
        match requests.how_many {
            HowMany::All => found.extend((done.len() == requests.slots.len()).then_some(1)),
            HowMany::One => alternatives::of_one(&done, found),
            HowMany::Some => return alternatives::of_sets(&done, self.max_waitsome, found),
        }
        false
    }

    /// Senders whose message a probe can see.
    pub(super) fn senders(&self, world: &World, rank: WorldRank, pattern: &Pattern) -> Vec<u64> {
        let senders = self.state.held.probe(&world.state.boxes, rank, pattern);
        senders.available.iter().map(|sender| u64::from(sender.0)).collect()
    }

    /// The requests that are over.
    pub(super) fn done(&self, world: &World, rank: WorldRank, requests: &Requests) -> Vec<Completed> {
        let state = self.state.ranks.at(rank);
        let completed = |(position, &slot): (usize, &u32)| {
            world.request_at(rank, slot).filter(|request| request.phase == Phase::Done)?;
            Some(Completed {
                position: position as u32,
                matters: requests.matters(position),
                // Only asked for where something does not matter.
                certain: requests.relevant.is_some() && state.request(slot).history.is_within(&state.history),
                known: world.knows_done(rank, slot),
            })
        };
        requests.slots.iter().enumerate().filter_map(completed).collect()
    }

    /// The requests that a rank asks about one or some of.
    fn asked_about(&self, rank: WorldRank) -> Option<&Requests> {
        let pending = self.state.ranks.at(rank).pending.as_ref()?;
        pending.question.requests().filter(|requests| requests.how_many != HowMany::All)
    }

    /// The position among the requests asked about that an event means where any of those that do not matter will do.
    pub fn meant(&self, world: &World, event: Event) -> u64 {
        match self.asked_about(event.choice.rank()) {
            Some(requests) => {
                let done = self.done(world, event.choice.rank(), requests);
                alternatives::resolved(event.candidate, &done, requests.how_many == HowMany::Some)
            }
            None => event.candidate,
        }
    }

    /// The slot of the request that an event takes where any of those that do not matter will do.
    pub(super) fn ignored(&self, world: &World, event: Event) -> Option<u32> {
        let requests = self.asked_about(event.choice.rank()).filter(|_| event.candidate == ANY)?;
        requests.relevant.as_ref()?;
        let done = self.done(world, event.choice.rank(), requests);
        let taken = done.iter().find(|one| !one.matters)?;
        requests.slots.get(taken.position as usize).copied()
    }
}

/// Whether the rank of a receive does nothing before that receive is over.
pub(super) fn waits_for_token(world: &World, token: u64) -> bool {
    let owner = Owner::of(token);
    let state = &world.state.ranks[owner.rank.index()];
    owner.step.is_none() && state.requests.at_slot(owner.slot).is_some_and(|request| state.waits_for(request))
}

/// The sender of a cancellable receive that names it: nobody else can send it a message.
fn named_sender(request: Option<&Request>) -> Option<WorldRank> {
    match &request?.body {
        Body::Recv(Recv { source, from, .. }) if *source >= 0 => *from,
        _ => None,
    }
}
