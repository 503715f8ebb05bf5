//! The dynamic linker's cache of libraries, `/etc/ld.so.cache`: name → file.
//!
//! Source: ldconfig(8), and the layout that glibc has written since 2.2 ("glibc-ld.so.cache1.1"): a header of 48 bytes,
//! entries of 24 bytes (flags, name, file, version of the system, processor features), strings. Older systems put the
//! table of libc5 before it. Entries for special processor features are passed over: every library has a plain one.

use crate::elf_file::{u32_at, u64_at};
use std::path::PathBuf;

const PATH: &str = "/etc/ld.so.cache";
const MAGIC: &[u8] = b"glibc-ld.so.cache1.1";
const OLD_MAGIC: &[u8] = b"ld.so-1.7.0";
const OLD_HEADER: usize = 16;
const OLD_ENTRY: usize = 12;
const HEADER: usize = 48;
const ENTRY: usize = 24;

/// The cache's contents.
pub(crate) struct Cache {
    /// From the header on, to which all offsets refer; empty when there is no cache, or one of unknown form.
    bytes: Vec<u8>,
}

impl Cache {
    /// Reads the cache of this machine.
    pub fn read() -> Cache {
        Cache::of(std::fs::read(PATH).unwrap_or_default())
    }

    fn of(mut bytes: Vec<u8>) -> Cache {
        if bytes.starts_with(OLD_MAGIC) && bytes.len() > OLD_HEADER {
            let header = OLD_HEADER.saturating_add((u32_at(&bytes, 12) as usize).saturating_mul(OLD_ENTRY));
            bytes.drain(..header.next_multiple_of(8).min(bytes.len()));
        }
        if bytes.len() < HEADER || !bytes.starts_with(MAGIC) {
            bytes.clear();
        }
        Cache { bytes }
    }

    /// Files of this name, best first; some may be for other machines.
    pub fn files(&self, name: &str) -> Vec<PathBuf> {
        let count = if self.bytes.is_empty() { 0 } else { u32_at(&self.bytes, 20) as usize };
        let entries = self.bytes.get(HEADER..).unwrap_or_default().chunks_exact(ENTRY).take(count);
        let plain = entries.filter(|entry| u64_at(entry, 16) == 0);
        let named = plain.filter(|entry| self.text(u32_at(entry, 4)) == Some(name));
        named.filter_map(|entry| self.text(u32_at(entry, 8)).map(PathBuf::from)).collect()
    }

    fn text(&self, offset: u32) -> Option<&str> {
        let rest = self.bytes.get(offset as usize..)?;
        let end = rest.iter().position(|&byte| byte == 0)?;
        std::str::from_utf8(&rest[..end]).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(prefix: &[u8], entries: &[(&str, &str, u64)]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend((entries.len() as u32).to_le_bytes());
        bytes.resize(HEADER, 0);
        let mut strings = Vec::new();
        let first = HEADER + ENTRY * entries.len();
        for (name, file, features) in entries {
            bytes.extend(0x303_u32.to_le_bytes());
            for text in [name, file] {
                bytes.extend(((first + strings.len()) as u32).to_le_bytes());
                strings.extend(text.bytes().chain([0]));
            }
            bytes.extend(0_u32.to_le_bytes());
            bytes.extend(features.to_le_bytes());
        }
        bytes.extend(strings);
        [prefix, &bytes].concat()
    }

    #[test]
    fn files_are_found_by_name() {
        let entries =
            [("liba.so.1", "/lib/fast/liba.so.1", 7), ("liba.so.1", "/lib/liba.so.1", 0), ("libb.so", "/b", 0)];
        let mut old = OLD_MAGIC.to_vec();
        old.extend([0, 1, 0, 0, 0]);
        old.resize(OLD_HEADER + OLD_ENTRY + 4, 0);
        for prefix in [&b""[..], &old] {
            let cache = Cache::of(cache(prefix, &entries));
            assert_eq!(cache.files("liba.so.1"), [PathBuf::from("/lib/liba.so.1")]);
            assert_eq!(cache.files("libb.so"), [PathBuf::from("/b")]);
            assert!(cache.files("libc.so").is_empty());
        }
    }

    #[test]
    fn damaged_caches_are_empty() {
        let good = cache(b"", &[("liba.so", "/a", 0)]);
        for len in 0..good.len() - 1 {
            assert!(Cache::of(good[..len].to_vec()).files("liba.so").is_empty(), "{len}");
        }
    }
}
