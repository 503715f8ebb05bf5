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
    setting("network/model", "SMPI (default), LV08, CM02, raw or Constant: which constants below are the defaults"),
    setting("network/latency-factor", "factor of the latency, one number or a table \"size:factor;...\""),
    setting("network/bandwidth-factor", "factor of the obtained rate, one number or a table \"size:factor;...\""),
    setting("network/weight-S", "bytes that weigh a link's bandwidth in the sharing penalty (SMPI: 8775)"),
    setting("network/TCP-gamma", "largest TCP window in bytes; 0 = no limit (default 4194304)"),
    setting("network/crosstraffic", "yes (default) or no: 5 % of each flow on the way back"),
    setting("network/loopback-bw", "bandwidth of messages inside a host (default 10e9 B/s)"),
    setting("network/loopback-lat", "latency of messages inside a host (default 0 s)"),
    setting("precision/timing", "ends closer than this are one instant (default 1e-9 s)"),
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
    setting("smpi/host-speed", "speed of the machine that runs the simulation (default 10Gf)"),
    setting("smpi/simulate-computation", "yes (default) or no: computation between calls takes simulated time"),
    setting("smpi/cpu-threshold", "shorter computations are dropped"),
    setting("smpi/coll-selector", "mpich (default) or default: which table chooses the algorithms of collectives"),
    setting("smpi/barrier-collectives", "of SMPI; without effect, rooted collectives have no barrier"),
    setting("smpi/barrier-finalization", "yes or no (default): a barrier in MPI_Finalize"),
    setting("smpi/finalization-barrier", "alias of smpi/barrier-finalization"),
    setting("smpi/errors-are-fatal", "yes (default) or no: the default error handler"),
    setting("smpi/pedantic", "of SMPI; without effect, all checks are always made"),
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
];

/// All settings that a platform file may hold.
pub fn known_settings() -> &'static [Setting] {
    KNOWN
}
