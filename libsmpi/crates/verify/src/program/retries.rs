//! Whether it makes a difference how often a rank polls in vain.
//!
//! A rank that is told "not yet" once more where it was told so before comes back to where it was. Nothing is lost if
//! it is told so only where nothing else can happen: what it does next follows from its memory and its registers, and
//! from files and memory that others share with it, and all that it can see on its way it could have seen the first
//! time. Without that every loop that polls would have executions without end (`smpi_choices`, `open.rs`).
//!
//! Where it was not told so before, the poll may find nothing, like a first one: it counts its polls, or polls for
//! something else from then on. So every number of polls in vain is tried, and what comes after the last one. There
//! must be an end to it. So it is tried out what the rank does that finds nothing however often it polls: it gets "not
//! yet", and goes on, until it polls again.
//!
//! - It is at few places then ([`MOST_POLLS`]). At each of them it may be told "not yet".
//! - Anything else: it counts its polls for as long as was tried, or cannot be compared (it has set a timer, or polls
//!   on a stack of its own). If what it polls for is there, or if it is told "not yet" because nothing else can happen,
//!   the exploration is not complete.
//!
//! Where it is told "not yet" for the first time, it is tried out, too, whether it does anything else than to poll
//! until it is where it was ([`Round`]): where it does not, "not yet" is seldom worth an execution (`smpi_choices`,
//! `ahead.rs`).
//!
//! Clocks stand still meanwhile: that a deadline passes is a choice of its own.

use std::ffi::c_int;
use std::ops::Range;
use std::rc::Rc;

use smpi_abi::c::STATUS_OF_ONE;
use smpi_abi::{Callee, Function};
use smpi_base::WorldRank;
use smpi_base::digest::{Digest, Named, Unnamed};
use smpi_base::map::Set;
use smpi_checker::Event;
use smpi_choices::{Retry, Round, Verification};
use smpi_mpi::buffers;
use smpi_mpi::p2p::request::{Phase, Request};
use smpi_process::{OutputUse, have_no_files_changed, note_uncontrolled, tell_states_apart, use_output};
use smpi_report::Location;
use smpi_runtime::with;
use smpi_watch::access::is_reported;
use smpi_watch::checks::located;

use crate::program::{Program, Snapshot, driven};

/// Answers after which a rank must be as it was, or have given up: as many polls as a loop may have.
const MOST_POLLS: usize = 1100;

/// Places of a round that are looked at.
const MOST_PLACES: usize = 16;

/// The arguments of calls that poll by which they tell whether they have found something: these are set in any case.
const ANSWERS: [&str; 3] = ["flag", "indx", "outcount"];

/// The bytes of such an argument.
const ANSWER: Range<usize> = 0..size_of::<c_int>();

/// Pieces of a buffer that are left out where ranks are compared: of one with more, it is compared, too.
const MOST_RUNS: usize = 256;

impl Program {
    /// Looks at the ranks that are about to poll once more: whether they may be told "not yet" is known afterwards.
    /// The program is as it was. Where ranks go on for ever, nobody can be let run alone.
    pub(crate) fn look_at_retries(&mut self) {
        if !driven(|driver, _| driver.is_polling()) {
            return;
        }
        for (rank, is_there) in driven(|driver, world| driver.asking_again(world)) {
            if self.is_endless && !is_there {
                continue;
            }
            let (retry, why) = match self.retry(rank) {
                Ok(retry) => (retry, None),
                Err(Unnamed(why)) => (Retry::Open, Some(why)),
            };
            driven(|driver, _| driver.tell_retry(rank, retry));
            if is_there && retry == Retry::Open {
                self.note_counted(rank, why);
            }
            // Loads that are reported race with what others change, or are atomic and have an order.
            let is_sync = with(|runtime| runtime.run(rank).call) == Callee::Function(Function::Win_sync);
            if is_sync && !is_reported() {
                self.note_loads(rank);
            }
        }
        self.look_ahead();
    }

