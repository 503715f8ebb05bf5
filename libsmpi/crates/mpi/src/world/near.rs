//! What nearly matches an operation that a rank waits for: a message with another tag, say. For reports of those who
//! wait for ever; the matching rules are in MPI 5.0 §3.2.4 and §3.5.

use smpi_base::WorldRank;
use smpi_mailbox::{CommId, Communication, Context, Pattern, State};

use super::{NOBODY, World};
use crate::comm::TrafficKind;
use crate::p2p::request::{Body, Collective, Owner, Phase, Request, Send};
use crate::usage::Origin;

/// Something that nearly matches.
#[derive(Clone, PartialEq, Debug)]
pub struct Near {
    /// What it is, in words: `rank 1 has sent it one with tag 8`.
    pub words: String,
    /// Whose it is.
    pub rank: WorldRank,
    /// Where in its program, if that is remembered.
    pub made: Made,
}

/// Where a program made a request or sent a message, as far as it is remembered.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Made {
    /// As the C layer was asked to remember it.
    pub origin: Origin,
    /// Where the program goes on behind the call, as a number of the C layer's; 0 where nobody knows.
    pub caller: usize,
}

impl Made {
    fn of(request: &Request) -> Made {
        Made { origin: request.origin(), caller: request.caller() }
    }
}

/// Messages and receives of other ranks that are looked at, at most: a report has as many rows as there are ranks.
const MOST_ELSEWHERE: usize = 1_000;

/// In what it differs, the nearest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Differs {
    Tag,
    Source,
    Communicator,
    /// It is with another rank.
    Place,
    /// It is with another rank, on another communicator.
    Both,
}

impl Differs {
    /// What is said behind everything else.
    fn on(self) -> &'static str {
        if matches!(self, Differs::Communicator | Differs::Both) { " on another communicator" } else { "" }
    }
}

/// In what a message, or another receive, differs from a pattern of which `from` sends what it accepts: in one thing.
fn differs(pattern: &Pattern, from: Option<WorldRank>, other: &Pattern, sender: Option<WorldRank>) -> Option<Differs> {
    let (has_source, has_tag) = pattern.agreement(other);
    if pattern.context != other.context {
        // Ranks of two communicators cannot be compared by their numbers.
        let is_same_rank = from.zip(sender).is_none_or(|(from, sender)| from == sender);
        return (has_tag && is_same_rank).then_some(Differs::Communicator);
    }
    match (has_source, has_tag) {
        (true, false) => Some(Differs::Tag),
        (false, true) => Some(Differs::Source),
        _ => None,
    }
}

/// These places, each once, as far as they are remembered: at most so many.
fn each_once(places: impl Iterator<Item = Made>, most: usize) -> Vec<Made> {
    let mut found: Vec<Made> = Vec::new();
    for made in places {
        let is_known = made.origin.site != 0 || made.caller != 0;
        if is_known && !found.contains(&made) && found.len() < most {
            found.push(made);
        }
    }
    found
}

fn is_of_program(context: Context) -> bool {
    TrafficKind::base_of_programs(context).is_some()
}

impl World {
    /// What nearly matches an operation that a rank waits for: the oldest of the nearest, and what is the same but for
    /// its place. `probed`: what it waits for in a probe; `asked`: the slots of the operations that it asks about.
    pub fn near_misses(&self, rank: WorldRank, probed: Option<&Pattern>, asked: &[u32]) -> Vec<Near> {
        let state = &self.state.ranks[rank.index()];
        if let Some(pattern) = probed.or(state.probing.as_ref().map(|(pattern, _)| pattern)) {
            return self.near_receive(rank, pattern, None);
        }
        let near = |request: &Request| match &request.body {
            Body::Recv(recv) => self.near_receive(rank, &recv.pattern(), recv.from),
            Body::Send(send) => self.near_send(rank, send),
            Body::SendRecv(both) => {
                let near = self.near_receive(rank, &both.recv.pattern(), both.recv.from);
                if near.is_empty() { self.near_send(rank, &both.send) } else { near }
            }
            _ => Vec::new(),
        };
        self.pending(rank, asked).map(near).find(|near| !near.is_empty()).unwrap_or_default()
    }

