//! Damaged input of every kind: executables, platforms (TOML, XML), hostfiles, replay tokens, options, traces, tables
//! of algorithms, studies, formulas and automata. Whatever comes, `smpirun` refuses it with exit code 2 and a message,
//! or runs; it never crashes, hangs, or asks for memory without measure.
//!
//! A mutant follows from its kind, the seed and its number alone. `cargo test -p smpi-tests --test mutants` tries a few
//! hundred. More, or others:
//!
//! ```sh
//! SMPI_MUTANTS=20000 SMPI_MUTANTS_SEED=7 cargo test --release -p smpi-tests --test mutants -- --nocapture
//! ```
//!
//! Of executables only the parts are damaged that the loader reads, not the code: what damaged code does is the
//! program's own doing. Some of what is left changes the program, too (a relocation leads elsewhere), so that a run may
//! end in a crash of a rank, which is then reported as such.
#![forbid(unsafe_code)]

use nix::sys::resource::{UsageWho, getrusage};
use object::{Object, ObjectSection};
use smpi_base::rng::Rng;
use smpi_tests::environment::{number, threads};
use smpi_tests::place::{Place, is_refusal, text};
use smpi_tests::process::{self, Finished, shell_line};
use smpi_tests::queue::Queue;
use smpi_tests::toolchain::root;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Mutants of a test run, of all kinds together.
const MUTANTS: u64 = 250;
const SEED: u64 = 1;
/// A run that takes so many seconds of a busy machine hangs.
const LIMIT_SECS: u64 = 60;
/// Largest memory of a run, in KiB.
const LIMIT_KIB: i64 = 2 << 20;

/// Three ranks of which two send to the first, so that there is something to choose; prints what it received.
const PROGRAM: &str = "#include <mpi.h>\n#include <stdio.h>\nint main(int argc, char **argv) { int r, n, x, sum = 0;\n\
    MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &r); MPI_Comm_size(MPI_COMM_WORLD, &n);\n\
    for (int i = 1; r == 0 && i < n; i++) {\n\
      MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); sum += x; }\n\
    if (r > 0) MPI_Send(&r, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);\n\
    if (r == 0) printf(\"%d\\n\", sum);\n MPI_Finalize(); return 0; }\n";

const PLATFORM: &str = "[[cluster]]\nname = \"node\"\nhosts = 4\ncores = 2\nspeed = \"1Gf\"\nbandwidth = \"125MBps\"\n\
    latency = \"50us\"\nsharing = \"split-duplex\"\nbackbone = { bandwidth = \"2.25GBps\", latency = \"500us\" }\n\
    loopback = { bandwidth = \"5GBps\", latency = \"1us\" }\n[[host]]\nname = \"a\"\nspeed = \"2.5Gf\"\n\
    [[link]]\nname = \"l\"\nbandwidth = \"1Gbps\"\nlatency = \"1ms\"\nsharing = \"fatpipe\"\n\
    [[route]]\nsrc = \"a\"\ndst = \"node\"\nlinks = [\"l:up\"]\nsymmetric = true\n\
    [network]\nweight-S = 8775\nbandwidth-factor = \"0:0.812084;65472:0.940694\"\n\
    [mpi]\nsend-is-detached-thresh = \"64KiB\"\nos = \"0:1us:0\"\n";

const HOSTFILE: &str = "# three hosts\nnode-0:2\nnode-1 slots=2 max_slots=4\n\na\n";

const ALGORITHMS: [&str; 2] = [
    "# a table\nallreduce rdb ranks 2-7 bytes 1-8191 commutes\nallreduce @ompi-5 bytes 64KiB-\n\
     bcast mvapich2_inter_node within=binomial_tree between=NTSL hosts 2-\nreduce binomial each 4KiB- per-host 1-2\n",
    "1 # collectives\n2 # allreduce\n1 # size\n4\n2 # rules\n0 3 0 0\n1024 4 2 65536\n",
];

const STUDY: &str = "[study]\nranks = [1, 2]\nplatforms = [\"../platform.toml\"]\nrepeat = 1\n\
    cfg = [\"what-if/latency:0\"]\n[[platform]]\npath = \"../platform.toml\"\nname = \"other\"\n\
    cost_per_hour = 36.0\n[[program]]\npath = \"../program\"\nargs = [\"x{ranks}\"]\n";

