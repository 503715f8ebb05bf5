//! Which names there are, as ranks have changed them: what differs from the disk, by absolute names without links in
//! them.
//!
//! A name that has no entry is what the disk has in the directory that its own directory stands for. So a directory
//! that was given another name has one entry, whatever is below it.

use super::content::Content;
use super::kind::Kind;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// What a name stands for, where that is not what the disk has.
#[derive(Clone, Debug)]
pub enum Node {
    /// Nothing.
    Gone,
    /// What the disk has under another name.
    Disk(PathBuf),
    /// Something of this run. A directory may have been the disk's, and what is in it comes from there.
    Made(Rc<Content>, Kind, Option<PathBuf>),
}

/// What is found under a name.
#[derive(Clone, Debug)]
pub enum What {
    /// Nothing.
    Missing,
    /// What the disk has, under this name there.
    Disk(PathBuf, Kind),
    /// Something of this run; as in [`Node::Made`].
    Made(Rc<Content>, Kind, Option<PathBuf>),
}

impl What {
    /// What it is; `None` where there is nothing.
    pub fn kind(&self) -> Option<Kind> {
        match self {
            What::Missing => None,
            What::Disk(_, kind) | What::Made(_, kind, _) => Some(*kind),
        }
    }

    /// Where it really is; `None` where there is nothing.
    pub fn place(&self) -> Option<&Path> {
        match self {
            What::Missing => None,
            What::Disk(place, _) => Some(place),
            What::Made(content, ..) => Some(content.place()),
        }
    }
}

/// All names.
#[derive(Clone, Default, Debug)]
pub struct Tree {
    nodes: BTreeMap<PathBuf, Node>,
}

impl Tree {
    /// Whether everything is as on the disk.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All entries, in order.
    pub fn nodes(&self) -> impl Iterator<Item = (&Path, &Node)> {
        self.nodes.iter().map(|(name, node)| (&**name, node))
    }

    /// The name on the disk of a directory, which has what is in it apart from entries; `None` where that is nothing.
    pub fn on_disk(&self, directory: &Path) -> Option<PathBuf> {
        match self.nodes.get(directory) {
            Some(Node::Gone) => None,
            Some(Node::Disk(name)) => Some(name.clone()),
            Some(Node::Made(_, _, under)) => under.clone(),
            None => match (directory.parent(), directory.file_name()) {
                (Some(parent), Some(last)) => Some(self.on_disk(parent)?.join(last)),
                _ => Some(directory.to_path_buf()),
            },
        }
    }

    /// What the disk has for a name that has no entry.
    fn without_entry(&self, name: &Path) -> Option<PathBuf> {
        match (name.parent(), name.file_name()) {
            (Some(parent), Some(last)) => Some(self.on_disk(parent)?.join(last)),
            _ => Some(name.to_path_buf()),
        }
    }

    /// What a name stands for. All directories on the way must be there.
    pub fn what(&self, name: &Path) -> What {
        let of_disk = |name: PathBuf| Kind::on_disk(&name).map_or(What::Missing, |kind| What::Disk(name, kind));
        match self.nodes.get(name) {
            Some(Node::Gone) => What::Missing,
            Some(Node::Disk(other)) => of_disk(other.clone()),
            Some(Node::Made(content, kind, under)) => What::Made(Rc::clone(content), *kind, under.clone()),
            None => self.without_entry(name).map_or(What::Missing, of_disk),
        }
    }

    /// Lets a name stand for something.
    pub fn set(&mut self, name: &Path, node: Node) {
        let of_disk = self.without_entry(name);
        let is_plain = match &node {
            Node::Gone => of_disk.is_none_or(|name| Kind::on_disk(&name).is_none()),
            Node::Disk(other) => of_disk.as_deref() == Some(other),
            Node::Made(..) => false,
        };
        if is_plain {
            self.nodes.remove(name);
        } else {
            self.nodes.insert(name.to_path_buf(), node);
        }
    }

    /// Names of entries below a directory.
    fn below(&self, directory: &Path) -> Vec<PathBuf> {
        let after = (Bound::Excluded(directory.to_path_buf()), Bound::Unbounded);
        self.nodes.range(after).map(|(name, _)| name).take_while(|name| name.starts_with(directory)).cloned().collect()
    }

    /// Removes a name and what is below.
    pub fn remove(&mut self, name: &Path) {
        for below in self.below(name) {
            self.nodes.remove(&below);
        }
        self.set(name, Node::Gone);
    }

    /// Gives what is under a name another one, where there may be something else, which is no more. Neither of them is
    /// below the other.
    pub fn rename(&mut self, from: &Path, to: &Path) {
        let node = match self.what(from) {
            What::Missing => Node::Gone,
            What::Disk(name, _) => Node::Disk(name),
            What::Made(content, kind, under) => Node::Made(content, kind, under),
        };
        let moved: Vec<(PathBuf, Node)> = self
            .below(from)
            .into_iter()
            .filter_map(|name| {
                let node = self.nodes.remove(&name)?;
                Some((to.join(name.strip_prefix(from).ok()?), node))
            })
            .collect();
        self.remove(to);
        self.set(from, Node::Gone);
        self.set(to, node);
        self.nodes.extend(moved);
    }

    /// Whether a directory has other names in it than what it is on the disk.
    pub fn is_changed_in(&self, directory: &Path) -> bool {
        self.below(directory).iter().any(|name| name.parent() == Some(directory))
    }

    /// What is in a directory, by name.
    pub fn list(&self, directory: &Path) -> BTreeMap<OsString, Kind> {
        let on_disk = self.on_disk(directory).and_then(|name| fs::read_dir(name).ok());
        let entries = on_disk.into_iter().flatten().flatten();
        let mut list: BTreeMap<OsString, Kind> =
            entries.filter_map(|entry| Some((entry.file_name(), Kind::of(entry.file_type().ok()?)))).collect();
        for name in self.below(directory) {
            let (Some(parent), Some(last)) = (name.parent(), name.file_name()) else { continue };
            if parent == directory {
                match self.what(&name).kind() {
                    Some(kind) => list.insert(last.to_os_string(), kind),
                    None => list.remove(last),
                };
            }
        }
        list
    }

    /// The name of what is in this place on the disk; `None` where it has none any more.
    pub fn name_of(&self, place: &Path) -> Option<PathBuf> {
        let inside = |under: &Path, name: &Path| place.strip_prefix(under).ok().map(|rest| join(name, rest));
        let renamed = self.nodes().filter_map(|(name, node)| match node {
            Node::Disk(under) | Node::Made(_, _, Some(under)) => inside(under, name),
            _ => None,
        });
        let mut all = renamed.chain([place.to_path_buf()]);
        all.find(|name| self.on_disk(name).as_deref() == Some(place))
    }

    /// The name of something of this run, the first one if it has several.
    pub fn name_of_made(&self, place: &Path) -> Option<PathBuf> {
        let is_it = |node: &Node| matches!(node, Node::Made(content, ..) if content.place() == place);
        self.nodes().find(|(_, node)| is_it(node)).map(|(name, _)| name.to_path_buf())
    }
}

/// Joins what may be nothing.
fn join(name: &Path, rest: &Path) -> PathBuf {
    if rest.as_os_str().is_empty() { name.to_path_buf() } else { name.join(rest) }
}
