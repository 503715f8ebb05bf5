//! The hosted ranks as a system that the checker explores.

pub(crate) mod aside;
pub(crate) mod callers;
pub(crate) mod driver;
pub(crate) mod echoes;
pub(crate) mod ended;
pub(crate) mod instants;
pub(crate) mod naming;
pub(crate) mod retries;
pub(crate) mod rounds_in_vain;
pub(crate) mod self_check;
pub(crate) mod single_steps;
pub(crate) mod states;
pub(crate) mod watched;

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use smpi_base::WorldRank;
use smpi_base::digest::{Digest, Named, Unnamed};
use smpi_base::eprintln;
use smpi_base::plan::{DeterminismPlan, ReductionPlan, SearchPlan, VerifyPlan};
use smpi_checker::alternatives::NOT_YET;
use smpi_checker::below::{Arrival, Arriving, Causes};
use smpi_checker::history::PassedOn;
use smpi_checker::{
    Caller, Choice, ChoiceId, ChoiceKind, Choices, Configuration, Event, Influence, Prospect, Settled, System, Token,
    Told,
};
use smpi_mpi::collective::select::Waits;
use smpi_mpi::p2p::protocol::Thresholds;
use smpi_mpi::world::WorldState;
use smpi_report::finding::Buffering;
use smpi_report::verdict::RankResult;

use smpi_choices::{Discoveries, State};

use crate::limits::memory::Memory;
use crate::program::self_check::{Rest, SelfCheck};
use crate::program::states::{Naming, Retries, Rounds};
use crate::trail;

pub(crate) use crate::program::driver::driven;
use smpi_process::{self as process, Fingerprint, Fresh, OpenFiles, OutputUse, RankSnapshot, Ranks, Resumed};
use smpi_runtime::event_loop::{begin, finish_transfers, next_batch, next_without_commit, note_exit};
use smpi_runtime::failure::Failure;
use smpi_runtime::files::FileSystem;
use smpi_runtime::objects::RankObjects;
use smpi_runtime::spawn::serve;
use smpi_runtime::state::{RankRun, Standing};
use smpi_runtime::with;
use smpi_watch::{checks, failure};

/// Polls without success in a row, and nothing else that could happen, that mean that the program does not end.
pub(crate) const MAX_FUTILE_POLLS: u32 = 1000;

/// Batches of ranks in which a program that may have no end is followed where nobody can see whether it has one: so
/// many, and no more than twice as many as were enough for all that was explored before, and some.
const MOST_BATCHES: u64 = 1 << 12;
const MORE_BATCHES: u64 = 1 << 4;

/// Requests and messages whose copy costs about as much as making one choice again.
const COPIED_PER_CHOICE: usize = 64;

/// Requests and messages in all copies on a path up to which every state is copied: some 64 MiB. What a program
/// computes between two choices may take long, and would be done again without a copy.
const COPIED_AT_WILL: usize = 1 << 18;

/// Choices that are made again instead of copying a state where memory is short.
const REPEATED_AT_MOST: usize = 32;

/// In which way the exploration has begun again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Began {
    /// What ranks are told is followed.
    ByGroups,
    /// States are recognised.
    ByStates,
}

/// The program under verification.
pub struct Program {
    pub(crate) ranks: Ranks,
    /// What is known of every rank as long as it has not run.
    pub(crate) current: Vec<Current>,
    /// What belongs to a state, where states have names.
    pub(crate) naming: Option<Naming>,
    memory: Memory,
    /// Why the first state without a name has none.
    pub(crate) unnamed: Option<Unnamed>,
    start: Option<Snapshot>,
    /// The same as it was before, and since when, where it has not always been explored in this way.
    before: Option<(Began, Snapshot)>,
    /// Collectives are one step, or two extremes of one ([`Waits`]); else their algorithms' messages.
    atomic_collectives: bool,
    /// Choices made in this execution.
    depth: usize,
    /// How many of them lead to the last state that was copied.
    copied_at: usize,
    /// Requests and messages in the copies on the way there.
    copied: usize,
    /// Every state is to be copied.
    copies_all: bool,
    /// All is compared with what it was whenever it is put back.
    checks_itself: Option<SelfCheck>,
    /// Ranks may stop in the midst of their turn ([`instants`]).
    may_stop: bool,
    batch: Vec<WorldRank>,
    woken: Vec<WorldRank>,
    /// What is known of ranks that poll again and again.
    pub(crate) retries: Retries,
    /// Some rank has polled in vain in this execution.
    pub(crate) has_polled: bool,
    /// Polls that lead nowhere are left out.
    pub(crate) looks_ahead: bool,
    /// Some ranks went on for ever when it was to come to rest last.
    is_endless: bool,
    /// Some ranks have got something of each other since the last choice.
    has_met: bool,
    /// Batches after which ranks that never come to rest are taken to go on for ever, where that is not looked at.
    most_batches: u64,
    /// The most batches after which ranks have come to rest so far, or were seen to go on for ever.
    longest: u64,
    /// Executions that have come to their end.
    pub(crate) ended: ended::Ended,
}

