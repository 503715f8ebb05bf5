//! Files that a run writes, and the trace that takes the place of a program: which are wanted, and whether they can be
//! written before anything runs.

use crate::apart::Files;
use crate::failure::Failure;
use crate::options::Options;
use nix::unistd::AccessFlags;
use smpi_base::plan::{ReplayPlan, TimelineFormat, TimelinePlan, TracePlan};
use smpi_base::print;
use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The file of a Paje trace, where the user names none: SMPI's.
const PAJE_FILE: &str = "smpi_simgrid.trace";

/// A file for all events, if one is wanted.
pub fn timeline(options: &Options) -> Result<Option<TimelinePlan>, Failure> {
    let path = match (&options.timeline, options.trace) {
        (None, false) => return Ok(None),
        (Some(path), _) => path,
        (None, true) => {
            let path = options.trace_file.clone().unwrap_or_else(|| PAJE_FILE.to_string());
            return Ok(Some(TimelinePlan { path, format: TimelineFormat::Paje }));
        }
    };
    let format = match Path::new(path).extension().and_then(|ending| ending.to_str()) {
        Some("json") => TimelineFormat::Perfetto,
        Some("trace" | "paje") => TimelineFormat::Paje,
        Some("otf2") => TimelineFormat::Otf2,
        _ => {
            return Err(Failure::Refused(format!(
                "--timeline {path}: expected a file that ends in .json (for ui.perfetto.dev), .otf2 or .trace (Paje)"
            )));
        }
    };
    let others = if format == TimelineFormat::Otf2 { beside(path) } else { Vec::new() };
    if let Some(other) = others.iter().find(|other| other.exists()) {
        return Err(Failure::Refused(format!(
            "--timeline {path}: there is {} already, where a part of it would be; remove it, or take another name",
            other.display()
        )));
    }
    Ok(Some(TimelinePlan { path: path.to_string(), format }))
}

/// What OTF2 has beside the file that names it: the folder of the events, and the definitions.
fn beside(path: &str) -> Vec<PathBuf> {
    ["", "def"].map(|ending| Path::new(path).with_extension(ending)).into()
}

/// The file that names the files of a trace, where the user names none: SMPI's.
const TRACE_FILE: &str = "smpi_simgrid.txt";

/// Where a time-independent trace goes, if one is wanted.
pub fn trace(options: &Options) -> Result<Option<TracePlan>, Failure> {
    if !options.trace_ti {
        return match &options.trace_file {
            Some(file) if !options.trace => {
                Err(Failure::Refused(format!("-trace-file {file}: expected -trace or -trace-ti before it")))
            }
            _ => Ok(None),
        };
    }
    let file = options.trace_file.clone().unwrap_or_else(|| TRACE_FILE.to_string());
    Ok(Some(TracePlan { file, one_file: options.trace_one_file }))
}

/// The trace to be replayed, which is an option no longer.
pub fn replay_trace(options: &mut Options) -> Result<Option<ReplayPlan>, Failure> {
    let Some(file) = options.replay.take() else { return Ok(None) };
    if !Path::new(&file).is_file() {
        let text =
            "expected a time-independent trace, or with a program behind it a schedule that --verify has printed";
        return Err(Failure::Refused(format!("-replay {file}: there is no such file; {text}")));
    }
    Ok(Some(ReplayPlan { file, ranks: options.np.unwrap_or(0) }))
}

/// What a run does with a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Does {
    /// It reads the file.
    Read,
    /// It writes the file, which may be a terminal or a pipe.
    Write,
    /// It writes the file if there is none, and reads it in any case.
    Keep,
}

/// The options that name files. A test finds options that are missing.
fn named(options: &Options) -> Vec<(&'static str, Does, &str)> {
    let property = options.ltl.as_deref().and_then(|text| text.strip_prefix('@'));
    let recorded = options.compute.as_deref().and_then(|how| how.strip_prefix("recorded:"));
    let trace =
        |is_wanted: bool, usual: &'static str| is_wanted.then(|| options.trace_file.as_deref().unwrap_or(usual));
    [
        ("-platform", Does::Read, options.platform.as_deref()),
        ("-hostfile", Does::Read, options.hostfile.as_deref()),
        ("--coll-table", Does::Read, options.coll_table.as_deref()),
        ("--automaton", Does::Read, options.automaton.as_deref()),
        ("--ltl", Does::Read, property),
        ("-replay", Does::Read, options.replay.as_deref().filter(|_| options.replays_trace)),
        ("--summary-json", Does::Write, options.summary_json.as_deref()),
        ("--profile-json", Does::Write, options.profile_json.as_deref()),
        ("--timeline", Does::Write, options.timeline.as_deref()),
        ("--report", Does::Write, options.report.as_deref()),
        ("--report-html", Does::Write, options.report_html.as_deref()),
        ("--checkpoint", Does::Keep, options.checkpoint.as_deref()),
        ("--resume", Does::Keep, options.resume.as_deref()),
        ("--coll-auto", Does::Write, options.coll_auto.as_deref()),
        ("-trace", Does::Write, trace(options.trace, PAJE_FILE)),
        ("-trace-ti", Does::Write, trace(options.trace_ti, TRACE_FILE)),
        ("--compute recorded:", Does::Keep, recorded),
    ]
    .into_iter()
    .filter_map(|(name, does, path)| Some((name, does, path?)))
    .collect()
}

