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
//! A simulation that ends with 0 is run again with `-trace-ti`, and the replay of its trace must take the same time.
//!
//! Verification
//! * `verify --buffering zero` — verifies instead of simulating, with more options of smpirun if there are any. Every
//!   finding's token is then replayed, and the replay must show the same finding. A program compiled with `--verify` is
//!   verified a second time with `--no-prune`, which must find the same. The following directives imply it.
//! * `expect-finding KEY` — repeated: the keys of all findings, and no others; the exit code is then 1 by default.
//! * `expect-faults deadlock=2 crash=1` — how many findings there are of each of these keys.
//! * `expect-guises deadlock=1` — in how many other ways findings of each of these keys show, all together.
//! * `expect-beside 0: LEFT | RIGHT` — repeated: somewhere among the executions that stand beside each other is this, a
//!   row of a rank or what they have in common, files without directories.
//! * `expect-explanation TEXT` — repeated: the explanation of some finding says this, files without directories.
//! * `expect-help TEXT` — repeated: of some change that was tried against a finding this is said, or of how likely it
//!   is, files without directories.
//! * `expect-no-finding` — no findings.
//! * `passes KEY …` — the program comes near these findings and is right; only with `expect-no-finding`.
//! * `nowhere` — the findings need not name a call and a line, as all others have to: nobody can know them.
//! * `expect-complete` — everything is explored.
//! * `expect-incomplete` — a bound was reached, or a mode was not explored.
//! * `expect-unrepeated` — findings need not be there when their schedules are executed again, because the program
//!   reads something that nobody puts back. Without it, such a finding is a bug of ours.
//! * `expect-occurrences 144` — how often findings occurred, all findings together.
//! * `expect-executions 24`, `expect-executions zero=6 infinite=2` — executions in each mode that is explored.
//! * `expect-states 24`, `expect-states zero=6 infinite=2` — the same of states (`--stateful`).
//! * `verified KEY …` — not here, but where all programs are verified (`crossings.rs`), this one may show these
//!   findings: it needs simulated time, buffered sends, a device that is full, or what else a verification is without.
//!   `deadlock` stands for `deadlock/buffering`, too.
//! * `expect-transitions 24` — the same of choices that were made, those that led nowhere among them.
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
use smpi_tests::case::Case;
use smpi_tests::directives;
use smpi_tests::environment::threads;
use smpi_tests::toolchain::{self, Toolchain};
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert_with(threads);
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
    let trial = |path: PathBuf| {
        let name = toolchain::program_name(&path);
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
    Ok(toolchain::programs()?.into_iter().map(trial).collect())
}
