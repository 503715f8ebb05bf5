//! Which parts of the programs do not report their accesses, although others do, or although others may access their
//! memory by windows: files compiled without `smpicc --verify`.
//!
//! What they do to buffers of MPI and memory of windows is not seen, nor whether they look at results, so the verdict
//! names them.

use std::path::Path;
use std::sync::OnceLock;

use smpi_report::units;

use crate::checks::makes_window;

/// The option that makes compilers report accesses, as they note it in debug information.
const OPTION: &str = "-fsanitize=thread";
/// The function that everything calls which was compiled with it.
const MARK: &str = "__tsan_init";

static UNSEEN: OnceLock<Vec<String>> = OnceLock::new();

/// Looks at the files of the programs: executables, and libraries that each rank has for itself. Nothing is unseen
/// where nothing reports, and there are no windows.
pub fn look_at<'a>(files: impl Iterator<Item = &'a Path>) {
    let mut has_windows = false;
    let reports = |file: &Path| {
        let imported = smpi_image::imported(file);
        has_windows |= imported.iter().any(|name| makes_window(name));
        imported.iter().any(|name| name == MARK)
    };
    let files: Vec<&Path> = files.collect();
    let reporting: Vec<bool> = files.iter().copied().map(reports).collect();
    if !has_windows && !reporting.contains(&true) {
        return;
    }
    let mut unseen: Vec<String> = Vec::new();
    for (file, reports) in files.into_iter().zip(reporting) {
        if reports {
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
