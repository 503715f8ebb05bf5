//! The checks of the sources that compilers do not make: the rules of CONTRIBUTING.md, as a test.

use crate::functions;
use crate::shell::{output, root};
use std::path::Path;
use std::process::Command;

/// Lines a file may have without giving a reason.
const MAX_LINES: usize = 1000;
/// Columns of a comment at most; code is cargo fmt's affair.
const MAX_COLUMNS: usize = 120;
/// A comment with this text and a reason, near the top of a file, lifts the limit.
const LONG_FILE: &str = "Long file:";
/// A comment with this text near the top marks files written by `cargo xtask codegen`.
const GENERATED: &str = "xtask codegen";
/// Places whose Rust code may be unsafe.
const UNSAFE_ALLOWED: &[&str] = &[
    "libsmpi/src/",
    "libsmpi/crates/api/",
    "libsmpi/crates/verify/",
    "libsmpi/crates/image/",
    "libsmpi/crates/otf2/",
    "libsmpi/crates/process/",
    "libsmpi/crates/ranks/",
    "libsmpi/crates/runtime/",
    "libsmpi/crates/watch/",
    "smpirun-node/",
];
/// Where symbols are exported: the library itself, extensions beyond MPI, and what compilers call.
const EXPORTING: &[&str] = &["libsmpi/src/", "libsmpi/crates/api/", "libsmpi/crates/watch/"];
/// Data and texts of others.
const SKIPPED: &[&str] = &["libsmpi/abi/", "Cargo.lock", "LICENSE"];
/// Endings of files that are checked.
const ENDINGS: &[&str] = &["rs", "c", "cpp", "h", "hpp", "f90", "toml", "md", "py", "sh"];

/// Words that must not be committed: unfinished work. In pieces, so that this file does not find itself.
const UNFINISHED: [&str; 6] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X "),
    concat!("unimple", "mented!"),
    concat!("to", "do!("),
    concat!("#[ig", "nore"),
];

// In pieces for the same reason.
const UNSAFE: [&str; 3] = [concat!("unsafe", " {"), concat!("unsafe", " fn"), concat!("unsafe", " impl")];
const C_FUNCTION: &str = concat!("extern ", "\"C\" fn ");
const EXPORTS: [&str; 2] = [concat!("no_", "mangle"), concat!("export_", "name")];

/// Checks all tracked files; the error lists every complaint as `file:line: what`.
pub fn check() -> Result<(), String> {
    let files = output(
        Command::new("git").args(["ls-files", "--cached", "--others", "--exclude-standard"]).current_dir(root()),
    )?;
    let mut complaints = Vec::new();
    for file in files.lines().filter(|file| is_checked(file)) {
        // A file that was removed and not yet committed is still listed.
        if let Ok(text) = std::fs::read_to_string(root().join(file)) {
            complaints.extend(complaints_about(file, &text));
        }
    }
    complaints.extend(crate::circles::complaints()?);
    complaints.extend(unread_settings(&files)?);
    if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
}

/// Where settings are described.
const SETTINGS: &str = "libsmpi/crates/settings/src/table.rs";

/// Settings of MPI whose field nobody reads: they would be accepted without an effect. Those of the other groups are taken
/// apart where they are used, so that the compiler sees it.
fn unread_settings(files: &str) -> Result<Vec<String>, String> {
    let read = |file: &str| std::fs::read_to_string(root().join(file)).map_err(|error| format!("{file}: {error}"));
    let users = files.lines().filter(|file| file.starts_with("libsmpi/") && file.ends_with(".rs"));
    let users = users.filter(|file| !file.starts_with("libsmpi/crates/settings/") && root().join(file).exists());
    let texts: Vec<String> = users.map(read).collect::<Result<_, _>>()?;
    Ok(unread(&read(SETTINGS)?, &texts))
}

