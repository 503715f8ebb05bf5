//! Never claims as SPIN, ltl2ba, SPOT and SimGrid's examples have them, and mistakes in them.

use crate::oracle::accepts;
use crate::words::{NAMES, random_word};
use smpi_base::rng::Rng;
use smpi_liveness::{Automaton, Formula};

fn read(text: &str) -> Automaton {
    Automaton::parse_claim(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The claim accepts what the formula means.
fn means(text: &str, formula: &str) {
    let formula = Formula::parse(formula).unwrap();
    let automaton = read(text).over(&NAMES.map(String::from)).unwrap();
    let mut rng = Rng::new(2);
    for _ in 0..500 {
        let word = random_word(&mut rng, 3);
        assert_eq!(accepts(&automaton, &word), word.fulfils(&formula, &NAMES), "{formula} on {word:?}: {automaton:?}");
    }
}

#[test]
fn claims_as_translators_write_them() {
    // SimGrid's examples.
    let promela = "never { /* !G(r->Fcs) */
T0_init :    /* init */
	if
	:: (1) -> goto T0_init
	:: (!b && a) -> goto accept_S2
	fi;
accept_S2 :    /* 1 */
	if
	:: (!b) -> goto accept_S2
	fi;
}
";
    means(promela, "!G (a -> F b)");
    assert_eq!(read(promela).states[1].name.as_deref(), Some("accept_S2"));
    means(
        "never { T0_init : if :: (b) -> goto accept_S1 :: (1) -> goto T0_init fi;
         accept_S1 : if :: (b) -> goto accept_S1 :: (1) -> goto T0_init fi; }",
        "G F b",
    );
    // SPOT, with states that wait on either side.
    means(
        "never { T0_init: if :: ((!(a))) -> goto accept_S0 :: ((true)) -> goto T0_init :: ((b)) -> goto accept_S2 fi;
         accept_S0: if :: ((!(a))) -> goto accept_S0 fi;
         accept_S2: if :: ((b)) -> goto accept_S2 :: ((!(b))) -> goto T0_S3 fi;
         T0_S3: if :: ((b)) -> goto accept_S2 :: ((!(b))) -> goto T0_S3 fi; }",
        "G F a -> G F b",
    );
    // SPIN: the end of the claim, and assertions that fail at once.
    let assertion = "never  {    /* <>p */
T0_init:
	do
	:: atomic { ((a)) -> assert(!((a))) }
	:: (1) -> goto T0_init
	od;
accept_all:
	skip
}";
    means(assertion, "F a");
    means("never f { T0_init: if :: (!(a)) -> goto accept_all :: (1) -> goto T0_init fi; accept_all: skip }", "F !a");
    means("never { accept_init: if :: (a && b || c) -> goto accept_init fi; };", "G ((a & b) | c)");
    means("never { T0_init: do :: (a) -> goto accept_S1 :: (b) od; accept_S1: accept_again: false; }", "false");
}

#[test]
fn statements_follow_each_other() {
    means("never { a; b -> c }", "a & X b & X X c");
    means("never { do :: a -> break :: !a && b od; if :: c fi }", "(!a & b) U (a & X c)");
    means("never { l: if :: a -> goto l :: else -> goto m fi; m: skip; if :: b fi }", "a U (!a & X X b)");
    means("never { assert(a); assert(!b) }", "true");
    means("never { do :: a; assert(b) od }", "a U (a & !b)");
    means("never { goto accept_m; l: a && b; accept_m: do :: a :: !a -> goto l od }", "G (!a -> X (a & b))");
    means("never { accept: if :: d_step { a; goto accept; } fi }", "G a");
}

#[test]
fn mistakes_in_claims_are_found() {
    for (text, message) in [
        ("", "line 1, column 1: found the end of the text, expected `never {`"),
        ("HOA: v1", "line 1, column 1: found `HOA:`, expected `never {`"),
        ("never { T0_init: if :: (a) -> goto accept_S1 fi; }", "line 1, column 36: there is no label `accept_S1:`"),
        (
            "never {\nT0_init:\n\tif\n\t:: (a == 1) -> goto T0_init fi }",
            "line 4, column 8: found `=`, expected a name, `&&`, \
          `||`, `!`, parentheses, `::`, `->`, `;` or braces (comparisons and variables are not supported: propositions \
          are named by the program)",
        ),
        (
            "never { T0: if :: (a) -> goto T0 fi; }",
            "line 1, column 1: this claim accepts nothing: no label begins with \
          `accept`, and no way leads to its end",
        ),
        ("never { accept: if (a) -> goto accept fi }", "line 1, column 20: found `(`, expected `::` or `fi`"),
        ("never { accept: if :: (a -> goto accept fi }", "line 1, column 26: found `->`, expected an operator or `)`"),
        (
            "never { accept: if :: a -> b fi }",
            "line 1, column 28: found `b`, expected `goto`, `break`, `assert` or the next `::`",
        ),
        ("never { accept: accept: skip }", "line 1, column 17: the label `accept` is here a second time"),
        ("never { a b }", "line 1, column 11: found `b`, expected `;`, a label or `}`"),
        ("never { a: goto b; b: goto a }", "line 1, column 17: this `goto b` leads back to itself without a condition"),
        (
            "never { skip } never { skip }",
            "line 1, column 16: found `never`, expected nothing behind the claim: a file has \
          one claim and nothing else",
        ),
        ("never { skip", "line 1, column 13: found the end of the text, expected `;`, a label or `}`"),
        (
            "never { l: }",
            "line 1, column 12: found `}`, expected a statement: `if`, `do`, `goto`, `assert`, `skip` or a condition",
        ),
        ("never { do :: else -> break :: else od }", "line 1, column 32: there is a second `else`"),
        (
            "never { do :: else -> assert(a) od }",
            "line 1, column 15: `else` with `assert` is not supported, expected \
          `goto` or `break`",
        ),
        ("never { /* x", "line 1, column 9: this comment does not end, expected `*/`"),
    ] {
        assert_eq!(Automaton::parse_claim(text).unwrap_err().to_string(), message, "{text}");
    }
}

#[test]
fn any_text_is_read_or_refused() {
    const WORDS: [&str; 26] = [
        "if",
        "fi",
        "do",
        "od",
        "::",
        "::",
        "->",
        ";",
        "a",
        "b",
        "goto l",
        "l:",
        "accept:",
        "(",
        ")",
        "!",
        "&&",
        "||",
        "skip",
        "1",
        "else",
        "break",
        "assert(a)",
        "atomic {",
        "}",
        ":",
    ];
    let mut rng = Rng::new(17);
    let mut read = 0;
    for _ in 0..50_000 {
        let body: Vec<&str> = (0..rng.below(9)).map(|_| WORDS[rng.below(WORDS.len())]).collect();
        read += usize::from(Automaton::parse_claim(&format!("never {{ {} }}", body.join(" "))).is_ok());
    }
    assert!(read > 200, "{read}");
}
