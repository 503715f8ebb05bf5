//! Views of files and data representations (MPI 5.0 §14.3, §14.5).

use std::ffi::{c_char, c_void};
use std::rc::Rc;

use smpi_abi::Function;
use smpi_files::View;
use smpi_files::view::Representation;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_runtime::files::Act;
use smpi_runtime::objects::{Language, UserRepresentation};
use smpi_runtime::with_objects;

use super::datatype::handle_of;
use super::file::{Here, offset_of, shared_position, take_hints};
use super::file_convert::{Way, conversion, in_representation};
use crate::abi::constants::*;
use crate::abi::counts::ConversionFunction;
use crate::abi::types::*;
use crate::convert;

/// Where a view begins that is to begin at the shared file pointer (MPI 5.0 §14.3).
fn displacement_of(here: Here, disp: MPI_Offset) -> Result<u64> {
    if disp == MPI_DISPLACEMENT_CURRENT && here.amode.is_sequential() {
        let now = shared_position(here)?;
        return convert::with_file(here.handle, "fh", |file| Ok(file.view.place_of(now * file.view.unit())));
    }
    if here.amode.is_sequential() {
        let allowed = "MPI_DISPLACEMENT_CURRENT, as the file was opened with MPI_MODE_SEQUENTIAL";
        return Err(MpiError::parameter(ErrorClass::DISP, "disp", disp, allowed));
    }
    let allowed = "0 or more (MPI_DISPLACEMENT_CURRENT only with MPI_MODE_SEQUENTIAL)";
    u64::try_from(disp).map_err(|_| MpiError::parameter(ErrorClass::DISP, "disp", disp, allowed))
}

/// `MPI_File_set_view`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_set_view(
    fh: MPI_File,
    disp: MPI_Offset,
    etype: MPI_Datatype,
    filetype: MPI_Datatype,
    datarep: *const c_char,
    info: MPI_Info,
) -> Result<()> {
    let here = Here::of(fh)?;
    // SAFETY: by MPI's contract `datarep` is a text.
    let name = unsafe { convert::string(datarep, "datarep") }?;
    let types = (convert::datatype(etype, "etype")?, convert::datatype(filetype, "filetype")?);
    let representation = match Representation::of_standard(&name) {
        Some(found) => found,
        None => conversion(&name, Way::Reads).map(|_| Representation::Registered(name.clone().into()))?,
    };
    convert::info(info, "info")?;
    let place = displacement_of(here, disp)?;
    let known = representation.clone();
    let view =
        View::new(place, types, representation, here.amode.writes(), &|datatype| in_representation(&known, datatype))?;
    let act = Act::View(view.unit(), name.into());
    // The file keeps it while the rank waits, as nothing here may need dropping then.
    convert::with_file(fh, "fh", |file| {
        file.next_view = Some(Rc::new(view));
        Ok(())
    })?;
    drop(known);
    let outcome = here.together(Function::File_set_view, act);
    convert::with_file(fh, "fh", |file| {
        if let Some(view) = file.next_view.take().filter(|_| outcome.is_ok()) {
            (file.view, file.position) = (view, 0);
        }
        Ok(())
    })?;
    outcome?;
    take_hints(fh, info)
}

/// `MPI_File_get_view`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_get_view(
    fh: MPI_File,
    disp: *mut MPI_Offset,
    etype: *mut MPI_Datatype,
    filetype: *mut MPI_Datatype,
    datarep: *mut c_char,
) -> Result<()> {
    let view = convert::with_file(fh, "fh", |file| Ok(Rc::clone(&file.view)))?;
    for (place, name) in [(etype, "etype"), (filetype, "filetype")] {
        if place.is_null() {
            return Err(convert::null(name));
        }
    }
    if datarep.is_null() {
        return Err(convert::null("datarep"));
    }
    // SAFETY: by MPI's contract these are places, and `datarep` has room for `MPI_MAX_DATAREP_STRING` bytes.
    unsafe {
        convert::put(disp, view.displacement as MPI_Offset, "disp")?;
        convert::put(etype, handle_of(view.etype.clone(), true)?, "etype")?;
        convert::put(filetype, handle_of(view.filetype.clone(), true)?, "filetype")?;
        convert::put_string(view.representation.name(), datarep, MPI_MAX_DATAREP_STRING as usize);
    }
    Ok(())
}

/// `MPI_File_get_byte_offset`.
pub fn file_get_byte_offset(fh: MPI_File, offset: MPI_Offset) -> Result<MPI_Offset> {
    Here::of(fh)?.amode.check_placed()?;
    let view = convert::with_file(fh, "fh", |file| Ok(Rc::clone(&file.view)))?;
    let place = view.place_of(offset_of(offset, &view)? * view.unit());
    Ok(place as MPI_Offset)
}

/// `MPI_File_get_type_extent`.
pub fn file_get_type_extent(fh: MPI_File, datatype: MPI_Datatype) -> Result<i64> {
    let view = convert::with_file(fh, "fh", |file| Ok(Rc::clone(&file.view)))?;
    let datatype = convert::any_datatype(datatype, "datatype")?;
    let found = in_representation(&view.representation, &datatype)?.extent();
    Ok(found)
}

/// `MPI_Register_datarep`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn register_datarep(
    datarep: *const c_char,
    read_conversion_fn: ConversionFunction,
    write_conversion_fn: ConversionFunction,
    dtype_file_extent_fn: Option<MPI_Datarep_extent_function>,
    extra_state: *mut c_void,
) -> Result<()> {
    let extent = dtype_file_extent_fn.ok_or_else(|| convert::null("dtype_file_extent_fn"))? as usize;
    let address = |function: ConversionFunction| match function {
        ConversionFunction::Int(function) => (function.map_or(0, |function| function as usize), false),
        ConversionFunction::Count(function) => (function.map_or(0, |function| function as usize), true),
    };
    let ((read, large_count), (write, _)) = (address(read_conversion_fn), address(write_conversion_fn));
    let (extra_state, language) = (extra_state.expose_provenance(), Language::C);
    let user = UserRepresentation { name: "".into(), read, write, large_count, extent, extra_state, language };
    // SAFETY: by MPI's contract `datarep` is a text.
    unsafe { register_representation(datarep, user) }
}

/// Registers a representation under a name.
///
/// # Safety
/// `datarep` must be null or a text, and the addresses those of functions of their types in their language.
pub unsafe fn register_representation(datarep: *const c_char, user: UserRepresentation) -> Result<()> {
    // SAFETY: by the condition of this function.
    let name = unsafe { convert::string(datarep, "datarep") }?;
    if name.is_empty() || name.len() >= MPI_MAX_DATAREP_STRING as usize {
        let value = format!("{} bytes", name.len());
        let allowed = format!("1 to {} bytes", MPI_MAX_DATAREP_STRING - 1);
        return Err(MpiError::parameter(ErrorClass::ARG, "datarep", value, &allowed));
    }
    let user = UserRepresentation { name: name.clone().into(), ..user };
    with_objects(|objects| {
        let is_known = Representation::of_standard(&name).is_some()
            || objects.representations.iter().any(|known| *known.name == *name);
        if is_known {
            let value = format!("\"{name}\"");
            return Err(MpiError::parameter(ErrorClass::DUP_DATAREP, "datarep", value, "a name that is new"));
        }
        objects.representations.push(Rc::new(user));
        Ok(())
    })
}
