//! Notices variables of shared libraries that two ranks write: under mpirun each process has its own, here there is
//! one.
//!
//! The libraries that programs brought along are looked at, except run-time libraries of compilers and private
//! libraries. What a rank wrote is what differs, when it gives control back, from the copy made before. Comparing costs
//! a few microseconds per turn of a rank, so it is done in every turn at first, then for the first turns of each rank,
//! then for one turn in many: a variable that two ranks write often is found, one that is written rarely and late may
//! not be. A variable that gets the value that it had is not noticed.

use crate::libraries::{self, Object, file_name, is_exempt, objects};
use crate::verification;
use smpi_base::WorldRank;
use smpi_base::map::Map;
use smpi_dwarf::source::readable;
use smpi_image::{Symbol, SymbolTable};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{ptr, slice};

/// Data of one library beyond this is not looked at.
const MOST_DATA: usize = 1 << 20;
/// So many bytes are compared before only some turns are looked at.
const FREELY: usize = 64 << 20;
/// First turns of each rank that are always looked at.
const FIRST_TURNS: u8 = 3;
/// Later one turn in so many.
const SAMPLE: u64 = 1024;
/// Bytes that are compared at once.
const CHUNK: usize = 4096;
/// Variables of one library that are reported.
const MOST_REPORTS: usize = 5;

/// What is looked at, and what was found.
pub struct Watch {
    libraries: Vec<Library>,
    turns: u64,
    compared: usize,
    /// There is one rank, which shares with nobody.
    is_alone: bool,
    /// See [`Watch::be_strict`].
    is_strict: bool,
    /// Libraries that are looked at, or need not be, by their place; and how often ranks had opened some by then.
    known: BTreeSet<usize>,
    opened: usize,
    /// Turns of each rank so far, up to [`FIRST_TURNS`].
    first_turns: Vec<u8>,
    /// The copies are those of this moment.
    is_fresh: bool,
    looking: bool,
    news: BTreeSet<(usize, String)>,
}

/// A library whose data is watched.
struct Library {
    path: PathBuf,
    /// What it adds to its own addresses.
    bias: usize,
    parts: Vec<Part>,
    symbols: Option<SymbolTable>,
    /// The rank that wrote a variable first; `None` when two did.
    writers: Map<String, Option<WorldRank>>,
    reported: usize,
    /// It was said that it is not put back.
    is_told: bool,
}

/// A range of writable data.
struct Part {
    start: usize,
    copy: Vec<u8>,
}

impl Watch {
    /// Watches the libraries that were loaded since `before`.
    pub fn new(before: &BTreeSet<usize>, ranks: u32) -> Watch {
        let new = objects().into_iter().filter(|object| !before.contains(&object.bias) && !is_exempt(object));
        let libraries: Vec<Library> = new.map(Library::new).filter(|library| !library.parts.is_empty()).collect();
        Watch {
            libraries,
            is_alone: ranks < 2,
            is_strict: false,
            known: libraries::loaded(),
            opened: 0,
            turns: 0,
            compared: 0,
            first_turns: vec![0; ranks as usize],
            is_fresh: true,
            looking: false,
            news: BTreeSet::new(),
        }
    }

    /// From now on nothing is written that is not noticed: it is not put back, so that no exploration with it is
    /// complete.
    pub fn be_strict(&mut self) {
        self.is_strict = true;
    }

    /// Looks at libraries that ranks have opened, too, and no more at those that they have closed.
    #[cold]
    fn look_at_opened(&mut self) {
        self.opened = libraries::opened();
        let loaded = libraries::loaded();
        for library in self.libraries.iter_mut().filter(|library| !loaded.contains(&library.bias)) {
            library.parts.clear();
        }
        self.known.retain(|bias| loaded.contains(bias));
        for object in objects().into_iter().filter(|object| !is_exempt(object)) {
            if self.known.insert(object.bias) {
                self.libraries.push(Library::new(object));
            }
        }
    }

