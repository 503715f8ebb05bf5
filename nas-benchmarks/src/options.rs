//! The command line: its definition, and the checks of lists that need no files.

use crate::refused::Refused;
use crate::suite::{ALL, Benchmark, CLASSES, GRAPHS};
use clap::Parser;
use std::path::PathBuf;

const EXAMPLES: &str = "Examples:
  nas-benchmarks/run --classes S --ranks 4,16
  nas-benchmarks/run --benchmarks cg,ft --platform platforms/gigabit-64.toml --platform platforms/infiniband-256.toml
  nas-benchmarks/run --benchmarks cg,mg,ft --classes A --ranks 1,2,4,8,16 --plot speedup.svg
  nas-benchmarks/run --bin NPB3.4-MPI/bin --benchmarks cg,lu --ranks 16

Exit code: 0 all runs verified; 1 a run failed or did not verify; 2 input refused.";

/// Runs NAS benchmarks under smpirun and prints one table of the results.
///
/// Without --bin it compiles and runs ours; with --bin it runs the executables of an NPB tree that were built with
/// smpicc and smpif90.
#[derive(Parser, Debug)]
#[command(name = "nas-benchmarks/run", bin_name = "nas-benchmarks/run", after_help = EXAMPLES, args_override_self = true)]
pub struct Options {
    /// Benchmarks, of bt,cg,dt,ep,ft,is,lu,mg,sp [default: all there are]
    #[arg(long, alias = "benchmark", value_name = "LIST", value_delimiter = ',')]
    pub benchmarks: Vec<String>,
    /// Classes, of S,W,A,B and for some C [default: S,W; with --bin all there are]
    #[arg(long, alias = "class", value_name = "LIST", value_delimiter = ',')]
    pub classes: Vec<String>,
    /// Numbers of ranks; a benchmark leaves out those it does not take, and DT runs on the nodes of its graph [default:
    /// 4,16,64; the number in an executable's name]
    #[arg(long, alias = "np", value_name = "LIST", value_delimiter = ',')]
    pub ranks: Vec<String>,
    /// Graphs of DT, of BH,WH,SH [default: all]
    #[arg(long, alias = "graph", value_name = "LIST", value_delimiter = ',')]
    pub graphs: Vec<String>,
    /// Platform; repeat it to see several side by side [default: platforms/gigabit-64.toml]
    #[arg(long, value_name = "FILE", action = clap::ArgAction::Append)]
    pub platform: Vec<PathBuf>,
    /// Run the NPB executables of this folder (is.S.x, ep.W.x, bt.W.4 ...)
    #[arg(long, value_name = "DIR")]
    pub bin: Option<PathBuf>,
    /// How computation is charged: smpirun's --compute [default: measured]
    #[arg(long, value_name = "HOW")]
    pub compute: Option<String>,
    /// Charge no computation and leave out wall time and memory: two runs print the same bytes
    #[arg(long, conflicts_with = "compute")]
    pub reproducible: bool,
    /// Write the results as JSON data
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Run nothing: write a study for smpirun sweep, which runs all platforms at once; the executables are put beside
    /// it
    #[arg(long, value_name = "FILE.toml", conflicts_with_all = ["json", "plot"])]
    pub study: Option<PathBuf>,
    /// Draw speed-up against ranks
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// Where smpicc, smpif90 and smpirun are [default: $SMPI_BIN, else the folder of this program]
    #[arg(long, value_name = "DIR")]
    pub tools: Option<PathBuf>,
}

/// What to run, as far as the lists of the command line say. An empty list means that there was no such option.
#[derive(Debug)]
pub struct Choice {
    /// Benchmarks in the order given.
    pub benchmarks: Vec<Benchmark>,
    /// Classes in the order given.
    pub classes: Vec<char>,
    /// Numbers of ranks, in ascending order.
    pub ranks: Vec<u32>,
    /// Graphs of DT, all by default.
    pub graphs: Vec<&'static str>,
}

impl Options {
    /// Reads the lists.
    ///
    /// # Errors
    /// Names the first element that is unknown.
    pub fn choice(&self) -> Result<Choice, Refused> {
        let benchmarks = each(&self.benchmarks, |word| Benchmark::named(&word.to_lowercase())).map_err(|word| {
            let names: Vec<&str> = ALL.iter().map(|benchmark| benchmark.name()).collect();
            refused("--benchmarks", "benchmark", &word, &names.join(", "))
        })?;
        let classes =
            each(&self.classes, |word| CLASSES.into_iter().find(|class| word.to_uppercase() == class.to_string()))
                .map_err(|word| refused("--classes", "class", &word, "S, W, A, B, C, D, E or F"))?;
        let mut ranks = each(&self.ranks, |word| word.parse().ok().filter(|ranks| *ranks > 0))
            .map_err(|word| refused("--ranks", "number of ranks", &word, "numbers such as 4,16"))?;
        ranks.sort_unstable();
        ranks.dedup();
        let mut graphs = each(&self.graphs, |word| GRAPHS.into_iter().find(|graph| word.to_uppercase() == *graph))
            .map_err(|word| refused("--graphs", "graph", &word, "BH, WH or SH"))?;
        if graphs.is_empty() {
            graphs = GRAPHS.to_vec();
        }
        Ok(Choice { benchmarks, classes, ranks, graphs })
    }
}

/// All words, read; or the first word that cannot be.
fn each<T>(words: &[String], read: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, String> {
    words.iter().map(|word| read(word.trim()).ok_or_else(|| word.clone())).collect()
}

fn refused(option: &str, what: &str, word: &str, expected: &str) -> Refused {
    Refused::new(format!("{option}: there is no {what} '{word}'"), format!("expected {expected}"))
}
