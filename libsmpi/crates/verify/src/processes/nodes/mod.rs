//! `--launch`: explorers on other machines, which do tasks for this one.
//!
//! Each process of the launcher's MPI has an explorer below it and forwards what that one says
//! ([`smpi_base::frames`]). The explorer of process 0 has the plan of the exploration. Its [`Nodes`] are the others:
//! they may come late, fall silent, and come back. What one of them had is then done by another, and an answer to
//! what it no longer has is not looked at. The explorers of the others [`serve`](serving::serve).

pub mod serving;
mod stream;

use std::cell::RefCell;
use std::os::fd::OwnedFd;

use serde::{Deserialize, Serialize};
use smpi_base::eprintln;
use smpi_base::frames::{Frame, Kind};
use smpi_base::words::{counted, grouped};

use smpi_runtime::summary::Wall;

use crate::limits::interrupt;
use crate::processes::checkpoint::identity::{self, Identity};
use crate::processes::part::Seen;
use crate::processes::wait_for;
pub use stream::Stream;

/// Seconds within which explorers say that they are ready: as long as a silent process is waited for.
const READY_SECS: f64 = 10.0;

/// What an explorer says of itself when it is ready.
#[derive(Serialize, Deserialize)]
struct Hello {
    machine: String,
    /// Of libsmpi: processes that explore together have the same one.
    library: String,
    identity: Identity,
}

/// A task on its way to another explorer, or what came of it.
#[derive(PartialEq, Eq, Clone, Copy, Debug)]
struct Label {
    /// Which run of a pool it belongs to.
    run: u64,
    /// Its number there.
    task: usize,
}

/// Writes a label and parts of any length.
fn packed(label: Label, parts: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(16 + parts.iter().map(|part| part.len() + 8).sum::<usize>());
    bytes.extend(label.run.to_le_bytes());
    bytes.extend((label.task as u64).to_le_bytes());
    for part in parts {
        bytes.extend((part.len() as u64).to_le_bytes());
        bytes.extend(*part);
    }
    bytes
}

/// The opposite of [`packed`] with so many parts; `None` when the bytes are something else.
fn unpacked<const PARTS: usize>(bytes: &[u8]) -> Option<(Label, [&[u8]; PARTS])> {
    let number = |bytes: &[u8]| Some(u64::from_le_bytes(bytes.try_into().ok()?));
    let (run, rest) = bytes.split_at_checked(8)?;
    let (task, mut rest) = rest.split_at_checked(8)?;
    let label = Label { run: number(run)?, task: number(task)? as usize };
    let mut parts = [&[][..]; PARTS];
    for part in &mut parts {
        let (len, behind) = rest.split_at_checked(8)?;
        (*part, rest) = behind.split_at_checked(number(len)? as usize)?;
    }
    rest.is_empty().then_some((label, parts))
}

/// One of the others.
#[derive(Clone, Default)]
enum Node {
    /// Nothing was heard of it yet, or nothing any more, or it has another program.
    #[default]
    Absent,
    /// It has nothing to do.
    Idle,
    /// It does a task, which is this.
    Busy(usize, Vec<u8>),
}

/// What was heard.
pub enum Heard {
    /// What came of a task, and what it was.
    Answer { process: usize, task: usize, given: Vec<u8>, result: Vec<u8>, seen: Box<Seen> },
    /// A task is to be done by another process, wherever.
    Again(usize, Vec<u8>),
    /// A task has ended its worker: it is to be done here, where that is a finding.
    Here(usize, Vec<u8>),
}

/// The other explorers.
pub struct Nodes {
    stream: Stream,
    identity: Identity,
    /// The digest of this process's libsmpi.
    library: String,
    /// By their numbers; the first one is this process.
    nodes: Vec<(Node, String)>,
    /// What each of them has done.
    work: Vec<Work>,
    run: u64,
}

/// What a process has done.
#[derive(Clone, Copy, Default)]
struct Work {
    tasks: u64,
    transitions: u64,
}

impl Nodes {
    /// So many processes in all, of which this one is the first and is told of the others by this stream. Those that
    /// do not have this identity are refused.
    pub fn new(stream: OwnedFd, size: u32, identity: Identity) -> RefCell<Nodes> {
        let nodes = vec![(Node::Absent, String::new()); size as usize];
        let (stream, library) = (Stream::new(stream), identity::library());
        let work = vec![Work::default(); size as usize];
        RefCell::new(Nodes { stream, identity, library, nodes, work, run: 0 })
    }

    /// The stream, for `poll`.
    pub fn descriptor(&self) -> i32 {
        self.stream.descriptor()
    }

    /// A pool begins to run: what is on its way from earlier ones does not count.
    pub fn begin(&mut self) {
        self.run += 1;
        for process in 0..self.nodes.len() {
            if matches!(self.nodes[process].0, Node::Busy(..)) {
                self.stream.send(process as u32, Kind::Cancel, Vec::new());
                self.nodes[process].0 = Node::Idle;
            }
        }
    }

    /// Whether one of them does something.
    pub fn are_busy(&self) -> bool {
        self.nodes.iter().any(|(node, _)| matches!(node, Node::Busy(..)))
    }

