//! Which activity began because which other one was over: the material of critical paths.
//!
//! Simulated time passes only while an activity is under way: a rank computes, sleeps or pays an overhead, a message
//! travels, a disk works. An activity begins at an instant at which another one ends, or at the start of the run, and
//! that one is its *cause*. So from the last activity back to the start there is a chain without gaps. It is the
//! critical path (Kelley and Walker, "Critical-Path Planning and Scheduling", 1959; for messages: Yang and Miller,
//! "Critical path analysis for the execution of parallel and distributed programs", ICDCS 1988), and its length is the
//! simulated time, exactly.
//!
//! An activity is kept as long as somebody refers to it: a rank whose present turn it caused, or an activity that it
//! caused. Chains of ranks that depend on each other soon share what lies further back, so what is kept is little more
//! than one chain. Successive activities of one rank at one place (polls) become one.

use crate::places::Place;

/// What takes time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// A rank computes.
    Compute,
    /// A rank is busy with a call of MPI: overheads of sends, receives and polls.
    Overhead,
    /// A rank sleeps.
    Sleep,
    /// A message travels.
    Transfer,
    /// Data of a file travels, or is read or written.
    File,
}

/// An activity. Dates and durations are in simulated seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Activity {
    /// What it is.
    pub what: What,
    /// Whose it is; of a message the sender.
    pub rank: u32,
    /// The receiver of a message; else the rank itself.
    pub peer: u32,
    /// The call that it belongs to; of a computation the call that it comes after.
    pub place: Place,
    /// Payload of a message.
    pub bytes: u64,
    /// When it began.
    pub start: f64,
    /// When it was over; as long as it is not, the same as `start`.
    pub end: f64,
    /// How long a message takes that shares its links with no other.
    pub alone_secs: f64,
    /// The number of a message among all events, where these are kept.
    pub number: u64,
}

impl Activity {
    /// Something that a rank does, and that begins now.
    pub fn of_rank(what: What, rank: u32, place: Place, now: f64) -> Activity {
        Activity { what, rank, peer: rank, place, bytes: 0, start: now, end: now, alone_secs: 0.0, number: 0 }
    }

    /// The part of its duration that it would not have had alone, from 0 to 1.
    pub fn contention(&self) -> f64 {
        let secs = self.end - self.start;
        if self.what == What::Transfer && secs > 0.0 { ((secs - self.alone_secs) / secs).clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// Refers to an activity; the default is the start of the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cause(u32);

impl Cause {
    /// The start of the run.
    pub const START: Cause = Cause(0);

    fn index(self) -> Option<usize> {
        (self.0 as usize).checked_sub(1)
    }
}

#[derive(Clone, Copy, Debug)]
struct Node {
    activity: Activity,
    cause: Cause,
    /// Who refers to it. A node that nobody refers to is not in use.
    references: u32,
}

/// All activities that somebody refers to.
#[derive(Debug, Default)]
pub struct Chains {
    nodes: Vec<Node>,
    free: Vec<u32>,
}

impl Chains {
    /// An activity begins; the answer is one reference to it, and another one to its cause is made.
    pub fn begin(&mut self, activity: Activity, cause: Cause) -> Cause {
        self.keep(cause);
        let node = Node { activity, cause, references: 1 };
        match self.free.pop() {
            Some(index) => {
                self.nodes[index as usize] = node;
                Cause(index + 1)
            }
            None => {
                self.nodes.push(node);
                Cause(self.nodes.len() as u32)
            }
        }
    }

    /// One more reference.
    pub fn keep(&mut self, cause: Cause) -> Cause {
        if let Some(index) = cause.index() {
            self.nodes[index].references += 1;
        }
        cause
    }

    /// One reference less.
    pub fn release(&mut self, mut cause: Cause) {
        while let Some(index) = cause.index() {
            let node = &mut self.nodes[index];
            node.references -= 1;
            if node.references > 0 {
                return;
            }
            self.free.push(index as u32);
            cause = node.cause;
        }
    }

    /// An activity is over.
    pub fn end(&mut self, cause: Cause, now: f64) {
        if let Some(index) = cause.index() {
            self.nodes[index].activity.end = now;
        }
    }

    /// The activity that is referred to, if it is not the start of the run.
    pub fn get(&self, cause: Cause) -> Option<&Activity> {
        Some(&self.nodes[cause.index()?].activity)
    }

    /// What caused it.
    pub fn before(&self, cause: Cause) -> Cause {
        cause.index().map_or(Cause::START, |index| self.nodes[index].cause)
    }

    /// Makes one of an activity of a rank and the one that caused it, if they are of the same kind and nobody else
    /// refers to that.
    pub fn merge(&mut self, cause: Cause) {
        let Some(index) = cause.index() else { return };
        let Node { activity: later, cause: before, .. } = self.nodes[index];
        let Some(earlier) = before.index() else { return };
        let Node { activity, cause: first, references } = self.nodes[earlier];
        let alike = (activity.what, activity.rank, activity.place) == (later.what, later.rank, later.place);
        if references > 1 || later.what == What::Transfer || !alike {
            return;
        }
        self.nodes[index].activity.start = activity.start;
        self.nodes[index].cause = self.keep(first);
        self.release(before);
    }

    /// The chain that ends with an activity, the earliest first.
    pub fn path(&self, last: Cause) -> Vec<Activity> {
        let mut path = Vec::new();
        let mut next = last;
        while let Some(activity) = self.get(next) {
            path.push(*activity);
            next = self.before(next);
        }
        path.reverse();
        path
    }

    /// How many activities are kept.
    pub fn len(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    /// Whether none is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn computes(rank: u32, place: u32, start: f64) -> Activity {
        Activity::of_rank(What::Compute, rank, Place(place), start)
    }

    #[test]
    fn a_path_has_no_gaps_and_what_nobody_needs_is_forgotten() {
        let mut chains = Chains::default();
        let mut turn = Cause::START;
        for step in 0..100 {
            let now = f64::from(step);
            let next = chains.begin(computes(0, step, now), turn);
            let dead = chains.begin(computes(1, step, now), turn);
            chains.end(next, now + 1.0);
            chains.release(dead);
            chains.release(turn);
            turn = next;
        }
        let path = chains.path(turn);
        assert_eq!((path.len(), path[0].start, path[99].end), (100, 0.0, 100.0));
        assert!(path.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert_eq!(chains.len(), 100);
        chains.release(turn);
        assert!(chains.is_empty());
    }

    #[test]
    fn polls_at_one_place_become_one_activity() {
        let mut chains = Chains::default();
        let mut turn = Cause::START;
        for step in 0..10 {
            let now = f64::from(step);
            let next = chains.begin(Activity::of_rank(What::Overhead, 0, Place(7), now), turn);
            chains.end(next, now + 1.0);
            chains.release(turn);
            turn = next;
            chains.merge(turn);
        }
        assert_eq!(chains.len(), 1);
        let path = chains.path(turn);
        assert_eq!((path[0].start, path[0].end), (0.0, 10.0));
    }
}
