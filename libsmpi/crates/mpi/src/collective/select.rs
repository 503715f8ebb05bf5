//! Which algorithm runs: the choices as data.
//!
//! A table has rules for each operation: the first one that fits the call and whose algorithm can run is taken.
//! `--cfg=smpi/coll-selector:<name>` picks one of the tables in `tables/`, `--coll-table FILE` a user's own
//! ([`crate::collective::tables`] reads both), `--cfg=smpi/<operation>:<name>` forces an algorithm, or leaves the
//! operation to a table. An algorithm that cannot run (because it needs a power of two, or a commutative operation)
//! gives way to the table's choice.
//!
//! Nonblocking and persistent calls have names of their own: `ibcast`, `bcast_init`. What is said of such a name comes
//! first; what it leaves open is as for `ibcast`, and then as for `bcast`.
//!
//! A choice depends only on data that all ranks of the call share, so they agree without asking each other.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use smpi_base::HostId;
use smpi_settings::OPERATIONS;

use crate::collective::hosts::{Hosts, Placement};
use crate::collective::{Builder, Chosen, mesh};

/// A collective operation, as far as algorithms are concerned.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
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
    pub const ALL: [Operation; OPERATIONS.len()] = [
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
        OPERATIONS[self as usize]
    }

    /// The operation of a name.
    pub fn from_name(name: &str) -> Option<Operation> {
        Operation::ALL.into_iter().find(|operation| operation.name() == name)
    }
}

/// How a collective operation is called (MPI 5.0 §6.12, §6.13).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Form {
    /// `MPI_Bcast`.
    #[default]
    Blocking,
    /// `MPI_Ibcast`.
    Immediate,
    /// `MPI_Bcast_init`.
    Persistent,
}

/// A collective operation in one of its forms: what tables and settings name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CollectiveKind {
    /// The operation.
    pub operation: Operation,
    /// How it is called.
    pub form: Form,
}

impl CollectiveKind {
    /// Number of kinds.
    pub(super) const COUNT: usize = 3 * Operation::ALL.len();

    /// All of them: blocking ones in the order of [`Operation::ALL`], then nonblocking ones, then persistent ones.
    pub fn all() -> impl Iterator<Item = CollectiveKind> {
        [Form::Blocking, Form::Immediate, Form::Persistent]
            .into_iter()
            .flat_map(|form| Operation::ALL.map(|operation| CollectiveKind { operation, form }))
    }

    /// The name in `--cfg=smpi/<name>:<algorithm>` and in tables: `bcast`, `ibcast` or `bcast_init`.
    pub fn name(self) -> String {
        let operation = self.operation.name();
        match self.form {
            Form::Blocking => operation.to_string(),
            Form::Immediate => format!("i{operation}"),
            Form::Persistent => format!("{operation}_init"),
        }
    }

    /// The kind of a name.
    pub fn from_name(name: &str) -> Option<CollectiveKind> {
        let of = |name, form| Operation::from_name(name).map(|operation| CollectiveKind { operation, form });
        let immediate = || name.strip_prefix('i').and_then(|rest| of(rest, Form::Immediate));
        let persistent = || name.strip_suffix("_init").and_then(|rest| of(rest, Form::Persistent));
        of(name, Form::Blocking).or_else(immediate).or_else(persistent)
    }

    /// Its place in [`CollectiveKind::all`].
    pub fn index(self) -> usize {
        self.form as usize * Operation::ALL.len() + self.operation as usize
    }

    /// The kinds whose rules apply, the first one first.
    fn chain(self) -> impl Iterator<Item = CollectiveKind> {
        let forms: &[Form] = match self.form {
            Form::Blocking => &[Form::Blocking],
            Form::Immediate => &[Form::Immediate, Form::Blocking],
            Form::Persistent => &[Form::Persistent, Form::Immediate, Form::Blocking],
        };
        forms.iter().map(move |&form| CollectiveKind { form, ..self })
    }
}

impl From<Operation> for CollectiveKind {
    fn from(operation: Operation) -> CollectiveKind {
        CollectiveKind { operation, form: Form::Blocking }
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
    /// The same, for some calls: the algorithm itself says when it begins to ask ([`Builder::begin_with_hosts`]).
    HostsAtTimes,
    Commutative,
    CommutativeHosts,
    CommutativePowerOfTwo,
    /// Commutative. Where tables say it: and an element for each of the largest power of two of ranks.
    CommutativeSplit,
    /// Commutative, and an element for each rank.
    CommutativeElementEach,
}

impl Needs {
    /// Whether it must be known which ranks share a host.
    pub(super) fn asks_for_hosts(self) -> bool {
        self == Needs::HostsAtTimes || self.begins_with_hosts()
    }

