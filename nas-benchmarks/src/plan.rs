//! Which runs to make: benchmark, class, number of ranks, program.
//!
//! Numbers of ranks that a benchmark does not take are left out, as long as something remains of what the user asked
//! for.

use crate::official;
use crate::options::Choice;
use crate::refused::Refused;
use crate::suite::{self, ALL, Benchmark};
use std::path::{Path, PathBuf};

/// Numbers of ranks if the user gives none.
const DEFAULT_RANKS: [u32; 3] = [4, 16, 64];
/// Classes of our benchmarks if the user gives none.
const DEFAULT_CLASSES: [char; 2] = ['S', 'W'];

/// One run to make on each platform.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The benchmark.
    pub benchmark: Benchmark,
    /// The graph of DT, else empty.
    pub graph: &'static str,
    /// The class.
    pub class: char,
    /// The number of ranks.
    pub ranks: u32,
    /// The executable; empty as long as it is not compiled.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl Case {
    /// The benchmark, and the graph if there is one.
    pub fn label(&self) -> String {
        format!("{} {}", self.benchmark, self.graph).trim_end().to_string()
    }
}

/// The runs of our benchmarks.
///
/// # Errors
/// A class that a benchmark does not have, or numbers of ranks that do not fit.
pub fn ours(choice: &Choice) -> Result<Vec<Case>, Refused> {
    let benchmarks = or_default(&choice.benchmarks, &ALL);
    let classes = or_default(&choice.classes, &DEFAULT_CLASSES);
    for benchmark in &benchmarks {
        if let Some(class) = classes.iter().find(|class| !benchmark.our_classes().contains(**class)) {
            let classes: Vec<String> = benchmark.our_classes().chars().map(String::from).collect();
            return Err(Refused::new(
                format!("--classes: our {benchmark} has no class {class}"),
                format!("it has {}; larger ones run with --bin and the official NPB", classes.join(", ")),
            ));
        }
    }
    let ranks = or_default(&choice.ranks, &DEFAULT_RANKS);
    let mut cases = Vec::new();
    for &benchmark in &benchmarks {
        for &class in &classes {
            let class_argument = class.to_string();
            cases.extend(cases_of(benchmark, class, &ranks, &choice.graphs, Path::new(""), &[class_argument]));
        }
    }
    check_ranks(choice, &benchmarks, &classes, &cases)?;
    Ok(cases)
}

/// The runs of the executables of an NPB tree.
///
/// # Errors
/// A folder without executables that fit, executables that cannot run, or numbers of ranks that do not fit.
pub fn official(directory: &Path, choice: &Choice) -> Result<Vec<Case>, Refused> {
    let found = official::scan(directory)?;
    let mut cases = Vec::new();
    let mut chosen = Vec::new();
    for executable in &found {
        let wanted = (choice.benchmarks.is_empty() || choice.benchmarks.contains(&executable.benchmark))
            && (choice.classes.is_empty() || choice.classes.contains(&executable.class))
            && executable.ranks.is_none_or(|ranks| choice.ranks.is_empty() || choice.ranks.contains(&ranks));
        if !wanted {
            continue;
        }
        official::check_executable(&executable.path)?;
        let ranks = executable.ranks.map_or_else(|| or_default(&choice.ranks, &DEFAULT_RANKS), |ranks| vec![ranks]);
        cases.extend(cases_of(executable.benchmark, executable.class, &ranks, &choice.graphs, &executable.path, &[]));
        chosen.push((executable.benchmark, executable.class));
    }
    if chosen.is_empty() {
        return Err(Refused::new(
            format!("--bin: none of the {} NPB executables in '{}' fits the options", found.len(), directory.display()),
            "see --benchmarks, --classes and --ranks",
        ));
    }
    chosen.dedup();
    let (benchmarks, classes): (Vec<_>, Vec<_>) = chosen.into_iter().unzip();
    check_ranks(choice, &benchmarks, &classes, &cases)?;
    Ok(cases)
}

fn or_default<T: Copy>(given: &[T], default: &[T]) -> Vec<T> {
    if given.is_empty() { default.to_vec() } else { given.to_vec() }
}

