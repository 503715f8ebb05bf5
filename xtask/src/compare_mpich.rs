//! `cargo xtask compare --mpich [FILTER...]`: the test programs of `tests/programs` under Debian's MPICH and here. The
//! same source, the same number of ranks, the same arguments: exit code and printed lines must be the same. Lines are
//! sorted first, because ranks may print in any order.
//!
//! With `--abi PREFIX` under an MPICH that has the standard ABI, as the Python package `mpich` from 5.0 on: with the
//! same executables, of programs in C and C++.
//!
//! Programs about what only libsmpi has (`requires smpi`, options of smpirun, findings) take no part. A program on
//! which MPICH is known to be different says so in its comments, `MPICH 4.0.2 deviates: it …`; any other difference is
//! a failure.

use crate::shell::{GREEN, RED, build_release, heading, in_path, paint};
use smpi_tests::directives::{self, Directives};
use smpi_tests::environment::threads;
use smpi_tests::process::{self, Finished};
use smpi_tests::toolchain::{self, Launch, Toolchain};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What the reason follows, in a comment of a program on which MPICH is different.
const DEVIATES: &str = " deviates: ";

/// Seconds a compiler may take.
const COMPILE_SECS: u64 = 120;

/// What came of one program.
enum Verdict {
    Equal,
    Known,
    Different(String),
}

struct Program {
    source: PathBuf,
    name: String,
    directives: Directives,
    /// Why MPICH is different.
    deviation: Option<String>,
}

/// The subcommand; the words are parts of names of programs.
pub fn run(words: &[String]) -> Result<(), String> {
    let (prefix, words) = match words {
        [option, rest @ ..] if option == "--abi" => match rest {
            [prefix, rest @ ..] => (Some(installed(prefix)?), rest),
            [] => return Err("--abi: expected the directory where the library is installed".into()),
        },
        _ => (None, words),
    };
    if prefix.is_none() && (!in_path("mpicc.mpich") || !in_path("mpirun.mpich")) {
        println!("skipped: Debian's MPICH is not installed (mpicc.mpich); to compare: sudo apt-get install mpich");
        return Ok(());
    }
    crate::setup::ensure(&["gcc", "g++", "gfortran"])?;
    let directory = build_release()?;
    let theirs = match prefix {
        Some(prefix) => Toolchain::Abi { prefix, wrappers: directory.clone() },
        None => Toolchain::Mpich,
    };
    let ours = Toolchain::Smpi { directory };
    let mut programs = programs()?;
    programs.retain(|program| words.is_empty() || words.iter().any(|word| program.name.contains(word)));
    let all = programs.len();
    programs.retain(|program| {
        let fortran = toolchain::is_fortran(&program.source);
        theirs.skip_reason(&program.directives, fortran).is_none()
            && ours.skip_reason(&program.directives, fortran).is_none()
    });
    println!("{} programs, {} of them about libsmpi only", all, all - programs.len());
    let verdicts = in_parallel(&programs, |program| compare(program, &ours, &theirs));
    report(&programs, &verdicts)
}

/// Where an MPI library with the standard ABI is.
fn installed(prefix: &str) -> Result<PathBuf, String> {
    let place = Path::new(prefix).canonicalize().map_err(|e| format!("--abi {prefix}: {e}"))?;
    match ["bin/mpiexec", "lib/libmpi_abi.so.1"].into_iter().find(|file| !place.join(file).exists()) {
        Some(file) => {
            Err(format!("--abi {prefix}: no {file} there; to get one: python3 -m venv v && v/bin/pip install mpich"))
        }
        None => Ok(place),
    }
}

/// All test programs, sorted by name.
fn programs() -> Result<Vec<Program>, String> {
    let mut programs = Vec::new();
    for source in toolchain::programs()? {
        let text = std::fs::read_to_string(&source).map_err(|e| format!("{}: {e}", source.display()))?;
        let directives = directives::parse(&text).map_err(|e| format!("{}: {e}", source.display()))?;
        let name = toolchain::program_name(&source);
        programs.push(Program { source, name, directives, deviation: deviation(&text) });
    }
    Ok(programs)
}

/// The reason in a program's comments: the rest of the comment, as one line.
fn deviation(text: &str) -> Option<String> {
    let (_, after) = text.split_once("MPICH").and_then(|(_, after)| after.split_once(DEVIATES))?;
    let lines: Vec<&str> = after.lines().collect();
    let is_comment = |line: &&str| line.trim_start().starts_with(['*', '/', '!']);
    let more = lines.iter().skip(1).copied().take_while(|line| is_comment(line) && !lines[0].contains("*/"));
    let words = |line: &str| line.split_whitespace().map(String::from).collect::<Vec<_>>();
    let all: Vec<String> = std::iter::once(lines[0]).chain(more).flat_map(words).collect();
    let kept = all.into_iter().filter(|word| !["*", "*/", "//", "!"].contains(&word.as_str()));
    Some(kept.collect::<Vec<_>>().join(" "))
}

/// Applies a function to all elements on all cores.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], function: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::SeqCst);
            let Some(item) = items.get(index) else { return };
            let result = function(item);
            results.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((index, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads() {
            scope.spawn(work);
        }
    });
    let mut results = results.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

fn compare(program: &Program, ours: &Toolchain, theirs: &Toolchain) -> Verdict {
    let difference = match (run_with(program, ours), run_with(program, theirs)) {
        (Ok(ours), Ok(theirs)) => difference(&ours, &theirs),
        (Err(message), _) => Some(format!("libsmpi: {message}")),
        (_, Err(message)) => Some(format!("MPICH: {message}")),
    };
    match (difference, &program.deviation) {
        (None, _) => Verdict::Equal,
        (Some(_), Some(_)) => Verdict::Known,
        (Some(difference), None) => Verdict::Different(difference),
    }
}

