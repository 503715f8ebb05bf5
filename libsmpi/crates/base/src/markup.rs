//! Text as part of a page or a picture.

/// Text as HTML or XML: nothing in it is markup, and nothing is forbidden in XML.
pub fn escaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => result.push_str("&amp;"),
            '<' => result.push_str("&lt;"),
            '>' => result.push_str("&gt;"),
            '"' => result.push_str("&quot;"),
            '\'' => result.push_str("&#39;"),
            '\n' | '\t' => result.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => result.push('\u{fffd}'),
            c => result.push(c),
        }
    }
    result
}
