//! Names of what ranks wait for in calls, as Scalasca's manual has them.

use smpi_abi::Function;

/// What a rank waits for in a call that others must come to; `None` of calls that wait for single messages.
pub fn wait_state(function: Function) -> Option<&'static str> {
    use Function as F;
    Some(match function {
        F::Barrier => "wait at barrier",
        F::Allreduce
        | F::Allreduce_c
        | F::Allgather
        | F::Allgather_c
        | F::Allgatherv
        | F::Allgatherv_c
        | F::Alltoall
        | F::Alltoall_c
        | F::Alltoallv
        | F::Alltoallv_c
        | F::Alltoallw
        | F::Alltoallw_c
        | F::Reduce_scatter
        | F::Reduce_scatter_c
        | F::Reduce_scatter_block
        | F::Reduce_scatter_block_c => "wait at N x N",
        F::Bcast | F::Bcast_c | F::Scatter | F::Scatter_c | F::Scatterv | F::Scatterv_c => "late broadcast",
        F::Reduce | F::Reduce_c | F::Gather | F::Gather_c | F::Gatherv | F::Gatherv_c => "early reduce",
        F::Scan | F::Scan_c | F::Exscan | F::Exscan_c => "early scan",
        F::Win_fence => "wait at fence",
        F::Win_start | F::Win_complete => "late post",
        F::Win_wait => "late complete",
        F::Win_lock | F::Win_lock_all | F::Win_unlock | F::Win_unlock_all => "lock contention",
        _ => return None,
    })
}
