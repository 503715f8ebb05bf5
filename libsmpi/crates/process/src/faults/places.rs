//! Where in its program a rank is, as function, file and line.

use super::frames::ProgramFrame;
use super::{frames, returns};
use crate::host_cell::HostCell;
use crate::record::{Exit, Record};
use crate::{directory, running, state};
pub use returns::PATH;
use smpi_base::WorldRank;
use smpi_base::map::{FxBuildHasher, Map};
use smpi_dwarf::source::{self, Source, SourceLocation, readable};
use smpi_image::ProgramFile;
use std::cell::{Cell, RefCell};
use std::iter;
use std::path::PathBuf;
use std::ptr;

/// Where the rank is on whose stack we are: the program's innermost frame, unless a header of a library defines that
/// function; then the innermost of the program's own.
pub fn place_of(record: &Record) -> Option<SourceLocation> {
    let innermost = source_of(record, frames::link_address()?);
    let is_known = |place: &SourceLocation| place.file.is_some() || place.function.is_some();
    if !innermost.is_in_library() && is_known(&innermost) {
        return Some(innermost);
    }
    let mut places = frames::link_addresses().into_iter().map(|address| source_of(record, address));
    let is_wanted = |place: &SourceLocation| !place.is_in_library() && is_known(place);
    Some(places.find(is_wanted).unwrap_or(innermost))
}

/// Where a rank is, to be put behind what it did: ` in main (a.c:3)`; empty when that is not known.
pub fn in_words(record: &Record) -> String {
    source::in_words(place_of(record).as_ref())
}

/// Where in its program the calling rank is.
pub fn own_place() -> Option<SourceLocation> {
    state::current().and_then(place_of)
}

/// The same, to be put behind what the rank did, as [`in_words`] has it.
pub fn own_place_in_words() -> String {
    source::in_words(own_place().as_ref())
}

/// Where the program called us, as a number that is the same for all ranks that run it; 0 when it is not known.
#[inline]
pub fn own_site() -> u64 {
    let innermost = |record| Some(returns::path(record, 1)?[0]);
    state::current().and_then(|record| innermost(record).or_else(frames::link_address)).unwrap_or(0)
}

/// What [`site_of_call`] has found last: the rank and the step at which it did, and the site.
// SAFETY: ranks in their calls use it, which are on the hosting thread.
static LAST: HostCell<Cell<((usize, u64), u64)>> = unsafe { HostCell::new(Cell::new(((0, 0), 0))) };

/// The number of [`own_site`] in the code of an MPI function: it is found once in a call. A step ends where the program
/// enters or leaves MPI, also in a function of its own that the call runs, and where a rank is put back into another
/// call; in a step, a rank that executes code of MPI's functions is in one call.
#[inline]
pub fn site_of_call() -> u64 {
    let Some(record) = state::current() else { return 0 };
    let asked = (ptr::from_ref(record).addr(), running::step());
    let (known, site) = LAST.get();
    if known == asked {
        debug_assert_eq!(site, own_site(), "a call has one place in its program");
        return site;
    }
    let site = own_site();
    LAST.set((asked, site));
    site
}

/// The number of [`own_site`], and behind it those of the calls that led to the function that called us, the inner
/// first; 0 for those that are not known.
#[inline]
pub fn own_path() -> [u64; PATH] {
    let innermost =
        || frames::link_address().map(|site| std::array::from_fn(|depth| if depth == 0 { site } else { 0 }));
    state::current().and_then(|record| returns::path(record, PATH).or_else(innermost)).unwrap_or_default()
}

/// The part of the calling rank's stack that no function of the program uses any more, from and up to; `None` where
/// the program runs on a stack of its own. Tables tell in nanoseconds, and this is asked at many calls.
pub fn frames_left() -> Option<(usize, usize)> {
    let record = state::current()?;
    let base = record.image.region();
    let top = returns::stack_pointer(record).or_else(frames::stack_pointer)?;
    (base..base + record.image.program().region().stack_len).contains(&top).then_some((base, top))
}

