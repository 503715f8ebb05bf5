//! Misuse of MPI that no single call shows, found in simulation and under the checker alike.
//!
//! [`notes`] puts what the MPI layer noticed into words; [`leftovers`] looks at what is left when the ranks are over.
//! In a simulation a finding is a warning ([`Warnings`]), and with `--strict` the run fails; under the checker it is an
//! error.

mod leftovers;
mod notes;
mod returned;

use smpi_base::WorldRank;
use smpi_base::table::Key;
use smpi_base::{eprint, eprintln};
use smpi_dwarf::source::SourceLocation;
use smpi_mpi::p2p::request::{Phase, Request};
use smpi_mpi::usage::Origin;
use smpi_mpi::world::World;
use smpi_report::FindingKey;
use smpi_report::finding::{Finding, Location};

use smpi_process::{self as process, Ranks};
use smpi_runtime::objects::handles::{Kind, encode};
use smpi_runtime::warnings::MAX_WARNINGS;
use smpi_runtime::with_objects;
use smpi_runtime::{current_rank, with};

pub use leftovers::{at_end, is_over};
pub use notes::findings as of_notes;
pub use returned::{last_error, returned_errors};

/// What a program does that gives memory back.
pub const FREE: &str = "free";

/// Whether a function sends in ready mode, makes a window, opens a file or looks up the name of a port, in whatever
/// language: only programs that call one are followed that closely.
pub fn needs_causality(function: &str) -> bool {
    has_shared_bytes(function) || sends_ready(function) || function.to_ascii_lowercase().contains("mpi_lookup_name")
}

/// Whether a function makes a window or opens a file.
pub fn has_shared_bytes(function: &str) -> bool {
    makes_window(function) || function.to_ascii_lowercase().contains("mpi_file_open")
}

/// Whether a function sends in ready mode.
pub fn sends_ready(function: &str) -> bool {
    let name = function.to_ascii_lowercase();
    ["mpi_rsend", "mpi_irsend"].iter().any(|part| name.contains(part))
}

/// Whether a function makes a window.
pub fn makes_window(function: &str) -> bool {
    let name = function.to_ascii_lowercase();
    let is_other = name.contains("keyval") || name.contains("errhandler");
    !is_other && ["mpi_win_create", "mpi_win_allocate"].iter().any(|part| name.contains(part))
}

/// Where the calling rank is, when such places are remembered at all.
#[inline(always)]
pub fn origin() -> Origin {
    if with(|runtime| runtime.follows.track_sites) { here() } else { Origin::default() }
}

/// The same where races at windows are looked for.
#[inline(always)]
pub fn origin_at_window() -> Origin {
    if with(|runtime| runtime.world.follows_causality()) { here() } else { Origin::default() }
}

/// Where the calling rank is, in a call of MPI.
#[inline(always)]
pub fn here() -> Origin {
    Origin { site: process::site_of_call(), call: with(|runtime| runtime.run(current_rank()).call) }
}

/// Notes something about the calling rank, once for each place.
pub fn note_once(place: Origin, note: impl FnOnce(&mut World, WorldRank)) {
    let rank = current_rank();
    with(|runtime| {
        if runtime.run(rank).watch.is_new(place.site, place) {
            note(&mut runtime.world, rank);
        }
    });
}

/// The handle of a new object of the calling rank; remembers where it was made.
pub fn made(kind: Kind, key: Key) -> u64 {
    if with(|runtime| runtime.follows.track_sites) {
        let origin = origin();
        with_objects(|objects| objects.sites.note(kind, key, origin));
    }
    encode(kind, key)
}

/// The program gets the handle of a request.
#[inline]
pub fn watch(key: Key) {
    let origin = origin();
    if origin.site != 0 {
        with(|runtime| runtime.world.watch(current_rank(), key, origin));
    }
}

/// A call of the program starts a request, of which it need not get the handle.
#[inline]
pub(crate) fn place(key: Key) {
    let origin = origin();
    if origin.site != 0 {
        with(|runtime| runtime.world.place(current_rank(), key, origin));
    }
}

/// The program starts a request whose buffers others may reach by windows.
pub fn place_at_window(key: Key) {
    let origin = origin_at_window();
    with(|runtime| runtime.world.watch(current_rank(), key, origin));
}

/// The calling rank has just completed an operation, and something was noticed.
#[cold]
pub fn place_notes(rank: WorldRank) {
    let here = origin();
    with(|runtime| runtime.world.place_observations(rank, here));
}

/// The calling rank waits for requests: a persistent one that is not started keeps it no time, which is remembered
/// where places are.
#[inline(always)]
pub fn note_idle(mut keys: impl Iterator<Item = Key>) {
    if !with(|runtime| runtime.follows.track_sites) {
        return;
    }
    let rank = current_rank();
    let is_idle = |request: &Request| request.persistent && request.phase == Phase::Inactive;
    let origin =
        |key| with(|runtime| runtime.world.request(rank, key).filter(|own| is_idle(own)).map(|own| own.origin()));
    if let Some(made) = keys.find_map(origin) {
        let here = here();
        with(|runtime| runtime.run(rank).idle = Some((here, made)));
    }
}

/// A place as findings show it.
pub fn located(mut location: Location, place: Option<&SourceLocation>) -> Location {
    if let Some(place) = place {
        location.file = place.file.clone();
        location.line = place.line;
        location.function = place.function.clone();
    }
    location
}

/// The place where a rank made something.
pub fn location_of(rank: WorldRank, origin: Origin) -> Location {
    located(Location::new(rank.0, origin.call), process::place_of_site(rank, origin.site).as_ref())
}

/// Says what the MPI layer has noticed in a simulation since the last time. All ranks are suspended.
#[cold]
pub fn warn_of_notes(ranks: &mut Ranks) {
    for finding in of_notes(ranks) {
        warn(finding);
    }
}

fn warn(finding: Finding) {
    with(|runtime| {
        // With --strict they are errors.
        let quiet = runtime.settings.quiet && !runtime.follows.track_sites;
        if let Some(finding) = runtime.trouble.warnings.add(finding)
            && !quiet
        {
            eprint!("{}", smpi_report::text::warning(finding));
        }
    });
}

/// Says which errors calls have returned until the end of a simulation, however it ended.
pub fn warn_of_returned() {
    returned_errors().into_iter().for_each(warn);
}

/// Says what is left over at the end of a simulation, and returns whether its checks found anything at all.
pub fn finish_simulation(strict: bool) -> bool {
    // What is left of collective operations that did not fit together is no second cause.
    let seen = |key| with(|runtime| runtime.trouble.warnings.found.as_slice().iter().any(|finding| finding.key == key));
    let mixed_up = seen(FindingKey::CollectiveMismatch);
    for finding in at_end().into_iter().filter(|finding| !mixed_up || finding.key != FindingKey::PendingAtFinalize) {
        warn(finding);
    }
    with(|runtime| {
        let found = &runtime.trouble.warnings.found;
        let count = found.as_slice().len();
        if !runtime.settings.quiet {
            if count > MAX_WARNINGS {
                eprintln!("smpirun: warning: {} more kinds of misuse", count - MAX_WARNINGS);
            }
            if !found.is_empty() && !strict {
                eprintln!("smpirun: note: --strict makes such a run fail, and shows where objects were made");
            }
        }
        !found.is_empty()
    })
}
