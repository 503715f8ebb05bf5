//! Numbers in sentences.

/// `1 rank`, `2 ranks`: a number with its noun, whose plural ends in `s`.
pub fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", plural(number))
}

/// What the noun behind a number ends in.
pub fn plural(number: u64) -> &'static str {
    if number == 1 { "" } else { "s" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_no_plural() {
        assert_eq!([0, 1, 2].map(|number| counted(number, "rank")), ["0 ranks", "1 rank", "2 ranks"]);
    }
}
