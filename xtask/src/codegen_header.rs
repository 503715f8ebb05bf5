//! From the Rust declarations of the ABI to `include/mpi.h`, by cbindgen.
//!
//! cbindgen has no words for three things in C's MPI: function *types* (it knows pointers to functions), `...`, and
//! nullable parameters of a named callback type. It is therefore given a copy of the declarations with these replaced
//! by something similar, and its output gets them back. The output is also brought into the form that the standard
//! shows: hexadecimal handle values, parentheses around values, C89 comments, no blank line after each item.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::codegen_chapters::chapter_files;
use crate::codegen_model::{Abi, VARIADIC};
use crate::codegen_rust::{GENERATED_DIR, WIDTH};

/// The text of `include/mpi.h`.
///
/// Errors: cbindgen refuses the declarations, or its output misses a function or constant of the ABI.
pub fn header(root: &Path, abi: &Abi) -> Result<String, String> {
    let source = declarations(root)?;
    let variadic = variadic_names(&source);
    let raw = run_cbindgen(root, &simplified(&source), &abi.callbacks)?;
    let text = finished(&raw, abi, &variadic);
    complete(&text, abi)?;
    Ok(text)
}

/// All hand-written and generated declarations as one text, in the order in which the header is to show them.
fn declarations(root: &Path) -> Result<String, String> {
    let mut files =
        vec!["libsmpi/crates/abi/src/c/types.rs".to_owned(), "libsmpi/crates/abi/src/c/constants.rs".to_owned()];
    files.extend(chapter_files().map(|file| format!("{GENERATED_DIR}/{file}.rs")));
    let mut source = String::new();
    for file in files {
        source.push_str(&fs::read_to_string(root.join(&file)).map_err(|e| format!("{file}: {e}"))?);
    }
    // Inner attributes and documentation are allowed only at the start of a file.
    let keep = |line: &&str| !line.starts_with("//!") && !line.starts_with("#![");
    Ok(source.lines().filter(keep).map(|line| format!("{line}\n")).collect())
}

/// Names of the callback types whose last parameter is `...`.
fn variadic_names(source: &str) -> BTreeSet<String> {
    let callbacks = source.split("pub type ").skip(1).filter_map(|item| item.split_once(" = "));
    callbacks
        .filter(|(_, rest)| rest.split(';').next().is_some_and(|definition| definition.contains("...")))
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// The declarations without what cbindgen does not understand.
fn simplified(source: &str) -> String {
    let mut text = source.replace(", ...)", ")");
    while let Some((before, rest)) = text.split_once("Option<") {
        let Some((callback, after)) = rest.split_once('>') else { break };
        text = format!("{before}*mut {callback}{after}");
    }
    text
}

/// `names` are types to be declared even if no function mentions them.
fn run_cbindgen(root: &Path, source: &str, names: &[String]) -> Result<String, String> {
    let mut config = cbindgen::Config::from_file(root.join("libsmpi/cbindgen.toml"))?;
    config.export.include = names.to_vec();
    // cbindgen reads files only.
    let copy = std::env::temp_dir().join(format!("smpi-codegen-{}.rs", std::process::id()));
    fs::write(&copy, source).map_err(|e| format!("{}: {e}", copy.display()))?;
    let bindings = cbindgen::Builder::new().with_config(config).with_src(&copy).generate();
    let removed = fs::remove_file(&copy);
    let mut text = Vec::new();
    bindings.map_err(|e| format!("cbindgen: {e}"))?.write(&mut text);
    removed.map_err(|e| format!("{}: {e}", copy.display()))?;
    String::from_utf8(text).map_err(|e| format!("cbindgen: {e}"))
}

/// cbindgen's output with what it could not say put back, and tidied.
fn finished(raw: &str, abi: &Abi, variadic: &BTreeSet<String>) -> String {
    let mut text = String::new();
    let mut pending_dots = false;
    for line in raw.lines() {
        let mut line = define(line).unwrap_or_else(|| line.to_owned());
        for callback in abi.callbacks.iter().filter(|name| !name.ends_with("_fn")) {
            line = line.replace(&format!("(*{callback})("), &format!("({callback})("));
        }
        let callback = line.strip_prefix("typedef ").and_then(|rest| rest.split(['(', ')']).nth(1));
        pending_dots |= callback.is_some_and(|name| variadic.contains(name));
        if pending_dots && line.ends_with(");") {
            line = line.replace(");", ", ...);");
            pending_dots = false;
        }
        line = line.replace(&format!("MPI_Pcontrol(int level, {VARIADIC})"), "MPI_Pcontrol(const int level, ...)");
        if let Some((code, comment)) = line.split_once("  // ").or_else(|| line.split_once(" // ")) {
            line = format!("{code} /* {comment} */");
        }
        text.push_str(&line);
        text.push('\n');
    }
    without_gaps(&reflowed(&one_line_comments(&text)))
}

/// A constant's line with its value in parentheses, and in hexadecimal if the value is a handle or an address.
fn define(line: &str) -> Option<String> {
    let (name, value) = line.strip_prefix("#define ")?.split_once(' ')?;
    if value.starts_with('-') {
        return Some(format!("#define {name} ({value})"));
    }
    let (ctype, number) = value.strip_prefix('(')?.split_once(')')?;
    let number = match number.parse::<u32>() {
        Ok(number) => format!("{number:#010x}"),
        Err(_) => number.to_owned(),
    };
    Some(format!("#define {name} (({ctype}){number})"))
}

/// Comments of one sentence on one line.
fn one_line_comments(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut result = String::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let sentence = lines.get(at + 1).map(|next| next.trim_start());
        match (line.strip_suffix("/*"), sentence, lines.get(at + 2).map(|end| end.trim_start())) {
            (Some(indent), Some(sentence), Some("*/")) => {
                result.push_str(&format!("{indent}/* {sentence} */\n"));
                at += 3;
            }
            _ => {
                result.push_str(&format!("{line}\n"));
                at += 1;
            }
        }
    }
    result
}

