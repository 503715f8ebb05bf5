//! The card of [`crate::tree`]: a table of the calls that make executions many, and the states as a drawing.
//!
//! States stand in rows by the number of choices that lead there. Each state stands in the middle above the states that
//! were reached from it first; so what is a tree is drawn without crossings.

use std::fmt::Write;

use crate::rows::rank_set;
use crate::tree::{Cost, Costs, Graph, Tree};
use crate::verdict::Report;
use smpi_base::markup::escaped;
use smpi_base::words::counted;

/// Calls that the table has.
const MAX_CALLS: usize = 40;
/// Steps up to which each has its words beside it.
const MAX_WORDS: usize = 40;
/// Pixels from a state to the next one beside it, without words and with them.
const ACROSS: [f64; 2] = [22.0, 96.0];
/// Pixels from a row to the next one.
const DOWN: f64 = 58.0;
/// Pixels around the drawing.
const MARGIN: f64 = 24.0;
/// Radius of a state.
const RADIUS: f64 = 6.0;

/// Appends the card; modes with the same executions share one description.
pub(super) fn card(page: &mut String, report: &Report) {
    let mut shown: Vec<(Vec<&str>, &Tree)> = Vec::new();
    for mode in &report.modes {
        let Some(tree) = &mode.tree else { continue };
        match shown.iter_mut().find(|(_, known)| *known == tree) {
            Some((modes, _)) => modes.push(mode.buffering.words()),
            None => shown.push((vec![mode.buffering.words()], tree)),
        }
    }
    if shown.is_empty() {
        return;
    }
    page.push_str(
        "<section class=\"card tree\">\n<h2>What the executions come from</h2>\n\
         <p class=\"help\">A choice among <i>n</i> candidates multiplies the executions behind it by <i>n</i>. The table \
         has what all choices of a call do together; candidates that come after the choice was made are not counted. A \
         receive that names its source or tag has fewer candidates; results of Waitany can be annotated \
         (docs/verification.md).</p>\n",
    );
    for (modes, tree) in shown {
        let _ = writeln!(page, "<h3>With {}</h3>", modes.join(" and "));
        costs(page, &tree.costs);
        if let Some(graph) = &tree.graph {
            states(page, graph);
        }
    }
    page.push_str("</section>\n");
}

fn costs(page: &mut String, costs: &Costs) {
    if costs.calls.is_empty() {
        page.push_str("<p class=\"help\">No call had more than one candidate to choose from.</p>\n");
        return;
    }
    let (walks, product) = (counted(costs.walks, "random execution"), factor(costs.ln_product()));
    let _ = writeln!(page, "<p class=\"help\">Geometric means of {walks}. All calls together: {product}.</p>");
    page.push_str("<div class=\"scroll table\"><table>\n<thead><tr>");
    for head in ["multiplies by", "rank", "call", "where", "choices in an execution", "candidates"] {
        let _ = write!(page, "<th>{head}</th>");
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for cost in costs.calls.iter().take(MAX_CALLS) {
        row(page, cost);
    }
    page.push_str("</tbody></table></div>\n");
    if costs.calls.len() > MAX_CALLS {
        let _ = writeln!(page, "<p class=\"mode\">{} more calls cost less.</p>", costs.calls.len() - MAX_CALLS);
    }
}

fn row(page: &mut String, cost: &Cost) {
    let _ = writeln!(
        page,
        "<tr><td class=\"factor\">{}</td><td class=\"rank\">{}</td><td><code>{}</code></td><td class=\"place\">{}</td>\
         <td>{}</td><td>{}{}</td></tr>",
        factor(cost.ln_factor),
        rank_set(&cost.ranks, 24),
        escaped(&cost.call),
        escaped(&cost.place),
        rounded(cost.choices),
        if cost.candidates > 2 { "up to " } else { "" },
        cost.candidates
    );
}

/// What executions are multiplied by, from its logarithm.
fn factor(ln: f64) -> String {
    match ln / std::f64::consts::LN_10 {
        log10 if log10 < 6.0 => format!("× {}", rounded(ln.exp())),
        log10 => format!("× {:.1}e{}", 10_f64.powf(log10.fract()), log10.trunc()),
    }
}

/// A number with a decimal if it has one that tells something.
fn rounded(number: f64) -> String {
    let text = if number < 100.0 { format!("{number:.1}") } else { format!("{number:.0}") };
    text.strip_suffix(".0").map_or(text.clone(), str::to_string)
}

/// Where each state stands: its column, in units of the distance across.
fn columns(graph: &Graph) -> Vec<f64> {
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); graph.states.len()];
    let mut is_placed = vec![false; graph.states.len()];
    for step in &graph.steps {
        if step.to != 0 && !std::mem::replace(&mut is_placed[step.to], true) {
            below[step.from].push(step.to);
        }
    }
    let mut columns = vec![0.0; graph.states.len()];
    let mut next = 0.0;
    // Each state twice: to go down from it, and when what is below it has its place.
    let mut stack = vec![(0, false)];
    while let Some((state, is_done)) = stack.pop() {
        let Some((first, last)) = below[state].first().zip(below[state].last()) else {
            columns[state] = next;
            next += 1.0;
            continue;
        };
        if is_done {
            columns[state] = (columns[*first] + columns[*last]) / 2.0;
        } else {
            stack.push((state, true));
            stack.extend(below[state].iter().rev().map(|&child| (child, false)));
        }
    }
    columns
}