/// The frame in which an address of the stack lies, which is that of a rank, if it is one of the user's code.
pub fn frame_around(record: &Record, address: usize) -> Option<ProgramFrame> {
    match returns::frame_around(record, address) {
        Some(known) => known.map(|(call, range)| ProgramFrame { call, range }),
        None => frames::frame_around(address),
    }
}

/// The number of [`own_site`] for the address at which a function of the program goes on after its call; `None` if it
/// is not in the program's own code.
pub fn site_of_caller(address: usize) -> Option<u64> {
    frames::site_of_return(address)
}

/// Where the program of `rank` ended it; not known if it has not ended.
pub fn exit_of(rank: WorldRank) -> Exit {
    let record = state::host().and_then(|host| host.records.get(rank.index()));
    record.map_or(Exit::default(), |record| record.own.exit.get())
}

/// The number of [`own_site`] of a function of the program, by its address.
pub fn site_at(address: usize) -> Option<u64> {
    frames::site_at(address)
}

/// The source line of a number of [`own_site`] in the program of `rank`.
pub fn place_of_site(rank: WorldRank, site: u64) -> Option<SourceLocation> {
    let record = state::host()?.records.get(rank.index())?;
    (site != 0).then(|| source_of(record, site))
}

/// The source lines of a path of [`own_path`] in the program of `rank`, the innermost first. A call in a function that
/// is inlined has several, of which the first is that of [`place_of_site`]. What headers of libraries define is left
/// out of those behind it.
pub fn places_of_path(rank: WorldRank, path: &[u64]) -> Vec<SourceLocation> {
    let Some(record) = state::host().and_then(|host| host.records.get(rank.index())) else { return Vec::new() };
    let sites = path.iter().take_while(|site| **site != 0);
    let mut places = sites.flat_map(|&site| sources_of(record, site));
    let Some(innermost) = places.next() else { return Vec::new() };
    let has_lines = innermost.file.is_some();
    let callers = places.filter(|place| !place.is_in_library());
    let mut places: Vec<_> = iter::once(innermost).chain(callers).collect();
    // gfortran's `main`, which calls the program's, has no line.
    let is_made = |place: &SourceLocation| place.file.is_none() && place.function.as_deref() == Some("main");
    if has_lines && places.last().is_some_and(is_made) {
        places.pop();
    }
    places
}

type Known = Map<(PathBuf, u64), Vec<SourceLocation>>;

/// Debug information is slow to read, and the same places are asked for again and again.
// SAFETY: `sources_of` alone uses it, after it has asked for the thread.
static KNOWN: HostCell<RefCell<Known>> = unsafe { HostCell::new(RefCell::new(Known::with_hasher(FxBuildHasher))) };

/// Source location of an image address of a rank.
fn source_of(record: &Record, image_address: u64) -> SourceLocation {
    sources_of(record, image_address).swap_remove(0)
}

/// The same, with those of the functions that it is inlined in behind it.
fn sources_of(record: &Record, image_address: u64) -> Vec<SourceLocation> {
    let file = record.image.program().file_at(image_address);
    let own = file.own_address(image_address);
    if !running::on_host_thread() {
        return read_sources(file, own);
    }
    let key = (file.path().to_path_buf(), own);
    if let Some(found) = KNOWN.borrow().get(&key) {
        return found.clone();
    }
    let found = read_sources(file, own);
    KNOWN.borrow_mut().insert(key, found.clone());
    found
}

/// At least one.
fn read_sources(file: &ProgramFile, address: u64) -> Vec<SourceLocation> {
    directory::at_home(|| {
        let found = Source::open(file.path()).map(|source| source.path(address)).unwrap_or_default();
        let (mut innermost, inlined_in) = match found.split_first() {
            Some((innermost, others)) => (innermost.clone(), others),
            None => (SourceLocation::default(), &[][..]),
        };
        if innermost.function.is_none() {
            innermost.function = file.symbol_table().function_at(address).map(|(symbol, _)| readable(&symbol.name));
        }
        [&[innermost], inlined_in].concat()
    })
}
