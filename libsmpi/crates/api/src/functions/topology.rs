//! Process topologies: grids, and what all kinds have in common (MPI 5.0 §8.5.1, §8.5.2, §8.5.5–8.5.7). Graphs are in
//! `topology_graph`, communication among neighbours in `neighbor`.
//!
//! Ranks are never reordered: a topology is no reason to move simulated processes, whose hosts the user has chosen.

use std::ffi::c_int;
use std::sync::Arc;

use smpi_abi::Function;
use smpi_mpi::comm::CommCore;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::group::run::Run;
use smpi_mpi::topology::{Cart, Topology, dims};

use super::collective::{Needs, number};
use super::comm_create::{Creation, split};
use crate::abi::constants::*;
use crate::abi::types::*;
use crate::{convert, own_memory};
use smpi_runtime::with;

/// An input array of `len` numbers.
///
/// # Safety
/// `place` must be null or have `len` elements.
pub(super) unsafe fn numbers(place: *const c_int, len: usize, name: &str) -> Result<Vec<c_int>> {
    if len == 0 {
        return Ok(Vec::new());
    }
    own_memory::needed(place, len, name)?;
    // SAFETY: by MPI's contract `place`, which is not null, is an array of `len`.
    Ok(unsafe { std::slice::from_raw_parts(place, len) }.to_vec())
}

/// Writes numbers to an output array.
///
/// # Safety
/// `place` must be null or have room for all `values`.
pub(super) unsafe fn put_numbers(place: *mut c_int, values: impl IntoIterator<Item = c_int>, name: &str) -> Result<()> {
    for (index, value) in values.into_iter().enumerate() {
        own_memory::place(place.wrapping_add(index), name)?;
        // SAFETY: by MPI's contract `place` is an array of as many as there are values; a null pointer is refused
        // before it is moved.
        unsafe { convert::put(if index == 0 { place } else { place.add(index) }, value, name) }?;
    }
    Ok(())
}

/// A length argument.
pub(super) fn length(value: c_int, name: &str) -> Result<usize> {
    usize::try_from(value).map_err(|_| MpiError::parameter(ErrorClass::ARG, name, value, "0 or more"))
}

/// Refuses an output array that is too short.
pub(super) fn check_room(value: c_int, needed: usize, name: &str) -> Result<()> {
    if length(value, name)? < needed {
        let allowed = format!("{needed} or more: the length of the result");
        return Err(MpiError::parameter(ErrorClass::ARG, name, value, &allowed));
    }
    Ok(())
}

/// A rank of the communicator.
pub(super) fn member(core: &CommCore, rank: c_int, name: &str) -> Result<u32> {
    let size = core.group.size();
    u32::try_from(rank)
        .ok()
        .filter(|rank| *rank < size)
        .ok_or_else(|| MpiError::parameter(ErrorClass::RANK, name, rank, &format!("0 to {}", i64::from(size) - 1)))
}

/// What a topology is, in words.
fn describe(topology: Option<&Topology>) -> &'static str {
    match topology {
        None => "a communicator without topology",
        Some(Topology::Cart(_)) => "a communicator with a Cartesian topology",
        Some(Topology::Graph(_)) => "a communicator with a graph topology",
        Some(Topology::DistGraph(_)) => "a communicator with a distributed graph topology",
    }
}

/// The topology of the communicator at a position, and the communicator.
pub(super) fn topology_of(comm: MPI_Comm, wanted: &str) -> Result<(Arc<Topology>, CommCore)> {
    convert::with_comm(comm, "comm", |comm| match &comm.topology {
        Some(topology) => Ok((Arc::clone(topology), comm.core.clone())),
        None => Err(MpiError::parameter(ErrorClass::TOPOLOGY, "comm", describe(None), wanted)),
    })
}

/// The error for a communicator at position 1 whose topology is not of the kind that the function is for.
pub(super) fn wrong_kind(topology: &Topology, wanted: &str) -> MpiError {
    MpiError::parameter(ErrorClass::TOPOLOGY, "comm", describe(Some(topology)), wanted)
}

/// Runs the action on the grid of the communicator at position 1.
fn with_cart<R>(comm: MPI_Comm, action: impl FnOnce(&Cart, &CommCore) -> Result<R>) -> Result<R> {
    let wanted = "a communicator made by MPI_Cart_create or MPI_Cart_sub";
    let (topology, core) = topology_of(comm, wanted)?;
    match &*topology {
        Topology::Cart(cart) => action(cart, &core),
        other => Err(wrong_kind(other, wanted)),
    }
}

/// The grid that the arguments describe; `periods` is at position `at + 1`.
///
/// # Safety
/// The arrays must be null or have `ndims` elements.
unsafe fn cart_argument(ndims: c_int, dims: *const c_int, periods: *const c_int) -> Result<Cart> {
    let len = length(ndims, "ndims")?;
    // SAFETY: by MPI's contract `dims` and `periods` are arrays of `len`.
    let (dims, periods) = unsafe { (numbers(dims, len, "dims")?, numbers(periods, len, "periods")?) };
    Cart::new(dims.into_iter().zip(periods.into_iter().map(|period| period != 0)))
}

