//! The runs as a study for `smpirun sweep`: all platforms side by side, several runs at once, with a page of curves,
//! and nothing run twice.
//!
//! It runs nothing. A sweep looks at exit codes, and our benchmarks end with 1 where they do not verify.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::plan::Case;
use crate::refused::Refused;

/// Where the executables of a study are: the folder beside it that has its name without the ending.
pub fn folder(study: &Path) -> PathBuf {
    study.with_extension("programs")
}

/// Writes the study of these runs.
///
/// # Errors
/// The file cannot be written, or a path cannot be written in it.
pub fn write(study: &Path, cases: &[Case], platforms: &[PathBuf], compute: &str) -> Result<(), Refused> {
    let text = text(cases, platforms, compute)?;
    std::fs::write(study, text).map_err(|error| {
        Refused::new(format!("--study: '{}' cannot be written: {error}", study.display()), "name another file")
    })
}

fn text(cases: &[Case], platforms: &[PathBuf], compute: &str) -> Result<String, Refused> {
    let platforms: Vec<String> = platforms.iter().map(|path| absolute(path)).collect::<Result<_, _>>()?;
    let mut text = format!("[study]\nplatforms = [{}]\ncompute = \"{compute}\"\n", platforms.join(", "));
    // Runs that differ in the number of ranks only follow each other, except for those of DT's graphs.
    let mut programs: Vec<(&Case, Vec<u32>)> = Vec::new();
    for case in cases {
        let is_same = |known: &&mut (&Case, Vec<u32>)| {
            (known.0.label(), &known.0.arguments, &known.0.program) == (case.label(), &case.arguments, &case.program)
        };
        match programs.iter_mut().find(is_same) {
            Some((_, ranks)) => ranks.push(case.ranks),
            None => programs.push((case, vec![case.ranks])),
        }
    }
    for (case, ranks) in programs {
        let arguments: Vec<String> = case.arguments.iter().map(|word| format!("\"{word}\"")).collect();
        let _ = write!(
            text,
            "\n[[program]]\nname = \"{} {}\"\npath = {}\nargs = [{}]\nranks = {ranks:?}\n",
            case.label(),
            case.class,
            absolute(&case.program)?,
            arguments.join(", ")
        );
    }
    Ok(text)
}

/// A path as a string of TOML, which is the same from everywhere.
fn absolute(path: &Path) -> Result<String, Refused> {
    let whole = std::path::absolute(path).ok();
    let plain = whole.as_deref().and_then(Path::to_str).filter(|text| !text.contains(['\'', '\n']));
    plain.map(|text| format!("'{text}'")).ok_or_else(|| {
        Refused::new(
            format!("--study: '{}' cannot be written in a study", path.display()),
            "use a folder with a plain name",
        )
    })
}
