//! Where the individual and the shared file pointers are (MPI 5.0 §14.4.3, §14.4.4).

use std::ffi::c_int;

use smpi_abi::Function;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_runtime::files::Act;

use super::file::{Here, current_size, offset_of, shared_position};
use crate::abi::constants::*;
use crate::abi::types::*;
use crate::convert;

/// Where a file pointer goes that is moved from `now`, in etypes.
///
/// # Errors
/// `MPI_ERR_ARG` for places before the view, and for unknown ways of counting.
fn target_of(here: Here, offset: MPI_Offset, whence: c_int, now: u64) -> Result<u64> {
    let view = convert::with_file(here.handle, "fh", |file| Ok(std::rc::Rc::clone(&file.view)))?;
    let base = match whence {
        MPI_SEEK_SET => 0,
        MPI_SEEK_CUR => now,
        MPI_SEEK_END => view.end(current_size(here)?),
        _ => {
            let allowed = "MPI_SEEK_SET, MPI_SEEK_CUR or MPI_SEEK_END";
            return Err(MpiError::parameter(ErrorClass::ARG, "whence", whence, allowed));
        }
    };
    let place = base.checked_add_signed(offset).and_then(|place| MPI_Offset::try_from(place).ok());
    let wrong = || {
        let allowed = format!("{} or more, so that the pointer stays in the view", -(base as i128));
        MpiError::parameter(ErrorClass::ARG, "offset", offset, &allowed)
    };
    offset_of(place.ok_or_else(wrong)?, &view)
}

/// `MPI_File_seek`.
pub fn file_seek(fh: MPI_File, offset: MPI_Offset, whence: c_int) -> Result<()> {
    let here = Here::of(fh)?;
    here.amode.check_placed()?;
    let now = convert::with_file(fh, "fh", |file| Ok(file.position))?;
    let place = target_of(here, offset, whence, now)?;
    convert::with_file(fh, "fh", |file| {
        file.position = place;
        Ok(())
    })
}

/// `MPI_File_get_position`.
pub fn file_get_position(fh: MPI_File) -> Result<MPI_Offset> {
    Here::of(fh)?.amode.check_placed()?;
    let now = convert::with_file(fh, "fh", |file| Ok(file.position))?;
    Ok(now as MPI_Offset)
}

/// `MPI_File_seek_shared`.
pub fn file_seek_shared(fh: MPI_File, offset: MPI_Offset, whence: c_int) -> Result<()> {
    let here = Here::of(fh)?;
    here.amode.check_placed()?;
    let place = target_of(here, offset, whence, shared_position(here)?)?;
    here.together(Function::File_seek_shared, Act::Seek(place))
}

/// `MPI_File_get_position_shared`.
pub fn file_get_position_shared(fh: MPI_File) -> Result<MPI_Offset> {
    let here = Here::of(fh)?;
    here.amode.check_placed()?;
    let now = shared_position(here)?;
    Ok(now as MPI_Offset)
}
