//! From traces of few ranks to a trace of many: two runs of a regular program, with P₁ < P₂ ranks, say how a run with Q
//! ranks would look.
//!
//! Each rank of the result has a counterpart among the P₂ ranks, at the same place of the grid (an edge stays an
//! edge), and that one has a counterpart among the P₁. The two traces of a counterpart are compared step by step: whom
//! the rank speaks with becomes a relation of places (a neighbour, a partner of a hypercube, the transposed place), and
//! an amount a₁ that became a₂ becomes a₂ · (a₂/a₁)^m at Q = P₂ · (P₂/P₁)^m, the power law through both. Steps that
//! only the larger trace has, rounds of a hypercube, come m times more.
//!
//! Grids, what stands for what, and which relation is meant where several are true, are tried; what fits is what leads
//! to a result in which every message that is sent is received ([`check`]). If nothing fits, the program is not regular
//! in this sense, and the user is told why. The idea of extrapolating traces by topology and power laws is that of
//! ScalaExtrap (Wu and Mueller, PPoPP 2011); this is another algorithm.
//!
//! | where | what |
//! |---|---|
//! | [`grid`] | places, relations between them, and which place stands for which |
//! | [`stream`] | traces in memory |
//! | [`plan`] | from two traces to rules |
//! | [`target`] | from rules to the ranks of the result |
//! | [`check`] | whether they fit together |
//!
//! *Invariant: a result is written only if all its messages and collective calls fit together.*
#![forbid(unsafe_code)]
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod check;
pub mod grid;
pub mod plan;
pub mod stream;
pub mod target;

use std::fmt::Write as _;

use smpi_base::WorldRank;
use smpi_base::map::Map;
use smpi_base::words::{counted, grouped};
use smpi_trace::{Action, Blocks, Output};

use check::Check;
use grid::{Grid, MOST_DIMENSIONS, Pattern, Preference, usual};
use plan::{Laws, Plan, Planner, Side, kinds, settle};
use stream::{Stream, Totals};
use target::{Contexts, Target, Walk};

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// The trace of fewer ranks.
    pub small: String,
    /// The trace of more ranks.
    pub large: String,
    /// Ranks of the result.
    pub ranks: u32,
    /// The grids of all three, if the user says so.
    pub grids: Option<[Grid; 3]>,
    /// The file that will name the files of the result.
    pub output: String,
}

/// New steps are left as they are if they are one in so many; with more of them a prediction would mislead.
const FEW_NEW: usize = 20;

/// Grids, and how one stands for the other.
#[derive(Clone, Debug)]
struct Choice {
    grids: [Grid; 3],
    pattern: Pattern,
    preference: Preference,
}

/// Scales a trace; returns what a user wants to know about it.
///
/// # Errors
/// Text for the user: what cannot be read or written, and why nothing fits.
pub fn scale(request: &Request) -> Result<String, String> {
    let traces = Traces::read(request)?;
    let mut why = String::new();
    let mut tell = |choice: &Choice, reason: String| {
        let _ = write!(why, "\n  {}: {reason}", choice.in_words());
    };
    let mut found = Vec::new();
    for choice in traces.choices(request) {
        match traces.plans(&choice) {
            Ok(plans) => found.push((plans.iter().map(Plan::new_steps).sum::<usize>(), choice, plans)),
            Err(reason) => tell(&choice, reason),
        }
    }
    // What both traces have in common is known best.
    found.sort_by_key(|(new, ..)| *new);
    for grows in [true, false] {
        for (new, choice, plans) in &found {
            let Some(repeats) = traces.repeats(*new, grows) else { continue };
            match traces.check(choice, plans, repeats) {
                Ok(totals) => return traces.write(request, choice, plans, repeats, totals),
                Err(reason) => tell(choice, reason),
            }
        }
    }
    if why.is_empty() {
        why = format!(
            "\n  {} ranks are no multiple of {}, and there is no grid with the borders of both",
            request.ranks,
            traces.large.len()
        );
    }
    Err(format!(
        "{} and {}: the program is not regular enough to be scaled to {} ranks, expected that its ranks do the same at \
         the same places of a grid; traces of more ranks say more, and --grid AxB,CxD,ExF names the grids of both traces \
         and of the result. Tried:{why}",
        request.small, request.large, request.ranks
    ))
}

impl Choice {
    fn in_words(&self) -> String {
        let [small, large, result] = &self.grids;
        let relations = match self.preference {
            Preference::Offset => "neighbours",
            Preference::Fixed => "one rank for all, and neighbours",
            Preference::High | Preference::Low => "hypercube",
        };
        let grids = format!("{}, {}, {}", small.in_words(), large.in_words(), result.in_words());
        format!("{grids}, {}, {relations}", self.pattern.in_words())
    }
}

/// Both traces.
struct Traces {
    small: Vec<Stream>,
    large: Vec<Stream>,
    small_kinds: Vec<Vec<String>>,
    large_kinds: Vec<Vec<String>>,
    laws: Laws,
    /// Sums of both.
    totals: [Totals; 2],
    /// Groups of ranks of the larger one that exchange no messages.
    groups: usize,
}

