//! The card of [`crate::tree`]: a table of the calls that make executions many, and the states as a drawing.
//!
//! States stand in rows by the number of choices that lead there. Each state stands in the middle above the states that
//! were reached from it first; so what is a tree is drawn without crossings.

use std::fmt::Write;

use crate::rows::rank_set;
use crate::tree::{Circle, Cost, Costs, Graph, Line, Part, Tree};
use crate::verdict::Report;
use smpi_base::markup::escaped;
use smpi_base::words::counted;

/// Calls that the table has.
const MAX_CALLS: usize = 40;
/// Steps up to which each has its words beside it.
const MAX_WORDS: usize = 40;
/// Pixels from a state to the next one beside it, without words and with short ones.
const ACROSS: [f64; 2] = [22.0, 96.0];
/// Pixels of a letter and of a line of words, and of words at most.
const LETTER: f64 = 6.8;
const LINE: f64 = 12.0;
const WIDEST: f64 = 260.0;
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
    page.push_str("<section class=\"card tree\">\n");
    page.push_str(match shown.iter().any(|(_, tree)| tree.costs.is_some()) {
        true => {
            "<h2>What the executions come from</h2>\n\
             <p class=\"help\">A choice among <i>n</i> candidates multiplies the executions behind it by <i>n</i>. The table \
             has what all choices of a call do together; candidates that come after the choice was made are not counted. A \
             receive that names its source or tag has fewer candidates; results of Waitany can be annotated \
             (docs/verification.md).</p>\n"
        }
        false => "<h2>The states</h2>\n",
    });
    for (modes, tree) in shown {
        let _ = writeln!(page, "<h3>With {}</h3>", modes.join(" and "));
        if let Some(known) = &tree.costs {
            costs(page, known);
        }
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
    let longest = graph.steps.iter().map(|step| step.short.chars().count()).max().unwrap_or(0);
    let across = match has_words {
        true => (longest as f64 * LETTER + 16.0).clamp(ACROSS[1], WIDEST),
        false => ACROSS[0],
    };
    let columns = columns(graph);
    let most = columns.iter().copied().fold(0.0, f64::max);
    let deepest = graph.states.iter().map(|state| state.depth).max().unwrap_or(0);
    let margin = if has_words { MARGIN + across / 2.0 } else { MARGIN };
    let turns: Vec<f64> = graph.steps.iter().map(|step| turn(graph, step)).collect();
    let aside = turns.iter().copied().fold(0.0, f64::max);
    let (width, height) = (2.0 * margin + most * across + aside, 2.0 * MARGIN + f64::from(deepest) * DOWN);
    let place = |state: usize| (margin + columns[state] * across, MARGIN + f64::from(graph.states[state].depth) * DOWN);
    page.push_str("<p class=\"help\">");
    explain(page, graph, aside > 0.0);
    let _ = writeln!(
        page,
        "</p>\n<div class=\"scroll\"><svg width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         role=\"img\" aria-label=\"state graph\">"
    );
    // What is marked lies above the rest.
    let mut order: Vec<usize> = (0..graph.steps.len()).collect();
    order.sort_by_key(|&index| graph.steps[index].part.map_or(0, |part| 1 + part as u32));
    let mut labels = Labels::default();
    for index in order {
        let step = &graph.steps[index];
        let class = class_of(step.part);
        let (curve, (x, y)) = Curve::of(place(step.from), place(step.to), turns[index], sideways(graph, index));
        let path = curve.path() + &if aside > 0.0 { curve.head() } else { String::new() };
        let words = escaped(&step.words);
        let _ = writeln!(page, "<path class=\"step{class}\" d=\"{path}\"><title>{words}</title></path>");
        if has_words {
            labels.add(&step.short, x, y, turns[index] > 0.0);
        }
    }
    page.push_str(&labels.markup);
    for (index, state) in graph.states.iter().enumerate() {
        circle(page, state, index, place(index));
    }
    page.push_str("</svg></div>\n");
}

/// Says what the drawing shows.
fn explain(page: &mut String, graph: &Graph, has_turns: bool) {
    let _ = write!(
        page,
        "{}. Every circle is a state in which nothing moves without a choice, every line a choice (rank and outcome), \
         {}. Green: all ranks are through. Red: an error.",
        counted(graph.states.len() as u64, "state"),
        if has_turns { "with an arrow" } else { "from above" }
    );
    let has = |part| graph.states.iter().any(|state| state.part == Some(part));
    if has(Part::Prefix) {
        page.push_str(" Blue: the way to the violation.");
    }
    if has(Part::Round) {
        page.push_str(" Orange: what comes again and again.");
    }
    page.push_str(" The lines and circles have tooltips.");
}

/// What a part of an execution is called in the style sheet.
fn class_of(part: Option<Part>) -> &'static str {
    match part {
        None => "",
        Some(Part::Prefix) => " prefix",
        Some(Part::Round) => " round",
    }
}

/// Words beside lines, none above another.
#[derive(Default)]
struct Labels {
    markup: String,
    /// Their left ends, right ends and baselines.
    placed: Vec<(f64, f64, f64)>,
}

