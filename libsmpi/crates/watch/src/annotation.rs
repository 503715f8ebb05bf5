//! `MPI_Pcontrol(SMPI_INDEX_VEC, count, vector)`: which requests of the following Waitany matter to the program.
//!
//! Source: "Static-analysis Assisted Dynamic Verification to Efficiently Handle Waitany Non-determinism", §2. What is
//! made of it is in `smpi_checker::alternatives`. It concerns the rank's next Waitany, Waitsome, Testany or Testsome,
//! whatever it calls in between, and means nothing but in a verification. An annotation that fits nothing is a finding
//! and changes nothing.

use std::ffi::c_int;

use smpi_mpi::usage::Trouble;
use smpi_mpi::world::Chooser;

use smpi_runtime::state::Annotation;
use smpi_runtime::{current_rank, is_running, with};

/// The level: `SMPI_INDEX_VEC` of `include/smpi/smpi.h`. No profiler uses it: the letters "SMPI".
pub const LEVEL: c_int = 0x534d_5049;

/// The program announces what matters in its next Waitany.
///
/// # Safety
/// `vector` must be null or point to `count` numbers.
pub unsafe fn announce(count: c_int, vector: *const c_int) {
    if !is_running() || !with(|runtime| runtime.driver.explores()) {
        return;
    }
    let (rank, origin) = (current_rank(), crate::checks::origin());
    let note = |origin, trouble| with(|runtime| runtime.world.note_annotation(rank, origin, trouble));
    let relevant: Option<Box<[bool]>> = match usize::try_from(count) {
        Ok(0) => Some(Box::default()),
        // SAFETY: `vector`, which is not null, is an array of `count` numbers, as smpi/smpi.h asks with this level.
        Ok(count) if !vector.is_null() => (0..count).map(|index| bit(unsafe { *vector.add(index) })).collect(),
        _ => None,
    };
    let Some(relevant) = relevant else { return note(origin, Trouble::Vector) };
    let before = with(|runtime| runtime.run(rank).annotation.replace(Annotation { relevant, origin }));
    if let Some(before) = before {
        note(before.origin, Trouble::Unused);
    }
}

fn bit(value: c_int) -> Option<bool> {
    match value {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

/// Whether something was announced.
pub fn is_waiting() -> bool {
    with(|runtime| runtime.run(current_rank()).annotation.is_some())
}

/// What was announced for this call, which has `count` requests: of those at `indices`.
pub fn take(count: usize, indices: &[usize]) -> Option<Box<[bool]>> {
    let rank = current_rank();
    let Annotation { relevant, origin } = with(|runtime| runtime.run(rank).annotation.take())?;
    if relevant.len() != count {
        let trouble = Trouble::Count { announced: relevant.len() as u64, asked: count as u64 };
        with(|runtime| runtime.world.note_annotation(rank, origin, trouble));
        return None;
    }
    Some(indices.iter().map(|&index| relevant[index]).collect())
}
