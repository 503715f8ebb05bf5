//! A session: where it stands, and what it answers.

use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::rc::Rc;

use smpi_base::exit::REFUSED;
use smpi_base::plan::VerifyPlan;
use smpi_base::words::counted;
use smpi_base::{WorldRank, eprintln, print};
use smpi_checker::{Choices, Event, Settled, System};
use smpi_process as process;
use smpi_report::Finding;
use smpi_report::finding::{Buffering, LastCall, RankState};
use smpi_report::verdict::Report;
use smpi_runtime::with;

use crate::explaining;
use crate::findings::{findings_at, last_calls};
use crate::limits::interrupt;
use crate::program::{Program, foreseen};
use crate::schedule::in_words::told;
use crate::schedule::token;
use crate::stepping::commands::{Command, help, parse};
use crate::stepping::journal::{Journal, What, record};
use crate::stepping::walk::Walk;
use crate::stepping::{below, debugger};

/// Events before and behind the present one that `list` shows.
const AROUND: usize = 5;

/// Ranks of which `where` tells if none is named.
const MOST_RANKS: usize = 64;

/// One execution, and where in it the session stands.
struct Session<'a> {
    program: &'a mut Program,
    options: &'a VerifyPlan,
    empty: Report,
    buffering: Buffering,
    /// The choices of the token.
    original: Vec<Event>,
    walk: Walk,
    journal: Journal,
    /// How the execution ends, and what is wrong there.
    settled: Settled,
    findings: Vec<Finding>,
    is_explained: bool,
    /// Events that have happened.
    position: usize,
    /// The user's directory, with a slash behind it.
    home: String,
    /// Commands; no descriptor of the ranks'.
    input: Rc<File>,
    /// What an empty line repeats.
    last: Command,
}

/// Goes through an execution as standard input says; returns the exit code.
pub(crate) fn step(
    program: &mut Program,
    (options, empty): (&VerifyPlan, Report),
    buffering: Buffering,
    (path, input): (Vec<Event>, File),
) -> i32 {
    program.show_output(false);
    process::keep_output();
    let mut session = Session::begin(program, (options, empty), buffering, path, input);
    session.tell_beginning();
    match session.answer_all() {
        Ok(()) => 0,
        Err(message) => {
            eprintln!("smpirun: error: {message}");
            REFUSED
        }
    }
}

/// Standard input, which is the session's from now on: ranks find its end. To be called before they run.
pub(crate) fn take_input() -> Option<File> {
    // SAFETY: descriptor 0 stays open while it is copied.
    let input = unsafe { BorrowedFd::borrow_raw(0) }.try_clone_to_owned().ok()?;
    let input = process::hide(input)?;
    let nowhere = File::open("/dev/null").ok()?;
    // SAFETY: both are open descriptors.
    unsafe { libc::dup2(nowhere.as_raw_fd(), 0) };
    Some(input.into())
}

impl<'a> Session<'a> {
    fn begin(
        program: &'a mut Program,
        (options, empty): (&'a VerifyPlan, Report),
        buffering: Buffering,
        path: Vec<Event>,
        input: File,
    ) -> Session<'a> {
        let (walk, journal, settled) = record(program, path.clone(), false);
        let mut session = Session {
            program,
            options,
            empty,
            buffering,
            original: path,
            walk,
            journal,
            settled,
            findings: Vec::new(),
            is_explained: false,
            position: 0,
            home: std::env::current_dir().map_or(String::new(), |home| format!("{}/", home.display())),
            input: Rc::new(input),
            last: Command::Next(None),
        };
        session.look_at_end();
        if session.findings.is_empty() && session.settled == Settled::Choices {
            // A schedule that names the first choices only, as 1/zero does.
            session.execute(session.original.clone(), true);
            session.original.clone_from(&session.walk.path);
        }
        session
    }

