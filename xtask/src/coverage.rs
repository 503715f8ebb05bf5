//! `cargo xtask coverage [--check] [FUNCTION...]`: which test programs check a result of which MPI function.
//!
//! A program checks a function if it passes, and fails when all calls of this function that succeed do nothing instead
//! (`coverage_tool.rs` says what that is, `coverage_mutants.rs` how it is found out). So a program that only calls a
//! function does not count. The result is `docs/coverage.md`. `--check` writes nothing: it repeats what the page
//! claims, and fails if a function of the ABI has no test, or a program no longer notices. With names of functions, the
//! programs that notice are printed, all of them, and those that call the function and do not.

use crate::codegen_chapters::{chapter, chapter_files};
use crate::codegen_model::Abi;
use crate::compare_mpich::in_parallel;
use crate::coverage_mutants::{Mutation, Subject, cases};
use crate::coverage_tool;
use crate::shell::{GREEN, build_release, output, paint, root, write};
use smpi_tests::toolchain::Toolchain;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

const PAGE: &str = "docs/coverage.md";

/// So many programs are listed for a function.
const LISTED: usize = 3;

/// Functions that are broken in another way than the rest, with the reason.
const OTHERWISE: &[(&str, Mutation, &str)] = &[
    ("MPI_Pcontrol", Mutation::Refusing, "it is for tools, and the library has nothing to do (§15.2.4)"),
    ("MPI_File_sync", Mutation::Refusing, "what is written is there for all ranks at once, and the disk tells nobody"),
    ("MPI_Win_sync", Mutation::Refusing, "a window has only one memory, MPI_WIN_UNIFIED (§12.7)"),
    ("MPI_Abi_set_fortran_booleans", Mutation::Never, "what it sets is known when the library is built (§20.5)"),
    ("MPI_Abi_set_fortran_info", Mutation::Never, "what it sets is known when the library is built (§20.5)"),
];

/// For each function the programs that are listed.
type Table = BTreeMap<String, Vec<String>>;

/// The subcommand.
pub fn run(words: &[String]) -> Result<(), String> {
    let abi = Abi::read(&root().join("libsmpi/abi"))?;
    let known = |word: &String| abi.function(word).is_some();
    match words {
        [] => {
            let table = found(&abi)?;
            write(&root().join(PAGE), &page(&abi, &table))?;
            complete(&abi, &table)
        }
        [option] if option == "--check" => check(&abi),
        names if names.iter().all(known) => explain(&abi, names),
        _ => Err(format!("coverage: unknown arguments {}; expected nothing, --check or functions", words.join(" "))),
    }
}

fn mutation(function: &str) -> Mutation {
    let found = OTHERWISE.iter().find(|(name, ..)| *name == function);
    found.map_or(Mutation::Nothing, |(_, mutation, _)| *mutation)
}

/// Builds the library (unless `SMPI_TEST_BIN` says where it is), the tool, and the programs that `wanted` asks for.
fn subjects(abi: &Abi, wanted: impl Fn(&str) -> bool) -> Result<Vec<Mutex<Subject>>, String> {
    let built = match std::env::var_os("SMPI_TEST_BIN") {
        Some(directory) => PathBuf::from(directory),
        None => build_release()?,
    };
    let scratch = crate::shell::target()?.join("coverage");
    let tool = compile_tool(abi, &built, &scratch)?;
    let mut cases = cases(&Toolchain::Smpi { directory: built })?;
    cases.retain(|case| wanted(&case.name));
    let cases: Vec<_> = cases.into_iter().map(|case| Mutex::new(Some(case))).collect();
    let made = in_parallel(&cases, |case| {
        let case = case.lock().map_err(|e| e.to_string())?.take().ok_or("each program is built once")?;
        Subject::new(case, &tool, &scratch)
    });
    let mut subjects = Vec::new();
    for subject in made {
        match subject {
            Ok(subject) => subjects.push(subject),
            Err(message) => eprintln!("coverage: left out: {}", message.trim_end()),
        }
    }
    // Programs that say what is right come first, and then small ones, which are about few functions.
    subjects.sort_by_cached_key(|subject| (!subject.judges(), subject.calls.len(), subject.name().to_owned()));
    Ok(subjects.into_iter().map(Mutex::new).collect())
}

fn compile_tool(abi: &Abi, built: &Path, scratch: &Path) -> Result<PathBuf, String> {
    let (source, tool) = (scratch.join("tool.c"), scratch.join("libtool.so"));
    crate::shell::make_parent(&source)?;
    write(&source, &coverage_tool::source(abi))?;
    output(Command::new(built.join("smpicc")).args(["-shared", "-fPIC", "-O1"]).arg(&source).arg("-o").arg(&tool))?;
    Ok(tool)
}

/// Whether a program notices.
fn notices(subject: &Mutex<Subject>, function: &str) -> Result<bool, String> {
    subject.lock().map_err(|e| e.to_string())?.notices(function, mutation(function))
}

fn name(subject: &Mutex<Subject>) -> String {
    subject.lock().map(|subject| subject.name().to_owned()).unwrap_or_default()
}

/// The table made anew.
fn found(abi: &Abi) -> Result<Table, String> {
    let subjects = subjects(abi, |_| true)?;
    let rows = in_parallel(&abi.functions, |function| {
        let mut programs = Vec::new();
        for subject in &subjects {
            if programs.len() < LISTED && notices(subject, &function.name)? {
                programs.push(name(subject));
            }
        }
        Ok((function.name.clone(), programs))
    });
    rows.into_iter().collect()
}

