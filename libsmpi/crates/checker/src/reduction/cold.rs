//! Records that left memory: sorted by key in files, of which only an index and a filter stay.
//!
//! A file is written once. Two files of similar size are merged into a new one, as in a log-structured merge tree
//! (O'Neil, Cheng, Gawlick and O'Neil, Acta Informatica 33, 1996): n records are in at most about log₂ n files, and
//! each was written as often at most. Most questions are about keys that are nowhere: a filter (Bloom, Communications
//! of the ACM 13 (7), 1970) answers 99 of 100 of these without looking into the file.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt;

use crate::configuration::Configuration;
use crate::verdict::NewFile;

/// Bytes of a record beside its key.
pub(super) const RECORD: usize = 36;
const KEY: usize = size_of::<u128>();
pub(super) const STRIDE: usize = KEY + RECORD;

/// Records between two entries of the index: a read of 3 KiB.
const BLOCK: usize = 64;

/// Bits of the filter for each record, and how many of them a key sets.
const FILTER_BITS: usize = 10;
const FILTER_HITS: usize = 6;

/// What is kept of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Record {
    pub key: Configuration,
    pub bytes: [u8; RECORD],
}

impl Record {
    pub fn read(bytes: &[u8]) -> Record {
        let key: [u8; KEY] = std::array::from_fn(|byte| bytes[byte]);
        Record { key: Configuration(u128::from_le_bytes(key)), bytes: std::array::from_fn(|byte| bytes[KEY + byte]) }
    }
}

/// All files; later ones are smaller.
#[derive(Default)]
pub(super) struct Cold {
    runs: Vec<Run>,
}

/// The records of one file, in ascending order.
struct Run {
    file: File,
    len: usize,
    /// The key of every [`BLOCK`]th record.
    index: Vec<Configuration>,
    filter: Filter,
}

impl Cold {
    /// Adds records in ascending order, of keys that are not there yet.
    pub fn add(&mut self, records: Vec<Record>, new_file: NewFile) -> io::Result<()> {
        self.runs.push(Run::write(records.len(), new_file, &mut records.into_iter().map(Ok))?);
        while let [.., before, last] = &self.runs[..]
            && before.len / 2 <= last.len
        {
            let most = before.len + last.len;
            // Where the disk is full, say, two files remain.
            let Ok(both) = Run::write(most, new_file, &mut merged(before.records(), last.records())) else { break };
            self.runs.truncate(self.runs.len() - 2);
            self.runs.push(both);
        }
        Ok(())
    }

    /// The record of a key.
    pub fn find(&self, key: Configuration) -> io::Result<Option<Record>> {
        for run in &self.runs {
            if run.filter.may_have(key)
                && let Some(record) = run.find(key)?
            {
                return Ok(Some(record));
            }
        }
        Ok(None)
    }
}

impl Run {
    fn write(most: usize, new_file: NewFile, records: &mut dyn Iterator<Item = io::Result<Record>>) -> io::Result<Run> {
        let file = new_file()?;
        let mut run = Run { file, len: 0, index: Vec::new(), filter: Filter::new(most) };
        let mut out = BufWriter::with_capacity(1 << 20, &run.file);
        for record in records {
            let record = record?;
            if run.len.is_multiple_of(BLOCK) {
                run.index.push(record.key);
            }
            run.len += 1;
            run.filter.add(record.key);
            out.write_all(&record.key.0.to_le_bytes())?;
            out.write_all(&record.bytes)?;
        }
        out.flush()?;
        drop(out);
        Ok(run)
    }

    fn find(&self, key: Configuration) -> io::Result<Option<Record>> {
        let Some(block) = self.index.partition_point(|&first| first <= key).checked_sub(1) else { return Ok(None) };
        let mut bytes = [0; BLOCK * STRIDE];
        let records = self.block(block, &mut bytes)?;
        let found = records.chunks_exact(STRIDE).map(Record::read).find(|record| record.key == key);
        Ok(found)
    }

    /// The bytes of a block's records.
    fn block<'a>(&self, block: usize, bytes: &'a mut [u8; BLOCK * STRIDE]) -> io::Result<&'a [u8]> {
        let first = block * BLOCK;
        let bytes = &mut bytes[..(self.len - first).min(BLOCK) * STRIDE];
        self.file.read_exact_at(bytes, (first * STRIDE) as u64)?;
        Ok(bytes)
    }

    /// All records, in order.
    fn records(&self) -> impl Iterator<Item = io::Result<Record>> + '_ {
        let (mut bytes, mut next) = ([0; BLOCK * STRIDE], 0);
        std::iter::from_fn(move || {
            if next == self.len {
                return None;
            }
            if next.is_multiple_of(BLOCK)
                && let Err(error) = self.block(next / BLOCK, &mut bytes)
            {
                return Some(Err(error));
            }
            let at = next % BLOCK * STRIDE;
            next += 1;
            Some(Ok(Record::read(&bytes[at..at + STRIDE])))
        })
    }
}

