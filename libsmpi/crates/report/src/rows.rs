//! The table of last calls, made short: ranks that do the same share a row, so that 64 ranks fit a screen.
//!
//! Rows are put together in steps, the first that is short enough wins: equal texts; texts that differ only in numbers
//! which are the rank plus a constant (`source rank-1`); texts that differ in any numbers (`tag 3..17`); equal call,
//! place and state; and at last some rows are left out, and the table says how many.

use crate::finding::LastCall;
use std::collections::BTreeMap;

/// A row of the shortened table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The ranks of the row, ascending. Empty only in the row that says what was left out.
    pub ranks: Vec<u32>,
    /// Call and arguments.
    pub call: String,
    /// Source line; may be empty.
    pub place: String,
    /// What the call waits for; for one that does not, `(finished)` and the like.
    pub waits_for: String,
}

/// Puts the rows of many ranks together until there are at most `limit` of them (at least 2). `ranks` is the number of
/// ranks of the run, by which rank arithmetic wraps.
pub fn grouped(calls: &[LastCall], ranks: u32, limit: usize) -> Vec<Row> {
    let texts: Vec<Text> = calls.iter().map(Text::of).collect();
    let steps = [Step::Equal, Step::Relative, Step::Ranges, Step::CallOnly];
    let mut rows = Vec::new();
    for step in steps {
        rows = group(&texts, ranks, step);
        if rows.len() <= limit {
            return rows;
        }
    }
    let left_out = rows.split_off(limit.max(2) - 1);
    let count: usize = left_out.iter().map(|row| row.ranks.len()).sum();
    rows.push(Row {
        ranks: Vec::new(),
        call: format!("… {count} more ranks in {} other places", left_out.len()),
        place: String::new(),
        waits_for: String::new(),
    });
    rows
}

/// How much rows of one group may differ.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Equal,
    Relative,
    Ranges,
    CallOnly,
}

/// A last call, taken apart: words (with `NUMBER` for each number) and the numbers.
struct Text {
    rank: u32,
    place: String,
    name: String,
    state: &'static str,
    call: String,
    words: String,
    numbers: Vec<u64>,
}

/// Stands for a number in a text whose numbers were taken out.
const NUMBER: char = '\u{1a}';
/// Between call and what it waits for.
const SEPARATOR: char = '\u{1f}';

impl Text {
    fn of(call: &LastCall) -> Text {
        let whole = format!("{}{SEPARATOR}{}", call.call(), call.waits_for());
        let (words, numbers) = without_numbers(&whole);
        let (rank, name, state) = (call.place.rank, call.place.call.clone(), call.state.word());
        Text { rank, place: call.place.source(), name, state, call: whole, words, numbers }
    }
}

/// Takes the decimal numbers out of a text, except those that are part of a word (`MPI_INTEGER4`, `a2`).
fn without_numbers(text: &str) -> (String, Vec<u64>) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (mut words, mut numbers) = (String::new(), Vec::new());
    let mut rest = text;
    let mut inside_word = false;
    while let Some(c) = rest.chars().next() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let ends_word = rest[digits..].chars().next().is_none_or(|next| !is_word(next));
        if digits > 0
            && !inside_word
            && ends_word
            && let Ok(number) = rest[..digits].parse()
        {
            words.push(NUMBER);
            numbers.push(number);
            rest = &rest[digits..];
            inside_word = true;
        } else {
            words.push(c);
            inside_word = is_word(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    (words, numbers)
}

/// What rows must have in common to become one, and what their differing numbers must have in common.
type Key<'a> = (&'a str, &'a str, &'a str, Vec<u64>);

fn group(texts: &[Text], ranks: u32, step: Step) -> Vec<Row> {
    let mut alike: BTreeMap<Key, Vec<&Text>> = BTreeMap::new();
    for text in texts {
        let key = match step {
            Step::Equal => (text.place.as_str(), text.call.as_str(), "", Vec::new()),
            Step::Relative | Step::Ranges => (text.place.as_str(), text.words.as_str(), "", Vec::new()),
            Step::CallOnly => (text.place.as_str(), text.name.as_str(), text.state, Vec::new()),
        };
        alike.entry(key).or_default().push(text);
    }
    if step == Step::Relative {
        alike = alike.into_iter().flat_map(|(key, members)| by_distance(key, members, ranks)).collect();
    }
    let mut rows: Vec<Row> = alike.values().map(|members| row(members, ranks, step)).collect();
    rows.sort_by(|a, b| a.ranks.cmp(&b.ranks));
    rows
}

