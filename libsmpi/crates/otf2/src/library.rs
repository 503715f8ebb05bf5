//! The functions of OTF2 that are used, looked up in the library.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::io;
use std::mem::transmute_copy;

/// `OTF2_FILEMODE_WRITE`
pub const MODE_WRITE: u8 = 0;
/// `OTF2_SUBSTRATE_POSIX`
pub const SUBSTRATE_POSIX: u8 = 1;
/// `OTF2_COMPRESSION_NONE`
pub const ARCHIVE_COMPRESSION_NONE: u8 = 1;
/// `OTF2_PARADIGM_USER`
pub const PARADIGM_USER: u8 = 1;
/// `OTF2_PARADIGM_MPI`
pub const PARADIGM_MPI: u8 = 4;
/// `OTF2_REGION_ROLE_FUNCTION`
pub const ROLE_FUNCTION: u8 = 1;
/// `OTF2_REGION_ROLE_CODE`
pub const ROLE_CODE: u8 = 4;
/// `OTF2_LOCATION_GROUP_TYPE_PROCESS`
pub const GROUP_PROCESS: u8 = 1;
/// `OTF2_LOCATION_TYPE_CPU_THREAD`
pub const LOCATION_CPU: u8 = 1;
/// `OTF2_GROUP_TYPE_COMM_LOCATIONS`
pub const GROUP_COMM_LOCATIONS: u8 = 4;
/// `OTF2_GROUP_TYPE_COMM_GROUP`
pub const GROUP_COMM_GROUP: u8 = 5;
/// What is not defined, of 32 bits.
pub const UNDEFINED: u32 = u32::MAX;
/// Bytes of a piece of events: the smallest that OTF2 takes, as each rank has one.
pub const CHUNK_EVENTS: u64 = 256 << 10;
/// Bytes of a piece of definitions.
pub const CHUNK_DEFINITIONS: u64 = 4 << 20;

/// `OTF2_FlushCallbacks`
#[repr(C)]
pub struct FlushCallbacks {
    before: extern "C" fn(*mut c_void, u8, u64, *mut c_void, bool) -> u8,
    after: Option<extern "C" fn(*mut c_void, u8, u64) -> u64>,
}

/// A full piece is written to its file, and no event says so.
pub static FLUSH_CALLBACKS: FlushCallbacks = FlushCallbacks { before: flush, after: None };

extern "C" fn flush(_: *mut c_void, _: u8, _: u64, _: *mut c_void, _: bool) -> u8 {
    /// `OTF2_FLUSH`
    const FLUSH: u8 = 1;
    FLUSH
}

/// Names under which the library is installed, the newest first: version 3.0 of Debian, and that of OTF2's own build.
const FILES: [&CStr; 3] = [c"libopen-trace-format2.so.10", c"libotf2.so.10", c"libotf2.so"];

/// A handle of OTF2: archives and writers.
type Handle = *mut c_void;

macro_rules! functions {
    ($($name:ident = $symbol:literal ($($argument:ty),*) -> $result:ty;)*) => {
        /// The functions.
        pub struct Library {
            $(pub $name: unsafe extern "C" fn($($argument),*) -> $result,)*
        }

        impl Library {
            /// Loads the library.
            ///
            /// # Errors
            /// Where it is missing, or lacks a function.
            pub fn load() -> io::Result<Library> {
                let handle = open()?;
                // SAFETY: the types are those of OTF2 3.0's documentation; the library is never unloaded.
                Ok(unsafe { Library { $($name: transmute_copy(&find(handle, $symbol)?),)* } })
            }
        }
    };
}

