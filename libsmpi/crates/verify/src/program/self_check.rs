//! A check of ourselves, beside that of ranks' memory (`smpi_process`): whether all else that belongs to a state is
//! what it was when the state is come back to. Each part is taken as it tells of itself, all fields of it, before it
//! is copied; who forgets to copy or to put back a field has another one then.
//!
//! Nothing of it is used unless it was asked for (`--cfg=smpi/self-check:yes`).

use std::ffi::c_int;
use std::fmt::Debug;

use smpi_base::digest::Digest;
use smpi_process::{self as process, FilesFingerprint, Ranks};
use smpi_runtime::objects::RankObjects;
use smpi_runtime::with;

use crate::program::driver::driven;

/// All of so many states is compared, and of one in [`SHARE`] then: an exploration has many, and to tell of all that a
/// state has takes long.
const FIRST: u64 = 200;
/// See [`FIRST`]; a prime, so that no loop of the program hides something.
const SHARE: u64 = 97;

/// That states are compared, and what is left out.
pub(crate) struct SelfCheck {
    /// Descriptors that were open before ranks ran.
    before: Vec<c_int>,
    /// States that were copied.
    copied: u64,
}

/// What belongs to a state beside what ranks have for themselves, to be compared.
pub(crate) struct Rest {
    parts: Vec<(String, u128)>,
    files: Option<FilesFingerprint>,
}

fn digest(part: &dyn Debug) -> u128 {
    let mut digest = Digest::new();
    digest.add_told(part);
    digest.bits()
}

impl SelfCheck {
    /// For a program that has not run yet.
    pub fn new() -> SelfCheck {
        SelfCheck { before: process::open_descriptors(), copied: 0 }
    }

    /// Looks at the present state, which is copied; or not, where there are many.
    pub fn look(&mut self, ranks: &Ranks) -> Option<Rest> {
        self.copied += 1;
        let is_looked_at = self.copied <= FIRST || self.copied.is_multiple_of(SHARE);
        is_looked_at.then(|| Rest { parts: parts(), files: ranks.fingerprint_of_files(&self.before) })
    }

    /// What is different from what it was, in words.
    pub fn difference(&self, ranks: &Ranks, then: &Rest) -> Option<String> {
        let now = parts();
        let different = now.iter().zip(&then.parts).find(|(now, then)| now != then);
        let part = different.map(|((name, _), _)| format!("{name}: not what was there"));
        part.or_else(|| ranks.differences_of_files(&self.before, then.files.as_ref()?))
    }
}

fn parts() -> Vec<(String, u128)> {
    let mut parts = Vec::new();
    with(|runtime| {
        runtime.world.tell_parts(&mut |name, part| parts.push((name.to_string(), digest(part))));
        for (rank, (objects, run)) in runtime.objects.iter().zip(&runtime.ranks).enumerate() {
            // These stay where they are, as they are.
            let objects = RankObjects { predefined_attributes: Box::default(), ..objects.clone() };
            parts.push((format!("objects of rank {rank}"), digest(&objects)));
            parts.push((format!("where rank {rank} stands"), digest(run)));
        }
        parts.push(("failures".into(), digest(&runtime.trouble.failures)));
        parts.push(("files of MPI".into(), digest(&runtime.files)));
    });
    driven(|driver, _| driver.tell_parts(&mut |name, part| parts.push((name.to_string(), digest(part)))));
    parts
}
