//! Verifies a walk of allocation in every way: nothing is found but what was planted, all is explored, and there are as
//! many executions as there are orders of its messages.

use super::generate::{Ending, Op, RECEIVES, Walks};
use crate::covered::Covered;
use crate::place::Place;
use crate::process::{self, shell_line};
use crate::verification::{self, PARTS};
use serde_json::Value;
use std::path::PathBuf;

/// Seconds that one run may take.
const MOST_SECS: u64 = 120;

/// Smaller programs that are tried for one in which something is wrong.
const MOST_SMALLER: usize = 120;

/// The same where each of them takes as long as a run may.
const MOST_SMALLER_THAT_HANG: usize = 4;

/// What is said of a run that does not end.
const HANGS: &str = "hangs";

/// Refuses `userfaultfd` to a command, as kernels before Linux 6.7 and sandboxes do.
const REFUSING: &str = r#"#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    struct sock_filter lines[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_userfaultfd, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog all = {sizeof lines / sizeof *lines, lines};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all))
        perror("seccomp");
    else
        execvp(argv[1], argv + 1);
    return 126;
}
"#;

/// A way to verify.
struct Way {
    name: &'static str,
    options: &'static [&'static str],
    /// The interpreter reports its accesses.
    is_instrumented: bool,
    /// The kernel does not tell which pages were written to.
    is_refused: bool,
}

const PLAIN: Way = Way { name: "matches", options: &[], is_instrumented: false, is_refused: false };

const WAYS: [Way; 10] = [
    PLAIN,
    Way { name: "self-check", options: &["--cfg=smpi/self-check:yes"], ..PLAIN },
    Way { name: "jobs", options: &PARTS, ..PLAIN },
    Way { name: "stateful", options: &["--stateful"], ..PLAIN },
    Way { name: "states compared", options: &["--stateful", "--reduction=none", "--compare-states=2"], ..PLAIN },
    // It copies all memory at every step: of large blocks it explores as much as there is time for.
    Way { name: "dpor", options: &["--reduction=dpor", "--time-limit=20"], ..PLAIN },
    Way { name: "watched", is_instrumented: true, ..PLAIN },
    Way { name: "refused", is_refused: true, ..PLAIN },
    Way { name: "refused, stateful", options: &["--stateful"], is_refused: true, ..PLAIN },
    Way { name: "watched, jobs", options: &["--jobs=2"], is_instrumented: true, ..PLAIN },
];

/// What runs walks: a directory with the interpreter in both forms.
pub struct Runner {
    smpirun: String,
    place: PathBuf,
    directory: PathBuf,
}

/// What is wrong with a walk: which way, and what it said.
#[derive(Clone, Debug)]
pub struct Wrong {
    /// The way.
    way: &'static str,
    /// The same for the same fault in a smaller program.
    pub kind: String,
    /// Command and output.
    pub details: String,
}

/// Runners for several threads, with a directory each.
pub fn runners(place: &Place, count: usize) -> Vec<Runner> {
    let source = crate::toolchain::root().join("tests/programs/verify/memory_script.c").display().to_string();
    let compiler = place.tool("smpicc");
    place.run_words(&[&compiler, "-O2", "-g", &source, "-o", "script"], 0);
    place.run_words(&[&compiler, "--verify", "-O2", "-g", &source, "-o", "watched"], 0);
    let refusing = place.write("refusing.c", REFUSING);
    place.run_words(&["cc", &refusing, "-o", "refusing"], 0);
    let runner = |index: usize| {
        let directory = place.directory.join(index.to_string());
        std::fs::create_dir_all(&directory).expect("the test's directory is its own");
        Runner { smpirun: place.tool("smpirun"), place: place.directory.clone(), directory }
    };
    (0..count).map(runner).collect()
}

impl Runner {
    fn words(&self, way: &Way, walks: &Walks) -> Vec<String> {
        let file = |name: &str| self.place.join(name).display().to_string();
        let mut words: Vec<String> = way.is_refused.then(|| file("refusing")).into_iter().collect();
        words.extend([&self.smpirun, "--verify", "--quiet", "--keep-going", "--report=report.json"].map(String::from));
        words.extend(way.options.iter().map(ToString::to_string));
        words.extend(["-np".into(), walks.ranks.len().to_string()]);
        words.push(file(if way.is_instrumented { "watched" } else { "script" }));
        words.extend(walks.words());
        words
    }

    /// What the report of a verification says, and how to get it by hand.
    fn verify(&self, way: &Way, walks: &Walks) -> Result<(Value, String), Wrong> {
        let words = self.words(way, walks);
        let path = self.directory.join("report.json");
        let _ = std::fs::remove_file(&path);
        let line = shell_line(&words, &self.directory, &[]);
        let wrong =
            |what: &str, details: String| Wrong { way: way.name, kind: format!("{}: {what}", way.name), details };
        let finished = process::run(&words, &self.directory, &[], MOST_SECS).map_err(|text| wrong("no run", text))?;
        let said = format!("{line}\n{}", String::from_utf8_lossy(&finished.stderr));
        if finished.timed_out || !(0..=1).contains(&finished.code) {
            let what = if finished.timed_out { HANGS } else { "does not end as a verification" };
            return Err(wrong(what, format!("exit code {}\n{said}", finished.code)));
        }
        let report = verification::report(&path).map_err(|text| wrong("no report", text + &said))?;
        Ok((report, said))
    }