impl Traces {
    fn read(request: &Request) -> Result<Traces, String> {
        let (small, large) = (stream::read(&request.small)?, stream::read(&request.large)?);
        let [first, second] = [small.len() as u32, large.len() as u32];
        if first >= second || second >= request.ranks {
            return Err(format!(
                "{}: {first} ranks, {}: {second} ranks, and -np {}; expected a trace with fewer ranks, then one with \
                 more, and a still larger -np",
                request.small, request.large, request.ranks
            ));
        }
        if let Some([one, other, _]) = &request.grids
            && (one.ranks(), other.ranks()) != (first, second)
        {
            return Err(format!(
                "--grid: grids {} and {}, expected grids of {first} ranks and of {second} ranks, which the traces have",
                one.in_words(),
                other.in_words()
            ));
        }
        let (small_kinds, large_kinds) = (kinds(&small), kinds(&large));
        let power = (f64::from(request.ranks) / f64::from(second)).ln() / (f64::from(second) / f64::from(first)).ln();
        let laws = Laws { power, compute: Map::default(), lists: Map::default() };
        let mut of_large = Check::of(&large);
        let (totals, groups) = ([Check::of(&small).totals, of_large.totals], of_large.groups());
        let mut traces = Traces { small, large, small_kinds, large_kinds, laws, totals, groups };
        traces.find_laws();
        Ok(traces)
    }

    /// Factors of what is not compared step by step, from means: computation, which is measured and varies, and lists
    /// of counts, which all ranks must agree on.
    fn find_laws(&mut self) {
        let mut means: [[Map<&str, (f64, f64)>; 2]; 2] = Default::default();
        let sides = [(&self.small, &self.small_kinds), (&self.large, &self.large_kinds)];
        for ((streams, kinds), [compute, lists]) in sides.into_iter().zip(&mut means) {
            for (stream, kinds) in streams.iter().zip(kinds) {
                let entries: Vec<(f64, f64)> = stream.actions.iter().map(entries).collect();
                for event in &stream.events {
                    let kind = &kinds[event.action as usize];
                    for (map, (sum, number)) in
                        [(&mut *compute, (event.flops, 1.0)), (&mut *lists, entries[event.action as usize])]
                    {
                        if number > 0.0 {
                            let mean = map.entry(kind.as_str()).or_default();
                            (mean.0, mean.1) = (mean.0 + sum, mean.1 + number);
                        }
                    }
                }
            }
        }
        let [[small_compute, small_lists], [large_compute, large_lists]] = means;
        let factors = |small: &Map<&str, (f64, f64)>, large: Map<&str, (f64, f64)>| {
            let factor = |(kind, (sum, number)): (&str, (f64, f64))| {
                let (before, of) = small.get(kind).copied().unwrap_or_default();
                (kind.to_string(), self.laws.factor(before / of.max(1.0), sum / number))
            };
            large.into_iter().map(factor).collect::<Map<String, f64>>()
        };
        let (compute, lists) = (factors(&small_compute, large_compute), factors(&small_lists, large_lists));
        (self.laws.compute, self.laws.lists) = (compute, lists);
    }

    /// What may be tried, the simplest first.
    fn choices(&self, request: &Request) -> Vec<Choice> {
        let [small, large] = [self.small.len() as u32, self.large.len() as u32];
        let grids: Vec<[Grid; 3]> = match &request.grids {
            Some(grids) => vec![grids.clone()],
            None => (1..=MOST_DIMENSIONS)
                .flat_map(|dimensions| {
                    let [small, large, result] = [small, large, request.ranks].map(|ranks| usual(ranks, dimensions));
                    let pick = |grids: &[Grid], place: usize| grids[place.min(grids.len() - 1)].clone();
                    let ways = small.len().max(large.len()).max(result.len());
                    (0..ways)
                        .map(move |way| [pick(&small, way), pick(&large, way), pick(&result, way)])
                        .collect::<Vec<_>>()
                })
                .collect(),
        };
        let mut found = Vec::new();
        for grids in grids {
            for pattern in [Pattern::Repeated, Pattern::Bordered] {
                let fits = |pair: &[Grid]| {
                    pair[0].extents.iter().zip(&pair[1].extents).all(|(&small, &large)| pattern.fits(small, large))
                };
                // In a hypercube all places are alike.
                let all = [Preference::High, Preference::Offset, Preference::Fixed];
                let preferences = if pattern == Pattern::Repeated { &all[..] } else { &all[1..] };
                if grids.windows(2).all(fits) {
                    let choice = |&preference: &Preference| Choice { grids: grids.clone(), pattern, preference };
                    found.extend(preferences.iter().map(choice));
                }
            }
        }
        found
    }

    /// Rules for all ranks.
    fn plans(&self, choice: &Choice) -> Result<Vec<Plan>, String> {
        let [small_grid, large_grid, _] = &choice.grids;
        let small = Side { streams: &self.small, kinds: &self.small_kinds, grid: small_grid };
        let large = Side { streams: &self.large, kinds: &self.large_kinds, grid: large_grid };
        let plan = |rank| Planner::new(&small, &large, rank, choice.pattern, choice.preference, &self.laws).plan();
        let mut plans: Vec<Plan> = (0..large_grid.ranks()).map(plan).collect::<Result<_, _>>()?;
        settle(&mut plans, &self.laws);
        Ok(plans)
    }

