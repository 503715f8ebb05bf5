//! The part of the check of ourselves ([`super::self_check`]) that is about files: the table of descriptors as the
//! kernel has it, what is in the files that ranks may write to, and what names stand for. All of it is read from the
//! system, whatever is known of it.

use std::collections::BTreeMap;
use std::ffi::c_int;

use super::files::of_descriptor;
use super::ranks::Ranks;
use crate::descriptors::{is_hidden, open_now};
use crate::overlay;
use crate::verification::uncontrolled;

/// What ranks have open, and how they have changed the disk, to be compared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FilesFingerprint {
    /// Digests, by descriptor.
    open: BTreeMap<c_int, u128>,
    /// Digests, by name.
    named: BTreeMap<std::path::PathBuf, u128>,
}

impl Ranks {
    /// Looks at all files of ranks. Descriptors `before` ranks ran are left out. `None` where the exploration is not
    /// complete because of something that cannot be put back, which may be a file.
    pub fn fingerprint_of_files(&self, before: &[c_int]) -> Option<FilesFingerprint> {
        if uncontrolled().next().is_some() {
            return None;
        }
        let of_ranks = open_now().into_iter().filter(|number| !is_hidden(*number) && !before.contains(number));
        let open = of_ranks.filter_map(|number| Some((number, of_descriptor(number).ok()?))).collect();
        Some(FilesFingerprint { open, named: overlay::raw() })
    }

    /// What is different in the files of ranks, in words.
    pub fn differences_of_files(&self, before: &[c_int], then: &FilesFingerprint) -> Option<String> {
        let now = self.fingerprint_of_files(before)?;
        let is_other = |number: &&c_int| now.open.get(number) != then.open.get(number);
        if let Some(number) = now.open.keys().chain(then.open.keys()).find(is_other) {
            return Some(format!("descriptor {number} is something else"));
        }
        let is_other = |name: &&std::path::PathBuf| now.named.get(*name) != then.named.get(*name);
        let name = now.named.keys().chain(then.named.keys()).find(is_other)?;
        Some(format!("{} is something else", name.display()))
    }
}
