//! The standard streams of C++, of which images have copies.
//!
//! libstdc++ keeps `std::cout` and its siblings in variables that executables copy (COPY relocations). So they have to
//! be constructed before the images get their copies, and nothing may exchange their buffers afterwards.

/// The symbol of `std::ios_base::sync_with_stdio`, in whose place [`keep_stdio_synchronised`] is put.
pub(crate) const SYNC_WITH_STDIO: &str = "_ZNSt8ios_base15sync_with_stdioEb";

/// Constructs `std::cout` and its siblings, if libstdc++ is there, before the loader copies them.
///
/// Up to GCC 12 the first constructor of the program does that, in libstdc++'s objects: too late for the copies that
/// the images got by COPY relocations. libstdc++ counts these calls; the one made here stays, so that it never destroys
/// them.
pub(crate) fn initialise() {
    // SAFETY: the name ends with a zero.
    let constructor = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"_ZNSt8ios_base4InitC1Ev".as_ptr()) };
    if constructor.is_null() {
        return;
    }
    // SAFETY: the mangled name says that this is `std::ios_base::Init::Init()`; the C++ ABI passes a constructor the
    // address of its object.
    let constructor: unsafe extern "C" fn(*mut u8) = unsafe { std::mem::transmute(constructor) };
    let mut object = 0u8;
    // SAFETY: the class has no members, so one byte is room enough for its object.
    unsafe { constructor(&mut object) };
}

/// `std::ios_base::sync_with_stdio` as the images see it: keeps the streams synchronised and says that they were.
///
/// The library's own would rebuild the buffers of *its* streams, and the images' copies of the streams would still
/// point to the buffers it destroyed.
pub(crate) extern "C" fn keep_stdio_synchronised(_wanted: bool) -> bool {
    true
}
