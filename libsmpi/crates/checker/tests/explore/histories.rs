//! The exploration by groups of ranks against the one of all matchings: what each rank comes to, and whether ranks can
//! get stuck, must be seen.

use std::collections::BTreeSet;
use std::ops::AddAssign;
use std::rc::Rc;

use super::campaign;
use super::model::choosing::Choosing;
use super::model::generate::{Size, apart, combining};
use super::model::program::{Outcome, Program};
use super::random::{Collect, Ends, KEEP_GOING};
use smpi_base::rng::Rng;
use smpi_checker::reduction::histories::Histories;
use smpi_checker::{Limits, Strategy, Verdict, explore};

/// What the comparison of one program gave.
#[derive(Clone, Copy, Default, Debug)]
struct Counts {
    programs: u64,
    /// Programs with fewer executions, and those that get stuck.
    fewer: u64,
    stuck: u64,
    /// Executions of all matchings, and by groups.
    executions: (u64, u64),
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.programs += other.programs;
        self.fewer += other.fewer;
        self.stuck += other.stuck;
        self.executions = (self.executions.0 + other.executions.0, self.executions.1 + other.executions.1);
    }
}

/// What each rank comes to.
fn by_rank<'a>(ends: impl Iterator<Item = &'a (bool, Outcome)>) -> BTreeSet<(usize, String)> {
    ends.flat_map(|(_, outcome)| outcome.iter().map(|of_rank| format!("{of_rank:?}")).enumerate()).collect()
}

fn gets_stuck(ends: &Ends) -> bool {
    !ends.iter().all(|(is_over, _)| *is_over)
}

/// Explores a program by groups, where all its matchings have shown `ends`.
pub fn compare(program: &Rc<Program>, verdict: &Verdict, ends: &Ends) -> Result<u64, String> {
    let mut seen = Collect::default();
    let found = Histories.explore(&mut Choosing::new(Rc::clone(program)), &KEEP_GOING, &mut seen);
    // Where ranks get stuck, others may stop earlier than they would, and be seen where they do not.
    let is_seen = by_rank(ends.iter().filter(|end| end.0)).is_subset(&by_rank(seen.ends.iter()));
    let is_real = seen.ends.is_subset(ends) && gets_stuck(&seen.ends) == gets_stuck(ends);
    if !is_seen || !is_real || !found.complete || found.stats.executions > verdict.stats.executions {
        return Err(format!("{program}histories: {:?} for {ends:?}: {found:?} for {verdict:?}", seen.ends));
    }
    Ok(found.stats.executions)
}

fn compare_all(program: &Rc<Program>) -> Option<Result<Counts, String>> {
    let mut seen = Collect::default();
    let limits = Limits { executions: 20_000, ..KEEP_GOING };
    let verdict = explore(&mut Choosing::new(Rc::clone(program)), &limits, &mut seen);
    let all = verdict.stats.executions;
    verdict.complete.then(|| {
        compare(program, &verdict, &seen.ends).map(|executions| Counts {
            programs: 1,
            fewer: u64::from(executions < all),
            stuck: u64::from(gets_stuck(&seen.ends)),
            executions: (all, executions),
        })
    })
}

#[test]
fn what_ranks_come_to_is_seen_where_groups_hear_little_of_each_other() {
    let program = |rng: &mut Rng| {
        let size = Size { ranks: 3, operations: 2 + rng.below(4) };
        apart(rng, size)
    };
    let sums = campaign::campaign(2_000, 0x0a9a_0047, program, compare_all, |sums: &Counts| sums.programs);
    assert!(!campaign::is_sample(2_000) || sums.fewer > 200 && sums.stuck > 200, "{sums:?}");
}

#[test]
fn what_combinations_show_is_seen_where_ranks_are_told_the_same() {
    let program = |rng: &mut Rng| combining(rng, 3);
    let sums = campaign::campaign(2_000, 0x0c0b_1e55, program, compare_all, |sums: &Counts| sums.programs);
    assert!(!campaign::is_sample(2_000) || sums.fewer > 200 && sums.stuck > 200, "{sums:?}");
}
