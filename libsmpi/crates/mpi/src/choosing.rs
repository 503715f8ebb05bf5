//! What the checker keeps beside the world: receives that wait for a choice, questions of blocked ranks, and causality.
//!
//! Under the checker a receive from `MPI_ANY_SOURCE` is *held* ([`Held`]): it is not given to the mailbox before
//! somebody chooses its sender. Everything else matches by itself, since it has one possible partner.
//!
//! A rank learns a message's history when it takes the completion of its request, not when the message matches: until
//! then nothing that it does depends on it ([`History`] has the table).

use smpi_base::WorldRank;
use smpi_checker::held::Held;
use smpi_checker::history::History;
use smpi_checker::late::Late;
use smpi_checker::{ChoiceId, ChoiceKind};
use smpi_mailbox::{Envelope, Pattern};

use crate::cancel::{Anticipated, Cancels};
use crate::polls::Polls;
use crate::reluctant::{Reluctant, is_reluctant};
use crate::request::{Body, Recv, Request, Status};
use crate::unseen::Unseen;

/// What a rank is blocked in that needs a choice.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked {
    /// A blocking probe; `take` for matched probes. With a named source it has at most one candidate, but older
    /// receives that are held may keep that from it.
    Probe {
        /// What is looked for.
        pattern: Pattern,
        /// Whether the message is taken out of matching.
        take: bool,
    },
    /// A probe without waiting.
    Iprobe {
        /// What is looked for.
        pattern: Pattern,
        /// Whether the message is taken out of matching.
        take: bool,
        /// Failed polls before this one.
        polls: Polls,
    },
    /// Waitany or Waitsome over the requests in these slots.
    WaitAny {
        /// Slots of the active requests, in the order of the array.
        slots: Vec<u32>,
        /// Several may be returned at once.
        some: bool,
        /// For each slot, whether it matters that it is this one; `None`: all do.
        relevant: Option<Box<[bool]>>,
        /// Nobody has looked at the difference so far: see `unseen`.
        alike: bool,
    },
    /// A test of the requests in these slots.
    Test {
        /// Slots of the active requests, in the order of the array.
        slots: Vec<u32>,
        /// All must be over (Testall), else any one.
        all: bool,
        /// Several may be returned at once.
        some: bool,
        /// For each slot, whether it matters that it is this one; `None`: all do.
        relevant: Option<Box<[bool]>>,
        /// Failed polls before this one.
        polls: Polls,
    },
    /// `MC_random`.
    Random {
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
    },
    /// Whether the time has passed that a rank waits for which has polled in vain.
    Time,
}

impl Asked {
    /// The kind of choice that the question is.
    pub fn kind(&self) -> ChoiceKind {
        match self {
            Asked::Probe { .. } => ChoiceKind::Probe,
            Asked::WaitAny { .. } => ChoiceKind::WaitAny,
            Asked::Iprobe { .. } | Asked::Test { .. } => ChoiceKind::Test,
            Asked::Random { .. } => ChoiceKind::Random,
            Asked::Time => ChoiceKind::Time,
        }
    }
}

/// A question of a rank that is blocked until somebody answers.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub number: u32,
    pub asked: Asked,
}

/// The state of choosing: part of the world, so that snapshots contain it.
#[derive(Debug)]
pub struct Choosing {
    pub(crate) held: Held,
    pub(crate) questions: Vec<Option<Question>>,
    pub(crate) answers: Vec<Option<i64>>,
    /// Choice points that each rank has reached.
    reached: Vec<u32>,
    /// Requests that each rank has started.
    started: Vec<u32>,
    /// Operations of each rank that it may cancel, in the order of their numbers.
    pub(crate) anticipated: Vec<Vec<Anticipated>>,
    /// What each rank knows.
    pub(crate) histories: Vec<History>,
    /// Envelopes of messages that each rank has seen by a probe, and that no receive of its can have taken since.
    seen: Vec<Vec<Envelope>>,
    pub(crate) late: Late,
    /// Ranks that are through.
    pub(crate) ended: Vec<bool>,
    /// Choices made in this execution.
    made: u32,
    pub(crate) unseen: Unseen,
    pub(crate) reluctant: Reluctant,
    /// For each rank, how many operations it has started, questions it has asked and completions it has taken.
    pub(crate) progress: Vec<u32>,
    /// See [`crate::world::World::changes`].
    pub(crate) changes: u32,
}

/// Putting a snapshot back is most of what a short execution costs, so it keeps the allocations.
impl Clone for Choosing {
    fn clone(&self) -> Choosing {
        Choosing {
            held: self.held.clone(),
            questions: self.questions.clone(),
            answers: self.answers.clone(),
            reached: self.reached.clone(),
            started: self.started.clone(),
            anticipated: self.anticipated.clone(),
            histories: self.histories.clone(),
            late: self.late.clone(),
            ended: self.ended.clone(),
            made: self.made,
            unseen: self.unseen.clone(),
            reluctant: self.reluctant.clone(),
            progress: self.progress.clone(),
            changes: self.changes,
            seen: self.seen.clone(),
        }
    }

