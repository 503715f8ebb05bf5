//! Collective operations that wait for nothing but their data: the least that MPI promises (MPI 5.0 §6.1, §6.14).
//!
//! A rank may leave a collective operation as soon as its own part is done. The root of a broadcast waits for nobody,
//! nor do the leaves of a reduction. A rank that gets no element from another need not wait for it. The schedules here
//! have a message from rank i to rank j exactly where data of i is needed at j, so with sends that do not wait
//! ([`Waits::Data`] goes with infinite buffering) each rank waits exactly for the data that it needs. Only a barrier
//! waits without data.
//!
//! Operations whose every rank needs data of every other one (an allreduce, an allgather of blocks that are not empty)
//! have no such schedule: all ranks wait for all, whatever the algorithm. They stay behind the gate
//! ([`Builder::close_gate`]), which is cheaper than n² messages. A function here returns false for them, and does
//! nothing.
//!
//! All ranks must decide alike, so decisions depend on what all of them know: sizes that must agree, and numbers of
//! ranks.

use crate::collective::fold::combine;
use crate::collective::select::{Selection, Waits};
use crate::collective::{Builder, Part, Parts, Root, direct};

/// True when schedules are to wait for data only.
pub(super) fn applies(selection: &Selection) -> bool {
    selection.waits() == Waits::Data
}

/// The root sends its vector to everybody.
pub(super) fn bcast(b: &mut Builder, data: &Part, root: Root) -> bool {
    b.open_gate();
    if data.size() == 0 {
        return true;
    }
    match root {
        Root::Elsewhere => {}
        Root::Here => (0..b.remote_size).for_each(|rank| b.send_remote(rank, data)),
        Root::Rank(root) if b.remote_size > 0 => b.recv_remote(root, data),
        Root::Rank(root) if root != b.rank => b.recv(root, data),
        Root::Rank(root) => (0..b.size).filter(|&rank| rank != root).for_each(|rank| b.send(rank, data)),
    }
    b.fence();
    true
}

/// Every rank sends its block to everybody who gets it. Even blocks within one group are everybody's need of everybody.
pub(super) fn allgather(
    b: &mut Builder,
    selection: &Selection,
    send: Option<&Part>,
    recv: &Parts,
    varying: bool,
) -> bool {
    if b.remote_size > 0 {
        b.open_gate();
        for rank in 0..b.remote_size {
            let part = recv.part(rank);
            if part.size() > 0 {
                b.recv_remote(rank, &part);
            }
        }
        if let Some(own) = send.filter(|own| own.size() > 0) {
            (0..b.remote_size).for_each(|rank| b.send_remote(rank, own));
        }
        b.fence();
        return true;
    }
    if !varying && recv.part(0).size() > 0 {
        return false;
    }
    b.open_gate();
    if let Some(own) = send {
        b.copy(own, &recv.part(b.rank));
    }
    direct::allgather(b, selection, recv);
    true
}

/// Blocks of any size travel where they are not empty; even ones are everybody's need of everybody.
pub(super) fn alltoall(b: &mut Builder, selection: &Selection, send: Option<&Parts>, recv: &Parts) -> bool {
    if b.remote_size == 0 && matches!(recv, Parts::Even(first) if first.size() > 0) {
        return false;
    }
    b.open_gate();
    direct::alltoall(b, selection, send, recv, direct::within);
    true
}

/// Within a group, the algorithm in which every rank sends its own operand to the root.
type ToRoot = fn(&mut Builder, &Part, Option<&Part>, u32);

/// Every operand goes to the root, which combines them in rank order: within a group as `local` does it.
pub(super) fn reduce(b: &mut Builder, send: Option<&Part>, recv: Option<&Part>, root: Root, local: ToRoot) -> bool {
    b.open_gate();
    let own = if root == Root::Here { recv } else { send.or(recv) };
    let Some(own) = own.filter(|own| own.size() > 0) else { return true };
    match root {
        Root::Elsewhere => {}
        Root::Here => {
            let operands: Vec<Part> = (0..b.remote_size).map(|_| b.scratch(own.count, &own.datatype)).collect();
            (0..).zip(&operands).for_each(|(rank, operand)| b.recv_remote(rank, operand));
            b.fence();
            combine(b, operands, own);
        }
        Root::Rank(root) if b.remote_size > 0 => {
            b.send_remote(root, own);
            b.fence();
        }
        Root::Rank(root) => local(b, own, recv.filter(|_| b.rank == root), root),
    }
    true
}

/// Between two groups, every operand goes to everybody of the other one. Within a group all need all.
pub(super) fn allreduce(b: &mut Builder, send: Option<&Part>, recv: &Part) -> bool {
    if recv.size() > 0 && b.remote_size == 0 {
        return false;
    }
    b.open_gate();
    if recv.size() > 0 {
        exchange_operands(b, send.unwrap_or(recv), recv, |operand| operand.clone());
    }
    true
}

/// Every operand goes to everybody of the other group, and `piece` of what came from there is combined.
fn exchange_operands(b: &mut Builder, own: &Part, result: &Part, piece: impl Fn(&Part) -> Part) {
    let operands: Vec<Part> = (0..b.remote_size).map(|_| b.scratch(own.count, &own.datatype)).collect();
    (0..).zip(&operands).for_each(|(rank, operand)| b.recv_remote(rank, operand));
    (0..b.remote_size).for_each(|rank| b.send_remote(rank, own));
    b.fence();
    combine(b, operands.iter().map(piece), result);
}

/// Every rank gets its block of every operand. Where every rank has a block, all ranks of a group need all.
///
/// Between two groups a rank does not know how the other side divides its result, so whole operands travel; who gets no
/// element waits for none of them.
pub(super) fn reduce_scatter(b: &mut Builder, vector: &Part, starts: &[i64], result: &Part) -> bool {
    let blocks = Parts::consecutive(vector, &starts.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>());
    if b.remote_size == 0 && !(0..b.size).any(|rank| blocks.part(rank).size() == 0) {
        return false;
    }
    b.open_gate();
    let own = blocks.part(b.rank);
    if b.remote_size > 0 {
        if own.size() > 0 {
            let first = starts[b.rank as usize];
            exchange_operands(b, vector, result, |operand| operand.slice(first, own.count));
        } else if vector.size() > 0 {
            (0..b.remote_size).for_each(|rank| b.send_remote(rank, vector));
            b.fence();
        }
        return true;
    }
    direct::reduce_scatter(b, &blocks, result);
    true
}

/// Between two groups, everybody waits for everybody of the other one; within a group all wait for all.
pub(super) fn barrier(b: &mut Builder) -> bool {
    if b.remote_size == 0 {
        return false;
    }
    b.open_gate();
    let empty = Part::nothing();
    (0..b.remote_size).for_each(|rank| b.recv_remote(rank, &empty));
    (0..b.remote_size).for_each(|rank| b.send_remote(rank, &empty));
    b.fence();
    true
}
