//! What ranks do without MPI with files that MPI may use, under the checker.
//!
//! Both find the same files (`smpi_process`). Uses are compared with those by MPI (`file_uses.rs`), so that an order
//! that the program leaves open is noticed. Those of two ranks that both do without MPI are not compared: no MPI is in
//! them.

use std::fs;
use std::os::linux::fs::MetadataExt;
use std::path::Path;

use smpi_base::WorldRank;
use smpi_process::{self as process, PathUse, Paths};

use crate::file_uses::{Aspect, Use, Used};
use crate::global::{current_rank, try_with};
use crate::state::Runtime;

/// What `process` asks about files.
pub const PATHS: Paths = Paths { used, opened, closes };

/// All bytes of a file, and all that there is about it.
const WHOLE: (u64, u64) = (0, u64::MAX);

/// A rank uses a name. Where the runtime is in use, it is not the program that does.
fn used(name: &Path, how: PathUse) -> bool {
    let rank = current_rank();
    try_with(|runtime| runtime.use_name(rank, name, how)).is_some()
}

fn opened(name: &Path, how: PathUse, descriptor: i32) {
    let rank = current_rank();
    let how = if how == PathUse::Writes { Use::Changes } else { Use::Looks };
    try_with(|runtime| {
        runtime.files.descriptors.push((descriptor, name.to_path_buf()));
        let of_directory = || vec![Aspect::Name.run(), Aspect::Entries.run()];
        let runs = if is_directory(descriptor) { of_directory() } else { vec![WHOLE] };
        runtime.note_without_mpi(rank, name, how, runs, Some(descriptor));
    });
}

fn closes(descriptor: i32) {
    let rank = current_rank();
    try_with(|runtime| {
        let place = runtime.files.descriptors.iter().position(|(number, _)| *number == descriptor)?;
        // Whoever still reads or writes it by other means may do so at any time.
        let is_over = !runtime.is_kept(descriptor);
        let (_, name) = runtime.files.descriptors.remove(place);
        let moment = runtime.world.moment(rank).filter(|_| is_over);
        runtime.files.uses.close_without_mpi(&name, descriptor, moment.as_ref());
        Some(())
    });
}

/// Whether an open file is a directory.
fn is_directory(descriptor: i32) -> bool {
    fs::metadata(format!("/proc/self/fd/{descriptor}")).is_ok_and(|about| about.is_dir())
}

impl Runtime {
    /// A rank uses a name, and has not opened it yet.
    fn use_name(&mut self, rank: WorldRank, name: &Path, how: PathUse) {
        let (how, runs) = match how {
            PathUse::Looks | PathUse::LooksAtEntry | PathUse::ReadsLink | PathUse::Resolves | PathUse::Reads => {
                (Use::Looks, vec![Aspect::End.run(), Aspect::Name.run()])
            }
            PathUse::Removes | PathUse::Changes | PathUse::ChangesEntry => (Use::Changes, vec![WHOLE]),
            PathUse::Lists => (Use::Looks, vec![Aspect::Entries.run()]),
            PathUse::ListsBelow => (Use::Looks, vec![Aspect::Below.run()]),
            // What is written is noted when the file is open.
            PathUse::Writes => return,
        };
        self.note_without_mpi(rank, name, how, runs, None);
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
