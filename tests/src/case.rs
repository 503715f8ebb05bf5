//! One test program: how it is compiled, run and judged by its directives.

use crate::directives::Directives;
use crate::judge;
use crate::process::{self, Finished};
use crate::schema;
use crate::toolchain::{self, Launch, REPORT, Toolchain};
use crate::traces::{self, Outcome};
use crate::verification::{self, Verification};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Seconds a compiler may take.
const COMPILE_SECS: u64 = 120;

/// One program with its directives.
pub struct Case {
    /// What it is built and run with.
    pub tools: Toolchain,
    /// What it says about itself.
    pub directives: Directives,
    /// Its source.
    pub source: PathBuf,
    /// Chapter and file name without ending.
    pub name: String,
}

impl Case {
    /// Builds the program and does everything that its directives ask for; the error says what is wrong, and how to
    /// repeat it by hand.
    pub fn run(&self) -> Result<(), String> {
        let directory = self.tools.work_directory().join(self.name.replace('/', "-"));
        let programs = self.build(&directory)?;
        let (words, summary) = self.words(&programs, &directory)?;
        let first = self.launch(&words, &directory)?;
        let ours = matches!(self.tools, Toolchain::Smpi { .. });
        let mut complaints = judge::complaints(&self.directives, &first, &summary, ours);
        if complaints.is_empty() && ours {
            complaints.extend(self.verified(&words, &directory)?);
            complaints.extend(self.repeat(&words, &directory, &first)?);
            complaints.extend(self.replayed(&words, &directory)?);
        }
        if complaints.is_empty() { Ok(()) } else { Err(self.report(&complaints, &words, &directory, &first)) }
    }

    /// The same run recorded as a time-independent trace, and the replay of that.
    fn replayed(&self, words: &[String], directory: &Path) -> Result<Option<String>, String> {
        let Directives { direct, verification, environment, timeout_secs, .. } = &self.directives;
        if *direct || verification.is_some() || self.directives.expected_exit() != 0 {
            return Ok(None);
        }
        // A run whose trace says that it is not complete has said which function is the reason.
        let outcome = traces::compare(words, directory, environment, *timeout_secs, 0)?;
        Ok(if let Outcome::Different(text) = outcome { Some(text) } else { None })
    }

    /// Runs the built program once with more variables in its environment; whether it does what it is expected to, or
    /// nothing if it was ended for its time limit. Verifications and repetitions are left out.
    pub fn passes(
        &self,
        programs: &[Launch],
        directory: &Path,
        variables: &[(String, String)],
    ) -> Result<Option<bool>, String> {
        let (words, summary) = self.words(programs, directory)?;
        let environment = [&self.directives.environment, variables].concat();
        let finished = process::run(&words, directory, &environment, self.directives.timeout_secs)?;
        let passes = judge::complaints(&self.directives, &finished, &summary, true).is_empty();
        Ok((!finished.timed_out).then_some(passes))
    }

    /// The command that runs it, and the file for its summary. What an earlier run left in that file is removed.
    pub fn words(&self, programs: &[Launch], directory: &Path) -> Result<(Vec<String>, PathBuf), String> {
        let summary = directory.join("summary.json");
        let _ = std::fs::remove_file(&summary);
        let _ = std::fs::remove_file(directory.join(REPORT));
        let words = self.tools.launch(&self.directives, programs, self.platform()?.as_deref(), &summary);
        Ok((words, summary))
    }

    /// Compiles everything into a directory, which is made; the first element is the program itself.
    pub fn build(&self, directory: &Path) -> Result<Vec<Launch>, String> {
        std::fs::create_dir_all(directory).map_err(|e| format!("{}: {e}", directory.display()))?;
        let mut sources = vec![self.source.clone()];
        sources.extend(self.directives.sources.iter().map(|source| self.beside(source)));
        if !self.directives.library.is_empty() {
            let parts: Vec<PathBuf> = self.directives.library.iter().map(|source| self.beside(source)).collect();
            let library = directory.join("libpart.so");
            self.compile(&parts, &library, directory, true)?;
            sources.push(library);
        }
        let executable = directory.join("program");
        self.compile(&sources, &executable, directory, false)?;
        let mut programs =
            vec![Launch { executable, ranks: self.directives.ranks, args: self.directives.args.clone() }];
        for (index, companion) in self.directives.companions.iter().enumerate() {
            let executable = directory.join(format!("program-{}", index + 2));
            self.compile(&[self.beside(&companion.source)], &executable, directory, false)?;
            programs.push(Launch { executable, ranks: companion.ranks, args: companion.args.clone() });
        }
        Ok(programs)
    }

    fn compile(&self, sources: &[PathBuf], output: &Path, directory: &Path, shared: bool) -> Result<(), String> {
        let mut words = self.tools.compile(&self.directives, sources, output, shared);
        if !self.directives.library.is_empty() && !shared {
            words.push(format!("-Wl,-rpath,{}", directory.display()));
        }
        let finished = process::run(&words, directory, &[], COMPILE_SECS)?;
        if finished.code == 0 {
            return Ok(());
        }
        let line = process::shell_line(&words, directory, &[]);
        Err(format!("does not compile:\n  {line}\n{}", String::from_utf8_lossy(&finished.stderr)))
    }

