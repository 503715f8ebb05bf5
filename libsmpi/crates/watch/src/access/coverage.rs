//! Which parts of the programs do not report their accesses: files compiled without `smpicc --verify`.
//!
//! What they do to buffers of MPI and memory of windows is not seen, nor whether they look at results, so every verdict
//! names them. So it does with libraries, none of which report.

use std::path::Path;
use std::sync::OnceLock;

use smpi_dwarf::units;

/// The option that makes compilers report accesses, as they note it in debug information.
const OPTION: &str = "-fsanitize=thread";
/// The function that everything calls which was compiled with it.
const MARK: &str = "__tsan_init";

static UNSEEN: OnceLock<Vec<String>> = OnceLock::new();

/// Looks at the files of the programs: executables, and libraries that each rank has for itself.
pub fn look_at<'a>(files: impl Iterator<Item = &'a Path>) {
    let mut unseen: Vec<String> = Vec::new();
    for file in files {
        if smpi_image::imported(file).iter().any(|name| name == MARK) {
            unseen.extend(units::without_option(file, OPTION));
        } else {
            unseen.extend(file.file_name().map(|name| name.to_string_lossy().into_owned()));
        }
    }
    unseen.sort();
    unseen.dedup();
    let _ = UNSEEN.set(unseen);
}

/// The source files, functions and libraries whose accesses are not seen.
pub fn unseen() -> &'static [String] {
    UNSEEN.get().map_or(&[], Vec::as_slice)
}
