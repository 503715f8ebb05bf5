//! Which of a rank's objects an address belongs to: a block of its heap, or a variable with static storage.
//!
//! Objects on the stack are not known.

use crate::record::Record;
use crate::state;
use smpi_base::WorldRank;
use smpi_ranks::arena::HeapPlace;
use smpi_report::source::readable;
use std::ops::Range;

/// What lies at an address of the calling rank.
#[derive(Clone, Debug, PartialEq)]
pub enum Object {
    /// A block of the heap; the bytes that the program asked for.
    Block(Range<usize>),
    /// Memory of the heap that belongs to no block: it was freed, or lies behind one.
    NoBlock,
    /// A variable.
    Variable(Range<usize>),
}

/// From now on blocks of heaps are known. Before any rank has run, so that the sizes of all are.
pub fn keep_objects() {
    let Some(host) = state::host() else { return };
    host.records.iter().for_each(|record| record.own.arena.keep_blocks());
}

/// Whether the calling rank has all of these addresses in one object, or its stack has the first one.
#[inline]
pub fn is_in_one_object(range: &Range<usize>) -> bool {
    let Some(record) = state::current() else { return true };
    if (record.image.region()..record.image.range().start).contains(&range.start) {
        return true;
    }
    let (start, end) = record.own.last_variable.get();
    if start <= range.start && range.end <= end {
        return true;
    }
    let gone = record.own.arena.blocks_gone();
    let (start, end, then) = record.own.last_block.get();
    if start <= range.start && range.end <= end && gone == then {
        return true;
    }
    match object_of(record, range.start) {
        Some(Object::Block(object)) => {
            record.own.last_block.set((object.start, object.end, gone));
            range.end <= object.end
        }
        Some(Object::Variable(object)) => {
            record.own.last_variable.set((object.start, object.end));
            range.end <= object.end
        }
        _ => false,
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
        None => {
            let variable = record.image.program().variable_at(record.image.link_address(address)?)?;
            Some(Object::Variable(record.image.address(variable.start)..record.image.address(variable.end)))
        }
    }
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