    /// Messages that are nearly one of a pattern, of which `from` sends what it accepts, if that is known. Nothing is
    /// nearer than one that only has to be started.
    fn near_receive(&self, rank: WorldRank, pattern: &Pattern, from: Option<WorldRank>) -> Vec<Near> {
        let sends = |request: &Request| match &request.body {
            Body::Send(send) if send.to == Some(rank) => pattern.matches(&send.envelope()),
            _ => false,
        };
        let idle = |sender: WorldRank| {
            let words = || format!("rank {sender} has made a persistent send of it and not started it");
            self.not_started(sender, sends, words)
        };
        let all = || (0..self.state.ranks.len() as u32).map(WorldRank);
        let near = from.map_or_else(|| all().find_map(idle), idle);
        if let Some(near) = near {
            return vec![near];
        }
        let is_waiting = |send: &Communication| send.state == State::SendPosted && is_of_program(send.envelope.context);
        let own = self.state.boxes.waiting_sends(rank).filter(|(_, send)| is_waiting(send));
        let own = own.filter_map(|(comm, send)| {
            Some((differs(pattern, from, &Pattern::from(send.envelope), Some(send.from))?, comm, send))
        });
        let boxes = self.state.boxes.iter().take(MOST_ELSEWHERE);
        let others = boxes.filter(|(_, send)| send.to != rank && is_waiting(send));
        // Of a probe, it is not known by which numbers other communicators have its source.
        let is_of = |send: &Communication| match (from, pattern.source) {
            (Some(from), _) => from == send.from,
            (None, Some(source)) => pattern.context == send.envelope.context && source == send.envelope.source,
            // What a rank sends to others is not for itself, nor for others what it sends to itself.
            (None, None) => send.from != rank && (send.to != send.from || pattern.context != send.envelope.context),
        };
        let others = others.filter(|(_, send)| is_of(send)).filter_map(|(comm, send)| {
            let (_, has_tag) = pattern.agreement(&Pattern::from(send.envelope));
            let is_on_same = pattern.context == send.envelope.context;
            has_tag.then_some((if is_on_same { Differs::Place } else { Differs::Both }, comm, send))
        });
        let own = own.min_by_key(|one| one.0);
        let other = others.min_by_key(|one| one.0).filter(|other| own.is_none() || other.0 == Differs::Place);
        own.into_iter().chain(other).map(|(how, comm, send)| self.near_message(how, comm, send)).collect()
    }

    fn near_message(&self, how: Differs, comm: CommId, send: &Communication) -> Near {
        let (from, to, tag) = (send.from, send.to, send.envelope.tag);
        let to = match how {
            Differs::Place | Differs::Both if to == from => "itself".to_string(),
            Differs::Place | Differs::Both => format!("rank {to}"),
            _ => "it".to_string(),
        };
        let words = format!("rank {from} has sent {to} one with tag {tag}{}", how.on());
        Near { words, rank: from, made: self.made(self.request_of(from, send.send_token), comm) }
    }

    /// Where the program made a request, or else sent the message.
    fn made(&self, request: Option<&Request>, comm: CommId) -> Made {
        let sent = || self.state.in_transit.kept(comm).map_or(0, |kept| kept.caller);
        Made { origin: self.made_at(request, comm), caller: request.map_or_else(sent, Request::caller) }
    }

    fn near_send(&self, rank: WorldRank, send: &Send) -> Vec<Near> {
        self.receive_near(rank, send).into_iter().collect()
    }

    /// A receive that nearly is one of a message.
    fn receive_near(&self, rank: WorldRank, send: &Send) -> Option<Near> {
        let to = send.to?;
        let own = self.state.boxes.waiting_sends(to).find(|(_, one)| {
            let envelope = one.envelope;
            (one.from, envelope.context, envelope.tag) == (rank, send.context, send.tag)
        });
        let envelope = own?.1.envelope;
        let pattern = Pattern::from(envelope);
        let receives = |request: &Request| match &request.body {
            Body::Recv(recv) => recv.pattern().matches(&envelope),
            _ => false,
        };
        let words = || format!("rank {to} has made a persistent receive of it and not started it");
        if let Some(near) = self.not_started(to, receives, words) {
            return Some(near);
        }
        let receives =
            self.state.boxes.posted_receives(to).filter(|(_, receive)| is_of_program(receive.envelope.context));
        let near = receives.filter_map(|(comm, receive)| {
            Some((differs(&pattern, Some(rank), &receive.pattern(), self.sender_of(receive))?, comm, receive))
        });
        let others = self.state.boxes.iter().take(MOST_ELSEWHERE).filter(|(_, receive)| {
            receive.state == State::RecvPosted && receive.to != to && self.sender_of(receive) == Some(rank)
        });
        let elsewhere = others.filter_map(|(comm, receive)| {
            let accepted = receive.pattern();
            let is_like = accepted.context == pattern.context && pattern.agreement(&accepted).1;
            is_like.then_some((Differs::Place, comm, receive))
        });
        let (how, comm, receive) = near.min_by_key(|one| one.0).or_else(|| elsewhere.min_by_key(|one| one.0))?;
        let (accepted, by) = (receive.pattern(), receive.to);
        let tag = accepted.tag.map_or("any tag".to_string(), |tag| format!("tag {tag}"));
        let from = self.sender_of(receive).map_or("any rank".to_string(), |from| format!("rank {from}"));
        let words = format!("rank {by} has posted a receive from {from} with {tag}{}", how.on());
        Some(Near { words, rank: by, made: self.made(self.request_of(by, receive.recv_token), comm) })
    }

