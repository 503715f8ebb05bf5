//! What has run already: results by what they depend on, in a directory.
//!
//! A result is found by the contents of the program, of the files it reads and of the platform, by arguments, ranks and
//! settings, and by the contents of libsmpi: where one of them changes, there is no result. Results are written
//! beside and then renamed, so that an interrupted sweep leaves whole files only, on network file systems as well, and
//! any number of processes on any machines may write them. A lock keeps two sweeps from making the same runs, where the
//! file system has locks; nothing else depends on it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use serde::{Deserialize, Serialize};
use smpi_base::print::reason;
use smpi_base::stat;
use smpi_report::profile::Profile;
use xxhash_rust::xxh3::xxh3_128;

use crate::failure::Failure;

/// The format of results: another number makes all earlier ones unknown.
const SCHEMA: &str = "libsmpi-sweep/2";

/// The file that a sweep holds locked.
const LOCK: &str = "lock";

/// How folders of runs that are not over begin; the machine and the process follow.
const RUNNING: &str = "running-";

/// The file with the name of a machine in such a folder, and how those of single runs end.
pub const MACHINE: &str = "machine";

/// A folder of another machine of which nobody can say whether its process lives is left behind after this time
/// without a new run in it.
const LEFT: Duration = Duration::from_secs(30 * 24 * 3600);

/// The directories of what is kept.
const KEPT: [&str; 2] = ["results", "recordings"];

/// Everything that a result depends on. Contents of files are digests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Key {
    /// The library, and this launcher.
    pub libsmpi: [String; 2],
    /// The program.
    pub program: String,
    /// What the study says that it reads: names and contents.
    pub files: Vec<(String, String)>,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its ranks.
    pub ranks: u32,
    /// Which of several runs it is, from 0.
    pub repetition: u32,
    /// How computation is charged; with the recording's contents, where there is one.
    pub compute: String,
    /// The platform; empty in the key of a recording.
    pub platform: String,
    /// Settings, as `key:value`.
    pub cfg: Vec<String>,
}

/// What became of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It ended well.
    Ran(Figures),
    /// It did not.
    Failed(Failed),
}

/// What is kept of a profile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// The run's simulated time.
    pub simulated_time_secs: f64,
    /// Hosts that had ranks.
    pub hosts: u32,
    /// Parallel efficiency by POP; 0 where nothing was computed.
    pub parallel: f64,
    /// Its factors.
    pub load_balance: f64,
    /// The same.
    pub serialisation: f64,
    /// The same.
    pub transfer: f64,
    /// The same.
    pub contention: f64,
    /// What costs most, in words, and its share of the time of all ranks.
    pub cause: Option<(f64, String)>,
}

/// Why there are no figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failed {
    /// Exit code; 128 + signal where a signal ended the run; `None` where it could not be started or took too long.
    pub code: Option<i32>,
    /// What it said.
    pub message: String,
}

impl Figures {
    /// What is kept of this profile.
    pub fn of(profile: &Profile) -> Figures {
        let mut hosts: Vec<&str> = profile.rank_rows.iter().map(|row| row.host.as_str()).collect();
        hosts.sort_unstable();
        hosts.dedup();
        Figures {
            simulated_time_secs: profile.simulated_time_secs,
            hosts: hosts.len() as u32,
            parallel: profile.efficiency.parallel,
            load_balance: profile.efficiency.load_balance,
            serialisation: profile.efficiency.serialisation,
            transfer: profile.efficiency.transfer,
            contention: profile.efficiency.contention,
            cause: profile.causes.first().map(|cause| (profile.share(cause.secs), cause.words.clone())),
        }
    }
}

/// A result, and on which machine it was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// The result.
    pub outcome: Outcome,
    /// The machine's name; empty where that is not known.
    pub machine: String,
}

/// A result as a file.
#[derive(Serialize, Deserialize)]
struct Entry {
    schema: String,
    key: Key,
    outcome: Outcome,
    #[serde(default)]
    machine: String,
}

/// Who uses a cache beside this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Nobody: all runs are made here.
    Alone,
    /// Others that make other runs.
    Shared,
}

/// The directory as anybody may read it, at any time. There may be none.
pub struct Store(PathBuf);

impl Store {
    /// The one with this path.
    pub fn at(directory: &Path) -> Store {
        Store(directory.to_path_buf())
    }

    /// The result for a key, if there is one.
    pub fn find(&self, key: &Key) -> Option<Kept> {
        let text = std::fs::read_to_string(self.result(key)).ok()?;
        let Entry { schema, key: known, outcome, machine } = serde_json::from_str(&text).ok()?;
        (schema == SCHEMA && known == *key).then_some(Kept { outcome, machine })
    }

    /// Where the computation of runs with this key is recorded, and its digest if it is.
    pub fn recording(&self, key: &Key) -> (PathBuf, Option<String>) {
        let path = self.0.join("recordings").join(name(key));
        let digest = digest(&path).ok();
        (path, digest)
    }

