//! Whether what a rank remembers of old answers of its polls makes a difference (`smpi_choices`, `ahead.rs`).
//!
//! A rank that has found something by one poll, and is told "not yet" by the next one, has gone a round when it comes
//! to that one again: and there it remembers that the first has found nothing since. Mostly nobody looks at that any
//! more. Programs do not say so; it is tried out.

use std::ffi::c_int;
use std::ops::Range;

use smpi_base::WorldRank;
use smpi_checker::{ChoiceId, Event};
use smpi_choices::{Echo, EchoAhead, Round};

use crate::program::states::Naming;
use crate::program::{Program, Snapshot, driven};

/// Bytes of a rank's frames above which they are not looked at.
const MOST_LOOKED_AT: usize = 1 << 16;

impl Program {
    /// Finds the places of a round that echo the one where it begins, which a rank has come to: its polls answer at
    /// these addresses.
    pub(crate) fn find_echoes(&mut self, rank: WorldRank, here: &Snapshot, answers: &[usize], round: &mut Round) {
        self.put_back_alone(here);
        let same = driven(|driver, _| driver.asking_the_same(rank, round));
        let Some(&last) = same.last() else { return };
        let frames = self.ranks.frames(rank).filter(|frames| frames.len() <= MOST_LOOKED_AT);
        let elsewhere = answers.iter().map(|&at| at..at + size_of::<c_int>());
        let mut looked_at: Vec<Range<usize>> = frames.into_iter().chain(elsewhere).collect();
        looked_at.retain(|part| self.ranks.bytes(rank, part.clone()).is_some());
        let before = self.bytes_at(rank, &looked_at);
        let mut there: Vec<(Echo, u128)> = Vec::new();
        for place in 0..=last {
            if !self.find_nothing(rank) {
                return;
            }
            if same.contains(&place) {
                let remembered = other_bytes(&looked_at, &before, &self.bytes_at(rank, &looked_at)).into();
                let echo = Echo { place: round.name(place), remembered };
                let name = self.name_but_for(rank, &echo);
                there.extend(name.map(|name| (echo, name)));
            }
        }
        self.put_back_alone(here);
        there.retain(|(echo, name)| self.name_but_for(rank, echo) == Some(*name));
        round.set_echoes(there.into_iter().map(|(echo, _)| echo).collect());
    }

    /// The name of a rank that polls without what an echo remembers.
    fn name_but_for(&mut self, rank: WorldRank, echo: &Echo) -> Option<u128> {
        let mut unseen = self.unseen(rank);
        unseen.extend(echo.remembered.iter().map(|(at, bytes)| *at..at + bytes.len()));
        self.name_without(rank, &unseen).ok()
    }

    /// The bytes of these parts of a rank's memory; none of one that it does not use now.
    fn bytes_at(&self, rank: WorldRank, parts: &[Range<usize>]) -> Vec<Vec<u8>> {
        parts.iter().map(|part| self.ranks.bytes(rank, part.clone()).unwrap_or_default()).collect()
    }

    /// Looks at the echoes at which ranks could find something now.
    pub(crate) fn look_at_echoes(&mut self) {
        let ahead = driven(|driver, world| driver.echoes_ahead(world));
        let told = ahead.into_iter().map(|(rank, echoes)| (rank, self.same_at(rank, echoes))).collect();
        driven(|driver, _| driver.tell_same(told));
    }

    /// Those of these at which it makes no difference that a rank finds something there, and not before; none if it
    /// does at one of them.
    fn same_at(&mut self, rank: WorldRank, echoes: Vec<EchoAhead>) -> Vec<u128> {
        let is_same = |program: &mut Program, echo: &EchoAhead| {
            echo.found.iter().all(|&found| program.tried_out(|program, here| program.is_same(rank, &here, echo, found)))
        };
        if echoes.iter().all(|echo| is_same(self, echo)) {
            echoes.iter().map(|echo| echo.place).collect()
        } else {
            Vec::new()
        }
    }

    /// Whether all is the same after a rank has found this at an echo and at a place that it echoes.
    fn is_same(&mut self, rank: WorldRank, here: &Snapshot, echo: &EchoAhead, found: u64) -> bool {
        self.put_back_alone(here);
        if !(0..echo.polls).all(|_| self.find_nothing(rank)) {
            return false;
        }
        let there = self.copy();
        let Some(name) = self.name_after(rank, found) else { return false };
        echo.remembered.iter().any(|remembered| {
            self.put_back_alone(&there);
            for (at, bytes) in remembered.iter() {
                self.ranks.set_bytes(rank, *at, bytes);
            }
            self.forget(rank);
            self.name_after(rank, found) == Some(name)
        })
    }

    /// The name of the state after a rank has found something and gone on by itself; `None` if it has none, or depends
    /// on a clock.
    fn name_after(&mut self, rank: WorldRank, found: u64) -> Option<u128> {
        let choice = ChoiceId::of(rank, driven(|driver, _| driver.asks(rank))?);
        driven(|driver, world| driver.choose(world, Event { choice, candidate: found }));
        let goes_on = self.go_on_alone(rank) && !driven(|driver, _| driver.has_looked_at_clock());
        self.forget_shared();
        self.forget_touched();
        goes_on.then(|| self.made_name(Naming { output: true, messages: false }).ok()).flatten()
    }
}

/// Where parts of memory are not what they were before: what was there then.
fn other_bytes(parts: &[Range<usize>], before: &[Vec<u8>], now: &[Vec<u8>]) -> Vec<(usize, Box<[u8]>)> {
    let mut found: Vec<(usize, Box<[u8]>)> = Vec::new();
    for ((part, before), now) in parts.iter().zip(before).zip(now) {
        let places: Vec<usize> = (0..before.len()).filter(|&place| now.get(place) != Some(&before[place])).collect();
        let runs = places.chunk_by(|one, next| next - one == 1);
        found.extend(runs.map(|run| (part.start + run[0], before[run[0]..run[0] + run.len()].into())));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_changed_is_told_by_its_runs() {
        let before = [vec![1, 2, 3, 4, 5, 6], vec![7]];
        let parts = [100..106, 200..201];
        let other = |now: [Vec<u8>; 2]| {
            let found = other_bytes(&parts, &before, &now);
            found.into_iter().map(|(at, bytes)| (at, bytes.into_vec())).collect::<Vec<_>>()
        };
        assert!(other(before.clone()).is_empty());
        assert_eq!(other([vec![0, 2, 3, 0, 0, 6], vec![8]]), [(100, vec![1]), (103, vec![4, 5]), (200, vec![7])]);
        // What is not there any more has changed.
        assert_eq!(other([Vec::new(), vec![7]]), [(100, vec![1, 2, 3, 4, 5, 6])]);
    }
}
