//! Reduction operations: the predefined ones on plain bytes, and the description of user-defined ones.
//!
//! User functions are called by `smpi-runtime`. Here such an operation is a number, and whether it commutes. Source:
//! MPI 5.0 §6.9.

mod arithmetic;
mod pair;

use crate::datatype::{Basic, Datatype, Group, Repr};
use crate::error::{ErrorClass, MpiError, Result};
use smpi_abi::c::handles::*;

/// A predefined operation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Predefined {
    /// `MPI_SUM`
    Sum,
    /// `MPI_MIN`
    Min,
    /// `MPI_MAX`
    Max,
    /// `MPI_PROD`
    Prod,
    /// `MPI_BAND`
    BitAnd,
    /// `MPI_BOR`
    BitOr,
    /// `MPI_BXOR`
    BitXor,
    /// `MPI_LAND`
    LogicalAnd,
    /// `MPI_LOR`
    LogicalOr,
    /// `MPI_LXOR`
    LogicalXor,
    /// `MPI_MINLOC`
    MinLoc,
    /// `MPI_MAXLOC`
    MaxLoc,
    /// `MPI_REPLACE`: one-sided communication only.
    Replace,
    /// `MPI_NO_OP`: one-sided communication only.
    NoOp,
}

/// Number, operation and name.
const PREDEFINED: [(u32, Predefined, &str); 14] = [
    (MPI_SUM, Predefined::Sum, "MPI_SUM"),
    (MPI_MIN, Predefined::Min, "MPI_MIN"),
    (MPI_MAX, Predefined::Max, "MPI_MAX"),
    (MPI_PROD, Predefined::Prod, "MPI_PROD"),
    (MPI_BAND, Predefined::BitAnd, "MPI_BAND"),
    (MPI_BOR, Predefined::BitOr, "MPI_BOR"),
    (MPI_BXOR, Predefined::BitXor, "MPI_BXOR"),
    (MPI_LAND, Predefined::LogicalAnd, "MPI_LAND"),
    (MPI_LOR, Predefined::LogicalOr, "MPI_LOR"),
    (MPI_LXOR, Predefined::LogicalXor, "MPI_LXOR"),
    (MPI_MINLOC, Predefined::MinLoc, "MPI_MINLOC"),
    (MPI_MAXLOC, Predefined::MaxLoc, "MPI_MAXLOC"),
    (MPI_REPLACE, Predefined::Replace, "MPI_REPLACE"),
    (MPI_NO_OP, Predefined::NoOp, "MPI_NO_OP"),
];

/// A reduction operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// Computed by [`reduce`].
    Predefined(Predefined),
    /// Computed by a function of the program.
    User(UserOp),
}

/// A user-defined operation, as the semantics layer sees it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct UserOp {
    /// What `libsmpi` finds the function by.
    pub id: u64,
    /// Whether operands may change places; their order is kept otherwise.
    pub commutative: bool,
}

/// How the elements of a reduction follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// As in a C array: pairs with their padding. The padding after the last element may be missing.
    Memory,
    /// As in a packed message: without padding.
    Packed,
}

impl Predefined {
    /// The operation with this ABI number, if there is one.
    pub fn from_handle(handle: u32) -> Option<Predefined> {
        PREDEFINED.iter().find(|entry| entry.0 == handle).map(|entry| entry.1)
    }

    /// The ABI number.
    pub fn handle(self) -> u32 {
        PREDEFINED[self as usize].0
    }

