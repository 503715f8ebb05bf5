//! Tells gdb where the images are: a script for `gdb -x`, one `add-symbol-file` for each of its files.
//!
//! gdb wants the run-time address of `.text`; the rest of the sections follow it by the same bias. Reading symbols takes
//! gdb a moment per image, so a caller with thousands of ranks names only those of interest.

use crate::image::Image;
use std::fmt::Write;

/// A gdb script that makes the given images known, each under a comment with its rank.
pub fn gdb_script<'a>(images: impl IntoIterator<Item = (u32, &'a Image)>) -> String {
    let mut script = String::from("# Images of the ranks; written by libsmpi.\nset confirm off\n");
    for (rank, image) in images {
        // Writing to a String cannot fail.
        let _ = writeln!(script, "# rank {rank}");
        for (path, text) in image.text_sections() {
            let absolute = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
            let _ = writeln!(script, "add-symbol-file \"{}\" {text:#x}", absolute.display());
        }
    }
    script.push_str("set confirm on\n");
    script
}
