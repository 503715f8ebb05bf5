//! A running reduction: the value so far, and the room for the next operand.
//!
//! Operands are always combined in the order the algorithm states, also when the operation commutes: then every rank of
//! an allreduce computes the same bits, and algorithms that combine neighbours are right for all operations.

use crate::collective::{Builder, Part};

/// The value so far, where it lies, and a spare buffer of the same shape.
pub(super) struct Fold {
    value: Part,
    /// False while the value still is the caller's read-only input.
    writable: bool,
    spare: Option<Part>,
}

impl Fold {
    /// Starts with an input that must not be written.
    pub(super) fn reading(input: &Part) -> Fold {
        Fold { value: input.clone(), writable: false, spare: None }
    }

    /// The value so far. It moves with every operand.
    pub(super) fn value(&self) -> &Part {
        &self.value
    }

    /// Room for the next operand, to receive into.
    pub(super) fn room(&mut self, b: &mut Builder) -> Part {
        self.spare.take().unwrap_or_else(|| b.scratch(self.value.count, &self.value.datatype))
    }

    /// `value = operand op value`; the operand, from [`Fold::room`], is used up.
    pub(super) fn prepend(&mut self, b: &mut Builder, operand: Part) {
        if !self.writable {
            let copy = b.scratch(self.value.count, &self.value.datatype);
            b.copy(&self.value, &copy);
            self.value = copy;
            self.writable = true;
        }
        b.reduce(&operand, &self.value);
        self.spare = Some(operand);
    }

    /// `value = value op operand`; the operand, from [`Fold::room`], becomes the place of the value.
    pub(super) fn append(&mut self, b: &mut Builder, operand: Part) {
        b.reduce(&self.value, &operand);
        let old = std::mem::replace(&mut self.value, operand);
        self.spare = self.writable.then_some(old);
        self.writable = true;
    }

    /// Combines with the value of another rank, in rank order.
    pub(super) fn combine(&mut self, b: &mut Builder, operand: Part, is_lower: bool) {
        if is_lower {
            self.prepend(b, operand);
        } else {
            self.append(b, operand);
        }
    }
}

/// Combines operands in their order. They are used up, but for the first one.
pub(super) fn combine(b: &mut Builder, operands: impl IntoIterator<Item = Part>, result: &Part) {
    let mut operands = operands.into_iter();
    let Some(first) = operands.next() else { return };
    let mut value = Fold::reading(&first);
    operands.for_each(|operand| value.append(b, operand));
    b.copy(value.value(), result);
}
