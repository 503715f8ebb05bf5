//! Collective operations of a rank.

use smpi_abi::Function;
use smpi_mpi::collective::select::{Operation, Selection, Waits};
use smpi_mpi::collective::{
    Builder, Part, Parts, Root, allgather, allreduce, alltoall, barrier, bcast, gather, reduce, reduce_scatter, scan,
    scatter,
};
use smpi_mpi::op::{Op, Predefined};
use smpi_mpi::p2p::request::{Body, Collective, RequestKey};
use smpi_mpi::usage::{Agreed, Call, Form, Items};

use super::machine::Universe;
use super::rank::Rank;

/// A blocking call of which nothing must agree.
pub(crate) fn call(name: Function) -> Call {
    Call { name, form: Form::Blocking, op: None, agreed: Agreed::default() }
}

impl Rank {
    /// The request of a collective operation, not started.
    pub(crate) fn collective(&self, call: Call, fill: impl FnOnce(&mut Builder, &Selection)) -> RequestKey {
        let tag = self.local(|local| {
            let number = local.collectives.entry(self.comm.context).or_default();
            *number += 1;
            *number
        });
        let schedule = self.with(|Universe { world, selection, .. }| {
            world.schedule(self.world_rank, &self.comm, |b| {
                if let Some(op) = call.op {
                    b.set_op(op, 0);
                }
                b.set_form(call.form);
                if selection.waits() != Waits::Messages {
                    b.close_gate();
                }
                fill(b, selection);
            })
        });
        let is_persistent = call.form == Form::Persistent;
        let collective = Collective { schedule, comm: self.comm.clone(), tag, round: 0, call };
        self.request(Body::Collective(Box::new(collective)), is_persistent)
    }

    /// A nonblocking operation.
    pub(crate) fn begin(&self, call: Call, fill: impl FnOnce(&mut Builder, &Selection)) -> RequestKey {
        let key = self.collective(Call { form: Form::Immediate, ..call }, fill);
        self.start(key);
        key
    }

    /// A blocking operation.
    pub(crate) async fn blocking(&self, call: Call, fill: impl FnOnce(&mut Builder, &Selection)) {
        let key = self.collective(call, fill);
        self.start(key);
        let completion = self.wait(key).await;
        assert_eq!(completion.error, None);
    }

    pub(crate) async fn barrier(&self) {
        self.blocking(call(Function::Barrier), barrier::build).await;
    }

    pub(crate) async fn bcast(&self, data: &Part, root: u32) {
        let agreed = Agreed { root: Some(root), blocks: [Some(Items::of(data)), None], ..Agreed::default() };
        let call = Call { agreed, ..call(Function::Bcast) };
        self.blocking(call, |b, s| bcast::build(b, s, data, Root::Rank(root))).await;
    }

    /// The sum of values of all ranks, on all ranks.
    pub(crate) fn iallreduce(&self, own: &Part, result: &Part) -> RequestKey {
        let call = Call { op: Some(Op::Predefined(Predefined::Sum)), ..call(Function::Allreduce) };
        self.begin(call, |b, s| allreduce::build(b, s, Some(own), result))
    }

    /// Calls an operation as every rank does, with the data of [`Data`]: what the rank has then.
    pub(crate) async fn perform(&self, operation: Operation, op: Op, data: Data) -> Vec<i64> {
        let (key, result) = self.start_performing(operation, op, data);
        let completion = self.wait(key).await;
        assert_eq!(completion.error, None);
        result.map_or(Vec::new(), |result| self.get(&result))
    }

    /// Starts it; says where the result will be.
    fn start_performing(&self, operation: Operation, op: Op, data: Data) -> (RequestKey, Option<Part>) {
        match operation {
            Operation::Reduce | Operation::Allreduce | Operation::Scan | Operation::Exscan => {
                self.start_reduction(operation, op, data)
            }
            Operation::ReduceScatter | Operation::ReduceScatterBlock => {
                self.start_reduction_of_blocks(operation, op, data)
            }
            Operation::Barrier => (self.begin(call(Function::Barrier), barrier::build), None),
            Operation::Bcast | Operation::Allgather | Operation::Allgatherv => self.start_spreading(operation, data),
            Operation::Alltoall | Operation::Alltoallv | Operation::Alltoallw => self.start_exchange(operation, data),
            _ => self.start_moving(operation, data),
        }
    }

