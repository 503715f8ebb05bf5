//! From the arguments of collective calls to schedules (MPI 5.0 §6): what the blocking, nonblocking and persistent
//! forms have in common.
//!
//! `prepare_x` checks the arguments of `MPI_X` and returns a [`Prepared`] call; its [`Prepared::run`] builds the
//! schedule and starts it in one of the three ways. Positions of parameters are those of the blocking form.

use std::ffi::{c_int, c_void};

use smpi_abi::Function;
use smpi_base::table::Key;
use smpi_mpi::collective::select::Operation;
use smpi_mpi::collective::{Operands, Part, Parts, Root, Shape};
use smpi_mpi::comm::CommCore;
use smpi_mpi::datatype::{Basic, Datatype};
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::memory::Addr;
use smpi_mpi::op::Op;
use smpi_mpi::usage::{Agreed, Call, Form, Items};

use super::{collective_exchange as exchange, p2p};
use crate::abi::constants::*;
use crate::abi::counts::Counts;
use crate::abi::types::*;
use crate::{amended, convert, own_memory};
use smpi_runtime::{current_rank, with};
use smpi_watch::access;

/// How a collective operation is started.
#[derive(Clone, Copy)]
pub enum How {
    /// And waited for.
    Blocking,
    /// Its request goes to the program.
    Immediate(*mut MPI_Request),
    /// Not yet: the program gets a persistent request.
    Persistent(*mut MPI_Request),
}

/// What a call that makes a communicator needs from the other ranks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Needs {
    /// What each of them contributes.
    Others,
    /// What came of something that is done once for all: all report to one rank, which tells them.
    Outcome,
    /// Nothing: every rank knows all that it needs.
    Nothing,
    /// What this one, a rank of an intracommunicator, contributes.
    Of(u32),
}

/// A collective call whose arguments are checked.
pub struct Prepared {
    name: Function,
    comm: MPI_Comm,
    core: CommCore,
    op: Option<(Op, u64)>,
    agreed: Agreed,
    operands: Operands,
}

impl Prepared {
    /// A call without reductions whose ranks need not agree on anything.
    pub(super) fn new(name: Function, comm: MPI_Comm, core: CommCore, operands: Operands) -> Prepared {
        Prepared { name, comm, core, op: None, agreed: Agreed::default(), operands }
    }

    /// The same call with what its ranks must agree on.
    pub(super) fn agreeing(self, agreed: Agreed) -> Prepared {
        Prepared { agreed, ..self }
    }

    /// Builds the schedule and starts it.
    ///
    /// # Errors
    /// Those of the operation, and of making its request.
    pub fn run(self, how: How) -> Result<()> {
        let form = match how {
            How::Blocking => Form::Blocking,
            How::Immediate(..) => Form::Immediate,
            How::Persistent(..) => Form::Persistent,
        };
        if matches!(how, How::Blocking) && self.name != Function::Barrier && amended::has_barrier() {
            start(prepare_barrier(self.comm)?.into_request(Form::Blocking)?, How::Blocking)?;
        }
        start(self.into_request(form)?, how)
    }

    /// The request, not started.
    pub(super) fn into_request(self, form: Form) -> Result<Key> {
        let Prepared { name, comm, core, op, agreed, operands } = self;
        let reads_only = match operands.shape {
            Shape::Of(Operation::Bcast) => operands.root.is_some_and(|root| is_root(&core, root)),
            // Rank 0 has no result.
            Shape::Of(Operation::Exscan) => core.rank == 0 && operands.send.is_some(),
            _ => false,
        };
        own_memory::operands(&operands, core.peers().size(), reads_only)?;
        let call = Call { name, form, op: op.map(|op| op.0), agreed };
        request(comm, core, call, op, operands)
    }
}

/// What every collective operation does once its request exists.
fn start(key: Key, how: How) -> Result<()> {
    match how {
        How::Blocking => {
            p2p::launch(key)?;
            p2p::conclude(key, std::ptr::null_mut())
        }
        How::Immediate(request) => {
            p2p::launch(key)?;
            p2p::give_request(key, request)
        }
        How::Persistent(request) => p2p::give_request(key, request),
    }
}

/// The request of a call.
fn request(comm: MPI_Comm, core: CommCore, call: Call, op: Option<(Op, u64)>, operands: Operands) -> Result<Key> {
    let (tag, knows, chosen) = convert::with_comm(comm, "comm", |comm| {
        Ok((comm.next_collective(), comm.knows_neighbours, comm.chosen.clone()))
    })?;
    let rank = current_rank();
    let (key, finds_out) = with(|runtime| {
        runtime.new_collective(rank, (core, comm as u64), (tag, knows, &chosen[..]), (call, op), &operands)
    })?;
    if finds_out {
        convert::with_comm(comm, "comm", |comm| {
            comm.knows_neighbours = true;
            Ok(())
        })?;
    }
    Ok(key)
}

