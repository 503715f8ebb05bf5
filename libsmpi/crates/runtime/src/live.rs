//! What is said of a simulation while it runs: a line on the terminal, and, when `SIGUSR1` asks, what every rank does.
//!
//! Both look only; results do not depend on them.

use std::fmt::Write as _;
use std::time::Duration;

use smpi_base::eprint;
use smpi_base::words::{counted, grouped};
use smpi_base::{SimTime, WorldRank};
use smpi_dwarf::source;
use smpi_mpi::world::Clock;
use smpi_process as process;
use smpi_report::progress::{Progress, duration};
use smpi_report::rows;

use crate::global::with;
use crate::state::{MpiPhase, Runtime, Standing};
use crate::waiting::{Missing, waits_of};

/// Runs that are shorter than this have no line.
const SHORT: Duration = Duration::from_secs(1);

/// The clock is read once in so many instants.
const INSTANTS: u32 = 16;

/// Ranks whose places are looked up.
const MAX_PLACES: usize = 256;

/// Lines of an answer.
const MAX_LINES: usize = 40;

/// Tells how far a simulation is.
pub struct Live {
    progress: Progress,
    instants: u32,
}

impl Live {
    /// Begins to tell, and to answer.
    pub fn begin() -> Live {
        process::answer_questions();
        let is_quiet = with(|runtime| runtime.settings.quiet);
        let progress = if is_quiet { Progress::silent() } else { Progress::new() };
        Live { progress: progress.after(SHORT), instants: 0 }
    }

    /// An instant is over, and all ranks are suspended; `place` says where a rank is, if that is known.
    #[inline]
    pub fn look(&mut self, place: impl FnMut(WorldRank) -> Option<String>) {
        self.instants += 1;
        if self.instants == INSTANTS {
            self.instants = 0;
            self.progress.show(|elapsed| with(|runtime| line(runtime, elapsed)));
        }
        if process::is_asked() {
            self.answer(place);
        }
    }

    /// Makes room for what ranks print.
    #[inline]
    pub fn before_output(&mut self) {
        if process::has_output() {
            self.progress.clear();
        }
    }

    #[cold]
    fn answer(&mut self, place: impl FnMut(WorldRank) -> Option<String>) {
        self.progress.clear();
        eprint!("{}", report(place));
    }
}

/// How much of its work the slowest rank of those that say it has done.
fn done(runtime: &Runtime) -> Option<f64> {
    let is_there = |rank: &WorldRank| !runtime.ranks[rank.index()].standing.is_over();
    let said = runtime.born().filter(is_there).filter_map(|rank| runtime.ranks[rank.index()].done);
    said.min_by(f64::total_cmp)
}

/// How long the rest takes if it goes on like that, in words.
fn rest(done: f64, elapsed_secs: f64) -> String {
    let left = if done > 0.0 {
        format!(", about {} left", duration(elapsed_secs * (1.0 - done) / done))
    } else {
        String::new()
    };
    format!("{}{left}, ", done_in_words(done))
}

fn done_in_words(done: f64) -> String {
    format!("{:.1} % done", 100.0 * done)
}

/// `25.0 % done, about 2:00 min left, 12.5 s simulated (0.31 s/s), 3 of 64 ranks are through, 1,234,567 messages, 40.2
/// s`.
fn line(runtime: &mut Runtime, elapsed: Duration) -> String {
    let (now, real) = (runtime.driver.now().secs(), elapsed.as_secs_f64());
    let (mut all, mut over, mut messages) = (0, 0_u64, 0);
    for rank in runtime.born() {
        all += 1;
        over += u64::from(runtime.ranks[rank.index()].standing.is_over());
        messages += runtime.world.state.ranks[rank.index()].sent.messages;
    }
    let through = if over > 0 { format!(", {over} of {all} ranks are through") } else { String::new() };
    let rate = SimTime(now / real.max(1e-9));
    let time = SimTime(now);
    let rest = done(runtime).map_or_else(String::new, |done| rest(done, real));
    format!("{rest}{time} simulated ({rate} a second){through}, {} messages, {}", grouped(messages), duration(real))
}

/// What every rank does, ranks that do the same in one line.
fn report(mut place: impl FnMut(WorldRank) -> Option<String>) -> String {
    let (ranks, deeds): (Vec<WorldRank>, Vec<String>) = with(|runtime| {
        let missing = Missing::new(runtime);
        runtime.born().map(|rank| (rank, deed(runtime, &missing, rank))).unzip()
    });
    let mut lines: Vec<(String, Vec<WorldRank>)> = Vec::new();
    for (index, (&rank, deed)) in ranks.iter().zip(deeds).enumerate() {
        let place = if index < MAX_PLACES { place(rank) } else { None };
        let text = deed + &place.unwrap_or_default();
        match lines.iter_mut().find(|(known, _)| *known == text) {
            Some((_, ranks)) => ranks.push(rank),
            None => lines.push((text, vec![rank])),
        }
    }
    let (now, done) = with(|runtime| (runtime.driver.now(), done(runtime)));
    let done = done.map_or_else(String::new, |done| format!(", {}", done_in_words(done)));
    let mut text = format!("smpirun: {} at {now}{done}:\n", counted(ranks.len() as u64, "rank"));
    for (deed, ranks) in lines.iter().take(MAX_LINES) {
        let _ = writeln!(text, "  {} {deed}", named(ranks));
    }
    if lines.len() > MAX_LINES {
        let left: usize = lines.iter().skip(MAX_LINES).map(|(_, ranks)| ranks.len()).sum();
        let _ = writeln!(text, "  … and {}", counted(left as u64, "more rank"));
    }
    text
}

/// What a rank does now.
fn deed(runtime: &Runtime, missing: &Missing<'_>, rank: WorldRank) -> String {
    let run = &runtime.ranks[rank.index()];
    let call = if run.call.is_unknown() { "an MPI call" } else { run.call.name() };
    match (run.standing.exit(), run.doing.is_call()) {
        (Some(0), _) => "through".to_string(),
        (Some(code), _) => format!("ended with exit code {code}"),
        (None, true) if run.under_way > 0 || run.standing == Standing::Ready => format!("busy in {call}"),
        (None, true) => format!("in {call}, waiting for {}", waits_of(runtime, missing, rank)),
        (None, false) if run.phase == MpiPhase::Before => "before MPI_Init".to_string(),
        (None, false) => format!("outside of MPI, after {call}"),
    }
}

/// `rank 3`, or `ranks 0, 4-9`: at most so many runs that a line can be read.
fn named(ranks: &[WorldRank]) -> String {
    /// Runs of ranks in a line.
    const MAX_RUNS: usize = 8;
    let runs = rows::runs(ranks.iter().map(|rank| rank.0));
    let words = runs.iter().take(MAX_RUNS);
    let words: Vec<String> =
        words.map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") }).collect();
    let more = if runs.len() > MAX_RUNS { format!(", … ({} in all)", ranks.len()) } else { String::new() };
    format!("rank{} {}{more}:", if ranks.len() == 1 { "" } else { "s" }, words.join(", "))
}

/// Where a suspended rank of a program is, in words.
pub fn place_of(ranks: &mut process::Ranks, rank: WorldRank) -> Option<String> {
    let is_there = with(|runtime| !runtime.ranks[rank.index()].standing.is_over());
    is_there.then(|| source::in_words(ranks.locate(rank).as_ref()))
}
