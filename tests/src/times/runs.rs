//! What is measured on both sides: programs of `tests/times` and the NAS benchmarks, on which platform, with which
//! settings.
//!
//! Settings are those of SMPI. A run with a reason in [`Run::deviates`] may have measurements of its own in the file of
//! records; all others must be as SMPI says.

/// A program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Program {
    /// `tests/times/<name>.c`, which measures in slots of simulated time.
    Slots(&'static str),
    /// A NAS benchmark, of which the end of the whole run counts, and what it says about its timed part.
    Nas(&'static str),
}

impl Program {
    /// The source, from the root of the source tree.
    pub fn source(self) -> String {
        let ending = if self.is_fortran() { "f90" } else { "c" };
        match self {
            Program::Slots(name) => format!("tests/times/{name}.{ending}"),
            Program::Nas(name) => format!("nas-benchmarks/{name}/{name}.{ending}"),
        }
    }

    /// Name of the executable.
    pub fn file_name(self) -> &'static str {
        let (Program::Slots(name) | Program::Nas(name)) = self;
        name
    }

    /// Whether it is Fortran; otherwise it is C.
    pub fn is_fortran(self) -> bool {
        matches!(self, Program::Nas("bt" | "lu" | "sp"))
    }

    /// Whether it prints measurements of its own.
    pub fn has_slots(self) -> bool {
        matches!(self, Program::Slots(_))
    }
}

/// One run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Unique; no comma in it.
    pub name: String,
    /// What is run.
    pub program: Program,
    /// Arguments.
    pub args: Vec<String>,
    /// Number of ranks.
    pub ranks: u32,
    /// File in `tests/times/platforms` without its ending.
    pub platform: &'static str,
    /// Ranks on a host.
    pub per_host: u32,
    /// `key:value` for both sides.
    pub settings: Vec<String>,
    /// The same for us only.
    pub ours: Vec<String>,
    /// The same for the peer only.
    pub theirs: Vec<String>,
    /// Why our times are not SMPI's.
    pub deviates: Option<&'static str>,
}

impl Run {
    fn new(name: &str, program: Program, ranks: u32, platform: &'static str, args: &str) -> Run {
        Run {
            name: name.into(),
            program,
            args: words(args),
            ranks,
            platform,
            per_host: 1,
            // What is inside other collectives is the same on both sides.
            settings: words("smpi/coll-selector:default"),
            ours: Vec::new(),
            theirs: Vec::new(),
            deviates: None,
        }
    }

    fn with(mut self, settings: &str) -> Run {
        self.settings.extend(words(settings));
        self
    }

    fn per_host(self, per_host: u32) -> Run {
        Run { per_host, ..self }
    }

    fn because(self, reason: &'static str) -> Run {
        Run { deviates: Some(reason), ..self }
    }

