//! What a program declared: its variables with static storage and those of functions, with their types, as debug
//! information (`-g`) has them.
//!
//! Source: DWARF 5, §2.6 (locations), §3.3 and §3.5 (subprograms and scopes), §4.1 (variables), chapter 5 (types).
//! Addresses are those of the file. Known is what has one place in memory: a variable whose place or size is computed
//! at run time (a VLA, an allocatable array, an argument by reference) is left out, and of code that was optimised so
//! that the compiler may give several variables, or things without a name, the same place, so are all variables of
//! functions: see [`Declarations::locals`].

mod fit;
mod scopes;
#[cfg(test)]
mod tests;
mod types;

use crate::units;
use addr2line::gimli::{
    self, AttributeValue, DebugInfoOffset, DebuggingInformationEntry, Dwarf, EndianSlice, LittleEndian, Operation,
    SectionId, Unit, UnitOffset, UnitSectionOffset,
};
use object::{Object, ObjectSection, ReadCache};
use std::fs::File;
use std::io::BufReader;
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;

use smpi_base::map::Map;

pub use fit::{Fit, Shape};
pub use scopes::{Local, Locals};
use types::Types;

type Reader = EndianSlice<'static, LittleEndian>;
type Entry<'a> = DebuggingInformationEntry<'a, 'a, Reader>;

/// A type that the program declared: a number that only its [`Declarations`] know.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TypeId(u32);

/// A variable with static storage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Static {
    /// Its first address.
    pub start: u64,
    /// Its bytes.
    pub size: u64,
    /// Its name, as the source has it.
    pub name: String,
    /// What it was declared to be.
    pub declared: TypeId,
    /// It is one view of a common block.
    pub is_common: bool,
}

/// The debug information of one file, read on demand. The file's sections stay in memory for ever.
pub struct Declarations {
    dwarf: Dwarf<Reader>,
    /// By their offsets.
    units: Vec<Unit<Reader>>,
    /// Addresses of code and the unit that has it, ascending.
    code: Vec<(u64, u64, usize)>,
    types: Types,
    /// By their first address; made when somebody first asks. With each, the largest end of it and those before.
    statics: Option<Vec<(Static, u64)>>,
    /// Some code was optimised, or compiled by who knows what: of variables that share their place some may be left
    /// out.
    may_lack_views: bool,
    locals: Map<u64, Option<Rc<Locals>>>,
}

impl Declarations {
    /// Opens a file. `None` when it cannot be read or has no debug information.
    pub fn open(path: &Path) -> Option<Declarations> {
        // It is closed again: descriptors that stay open would be taken for those of ranks.
        let cache = ReadCache::new(BufReader::new(File::open(path).ok()?));
        let file = object::File::parse(&cache).ok()?;
        file.section_by_name(SectionId::DebugInfo.name())?;
        let section = |id: SectionId| -> gimli::Result<Reader> {
            let data = file.section_by_name(id.name()).and_then(|section| section.uncompressed_data().ok());
            let data: &'static [u8] = data.map_or(&[], |data| Box::leak(data.into_owned().into_boxed_slice()));
            Ok(EndianSlice::new(data, LittleEndian))
        };
        let dwarf = Dwarf::load(section).ok()?;
        let (mut all, mut code) = (Vec::new(), Vec::new());
        let mut headers = dwarf.units();
        while let Ok(Some(header)) = headers.next() {
            let Ok(unit) = dwarf.unit(header) else { continue };
            let ranges = units::code_of(&dwarf, &unit).ok()?;
            code.extend(ranges.into_iter().map(|(low, high)| (low, high, all.len())));
            all.push(unit);
        }
        code.sort_unstable();
        let types = Types::default();
        let mut made = Declarations {
            dwarf,
            units: all,
            code,
            types,
            statics: None,
            may_lack_views: true,
            locals: Map::default(),
        };
        made.may_lack_views =
            (0..made.units.len()).any(|unit| made.producer(unit).is_none_or(|by| scopes::is_optimised(&by)));
        Some(made)
    }

    /// The variables with static storage that have some of these addresses: several for one address where a common
    /// block has several views.
    pub fn statics(&mut self, addresses: Range<u64>) -> Vec<Static> {
        if self.statics.is_none() {
            self.statics = Some(self.read_statics());
        }
        let Some(statics) = &self.statics else { return Vec::new() };
        let mut index = statics.partition_point(|(one, _)| one.start < addresses.end);
        let mut found = Vec::new();
        while index > 0 && statics[index - 1].1 > addresses.start {
            index -= 1;
            let one = &statics[index].0;
            if addresses.start < one.start + one.size {
                found.push(one.clone());
            }
        }
        found
    }

    /// Whether of several variables that share their place, such as the views of a common block, some may be left
    /// out.
    pub fn may_lack_views(&self) -> bool {
        self.may_lack_views
    }

