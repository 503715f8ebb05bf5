//! Whether a plain simulation shows a finding: the program runs as anybody would run it, on the platform of the command
//! and on others on which the messages of some ranks are late.
//!
//! A simulation does what the program does, also to files. So only a program runs that has changed no file, and done
//! nothing else that a verification does not control, in the failing execution, in a right one, and in the natural one
//! with infinite buffering. Its own computation takes no time (`--compute=off`), so that the same command shows the
//! same again.

use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use smpi_base::plan::VerifyPlan;
use smpi_base::whole;
use smpi_checker::walks::natural;
use smpi_checker::{Choices, System};
use smpi_process as process;
use smpi_report::explanation::Explanation;
use smpi_report::finding::{Buffering, RankState};
use smpi_report::likely::{Found, Simulated};
use smpi_report::{Finding, FindingKey, Report};
use smpi_runtime::config::effect;
use smpi_runtime::summary::Wall;
use smpi_settings::{Effect, Mode};

use crate::limits::interrupt;
use crate::program::aside::aside;
use crate::program::{LeftOut, Program};
use crate::schedule::token;

/// Findings that are simulated, at most.
const MOST_FINDINGS: usize = 4;
/// Platforms that are tried for one of them, besides that of the command.
const MOST_PLATFORMS: usize = 8;
/// Ranks up to which platforms are made.
const MOST_RANKS: u32 = 64;
/// The setting with which no send of a simulation is over before its message is received.
const UNBUFFERED: &str = "smpi/send-is-detached-thresh:0";
/// Time between two looks at whether a simulation has ended.
const LOOK: Duration = Duration::from_millis(2);
/// What a process says that has found that a simulation changes nothing.
const HARMLESS: &[u8] = b"harmless";
/// Exit code of a simulation that ends in a deadlock.
const DEADLOCK: i32 = 3;
/// Exit codes from which on a signal has ended it.
const SIGNALS: i32 = 128;

/// What is known of the command.
pub struct Commands<'a> {
    /// The words behind `smpirun`, without settings that a simulation does not have.
    pub words: String,
    /// Number of ranks.
    pub ranks: u32,
    /// The report's file, beside which a platform is written.
    pub report: Option<&'a str>,
    /// Since when, and how many seconds there are.
    pub wall: &'a Wall,
    pub within_secs: f64,
}