    /// The host of each rank.
    pub fn hosts(&self) -> Vec<String> {
        let host = |number: u32| match self.platform {
            // Neighbours are in different clusters.
            "two" if number.is_multiple_of(2) => format!("a-{}", number / 2),
            "two" => format!("b-{}", number / 2),
            "links" => ["a", "b", "c"][number as usize % 3].to_string(),
            // Neighbours are far from each other, and messages cross all that a topology has.
            platform if TOPOLOGIES.contains(&platform) => format!("node-{}", number * 29 % 64),
            _ => format!("node-{number}"),
        };
        (0..self.ranks).map(|rank| host(rank / self.per_host)).collect()
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(String::from).collect()
}

/// All runs, about 200.
pub fn runs() -> Vec<Run> {
    [
        messages(),
        models(),
        contention(),
        topologies(),
        algorithms(),
        more_algorithms(),
        nonblocking(),
        tables(),
        other_tables(),
        communicators(),
        first_calls(),
        nas(),
    ]
    .concat()
}

/// Patterns of `messages.c` that both sides can do with messages of any size and protocol.
const PATTERNS: &str = "send send-early send-late ssend ssend-early ssend-late rsend-late bsend-early issend-early \
                        isend-sleeps irecv-sleeps exchange exchange-in-place ping-pong in-a-row at-once any-first \
                        persistent-once polled probed-often to-itself";

/// The last size of each row of the model's table and the first of the next; 16 bytes are the envelope's.
const FACTOR_BORDERS: &str = "241,242,716,717,1410,1411,3468,3469,5760,5761,9360,9361,15408,15409,65456,65457";

/// Processor time of sends and receives, in two sections.
const OVERHEADS: &str = "smpi/os:0:1e-5:1e-9;4096:3e-5:2e-9 smpi/ois:0:2e-5:1e-9;4096:4e-5:3e-9 \
                         smpi/or:0:0.5e-5:1e-9;4096:2.5e-5:1.5e-9";

/// Point-to-point protocols.
fn messages() -> Vec<Run> {
    let run = |name: &str, args: &str| Run::new(name, Program::Slots("messages"), 2, "crossbar", args);
    let all = |name: &str, sizes: &str| run(name, &format!("{sizes} {PATTERNS}"));
    vec![
        all("messages/protocols", "0,1000,65535,65536,1000000"),
        run("messages/factors", &format!("{FACTOR_BORDERS} send exchange")),
        all("messages/eager", "0,4095,4096,65536").with("smpi/async-small-thresh:4096"),
        all("messages/rendezvous", "0,1000,1000000").with("smpi/send-is-detached-thresh:0"),
        all("messages/overheads", "0,1000,4096,4097,65536")
            .with(OVERHEADS)
            .because("MPI_Waitall charges receives when all messages are there; in SMPI each when it is there"),
        Run::new(
            "messages/overheads-collective",
            Program::Slots("collectives"),
            8,
            "crossbar",
            "allreduce 8 960,99840",
        )
        .with(OVERHEADS)
        .because("messages of collective operations have no overheads here"),
        run("messages/polls", "1000,1000000 polled probed-often")
            .with("smpi/test:1e-6 smpi/iprobe:3e-6 smpi/grow-injected-times:no"),
        // SMPI 3.32 does not start persistent requests of small messages twice.
        run("messages/persistent", "65536,1000000 persistent"),
        run("messages/probed", "1000,65536 probed").because("MPI_Probe waits here; in SMPI it is a loop of MPI_Iprobe"),
    ]
}

/// Models and their constants.
fn models() -> Vec<Run> {
    let run = |name: &str, settings: &str| {
        let args = "1000,65536,1000000 send exchange at-once any-first";
        Run::new(name, Program::Slots("messages"), 2, "crossbar", args).with(settings)
    };
    let inside = |name: &str, platform: &'static str| {
        let args = "0,1000,65536,1000000 send exchange at-once to-itself";
        Run::new(name, Program::Slots("messages"), 2, platform, args).per_host(2)
    };
    vec![
        run("models/LV08", "network/model:LV08"),
        run("models/CM02", "network/model:CM02"),
        run("models/no-crosstraffic", "network/crosstraffic:no"),
        run("models/window", "network/TCP-gamma:10000 network/weight-S:100"),
        run("models/factors", "smpi/lat-factor:0:1.5;1000:2.5 smpi/bw-factor:0:0.9;65552:0.5"),
        inside("models/inside-a-host", "links"),
        inside("models/loopback", "backbone"),
        inside("models/no-loopback", "crossbar"),
        inside("models/loopback-shared", "shared"),
    ]
}

/// Messages that compete for links.
fn contention() -> Vec<Run> {
    let run = |name: &str, ranks: u32, platform: &'static str| {
        Run::new(name, Program::Slots("contention"), ranks, platform, "5000,65536,300000")
    };
    vec![
        run("contention/crossbar", 8, "crossbar"),
        run("contention/crossbar-3-per-host", 9, "crossbar").per_host(3),
        run("contention/backbone-3-per-host", 9, "backbone").per_host(3),
        run("contention/shared", 8, "shared"),
        run("contention/fatpipe", 8, "fatpipe"),
        run("contention/two", 11, "two"),
        run("contention/links", 6, "links"),
        run("contention/links-2-per-host", 6, "links").per_host(2),
    ]
}

/// Platforms with 64 hosts `node-0` to `node-63` each.
const TOPOLOGIES: [&str; 4] = ["torus", "fat-tree", "dragonfly", "zones"];

