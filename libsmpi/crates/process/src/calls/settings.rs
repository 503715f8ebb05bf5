//! Settings of the C and C++ libraries that exist once in a process and belong to a rank: its locale, and what it gave
//! to `std::set_new_handler`, `std::set_terminate`, `std::pmr::set_default_resource` and `std::locale::global`.
//!
//! The libraries are shared by all ranks, so what a rank has set is put in place when it runs after a rank that has set
//! something else. C's locale is that of the hosting thread (`uselocale`), which costs less than the process's
//! (`setlocale`); the process's stays "C". Locales of C are kept for ever, one for each name: there are few, and a
//! state that the checker goes back to may use any. A private libstdc++, or one inside the program, keeps its settings
//! in the image and never comes here.

use crate::contract::{Table, or_libc};
use crate::host_cell::HostCell;
use crate::record::{EXCHANGES, Record, Settings};
use crate::state::{self, outside_heaps};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Some rank has set something.
static IN_USE: AtomicBool = AtomicBool::new(false);

/// libc's thread-local variables are switched with the ranks, so each has its locale in place when it runs.
static HAS_OWN_THREAD_LOCALS: AtomicBool = AtomicBool::new(false);

/// From now on libc's thread-local variables are each rank's own.
pub fn separate_thread_locals() {
    HAS_OWN_THREAD_LOCALS.store(true, Ordering::Relaxed);
}

/// What is in place now, and what was at first.
struct Installed {
    now: Cell<Settings>,
    /// By the number of the function in [`OF_CXX`]; known when one of them was called first.
    first: [Cell<usize>; EXCHANGES],
    first_cxx_locale: Cell<usize>,
}

// SAFETY: this file uses it for the rank that runs, and for the event loop that is about to run one.
static INSTALLED: HostCell<Installed> = unsafe {
    HostCell::new(Installed {
        now: Cell::new(Settings::START),
        first: [const { Cell::new(0) }; EXCHANGES],
        first_cxx_locale: Cell::new(0),
    })
};

/// A rank runs from now on: its settings come into place.
#[inline]
pub fn enter(record: &Record) {
    if IN_USE.load(Ordering::Relaxed) {
        let (now, wanted) = (INSTALLED.now.get(), record.own.settings.get());
        if now != wanted {
            install(now, wanted);
        }
    }
}

/// A thread of a rank begins: it has the locale that `setlocale` gave the rank.
pub fn enter_thread(owner: &Record) {
    let locale = owner.thread_locale.load(Ordering::Relaxed);
    if locale != 0 {
        // SAFETY: a locale of libc that is kept for ever.
        unsafe { uselocale(locale as *mut c_void) };
    }
}

#[cold]
fn install(now: Settings, wanted: Settings) {
    for (number, (now, wanted)) in now.exchanged.iter().zip(wanted.exchanged).enumerate() {
        if *now != wanted
            && let Some(exchange) = exchange(number)
        {
            // SAFETY: the library's function, with a value that it had or was given by the rank.
            unsafe { exchange(wanted.unwrap_or(INSTALLED.first[number].get())) };
        }
    }
    if now.cxx_locale != wanted.cxx_locale {
        let first = INSTALLED.first_cxx_locale.get();
        let locale = if wanted.cxx_locale == 0 { first } else { wanted.cxx_locale };
        // The old one is kept: whoever made it global holds it, too.
        let _ = exchange_cxx_locale(locale);
        set_process_locale(c"C");
    }
    let locale = wanted.thread_locale(GLOBAL_LOCALE);
    if now.thread_locale(GLOBAL_LOCALE) != locale && !HAS_OWN_THREAD_LOCALS.load(Ordering::Relaxed) {
        // SAFETY: a locale of libc that is kept for ever, or that the program made.
        unsafe { uselocale(locale as *mut c_void) };
    }
    INSTALLED.now.set(wanted);
}

/// Changes the settings of the rank that runs, which are in place.
fn change(record: &Record, change: impl FnOnce(&mut Settings)) {
    IN_USE.store(true, Ordering::Relaxed);
    let mut values = record.own.settings.get();
    change(&mut values);
    record.set_settings(values);
    INSTALLED.now.set(values);
}

/// libc's functions about locales.
pub const REPLACED: Table = &[
    ("setlocale", set_locale as *const ()),
    ("uselocale", use_locale as *const ()),
    ("duplocale", duplicate_locale as *const ()),
    ("newlocale", new_locale as *const ()),
];

