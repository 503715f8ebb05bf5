//! All executions of a small program, one by one, by taking each of its choices in a session of `smpirun replay
//! --step`: what an explanation says of an execution is compared with them. Source: docs/explain.md, "Why it is right".
//!
//! An execution is the set of its choices: the same ones in another order are the same execution.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Executions in all orders, beyond which a program is no small one.
const MOST: usize = 400;
/// What no command is: its answer ends that of the one before.
const END: &str = "zzz";

type Choices = BTreeSet<String>;

/// A session that answers.
struct Session {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Session {
    fn begin(smpirun: &str, directory: &Path, words: &[String]) -> Option<Session> {
        let mut command = Command::new(smpirun);
        command.args(["replay", "--step"]).args(words).current_dir(directory);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
        let (input, output) = (child.stdin.take()?, BufReader::new(child.stdout.take()?));
        Some(Session { child, input, output })
    }

    fn ask(&mut self, command: &str) -> Option<Vec<String>> {
        writeln!(self.input, "{command}\n{END}").ok()?;
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).ok()? == 0 {
                return None;
            }
            if line.starts_with(&format!("{END}: unknown")) {
                return Some(lines);
            }
            lines.push(line.trim_end().to_string());
        }
    }

    /// Goes to the next choice, and says how many candidates there are: none at the end.
    fn candidates(&mut self) -> Option<usize> {
        let mut lines = self.ask("choices")?;
        let next = lines.first().and_then(|line| line.rsplit_once("goto ")).and_then(|(_, event)| event.parse().ok());
        if let Some::<usize>(event) = next {
            self.ask(&format!("goto {event}"))?;
            lines = self.ask("choices")?;
        }
        let number = |line: &String| line.get(2..)?.split_once("  ")?.0.parse::<usize>().ok();
        Some(lines.iter().filter_map(number).count())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The choices of a token.
fn choices(token: &str) -> Vec<String> {
    token.split('/').skip(2).filter(|word| !word.is_empty()).map(String::from).collect()
}

/// All executions of a mode, as a token begins with it, and what `finding` says at their ends; `None` for a program
/// that is not small.
fn executions(smpirun: &str, directory: &Path, mode: &str, run: &[String]) -> Option<BTreeMap<Choices, String>> {
    let words: Vec<String> = std::iter::once(mode.to_string()).chain(run.iter().cloned()).collect();
    let mut session = Session::begin(smpirun, directory, &words)?;
    let (mut all, mut ends, mut open) = (BTreeMap::new(), 0, vec![Vec::new()]);
    while let Some(taken) = open.pop() {
        session.ask("original")?;
        session.ask("goto 0")?;
        for choice in &taken {
            session.candidates()?;
            session.ask(&format!("take {choice}"))?;
        }
        let count = session.candidates()?;
        open.extend((1..=count).map(|choice| [&taken[..], &[choice]].concat()));
        if count == 0 {
            ends += 1;
            session.ask("goto 99999")?;
            let token = session.ask("token")?.pop()?;
            // Words that are broken over lines are put together.
            let said = session.ask("finding")?.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
            if !said.starts_with("no execution") {
                all.insert(choices(&token).into_iter().collect(), said);
            }
        }
        if ends > MOST {
            return None;
        }
    }
    Some(all)
}

/// What an explanation says otherwise than all executions; `None` where there is no decision, or the program is not
/// small. `run`: the words behind the token.
pub fn difference(smpirun: &str, directory: &Path, run: &[String], finding: &Value) -> Option<Vec<String>> {
    let explanation = &finding["explanation"];
    let token =
        finding["replay"].as_str().filter(|token| !token.contains('_') && explanation["blame"] == "decision")?;
    // Polls have as many executions as they have rounds, of which an exploration needs few.
    explanation["tried"].as_u64().filter(|tried| *tried <= 60)?;
    let mode: Vec<&str> = token.split('/').take(2).collect();
    let all = executions(smpirun, directory, &mode.join("/"), run)?;
    let key = finding["key"].as_str()?;
    let is_stuck = ["deadlock", "deadlock/buffering", "non-termination"].contains(&key);
    let fails = |said: &String| match is_stuck {
        true => ["deadlock:", "deadlock/buffering:", "non-termination:"].iter().any(|one| said.contains(one)),
        false => said.contains(&format!("{key}:")),
    };
    let right: Vec<&Choices> = all.iter().filter(|(_, said)| !fails(said)).map(|(choices, _)| choices).collect();
    let is_sealed = |set: &Choices| !right.iter().any(|choices| set.is_subset(choices));
    let events = |value: &Value| -> Vec<String> {
        let matchings = value.as_array().into_iter().flatten();
        matchings.filter_map(|matching| matching["event"].as_str()).map(String::from).collect()
    };
    let mut wrong = Vec::new();
    let decision = &explanation["decision"];
    let event = decision["event"].as_str()?.to_string();
    if decision["given"].is_array() {
        let others = events(&decision["together"]).into_iter().chain(events(&decision["given"]));
        let others: Choices = others.collect();
        let both: Choices = others.iter().cloned().chain([event.clone()]).collect();
        if !is_sealed(&both) || is_sealed(&others) {
            wrong.push(format!("the decision is {event} with {others:?}"));
        }
    }
    let own = choices(token);
    let at = own.iter().position(|one| *one == event)?;
    let [before, behind] = [at, at + 1].map(|end| own[..end].iter().cloned().collect::<Choices>());
    if is_sealed(&before) || explanation["complete"] == true && !is_sealed(&behind) {
        wrong.push(format!("{event} is not the choice behind which nothing is right"));
    }
    if explanation["condition"]["all_with"] == true {
        let condition: Choices = events(&explanation["condition"]["matchings"]).into_iter().collect();
        if !is_sealed(&condition) {
            wrong.push(format!("{condition:?} is not enough"));
        }
    }
    let witness: Choices = choices(explanation["witness"]["replay"].as_str().unwrap_or(token)).into_iter().collect();
    if !all.get(&witness).is_some_and(fails) {
        wrong.push(format!("{witness:?} does not fail"));
    }
    Some(wrong)
}
