//! What must be the same where an exploration goes on, or is helped by another machine: the program, the libraries it
//! runs with, the processor, and the options that say what is explored. Each has a name, so that a difference can be
//! told.
//!
//! Addresses and the environment are not compared: they differ between machines, and what a program makes of them
//! shows in its [first execution](first_execution).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use smpi_base::digest::Digest;
use smpi_base::plan::{Compute, RunPlan, SearchPlan, VerifyPlan};
use smpi_checker::{Event, Flow, Limits, Observer, Outlook, Settled, Stats};
use smpi_report::finding::Buffering;

use crate::options::{modes, reduction, strategy, symmetric_in_words};
use crate::program::Program;
use crate::schedule::token;

/// What is compared: names and values in words, in the order in which differences are told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity(Vec<(String, String)>);

impl Identity {
    /// Of this process. Reads the program, and executes it once.
    pub fn here(plan: &RunPlan, options: &VerifyPlan, program: &mut Program) -> Identity {
        let mut known = Vec::new();
        for app in &plan.apps {
            known.push((format!("the program {}", app.path), content(&app.path)));
            known.push((format!("the arguments of {}", app.path), app.args.join(" ")));
            known.push((format!("the number of ranks of {}", app.path), app.ranks.to_string()));
        }
        known.extend(of_options(plan, options));
        known.extend(libraries().into_iter().map(|(name, content)| (format!("the library {name}"), content)));
        known.push(("the processor's features".to_string(), features()));
        known.push(("the first execution".to_string(), first_execution(program, options)));
        Identity(known)
    }

    /// The first difference to another one, in words that follow its place: what it is, there and here.
    pub fn difference(&self, other: &Identity) -> Option<String> {
        let of = |identity: &Identity, name: &str| identity.0.iter().find(|(known, _)| known == name).cloned();
        let names = self.0.iter().chain(&other.0).map(|(name, _)| name);
        names.into_iter().find_map(|name| match (of(self, name), of(other, name)) {
            (Some((_, here)), Some((_, there))) if here == there => None,
            (Some((_, here)), Some((_, there))) => Some(format!("{name}: {}", apart(&there, &here))),
            (Some(_), None) => Some(format!("{name}: only here")),
            (None, _) => Some(format!("{name}: only there")),
        })
    }
}

/// What two values differ in: the words of long lists, else the values.
fn apart(there: &str, here: &str) -> String {
    const LONG: usize = 80;
    if there.len() + here.len() < LONG {
        return format!("{there} there, {here} here");
    }
    let only = |of: &str, other: &str| {
        let words: Vec<&str> = of.split(' ').filter(|word| !other.split(' ').any(|known| known == *word)).collect();
        if words.is_empty() { "nothing".to_string() } else { words.join(" ") }
    };
    format!("only there {}, only here {}", only(there, here), only(here, there))
}

/// Options that say what is explored, by their names. Others say how fast, how far, and what is told of it.
fn of_options(plan: &RunPlan, options: &VerifyPlan) -> Vec<(String, String)> {
    // Of the rest, what has no effect on a verification is left out.
    let rest = RunPlan {
        command: String::new(),
        repeated: String::new(),
        apps: Vec::new(),
        quiet: false,
        notes: false,
        map: false,
        compute: Compute::default(),
        cfg: plan.cfg.iter().filter(|(key, _)| key != "smpi/simulate-computation").cloned().collect(),
        verify: None,
        ..plan.clone()
    };
    let rest = serde_json::to_string(&rest).unwrap_or_default();
    let rest = format!("{:032x}", Digest::of_bytes(rest.as_bytes()));
    let buffering: Vec<String> = modes(options).iter().map(ToString::to_string).collect();
    let known = [
        ("--buffering", buffering.join("+")),
        ("--collectives", if options.atomic_collectives { "atomic" } else { "p2p" }.to_string()),
        ("--reduction", reduction(options).to_string()),
        ("--stateful", options.stateful.to_string()),
        ("--sample or --deviations", search_in_words(options.search)),
        ("whether the exploration may go on by states or groups", options.adapts.to_string()),
        ("--determinism", format!("{:?}", options.determinism).to_lowercase()),
        ("--symmetric", symmetric_in_words(options)),
        ("--depth", options.depth.to_string()),
        ("--no-prune", (!options.prune).to_string()),
        ("--max-waitsome", options.max_waitsome.to_string()),
        ("--max-executions", options.max_executions.to_string()),
        ("--call-timeout", options.call_timeout_secs.to_string()),
        ("--keep-going", options.keep_going.to_string()),
        ("--list-results", options.list_results.to_string()),
        ("an option of the run (-platform, -hostfile, --cfg, --stack-size and the like)", rest),
    ];
    known.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
}