/// The runs of one program.
fn cases_of(
    benchmark: Benchmark,
    class: char,
    ranks: &[u32],
    graphs: &[&'static str],
    program: &Path,
    arguments: &[String],
) -> Vec<Case> {
    let case = |graph: &'static str, ranks: u32| {
        let graph_argument = (!graph.is_empty()).then(|| graph.to_string());
        let arguments = graph_argument.into_iter().chain(arguments.iter().cloned()).collect();
        Case { benchmark, graph, class, ranks, program: program.to_path_buf(), arguments }
    };
    if benchmark == Benchmark::Dt {
        return graphs.iter().filter_map(|graph| Some(case(graph, suite::nodes_of(graph, class)?))).collect();
    }
    ranks.iter().filter(|ranks| benchmark.takes(class, **ranks).is_ok()).map(|ranks| case("", *ranks)).collect()
}

/// Refuses numbers of ranks that the user gave and no run uses, and benchmarks that take none of them.
fn check_ranks(choice: &Choice, benchmarks: &[Benchmark], classes: &[char], cases: &[Case]) -> Result<(), Refused> {
    let refusal = |benchmark: Benchmark, ranks: u32| {
        let taken =
            classes.iter().find_map(|class| benchmark.takes(*class, ranks).err().map(|numbers| (*class, numbers)));
        let (class, numbers) = taken.unwrap_or((classes[0], "the nodes of its graph".to_string()));
        Refused::new(
            format!("--ranks: {benchmark} class {class} does not run on {ranks} ranks"),
            format!("it takes {numbers}"),
        )
    };
    if let Some(ranks) = choice.ranks.iter().find(|ranks| cases.iter().all(|case| case.ranks != **ranks)) {
        let scaling = benchmarks.iter().find(|benchmark| **benchmark != Benchmark::Dt);
        return Err(refusal(*scaling.unwrap_or(&benchmarks[0]), *ranks));
    }
    if let Some(benchmark) = benchmarks.iter().find(|benchmark| cases.iter().all(|case| case.benchmark != **benchmark))
    {
        return Err(refusal(*benchmark, *choice.ranks.first().unwrap_or(&DEFAULT_RANKS[0])));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::GRAPHS;

    fn choice(benchmarks: &[Benchmark], classes: &[char], ranks: &[u32]) -> Choice {
        Choice {
            benchmarks: benchmarks.to_vec(),
            classes: classes.to_vec(),
            ranks: ranks.to_vec(),
            graphs: GRAPHS.to_vec(),
        }
    }

    fn ranks_of(cases: &[Case], benchmark: Benchmark) -> Vec<u32> {
        cases.iter().filter(|case| case.benchmark == benchmark).map(|case| case.ranks).collect()
    }

    #[test]
    fn numbers_that_do_not_fit_are_left_out_where_others_do() {
        let cases = ours(&choice(&[Benchmark::Cg, Benchmark::Bt], &['S'], &[4, 8, 9])).unwrap();
        assert_eq!(ranks_of(&cases, Benchmark::Cg), [4, 8]);
        assert_eq!(ranks_of(&cases, Benchmark::Bt), [4, 9]);
        assert_eq!(cases[0].arguments, ["S"]);
    }

    #[test]
    fn numbers_that_nothing_takes_are_refused() {
        assert!(ours(&choice(&[Benchmark::Cg], &['S'], &[3])).is_err());
        assert!(ours(&choice(&[Benchmark::Cg], &['S'], &[3, 4])).is_err());
        assert!(ours(&choice(&[Benchmark::Cg, Benchmark::Bt], &['S'], &[8])).is_err());
        assert!(ours(&choice(&[Benchmark::Is], &['C'], &[])).is_err());
    }

    #[test]
    fn dt_runs_on_the_nodes_of_its_graphs() {
        let cases = ours(&choice(&[Benchmark::Dt], &['S'], &[])).unwrap();
        assert_eq!(ranks_of(&cases, Benchmark::Dt), [5, 5, 12]);
        assert_eq!(cases[2].arguments, ["SH", "S"]);
        assert_eq!(cases[2].label(), "dt SH");
    }
}