    /// The name in the standard.
    pub fn name(self) -> &'static str {
        PREDEFINED[self as usize].2
    }

    /// True when reductions (and not only one-sided communication) accept the operation.
    pub fn is_reduction(self) -> bool {
        !matches!(self, Predefined::Replace | Predefined::NoOp)
    }

    /// Whether an element of this type is the same, bit by bit, in whichever order others are combined with it. Sums
    /// and products of floating-point numbers are rounded, and of two zeros the one stays that was there.
    pub(crate) fn forgets_order(self, basic: Basic) -> bool {
        let is_whole =
            |basic: Basic| matches!(basic.repr(), Repr::Signed | Repr::Unsigned | Repr::Logical | Repr::Opaque);
        self.is_reduction() && basic.pair().map_or(is_whole(basic), |(value, index)| is_whole(value) && is_whole(index))
    }

    /// The standard's table of operations and datatypes, with one addition: like other MPI libraries, the logical
    /// operations take the multi-language integers too.
    pub fn accepts(self, basic: Basic) -> bool {
        use Group::*;
        use Predefined::*;
        let group = basic.group();
        match self {
            Replace | NoOp => true,
            Min | Max => matches!(group, CInteger | FortranInteger | FloatingPoint | MultiLanguage),
            Sum | Prod => matches!(group, CInteger | FortranInteger | FloatingPoint | Group::Complex | MultiLanguage),
            BitAnd | BitOr | BitXor => matches!(group, CInteger | FortranInteger | Group::Byte | MultiLanguage),
            LogicalAnd | LogicalOr | LogicalXor => matches!(group, CInteger | Group::Logical | MultiLanguage),
            MinLoc | MaxLoc => group == Pair,
        }
    }
}

impl Op {
    /// Whether operands may change places.
    pub fn is_commutative(&self) -> bool {
        match self {
            Op::Predefined(Predefined::Replace) => false,
            Op::Predefined(_) => true,
            Op::User(user) => user.commutative,
        }
    }

    /// Checks that the operation can reduce elements of this type.
    ///
    /// For predefined operations that is a predefined type of the right group, which is returned; derived types are
    /// refused even when all their elements are of one such type. User functions take every type. Errors: `MPI_ERR_OP`.
    pub fn check(&self, datatype: &Datatype) -> Result<Option<Basic>> {
        let Op::Predefined(op) = self else { return Ok(None) };
        match datatype.reduction_basic() {
            Some(basic) if op.accepts(basic) => Ok(Some(basic)),
            Some(basic) => Err(refusal(*op, basic.name())),
            None => Err(refusal(*op, "a derived datatype")),
        }
    }
}

fn refusal(op: Predefined, what: &str) -> MpiError {
    let message = format!("{} is not defined for {what}; MPI 5.0 §6.9.2 and §6.9.4 list the datatypes", op.name());
    MpiError::new(ErrorClass::OP, message)
}

/// Computes `inout[i] = input[i] op inout[i]` on elements as they are in memory.
///
/// Both slices have the same length. Errors: `MPI_ERR_OP` when the operation is not defined for the type.
pub fn reduce(op: Predefined, basic: Basic, input: &[u8], inout: &mut [u8]) -> Result<()> {
    reduce_in(Form::Memory, op, basic, input, inout)
}

/// Like [`reduce`], for elements in the given form.
pub fn reduce_in(form: Form, op: Predefined, basic: Basic, input: &[u8], inout: &mut [u8]) -> Result<()> {
    accept(op, basic)?;
    apply(form, op, basic, input, inout);
    Ok(())
}

/// Errors: `MPI_ERR_OP` when the operation is not defined for the type.
pub(crate) fn accept(op: Predefined, basic: Basic) -> Result<()> {
    if op.accepts(basic) { Ok(()) } else { Err(refusal(op, basic.name())) }
}

/// Computes `inout[i] = input[i] op inout[i]` for an operation that is defined for the type.
#[inline]
pub(crate) fn apply(form: Form, op: Predefined, basic: Basic, input: &[u8], inout: &mut [u8]) {
    match op {
        Predefined::Replace => inout.copy_from_slice(input),
        Predefined::NoOp => {}
        Predefined::MinLoc | Predefined::MaxLoc => pair::reduce(form, op, basic, input, inout),
        _ => arithmetic::reduce(op, basic, input, inout),
    }
}

#[cfg(test)]
mod tests;
