//! Directives: what a test program says about itself in its comments.
//!
//! The list with explanations is in `tests/tests/programs.rs`. An unknown directive or a bad value is an error, so that
//! a slip does not silently weaken a test.

use crate::verification::{Counted, Verification};

/// In which order stdout is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StdoutOrder {
    /// As a sorted multiset of lines: ranks may be interleaved.
    Any,
    /// Line by line.
    Exact,
}

/// A second program of the same run (`smpirun -np 2 ./this : -np 4 ./other`).
#[derive(Clone, Debug, PartialEq)]
pub struct Companion {
    /// Source file, relative to the test program's directory.
    pub source: String,
    /// Its number of ranks.
    pub ranks: u32,
    /// Its arguments.
    pub args: Vec<String>,
}

/// The programs that tests may require: `cargo xtask setup` installs them.
const PROGRAMS: [&str; 8] = ["gfortran", "cmake", "meson", "ninja", "autoreconf", "libtoolize", "make", "cargo"];

/// What the test may not be run without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// This program in `PATH`, one of [`PROGRAMS`].
    Program(String),
    /// Our library: the program uses `smpi/smpi.h` or what other MPI implementations do not have.
    Smpi,
}

/// Expected simulated time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpectedTime {
    /// Seconds.
    pub secs: f64,
    /// Largest relative deviation.
    pub tolerance: f64,
}

/// All directives of a program, with defaults filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct Directives {
    /// Number of ranks.
    pub ranks: u32,
    /// Arguments of the program.
    pub args: Vec<String>,
    /// Platform by name or path; `None`: no `-platform` option.
    pub platform: Option<String>,
    /// More options of `smpirun`.
    pub smpirun_args: Vec<String>,
    /// More options of the compiler.
    pub compile_args: Vec<String>,
    /// Language standard (`c99`, `c++17`, …).
    pub standard: Option<String>,
    /// More sources of the same program, relative to its directory.
    pub sources: Vec<String>,
    /// A shared library to link with, made of these sources.
    pub library: Vec<String>,
    /// That library is built by the C compiler, not by our wrapper.
    pub plain_library: bool,
    /// More programs of the same run.
    pub companions: Vec<Companion>,
    /// Environment variables of the run.
    pub environment: Vec<(String, String)>,
    /// Run the program itself rather than `smpirun`: a one-rank job.
    pub direct: bool,
    /// Expected exit code; `None`: 0, or that of a verification with findings.
    pub exit: Option<i32>,
    /// Expected lines of stdout; not checked when empty.
    pub stdout: Vec<String>,
    /// How they are compared.
    pub stdout_order: StdoutOrder,
    /// Rank 0 prints a line `PASS…` and no rank prints a line `FAIL…`.
    pub pass: bool,
    /// Texts that stderr must contain.
    pub stderr_contains: Vec<String>,
    /// Expected simulated time.
    pub time: Option<ExpectedTime>,
    /// Verify instead of simulating, and what this must show.
    pub verification: Option<Verification>,
    /// Run twice and compare all bytes.
    pub twice: bool,
    /// Run again with everything the host may order differently shuffled, and compare all bytes.
    pub shuffled: bool,
    /// Findings that a verification of a program may have that is right where it is simulated.
    pub verified: Vec<String>,
    /// What the test needs.
    pub requires: Vec<Requirement>,
    /// Seconds after which the program is ended and the test fails.
    pub timeout_secs: u64,
}

impl Directives {
    /// The exit code that is expected.
    pub fn expected_exit(&self) -> i32 {
        self.exit.or(self.verification.as_ref().map(Verification::exit)).unwrap_or(0)
    }
}

impl Default for Directives {
    fn default() -> Directives {
        Directives {
            ranks: 1,
            args: Vec::new(),
            platform: Some("gigabit-64".into()),
            smpirun_args: Vec::new(),
            compile_args: Vec::new(),
            standard: None,
            sources: Vec::new(),
            library: Vec::new(),
            plain_library: false,
            companions: Vec::new(),
            environment: Vec::new(),
            direct: false,
            exit: None,
            stdout: Vec::new(),
            stdout_order: StdoutOrder::Any,
            pass: false,
            stderr_contains: Vec::new(),
            time: None,
            verification: None,
            twice: false,
            shuffled: false,
            verified: Vec::new(),
            requires: Vec::new(),
            timeout_secs: 60,
        }
    }
}

