//! Lengths of functions: what does not fit a screen is read in pieces, and should be written so.
//!
//! Only texts are looked at. Because cargo fmt has laid them out, a function goes from the line with its `fn` to the
//! first line that has a closing brace in the same column. A string that looks like either is taken for it.

/// Lines a function may have, from the one with its name to its closing brace.
const MAX_LINES: usize = 70;

/// Functions that are longer still: file, name, lines. The numbers may only fall.
const KNOWN: &[(&str, &str, usize)] = &[
    ("libsmpi/crates/checker/tests/explore/model/choosing.rs", "take", 72),
    ("libsmpi/crates/checker/tests/explore/model/program.rs", "call", 78),
];

/// Words that may stand before `fn`.
const QUALIFIERS: [&str; 5] = ["pub", "const", "async", "unsafe", "extern"];

/// A function: its name, the line of its `fn`, and how many lines it has.
#[derive(Debug, PartialEq)]
struct Function<'a> {
    name: &'a str,
    line: usize,
    lines: usize,
}

/// Complaints about the functions of a Rust file, and about what is known of the file and no longer true.
pub fn complaints(file: &str, text: &str) -> Vec<String> {
    let known: Vec<(&str, usize)> =
        KNOWN.iter().filter(|entry| entry.0 == file).map(|&(_, name, lines)| (name, lines)).collect();
    complaints_beside(file, text, &known)
}

fn complaints_beside(file: &str, text: &str, known: &[(&str, usize)]) -> Vec<String> {
    let long: Vec<Function> = functions(text).into_iter().filter(|function| function.lines > MAX_LINES).collect();
    let mut complaints = Vec::new();
    for Function { name, line, lines } in &long {
        let limit = known.iter().find(|entry| entry.0 == *name).map_or(MAX_LINES, |entry| entry.1);
        if *lines > limit {
            complaints.push(format!("{file}:{line}: `{name}` has {lines} lines, {limit} are allowed; take it apart"));
        }
    }
    for (name, limit) in known {
        let lines = long.iter().filter(|function| function.name == *name).map(|function| function.lines).max();
        if lines.is_none_or(|lines| lines < *limit) {
            let now = lines.map_or(format!("at most {MAX_LINES}"), |lines| lines.to_string());
            complaints.push(format!("{file}:1: `{name}` has {now} lines; xtask/src/functions.rs says {limit}"));
        }
    }
    complaints
}

/// The functions with a body, those inside others, too.
fn functions(text: &str) -> Vec<Function<'_>> {
    let lines: Vec<&str> = text.lines().collect();
    let named = |at: usize| name(lines[at]).map(|name| (at, name));
    (0..lines.len())
        .filter_map(named)
        .filter_map(|(at, name)| Some(Function { name, line: at + 1, lines: length(&lines[at..])? }))
        .collect()
}

/// The name of the function that begins in a line.
fn name(line: &str) -> Option<&str> {
    let (before, after) = line.trim_start().split_once("fn ").filter(|(before, _)| before.split(' ').all(qualifies))?;
    let end = after.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(after.len());
    (end > 0 && (before.is_empty() || before.ends_with(' '))).then_some(&after[..end])
}

/// Whether a word may stand before `fn`: a qualifier, `pub(crate)` and its like, or the convention behind `extern`.
fn qualifies(word: &str) -> bool {
    word.is_empty() || QUALIFIERS.contains(&word) || word.starts_with("pub(") || word.starts_with('"')
}

/// How many lines the function has that begins in the first one; `None` when it has no body.
fn length(lines: &[&str]) -> Option<usize> {
    let column = |line: &str| line.len() - line.trim_start().len();
    let indent = column(lines[0]);
    let ends = |line: &str| column(line) == indent && line[indent..].starts_with(['}', ')']);
    for (at, line) in lines.iter().enumerate() {
        let code = line.trim_end();
        // The whole function, or the last line of its parameters, which may stand above the body.
        if at == 0 || (ends(line) && line[indent..].starts_with(')')) {
            match code.chars().next_back() {
                Some('}') => return Some(at + 1),
                Some(';') => return None,
                _ => continue,
            }
        }
        if ends(line) {
            return Some(at + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_with_long_functions_exist() {
        assert!(KNOWN.iter().all(|(file, ..)| crate::shell::root().join(file).exists()));
    }

    #[test]
    fn functions_are_found_with_their_lengths() {
        let text = "\
pub(crate) const unsafe extern \"C\" fn one() -> u8 {
    let fnord = 3;
    fnord
}
fn two() {}
impl Thing {
    fn three(
        self,
    ) -> bool {
        fn four() -> u8 {
            4
        }
        four() > 3
    }
}
trait Other {
    fn five(&self);
    fn six(
        &self,
    );
}
// The fn seven is a comment.
type Eight = fn (u8);
let nine = \"fn nine() {\";
";
        let found: Vec<(&str, usize, usize)> =
            functions(text).iter().map(|function| (function.name, function.line, function.lines)).collect();
        assert_eq!(found, [("one", 1, 4), ("two", 5, 1), ("three", 7, 8), ("four", 10, 3)]);
    }

    #[test]
    fn long_functions_are_complained_about_and_may_only_shrink() {
        let text = |lines: usize| format!("fn f() {{\n{}}}\n", "    g();\n".repeat(lines - 2));
        let count = |lines: usize, known: &[(&str, usize)]| complaints_beside("x.rs", &text(lines), known).len();
        assert_eq!([count(MAX_LINES, &[]), count(MAX_LINES + 1, &[])], [0, 1]);
        let known = [("f", MAX_LINES + 5)];
        assert_eq!(
            [MAX_LINES + 6, MAX_LINES + 5, MAX_LINES + 4, MAX_LINES].map(|lines| count(lines, &known)),
            [1, 0, 1, 1]
        );
    }
}
