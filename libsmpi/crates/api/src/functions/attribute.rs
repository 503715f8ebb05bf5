//! Attribute caching on communicators, datatypes and windows (MPI 5.0 §7.7), the attributes that MPI itself attaches
//! (§9.1.2, §11.10.1, §12.2.6), and the deprecated names (§16.1).

use std::ffi::{c_int, c_void};
use std::rc::Rc;

use smpi_mpi::error::{ErrorClass, MpiError, Result};

use crate::abi::constants::*;
use crate::abi::types::*;
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
unsafe fn free(kind: KeyvalKind, place: *mut c_int) -> Result<()> {
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
fn delete(kind: KeyvalKind, handle: u64, keyval: c_int) -> Result<()> {
    if attributes::delete(kind, handle, keyval)? {
        return Ok(());
    }
    check_keyval(kind, keyval, "keyval")?;
    let allowed = "the key of an attribute that the object has";
    Err(MpiError::parameter(ErrorClass::KEYVAL, "keyval", keyval, allowed))
}

fn check_comm(comm: MPI_Comm) -> Result<()> {
    convert::with_comm(comm, "comm", |_| Ok(()))
}

/// Checks a datatype; a predefined one has an entry for its attributes from then on.
fn check_type(datatype: MPI_Datatype) -> Result<()> {
    convert::with_type(datatype, "datatype", |_| Ok(()))
}

fn check_win(win: MPI_Win) -> Result<()> {
    convert::with_win(win, "win", |_| Ok(()))
}

fn check_object(kind: KeyvalKind, handle: u64) -> Result<()> {
    match kind {
        KeyvalKind::Comm => check_comm(std::ptr::without_provenance_mut(handle as usize)),
        KeyvalKind::Datatype => check_type(std::ptr::without_provenance_mut(handle as usize)),
        KeyvalKind::Win => check_win(std::ptr::without_provenance_mut(handle as usize)),
    }
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

/// `MPI_Comm_create_keyval`.
///
/// # Safety
/// `comm_keyval` must be null or valid for writing.
pub unsafe fn comm_create_keyval(
    comm_copy_attr_fn: Option<MPI_Comm_copy_attr_function>,
    comm_delete_attr_fn: Option<MPI_Comm_delete_attr_function>,
    comm_keyval: *mut c_int,
    extra_state: *mut c_void,
) -> Result<()> {
    let copy = comm_copy_attr_fn.map_or(0, |function| function as usize);
    let delete = comm_delete_attr_fn.map_or(0, |function| function as usize);
    // SAFETY: by MPI's contract `comm_keyval` is a place.
    unsafe { create_key(KeyvalKind::Comm, Language::C, [copy, delete], comm_keyval, extra_state) }
}

/// `MPI_Comm_free_keyval`.
///
/// # Safety
/// `comm_keyval` must be null or point to a key.
pub unsafe fn comm_free_keyval(comm_keyval: *mut c_int) -> Result<()> {
    // SAFETY: by MPI's contract `comm_keyval` is a place.
    unsafe { free(KeyvalKind::Comm, comm_keyval) }
}

/// `MPI_Comm_set_attr`.
///
/// # Safety
/// The value is only handed to the program's own functions.
pub unsafe fn comm_set_attr(comm: MPI_Comm, comm_keyval: c_int, attribute_val: *mut c_void) -> Result<()> {
    set_value(KeyvalKind::Comm, comm as u64, comm_keyval, AttributeValue::Address(attribute_val.expose_provenance()))
}

/// `MPI_Comm_get_attr`.
///
/// # Safety
/// `attribute_val` must be null or point to a pointer; `flag` must be null or valid for writing.
pub unsafe fn comm_get_attr(
    comm: MPI_Comm,
    comm_keyval: c_int,
    attribute_val: *mut c_void,
    flag: *mut c_int,
) -> Result<()> {
    let value = if is_predefined(comm_keyval) {
        check_comm(comm)?;
        Some(predefined(comm_keyval))
    } else {
        value_of(KeyvalKind::Comm, comm as u64, comm_keyval)?.map(|value| value.for_c())
    };
    // SAFETY: by MPI's contract `attribute_val` and `flag` are places.
    unsafe { give(value, attribute_val, flag) }
}

/// `MPI_Comm_delete_attr`.
///
/// # Safety
/// None is needed; all API functions are `unsafe` alike.
pub unsafe fn comm_delete_attr(comm: MPI_Comm, comm_keyval: c_int) -> Result<()> {
    check_comm(comm)?;
    delete(KeyvalKind::Comm, comm as u64, comm_keyval)
}

/// `MPI_Type_create_keyval`.
///
/// # Safety
/// `type_keyval` must be null or valid for writing.
pub unsafe fn type_create_keyval(
    type_copy_attr_fn: Option<MPI_Type_copy_attr_function>,
    type_delete_attr_fn: Option<MPI_Type_delete_attr_function>,
    type_keyval: *mut c_int,
    extra_state: *mut c_void,
) -> Result<()> {
    let copy = type_copy_attr_fn.map_or(0, |function| function as usize);
    let delete = type_delete_attr_fn.map_or(0, |function| function as usize);
    // SAFETY: by MPI's contract `type_keyval` is a place.
    unsafe { create_key(KeyvalKind::Datatype, Language::C, [copy, delete], type_keyval, extra_state) }
}

/// `MPI_Type_free_keyval`.
///
/// # Safety
/// `type_keyval` must be null or point to a key.
pub unsafe fn type_free_keyval(type_keyval: *mut c_int) -> Result<()> {
    // SAFETY: by MPI's contract `type_keyval` is a place.
    unsafe { free(KeyvalKind::Datatype, type_keyval) }
}

/// `MPI_Type_set_attr`.
///
/// # Safety
/// The value is only handed to the program's own functions.
pub unsafe fn type_set_attr(datatype: MPI_Datatype, type_keyval: c_int, attribute_val: *mut c_void) -> Result<()> {
    let value = AttributeValue::Address(attribute_val.expose_provenance());
    set_value(KeyvalKind::Datatype, datatype as u64, type_keyval, value)
}

/// `MPI_Type_get_attr`.
///
/// # Safety
/// `attribute_val` must be null or point to a pointer; `flag` must be null or valid for writing.
pub unsafe fn type_get_attr(
    datatype: MPI_Datatype,
    type_keyval: c_int,
    attribute_val: *mut c_void,
    flag: *mut c_int,
) -> Result<()> {
    let value = value_of(KeyvalKind::Datatype, datatype as u64, type_keyval)?.map(|value| value.for_c());
    // SAFETY: by MPI's contract `attribute_val` and `flag` are places.
    unsafe { give(value, attribute_val, flag) }
}

/// `MPI_Type_delete_attr`.
///
/// # Safety
/// None is needed; all API functions are `unsafe` alike.
pub unsafe fn type_delete_attr(datatype: MPI_Datatype, type_keyval: c_int) -> Result<()> {
    check_type(datatype)?;
    delete(KeyvalKind::Datatype, datatype as u64, type_keyval)
}

/// `MPI_Win_create_keyval`.
///
/// # Safety
/// `win_keyval` must be null or valid for writing.
pub unsafe fn win_create_keyval(
    win_copy_attr_fn: Option<MPI_Win_copy_attr_function>,
    win_delete_attr_fn: Option<MPI_Win_delete_attr_function>,
    win_keyval: *mut c_int,
    extra_state: *mut c_void,
) -> Result<()> {
    let copy = win_copy_attr_fn.map_or(0, |function| function as usize);
    let delete = win_delete_attr_fn.map_or(0, |function| function as usize);
    // SAFETY: by MPI's contract `win_keyval` is a place.
    unsafe { create_key(KeyvalKind::Win, Language::C, [copy, delete], win_keyval, extra_state) }
}

/// `MPI_Win_free_keyval`.
///
/// # Safety
/// `win_keyval` must be null or point to a key.
pub unsafe fn win_free_keyval(win_keyval: *mut c_int) -> Result<()> {
    // SAFETY: by MPI's contract `win_keyval` is a place.
    unsafe { free(KeyvalKind::Win, win_keyval) }
}

/// `MPI_Win_set_attr`.
///
/// # Safety
/// The value is only handed to the program's own functions.
pub unsafe fn win_set_attr(win: MPI_Win, win_keyval: c_int, attribute_val: *mut c_void) -> Result<()> {
    let value = AttributeValue::Address(attribute_val.expose_provenance());
    set_value(KeyvalKind::Win, win as u64, win_keyval, value)
}

/// `MPI_Win_get_attr`.
///
/// # Safety
/// `attribute_val` must be null or point to a pointer; `flag` must be null or valid for writing.
pub unsafe fn win_get_attr(
    win: MPI_Win,
    win_keyval: c_int,
    attribute_val: *mut c_void,
    flag: *mut c_int,
) -> Result<()> {
    let predefined = convert::with_win(win, "win", |win| Ok(win_predefined(win, win_keyval)))?;
    let value = match predefined {
        Some((address, _)) => Some(address),
        None => value_of(KeyvalKind::Win, win as u64, win_keyval)?.map(|value| value.for_c()),
    };
    // SAFETY: by MPI's contract `attribute_val` and `flag` are places.
    unsafe { give(value, attribute_val, flag) }
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

/// `MPI_Win_delete_attr`.
///
/// # Safety
/// None is needed; all API functions are `unsafe` alike.
pub unsafe fn win_delete_attr(win: MPI_Win, win_keyval: c_int) -> Result<()> {
    check_win(win)?;
    delete(KeyvalKind::Win, win as u64, win_keyval)
}

/// `MPI_Keyval_create`, the deprecated form of `MPI_Comm_create_keyval`.
///
/// # Safety
/// `keyval` must be null or valid for writing.
pub unsafe fn keyval_create(
    copy_fn: Option<MPI_Copy_function>,
    delete_fn: Option<MPI_Delete_function>,
    keyval: *mut c_int,
    extra_state: *mut c_void,
) -> Result<()> {
    // SAFETY: the contract is that of `MPI_Comm_create_keyval`: `keyval` is a place.
    unsafe { comm_create_keyval(copy_fn, delete_fn, keyval, extra_state) }
}

/// `MPI_Keyval_free`, the deprecated form of `MPI_Comm_free_keyval`.
///
/// # Safety
/// `keyval` must be null or point to a key.
pub unsafe fn keyval_free(keyval: *mut c_int) -> Result<()> {
    // SAFETY: the contract is that of `MPI_Comm_free_keyval`: `keyval` is a place.
    unsafe { comm_free_keyval(keyval) }
}

/// `MPI_Attr_put`, the deprecated form of `MPI_Comm_set_attr`.
///
/// # Safety
/// The value is only handed to the program's own functions.
pub unsafe fn attr_put(comm: MPI_Comm, keyval: c_int, attribute_val: *mut c_void) -> Result<()> {
    // SAFETY: the value is kept and not looked at.
    unsafe { comm_set_attr(comm, keyval, attribute_val) }
}

/// `MPI_Attr_get`, the deprecated form of `MPI_Comm_get_attr`.
///
/// # Safety
/// `attribute_val` must be null or point to a pointer; `flag` must be null or valid for writing.
pub unsafe fn attr_get(comm: MPI_Comm, keyval: c_int, attribute_val: *mut c_void, flag: *mut c_int) -> Result<()> {
    // SAFETY: the contract is that of `MPI_Comm_get_attr`: `attribute_val` and `flag` are places.
    unsafe { comm_get_attr(comm, keyval, attribute_val, flag) }
}

/// `MPI_Attr_delete`, the deprecated form of `MPI_Comm_delete_attr`.
///
/// # Safety
/// None is needed; all API functions are `unsafe` alike.
pub unsafe fn attr_delete(comm: MPI_Comm, keyval: c_int) -> Result<()> {
    // SAFETY: both arguments are checked; none is a pointer.
    unsafe { comm_delete_attr(comm, keyval) }
}