    /// What is wrong at the end, where the program stands now.
    fn look_at_end(&mut self) {
        let mut found = findings_at(self.program, self.settled, &self.walk.path, None);
        found.retain(|finding| !finding.is_warning());
        for finding in &mut found {
            finding.replay = self.token(self.walk.path.len());
            finding.buffering = Some(self.buffering);
        }
        self.walk.was_looked_at();
        self.findings = found;
        self.is_explained = false;
    }

    /// The token of the first choices.
    fn token(&self, count: usize) -> String {
        token::write(self.buffering, &foreseen(), &self.walk.path[..count])
    }

    fn tell_beginning(&mut self) {
        let events = counted(self.journal.events.len() as u64, "event");
        let choices = counted(self.walk.path.len() as u64, "choice");
        let text = format!("{events}, {choices}; {}; help lists the commands\n", self.how_it_ends());
        self.say(&text);
    }

    fn how_it_ends(&self) -> String {
        match (self.findings.first(), self.settled) {
            (Some(finding), _) => format!("at the end: {}: {}", finding.key, finding.message),
            (None, Settled::Void) => "no execution: an operation that was to be cancelled is not".to_string(),
            (None, Settled::Choices) => "not at its end yet: choices are open there".to_string(),
            (None, Settled::Endless) => "some ranks go on for ever at its end".to_string(),
            (None, Settled::Bounded) => "not followed to its end".to_string(),
            (None, _) => "it ends without an error".to_string(),
        }
    }

    fn say(&mut self, text: &str) {
        // Files are named from where the user is. Who does not read has seen enough.
        let text = if self.home.is_empty() { text.to_string() } else { text.replace(&self.home, "") };
        let _ = print::answer(&text);
    }

    /// Answers line by line until the end of the input.
    fn answer_all(&mut self) -> Result<(), String> {
        let is_terminal = self.input.is_terminal();
        let input = Rc::clone(&self.input);
        let mut lines = BufReader::new(&*input).lines();
        loop {
            if is_terminal {
                self.say("(step) ");
            }
            let line = match lines.next() {
                Some(Ok(line)) if !interrupt::wanted() => line,
                Some(Err(error)) => return Err(format!("--step: cannot read commands: {}", print::reason(&error))),
                _ => return Ok(()),
            };
            let command = match parse(&line, with(|runtime| runtime.extent())) {
                Ok(Command::Again) if is_terminal => self.last.clone(),
                Ok(Command::Again) => continue,
                Ok(command) => command,
                Err(message) => {
                    self.say(&format!("{message}\n"));
                    continue;
                }
            };
            if command == Command::Quit {
                return Ok(());
            }
            if matches!(command, Command::Next(_) | Command::Back(_)) {
                self.last = command.clone();
            }
            let answer = self.answer(command).unwrap_or_else(|why| format!("{why}\n"));
            self.say(&answer);
        }
    }

    fn answer(&mut self, command: Command) -> Result<String, String> {
        match command {
            Command::Next(rank) => self.next(rank),
            Command::Back(rank) => self.back(rank),
            Command::Goto(position) => self.goto(position),
            Command::Decision => self.decision(),
            Command::Posted => {
                self.follow("posted: this event is no operation that an earlier call has posted", Journal::posted)
            }
            Command::Sent => self.follow("sent: this event has taken no message", Journal::sent),
            Command::Completed => self.follow(
                "completed: nothing of this event is over in this execution, or nobody is told so",
                Journal::completed,
            ),
            Command::Where(rank) => self.tell_where(rank),
            Command::List => Ok(self.list()),
            Command::Choices => self.tell_choices(),
            Command::Take(number) => self.take(number),
            Command::Explore => self.explore(),
            Command::Original => {
                let path = self.original.clone();
                self.execute(path, false);
                self.position = self.position.min(self.journal.events.len());
                self.goto(self.position)
            }
            Command::Finding => Ok(self.tell_finding()),
            Command::Token => {
                let made = self.choices_made();
                let token = self.token(made);
                Ok(format!("{token}\n"))
            }
            Command::Output(rank) => self.tell_output(rank),
            Command::State => {
                self.stand()?;
                let memory = self.program.memory_state();
                let is_at_rest = self.walk.is_at_rest();
                let name = if is_at_rest { self.program.fingerprint() } else { None };
                self.walk.was_looked_at();
                let name = name.map_or(String::new(), |name| format!(", name {:032x}", name.0));
                Ok(format!("memory {memory:032x}{name}\n"))
            }
            Command::Gdb(rank, words) => self.gdb(rank, &words),
            Command::Help => Ok(help()),
            Command::Again | Command::Quit => Ok(String::new()),
        }
    }

