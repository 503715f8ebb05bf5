//! `cargo xtask bench laws`: how user time grows with the size of a problem.
//!
//! Each law is a run at three sizes; its exponent is the slope of the line that fits the three points best on
//! logarithmic scales: 1 is linear, 2 quadratic, and n log n looks like 1.1. What all runs have in common (to start a
//! process, to read an executable) is measured once and taken off. The programs are in `benches/programs/laws/`.
//!
//! To add a law is to add a row to [`LAWS`], and a program if none fits.

use crate::measure;
use crate::shell::{self, build_release, scratch, write};
use std::path::{Path, PathBuf};

/// A law is met up to this exponent: n log n, with some room for caches that no longer suffice.
const MOST: f64 = 1.35;

/// Runs of each size. Who else uses the machine's caches makes large sizes slower than small ones.
const MOST_RUNS: u32 = 3;

/// Seconds below which there is nothing to fit: the law is met.
const LEAST_SECS: f64 = 0.1;

/// How user time grows with something.
struct Law {
    name: &'static str,
    /// A file in `benches/programs/laws/`.
    program: &'static str,
    /// Words of smpirun, separated by blanks. `{n}` is the size, `{input}` the path of a file with `input`.
    options: &'static str,
    /// Words of the program, likewise.
    arguments: &'static str,
    /// Text of a file that the run reads, made for the size.
    input: Option<fn(u64) -> String>,
    sizes: [u64; 3],
}

/// The costs of functions of one rank, by how much of something it has.
const OBJECTS: Law = Law {
    name: "",
    program: "",
    options: "--compute=off -np 1",
    arguments: "{n}",
    input: None,
    sizes: [25_000, 50_000, 100_000],
};

/// The costs of functions that all ranks call, by the number of ranks.
const RANKS: Law = Law { options: "--compute=off -np {n}", arguments: "", sizes: [4_000, 8_000, 16_000], ..OBJECTS };

/// The costs of a verification, by the number of messages, all of which are there before the first is received.
const MESSAGES: Law = Law {
    program: "receives.c",
    options: "--verify --buffering infinite -np 2",
    sizes: [20_000, 40_000, 80_000],
    ..OBJECTS
};

/// The costs of calls that are about any of many requests, by their number. That the handles are compared in each call
/// begins to count where there are more.
const ANY: Law = Law { program: "any.c", options: "--compute=off -np 2", sizes: [2_500, 5_000, 10_000], ..OBJECTS };

/// A platform of two hosts with so many links between them.
fn route(links: u64) -> String {
    let mut text = String::new();
    for host in ["left", "right"] {
        text += &format!("[[host]]\nname = \"{host}\"\nspeed = \"1Gf\"\n");
    }
    for link in 0..links {
        text += &format!("[[link]]\nname = \"l{link}\"\nbandwidth = \"1GBps\"\nlatency = \"1us\"\n");
    }
    let names: Vec<String> = (0..links).map(|link| format!("\"l{link}\"")).collect();
    text + &format!("[[route]]\nsrc = \"left\"\ndst = \"right\"\nlinks = [{}]\n", names.join(", "))
}

/// A cluster of so many hosts, each with a link of its own.
fn cluster(hosts: u64) -> String {
    format!(
        "[[cluster]]\nname = \"node\"\nhosts = {hosts}\nspeed = \"1Gf\"\nbandwidth = \"125MBps\"\nlatency = \"50us\"\n"
    )
}

/// A hostfile.
fn hosts(count: u64) -> String {
    (0..count).map(|host| format!("node{host}\n")).collect()
}

const LAWS: &[Law] = &[
    Law {
        name: "route-links",
        program: "pingpong.c",
        options: "--compute=off -platform {input} -np 2",
        arguments: "",
        input: Some(route),
        sizes: [1_000, 2_000, 4_000],
    },
    Law {
        name: "hostfile",
        program: "nothing.c",
        options: "--compute=off -hostfile {input} -np 2",
        arguments: "",
        input: Some(hosts),
        sizes: [200_000, 400_000, 800_000],
    },
    Law { name: "wildcards", arguments: "each,any {n}", ..MESSAGES },
    Law { name: "outstanding-wildcards", arguments: "all,any {n}", ..MESSAGES },
    Law {
        name: "deep-loop",
        program: "rounds.c",
        options: "--verify --buffering infinite --max-executions 3 -np 3",
        sizes: [4_000, 8_000, 16_000],
        ..OBJECTS
    },
    Law { name: "strict-receives", options: "--strict --compute=off -np 2", arguments: "all {n}", ..MESSAGES },
    Law { name: "waitany", arguments: "wait {n}", ..ANY },
    Law { name: "testany", arguments: "test {n}", ..ANY },
    Law { name: "error-codes", program: "error_codes.c", sizes: [500_000, 1_000_000, 2_000_000], ..OBJECTS },
    Law { name: "error-texts", program: "error_texts.c", sizes: [250_000, 500_000, 1_000_000], ..OBJECTS },
    // Instructions are linear far beyond these sizes (callgrind), but there the tables do not fit the caches any more.
    Law { name: "attributes", program: "attributes.c", ..OBJECTS },
    Law { name: "info-keys", program: "info.c", sizes: [100_000, 200_000, 400_000], ..OBJECTS },
    Law { name: "create-group", program: "create_group.c", ..RANKS },
    Law { name: "group-sets", program: "group_sets.c", ..RANKS },
    // Each message to the root comes at an instant of its own, while many others share the root's link.
    Law {
        name: "incast",
        program: "sums.c",
        options: "--compute=off --cfg=smpi/coll-selector:default -platform {input} -np {n}",
        arguments: "10",
        input: Some(cluster),
        sizes: [2_000, 4_000, 8_000],
    },
    // All messages to the root begin at one instant, and each of them makes all slower.
    Law {
        name: "infiniband",
        program: "sums.c",
        options: "--compute=off --cfg=network/model:IB --cfg=smpi/coll-selector:default -platform {input} -np {n}",
        arguments: "1",
        input: Some(cluster),
        sizes: [2_000, 4_000, 8_000],
    },
];

