//! What info objects say about ranks that are spawned (MPI 5.0 §11.8.4): which file the program is, where it runs, and
//! how many ranks of it there may be.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use smpi_base::HostId;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::info::Info;
use smpi_platform::Platform;
use smpi_process::AppSpec;

/// The keys that name hosts, one beside the other.
const HOST_KEYS: [&str; 2] = ["host", "add-host"];
/// What every host calls itself.
const LOCALHOST: &str = "localhost";
/// The keys that name a file of hosts.
const HOSTFILE_KEYS: [&str; 2] = ["hostfile", "add-hostfile"];

fn refused(text: String) -> MpiError {
    MpiError::new(ErrorClass::SPAWN, text)
}

/// The program that a command names, as ranks of it are started.
///
/// A name with a `/` is a path, from the directory in which the ranks begin or else from the caller's. Another one is
/// looked for in the directories of the key `path`, in the caller's directory, and in those of the variable `PATH`.
///
/// # Errors
/// `MPI_ERR_SPAWN` where there is no such program.
pub fn program(command: &str, args: Vec<String>, ranks: u32, info: &Info) -> Result<AppSpec> {
    let directory = info.get("wdir")?;
    if let Some(directory) = directory.filter(|directory| !Path::new(directory).is_dir()) {
        return Err(refused(format!("the directory {directory} of the key wdir does not exist")));
    }
    let path = find(command, directory, info.get("path")?).ok_or_else(|| {
        refused(format!(
            "there is no program \"{command}\"; expected an executable file: give its path, or its directory with the \
             key path"
        ))
    })?;
    let path = path.to_str().ok_or_else(|| refused(format!("the path of {command} is not UTF-8")))?.to_string();
    // Relative ones are looked up from the caller's directory.
    let absolute = directory.map(|directory| std::path::absolute(directory).unwrap_or_default());
    let absolute = absolute.map(|directory| directory.to_string_lossy().into_owned());
    Ok(AppSpec { path, args, ranks, directory: absolute })
}

fn find(command: &str, directory: Option<&str>, paths: Option<&str>) -> Option<PathBuf> {
    let is_program = |path: &PathBuf| {
        std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    };
    let mut places: Vec<PathBuf> = Vec::new();
    places.extend(directory.map(PathBuf::from));
    if command.contains('/') {
        places.push(PathBuf::new());
    } else {
        places.splice(0..0, paths.iter().flat_map(|paths| paths.split(':')).map(PathBuf::from));
        places.push(PathBuf::from("."));
        let variable = std::env::var_os("PATH").unwrap_or_default();
        places.extend(std::env::split_paths(&variable).filter(|path| !path.as_os_str().is_empty()));
    }
    let found = places.into_iter().map(|place| place.join(command)).find(is_program)?;
    std::fs::canonicalize(found).ok()
}

/// The hosts that ranks go to, one after the other; none where the info does not say. `own` is the caller's.
///
/// # Errors
/// `MPI_ERR_SPAWN` for hosts that the platform does not have, and for files that cannot be read.
pub fn hosts(info: &Info, platform: &Platform, own: HostId) -> Result<Vec<HostId>> {
    let mut names: Vec<String> = Vec::new();
    for key in HOST_KEYS {
        let value = info.get(key)?.unwrap_or_default();
        names.extend(value.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_string));
    }
    for key in HOSTFILE_KEYS {
        let Some(path) = info.get(key)? else { continue };
        let text = std::fs::read_to_string(path)
            .map_err(|error| refused(format!("the file {path} of the key {key} cannot be read: {error}")))?;
        names.extend(text.lines().flat_map(of_line));
    }
    let find = |name: &String| {
        let known = platform.host_named(name).or((name == LOCALHOST).then_some(own));
        known.ok_or_else(|| refused(format!("the platform has no host \"{name}\"; {LOCALHOST} is the caller's own")))
    };
    names.iter().map(find).collect()
}

