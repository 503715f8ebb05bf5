//! Graph topologies, whole and distributed (MPI 5.0 §8.5.3–8.5.5).

use std::ffi::c_int;
use std::sync::Arc;

use smpi_abi::Function;
use smpi_mpi::comm::CommCore;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::topology::dist_graph::{Adjacent, DistGraph, Edge};
use smpi_mpi::topology::{Graph, Topology};

use super::collective::Needs;
use super::comm_create::Creation;
use super::topology::{
    attach, check_room, check_size, create, length, map, member, numbers, put_numbers, topology_of, wrong_kind,
};
use crate::abi::constants::{MPI_COMM_NULL, MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY};
use crate::abi::types::*;
use crate::convert;
use smpi_runtime::with;

/// Runs the action on the graph of the communicator at position 1.
fn with_graph<R>(comm: MPI_Comm, action: impl FnOnce(&Graph, &CommCore) -> Result<R>) -> Result<R> {
    let wanted = "a communicator made by MPI_Graph_create";
    let (topology, core) = topology_of(comm, wanted)?;
    match &*topology {
        Topology::Graph(graph) => action(graph, &core),
        other => Err(wrong_kind(other, wanted)),
    }
}

/// Runs the action on the edges of this rank in the distributed graph of the communicator at position 1.
fn with_dist_graph<R>(comm: MPI_Comm, action: impl FnOnce(&DistGraph) -> Result<R>) -> Result<R> {
    let wanted = "a communicator made by MPI_Dist_graph_create or MPI_Dist_graph_create_adjacent";
    match &*topology_of(comm, wanted)?.0 {
        Topology::DistGraph(graph) => action(graph),
        other => Err(wrong_kind(other, wanted)),
    }
}

/// Unsigned numbers as the program sees them.
fn ints(values: &[u32]) -> impl Iterator<Item = c_int> + '_ {
    values.iter().map(|&value| value as c_int)
}

/// The graph that the arguments at positions 2 to 4 describe.
///
/// # Safety
/// `indx` must be null or have `nnodes` elements; `edges` must be null or have as many as the last of these says.
unsafe fn graph_argument(core: &CommCore, nnodes: c_int, indx: *const c_int, edges: *const c_int) -> Result<Graph> {
    let nodes = length(nnodes, "nnodes")?;
    check_size(core, nodes as u32, "nnodes")?;
    // SAFETY: by MPI's contract `indx` is an array of `nodes`.
    let index = unsafe { numbers(indx, nodes, "indx") }?;
    // SAFETY: by MPI's contract `edges` is an array of as many as the last element of `indx` says, which is `count`.
    Graph::new(&index, |count| unsafe { numbers(edges, count, "edges") })
}

/// `MPI_Graph_create`.
///
/// # Safety
/// `indx` and `edges` must be null or as long as they say; `comm_graph` must be null or valid for writing.
pub unsafe fn graph_create(
    comm_old: MPI_Comm,
    nnodes: c_int,
    indx: *const c_int,
    edges: *const c_int,
    _reorder: c_int,
    comm_graph: *mut MPI_Comm,
) -> Result<()> {
    // Where the creation fails, the program finds no communicator there.
    // SAFETY: by MPI's contract `comm_graph` is a place.
    unsafe { convert::put(comm_graph, MPI_COMM_NULL, "comm_graph") }?;
    let core = convert::intracomm(comm_old, "comm_old")?;
    // SAFETY: by MPI's contract `indx` is an array of `nnodes`, and `edges` of what its last element says.
    let graph = unsafe { graph_argument(&core, nnodes, indx, edges) }?;
    drop(core);
    let handle = create(Function::Graph_create, comm_old, graph.nodes(), Topology::Graph(graph))?;
    // SAFETY: by MPI's contract `comm_graph` is a place.
    unsafe { convert::put(comm_graph, handle, "comm_graph") }
}

/// `MPI_Graphdims_get`.
///
/// # Safety
/// `nnodes` and `nedges` must be null or valid for writing.
pub unsafe fn graphdims_get(comm: MPI_Comm, nnodes: *mut c_int, nedges: *mut c_int) -> Result<()> {
    let (nodes, edges) = with_graph(comm, |graph, _| Ok((graph.nodes(), graph.edges().len())))?;
    // SAFETY: by MPI's contract `nnodes` and `nedges` are places.
    unsafe {
        convert::put(nnodes, nodes as c_int, "nnodes")?;
        convert::put(nedges, edges as c_int, "nedges")
    }
}

