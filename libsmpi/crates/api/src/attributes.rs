//! Attribute caching for communicators and datatypes (MPI 5.0 §7.7): calling the copy and delete functions.
//!
//! The functions belong to the program and may call MPI, so they are called with no borrow of ours alive.

use std::ffi::{c_int, c_void};
use std::rc::Rc;

use smpi_base::table::Key;
use smpi_mpi::error::{ErrorClass, MpiError, Result};

use crate::convert::{find_comm, find_win};
use crate::fortran_callbacks as fortran;
use smpi_runtime::objects::handles::{Decoded, Kind, decode};
use smpi_runtime::objects::{Attribute, AttributeValue, Attributes, Keyval, KeyvalKind, Language, RankObjects};
use smpi_runtime::with_objects;

/// `MPI_Comm_copy_attr_function` and its kin: all take a pointer-sized handle.
type CopyFunction = unsafe extern "C" fn(usize, c_int, *mut c_void, *mut c_void, *mut c_void, *mut c_int) -> c_int;
/// `MPI_Comm_delete_attr_function` and its kin.
type DeleteFunction = unsafe extern "C" fn(usize, c_int, *mut c_void, *mut c_void) -> c_int;

/// The predefined copy function that copies the value (`MPI_COMM_DUP_FN` and its kin).
const DUP_FUNCTION: usize = 1;

/// Set in every key of the program: keeps them apart from the predefined ones.
const OURS: u32 = 1 << 26;
/// Bits for the slot in a key, below those for the generation.
const SLOT_BITS: u32 = 20;

/// The number under which the program knows a key.
pub fn keyval_of(key: Key) -> c_int {
    (OURS | u32::from(key.generation) << SLOT_BITS | key.slot) as c_int
}

/// The entry of a number, which may be stale; `None` for numbers that are no key of the program.
pub fn key_in(keyval: c_int) -> Option<Key> {
    let bits = u32::try_from(keyval).ok()?;
    let generation = ((bits & !OURS) >> SLOT_BITS) as u8;
    (bits & !(OURS - 1) == OURS).then_some(Key { slot: bits & ((1 << SLOT_BITS) - 1), generation })
}

/// The attributes of the object behind a handle.
fn find(objects: &mut RankObjects, kind: KeyvalKind, handle: u64) -> Option<&mut Attributes> {
    match kind {
        KeyvalKind::Comm => find_comm(objects, handle).map(|comm| &mut comm.attributes),
        KeyvalKind::Win => find_win(objects, handle).map(|win| &mut win.attributes),
        KeyvalKind::Datatype => match decode(Kind::Datatype, handle) {
            Decoded::Ours(key) => objects.types.get_mut(key).map(|entry| &mut entry.attributes),
            Decoded::Predefined(number) => {
                let entries = &mut objects.predefined_types;
                entries.iter_mut().find(|entry| entry.0 == number).map(|entry| &mut entry.1.attributes)
            }
            _ => None,
        },
    }
}

/// The value of an attribute.
pub fn get(kind: KeyvalKind, handle: u64, keyval: c_int) -> Option<AttributeValue> {
    with_objects(|objects| Some(find(objects, kind, handle)?.get(&keyval)?.value.clone()))
}

/// Sets an attribute of a valid key; a value that was there is deleted first.
///
/// # Errors
/// What the delete function returned; `MPI_ERR_KEYVAL` when that function has freed the key.
pub fn set(kind: KeyvalKind, handle: u64, keyval: c_int, value: AttributeValue) -> Result<()> {
    delete(kind, handle, keyval)?;
    with_objects(|objects| {
        let key = key_in(keyval).and_then(|key| objects.keyvals.get(key)).map(Rc::clone);
        let freed = || MpiError::new(ErrorClass::KEYVAL, format!("the delete function freed the key {keyval}"));
        let key = key.ok_or_else(freed)?;
        if let Some(attributes) = find(objects, kind, handle) {
            attributes.insert(keyval, Attribute { key, value });
        }
        Ok(())
    })
}

/// Deletes an attribute; true when there was one.
///
/// # Errors
/// What the delete function returned; the attribute stays then.
pub fn delete(kind: KeyvalKind, handle: u64, keyval: c_int) -> Result<bool> {
    let Some(value) = get(kind, handle, keyval) else { return Ok(false) };
    let called = with_objects(|objects| Some(Functions::from(&*find(objects, kind, handle)?.get(&keyval)?.key)));
    let (for_c, for_fortran) = (value.for_c(), value.for_fortran());
    // The place that a number has lives on in the object's attribute, not here: the function may not come back.
    drop(value);
    if let Some(functions) = called {
        call_delete(functions, handle, keyval, for_c, for_fortran)?;
    }
    with_objects(|objects| {
        if let Some(attributes) = find(objects, kind, handle) {
            attributes.remove(&keyval);
        }
    });
    Ok(true)
}

/// What is called for a key: plain values, as the call may not come back.
#[derive(Clone, Copy)]
struct Functions {
    copy: usize,
    delete: usize,
    extra_state: usize,
    language: Language,
}

impl From<&Keyval> for Functions {
    fn from(key: &Keyval) -> Functions {
        Functions { copy: key.copy, delete: key.delete, extra_state: key.extra_state, language: key.language }
    }
}

