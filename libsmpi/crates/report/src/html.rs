//! The result of a verification as one HTML page that needs nothing else: no network, no scripts, no fonts.
//!
//! Every finding is a card with its places, the table of last calls, the cycle of waits, the choices, the replay
//! command and the sequence chart of [`crate::chart`]. The last card tells what the executions come from. The markup is
//! also well-formed XML, which a test uses.

use crate::catalogue;
use crate::chart;
use crate::explanation::Explanation;
use crate::finding::{Buffering, ChoiceLine, Finding, LastCall};
use crate::lasso::{Lasso, LassoStep};
use crate::rows::{grouped, rank_set};
use crate::text::{guise_words, place_words};
use crate::trace::Trace;
use crate::verdict::{Report, Verdict};
use smpi_base::markup::escaped;
use smpi_base::words::counted;
use std::fmt::Write;

/// Rows of the short table of last calls.
const MAX_ROWS: usize = 16;
/// Ranks in the long table of last calls, and events in the list of them.
const MAX_LISTED: usize = 2_000;
/// Ranks of a cycle that are drawn.
const MAX_CYCLE: usize = 24;

impl Report {
    /// The page.
    pub fn html(&self) -> String {
        let mut page = String::from("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n");
        page.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n");
        page.push_str("<meta name=\"color-scheme\" content=\"light dark\"/>\n");
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(page, "<title>{}</title>", escaped(&format!("{} · {}", self.headline(), self.command)));
        let _ = writeln!(page, "<style>\n{}</style>\n</head>\n<body>", include_str!("page.css"));
        self.banner(&mut page);
        page.push_str("<main>\n");
        self.facts(&mut page);
        if self.findings.len() > 1 {
            self.contents(&mut page);
        }
        for (index, finding) in self.findings.iter().enumerate() {
            self.card(&mut page, finding, index + 1);
        }
        tree::card(&mut page, self);
        let _ = writeln!(page, "</main>\n<footer>libsmpi {}</footer>\n</body>\n</html>", env!("CARGO_PKG_VERSION"));
        page
    }

    fn banner(&self, page: &mut String) {
        let (class, sign) = match self.verdict() {
            Verdict::NoError => ("ok", "✓"),
            Verdict::Error => ("error", "✕"),
            Verdict::Incomplete => ("incomplete", "?"),
        };
        let _ = writeln!(
            page,
            "<header class=\"{class}\"><div class=\"sign\" aria-hidden=\"true\">{sign}</div><div><h1>{}</h1>\
             <p><code>smpirun {}</code></p></div></header>",
            escaped(&self.headline()),
            escaped(&self.command_line)
        );
    }

