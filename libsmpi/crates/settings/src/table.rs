//! All settings. Who adds one adds a row here, and reads its field where it has its effect.

use crate::forms::{
    Amount, Bandwidth, Date, Factors, FatPipes, Flag, Form, HostSpeed, Kib, Model, Multiple, Overheads, Part,
    PenaltyFactors, Ranks, Said, Seconds, Shortest, Size, Text, Value,
};
use crate::modes::Modes;
use crate::row::{Group, Row, Scope, Topic, Verbosity, Wrong, standard, take};

/// All rows, in the order of the manual.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    [NETWORK, MPI, WHAT_IF, OPTIONS].into_iter().flatten()
}

settings! {
    /// Constants of the models of networks.
    Network, NETWORK:

    model: Model = "SMPI", "network/model",
        [Machine Tuner Constant Times],
        "The model of the network: `SMPI`, `LV08`, `CM02`, `IB`, `LogGOPS`, `raw` or `Constant`. It gives the defaults of the constants below, see [platforms.md](platforms.md#the-models)";
    latency_factor: Said<Factors> = "", "network/latency-factor" | "smpi/lat-factor",
        [Machine Tuner Constant Times],
        "Factor of the latency: a number, or `size:factor;…` for sizes above each size. The model's, if nothing is said";
    bandwidth_factor: Said<Factors> = "", "network/bandwidth-factor" | "smpi/bw-factor",
        [Machine Tuner Constant Times],
        "Factor of the obtained rate, written as that of the latency. The model's, if nothing is said";
    weight_s: Said<Amount> = "", "network/weight-S",
        [Machine Tuner Constant Times],
        "Bytes that weigh a link's bandwidth in the sharing penalty. The model's, if nothing is said (8775 in `SMPI`)";
    tcp_gamma: Said<Amount> = "", "network/TCP-gamma",
        [Machine Tuner Constant Times],
        "Largest TCP window in bytes, or 0 for no limit. The model's, if nothing is said (4194304 in `SMPI`)";
    crosstraffic: Said<Flag> = "", "network/crosstraffic",
        [Machine Tuner Constant Times],
        "Each flow puts 5 % of its rate on the way back: acknowledgements. The model's, if nothing is said (`yes` in `SMPI`)";
    fat_pipes: FatPipes = "bound", "network/fat-pipes",
        [Machine Tuner Constant Times],
        "What a fat pipe does with several flows. `bound`: it bounds each by itself; `level`: when one fills it, the others on it stop at the same level, as in SimGrid, which is slower to simulate; see [platforms.md](platforms.md#coming-from-simgrid)";
    loopback_bytes_per_sec: Bandwidth = "10GBps", "network/loopback-bw",
        [Machine Tuner Constant Times],
        "Bandwidth of messages inside a host, in bytes per second";
    loopback_latency_secs: Seconds = "0s", "network/loopback-lat",
        [Machine Tuner Constant Times],
        "Latency of messages inside a host";
    gap_secs: Seconds = "0s", "network/gap",
        [Machine Tuner Constant Times],
        "Time between two messages of an interface in the model `LogGOPS`";
    penalties: PenaltyFactors = "0.965;0.925;1.35", "smpi/IB-penalty-factors",
        [Machine Tuner Constant Times],
        "How messages hinder each other in the model `IB`: β_e, β_s, γ_s";
    timing_precision_secs: Seconds = "1e-9", "precision/timing" | "surf/precision",
        [Machine Tuner Constant Times],
        "Events closer than this are one instant";
}

settings! {
    /// Another world, to see what that would bring. The default is the platform as it is.
    WhatIf, WHAT_IF:

    latency: Part = "1", "what-if/latency",
        [Machine Tuner Constant Times],
        "Latencies are multiplied by this. See [analysis.md](analysis.md)";
    bandwidth: Multiple = "1", "what-if/bandwidth",
        [Machine Tuner Constant Times],
        "Bandwidths are multiplied by this. Infinite ones (`inf`) take no time at all";
    contention: Flag = "yes", "what-if/contention",
        [Machine Tuner Constant Times],
        "Messages share links; else each has them for itself";
    speed: Multiple = "1", "what-if/speed",
        [Machine Tuner Constant Times],
        "Speeds of hosts are multiplied by this";
}