/// What the ranks must agree on. In intercommunicators the two sides may differ: `exchange` tells what must fit.
fn agree(core: &CommCore, root: Option<Root>, blocks: [Option<&Part>; 2]) -> Agreed {
    if core.remote.is_some() {
        return Agreed::default();
    }
    let root = root.and_then(|root| if let Root::Rank(rank) = root { Some(rank) } else { None });
    Agreed { root, blocks: blocks.map(|part| part.map(Items::of)), ..Agreed::default() }
}

/// The same with the root, which all ranks of an intracommunicator must name alike.
fn with_root(agreed: Agreed, core: &CommCore, root: Root) -> Agreed {
    Agreed { root: agree(core, Some(root), [None, None]).root, ..agreed }
}

/// The block of every rank, where they are all alike.
fn even(parts: &Parts) -> Option<&Part> {
    if let Parts::Even(part) = parts { Some(part) } else { None }
}

fn is_in_place(buffer: *const c_void) -> bool {
    buffer.addr() == convert::IN_PLACE
}

/// A part from a buffer, a count and a type at consecutive positions.
pub(super) fn part(buffer: *const c_void, count: MPI_Count, datatype: MPI_Datatype, side: &str) -> Result<Part> {
    let count = convert::count(count, &format!("{side}count"))?;
    let datatype = convert::datatype_of(count, datatype, &format!("{side}type"))?;
    convert::part(buffer, count, datatype, &format!("{side}buf"))
}

/// As [`part`], or nothing for `MPI_IN_PLACE`, which intercommunicators do not have.
fn part_or_in_place(
    core: &CommCore,
    buffer: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    side: &str,
) -> Result<Option<Part>> {
    if is_in_place(buffer) {
        refuse_in_place_between(core, side)?;
        return Ok(None);
    }
    part(buffer, count, datatype, side).map(Some)
}

fn refuse_in_place_between(core: &CommCore, side: &str) -> Result<()> {
    if core.remote.is_some() {
        let allowed = "a buffer: intercommunicators have no in-place operations";
        return Err(MpiError::parameter(ErrorClass::ARG, &format!("{side}buf"), "MPI_IN_PLACE", allowed));
    }
    Ok(())
}

/// The error for `MPI_IN_PLACE` where it has no meaning.
fn misplaced_in_place(name: &str) -> MpiError {
    MpiError::parameter(ErrorClass::BUFFER, name, "MPI_IN_PLACE", "a buffer: it is not in place on this rank")
}

/// Refuses to receive where is sent from: what is written may be no other argument (MPI 5.0 §2.3). Found are blocks
/// that begin at the same byte, which are those that programs of times before `MPI_IN_PLACE` have. `at` is the position
/// of `recvbuf`.
fn check_distinct(send: Option<&Part>, recv: &[Part]) -> Result<()> {
    let first_byte = |part: &Part| (part.size() > 0).then(|| part.at.offset(part.datatype.true_lb()));
    let Some(sent) = send.and_then(first_byte) else { return Ok(()) };
    if recv.iter().any(|part| first_byte(part) == Some(sent)) {
        let allowed = "another buffer than sendbuf; where data stays in its place, pass MPI_IN_PLACE for one of them";
        let found = "memory that is sent from as well";
        return Err(MpiError::parameter(ErrorClass::BUFFER, "recvbuf", found, allowed));
    }
    Ok(())
}

/// The blocks of a receive buffer that the own data may be confused with: the first, and within one group the own.
fn near(core: &CommCore, recv: &Parts) -> Vec<Part> {
    let own = core.remote.is_none().then(|| recv.part(core.rank));
    own.into_iter().chain((peers(core) > 0).then(|| recv.part(0))).collect()
}

/// The same for operations that send blocks, too: of an intracommunicator the own blocks of both buffers are compared.
fn check_exchange(core: &CommCore, send: Option<&Parts>, recv: &Parts) -> Result<()> {
    let own = send.filter(|_| core.remote.is_none()).map(|send| send.part(core.rank));
    check_distinct(own.as_ref(), &near(core, recv))
}

/// All blocks of a call, one by one or as one.
fn all(core: &CommCore, parts: &Parts) -> Vec<Part> {
    let count = peers(core) as i64;
    match parts {
        Parts::Even(first) => vec![first.slice(0, first.count * count)],
        _ => (0..count).map(|peer| parts.part(peer as u32)).collect(),
    }
}