    /// Brings the program to where the session stands.
    fn stand(&mut self) -> Result<(), String> {
        let moment = self.journal.moment(&self.walk, self.position);
        if self.walk.go(self.program, moment) {
            return Ok(());
        }
        Err("the program does not repeat itself: it depends on something that is not put back, such as a clock or a \
             network; start again, or leave out what does"
            .to_string())
    }

    /// How many choices were made where the session stands.
    fn choices_made(&self) -> usize {
        self.walk.ticks[self.journal.moment(&self.walk, self.position).tick].choices
    }

    fn next(&mut self, rank: Option<u32>) -> Result<String, String> {
        let end = self.journal.events.len();
        let found = (self.position..end).find(|&event| self.is_wanted(event, rank));
        let Some(event) = found else {
            let whose = rank.map_or(String::new(), |rank| format!(" of rank {rank}"));
            return Err(format!(
                "next: there is no event{whose} behind event {}; {}",
                self.position,
                self.how_it_ends()
            ));
        };
        self.goto(event + 1)
    }

    fn back(&mut self, rank: Option<u32>) -> Result<String, String> {
        let before = self.position.saturating_sub(1);
        let found = (0..before).rev().find(|&event| self.is_wanted(event, rank));
        match (found, rank) {
            (Some(event), _) => self.goto(event + 1),
            (None, None) if self.position > 0 => self.goto(0),
            (None, None) => Err("back: this is the beginning".to_string()),
            (None, Some(rank)) => Err(format!("back: there is no event of rank {rank} before event {}", self.position)),
        }
    }

    fn is_wanted(&self, event: usize, rank: Option<u32>) -> bool {
        rank.is_none_or(|rank| self.journal.concerns(event, WorldRank(rank)))
    }

    fn goto(&mut self, position: usize) -> Result<String, String> {
        let last = self.journal.events.len();
        if position > last {
            return Err(format!("goto {position}: there is no event {position}; expected 0 to {last}"));
        }
        let before = std::mem::replace(&mut self.position, position);
        if let Err(why) = self.stand() {
            self.position = before;
            return Err(why);
        }
        Ok(self.present())
    }

    /// The event at which the session stands.
    fn present(&self) -> String {
        let mut text = match self.position.checked_sub(1) {
            Some(event) => format!("{}  {}\n", self.position, self.journal.words(event)),
            None => "0  the beginning\n".to_string(),
        };
        match self.journal.events.get(self.position) {
            Some(next) if matches!(next.what, What::Choice { .. }) => {
                text.push_str("   a choice is next: choices shows what can be taken\n");
            }
            None => text.push_str(&format!("   {}\n", self.how_it_ends())),
            Some(_) => {}
        }
        text
    }

    fn follow(&mut self, none: &str, find: impl Fn(&Journal, usize) -> Option<usize>) -> Result<String, String> {
        let event = self.position.checked_sub(1).ok_or("this is the beginning: next goes to the first event")?;
        match find(&self.journal, event) {
            Some(found) => self.goto(found + 1),
            None => Err(none.to_string()),
        }
    }

