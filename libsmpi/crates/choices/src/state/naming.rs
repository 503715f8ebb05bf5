//! Names of states: what may still become of a verification, whatever led to it ([`World::name`] is the other half).
//!
//! Left out is what only tells how the state was reached: histories, positions and numbers of choices, late arrivals,
//! what was sent and received so far, and which ranks were told apart: a state that is the same with two ranks
//! exchanged is that whatever led to it. Of polls it matters whether there were any, and whose turn it is: they are
//! counted from the last turn that a rank had since something happened; and where its rank was told "not yet", before
//! or after somebody was forced to be told so. Under `--ltl` everybody may poll at any time: there are no turns.

use smpi_base::WorldRank;
use smpi_base::digest::{Digest, Named, Unnamed};
use smpi_checker::held::HeldReceive;
use smpi_mpi::world::{Tags, World};

use super::reluctant::{Reluctant, Waiting};

use super::{NO_CHOICE, Pending, Question, RankState, State, Tracked, Turns};

impl State {
    /// Adds what may still become of it: with what was sent and received if `messages`, and without whose turn it is to
    /// poll unless there are `turns`.
    pub fn name(&self, world: &World, tags: &Tags, messages: bool, turns: bool, into: &mut Digest) -> Named {
        let State {
            held,
            ranks,
            late: _,
            ahead: _,
            reluctant,
            messages: _,
            made: _,
            tick: _,
            taken_unseen,
            ignored,
            seen: _,
            turns: now,
            apart: _,
            influence: _,
            told: _,
            ended,
        } = self;
        if taken_unseen.is_some() || ignored.is_some() {
            return Err(Unnamed("a result does not matter, by an annotation"));
        }
        // Of which messages, is in the names of their requests.
        into.add(ended.len());
        let turns = turns.then_some(now);
        for (rank, state) in world.all_ranks().zip(ranks.iter()) {
            // Which messages are withheld, is in the names of the sends that may be cancelled.
            for HeldReceive { pattern, token, number: _, fate } in held.at(rank) {
                into.add((true, tags.pattern(*pattern), token, fate));
            }
            into.add(false);
            name_rank(world, rank, state, turns, tags, into)?;
            if messages {
                into.add(state.communications);
                for (key, _) in world.state.ranks[rank.index()].requests.iter() {
                    let tracked = state.request(key.slot);
                    into.add((tracked.receive, tracked.sender));
                }
            }
        }
        let Reluctant { waiting, gone_on: _ } = reluctant;
        let mut waiting: Vec<&Waiting> = waiting.iter().collect();
        waiting.sort_unstable_by_key(|one| one.id);
        into.add(waiting.len());
        for Waiting { id, slot, what: _, kept } in waiting {
            into.add((id.rank(), slot, kept));
        }
        Ok(())
    }
}

fn name_rank(
    world: &World,
    rank: WorldRank,
    state: &RankState,
    turns: Option<&Turns>,
    tags: &Tags,
    into: &mut Digest,
) -> Named {
    let RankState {
        pending,
        answer,
        reached: _,
        started: _,
        spawned,
        anticipated,
        history: _,
        seen,
        ended,
        progress: _,
        requests: _,
        single: _,
        posted,
        unseen,
        asks_unheard,
        unheard,
        deferred: _,
        answers,
        communications: _,
        clock,
        polled,
    } = state;
    for one in anticipated.iter().filter(|one| one.is_open(world, rank)) {
        into.add(true);
        one.name(world, rank, into)?;
    }
    into.add(false);
    if !posted.is_empty() || !unseen.is_empty() || !answers.is_empty() {
        return Err(Unnamed("an operation is followed"));
    }
    for (key, _) in world.state.ranks[rank.index()].requests.iter() {
        let Tracked { history: _, posted: _, choice, start: _, receive: _, sender: _, going_on } =
            state.request(key.slot);
        into.add((*choice != NO_CHOICE, *going_on != NO_CHOICE));
    }
    into.add((answer, seen, ended, spawned));
    into.add(clock.name());
    into.add_unordered(polled.iter().map(|(what, polls)| (what, polls.name(turns))));
    into.add_unordered(polled.tried(turns));
    into.add(polled.has_looked());
    into.add((asks_unheard, unheard.is_some(), pending.as_ref().map(|pending| pending.question.may_be_unheard())));
    let Some(Pending { number: _, question, retry: _, ahead: _, same: _ }) = pending else {
        into.add(false);
        return Ok(());
    };
    // Where some requests do not matter, what can be returned follows from histories.
    if question.requests().is_some_and(|requests| requests.relevant.is_some()) {
        return Err(Unnamed("a result does not matter, by an annotation"));
    }
    into.add((true, std::mem::discriminant(question), question.polls().map(|polls| polls.name(turns))));
    match question {
        Question::Probe { pattern, take } | Question::Iprobe { pattern, take, polls: _, unheard: _ } => {
            into.add((tags.pattern(*pattern), take));
        }
        Question::WaitAny { requests, alike } => into.add((requests, alike)),
        Question::Test { requests, take, polls: _, unheard: _ } => into.add((requests, take)),
        Question::Random { min, max } => into.add((min, max)),
        Question::Time | Question::Visible => {}
    }
    Ok(())
}
