//! The constants of the simulation that a platform file may override. They are listed here so that a misspelt key is
//! refused with its line and column.
//!
//! Values are interpreted by the engine (`network/…`, `cpu/…`) and by the MPI layer (`smpi/…`).

/// A constant that `[network]`, `[mpi]` or `--cfg=key:value` can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name in `--cfg` form.
    pub key: &'static str,
    /// One line of help: meaning, unit, default.
    pub help: &'static str,
}

const fn setting(key: &'static str, help: &'static str) -> Setting {
    Setting { key, help }
}

const KNOWN: &[Setting] = &[
    setting(
        "network/model",
        "SMPI (default), LV08, CM02, IB, LogGOPS, raw or Constant: whose constants are the defaults",
    ),
    setting("network/latency-factor", "factor of the latency, one number or a table \"size:factor;...\""),
    setting("network/bandwidth-factor", "factor of the obtained rate, one number or a table \"size:factor;...\""),
    setting("network/weight-S", "bytes that weigh a link's bandwidth in the sharing penalty (SMPI: 8775)"),
    setting("network/TCP-gamma", "largest TCP window in bytes; 0 = no limit (default 4194304)"),
    setting("network/crosstraffic", "yes (default) or no: 5 % of each flow on the way back"),
    setting("network/fat-pipes", "bound (default): each flow by itself; level: all stop together, as in SimGrid"),
    setting("network/loopback-bw", "bandwidth of messages inside a host (default 10e9 B/s)"),
    setting("network/loopback-lat", "latency of messages inside a host (default 0 s)"),
    setting("network/gap", "LogGOPS: time between two messages of an interface (default 0 s)"),
    setting("smpi/IB-penalty-factors", "IB: how messages of a host hinder each other (default 0.965;0.925;1.35)"),
    setting("precision/timing", "ends closer than this are one instant (default 1e-9 s)"),
    setting("surf/precision", "the name of precision/timing in SimGrid 3"),
    setting("smpi/lat-factor", "alias of network/latency-factor"),
    setting("smpi/bw-factor", "alias of network/bandwidth-factor"),
    setting("smpi/async-small-thresh", "messages below this are sent without waiting for a receiver (default 0 B)"),
    setting("smpi/send-is-detached-thresh", "sends below this return at once (default 65536 B)"),
    setting("smpi/os", "CPU overhead of a blocking send, \"size:start:perbyte;...\" (default 0:0:0)"),
    setting("smpi/ois", "CPU overhead of a nonblocking send, \"size:start:perbyte;...\" (default 0:0:0)"),
    setting("smpi/or", "CPU overhead of a receive, \"size:start:perbyte;...\" (default 0:0:0)"),
    setting("smpi/wtime", "time of one call of MPI_Wtime or a clock of the system (default 1e-8 s)"),
    setting("smpi/test", "time of one call of MPI_Test (default 1e-4 s)"),
    setting("smpi/iprobe", "time of one call of MPI_Iprobe (default 1e-4 s)"),
    setting("smpi/grow-injected-times", "yes (default) or no: polls that keep failing take longer"),
    setting("smpi/init", "time of MPI_Init (default 0 s)"),
    setting(
        "smpi/host-speed",
        "speed of the machine that runs the simulation, perhaps by program: 10Gf,./server=5Gf (default 10Gf)",
    ),
    setting("smpi/simulate-computation", "yes (default) or no: computation between calls takes simulated time"),
    setting("smpi/cpu-threshold", "shorter computations are dropped"),
    setting(
        "smpi/coll-selector",
        "which table chooses the algorithms of collectives: mpich (default), mpich-4, smpi-mpich, ompi, ompi-5, mvapich2, impi or default",
    ),
    setting(
        "smpi/init-smp",
        "yes or no (default): finding out which ranks of a communicator share a host takes messages, as in SMPI",
    ),
    setting("smpi/barrier-finalization", "yes or no (default): a barrier in MPI_Finalize"),
    setting("smpi/finalization-barrier", "alias of smpi/barrier-finalization"),
    setting("smpi/errors-are-fatal", "yes (default) or no: the default error handler"),
    setting(
        "smpi/buffer-bounds",
        "yes (default) or no: a simulation warns of buffers beyond their variables and blocks",
    ),
    setting(
        "smpi/buffer-types",
        "yes or no (default): a simulation compares buffers with what -g says of variables, too",
    ),
    setting(
        "smpi/self-check",
        "yes or no (default): a verification looks whether ranks are put back to what they were",
    ),
    setting("smpi/page-tracking", "yes (default) or no: a verification asks the kernel which pages of ranks change"),
    setting("smpi/window-races", "yes (default) or no: a simulation warns of races at windows"),
    setting("smpi/allgather", "algorithm of MPI_Allgather"),
    setting("smpi/allgatherv", "algorithm of MPI_Allgatherv"),
    setting("smpi/allreduce", "algorithm of MPI_Allreduce"),
    setting("smpi/alltoall", "algorithm of MPI_Alltoall"),
    setting("smpi/alltoallv", "algorithm of MPI_Alltoallv"),
    setting("smpi/alltoallw", "algorithm of MPI_Alltoallw"),
    setting("smpi/barrier", "algorithm of MPI_Barrier"),
    setting("smpi/bcast", "algorithm of MPI_Bcast"),
    setting("smpi/exscan", "algorithm of MPI_Exscan"),
    setting("smpi/gather", "algorithm of MPI_Gather"),
    setting("smpi/gatherv", "algorithm of MPI_Gatherv"),
    setting("smpi/reduce", "algorithm of MPI_Reduce"),
    setting("smpi/reduce_scatter", "algorithm of MPI_Reduce_scatter"),
    setting("smpi/reduce_scatter_block", "algorithm of MPI_Reduce_scatter_block"),
    setting("smpi/scan", "algorithm of MPI_Scan"),
    setting("smpi/scatter", "algorithm of MPI_Scatter"),
    setting("smpi/scatterv", "algorithm of MPI_Scatterv"),
    setting("smpi/iallgather", "algorithm of MPI_Iallgather"),
    setting("smpi/iallgatherv", "algorithm of MPI_Iallgatherv"),
    setting("smpi/iallreduce", "algorithm of MPI_Iallreduce"),
    setting("smpi/ialltoall", "algorithm of MPI_Ialltoall"),
    setting("smpi/ialltoallv", "algorithm of MPI_Ialltoallv"),
    setting("smpi/ialltoallw", "algorithm of MPI_Ialltoallw"),
    setting("smpi/ibarrier", "algorithm of MPI_Ibarrier"),
    setting("smpi/ibcast", "algorithm of MPI_Ibcast"),
    setting("smpi/iexscan", "algorithm of MPI_Iexscan"),
    setting("smpi/igather", "algorithm of MPI_Igather"),
    setting("smpi/igatherv", "algorithm of MPI_Igatherv"),
    setting("smpi/ireduce", "algorithm of MPI_Ireduce"),
    setting("smpi/ireduce_scatter", "algorithm of MPI_Ireduce_scatter"),
    setting("smpi/ireduce_scatter_block", "algorithm of MPI_Ireduce_scatter_block"),
    setting("smpi/iscan", "algorithm of MPI_Iscan"),
    setting("smpi/iscatter", "algorithm of MPI_Iscatter"),
    setting("smpi/iscatterv", "algorithm of MPI_Iscatterv"),
    setting("smpi/allgather_init", "algorithm of MPI_Allgather_init"),
    setting("smpi/allgatherv_init", "algorithm of MPI_Allgatherv_init"),
    setting("smpi/allreduce_init", "algorithm of MPI_Allreduce_init"),
    setting("smpi/alltoall_init", "algorithm of MPI_Alltoall_init"),
    setting("smpi/alltoallv_init", "algorithm of MPI_Alltoallv_init"),
    setting("smpi/alltoallw_init", "algorithm of MPI_Alltoallw_init"),
    setting("smpi/barrier_init", "algorithm of MPI_Barrier_init"),
    setting("smpi/bcast_init", "algorithm of MPI_Bcast_init"),
    setting("smpi/exscan_init", "algorithm of MPI_Exscan_init"),
    setting("smpi/gather_init", "algorithm of MPI_Gather_init"),
    setting("smpi/gatherv_init", "algorithm of MPI_Gatherv_init"),
    setting("smpi/reduce_init", "algorithm of MPI_Reduce_init"),
    setting("smpi/reduce_scatter_init", "algorithm of MPI_Reduce_scatter_init"),
    setting("smpi/reduce_scatter_block_init", "algorithm of MPI_Reduce_scatter_block_init"),
    setting("smpi/scan_init", "algorithm of MPI_Scan_init"),
    setting("smpi/scatter_init", "algorithm of MPI_Scatter_init"),
    setting("smpi/scatterv_init", "algorithm of MPI_Scatterv_init"),
];

