//! `cargo xtask`: the chores of the project, so that two commands do everything on a fresh machine.
//!
//! Each subcommand is one module. Nothing here is part of the library.
#![forbid(unsafe_code)]

mod bench;
mod campaign;
mod circles;
mod codegen;
mod codegen_calls;
mod codegen_chapters;
mod codegen_fortran;
mod codegen_fortran_modules;
mod codegen_fortran_rust;
mod codegen_functions;
mod codegen_header;
mod codegen_model;
mod codegen_rust;
mod codegen_settings;
mod compare;
mod compare_mpich;
mod coverage;
mod coverage_mutants;
mod coverage_tool;
mod demo;
mod functions;
mod install;
mod laws;
mod man;
mod measure;
mod pages;
mod setup;
mod shell;
mod suite;
mod test;
mod tidy;

use std::process::ExitCode;

const HELP: &str = "\
Usage: cargo xtask COMMAND

  demo                  build, predict a benchmark on two clusters, explain the output
  test [STEP...]        everything CI runs, or some steps (--list names them)
  setup                 find what is missing on this machine and install it where allowed
  install --prefix DIR  build and install a relocatable tree
  compare [--record] [FILTER...]
                        simulated times beside those of SimGrid's SMPI, where it is installed
  compare --mpich [--abi PREFIX] [FILTER...]
                        results of the test programs beside those of MPICH, where it is installed; of one with the
                        standard ABI (bin/mpiexec, lib/libmpi_abi.so.1) for the same executables
  campaign [--minutes N] [--seed S] [WHAT...]
                        every random test and every crossing of features, in turns, from new seeds, for as long as one
                        has (--list names them, --log sums up all runs)
  bench [NAME...]       CPU time of large runs against the targets (--list names them)
  bench laws [NAME...]  how user seconds grow with the size of a problem (--list names the laws)
  coverage [--check] [FUNCTION...]
                        which test programs check a result of which MPI function: docs/coverage.md
  codegen [--check]     regenerate the MPI interfaces (C, Fortran) from libsmpi/abi
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = match words.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("help", &[][..]),
    };
    let result = match command {
        "campaign" => campaign::run(rest),
        "codegen" => return codegen::run(rest),
        "demo" => no_arguments(rest).and_then(|()| demo::run()),
        "test" => test::run(rest),
        "setup" => no_arguments(rest).and_then(|()| setup::run()),
        "install" => install::run(rest),
        "compare" if rest.first().is_some_and(|word| word == "--mpich") => compare_mpich::run(&rest[1..]),
        "compare" => compare::run(rest),
        "coverage" => coverage::run(rest),
        "bench" if rest.first().is_some_and(|word| word == "laws") => laws::run(&rest[1..]),
        "bench" => bench::run(rest),
        measure::COMMAND => measure::run(rest),
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(())
        }
        _ => Err(format!("unknown command `{command}`\n\n{HELP}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {}", message.trim_end());
            ExitCode::FAILURE
        }
    }
}

fn no_arguments(words: &[String]) -> Result<(), String> {
    match words.first() {
        None => Ok(()),
        Some(word) => Err(format!("unexpected argument `{word}`")),
    }
}
