//! Open MPI's files of dynamic rules (`coll_tuned_dynamic_rules_filename`) as tables of choices.
//!
//! ```text
//! rule-file-version-2     this line may be missing; then the file has version 1
//! 1                       number of operations
//! 2                       operation: 2 is allreduce
//! 1                       number of sizes of communicators, ascending
//! 64                      for 64 ranks and more (the first ones also for fewer)
//! 2                       number of rules, ascending from 0 bytes
//! 0     3 0 0             bytes, algorithm, fan-out, segment size, and in version 2 maybe a number of requests
//! 65536 4 0 0             # comments
//! ```
//!
//! Algorithm 0, and whatever has no rules, is left to the table `ompi-5`. Fan-outs, segment sizes and numbers of
//! requests are not used: the algorithms here have their own. Source: Open MPI 5.0 (docs/tuning-apps/coll-tuned.rst
//! for the numbers and sizes, `coll_tuned_dynamic_file.c` for the grammar). Open MPI 6's JSON is not read.

use crate::collective::select::{CollectiveKind, Operation, Range, Rule, Selector, Table, Target};

/// Algorithms of an operation in the order of Open MPI's numbers, from 1: Open MPI's name, and ours if it is here.
type Names = &'static [(&'static str, &'static str)];

/// What an operation's sizes count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sizes {
    /// [`Case::bytes`](crate::collective::select::Case::bytes).
    Bytes,
    /// Those of all ranks' blocks.
    Total,
}

/// Open MPI's number of an operation, what its sizes count, its algorithms.
const OPERATIONS: &[(u64, Operation, Sizes, Names)] = &[
    (
        0,
        Operation::Allgather,
        Sizes::Bytes,
        &[
            ("linear", "GB"),
            ("bruck", "bruck"),
            ("recursive_doubling", "rdb"),
            ("ring", "NTSLR"),
            ("neighbor", "ompi_neighborexchange"),
            ("two_proc", "pair"),
            ("sparbit", ""),
            ("direct-messaging", "spreading_simple"),
        ],
    ),
    (
        1,
        Operation::Allgatherv,
        Sizes::Bytes,
        &[
            ("default", "GB"),
            ("bruck", "ompi_bruck"),
            ("ring", "mpich_ring"),
            ("neighbor", "ompi_neighborexchange"),
            ("two_proc", "pair"),
            ("sparbit", ""),
        ],
    ),
    (
        2,
        Operation::Allreduce,
        Sizes::Bytes,
        &[
            ("basic_linear", "redbcast"),
            ("nonoverlapping", "redbcast"),
            ("recursive_doubling", "rdb"),
            ("ring", "ompi_ring"),
            ("segmented_ring", "ompi_ring_segmented"),
            ("rabenseifner", "rab_rdb"),
            ("allgather_reduce", ""),
        ],
    ),
    (
        3,
        Operation::Alltoall,
        Sizes::Total,
        &[
            ("linear", "basic_linear"),
            ("pairwise", "ring"),
            ("modified_bruck", "bruck"),
            ("linear_sync", "basic_linear"),
            ("two_proc", "pair"),
        ],
    ),
    (4, Operation::Alltoallv, Sizes::Bytes, &[("basic_linear", "ompi_basic_linear"), ("pairwise", "ring")]),
    (
        6,
        Operation::Barrier,
        Sizes::Bytes,
        &[
            ("linear", "ompi_basic_linear"),
            ("double_ring", "ompi_doublering"),
            ("recursive_doubling", "ompi_recursivedoubling"),
            ("bruck", "ompi_bruck"),
            ("two_proc", "ompi_two_procs"),
            ("tree", "ompi_tree"),
        ],
    ),
    (
        7,
        Operation::Bcast,
        Sizes::Bytes,
        &[
            ("basic_linear", "flattree"),
            ("chain", "ompi_pipeline"),
            ("pipeline", "ompi_pipeline"),
            ("split_binary_tree", "ompi_split_bintree"),
            ("binary_tree", "NTSB"),
            ("binomial", "binomial_tree"),
            ("knomial", "mvapich2_knomial_intra_node"),
            ("scatter_allgather", "scatter_rdb_allgather"),
            ("scatter_allgather_ring", "scatter_LR_allgather"),
        ],
    ),
    (8, Operation::Exscan, Sizes::Bytes, SCANS),
    (
        9,
        Operation::Gather,
        Sizes::Total,
        &[("basic_linear", "ompi_basic_linear"), ("binomial", "ompi_binomial"), ("linear_sync", "ompi_linear_sync")],
    ),
    (
        11,
        Operation::Reduce,
        Sizes::Bytes,
        &[
            ("linear", "ompi_basic_linear"),
            ("chain", "ompi_chain"),
            ("pipeline", "ompi_pipeline"),
            ("binary", "ompi_binary"),
            ("binomial", "ompi_binomial"),
            ("in-order_binary", "ompi_in_order_binary"),
            ("rabenseifner", "scatter_gather"),
            ("knomial", "mvapich2_knomial"),
        ],
    ),
    (
        12,
        Operation::ReduceScatter,
        Sizes::Bytes,
        &[
            ("non-overlapping", "reduce_scatterv"),
            ("recursive_halving", "ompi_basic_recursivehalving"),
            ("ring", "ompi_ring"),
            ("butterfly", "ompi_butterfly"),
        ],
    ),
    (
        13,
        Operation::ReduceScatterBlock,
        Sizes::Bytes,
        &[
            ("basic_linear", "reduce_scatterv"),
            ("recursive_doubling", "mpich_rdb"),
            ("recursive_halving", "ompi_basic_recursivehalving"),
            ("butterfly", "ompi_butterfly"),
        ],
    ),
    (14, Operation::Scan, Sizes::Bytes, SCANS),
    (
        15,
        Operation::Scatter,
        Sizes::Bytes,
        &[("basic_linear", "ompi_basic_linear"), ("binomial", "ompi_binomial"), ("linear_nb", "ompi_linear_nb")],
    ),
];

