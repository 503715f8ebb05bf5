//! What happens in an execution, event by event: calls of ranks, what is chosen, which messages are taken, collective
//! operations that take place, and how ranks end. Each event has the moment at which it has happened, and what belongs
//! to it: the call that has posted an operation, and the call that is told that it is over.

use smpi_base::WorldRank;
use smpi_base::map::Map;
use smpi_base::words::counted;
use smpi_checker::{Choices, Event, Settled, System};
use smpi_mpi::usage::{Origin, Step, Steps, Taped};
use smpi_report::finding::ChoiceLine;
use smpi_runtime::with;
use smpi_watch::checks::location_of;

use crate::limits::interrupt;
use crate::program::Program;
use crate::schedule::in_words::told;
use crate::stepping::walk::{Moment, Walk};

/// Choices that are made beyond those of a schedule at most, as they come.
const MOST_MORE: usize = 10_000;

/// What has happened.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// A rank calls a function of MPI.
    Call,
    /// Something was chosen, and a message was taken by that.
    Choice { line: Box<ChoiceLine>, message: Option<u64> },
    /// A receive has taken a message.
    Match { message: u64, origin: Origin },
    /// A collective operation has taken place.
    Collective { name: &'static str, members: Vec<(WorldRank, Origin)> },
    /// The rank has ended.
    End { code: i32 },
    /// The rank has failed, or has made something that is an error.
    Fail { text: String },
}

/// An event.
#[derive(Clone, Debug)]
pub(super) struct Happened {
    pub what: What,
    /// Whose it is; of a collective operation, the first rank that takes part.
    pub rank: WorldRank,
    /// When it has happened.
    pub moment: Moment,
    /// The call that it is, or that has posted the operation.
    pub call: Option<usize>,
}

/// A message.
#[derive(Clone, Copy, Debug)]
struct Message {
    from: WorldRank,
    to: WorldRank,
    bytes: u64,
    tag: i32,
    origin: Origin,
    call: Option<usize>,
}

/// All events of an execution.
#[derive(Default)]
pub(super) struct Journal {
    pub events: Vec<Happened>,
    calls: Vec<Step>,
    messages: Vec<Message>,
    /// The event that is a call, by its number.
    event_of_call: Vec<usize>,
    /// Calls that have posted operations, and those that have told their ranks that these are over.
    taken: Vec<(usize, usize)>,
}

/// What came from one tick to the next.
struct Came {
    /// The tick before.
    tick: usize,
    /// Entries of the tape, and calls, up to the next one.
    taped: usize,
    calls: usize,
    choice: Option<(Event, ChoiceLine)>,
    ended: Vec<(WorldRank, i32)>,
    failed: Vec<(WorldRank, String)>,
}

/// Goes through an execution once. With `goes_on`, choices are made beyond those of its path until it ends, as an
/// exploration would make them first. How it is at rest at last.
pub(super) fn record(program: &mut Program, path: Vec<Event>, goes_on: bool) -> (Walk, Journal, Settled) {
    let mut walk = Walk::begin(program, path);
    let (mut came, mut choices) = (Vec::new(), Choices::new());
    let most = walk.path.len() + MOST_MORE;
    let mut over = standing();
    let mut failures = 0;
    loop {
        let last = walk.ticks[walk.last()];
        let mut choice = None;
        if let Some(settled) = last.settled {
            choices.clear();
            program.choices(&mut choices);
            let wants_more = goes_on && last.choices == walk.path.len() && walk.path.len() < most;
            if wants_more && !settled.is_end() && settled != Settled::Reluctant {
                walk.path.extend(choices.default_event());
            }
            let event = walk.path.get(last.choices).copied();
            choice = event.map(|event| (event, told(program, event, &choices).line));
        }
        let tick = walk.last();
        if interrupt::wanted() || !walk.meet_next(program) {
            break;
        }
        let (taped, calls) =
            with(|runtime| (runtime.world.taped(), runtime.world.steps().map_or(0, |steps| steps.calls.len())));
        let before = std::mem::replace(&mut over, standing());
        let ended = over.iter().zip(before.iter().chain(std::iter::repeat(&None))).zip((0..).map(WorldRank));
        let ended = ended.filter_map(|((now, before), rank)| now.filter(|_| before.is_none()).map(|code| (rank, code)));
        let ended = ended.collect();
        let failed = new_failures(&mut failures);
        came.push(Came { tick, taped, calls, choice, ended, failed });
    }
    let settled = walk.ticks[walk.last()].settled.unwrap_or(Settled::Bounded);
    let (tape, steps) = with(|runtime| runtime.world.take_steps());
    (walk, Journal::of(&tape, steps, came), settled)
}

/// The exit codes of ranks that are over.
fn standing() -> Vec<Option<i32>> {
    with(|runtime| runtime.ranks.iter().map(|run| run.standing.exit()).collect())
}

