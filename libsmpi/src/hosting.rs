//! Hosting, wired: what [`smpi_process`] asks of this library, and the functions of libc that this library
//! exports in libc's place because other libraries call them, too.

use std::ffi::{c_char, c_int, c_uint, c_void};

use smpi_image::Constructor;
use smpi_image::unwind::DlFindObject;

use smpi_base::SimTime;
use smpi_mpi::world::Clock;
use smpi_process::exports::{self, Callback, Main, Start};
use smpi_process::{self as process, Hooks};
use smpi_runtime::{blocking, summary, with};
use smpi_watch::access;

use crate::{abi, fortran, host};

/// The clock that libc's functions show to ranks.
const CLOCK: process::Clock = process::Clock {
    now: blocking::look_at_clock,
    epoch: || with(|runtime| runtime.settings.mpi.date),
    date: || with(|runtime| runtime.driver.now().0),
    sleep: blocking::sleep,
    wake_at: |rank, date| with(|runtime| runtime.driver.set_alarm(rank, SimTime(date))),
};

/// What hosting asks of the rest.
const HOOKS: Hooks = Hooks {
    main: host::host_main,
    clock: CLOCK,
    progress: summary::fault_context,
    opened: access::opened,
    tool: abi::tools::definition,
    behind_tools: abi::tools::behind,
    waits: abi::tools::may_wait,
    moves_message: abi::tools::moves_message,
    freed: access::freed,
    paths: smpi_runtime::paths::PATHS,
    is_host: |name| with(|runtime| runtime.platform.host_named(name).is_some()),
    landmark: fortran::sentinels::block_of,
};

/// Where every program starts that sees this library.
///
/// # Safety
/// Only `_start` calls it, with what the LSB says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __libc_start_main(
    main: Main,
    argc: c_int,
    argv: *const *const c_char,
    init: Option<Constructor>,
    fini: Option<unsafe extern "C" fn()>,
    rtld_fini: Option<unsafe extern "C" fn()>,
    stack_end: *mut c_void,
) -> c_int {
    // SAFETY: `_start` called, and what it passed goes on unchanged.
    unsafe { exports::libc_start_main(&HOOKS, main, argc, argv, init, fini, rtld_fini, stack_end) }
}

/// Exports functions in libc's place, as `process` has them.
macro_rules! instead_of_libc {
    ($(
        #[doc = $doc:literal]
        fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;
    )*) => {$(
        #[doc = $doc]
        ///
        /// # Safety
        /// What C or the function's manual asks of its callers.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) $(-> $result)? {
            // SAFETY: the caller keeps the contract of libc's function of this name, which is that of ours.
            unsafe { exports::$name($($argument),*) }
        }
    )*};
}

/// Exports functions in libc's place that this library calls for itself, too: `process` has them by another name, which
/// are told where they return to.
macro_rules! by_caller {
    ($(
        #[doc = $doc:literal]
        fn $name:ident($argument:ident: $type:ty) -> c_int: $told:ident;
    )*) => {$(
        #[doc = $doc]
        ///
        /// # Safety
        /// What C or the function's manual asks of its callers.
        #[cfg(target_arch = "x86_64")]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name($argument: $type) -> c_int {
            std::arch::naked_asm!("mov rsi, [rsp]", "jmp {told}", told = sym exports::$told)
        }

        #[doc = $doc]
        ///
        /// # Safety
        /// What C or the function's manual asks of its callers.
        #[cfg(not(target_arch = "x86_64"))]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($argument: $type) -> c_int {
            // SAFETY: the caller keeps the contract of libc's function of this name. Nowhere is no address of ours.
            unsafe { exports::$told($argument, 0) }
        }
    )*};
}

by_caller! {
    /// POSIX.1-2017 close.
    fn close(descriptor: c_int) -> c_int: close_from;
    /// C11 §7.21.5.1.
    fn fclose(stream: *mut libc::FILE) -> c_int: fclose_from;
    /// POSIX.1-2017 closedir.
    fn closedir(directory: *mut libc::DIR) -> c_int: closedir_from;
}

