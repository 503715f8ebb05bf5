//! Which Rust function implements a function of MPI, and how the wrapper calls it.
//!
//! There are three ways, of which each function needs one: a row of `libsmpi/abi/calls.csv`, which is the whole call;
//! a `prepare_x` that all forms of an operation share; a public function of its name in
//! `libsmpi/crates/api/src/functions`. The latter gets all arguments, or, where it returns a value beside the error,
//! all but the last, which is where the value goes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::codegen_functions::variant;
use crate::codegen_model::{Abi, api_name, rows, rust_files};

/// What is written by hand for the wrappers to call.
#[derive(Default)]
pub struct Implementations {
    /// The public functions of `smpi-api`.
    functions: BTreeMap<String, Returns>,
    /// Name of an MPI function, without `_c`, → the expression that does what it does.
    calls: BTreeMap<String, String>,
}

/// What a function of `smpi-api` returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Returns {
    /// Nothing but an error.
    Nothing,
    /// An error, or what goes to the place that the last argument is.
    Value,
    /// Something that is no `Result`.
    Plain,
}

impl Implementations {
    /// Reads both.
    ///
    /// Errors: files that cannot be read, and what [`Implementations::new`] refuses.
    pub fn read(root: &Path, abi: &Abi) -> Result<Implementations, String> {
        let rows = rows(&root.join("libsmpi/abi/calls.csv"), 2)?;
        let mut text = String::new();
        for path in rust_files(&root.join("libsmpi/crates/api/src/functions"))? {
            text.push_str(&fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?);
        }
        Implementations::new(abi, &text, rows.iter().map(|row| (row[0].as_str(), row[1].as_str())))
    }

    /// From Rust text and rows.
    ///
    /// Errors: a row for no function of the data, a second one for the same function, alternatives that do not go
    /// together, a function that is written in Rust besides.
    pub fn new<'a>(
        abi: &Abi,
        text: &str,
        rows: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Result<Implementations, String> {
        let functions = public_functions(text);
        let mut calls = BTreeMap::new();
        for (names, call) in rows {
            for (name, call) in expand(names, call)? {
                let wrong = |what: &str| Err(format!("calls.csv: {name} {what}"));
                if abi.function(&name).is_none() || abi.base(&name) != name {
                    return wrong("is no function of functions.csv, or the large-count form of one");
                }
                if functions.contains_key(&api_name(&name)) {
                    return wrong("is also a public function of libsmpi/crates/api/src/functions");
                }
                if calls.insert(name.clone(), call.replace("{}", variant(&name))).is_some() {
                    return wrong("has two rows");
                }
            }
        }
        Ok(Implementations { functions, calls })
    }

    /// The row of the function of this name.
    pub fn call(&self, base: &str) -> Option<&str> {
        self.calls.get(base).map(String::as_str)
    }

    /// What the public function of this name returns, if there is one.
    pub fn returns(&self, api: &str) -> Option<Returns> {
        self.functions.get(api).copied()
    }
}

/// The functions that a row stands for, each with its call: alternatives `{A/B}` of the names choose those of the call.
fn expand(names: &str, call: &str) -> Result<Vec<(String, String)>, String> {
    let number = alternatives(names).map_or(1, |(_, words, _)| words.len());
    let choice = |index| Ok((choose(names, index, number)?, choose(call, index, number)?));
    (0..number)
        .map(choice)
        .collect::<Result<_, ()>>()
        .map_err(|()| format!("calls.csv: {names}: {call}: not {number} alternatives"))
}

fn choose(text: &str, index: usize, number: usize) -> Result<String, ()> {
    let Some((before, words, after)) = alternatives(text) else { return Ok(text.to_owned()) };
    let word = words.get(index).filter(|_| words.len() == number).ok_or(())?;
    Ok(format!("{before}{word}{}", choose(after, index, number)?))
}

