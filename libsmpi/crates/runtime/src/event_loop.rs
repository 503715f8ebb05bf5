//! The event loop: runs the ranks instant by instant.

use smpi_base::exit;
use smpi_base::rng::Rng;
use smpi_base::words::counted;
use smpi_base::{SimTime, WorldRank};
use smpi_base::{eprint, eprintln};
use smpi_dwarf::source;
use smpi_mpi::world::{Clock, Driver, Ended, Notice};
use smpi_process::{self as process, Ranks, Resumed};

use crate::global::with;
use crate::live::{self, Live};
use crate::spawn::serve;
use crate::state::{Runtime, Standing};
use crate::summary;

/// Who looks on while ranks run.
#[derive(Clone, Copy, Debug)]
pub struct Watchers {
    /// A rank runs from now on.
    pub select: fn(WorldRank),
    /// Something was noticed about the program; all ranks are suspended.
    pub noticed: fn(&mut Ranks),
}

/// Runs ranks and clock until everything is over; returns the exit code so far.
pub fn run(ranks: &mut Ranks, shuffle: Option<u64>, watchers: Watchers) -> i32 {
    let mut rng = shuffle.map(Rng::new);
    let mut batch = begin();
    let mut done = Vec::new();
    let mut woken = Vec::new();
    let mut live = Live::begin();
    loop {
        batch.sort_unstable();
        if let Some(rng) = &mut rng {
            rng.shuffle(&mut batch);
        }
        for &rank in &batch {
            (watchers.select)(rank);
            if let Resumed::Exited(exit) = ranks.resume(rank) {
                note_exit(rank, exit);
            }
        }
        live.before_output();
        process::commit_output();
        warn_of_sharing(ranks);
        if let Some(code) = abort(ranks) {
            return code;
        }
        batch.clear();
        serve(ranks);
        let goes_on = next_batch(&mut batch, &mut done, &mut woken) || give_up_connecting(&mut batch, &mut woken);
        tell_failures(ranks);
        if with(|runtime| runtime.world.has_observations()) {
            (watchers.noticed)(ranks);
        }
        if !goes_on {
            break;
        }
        live.look(|rank| live::place_of(ranks, rank));
    }
    drop(live);
    process::flush_output();
    let code = failed(ranks);
    if with(|runtime| runtime.ranks.iter().all(|run| run.standing.is_over())) {
        return code;
    }
    // A rank that failed is the cause of what the others wait for.
    let stuck = summary::stuck();
    // Ranks are resumed to find out where they are: nothing is asked of them afterwards.
    let told = summary::told_of(&stuck);
    let places: Vec<_> = told.iter().map(|&rank| ranks.locate(rank)).collect();
    eprint!("{}", summary::deadlock_report(&stuck, &told, &places));
    if code != 0 { code } else { summary::stuck_code() }
}

/// Ends the ranks that are connected with those that have aborted at this instant. The code of the run where nobody is
/// left, or of the lowest of them if that leaves nobody.
fn abort(ranks: &Ranks) -> Option<i32> {
    let mut aborted = with(|runtime| std::mem::take(&mut runtime.trouble.aborted));
    if aborted.is_empty() {
        return None;
    }
    // Ranks of one instant run in any order.
    aborted.sort_unstable();
    with(|runtime| {
        for &(rank, code) in &aborted {
            for other in runtime.connected_with(rank) {
                if !runtime.ranks[other.index()].standing.is_over() {
                    runtime.end_rank(other, code);
                    runtime.world.rank_ended(&mut runtime.driver, other);
                    ranks.tell_end(other);
                }
            }
        }
        runtime.ready.retain(|rank| !runtime.ranks[rank.index()].standing.is_over());
        let is_over = runtime.ranks.iter().all(|run| run.standing.is_over());
        aborted.first().filter(|_| is_over).map(|(_, code)| *code)
    })
}

/// Makes all ranks of the command line ready, and returns them.
pub fn begin() -> Vec<WorldRank> {
    with(|runtime| {
        let first = runtime.layout.first_ranks;
        runtime.ranks.iter_mut().take(first as usize).for_each(|run| run.standing = Standing::Ready);
        (0..first).map(WorldRank).collect()
    })
}