    fn read_statics(&mut self) -> Vec<(Static, u64)> {
        let mut found: Vec<Static> = Vec::new();
        for index in 0..self.units.len() {
            let places = places_of_statics(&self.dwarf, &self.units[index]).unwrap_or_default();
            for (start, entry, is_common) in places {
                let Some((name, declared)) = self.variable(index, entry) else { continue };
                if let Some(size) = self.types.size_of(declared).filter(|&size| size > 0) {
                    found.push(Static { start, size, name, declared, is_common });
                }
            }
        }
        found.sort_by(|a, b| (a.start, a.size, &a.name).cmp(&(b.start, b.size, &b.name)));
        found.dedup_by(|a, b| (a.start, a.size, &a.name) == (b.start, b.size, &b.name));
        let mut end = 0;
        let with_end = |one: Static| {
            end = end.max(one.start + one.size);
            (one, end)
        };
        found.into_iter().map(with_end).collect()
    }

    /// Name and type of a variable, which may be the instance of one that was described elsewhere.
    fn variable(&mut self, unit: usize, entry: UnitOffset) -> Option<(String, TypeId)> {
        let (mut unit, mut entry) = (unit, entry);
        let (mut name, mut declared) = (None, None);
        // An instance of a function that was inlined refers to the function, and a member to its declaration.
        for _ in 0..4 {
            let one = self.units[unit].entry(entry).ok()?;
            if name.is_none() {
                name = self.name_of(unit, &one);
            }
            if declared.is_none() {
                declared = one.attr_value(gimli::DW_AT_type).ok()?.and_then(|value| self.target(unit, value));
            }
            let origin = [gimli::DW_AT_abstract_origin, gimli::DW_AT_specification];
            let next = origin.iter().find_map(|&at| self.target(unit, one.attr_value(at).ok()??));
            match next {
                Some(next) if name.is_none() || declared.is_none() => (unit, entry) = next,
                _ => break,
            }
        }
        let (unit, entry) = declared?;
        Some((name?, self.type_at(unit, entry)))
    }

    fn name_of(&self, unit: usize, entry: &Entry) -> Option<String> {
        let value = entry.attr_value(gimli::DW_AT_name).ok()??;
        Some(self.dwarf.attr_string(&self.units[unit], value).ok()?.to_string_lossy().into_owned())
    }

    /// The unit and the entry that an attribute refers to.
    fn target(&self, unit: usize, value: AttributeValue<Reader>) -> Option<(usize, UnitOffset)> {
        match value {
            AttributeValue::UnitRef(offset) => Some((unit, offset)),
            AttributeValue::DebugInfoRef(offset) => {
                let before = self.units.partition_point(|unit| section_offset(unit) <= offset);
                let index = before.checked_sub(1)?;
                Some((index, UnitSectionOffset::from(offset).to_unit_offset(&self.units[index])?))
            }
            _ => None,
        }
    }
}

/// Where a unit begins.
fn section_offset(unit: &Unit<Reader>) -> DebugInfoOffset {
    unit.header.offset().as_debug_info_offset().unwrap_or(DebugInfoOffset(usize::MAX))
}

/// The addresses of the variables of a unit that have one, their entries, and whether they are of a common block.
fn places_of_statics(dwarf: &Dwarf<Reader>, unit: &Unit<Reader>) -> gimli::Result<Vec<(u64, UnitOffset, bool)>> {
    let mut found = Vec::new();
    let mut entries = unit.entries();
    let (mut depth, mut common) = (0, None);
    while let Some((down, entry)) = entries.next_dfs()? {
        depth += down;
        common = common.filter(|&block| depth > block);
        if entry.tag() == gimli::DW_TAG_common_block {
            common = Some(depth);
        }
        if entry.tag() == gimli::DW_TAG_variable
            && let Some(AttributeValue::Exprloc(place)) = entry.attr_value(gimli::DW_AT_location)?
            && let Some(address) = static_place(dwarf, unit, place)
        {
            found.push((address, entry.offset(), common.is_some()));
        }
    }
    Ok(found)
}

/// An expression that is an address, or an address and a distance.
fn static_place(dwarf: &Dwarf<Reader>, unit: &Unit<Reader>, place: gimli::Expression<Reader>) -> Option<u64> {
    let mut operations = place.operations(unit.encoding());
    let base = match operations.next().ok()?? {
        Operation::Address { address } => address,
        Operation::AddressIndex { index } => dwarf.address(unit, index).ok()?,
        _ => return None,
    };
    match operations.next().ok()? {
        None => Some(base),
        Some(Operation::PlusConstant { value }) if operations.next().ok()?.is_none() => base.checked_add(value),
        _ => None,
    }
}