/// Refuses a topology with more nodes than the communicator has ranks.
pub(super) fn check_size(core: &CommCore, nodes: u32, name: &str) -> Result<()> {
    let size = core.group.size();
    if nodes > size {
        let allowed = format!("at most {size}, the size of the communicator");
        return Err(MpiError::parameter(ErrorClass::ARG, name, format!("{nodes} nodes"), &allowed));
    }
    Ok(())
}

/// Makes the communicator of the first `nodes` ranks with a topology that all have to describe in the same way.
pub(super) fn create(name: Function, parent: MPI_Comm, nodes: u32, topology: Topology) -> Result<MPI_Comm> {
    let call = Creation::begin(parent)?;
    with(|runtime| runtime.world.state.agreements.topologies.propose(call.place(), topology));
    call.synchronise(name, Needs::Others)?;
    let core = call.parent_core()?;
    let size = core.group.size();
    let topology = with(|runtime| runtime.world.state.agreements.topologies.agreed(call.place(), size))?;
    if core.rank >= nodes {
        return Ok(MPI_COMM_NULL);
    }
    let core = if nodes == size {
        CommCore { context: call.context(0, size), ..core }
    } else {
        let first = || core.group.part([Run::consecutive(0, nodes)]);
        call.intracomm(0, nodes, first)?
    };
    let handle = attach(call.store(core)?, topology)?;
    if name == Function::Cart_create {
        number(name, handle)?;
    }
    Ok(handle)
}

/// Gives a new communicator its topology.
pub(super) fn attach(comm: MPI_Comm, topology: Arc<Topology>) -> Result<MPI_Comm> {
    convert::with_comm(comm, "comm", |found| {
        found.topology = Some(topology);
        Ok(comm)
    })
}

/// The place of the calling rank in a topology of `nodes` nodes: `MPI_Cart_map` and `MPI_Graph_map`.
pub(super) fn map(core: &CommCore, nodes: u32) -> c_int {
    if core.rank < nodes { core.rank as c_int } else { MPI_UNDEFINED }
}

/// A neighbour as the program sees it.
fn rank_or_null(rank: Option<u32>) -> c_int {
    rank.map_or(MPI_PROC_NULL, |rank| rank as c_int)
}

/// `MPI_Dims_create`.
///
/// # Safety
/// `dims` must be null or have `ndims` elements.
pub unsafe fn dims_create(nnodes: c_int, ndims: c_int, dims: *mut c_int) -> Result<()> {
    let len = length(ndims, "ndims")?;
    // SAFETY: by MPI's contract `dims` is an array of `len`.
    let mut chosen = unsafe { numbers(dims, len, "dims") }?;
    dims::create(nnodes, &mut chosen)?;
    // SAFETY: by MPI's contract `dims` is an array of `len`, and there are as many numbers as were read.
    unsafe { put_numbers(dims, chosen, "dims") }
}

/// `MPI_Cart_create`.
///
/// # Safety
/// The arrays must be null or have `ndims` elements; `comm_cart` must be null or valid for writing.
pub unsafe fn cart_create(
    comm_old: MPI_Comm,
    ndims: c_int,
    dims: *const c_int,
    periods: *const c_int,
    _reorder: c_int,
    comm_cart: *mut MPI_Comm,
) -> Result<()> {
    // Where the creation fails, the program finds no communicator there.
    // SAFETY: by MPI's contract `comm_cart` is a place.
    unsafe { convert::put(comm_cart, MPI_COMM_NULL, "comm_cart") }?;
    let core = convert::intracomm(comm_old, "comm_old")?;
    // SAFETY: by MPI's contract `dims` and `periods` are arrays of `ndims`.
    let cart = unsafe { cart_argument(ndims, dims, periods) }?;
    let nodes = cart.nodes();
    check_size(&core, nodes, "dims")?;
    drop(core);
    let handle = create(Function::Cart_create, comm_old, nodes, Topology::Cart(cart))?;
    // SAFETY: by MPI's contract `comm_cart` is a place.
    unsafe { convert::put(comm_cart, handle, "comm_cart") }
}

/// `MPI_Cartdim_get`.
pub fn cartdim_get(comm: MPI_Comm) -> Result<c_int> {
    let found = with_cart(comm, |cart, _| Ok(cart.dims().len()))?;
    Ok(found as c_int)
}

/// `MPI_Cart_get`.
///
/// # Safety
/// The arrays must be null or have `maxdims` elements.
pub unsafe fn cart_get(
    comm: MPI_Comm,
    maxdims: c_int,
    dims: *mut c_int,
    periods: *mut c_int,
    coords: *mut c_int,
) -> Result<()> {
    with_cart(comm, |cart, core| {
        check_room(maxdims, cart.dims().len(), "maxdims")?;
        // SAFETY: by MPI's contract the arrays have `maxdims` elements, which are enough for this grid.
        unsafe {
            put_numbers(dims, cart.dims().iter().map(|dim| dim.size as c_int), "dims")?;
            put_numbers(periods, cart.dims().iter().map(|dim| c_int::from(dim.periodic)), "periods")?;
            put_numbers(coords, cart.coords(core.rank), "coords")
        }
    })
}

