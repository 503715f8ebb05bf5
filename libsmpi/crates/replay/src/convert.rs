//! From actions to what the world is asked for: communicators, parts without bytes, operands of collective calls.
//!
//! What a line says is checked against the communicator that it is about, so that a wrong trace is refused and nothing
//! else happens.

use smpi_abi::Function;
use smpi_base::WorldRank;
use smpi_base::map::Map;
use smpi_mailbox::Context;
use smpi_mpi::collective::select::Operation;
use smpi_mpi::collective::{Operands, Part, Parts, Root, Shape};
use smpi_mpi::comm::CommCore;
use smpi_mpi::datatype::{Basic, Datatype};
use smpi_mpi::memory::Addr;
use smpi_mpi::op::{Op, Predefined, UserOp};
use smpi_mpi::p2p::protocol::Mode;
use smpi_mpi::p2p::request::{Recv, Send, Status};
use smpi_trace::action::{ANY_SOURCE, ANY_TAG, PROC_NULL};
use smpi_trace::parse::Problem;
use smpi_trace::{Access, AccessKind, Action, Blocks, Collective, Items, Message, Named, Reduction, Start};

/// Contexts of a communicator: the base context is a multiple of it.
const CONTEXTS: Context = smpi_mpi::comm::WORLD_CONTEXT;

/// A communicator of one rank.
#[derive(Debug)]
pub struct Comm {
    /// Contexts, groups and rank.
    pub core: CommCore,
    /// The number of the next collective call.
    pub calls: u32,
    /// Its ranks found out who shares a host.
    pub knows: bool,
}

impl Comm {
    /// A communicator without history.
    pub fn new(core: CommCore) -> Comm {
        Comm { core, calls: 0, knows: false }
    }
}

/// What is wrong, and what should be instead.
pub fn problem<T>(found: impl Into<String>, expected: impl Into<String>) -> Result<T, Problem> {
    Err(Problem { found: found.into(), expected: expected.into() })
}

/// The communicator of a rank that a context belongs to.
///
/// # Errors
/// When the rank has none.
pub fn comm_of(comms: &mut [Comm], context: Context) -> Result<&mut Comm, Problem> {
    let base = context - context % CONTEXTS;
    match comms.iter_mut().rev().find(|comm| comm.core.context == base) {
        Some(comm) => Ok(comm),
        None => problem(
            format!("the communicator {base}, of which this rank is no member"),
            "a communicator that a line \"comm\" of this rank names before",
        ),
    }
}

/// Datatypes by the size of their elements: contiguous ones, of which nothing else matters.
#[derive(Debug, Default)]
pub struct Types(Map<u64, Datatype>);

impl Types {
    fn of(&mut self, size: u64) -> Datatype {
        // Reductions accept numbers.
        let basic = match size {
            1 => Basic::Byte,
            2 => Basic::Int16,
            4 => Basic::Int32,
            8 => Basic::Int64,
            16 => Basic::CDoubleComplex,
            32 => Basic::CLongDoubleComplex,
            _ => {
                let byte = Datatype::basic(Basic::Byte);
                let make = || Datatype::contiguous(size as i64, &byte).unwrap_or(Datatype::basic(Basic::Byte));
                return self.0.entry(size).or_insert_with(make).clone();
            }
        };
        Datatype::basic(basic)
    }

    /// A buffer of these elements, without bytes.
    ///
    /// # Errors
    /// When there are more bytes than fit 63 bits.
    pub fn part(&mut self, items: Items) -> Result<Part, Problem> {
        if items.bytes() > i64::MAX as u64 {
            return problem(format!("{} elements of {} bytes", items.count, items.size), "fewer than 2^63 bytes");
        }
        Ok(Part { at: Addr(1), count: items.count.max(0), datatype: self.of(items.size) })
    }

    fn parts(&mut self, blocks: &Blocks) -> Result<Parts, Problem> {
        let mut total: u64 = 0;
        let mut add = |items: Items| {
            total = total.saturating_add(items.bytes());
        };
        let parts = match blocks {
            Blocks::Even(items) => return self.part(*items).map(Parts::Even),
            Blocks::Varying { counts, size } => {
                counts.iter().for_each(|count| add(Items { count: *count, size: *size }));
                let displs = vec![0; counts.len()];
                Parts::Varying { at: Addr(1), counts: counts.clone(), displs, datatype: self.of(*size) }
            }
            Blocks::Typed(items) => {
                items.iter().for_each(|items| add(*items));
                let counts = items.iter().map(|items| items.count).collect();
                let datatypes = items.iter().map(|items| self.of(items.size)).collect();
                Parts::Typed { at: Addr(1), counts, displs: vec![0; items.len()], datatypes }
            }
        };
        if total > i64::MAX as u64 {
            problem("blocks of more bytes", "fewer than 2^63 bytes in all")
        } else {
            Ok(parts)
        }
    }
}

