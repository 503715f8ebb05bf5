//! Timelines in the Open Trace Format 2, for Vampir, Scalasca and `otf2-print`: written by the library OTF2 where the
//! machine has it, which is loaded when a timeline is wanted and at no other time.
//!
//! A rank is a location in a process of its host. Messages have their numbers as tags, so that readers match them one
//! to one, whatever the order in which they arrive.
//!
//! Source: OTF2 3.0, documentation of its writer interface. Nothing is taken from its headers: [`library`] says which
//! functions there are.

mod library;

use std::ffi::{CString, c_void};
use std::io;
use std::path::Path;
use std::ptr;

use library::{
    ARCHIVE_COMPRESSION_NONE, CHUNK_DEFINITIONS, CHUNK_EVENTS, FLUSH_CALLBACKS, GROUP_COMM_GROUP, GROUP_COMM_LOCATIONS,
    GROUP_PROCESS, LOCATION_CPU, Library, MODE_WRITE, PARADIGM_MPI, PARADIGM_USER, ROLE_CODE, ROLE_FUNCTION,
    SUBSTRATE_POSIX, UNDEFINED,
};
use smpi_report::timeline::{Names, Writer};

/// Ticks of a second: dates are picoseconds, which the longest run has room for (200 days).
const TICKS: f64 = 1e12;

/// The region in which a rank computes, before those of places.
const COMPUTING: u32 = 0;

/// The string without characters: string 0.
const EMPTY: u32 = 0;

/// An archive that is being written.
pub struct Otf2<'a> {
    library: Library,
    archive: *mut c_void,
    /// The writer of each rank's events.
    writers: Vec<*mut c_void>,
    /// Events of each rank.
    events: Vec<u64>,
    /// The regions that each rank is in.
    inside: Vec<Vec<u32>>,
    names: &'a Names,
}

