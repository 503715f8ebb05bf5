//! Numbers in sentences.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_no_plural() {
        assert_eq!([0, 1, 2].map(|number| counted(number, "rank")), ["0 ranks", "1 rank", "2 ranks"]);
    }
}
