//! The disk as it was, with changes that stay in memory: files of a program that is explored.
//!
//! Nothing here ever changes the disk. A copy of the overlay costs a few reference counts, and two copies share all
//! pages that neither has changed since. So each state of an exploration has its own files.
//!
//! A file's bytes are those of its pages, where it has pages; before `base_len`, those of the file on the disk; and
//! zeros otherwise.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nix::unistd::{AccessFlags, access};

use crate::failure::errno;
use crate::store::{Number, Store, Wanted};

/// Bytes of a page.
const PAGE: usize = 4096;

/// The contents of one file.
#[derive(Clone, Default, Debug)]
struct Content {
    /// The file on the disk, where there is one.
    base: Option<Arc<File>>,
    /// As many of its bytes count.
    base_len: u64,
    size: u64,
    pages: BTreeMap<u64, Arc<[u8; PAGE]>>,
}

impl Content {
    /// The page of this number as it is.
    fn page(&self, number: u64) -> io::Result<Arc<[u8; PAGE]>> {
        if let Some(page) = self.pages.get(&number) {
            return Ok(page.clone());
        }
        let mut bytes = [0; PAGE];
        let start = number * PAGE as u64;
        let there = self.base_len.saturating_sub(start).min(PAGE as u64) as usize;
        if let Some(base) = &self.base {
            read_fully(base, start, &mut bytes[..there])?;
        }
        Ok(Arc::new(bytes))
    }

    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<usize> {
        let len = self.size.saturating_sub(at).min(into.len() as u64) as usize;
        let mut done = 0;
        while done < len {
            let (number, from, part) = piece(at + done as u64, len - done);
            into[done..done + part].copy_from_slice(&self.page(number)?[from..from + part]);
            done += part;
        }
        Ok(len)
    }

    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<usize> {
        let mut done = 0;
        while done < bytes.len() {
            let (number, from, part) = piece(at + done as u64, bytes.len() - done);
            let known = self.page(number)?;
            // No second reference, which would make it a copy.
            self.pages.remove(&number);
            let mut page = known;
            Arc::make_mut(&mut page)[from..from + part].copy_from_slice(&bytes[done..done + part]);
            self.pages.insert(number, page);
            done += part;
        }
        if !bytes.is_empty() {
            self.size = self.size.max(at + bytes.len() as u64);
        }
        Ok(done)
    }

    fn resize(&mut self, size: u64) -> io::Result<()> {
        if size < self.size {
            let (last, within, _) = piece(size, 1);
            if within > 0 {
                let mut page = self.page(last)?;
                Arc::make_mut(&mut page)[within..].fill(0);
                self.pages.insert(last, page);
            }
            self.pages.split_off(&size.div_ceil(PAGE as u64));
            self.base_len = self.base_len.min(size);
        }
        self.size = size;
        Ok(())
    }
}

/// The page of a byte, where in it, and how many of `len` bytes from there on are in it.
fn piece(at: u64, len: usize) -> (u64, usize, usize) {
    let within = (at % PAGE as u64) as usize;
    (at / PAGE as u64, within, len.min(PAGE - within))
}

/// Reads bytes of a file; those that it does not have any more stay as they are.
fn read_fully(file: &File, at: u64, into: &mut [u8]) -> io::Result<()> {
    let mut done = 0;
    while done < into.len() {
        match file.read_at(&mut into[done..], at + done as u64)? {
            0 => break,
            more => done += more,
        }
    }
    Ok(())
}

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Name {
    /// The content of this number.
    Is(usize),
    /// Nothing: it was removed.
    Gone,
}

/// Files whose changes stay in memory.
#[derive(Clone, Default, Debug)]
pub struct Overlay {
    names: Arc<BTreeMap<PathBuf, Name>>,
    contents: Vec<Arc<Content>>,
    open: Vec<Option<usize>>,
}

impl Overlay {
    fn content(&self, file: Number) -> io::Result<usize> {
        self.open.get(file.0 as usize).copied().flatten().ok_or_else(|| errno(libc::EBADF))
    }

    fn add(&mut self, name: &Path, content: Content) -> usize {
        let number = self.contents.len();
        self.contents.push(Arc::new(content));
        Arc::make_mut(&mut self.names).insert(name.to_path_buf(), Name::Is(number));
        number
    }

    /// The content of a name that is there, in the overlay or on the disk.
    fn find(&mut self, name: &Path, wanted: Wanted) -> io::Result<Option<usize>> {
        match self.names.get(name) {
            Some(Name::Is(number)) => return Ok(Some(*number)),
            Some(Name::Gone) => return Ok(None),
            None => {}
        }
        let about = match fs::metadata(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            about => about?,
        };
        if about.is_dir() {
            return Err(errno(libc::EISDIR));
        }
        if wanted.is_exclusive && wanted.creates {
            return Err(errno(libc::EEXIST));
        }
        // Whether it may be written is asked by opening it, which changes nothing.
        let file = OpenOptions::new().read(true).write(wanted.writes).open(name)?;
        let size = about.len();
        let content = Content { base: Some(Arc::new(file)), base_len: size, size, pages: BTreeMap::new() };
        Ok(Some(self.add(name, content)))
    }
}