impl<'a> Otf2<'a> {
    /// Begins the archive of this name, which ends in `.otf2`; its other files are in a directory beside it.
    ///
    /// # Errors
    /// Where the library is missing or has other functions, or the archive cannot be made.
    pub fn begin(path: &Path, names: &'a Names) -> io::Result<Otf2<'a>> {
        let library = Library::load()?;
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let (directory, stem) = (c_string(&directory.to_string_lossy())?, path.file_stem().unwrap_or_default());
        let stem = c_string(&stem.to_string_lossy())?;
        // SAFETY: both strings live until the call is over; the other values are constants of the interface.
        let archive = unsafe {
            (library.archive_open)(
                directory.as_ptr(),
                stem.as_ptr(),
                MODE_WRITE,
                CHUNK_EVENTS,
                CHUNK_DEFINITIONS,
                SUBSTRATE_POSIX,
                ARCHIVE_COMPRESSION_NONE,
            )
        };
        if archive.is_null() {
            return Err(io::Error::other("OTF2 cannot make the archive"));
        }
        // SAFETY: `archive` was just made; the callbacks are constants of this library.
        let begun = unsafe {
            check((library.set_flush_callbacks)(archive, &raw const FLUSH_CALLBACKS, ptr::null_mut()))
                .and_then(|()| check((library.set_serial)(archive)))
                .and_then(|()| check((library.open_event_files)(archive)))
        };
        begun?;
        let ranks = names.hosts.len();
        // SAFETY: the archive is open for events.
        let writers: Vec<_> = (0..ranks).map(|rank| unsafe { (library.event_writer)(archive, rank as u64) }).collect();
        if writers.iter().any(|writer| writer.is_null()) {
            return Err(io::Error::other("OTF2 cannot write the events of a rank"));
        }
        Ok(Otf2 { library, archive, writers, events: vec![0; ranks], inside: vec![Vec::new(); ranks], names })
    }

    fn begin_region(&mut self, date: f64, rank: u32, region: u32) -> io::Result<()> {
        let index = rank as usize;
        self.events[index] += 1;
        self.inside[index].push(region);
        // SAFETY: the writer is that of a rank of this archive, which is open.
        check(unsafe { (self.library.enter)(self.writers[index], ptr::null_mut(), ticks(date), region) })
    }

    fn end_region(&mut self, date: f64, rank: u32) -> io::Result<()> {
        let index = rank as usize;
        let Some(region) = self.inside[index].pop() else { return Ok(()) };
        self.events[index] += 1;
        // SAFETY: as above.
        check(unsafe { (self.library.leave)(self.writers[index], ptr::null_mut(), ticks(date), region) })
    }

    /// What the numbers in events mean.
    fn define(&self) -> io::Result<()> {
        // SAFETY: the archive is open, and all its events are written.
        let writer = unsafe { (self.library.global_writer)(self.archive) };
        if writer.is_null() {
            return Err(io::Error::other("OTF2 cannot write definitions"));
        }
        let mut definitions = Definitions { library: &self.library, writer, strings: 0 };
        definitions.string("")?;
        definitions.clock(ticks(self.names.end_secs))?;
        self.define_regions(&mut definitions)?;
        self.define_locations(&mut definitions)?;
        // SAFETY: the writer is that of this archive.
        check(unsafe { (self.library.close_global_writer)(self.archive, writer) })
    }

    fn define_regions(&self, definitions: &mut Definitions<'_>) -> io::Result<()> {
        let computing = definitions.string("computation")?;
        definitions.region(COMPUTING, computing, (ROLE_CODE, PARADIGM_USER), (EMPTY, 0))?;
        for (region, (call, source)) in (COMPUTING + 1..).zip(&self.names.places) {
            let name = definitions.string(if call.is_empty() { "MPI" } else { call })?;
            let (file, line) = source.as_deref().and_then(|place| place.rsplit_once(':')).unwrap_or_default();
            let place = (definitions.string(file)?, line.parse().unwrap_or(0));
            definitions.region(region, name, (ROLE_FUNCTION, PARADIGM_MPI), place)?;
        }
        Ok(())
    }

    /// Hosts, processes, and the communicator of all of them.
    fn define_locations(&self, definitions: &mut Definitions<'_>) -> io::Result<()> {
        let Library { location_group, location, group, comm, .. } = definitions.library;
        let writer = definitions.writer;
        let (machine, host_class) = (definitions.string(&self.names.run)?, definitions.string("host")?);
        definitions.node(0, machine, machine, UNDEFINED)?;
        let mut hosts: Vec<&str> = Vec::new();
        for (rank, host) in self.names.hosts.iter().enumerate() {
            let known = hosts.iter().position(|known| known == host);
            let node = known.unwrap_or(hosts.len()) as u32 + 1;
            if known.is_none() {
                hosts.push(host);
                let name = definitions.string(host)?;
                definitions.node(node, name, host_class, 0)?;
            }
            let name = definitions.string(&format!("rank {rank}"))?;
            // SAFETY: the writer is open, and the strings and nodes are defined.
            unsafe {
                check(location_group(writer, rank as u32, name, GROUP_PROCESS, node, UNDEFINED))?;
                check(location(writer, rank as u64, name, LOCATION_CPU, self.events[rank], rank as u32))?;
            }
        }
        let all: Vec<u64> = (0..self.names.hosts.len() as u64).collect();
        let (count, world) = (all.len() as u32, definitions.string("MPI_COMM_WORLD")?);
        // SAFETY: the members live until the calls are over.
        unsafe {
            check(group(writer, 0, EMPTY, GROUP_COMM_LOCATIONS, PARADIGM_MPI, 0, count, all.as_ptr()))?;
            check(group(writer, 1, world, GROUP_COMM_GROUP, PARADIGM_MPI, 0, count, all.as_ptr()))?;
            check(comm(writer, 0, world, 1, UNDEFINED, 0))
        }
    }
}

impl Writer for Otf2<'_> {
    fn enter(&mut self, date: f64, rank: u32, place: u32) -> io::Result<()> {
        self.begin_region(date, rank, COMPUTING + 1 + place)
    }

