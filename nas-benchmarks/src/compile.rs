//! Compiles our benchmarks with smpicc and smpif90 into a folder.

use crate::places::{Places, check_tool};
use crate::plan::Case;
use crate::refused::Refused;
use crate::suite::Benchmark;
use std::path::Path;
use std::process::Command;

/// Lines of a compiler's messages that are shown.
const LINES_SHOWN: usize = 20;

/// Compiles what the cases need, and puts the executables into them.
///
/// # Errors
/// A tool or compiler that is missing, or a benchmark that does not compile.
pub fn all(mut cases: Vec<Case>, places: &Places, folder: &Path) -> Result<Vec<Case>, Refused> {
    let mut benchmarks: Vec<Benchmark> = cases.iter().map(|case| case.benchmark).collect();
    benchmarks.sort();
    benchmarks.dedup();
    for benchmark in &benchmarks {
        check_tool(&places.tools, wrapper(*benchmark))?;
    }
    for benchmark in benchmarks {
        compile(benchmark, places, folder)?;
    }
    for case in &mut cases {
        case.program = folder.join(case.benchmark.name());
    }
    Ok(cases)
}

fn wrapper(benchmark: Benchmark) -> &'static str {
    if benchmark.is_fortran() { "smpif90" } else { "smpicc" }
}

fn compile(benchmark: Benchmark, places: &Places, folder: &Path) -> Result<(), Refused> {
    let (wrapper, source) = (wrapper(benchmark), places.sources.join(benchmark.source()));
    // Module files of Fortran go to the working directory.
    let mut command = Command::new(places.tools.join(wrapper));
    command.arg("-O2").arg(&source).args(["-o", benchmark.name(), "-lm"]).current_dir(folder);
    let failed = |why: String| {
        let without = if benchmark.is_fortran() { ", or leave out bt, lu and sp with --benchmarks" } else { "" };
        Refused::new(
            format!("{} cannot be compiled with {wrapper}:\n{why}", benchmark.source()),
            format!("mend the compiler{without}"),
        )
    };
    let output =
        command.output().map_err(|error| failed(format!("{}: {error}", places.tools.join(wrapper).display())))?;
    if output.status.success() {
        return Ok(());
    }
    let messages = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<String> = messages.lines().take(LINES_SHOWN).map(|line| format!("  {line}")).collect();
    Err(failed(lines.join("\n")))
}
