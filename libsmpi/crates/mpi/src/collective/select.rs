//! Which algorithm runs: the choices as data.
//!
//! Two tables exist. [`Selector::Mpich`] follows the decision rules published for MPICH (Thakur, Rabenseifner, Gropp:
//! "Optimization of Collective Communication Operations in MPICH", IJHPCA 19(1), 2005); [`Selector::Default`] is what
//! SMPI uses when nothing is asked for: mostly linear algorithms, and Open MPI's choice for alltoall.
//! `--cfg=smpi/coll-selector:<name>` picks a table, `--cfg=smpi/<operation>:<algorithm>` forces an algorithm. One that
//! cannot run (because it needs a power of two, or a commutative operation) gives way to the table's choice.
//!
//! A choice depends only on data that all ranks of the call share, so they agree without asking each other.

use crate::collective::mesh;

/// A collective operation, as far as algorithms are concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// `MPI_Barrier`
    Barrier,
    /// `MPI_Bcast`
    Bcast,
    /// `MPI_Gather`
    Gather,
    /// `MPI_Gatherv`
    Gatherv,
    /// `MPI_Scatter`
    Scatter,
    /// `MPI_Scatterv`
    Scatterv,
    /// `MPI_Allgather`
    Allgather,
    /// `MPI_Allgatherv`
    Allgatherv,
    /// `MPI_Alltoall`
    Alltoall,
    /// `MPI_Alltoallv`
    Alltoallv,
    /// `MPI_Alltoallw`
    Alltoallw,
    /// `MPI_Reduce`
    Reduce,
    /// `MPI_Allreduce`
    Allreduce,
    /// `MPI_Reduce_scatter`
    ReduceScatter,
    /// `MPI_Reduce_scatter_block`
    ReduceScatterBlock,
    /// `MPI_Scan`
    Scan,
    /// `MPI_Exscan`
    Exscan,
}

impl Operation {
    /// All operations, in the order of their numbers.
    pub const ALL: [Operation; 17] = [
        Operation::Barrier,
        Operation::Bcast,
        Operation::Gather,
        Operation::Gatherv,
        Operation::Scatter,
        Operation::Scatterv,
        Operation::Allgather,
        Operation::Allgatherv,
        Operation::Alltoall,
        Operation::Alltoallv,
        Operation::Alltoallw,
        Operation::Reduce,
        Operation::Allreduce,
        Operation::ReduceScatter,
        Operation::ReduceScatterBlock,
        Operation::Scan,
        Operation::Exscan,
    ];

    /// The name in `--cfg=smpi/<name>:<algorithm>`.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Barrier => "barrier",
            Operation::Bcast => "bcast",
            Operation::Gather => "gather",
            Operation::Gatherv => "gatherv",
            Operation::Scatter => "scatter",
            Operation::Scatterv => "scatterv",
            Operation::Allgather => "allgather",
            Operation::Allgatherv => "allgatherv",
            Operation::Alltoall => "alltoall",
            Operation::Alltoallv => "alltoallv",
            Operation::Alltoallw => "alltoallw",
            Operation::Reduce => "reduce",
            Operation::Allreduce => "allreduce",
            Operation::ReduceScatter => "reduce_scatter",
            Operation::ReduceScatterBlock => "reduce_scatter_block",
            Operation::Scan => "scan",
            Operation::Exscan => "exscan",
        }
    }

    /// The operation of a name.
    pub fn from_name(name: &str) -> Option<Operation> {
        Operation::ALL.into_iter().find(|operation| operation.name() == name)
    }
}

/// What a choice depends on.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Size of the group.
    pub ranks: u32,
    /// Bytes, by operation: the whole vector (bcast, reductions), the whole result (allgather), one block (gather,
    /// scatter, alltoall); 0 where ranks do not know the same size (the `v` and `w` operations, barrier).
    pub bytes: u64,
    /// Elements that an algorithm may divide among the ranks.
    pub count: i64,
    /// Whether the reduction commutes; true where there is none.
    pub commutes: bool,
}

/// What an algorithm cannot do without.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Needs {
    Nothing,
    PowerOfTwo,
    /// Exactly two ranks.
    TwoRanks,
    /// A number of ranks that makes a mesh: see [`crate::collective::mesh`].
    TwoDimensions,
    ThreeDimensions,
    /// To know which ranks share a host; any will do.
    Hosts,
    Commutative,
    CommutativeHosts,
    CommutativePowerOfTwo,
    /// Commutative, and an element for each of the largest power of two of ranks.
    CommutativeSplit,
    /// Commutative, and an element for each rank.
    CommutativeElementEach,
}

