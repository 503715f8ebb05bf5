//! What happens when a choice is made.

use smpi_base::WorldRank;
use smpi_checker::alternatives::{self, NOT_YET};
use smpi_checker::below::Arriving;
use smpi_checker::{Event, Told};
use smpi_mailbox::{CommId, Pattern};
use smpi_mpi::p2p::request::Owner;
use smpi_mpi::world::{Matter, World, slot_of};

use super::Verification;
use crate::state::{Pending, Question};

impl Verification {
    /// Makes a choice. The caller commits and lets the woken ranks run afterwards.
    pub fn choose(&mut self, world: &mut World, event: Event) {
        let (rank, number) = (event.choice.rank(), event.choice.number);
        self.tell_apart(world, event);
        self.follow(|influence| influence.chosen(rank));
        if event.goes_on() {
            self.state.turns.change();
            return self.go_on(world, event.choice);
        }
        if self.reluctant_sends && event.candidate == NOT_YET && self.is_forced_poll(rank) {
            self.keep_offers(world);
        }
        let matter = world.describe_server(rank).map(|server| server.matter);
        let is_known = self.tells_nothing_new(world, event);
        self.note_change(event, matter, is_known);
        let meant = self.meant(world, event);
        self.state.ignored = self.ignored(world, event).map(|slot| (rank, slot));
        let asked = self.state.ranks.at(rank).pending.as_ref().filter(|pending| pending.number == number);
        let is_asked = asked.is_some();
        // How long ranks wait has no part in a random number, nor in the order of accesses: these wait for fences.
        let is_random = asked.is_some_and(|pending| matches!(pending.question, Question::Random { .. }));
        let is_access = matter.is_some_and(|matter| matter != Matter::Locks);
        if !is_random && (!is_access || world.observers.locks_windows) {
            world.observers.unexplored = world.observers.unexplored.or(world.state.unexplored_if_open);
            world.state.choices += 1;
        }
        if is_asked {
            if let Some(pending) = self.state.ranks.at_mut(rank).pending.take() {
                self.answer(world, event, meant, pending);
            }
        } else if !self.choose_delivery(world, event) {
            self.choose_sender(world, event);
        }
    }

    fn choose_sender(&mut self, world: &mut World, event: Event) {
        let (rank, number) = (event.choice.rank(), event.choice.number);
        let held = &self.state.held;
        let senders = held.candidates_of(&world.state.boxes, rank, number).available;
        let Some(&receive) = held.receive(rank, number) else {
            return;
        };
        if world.is_taped() {
            let probed = |&sender: &WorldRank| held.probed(&world.state.boxes, rank, &receive.pattern, sender);
            let seen: Vec<CommId> = senders.iter().filter_map(probed).collect();
            world.tape_candidates(&seen);
        }
        let position = self.state.next_position();
        self.state.late.watch_messages(event.choice, position, receive.pattern, &senders);
        if event.candidate == NOT_YET {
            return self.choose_nothing(world, event.choice, position);
        }
        let owner = Owner::of(receive.token);
        let tracked = self.state.ranks.at_mut(rank).request_mut(owner.slot);
        tracked.history.insert(position);
        if owner.step.is_none() {
            tracked.posted.insert(position);
        }
        let comm = self.state.held.choose(&mut world.state.boxes, rank, number, WorldRank(event.candidate as u32));
        self.choose_message(event.choice);
        world.joined(self, comm);
        self.progress_held(world, rank);
    }

    /// Whether a rank polls again, and finds nothing only where nothing else can happen.
    fn is_forced_poll(&self, rank: WorldRank) -> bool {
        self.state.ranks.at(rank).pending.as_ref().is_some_and(Pending::is_forced)
    }

    /// The slots that a question is about and that could still have come, as tokens of what is watched for being late.
    pub(super) fn open_slots(&self, world: &World, rank: WorldRank, question: &Question) -> Vec<u64> {
        let Some(requests) = question.requests() else { return Vec::new() };
        let done = self.done(world, rank, requests);
        let is_awaited = |position: usize| {
            done.iter().all(|one| one.position as usize != position)
                && alternatives::is_awaited(&done, requests.matters(position))
        };
        let slots = requests.slots.iter().enumerate().filter(|(position, _)| is_awaited(*position));
        slots.map(|(_, &slot)| u64::from(slot)).collect()
    }

    fn answer(&mut self, world: &mut World, event: Event, meant: u64, pending: Pending) {
        let (id, rank) = (event.choice, event.choice.rank());
        let is_forced = event.candidate == NOT_YET && self.is_forced_no(world, rank, &pending);
        let is_unheard = event.candidate == NOT_YET && self.is_unheard(world, rank, &pending);
        let question = &pending.question;
        let open = self.open_slots(world, rank, question);
        let senders: Vec<WorldRank> = match question.pattern() {
            Some(pattern) => {
                self.senders(world, rank, pattern).into_iter().map(|sender| WorldRank(sender as u32)).collect()
            }
            None => Vec::new(),
        };
        let could_be_over = self.could_be_over(world, rank, question, &open);
        self.tell_choice(event, &pending);
        let position = self.state.next_position();
        if could_be_over {
            self.state.late.could_have_come(id);
        }
        if event.candidate != NOT_YET {
            self.watch_ahead(world, id, position, &pending);
        }
        match question {
            Question::Probe { pattern, .. } | Question::Iprobe { pattern, .. } => {
                self.state.late.watch_messages(id, position, *pattern, &senders);
            }
            Question::WaitAny { .. } | Question::Test { .. } => {
                self.state.late.watch_completions(id, position, &open);
            }
            Question::Random { .. } | Question::Time | Question::Visible => {}
        }
        let everything = self.state.everything();
        if is_forced {
            self.follow(|influence| influence.everything(rank));
            self.tell(Told::lose);
            self.state.turns.forced += 1;
            self.state.ahead.all_could_have_come();
            self.state.late.note(Arriving::Forced, &everything);
        }
        let state = self.state.ranks.at_mut(rank);
        if is_forced {
            state.history.join(&everything);
            state.clock.is_awaited = state.clock.is_asked;
        }
        state.unheard = is_unheard.then_some(id.number);
        match pending.question {
            Question::WaitAny { alike: true, .. } => state.unseen.push((id.number, position)),
            _ => state.history.insert(position),
        }
        match pending.question {
            Question::Probe { pattern, take } | Question::Iprobe { pattern, take, .. } => {
                self.answer_chosen_probe(world, rank, &pattern, take, event.candidate);
            }
            _ => {
                state.answer = Some(meant as i64);
                world.wake(rank);
            }
        }
    }

    fn answer_chosen_probe(
        &mut self,
        world: &mut World,
        rank: WorldRank,
        pattern: &Pattern,
        take: bool,
        candidate: u64,
    ) {
        let sender = WorldRank(candidate as u32);
        let is_no = candidate == NOT_YET;
        let seen = if is_no { None } else { self.state.held.probed(&world.state.boxes, rank, pattern, sender) };
        let Some(comm) = seen else { return world.answer_nothing(rank) };
        // A probe shows its rank that the message was sent.
        let sent = self.told_by_message(world, comm);
        let state = self.state.ranks.at_mut(rank);
        state.history.join(&sent);
        self.tell(|told| told.sees(rank, slot_of(comm)));
        let state = self.state.ranks.at_mut(rank);
        if let Some(envelope) = world.state.boxes.get(comm).map(|communication| communication.envelope) {
            state.seen.shown(envelope, take);
            world.answer_probe(rank, envelope.into(), take, false);
        }
    }
}
