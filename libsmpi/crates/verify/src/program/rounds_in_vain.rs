//! Whether ranks that poll in vain do so for ever: they come back to where they were.
//!
//! Where nothing else can happen, a poll that found nothing, or what its rank knew, finds that the next time. What its
//! rank does then follows from its memory and registers (`smpi_process`: names of ranks). If these are the same after
//! some more polls, they will be for ever. A rank that counts its polls gives up at some time, and is not seen to be
//! the same.
//!
//! What calls leave on the stack is cleared only here, unless states have names anyway. So the first rounds may differ
//! from each other by what lay there before, and the state to compare with moves on (Brent, BIT 20, 1980).

use smpi_base::digest::Digest;
use smpi_checker::alternatives::NOT_YET;
use smpi_checker::{ChoiceKind, Choices, Event, System};
use smpi_runtime::with;

use crate::program::{Program, driven};

/// Polls after which all that poll must be as they were: as many as a loop may have, for all ranks together.
const MOST_POLLS: usize = 256;

/// Whether all ranks that poll go on for ever. The program is as it was afterwards.
pub fn poll_for_ever(program: &mut Program) -> bool {
    let here = program.copy();
    let comes_back = program.telling_states_apart(come_back);
    program.put_back(&here);
    comes_back
}

fn come_back(program: &mut Program) -> bool {
    let failures = || with(|runtime| runtime.trouble.failures.len());
    let (Some(mut compared), before) = (name(program), failures()) else { return false };
    let mut choices = Choices::new();
    for polls in 1..=MOST_POLLS {
        choices.clear();
        driven(|driver, world| driver.open_choices(world, u32::MAX, &mut choices));
        // Besides, a rank that looks at memory gets what it asks for, as nobody else asks for it.
        let next = choices.first().map(|choice| (choice, choices.candidates(choice).to_vec()));
        let Some((kind, event)) = next.and_then(|(choice, candidates)| match candidates[..] {
            [candidate] => Some((choice.kind, Event { choice: choice.id, candidate })),
            _ => None,
        }) else {
            return false;
        };
        let is_known = driven(|driver, world| driver.tells_nothing_new(world, event));
        if kind != ChoiceKind::Lock && event.candidate != NOT_YET && !is_known {
            return false;
        }
        program.take(event);
        program.settle();
        if failures() > before {
            return false;
        }
        match name(program) {
            Some(now) if now == compared => return true,
            Some(now) if polls.is_power_of_two() => compared = now,
            Some(_) => {}
            None => return false,
        }
    }
    false
}

/// The state of the ranks that poll: which they are, and what each will do.
fn name(program: &Program) -> Option<u128> {
    let mut digest = Digest::new();
    for rank in driven(|driver, _| driver.polling()) {
        digest.add(rank);
        program.name_memory(rank, &[], &mut digest).ok()?;
    }
    Some(digest.bits())
}