/// `MPI_Graph_get`.
///
/// # Safety
/// `indx` and `edges` must be null or have `maxindex` and `maxedges` elements.
pub unsafe fn graph_get(
    comm: MPI_Comm,
    maxindex: c_int,
    maxedges: c_int,
    indx: *mut c_int,
    edges: *mut c_int,
) -> Result<()> {
    with_graph(comm, |graph, _| {
        check_room(maxindex, graph.index().len(), "maxindex")?;
        check_room(maxedges, graph.edges().len(), "maxedges")?;
        // SAFETY: by MPI's contract the arrays have `maxindex` and `maxedges` elements, which are enough for this
        // graph.
        unsafe {
            put_numbers(indx, ints(graph.index()), "indx")?;
            put_numbers(edges, ints(graph.edges()), "edges")
        }
    })
}

/// `MPI_Graph_neighbors_count`.
pub fn graph_neighbors_count(comm: MPI_Comm, rank: c_int) -> Result<c_int> {
    let count = with_graph(comm, |graph, core| Ok(graph.neighbours(member(core, rank, "rank")?).len()))?;
    Ok(count as c_int)
}

/// `MPI_Graph_neighbors`.
///
/// # Safety
/// `neighbors` must be null or have `maxneighbors` elements.
pub unsafe fn graph_neighbors(comm: MPI_Comm, rank: c_int, maxneighbors: c_int, neighbors: *mut c_int) -> Result<()> {
    with_graph(comm, |graph, core| {
        let found = graph.neighbours(member(core, rank, "rank")?);
        check_room(maxneighbors, found.len(), "maxneighbors")?;
        // SAFETY: by MPI's contract `neighbors` is an array of `maxneighbors`, which are enough.
        unsafe { put_numbers(neighbors, ints(found), "neighbors") }
    })
}

/// `MPI_Graph_map`.
///
/// # Safety
/// `indx` and `edges` must be null or as long as they say; `newrank` must be null or valid for writing.
pub unsafe fn graph_map(comm: MPI_Comm, nnodes: c_int, indx: *const c_int, edges: *const c_int) -> Result<c_int> {
    let core = convert::intracomm(comm, "comm")?;
    // SAFETY: by MPI's contract `indx` is an array of `nnodes`, and `edges` of what its last element says.
    let nodes = unsafe { graph_argument(&core, nnodes, indx, edges) }?.nodes();
    Ok(map(&core, nodes))
}

/// Ranks of the communicator in an array of `count` elements.
///
/// # Safety
/// `place` must be null or have `count` elements.
unsafe fn members(core: &CommCore, place: *const c_int, count: usize, name: &str) -> Result<Vec<u32>> {
    // SAFETY: by MPI's contract `place` is an array of `count`.
    let ranks = unsafe { numbers(place, count, name) }?;
    let checked = |(index, rank)| member(core, rank, &format!("{name}[{index}]"));
    ranks.into_iter().enumerate().map(checked).collect()
}

/// Weights for `count` edges; `None` for `MPI_UNWEIGHTED`.
///
/// # Safety
/// `place` must be null, predefined, or have `count` elements.
unsafe fn weights(place: *const c_int, count: usize, name: &str) -> Result<Option<Vec<c_int>>> {
    if place == MPI_UNWEIGHTED.cast_const() {
        return Ok(None);
    }
    if place == MPI_WEIGHTS_EMPTY.cast_const() && count > 0 {
        let allowed = format!("{count} weights, or MPI_UNWEIGHTED");
        return Err(MpiError::parameter(ErrorClass::ARG, name, "MPI_WEIGHTS_EMPTY", &allowed));
    }
    // SAFETY: by MPI's contract `place` is an array of `count`.
    let weights = unsafe { numbers(place, count, name) }?;
    if let Some(index) = weights.iter().position(|weight| *weight < 0) {
        let name = format!("{name}[{index}]");
        return Err(MpiError::parameter(ErrorClass::ARG, &name, weights[index], "0 or more"));
    }
    Ok(Some(weights))
}

/// Makes the communicator of a distributed graph, after the synchronisation.
fn finish(call: Creation, graph: DistGraph) -> Result<MPI_Comm> {
    let core = call.parent_core()?;
    let context = call.context(0, core.group.size());
    attach(call.store(CommCore { context, ..core })?, Arc::new(Topology::DistGraph(graph)))
}