    /// The machines of runs that are being made, each as often as it has such runs.
    pub fn under_way(&self) -> Vec<String> {
        let mut machines = Vec::new();
        for folder in self.running().into_iter().filter(|folder| !is_left(folder)) {
            let machine = read_name(&folder.join(MACHINE)).unwrap_or_default();
            for run in entries(&folder).into_iter().filter(|path| path.extension().is_some_and(|end| end == "out")) {
                machines.push(read_name(&run.with_extension(MACHINE)).unwrap_or_else(|| machine.clone()));
            }
        }
        machines
    }

    /// The folders of runs that are not over.
    fn running(&self) -> Vec<PathBuf> {
        let is_running = |path: &PathBuf| process_of(path).is_some();
        entries(&self.0).into_iter().filter(is_running).collect()
    }

    fn result(&self, key: &Key) -> PathBuf {
        self.0.join("results").join(name(key) + ".json")
    }
}

/// The directory, which nobody else uses in another way for as long as this exists.
pub struct Cache {
    /// What is in it.
    pub store: Store,
    /// For files of runs that are not over.
    running: PathBuf,
    /// Whether there was no such directory. Without any result it does not stay.
    is_new: bool,
    /// Held, and released when the process ends, however it does.
    _lock: Option<Flock<File>>,
}

impl Cache {
    /// Opens a cache, or makes one.
    ///
    /// # Errors
    /// Refusals: the directory cannot be made, or another sweep uses it.
    pub fn open(directory: &Path, used: Use) -> Result<Cache, Failure> {
        let cannot = |error: std::io::Error| {
            let name = directory.display();
            Failure::Refused(format!("{name}: cannot keep results there: {}; name another --cache", reason(&error)))
        };
        let is_new = !directory.exists();
        std::fs::create_dir_all(directory).map_err(cannot)?;
        // Runs have another working directory.
        let directory = directory.canonicalize().map_err(cannot)?;
        let running = directory.join(format!("{RUNNING}{}.{}", host(), std::process::id()));
        let store = Store(directory);
        // From here on, what was made is removed where the rest cannot be.
        let mut cache = Cache { store, running, is_new, _lock: None };
        let file = File::create(cache.store.0.join(LOCK)).map_err(cannot)?;
        let kind = match used {
            Use::Alone => FlockArg::LockExclusiveNonblock,
            Use::Shared => FlockArg::LockSharedNonblock,
        };
        cache._lock = match Flock::lock(file, kind) {
            Ok(lock) => Some(lock),
            Err((_, Errno::EWOULDBLOCK)) => {
                cache.is_new = false;
                let name = cache.store.0.display();
                let message = format!("{name}: another sweep is using it; wait until it ends, or name another --cache");
                return Err(Failure::Refused(message));
            }
            // Some file systems have no locks. Then it is the user who knows.
            Err(_) => None,
        };
        // What interrupted sweeps have left is of no use to anybody.
        for path in cache.store.running().iter().filter(|path| is_left(path)) {
            let _ = std::fs::remove_dir_all(path);
        }
        std::fs::create_dir_all(&cache.running).map_err(cannot)?;
        // Who asks for the status does without.
        let _ = std::fs::write(cache.running.join(MACHINE), machine());
        for name in KEPT {
            std::fs::create_dir_all(cache.store.0.join(name)).map_err(cannot)?;
        }
        Ok(cache)
    }

    /// A name for a file of a run that is not over.
    pub fn temporary(&self, job: usize, ending: &str) -> PathBuf {
        self.running.join(format!("{job}.{ending}"))
    }

    /// Keeps a result, and on which machine it was made.
    ///
    /// # Errors
    /// Text for the user when it cannot be written.
    pub fn keep(&self, job: usize, key: &Key, outcome: &Outcome) -> Result<(), String> {
        // A launcher may have chosen another machine.
        let machine = read_name(&self.temporary(job, MACHINE)).unwrap_or_else(machine);
        let entry = Entry { schema: SCHEMA.to_string(), key: key.clone(), outcome: outcome.clone(), machine };
        let text = serde_json::to_string_pretty(&entry).map_err(|error| error.to_string())?;
        let (beside, path) = (self.temporary(job, "result"), self.store.result(key));
        std::fs::write(&beside, text + "\n")
            .and_then(|()| std::fs::rename(&beside, &path))
            .map_err(|error| format!("{}: cannot keep the result: {}", path.display(), reason(&error)))
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.running);
        let kept = KEPT.map(|name| self.store.0.join(name));
        let is_empty = |path: &PathBuf| std::fs::read_dir(path).map_or(true, |mut entries| entries.next().is_none());
        if self.is_new && kept.iter().all(is_empty) {
            kept.iter().for_each(|path| drop(std::fs::remove_dir(path)));
            let _ = std::fs::remove_file(self.store.0.join(LOCK));
            let _ = std::fs::remove_dir(&self.store.0);
        }
    }
}

/// The paths in a directory, in their order.
fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// The machine and the process of a folder of runs that are not over.
fn process_of(folder: &Path) -> Option<(&str, u32)> {
    let (host, process) = folder.file_name()?.to_str()?.strip_prefix(RUNNING)?.rsplit_once('.').unwrap_or_default();
    Some((host, process.parse().unwrap_or_default()))
}