    fn begins_with_hosts(self) -> bool {
        matches!(self, Needs::Hosts | Needs::CommutativeHosts)
    }

    /// Whether the algorithm can run.
    fn met(self, case: &Case) -> bool {
        match self {
            Needs::Nothing | Needs::Hosts | Needs::HostsAtTimes => true,
            Needs::TwoDimensions => mesh::two(case.ranks).is_some(),
            Needs::ThreeDimensions => mesh::three(case.ranks).is_some(),
            Needs::TwoRanks => case.ranks == 2,
            Needs::PowerOfTwo => case.ranks.is_power_of_two(),
            Needs::Commutative | Needs::CommutativeHosts | Needs::CommutativeSplit => case.commutes,
            Needs::CommutativePowerOfTwo => case.commutes && case.ranks.is_power_of_two(),
            Needs::CommutativeElementEach => case.commutes && case.count >= i64::from(case.ranks),
        }
    }

    /// Whether the algorithm is worth while: a table that names it means no other calls.
    fn worth_while(self, case: &Case) -> bool {
        let divisible = || case.count >= i64::from(crate::collective::args::power_below(case.ranks));
        self.met(case) && (self != Needs::CommutativeSplit || divisible())
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

/// What a rule chooses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    /// The algorithm of this name.
    Algorithm(&'static str),
    /// What this table says.
    Table(Selector),
}

/// What algorithms for hosts do among the ranks of a host, and among hosts; `None`: what they usually do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Stages {
    pub(super) within: Option<Target>,
    pub(super) between: Option<Target>,
}

/// A line of a table: the algorithm, and the calls for which it is meant.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) target: Target,
    pub(super) stages: Stages,
    /// Numbers of ranks.
    pub(super) ranks: Range,
    /// Sizes in bytes, see [`Case::bytes`].
    pub(super) bytes: Range,
    /// Bytes for each rank, where [`Case::bytes`] are those of all.
    pub(super) each: Range,
    /// Bytes of all ranks' blocks, where [`Case::bytes`] are those of one.
    pub(super) total: Range,
    /// Elements, see [`Case::count`].
    pub(super) elements: Range,
    /// Whether the operation must, or must not, commute.
    pub(super) commutes: Option<bool>,
    /// Numbers of hosts.
    pub(super) hosts: Range,
    /// Ranks of each host, the same number on all of them; `None` if that does not matter.
    pub(super) per_host: Option<Range>,
    /// The ranks of each host must be consecutive.
    pub(super) blocked: bool,
}

impl Rule {
    /// A rule for all calls.
    pub(super) fn new(target: Target) -> Rule {
        Rule {
            target,
            stages: Stages::default(),
            ranks: ANY,
            bytes: ANY,
            each: ANY,
            total: ANY,
            elements: ANY,
            commutes: None,
            hosts: ANY,
            per_host: None,
            blocked: false,
        }
    }

    /// Whether it must be known which ranks share a host.
    pub(super) fn asks_for_hosts(&self) -> bool {
        self.hosts != ANY || self.per_host.is_some() || self.blocked
    }

    /// Whether the call is one for which the rule is meant; `hosts` looks at the hosts of its ranks.
    fn fits(&self, case: &Case, hosts: &dyn Fn() -> Arc<Hosts>) -> bool {
        self.fits_call(case) && (!self.asks_for_hosts() || self.fits_hosts(&hosts()))
    }

    fn fits_hosts(&self, hosts: &Hosts) -> bool {
        let inside = |(first, last): Range, value: u32| (first..=last).contains(&u64::from(value));
        inside(self.hosts, hosts.number())
            && self.per_host.is_none_or(|range| hosts.alike().is_some_and(|each| inside(range, each)))
            && (!self.blocked || hosts.are_blocks())
    }

