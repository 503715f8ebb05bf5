//! The runs about collective operations: each algorithm, tables of choices, nonblocking calls, communicators.

use crate::times::run::{Program, Run, words};

/// All of them.
pub(super) fn runs() -> Vec<Run> {
    [
        algorithms(),
        more_algorithms(),
        sixty_four(),
        nonblocking(),
        tables(),
        other_tables(),
        communicators(),
        first_calls(),
        rows(),
    ]
    .concat()
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
    ("reduce", "scatter_gather", "", ANY, None),
    ("reduce", "binomial", "", ANY, None),
    ("allreduce", "redbcast", "", ANY, None),
    ("allreduce", "rab_rdb", "", ANY, None),
    ("allreduce", "lr", "", ANY, None),
    ("allreduce", "rdb", "", ANY, None),
    ("reduce_scatter", "default", "", ANY, None),
    ("reduce_scatter", "ompi_basic_recursivehalving", "", ANY, None),
    ("reduce_scatter", "ompi_ring", "", ANY, None),
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
    ("alltoall", "pair_rma", "", 1, None),
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
    ("bcast", "mvapich2_intra_node", "", 4, Some(ROOT_ON_HOSTS)),
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
    ("reduce", "rab", "", 1, None),
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

/// All these algorithms on 8, 16 and 64 ranks of one switch.
fn sixty_four() -> Vec<Run> {
    let run = |operation: &str, ours: &str, theirs: &str, per_host: u32| {
        let name = format!("{operation}/{ours}");
        let theirs = if theirs.is_empty() { ours } else { theirs };
        let first = if per_host > 1 { "+" } else { "" };
        let sizes = match name.as_str() {
            _ if operation == "barrier" => "0",
            // Each rank has all blocks of all ranks.
            "alltoall/rdb" => "256,1024,4096",
            _ if ["gather", "scatter", "allgather", "allgatherv", "alltoall", "alltoallv"].contains(&operation) => {
                BLOCK_SIZES
            }
            _ => MORE_SIZES,
        };
        let args = format!("{first}{operation} 8,16,64 {sizes}");
        let run = Run::new(&format!("64/{name}"), Program::Slots("collectives"), 64, "crossbar", &args);
        let deviates = AT_64.iter().find(|(deviating, _)| name == *deviating).map(|(_, reason)| *reason);
        let setting = |name: &str| vec![format!("smpi/{operation}:{name}")];
        Run { ours: setting(ours), theirs: setting(theirs), deviates, ..run.per_host(per_host) }
    };
    let some = ALGORITHMS.iter().map(|&(operation, ours, theirs, ..)| run(operation, ours, theirs, 1));
    let more = MORE.iter().filter(|(_, ours, ..)| *ours != "ompi_two_procs");
    let more = more.map(|&(operation, ours, theirs, per_host, _)| run(operation, ours, theirs, per_host));
    some.chain(more).collect()
}

/// Sizes of blocks for them: the last one waits for its receiver.
const BLOCK_SIZES: &str = "1024,8192,65536";

/// Why some of these deviate.
const AT_64: &[(&str, &str)] = &[
    ("alltoallv/bruck", ONE_INSTANT),
    ("bcast/mvapich2_intra_node", ROOT_ON_HOSTS),
    ("reduce/ompi_binomial", ONE_INSTANT),
];

const ROOT_ON_HOSTS: &str = "in SMPI the root's number is taken for a number on each host";

const ONE_INSTANT: &str = "messages that end within 1 ns end at once, and which do depends on the last digits: with \
                           surf/precision:1e-11 SMPI's own times change by more";

/// Vectors that cannot be divided evenly: operation, algorithm, numbers of ranks, ranks on a host. Left out are those
/// of which SMPI forgets elements.
type Uneven = (&'static str, &'static str, &'static str, u32);

const UNEVEN: &[Uneven] = &[
    ("bcast", "scatter_LR_allgather", UNEVEN_ANY, 1),
    ("bcast", "scatter_rdb_allgather", UNEVEN_POWER, 1),
    ("bcast", "NTSL", UNEVEN_ANY, 1),
    ("bcast", "NTSB", UNEVEN_ANY, 1),
    ("bcast", "SMP_linear", UNEVEN_POWER, 4),
    ("bcast", "SMP_binary", UNEVEN_POWER, 4),
    ("reduce", "scatter_gather", UNEVEN_POWER, 1),
    ("reduce", "NTSL", UNEVEN_ANY, 1),
    ("allreduce", "rab_rdb", UNEVEN_ANY, 1),
    ("allreduce", "rab", UNEVEN_ANY, 1),
    ("allreduce", "rab1", UNEVEN_POWER, 1),
    ("allreduce", "rab2", UNEVEN_ANY, 1),
    ("allreduce", "lr", UNEVEN_ANY, 1),
    ("allreduce", "ompi_ring_segmented", UNEVEN_ANY, 1),
    ("allreduce", "mvapich2_rs", UNEVEN_ANY, 1),
    ("reduce_scatter", "ompi_ring", UNEVEN_ANY, 1),
    ("reduce_scatter", "ompi_butterfly", UNEVEN_ANY, 1),
    ("reduce_scatter", "mpich_pair", UNEVEN_ANY, 1),
    ("reduce_scatter", "mpich_rdb", UNEVEN_POWER, 1),
];

const UNEVEN_ANY: &str = "5,16";
const UNEVEN_POWER: &str = "8,16";

/// The first one has fewer elements than there are ranks.
const UNEVEN_SIZES: &str = "8,1000,30008";

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
    let uneven = |&(operation, algorithm, ranks, per_host): &Uneven| {
        let (name, first) = (format!("uneven/{operation}-{algorithm}"), if per_host > 1 { "+" } else { "" });
        let run = collective(&name, 16, &format!("{first}{operation} {ranks} {UNEVEN_SIZES}"));
        let deviates = matches!(algorithm, "ompi_butterfly" | "mpich_rdb").then_some(ONE_INSTANT);
        Run { deviates, ..run.per_host(per_host) }.with(&format!("smpi/{operation}:{algorithm}"))
    };
    runs.extend(UNEVEN.iter().map(uneven));
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

/// Tables that SMPI has under the same or another name: ours, SMPI's, ranks on a host.
const OTHER_TABLES: &[(&str, &str, u32)] =
    &[("ompi", "ompi", 4), ("smpi-mpich", "mpich", 4), ("mvapich2", "mvapich2", 2), ("impi", "impi", 4)];

/// The operations for which these tables have a choice.
const CHOSEN: &str =
    "barrier bcast gather scatter allgather allgatherv alltoall alltoallv reduce allreduce reduce_scatter";

/// The same for the table called mpich.
const CHOSEN_BY_MPICH: &str = "scan exscan";

fn other_tables() -> Vec<Run> {
    let run = |(ours, theirs, per_host): (&str, &str, u32), operation: &str| {
        let sizes = if operation == "barrier" { "0" } else { MORE_SIZES };
        let run = collective(&format!("table-{ours}/{operation}"), 16, &format!("+{operation} 8,16 {sizes}"));
        let setting = |name: &str| vec![format!("smpi/coll-selector:{name}")];
        Run { settings: Vec::new(), ours: setting(ours), theirs: setting(theirs), ..run.per_host(per_host) }
    };
    let of_table = |&table: &(&str, &str, u32)| {
        let more = if table.1 == "mpich" { CHOSEN_BY_MPICH } else { "" };
        let operations = words(CHOSEN).into_iter().chain(words(more));
        operations.map(move |operation| run(table, &operation)).collect::<Vec<_>>()
    };
    OTHER_TABLES.iter().flat_map(of_table).collect()
}

/// Making communicators.
fn communicators() -> Vec<Run> {
    let run = |call: &str| collective(&format!("communicators/{call}"), 12, &format!("{call} 5,8,12 0"));
    ["split", "split-in-three", "dup", "cart", "cart-sub"].map(run).into()
}

/// The first operations on communicators whose hosts have several ranks: SMPI finds out which.
fn first_calls() -> Vec<Run> {
    let forced = [
        ("barrier", "mpich_smp", SPLIT),
        ("bcast", "SMP_binomial", SPLIT),
        ("bcast", "SMP_linear", SPLIT),
        // To make a communicator is a broadcast, after which its ranks know.
        ("bcast", "mvapich2_knomial_intra_node", WORLD),
        ("bcast", "ompi_split_bintree", WORLD),
        ("allgather", "smp_simple", SPLIT),
        ("allgather", "SMP_NTS", SPLIT),
        ("allgather", "loosely_lr", SPLIT),
        ("allgather", "mvapich2_smp", SPLIT),
        ("allreduce", "smp_rdb", SPLIT),
        ("scatter", "mvapich2_two_level_direct", SPLIT),
    ];
    let run = |operation: &str, name: &str, ranks: &str| {
        let sizes = if operation == "barrier" { "0" } else { "1024,131072" };
        let run = collective(&format!("init-smp/{operation}-{name}"), 16, &format!("{operation} {ranks} {sizes}"));
        Run { ours: words("smpi/init-smp:yes"), ..run.per_host(4) }
    };
    let forced = forced.map(|(operation, algorithm, ranks)| {
        run(operation, algorithm, ranks).with(&format!("smpi/{operation}:{algorithm}"))
    });
    let by_table = ["bcast", "reduce", "gather", "scatter"].into_iter().flat_map(|operation| {
        [("smpi-mpich", "mpich"), ("mvapich2", "mvapich2")].map(|(ours, theirs)| {
            let setting = |name: &str| vec![format!("smpi/coll-selector:{name}")];
            let run = run(operation, ours, SPLIT);
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

/// All these algorithms once more on 16 ranks, four on a host, from a few bytes to a megabyte.
fn rows() -> Vec<Run> {
    let run = |operation: &str, ours: &str, theirs: &str| {
        let name = format!("{operation}/{ours}");
        let theirs = if theirs.is_empty() { ours } else { theirs };
        let sizes = if operation == "barrier" { "0" } else { "8,1000,65536,1000000" };
        let deviates = ROWS_THAT_DEVIATE.iter().find(|(deviating, _)| name == *deviating).map(|(_, reason)| *reason);
        let run = collective(&format!("rows/{name}"), 16, &format!("+{operation} 0 {sizes}"));
        let setting = |name: &str| vec![format!("smpi/{operation}:{name}")];
        let run = Run { ours: setting(ours), theirs: setting(theirs), deviates, platform: "crossbar", ..run };
        run.per_host(4)
    };
    let some = ALGORITHMS.iter().map(|&(operation, ours, theirs, ..)| (operation, ours, theirs));
    let more = MORE.iter().map(|&(operation, ours, theirs, ..)| (operation, ours, theirs));
    let fails = |ours: &str| ["ompi_two_procs", "mpich_noncomm"].contains(&ours);
    some.chain(more).filter(|(_, ours, _)| !fails(ours)).map(|(op, ours, theirs)| run(op, ours, theirs)).collect()
}

/// Why some of these deviate.
const ROWS_THAT_DEVIATE: &[(&str, &str)] = &[
    ("allgatherv/bruck", WITHIN_A_NANOSECOND),
    ("allgatherv/ompi_bruck", WITHIN_A_NANOSECOND),
    ("allgatherv/ring", WITHIN_A_NANOSECOND),
    ("alltoallv/ring_light_barrier", WITHIN_A_NANOSECOND),
    ("alltoallv/ring_one_barrier", WITHIN_A_NANOSECOND),
    ("bcast/scatter_LR_allgather", WITHIN_A_NANOSECOND),
    ("reduce_scatter/mpich_pair", WITHIN_A_NANOSECOND),
    ("reduce_scatter/ompi_ring", WITHIN_A_NANOSECOND),
    ("allreduce/smp_binomial_pipeline", FORGOTTEN),
    ("allreduce/smp_rsag_lr", "SMPI cuts vectors of fewer elements than hosts in another way"),
    ("bcast/flattree_pipeline", FORGOTTEN),
    ("bcast/mvapich2_inter_node", "only the first rank of each host gets the vector in SMPI"),
    ("bcast/mvapich2_intra_node", ROOT_ON_HOSTS),
    ("reduce_scatter/ompi_basic_recursivehalving", "SMPI leaves out messages, and its result is wrong"),
];

const WITHIN_A_NANOSECOND: &str = "messages that end within 1 ns end at once, and which do depends on the last digits: \
                                   with surf/precision:1e-12 on both sides times are the same";

const FORGOTTEN: &str = "SMPI forgets what is left of a vector behind its last whole segment";

/// Numbers of ranks of communicators that are made, and the world itself.
const SPLIT: &str = "8,16";
const WORLD: &str = "0";
