//! What can be said to a session, read from words.

use smpi_base::words::nearest;

/// A command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Command {
    Next(Option<u32>),
    Back(Option<u32>),
    Goto(usize),
    Decision,
    Posted,
    Sent,
    Completed,
    Where(Option<u32>),
    List,
    Choices,
    Take(usize),
    Explore,
    Original,
    Finding,
    Token,
    Output(Option<u32>),
    State,
    Gdb(Option<u32>, String),
    Help,
    Quit,
    /// An empty line: the last movement again.
    Again,
}

/// What a command is given, and the command with it.
enum Takes {
    Nothing(Command),
    Rank(fn(Option<u32>) -> Command),
    Event(fn(usize) -> Command),
    Choice(fn(usize) -> Command),
    RankAndWords(fn(Option<u32>, String) -> Command),
}

impl Takes {
    /// As `help` shows it.
    fn words(&self) -> &'static str {
        match self {
            Takes::Nothing(_) => "",
            Takes::Rank(_) => "[RANK]",
            Takes::Event(_) => "N",
            Takes::Choice(_) => "K",
            Takes::RankAndWords(_) => "[RANK [COMMAND]]",
        }
    }
}

/// A command: its name, what it is given, what it does, and what the manual says beside that.
type Row = (&'static str, Takes, &'static str, &'static str);

/// The commands, from which `help` and the table in docs/stepping.md are made.
static COMMANDS: [Row; 20] = [
    ("next", Takes::Rank(Command::Next), "to the next event, or the next one of a rank", ""),
    ("back", Takes::Rank(Command::Back), "to the event before, or the one before of a rank", ""),
    ("goto", Takes::Event(Command::Goto), "to event N; 0 is the beginning", ""),
    (
        "decision",
        Takes::Nothing(Command::Decision),
        "to the choice that the finding failed by",
        " ([explain.md](explain.md)), before it is made",
    ),
    (
        "posted",
        Takes::Nothing(Command::Posted),
        "to the call that has posted the operation of this event",
        ": of a message that is taken, the receive; of `MPI_Wait`, the first of its operations",
    ),
    ("sent", Takes::Nothing(Command::Sent), "to the call that has sent the message of this event", ""),
    (
        "completed",
        Takes::Nothing(Command::Completed),
        "to where the operation of this event is over, or its rank is told so",
        ": first the one, from there the other",
    ),
    ("where", Takes::Rank(Command::Where), "what every rank is at: call, line, what it waits for", ""),
    ("list", Takes::Nothing(Command::List), "the events around this one", ""),
    (
        "choices",
        Takes::Nothing(Command::Choices),
        "what can be chosen here",
        "; a star stands before what this execution takes",
    ),
    (
        "take",
        Takes::Choice(Command::Take),
        "choose the K-th of these, and go on with it",
        ": further choices are made as an exploration makes them first",
    ),
    (
        "explore",
        Takes::Nothing(Command::Explore),
        "verify all that can follow from here",
        ", with the options of a verification on the command line, and say the verdict",
    ),
    ("original", Takes::Nothing(Command::Original), "back to the execution of the token, after take", ""),
    ("finding", Takes::Nothing(Command::Finding), "what is wrong at the end of this execution", ", and why"),
    ("token", Takes::Nothing(Command::Token), "the token of the choices up to here", ""),
    ("output", Takes::Rank(Command::Output), "what the ranks have printed up to here", " to standard output"),
    (
        "state",
        Takes::Nothing(Command::State),
        "names of the ranks' memory here, and of the state",
        ", where ranks are at rest ([endless.md](endless.md)): 128 bits each; equal ones are the same",
    ),
    (
        "gdb",
        Takes::RankAndWords(Command::Gdb),
        "gdb on the stack of a rank here; with COMMAND: what gdb answers",
        ". See below",
    ),
    ("help", Takes::Nothing(Command::Help), "this list; a command may be cut short: n, b, g 12", ""),
    ("quit", Takes::Nothing(Command::Quit), "end the session, as the end of the input does", ""),
];

/// Reads a line.
///
/// # Errors
/// Text for the user: what is wrong with it, and what was expected.
pub(super) fn parse(line: &str, ranks: u32) -> Result<Command, String> {
    let line = line.split('#').next().unwrap_or_default().trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    if word.is_empty() {
        return Ok(Command::Again);
    }
    let (name, takes) = command_of(word)?;
    let number =
        |expected: &str| rest.parse::<usize>().map_err(|_| format!("{line}: expected {expected}, as in {name} 2"));
    Ok(match takes {
        Takes::Nothing(_) if !rest.is_empty() => {
            return Err(format!("{line}: {name} takes nothing; leave out {rest}"));
        }
        Takes::Nothing(command) => command.clone(),
        Takes::Rank(command) => command(optional_rank(name, rest, ranks)?),
        Takes::Event(command) => command(number("the number of an event")?),
        Takes::Choice(command) => command(number("a number that choices shows")?),
        Takes::RankAndWords(command) => {
            let (rank, words) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            command(optional_rank(name, rank, ranks)?, words.trim().to_string())
        }
    })
}

/// The command that a word is, or begins, and what it is given.
fn command_of(word: &str) -> Result<(&'static str, &'static Takes), String> {
    let names = || COMMANDS.iter().map(|(name, ..)| *name);
    // The first one goes before others that begin alike.
    let is_meant = |name: &str| if names().any(|name| name == word) { name == word } else { name.starts_with(word) };
    let found = COMMANDS.iter().find(|(name, ..)| is_meant(name));
    found.map(|(name, takes, ..)| (*name, takes)).ok_or_else(|| match nearest(word, names()) {
        Some(near) => format!("{word}: unknown command; did you mean {near}? help lists all"),
        None => format!("{word}: unknown command; help lists all"),
    })
}

fn optional_rank(name: &str, rest: &str, ranks: u32) -> Result<Option<u32>, String> {
    if rest.is_empty() {
        return Ok(None);
    }
    let last = ranks.saturating_sub(1);
    match rest.parse::<u32>() {
        Ok(rank) if rank < ranks => Ok(Some(rank)),
        Ok(rank) => Err(format!("{name} {rank}: there is no rank {rank}; expected 0 to {last}")),
        Err(_) => Err(format!("{name} {rest}: expected a rank, 0 to {last}")),
    }
}

/// What `help` says.
pub(super) fn help() -> String {
    let mut text = String::new();
    for (name, takes, what, _) in &COMMANDS {
        text.push_str(&format!("  {:<22}{what}\n", format!("{name} {}", takes.words()).trim_end()));
    }
    text.push_str("An empty line repeats the last next or back; # begins a comment.\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of the manual.
    fn table() -> String {
        let row = |(name, takes, what, more): &Row| {
            format!("| `{}` | {what}{more} |\n", format!("{name} {}", takes.words()).trim_end())
        };
        format!("| command | what it does |\n|---|---|\n{}", COMMANDS.iter().map(row).collect::<String>())
    }

    #[test]
    fn the_manual_has_the_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/stepping.md");
        let page = std::fs::read_to_string(path).unwrap();
        let (begin, end) = ("<!-- commands: made of a table in the code -->\n", "<!-- end of commands -->");
        let (before, rest) = page.split_once(begin).expect("the page has a place for the table");
        let (_, after) = rest.split_once(end).expect("the place has an end");
        let fresh = format!("{before}{begin}\n{}\n{end}{after}", table());
        if std::env::var_os("SMPI_BLESS").is_some() {
            std::fs::write(path, &fresh).unwrap();
        }
        assert!(page == fresh, "run: SMPI_BLESS=1 cargo test -p smpi-verify commands");
    }

    #[test]
    fn commands_may_be_cut_short() {
        let read = |line: &str| parse(line, 4);
        assert_eq!(read("n"), Ok(Command::Next(None)));
        assert_eq!(read(" back  3 # a comment"), Ok(Command::Back(Some(3))));
        assert_eq!(read("g 12"), Ok(Command::Goto(12)));
        assert_eq!(read("p"), Ok(Command::Posted));
        assert_eq!(read("s"), Ok(Command::Sent));
        assert_eq!(read("c"), Ok(Command::Completed));
        assert_eq!(read("t 2"), Ok(Command::Take(2)));
        assert_eq!(read("gdb 1 print x + 1"), Ok(Command::Gdb(Some(1), "print x + 1".to_string())));
        assert_eq!(read(""), Ok(Command::Again));
        assert_eq!(read("# nothing"), Ok(Command::Again));
    }

    #[test]
    fn what_is_wrong_is_said_with_what_was_expected() {
        let refused = |line: &str| parse(line, 4).unwrap_err();
        for (line, word) in [
            ("gotoo 2", "did you mean goto?"),
            ("xyz", "help lists all"),
            ("next 4", "no rank 4; expected 0 to 3"),
            ("next one", "expected a rank, 0 to 3"),
            ("goto", "the number of an event"),
            ("take x", "a number that choices shows"),
            ("decision 3", "takes nothing"),
        ] {
            assert!(refused(line).contains(word), "{line}: {}", refused(line));
        }
    }
}
