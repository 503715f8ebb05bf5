//! Whether it makes a difference how often a rank polls in vain.
//!
//! A poll that is repeated is told "not yet" again only where nothing else can happen: else every loop that polls
//! would have executions without end (`smpi_choices`, `open.rs`). So it is tried out what a rank does that finds
//! nothing however often it polls: it gets "not yet", and goes on, until it polls for the same again.
//!
//! - It comes back to where it was. Nothing is lost: what it does next follows from its memory and its registers, and
//!   another "not yet" would change neither, nor files or memory that others share with it.
//! - It never comes back to where it is: it gives up, or polls for something else from then on. Then the poll may find
//!   nothing, like a first one. So every number of polls in vain is tried, and what comes after the last one.
//! - Anything else: it counts its polls for as long as was tried, or cannot be compared (it handles signals, or polls
//!   on a stack of its own). If what it polls for is there, or if it is told "not yet" because nothing else can happen,
//!   the exploration is not complete.
//!
//! Clocks stand still meanwhile: that a deadline passes is a choice of its own.

use std::collections::BTreeSet;
use std::rc::Rc;

use smpi_base::WorldRank;
use smpi_base::digest::{Digest, Named, Unnamed};
use smpi_base::map::Map;
use smpi_choices::{Retry, Verification};
use smpi_process::{OutputUse, note_uncontrolled, tell_states_apart, use_output};
use smpi_runtime::with;

use crate::program::{Program, Snapshot, driven};

/// What is not explored.
const COUNTED: &str = "a rank that polls in vain is not the same when it polls again: it may count its polls, and do \
                       something else after more of them than were tried";
/// The same where ranks cannot be compared.
const UNKNOWN: &str = "whether it matters how often a rank polls in vain is not known";

/// Answers after which a rank must be as it was, or have given up: as many polls as a loop may have.
const MOST_POLLS: usize = 1100;

impl Program {
    /// Looks at the ranks that are about to poll once more: whether they may be told "not yet" is known afterwards.
    /// The program is as it was. Where ranks go on for ever, nobody can be let run alone.
    pub(crate) fn look_at_retries(&mut self) {
        if !driven(|driver, _| driver.is_polling()) {
            return;
        }
        for (rank, is_there) in driven(|driver, world| driver.asking_again(world)) {
            if self.is_endless && !is_there {
                continue;
            }
            if !self.retries.polled {
                self.retries.polled = true;
                tell_states_apart(true);
            }
            let (retry, why) = match self.name_of_poll(rank) {
                Ok(name) => (self.retry(rank, name), COUNTED.to_string()),
                Err(Unnamed(why)) => (Retry::Open, format!("{UNKNOWN}, because {why}")),
            };
            driven(|driver, _| driver.tell_retry(rank, retry));
            if is_there && retry == Retry::Open {
                self.note_counted(why);
            }
        }
    }

    /// Notes that it is not explored how often a rank may poll in vain.
    pub(crate) fn note_open_retry(&mut self) {
        self.note_counted(COUNTED.to_string());
    }

    fn note_counted(&mut self, why: String) {
        if !self.retries.counted {
            self.retries.counted = true;
            note_uncontrolled(why.leak());
        }
    }

    /// What the rank does if it polls in vain, in a state of this name.
    fn retry(&mut self, rank: WorldRank, name: u128) -> Retry {
        if let Some(known) = self.retries.known.get(&name) {
            return *known;
        }
        let here = Rc::new(self.copy());
        // Nothing of what is only tried is seen.
        let (output, tape) = (use_output(OutputUse::Compared), with(|runtime| runtime.world.replace_tape(None)));
        driven(|driver, _| driver.try_out(true));
        let (retry, names) = self.course(rank, name, Rc::clone(&here));
        driven(|driver, _| driver.try_out(false));
        self.put_back(&here);
        use_output(output);
        with(|runtime| runtime.world.replace_tape(tape));
        names.into_iter().for_each(|name| {
            self.retries.known.entry(name).or_insert(retry);
        });
        retry
    }

