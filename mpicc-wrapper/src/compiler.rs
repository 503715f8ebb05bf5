//! Chooses the real compiler and finds out the one thing about it that matters.

use crate::Language;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// The real compiler: a program and words that always follow it (`SMPI_CC="ccache gcc"`).
#[derive(Debug, PartialEq)]
pub struct Compiler {
    /// Program and leading words.
    pub words: Vec<String>,
    /// Language the probe is made in.
    language: Language,
}

/// Environment variables that name the compiler, the first set one wins. The others are those of Open MPI and MPICH,
/// so that build scripts written for them work.
fn variables(language: Language) -> [&'static str; 3] {
    match language {
        Language::C => ["SMPI_CC", "OMPI_CC", "MPICH_CC"],
        Language::Cxx => ["SMPI_CXX", "OMPI_CXX", "MPICH_CXX"],
    }
}

/// True for MPICH's options `-cc=…` and `-cxx=…`, which are for the wrapper.
pub fn is_choice(word: &OsStr) -> bool {
    let text = word.to_string_lossy();
    text.starts_with("-cc=") || text.starts_with("-cxx=")
}

/// The compiler that options, environment or `PATH` give, in this order.
pub fn choose(language: Language, words: &[OsString]) -> Result<Compiler, String> {
    let option = words.iter().rev().find(|word| is_choice(word)).map(|word| word.to_string_lossy().into_owned());
    let chosen = option.and_then(|option| option.split_once('=').map(|(_, name)| name.to_string())).or_else(|| {
        variables(language).iter().find_map(|name| std::env::var(name).ok().filter(|v| !v.trim().is_empty()))
    });
    let words: Vec<String> = match chosen {
        Some(command) => command.split_whitespace().map(String::from).collect(),
        None => vec![default(language)?],
    };
    let Some(program) = words.first() else { return Err("-cc= needs the name of a compiler".into()) };
    let name = Path::new(program).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if ["smpicc", "smpicxx", "smpic++"].contains(&name.as_str()) {
        return Err(format!("{program} is this wrapper itself; expected a real compiler such as gcc or clang"));
    }
    Ok(Compiler { words, language })
}

fn default(language: Language) -> Result<String, String> {
    let (candidates, package, variable) = match language {
        Language::C => (["gcc", "cc", "clang"], "gcc", "SMPI_CC"),
        Language::Cxx => (["g++", "c++", "clang++"], "g++", "SMPI_CXX"),
    };
    let path = std::env::var("PATH").unwrap_or_default();
    let present = |name: &&str| path.split(':').any(|directory| Path::new(directory).join(name).is_file());
    candidates.iter().find(|name| present(name)).map(|name| name.to_string()).ok_or_else(|| {
        format!("no compiler found in PATH ({}); install {package} or set {variable}", candidates.join(", "))
    })
}

impl Compiler {
    /// Whether the compiler takes `-ftrivial-auto-var-init=zero` (gcc 12, clang 16). Asked rather than looked up by
    /// version, because `cc` may be anything.
    pub fn knows_auto_var_init(&self) -> bool {
        let language = if self.language == Language::C { "c" } else { "c++" };
        let probe = ["-ftrivial-auto-var-init=zero", "-Werror", "-E", "-x", language, "/dev/null"];
        let status = self.command().args(probe).stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    }

    /// Replaces this process by the compiler; returns what went wrong.
    pub fn become_it(&self, words: Vec<OsString>) -> String {
        let error = self.command().args(words).exec();
        format!("cannot run the compiler {}: {error}", self.words[0])
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_choose_the_compiler() {
        let words = [OsString::from("-cc=ccache clang"), OsString::from("a.c")];
        assert_eq!(choose(Language::C, &words).unwrap().words, ["ccache", "clang"]);
        assert!(choose(Language::C, &["-cc=/x/smpicc".into()]).unwrap_err().contains("wrapper itself"));
        assert!(choose(Language::C, &["-cc=".into()]).is_err());
    }
}
