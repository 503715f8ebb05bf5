//! Moves data between a stream of bytes and the places that a view gives them in a file.
//!
//! Data goes through a stage. Where runs are short, what lies between them is read and written along, so that the
//! system is called once for many runs (data sieving: Thakur, Gropp, Lusk, "Data Sieving and Collective I/O in ROMIO",
//! 1999). Nobody else of this process changes a file meanwhile.

use std::ops::Range;
use std::path::Path;

use smpi_mpi::error::MpiError;

use crate::failure;
use crate::store::{Number, Store};
use crate::view::View;

/// Bytes that are moved at a time.
const STAGE: u64 = 4 << 20;
/// Runs of at least this length are moved one by one.
const LONG: u64 = 4096;
/// Most bytes from the first to the last run that are moved together.
const SPAN: u64 = 1 << 20;
/// Runs are moved together where at least one byte in so many is data.
const SPARSE: u64 = 32;

/// What was moved.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Moved {
    /// Bytes of the stream, from its beginning on.
    pub bytes: u64,
    /// Why there are no more, if something went wrong.
    pub error: Option<MpiError>,
}

/// An open file: where it is, its name, and how it is seen.
pub struct Target<'a> {
    /// Keeps it.
    pub store: &'a mut dyn Store,
    /// Names it there.
    pub number: Number,
    /// For errors.
    pub path: &'a Path,
    /// Which of its bytes are meant.
    pub view: &'a View,
}

/// A run in the file, and where its bytes are in the stage.
#[derive(Clone, Copy)]
struct Run {
    at: u64,
    len: u64,
    staged: usize,
}

impl Run {
    fn staged(&self) -> Range<usize> {
        self.staged..self.staged + self.len as usize
    }

    fn end(&self) -> u64 {
        self.at + self.len
    }
}

/// The runs of a part of the stream, in groups that are moved together.
fn groups(view: &View, part: Range<u64>) -> Vec<Vec<Run>> {
    let mut groups: Vec<Vec<Run>> = Vec::new();
    let mut staged = 0;
    let _: Result<(), ()> = view.each_run(part, &mut |at, len| {
        let run = Run { at, len, staged };
        staged += len as usize;
        let fits = |group: &&mut Vec<Run>| {
            let (Some(first), Some(last)) = (group.first(), group.last()) else { return false };
            let is_short = len < LONG && last.len < LONG;
            let is_near = at >= last.end() && at - last.end() <= len.max(last.len) * SPARSE;
            is_short && is_near && run.end() - first.at <= SPAN
        };
        match groups.last_mut().filter(fits) {
            Some(group) => group.push(run),
            None => groups.push(vec![run]),
        }
        Ok(())
    });
    groups
}

