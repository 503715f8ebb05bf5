//! Attribute caching on communicators, datatypes and windows (MPI 5.0 §7.7), the attributes that MPI itself attaches
//! (§9.1.2, §11.10.1, §12.2.6), and the deprecated names (§16.1).

use std::ffi::{c_int, c_void};
use std::rc::Rc;

use smpi_mpi::error::{ErrorClass, MpiError, Result};

use crate::abi::constants::*;
use crate::attributes::{self, key_in, keyval_of};
use crate::convert::{self, TAG_UB};
use smpi_runtime::objects::{AttributeValue, Keyval, KeyvalKind, Language, Win, WinAttributes};
use smpi_runtime::with_objects;
use smpi_runtime::{Runtime, current_rank, with};

/// The keys of the attributes that MPI attaches to communicators.
fn is_predefined(keyval: c_int) -> bool {
    (MPI_TAG_UB..=MPI_UNIVERSE_SIZE).contains(&keyval)
}

/// The keys of the attributes that MPI attaches to windows.
fn is_of_windows(keyval: c_int) -> bool {
    (MPI_WIN_BASE..=MPI_WIN_MODEL).contains(&keyval)
}

/// The error for a key that cannot be used here.
fn bad_keyval(name: &str, keyval: c_int) -> MpiError {
    let found = match keyval {
        MPI_KEYVAL_INVALID => "MPI_KEYVAL_INVALID".to_string(),
        _ if is_predefined(keyval) || is_of_windows(keyval) => {
            format!("the key {keyval} of an attribute that only MPI sets")
        }
        _ => keyval.to_string(),
    };
    let allowed = "a key made for this kind of object and not freed";
    MpiError::parameter(ErrorClass::KEYVAL, name, found, allowed)
}

/// Checks that the key is one of the program's for this kind of object.
fn check_keyval(kind: KeyvalKind, keyval: c_int, name: &str) -> Result<()> {
    let fits = with_objects(|objects| {
        let key = key_in(keyval)?;
        Some(objects.keyvals.get(key)?.kind == kind)
    });
    if fits == Some(true) { Ok(()) } else { Err(bad_keyval(name, keyval)) }
}

/// Makes a key for attributes.
///
/// # Safety
/// `place` must be null or valid for writing.
pub unsafe fn create_key(
    kind: KeyvalKind,
    language: Language,
    [copy, delete]: [usize; 2],
    place: *mut c_int,
    state: *mut c_void,
) -> Result<()> {
    if place.is_null() {
        return Err(convert::null("keyval"));
    }
    let keyval = Rc::new(Keyval { kind, copy, delete, extra_state: state.expose_provenance(), language });
    let full = || MpiError::new(ErrorClass::OTHER, "this rank has 1048576 attribute keys, the most that there can be");
    let key = with_objects(|objects| objects.keyvals.insert(keyval)).ok_or_else(full)?;
    // SAFETY: by MPI's contract `place` may be written where it is not null.
    unsafe { convert::put(place, keyval_of(key), "keyval") }
}

/// Frees a key; attributes that have it stay until they or their objects go.
///
/// # Safety
/// By MPI's contract `place` is a place.
pub unsafe fn free_key(kind: KeyvalKind, place: *mut c_int) -> Result<()> {
    // SAFETY: by MPI's contract `place`, the caller's argument, is a place.
    let keyval = unsafe { convert::read(place, "keyval") }?;
    check_keyval(kind, keyval, "keyval")?;
    with_objects(|objects| key_in(keyval).and_then(|key| objects.keyvals.remove(key)));
    // SAFETY: the key was read from this place.
    unsafe { *place = MPI_KEYVAL_INVALID };
    Ok(())
}

/// Hands an attribute to the program.
unsafe fn give(value: Option<usize>, attribute_val: *mut c_void, flag: *mut c_int) -> Result<()> {
    if let Some(value) = value {
        let value: *mut c_void = std::ptr::with_exposed_provenance_mut(value);
        // SAFETY: by MPI's contract `attribute_val`, which it declares as `void *`, is a place for a pointer.
        unsafe { convert::put(attribute_val.cast::<*mut c_void>(), value, "attribute_val") }?;
    }
    // SAFETY: by MPI's contract `flag` is a place.
    unsafe { convert::put(flag, c_int::from(value.is_some()), "flag") }
}

/// Finds an attribute; the key need not be valid any more when there is one.
fn find(kind: KeyvalKind, handle: u64, keyval: c_int) -> Result<Option<AttributeValue>> {
    let found = attributes::get(kind, handle, keyval);
    if found.is_none() {
        check_keyval(kind, keyval, "keyval")?;
    }
    Ok(found)
}

/// Deletes an attribute that must exist.
pub fn delete_value(kind: KeyvalKind, handle: u64, keyval: c_int) -> Result<()> {
    check_object(kind, handle)?;
    if attributes::delete(kind, handle, keyval)? {
        return Ok(());
    }
    check_keyval(kind, keyval, "keyval")?;
    let allowed = "the key of an attribute that the object has";
    Err(MpiError::parameter(ErrorClass::KEYVAL, "keyval", keyval, allowed))
}

