//! Words in lines of a terminal.

use std::fmt::Write;

/// Columns of the screen.
pub const WIDTH: usize = 80;
/// Columns of a path with its line in a sentence; of a longer one the file's name is shown, the rest is in the report
/// files.
pub const MAX_PATH: usize = 40;

/// The end of a path that fits, with its line number.
pub fn short_path(place: &str, width: usize) -> String {
    if place.chars().count() <= width {
        return place.to_string();
    }
    let name = place.rsplit('/').next().unwrap_or(place);
    let length = name.chars().count();
    if length <= width {
        name.to_string()
    } else {
        format!("…{}", name.chars().skip(length - width + 1).collect::<String>())
    }
}

/// Appends the words in lines of the screen's width; lines after the first are indented.
pub fn wrapped(text: &mut String, words: &str, indent: usize) {
    let margin = words.len() - words.trim_start().len();
    let lines = word_wrap(words.trim_start(), WIDTH - 1 - margin, WIDTH - 1 - indent);
    for (index, line) in lines.iter().enumerate() {
        let _ = writeln!(text, "{:1$}{line}", "", if index == 0 { margin } else { indent });
    }
}

/// Breaks a text at blanks; words that are longer than a line are broken anywhere.
pub fn word_wrap(text: &str, first_width: usize, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut room = first_width.max(1);
    for word in text.split_whitespace() {
        let mut word: Vec<char> = word.chars().collect();
        let used = line.chars().count();
        if used > 0 && used + 1 + word.len() > room {
            lines.push(std::mem::take(&mut line));
            room = width.max(1);
        } else if used > 0 {
            line.push(' ');
        }
        while word.len() > room {
            // Rather behind a parenthesis or an equals sign than inside a name.
            let fitting = word[..room].iter().rposition(|&c| c == '(' || c == '=').map_or(room, |place| place + 1);
            lines.push(word.drain(..fitting).collect());
            room = width.max(1);
        }
        line.extend(word);
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}
