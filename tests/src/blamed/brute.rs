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
/// Beginnings of executions in all orders, likewise: polls in vain make long ones.
const MOST_BEGINNINGS: usize = 4_000;
/// Executions that an explanation has tried, beyond which a program is no small one.
const MOST_TRIED: u64 = 200;
/// Choices of an execution of which all sets are tried.
const MOST_OF_A_CONDITION: usize = 12;
/// Bytes by which a place is known of which only the end is shown.
const LEAST_END: usize = 16;
/// A number beyond that of the last event.
const END_OF_ALL: usize = 99_999;
/// What `finding` says of an execution without an error.
const WITHOUT_ERROR: &str = "it ends without an error";
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

    /// The number of events: a session says which numbers there are.
    fn last_event(&mut self) -> Option<Option<usize>> {
        let refused = self.ask(&format!("goto {END_OF_ALL}"))?;
        let last = refused.first().and_then(|line| line.rsplit(' ').next());
        Some(last.and_then(|number| number.parse().ok()))
    }

    /// Goes to the next choice; what can be chosen there: nothing at the end.
    fn open(&mut self) -> Option<Vec<Open>> {
        let mut lines = self.ask("choices")?;
        let next = lines.first().and_then(|line| line.rsplit_once("goto ")).and_then(|(_, event)| event.parse().ok());
        // What was found before any choice is where the session has ended: choices are open there all the same.
        let is_listed = lines.iter().any(|line| Open::read(line).is_some());
        let event = if is_listed || next.is_some() { next } else { self.last_event()? };
        if let Some::<usize>(event) = event {
            self.ask(&format!("goto {event}"))?;
            lines = self.ask("choices")?;
        }
        Some(lines.iter().filter_map(|line| Open::read(line)).collect())
    }
}

/// What can be chosen, as `choices` lists it.
struct Open {
    number: usize,
    /// An exploration would make it first.
    is_first: bool,
    /// What stands before the rank whose message it is: the same for all candidates of a choice.
    of: String,
    sender: Option<u32>,
}

impl Open {
    fn read(line: &str) -> Option<Open> {
        let (number, what) = line.get(2..)?.split_once("  ")?;
        let words = ["took the message of rank ", "saw the message of rank ", "took rank ", "got it before rank "];
        let split = words.iter().find_map(|words| what.split_once(words));
        let sender = split.and_then(|(_, rest)| rest.split([' ', '[']).next()?.parse().ok());
        let of = split.map_or(what, |(before, _)| before).to_string();
        Some(Open { number: number.parse().ok()?, is_first: line.starts_with('*'), of, sender })
    }
}

/// Which of these the natural execution takes: the choice that an exploration makes first, and of several senders the
/// lowest.
fn natural(open: &[Open]) -> Option<usize> {
    let first = open.iter().find(|open| open.is_first)?;
    let alike = open.iter().filter(|open| open.of == first.of && open.sender.is_some());
    Some(alike.min_by_key(|open| open.sender).unwrap_or(first).number)
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

/// An execution.
struct Execution {
    /// What `finding` says at its end.
    said: String,
    /// In how many choices it is not the natural one, in the order of them in which these are fewest.
    deviations: u32,
}

/// All executions of a mode, as a token begins with it; `None` for a program that is not small.
fn executions(smpirun: &str, directory: &Path, mode: &str, run: &[String]) -> Option<BTreeMap<Choices, Execution>> {
    let words: Vec<String> = ["--explain-within=0", mode].map(String::from).into_iter().chain(run.to_vec()).collect();
    let mut session = Session::begin(smpirun, directory, &words)?;
    let mut all: BTreeMap<Choices, Execution> = BTreeMap::new();
    let (mut ends, mut open) = (0, vec![(Vec::new(), 0)]);
    let mut beginnings = 0;
    while let Some((taken, deviations)) = open.pop() {
        beginnings += 1;
        if beginnings > MOST_BEGINNINGS {
            return None;
        }
        session.ask("original")?;
        session.ask("goto 0")?;
        for choice in &taken {
            session.open()?;
            session.ask(&format!("take {choice}"))?;
        }
        let next = session.open()?;
        let natural = natural(&next);
        for choice in &next {
            let deviates = u32::from(Some(choice.number) != natural);
            open.push(([&taken[..], &[choice.number]].concat(), deviations + deviates));
        }
        if next.is_empty() {
            ends += 1;
            session.ask(&format!("goto {END_OF_ALL}"))?;
            let token = session.ask("token")?.pop()?;
            // Words that are broken over lines are put together.
            let said = session.ask("finding")?.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
            if !said.starts_with("no execution") {
                let choices = choices(&token).into_iter().collect();
                let execution = all.entry(choices).or_insert(Execution { said, deviations });
                execution.deviations = execution.deviations.min(deviations);
            }
        }
        if ends > MOST {
            return None;
        }
    }
    Some(all)
}

/// All executions, by which is judged what an explanation says.
struct All<'a> {
    executions: &'a BTreeMap<Choices, Execution>,
    finding: &'a Value,
}