fn call_delete(functions: Functions, handle: u64, keyval: c_int, for_c: usize, for_fortran: isize) -> Result<()> {
    let function = functions.delete;
    if function <= DUP_FUNCTION {
        return Ok(());
    }
    let code = match functions.language {
        // SAFETY: the address was given to an MPI_*_create_keyval as a function of this type.
        Language::C => unsafe {
            std::mem::transmute::<usize, DeleteFunction>(function)(
                handle as usize,
                keyval,
                std::ptr::with_exposed_provenance_mut(for_c),
                std::ptr::with_exposed_provenance_mut(functions.extra_state),
            )
        },
        _ => fortran::delete_attribute(function, handle, keyval, for_fortran, functions.extra_state),
    };
    failure(code, "delete", keyval)
}

fn failure(code: c_int, what: &str, keyval: c_int) -> Result<()> {
    if code == 0 {
        return Ok(());
    }
    let text = format!("the {what} function of attribute key {keyval} returned {code}");
    Err(MpiError::new(ErrorClass(code), text))
}

/// Deletes all attributes of an object, the last set first (MPI 5.0 §11.4.2), as when it is freed.
///
/// # Errors
/// What the first failing delete function returned.
pub fn delete_all_of(kind: KeyvalKind, handle: u64) -> Result<()> {
    while let Some(keyval) = with_objects(|objects| Some(*find(objects, kind, handle)?.last()?.0)) {
        delete(kind, handle, keyval)?;
    }
    Ok(())
}

/// Deletes all attributes of a communicator.
///
/// # Errors
/// What the first failing delete function returned.
pub fn delete_all(comm: u64) -> Result<()> {
    delete_all_of(KeyvalKind::Comm, comm)
}

/// Gives a duplicate of an object its attributes: what the copy functions decide, in the order of setting.
///
/// # Errors
/// What the first failing copy function returned.
pub fn copy_all(kind: KeyvalKind, from: u64, to: u64) -> Result<()> {
    let count = with_objects(|objects| find(objects, kind, from).map_or(0, |attributes| attributes.len()));
    for place in 0..count {
        let Some(keyval) = with_objects(|objects| Some(*find(objects, kind, from)?.nth(place)?.0)) else { break };
        let value = copied_value(kind, from, keyval)?;
        with_objects(|objects| {
            // The function may have deleted the attribute that it copied.
            let copy = Attribute { value: value?, key: Rc::clone(&find(objects, kind, from)?.get(&keyval)?.key) };
            find(objects, kind, to)?.insert(keyval, copy);
            Some(())
        });
    }
    Ok(())
}

/// The value that an attribute has in a duplicate; `None` where it is not copied.
fn copied_value(kind: KeyvalKind, handle: u64, keyval: c_int) -> Result<Option<AttributeValue>> {
    let called = with_objects(|objects| {
        let found = find(objects, kind, handle)?.get(&keyval)?;
        Some((Functions::from(&*found.key), found.value.for_c(), found.value.for_fortran()))
    });
    match called {
        Some((functions, for_c, for_fortran)) if functions.copy > DUP_FUNCTION => {
            call_copy(functions, handle, keyval, for_c, for_fortran)
        }
        Some((Functions { copy: DUP_FUNCTION, .. }, ..)) => Ok(get(kind, handle, keyval).map(|value| value.copied())),
        _ => Ok(None),
    }
}

fn call_copy(
    functions: Functions,
    handle: u64,
    keyval: c_int,
    for_c: usize,
    for_fortran: isize,
) -> Result<Option<AttributeValue>> {
    if functions.language != Language::C {
        let Functions { copy, extra_state: state, language, .. } = functions;
        let (code, copied) = fortran::copy_attribute(language, copy, handle, keyval, state, for_fortran);
        failure(code, "copy", keyval)?;
        return Ok(copied.map(AttributeValue::number));
    }
    let (mut copied, mut flag) = (0_usize, 0);
    // SAFETY: the address was given to an MPI_*_create_keyval as a function of this type; `copied` is the place for
    // the new value, as large as a pointer.
    let code = unsafe {
        std::mem::transmute::<usize, CopyFunction>(functions.copy)(
            handle as usize,
            keyval,
            std::ptr::with_exposed_provenance_mut(functions.extra_state),
            std::ptr::with_exposed_provenance_mut(for_c),
            (&raw mut copied).cast(),
            &raw mut flag,
        )
    };
    failure(code, "copy", keyval)?;
    Ok((flag != 0).then_some(AttributeValue::Address(copied)))
}

#[cfg(test)]
mod tests {
    use smpi_abi::c::MPI_TAG_UB;

    use super::*;

    #[test]
    fn keys_of_the_program_are_none_of_the_standard() {
        for slot in [0, 1, Key::MAX_SLOTS - 1] {
            for generation in [0, 1, 63] {
                let keyval = keyval_of(Key { slot, generation });
                assert!(keyval > 0);
                assert_eq!(key_in(keyval), Some(Key { slot, generation }));
                assert_eq!(key_in(-keyval), None);
                assert_eq!(key_in(keyval | 1 << 30), None);
            }
        }
        for keyval in [MPI_TAG_UB, 0, -1, c_int::MIN, c_int::MAX] {
            assert_eq!(key_in(keyval), None, "{keyval}");
        }
    }
}
