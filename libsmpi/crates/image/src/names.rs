//! Files that are known by their names: libsmpi itself, and interpreters.

use std::path::Path;

/// Names of libsmpi itself: the process has it already.
const OURSELVES: [&str; 3] = ["libmpi_abi.so", "libmpi_abi.so.1", "libsmpi.so"];

/// Interpreters, without the version at the end of their names.
const INTERPRETERS: [&str; 13] =
    ["python", "pypy", "perl", "ruby", "lua", "julia", "node", "tclsh", "sh", "bash", "dash", "zsh", "busybox"];

/// True for the names of libsmpi itself.
pub(crate) fn is_libsmpi(name: &str) -> bool {
    OURSELVES.contains(&name)
}

/// True for the executable of an interpreter, under whatever name it is called.
pub(crate) fn is_interpreter(path: &Path) -> bool {
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let name = real.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    INTERPRETERS.contains(&name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}