    fn facts(&self, page: &mut String) {
        page.push_str("<section class=\"facts\">\n<dl>\n");
        let states: u64 = self.modes.iter().filter_map(|mode| mode.states.as_ref()).map(|states| states.count).sum();
        let explored = match self.executions {
            0 if states > 0 => ("states", states.to_string()),
            executions => ("executions", executions.to_string()),
        };
        let facts = [
            explored,
            ("transitions", self.transitions.to_string()),
            ("time", format!("{:.3} s", self.seconds)),
            ("ranks", self.ranks.to_string()),
            ("buffering", self.buffering.clone()),
            ("reduction", self.reduction.clone()),
            ("interchangeable ranks", self.symmetric.clone()),
            ("collectives", self.collectives.clone()),
        ];
        for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
            let _ = writeln!(page, "<div><dt>{name}</dt><dd>{}</dd></div>", escaped(value));
        }
        page.push_str("</dl>\n");
        for bound in &self.bounds {
            let _ =
                writeln!(page, "<p class=\"bound\">Not everything was explored: {}.</p>", escaped(&bound.to_string()));
        }
        if let Some(not_watched) = self.not_watched() {
            let _ = writeln!(page, "<p class=\"bound\">Not watched: {}.</p>", escaped(&not_watched));
        }
        if let Some(not_combined) = self.not_combined() {
            let _ = writeln!(page, "<p class=\"bound\">Not combined: {}.</p>", escaped(not_combined));
        }
        for mode in &self.modes {
            let completeness = if mode.complete { "complete" } else { "not complete" };
            let _ = writeln!(
                page,
                "<p class=\"mode\">With {}: {}, {}, {completeness}.</p>",
                mode.buffering.words(),
                mode.counted(),
                counted(mode.transitions, "transition")
            );
        }
        for words in self.covered() {
            let _ = writeln!(page, "<p class=\"mode\">With {}.</p>", escaped(&words));
        }
        page.push_str("</section>\n");
    }

    fn contents(&self, page: &mut String) {
        page.push_str("<nav aria-label=\"findings\"><ol>\n");
        for (index, finding) in self.findings.iter().enumerate() {
            let _ = writeln!(
                page,
                "<li><a href=\"#f{}\"><span class=\"key\">{}</span> {}</a></li>",
                index + 1,
                finding.key,
                escaped(&finding.message)
            );
        }
        page.push_str("</ol></nav>\n");
    }

    fn card(&self, page: &mut String, finding: &Finding, number: usize) {
        let _ = writeln!(
            page,
            "<section class=\"card\" id=\"f{number}\">\n<h2><span class=\"key\">{}</span> {}</h2>",
            finding.key,
            escaped(&finding.message)
        );
        let _ = writeln!(page, "<p class=\"meta\">{}</p>", escaped(&circumstances(finding)));
        if let Some(command) = self.replay_command(finding) {
            let _ = writeln!(page, "<pre class=\"replay\"><code>{}</code></pre>", escaped(&command));
        }
        let entry = catalogue::entry(finding.key);
        let meaning = escaped(entry.meaning);
        let advice = code_spans(&escaped(entry.advice));
        let _ = writeln!(page, "<p class=\"help\"><b>{}.</b> {advice}</p>", code_spans(&meaning));
        cycle(page, finding);
        last_calls(page, finding.telling_calls(), self.ranks);
        for hint in finding.last_calls.iter().flat_map(LastCall::hints) {
            let _ = writeln!(page, "<p>{}</p>", escaped(&hint));
        }
        places(page, finding);
        choices(page, finding);
        guises(page, finding);
        if let Some(trace) = finding.trace.as_ref().filter(|trace| !trace.events.is_empty()) {
            page.push_str("<h3>How it happened</h3>\n");
            chart::chart(page, trace, &format!("f{number}"));
            steps::steps(page, trace, &format!("f{number}"));
            events(page, trace);
        }
        page.push_str("</section>\n");
    }
}

fn circumstances(finding: &Finding) -> String {
    let mut words = Vec::new();
    if !finding.ranks.is_empty() {
        let noun = if finding.ranks.len() == 1 { "rank" } else { "ranks" };
        words.push(format!("{noun} {}", rank_set(&finding.ranks, 40)));
    }
    if finding.buffering.is_some() {
        words.push(finding.buffering_in_words());
    }
    if finding.execution > 0 {
        words.push(format!("first in execution {}", finding.execution));
    }
    if finding.occurrences > 1 {
        words.push(format!("seen in {} executions", finding.occurrences));
    }
    words.join(" · ")
}

fn cycle(page: &mut String, finding: &Finding) {
    let Some(cycle) = finding.cycle.as_deref().filter(|cycle| !cycle.is_empty()) else { return };
    let _ = writeln!(page, "<h3>Cycle of waits</h3>\n<ol class=\"cycle\">");
    for rank in cycle.iter().take(MAX_CYCLE) {
        let row = finding.last_calls.iter().find(|row| row.place.rank == *rank);
        let why = row.map_or(String::new(), |row| format!("{} waits for {}", row.call(), row.waits_for()));
        let _ = writeln!(page, "<li title=\"{}\">rank {rank}</li>", escaped(&why));
    }
    if cycle.len() > MAX_CYCLE {
        let _ = writeln!(page, "<li>{} more</li>", cycle.len() - MAX_CYCLE);
    }
    let _ = writeln!(page, "<li class=\"again\">rank {}</li>\n</ol>", cycle[0]);
}