impl All<'_> {
    /// Whether an execution shows the finding: any deadlock for a deadlock, else the same kind at the same lines.
    fn fails(&self, execution: &Execution) -> bool {
        let stuck = ["deadlock", "deadlock/buffering", "non-termination"];
        let key = self.finding["key"].as_str().unwrap_or_default();
        let says = |words: &str| execution.said.contains(words);
        if stuck.contains(&key) {
            return stuck.iter().any(|key| says(&format!("{key}: ")));
        }
        let message = self.finding["message"].as_str().filter(|_| key == "assertion").unwrap_or_default();
        let lines = self.finding["locations"].as_array().into_iter().flatten().filter_map(|place| {
            let name = Path::new(place["file"].as_str()?).file_name()?.to_str()?;
            Some(format!("{name}:{}", place["line"]))
        });
        // Long names are shown by their ends.
        let is_said = |line: String| {
            let ends = line.char_indices().skip(1).map(|(at, _)| format!("…{} ", &line[at..]));
            says(&format!("{line} ")) || { ends }.filter(|end| end.len() > LEAST_END).any(|end| says(&end))
        };
        says(&format!("{key}: {message}")) && { lines }.all(is_said)
    }

    /// Some poll finds nothing in some of them. An exploration leaves out polls in vain that bring nothing, so it has
    /// fewer executions, and their numbers are others.
    fn has_polls(&self) -> bool {
        self.executions.keys().flatten().any(|choice| choice.ends_with(":-"))
    }

    /// Executions that have all of these choices: how many fail, and how many are right.
    fn counts(&self, choices: &Choices) -> (u64, u64) {
        let with = self.executions.iter().filter(|(own, _)| choices.is_subset(own));
        let (failing, right): (Vec<_>, Vec<_>) = with.partition(|(_, execution)| self.fails(execution));
        (failing.len() as u64, right.len() as u64)
    }

    fn is_sealed(&self, choices: &Choices) -> bool {
        self.counts(choices).1 == 0
    }

    /// Where the decision is said to be: the last choice of the execution that some right one can still come before;
    /// of the sealed part that is told, each choice is needed.
    fn decision(&self, own: &[String], explanation: &Value) -> Vec<String> {
        let mut wrong = Vec::new();
        let decision = &explanation["decision"];
        let Some(event) = decision["event"].as_str() else { return vec!["a decision has no choice".into()] };
        let beginning = |end: usize| own[..end].iter().cloned().collect::<Choices>();
        let last = (0..own.len()).rev().find(|&at| !self.is_sealed(&beginning(at)));
        let said = own.iter().position(|one| one == event);
        if explanation["complete"] == true && (last.is_none() || last != said) {
            wrong.push(format!("{event} is not the choice behind which nothing is right: {last:?} of {own:?}"));
        }
        if explanation["complete"] == true
            && !self.has_polls()
            && let Some(said) = said
            && explanation["failing"] != self.counts(&beginning(said + 1)).0
        {
            wrong.push(format!("{:?} continuations of {event} do not fail", explanation["failing"]));
        }
        if let Some(sealed) = sealed(decision) {
            let without = |one: &String| sealed.iter().filter(|other| *other != one).cloned().collect::<Choices>();
            let last = events(&decision["together"]).into_iter().chain([event.to_string()]);
            if !self.is_sealed(&sealed) || last.into_iter().any(|one| self.is_sealed(&without(&one))) {
                wrong.push(format!("the decision is {event} of {sealed:?}"));
            }
        }
        wrong
    }

    /// The witness: of all failing executions that contain what seals the explained one, that with the fewest
    /// deviations and then the fewest choices.
    fn witness(&self, witness: &Choices, explanation: &Value) -> Vec<String> {
        let Some(execution) = self.executions.get(witness).filter(|execution| self.fails(execution)) else {
            return vec![format!("{witness:?} does not fail")];
        };
        let said = &explanation["witness"];
        let Some(sealed) = sealed(&explanation["decision"]).filter(|_| said["smallest"] == true) else {
            return Vec::new();
        };
        let size = |(choices, execution): (&Choices, &Execution)| (execution.deviations, choices.len());
        let failing = self.executions.iter().filter(|(own, execution)| sealed.is_subset(own) && self.fails(execution));
        let least = failing.map(size).min();
        let own = size((witness, execution));
        let told = (said["deviations"].as_u64(), said["choices"].as_u64());
        if least != Some(own) || told != (Some(own.0.into()), Some(own.1 as u64)) {
            return vec![format!("the witness has {told:?} as {own:?} deviations and choices: there is {least:?}")];
        }
        Vec::new()
    }

    /// What stands beside it: a right execution that lacks as few of its choices as any.
    fn beside(&self, own: &[String], explanation: &Value) -> Vec<String> {
        let Some(told) = explanation["beside"]["replays"][1].as_str().filter(|_| explanation["complete"] == true)
        else {
            return Vec::new();
        };
        let told: Choices = choices(told).into_iter().collect();
        let lacks = |choices: &Choices| own.iter().filter(|one| !choices.contains(*one)).count();
        let right = self.executions.iter().filter(|(_, execution)| !self.fails(execution)).map(|(choices, _)| choices);
        let least = right.map(lacks).min();
        let is_right = self.executions.get(&told).is_some_and(|execution| !self.fails(execution));
        if is_right && least == Some(lacks(&told)) {
            // Which has another error is not called right.
            let title = explanation["beside"]["titles"][1].as_str().unwrap_or_default();
            let is_clean = self.executions[&told].said.starts_with(WITHOUT_ERROR);
            let is_said = (title == "is right") == is_clean;
            return if is_said { Vec::new() } else { vec![format!("{told:?} stands beside it, and {title}")] };
        }
        vec![format!("beside it stands {told:?}, which lacks {}: {least:?} can be (right: {is_right})", lacks(&told))]
    }

    /// The condition: the smallest set of choices of the witness that no right execution has; and how many have it.
    fn condition(&self, witness: &Choices, condition: &Value) -> Vec<String> {
        let mut wrong = Vec::new();
        let set: Choices = events(&condition["matchings"]).into_iter().collect();
        let (with, right) = self.counts(&set);
        let (failing, all_right) = self.counts(&Choices::new());
        if condition["all_with"] == true && (right > 0 || !self.has_polls() && condition["failing"] != with) {
            wrong.push(format!("{set:?} is not enough: {with} fail, {right} are right"));
        }
        let otherwise = [&condition["failing_otherwise"], &condition["right_otherwise"]];
        let is_exact = condition["all_without"] == true && !self.has_polls();
        if is_exact && (*otherwise[0] != failing - with || *otherwise[1] != all_right) {
            wrong.push(format!("without {set:?} are {} and {all_right}, not {otherwise:?}", failing - with));
        }
        let own: Vec<&String> = witness.iter().collect();
        if condition["smallest"] == true && own.len() <= MOST_OF_A_CONDITION {
            let of = |bits: u32| (0..own.len()).filter(move |at| bits >> at & 1 == 1).map(|at| own[at].clone());
            let enough = (0..1 << own.len()).filter(|&bits| self.is_sealed(&of(bits).collect()));
            let least = enough.map(u32::count_ones).min();
            if least != Some(set.len() as u32) {
                wrong.push(format!("{set:?} is not the smallest condition of {own:?}: {least:?} are enough"));
            }
        }
        wrong
    }
}

