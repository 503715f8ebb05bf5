//! A verification's result as text for a terminal of 24 lines and 80 columns: the verdict first, then every finding.
//!
//! Texts may change from version to version; what tools need is in the JSON. Nothing is printed here.

use crate::finding::{Buffering, ChoiceLine, Finding, Guise, LastCall, Location};
use crate::rows::{Row, grouped, rank_set};
use crate::verdict::{Mode, Report, Verdict};
use smpi_base::words::counted;
use std::collections::BTreeMap;
use std::fmt::Write;

use lines::{MAX_PATH, WIDTH, short_path, word_wrap, wrapped};

/// Rows of the table of last calls.
const MAX_ROWS: usize = 8;
/// Lines of the table of last calls, its head left out.
const MAX_TABLE_LINES: usize = 10;
/// Places listed beside the table of last calls.
const MAX_PLACES: usize = 5;
/// The same in a table.
const MAX_TABLE_PATH: usize = 22;
/// Choices listed; the last ones matter most.
const MAX_CHOICES: usize = 5;
/// Waits of a cycle that are explained one by one; longer cycles are a line of ranks.
const MAX_EXPLAINED: usize = 4;
/// Other ways in which a fault shows.
const MAX_GUISES: usize = 4;

impl Report {
    /// The whole report for people, ending in a newline.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.headline());
        for bound in &self.bounds {
            wrapped(&mut text, &format!("  exploration not complete: {bound}"), 4);
        }
        if let Some(not_watched) = self.not_watched() {
            wrapped(&mut text, &format!("  not watched: {not_watched}"), 4);
        }
        if let Some(not_combined) = self.not_combined() {
            wrapped(&mut text, &format!("  not combined: {not_combined}"), 4);
        }
        wrapped(&mut text, &format!("  {}", self.circumstances()), 4);
        for words in self.covered() {
            wrapped(&mut text, &format!("  {words}"), 4);
        }
        for (index, finding) in self.findings.iter().enumerate() {
            text.push('\n');
            self.finding(&mut text, finding, index + 1);
        }
        text
    }

    /// The verdict in one line, without a newline.
    pub fn headline(&self) -> String {
        let states = self.modes.iter().filter_map(|mode| Some(mode.states.as_ref()?.count));
        let (states, executions) = (states.sum(), self.executions);
        let is_first = states == 0 && executions == 0;
        let executions = if states > 0 { counted(states, "state") } else { counted(executions, "execution") };
        // Where a property was checked nobody has looked for anything else.
        let holds = |mode: &Mode| mode.states.as_ref().is_some_and(|states| states.holds.is_some());
        let error = if self.modes.iter().any(holds) { "violation" } else { "error" };
        match self.verdict() {
            Verdict::NoError => format!("no {error} found in {executions}; exploration complete"),
            Verdict::Incomplete => format!("no {error} found in {executions}; exploration NOT complete"),
            Verdict::Error => {
                let errors = counted(self.findings.len() as u64, "error");
                let completeness = if self.complete() { "; exploration complete" } else { "" };
                match is_first {
                    true => format!("{errors} found before an execution came to its end{completeness}"),
                    false => format!("{errors} found in {executions}{completeness}"),
                }
            }
        }
    }

    fn circumstances(&self) -> String {
        let mut parts = vec![counted(u64::from(self.ranks), "rank"), counted(self.transitions, "transition")];
        match &self.modes[..] {
            [] => parts.push(format!("buffering {}", self.buffering)),
            modes => {
                parts.extend(modes.iter().map(|mode| format!("{} with {}", mode.counted(), mode.buffering.words())))
            }
        }
        parts.push(format!("reduction {}", self.reduction));
        if !self.symmetric.is_empty() {
            parts.push(format!("ranks {} interchangeable (--symmetric)", self.symmetric));
        }
        parts.push(format!("{:.3} s", self.seconds));
        parts.join(", ")
    }

    fn finding(&self, text: &mut String, finding: &Finding, number: usize) {
        let number = if self.findings.len() > 1 { format!("{number}. ") } else { String::new() };
        body(text, &number, finding, self.ranks);
        if let Some(command) = self.replay_command(finding) {
            // A word that is broken over lines could not be copied.
            let _ = writeln!(text, "  replay: {command}");
        }
    }
}

