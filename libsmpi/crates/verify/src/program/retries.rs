//! Whether it makes a difference how often a rank polls in vain.
//!
//! A poll that is repeated is told "not yet" again only where nothing else can happen: else every loop that polls
//! would have executions without end (`smpi_choices`, `open.rs`). So it is tried out what a rank does that finds
//! nothing however often it polls: it gets "not yet", and goes on, until it polls for the same again.
//!
//! - It comes back to where it was. Nothing is lost: what it does next follows from its memory and its registers, and
//!   another "not yet" would change neither, nor files or memory that others share with it.
//! - It gives up after so many polls, and is never the same before that. Then each poll may find nothing, like a first
//!   one: every number of polls in vain is tried, and that it gives up.
//! - Anything else: it counts its polls for as long as was tried, or cannot be compared (it handles signals, or polls
//!   on a stack of its own). If what it polls for is there, the exploration is not complete.
//!
//! Clocks stand still meanwhile: that a deadline passes is a choice of its own.

use std::collections::BTreeSet;
use std::rc::Rc;

use smpi_base::WorldRank;
use smpi_base::digest::{Digest, Named, Unnamed};
use smpi_base::map::Map;
use smpi_choices::Verification;
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

/// What a rank does that finds nothing, however often it polls.
enum Course {
    /// It can always come back to where it is.
    Returns,
    /// It gives up. These are the names of its states until then.
    Ends(Vec<u128>),
    /// That is not known of the states with these names.
    Open(Vec<u128>),
}

impl Program {
    /// Looks at the ranks that are about to poll once more: whether they may be told "not yet" is known afterwards.
    /// The program is as it was.
    pub(crate) fn look_at_retries(&mut self) {
        if !driven(|driver, _| driver.is_polling()) {
            return;
        }
        for (rank, is_there) in driven(|driver, world| driver.asking_again(world)) {
            if !self.retries.polled {
                self.retries.polled = true;
                tell_states_apart(true);
            }
            let course = match self.name_of_poll(rank) {
                Ok(name) => self.known_course(rank, name),
                Err(Unnamed(why)) => Err(format!("{UNKNOWN}, because {why}")),
            };
            match course {
                Ok(may_fail) => driven(|driver, _| driver.let_fail(rank, may_fail)),
                Err(why) if is_there => self.note_counted(why),
                Err(_) => driven(|driver, _| driver.let_fail(rank, false)),
            }
        }
    }

    fn note_counted(&mut self, why: String) {
        if !self.retries.counted {
            self.retries.counted = true;
            note_uncontrolled(why.leak());
        }
    }

    /// Whether the rank in a state of this name gives up, or else comes back to it.
    ///
    /// # Errors
    /// What is not explored where that is not known.
    fn known_course(&mut self, rank: WorldRank, name: u128) -> Result<bool, String> {
        if self.retries.same.contains(&name) {
            return Ok(false);
        }
        if self.retries.given_up.contains(&name) {
            return Ok(true);
        }
        if self.retries.open.contains(&name) {
            return Err(COUNTED.into());
        }
        let here = Rc::new(self.copy());
        // Nothing of what is only tried is seen.
        let (output, tape) = (use_output(OutputUse::Compared), with(|runtime| runtime.world.replace_tape(None)));
        driven(|driver, _| driver.try_out(true));
        let course = self.course(rank, name, Rc::clone(&here));
        driven(|driver, _| driver.try_out(false));
        self.put_back(&here);
        use_output(output);
        with(|runtime| runtime.world.replace_tape(tape));
        match course {
            Course::Returns => {
                self.retries.same.insert(name);
                Ok(false)
            }
            Course::Ends(names) => {
                self.retries.given_up.extend(names);
                Ok(true)
            }
            Course::Open(names) => {
                self.retries.open.extend(names);
                Err(COUNTED.into())
            }
        }
    }

    /// Tries it. Random numbers that the rank draws meanwhile lead to several states.
    fn course(&mut self, rank: WorldRank, name: u128, here: Rc<Snapshot>) -> Course {
        let failures = || with(|runtime| runtime.trouble.failures.len());
        let (before, mut gives_up, mut answered) = (failures(), false, 0);
        let (mut names, mut ways, mut open) = (vec![name], Vec::new(), vec![(0, here)]);
        let mut places = Map::from_iter([(name, 0)]);
        while let Some((from, state)) = open.pop() {
            self.put_back(&state);
            let asked = driven(|driver, _| driver.asked_in_vain(rank));
            if asked.is_empty() || failures() > before {
                gives_up = true;
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
                    return Course::Open(names);
                }
                let goes_on = self.go_on_alone(rank);
                let Some(name) = self.name_of_poll(rank).ok().filter(|_| goes_on) else {
                    return Course::Open(vec![name]);
                };
                let to = *places.entry(name).or_insert(names.len());
                if to == names.len() {
                    names.push(name);
                    open.push((to, Rc::new(self.copy())));
                }
                ways.push((from, to));
            }
        }
        match gives_up {
            false if are_all_led_back(names.len(), &ways) => Course::Returns,
            true if !has_circle(names.len(), &ways) => Course::Ends(names),
            _ => Course::Open(vec![name]),
        }
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

/// Whether some way leads back to where it came from. Places without a way to them are taken away until there are none.
fn has_circle(count: usize, ways: &[(usize, usize)]) -> bool {
    let on = by_end(count, ways, |way| *way);
    let mut ways_to = vec![0; count];
    ways.iter().for_each(|(_, to)| ways_to[*to] += 1);
    let mut free: Vec<usize> = (0..count).filter(|at| ways_to[*at] == 0).collect();
    let mut taken = 0;
    while let Some(at) = free.pop() {
        taken += 1;
        for &to in &on[at] {
            ways_to[to] -= 1;
            if ways_to[to] == 0 {
                free.push(to);
            }
        }
    }
    taken < count
}

#[cfg(test)]
mod tests {
    use super::{are_all_led_back, has_circle};

    #[test]
    fn a_loop_that_ends_has_no_circle_and_one_that_comes_back_leads_there_from_everywhere() {
        // (places, ways, all lead back, has a circle)
        type Case<'a> = (usize, &'a [(usize, usize)], bool, bool);
        let cases: [Case<'_>; 5] = [
            (1, &[(0, 0)], true, true),
            (3, &[(0, 1), (1, 2)], false, false),
            (3, &[(0, 1), (1, 2), (2, 0)], true, true),
            (3, &[(0, 1), (1, 2), (2, 1)], false, true),
            (4, &[(0, 1), (0, 2), (1, 3), (2, 3)], false, false),
        ];
        for (count, ways, leads_back, circle) in cases {
            assert_eq!((are_all_led_back(count, ways), has_circle(count, ways)), (leads_back, circle), "{ways:?}");
        }
    }
}