/// The exit code of the lowest rank that failed, which does not depend on how fast ranks are; 0 when none did. Says
/// which ranks these are, as far as nothing was said when they ended.
fn failed(ranks: &Ranks) -> i32 {
    let failed: Vec<(WorldRank, i32)> = with(|runtime| {
        let codes = runtime
            .ranks
            .iter()
            .enumerate()
            .map(|(index, run)| (WorldRank(index as u32), run.standing.exit().unwrap_or(0)));
        codes.filter(|(_, code)| *code != 0).collect()
    });
    let is_told = |rank: WorldRank| ranks.end_is_told(rank) || with(|runtime| runtime.world.has_fallen(rank));
    let silent: Vec<&(WorldRank, i32)> = failed.iter().filter(|(rank, _)| !is_told(*rank)).collect();
    if let [(rank, code), others @ ..] = &silent[..] {
        let others = match others.len() as u64 {
            0 => String::new(),
            more => format!(", and {} with a code other than 0", counted(more, "more rank")),
        };
        let place = process::place_of_site(*rank, process::exit_of(*rank).site);
        let place = source::in_words(place.as_ref());
        eprintln!("smpirun: rank {rank} ended with exit code {code}{place}{others}");
    }
    failed.first().map_or(0, |(_, code)| *code)
}

/// Prints warnings about variables of libraries that ranks share by mistake.
pub fn warn_of_sharing(ranks: &mut Ranks) {
    let warnings = ranks.sharing_warnings();
    if !warnings.is_empty() && !with(|runtime| runtime.settings.quiet) {
        warnings.iter().for_each(|warning| eprintln!("{warning}"));
    }
}

/// Commits the instant and fills the next batch; false when nothing can go on.
pub fn next_batch(batch: &mut Vec<WorldRank>, done: &mut Vec<Ended>, woken: &mut Vec<WorldRank>) -> bool {
    with(|runtime| {
        runtime.commit(woken);
        while runtime.ready.is_empty() {
            if !runtime.advance(done, woken) {
                return false;
            }
        }
        std::mem::swap(batch, &mut runtime.ready);
        true
    })
}

/// Ends the attempts to connect that nobody accepts, and fills the next batch with those that made them; false where
/// there are none.
fn give_up_connecting(batch: &mut Vec<WorldRank>, woken: &mut Vec<WorldRank>) -> bool {
    with(|runtime| {
        runtime.world.give_up_connecting(&mut runtime.driver);
        runtime.ready_woken(woken);
        std::mem::swap(batch, &mut runtime.ready);
        !batch.is_empty()
    })
}

/// Ends the transfers that take no time, and makes ready whom that wakes, though others can go on without. Only where
/// no time passes.
pub fn finish_transfers(woken: &mut Vec<WorldRank>) {
    with(|runtime| _ = runtime.advance(&mut Vec::new(), woken));
}

/// Says which ranks have ended because their hosts have failed since it was said last, and where they were.
fn tell_failures(ranks: &mut Ranks) {
    let fallen = with(|runtime| std::mem::take(&mut runtime.trouble.fallen));
    for rank in fallen {
        // A failed rank is resumed to find out where it is: nothing is asked of it afterwards.
        let place = ranks.locate(rank);
        let place = source::in_words(place.as_ref());
        with(|runtime| {
            let host = &runtime.platform.hosts()[runtime.layout.placement[rank.index()].index()].name;
            let run = &runtime.ranks[rank.index()];
            let call = match (run.call.is_unknown(), run.doing.is_call()) {
                (true, _) => "before its first MPI call".to_string(),
                (false, true) => format!("in {}", run.call.name()),
                (false, false) => format!("after {}", run.call.name()),
            };
            eprintln!("smpirun: host {host} failed at {}: rank {rank} ended {call}{place}", run.ended);
        });
    }
}