/// As [`all`], where there may be none.
fn all_if(core: &CommCore, parts: Option<&Parts>) -> Vec<Part> {
    parts.map_or(Vec::new(), |parts| all(core, parts))
}

fn one(part: Option<&Part>) -> Vec<Part> {
    part.cloned().into_iter().collect()
}

/// The root argument.
fn root(core: &CommCore, root: c_int) -> Result<Root> {
    match root {
        MPI_ROOT if core.remote.is_some() => Ok(Root::Here),
        MPI_PROC_NULL if core.remote.is_some() => Ok(Root::Elsewhere),
        rank if rank >= 0 && (rank as u32) < core.peers().size() => Ok(Root::Rank(rank as u32)),
        _ => {
            let most = i64::from(core.peers().size()) - 1;
            let allowed = match core.remote {
                Some(_) => format!("0 to {most}, MPI_ROOT or MPI_PROC_NULL"),
                None => format!("0 to {most}"),
            };
            Err(MpiError::parameter(ErrorClass::ROOT, "root", root, &allowed))
        }
    }
}

/// True when this rank gives or takes all blocks of a rooted operation.
fn is_root(core: &CommCore, root: Root) -> bool {
    match root {
        Root::Rank(rank) => core.remote.is_none() && rank == core.rank,
        Root::Here => true,
        Root::Elsewhere => false,
    }
}

/// True when this rank's own block matters: everywhere but on the root's side of an intercommunicator.
fn has_block(core: &CommCore, root: Root) -> bool {
    core.remote.is_none() || matches!(root, Root::Rank(_))
}

/// How many ranks each rank exchanges blocks with.
fn peers(core: &CommCore) -> usize {
    core.peers().size() as usize
}

/// `ranks` blocks of varying size.
///
/// # Safety
/// The arrays must have an element for each block.
pub(super) unsafe fn varying(
    ranks: usize,
    buffer: *const c_void,
    counts: Counts,
    displs: Counts,
    datatype: MPI_Datatype,
    side: &str,
) -> Result<Parts> {
    // SAFETY: by MPI's contract `counts` and `displs` are arrays of `ranks`.
    let (counts, displs) = unsafe { blocks(counts, displs, ranks, side)? };
    let largest = counts.iter().copied().max().unwrap_or(0);
    let datatype = convert::datatype_of(largest, datatype, &format!("{side}type"))?;
    let whole = convert::part(buffer, largest, datatype, &format!("{side}buf"))?;
    Ok(Parts::Varying { at: whole.at, counts, displs, datatype: whole.datatype })
}

/// Counts and displacements, checked.
///
/// # Safety
/// The arrays must be null or have `ranks` elements.
unsafe fn blocks(counts: Counts, displs: Counts, ranks: usize, side: &str) -> Result<(Vec<i64>, Vec<i64>)> {
    let name = format!("{side}counts");
    counts.check(ranks, &name)?;
    displs.check(ranks, "displs")?;
    // SAFETY: by MPI's contract `counts` and `displs` are arrays of `ranks`, and neither is null.
    let (counts, displs) = unsafe { (counts.to_vec(ranks), displs.to_vec(ranks)) };
    for &count in &counts {
        convert::count(count, &name)?;
    }
    Ok((counts, displs))
}

/// `ranks` blocks with a type each. As elsewhere, the type of an empty block may be `MPI_DATATYPE_NULL`.
///
/// # Safety
/// The arrays must have an element for each block.
pub(super) unsafe fn typed(
    ranks: usize,
    buffer: *const c_void,
    counts: Counts,
    displs: Counts,
    types: *const MPI_Datatype,
    side: &str,
) -> Result<Parts> {
    // SAFETY: by MPI's contract `counts` and `displs` are arrays of `ranks`.
    let (counts, displs) = unsafe { blocks(counts, displs, ranks, side)? };
    own_memory::needed(types, ranks, &format!("{side}types"))?;
    if is_in_place(buffer) {
        return Err(MpiError::parameter(ErrorClass::BUFFER, &format!("{side}buf"), "MPI_IN_PLACE", "a buffer"));
    }
    let name = format!("{side}types");
    // SAFETY: by MPI's contract `types` is an array of `ranks`, and it is not null.
    let handles = (0..ranks).map(|index| unsafe { *types.add(index) });
    let types = handles.zip(&counts).map(|(handle, &count)| match handle {
        MPI_DATATYPE_NULL if count == 0 => Ok(Datatype::basic(Basic::Byte)),
        _ => convert::datatype(handle, &name),
    });
    let datatypes = types.collect::<Result<Vec<Datatype>>>()?;
    Ok(Parts::Typed { at: Addr(buffer as u64), counts, displs, datatypes })
}

