//! Two executions beside each other on the page.

use crate::beside::{Beside, MOST_CALLS};
use crate::explanation::{Blame, Explanation};
use crate::rows::rank_set;
use smpi_base::markup::escaped;
use std::fmt::Write;

/// Ranks that differ, those that differ in the same way counted once.
const MAX_RANKS: usize = 64;

/// What an explanation has to show beside the execution, or that there is nothing.
pub(super) fn card(page: &mut String, explanation: &Explanation) {
    match &explanation.beside {
        Some(beside) => table(page, beside),
        None if explanation.blame != Blame::Difference && explanation.choices > 0 => {
            page.push_str("<p class=\"mode\">No right execution is known that could stand beside it.</p>\n");
        }
        None => {}
    }
}

fn table(page: &mut String, beside: &Beside) {
    let [left, right] = beside.titles.each_ref().map(|title| escaped(title));
    let _ = writeln!(page, "<h3>Beside one that {right}</h3>\n<p class=\"mode\">{}.</p>", escaped(&beside.common()));
    let [first, second] = beside.replays.each_ref().map(|replay| escaped(replay));
    let _ = writeln!(
        page,
        "<div class=\"scroll table\"><table class=\"beside\">\n<thead><tr><th>rank</th><th>{left}<br/><code>{first}</code></th>\
         <th>{right}<br/><code>{second}</code></th></tr></thead>\n<tbody>"
    );
    let groups = beside.groups();
    for (ranks, rank) in groups.iter().take(MAX_RANKS) {
        let rows = rank.rows(MOST_CALLS, &str::to_string);
        for (index, cells) in rows.iter().enumerate() {
            let name = if index == 0 { rank_set(ranks, 40) } else { String::new() };
            let [left, right] = cells.each_ref().map(|cell| escaped(cell));
            let class = if index == 0 { " class=\"first\"" } else { "" };
            let _ = writeln!(page, "<tr{class}><td class=\"rank\">{name}</td><td>{left}</td><td>{right}</td></tr>");
        }
    }
    page.push_str("</tbody></table></div>\n");
    let left_out: usize = groups.iter().skip(MAX_RANKS).map(|(ranks, _)| ranks.len()).sum();
    if left_out > 0 {
        let _ = writeln!(page, "<p class=\"mode\">{left_out} more ranks differ.</p>");
    }
}
