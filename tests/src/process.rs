//! Runs a command to its end or to a time limit, and keeps everything it said.

use std::path::Path;
use std::process::{Command, Stdio};

/// A finished command.
#[derive(Debug)]
pub struct Finished {
    /// Exit code; 128 + signal when a signal ended it, as shells count.
    pub code: i32,
    /// The time limit was reached.
    pub timed_out: bool,
    /// Everything written to stdout.
    pub stdout: Vec<u8>,
    /// Everything written to stderr.
    pub stderr: Vec<u8>,
}

/// `timeout` of coreutils uses this code for a command it had to end; our own commands never do.
const TIMED_OUT: i32 = 124;

/// Runs words in a directory. `timeout` ends the whole process group, so that no rank of an `mpirun` is left behind.
pub fn run(
    words: &[String],
    directory: &Path,
    environment: &[(String, String)],
    secs: u64,
) -> Result<Finished, String> {
    use std::os::unix::process::ExitStatusExt;
    let mut command = Command::new("timeout");
    command.arg("--kill-after=5").arg(secs.to_string()).args(words);
    command.current_dir(directory).stdin(Stdio::null());
    // A run inside a run (the tests started by some MPI tool) must not see the outer one's variables.
    for name in ["SMPI_RUN_PLAN", "LD_PRELOAD"] {
        command.env_remove(name);
    }
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    let output = command.output().map_err(|e| format!("cannot run {}: {e}", words.join(" ")))?;
    let code = output.status.code().or(output.status.signal().map(|signal| 128 + signal)).unwrap_or(-1);
    // 137: `timeout` had to use SIGKILL and died of it with its group.
    let timed_out = code == TIMED_OUT || code == 128 + 9;
    Ok(Finished { code, timed_out, stdout: output.stdout, stderr: output.stderr })
}

/// The command as a line for a shell, to be run by hand.
pub fn shell_line(words: &[String], directory: &Path, environment: &[(String, String)]) -> String {
    let variables: String = environment.iter().map(|(name, value)| format!("{name}={} ", quoted(value))).collect();
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    format!("(cd {} && {variables}{})", quoted(&directory.display().to_string()), words.join(" "))
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./,:%@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, secs: u64) -> Finished {
        let words = ["sh", "-c", script].map(String::from);
        run(&words, Path::new("/"), &[("GREETING".into(), "hi".into())], secs).unwrap()
    }

    #[test]
    fn codes_output_and_limits() {
        let finished = shell("echo $GREETING; echo oops >&2; exit 3", 10);
        assert_eq!((finished.code, finished.timed_out), (3, false));
        assert_eq!((&finished.stdout[..], &finished.stderr[..]), (&b"hi\n"[..], &b"oops\n"[..]));
        assert!(shell("sleep 30", 1).timed_out);
        assert_eq!(shell("kill -SEGV $$", 10).code, 128 + 11);
    }

    #[test]
    fn lines_for_a_shell() {
        let words = ["./a", "x y"].map(String::from);
        assert_eq!(shell_line(&words, Path::new("/t"), &[("A".into(), "1 2".into())]), "(cd /t && A='1 2' ./a 'x y')");
    }
}
