//! The compiler wrappers `smpicc`, `smpicxx` and `smpif90`: the user's command line plus ours, given to the real
//! compiler.
//!
//! A wrapper does not understand compilers: it recognises the few options that decide what to add (is this a link? a
//! shared library? debug information wanted?) and passes every other word through in its place. What it adds at compile
//! time comes first, so that the user's own options win; libraries come last. What is added and why:
//!
//! | added | when | why |
//! |---|---|---|
//! | `-fPIE`, `-pie` | unless `-shared`, `-fPIC`, … | a rank's image is mapped at its own address |
//! | `-g1` | no `-g…` given | crash reports name source lines; costs no speed |
//! | `-ftrivial-auto-var-init=zero` | the compiler knows it | uninitialised locals are the same in every run |
//! | `-ftrivial-auto-var-init=pattern` | `--verify`, the compiler is gcc and knows it | those never written are known |
//! | `-fsanitize=thread`, not for the linker | `--verify` | libsmpi sees the program's memory accesses |
//! | `-fallow-argument-mismatch`, `-fallow-invalid-boz` | Fortran | old sources, as with other MPI wrappers |
//! | `-I…/include` | always | `mpi.h`, `mpif.h` |
//! | `-I…/fortran-modules/KEY` | Fortran | the modules `mpi` and `mpi_f08`, compiled on first use |
//! | `-L…/lib -lmpi_abi -Wl,-rpath,…/lib` | linking | the library of the MPI standard ABI |
#![forbid(unsafe_code)]
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod answers;
mod classify;
mod compiler;
mod fortran;
mod language;
mod response;
mod tree;

use answers::Question;
pub use language::Language;
use smpi_base::{eprintln, print};
use std::process::ExitCode;

/// Runs the wrapper on this process's arguments: answers a question, or becomes the compiler.
pub fn run(language: Language) -> ExitCode {
    match outcome(language) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{}: error: {message}", language.wrapper());
            ExitCode::from(2)
        }
    }
}

fn outcome(language: Language) -> Result<(), String> {
    let words: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    let (question, words) = answers::extract(words);
    let compiler = compiler::choose(language, &words)?;
    let words: Vec<_> = words.into_iter().filter(|word| !compiler::is_choice(word)).collect();
    let mut request = classify::classify(&words);
    let words: Vec<_> = words.into_iter().filter(|word| !classify::is_verify(word)).collect();
    match question {
        Some(Question::Version) => return print::answer(&answers::version(language, &compiler)),
        Some(Question::Help) => return print::answer(&answers::help(language)),
        // `-show` without files: everything a build system has to know to do without the wrapper.
        Some(_) if !request.has_input => {
            request.has_input = true;
            request.has_source = true;
            request.has_fortran = language == Language::Fortran;
        }
        None if !request.has_input && answers::is_unfinished(&words) => {
            let name = language.wrapper();
            return Err(format!(
                "no input files; expected for example: {name} -O2 {} -o program (see {name} -help)",
                language.example()
            ));
        }
        None if !request.has_input => return Err(compiler.become_it(words)),
        _ => {}
    }
    if let Some(refusal) = request.refusal() {
        return Err(refusal);
    }
    let mut tree = tree::find()?;
    let mut initialises = true;
    if language == Language::Fortran {
        let fortran = fortran::Fortran::ask(&compiler)?;
        if question.is_some() || (request.has_fortran && !request.preprocesses_only) {
            tree.modules = fortran.modules(&compiler, &tree)?;
        }
    } else {
        initialises = question.is_some() || compiler.knows_auto_var_init();
    }
    let instrumentation = if request.verify { compiler.instrumentation(&tree) } else { Vec::new() };
    let abilities = classify::Abilities { auto_var_init: initialises, instrumentation };
    let additions = classify::additions(&request, &tree, &abilities);
    if let Some(question) = question {
        let answer = answers::answer(question, &compiler, &words, &additions, &abilities.instrumentation, &tree);
        return print::answer(&format!("{answer}\n"));
    }
    for warning in &additions.warnings {
        eprintln!("{}: warning: {warning}", language.wrapper());
    }
    tree.complete(request.links())?;
    Err(compiler.become_it(additions.command_line(&words)))
}