    fn fits_call(&self, case: &Case) -> bool {
        let inside = |(first, last): Range, value: u64| (first..=last).contains(&value);
        inside(self.ranks, u64::from(case.ranks))
            && inside(self.bytes, case.bytes)
            && inside(self.each, case.bytes / u64::from(case.ranks.max(1)))
            && inside(self.total, case.bytes.saturating_mul(u64::from(case.ranks)))
            && inside(self.elements, case.count as u64)
            && self.commutes.is_none_or(|commutes| commutes == case.commutes)
    }
}

/// The rules of all kinds of calls, by [`CollectiveKind::index`].
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) rules: [Vec<Rule>; CollectiveKind::COUNT],
    /// An algorithm of it asks which ranks share a host.
    pub(super) asks_for_hosts: bool,
}

impl Default for Table {
    fn default() -> Table {
        Table { rules: [const { Vec::new() }; CollectiveKind::COUNT], asks_for_hosts: false }
    }
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
    /// What SMPI calls `mvapich2`.
    Mvapich2,
    /// What SMPI calls `impi`.
    Impi,
}

impl Selector {
    /// All of them.
    pub const ALL: [Selector; 8] = [
        Selector::Default,
        Selector::Mpich,
        Selector::SmpiMpich,
        Selector::Mpich4,
        Selector::Ompi,
        Selector::Ompi5,
        Selector::Mvapich2,
        Selector::Impi,
    ];

    /// The name in `--cfg=smpi/coll-selector:<name>`.
    pub fn name(self) -> &'static str {
        match self {
            Selector::Default => "default",
            Selector::Mpich => "mpich",
            Selector::SmpiMpich => "smpi-mpich",
            Selector::Mpich4 => "mpich-4",
            Selector::Ompi => "ompi",
            Selector::Ompi5 => "ompi-5",
            Selector::Mvapich2 => "mvapich2",
            Selector::Impi => "impi",
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
    /// Which of the library's tables it is.
    pub(super) selector: Option<Selector>,
    pub(super) waits: Waits,
    /// By [`CollectiveKind::index`].
    pub(super) forced: [Option<Target>; CollectiveKind::COUNT],
    /// What is forced asks which ranks share a host.
    pub(super) forces_hosts: bool,
    /// The host of each rank of the world, where algorithms ask for it.
    pub(super) hosts: Option<Arc<Placement>>,
    /// Finding out which ranks of a communicator share a host takes messages.
    pub(super) asking_takes_messages: bool,
    /// What was chosen for, where that is counted.
    pub(super) cases: Option<Arc<Mutex<Cases>>>,
}

/// Calls by kind, number of ranks and bytes (see [`Case::bytes`]), each rank's counted.
pub(super) type Cases = BTreeMap<(CollectiveKind, u32, u64), u64>;

impl Selection {
    /// What ranks wait for in schedules that are built from now on.
    pub fn set_waits(&mut self, waits: Waits) {
        self.waits = waits;
    }

    /// Counts from now on for which calls algorithms are chosen.
    pub fn count_cases(&mut self) {
        self.cases = Some(Arc::default());
    }

    /// The calls on whole communicators since then: kind, number of ranks, bytes, number of calls.
    pub fn cases(&self) -> Vec<(CollectiveKind, u32, u64, u64)> {
        let Some(cases) = &self.cases else { return Vec::new() };
        let cases = cases.lock().unwrap_or_else(PoisonError::into_inner);
        cases.iter().map(|(&(kind, ranks, bytes), &calls)| (kind, ranks, bytes, calls / u64::from(ranks))).collect()
    }