impl Target<'_> {
    /// Writes `len` bytes from a position of the stream on. `fill` gives the bytes from one of them on, counted from
    /// 0. What was written before an error stays.
    pub fn write(&mut self, position: u64, len: u64, fill: &mut dyn FnMut(u64, &mut [u8])) -> Moved {
        let mut stage = vec![0; len.min(STAGE) as usize];
        let mut done = 0;
        while done < len {
            let part = (len - done).min(STAGE);
            let stage = &mut stage[..part as usize];
            fill(done, stage);
            for group in groups(self.view, position + done..position + done + part) {
                let (more, error) = self.write_group(&group, stage);
                done += more;
                if error.is_some() {
                    return Moved { bytes: done, error };
                }
            }
        }
        Moved { bytes: done, error: None }
    }

    fn write_group(&mut self, group: &[Run], stage: &[u8]) -> (u64, Option<MpiError>) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { return (0, None) };
        if group.len() > 1 && self.store.is_readable(self.number) {
            let mut window = vec![0; (last.end() - first.at) as usize];
            // What cannot be read is seen when it is written.
            if self.store.read_at(self.number, first.at, &mut window).is_ok() {
                for run in group {
                    let start = (run.at - first.at) as usize;
                    window[start..start + run.len as usize].copy_from_slice(&stage[run.staged()]);
                }
                if self.store.write_at(self.number, first.at, &window).is_ok_and(|done| done == window.len()) {
                    return (group.iter().map(|run| run.len).sum(), None);
                }
            }
        }
        let mut done = 0;
        for run in group {
            match self.write_run(run.at, &stage[run.staged()]) {
                (more, None) => done += more,
                (more, error) => return (done + more, error),
            }
        }
        (done, None)
    }

    fn write_run(&mut self, at: u64, bytes: &[u8]) -> (u64, Option<MpiError>) {
        let mut done = 0;
        while done < bytes.len() {
            match self.store.write_at(self.number, at + done as u64, &bytes[done..]) {
                // A second attempt says why there is no room for more.
                Ok(more) if more > 0 => done += more,
                Ok(_) => return (done as u64, Some(self.error("write", &failure::errno(libc::ENOSPC)))),
                Err(error) => return (done as u64, Some(self.error("write", &error))),
            }
        }
        (done as u64, None)
    }

    fn error(&self, doing: &str, error: &std::io::Error) -> MpiError {
        failure::error(doing, self.path, error)
    }

    /// Reads up to `len` bytes from a position of the stream on, as far as the file goes. `take` gets the bytes from
    /// one of them on, counted from 0.
    pub fn read(&mut self, position: u64, len: u64, take: &mut dyn FnMut(u64, &[u8])) -> Moved {
        let mut stage = vec![0; len.min(STAGE) as usize];
        let mut done = 0;
        while done < len {
            let part = (len - done).min(STAGE);
            let mut there = 0;
            let mut error = None;
            for group in groups(self.view, position + done..position + done + part) {
                let wanted: u64 = group.iter().map(|run| run.len).sum();
                match self.read_group(&group, &mut stage) {
                    Ok(more) => {
                        there += more;
                        if more < wanted {
                            break;
                        }
                    }
                    Err(found) => {
                        error = Some(self.error("read", &found));
                        break;
                    }
                }
            }
            if there > 0 {
                take(done, &stage[..there as usize]);
            }
            done += there;
            if there < part {
                return Moved { bytes: done, error };
            }
        }
        Moved { bytes: done, error: None }
    }

    /// Reads runs; gives the bytes before the first one that the file does not have.
    fn read_group(&mut self, group: &[Run], stage: &mut [u8]) -> std::io::Result<u64> {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { return Ok(0) };
        if group.len() == 1 {
            return Ok(self.store.read_at(self.number, first.at, &mut stage[first.staged()])? as u64);
        }
        let mut window = vec![0; (last.end() - first.at) as usize];
        let there = self.store.read_at(self.number, first.at, &mut window)? as u64;
        let mut done = 0;
        for run in group {
            let start = run.at - first.at;
            let len = there.saturating_sub(start).min(run.len);
            let staged = run.staged().start;
            stage[staged..staged + len as usize].copy_from_slice(&window[start as usize..(start + len) as usize]);
            done += len;
            if len < run.len {
                break;
            }
        }
        Ok(done)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io;

    use proptest::prelude::*;
    use smpi_mpi::datatype::{Basic, Datatype};
    use smpi_mpi::error::ErrorClass;

    use super::*;
    use crate::store::Wanted;
    use crate::view::Representation;

    /// A device with little room that holds one file.
    pub(crate) struct Small {
        pub(crate) bytes: Vec<u8>,
        pub(crate) room: usize,
    }

    impl Store for Small {
        fn open(&mut self, _path: &Path, _wanted: Wanted) -> io::Result<Number> {
            Ok(Number(0))
        }

        fn close(&mut self, _file: Number) {}

        fn read_at(&mut self, _file: Number, at: u64, into: &mut [u8]) -> io::Result<usize> {
            let there = self.bytes.get(at as usize..).unwrap_or_default();
            let len = there.len().min(into.len());
            into[..len].copy_from_slice(&there[..len]);
            Ok(len)
        }

        fn write_at(&mut self, _file: Number, at: u64, bytes: &[u8]) -> io::Result<usize> {
            let fits = self.room.saturating_sub(at as usize).min(bytes.len());
            if fits == 0 && !bytes.is_empty() {
                return Err(failure::errno(libc::ENOSPC));
            }
            let end = at as usize + fits;
            self.bytes.resize(self.bytes.len().max(end), 0);
            self.bytes[at as usize..end].copy_from_slice(&bytes[..fits]);
            Ok(fits)
        }

        fn is_readable(&self, _file: Number) -> bool {
            true
        }

        fn size(&mut self, _file: Number) -> io::Result<u64> {
            Ok(self.bytes.len() as u64)
        }

        fn resize(&mut self, _file: Number, _size: u64) -> io::Result<()> {
            Err(failure::errno(libc::EPERM))
        }

        fn allocate(&mut self, _file: Number, _size: u64) -> io::Result<()> {
            Err(failure::errno(libc::EPERM))
        }

        fn sync(&mut self, _file: Number) -> io::Result<()> {
            Ok(())
        }

        fn delete(&mut self, _path: &Path) -> io::Result<()> {
            Ok(())
        }
    }

    fn strided(block: i64, gap: i64) -> View {
        let byte = Datatype::basic(Basic::Byte);
        let filetype = Datatype::contiguous(block, &byte).unwrap().resized(0, block + gap).unwrap();
        View::new(3, (byte, filetype), Representation::Native, true, &|datatype| Ok(datatype.clone())).unwrap()
    }

    fn target<'a>(store: &'a mut Small, view: &'a View) -> Target<'a> {
        Target { store, number: Number(0), path: Path::new("/f"), view }
    }

    fn letter(position: u64) -> u8 {
        (position % 251) as u8 + 1
    }

    fn write(store: &mut Small, view: &View, position: u64, len: u64) -> Moved {
        target(store, view).write(position, len, &mut |from, bytes| {
            (from..).zip(bytes).for_each(|(index, byte)| *byte = letter(position + index));
        })
    }

    proptest! {
        /// What is written through a view lies where the view has it, nothing else changes, and as much as fits counts.
        #[test]
        fn data_goes_where_the_view_has_it(
            block in 1i64..9, gap in 0i64..40, position in 0u64..30, len in 0u64..200, room in 0usize..600,
        ) {
            let view = strided(block, gap);
            let mut store = Small { bytes: vec![0; room.min(100)], room };
            let places: Vec<u64> = (position..position + len).map(|position| view.place_of(position)).collect();
            let fits = places.iter().take_while(|place| **place < room as u64).count() as u64;
            let moved = write(&mut store, &view, position, len);
            prop_assert_eq!(moved.bytes, fits);
            prop_assert_eq!(moved.error.map(|error| error.class), (fits < len).then_some(ErrorClass::NO_SPACE));
            let mut wanted = vec![0; store.bytes.len()];
            for (position, place) in (position..).zip(&places).take(fits as usize) {
                wanted[*place as usize] = letter(position);
            }
            prop_assert_eq!(&store.bytes, &wanted);
            let mut read = Vec::new();
            let moved = target(&mut store, &view).read(position, len, &mut |_, bytes| read.extend_from_slice(bytes));
            prop_assert_eq!(moved, Moved { bytes: read.len() as u64, error: None });
            let letters: Vec<u8> = (position..position + fits).map(letter).collect();
            prop_assert!(read.len() as u64 >= fits && read[..fits as usize] == letters[..]);
        }
    }
}
