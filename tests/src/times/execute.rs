//! Compiles the programs of [`crate::times::runs`] and runs them, with our tools or with Debian's SimGrid.

use crate::process::{self, Finished};
use crate::times::run::{Program, Run};
use crate::times::{Measurement, printed};
use crate::toolchain::root;
use std::path::{Path, PathBuf};

/// Seconds that a compiler or a run may take on a busy machine.
const PATIENCE_SECS: u64 = 120;

/// Where [`Tools::Ours`] leave the summary of a run.
const SUMMARY: &str = "summary.json";

/// Whose compilers and launcher.
#[derive(Clone, Debug)]
pub enum Tools {
    /// Ours, from this directory.
    Ours(PathBuf),
    /// SimGrid's, from `/usr/bin`.
    Peer,
}

/// SimGrid's tools; by their whole path, since ours have the same names.
pub const PEER: [&str; 3] = ["/usr/bin/smpicc", "/usr/bin/smpif90", "/usr/bin/smpirun"];

impl Tools {
    fn path(&self, name: &str) -> String {
        match self {
            Tools::Ours(directory) => directory.join(name).display().to_string(),
            Tools::Peer => format!("/usr/bin/{name}"),
        }
    }

    /// Compiles a program into the directory.
    ///
    /// # Errors
    /// What the compiler said.
    pub fn compile(&self, program: Program, directory: &Path) -> Result<PathBuf, String> {
        let source = root().join(program.source());
        let wrapper = if program.is_fortran() { "smpif90" } else { "smpicc" };
        let executable = directory.join(program.file_name());
        let mut words = vec![self.path(wrapper), "-O2".into()];
        if let (Tools::Peer, true, Some(folder)) = (self, program.is_fortran(), source.parent()) {
            // It compiles a changed copy of the source, which has to find what the source includes.
            words.push(format!("-I{}", folder.display()));
        }
        words.extend([&source, Path::new("-o"), &executable, Path::new("-lm")].map(|word| word.display().to_string()));
        finish(&words, directory, &[])?;
        Ok(executable)
    }

    /// Runs and measures. `offset_secs` moves the measurements of programs that have slots.
    ///
    /// # Errors
    /// A run that fails or prints something else.
    pub fn measure(
        &self,
        run: &Run,
        executable: &Path,
        directory: &Path,
        offset_secs: f64,
    ) -> Result<Vec<Measurement>, String> {
        let hosts: String = run.hosts().iter().map(|host| format!("{host}\n")).collect();
        std::fs::write(directory.join("hosts"), hosts).map_err(|e| format!("{}: {e}", directory.display()))?;
        let words = self.words(run, executable);
        let environment = [("SLOT_OFFSET", offset_secs), ("SLOT_SECS", run.slot_secs())];
        let environment = environment.map(|(name, secs)| (name.to_string(), secs.to_string()));
        let finished = finish(&words, directory, &environment)?;
        let said = String::from_utf8_lossy(&finished.stdout);
        if run.program.has_slots() {
            return printed(&said).map_err(|why| format!("{why}:\n  {}", line(&words, directory, &environment)));
        }
        let whole = match self {
            Tools::Ours(_) => summarised(&directory.join(SUMMARY)),
            Tools::Peer => logged(&String::from_utf8_lossy(&finished.stderr)),
        };
        let whole = whole.ok_or_else(|| format!("no end date:\n  {}", line(&words, directory, &environment)))?;
        let timed = timed_part(&said).ok_or_else(|| format!("no report in\n{said}"))?;
        let measurement = |name: &str, secs: f64| Measurement { name: name.into(), secs: vec![secs] };
        Ok(vec![measurement("whole run", whole), measurement("timed part", timed)])
    }

    fn words(&self, run: &Run, executable: &Path) -> Vec<String> {
        let platform = |ending: &str| {
            root().join(format!("tests/times/platforms/{}.{ending}", run.platform)).display().to_string()
        };
        let mut words = vec![self.path("smpirun")];
        let (mine, platform, settings): (&[&str], String, &[String]) = match self {
            Tools::Ours(_) => (&["--compute=off", "-quiet", "--summary-json", SUMMARY], platform("toml"), &run.ours),
            // All flows are looked at in each instant: with the default, Lazy, SimGrid 3.32 sometimes leaves a rate as
            // it was although another flow has come to the link.
            Tools::Peer => (
                &[
                    "--cfg=smpi/simulate-computation:no",
                    "--cfg=network/optim:Full",
                    "--cfg=smpi/display-timing:yes",
                    "--log=root.fmt:%.15r|%m%n",
                ],
                platform("xml"),
                &run.theirs,
            ),
        };
        words.extend(mine.iter().map(|word| word.to_string()));
        words.extend(["-platform".into(), platform, "-hostfile".into(), "hosts".into()]);
        words.extend(["-np".into(), run.ranks.to_string(), "--cfg=smpi/wtime:0".into()]);
        words.extend(run.settings.iter().chain(settings).map(|setting| format!("--cfg={setting}")));
        words.push(executable.display().to_string());
        words.extend(run.args.iter().cloned());
        words
    }
}

/// Runs a command that must end well.
fn finish(words: &[String], directory: &Path, environment: &[(String, String)]) -> Result<Finished, String> {
    let finished = process::run(words, directory, environment, PATIENCE_SECS)?;
    if finished.code == 0 && !finished.timed_out {
        return Ok(finished);
    }
    let said = [&finished.stdout, &finished.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat();
    let last: Vec<&str> = said.lines().rev().take(10).collect();
    let last: Vec<&str> = last.into_iter().rev().collect();
    let line = line(words, directory, environment);
    Err(format!("{line}\nended with {}:\n{}", finished.code, last.join("\n")))
}

fn line(words: &[String], directory: &Path, environment: &[(String, String)]) -> String {
    process::shell_line(words, directory, environment)
}

/// The end of a run of ours.
fn summarised(file: &Path) -> Option<f64> {
    let summary: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(file).ok()?).ok()?;
    summary["simulated_time_secs"].as_f64()
}

/// The end of a run of SMPI: the date of the line that tells it with few digits.
fn logged(said: &str) -> Option<f64> {
    let line = said.lines().find(|line| line.contains("|Simulated time: "))?;
    line.split('|').next()?.parse().ok()
}

/// What a NAS benchmark says about itself.
fn timed_part(said: &str) -> Option<f64> {
    let line = said.lines().find(|line| line.trim_start().starts_with("Time in seconds"))?;
    line.split('=').nth(1)?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_found_in_what_is_said() {
        let said = "0.000000000000000|Configuration change\n0.497438945009468|Simulated time: 0.497439 seconds. \n";
        assert_eq!(logged(said), Some(0.497438945009468));
        assert_eq!(logged("Simulated time: 1 second"), None);
        assert_eq!(timed_part(" Size =  12\n Time in seconds =              0.481453819\n"), Some(0.481453819));
    }
}
