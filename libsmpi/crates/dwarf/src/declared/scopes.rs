//! The variables of a function, and where they lie in its frame.

use super::{Declarations, Entry, Reader, TypeId};
use addr2line::gimli::{self, AttributeValue, EntriesTreeNode, Expression, Operation, Unit, UnitOffset};
use std::rc::Rc;

/// A variable of a function, in its frame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Local {
    /// Its first byte, from the frame's canonical address on (mostly negative).
    pub offset: i64,
    /// Its bytes.
    pub size: u64,
    /// Its name.
    pub name: String,
    /// What it was declared to be.
    pub declared: TypeId,
    /// The instruction is in its scope; else it is one of another block, which may have the same place as it.
    pub is_in_scope: bool,
}

/// The variables of a function, as an instruction sees them.
pub type Locals = Vec<Local>;

/// A place in a frame: the entry, its offset, and whether that is so at the instruction.
type Place = (UnitOffset, i64, bool);

/// Blocks in blocks, at most.
const DEEPEST: u32 = 256;

impl Declarations {
    /// The variables of the function that has an instruction. `None` when there is no debug information, or the
    /// function was compiled so that its variables may share their places with things that have no name
    /// ([`keeps_places`]).
    pub fn locals(&mut self, instruction: u64) -> Option<Rc<Locals>> {
        if let Some(known) = self.locals.get(&instruction) {
            return known.clone();
        }
        let found = self.read_locals(instruction).map(Rc::new);
        self.locals.insert(instruction, found.clone());
        found
    }

    fn read_locals(&mut self, instruction: u64) -> Option<Locals> {
        let before = self.code.partition_point(|&(start, ..)| start <= instruction);
        let within = self.code[..before].iter().rev().find(|&&(_, end, _)| instruction < end);
        let &(_, _, unit) = within?;
        let producer = self.producer(unit)?;
        if !keeps_places(&producer) {
            return None;
        }
        let mut places = Vec::new();
        let search = Search { of: self, unit: &self.units[unit], instruction };
        let function = search.function()?;
        let mut tree = search.unit.entries_tree(Some(function)).ok()?;
        search.variables(tree.root().ok()?, true, 0, &mut places).ok()?;
        let mut found = Vec::new();
        for (entry, offset, is_in_scope) in places {
            // Without optimisation every instruction belongs to the block in which it was written. With it the same
            // calls of two blocks may have become one.
            if !is_in_scope && !is_optimised(&producer) {
                continue;
            }
            let Some((name, declared)) = self.variable(unit, entry) else { continue };
            if let Some(size) = self.size_of(declared).filter(|&size| size > 0) {
                found.push(Local { offset, size, name, declared, is_in_scope });
            }
        }
        Some(found)
    }

    pub(super) fn producer(&self, unit: usize) -> Option<String> {
        let mut entries = self.units[unit].entries();
        let (_, root) = entries.next_dfs().ok()??;
        let value = root.attr_value(gimli::DW_AT_producer).ok()??;
        Some(self.dwarf.attr_string(&self.units[unit], value).ok()?.to_string_lossy().into_owned())
    }
}

/// Whether what lies at the place of a variable that is in scope is that variable, as the compiler says which it was,
/// with its options (`DW_AT_producer`).
///
/// gcc gives two objects one place when their lives do not meet. Without optimisation it does that only to variables
/// of different blocks, all of which have entries; with it, or to protect the stack, also to temporaries, which have
/// none. `-fstack-reuse=none` (`smpicc --verify` passes it) keeps them apart. Of other compilers nothing is known
/// here.
fn keeps_places(producer: &str) -> bool {
    let options = || producer.split_whitespace();
    let of_gcc = producer.starts_with("GNU ") && !producer.starts_with("GNU GIMPLE");
    let protects = options().any(|word| word.starts_with("-fstack-protector") || word == "-fsanitize=address");
    of_gcc && (!is_optimised(producer) && !protects || options().any(|word| word == "-fstack-reuse=none"))
}

/// Whether code was optimised; nothing is known of other compilers than gcc, nor of code that gcc's linker made.
pub(super) fn is_optimised(producer: &str) -> bool {
    let of_gcc = producer.starts_with("GNU ") && !producer.starts_with("GNU GIMPLE");
    !of_gcc || producer.split_whitespace().rfind(|word| word.starts_with("-O")).is_some_and(|word| word != "-O0")
}

