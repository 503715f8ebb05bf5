//! What the program declared at an address of a rank: variables of functions, found in the frames of its stack, by
//! debug information (`-g`).

use crate::faults::frames;
use crate::host_cell::HostCell;
use crate::record::Record;
use crate::{directory, running};
use smpi_base::map::{FxBuildHasher, Map};
use smpi_image::ProgramFile;
use smpi_report::declared::{Declarations, Locals};
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

/// The variables of a function that uses some frame of the stack.
struct Frame {
    /// Where the caller's frame begins.
    end: usize,
    locals: Rc<Locals>,
}

fn frame_around(record: &Record, address: usize) -> Option<Frame> {
    let frame = frames::frame_around(address)?;
    let file = record.image.program().file_at(frame.call);
    let locals = with_declarations(file, |declarations| declarations.locals(file.own_address(frame.call)))?;
    Some(Frame { end: frame.range.end, locals })
}

/// The variable in scope that has an address of the rank's stack, with all that share bytes with it: their addresses,
/// and its name.
pub fn local_at(record: &Record, address: usize) -> Option<(Range<usize>, String)> {
    let frame = frame_around(record, address)?;
    let range = |local: &smpi_report::declared::Local| {
        let start = frame.end.wrapping_add_signed(local.offset as isize);
        start..start + local.size as usize
    };
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