/// Operations that a trace may have beside those of [`PROGRAM`].
const TRACED: &str = "0 isend 1 3 8 1\n0 wait 0 1 3\n0 compute 1e6\n0 bcast 8 0 1\n0 allreduce 1 100 1\n";

const FORMULAS: [&str; 2] = ["G (asked -> F given) && !(a U b) || X (c R d)", "G F done -> F G !(p <-> q)"];

const AUTOMATA: [&str; 2] = [
    "HOA: v1\nname: \"a\"\nStates: 2\nStart: 0\nAP: 2 \"p\" \"q\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n\
     --BODY--\nState: 0 {0}\n[0&!1] 1\n[t] 0\nState: 1\n[1] 0\n--END--\n",
    "never { /* !(F p) */\nT0_init:\n  if\n  :: (!p) -> goto accept_one\n  :: (1) -> goto T0_init\n  fi;\n\
     accept_one:\n  do\n  :: (!p && q) -> goto accept_one\n  od;\n}\n",
];

const TOKENS: [&str; 5] =
    ["1/zero/0.0:2/0.1:1", "1/infinite/0.0:1", "1/each/0.0:2", "1/zero/0.0:1+1/zero/0.0:2", "1/zero,0.0/0.0:2/0.1:1"];

/// What numbers, names and texts are replaced by.
const ODD: [&str; 26] = [
    "0",
    "-1",
    "1",
    "3",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "99999999999999999999999",
    "1e300",
    "-1e-300",
    "nan",
    "inf",
    "0x10",
    "1.5",
    "",
    " ",
    "\u{e9}",
    "\u{1f600}",
    ":",
    ",",
    "=",
    "\"",
    "%s%n",
];

/// Options and the values that they are tried with besides [`ODD`]. Those that name files to write have no other ones.
const OPTIONS: &[(&str, &[&str])] = &[
    ("-np", &["2", "4"]),
    ("-n", &["3"]),
    ("-platform", &["platform.toml", "hosts", "/dev/null", "."]),
    ("-hostfile", &["hosts", "platform.toml", "/dev/null", "."]),
    ("-host", &["node-0,a", "node-1:3"]),
    ("-ppn", &["2"]),
    ("--map-by", &["node", "ppr:2:node", "ppr:x", "core"]),
    ("--compute", &["off", "scaled:1", "scaled:x", "measured", "recorded:/dev/full", "recorded:/nowhere/x"]),
    ("--cfg", &["smpi/os:0:1:2", "smpi/np:3", "network/model:LV08", "nothing"]),
    ("--stack-size", &["64KiB", "1GiB"]),
    ("--heap-size", &["1MiB", "1000GiB"]),
    ("--privatize", &["libc.so.6", "libm.so.6", "libnothing.so"]),
    ("-bandwidth", &["1Gbps"]),
    ("-latency", &["1us"]),
    ("--shuffle", &["3"]),
    ("--buffering", &["zero", "each", "both"]),
    ("--collectives", &["atomic", "p2p"]),
    ("--reduction", &["none", "dpor", "matches", "histories"]),
    ("--depth", &["1"]),
    ("--max-executions", &["1"]),
    ("--max-waitsome", &["2"]),
    ("--time-limit", &["5"]),
    ("--call-timeout", &["5"]),
    ("--explain-within", &["0", "5"]),
    ("--jobs", &["2"]),
    ("--launch", &["no-such-launcher", "true", "env -i"]),
    ("--checkpoint", &["kept", "/dev/full", "/nowhere/x", "."]),
    ("--every", &["0", "1"]),
    ("--resume", &["kept", "hosts", "/dev/null", "/nowhere/x"]),
    ("--replay", &["1/zero/0.1:2"]),
    ("-x", &["A=1", "A", "LD_LIBRARY_PATH=."]),
    ("--bind-to", &["core"]),
    ("--rankfile", &["f"]),
    ("--log", &["root.thres:info"]),
    ("--verify", &[]),
    ("--strict", &[]),
    ("--summary", &[]),
    ("--notes", &[]),
    ("-map", &[]),
    ("-quiet", &[]),
    ("--keep-going", &[]),
    ("--require-complete", &[]),
    ("--fair-messages", &[]),
    ("--list-results", &[]),
    ("--no-prune", &[]),
    ("--replay-step", &[]),
    ("--step", &[]),
    ("--report", &["report.json", "/dev/full", "/nowhere/x", "."]),
    ("--report-html", &["report.html", "/dev/full", "."]),
    ("--summary-json", &["summary.json", "/dev/full", "/nowhere/x"]),
    ("--oversubscribe", &[]),
    ("--", &[]),
];

