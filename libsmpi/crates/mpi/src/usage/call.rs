//! Calls of collective operations, as they are compared with the calls of other ranks.
//!
//! Source: MPI 5.0 §6.1 and §6.2 (which arguments must agree), §6.12 (blocking and nonblocking calls do not match),
//! §6.5 to §6.10 (the amount of data sent must equal the amount of data expected, pairwise), §8.6.

use std::sync::Arc;

use smpi_abi::Function;

use super::items::Items;
pub use crate::collective::select::Form;
use crate::op::Op;

/// What one rank of a collective operation gives to others and expects from them. Peers are ranks of the group that the
/// call talks to.
#[derive(Clone, Hash, Debug, Default)]
pub struct Exchange {
    /// To whom, and what.
    pub gives: Vec<(u32, Items)>,
    /// From whom, and what.
    pub takes: Vec<(u32, Items)>,
}

/// The arguments of a collective call that the ranks must agree on.
#[derive(Clone, Hash, Debug, Default)]
pub struct Agreed {
    /// The root, in intracommunicators.
    pub root: Option<u32>,
    /// Blocks that must have the same signature on all ranks.
    pub blocks: [Option<Items>; 2],
    /// What is said of all ranks at a fence (MPI 5.0 §12.5.5): that no accesses precede it, and that none succeed.
    pub fence: Option<(bool, bool)>,
    /// What each rank gives and expects, where that is not the same for all and somebody compares it.
    pub exchange: Option<Arc<Exchange>>,
}

/// A collective call as others are compared with it.
#[derive(Clone, Hash, Debug)]
pub struct Call {
    /// The blocking form.
    pub name: Function,
    /// Which form it was; blocking, nonblocking and persistent calls do not match (MPI 5.0 §6.12).
    pub form: Form,
    /// Operation of a reduction.
    pub op: Option<Op>,
    /// The rest.
    pub agreed: Agreed,
}

/// In what two collective calls differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Difference {
    /// The operation itself.
    Name,
    /// One blocks, the other does not.
    Form,
    /// The root.
    Root,
    /// What is said at a fence.
    Fence,
    /// The reduction operation.
    Op,
    /// Number or types of the elements.
    Items,
}

impl Call {
    /// The function that was called, in its form.
    pub fn function(&self) -> Function {
        let form = match self.form {
            Form::Blocking => None,
            Form::Immediate => self.name.immediate(),
            Form::Persistent => self.name.persistent(),
        };
        form.unwrap_or(self.name)
    }

    /// What is different in the other call.
    pub(crate) fn difference(&self, other: &Call) -> Option<Difference> {
        if self.name != other.name {
            return Some(Difference::Name);
        }
        if self.form != other.form {
            return Some(Difference::Form);
        }
        if self.agreed.root != other.agreed.root {
            return Some(Difference::Root);
        }
        if self.agreed.fence != other.agreed.fence {
            return Some(Difference::Fence);
        }
        let same_op = match (self.op, other.op) {
            (Some(Op::Predefined(own)), Some(Op::Predefined(others))) => own == others,
            // Functions of a program lie elsewhere on every rank.
            (Some(Op::User(own)), Some(Op::User(others))) => own.commutative == others.commutative,
            (own, others) => own.is_none() && others.is_none(),
        };
        if !same_op {
            return Some(Difference::Op);
        }
        let pairs = self
            .agreed
            .blocks
            .iter()
            .flatten()
            .flat_map(|own| other.agreed.blocks.iter().flatten().map(move |others| (own, others)));
        pairs.into_iter().any(|(own, others)| !own.equals(others)).then_some(Difference::Items)
    }
}