/// Settings of SimGrid 3.32 and 4.2 that change nothing here: they choose how it computes, what it traces and checks,
/// or are about features that work differently here. Names that end with `/` stand for all that begin with them.
const WITHOUT_MEANING: &[&str] = &[
    "network/optim",
    "network/solver",
    "network/maxmin-selective-update",
    "network/coordinates",
    "precision/work-amount",
    "smpi/auto-shared-malloc-thresh",
    "smpi/barrier-collectives",
    "smpi/buffering",
    "smpi/comp-adjustment-file",
    "smpi/display-allocs",
    "smpi/display-timing",
    "smpi/iprobe-cpu-usage",
    "smpi/keep-temps",
    "smpi/list-leaks",
    "smpi/papi-events",
    "smpi/pedantic",
    "smpi/privatization",
    "smpi/privatize-libs",
    "smpi/shared-malloc",
    "smpi/shared-malloc-blocksize",
    "smpi/shared-malloc-hugepage",
    "smpi/tmpdir",
    "smpi/trace-call-location",
    "smpi/trace-call-use-absolute-path",
    "path",
    "plugin",
    "tracing",
    "help-nostop",
    "surf/nthreads",
    "bmf/",
    "clean-atexit",
    "cmonkey/",
    "contexts/",
    "cpu/",
    "debug/",
    "disk/",
    "exception/",
    "host/",
    "maxmin/",
    "model-check/",
    "ns3/",
    "plugin/",
    "storage/",
    "tracing/",
    "verbose-exit",
];

/// All settings that a platform file may hold.
pub fn known_settings() -> &'static [Setting] {
    KNOWN
}

/// Whether SimGrid knows a setting that has no meaning here: it is ignored with a note.
pub fn is_without_meaning(key: &str) -> bool {
    WITHOUT_MEANING.iter().any(|known| if known.ends_with('/') { key.starts_with(known) } else { key == *known })
}
