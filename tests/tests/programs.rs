//! One test per MPI program in `tests/programs/<chapter>/`: compiled with our wrapper, run under `smpirun`, judged by
//! the directives in its comments. To add a test, add a file; no Rust is needed.
//!
//! Files ending in `.c` are C, in `.cpp`, `.cc` or `.cxx` C++, in `.f90`, `.F90`, `.f08`, `.f`, `.F` or `.for` Fortran;
//! files in subdirectories of a chapter are parts of tests. Fortran programs are skipped where there is no gfortran.
//! A directive is a comment of its own line, `// smpi: KEY VALUE`, `/* smpi: KEY VALUE */` or `! smpi: KEY VALUE`:
//!
//! How it is built
//! * `std c99` — passes `-std=c99`.
//! * `compile-args -O2 -DX=1` — more words for the compiler.
//! * `sources parts/more.c` — more sources of the same program (paths relative to the file).
//! * `library parts/lib.c` — sources of a shared library that the program is linked with.
//! * `plain-library` — that library is built by `cc`, not by our wrapper.
//!
//! How it is run (always with `--compute=off`, unless `smpirun-args` say otherwise)
//! * `ranks 4` — number of ranks; default 1.
//! * `args a b` — arguments of the program.
//! * `platform NAME` — a file of `platforms/` without `.toml`, or a path relative to the test; default `gigabit-64`;
//!   `none` for no `-platform` option.
//! * `smpirun-args --cfg=smpi/os:0:1e-6:0` — more options of smpirun.
//! * `and-program parts/other.c 2 x y` — a second program in the same run (`:` on the command line) on 2 ranks.
//! * `env NAME=VALUE` — an environment variable.
//! * `direct` — `./program` without smpirun: a one-rank job.
//! * `timeout 120` — seconds after which the test fails; default 60.
//! * `requires cmake gfortran` — skipped without these programs; `requires smpi` marks what other MPIs do not have.
//!
//! What is expected (at least one of these)
//! * `expect-pass` — some line of stdout starts with `PASS`, none with `FAIL`.
//! * `expect-exit 3` — the exit code; default 0.
//! * `expect-stdout LINE` — repeated for each line; compared with the whole stdout as a sorted multiset of lines.
//! * `stdout-order exact` — … in this order instead.
//! * `expect-stderr-contains TEXT` — repeated.
//! * `expect-time SECONDS tolerance RELATIVE` — simulated time; the tolerance is 1e-9 when left out.
//! * `twice` — two runs give the same bytes on stdout and stderr.
//! * `shuffled` — so does a run in which smpirun shuffles everything that the host may order differently.
//!
//! Verification
//! * `verify --buffering zero` — verifies instead of simulating, with more options of smpirun if there are any. Every
//!   finding's token is then replayed, and the replay must show the same finding. A program compiled with `--verify` is
//!   verified a second time with `--no-prune`, which must find the same. The following directives imply it.
//! * `expect-finding KEY` — repeated: the keys of all findings, and no others; the exit code is then 1 by default.
//! * `expect-no-finding` — no findings.
//! * `passes KEY …` — the program comes near these findings and is right; only with `expect-no-finding`.
//! * `expect-complete` — everything is explored.
//! * `expect-incomplete` — a bound was reached, or a mode was not explored.
//! * `expect-occurrences 144` — how often findings occurred, all findings together.
//! * `expect-executions 24`, `expect-executions zero=6 infinite=2` — executions in each mode that is explored.
//! * `expect-states 24`, `expect-states zero=6 infinite=2` — the same of states (`--stateful`).
//! * `reductions none=30 dpor=3` — so many executions in the first mode with `--reduction none` and `dpor`, and the
//!   same findings and results.
//!
//! An unknown directive fails the test. Run one test with `cargo test --release -p smpi-tests --test programs
//! p2p/ring`, all of them against another MPI with `SMPI_TEST_WITH=mpich` (a check of the programs; expectations that
//! concern simulation are left out), with tools from elsewhere with `SMPI_TEST_BIN=DIR`, or with more options of
//! smpirun with `SMPI_TEST_ARGS=--shuffle=7`. A failure prints the commands that repeat it by hand; executables stay in
//! `target/<profile>/program-tests/`.
#![forbid(unsafe_code)]

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use smpi_tests::directives::{self, Directives};
use smpi_tests::judge;
use smpi_tests::process::{self, Finished};
use smpi_tests::schema;
use smpi_tests::toolchain::{self, Launch, REPORT, Toolchain};
use smpi_tests::verification::{self, Verification};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Seconds a compiler may take.
const COMPILE_SECS: u64 = 120;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials() {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(message) => {
            eprintln!("programs: {message}");
            ExitCode::from(2)
        }
    }
}

