//! The failing execution that leaves the natural order least, where states have names.
//!
//! Executions that come to the same state go on in the same ways, so the shortest way to each state is enough: states
//! are looked at in the order of what it costs to come there, first the deviations, then the choices (Dijkstra, "A note
//! on two problems in connexion with graphs", Numerische Mathematik 1, 1959). So it comes to an end, too, where
//! executions do not. All enabled choices of a state are made, in the order of [`smpi_checker::walks`]; nothing is
//! left out but by the names.
//!
//! In the same way the shortest way out of a round is found: an execution that goes round for ever, and then another
//! choice, from which it comes to its end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use smpi_base::map::Set;
use smpi_checker::walks::events;
use smpi_checker::{Choices, Configuration, Event, Limits, Settled, System};

use crate::known::{Fault, Judge, Row};
use crate::nearest::Nearest;

/// Ways that wait to be gone, by their costs: deviations, choices, and which was found first.
#[derive(Default)]
struct Ways {
    queue: BinaryHeap<Reverse<(u32, usize, usize)>>,
    paths: Vec<Vec<Event>>,
}

impl Ways {
    fn add(&mut self, deviations: u32, path: Vec<Event>) {
        self.queue.push(Reverse((deviations, path.len(), self.paths.len())));
        self.paths.push(path);
    }

    fn next(&mut self) -> Option<(u32, Vec<Event>)> {
        let Reverse((deviations, _, number)) = self.queue.pop()?;
        Some((deviations, std::mem::take(&mut self.paths[number])))
    }
}

/// Looks for it among at most so many states. `None` where none fails, or too many states come before it.
pub(crate) fn nearest<S: System>(
    system: &mut S,
    judge: &mut Judge<'_, S>,
    is_late: &dyn Fn() -> bool,
    fault: Fault,
    limits: &Limits,
) -> Option<Nearest> {
    let (mut ways, mut known, mut tried) = (Ways::default(), Set::default(), 0);
    let (mut choices, mut open) = (Choices::new(), Vec::new());
    // Of what is not judged nobody knows whether it fails.
    let mut is_least = true;
    ways.add(0, Vec::new());
    while let Some((deviations, path)) = ways.next() {
        if tried >= limits.executions || is_late() {
            return None;
        }
        let settled = system.go_to(&path);
        let name = system.fingerprint().unwrap_or_else(|| Configuration::of(&path));
        if settled == Settled::Void || !known.insert(name) {
            continue;
        }
        tried += 1;
        if settled.is_end() || settled == Settled::Reluctant {
            match judge(system, settled, &path) {
                Some((shows, is_clean)) if Row::new(&path, shows, is_clean).fails(fault) => {
                    return Some(Nearest { path, deviations, tried, is_least });
                }
                None => is_least &= settled == Settled::Endless,
                Some(_) => {}
            }
        }
        if settled.is_end() {
            continue;
        }
        if path.len() >= limits.depth {
            is_least = false;
            continue;
        }
        // Judging may have left traces.
        system.go_to(&path);
        choices.clear();
        system.choices(&mut choices);
        events(&choices, &mut open);
        for (number, &event) in open.iter().enumerate() {
            ways.add(deviations + u32::from(number > 0), path.iter().copied().chain([event]).collect());
        }
    }
    None
}

/// What there is beside a round that an execution goes for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WayOut {
    /// An execution that leaves the round and ends.
    Found {
        /// Its choices.
        path: Vec<Event>,
        /// Its choices up to the one by which it leaves the round.
        left: usize,
    },
    /// No end was found among so many states; with `complete`, there are no others.
    None {
        /// States that were looked at, those of the round included.
        states: u64,
        /// No other state can be reached.
        complete: bool,
    },
}

/// Looks for the end that is the fewest choices away from the states of a round, each given as the choices that lead
/// there, up to so many states. `is_right`: whether an end is one.
pub fn way_out<S: System>(
    system: &mut S,
    round: Vec<Vec<Event>>,
    is_right: &mut dyn FnMut(&mut S, Settled) -> bool,
    is_late: &dyn Fn() -> bool,
    limits: &Limits,
) -> WayOut {
    let (mut ways, mut known, mut states) = (Ways::default(), Set::default(), 0);
    let (mut choices, mut open) = (Choices::new(), Vec::new());
    let mut is_whole = true;
    // What a way costs is how many of its choices are none of the round.
    round.into_iter().for_each(|way| ways.add(0, way));
    while let Some((beyond, way)) = ways.next() {
        if states >= limits.executions || is_late() {
            return WayOut::None { states, complete: false };
        }
        let settled = system.go_to(&way);
        let name = system.fingerprint().unwrap_or_else(|| Configuration::of(&way));
        if settled == Settled::Void || !known.insert(name) {
            continue;
        }
        states += 1;
        if settled.is_end() {
            if is_right(system, settled) {
                return WayOut::Found { left: way.len() - beyond as usize, path: way };
            }
            is_whole &= settled != Settled::Bounded;
            continue;
        }
        if way.len() >= limits.depth {
            is_whole = false;
            continue;
        }
        choices.clear();
        system.choices(&mut choices);
        events(&choices, &mut open);
        open.iter().for_each(|&event| ways.add(beyond + 1, way.iter().copied().chain([event]).collect()));
    }
    WayOut::None { states, complete: is_whole }
}
