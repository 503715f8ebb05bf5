//! Automata in the Hanoi Omega-Automata format, version 1: writing them.

use crate::automaton::{Automaton, AutomatonState};
use std::fmt::Write;

impl Automaton {
    /// The automaton as a text in the HOA format, called `name`. [`Hoa::parse`](crate::Hoa::parse) reads it as the same
    /// automaton, unless it has no initial state: `Hoa` refuses those.
    pub fn to_hoa(&self, name: &str) -> String {
        let mut text = String::from("HOA: v1\n");
        let names: Vec<String> = self.propositions.iter().map(|name| quoted(name)).collect();
        let acceptance: Vec<String> = (0..self.sets).map(|set| format!("Inf({set})")).collect();
        let (kind, condition) = match self.sets {
            0 => ("all".to_string(), "t".to_string()),
            1 => ("Buchi".to_string(), acceptance[0].clone()),
            sets => (format!("generalized-Buchi {sets}"), acceptance.join("&")),
        };
        let mut line = |words: String| text.push_str(&(words + "\n"));
        line(format!("name: {}", quoted(name)));
        line(format!("States: {}", self.states.len()));
        self.initial.iter().for_each(|state| line(format!("Start: {state}")));
        line([format!("AP: {}", names.len())].into_iter().chain(names).collect::<Vec<_>>().join(" "));
        line(format!("acc-name: {kind}"));
        line(format!("Acceptance: {} {condition}", self.sets));
        line("properties: trans-labels explicit-labels trans-acc".to_string());
        line("--BODY--".to_string());
        for (number, state) in self.states.iter().enumerate() {
            text.push_str(&written(number, state));
        }
        text + "--END--\n"
    }
}

fn written(number: usize, state: &AutomatonState) -> String {
    let name = state.name.as_ref().map_or(String::new(), |name| format!(" {}", quoted(name)));
    let mut text = format!("State: {number}{name}\n");
    for transition in &state.transitions {
        let sets: Vec<String> =
            (0..u64::BITS).filter(|set| transition.sets >> set & 1 == 1).map(|set| set.to_string()).collect();
        let sets = if sets.is_empty() { String::new() } else { format!(" {{{}}}", sets.join(" ")) };
        writeln!(text, "[{}] {}{sets}", transition.condition, transition.target).expect("memory is written to");
    }
    text
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