/// One trial per program, sorted by name.
fn trials() -> Result<Vec<Trial>, String> {
    let tools = Toolchain::from_environment()?;
    let root = toolchain::root().join("tests/programs");
    let mut programs = Vec::new();
    for chapter in toolchain::entries(&root)?.into_iter().filter(|path| path.is_dir()) {
        programs.extend(toolchain::entries(&chapter)?.into_iter().filter(|path| toolchain::is_program(path)));
    }
    let trial = |path: PathBuf| {
        let name = path.strip_prefix(&root).unwrap_or(&path).with_extension("").display().to_string();
        let parsed = std::fs::read_to_string(&path)
            .map_err(|e| e.to_string())
            .and_then(|text| directives::parse(&text))
            .map_err(|e| format!("{}: {e}", path.display()));
        let skip =
            parsed.as_ref().ok().and_then(|directives| tools.skip_reason(directives, toolchain::is_fortran(&path)));
        let tools = tools.clone();
        let (title, name) = (skip.as_ref().map_or(name.clone(), |reason| format!("{name} ({reason})")), name);
        Trial::test(title, move || {
            let case = Case { tools, directives: parsed?, source: path, name };
            case.run().map_err(Failed::from)
        })
        .with_ignored_flag(skip.is_some())
    };
    Ok(programs.into_iter().map(trial).collect())
}

/// One program with its directives.
struct Case {
    tools: Toolchain,
    directives: Directives,
    source: PathBuf,
    name: String,
}

impl Case {
    fn run(&self) -> Result<(), String> {
        let directory = self.tools.work_directory().join(self.name.replace('/', "-"));
        std::fs::create_dir_all(&directory).map_err(|e| format!("{}: {e}", directory.display()))?;
        let programs = self.build(&directory)?;
        let platform = self.platform()?;
        let summary = directory.join("summary.json");
        // A summary of an earlier run must not be mistaken for this one's.
        let _ = std::fs::remove_file(&summary);
        let _ = std::fs::remove_file(directory.join(REPORT));
        let words = self.tools.launch(&self.directives, &programs, platform.as_deref(), &summary);
        let first = self.launch(&words, &directory)?;
        let ours = matches!(self.tools, Toolchain::Smpi { .. });
        let mut complaints = judge::complaints(&self.directives, &first, &summary, ours);
        if complaints.is_empty() && ours {
            complaints.extend(self.verified(&words, &directory)?);
            complaints.extend(self.repeat(&words, &directory, &first)?);
        }
        if complaints.is_empty() { Ok(()) } else { Err(self.report(&complaints, &words, &directory, &first)) }
    }

    /// Compiles everything; the first element is the program itself.
    fn build(&self, directory: &Path) -> Result<Vec<Launch>, String> {
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
        for (key, token) in verification::findings(&report).filter(|(_, token)| !token.is_empty()) {
            let mut again: Vec<String> = words.iter().filter(|word| !word.starts_with("--report=")).cloned().collect();
            again.insert(1, format!("--replay={token}"));
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
