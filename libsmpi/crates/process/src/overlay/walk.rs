//! From the path that a caller gives to the one name of what it stands for: links are followed as the kernel does.
//! Source: path_resolution(7).

use super::kind::Kind;
use super::tree::{Tree, What};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Links that are followed, one after the other.
const MOST_LINKS: usize = 40;
/// Bytes of a name.
const MOST_BYTES: usize = 255;

/// Where a path leads.
#[derive(Clone, Debug)]
pub enum Way {
    /// Into a part of the tree that the kernel makes, and that nobody can change.
    Elsewhere,
    /// To this name, and what is there.
    To(PathBuf, What),
}

/// Whether the kernel makes what is under a name.
fn is_elsewhere(name: &Path) -> bool {
    let is_device = name.starts_with("/dev") && name != Path::new("/dev") && !name.starts_with("/dev/shm");
    name.starts_with("/proc") || name.starts_with("/sys") || is_device
}

/// Puts the parts of a path on top of those that are still to be gone, the first one on top.
fn push(rest: &mut Vec<OsString>, path: &Path) {
    let parts = path.as_os_str().as_bytes().split(|byte| *byte == b'/').filter(|part| !part.is_empty());
    rest.extend(parts.rev().map(|part| OsString::from_vec(part.to_vec())));
}

/// Whether a path can only stand for a directory.
fn ends_as_directory(path: &Path) -> bool {
    let bytes = path.as_os_str().as_bytes();
    [&b"/"[..], b"/.", b"/.."].iter().any(|end| bytes.ends_with(end)) || bytes == b"." || bytes == b".."
}

/// How a path ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// With a name.
    Name,
    /// With a name and `/`.
    Slash,
    /// With `.`.
    Dot,
    /// With `..`, or it is the root.
    Dots,
}

/// How a path ends, and the path without `/` at its end.
pub fn end_of(path: &Path) -> (End, &Path) {
    let bytes = path.as_os_str().as_bytes();
    let len = bytes.iter().rposition(|byte| *byte != b'/').map_or(0, |last| last + 1);
    let short = Path::new(OsStr::from_bytes(&bytes[..len]));
    let end = match bytes[..len].rsplit(|byte| *byte == b'/').next() {
        Some(b"") | None => End::Dots,
        Some(b".") => End::Dot,
        Some(b"..") => End::Dots,
        Some(_) if len < bytes.len() => End::Slash,
        Some(_) => End::Name,
    };
    (end, if len == 0 { path } else { short })
}

/// Goes a path from a directory on; a link at its end is followed if `follows`.
///
/// # Errors
/// Error numbers, as of the system.
pub fn walk(tree: &Tree, from: &Path, path: &Path, follows: bool) -> Result<Way, i32> {
    if path.as_os_str().is_empty() {
        return Err(libc::ENOENT);
    }
    if path.as_os_str().len() >= libc::PATH_MAX as usize {
        return Err(libc::ENAMETOOLONG);
    }
    let mut at = if path.is_absolute() { PathBuf::from("/") } else { from.to_path_buf() };
    let mut rest = Vec::new();
    push(&mut rest, path);
    let mut must_be_directory = ends_as_directory(path);
    let mut links = 0;
    while let Some(part) = rest.pop() {
        match part.as_bytes() {
            b"." => continue,
            b".." => {
                at.pop();
                continue;
            }
            bytes if bytes.len() > MOST_BYTES => return Err(libc::ENAMETOOLONG),
            _ => {}
        }
        let name = at.join(part);
        if is_elsewhere(&name) {
            return Ok(Way::Elsewhere);
        }
        let what = tree.what(&name);
        let is_last = rest.is_empty();
        match what.kind() {
            Some(Kind::Link) if !is_last || follows || must_be_directory => {
                links += 1;
                if links > MOST_LINKS {
                    return Err(libc::ELOOP);
                }
                let target = what.place().and_then(|place| fs::read_link(place).ok()).ok_or(libc::ENOENT)?;
                must_be_directory |= is_last && ends_as_directory(&target);
                push(&mut rest, &target);
                if target.is_absolute() {
                    at = PathBuf::from("/");
                }
            }
            Some(Kind::Directory) if !is_last => at = name,
            Some(_) if !is_last || must_be_directory && what.kind() != Some(Kind::Directory) => {
                return Err(libc::ENOTDIR);
            }
            None if !is_last => return Err(libc::ENOENT),
            _ => return Ok(Way::To(name, what)),
        }
    }
    let what = tree.what(&at);
    Ok(Way::To(at, what))
}
