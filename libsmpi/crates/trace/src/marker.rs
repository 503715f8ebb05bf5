//! What a trace begins with.

/// The first line of every trace that is written here: a comment for SMPI, and the version of the extension.
pub const MARKER: &str = "# libsmpi time-independent trace 1";

/// How the marker begins in all versions.
pub const MARKER_START: &str = "# libsmpi time-independent trace ";