    fn leave(&mut self, date: f64, rank: u32) -> io::Result<()> {
        self.end_region(date, rank)
    }

    fn compute(&mut self, date: f64, rank: u32, begins: bool) -> io::Result<()> {
        if begins { self.begin_region(date, rank, COMPUTING) } else { self.end_region(date, rank) }
    }

    fn depart(&mut self, date: f64, rank: u32, message: u64, to: u32, bytes: u64) -> io::Result<()> {
        self.events[rank as usize] += 1;
        let writer = self.writers[rank as usize];
        // SAFETY: as above.
        check(unsafe { (self.library.send)(writer, ptr::null_mut(), ticks(date), to, 0, message as u32, bytes) })
    }

    fn arrive(&mut self, date: f64, rank: u32, message: u64, from: u32, bytes: u64) -> io::Result<()> {
        self.events[rank as usize] += 1;
        let writer = self.writers[rank as usize];
        // SAFETY: as above.
        check(unsafe { (self.library.receive)(writer, ptr::null_mut(), ticks(date), from, 0, message as u32, bytes) })
    }

    fn finish(&mut self) -> io::Result<()> {
        for rank in 0..self.writers.len() {
            while !self.inside[rank].is_empty() {
                self.end_region(self.names.end_secs, rank as u32)?;
            }
        }
        // SAFETY: the writers and files are those of this archive, and each is closed once.
        unsafe {
            for writer in self.writers.drain(..) {
                check((self.library.close_event_writer)(self.archive, writer))?;
            }
            check((self.library.close_event_files)(self.archive))?;
            // Readers want a file of definitions for each location.
            check((self.library.open_definition_files)(self.archive))?;
            for rank in 0..self.events.len() {
                let writer = (self.library.definition_writer)(self.archive, rank as u64);
                check((self.library.close_definition_writer)(self.archive, writer))?;
            }
            check((self.library.close_definition_files)(self.archive))?;
        }
        self.define()?;
        // SAFETY: the last call for this archive.
        check(unsafe { (self.library.archive_close)(self.archive) })
    }
}

/// Writes definitions.
struct Definitions<'a> {
    library: &'a Library,
    writer: *mut c_void,
    strings: u32,
}

impl Definitions<'_> {
    /// Gives the number of a string.
    fn string(&mut self, text: &str) -> io::Result<u32> {
        let (number, text) = (self.strings, c_string(text)?);
        self.strings += 1;
        // SAFETY: the writer is open; the string lives until the call is over.
        check(unsafe { (self.library.string)(self.writer, number, text.as_ptr()) })?;
        Ok(number)
    }

    fn clock(&self, length: u64) -> io::Result<()> {
        // SAFETY: the writer is open. Simulated time begins at 0, on no day.
        check(unsafe { (self.library.clock)(self.writer, TICKS as u64, 0, length, u64::MAX) })
    }

    fn node(&self, node: u32, name: u32, class: u32, parent: u32) -> io::Result<()> {
        // SAFETY: the writer is open.
        check(unsafe { (self.library.node)(self.writer, node, name, class, parent) })
    }

    fn region(&self, region: u32, name: u32, (role, paradigm): (u8, u8), (file, line): (u32, u32)) -> io::Result<()> {
        let write = self.library.region;
        // SAFETY: the writer is open.
        check(unsafe { write(self.writer, region, name, name, EMPTY, role, paradigm, 0, file, line, line) })
    }
}

fn ticks(date: f64) -> u64 {
    (date * TICKS).round() as u64
}

fn c_string(text: &str) -> io::Result<CString> {
    CString::new(text).map_err(io::Error::other)
}

/// Errors of OTF2 are numbers other than 0.
fn check(code: i32) -> io::Result<()> {
    if code == 0 { Ok(()) } else { Err(io::Error::other(format!("OTF2 answers with error {code}"))) }
}