/// Which single executions are wanted; not how many, because with more of them the first are the same.
fn search_in_words(search: SearchPlan) -> String {
    match search {
        SearchPlan::All => "no".to_string(),
        SearchPlan::Sample { seed, bug_depth: None, .. } => format!("--sample --seed {seed}"),
        SearchPlan::Sample { seed, bug_depth: Some(depth), .. } => {
            format!("--sample --seed {seed} --bug-depth {depth}")
        }
        SearchPlan::Deviations(_) => "--deviations".to_string(),
    }
}

/// A digest of what is in a file.
fn content(path: impl AsRef<Path>) -> String {
    match std::fs::read(path) {
        Ok(bytes) => format!("{:032x}", Digest::of_bytes(&bytes)),
        Err(error) => smpi_base::print::reason(&error),
    }
}

/// Choices of the first execution that are compared: it may have no end.
const LONGEST: u64 = 200;

/// How the name of our own library begins.
const OURS: &str = "libsmpi.so";

/// The code in this process, by the names of its files.
fn code() -> BTreeMap<String, PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let mut found = BTreeMap::new();
    for line in maps.lines() {
        let mut words = line.split_whitespace();
        let (is_code, path) = (words.nth(1).is_some_and(|flags| flags.contains('x')), words.nth(3).unwrap_or_default());
        let path = Path::new(path);
        if let Some(name) = path.file_name().filter(|_| is_code && path.is_file()) {
            found.entry(name.to_string_lossy().into_owned()).or_insert_with(|| path.to_path_buf());
        }
    }
    found
}

/// The code in this process beside the program's and our own.
fn libraries() -> BTreeMap<String, String> {
    let own = std::env::current_exe().unwrap_or_default();
    let others = code().into_iter().filter(|(name, path)| *path != own && !name.starts_with(OURS));
    others.map(|(name, path)| (name, content(path))).collect()
}

/// A digest of libsmpi.
pub fn library() -> String {
    code().into_iter().find(|(name, _)| name.starts_with(OURS)).map(|(_, path)| content(path)).unwrap_or_default()
}

/// What the first processor can do, in the kernel's words.
fn features() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("flags") || line.starts_with("Features"));
    let mut words: Vec<&str> = line
        .and_then(|line| line.split_once(':'))
        .map(|(_, words)| words.split_whitespace().collect())
        .unwrap_or_default();
    words.sort_unstable();
    words.join(" ")
}

/// The schedule of the execution that is explored first, and the ranks' exit codes. What ranks print may be a time.
fn first_execution(program: &mut Program, options: &VerifyPlan) -> String {
    struct First(Buffering, String, u64);
    impl Observer<Program> for First {
        fn execution(&mut self, program: &mut Program, settled: Settled, path: &[Event]) -> Flow {
            let exits: Vec<String> =
                program.ends().iter().map(|(_, exit)| exit.map_or("-".to_string(), |code| code.to_string())).collect();
            let schedule = token::write(self.0, &crate::program::foreseen(), path);
            self.1 = format!("{schedule} {settled:?} {}", exits.join(","));
            Flow::Stop
        }

        fn visit(&mut self, _: &Stats, _: &dyn Fn() -> Option<Outlook>) -> Flow {
            self.2 += 1;
            if self.2 > LONGEST { Flow::Stop } else { Flow::Continue }
        }
    }
    let mut first = First(modes(options)[0], String::new(), 0);
    program.begin_by_executions(options);
    program.set_buffering(first.0);
    let depth = (options.depth as usize).min(LONGEST as usize);
    let limits = Limits { executions: 1, depth, keep_going: false };
    strategy(options).explore(program, &limits, &mut first);
    program.begin_by_executions(options);
    first.1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(known: &[(&str, &str)]) -> Identity {
        Identity(known.iter().map(|&(name, value)| (name.to_string(), value.to_string())).collect())
    }

    #[test]
    fn the_first_difference_is_told_by_its_name() {
        let here = identity(&[("a", "1"), ("b", "2"), ("c", "3")]);
        assert_eq!(here.difference(&here), None);
        let there = identity(&[("a", "1"), ("b", "7"), ("c", "4")]);
        assert_eq!(here.difference(&there).unwrap(), "b: 7 there, 2 here");
        assert_eq!(here.difference(&identity(&[("a", "1"), ("c", "3")])).unwrap(), "b: only here");
        assert_eq!(identity(&[("a", "1")]).difference(&here).unwrap(), "b: only there");
        let long = |last: &str| format!("{} {last}", "avx ".repeat(30).trim());
        let (old, new) = (long("sse2"), long("avx512f"));
        let told = identity(&[("f", &new)]).difference(&identity(&[("f", &old)])).unwrap();
        assert_eq!(told, "f: only there sse2, only here avx512f");
    }

    #[test]
    fn this_process_has_a_c_library_and_a_processor() {
        assert!(libraries().keys().any(|name| name.starts_with("libc.so")));
        assert!(!features().is_empty());
    }
}