/// Operand and result of a reduction at positions 1 and 2, and its operation.
struct Reduction {
    send: Option<Part>,
    recv: Part,
    op: (Op, u64),
}

/// The arguments common to reductions whose result every rank gets.
fn reduction(
    core: &CommCore,
    sendbuf: *const c_void,
    recvbuf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
) -> Result<Reduction> {
    let count = convert::count(count, "count")?;
    let checked = convert::datatype(datatype, "datatype")?;
    let op = operation(op, &checked)?;
    let send = if is_in_place(sendbuf) {
        refuse_in_place_between(core, "send")?;
        None
    } else {
        Some(convert::part(sendbuf, count, checked.clone(), "sendbuf")?)
    };
    if is_in_place(recvbuf) {
        return Err(misplaced_in_place("recvbuf"));
    }
    let recv = convert::part(recvbuf, count, checked, "recvbuf")?;
    Ok(Reduction { send, recv, op: (op, datatype as u64) })
}

/// An operation that is defined for a type; always at position 5.
fn operation(op: MPI_Op, datatype: &Datatype) -> Result<Op> {
    let op = convert::op(op, "op")?;
    if let Op::Predefined(predefined) = op
        && !predefined.is_reduction()
    {
        let allowed = "an operation for reductions";
        return Err(MpiError::parameter(ErrorClass::OP, "op", predefined.name(), allowed));
    }
    op.check(datatype)?;
    Ok(op)
}

/// A barrier that is part of `name`: of a call that makes or frees communicators. Calls are compared by that name.
/// Where ranks wait for data only, one that `needs` nothing of other ranks does not wait. With SMPI's tables a call
/// within one group sends what it sends there; see [`smpi_mpi::collective::creation`].
pub(super) fn prepare_meeting(name: Function, comm: MPI_Comm, needs: Needs) -> Result<Prepared> {
    let core = convert::comm(comm, "comm")?;
    let is_split = matches!(name, Function::Comm_split | Function::Comm_split_type | Function::Cart_sub);
    let is_known = matches!(name, Function::Comm_dup | Function::Comm_create | Function::Cart_create);
    let as_smpi = core.remote.is_none() && (is_split || is_known);
    let creates = with(|runtime| as_smpi && runtime.settings.selection.creates_as_smpi());
    let operands = match needs {
        _ if creates && is_split => Operands::new(Shape::Split),
        _ if creates => Operands::new(Shape::Silent),
        Needs::Others => Operands::new(Shape::Others),
        Needs::Outcome => Operands::new(Shape::Outcome),
        Needs::Nothing => Operands::new(Shape::Nothing),
        Needs::Of(root) => Operands::new(Shape::Behind).with_root(Root::Rank(root)),
    };
    Ok(Prepared { name, comm, core, op: None, agreed: Agreed::default(), operands })
}

/// A new communicator gets its number, with SMPI's tables.
pub(super) fn number(name: Function, comm: MPI_Comm) -> Result<()> {
    if !with(|runtime| runtime.settings.selection.creates_as_smpi()) {
        return Ok(());
    }
    let core = convert::comm(comm, "comm")?;
    if core.remote.is_some() {
        return Ok(());
    }
    Prepared::new(name, comm, core, Operands::new(Shape::Number)).run(How::Blocking)
}

/// `MPI_Barrier`: checks the arguments.
pub fn prepare_barrier(comm: MPI_Comm) -> Result<Prepared> {
    let core = convert::comm(comm, "comm")?;
    Ok(Prepared {
        name: Function::Barrier,
        comm,
        core,
        op: None,
        agreed: Agreed::default(),
        operands: Operands::new(Operation::Barrier),
    })
}

