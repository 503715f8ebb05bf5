//! `--jobs`: several processes explore the parts of a program ([`smpi_checker::jobs`]).
//!
//! Workers are forks of the exploring process, which hands out the parts and puts the results together in the order in
//! which one process would have found them. A worker's results do not depend on when it ran, so the report does not
//! depend on the number of workers. One exception: the occurrences of a finding may count orders of the same choices
//! separately.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use smpi_base::map::Map;
use smpi_base::plan::VerifyPlan;
use smpi_checker::jobs::{PARTS, PartId, Plan};
use smpi_checker::{Event, Limits, Part, Stop, explore_part, wire};
use smpi_report::finding::{Buffering, Finding};
use smpi_report::progress::Counts;
use smpi_report::{Findings, Progress};
use smpi_verification::{Discoveries, Discovery};

use super::collect::Collector;
use super::explored::{Explored, Results};
use super::race::Race;
use super::system::{End, LeftOut, Program, driven, foreseen, is_surprised};
use super::trail::{self, Trail};
use super::{interrupt, token};
use smpi_process as process;
use smpi_runtime::summary::Wall;

/// Milliseconds between two looks at the clock and at Ctrl-C.
const LOOK_INTERVAL: i32 = 100;

/// Seconds that workers have for their last answer after Ctrl-C and at the time limit.
const PATIENCE_SECS: f64 = 1.0;

/// What a worker found in a part, beside the checker's own result. Schedules and names are text.
type Extra = (Vec<Finding>, bool, Option<(Vec<End>, String)>, Option<(String, u32)>, Results, LeftOut, Vec<String>);

/// What workers found so far.
#[derive(Default)]
struct Found {
    extras: Map<PartId, Extra>,
    executions: u64,
    transitions: u64,
    left_out: LeftOut,
    discovered: Discoveries,
}

struct Worker {
    pid: libc::pid_t,
    stream: UnixStream,
    trail: Option<&'static Trail>,
    busy: Option<PartId>,
}

/// The work of one mode.
pub struct Job<'a> {
    /// Buffering.
    pub mode: Buffering,
    /// Options of the user.
    pub options: &'a VerifyPlan,
    /// Limits of the exploration.
    pub limits: &'a Limits,
    /// Wall time.
    pub wall: &'a Wall,
    /// The deadlock with zero buffering that is looked for, if that is all that is left to do.
    pub wanted: Option<Finding>,
}

/// Processes that explore.
pub fn count(options: &VerifyPlan) -> usize {
    match options.jobs {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        jobs => jobs as usize,
    }
}