    /// Notes where a rank is that is told "not yet".
    pub(crate) fn note_tried(&mut self, event: Event) {
        let rank = event.choice.rank();
        if driven(|driver, world| driver.is_free_no(world, event)) {
            self.clear_behind_calls(true);
            let unseen = self.unseen(rank);
            if let Ok(name) = self.name_without(rank, &unseen) {
                driven(|driver, _| driver.try_at(rank, name, unseen.into()));
            }
        }
    }

    /// Says whether calls leave nothing on the stack from now on that would tell ranks apart that poll: from the first
    /// poll in vain of each execution on, so that a schedule is replayed as it was found.
    pub(crate) fn clear_behind_calls(&mut self, clears: bool) {
        if self.has_polled != clears {
            self.has_polled = clears;
            tell_states_apart(clears || self.naming.is_some());
        }
    }

    /// Notes that it is not explored how often a rank may poll in vain where it is; why that is not known, if it cannot
    /// be compared.
    pub(crate) fn note_counted(&mut self, rank: WorldRank, why: Option<&'static str>) {
        if let Some(call) = self.told_first(rank) {
            let left_out = format!("outcomes that depend on how often {call} finds nothing");
            let why = match why {
                Some(why) => format!("whether that matters is not known, because {why}"),
                None => "its rank is not the same each time, and has no end of it in as many polls as were tried; \
                         MC_ignore of smpi/smpi.h declares counters that do not matter"
                    .to_string(),
            };
            note_uncontrolled(format!("{left_out} ({why})").leak());
        }
    }

    /// Notes that a rank waits with loads until somebody changes its memory, or memory that it shares.
    fn note_loads(&mut self, rank: WorldRank) {
        if let Some(call) = self.told_first(rank) {
            let left_out = format!("outcomes that depend on when loads around {call} see what others change");
            note_uncontrolled(format!("{left_out} (nothing orders loads: they see it as soon as it can be)").leak());
        }
    }

    /// The call that a rank polls with and where it is, if that was not told before.
    fn told_first(&mut self, rank: WorldRank) -> Option<String> {
        let mut asked = Digest::new();
        driven(|driver, _| driver.name_question(rank, &mut asked));
        let call = with(|runtime| runtime.run(rank).call);
        asked.add(call.name());
        self.retries.told.insert((rank, asked.bits())).then(|| {
            let place = located(Location::new(rank.0, call), self.ranks.locate(rank).as_ref());
            let at = if place.source().is_empty() { String::new() } else { format!(" at {}", place.source()) };
            format!("{}{at}", place.call)
        })
    }

    /// Where a rank is that polls again.
    ///
    /// # Errors
    /// Why it cannot be compared.
    fn retry(&mut self, rank: WorldRank) -> Named<Retry> {
        let polled = driven(|driver, _| driver.polled(rank).clone());
        // What MPI was filling then may be there now.
        if polled.has_tried(|unseen| self.name_without(rank, unseen))? {
            return Ok(Retry::Known);
        }
        let name = self.name_of_poll(rank)?;
        Ok(if self.comes_to_an_end(rank, name) { Retry::New } else { Retry::Open })
    }

    /// Whether a rank that has this name is at few places only, if it polls in vain.
    fn comes_to_an_end(&mut self, rank: WorldRank, name: u128) -> bool {
        if let Some(known) = self.retries.ends.get(&name) {
            return *known;
        }
        let (ends, names) = self.tried_out(|program, here| program.course(rank, name, here));
        names.into_iter().for_each(|name| {
            self.retries.ends.entry(name).or_insert(ends);
        });
        ends
    }

    /// Tries something out of which nothing is seen, and after which everything is as it was.
    pub(crate) fn tried_out<R>(&mut self, trial: impl FnOnce(&mut Program, Rc<Snapshot>) -> R) -> R {
        let here = Rc::new(self.copy());
        let (output, tape) = (use_output(OutputUse::Compared), with(|runtime| runtime.world.replace_tape(None)));
        driven(|driver, _| driver.try_out(true));
        let found = trial(self, Rc::clone(&here));
        driven(|driver, _| driver.try_out(false));
        self.put_back(&here);
        use_output(output);
        with(|runtime| runtime.world.replace_tape(tape));
        found
    }