/// Two ascending sequences as one. It ends with the first error.
fn merged<'a>(
    first: impl Iterator<Item = io::Result<Record>> + 'a,
    second: impl Iterator<Item = io::Result<Record>> + 'a,
) -> impl Iterator<Item = io::Result<Record>> + 'a {
    let (mut first, mut second) = (first.peekable(), second.peekable());
    std::iter::from_fn(move || {
        let takes_first = match (first.peek(), second.peek()) {
            (Some(Ok(first)), Some(Ok(second))) => first.key < second.key,
            (Some(_), None) | (Some(Err(_)), _) => true,
            _ => false,
        };
        if takes_first { first.next() } else { second.next() }
    })
}

/// Whether a key may be there: always true for those that are.
struct Filter {
    bits: Vec<u64>,
}

impl Filter {
    fn new(keys: usize) -> Filter {
        Filter { bits: vec![0; keys * FILTER_BITS / 64 + 1] }
    }

    /// The words and bits of a key, which is a hash.
    fn hits(&self, key: Configuration) -> impl Iterator<Item = (usize, u64)> + use<> {
        let (low, high) = (key.0 as u64, (key.0 >> 64) as u64 | 1);
        let bits = self.bits.len() as u64 * 64;
        (0..FILTER_HITS as u64).map(move |hit| {
            let at = low.wrapping_add(hit.wrapping_mul(high)) % bits;
            ((at / 64) as usize, 1 << (at % 64))
        })
    }

    fn add(&mut self, key: Configuration) {
        self.hits(key).for_each(|(word, bit)| self.bits[word] |= bit);
    }

    fn may_have(&self, key: Configuration) -> bool {
        self.hits(key).all(|(word, bit)| self.bits[word] & bit != 0)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use smpi_base::rng::Rng;

    use super::*;

    fn new_file() -> io::Result<File> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("smpi-cold-{}-{number}", std::process::id()));
        let file = File::options().read(true).write(true).create_new(true).open(&path)?;
        std::fs::remove_file(path)?;
        Ok(file)
    }

    fn record(key: u128) -> Record {
        Record {
            key: Configuration(key),
            bytes: std::array::from_fn(|byte| (key >> (byte % 16 * 8)) as u8 ^ byte as u8),
        }
    }

    fn random_key(rng: &mut Rng) -> u128 {
        let mut half = || (rng.below(1 << 32) as u128) << 32 | rng.below(1 << 32) as u128;
        half() << 64 | half()
    }

    #[test]
    fn what_was_added_is_found_and_nothing_else() {
        let mut rng = Rng::new(5);
        let (mut cold, mut keys) = (Cold::default(), Vec::new());
        for round in 0..40 {
            let mut added: Vec<u128> = (0..1 + rng.below(300)).map(|_| random_key(&mut rng)).collect();
            added.sort_unstable();
            cold.add(added.iter().map(|&key| record(key)).collect(), new_file).unwrap();
            keys.extend(added);
            assert!(cold.runs.len() <= 12, "{} files in round {round}", cold.runs.len());
            assert_eq!(cold.runs.iter().map(|run| run.len).sum::<usize>(), keys.len());
        }
        for &key in &keys {
            assert_eq!(cold.find(Configuration(key)).unwrap(), Some(record(key)));
            assert_eq!(cold.find(Configuration(key ^ 1)).unwrap(), None);
        }
        let wrong = (0..10_000).filter(|_| {
            let key = Configuration(random_key(&mut rng));
            assert_eq!(cold.find(key).unwrap(), None);
            cold.runs.iter().any(|run| run.filter.may_have(key))
        });
        assert!(wrong.count() < 1_000);
    }

    #[test]
    fn files_that_cannot_be_made_are_an_error_and_lose_nothing() {
        let mut cold = Cold::default();
        cold.add(vec![record(1), record(3)], new_file).unwrap();
        fn fails() -> io::Result<File> {
            Err(io::Error::from(io::ErrorKind::StorageFull))
        }
        assert_eq!(cold.add(vec![record(2)], fails).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(cold.find(Configuration(3)).unwrap(), Some(record(3)));
        assert_eq!(cold.find(Configuration(2)).unwrap(), None);
        // A file of its own is there, one for both is not.
        static LEFT: AtomicU32 = AtomicU32::new(1);
        let one_more = || match LEFT.swap(0, Ordering::Relaxed) {
            0 => fails(),
            _ => new_file(),
        };
        cold.add(vec![record(2)], one_more).unwrap();
        assert!((1..=3).all(|key| cold.find(Configuration(key)).unwrap() == Some(record(key))));
    }
}