fn unread(table: &str, texts: &[String]) -> Vec<String> {
    let group = table.split(" Mpi, MPI:\n").nth(1).unwrap_or_default();
    let rows = group.lines().take_while(|line| *line != "}");
    let fields = rows.filter_map(|line| line.strip_prefix("    ")?.split_once(": ").map(|(field, _)| field));
    let fields = fields.filter(|field| field.chars().all(|c| c.is_ascii_lowercase() || c == '_'));
    let is_read = |field: &&str| {
        let place = format!("mpi.{field}");
        let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        texts.iter().any(|text| text.match_indices(&place).any(|(at, _)| ends(&text[at + place.len()..])))
    };
    let complaint = |field| format!("{SETTINGS}: nobody reads `mpi.{field}`: the setting would have no effect");
    let unread: Vec<&str> = fields.filter(|field| !is_read(field)).collect();
    unread.into_iter().map(complaint).collect()
}

/// Files of ours that a line of a page names and that are not there: pages outlive moves.
fn stale_paths(line: &str) -> impl Iterator<Item = &str> {
    const ROOMS: [&str; 7] = ["crates/", "libsmpi/", "smpirun/", "xtask/", "tests/", "benches/", "nas-benchmarks/"];
    let quoted = line.split('`').skip(1).step_by(2);
    quoted.filter(|word| {
        let is_path = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte));
        let is_ours = is_path && word.ends_with(".rs") && ROOMS.iter().any(|room| word.starts_with(room));
        is_ours && !root().join(word).exists() && !root().join("libsmpi").join(word).exists()
    })
}

fn is_checked(file: &str) -> bool {
    let ending = Path::new(file).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    ENDINGS.contains(&ending) && !SKIPPED.iter().any(|prefix| file.starts_with(prefix))
}

fn complaints_about(file: &str, text: &str) -> Vec<String> {
    let head: Vec<&str> = text.lines().take(25).collect();
    let says = |marker: &str| head.iter().any(|line| line.contains(marker));
    let mut complaints = Vec::new();
    let lines = text.lines().count();
    if lines > MAX_LINES && !says(LONG_FILE) && !says(GENERATED) {
        complaints.push(format!(
            "{file}:{MAX_LINES}: {lines} lines; split it, or say why not after `{LONG_FILE}` in its header"
        ));
    }
    for (index, line) in text.lines().enumerate() {
        if file.ends_with(".md") {
            let stale = stale_paths(line).map(|path| format!("{file}:{}: there is no {path}", index + 1));
            complaints.extend(stale);
        }
        let is_comment = file.ends_with(".rs") && line.trim_start().starts_with("//") && !says(GENERATED);
        if is_comment && line.chars().count() > MAX_COLUMNS {
            complaints.push(format!("{file}:{}: a comment of more than {MAX_COLUMNS} columns", index + 1));
        }
        if let Some(word) = UNFINISHED.iter().find(|word| line.contains(**word)) {
            complaints.push(format!("{file}:{}: `{}` marks unfinished work", index + 1, word.trim()));
        }
    }
    if file.ends_with(".rs") {
        complaints.extend(rust_complaints(file, text));
        complaints.extend(functions::complaints(file, text));
    }
    complaints
}

fn rust_complaints(file: &str, text: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    if !text.starts_with("//!") {
        complaints.push(format!("{file}:1: no `//!` header that says what the file does"));
    }
    let unsafe_allowed = UNSAFE_ALLOWED.iter().any(|prefix| file.starts_with(prefix));
    let source = file.contains("/src/");
    // The generator has Rust code in its strings.
    let writes_rust = file.starts_with("xtask/src/codegen");
    if is_crate_root(file) && !unsafe_allowed && !text.contains("#![forbid(unsafe_code)]") {
        complaints.push(format!("{file}:1: a crate that is not allowed unsafe code needs #![forbid(unsafe_code)]"));
    }
    for (index, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or_default();
        let mut complain = |what: &str| complaints.push(format!("{file}:{}: {what}", index + 1));
        // Below src/ the compiler refuses it; integration tests and benches are crates without that line.
        if !unsafe_allowed && !source && UNSAFE.iter().any(|word| code.contains(word)) {
            complain(
                "unsafe code is for the crates that host programs and face C (UNSAFE_ALLOWED in xtask/src/tidy.rs)",
            );
        }
        if !unsafe_allowed && !writes_rust && code.contains(C_FUNCTION) {
            complain("functions with the C calling convention are for the crates that host programs and face C");
        }
        let may_export = EXPORTING.iter().any(|folder| file.starts_with(folder));
        if source && !writes_rust && !may_export && EXPORTS.iter().any(|word| code.contains(word)) {
            complain("symbols are exported by libsmpi/src, api and watch only");
        }
    }
    complaints
}