    /// Looks at the ranks that poll what they do next if they find nothing.
    fn look_ahead(&mut self) {
        if !self.looks_ahead || self.is_endless || !have_no_files_changed() {
            return;
        }
        for rank in driven(|driver, world| driver.asking_ahead(world)) {
            let round = self.round_ahead(rank);
            driven(|driver, _| driver.tell_ahead(rank, round));
        }
        self.look_at_echoes();
    }

    /// Where a rank comes that finds nothing and does nothing else than to poll; `None` if it may do anything else.
    fn round_ahead(&mut self, rank: WorldRank) -> Option<Rc<Round>> {
        self.clear_behind_calls(true);
        let name = self.name_of_poll(rank).ok()?;
        if let Some(known) = self.retries.rounds.get(&name) {
            return known.clone();
        }
        let round = self.tried_out(|program, here| {
            let mut answers = Vec::new();
            let mut round = program.go_round(rank, name, &here, &mut answers)?;
            program.find_echoes(rank, &here, &answers, &mut round);
            Some(Rc::new(round))
        });
        self.retries.rounds.insert(name, round.clone());
        round
    }

    /// Lets a rank that has this name find nothing until it is where it was; `answers` get the addresses at which its
    /// polls answer.
    fn go_round(&mut self, rank: WorldRank, start: u128, here: &Snapshot, answers: &mut Vec<usize>) -> Option<Round> {
        let shown = |program: &Program| {
            let failures = with(|runtime| runtime.trouble.failures.len());
            let progress = driven(|driver, _| driver.polled(rank).progress);
            (failures, progress, program.ranks.output_hash(rank))
        };
        self.put_back_alone(here);
        let (before, mut round, mut names) = (shown(self), Round::default(), vec![start]);
        for _ in 0..MOST_PLACES {
            answers.extend(self.overwritten(rank).iter().map(|answer| answer.start));
            if !self.find_nothing(rank) || shown(self) != before {
                return None;
            }
            let name = self.name_of_poll(rank).ok()?;
            if names.contains(&name) {
                return Some(round);
            }
            names.push(name);
            if !driven(|driver, world| driver.add_place(world, rank, name, &mut round)) {
                return None;
            }
        }
        None
    }

    /// Tells a rank "not yet", and lets it go on by itself; `false` if that is not all that it does.
    pub(crate) fn find_nothing(&mut self, rank: WorldRank) -> bool {
        let asked = driven(|driver, world| driver.asked_in_vain(world, rank));
        let [event] = asked[..] else { return false };
        driven(|driver, world| driver.choose(world, event));
        self.go_on_alone(rank) && !driven(|driver, _| driver.has_looked_at_clock())
    }

    /// Tries it, and returns the names for which the same holds. Random numbers that the rank draws meanwhile lead to
    /// several places.
    fn course(&mut self, rank: WorldRank, name: u128, here: Rc<Snapshot>) -> (bool, Vec<u128>) {
        let failures = || with(|runtime| runtime.trouble.failures.len());
        let (before, mut answered) = (failures(), 0);
        let (mut names, mut known, mut open) = (vec![name], Set::from_iter([name]), vec![here]);
        while let Some(state) = open.pop() {
            self.put_back_alone(&state);
            let asked = driven(|driver, world| driver.asked_in_vain(world, rank));
            if failures() > before {
                continue;
            }
            for (place, event) in asked.into_iter().enumerate() {
                answered += 1;
                if place > 0 {
                    self.put_back_alone(&state);
                }
                driven(|driver, world| driver.choose(world, event));
                if answered > MOST_POLLS {
                    // Half as many polls are not the last ones either, from these on.
                    names.truncate(names.len() / 2);
                    return (false, names);
                }
                let goes_on = self.go_on_alone(rank);
                let Some(to) = self.name_of_poll(rank).ok().filter(|_| goes_on) else {
                    return (false, vec![name]);
                };
                // What others can see ends it.
                if !driven(|driver, _| driver.polled(rank).is_empty()) && known.insert(to) {
                    names.push(to);
                    open.push(Rc::new(self.copy()));
                }
            }
        }
        (true, names)
    }