/// Whether the process of such a folder is gone.
fn is_left(folder: &Path) -> bool {
    match process_of(folder) {
        Some((machine, process)) if machine == host() => {
            stat::has_ended(&std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default())
        }
        _ => {
            let changed = std::fs::metadata(folder).and_then(|found| found.modified());
            #[allow(clippy::disallowed_methods, reason = "how long nobody has used a folder; no result depends on it")]
            let now = SystemTime::now();
            changed.is_ok_and(|changed| now.duration_since(changed).is_ok_and(|age| age > LEFT))
        }
    }
}

/// The name of this machine.
fn host() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_string()
}

/// What a scheduler calls this machine, or its name.
fn machine() -> String {
    std::env::var("SLURMD_NODENAME").unwrap_or_else(|_| host())
}

/// A name in a file.
fn read_name(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    Some(text.trim().to_string()).filter(|name| !name.is_empty())
}

/// The digest of a file's bytes.
///
/// # Errors
/// Those of reading it.
pub fn digest(path: &Path) -> Result<String, std::io::Error> {
    std::fs::read(path).map(|bytes| format!("{:032x}", xxh3_128(&bytes)))
}

fn name(key: &Key) -> String {
    let text = serde_json::to_string(key).unwrap_or_else(|error| unreachable!("a key is plain data: {error}"));
    format!("{:032x}", xxh3_128(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> Key {
        Key {
            libsmpi: ["a".into(), "b".into()],
            program: "c".into(),
            files: vec![("d".into(), "e".into())],
            arguments: vec!["f g".into()],
            ranks: 4,
            repetition: 0,
            compute: "off".into(),
            platform: "h".into(),
            cfg: vec!["i:j".into()],
        }
    }

    fn place(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("smpirun-sweep-{name}-{}", std::process::id()))
    }

    #[test]
    fn results_are_found_by_what_they_depend_on() {
        let place = place("cache");
        let cache = Cache::open(&place, Use::Alone).unwrap();
        let outcome = Outcome::Ran(Figures { simulated_time_secs: 0.1 + 0.2, hosts: 3, ..Figures::default() });
        assert_eq!(cache.store.find(&key()), None);
        cache.keep(0, &key(), &outcome).unwrap();
        assert_eq!(cache.store.find(&key()).map(|kept| (kept.outcome, kept.machine)), Some((outcome, machine())));
        let others = [
            Key { ranks: 5, ..key() },
            Key { program: "x".into(), ..key() },
            Key { platform: "x".into(), ..key() },
            Key { arguments: vec!["f".into(), "g".into()], ..key() },
            Key { libsmpi: ["a".into(), "x".into()], ..key() },
            Key { cfg: Vec::new(), ..key() },
        ];
        assert!(others.iter().all(|other| cache.store.find(other).is_none()));
        // Half a file, as after a failure of power, is no result.
        std::fs::write(cache.store.result(&key()), "{\"schema\": \"libsmpi-sw").unwrap();
        assert_eq!(cache.store.find(&key()), None);
        drop(cache);
        std::fs::remove_dir_all(place).unwrap();
    }

    #[test]
    fn a_cache_is_for_one_sweep_at_a_time() {
        let place = place("lock");
        let cache = Cache::open(&place, Use::Alone).unwrap();
        assert!(
            matches!(Cache::open(&place, Use::Alone), Err(Failure::Refused(message)) if message.contains("another sweep"))
        );
        drop(cache);
        assert!(!place.exists(), "a directory that was made and keeps nothing is removed");
        let ended = place.join(format!("running-{}.{}", host(), u32::MAX));
        let own = place.join(format!("running-{}.{}", host(), std::os::unix::process::parent_id()));
        let others = place.join(format!("running-not-{}.1", host()));
        let left = place.join("running-1");
        [&ended, &own, &others, &left].into_iter().for_each(|folder| std::fs::create_dir_all(folder).unwrap());
        drop(Cache::open(&place, Use::Alone).unwrap());
        assert!(!ended.exists(), "what an interrupted sweep has left is removed");
        assert!(own.exists() && others.exists(), "what others are making stays");
        std::fs::remove_dir_all(place).unwrap();
    }

    #[test]
    fn a_cache_may_be_shared_and_looked_at() {
        let place = place("shared");
        assert!(Store::at(&place).under_way().is_empty() && Store::at(&place).find(&key()).is_none());
        let (one, other) = (Cache::open(&place, Use::Shared).unwrap(), Cache::open(&place, Use::Shared).unwrap());
        for (job, machine) in [(3, None), (4, Some("n7"))] {
            std::fs::write(one.temporary(job, "out"), "").unwrap();
            machine.into_iter().for_each(|name| std::fs::write(one.temporary(job, MACHINE), name).unwrap());
        }
        assert_eq!(Store::at(&place).under_way(), [machine(), "n7".to_string()]);
        one.keep(4, &key(), &Outcome::Ran(Figures::default())).unwrap();
        assert_eq!(other.store.find(&key()).map(|kept| kept.machine), Some("n7".to_string()));
        assert!(Cache::open(&place, Use::Alone).is_err());
        drop((one, other));
        std::fs::remove_dir_all(place).unwrap();
    }
}
