//! The part of the check of ourselves ([`super::self_check`]) that is about files: the table of descriptors as the
//! kernel has it, what is in the files that ranks may write to, and what names stand for. All of it is read from the
//! system, whatever is known of it.

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;

use super::channels::{self, Channel};
use super::ranks::Ranks;
use crate::descriptors::{about, is_hidden, open_now, status};
use crate::overlay;
use crate::verification::uncontrolled;
use smpi_base::digest::Digest;

/// Contents of larger files are not put back, which is said then.
const MOST_CONTENTS: i64 = 1 << 20;

/// What ranks have open, and how they have changed the disk, to be compared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FilesFingerprint {
    /// Digests, by descriptor.
    open: BTreeMap<c_int, u128>,
    /// Digests, by name.
    named: BTreeMap<std::path::PathBuf, u128>,
}

impl Ranks {
    /// Looks at all files of ranks. Descriptors `before` ranks ran are left out. `None` where the exploration is not
    /// complete because of something that cannot be put back, which may be a file.
    pub fn fingerprint_of_files(&self, before: &[c_int]) -> Option<FilesFingerprint> {
        if uncontrolled().next().is_some() {
            return None;
        }
        let of_ranks = open_now().into_iter().filter(|number| !is_hidden(*number) && !before.contains(number));
        let open = of_ranks.filter_map(|number| Some((number, of_descriptor(number)?))).collect();
        Some(FilesFingerprint { open, named: overlay::raw() })
    }

    /// What is different in the files of ranks, in words.
    pub fn differences_of_files(&self, before: &[c_int], then: &FilesFingerprint) -> Option<String> {
        let now = self.fingerprint_of_files(before)?;
        let is_other = |number: &&c_int| now.open.get(number) != then.open.get(number);
        if let Some(number) = now.open.keys().chain(then.open.keys()).find(is_other) {
            return Some(format!("descriptor {number} is something else"));
        }
        let is_other = |name: &&std::path::PathBuf| now.named.get(*name) != then.named.get(*name);
        let name = now.named.keys().chain(then.named.keys()).find(is_other)?;
        Some(format!("{} is something else", name.display()))
    }
}

/// What a descriptor is: which file, its place, its flags, what is in it.
pub(super) fn of_descriptor(number: c_int) -> Option<u128> {
    let found = about(number)?;
    let mut digest = Digest::new();
    digest.add((found.st_dev, found.st_ino, found.st_mode));
    // Place, flags (with the one that closes it), and the value of a counter (proc_pid_fdinfo(5)).
    let told = fs::read_to_string(format!("/proc/self/fdinfo/{number}")).ok()?;
    let is_kept = |line: &&str| ["pos:", "flags:", "eventfd-count:"].iter().any(|key| line.starts_with(key));
    told.lines().filter(is_kept).for_each(|line| digest.add(line));
    match found.st_mode & libc::S_IFMT {
        libc::S_IFIFO => match Channel::of(number, channels::kind_of(number, &found)) {
            Some(Channel::Pipe(bytes)) => digest.add(&bytes[..]),
            Some(Channel::Counter(_)) | None => {}
        },
        libc::S_IFREG => {
            let is_written = status(number) & libc::O_ACCMODE != libc::O_RDONLY;
            digest.add(if is_written && found.st_size <= MOST_CONTENTS {
                contents(number, found.st_size)
            } else {
                None
            });
        }
        _ => {}
    }
    Some(digest.bits())
}

/// The bytes of an open file, which another opening reads: its place stays.
fn contents(number: c_int, size: i64) -> Option<Vec<u8>> {
    let file = File::open(format!("/proc/self/fd/{number}")).ok()?;
    let mut bytes = vec![0; size as usize];
    file.read_exact_at(&mut bytes, 0).ok()?;
    Some(bytes)
}