    /// Puts back a state in which only one rank is to go on: those that would for ever stand still.
    pub(crate) fn put_back_alone(&mut self, state: &Snapshot) {
        self.put_back(state);
        self.batch.clear();
        driven(|driver, _| driver.hold_back_ended());
    }

    /// Lets a rank go on that was answered, up to its next question.
    pub(crate) fn go_on_alone(&mut self, rank: WorldRank) -> bool {
        if !driven(|driver, _| driver.is_stepping()) {
            self.wake();
            return self.run();
        }
        self.run_step();
        while driven(|_, world| Verification::posting(world)).contains(&rank) {
            driven(|driver, world| driver.commit_first(world, rank));
            self.run_step();
        }
        true
    }

    /// What a rank will do that polls: what follows from what it asks and has, and from all else that it may look at,
    /// which is memory that others share with it, and files.
    fn name_of_poll(&mut self, rank: WorldRank) -> Named<u128> {
        let unseen = self.unseen(rank);
        self.name_without(rank, &unseen)
    }

    /// The same without some of its memory.
    pub(crate) fn name_without(&mut self, rank: WorldRank, unseen: &[Range<usize>]) -> Named<u128> {
        let mut digest = Digest::new();
        digest.add(rank);
        driven(|driver, _| driver.name_question(rank, &mut digest));
        digest.add(with(|runtime| {
            let requests = runtime.world.state.ranks[rank.index()].requests.iter();
            requests.filter(|(_, request)| request.body.is_alone(rank)).count()
        }));
        digest.add(unseen);
        self.name_memory(rank, unseen, &mut digest)?;
        let has_looked = driven(|driver, _| driver.polled(rank).has_looked());
        with(|runtime| runtime.world.name_windows_of(rank, has_looked, &mut digest));
        self.ranks.name_files(&mut digest)?;
        Ok(digest.bits())
    }

    /// The memory of a rank that polls and whose contents its program cannot know or will not look at: what MPI fills
    /// while the program must not look there (MPI 5.0 §3.7.2), scratch memory of collective operations, and where this
    /// call says whether it has found something.
    pub(crate) fn unseen(&self, rank: WorldRank) -> Vec<Range<usize>> {
        let is_unseen = |request: &&Request| !request.shown && request.phase != Phase::Inactive;
        let mut unseen = with(|runtime| {
            let requests = &runtime.world.state.ranks[rank.index()].requests;
            let scratch = requests.iter().flat_map(|(_, request)| buffers::scratch(request));
            let owned = requests
                .iter()
                .map(|(_, request)| request)
                .filter(is_unseen)
                .flat_map(buffers::owned)
                .filter(|owned| owned.receives);
            let filled = owned.filter_map(|owned| owned.runs(MOST_RUNS)).flatten().chain(scratch);
            filled.map(|(low, high)| low as usize..high as usize).collect::<Vec<_>>()
        });
        unseen.extend(self.overwritten(rank));
        unseen
    }

    /// The memory that the call overwrites in which a rank waits, whatever comes, so that it makes no difference what
    /// is there: where it says whether it has found something, and the status of a message that it waits for. (The
    /// error of a status is left as it is where one operation completes, MPI 5.0 §3.2.5.)
    pub(crate) fn overwritten(&self, rank: WorldRank) -> Vec<Range<usize>> {
        let Some(function) = with(|runtime| runtime.run(rank).call.function()) else { return Vec::new() };
        let (polls, receives) = (function.is_poll(), function.is_receive() || function.is_probe());
        let of_argument = |(place, name): (usize, &&str)| {
            let parts = match *name {
                name if polls && ANSWERS.contains(&name) => std::slice::from_ref(&ANSWER),
                "status" if receives && !polls => &STATUS_OF_ONE[..],
                _ => return Vec::new(),
            };
            let at = self.ranks.argument(rank, place).unwrap_or(0);
            parts.iter().map(|part| at.saturating_add(part.start)..at.saturating_add(part.end)).collect()
        };
        function.arguments().iter().enumerate().flat_map(of_argument).collect()
    }
}
