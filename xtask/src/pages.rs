//! The pages of an installed tree. Links to what it has elsewhere lead there; of links to what it does not have, the
//! words stay.

use crate::shell::{make_parent, root, write};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Pages and files beside the folder `docs`.
const FILES: [&str; 3] = ["README.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// Folders of the project that an installed tree has elsewhere, seen from its pages.
const ELSEWHERE: [(&str, &str); 3] =
    [("examples", "../../libsmpi/examples"), ("platforms", "../../platforms"), ("include", "../../../include")];

/// Writes all pages below `place`, and the licences.
///
/// # Errors
/// What cannot be read or written.
pub fn install(place: &Path) -> Result<(), String> {
    let files = fs::read_dir(root().join("docs")).map_err(|e| format!("docs: {e}"))?;
    let files = files.flatten().map(|file| Path::new("docs").join(file.file_name()));
    let docs = files.filter(|file| is_page(file));
    for page in FILES.iter().map(PathBuf::from).chain(docs) {
        let text = fs::read_to_string(root().join(&page)).map_err(|e| format!("{}: {e}", page.display()))?;
        make_parent(&place.join(&page))?;
        write(&place.join(&page), &relinked(&text, &page))?;
    }
    Ok(())
}

/// Links of the pages below `place` that lead nowhere.
pub fn dead_links(place: &Path) -> Vec<String> {
    let mut dead = Vec::new();
    let files = [place.to_owned(), place.join("docs")].into_iter().flat_map(fs::read_dir).flatten().flatten();
    for page in files.map(|file| file.path()).filter(|file| is_page(file)) {
        let folder = page.parent().unwrap_or(place);
        with_links(&fs::read_to_string(&page).unwrap_or_default(), |words, to| {
            if let Some((path, _)) = local(to).filter(|(path, _)| !folder.join(path).exists()) {
                dead.push(format!("{}: {}", page.display(), path));
            }
            words.to_owned()
        });
    }
    dead
}

fn is_page(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "md")
}

/// The text of a page of the project as it is installed.
fn relinked(text: &str, page: &Path) -> String {
    let folder = page.parent().unwrap_or(Path::new(""));
    let up: PathBuf = folder.components().map(|_| "..").collect();
    with_links(text, |words, to| {
        let Some((path, part)) = local(to) else { return format!("[{words}]({to})") };
        let path = plain(&folder.join(path));
        let elsewhere = ELSEWHERE.iter().find_map(|(from, at)| Some(Path::new(at).join(path.strip_prefix(from).ok()?)));
        let is_beside = path.starts_with("docs") || FILES.iter().any(|file| path == Path::new(file));
        match elsewhere {
            Some(at) => format!("[{words}]({}{part})", up.join(at).display()),
            None if is_beside => format!("[{words}]({to})"),
            None => words.to_owned(),
        }
    })
}

/// A text in which each link, its words and its target, has become what `change` makes of it. What stands in fences is
/// no link.
fn with_links(text: &str, mut change: impl FnMut(&str, &str) -> String) -> String {
    let (mut result, mut fenced) = (String::new(), false);
    for line in text.split_inclusive('\n') {
        fenced ^= line.trim_start().starts_with("```");
        let mut rest = line;
        while !fenced && let Some((before, behind)) = rest.split_once("](") {
            let (Some((kept, words)), Some((to, after))) = (before.rsplit_once('['), behind.split_once(')')) else {
                break;
            };
            result += kept;
            result += &change(words, to);
            rest = after;
        }
        result += rest;
    }
    result
}

/// Path and part of a link within the tree, to another page.
fn local(to: &str) -> Option<(&str, &str)> {
    let (path, part) = to.split_at(to.find('#').unwrap_or(to.len()));
    (!path.is_empty() && !path.contains(':')).then_some((path, part))
}

/// A path without `..`.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, component| {
        match component {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
        plain
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_what_is_installed() {
        let text =
            "[a](b.md#c), [d](../examples/ring.c), [e](../tests/x.rs) and [f](https://g)\n```\n[h](../tests)\n```\n";
        let installed =
            "[a](b.md#c), [d](../../../libsmpi/examples/ring.c), e and [f](https://g)\n```\n[h](../tests)\n```\n";
        assert_eq!(relinked(text, Path::new("docs/page.md")), installed);
        assert_eq!(relinked("[a](docs/b.md), [c](ARCHITECTURE.md)", Path::new("README.md")), "[a](docs/b.md), c");
    }
}