    fn start_reduction(&self, operation: Operation, op: Op, data: Data) -> (RequestKey, Option<Part>) {
        let (own, result) = (self.put(&data.operand(self.me)), self.put(&vec![0; data.length]));
        let calling = |name| Call { op: Some(op), ..call(name) };
        match operation {
            Operation::Reduce => {
                let result = Some(result).filter(|_| self.me == data.root);
                let root = Root::Rank(data.root);
                let fill = |b: &mut Builder, s: &_| reduce::build(b, s, Some(&own), result.as_ref(), root);
                (self.begin(calling(Function::Reduce), fill), result)
            }
            Operation::Allreduce => {
                let fill = |b: &mut Builder, s: &_| allreduce::build(b, s, Some(&own), &result);
                (self.begin(calling(Function::Allreduce), fill), Some(result))
            }
            _ => {
                let inclusive = operation == Operation::Scan;
                let fill = |b: &mut Builder, s: &_| scan::build(b, s, Some(&own), &result, inclusive);
                let name = if inclusive { Function::Scan } else { Function::Exscan };
                (self.begin(calling(name), fill), Some(result))
            }
        }
    }

    fn start_reduction_of_blocks(&self, operation: Operation, op: Op, data: Data) -> (RequestKey, Option<Part>) {
        let (name, counts) = match operation {
            Operation::ReduceScatter => (Function::Reduce_scatter, self.counts(|rank| data.varying(rank))),
            _ => (Function::Reduce_scatter_block, self.counts(|_| data.length)),
        };
        let whole = Data { length: total(&counts), ..data };
        let (own, result) = (self.put(&whole.operand(self.me)), self.room(counts[self.me as usize] as usize));
        let call = Call { op: Some(op), ..call(name) };
        let fill = |b: &mut Builder, s: &_| reduce_scatter::build(b, s, operation, Some(&own), &result, &counts);
        (self.begin(call, fill), Some(result))
    }

    /// Everybody gets the data of the root, or of everybody.
    fn start_spreading(&self, operation: Operation, data: Data) -> (RequestKey, Option<Part>) {
        let me = self.me;
        match operation {
            Operation::Bcast => {
                let part = if me == data.root { self.put(&data.operand(me)) } else { self.room(data.length) };
                let fill = |b: &mut Builder, s: &_| bcast::build(b, s, &part, Root::Rank(data.root));
                (self.begin(call(Function::Bcast), fill), Some(part))
            }
            Operation::Allgather => {
                let (own, all) = (self.put(&data.operand(me)), self.room(data.length * self.size as usize));
                let blocks = Parts::Even(all.slice(0, data.length as i64));
                let fill = |b: &mut Builder, s: &_| allgather::build(b, s, Some(&own), &blocks, false);
                (self.begin(call(Function::Allgather), fill), Some(all))
            }
            _ => {
                let counts = self.counts(|rank| data.varying(rank));
                let (own, all) = (self.put(&data.block(me, me, data.varying(me))), self.room(total(&counts)));
                let blocks = Parts::consecutive(&all, &counts);
                let fill = |b: &mut Builder, s: &_| allgather::build(b, s, Some(&own), &blocks, true);
                (self.begin(call(Function::Allgatherv), fill), Some(all))
            }
        }
    }

    /// Everybody gives everybody a block.
    fn start_exchange(&self, operation: Operation, data: Data) -> (RequestKey, Option<Part>) {
        let (me, size) = (self.me, self.size);
        if operation == Operation::Alltoall {
            let blocks: Vec<i64> = (0..size).flat_map(|to| data.block(me, to, data.length)).collect();
            let (send, all) = (self.put(&blocks), self.room(data.length * size as usize));
            let [send, recv] = [&send, &all].map(|part| Parts::Even(part.slice(0, data.length as i64)));
            let fill = |b: &mut Builder, s: &_| alltoall::build(b, s, Some(&send), &recv);
            return (self.begin(call(Function::Alltoall), fill), Some(all));
        }
        let blocks: Vec<i64> = (0..size).flat_map(|to| data.block(me, to, data.between(me, to))).collect();
        let counts = [self.counts(|to| data.between(me, to)), self.counts(|from| data.between(from, me))];
        let all = self.room(total(&counts[1]));
        let parts = [Parts::consecutive(&self.put(&blocks), &counts[0]), Parts::consecutive(&all, &counts[1])];
        let is_typed = operation == Operation::Alltoallw;
        let [send, recv] = parts.map(|parts| if is_typed { typed(&parts, size) } else { parts });
        let fill = |b: &mut Builder, s: &_| alltoall::build_varying(b, s, operation, Some(&send), &recv);
        let name = if is_typed { Function::Alltoallw } else { Function::Alltoallv };
        (self.begin(call(name), fill), Some(all))
    }

