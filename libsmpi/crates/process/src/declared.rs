//! What the program declared at an address of a rank, by debug information (`-g`): variables of functions, found in the
//! frames of its stack, and the types of these and of variables with static storage.

use crate::faults::places;
use crate::host_cell::HostCell;
use crate::record::Record;
use crate::{directory, running, state};
use smpi_base::map::{FxBuildHasher, Map};
use smpi_dwarf::declared::{Declarations, Fit, Local, Locals, Shape, TypeId};
use smpi_image::ProgramFile;
use std::cell::RefCell;
use std::ops::Range;
use std::path::PathBuf;
use std::rc::Rc;

/// The debug information of files; `None` of those that have none.
type Known = Map<PathBuf, Option<Declarations>>;

// SAFETY: `with_declarations` alone uses it, after it has asked for the thread.
static KNOWN: HostCell<RefCell<Known>> = unsafe { HostCell::new(RefCell::new(Known::with_hasher(FxBuildHasher))) };

/// Asks the debug information of a file.
fn with_declarations<R>(file: &ProgramFile, ask: impl FnOnce(&mut Declarations) -> Option<R>) -> Option<R> {
    if !running::on_host_thread() {
        return None;
    }
    let mut known = KNOWN.borrow_mut();
    let path = file.path();
    if !known.contains_key(path) {
        known.insert(path.to_path_buf(), directory::at_home(|| Declarations::open(path)));
    }
    ask(known.get_mut(path)?.as_mut()?)
}

/// A variable of the calling rank, as the program declared it.
#[derive(Clone, Debug)]
pub struct Declared {
    /// Its addresses.
    pub range: Range<usize>,
    /// Its name.
    pub name: String,
    /// It is known to be there; else it may be, or another one that is known.
    pub is_certain: bool,
    declared: TypeId,
    /// Some image address of its file.
    file: u64,
}

impl Declared {
    /// Whether so many bytes of this shape at an address of the variable are what was declared there.
    pub fn fit(&self, address: usize, shape: Shape, size: u64) -> Fit {
        let offset = (address - self.range.start) as u64;
        self.ask(|declarations| Some(declarations.fit(self.declared, offset, shape, size))).unwrap_or(Fit::Unknown)
    }

    /// After how many bytes the same types follow each other again in a part of the variable, if that is so.
    pub fn period(&self, part: &Range<usize>) -> Option<u64> {
        let offset = part.start.checked_sub(self.range.start)? as u64;
        self.ask(|declarations| declarations.period(self.declared, offset, part.len() as u64))
    }

    /// Its type, about as the source has it.
    pub fn words(&self) -> String {
        self.ask(|declarations| Some(declarations.describe(self.declared))).unwrap_or_default()
    }

    fn ask<R>(&self, ask: impl FnOnce(&mut Declarations) -> Option<R>) -> Option<R> {
        with_declarations(state::current()?.image.program().file_at(self.file), ask)
    }
}

/// The variables around an address of the calling rank.
pub struct Surroundings {
    /// The addresses of which all variables are there: a frame of the stack, or a symbol.
    pub range: Range<usize>,
    /// They may share addresses.
    pub variables: Vec<Declared>,
}

/// What the program declared around an address, if there is debug information.
pub fn surroundings(address: usize) -> Option<Surroundings> {
    let record = state::current()?;
    if has_on_stack(record, address) {
        let frame = frame_around(record, address)?;
        let declared = |local: &Local| Declared {
            range: frame.range_of(local),
            name: local.name.clone(),
            is_certain: local.is_in_scope,
            declared: local.declared,
            file: frame.call,
        };
        return Some(Surroundings { variables: frame.locals.iter().map(declared).collect(), range: frame.range });
    }
    let program = record.image.program();
    let link = record.image.link_address(address)?;
    let symbol = program.variable_at(link)?;
    let file = program.file_at(link);
    let shift = link.wrapping_sub(file.own_address(link));
    let own = file.own_address(symbol.start)..file.own_address(symbol.end);
    let (statics, may_lack) =
        with_declarations(file, |declarations| Some((declarations.statics(own), declarations.may_lack_views())))?;
    // Variables of a common block, or that Fortran's EQUIVALENCE puts into one place.
    let is_equivalence = symbol.name.starts_with("equiv.");
    let at = |own: u64| record.image.address(own.wrapping_add(shift));
    let variables = statics.into_iter().map(|one| Declared {
        range: at(one.start)..at(one.start + one.size),
        name: one.name,
        is_certain: !may_lack || !(one.is_common || is_equivalence),
        declared: one.declared,
        file: link,
    });
    let range = record.image.address(symbol.start)..record.image.address(symbol.end);
    Some(Surroundings { variables: variables.collect(), range })
}

/// Whether an address is one of the rank's stack.
#[inline]
pub fn has_on_stack(record: &Record, address: usize) -> bool {
    (record.image.region()..record.image.range().start).contains(&address)
}

/// The variables of a function that uses some frame of the stack.
struct Frame {
    /// Its addresses; it ends where the caller's frame begins.
    range: Range<usize>,
    /// Image address of the call by which the function left it.
    call: u64,
    locals: Rc<Locals>,
}

impl Frame {
    fn range_of(&self, local: &Local) -> Range<usize> {
        let start = self.range.end.wrapping_add_signed(local.offset as isize);
        start..start + local.size as usize
    }
}

fn frame_around(record: &Record, address: usize) -> Option<Frame> {
    let frame = places::frame_around(record, address)?;
    let file = record.image.program().file_at(frame.call);
    let locals = with_declarations(file, |declarations| declarations.locals(file.own_address(frame.call)))?;
    Some(Frame { range: frame.range, call: frame.call, locals })
}

/// The variable in scope that has an address of the rank's stack, with all that share bytes with it: their addresses,
/// and its name.
pub fn local_at(record: &Record, address: usize) -> Option<(Range<usize>, String)> {
    let frame = frame_around(record, address)?;
    let range = |local: &Local| frame.range_of(local);
    let here = frame.locals.iter().find(|local| local.is_in_scope && range(local).contains(&address))?;
    let mut joined = range(here);
    loop {
        let before = joined.clone();
        for other in frame.locals.iter().map(range) {
            if other.start < joined.end && joined.start < other.end {
                joined = joined.start.min(other.start)..joined.end.max(other.end);
            }
        }
        if joined == before {
            return Some((joined, here.name.clone()));
        }
    }
}
