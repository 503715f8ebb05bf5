//! Processes that share the work of an exploration.
//!
//! They are forks of the exploring process. It hands out tasks and gets their results in any order; what becomes of
//! these is the business of [`Tasks`].

pub(crate) mod checkpoint;
pub(crate) mod next_mode;
pub(crate) mod nodes;
pub(crate) mod part;
pub(crate) mod parts_of_a_mode;
pub(crate) mod walks;
pub(crate) mod whole_mode;

use std::cell::{RefCell, RefMut};
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use smpi_base::eprintln;
use smpi_base::plan::VerifyPlan;
use smpi_report::Finding;
use smpi_report::finding::Buffering;
use smpi_runtime::summary::Wall;

use crate::limits::interrupt;
use crate::limits::{end_with, watch_steps};
use crate::processes::checkpoint::{Checkpoint, Context, Remembered};
use crate::processes::nodes::{Heard, Nodes};
use crate::processes::part::Seen;
use crate::program::{Program, foreseen};
use crate::trail::{self, Trail};
use smpi_process as process;

/// Milliseconds between two looks at the clock and at Ctrl-C.
const LOOK_INTERVAL: i32 = 100;

/// Seconds that workers have for their last answer after Ctrl-C and at the time limit.
const PATIENCE_SECS: f64 = 1.0;

/// Work for several processes.
pub trait Tasks {
    /// The next task as bytes, with its number; `None` when there is none at present.
    fn hand_out(&mut self) -> Option<(usize, Vec<u8>)>;

    /// What a worker did with a task. `None` when the bytes are no result.
    fn take_in(&mut self, task: usize, result: &[u8], seen: Seen) -> Option<()>;

    /// The transitions that a task has taken. `None` when the bytes are no result.
    fn transitions(&self, result: &[u8]) -> Option<u64>;

    /// Whether a result is what the task gives whenever it is done: nobody has cut it short.
    fn is_whole(&self, result: &[u8], seen: &Seen) -> bool;

    /// Whether nothing more is to be done, whatever is still on its way.
    fn is_over(&self) -> bool;
}

/// Does a task that is given as bytes.
pub type Work<'a> = dyn FnMut(&mut Program, &[u8]) -> Option<(Vec<u8>, Seen)> + 'a;

/// The processes of one mode.
#[derive(Clone, Copy)]
pub struct Pool<'a> {
    /// Buffering.
    pub mode: Buffering,
    /// Options of the user.
    pub options: &'a VerifyPlan,
    /// Wall time.
    pub wall: &'a Wall,
    /// Where it is kept what was explored.
    pub checkpoint: Option<&'a RefCell<Checkpoint>>,
    /// Explorers on other machines.
    pub nodes: Option<&'a RefCell<Nodes>>,
}

/// One of them. It ends when it is dropped.
pub struct Worker {
    pid: libc::pid_t,
    stream: UnixStream,
    trail: Option<&'static Trail>,
    busy: Option<usize>,
}

impl Drop for Worker {
    fn drop(&mut self) {
        // SAFETY: a child of this process that is not reaped yet.
        unsafe {
            libc::kill(self.pid, libc::SIGKILL);
            libc::waitpid(self.pid, std::ptr::null_mut(), 0);
        }
    }
}

impl Worker {
    /// Its stream, for `poll`.
    pub fn descriptor(&self) -> i32 {
        self.stream.as_raw_fd()
    }

    /// Whether it has said something, or ended.
    pub fn has_answered(&self) -> bool {
        readable(&[self.descriptor()], 0)[0]
    }

    /// Waits for its answer; `None` where it has ended.
    pub fn take_answer(&mut self) -> Option<(Vec<u8>, Seen)> {
        answer(&mut self.stream)
    }

    /// Gives it a task; false where it has ended.
    pub fn give(&mut self, task: &[u8]) -> bool {
        send(&mut self.stream, task).is_ok()
    }
}

/// Tasks that other machines do, or were to do.
struct Away<'a> {
    nodes: Option<RefMut<'a, Nodes>>,
    context: &'a [u8],
    /// Those that any process may do.
    again: Vec<(usize, Vec<u8>)>,
    /// Those that a worker of this process has to do.
    here: Vec<(usize, Vec<u8>)>,
}