/// Alternatives of choices that were not tried.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct LeftOut {
    /// Sets of Waitsome.
    pub waitsome: bool,
    /// What `MPI_Cancel` can bring about.
    pub cancels: bool,
    /// What only the system controls, and what else the program does that is not explored in all its ways.
    pub uncontrolled: BTreeSet<String>,
}

impl LeftOut {
    /// What this process has not tried.
    pub fn here() -> LeftOut {
        let unexplored = with(|runtime| runtime.world.observers.unexplored);
        let uncontrolled = process::uncontrolled().chain(unexplored).map(str::to_string).collect();
        let (waitsome, cancels) = driven(|driver, _| (driver.has_left_out(), driver.known_cancels().is_partial));
        LeftOut { waitsome, cancels, uncontrolled }
    }

    /// Adds what another process has not tried.
    pub fn join(&mut self, other: LeftOut) {
        self.waitsome |= other.waitsome;
        self.cancels |= other.cancels;
        // Workers answer in any order, and a set has one.
        self.uncontrolled.extend(other.uncontrolled);
    }
}

/// What the present exploration knew of the program from its start.
pub fn foreseen() -> Discoveries {
    driven(|driver, _| driver.foreseen())
}

/// Whether the program did what it should have known: what is explored now is of no use.
pub fn is_surprised() -> bool {
    driven(|driver, _| driver.is_surprised())
}

/// What is known of a rank as it is.
#[derive(Clone, Default)]
pub(crate) struct Current {
    /// Its state as it was copied last.
    copy: Option<Rc<RankCopy>>,
    /// Its name, if that is known, or why it has none.
    pub name: Option<Named<u128>>,
}

/// How a rank has ended: a hash of what it has printed, and its exit code.
pub type End = (u64, Option<i32>);

/// What only changes while a rank runs: its memory, and its MPI objects.
struct RankCopy {
    /// `None` for one that was not spawned.
    process: Option<RankSnapshot>,
    objects: RankObjects,
    /// As in [`Current`].
    name: Cell<Option<Named<u128>>>,
    /// All that it had, if it is to be compared.
    fingerprint: Option<Fingerprint>,
}

/// A state to come back to.
pub struct Snapshot {
    ranks: Vec<Rc<RankCopy>>,
    world: WorldState,
    choices: State,
    runs: Vec<RankRun>,
    failures: Vec<Failure>,
    has_polled: bool,
    files: OpenFiles,
    mpi_files: FileSystem,
    depth: usize,
    /// Requests and messages in the copies on the path to this one, and in it.
    copied: usize,
    /// What is to be compared.
    rest: Option<Rest>,
}

/// Lets results that nobody looks at be tried once where that is so: those of Waitany where executions are told apart,
/// answers of polls where states are, too.
fn prune(options: &VerifyPlan, by_states: bool) {
    let may = may_prune(options);
    smpi_watch::access::results::set_pruning(may && !by_states, may);
}

/// Whether results that nobody looks at may be tried once.
fn may_prune(options: &VerifyPlan) -> bool {
    // Which request Waitany took tells the rank which receives are posted, whether or not it looks.
    let is_plain = with(|runtime| !runtime.world.follows_causality());
    let sees_all = smpi_watch::access::is_complete() && smpi_watch::access::unseen().is_empty();
    let by_steps = driven(|driver, _| driver.is_stepping());
    // Executions that are picked one by one are judged one by one, and messages of all executions are compared.
    let is_all = options.search == SearchPlan::All && options.determinism == DeterminismPlan::None;
    options.prune && is_plain && sees_all && !by_steps && is_all && options.property.is_none()
}