/// The choices of matchings.
fn events(value: &Value) -> Vec<String> {
    let matchings = value.as_array().into_iter().flatten();
    matchings.filter_map(|matching| matching["event"].as_str()).map(String::from).collect()
}

/// All choices that seal an execution together with a decision; `None` where that is not proved.
fn sealed(decision: &Value) -> Option<Choices> {
    decision["given"].as_array()?;
    let others = events(&decision["together"]).into_iter().chain(events(&decision["given"]));
    Some(others.chain([decision["event"].as_str()?.to_string()]).collect())
}

/// What an explanation says otherwise than all executions; `None` where nothing is said of all, or the program is not
/// small. `run`: the words behind the token.
pub fn difference(smpirun: &str, directory: &Path, run: &[String], finding: &Value) -> Option<Vec<String>> {
    let explanation = &finding["explanation"];
    let token = finding["replay"].as_str().filter(|token| !token.contains('_'))?;
    // Polls have as many executions as they have rounds, of which an exploration needs few.
    explanation["tried"].as_u64().filter(|tried| *tried <= MOST_TRIED)?;
    let is_decided = explanation["blame"] == "decision";
    let fails_always = explanation["complete"] == true && explanation["blame"] != "difference";
    if !is_decided && !fails_always {
        return None;
    }
    let mode: Vec<&str> = token.split('/').take(2).collect();
    let executions = executions(smpirun, directory, &mode.join("/"), run)?;
    let all = All { executions: &executions, finding };
    if !is_decided {
        let counts = all.counts(&Choices::new());
        let is_so = counts.1 == 0 && (explanation["failing"] == counts.0 || all.has_polls());
        return Some(if is_so { Vec::new() } else { vec![format!("not all fail: {counts:?}")] });
    }
    let own = choices(token);
    let witness: Choices = choices(explanation["witness"]["replay"].as_str().unwrap_or(token)).into_iter().collect();
    let mut wrong = all.decision(&own, explanation);
    wrong.extend(all.witness(&witness, explanation));
    wrong.extend(all.condition(&witness, &explanation["condition"]));
    wrong.extend(all.beside(&own, explanation));
    Some(wrong)
}