    /// A rank is about to run.
    #[inline]
    pub fn before(&mut self, rank: WorldRank) {
        if self.opened != libraries::opened() {
            self.look_at_opened();
        }
        if !self.libraries.is_empty() && (self.is_strict || !self.is_alone) {
            self.begin_turn(rank);
        }
    }

    #[inline(never)]
    fn begin_turn(&mut self, rank: WorldRank) {
        self.turns += 1;
        let first = &mut self.first_turns[rank.index()];
        let is_first = *first < FIRST_TURNS;
        *first += u8::from(is_first);
        self.looking = self.is_strict || is_first || self.compared < FREELY || self.turns.is_multiple_of(SAMPLE);
        if self.looking && !self.is_fresh {
            self.libraries.iter_mut().flat_map(|library| &mut library.parts).for_each(Part::refresh);
        }
        self.is_fresh = self.looking;
    }

    /// The rank that [`Watch::before`] named gave control back.
    #[inline]
    pub fn after(&mut self, rank: WorldRank) {
        if self.opened != libraries::opened() {
            self.look_at_opened();
        }
        if self.looking {
            self.end_turn(rank);
        }
    }

    #[inline(never)]
    fn end_turn(&mut self, rank: WorldRank) {
        for (index, library) in self.libraries.iter_mut().enumerate() {
            self.compared += library.parts.iter().map(|part| part.copy.len()).sum::<usize>();
            let changed: Vec<usize> = library.parts.iter_mut().flat_map(Part::changes).collect();
            for address in changed {
                let name = library.variable(address);
                if self.is_strict && !std::mem::replace(&mut library.is_told, true) {
                    verification::note_uncontrolled(not_put_back(rank, &name, &library.path).leak());
                }
                let writer = library.writers.entry(name.clone()).or_insert(Some(rank));
                if writer.is_some_and(|writer| writer != rank) {
                    *writer = None;
                    self.news.insert((index, name));
                }
            }
        }
    }

    /// What was found since the last call, as warnings.
    #[inline]
    pub fn take_warnings(&mut self) -> Vec<String> {
        // This is asked at every instant of a simulation.
        if self.news.is_empty() { Vec::new() } else { self.warnings() }
    }

    fn warnings(&mut self) -> Vec<String> {
        let news = std::mem::take(&mut self.news);
        let mut warnings = Vec::new();
        for (index, variable) in news {
            let library = &mut self.libraries[index];
            library.reported += 1;
            if library.reported > MOST_REPORTS {
                continue;
            }
            let name = file_name(&library.path);
            warnings.push(format!(
                "smpirun: warning: {variable} of {name} is written by two ranks, which share this library; \
                 with --privatize {name} each rank has its own, as each process has under mpirun"
            ));
        }
        warnings
    }
}

fn not_put_back(rank: WorldRank, variable: &str, path: &Path) -> String {
    let library = file_name(path);
    format!(
        "rank {rank} wrote {variable} of {library}, a library that all ranks share and that is not put back; with \
         --privatize {library} each rank has its own"
    )
}

impl Library {
    fn new(object: Object) -> Library {
        let total: usize = object.data.iter().map(|(_, len)| len).sum();
        let data = if total > MOST_DATA { Vec::new() } else { object.data };
        let mut parts: Vec<Part> = data.into_iter().map(|(start, len)| Part { start, copy: vec![0; len] }).collect();
        parts.iter_mut().for_each(Part::refresh);
        Library {
            path: object.path,
            bias: object.bias,
            parts,
            symbols: None,
            writers: Map::default(),
            reported: 0,
            is_told: false,
        }
    }

    /// The variable at an address, in words.
    fn variable(&mut self, address: usize) -> String {
        let own = address.wrapping_sub(self.bias) as u64;
        let symbols = self.symbols.get_or_insert_with(|| SymbolTable::read(&self.path));
        match symbols.variable_at(own) {
            Some(Symbol { name, .. }) => format!("variable {}", readable(name)),
            None => format!("data at {:#x}", own & !63),
        }
    }
}