/// The hosts of a line of a hostfile: a name, with `:4` or ` slots=4` behind it so often.
fn of_line(line: &str) -> impl Iterator<Item = String> {
    let line = line.split('#').next().unwrap_or_default();
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default();
    let (name, count) = match first.split_once(':') {
        Some((name, count)) => (name, count.parse().ok()),
        None => (first, words.find_map(|word| word.strip_prefix("slots=")?.parse().ok())),
    };
    let count = if name.is_empty() { 0 } else { count.unwrap_or(1) };
    std::iter::repeat_n(name.to_string(), count)
}

/// How many ranks are spawned where `maxprocs` are asked for: the most that the key `soft` allows.
///
/// # Errors
/// `MPI_ERR_INFO_VALUE` for a list that is not one of numbers and ranges (MPI 5.0 §11.8.4).
pub fn soft(maxprocs: u32, info: &Info) -> Result<u32> {
    let Some(list) = info.get("soft")? else { return Ok(maxprocs) };
    let bad = || {
        let expected = "a list of numbers and of ranges first:last or first:last:stride, as 1,4:16:2";
        MpiError::parameter(ErrorClass::INFO_VALUE, "info", format!("with soft={list}"), expected)
    };
    let mut most = None;
    for part in list.split(',') {
        let numbers: Vec<i64> =
            part.split(':').map(|word| word.trim().parse().map_err(|_| bad())).collect::<Result<_>>()?;
        let (first, last, stride) = match numbers[..] {
            [only] => (only, only, 1),
            [first, last] => (first, last, 1),
            [first, last, stride] if stride != 0 => (first, last, stride),
            _ => return Err(bad()),
        };
        let most_here = largest_in(first, last, stride, i64::from(maxprocs));
        most = most.max(most_here);
    }
    let most = most.and_then(|most| u32::try_from(most).ok());
    most.ok_or_else(|| refused(format!("soft={list} allows none of the numbers of ranks up to {maxprocs}")))
}

/// The largest number of a range that is at least 0 and at most `limit`.
fn largest_in(first: i64, last: i64, stride: i64, limit: i64) -> Option<i64> {
    let (low, high, step) = if stride > 0 {
        (first, last, stride)
    } else {
        let count = (first - last) / -stride;
        (first + count * stride, first, -stride)
    };
    let top = high.min(limit);
    let value = low + (top - low).div_euclid(step) * step;
    (top >= low && value >= 0).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(pairs: &[(&str, &str)]) -> Info {
        let mut info = Info::new();
        pairs.iter().for_each(|(key, value)| info.set(key, value).unwrap());
        info
    }

    #[test]
    fn soft_numbers_are_the_most_that_is_allowed() {
        let most = |list: &str| soft(10, &info(&[("soft", list)])).ok();
        assert_eq!(soft(10, &info(&[])).ok(), Some(10));
        let cases = [("1,4", 4), ("1:10", 10), ("1:100:4", 9), ("12:0:-5", 7), ("3,20", 3), ("0:10000:2", 10)];
        for (list, expected) in cases {
            assert_eq!(most(list), Some(expected), "{list}");
        }
        for list in ["", "a", "1:2:0", "1:2:3:4", "11", "20:30"] {
            assert_eq!(most(list), None, "{list}");
        }
    }

    #[test]
    fn a_line_of_a_hostfile_names_a_host_so_often() {
        let names = |line| of_line(line).collect::<Vec<_>>();
        assert_eq!(names("node-1:2 # two"), ["node-1", "node-1"]);
        assert_eq!(names(" node-2 slots=3"), ["node-2"; 3]);
        assert_eq!(names("node-3"), ["node-3"]);
        assert!(names("# nothing").is_empty() && names("").is_empty());
    }

    #[test]
    fn a_program_that_is_missing_is_refused() {
        assert!(program("./no-such-program", Vec::new(), 1, &info(&[])).is_err());
        assert!(program("sh", Vec::new(), 1, &info(&[("wdir", "/no/such/directory")])).is_err());
        let found = program("sh", vec!["-c".into()], 2, &info(&[("path", "/bin"), ("wdir", "/")])).unwrap();
        assert!(found.path.starts_with('/') && found.directory.as_deref() == Some("/"));
    }
}