    /// Tries it: what the rank does, and the names of other states of which the same holds. Random numbers that it
    /// draws meanwhile lead to several states.
    fn course(&mut self, rank: WorldRank, name: u128, here: Rc<Snapshot>) -> (Retry, Vec<u128>) {
        let failures = || with(|runtime| runtime.trouble.failures.len());
        let (before, mut answered) = (failures(), 0);
        let (mut names, mut ways, mut open) = (vec![name], Vec::new(), vec![(0, here)]);
        let mut places = Map::from_iter([(name, 0)]);
        while let Some((from, state)) = open.pop() {
            self.put_back(&state);
            let asked = driven(|driver, _| driver.asked_in_vain(rank));
            if failures() > before {
                continue;
            }
            for (place, event) in asked.into_iter().enumerate() {
                answered += 1;
                if place > 0 {
                    self.put_back(&state);
                }
                driven(|driver, world| driver.choose(world, event));
                if answered > MOST_POLLS {
                    // Half as many polls are not the last ones either, from these on.
                    names.truncate(names.len() / 2);
                    return (Retry::Open, names);
                }
                let goes_on = self.go_on_alone(rank);
                let Some(to) = self.name_of_poll(rank).ok().filter(|_| goes_on) else {
                    return (Retry::Open, vec![name]);
                };
                let at = *places.entry(to).or_insert(names.len());
                if at == names.len() {
                    names.push(to);
                    open.push((at, Rc::new(self.copy())));
                }
                ways.push((from, at));
            }
        }
        let first = before_circles(names.len(), &ways);
        if first.contains(&0) {
            return (Retry::Ends, first.into_iter().map(|at| names[at]).collect());
        }
        let leads_back = are_all_led_back(names.len(), &ways);
        (if leads_back { Retry::Returns } else { Retry::Open }, vec![name])
    }

    /// Lets a rank go on that was answered, up to its next question.
    fn go_on_alone(&mut self, rank: WorldRank) -> bool {
        if !driven(|driver, _| driver.is_stepping()) {
            self.wake();
            return self.run();
        }
        self.run_step();
        while driven(|_, world| Verification::posting(world)).contains(&rank) {
            driven(|driver, world| driver.commit_first(world, rank));
            self.run_step();
        }
        true
    }

    /// What a rank will do that polls: what follows from what it asks and has, and from all else that it may look at,
    /// which is memory that others share with it, and files.
    fn name_of_poll(&mut self, rank: WorldRank) -> Named<u128> {
        let mut digest = Digest::new();
        digest.add(rank);
        driven(|driver, _| driver.name_question(rank, &mut digest));
        self.ranks.name(rank, &mut digest)?;
        let sharers: BTreeSet<WorldRank> = with(|runtime| {
            let is_meant = |other: &WorldRank| *other != rank && !runtime.ranks[other.index()].standing.is_over();
            runtime.world.sharers().filter(is_meant).collect()
        });
        for other in sharers {
            self.ranks.name(other, &mut digest)?;
        }
        self.ranks.name_all_files(&mut digest);
        Ok(digest.bits())
    }
}

/// The places in which the ways end that begin in each.
fn by_end(count: usize, ways: &[(usize, usize)], key: impl Fn(&(usize, usize)) -> (usize, usize)) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new(); count];
    ways.iter().map(key).for_each(|(from, to)| found[from].push(to));
    found
}

/// Whether the first of so many places can be come to from all of them.
fn are_all_led_back(count: usize, ways: &[(usize, usize)]) -> bool {
    let back = by_end(count, ways, |&(from, to)| (to, from));
    let (mut is_met, mut open, mut met) = (vec![false; count], vec![0], 0);
    while let Some(at) = open.pop() {
        if !std::mem::replace(&mut is_met[at], true) {
            met += 1;
            open.extend(&back[at]);
        }
    }
    met == count
}

/// The places to which no way leads from a circle: those that are taken away one by one, because nothing leads to them.
fn before_circles(count: usize, ways: &[(usize, usize)]) -> Vec<usize> {
    let on = by_end(count, ways, |way| *way);
    let mut ways_to = vec![0; count];
    ways.iter().for_each(|(_, to)| ways_to[*to] += 1);
    let (mut taken, mut next): (Vec<usize>, usize) = ((0..count).filter(|at| ways_to[*at] == 0).collect(), 0);
    while let Some(&at) = taken.get(next) {
        next += 1;
        for &to in &on[at] {
            ways_to[to] -= 1;
            if ways_to[to] == 0 {
                taken.push(to);
            }
        }
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::{are_all_led_back, before_circles};

    #[test]
    fn a_rank_that_goes_on_is_before_circles_and_one_that_comes_back_is_led_there_from_everywhere() {
        // (places, ways, all lead back, those before circles)
        type Case<'a> = (usize, &'a [(usize, usize)], bool, &'a [usize]);
        let cases: [Case<'_>; 6] = [
            (1, &[(0, 0)], true, &[]),
            (3, &[(0, 1), (1, 2)], false, &[0, 1, 2]),
            (3, &[(0, 1), (1, 2), (2, 0)], true, &[]),
            (3, &[(0, 1), (1, 2), (2, 1)], false, &[0]),
            (3, &[(0, 1), (1, 0), (1, 2)], false, &[]),
            (4, &[(0, 1), (0, 2), (1, 3), (2, 3)], false, &[0, 1, 2, 3]),
        ];
        for (count, ways, leads_back, before) in cases {
            assert_eq!(
                (are_all_led_back(count, ways), &before_circles(count, ways)[..]),
                (leads_back, before),
                "{ways:?}"
            );
        }
    }
}