impl Needs {
    /// Whether it must be known which ranks share a host.
    pub(super) fn asks_for_hosts(self) -> bool {
        matches!(self, Needs::Hosts | Needs::CommutativeHosts)
    }

    fn met(self, case: &Case) -> bool {
        match self {
            Needs::Nothing | Needs::Hosts => true,
            Needs::TwoDimensions => mesh::two(case.ranks).is_some(),
            Needs::ThreeDimensions => mesh::three(case.ranks).is_some(),
            Needs::TwoRanks => case.ranks == 2,
            Needs::PowerOfTwo => case.ranks.is_power_of_two(),
            Needs::Commutative | Needs::CommutativeHosts => case.commutes,
            Needs::CommutativePowerOfTwo => case.commutes && case.ranks.is_power_of_two(),
            Needs::CommutativeSplit => {
                case.commutes && case.count >= i64::from(crate::collective::args::power_below(case.ranks))
            }
            Needs::CommutativeElementEach => case.commutes && case.count >= i64::from(case.ranks),
        }
    }
}

/// An algorithm of an operation. `F` is the operation's kind of function.
pub(super) struct Algorithm<F> {
    /// SMPI's name where it has the same algorithm.
    pub(super) name: &'static str,
    pub(super) needs: Needs,
    pub(super) build: F,
}

/// A line of a table: the algorithm, and the sizes for which it is meant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub algorithm: &'static str,
    /// First and last number of ranks.
    ranks: (u32, u32),
    /// First size in bytes, and the first size that is too large.
    bytes: (u64, u64),
}

const fn always(algorithm: &'static str) -> Rule {
    Rule { algorithm, ranks: (0, u32::MAX), bytes: (0, u64::MAX) }
}

impl Rule {
    const fn below(self, bytes: u64) -> Rule {
        Rule { bytes: (self.bytes.0, bytes), ..self }
    }

    const fn from(self, bytes: u64) -> Rule {
        Rule { bytes: (bytes, self.bytes.1), ..self }
    }

    const fn ranks(self, first: u32, last: u32) -> Rule {
        Rule { ranks: (first, last), ..self }
    }
}

/// A table of choices.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Selector {
    /// SMPI's default choices.
    Default,
    /// MPICH's choices.
    #[default]
    Mpich,
}

impl Selector {
    /// The table of a name in `--cfg=smpi/coll-selector:<name>`.
    pub fn from_name(name: &str) -> Option<Selector> {
        match name {
            "default" => Some(Selector::Default),
            "mpich" => Some(Selector::Mpich),
            _ => None,
        }
    }

    /// The first rule that fits is taken, if its algorithm can run.
    pub(super) fn rules(self, operation: Operation) -> &'static [Rule] {
        match self {
            Selector::Default => default_rules(operation),
            Selector::Mpich => mpich_rules(operation),
        }
    }
}

const KIB: u64 = 1024;

fn mpich_rules(operation: Operation) -> &'static [Rule] {
    match operation {
        Operation::Barrier => const { &[always("ompi_bruck")] },
        Operation::Bcast => {
            const {
                &[
                    always("binomial_tree").below(12 * KIB),
                    always("binomial_tree").ranks(0, 8),
                    always("scatter_rdb_allgather").below(512 * KIB),
                    always("scatter_LR_allgather"),
                ]
            }
        }
        Operation::Gather => const { &[always("ompi_binomial")] },
        Operation::Scatter => const { &[always("ompi_binomial")] },
        Operation::Gatherv => const { &[always("linear")] },
        Operation::Scatterv => const { &[always("linear")] },
        Operation::Allgather | Operation::Allgatherv => {
            const { &[always("rdb").below(512 * KIB), always("bruck").below(80 * KIB + 1), always("ring")] }
        }
        Operation::Alltoall => {
            const { &[always("bruck").ranks(8, u32::MAX).below(256), always("basic_linear").below(32 * KIB), always("pair")] }
        }
        Operation::Alltoallv | Operation::Alltoallw => const { &[always("ompi_basic_linear")] },
        Operation::Reduce => const { &[always("scatter_gather").from(2 * KIB), always("binomial")] },
        Operation::Allreduce => const { &[always("rab_rdb").from(2 * KIB + 1), always("rdb")] },
        Operation::ReduceScatter | Operation::ReduceScatterBlock => {
            const {
                &[
                    always("ompi_basic_recursivehalving").below(512 * KIB),
                    always("mpich_pair"),
                    always("mpich_noncomm"),
                    always("reduce_scatterv"),
                ]
            }
        }
        Operation::Scan | Operation::Exscan => const { &[always("recursive_doubling")] },
    }
}