    /// Whether the program is judged rightly. Other reductions have more executions, states fewer.
    fn judge(&self, way: &Way, walks: &Walks, executions: &[u64]) -> Result<(), Wrong> {
        let is_counted = way.options.iter().all(|option| option.starts_with("--jobs") || option.starts_with("--cfg"));
        let (report, said) = self.verify(way, walks)?;
        let (keys, complete) = verification::outcome(&report);
        let expected: &[&str] = if walks.ending == Ending::Right { &[] } else { &["assertion"] };
        let is_late = report["bounds"].to_string().contains("\"time-limit\"");
        let what = if is_late && keys.is_empty() {
            return Ok(());
        } else if keys.iter().ne(expected.iter()) {
            format!("found {keys:?} instead of {expected:?}")
        } else if report["findings"].to_string().contains("did not happen again") {
            "a finding that did not happen again".into()
        } else if !complete && !is_late {
            format!("not complete: {}", report["bounds"])
        } else if is_counted && counts(&report) != executions {
            format!("{:?} executions instead of {executions:?}", counts(&report))
        } else if expected.len() == 1 && report["findings"][0]["message"].to_string().contains("memory_script") {
            // Of two assertions that fail the finding is one; the planted one says so.
            let is_planted = report["findings"].to_string().contains("planted");
            if is_planted { return Ok(()) } else { "another assertion failed".into() }
        } else {
            return Ok(());
        };
        Err(Wrong { way: way.name, kind: format!("{}: {what}", way.name), details: said })
    }
}

/// Executions of each mode.
fn counts(report: &Value) -> Vec<u64> {
    let modes = report["modes"].as_array().into_iter().flatten();
    modes.filter_map(|mode| mode["executions"].as_u64()).collect()
}

/// Verifies the program in every way.
///
/// # Errors
/// The first way in which something is wrong.
pub fn compare(runner: &Runner, walks: &Walks) -> Result<(), Wrong> {
    compare_in(runner, walks, &WAYS)
}

fn compare_in(runner: &Runner, walks: &Walks, ways: &[Way]) -> Result<(), Wrong> {
    let (report, said) = runner.verify(&PLAIN, &walks.skeleton())?;
    let executions = counts(&report);
    if walks.orders().is_some_and(|orders| executions != [orders, orders]) {
        let kind = format!("messages alone: {executions:?} executions instead of {:?}", walks.orders());
        return Err(Wrong { way: PLAIN.name, kind, details: said });
    }
    // Locks of windows are explored by the default reduction only.
    let has_windows = walks.ranks.iter().flatten().any(|op| ['W', 'H'].contains(&op.letter));
    let is_able = |way: &&Way| !has_windows || !way.options.contains(&"--reduction=dpor");
    ways.iter().filter(is_able).try_for_each(|way| runner.judge(way, walks, &executions))
}

/// Makes a program in which something is wrong as small as possible.
pub fn shrink(runner: &Runner, mut walks: Walks, mut wrong: Wrong) -> (Walks, Wrong) {
    let at = WAYS.iter().position(|way| way.name == wrong.way).unwrap_or(0);
    let mut left = if wrong.kind.ends_with(HANGS) { MOST_SMALLER_THAT_HANG } else { MOST_SMALLER };
    loop {
        let fails = |less: Walks| {
            let found = compare_in(runner, &less, &WAYS[at..=at]).err().filter(|found| found.kind == wrong.kind)?;
            Some((less, found))
        };
        let smaller = walks.smaller();
        let tried = smaller.into_iter().take(left).inspect(|_| left -= 1).find_map(fails);
        match tried {
            Some(smaller) => (walks, wrong) = smaller,
            None => return (walks, wrong),
        }
    }
}

/// Counts what a program does between its first and last receive, by size, and what it is verified with.
pub fn cover(walks: &Walks, covered: &mut Covered) {
    const CLASSES: [(u64, &str); 5] =
        [(1 << 12, "< 4 KiB"), (1 << 17, "< 128 KiB"), (1 << 20, "< 1 MiB"), (8 << 20, "< 8 MiB"), (u64::MAX, "more")];
    let class = |op: &Op| match op.size {
        0 => "any",
        size => CLASSES.iter().find(|class| size < class.0).map_or("more", |class| class.1),
    };
    for (rank, ops) in walks.ranks.iter().enumerate() {
        let mut receives = ops.iter().filter(|op| RECEIVES.contains(&op.letter)).count();
        for op in ops {
            receives -= usize::from(RECEIVES.contains(&op.letter));
            // What the last receive has made possible is not put back: it is over with the execution.
            if !op.is_message() && (rank > 0 || receives > 0) {
                covered.add("memory put back, by size", op.name(), class(op), 1);
            }
        }
    }
    let ending = match walks.ending {
        Ending::Right => "right",
        Ending::Planted(_) => "planted",
        Ending::Secret(_) => "secret",
    };
    WAYS.iter().for_each(|way| covered.add("memory programs, by way", way.name, ending, 1));
}
