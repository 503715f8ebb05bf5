//! The few functions of another MPI that a node needs, found at run time in its library with the standard ABI (MPI
//! 5.0, chapter 20). Handles and constants are those of the ABI.
//!
//! libsmpi has the same names, and the same name as a library: it is told apart, and refused.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;

/// Names under which the library is looked for, the first one first.
const NAMES: [&CStr; 2] = [c"libmpi_abi.so.1", c"libmpi_abi.so"];

/// A function that only libsmpi has.
const OURS: &CStr = c"MC_is_active";

/// `MPI_Count` of the ABI.
type Count = i64;
type Handle = *mut c_void;

const COMM_WORLD: usize = 0x101;
const ERRORS_RETURN: usize = 0x143;
const BYTE: usize = 0x247;
const ANY_SOURCE: c_int = -1;
const SUCCESS: c_int = 0;

/// The tag of all messages: their first bytes say what they are.
const TAG: c_int = 7;

/// `MPI_Status` of the ABI.
#[repr(C)]
#[derive(Default)]
struct Status {
    source: c_int,
    tag: c_int,
    error: c_int,
    internal: [c_int; 5],
}

type Init = unsafe extern "C" fn(*mut c_int, *mut *mut *mut c_char) -> c_int;
type OfComm = unsafe extern "C" fn(Handle, *mut c_int) -> c_int;
type SetErrhandler = unsafe extern "C" fn(Handle, Handle) -> c_int;
type Isend = unsafe extern "C" fn(*const c_void, Count, Handle, c_int, c_int, Handle, *mut Handle) -> c_int;
type Iprobe = unsafe extern "C" fn(c_int, c_int, Handle, *mut c_int, *mut Status) -> c_int;
type GetCount = unsafe extern "C" fn(*const Status, Handle, *mut Count) -> c_int;
type Recv = unsafe extern "C" fn(*mut c_void, Count, Handle, c_int, c_int, Handle, *mut Status) -> c_int;
type Test = unsafe extern "C" fn(*mut Handle, *mut c_int, *mut Status) -> c_int;
type Finalize = unsafe extern "C" fn() -> c_int;
type Abort = unsafe extern "C" fn(Handle, c_int) -> c_int;

/// A message that is being sent. Its bytes stay where they are until then.
pub struct Sending {
    request: Handle,
    _bytes: Vec<u8>,
}

/// An MPI that is initialised.
pub struct Mpi {
    rank: u32,
    size: u32,
    isend: Isend,
    iprobe: Iprobe,
    get_count: GetCount,
    recv: Recv,
    test: Test,
    finalize: Finalize,
    abort: Abort,
}

/// What the dynamic linker says is wrong.
fn trouble() -> String {
    // SAFETY: the message is a string of the linker, if there is one.
    unsafe {
        let text = libc::dlerror();
        if text.is_null() { "it is not there".to_string() } else { CStr::from_ptr(text).to_string_lossy().into_owned() }
    }
}

/// A function of the library.
///
/// # Safety
/// `F` is its type in the ABI.
unsafe fn function<F: Copy>(library: *mut c_void, name: &str) -> Result<F, String> {
    let text = CString::new(name).unwrap_or_default();
    // SAFETY: a library that is open.
    let found = unsafe { libc::dlsym(library, text.as_ptr()) };
    if found.is_null() {
        return Err(format!("the launcher's MPI has no {name}: expected one with the standard ABI of MPI 5.0"));
    }
    // SAFETY: a pointer to a function, as the caller says.
    Ok(unsafe { std::mem::transmute_copy(&found) })
}

impl Mpi {
    /// Finds the library and initialises it.
    ///
    /// # Errors
    /// Text for the user: there is none, it is libsmpi, or it does not begin.
    pub fn begin() -> Result<Mpi, String> {
        let library = open()?;
        hold_back_signal(libc::SIG_BLOCK);
        // SAFETY: each function has its type in the ABI; places for answers are of this function. The process has one
        // thread and no arguments that the library would have to see.
        unsafe {
            let init: Init = function(library, "MPI_Init")?;
            let (rank_of, size_of): (OfComm, OfComm) =
                (function(library, "MPI_Comm_rank")?, function(library, "MPI_Comm_size")?);
            let set_errhandler: SetErrhandler = function(library, "MPI_Comm_set_errhandler")?;
            let mut mpi = Mpi {
                rank: 0,
                size: 0,
                isend: function(library, "MPI_Isend_c")?,
                iprobe: function(library, "MPI_Iprobe")?,
                get_count: function(library, "MPI_Get_count_c")?,
                recv: function(library, "MPI_Recv_c")?,
                test: function(library, "MPI_Test")?,
                finalize: function(library, "MPI_Finalize")?,
                abort: function(library, "MPI_Abort")?,
            };
            let (mut rank, mut size) = (0, 0);
            let has_begun = init(ptr::null_mut(), ptr::null_mut()) == SUCCESS
                && rank_of(world(), &mut rank) == SUCCESS
                && size_of(world(), &mut size) == SUCCESS;
            if !has_begun {
                return Err("the launcher's MPI does not begin: MPI_Init fails".to_string());
            }
            // Who sends to a process that is gone is told so, and is not ended.
            set_errhandler(world(), ERRORS_RETURN as Handle);
            (mpi.rank, mpi.size) = (rank as u32, size as u32);
            Ok(mpi)
        }
    }