impl Away<'_> {
    /// There are no other machines.
    fn none() -> Away<'static> {
        Away { nodes: None, context: &[], again: Vec::new(), here: Vec::new() }
    }

    fn begin(&mut self) {
        if let Some(nodes) = &mut self.nodes {
            nodes.begin();
        }
    }

    fn descriptor(&self) -> Option<i32> {
        self.nodes.as_ref().map(|nodes| nodes.descriptor())
    }

    fn is_busy(&self) -> bool {
        let are_left = !self.again.is_empty() || !self.here.is_empty();
        are_left || self.nodes.as_ref().is_some_and(|nodes| nodes.are_busy())
    }

    /// A task that a worker of this process has to do, or may.
    fn left_here(&mut self) -> Option<(usize, Vec<u8>)> {
        self.here.pop().or_else(|| self.again.pop())
    }

    /// Gives a task to each explorer that has none, as long as there are tasks.
    fn hand_out<T: Tasks>(&mut self, tasks: &mut T) {
        let Some(nodes) = &mut self.nodes else { return };
        while let Some(process) = nodes.idle() {
            let Some(task) = self.again.pop().or_else(|| tasks.hand_out()) else { return };
            nodes.give(process, task, self.context);
        }
    }

    /// Takes in what other explorers have done.
    fn hear<T: Tasks>(&mut self, tasks: &mut T) {
        let Some(nodes) = &mut self.nodes else { return };
        for heard in nodes.hear() {
            match heard {
                Heard::Answer { process, task, given, result, seen } => {
                    let transitions = tasks.transitions(&result);
                    if tasks.take_in(task, &result, *seen).is_none() {
                        self.here.push((task, given));
                    }
                    nodes.note_work(process, transitions);
                }
                Heard::Again(task, bytes) => self.again.push((task, bytes)),
                Heard::Here(task, bytes) => self.here.push((task, bytes)),
            }
        }
    }
}

/// Processes that explore.
pub fn count(options: &VerifyPlan) -> usize {
    match options.jobs {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        jobs => jobs as usize,
    }
}

/// Whether what several processes can do is cut into parts where one could explore alone.
pub fn cuts(options: &VerifyPlan) -> bool {
    count(options) > 1 || options.checkpoint.is_some() || options.node.is_some()
}

