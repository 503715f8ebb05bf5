//! Cuts a command line into options, programs and their arguments, and brings options to one spelling.
//!
//! SMPI's options have one dash (`-platform f`), clap's long options two. Here `-platform f`, `--platform f`,
//! `-platform=f` all become `--platform=f`. Which options take a value is asked from the clap definition, so that there
//! is one list; options of other launchers are in [`crate::launchers`]. Options end at the first word without a dash:
//! the program. `:` starts the next program.

use crate::failure::Failure;
use crate::launchers::{self, Translated};
use clap::{ArgAction, Command};

/// One program of the command line (`-np 2 ./a x : …`).
#[derive(Debug, Default, PartialEq)]
pub struct Section {
    /// Options before the program as `--name` or `--name=value`.
    pub options: Vec<String>,
    /// The program; `None` when the section has options only.
    pub program: Option<String>,
    /// Arguments of the program.
    pub args: Vec<String>,
    /// `--cfg=…` and `--log=…` found after the program: SMPI takes them from anywhere.
    pub late_options: Vec<String>,
    /// Environment variables of the ranks, from options of other launchers.
    pub variables: Vec<(String, String)>,
    /// What the user is told about options that have no meaning here.
    pub notes: Vec<String>,
}

/// Cuts the words after `smpirun` into one section per program.
pub fn sections(words: &[String], command: &Command) -> Result<Vec<Section>, Failure> {
    words.split(|word| word == ":").map(|part| section(part, command)).collect()
}

fn section(words: &[String], command: &Command) -> Result<Section, Failure> {
    let mut section = Section::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == "--" {
            section.program = words.next().cloned();
            break;
        }
        if !word.starts_with('-') || word == "-" {
            section.program = Some(word.clone());
            break;
        }
        let (name, value) = match word.trim_start_matches('-').split_once('=') {
            Some((name, value)) => (name, Some(value.to_string())),
            None => (word.trim_start_matches('-'), None),
        };
        if let Some(foreign) = launchers::find(name) {
            let values = values(word, value, foreign.values, &mut words)?;
            section.take(foreign.translate(word, &values)?);
            continue;
        }
        let value = match (value, takes_value(command, name)) {
            (None, Some(true)) => values(word, None, 1, &mut words)?.pop(),
            (value, _) => value,
        };
        section.options.push(match value {
            Some(value) => format!("--{name}={value}"),
            None => format!("--{name}"),
        });
    }
    for arg in words {
        if arg.starts_with("--cfg=") || arg.starts_with("--log=") {
            section.late_options.push(arg.clone());
        } else {
            section.args.push(arg.clone());
        }
    }
    Ok(section)
}

impl Section {
    /// Notes what an option of another launcher becomes.
    fn take(&mut self, translated: Translated) {
        match translated {
            Translated::Option(option) => self.options.push(option),
            Translated::Variable(name, value) => self.variables.push((name, value)),
            Translated::Note(text) => self.notes.push(text),
            Translated::Nothing => {}
        }
    }
}

/// The values of an option: what stands behind its `=`, and the next words.
fn values<'a>(
    word: &str,
    value: Option<String>,
    count: usize,
    words: &mut impl Iterator<Item = &'a String>,
) -> Result<Vec<String>, Failure> {
    let mut values: Vec<String> = value.into_iter().collect();
    while values.len() < count {
        let next = words.next().ok_or_else(|| Failure::Refused(format!("{word} needs a value")))?;
        values.push(next.clone());
    }
    Ok(values)
}

/// Whether the option of this name takes a value; `None` when there is no such option.
fn takes_value(command: &Command, name: &str) -> Option<bool> {
    Some(matches!(find(command, name)?.get_action(), ArgAction::Set | ArgAction::Append))
}

/// The option of this name, or with this alias.
fn find<'a>(command: &'a Command, name: &str) -> Option<&'a clap::Arg> {
    let named = |arg: &&clap::Arg| {
        arg.get_long() == Some(name) || arg.get_all_aliases().is_some_and(|aliases| aliases.contains(&name))
    };
    command.get_arguments().find(named)
}

/// The name that the definition of options has for one of a section, `np` for `--n=4`; `None` when there is no such
/// option.
pub fn name_of<'a>(option: &str, command: &'a Command) -> Option<&'a str> {
    let name = option.trim_start_matches('-').split('=').next()?;
    find(command, name)?.get_long()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn cut(line: &str) -> Result<Vec<Section>, Failure> {
        let words: Vec<String> = line.split_whitespace().map(String::from).collect();
        sections(&words, &crate::options::Options::command())
    }

    #[test]
    fn single_and_double_dashes_are_the_same() {
        for line in ["-platform p -np 4 ./a -x", "--platform=p --np 4 ./a -x", "-platform=p --np=4 -- ./a -x"] {
            let sections = cut(line).unwrap();
            assert_eq!(sections[0].options, ["--platform=p", "--np=4"], "{line}");
            assert_eq!(sections[0].program.as_deref(), Some("./a"));
            assert_eq!(sections[0].args, ["-x"]);
        }
    }

    #[test]
    fn settings_after_the_program_are_ours_and_other_options_are_not() {
        let sections = cut("-np 2 ./a -np 7 --cfg=smpi/os:1 --log=root.thres:info").unwrap();
        assert_eq!(sections[0].args, ["-np", "7"]);
        assert_eq!(sections[0].late_options, ["--cfg=smpi/os:1", "--log=root.thres:info"]);
    }

    #[test]
    fn colons_separate_programs() {
        let sections = cut("-np 2 ./a x : -n 4 ./b y").unwrap();
        assert_eq!(sections.len(), 2);
        assert_eq!(sections[1].options, ["--n=4"]);
        assert_eq!(sections[1].args, ["y"]);
    }

    #[test]
    fn missing_values_and_missing_features_are_refused() {
        assert!(matches!(cut("-np"), Err(Failure::Refused(m)) if m.contains("-np needs a value")));
        assert!(matches!(cut("-analyze ./a"), Err(Failure::Refused(m)) if m.contains("-analyze")));
        assert_eq!(cut("-tmpdir /x -foreground ./a").unwrap()[0].options, [""; 0]);
    }

    #[test]
    fn options_of_other_launchers() {
        let sections =
            cut("-c 4 --map-by node -x A=1 -x B -genv C 2 --bind-to core -mca a b --oversubscribe ./a -x D=1");
        let section = &sections.unwrap()[0];
        assert_eq!(section.options, ["--np=4", "--ppn=1"]);
        let variables: Vec<_> = section.variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(variables, ["A=1", "C=2"]);
        assert_eq!(section.notes.len(), 2, "{:?}", section.notes);
        assert_eq!(section.args, ["-x", "D=1"]);
        assert!(matches!(cut("-genv A"), Err(Failure::Refused(m)) if m.contains("-genv needs a value")));
        assert!(matches!(cut("--rankfile f ./a"), Err(Failure::Refused(m)) if m.contains("--rankfile")));
    }
}