/// States are recognised whatever led to them: nothing in them tells that any more.
fn recognise_states(options: &VerifyPlan) {
    with(|runtime| {
        runtime.world.recognise_states();
        runtime.objects.iter_mut().for_each(|objects| objects.forget_keys());
    });
    // A search for properties and a schedule ask nothing about what comes below states.
    if options.property.is_none() && options.replay.is_none() && options.is_reduced() {
        driven(|driver, _| driver.follow_arrivals());
    }
    process::fill_fresh(Fresh::Zeros);
}

impl Program {
    /// Whether it compares what is put back with what was there.
    pub fn checks_itself(&self) -> bool {
        self.checks_itself.is_some()
    }

    /// The program before it has started.
    pub fn new(ranks: Ranks, options: &VerifyPlan) -> Program {
        let count = ranks.count() as usize;
        let mut program = Program {
            ranks,
            current: vec![Current::default(); count],
            naming: Naming::of(options),
            unnamed: None,
            start: None,
            before: None,
            atomic_collectives: options.atomic_collectives,
            depth: 0,
            copied_at: 0,
            copied: 0,
            copies_all: options.is_by_steps(),
            checks_itself: with(|runtime| runtime.settings.mpi.self_check).then(SelfCheck::new),
            may_stop: false,
            batch: Vec::new(),
            woken: Vec::new(),
            retries: Retries::default(),
            has_polled: false,
            // What everything is compared with leaves nothing out.
            looks_ahead: options.is_reduced() || options.replay.is_some(),
            is_endless: false,
            has_met: false,
            most_batches: u64::MAX,
            longest: 0,
            ended: ended::Ended::default(),
            memory: Memory::of(options),
        };
        let explores_all = options.search == SearchPlan::All && options.replay.is_none();
        driven(|driver, _| driver.leave_rounds(explores_all));
        prune(options, options.is_by_states());
        if options.is_by_states() {
            recognise_states(options);
        }
        if let Some(function) = smpi_watch::access::suspect().filter(|_| options.prune) {
            eprintln!(
                "smpirun: note: all results of Waitany are tried, because the program calls {function}, which may look at them"
            );
        }
        program.show_output(false);
        if options.list_results {
            process::keep_output();
        }
        program.start = Some(program.copy());
        program
    }

    /// Begins again, and follows what ranks are told from now on.
    pub fn begin_by_groups(&mut self) {
        let Some(start) = self.start.take() else { return };
        self.put_back(&start);
        let ranks = self.count();
        driven(|driver, _| driver.follow_told(ranks, true));
        self.before = Some((Began::ByGroups, start));
        self.start = Some(self.copy());
    }

    /// Begins again, and recognises states whatever led to them from now on, as these options say.
    pub fn begin_by_states(&mut self, options: &VerifyPlan) {
        let Some(start) = self.start.take() else { return };
        self.put_back(&start);
        self.before = Some((Began::ByStates, start));
        recognise_states(options);
        // States have names until there is a window or an open file, which not all programs that make some ever have.
        if !self.ranks.call(checks::has_shared_bytes) && !self.ranks.may_open_libraries() {
            let sends_ready = self.ranks.call(checks::sends_ready);
            with(|runtime| runtime.world.follow_ready_sends_only(sends_ready));
        }
        driven(|driver, _| driver.follow_influence(0, false));
        prune(options, true);
        self.naming = Naming::of(options);
        self.forget_known();
        self.start = Some(self.copy());
    }

    /// Whether it recognises states since it began again.
    pub fn began_by_states(&self) -> bool {
        matches!(self.before, Some((Began::ByStates, _)))
    }

    /// Begins again without either, unless the options ask for groups.
    pub fn begin_by_executions(&mut self, options: &VerifyPlan) {
        let by_states = self.began_by_states();
        if let Some((_, start)) = self.before.take() {
            self.put_back(&start);
            self.start = Some(start);
        }
        if by_states {
            with(|runtime| runtime.world.forget_states());
            process::fill_fresh(Fresh::AsItIs);
            prune(options, false);
            self.naming = Naming::of(options);
            self.forget_known();
        }
        if options.reduction == ReductionPlan::Histories && options.search == SearchPlan::All {
            self.begin_by_groups();
        }
    }

    /// States have no names from now on, and are told apart by what led to them.
    pub(crate) fn forget_names(&mut self) {
        self.naming = None;
        self.forget_known();
    }

