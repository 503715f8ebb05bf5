//! One turn of a campaign: its test is run with a first seed and a number of cases, and what it says is kept.

use super::log::{Log, Turn};
use super::table::Campaign;
use crate::shell::{self, cargo, output};
use serde_json::Value;
use smpi_tests::covered::Covered;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// A turn that takes so many seconds hangs: a case has its own limit, of two minutes at most.
const MOST_SECS: u64 = 1_800;

/// How much of the time is left.
pub struct Clock {
    start: Instant,
    whole: Duration,
}

#[allow(clippy::disallowed_methods, reason = "tells how long a person wants to wait; nothing is simulated here")]
fn now() -> Instant {
    Instant::now()
}

impl Clock {
    /// From now on.
    pub fn start(whole: Duration) -> Clock {
        Clock { start: now(), whole }
    }

    /// All of it.
    pub fn whole(&self) -> Duration {
        self.whole
    }

    /// What is left, if anything.
    pub fn left(&self) -> Option<Duration> {
        self.whole.checked_sub(now() - self.start).filter(|left| !left.is_zero())
    }
}

/// A seed that nobody has used; small enough to be read aloud.
///
/// # Errors
/// When the kernel gives none.
pub fn new_seed() -> Result<u64, String> {
    let mut bytes = [0; 4];
    let file = std::fs::File::open("/dev/urandom");
    file.and_then(|mut file| file.read_exact(&mut bytes)).map_err(|e| format!("/dev/urandom: {e}"))?;
    Ok(u64::from(u32::from_le_bytes(bytes)))
}

/// Builds the tests of the campaigns, with the words of `cargo xtask test`, so that nothing is compiled twice; returns
/// their executables.
///
/// # Errors
/// When one does not compile.
pub fn build(campaigns: &[Campaign]) -> Result<Vec<PathBuf>, String> {
    let mut command = cargo(&["test", "--no-run", "--quiet", "--workspace", "--message-format=json"]);
    let mut names: Vec<&str> = campaigns.iter().map(|campaign| campaign.test.1).collect();
    names.sort_unstable();
    names.dedup();
    command.args(names.iter().flat_map(|name| ["--test", name]));
    let text = output(&mut command)?;
    let messages: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let executable = |campaign: &Campaign| {
        let (package, test) = campaign.test;
        let is_it = |message: &&Value| {
            let id = message["package_id"].as_str().unwrap_or_default();
            message["target"]["name"] == test && message["target"]["kind"][0] == "test" && of_package(id, package)
        };
        let path = messages.iter().find(is_it).and_then(|message| message["executable"].as_str());
        path.map(PathBuf::from).ok_or_else(|| format!("cargo names no executable of {package}'s test {test}"))
    };
    campaigns.iter().map(executable).collect()
}

/// Whether an id is that of a package of this workspace: `path+file:///…/tests#smpi-tests@0.1.0`, or, where the folder
/// has the package's name, `…/xtask#0.1.0`.
fn of_package(id: &str, package: &str) -> bool {
    let (place, rest) = id.rsplit_once('#').unwrap_or((id, ""));
    rest.split('@').next() == Some(package) || place.rsplit('/').next() == Some(package)
}

/// What is to be run.
pub struct Start<'a> {
    /// The campaign.
    pub campaign: &'a Campaign,
    /// Its first seed.
    pub seed: u64,
    /// How many cases.
    pub count: u64,
}

impl Start<'_> {
    fn variables(&self, seed: u64, count: u64) -> Vec<(String, String)> {
        let Campaign { seed: first, count: number, with, .. } = self.campaign;
        let own = [(first.to_string(), seed.to_string()), (number.to_string(), count.to_string())];
        own.into_iter().chain(with.iter().map(|(name, value)| (name.to_string(), value.to_string()))).collect()
    }

    /// The command by which a person repeats it.
    fn line(&self, seed: u64, count: u64) -> String {
        let (package, test) = self.campaign.test;
        let variables: Vec<String> =
            self.variables(seed, count).iter().map(|(name, value)| format!("{name}={value}")).collect();
        let functions = self.campaign.functions.join(" ");
        format!("{} cargo test --release -p {package} --test {test} -- {functions} --nocapture", variables.join(" "))
    }
}

/// Runs a campaign for some cases.
///
/// # Errors
/// When its test cannot be run. That it fails is no error: the turn says so.
pub fn turn(start: &Start, built: &Path, test: &Path, log: &Log) -> Result<(Turn, Covered), String> {
    let Start { campaign, seed, count } = *start;
    let mut command = Command::new("timeout");
    command.arg("--foreground").arg(MOST_SECS.to_string()).arg(test).args(campaign.functions).arg("--nocapture");
    command.envs(start.variables(seed, count)).env("SMPI_TEST_BIN", built).current_dir(shell::root());
    let began = now();
    let output = command.output().map_err(|e| format!("cannot run {}: {e}", test.display()))?;
    let secs = (now() - began).as_secs_f64();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let failure = if output.status.success() { String::new() } else { failure(start, &said, log)? };
    let shown = |words: &mut Command| shell::output(words).unwrap_or_default().trim().to_string();
    let date = shown(Command::new("date").args(["-u", "+%FT%TZ"]));
    let commit = shown(Command::new("git").args(["rev-parse", "--short", "HEAD"]).current_dir(shell::root()));
    let turn = Turn { date, commit, name: campaign.name.into(), seed, count, secs, failure };
    Ok((turn, Covered::read(&said)))
}

/// Writes what failed, with the shortest command that shows it again.
fn failure(start: &Start, said: &str, log: &Log) -> Result<String, String> {
    let name = start.campaign.name;
    let of_seed = said.split("seed ").skip(1).find_map(|rest| {
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        let seed = digits.parse().ok()?;
        (start.seed..start.seed + start.count).contains(&seed).then_some(seed)
    });
    let all = start.line(start.seed, start.count);
    let one = of_seed.map(|seed| start.line(seed, 1)).unwrap_or_default();
    log.failure(name, of_seed.unwrap_or(start.seed), &format!("{one}\n{all}\n\n{said}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_told_by_their_ids() {
        assert!(of_package("path+file:///work/tests#smpi-tests@0.1.0", "smpi-tests"));
        assert!(of_package("path+file:///work/xtask#0.1.0", "xtask"));
        assert!(!of_package("path+file:///work/tests#smpi-tests@0.1.0", "tests2"));
    }
}
