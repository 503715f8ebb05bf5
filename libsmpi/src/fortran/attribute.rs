//! Attributes: their values are numbers in Fortran, and their functions take everything by reference (MPI 5.0 §7.7,
//! §16.1, §19.3.7).

use std::ffi::{c_int, c_void};

use super::arguments::{done, handle};
use super::{Fint, entries};
use crate::abi::*;
use smpi_abi::Function;
use smpi_api::boundary::{self, Target};
use smpi_api::functions as api;
use smpi_runtime::objects::{AttributeValue, KeyvalKind, Language};

/// A callback: only its address matters here.
type Callback = *const c_void;

/// The predefined copy function that copies the value.
const DUP: usize = 1;

/// C's value for a copy function: the predefined ones are recognised by address.
fn copy_function(function: Callback) -> usize {
    let address = function.addr();
    if [mpi_comm_null_copy_fn_ as *const () as usize, mpi_null_copy_fn_ as *const () as usize].contains(&address)
        || [mpi_type_null_copy_fn_ as *const () as usize, mpi_win_null_copy_fn_ as *const () as usize]
            .contains(&address)
    {
        return 0;
    }
    let dups = [
        mpi_comm_dup_fn_ as *const () as usize,
        mpi_dup_fn_ as *const () as usize,
        mpi_type_dup_fn_ as *const () as usize,
        mpi_win_dup_fn_ as *const () as usize,
    ];
    if dups.contains(&address) { DUP } else { function.expose_provenance() }
}

/// C's value for a delete function.
fn delete_function(function: Callback) -> usize {
    let nulls = [
        mpi_comm_null_delete_fn_ as *const () as usize,
        mpi_null_delete_fn_ as *const () as usize,
        mpi_type_null_delete_fn_ as *const () as usize,
        mpi_win_null_delete_fn_ as *const () as usize,
    ];
    if nulls.contains(&function.addr()) { 0 } else { function.expose_provenance() }
}

/// Makes a key whose functions are Fortran's.
unsafe fn create(
    name: Function,
    kind: KeyvalKind,
    language: Language,
    functions: [Callback; 2],
    keyval: *mut c_int,
    extra_state: MPI_Aint,
) -> c_int {
    let functions = [copy_function(functions[0]), delete_function(functions[1])];
    let state = std::ptr::without_provenance_mut(extra_state as usize);
    // SAFETY: by Fortran's contract `keyval` is a variable.
    boundary::call(name, Target::None, || unsafe { api::create_key(kind, language, functions, keyval, state) })
}

fn set(name: Function, kind: KeyvalKind, target: Target, handle: Fint, keyval: c_int, value: MPI_Aint) -> c_int {
    boundary::call(name, target, || api::set_value(kind, handle as u64, keyval, AttributeValue::number(value)))
}

/// The value of an attribute; `None` and the error code where there is none.
fn get(
    name: Function,
    kind: KeyvalKind,
    target: Target,
    (handle, keyval): (Fint, c_int),
    take: impl FnOnce(Option<MPI_Aint>),
) -> c_int {
    boundary::call(name, target, || {
        let found = api::value_of(kind, handle as u64, keyval)?;
        take(found.map(|value| value.for_fortran()));
        Ok(())
    })
}

/// Defines the entry points of one kind of object.
macro_rules! attributes {
    ($kind:expr, $target:expr, $create:ident $pcreate:ident $create_name:expr,
        $set:ident $pset:ident $set_name:expr, $get:ident $pget:ident $get_name:expr) => {
        entries! {
            fn $create, $pcreate(
                copy_fn: Callback, delete_fn: Callback, keyval: *mut c_int, extra_state: *const MPI_Aint,
                ierror: *mut Fint,
            ) {
                // SAFETY: by Fortran's contract `keyval`, `extra_state` and `ierror` are variables, and `copy_fn` and
                // `delete_fn` are procedures of the declared interface.
                unsafe {
                    let functions = [copy_fn, delete_fn];
                    done(ierror, create($create_name, $kind, Language::Fortran, functions, keyval, *extra_state))
                }
            }
            fn $set, $pset(object: *const Fint, keyval: *const c_int, value: *const MPI_Aint, ierror: *mut Fint) {
                // SAFETY: by Fortran's contract `object`, `keyval`, `value` and `ierror` are variables.
                unsafe { done(ierror, set($set_name, $kind, $target(*object), *object, *keyval, *value)) }
            }
            fn $get, $pget(
                object: *const Fint, keyval: *const c_int, value: *mut MPI_Aint, flag: *mut c_int, ierror: *mut Fint,
            ) {
                // SAFETY: by Fortran's contract `object`, `keyval`, `value`, `flag` and `ierror` are variables.
                unsafe {
                    let code = get($get_name, $kind, $target(*object), (*object, *keyval), |found| {
                        if let Some(found) = found {
                            *value = found;
                        }
                        *flag = c_int::from(found.is_some());
                    });
                    done(ierror, code)
                }
            }
        }
    };
}

