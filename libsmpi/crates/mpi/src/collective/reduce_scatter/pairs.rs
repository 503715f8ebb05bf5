//! Exchanges of a power of two of ranks, where there are others: the first ranks join in pairs, of which the odd one
//! takes part for both.

use crate::collective::args::power_below;
use crate::collective::reduce_scatter::Call;
use crate::collective::{Builder, Part};

/// Who takes part, by numbers of their own.
pub(super) struct Pairs {
    /// How many do: a power of two.
    pub(super) participants: u32,
    /// So many of them do for another rank, too.
    pub(super) extra: u32,
}

impl Pairs {
    pub(super) fn of(ranks: u32) -> Pairs {
        let participants = power_below(ranks);
        Pairs { participants, extra: ranks - participants }
    }

    /// The rank of a participant.
    pub(super) fn member(&self, number: u32) -> u32 {
        if number < self.extra { 2 * number + 1 } else { number + self.extra }
    }

    /// First block of a participant; one of a pair has the blocks of both.
    pub(super) fn first(&self, number: u32) -> u32 {
        if number < self.extra { 2 * number } else { number + self.extra }
    }

    /// The number of the own rank, its value and room for another one. `None` for a rank that hands its vector over
    /// and gets its block: from the participant with the number that `owner` gives for that of its pair.
    /// An empty block is waited for if it `travels`.
    pub(super) fn join(
        &self,
        b: &mut Builder,
        call: &Call,
        owner: impl Fn(u32) -> u32,
        travels: bool,
    ) -> Option<(u32, Part, Part)> {
        let is_paired = b.rank < 2 * self.extra;
        if is_paired && b.rank.is_multiple_of(2) {
            b.send_wait(b.rank + 1, &call.vector);
            if travels || call.result.size() > 0 {
                b.recv_wait(self.member(owner(b.rank / 2)), call.result);
            }
            return None;
        }
        let value = b.scratch(call.vector.count, &call.vector.datatype);
        let room = b.scratch(call.vector.count, &call.vector.datatype);
        b.copy(&call.vector, &value);
        if is_paired {
            b.recv_wait(b.rank - 1, &room);
            b.reduce(&room, &value);
        }
        Some((if is_paired { b.rank / 2 } else { b.rank - self.extra }, value, room))
    }
}
