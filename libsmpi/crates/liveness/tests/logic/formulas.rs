//! How formulas are read, printed and refused, and what is known of them.

use crate::words::{NAMES, Word, random_formula};
use smpi_base::rng::Rng;
use smpi_liveness::{Automaton, Formula, in_one_line, is_stutter_invariant};

fn parse(text: &str) -> Formula {
    Formula::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn operators_bind_as_in_spot() {
    for (text, grouped) in [
        ("a -> b -> c", "a -> (b -> c)"),
        ("a -> b <-> c", "a -> (b <-> c)"),
        ("a <-> b -> c", "a <-> (b -> c)"),
        ("a ^ b ^ c", "(a ^ b) ^ c"),
        ("a -> b ^ c | d & e U f", "a -> (b ^ (c || (d && (e U f))))"),
        ("a U b & c", "(a U b) && c"),
        ("a U b R c", "a U (b R c)"),
        ("a W b M c U d", "a W (b M (c U d))"),
        ("F a U G b", "(F a) U (G b)"),
        ("! a U b", "(!a) U b"),
        ("G F a & X b | c", "((G F a) && (X b)) || c"),
        ("a & b & c", "a && b && c"),
        ("a & (b & c)", "a && (b && c)"),
        ("G (r -> F cs)", "G (r -> F cs)"),
    ] {
        assert_eq!(parse(text), parse(grouped), "{text}");
    }
    assert_eq!(parse("G(r->F cs)").to_string(), "G (r -> F cs)");
    assert_eq!(parse("a & (b & !c) U X d").to_string(), "a && ((b && !c) U X d)");
}

#[test]
fn there_are_several_spellings() {
    for (text, usual) in [
        ("[](r -> <>cs)", "G (r -> F cs)"),
        ("not a and b or c", "(!a & b) | c"),
        ("a && b || ~c", "(a & b) | !c"),
        ("a /\\ b \\/ c => d <=> e", "((a & b) | c) -> (d <-> e)"),
        ("1 U 0 V true R false", "true U (false R (true R false))"),
        ("a xor b implies c", "(a ^ b) -> c"),
        ("![]<>!p0", "!G F !p0"),
        ("G\n\t(a)", "G a"),
        ("# all\nG ( // (\n a /* ) */ /\\ b) # end", "G (a & b)"),
        ("a //", "a"),
    ] {
        assert_eq!(parse(text), parse(usual), "{text}");
    }
    assert_eq!(Formula::parse("a &\n /* b").map_err(|error| (error.line, error.column)), Err((2, 2)));
    // Names may begin with operators' letters.
    assert_eq!(parse("F Free U _x9").propositions(), ["Free", "_x9"]);
    assert_eq!(parse("b U (a & b)").propositions(), ["b", "a"]);
}

#[test]
fn operators_without_spaces_are_found_when_the_names_are_known() {
    let known = |name: &str| ["cs", "Free", "r"].contains(&name);
    let read = |text: &str| parse(text).with_operators_split(&known);
    assert_eq!(read("!G(r->Fcs)"), parse("!G(r -> F cs)"));
    assert_eq!(read("GFcs && XXr"), parse("G F cs && X X r"));
    assert_eq!(read("Free U FFree"), parse("Free U (F Free)"));
    // Unknown either way: it stays, and is refused later.
    assert_eq!(read("GFx"), parse("GFx"));
}

#[test]
fn what_is_printed_is_read_as_the_same_formula() {
    let mut rng = Rng::new(3);
    for _ in 0..2_000 {
        let size = 1 + rng.below(20);
        let formula = random_formula(&mut rng, size, 3);
        assert_eq!(parse(&formula.to_string()), formula);
    }
}

#[test]
fn formulas_are_shown_in_one_line_without_comments() {
    assert_eq!(in_one_line(" G (a ->  F b) "), "G (a -> F b)");
    assert_eq!(in_one_line("# one // two\nG ( // (\n a/* ) # */U b)# end"), "G ( a U b)");
}

#[test]
fn errors_say_where_and_what() {
    for (text, message) in [
        (
            "",
            "line 1, column 1: found the end of the formula, expected a formula: a name, `true`, `false`, `(`, `!`, `G`, `F` or `X`",
        ),
        (
            "G (r -> )",
            "line 1, column 9: found `)`, expected a formula: a name, `true`, `false`, `(`, `!`, `G`, `F` or `X`",
        ),
        (
            "a U\n  && b",
            "line 2, column 3: found `&&`, expected a formula: a name, `true`, `false`, `(`, `!`, `G`, `F` or `X`",
        ),
        (
            "a b",
            "line 1, column 3: found `b`, expected an operator such as `&&`, `||`, `->`, `U` or the end of the formula",
        ),
        ("a)", "line 1, column 2: this `)` has no `(` before it"),
        ("(a", "line 1, column 3: found the end of the formula, expected an operator, or `)` for the `(` that is open"),
        (
            "a == 1",
            "line 1, column 3: found `=`, expected a name (letters, digits, `_`), `true`, `false`, a parenthesis or an operator such as `!`, `G`, `F`, `&&`",
        ),
        (
            "é",
            "line 1, column 1: found `é`, expected a name (letters, digits, `_`), `true`, `false`, a parenthesis or an operator such as `!`, `G`, `F`, `&&`",
        ),
        (
            "F 12",
            "line 1, column 3: found `1`, expected a name (letters, digits, `_`), `true`, `false`, a parenthesis or an operator such as `!`, `G`, `F`, `&&`",
        ),
    ] {
        assert_eq!(Formula::parse(text).unwrap_err().to_string(), message, "{text}");
    }
    let deep = format!("{}a{}", "(".repeat(201), ")".repeat(201));
    assert_eq!(
        Formula::parse(&deep).unwrap_err().to_string(),
        "line 1, column 201: parentheses are nested more than 200 deep"
    );
    let long = Formula::parse(&"!".repeat(5_000)).unwrap_err().to_string();
    assert_eq!(long, "line 1, column 2001: the formula has more than 2000 words; split it into several");
}

#[test]
fn formulas_may_be_deep() {
    for (text, states) in [
        ("!".repeat(1_998) + "a", Some(2)),
        ("G F ".repeat(999) + "a", Some(1)),
        ("a U ".repeat(999) + "b", Some(2)),
        ("(a -> ".repeat(199) + "b" + &")".repeat(199), Some(2)),
        ("X ".repeat(1_998) + "a", None),
    ] {
        let formula = parse(&text);
        assert_eq!(parse(&formula.to_string()), formula);
        assert_eq!(Automaton::of(&formula).map(|automaton| automaton.states.len()).ok(), states, "{text}");
    }
}

#[test]
fn any_text_is_read_or_refused() {
    const PIECES: [&str; 22] = [
        "a", "b0", "(", ")", "!", "&&", "|", "->", "<->", "<", "[]", "[", "U", "G", "X", "1", "10", " ", "\n", "é",
        "-", "^",
    ];
    let mut rng = Rng::new(5);
    let mut read = 0;
    for _ in 0..20_000 {
        let text: String = (0..rng.below(10)).map(|_| PIECES[rng.below(PIECES.len())]).collect();
        read += usize::from(Formula::parse(&text).is_ok());
    }
    assert!(read > 200, "{read}");
}

#[test]
fn formulas_that_cannot_tell_repetitions() {
    for (text, expected) in [
        ("a U (b R !c)", true),
        ("X a", false),
        ("F X a", false),
        ("X F a", false),
        ("G F X a", true),
        ("F G X a", true),
        ("F (a & X !a)", true),
        ("F (a & X a)", false),
        ("F (a & X (!a & b))", true),
        ("F (a & !b & X (!a & b))", true),
        ("G (a -> X b)", false),
        ("G (a -> X (a | b))", true),
        ("a & (X a | X !a)", true),
        ("X true", true),
        ("(a & X F a) | (a & !X F a)", true),
    ] {
        assert_eq!(is_stutter_invariant(&parse(text)), expected, "{text}");
    }
    assert!(parse("F a").is_without_next());
    assert!(!parse("G F X a").is_without_next());
}

/// The word with one letter after another repeated some more times.
fn stretched(rng: &mut Rng, word: &Word) -> Word {
    let mut letters = Vec::new();
    let mut back = 0;
    for (i, letter) in word.letters.iter().enumerate() {
        if i == word.back {
            back = letters.len();
        }
        letters.extend(std::iter::repeat_n(*letter, 1 + rng.below(3)));
    }
    Word { letters, back }
}

#[test]
fn repetitions_are_told_exactly_by_the_formulas_that_can() {
    let mut rng = Rng::new(11);
    let (mut invariant, mut refuted, mut unclear) = (0, 0, 0);
    for _ in 0..600 {
        let size = 2 + rng.below(8);
        let formula = random_formula(&mut rng, size, 2);
        let expected = is_stutter_invariant(&formula);
        let told = (0..400).any(|_| {
            let word = crate::words::random_word(&mut rng, 2);
            let longer = stretched(&mut rng, &word);
            word.fulfils(&formula, &NAMES) != longer.fulfils(&formula, &NAMES)
        });
        assert!(!(expected && told), "{formula}");
        let with_next = expected && !formula.is_without_next();
        (invariant, refuted) = (invariant + usize::from(with_next), refuted + usize::from(told));
        unclear += usize::from(!expected && !told);
    }
    println!("with X and invariant: {invariant}, refuted: {refuted}, not invariant and not refuted: {unclear}");
    assert!(invariant > 30 && refuted > 30 && unclear * 20 < refuted, "{invariant} {refuted} {unclear}");
}

#[test]
fn automata_that_are_said_not_to_tell_repetitions_do_not() {
    let mut rng = Rng::new(19);
    let (mut without_next, mut seen, mut with_next) = (0, 0, 0);
    for _ in 0..3_000 {
        let size = 2 + rng.below(8);
        let formula = random_formula(&mut rng, size, 2);
        let said = Automaton::of(&formula).unwrap().cannot_tell_repetitions();
        assert!(!said || is_stutter_invariant(&formula), "{formula}");
        without_next += usize::from(formula.is_without_next());
        seen += usize::from(said && formula.is_without_next());
        with_next += usize::from(said && !formula.is_without_next());
    }
    println!("{seen} of {without_next} without X, {with_next} with X");
    assert!(seen * 10 > without_next * 8 && with_next > 30, "{seen} of {without_next}, {with_next}");
    // The claim of SimGrid's example, and one that can tell.
    let claim = "never { T0_init : if :: (1) -> goto T0_init :: (!cs && r) -> goto accept_S2 fi;
                 accept_S2 : if :: (!cs) -> goto accept_S2 fi; }";
    assert!(Automaton::parse_claim(claim).unwrap().cannot_tell_repetitions());
    assert!(!Automaton::parse_claim("never { a; !a }").unwrap().cannot_tell_repetitions());
}
