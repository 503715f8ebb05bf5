//! Declared types as data, read from their entries when they are first asked for.

use super::{Declarations, Entry, Reader, TypeId};
use addr2line::gimli::{self, AttributeValue, UnitOffset};
use smpi_base::map::Map;

/// A type, as far as it matters for what its bytes mean.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Type {
    /// Nothing is known of its bytes, or it has a size that only the running program knows.
    Unknown,
    /// One value.
    Value { name: String, size: u64, kind: Kind },
    /// The same under another name.
    Named { name: String, of: TypeId },
    /// Elements in a row.
    Array { of: TypeId, extents: Vec<u64>, is_fortran: bool },
    /// A structure, class or union.
    Members { name: String, size: u64, members: Vec<Member>, is_complete: bool, is_fortran: bool },
}

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// An integer of either sign, an enumeration, a pointer, a truth value.
    Integer,
    Float,
    /// Two floating-point numbers of half the size.
    Complex,
    /// Text or bytes: room for anything.
    Bytes,
}

/// A part of a structure, or a base class.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Member {
    /// Empty for a base class and for members without a name.
    pub name: String,
    pub offset: u64,
    pub of: TypeId,
}

/// The types that were read so far.
#[derive(Default)]
pub(super) struct Types {
    list: Vec<Type>,
    known: Map<(usize, usize), TypeId>,
}

impl Types {
    pub fn get(&self, id: TypeId) -> &Type {
        &self.list[id.0 as usize]
    }

    fn add(&mut self, one: Type) -> TypeId {
        self.list.push(one);
        TypeId(self.list.len() as u32 - 1)
    }

    /// Bytes of a value of a type; `None` when that is not constant.
    pub fn size_of(&self, id: TypeId) -> Option<u64> {
        match self.get(id) {
            Type::Unknown => None,
            Type::Value { size, .. } | Type::Members { size, .. } => Some(*size),
            Type::Named { of, .. } => self.size_of(*of),
            Type::Array { of, extents, .. } => {
                extents.iter().try_fold(self.size_of(*of)?, |size, extent| size.checked_mul(*extent))
            }
        }
    }

    /// The name of the value behind the names of a type.
    fn named_value(&self, id: TypeId) -> Option<&str> {
        match self.get(id) {
            Type::Named { of, .. } => self.named_value(*of),
            Type::Value { name, .. } => Some(name),
            _ => None,
        }
    }

    /// A type in the words of its source, about.
    pub fn describe(&self, id: TypeId) -> String {
        match self.get(id) {
            Type::Named { name, of } => match self.named_value(*of) {
                Some(own) => format!("{name} ({own})"),
                None => name.clone(),
            },
            Type::Unknown => "an unknown type".into(),
            Type::Value { name, .. } | Type::Members { name, .. } => name.clone(),
            Type::Array { of, extents, is_fortran } => {
                let extents: Vec<String> = extents.iter().map(u64::to_string).collect();
                let of = self.describe(*of);
                if *is_fortran {
                    format!("{of}({})", extents.join(","))
                } else {
                    format!("{of}[{}]", extents.join("]["))
                }
            }
        }
    }
}

/// Types in types in types: a chain of references that is longer is none of a compiler's.
const DEEPEST: u32 = 64;

impl Declarations {
    /// Bytes of a value of a type; `None` when that is not constant.
    pub fn size_of(&self, id: TypeId) -> Option<u64> {
        self.types.size_of(id)
    }

    /// A type in the words of its source, about: `struct particle[5]`, `real(kind=8)(8,5)`.
    pub fn describe(&self, id: TypeId) -> String {
        self.types.describe(id)
    }

    /// The type of an entry.
    pub(super) fn type_at(&mut self, unit: usize, entry: UnitOffset) -> TypeId {
        self.type_within(unit, entry, 0)
    }

    fn type_within(&mut self, unit: usize, entry: UnitOffset, depth: u32) -> TypeId {
        if let Some(&known) = self.types.known.get(&(unit, entry.0)) {
            return known;
        }
        let one = if depth < DEEPEST { self.read_type(unit, entry, depth) } else { None };
        let id = match one {
            Some(Read::Same(id)) => id,
            Some(Read::New(one)) => self.types.add(one),
            None => self.types.add(Type::Unknown),
        };
        self.types.known.insert((unit, entry.0), id);
        id
    }