/// Checks an object; a predefined datatype has an entry for its attributes from then on.
fn check_object(kind: KeyvalKind, handle: u64) -> Result<()> {
    let at = handle as usize;
    match kind {
        KeyvalKind::Comm => convert::with_comm(std::ptr::without_provenance_mut(at), "comm", |_| Ok(())),
        KeyvalKind::Datatype => convert::with_type(std::ptr::without_provenance_mut(at), "datatype", |_| Ok(())),
        KeyvalKind::Win => convert::with_win(std::ptr::without_provenance_mut(at), "win", |_| Ok(())),
    }
}

/// Sets an attribute to an address of the program, which only its own functions look at.
pub fn set_address(kind: KeyvalKind, handle: u64, keyval: c_int, value: *mut c_void) -> Result<()> {
    set_value(kind, handle, keyval, AttributeValue::Address(value.expose_provenance()))
}

/// Tells the program an attribute as C sees it: an address.
///
/// # Safety
/// By MPI's contract `attribute_val` is a place for a pointer, and `flag` is a place.
pub unsafe fn get_attribute(
    kind: KeyvalKind,
    handle: u64,
    keyval: c_int,
    attribute_val: *mut c_void,
    flag: *mut c_int,
) -> Result<()> {
    let predefined = match kind {
        KeyvalKind::Comm if is_predefined(keyval) => {
            check_object(kind, handle)?;
            Some(predefined(keyval))
        }
        KeyvalKind::Win => {
            let win = std::ptr::without_provenance_mut(handle as usize);
            convert::with_win(win, "win", |win| Ok(win_predefined(win, keyval)))?.map(|(address, _)| address)
        }
        _ => None,
    };
    let value = match predefined {
        Some(address) => Some(address),
        None => value_of(kind, handle, keyval)?.map(|value| value.for_c()),
    };
    // SAFETY: by MPI's contract `attribute_val` and `flag` are places.
    unsafe { give(value, attribute_val, flag) }
}

/// Sets an attribute that may be set by programs.
pub fn set_value(kind: KeyvalKind, handle: u64, keyval: c_int, value: AttributeValue) -> Result<()> {
    check_object(kind, handle)?;
    check_keyval(kind, keyval, "keyval")?;
    attributes::set(kind, handle, keyval, value)
}

/// The value of an attribute; those that MPI attaches are numbers here.
pub fn value_of(kind: KeyvalKind, handle: u64, keyval: c_int) -> Result<Option<AttributeValue>> {
    check_object(kind, handle)?;
    if kind == KeyvalKind::Win && is_of_windows(keyval) {
        let win = std::ptr::without_provenance_mut(handle as usize);
        let number = convert::with_win(win, "win", |win| Ok(win_predefined(win, keyval)))?;
        return Ok(number.map(|(_, number)| AttributeValue::number(number)));
    }
    if kind == KeyvalKind::Comm && is_predefined(keyval) {
        return Ok(Some(AttributeValue::number(predefined_value(keyval) as isize)));
    }
    find(kind, handle, keyval)
}

/// The value of an attribute that MPI attaches. Programs are told them on every communicator.
fn predefined_value(keyval: c_int) -> c_int {
    match keyval {
        MPI_TAG_UB => TAG_UB,
        // Every rank has the usual language-level input and output.
        MPI_IO => MPI_ANY_SOURCE,
        // No rank is the host process of the others.
        MPI_HOST => MPI_PROC_NULL,
        // All ranks read the simulated clock.
        MPI_WTIME_IS_GLOBAL => 1,
        MPI_APPNUM => with(|runtime| runtime.app_of(current_rank())) as c_int,
        MPI_LASTUSEDCODE => with_objects(|objects| objects.user_errors.last_used()),
        _ => with(universe_size),
    }
}

/// How many ranks there can be, by the platform: one on each core, or more where the command line has more.
fn universe_size(runtime: &mut Runtime) -> c_int {
    let cores: u64 = runtime.platform.hosts().iter().map(|host| u64::from(host.cores)).sum();
    let ranks = cores.max(u64::from(runtime.layout.first_ranks));
    c_int::try_from(ranks).unwrap_or(c_int::MAX)
}

/// The address of a predefined attribute's value, which lives as long as the rank.
fn predefined(keyval: c_int) -> usize {
    let value = predefined_value(keyval);
    with_objects(|objects| {
        let place = &mut objects.predefined_attributes[(keyval - MPI_TAG_UB) as usize];
        *place = value;
        std::ptr::from_mut(place).expose_provenance()
    })
}

/// Keeps what a pointer to `MPI_LASTUSEDCODE` sees up to date.
pub(super) fn last_used_code_changed() {
    predefined(MPI_LASTUSEDCODE);
}

/// What C and Fortran get for an attribute that MPI attaches to a window: an address, and a number.
fn win_predefined(win: &Win, keyval: c_int) -> Option<(usize, isize)> {
    let WinAttributes { base, size, unit, flavor, model } = &*win.predefined;
    Some(match keyval {
        MPI_WIN_BASE => (*base, *base as isize),
        MPI_WIN_SIZE => (std::ptr::from_ref(size).expose_provenance(), *size),
        MPI_WIN_DISP_UNIT => (std::ptr::from_ref(unit).expose_provenance(), *unit as isize),
        MPI_WIN_CREATE_FLAVOR => (std::ptr::from_ref(flavor).expose_provenance(), *flavor as isize),
        MPI_WIN_MODEL => (std::ptr::from_ref(model).expose_provenance(), *model as isize),
        _ => return None,
    })
}