/// A rank of a communicator that a line names; `None` for nobody.
fn peer(core: &CommCore, rank: i32) -> Result<Option<WorldRank>, Problem> {
    if rank == PROC_NULL {
        return Ok(None);
    }
    match u32::try_from(rank).ok().and_then(|rank| core.peer(rank)) {
        Some(world) => Ok(Some(world)),
        None => problem(
            format!("rank {rank}"),
            format!("a rank from 0 to {} of the communicator", i64::from(core.peers().size()) - 1),
        ),
    }
}

/// The arguments of a send.
///
/// # Errors
/// What is wrong with them.
pub fn send(
    types: &mut Types,
    comm: &Comm,
    context: Context,
    (mode, to, tag, items): (Named, i32, i32, Items),
) -> Result<Send, Problem> {
    let mode = match mode {
        Named::Standard => Mode::Standard,
        Named::Buffered => Mode::Buffered,
        Named::Synchronous => Mode::Synchronous,
        Named::Ready => Mode::Ready,
    };
    if tag < 0 {
        return problem(format!("the tag {tag}"), "a tag of 0 or more for a message that is sent");
    }
    let (receiver, part) = (peer(&comm.core, to)?, types.part(items)?);
    Ok(Send { part, to: receiver, context, source: comm.core.rank, dest: to, tag, mode, caller: 0 })
}

/// Sender and tag as the world knows them, of what is received or looked for.
///
/// # Errors
/// What is wrong with them.
pub fn pattern(comm: &Comm, from: i32, tag: i32) -> Result<(i32, Option<WorldRank>, i32), Problem> {
    let is_any = from == ANY_SOURCE || from == -1;
    let sender = if is_any { None } else { peer(&comm.core, from)? };
    let source = match sender {
        Some(_) => from,
        None if is_any => Status::EMPTY.source,
        None => Status::PROC_NULL.source,
    };
    let tag = match tag {
        _ if tag == ANY_TAG || tag == -1 => Status::EMPTY.tag,
        _ if tag < 0 => return problem(format!("the tag {tag}"), format!("0 or more, or {ANY_TAG} for any")),
        _ => tag,
    };
    Ok((source, sender, tag))
}

/// The arguments of a receive. SMPI writes a negative count where it does not know it: then there is room for all.
///
/// # Errors
/// What is wrong with them.
pub fn recv(
    types: &mut Types,
    comm: &Comm,
    context: Context,
    (from, tag, items): (i32, i32, Items),
) -> Result<Recv, Problem> {
    let (source, from, tag) = pattern(comm, from, tag)?;
    let room = if items.count < 0 { Items { count: i64::from(i32::MAX), ..items } } else { items };
    Ok(Recv { part: types.part(room)?, source, from, tag, context, caller: 0 })
}

/// The operands of a collective call on a communicator.
///
/// # Errors
/// What is wrong with them.
pub fn operands(types: &mut Types, comm: &Comm, call: &Collective) -> Result<Operands, Problem> {
    let core = &comm.core;
    let peers = core.peers().size() as usize;
    if let Some(Root::Rank(root)) = call.root
        && root as usize >= peers
    {
        return problem(format!("the root {root}"), format!("a rank from 0 to {}", peers as i64 - 1));
    }
    let (mut sent, mut got) = (peers, peers);
    if let Some((around, each)) = &call.around {
        (sent, got) = (if *each { around.destinations.len() } else { 1 }, around.sources.len());
        let known = around.sources.iter().chain(&around.destinations).flatten();
        if let Some(stranger) = known.into_iter().find(|rank| **rank as usize >= peers) {
            return problem(format!("the neighbour {stranger}"), format!("a rank from 0 to {}", peers as i64 - 1));
        }
    }
    for (blocks, wanted) in [(&call.send, sent), (&call.recv, got)] {
        let count = match blocks {
            Some(Blocks::Varying { counts, .. }) => counts.len(),
            Some(Blocks::Typed(items)) => items.len(),
            Some(Blocks::Even(_)) | None => wanted,
        };
        if count != wanted {
            return problem(format!("{count} blocks"), format!("{wanted}, as many as there are ranks"));
        }
    }
    let scatters = matches!(call.shape, Shape::Of(Operation::ReduceScatter) | Shape::Of(Operation::ReduceScatterBlock));
    if scatters && call.counts.len() != core.group.size() as usize {
        return problem(format!("{} counts", call.counts.len()), format!("{}, one for each rank", core.group.size()));
    }
    check_buffers(call, core)?;
    Ok(Operands {
        shape: call.shape,
        root: call.root,
        send: call.send.as_ref().map(|blocks| types.parts(blocks)).transpose()?,
        recv: call.recv.as_ref().map(|blocks| types.parts(blocks)).transpose()?,
        counts: call.counts.clone(),
        around: call.around.clone().map(Box::new),
    })
}