impl Job<'_> {
    /// Explores the program with several processes.
    pub fn explore(&self, program: &mut Program, findings: &mut Findings, progress: &mut Progress) -> Explored {
        let ends_early = Limits { keep_going: self.limits.keep_going && self.wanted.is_none(), ..*self.limits };
        let mut plan = Plan::new(program, &ends_early, PARTS);
        let mut found = Found::default();
        while !is_surprised() {
            self.round(program, &mut plan, &mut found, progress);
            let is_over = interrupt::wanted() || !found.discovered.is_empty();
            if is_over || found.extras.values().any(|extra| extra.1) || !plan.expand(program) {
                break;
            }
        }
        let Found { mut extras, executions, transitions, mut left_out, discovered } = found;
        left_out.join(LeftOut::here());
        let mut race = None;
        let mut first: Option<(Vec<End>, Vec<Event>)> = None;
        let path = |text: &str| token::path(text).map(|(_, _, path)| path).unwrap_or_default();
        let mut results = Results::new();
        for id in plan.parts() {
            let Some((found, _, ends, other, ends_in_part, ..)) = extras.remove(&id) else { continue };
            results.extend(ends_in_part);
            for mut finding in found {
                finding.execution = plan.execution_number(id, finding.execution);
                findings.add(finding);
            }
            let Some((ends, way)) = ends else { continue };
            let (known, way_there) = first.get_or_insert_with(|| (ends.clone(), path(&way)));
            let differs = known.iter().zip(&ends).position(|(one, other)| one != other);
            let found = differs.map(|rank| (way, rank as u32)).or(other);
            if let Some((other, rank)) = found.filter(|_| race.is_none()) {
                race = Some(Race { first: way_there.clone(), other: path(&other), rank });
            }
        }
        let mut verdict = plan.verdict();
        if verdict.stopped == Some(Stop::Asked) {
            // Parts were left out; the counts are those of all that was done.
            (verdict.stats.executions, verdict.stats.transitions) = (executions, transitions);
        }
        Explored { verdict, timed_out: self.is_late(), race, results, left_out, discovered }
    }

    fn is_late(&self) -> bool {
        self.options.time_limit_secs > 0.0 && self.wall.seconds() > self.options.time_limit_secs
    }

    /// Explores the open parts of a plan.
    fn round(&self, program: &mut Program, plan: &mut Plan, found: &mut Found, progress: &mut Progress) {
        let Found { extras, executions, transitions, left_out, discovered } = found;
        let mut waiting = plan.open_parts();
        waiting.reverse();
        let wanted = count(self.options).min(waiting.len());
        let mut workers: Vec<Worker> = (0..wanted).filter_map(|_| self.start(program)).collect();
        let mut asked = None;
        let mut done = 0_u64;
        while !plan.open_parts().is_empty() && !workers.is_empty() && discovered.is_empty() {
            if asked.is_none() && (interrupt::wanted() || self.is_late()) {
                asked = Some(self.wall.seconds());
                waiting.clear();
                // SAFETY: children of this process that are not reaped yet.
                workers.iter().for_each(|worker| unsafe {
                    libc::kill(worker.pid, libc::SIGINT);
                });
            }
            let is_idle = workers.iter().all(|worker| worker.busy.is_none());
            if asked.is_some_and(|at| is_idle || self.wall.seconds() > at + PATIENCE_SECS) {
                break;
            }
            for worker in workers.iter_mut().filter(|worker| worker.busy.is_none()) {
                let Some(id) = waiting.pop() else { break };
                let part = plan.part(id);
                send(&mut worker.stream, &wire::write_part(part.prefix, part.shared)).unwrap_or_else(|()| lost(worker));
                worker.busy = Some(id);
            }
            for index in readable(&workers) {
                let worker = &mut workers[index];
                let Some(id) = worker.busy.take() else { lost(worker) };
                let (result, extra) = answer(&mut worker.stream).unwrap_or_else(|| lost(worker));
                *executions += result.verdict.stats.executions;
                *transitions += result.verdict.stats.transitions;
                plan.finish(id, result);
                left_out.join(extra.5.clone());
                discovered.extend(extra.6.iter().filter_map(|name| name.parse::<Discovery>().ok()));
                extra.0.iter().for_each(trail::note_finding);
                extras.insert(id, extra);
                done += 1;
                let open = plan.open_parts();
                waiting.retain(|id| open.contains(id));
            }
            trail::note_counts(*executions, *transitions);
            progress.update(|| Counts {
                executions: *executions,
                transitions: *transitions,
                explored: Some(done as f64 / (done + plan.open_parts().len() as u64).max(1) as f64),
                findings: extras.values().map(|extra| extra.0.len() as u64).sum(),
                ..Counts::default()
            });
        }
        for worker in workers {
            // SAFETY: a child of this process that is not reaped yet.
            unsafe {
                libc::kill(worker.pid, libc::SIGKILL);
                libc::waitpid(worker.pid, std::ptr::null_mut(), 0);
            }
        }
    }

    fn start(&self, program: &mut Program) -> Option<Worker> {
        let (ours, theirs) = UnixStream::pair().ok()?;
        let hidden = |stream: UnixStream| process::hide(stream.into()).map(UnixStream::from);
        let (ours, mut theirs) = (hidden(ours)?, hidden(theirs)?);
        let trail = Trail::new();
        // SAFETY: the process has one thread, so its child may go on in any way.
        match unsafe { libc::fork() } {
            -1 => None,
            0 => {
                drop(ours);
                // SAFETY: a system call with valid arguments.
                unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
                if let Some(trail) = trail {
                    trail.follow();
                    trail::note_mode(self.mode);
                    trail::note_foreseen(&foreseen());
                }
                if self.options.call_timeout_secs > 0.0 {
                    process::watch_steps(self.options.call_timeout_secs);
                }
                while let Some((prefix, shared)) = receive(&mut theirs).and_then(|bytes| wire::read_part(&bytes)) {
                    if self.work(program, &prefix, shared, &mut theirs).is_err() {
                        break;
                    }
                }
                // SAFETY: ends this process only; its buffers are its parent's.
                unsafe { libc::_exit(0) }
            }
            pid => Some(Worker { pid, stream: ours, trail, busy: None }),
        }
    }

    fn work(&self, program: &mut Program, prefix: &[Event], shared: bool, out: &mut UnixStream) -> Result<(), ()> {
        let (mut findings, mut silent) = (Findings::new(), Progress::silent());
        let collector = Collector::new(self.mode, self.options, self.wall, &mut findings, &mut silent);
        let mut collector = collector.looking_for(self.wanted.clone());
        let mut result = explore_part(program, Part { prefix, shared }, self.limits, &mut collector);
        collector.note_settled(&mut result.verdict);
        let known = foreseen();
        let text = |path: &[Event]| token::write(self.mode, &known, path);
        let timed_out = collector.timed_out;
        let first = collector.first.take().map(|(ends, path)| (ends, text(&path)));
        let race = collector.race.take().map(|race| (text(&race.other), race.rank));
        let results = std::mem::take(&mut collector.results);
        let discovered = driven(|driver, _| driver.take_discovered()).iter().map(ToString::to_string).collect();
        let extra: Extra = (findings.into_vec(), timed_out, first, race, results, LeftOut::here(), discovered);
        send(out, &wire::write_result(&result))?;
        send(out, &serde_json::to_vec(&extra).map_err(drop)?)
    }
}

