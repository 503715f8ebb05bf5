//! Fortran's parameterised types and the search for a type by class and size.
//!
//! The kinds are gfortran's on x86-64: reals of 4, 8, 10 (x87, stored in 16 bytes) and 16 bytes, integers of 1 to 16.
//! Source: MPI 5.0 §19.1.9.

use super::contents::Constructor;
use super::{Basic, Datatype};
use crate::error::{ErrorClass, MpiError, Result};
use smpi_abi::c::constants::*;

/// Decimal precision and exponent range of each real kind, with the real and complex types.
const REALS: [(i32, i32, Basic, Basic); 4] = [
    (6, 37, Basic::Real4, Basic::Complex8),
    (15, 307, Basic::Real8, Basic::Complex16),
    (18, 4931, Basic::LongDouble, Basic::CLongDoubleComplex),
    (33, 4931, Basic::Real16, Basic::Complex32),
];

/// Decimal range of each integer kind.
const INTEGERS: [(i32, Basic); 5] =
    [(2, Basic::Integer1), (4, Basic::Integer2), (9, Basic::Integer4), (18, Basic::Integer8), (38, Basic::Integer16)];

/// The first kind that offers precision and range, where `MPI_UNDEFINED` asks for nothing.
fn find_real(precision: i32, range: i32) -> Result<(Basic, Basic)> {
    if precision == MPI_UNDEFINED && range == MPI_UNDEFINED {
        let message = "parameters 1 and 2 (p, r): both MPI_UNDEFINED; allowed: at most one of them";
        return Err(MpiError::new(ErrorClass::ARG, message));
    }
    let enough = |wanted: i32, offered: i32| wanted == MPI_UNDEFINED || wanted <= offered;
    let kind = REALS.iter().find(|kind| enough(precision, kind.0) && enough(range, kind.1));
    kind.map(|kind| (kind.2, kind.3)).ok_or_else(|| {
        let value = format!("{precision}, {range}");
        let message = format!("parameters 1 and 2 (p, r): {value}; allowed: precision up to 33, range up to 4931");
        MpiError::new(ErrorClass::ARG, message)
    })
}

impl Datatype {
    /// `MPI_Type_create_f90_real`. The caller keeps one handle for each pair of arguments.
    pub fn f90_real(precision: i32, range: i32) -> Result<Datatype> {
        let (real, _) = find_real(precision, range)?;
        Datatype::derived(Constructor::F90Real { precision, range }, Datatype::basic(real).map().clone())
    }

    /// `MPI_Type_create_f90_complex`. The caller keeps one handle for each pair of arguments.
    pub fn f90_complex(precision: i32, range: i32) -> Result<Datatype> {
        let (_, complex) = find_real(precision, range)?;
        Datatype::derived(Constructor::F90Complex { precision, range }, Datatype::basic(complex).map().clone())
    }

    /// `MPI_Type_create_f90_integer`. The caller keeps one handle for each argument.
    pub fn f90_integer(range: i32) -> Result<Datatype> {
        let kind = INTEGERS.iter().find(|kind| range <= kind.0);
        let kind = kind.ok_or_else(|| MpiError::parameter(ErrorClass::ARG, "r", range, "up to 38"))?;
        Datatype::derived(Constructor::F90Integer { range }, Datatype::basic(kind.1).map().clone())
    }

    /// `MPI_Type_match_size`: the sized Fortran type of a class.
    pub fn match_size(class: i32, size: i32) -> Result<Datatype> {
        use Basic::*;
        let candidates: &[Basic] = match class {
            MPI_TYPECLASS_INTEGER => &[Integer1, Integer2, Integer4, Integer8, Integer16],
            MPI_TYPECLASS_REAL => &[Real2, Real4, Real8, Real16],
            MPI_TYPECLASS_COMPLEX => &[Complex4, Complex8, Complex16, Complex32],
            _ => {
                let allowed = "MPI_TYPECLASS_REAL, MPI_TYPECLASS_INTEGER or MPI_TYPECLASS_COMPLEX";
                return Err(MpiError::parameter(ErrorClass::ARG, "typeclass", class, allowed));
            }
        };
        let found = candidates.iter().find(|basic| i64::from(basic.size()) == i64::from(size));
        found.map(|&basic| Datatype::basic(basic)).ok_or_else(|| {
            let sizes: Vec<String> = candidates.iter().map(|basic| basic.size().to_string()).collect();
            MpiError::parameter(ErrorClass::ARG, "size", size, &sizes.join(", "))
        })
    }
}