    /// Goes to the choice that the finding failed by.
    fn decision(&mut self) -> Result<String, String> {
        self.explain();
        let Some(finding) = self.findings.first() else {
            return Err("decision: this execution shows no error: there is nothing that it failed by".to_string());
        };
        let explanation = finding.explanation.as_ref();
        let known = explanation.map(|known| known.sentences(Some(self.buffering.words()))).unwrap_or_default();
        let Some(decision) = explanation.and_then(|explanation| explanation.decision.as_ref()) else {
            let why =
                if known.is_empty() { "no decision is known that is to blame".to_string() } else { known.join("; ") };
            return Err(format!("decision: {why}"));
        };
        let is_it = |event: &Event| token::event(*event) == decision.matching.event;
        let sentences = known.join("\n");
        let number = self.walk.path.iter().position(is_it);
        let Some(event) = number.and_then(|number| self.journal.event_of_choice(number)) else {
            return Err(format!("decision: {sentences}\nit is not among the choices of this execution"));
        };
        let present = self.goto(event)?;
        Ok(format!("{sentences}\n{present}"))
    }

    fn explain(&mut self) {
        if !std::mem::replace(&mut self.is_explained, true) {
            self.walk.was_looked_at();
            let (findings, options) = (&mut self.findings, self.options);
            self.program.without_instants(options, |program| explaining::explain(program, findings, options, 0.0));
        }
    }

    fn tell_finding(&mut self) -> String {
        self.explain();
        let ranks = self.program.count();
        let told: String = self.findings.iter().map(|finding| smpi_report::text::shown(finding, ranks)).collect();
        if told.is_empty() { format!("{}\n", self.how_it_ends()) } else { told }
    }

    /// The events around this one.
    fn list(&self) -> String {
        let (from, to) = (self.position.saturating_sub(AROUND + 1), self.position + AROUND);
        let events = from..to.min(self.journal.events.len());
        let sign = |event: usize| if event + 1 == self.position { '>' } else { ' ' };
        events.map(|event| format!("{} {}  {}\n", sign(event), event + 1, self.journal.words(event))).collect()
    }

    /// What ranks are at.
    fn tell_where(&mut self, rank: Option<u32>) -> Result<String, String> {
        self.stand()?;
        let due: Vec<bool> = with(|runtime| runtime.ranks.iter().map(|run| run.standing.is_due()).collect());
        let stopped = with(|runtime| runtime.world.steps().and_then(|steps| steps.paused));
        let calls = last_calls(self.program);
        self.walk.was_looked_at();
        let wanted: Vec<&LastCall> =
            calls.iter().filter(|call| rank.is_none_or(|rank| call.place.rank == rank)).collect();
        let mut text = String::new();
        for call in wanted.iter().take(MOST_RANKS) {
            let rank = WorldRank(call.place.rank);
            let is_due = due.get(rank.index()).copied().unwrap_or(false);
            text.push_str(&format!("rank {}: {}\n", rank, standing_words(call, stopped == Some(rank), is_due)));
        }
        if wanted.len() > MOST_RANKS {
            text.push_str(&format!("… and {} more: where RANK tells of one\n", wanted.len() - MOST_RANKS));
        }
        Ok(text)
    }

    /// The events that can be chosen here.
    fn open(&mut self) -> Result<Choices, String> {
        let moment = self.journal.moment(&self.walk, self.position);
        if self.walk.ticks[moment.tick].settled.is_none() || moment.call.is_some() {
            let is_choice = |event: &usize| matches!(self.journal.events[*event].what, What::Choice { .. });
            let next = (self.position..self.journal.events.len()).find(is_choice);
            let next = next
                .map_or(String::new(), |event| format!("; the next choice is made after event {event}: goto {event}"));
            return Err(format!("nothing is to be chosen here: what happens next is no choice{next}"));
        }
        self.stand()?;
        let mut choices = Choices::new();
        self.program.choices(&mut choices);
        match choices.is_empty() {
            true => Err(format!("nothing can be chosen here: {}", self.how_it_ends())),
            false => Ok(choices),
        }
    }

