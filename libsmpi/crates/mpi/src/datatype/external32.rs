//! The portable representation `external32`: big-endian, with fixed sizes.
//!
//! Conversion is driven by the type signature alone and works on the packed stream, so layouts play no part here.
//! `long double` (x87) becomes IEEE binary128, which holds it exactly. Source: MPI 5.0 §14.5.2 and §5.3.

use smpi_base::WorldRank;

use super::basic::{Basic, Repr};
use super::contents::Constructor::*;
use super::{Datatype, Signature};
use crate::error::{ErrorClass, MpiError, Result};
use crate::memory::{Addr, Memory};
use crate::softfloat::{BINARY128, EXTENDED};

/// Bytes of one element in external32. Not meant for pairs: signatures consist of their components.
fn external_size(basic: Basic) -> usize {
    match basic {
        Basic::Long | Basic::UnsignedLong => 4,
        Basic::Wchar => 2,
        Basic::CBool | Basic::CxxBool => 4,
        other => other.size() as usize,
    }
}

/// Bytes of one repetition of a signature in external32.
fn external_bytes(signature: &Signature) -> u64 {
    let mut bytes = 0;
    let _: std::result::Result<(), ()> = signature.for_each(&mut |basic, count| {
        bytes += external_size(basic) as u64 * count;
        Ok(())
    });
    bytes
}

impl Datatype {
    /// Bytes of `count` elements in external32. Errors: `MPI_ERR_COUNT` when they exceed 63 bits.
    pub fn external32_size(&self, count: u64) -> Result<u64> {
        let size = external_bytes(self.signature()).checked_mul(count).filter(|&size| i64::try_from(size).is_ok());
        size.ok_or_else(|| MpiError::new(ErrorClass::COUNT, format!("{count} elements exceed 2^63 - 1 bytes")))
    }

    /// Appends `count` elements at `base` to `out` in external32.
    ///
    /// Errors: `MPI_ERR_CONVERSION` for a value that does not fit (external32 has 4 bytes for `long`, 2 for `wchar_t`).
    pub fn pack_external32(
        &self,
        memory: &dyn Memory,
        rank: WorldRank,
        base: Addr,
        count: u64,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let mut native = Vec::new();
        self.pack(memory, rank, base, count, &mut native);
        let mut rest = native.as_slice();
        for _ in 0..count {
            self.signature().for_each(&mut |basic, times| {
                let (elements, left) = rest.split_at(basic.size() as usize * times as usize);
                rest = left;
                elements.chunks_exact(basic.size() as usize).try_for_each(|element| to_external(basic, element, out))
            })?;
        }
        Ok(())
    }

    /// Stores external32 data into up to `count` elements at `base`; gives the bytes taken from `input`.
    ///
    /// Whole basic elements are converted; a broken one at the end is left.
    pub fn unpack_external32(
        &self,
        memory: &mut dyn Memory,
        rank: WorldRank,
        base: Addr,
        count: u64,
        input: &[u8],
    ) -> u64 {
        let mut native = Vec::new();
        let mut taken = 0;
        for _ in 0..count {
            let walk = self.signature().for_each(&mut |basic, times| {
                for _ in 0..times {
                    let Some(element) = input[taken..].get(..external_size(basic)) else {
                        return Err(());
                    };
                    from_external(basic, element, &mut native);
                    taken += element.len();
                }
                Ok(())
            });
            if walk.is_err() {
                break;
            }
        }
        self.unpack(memory, rank, base, count, &native);
        taken as u64
    }
}

impl Datatype {
    /// The bytes in the machine's representation of those whole basic elements that `bytes` in external32 begin with,
    /// of elements without end. The type must have data.
    pub fn bytes_from_external32(&self, bytes: u64) -> u64 {
        let external = external_bytes(self.signature());
        let mut native = bytes / external * self.size();
        let mut left = bytes % external;
        let _ = self.signature().for_each(&mut |basic, times| {
            let whole = (left / external_size(basic) as u64).min(times);
            native += whole * u64::from(basic.size());
            left -= whole * external_size(basic) as u64;
            if whole < times { Err(()) } else { Ok(()) }
        });
        native
    }

    /// The type of bytes that describes data of this type in external32 (MPI 5.0 §14.5.1).
    ///
    /// # Errors
    /// Those of the constructors.
    pub fn in_external32(&self) -> Result<Datatype> {
        let is_same = self.signature().for_each(&mut |basic, _| {
            if external_size(basic) == basic.size() as usize { Ok(()) } else { Err(()) }
        });
        if is_same.is_ok() {
            return Ok(self.clone());
        }
        self.with_elements(&mut |element| Ok(external_bytes(element.signature())))
    }

