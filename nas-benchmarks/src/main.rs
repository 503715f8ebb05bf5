//! `nas-run`, called by `nas-benchmarks/run`: runs NAS benchmarks under smpirun and prints one table.
//!
//! It compiles the benchmarks of this folder, or takes the executables of an NPB tree; it does not build NPB. All times
//! in the table but the wall time are simulated.
#![forbid(unsafe_code)]

mod compile;
mod execute;
mod official;
mod options;
mod places;
mod plan;
mod plot;
mod progress;
mod refused;
mod results;
mod scratch;
mod study;
mod suite;
mod table;

use clap::Parser;
use options::Options;
use places::{Places, check_tool, stem};
use plan::Case;
use refused::Refused;
use results::Row;
use scratch::Scratch;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(refused) => {
            eprintln!("nas-benchmarks/run: {}\n  {}", refused.message, refused.next_step);
            ExitCode::from(2)
        }
    }
}

/// Whether all runs verified.
fn run(options: &Options) -> Result<bool, Refused> {
    let choice = options.choice()?;
    let places = places(options)?;
    let platforms = platforms(options, &places)?;
    for file in [&options.json, &options.plot].into_iter().flatten() {
        check_writable(file)?;
    }
    let cases = match &options.bin {
        Some(directory) => plan::official(directory, &choice)?,
        None => plan::ours(&choice)?,
    };
    if options.plot.is_some() {
        plot::check(&cases)?;
    }
    if let Some(file) = &options.study {
        return write_study(options, file, cases, &platforms, &places);
    }
    let scratch = Scratch::new()?;
    let cases = if options.bin.is_some() { cases } else { compile::all(cases, &places, scratch.path())? };
    let rows = run_all(options, &cases, &platforms, &places, &scratch)?;
    if let Some(file) = &options.json {
        write(file, &results::json(&rows, &platforms, options.reproducible))?;
    }
    if let Some(file) = &options.plot {
        write(file, &plot::svg(&rows, &platforms))?;
    }
    Ok(rows.iter().all(Row::verified))
}

/// Compiles, and leaves the runs to `smpirun sweep`.
fn write_study(
    options: &Options,
    file: &Path,
    cases: Vec<Case>,
    platforms: &[PathBuf],
    places: &Places,
) -> Result<bool, Refused> {
    let cases = if options.bin.is_some() {
        cases
    } else {
        let folder = study::folder(file);
        std::fs::create_dir_all(&folder).map_err(|error| {
            Refused::new(format!("--study: '{}' cannot be made: {error}", folder.display()), "name another file")
        })?;
        compile::all(cases, places, &folder)?
    };
    // The same computation on all platforms, unless the user says otherwise.
    let compute = if options.reproducible { "off" } else { options.compute.as_deref().unwrap_or("recorded") };
    study::write(file, &cases, platforms, compute)?;
    print(&format!("{} is written; run it with: smpirun sweep {0}\n", file.display()))?;
    Ok(true)
}

/// Runs case after case, and prints each row when it is known.
fn run_all(
    options: &Options,
    cases: &[Case],
    platforms: &[PathBuf],
    places: &Places,
    scratch: &Scratch,
) -> Result<Vec<Row>, Refused> {
    let how = execute::How {
        smpirun: places.tools.join("smpirun"),
        compute: if options.reproducible { "off" } else { options.compute.as_deref().unwrap_or("measured") },
        scratch,
    };
    let mut progress = progress::Progress::new(cases.len() * platforms.len());
    let mut rows = Vec::new();
    print(&table::header(platforms, options.reproducible))?;
    for case in cases {
        let mut runs = Vec::new();
        for platform in platforms {
            progress.next(&format!(
                "{} class {} on {} ranks, {}",
                case.label(),
                case.class,
                case.ranks,
                stem(platform)
            ));
            runs.push(how.run(case, platform)?);
        }
        progress.clear();
        let row = Row { case: case.clone(), runs };
        print(&table::row(&row, options.reproducible))?;
        rows.push(row);
    }
    Ok(rows)
}

/// Prints a part of the table; the reader may be gone.
fn print(text: &str) -> Result<(), Refused> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|error| {
        Refused::new(format!("the table cannot be printed: {error}"), "keep the output open until the end")
    })
}

fn places(options: &Options) -> Result<Places, Refused> {
    let own = std::env::current_exe().ok().and_then(|executable| executable.parent().map(Path::to_path_buf));
    let from_variable = || std::env::var_os("SMPI_BIN").map(PathBuf::from);
    // Not the search path: the smpirun there may be another implementation's.
    let tools = options.tools.clone().or_else(from_variable).or(own).unwrap_or_default();
    let tools = std::path::absolute(&tools).unwrap_or(tools);
    check_tool(&tools, "smpirun")?;
    let sources = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let platforms = sources.with_file_name("platforms");
    Ok(Places { tools, sources, platforms })
}

fn platforms(options: &Options, places: &Places) -> Result<Vec<PathBuf>, Refused> {
    if options.platform.is_empty() {
        return Ok(vec![places.platforms.join("gigabit-64.toml")]);
    }
    let existing = |file: &PathBuf| {
        let known = || {
            let names = std::fs::read_dir(&places.platforms).into_iter().flatten().flatten().map(|entry| entry.path());
            let mut names: Vec<String> = names.map(|path| path.display().to_string()).collect();
            names.sort();
            names.join(", ")
        };
        match std::path::absolute(file) {
            Ok(path) if path.is_file() => Ok(path),
            _ => Err(Refused::new(
                format!("--platform: '{}' is not a file", file.display()),
                format!("there are: {}", known()),
            )),
        }
    };
    options.platform.iter().map(existing).collect()
}

/// Refuses early, before anything ran, if a file cannot be written.
fn check_writable(file: &Path) -> Result<(), Refused> {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if parent.is_dir() && !file.is_dir() {
        return Ok(());
    }
    Err(Refused::new(format!("'{}' cannot be written", file.display()), "give a file in a folder that exists"))
}

fn write(file: &Path, text: &str) -> Result<(), Refused> {
    std::fs::write(file, text).map_err(|error| {
        Refused::new(format!("'{}' cannot be written: {error}", file.display()), "give a file that can be written")
    })
}
