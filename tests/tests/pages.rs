//! Every fenced block of README, ARCHITECTURE, CONTRIBUTING and `docs/` does what the page says: it is run here, or by
//! the test that is named, or there is a reason why it cannot be run.
//!
//! `docs/findings.md` has a test of its own (`findings.rs`).
#![forbid(unsafe_code)]

use serde_json::Value;
use smpi_tests::directives;
use smpi_tests::pages::{Block, blocks, pages};
use smpi_tests::place::{Place, text};
use smpi_tests::process::run;
use smpi_tests::toolchain::root;

/// What becomes of a block.
enum How {
    /// A script of a shell: it ends with this code.
    Script(i32),
    /// The end of what the script before it on the page prints.
    Output,
    /// The report in this file, which the script before it has written, and which the schema describes.
    Report(&'static str),
    /// A platform, complete or to be put behind the page's first one.
    Platform,
    /// Used by a script of its page under this name.
    File(&'static str),
    /// Lines of C that stand between these, are verified on two ranks, and are right.
    Lines(&'static str, &'static str),
    /// The head of a test program.
    Directives,
    /// Checked by another test.
    Elsewhere(&'static str),
    /// Not run, for this reason.
    NotRun(&'static str),
}

const INSTALLS_MPICH: &str =
    "it needs the network; `calibrate.rs` and `predict.rs` give the same commands the launcher of a simulated MPI";

/// All blocks, in the order of their pages: page, heading, and what becomes of the block.
const BLOCKS: &[(&str, &str, How)] = &[
    ("ARCHITECTURE.md", "Bird's eye", How::NotRun("a drawing")),
    ("CONTRIBUTING.md", "Build and test", How::NotRun("it is what runs this test, and takes an hour")),
    ("CONTRIBUTING.md", "Add a test", How::Directives),
    ("README.md", "libsmpi", How::NotRun("it is what runs this test, and takes an hour")),
    ("README.md", "One minute", How::Script(0)),
    ("README.md", "One minute", How::Output),
    ("README.md", "One minute", How::Platform),
    ("README.md", "One minute", How::Script(0)),
    ("README.md", "One minute", How::Output),
    ("README.md", "Your own machine", How::NotRun(INSTALLS_MPICH)),
    ("README.md", "Install", How::NotRun("a step of `cargo xtask test` installs, and uses what is installed")),
    ("docs/abi.md", "A call, from C to Rust", How::NotRun("a drawing")),
    ("docs/analysis.md", "An example", How::File("uneven.c")),
    ("docs/analysis.md", "An example", How::Script(0)),
    ("docs/analysis.md", "An example", How::Output),
    (
        "docs/analysis.md",
        "Who called the function that calls MPI",
        How::NotRun("a part of a profile; `profile.rs` runs tests/profile/wrapped.c"),
    ),
    ("docs/analysis.md", "What if", How::Script(0)),
    ("docs/calibration.md", "Calibration: a platform from a real MPI", How::NotRun(INSTALLS_MPICH)),
    ("docs/calibration.md", "What is measured", How::NotRun("an equation")),
    ("docs/clusters.md", "Checkpoints", How::File("orders.c")),
    ("docs/clusters.md", "Checkpoints", How::Script(0)),
    ("docs/clusters.md", "Checkpoints", How::Output),
    ("docs/clusters.md", "All machines that a launcher reaches", How::NotRun("`clusters.rs` does the same")),
    ("docs/clusters.md", "Many simulations: sweeps", How::NotRun("`clusters.rs` does the same")),
    ("docs/determinism.md", "Determinism", How::NotRun("a part of a report, and its program is not shown")),
    ("docs/endless.md", "Each state once: `--stateful`", How::File("lock.c")),
    ("docs/endless.md", "Each state once: `--stateful`", How::Script(0)),
    ("docs/endless.md", "Each state once: `--stateful`", How::Output),
    ("docs/endless.md", "What must happen: `--ltl`", How::File("served.c")),
    ("docs/endless.md", "What must happen: `--ltl`", How::Script(1)),
    ("docs/endless.md", "What must happen: `--ltl`", How::Output),
    (
        "docs/explain-simgrid.md",
        "Beside SimGrid's critical transition",
        How::NotRun("it needs SimGrid with its model checker, and SimGrid's programs"),
    ),
    ("docs/explain.md", "From a finding to the line", How::File("twice.c")),
    ("docs/explain.md", "From a finding to the line", How::Script(1)),
    ("docs/explain.md", "From a finding to the line", How::Output),
    ("docs/explain.md", "What exactly", How::NotRun("`explained.rs` itself runs a part of it")),
    (
        "docs/explain.md",
        "How likely it is",
        How::NotRun("a part of a report; tests/programs/verify/help_likely.c asks for the same"),
    ),
    ("docs/explain.md", "How well it points at the line", How::NotRun("`blamed.rs` itself runs a part of it")),
    ("docs/explain.md", "How far it goes", How::File("near.c")),
    ("docs/explain.md", "How far it goes", How::Script(3)),
    ("docs/explain.md", "How far it goes", How::Output),
    ("docs/large.md", "When everything is out of reach", How::File("many.c")),
    ("docs/large.md", "When everything is out of reach", How::Script(0)),
    ("docs/large.md", "When everything is out of reach", How::Output),
    ("docs/large.md", "When everything is out of reach", How::Script(0)),
    ("docs/large.md", "Races that do not meet", How::File("apart.c")),
    ("docs/large.md", "Races that do not meet", How::Script(0)),
    ("docs/large.md", "Races that do not meet", How::Output),
    ("docs/large.md", "Ranks that may change places", How::Script(0)),
    ("docs/large.md", "Ranks that may change places", How::Output),
    ("docs/platforms.md", "Platforms: the simulated machine and its models", How::Platform),
    ("docs/platforms.md", "`[[cluster]]`: hosts around a switch", How::NotRun("a drawing")),
    ("docs/platforms.md", "Topologies", How::NotRun("a drawing")),
    ("docs/platforms.md", "Topologies", How::NotRun("a drawing")),
    ("docs/platforms.md", "Topologies", How::NotRun("a drawing")),
    ("docs/platforms.md", "Zones in zones", How::NotRun("a drawing")),
    ("docs/platforms.md", "Zones in zones", How::Platform),
    ("docs/platforms.md", "`[[profile]]`: what changes over time", How::Platform),
    ("docs/platforms.md", "`[[disk]]` and `[[filesystem]]`: what files cost", How::Platform),
    ("docs/platforms.md", "`[network]` and `[mpi]`: constants of the models", How::Platform),
    ("docs/platforms.md", "A flow", How::NotRun("equations")),
    ("docs/platforms.md", "A flow", How::NotRun("equations")),
    ("docs/platforms.md", "An access to a window", How::Script(0)),
    ("docs/platforms.md", "An access to a window", How::Output),
    ("docs/replay.md", "Traces and their replay", How::Script(0)),
    ("docs/replay.md", "More ranks than were recorded", How::Elsewhere("scaling.rs")),
    (
        "docs/replay.md",
        "More ranks than were recorded",
        How::NotRun("it takes a minute; `scaling.rs` scales traces of smaller problems"),
    ),
    ("docs/report-format.md", "Example", How::File("order.c")),
    ("docs/report-format.md", "Example", How::Script(1)),
    ("docs/report-format.md", "Example", How::Report("report.json")),
    ("docs/smpirun.md", "In a minute", How::Script(0)),
    ("docs/smpirun.md", "Hostfiles", How::File("hosts")),
    ("docs/smpirun.md", "How computation is charged", How::File("flops.c")),
    ("docs/smpirun.md", "How computation is charged", How::Script(0)),
    ("docs/smpirun.md", "While it runs", How::NotRun("tests/programs/ranks/question.c prints it")),
    ("docs/smpirun.md", "Under a debugger or another tool", How::Elsewhere("debugger.rs")),
    ("docs/smpirun.md", "Tables of algorithms", How::File("table.txt")),
    ("docs/smpirun.md", "Tables of algorithms", How::Script(0)),
    ("docs/smpirun.md", "Tables of algorithms", How::File("levels.txt")),
    ("docs/smpirun.md", "Tables of algorithms", How::Script(0)),
    ("docs/smpirun.md", "The fastest algorithms for a program", How::Script(0)),
    ("docs/speed.md", "Beside SMPI", How::NotRun("it takes minutes, and SimGrid")),
    ("docs/speed.md", "Many flows at once", How::NotRun("`cargo xtask bench laws incast` runs it on growing clusters")),
    ("docs/stepping.md", "Step by step, in both directions", How::File("twice.c")),
    ("docs/stepping.md", "Step by step, in both directions", How::Script(0)),
    ("docs/stepping.md", "Step by step, in both directions", How::Output),
    ("docs/sweeps.md", "Many runs", How::Elsewhere("sweep.rs")),
    ("docs/sweeps.md", "Many runs", How::Elsewhere("sweep.rs")),
    ("docs/sweeps.md", "On a cluster", How::NotRun("`clusters.rs` does the same")),
    ("docs/verification.md", "The first minute", How::File("crash.c")),
    ("docs/verification.md", "The first minute", How::Script(1)),
    ("docs/verification.md", "The first minute", How::Output),
    ("docs/verification.md", "The first minute", How::Script(1)),
    ("docs/verification.md", "Accesses to memory: `smpicc --verify`", How::Script(0)),
    ("docs/verification.md", "Buffers and what they lie in", How::File("gather.c")),
    ("docs/verification.md", "Buffers and what they lie in", How::Script(1)),
    ("docs/verification.md", "Buffers and what they lie in", How::Output),
    ("docs/verification.md", "Buffers and what they lie in", How::File("masses.c")),
    ("docs/verification.md", "Buffers and what they lie in", How::Script(0)),
    ("docs/verification.md", "Buffers and what they lie in", How::Output),
    ("docs/verification.md", "Memory that was never written", How::File("rows.c")),
    ("docs/verification.md", "Memory that was never written", How::Script(1)),
    ("docs/verification.md", "Memory that was never written", How::Output),
    ("docs/verification.md", "Windows", How::NotRun("a part of a report, and its program is not shown")),
    ("docs/verification.md", "How it explores", How::NotRun("a drawing")),
    ("docs/verification.md", "How it explores", How::NotRun("a part of a report, and its program is not shown")),
    (
        "docs/verification.md",
        "How it explores",
        How::Lines(
            "int x[3], index; MPI_Request requests[3]; MPI_Status status;
            if (rank == 1) for (int i = 0; i < 3; i++) MPI_Send(x, 1, MPI_INT, 0, i, MPI_COMM_WORLD); else {
            for (int i = 0; i < 3; i++) MPI_Irecv(&x[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);",
            "MPI_Waitall(3, requests, MPI_STATUSES_IGNORE); }",
        ),
    ),
    (
        "docs/verification.md",
        "How that is tested",
        How::NotRun("it takes an hour; `campaign.rs` runs a thousandth of it"),
    ),
];

/// Lines of scripts that are left out: a word in them, and why.
const LINES_NOT_RUN: &[(&str, &str)] = &[
    ("cargo build", "the tools that are tested are built"),
    ("--gdb", "gdb may not be there; `debugger.rs` runs it where it is"),
];

/// What the scripts of a page find in their directory, beside the page's own files: names, and files of ours.
const FILES: &[(&str, &str, &str)] = &[
    ("README.md", "examples/ring.c", "examples/ring.c"),
    ("docs/platforms.md", "benches/programs/windows.c", "benches/programs/windows.c"),
    ("docs/platforms.md", "benches/programs/windows.xml", "benches/programs/windows.xml"),
    ("docs/smpirun.md", "ring.c", "examples/ring.c"),
    ("docs/verification.md", "program.c", "examples/ring.c"),
];

/// Programs of the scripts of `docs/smpirun.md` and `docs/replay.md` that are not made there.
const PROGRAMS: [&str; 3] = ["app", "server", "client"];
const PROGRAM: &str = "#include <mpi.h>\nint main(int argc, char **argv) { MPI_Init(&argc, &argv); MPI_Barrier(MPI_COMM_WORLD);\n\
    MPI_Finalize(); return 0; }\n";

/// The directory of a page's scripts. `smpirun` computes in no time there, so that what is printed is always the same.
struct Shelf {
    place: Place,
    printed: String,
    platform: String,
}

impl Shelf {
    fn new(page: &str, all: &[(Block, &How)]) -> Shelf {
        let place = Place::new(&format!("page-{}", page.replace(['/', '.'], "-")));
        let directory = &place.directory;
        for sub in ["benches/programs", "examples", "target", "tools"] {
            std::fs::create_dir_all(directory.join(sub)).unwrap();
        }
        let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, directory.join(name)).unwrap();
        link(&root().join("platforms").display().to_string(), "platforms");
        for tool in ["smpicc", "smpirun"] {
            let path = place.tool(tool);
            let script = match tool {
                // A command has its own options.
                "smpirun" => format!("[ \"$1\" = what-if ] && exec {path} \"$@\"\nexec {path} --compute=off \"$@\""),
                _ => format!("exec {path} \"$@\""),
            };
            let script = format!("#!/bin/sh\n{script}\n");
            place.write(&format!("tools/{tool}"), &script);
            place.run_words(&["chmod", "+x", &format!("tools/{tool}")], 0);
        }
        // The directory of a build has our scripts in it, too.
        link("../tools", "target/release");
        for (_, name, file) in FILES.iter().filter(|(of, ..)| *of == page) {
            std::fs::copy(root().join(file), directory.join(name)).unwrap();
        }
        for (block, how) in all {
            if let How::File(name) = how {
                place.write(name, &block.text);
            }
        }
        Shelf { place, printed: String::new(), platform: String::new() }
    }

    /// What is wrong with a block.
    fn complaint(&mut self, block: &Block, how: &How) -> Option<String> {
        match how {
            How::Script(code) => self.script(&block.text, *code),
            How::Output => {
                let printed = self.printed.replace(&self.place.directory.display().to_string(), "/home/me");
                let (printed, shown) = (without_seconds(&printed), without_seconds(&block.text));
                (!printed.ends_with(&shown)).then(|| format!("the script prints\n{printed}"))
            }
            How::Report(name) => self.report(name, &block.text),
            How::Platform => self.platform(&block.text),
            How::Lines(before, after) => self.lines(before, &block.text, after),
            How::Directives => {
                let program = format!("{}int main(void) {{ return MPI_VERSION == 0; }}\n", block.text);
                directives::parse(&program).err()
            }
            How::File(_) | How::Elsewhere(_) | How::NotRun(_) => None,
        }
    }

    fn script(&mut self, script: &str, code: i32) -> Option<String> {
        let left_out = |line: &&str| !LINES_NOT_RUN.iter().any(|(word, _)| line.contains(word));
        let lines: Vec<&str> = script.lines().filter(left_out).collect();
        let head = "PATH=$PWD/tools:$PATH\nset -e\nexec 2>&1\n";
        self.place.write("script", &format!("{head}{}\n", lines.join("\n")));
        let words = ["sh", "script"].map(String::from);
        let finished = run(&words, &self.place.directory, &[], 60).unwrap();
        self.printed = text(&finished.stdout);
        (finished.code != code).then(|| format!("it ends with {}:\n{}", finished.code, self.printed))
    }

    fn report(&self, name: &str, shown: &str) -> Option<String> {
        let written = std::fs::read_to_string(self.place.directory.join(name)).unwrap();
        // The page's reader is somewhere else.
        let written = written.replace(&self.place.directory.display().to_string(), "/home/me");
        let [written, shown] = [&written[..], shown].map(|text| {
            let mut report: Value = serde_json::from_str(text).unwrap();
            report["seconds"] = Value::Null;
            // Here computation always takes no time.
            let line = report["command_line"].as_str().map(|line| line.replace("--compute=off ", ""));
            report["command_line"] = line.into();
            report
        });
        (written != shown).then(|| format!("the report is\n{written:#}"))
    }

    fn platform(&mut self, text: &str) -> Option<String> {
        if text.contains("[[cluster]]") {
            self.platform = text.to_string();
        }
        let whole = if text.contains("[[cluster]]") { text.to_string() } else { format!("{}{text}", self.platform) };
        self.place.write("platform.toml", &whole);
        let ring = std::fs::read_to_string(root().join("examples/ring.c")).unwrap();
        self.place.write("on_platform.c", &ring);
        self.script("smpicc -O0 on_platform.c -o on_platform\nsmpirun -platform platform.toml -np 2 ./on_platform", 0)
    }

    fn lines(&mut self, before: &str, lines: &str, after: &str) -> Option<String> {
        let (includes, calls): (Vec<&str>, Vec<&str>) = lines.lines().partition(|line| line.starts_with('#'));
        let program = format!(
            "#include <mpi.h>\n{}\nint main(int argc, char **argv) {{ int rank; MPI_Init(&argc, &argv);\n\
             MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n{before}\n{}\n{after}\nMPI_Finalize(); return 0; }}\n",
            includes.join("\n"),
            calls.join("\n")
        );
        self.place.write("lines.c", &program);
        self.script("smpicc -O0 lines.c -o lines\nsmpirun --verify -np 2 ./lines", 0)
    }
}

/// The text without wall times, which differ from run to run.
fn without_seconds(text: &str) -> String {
    let is_time = |word: &str| {
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        word.split_once('.').is_some_and(|(whole, rest)| digits(whole) && digits(rest) && rest.len() == 3)
    };
    // The unit may begin a line.
    let text = text.replace("\n    s\n", " s\n");
    let lines = text.lines().map(|line| match line.rsplit_once(' ') {
        Some((head, "s")) => match head.rsplit_once(' ') {
            Some((rest, word)) if is_time(word) => format!("{rest} … s\n"),
            _ => format!("{line}\n"),
        },
        _ => format!("{line}\n"),
    });
    lines.collect()
}

#[test]
fn every_block_is_run_or_has_a_reason() {
    let root = root();
    let mut expected = BLOCKS.iter();
    let mut complaints = Vec::new();
    for page in pages(&root).unwrap().iter().filter(|page| *page != "docs/findings.md") {
        let all: Vec<(Block, &How)> = blocks(&root, page)
            .unwrap()
            .into_iter()
            .map(|block| match expected.next() {
                Some((page, heading, how)) if (*page, *heading) == (&block.page[..], &block.heading[..]) => {
                    (block, how)
                }
                other => panic!(
                    "{}:{}: the block under `{}` is not the next one of this test's table, which is {:?}",
                    block.page,
                    block.line,
                    block.heading,
                    other.map(|(page, heading, _)| (page, heading))
                ),
            })
            .collect();
        if all.is_empty() {
            continue;
        }
        let mut shelf = Shelf::new(page, &all);
        prepare(&shelf, page);
        for (block, how) in &all {
            let said = shelf.complaint(block, how);
            complaints.extend(said.map(|said| format!("{page}:{}: {said}", block.line)));
        }
    }
    assert!(expected.next().is_none(), "the table has blocks that are not in the pages");
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// What the scripts of `docs/smpirun.md` take for granted.
fn prepare(shelf: &Shelf, page: &str) {
    if !["docs/smpirun.md", "docs/replay.md"].contains(&page) {
        return;
    }
    for name in PROGRAMS {
        shelf.place.compile(name, PROGRAM, &["-O0"]);
    }
    let smallest = blocks(&root(), "docs/platforms.md").unwrap().remove(0);
    shelf.place.write("cluster.toml", &smallest.text);
}

#[test]
fn tests_that_are_named_are_there() {
    for (page, _, how) in BLOCKS {
        if let How::Elsewhere(file) = how {
            assert!(root().join("tests/tests").join(file).is_file(), "{page}: there is no test {file}");
        }
    }
    for (_, reason) in LINES_NOT_RUN {
        assert!(!reason.is_empty());
    }
    for (_, _, how) in BLOCKS {
        if let How::NotRun(reason) = how {
            assert!(!reason.is_empty());
        }
    }
}
