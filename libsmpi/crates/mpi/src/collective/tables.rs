//! Tables of choices, as text: those of the library and a user's own.
//!
//! ```text
//! # operation  algorithm  conditions: all of them must hold; ranges are inclusive, the last number may be missing
//! allreduce    rdb        ranks 4-7 bytes 16-8191 commutes
//! allgather    ring       each 64KiB-
//! allreduce    rdb
//! ```
//!
//! | condition | what must be in the range, or hold |
//! |---|---|
//! | `ranks` | ranks of the communicator |
//! | `bytes` | [`Case::bytes`](crate::collective::select::Case::bytes) |
//! | `each` | `bytes` divided by the number of ranks |
//! | `total` | `bytes` times the number of ranks |
//! | `elements` | elements of the whole vector or result |
//! | `commutes`, `ordered` | the operation commutes, or does not |
//! | `hosts` | hosts of the communicator's ranks |
//! | `per-host` | ranks on each host; never holds where hosts have different numbers |
//! | `blocked` | the ranks of each host are consecutive |
//!
//! `@TABLE` instead of an algorithm leaves the call to one of the library's tables. Algorithms that treat the ranks of
//! a host in another way do what `within NAME` says on each host, and among hosts what `between NAME` says.
//!
//! The first rule that fits and whose algorithm can run is taken. Where none does, the one that is listed last for the
//! operation runs, which can always run. A table without rules for reduce_scatter_block has those of reduce_scatter;
//! without rules for another operation it leaves that to `mpich`. Nonblocking and persistent calls (`ibcast`,
//! `bcast_init`) for which no line fits are chosen as blocking ones; persistent ones as nonblocking ones before that.

use std::sync::{Arc, OnceLock};

use smpi_base::quantity::{Bytes, Unit};

use crate::collective::open_mpi;
use crate::collective::select::{CollectiveKind, Operation, Range, Rule, Selection, Selector, Table, Target, Waits};

/// Texts of the library's tables, in the order of [`Selector::ALL`].
const TEXTS: [&str; Selector::ALL.len()] = [
    include_str!("tables/default.txt"),
    include_str!("tables/mpich.txt"),
    include_str!("tables/smpi-mpich.txt"),
    include_str!("tables/mpich-4.txt"),
    include_str!("tables/ompi.txt"),
    include_str!("tables/ompi-5.txt"),
    include_str!("tables/mvapich2.txt"),
    include_str!("tables/impi.txt"),
];

/// The same, read when they are first needed.
static TABLES: [OnceLock<Arc<Table>>; Selector::ALL.len()] = [const { OnceLock::new() }; Selector::ALL.len()];

fn known(selector: Selector) -> Arc<Table> {
    let index = selector as usize;
    let read = || Arc::new(parse(TEXTS[index]).expect("a test reads the library's tables"));
    TABLES[index].get_or_init(read).clone()
}

impl Default for Selection {
    fn default() -> Selection {
        Selection::new(Selector::default())
    }
}

impl Selection {
    /// The choices of a table.
    pub fn new(selector: Selector) -> Selection {
        let forced = [None; CollectiveKind::COUNT];
        Selection {
            table: known(selector),
            selector: Some(selector),
            waits: Waits::default(),
            forced,
            forces_hosts: false,
            hosts: None,
            asking_takes_messages: false,
            cases: None,
        }
    }

    /// Uses one of the library's tables from now on.
    pub(super) fn take_table(&mut self, selector: Selector) {
        (self.table, self.selector) = (known(selector), Some(selector));
    }

    /// Uses a user's own table from now on, or a file of Open MPI's dynamic rules.
    ///
    /// # Errors
    /// The line that cannot be read, and why.
    pub fn read_table(&mut self, text: &str) -> Result<(), String> {
        let mut table = if open_mpi::is_meant(text) { open_mpi::read(text)? } else { parse(text)? };
        let other = known(Selector::default());
        for operation in Operation::ALL.map(|operation| CollectiveKind::from(operation).index()) {
            if table.rules[operation].is_empty() {
                table.rules[operation].clone_from(&other.rules[operation]);
            }
        }
        (self.table, self.selector) = (Arc::new(table), None);
        Ok(())
    }
}

fn parse(text: &str) -> Result<Table, String> {
    let mut table = Table::default();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace();
        let Some(name) = words.next() else { continue };
        let rule = rule(name, &mut words).map_err(|why| format!("line {number}: {why}"))?;
        table.asks_for_hosts |= rule.2;
        table.rules[rule.0.index()].push(rule.1);
    }
    let [block, any] =
        [Operation::ReduceScatterBlock, Operation::ReduceScatter].map(|o| CollectiveKind::from(o).index());
    if table.rules[block].is_empty() {
        table.rules[block] = table.rules[any].clone();
    }
    Ok(table)
}

