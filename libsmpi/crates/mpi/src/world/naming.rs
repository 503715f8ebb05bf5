//! Names of states: what may still become of the world, whatever led to it.
//!
//! Two worlds with the same name answer the same to whatever is asked of them from then on. The name is a digest of all
//! that is there. Left out is what nobody can see: the numbers of communications, of contexts to come, what was counted
//! for the summary. All fields are named in what follows, so that none is forgotten; where something
//! has no name here, the answer is why the world has none.
//!
//! *Causality*, where sends in ready mode are judged, is counts that only grow: `relevant.rs`.
//!
//! *Numbers of collective operations* only grow. What matters of them is how far the ranks of a communicator are apart,
//! so they are counted from the rank that has called the fewest ([`Tags`]).

use smpi_base::WorldRank;
use smpi_base::digest::{Digest, Named, Unnamed};
use smpi_mailbox::{CommId, Communication, Context, Envelope, Pattern, State};

use super::meeting::{Arrival, Meeting};
use super::relevant::Relevant;
use super::transit::{Kept, Progress, Rare};
use super::{RankState, World, WorldState};
use crate::comm::{CONTEXTS_PER_COMM, SELF_CONTEXT, TrafficKind};
use crate::p2p::request::{Body, Collective, Operation, Request};

/// From which collective operation on those of each communicator are counted.
#[derive(Clone, Default, Debug)]
pub struct Tags(Vec<(Context, u32)>);

impl Tags {
    /// A rank has called so many collective operations on the communicator with this base context.
    pub fn note(&mut self, context: Context, called: u32) {
        match self.0.iter_mut().find(|entry| entry.0 == context) {
            Some((_, least)) => *least = called.min(*least),
            None => self.0.push((context, called)),
        }
    }

    /// The number of an operation, of all that were called on the communicator with this base context, from the first
    /// that some rank has not called.
    pub fn relative(&self, context: Context, number: u32) -> u32 {
        // Nobody else takes part there, and there are no messages.
        if context == SELF_CONTEXT {
            return 0;
        }
        let first = self.0.iter().find(|entry| entry.0 == context).map_or(0, |entry| entry.1);
        number.wrapping_sub(first)
    }

    fn tag(&self, context: Context, tag: i32) -> i32 {
        let kind = context % CONTEXTS_PER_COMM;
        if !TrafficKind::is_collective(context) {
            return tag;
        }
        self.relative(context - kind, tag as u32) as i32
    }

    fn envelope(&self, envelope: Envelope) -> Envelope {
        Envelope { tag: self.tag(envelope.context, envelope.tag), ..envelope }
    }

    /// A pattern with the tag of a collective operation as counted here.
    pub fn pattern(&self, pattern: Pattern) -> Pattern {
        Pattern { tag: pattern.tag.map(|tag| self.tag(pattern.context, tag)), ..pattern }
    }
}

/// From where on what only grows is counted.
struct From<'a> {
    tags: &'a Tags,
    /// Of causality, where that is followed.
    relevant: Option<Relevant>,
}

impl World {
    /// States are recognised whatever led to them: the keys of requests that are over are forgotten
    /// ([`smpi_base::table::Table::forget_keys`]). There must be none yet.
    pub fn recognise_states(&mut self) {
        self.rules.by_states = true;
        self.state.ranks.iter_mut().for_each(|rank| rank.requests.forget_keys());
    }

    /// The opposite, where the state is one of before.
    pub fn forget_states(&mut self) {
        self.rules.by_states = false;
    }

    /// Adds what may still become of the world.
    pub fn name(&self, tags: &Tags, into: &mut Digest) -> Named {
        // By their names, so that no field is forgotten.
        let WorldState {
            ranks,
            servers: _, // There are none without windows.
            windows,
            unexplored_if_open,
            choices: _, // Of interest where there are windows.
            accesses,
            boxes: _, // `name_mailboxes`
            agreements,
            ports,
            lanes,
            any_fallen,
            meetings,
            in_transit: _, // `name_mailboxes`
            posts,
            causality,
        } = &self.state;
        let unnamed = [
            (!posts.is_empty() || !self.woken.is_empty(), "a rank is about to go on"),
            (!windows.is_empty() || !accesses.is_empty(), "there is a window"),
            (causality.as_ref().is_some_and(|causality| !causality.has_name()), "windows were used"),
            (!agreements.is_idle(), "a communicator is being made"),
            (ranks.len() > self.rules.programs as usize, "locks are served"),
            (*any_fallen, "a host has failed"),
        ];
        if let Some((_, why)) = unnamed.iter().find(|(is_there, _)| *is_there) {
            return Err(Unnamed(why));
        }
        into.add((unexplored_if_open, lanes, ports));
        let from = self.counted_from(tags);
        for rank in (0..).map(WorldRank).zip(ranks) {
            self.name_rank(rank, &from, into)?;
        }
        self.name_mailboxes(&from, into)?;
        if let (Some(causality), Some(relevant)) = (causality, &from.relevant) {
            causality.name(ranks, relevant, tags, into);
        }
        into.add(meetings.len());
        into.add_unordered(meetings.iter().map(|(&(context, tag, round), meeting)| {
            let mut one = Digest::new();
            one.add((context, tags.tag(context, tag), round.wrapping_sub(self.first_round(context, tag))));
            meeting.name(&mut one);
            one.bits()
        }));
        self.name_rounds(into);
        Ok(())
    }

