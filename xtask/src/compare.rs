//! `cargo xtask compare`: the same C program under Debian's SimGrid (SMPI) and here, on the same platform with the same
//! collective algorithms; simulated times side by side.
//!
//! The peer is only compared with, never needed: without `/usr/bin/smpicc` and `/usr/bin/smpirun` the command says so
//! and succeeds.

use crate::bench::cluster;
use crate::shell::{self, build_release, heading, output, root, scratch, write};
use std::path::Path;
use std::process::Command;

const PEER_COMPILER: &str = "/usr/bin/smpicc";
const PEER_LAUNCHER: &str = "/usr/bin/smpirun";

/// Ranks (and hosts) of the collectives.
const RANKS: u32 = 16;

/// Relative difference tolerated.
const TOLERANCE: f64 = 0.01;

/// A run of `benches/programs/compare.c`.
struct Case {
    operation: &'static str,
    /// Algorithm, as both sides name it; empty for point-to-point and for the choice of `coll-selector:default`.
    algorithm: &'static str,
    ranks: u32,
    /// First size in bytes.
    first: u32,
}

const CASES: &[Case] = &[
    Case { operation: "ping-pong", algorithm: "", ranks: 2, first: 1 },
    Case { operation: "alltoall", algorithm: "", ranks: RANKS, first: 8 },
    Case { operation: "alltoall", algorithm: "basic_linear", ranks: RANKS, first: 8 },
    Case { operation: "alltoall", algorithm: "pair", ranks: RANKS, first: 8 },
    Case { operation: "alltoall", algorithm: "ring", ranks: RANKS, first: 8 },
    Case { operation: "alltoall", algorithm: "bruck", ranks: RANKS, first: 8 },
    Case { operation: "allreduce", algorithm: "", ranks: RANKS, first: 8 },
    Case { operation: "allreduce", algorithm: "rdb", ranks: RANKS, first: 8 },
    Case { operation: "allreduce", algorithm: "redbcast", ranks: RANKS, first: 8 },
    // With fewer elements than ranks both sides fall back, to different algorithms: 16 doubles are the first size.
    Case { operation: "allreduce", algorithm: "lr", ranks: RANKS, first: 128 },
];

/// The subcommand.
pub fn run() -> Result<(), String> {
    if ![PEER_COMPILER, PEER_LAUNCHER].iter().all(|tool| Path::new(tool).is_file()) {
        println!(
            "skipped: Debian's SimGrid is not installed ({PEER_COMPILER}); to compare: sudo apt-get install libsimgrid-dev"
        );
        return Ok(());
    }
    crate::setup::ensure(&["gcc"])?;
    let built = build_release()?;
    let directory = scratch("compare")?;
    let source = root().join("benches/programs/compare.c").display().to_string();
    let (ours, theirs) = (directory.join("ours"), directory.join("theirs"));
    output(Command::new(built.join("smpicc")).args(["-O2", &source, "-o"]).arg(&ours))?;
    output(Command::new(PEER_COMPILER).args(["-O2", &source, "-o"]).arg(&theirs))?;
    let (toml, xml) = (directory.join("cluster.toml"), directory.join("cluster.xml"));
    write(&toml, &cluster(RANKS))?;
    write(&xml, &peer_cluster(RANKS))?;
    let peer_version = output(Command::new(PEER_LAUNCHER).arg("-version"))?;
    println!("peer: {}", peer_version.lines().find(|line| line.contains("version")).unwrap_or("SimGrid").trim());
    let mut off = Vec::new();
    for case in CASES {
        let ours = case.times(&built.join("smpirun"), &toml, &ours, &["--compute=off", "-quiet"]);
        let theirs = case.times(Path::new(PEER_LAUNCHER), &xml, &theirs, &["--cfg=smpi/simulate-computation:no"]);
        let (ours, theirs) = match (ours, theirs) {
            (Ok(ours), Ok(theirs)) => (ours, theirs),
            (Err(message), _) | (_, Err(message)) => {
                heading(&case.title());
                println!("  failed: {}", message.trim_end());
                off.push(case.title());
                continue;
            }
        };
        if !table(&case.title(), &ours, &theirs) {
            off.push(case.title());
        }
    }
    if off.is_empty() {
        Ok(())
    } else {
        Err(format!("more than {} % off, or failed: {}", 100.0 * TOLERANCE, off.join(", ")))
    }
}

impl Case {
    fn title(&self) -> String {
        let algorithm = match self.algorithm {
            "" if self.operation == "ping-pong" => String::new(),
            "" => ", algorithms of coll-selector:default".into(),
            name => format!(", algorithm {name}"),
        };
        format!("{} on {} ranks{algorithm}", self.operation, self.ranks)
    }

    /// `(bytes, seconds)` of every line that the program prints.
    fn times(
        &self,
        launcher: &Path,
        platform: &Path,
        program: &Path,
        options: &[&str],
    ) -> Result<Vec<(u64, f64)>, String> {
        let mut command = Command::new(launcher);
        command.args(options).arg("-platform").arg(platform).args(["-np", &self.ranks.to_string()]);
        command.arg("-hostfile").arg(self.hostfile(platform)?);
        if !self.algorithm.is_empty() {
            command.arg(format!("--cfg=smpi/{}:{}", self.operation, self.algorithm));
        }
        // What is inside other collectives is the same on both sides, and ranks leave the barrier at the same dates.
        command.args(["--cfg=smpi/coll-selector:default", "--cfg=smpi/barrier:ompi_bruck"]);
        // Not below the source tree's root: SMPI leaves files in the working directory.
        command
            .arg(program)
            .args([self.operation, &self.first.to_string()])
            .current_dir(platform.parent().unwrap_or(Path::new("/")));
        let text = output(&mut command)?;
        let parse = |line: &str| {
            let mut words = line.strip_prefix(self.operation)?.split_whitespace();
            Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
        };
        let times: Vec<(u64, f64)> = text.lines().filter_map(parse).collect();
        if times.is_empty() { Err(format!("{} printed no times:\n{text}", shell::line(&command))) } else { Ok(times) }
    }

    fn hostfile(&self, platform: &Path) -> Result<std::path::PathBuf, String> {
        let path = platform.with_file_name(format!("hosts-{}", self.ranks));
        let hosts: String = (0..self.ranks).map(|i| format!("node-{i}\n")).collect();
        write(&path, &hosts)?;
        Ok(path)
    }
}

/// Prints both columns; true when all are within the tolerance.
fn table(title: &str, ours: &[(u64, f64)], theirs: &[(u64, f64)]) -> bool {
    heading(title);
    println!("{:>10}  {:>16}  {:>16}  difference", "bytes", "SMPI", "libsmpi");
    let mut good = ours.len() == theirs.len();
    for ((bytes, mine), (_, peer)) in ours.iter().zip(theirs) {
        let difference = (mine - peer) / peer;
        let near = difference.abs() <= TOLERANCE;
        good &= near;
        let code = if near { shell::GREEN } else { shell::RED };
        println!(
            "{bytes:>10}  {peer:>14.9} s  {mine:>14.9} s  {}",
            shell::paint(&format!("{:+.3} %", 100.0 * difference), code)
        );
    }
    good
}

/// The cluster of [`cluster`] as SimGrid describes it.
fn peer_cluster(hosts: u32) -> String {
    let last = hosts - 1;
    format!(
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n  \
         <cluster id=\"node\" prefix=\"node-\" suffix=\"\" radical=\"0-{last}\" speed=\"1Gf\" bw=\"125MBps\" lat=\"50us\"/>\n\
         </platform>\n"
    )
}
