//! Why `smpirun` ends early.

/// What ends `smpirun` early: refused input (exit code 2), or a mistake of ours (exit code 4).
#[derive(Debug, PartialEq)]
pub enum Failure {
    /// The user's input is refused; the text says where, what was expected and one next step.
    Refused(String),
    /// Something that cannot happen happened.
    Internal(String),
    /// All is said already; this is the exit code.
    Told(i32),
}

/// Clap's message in our form: its first paragraph without the prefix, what was expected, and the next step. `help` is
/// the question that answers more.
pub fn of_clap(error: &clap::Error, help: &str) -> Failure {
    let text = error.render().to_string();
    let useful = |line: &&str| !line.is_empty() && !line.starts_with("Usage:") && !line.starts_with("For more");
    let lines: Vec<&str> = text.lines().map(str::trim).filter(useful).collect();
    let mut message = lines.join("; ").replacen("error: ", "", 1).replace(":; ", ": ");
    if let Some((before, words)) = message.clone().split_once("[possible values: ") {
        let words: Vec<&str> = words.trim_end_matches(']').split(", ").collect();
        let (last, others) = words.split_last().unwrap_or((&"", &[]));
        message = format!("{before}expected {} or {last}", others.join(", "));
    }
    // What cannot be read as a number, and what is too small or too large.
    if let Some((before, why)) = message.clone().rsplit_once(": ") {
        let range = why.split_once(" is not in ").and_then(|(_, range)| range.split_once(".."));
        let is_none = why.contains("invalid digit") || why.contains("integer from empty string");
        if let Some((least, most)) = range {
            let most = most.trim_start_matches('=');
            message = match most == u64::MAX.to_string() || most == u32::MAX.to_string() {
                true => format!("{before}: expected a number from {least}"),
                false => format!("{before}: expected a number from {least} to {most}"),
            };
        } else if is_none || why.contains("number too large") {
            message = format!("{before}: expected a number{}", if is_none { "" } else { ", and a smaller one" });
        }
    }
    if error.kind() == clap::error::ErrorKind::ArgumentConflict {
        message += "; leave one of them out";
    }
    Failure::Refused(format!("{message} (see {help})"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Arg, Command, value_parser};

    fn refused(words: &[&str]) -> String {
        let few = Arg::new("few").long("few").value_parser(value_parser!(u32).range(2..=4));
        let some = Arg::new("some").long("some").value_parser(value_parser!(u64).range(1..));
        let any = Arg::new("any").long("any").value_parser(value_parser!(u32));
        let command = Command::new("task").args([few, some, any]).arg(Arg::new("file").required(true));
        let words = std::iter::once("task").chain(words.iter().copied());
        match of_clap(&command.try_get_matches_from(words).unwrap_err(), "task --help") {
            Failure::Refused(text) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_expected_is_told() {
        for (words, expected) in [
            (&["--few", "9", "x"][..], "expected a number from 2 to 4 (see task --help)"),
            (&["--some", "0", "x"], "expected a number from 1 (see"),
            (&["--any", "two", "x"], "invalid value 'two' for '--any <any>': expected a number (see"),
            (&["--any", "", "x"], "expected"),
            (&["--any", "5000000000", "x"], "expected a number"),
            (&["--fewe", "3", "x"], "'--few'"),
            (&[], "not provided: <file> (see task --help)"),
        ] {
            let said = refused(words);
            assert!(said.contains(expected) && !said.contains('\n') && !said.contains(".."), "{words:?}: {said}");
        }
    }
}