    /// Whether one of them has nothing to do.
    pub fn idle(&self) -> Option<usize> {
        self.nodes.iter().position(|(node, _)| matches!(node, Node::Idle))
    }

    /// Waits until one of them has nothing to do: until the first says that it is ready. `None`: there is none.
    pub fn wait_for_idle(&mut self) -> Option<usize> {
        let wall = Wall::start();
        while self.nodes.len() > 1 && wall.seconds() < READY_SECS && !interrupt::wanted() {
            // Nobody was given anything yet that could be answered.
            self.hear();
            if let Some(process) = self.idle() {
                return Some(process);
            }
            wait_for(&[self.descriptor()]);
        }
        None
    }

    /// Gives a task to one that has nothing to do.
    pub fn give(&mut self, process: usize, (task, bytes): (usize, Vec<u8>), context: &[u8]) {
        let label = Label { run: self.run, task };
        self.stream.send(process as u32, Kind::Task, packed(label, &[context, &bytes]));
        self.nodes[process].0 = Node::Busy(task, bytes);
    }

    /// A process has done a task, with so many transitions.
    pub fn note_work(&mut self, process: usize, transitions: Option<u64>) {
        if let Some(work) = self.work.get_mut(process) {
            work.tasks += 1;
            work.transitions += transitions.unwrap_or_default();
        }
    }

    /// Tells the user what each process has done in all the time that the exploration took.
    pub fn tell_work(&self, seconds: f64) {
        for (process, (Work { tasks, transitions }, (_, machine))) in self.work.iter().zip(&self.nodes).enumerate() {
            let place = if machine.is_empty() { String::new() } else { format!(", on {machine}") };
            let (parts, rate) = (counted(*tasks, "part"), (*transitions as f64 / seconds.max(0.001)) as u64);
            let (transitions, rate) = (grouped(*transitions), grouped(rate));
            eprintln!(
                "smpirun: note: process {process} of the launcher{place}: {parts}, {transitions} transitions, {rate}/s"
            );
        }
    }

    /// What was heard since; waits for nothing.
    pub fn hear(&mut self) -> Vec<Heard> {
        let mut heard = Vec::new();
        for frame in self.stream.receive() {
            heard.extend(self.take(frame));
        }
        heard
    }

    fn take(&mut self, frame: Frame) -> Option<Heard> {
        let (node, machine) = self.nodes.get_mut(frame.process as usize)?;
        match frame.kind {
            Kind::Ready => {
                let hello: Hello = serde_json::from_slice(&frame.bytes).ok()?;
                machine.clone_from(&hello.machine);
                let is_other = hello.library != self.library;
                let other = || is_other.then(|| "libsmpi: another version there".to_string());
                match self.identity.difference(&hello.identity).or_else(other) {
                    None => *node = Node::Idle,
                    Some(difference) => eprintln!(
                        "smpirun: warning: process {} of the launcher, on {}, does not take part: {difference}; give all \
                         machines the same program and libraries",
                        frame.process, hello.machine
                    ),
                }
                None
            }
            Kind::Answer | Kind::Failed => {
                let (label, bytes) = match frame.kind {
                    Kind::Answer => {
                        let (label, parts) = unpacked::<2>(&frame.bytes)?;
                        (label, Some(parts))
                    }
                    _ => (unpacked::<0>(&frame.bytes)?.0, None),
                };
                // What it was told to leave, and what others do since it was silent, is known to have been idle
                // before.
                let Node::Busy(task, given) = node else { return None };
                if label != (Label { run: self.run, task: *task }) {
                    return None;
                }
                let (task, given) = (*task, std::mem::take(given));
                *node = Node::Idle;
                let answer =
                    bytes.and_then(|[result, seen]| Some((result.to_vec(), serde_json::from_slice(seen).ok()?)));
                Some(match answer {
                    Some((result, seen)) => {
                        Heard::Answer { process: frame.process as usize, task, given, result, seen }
                    }
                    None => Heard::Here(task, given),
                })
            }
            Kind::Gone => {
                let why = String::from_utf8_lossy(&frame.bytes);
                let place = if machine.is_empty() { String::new() } else { format!(", on {machine}") };
                eprintln!(
                    "smpirun: warning: process {} of the launcher{place}: {why}; the others do what it had",
                    frame.process
                );
                match std::mem::take(node) {
                    Node::Busy(task, given) => Some(Heard::Again(task, given)),
                    _ => None,
                }
            }
            Kind::Back => {
                // It may still do what it had: an answer to that is not looked at, and the next task comes behind it.
                if !machine.is_empty() && matches!(node, Node::Absent) {
                    *node = Node::Idle;
                }
                None
            }
            Kind::Task | Kind::Cancel | Kind::Alive | Kind::Over => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_and_answers_arrive_as_they_were() {
        let label = Label { run: 3, task: 1 << 40 };
        let bytes = packed(label, &[b"context", b"", &[7; 1000]]);
        assert_eq!(unpacked::<3>(&bytes), Some((label, [&b"context"[..], b"", &[7; 1000]])));
        assert_eq!(unpacked::<2>(&bytes), None);
        assert_eq!(unpacked::<3>(&bytes[..bytes.len() - 1]), None);
        assert_eq!(unpacked::<0>(&packed(label, &[])), Some((label, [])));
    }
}