impl<'a> Commands<'a> {
    /// Those of a verification.
    pub fn of(report: &'a Report, options: &'a VerifyPlan, (wall, within_secs): (&'a Wall, f64)) -> Commands<'a> {
        let file = options.report.as_deref().or(options.report_html.as_deref());
        Commands { words: of_simulation(&report.command), ranks: report.ranks, report: file, wall, within_secs }
    }

    /// The time is up.
    fn is_late(&self) -> bool {
        interrupt::wanted() || self.wall.seconds() > self.within_secs
    }

    /// Where the option for the platform begins, and the file that it names. Options come before the first program.
    fn platform(&self) -> Option<(usize, &str)> {
        const OPTION: &str = "--platform=";
        let options = self.words.split("-np ").next()?;
        let at = options.find(OPTION)?;
        // A word with blanks stands in quotes.
        let end = if options[..at].ends_with('\'') { '\'' } else { ' ' };
        Some((at, options[at + OPTION.len()..].split(end).next()?))
    }

    /// What the platform is called.
    fn platform_name(&self) -> String {
        let named = self.platform().map_or("laptop.toml", |(_, name)| name);
        named.rsplit('/').next().unwrap_or(named).to_string()
    }

    /// The command on its own platform.
    fn natural(&self) -> String {
        format!("smpirun --compute=off {}", self.words)
    }

    /// The command with every send waiting for its receive; `None` where it says itself which do.
    fn unbuffered(&self) -> Option<String> {
        let says = self.words.contains(UNBUFFERED.split_once(':')?.0);
        (!says).then(|| format!("smpirun --compute=off --cfg={UNBUFFERED} {}", self.words))
    }

    /// The command on another platform; `None` where the one it has cannot be taken out.
    fn on(&self, file: &str) -> Option<String> {
        let mut words = self.words.clone();
        if let Some((at, name)) = self.platform() {
            if words[..at].ends_with('\'') || name.contains(['\'', '"', '\\']) {
                return None;
            }
            words.replace_range(at..at + "--platform=".len() + name.len(), "");
        }
        // Ranks are to be where the platform has them.
        let has_places = words.contains("hostfile") || words.contains("--host");
        (!has_places).then(|| format!("smpirun --compute=off --platform={file} {}", words.trim_start()))
    }
}

/// The words of a command without those settings that have an effect in verifications only.
fn of_simulation(words: &str) -> String {
    let is_taken = |word: &&str| {
        let key = word.strip_prefix("--cfg=").and_then(|setting| setting.split(':').next());
        key.is_none_or(|key| !matches!(effect(key, Mode::Simulation), Effect::Refused(_)))
    };
    words.split(' ').filter(is_taken).collect::<Vec<_>>().join(" ")
}

/// Simulates what was found, and says what came of it.
pub fn simulate(program: &mut Program, findings: &mut [Finding], options: &VerifyPlan, commands: &Commands<'_>) {
    let mut simulated = 0;
    for (index, finding) in findings.iter_mut().enumerate() {
        if simulated == MOST_FINDINGS || commands.is_late() {
            return;
        }
        use FindingKey::{Assertion, Crash, Deadlock, DeadlockBuffering};
        let is_shown_by = matches!(finding.key, Deadlock | DeadlockBuffering | Assertion | Crash);
        if !is_shown_by || finding.explanation.is_none() {
            continue;
        }
        // Whatever the program does there is no end of this process.
        let said = aside(program, options, (commands.wall, commands.within_secs), &mut |program, out| {
            program.ranks.disregard_threads();
            let _ = out.write_all(if is_harmless(program, finding) { HARMLESS } else { b"" });
        });
        if said.bytes != HARMLESS {
            continue;
        }
        simulated += 1;
        let Some(found) = simulate_one(finding, index, commands) else { continue };
        if let Some(explanation) = &mut finding.explanation {
            explanation.simulated = Some(found);
        }
    }
}

/// Simulates one finding; `None` where nobody can say what came of it.
fn simulate_one(finding: &Finding, index: usize, commands: &Commands<'_>) -> Option<Simulated> {
    let shows = run(&commands.natural(), finding, commands)?;
    let platform = commands.platform_name();
    let mut simulated = Simulated { platform, shows, ..Simulated::default() };
    if shows {
        simulated.command = Some(commands.natural());
        return Some(simulated);
    }
    if finding.key == FindingKey::DeadlockBuffering {
        // Who is late does not matter for it.
        let command = commands.unbuffered().filter(|command| run(command, finding, commands) == Some(true));
        return Some(Simulated { unbuffered: command, ..simulated });
    }
    let Some(report) = commands.report.filter(|_| commands.ranks <= MOST_RANKS) else { return Some(simulated) };
    let stem = report.rsplit_once('.').map_or(report, |(stem, _)| stem);
    let number = if index == 0 { String::new() } else { format!(".{}", index + 1) };
    let file = format!("{stem}{number}.platform.toml");
    let Some(command) = commands.on(&file).filter(|_| !file.contains([' ', '\'', '"', '\\'])) else {
        return Some(simulated);
    };
    for late in late_ranks(finding.explanation.as_ref()?, commands.ranks) {
        let text = platform_where(&late, commands.ranks);
        let is_written = process::at_home(|| whole::write(&file, text)).is_ok();
        let shown = if is_written { run(&command, finding, commands) } else { None };
        let Some(shown) = shown else { break };
        simulated.tried += 1;
        if shown {
            simulated.found = Some(Found { late, file, command });
            return Some(simulated);
        }
    }
    let _ = process::at_home(|| std::fs::remove_file(&file));
    Some(simulated)
}

/// Runs a command; whether it shows the finding. `None`: it was refused, or has not ended in time.
fn run(command: &str, finding: &Finding, commands: &Commands<'_>) -> Option<bool> {
    let own = std::env::current_exe().ok()?;
    let words = command.strip_prefix("smpirun ")?;
    let (mut ours, theirs) = UnixStream::pair().ok()?;
    ours.set_nonblocking(true).ok()?;
    // The shell becomes the simulation, so that this process can end it.
    let mut child = process::at_home(|| {
        Command::new("/bin/sh")
            .args(["-c", &format!("exec \"$0\" {words}")])
            .arg(own)
            .env("SMPI_PARENT", std::process::id().to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(OwnedFd::from(theirs))
            .spawn()
    })
    .ok()?;
    let mut said = Vec::new();
    let status = loop {
        // It may say more than a pipe holds. What there is not yet is no error.
        let _ = ours.read_to_end(&mut said);
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if !commands.is_late() => std::thread::sleep(LOOK),
            Ok(None) | Err(_) => {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
    };
    let _ = ours.read_to_end(&mut said);
    let code = status.code()?;
    (code != smpi_base::exit::REFUSED).then(|| shows(finding, code, &String::from_utf8_lossy(&said)))
}

/// Whether a simulation that ended with this code, and said this, shows a finding.
fn shows(finding: &Finding, code: i32, said: &str) -> bool {
    if matches!(finding.key, FindingKey::Deadlock | FindingKey::DeadlockBuffering) {
        return code == DEADLOCK;
    }
    let failed = finding.last_calls.iter().filter(|call| call.state == RankState::Failed);
    let mut places = failed.map(|call| call.place.source()).filter(|place| !place.is_empty());
    code >= SIGNALS && places.any(|place| said.contains(&format!("({place})")))
}

/// Whether a simulation of the program would change nothing that lasts, as far as executions tell.
fn is_harmless(program: &mut Program, finding: &Finding) -> bool {
    let Some((buffering, known, failing)) = token::path(&finding.replay) else { return false };
    let right = finding.explanation.as_ref().and_then(|explanation| explanation.beside.as_ref());
    let right = right.and_then(|beside| token::path(&beside.replays[1]));
    program.foresee(&known);
    let mut is_harmless = true;
    let mut look = || is_harmless &= process::have_no_files_changed() && LeftOut::here().uncontrolled.is_empty();
    for (buffering, path) in [(buffering, failing)].into_iter().chain(right.map(|(mode, _, path)| (mode, path))) {
        program.set_buffering(buffering);
        if program.follow(&path, &mut |_, _, _| {}).is_err() {
            return false;
        }
        look();
    }
    program.set_buffering(Buffering::Infinite);
    go_naturally(program);
    look();
    is_harmless
}

/// Choices after which the natural execution is not followed any more.
const MOST_CHOICES: usize = 10_000;

fn go_naturally(program: &mut Program) {
    let mut choices = Choices::new();
    program.reset();
    let mut settled = program.settle();
    for _ in 0..MOST_CHOICES {
        choices.clear();
        program.choices(&mut choices);
        let Some(event) = natural(&choices).filter(|_| !settled.is_end()) else { return };
        program.take(event);
        settled = program.settle();
    }
}

/// Ranks whose messages are late, on one platform after the other: all but the one whose message was taken and should
/// not have been; each alone, that one last.
fn late_ranks(explanation: &Explanation, ranks: u32) -> Vec<Vec<u32>> {
    let decision = explanation.decision.as_ref().map(|decision| &decision.matching);
    // Of a receive, the candidate is the sender.
    let received = decision.filter(|matching| matching.verb == "took").map(|matching| matching.event.as_str());
    let taken = received.and_then(|event| event.rsplit_once(':')?.1.parse::<u32>().ok()).filter(|&rank| rank < ranks);
    let receiver = decision.map(|matching| matching.rank);
    let is_other = |rank: &u32| Some(*rank) != taken && Some(*rank) != receiver;
    let others: Vec<u32> = (0..ranks).filter(is_other).collect();
    let alone = others.iter().map(|&rank| vec![rank]);
    let last = [taken, receiver].into_iter().flatten().map(|rank| vec![rank]);
    let mut all: Vec<Vec<u32>> = taken.map(|_| others.clone()).into_iter().chain(alone).chain(last).collect();
    all.dedup();
    all.truncate(MOST_PLATFORMS);
    all
}

/// A platform with a host for each rank, all joined in the middle. Messages from and to these ranks are late.
fn platform_where(late: &[u32], ranks: u32) -> String {
    let mut text = String::from(
        "# Written by smpirun verify: on this platform a simulation shows what was found. Every rank has a host of its\n\
         # own, and the links of some are slow.\n\
         routing = \"star\"\n",
    );
    for rank in 0..ranks {
        text += &format!("\n[[host]]\nname = \"rank-{rank}\"\nspeed = \"1Gf\"\n");
    }
    for rank in 0..ranks {
        let latency = if late.contains(&rank) { "100ms" } else { "50us" };
        text += &format!(
            "\n[[link]]\nname = \"link-{rank}\"\nbandwidth = \"125MBps\"\nlatency = \"{latency}\"\nsharing = \"split-duplex\"\n"
        );
    }
    for rank in 0..ranks {
        text += &format!("\n[[spoke]]\nof = \"rank-{rank}\"\nup = [\"link-{rank}\"]\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands<'a>(words: &'a str, wall: &'a Wall) -> Commands<'a> {
        Commands { words: of_simulation(words), ranks: 3, report: None, wall, within_secs: 1.0 }
    }

    #[test]
    fn the_platform_of_a_command_is_exchanged() {
        let wall = &Wall::start();
        let plain = commands("-np 3 ./app 'a b'", wall);
        assert_eq!(plain.platform_name(), "laptop.toml");
        assert_eq!(plain.natural(), "smpirun --compute=off -np 3 ./app 'a b'");
        assert_eq!(plain.on("r.toml").unwrap(), "smpirun --compute=off --platform=r.toml -np 3 ./app 'a b'");
        let checked = commands("--cfg=smpi/self-check:yes --cfg=smpi/wtime:1e-6 -np 3 ./app", wall);
        assert_eq!(checked.natural(), "smpirun --compute=off --cfg=smpi/wtime:1e-6 -np 3 ./app");
        let named = commands("--platform=dir/c.toml -np 3 ./app", wall);
        assert_eq!(named.platform_name(), "c.toml");
        assert_eq!(named.on("r.toml").unwrap(), "smpirun --compute=off --platform=r.toml -np 3 ./app");
        let quoted = commands("'--platform=a b.toml' -np 3 ./app", wall);
        assert_eq!((quoted.platform_name().as_str(), quoted.on("r.toml")), ("a b.toml", None));
        assert_eq!(commands("-np 3 ./app --platform=x", wall).platform_name(), "laptop.toml");
        assert_eq!(commands("--hostfile=hosts -np 3 ./app", wall).on("r.toml"), None);
        let unbuffered = "smpirun --compute=off --cfg=smpi/send-is-detached-thresh:0 -np 3 ./app";
        assert_eq!(commands("-np 3 ./app", wall).unbuffered().unwrap(), unbuffered);
        assert_eq!(commands("--cfg=smpi/send-is-detached-thresh:1KiB -np 3 ./app", wall).unbuffered(), None);
    }

    #[test]
    fn what_was_taken_comes_first_on_the_first_platform() {
        let mut explanation = Explanation::default();
        assert_eq!(late_ranks(&explanation, 3), [[0], [1], [2]]);
        let mut decision = smpi_report::explanation::Decision::default();
        decision.matching.event = "0.3:2".into();
        decision.matching.verb = "returned".into();
        explanation.decision = Some(decision.clone());
        assert_eq!(late_ranks(&explanation, 3), [[1], [2], [0]], "what was chosen is no rank");
        decision.matching.verb = "took".into();
        explanation.decision = Some(decision);
        assert_eq!(late_ranks(&explanation, 4), [vec![1, 3], vec![1], vec![3], vec![2], vec![0]]);
        assert_eq!(late_ranks(&explanation, 3), [vec![1], vec![2], vec![0]]);
        assert!(platform_where(&[1], 3).matches("100ms").count() == 1);
    }
}