    fn read_type(&mut self, unit: usize, at: UnitOffset, depth: u32) -> Option<Read> {
        let abbreviations = self.units[unit].abbreviations.clone();
        let header = self.units[unit].header;
        let entry = header.entry(&abbreviations, at).ok()?;
        match entry.tag() {
            gimli::DW_TAG_base_type => self.base(unit, &entry),
            gimli::DW_TAG_enumeration_type => {
                let size = number(&entry, gimli::DW_AT_byte_size)?;
                let name = self.name_of(unit, &entry).map_or("an enumeration".into(), |name| format!("enum {name}"));
                Some(Read::New(Type::Value { name, size, kind: integer(size) }))
            }
            gimli::DW_TAG_pointer_type | gimli::DW_TAG_reference_type | gimli::DW_TAG_rvalue_reference_type => {
                let size = number(&entry, gimli::DW_AT_byte_size).unwrap_or(8);
                let name = format!("{} *", self.pointed_to(unit, at).unwrap_or("void".into()));
                Some(Read::New(Type::Value { name, size, kind: Kind::Integer }))
            }
            gimli::DW_TAG_string_type => {
                let size = number(&entry, gimli::DW_AT_byte_size)?;
                Some(Read::New(Type::Value { name: format!("character({size})"), size, kind: Kind::Bytes }))
            }
            gimli::DW_TAG_const_type
            | gimli::DW_TAG_volatile_type
            | gimli::DW_TAG_restrict_type
            | gimli::DW_TAG_atomic_type
            | gimli::DW_TAG_packed_type => Some(Read::Same(self.inner(unit, &entry, depth)?)),
            gimli::DW_TAG_typedef => {
                let of = self.inner(unit, &entry, depth)?;
                Some(Read::New(Type::Named { name: self.name_of(unit, &entry)?, of }))
            }
            gimli::DW_TAG_array_type => self.array(unit, &entry, depth),
            gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type | gimli::DW_TAG_union_type => {
                self.members(unit, &entry, depth)
            }
            _ => None,
        }
    }

    /// A name of what a pointer points to. That is not read: the pointer may be a member of it.
    fn pointed_to(&self, unit: usize, pointer: UnitOffset) -> Option<String> {
        let (mut unit, mut at) = (unit, pointer);
        for _ in 0..4 {
            let entry = self.units[unit].entry(at).ok()?;
            if let Some(name) = self.name_of(unit, &entry) {
                return Some(name);
            }
            (unit, at) = self.target(unit, entry.attr_value(gimli::DW_AT_type).ok()??)?;
        }
        Some("...".into())
    }

    /// The type that an entry refers to.
    fn inner(&mut self, unit: usize, entry: &Entry, depth: u32) -> Option<TypeId> {
        let (unit, of) = self.target(unit, entry.attr_value(gimli::DW_AT_type).ok()??)?;
        Some(self.type_within(unit, of, depth + 1))
    }

    fn base(&mut self, unit: usize, entry: &Entry) -> Option<Read> {
        let size = number(entry, gimli::DW_AT_byte_size)?;
        let AttributeValue::Encoding(encoding) = entry.attr_value(gimli::DW_AT_encoding).ok()?? else { return None };
        let kind = match encoding {
            gimli::DW_ATE_float | gimli::DW_ATE_imaginary_float => Kind::Float,
            gimli::DW_ATE_complex_float => Kind::Complex,
            gimli::DW_ATE_signed_char | gimli::DW_ATE_unsigned_char => Kind::Bytes,
            gimli::DW_ATE_boolean => Kind::Integer,
            gimli::DW_ATE_signed | gimli::DW_ATE_unsigned | gimli::DW_ATE_UTF | gimli::DW_ATE_address => integer(size),
            _ => return None,
        };
        Some(Read::New(Type::Value { name: self.name_of(unit, entry)?, size, kind }))
    }

    fn array(&mut self, unit: usize, entry: &Entry, depth: u32) -> Option<Read> {
        // A place, a rank or distances of their own: a descriptor, whose data is elsewhere.
        let dynamic = [
            gimli::DW_AT_data_location,
            gimli::DW_AT_rank,
            gimli::DW_AT_allocated,
            gimli::DW_AT_associated,
            gimli::DW_AT_byte_stride,
            gimli::DW_AT_bit_stride,
        ];
        if dynamic.iter().any(|&attribute| !matches!(entry.attr_value(attribute), Ok(None))) {
            return None;
        }
        let of = self.inner(unit, entry, depth)?;
        let is_fortran = self.is_fortran(unit);
        let mut extents = Vec::new();
        self.each_child(unit, entry.offset(), |_, child| {
            if child.tag() == gimli::DW_TAG_subrange_type || child.tag() == gimli::DW_TAG_enumeration_type {
                extents.push(extent(child, is_fortran));
            }
        })?;
        let extents: Option<Vec<u64>> = extents.into_iter().collect();
        Some(Read::New(Type::Array { of, extents: extents.filter(|all| !all.is_empty())?, is_fortran }))
    }