/// A rule, the calls that it is for, and whether it asks for hosts.
fn rule<'a>(name: &str, words: &mut impl Iterator<Item = &'a str>) -> Result<(CollectiveKind, Rule, bool), String> {
    let kind = CollectiveKind::from_name(name)
        .ok_or_else(|| format!("\"{name}\" is no collective operation; there are {}", CollectiveKind::all_names()))?;
    let operation = kind.operation;
    let algorithm = words.next().ok_or_else(|| format!("expected an algorithm after {name}"))?;
    let (target, mut asks_for_hosts) = target(operation, algorithm).map_err(|why| format!("{name}: {why}"))?;
    let mut rule = Rule::new(target);
    while let Some(word) = words.next() {
        let mut range_after = || {
            let text = words.next().ok_or_else(|| format!("expected a range such as 8-15 after {word}"))?;
            range(text).ok_or_else(|| format!("{word} {text}: expected a range such as 8, 8-15 or 64KiB-"))
        };
        match word {
            "ranks" => rule.ranks = range_after()?,
            "bytes" => rule.bytes = range_after()?,
            "each" => rule.each = range_after()?,
            "total" => rule.total = range_after()?,
            "elements" => rule.elements = range_after()?,
            "hosts" => rule.hosts = range_after()?,
            "per-host" => rule.per_host = Some(range_after()?),
            "commutes" | "ordered" => rule.commutes = Some(word == "commutes"),
            "blocked" => rule.blocked = true,
            "within" | "between" => {
                let within = word == "within";
                let stage = stage(operation, rule.target, within).ok_or_else(|| {
                    format!("{algorithm} has no part that could be chosen by \"{word}\": leave it out")
                })?;
                let name =
                    words.next().ok_or_else(|| format!("expected an algorithm of {} after {word}", stage.name()))?;
                let (target, _) = self::target(stage, name).map_err(|why| format!("{word} {}: {why}", stage.name()))?;
                *(if within { &mut rule.stages.within } else { &mut rule.stages.between }) = Some(target);
            }
            _ => return Err(format!("\"{word}\": expected {CONDITIONS}")),
        }
    }
    asks_for_hosts |= rule.asks_for_hosts();
    Ok((kind, rule, asks_for_hosts))
}

/// What can stand behind an algorithm.
const CONDITIONS: &str =
    "ranks, bytes, each, total, elements, commutes, ordered, hosts, per-host, blocked, within or between";

/// What a word names, and whether that asks for hosts.
fn target(operation: Operation, word: &str) -> Result<(Target, bool), String> {
    let Some(table) = word.strip_prefix('@') else {
        return operation.find(word).map(|(name, needs)| (Target::Algorithm(name), needs.asks_for_hosts()));
    };
    // Every table of the library but the first ones has such algorithms for some operation.
    Selector::from_name(table).map(|selector| (Target::Table(selector), true)).ok_or_else(|| {
        let names = Selector::ALL.map(|selector| format!("@{}", selector.name())).join(", ");
        format!("no table is called \"{table}\"; there are {names}")
    })
}

/// The operation of a part that can be chosen: within a host, or between hosts.
fn stage(operation: Operation, target: Target, within: bool) -> Option<Operation> {
    let Target::Algorithm(name) = target else { return None };
    match (operation, name, within) {
        (Operation::Allreduce, "mvapich2_two_level", true) => Some(Operation::Reduce),
        (Operation::Bcast, "mvapich2_inter_node", _)
        | (Operation::Reduce | Operation::Allreduce, "mvapich2_two_level", _)
        | (Operation::Gather, "mvapich2_two_level", true)
        | (Operation::Scatter, "mvapich2_two_level_binomial" | "mvapich2_two_level_direct", true) => Some(operation),
        _ => None,
    }
}

fn range(text: &str) -> Option<Range> {
    let number = |text: &str| Bytes::parse(text, Unit::Optional).ok().map(|size| size.0);
    let (first, last) = match text.split_once('-') {
        Some((first, "")) => (number(first)?, u64::MAX),
        Some((first, last)) => (number(first)?, number(last)?),
        None => (number(text)?, number(text)?),
    };
    (first <= last).then_some((first, last))
}

#[cfg(test)]
mod tests {
    use smpi_base::HostId;

    use super::*;
    use crate::collective::bcast;
    use crate::collective::hosts::Hosts;
    use crate::collective::select::{Case, Stages};

