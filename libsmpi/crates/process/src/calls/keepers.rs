//! Functions of libc that keep something between calls in data that no caller passes: a buffer that they return, a
//! table, a position, what they have read of the environment. Each rank has its own ([`crate::libc_words`]).
//!
//! They are those that the GNU C Library Reference Manual (2.36) calls unsafe for threads because of a race for such
//! data, and their relatives. Those that are replaced altogether are elsewhere (`strtok`, `rand`, `getopt`, …), as are
//! those that only keep what they allocate ([`super::caches`]). Functions of the databases of users, groups and hosts
//! read settings and open modules when they are first called; that is done for all ranks, outside of their heaps.

use super::paths::{behind, real, terminated};
use crate::contract::Table;
use crate::libc_words::within;
use crate::state::{self, outside_heaps};
use std::ffi::{CStr, c_char, c_double, c_int, c_void};
use std::mem::transmute;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// Functions with these names, of up to six words, that answer a word: a caller that passes fewer words leaves the rest
/// as they are.
macro_rules! keeping {
    ($table:ident: $($name:ident)*) => {
        $(unsafe extern "C" fn $name(a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> usize {
            let real = real!($name(usize, usize, usize, usize, usize, usize) -> usize);
            // SAFETY: libc's function of this name, with the words that the caller passed; those that it does not take
            // are in registers that it may change.
            let call = || unsafe { real(a, b, c, d, e, f) };
            $table(call)
        })*
    };
}

/// Calls a function that keeps something.
fn plain(call: impl Fn() -> usize) -> usize {
    within(call)
}

/// What a function of a database looks for to have its modules opened, and how it is called.
#[derive(Clone, Copy)]
enum Look {
    /// By a key: `getpwuid_r` and its kin.
    Key(usize),
    /// By a name and a protocol: `getservbyname_r`.
    Names(&'static CStr, &'static CStr),
    /// By a name, with a place for an error of its own: `gethostbyname_r`.
    Host(&'static CStr),
}

/// Looks something up for nobody, in the function of this address that keeps nothing: what a database opens when it is
/// first used is everybody's.
fn open_database(is_open: &AtomicBool, function: *mut c_void, look: Look) {
    type Five = unsafe extern "C" fn(usize, *mut c_void, *mut c_void, usize, *mut c_void) -> c_int;
    type Six =
        unsafe extern "C" fn(*const c_char, *const c_char, *mut c_void, *mut c_void, usize, *mut c_void) -> c_int;
    type Host = unsafe extern "C" fn(*const c_char, *mut c_void, *mut c_void, usize, *mut c_void, *mut c_void) -> c_int;
    if state::caller().is_none() || is_open.swap(true, Ordering::Relaxed) || function.is_null() {
        return;
    }
    let (mut entry, mut text, mut found, mut error) = ([0_u64; 16], [0_u8; 4096], 0_usize, 0_i32);
    let (entry, room) = (entry.as_mut_ptr().cast(), text.as_mut_ptr().cast());
    let (found, error) = ((&raw mut found).cast(), (&raw mut error).cast());
    // SAFETY: libc's function of a name that has this form, and places of this function; an entry has no more than
    // 16 words.
    outside_heaps(|| unsafe {
        match look {
            Look::Key(key) => transmute::<*mut c_void, Five>(function)(key, entry, room, text.len(), found),
            Look::Names(one, other) => {
                let (one, other) = (one.as_ptr(), other.as_ptr());
                transmute::<*mut c_void, Six>(function)(one, other, entry, room, text.len(), found)
            }
            Look::Host(name) => {
                transmute::<*mut c_void, Host>(function)(name.as_ptr(), entry, room, text.len(), found, error)
            }
        }
    });
}

/// Databases: the function that opens one, and what it looks for.
macro_rules! databases {
    ($($database:ident by $opener:ident $look:expr;)*) => {$(
        pub fn $database(call: impl Fn() -> usize) -> usize {
            static FOUND: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
            static IS_OPEN: AtomicBool = AtomicBool::new(false);
            open_database(&IS_OPEN, behind(&FOUND, const { terminated(concat!(stringify!($opener), "\0")) }), $look);
            within(call)
        }
    )*};
}

databases! {
    users by getpwuid_r Look::Key(0);
    groups by getgrgid_r Look::Key(0);
    passwords by getspnam_r Look::Key(c"root".as_ptr().expose_provenance());
    hosts by gethostbyname_r Look::Host(c"localhost");
    networks by getnetbyname_r Look::Host(c"loopback");
    services by getservbyname_r Look::Names(c"http", c"tcp");
    protocols by getprotobynumber_r Look::Key(6);
    programs by getrpcbynumber_r Look::Key(100_000);
    aliases by getaliasbyname_r Look::Key(c"root".as_ptr().expose_provenance());
}

macro_rules! keepers {
    ($($kind:ident { $($name:ident)* })*) => {
        $(keeping! { $kind: $($name)* })*

        /// The functions that keep something.
        pub const REPLACED: Table = &[
            $($((stringify!($name), $name as *const ()),)*)*
            ("ecvt", ecvt as *const ()),
            ("fcvt", fcvt as *const ()),
        ];
    };
}

keepers! {
    plain {
        // Date and time (21).
        tzset localtime gmtime localtime_r mktime timelocal ctime ctime_r asctime strftime strptime wcsftime getdate
        getdate_r
        // Strings, errors, locales, messages (5 to 8).
        strerror strsignal strerror_l l64a strfry localeconv
        textdomain bindtextdomain bind_textdomain_codeset gettext dgettext dcgettext ngettext dngettext dcngettext
        // Searching (9).
        hcreate hsearch hdestroy
        // Regular expressions (10).
        re_comp re_exec re_set_syntax
        // Streams and files (12 to 14).
        register_printf_function register_printf_specifier register_printf_modifier register_printf_type
        tmpnam ttyname ptsname getusershell setusershell endusershell
        // Addresses (16).
        __h_errno_location inet_ntoa ether_ntoa ether_aton inet_nsap_ntoa
        // Terminals, users, mounts, logs (17, 18, 30, 31).
        getlogin cuserid ctermid getpass
        getutent getutid getutline pututline setutent endutent utmpname
        getutxent getutxid getutxline pututxline setutxent endutxent utmpxname
        setfsent getfsent getfsspec getfsfile endfsent getmntent
        setttyent getttyent getttynam endttyent
        openlog closelog setlogmask addseverity fmtmsg
        setnetgrent getnetgrent endnetgrent
        dlerror
    }
    users { getpwuid getpwnam setpwent getpwent endpwent fgetpwent }
    groups { getgrgid getgrnam setgrent getgrent endgrent fgetgrent }
    passwords {
        setspent getspent getspnam endspent sgetspent fgetspent setsgent getsgent getsgnam endsgent
    }
    hosts { gethostbyname2 gethostbyaddr sethostent gethostent endhostent }
    networks { getnetbyname getnetbyaddr setnetent getnetent endnetent }
    services { getservbyname getservbyport setservent getservent endservent }
    protocols { getprotobyname getprotobynumber setprotoent getprotoent endprotoent }
    programs { getrpcbyname getrpcbynumber setrpcent getrpcent endrpcent }
    aliases { setaliasent getaliasent getaliasbyname endaliasent }
}

/// `ecvt` and `fcvt`, which take a number in a register of its own kind.
macro_rules! converting {
    ($($name:ident)*) => {
        mod numbers {
            use std::ffi::{c_char, c_double, c_int};
            unsafe extern "C" {
                $(pub fn $name(value: c_double, digits: c_int, point: *mut c_int, sign: *mut c_int) -> *mut c_char;)*
            }
        }
        $(unsafe extern "C" fn $name(
            value: c_double,
            digits: c_int,
            point: *mut c_int,
            sign: *mut c_int,
        ) -> *mut c_void {
            // SAFETY: the arguments of the caller, whose contract is that of libc's function.
            within(|| unsafe { numbers::$name(value, digits, point, sign) }).cast()
        })*
    };
}

converting! { ecvt fcvt }