impl Part {
    fn now(&self) -> &'static [u8] {
        // SAFETY: writable data of a library that stays loaded; nobody writes while the event loop looks, except
        // threads of the program, whose writes may be seen half done: the bytes are compared and copied, nothing else.
        unsafe { slice::from_raw_parts(ptr::with_exposed_provenance(self.start), self.copy.len()) }
    }

    fn refresh(&mut self) {
        let now = self.now();
        self.copy.copy_from_slice(now);
    }

    /// Addresses of the words that differ from the copy, which is made anew.
    fn changes(&mut self) -> Vec<usize> {
        let now = self.now();
        let mut changed = Vec::new();
        for (number, (old, new)) in self.copy.chunks_mut(CHUNK).zip(now.chunks(CHUNK)).enumerate() {
            if old == new {
                continue;
            }
            let words = old.chunks(4).zip(new.chunks(4)).enumerate().filter(|(_, (old, new))| old != new);
            changed.extend(words.map(|(word, _)| self.start + number * CHUNK + word * 4));
            old.copy_from_slice(new);
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A library with some words of data, and what writes to them.
    fn watched(words: usize, ranks: usize) -> (Watch, impl Fn(usize, u32)) {
        let data: &'static mut [u32] = Box::leak(vec![0; words].into_boxed_slice());
        let start = data.as_mut_ptr().expose_provenance();
        let object = Object {
            path: PathBuf::from("/nowhere/libx.so"),
            bias: start,
            data: vec![(start, 4 * words)],
            locals: (0, 0),
            code: 0..0,
        };
        let watch = Watch {
            libraries: vec![Library::new(object)],
            is_alone: false,
            is_strict: false,
            known: BTreeSet::new(),
            opened: 0,
            turns: 0,
            compared: 0,
            first_turns: vec![0; ranks],
            is_fresh: true,
            looking: false,
            news: BTreeSet::new(),
        };
        // SAFETY: the data are leaked, and nobody reads them at the same time.
        let write = move |word, value| unsafe { ptr::with_exposed_provenance_mut::<u32>(start).add(word).write(value) };
        (watch, write)
    }

    /// One rank's turn, in which it does something.
    fn turn(watch: &mut Watch, rank: u32, action: impl FnOnce()) {
        watch.before(WorldRank(rank));
        action();
        watch.after(WorldRank(rank));
    }

    #[test]
    fn a_variable_is_reported_once_two_ranks_wrote_it() {
        let (mut watch, write) = watched(64, 2);
        turn(&mut watch, 0, || write(3, 1));
        turn(&mut watch, 0, || write(3, 2));
        turn(&mut watch, 1, || write(32, 1));
        assert!(watch.take_warnings().is_empty());
        turn(&mut watch, 1, || write(3, 7));
        let warnings = watch.take_warnings();
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].contains("data at 0x0 of libx.so") && warnings[0].contains("--privatize libx.so"));
        turn(&mut watch, 0, || write(3, 9));
        assert!(watch.take_warnings().is_empty());
    }

    #[test]
    fn what_the_event_loop_writes_is_nobodys() {
        let (mut watch, write) = watched(64, 2);
        turn(&mut watch, 0, || write(3, 1));
        write(3, 5);
        // The first turns of each rank are looked at, with copies that are made anew.
        watch.is_fresh = false;
        turn(&mut watch, 1, || ());
        assert!(watch.take_warnings().is_empty());
    }

    #[test]
    fn later_turns_are_looked_at_now_and_then() {
        let (mut watch, _) = watched(64, 1);
        watch.compared = FREELY;
        let looks = |watch: &mut Watch| {
            turn(watch, 0, || ());
            watch.looking
        };
        let first: Vec<bool> = (0..5).map(|_| looks(&mut watch)).collect();
        assert_eq!(first, [true, true, true, false, false]);
        assert_eq!((5..2 * SAMPLE).filter(|_| looks(&mut watch)).count(), 2);
    }

    #[test]
    fn few_variables_of_a_library_are_reported() {
        let (mut watch, write) = watched(1024, 2);
        for rank in 0..2 {
            turn(&mut watch, rank, || (0..10).for_each(|word| write(word * 100, rank + 1)));
        }
        assert_eq!(watch.take_warnings().len(), MOST_REPORTS);
    }
}