functions! {
    archive_open = c"OTF2_Archive_Open" (*const c_char, *const c_char, u8, u64, u64, u8, u8) -> Handle;
    set_flush_callbacks = c"OTF2_Archive_SetFlushCallbacks" (Handle, *const FlushCallbacks, *mut c_void) -> c_int;
    set_serial = c"OTF2_Archive_SetSerialCollectiveCallbacks" (Handle) -> c_int;
    open_event_files = c"OTF2_Archive_OpenEvtFiles" (Handle) -> c_int;
    close_event_files = c"OTF2_Archive_CloseEvtFiles" (Handle) -> c_int;
    event_writer = c"OTF2_Archive_GetEvtWriter" (Handle, u64) -> Handle;
    close_event_writer = c"OTF2_Archive_CloseEvtWriter" (Handle, Handle) -> c_int;
    open_definition_files = c"OTF2_Archive_OpenDefFiles" (Handle) -> c_int;
    close_definition_files = c"OTF2_Archive_CloseDefFiles" (Handle) -> c_int;
    definition_writer = c"OTF2_Archive_GetDefWriter" (Handle, u64) -> Handle;
    close_definition_writer = c"OTF2_Archive_CloseDefWriter" (Handle, Handle) -> c_int;
    global_writer = c"OTF2_Archive_GetGlobalDefWriter" (Handle) -> Handle;
    close_global_writer = c"OTF2_Archive_CloseGlobalDefWriter" (Handle, Handle) -> c_int;
    archive_close = c"OTF2_Archive_Close" (Handle) -> c_int;
    enter = c"OTF2_EvtWriter_Enter" (Handle, *mut c_void, u64, u32) -> c_int;
    leave = c"OTF2_EvtWriter_Leave" (Handle, *mut c_void, u64, u32) -> c_int;
    send = c"OTF2_EvtWriter_MpiSend" (Handle, *mut c_void, u64, u32, u32, u32, u64) -> c_int;
    receive = c"OTF2_EvtWriter_MpiRecv" (Handle, *mut c_void, u64, u32, u32, u32, u64) -> c_int;
    clock = c"OTF2_GlobalDefWriter_WriteClockProperties" (Handle, u64, u64, u64, u64) -> c_int;
    string = c"OTF2_GlobalDefWriter_WriteString" (Handle, u32, *const c_char) -> c_int;
    node = c"OTF2_GlobalDefWriter_WriteSystemTreeNode" (Handle, u32, u32, u32, u32) -> c_int;
    location_group = c"OTF2_GlobalDefWriter_WriteLocationGroup" (Handle, u32, u32, u8, u32, u32) -> c_int;
    location = c"OTF2_GlobalDefWriter_WriteLocation" (Handle, u64, u32, u8, u64, u32) -> c_int;
    region = c"OTF2_GlobalDefWriter_WriteRegion"
        (Handle, u32, u32, u32, u32, u8, u8, u32, u32, u32, u32) -> c_int;
    group = c"OTF2_GlobalDefWriter_WriteGroup" (Handle, u32, u32, u8, u8, u32, u32, *const u64) -> c_int;
    comm = c"OTF2_GlobalDefWriter_WriteComm" (Handle, u32, u32, u32, u32, u32) -> c_int;
}

fn open() -> io::Result<Handle> {
    let found = FILES.iter().find_map(|file| {
        // SAFETY: a library without initialisers that look at the program; `file` is a string of C.
        let handle = unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        (!handle.is_null()).then_some(handle)
    });
    found.ok_or_else(|| {
        io::Error::other(
            "the library OTF2 3.0 is not on this machine; expected libopen-trace-format2.so.10 (Debian: \
             libopen-trace-format2-10), or a file that ends in .json or .trace",
        )
    })
}

/// The address of a function.
///
/// # Safety
/// `handle` must be that of an open library.
unsafe fn find(handle: Handle, symbol: &CStr) -> io::Result<*mut c_void> {
    // SAFETY: as the caller says.
    let found = unsafe { libc::dlsym(handle, symbol.as_ptr()) };
    if found.is_null() {
        return Err(io::Error::other(format!(
            "the library OTF2 lacks {}; expected version 3.0",
            symbol.to_string_lossy()
        )));
    }
    Ok(found)
}