/// The files of a run.
fn files(options: &Options) -> Files {
    let mut files = Files::default();
    for (name, does, path) in named(options) {
        match does {
            Does::Read => files.reads(name, path),
            Does::Keep if Path::new(path).exists() => files.reads(name, path),
            Does::Write | Does::Keep => files.writes(name, path),
        }
    }
    // A table of algorithms may be a setting.
    for setting in options.cfg.iter().flat_map(|text| text.split_whitespace()) {
        let table = setting.strip_prefix("smpi/coll-selector:").filter(|value| value.contains('/'));
        table.into_iter().for_each(|path| files.reads("--cfg=smpi/coll-selector", path));
    }
    if options.trace_ti {
        let file = options.trace_file.as_deref().unwrap_or(TRACE_FILE);
        files.writes_beside_trace("-trace-ti", file);
    }
    if let Some(file) = options.timeline.as_deref().filter(|file| file.ends_with(".otf2")) {
        beside(file).into_iter().for_each(|path| files.writes("--timeline", path));
    }
    files
}

/// Refuses files that would be written over what is read, or over each other. Those of a folder are in it. `programs`
/// are paths, and `trace` is what is replayed.
pub fn check_apart<'a>(
    options: &Options,
    programs: impl Iterator<Item = &'a str>,
    trace: Option<&str>,
) -> Result<(), Failure> {
    let mut files = files(options);
    programs.for_each(|path| files.reads("the program", path));
    if let Some(trace) = trace {
        files.reads_trace("-replay", trace);
    }
    files.check()
}

/// Refuses files that cannot be written before anything runs, and not when a long run is over.
pub fn check(options: &Options) -> Result<(), Failure> {
    for (name, does, path) in named(options) {
        if does != Does::Read {
            check_file(name, Path::new(path), does == Does::Keep)?;
        }
    }
    Ok(())
}

/// Refuses a file that cannot be written, or where it `is_read` again, a terminal or a pipe.
///
/// # Errors
/// The option that names it, and why.
pub fn check_file(option: &str, file: &Path, is_read: bool) -> Result<(), Failure> {
    let Some(reason) = cannot_write(file, is_read) else { return Ok(()) };
    let blank = if option.ends_with(':') { "" } else { " " };
    let file = file.display();
    Err(Failure::Refused(format!("{option}{blank}{file}: {reason}; expected a file that can be written")))
}

/// Why a file cannot be written, as far as that is known before somebody tries.
fn cannot_write(path: &Path, is_read: bool) -> Option<String> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match path.metadata() {
        _ if path.as_os_str().is_empty() => Some("the name is empty".to_string()),
        Ok(found) if found.is_dir() => Some("it is a directory".to_string()),
        Ok(found) if !found.is_file() => is_read.then(|| "it is a device or a pipe, which keeps nothing".to_string()),
        Ok(_) if is_read => File::open(path).err().map(|error| print::reason(&error)),
        Ok(_) => OpenOptions::new().append(true).open(path).err().map(|error| print::reason(&error)),
        Err(error) if error.kind() != ErrorKind::NotFound => Some(print::reason(&error)),
        Err(_) if !directory.is_dir() => Some(format!("there is no directory {}", directory.display())),
        Err(_) => nix::unistd::access(directory, AccessFlags::W_OK)
            .err()
            .map(|error| format!("{}: {}", directory.display(), error.desc().to_lowercase())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{CommandFactory, FromArgMatches};

    /// Options with a text that names no file.
    const OTHERS: &[&str] = &[
        "host",
        "cfg",
        "log",
        "noise",
        "stack-size",
        "heap-size",
        "privatize",
        "bandwidth",
        "latency",
        "wrapper",
        "memory",
        "symmetric",
        "launch",
    ];

    /// Options that name the file of something that another option asks for.
    const BESIDE: &[(&str, &str)] = &[("trace-file", "--trace")];

    /// The options as one word sets them, and what belongs to it; `None` where the value is no text.
    fn options(name: &str, value: &str) -> Option<Options> {
        let beside = BESIDE.iter().filter(|(named, _)| *named == name).map(|(_, option)| option.to_string());
        let words = ["smpirun".to_string(), format!("--{name}={value}")].into_iter().chain(beside);
        let matches = Options::command().try_get_matches_from(words).ok()?;
        let mut options = Options::from_arg_matches(&matches).ok()?;
        options.replays_trace = options.replay.is_some();
        Some(options)
    }

    /// Who adds an option that names a file adds it to those that are kept apart.
    #[test]
    fn every_option_that_names_a_file_is_known() {
        for arg in Options::command().get_arguments().filter(|arg| arg.get_action().takes_values()) {
            let name = arg.get_long().unwrap();
            let values = ["some/file", "@some/file", "recorded:some/file"];
            let given: Vec<Options> = values.iter().filter_map(|value| options(name, value)).collect();
            let is_known = given.iter().any(|options| named(options).iter().any(|(_, _, path)| *path == "some/file"));
            let is_other = given.is_empty() || OTHERS.contains(&name);
            assert!(
                is_known != is_other,
                "--{name}: is it a file that a run reads or writes? see `named` and `OTHERS`"
            );
        }
    }
}
