//! Datatypes: how they are made, what they contain, and how data moves through them.
//!
//! A [`Datatype`] is a shared immutable description; handles, names, attributes and the committed flag belong to the
//! rank's tables. Source: MPI 5.0 chapter 5.
//!
//! - `basic`: the predefined types as data; `map`, `layout`, `signature`: what every type is compiled to;
//! - `build`, `array`, `fortran`: the constructors; `contents`: envelope and contents;
//! - `transfer`: pack, unpack and direct copies; `external32`: the portable representation.

mod array;
mod basic;
mod build;
mod contents;
mod external32;
mod fortran;
mod layout;
mod map;
mod signature;
#[cfg(test)]
mod tests;
mod transfer;

use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock};

pub use array::{DarrayArguments, check_ndims};
pub use basic::{Basic, Group, Repr};
pub use contents::{Combiner, Contents};
pub use layout::Blocks;
pub use signature::Signature;
pub use transfer::{Place, copy_typed};

use crate::error::{ErrorClass, MpiError, Result};
use contents::Constructor;
use layout::{Layout, Piece};
use map::Map;

/// A datatype. Cloning shares the description.
#[derive(Clone, Debug)]
pub struct Datatype(Node);

#[derive(Clone, Debug)]
enum Node {
    /// Compiled-in description of a predefined type.
    Named(&'static TypeNode),
    /// Description shared by all who hold the type.
    Derived(Arc<TypeNode>),
}

/// The constructor says everything: the rest is made from it.
impl Hash for Datatype {
    fn hash<H: Hasher>(&self, into: &mut H) {
        let node: &TypeNode = match &self.0 {
            Node::Named(node) => node,
            Node::Derived(node) => node,
        };
        node.constructor.hash(into);
        node.large.hash(into);
    }
}

/// The description behind a datatype.
#[derive(Clone, Debug)]
struct TypeNode {
    constructor: Constructor,
    /// Made by a `_c` constructor, or with arguments that only fit one.
    large: bool,
    map: Map,
    lower: i64,
    extent: i64,
    elements: Elements,
}

/// Of which predefined types the elements of a type are. A pair is one element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Elements {
    /// There are none.
    Nothing,
    /// All are of this one.
    One(Basic),
    Several,
}

impl TypeNode {
    fn named(basic: Basic) -> TypeNode {
        let end = match basic.pair() {
            Some((_, index)) => basic.index_offset() + index.size(),
            None => basic.size(),
        };
        let size = u64::from(basic.size());
        // The only predefined type with a gap inside.
        let layout = if basic == Basic::ShortInt {
            Layout::pieces(const { &[Piece::run(0, 0, 2), Piece::run(2, 4, 4)] }, size)
        } else {
            Layout::run(0, size)
        };
        let map = Map {
            layout,
            signature: Signature::of(basic),
            data: Some((0, i64::from(end))),
            markers: None,
            alignment: basic.alignment(),
        };
        let constructor = Constructor::Named(basic);
        let (extent, elements) = (i64::from(basic.extent()), Elements::One(basic));
        TypeNode { constructor, large: false, map, lower: 0, extent, elements }
    }
}

/// The predefined types; made once, never changed.
static NAMED: LazyLock<[TypeNode; Basic::ALL.len()]> =
    LazyLock::new(|| std::array::from_fn(|index| TypeNode::named(Basic::ALL[index])));

impl Datatype {
    /// A predefined type.
    #[inline]
    pub fn basic(basic: Basic) -> Datatype {
        Datatype(Node::Named(&NAMED[basic as usize]))
    }

    /// The predefined type with this ABI number, if there is one.
    #[inline]
    pub fn from_handle(handle: u32) -> Option<Datatype> {
        Basic::from_handle(handle).map(Datatype::basic)
    }

    fn derived(constructor: Constructor, map: Map) -> Result<Datatype> {
        let (lower, upper) = map.bounds()?;
        let extent = map.extent()?;
        debug_assert_eq!(lower + extent, upper);
        let large = !constructor.fits_int();
        let elements = if map.data.is_some() { constructor.elements(&map) } else { Elements::Nothing };
        Ok(Datatype(Node::Derived(Arc::new(TypeNode { constructor, large, map, lower, extent, elements }))))
    }

