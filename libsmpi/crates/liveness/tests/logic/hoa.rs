//! Automata in the HOA format: the forms of the format's definition, what is refused, and reading what was written.

use crate::oracle::accepts;
use crate::words::{NAMES, random_formula, random_word};
use smpi_base::rng::Rng;
use smpi_liveness::{Automaton, Formula, Hoa};

fn read(text: &str) -> Hoa {
    Hoa::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The automaton accepts what the formula means.
fn means(automaton: &Automaton, formula: &str) {
    let formula = Formula::parse(formula).unwrap();
    let automaton = automaton.over(&NAMES.map(String::from)).unwrap();
    let mut rng = Rng::new(1);
    let mut fulfilled = 0;
    for _ in 0..500 {
        let word = random_word(&mut rng, 3);
        let fulfils = word.fulfils(&formula, &NAMES);
        assert_eq!(accepts(&automaton, &word), fulfils, "{formula} on {word:?}");
        fulfilled += usize::from(fulfils);
    }
    assert!(fulfilled > 20 && fulfilled < 480, "{formula} says little: {fulfilled}");
}

/// A header for one Büchi set and the propositions a, b, c.
fn buchi(body: &str) -> String {
    format!("HOA: v1 AP: 3 \"a\" \"b\" \"c\" Start: 0 acc-name: Buchi Acceptance: 1 Inf(0) --BODY-- {body} --END--")
}

#[test]
fn labels_and_acceptance_come_in_many_forms() {
    // On transitions, as SPOT writes it.
    let spot = r#"HOA: v1
name: "Fa & GFb"
States: 2
Start: 0
AP: 2 "a" "b"
acc-name: Buchi
Acceptance: 1 Inf(0)
properties: trans-labels explicit-labels trans-acc complete
properties: deterministic stutter-invariant terminal semi-deterministic
spot.highlight.states: 0 1
--BODY--
State: 0
[!0] 0
[0] 1
State: 1
[!1] 1
[1] 1 {0}
--END--
"#;
    let hoa = read(spot);
    means(&hoa.automaton, "F a & G F b");
    assert_eq!((hoa.name.as_deref(), hoa.stutter_invariant, hoa.automaton.states.len()), (Some("Fa & GFb"), true, 2));
    // Without labels: one edge for each valuation. Two sets.
    let generalized = r#"HOA: v1 name: "GFa & GFb" Start: 0 acc-name: generalized-Buchi 2
        Acceptance: 2 (Inf(0) & Inf(1)) AP: 2 "a" "b"
        --BODY-- State: 0 0 /* !a & !b */ 0 {0} 0 {1} 0 {0 1} /* both /* nested */ */ --END--"#;
    means(&read(generalized).automaton, "G F a & G F b");
    // The complements of sets.
    let promises = generalized.replace("Inf(0)", "Inf(!0)").replace("Inf(1)", "Inf(!1)");
    let promises = promises.replace("0 /* !a & !b */ 0 {0} 0 {1} 0 {0 1}", "0 {0 1} 0 {1} 0 {0} 0");
    means(&read(&promises).automaton, "G F a & G F b");
    // Aliases, also of aliases, and the proposition list behind them.
    let aliases = r#"HOA: v1 Start: 0 Acceptance: 2 Inf(0)&Inf(1) Alias: @a 0 Alias: @bc 1 & 2 Alias: @none !@a & !@bc
        AP: 3 "a" "b" "c" --BODY-- State: 0 [@none] 0 [@a & !@bc] 0 {0} [!@a & @bc] 0 {1} [@a & @bc] 0 {0 1} --END--"#;
    means(&read(aliases).automaton, "G F a & G F (b & c)");
    // On states: labels, acceptance, and two initial states.
    let states = r#"HOA: v1 States: 2 Start: 0 Start: 1 acc-name: Buchi Acceptance: 1 Inf(0) AP: 1 "a"
        --BODY-- State: [0] 0 {0} 0 1 State: [!0] 1 0 1 --END--"#;
    means(&read(states).automaton, "G F a");
    // Acceptance by both, states in any order, no acceptance at all, a set that is not used.
    means(&read(&buchi("State: 1 \"end\" {0} [t] 1 State: 0 [0] 0 [1] 1")).automaton, "a U b");
    let safety = "HOA: v1 AP: 1 \"a\" Start: 0 Acceptance: 0 t --BODY-- State: 0 [0] 0 --END--";
    means(&read(&safety.replace("[0]", "[!0]")).automaton.clone(), "G !a");
    means(&read(&buchi("State: 0 [0|!(1&2)] 0 {0}")).automaton, "G (a | !(b & c))");
    let unused = safety.replace("0 t", "3 Inf(2) & t").replace("[0] 0", "[!0] 0 {2 1} [0] 0 {0}");
    means(&read(&unused).automaton, "G F !a");
}

#[test]
fn what_is_not_supported_is_named() {
    let rabin = "HOA: v1 Start: 0 AP: 0 acc-name: Rabin 1 Acceptance: 2 (Fin(0) & Inf(1)) --BODY-- State: 0 0 --END--";
    let universal = buchi("State: 0 [t] 0&1 State: 1 [t] 1");
    for (text, message) in [
        (
            rabin,
            "line 1, column 42: the acceptance condition `Rabin` is not supported; expected Büchi or generalized \
                 Büchi, as `autfilt --ba` of SPOT writes it",
        ),
        (
            &rabin.replace("acc-name: Rabin 1 ", ""),
            "line 1, column 24: the acceptance condition is not supported; expected \
                 Büchi or generalized Büchi, as `autfilt --ba` of SPOT writes it",
        ),
        (
            &rabin.replace("acc-name: Rabin 1 Acceptance: 2 (Fin(0) & Inf(1))", "acc-name: none Acceptance: 0 f"),
            "line 1, column 39: the acceptance condition `none` is not supported; expected Büchi or generalized Büchi, as \
             `autfilt --ba` of SPOT writes it",
        ),
        (
            &universal,
            "line 1, column 95: alternating automata (states joined by `&`) are not supported; expected Büchi or \
                      generalized Büchi, as `autfilt --ba` of SPOT writes it",
        ),
        ("HOA: v2 ", "line 1, column 6: version `v2` of the format is not supported, expected `HOA: v1`"),
        ("never {", "line 1, column 1: found `never`, expected `HOA: v1`"),
        (
            &buchi("").replace("acc-name", "Fair-name"),
            "line 1, column 36: the header `Fair-name:` is not supported, and \
                      it may change what the automaton means (its name begins with a capital letter)",
        ),
        (
            &buchi("State: 0 [0] 0 --ABORT--"),
            "line 1, column 97: the tool that wrote this file gave up here (`--ABORT--`)",
        ),
    ] {
        assert_eq!(Hoa::parse(text).unwrap_err().to_string(), message, "{text}");
    }
}

#[test]
fn mistakes_are_found() {
    let aliases = (0..40).map(|i| format!("Alias: @b{} @b{i} & @b{i} ", i + 1)).collect::<String>();
    let doubling = buchi("State: 0 [t] 0").replace("Start:", &format!("Alias: @b0 0 {aliases} Start:"));
    for (text, problem) in [
        (buchi("State: 0 [0] 1"), "state 1 is not described: there is no `State: 1`"),
        (buchi("State: 0 [3] 0"), "proposition 3, but `AP:` names 3, from 0"),
        (buchi("State: 0 [64] 0"), "proposition 64, but at most 64 are supported"),
        (buchi("State: 0 [0] 0 {1}"), "acceptance set 1, but `Acceptance:` declares 1, from 0"),
        (buchi("State: 0 [0] 0 State: 0"), "state 0 is described a second time"),
        (buchi("State: 0 [0] 0 State: 2"), "found `--END--`, expected `State: 1`, which is not described"),
        (buchi("State: 0 0 0"), "state 0 has 2 edges without labels, expected 8, one for each valuation"),
        (buchi("State: 0 [0] 0 0"), "some edges of state 0 have labels and others have none"),
        (buchi("State: [0] 0 [0] 0"), "state 0 has a label, so its edges must have none"),
        (buchi("State: 0 [@x] 0"), "no alias `@x` has been defined before"),
        (buchi("State: 0 [0 0] 0"), "found `0`, expected `&`, `|` or `]`"),
        (
            buchi("State: 0 [0 &] 0"),
            "found `]`, expected a label: `t`, `f`, a proposition's number, `@alias`, `!` or `(`",
        ),
        (buchi("State: 0 [(0] 0"), "found `]`, expected an operator or `)`"),
        (buchi("State: 0 [0] 0 #"), "found `#`, expected a word, a number, a text in quotes, or one of `[](){}!&|@`"),
        (buchi("State: 99999999999"), "the number `99999999999` is too large, expected less than 2^31"),
        (buchi("State: 0 \"x"), "this text does not end, expected `\"`"),
        (buchi("State: 0 /* x"), "this comment does not end, expected `*/`"),
        (
            buchi("State: 0 [0] 0").replace("Start: 0", ""),
            "the header has no `Start:`, so the automaton accepts nothing",
        ),
        (buchi("State: 0 [0] 0").replace("Acceptance: 1 Inf(0)", ""), "the header has no `Acceptance:`"),
        (buchi("State: 0 [0] 0").replace("Start:", "States: 1 States: 1 Start:"), "`States:` is here a second time"),
        (buchi("State: 1 [0] 0").replace("Start:", "States: 1 Start:"), "state 1, but there are 1"),
        (buchi("State: 0 [0] 0").replace("AP: 3", "AP: 2"), "`AP: 2` is followed by 3 names, expected 2"),
        (buchi("State: 0 [0] 0").replace("\"b\"", "\"a\""), "the proposition `a` is here a second time"),
        (
            buchi("State: 0 [0] 0") + "HOA: v1",
            "found `HOA:`, expected nothing behind `--END--`: a file has one automaton",
        ),
        (buchi("State: 0 [0] 0").replace("Inf(0)", "Inf(1)"), "acceptance set 1, but `Acceptance:` declares 1, from 0"),
        (
            buchi(&format!("State: 0 [{}0] 0", "!".repeat(300))),
            "at most 200 parentheses and negations inside each other",
        ),
        (doubling, "with its aliases replaced the label has more than 2000 atoms"),
    ] {
        let error = Hoa::parse(&text).unwrap_err();
        assert!(error.problem.ends_with(problem), "{error}\n{problem}\n{text}");
    }
}

#[test]
fn what_is_written_is_read_as_the_same_automaton() {
    let mut rng = Rng::new(9);
    let mut written = 0;
    for _ in 0..1_000 {
        let size = 1 + rng.below(14);
        let formula = random_formula(&mut rng, size, 3);
        let automaton = Automaton::of(&formula).unwrap();
        if automaton.initial.is_empty() {
            continue;
        }
        let text = automaton.to_hoa(&formula.to_string());
        let hoa = read(&text);
        assert_eq!((hoa.automaton, hoa.name), (automaton, Some(formula.to_string())), "{text}");
        written += 1;
    }
    assert!(written > 500);
}

#[test]
fn labels_may_be_deep() {
    let chain = |length: usize| {
        let links: String = (1..length).map(|i| format!("Alias: @a{i} !(0 & @a{}) ", i - 1)).collect();
        buchi(&format!("State: 0 [@a{}] 0 {{0}}", length - 1))
            .replace("Start:", &format!("Alias: @a0 0 {links} Start:"))
    };
    // Where a does not hold, all links but the first do; where it does, every other one.
    means(&read(&chain(2_000)).automaton, "G !a");
    let error = Hoa::parse(&chain(2_001)).unwrap_err();
    assert_eq!(error.problem, "with its aliases replaced the label has more than 2000 atoms");
}

#[test]
fn an_automaton_as_text() {
    let violations = Formula::parse("!G (r -> F cs)").unwrap();
    let text = Automaton::of(&violations).unwrap().to_hoa("violations of \"G (r -> F cs)\"");
    let expected = r#"HOA: v1
name: "violations of \"G (r -> F cs)\""
States: 2
Start: 0
AP: 2 "r" "cs"
acc-name: Buchi
Acceptance: 1 Inf(0)
properties: trans-labels explicit-labels trans-acc
--BODY--
State: 0
[t] 0
[0&!1] 1
State: 1
[!1] 1 {0}
--END--
"#;
    assert_eq!(text, expected);
}

#[test]
fn any_text_is_read_or_refused() {
    let whole = buchi("State: 0 [@x|!0&(1)] 0 {0} State: 1 \"n\" [t] 1").replace("Start", "Alias: @x t Start");
    let words: Vec<&str> = whole.split(' ').collect();
    let mut rng = Rng::new(13);
    let mut read = 0;
    for _ in 0..20_000 {
        let mut words = words.clone();
        for _ in 0..1 + rng.below(3) {
            let (at, other) = (rng.below(words.len()), rng.below(words.len()));
            match rng.below(3) {
                0 => drop(words.remove(at)),
                1 => words.insert(at, words[other]),
                _ => words[at] = words[other],
            }
        }
        read += usize::from(Hoa::parse(&words.join(" ")).is_ok());
    }
    assert!(read > 100, "{read}");
}

/// Reading `a` twice, or once instead of several times, may lose the acceptance set that the other way is in.
#[test]
fn acceptance_counts_when_repetitions_are_looked_at() {
    let automaton = |of_0: &str, of_2: &str| {
        let body = format!(
            "State: 0 [0] 1 {of_0} [0] 2 [!0] 0 State: 1 [!0] 0 State: 2 [0] 1 {of_2} [0] 2 State: 3 [t] 3 {{0}}"
        );
        read(&buchi(&body)).automaton.cannot_tell_repetitions()
    };
    // With the set on either way, repetitions make no difference; with it on one way only, they do.
    assert!(automaton("{0}", "{0}"));
    assert!(!automaton("{0}", ""));
    assert!(!automaton("", "{0}"));
}
