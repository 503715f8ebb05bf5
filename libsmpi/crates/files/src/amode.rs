//! Access modes: what a file is opened for (MPI 5.0 §14.2.1).

use smpi_abi::c::{
    MPI_MODE_APPEND, MPI_MODE_CREATE, MPI_MODE_DELETE_ON_CLOSE, MPI_MODE_EXCL, MPI_MODE_RDONLY, MPI_MODE_RDWR,
    MPI_MODE_SEQUENTIAL, MPI_MODE_UNIQUE_OPEN, MPI_MODE_WRONLY,
};
use smpi_mpi::error::{ErrorClass, MpiError, Result};

const ALL: i32 = MPI_MODE_APPEND
    | MPI_MODE_CREATE
    | MPI_MODE_DELETE_ON_CLOSE
    | MPI_MODE_EXCL
    | MPI_MODE_RDONLY
    | MPI_MODE_RDWR
    | MPI_MODE_SEQUENTIAL
    | MPI_MODE_UNIQUE_OPEN
    | MPI_MODE_WRONLY;

/// A valid access mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Amode(i32);

impl Amode {
    /// Checks the program's bits.
    ///
    /// # Errors
    /// `MPI_ERR_AMODE` for unknown bits and combinations that the standard excludes.
    pub fn new(bits: i32) -> Result<Amode> {
        let wrong = |value: &str, allowed: &str| Err(MpiError::parameter(ErrorClass::AMODE, "amode", value, allowed));
        if bits & !ALL != 0 {
            return wrong(&format!("{bits:#x}"), "a sum of MPI_MODE_ constants for files");
        }
        let mode = Amode(bits);
        let ways = [MPI_MODE_RDONLY, MPI_MODE_RDWR, MPI_MODE_WRONLY];
        match ways.iter().filter(|way| mode.has(**way)).count() {
            0 => wrong("no way of access", "one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR"),
            1 if mode.has(MPI_MODE_RDONLY) && (mode.has(MPI_MODE_CREATE) || mode.has(MPI_MODE_EXCL)) => {
                wrong("MPI_MODE_RDONLY with MPI_MODE_CREATE or MPI_MODE_EXCL", "these with a file that is written")
            }
            1 if mode.has(MPI_MODE_RDWR) && mode.has(MPI_MODE_SEQUENTIAL) => {
                wrong("MPI_MODE_RDWR with MPI_MODE_SEQUENTIAL", "MPI_MODE_SEQUENTIAL with reading or with writing")
            }
            1 => Ok(mode),
            _ => wrong("several ways of access", "one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR"),
        }
    }

    fn has(self, bit: i32) -> bool {
        self.0 & bit != 0
    }

    /// As the program gave it.
    pub fn bits(self) -> i32 {
        self.0
    }

    /// The file may be read.
    pub fn reads(self) -> bool {
        !self.has(MPI_MODE_WRONLY)
    }

    /// The file may be written.
    pub fn writes(self) -> bool {
        !self.has(MPI_MODE_RDONLY)
    }

    /// A file that is missing is made.
    pub fn creates(self) -> bool {
        self.has(MPI_MODE_CREATE)
    }

    /// The file must not be there when it is made.
    pub fn is_exclusive(self) -> bool {
        self.has(MPI_MODE_EXCL)
    }

    /// All file pointers are at the end at first.
    pub fn appends(self) -> bool {
        self.has(MPI_MODE_APPEND)
    }

    /// The file goes when it is closed.
    pub fn deletes(self) -> bool {
        self.has(MPI_MODE_DELETE_ON_CLOSE)
    }

    /// Only shared file pointers are used.
    pub fn is_sequential(self) -> bool {
        self.has(MPI_MODE_SEQUENTIAL)
    }

    /// Checks that the mode lets a file be read.
    ///
    /// # Errors
    /// `MPI_ERR_ACCESS`.
    pub fn check_read(self) -> Result<()> {
        let text = "the file was opened with MPI_MODE_WRONLY: open it with MPI_MODE_RDWR to read it";
        if self.reads() { Ok(()) } else { Err(MpiError::new(ErrorClass::ACCESS, text)) }
    }

    /// Checks that the mode lets a file be written.
    ///
    /// # Errors
    /// `MPI_ERR_READ_ONLY`.
    pub fn check_write(self) -> Result<()> {
        let text = "the file was opened with MPI_MODE_RDONLY: open it with MPI_MODE_RDWR to write it";
        if self.writes() { Ok(()) } else { Err(MpiError::new(ErrorClass::READ_ONLY, text)) }
    }

    /// Checks that the mode lets a file be accessed at any place.
    ///
    /// # Errors
    /// `MPI_ERR_UNSUPPORTED_OPERATION`.
    pub fn check_placed(self) -> Result<()> {
        let text =
            "the file was opened with MPI_MODE_SEQUENTIAL, which leaves only accesses by its shared file pointer";
        if self.is_sequential() { Err(MpiError::new(ErrorClass::UNSUPPORTED_OPERATION, text)) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_that_make_no_sense_are_refused() {
        let class = |bits| Amode::new(bits).err().map(|error| error.class);
        for good in [
            MPI_MODE_RDONLY,
            MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_DELETE_ON_CLOSE,
            MPI_MODE_WRONLY | MPI_MODE_APPEND | MPI_MODE_SEQUENTIAL,
            MPI_MODE_RDONLY | MPI_MODE_UNIQUE_OPEN | MPI_MODE_SEQUENTIAL,
        ] {
            assert_eq!(class(good), None, "{good:#x}");
        }
        for bad in [
            0,
            MPI_MODE_CREATE,
            MPI_MODE_RDONLY | MPI_MODE_WRONLY,
            MPI_MODE_RDONLY | MPI_MODE_CREATE,
            MPI_MODE_RDONLY | MPI_MODE_EXCL,
            MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL,
            MPI_MODE_RDWR | 1 << 20,
        ] {
            assert_eq!(class(bad), Some(ErrorClass::AMODE), "{bad:#x}");
        }
    }
}