/// Reads the directives of a program text. The error names the line.
pub fn parse(text: &str) -> Result<Directives, String> {
    let mut directives = Directives::default();
    let mut checks_something = false;
    for (index, line) in text.lines().enumerate() {
        let Some(directive) = directive_of(line) else { continue };
        let (key, value) = directive.split_once(char::is_whitespace).unwrap_or((directive, ""));
        apply(&mut directives, key, value.trim()).map_err(|e| format!("line {}: {e}", index + 1))?;
        checks_something |= key.starts_with("expect-") || key == "twice" || key == "shuffled";
    }
    if directives.verification.as_ref().is_some_and(|expected| !expected.passes.is_empty() && !expected.clean) {
        return Err("`passes` is for programs with `expect-no-finding`".into());
    }
    if !checks_something {
        return Err("no directive says what to expect; add `smpi: expect-pass`, `expect-stdout`, …".into());
    }
    Ok(directives)
}

/// The text after `smpi:` when the line is a comment (`//`, `/* */`, ` *`, `!`, `#`) that begins with it.
fn directive_of(line: &str) -> Option<&str> {
    let text = line.trim_start().trim_start_matches(['/', '*', '!', '#']).trim_start();
    if text.len() == line.trim_start().len() {
        return None;
    }
    let directive = text.strip_prefix("smpi:")?.trim_end();
    Some(directive.strip_suffix("*/").unwrap_or(directive).trim())
}

fn apply(directives: &mut Directives, key: &str, value: &str) -> Result<(), String> {
    let words = || value.split_whitespace().map(String::from);
    match key {
        "ranks" => directives.ranks = number(key, value)?,
        "args" => directives.args.extend(words()),
        "platform" if value == "none" => directives.platform = None,
        "platform" => directives.platform = Some(text(key, value)?),
        "smpirun-args" => directives.smpirun_args.extend(words()),
        "compile-args" => directives.compile_args.extend(words()),
        "std" => directives.standard = Some(text(key, value)?),
        "sources" => directives.sources.extend(words()),
        "library" => directives.library.extend(words()),
        "plain-library" => directives.plain_library = flag(key, value)?,
        "and-program" => directives.companions.push(companion(value)?),
        "env" => {
            let (name, content) = value.split_once('=').ok_or("`env` needs NAME=VALUE")?;
            directives.environment.push((name.into(), content.into()));
        }
        "direct" => directives.direct = flag(key, value)?,
        "expect-exit" => directives.exit = Some(number(key, value)?),
        "expect-stdout" => directives.stdout.push(value.to_string()),
        "stdout-order" if value == "exact" => directives.stdout_order = StdoutOrder::Exact,
        "stdout-order" => return Err(format!("`stdout-order {value}`: only `exact` is known")),
        "expect-pass" => directives.pass = flag(key, value)?,
        "expect-stderr-contains" => directives.stderr_contains.push(text(key, value)?),
        "expect-time" => directives.time = Some(time(value)?),
        "verify" => verification(directives).options.extend(words()),
        "expect-finding" => {
            verification(directives).findings.insert(text(key, value)?);
        }
        "expect-faults" => verification(directives).faults.extend(counts(key, value)?),
        "expect-guises" => verification(directives).guises.extend(counts(key, value)?),
        "expect-beside" => verification(directives).besides.push(text(key, value)?),
        "expect-explanation" => verification(directives).explanations.push(text(key, value)?),
        "expect-help" => verification(directives).helps.push(text(key, value)?),
        "expect-no-finding" => verification(directives).clean = flag(key, value)?,
        "passes" => verification(directives).passes.extend(words()),
        "expect-unrepeated" => verification(directives).unrepeated = flag(key, value)?,
        "expect-incomplete" => verification(directives).incomplete = flag(key, value)?,
        "nowhere" => verification(directives).nowhere = flag(key, value)?,
        "expect-occurrences" => verification(directives).occurrences = Some(number(key, value)?),
        "expect-complete" => verification(directives).complete = flag(key, value)?,
        "expect-executions" => verification(directives).expect(Counted::Executions, key, value)?,
        "expect-states" => verification(directives).expect(Counted::States, key, value)?,
        "expect-transitions" => verification(directives).expect(Counted::Transitions, key, value)?,
        "reductions" => verification(directives).expect_reductions(value)?,
        "twice" => directives.twice = flag(key, value)?,
        "shuffled" => directives.shuffled = flag(key, value)?,
        "verified" => directives.verified.extend(words()),
        "requires" => {
            for word in words() {
                directives.requires.push(requirement(word)?);
            }
        }
        "timeout" => directives.timeout_secs = number(key, value)?,
        _ => return Err(format!("unknown directive `{key}`; they are listed in tests/tests/programs.rs")),
    }
    Ok(())
}

