//! What a trace begins with, and what each rank's ends with.

/// The first line of every trace that is written here: a comment for SMPI, and the version of the extension.
pub const MARKER: &str = "# libsmpi time-independent trace 1";

/// How the marker begins in all versions.
pub const MARKER_START: &str = "# libsmpi time-independent trace ";

/// What stands behind the last action of a rank, with the rank behind it: also a comment. Without it a trace was cut,
/// or its recording did not come to its end.
pub const END: &str = "# libsmpi end of rank ";

/// The rank whose trace ends with this line.
pub fn end_of(line: &str) -> Option<usize> {
    line.trim_end().strip_prefix(END)?.parse().ok()
}
