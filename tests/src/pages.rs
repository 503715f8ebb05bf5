//! Pages of Markdown as the tests see them: their fenced blocks, with the headings that they stand under.
//!
//! It knows fences of three backquotes at any indentation, and headings that begin with `#`. Our pages have nothing
//! else.

use std::path::Path;

/// A fenced block of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The page, from the root of the source tree.
    pub page: String,
    /// Line of the opening fence, from 1.
    pub line: usize,
    /// The heading above it, without its `#`s.
    pub heading: String,
    /// What the fence says it is: `c`, `sh`, … ; empty when it says nothing.
    pub language: String,
    /// What is between the fences, without the fence's indentation.
    pub text: String,
}

/// Our pages: those of the root directory and of `docs/`, from the root of the source tree, sorted.
pub fn pages(root: &Path) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    for (directory, prefix) in [(root.to_path_buf(), ""), (root.join("docs"), "docs/")] {
        for path in crate::toolchain::entries(&directory)? {
            if path.extension().is_some_and(|ending| ending == "md")
                && let Some(name) = path.file_name().and_then(|name| name.to_str())
            {
                found.push(format!("{prefix}{name}"));
            }
        }
    }
    Ok(found)
}

/// The fenced blocks of a page.
pub fn blocks(root: &Path, page: &str) -> Result<Vec<Block>, String> {
    let path = root.join(page);
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    blocks_of(page, &text)
}

fn blocks_of(page: &str, text: &str) -> Result<Vec<Block>, String> {
    let (mut blocks, mut heading) = (Vec::new(), String::new());
    let mut open: Option<(Block, usize)> = None;
    for (index, line) in text.lines().enumerate() {
        let indentation = line.len() - line.trim_start().len();
        match (&mut open, line.trim_start().strip_prefix("```")) {
            (Some(_), Some("")) => blocks.extend(open.take().map(|(block, _)| block)),
            (Some((block, fence)), _) => {
                block.text.push_str(&line[indentation.min(*fence)..]);
                block.text.push('\n');
            }
            (None, Some(language)) => {
                let block = Block {
                    page: page.into(),
                    line: index + 1,
                    heading: heading.clone(),
                    language: language.into(),
                    text: String::new(),
                };
                open = Some((block, indentation));
            }
            (None, None) if line.starts_with('#') => heading = line.trim_start_matches('#').trim().to_string(),
            (None, None) => {}
        }
    }
    match open {
        Some((block, _)) => Err(format!("{page}:{}: the block does not end", block.line)),
        None => Ok(blocks),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_headings_languages_and_no_indentation() {
        let text = "# One\n\n```sh\n# a comment\nls\n```\n## Two\n- x\n\n  ```\n  a\n    b\n  ```\n";
        let blocks = blocks_of("p.md", text).unwrap();
        let seen: Vec<(usize, &str, &str, &str)> =
            blocks.iter().map(|b| (b.line, &b.heading[..], &b.language[..], &b.text[..])).collect();
        assert_eq!(seen, [(3, "One", "sh", "# a comment\nls\n"), (10, "Two", "", "a\n  b\n")]);
        assert!(blocks_of("p.md", "```c\nint x;\n").is_err());
    }
}