    /// Nothing counts any more that is known of ranks, or of their polls, where states were told apart in another way.
    pub(crate) fn forget_known(&mut self) {
        self.current.fill(Current::default());
        self.retries = Retries::default();
        self.has_polled = false;
        process::tell_states_apart(self.naming.is_some());
    }

    /// Number of ranks.
    pub fn count(&self) -> u32 {
        self.ranks.count()
    }

    /// What standard-mode sends and collectives do from the next [`System::reset`] on.
    pub fn set_buffering(&mut self, buffering: Buffering) {
        trail::note_mode(buffering);
        let detached_below = if buffering == Buffering::Infinite { u64::MAX } else { 0 };
        let waits = match buffering {
            _ if !self.atomic_collectives => Waits::Messages,
            Buffering::Zero => Waits::All,
            Buffering::Infinite | Buffering::Each => Waits::Data,
        };
        with(|runtime| {
            runtime.settings.selection.set_waits(waits);
            runtime.world.rules.thresholds = Thresholds { eager_below: 0, detached_below };
        });
        driven(|driver, _| driver.set_reluctant_sends(buffering == Buffering::Each));
    }

    /// Says whether polls that lead nowhere are left out from the next reset on; returns whether they were.
    pub fn set_looks_ahead(&mut self, looks: bool) -> bool {
        std::mem::replace(&mut self.looks_ahead, looks)
    }

    /// Declares what is known of the program, from the next reset on.
    pub fn foresee(&mut self, known: &Discoveries) {
        trail::note_foreseen(known);
        driven(|driver, _| driver.foresee(known));
    }

    /// Lets the program's output through, or not.
    pub fn show_output(&self, show: bool) {
        process::use_output(if show { OutputUse::WrittenAndCompared } else { OutputUse::Compared });
    }

    /// Whether something went wrong on the way here, although ranks may go on. What is only worth a warning did not.
    pub fn failed(&self) -> bool {
        with(|runtime| runtime.trouble.failures.iter().any(|failure| !failure.key.is_warning()))
    }

    /// Whether some ranks went on for ever when it was to come to rest last.
    pub fn is_endless(&self) -> bool {
        self.is_endless
    }

    /// Whether a rank was ended at a call that cannot go on: what others wait for then says nothing.
    pub fn is_cut_short(&self) -> bool {
        with(|runtime| runtime.ranks.iter().any(|run| run.standing.is_stopped()))
    }

    /// How every rank has ended so far.
    pub fn ends(&self) -> Vec<End> {
        let exits = with(|runtime| runtime.ranks.iter().map(|run| run.standing.exit()).collect::<Vec<_>>());
        let hash = |index: usize| self.ranks.output_hash(WorldRank(index as u32));
        exits.into_iter().enumerate().map(|(index, exit)| (hash(index), exit)).collect()
    }

    /// The same with everything that ranks have printed, for the report.
    pub fn results(&self) -> Vec<RankResult> {
        let there = with(|runtime| runtime.extent()) as usize;
        let exits = self.ends().into_iter().take(there).map(|(_, exit)| exit).enumerate();
        exits
            .map(|(index, exit)| RankResult { output: self.ranks.output_text(WorldRank(index as u32)), exit })
            .collect()
    }

    /// How an execution ends where nothing can be chosen any more.
    pub(crate) fn ending(&self) -> Settled {
        if driven(|driver, world| driver.is_void(world)) {
            return Settled::Void;
        }
        match with(|runtime| runtime.ranks.iter().all(|run| run.standing.is_over())) {
            true => Settled::Finished,
            false => Settled::Deadlock,
        }
    }

    /// What every rank may have changed since the last copies is not as it was there.
    pub(crate) fn forget_shared(&mut self) {
        with(|runtime| runtime.world.sharers().for_each(|rank| self.current[rank.index()] = Current::default()));
    }

    /// Neither are those to whose memory others have written.
    pub(crate) fn forget_touched(&mut self) {
        let current = &mut self.current;
        with(|runtime| {
            let Some(touched) = &runtime.follows.touched else { return };
            for (current, touched) in current.iter_mut().zip(touched.borrow_mut().iter_mut()) {
                if std::mem::take(touched) {
                    *current = Current::default();
                }
            }
        });
    }

    /// What a rank has may not be what it was.
    pub(crate) fn forget(&mut self, rank: WorldRank) {
        self.current[rank.index()] = Current::default();
    }

