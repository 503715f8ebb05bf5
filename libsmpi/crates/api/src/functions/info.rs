//! Info objects (MPI 5.0 §10).

use std::ffi::{CStr, c_char, c_int};

use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::info::{Environment, Info};
use smpi_mpi::text;

use crate::abi::*;
use crate::convert;
use smpi_runtime::objects::handles::{Decoded, Kind, decode};
use smpi_runtime::with_objects;
use smpi_runtime::{current_rank, with};

/// The error for a handle that is no info object for this use.
fn wrong(info: MPI_Info) -> MpiError {
    let (value, allowed) = ("MPI_INFO_NULL", "a valid info object");
    match info {
        MPI_INFO_NULL => MpiError::parameter(ErrorClass::INFO, "info", value, allowed),
        MPI_INFO_ENV => MpiError::parameter(ErrorClass::INFO, "info", "MPI_INFO_ENV, which cannot be changed", allowed),
        _ => convert::stale(Kind::Info, ErrorClass::INFO, info as u64, "info"),
    }
}

/// Runs the action on an info object that the program made.
fn change<R>(info: MPI_Info, action: impl FnOnce(&mut Info) -> Result<R>) -> Result<R> {
    let Decoded::Ours(key) = decode(Kind::Info, info as u64) else { return Err(wrong(info)) };
    with_objects(|objects| objects.infos.get_mut(key).map(action)).ok_or_else(|| wrong(info))?
}

/// Runs the action on an info object or on `MPI_INFO_ENV`.
pub(super) fn look<R>(info: MPI_Info, action: impl FnOnce(&Info) -> Result<R>) -> Result<R> {
    if info == MPI_INFO_ENV { action(&environment("", &[])) } else { change(info, |info| action(info)) }
}

/// What is known about the start of the calling rank; the program's name and arguments where the caller has them.
fn environment(command: &str, arguments: &[String]) -> Info {
    let directory = std::env::current_dir().map_or(String::new(), |path| path.to_string_lossy().into_owned());
    let rank = current_rank();
    let (host, ranks) = with(|runtime| {
        let host = runtime.layout.placement[rank.index()];
        let (start, end) = runtime.range_of(rank);
        (runtime.platform.hosts()[host.index()].name.clone(), end - start)
    });
    Info::env(&Environment { command, arguments, ranks, host: &host, directory: &directory })
}

/// Stores an object: its handle, for the program.
pub(super) fn give_info(info: Info) -> Result<MPI_Info> {
    let full = || MpiError::new(ErrorClass::NO_MEM, "1048576 info objects exist at once: the limit of this library");
    let key = with_objects(|objects| objects.infos.insert(info)).ok_or_else(full)?;
    Ok(std::ptr::without_provenance_mut(smpi_watch::checks::made(Kind::Info, key) as usize))
}

/// `MPI_Info_create`.
pub fn info_create() -> Result<MPI_Info> {
    give_info(Info::new())
}

/// `MPI_Info_create_env`: command and arguments are taken from `argv`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn info_create_env(argc: c_int, argv: *mut *mut c_char) -> Result<MPI_Info> {
    let count = if argv.is_null() { 0 } else { usize::try_from(argc).unwrap_or(0) };
    // SAFETY: by MPI's contract `argv`, which is not null if there is a `count`, is an array of `argc`, of which the
    // last may be null.
    let words = (0..count).map(|index| unsafe { *argv.add(index) }).take_while(|word| !word.is_null());
    // SAFETY: by MPI's contract each element of `argv` is a text.
    let words: Vec<String> = words.map(|word| text::from_bytes(unsafe { CStr::from_ptr(word) }.to_bytes())).collect();
    let (command, arguments) = words.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
    give_info(environment(command, arguments))
}

/// `MPI_Info_dup`.
pub fn info_dup(info: MPI_Info) -> Result<MPI_Info> {
    let copy = look(info, |info| Ok(info.clone()))?;
    give_info(copy)
}

/// `MPI_Info_free`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn info_free(info: *mut MPI_Info) -> Result<()> {
    // SAFETY: by MPI's contract `info` is a place.
    let handle = unsafe { convert::read(info, "info") }?;
    let Decoded::Ours(key) = decode(Kind::Info, handle as u64) else { return Err(wrong(handle)) };
    with_objects(|objects| objects.infos.remove(key)).ok_or_else(|| wrong(handle))?;
    // SAFETY: by MPI's contract `info` is a place.
    unsafe { convert::put(info, MPI_INFO_NULL, "info") }
}

