//! `cargo xtask demo`: the main job on one page. Builds everything, runs a benchmark on two clusters that this machine
//! is not, and explains what is printed.

use crate::bench::compile;
use crate::shell::{self, BOLD, build_release, heading, output, paint, root, scratch, summary_number};
use std::path::Path;
use std::process::Command;

/// Ranks of the demo.
const RANKS: u32 = 16;

/// The two clusters: file and what it is.
const PLATFORMS: [(&str, &str); 2] =
    [("gigabit-64", "64 nodes, Gigabit Ethernet"), ("infiniband-256", "256 nodes, 56 Gbit/s InfiniBand")];

/// The subcommand.
pub fn run() -> Result<(), String> {
    heading("1. Set up and build");
    crate::setup::ensure(&["gcc"])?;
    let built = build_release()?;
    let directory = scratch("demo")?;
    heading("2. Compile an unmodified MPI program");
    println!("IS sorts integers that are spread over all ranks; class W has 2^20 of them. Most of it is Alltoallv.");
    println!("  $ smpicc -O2 nas-benchmarks/is/is.c -o is");
    let program = compile(&built, "nas-benchmarks/is/is.c", &directory)?;
    heading(&format!("3. Run it with {RANKS} ranks on clusters that you need not have"));
    let mut times = Vec::new();
    for (name, what) in PLATFORMS {
        println!("  $ smpirun -platform platforms/{name}.toml -np {RANKS} --summary ./is W");
        let summary = directory.join(format!("{name}.json"));
        let text = predict(&built, name, &program, &summary)?;
        if name == PLATFORMS[0].0 {
            text.lines().for_each(|line| println!("    {line}"));
        }
        times.push((name, what, summary));
    }
    heading("4. What it says");
    println!("The same executable, two platform files:\n");
    println!("{:<16} {:<34} {:>14} {:>14} {:>9}", "platform", "", "predicted", "communication", "wall");
    for (name, what, summary) in &times {
        let number = |key: &str| summary_number(summary, key);
        let predicted = format!("{:.6} s", number("simulated_time_secs")?);
        let share = format!("{:.1} %", 100.0 * communication_share(summary)?);
        let wall = format!("{:.2} s", number("wall_time_secs")?);
        println!("{name:<16} {what:<34} {:>14} {share:>14} {wall:>9}", paint(&predicted, BOLD));
    }
    let secs = |index: usize| summary_number(&times[index].2, "simulated_time_secs");
    explain(secs(0)? / secs(1)?);
    Ok(())
}

fn explain(ratio: f64) {
    println!(
        "
So on this input the InfiniBand cluster is {ratio:.0} times as fast. That is
predicted      what the run would take on that cluster. Every message is a flow through
               the links of the platform file; flows that share a link share its bandwidth.
               The ranks compute for real (the sort above is verified); their CPU time is
               measured and scaled to the speed of the simulated cores.
communication  the part of that time which ranks spend in MPI calls, on average.
wall           what the simulation took here, with all {RANKS} ranks in one process.

Measured computation varies a little from run to run. With --compute=off, or with
--compute=recorded:FILE, two runs print the same bytes.

Next: describe your own cluster (README.md has the smallest platform file) and run your
program with {} and {}.",
        paint("target/release/smpicc", BOLD),
        paint("target/release/smpirun", BOLD)
    );
}

/// Runs the program and returns its output followed by the summary.
fn predict(built: &Path, platform: &str, program: &Path, summary: &Path) -> Result<String, String> {
    let mut command = Command::new(built.join("smpirun"));
    command.current_dir(root()).arg("-platform").arg(format!("platforms/{platform}.toml"));
    command.args(["-np", &RANKS.to_string(), "--summary", "--summary-json"]).arg(summary).arg(program).arg("W");
    let result = command.output().map_err(|e| format!("cannot run {}: {e}", shell::line(&command)))?;
    let text = format!("{}{}", String::from_utf8_lossy(&result.stdout), String::from_utf8_lossy(&result.stderr));
    if result.status.success() { Ok(text) } else { Err(format!("{} failed:\n{text}", shell::line(&command))) }
}

/// The mean over all ranks of the share of time in MPI calls.
fn communication_share(summary: &Path) -> Result<f64, String> {
    let text = output(Command::new("cat").arg(summary))?;
    let value: serde_json::Value = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", summary.display()))?;
    let ranks = value["ranks"].as_array().ok_or_else(|| format!("{}: no ranks", summary.display()))?;
    let share = |rank: &serde_json::Value| {
        let seconds = |key: &str| rank[key].as_f64().unwrap_or(0.0);
        let communication = seconds("communication_secs");
        let busy = communication + seconds("computation_secs");
        if busy > 0.0 { communication / busy } else { 0.0 }
    };
    Ok(ranks.iter().map(share).sum::<f64>() / ranks.len().max(1) as f64)
}
