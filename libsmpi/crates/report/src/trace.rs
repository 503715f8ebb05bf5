//! The way to a finding: what every rank did, in the order in which it was explored.
//!
//! It is the input of the sequence chart. Events come as data from whoever recorded them; nothing is checked here but
//! that ranks exist.

use crate::location::Location;
use smpi_base::words::counted;

/// What happened at one event.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// A call that concerns its own rank only: `MPI_Init`, `MPI_Comm_dup` seen from one rank, a wait that returned.
    Local,
    /// A message was posted.
    Send {
        /// Its number; unique in the trace.
        message: u64,
        /// Its destination.
        to: u32,
    },
    /// A receive or probe was posted.
    Receive {
        /// The source asked for; `None` for any.
        from: Option<u32>,
    },
    /// The event's rank got a message.
    Match {
        /// The message's number.
        message: u64,
        /// Its sender.
        from: u32,
        /// Numbers of all messages that could have been taken here, this one included; at most one when there was no
        /// choice.
        candidates: Vec<u64>,
    },
    /// A collective operation took place; the event's rank is one of the members.
    Collective {
        /// All ranks that took part, ascending.
        members: Vec<u32>,
    },
    /// Something was chosen other than a message: an index, a yes or no, a random number, an order.
    Choice {
        /// What, with its verb.
        outcome: String,
        /// All that could have been chosen.
        candidates: Vec<String>,
    },
    /// What others see of the rank changes: a proposition of its becomes true or false.
    Show {
        /// Which, as `name = 1`.
        changed: String,
    },
    /// The call waits, and nothing ends that wait unless a later event of the rank says so.
    Wait {
        /// The ranks that could end it; empty when that is not known.
        on: Vec<u32>,
        /// What it waits for, in words.
        detail: String,
    },
    /// The rank failed here.
    Fail {
        /// How, in words.
        detail: String,
    },
    /// The rank ended by itself.
    Exit {
        /// Its exit code.
        code: i32,
    },
}

/// One event of a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceEvent {
    /// Rank, call and source line.
    pub place: Location,
    /// The call's arguments in words; may be empty.
    pub arguments: String,
    /// What happened.
    pub kind: EventKind,
}

impl TraceEvent {
    /// An event at a place; arguments can be set after.
    pub fn new(place: Location, kind: EventKind) -> TraceEvent {
        TraceEvent { place, arguments: String::new(), kind }
    }

    /// What happened, in words, without rank and source line.
    pub fn words(&self) -> String {
        let call = match self.arguments.as_str() {
            "" => self.place.call.clone(),
            arguments => format!("{}({arguments})", self.place.call),
        };
        let happened = match &self.kind {
            EventKind::Local => String::new(),
            EventKind::Send { to, .. } => format!("sends to rank {to}"),
            EventKind::Receive { from: Some(from) } => format!("asks for a message of rank {from}"),
            EventKind::Receive { from: None } => "asks for a message of any rank".into(),
            EventKind::Match { from, candidates, .. } if candidates.len() > 1 => {
                format!("takes the message of rank {from}, one of {} candidates", candidates.len())
            }
            EventKind::Match { from, .. } => format!("takes the message of rank {from}"),
            EventKind::Collective { members } => format!("takes place on {}", counted(members.len() as u64, "rank")),
            EventKind::Choice { outcome, candidates } if candidates.is_empty() => outcome.clone(),
            EventKind::Choice { outcome, candidates } => format!("{outcome} (candidates: {})", candidates.join(", ")),
            EventKind::Show { changed } => format!("shows {changed}"),
            EventKind::Wait { detail, .. } if detail.is_empty() => "waits".into(),
            EventKind::Wait { detail, .. } => format!("waits for {detail}"),
            EventKind::Fail { detail } => detail.clone(),
            EventKind::Exit { code } => format!("ends with code {code}"),
        };
        [call, happened].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// The ranks that take part in it, where these are several.
    pub fn members(&self) -> &[u32] {
        match &self.kind {
            EventKind::Collective { members } => members,
            _ => &[],
        }
    }

    /// True when something else could have happened here.
    pub fn is_choice(&self) -> bool {
        match &self.kind {
            EventKind::Choice { .. } => true,
            EventKind::Match { candidates, .. } => candidates.len() > 1,
            _ => false,
        }
    }
}

/// A run, or its end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// Number of ranks; events with other ranks are not drawn.
    pub ranks: u32,
    /// The events in the order of the schedule.
    pub events: Vec<TraceEvent>,
    /// Index of the first event of those that come again and again, up to the last one.
    pub round: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_read_as_sentences() {
        let mut event = TraceEvent::new(
            Location::new(0, "MPI_Recv"),
            EventKind::Match { message: 7, from: 2, candidates: vec![6, 7] },
        );
        event.arguments = "MPI_ANY_SOURCE".into();
        assert_eq!(event.words(), "MPI_Recv(MPI_ANY_SOURCE) takes the message of rank 2, one of 2 candidates");
        assert!(event.is_choice());
        let end = TraceEvent::new(Location::new(0, ""), EventKind::Exit { code: 3 });
        assert_eq!(end.words(), "ends with code 3");
    }
}
