//! What blocked ranks wait for, in words, for the report of a deadlock.

use smpi_abi::{Callee, Function};
use smpi_base::WorldRank;
use smpi_checker::{ChoiceId, ChoiceKind};
use smpi_mailbox::{Context, Pattern};

use crate::choosing::Asked;
use crate::comm::Traffic;
use crate::notes::Origin;
use crate::op::Op;
use crate::request::{Body, Owner, Phase, Recv, Request, Send};
use crate::world::World;

/// Requests that are described one by one.
const MAX_REQUESTS: usize = 4;

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
    /// As the kind of the choice says.
    Other,
}

impl World {
    /// The unfinished requests that `rank` waits for.
    pub fn describe_wait(&self, rank: WorldRank) -> String {
        let open: Vec<&Request> = self.ranks[rank.index()]
            .requests
            .iter()
            .map(|(_, request)| request)
            .filter(|request| is_open(request))
            .collect();
        let mut words: Vec<String> = open.iter().take(MAX_REQUESTS).map(|request| self.describe(request)).collect();
        if open.len() > MAX_REQUESTS {
            words.push(format!("{} more", open.len() - MAX_REQUESTS));
        }
        words.join(", ")
    }

    /// The arguments of the call that a rank is blocked in, and the context of its communicator for messages, as far as
    /// its requests and questions tell them. `call` is the function.
    pub fn describe_call(&self, rank: WorldRank, call: Callee) -> (String, Option<Context>) {
        let function = call.function();
        let (ours, question) = (
            &self.ranks[rank.index()],
            self.choosing.as_ref().and_then(|choosing| choosing.questions[rank.index()].as_ref()),
        );
        let asked = question.map(|question| &question.asked);
        if let Some(Asked::Probe { pattern, .. } | Asked::Iprobe { pattern, .. }) = asked {
            return (pattern_arguments(pattern), Some(pattern.context));
        }
        if let (Some((pattern, _)), true) = (&ours.probing, function.is_some_and(Function::is_probe)) {
            return (pattern_arguments(pattern), Some(pattern.context));
        }
        let open: Vec<&Request> = match asked {
            Some(Asked::WaitAny { slots, .. } | Asked::Test { slots, .. }) => {
                slots.iter().filter_map(|&slot| ours.requests.at_slot(slot)).collect()
            }
            _ => ours.requests.iter().map(|(_, request)| request).filter(|request| is_open(request)).collect(),
        };
        let completes = function.is_some_and(Function::is_completion);
        match &open[..] {
            [only] if completes => {
                let (words, context) = request_arguments(only);
                let made = only.origin().call;
                (if made.is_unknown() { words } else { format!("{made}({words})") }, context)
            }
            several if completes => (format!("{} requests", several.len()), None),
            several => {
                let each: Vec<(String, Option<Context>)> = several.iter().map(|one| request_arguments(one)).collect();
                let words: Vec<&str> =
                    each.iter().map(|one| one.0.as_str()).filter(|words| !words.is_empty()).collect();
                (words.join(", "), each.first().and_then(|one| one.1))
            }
        }
    }

    /// The message that a blocking probe of `rank` looks for.
    pub fn describe_probe(&self, rank: WorldRank) -> String {
        match &self.ranks[rank.index()].probing {
            Some((pattern, _)) => format!("a message {}", pattern_words(pattern)),
            None => "a message".to_string(),
        }
    }

    /// The question that a rank is blocked in.
    pub fn describe_question(&self, rank: WorldRank) -> String {
        let question = self.choosing.as_ref().and_then(|choosing| choosing.questions[rank.index()].as_ref());
        match question.map(|question| &question.asked) {
            Some(Asked::Probe { pattern, .. } | Asked::Iprobe { pattern, .. }) => {
                format!("a message {}", pattern_words(pattern))
            }
            Some(Asked::WaitAny { slots, .. } | Asked::Test { slots, .. }) => {
                let requests = &self.ranks[rank.index()].requests;
                let words = slots.iter().filter_map(|&slot| requests.at_slot(slot));
                let words: Vec<String> = words.take(MAX_REQUESTS).map(|request| self.describe(request)).collect();
                format!("one of: {}", words.join(", "))
            }
            _ => "an answer".to_string(),
        }
    }

    /// An open choice.
    pub fn describe_choice(&self, rank: WorldRank, number: u32) -> Option<Described> {
        let described = |kind, arguments, origin| Described { kind, answer: Answer::Other, arguments, origin };
        let choosing = self.choosing.as_ref()?;
        if let Some(question) = choosing.questions[rank.index()].as_ref().filter(|question| question.number == number) {
            let (answer, words) = match &question.asked {
                Asked::Probe { pattern, .. } | Asked::Iprobe { pattern, .. } => {
                    (Answer::Message, argument_words(pattern))
                }
                Asked::WaitAny { some: true, .. } | Asked::Test { some: true, .. } => (Answer::Several, String::new()),
                Asked::Test { all: true, .. } => (Answer::All, String::new()),
                Asked::WaitAny { .. } | Asked::Test { .. } => (Answer::One, String::new()),
                Asked::Random { min, max } => (Answer::Other, format!("{min}, {max}")),
                Asked::Time => (Answer::Other, String::new()),
            };
            return Some(Described { answer, ..described(question.asked.kind(), words, Origin::default()) });
        }
        if let Some((words, request)) = self.describe_delivery(rank, number) {
            return Some(described(ChoiceKind::Delivery, words, request.origin()));
        }
        if let Some((slot, kind)) = self.reluctant_slot(ChoiceId { rank, number }) {
            let request = self.ranks[rank.index()].requests.at_slot(slot)?;
            let words = match &request.body {
                Body::SendRecv(both) => send_arguments(&both.send),
                _ => request_arguments(request).0,
            };
            return Some(described(kind, words, request.origin()));
        }
        let held = choosing.held.at(rank).iter().find(|held| held.number == number && held.is_choice())?;
        let request = self.ranks[rank.index()].requests.at_slot(Owner::of(held.token).slot)?;
        Some(described(ChoiceKind::Receive, argument_words(&held.pattern), request.origin()))
    }