attributes!(
    KeyvalKind::Comm, |comm| Target::Comm(handle(comm)),
    mpi_comm_create_keyval_ pmpi_comm_create_keyval_ Function::Comm_create_keyval,
    mpi_comm_set_attr_ pmpi_comm_set_attr_ Function::Comm_set_attr,
    mpi_comm_get_attr_ pmpi_comm_get_attr_ Function::Comm_get_attr
);
attributes!(
    KeyvalKind::Datatype, |_datatype| Target::None,
    mpi_type_create_keyval_ pmpi_type_create_keyval_ Function::Type_create_keyval,
    mpi_type_set_attr_ pmpi_type_set_attr_ Function::Type_set_attr,
    mpi_type_get_attr_ pmpi_type_get_attr_ Function::Type_get_attr
);
attributes!(
    KeyvalKind::Win, |win| Target::Win(handle(win)),
    mpi_win_create_keyval_ pmpi_win_create_keyval_ Function::Win_create_keyval,
    mpi_win_set_attr_ pmpi_win_set_attr_ Function::Win_set_attr,
    mpi_win_get_attr_ pmpi_win_get_attr_ Function::Win_get_attr
);

entries! {
    fn mpi_keyval_create_, pmpi_keyval_create_(
        copy_fn: Callback, delete_fn: Callback, keyval: *mut c_int, extra_state: *const c_int, ierror: *mut Fint,
    ) {
        // SAFETY: by Fortran's contract `keyval`, `extra_state` and `ierror` are variables, and `copy_fn` and
        // `delete_fn` are procedures of the declared interface.
        unsafe {
            let (kind, language) = (KeyvalKind::Comm, Language::OldFortran);
            let state = *extra_state as MPI_Aint;
            done(ierror, create(Function::Keyval_create, kind, language, [copy_fn, delete_fn], keyval, state))
        }
    }
    fn mpi_attr_put_, pmpi_attr_put_(
        comm: *const Fint, keyval: *const c_int, value: *const c_int, ierror: *mut Fint,
    ) {
        // SAFETY: by Fortran's contract `comm`, `keyval`, `value` and `ierror` are variables.
        unsafe {
            let target = Target::Comm(handle(*comm));
            done(ierror, set(Function::Attr_put, KeyvalKind::Comm, target, *comm, *keyval, *value as MPI_Aint))
        }
    }
    fn mpi_attr_get_, pmpi_attr_get_(
        comm: *const Fint, keyval: *const c_int, value: *mut c_int, flag: *mut c_int, ierror: *mut Fint,
    ) {
        // SAFETY: by Fortran's contract `comm`, `keyval`, `value`, `flag` and `ierror` are variables.
        unsafe {
            let target = Target::Comm(handle(*comm));
            let code = get(Function::Attr_get, KeyvalKind::Comm, target, (*comm, *keyval), |found| {
                if let Some(found) = found {
                    *value = found as c_int;
                }
                *flag = c_int::from(found.is_some());
            });
            done(ierror, code)
        }
    }
}

/// Defines the predefined callbacks, which a program may also call itself. `$word` is the type of attributes.
macro_rules! predefined {
    ($word:ty: $null:ident $dup:ident $delete:ident) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $null(
            _object: *const Fint,
            _keyval: *const c_int,
            _extra_state: *const $word,
            _value: *const $word,
            _copy: *mut $word,
            flag: *mut c_int,
            ierror: *mut Fint,
        ) {
            // SAFETY: by Fortran's contract `flag` and `ierror` are variables.
            unsafe {
                *flag = 0;
                done(ierror, MPI_SUCCESS)
            }
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $dup(
            _object: *const Fint,
            _keyval: *const c_int,
            _extra_state: *const $word,
            value: *const $word,
            copy: *mut $word,
            flag: *mut c_int,
            ierror: *mut Fint,
        ) {
            // SAFETY: by Fortran's contract `value`, `copy`, `flag` and `ierror` are variables.
            unsafe {
                (*copy, *flag) = (*value, 1);
                done(ierror, MPI_SUCCESS)
            }
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $delete(
            _object: *const Fint,
            _keyval: *const c_int,
            _value: *const $word,
            _extra_state: *const $word,
            ierror: *mut Fint,
        ) {
            // SAFETY: by Fortran's contract `ierror` is a variable.
            unsafe { done(ierror, MPI_SUCCESS) }
        }
    };
}

predefined!(MPI_Aint: mpi_comm_null_copy_fn_ mpi_comm_dup_fn_ mpi_comm_null_delete_fn_);
predefined!(MPI_Aint: mpi_type_null_copy_fn_ mpi_type_dup_fn_ mpi_type_null_delete_fn_);
predefined!(MPI_Aint: mpi_win_null_copy_fn_ mpi_win_dup_fn_ mpi_win_null_delete_fn_);
predefined!(c_int: mpi_null_copy_fn_ mpi_dup_fn_ mpi_null_delete_fn_);