impl Pool<'_> {
    /// Tells the user that what comes now is kept as a whole, and not shared, where parts would be; or that it is kept
    /// after so many seconds again and again.
    pub fn tell_unshared(&self, by: &str, every: Option<f64>) {
        let kept = self.checkpoint.map(|_| match every {
            Some(seconds) => format!("it is kept every {seconds} s"),
            None => "it is kept once it is over".to_string(),
        });
        let all = [self.nodes.map(|_| "the others wait".to_string()), kept].into_iter().flatten().collect::<Vec<_>>();
        if all.is_empty() {
            return;
        }
        let what = all.join(", and ");
        eprintln!(
            "smpirun: note: --buffering {}: one process explores by {by}, as far as that is quicker: {what}; --reduction matches \
             explores by executions",
            self.mode
        );
    }

    /// Whether the time is up.
    pub fn is_late(&self) -> bool {
        self.options.time_limit_secs > 0.0 && self.wall.seconds() > self.options.time_limit_secs
    }

    /// Lets workers do tasks that depend on `wanted` and on what is known of the program alone: some may be known from
    /// a checkpoint, and other machines may do them. Ends early when the time is up and at Ctrl-C.
    pub fn run_shared<T: Tasks>(
        &self,
        program: &mut Program,
        tasks: &mut T,
        wanted: &Option<Finding>,
        work: &mut Work<'_>,
    ) {
        let context = serde_json::to_vec(&Context::here(self.mode, wanted)).unwrap_or_default();
        let nodes = self.nodes.map(RefCell::borrow_mut);
        let mut away = Away { nodes, context: &context, again: Vec::new(), here: Vec::new() };
        away.begin();
        match self.checkpoint {
            None => self.run_with(Vec::new(), program, tasks, work, &mut away),
            Some(checkpoint) => {
                let mut checkpoint = checkpoint.borrow_mut();
                let mut tasks = Remembered::new(tasks, &mut checkpoint, &context);
                self.run_with(Vec::new(), program, &mut tasks, work, &mut away);
            }
        }
        away.begin();
    }

    /// Starts a worker, and gives it an empty task with the number 0.
    pub fn begin(&self, program: &mut Program, work: &mut Work<'_>) -> Option<Worker> {
        let mut worker = self.start(program, work)?;
        send(&mut worker.stream, &[]).unwrap_or_else(|()| lost(&worker));
        worker.busy = Some(0);
        Some(worker)
    }

    /// Waits for the answer of another explorer to the only task that was given to one, which has this context. Where
    /// that one is gone, it is given to another. `None`: nobody is left who would do it, or it is to end.
    pub fn answer_from_afar(&self, context: &[u8]) -> Option<(Vec<u8>, Seen)> {
        let mut nodes = self.nodes?.borrow_mut();
        while !interrupt::wanted() && !self.is_late() {
            for heard in nodes.hear() {
                match heard {
                    Heard::Answer { process, result, seen, .. } => {
                        nodes
                            .note_work(process, smpi_checker::wire::read_verdict(&result).map(|v| v.stats.transitions));
                        return Some((result, *seen));
                    }
                    Heard::Again(task, bytes) => {
                        let process = nodes.idle()?;
                        nodes.give(process, (task, bytes), context);
                    }
                    Heard::Here(..) => return None,
                }
            }
            if !nodes.are_busy() {
                return None;
            }
            wait_for(&[nodes.descriptor()]);
        }
        nodes.begin();
        None
    }

    /// Lets workers that have been started before do tasks.
    pub fn run_on<T: Tasks>(&self, workers: Vec<Worker>, program: &mut Program, tasks: &mut T, work: &mut Work<'_>) {
        self.run_with(workers, program, tasks, work, &mut Away::none());
    }

    fn run_with<T: Tasks>(
        &self,
        mut workers: Vec<Worker>,
        program: &mut Program,
        tasks: &mut T,
        work: &mut Work<'_>,
        away: &mut Away<'_>,
    ) {
        let mut asked = None;
        while !tasks.is_over() {
            if asked.is_none() && (interrupt::wanted() || self.is_late()) {
                asked = Some(self.wall.seconds());
                // SAFETY: children of this process that are not reaped yet.
                workers.iter().for_each(|worker| unsafe {
                    libc::kill(worker.pid, libc::SIGINT);
                });
            }
            if asked.is_none() {
                self.hand_out(program, &mut workers, tasks, work, away);
                away.hand_out(tasks);
            }
            let is_idle = workers.iter().all(|worker| worker.busy.is_none()) && !away.is_busy();
            if is_idle || asked.is_some_and(|at| self.wall.seconds() > at + PATIENCE_SECS) {
                break;
            }
            let streams = workers.iter().map(Worker::descriptor);
            let readable = wait_for(&streams.chain(away.descriptor()).collect::<Vec<_>>());
            for (worker, _) in workers.iter_mut().zip(readable).filter(|(_, is_readable)| *is_readable) {
                let Some(task) = worker.busy.take() else { lost(worker) };
                let (result, seen) = worker.take_answer().unwrap_or_else(|| lost(worker));
                if let Some(nodes) = &mut away.nodes {
                    nodes.note_work(0, tasks.transitions(&result));
                }
                tasks.take_in(task, &result, seen).unwrap_or_else(|| lost(worker));
            }
            away.hear(tasks);
        }
    }

    /// Gives a task to each worker that has none, as long as there are tasks; starts workers where there are not
    /// enough.
    fn hand_out<T: Tasks>(
        &self,
        program: &mut Program,
        workers: &mut Vec<Worker>,
        tasks: &mut T,
        work: &mut Work<'_>,
        away: &mut Away<'_>,
    ) {
        loop {
            let idle = workers.iter().position(|worker| worker.busy.is_none());
            if idle.is_none() && workers.len() >= count(self.options) {
                return;
            }
            let Some((task, bytes)) = away.left_here().or_else(|| tasks.hand_out()) else { return };
            if idle.is_none() {
                workers.extend(self.start(program, work));
            }
            // Without any process to be had, nothing more is done.
            let Some(worker) = workers.iter_mut().find(|worker| worker.busy.is_none()) else { return };
            send(&mut worker.stream, &bytes).unwrap_or_else(|()| lost(worker));
            worker.busy = Some(task);
        }
    }

    /// Starts a worker.
    fn start(&self, program: &mut Program, work: &mut Work<'_>) -> Option<Worker> {
        let (ours, theirs) = UnixStream::pair().ok()?;
        let hidden = |stream: UnixStream| process::hide(stream.into()).map(UnixStream::from);
        let (ours, mut theirs) = (hidden(ours)?, hidden(theirs)?);
        let trail = Trail::new();
        let parent = std::process::id();
        // SAFETY: the process has one thread, so its child may go on in any way.
        match unsafe { libc::fork() } {
            -1 => None,
            0 => {
                drop(ours);
                end_with(parent);
                if let Some(trail) = trail {
                    trail.follow();
                    trail::note_mode(self.mode);
                    trail::note_foreseen(&foreseen());
                }
                watch_steps(self.options);
                program.ranks.disregard_threads();
                while let Some((result, seen)) = receive(&mut theirs).and_then(|bytes| work(program, &bytes)) {
                    if reply(&mut theirs, &result, &seen).is_err() {
                        break;
                    }
                }
                // SAFETY: ends this process only; its buffers are its parent's.
                unsafe { libc::_exit(0) }
            }
            pid => Some(Worker { pid, stream: ours, trail, busy: None }),
        }
    }
}

fn reply(stream: &mut UnixStream, result: &[u8], seen: &Seen) -> Result<(), ()> {
    send(stream, result)?;
    send(stream, &serde_json::to_vec(seen).map_err(drop)?)
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

fn answer(stream: &mut UnixStream) -> Option<(Vec<u8>, Seen)> {
    let result = receive(stream)?;
    Some((result, serde_json::from_slice(&receive(stream)?).ok()?))
}

/// Waits for a moment, or until something can be read from one of these descriptors: from which.
pub fn wait_for(descriptors: &[i32]) -> Vec<bool> {
    readable(descriptors, LOOK_INTERVAL)
}

/// From which of these descriptors something can be read, or the other end of which is gone, after so many
/// milliseconds at most.
fn readable(descriptors: &[i32], within: i32) -> Vec<bool> {
    let poll = |&fd: &i32| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    let mut fds: Vec<libc::pollfd> = descriptors.iter().map(poll).collect();
    // SAFETY: a valid array; an interrupted call leaves the results at 0.
    unsafe { libc::poll(fds.as_mut_ptr(), fds.len() as _, within) };
    fds.iter().map(|fd| fd.revents != 0).collect()
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