/// One finding with its places, its table of last calls, and the choices that led to it. `ranks`: of the run.
pub fn shown(finding: &Finding, ranks: u32) -> String {
    let mut text = String::new();
    body(&mut text, "", finding, ranks);
    text
}

fn body(text: &mut String, number: &str, finding: &Finding, ranks: u32) {
    wrapped(text, &format!("{number}{}: {}", finding.key, finding.message), 2);
    places(text, finding);
    table(text, finding, ranks);
    hints(text, finding);
    cycle(text, finding);
    choices(text, &finding.choices);
    if let Some(explanation) = &finding.explanation {
        let why = explanation.sentences(finding.buffering.map(Buffering::words));
        let advice = explanation.advice(finding.buffering.map(Buffering::words));
        for sentence in why.into_iter().chain(advice) {
            let words: Vec<String> = sentence.split(' ').map(|word| short_path(word, MAX_PATH)).collect();
            wrapped(text, &format!("  {}", words.join(" ")), 4);
        }
        if let Some(command) = explanation.shown_by() {
            // A word that is broken over lines could not be copied.
            let _ = writeln!(text, "    {command}");
        }
        if let Some(both) = &explanation.beside {
            beside::beside(text, both);
        }
    }
    if let Some(out) = finding.lasso.as_ref().and_then(|lasso| lasso.way_out.as_ref()) {
        let sentence: Vec<String> = out.sentence().split(' ').map(|word| short_path(word, MAX_PATH)).collect();
        wrapped(text, &format!("  {}", sentence.join(" ")), 4);
    }
    seen(text, finding);
}

/// How many executions showed a finding, and in which other ways.
fn seen(text: &mut String, finding: &Finding) {
    if finding.occurrences > 1 {
        let mode = finding.buffering_in_words();
        let mode = if mode.is_empty() { mode } else { format!(", with {mode}") };
        wrapped(text, &format!("  seen in {}{mode}", counted(finding.occurrences, "execution")), 4);
    }
    let guises: Vec<&Guise> = finding.telling_guises().collect();
    for guise in guises.iter().take(MAX_GUISES) {
        wrapped(text, &format!("  it also shows like this: {}", guise_words(finding, guise, MAX_PATH)), 4);
        if !guise.replay.is_empty() {
            // A word that is broken over lines could not be copied.
            let _ = writeln!(text, "    --replay {}", guise.replay);
        }
    }
    if guises.len() > MAX_GUISES {
        let _ = writeln!(text, "  … and in {} more ways, which the report files have", guises.len() - MAX_GUISES);
    }
}

/// `a rank waits for ever (rank 0: MPI_Recv at a.c:13), in 2 executions`; `width`: columns of a path.
/// The place is one that the finding does not have itself.
pub(crate) fn guise_words(finding: &Finding, guise: &Guise, width: usize) -> String {
    let is_new = |place: &&Location| !finding.locations.iter().any(|own| own.is_at(place));
    let place = guise.locations.iter().find(is_new).or(guise.locations.first()).map(|place| {
        let same = guise.locations.iter().filter(|other| other.is_at(place));
        let mut ranks: Vec<u32> = same.map(|one| one.rank).collect();
        ranks.sort_unstable();
        ranks.dedup();
        place_words(place, &short_path(&place.source(), width), &ranks)
    });
    let place = place.map_or(String::new(), |place| format!(" ({place})"));
    format!("{}{place}, in {}", guise.message, counted(guise.occurrences, "execution"))
}

/// One finding as a warning of the simulation: key, cause, and where, in one to three lines.
pub fn warning(finding: &Finding) -> String {
    let mut text = String::new();
    wrapped(&mut text, &format!("smpirun: warning: {}: {}", finding.key, finding.message), 2);
    places(&mut text, finding);
    text
}

