//! What nearly matches an operation that a rank waits for: a message with another tag, say. For reports of those who
//! wait for ever; the matching rules are in MPI 5.0 §3.2.4 and §3.5.

use smpi_base::WorldRank;
use smpi_mailbox::{Communication, Context, Pattern, State};

use super::{NOBODY, World};
use crate::comm::TrafficKind;
use crate::p2p::request::{Body, Owner, Recv, Request, Send};
use crate::usage::Origin;

/// Something that nearly matches.
#[derive(Clone, PartialEq, Debug)]
pub struct Near {
    /// What it is, in words: `rank 1 has sent it one with tag 8`.
    pub words: String,
    /// Whose it is.
    pub rank: WorldRank,
    /// Where in its program, if that is remembered.
    pub origin: Origin,
}

/// In what it differs, the nearest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Differs {
    Tag,
    Source,
    Communicator,
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

fn is_of_program(context: Context) -> bool {
    TrafficKind::base_of_programs(context).is_some()
}

impl World {
    /// What nearly matches an operation that a rank waits for: the oldest of the nearest.
    pub fn near_miss(&self, rank: WorldRank) -> Option<Near> {
        let awaited = self.state.ranks[rank.index()].awaited();
        awaited.into_iter().find_map(|request| match &request.body {
            Body::Recv(recv) => self.near_receive(rank, recv),
            Body::Send(send) => self.near_send(rank, send),
            Body::SendRecv(both) => self.near_receive(rank, &both.recv).or_else(|| self.near_send(rank, &both.send)),
            _ => None,
        })
    }

    fn near_receive(&self, rank: WorldRank, recv: &Recv) -> Option<Near> {
        let pattern = recv.pattern();
        let sends = self.state.boxes.waiting_sends(rank).filter(|(_, send)| is_of_program(send.envelope.context));
        let near = sends.filter(|(_, send)| send.state == State::SendPosted).filter_map(|(comm, send)| {
            Some((differs(&pattern, recv.from, &Pattern::from(send.envelope), Some(send.from))?, comm, send))
        });
        let (how, comm, send) = near.min_by_key(|one| one.0)?;
        let (from, tag) = (send.from, send.envelope.tag);
        let words = match how {
            Differs::Tag | Differs::Source => format!("rank {from} has sent it one with tag {tag}"),
            Differs::Communicator => {
                format!("rank {from} has sent it one with tag {tag} on another communicator")
            }
        };
        Some(Near { words, rank: from, origin: self.made_at(self.request_of(from, send.send_token), comm) })
    }

    fn near_send(&self, rank: WorldRank, send: &Send) -> Option<Near> {
        let to = send.to?;
        let own = self.state.boxes.waiting_sends(to).find(|(_, one)| {
            let envelope = one.envelope;
            (one.from, envelope.context, envelope.tag) == (rank, send.context, send.tag)
        });
        let pattern = Pattern::from(own?.1.envelope);
        let receives =
            self.state.boxes.posted_receives(to).filter(|(_, receive)| is_of_program(receive.envelope.context));
        let near = receives.filter_map(|(comm, receive)| {
            Some((differs(&pattern, Some(rank), &receive.pattern(), self.sender_of(receive))?, comm, receive))
        });
        let (how, comm, receive) = near.min_by_key(|one| one.0)?;
        let accepted = receive.pattern();
        let tag = accepted.tag.map_or("any tag".to_string(), |tag| format!("tag {tag}"));
        let from = self.sender_of(receive).map_or("any rank".to_string(), |from| format!("rank {from}"));
        let words = match how {
            Differs::Tag | Differs::Source => format!("rank {to} has posted a receive from {from} with {tag}"),
            Differs::Communicator => {
                format!("rank {to} has posted a receive from {from} with {tag} on another communicator")
            }
        };
        Some(Near { words, rank: to, origin: self.made_at(self.request_of(to, receive.recv_token), comm) })
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