    /// The number of this process.
    pub fn rank(&self) -> u32 {
        self.rank
    }

    /// How many there are.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Begins to send; waits for nothing. `None` where it cannot be sent.
    pub fn send(&self, to: u32, bytes: Vec<u8>) -> Option<Sending> {
        let mut request = ptr::null_mut();
        let (from, len) = (bytes.as_ptr().cast(), bytes.len() as Count);
        // SAFETY: the bytes stay where they are until the request is complete, see `Sending`.
        let code = unsafe { (self.isend)(from, len, BYTE as Handle, to as c_int, TAG, world(), &mut request) };
        (code == SUCCESS).then_some(Sending { request, _bytes: bytes })
    }

    /// Whether a message was sent, or cannot be.
    pub fn is_sent(&self, sending: &mut Sending) -> bool {
        let mut is_over = 0;
        // SAFETY: a request that is not complete yet, and places for the answer.
        let code = unsafe { (self.test)(&mut sending.request, &mut is_over, &mut Status::default()) };
        code != SUCCESS || is_over != 0
    }

    /// The next message, and who sent it; waits for nothing.
    pub fn receive(&self) -> Option<(u32, Vec<u8>)> {
        let (mut is_there, mut status, mut len) = (0, Status::default(), 0);
        // SAFETY: places for answers; the buffer has the length that is received.
        unsafe {
            let code = (self.iprobe)(ANY_SOURCE, TAG, world(), &mut is_there, &mut status);
            if code != SUCCESS || is_there == 0 {
                return None;
            }
            (self.get_count)(&status, BYTE as Handle, &mut len);
            let mut bytes = vec![0_u8; len.max(0) as usize];
            let (to, byte) = (bytes.as_mut_ptr().cast(), BYTE as Handle);
            let code = (self.recv)(to, len, byte, status.source, TAG, world(), &mut Status::default());
            (code == SUCCESS).then_some((status.source as u32, bytes))
        }
    }

    /// Ends it together with all others.
    pub fn finalize(&self) {
        // SAFETY: called once, when nothing is being sent any more.
        unsafe { (self.finalize)() };
    }

    /// Ends all processes, those too that do not answer.
    pub fn abort(&self, code: i32) -> ! {
        // SAFETY: ends this process.
        unsafe {
            (self.abort)(world(), code);
            libc::_exit(code)
        }
    }
}

/// Holds back, or lets through, the signal by which MPICH's launcher says that a process has died, which ends who is
/// not prepared for it. Who is gone is noticed here by its silence.
pub fn hold_back_signal(how: c_int) {
    // SAFETY: system calls with valid arguments.
    unsafe {
        let mut held: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut held);
        libc::sigaddset(&mut held, libc::SIGUSR1);
        libc::sigprocmask(how, &held, ptr::null_mut());
    }
}

fn world() -> Handle {
    COMM_WORLD as Handle
}

/// Opens the library of the launcher's MPI.
fn open() -> Result<*mut c_void, String> {
    let mut why = Vec::new();
    for name in NAMES {
        // SAFETY: a library whose constructors may do as they like: nothing else runs yet.
        let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
        if library.is_null() {
            why.push(trouble());
            continue;
        }
        // SAFETY: a library that is open.
        if !unsafe { libc::dlsym(library, OURS.as_ptr()) }.is_null() {
            return Err(format!(
                "{} is libsmpi, which starts no processes; have LD_LIBRARY_PATH begin with the directory of the launcher's \
                 MPI",
                name.to_string_lossy()
            ));
        }
        return Ok(library);
    }
    let path = std::env::var("LD_LIBRARY_PATH").unwrap_or_default();
    let path = if path.is_empty() { "is not set".to_string() } else { format!("is {path}") };
    Err(format!(
        "the library of the launcher's MPI is not found ({}); LD_LIBRARY_PATH {path}; have it begin with the directory that \
         has libmpi_abi.so.1, the standard ABI of MPI 5.0",
        why.join("; ")
    ))
}
