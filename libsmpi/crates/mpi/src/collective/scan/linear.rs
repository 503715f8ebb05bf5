//! Everybody sends its vector to all higher ranks at once, which combine what they get in rank order. SMPI's default.
//! n (n − 1) / 2 messages in one round.

use crate::collective::fold::Fold;
use crate::collective::{Builder, Part};

pub(super) fn build(b: &mut Builder, own: &Part, result: &Part, inclusive: bool) {
    let operands: Vec<Part> = (0..b.rank).map(|_| b.scratch(own.count, &own.datatype)).collect();
    for (rank, operand) in operands.iter().enumerate() {
        b.recv(rank as u32, operand);
    }
    ((b.rank + 1)..b.size).for_each(|rank| b.send(rank, own));
    b.fence();
    let mut operands = operands.into_iter();
    let Some(first) = operands.next() else {
        return if inclusive {
            b.copy(own, result)
        };
    };
    let mut value = Fold::reading(&first);
    operands.for_each(|operand| value.append(b, operand));
    if inclusive {
        let operand = value.room(b);
        b.copy(own, &operand);
        value.append(b, operand);
    }
    b.copy(value.value(), result);
}
