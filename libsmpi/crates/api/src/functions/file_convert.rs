//! Data representations of files: what functions of the program convert, and how long data is in a file (MPI 5.0
//! §14.5).

use std::ffi::{c_int, c_void};
use std::rc::Rc;

use smpi_files::view::Representation;
use smpi_mpi::datatype::Datatype;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_runtime::objects::{Language, UserRepresentation};
use smpi_runtime::with_objects;

use super::datatype::handle_of;
use crate::abi::types::*;
use crate::convert;
use crate::fortran_callbacks as fortran;

/// Whether data goes to a file or comes from there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Reads,
    Writes,
}

/// A representation of the program, used in one way.
pub(super) struct Conversion {
    user: Rc<UserRepresentation>,
    way: Way,
}

/// How the representation of this name converts.
///
/// # Errors
/// `MPI_ERR_UNSUPPORTED_DATAREP`.
pub(super) fn conversion(name: &str, way: Way) -> Result<Conversion> {
    let found = with_objects(|objects| objects.representations.iter().find(|user| *user.name == *name).cloned());
    found.map(|user| Conversion { user, way }).ok_or_else(|| unsupported(name))
}

fn unsupported(name: &str) -> MpiError {
    let allowed = "native, internal, external32, or a name given to MPI_Register_datarep";
    MpiError::parameter(ErrorClass::UNSUPPORTED_DATAREP, "datarep", format!("\"{name}\""), allowed)
}

/// The error of a function of the program that returned a code.
fn outcome(code: c_int, which: &str) -> Result<()> {
    let text = || format!("the {which} function of a data representation returned {code}");
    if code == 0 { Ok(()) } else { Err(MpiError::new(ErrorClass::CONVERSION, text())) }
}

impl Conversion {
    fn function(&self) -> usize {
        if self.way == Way::Reads { self.user.read } else { self.user.write }
    }

    /// The bytes of the file that are to be written, or room for those that are to be read; `None` where nothing is
    /// converted.
    pub fn prepare(&self, buf: *const c_void, count: MPI_Count, datatype: MPI_Datatype) -> Result<Option<Vec<u8>>> {
        if self.function() == 0 {
            return Ok(None);
        }
        let element = in_file(&self.user, &convert::datatype(datatype, "datatype")?)?;
        let mut bytes = vec![0; element.packed_size(count as u64)? as usize];
        if self.way == Way::Writes {
            // SAFETY: by MPI's contract `buf` has as many elements, and there is room for them as they are in the file.
            unsafe { self.call(buf.cast_mut(), datatype, count, bytes.as_mut_ptr().cast()) }?;
        }
        Ok(Some(bytes))
    }

    /// Lets the program convert what was read, and says in the status how much that is.
    ///
    /// # Safety
    /// `buf` must have room for the data, and `status` be null or a place.
    pub unsafe fn finish(
        &self,
        mut bytes: Vec<u8>,
        buf: *const c_void,
        datatype: MPI_Datatype,
        status: *mut MPI_Status,
    ) -> Result<()> {
        if self.function() == 0 {
            return Ok(());
        }
        let memory = convert::datatype(datatype, "datatype")?;
        let count = bytes.len() as u64 / in_file(&self.user, &memory)?.size().max(1);
        // SAFETY: by the condition of this function, and there are as many elements as they are in the file.
        unsafe { self.call(buf.cast_mut(), datatype, count as MPI_Count, bytes.as_mut_ptr().cast()) }?;
        if !status.is_null() {
            // SAFETY: not null, so by the condition of this function it is a place.
            convert::set_bytes(unsafe { &mut *status }, count * memory.size());
        }
        Ok(())
    }

    /// Lets the status say how many bytes of memory were written, after those of the file.
    ///
    /// # Safety
    /// `status` must be null or a place.
    pub unsafe fn count(&self, datatype: MPI_Datatype, status: *mut MPI_Status) -> Result<()> {
        if self.function() == 0 || status.is_null() {
            return Ok(());
        }
        let memory = convert::datatype(datatype, "datatype")?;
        let element = in_file(&self.user, &memory)?.size().max(1);
        // SAFETY: not null, so by the condition of this function it is a place.
        let status = unsafe { &mut *status };
        convert::set_bytes(status, convert::bytes_of(status) / element * memory.size());
        Ok(())
    }

    /// # Safety
    /// The buffers must have `count` elements, in memory and in the file.
    unsafe fn call(
        &self,
        memory: *mut c_void,
        datatype: MPI_Datatype,
        count: MPI_Count,
        file: *mut c_void,
    ) -> Result<()> {
        let state: *mut c_void = std::ptr::with_exposed_provenance_mut(self.user.extra_state);
        let (function, which) =
            (self.function(), if self.way == Way::Reads { "read conversion" } else { "write conversion" });
        let few = c_int::try_from(count).ok();
        if few.is_none() && !self.user.large_count {
            let allowed = "below 2^31, or a representation of MPI_Register_datarep_c";
            return Err(MpiError::parameter(ErrorClass::COUNT, "count", count, allowed));
        }
        let code = if self.user.language != Language::C {
            fortran::convert_data(function, memory, datatype, count, file, self.user.extra_state)
        } else if self.user.large_count {
            // SAFETY: the address was given to MPI_Register_datarep_c as a function of this type.
            let function = unsafe { std::mem::transmute::<usize, MPI_Datarep_conversion_function_c>(function) };
            // SAFETY: by the condition of this function.
            unsafe { function(memory, datatype, count, file, 0, state) }
        } else {
            // SAFETY: the address was given to MPI_Register_datarep as a function of this type.
            let function = unsafe { std::mem::transmute::<usize, MPI_Datarep_conversion_function>(function) };
            // SAFETY: by the condition of this function.
            unsafe { function(memory, datatype, few.unwrap_or_default(), file, 0, state) }
        };
        outcome(code, which)
    }
}

/// The type of bytes that describes data of a type in a file with a representation of the program, which says how long
/// its predefined types are there.
fn in_file(user: &UserRepresentation, datatype: &Datatype) -> Result<Datatype> {
    datatype.with_elements(&mut |element| {
        let handle = handle_of(element.clone(), true)?;
        let mut extent: MPI_Aint = 0;
        let code = if user.language == Language::C {
            // SAFETY: the address was given to MPI_Register_datarep as a function of this type.
            let function = unsafe { std::mem::transmute::<usize, MPI_Datarep_extent_function>(user.extent) };
            let state: *mut c_void = std::ptr::with_exposed_provenance_mut(user.extra_state);
            // SAFETY: `extent` is a place, and the program has given `extra_state` for this function.
            unsafe { function(handle, &raw mut extent, state) }
        } else {
            fortran::extent_in_file(user.extent, handle, &mut extent, user.extra_state)
        };
        outcome(code, "extent")?;
        u64::try_from(extent).map_err(|_| {
            let text = format!("the extent function of a data representation says {extent} bytes");
            MpiError::new(ErrorClass::CONVERSION, text)
        })
    })
}

/// The type of bytes that describes data of a type in a file with this representation.
pub(super) fn in_representation(representation: &Representation, datatype: &Datatype) -> Result<Datatype> {
    match representation {
        Representation::Native | Representation::Internal => Ok(datatype.clone()),
        Representation::External32 => datatype.in_external32(),
        Representation::Registered(name) => {
            let Conversion { user, .. } = conversion(name, Way::Reads)?;
            in_file(&user, datatype)
        }
    }
}
