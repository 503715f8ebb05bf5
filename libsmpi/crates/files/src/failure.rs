//! What went wrong at a file, in MPI's terms (MPI 5.0 §14.8): a class from the system's error number, and the file's
//! name with the system's own words.

use std::io;
use std::path::Path;

use smpi_mpi::error::{ErrorClass, MpiError};

/// The class of a system's error. What belongs to no other is `MPI_ERR_IO`.
pub fn class_of(error: &io::Error) -> ErrorClass {
    match error.raw_os_error() {
        Some(libc::EACCES | libc::EPERM) => ErrorClass::ACCESS,
        Some(libc::EEXIST) => ErrorClass::FILE_EXISTS,
        Some(libc::ENOENT) => ErrorClass::NO_SUCH_FILE,
        Some(libc::EROFS) => ErrorClass::READ_ONLY,
        Some(libc::ENOSPC) => ErrorClass::NO_SPACE,
        Some(libc::EDQUOT | libc::EFBIG) => ErrorClass::QUOTA,
        Some(libc::EBUSY | libc::ETXTBSY) => ErrorClass::FILE_IN_USE,
        Some(libc::ENAMETOOLONG | libc::EISDIR | libc::ENOTDIR | libc::ELOOP | libc::ENXIO | libc::EINVAL) => {
            ErrorClass::BAD_FILE
        }
        Some(libc::ENOMEM) => ErrorClass::NO_MEM,
        _ => ErrorClass::IO,
    }
}

/// The error of doing something (`open`, `write`, …) with a file.
pub fn error(doing: &str, path: &Path, error: &io::Error) -> MpiError {
    let text = error.to_string();
    // The number says less than the words, which the name of the class follows anyway.
    let words = text.split(" (os error").next().unwrap_or_default();
    MpiError::new(class_of(error), format!("cannot {doing} {}: {words}", path.display()))
}

/// The same for a system's error number.
pub fn errno(number: i32) -> io::Error {
    io::Error::from_raw_os_error(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_file_and_reason() {
        let error = error("open", Path::new("/tmp/x"), &errno(libc::ENOENT));
        assert_eq!(error.class, ErrorClass::NO_SUCH_FILE);
        assert_eq!(error.message, "cannot open /tmp/x: No such file or directory");
        assert_eq!(class_of(&errno(libc::EIO)), ErrorClass::IO);
    }
}
