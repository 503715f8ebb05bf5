//! Circles of modules: modules of one crate of which each, on some way, imports itself; and arrows up, from a module to
//! the root of its crate.
//!
//! A module is a node beside the others in its folder, together with everything below it. An arrow goes from one to
//! another where some file of the first names a path into the second (`crate::`, `super::`, `self::`; unit tests are
//! left out). Where arrows lead round in a circle, no module of it can be read, tested or moved without the others.
//!
//! The root of a crate declares its modules and stands above them all. A module that names what the root defines or
//! only hands on (`crate::Thing`, where `Thing` is no module) is an arrow up: what both need belongs into a module
//! below both. Left out are macros, because those that are exported are at the root wherever they are defined;
//! generated code, whose paths nobody writes; and parents that are no roots: their children may well be written on what
//! they define.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::codegen_model::rust_files;
use crate::shell::root;

/// Path of a module below its crate.
type Module = Vec<String>;

/// Complaints about crates with circles or arrows up.
pub fn complaints() -> Result<Vec<String>, String> {
    let mut complaints = Vec::new();
    for source in sources()? {
        let texts = texts_of(&root().join(&source))?;
        let circles: Vec<String> = circles(&texts).iter().map(|circle| circle.join(", ")).collect();
        let kinds = [
            ("modules import each other in circles", circles),
            ("modules name what belongs to the root", arrows_up(&texts)),
        ];
        for (what, found) in kinds.iter().filter(|(_, found)| !found.is_empty()) {
            complaints.push(format!("{source}: {what}:\n  {}", found.join("\n  ")));
        }
    }
    Ok(complaints)
}

/// The folders with the sources of the crates.
fn sources() -> Result<Vec<String>, String> {
    let mut sources: Vec<String> =
        ["libsmpi", "smpirun", "smpirun-node", "mpicc-wrapper", "xtask", "tests", "nas-benchmarks"]
            .map(|name| format!("{name}/src"))
            .into();
    let crates = root().join("libsmpi/crates");
    for entry in fs::read_dir(&crates).map_err(|error| format!("{}: {error}", crates.display()))? {
        let name = entry.map_err(|error| error.to_string())?.file_name();
        sources.push(format!("libsmpi/crates/{}/src", name.to_string_lossy()));
    }
    sources.sort();
    Ok(sources)
}

/// The modules of a crate with their texts.
fn texts_of(source: &Path) -> Result<BTreeMap<Module, String>, String> {
    let mut texts = BTreeMap::new();
    for file in rust_files(source)? {
        let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        texts.insert(module_of(source, &file), text);
    }
    Ok(texts)
}

/// Each name of the crate's root that a module uses, as `module: name`.
fn arrows_up(texts: &BTreeMap<Module, String>) -> Vec<String> {
    let is_macro = |name: &str| texts.values().any(|text| text.contains(&format!("macro_rules! {name} ")));
    let mut arrows = BTreeSet::new();
    let is_written = |module: &Module| !module.is_empty() && !module.iter().any(|part| part == "generated");
    for (module, text) in texts.iter().filter(|(module, _)| is_written(module)) {
        for path in paths(text) {
            let [first, name, ..] = &path[..] else { continue };
            if first == "crate" && resolve(module, &path, texts).is_none() && !is_macro(name) {
                arrows.insert(format!("{}: {name}", module.join("::")));
            }
        }
    }
    arrows.into_iter().collect()
}

fn module_of(source: &Path, file: &Path) -> Module {
    let below = file.strip_prefix(source).unwrap_or(file).with_extension("");
    let mut parts: Module = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        parts.pop();
    }
    parts
}

/// The circles of a crate, each as the paths of its modules.
fn circles(texts: &BTreeMap<Module, String>) -> Vec<Vec<String>> {
    // Folder → module in it → modules beside it that it names.
    let mut levels: BTreeMap<Module, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for (module, text) in texts {
        for path in paths(text) {
            let Some(target) = resolve(module, &path, texts) else { continue };
            let common = module.iter().zip(&target).take_while(|(one, other)| one == other).count();
            if let (Some(from), Some(to)) = (module.get(common), target.get(common)) {
                let level = levels.entry(module[..common].to_vec()).or_default();
                level.entry(from.clone()).or_default().insert(to.clone());
                level.entry(to.clone()).or_default();
            }
        }
    }
    let mut circles = Vec::new();
    for (folder, arrows) in &levels {
        circles.extend(components(arrows).into_iter().map(|circle| {
            let whole = |name: String| folder.iter().chain([&name]).cloned().collect::<Vec<_>>().join("::");
            circle.into_iter().map(whole).collect()
        }));
    }
    circles
}

/// The module that a path leads to: as many of its parts as are modules. `None` for a path to the crate's root.
fn resolve(module: &Module, path: &[String], texts: &BTreeMap<Module, String>) -> Option<Module> {
    let mut target: Module = match path.first()?.as_str() {
        "crate" => Vec::new(),
        _ => module.clone(),
    };
    for part in path {
        match part.as_str() {
            "crate" | "self" => {}
            "super" => {
                target.pop();
            }
            _ => {
                target.push(part.clone());
                if !texts.contains_key(&target) {
                    target.pop();
                    break;
                }
            }
        }
    }
    (!target.is_empty()).then_some(target)
}

