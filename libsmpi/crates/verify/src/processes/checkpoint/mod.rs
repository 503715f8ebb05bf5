//! `--checkpoint` and `--resume`: what became of tasks is kept in a file, and is not done again by who goes on with
//! it.
//!
//! Plans of explorations are deterministic: who explores the same program with the same options hands out the same
//! tasks. So a checkpoint is a table of results by tasks, and going on is exploring with that table at hand. It does
//! not matter how many processes there were, how often they were killed, or in which order results came.
//!
//! A task is known by what it was given and by what was known of the program then ([`Context`]). A result that the
//! user or the time limit cut short is none.
//!
//! An exploration by states is one task, which may take days. What has changed of it is kept now and then
//! (`search/collect.rs`), and who goes on with it has all changes in their order.

pub mod identity;
mod records;

use std::ops::Range;

use serde::{Deserialize, Serialize};
use smpi_base::digest::Digest;
use smpi_base::map::Map;
use smpi_base::plan::CheckpointPlan;
use smpi_base::words::counted;
use smpi_base::{eprint, eprintln};
use smpi_report::Finding;
use smpi_report::finding::Buffering;

use crate::processes::Tasks;
use crate::processes::part::Seen;
use crate::program::foreseen;
use identity::Identity;
use records::{Held, Records};

/// Bytes of a key.
const KEY: usize = 16;

/// A bit of the length of a result: it is a change, and others of the same task may follow.
const CHANGE: u64 = 1 << 63;

/// What a task depends on beside its bytes: others that have it do the same.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Context {
    /// Buffering.
    pub mode: Buffering,
    /// What is known of the program.
    pub foreseen: Vec<String>,
    /// The deadlock with zero buffering that is looked for, if that is all that is left to do.
    pub wanted: Option<Finding>,
}

impl Context {
    /// Of this process, as it is.
    pub fn here(mode: Buffering, wanted: &Option<Finding>) -> Context {
        let foreseen = foreseen().iter().map(ToString::to_string).collect();
        Context { mode, foreseen, wanted: wanted.clone() }
    }
}

/// The name of a task in a checkpoint: `context` is a [`Context`] in JSON.
pub fn key(context: &[u8], task: &[u8]) -> u128 {
    Digest::of_bytes(&[context, task].concat())
}

/// A checkpoint that is written.
pub struct Checkpoint {
    records: Records,
    /// Results that the file held.
    known: Map<u128, Box<[u8]>>,
    /// Where the changes are in it of tasks that were not over, in their order.
    changes: Map<u128, Vec<Range<usize>>>,
}

impl Checkpoint {
    /// Begins one, or goes on with one.
    ///
    /// # Errors
    /// Text for the user: the file cannot be used, or belongs to another exploration.
    pub fn begin(wanted: &CheckpointPlan, here: &Identity, notes: bool) -> Result<Checkpoint, String> {
        let path = &wanted.path;
        let (mut records, held) =
            if wanted.resumes { Records::open(path)? } else { (Records::create(path)?, Held::default()) };
        let Some((first, results)) = held.records.split_first() else {
            // It is new, or was cut off before anything was explored.
            records.append(&[&serde_json::to_vec(here).unwrap_or_default()])?;
            return Ok(Checkpoint { records, known: Map::default(), changes: Map::default() });
        };
        let there: Identity = serde_json::from_slice(held.bytes(first.clone()))
            .map_err(|error| format!("--resume {path}: the checkpoint does not say of what it is: {error}"))?;
        if let Some(difference) = here.difference(&there) {
            return Err(format!(
                "--resume {path}: this is the checkpoint of another exploration: {difference}; give the program and the \
                 options that it was begun with, on a machine of the same kind, or begin again with --checkpoint"
            ));
        }
        let (mut known, mut changes): (Map<u128, _>, Map<u128, Vec<_>>) = Default::default();
        for record in results {
            let (key, rest) = (record.start..record.start + KEY, record.start + KEY..record.end);
            let Ok(key) = held.bytes(key).try_into().map(u128::from_le_bytes) else { continue };
            match length(held.bytes(rest.clone())) {
                Some((len, _)) if len & CHANGE != 0 => changes.entry(key).or_default().push(rest),
                _ => _ = known.insert(key, held.bytes(rest).into()),
            }
        }
        if notes {
            let parts = counted(known.len() as u64, "part");
            let dropped = match held.dropped {
                0 => String::new(),
                bytes => format!("; {} at its end were cut off", counted(bytes as u64, "byte")),
            };
            let half = if changes.keys().all(|key| known.contains_key(key)) {
                ""
            } else {
                ", and a kind of buffering that is explored by states and is not over"
            };
            eprintln!("smpirun: note: {path} has {parts} that are explored{half}{dropped}");
        }
        Ok(Checkpoint { records, known, changes })
    }

