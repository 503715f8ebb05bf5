//! What has run already: results by what they depend on, in a directory.
//!
//! A result is found by the contents of the program, of the files it reads and of the platform, by arguments, ranks and
//! settings, and by the contents of libsmpi: where one of them changes, there is no result. Results are written
//! beside and then renamed, so that an interrupted sweep leaves whole files only. One sweep uses a directory at a time.

use std::fs::File;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use serde::{Deserialize, Serialize};
use smpi_base::print::reason;
use smpi_report::profile::Profile;
use xxhash_rust::xxh3::xxh3_128;

use crate::failure::Failure;

/// The format of results: another number makes all earlier ones unknown.
const SCHEMA: &str = "libsmpi-sweep/2";

/// The file that a sweep holds locked.
const LOCK: &str = "lock";

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

/// A result as a file.
#[derive(Serialize, Deserialize)]
struct Entry {
    schema: String,
    key: Key,
    outcome: Outcome,
}

/// The directory, which is ours alone for as long as this exists.
pub struct Cache {
    directory: PathBuf,
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
    pub fn open(directory: &Path) -> Result<Cache, Failure> {
        let cannot = |error: std::io::Error| {
            let name = directory.display();
            Failure::Refused(format!("{name}: cannot keep results there: {}; name another --cache", reason(&error)))
        };
        let is_new = !directory.exists();
        std::fs::create_dir_all(directory).map_err(cannot)?;
        // Runs have another working directory.
        let directory = directory.canonicalize().map_err(cannot)?;
        let running = directory.join(format!("running-{}", std::process::id()));
        // From here on, what was made is removed where the rest cannot be.
        let mut cache = Cache { directory, running, is_new, _lock: None };
        let file = File::create(cache.directory.join(LOCK)).map_err(cannot)?;
        cache._lock = match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(lock) => Some(lock),
            Err((_, Errno::EWOULDBLOCK)) => {
                cache.is_new = false;
                let name = cache.directory.display();
                let message = format!("{name}: another sweep is using it; wait until it ends, or name another --cache");
                return Err(Failure::Refused(message));
            }
            // Some file systems have no locks. Then it is the user who knows.
            Err(_) => None,
        };
        // What interrupted sweeps have left is of no use to anybody.
        for entry in std::fs::read_dir(&cache.directory).map_err(cannot)?.flatten() {
            if entry.file_name().to_string_lossy().starts_with("running-") {
                let _ = std::fs::remove_dir_all(entry.path());
            }
        }
        std::fs::create_dir_all(&cache.running).map_err(cannot)?;
        for name in KEPT {
            std::fs::create_dir_all(cache.directory.join(name)).map_err(cannot)?;
        }
        Ok(cache)
    }

    /// A name for a file of a run that is not over.
    pub fn temporary(&self, job: usize, ending: &str) -> PathBuf {
        self.running.join(format!("{job}.{ending}"))
    }

    /// The result for a key, if there is one.
    pub fn find(&self, key: &Key) -> Option<Outcome> {
        let text = std::fs::read_to_string(self.result(key)).ok()?;
        let entry: Entry = serde_json::from_str(&text).ok()?;
        (entry.schema == SCHEMA && entry.key == *key).then_some(entry.outcome)
    }

    /// Keeps a result.
    ///
    /// # Errors
    /// Text for the user when it cannot be written.
    pub fn keep(&self, job: usize, key: &Key, outcome: &Outcome) -> Result<(), String> {
        let entry = Entry { schema: SCHEMA.to_string(), key: key.clone(), outcome: outcome.clone() };
        let text = serde_json::to_string_pretty(&entry).map_err(|error| error.to_string())?;
        let (beside, path) = (self.temporary(job, "result"), self.result(key));
        std::fs::write(&beside, text + "\n")
            .and_then(|()| std::fs::rename(&beside, &path))
            .map_err(|error| format!("{}: cannot keep the result: {}", path.display(), reason(&error)))
    }

    /// Where the computation of runs with this key is recorded, and its digest if it is.
    pub fn recording(&self, key: &Key) -> (PathBuf, Option<String>) {
        let path = self.directory.join("recordings").join(name(key));
        let digest = digest(&path).ok();
        (path, digest)
    }

    fn result(&self, key: &Key) -> PathBuf {
        self.directory.join("results").join(name(key) + ".json")
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.running);
        let kept = KEPT.map(|name| self.directory.join(name));
        let is_empty = |path: &PathBuf| std::fs::read_dir(path).map_or(true, |mut entries| entries.next().is_none());
        if self.is_new && kept.iter().all(is_empty) {
            kept.iter().for_each(|path| drop(std::fs::remove_dir(path)));
            let _ = std::fs::remove_file(self.directory.join(LOCK));
            let _ = std::fs::remove_dir(&self.directory);
        }
    }
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
        let cache = Cache::open(&place).unwrap();
        let outcome = Outcome::Ran(Figures { simulated_time_secs: 0.1 + 0.2, hosts: 3, ..Figures::default() });
        assert_eq!(cache.find(&key()), None);
        cache.keep(0, &key(), &outcome).unwrap();
        assert_eq!(cache.find(&key()), Some(outcome));
        let others = [
            Key { ranks: 5, ..key() },
            Key { program: "x".into(), ..key() },
            Key { platform: "x".into(), ..key() },
            Key { arguments: vec!["f".into(), "g".into()], ..key() },
            Key { libsmpi: ["a".into(), "x".into()], ..key() },
            Key { cfg: Vec::new(), ..key() },
        ];
        assert!(others.iter().all(|other| cache.find(other).is_none()));
        // Half a file, as after a failure of power, is no result.
        std::fs::write(cache.result(&key()), "{\"schema\": \"libsmpi-sw").unwrap();
        assert_eq!(cache.find(&key()), None);
        drop(cache);
        std::fs::remove_dir_all(place).unwrap();
    }

    #[test]
    fn a_cache_is_for_one_sweep_at_a_time() {
        let place = place("lock");
        let cache = Cache::open(&place).unwrap();
        assert!(matches!(Cache::open(&place), Err(Failure::Refused(message)) if message.contains("another sweep")));
        drop(cache);
        assert!(!place.exists(), "a directory that was made and keeps nothing is removed");
        let left = place.join("running-1");
        std::fs::create_dir_all(&left).unwrap();
        drop(Cache::open(&place).unwrap());
        assert!(!left.exists(), "what an interrupted sweep has left is removed");
        std::fs::remove_dir_all(place).unwrap();
    }
}