    /// How often new steps come again: first as often as the numbers of ranks say, then, if they are few, not
    /// at all.
    fn repeats(&self, new: usize, grows: bool) -> Option<u32> {
        let all: usize = self.large.iter().map(|stream| stream.events.len()).sum();
        let power = self.laws.power.round();
        let is_whole = (self.laws.power - power).abs() < 1e-9;
        match grows {
            true if new > 0 => is_whole.then_some(power as u32),
            true => Some(0),
            false => (new > 0 && new * FEW_NEW <= all).then_some(0),
        }
    }

    fn target<'a>(&'a self, choice: &'a Choice, plans: &'a [Plan], repeats: u32) -> Target<'a> {
        let [_, from, grid] = &choice.grids;
        Target { plans, streams: &self.large, from, grid, pattern: choice.pattern, repeats }
    }

    /// The sums of the result, if it fits together.
    fn check(&self, choice: &Choice, plans: &[Plan], repeats: u32) -> Result<Totals, String> {
        let target = self.target(choice, plans, repeats);
        let ranks = target.grid.ranks();
        let mut contexts = Contexts::new(&self.large);
        let mut check = Check::new(ranks);
        for rank in 0..ranks {
            let note = |comms: &_, action: &_, times, flops| check.note(rank, comms, action, times, flops);
            Walk::new(&target, &mut contexts, rank).summary(note)?;
        }
        check.fits()?;
        // What was one group must not fall apart into copies of the trace.
        match (self.groups, check.groups()) {
            (1, groups) if groups > 1 => {
                Err(format!("the ranks would be parted into {}", counted(groups as u64, "group")))
            }
            _ => Ok(check.totals),
        }
    }

    fn write(
        &self,
        request: &Request,
        choice: &Choice,
        plans: &[Plan],
        repeats: u32,
        totals: Totals,
    ) -> Result<String, String> {
        let target = self.target(choice, plans, repeats);
        let mut contexts = Contexts::new(&self.large);
        let mut output = Output::create("scale -o", &request.output, request.ranks, false)?;
        for rank in 0..request.ranks {
            let mut written = Ok(());
            Walk::new(&target, &mut contexts, rank).steps(|flops, action| {
                if flops > 0.0 {
                    line(&mut output, rank, request.ranks, &Action::Compute(vec![flops]));
                }
                line(&mut output, rank, request.ranks, action);
                if written.is_ok() {
                    written = output.settle(WorldRank(rank), false);
                }
            })?;
            written?;
            output.settle(WorldRank(rank), true)?;
        }
        Ok(self.report(request, choice, plans, repeats, totals))
    }

    fn report(&self, request: &Request, choice: &Choice, plans: &[Plan], repeats: u32, totals: Totals) -> String {
        let mut text = format!(
            "{}: {} on the grids {}\n",
            request.output,
            counted(u64::from(request.ranks), "rank"),
            choice.in_words()
        );
        let _ = writeln!(text, "{:>8} {:>14} {:>20} {:>14}", "ranks", "messages", "bytes", "Gflop");
        let [small, large] = self.totals;
        let rows = [(self.small.len(), small), (self.large.len(), large), (request.ranks as usize, totals)];
        for (ranks, totals) in rows {
            let (messages, bytes) = (grouped(totals.messages), grouped(totals.bytes));
            let _ = writeln!(text, "{ranks:>8} {messages:>14} {bytes:>20} {:>14.3}", totals.flops / 1e9);
        }
        let new: usize = plans.iter().map(Plan::new_steps).sum();
        if new > 0 {
            let _ = writeln!(
                text,
                "{} of the larger trace are not in the smaller one; with more ranks they {}",
                counted(new as u64, "action"),
                if repeats > 0 { "are repeated" } else { "stay what they are" }
            );
        }
        text
    }
}

fn line(output: &mut Output, rank: u32, ranks: u32, action: &Action) {
    let lines = output.lines(WorldRank(rank));
    let _ = write!(lines, "{rank} ");
    action.write(ranks, lines);
    lines.push('\n');
}

/// The sum and the number of the entries of an action's lists.
fn entries(action: &Action) -> (f64, f64) {
    let Action::Collective(call) = action else { return (0.0, 0.0) };
    let (mut sum, mut number) = (0i64, 0usize);
    for blocks in [&call.send, &call.recv].into_iter().flatten() {
        match blocks {
            Blocks::Even(_) => {}
            Blocks::Varying { counts, .. } => (sum, number) = (sum + counts.iter().sum::<i64>(), number + counts.len()),
            Blocks::Typed(items) => {
                (sum, number) = (sum + items.iter().map(|items| items.count).sum::<i64>(), number + items.len());
            }
        }
    }
    ((sum + call.counts.iter().sum::<i64>()) as f64, (number + call.counts.len()) as f64)
}