settings! {
    /// What can be said of MPI and of the machine above the network.
    Mpi, MPI:

    eager_below: Size = "0", "smpi/async-small-thresh",
        [Protocols Tuner Local Times],
        "Messages below this number of bytes leave before a receive is posted (eager)";
    detached_below: Size = "64KiB", "smpi/send-is-detached-thresh",
        [Protocols Tuner Local Times],
        "The sender of a message below this number of bytes does not wait for its receiver. The transfer does";
    barrier_in_finalize: Flag = "no", "smpi/barrier-finalization" | "smpi/finalization-barrier",
        [Collectives User AllAlike All],
        "MPI_Finalize begins with a barrier";
    coll_selector: Text = "mpich", "smpi/coll-selector",
        [Collectives Tuner Constant All],
        "The table that chooses the algorithms of collective operations. See [below](#tables-of-algorithms): `mpich`, `default`, `smpi-mpich`, `mpich-4`, `ompi`, `ompi-5`, `mvapich2`, `impi`, or the name of a file with a `/` in it";
    init_smp: Flag = "no", "smpi/init-smp",
        [Collectives Tuner Constant All],
        "Ranks find out by messages who shares a host with them. They do so as SMPI's ranks, in the first collective operation on a communicator for which it matters; else they know";
    date: Date = "2000-01-01", "smpi/date",
        [Machine User Constant Programs],
        "The date that `time`, `gettimeofday` and the like show when a program begins: a day of the Gregorian calendar (UTC), or seconds since 1970. All other clocks begin at 0";
    hosts_by_name: Flag = "no", "smpi/hosts-by-name",
        [Machine User Constant All],
        "Where there is no hostfile, ranks go to hosts in the order of their names, byte by byte. Else they go to them in the order of the platform file. It is `yes` on a platform of SimGrid (XML), which SMPI treats so";
    send_overhead: Overheads = "", "smpi/os",
        [Machine Tuner Constant Times],
        "Processor time of MPI_Send, for messages above each size: `size:start:perbyte;…`. Three kinds of calls take none: a blocking send that waits for its receiver (except `MPI_Ssend`), a receive from such a send, a collective operation";
    isend_overhead: Overheads = "", "smpi/ois",
        [Machine Tuner Constant Times],
        "Processor time of MPI_Isend, written as `smpi/os`";
    receive_overhead: Overheads = "", "smpi/or",
        [Machine Tuner Constant Times],
        "Processor time of receiving a message whose sender did not wait, written as `smpi/os`";
    host_speed: HostSpeed = "10Gf", "smpi/host-speed",
        [Machine Tuner Constant Computation],
        "Speed of this machine in flop/s, to which measured times refer. Programs of one run may differ: `10Gf,./server=5Gf`. `auto`: it is measured when the run begins, and a note tells it; see [above](#how-computation-is-charged)";
    cpu_threshold_secs: Shortest = "1us", "smpi/cpu-threshold",
        [Machine Tuner Constant Computation],
        "Seconds of computation below which bursts accumulate. None, if it is negative";
    simulate_computation: Flag = "yes", "smpi/simulate-computation",
        [Machine User Constant Option],
        "Computation takes simulated time. `no` is `--compute=off`";
    wtime_secs: Seconds = "10ns", "smpi/wtime",
        [Machine Tuner Constant Times],
        "Seconds that a call of MPI_Wtime or a clock of the system takes";
    test_secs: Seconds = "100us", "smpi/test",
        [Machine Tuner Constant Times],
        "Seconds that MPI_Test takes";
    iprobe_secs: Seconds = "100us", "smpi/iprobe",
        [Machine Tuner Constant Times],
        "Seconds that MPI_Iprobe takes";
    grow_polls: Flag = "yes", "smpi/grow-injected-times",
        [Machine Tuner Constant Times],
        "Failed tests and probes in a row take longer and longer. So does reading the clock in a loop that does nothing else";
    init_secs: Seconds = "0s", "smpi/init",
        [Machine Tuner Constant Times],
        "Seconds that MPI_Init takes, or a rank's first MPI_Session_init if that comes before";
    spawn_secs: Seconds = "0s", "smpi/spawn",
        [Machine Tuner Constant Computation],
        "Seconds that MPI_Comm_spawn and MPI_Comm_spawn_multiple take, before the new ranks begin";
    spawn_ranks: Said<Ranks> = "", "smpi/spawn-ranks",
        [Machine User Constant Spawning],
        "The most ranks that may be spawned. As many as is usual, if nothing is said, see [above](#ranks-that-are-spawned-ports-and-connections)";
    errors_are_fatal: Flag = "yes", "smpi/errors-are-fatal",
        [Checks User Constant Programs],
        "The first error handler of communicators ends the run. `no`: errors return by default";
    window_races: Flag = "yes", "smpi/window-races",
        [Checks User Constant Checks],
        "A simulation looks for races at windows (`race/window`). Not with `-quiet`. A verification and `--strict` always do";
    buffer_bounds: Flag = "yes", "smpi/buffer-bounds",
        [Checks User Constant Checks],
        "A simulation compares buffers with the variables and blocks of the heap in which they lie (`memory/overrun`, `memory/freed`). Not with `-quiet`, or with more than 1,024 ranks. A verification and `--strict` always do";
    buffer_types: Flag = "no", "smpi/buffer-types",
        [Checks User Constant Checks],
        "A simulation compares buffers also with what debug information (`-g`) says of variables: those of functions, and types (`memory/type`). See [verification.md](verification.md#buffers-and-what-they-lie-in). A verification and `--strict` always do";
    page_tracking: Flag = "yes", "smpi/page-tracking",
        [Checks Developer Constant Verifications],
        "A verification asks the kernel which pages of ranks change. `no`: it copies large memory of ranks instead, as it does where the kernel does not tell (before Linux 6.7, or where userfaultfd is refused). The results are the same";
    free_polls: Flag = "no", "smpi/free-polls",
        [Checks Developer Constant Verifications],
        "A verification tells each rank that polls \"not yet\" up to three times in a row whatever else can happen, and only then as it does without (see [verification.md](verification.md#polling)). The results are the same; it is a check of libsmpi, and takes many more executions";
    self_check: Flag = "no", "smpi/self-check",
        [Checks Developer Constant Verifications],
        "A verification looks whether ranks are put back to what they were. Whenever it goes back to an earlier state, it reads all memory of all ranks and compares it with what was there, page by page. A difference is a bug of libsmpi (exit code 4). Takes several times as long";
}