impl Labels {
    /// Adds words around a place, or behind it, or as near as there is room.
    fn add(&mut self, words: &str, x: f64, y: f64, is_aside: bool) {
        let width = words.chars().count() as f64 * LETTER;
        let left = if is_aside { x } else { x - width / 2.0 };
        let is_free = |y: &f64| {
            let over =
                |&(other, end, line): &(f64, f64, f64)| left < end && other < left + width && (line - y).abs() < LINE;
            !self.placed.iter().any(over)
        };
        let near = [0.0, LINE, -LINE, 2.0 * LINE, -2.0 * LINE].map(|offset| y + offset);
        let y = near.into_iter().find(is_free).unwrap_or(y);
        self.placed.push((left, left + width, y));
        let class = if is_aside { "label aside" } else { "label" };
        let words = escaped(words);
        let _ = writeln!(self.markup, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{words}</text>");
    }
}

/// How far aside of its states a step is drawn that does not lead down.
fn turn(graph: &Graph, step: &Line) -> f64 {
    let (from, to) = (graph.states[step.from].depth, graph.states[step.to].depth);
    match from.checked_sub(to) {
        Some(0) if step.from != step.to => 24.0,
        Some(rows) => 34.0 + 9.0 * f64::from(rows.min(12)),
        None => 0.0,
    }
}

/// How far from others between the same states a step is drawn.
fn sideways(graph: &Graph, index: usize) -> f64 {
    let same = |step: &&Line| (step.from, step.to) == (graph.steps[index].from, graph.steps[index].to);
    let before = graph.steps[..index].iter().filter(same).count();
    14.0 * before as f64
}

/// A step's path: its first point, and the two of a curve before its last one.
struct Curve([(f64, f64); 4]);

impl Curve {
    /// A step between two states, and where its words are.
    fn of((x, y): (f64, f64), (to_x, to_y): (f64, f64), turn: f64, sideways: f64) -> (Curve, (f64, f64)) {
        let aside = turn + sideways;
        if (x, y) == (to_x, to_y) {
            let (out, high) = (x + aside, 20.0 + sideways / 2.0);
            let curve = Curve([(x, y), (out, y - high), (out, y + high), (x, y)]);
            return (curve, (x + 0.75 * aside + 5.0, y + 4.0 + sideways));
        }
        if turn > 0.0 {
            let curve = Curve([(x, y), (x + aside, y), (to_x + aside, to_y), (to_x, to_y)]);
            return (curve, ((x + to_x) / 2.0 + 0.75 * aside + 4.0, (y + to_y) / 2.0 + 4.0));
        }
        let middle = (y + to_y) / 2.0;
        let curve = Curve([(x, y), (x + sideways, middle), (to_x + sideways, middle), (to_x, to_y)]);
        // Nearer to where the lines are apart.
        (curve, (x + 0.72 * (to_x - x) + 0.75 * sideways, y + 0.64 * (to_y - y) - 0.7 * sideways))
    }

    fn path(&self) -> String {
        let [(x, y), (a, b), (c, d), (to_x, to_y)] = self.0;
        format!("M{x:.1} {y:.1}C{a:.1} {b:.1} {c:.1} {d:.1} {to_x:.1} {to_y:.1}")
    }

    /// The head of an arrow that ends at the circle.
    fn head(&self) -> String {
        let [.., (x, y), (to_x, to_y)] = self.0;
        let length = (to_x - x).hypot(to_y - y);
        let (dx, dy) = ((to_x - x) / length, (to_y - y) / length);
        let (tip_x, tip_y) = (to_x - (RADIUS + 1.0) * dx, to_y - (RADIUS + 1.0) * dy);
        let side = |turn: f64| (tip_x - 7.0 * dx - turn * dy, tip_y - 7.0 * dy + turn * dx);
        let ((ax, ay), (bx, by)) = (side(3.0), side(-3.0));
        format!("M{ax:.1} {ay:.1}L{tip_x:.1} {tip_y:.1}L{bx:.1} {by:.1}")
    }
}

fn circle(page: &mut String, state: &Circle, index: usize, (x, y): (f64, f64)) {
    let (class, mut words) = match (&state.found[..], state.is_end) {
        ([], true) => ("well", "all ranks are through".to_string()),
        ([], false) if index == 0 => ("open", "the beginning".to_string()),
        ([], false) => ("open", format!("after {}", counted(u64::from(state.depth), "choice"))),
        (found, _) => ("wrong", found.join(", ")),
    };
    if !state.holds.is_empty() {
        let _ = write!(words, "; true: {}", state.holds.join(", "));
    }
    let circle = format!(
        "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{RADIUS}\"><title>{}</title></circle>",
        escaped(&words)
    );
    let _ = match class_of(state.part) {
        "" => writeln!(page, "{circle}"),
        part => writeln!(page, "<g class=\"{}\">{circle}</g>", part.trim_start()),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(depths: &[u32], steps: &[(usize, usize)]) -> Graph {
        let state = |&depth| Circle { depth, ..Circle::default() };
        let step = |&(from, to)| Line { from, to, short: String::new(), words: String::new(), part: None };
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
