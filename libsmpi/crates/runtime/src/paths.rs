//! What ranks do without MPI with files that MPI may use, under the checker.
//!
//! A rank that reads a file which MPI has changed finds the changed one, and may remove it. Other changes to such a
//! file concern the disk, which is noted: nothing is complete then. Uses are compared with those by MPI
//! (`file_uses.rs`), so that an order that the program leaves open is noticed. Those of two ranks that
//! both do without MPI are not compared: no MPI is in them.

use std::fs;
use std::os::linux::fs::MetadataExt;
use std::path::Path;

use smpi_base::WorldRank;
use smpi_files::overlay::Shown;
use smpi_files::store::entry;
use smpi_process::{self as process, PathAnswer, PathUse, Paths};

use crate::file_uses::{Aspect, Use, Used};
use crate::state::Runtime;
use crate::{current_rank, try_with};

/// What `process` asks about files.
pub const PATHS: Paths = Paths { used, opened, closes, closed };

/// All bytes of a file, and all that there is about it.
const WHOLE: (u64, u64) = (0, u64::MAX);

/// A rank uses a path. Where the runtime is in use, it is not the program that does.
fn used(function: &'static str, path: &Path, how: PathUse) -> PathAnswer {
    let rank = current_rank();
    let answer = try_with(|runtime| {
        let overlay = runtime.files.table.overlay()?;
        let name = if how.is_of_entry() { entry(path) } else { overlay.name_of(path) }.ok()?;
        // Whoever has opened a directory can list it.
        let how = if how == PathUse::Reads && name.is_dir() { PathUse::Lists } else { how };
        Some(runtime.use_path(rank, &name, how))
    });
    let Some((answer, is_told)) = answer.flatten() else { return PathAnswer::System };
    const CHANGED: &str = "which MPI has changed";
    if is_told && !process::uncontrolled().any(|known| known.contains(CHANGED)) {
        let place = process::own_place_in_words();
        let text = format!(
            "rank {} calls {function}{place} for {}, {CHANGED}: such changes stay in memory, and {function} \
             uses the disk",
            rank.0,
            path.display()
        );
        process::note_uncontrolled(text.leak());
    }
    answer
}

fn opened(path: &Path, how: PathUse, descriptor: i32) {
    let rank = current_rank();
    let how = if how == PathUse::Writes { Use::Changes } else { Use::Looks };
    try_with(|runtime| {
        if let Some(Ok(name)) = runtime.files.table.overlay().map(|overlay| overlay.name_of(path)) {
            runtime.files.descriptors.push((descriptor, name.clone()));
            let of_directory = || vec![Aspect::Name.run(), Aspect::Entries.run()];
            let runs = if name.is_dir() { of_directory() } else { vec![WHOLE] };
            runtime.note_without_mpi(rank, &name, how, runs, Some(descriptor));
        }
    });
}

fn closes(descriptor: i32) -> bool {
    let rank = current_rank();
    let known = try_with(|runtime| {
        let place = runtime.files.descriptors.iter().position(|(number, _)| *number == descriptor)?;
        // Whoever still reads or writes it by other means may do so at any time.
        let is_over = !runtime.is_kept(descriptor);
        let (_, name) = runtime.files.descriptors.remove(place);
        let moment = runtime.world.moment(rank).filter(|_| is_over);
        if runtime.files.uses.close_without_mpi(&name, descriptor, moment.as_ref()) {
            runtime.files.closing = Some(name);
        }
        Some(())
    });
    known.flatten().is_some()
}

/// It is closed, and all that was written is in it.
fn closed() {
    try_with(|runtime| {
        if let Some(name) = runtime.files.closing.take() {
            runtime.files.table.note_written(&name);
        }
    });
}

