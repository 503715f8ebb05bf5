//! Makes the runs that have not been made: several at once, each a process of its own, whose result is kept as soon as
//! it is there. An interruption (SIGINT, SIGTERM) ends what is running; what has ended stays kept.
//!
//! Where computation is recorded, the first run of a program with so many ranks records it, and the others wait for it.

use std::fs::File;
use std::io::{IsTerminal, Read, Seek, SeekFrom, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use smpi_base::exit;
use smpi_base::print::reason;
use smpi_report::profile::Profile;

use super::cache::{Cache, Failed, Figures, Kept, Key, MACHINE, Outcome, Store, digest};
use super::study::{Compute, Study, below};
use crate::children;
use crate::failure::Failure;

/// Set by the handler of signals.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Between two looks whether a run has ended.
const POLL: Duration = Duration::from_millis(5);
/// Between two lines of progress.
const INTERVAL: Duration = Duration::from_millis(200);
/// How long a run may take to end itself.
const GRACE: Duration = Duration::from_secs(2);
/// Lines and bytes of a failed run's output that are kept.
const LINES_KEPT: usize = 8;
const BYTES_READ: u64 = 64 * 1024;
/// Columns of the line of progress.
const WIDTH: usize = 79;

/// One run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// Which program of the study.
    pub program: usize,
    /// Which platform.
    pub platform: usize,
    /// Which setting.
    pub setting: usize,
    /// How many ranks.
    pub ranks: u32,
    /// Which of several runs that are alike, from 0.
    pub repetition: u32,
}

/// All runs of a study, in the order of its tables.
pub fn jobs(study: &Study) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (program, app) in study.programs.iter().enumerate() {
        for platform in 0..study.platforms.len() {
            for setting in 0..study.settings.len() {
                for &ranks in &app.ranks {
                    let job = |repetition| Job { program, platform, setting, ranks, repetition };
                    jobs.extend((0..study.repeat).map(job));
                }
            }
        }
    }
    jobs
}

/// How to run.
pub struct How {
    /// Words before each `smpirun`.
    pub launch: Vec<String>,
    /// Runs at once.
    pub at_once: usize,
    /// After this time a run is ended.
    pub limit: Option<Duration>,
    /// Whether runs that failed are made again.
    pub retry: bool,
}

/// What came of it.
pub struct Made {
    /// Of each job; `None` where an interruption came first.
    pub outcomes: Vec<Option<Outcome>>,
    /// How many were made, and not found.
    pub made: usize,
    /// A signal came.
    pub is_interrupted: bool,
}

/// Makes what has not been made.
///
/// # Errors
/// Refusals: files that cannot be read, results that cannot be written.
pub fn run(study: &Study, jobs: &[Job], cache: &Cache, how: &How) -> Result<Made, Failure> {
    children::prepare("sweep")?;
    let digests = Digests::of(study)?;
    let smpirun = std::env::current_exe().map_err(|error| Failure::Internal(format!("sweep: {error}")))?;
    // A second handler is refused; the first does the same.
    let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::SeqCst));
    let sweep = Sweep { study, jobs, cache, how, digests, smpirun, state: Mutex::default(), changed: Condvar::new() };
    sweep.look();
    let to_make: usize = sweep.lock().pending.len();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..how.at_once.min(to_make)).map(|_| scope.spawn(|| while sweep.next() {})).collect();
        let started = now();
        while std::io::stderr().is_terminal() && workers.iter().any(|worker| !worker.is_finished()) {
            sweep.lock().show(to_make, started.elapsed());
            std::thread::sleep(INTERVAL);
        }
        clear();
    });
    let state = sweep.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(message) = state.trouble {
        return Err(Failure::Refused(message));
    }
    let is_interrupted = INTERRUPTED.load(Ordering::SeqCst);
    Ok(Made { outcomes: state.outcomes, made: state.made, is_interrupted })
}

/// What is known of each job.
///
/// # Errors
/// Refusals: files that cannot be read.
pub fn look(study: &Study, jobs: &[Job], store: &Store) -> Result<Vec<Option<Kept>>, Failure> {
    let digests = Digests::of(study)?;
    Ok(jobs.iter().map(|job| charge(study, &digests, store, job).known(store)).collect())
}

/// Digests of all files.
struct Digests {
    libsmpi: [String; 2],
    programs: Vec<(String, Vec<(String, String)>)>,
    platforms: Vec<String>,
}