    pub(crate) fn copy(&mut self) -> Snapshot {
        self.forget_shared();
        self.forget_touched();
        let mut ranks = Vec::with_capacity(self.current.len());
        for (index, current) in self.current.iter_mut().enumerate() {
            let snapshot = current.copy.get_or_insert_with(|| {
                let rank = WorldRank(index as u32);
                let is_there = with(|runtime| runtime.run(rank).standing != Standing::Unborn);
                let process = is_there.then(|| self.ranks.capture(rank));
                let fingerprint = (is_there && self.checks_itself.is_some()).then(|| self.ranks.fingerprint(rank));
                let objects = with(|runtime| runtime.objects[index].clone());
                Rc::new(RankCopy { process, objects, name: Cell::new(None), fingerprint })
            });
            snapshot.name.set(current.name);
            ranks.push(Rc::clone(snapshot));
        }
        let (files, depth, copied) = (self.ranks.capture_files(), self.depth, self.copied);
        let choices = driven(|driver, _| driver.snapshot());
        let rest = self.checks_itself.as_mut().and_then(|check| check.look(&self.ranks));
        with(|runtime| Snapshot {
            ranks,
            world: runtime.world.state.clone(),
            choices,
            runs: runtime.ranks.clone(),
            failures: runtime.trouble.failures.clone(),
            has_polled: self.has_polled,
            files,
            mpi_files: runtime.files.clone(),
            depth,
            copied,
            rest,
        })
    }

    pub(crate) fn put_back(&mut self, snapshot: &Snapshot) {
        self.forget_shared();
        self.forget_touched();
        with(|runtime| {
            runtime.world.set_state(&snapshot.world);
            runtime.ranks.clone_from(&snapshot.runs);
            runtime.files.put_back(&snapshot.mpi_files);
            runtime.trouble.failures.clone_from(&snapshot.failures);
            runtime.ready.clear();
        });
        driven(|driver, _| driver.restore(&snapshot.choices));
        self.clear_behind_calls(snapshot.has_polled);
        for (index, (current, wanted)) in self.current.iter_mut().zip(&snapshot.ranks).enumerate() {
            let same = current.copy.as_ref().is_some_and(|copy| Rc::ptr_eq(copy, wanted));
            if !same {
                if let Some(process) = &wanted.process {
                    self.ranks.restore(WorldRank(index as u32), process);
                }
                with(|runtime| runtime.objects[index].restore(&wanted.objects));
                *current = Current { copy: Some(Rc::clone(wanted)), name: wanted.name.get() };
            }
        }
        self.ranks.restore_files(&snapshot.files);
        self.check_itself(snapshot);
        // Those that go on for ever.
        let ranks = snapshot.runs.iter().zip((0..).map(WorldRank));
        self.batch.clear();
        self.batch.extend(ranks.filter(|(run, _)| run.standing.is_due()).map(|(_, rank)| rank));
        self.depth = snapshot.depth;
        (self.copied_at, self.copied) = (snapshot.depth, snapshot.copied);
    }

    /// Looks whether all is what it was: ranks, those too that were not put back because they have not changed, and all
    /// that belongs to the state beside.
    ///
    /// # Panics
    /// When one is not: a verdict would mean nothing.
    fn check_itself(&self, snapshot: &Snapshot) {
        for (index, copy) in snapshot.ranks.iter().enumerate() {
            let rank = WorldRank(index as u32);
            let different = copy.fingerprint.as_ref().and_then(|then| self.ranks.differences(rank, then));
            assert!(different.is_none(), "rank {rank} was not put back: {}", different.unwrap_or_default());
        }
        let checked = self.checks_itself.as_ref().zip(snapshot.rest.as_ref());
        let different = checked.and_then(|(check, then)| check.difference(&self.ranks, then));
        assert!(different.is_none(), "the state was not put back: {}", different.unwrap_or_default());
    }

    /// Runs the ranks that can run until none can. False: some would never stop, which is noticed where states have
    /// names.
    pub(crate) fn run(&mut self) -> bool {
        let mut done = Vec::new();
        self.run_by(|batch, woken| next_batch(batch, &mut done, woken))
    }

    /// Wakes the ranks that a choice concerns.
    pub(crate) fn wake(&mut self) {
        next_batch(&mut self.batch, &mut Vec::new(), &mut self.woken);
        if with(|runtime| runtime.world.has_observations()) {
            self.note_misuse();
        }
    }

