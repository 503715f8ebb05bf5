//! Tools that define MPI functions of their own and call the `PMPI_` ones (MPI 5.0 §15.2).
//!
//! In a process that `smpirun` hosts, libsmpi precedes the libraries that programs are linked with, so a tool among
//! them would never be called by the programs' images. The image loader therefore asks here first.

use smpi_image::unwind::library_of;
use std::ffi::CString;

/// Extensions that may let a rank wait, and how many of their arguments are no floating-point numbers. Those of Fortran
/// have the lengths of texts, too. What other registers hold is left over from earlier calls, and says nothing.
const EXTENSIONS: [(&str, usize); 12] = [
    ("mc_random", 2),
    ("mc_random_", 2),
    ("mc_proposition", 2),
    ("mc_proposition_", 3),
    ("mc_proposition_function", 2),
    ("mc_proposition_function_", 3),
    ("smpi_execute", 0),
    ("smpi_execute_benched", 0),
    ("smpi_execute_flops", 0),
    ("smpi_execute_flops_benched", 0),
    ("smpi_sample_open", 5),
    ("smpi_sample_close", 0),
];

/// How many arguments a function of this name, of this library, has if it may let a rank wait. (Of the functions that
/// MPI defines to be given to others, Fortran's names are known by their addresses.)
pub fn may_wait(name: &str) -> Option<usize> {
    if let Some(operation) = name.strip_prefix("__tsan_atomic") {
        return smpi_watch::access::arguments_of_atomic(operation);
    }
    let lower = name.to_ascii_lowercase();
    let is_ours = ["mpi_", "pmpi_", "mc_", "smpi_"].iter().any(|start| lower.starts_with(start));
    if !is_ours || lower.contains("_fn") {
        return None;
    }
    if let Some((_, count)) = EXTENSIONS.iter().find(|(name, _)| *name == lower) {
        return Some(*count);
    }
    let (c_name, is_fortran) = name_in_c(&lower);
    // Fortran's have one more, and lengths of texts behind it.
    let more = if is_fortran { 1 + smpi_abi::count_texts(c_name) } else { 0 };
    Some(smpi_abi::count_arguments(c_name).map_or(usize::MAX, |count| count + more))
}

/// Whether a function of this name, in whatever language, makes the request of a message, or moves one without.
pub fn moves_message(name: &str) -> bool {
    smpi_abi::moves_message(name_in_c(&name.to_ascii_lowercase()).0)
}

/// The name of a function of MPI as C has it, of one in small letters, and whether it was one of Fortran's.
fn name_in_c(lower: &str) -> (&str, bool) {
    let plain = lower.strip_prefix('p').unwrap_or(lower);
    let c_name = plain.trim_end_matches('_').trim_end_matches("_f08ts").trim_end_matches("_f08");
    (c_name, c_name.len() < plain.len())
}

/// Address of the definition of an MPI function in a tool that programs are linked with; `None` for other names and
/// when there is no tool.
pub fn definition(name: &str) -> Option<usize> {
    if !name.starts_with("MPI_") && !name.starts_with("mpi_") {
        return None;
    }
    let found = next(name)?;
    // A library that has the PMPI twin too is no tool but another MPI, there by accident.
    let twin = if name.starts_with("MPI_") { "P" } else { "p" }.to_owned() + name;
    let another_mpi = next(&twin).is_some_and(|twin| library_of(twin) == library_of(found));
    (!another_mpi).then_some(found)
}

/// Address of the definition of an MPI function in the program itself, or in a tool that was preloaded, where no image
/// is between them and the process; `None` where the first definition is this library's.
pub fn before(name: &str) -> Option<usize> {
    let own = behind(name)?;
    let name = CString::new(name).ok()?;
    // SAFETY: a null-terminated name, which lives until the call is over.
    let first = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }.expose_provenance();
    (first != 0 && library_of(first) != library_of(own)).then_some(first)
}

/// Address of this library's own definition of an MPI function, for a tool that asks for what comes after it. It is
/// found by its other name (`PMPI_X` is `MPI_X`), because a tool that is preloaded comes before this library in the
/// process.
pub fn behind(name: &str) -> Option<usize> {
    let letter = if name.starts_with("MPI_") { "P" } else { name.starts_with("mpi_").then_some("p")? };
    let twin = CString::new(letter.to_owned() + name).ok()?;
    // SAFETY: a null-terminated name, which lives until the call is over.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, twin.as_ptr()) }.expose_provenance();
    (address != 0).then_some(address)
}

/// Address of a symbol in the first library after this one that has it.
fn next(name: &str) -> Option<usize> {
    let name = CString::new(name).ok()?;
    // SAFETY: a string; RTLD_NEXT is relative to this library.
    let address = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) } as usize;
    (address != 0).then_some(address)
}
