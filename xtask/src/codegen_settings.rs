//! The manual's tables of settings: `docs/smpirun.md` and `docs/tools.md`, between two comments that say so.

use std::collections::BTreeMap;
use std::path::Path;

use smpi_settings::page;

/// A page, the words of its comments, and what stands between these.
type Page = (&'static str, &'static str, fn() -> String);

const PAGES: [Page; 2] =
    [("docs/smpirun.md", "settings", page::table), ("docs/tools.md", "control variables", page::control_variables)];

/// The pages with fresh tables, by their paths.
pub fn files(root: &Path) -> Result<BTreeMap<String, String>, String> {
    let fresh = |(path, words, table): Page| {
        let text = std::fs::read_to_string(root.join(path)).map_err(|error| format!("{path}: {error}"))?;
        Ok((path.to_owned(), with(&text, words, &table()).ok_or_else(|| missing(path, words))?))
    };
    PAGES.into_iter().map(fresh).collect()
}

fn missing(path: &str, words: &str) -> String {
    let (begin, end) = comments(words);
    format!("{path}: expected the lines `{begin}` and `{end}` around the table")
}

fn comments(words: &str) -> (String, String) {
    (format!("<!-- {words}: cargo xtask codegen writes them -->"), format!("<!-- end of {words} -->"))
}

/// A page with this table; `None` where it has no place for it.
fn with(page: &str, words: &str, table: &str) -> Option<String> {
    let (begin, end) = comments(words);
    let (before, rest) = page.split_once(&format!("{begin}\n"))?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!("{before}{begin}\n\n{table}\n{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_stands_between_its_comments() {
        let (begin, end) = comments("things");
        let page = format!("a\n{begin}\nold\n{end}\nb\n");
        assert_eq!(with(&page, "things", "new\n"), Some(format!("a\n{begin}\n\nnew\n\n{end}\nb\n")));
        assert_eq!(with("a\n", "things", "new"), None);
    }
}
