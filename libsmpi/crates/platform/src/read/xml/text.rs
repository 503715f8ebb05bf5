//! What SimGrid's scanner takes and XML 1.0 forbids, as four of SimGrid's own examples have it: `--` in comments, and
//! something before the declaration. It says nothing, so blanks take its place, and all else stays where it was.
//!
//! Also: elements that are nested without end, which would take a reader's whole stack, are refused.

use super::element::Result;
use crate::error::{PlatformError, line_and_column};

/// Elements in elements; the zones of real platforms are nested in each other five times or so.
const MOST_LEVELS: usize = 100;

/// The text without what XML forbids. What cannot be understood stays, for the reader of XML to complain.
pub(super) fn cleaned(file: &str, text: &str) -> Result<String> {
    let mut bytes = text.as_bytes().to_vec();
    let (mut at, mut level, mut has_root) = (0, 0, false);
    while let Some(found) = text[at..].find('<') {
        let start = at + found;
        if !has_root {
            blank(&mut bytes[at..start]);
        }
        let rest = &text[start..];
        let after = |from: usize, end: &str| rest.get(from..)?.find(end).map(|place| start + from + place + end.len());
        let end = if rest.starts_with("<!--") {
            let end = after(4, "-->");
            end.into_iter().for_each(|end| blank(&mut bytes[start + 4..end - 3]));
            end
        } else if rest.starts_with("<![CDATA[") {
            after(0, "]]>")
        } else if rest.starts_with("<?") {
            let end = after(0, "?>");
            if rest.starts_with("<?xml") && !has_root {
                end.into_iter().for_each(|end| blank(&mut bytes[start..end]));
            }
            end
        } else if rest.starts_with("<!") {
            let has_subset = rest.find('[').is_some_and(|open| rest[..open].find('>').is_none());
            if has_subset { after(0, "]").and_then(|from| after(from - start, ">")) } else { after(0, ">") }
        } else {
            let end = end_of_tag(rest).map(|end| start + end);
            has_root = true;
            match end {
                Some(_) if rest.starts_with("</") => level = usize::saturating_sub(level, 1),
                Some(end) if !text[..end].ends_with("/>") => level += 1,
                _ => {}
            }
            if level > MOST_LEVELS {
                let message =
                    format!("more than {MOST_LEVELS} elements are nested here, expected fewer; put them side by side");
                let place = Some(line_and_column(text, start));
                return Err(PlatformError { file: file.to_owned(), place, message });
            }
            end
        };
        let Some(end) = end else { break };
        at = end;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Behind the `>` of a tag; those in quotes are none.
fn end_of_tag(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in tag.bytes().enumerate() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == b'"' || c == b'\'' => quote = Some(c),
            None if c == b'>' => return Some(at + 1),
            None => {}
        }
    }
    None
}

/// Blanks in the place of everything but the ends of lines.
fn blank(bytes: &mut [u8]) {
    bytes.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(text: &str) -> String {
        let cleaned = cleaned("p.xml", text).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(cleaned.len(), text.len());
        cleaned.trim().to_owned()
    }

    #[test]
    fn what_says_nothing_is_blanked() {
        assert_eq!(clean("\u{feff}words\n<?xml version='1.0'?><a/>"), "<a/>");
        assert_eq!(clean("<a><!-- é -- \n --><b/></a>"), "<a><!--       \n --><b/></a>");
        assert_eq!(clean("<!-- <a> -- --><?xml?><a b='<!-- -->'/>").split_off(15).trim(), "<a b='<!-- -->'/>");
    }

    #[test]
    fn all_else_stays() {
        for text in [
            "<!DOCTYPE p [<!ENTITY e 'x'>]><p>&e;</p>",
            "<p><![CDATA[<!-- -- -->]]></p>",
            "<p",
            "<!-- ",
            "<p a='>'></p>",
            "",
        ] {
            assert_eq!(clean(text), text.trim());
        }
    }

    #[test]
    fn nesting_has_an_end() {
        let nested = |levels: usize| "<zone id='>'>".repeat(levels) + "\n<a/>" + &"</zone>".repeat(levels);
        assert!(cleaned("p.xml", &nested(MOST_LEVELS)).is_ok());
        assert!(cleaned("p.xml", &"<a></a>".repeat(1000)).is_ok());
        let refused = cleaned("p.xml", &nested(10_000)).unwrap_err().to_string();
        assert!(refused.starts_with("p.xml:1:1301: more than 100"), "{refused}");
    }
}