    /// Runs the ranks that the last step woke until none can; what they post is not committed.
    pub(crate) fn run_step(&mut self) {
        self.run_by(next_without_commit);
    }

    /// Runs batches of ranks as long as `next` finds another one; it gets places for the batch and for the ranks that
    /// woke. False: it would for ever.
    fn run_by(&mut self, next: impl FnMut(&mut Vec<WorldRank>, &mut Vec<WorldRank>) -> bool) -> bool {
        let mut rounds = Rounds::default();
        let comes_to_rest = self.run_rounds(&mut rounds, next);
        self.longest = self.longest.max(rounds.batches());
        comes_to_rest
    }

    fn run_rounds(
        &mut self,
        rounds: &mut Rounds,
        mut next: impl FnMut(&mut Vec<WorldRank>, &mut Vec<WorldRank>) -> bool,
    ) -> bool {
        loop {
            self.run_batch();
            if let Some(comes_to_rest) = self.finish_batch(rounds, &mut next) {
                return comes_to_rest;
            }
        }
    }

    /// What follows from a batch, and the next one. Where there is none: whether the ranks have come to rest, or would
    /// go on for ever.
    fn finish_batch(
        &mut self,
        rounds: &mut Rounds,
        mut next: impl FnMut(&mut Vec<WorldRank>, &mut Vec<WorldRank>) -> bool,
    ) -> Option<bool> {
        if self.naming.is_some() {
            // A rank that never waits for anybody must not keep others from getting what is theirs.
            finish_transfers(&mut self.woken);
        }
        let goes_on = next(&mut self.batch, &mut self.woken);
        if with(|runtime| runtime.world.has_observations()) {
            self.note_misuse();
        }
        if !goes_on {
            return Some(true);
        }
        let is_endless = self.naming.is_some() && rounds.wants_name() && rounds.is_known(self.name());
        (is_endless || rounds.batches() >= self.most_batches).then_some(false)
    }

    /// Ranks of a program that may have no end are not followed for long from now on: this process, a copy of another
    /// one, does not know what they write, and so cannot tell whether they come back to where they were.
    pub(crate) fn follow_briefly(&mut self) {
        if self.naming.is_some() {
            let known = (self.longest > 0).then_some(2 * self.longest + MORE_BATCHES);
            self.most_batches = known.unwrap_or(MOST_BATCHES).min(MOST_BATCHES);
        }
    }

    /// States have names from now on.
    pub(crate) fn names_states(&mut self) {
        self.naming.get_or_insert(Naming { output: false, messages: false });
        process::tell_states_apart(true);
    }

    /// Calls `look` while states can be told apart by the names of ranks.
    pub(crate) fn telling_states_apart<R>(&mut self, look: impl FnOnce(&mut Program) -> R) -> R {
        process::tell_states_apart(true);
        let found = look(self);
        process::tell_states_apart(self.naming.is_some() || self.has_polled);
        found
    }

    /// Lets polls find nothing for as long as they may, where nothing else can happen.
    pub(crate) fn poll_on(&mut self, path: &mut Cow<[Event]>) {
        let mut choices = Choices::new();
        loop {
            choices.clear();
            self.choices(&mut choices);
            if self.prospect(&choices) != Prospect::Settled {
                return;
            }
            let Some(event) = choices.first().and_then(|choice| {
                let candidate = *choices.candidates(choice).first()?;
                Some(Event { choice: choice.id, candidate })
            }) else {
                return;
            };
            path.to_mut().push(event);
            self.take(event);
            self.run();
        }
    }

    /// Runs each rank of the batch until it suspends itself or ends.
    fn run_batch(&mut self) {
        self.batch.sort_unstable();
        for index in 0..self.batch.len() {
            let rank = self.batch[index];
            self.forget(rank);
            smpi_watch::access::select(rank);
            let resumed = self.ranks.resume(rank);
            smpi_watch::access::finish_sweeps();
            if self.may_stop && instants::has_stopped() {
                return;
            }
            if let Resumed::Exited(code) = resumed {
                note_exit(rank, code);
                self.note_end(rank, code);
            }
        }
        process::commit_output();
        self.batch.clear();
        serve(&mut self.ranks);
    }

    /// Makes a choice; ranks do not run yet.
    pub(crate) fn choose(&mut self, event: Event) {
        trail::note_choice(self.depth, event);
        self.depth += 1;
        if driven(|driver, _| driver.is_open_retry(event)) {
            self.note_counted(event.choice.rank(), None);
        }
        self.note_tried(event);
        driven(|driver, world| driver.choose(world, event));
    }

