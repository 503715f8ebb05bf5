//! The constructors of MPI 5.0 §5.1.2, §5.1.7 and §5.1.10, without those for arrays.
//!
//! Arguments are checked here; messages give the parameter's place in the C prototype. Counts and displacements are in
//! elements or bytes exactly as the standard's function of the same name takes them.

use super::contents::Constructor;
use super::map::{Map, MapBuilder};
use super::{Basic, Datatype};
use crate::error::{ErrorClass, MpiError, Result};

/// Checks a count that must not be negative.
pub(super) fn check_count(class: ErrorClass, name: &str, value: i64) -> Result<u64> {
    u64::try_from(value).map_err(|_| MpiError::parameter(class, name, value, "0 or more"))
}

fn check_blocks(blocks: &[i64]) -> Result<()> {
    for (index, &block) in blocks.iter().enumerate() {
        check_count(ErrorClass::ARG, &format!("array_of_blocklengths[{index}]"), block)?;
    }
    Ok(())
}

fn in_bytes(elements: i64, extent: i64) -> Result<i64> {
    elements.checked_mul(extent).ok_or_else(|| {
        let message = format!("a displacement of {elements} elements of {extent} bytes exceeds 2^63 - 1 bytes");
        MpiError::new(ErrorClass::ARG, message)
    })
}

/// Blocks of one type at byte displacements; equal block lengths in a row share their map.
fn blocks_of(old: &Map, blocks: impl Iterator<Item = (i64, Result<i64>)>) -> Result<Map> {
    let mut builder = MapBuilder::new();
    let mut latest: Option<(i64, Map)> = None;
    for (length, displacement) in blocks {
        let displacement = displacement?;
        if length == 0 {
            continue;
        }
        if latest.as_ref().is_none_or(|(known, _)| *known != length) {
            latest = Some((length, old.block(length as u64)?));
        }
        if let Some((_, block)) = &latest {
            builder.push(block, displacement)?;
        }
    }
    Ok(builder.finish())
}

impl Datatype {
    /// `MPI_Type_dup`.
    pub fn dup(&self) -> Result<Datatype> {
        Datatype::derived(Constructor::Dup(self.clone()), self.map().clone())
    }

    /// `MPI_Type_contiguous`.
    pub fn contiguous(count: i64, old: &Datatype) -> Result<Datatype> {
        let copies = check_count(ErrorClass::COUNT, "count", count)?;
        Datatype::derived(Constructor::Contiguous { count, old: old.clone() }, old.map().block(copies)?)
    }

    /// `MPI_Type_vector`: `stride` in elements.
    pub fn vector(count: i64, block: i64, stride: i64, old: &Datatype) -> Result<Datatype> {
        let map = Self::strided(count, block, in_bytes(stride, old.extent())?, old)?;
        Datatype::derived(Constructor::Vector { count, block, stride, old: old.clone() }, map)
    }

    /// `MPI_Type_create_hvector`: `stride` in bytes.
    pub fn hvector(count: i64, block: i64, stride: i64, old: &Datatype) -> Result<Datatype> {
        let map = Self::strided(count, block, stride, old)?;
        Datatype::derived(Constructor::Hvector { count, block, stride, old: old.clone() }, map)
    }

    fn strided(count: i64, block: i64, stride: i64, old: &Datatype) -> Result<Map> {
        let copies = check_count(ErrorClass::COUNT, "count", count)?;
        let length = check_count(ErrorClass::ARG, "blocklength", block)?;
        old.map().block(length)?.repeated(copies, stride)
    }

    /// `MPI_Type_indexed`: displacements in elements. Both slices have the same length.
    pub fn indexed(blocks: &[i64], displacements: &[i64], old: &Datatype) -> Result<Datatype> {
        check_blocks(blocks)?;
        let extent = old.extent();
        let places = displacements.iter().map(|&displacement| in_bytes(displacement, extent));
        let map = blocks_of(old.map(), blocks.iter().copied().zip(places))?;
        let (blocks, displacements) = (blocks.into(), displacements.into());
        Datatype::derived(Constructor::Indexed { blocks, displacements, old: old.clone() }, map)
    }

    /// `MPI_Type_create_hindexed`: displacements in bytes. Both slices have the same length.
    pub fn hindexed(blocks: &[i64], displacements: &[i64], old: &Datatype) -> Result<Datatype> {
        check_blocks(blocks)?;
        let map = blocks_of(old.map(), blocks.iter().copied().zip(displacements.iter().copied().map(Ok)))?;
        let (blocks, displacements) = (blocks.into(), displacements.into());
        Datatype::derived(Constructor::Hindexed { blocks, displacements, old: old.clone() }, map)
    }

    /// `MPI_Type_create_indexed_block`: displacements in elements.
    pub fn indexed_block(block: i64, displacements: &[i64], old: &Datatype) -> Result<Datatype> {
        check_count(ErrorClass::ARG, "blocklength", block)?;
        let extent = old.extent();
        let places = displacements.iter().map(|&displacement| (block, in_bytes(displacement, extent)));
        let map = blocks_of(old.map(), places)?;
        let displacements = displacements.into();
        Datatype::derived(Constructor::IndexedBlock { block, displacements, old: old.clone() }, map)
    }

    /// `MPI_Type_create_hindexed_block`: displacements in bytes.
    pub fn hindexed_block(block: i64, displacements: &[i64], old: &Datatype) -> Result<Datatype> {
        check_count(ErrorClass::ARG, "blocklength", block)?;
        let map = blocks_of(old.map(), displacements.iter().map(|&displacement| (block, Ok(displacement))))?;
        let displacements = displacements.into();
        Datatype::derived(Constructor::HindexedBlock { block, displacements, old: old.clone() }, map)
    }

    /// `MPI_Type_create_struct`: displacements in bytes. All slices have the same length.
    pub fn structure(blocks: &[i64], displacements: &[i64], types: &[Datatype]) -> Result<Datatype> {
        check_blocks(blocks)?;
        let mut builder = MapBuilder::new();
        for ((&length, &displacement), old) in blocks.iter().zip(displacements).zip(types) {
            if length > 0 {
                builder.push(&old.map().block(length as u64)?, displacement)?;
            }
        }
        let (blocks, displacements, types) = (blocks.into(), displacements.into(), types.into());
        Datatype::derived(Constructor::Struct { blocks, displacements, types }, builder.finish())
    }

    /// `MPI_Type_create_resized`: new lower bound and extent in bytes.
    pub fn resized(&self, lower: i64, extent: i64) -> Result<Datatype> {
        let map = self.map().clone().resized(lower, extent)?;
        Datatype::derived(Constructor::Resized { lower, extent, old: self.clone() }, map)
    }

    /// `MPI_Type_get_value_index`: the predefined pair of these types, `None` when there is none.
    pub fn value_index(value: &Datatype, index: &Datatype) -> Option<Datatype> {
        let wanted = (value.as_basic()?, index.as_basic()?);
        Basic::ALL.iter().find(|basic| basic.pair() == Some(wanted)).map(|&basic| Datatype::basic(basic))
    }
}