settings! {
    /// Settings that say what an option of smpirun says: SMPI has both, or hands the option on as the setting.
    Options, OPTIONS:

    np: Said<Ranks> = "", "smpi/np",
        [Machine User Constant Option],
        "The option `-np`";
    hostfile: Text = "", "smpi/hostfile",
        [Machine User Constant Option],
        "The option `-hostfile`";
    map: Flag = "no", "smpi/map",
        [Machine User Constant Option],
        "The option `-map`";
    replay: Text = "", "smpi/replay",
        [Machine User Constant Option],
        "Refused: the option is `-replay FILE`";
    privatize_libs: Text = "", "smpi/privatize-libs",
        [Machine User Constant Option],
        "The option `--privatize`, for several libraries with `;` between them";
    buffering: Text = "", "smpi/buffering",
        [Protocols User Constant Option],
        "The option `--buffering` of a verification. A simulation ignores it";
    display_timing: Flag = "no", "smpi/display-timing",
        [Machine User Constant Option],
        "The option `--summary`";
    stack_size_kib: Said<Kib> = "", "contexts/stack-size",
        [Machine User Constant Option],
        "The option `--stack-size`, in KiB";
    tracing: Flag = "no", "tracing",
        [Machine User Constant Option],
        "The options `-trace` or `-trace-ti`";
    tracing_format: Text = "Paje", "tracing/smpi/format",
        [Machine User Constant Option],
        "`TI`: the trace of `tracing` is that of `-trace-ti`. Else it is that of `-trace`";
    tracing_one_file: Flag = "no", "tracing/smpi/format/ti-one-file",
        [Machine User Constant Option],
        "All ranks are in one file of a time-independent trace";
    tracing_file: Text = "", "tracing/filename",
        [Machine User Constant Option],
        "The option `-trace-file`";
}
