//! Numbers in sentences, words that were meant, and words for a shell.

/// `1 rank`, `2 ranks`: a number with its noun, whose plural ends in `s`.
pub fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", plural(number))
}

/// What the noun behind a number ends in.
pub fn plural(number: u64) -> &'static str {
    if number == 1 { "" } else { "s" }
}

/// A number with commas between groups of three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Words as a shell takes them: those that it would change are quoted.
pub fn for_shell(words: &[String]) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./,:%@".contains(c);
    let quoted = |word: &String| {
        let is_plain = !word.is_empty() && word.chars().all(is_plain);
        if is_plain { word.clone() } else { format!("'{}'", word.replace('\'', r"'\''")) }
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// The candidate that `word` was probably meant to be: the nearest one, if it is near.
pub fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    candidates.map(|c| (edit_distance(word, c), c)).filter(|(d, _)| *d <= limit).min_by_key(|(d, _)| *d).map(|(_, c)| c)
}

/// Levenshtein's distance, row by row.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replace = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_gets_the_words_back() {
        let words = ["--cfg=smpi/os:0", "x y", "it's", "", "$HOME"].map(String::from);
        assert_eq!(for_shell(&words), r"--cfg=smpi/os:0 'x y' 'it'\''s' '' '$HOME'");
    }

    #[test]
    fn one_is_no_plural() {
        assert_eq!([0, 1, 2].map(|number| counted(number, "rank")), ["0 ranks", "1 rank", "2 ranks"]);
    }

    #[test]
    fn only_near_words_are_suggested() {
        let keys = ["bandwidth", "latency", "speed"];
        assert_eq!(nearest("bandwith", keys.into_iter()), Some("bandwidth"));
        assert_eq!(nearest("colour", keys.into_iter()), None);
    }
}