fn run_with(program: &Program, tools: &Toolchain) -> Result<Finished, String> {
    let directory = tools.work_directory().join("compared").join(program.name.replace('/', "-"));
    std::fs::create_dir_all(&directory).map_err(|e| format!("{}: {e}", directory.display()))?;
    let beside = |file: &String| program.source.parent().unwrap_or(Path::new(".")).join(file);
    let directives = &program.directives;
    let compile = |sources: &[PathBuf], output: &Path, shared: bool| {
        let mut words = tools.compile(directives, sources, output, shared);
        if !shared {
            words.push(format!("-Wl,-rpath,{}", directory.display()));
        }
        let finished = process::run(&words, &directory, &[], COMPILE_SECS)?;
        match finished.code {
            0 => Ok(()),
            _ => Err(format!("does not compile: {}", first_line(&finished.stderr))),
        }
    };
    let mut sources = vec![program.source.clone()];
    sources.extend(directives.sources.iter().map(beside));
    if !directives.library.is_empty() {
        let parts: Vec<PathBuf> = directives.library.iter().map(beside).collect();
        let library = directory.join("libpart.so");
        compile(&parts, &library, true)?;
        sources.push(library);
    }
    let executable = directory.join("program");
    compile(&sources, &executable, false)?;
    let mut launches = vec![Launch { executable, ranks: directives.ranks, args: directives.args.clone() }];
    for (index, companion) in directives.companions.iter().enumerate() {
        let executable = directory.join(format!("program-{}", index + 2));
        compile(&[beside(&companion.source)], &executable, false)?;
        launches.push(Launch { executable, ranks: companion.ranks, args: companion.args.clone() });
    }
    let words = tools.launch(directives, &launches, None, Path::new("/nowhere"));
    let finished = process::run(&words, &directory, &directives.environment, directives.timeout_secs)?;
    if finished.timed_out {
        return Err(format!("does not end within {} s", directives.timeout_secs));
    }
    Ok(finished)
}

fn difference(ours: &Finished, theirs: &Finished) -> Option<String> {
    if ours.code != theirs.code {
        return Some(format!("exit code {} here, {} there", ours.code, theirs.code));
    }
    let sorted = |finished: &Finished| {
        let text = String::from_utf8_lossy(&finished.stdout).into_owned();
        let mut lines: Vec<String> = text.lines().map(|line| line.trim_end().to_string()).collect();
        lines.sort();
        lines
    };
    let (ours, theirs) = (sorted(ours), sorted(theirs));
    let place = (0..ours.len().max(theirs.len())).find(|i| ours.get(*i) != theirs.get(*i))?;
    let show = |lines: &[String]| lines.get(place).map_or("nothing".into(), |line| format!("`{line}`"));
    Some(format!("{} here, {} there", show(&ours), show(&theirs)))
}

fn first_line(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).lines().find(|line| line.contains("rror")).unwrap_or_default().trim().to_string()
}

/// A table by chapter, then the differences.
fn report(programs: &[Program], verdicts: &[Verdict]) -> Result<(), String> {
    // Chapter → programs, equal ones, known deviations.
    let mut chapters: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for (program, verdict) in programs.iter().zip(verdicts) {
        let chapter = program.name.split('/').next().unwrap_or_default();
        let row = chapters.entry(chapter).or_default();
        row[0] += 1;
        row[1] += usize::from(matches!(verdict, Verdict::Equal));
        row[2] += usize::from(matches!(verdict, Verdict::Known));
    }
    println!("{:<14} {:>9} {:>7} {:>15}", "chapter", "programs", "equal", "MPICH deviates");
    let mut sum = [0; 3];
    for (chapter, row) in &chapters {
        println!("{chapter:<14} {:>9} {:>7} {:>15}", row[0], row[1], row[2]);
        sum = std::array::from_fn(|i| sum[i] + row[i]);
    }
    println!("{:<14} {:>9} {:>7} {:>15}", "all", sum[0], sum[1], sum[2]);
    let mut failed = Vec::new();
    for (program, verdict) in programs.iter().zip(verdicts) {
        match verdict {
            Verdict::Equal => {}
            Verdict::Known => {
                println!("{:<32} MPICH deviates: {}", program.name, program.deviation.as_deref().unwrap_or_default());
            }
            Verdict::Different(difference) => failed.push((program.name.as_str(), difference)),
        }
    }
    if failed.is_empty() {
        println!("{}", paint("no other differences", GREEN));
        return Ok(());
    }
    heading("Different");
    failed.iter().for_each(|(name, difference)| println!("{} {difference}", paint(&format!("{name:<32}"), RED)));
    Err(format!("{} programs give other results with MPICH", failed.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_found_in_comments() {
        let two = "/* About.\n * MPICH 4.0.2 deviates: it does\n * not check. */\nint main(void)\n/* x */";
        assert_eq!(deviation(two).unwrap(), "it does not check.");
        assert_eq!(deviation("! MPICH 4.0.2 deviates: it crashes.\nprogram\n").unwrap(), "it crashes.");
        assert_eq!(deviation("/* MPICH deviates: it crashes. */\n/* more */\n").unwrap(), "it crashes.");
        assert_eq!(deviation("// MPICH is another MPI.\n"), None);
    }
}
