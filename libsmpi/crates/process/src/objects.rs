//! Which of a rank's objects an address belongs to: a block of its heap, a variable with static storage, or a variable
//! of a function ([`crate::declared`]).

use crate::declared::{self, has_on_stack};
use crate::record::Record;
use crate::state;
use smpi_base::WorldRank;
use smpi_dwarf::source::readable;
use smpi_ranks::arena::HeapPlace;
use std::ops::Range;
use std::ptr;

/// What lies at an address of the calling rank.
#[derive(Clone, Debug, PartialEq)]
pub enum Object {
    /// A block of the heap; the bytes that the program asked for.
    Block(Range<usize>),
    /// Memory of the heap that belongs to no block: it was freed, or lies behind one.
    NoBlock,
    /// Memory among the variables with static storage that belongs to none.
    NoVariable,
    /// Memory of the stack that no function uses which still runs.
    NoFrame,
    /// A variable with static storage.
    Variable(Range<usize>),
    /// A variable of a function, and its name. Of several that share bytes, all together.
    Local(Range<usize>, String),
}

/// What is known of a piece of memory at a glance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Glance {
    /// It lies in one block of the heap.
    Block,
    /// It lies in one variable with static storage.
    Variable,
    /// It begins on the stack.
    Stack,
    /// It has to be looked at closely.
    Unclear,
}

/// From now on blocks of heaps are known. Before any rank has run, so that the sizes of all are.
pub fn keep_objects() {
    let Some(host) = state::host() else { return };
    host.records.iter().for_each(|record| record.own.arena.keep_blocks());
}

/// In what these addresses of the calling rank lie, if that is quickly said.
#[inline]
pub fn glance(range: &Range<usize>) -> Glance {
    let Some(record) = state::current() else { return Glance::Unclear };
    if has_on_stack(record, range.start) {
        return if is_below(record, range.start) { Glance::Unclear } else { Glance::Stack };
    }
    let (start, end) = record.own.last_variable.get();
    if start <= range.start && range.end <= end {
        return Glance::Variable;
    }
    let gone = record.own.arena.blocks_gone();
    let (start, end, then) = record.own.last_block.get();
    if start <= range.start && range.end <= end && gone == then {
        return Glance::Block;
    }
    match object_of(record, range.start) {
        Some(Object::Block(object)) => {
            record.own.last_block.set((object.start, object.end, gone));
            if range.end <= object.end { Glance::Block } else { Glance::Unclear }
        }
        Some(Object::Variable(object)) => {
            record.own.last_variable.set((object.start, object.end));
            if range.end <= object.end { Glance::Variable } else { Glance::Unclear }
        }
        _ => Glance::Unclear,
    }
}

/// What lies at an address of the calling rank, if that is known.
pub fn object_at(address: usize) -> Option<Object> {
    object_of(state::current()?, address)
}

fn object_of(record: &Record, address: usize) -> Option<Object> {
    match record.own.arena.place_at(address) {
        Some(HeapPlace::Block(start, len)) => Some(Object::Block(start..start + len)),
        Some(HeapPlace::Free) => Some(Object::NoBlock),
        None if is_below(record, address) => Some(Object::NoFrame),
        None if has_on_stack(record, address) => {
            declared::local_at(record, address).map(|(range, name)| Object::Local(range, name))
        }
        None if record.image.range().contains(&address) => {
            let (program, link) = (record.image.program(), record.image.link_address(address)?);
            match program.variable_at(link) {
                Some(variable) => {
                    Some(Object::Variable(record.image.address(variable.start)..record.image.address(variable.end)))
                }
                None => program.is_between_variables(link).then_some(Object::NoVariable),
            }
        }
        // The bookkeeping of the heap, and what was never handed out of it.
        None => record.own.arena.has(address).then_some(Object::NoBlock),
    }
}

/// Whether an address of the rank's stack lies below this function's frame, where nobody has any that still runs.
#[inline]
fn is_below(record: &Record, address: usize) -> bool {
    let here = 0_u8;
    let here = ptr::from_ref(&here).addr();
    address < here && has_on_stack(record, address) && has_on_stack(record, here)
}

/// The name of the variable at an address of a rank, as its source has it; empty if there is none.
pub fn variable_name(rank: WorldRank, address: usize) -> String {
    let record = state::host().and_then(|host| host.records.get(rank.index()));
    let named = record.and_then(|record| {
        let variable = record.image.program().variable_at(record.image.link_address(address)?)?;
        // Variables of functions have a number behind their name.
        let name = readable(&variable.name);
        Some(match name.rsplit_once('.') {
            Some((name, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => name.to_string(),
            _ => name,
        })
    });
    named.unwrap_or_default()
}
