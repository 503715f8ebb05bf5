//! Whether it makes a difference how often a rank polls in vain.
//!
//! A poll that is repeated is told "not yet" again only where nothing else can happen: else every loop that polls
//! would have executions without end (`smpi_choices`, `open.rs`). Nothing is lost by that if the rank comes back
//! to where it was: what it does next follows from its memory and its registers, and another "not yet" would change
//! neither, nor files or memory that others share with it. That is looked at wherever what it polls for has come, and
//! "not yet" is left out: the rank gets it, and goes on, until it polls for the same again. If it is not the same then
//! (it counts its polls, say), does something else (it gives up), or cannot be compared (it handles signals, or polls
//! on a stack of its own), the exploration is not complete. Clocks stand still meanwhile: that a deadline passes is a
//! choice of its own.

use std::collections::BTreeSet;
use std::rc::Rc;

use smpi_base::WorldRank;
use smpi_base::digest::{Digest, Named, Unnamed};
use smpi_choices::Verification;
use smpi_process::{note_uncontrolled, tell_states_apart};
use smpi_runtime::with;

use crate::program::{Program, Snapshot, driven};

/// What is not explored.
const COUNTED: &str = "a rank that polls in vain is not the same when it polls again: it may count its polls, and do \
                       something else after more of them than were tried";
/// The same where ranks cannot be compared.
const UNKNOWN: &str = "whether it matters how often a rank polls in vain is not known";

/// Answers after which a rank must be as it was: as many polls as a loop may have.
const MOST_POLLS: usize = 64;

impl Program {
    /// Looks at the ranks that are about to poll once more, and will not be told "not yet". The program is as it was
    /// afterwards.
    pub(crate) fn look_at_retries(&mut self) {
        if self.retries.counted || !driven(|driver, _| driver.is_polling()) {
            return;
        }
        if !self.retries.polled {
            self.retries.polled = true;
            tell_states_apart(true);
        }
        for rank in driven(|driver, world| driver.left_without_no(world)) {
            let name = match self.name_of_poll(rank) {
                Ok(name) => name,
                Err(Unnamed(why)) => return self.note_unnamed(why),
            };
            if self.retries.same.contains(&name) {
                continue;
            }
            let here = Rc::new(self.copy());
            driven(|driver, _| driver.hold_clocks(true));
            let comes_back = self.comes_back(rank, name, Rc::clone(&here));
            driven(|driver, _| driver.hold_clocks(false));
            self.put_back(&here);
            if !comes_back {
                return self.note_counted();
            }
            self.retries.same.insert(name);
        }
    }

    fn note_counted(&mut self) {
        self.retries.counted = true;
        note_uncontrolled(COUNTED);
    }

    fn note_unnamed(&mut self, why: &'static str) {
        self.retries.counted = true;
        note_uncontrolled(format!("{UNKNOWN}, because {why}").leak());
    }

    /// Whether a rank that finds nothing, however often it polls, can always come back to where it is now. Random
    /// numbers that it draws meanwhile lead to several states.
    fn comes_back(&mut self, rank: WorldRank, name: u128, here: Rc<Snapshot>) -> bool {
        let (mut names, mut ways, mut answered) = (vec![name], Vec::new(), 0);
        let mut open = vec![(0, here)];
        while let Some((from, state)) = open.pop() {
            self.put_back(&state);
            let asked = driven(|driver, _| driver.asked_in_vain(rank));
            if asked.is_empty() {
                return false;
            }
            for (place, event) in asked.into_iter().enumerate() {
                answered += 1;
                if place > 0 {
                    self.put_back(&state);
                }
                driven(|driver, world| driver.choose(world, event));
                if answered > MOST_POLLS || !self.go_on_alone(rank) || self.failed() {
                    return false;
                }
                let Ok(name) = self.name_of_poll(rank) else { return false };
                let to = names.iter().position(|known| *known == name).unwrap_or(names.len());
                if to == names.len() {
                    names.push(name);
                    open.push((to, Rc::new(self.copy())));
                }
                ways.push((from, to));
            }
        }
        let (mut leads_back, mut next) = (vec![0], 0);
        while let Some(&at) = leads_back.get(next) {
            next += 1;
            let more: Vec<usize> = ways.iter().filter(|(_, to)| *to == at).map(|(from, _)| *from).collect();
            more.into_iter().for_each(|from| {
                if !leads_back.contains(&from) {
                    leads_back.push(from);
                }
            });
        }
        leads_back.len() == names.len()
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