impl Digests {
    fn of(study: &Study) -> Result<Digests, Failure> {
        let of = |path: &Path| {
            let refuse = |error| Failure::Refused(format!("{}: cannot read it: {}", path.display(), reason(&error)));
            digest(path).map_err(refuse)
        };
        let own = std::env::current_exe().map_err(|error| Failure::Internal(format!("sweep: {error}")))?;
        let mut programs = Vec::new();
        for program in &study.programs {
            let mut files = Vec::new();
            for file in &program.files {
                files.push((file.clone(), of(&below(&study.directory, file))?));
            }
            programs.push((of(&below(&study.directory, &program.path))?, files));
        }
        let platforms = study.platforms.iter().map(|platform| of(&below(&study.directory, &platform.path)));
        let platforms = platforms.collect::<Result<_, _>>()?;
        Ok(Digests { libsmpi: [of(&crate::launch::library()?)?, of(&own)?], programs, platforms })
    }
}

struct Sweep<'a> {
    study: &'a Study,
    jobs: &'a [Job],
    cache: &'a Cache,
    how: &'a How,
    digests: Digests,
    smpirun: PathBuf,
    state: Mutex<State>,
    /// A run is over.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    outcomes: Vec<Option<Outcome>>,
    /// Jobs that nobody has begun.
    pending: Vec<usize>,
    /// Programs, ranks and repetitions whose computation is being recorded.
    recording: Vec<(usize, u32, u32)>,
    made: usize,
    failed: usize,
    /// Ranks of all jobs that are to be made, and of those that are over.
    ranks: [u64; 2],
    /// Why no result can be kept.
    trouble: Option<String>,
}

/// How the computation of a job is charged.
enum Charge {
    /// As the key says.
    Plain(Key),
    /// As this recording says.
    Recorded(Key, PathBuf),
    /// This run makes the recording.
    Records(PathBuf),
}

impl Charge {
    /// The result, if there is one.
    fn known(&self, store: &Store) -> Option<Kept> {
        match self {
            Charge::Plain(key) | Charge::Recorded(key, _) => store.find(key),
            Charge::Records(_) => None,
        }
    }
}

/// The key of a job, as far as that is known.
fn charge(study: &Study, digests: &Digests, store: &Store, job: &Job) -> Charge {
    let (program, files) = &digests.programs[job.program];
    let key = Key {
        libsmpi: digests.libsmpi.clone(),
        program: program.clone(),
        files: files.clone(),
        arguments: study.programs[job.program].arguments(job.ranks),
        ranks: job.ranks,
        repetition: job.repetition,
        compute: match study.compute {
            Compute::Off => "off",
            Compute::Recorded => "recorded",
            Compute::Measured => "measured",
        }
        .to_string(),
        platform: String::new(),
        cfg: Vec::new(),
    };
    let whole = |key: &Key| Key {
        platform: digests.platforms[job.platform].clone(),
        cfg: study.settings[job.setting].cfg.clone(),
        ..key.clone()
    };
    if study.compute != Compute::Recorded {
        return Charge::Plain(whole(&key));
    }
    match store.recording(&key) {
        (path, Some(digest)) => Charge::Recorded(Key { compute: format!("recorded {digest}"), ..whole(&key) }, path),
        (path, None) => Charge::Records(path),
    }
}

