//! Files that a run writes, and the trace that takes the place of a program: which are wanted, and whether they can be
//! written before anything runs.

use crate::failure::Failure;
use crate::options::Options;
use nix::unistd::AccessFlags;
use smpi_base::plan::{Compute, ReplayPlan, RunPlan, TimelineFormat, TimelinePlan, TracePlan};
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

/// What is read and what is written, by the options that say so.
#[derive(Default)]
struct Files {
    read: Vec<(&'static str, PathBuf)>,
    written: Vec<(&'static str, PathBuf)>,
}

impl Files {
    fn of(options: &Options, plan: &RunPlan) -> Files {
        let mut files = Files::default();
        let read = [
            ("-platform", plan.platform.as_ref()),
            ("-hostfile", options.hostfile.as_ref()),
            ("--coll-table", options.coll_table.as_ref()),
            ("--automaton", options.automaton.as_ref()),
            ("--ltl", options.ltl.as_deref().and_then(|text| text.strip_prefix('@')).map(String::from).as_ref()),
            ("-replay", plan.replay_trace.as_ref().map(|trace| &trace.file)),
        ]
        .map(|(name, path)| path.map(|path| (name, PathBuf::from(path))));
        files.read.extend(read.into_iter().flatten());
        files.read.extend(plan.apps.iter().map(|app| ("the program", PathBuf::from(&app.path))));
        if let Some(trace) = &plan.replay_trace {
            // What is no list of files is the trace itself.
            let named = smpi_trace::files_of(Path::new(&trace.file)).unwrap_or_default();
            files.read.extend(named.into_iter().map(|path| ("-replay", path)));
        }
        let written = [
            ("--summary-json", plan.summary_json.as_ref()),
            ("--profile-json", plan.profile_json.as_ref()),
            ("--timeline", plan.timeline.as_ref().map(|timeline| &timeline.path)),
            ("--report", options.report.as_ref()),
            ("--report-html", options.report_html.as_ref()),
            ("-trace-ti", plan.trace.as_ref().map(|trace| &trace.file)),
        ]
        .map(|(name, path)| path.map(|path| (name, PathBuf::from(path))));
        files.written.extend(written.into_iter().flatten());
        if let Some(trace) = &plan.trace {
            files.written.push(("-trace-ti", PathBuf::from(format!("{}_files", trace.file))));
        }
        if let Compute::Recorded(path) = &plan.compute {
            let path = PathBuf::from(path);
            let list = if path.exists() { &mut files.read } else { &mut files.written };
            list.push(("--compute recorded:", path));
        }
        files
    }
}

/// Refuses files that would be written over what is read, or over each other. Those of a folder are in it.
pub fn check_apart(options: &Options, plan: &RunPlan) -> Result<(), Failure> {
    let files = Files::of(options, plan);
    let refused = |(one, path): &(&str, PathBuf), (other, _): &(&str, PathBuf), does: &str| {
        Err(Failure::Refused(format!(
            "{one} {}: {other} {does} this file, which would be lost; expected another one: name it",
            path.display()
        )))
    };
    for (index, written) in files.written.iter().enumerate() {
        let place = place_of(&written.1);
        if let Some(read) = files.read.iter().find(|read| is_in(place_of(&read.1), &place)) {
            return refused(written, read, "reads");
        }
        // The folder of a trace is that trace's.
        let others = files.written[..index].iter().filter(|other| other.0 != written.0);
        if let Some(other) = others.into_iter().find(|other| is_in(place_of(&other.1), &place)) {
            return refused(written, other, "writes");
        }
    }
    Ok(())
}

/// A file whatever its name: what it is on the disk, or where it will be; `None` for what is no file, as a terminal.
fn place_of(path: &Path) -> Option<PathBuf> {
    match path.metadata() {
        Ok(found) if !found.is_file() && !found.is_dir() => None,
        Ok(_) => path.canonicalize().ok(),
        Err(_) => {
            let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Some(directory.canonicalize().ok()?.join(path.file_name()?))
        }
    }
}

fn is_in(file: Option<PathBuf>, place: &Option<PathBuf>) -> bool {
    file.zip(place.as_ref()).is_some_and(|(file, place)| file.starts_with(place))
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
        ("--coll-auto", &options.coll_auto, false),
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
