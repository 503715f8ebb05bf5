//! The files that ranks find and change: the disk with the changes of this run, which go to a folder.
//!
//! All functions take the directory from which relative paths go, and give error numbers as the system would. What the
//! caller then does, it does in the place that they give.

use super::content::{Content, Image, set_changed};
use super::folder::{Folder, is_parent};
use super::kind::Kind;
use super::tree::{Node, Tree, What};
use super::walk::{End, Way, end_of, walk};
use crate::descriptors;
use crate::verification::note_uncontrolled;
use smpi_base::digest::Digest;
use smpi_scratch::PREFIX;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ffi::{CString, c_int};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::rc::{Rc, Weak};

/// The files of this process.
#[derive(Debug, Default)]
pub struct Files {
    tree: RefCell<Rc<Tree>>,
    folder: RefCell<Option<Rc<Folder>>>,
    /// What some name or snapshot needs.
    known: RefCell<Vec<Weak<Content>>>,
    /// How often names have got another meaning.
    turns: Cell<u64>,
}

/// Where a caller finds what it asks for.
#[derive(Debug)]
pub enum Target {
    /// Where it has looked for it.
    Same,
    /// Here.
    Place(PathBuf),
    /// Nowhere: it is to be made where this says, and then [`Files::made`] is told.
    New(Fresh),
}

/// Something that is to be made.
#[derive(Debug)]
pub struct Fresh {
    name: PathBuf,
    content: Rc<Content>,
}

impl Fresh {
    /// Where.
    pub fn place(&self) -> &Path {
        self.content.place()
    }
}

/// What somebody must be allowed who changes something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needs {
    /// To write it.
    Writing,
    /// It is the user's own.
    Owning,
}

/// What is removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Removes {
    /// Everything but a directory.
    File,
    /// A directory, which is empty.
    Directory,
    /// Either.
    Any,
}

/// The state of all files at one moment.
#[derive(Debug)]
pub struct Saved {
    tree: Rc<Tree>,
    images: Vec<(Rc<Content>, Rc<Image>)>,
}

type Result<T> = std::result::Result<T, c_int>;

/// The number of an error of the system.
fn number(error: &io::Error) -> c_int {
    error.raw_os_error().unwrap_or(libc::EIO)
}

/// Whether the system allows something to be done with what is in a place.
fn allows(place: &Path, mode: c_int) -> Result<()> {
    let path = CString::new(place.as_os_str().as_bytes()).map_err(|_| libc::EINVAL)?;
    // SAFETY: a valid path. By its number: the function is one of those that ranks are given.
    let result = unsafe { libc::syscall(libc::SYS_faccessat, libc::AT_FDCWD, path.as_ptr(), mode) };
    if result == 0 { Ok(()) } else { Err(number(&io::Error::last_os_error())) }
}

fn check(place: &Path, needs: Needs) -> Result<()> {
    if needs == Needs::Writing {
        return allows(place, libc::W_OK);
    }
    let about = fs::symlink_metadata(place).map_err(|error| number(&error))?;
    // SAFETY: asks who this process is.
    let user = unsafe { libc::geteuid() };
    if user == 0 || about.uid() == user { Ok(()) } else { Err(libc::EPERM) }
}

impl Files {
    /// Whether all files are those of the disk.
    pub fn are_untouched(&self) -> bool {
        self.tree.borrow().is_empty()
    }

    /// A number that is another one whenever a name may have another meaning.
    pub fn turn(&self) -> u64 {
        self.turns.get()
    }

    fn change_tree<R>(&self, change: impl FnOnce(&mut Tree) -> R) -> R {
        self.turns.set(self.turns.get() + 1);
        change(Rc::make_mut(&mut self.tree.borrow_mut()))
    }

    fn folder(&self) -> Result<Rc<Folder>> {
        let mut folder = self.folder.borrow_mut();
        if let Some(folder) = folder.as_ref().filter(|folder| folder.is_own()) {
            return Ok(Rc::clone(folder));
        }
        let made = Folder::new().map_err(|error| {
            note_uncontrolled(
                "there is no place for what ranks write to files: expected that a folder can be made in TMPDIR",
            );
            number(&error)
        })?;
        Ok(Rc::clone(folder.insert(Rc::new(made))))
    }

    /// Whether a directory is not what the disk has under this name, or something below it is not.
    pub fn is_changed_around(&self, name: &Path) -> bool {
        let tree = self.tree.borrow();
        !tree.is_empty() && tree.nodes().any(|(changed, _)| changed.starts_with(name) || name.starts_with(changed))
    }