const SCANS: Names = &[("linear", "ompi_linear"), ("recursive_doubling", "recursive_doubling")];

/// Begins the first line of files that tell their version.
const VERSION: &str = "rule-file-version-";

/// Whether a text is such a file and no table of ours: the first word is a number or a version.
pub(super) fn is_meant(text: &str) -> bool {
    words(text).next().is_some_and(|(_, word)| word.starts_with(VERSION) || word.parse::<u64>().is_ok())
}

/// The words of a text and their lines, from 1, without comments.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines()).flat_map(|(line, text)| {
        text.split('#').next().unwrap_or_default().split_whitespace().map(move |word| (line, word))
    })
}

/// Reads a file of rules.
///
/// # Errors
/// The line, and what was expected there.
pub(super) fn read(text: &str) -> Result<Table, String> {
    let words: Vec<(usize, &str)> = words(text).collect();
    let mut reader = Reader { words: &words, next: 0 };
    let version = reader.version()?;
    let mut table = Table { asks_for_hosts: true, ..Table::default() };
    for _ in 0..reader.number("the number of operations")? {
        let (id, line) = (reader.number("the number of an operation")?, reader.line());
        let known = OPERATIONS.iter().find(|(known, ..)| *known == id);
        let &(_, operation, sizes, names) = known.ok_or_else(|| {
            let all: Vec<String> =
                OPERATIONS.iter().map(|(id, operation, ..)| format!("{id} ({})", operation.name())).collect();
            format!("line {line}: operation {id} has no algorithms; there are {}", all.join(", "))
        })?;
        let rules = &mut table.rules[CollectiveKind::from(operation).index()];
        let (mut before, count) = (0, reader.number("the number of sizes of communicators")?);
        for place in 0..count {
            let (ranks, line) = (reader.number("a number of ranks")?, reader.line());
            if place > 0 && ranks <= before {
                return Err(format!("line {line}: {ranks} ranks after {before}: expected ascending numbers"));
            }
            // Those before are for fewer ranks than this.
            let earlier = rules.iter_mut().filter(|rule| rule.ranks.1 == u64::MAX);
            earlier.for_each(|rule| rule.ranks.1 = ranks.saturating_sub(1));
            before = ranks;
            let ranks = (if place == 0 { 0 } else { ranks }, u64::MAX);
            rules.extend(reader.rules(version, (operation, sizes, names), ranks)?);
        }
    }
    if let Some((line, word)) = words.get(reader.next) {
        return Err(format!("line {line}: \"{word}\" after the last rule: a number before it is too small"));
    }
    for rules in &mut table.rules {
        rules.push(Rule::new(Target::Table(Selector::Ompi5)));
    }
    Ok(table)
}

struct Reader<'a> {
    words: &'a [(usize, &'a str)],
    next: usize,
}