    fn tell_choices(&mut self) -> Result<String, String> {
        let choices = self.open()?;
        let taken = self.walk.path.get(self.choices_made()).copied();
        let mut text = String::new();
        for (number, event) in (1..).zip(choices.events()) {
            let told = told(self.program, event, &choices);
            let sign = if Some(event) == taken { '*' } else { ' ' };
            let line = &told.line;
            let arguments = if line.arguments.is_empty() { String::new() } else { format!("({})", line.arguments) };
            let source = line.place.source();
            let source = if source.is_empty() { source } else { format!(" [{source}]") };
            let (agent, call, outcome) = (line.place.agent(), &line.place.call, &line.outcome);
            text.push_str(&format!("{sign} {number}  rank {agent}: {call}{arguments} {outcome}{source}\n"));
        }
        self.walk.was_looked_at();
        if taken.is_some() {
            text.push_str("* is what this execution takes\n");
        }
        Ok(text)
    }

    fn take(&mut self, number: usize) -> Result<String, String> {
        let choices = self.open()?;
        let events: Vec<Event> = choices.events().collect();
        let Some(&event) = number.checked_sub(1).and_then(|at| events.get(at)) else {
            return Err(format!("take {number}: expected 1 to {}, as choices shows them", events.len()));
        };
        let made = self.choices_made();
        let mut path = self.walk.path[..made].to_vec();
        path.push(event);
        self.execute(path, true);
        let Some(at) = self.journal.event_of_choice(made) else {
            return Err("take: the program does not repeat itself".to_string());
        };
        let present = self.goto(at + 1)?;
        Ok(format!("{present}   {}\n", self.how_it_ends()))
    }

    /// Goes through another execution from now on.
    fn execute(&mut self, path: Vec<Event>, goes_on: bool) {
        (self.walk, self.journal, self.settled) = record(self.program, path, goes_on);
        self.look_at_end();
    }

    fn explore(&mut self) -> Result<String, String> {
        let made = self.choices_made();
        self.walk.was_looked_at();
        let prefix = self.walk.path[..made].to_vec();
        let text = below::explore(self.program, (self.options, &self.empty), self.buffering, &prefix);
        Ok(format!("after {} of this execution:\n{text}", counted(made as u64, "choice")))
    }

    fn tell_output(&mut self, rank: Option<u32>) -> Result<String, String> {
        self.stand()?;
        let ranks = rank.map_or(0..with(|runtime| runtime.extent()), |rank| rank..rank + 1);
        let mut text = String::new();
        for rank in ranks {
            for line in self.program.ranks.output_text(WorldRank(rank)).lines() {
                text.push_str(&format!("rank {rank}: {line}\n"));
            }
        }
        if text.is_empty() {
            text.push_str("nothing was printed to standard output up to here\n");
        }
        Ok(text)
    }

    fn gdb(&mut self, rank: Option<u32>, words: &str) -> Result<String, String> {
        self.stand()?;
        let present = self.position.checked_sub(1).map_or(WorldRank(0), |event| self.journal.events[event].rank);
        let rank = rank.map_or(present, WorldRank);
        if with(|runtime| runtime.run(rank).standing.is_over()) {
            return Err(format!("gdb {rank}: rank {rank} has ended here; go back, or name another rank"));
        }
        self.walk.was_looked_at();
        let place = self.program.ranks.locate(rank);
        let function = place.and_then(|place| place.function);
        debugger::look(self.program, rank, (words, function.as_deref()), &self.input)
    }
}

/// What a rank is at.
fn standing_words(call: &LastCall, has_stopped: bool, is_due: bool) -> String {
    let source = call.place.source();
    let at = if source.is_empty() { source } else { format!(" at {source}") };
    let name = call.call();
    match call.state {
        _ if has_stopped => format!("is about to make {}{at}", call.place.call),
        _ if call.place.call.is_empty() => "before its first call of MPI".to_string(),
        RankState::Blocked if is_due => format!("{}{at}, which is over: goes on next", call.place.call),
        RankState::Blocked => format!("{name}{at}, waits for {}", call.waits_for()),
        RankState::Failed => format!("has failed{at}, in or after {}", call.place.call),
        RankState::Finished => "has ended".to_string(),
        RankState::Returned => format!("goes on after {}", call.place.call),
    }
}