/// Each operation has the buffers that it needs, and as blocks or as one.
fn check_buffers(call: &Collective, core: &CommCore) -> Result<(), Problem> {
    use Operation::*;
    let is_single = |blocks: &Option<Blocks>| matches!(blocks, None | Some(Blocks::Even(_)));
    let (singles, needs_recv) = match call.shape {
        Shape::Of(Barrier) => return Ok(()),
        Shape::Of(Reduce | Gather | Scatter) => ((true, true), false),
        Shape::Of(Bcast | Allreduce | Scan | Exscan | ReduceScatter | ReduceScatterBlock) => ((true, true), true),
        Shape::Of(Gatherv) => ((true, false), false),
        Shape::Of(Allgather | Allgatherv) => ((true, false), true),
        Shape::Of(Scatterv) => ((false, true), false),
        Shape::Of(Alltoall | Alltoallv | Alltoallw) | Shape::Neighbours => ((false, false), true),
        _ => return Ok(()),
    };
    let is_sound = (!singles.0 || is_single(&call.send)) && (!singles.1 || is_single(&call.recv));
    if !is_sound || needs_recv && call.recv.is_none() {
        return problem(format!("{} with other buffers", call.shape.name()), "the buffers that it has");
    }
    // Whoever is the root of a call within a group needs what its function gives the root.
    let is_root = core.remote.is_none() && call.root == Some(Root::Rank(core.rank));
    let lacks = match call.shape {
        Shape::Of(Gather | Gatherv | Reduce) => {
            is_root && call.recv.is_none() || !is_root && core.remote.is_none() && call.send.is_none()
        }
        Shape::Of(Scatter | Scatterv) => {
            is_root && call.send.is_none() || !is_root && core.remote.is_none() && call.recv.is_none()
        }
        Shape::Neighbours => call.send.is_none() || call.around.is_none(),
        _ => false,
    };
    if lacks {
        return problem(format!("{} without a buffer", call.shape.name()), "the buffers that this rank has in it");
    }
    Ok(())
}

/// The operation of a reduction: one that all numbers have, or the program's, which is not called.
pub fn op(call: &Collective) -> Option<Op> {
    call.op.map(|op| match op {
        Reduction::Predefined => Op::Predefined(Predefined::BitOr),
        Reduction::User { commutes } => Op::User(UserOp { id: 0, commutative: commutes }),
    })
}

/// The function that calls of the same shape are compared by.
pub fn function(shape: Shape) -> Function {
    match shape {
        Shape::Of(operation) => smpi_runtime::tool::event::function_of(operation),
        Shape::Neighbours => Function::Neighbor_alltoall,
        Shape::Others | Shape::Outcome | Shape::Nothing | Shape::Behind | Shape::Silent => Function::Comm_create,
        Shape::Split => Function::Comm_split,
        Shape::Number => Function::Comm_dup,
    }
}

/// The function that starts what the blocking one does.
pub fn started(function: Function, start: Start) -> Function {
    match start {
        Start::Blocking | Start::Internal => function,
        Start::Immediate => function.immediate().unwrap_or(function),
        Start::Persistent => Function::Start,
    }
}

/// The blocking function for a message.
pub fn function_of(message: &Message) -> Function {
    match message {
        Message::Send { mode: Named::Standard, .. } => Function::Send,
        Message::Send { mode: Named::Buffered, .. } => Function::Bsend,
        Message::Send { mode: Named::Synchronous, .. } => Function::Ssend,
        Message::Send { mode: Named::Ready, .. } => Function::Rsend,
        Message::Recv { .. } => Function::Recv,
        Message::Both { .. } => Function::Sendrecv,
        Message::Matched { .. } => Function::Mrecv,
    }
}

/// The function that an action stands for which is done at once, and has no steps.
pub fn done_at_once(action: &Action) -> Option<Function> {
    let access = |access: &Access| match (access.kind, access.by_request) {
        (AccessKind::Put, false) => Function::Put,
        (AccessKind::Put, true) => Function::Rput,
        (AccessKind::Get, false) => Function::Get,
        (AccessKind::Get, true) => Function::Rget,
        (AccessKind::Combine, false) => Function::Accumulate,
        (AccessKind::Combine, true) => Function::Raccumulate,
        (AccessKind::Fetch, false) => Function::Get_accumulate,
        (AccessKind::Fetch, true) => Function::Rget_accumulate,
        (AccessKind::Swap, _) => Function::Compare_and_swap,
    };
    match action {
        Action::Free(_) => Some(Function::Request_free),
        Action::Cancel(_) => Some(Function::Cancel),
        Action::Window(_) => Some(Function::Win_create),
        Action::Access(of) => Some(access(of)),
        Action::Release(..) => Some(Function::Win_unlock),
        Action::Word(..) => Some(Function::Win_complete),
        _ => None,
    }
}
