//! Type maps under construction: layout, signature and bounds of a datatype, and the two ways to combine them.
//!
//! Bounds follow MPI 5.0 §5.1.6 and §5.1.7: a type map without markers spans its data, rounded up to the largest
//! alignment of its basic types; lower and upper bound markers (`MPI_Type_create_resized`, subarrays) replace that and
//! are inherited by every type built on top. All arithmetic is checked: what does not fit 63 bits is refused.

use super::layout::{Layout, LayoutBuilder};
use super::signature::{Signature, SignatureBuilder};
use crate::error::{ErrorClass, MpiError, Result};

/// Everything about a datatype but how it was made.
#[derive(Clone, Debug)]
pub(super) struct Map {
    pub(super) layout: Layout,
    pub(super) signature: Signature,
    /// Lowest byte and end of the data; `None` without data.
    pub(super) data: Option<(i64, i64)>,
    /// Explicit lower and upper bound.
    pub(super) markers: Option<(i64, i64)>,
    /// Largest alignment of the basic types, 1 without data.
    pub(super) alignment: u32,
}

/// The refusal of types whose bounds or size overflow.
fn too_large() -> MpiError {
    MpiError::new(ErrorClass::ARG, "the datatype's size or bounds would exceed 2^63 - 1 bytes")
}

fn checked(value: Option<i64>) -> Result<i64> {
    value.ok_or_else(too_large)
}

type Span = Option<(i64, i64)>;

fn union(one: Span, two: Span) -> Span {
    match (one, two) {
        (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
        (one, two) => one.or(two),
    }
}

fn shift(span: Span, by: i64) -> Result<Span> {
    let Some((low, high)) = span else { return Ok(None) };
    Ok(Some((checked(low.checked_add(by))?, checked(high.checked_add(by))?)))
}

impl Map {
    /// The map without entries.
    pub(super) fn empty() -> Map {
        Map {
            layout: Layout::run(0, 0),
            signature: SignatureBuilder::default().finish(),
            data: None,
            markers: None,
            alignment: 1,
        }
    }

    /// Lower and upper bound.
    pub(super) fn bounds(&self) -> Result<(i64, i64)> {
        if let Some(markers) = self.markers {
            return Ok(markers);
        }
        let Some((low, high)) = self.data else { return Ok((0, 0)) };
        let span = checked(high.checked_sub(low))?;
        let padded = u64::try_from(span).ok().and_then(|s| s.checked_next_multiple_of(u64::from(self.alignment)));
        let padded = checked(padded.and_then(|p| i64::try_from(p).ok()))?;
        Ok((low, checked(low.checked_add(padded))?))
    }

    /// Upper minus lower bound.
    pub(super) fn extent(&self) -> Result<i64> {
        let (lower, upper) = self.bounds()?;
        checked(upper.checked_sub(lower))
    }

    /// The same map at a displacement.
    pub(super) fn shifted(mut self, by: i64) -> Result<Map> {
        self.data = shift(self.data, by)?;
        self.markers = shift(self.markers, by)?;
        self.layout = self.layout.shifted(by);
        Ok(self)
    }

    /// `count` copies, `stride` bytes apart.
    pub(super) fn repeated(&self, count: u64, stride: i64) -> Result<Map> {
        if count == 0 {
            return Ok(Map::empty());
        }
        let size = self.layout.size().checked_mul(count).filter(|&size| i64::try_from(size).is_ok());
        size.ok_or_else(too_large)?;
        let last = i64::try_from(count - 1).ok().and_then(|n| n.checked_mul(stride));
        // Without any entry the stride has nothing to move.
        let last = if self.data.is_none() && self.markers.is_none() { 0 } else { checked(last)? };
        let mut signature = SignatureBuilder::default();
        signature.push(&self.signature, count);
        Ok(Map {
            layout: self.layout.repeated(count, stride),
            signature: signature.finish(),
            data: union(self.data, shift(self.data, last)?),
            markers: union(self.markers, shift(self.markers, last)?),
            alignment: self.alignment,
        })
    }

    /// `count` consecutive elements.
    pub(super) fn block(&self, count: u64) -> Result<Map> {
        if count == 1 {
            return Ok(self.clone());
        }
        self.repeated(count, self.extent()?)
    }

    /// Replaces the bounds.
    pub(super) fn resized(mut self, lower: i64, extent: i64) -> Result<Map> {
        self.markers = Some((lower, checked(lower.checked_add(extent))?));
        Ok(self)
    }
}

/// Collects blocks at displacements: the general form of all constructors.
pub(super) struct MapBuilder {
    layout: LayoutBuilder,
    signature: SignatureBuilder,
    size: u64,
    rest: Map,
}

impl MapBuilder {
    /// A builder without blocks.
    pub(super) fn new() -> MapBuilder {
        MapBuilder {
            layout: LayoutBuilder::default(),
            signature: SignatureBuilder::default(),
            size: 0,
            rest: Map::empty(),
        }
    }

    /// Appends a map `displacement` bytes from the origin.
    pub(super) fn push(&mut self, map: &Map, displacement: i64) -> Result<()> {
        let size = self.size.checked_add(map.layout.size()).filter(|&size| i64::try_from(size).is_ok());
        self.size = size.ok_or_else(too_large)?;
        self.rest.data = union(self.rest.data, shift(map.data, displacement)?);
        self.rest.markers = union(self.rest.markers, shift(map.markers, displacement)?);
        self.rest.alignment = self.rest.alignment.max(map.alignment);
        self.layout.push(map.layout.clone().shifted(displacement));
        self.signature.push(&map.signature, 1);
        Ok(())
    }

    /// The concatenation of all blocks.
    pub(super) fn finish(self) -> Map {
        Map { layout: self.layout.finish(), signature: self.signature.finish(), ..self.rest }
    }
}