/// Options whose value is a file that is written.
const WRITING: [&str; 4] = ["--report", "--report-html", "--summary-json", "--checkpoint"];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Executable,
    Platform,
    Hostfile,
    Token,
    Options,
    Xml,
    Trace,
    Algorithms,
    Study,
    Property,
}

const KINDS: [Kind; 10] = [
    Kind::Executable,
    Kind::Platform,
    Kind::Hostfile,
    Kind::Token,
    Kind::Options,
    Kind::Xml,
    Kind::Trace,
    Kind::Algorithms,
    Kind::Study,
    Kind::Property,
];

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    /// With exit code 2 and a message.
    Refused,
    /// As a program without faults.
    Ran,
    /// With a report of what a rank did.
    Reported,
    /// Not at all.
    Hung,
    /// Otherwise.
    Crashed,
}

/// What mutants are made of.
struct Seeds {
    executable: Vec<u8>,
    /// Parts of the executable that the loader reads.
    tables: Vec<Range<usize>>,
    platforms: Vec<Vec<u8>>,
    /// Platforms of SimGrid.
    xml: Vec<Vec<u8>>,
    /// What rank 0 of three does.
    trace: Vec<u8>,
    smpirun: String,
}

impl Seeds {
    fn new(place: &Place) -> Seeds {
        place.compile("program", PROGRAM, &["-O1"]);
        place.write("platform.toml", PLATFORM);
        place.write("hosts", HOSTFILE);
        let executable = std::fs::read(place.directory.join("program")).unwrap();
        let mut platforms = vec![PLATFORM.as_bytes().to_vec()];
        platforms.push(std::fs::read(root().join("platforms/laptop.toml")).unwrap());
        place.run_words(&[&place.tool("smpirun"), "-quiet", "-trace-ti", "-trace-file=ti", "-np=3", "./program"], 0);
        let read = |path: PathBuf| std::fs::read(path).unwrap();
        let trace = [&read(place.directory.join("ti_files/rank-0.txt"))[..], TRACED.as_bytes()].concat();
        let names = ["dragonfly", "fat-tree", "shortest", "space", "torus", "zones"];
        let folder = root().join("libsmpi/crates/platform/tests/simgrid");
        let xml = names.iter().map(|name| read(folder.join(format!("{name}.xml")))).collect();
        Seeds { tables: tables(&executable), executable, platforms, xml, trace, smpirun: place.tool("smpirun") }
    }

    /// Writes what a mutant needs into `directory`; answers the words after `smpirun`.
    fn make(&self, kind: Kind, rng: &mut Rng, directory: &Path) -> Vec<String> {
        let words = |line: &str| line.split(' ').map(String::from).collect::<Vec<_>>();
        let write = |name: &str, bytes: &[u8]| std::fs::write(directory.join(name), bytes).unwrap();
        match kind {
            Kind::Executable => {
                write("mutant", &self.damaged(rng));
                words(["-np 3 ./mutant", "--verify -np 2 ./mutant"][rng.below(2)])
            }
            Kind::Platform => {
                let seed = &self.platforms[rng.below(self.platforms.len())];
                write("mutant", &mutated(rng, seed));
                words("-platform mutant -np 3 ../program")
            }
            Kind::Hostfile => {
                write("mutant", &mutated(rng, HOSTFILE.as_bytes()));
                words(["-platform ../platform.toml -hostfile mutant ../program", "-f mutant ../program"][rng.below(2)])
            }
            Kind::Token => {
                let seed = TOKENS[rng.below(TOKENS.len())];
                let token = mutated(rng, seed.as_bytes());
                let token = String::from_utf8_lossy(&token).replace('\0', "0");
                [vec!["--replay".to_string(), token], words("-np 3 ../program")].concat()
            }
            Kind::Options => options(rng),
            Kind::Xml => {
                let seed = &self.xml[rng.below(self.xml.len())];
                write("mutant.xml", &mutated(rng, seed));
                words(
                    [
                        "-platform mutant.xml -np 3 ../program",
                        "platform show mutant.xml",
                        "platform convert mutant.xml",
                    ][rng.below(3)],
                )
            }
            Kind::Trace => {
                write("rank", &mutated(rng, &self.trace));
                let index = b"rank\n../ti_files/rank-1.txt\n../ti_files/rank-2.txt\n";
                write("index", &if rng.below(4) == 0 { mutated(rng, index) } else { index.to_vec() });
                words("-replay index")
            }
            Kind::Algorithms => {
                let seed = ALGORITHMS[rng.below(2)];
                write("mutant", &mutated(rng, seed.as_bytes()));
                words("--coll-table mutant -np 3 ../program")
            }
            Kind::Study => {
                write("mutant", &mutated(rng, STUDY.as_bytes()));
                words("sweep mutant")
            }
            Kind::Property => {
                let is_formula = rng.below(2) == 0;
                let seed = [AUTOMATA, FORMULAS][usize::from(is_formula)][rng.below(2)];
                write("mutant", &mutated(rng, seed.as_bytes()));
                words(
                    ["--verify --automaton mutant -np 2 ../program", "--verify --ltl @mutant -np 2 ../program"]
                        [usize::from(is_formula)],
                )
            }
        }
    }

