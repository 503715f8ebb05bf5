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
//! caused. Chains of ranks that depend on each other soon share what lies further back: their stem, of which only sums
//! are kept ([`Chains::fold`]), so that memory does not grow with the length of a run. Successive activities of one
//! rank at one place (polls) become one.

use crate::activity::{Activity, What};
use crate::stem::Stem;

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
    /// What all chains have in common before what is kept.
    stem: Stem,
}

impl Chains {
    /// An activity begins; the answer is one reference to it, and another one to its cause is made.
    #[inline]
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
    #[inline]
    pub fn keep(&mut self, cause: Cause) -> Cause {
        if let Some(index) = cause.index() {
            self.nodes[index].references += 1;
        }
        cause
    }

    /// One reference less.
    #[inline]
    pub fn release(&mut self, cause: Cause) {
        if let Some(index) = cause.index() {
            let node = &mut self.nodes[index];
            node.references -= 1;
            if node.references == 0 {
                self.forget(index);
            }
        }
    }

    /// Nobody refers to an activity any more, nor does it to its cause.
    fn forget(&mut self, mut index: usize) {
        loop {
            self.free.push(index as u32);
            let Some(before) = self.nodes[index].cause.index() else { return };
            let node = &mut self.nodes[before];
            node.references -= 1;
            if node.references > 0 {
                return;
            }
            index = before;
        }
    }

    /// An activity is over; the answer is that activity, if it is not the start of the run.
    #[inline]
    pub fn end(&mut self, cause: Cause, now: f64) -> Option<&Activity> {
        let activity = &mut self.nodes[cause.index()?].activity;
        activity.end = now;
        Some(activity)
    }

    /// The activity that is referred to, if it is not the start of the run.
    #[inline]
    pub fn get(&self, cause: Cause) -> Option<&Activity> {
        Some(&self.nodes[cause.index()?].activity)
    }

    /// What caused it.
    pub fn before(&self, cause: Cause) -> Cause {
        cause.index().map_or(Cause::START, |index| self.nodes[index].cause)
    }

    /// Makes one of an activity of a rank and the one that caused it, if they are of the same kind and nobody else
    /// refers to that.
    #[inline]
    pub fn merge(&mut self, cause: Cause) {
        let Some(index) = cause.index() else { return };
        let Node { activity: later, cause: before, .. } = &self.nodes[index];
        if later.what == What::Transfer {
            return;
        }
        let before = *before;
        let Some(earlier) = before.index() else { return };
        let Node { activity, cause: first, references } = &self.nodes[earlier];
        let alike = (activity.what, activity.rank, activity.place) == (later.what, later.rank, later.place);
        if *references > 1 || !alike {
            return;
        }
        let (start, first) = (activity.start, *first);
        self.nodes[index].activity.start = start;
        self.nodes[index].cause = self.keep(first);
        self.release(before);
    }

    /// The chain that ends with an activity.
    pub fn path(&self, last: Cause) -> Stem {
        let mut path = Vec::new();
        let mut next = last;
        while let Some(activity) = self.get(next) {
            path.push(activity);
            next = self.before(next);
        }
        let mut whole = self.stem.clone();
        path.into_iter().rev().for_each(|activity| whole.add(activity));
        whole
    }

    /// Forgets the single activities of the stem: those that every chain begins with. Nobody may go on from the start
    /// of the run afterwards, or look at what was before.
    pub fn fold(&mut self) {
        let mut children: Vec<(u32, usize)> = vec![(0, 0); self.nodes.len()];
        let mut roots = (0, 0);
        for (index, node) in self.nodes.iter().enumerate().filter(|(_, node)| node.references > 0) {
            let (count, last) = node.cause.index().map_or(&mut roots, |cause| &mut children[cause]);
            (*count, *last) = (*count + 1, index);
        }
        let (mut count, mut next) = roots;
        // The last of them is referred to by more than one other.
        while count == 1 && self.nodes[next].references == 1 && children[next].0 == 1 {
            self.stem.add(&self.nodes[next].activity);
            self.nodes[next].references = 0;
            self.free.push(next as u32);
            (count, next) = children[next];
            self.nodes[next].cause = Cause::START;
        }
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
    use crate::places::Place;

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
        let steps = path.steps();
        assert_eq!((steps.len(), steps[0].start, steps[99].end), (100, 0.0, 100.0));
        assert!(steps.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert_eq!(chains.len(), 100);
        chains.fold();
        assert_eq!((chains.len(), chains.path(turn)), (1, path));
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
        assert_eq!((path.steps()[0].start, path.steps()[0].end), (0.0, 10.0));
    }

    #[test]
    fn only_what_all_have_in_common_is_folded() {
        let mut chains = Chains::default();
        let (mut turns, mut now) = ([Cause::START; 2], 0.0);
        for step in 0..50 {
            let common = chains.begin(computes(0, step, now), turns[0]);
            now += 1.0;
            chains.end(common, now);
            turns.iter().for_each(|turn| chains.release(*turn));
            turns = [common, chains.keep(common)];
            let own = turns.map(|turn| chains.begin(computes(1, step, now), turn));
            now += 1.0;
            own.iter().for_each(|own| _ = chains.end(*own, now));
            turns.iter().for_each(|turn| chains.release(*turn));
            turns = own;
            let before = turns.map(|turn| chains.path(turn));
            chains.fold();
            assert_eq!(turns.map(|turn| chains.path(turn)), before);
            // The two ends, and where they part.
            assert_eq!(chains.len(), 3);
        }
        let sums: f64 = chains.path(turns[1]).sums().map(|(_, _, sum)| sum.secs).sum();
        assert_eq!(sums, now);
    }
}
