//! `cargo xtask codegen [--check] [--signatures PATTERN]`: writes everything that follows from `libsmpi/abi/*.csv`.
//!
//! From the data come `libsmpi/crates/abi/src/c/constants.rs` and `libsmpi/src/abi/generated/*.rs` (one exported
//! wrapper for each `MPI_` and `PMPI_` name), and the enumeration of all functions in `libsmpi/crates/abi`; from those
//! Rust declarations cbindgen makes `include/mpi.h`. The manual's table of settings is made of theirs
//! (`smpi-settings`). All results are committed, so that a plain `cargo build` generates nothing. `--check` writes
//! nothing and fails if a committed file is stale. Functions are implemented in `libsmpi/crates/api/src/functions`,
//! which is scanned for their names, or by a row of `calls.csv`; one that has neither is an error.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::codegen_calls::Implementations;
use crate::codegen_fortran;
use crate::codegen_fortran_modules;
use crate::codegen_fortran_rust;
use crate::codegen_functions;
use crate::codegen_header;
use crate::codegen_model::{Abi, rust_files};
use crate::codegen_rust;
use crate::codegen_settings;

/// Runs the subcommand; `args` are the words after `codegen`.
///
/// Exit code 0 when the files are (now) fresh, 1 when `--check` found stale ones, 2 for a refused command line or data.
pub fn run(args: &[String]) -> ExitCode {
    match Command::parse(args).and_then(execute) {
        Ok(code) => code,
        Err(message) => {
            eprintln!("xtask codegen: {message}");
            ExitCode::from(2)
        }
    }
}

enum Command {
    Write,
    Check,
    Signatures(String),
}

impl Command {
    fn parse(args: &[String]) -> Result<Command, String> {
        let words: Vec<&str> = args.iter().map(String::as_str).collect();
        match words.as_slice() {
            [] => Ok(Command::Write),
            ["--check"] => Ok(Command::Check),
            ["--signatures"] => Ok(Command::Signatures(String::new())),
            ["--signatures", pattern] => Ok(Command::Signatures((*pattern).to_owned())),
            _ => Err(format!(
                "unknown arguments {}; expected nothing, --check or --signatures [PATTERN]",
                words.join(" ")
            )),
        }
    }
}

fn execute(command: Command) -> Result<ExitCode, String> {
    let root = repository_root();
    let abi = Abi::read(&root.join("libsmpi/abi"))?;
    if let Command::Signatures(pattern) = &command {
        print!("{}", codegen_rust::signatures(&abi, pattern));
        return Ok(ExitCode::SUCCESS);
    }
    let implemented = Implementations::read(&root, &abi)?;
    let write = matches!(command, Command::Write);
    let mut files = codegen_rust::files(&abi, &implemented)?;
    let functions = codegen_functions::text(&root.join("libsmpi/abi"), &abi)?;
    files.insert(codegen_functions::FILE.to_owned(), functions);
    let procedures = codegen_fortran::procedures(&root.join("libsmpi/abi"), &abi)?;
    files.extend(codegen_fortran_rust::files(&procedures));
    files.extend(codegen_fortran_modules::files(&abi, &procedures)?);
    files.extend(codegen_settings::files(&root)?);
    // cbindgen reads declarations from the disk, so the Rust files must be fresh before the header is made.
    let mut stale = update(&root, &files, write)?;
    if write || stale.is_empty() {
        files = BTreeMap::from([("include/mpi.h".to_owned(), codegen_header::header(&root, &abi)?)]);
        stale.extend(update(&root, &files, write)?);
    }
    if !write && !stale.is_empty() {
        eprintln!("stale: {}; run `cargo xtask codegen` and commit the result", stale.join(", "));
        return Ok(ExitCode::from(1));
    }
    println!("codegen: {} functions; {} files changed", abi.functions.len(), if write { stale.len() } else { 0 });
    Ok(ExitCode::SUCCESS)
}

/// Compares `files` (path below the root → text) with the disk, writes those that differ if `write`, and returns the
/// paths that differed. Generated Rust files that are no longer wanted count as different and are removed.
fn update(root: &Path, files: &BTreeMap<String, String>, write: bool) -> Result<Vec<String>, String> {
    let mut stale = Vec::new();
    for (path, text) in files {
        let full = root.join(path);
        if fs::read_to_string(&full).ok().as_ref() == Some(text) {
            continue;
        }
        stale.push(path.clone());
        if write {
            let parent = full.parent().unwrap_or(root);
            fs::create_dir_all(parent).and_then(|()| fs::write(&full, text)).map_err(|e| format!("{path}: {e}"))?;
        }
    }
    for directory in [codegen_rust::GENERATED_DIR, codegen_fortran_rust::GENERATED_DIR] {
        if !files.keys().any(|path| path.starts_with(directory)) {
            continue;
        }
        for path in rust_files(&root.join(directory))? {
            let relative = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            if !files.contains_key(&relative) {
                if write {
                    fs::remove_file(&path).map_err(|e| format!("{relative}: {e}"))?;
                }
                stale.push(relative);
            }
        }
    }
    Ok(stale)
}

/// The workspace's root: the parent of this package's directory, which cargo tells at run time.
fn repository_root() -> PathBuf {
    let here = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| env!("CARGO_MANIFEST_DIR").to_owned());
    let here = Path::new(&here);
    here.parent().unwrap_or(here).to_owned()
}