fn last_calls(page: &mut String, calls: &[LastCall], ranks: u32) {
    if calls.is_empty() {
        return;
    }
    page.push_str("<h3>Last calls</h3>\n");
    let rows = grouped(calls, ranks.max(1), MAX_ROWS);
    let short: Vec<[String; 4]> = rows
        .iter()
        .map(|row| [rank_set(&row.ranks, 24), row.call.clone(), row.place.clone(), row.waits_for.clone()])
        .collect();
    let heads = ["rank", "call", "where", "waits for"];
    table(page, heads, &short);
    if rows.len() < calls.len() {
        let title = match calls.len() {
            all if all > MAX_LISTED => format!("The first {MAX_LISTED} of {all} ranks, one by one"),
            all => format!("All {all} ranks, one by one"),
        };
        let _ = writeln!(page, "<details><summary>{title}</summary>");
        let all: Vec<[String; 4]> = calls
            .iter()
            .take(MAX_LISTED)
            .map(|row| [row.place.rank.to_string(), row.call(), row.place.source(), row.waits_for()])
            .collect();
        table(page, heads, &all);
        page.push_str("</details>\n");
    }
}

fn table(page: &mut String, heads: [&str; 4], rows: &[[String; 4]]) {
    page.push_str("<div class=\"scroll table\"><table>\n<thead><tr>");
    for head in heads {
        let _ = write!(page, "<th>{head}</th>");
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        let [rank, call, place, last] = row.each_ref().map(|cell| escaped(cell));
        let _ = writeln!(
            page,
            "<tr><td class=\"rank\">{rank}</td><td><code>{call}</code></td><td class=\"place\">{place}</td><td>{last}</td></tr>"
        );
    }
    page.push_str("</tbody></table></div>\n");
}

fn places(page: &mut String, finding: &Finding) {
    let places = finding.other_locations();
    if places.is_empty() {
        return;
    }
    page.push_str("<h3>Places</h3>\n<ul class=\"places\">\n");
    for place in places.into_iter().take(MAX_LISTED) {
        let _ = writeln!(page, "<li>{}</li>", escaped(&place_words(place, &place.source(), &[place.rank])));
    }
    page.push_str("</ul>\n");
}

fn choices(page: &mut String, finding: &Finding) {
    if let Some(lasso) = &finding.lasso {
        return rounds(page, lasso);
    }
    if !finding.choices.is_empty() {
        page.push_str("<h3>Choices that led here</h3>\n");
        listed(page, finding.choices.iter().map(|choice| (choice, String::new())), 1);
    }
    why(page, finding);
}

/// Why it came to that, and an execution that is right.
fn why(page: &mut String, finding: &Finding) {
    let why = finding
        .explanation
        .as_ref()
        .map_or(Vec::new(), |found| found.sentences(finding.buffering.map(Buffering::words)));
    if !why.is_empty() {
        let sentences: String = why.iter().map(|sentence| format!("<li>{}</li>\n", escaped(sentence))).collect();
        let _ = write!(page, "<h3>Why</h3>\n<ul class=\"why\">\n{sentences}</ul>\n");
    }
    if let Some(explanation) = &finding.explanation {
        advice(page, explanation, finding.buffering.map(Buffering::words));
        beside::card(page, explanation);
    }
}

/// What would help, and how likely it is.
fn advice(page: &mut String, explanation: &Explanation, buffering: Option<&str>) {
    let mut advice: Vec<String> = explanation.advice(buffering).iter().map(|said| escaped(said).to_string()).collect();
    if let (Some(last), Some(command)) = (advice.last_mut(), explanation.shown_by()) {
        let _ = write!(last, " <code>{}</code>", escaped(command));
    }
    if !advice.is_empty() {
        let sentences: String = advice.iter().map(|said| format!("<li>{said}</li>\n")).collect();
        let _ = write!(page, "<h3>What would help, and how likely it is</h3>\n<ul class=\"why\">\n{sentences}</ul>\n");
    }
}

/// Other ways in which the same fault shows.
fn guises(page: &mut String, finding: &Finding) {
    if finding.guises.is_empty() {
        return;
    }
    page.push_str("<h3>It also shows like this</h3>\n<ul class=\"places\">\n");
    for guise in finding.guises.iter().take(MAX_LISTED) {
        let words = escaped(&guise_words(finding, guise, usize::MAX));
        let _ = writeln!(page, "<li>{words} <code>--replay {}</code></li>", escaped(&guise.replay));
    }
    page.push_str("</ul>\n");
}