/// The subcommand; arguments are names of laws.
pub fn run(words: &[String]) -> Result<(), String> {
    if words == ["--list"] {
        LAWS.iter().for_each(|law| println!("{}", law.name));
        return Ok(());
    }
    if let Some(word) = words.iter().find(|word| LAWS.iter().all(|law| law.name != *word)) {
        return Err(format!("no law `{word}`; cargo xtask bench laws --list names them"));
    }
    crate::setup::ensure(&["gcc"])?;
    let built = build_release()?;
    let directory = scratch("laws")?;
    let nothing = Law { name: "start", program: "nothing.c", ..OBJECTS };
    let start_secs = nothing.user_secs(&built, &directory, 1)?;
    println!("\n{:<24}{:>30}{:>34}{:>10}", "law", "sizes", "user seconds", "exponent");
    let mut failures = Vec::new();
    for law in LAWS.iter().filter(|law| words.is_empty() || words.iter().any(|word| word == law.name)) {
        match law.measure(&built, &directory, start_secs) {
            Ok(row) => {
                let [sizes, seconds] =
                    [row.map(|(size, _)| size.to_string()), row.map(|(_, secs)| format!("{secs:.2}"))];
                let (exponent, met) = judge(&row);
                let verdict = if met { shell::paint("met", shell::GREEN) } else { shell::paint("NOT met", shell::RED) };
                println!("{:<24}{:>30}{:>34}{exponent:>10}  {verdict}", law.name, sizes.join(" "), seconds.join(" "));
                if !met {
                    failures.push(law.name);
                }
            }
            Err(message) => {
                println!("{:<24}failed: {}", law.name, message.trim_end());
                failures.push(law.name);
            }
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(format!("not met: {}", failures.join(", "))) }
}

/// What is said of the exponent, and whether the law is met.
fn judge(row: &[(u64, f64); 3]) -> (String, bool) {
    if row.iter().all(|(_, secs)| *secs < LEAST_SECS) {
        return ("-".into(), true);
    }
    let exponent = slope(row);
    (format!("{exponent:.2}"), exponent <= MOST)
}

/// The slope of the line with the least squares through the logarithms.
fn slope(points: &[(u64, f64); 3]) -> f64 {
    // A run that takes no time that can be measured counts as the shortest that can.
    let points = points.map(|(size, secs)| ((size as f64).ln(), secs.max(0.001).ln()));
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let above: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    above / points.iter().map(|point| (point.0 - x) * (point.0 - x)).sum::<f64>()
}

impl Law {
    /// User seconds at each size, without those of starting: the least of some runs, unless the first meet the law.
    fn measure(&self, built: &Path, directory: &Path, start_secs: f64) -> Result<[(u64, f64); 3], String> {
        let mut row = self.sizes.map(|size| (size, f64::INFINITY));
        for _ in 0..MOST_RUNS {
            for (size, secs) in &mut row {
                *secs = secs.min((self.user_secs(built, directory, *size)? - start_secs).max(0.0));
            }
            if judge(&row).1 {
                break;
            }
        }
        Ok(row)
    }

    fn user_secs(&self, built: &Path, directory: &Path, size: u64) -> Result<f64, String> {
        let source = format!("benches/programs/laws/{}", self.program);
        let executable = crate::bench::compile(built, &source, directory)?;
        let input = self.input_file(directory, size)?;
        let fill = |word: &str| word.replace("{n}", &size.to_string()).replace("{input}", &input.display().to_string());
        let mut words = vec![built.join("smpirun").display().to_string(), "-quiet".into()];
        words.extend(self.options.split_whitespace().map(fill));
        words.push(executable.display().to_string());
        words.extend(self.arguments.split_whitespace().map(fill));
        measure::measure(&words).map(|cost| cost.user_secs)
    }

    /// Writes what the run reads; the path is of no use if that is nothing.
    fn input_file(&self, directory: &Path, size: u64) -> Result<PathBuf, String> {
        let path = directory.join(format!("{}-{size}", self.name));
        if let Some(text) = self.input {
            write(&path, &text(size))?;
        }
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::root;

    #[test]
    fn the_exponent_is_that_of_the_law() {
        for exponent in [0.5, 1.0, 2.0] {
            let row = [1_000, 3_000, 20_000].map(|size| (size, 1e-3 * (size as f64).powf(exponent)));
            assert!((slope(&row) - exponent).abs() < 1e-9);
        }
        assert!(judge(&[(1, 1.0), (2, 2.2), (4, 4.8)]).1);
        assert!(!judge(&[(1, 1.0), (2, 4.0), (4, 16.0)]).1);
        assert!(judge(&[(1, 0.001), (2, 0.01), (4, 0.09)]).1);
    }

    #[test]
    fn names_differ_and_programs_exist() {
        for (index, law) in LAWS.iter().enumerate() {
            assert!(LAWS[..index].iter().all(|other| other.name != law.name), "{}", law.name);
            assert!(root().join("benches/programs/laws").join(law.program).is_file(), "{}", law.program);
            assert!(law.sizes.is_sorted() && law.sizes[0] > 0, "{}", law.name);
        }
    }
}