/// What stands before the first alternatives, these, and the rest.
fn alternatives(text: &str) -> Option<(&str, Vec<&str>, &str)> {
    let (mut open, mut slash) = (None, false);
    for (at, c) in text.char_indices() {
        match (c, open) {
            ('{', _) => (open, slash) = (Some(at), false),
            ('/', _) => slash = true,
            ('}', Some(start)) if slash => {
                return Some((&text[..start], text[start + 1..at].split('/').collect(), &text[at + 1..]));
            }
            ('}', _) => open = None,
            _ => {}
        }
    }
    None
}

/// All `pub fn` and `pub unsafe fn` at the start of a line.
fn public_functions(text: &str) -> BTreeMap<String, Returns> {
    let mut functions = BTreeMap::new();
    for (at, _) in text.match_indices("\npub ") {
        let declaration = text[at + 5..].trim_start_matches("unsafe ");
        let Some(declaration) = declaration.strip_prefix("fn ") else { continue };
        let head = declaration.split(" {\n").next().unwrap_or_default();
        let name = head.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
        let returns = match head.rsplit_once(") -> ").map(|(_, result)| result) {
            Some("Result<()>") => Returns::Nothing,
            Some(result) if result.starts_with("Result<") => Returns::Value,
            _ => Returns::Plain,
        };
        functions.insert(name.to_owned(), returns);
    }
    functions
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn root() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
    }

    fn abi() -> Abi {
        Abi::read(&root().join("libsmpi/abi")).unwrap_or_else(|error| panic!("{error}"))
    }

    fn refusal(text: &str, rows: &[(&str, &str)]) -> String {
        Implementations::new(&abi(), text, rows.iter().copied()).err().unwrap_or_default()
    }

    #[test]
    fn a_row_stands_for_several_functions() {
        let rows = [("MPI_{S/Bs}end", "send_as(Function::{}, Mode::{Standard/Buffered}, |it| Some { it })")];
        let found = Implementations::new(&abi(), "", rows.into_iter()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(found.call("MPI_Send"), Some("send_as(Function::Send, Mode::Standard, |it| Some { it })"));
        assert_eq!(found.call("MPI_Bsend"), Some("send_as(Function::Bsend, Mode::Buffered, |it| Some { it })"));
    }

    #[test]
    fn rows_that_nobody_would_miss_are_refused() {
        assert!(refusal("", &[("MPI_Sned", "send()")]).contains("MPI_Sned is no function"));
        assert!(refusal("", &[("MPI_Send_c", "send()")]).contains("MPI_Send_c is no function"));
        assert!(refusal("", &[("MPI_Send", "send()"), ("MPI_Send", "send()")]).contains("two rows"));
        assert!(refusal("", &[("MPI_{S/Bs}end", "send({a/b/c})")]).contains("not 2 alternatives"));
        assert!(
            refusal("\npub unsafe fn send(\n) -> Result<()> {\n", &[("MPI_Send", "x()")]).contains("is also a public")
        );
    }

    #[test]
    fn results_are_read() {
        let text = "\npub fn a(b: u8) -> Result<()> {\n}\npub unsafe fn c(\n    d: u8,\n) -> Result<u32> {\n}\npub fn e() {\n}\n";
        let found = public_functions(text);
        let wanted = [("a", Returns::Nothing), ("c", Returns::Value), ("e", Returns::Plain)];
        assert_eq!(found, wanted.map(|(name, returns)| (name.to_owned(), returns)).into());
    }

    /// A public function without a caller is no warning: it might be called from another crate.
    #[test]
    fn every_public_function_of_the_api_is_called() {
        let mut library = String::new();
        for path in rust_files(&root().join("libsmpi/src")).unwrap_or_else(|error| panic!("{error}")) {
            library.push_str(&fs::read_to_string(&path).unwrap_or_else(|error| panic!("{error}")));
        }
        let written = Implementations::read(&root(), &abi()).unwrap_or_else(|error| panic!("{error}"));
        let words: BTreeSet<&str> = library.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
        let forgotten: Vec<_> = written.functions.keys().filter(|name| !words.contains(name.as_str())).collect();
        assert!(forgotten.is_empty(), "nobody calls {forgotten:?}");
    }
}