    fn members(&mut self, unit: usize, entry: &Entry, depth: u32) -> Option<Read> {
        let size = number(entry, gimli::DW_AT_byte_size)?;
        let word = match entry.tag() {
            gimli::DW_TAG_union_type => "union ",
            gimli::DW_TAG_structure_type if self.is_c(unit) => "struct ",
            _ => "",
        };
        let name = self.name_of(unit, entry);
        let name = name.map_or(format!("a {}", if word == "union " { "union" } else { "struct" }), |name| {
            word.to_string() + &name
        });
        let mut parts = Vec::new();
        self.each_child(unit, entry.offset(), |_, child| {
            let is_base = child.tag() == gimli::DW_TAG_inheritance;
            let is_static = !matches!(child.attr(gimli::DW_AT_external), Ok(None))
                || !matches!(child.attr(gimli::DW_AT_declaration), Ok(None));
            if is_base || child.tag() == gimli::DW_TAG_member && !is_static {
                parts.push((child.offset(), place_in(child)));
            }
        })?;
        let (mut members, mut is_complete) = (Vec::new(), true);
        for (at, offset) in parts {
            let Some(offset) = offset else {
                is_complete = false;
                continue;
            };
            let header = self.units[unit].header;
            let abbreviations = self.units[unit].abbreviations.clone();
            let child = header.entry(&abbreviations, at).ok()?;
            let of = self.inner(unit, &child, depth)?;
            match (self.types.get(of), self.types.size_of(of)) {
                // An empty base class.
                (Type::Members { members, is_complete: true, .. }, _) if members.is_empty() => {}
                (_, None) => is_complete = false,
                _ => members.push(Member { name: self.name_of(unit, &child).unwrap_or_default(), offset, of }),
            }
        }
        Some(Read::New(Type::Members { name, size, members, is_complete, is_fortran: self.is_fortran(unit) }))
    }

    fn each_child(&self, unit: usize, at: UnitOffset, mut each: impl FnMut(&Self, &Entry)) -> Option<()> {
        let unit = &self.units[unit];
        let mut tree = unit.entries_tree(Some(at)).ok()?;
        let mut children = tree.root().ok()?.children();
        while let Some(child) = children.next().ok()? {
            each(self, child.entry());
        }
        Some(())
    }

    fn language(&self, unit: usize) -> Option<gimli::DwLang> {
        let mut entries = self.units[unit].entries();
        let (_, root) = entries.next_dfs().ok()??;
        match root.attr_value(gimli::DW_AT_language).ok()?? {
            AttributeValue::Language(language) => Some(language),
            _ => None,
        }
    }

    fn is_fortran(&self, unit: usize) -> bool {
        self.language(unit).is_some_and(|language| language.default_lower_bound() == Some(1))
    }

    fn is_c(&self, unit: usize) -> bool {
        let c = [gimli::DW_LANG_C, gimli::DW_LANG_C89, gimli::DW_LANG_C99, gimli::DW_LANG_C11, gimli::DW_LANG_C17];
        self.language(unit).is_some_and(|language| c.contains(&language))
    }
}

/// What an entry is.
enum Read {
    /// What is known already, for example without `const`.
    Same(TypeId),
    New(Type),
}

/// Integers of one byte are room for anything, as characters are.
fn integer(size: u64) -> Kind {
    if size == 1 { Kind::Bytes } else { Kind::Integer }
}

/// An attribute that is a constant.
fn number(entry: &Entry, attribute: gimli::DwAt) -> Option<u64> {
    let value: AttributeValue<Reader> = entry.attr_value(attribute).ok()??;
    value.udata_value()
}

/// Elements of a dimension; `None` when that is not constant.
fn extent(range: &Entry, is_fortran: bool) -> Option<u64> {
    let constant = |attribute| match range.attr_value(attribute).ok()? {
        None => Some(None),
        Some(value) => value.sdata_value().map(Some),
    };
    if let Some(count) = constant(gimli::DW_AT_count)? {
        return u64::try_from(count).ok();
    }
    if !matches!(range.attr(gimli::DW_AT_byte_stride), Ok(None)) {
        return None;
    }
    let lower = constant(gimli::DW_AT_lower_bound)?.unwrap_or(i64::from(is_fortran));
    let upper = constant(gimli::DW_AT_upper_bound)??;
    u64::try_from(upper.checked_sub(lower)?.checked_add(1)?.max(0)).ok()
}

/// Where a member lies; `None` for bits and for what only the running program knows.
fn place_in(member: &Entry) -> Option<u64> {
    let bits = [gimli::DW_AT_bit_size, gimli::DW_AT_data_bit_offset];
    if bits.iter().any(|&attribute| !matches!(member.attr(attribute), Ok(None))) {
        return None;
    }
    match member.attr_value(gimli::DW_AT_data_member_location).ok()? {
        None => Some(0),
        Some(value) => value.udata_value(),
    }
}