    /// True when both are the same description: cheap, and false for equal ones that were made twice.
    #[inline]
    pub fn is_same(&self, other: &Datatype) -> bool {
        std::ptr::eq(self.node(), other.node())
    }

    fn node(&self) -> &TypeNode {
        match &self.0 {
            Node::Named(node) => node,
            Node::Derived(node) => node,
        }
    }

    fn map(&self) -> &Map {
        &self.node().map
    }

    /// The predefined type this is, not counting copies and Fortran's parameterised types.
    pub fn as_basic(&self) -> Option<Basic> {
        match self.node().constructor {
            Constructor::Named(basic) => Some(basic),
            _ => None,
        }
    }

    /// The predefined type whose values this has: itself, a duplicate of it or a parameterised Fortran type.
    /// `None` for types that predefined reductions do not accept.
    pub fn reduction_basic(&self) -> Option<Basic> {
        match &self.node().constructor {
            Constructor::Named(basic) => Some(*basic),
            Constructor::Dup(old) => old.reduction_basic(),
            Constructor::F90Integer { .. } | Constructor::F90Real { .. } | Constructor::F90Complex { .. } => {
                self.signature().uniform()
            }
            _ => None,
        }
    }

    /// The predefined type of which all elements are, those of a derived type too (MPI 5.0 §12.3.4). `None` where there
    /// are several, or no elements.
    pub fn element_basic(&self) -> Option<Basic> {
        match self.node().elements {
            Elements::One(basic) => Some(basic),
            Elements::Nothing | Elements::Several => None,
        }
    }

    /// True for predefined types, with or without a name: they are always committed and cannot be freed.
    pub fn is_predefined(&self) -> bool {
        self.node().constructor.is_predefined()
    }

    /// Bytes of data in one element.
    pub fn size(&self) -> u64 {
        self.map().layout.size()
    }

    /// Bytes of data in `count` elements. Errors: `MPI_ERR_COUNT` when they exceed 63 bits.
    pub fn packed_size(&self, count: u64) -> Result<u64> {
        let size = self.size().checked_mul(count).filter(|&size| i64::try_from(size).is_ok());
        size.ok_or_else(|| {
            let message = format!("{count} elements of {} bytes exceed 2^63 - 1 bytes", self.size());
            MpiError::new(ErrorClass::COUNT, message)
        })
    }

    /// Lower bound, bytes from the buffer's address.
    pub fn lb(&self) -> i64 {
        self.node().lower
    }

    /// Upper bound, bytes from the buffer's address.
    pub fn ub(&self) -> i64 {
        self.node().lower + self.node().extent
    }

    /// Distance between consecutive elements, bytes; may be negative after `MPI_Type_create_resized`.
    pub fn extent(&self) -> i64 {
        self.node().extent
    }

    /// Lowest byte of the data, ignoring markers and padding.
    pub fn true_lb(&self) -> i64 {
        self.map().data.map_or(0, |data| data.0)
    }

    /// Span of the data, ignoring markers and padding.
    pub fn true_extent(&self) -> i64 {
        self.map().data.map_or(0, |data| data.1 - data.0)
    }

    /// Largest alignment of the basic types, bytes.
    pub fn alignment(&self) -> u32 {
        self.map().alignment
    }

    /// The sequence of basic types of one element.
    pub fn signature(&self) -> &Signature {
        &self.map().signature
    }

    /// Lowest byte and end of the data of `count` elements; `None` without data or when it exceeds 63 bits.
    #[inline]
    pub fn span(&self, count: u64) -> Option<(i64, i64)> {
        let (low, high) = self.map().data?;
        if count == 1 {
            return Some((low, high));
        }
        let last = i64::try_from(count.checked_sub(1)?).ok()?.checked_mul(self.extent())?;
        Some((low.min(low.checked_add(last)?), high.max(high.checked_add(last)?)))
    }

    /// True when the data of `count` elements is one run of bytes in memory, in the order of packing.
    pub fn is_contiguous(&self, count: u64) -> bool {
        self.contiguous_offset(count).is_some()
    }

    /// Where that one run starts, bytes from the buffer's address; `None` when the data is not contiguous.
    pub fn contiguous_offset(&self, count: u64) -> Option<i64> {
        let offset = self.map().layout.as_run()?;
        let dense = count <= 1 || self.size() == 0 || u64::try_from(self.extent()) == Ok(self.size());
        dense.then_some(offset)
    }
}
