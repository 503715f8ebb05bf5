//! Two executions beside each other on a terminal.

use super::lines::{MAX_PATH, WIDTH, short_path, word_wrap, wrapped};
use crate::beside::{Beside, RankBeside};
use crate::rows::rank_set;
use std::fmt::Write;

/// Lines of the table of two executions.
const MAX_LINES: usize = 20;
/// Calls of a rank after the first difference, where all of it is short enough, and else.
const MAX_CALLS: [usize; 3] = [3, 1, 0];
/// Ranks that differ, those that differ in the same way counted once.
const MAX_RANKS: usize = 4;
/// Columns of the ranks' numbers.
const RANK: usize = 4;
/// Columns of one execution: beside an indentation of two, and two between columns.
const COLUMN: usize = (WIDTH - 1 - 2 - RANK - 2 - 2) / 2;

/// Shows two executions beside each other, as much of them as is short; all of it is on the page.
pub(super) fn beside(text: &mut String, beside: &Beside) {
    let (common, [_, right], [_, replay]) = (beside.common(), &beside.titles, &beside.replays);
    wrapped(text, &format!("  beside it, one that {right} (--replay {replay}): {common}"), 4);
    let tables = MAX_CALLS.map(|most| table(beside, most));
    match tables.iter().find(|table| table.len() <= MAX_LINES) {
        Some(table) => table.iter().for_each(|line| {
            let _ = writeln!(text, "{line}");
        }),
        None => text.push_str("    (--report-html FILE shows both beside each other)\n"),
    }
}

fn table(beside: &Beside, most: usize) -> Vec<String> {
    let mut lines = row("rank", &beside.titles);
    let groups = beside.groups();
    for (ranks, rank) in groups.iter().take(MAX_RANKS) {
        lines.extend(of_rank(&rank_set(ranks, RANK), rank, most));
    }
    let left_out: usize = groups.iter().skip(MAX_RANKS).map(|(ranks, _)| ranks.len()).sum();
    if left_out > 0 {
        lines.push(format!("  … and {left_out} more ranks differ"));
    }
    lines
}

fn of_rank(name: &str, rank: &RankBeside, most: usize) -> Vec<String> {
    let rows = rank.rows(most, &|word| short_path(word, MAX_PATH / 2));
    let row = |(index, cells): (usize, &[String; 2])| row(if index == 0 { name } else { "" }, cells);
    rows.iter().enumerate().flat_map(row).collect()
}

/// One row, its cells wrapped.
fn row(rank: &str, cells: &[String; 2]) -> Vec<String> {
    // What continues a cell is indented, as the next cell begins below it.
    let [left, right] = cells.each_ref().map(|cell| word_wrap(cell, COLUMN, COLUMN - 2));
    let cell = |lines: &[String], at: usize| match lines.get(at) {
        Some(line) if at > 0 => format!("  {line}"),
        Some(line) => line.clone(),
        None => String::new(),
    };
    let line = |at: usize| {
        let rank = if at == 0 { rank } else { "" };
        format!("  {rank:RANK$}  {:COLUMN$}  {}", cell(&left, at), cell(&right, at)).trim_end().to_string()
    };
    (0..left.len().max(right.len())).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::beside::{CallBeside, Whole};

    fn many(ranks: u32, calls: u32) -> Beside {
        let call = |line: u32| CallBeside {
            call: "MPI_Recv".into(),
            location: Some(format!("/home/somebody/far/away/program.c:{line}")),
            what: format!("takes the message that rank {line} sent at /home/somebody/far/away/program.c:99"),
        };
        let whole = |first: u32| Whole { calls: (first..first + calls).map(call).collect(), end: "ends".into() };
        // Each rank ends in its own way, so that none stands for another.
        let all = |first: u32| (0..ranks).map(|rank| Whole { end: format!("ends {rank}"), ..whole(first) }).collect();
        Beside::of(["fails", "is right"], ["1/zero/0.0:2".into(), "1/zero".into()], [all(1), all(2)])
    }

    fn shown(beside: &Beside) -> String {
        let mut text = String::new();
        super::beside(&mut text, beside);
        text
    }

    #[test]
    fn two_columns_fit_the_screen() {
        let expected = "  beside it, one that is right (--replay 1/zero): no call is the same
  rank  fails                               is right
  0     MPI_Recv program.c:1 takes the      MPI_Recv program.c:2 takes the
          message that rank 1 sent at         message that rank 2 sent at
          program.c:99                        program.c:99
        ends 0                              ends 0
";
        assert_eq!(shown(&many(1, 1)), expected);
        for (ranks, calls) in [(1, 30), (4, 3), (9, 30)] {
            assert!(shown(&many(ranks, calls)).lines().all(|line| line.chars().count() < WIDTH));
        }
    }

    #[test]
    fn what_is_long_is_cut() {
        let lines = |ranks: u32, calls: u32| shown(&many(ranks, calls)).lines().count();
        assert!(shown(&many(1, 5)).contains("… and 2 calls more"), "{}", shown(&many(1, 5)));
        assert!(lines(3, 5) <= 1 + MAX_LINES && shown(&many(3, 5)).contains("… and 4 calls more"));
        let waits = |end: &str| vec![Whole { calls: Vec::new(), end: end.into() }; 3];
        let same = Beside::of(["fails", "is right"], [String::new(), String::new()], [waits("waits"), waits("ends")]);
        assert!(shown(&same).ends_with("  0-2   waits                               ends\n"), "{}", shown(&same));
        assert!(shown(&many(6, 5)).contains("… and 2 more ranks differ") && lines(6, 5) <= 2 + MAX_LINES);
    }
}