    /// Whether a place is in the folder.
    pub fn is_inside(&self, place: &Path) -> bool {
        self.folder.borrow().as_ref().is_some_and(|folder| place.starts_with(folder.path()))
    }

    /// Removes the folder.
    pub fn remove_folder(&self) {
        if let Some(folder) = self.folder.borrow_mut().take() {
            folder.remove();
        }
    }

    /// The name of what the system calls so.
    pub fn name_of_place(&self, place: &Path) -> Option<PathBuf> {
        let tree = self.tree.borrow();
        match self.folder.borrow().as_ref().filter(|folder| place.starts_with(folder.path())) {
            Some(folder) => folder.name_of_shown(place).or_else(|| tree.name_of_made(place)),
            None => tree.name_of(place),
        }
    }

    /// Where a path leads.
    pub fn way(&self, from: &Path, path: &Path, follows: bool) -> Result<Way> {
        walk(&self.tree.borrow(), from, path, follows)
    }

    /// The same for what is opened or changed: a name that the kernel makes may stand for an open file.
    fn way_through(&self, from: &Path, path: &Path, follows: bool) -> Result<Way> {
        let way = self.way(from, path, follows)?;
        let target = match way {
            Way::Elsewhere if follows => fs::read_link(from.join(path)).ok().filter(|target| target.is_absolute()),
            _ => None,
        };
        let is_file = |target: &PathBuf| Kind::on_disk(target) == Some(Kind::File);
        match target.filter(is_file).and_then(|target| self.name_of_place(&target)) {
            Some(name) => self.way(Path::new("/"), &name, false),
            None => Ok(way),
        }
    }

    /// What is there to be looked at, or used as it is.
    pub fn look(&self, from: &Path, path: &Path, follows: bool) -> Result<Target> {
        match self.way(from, path, follows)? {
            Way::Elsewhere => Ok(Target::Same),
            Way::To(_, what) => what.place().map(|place| Target::Place(place.to_path_buf())).ok_or(libc::ENOENT),
        }
    }

    /// A directory to be listed.
    pub fn list(&self, from: &Path, path: &Path) -> Result<Target> {
        match self.way(from, path, true)? {
            Way::Elsewhere => Ok(Target::Same),
            Way::To(name, what) => self.listed(&name, &what).map(Target::Place),
        }
    }

    fn listed(&self, name: &Path, what: &What) -> Result<PathBuf> {
        let place = what.place().ok_or(libc::ENOENT)?;
        if what.kind() != Some(Kind::Directory) {
            return Ok(place.to_path_buf());
        }
        let tree = self.tree.borrow();
        let has_folders = is_parent(name);
        if !has_folders && !tree.is_changed_in(name) {
            return Ok(tree.on_disk(name).unwrap_or_else(|| place.to_path_buf()));
        }
        allows(place, libc::R_OK)?;
        let mut list = tree.list(name);
        if has_folders {
            list.retain(|name, _| !name.as_bytes().starts_with(PREFIX.as_bytes()));
        }
        self.folder()?.shown(name, list).map_err(|error| number(&error))
    }

    fn fresh(&self, name: PathBuf) -> Result<Fresh> {
        let content = Rc::new(Content::new(&self.folder()?));
        Ok(Fresh { name, content })
    }

    /// Something that is to be made under a name of which the directory is there.
    fn begin(&self, name: PathBuf) -> Result<Target> {
        self.check_around(&name)?;
        self.fresh(name).map(Target::New)
    }

    /// Refuses to make or remove a name in a directory that may not be written.
    fn check_around(&self, name: &Path) -> Result<()> {
        let directory = name.parent().ok_or(libc::EBUSY)?;
        let what = self.tree.borrow().what(directory);
        allows(what.place().ok_or(libc::ENOENT)?, libc::W_OK | libc::X_OK)
    }

    /// Where a path leads of which the last name itself is meant, and how it ends.
    fn entry(&self, from: &Path, path: &Path) -> Result<(Way, End)> {
        let (end, short) = end_of(path);
        Ok((self.way(from, short, false)?, end))
    }

    /// A name that is to be given to something new, which is a directory or is none.
    pub fn make(&self, from: &Path, path: &Path, is_directory: bool) -> Result<Target> {
        match self.entry(from, path)? {
            (Way::Elsewhere, _) => Ok(Target::Same),
            (Way::To(_, What::Missing), End::Slash) if !is_directory => Err(libc::ENOENT),
            (Way::To(name, What::Missing), _) => self.begin(name),
            (Way::To(..), _) => Err(libc::EEXIST),
        }
    }