/// `MPI_Dist_graph_create_adjacent`.
///
/// # Safety
/// The arrays must be null or as long as the degrees say; `comm_dist_graph` must be null or valid for writing.
pub unsafe fn dist_graph_create_adjacent(
    comm_old: MPI_Comm,
    indegree: c_int,
    sources: *const c_int,
    sourceweights: *const c_int,
    outdegree: c_int,
    destinations: *const c_int,
    destweights: *const c_int,
    info: MPI_Info,
    _reorder: c_int,
    comm_dist_graph: *mut MPI_Comm,
) -> Result<()> {
    // Where the creation fails, the program finds no communicator there.
    // SAFETY: by MPI's contract `comm_dist_graph` is a place.
    unsafe { convert::put(comm_dist_graph, MPI_COMM_NULL, "comm_dist_graph") }?;
    convert::info(info, "info")?;
    // SAFETY: by MPI's contract the arrays have as many elements as the degrees say. They are read twice, because
    // nothing that needs dropping may be kept while the rank waits.
    let edges = || unsafe {
        let core = convert::intracomm(comm_old, "comm_old")?;
        let (sources, sourceweights) = adjacent(&core, indegree, sources, sourceweights, "source")?;
        let (destinations, destweights) = adjacent(&core, outdegree, destinations, destweights, "dest")?;
        let weighted = sourceweights.is_some();
        if weighted != destweights.is_some() {
            let found = "MPI_UNWEIGHTED for one of sourceweights and destweights";
            let allowed = "MPI_UNWEIGHTED for both or for none";
            return Err(MpiError::parameter(ErrorClass::ARG, "destweights", found, allowed));
        }
        let sources = Adjacent { ranks: sources, weights: sourceweights.unwrap_or_default() };
        let destinations = Adjacent { ranks: destinations, weights: destweights.unwrap_or_default() };
        Ok(DistGraph { sources, destinations, weighted })
    };
    edges()?;
    let call = Creation::begin(comm_old)?;
    call.synchronise(Function::Dist_graph_create_adjacent, Needs::Nothing)?;
    let handle = finish(call, edges()?)?;
    // SAFETY: by MPI's contract `comm_dist_graph` is a place.
    unsafe { convert::put(comm_dist_graph, handle, "comm_dist_graph") }
}

/// The edges in one direction: their number is at position `at`, ends and weights follow.
///
/// # Safety
/// The arrays must be null or as long as the degree says.
unsafe fn adjacent(
    core: &CommCore,
    degree: c_int,
    ranks: *const c_int,
    weights: *const c_int,
    side: &str,
) -> Result<(Vec<u32>, Option<Vec<c_int>>)> {
    let inwards = side == "source";
    let degree = length(degree, if inwards { "indegree" } else { "outdegree" })?;
    let name = if inwards { "sources" } else { "destinations" };
    // SAFETY: by MPI's contract `ranks` and `weights` are arrays of `degree`, or one of the constants for no weights.
    unsafe {
        let ranks = members(core, ranks, degree, name)?;
        Ok((ranks, self::weights(weights, degree, &format!("{side}weights"))?))
    }
}

/// `MPI_Dist_graph_create`.
///
/// # Safety
/// The arrays must be null or as long as `n` and the degrees say; `comm_dist_graph` must be null or valid for writing.
pub unsafe fn dist_graph_create(
    comm_old: MPI_Comm,
    n: c_int,
    sources: *const c_int,
    degrees: *const c_int,
    destinations: *const c_int,
    weights: *const c_int,
    info: MPI_Info,
    _reorder: c_int,
    comm_dist_graph: *mut MPI_Comm,
) -> Result<()> {
    // Where the creation fails, the program finds no communicator there.
    // SAFETY: by MPI's contract `comm_dist_graph` is a place.
    unsafe { convert::put(comm_dist_graph, MPI_COMM_NULL, "comm_dist_graph") }?;
    convert::info(info, "info")?;
    // SAFETY: by MPI's contract `sources` and `degrees` are arrays of `n`, and the other two of the sum of the degrees.
    let (edges, weighted) = unsafe { edges(comm_old, n, sources, degrees, destinations, weights) }?;
    let call = Creation::begin(comm_old)?;
    let (rank, size) = convert::with_comm(comm_old, "comm_old", |comm| Ok((comm.core.rank, comm.core.group.size())))?;
    with(|runtime| runtime.world.state.agreements.topologies.contribute(call.place(), rank, edges, weighted));
    call.synchronise(Function::Dist_graph_create, Needs::Others)?;
    let graph = with(|runtime| runtime.world.state.agreements.topologies.collect(call.place(), rank, size))?;
    let handle = finish(call, graph)?;
    // SAFETY: by MPI's contract `comm_dist_graph` is a place.
    unsafe { convert::put(comm_dist_graph, handle, "comm_dist_graph") }
}