/// Fills the next batch with whom the last step woke, and commits nothing but what was done with files; false when
/// nothing can go on without.
pub fn next_without_commit(batch: &mut Vec<WorldRank>, woken: &mut Vec<WorldRank>) -> bool {
    with(|runtime| {
        runtime.commit_files();
        runtime.ready_woken(woken);
        while runtime.ready.is_empty() {
            if !runtime.advance(&mut Vec::new(), woken) {
                return false;
            }
        }
        std::mem::swap(batch, &mut runtime.ready);
        true
    })
}

impl Runtime {
    /// Commits what ranks posted, and makes ready whom that woke.
    fn commit(&mut self, woken: &mut Vec<WorldRank>) {
        self.commit_files();
        self.world.commit(&mut self.driver);
        self.world.fail_with_fallen(&mut self.driver);
        self.ready_woken(woken);
    }

    fn ready_woken(&mut self, woken: &mut Vec<WorldRank>) {
        self.driver.told(&self.world, Notice::InstantOver);
        self.world.take_woken(woken);
        for rank in woken.drain(..) {
            self.make_ready(rank);
        }
    }

    /// Moves the clock to the next instant at which something ends; false when nothing is in flight.
    fn advance(&mut self, done: &mut Vec<Ended>, woken: &mut Vec<WorldRank>) -> bool {
        let moved = self.driver.advance(done);
        for ended in done.drain(..) {
            self.driver.told(&self.world, Notice::Ending(ended));
            self.end(ended);
        }
        self.end_with_hosts();
        self.world.fail_with_fallen(&mut self.driver);
        if self.world.has_file_turns() {
            self.commit_files();
        }
        self.ready_woken(woken);
        moved
    }

    /// Ends the ranks whose hosts have failed.
    fn end_with_hosts(&mut self) {
        for change in self.driver.take_host_changes() {
            if change.is_on {
                continue;
            }
            let on_host =
                |rank: &usize| self.layout.placement[*rank] == change.host && !self.ranks[*rank].standing.is_over();
            let ranks: Vec<usize> = (0..self.ranks.len()).filter(on_host).collect();
            for rank in ranks.into_iter().map(|rank| WorldRank(rank as u32)) {
                self.end_rank(rank, exit::HOST_FAILED);
                self.world.rank_fell(&mut self.driver, rank);
                self.trouble.fallen.push(rank);
            }
            self.ready.retain(|rank| !self.ranks[rank.index()].standing.is_over());
        }
    }

    /// A rank does nothing any more, and this is its exit code.
    fn end_rank(&mut self, rank: WorldRank, exit: i32) {
        let now = self.driver.now();
        let run = self.run(rank);
        run.standing = Standing::Over { exit, stopped: run.standing.is_stopped() };
        run.ended = now;
        self.driver.set_alarm(rank, SimTime(f64::INFINITY));
    }

    fn end(&mut self, ended: Ended) {
        match ended {
            Ended::Transfer(comm) => self.world.transfer_done(&mut self.driver, comm),
            Ended::Rank(rank) => {
                let run = self.run(rank);
                run.under_way = run.under_way.saturating_sub(1);
                self.make_ready(rank);
            }
            Ended::Alarm(rank) => {
                process::note_timer(rank);
                self.signal(rank);
            }
            Ended::Job(job) => self.job_over(job),
        }
    }
}

/// A rank has ended with this exit code.
pub fn note_exit(rank: WorldRank, exit: i32) {
    with(|runtime| {
        runtime.end_rank(rank, exit);
        runtime.world.rank_ended(&mut runtime.driver, rank);
    });
}

/// The event loop of a program without `smpirun`: runs on its only rank's stack until that rank can go on.
pub fn run_until_ready(rank: WorldRank) {
    let (mut done, mut woken) = (Vec::new(), Vec::new());
    let stuck = with(|runtime| {
        runtime.serve_alone();
        runtime.commit(&mut woken);
        while runtime.ready.is_empty() {
            if !runtime.advance(&mut done, &mut woken) {
                return true;
            }
        }
        runtime.ready.clear();
        runtime.run(rank).standing = Standing::Ready;
        false
    });
    if stuck {
        let stuck = summary::stuck();
        eprint!("{}", summary::deadlock_report(&stuck, &summary::told_of(&stuck), &[process::own_place()]));
        process::exit_now(summary::stuck_code());
    }
}