/// What went wrong since it was asked last.
fn new_failures(known: &mut usize) -> Vec<(WorldRank, String)> {
    with(|runtime| {
        let all = &runtime.trouble.failures;
        let new = all.iter().skip(*known).map(|failure| {
            let text = failure.finding.as_ref().map_or(&failure.message, |finding| &finding.message);
            (failure.rank, format!("{}: {text}", failure.finding.as_ref().map_or(failure.key, |finding| finding.key)))
        });
        let new = new.collect();
        *known = all.len();
        new
    })
}

impl Journal {
    fn of(tape: &[Taped], steps: Steps, came: Vec<Came>) -> Journal {
        let Steps { calls, posted_by, taken, .. } = steps;
        let posted_by: Map<usize, usize> = posted_by.into_iter().collect();
        let mut journal = Journal { calls, taken, ..Journal::default() };
        let (mut taped, mut called) = (0, 0);
        for came in came {
            journal.add(tape, &posted_by, (taped, called), &came);
            (taped, called) = (came.taped, came.calls);
        }
        journal
    }

    /// Adds what came from one tick to the next, of the tape and of the calls from these on.
    fn add(&mut self, tape: &[Taped], posted_by: &Map<usize, usize>, (taped, called): (usize, usize), came: &Came) {
        let after = Moment { tick: came.tick + 1, call: None };
        let mut chosen = None;
        if let Some((event, line)) = &came.choice {
            let rank = event.choice.rank();
            let is_it = |taped: &&Taped| matches!(taped, Taped::Got { rank: receiver, .. } if *receiver == rank);
            let is_receive = line.outcome.starts_with("took the message");
            let place = (taped..came.taped).find(|&place| is_receive && is_it(&&tape[place]));
            let message = place.and_then(|place| match &tape[place] {
                Taped::Got { message, .. } => Some(*message),
                _ => None,
            });
            chosen = place;
            let call = place.and_then(|place| posted_by.get(&place).copied());
            let what = What::Choice { line: Box::new(line.clone()), message };
            self.events.push(Happened { what, rank, moment: after, call });
        }
        let mut next_call = called;
        for place in taped..=came.taped {
            // Calls come before what was on the tape after them.
            while next_call < came.calls && (self.calls[next_call].taped <= place || place == came.taped) {
                let moment = Moment { tick: came.tick, call: Some(next_call) };
                self.event_of_call.push(self.events.len());
                let rank = self.calls[next_call].rank;
                self.events.push(Happened { what: What::Call, rank, moment, call: Some(next_call) });
                next_call += 1;
            }
            if let Some(entry) = tape.get(place).filter(|_| place < came.taped) {
                let call = posted_by.get(&place).copied();
                self.add_taped(entry, call, after, Some(place) == chosen);
            }
        }
        let ended = came.ended.iter().map(|&(rank, code)| (rank, What::End { code }));
        let failed = came.failed.iter().map(|(rank, text)| (*rank, What::Fail { text: text.clone() }));
        self.events.extend(failed.chain(ended).map(|(rank, what)| Happened { what, rank, moment: after, call: None }));
    }

    fn add_taped(&mut self, taped: &Taped, call: Option<usize>, moment: Moment, is_chosen: bool) {
        match taped {
            &Taped::Sent { from, to, bytes, tag, origin, .. } => {
                self.messages.push(Message { from, to, bytes, tag, origin, call });
            }
            &Taped::Got { message, rank, origin, .. } if !is_chosen => {
                self.events.push(Happened { what: What::Match { message, origin }, rank, moment, call });
            }
            Taped::Got { .. } | Taped::File { .. } => {}
            Taped::Collective { name, members } => {
                let rank = members.first().map_or(WorldRank(0), |member| member.0);
                let what = What::Collective { name: name.name(), members: members.clone() };
                self.events.push(Happened { what, rank, moment, call: None });
            }
        }
    }

    /// The moment after so many events: where a choice is next, the one at which it is made.
    pub fn moment(&self, walk: &Walk, position: usize) -> Moment {
        match self.events.get(position) {
            Some(Happened { what: What::Choice { .. }, moment, .. }) => Moment { tick: moment.tick - 1, call: None },
            None => Moment { tick: walk.last(), call: None },
            Some(_) => match position.checked_sub(1) {
                Some(before) => self.events[before].moment,
                None => Moment { tick: 0, call: None },
            },
        }
    }

    /// Whether an event is one of this rank's.
    pub fn concerns(&self, event: usize, rank: WorldRank) -> bool {
        match &self.events[event] {
            Happened { what: What::Collective { members, .. }, .. } => {
                members.iter().any(|(member, _)| *member == rank)
            }
            happened => happened.rank == rank,
        }
    }

    /// The event by which the operation of this choice was made, by the number of the choice.
    pub fn event_of_choice(&self, number: usize) -> Option<usize> {
        let is_choice = |happened: &Happened| matches!(happened.what, What::Choice { .. });
        self.events.iter().enumerate().filter(|(_, happened)| is_choice(happened)).nth(number).map(|(at, _)| at)
    }

