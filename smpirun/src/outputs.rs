//! Files that a run writes, and the trace that takes the place of a program: which are wanted, and whether they can be
//! written before anything runs.

use crate::failure::Failure;
use crate::options::Options;
use nix::unistd::AccessFlags;
use smpi_base::plan::{Compute, ReplayPlan, TimelineFormat, TimelinePlan, TracePlan};
use smpi_base::print;
use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::path::Path;

/// The file of a Paje trace, where the user names none: SMPI's.
const PAJE_FILE: &str = "smpi_simgrid.trace";

/// A file for all events, if one is wanted.
pub fn timeline(options: &Options) -> Result<Option<TimelinePlan>, Failure> {
    let path = match (&options.timeline, options.trace) {
        (None, false) => return Ok(None),
        (Some(path), _) => path,
        (None, true) => {
            let path = options.trace_file.clone().unwrap_or_else(|| PAJE_FILE.to_string());
            check_file("-trace-file", &path, false)?;
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
    let beside = Path::new(path).with_extension("");
    if format == TimelineFormat::Otf2 && beside.exists() {
        return Err(Failure::Refused(format!(
            "--timeline {path}: there is {} already, where the events would be; remove it, or take another name",
            beside.display()
        )));
    }
    Ok(Some(TimelinePlan { path: path.to_string(), format }))
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
    check_file("-trace-file", &file, false)?;
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

/// Refuses files that cannot be written before anything runs, and not when a long run is over.
pub fn check(options: &Options, compute: &Compute) -> Result<(), Failure> {
    let recorded = match compute {
        Compute::Recorded(path) => Some(path.clone()),
        _ => None,
    };
    // What is recorded is read again, so that a terminal or a pipe will not do.
    let outputs = [
        ("--summary-json", &options.summary_json, false),
        ("--profile-json", &options.profile_json, false),
        ("--timeline", &options.timeline, false),
        ("--report", &options.report, false),
        ("--report-html", &options.report_html, false),
        ("--compute recorded:", &recorded, true),
    ];
    for (name, path, is_read) in outputs {
        if let Some(path) = path {
            check_file(name, path, is_read)?;
        }
    }
    Ok(())
}

fn check_file(option: &str, file: &str, is_read: bool) -> Result<(), Failure> {
    let Some(reason) = cannot_write(Path::new(file), is_read) else { return Ok(()) };
    let blank = if option.ends_with(':') { "" } else { " " };
    Err(Failure::Refused(format!("{option}{blank}{file}: {reason}; expected a file that can be written")))
}

/// Why a file cannot be written, as far as that is known before somebody tries.
fn cannot_write(path: &Path, is_read: bool) -> Option<String> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match path.metadata() {
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
