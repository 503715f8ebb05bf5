//! The question of a blocked rank whose next step depends on a choice.

use std::rc::Rc;

use smpi_checker::ChoiceKind;
use smpi_mailbox::Pattern;
use smpi_mpi::world::HowMany;

use super::polls::{Echo, Polls};

/// What a rank is blocked in that needs a choice.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Question {
    /// A blocking probe; `take` for matched probes. With a named source it has at most one candidate, but older
    /// receives that are held may keep that from it.
    Probe { pattern: Pattern, take: bool },
    /// A probe without waiting. Unheard: nobody has looked at its answer if it is "not yet".
    Iprobe { pattern: Pattern, take: bool, polls: Polls, unheard: bool },
    /// Waitany or Waitsome.
    WaitAny { requests: Requests, alike: bool },
    /// A test; `take` unless it leaves the requests as they are. Unheard as for a probe.
    Test { requests: Requests, take: bool, polls: Polls, unheard: bool },
    /// `MC_random`: the smallest and the largest value.
    Random { min: i64, max: i64 },
    /// Whether the time has passed that a rank waits for which has polled in vain.
    Time,
    /// When others see what has changed in the rank: it goes on as soon as they do.
    Visible,
}

/// The requests that a question is about.
#[derive(Clone, Hash, Debug, PartialEq)]
pub(crate) struct Requests {
    /// Slots of the active ones, in the order of the program's array.
    pub slots: Vec<u32>,
    pub how_many: HowMany,
    /// For each slot, whether it matters that it is this one; `None`: all do.
    pub relevant: Option<Box<[bool]>>,
}

impl Requests {
    /// Whether it matters that it is the request at this position.
    pub fn matters(&self, position: usize) -> bool {
        self.relevant.as_ref().is_none_or(|relevant| relevant.get(position).copied().unwrap_or(true))
    }
}

impl Question {
    /// The kind of choice that the question is.
    pub fn kind(&self) -> ChoiceKind {
        match self {
            Question::Probe { .. } => ChoiceKind::Probe,
            Question::WaitAny { .. } => ChoiceKind::WaitAny,
            Question::Iprobe { .. } | Question::Test { .. } => ChoiceKind::Test,
            Question::Random { .. } => ChoiceKind::Random,
            Question::Time => ChoiceKind::Time,
            Question::Visible => ChoiceKind::Visible,
        }
    }

    /// The requests that it is about.
    pub fn requests(&self) -> Option<&Requests> {
        match self {
            Question::WaitAny { requests, .. } | Question::Test { requests, .. } => Some(requests),
            _ => None,
        }
    }

    /// What a probe looks for.
    pub fn pattern(&self) -> Option<&Pattern> {
        match self {
            Question::Probe { pattern, .. } | Question::Iprobe { pattern, .. } => Some(pattern),
            _ => None,
        }
    }

    /// The failed polls before this one, if it is a poll.
    pub fn polls(&self) -> Option<Polls> {
        match self {
            Question::Iprobe { polls, .. } | Question::Test { polls, .. } => Some(*polls),
            _ => None,
        }
    }

    /// Whether "not yet" can stand for all answers of it, as long as nobody looks at that.
    pub fn may_be_unheard(&self) -> bool {
        matches!(self, Question::Iprobe { unheard: true, .. } | Question::Test { unheard: true, .. })
    }

    /// Whether it is a poll of memory: of no request.
    pub fn is_about_memory(&self) -> bool {
        matches!(self, Question::Test { requests, .. } if requests.slots.is_empty())
    }

    /// Whether it polls for the same as another one.
    pub fn asks_the_same(&self, other: &Question) -> bool {
        match (self, other) {
            (Question::Iprobe { pattern, take, .. }, Question::Iprobe { pattern: of_other, take: takes, .. }) => {
                (pattern, take) == (of_other, takes)
            }
            (Question::Test { requests, take, .. }, Question::Test { requests: of_other, take: takes, .. }) => {
                (requests, take) == (of_other, takes)
            }
            _ => false,
        }
    }

    /// Whether it is a poll that has found nothing before.
    pub fn is_repeated(&self) -> bool {
        self.polls().is_some_and(|polls| polls.in_row > 0)
    }
}

/// A question of a rank that is blocked until somebody answers.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    /// The number of the choice that it is.
    pub number: u32,
    pub question: Question,
    /// What is known of its rank if it is a poll that is repeated.
    pub retry: Option<Retry>,
    /// What its rank does next if it is a poll that finds nothing.
    pub ahead: Ahead,
    /// Echoes further on: to find there what can be found now is the same as to find it at the place that they echo.
    pub same: Vec<u128>,
}

/// What a rank does that is told "not yet".
#[derive(Clone, Default, Debug)]
pub(crate) enum Ahead {
    /// Nobody has looked.
    #[default]
    Unknown,
    /// It may do anything.
    Anything,
    /// Nothing else than to poll, for as long as it finds nothing.
    Polls(Rc<Round>),
}

/// Where a rank comes, one place after the other, that finds nothing however often it polls, and does nothing else that
/// others could see: until it is where it was.
#[derive(Debug, Default)]
pub struct Round {
    pub(crate) places: Vec<Place>,
    /// Those of these places that echo the one where it begins.
    pub(crate) echoes: Rc<[Echo]>,
}

impl Round {
    /// The name of the rank at a place.
    pub fn name(&self, place: usize) -> u128 {
        self.places[place].name
    }

    /// These places echo the one where it begins.
    pub fn set_echoes(&mut self, echoes: Vec<Echo>) {
        self.echoes = echoes.into();
    }
}

/// A place of a round.
#[derive(Debug)]
pub(crate) struct Place {
    /// The name of the rank there.
    pub name: u128,
    /// What it polls for there.
    pub question: Question,
}

/// Where a rank is that polls again in vain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Retry {
    /// Where it has been told "not yet" before: once more changes nothing.
    Known,
    /// Somewhere else, and there are only so many such places. So the poll may find nothing, like a first one.
    New,
    /// Nobody knows whether it comes to an end with that.
    Open,
}

/// Polls after which a rank is certain to go round for ever that has come back each time to where it had been, while
/// nothing has changed.
const ROUNDS_IN_VAIN: u32 = 2;

impl Pending {
    /// How often it may find nothing while nothing happens, where `most` is how often that may be of any poll;
    /// `u32::MAX` is no bound. `is_void`: what goes on like this is no execution.
    pub fn most_futile(&self, most: u32, is_void: impl FnOnce() -> bool) -> u32 {
        let comes_back = self.retry == Some(Retry::Known) || self.round().is_some();
        if comes_back && most != u32::MAX && (self.question.is_about_memory() || is_void()) {
            most.min(ROUNDS_IN_VAIN)
        } else {
            most
        }
    }

    /// Where its rank comes that finds nothing, if it does nothing else.
    pub fn round(&self) -> Option<&Round> {
        match &self.ahead {
            Ahead::Polls(round) => Some(round),
            Ahead::Unknown | Ahead::Anything => None,
        }
    }

    /// Whether it is a poll that finds nothing only where nothing else can happen.
    pub fn is_forced(&self) -> bool {
        self.question.is_repeated() && self.retry != Some(Retry::New)
    }
}