/// The places that the table of last calls does not show already, ranks at the same place together.
fn places(text: &mut String, finding: &Finding) {
    // Groups in the order of their first place, which is the order of importance.
    let mut groups: Vec<(&Location, Vec<u32>)> = Vec::new();
    let mut index_of = BTreeMap::new();
    // A rank alone is no place: simulations do not note where objects were made.
    let is_place = |place: &&Location| !place.call.is_empty() || place.file.is_some();
    for place in finding.other_locations().into_iter().filter(is_place) {
        let index = *index_of.entry((&place.call, &place.file, place.line, &place.note)).or_insert(groups.len());
        match groups.get_mut(index) {
            Some(group) => group.1.push(place.rank),
            None => groups.push((place, vec![place.rank])),
        }
    }
    let is_alone = groups.len() == 1;
    for (place, ranks) in groups.iter_mut().take(MAX_PLACES) {
        ranks.sort_unstable();
        ranks.dedup();
        // Of many ranks at one place, only the first are listed with it.
        let at_place =
            if is_alone && ranks.len() > 1 && finding.ranks.starts_with(ranks) { &finding.ranks } else { &*ranks };
        wrapped(text, &format!("  {}", place_words(place, &short_path(&place.source(), MAX_PATH), at_place)), 4);
    }
    if groups.len() > MAX_PLACES {
        let _ = writeln!(text, "  … and {} more places", groups.len() - MAX_PLACES);
    }
}

/// `rank 0: MPI_Send at a.c:12 in main: sent here`; `source` is how the file and line are written.
pub(crate) fn place_words(place: &Location, source: &str, ranks: &[u32]) -> String {
    let noun = if ranks.len() == 1 { "rank" } else { "ranks" };
    let mut words = format!("{noun} {}:", rank_set(ranks, 20));
    if !place.call.is_empty() {
        let _ = write!(words, " {}", place.call);
    }
    if place.file.is_some() {
        let _ = write!(words, " at {source}");
    }
    if let Some(function) = &place.function {
        let _ = write!(words, " in {function}");
    }
    if !place.note.is_empty() {
        let _ = write!(words, ": {}", place.note);
    }
    words
}

fn table(text: &mut String, finding: &Finding, ranks: u32) {
    let calls = finding.telling_calls();
    if calls.is_empty() {
        return;
    }
    // Rather fewer rows than cut texts: `(rank+1)%8` says more than eight times `rank…`.
    let grouped = |limit| grouped(calls, ranks.max(1), limit);
    let whole = [MAX_ROWS, MAX_ROWS / 2].into_iter().map(grouped).find(|rows| {
        rows.iter().all(|row| !row.ranks.is_empty()) && table_lines(rows, usize::MAX).len() <= 1 + MAX_TABLE_LINES
    });
    let rows = whole.unwrap_or_else(|| grouped(MAX_ROWS));
    // As many lines a row as the table's height allows: texts are cut as late as possible.
    let wraps = [usize::MAX, 3, 2, 1].map(|limit| table_lines(&rows, limit));
    let lines = wraps.iter().find(|lines| lines.len() <= 1 + MAX_TABLE_LINES).unwrap_or(&wraps[3]);
    for line in lines {
        let _ = writeln!(text, "{line}");
    }
}

/// The table with its head, each row wrapped into at most `limit` lines.
fn table_lines(rows: &[Row], limit: usize) -> Vec<String> {
    let (shown, left_out): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| !row.ranks.is_empty());
    let cells: Vec<[String; 4]> = shown.into_iter().map(cells).collect();
    let heads = ["rank", "last call", "where", "waits for"].map(str::to_string);
    let widths = widths(&cells, &heads);
    let mut lines = row_lines(&heads, &widths, 1);
    lines.extend(cells.iter().flat_map(|row| row_lines(row, &widths, limit)));
    lines.extend(left_out.into_iter().map(|row| format!("  {}", row.call)));
    lines
}

fn cells(row: &Row) -> [String; 4] {
    [rank_set(&row.ranks, 12), row.call.clone(), short_path(&row.place, MAX_TABLE_PATH), row.waits_for.clone()]
}