/// `MPI_Bcast`: checks the arguments.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of ranks say, until the operation is over.
pub unsafe fn prepare_bcast(
    buffer: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Result<Prepared> {
    let core = convert::comm(comm, "comm")?;
    let root = self::root(&core, root)?;
    let count = convert::count(count, "count")?;
    let datatype = convert::datatype_of(count, datatype, "datatype")?;
    let count = if matches!(root, Root::Elsewhere) { 0 } else { count };
    let data = convert::part(buffer, count, datatype, "buffer")?;
    access::apart(Vec::new, || one(Some(&data).filter(|_| !is_root(&core, root))));
    let all = matches!(root, Root::Here).then(|| Parts::Even(data.clone()));
    let agreed = match core.remote {
        Some(_) => exchange::scattered(&core, root, Some(&data), all.as_ref()),
        None => agree(&core, Some(root), [Some(&data), None]),
    };
    let operands = Operands::new(Operation::Bcast).with_root(root).with_parts(None, Some(data));
    Ok(Prepared { name: Function::Bcast, comm, core, op: None, agreed, operands })
}

/// `MPI_Gather`: checks the arguments.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of ranks say, until the operation is over.
pub unsafe fn prepare_gather(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Result<Prepared> {
    let core = convert::comm(comm, "comm")?;
    let root = self::root(&core, root)?;
    let recv = if is_root(&core, root) { Some(part(recvbuf, recvcount, recvtype, "recv")?) } else { None };
    let send = own_block(&core, root, sendbuf, sendcount, sendtype)?;
    if let Some(first) = &recv {
        check_distinct(send.as_ref(), &near(&core, &Parts::Even(first.clone())))?;
    }
    let blocks = || all_if(&core, recv.clone().map(Parts::Even).as_ref());
    access::apart(|| one(send.as_ref()), blocks);
    let agreed = match core.remote {
        Some(_) => exchange::gathered(&core, root, send.as_ref(), recv.clone().map(Parts::Even).as_ref()),
        None => agree(&core, Some(root), [send.as_ref(), recv.as_ref()]),
    };
    let operands = Operands::new(Operation::Gather).with_root(root).with_parts(send, recv);
    Ok(Prepared { name: Function::Gather, comm, core, op: None, agreed, operands })
}

/// What a rank gives to a gather: nothing where it is in place or not asked.
fn own_block(
    core: &CommCore,
    root: Root,
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
) -> Result<Option<Part>> {
    if !has_block(core, root) {
        return Ok(None);
    }
    if is_in_place(sendbuf) && !is_root(core, root) {
        return Err(misplaced_in_place("sendbuf"));
    }
    part_or_in_place(core, sendbuf, sendcount, sendtype, "send")
}

/// `MPI_Gatherv`: checks the arguments.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of ranks say, until the operation is over.
pub unsafe fn prepare_gatherv(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    displs: Counts,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Result<Prepared> {
    let core = convert::comm(comm, "comm")?;
    let root = self::root(&core, root)?;
    let recv = if is_root(&core, root) {
        // SAFETY: by MPI's contract the root's `recvcounts` and `displs` are arrays with an element for each rank.
        Some(unsafe { varying(peers(&core), recvbuf, recvcounts, displs, recvtype, "recv") }?)
    } else {
        None
    };
    let send = own_block(&core, root, sendbuf, sendcount, sendtype)?;
    if let Some(blocks) = &recv {
        check_distinct(send.as_ref(), &near(&core, blocks))?;
    }
    access::apart(|| one(send.as_ref()), || all_if(&core, recv.as_ref()));
    let agreed = with_root(exchange::gathered(&core, root, send.as_ref(), recv.as_ref()), &core, root);
    let operands = Operands::new(Operation::Gatherv).with_root(root).with_blocks(send.map(Parts::Even), recv);
    Ok(Prepared { name: Function::Gatherv, comm, core, op: None, agreed, operands })
}

/// `MPI_Scatter`: checks the arguments.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of ranks say, until the operation is over.
pub unsafe fn prepare_scatter(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Result<Prepared> {
    let core = convert::comm(comm, "comm")?;
    let root = self::root(&core, root)?;
    let send = if is_root(&core, root) { Some(part(sendbuf, sendcount, sendtype, "send")?) } else { None };
    let recv = own_result(&core, root, recvbuf, recvcount, recvtype)?;
    if let Some(first) = &send {
        check_distinct(recv.as_ref(), &near(&core, &Parts::Even(first.clone())))?;
    }
    let blocks = || all_if(&core, send.clone().map(Parts::Even).as_ref());
    access::apart(blocks, || one(recv.as_ref()));
    let agreed = match core.remote {
        Some(_) => exchange::scattered(&core, root, recv.as_ref(), send.clone().map(Parts::Even).as_ref()),
        None => agree(&core, Some(root), [send.as_ref(), recv.as_ref()]),
    };
    let operands = Operands::new(Operation::Scatter).with_root(root).with_parts(send, recv);
    Ok(Prepared { name: Function::Scatter, comm, core, op: None, agreed, operands })
}

/// What a rank gets from a scatter: nothing where it is in place or not asked.
fn own_result(
    core: &CommCore,
    root: Root,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
) -> Result<Option<Part>> {
    if !has_block(core, root) {
        return Ok(None);
    }
    if is_in_place(recvbuf) && !is_root(core, root) {
        return Err(misplaced_in_place("recvbuf"));
    }
    part_or_in_place(core, recvbuf, recvcount, recvtype, "recv")
}

/// `MPI_Scatterv`: checks the arguments.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of ranks say, until the operation is over.
pub unsafe fn prepare_scatterv(
    sendbuf: *const c_void,
    sendcounts: Counts,
    displs: Counts,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Result<Prepared> {
    let core = convert::comm(comm, "comm")?;
    let root = self::root(&core, root)?;
    let send = if is_root(&core, root) {
        // SAFETY: by MPI's contract the root's `sendcounts` and `displs` are arrays with an element for each rank.
        Some(unsafe { varying(peers(&core), sendbuf, sendcounts, displs, sendtype, "send") }?)
    } else {
        None
    };
    let recv = own_result(&core, root, recvbuf, recvcount, recvtype)?;
    if let Some(blocks) = &send {
        check_distinct(recv.as_ref(), &near(&core, blocks))?;
    }
    access::apart(|| all_if(&core, send.as_ref()), || one(recv.as_ref()));
    let agreed = with_root(exchange::scattered(&core, root, recv.as_ref(), send.as_ref()), &core, root);
    let operands = Operands::new(Operation::Scatterv).with_root(root).with_blocks(send, recv.map(Parts::Even));
    Ok(Prepared { name: Function::Scatterv, comm, core, op: None, agreed, operands })
}

/// `MPI_Allgather`: checks the arguments.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of ranks say, until the operation is over.
pub unsafe fn prepare_allgather(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result<Prepared> {
    let core = convert::comm(comm, "comm")?;
    let recv = Parts::Even(part(recvbuf, recvcount, recvtype, "recv")?);
    let send = part_or_in_place(&core, sendbuf, sendcount, sendtype, "send")?;
    check_distinct(send.as_ref(), &near(&core, &recv))?;
    access::apart(|| one(send.as_ref()), || all(&core, &recv));
    let agreed = match core.remote {
        Some(_) => exchange::spread(&core, send.as_ref(), &recv),
        None => agree(&core, None, [send.as_ref(), even(&recv)]),
    };
    let operands = Operands::new(Operation::Allgather).with_blocks(send.map(Parts::Even), Some(recv));
    Ok(Prepared { name: Function::Allgather, comm, core, op: None, agreed, operands })
}

/// `MPI_Allgatherv`: checks the arguments.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of ranks say, until the operation is over.
pub unsafe fn prepare_allgatherv(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    displs: Counts,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result<Prepared> {
    let core = convert::comm(comm, "comm")?;
    // SAFETY: by MPI's contract `recvcounts` and `displs` are arrays with an element for each rank.
    let recv = unsafe { varying(peers(&core), recvbuf, recvcounts, displs, recvtype, "recv") }?;
    let send = part_or_in_place(&core, sendbuf, sendcount, sendtype, "send")?;
    check_distinct(send.as_ref(), &near(&core, &recv))?;
    access::apart(|| one(send.as_ref()), || all(&core, &recv));
    let agreed = exchange::spread(&core, send.as_ref(), &recv);
    let operands = Operands::new(Operation::Allgatherv).with_blocks(send.map(Parts::Even), Some(recv));
    Ok(Prepared { name: Function::Allgatherv, comm, core, op: None, agreed, operands })
}

/// `MPI_Alltoall`: checks the arguments.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of ranks say, until the operation is over.
pub unsafe fn prepare_alltoall(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result<Prepared> {
    let core = convert::comm(comm, "comm")?;
    let recv = Parts::Even(part(recvbuf, recvcount, recvtype, "recv")?);
    let send = part_or_in_place(&core, sendbuf, sendcount, sendtype, "send")?.map(Parts::Even);
    check_exchange(&core, send.as_ref(), &recv)?;
    access::apart(|| all_if(&core, send.as_ref()), || all(&core, &recv));
    let agreed = match core.remote {
        Some(_) => exchange::exchanged(&core, send.as_ref(), &recv),
        None => agree(&core, None, [send.as_ref().and_then(even), even(&recv)]),
    };
    let operands = Operands::new(Operation::Alltoall).with_blocks(send, Some(recv));
    Ok(Prepared { name: Function::Alltoall, comm, core, op: None, agreed, operands })
}

/// `MPI_Alltoallv`: checks the arguments.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of ranks say, until the operation is over.
pub unsafe fn prepare_alltoallv(
    sendbuf: *const c_void,
    sendcounts: Counts,
    sdispls: Counts,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    rdispls: Counts,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result<Prepared> {
    let core = convert::comm(comm, "comm")?;
    // SAFETY: by MPI's contract `recvcounts` and `rdispls` are arrays with an element for each rank.
    let recv = unsafe { varying(peers(&core), recvbuf, recvcounts, rdispls, recvtype, "recv") }?;
    let send = if is_in_place(sendbuf) {
        refuse_in_place_between(&core, "send")?;
        None
    } else {
        // SAFETY: by MPI's contract `sendcounts` and `sdispls` are arrays with an element for each rank.
        Some(unsafe { varying(peers(&core), sendbuf, sendcounts, sdispls, sendtype, "send") }?)
    };
    check_exchange(&core, send.as_ref(), &recv)?;
    access::apart(|| all_if(&core, send.as_ref()), || all(&core, &recv));
    let agreed = exchange::exchanged(&core, send.as_ref(), &recv);
    let operands = Operands::new(Operation::Alltoallv).with_blocks(send, Some(recv));
    Ok(Prepared { name: Function::Alltoallv, comm, core, op: None, agreed, operands })
}

/// `MPI_Alltoallw`: checks the arguments.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of ranks say, until the operation is over.
pub unsafe fn prepare_alltoallw(
    sendbuf: *const c_void,
    sendcounts: Counts,
    sdispls: Counts,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    rdispls: Counts,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
) -> Result<Prepared> {
    let core = convert::comm(comm, "comm")?;
    // SAFETY: by MPI's contract `recvcounts`, `rdispls` and `recvtypes` are arrays with an element for each rank.
    let recv = unsafe { typed(peers(&core), recvbuf, recvcounts, rdispls, recvtypes, "recv") }?;
    let send = if is_in_place(sendbuf) {
        refuse_in_place_between(&core, "send")?;
        None
    } else {
        // SAFETY: by MPI's contract `sendcounts`, `sdispls` and `sendtypes` are arrays with an element for each rank.
        Some(unsafe { typed(peers(&core), sendbuf, sendcounts, sdispls, sendtypes, "send") }?)
    };
    check_exchange(&core, send.as_ref(), &recv)?;
    access::apart(|| all_if(&core, send.as_ref()), || all(&core, &recv));
    let agreed = exchange::exchanged(&core, send.as_ref(), &recv);
    let operands = Operands::new(Operation::Alltoallw).with_blocks(send, Some(recv));
    Ok(Prepared { name: Function::Alltoallw, comm, core, op: None, agreed, operands })
}

/// `MPI_Reduce`: checks the arguments.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of ranks say, until the operation is over.
pub unsafe fn prepare_reduce(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
) -> Result<Prepared> {
    let core = convert::comm(comm, "comm")?;
    let root = self::root(&core, root)?;
    let count = convert::count(count, "count")?;
    let checked = convert::datatype(datatype, "datatype")?;
    let op = operation(op, &checked)?;
    let send = if !has_block(&core, root) {
        None
    } else if is_in_place(sendbuf) {
        if !is_root(&core, root) {
            return Err(misplaced_in_place("sendbuf"));
        }
        None
    } else {
        Some(convert::part(sendbuf, count, checked.clone(), "sendbuf")?)
    };
    let recv = if is_root(&core, root) { Some(convert::part(recvbuf, count, checked, "recvbuf")?) } else { None };
    check_distinct(send.as_ref(), recv.as_slice())?;
    access::apart(|| one(send.as_ref()), || one(recv.as_ref()));
    let agreed = match core.remote {
        Some(_) => exchange::gathered(&core, root, send.as_ref(), recv.clone().map(Parts::Even).as_ref()),
        None => agree(&core, Some(root), [send.as_ref(), recv.as_ref()]),
    };
    let operands = Operands::new(Operation::Reduce).with_root(root).with_parts(send, recv);
    Ok(Prepared { name: Function::Reduce, comm, core, op: Some((op, datatype as u64)), agreed, operands })
}

/// `MPI_Allreduce`: checks the arguments.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of ranks say, until the operation is over.
pub unsafe fn prepare_allreduce(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Result<Prepared> {
    let core = convert::comm(comm, "comm")?;
    let Reduction { send, recv, op } = reduction(&core, sendbuf, recvbuf, count, datatype, op)?;
    check_distinct(send.as_ref(), std::slice::from_ref(&recv))?;
    access::apart(|| one(send.as_ref()), || one(Some(&recv)));
    let agreed = match core.remote {
        Some(_) => exchange::exchanged(&core, None, &Parts::Even(recv.clone())),
        None => agree(&core, None, [Some(&recv), None]),
    };
    let operands = Operands::new(Operation::Allreduce).with_parts(send, Some(recv));
    Ok(Prepared { name: Function::Allreduce, comm, core, op: Some(op), agreed, operands })
}

/// A reduction whose result is scattered: `counts` has the elements of every rank of the own group.
fn scattered(
    name: Function,
    operation: Operation,
    buffers: (*const c_void, *mut c_void),
    counts: Vec<i64>,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Result<Prepared> {
    let core = convert::comm(comm, "comm")?;
    let checked = convert::datatype(datatype, "datatype")?;
    let op = self::operation(op, &checked)?;
    let total = counts.iter().sum();
    let own = counts.get(core.rank as usize).copied().unwrap_or(0);
    let send = if is_in_place(buffers.0) {
        refuse_in_place_between(&core, "send")?;
        None
    } else {
        Some(convert::part(buffers.0, total, checked.clone(), "sendbuf")?)
    };
    let agreed = exchange::cut(&core, &counts, &checked);
    // In place, the operand is where the result goes, so all of it must be there.
    let recv = convert::part(buffers.1, if send.is_none() { total } else { own }, checked, "recvbuf")?;
    check_distinct(send.as_ref(), std::slice::from_ref(&recv))?;
    access::apart(|| one(send.as_ref()), || one(Some(&recv)));
    let operands = Operands::new(operation).with_parts(send, Some(recv)).with_counts(counts);
    Ok(Prepared { name, comm, core, op: Some((op, datatype as u64)), agreed, operands })
}

/// `MPI_Reduce_scatter`: checks the arguments.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of ranks say, until the operation is over.
pub unsafe fn prepare_reduce_scatter(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Result<Prepared> {
    let ranks = convert::comm(comm, "comm")?.group.size() as usize;
    recvcounts.check(ranks, "recvcounts")?;
    // SAFETY: by MPI's contract `recvcounts` is an array with an element for each rank of the own group.
    let counts = unsafe { recvcounts.to_vec(ranks) };
    for &count in &counts {
        convert::count(count, "recvcounts")?;
    }
    let buffers = (sendbuf, recvbuf);
    scattered(Function::Reduce_scatter, Operation::ReduceScatter, buffers, counts, datatype, op, comm)
}

/// `MPI_Reduce_scatter_block`: checks the arguments.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of ranks say, until the operation is over.
pub unsafe fn prepare_reduce_scatter_block(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Result<Prepared> {
    let ranks = convert::comm(comm, "comm")?.group.size() as usize;
    let counts = vec![convert::count(recvcount, "recvcount")?; ranks];
    let (operation, buffers) = (Operation::ReduceScatterBlock, (sendbuf, recvbuf));
    scattered(Function::Reduce_scatter_block, operation, buffers, counts, datatype, op, comm)
}

/// The arguments of a scan, which intercommunicators do not have.
fn prefix(
    name: Function,
    inclusive: bool,
    buffers: (*const c_void, *mut c_void),
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Result<Prepared> {
    let core = convert::intracomm(comm, "comm")?;
    // An exscan does not look at the result's place on rank 0, which then may be anything (MPI 5.0 §6.11.2).
    let ignored = !inclusive && core.rank == 0 && !is_in_place(buffers.0);
    let result = if ignored { buffers.0 } else { buffers.1.cast_const() };
    let Reduction { send, recv, op } = reduction(&core, buffers.0, result, count, datatype, op)?;
    if !ignored {
        check_distinct(send.as_ref(), std::slice::from_ref(&recv))?;
        access::apart(|| one(send.as_ref()), || one(Some(&recv)));
    }
    let agreed = agree(&core, None, [Some(&recv), None]);
    let operation = if inclusive { Operation::Scan } else { Operation::Exscan };
    let operands = Operands::new(operation).with_parts(send, Some(recv));
    Ok(Prepared { name, comm, core, op: Some(op), agreed, operands })
}

/// `MPI_Scan`: checks the arguments.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of ranks say, until the operation is over.
pub unsafe fn prepare_scan(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Result<Prepared> {
    prefix(Function::Scan, true, (sendbuf, recvbuf), count, datatype, op, comm)
}

/// `MPI_Exscan`: checks the arguments.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of ranks say, until the operation is over.
pub unsafe fn prepare_exscan(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Result<Prepared> {
    prefix(Function::Exscan, false, (sendbuf, recvbuf), count, datatype, op, comm)
}