    /// What the checks noticed is an error.
    #[cold]
    fn note_misuse(&mut self) {
        for finding in smpi_watch::checks::of_notes(&mut self.ranks) {
            with(|runtime| runtime.trouble.failures.push(failure::of_finding(finding)));
        }
    }

    /// A rank has ended: well, or not.
    fn note_end(&mut self, rank: WorldRank, code: i32) {
        if with(|runtime| runtime.run(rank).standing.is_stopped()) {
            return;
        }
        let failure = match process::take_crash() {
            Some(crash) => Some(failure::of_crash(rank, crash)),
            None if code != 0 => Some(failure::of_exit(rank, code)),
            None => None,
        };
        with(|runtime| {
            // A refused MPI call has been noted already, with more detail.
            let known =
                runtime.trouble.failures.iter().any(|failure| failure.rank == rank && failure.finding.is_none());
            if let Some(failure) = failure.filter(|_| !known) {
                runtime.trouble.failures.push(failure);
            }
        });
    }

    /// How the program has come to rest.
    fn at_rest(&mut self) -> Settled {
        let mut choices = Choices::new();
        self.look_at_retries();
        driven(|driver, _| driver.next_tick());
        self.choices(&mut choices);
        // That polls find nothing is one more choice here: their rank may give up.
        if self.is_endless && choices.is_empty() {
            let is_void = driven(|driver, world| driver.is_void(world));
            return if is_void { Settled::Void } else { Settled::Endless };
        }
        // Polls that could be answered are no deadlock.
        if choices.are_reluctant() && !driven(|driver, world| driver.is_forced() || driver.is_void(world)) {
            return Settled::Reluctant;
        }
        // Receives that ranks have left behind may still take messages: that, too, tells what else could have happened.
        if !choices.is_empty() {
            return Settled::Choices;
        }
        self.ending()
    }

    /// Executes a schedule, up to its last choice and what follows from it; tells of each choice before it is made.
    ///
    /// # Errors
    /// Text for the user when the schedule does not fit the program.
    pub fn follow(
        &mut self,
        path: &[Event],
        tell: &mut dyn FnMut(&mut Program, usize, Event),
    ) -> Result<Settled, String> {
        let token = Token::verbatim("zero", path);
        let settled = smpi_checker::replay(self, &token, &mut |program, made| {
            let is_named = made.index < path.len();
            if is_named {
                tell(program, made.index, made.event);
            }
            is_named
        });
        settled.map_err(|error| error.to_string())
    }

    /// All events of the present state, in order.
    pub fn events(&mut self) -> Vec<Event> {
        let mut choices = Choices::new();
        self.choices(&mut choices);
        choices.events().collect()
    }

    /// The choices that a token names.
    ///
    /// # Errors
    /// Text for the user when the token does not fit the program.
    pub fn resolve(&mut self, token: &Token) -> Result<Vec<Event>, String> {
        if let Some(events) = token.events() {
            return Ok(events);
        }
        let mut events = Vec::new();
        smpi_checker::replay(self, token, &mut |_, made| {
            let is_named = made.index < token.len();
            events.extend(is_named.then_some(made.event));
            is_named
        })
        .map_err(|error| error.to_string())?;
        Ok(events)
    }
}

impl System for Program {
    type Snapshot = Snapshot;

    fn reset(&mut self) {
        if let Some(start) = self.start.take() {
            self.put_back(&start);
            self.start = Some(start);
        }
        trail::note_start();
        self.batch = begin();
    }

    fn settle(&mut self) -> Settled {
        self.is_endless = !self.run();
        // Before anything is tried out.
        self.has_met = driven(|driver, _| driver.take_met());
        self.at_rest()
    }

    fn choices(&mut self, out: &mut Choices) {
        driven(|driver, world| driver.open_choices(world, MAX_FUTILE_POLLS, out));
    }

    fn take(&mut self, event: Event) {
        self.choose(event);
        self.wake();
    }

    fn tick(&self) -> Option<u32> {
        driven(|driver, _| driver.tick())
    }

    fn arrived(&mut self, out: &mut Vec<Arrival>) {
        driven(|driver, _| driver.take_arrived(out));
    }