/// `MPI_Info_set`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn info_set(info: MPI_Info, key: *const c_char, value: *const c_char) -> Result<()> {
    // SAFETY: by MPI's contract `key` and `value` are texts.
    let (key, value) = unsafe { (convert::string(key, "key")?, convert::string(value, "value")?) };
    change(info, |info| info.set(&key, &value))
}

/// `MPI_Info_delete`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn info_delete(info: MPI_Info, key: *const c_char) -> Result<()> {
    // SAFETY: by MPI's contract `key` is a text.
    let key = unsafe { convert::string(key, "key") }?;
    change(info, |info| info.delete(&key))
}

/// The value of a key, if it is set.
///
/// # Safety
/// `key` must be null or a terminated string.
unsafe fn value_of(info: MPI_Info, key: *const c_char) -> Result<Option<String>> {
    // SAFETY: by MPI's contract `key` is a text.
    let key = unsafe { convert::string(key, "key") }?;
    look(info, |info| Ok(info.get(&key)?.map(str::to_string)))
}

/// `MPI_Info_get`: at most `valuelen` characters and a terminating zero.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn info_get(
    info: MPI_Info,
    key: *const c_char,
    valuelen: c_int,
    value: *mut c_char,
    flag: *mut c_int,
) -> Result<()> {
    // SAFETY: by MPI's contract `key` is a text, `value` has room for `valuelen` bytes and a zero, and `flag` is a
    // place.
    unsafe {
        let found = value_of(info, key)?;
        let room = convert::count(valuelen.into(), "valuelen")?;
        if let Some(text) = &found {
            if value.is_null() {
                return Err(convert::null("value"));
            }
            convert::put_string(text, value, room as usize + 1);
        }
        convert::put(flag, c_int::from(found.is_some()), "flag")
    }
}

/// `MPI_Info_get_string`: `buflen` is the room in `value`, and becomes the room that the value needs.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn info_get_string(
    info: MPI_Info,
    key: *const c_char,
    buflen: *mut c_int,
    value: *mut c_char,
    flag: *mut c_int,
) -> Result<()> {
    // SAFETY: by MPI's contract `key` is a text, `buflen` and `flag` are places, and `value` has room for `buflen`
    // bytes.
    unsafe {
        let found = value_of(info, key)?;
        if buflen.is_null() {
            return Err(convert::null("buflen"));
        }
        let room = convert::count((*buflen).into(), "buflen")? as usize;
        if let Some(text) = &found {
            if room > 0 && value.is_null() {
                return Err(convert::null("value"));
            }
            if room > 0 {
                convert::put_string(text, value, room);
            }
            *buflen = text::len(text) as c_int + 1;
        }
        convert::put(flag, c_int::from(found.is_some()), "flag")
    }
}

/// `MPI_Info_get_valuelen`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn info_get_valuelen(
    info: MPI_Info,
    key: *const c_char,
    valuelen: *mut c_int,
    flag: *mut c_int,
) -> Result<()> {
    // SAFETY: by MPI's contract `key` is a text, and `valuelen` and `flag` are places.
    unsafe {
        let found = value_of(info, key)?;
        if let Some(text) = &found {
            convert::put(valuelen, text::len(text) as c_int, "valuelen")?;
        }
        convert::put(flag, c_int::from(found.is_some()), "flag")
    }
}

/// `MPI_Info_get_nkeys`.
pub fn info_get_nkeys(info: MPI_Info) -> Result<c_int> {
    let number = look(info, |info| Ok(info.len()))?;
    Ok(number as c_int)
}

/// `MPI_Info_get_nthkey`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn info_get_nthkey(info: MPI_Info, n: c_int, key: *mut c_char) -> Result<()> {
    let name = look(info, |info| info.nth_key(n.into()).map(str::to_string))?;
    if key.is_null() {
        return Err(convert::null("key"));
    }
    // SAFETY: by MPI's contract `key` has room for `MPI_MAX_INFO_KEY` bytes; keys are shorter.
    unsafe { convert::put_string(&name, key, MPI_MAX_INFO_KEY as usize) };
    Ok(())
}