impl Runtime {
    /// What a rank gets for a name, and whether the disk is used though MPI has changed what is there.
    fn use_path(&mut self, rank: WorldRank, name: &Path, how: PathUse) -> (PathAnswer, bool) {
        let aspects = || vec![Aspect::End.run(), Aspect::Name.run()];
        match how {
            PathUse::Looks | PathUse::LooksAtEntry | PathUse::ReadsLink | PathUse::Resolves | PathUse::Reads => {
                self.note_without_mpi(rank, name, Use::Looks, aspects(), None);
            }
            PathUse::Removes | PathUse::Changes | PathUse::ChangesEntry => {
                self.note_without_mpi(rank, name, Use::Changes, vec![WHOLE], None);
            }
            PathUse::Lists => self.note_without_mpi(rank, name, Use::Looks, vec![Aspect::Entries.run()], None),
            PathUse::ListsBelow => self.note_without_mpi(rank, name, Use::Looks, vec![Aspect::Below.run()], None),
            // What is written is noted when the file is open.
            PathUse::Writes => {}
        }
        let Some(overlay) = self.files.table.overlay() else { return (PathAnswer::System, false) };
        match how {
            PathUse::Looks | PathUse::LooksAtEntry | PathUse::Reads => match overlay.shown(name) {
                Ok(Shown::Disk) => (PathAnswer::System, false),
                Ok(Shown::Gone) => (PathAnswer::Fails(libc::ENOENT), false),
                Ok(Shown::Contents(copy)) => (PathAnswer::Instead(copy), false),
                Err(error) => (PathAnswer::Fails(error.raw_os_error().unwrap_or(libc::EIO)), true),
            },
            PathUse::ReadsLink | PathUse::Resolves if overlay.is_gone(name) => (PathAnswer::Fails(libc::ENOENT), false),
            // The answer is about the name, and the disk has it as well.
            PathUse::ReadsLink | PathUse::Resolves => (PathAnswer::System, overlay.has(name) && !name.exists()),
            PathUse::Removes => match self.files.table.remove_shown(name) {
                // The disk may have an empty directory that MPI has filled.
                None => {
                    let is_filled = self.files.table.overlay().is_some_and(|overlay| overlay.has_below(name));
                    (PathAnswer::System, is_filled)
                }
                Some(Ok(())) => (PathAnswer::Done, false),
                Some(Err(error)) => (PathAnswer::Fails(error.raw_os_error().unwrap_or(libc::EIO)), false),
            },
            PathUse::Writes | PathUse::Changes => (PathAnswer::System, overlay.has(name)),
            PathUse::ChangesEntry => (PathAnswer::System, overlay.has(name) || overlay.has_below(name)),
            PathUse::Lists => (PathAnswer::System, overlay.has_in(name)),
            PathUse::ListsBelow => (PathAnswer::System, overlay.has(name) || overlay.has_below(name)),
        }
    }

    /// Notices that a rank uses a file without MPI: until it closes the descriptor, if there is one.
    fn note_without_mpi(
        &mut self,
        rank: WorldRank,
        name: &Path,
        how: Use,
        runs: Vec<(u64, u64)>,
        descriptor: Option<i32>,
    ) {
        let Some(moment) = self.world.moment(rank) else { return };
        let mut new = Used::aspect(vec![moment], how, runs);
        new.without_mpi = true;
        if descriptor.is_some() {
            (new.over, new.descriptor) = (Vec::new(), descriptor);
        }
        self.note_use(name, new);
    }

    /// Whether a file that is about to be closed is still open under a number that no function has opened, or mapped.
    fn is_kept(&self, descriptor: i32) -> bool {
        let identity = |number: i32| {
            let about = fs::metadata(format!("/proc/self/fd/{number}")).ok()?;
            Some((about.st_dev(), about.st_ino()))
        };
        let Some(file) = identity(descriptor) else { return true };
        let is_known = |number: i32| number == descriptor || self.files.descriptors.iter().any(|open| open.0 == number);
        let numbers = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
        let mut numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let is_copied =
            numbers.any(|number| !is_known(number) && !process::is_hidden(number) && identity(number) == Some(file));
        let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
        // proc_pid_maps(5): the inode is the fifth field.
        let mut inodes = maps.lines().filter_map(|line| line.split_whitespace().nth(4)?.parse::<u64>().ok());
        is_copied || inodes.any(|inode| inode == file.1)
    }
}