/// Widths of the four columns: rank and place as they are, call and what it waits for share what remains of the screen.
fn widths(cells: &[[String; 4]], heads: &[String; 4]) -> [usize; 4] {
    let natural = |column: usize| {
        let all = cells.iter().map(|row| &row[column]).chain([&heads[column]]);
        all.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let (rank, call, place, waits_for) = (natural(0), natural(1), natural(2), natural(3));
    // Two columns of indentation and two between columns.
    let shared = WIDTH - 1 - 2 - 3 * 2 - rank - place;
    let call_width = call.min(shared.saturating_sub(waits_for).max(shared / 2));
    [rank, call_width, place, waits_for.min(shared - call_width)]
}

/// The lines of one row, each cell wrapped into its column and cut after `limit` lines.
fn row_lines(cells: &[String; 4], widths: &[usize; 4], limit: usize) -> Vec<String> {
    let columns: Vec<Vec<String>> = (0..4).map(|i| cell_lines(&cells[i], widths[i], limit)).collect();
    let height = columns.iter().map(Vec::len).max().unwrap_or(0);
    (0..height)
        .map(|line| {
            let mut words = String::from("  ");
            for (column, width) in columns.iter().zip(widths) {
                let cell = column.get(line).map_or("", String::as_str);
                let _ = write!(words, "{cell:width$}  ");
            }
            words.trim_end().to_string()
        })
        .collect()
}

fn cell_lines(cell: &str, width: usize, limit: usize) -> Vec<String> {
    let mut lines = word_wrap(cell, width, width);
    if lines.len() > limit {
        lines.truncate(limit);
        if let Some(last) = lines.last_mut() {
            *last = last.chars().take(width.saturating_sub(1)).collect::<String>() + "…";
        }
    }
    lines
}

/// What leads from what ranks wait for to other lines: of the first few of them.
fn hints(text: &mut String, finding: &Finding) {
    for hint in finding.last_calls.iter().flat_map(LastCall::hints).take(MAX_EXPLAINED) {
        // A line in parentheses keeps them.
        let short = |word: &str| match word.strip_prefix('(') {
            Some(place) => format!("({}", short_path(place, MAX_PATH)),
            None => short_path(word, MAX_PATH),
        };
        let words: Vec<String> = hint.split(' ').map(short).collect();
        wrapped(text, &format!("  {}", words.join(" ")), 4);
    }
}

/// The cycle as ranks with arrows and, when it is short, why each waits for the next.
fn cycle(text: &mut String, finding: &Finding) {
    let Some(cycle) = finding.cycle.as_deref().filter(|cycle| !cycle.is_empty()) else { return };
    let next = |index: usize| cycle[(index + 1) % cycle.len()];
    if cycle.len() > MAX_EXPLAINED {
        wrapped(text, &format!("  cycle of {} ranks: {}", cycle.len(), cycle_words(cycle)), 4);
        return;
    }
    let _ = writeln!(text, "  cycle: {}", cycle_words(cycle));
    for (index, rank) in cycle.iter().enumerate() {
        if let Some(row) = finding.last_calls.iter().find(|row| row.place.rank == *rank) {
            let waits = format!("    rank {rank} → rank {}: it waits for {}", next(index), row.waits_for());
            wrapped(text, &waits, 6);
        }
    }
}

/// `rank 0 → rank 1 → rank 0`; a longer one says `rank` once, and the middle of a long cycle is left out.
pub fn cycle_words(cycle: &[u32]) -> String {
    let closed: Vec<u32> = cycle.iter().chain(cycle.first()).copied().collect();
    let words = |ranks: &[u32], noun: &str| {
        let words: Vec<String> = ranks.iter().map(|rank| format!("{noun}{rank}")).collect();
        words.join(" → ")
    };
    match closed.len() {
        0..=5 => words(&closed, "rank "),
        6..=12 => format!("rank {}", words(&closed, "")),
        all => format!("rank {} → … → {}", words(&closed[..5], ""), words(&closed[all - 4..], "")),
    }
}

fn choices(text: &mut String, choices: &[ChoiceLine]) {
    if choices.is_empty() {
        return;
    }
    let hidden = choices.len().saturating_sub(MAX_CHOICES);
    let earlier = if hidden == 0 { String::new() } else { format!(" ({hidden} earlier ones are in the report files)") };
    let _ = writeln!(text, "  choices that led here{earlier}:");
    for choice in &choices[hidden..] {
        let source = short_path(&choice.place.source(), MAX_PATH);
        let place = if source.is_empty() { String::new() } else { format!(" [{source}]") };
        wrapped(text, &format!("    {choice}{place}"), 6);
    }
}

mod beside;
mod lines;

#[cfg(test)]
mod tests;