impl Reader<'_> {
    fn version(&mut self) -> Result<u64, String> {
        let Some((line, rest)) = self.words.first().and_then(|(line, word)| Some((line, word.strip_prefix(VERSION)?)))
        else {
            return Ok(1);
        };
        self.next = 1;
        rest.parse().map_err(|_| format!("line {line}: {VERSION}{rest}: expected a number at the end, such as 2"))
    }

    /// The line of the last word that was read.
    fn line(&self) -> usize {
        self.words[self.next - 1].0
    }

    fn number(&mut self, what: &str) -> Result<u64, String> {
        let Some((line, word)) = self.words.get(self.next) else {
            let last = self.words.last().map_or(1, |(line, _)| *line);
            return Err(format!("line {last}: the file ends, expected {what}"));
        };
        self.next += 1;
        word.parse().map_err(|_| format!("line {line}: \"{word}\": expected {what}"))
    }

    /// The rules for some numbers of ranks.
    fn rules(
        &mut self,
        version: u64,
        (operation, sizes, names): (Operation, Sizes, Names),
        ranks: Range,
    ) -> Result<Vec<Rule>, String> {
        let mut rules: Vec<Rule> = Vec::new();
        for place in 0..self.number("the number of rules")? {
            let (first, line) = (self.number("a size in bytes")?, self.line());
            if place == 0 && first > 0 {
                return Err(format!("line {line}: the first rule is for {first} bytes and more: expected 0"));
            }
            let mut rule = Rule::new(self.target(operation, names)?);
            for what in ["a fan-out", "a segment size"] {
                self.number(what)?;
            }
            let is_more_in_line = self.words.get(self.next).is_some_and(|(line, _)| *line == self.line());
            if version > 1 && is_more_in_line {
                self.number("a number of requests")?;
            }
            rule.ranks = ranks;
            if let Some(before) = rules.last_mut().map(|before| size_of(before, sizes)) {
                if first <= before.0 {
                    return Err(format!("line {line}: {first} bytes after {}: expected ascending sizes", before.0));
                }
                before.1 = first - 1;
            }
            *size_of(&mut rule, sizes) = (first, u64::MAX);
            rules.push(rule);
        }
        Ok(rules)
    }

    fn target(&mut self, operation: Operation, names: Names) -> Result<Target, String> {
        let (id, line) = (self.number("the number of an algorithm")?, self.line());
        if id == 0 {
            return Ok(Target::Table(Selector::Ompi5));
        }
        let name = operation.name();
        let found = usize::try_from(id - 1).ok().and_then(|place| names.get(place));
        match found {
            Some((theirs, "")) => Err(format!(
                "line {line}: algorithm {id} ({theirs}) of {name} is not here; 0 leaves the choice to ompi-5"
            )),
            Some((_, ours)) => Ok(Target::Algorithm(ours)),
            None => Err(format!("line {line}: algorithm {id} of {name}: expected 0 to {}", names.len())),
        }
    }
}

/// The sizes for which a rule is meant.
fn size_of(rule: &mut Rule, sizes: Sizes) -> &mut Range {
    if sizes == Sizes::Total { &mut rule.total } else { &mut rule.bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn algorithms_are_known_by_their_names_here() {
        for (_, operation, _, names) in OPERATIONS {
            for (_, ours) in names.iter().filter(|(_, ours)| !ours.is_empty()) {
                assert!(operation.algorithms().contains(ours), "{} {ours}", operation.name());
            }
        }
    }

    #[test]
    fn sizes_have_the_rule_below_them() {
        let text = "rule-file-version-2\n2 # operations\n2\n2\n8 2 # ranks, rules\n0 3 0 0\n65536 4 0 1024 8\n\
                    64 1\n0 0 0 0\n9 1 4 1\n0 2 0 0\n";
        assert!(is_meant(text) && !is_meant("# 2\nallreduce rdb"));
        let table = read(text).unwrap();
        let rules = &table.rules[CollectiveKind::from(Operation::Allreduce).index()];
        let parts: Vec<(Target, Range, Range)> =
            rules.iter().map(|rule| (rule.target, rule.ranks, rule.bytes)).collect();
        let (all, fixed) = ((0, u64::MAX), Target::Table(Selector::Ompi5));
        let expected = [
            (Target::Algorithm("rdb"), (0, 63), (0, 65_535)),
            (Target::Algorithm("ompi_ring"), (0, 63), (65_536, u64::MAX)),
            (fixed, (64, u64::MAX), all),
            (fixed, all, all),
        ];
        assert_eq!(parts, expected);
        assert_eq!(table.rules[CollectiveKind::from(Operation::Gather).index()][0].total, all);
        assert_eq!(table.rules[CollectiveKind::from(Operation::Bcast).index()].len(), 1);
    }

    #[test]
    fn errors_name_the_line() {
        for (text, part) in [
            ("rule-file-version-x", "line 1: rule-file-version-x"),
            ("1\n5", "line 2: operation 5"),
            ("1\n2 1 4\n", "line 2: the file ends, expected the number of rules"),
            ("1 2 1 4 1\n0 9 0 0", "line 2: algorithm 9 of allreduce: expected 0 to 7"),
            ("1 2 1 4 1\n0 7 0 0", "allgather_reduce"),
            ("1 2 1 4 1\n8 3 0 0", "line 2: the first rule is for 8 bytes"),
            ("1 2 1 4 2\n0 3 0 0\n0 3 0 0", "line 3: 0 bytes after 0"),
            ("1 2 2 4 1 0 3 0 0\n4 1", "line 2: 4 ranks after 4"),
            ("1 2 1 4 1\n0 3 0 0 64", "line 2: \"64\" after the last rule"),
            ("1 2 1 4 1\n0 ring 0 0", "line 2: \"ring\": expected the number of an algorithm"),
        ] {
            let why = read(text).unwrap_err();
            assert!(why.contains(part), "{text}: {why}");
        }
    }
}