/// Splits rows of equal words by the distance of their numbers from the rank, where numbers differ at all.
fn by_distance<'a>(key: Key<'a>, members: Vec<&'a Text>, ranks: u32) -> BTreeMap<Key<'a>, Vec<&'a Text>> {
    let varying: Vec<usize> = (0..members[0].numbers.len()).filter(|at| !constant(&members, *at)).collect();
    let mut parts: BTreeMap<Key, Vec<&Text>> = BTreeMap::new();
    for text in members {
        // A number that is no rank is told apart from all distances.
        let signature = |at: &usize| match distance(text, *at, ranks) {
            Some(distance) => distance,
            None => u64::from(ranks) + text.numbers[*at],
        };
        parts.entry((key.0, key.1, key.2, varying.iter().map(signature).collect())).or_default().push(text);
    }
    parts
}

fn constant(members: &[&Text], at: usize) -> bool {
    members.iter().all(|text| text.numbers[at] == members[0].numbers[at])
}

/// The number minus the rank, modulo the number of ranks.
fn distance(text: &Text, at: usize, ranks: u32) -> Option<u64> {
    let (number, ranks) = (text.numbers[at], u64::from(ranks));
    (number < ranks).then(|| (number + ranks - u64::from(text.rank) % ranks) % ranks)
}

fn row(members: &[&Text], ranks: u32, step: Step) -> Row {
    let first = members[0];
    let mut ids: Vec<u32> = members.iter().map(|text| text.rank).collect();
    ids.sort_unstable();
    ids.dedup();
    let place = first.place.clone();
    if step == Step::CallOnly && members.iter().any(|text| text.call != first.call) {
        let call = format!("{}(…)", first.name);
        return Row { ranks: ids, call, place, waits_for: format!("({})", first.state) };
    }
    let whole = if step == Step::Equal { first.call.clone() } else { filled(members, ranks) };
    let (call, waits_for) = whole.split_once(SEPARATOR).unwrap_or((&whole, ""));
    Row { ranks: ids, call: call.to_string(), place, waits_for: waits_for.to_string() }
}

/// The common words with numbers put back: the number, the rank plus a constant, or a range.
fn filled(members: &[&Text], ranks: u32) -> String {
    let mut whole = String::new();
    let mut at = 0;
    for c in members[0].words.chars() {
        if c != NUMBER {
            whole.push(c);
            continue;
        }
        if constant(members, at) {
            whole.push_str(&members[0].numbers[at].to_string());
        } else if let Some(relative) = relative(members, at, ranks) {
            // `a message of rank rank-1` says it twice.
            if whole.ends_with("rank ") {
                whole.truncate(whole.len() - "rank ".len());
            }
            whole.push_str(&relative);
        } else {
            let numbers = || members.iter().map(|text| text.numbers[at]);
            whole.push_str(&format!("{}..{}", numbers().min().unwrap_or(0), numbers().max().unwrap_or(0)));
        }
        at += 1;
    }
    whole
}

/// `rank`, `rank+2` or, where it wraps around, `(rank+1)%64`; `None` when the distances differ.
fn relative(members: &[&Text], at: usize, ranks: u32) -> Option<String> {
    let first = distance(members[0], at, ranks)?;
    if members.iter().any(|text| distance(text, at, ranks) != Some(first)) {
        return None;
    }
    let ranks = u64::from(ranks);
    let sum = match first {
        0 => return Some("rank".into()),
        _ if first > ranks / 2 => format!("rank-{}", ranks - first),
        _ => format!("rank+{first}"),
    };
    let wraps = |text: &&&Text| {
        let rank = u64::from(text.rank);
        if first > ranks / 2 { rank < ranks - first } else { rank + first >= ranks }
    };
    Some(if members.iter().any(|text| wraps(&text)) { format!("({sum})%{ranks}") } else { sum })
}

/// A set of ascending ranks in few characters: `0`, `0-62`, `0,2,5-7`, `0-62 by 2`, or `0,3,7,… (30)`, whichever is the
/// first that fits `width` (the last one always does, about).
pub fn rank_set(ranks: &[u32], width: usize) -> String {
    let words: Vec<String> = runs(ranks.iter().copied()).iter().map(|&run| run_words(run)).collect();
    let whole = words.join(",");
    if whole.len() <= width {
        return whole;
    }
    if let [first, second, .., last] = *ranks
        && ranks.windows(2).all(|pair| pair[1] - pair[0] == second - first)
    {
        return format!("{first}-{last} by {}", second - first);
    }
    let count = format!(",… ({})", ranks.len());
    let mut shown = words[0].clone();
    for word in &words[1..] {
        if shown.len() + 1 + word.len() + count.chars().count() > width {
            break;
        }
        shown = format!("{shown},{word}");
    }
    shown + &count
}