    /// The executable with a few damaged words of its tables, or shorter than it was.
    fn damaged(&self, rng: &mut Rng) -> Vec<u8> {
        let mut bytes = self.executable.clone();
        for _ in 0..=rng.below(2) {
            let table = &self.tables[rng.below(self.tables.len())];
            let at = table.start + rng.below(table.len());
            let value = match rng.below(6) {
                0 => u64::MAX,
                1 => 0,
                2 => rng.next_u64(),
                3 => 1 << rng.below(64),
                4 => rng.below(bytes.len()) as u64,
                _ => u64::from(bytes[at]) ^ 1 << rng.below(8),
            };
            let width = [1, 2, 4, 8][rng.below(4)].min(bytes.len() - at);
            bytes[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
        }
        if rng.below(20) == 0 {
            bytes.truncate(rng.below(bytes.len()));
        }
        bytes
    }
}

/// Parts of an ELF file that say how to load it.
fn tables(bytes: &[u8]) -> Vec<Range<usize>> {
    const NAMES: [&str; 9] = [
        ".dynamic",
        ".dynsym",
        ".dynstr",
        ".gnu.hash",
        ".gnu.version",
        ".gnu.version_r",
        ".rela.dyn",
        ".rela.plt",
        ".interp",
    ];
    let file = object::File::parse(bytes).unwrap();
    let range = |name: &str| {
        let (at, size) = file.section_by_name(name)?.file_range()?;
        Some(at as usize..(at + size) as usize)
    };
    let headers = 64 + 56 * usize::from(u16::from_le_bytes([bytes[56], bytes[57]]));
    std::iter::once(0..headers).chain(NAMES.iter().filter_map(|name| range(name))).collect()
}

/// A text with a few changes.
fn mutated(rng: &mut Rng, seed: &[u8]) -> Vec<u8> {
    let mut text = seed.to_vec();
    for _ in 0..=rng.below(3) {
        let at = rng.below(text.len() + 1);
        let end = (at + 1 + rng.below(8)).min(text.len());
        match rng.below(7) {
            0 if at < text.len() => text[at] = rng.below(256) as u8,
            1 => drop(text.drain(at..end)),
            2 => text.truncate(at),
            3 => {
                let part = text[at..end].to_vec();
                let to = rng.below(text.len() + 1);
                text.splice(to..to, part);
            }
            4 => drop(text.splice(at..at, ODD[rng.below(ODD.len())].bytes())),
            _ => {
                let number = number_near(&text, at);
                text.splice(number, ODD[rng.below(ODD.len())].bytes());
            }
        }
    }
    text
}

/// The next number behind a place, or nothing at its end.
fn number_near(text: &[u8], at: usize) -> Range<usize> {
    let start = (at..text.len()).find(|&index| text[index].is_ascii_digit()).unwrap_or(text.len());
    let end = (start..text.len()).find(|&index| !text[index].is_ascii_digit()).unwrap_or(text.len());
    start..end
}

/// A command line of options in any order, with values that they may or may not take.
fn options(rng: &mut Rng) -> Vec<String> {
    // Half of the options are a verification's.
    let mut words: Vec<String> = [&["--verify"][..], &[]][rng.below(2)].iter().map(ToString::to_string).collect();
    for _ in 0..=rng.below(4) {
        let (name, values) = OPTIONS[rng.below(OPTIONS.len())];
        let value = match values {
            [] if rng.below(20) == 0 => Some(ODD[rng.below(ODD.len())]),
            [] => None,
            _ if rng.below(4) > 0 || WRITING.contains(&name) => Some(values[rng.below(values.len())]),
            _ => Some(ODD[rng.below(ODD.len())]),
        };
        match value {
            Some(value) if rng.below(2) == 0 => words.push(format!("{name}={value}")),
            Some(value) => words.extend([name.to_string(), value.to_string()]),
            None => words.push(name.to_string()),
        }
    }
    if rng.below(4) == 0 {
        let settings: Vec<String> = smpi_settings::known().collect();
        let key = &settings[rng.below(settings.len())];
        words.push(format!("--cfg={key}:{}", ODD[rng.below(ODD.len())]));
    }
    let programs = ["../program", "../program", "../program", "./missing", ".", "/dev/null", "../program : ../program"];
    words.extend(programs[rng.below(programs.len())].split(' ').map(String::from));
    words
}

fn end(finished: &Finished) -> End {
    let said = text(&finished.stderr);
    let is_ours = ["smpirun: internal bug", "panicked", "memory allocation", "smpirun: smpirun: SIG"];
    if finished.timed_out {
        End::Hung
    } else if is_ours.iter().any(|words| said.contains(words)) {
        End::Crashed
    } else if finished.code == 2 && said.lines().any(is_refusal) {
        End::Refused
    } else if finished.code == 0 {
        End::Ran
    } else if said.contains("rank ") || said.contains("the program crashed") {
        End::Reported
    } else {
        End::Crashed
    }
}

/// What a thread of the test adds to.
#[derive(Default)]
struct Sum {
    /// By kind, then by end.
    counts: [[u64; 5]; KINDS.len()],
    failures: Vec<String>,
}

/// Runs a mutant in an empty directory, which stays when it fails.
fn run(seeds: &Seeds, kind: Kind, rng: &mut Rng, directory: PathBuf) -> (End, String) {
    std::fs::create_dir_all(&directory).unwrap();
    let words = seeds.make(kind, rng, &directory);
    let mutant = directory.join("mutant");
    if kind == Kind::Executable {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&mutant, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut all = vec![seeds.smpirun.clone()];
    all.extend(words);
    let finished = process::run(&all, &directory, &[], LIMIT_SECS).unwrap();
    let end = end(&finished);
    if matches!(end, End::Hung | End::Crashed) {
        let line = shell_line(&all, &directory, &[]);
        return (end, format!("{kind:?} {end:?} ({}):\n{line}\n{}", finished.code, text(&finished.stderr)));
    }
    std::fs::remove_dir_all(&directory).unwrap();
    (end, String::new())
}

#[test]
fn damaged_input_is_refused_or_runs() {
    let place = Place::new("mutants");
    let seeds = Seeds::new(&place);
    let (mutants, seed) = (number("SMPI_MUTANTS", MUTANTS), number("SMPI_MUTANTS_SEED", SEED));
    let indices = Queue::new(0, mutants);
    let sum = Mutex::new(Sum::default());
    let work = || {
        for index in &indices {
            let which = index as usize % KINDS.len();
            // The first numbers of neighbouring seeds are unlike each other, so that a sum is as good as a hash.
            let mut rng = Rng::new(seed.wrapping_mul(1 << 32).wrapping_add(index));
            let (end, failure) = run(&seeds, KINDS[which], &mut rng, place.directory.join(index.to_string()));
            let mut sum = sum.lock().unwrap();
            sum.counts[which][end as usize] += 1;
            if !failure.is_empty() {
                sum.failures.push(failure);
            }
        }
    };
    std::thread::scope(|scope| (0..threads()).for_each(|_| drop(scope.spawn(work))));
    let sum = sum.into_inner().unwrap();
    for (kind, [refused, ran, reported, hung, crashed]) in KINDS.iter().zip(sum.counts) {
        println!("{kind:?}: {refused} refused, {ran} ran, {reported} ended by a rank, {hung} hung, {crashed} crashed");
    }
    assert!(sum.failures.is_empty(), "{}", sum.failures.join("\n\n"));
    let largest = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap().max_rss();
    println!("the largest run took {} MiB", largest >> 10);
    assert!(largest < LIMIT_KIB, "a run took {} MiB of memory", largest >> 10);
}