/// Prototypes and callback types that cbindgen wrote with one parameter a line, filled to the width of the page.
fn reflowed(text: &str) -> String {
    let mut result = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let declares = line.contains('(') && line.ends_with(',') && !line.starts_with([' ', '/', '#']);
        if !declares {
            result.push_str(&format!("{line}\n"));
            continue;
        }
        let mut current = line.to_owned();
        while !current.ends_with(';') {
            let Some(word) = lines.next().map(str::trim) else { break };
            let last = current.lines().last().map_or(0, str::len);
            let separator = if last + 1 + word.len() > WIDTH { "\n    " } else { " " };
            current = format!("{current}{separator}{word}");
        }
        result.push_str(&format!("{current}\n"));
    }
    result
}

/// The text without the blank lines that cbindgen puts between neighbouring items, except before a commented item.
fn without_gaps(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let at = |index: Option<usize>| index.and_then(|index| lines.get(index)).copied().unwrap_or_default();
    let mut result = String::new();
    for (index, line) in lines.iter().enumerate() {
        let (before, after) = (at(index.checked_sub(1)), at(Some(index + 1)));
        let constants = before.starts_with("#define ") && after.starts_with("#define ");
        let functions = before.ends_with(");") && after.contains("MPI_") && !after.starts_with(['/', '#', 't', 's']);
        let types = before.starts_with("typedef struct MPI_ABI_") && after.starts_with("typedef struct MPI_ABI_");
        if !line.is_empty() || !(before.is_empty() || constants || functions || types) {
            result.push_str(&format!("{line}\n"));
        }
    }
    result
}

/// Checks that nothing got lost on the way.
fn complete(text: &str, abi: &Abi) -> Result<(), String> {
    let functions = abi.functions.iter().flat_map(|f| [format!(" {}(", f.name), format!(" P{}(", f.name)]);
    let constants = abi.constants.iter().map(|c| format!("#define {} ", c.name));
    let callbacks = abi.callbacks.iter().filter(|name| !name.ends_with("_fn")).map(|name| format!("({name})("));
    let starred = |part: &String| text.contains(part) || text.contains(&part.replacen(' ', " *", 1));
    match functions.chain(constants).chain(callbacks).find(|part| !starred(part)) {
        Some(part) => Err(format!("include/mpi.h would miss `{}`", part.trim())),
        None => Ok(()),
    }
}