    /// The type of bytes that this one becomes where its predefined types have other lengths: `length` gives them.
    /// Displacements that the program gave in bytes stay as they are.
    ///
    /// # Errors
    /// Those of `length` and of the constructors.
    pub fn with_elements(&self, length: &mut dyn FnMut(&Datatype) -> Result<u64>) -> Result<Datatype> {
        match &self.node().constructor {
            Named(_) | F90Real { .. } | F90Complex { .. } | F90Integer { .. } => {
                Datatype::contiguous(length(self)? as i64, &Datatype::basic(Basic::Byte))
            }
            Dup(old) => old.with_elements(length),
            Contiguous { count, old } => Datatype::contiguous(*count, &old.with_elements(length)?),
            Vector { count, block, stride, old } => {
                Datatype::vector(*count, *block, *stride, &old.with_elements(length)?)
            }
            Hvector { count, block, stride, old } => {
                Datatype::hvector(*count, *block, *stride, &old.with_elements(length)?)
            }
            Indexed { blocks, displacements, old } => {
                Datatype::indexed(blocks, displacements, &old.with_elements(length)?)
            }
            Hindexed { blocks, displacements, old } => {
                Datatype::hindexed(blocks, displacements, &old.with_elements(length)?)
            }
            IndexedBlock { block, displacements, old } => {
                Datatype::indexed_block(*block, displacements, &old.with_elements(length)?)
            }
            HindexedBlock { block, displacements, old } => {
                Datatype::hindexed_block(*block, displacements, &old.with_elements(length)?)
            }
            Struct { blocks, displacements, types } => {
                let types: Vec<Datatype> = types.iter().map(|old| old.with_elements(length)).collect::<Result<_>>()?;
                Datatype::structure(blocks, displacements, &types)
            }
            Subarray { sizes, subsizes, starts, order, old } => {
                Datatype::subarray(sizes, subsizes, starts, *order, &old.with_elements(length)?)
            }
            Darray(array) => array.again(&array.old.with_elements(length)?),
            Resized { lower, extent, old } => old.with_elements(length)?.resized(*lower, *extent),
        }
    }
}

/// Appends one element in external32.
fn to_external(basic: Basic, native: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let size = external_size(basic);
    match basic.repr() {
        Repr::LongDouble | Repr::LongDoubleComplex => {
            for part in native.as_chunks::<16>().0 {
                let number = EXTENDED.decode(u128::from_le_bytes(*part));
                out.extend_from_slice(&BINARY128.encode(number).to_be_bytes());
            }
        }
        Repr::Complex => native.chunks_exact(native.len() / 2).for_each(|part| out.extend(part.iter().rev())),
        _ if size == native.len() => out.extend(native.iter().rev()),
        _ if size > native.len() => {
            out.resize(out.len() + size - native.len(), 0);
            out.extend(native.iter().rev());
        }
        repr => {
            let (kept, dropped) = native.split_at(size);
            let negative = repr == Repr::Signed && kept[size - 1] & 0x80 != 0;
            let fill = if negative { 0xff } else { 0 };
            if dropped.iter().any(|&byte| byte != fill) {
                let message = format!("a value of {} does not fit the {size} bytes of external32", basic.name());
                return Err(MpiError::new(ErrorClass::CONVERSION, message));
            }
            out.extend(kept.iter().rev());
        }
    }
    Ok(())
}

/// Appends one element in the machine's representation.
fn from_external(basic: Basic, external: &[u8], out: &mut Vec<u8>) {
    let size = basic.size() as usize;
    match basic.repr() {
        Repr::LongDouble | Repr::LongDoubleComplex => {
            for part in external.as_chunks::<16>().0 {
                let number = BINARY128.decode(u128::from_be_bytes(*part));
                out.extend_from_slice(&EXTENDED.encode(number).to_le_bytes());
            }
        }
        Repr::Complex => external.chunks_exact(size / 2).for_each(|part| out.extend(part.iter().rev())),
        Repr::Logical if size < external.len() => out.push(u8::from(external.iter().any(|&byte| byte != 0))),
        repr => {
            out.extend(external.iter().rev());
            let negative = repr == Repr::Signed && external[0] & 0x80 != 0;
            let fill = if negative { 0xff } else { 0 };
            out.resize(out.len() + size - external.len(), fill);
        }
    }
}
