//! Which algorithm runs: the choices as data.
//!
//! A table has rules for each operation: the first one that fits the call and whose algorithm can run is taken.
//! `--cfg=smpi/coll-selector:<name>` picks one of the tables in `tables/`, `--coll-table FILE` a user's own
//! ([`crate::collective::tables`] reads both), `--cfg=smpi/<operation>:<algorithm>` forces an algorithm. One that
//! cannot run (because it needs a power of two, or a commutative operation) gives way to the table's choice.
//!
//! A choice depends only on data that all ranks of the call share, so they agree without asking each other.

use std::sync::Arc;

use smpi_base::HostId;

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
    /// Elements that an algorithm may divide among the ranks, or that all ranks gather.
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

/// First and last of a range.
pub(super) type Range = (u64, u64);

/// All sizes.
pub(super) const ANY: Range = (0, u64::MAX);

/// A line of a table: the algorithm, and the calls for which it is meant.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) algorithm: &'static str,
    /// Numbers of ranks.
    pub(super) ranks: Range,
    /// Sizes in bytes, see [`Case::bytes`].
    pub(super) bytes: Range,
    /// Bytes for each rank, where [`Case::bytes`] are those of all.
    pub(super) each: Range,
    /// Elements, see [`Case::count`].
    pub(super) elements: Range,
    /// Whether the operation must, or must not, commute.
    pub(super) commutes: Option<bool>,
}

impl Rule {
    fn fits(&self, case: &Case) -> bool {
        let inside = |(first, last): Range, value: u64| (first..=last).contains(&value);
        inside(self.ranks, u64::from(case.ranks))
            && inside(self.bytes, case.bytes)
            && inside(self.each, case.bytes / u64::from(case.ranks.max(1)))
            && inside(self.elements, case.count as u64)
            && self.commutes.is_none_or(|commutes| commutes == case.commutes)
    }
}

/// The rules of all operations.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    pub(super) rules: [Vec<Rule>; Operation::ALL.len()],
    /// An algorithm of it asks which ranks share a host.
    pub(super) asks_for_hosts: bool,
}

/// The tables that are part of the library.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Selector {
    /// SMPI's default choices.
    Default,
    /// The rules published for MPICH.
    #[default]
    Mpich,
    /// What SMPI calls `mpich`.
    SmpiMpich,
    /// MPICH 4.
    Mpich4,
    /// What SMPI calls `ompi`.
    Ompi,
    /// Open MPI 5.
    Ompi5,
}

impl Selector {
    /// All of them.
    pub const ALL: [Selector; 6] =
        [Selector::Default, Selector::Mpich, Selector::SmpiMpich, Selector::Mpich4, Selector::Ompi, Selector::Ompi5];

    /// The name in `--cfg=smpi/coll-selector:<name>`.
    pub fn name(self) -> &'static str {
        match self {
            Selector::Default => "default",
            Selector::Mpich => "mpich",
            Selector::SmpiMpich => "smpi-mpich",
            Selector::Mpich4 => "mpich-4",
            Selector::Ompi => "ompi",
            Selector::Ompi5 => "ompi-5",
        }
    }

    /// The table of a name.
    pub fn from_name(name: &str) -> Option<Selector> {
        Selector::ALL.into_iter().find(|selector| selector.name() == name)
    }
}

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
#[derive(Clone, Debug)]
pub struct Selection {
    pub(super) table: Arc<Table>,
    pub(super) waits: Waits,
    pub(super) forced: [Option<&'static str>; Operation::ALL.len()],
    /// A forced algorithm asks which ranks share a host.
    pub(super) forces_hosts: bool,
    /// The host of each rank of the world, where algorithms ask for it.
    pub(super) hosts: Option<Arc<[HostId]>>,
}

impl Selection {
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
        self.forces_hosts || self.table.asks_for_hosts
    }

    /// Tells the host of each rank of the world; nothing is done where they are known.
    pub fn see_hosts(&mut self, placement: &[HostId]) {
        if self.hosts.as_deref() != Some(placement) {
            self.hosts = Some(placement.into());
        }
    }

    /// The host of each rank of the world, if somebody told.
    pub fn hosts(&self) -> Option<&Arc<[HostId]>> {
        self.hosts.as_ref()
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
        let forced = self.forced[operation as usize].and_then(usable);
        let rules = &self.table.rules[operation as usize];
        let table = || rules.iter().filter(|rule| rule.fits(case)).find_map(|rule| usable(rule.algorithm));
        forced.or_else(table).unwrap_or(&algorithms[algorithms.len() - 1])
    }
}