    /// Ranks of which each waits for the next, and the last for the first; as far as they wait for one rank each.
    pub fn wait_cycle(&self) -> Option<Vec<u32>> {
        let next: Vec<Option<u32>> = (0..self.ranks.len()).map(|rank| self.waits_for(rank)).collect();
        for start in 0..next.len() as u32 {
            let mut path = vec![start];
            while let Some(rank) = next[path[path.len() - 1] as usize] {
                if let Some(place) = path.iter().position(|&seen| seen == rank) {
                    return Some(path.split_off(place));
                }
                path.push(rank);
            }
        }
        None
    }

    /// The one rank that must do something before this one can go on.
    fn waits_for(&self, rank: usize) -> Option<u32> {
        let mut open = self.ranks[rank].requests.iter().filter(|(_, r)| r.waited && r.phase == Phase::Active);
        match &open.next()?.1.body {
            Body::Send(send) => send.to.map(|to| to.0),
            Body::Recv(recv) => recv.from.map(|from| from.0),
            _ => None,
        }
    }

    fn describe(&self, request: &Request) -> String {
        match &request.body {
            Body::Send(send) => send_words(send),
            Body::Recv(recv) => recv_words(recv),
            Body::MatchedRecv(..) => "the rest of a message that a probe took".to_string(),
            Body::SendRecv(both) => format!("{} and {}", send_words(&both.send), recv_words(&both.recv)),
            Body::Collective(collective) => {
                format!(
                    "the other ranks of {} (collective {} of its communicator)",
                    collective.call.name, collective.tag
                )
            }
            Body::Flush(_) => "its buffered messages to be received".to_string(),
            Body::Generalized(_) => "a generalized request".to_string(),
        }
    }
}

fn is_open(request: &Request) -> bool {
    request.waited && request.phase == Phase::Active
}

/// The arguments of the call that made a request, and the context of its communicator for messages.
fn request_arguments(request: &Request) -> (String, Option<Context>) {
    match &request.body {
        Body::Send(send) => (send_arguments(send), Some(send.context)),
        Body::Recv(recv) => (pattern_arguments(&recv.pattern()), Some(recv.context)),
        Body::SendRecv(both) => {
            let words = format!("{}, {}", send_arguments(&both.send), pattern_arguments(&both.recv.pattern()));
            (words, Some(both.send.context))
        }
        Body::Collective(collective) => {
            let call = &collective.call;
            let op = match call.op {
                Some(Op::Predefined(op)) => Some(format!("op={}", op.name())),
                Some(Op::User(_)) => Some("op=(the program's)".to_string()),
                None => None,
            };
            let root = call.agreed.root.map(|root| format!("root={root}"));
            let words: Vec<String> = op.into_iter().chain(root).collect();
            (words.join(", "), Some(collective.comm.context_of(Traffic::PointToPoint)))
        }
        Body::MatchedRecv(..) | Body::Flush(_) | Body::Generalized(_) => (String::new(), None),
    }
}

fn send_arguments(send: &Send) -> String {
    format!("dest={}, tag={}", send.dest, send.tag)
}

fn pattern_arguments(pattern: &Pattern) -> String {
    let or_any = |value: Option<String>| value.unwrap_or_else(|| "ANY".to_string());
    let (source, tag) = (pattern.source.map(|rank| rank.to_string()), pattern.tag.map(|tag| tag.to_string()));
    format!("source={}, tag={}", or_any(source), or_any(tag))
}

fn send_words(send: &Send) -> String {
    format!("rank {} to receive {} bytes with tag {}", send.dest, send.part.size(), send.tag)
}

fn recv_words(recv: &Recv) -> String {
    format!("a message {}", pattern_words(&recv.pattern()))
}

fn argument_words(pattern: &Pattern) -> String {
    let source = pattern.source.map_or("MPI_ANY_SOURCE".to_string(), |rank| format!("source {rank}"));
    let tag = pattern.tag.map_or("MPI_ANY_TAG".to_string(), |tag| format!("tag {tag}"));
    format!("{source}, {tag}")
}

fn pattern_words(pattern: &Pattern) -> String {
    let source = pattern.source.map_or("any rank".to_string(), |rank| format!("rank {rank}"));
    let tag = pattern.tag.map_or("any tag".to_string(), |tag| format!("tag {tag}"));
    format!("from {source} with {tag}")
}
