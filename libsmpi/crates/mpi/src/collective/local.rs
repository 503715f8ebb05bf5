//! Predefined reductions on the ranks' memory.

use smpi_base::WorldRank;

use super::Part;
use crate::error::{ErrorClass, MpiError, Result};
use crate::memory::Memory;
use crate::op::{self, Form, Predefined};

/// `inout = input op inout`, element by element. The parts have the same count and type.
///
/// # Errors
/// `MPI_ERR_OP` when the operation is not defined for the type; callers check that before any message leaves.
pub fn reduce_parts(
    memory: &mut dyn Memory,
    rank: WorldRank,
    op: Predefined,
    input: &Part,
    inout: &Part,
) -> Result<()> {
    let datatype = &inout.datatype;
    let Some(basic) = datatype.reduction_basic() else {
        return Err(MpiError::new(ErrorClass::OP, "predefined operations take predefined datatypes only"));
    };
    // The padding after the last element may belong to somebody else.
    let len = ((inout.count - 1) * datatype.extent() + datatype.true_extent()).max(0) as usize;
    if len == 0 {
        return Ok(());
    }
    op::accept(op, basic)?;
    memory.combine(rank, input.at, inout.at, len, &|left, right| op::apply(Form::Memory, op, basic, left, right));
    Ok(())
}