/// Messages of all sizes, patterns and collectives on networks that are more than a switch.
fn topologies() -> Vec<Run> {
    let sizes = "1,10,100,1000,10000,100000,1000000,4194304,16777216";
    let of_platform = |platform: &'static str| {
        let run = |what: &str, program: &'static str, ranks: u32, args: &str| {
            Run::new(&format!("topologies/{platform}/{what}"), Program::Slots(program), ranks, platform, args)
        };
        vec![
            run("messages", "messages", 2, &format!("{sizes} send exchange")),
            run("contention", "contention", 16, "5000,65536,300000"),
            run("allreduce", "collectives", 16, "allreduce 16 960,99840"),
            run("alltoall", "collectives", 16, "alltoall 16 960,99840"),
        ]
    };
    let switches = ["crossbar", "backbone", "shared", "fatpipe"].map(|platform| {
        let name = format!("topologies/{platform}/messages");
        Run::new(&name, Program::Slots("messages"), 2, platform, &format!("{sizes} send exchange"))
    });
    TOPOLOGIES.into_iter().flat_map(of_platform).chain(switches).collect()
}

/// Numbers of ranks for the algorithms of collectives, and for those that SMPI does with a power of two only.
const ANY: &str = "5,8,12";
const POWER: &str = "4,8";

/// Multiples of 8 bytes for all numbers of ranks: vectors are cut into equal pieces.
const SIZES: &str = "960,29760,99840";

const POWER_ONLY: &str = "for other numbers of ranks than powers of two another algorithm is taken here";