    /// What is known of a task.
    pub fn result(&self, key: u128) -> Option<(&[u8], Seen)> {
        let (result, seen) = parted(self.known.get(&key)?)?;
        Some((result, serde_json::from_slice(seen).ok()?))
    }

    /// How often a task has changed that is not over, and what was seen by the last of these changes.
    pub fn changes(&self, key: u128) -> Option<(usize, Seen)> {
        let all = self.changes.get(&key)?;
        let bytes = self.records.read(all.last()?.clone())?;
        Some((all.len(), serde_json::from_slice(parted(&bytes)?.1).ok()?))
    }

    /// One of these changes; nothing where it cannot be read.
    pub fn change(&self, key: u128, place: usize) -> Vec<u8> {
        let bytes = self.changes.get(&key).and_then(|all| self.records.read(all.get(place)?.clone()));
        bytes.and_then(|bytes| Some(parted(&bytes)?.0.to_vec())).unwrap_or_default()
    }

    /// Keeps what became of a task.
    pub fn keep(&mut self, key: u128, result: &[u8], seen: &Seen) {
        self.append(key, result.len() as u64, (result, seen));
    }

    /// Keeps how a task has changed that is not over, and what was seen of it so far. True if it is kept.
    pub fn keep_change(&mut self, key: u128, change: &[u8], seen: &Seen) -> bool {
        self.append(key, change.len() as u64 | CHANGE, (change, seen))
    }

    fn append(&mut self, key: u128, len: u64, (result, seen): (&[u8], &Seen)) -> bool {
        let Ok(seen) = serde_json::to_vec(seen) else { return false };
        let written = self.records.append(&[&key.to_le_bytes(), &len.to_le_bytes(), result, &seen]);
        written.unwrap_or_else(|trouble| {
            eprint!("smpirun: warning: {trouble}\n");
            false
        })
    }
}

/// The length of a result, with its bits, and what is behind it.
fn length(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (len, rest) = bytes.split_first_chunk()?;
    Some((u64::from_le_bytes(*len), rest))
}

/// A result, or a change, and what was seen of it.
fn parted(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = length(bytes)?;
    rest.split_at_checked((len & !CHANGE) as usize)
}

/// Tasks of which some are known from a checkpoint, and the others are kept there.
pub struct Remembered<'a, T> {
    /// The tasks.
    pub tasks: &'a mut T,
    checkpoint: &'a mut Checkpoint,
    context: Vec<u8>,
    /// The keys of tasks that were handed out, by their numbers.
    keys: Map<usize, u128>,
}

impl<'a, T: Tasks> Remembered<'a, T> {
    /// Tasks, and where they are kept; `context` is a [`Context`] in JSON.
    pub fn new(tasks: &'a mut T, checkpoint: &'a mut Checkpoint, context: &[u8]) -> Remembered<'a, T> {
        let context = context.to_vec();
        Remembered { tasks, checkpoint, context, keys: Map::default() }
    }
}

impl<T: Tasks> Tasks for Remembered<'_, T> {
    fn hand_out(&mut self) -> Option<(usize, Vec<u8>)> {
        while let Some((task, bytes)) = self.tasks.hand_out() {
            let key = key(&self.context, &bytes);
            let known = self.checkpoint.result(key);
            if known.is_some_and(|(result, seen)| self.tasks.take_in(task, result, seen).is_some()) {
                continue;
            }
            self.keys.insert(task, key);
            return Some((task, bytes));
        }
        None
    }

    fn take_in(&mut self, task: usize, result: &[u8], seen: Seen) -> Option<()> {
        if let Some(&key) = self.keys.get(&task)
            && self.tasks.is_whole(result, &seen)
        {
            self.checkpoint.keep(key, result, &seen);
        }
        self.tasks.take_in(task, result, seen)
    }

    fn transitions(&self, result: &[u8]) -> Option<u64> {
        self.tasks.transitions(result)
    }

    fn is_whole(&self, result: &[u8], seen: &Seen) -> bool {
        self.tasks.is_whole(result, seen)
    }

    fn is_over(&self) -> bool {
        self.tasks.is_over()
    }
}