    /// It was made.
    pub fn made(&self, fresh: Fresh) {
        let Fresh { name, content } = fresh;
        // Where the system has nothing, it was not.
        if let Some(kind) = Kind::on_disk(content.place()) {
            self.known.borrow_mut().push(Rc::downgrade(&content));
            self.change_tree(|tree| tree.set(&name, Node::Made(content, kind, None)));
        }
    }

    /// A file to be opened with these flags.
    pub fn open(&self, from: &Path, path: &Path, flags: c_int) -> Result<Target> {
        let creates = flags & libc::O_CREAT != 0;
        let is_exclusive = creates && flags & libc::O_EXCL != 0;
        let follows = flags & libc::O_NOFOLLOW == 0 && !is_exclusive;
        let writes = flags & libc::O_ACCMODE != libc::O_RDONLY || flags & libc::O_TRUNC != 0;
        if creates && end_of(path).0 != End::Name {
            return match self.entry(from, path)? {
                (Way::Elsewhere, _) => Ok(Target::Same),
                (Way::To(..), End::Dot | End::Dots) if is_exclusive => Err(libc::EEXIST),
                (Way::To(..), _) => Err(libc::EISDIR),
            };
        }
        let (name, what) = match self.way_through(from, path, follows)? {
            Way::Elsewhere => return Ok(Target::Same),
            Way::To(name, what) => (name, what),
        };
        let Some(kind) = what.kind() else { return if creates { self.begin(name) } else { Err(libc::ENOENT) } };
        if is_exclusive {
            return Err(libc::EEXIST);
        }
        match (kind, what) {
            (Kind::Directory, what) if !writes && !creates => self.listed(&name, &what).map(Target::Place),
            (Kind::File, what) if writes && flags & (libc::O_PATH | libc::O_DIRECTORY) == 0 => {
                let empty = flags & libc::O_TRUNC != 0;
                self.changed(&name, &what, Needs::Writing, empty).map(Target::Place)
            }
            (_, what) => what.place().map(|place| Target::Place(place.to_path_buf())).ok_or(libc::ENOENT),
        }
    }

    /// What is there, to be changed.
    pub fn change(&self, from: &Path, path: &Path, follows: bool, needs: Needs) -> Result<Target> {
        match self.way_through(from, path, follows)? {
            Way::Elsewhere => Ok(Target::Same),
            Way::To(_, what) if needs == Needs::Writing && what.kind() == Some(Kind::Directory) => Err(libc::EISDIR),
            Way::To(name, what) => self.changed(&name, &what, needs, false).map(Target::Place),
        }
    }

    /// The place of something that is about to be changed. What is in a file is left out if `empty`.
    fn changed(&self, name: &Path, what: &What, needs: Needs, empty: bool) -> Result<PathBuf> {
        let (place, kind) = match what {
            What::Missing => return Err(libc::ENOENT),
            What::Made(content, ..) => {
                content.note_change();
                return Ok(content.place().to_path_buf());
            }
            What::Disk(place, kind) => (place, *kind),
        };
        check(place, needs)?;
        let fresh = self.fresh(name.to_path_buf())?;
        let done = match kind {
            Kind::File => copy(place, fresh.place(), empty),
            Kind::Directory => {
                let mode = fs::metadata(place).map(|about| about.mode() & 0o7777);
                let permissions = mode.map(fs::Permissions::from_mode);
                permissions.and_then(|permissions| {
                    fs::create_dir(fresh.place())?;
                    fs::set_permissions(fresh.place(), permissions)
                })
            }
            Kind::Link => fs::read_link(place).and_then(|target| symlink(target, fresh.place())),
            Kind::Fifo | Kind::Other => {
                note_uncontrolled("what a rank did to a device, a socket or a FIFO is not put back");
                return Ok(place.clone());
            }
        };
        done.map_err(|error| number(&error))?;
        let Fresh { content, .. } = fresh;
        let new = content.place().to_path_buf();
        if kind == Kind::File {
            let is_mapped = fs::metadata(place).is_ok_and(|about| descriptors::is_mapped((about.dev(), about.ino())));
            if is_mapped || !descriptors::open_instead(place, &new) {
                note_uncontrolled("a rank changed a file that was open or mapped, and is seen there as it was");
            }
        }
        let under = (kind == Kind::Directory).then(|| place.clone());
        self.known.borrow_mut().push(Rc::downgrade(&content));
        self.change_tree(|tree| tree.set(name, Node::Made(content, kind, under)));
        Ok(new)
    }