fn default_rules(operation: Operation) -> &'static [Rule] {
    match operation {
        Operation::Barrier => const { &[always("ompi_basic_linear")] },
        Operation::Bcast => const { &[always("binomial_tree")] },
        Operation::Gather => const { &[always("linear")] },
        Operation::Scatter => const { &[always("ompi_linear_nb")] },
        Operation::Gatherv => const { &[always("linear")] },
        Operation::Scatterv => const { &[always("linear")] },
        Operation::Allgather | Operation::Allgatherv => const { &[always("spreading_simple")] },
        Operation::Alltoall => DEFAULT_ALLTOALL,
        Operation::Alltoallv | Operation::Alltoallw => const { &[always("ompi_basic_linear")] },
        Operation::Reduce => const { &[always("linear")] },
        Operation::Allreduce => const { &[always("redbcast")] },
        Operation::ReduceScatter | Operation::ReduceScatterBlock => const { &[always("reduce_scatterv")] },
        Operation::Scan | Operation::Exscan => const { &[always("linear")] },
    }
}

/// Open MPI 4.1's decision, whose "linear_sync" and "two_proc" SMPI answers with its linear algorithm.
const DEFAULT_ALLTOALL: &[Rule] = &[
    always("pair").ranks(3, 7).from(512 * KIB).below(1024 * KIB),
    always("bruck").ranks(16, 31).from(4).below(512),
    always("bruck").ranks(32, 63).below(512),
    always("bruck").ranks(64, 511).below(1024),
    always("pair").ranks(64, 255).from(256 * KIB),
    always("pair").ranks(256, 511).from(32 * KIB),
    always("bruck").ranks(512, 2047).below(512),
    always("pair").ranks(512, 1023).from(256 * KIB),
    always("bruck").ranks(2048, 4095).below(1024),
    always("bruck").ranks(4096, u32::MAX).below(2048),
    always("basic_linear"),
];

/// What ranks wait for in a collective operation, beside the messages of its algorithm. MPI leaves that open (MPI 5.0
/// §6.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Waits {
    /// Nothing: the algorithm decides, as in a simulation.
    #[default]
    Messages,
    /// All ranks of the communicator must have called the operation before any of them goes on: as much as MPI allows.
    All,
    /// For nothing but the data that the own rank needs: as little as MPI allows. Algorithms are not asked.
    Data,
}

/// The table in use and the forced algorithms of a run.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    pub(super) selector: Selector,
    waits: Waits,
    pub(super) forced: [Option<&'static str>; Operation::ALL.len()],
    /// A forced algorithm asks which ranks share a host.
    pub(super) forces_hosts: bool,
}

impl Selection {
    /// The choices of a table.
    pub fn new(selector: Selector) -> Selection {
        Selection { selector, ..Selection::default() }
    }

    /// What ranks wait for in schedules that are built from now on.
    pub fn set_waits(&mut self, waits: Waits) {
        self.waits = waits;
    }

    /// What ranks wait for.
    pub fn waits(&self) -> Waits {
        self.waits
    }

    /// Whether algorithms ask which ranks share a host; otherwise nobody needs to find out.
    pub fn asks_for_hosts(&self) -> bool {
        self.forces_hosts
    }

    /// The algorithm for a call: the forced one if it can run, else the table's. The last one of every list needs
    /// nothing.
    pub(super) fn choose<F>(
        &self,
        operation: Operation,
        algorithms: &'static [Algorithm<F>],
        case: &Case,
    ) -> &'static Algorithm<F> {
        let usable = |name: &str| algorithms.iter().find(|a| a.name == name && a.needs.met(case));
        let fits = |rule: &&Rule| {
            (rule.ranks.0..=rule.ranks.1).contains(&case.ranks) && (rule.bytes.0..rule.bytes.1).contains(&case.bytes)
        };
        let forced = self.forced[operation as usize].and_then(usable);
        let table = || self.selector.rules(operation).iter().filter(fits).find_map(|rule| usable(rule.algorithm));
        forced.or_else(table).unwrap_or(&algorithms[algorithms.len() - 1])
    }
}