/// libstdc++'s functions; a program whose libraries have none shall miss them as it does without us. The first ones
/// take the new value and answer the old one: `std::set_new_handler`, `std::set_terminate`, `std::set_unexpected`,
/// `std::pmr::set_default_resource`. Behind them is `std::locale::global`.
pub const OF_CXX: Table = &[
    ("_ZSt15set_new_handlerPFvvE", exchange_0 as *const ()),
    ("_ZSt13set_terminatePFvvE", exchange_1 as *const ()),
    ("_ZSt14set_unexpectedPFvvE", exchange_2 as *const ()),
    ("_ZNSt3pmr20set_default_resourceEPNS_15memory_resourceE", exchange_3 as *const ()),
    ("_ZNSt6locale6globalERKS_", cxx_global as *const ()),
];

/// Address of a function of the libraries that ranks share; 0 when there is none.
pub fn find(name: &CStr) -> usize {
    // SAFETY: a null-terminated name.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }.addr()
}

/// Address of libstdc++'s own function, by its number in [`OF_CXX`]; 0 when there is none.
fn find_cxx(number: usize) -> usize {
    CString::new(OF_CXX[number].0).map_or(0, |name| find(&name))
}

type Exchange = unsafe extern "C" fn(usize) -> usize;

/// A function of [`OF_CXX`].
fn exchange(number: usize) -> Option<Exchange> {
    static FOUND: [AtomicUsize; EXCHANGES] = [const { AtomicUsize::new(0) }; EXCHANGES];
    let mut address = FOUND[number].load(Ordering::Relaxed);
    if address == 0 {
        address = find_cxx(number);
        FOUND[number].store(address, Ordering::Relaxed);
    }
    // SAFETY: the functions of these names have this form: a pointer for a pointer.
    (address != 0).then(|| unsafe { std::mem::transmute::<usize, Exchange>(address) })
}

fn exchanged(number: usize, new: usize) -> usize {
    let Some(exchange) = exchange(number) else { return 0 };
    // SAFETY: by the library's contract a function or an object for what is set, or null.
    let old = unsafe { exchange(new) };
    if let Some(record) = state::current() {
        if INSTALLED.now.get().exchanged[number].is_none() {
            INSTALLED.first[number].set(old);
        }
        change(record, |values| values.exchanged[number] = Some(new));
    }
    old
}

extern "C" fn exchange_0(new: usize) -> usize {
    exchanged(0, new)
}

extern "C" fn exchange_1(new: usize) -> usize {
    exchanged(1, new)
}

extern "C" fn exchange_2(new: usize) -> usize {
    exchanged(2, new)
}

extern "C" fn exchange_3(new: usize) -> usize {
    exchanged(3, new)
}

/// `std::locale::global` of libstdc++, by the words that are its locales: the place of the old one, the new one.
type Global = unsafe extern "C" fn(*mut usize, *const usize) -> *mut usize;

/// Makes a locale global, by its implementation, and answers the old one.
fn exchange_cxx_locale(new: usize) -> usize {
    static FOUND: AtomicUsize = AtomicUsize::new(0);
    let mut address = FOUND.load(Ordering::Relaxed);
    if address == 0 {
        address = find_cxx(EXCHANGES);
        FOUND.store(address, Ordering::Relaxed);
    }
    if address == 0 {
        return 0;
    }
    let mut old = 0;
    // SAFETY: a `std::locale` is one pointer to its implementation (libstdc++'s ABI); `new` is one that is alive: a
    // rank made it global, which counts as a user, and that count is never given back. The old one is handed over in
    // `old`.
    unsafe { std::mem::transmute::<usize, Global>(address)(&raw mut old, &raw const new) };
    old
}

/// `std::locale::global`, which sets C's locale, too, if the new one has a name.
unsafe extern "C" fn cxx_global(old: *mut usize, new: *const usize) -> *mut usize {
    // SAFETY: by C++'s calling convention a place for the old locale, and one with the new.
    unsafe {
        let Some(record) = state::current() else {
            old.write(exchange_cxx_locale(*new));
            return old;
        };
        old.write(outside_heaps(|| exchange_cxx_locale(*new)));
        if INSTALLED.now.get().cxx_locale == 0 {
            INSTALLED.first_cxx_locale.set(*old);
        }
        change(record, |values| values.cxx_locale = *new);
        // The library has set the process's; without a name, it stayed "C".
        let name = CStr::from_ptr(real_setlocale(libc::LC_ALL, ptr::null())).to_owned();
        if name.as_c_str() != c"C" || *new == INSTALLED.first_cxx_locale.get() {
            set_locale(libc::LC_ALL, name.as_ptr());
        }
    }
    old
}

/// `LC_GLOBAL_LOCALE`.
const GLOBAL_LOCALE: usize = usize::MAX;

unsafe extern "C" {
    fn uselocale(locale: *mut c_void) -> *mut c_void;
    fn duplocale(locale: *mut c_void) -> *mut c_void;
    fn newlocale(mask: c_int, name: *const c_char, base: *mut c_void) -> *mut c_void;
    #[link_name = "setlocale"]
    fn real_setlocale(category: c_int, name: *const c_char) -> *mut c_char;
}