    /// Removes a name; false where that is the system's.
    pub fn remove(&self, from: &Path, path: &Path, removes: Removes) -> Result<bool> {
        let (way, end) = self.entry(from, path)?;
        let Way::To(name, what) = way else { return Ok(false) };
        match (end, removes) {
            (End::Dot | End::Dots, Removes::File) => return Err(libc::EISDIR),
            (End::Dot, _) => return Err(libc::EINVAL),
            (End::Dots, _) => return Err(libc::ENOTEMPTY),
            (End::Name | End::Slash, _) => {}
        }
        let is_directory = match what.kind() {
            None => return Err(libc::ENOENT),
            Some(kind) => kind == Kind::Directory,
        };
        match removes {
            Removes::File if is_directory => return Err(libc::EISDIR),
            Removes::Directory if !is_directory => return Err(libc::ENOTDIR),
            _ if !is_directory && end == End::Slash => return Err(libc::ENOTDIR),
            _ => {}
        }
        self.check_around(&name)?;
        if is_directory && !self.tree.borrow().list(&name).is_empty() {
            return Err(libc::ENOTEMPTY);
        }
        self.change_tree(|tree| tree.remove(&name));
        Ok(true)
    }

    /// Gives something another name, with the flags of `renameat2`; false where that is the system's.
    pub fn rename(&self, from: (&Path, &Path), to: (&Path, &Path), flags: u32) -> Result<bool> {
        let ((old, old_end), (new, new_end)) = (self.entry(from.0, from.1)?, self.entry(to.0, to.1)?);
        let (Way::To(old, what), Way::To(new, there)) = (old, new) else { return Ok(false) };
        let ends = [old_end, new_end];
        if ends.iter().any(|end| matches!(end, End::Dot | End::Dots)) {
            return Err(libc::EBUSY);
        }
        let kind = what.kind().ok_or(libc::ENOENT)?;
        if kind != Kind::Directory && ends.contains(&End::Slash) {
            return Err(libc::ENOTDIR);
        }
        if flags & !libc::RENAME_NOREPLACE != 0 {
            return Err(libc::EINVAL);
        }
        if flags & libc::RENAME_NOREPLACE != 0 && there.kind().is_some() {
            return Err(libc::EEXIST);
        }
        if kind == Kind::Directory && new.starts_with(&old) && new != old {
            return Err(libc::EINVAL);
        }
        if old.starts_with(&new) && new != old {
            return Err(libc::ENOTEMPTY);
        }
        match (kind, there.kind()) {
            (Kind::Directory, Some(other)) if other != Kind::Directory => return Err(libc::ENOTDIR),
            (kind, Some(Kind::Directory)) if kind != Kind::Directory => return Err(libc::EISDIR),
            _ => {}
        }
        self.check_around(&old)?;
        self.check_around(&new)?;
        let is_one = match (&what, &there) {
            (What::Made(one, ..), What::Made(other, ..)) => Rc::ptr_eq(one, other),
            (What::Disk(one, _), What::Disk(other, _)) => is_one_file(one, other),
            _ => false,
        };
        if is_one {
            return Ok(true);
        }
        if there.kind() == Some(Kind::Directory) && !self.tree.borrow().list(&new).is_empty() {
            return Err(libc::ENOTEMPTY);
        }
        self.change_tree(|tree| tree.rename(&old, &new));
        Ok(true)
    }

    /// Gives something one more name; false where that is the system's.
    pub fn link(&self, from: (&Path, &Path), to: (&Path, &Path), follows: bool) -> Result<bool> {
        let old = self.way(from.0, from.1, follows)?;
        if matches!(old, Way::To(_, What::Missing)) {
            return Err(libc::ENOENT);
        }
        let (new, end) = self.entry(to.0, to.1)?;
        let (Way::To(old, what), Way::To(new, there)) = (old, new) else { return Ok(false) };
        match (there, end) {
            (What::Missing, End::Name) => {}
            (What::Missing, _) => return Err(libc::ENOENT),
            _ => return Err(libc::EEXIST),
        }
        if what.kind() == Some(Kind::Directory) {
            return Err(libc::EPERM);
        }
        self.check_around(&new)?;
        // Both names stand for one thing from now on, whichever is used to change it.
        if let What::Disk(place, _) = &what {
            self.changed(&old, &what, Needs::Owning, false).or_else(|error| match error {
                libc::EPERM => self.changed(&old, &what, Needs::Writing, false),
                error => Err(error),
            })?;
            note_names(place);
        }
        let What::Made(content, kind, under) = self.tree.borrow().what(&old) else { return Err(libc::EXDEV) };
        self.change_tree(|tree| tree.set(&new, Node::Made(content, kind, under)));
        Ok(true)
    }