impl Sweep<'_> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn charge(&self, job: &Job) -> Charge {
        charge(self.study, &self.digests, &self.cache.store, job)
    }

    /// Finds what has been made already.
    fn look(&self) {
        let mut state = self.lock();
        for (index, job) in self.jobs.iter().enumerate() {
            let found = self.charge(job).known(&self.cache.store).map(|kept| kept.outcome);
            let found = found.filter(|outcome| !self.how.retry || matches!(outcome, Outcome::Ran(_)));
            if found.is_none() {
                state.pending.push(index);
                state.ranks[0] += u64::from(job.ranks);
            }
            state.outcomes.push(found);
        }
    }

    /// Makes one run, or waits until there is one to be made. False when there is none.
    fn next(&self) -> bool {
        let Some((index, charge)) = self.take() else { return false };
        let job = &self.jobs[index];
        let (outcome, is_kept) = self.make(index, job, &charge);
        let mut state = self.lock();
        if let Charge::Records(path) = &charge {
            state.recording.retain(|group| *group != group_of(job));
            if matches!(outcome, Outcome::Ran(_))
                && let Err(error) = std::fs::rename(self.cache.temporary(index, "recording"), path)
            {
                state.trouble = Some(format!("{}: cannot keep the recording: {}", path.display(), reason(&error)));
            }
        }
        let key = match self.charge(job) {
            Charge::Plain(key) | Charge::Recorded(key, _) => Some(key),
            Charge::Records(_) => None,
        };
        if let Some(key) = key.filter(|_| is_kept)
            && let Err(message) = self.cache.keep(index, &key, &outcome)
        {
            state.trouble = Some(message);
        }
        let _ = std::fs::remove_file(self.cache.temporary(index, MACHINE));
        state.ranks[1] += u64::from(job.ranks);
        if !INTERRUPTED.load(Ordering::SeqCst) || is_kept {
            state.made += 1;
            state.failed += usize::from(matches!(outcome, Outcome::Failed(_)));
            state.outcomes[index] = Some(outcome);
        }
        self.changed.notify_all();
        true
    }

    /// The next job that can be begun.
    fn take(&self) -> Option<(usize, Charge)> {
        let mut state = self.lock();
        loop {
            if state.pending.is_empty() || state.trouble.is_some() || INTERRUPTED.load(Ordering::SeqCst) {
                return None;
            }
            for place in 0..state.pending.len() {
                let index = state.pending[place];
                let job = &self.jobs[index];
                if state.recording.contains(&group_of(job)) {
                    continue;
                }
                let charge = self.charge(job);
                if matches!(charge, Charge::Records(_)) {
                    state.recording.push(group_of(job));
                }
                state.pending.remove(place);
                return Some((index, charge));
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Makes a run. The second value is whether its result is the program's doing, and would be the same again.
    fn make(&self, index: usize, job: &Job, charge: &Charge) -> (Outcome, bool) {
        let failed = |code, message: String| Outcome::Failed(Failed { code, message });
        let [profile, out, err] = ["profile.json", "out", "err"].map(|ending| self.cache.temporary(index, ending));
        let mut command = self.command(index, job, charge, &profile);
        let start = |path: &Path| File::create(path).map(Stdio::from);
        let child = start(&out)
            .and_then(|out| Ok((out, start(&err)?)))
            .and_then(|(out, err)| command.stdin(Stdio::null()).stdout(out).stderr(err).process_group(0).spawn());
        let ended = match child {
            Ok(mut child) => wait(&mut child, self.how.limit),
            Err(error) => {
                let what = command.get_program().to_string_lossy();
                return (failed(None, format!("cannot run {what}: {}", reason(&error))), false);
            }
        };
        let outcome = match ended {
            None => (failed(None, "it took too long, and was ended".into()), false),
            Some(status) if status.success() => match read_profile(&profile) {
                Ok(figures) => (Outcome::Ran(figures), true),
                Err(message) => (failed(Some(0), message), false),
            },
            Some(status) => {
                let code = status.code().or(status.signal().map(exit::of_signal));
                // A rank that dies of a signal does so with every run; one that ends the launcher came from outside.
                let outside = [Signal::SIGINT, Signal::SIGKILL, Signal::SIGTERM, Signal::SIGHUP];
                let is_outside = outside.iter().any(|signal| code == Some(exit::of_signal(*signal as i32)));
                (
                    failed(code, said(&out, &err)),
                    !is_outside && status.signal().is_none() && code != Some(exit::REFUSED),
                )
            }
        };
        for path in [profile, out, err] {
            // There is none if the run did not get so far.
            let _ = std::fs::remove_file(path);
        }
        outcome
    }

    /// Words that note on which machine a launcher has started a run; none where there is no launcher.
    fn noted(&self, index: usize) -> Vec<String> {
        if self.how.launch.is_empty() {
            return Vec::new();
        }
        let note = "echo \"${SLURMD_NODENAME:-$(uname -n)}\" > \"$0\"; exec \"$@\"";
        ["sh", "-c", note, &self.cache.temporary(index, MACHINE).display().to_string()].map(String::from).to_vec()
    }

    fn command(&self, index: usize, job: &Job, charge: &Charge, profile: &Path) -> Command {
        let (study, program) = (self.study, &self.study.programs[job.program]);
        let compute = match (study.compute, charge) {
            (_, Charge::Recorded(_, path)) => format!("recorded:{}", path.display()),
            (_, Charge::Records(_)) => format!("recorded:{}", self.cache.temporary(index, "recording").display()),
            (Compute::Measured, Charge::Plain(_)) => "measured".to_string(),
            (_, Charge::Plain(_)) => "off".to_string(),
        };
        let smpirun = self.smpirun.display().to_string();
        let noted = self.noted(index);
        let mut words = self.how.launch.iter().chain(noted.iter()).chain([&smpirun]);
        let mut command = Command::new(words.next().unwrap_or(&smpirun));
        children::bind(&mut command);
        command.args(words).arg("-quiet").arg("-platform").arg(&study.platforms[job.platform].path);
        command.arg("-np").arg(job.ranks.to_string()).arg(format!("--compute={compute}"));
        command.args(study.settings[job.setting].cfg.iter().map(|setting| format!("--cfg={setting}")));
        command.arg("--profile-json").arg(profile).arg(&program.path).args(program.arguments(job.ranks));
        command.current_dir(&study.directory);
        command
    }
}

/// Jobs that share a recording.
pub fn group_of(job: &Job) -> (usize, u32, u32) {
    (job.program, job.ranks, job.repetition)
}

fn read_profile(path: &Path) -> Result<Figures, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("it ended well without a profile ({}): did the launcher start it?", reason(&error)))?;
    Profile::from_json(&text).map(|profile| Figures::of(&profile))
}