    fn counted_from<'a>(&self, tags: &'a Tags) -> From<'a> {
        From { tags, relevant: self.state.causality.as_ref().map(|_| Relevant::of(&self.state.ranks)) }
    }

    /// The first round of an operation that some ranks have called and others not.
    fn first_round(&self, context: Context, tag: i32) -> u32 {
        let is_meant = |operation: &&Operation| (operation.0, operation.1) == (context, tag);
        self.state.meetings.keys().filter(is_meant).map(|operation| operation.2).min().unwrap_or(0)
    }

    /// How far ranks are ahead in persistent operations of which some round is not called by all; else all are in the
    /// same round.
    fn name_rounds(&self, into: &mut Digest) {
        if self.state.meetings.is_empty() {
            return;
        }
        for (place, rank) in self.state.ranks.iter().enumerate() {
            for (key, request) in rank.requests.iter().filter(|(_, request)| request.persistent) {
                if let Body::Collective(collective) = &request.body {
                    let (context, tag, round) = collective.operation();
                    let is_open = |operation: &Operation| (operation.0, operation.1) == (context, tag);
                    let ahead = round.wrapping_sub(self.first_round(context, tag));
                    into.add((place, key.slot, self.state.meetings.keys().any(is_open).then_some(ahead)));
                }
            }
        }
    }

    fn name_rank(&self, (at, rank): (WorldRank, &RankState), from: &From<'_>, into: &mut Digest) -> Named {
        let RankState {
            requests,
            waiting,
            probing,
            probes,
            list,
            probed,
            user_work,
            draining,
            ended,
            fallen: _,
            sent: _,
            buffers,
            windows,
            exposed,
            in_place,
            tally,
            own_thresholds,
        } = rank;
        if tally.is_some() {
            return Err(Unnamed("a tool counts messages or waits for events"));
        }
        if list.is_some() || windows.iter().any(Option::is_some) || exposed.is_some() || !in_place.is_empty() {
            return Err(Unnamed("there is a window"));
        }
        into.add((waiting, probing.map(|(pattern, take)| (from.tags.pattern(pattern), take)), probes));
        into.add(probed.map(|probed| probed.status));
        if let Some(comm) = probed.and_then(|probed| probed.message) {
            into.add(self.name_among(comm, from)?);
        }
        into.add((user_work, draining, ended, buffers, own_thresholds, requests.len()));
        for (key, request) in requests.iter() {
            into.add(key);
            self.name_request((at, request), from, into)?;
        }
        Ok(())
    }

    fn name_request(&self, (at, request): (WorldRank, &Request), from: &From<'_>, into: &mut Digest) -> Named {
        let Request {
            body,
            phase,
            persistent,
            waited,
            place: _,
            freed,
            comm,
            status,
            error,
            unawaited,
            comm_handle,
            watched,
            started,
            shown,
            causes,
            uses_file,
            late_post,
            part_of,
        } = request;
        if late_post.is_some() || *uses_file {
            return Err(Unnamed("an operation is followed"));
        }
        if let (Some(causes), Some(relevant)) = (causes, &from.relevant) {
            relevant.name_causes(at, causes, into);
        }
        into.add((phase, persistent, waited, freed, comm.is_some(), status, error));
        into.add((unawaited, comm_handle, watched, started, shown, part_of));
        into.add(std::mem::discriminant(body));
        match body {
            Body::Send(send) => into.add(send),
            Body::Recv(recv) => into.add(recv),
            Body::MatchedRecv(part, comm) => into.add((part, self.name_among(*comm, from)?)),
            Body::SendRecv(both) => into.add(both),
            Body::Collective(collective) => {
                let Collective { schedule, comm, tag, round: _, call } = &**collective;
                into.add((schedule, comm, from.tags.relative(comm.context, *tag as u32), call));
            }
            Body::Partitioned(partitioned) => into.add(partitioned),
            Body::Portion => {}
            Body::Flush(owner) => into.add(owner),
            Body::Generalized(number) => into.add(number),
            Body::Access(_) | Body::Window(_) => return Err(Unnamed("there is a window")),
            Body::File(_) => return Err(Unnamed("something is being done with a file")),
        }
        Ok(())
    }

    /// Who waits for whom in the mailboxes: in the order that a receive can see, which is that within one mailbox and
    /// context ([`smpi_mailbox::Mailboxes::canonical`]).
    fn name_mailboxes(&self, from: &From<'_>, into: &mut Digest) -> Named {
        into.add(self.state.boxes.live());
        if self.state.boxes.live() == 0 {
            return Ok(());
        }
        let mut waiting: Vec<(CommId, &Communication)> = self.state.boxes.pending().collect();
        waiting.sort_by_key(|(_, one)| (one.to, one.envelope.context, one.state));
        into.add(waiting.len());
        for (comm, one) in waiting {
            self.name_message(comm, one, from, into)?;
        }
        let is_joined = |one: &Communication| !matches!(one.state, State::SendPosted | State::RecvPosted);
        let joined = self.state.boxes.iter().filter(|(_, one)| is_joined(one));
        let names: Named<Vec<u128>> = joined.map(|(comm, _)| self.name_among(comm, from)).collect();
        into.add_unordered(names?.into_iter());
        Ok(())
    }

    /// The name of a communication.
    pub fn name_of(&self, comm: CommId, tags: &Tags) -> Named<u128> {
        self.name_among(comm, &self.counted_from(tags))
    }

    fn name_among(&self, comm: CommId, from: &From<'_>) -> Named<u128> {
        let mut one = Digest::new();
        if let Some(message) = self.state.boxes.get(comm) {
            self.name_message(comm, message, from, &mut one)?;
        }
        Ok(one.bits())
    }

    fn name_message(&self, comm: CommId, one: &Communication, from: &From<'_>, into: &mut Digest) -> Named {
        let pattern = from.tags.pattern(one.pattern());
        let envelope = (one.state != State::RecvPosted).then(|| from.tags.envelope(one.envelope));
        into.add((one.state, pattern, envelope, one.from, one.to, one.size, one.send_token, one.recv_token));
        let in_transit = &self.state.in_transit;
        let Some(progress) = in_transit.progress(comm).filter(|_| one.state != State::RecvPosted) else {
            return Ok(());
        };
        let Progress { started, arrived } = progress;
        let nothing = Kept::default();
        let Kept { data, sent, request, rare, caller: _ } = in_transit.kept(comm).unwrap_or(&nothing);
        let mut buffered = None;
        if let Some(rare) = rare {
            let Rare { buffered: bytes, causes, origin: _, message: _, errand } = &**rare;
            if errand.is_some() {
                return Err(Unnamed("an operation is followed"));
            }
            if let (Some(causes), Some(relevant)) = (causes, &from.relevant) {
                relevant.name_sent(causes, into);
            }
            buffered = *bytes;
        }
        into.add((data, buffered, request, sent, started, arrived));
        Ok(())
    }
}

