//! What hosting asks of the library above it: plain functions, so that nothing here knows that library.
//!
//! [`install`] puts them in place once, before the first program is opened; nothing asks before.

use smpi_base::WorldRank;
use smpi_base::plan::RunPlan;
use std::path::Path;
use std::sync::OnceLock;

/// The functions of the library above. All are called on the hosting thread, and may be called in a handler of a
/// crash.
#[derive(Clone, Copy)]
pub struct Hooks {
    /// `main` of a process that hosts ranks: runs the plan, and returns the exit code.
    pub main: fn(RunPlan) -> i32,
    /// The simulated clock. Only ranks that run ask for it.
    pub clock: Clock,
    /// Where a rank is in MPI, to be read after "the rank was": `inside MPI_Recv`, `after MPI_Barrier`. `None` while
    /// that must not be looked at, because something of the library's own is half done, or when nothing is known.
    pub progress: fn(WorldRank) -> Option<String>,
    /// A program is opened that takes functions of these names from libraries. The answer says what it gets in their
    /// place, beyond what every program gets: name → address.
    pub opened: fn(&[String]) -> Replacement,
    /// The definition of a name in a tool that comes between programs and the library above (PMPI); `None` for names
    /// that are no function of that library, and without a tool.
    pub tool: Replacement,
    /// The function of this name in the library above, whichever tools there are.
    pub behind_tools: Replacement,
    /// Of a function of this name, of the library above, that may let a rank wait: how many arguments it has.
    pub waits: fn(&str) -> Option<usize>,
    /// Whether a function of this name, of the library above, may send or receive.
    pub moves_message: fn(&str) -> bool,
    /// A rank gives up the block of its heap at this address; the function tells how many bytes it has. The answer is
    /// whether somebody else still has a use for it: then it stays. Called only after [`super::report_freed`].
    pub freed: fn(usize, &dyn Fn() -> usize) -> bool,
    /// What ranks do with files without MPI.
    pub paths: Paths,
    /// Whether a simulated host has this name.
    pub is_host: fn(&str) -> bool,
    /// A number that is to be at hand for every rank ([`super::landmark`]), made from the addresses of what its image
    /// exports, by name.
    pub landmark: fn(&Exported<'_>) -> usize,
}

/// Addresses of what an image exports, by name.
pub type Exported<'a> = dyn Fn(&str) -> Option<usize> + 'a;

/// Addresses of functions that are called in the place of others, by name.
pub type Replacement = fn(&str) -> Option<usize>;

/// What a rank does with a name of a file, without MPI.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathUse {
    /// Asks about it.
    Looks,
    /// The same, and a link is not followed.
    LooksAtEntry,
    /// Asks what a link stands for.
    ReadsLink,
    /// Asks for its one name.
    Resolves,
    /// Opens it, to read.
    Reads,
    /// Opens it to write, or makes it.
    Writes,
    /// Removes it.
    Removes,
    /// Changes it otherwise: cuts it.
    Changes,
    /// Changes what the name stands for: gives it another name, makes a directory or a link.
    ChangesEntry,
    /// Lists what is in it.
    Lists,
    /// Lists what is in it and in the directories there.
    ListsBelow,
}

impl PathUse {
    /// Whether a link is meant, and not what it stands for.
    pub fn is_of_entry(self) -> bool {
        matches!(self, PathUse::LooksAtEntry | PathUse::ReadsLink | PathUse::Removes | PathUse::ChangesEntry)
    }
}

/// What ranks do with files without MPI, as they are under the checker.
#[derive(Clone, Copy)]
pub struct Paths {
    /// A rank uses a file of this name. The answer is whether it is the program that does.
    pub used: fn(&Path, PathUse) -> bool,
    /// It has opened the file of this name under this descriptor.
    pub opened: fn(&Path, PathUse, i32),
    /// It is about to close a descriptor.
    pub closes: fn(i32),
}

/// The simulated clock, as the C library's time functions show it to ranks.
#[derive(Clone, Copy)]
pub struct Clock {
    /// Simulated seconds since the start.
    pub now: fn() -> f64,
    /// The date of the start, which programs see: seconds since 1970.
    pub epoch: fn() -> i64,
    /// The same, without that anything takes time.
    pub date: fn() -> f64,
    /// Lets that many simulated seconds pass for the calling rank.
    pub sleep: fn(f64),
    /// Has a rank resumed at a date, whatever it waits for; infinity for never.
    pub wake_at: fn(WorldRank, f64),
}

static HOOKS: OnceLock<Hooks> = OnceLock::new();

/// Puts the hooks in place; the first ones stay.
pub fn install(hooks: &Hooks) {
    HOOKS.get_or_init(|| *hooks);
}

/// The hooks.
///
/// # Panics
/// Before [`install`].
#[inline]
pub fn hooks() -> &'static Hooks {
    HOOKS.get().expect("hooks are installed before programs are opened")
}
