//! The program's strings: bytes in any encoding, kept as text that can be printed and gives the same bytes back.
//!
//! MPI prescribes no encoding for names, info values and error strings. Bytes that are no UTF-8, such as Latin-1's
//! letters, become characters of a private range here.

/// The character of byte 0; only those of 0x80 to 0xff are used, the last ones of Unicode.
const FIRST: u32 = 0x10_ff00;

/// The byte that a character stands for, if it stands for one.
fn byte_of(character: char) -> Option<u8> {
    u8::try_from(u32::from(character).checked_sub(FIRST)?).ok().filter(|byte| *byte >= 0x80)
}

/// The text of a string. Characters of the private range in it are taken byte by byte, so that nothing is ambiguous.
pub fn from_bytes(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let push_raw = |text: &mut String, raw: &[u8]| {
        text.extend(raw.iter().filter_map(|&byte| char::from_u32(FIRST + u32::from(byte))));
    };
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match byte_of(character) {
                Some(_) => push_raw(&mut text, character.encode_utf8(&mut [0; 4]).as_bytes()),
                None => text.push(character),
            }
        }
        push_raw(&mut text, chunk.invalid());
    }
    text
}

/// The bytes of a text.
pub fn to_bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        match byte_of(character) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

/// Number of bytes of a text.
pub fn len(text: &str) -> usize {
    text.chars().map(|character| if byte_of(character).is_some() { 1 } else { character.len_utf8() }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn text_stays_text() {
        assert_eq!(from_bytes("naïve".as_bytes()), "naïve");
        assert_eq!(to_bytes("naïve"), "naïve".as_bytes());
        assert_eq!(len("naïve"), 6);
    }

    #[test]
    fn characters_of_the_private_range_are_bytes() {
        for character in ['\u{10fe80}', '\u{10ff7f}', '\u{10ff80}', '\u{10ffff}'] {
            let bytes = character.to_string().into_bytes();
            assert_eq!(to_bytes(&from_bytes(&bytes)), bytes);
        }
    }

    proptest! {
        #[test]
        fn any_bytes_come_back(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let text = from_bytes(&bytes);
            prop_assert_eq!(len(&text), bytes.len());
            prop_assert_eq!(to_bytes(&text), bytes);
        }
    }
}