/// An algorithm: operation, our name, SMPI's if it is another, numbers of ranks, why it deviates.
type Algorithm = (&'static str, &'static str, &'static str, &'static str, Option<&'static str>);

const ALGORITHMS: &[Algorithm] = &[
    ("barrier", "ompi_basic_linear", "", ANY, None),
    ("barrier", "ompi_tree", "", ANY, None),
    ("barrier", "ompi_recursivedoubling", "", ANY, None),
    ("barrier", "ompi_doublering", "", ANY, None),
    ("barrier", "ompi_bruck", "", ANY, None),
    ("bcast", "flattree", "", ANY, None),
    ("bcast", "ompi_pipeline", "", ANY, None),
    ("bcast", "scatter_rdb_allgather", "", ANY, Some(POWER_ONLY)),
    ("bcast", "scatter_LR_allgather", "", ANY, None),
    ("bcast", "binomial_tree", "", ANY, None),
    ("gather", "ompi_basic_linear", "", ANY, None),
    ("gather", "linear", "default", ANY, None),
    ("gather", "ompi_binomial", "", ANY, None),
    ("scatter", "ompi_basic_linear", "", ANY, None),
    ("scatter", "ompi_linear_nb", "", ANY, None),
    ("scatter", "ompi_binomial", "", ANY, None),
    ("allgather", "rdb", "", ANY, Some(POWER_ONLY)),
    ("allgather", "pair", "", POWER, None),
    ("allgather", "bruck", "", ANY, None),
    ("allgather", "GB", "", ANY, None),
    ("allgather", "spreading_simple", "", ANY, None),
    ("allgather", "ring", "", ANY, None),
    ("allgatherv", "rdb", "mpich_rdb", ANY, Some(POWER_ONLY)),
    ("allgatherv", "pair", "", POWER, None),
    ("allgatherv", "bruck", "ompi_bruck", ANY, None),
    ("allgatherv", "GB", "", ANY, None),
    ("allgatherv", "spreading_simple", "default", ANY, None),
    ("allgatherv", "ring", "", ANY, None),
    ("alltoall", "bruck", "", ANY, None),
    ("alltoall", "pair", "", POWER, None),
    ("alltoall", "ring", "", ANY, None),
    ("alltoall", "basic_linear", "", ANY, None),
    ("alltoallv", "pair", "", POWER, None),
    ("alltoallv", "ring", "", ANY, None),
    ("alltoallv", "ompi_basic_linear", "", ANY, None),
    ("reduce", "flat_tree", "", ANY, None),
    ("reduce", "linear", "default", ANY, None),
    (
        "reduce",
        "scatter_gather",
        "",
        ANY,
        Some("ranks are counted from the root here; in SMPI the result is moved to it"),
    ),
    ("reduce", "binomial", "", ANY, None),
    ("allreduce", "redbcast", "", ANY, None),
    ("allreduce", "rab_rdb", "", ANY, None),
    ("allreduce", "lr", "", ANY, None),
    ("allreduce", "rdb", "", ANY, None),
    ("reduce_scatter", "ompi_basic_recursivehalving", "", ANY, None),
    ("reduce_scatter", "ompi_ring", "", ANY, Some("a rank waits for its own message in each round here; not in SMPI")),
    ("reduce_scatter", "mpich_pair", "", ANY, None),
    ("reduce_scatter", "mpich_noncomm", "", POWER, None),
];

/// More algorithms, for 8 and 16 ranks: operation, our name, SMPI's if it is another, ranks on a host, why it deviates.
type Another = (&'static str, &'static str, &'static str, u32, Option<&'static str>);

const MORE: &[Another] = &[
    ("barrier", "ompi_two_procs", "", 1, None),
    ("barrier", "mpich_smp", "", 4, None),
    ("barrier", "mvapich2_pair", "", 1, None),
    ("alltoall", "2dmesh", "", 1, None),
    ("alltoall", "3dmesh", "", 1, None),
    ("alltoall", "rdb", "", 1, None),
    (
        "alltoall",
        "pair_rma",
        "",
        1,
        Some("no window is made here; in SMPI making and freeing it takes most of the time"),
    ),
    ("alltoall", "pair_light_barrier", "", 1, None),
    ("alltoall", "pair_mpi_barrier", "", 1, None),
    ("alltoall", "pair_one_barrier", "", 1, None),
    ("alltoall", "ring_light_barrier", "", 1, None),
    ("alltoall", "ring_mpi_barrier", "", 1, None),
    ("alltoall", "ring_one_barrier", "", 1, None),
    ("alltoall", "mvapich2_scatter_dest", "", 1, None),
    ("alltoallv", "bruck", "", 1, None),
    ("alltoallv", "pair_light_barrier", "", 1, None),
    ("alltoallv", "pair_mpi_barrier", "", 1, None),
    ("alltoallv", "pair_one_barrier", "", 1, None),
    ("alltoallv", "ring_light_barrier", "", 1, None),
    ("alltoallv", "ring_mpi_barrier", "", 1, None),
    ("alltoallv", "ring_one_barrier", "", 1, None),
    ("allgather", "2dmesh", "", 1, None),
    ("allgather", "3dmesh", "", 1, None),
    ("allgather", "rhv", "", 1, None),
    ("allgather", "ompi_neighborexchange", "", 1, None),
    ("allgather", "NTSLR", "", 1, None),
    ("allgather", "NTSLR_NB", "", 1, None),
    ("allgather", "smp_simple", "", 4, None),
    ("allgather", "SMP_NTS", "", 4, None),
    ("allgather", "loosely_lr", "", 4, None),
    ("allgather", "mvapich2_smp", "", 4, None),
    ("allgatherv", "ompi_neighborexchange", "", 1, None),
    ("allgatherv", "ompi_bruck", "", 1, None),
    ("allgatherv", "mpich_rdb", "", 1, None),
    ("allgatherv", "mpich_ring", "", 1, None),
    ("gather", "ompi_linear_sync", "", 1, None),
    ("scatter", "mvapich2_two_level_binomial", "", 4, None),
    ("scatter", "mvapich2_two_level_direct", "", 4, None),
    ("bcast", "flattree_pipeline", "", 1, None),
    ("bcast", "NTSL", "", 1, None),
    ("bcast", "NTSL_Isend", "", 1, None),
    ("bcast", "NTSB", "", 1, None),
    ("bcast", "SMP_linear", "", 4, None),
    ("bcast", "SMP_binary", "", 4, None),
    ("bcast", "SMP_binomial", "", 4, None),
    ("bcast", "ompi_split_bintree", "", 4, None),
    ("bcast", "mvapich2_inter_node", "", 1, None),
    ("bcast", "mvapich2_intra_node", "", 4, Some("in SMPI the root's number is taken for a number on each host")),
    ("bcast", "mvapich2_knomial_intra_node", "", 1, None),
    ("reduce", "NTSL", "", 1, None),
    ("reduce", "ompi_chain", "", 1, None),
    ("reduce", "ompi_pipeline", "", 1, None),
    ("reduce", "ompi_basic_linear", "", 1, None),
    ("reduce", "ompi_in_order_binary", "", 1, None),
    ("reduce", "ompi_binary", "", 1, None),
    ("reduce", "ompi_binomial", "", 1, None),
    ("reduce", "mvapich2_knomial", "", 1, None),
    ("reduce", "mvapich2_two_level", "", 4, None),
    ("reduce", "rab", "", 1, Some("SMPI collects the pieces at the root in another order")),
    ("allreduce", "rab", "", 1, None),
    ("allreduce", "rab1", "", 1, None),
    ("allreduce", "rab2", "", 1, None),
    ("allreduce", "ompi_ring_segmented", "", 1, None),
    ("allreduce", "smp_binomial", "", 4, None),
    ("allreduce", "smp_binomial_pipeline", "", 4, None),
    ("allreduce", "smp_rdb", "", 4, None),
    ("allreduce", "smp_rsag_lr", "", 4, None),
    ("allreduce", "mvapich2_rs", "", 1, None),
    ("allreduce", "mvapich2_two_level", "", 4, None),
    ("reduce_scatter", "ompi_butterfly", "", 1, None),
    ("reduce_scatter", "mpich_rdb", "", 1, None),
];

/// Sizes for them: multiples of the segments of most pipelines, and of 8 bytes for each rank. The last one waits for
/// its receiver.
const MORE_SIZES: &str = "1024,32768,131072";

/// As [`algorithms`]. Where hosts have several ranks, SMPI finds out at the first call on a communicator; that call is
/// not measured.
fn more_algorithms() -> Vec<Run> {
    let run = |&(operation, ours, theirs, per_host, deviates): &Another| {
        let theirs = if theirs.is_empty() { ours } else { theirs };
        let ranks = if ours == "ompi_two_procs" { "2" } else { "8,16" };
        let first = if per_host > 1 { "+" } else { "" };
        let sizes = if operation == "barrier" { "0" } else { MORE_SIZES };
        let run = collective(&format!("{operation}/{ours}"), 16, &format!("{first}{operation} {ranks} {sizes}"));
        let setting = |name: &str| vec![format!("smpi/{operation}:{name}")];
        Run { ours: setting(ours), theirs: setting(theirs), deviates, ..run.per_host(per_host) }
    };
    MORE.iter().map(run).collect()
}

/// Each algorithm of a collective operation that can be chosen on both sides, where ranks have neighbours in another
/// cluster; and vectors and blocks that are divided on both sides in different ways.
fn algorithms() -> Vec<Run> {
    let chosen = |&(operation, ours, theirs, ranks, deviates): &Algorithm| {
        let theirs = if theirs.is_empty() { ours } else { theirs };
        let args = format!("{operation} {ranks} {}", if operation == "barrier" { "0" } else { SIZES });
        let run = collective(&format!("{operation}/{ours}"), 12, &args);
        let setting = |name: &str| vec![format!("smpi/{operation}:{name}")];
        Run { ours: setting(ours), theirs: setting(theirs), deviates, ..run }
    };
    let mut runs: Vec<Run> = ALGORITHMS.iter().map(chosen).collect();
    for (operation, algorithm) in [("bcast", "scatter_LR_allgather"), ("allreduce", "rab_rdb"), ("allreduce", "lr")] {
        let run = collective(&format!("uneven/{operation}-{algorithm}"), 8, &format!("{operation} 5,8 1000,30008"));
        let run = run.with(&format!("smpi/{operation}:{algorithm}"));
        runs.push(
            run.because("a vector is cut into pieces of nearly equal length here; in SMPI the last one is different"),
        );
    }
    for operation in ["gatherv", "scatterv", "allgatherv", "alltoallv", "alltoallw"] {
        let run = collective(&format!("empty/{operation}"), 8, &format!("{operation} 5,8 1000,30000 0"));
        runs.push(run.because("a block without data does not travel here; in SMPI its envelope does"));
    }
    runs
}

/// Nonblocking operations under SMPI's table, which has one algorithm for each.
fn nonblocking() -> Vec<Run> {
    let all = "barrier bcast gather gatherv scatter scatterv allgather allgatherv alltoall alltoallv alltoallw reduce \
               allreduce reduce_scatter reduce_scatter_block scan exscan";
    let run = |operation: &str| {
        let sizes = if operation == "barrier" { "0" } else { SIZES };
        let run = collective(&format!("nonblocking/{operation}"), 12, &format!("i{operation} {ANY} {sizes}"));
        Run { deviates: (operation == "barrier").then_some("in SMPI rank 0 answers before all have called"), ..run }
    };
    all.split(' ').map(run).collect()
}

fn collective(name: &str, ranks: u32, args: &str) -> Run {
    Run::new(name, Program::Slots("collectives"), ranks, "two", args)
}

/// What the tables choose. SMPI's table called mpich names algorithms that are not here for the operations that are
/// left out.
fn tables() -> Vec<Run> {
    let all = "barrier bcast gather gatherv scatter scatterv allgather allgatherv alltoall alltoallv alltoallw reduce \
               allreduce reduce_scatter reduce_scatter_block scan exscan";
    let tables = [("default", all), ("mpich", "barrier gather gatherv scatterv alltoallw")];
    let run = |table: &str, operation: &str| {
        let sizes = if operation == "barrier" { "0" } else { "384,3072,299520" };
        let name = format!("table-{table}/{operation}");
        let run = collective(&name, 16, &format!("{operation} 6,16 {sizes}"));
        Run { settings: vec![format!("smpi/coll-selector:{table}")], ..run }
    };
    tables
        .iter()
        .flat_map(|(table, operations)| operations.split_whitespace().map(move |operation| run(table, operation)))
        .collect()
}

/// A table that SMPI has under the same or another name: ours, SMPI's, ranks on a host, and the operations with why
/// they deviate.
type OtherTable = (&'static str, &'static str, u32, &'static [(&'static str, Option<&'static str>)]);

const OTHER_TABLES: &[OtherTable] = &[
    (
        "ompi",
        "ompi",
        4,
        &[
            ("barrier", None),
            ("bcast", None),
            ("gather", None),
            ("scatter", None),
            ("allgather", None),
            ("allgatherv", None),
            ("alltoall", None),
            ("alltoallv", None),
            ("reduce", None),
            ("allreduce", None),
            ("reduce_scatter", None),
        ],
    ),
    (
        "smpi-mpich",
        "mpich",
        4,
        &[
            ("barrier", None),
            ("bcast", None),
            ("gather", None),
            ("scatter", None),
            ("allgather", None),
            ("allgatherv", None),
            ("alltoall", None),
            ("alltoallv", None),
            ("reduce", None),
            ("allreduce", None),
            ("reduce_scatter", None),
            ("scan", None),
            ("exscan", None),
        ],
    ),
    (
        "mvapich2",
        "mvapich2",
        2,
        &[
            ("barrier", None),
            ("bcast", None),
            ("gather", None),
            ("scatter", None),
            ("allgather", None),
            ("allgatherv", None),
            ("alltoall", None),
            ("alltoallv", None),
            ("reduce", None),
            ("allreduce", None),
            ("reduce_scatter", None),
        ],
    ),
    (
        "impi",
        "impi",
        4,
        &[
            ("barrier", None),
            ("bcast", None),
            ("gather", None),
            ("scatter", None),
            ("allgather", None),
            ("allgatherv", None),
            ("alltoall", None),
            ("alltoallv", None),
            ("reduce", None),
            ("allreduce", None),
            ("reduce_scatter", None),
        ],
    ),
];

fn other_tables() -> Vec<Run> {
    let run = |(ours, theirs, per_host): (&str, &str, u32), operation: &str, deviates: Option<&'static str>| {
        let sizes = if operation == "barrier" { "0" } else { MORE_SIZES };
        let run = collective(&format!("table-{ours}/{operation}"), 16, &format!("+{operation} 8,16 {sizes}"));
        let setting = |name: &str| vec![format!("smpi/coll-selector:{name}")];
        Run { settings: Vec::new(), ours: setting(ours), theirs: setting(theirs), deviates, ..run.per_host(per_host) }
    };
    let of_table = |&(ours, theirs, per_host, operations): &OtherTable| {
        let run = |&(operation, deviates): &(&str, _)| run((ours, theirs, per_host), operation, deviates);
        operations.iter().map(run).collect::<Vec<_>>()
    };
    OTHER_TABLES.iter().flat_map(of_table).collect()
}

/// Making communicators.
fn communicators() -> Vec<Run> {
    let run = |call: &str| collective(&format!("communicators/{call}"), 12, &format!("{call} 5,8,12 0"));
    ["split", "split-in-three", "dup", "cart", "cart-sub"].map(run).into()
}

/// The first operations on communicators whose hosts have several ranks: SMPI finds out which. Left out are algorithms
/// that also find it out for communicators within, and allgathers, where SMPI 3.32 takes about 2.4 ms more for each
/// rank.
fn first_calls() -> Vec<Run> {
    let forced = [
        ("barrier", "mpich_smp"),
        ("bcast", "SMP_binomial"),
        ("bcast", "SMP_linear"),
        ("allreduce", "smp_rdb"),
        ("scatter", "mvapich2_two_level_direct"),
    ];
    let run = |operation: &str, name: &str| {
        let sizes = if operation == "barrier" { "0" } else { "1024,131072" };
        let run = collective(&format!("init-smp/{operation}-{name}"), 16, &format!("{operation} 8,16 {sizes}"));
        Run { ours: words("smpi/init-smp:yes"), ..run.per_host(4) }
    };
    let forced =
        forced.map(|(operation, algorithm)| run(operation, algorithm).with(&format!("smpi/{operation}:{algorithm}")));
    let by_table = ["bcast", "reduce", "gather", "scatter"].into_iter().flat_map(|operation| {
        [("smpi-mpich", "mpich"), ("mvapich2", "mvapich2")].map(|(ours, theirs)| {
            let setting = |name: &str| vec![format!("smpi/coll-selector:{name}")];
            let run = run(operation, ours);
            Run {
                settings: Vec::new(),
                ours: [run.ours.clone(), setting(ours)].concat(),
                theirs: setting(theirs),
                ..run
            }
        })
    });
    forced.into_iter().chain(by_table).collect()
}

/// The NAS benchmarks, class S.
fn nas() -> Vec<Run> {
    let run = |name: &str, program: &'static str, ranks: u32, args: &str| {
        Run::new(&format!("nas/{name}"), Program::Nas(program), ranks, "crossbar", args)
    };
    vec![
        run("bt", "bt", 4, "S"),
        run("cg", "cg", 4, "S"),
        run("dt-BH", "dt", 5, "BH S"),
        run("dt-WH", "dt", 5, "WH S"),
        run("dt-SH", "dt", 12, "SH S"),
        run("ep", "ep", 4, "S"),
        run("ft", "ft", 4, "S"),
        run("is", "is", 4, "S"),
        run("lu", "lu", 4, "S"),
        run("mg", "mg", 4, "S"),
        run("sp", "sp", 4, "S"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_have_no_comma() {
        let runs = runs();
        let names: BTreeSet<&str> = runs.iter().map(|run| run.name.as_str()).collect();
        assert_eq!(names.len(), runs.len());
        assert!(!names.iter().any(|name| name.contains(',')));
    }

    #[test]
    fn ranks_are_placed_as_their_platform_says() {
        let mut run = Run::new("x", Program::Slots("messages"), 3, "two", "");
        assert_eq!(run.hosts(), ["a-0", "b-0", "a-1"]);
        run.platform = "crossbar";
        assert_eq!(run.per_host(2).hosts(), ["node-0", "node-0", "node-1"]);
    }
}