    /// The call that has posted what this event is about: of a call that was told of operations, the first of theirs.
    pub fn posted(&self, event: usize) -> Option<usize> {
        let Happened { what, call, .. } = &self.events[event];
        let call = match what {
            What::Call => {
                let own = (*call)?;
                self.taken.iter().find(|(posted, taken)| *taken == own && *posted != own)?.0
            }
            What::Collective { .. } => return self.call_before(event),
            _ => (*call)?,
        };
        self.event_of_call.get(call).copied()
    }

    /// The last call before an event of the same rank.
    fn call_before(&self, event: usize) -> Option<usize> {
        let rank = self.events[event].rank;
        (0..event).rev().find(|&before| {
            let happened = &self.events[before];
            matches!(happened.what, What::Call) && happened.rank == rank
        })
    }

    /// The call that has sent the message that this event is about.
    pub fn sent(&self, event: usize) -> Option<usize> {
        let message = match &self.events[event].what {
            What::Match { message, .. } => *message,
            What::Choice { message, .. } => (*message)?,
            _ => return None,
        };
        self.event_of_call.get(self.messages.get(message as usize)?.call?).copied()
    }

    /// Where the operation of this event is over: of a call, the event by which it is; of such an event, the call that
    /// tells its rank.
    pub fn completed(&self, event: usize) -> Option<usize> {
        let Happened { what, call, rank, .. } = &self.events[event];
        let call = (*call)?;
        if !matches!(what, What::Call) {
            let taken = self.taken.iter().find(|(posted, _)| *posted == call)?.1;
            return self.event_of_call.get(taken).copied().filter(|&other| other != event);
        }
        let is_of_call = |other: &usize| {
            let happened = &self.events[*other];
            match &happened.what {
                What::Match { message, .. } | What::Choice { message: Some(message), .. } => {
                    let sent = self.messages.get(*message as usize);
                    happened.call == Some(call) || sent.is_some_and(|sent| sent.call == Some(call))
                }
                What::Collective { members, .. } => {
                    let own = self.calls[call].origin;
                    members.iter().any(|(member, origin)| member == rank && *origin == own)
                }
                _ => false,
            }
        };
        (event + 1..self.events.len()).find(is_of_call)
    }

    /// An event in words.
    pub fn words(&self, event: usize) -> String {
        let Happened { what, rank, call, .. } = &self.events[event];
        match what {
            What::Call => {
                let Some(step) = call.and_then(|call| self.calls.get(call)) else { return format!("rank {rank}") };
                let sent = self.messages.iter().filter(|message| message.call == *call);
                let words = |one: &Message| {
                    format!("sends {} with tag {} to rank {}", counted(one.bytes, "byte"), one.tag, one.to)
                };
                let sent: Vec<String> = sent.map(words).collect();
                let sent = match sent.len() {
                    0 => String::new(),
                    1..=3 => format!(" and {}", sent.join(", ")),
                    more => format!(" and sends {more} messages"),
                };
                format!("rank {rank} calls {}{sent}", place(*rank, step.origin))
            }
            What::Choice { line, message } => {
                let source = line.place.source();
                let source = if source.is_empty() { source } else { format!(" [{source}]") };
                let sent = message.and_then(|message| self.messages.get(message as usize)).and_then(sent_at);
                let sent = sent.map_or(String::new(), |sent| format!(", sent at {sent}"));
                format!("{line}{source}{sent}")
            }
            What::Match { message, origin } => {
                let message = self.messages.get(*message as usize);
                let from = message.map_or("a message".to_string(), |message| match sent_at(message) {
                    Some(place) => format!("the message that rank {} sent at {place}", message.from),
                    None => format!("the message of rank {}", message.from),
                });
                format!("rank {rank}: {} takes {from}", place(*rank, *origin))
            }
            What::Collective { name, members } => {
                let places: Vec<String> =
                    members.iter().map(|&(rank, origin)| location_of(rank, origin).source()).collect();
                let is_one = places.iter().all(|place| *place == places[0]);
                let at = if is_one && !places[0].is_empty() { format!(" at {}", places[0]) } else { String::new() };
                format!("{name}{at} takes place on {}", counted(members.len() as u64, "rank"))
            }
            What::End { code: 0 } => format!("rank {rank} ends"),
            What::End { code } => format!("rank {rank} ends with the code {code}"),
            What::Fail { text } => format!("rank {rank} fails: {text}"),
        }
    }
}

/// Where a message was sent.
fn sent_at(message: &Message) -> Option<String> {
    let source = location_of(message.from, message.origin).source();
    (!source.is_empty()).then_some(source)
}

/// A call with its place.
fn place(rank: WorldRank, origin: Origin) -> String {
    let place = location_of(rank, origin);
    let source = place.source();
    let call = if place.call.is_empty() { "a call" } else { &place.call };
    if source.is_empty() { call.to_string() } else { format!("{call} at {source}") }
}
