//! Runs one command and reports what it cost: wall and CPU time, memory, and instructions where `perf` may count them.
//!
//! The kernel accumulates the costs of all children of a process, and its memory figure is the largest of them. So each
//! measurement is made in a process of its own: `xtask measure-one COMMAND …` prints the figures as JSON.

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use std::process::{Command, Stdio};

/// Hidden subcommand that makes one measurement.
pub const COMMAND: &str = "measure-one";

/// Costs of a command.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Seconds from start to end.
    pub wall_secs: f64,
    /// Seconds of CPU time, in user and kernel mode.
    pub cpu_secs: f64,
    /// Those of them in user mode.
    pub user_secs: f64,
    /// Largest resident memory in bytes.
    pub memory_bytes: f64,
    /// Instructions in user mode; `None` where `perf` is missing or may not count.
    pub instructions: Option<f64>,
}

/// Measures a command. Its output is discarded; an error contains its stderr.
pub fn measure(words: &[String]) -> Result<Cost, String> {
    let executable = std::env::current_exe().map_err(|e| format!("cannot find my own executable: {e}"))?;
    let text = crate::shell::output(Command::new(executable).arg(COMMAND).args(words))?;
    let value: serde_json::Value = serde_json::from_str(&text).map_err(|e| format!("{COMMAND}: {e}"))?;
    let number = |key: &str| value[key].as_f64().ok_or_else(|| format!("{COMMAND}: no {key}"));
    Ok(Cost {
        wall_secs: number("wall_secs")?,
        cpu_secs: number("cpu_secs")?,
        user_secs: number("user_secs")?,
        memory_bytes: number("memory_bytes")?,
        instructions: None,
    })
}

/// Instructions of a command in user mode, counted by `perf stat` in a run of its own.
pub fn instructions(words: &[String]) -> Option<f64> {
    let mut command = Command::new("perf");
    command.args(["stat", "-x", ",", "-e", "instructions:u", "--"]).args(words);
    let output = command.stdout(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find(|line| line.contains("instructions"))?;
    line.split(',').next()?.parse().ok()
}

/// The hidden subcommand.
#[allow(clippy::disallowed_methods, reason = "measures a command's wall time; nothing is simulated here")]
pub fn run(words: &[String]) -> Result<(), String> {
    let (program, arguments) = words.split_first().ok_or("expected a command")?;
    let start = std::time::Instant::now();
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output();
    let output = output.map_err(|e| format!("cannot run {program}: {e}"))?;
    let wall_secs = start.elapsed().as_secs_f64();
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{} ended with {}:\n{stderr}", words.join(" "), output.status));
    }
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|e| format!("getrusage: {e}"))?;
    let seconds = |micros: i64| micros as f64 / 1e6;
    let (user, system) = (usage.user_time().num_microseconds(), usage.system_time().num_microseconds());
    let figures = serde_json::json!({
        "wall_secs": wall_secs,
        "cpu_secs": seconds(user + system),
        "user_secs": seconds(user),
        "memory_bytes": usage.max_rss() as f64 * 1024.0,
    });
    println!("{figures}");
    Ok(())
}
