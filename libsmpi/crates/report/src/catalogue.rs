//! What each kind of finding means, the smallest program that shows it, and what to do about it.
//!
//! It is data: `docs/findings.md` is made from it, and a test fails when the two differ
//! (`SMPI_BLESS=1 cargo test -p smpi-report catalogue` writes the file anew).

mod arguments;
mod objects;
mod run;
mod usage;

use crate::key::FindingKey;
use std::fmt::Write;

/// One kind of finding.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its key.
    pub key: FindingKey,
    /// What it means, in one sentence without a full stop.
    pub meaning: &'static str,
    /// What to do about it, in one or two sentences.
    pub advice: &'static str,
    /// The smallest example, in C, without `main` and `MPI_Init` where they say nothing.
    pub example: &'static str,
    /// The MPI function of the example that has no implementation: until it has one, nobody meets this finding.
    pub not_yet: Option<&'static str>,
}

/// The entries with the same theme.
struct Chapter {
    title: &'static str,
    entries: &'static [Entry],
}

const CHAPTERS: &[Chapter] = &[
    Chapter { title: "How a run ends", entries: run::ENTRIES },
    Chapter { title: "Arguments of MPI calls", entries: arguments::ENTRIES },
    Chapter { title: "How MPI calls fit together", entries: usage::ENTRIES },
    Chapter { title: "Requests and objects that are left over", entries: objects::ENTRIES },
];

// A key without an entry, or at another place, does not compile.
const _: () = {
    let (mut chapter, mut done) = (0, 0);
    while chapter < CHAPTERS.len() {
        let (entries, mut next) = (CHAPTERS[chapter].entries, 0);
        while next < entries.len() {
            assert!(entries[next].key as usize == done, "the catalogue has its entries in the order of the keys");
            (next, done) = (next + 1, done + 1);
        }
        chapter += 1;
    }
    assert!(done == FindingKey::ALL.len(), "each key has an entry in the catalogue");
};

/// All kinds, in the order of [`FindingKey::ALL`].
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    CHAPTERS.iter().flat_map(|chapter| chapter.entries)
}

/// What is known about a kind.
pub fn entry(key: FindingKey) -> &'static Entry {
    entries().nth(key as usize).expect("each key has an entry at its own place")
}

const HEAD: &str = "\
# Findings

A finding is a bug in your program. `smpirun --verify` looks for all of them in every relevant execution. A simulation
checks arguments, matching, truncation, leaks and races at windows, and prints warnings (`--strict` makes them errors).
Keys are stable: compare keys, not sentences. Every finding of a verification comes with a token: `smpirun --replay
TOKEN …` repeats exactly this execution, also under `--gdb`.

This page is generated from `libsmpi/crates/report/src/catalogue/`.

";

/// What becomes of an example that calls a function without implementation.
const NOT_YET: &str = "A verification ends at that call: the verdict is `incomplete`, and names the function.";

/// The whole of `docs/findings.md`.
pub fn markdown() -> String {
    let mut text = String::from(HEAD);
    text.push_str("| key | meaning |\n|---|---|\n");
    for entry in entries() {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "| [`{}`](#{}) | {} |", entry.key, entry.key.anchor(), entry.meaning);
    }
    for chapter in CHAPTERS {
        let _ = write!(text, "\n## {}\n", chapter.title);
        for entry in chapter.entries {
            let _ = write!(text, "\n### {}\n\n", entry.key);
            fill(&mut text, &format!("{}.", entry.meaning));
            let _ = write!(text, "\n```c\n{}\n```\n\n", entry.example.trim_matches('\n'));
            if let Some(function) = entry.not_yet {
                fill(&mut text, &format!("**Not yet.** libsmpi does not implement `{function}`. {NOT_YET}"));
                text.push('\n');
            }
            fill(&mut text, &format!("**What to do.** {}", entry.advice));
        }
    }
    text
}

/// Appends a paragraph in lines of at most 120 columns.
fn fill(text: &mut String, paragraph: &str) {
    let mut column = 0;
    for word in paragraph.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > 120 {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_short_and_complete() {
        for entry in entries() {
            assert!(!entry.meaning.ends_with('.') && entry.meaning.len() < 200, "{}", entry.key);
            assert!(entry.advice.ends_with('.') && entry.advice.len() < 300, "{}", entry.key);
            let lines = entry.example.trim_matches('\n').lines();
            assert!((1..=12).contains(&lines.count()), "{}", entry.key);
            assert!(!entry.meaning.contains('|'), "{}: would end the table's cell", entry.key);
        }
    }

    #[test]
    fn the_document_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/findings.md");
        if std::env::var_os("SMPI_BLESS").is_some() {
            std::fs::write(path, markdown()).unwrap();
        }
        let committed = std::fs::read_to_string(path).unwrap_or_default();
        assert!(committed == markdown(), "run: SMPI_BLESS=1 cargo test -p smpi-report catalogue");
    }
}