/// The edges that this rank contributes, and whether they have weights.
///
/// # Safety
/// The arrays must be null or as long as `n` and the degrees say.
unsafe fn edges(
    comm_old: MPI_Comm,
    n: c_int,
    sources: *const c_int,
    degrees: *const c_int,
    destinations: *const c_int,
    weights: *const c_int,
) -> Result<(Vec<Edge>, bool)> {
    let core = convert::intracomm(comm_old, "comm_old")?;
    let n = length(n, "n")?;
    // SAFETY: by MPI's contract `sources` and `degrees` are arrays of `n`.
    let (sources, degrees) = unsafe { (members(&core, sources, n, "sources")?, numbers(degrees, n, "degrees")?) };
    let mut starts = Vec::new();
    for (index, (source, degree)) in sources.into_iter().zip(degrees).enumerate() {
        let degree = length(degree, &format!("degrees[{index}]"))?;
        starts.extend(std::iter::repeat_n(source, degree));
    }
    // SAFETY: by MPI's contract `destinations` and `weights` are arrays of the sum of the degrees, which is the length
    // of `starts`.
    let (ends, weights) = unsafe {
        let ends = members(&core, destinations, starts.len(), "destinations")?;
        (ends, self::weights(weights, starts.len(), "weights")?)
    };
    let weight = |index: usize| weights.as_ref().map_or(0, |weights| weights[index]);
    let ends = starts.into_iter().zip(ends).enumerate();
    let edges = ends.map(|(index, (from, to))| Edge { from, to, weight: weight(index) }).collect();
    Ok((edges, weights.is_some()))
}

/// `MPI_Dist_graph_neighbors_count`.
///
/// # Safety
/// `indegree`, `outdegree` and `weighted` must be null or valid for writing.
pub unsafe fn dist_graph_neighbors_count(
    comm: MPI_Comm,
    indegree: *mut c_int,
    outdegree: *mut c_int,
    weighted: *mut c_int,
) -> Result<()> {
    with_dist_graph(comm, |graph| {
        // SAFETY: by MPI's contract `indegree`, `outdegree` and `weighted` are places.
        unsafe {
            convert::put(indegree, graph.sources.ranks.len() as c_int, "indegree")?;
            convert::put(outdegree, graph.destinations.ranks.len() as c_int, "outdegree")?;
            convert::put(weighted, c_int::from(graph.weighted), "weighted")
        }
    })
}

/// `MPI_Dist_graph_neighbors`: arrays that are too short get the first part of the lists.
///
/// # Safety
/// The arrays must be null, predefined, or have as many elements as the maximal degrees say.
pub unsafe fn dist_graph_neighbors(
    comm: MPI_Comm,
    maxindegree: c_int,
    sources: *mut c_int,
    sourceweights: *mut c_int,
    maxoutdegree: c_int,
    destinations: *mut c_int,
    destweights: *mut c_int,
) -> Result<()> {
    let most_in = length(maxindegree, "maxindegree")?;
    let most_out = length(maxoutdegree, "maxoutdegree")?;
    with_dist_graph(comm, |graph| {
        let (into, out) = (&graph.sources, &graph.destinations);
        // SAFETY: by MPI's contract the arrays have `maxindegree` and `maxoutdegree` elements; no more are written.
        unsafe {
            put_numbers(sources, ints(&into.ranks).take(most_in), "sources")?;
            put_weights(sourceweights, &into.weights, most_in, "sourceweights")?;
            put_numbers(destinations, ints(&out.ranks).take(most_out), "destinations")?;
            put_weights(destweights, &out.weights, most_out, "destweights")
        }
    })
}

/// Writes weights, unless the program does not want them.
///
/// # Safety
/// `place` must be null, predefined, or have `most` elements.
unsafe fn put_weights(place: *mut c_int, weights: &[c_int], most: usize, name: &str) -> Result<()> {
    if place == MPI_UNWEIGHTED || place == MPI_WEIGHTS_EMPTY {
        return Ok(());
    }
    // SAFETY: by MPI's contract `place` is an array of `most`; no more elements are written.
    unsafe { put_numbers(place, weights.iter().copied().take(most), name) }
}