    /// A persistent request of this rank that is not started, and would match.
    fn not_started(
        &self,
        rank: WorldRank,
        is_it: impl Fn(&Request) -> bool,
        words: impl Fn() -> String,
    ) -> Option<Near> {
        let requests = self.state.ranks[rank.index()].requests.iter().map(|(_, request)| request);
        let is_idle = |request: &&Request| request.persistent && request.phase == Phase::Inactive;
        let found = { requests }.filter(is_idle).find(|request| is_it(request))?;
        Some(Near { words: words(), rank, made: Made::of(found) })
    }

    /// The message that a rank waits for, of whom and with which tag (`None`: any), and where its receive was started;
    /// the first one that names its source.
    pub fn awaited_message(&self, rank: WorldRank) -> Option<(WorldRank, Option<i32>, Origin)> {
        let named = |request: &&Request| match &request.body {
            Body::Recv(recv) => Some((recv.from?, recv.pattern().tag, request.origin())),
            Body::SendRecv(both) => Some((both.recv.from?, both.recv.pattern().tag, request.origin())),
            _ => None,
        };
        self.state.ranks[rank.index()].awaited().iter().find_map(named)
    }

    /// Where messages of a rank were sent that nobody has received, each place once: at most so many.
    pub fn unreceived_from(&self, rank: WorldRank, most: usize) -> Vec<Made> {
        let is_left = |send: &Communication| send.from == rank && send.state == State::SendPosted;
        let sends = self.state.boxes.iter().filter(|(_, send)| is_left(send) && is_of_program(send.envelope.context));
        let made =
            sends.take(MOST_ELSEWHERE).map(|(comm, send)| self.made(self.request_of(rank, send.send_token), comm));
        each_once(made, most)
    }

    /// Where the operations were started that a rank waits for, or asks about by their slots, each place once: at most
    /// so many.
    pub fn started_at(&self, rank: WorldRank, asked: &[u32], most: usize) -> Vec<Made> {
        each_once(self.pending(rank, asked).map(Made::of), most)
    }

    /// The collective operation that a rank waits for, and where it was started.
    pub fn awaited_collective(&self, rank: WorldRank) -> Option<(&Collective, Origin)> {
        self.state.ranks[rank.index()].awaited().into_iter().find_map(|request| match &request.body {
            Body::Collective(collective) => Some((&**collective, request.origin())),
            _ => None,
        })
    }

    /// The requests that a rank waits for, or asks about by their slots, and that are not over.
    fn pending<'a>(&'a self, rank: WorldRank, asked: &'a [u32]) -> impl Iterator<Item = &'a Request> {
        let state = &self.state.ranks[rank.index()];
        let asked = asked.iter().filter_map(|&slot| state.requests.at_slot(slot));
        state.awaited().into_iter().chain(asked.filter(|request| request.phase == Phase::Active))
    }

    /// Where the operations were started that a rank has not completed, each place once: at most so many.
    pub fn unfinished_of(&self, rank: WorldRank, most: usize) -> Vec<Made> {
        let is_open = |request: &&Request| {
            let in_call = request.watched.as_ref().is_some_and(|watched| watched.in_call);
            request.phase != Phase::Inactive && !request.freed && request.part_of.is_none() && !in_call
        };
        let open = self.state.ranks[rank.index()].requests.iter().map(|(_, request)| request).filter(is_open);
        each_once(open.map(Made::of), most)
    }

    /// Whose message a posted receive waits for, where it names its source.
    fn sender_of(&self, receive: &Communication) -> Option<WorldRank> {
        let request = self.request_of(receive.to, receive.recv_token)?;
        match &request.body {
            Body::Recv(recv) => recv.from,
            Body::SendRecv(both) => both.recv.from,
            _ => None,
        }
    }

    fn request_of(&self, rank: WorldRank, token: u64) -> Option<&Request> {
        let slot = (token != NOBODY).then(|| Owner::of(token).slot)?;
        self.state.ranks[rank.index()].requests.at_slot(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_in_one_thing_is_near_and_in_two_is_not() {
        let of = |context, source, tag| Pattern { context, source, tag };
        let (wanted, from) = (of(8, Some(1), Some(7)), Some(WorldRank(1)));
        let how = |other: Pattern, sender| differs(&wanted, from, &other, Some(WorldRank(sender)));
        assert_eq!(how(of(8, Some(1), Some(8)), 1), Some(Differs::Tag));
        assert_eq!(how(of(8, Some(2), Some(7)), 2), Some(Differs::Source));
        assert_eq!(how(of(16, Some(0), Some(7)), 1), Some(Differs::Communicator));
        assert_eq!([how(of(8, Some(2), Some(8)), 2), how(of(16, Some(0), Some(8)), 1)], [None, None]);
        assert_eq!(how(of(16, Some(0), Some(7)), 2), None);
        assert_eq!(how(of(8, Some(1), Some(7)), 1), None, "that would match");
    }
}