fn requirement(word: String) -> Result<Requirement, String> {
    match word.as_str() {
        "smpi" => Ok(Requirement::Smpi),
        name if PROGRAMS.contains(&name) => Ok(Requirement::Program(word)),
        _ => Err(format!("`requires {word}`: expected smpi, {}", PROGRAMS.join(", "))),
    }
}

/// Directives about a verification imply one.
fn verification(directives: &mut Directives) -> &mut Verification {
    directives.verification.get_or_insert_default()
}

/// `KEY=NUMBER` for each key.
fn counts(key: &str, value: &str) -> Result<Vec<(String, u64)>, String> {
    let wrong = || format!("`{key} {value}`: expected KEY=NUMBER, for example deadlock=2");
    let one = |word: &str| {
        let (name, count) = word.rsplit_once('=').ok_or_else(wrong)?;
        Ok((name.to_string(), count.parse().map_err(|_| wrong())?))
    };
    let counts: Vec<(String, u64)> = value.split_whitespace().map(one).collect::<Result<_, String>>()?;
    if counts.is_empty() { Err(wrong()) } else { Ok(counts) }
}

fn number<T: std::str::FromStr>(key: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("`{key} {value}`: expected a number"))
}

fn text(key: &str, value: &str) -> Result<String, String> {
    if value.is_empty() { Err(format!("`{key}` needs a value")) } else { Ok(value.to_string()) }
}

fn flag(key: &str, value: &str) -> Result<bool, String> {
    if value.is_empty() { Ok(true) } else { Err(format!("`{key}` takes no value, got `{value}`")) }
}

fn companion(value: &str) -> Result<Companion, String> {
    let mut words = value.split_whitespace().map(String::from);
    let (Some(source), Some(ranks)) = (words.next(), words.next()) else {
        return Err("`and-program` needs SOURCE RANKS [ARGUMENTS]".into());
    };
    Ok(Companion { source, ranks: number("and-program", &ranks)?, args: words.collect() })
}

fn time(value: &str) -> Result<ExpectedTime, String> {
    let words: Vec<&str> = value.split_whitespace().collect();
    let (secs, tolerance) = match words[..] {
        [secs] => (secs, "1e-9"),
        [secs, "tolerance", tolerance] => (secs, tolerance),
        _ => return Err("`expect-time` needs SECONDS [tolerance RELATIVE]".into()),
    };
    Ok(ExpectedTime { secs: number("expect-time", secs)?, tolerance: number("expect-time", tolerance)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_of_all_kinds() {
        let text = "/* smpi: ranks 3 */\n// smpi: args a b\n * smpi: expect-exit 2\n! smpi: requires gfortran\nint x; // smpi: ranks 9\n";
        let directives = parse(text).unwrap();
        assert_eq!(directives.ranks, 3);
        assert_eq!(directives.args, ["a", "b"]);
        assert_eq!(directives.expected_exit(), 2);
        assert_eq!(directives.requires, [Requirement::Program("gfortran".into())]);
    }

    #[test]
    fn expectations() {
        let text = "// smpi: expect-stdout rank 0 of 2\n// smpi: stdout-order exact\n// smpi: expect-time 0.5 tolerance 0.01\n\
                    // smpi: twice\n// smpi: and-program parts/b.c 4 x\n// smpi: platform none\n";
        let directives = parse(text).unwrap();
        assert_eq!(directives.stdout, ["rank 0 of 2"]);
        assert_eq!(directives.stdout_order, StdoutOrder::Exact);
        assert_eq!(directives.time, Some(ExpectedTime { secs: 0.5, tolerance: 0.01 }));
        assert!(directives.twice);
        assert_eq!(directives.companions[0].ranks, 4);
        assert_eq!(directives.platform, None);
    }

    #[test]
    fn slips_are_errors() {
        for (text, message) in [
            ("// smpi: rank 2\n", "line 1: unknown directive `rank`"),
            ("\n// smpi: ranks two\n", "line 2: `ranks two`"),
            ("// smpi: expect-pass yes\n", "takes no value"),
            ("// smpi: expect-faults deadlock\n", "expected KEY=NUMBER"),
            ("// smpi: requires python\n", "expected smpi, gfortran"),
            ("// smpi: ranks 2\n", "says what to expect"),
        ] {
            assert!(parse(text).unwrap_err().contains(message), "{text}");
        }
    }
}