    #[test]
    fn the_librarys_tables_have_rules_for_all_operations() {
        for (selector, text) in Selector::ALL.into_iter().zip(TEXTS) {
            let table = parse(text).unwrap_or_else(|why| panic!("{}: {why}", selector.name()));
            for operation in Operation::ALL {
                assert!(
                    !table.rules[CollectiveKind::from(operation).index()].is_empty(),
                    "{} {operation:?}",
                    selector.name()
                );
            }
            assert_eq!(Selector::from_name(selector.name()), Some(selector));
        }
    }

    #[test]
    fn a_users_table_wins_where_it_has_rules() {
        let mut selection = Selection::default();
        selection.read_table("barrier ompi_tree ranks 2-4 # small\n\nallreduce lr bytes 1KiB- commutes").unwrap();
        let rules = |operation: Operation| &selection.table.rules[CollectiveKind::from(operation).index()];
        assert_eq!(rules(Operation::Barrier)[0].ranks, (2, 4));
        assert_eq!(rules(Operation::Allreduce)[0].bytes, (1024, u64::MAX));
        assert_eq!(rules(Operation::Allreduce)[0].commutes, Some(true));
        assert_eq!(rules(Operation::Bcast).len(), 4);
        assert!(!selection.asks_for_hosts());
        selection.read_table("barrier mpich_smp").unwrap();
        assert!(selection.asks_for_hosts());
    }

    #[test]
    fn rules_look_at_hosts_and_leave_calls_to_other_tables() {
        let mut selection = Selection::default();
        let text = "bcast NTSL per-host 2-3 hosts 2\nbcast flattree blocked bytes 9-\n\
                    bcast mvapich2_inter_node per-host 4 within NTSB between @ompi\nbcast @smpi-mpich";
        selection.read_table(text).unwrap();
        assert!(selection.asks_for_hosts());
        let chosen = |names: &[u32], bytes| {
            let case = Case { ranks: names.len() as u32, bytes, count: 1, commutes: true };
            let hosts = || Arc::new(Hosts::of_all(names.iter().map(|&name| Some(HostId(name)))));
            let (algorithm, stages) = selection.pick(Operation::Bcast.into(), bcast::ALGORITHMS, &case, &hosts);
            (algorithm.name, stages)
        };
        let none = Stages::default();
        assert_eq!(chosen(&[7, 7, 9, 9], 8), ("NTSL", none));
        assert_eq!(chosen(&[7, 9, 7, 9], 8), ("NTSL", none));
        assert_eq!(chosen(&[7, 7, 9], 8), ("SMP_binomial", none));
        assert_eq!(chosen(&[7, 7, 9], 9), ("flattree", none));
        assert_eq!(chosen(&[7, 9, 7], 9), ("SMP_binomial", none));
        let within = Some(Target::Algorithm("NTSB"));
        let between = Some(Target::Table(Selector::Ompi));
        assert_eq!(chosen(&[1; 4], 8), ("mvapich2_inter_node", Stages { within, between }));
    }

    #[test]
    fn the_librarys_tables_do_not_lead_back_to_themselves() {
        fn follow(table: Selector, before: &[Selector]) {
            assert!(!before.contains(&table), "{before:?} {table:?}");
            let before = [before, &[table]].concat();
            for rule in known(table).rules.iter().flatten() {
                for target in [Some(rule.target), rule.stages.within, rule.stages.between].into_iter().flatten() {
                    // Parts have fewer ranks each time, unless all are on one host, where there are no parts.
                    match target {
                        Target::Table(next) if target == rule.target => follow(next, &before),
                        _ => {}
                    }
                }
            }
        }
        Selector::ALL.into_iter().for_each(|table| follow(table, &[]));
    }

    #[test]
    fn lines_that_cannot_be_read_are_named() {
        for (text, part) in [
            ("\nbarier ompi_tree", "line 2: \"barier\""),
            ("barrier", "expected an algorithm"),
            ("barrier oak", "ompi_tree"),
            ("barrier ompi_tree ranks", "after ranks"),
            ("barrier ompi_tree ranks 4-2", "ranks 4-2"),
            ("barrier ompi_tree size 4", "\"size\""),
            ("bcast arrival_scatter", "arrived"),
            ("barrier @oak", "@mpich"),
            ("bcast NTSL within NTSB", "no part"),
            ("reduce mvapich2_two_level within", "algorithm of reduce after within"),
            ("allreduce mvapich2_two_level within oak", "within reduce: no algorithm"),
            ("bcast NTSL per-host", "after per-host"),
        ] {
            let why = Selection::default().read_table(text).unwrap_err();
            assert!(why.contains(part), "{text}: {why}");
        }
    }
}