    /// The same choices with some algorithms forced, by kinds of calls and names of algorithms that
    /// [`Operation::algorithms`] knows.
    pub fn forcing(&self, forced: &[(CollectiveKind, &'static str)]) -> Selection {
        let mut selection = self.clone();
        // Names that are none are not in the list: who makes it has asked.
        forced.iter().for_each(|(kind, algorithm)| _ = selection.set(&kind.name(), algorithm));
        selection
    }

    /// The algorithm that is forced for a kind of calls.
    pub fn forced(&self, kind: CollectiveKind) -> Option<&'static str> {
        match self.forced[kind.index()]? {
            Target::Algorithm(name) => Some(name),
            Target::Table(_) => None,
        }
    }

    /// Which of the library's tables is in use, if it is one of them.
    pub fn selector(&self) -> Option<Selector> {
        self.selector
    }

    /// What ranks wait for.
    pub fn waits(&self) -> Waits {
        self.waits
    }

    /// Whether ranks of a communicator have to find out by messages which of them share a host, as in SMPI:
    /// [`crate::collective::creation::neighbours`].
    pub fn asking_takes_messages(&self) -> bool {
        self.asking_takes_messages
    }

    /// Sets that; no by default.
    pub fn set_asking_takes_messages(&mut self, takes_messages: bool) {
        self.asking_takes_messages = takes_messages;
    }

    /// Whether algorithms ask which ranks share a host; otherwise nobody needs to find out.
    pub fn asks_for_hosts(&self) -> bool {
        self.forces_hosts || self.table.asks_for_hosts
    }

    /// Tells the host of each rank of the world; nothing is done where they are known.
    pub fn see_hosts(&mut self, placement: &[HostId]) {
        if self.hosts.as_ref().is_none_or(|known| known.hosts() != placement) {
            self.hosts = Some(Arc::new(Placement::new(placement)));
        }
    }

    /// The host of each rank of the world, if somebody told.
    pub fn hosts(&self) -> Option<&Arc<Placement>> {
        self.hosts.as_ref()
    }

    /// The algorithm for a call, whose steps are about to be added to `b`, and tells `b` what it does within and
    /// between hosts. Parts of operations are chosen as blocking ones.
    pub(super) fn choose<F>(
        &self,
        operation: Operation,
        algorithms: &'static [Algorithm<F>],
        case: &Case,
        b: &mut Builder,
    ) -> &'static Algorithm<F> {
        let kind = CollectiveKind { operation, form: b.take_form() };
        let asked_for_hosts = Cell::new(false);
        let (algorithm, stages) = self.pick(kind, algorithms, case, &|| {
            asked_for_hosts.set(true);
            Hosts::new(b)
        });
        let is_outermost = b.note_choice(Chosen { operation, algorithm: algorithm.name, bytes: case.bytes });
        if let Some(cases) = self.cases.as_ref().filter(|_| is_outermost) {
            let mut cases = cases.lock().unwrap_or_else(PoisonError::into_inner);
            *cases.entry((kind, case.ranks, case.bytes)).or_default() += 1;
        }
        if asked_for_hosts.get() || algorithm.needs.begins_with_hosts() {
            b.begin_with_hosts();
        }
        b.stages = stages;
        algorithm
    }

    /// The forced algorithm if it can run, else the table's if it is worth while. The last one of every list needs
    /// nothing.
    pub(super) fn pick<F>(
        &self,
        kind: CollectiveKind,
        algorithms: &'static [Algorithm<F>],
        case: &Case,
        hosts: &dyn Fn() -> Arc<Hosts>,
    ) -> (&'static Algorithm<F>, Stages) {
        let chosen = |target: Target, stages: Stages, usable: fn(Needs, &Case) -> bool| match target {
            Target::Algorithm(name) => {
                let algorithm = algorithms.iter().find(|a| a.name == name && usable(a.needs, case));
                algorithm.map(|algorithm| (algorithm, stages))
            }
            Target::Table(table) => Some(Selection::new(table).pick(kind, algorithms, case, hosts)),
        };
        let forced = |kind: CollectiveKind| chosen(self.forced[kind.index()]?, Stages::default(), Needs::met);
        let table = |of: CollectiveKind| {
            let mut rules = self.table.rules[of.index()].iter().filter(|rule| rule.fits(case, hosts));
            rules.find_map(|rule| chosen(rule.target, rule.stages, Needs::worth_while))
        };
        let usual = || (&algorithms[algorithms.len() - 1], Stages::default());
        kind.chain().find_map(|kind| forced(kind).or_else(|| table(kind))).unwrap_or_else(usual)
    }
}

impl Target {
    /// The algorithm for a part of another algorithm, if it can run there.
    pub(super) fn algorithm<F>(
        self,
        operation: Operation,
        algorithms: &'static [Algorithm<F>],
        case: &Case,
        b: &mut Builder,
    ) -> Option<&'static Algorithm<F>> {
        // What the outer algorithm does on hosts is not what this one does.
        b.stages = Stages::default();
        match self {
            Target::Algorithm(name) => algorithms.iter().find(|a| a.name == name && a.needs.worth_while(case)),
            Target::Table(table) => Some(Selection::new(table).choose(operation, algorithms, case, b)),
        }
    }
}