/// A search in one unit.
struct Search<'a> {
    of: &'a Declarations,
    unit: &'a Unit<Reader>,
    instruction: u64,
}

impl Search<'_> {
    /// The innermost function that has the instruction, if its frame begins where the caller's ends.
    fn function(&self) -> Option<UnitOffset> {
        let mut found = None;
        let mut entries = self.unit.entries();
        while let Some((_, entry)) = entries.next_dfs().ok()? {
            if entry.tag() == gimli::DW_TAG_subprogram && self.has_instruction(entry).ok()? {
                found = Some((entry.offset(), self.has_canonical_frame(entry)));
            }
        }
        found.filter(|found| found.1).map(|found| found.0)
    }

    fn has_canonical_frame(&self, function: &Entry) -> bool {
        let Ok(Some(AttributeValue::Exprloc(base))) = function.attr_value(gimli::DW_AT_frame_base) else {
            return false;
        };
        let mut operations = base.operations(self.unit.encoding());
        matches!(operations.next(), Ok(Some(Operation::CallFrameCFA))) && matches!(operations.next(), Ok(None))
    }

    fn has_instruction(&self, entry: &Entry) -> gimli::Result<bool> {
        let mut ranges = self.of.dwarf.die_ranges(self.unit, entry)?;
        while let Some(range) = ranges.next()? {
            if (range.begin..range.end).contains(&self.instruction) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The places of variables in a function or block and the blocks in it.
    fn variables(
        &self,
        node: EntriesTreeNode<Reader>,
        is_in_scope: bool,
        depth: u32,
        found: &mut Vec<Place>,
    ) -> gimli::Result<()> {
        let mut children = node.children();
        while let Some(child) = children.next()? {
            let entry = child.entry();
            match entry.tag() {
                gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter => {
                    for (offset, is_here) in self.places(entry)? {
                        found.push((entry.offset(), offset, is_in_scope && is_here));
                    }
                }
                gimli::DW_TAG_lexical_block | gimli::DW_TAG_inlined_subroutine if depth < DEEPEST => {
                    let is_in_scope = is_in_scope && self.has_instruction(entry)?;
                    self.variables(child, is_in_scope, depth + 1, found)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Where in the frame a variable lies, and whether it lies there at the instruction.
    fn places(&self, variable: &Entry) -> gimli::Result<Vec<(i64, bool)>> {
        let Some(location) = variable.attr_value(gimli::DW_AT_location)? else { return Ok(Vec::new()) };
        if let AttributeValue::Exprloc(place) = location {
            return Ok(self.in_frame(place).map(|offset| (offset, true)).into_iter().collect());
        }
        let mut found = Vec::new();
        if let Some(mut locations) = self.of.dwarf.attr_locations(self.unit, location)? {
            while let Some(one) = locations.next()? {
                if let Some(offset) = self.in_frame(one.data) {
                    found.push((offset, (one.range.begin..one.range.end).contains(&self.instruction)));
                }
            }
        }
        Ok(found)
    }

    /// An expression that is a distance in the frame, and nothing else.
    fn in_frame(&self, place: Expression<Reader>) -> Option<i64> {
        let mut operations = place.operations(self.unit.encoding());
        match (operations.next().ok()?, operations.next().ok()?) {
            (Some(Operation::FrameOffset { offset }), None) => Some(offset),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compilers_options_decide() {
        let plain = "GNU C17 12.2.0 -mtune=generic -march=x86-64 -g";
        assert!(keeps_places(plain));
        assert!(keeps_places(&format!("{plain} -O2 -O0")));
        assert!(!keeps_places(&format!("{plain} -O")) && !keeps_places(&format!("{plain} -Og")));
        assert!(!keeps_places(&format!("{plain} -fstack-protector-strong")));
        assert!(keeps_places(&format!("{plain} -O3 -fstack-protector-strong -fstack-reuse=none")));
        assert!(!keeps_places("GNU GIMPLE 12.2.0 -fstack-reuse=none") && !keeps_places("clang version 16.0.6"));
    }
}