/// Choices as a list that is numbered from `first`, each with what is to be said behind it.
fn listed<'a>(page: &mut String, choices: impl Iterator<Item = (&'a ChoiceLine, String)>, first: usize) {
    let start = if first == 1 { String::new() } else { format!(" start=\"{first}\"") };
    let _ = writeln!(page, "<ol class=\"choices\"{start}>");
    for (choice, behind) in choices {
        let source = choice.place.source();
        let place =
            if source.is_empty() { source } else { format!(" <span class=\"place\">{}</span>", escaped(&source)) };
        let _ = writeln!(page, "<li>{}{place}{behind}</li>", escaped(&choice.to_string()));
    }
    page.push_str("</ol>\n");
}

/// The choices of an execution without an end.
fn rounds(page: &mut String, lasso: &Lasso) {
    let Lasso { propositions, prefix, round, holds_at_end, way_out } = lasso;
    let all: Vec<&LassoStep> = prefix.iter().chain(round).collect();
    let words = |holds: &[String]| match holds {
        [] => "no proposition is true".to_string(),
        holds => format!("true: {}", holds.join(", ")),
    };
    // What is true after a choice, where that is something else than before it.
    let change = |place: usize| {
        let after = all.get(place + 1).map_or(holds_at_end, |next| &next.holds);
        let is_news = *after != all[place].holds;
        if is_news { format!(" <span class=\"place\">· {}</span>", escaped(&words(after))) } else { String::new() }
    };
    let line = |place: usize| (&all[place].choice, change(place));
    if !prefix.is_empty() {
        page.push_str("<h3>First</h3>\n");
        let hidden = prefix.len().saturating_sub(MAX_LISTED);
        listed(page, (hidden..prefix.len()).map(line), hidden + 1);
    }
    let (head, end) = match &round[..] {
        [] => ("Then nothing happens any more", format!("In this state {}.", words(holds_at_end))),
        _ => ("Then again and again, for ever", format!("Before and after: {}.", words(holds_at_end))),
    };
    let _ = writeln!(page, "<div class=\"again-list\"><h3>{head}</h3>");
    if !round.is_empty() {
        listed(page, (prefix.len()..all.len()).take(MAX_LISTED).map(line), prefix.len() + 1);
    }
    if !propositions.is_empty() {
        let _ = writeln!(page, "<p class=\"mode\">{}</p>", escaped(&end));
    }
    if let Some(out) = way_out {
        let _ = writeln!(page, "<p class=\"mode\">{}</p>", escaped(&out.sentence()));
    }
    page.push_str("</div>\n");
}

/// The events as a list, for searching and for readers who cannot see the chart.
fn events(page: &mut String, trace: &Trace) {
    let all = trace.events.len();
    let first = all.saturating_sub(MAX_LISTED);
    let title = if first > 0 {
        format!("The last {MAX_LISTED} of {all} events as a list")
    } else {
        format!("The {all} events as a list")
    };
    let _ = writeln!(page, "<details><summary>{title}</summary>");
    let rows: Vec<[String; 4]> = trace.events[first..]
        .iter()
        .enumerate()
        .map(|(index, event)| {
            let choice = if event.is_choice() { "choice" } else { "" };
            [
                format!("{} · rank {}", first + index + 1, event.place.rank),
                event.words(),
                event.place.source(),
                choice.to_string(),
            ]
        })
        .collect();
    table(page, ["event", "what happened", "where", ""], &rows);
    page.push_str("</details>\n");
}

/// Escaped text whose parts in backticks become code.
fn code_spans(text: &str) -> String {
    let mut result = String::new();
    for (index, part) in text.split('`').enumerate() {
        match index % 2 {
            0 => result.push_str(part),
            _ => {
                let _ = write!(result, "<code>{part}</code>");
            }
        }
    }
    result
}

mod beside;
mod steps;
mod tree;

#[cfg(test)]
mod tests;