impl Meeting {
    fn name(&self, into: &mut Digest) {
        let Meeting { first, arrived, differs, hopeless, waiting, exchanges, taped: _ } = self;
        first.name(into);
        into.add((arrived, differs, hopeless, exchanges.len()));
        into.add_unordered(waiting.iter());
        into.add_unordered(exchanges.iter().map(|arrival| {
            let mut one = Digest::new();
            arrival.name(&mut one);
            one.bits()
        }));
    }
}

impl Arrival {
    fn name(&self, into: &mut Digest) {
        let Arrival { side, call, comm, key } = self;
        into.add((side, call, comm, key));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collective_operations_are_counted_from_the_one_that_some_rank_has_not_called() {
        let mut tags = Tags::default();
        let (first, second) = (CONTEXTS_PER_COMM, 2 * CONTEXTS_PER_COMM);
        [(first, 9), (second, 3), (first, 7)].iter().for_each(|&(context, called)| tags.note(context, called));
        let relative = [tags.relative(first, 9), tags.relative(first, 7), tags.relative(second, 5)];
        assert_eq!(relative, [2, 0, 2]);
        let of = |kind: TrafficKind| Pattern { context: first + kind as u32, source: None, tag: Some(8) };
        let tag = |kind| tags.pattern(of(kind)).tag;
        assert_eq!((tag(TrafficKind::Collective), tag(TrafficKind::LocalCollective)), (Some(1), Some(1)));
        assert_eq!((tag(TrafficKind::PointToPoint), tag(TrafficKind::Creation)), (Some(8), Some(8)));
    }
}
