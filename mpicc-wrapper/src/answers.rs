//! The questions a wrapper answers instead of compiling: those of SMPI, MPICH (`-show`, `-compile-info`) and Open MPI
//! (`--showme:…`), because build systems (CMake's FindMPI, autoconf macros) ask them.

use crate::classify::{Additions, OLD_FORTRAN, include_words, link_words};
use crate::compiler::Compiler;
use crate::language::Language;
use crate::tree::Tree;
use std::ffi::OsString;

/// A question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// The whole command that would run.
    Show,
    /// The command that compiles, without files.
    CompileInfo,
    /// The command that links, without files.
    LinkInfo,
    /// The options for compiling only.
    Compile,
    /// The options for linking only.
    Link,
    /// Directories of headers.
    IncludeDirectories,
    /// Directories of libraries.
    LibraryDirectories,
    /// Libraries.
    Libraries,
    /// The compiler's name.
    Command,
    /// The wrapper's version.
    Version,
    /// The wrapper's help.
    Help,
}

fn question(word: &str) -> Option<Question> {
    Some(match word {
        "-show" | "--show" | "-showme" | "--showme" => Question::Show,
        "-compile-info" | "-compile_info" => Question::CompileInfo,
        "-link-info" | "-link_info" => Question::LinkInfo,
        "-showme:compile" | "--showme:compile" => Question::Compile,
        "-showme:link" | "--showme:link" => Question::Link,
        "-showme:incdirs" | "--showme:incdirs" => Question::IncludeDirectories,
        "-showme:libdirs" | "--showme:libdirs" => Question::LibraryDirectories,
        "-showme:libs" | "--showme:libs" => Question::Libraries,
        "-showme:command" | "--showme:command" => Question::Command,
        "-version" | "-git-version" | "-showme:version" | "--showme:version" => Question::Version,
        "-help" | "-showme:help" | "--showme:help" => Question::Help,
        _ => return None,
    })
}

/// True for a command line without files that only says how files shall be compiled. Others ask the compiler something
/// (`-v`, `-dumpmachine`, `-Wl,--version`), and get its answer.
pub fn is_unfinished(words: &[OsString]) -> bool {
    const OPTIONS: [&str; 15] =
        ["-O", "-g", "-I", "-L", "-l", "-D", "-U", "-std=", "-f", "-m", "-c", "-S", "-o", "-W", "-pthread"];
    let says_how = |word: &str| {
        let for_tools = ["-Wl,", "-Wp,", "-Wa,"].iter().any(|prefix| word.starts_with(prefix));
        !for_tools && (!word.starts_with('-') || OPTIONS.iter().any(|option| word.starts_with(option)))
    };
    words.iter().all(|word| word.to_str().is_some_and(says_how))
}

/// Takes the question (the last one given) and options of SMPI's wrappers without effect here out of a command line.
pub fn extract(words: Vec<OsString>) -> (Option<Question>, Vec<OsString>) {
    let mut asked = None;
    let mut rest = Vec::new();
    for word in words {
        match word.to_str() {
            Some(text) if question(text).is_some() => asked = question(text),
            // SMPI: record call sites at compile time. Here they come from the line tables.
            Some("-trace-call-location") => {}
            Some("-compiler-version") => rest.push("--version".into()),
            _ => rest.push(word),
        }
    }
    (asked, rest)
}

/// The one-line answer.
pub fn answer(
    question: Question,
    compiler: &Compiler,
    words: &[OsString],
    additions: &Additions,
    instrumentation: &[OsString],
    tree: &Tree,
) -> String {
    let mut compile = vec![OsString::from("-fPIE")];
    compile.extend(instrumentation.iter().cloned());
    if compiler.language == Language::Fortran {
        compile.extend(OLD_FORTRAN.map(OsString::from));
    }
    compile.extend(include_words(tree));
    let link = [vec![OsString::from("-pie")], link_words(tree)].concat();
    let command: Vec<OsString> = compiler.words.iter().map(OsString::from).collect();
    match question {
        Question::Show => line(&[command, additions.command_line(words)].concat()),
        Question::CompileInfo => line(&[command, compile].concat()),
        Question::LinkInfo => line(&[command, link].concat()),
        Question::Compile => line(&compile),
        Question::Link => line(&link),
        Question::IncludeDirectories => {
            let directories = std::iter::once(&tree.include).chain(&tree.modules);
            directories.map(|directory| directory.display().to_string()).collect::<Vec<_>>().join(" ")
        }
        Question::LibraryDirectories => tree.library.display().to_string(),
        Question::Libraries => "mpi_abi".into(),
        Question::Command => line(&command),
        Question::Version | Question::Help => String::new(),
    }
}

/// Words as one line that a shell reads back as the same words.
fn line(words: &[OsString]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./,:%@~".contains(c);
    let quoted = words.iter().map(|word| {
        let text = word.to_string_lossy();
        if !text.is_empty() && text.chars().all(plain) {
            text.into_owned()
        } else {
            format!("'{}'", text.replace('\'', r"'\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// The text of `-version`. The second line makes programs that look for a compiler's version find it.
pub fn version(language: Language, compiler: &Compiler) -> String {
    format!("{} (libsmpi) {}\nCompiler: {}\n", language.wrapper(), env!("CARGO_PKG_VERSION"), compiler.words.join(" "))
}

/// The text of `-help`.
pub fn help(language: Language) -> String {
    let (name, file, variable) = match language {
        Language::C => ("smpicc", "ring.c", "SMPI_CC"),
        Language::Cxx => ("smpicxx", "ring.cpp", "SMPI_CXX"),
        Language::Fortran => ("smpif90", "ring.f90", "SMPI_FC"),
    };
    format!(
        "\
Usage: {name} [options of the compiler] files

Compiles and links MPI programs for smpirun; the result also runs directly, as one rank.
Every option is passed to the compiler; --help, --version and -v are answered by it.

  -show [...]        print the command that would run
  -showme:compile, -showme:link, -showme:incdirs, -showme:libdirs, -showme:libs
                     print the options that the wrapper adds
  -compile-info, -link-info
                     print the commands to compile and to link
  --verify           let smpirun --verify see every access to memory: buffers that
                     are used too early are found with the line that does it
  -cc=NAME, -cxx=NAME, -fc=NAME
                     use this compiler (also: environment {variable})
  -version           print the version of libsmpi

Example: {name} -O2 {file} -o ring && smpirun -np 4 ./ring
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_taken_out() {
        let words = ["-O2", "--showme:link", "-trace-call-location", "a.c"].map(OsString::from).to_vec();
        let (asked, rest) = extract(words);
        assert_eq!(asked, Some(Question::Link));
        assert_eq!(rest, ["-O2", "a.c"]);
    }

    #[test]
    fn lines_are_quoted_for_the_shell() {
        assert_eq!(line(&["-DX=\"a b\"".into(), "it's".into(), "-O2".into()]), r#"'-DX="a b"' 'it'\''s' -O2"#);
    }
}