/// Waits for a run. `None` if it was ended because it took too long.
fn wait(child: &mut Child, limit: Option<Duration>) -> Option<ExitStatus> {
    let started = now();
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        let is_late = limit.is_some_and(|limit| started.elapsed() > limit);
        if is_late || INTERRUPTED.load(Ordering::SeqCst) {
            end(child);
            return None;
        }
        std::thread::sleep(POLL);
    }
}

/// Ends a run with all its processes.
fn end(child: &mut Child) {
    let group = Pid::from_raw(child.id() as i32);
    // The group is gone if the run has just ended; then there is nothing to do.
    let _ = killpg(group, Signal::SIGTERM);
    let since = now();
    while since.elapsed() < GRACE && matches!(child.try_wait(), Ok(None)) {
        std::thread::sleep(POLL);
    }
    let _ = killpg(group, Signal::SIGKILL);
    let _ = child.wait();
}

/// What a run that failed has to say: the beginning of its errors, or the end of its output.
fn said(out: &Path, err: &Path) -> String {
    let mut lines = lines(err, 0);
    if lines.is_empty() {
        lines = self::lines(out, out.metadata().map_or(0, |file| file.len().saturating_sub(BYTES_READ)));
        lines.drain(..lines.len().saturating_sub(LINES_KEPT));
    }
    if lines.is_empty() {
        return "nothing that it said could be kept: is there room on the disk of the cache?".into();
    }
    lines.truncate(LINES_KEPT);
    lines.join("\n")
}

/// Lines of a file from some byte on, as many as are worth reading.
fn lines(path: &Path, from: u64) -> Vec<String> {
    let mut bytes = Vec::new();
    // What cannot be read says nothing.
    let _ = File::open(path).and_then(|mut file| {
        file.seek(SeekFrom::Start(from))?;
        file.take(BYTES_READ).read_to_end(&mut bytes)
    });
    let text = String::from_utf8_lossy(&bytes);
    text.lines().map(str::trim_end).filter(|line| !line.is_empty()).map(String::from).collect()
}

impl State {
    /// Writes the line of progress.
    fn show(&self, to_make: usize, elapsed: Duration) {
        let line = progress(self.made, to_make, self.failed, self.ranks, elapsed);
        // A terminal that is gone needs no progress. `ESC [K` erases the rest of the line.
        let _ = write!(std::io::stderr(), "\r{line}\x1b[K");
    }
}

/// `3 of 12 runs, 1 failed, 8 s, about 20 s left`. A run is taken to last as long as it has ranks.
fn progress(made: usize, to_make: usize, failed: usize, ranks: [u64; 2], elapsed: Duration) -> String {
    let mut line = format!("{made} of {to_make} runs");
    if failed > 0 {
        line += &format!(", {failed} failed");
    }
    line += &format!(", {}", duration(elapsed.as_secs()));
    if ranks[1] > 0 {
        let left = elapsed.as_secs_f64() * ranks[0].saturating_sub(ranks[1]) as f64 / ranks[1] as f64;
        line += &format!(", about {} left", duration(left.round() as u64));
    }
    line.chars().take(WIDTH).collect()
}

fn duration(secs: u64) -> String {
    match secs {
        0..60 => format!("{secs} s"),
        60..3600 => format!("{}:{:02} min", secs / 60, secs % 60),
        _ => format!("{}:{:02} h", secs / 3600, secs / 60 % 60),
    }
}

/// Takes the line of progress away.
fn clear() {
    if std::io::stderr().is_terminal() {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
}

#[allow(clippy::disallowed_methods, reason = "limits and progress are about the wall time; no result depends on it")]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_has_an_estimate() {
        let line = |made, ranks, secs| progress(made, 12, 0, ranks, Duration::from_secs(secs));
        assert_eq!(line(0, [100, 0], 1), "0 of 12 runs, 1 s");
        assert_eq!(line(3, [100, 20], 30), "3 of 12 runs, 30 s, about 2:00 min left");
        let failed = progress(12, 12, 2, [100, 100], Duration::from_secs(3725));
        assert_eq!(failed, "12 of 12 runs, 2 failed, 1:02 h, about 0 s left");
    }
}