fn explain(abi: &Abi, functions: &[String]) -> Result<(), String> {
    let subjects = subjects(abi, |_| true)?;
    for function in functions {
        println!("{function}");
        for subject in &subjects {
            let calls = subject.lock().map_err(|e| e.to_string())?.calls.contains_key(function);
            if calls {
                println!(
                    "  {:<40} {}",
                    name(subject),
                    if notices(subject, function)? { "checks it" } else { "calls it" }
                );
            }
        }
    }
    Ok(())
}

/// Fails if a function has no test.
fn complete(abi: &Abi, table: &Table) -> Result<(), String> {
    let tested = |name: &String| table.get(name).is_some_and(|programs| !programs.is_empty());
    let names = abi.functions.iter().map(|function| &function.name);
    let missing: Vec<&str> = names.filter(|name| !tested(name)).map(String::as_str).collect();
    if missing.is_empty() {
        let count = abi.functions.iter().filter(|function| tested(&function.name)).count();
        println!("{:<24} {} of {} functions", "coverage", paint(&count.to_string(), GREEN), abi.functions.len());
        return Ok(());
    }
    Err(format!(
        "no test program checks a result of {} functions: {}\nadd programs to tests/programs, then run `cargo xtask \
         coverage`; `cargo xtask coverage FUNCTION` shows the programs that call a function",
        missing.len(),
        missing.join(" ")
    ))
}

/// Repeats what the page says.
fn check(abi: &Abi) -> Result<(), String> {
    let text = std::fs::read_to_string(root().join(PAGE)).map_err(|e| format!("{PAGE}: {e}"))?;
    let table = table_of(&text);
    if page(abi, &table) != text {
        return Err(format!("{PAGE} is stale; run `cargo xtask coverage` and commit the result"));
    }
    let listed = |program: &str| table.values().flatten().any(|listed| listed == program);
    let subjects = subjects(abi, listed)?;
    let by_name: BTreeMap<String, &Mutex<Subject>> = subjects.iter().map(|subject| (name(subject), subject)).collect();
    let claims: Vec<(&String, &String)> =
        table.iter().flat_map(|(function, programs)| programs.iter().map(move |program| (function, program))).collect();
    let wrong = in_parallel(&claims, |(function, program)| {
        let subject = by_name.get(*program).ok_or_else(|| format!("{program} cannot be run"))?;
        Ok((!notices(subject, function)?).then(|| format!("{program} does not notice that {function} does nothing")))
    });
    let wrong: Vec<String> = wrong.into_iter().collect::<Result<Vec<_>, String>>()?.into_iter().flatten().collect();
    if wrong.is_empty() {
        return complete(abi, &table);
    }
    Err(format!("{PAGE} is stale; run `cargo xtask coverage` and commit the result:\n{}", wrong.join("\n")))
}

/// The table that a page shows.
fn table_of(text: &str) -> Table {
    let row = |line: &str| {
        let mut cells = line.strip_prefix("| `MPI_")?.strip_suffix(" |")?.split("` | ");
        let (function, programs) = (cells.next()?, cells.next()?);
        let programs = programs.split(", ").filter(|program| *program != NONE).map(str::to_owned).collect();
        Some((format!("MPI_{function}"), programs))
    };
    text.lines().filter_map(row).collect()
}

/// Stands where a function has no test.
const NONE: &str = "none yet";

fn page(abi: &Abi, table: &Table) -> String {
    let mut text = String::from(
        "# Functions and their tests\n\n\
         For each function of the ABI, up to three programs of `tests/programs` that check a result of it. That is not \
         claimed but tried:\na program is listed if it passes, and fails when the function does nothing and reports \
         success. All calls that would succeed\nare broken this way. A function that makes an object then makes \
         another one that can be used: a communicator of one process,\na request that is complete. So it does not \
         suffice to call the function, or to hand on what it made.\n\n\
         `cargo xtask coverage` writes this page; `cargo xtask coverage --check`, a step of `cargo xtask test`, tries \
         all of it again, and\nfails if a function has no test. `cargo xtask coverage MPI_Send` shows what every \
         program does that calls `MPI_Send`. Fortran's\ninterfaces are tested by the programs in \
         `tests/programs/fortran`, which take no part here.\n",
    );
    for file in chapter_files() {
        let mut functions = abi
            .functions
            .iter()
            .map(|function| function.name.as_str())
            .filter(|name| chapter(name).0 == file)
            .peekable();
        let Some(first) = functions.peek() else { continue };
        let title = chapter(first).1;
        let title: String = title.chars().take(1).flat_map(char::to_uppercase).chain(title.chars().skip(1)).collect();
        text.push_str(&format!("\n## {title}\n\n| function | tests |\n|---|---|\n"));
        for function in functions {
            let programs = table.get(function).map(|programs| programs.join(", ")).filter(|text| !text.is_empty());
            text.push_str(&format!("| `{function}` | {} |\n", programs.as_deref().unwrap_or(NONE)));
        }
    }
    text.push_str("\n## Functions that are broken in another way\n\n");
    for (name, mutation, reason) in OTHERWISE {
        let how = match mutation {
            Mutation::Refusing => "may do nothing: its tests fail when it reports an error",
            _ => "always refuses: its tests fail when it reports success",
        };
        text.push_str(&format!("- `{name}` {how}; {reason}.\n"));
    }
    text
}
