//! When atomic operations of C and C++ on memory of windows take place, where ranks share that memory or others access
//! it by a window.
//!
//! In an exploration they are ordered as accesses to windows are (`smpi_mpi`, `world/own.rs`): where an order makes a
//! difference, each waits for its turn, and is done by the server of the element. The program is not told: it gets what
//! was there. A rank that does one again and again without changing anything polls. In a simulation they take place
//! when ranks come to them, and those that change nothing take as long as a look at the clock.

use std::mem;

use smpi_abi::Callee;
use smpi_base::WorldRank;
use smpi_mpi::collective::Part;
use smpi_mpi::datatype::{Basic, Datatype};
use smpi_mpi::memory::Addr;
use smpi_mpi::op::Predefined;
use smpi_mpi::rma::{Access, Action, WindowId};
use smpi_mpi::usage::Origin;
use smpi_mpi::world::{Chooser, Driver, Notice};
use smpi_process as process;
use smpi_runtime::state::Doing;
use smpi_runtime::{Runtime, blocking, early, is_running, try_with, with};

use super::{is_of_interest, look_up, sweeps, word};
use crate::checks;

/// What an atomic operation makes of what is there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    /// Nothing.
    Load,
    /// Its operand.
    Exchange,
    /// Its operand, if what is there is as expected.
    Compare,
    Add,
    Sub,
    And,
    Or,
    Xor,
    /// The complement of what `And` makes of it: no operation of MPI is like that.
    Nand,
}

/// What all of them are about.
#[derive(Clone, Copy)]
struct Operands {
    does: Does,
    operand: u64,
    expected: u64,
}

impl Operands {
    /// What they make of what is there.
    fn result(self, known: u64) -> u64 {
        let Operands { does, operand, expected } = self;
        match does {
            Does::Load => known,
            Does::Compare if known != expected => known,
            Does::Compare | Does::Exchange => operand,
            Does::Add => known.wrapping_add(operand),
            Does::Sub => known.wrapping_sub(operand),
            Does::And => known & operand,
            Does::Or => known | operand,
            Does::Xor => known ^ operand,
            Does::Nand => !(known & operand),
        }
    }

    /// Whether they change these bytes of the program's.
    fn change(self, (at, len): (u64, u64)) -> bool {
        let mut known = [0; size_of::<u64>()];
        let Some(bytes) = known.get_mut(..len as usize) else { return self.does != Does::Load };
        // SAFETY: the program is about to read them, and nothing else runs.
        unsafe { std::ptr::copy_nonoverlapping(at as *const u8, bytes.as_mut_ptr(), bytes.len()) };
        let known = u64::from_ne_bytes(known);
        self.result(known).to_ne_bytes()[..len as usize] != known.to_ne_bytes()[..len as usize]
    }
}

/// How many arguments a function of the compiler's has that does an atomic operation and may let a rank wait: `name` is
/// its name without what all begin with.
pub fn arguments_of_atomic(name: &str) -> Option<usize> {
    let (bits, operation) = name.split_once('_')?;
    type_of(bits.parse::<u64>().ok()? / 8)?;
    Some(match operation {
        "load" => 2,
        "compare_exchange_strong" | "compare_exchange_weak" | "compare_exchange_val" => 5,
        _ => 3,
    })
}

/// The integers of so many bytes.
fn type_of(bytes: u64) -> Option<Basic> {
    match bytes {
        1 => Some(Basic::Uint8),
        2 => Some(Basic::Uint16),
        4 => Some(Basic::Uint32),
        8 => Some(Basic::Uint64),
        _ => None,
    }
}

/// An atomic operation on `len` bytes at `at`. Returns what was there if it was done in its turn; else the caller has
/// to do it.
#[inline(always)]
pub(super) fn in_turn(at: usize, len: usize, does: Does, operand: u128, expected: u128) -> Option<u64> {
    let operands = Operands { does, operand: operand as u64, expected: expected as u64 };
    let found = is_of_interest(at, len).then(|| wait_for_turn((at as u64, len as u64), operands)).flatten();
    if process::is_rank() {
        // The function has noted its call.
        process::forget_entry();
    }
    found
}