    fn clone_from(&mut self, other: &Choosing) {
        // All fields are named, so that none is forgotten.
        let Choosing {
            held,
            questions,
            answers,
            reached,
            started,
            anticipated,
            histories,
            late,
            ended,
            made,
            unseen,
            reluctant,
            progress,
            changes,
            seen,
        } = other;
        self.held.clone_from(held);
        self.questions.clone_from(questions);
        self.answers.clone_from(answers);
        self.reached.clone_from(reached);
        self.started.clone_from(started);
        self.anticipated.clone_from(anticipated);
        self.histories.clone_from(histories);
        self.late.clone_from(late);
        self.ended.clone_from(ended);
        self.made = *made;
        self.unseen.clone_from(unseen);
        self.reluctant.clone_from(reluctant);
        self.progress.clone_from(progress);
        self.changes = *changes;
        self.seen.clone_from(seen);
    }
}

/// Number of held receives that are no choices.
pub(crate) const NO_CHOICE: u32 = u32::MAX;

impl Choosing {
    /// The state before the first choice.
    pub fn new(ranks: u32) -> Choosing {
        let count = ranks as usize;
        Choosing {
            held: Held::new(ranks),
            questions: vec![None; count],
            answers: vec![None; count],
            reached: vec![0; count],
            started: vec![0; count],
            anticipated: vec![Vec::new(); count],
            histories: vec![History::EMPTY; count],
            seen: vec![Vec::new(); count],
            late: Late::new(ranks),
            ended: vec![false; count],
            made: 0,
            unseen: Unseen::new(count),
            reluctant: Reluctant::default(),
            progress: vec![0; count],
            changes: 0,
        }
    }

    /// A new choice point of a rank.
    pub(crate) fn reach(&mut self, rank: WorldRank) -> u32 {
        let number = self.reached[rank.index()];
        self.reached[rank.index()] += 1;
        number
    }

    /// Gives the choice that a request of its rank may be its number, when it is started: in program order, which the
    /// order of commits is not (whether a rank blocks between two calls depends on what others have done).
    pub(crate) fn number(&mut self, rank: WorldRank, request: &mut Request, cancels: &Cancels, reluctant: bool) {
        let started = &mut self.started[rank.index()];
        request.start = *started;
        *started += 1;
        self.changes += 1;
        self.progress[rank.index()] += 1;
        let recv = match &request.body {
            Body::Recv(recv) => Some(recv),
            Body::SendRecv(both) => Some(&both.recv),
            _ => None,
        };
        if let Some(pattern) = recv.map(Recv::pattern) {
            self.seen[rank.index()].retain(|envelope| !pattern.matches(envelope));
        }
        let is_choice = recv.is_some_and(|recv| recv.source == Status::EMPTY.source) || cancels.expect(rank, request);
        request.choice = if is_choice { self.reach(rank) } else { NO_CHOICE };
        request.going_on = if reluctant && is_reluctant(&request.body) { self.reach(rank) } else { NO_CHOICE };
    }

    /// Puts a question of a rank that is (or will be) suspended.
    pub(crate) fn ask(&mut self, rank: WorldRank, asked: Asked) {
        let number = self.reach(rank);
        self.progress[rank.index()] += 1;
        self.questions[rank.index()] = Some(Question { number, asked });
    }

    /// A probe has shown its rank a message, or taken it.
    pub(crate) fn note_seen(&mut self, rank: WorldRank, envelope: Envelope, take: bool) {
        let seen = &mut self.seen[rank.index()];
        seen.retain(|other| *other != envelope);
        seen.extend((!take).then_some(envelope));
    }

    /// Whether a rank knows of a message that a probe with this pattern must see.
    pub(crate) fn has_seen(&self, rank: WorldRank, pattern: &Pattern) -> bool {
        self.seen[rank.index()].iter().any(|envelope| pattern.matches(envelope))
    }

    /// The position of the choice that is made now.
    pub(crate) fn next_position(&mut self) -> u32 {
        self.made += 1;
        self.made - 1
    }

    /// Positions of this execution so far.
    pub(crate) fn positions(&self) -> u32 {
        self.made
    }

    /// Everything chosen so far.
    pub(crate) fn everything(&self) -> History {
        History::all(self.made)
    }

    /// Hands over the choices for which something came late.
    pub fn take_late(&mut self, into: &mut Vec<ChoiceId>) {
        self.late.drain(into);
    }
}