fn states(page: &mut String, graph: &Graph) {
    if graph.states.is_empty() {
        return;
    }
    let has_words = graph.steps.len() <= MAX_WORDS;
    let across = ACROSS[usize::from(has_words)];
    let columns = columns(graph);
    let most = columns.iter().copied().fold(0.0, f64::max);
    let deepest = graph.states.iter().map(|state| state.depth).max().unwrap_or(0);
    let margin = if has_words { MARGIN + ACROSS[1] / 2.0 } else { MARGIN };
    let (width, height) = (2.0 * margin + most * across, 2.0 * MARGIN + f64::from(deepest) * DOWN);
    let place = |state: usize| (margin + columns[state] * across, MARGIN + f64::from(graph.states[state].depth) * DOWN);
    let _ = writeln!(
        page,
        "<p class=\"help\">{}. Every circle is a state in which nothing moves without a choice, every line a \
         choice (rank and outcome), from above. Green: all ranks are through. Red: an error. The lines and circles have \
         tooltips.</p>",
        counted(graph.states.len() as u64, "state")
    );
    let _ = writeln!(
        page,
        "<div class=\"scroll\"><svg width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         role=\"img\" aria-label=\"state graph\">"
    );
    for step in &graph.steps {
        let ((x, y), (to_x, to_y)) = (place(step.from), place(step.to));
        let middle = (y + to_y) / 2.0;
        let _ = writeln!(
            page,
            "<path class=\"step\" d=\"M{x:.1} {y:.1}C{x:.1} {middle:.1} {to_x:.1} {middle:.1} {to_x:.1} {to_y:.1}\">\
             <title>{}</title></path>",
            escaped(&step.words)
        );
    }
    for step in graph.steps.iter().filter(|_| has_words) {
        let ((x, y), (to_x, to_y)) = (place(step.from), place(step.to));
        // Nearer to where the lines are apart.
        let (x, y) = (x + 0.72 * (to_x - x), y + 0.64 * (to_y - y));
        let _ = writeln!(page, "<text class=\"label\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(&step.short));
    }
    for (index, state) in graph.states.iter().enumerate() {
        let (x, y) = place(index);
        let (class, words) = match (&state.found[..], state.is_end) {
            ([], true) => ("well", "all ranks are through".to_string()),
            ([], false) if index == 0 => ("open", "the beginning".to_string()),
            ([], false) => ("open", format!("after {}", counted(u64::from(state.depth), "choice"))),
            (found, _) => ("wrong", found.join(", ")),
        };
        let _ = writeln!(
            page,
            "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{RADIUS}\"><title>{}</title></circle>",
            escaped(&words)
        );
    }
    page.push_str("</svg></div>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{State, Step};

    fn graph(depths: &[u32], steps: &[(usize, usize)]) -> Graph {
        let state = |&depth| State { depth, ..State::default() };
        let step = |&(from, to)| Step { from, to, short: String::new(), words: String::new() };
        Graph { states: depths.iter().map(state).collect(), steps: steps.iter().map(step).collect() }
    }

    #[test]
    fn states_stand_above_what_follows() {
        // Two leaves below the first child, one below the second, and a step that leads to a known state.
        let graph = graph(&[0, 1, 1, 2, 2, 2], &[(0, 1), (1, 3), (1, 4), (0, 2), (2, 4), (2, 5)]);
        assert_eq!(columns(&graph), [1.25, 0.5, 2.0, 0.0, 1.0, 2.0]);
    }

    #[test]
    fn factors_are_short() {
        assert_eq!(factor(6_f64.ln()), "× 6");
        assert_eq!(factor(2.5_f64.ln()), "× 2.5");
        assert_eq!(factor(362_880_f64.ln()), "× 362880");
        assert_eq!(factor(17.08 * std::f64::consts::LN_10), "× 1.2e17");
    }
}