/// The one name of a file, however it is reached: symbolic links are followed.
fn canonical(path: &Path) -> io::Result<PathBuf> {
    if let Ok(whole) = fs::canonicalize(path) {
        return Ok(whole);
    }
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else { return Err(errno(libc::EISDIR)) };
    Ok(fs::canonicalize(directory)?.join(name))
}

/// Refuses to make or remove a name in a directory that may not be written.
fn check_directory(name: &Path) -> io::Result<()> {
    let directory = name.parent().unwrap_or(Path::new("/"));
    access(directory, AccessFlags::W_OK).map_err(|number| errno(number as i32))
}

impl Store for Overlay {
    fn open(&mut self, path: &Path, wanted: Wanted) -> io::Result<Number> {
        let name = canonical(path)?;
        let content = match self.find(&name, wanted)? {
            Some(_) if wanted.creates && wanted.is_exclusive => return Err(errno(libc::EEXIST)),
            Some(content) => content,
            None if wanted.creates => {
                check_directory(&name)?;
                self.add(&name, Content::default())
            }
            None => return Err(errno(libc::ENOENT)),
        };
        self.open.push(Some(content));
        Ok(Number(self.open.len() as u32 - 1))
    }

    fn close(&mut self, file: Number) {
        if let Some(open) = self.open.get_mut(file.0 as usize) {
            *open = None;
        }
    }

    fn read_at(&mut self, file: Number, at: u64, into: &mut [u8]) -> io::Result<usize> {
        self.contents[self.content(file)?].read(at, into)
    }

    fn write_at(&mut self, file: Number, at: u64, bytes: &[u8]) -> io::Result<usize> {
        let content = self.content(file)?;
        Arc::make_mut(&mut self.contents[content]).write(at, bytes)
    }

    fn is_readable(&self, _file: Number) -> bool {
        true
    }

    fn size(&mut self, file: Number) -> io::Result<u64> {
        Ok(self.contents[self.content(file)?].size)
    }

    fn resize(&mut self, file: Number, size: u64) -> io::Result<()> {
        let content = self.content(file)?;
        Arc::make_mut(&mut self.contents[content]).resize(size)
    }

    fn allocate(&mut self, file: Number, size: u64) -> io::Result<()> {
        let content = self.content(file)?;
        let now = self.contents[content].size;
        if size > now { Arc::make_mut(&mut self.contents[content]).resize(size) } else { Ok(()) }
    }

    fn sync(&mut self, file: Number) -> io::Result<()> {
        self.content(file).map(|_| ())
    }

    fn delete(&mut self, path: &Path) -> io::Result<()> {
        let name = canonical(path)?;
        self.find(&name, Wanted::default())?.ok_or_else(|| errno(libc::ENOENT))?;
        check_directory(&name)?;
        Arc::make_mut(&mut self.names).insert(name, Name::Gone);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Wanted = Wanted { reads: true, writes: true, creates: true, is_exclusive: false };

    fn read(store: &mut Overlay, file: Number, at: u64, len: usize) -> Vec<u8> {
        let mut bytes = vec![9; len];
        let there = store.read_at(file, at, &mut bytes).unwrap();
        bytes.truncate(there);
        bytes
    }

    /// A file of the disk, and what an overlay makes of it.
    #[test]
    fn changes_stay_in_memory_and_copies_are_apart() {
        let path = std::env::temp_dir().join(format!("smpi-overlay-{}", std::process::id()));
        let on_disk: Vec<u8> = (0..10_000u32).map(|index| index as u8).collect();
        fs::write(&path, &on_disk).unwrap();
        let mut store = Overlay::default();
        let file = store.open(&path, ALL).unwrap();
        assert_eq!(read(&mut store, file, 4090, 12), on_disk[4090..4102]);
        assert_eq!(store.write_at(file, 4094, &[1, 2, 3]).unwrap(), 3);
        assert_eq!(read(&mut store, file, 4092, 6), [on_disk[4092], on_disk[4093], 1, 2, 3, on_disk[4097]]);
        let earlier = store.clone();
        store.write_at(file, 20_000, &[7]).unwrap();
        assert_eq!(store.size(file).unwrap(), 20_001);
        assert_eq!(read(&mut store, file, 9_999, 3), [on_disk[9_999], 0, 0]);
        store.resize(file, 4095).unwrap();
        store.resize(file, 5000).unwrap();
        assert_eq!(read(&mut store, file, 4093, 4), [on_disk[4093], 1, 0, 0]);
        store.delete(&path).unwrap();
        assert_eq!(store.delete(&path).unwrap_err().raw_os_error(), Some(libc::ENOENT));
        // Who has it open still has it.
        assert_eq!(store.size(file).unwrap(), 5000);
        let none = Wanted { creates: false, ..ALL };
        assert_eq!(store.open(&path, none).unwrap_err().raw_os_error(), Some(libc::ENOENT));
        let mut store = earlier;
        assert_eq!(store.size(file).unwrap(), 10_000);
        assert_eq!(read(&mut store, file, 4095, 1), [2]);
        let exclusive = Wanted { is_exclusive: true, ..ALL };
        assert_eq!(store.open(&path, exclusive).unwrap_err().raw_os_error(), Some(libc::EEXIST));
        assert_eq!(fs::read(&path).unwrap(), on_disk);
        fs::remove_file(&path).unwrap();
    }
}