/// `MPI_Cart_rank`.
///
/// # Safety
/// `coords` must be null or have an element for each dimension; `rank` must be null or valid for writing.
pub unsafe fn cart_rank(comm: MPI_Comm, coords: *const c_int) -> Result<c_int> {
    let found = with_cart(comm, |cart, _| {
        // SAFETY: by MPI's contract `coords` is an array with an element for each dimension.
        cart.rank_of(&unsafe { numbers(coords, cart.dims().len(), "coords") }?)
    })?;
    Ok(found as c_int)
}

/// `MPI_Cart_coords`.
///
/// # Safety
/// `coords` must be null or have `maxdims` elements.
pub unsafe fn cart_coords(comm: MPI_Comm, rank: c_int, maxdims: c_int, coords: *mut c_int) -> Result<()> {
    with_cart(comm, |cart, core| {
        let rank = member(core, rank, "rank")?;
        check_room(maxdims, cart.dims().len(), "maxdims")?;
        // SAFETY: by MPI's contract `coords` is an array of `maxdims`, which are enough for this grid.
        unsafe { put_numbers(coords, cart.coords(rank), "coords") }
    })
}

/// `MPI_Cart_shift`.
///
/// # Safety
/// `rank_source` and `rank_dest` must be null or valid for writing.
pub unsafe fn cart_shift(
    comm: MPI_Comm,
    direction: c_int,
    disp: c_int,
    rank_source: *mut c_int,
    rank_dest: *mut c_int,
) -> Result<()> {
    let (source, dest) = with_cart(comm, |cart, core| {
        let dims = cart.dims().len();
        match usize::try_from(direction) {
            Ok(direction) if direction < dims => Ok(cart.shift(core.rank, direction, disp)),
            _ => {
                let allowed = match dims {
                    0 => "none: the topology has no dimensions".to_string(),
                    _ => format!("0 to {}", dims - 1),
                };
                Err(MpiError::parameter(ErrorClass::DIMS, "direction", direction, &allowed))
            }
        }
    })?;
    // SAFETY: by MPI's contract `rank_source` and `rank_dest` are places.
    unsafe {
        convert::put(rank_source, rank_or_null(source), "rank_source")?;
        convert::put(rank_dest, rank_or_null(dest), "rank_dest")
    }
}

/// `MPI_Cart_sub`.
///
/// # Safety
/// `remain_dims` must be null or have an element for each dimension; `newcomm` must be null or valid for writing.
pub unsafe fn cart_sub(comm: MPI_Comm, remain_dims: *const c_int) -> Result<MPI_Comm> {
    // SAFETY: by MPI's contract `remain_dims` is an array with an element for each dimension.
    let slice = unsafe { slice(comm, remain_dims) }?.1;
    let handle = split(Function::Cart_sub, comm, slice.number as c_int, slice.rank as c_int, false)?;
    // Asked again, because nothing that needs dropping may be kept while the rank waits.
    // SAFETY: by MPI's contract `remain_dims` is an array with an element for each dimension.
    let cart = unsafe { self::slice(comm, remain_dims) }?.0;
    attach(handle, Arc::new(Topology::Cart(cart)))?;
    Ok(handle)
}

/// The subgrid of the calling rank and its place there.
///
/// # Safety
/// `remain_dims` must be null or have an element for each dimension.
unsafe fn slice(comm: MPI_Comm, remain_dims: *const c_int) -> Result<(Cart, smpi_mpi::topology::cart::Slice)> {
    with_cart(comm, |cart, core| {
        // SAFETY: by MPI's contract `remain_dims` is an array with an element for each dimension.
        let remain = unsafe { numbers(remain_dims, cart.dims().len(), "remain_dims") }?;
        Ok(cart.sub(core.rank, &remain.into_iter().map(|flag| flag != 0).collect::<Vec<bool>>()))
    })
}

/// `MPI_Cart_map`.
///
/// # Safety
/// The arrays must be null or have `ndims` elements; `newrank` must be null or valid for writing.
pub unsafe fn cart_map(comm: MPI_Comm, ndims: c_int, dims: *const c_int, periods: *const c_int) -> Result<c_int> {
    let core = convert::intracomm(comm, "comm")?;
    // SAFETY: by MPI's contract `dims` and `periods` are arrays of `ndims`.
    let nodes = unsafe { cart_argument(ndims, dims, periods) }?.nodes();
    check_size(&core, nodes, "dims")?;
    Ok(map(&core, nodes))
}

/// `MPI_Topo_test`.
pub fn topo_test(comm: MPI_Comm) -> Result<c_int> {
    let kind = convert::with_comm(comm, "comm", |comm| {
        Ok(match comm.topology.as_deref() {
            None => MPI_UNDEFINED,
            Some(Topology::Cart(_)) => MPI_CART,
            Some(Topology::Graph(_)) => MPI_GRAPH,
            Some(Topology::DistGraph(_)) => MPI_DIST_GRAPH,
        })
    })?;
    Ok(kind)
}
