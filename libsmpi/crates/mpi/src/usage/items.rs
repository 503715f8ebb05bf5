//! Elements of a type: the unit in which messages and collective operations are compared (MPI 5.0 §3.3.1).

use crate::collective::Part;
use crate::datatype::Datatype;

/// Elements that a side gives or takes.
#[derive(Clone, Hash, Debug)]
pub struct Items {
    /// How many.
    pub count: i64,
    /// Of which type.
    pub datatype: Datatype,
}

impl Items {
    /// The elements of a part.
    pub fn of(part: &Part) -> Items {
        Items { count: part.count, datatype: part.datatype.clone() }
    }

    /// True when a receive of `other` may take what a send of these gives: basic types in the same order, and not more
    /// of them.
    pub(crate) fn fits(&self, other: &Part) -> bool {
        self.datatype.signature().starts(self.count as u64, other.datatype.signature(), other.count as u64)
    }

    /// True when there are no elements: nobody need expect them.
    pub(crate) fn is_nothing(&self) -> bool {
        self.count == 0 || self.datatype.signature().elements() == 0
    }

    /// True when both have the same basic types in the same order.
    pub(crate) fn equals(&self, other: &Items) -> bool {
        let (own, others) = (self.datatype.signature(), other.datatype.signature());
        if self.datatype.is_same(&other.datatype) {
            return self.count == other.count || own.elements() == 0;
        }
        own.starts(self.count as u64, others, other.count as u64)
            && others.starts(other.count as u64, own, self.count as u64)
    }
}