instead_of_libc! {
    /// C11 §7.22.3.4.
    fn malloc(size: usize) -> *mut c_void;
    /// C11 §7.22.3.2.
    fn calloc(count: usize, size: usize) -> *mut c_void;
    /// C11 §7.22.3.5.
    fn realloc(block: *mut c_void, size: usize) -> *mut c_void;
    /// C11 §7.22.3.3.
    fn free(block: *mut c_void);
    /// C11 §7.22.3.1.
    fn aligned_alloc(align: usize, size: usize) -> *mut c_void;
    /// The older name of `aligned_alloc`.
    fn memalign(align: usize, size: usize) -> *mut c_void;
    /// POSIX.1-2017 posix_memalign.
    fn posix_memalign(result: *mut *mut c_void, align: usize, size: usize) -> c_int;
    /// `aligned_alloc` to a page.
    fn valloc(size: usize) -> *mut c_void;
    /// `valloc` of whole pages.
    fn pvalloc(size: usize) -> *mut c_void;
    /// How many bytes a block from `malloc` has (glibc manual).
    fn malloc_usable_size(block: *mut c_void) -> usize;
    /// POSIX.1-2017 pthread_create. `std::thread` and OpenMP call it from their libraries.
    fn pthread_create(
        thread: *mut libc::pthread_t,
        attributes: *const libc::pthread_attr_t,
        start: Start,
        argument: *mut c_void
    ) -> c_int;
    /// POSIX.1-2017 getcwd.
    fn getcwd(buffer: *mut c_char, size: usize) -> *mut c_char;
    /// POSIX.1-2017 fchmod.
    fn fchmod(descriptor: c_int, mode: libc::mode_t) -> c_int;
    /// POSIX.1-2017 fchown.
    fn fchown(descriptor: c_int, user: libc::uid_t, group: libc::gid_t) -> c_int;
    /// POSIX.1-2017 futimens.
    fn futimens(descriptor: c_int, times: *const libc::timespec) -> c_int;
    /// POSIX.1-2017 mkstemp.
    fn mkstemp(template: *mut c_char) -> c_int;
    /// `mkstemp` with long offsets.
    fn mkstemp64(template: *mut c_char) -> c_int;
    /// `mkstemp` with flags (glibc manual, "Temporary Files").
    fn mkostemp(template: *mut c_char, flags: c_int) -> c_int;
    /// `mkostemp` with long offsets.
    fn mkostemp64(template: *mut c_char, flags: c_int) -> c_int;
    /// `mkstemp` with an ending.
    fn mkstemps(template: *mut c_char, after: c_int) -> c_int;
    /// `mkstemps` with long offsets.
    fn mkstemps64(template: *mut c_char, after: c_int) -> c_int;
    /// POSIX.1-2017 mkdtemp.
    fn mkdtemp(template: *mut c_char) -> *mut c_char;
    /// POSIX.1-2017 chdir. `std::filesystem` calls it from its library.
    fn chdir(path: *const c_char) -> c_int;
    /// POSIX.1-2017 fchdir.
    fn fchdir(descriptor: c_int) -> c_int;
    /// POSIX.1-2017 umask.
    fn umask(mask: libc::mode_t) -> libc::mode_t;
    /// POSIX.1-2017 open. Names of files are answered for libraries, too, see `smpi_process`.
    fn open(path: *const c_char, flags: c_int, mode: libc::mode_t) -> c_int;
    /// `open` with long offsets (glibc manual, "Opening and Closing Files").
    fn open64(path: *const c_char, flags: c_int, mode: libc::mode_t) -> c_int;
    /// POSIX.1-2017 openat.
    fn openat(directory: c_int, path: *const c_char, flags: c_int, mode: libc::mode_t) -> c_int;
    /// `openat` with long offsets.
    fn openat64(directory: c_int, path: *const c_char, flags: c_int, mode: libc::mode_t) -> c_int;
    /// `open` of programs compiled with `_FORTIFY_SOURCE` (LSB 5.0 __open_2).
    fn __open_2(path: *const c_char, flags: c_int) -> c_int;
    /// The same of `open64`.
    fn __open64_2(path: *const c_char, flags: c_int) -> c_int;
    /// POSIX.1-2017 creat.
    fn creat(path: *const c_char, mode: libc::mode_t) -> c_int;
    /// `creat` with long offsets.
    fn creat64(path: *const c_char, mode: libc::mode_t) -> c_int;
    /// C11 §7.21.5.3.
    fn fopen(path: *const c_char, mode: *const c_char) -> *mut libc::FILE;
    /// `fopen` with long offsets.
    fn fopen64(path: *const c_char, mode: *const c_char) -> *mut libc::FILE;
    /// C11 §7.21.5.4.
    fn freopen(path: *const c_char, mode: *const c_char, stream: *mut libc::FILE) -> *mut libc::FILE;
    /// `freopen` with long offsets.
    fn freopen64(path: *const c_char, mode: *const c_char, stream: *mut libc::FILE) -> *mut libc::FILE;
    /// POSIX.1-2017 stat.
    fn stat(path: *const c_char, buffer: *mut libc::stat) -> c_int;
    /// `stat` with long offsets.
    fn stat64(path: *const c_char, buffer: *mut libc::stat64) -> c_int;
    /// POSIX.1-2017 lstat.
    fn lstat(path: *const c_char, buffer: *mut libc::stat) -> c_int;
    /// `lstat` with long offsets.
    fn lstat64(path: *const c_char, buffer: *mut libc::stat64) -> c_int;
    /// POSIX.1-2017 fstatat.
    fn fstatat(directory: c_int, path: *const c_char, buffer: *mut libc::stat, flags: c_int) -> c_int;
    /// `fstatat` with long offsets.
    fn fstatat64(directory: c_int, path: *const c_char, buffer: *mut libc::stat64, flags: c_int) -> c_int;
    /// statx(2).
    fn statx(
        directory: c_int,
        path: *const c_char,
        flags: c_int,
        mask: c_uint,
        buffer: *mut libc::statx
    ) -> c_int;
    /// POSIX.1-2017 access.
    fn access(path: *const c_char, mode: c_int) -> c_int;
    /// euidaccess(3).
    fn euidaccess(path: *const c_char, mode: c_int) -> c_int;
    /// POSIX.1-2017 faccessat.
    fn faccessat(directory: c_int, path: *const c_char, mode: c_int, flags: c_int) -> c_int;
    /// POSIX.1-2017 truncate.
    fn truncate(path: *const c_char, size: libc::off_t) -> c_int;
    /// `truncate` with long offsets.
    fn truncate64(path: *const c_char, size: libc::off64_t) -> c_int;
    /// POSIX.1-2017 unlink.
    fn unlink(path: *const c_char) -> c_int;
    /// POSIX.1-2017 unlinkat.
    fn unlinkat(directory: c_int, path: *const c_char, flags: c_int) -> c_int;
    /// C11 §7.21.4.1.
    fn remove(path: *const c_char) -> c_int;
    /// C11 §7.21.4.2.
    fn rename(from: *const c_char, to: *const c_char) -> c_int;
    /// POSIX.1-2017 renameat.
    fn renameat(at: c_int, from: *const c_char, there: c_int, to: *const c_char) -> c_int;
    /// renameat2(2).
    fn renameat2(at: c_int, from: *const c_char, there: c_int, to: *const c_char, flags: c_uint) -> c_int;
    /// POSIX.1-2017 link.
    fn link(from: *const c_char, to: *const c_char) -> c_int;
    /// POSIX.1-2017 linkat.
    fn linkat(at: c_int, from: *const c_char, there: c_int, to: *const c_char, flags: c_int) -> c_int;
    /// POSIX.1-2017 mkdir.
    fn mkdir(path: *const c_char, mode: libc::mode_t) -> c_int;
    /// POSIX.1-2017 mkdirat.
    fn mkdirat(directory: c_int, path: *const c_char, mode: libc::mode_t) -> c_int;
    /// POSIX.1-2017 rmdir.
    fn rmdir(path: *const c_char) -> c_int;
    /// POSIX.1-2017 mknod.
    fn mknod(path: *const c_char, mode: libc::mode_t, device: libc::dev_t) -> c_int;
    /// POSIX.1-2017 mknodat.
    fn mknodat(directory: c_int, path: *const c_char, mode: libc::mode_t, device: libc::dev_t) -> c_int;
    /// POSIX.1-2017 mkfifo.
    fn mkfifo(path: *const c_char, mode: libc::mode_t) -> c_int;
    /// POSIX.1-2017 mkfifoat.
    fn mkfifoat(directory: c_int, path: *const c_char, mode: libc::mode_t) -> c_int;
    /// POSIX.1-2017 chmod.
    fn chmod(path: *const c_char, mode: libc::mode_t) -> c_int;
    /// POSIX.1-2017 fchmodat.
    fn fchmodat(directory: c_int, path: *const c_char, mode: libc::mode_t, flags: c_int) -> c_int;
    /// POSIX.1-2017 chown.
    fn chown(path: *const c_char, user: libc::uid_t, group: libc::gid_t) -> c_int;
    /// POSIX.1-2017 lchown.
    fn lchown(path: *const c_char, user: libc::uid_t, group: libc::gid_t) -> c_int;
    /// POSIX.1-2017 fchownat.
    fn fchownat(
        directory: c_int,
        path: *const c_char,
        user: libc::uid_t,
        group: libc::gid_t,
        flags: c_int
    ) -> c_int;
    /// POSIX.1-2017 utime.
    fn utime(path: *const c_char, times: *const libc::utimbuf) -> c_int;
    /// POSIX.1-2017 utimes.
    fn utimes(path: *const c_char, times: *const libc::timeval) -> c_int;
    /// POSIX.1-2017 utimensat.
    fn utimensat(directory: c_int, path: *const c_char, times: *const libc::timespec, flags: c_int) -> c_int;
    /// POSIX.1-2017 statvfs.
    fn statvfs(path: *const c_char, about: *mut libc::statvfs) -> c_int;
    /// `statvfs` with long offsets.
    fn statvfs64(path: *const c_char, about: *mut libc::statvfs64) -> c_int;
    /// POSIX.1-2017 symlink.
    fn symlink(target: *const c_char, path: *const c_char) -> c_int;
    /// POSIX.1-2017 symlinkat.
    fn symlinkat(target: *const c_char, directory: c_int, path: *const c_char) -> c_int;
    /// POSIX.1-2017 readlink.
    fn readlink(path: *const c_char, buffer: *mut c_char, size: usize) -> isize;
    /// POSIX.1-2017 readlinkat.
    fn readlinkat(directory: c_int, path: *const c_char, buffer: *mut c_char, size: usize) -> isize;
    /// POSIX.1-2017 realpath.
    fn realpath(path: *const c_char, buffer: *mut c_char) -> *mut c_char;
    /// canonicalize_file_name(3).
    fn canonicalize_file_name(path: *const c_char) -> *mut c_char;
    /// POSIX.1-2017 opendir.
    fn opendir(path: *const c_char) -> *mut libc::DIR;
    /// POSIX.1-2017 scandir.
    fn scandir(
        path: *const c_char,
        list: *mut c_void,
        filter: *const c_void,
        order: *const c_void
    ) -> c_int;
    /// `scandir` with long offsets.
    fn scandir64(
        path: *const c_char,
        list: *mut c_void,
        filter: *const c_void,
        order: *const c_void
    ) -> c_int;
    /// C11 §7.29.3.3. `std::wcout` calls it from its library, and `std::wcin` those below.
    fn fputwc(wide: libc::wchar_t, stream: *mut libc::FILE) -> c_uint;
    /// `fputwc`.
    fn putwc(wide: libc::wchar_t, stream: *mut libc::FILE) -> c_uint;
    /// C11 §7.29.3.1.
    fn fgetwc(stream: *mut libc::FILE) -> c_uint;
    /// `fgetwc`.
    fn getwc(stream: *mut libc::FILE) -> c_uint;
    /// C11 §7.29.3.10.
    fn ungetwc(wide: c_uint, stream: *mut libc::FILE) -> c_uint;
    /// The object that contains an address (glibc manual, "Dynamic Linker Introspection").
    fn _dl_find_object(pc: *mut c_void, result: *mut DlFindObject) -> c_int;
    /// All loaded objects, one after the other (dl_iterate_phdr(3)).
    fn dl_iterate_phdr(callback: Callback, data: *mut c_void) -> c_int;
}