    /// What everything of this run is like now. What cannot be changed before it is opened again is at rest from now
    /// on: no look is needed then.
    fn images(&self) -> Vec<(Rc<Content>, Rc<Image>)> {
        let mut known = self.known.borrow_mut();
        known.retain(|content| content.strong_count() > 0);
        let contents = known.iter().filter_map(Weak::upgrade).filter(|content| content.is_own());
        let images: Vec<_> = contents.filter_map(|content| content.image().map(|image| (content, image))).collect();
        let changing: Vec<&Rc<Content>> =
            images.iter().map(|(content, _)| content).filter(|content| content.may_differ()).collect();
        if !changing.is_empty() {
            let written = descriptors::written();
            for content in changing {
                let identity = fs::symlink_metadata(content.place()).map(|about| (about.dev(), about.ino()));
                if identity.is_ok_and(|identity| !written.contains(&identity)) {
                    content.note_rest();
                }
            }
        }
        images
    }

    /// The state of all files now; nothing where ranks have changed none.
    pub fn save(&self) -> Option<Rc<Saved>> {
        let tree = Rc::clone(&self.tree.borrow());
        let images = self.images();
        (!tree.is_empty() || !images.is_empty()).then(|| Rc::new(Saved { tree, images }))
    }

    /// Puts all files back.
    pub fn put_back(&self, saved: Option<&Saved>) {
        if saved.is_none() && self.are_untouched() {
            return;
        }
        self.turns.set(self.turns.get() + 1);
        *self.tree.borrow_mut() = saved.map_or_else(Rc::default, |saved| Rc::clone(&saved.tree));
        for (content, image) in saved.iter().flat_map(|saved| &saved.images) {
            content.put_back(image);
        }
    }

    /// What each changed name stands for, as a digest of what the disk has now.
    pub fn raw(&self) -> BTreeMap<PathBuf, u128> {
        let of = |node: &Node| match node {
            Node::Gone => 0,
            Node::Disk(other) => Digest::of(other),
            Node::Made(content, kind, under) => Digest::of(&(kind, under, content.raw())),
        };
        self.tree.borrow().nodes().map(|(name, node)| (name.to_path_buf(), of(node))).collect()
    }

    /// Whether nothing is changed.
    pub fn is_untouched(&self) -> bool {
        self.tree.borrow().nodes().next().is_none()
    }

    /// Adds what tells these files from those of other states.
    pub fn name(&self, into: &mut Digest) {
        self.images();
        let tree = Rc::clone(&self.tree.borrow());
        let mut met: Vec<&Path> = Vec::new();
        for (name, node) in tree.nodes() {
            into.add(name);
            match node {
                Node::Gone => into.add(0),
                Node::Disk(other) => into.add((1, other)),
                Node::Made(content, kind, under) => {
                    let place = content.place();
                    let first = met.iter().position(|known| *known == place).unwrap_or(met.len());
                    met.extend((first == met.len()).then_some(place));
                    into.add((2, kind, under, first, content.image().map(|image| image.digest())));
                }
            }
        }
    }
}

/// Whether two names on the disk are those of one file.
fn is_one_file(one: &Path, other: &Path) -> bool {
    let identity = |name: &Path| fs::symlink_metadata(name).map(|about| (about.dev(), about.ino()));
    matches!((identity(one), identity(other)), (Ok(one), Ok(other)) if one == other)
}

/// Notes that a file of the disk has other names, which go on standing for what it was.
fn note_names(place: &Path) {
    if fs::symlink_metadata(place).is_ok_and(|about| about.is_file() && about.nlink() > 1) {
        note_uncontrolled("a rank changed a file that has several names (hard links): the change is under one of them");
    }
}

/// Copies a file of the disk, with its permissions and its time.
fn copy(from: &Path, to: &Path, empty: bool) -> io::Result<()> {
    let about = fs::metadata(from)?;
    note_names(from);
    if empty {
        fs::File::create(to)?;
    } else {
        fs::copy(from, to)?;
    }
    fs::set_permissions(to, fs::Permissions::from_mode(about.mode() & 0o7777))?;
    set_changed(to, (about.mtime(), about.mtime_nsec()))
}
