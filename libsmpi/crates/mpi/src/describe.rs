//! What blocked ranks wait for, in words, for the report of a deadlock.

use smpi_base::WorldRank;
use smpi_mailbox::Pattern;

use crate::request::{Body, Phase, Recv, Request, Send};
use crate::world::World;

/// Requests that are described one by one.
const MAX_REQUESTS: usize = 4;

impl World {
    /// The unfinished requests that `rank` waits for.
    pub fn describe_wait(&self, rank: WorldRank) -> String {
        let open: Vec<&Request> = self.ranks[rank.index()]
            .requests
            .iter()
            .map(|(_, request)| request)
            .filter(|request| request.waited && request.phase == Phase::Active)
            .collect();
        let mut words: Vec<String> = open.iter().take(MAX_REQUESTS).map(|request| self.describe(request)).collect();
        if open.len() > MAX_REQUESTS {
            words.push(format!("{} more", open.len() - MAX_REQUESTS));
        }
        words.join(", ")
    }

    /// The message that a blocking probe of `rank` looks for.
    pub fn describe_probe(&self, rank: WorldRank) -> String {
        match &self.ranks[rank.index()].probing {
            Some((pattern, _)) => format!("a message {}", pattern_words(pattern)),
            None => "a message".to_string(),
        }
    }

    fn describe(&self, request: &Request) -> String {
        match &request.body {
            Body::Send(send) => send_words(send),
            Body::Recv(recv) => recv_words(recv),
            Body::MatchedRecv(..) => "the rest of a message that a probe took".to_string(),
            Body::SendRecv(both) => format!("{} and {}", send_words(&both.send), recv_words(&both.recv)),
            Body::Collective(collective) => {
                format!("the other ranks of {} (collective {} of its communicator)", collective.name, collective.tag)
            }
            Body::Flush(_) => "its buffered messages to be received".to_string(),
            Body::Generalized(_) => "a generalized request".to_string(),
        }
    }
}

fn send_words(send: &Send) -> String {
    format!("rank {} to receive {} bytes with tag {}", send.dest, send.part.size(), send.tag)
}

fn recv_words(recv: &Recv) -> String {
    format!("a message {}", pattern_words(&recv.pattern()))
}

fn pattern_words(pattern: &Pattern) -> String {
    let source = pattern.source.map_or("any rank".to_string(), |rank| format!("rank {rank}"));
    let tag = pattern.tag.map_or("any tag".to_string(), |tag| format!("tag {tag}"));
    format!("from {source} with {tag}")
}