/// `src/lib.rs`, `src/main.rs` and binaries.
fn is_crate_root(file: &str) -> bool {
    let in_bin = Path::new(file).parent().is_some_and(|parent| parent.ends_with("src/bin"));
    file.ends_with("src/lib.rs") || file.ends_with("src/main.rs") || in_bin
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unfinished_work_long_files_and_missing_headers_are_found() {
        let line = format!("//! Header.\n// {}: later\n", UNFINISHED[0]);
        assert_eq!(complaints_about("smpirun/src/x.rs", &line).len(), 1);
        let long = format!("//! Header.\n{}", "\n".repeat(1001));
        assert_eq!(complaints_about("smpirun/src/x.rs", &long).len(), 1);
        assert_eq!(complaints_about("smpirun/src/x.rs", &format!("//! {LONG_FILE} a table.\n{long}")).len(), 0);
        assert_eq!(complaints_about("smpirun/src/x.rs", "fn f() {}\n").len(), 1);
        let wide = format!("//! Header.\n// {}\n", "w".repeat(118));
        assert_eq!(complaints_about("smpirun/src/x.rs", &wide).len(), 1);
    }

    #[test]
    fn files_that_pages_name_and_that_are_gone_are_found() {
        let page =
            "`crates/base/src/lib.rs`, `xtask/src/tidy.rs`, `smpirun/src/gone.rs`, `src/x.rs`, `crates/<x>/lib.rs`\n";
        let complaints = complaints_about("docs/x.md", page);
        assert!(matches!(&complaints[..], [only] if only.contains("smpirun/src/gone.rs")), "{complaints:?}");
    }

    #[test]
    fn settings_that_nobody_reads_are_found() {
        let table = "settings! {\n    /// What.\n    Mpi, MPI:\n\n    one: Flag = \"no\", \"smpi/one\",\n        [A b];\n    two: Flag = \"no\";\n}\n";
        let texts = ["settings.mpi.one; mpi.two_more".to_string()];
        let complaints = unread(table, &texts);
        assert!(matches!(&complaints[..], [only] if only.contains("mpi.two")), "{complaints:?}");
    }

    #[test]
    fn unsafe_and_c_functions_stay_in_their_places() {
        assert_eq!(complaints_about("smpirun/src/main.rs", "//! H.\n").len(), 1);
        assert_eq!(complaints_about("libsmpi/crates/ranks/src/lib.rs", "//! H.\n").len(), 0);
        let callback = format!("//! H.\n{C_FUNCTION}called_back() {{}}\n");
        assert_eq!(complaints_about("libsmpi/crates/mpi/src/x.rs", &callback).len(), 1);
        assert_eq!(complaints_about("libsmpi/crates/image/src/x.rs", &callback).len(), 0);
        let export = format!("//! H.\n#[unsafe({})]\n", EXPORTS[0]);
        assert_eq!(complaints_about("libsmpi/crates/image/src/x.rs", &export).len(), 1);
        assert_eq!(complaints_about("libsmpi/src/x.rs", &export).len(), 0);
        let pointer = concat!("//! H.\ntype F = extern ", "\"C\" fn(i32);\n");
        assert_eq!(complaints_about("libsmpi/crates/mpi/src/x.rs", pointer).len(), 0);
    }
}
