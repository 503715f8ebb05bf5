//! A chain of activities as sums and steps: what a critical path is told as, in memory that does not depend on its
//! length.

use crate::activity::{Activity, What};
use crate::places::Place;

/// Steps that are kept; when there are more, two that follow each other become one.
const MOST_STEPS: usize = 1 << 16;

/// Activities of one kind at one place.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Sum {
    /// How many.
    pub count: u64,
    /// How long they took together, in seconds.
    pub secs: f64,
    /// How much of that they took because messages shared links, in seconds.
    pub contention_secs: f64,
}

/// A part of a chain without gaps to the next: one activity, or several.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Step {
    /// What took most of it.
    pub what: What,
    /// Where.
    pub place: Place,
    /// Whose; of a message the sender.
    pub rank: u32,
    /// The receiver of a message; else the rank itself.
    pub peer: u32,
    /// From this date, in simulated seconds.
    pub start: f64,
    /// To this one.
    pub end: f64,
}

impl Step {
    fn secs(&self) -> f64 {
        self.end - self.start
    }
}

/// A chain from the start of the run on.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Stem {
    /// For each place and kind the place in `sums`, and one more; 0: there is none yet.
    numbers: Vec<[u32; What::COUNT]>,
    sums: Vec<(What, Place, Sum)>,
    steps: Vec<Step>,
}

impl Stem {
    /// The chain goes on with an activity that is over.
    pub fn add(&mut self, activity: &Activity) {
        let &Activity { what, rank, peer, place, start, end, .. } = activity;
        if self.numbers.len() <= place.0 as usize {
            self.numbers.resize(place.0 as usize + 1, [0; What::COUNT]);
        }
        let number = &mut self.numbers[place.0 as usize][what as usize];
        if *number == 0 {
            self.sums.push((what, place, Sum::default()));
            *number = self.sums.len() as u32;
        }
        let sum = &mut self.sums[*number as usize - 1].2;
        sum.count += 1;
        sum.secs += end - start;
        sum.contention_secs += (end - start) * activity.contention();
        let new = Step { what, place, rank, peer, start, end };
        let goes_on = |last: &&mut Step| {
            rank == peer && (last.what, last.place, last.rank, last.peer) == (what, place, rank, peer)
        };
        match self.steps.last_mut().filter(goes_on) {
            Some(last) => last.end = end,
            None => self.steps.push(new),
        }
        if self.steps.len() > MOST_STEPS {
            self.halve();
        }
    }

    /// Makes one of each two steps that follow each other: the longer one, with the time of both.
    fn halve(&mut self) {
        let joined = self.steps.chunks(2).map(|pair| {
            let (first, last) = (pair[0], pair[pair.len() - 1]);
            let longer = if last.secs() > first.secs() { last } else { first };
            Step { start: first.start, end: last.end, ..longer }
        });
        self.steps = joined.collect();
    }

    /// Sums of all activities, in the order in which their kinds and places were met first.
    pub fn sums(&self) -> impl Iterator<Item = (What, Place, Sum)> + '_ {
        self.sums.iter().copied()
    }

    /// The steps in their order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_bounded_and_sums_exact() {
        let mut stem = Stem::default();
        let many = 5 * MOST_STEPS as u32;
        for index in 0..many {
            let mut activity = Activity::of_rank(What::Compute, index % 3, Place(index % 7), f64::from(index));
            activity.end = f64::from(index + 1);
            stem.add(&activity);
        }
        assert!(stem.steps().len() <= MOST_STEPS);
        assert!(stem.steps().windows(2).all(|pair| pair[0].end == pair[1].start));
        assert_eq!((stem.steps()[0].start, stem.steps().last().map(|step| step.end)), (0.0, Some(f64::from(many))));
        let sums: Vec<Sum> = stem.sums().map(|(_, _, sum)| sum).collect();
        assert_eq!(sums.len(), 7);
        assert_eq!(sums.iter().map(|sum| sum.secs).sum::<f64>(), f64::from(many));
    }
}