fn send(stream: &mut UnixStream, bytes: &[u8]) -> Result<(), ()> {
    stream.write_all(&(bytes.len() as u64).to_le_bytes()).and_then(|()| stream.write_all(bytes)).map_err(drop)
}

fn receive(stream: &mut UnixStream) -> Option<Vec<u8>> {
    let mut len = [0; 8];
    stream.read_exact(&mut len).ok()?;
    let mut bytes = vec![0; u64::from_le_bytes(len) as usize];
    stream.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

fn answer(stream: &mut UnixStream) -> Option<(smpi_checker::PartResult, Extra)> {
    let result = wire::read_result(&receive(stream)?)?;
    Some((result, serde_json::from_slice(&receive(stream)?).ok()?))
}

/// Workers that have said something, or ended.
fn readable(workers: &[Worker]) -> Vec<usize> {
    use std::os::fd::AsRawFd;
    let poll = |worker: &Worker| libc::pollfd { fd: worker.stream.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let mut fds: Vec<libc::pollfd> = workers.iter().map(poll).collect();
    // SAFETY: a valid array; an interrupted call leaves the results at 0.
    if unsafe { libc::poll(fds.as_mut_ptr(), fds.len() as _, LOOK_INTERVAL) } <= 0 {
        return Vec::new();
    }
    (0..fds.len()).filter(|&index| fds[index].revents != 0).collect()
}

/// A worker is gone: the supervisor tells the user, as if it had been this process.
fn lost(worker: &Worker) -> ! {
    // The kernel closes a dying process's files before its parent can reap it.
    std::thread::sleep(Duration::from_millis(10));
    let mut status = 0;
    // SAFETY: a child of this process that is not reaped yet.
    unsafe { libc::waitpid(worker.pid, &mut status, 0) };
    if let Some(trail) = worker.trail {
        trail::adopt(trail);
    }
    let code = if libc::WIFSIGNALED(status) { 128 + libc::WTERMSIG(status) } else { libc::WEXITSTATUS(status) };
    // SAFETY: ends the process; workers end with it.
    unsafe { libc::_exit(code) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers are longer than what a socket holds at once, and may be empty.
    #[test]
    fn messages_between_processes_arrive_whole() {
        let (mut here, mut there) = UnixStream::pair().unwrap();
        let long: Vec<u8> = (0..3_000_000_u32).map(|number| (number % 251) as u8).collect();
        let sent = [long, Vec::new(), vec![7]];
        std::thread::scope(|scope| {
            scope.spawn(|| sent.iter().for_each(|bytes| send(&mut here, bytes).unwrap()));
            sent.iter().for_each(|bytes| assert!(receive(&mut there).as_ref() == Some(bytes)));
        });
        // A worker that dies in the middle of an answer has given none.
        here.write_all(&100_u64.to_le_bytes()).unwrap();
        here.write_all(b"only this").unwrap();
        drop(here);
        assert_eq!(receive(&mut there), None);
        assert_eq!(receive(&mut there), None);
        assert!(answer(&mut there).is_none());
    }
}
