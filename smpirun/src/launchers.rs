//! Options of other launchers: what they mean here, or why they are refused and what to do instead.
//!
//! Scripts and build systems call what they take for `mpirun`. An option that only places processes on a real machine
//! has no meaning here and is ignored with a note; one that changes what the user gets is understood, or refused by its
//! own name. Sources: the manuals of Open MPI 4 and 5 (`mpirun(1)`), MPICH's Hydra and Intel MPI (`mpiexec -help`), and
//! SMPI's `smpirun -help`.

use crate::failure::Failure;

/// What an option of another launcher means.
#[derive(Clone, Copy)]
pub enum Meaning {
    /// The same as this option of ours, with the same value if it has one.
    Same(&'static str),
    /// The same as this option of ours with this value; the option itself has none.
    Fixed(&'static str),
    /// How ranks are spread over hosts, in the words of Open MPI.
    MapBy,
    /// An environment variable of the ranks: `NAME=VALUE`, or `NAME`, which they have anyway.
    Exported,
    /// An environment variable of the ranks: two words, a name and its value.
    Variable,
    /// Nothing is to be done, for this reason.
    Nothing(&'static str),
    /// Nothing is to be done, and nobody needs to be told.
    Silent,
    /// It is not available; what to do instead.
    Refused(&'static str),
}

/// An option of another launcher.
pub struct Foreign {
    names: &'static [&'static str],
    /// Words that follow it.
    pub values: usize,
    /// What it means here.
    pub meaning: Meaning,
}

const fn option(names: &'static [&'static str], values: usize, meaning: Meaning) -> Foreign {
    Foreign { names, values, meaning }
}

use Meaning::{Exported, Fixed, MapBy, Nothing, Refused, Same, Silent, Variable};

const TRACES: &str = "a Paje trace has all ranks, their calls, computations and messages, and no comments; links over time \
                      are in --report-html";
const BINDING: &str = "all ranks run in one process here, so that no rank is bound to a core";
const RANK_BY: &str = "--map-by slot or --map-by node says which ranks share a host; for any other order write a hostfile \
                       with one line for each rank";
const REMOTE: &str = "nothing is started on other machines";
const LABELS: &str = "lines of output are whole and in the order of the ranks, without labels";
const ENVIRONMENT: &str = "ranks have all of smpirun's environment";
const FILE_OF_PROGRAMS: &str = "write the programs on the command line: smpirun -np 2 ./a : -np 4 ./b";

const KNOWN: &[Foreign] = &[
    // Numbers of ranks and hosts.
    option(&["c", "ntasks"], 1, Same("np")),
    option(&["f", "default-hostfile"], 1, Same("hostfile")),
    option(&["N", "npernode", "perhost", "grr", "ntasks-per-node"], 1, Same("ppn")),
    option(&["pernode", "bynode", "rr"], 0, Fixed("--ppn=1")),
    option(&["bycore", "bysocket"], 0, Fixed("--byslot")),
    option(&["map-by"], 1, MapBy),
    option(&["display-map", "print-rank-map"], 0, Fixed("--map")),
    option(&["q"], 0, Fixed("--quiet")),
    option(&["oversubscribe"], 0, Silent),
    option(&["nooversubscribe", "no-oversubscribe"], 0, Nothing("a simulated host takes any number of ranks")),
    option(&["rankfile", "rf"], 1, Refused("write a hostfile with one line for each rank")),
    option(&["usize"], 1, Nothing("the universe is MPI_COMM_WORLD")),
    // The environment.
    option(&["x"], 1, Exported),
    option(&["env", "genv"], 2, Variable),
    option(&["envall", "genvall"], 0, Silent),
    option(&["envlist", "genvlist", "genvexcl"], 1, Nothing(ENVIRONMENT)),
    option(&["envnone", "genvnone"], 0, Refused("all ranks have smpirun's environment; start it with env -i")),
    option(&["wdir", "wd", "workdir"], 1, Refused("change the directory first: cd DIR && smpirun …")),
    option(&["path"], 1, Refused("give the program with its directory")),
    // What only concerns real machines.
    option(&["rank-by"], 1, Refused(RANK_BY)),
    option(&["bind-to", "binding", "cpus-per-proc", "cpus-per-rank"], 1, Nothing(BINDING)),
    option(&["cpu-set", "cpu-list", "slot-list", "cpus-per-task"], 1, Nothing(BINDING)),
    option(&["bind-to-core", "bind-to-none", "bind-to-socket"], 0, Nothing(BINDING)),
    option(&["report-bindings", "use-hwthread-cpus", "nolocal", "novm"], 0, Nothing(BINDING)),
    option(&["allow-run-as-root"], 0, Silent),
    option(&["mca", "gmca", "prtemca", "pmixmca"], 2, Nothing("parameters of Open MPI; see --cfg")),
    option(&["am", "tune"], 1, Nothing("parameters of Open MPI; see --cfg")),
    option(&["prefix", "launcher", "launcher-exec", "bootstrap", "bootstrap-exec", "rmk"], 1, Nothing(REMOTE)),
    option(&["iface", "rsh", "launch-agent", "pmi-port"], 1, Nothing(REMOTE)),
    option(&["noprefix", "preload-binary", "disable-hostname-propagation", "enable-x"], 0, Nothing(REMOTE)),
    option(&["disable-x", "localonly", "display-allocation", "verbose"], 0, Nothing(REMOTE)),
    // Standard streams.
    option(&["l", "prepend-rank", "tag-output", "timestamp-output"], 0, Nothing(LABELS)),
    option(&["prepend-pattern", "output"], 1, Nothing(LABELS)),
    option(&["output-filename", "outfile-pattern", "errfile-pattern"], 1, Refused("redirect the output: > FILE")),
    option(&["merge-stderr-to-stdout"], 0, Refused("redirect it: 2>&1")),
    option(&["stdin", "s"], 1, Nothing("rank 0 reads standard input")),
    // Programs and time.
    option(&["configfile", "app"], 1, Refused(FILE_OF_PROGRAMS)),
    option(&["timeout"], 1, Refused("run it under timeout(1): timeout SECS smpirun …")),
    option(&["tv", "debug"], 0, Refused("use -gdb or -lldb")),
    // SMPI's.
    option(&["trace-grouped", "trace-resource", "trace-viva"], 0, Nothing(TRACES)),
    option(&["trace-comment", "trace-comment-file"], 1, Nothing(TRACES)),
    option(&["analyze"], 0, Refused("use --summary for times and message counts, --strict for leaks")),
    option(&["no-privatize"], 0, Refused("every rank has its own global variables here")),
    option(&["foreground", "keep-temps"], 0, Silent),
    option(&["tmpdir"], 1, Silent),
];

/// The option of another launcher that has this name, without its dashes.
pub fn find(name: &str) -> Option<&'static Foreign> {
    KNOWN.iter().find(|foreign| foreign.names.contains(&name))
}

/// What an option of another launcher becomes.
#[derive(Debug, PartialEq)]
pub enum Translated {
    /// An option of ours.
    Option(String),
    /// An environment variable of the ranks.
    Variable(String, String),
    /// Nothing, and what to tell the user about it.
    Note(String),
    /// Nothing.
    Nothing,
}

impl Foreign {
    /// What the option, as `word` of the command line, becomes with these values.
    pub fn translate(&self, word: &str, values: &[String]) -> Result<Translated, Failure> {
        let value = values.first().map(String::as_str).unwrap_or_default();
        Ok(match self.meaning {
            Same(ours) => Translated::Option(format!("--{ours}={value}")),
            Fixed(ours) => Translated::Option(ours.to_string()),
            MapBy => map_by(word, value)?,
            Exported => match value.split_once('=') {
                Some((name, value)) => variable(word, name, value)?,
                None => Translated::Nothing,
            },
            Variable => variable(word, value, values.get(1).map(String::as_str).unwrap_or_default())?,
            Nothing(reason) => Translated::Note(format!("{word} has no meaning here and is ignored: {reason}")),
            Silent => Translated::Nothing,
            Refused(advice) => {
                return Err(Failure::Refused(format!("{word} is not available: {advice}")));
            }
        })
    }
}

/// What is smaller than a host: ranks fill each of its parts, and all of them before those of the next host.
const PARTS_OF_HOSTS: [&str; 12] = [
    "slot",
    "core",
    "hwthread",
    "socket",
    "package",
    "board",
    "numa",
    "l1cache",
    "l2cache",
    "l3cache",
    "hwthreads",
    "",
];

/// Words behind the policy of `--map-by` that change no host.
const SAME_HOSTS: [&str; 4] = ["oversubscribe", "nooversubscribe", "inherit", "noinherit"];

/// `--map-by`: by host, or host after host. Which part of its host a rank has makes no difference here.
fn map_by(word: &str, value: &str) -> Result<Translated, Failure> {
    let refused = |expected: &str| Err(Failure::Refused(format!("{word} {value}: expected {expected}")));
    let lower = value.to_ascii_lowercase();
    let mut words = lower.split([':', ',']);
    let policy = words.next().unwrap_or_default();
    let (option, is_by_host) = match policy {
        "node" => ("--ppn=1".to_string(), true),
        "ppr" => match (words.next(), words.next()) {
            (Some(count), Some("node")) => (format!("--ppn={count}"), true),
            _ => return refused("ppr:N:node, since hosts have no parts here"),
        },
        policy if PARTS_OF_HOSTS.contains(&policy) => ("--byslot".to_string(), false),
        "seq" | "dist" | "rankfile" => return refused("slot or node; write a hostfile with one line for each rank"),
        _ => return refused("slot, node, ppr:N:node, or a part of a host such as core"),
    };
    // Ranks that take several cores each are fewer on a host.
    let is_same = |word: &str| SAME_HOSTS.contains(&word) || (is_by_host && word.starts_with("pe="));
    match words.find(|word| !is_same(word)) {
        None => Ok(Translated::Option(option)),
        Some(modifier) if modifier == "span" || modifier.starts_with("pe=") => {
            refused(&format!("no {modifier}; say how many ranks a host has: -ppn N"))
        }
        Some(modifier) => refused(&format!("no {modifier}; leave it out")),
    }
}

fn variable(word: &str, name: &str, value: &str) -> Result<Translated, Failure> {
    if name.is_empty() || name.contains('=') || value.contains('\0') {
        return Err(Failure::Refused(format!("{word} {name}: expected the name of an environment variable")));
    }
    if matches!(name, "LD_PRELOAD" | smpi_base::plan::PLAN_VARIABLE) {
        return Err(Failure::Refused(format!("{word} {name}: set it for smpirun itself: {name}=… smpirun …")));
    }
    Ok(Translated::Variable(name.to_string(), value.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn names_are_of_one_option_and_not_ours() {
        let command = crate::options::Options::command();
        let ours: Vec<&str> = command
            .get_arguments()
            .flat_map(|arg| arg.get_long().into_iter().chain(arg.get_all_aliases().into_iter().flatten()))
            .collect();
        let names: Vec<&str> = KNOWN.iter().flat_map(|foreign| foreign.names).copied().collect();
        for (index, name) in names.iter().enumerate() {
            assert!(!names[..index].contains(name), "{name} twice");
            assert!(!ours.contains(name), "{name} is ours");
        }
        for foreign in KNOWN {
            if let Same(name) = foreign.meaning {
                assert!(ours.contains(&name), "{name}");
            }
        }
    }

    #[test]
    fn mappings() {
        let map = |value| map_by("--map-by", value);
        assert_eq!(map("node"), Ok(Translated::Option("--ppn=1".into())));
        assert_eq!(map("ppr:4:node:OVERSUBSCRIBE"), Ok(Translated::Option("--ppn=4".into())));
        assert_eq!(map("node:PE=2"), Ok(Translated::Option("--ppn=1".into())));
        for part in ["slot", "core", "socket", "Package", "slot:OVERSUBSCRIBE"] {
            assert_eq!(map(part), Ok(Translated::Option("--byslot".into())), "{part}");
        }
        for (value, expected) in [
            ("ppr:2:socket", "ppr:N:node"),
            ("ppr", "ppr:N:node"),
            ("slot:PE=2", "-ppn N"),
            ("node:span", "-ppn N"),
            ("rankfile:file=x", "one line for each rank"),
            ("seq", "one line for each rank"),
            ("core:pe-list=1,2", "leave it out"),
            ("ndoe", "slot, node"),
        ] {
            assert!(matches!(map(value), Err(Failure::Refused(text)) if text.contains(expected)), "{value}");
        }
    }
}
