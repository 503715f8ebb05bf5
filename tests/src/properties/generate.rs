//! Random programs and formulas.

use smpi_base::rng::Rng;

/// A program, as a word for each rank, and a formula about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// What ranks do.
    pub words: Vec<String>,
    /// What must hold.
    pub formula: String,
}

/// The letters of an operation, by its first one.
pub fn length(letter: u8) -> usize {
    if b"sSri".contains(&letter) { 2 } else { 1 }
}

/// The operations of a word.
pub fn operations(word: &str) -> Vec<&str> {
    let mut all = Vec::new();
    let mut rest = word;
    while let Some(letter) = rest.bytes().next() {
        let (operation, later) = rest.split_at(length(letter));
        all.push(operation);
        rest = later;
    }
    all
}

impl Case {
    /// A random one.
    pub fn random(seed: u64) -> Case {
        let rng = &mut Rng::new(seed);
        let ranks = 2 + rng.below(3);
        let loops = rng.below(4) != 0;
        let polls = rng.below(12) == 0;
        let mut words = match rng.below(3) {
            0 => served(rng, ranks),
            _ => (0..ranks).map(|rank| word(rng, (rank, ranks), loops, polls)).collect(),
        };
        if rng.below(8) == 0 {
            words.iter_mut().for_each(|word| word.insert(0, 'B'));
        }
        if rng.below(3) == 0 {
            // It needs nobody, and may keep others from being given their turns.
            words[ranks - 1] = ["nl", "pl", "mopl", "mnl"][rng.below(4)].to_string();
        }
        let formula = formula(rng, &words);
        Case { words, formula }
    }

    /// Whether a rank polls, which the model does not.
    pub fn polls(&self) -> bool {
        self.words.iter().any(|word| word.contains('k'))
    }

    /// Whether messages may be sent without end that nobody waits for, where sends are buffered.
    pub fn may_run_away(&self) -> bool {
        self.words.iter().any(|word| word.contains('l') && word.contains('s'))
    }

    /// Whether the formula can tell how often states are repeated, perhaps.
    pub fn counts(&self) -> bool {
        self.formula.contains('X')
    }

    /// The same with an operation less.
    pub fn smaller(&self) -> Vec<Case> {
        let mut all = Vec::new();
        for (rank, word) in self.words.iter().enumerate() {
            let operations = operations(word);
            for without in 0..operations.len() {
                let kept = operations.iter().enumerate().filter(|(at, _)| *at != without);
                let mut case = self.clone();
                case.words[rank] = kept.map(|(_, operation)| *operation).collect();
                all.push(case);
            }
        }
        all
    }
}

fn other(rng: &mut Rng, rank: usize, ranks: usize) -> usize {
    (rank + 1 + rng.below(ranks - 1)) % ranks
}

/// What is visible, or would be if the formula spoke of it.
fn shown(rng: &mut Rng) -> &'static str {
    ["p", "p", "q", "b", "n", "n"][rng.below(6)]
}

/// Any operations.
fn word(rng: &mut Rng, (rank, ranks): (usize, usize), loops: bool, polls: bool) -> String {
    let mut word = String::new();
    for _ in 0..1 + rng.below(5) {
        let peer = other(rng, rank, ranks);
        let source = if rng.below(3) == 0 { peer.to_string() } else { "*".to_string() };
        let synchronous = loops && rng.below(8) != 0 || rng.below(3) == 0;
        word += &match rng.below(if polls { 14 } else { 13 }) {
            0..3 => format!("{}{peer}", if synchronous { 'S' } else { 's' }),
            3..6 => format!("r{source}"),
            6 => format!("i{source}"),
            7 => ["w", "a", "a"][rng.below(3)].to_string(),
            8 => ["m", "o", "mo", "x"][rng.below(4)].to_string(),
            9..13 => shown(rng).to_string(),
            _ => "k".to_string(),
        };
    }
    if loops && rng.below(5) != 0 {
        word.push('l');
    }
    word
}

/// Rank 0 serves the others, which do something between their requests.
fn served(rng: &mut Rng, ranks: usize) -> Vec<String> {
    let mut server = String::new();
    for _ in 0..1 + rng.below(ranks) {
        server += ["r*", "r*", "r*", "i*", "r1"][rng.below(5)];
        if rng.below(3) == 0 {
            server += shown(rng);
        }
        if rng.below(6) == 0 {
            server += ["S1", "oS1", "mo"][rng.below(3)];
        }
    }
    if server.contains('i') {
        server += ["w", "aa", ""][rng.below(3)];
    }
    server += if rng.below(4) == 0 { "" } else { "l" };
    let mut words = vec![server];
    for _ in 1..ranks {
        let mut client = String::new();
        for _ in 0..1 + rng.below(2) {
            (0..rng.below(3)).for_each(|_| client += [shown(rng), "m", "n"][rng.below(3)]);
            client += ["S0", "S0", "s0"][rng.below(3)];
            if rng.below(5) == 0 {
                client += ["r0", "i0"][rng.below(2)];
            }
        }
        client += shown(rng);
        client += if rng.below(5) == 0 { "" } else { "l" };
        words.push(client);
    }
    words
}

/// The propositions that change, or some that do not where there are none.
fn propositions(words: &[String]) -> Vec<String> {
    let of = |(rank, word): (usize, &String)| {
        let has = |letter: char| word.contains(letter) || word.contains('b');
        ['p', 'q'].into_iter().filter(|&letter| has(letter)).map(|letter| format!("{letter}{rank}")).collect::<Vec<_>>()
    };
    let all: Vec<String> = words.iter().enumerate().flat_map(of).collect();
    if all.is_empty() { vec!["p0".to_string(), "q1".to_string()] } else { all }
}

fn formula(rng: &mut Rng, words: &[String]) -> String {
    let all = propositions(words);
    let mut name = || all[rng.below(all.len())].clone();
    let names = [name(), name(), name()];
    let counts = rng.below(15) == 0;
    let size = 2 + rng.below(5);
    let mut text = || random_formula(rng, size, &names, counts);
    let (a, b) = (text(), text());
    let [x, y, _] = &names;
    match rng.below(11) {
        9 => format!("F ({x} && F !{x}) || G !{y}"),
        10 => format!("F {x}"),
        0 => format!("G ({x} -> F {y})"),
        1 => format!("G F {x}"),
        2 => format!("F G !{x}"),
        3 => [format!("F {x}"), format!("!{x} W {y}")][rng.below(2)].clone(),
        4 => format!("G (({x} && !{y} && F {y}) -> ({x} U {y}))"),
        5 => format!("G ({x} -> F !{x}) && F {y}"),
        6 => format!("({a}) && ({b})"),
        _ => a,
    }
}

fn random_formula(rng: &mut Rng, size: usize, names: &[String; 3], counts: bool) -> String {
    if size <= 1 {
        return names[rng.below(3)].clone();
    }
    if rng.below(2) == 0 {
        let operator = if counts { ["!", "F", "G", "X"][rng.below(4)] } else { ["!", "F", "G"][rng.below(3)] };
        return format!("{operator} ({})", random_formula(rng, size - 1, names, counts));
    }
    let left = 1 + rng.below(size - 1);
    let operator = ["&&", "||", "->", "U", "W", "R", "M", "U"][rng.below(8)];
    let (a, b) = (random_formula(rng, left, names, counts), random_formula(rng, size - left, names, counts));
    format!("({a}) {operator} ({b})")
}