/// Ascending ranks as runs of neighbours: the first and the last of each.
pub fn runs(ranks: impl IntoIterator<Item = u32>) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for rank in ranks {
        match runs.last_mut() {
            Some(run) if run.1 + 1 == rank => run.1 = rank,
            _ => runs.push((rank, rank)),
        }
    }
    runs
}

fn run_words((first, last): (u32, u32)) -> String {
    match last - first {
        0 => first.to_string(),
        1 => format!("{first},{last}"),
        _ => format!("{first}-{last}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Location, RankState};

    fn receive(rank: u32, source: u32) -> LastCall {
        let place = Location::new(rank, "MPI_Recv").at("ring.c", 12);
        LastCall::blocked(place, format!("source {source}, tag 0"), format!("a message from rank {source} with tag 0"))
    }

    #[test]
    fn few_rows_stay_as_they_are() {
        let rows = grouped(&[receive(0, 1), receive(1, 0)], 2, 8);
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].call, "MPI_Recv(source 1, tag 0)");
        assert_eq!(rows[0].waits_for, "a message from rank 1 with tag 0");
    }

    #[test]
    fn a_ring_is_one_row() {
        let calls: Vec<LastCall> = (0..64).map(|rank| receive(rank, (rank + 63) % 64)).collect();
        let rows = grouped(&calls, 64, 8);
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].call, "MPI_Recv(source (rank-1)%64, tag 0)");
        assert_eq!(rows[0].waits_for, "a message from (rank-1)%64 with tag 0");
        let line: Vec<LastCall> = (1..64).map(|rank| receive(rank, rank - 1)).collect();
        assert_eq!(grouped(&line, 64, 8)[0].call, "MPI_Recv(source rank-1, tag 0)");
    }

    #[test]
    fn a_butterfly_is_two_rows_and_a_star_is_two() {
        let butterfly: Vec<LastCall> = (0..64).map(|rank| receive(rank, rank ^ 4)).collect();
        let calls: Vec<String> = grouped(&butterfly, 64, 8).into_iter().map(|row| row.call).collect();
        assert_eq!(calls, ["MPI_Recv(source rank+4, tag 0)", "MPI_Recv(source rank-4, tag 0)"]);
        let mut star: Vec<LastCall> = (1..64).map(|rank| receive(rank, 0)).collect();
        star.insert(0, receive(0, 63));
        let rows = grouped(&star, 64, 8);
        assert_eq!([rows[0].ranks.len(), rows[1].ranks.len()], [1, 63]);
        assert_eq!(rows[1].call, "MPI_Recv(source 0, tag 0)");
    }

    #[test]
    fn numbers_without_pattern_become_ranges() {
        let calls: Vec<LastCall> = (0..64).map(|rank| receive(rank, rank * rank * 7 % 61)).collect();
        let rows = grouped(&calls, 64, 8);
        assert_eq!(rows.len(), 1);
        assert!(rows[0].call.starts_with("MPI_Recv(source 0.."), "{}", rows[0].call);
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let calls: Vec<LastCall> =
            (0..64u32).map(|rank| LastCall::blocked(Location::new(rank, "MPI_Recv").at("a.c", rank), "", "")).collect();
        let rows = grouped(&calls, 64, 8);
        assert_eq!(rows.len(), 8);
        assert_eq!(rows[7].call, "… 57 more ranks in 57 other places");
        let mut other = receive(3, 4);
        other.state = RankState::Failed;
        let calls: Vec<LastCall> =
            (0..20).map(|rank| LastCall { arguments: "x".repeat(rank), ..other.clone() }).collect();
        assert_eq!(grouped(&calls, 64, 8)[0].call, "MPI_Recv(…)");
    }

    #[test]
    fn numbers_inside_words_are_words() {
        let (words, numbers) = without_numbers("MPI_INTEGER4 a2 4KiB 17, [3]");
        assert_eq!(words, format!("MPI_INTEGER4 a2 4KiB {NUMBER}, [{NUMBER}]"));
        assert_eq!(numbers, [17, 3]);
    }

    #[test]
    fn sets_of_ranks_are_short() {
        let set = |ranks: &[u32]| rank_set(ranks, 14);
        assert_eq!(set(&[3]), "3");
        assert_eq!(set(&[0, 1, 2, 5, 7, 8]), "0-2,5,7,8");
        let even: Vec<u32> = (0..64).step_by(2).collect();
        assert_eq!(set(&even), "0-62 by 2");
        let squares: Vec<u32> = (0..30).map(|i| i * i).collect();
        assert_eq!(set(&squares), "0,1,4,9,… (30)");
    }
}
