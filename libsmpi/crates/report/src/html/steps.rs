//! The way to a finding step by step, as a slider on the page: one event after the other, and what each rank is at.
//!
//! It is a group of radio buttons, of which each has its step behind it, and style sheets show the one that is chosen:
//! so the arrow keys go from step to step, readers for the blind say what is there, and the page has no script.

use crate::trace::{Trace, TraceEvent};
use smpi_base::markup::escaped;
use smpi_base::words::counted;
use std::fmt::Write;

/// Events that have a step: the last ones.
const MAX_STEPS: usize = 120;

/// Ranks of a step that are told of: those that did something last.
const MAX_RANKS: usize = 16;

/// Writes the slider. `id` is unique on the page.
pub(super) fn steps(page: &mut String, trace: &Trace, id: &str) {
    let all = trace.events.len();
    let first = all.saturating_sub(MAX_STEPS);
    let which = if first > 0 { format!("The last {MAX_STEPS} of {all} events") } else { counted(all as u64, "event") };
    let _ = writeln!(
        page,
        "<h3>Step by step</h3>\n<p class=\"mode\">{which}: the arrow keys go from one to the next.</p>\n\
         <fieldset class=\"steps\"><legend>Events</legend>"
    );
    let mut last: Vec<Option<usize>> = vec![None; trace.ranks as usize];
    for (at, event) in trace.events.iter().enumerate() {
        if let Some(last) = last.get_mut(event.place.rank as usize) {
            *last = Some(at);
        }
        for member in event.members() {
            if let Some(last) = last.get_mut(*member as usize) {
                *last = Some(at);
            }
        }
        if at >= first {
            step(page, trace, at, &last, (id, at + 1 == all));
        }
    }
    page.push_str("</fieldset>\n");
}

/// The button of an event, and what ranks are at after it.
fn step(page: &mut String, trace: &Trace, at: usize, last: &[Option<usize>], (id, is_chosen): (&str, bool)) {
    let event = &trace.events[at];
    let words = escaped(&in_words(event));
    let (number, all) = (at + 1, trace.events.len());
    let checked = if is_chosen { " checked=\"checked\"" } else { "" };
    let class = if event.is_choice() { " class=\"choice\"" } else { "" };
    let _ = writeln!(
        page,
        "<input type=\"radio\" name=\"{id}-step\"{class} aria-label=\"event {number} of {all}: {words}\" \
         title=\"{number}: {words}\"{checked}/>\n<div><p><b>{number} of {all}</b> {words}</p>\n<table><tbody>"
    );
    let mut ranks: Vec<(u32, Option<usize>)> = (0..).zip(last.iter().copied()).collect();
    if ranks.len() > MAX_RANKS {
        ranks.sort_by_key(|(rank, last)| (std::cmp::Reverse(*last), *rank));
        ranks.truncate(MAX_RANKS);
        ranks.sort_unstable_by_key(|(rank, _)| *rank);
    }
    for (rank, last) in &ranks {
        let now = if *last == Some(at) { " class=\"now\"" } else { "" };
        let words = last.map_or_else(|| "nothing yet".to_string(), |last| trace.events[last].words());
        let source = last.map_or_else(String::new, |last| trace.events[last].place.source());
        let _ = writeln!(
            page,
            "<tr{now}><td class=\"rank\">{rank}</td><td>{}</td><td class=\"place\">{}</td></tr>",
            escaped(&words),
            escaped(&source)
        );
    }
    page.push_str("</tbody></table>");
    if last.len() > ranks.len() {
        let _ = write!(page, "<p class=\"mode\">… and {} more ranks</p>", last.len() - ranks.len());
    }
    page.push_str("</div>\n");
}

/// An event with its rank and line.
fn in_words(event: &TraceEvent) -> String {
    let source = event.place.source();
    let source = if source.is_empty() { source } else { format!(" — {source}") };
    format!("rank {}: {}{source}", event.place.agent(), event.words())
}