    fn recall(
        &mut self,
        known: &mut PassedOn,
        causes: &Causes,
        below: &mut dyn Iterator<Item = Arriving>,
        out: &mut Vec<Arrival>,
    ) {
        driven(|driver, world| driver.recall(world, known, causes, below, out));
    }

    fn late(&mut self, out: &mut Vec<ChoiceId>) {
        driven(|driver, _| driver.take_late(out));
    }

    fn seen(&mut self, out: &mut Vec<ChoiceId>) {
        driven(|driver, _| driver.take_seen(out));
    }

    fn unheard(&mut self, out: &mut Vec<ChoiceId>) {
        with(|runtime| {
            for (run, rank) in runtime.ranks.iter().zip((0..).map(WorldRank)) {
                let polls = run.watch.results.iter().flat_map(|results| &results.polls);
                out.extend(polls.map(|poll| ChoiceId::of(rank, poll.number)));
            }
        });
    }

    /// A poll may find nothing as long as its rank does not know better. A schedule of another program may name ranks
    /// that are not there.
    fn may_take(&mut self, event: Event) -> bool {
        driven(|driver, world| {
            let is_there = world.everybody().any(|rank| rank == event.choice.rank());
            is_there && driver.may_find_nothing(world, event)
        })
    }

    fn marks(&mut self, out: &mut Vec<Event>) {
        driven(|driver, _| driver.marks(out));
    }

    /// Polls that find nothing, while no other rank goes on.
    fn prospect(&self, choices: &Choices) -> Prospect {
        if driven(|driver, world| driver.is_void(world)) {
            return Prospect::Void;
        }
        use ChoiceKind::{Delivery, Probe, Receive, Test, WaitAny};
        let may_be_alone = |choice: &Choice| matches!(choice.kind, Receive | Probe | WaitAny | Test | Delivery);
        if self.is_endless || !choices.all().all(may_be_alone) {
            return Prospect::Open;
        }
        let is_known = |event| driven(|driver, world| driver.tells_nothing_new(world, event));
        let is_vain = |event: Event| event.candidate == NOT_YET || is_known(event);
        if !choices.all().all(|choice| choice.kind == Test) || !choices.events().all(is_vain) {
            return Prospect::Alone;
        }
        let are_all_known = choices.events().all(|event| event.candidate != NOT_YET);
        if are_all_known || driven(|driver, _| driver.is_forced()) { Prospect::Settled } else { Prospect::Futile }
    }

    fn fingerprint(&mut self) -> Option<Configuration> {
        self.name()
    }

    /// What ranks have printed, and how they have ended. Times may be among it after a deadline.
    fn given(&mut self) -> Option<u128> {
        let is_compared = self.naming.is_some_and(|naming| !naming.output) && !self.failed() && !self.is_cut_short();
        (is_compared && !driven(|driver, _| driver.is_timed())).then(|| Digest::of(&self.ends()))
    }

    fn has_met(&self) -> bool {
        self.has_met
    }

    fn caller(&mut self, event: Event) -> Caller {
        callers::caller(event)
    }

    /// Files are followed by nobody: what one rank writes, another one may read.
    fn influence(&self) -> Option<Influence> {
        driven(|driver, _| driver.influence()).filter(|_| process::have_no_files_changed())
    }

    fn told(&self) -> Option<Told> {
        driven(|driver, _| driver.traces()).filter(|_| process::have_no_files_changed())
    }

    /// A copy, or nothing where making the choices since the last one again costs less than a copy: with a copy of ten
    /// thousand waiting messages for each of ten thousand choices, memory would grow with the square of their number.
    fn snapshot(&mut self) -> Option<Snapshot> {
        let extent = with(|runtime| runtime.world.extent());
        let made = self.depth.saturating_sub(self.copied_at);
        let is_much = !self.copies_all && self.copied + extent > COPIED_AT_WILL;
        let is_short = !self.copies_all && made < REPEATED_AT_MOST && self.memory.is_short();
        if is_short || is_much && made * COPIED_PER_CHOICE < extent {
            return None;
        }
        self.copied_at = self.depth;
        self.copied += extent;
        Some(self.copy())
    }

    fn restore(&mut self, snapshot: &Snapshot) {
        self.put_back(snapshot);
    }

    fn left_out(&self) -> bool {
        LeftOut::here() != LeftOut::default()
    }

    fn failed(&self) -> bool {
        Program::failed(self)
    }
}
