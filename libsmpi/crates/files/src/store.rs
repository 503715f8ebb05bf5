//! Where the bytes of files are.

use std::io;
use std::path::Path;

/// Names an open file of a store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Number(pub u32);

/// What a file is opened for.
#[derive(Clone, Copy, Default, Debug)]
pub struct Wanted {
    /// It is read.
    pub reads: bool,
    /// It is written.
    pub writes: bool,
    /// It is made where it is missing.
    pub creates: bool,
    /// It must be missing.
    pub is_exclusive: bool,
}

/// Keeps files. Errors are the system's, also where no system is asked.
pub trait Store {
    /// Opens a file by its absolute path.
    ///
    /// # Errors
    /// As `open` of POSIX; `EISDIR` for every directory.
    fn open(&mut self, path: &Path, wanted: Wanted) -> io::Result<Number>;

    /// Forgets an open file.
    fn close(&mut self, file: Number);

    /// Reads as many bytes as there are, from a place on; gives their number.
    ///
    /// # Errors
    /// As `pread`.
    fn read_at(&mut self, file: Number, at: u64, into: &mut [u8]) -> io::Result<usize>;

    /// Writes bytes to a place; gives how many, which may be fewer only if there is no room for more.
    ///
    /// # Errors
    /// As `pwrite`, where nothing could be written.
    fn write_at(&mut self, file: Number, at: u64, bytes: &[u8]) -> io::Result<usize>;

    /// Whether the file can be read, though it may have been opened for writing only.
    fn is_readable(&self, file: Number) -> bool;

    /// Bytes of a file.
    ///
    /// # Errors
    /// As `fstat`.
    fn size(&mut self, file: Number) -> io::Result<u64>;

    /// Cuts a file, or lets it end later.
    ///
    /// # Errors
    /// As `ftruncate`.
    fn resize(&mut self, file: Number, size: u64) -> io::Result<()>;

    /// Makes sure that there is room for the first `size` bytes. A shorter file is that long afterwards.
    ///
    /// # Errors
    /// As `posix_fallocate`.
    fn allocate(&mut self, file: Number, size: u64) -> io::Result<()>;

    /// Lets what was written reach the device.
    ///
    /// # Errors
    /// As `fsync`.
    fn sync(&mut self, file: Number) -> io::Result<()>;

    /// Removes a name.
    ///
    /// # Errors
    /// As `unlink`.
    fn delete(&mut self, path: &Path) -> io::Result<()>;
}
