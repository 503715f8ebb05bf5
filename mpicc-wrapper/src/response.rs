//! Response files: `@FILE` stands for the words in FILE. The compiler reads them itself; the wrapper only has to know
//! what is in them. Quoting is that of GCC's manual (overall options): blanks separate, quotes of both kinds and
//! backslashes protect, files may name further files, and a file that cannot be read is the literal word.

use std::ffi::OsString;
use std::path::Path;

/// Files inside files are followed this deep.
const DEEPEST: u32 = 16;

/// The words with those of response files in place.
pub fn expand(words: &[OsString]) -> Vec<OsString> {
    expand_to(words, DEEPEST)
}

fn expand_to(words: &[OsString], depth: u32) -> Vec<OsString> {
    let mut all = Vec::new();
    for word in words {
        let file = word.to_str().and_then(|text| text.strip_prefix('@')).filter(|_| depth > 0);
        match file.and_then(|file| std::fs::read_to_string(Path::new(file)).ok()) {
            Some(text) => all.extend(expand_to(&split(&text), depth - 1)),
            None => all.push(word.clone()),
        }
    }
    all
}

fn split(text: &str) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => word.get_or_insert_default().extend(characters.next()),
            _ if quote == Some(c) => quote = None,
            '"' | '\'' if quote.is_none() => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            _ if c.is_whitespace() && quote.is_none() => words.extend(word.take().map(OsString::from)),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word.map(OsString::from));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_backslashes() {
        assert_eq!(split(" -O2\n'a b.c' \"it's\" c\\ d.o \"\" x'y'z\t"), ["-O2", "a b.c", "it's", "c d.o", "", "xyz"]);
    }

    #[test]
    fn files_that_cannot_be_read_are_words() {
        let words = [OsString::from("@/nowhere/x"), "a.c".into()];
        assert_eq!(expand(&words), words);
    }
}
