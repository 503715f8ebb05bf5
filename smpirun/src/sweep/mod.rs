//! `smpirun sweep`: programs, numbers of ranks, platforms and settings, each with each; what has run already is not run
//! again. Prints a table, and writes CSV and a page.
//!
//! | file | what |
//! |---|---|
//! | `study.rs` | what is to be run |
//! | `cache.rs` | what has run already |
//! | `run.rs` | runs the rest |
//! | `share.rs` | which runs a task of a job array makes |
//! | `slurm.rs` | the script of a job array |
//! | `status.rs` | how far all of it is |
//! | `table.rs` | speed-up, efficiency, cost; the table and CSV |
//! | `chart.rs` | a chart as SVG |
//! | `page.rs` | the page |

mod cache;
mod chart;
mod page;
mod run;
mod share;
mod slurm;
mod status;
mod study;
mod table;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Parser;
use smpi_base::print::{answer as print, reason};
use smpi_base::words::counted;
use smpi_base::{eprintln, exit};

use crate::apart::Files;
use crate::failure::{Failure, of_clap};
use crate::outputs;
use cache::{Cache, Outcome, Store, Use};
use run::{How, Job};
use share::Share;
use slurm::Array;
use study::Study;

const EXAMPLE: &str = "\
A study:
  [study]
  ranks = [1, 2, 4, 8]
  platforms = [\"cluster.toml\"]
  compute = \"off\"                  # or \"recorded\", or \"measured\"

  [[program]]
  path = \"stencil\"
  args = [\"--rows\", \"{ranks}\"]    # {ranks}: the number of ranks

  [[setting]]                      # as many as there are to compare
  name = \"no latency\"
  cfg = [\"what-if/latency:0\"]

Exit codes: 0 all runs ended well, 1 some failed, 2 the study is refused, 130 interrupted. Manual: docs/sweeps.md";

/// Run programs with all combinations of ranks, platforms and settings, but not again what has run already.
#[derive(Parser, Debug)]
#[command(name = "smpirun sweep", version, disable_version_flag = true, after_help = EXAMPLE)]
struct Options {
    /// The study
    #[arg(value_name = "STUDY.toml")]
    study: PathBuf,
    /// Keep results here; default: STUDY.cache beside the study
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Runs at once; default: one for each core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    jobs: Option<u32>,
    /// Words before each smpirun: "srun -n1"
    #[arg(long, value_name = "COMMAND", default_value = "")]
    launch: String,
    /// End a run after this time; it has failed then
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout: Option<u64>,
    /// Make runs again that failed
    #[arg(long)]
    retry: bool,
    /// Print how far the runs are, and on which machines
    #[arg(long, conflicts_with_all = ["jobs", "launch", "timeout", "retry", "csv", "html", "share", "slurm"])]
    status: bool,
    /// Print a job array for Slurm that makes the runs
    #[arg(long, conflicts_with_all = ["launch", "csv", "html", "share"])]
    slurm: bool,
    /// Make only this share of the runs, such as 3/64
    #[arg(long, value_name = "N/OF", value_parser = Share::parse, conflicts_with_all = ["csv", "html"])]
    share: Option<Share>,
    /// Write the table as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write a page with plots
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Makes the sweep, if the words after `smpirun` ask for one and name a study or an option.
pub fn answer(words: &[String]) -> Option<Result<(), Failure>> {
    let (first, rest) = words.split_first()?;
    let is_asked =
        rest.first().is_none_or(|word| word.starts_with('-')) || rest.iter().any(|word| word.ends_with(".toml"));
    if first != "sweep" || !is_asked {
        return None;
    }
    Some(match Options::try_parse_from(std::iter::once("smpirun sweep").chain(rest.iter().map(String::as_str))) {
        Ok(options) => sweep(&options),
        Err(why) if !why.use_stderr() => print(&why.to_string()).map_err(Failure::Refused),
        Err(why) => Err(of_clap(&why, "smpirun sweep --help")),
    })
}

fn sweep(options: &Options) -> Result<(), Failure> {
    let study = Study::load(&options.study)?;
    check_outputs(options, &study)?;
    let jobs = run::jobs(&study);
    let directory = options.cache.clone().unwrap_or_else(|| options.study.with_extension("cache"));
    if options.slurm {
        return print(&script(options, &study, &jobs, &directory)?).map_err(Failure::Refused);
    }
    if options.status {
        let store = Store::at(&directory);
        let runs = run::look(&study, &jobs, &store)?;
        return print(&status::text(&runs, &store.under_way())).map_err(Failure::Refused);
    }
    make(options, &study, jobs, &directory)
}

/// Makes the runs, and reports them.
fn make(options: &Options, study: &Study, jobs: Vec<Job>, directory: &Path) -> Result<(), Failure> {
    let jobs = match options.share {
        Some(share) => share.runs(study, jobs),
        None => jobs,
    };
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let how = How {
        launch: options.launch.split_whitespace().map(String::from).collect(),
        at_once: options.jobs.map_or(cores, |jobs| jobs as usize),
        limit: options.timeout.map(Duration::from_secs),
        retry: options.retry,
    };
    let cache = Cache::open(directory, if options.share.is_some() { Use::Shared } else { Use::Alone })?;
    let made = run::run(study, &jobs, &cache, &how)?;
    drop(cache);
    // A share has no table: it may have none of the runs to compare with.
    if options.share.is_none() {
        let rows = table::rows(study, &jobs, &made.outcomes);
        print(&table::text(study, &rows)).map_err(Failure::Refused)?;
        if let Some(file) = &options.csv {
            write(file, &table::csv(study, &rows))?;
        }
        if let Some(file) = &options.html {
            write(file, &page::page(&options.study.display().to_string(), study, &rows))?;
        }
    }
    let there = made.outcomes.iter().flatten();
    let failed = there.clone().filter(|outcome| matches!(outcome, Outcome::Failed(_))).count();
    let there = there.count();
    let runs = |number: usize| counted(number as u64, "run");
    eprintln!("{}: {} made, {} there already, {failed} failed", runs(jobs.len()), made.made, there - made.made);
    if made.is_interrupted {
        let left = jobs.len() - there;
        eprintln!("smpirun: note: interrupted, {} left; the same command goes on with them", runs(left));
        return Err(Failure::Told(INTERRUPTED));
    }
    if failed > 0 { Err(Failure::Told(exit::FOUND)) } else { Ok(()) }
}

/// The script of a job array.
fn script(options: &Options, study: &Study, jobs: &[Job], directory: &Path) -> Result<String, Failure> {
    let absolute = |path: &Path| {
        std::path::absolute(path).map_err(|error| Failure::Refused(format!("{}: {}", path.display(), reason(&error))))
    };
    let smpirun = std::env::current_exe().map_err(|error| Failure::Internal(format!("sweep: {error}")))?;
    let (path, cache) = (absolute(&options.study)?, absolute(directory)?);
    let array = Array {
        smpirun: &smpirun,
        study: &path,
        cache: &cache,
        runs: jobs.len(),
        tasks: share::count(study, jobs),
        at_once: options.jobs,
        limit_secs: options.timeout,
        retry: options.retry,
    };
    Ok(array.script())
}

/// Exit code after an interruption, as a shell gives it for Ctrl-C.
const INTERRUPTED: i32 = 130;

/// Refuses files that cannot be written, or that the sweep reads, before hours of runs, and not behind them.
fn check_outputs(options: &Options, study: &Study) -> Result<(), Failure> {
    let mut files = Files::default();
    files.reads("the study", &options.study);
    let below = |path: &String| study::below(&study.directory, path);
    for program in &study.programs {
        files.reads("a program of the study", below(&program.path));
        program.files.iter().for_each(|path| files.reads("a program of the study", below(path)));
    }
    study.platforms.iter().for_each(|platform| files.reads("the study", below(&platform.path)));
    for (name, file) in [("--csv", &options.csv), ("--html", &options.html)] {
        if let Some(file) = file {
            outputs::check_file(name, file, false)?;
            files.writes(name, file);
        }
    }
    files.check()
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    smpi_base::whole::write(file, text).map_err(|error| {
        Failure::Refused(format!("{}: cannot write it: {}; name another file", file.display(), reason(&error)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_studies_are_swept() {
        let words = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
        assert!(answer(&words("sweep 4")).is_none() && answer(&words("./sweep s.toml")).is_none());
        let refused = |text: &str| match answer(&words(text)) {
            Some(Err(Failure::Refused(message))) => message,
            other => panic!("{text}: {other:?}"),
        };
        assert!(refused("sweep").contains("STUDY.toml"));
        assert!(refused("sweep no-such.toml").contains("no-such.toml: cannot read the study"));
        assert!(refused("sweep --jobs 0 s.toml").contains("--jobs"));
    }
}
