//! What an open descriptor is, as the kernel tells it, whatever is known of it: to be compared.

use std::ffi::c_int;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;

use super::channels::{self, Channel};
use crate::descriptors::{about, status};
use smpi_base::digest::Digest;

/// Contents of larger files are not put back, which is said then.
const MOST_CONTENTS: i64 = 1 << 20;

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