    fn launch(&self, words: &[String], directory: &Path) -> Result<Finished, String> {
        process::run(words, directory, &self.directives.environment, self.directives.timeout_secs)
    }

    /// The runs of `twice` and `shuffled`.
    fn repeat(&self, words: &[String], directory: &Path, first: &Finished) -> Result<Option<String>, String> {
        if self.directives.twice {
            let second = self.launch(words, directory)?;
            if let Some(difference) = judge::difference(first, &second) {
                return Ok(Some(format!("two runs are not the same: {difference}")));
            }
        }
        if self.directives.shuffled && !self.directives.direct {
            let mut shuffled = words.to_vec();
            shuffled.insert(1, "--shuffle=12345".into());
            let second = self.launch(&shuffled, directory)?;
            if let Some(difference) = judge::difference(first, &second) {
                return Ok(Some(format!("a run with --shuffle=12345 is not the same: {difference}")));
            }
        }
        Ok(None)
    }

    /// What is wrong with the report of a verification, and the findings that a replay does not show.
    fn verified(&self, words: &[String], directory: &Path) -> Result<Vec<String>, String> {
        let Some(expected) = &self.directives.verification else { return Ok(Vec::new()) };
        let report = verification::report(&directory.join(REPORT))?;
        let mut complaints = expected.complaints(&report);
        complaints.extend(schema::complaints(&schema::of_reports(), &report));
        for (key, token) in verification::schedules(&report).filter(|(_, token)| !token.is_empty()) {
            let command = report["command"].as_str().unwrap_or_default();
            let line = format!("exec \"$0\" --replay {token} {command}");
            let again: Vec<String> = ["sh", "-c", &line, &words[0]].map(String::from).to_vec();
            let finished = self.launch(&again, directory)?;
            // One schedule does not tell that a deadlock needs zero buffering.
            let shown = key.trim_end_matches("/buffering");
            if finished.timed_out || !String::from_utf8_lossy(&finished.stderr).contains(shown) {
                let line = process::shell_line(&again, directory, &self.directives.environment);
                complaints.push(format!("the replay does not show {key}:\n  {line}"));
            }
        }
        for (name, executions) in &expected.reductions {
            let mut again = words.to_vec();
            again.insert(1, format!("--reduction={name}"));
            self.launch(&again, directory)?;
            let other = verification::report(&directory.join(REPORT))?;
            complaints.extend(Verification::differences(name, *executions, &report, &other));
        }
        complaints.extend(self.unpruned(words, directory, &report)?);
        Ok(complaints)
    }

    /// Whether a verification that tries all results of Waitany finds the same, for programs that report their
    /// accesses.
    fn unpruned(&self, words: &[String], directory: &Path, report: &Value) -> Result<Option<String>, String> {
        let reports_accesses = self.directives.compile_args.iter().any(|word| word == "--verify");
        if !reports_accesses || words.iter().any(|word| word == "--no-prune") {
            return Ok(None);
        }
        let mut all = words.to_vec();
        all.insert(1, "--no-prune".into());
        self.launch(&all, directory)?;
        let other = verification::report(&directory.join(REPORT))?;
        let same = verification::outcome(report) == verification::outcome(&other);
        let line = || process::shell_line(&all, directory, &self.directives.environment);
        Ok((!same).then(|| format!("the outcome is another when all results of Waitany are tried:\n  {}", line())))
    }

    fn platform(&self) -> Result<Option<PathBuf>, String> {
        let Some(name) = &self.directives.platform else { return Ok(None) };
        let candidates = [toolchain::root().join(format!("platforms/{name}.toml")), self.beside(name)];
        let found = candidates.iter().find(|path| path.is_file());
        found.cloned().map(Some).ok_or_else(|| format!("platform {name}: neither in platforms/ nor beside the program"))
    }

    fn beside(&self, file: &str) -> PathBuf {
        self.source.parent().unwrap_or(Path::new(".")).join(file)
    }

    fn report(&self, complaints: &[String], words: &[String], directory: &Path, finished: &Finished) -> String {
        let line = process::shell_line(words, directory, &self.directives.environment);
        let mut text = format!("{}\nrun it again with\n  {line}\n", complaints.join("\n"));
        for (name, bytes) in [("stdout", &finished.stdout), ("stderr", &finished.stderr)] {
            if !bytes.is_empty() {
                text.push_str(&format!("--- {name}\n{}", shortened(&String::from_utf8_lossy(bytes))));
            }
        }
        text
    }
}

/// The first and last lines of a long text.
fn shortened(text: &str) -> String {
    const KEPT: usize = 30;
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() <= 2 * KEPT {
        return format!("{}\n", lines.join("\n"));
    }
    let left_out = format!("… {} lines left out …", lines.len() - 2 * KEPT);
    [&lines[..KEPT], &[left_out.as_str()], &lines[lines.len() - KEPT..]].concat().join("\n") + "\n"
}