/// All paths of a file that begin with `crate`, `super` or `self`, those in braces each for itself.
fn paths(text: &str) -> Vec<Vec<String>> {
    let tests = text.find("#[cfg(test)]\nmod ").unwrap_or(text.len());
    let tokens = tokens(&text[..tests]);
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let starts = ["crate", "super", "self"].contains(&token.as_str());
        if starts && (at == 0 || tokens[at - 1] != "::") && tokens.get(at + 1).is_some_and(|next| next == "::") {
            read(&tokens, at, &[], &mut found);
        }
    }
    found
}

/// Reads the path that begins at a token, behind `before`; returns the place behind it.
fn read(tokens: &[String], mut at: usize, before: &[String], found: &mut Vec<Vec<String>>) -> usize {
    let mut path = before.to_vec();
    loop {
        match tokens.get(at).map(String::as_str) {
            Some("{") => {
                at += 1;
                while tokens.get(at).is_some_and(|token| token != "}") {
                    let end = read(tokens, at, &path, found);
                    // What is neither a name nor a brace stands between two paths.
                    at = end.max(at + usize::from(end == at));
                }
                return at + 1;
            }
            Some(name) if is_name(name) => {
                path.push(name.to_owned());
                at += 1;
                if tokens.get(at).is_none_or(|token| token != "::") {
                    found.push(path);
                    return at;
                }
                at += 1;
            }
            _ => {
                found.push(path);
                return at;
            }
        }
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// Names, `::`, and other characters each for itself; without blanks, comments and the contents of strings.
fn tokens(code: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let silent = if rest.starts_with("//") { rest.find('\n').or(Some(rest.len())) } else { string_len(rest) };
        if let Some(len) = silent {
            rest = &rest[len..];
            continue;
        }
        let len = match first {
            '\'' if rest.starts_with("'\"'") => 3,
            _ if is_name(rest) => rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len()),
            ':' if rest.starts_with("::") => 2,
            _ => first.len_utf8(),
        };
        if !first.is_whitespace() {
            tokens.push(rest[..len].to_owned());
        }
        rest = &rest[len..];
    }
    tokens
}

/// Bytes of the string that a text begins with, with its quotes, if it begins with one; of an unfinished one, the rest.
fn string_len(text: &str) -> Option<usize> {
    if let Some(raw) = text.strip_prefix("br").or(text.strip_prefix('r')) {
        let inner = raw.trim_start_matches('#').strip_prefix('"')?;
        let end = format!("\"{}", "#".repeat(raw.len() - inner.len() - 1));
        return Some(inner.find(&end).map_or(text.len(), |at| text.len() - inner.len() + at + end.len()));
    }
    let mut is_escaped = false;
    let mut inside = text.strip_prefix('"')?.char_indices();
    let end = inside.find(|&(_, c)| {
        let ends = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    });
    Some(end.map_or(text.len(), |(at, _)| at + 2))
}

/// The groups of two and more nodes from each of which all others of the group can be reached.
fn components(arrows: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> =
        arrows.keys().map(|node| (node, reachable(arrows, node))).collect();
    let mut done: BTreeSet<&String> = BTreeSet::new();
    let mut groups = Vec::new();
    for node in arrows.keys() {
        let group: Vec<&String> =
            arrows.keys().filter(|other| reached[node].contains(other) && reached[other].contains(node)).collect();
        if group.len() > 1 && !done.contains(node) {
            done.extend(&group);
            groups.push(group.into_iter().cloned().collect());
        }
    }
    groups
}

fn reachable<'a>(arrows: &'a BTreeMap<String, BTreeSet<String>>, from: &'a String) -> BTreeSet<&'a String> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        for next in arrows.get(node).into_iter().flatten() {
            if reached.insert(next) {
                open.push(next);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(files: &[(&str, &str)]) -> BTreeMap<Module, String> {
        let module = |path: &str| path.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect();
        files.iter().map(|(path, text)| (module(path), text.to_string())).collect()
    }

    fn crate_of(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        circles(&texts(files))
    }

    #[test]
    fn circles_are_found_at_every_level() {
        let one_way = [("", "mod a; mod b;"), ("a", "use crate::b::Thing;"), ("b", "use std::fmt;")];
        assert!(crate_of(&one_way).is_empty());
        let circle =
            [("a", "use crate::{c, b::{self, X}};"), ("b", "fn f() { crate::c::g() }"), ("c", "use super::a::T;")];
        assert_eq!(crate_of(&circle), [["a", "b", "c"]]);
        let below = [("m::x", "use super::y;"), ("m::y", "use crate::m::x::{One, Two};"), ("m", "")];
        assert_eq!(crate_of(&below), [["m::x", "m::y"]]);
    }

    #[test]
    fn tests_comments_and_parents_are_no_arrows() {
        let files = [
            ("a", "use crate::b;\n"),
            ("b", "// crate::a::f\n#[cfg(test)]\nmod tests { use crate::a; }"),
            ("b::inner", "use super::Outer;\n"),
        ];
        assert!(crate_of(&files).is_empty());
    }

    #[test]
    fn what_the_root_defines_or_hands_on_is_an_arrow_up() {
        let files = [
            ("", "mod a; mod b; pub use b::Thing; pub struct Other;"),
            ("a", "use crate::{Thing, b::{self, Deep}};\nfn f() { crate::say!(\"crate::Other\"); }"),
            ("a::raw", "const A: &str = r#\"one \" crate::Other\"#; fn g(_: crate::Last) {} // \" crate::Other"),
            ("b", "macro_rules! say { () => {} }\nfn g() -> crate::Other { crate::Other }"),
        ];
        assert_eq!(arrows_up(&texts(&files)), ["a: Thing", "a::raw: Last", "b: Other"]);
    }
}