fn set_process_locale(name: &CStr) {
    // SAFETY: a null-terminated name.
    unsafe { real_setlocale(libc::LC_ALL, name.as_ptr()) };
}

/// A name that stays where it is.
fn kept(name: &CStr) -> *mut c_char {
    static NAMES: Mutex<BTreeMap<CString, ()>> = Mutex::new(BTreeMap::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    names.entry(name.to_owned()).or_insert(());
    // The characters do not move when the map grows.
    names.get_key_value(name).map_or(ptr::null_mut(), |(name, ())| name.as_ptr().cast_mut())
}

/// The locale with the names that `setlocale(LC_ALL, NULL)` tells; 0 when there is none.
fn locale_of(name: &CStr) -> usize {
    static LOCALES: Mutex<BTreeMap<CString, usize>> = Mutex::new(BTreeMap::new());
    let mut locales = LOCALES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(&locale) = locales.get(name) {
        return locale;
    }
    // SAFETY: a null-terminated name, and no locale to change.
    let locale = unsafe { newlocale(libc::LC_ALL_MASK, name.as_ptr(), ptr::null_mut()) };
    load_conversions(locale);
    let locale = locale.addr();
    locales.insert(name.to_owned(), locale);
    locale
}

/// Has libc load what it converts characters with in a locale: it does so when it first needs that, and keeps it for
/// all ranks.
fn load_conversions(locale: *mut c_void) {
    unsafe extern "C" {
        fn mbrtowc(wide: *mut libc::wchar_t, text: *const c_char, len: usize, state: *mut c_void) -> usize;
    }
    if locale.is_null() {
        return;
    }
    let (mut wide, mut state) = (0, 0_u64);
    // SAFETY: a locale of libc; places of this function, and a text of one character.
    unsafe {
        let before = uselocale(locale);
        mbrtowc(&mut wide, c"a".as_ptr(), 1, (&raw mut state).cast());
        uselocale(before);
    }
}

/// `newlocale`, whose result lies in nobody's heap ([`super::caches`]).
unsafe extern "C" fn new_locale(mask: c_int, name: *const c_char, base: *mut c_void) -> *mut c_void {
    outside_heaps(|| {
        // SAFETY: the arguments of the caller, whose contract is that of libc's function.
        let locale = unsafe { newlocale(mask, name, base) };
        load_conversions(locale);
        locale
    })
}

/// `setlocale`: the process's locale is made the rank's for a moment, so that libc itself finds names and answers.
unsafe extern "C" fn set_locale(category: c_int, name: *const c_char) -> *mut c_char {
    let record = or_libc!(state::current(), real_setlocale(category, name));
    let own = record.own.settings.get().c_name;
    // SAFETY: by C's contract a name, or null; names that a rank has set are kept for ever.
    outside_heaps(|| unsafe {
        set_process_locale(if own == 0 { c"C" } else { CStr::from_ptr(own as *const c_char) });
        let answer = real_setlocale(category, name);
        let result = if answer.is_null() { ptr::null_mut() } else { kept(CStr::from_ptr(answer)) };
        if !name.is_null() && !result.is_null() {
            let all = kept(CStr::from_ptr(real_setlocale(libc::LC_ALL, ptr::null())));
            let locale = locale_of(CStr::from_ptr(all));
            change(record, |values| (values.c_locale, values.c_name) = (locale, all.addr()));
            uselocale(record.own.settings.get().thread_locale(GLOBAL_LOCALE) as *mut c_void);
        }
        set_process_locale(c"C");
        result
    })
}

/// `uselocale`, whose "global" locale is what the rank's `setlocale` set.
unsafe extern "C" fn use_locale(locale: *mut c_void) -> *mut c_void {
    let record = or_libc!(state::current(), uselocale(locale));
    let old = record.own.settings.get().own_locale;
    if !locale.is_null() {
        let own = if locale.addr() == GLOBAL_LOCALE { 0 } else { locale.addr() };
        if own != old {
            change(record, |values| values.own_locale = own);
            // SAFETY: by C's contract a locale of libc, as the ones that are kept for ever are.
            unsafe { uselocale(record.own.settings.get().thread_locale(GLOBAL_LOCALE) as *mut c_void) };
        }
    }
    if old == 0 { GLOBAL_LOCALE as *mut c_void } else { old as *mut c_void }
}

/// `duplocale`, which may be asked for a copy of the global locale.
unsafe extern "C" fn duplicate_locale(locale: *mut c_void) -> *mut c_void {
    let record = or_libc!(state::current(), duplocale(locale));
    let global = record.own.settings.get().c_locale;
    let original = if locale.addr() == GLOBAL_LOCALE && global != 0 { global as *mut c_void } else { locale };
    // SAFETY: by C's contract a locale of libc, or the rank's own, which is kept for ever.
    outside_heaps(|| unsafe { duplocale(original) })
}