#[cold]
#[inline(never)]
fn wait_for_turn((at, len): (u64, u64), operands: Operands) -> Option<u64> {
    let rank = process::current_rank().filter(|_| is_running())?;
    let writes = operands.does != Does::Load;
    let noted = if writes { Action::Swap(Basic::Byte) } else { Action::Combine(Predefined::NoOp, Basic::Byte) };
    let is_reached = |runtime: &mut Runtime| {
        let exposed = runtime.world.exposed(rank).filter(|_| !runtime.run(rank).doing.is_call());
        exposed.is_some_and(|(low, high)| low < at + len && at < high)
    };
    let explores = try_with(|runtime| is_reached(runtime).then(|| runtime.driver.explores())).flatten();
    if explores != Some(true) {
        if explores.is_some() && !operands.change((at, len)) {
            // Others may change it meanwhile, so that a loop of them ends.
            within_call(rank, writes, blocking::look);
        }
        look_up((at, len), noted, 0, false);
        return None;
    }
    sweeps::finish();
    with(|runtime| early::note(runtime, rank));
    within_call(rank, writes, || {
        let stops = with(|runtime| {
            let origin = || Origin { site: process::own_site(), call: Callee::Other(word(writes)) };
            runtime.world.is_taped() && runtime.world.tape_call(rank, origin())
        });
        if stops {
            blocking::stop_here();
        }
        blocking::look_again(at);
    });
    let place = with(|runtime| runtime.world.own_order(&runtime.driver, rank, (at, at + len)));
    let chosen = place.zip(type_of(len).and_then(|basic| Some((basic, action(operands.does, basic)?))));
    look_up((at, len), noted, 0, chosen.is_some());
    let Some((place, (basic, action))) = chosen else {
        if operands.change((at, len)) {
            with(|runtime| runtime.driver.told(&runtime.world, Notice::Changed { rank }));
        }
        return None;
    };
    // The call before it is at another place.
    process::note_step();
    within_call(rank, writes, || perform(rank, place, (at, basic, action), operands))
}

/// Waits as a call of MPI does.
fn within_call<R>(rank: WorldRank, writes: bool, waits: impl FnOnce() -> R) -> R {
    let call = Callee::Other(word(writes));
    let before = with(|runtime| {
        let run = runtime.run(rank);
        run.waited = 0;
        (mem::replace(&mut run.call, call), mem::replace(&mut run.doing, Doing::Call))
    });
    let found = waits();
    with(|runtime| {
        let run = runtime.run(rank);
        (run.call, run.doing) = before;
        run.waited = 0;
    });
    found
}

/// What does the same at a window; `None`: nothing does.
fn action(does: Does, basic: Basic) -> Option<Action> {
    let op = match does {
        Does::Load => Predefined::NoOp,
        Does::Exchange => Predefined::Replace,
        Does::Compare => return Some(Action::Swap(basic)),
        Does::Add | Does::Sub => Predefined::Sum,
        Does::And => Predefined::BitAnd,
        Does::Or => Predefined::BitOr,
        Does::Xor => Predefined::BitXor,
        Does::Nand => return None,
    };
    Some(Action::Combine(op, basic))
}

/// Lets the server do it; returns what was there.
fn perform(
    rank: WorldRank,
    place: (WindowId, u32),
    (at, basic, action): (u64, Basic, Action),
    Operands { does, operand, expected }: Operands,
) -> Option<u64> {
    let mut found = 0_u64;
    let size = basic.size() as usize;
    let part = |at| Part { at: Addr(at), count: 1, datatype: Datatype::basic(basic) };
    let operand = if does == Does::Sub { operand.wrapping_neg() } else { operand };
    let mut access = Access::new(action, None, Some(part((&raw mut found).addr() as u64)), part(at));
    access.made = checks::here();
    access.data = match does {
        Does::Load => None,
        Does::Compare => Some([&expected.to_ne_bytes()[..size], &operand.to_ne_bytes()[..size]].concat()),
        _ => Some(operand.to_ne_bytes()[..size].to_vec()),
    };
    let key = with(|runtime| runtime.world.start_own(&mut runtime.driver, rank, place, access)).ok()?;
    blocking::wait_all(std::iter::once(key));
    with(|runtime| runtime.world.take_completion(&mut runtime.driver, rank, key));
    // SAFETY: a variable of this function, which the world has filled meanwhile.
    Some(unsafe { (&raw const found).read_volatile() })
}