    /// Blocks go to the root, or come from it.
    fn start_moving(&self, operation: Operation, data: Data) -> (RequestKey, Option<Part>) {
        let (me, is_root, root) = (self.me, self.me == data.root, Root::Rank(data.root));
        let is_even = matches!(operation, Operation::Gather | Operation::Scatter);
        let length = |rank| if is_even { data.length } else { data.varying(rank) };
        let (counts, gathers) = (self.counts(length), matches!(operation, Operation::Gather | Operation::Gatherv));
        let own = if gathers { self.put(&data.block(me, me, length(me))) } else { self.room(length(me)) };
        let to_give: Vec<i64> = (0..self.size).flat_map(|to| data.block(me, to, length(to))).collect();
        let all = if gathers { self.room(total(&counts)) } else { self.put(&to_give) };
        let all = Some(all).filter(|_| is_root);
        let first = all.as_ref().map(|all| all.slice(0, data.length as i64));
        let blocks = all.as_ref().map(|all| Parts::consecutive(all, &counts));
        let (first, blocks, mine) = (first.as_ref(), blocks.as_ref(), Some(&own));
        let key = match operation {
            Operation::Gather => self.begin(call(Function::Gather), |b, s| gather::build(b, s, mine, first, root)),
            Operation::Gatherv => {
                self.begin(call(Function::Gatherv), |b, s| gather::build_varying(b, s, mine, blocks, root))
            }
            Operation::Scatter => self.begin(call(Function::Scatter), |b, s| scatter::build(b, s, first, mine, root)),
            _ => self.begin(call(Function::Scatterv), |b, s| scatter::build_varying(b, s, blocks, mine, root)),
        };
        (key, if gathers { all } else { Some(own) })
    }

    /// Values of the blocks of all ranks.
    fn counts(&self, length: impl Fn(u32) -> usize) -> Vec<i64> {
        (0..self.size).map(|rank| length(rank) as i64).collect()
    }
}

fn total(counts: &[i64]) -> usize {
    counts.iter().sum::<i64>() as usize
}

/// The same blocks with a type each.
fn typed(blocks: &Parts, size: u32) -> Parts {
    let parts: Vec<Part> = (0..size).map(|rank| blocks.part(rank)).collect();
    let at = parts[0].at;
    Parts::Typed {
        at,
        counts: parts.iter().map(|part| part.count).collect(),
        displs: parts.iter().map(|part| part.at.0.wrapping_sub(at.0) as i64).collect(),
        datatypes: parts.into_iter().map(|part| part.datatype).collect(),
    }
}

/// What ranks give to a collective operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Data {
    /// Values of a block.
    pub(crate) length: usize,
    pub(crate) root: u32,
}

impl Data {
    /// What a rank gives to everybody, or its operand: no two ranks and places have the same.
    pub(crate) fn operand(self, rank: u32) -> Vec<i64> {
        self.block(rank, rank, self.length)
    }

    /// What a rank gives to another one.
    pub(crate) fn block(self, from: u32, to: u32, length: usize) -> Vec<i64> {
        let pair = (i64::from(from) * 64 + i64::from(to)) << 20;
        (0..length as i64).map(|place| pair + place * 3 + 1).collect()
    }

    /// Values of a rank's block where blocks differ.
    pub(crate) fn varying(self, rank: u32) -> usize {
        self.length + rank as usize % 3
    }

    /// Values of the block of a rank for another one, where each pair has its own.
    pub(crate) fn between(self, from: u32, to: u32) -> usize {
        (self.length + from as usize + 2 * to as usize) % 4
    }
}
