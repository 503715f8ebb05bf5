//! `cargo xtask bench`: CPU time of large runs, against the project's targets and the figures of SMPI 4.2.
//!
//! How costs grow with the size of a problem is another table: `cargo xtask bench laws` (`laws.rs`).
//! The programs are in `benches/programs/`; each runs with computation off on a cluster with one host per rank.
//! Benches of single crates (criterion) are in the crates.

use crate::measure::{self, Cost};
use crate::shell::{self, build_release, output, root, scratch, write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a target limits.
#[derive(Clone, Copy)]
enum Target {
    /// CPU seconds of the whole run.
    Cpu(f64),
    /// CPU microseconds of the whole run divided by this number of messages.
    PerMessage(f64, f64),
    /// Wall seconds of the whole run.
    Wall(f64),
    /// Wall seconds and bytes of memory.
    WallAndMemory(f64, f64),
    /// Bytes of memory.
    Memory(f64),
}

struct Bench {
    name: &'static str,
    program: &'static str,
    ranks: u32,
    argument: &'static str,
    target: Target,
    /// What SMPI 4.2 takes on such a machine.
    smpi: &'static str,
}

const BENCHES: &[Bench] = &[
    Bench {
        name: "ping-pong",
        program: "ping_pong",
        ranks: 2,
        argument: "1000000",
        target: Target::PerMessage(1e6, 1.0),
        smpi: "5.5 us",
    },
    Bench {
        name: "halo-32x32",
        program: "halo",
        ranks: 1024,
        argument: "100",
        target: Target::Cpu(2.0),
        smpi: "7.4 s",
    },
    Bench {
        name: "alltoall-256",
        program: "alltoall",
        ranks: 256,
        argument: "10",
        target: Target::Cpu(5.0),
        smpi: "24 s",
    },
    Bench {
        name: "allreduce-4096",
        program: "allreduce",
        ranks: 4096,
        argument: "10",
        target: Target::Cpu(2.0),
        smpi: "25 s",
    },
    Bench { name: "hello-1000", program: "hello", ranks: 1000, argument: "", target: Target::Wall(0.5), smpi: "" },
    Bench {
        name: "hello-10000",
        program: "hello",
        ranks: 10_000,
        argument: "",
        target: Target::WallAndMemory(3.0, 1.5e9),
        smpi: "cannot",
    },
    Bench {
        name: "hello-50000",
        program: "hello",
        ranks: 50_000,
        argument: "",
        target: Target::Memory(24e9),
        smpi: "cannot",
    },
];

/// The subcommand; arguments are names of benches.
pub fn run(words: &[String]) -> Result<(), String> {
    if words == ["--list"] {
        BENCHES.iter().for_each(|bench| println!("{}", bench.name));
        return Ok(());
    }
    if let Some(word) = words.iter().find(|word| BENCHES.iter().all(|bench| bench.name != *word)) {
        return Err(format!("no bench `{word}`; cargo xtask bench --list names them"));
    }
    crate::setup::ensure(&["gcc"])?;
    let built = build_release()?;
    let directory = scratch("bench")?;
    println!(
        "\n{:<16}{:>10}{:>10}{:>10}{:>14}  {:<32} {:<8}SMPI 4.2",
        "bench", "wall", "CPU", "memory", "instructions", "figure (target)", ""
    );
    let mut failures = Vec::new();
    for bench in BENCHES.iter().filter(|bench| words.is_empty() || words.iter().any(|word| word == bench.name)) {
        match bench.run(&built, &directory) {
            Ok((cost, met)) => {
                println!("{}", bench.row(&cost, met));
                if !met {
                    failures.push(bench.name.to_string());
                }
            }
            Err(message) => {
                println!("{:<16}failed: {}", bench.name, message.trim_end());
                failures.push(bench.name.to_string());
            }
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(format!("not met: {}", failures.join(", "))) }
}

impl Bench {
    fn run(&self, built: &Path, directory: &Path) -> Result<(Cost, bool), String> {
        let executable = compile(built, &format!("benches/programs/{}.c", self.program), directory)?;
        let platform = directory.join(format!("cluster-{}.toml", self.ranks));
        write(&platform, &cluster(self.ranks))?;
        let mut words = vec![
            built.join("smpirun").display().to_string(),
            "--compute=off".into(),
            "-quiet".into(),
            "-platform".into(),
            platform.display().to_string(),
            "-np".into(),
            self.ranks.to_string(),
            executable.display().to_string(),
        ];
        words.extend(Some(self.argument).filter(|argument| !argument.is_empty()).map(String::from));
        let mut cost = measure::measure(&words)?;
        cost.instructions = measure::instructions(&words);
        let met = match self.target {
            Target::Cpu(limit) => cost.cpu_secs <= limit,
            Target::PerMessage(messages, limit_micros) => 1e6 * cost.cpu_secs / messages <= limit_micros,
            Target::Wall(limit) => cost.wall_secs <= limit,
            Target::WallAndMemory(limit, memory) => cost.wall_secs <= limit && cost.memory_bytes <= memory,
            Target::Memory(memory) => cost.memory_bytes <= memory,
        };
        Ok((cost, met))
    }

    fn row(&self, cost: &Cost, met: bool) -> String {
        let figure = match self.target {
            Target::Cpu(limit) => format!("{:.2} s ({limit} s)", cost.cpu_secs),
            Target::PerMessage(messages, limit) => format!("{:.2} us ({limit} us)", 1e6 * cost.cpu_secs / messages),
            Target::Wall(limit) => format!("{:.2} s ({limit} s)", cost.wall_secs),
            Target::WallAndMemory(limit, memory) => {
                let gigabytes = |bytes: f64| bytes / 1e9;
                format!(
                    "{:.2} s, {:.2} GB ({limit} s, {} GB)",
                    cost.wall_secs,
                    gigabytes(cost.memory_bytes),
                    gigabytes(memory)
                )
            }
            Target::Memory(memory) => format!("{:.2} GB ({} GB)", cost.memory_bytes / 1e9, memory / 1e9),
        };
        let verdict = if met { shell::paint("met    ", shell::GREEN) } else { shell::paint("NOT met", shell::RED) };
        let instructions = cost.instructions.map_or("-".to_string(), |count| format!("{:.2} G", count / 1e9));
        let megabytes = format!("{:.0} MB", cost.memory_bytes / 1e6);
        let (wall, cpu) = (format!("{:.2} s", cost.wall_secs), format!("{:.2} s", cost.cpu_secs));
        format!(
            "{:<16}{wall:>10}{cpu:>10}{megabytes:>10}{instructions:>14}  {figure:<32} {verdict} {}",
            self.name, self.smpi
        )
    }
}

/// Compiles one C program of the source tree with our wrapper, optimised; returns the executable.
pub fn compile(built: &Path, source: &str, directory: &Path) -> Result<PathBuf, String> {
    let name = Path::new(source).file_stem().unwrap_or_default();
    let executable = directory.join(name);
    output(Command::new(built.join("smpicc")).arg("-O2").arg(root().join(source)).arg("-o").arg(&executable))?;
    Ok(executable)
}

/// The cluster of the project's figures with this number of hosts.
pub fn cluster(hosts: u32) -> String {
    format!(
        "[[cluster]]\nname = \"node\"\nhosts = {hosts}\ncores = 1\nspeed = \"1Gf\"\nbandwidth = \"125MBps\"\nlatency = \"50us\"\n"
    )
}
