//! Formulas of the literature: laws, specification patterns, and how large their automata are.

use smpi_liveness::{Automaton, Binary, Formula, Unary};

fn parse(text: &str) -> Formula {
    Formula::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn states(formula: &Formula) -> usize {
    Automaton::of(formula).unwrap().states.len()
}

fn is_equivalent(a: &str, b: &str) -> bool {
    states(&parse(a).joined(Binary::Xor, parse(b))) == 0
}

#[test]
fn laws() {
    for (a, b) in [
        ("F p", "true U p"),
        ("G p", "false R p"),
        ("p W q", "(p U q) | G p"),
        ("p W q", "q R (p | q)"),
        ("p M q", "q U (p & q)"),
        ("p U q", "q | (p & X (p U q))"),
        ("p R q", "q & (p | X (p R q))"),
        ("!(p U q)", "!p R !q"),
        ("!(p W q)", "!p M !q"),
        ("!(p U q)", "!q W (!p & !q)"),
        ("F (p | q)", "F p | F q"),
        ("G F (p | q)", "G F p | G F q"),
        ("F G (p & q)", "F G p & F G q"),
        ("G F G p", "F G p"),
        ("X (p U q)", "X p U X q"),
        ("G (p -> q)", "!F (p & !q)"),
        ("p U (p U q)", "p U q"),
        ("F p <-> G q", "!(F p ^ G q)"),
        ("(p & q) U r", "(p U r) & (q U r)"),
        ("p U (q | r)", "(p U q) | (p U r)"),
        // What is asked again and again by `G`, and by another part.
        ("!F (G X p W G p)", "G F !p"),
        ("G (F p & X F p)", "G F p"),
        ("G (F p & F (q & X F p))", "G F p & G F q"),
        ("G (F p & F q) & X F p", "G F q & G F p"),
    ] {
        assert!(is_equivalent(a, b), "{a} and {b}");
    }
    for (a, b) in [
        ("F p & F q", "F (p & q)"),
        ("G p | G q", "G (p | q)"),
        ("G F p", "F G p"),
        ("p U q", "p W q"),
        ("X p", "p"),
        ("G F p -> G F q", "G (p -> F q)"),
    ] {
        assert!(!is_equivalent(a, b), "{a} and {b}");
    }
}

/// The patterns of Dwyer, Avrunin and Corbett ("Patterns in property specifications for finite-state verification",
/// 1999) in two forms that mean the same, and how many states the automaton of the violations has.
#[test]
fn specification_patterns() {
    for (formula, other, expected) in [
        // Absence of p: globally, before r, after q, between q and r, after q until r.
        ("G !p", "!F p", 2),
        ("F r -> (!p U r)", "!p W (r | G !r)", 3),
        ("G (q -> G !p)", "!F (q & F p)", 3),
        ("G ((q & !r & F r) -> (!p U r))", "G ((q & !r) -> (!p W (r | G !r)))", 4),
        ("G ((q & !r) -> (!p W r))", "!F (q & !r & (!r U (p & !r)))", 3),
        // Existence.
        ("F p", "!G !p", 1),
        ("!r W (p & !r)", "G !r | (!r U (p & !r))", 2),
        ("G !q | F (q & F p)", "F q -> F (q & F p)", 3),
        ("G ((q & !r) -> (!r W (p & !r)))", "!F (q & !r & (!p U r))", 3),
        ("G ((q & !r) -> (!r U (p & !r)))", "!F (q & !r & (!p W r))", 3),
        // Universality.
        ("G p", "!F !p", 2),
        ("F r -> (p U r)", "p W (r | G !r)", 3),
        ("G (q -> G p)", "!F (q & F !p)", 3),
        ("G ((q & !r & F r) -> (p U r))", "G ((q & !r) -> (p W (r | G !r)))", 4),
        ("G ((q & !r) -> (p W r))", "!F (q & !r & (!r U (!p & !r)))", 3),
        // Precedence: s before p.
        ("!p W s", "!(!s U (p & !s))", 2),
        ("F r -> (!p U (s | r))", "!p W (s | r | G !r)", 3),
        ("G !q | F (q & (!p W s))", "F q -> F (q & (!p W s))", 4),
        ("G ((q & !r) -> (!p W (s | r)))", "!F (q & !r & (!(s | r) U (p & !s & !r)))", 3),
        // Response: s to p.
        ("G (p -> F s)", "!F (p & G !s)", 2),
        ("F r -> ((p -> (!r U (s & !r))) U r)", "(p -> (!r U (s & !r))) W (r | G !r)", 3),
        ("G (q -> G (p -> F s))", "!F (q & F (p & G !s))", 3),
        ("G ((q & !r) -> ((p -> (!r U (s & !r))) W r))", "!F (q & !r & (!r U (p & !r & (!s W r))))", 4),
    ] {
        let negated = parse(formula).under(Unary::Not);
        assert!(is_equivalent(formula, other), "{formula} and {other}");
        let automaton = Automaton::of(&negated).unwrap();
        assert_eq!(automaton.states.len(), expected, "{formula}: {}", automaton.to_hoa(formula));
    }
}

#[test]
fn automata_are_small() {
    let fairness = |n: usize| (0..n).map(|i| format!("G F p{i}")).collect::<Vec<_>>().join(" && ");
    for (formula, expected) in [
        ("true".to_string(), 1),
        ("false".to_string(), 0),
        ("p & !p".to_string(), 0),
        ("!G (r -> F cs)".to_string(), 2),
        ("G F p".to_string(), 1),
        ("F G p".to_string(), 2),
        ("p U q".to_string(), 2),
        ("p0 U (p1 U (p2 U p3))".to_string(), 4),
        (fairness(6), 1),
        (format!("!(({}) -> G (q -> F r))", fairness(8)), 2),
        ("G ((p U q) & F r)".to_string(), 1),
    ] {
        assert_eq!(states(&parse(&formula)), expected, "{formula}");
    }
}

#[test]
fn formulas_may_be_too_large() {
    let many = (0..65).map(|i| format!("p{i}")).collect::<Vec<_>>().join(" | ");
    let until = (0..61).map(|i| format!("F p{i}")).collect::<Vec<_>>().join(" & ");
    let parts = (0..64).map(|i| format!("X p{i} U G p{i}")).collect::<Vec<_>>().join(" | ");
    let steps = (0..40).map(|i| format!("F (p{i} & X p{})", i + 1)).collect::<Vec<_>>().join(" & ");
    for (text, message) in [
        (many, "more than 64 propositions"),
        (until, "more than 60 different parts `a U b` or `F b`"),
        (parts, "more than 128 different temporal parts"),
        (steps, "more than 4096 transitions of one state"),
    ] {
        let error = Automaton::of(&parse(&text)).unwrap_err().to_string();
        assert_eq!(error, format!("the formula is too large: {message}; check its parts one by one"));
    }
}
