//! Files: opening and closing them, their size, and what is known of them (MPI 5.0 §14.2, §14.6).

use std::ffi::{OsStr, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::rc::Rc;

use smpi_abi::Function;
use smpi_base::table::Key;
use smpi_files::{Amode, Id, View, hints};
use smpi_mpi::comm::CommCore;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::info::Info;
use smpi_mpi::p2p::request::{Body, FileBuffer, Request};
use smpi_mpi::text;
use smpi_runtime::files::{Act, Aspect, Deed, Reply};
use smpi_runtime::objects::handles::{Decoded, Kind, decode, encode};
use smpi_runtime::objects::{Comm, Errhandler, File};
use smpi_runtime::{current_rank, with, with_objects};

use super::collective::{How, Needs, prepare_meeting};
use super::comm_create::Creation;
use super::{group, info, p2p};
use crate::abi::constants::*;
use crate::abi::types::*;
use crate::convert;

/// Why an exploration step by step is not complete.
const STEPPING: &str = "the order of what ranks do with files is judged by --reduction matches only";

/// A file in a call: plain values, as the call may wait.
#[derive(Clone, Copy)]
pub(super) struct Here {
    /// The program's handle.
    pub handle: MPI_File,
    /// Its name in the run.
    pub id: Id,
    /// What it was opened for.
    pub amode: Amode,
    rank: u32,
    size: u32,
    comm: u64,
}

impl Here {
    /// The file of a handle.
    ///
    /// # Errors
    /// `MPI_ERR_FILE`.
    pub fn of(fh: MPI_File) -> Result<Here> {
        convert::with_file(fh, "fh", |file| {
            let &mut File { id, amode, rank, size, comm, .. } = file;
            Ok(Here { handle: fh, id, amode, rank, size, comm })
        })
    }

    /// Its own communicator.
    pub fn comm(self) -> MPI_Comm {
        std::ptr::without_provenance_mut(self.comm as usize)
    }

    /// The number of the next thing that its ranks do together.
    ///
    /// # Errors
    /// `MPI_ERR_IO` while a split collective access is under way.
    pub fn next_round(self) -> Result<u32> {
        convert::with_file(self.handle, "fh", |file| {
            if let Some(split) = file.split {
                let text = format!("a split collective access is under way: call {} first", split.ends);
                return Err(MpiError::new(ErrorClass::IO, text));
            }
            file.rounds += 1;
            Ok(file.rounds)
        })
    }

    /// What all ranks of the file do together.
    pub fn jointly(self, act: Act) -> Result<Deed> {
        Ok(Deed::Together(self.next_round()?, (self.rank, self.size), act))
    }

    /// Posts something, with a request that is over when it is done.
    pub fn post(self, deed: Deed) -> Result<Key> {
        post(self.handle, self.id, FileBuffer::default(), deed)
    }

    /// Does something together with all ranks of the file, as the function of this name.
    pub fn together(self, name: Function, act: Act) -> Result<()> {
        let key = self.post(self.jointly(act)?)?;
        prepare_meeting(name, self.comm(), Needs::Outcome)?.run(How::Blocking)?;
        p2p::conclude(key, std::ptr::null_mut())
    }
}

/// Posts something that is done with a file, with a request that is over then. Errors are those of the file.
pub(super) fn post(fh: MPI_File, id: Id, buffer: FileBuffer, deed: Deed) -> Result<Key> {
    let rank = current_rank();
    let request = Request::new(Body::File(buffer), false, fh as u64);
    let key = with(|runtime| runtime.world.new_request(rank, request))?;
    p2p::launch(key)?;
    let made = smpi_watch::checks::origin_at_window();
    with(|runtime| runtime.post_to_file((rank, made), id, Reply::Completes(key), deed));
    Ok(key)
}

/// The absolute name of a file.
///
/// # Safety
/// `filename` must be null or a text.
unsafe fn path_of(filename: *const c_char) -> Result<PathBuf> {
    // SAFETY: by the condition of this function.
    let name = unsafe { convert::string(filename, "filename") }?;
    let bytes = text::to_bytes(&name);
    std::path::absolute(OsStr::from_bytes(&bytes)).map_err(|error| {
        let value = format!("\"{name}\" ({error})");
        MpiError::parameter(ErrorClass::BAD_FILE, "filename", value, "the name of a file")
    })
}

/// Stores a file that is about to be opened by all ranks of a communicator; gives its handle.
fn store(call: Creation, amode: Amode, given: &Info) -> Result<MPI_File> {
    let core = CommCore { context: call.context(0, call.members()), ..call.parent_core()? };
    let (id, rank, size) = (Id(core.context), core.rank, core.group.size());
    let full = || MpiError::new(ErrorClass::OTHER, "this rank has 1048576 communicators and files: the most");
    let mut hints = Info::new();
    hints::take(&mut hints, given)?;
    let hidden = Comm { is_hidden: true, ..Comm::new(core, Errhandler::Return) };
    let key = with_objects(|objects| {
        let comm = encode(Kind::Comm, objects.comms.insert(hidden)?);
        let errhandler = objects.file_errhandler.0.clone();
        let view = Rc::new(View::default());
        let (position, rounds, split) = (0, 0, None);
        let next_view = None;
        let file =
            File { id, comm, rank, size, amode, view, next_view, position, rounds, errhandler, info: hints, split };
        objects.files.insert(file)
    });
    Ok(std::ptr::without_provenance_mut(smpi_watch::checks::made(Kind::File, key.ok_or_else(full)?) as usize))
}

/// Forgets a file and its communicator.
fn discard(fh: MPI_File) {
    with_objects(|objects| {
        if let Decoded::Ours(key) = decode(Kind::File, fh as u64)
            && let Some(file) = objects.files.remove(key)
            && let Decoded::Ours(comm) = decode(Kind::Comm, file.comm)
        {
            objects.comms.remove(comm);
        }
    });
}

/// `MPI_File_open`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_open(comm: MPI_Comm, filename: *const c_char, amode: c_int, info: MPI_Info) -> Result<MPI_File> {
    convert::intracomm(comm, "comm")?;
    with(|runtime| {
        if runtime.driver.verification().is_some_and(|driver| driver.is_stepping()) {
            runtime.world.observers.unexplored = Some(STEPPING);
        }
    });
    // SAFETY: by MPI's contract `filename` is a text.
    let act = Act::Open(unsafe { path_of(filename) }?, Amode::new(amode)?);
    let call = Creation::begin(comm)?;
    let handle = store(call, Amode::new(amode)?, &convert::info(info, "info")?)?;
    let key = Here::of(handle).and_then(|here| here.post(here.jointly(act)?))?;
    call.synchronise(Function::File_open, Needs::Outcome)?;
    if let Err(error) = p2p::conclude(key, std::ptr::null_mut()) {
        discard(handle);
        // There is no file that the error could belong to.
        return Err(error.on(0));
    }
    let id = Here::of(handle)?.id;
    let end = with(|runtime| runtime.files.table.get(id).map(|open| open.shared));
    let end = end.inspect_err(|_| discard(handle))?;
    convert::with_file(handle, "fh", |file| {
        file.position = end;
        Ok(())
    })?;
    Ok(handle)
}

/// `MPI_File_close`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_close(fh: *mut MPI_File) -> Result<()> {
    // SAFETY: by MPI's contract `fh` is a place.
    let handle = unsafe { convert::read(fh, "fh") }?;
    let closed = Here::of(handle)?.together(Function::File_close, Act::Close);
    if let Err(error) = &closed
        && error.class == ErrorClass::IO
        && convert::with_file(handle, "fh", |file| Ok(file.split.is_some()))?
    {
        return closed;
    }
    discard(handle);
    // SAFETY: the handle was read from this place.
    unsafe { *fh = MPI_FILE_NULL };
    // The file is closed, whatever else went wrong.
    closed.map_err(|error| error.on(0))
}

/// `MPI_File_delete`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_delete(filename: *const c_char, info: MPI_Info) -> Result<()> {
    convert::info(info, "info")?;
    // SAFETY: by MPI's contract `filename` is a text.
    let deed = Deed::Delete(unsafe { path_of(filename) }?);
    let key = post(MPI_FILE_NULL, Id(0), FileBuffer::default(), deed)?;
    p2p::conclude(key, std::ptr::null_mut()).map_err(|error| error.on(0))
}

/// A size in bytes.
fn size_of(size: MPI_Offset) -> Result<u64> {
    u64::try_from(size).map_err(|_| MpiError::parameter(ErrorClass::ARG, "size", size, "0 or more"))
}

/// `MPI_File_set_size`.
pub fn file_set_size(fh: MPI_File, size: MPI_Offset) -> Result<()> {
    let here = Here::of(fh)?;
    here.amode.check_write()?;
    here.together(Function::File_set_size, Act::Resize(size_of(size)?))
}

/// `MPI_File_preallocate`.
pub fn file_preallocate(fh: MPI_File, size: MPI_Offset) -> Result<()> {
    let here = Here::of(fh)?;
    here.amode.check_write()?;
    here.amode.check_placed()?;
    here.together(Function::File_preallocate, Act::Allocate(size_of(size)?))
}

/// Bytes of a file now.
pub(super) fn current_size(here: Here) -> Result<u64> {
    with(|runtime| {
        runtime.note_look(current_rank(), here.id, Aspect::End);
        runtime.files.table.size(here.id)
    })
}

/// Where the shared file pointer is, in etypes.
pub(super) fn shared_position(here: Here) -> Result<u64> {
    with(|runtime| {
        runtime.note_look(current_rank(), here.id, Aspect::Pointer(here.id));
        Ok(runtime.files.table.get(here.id)?.shared)
    })
}

/// An offset as a number of etypes of a view.
///
/// # Errors
/// `MPI_ERR_ARG`.
pub(super) fn offset_of(offset: MPI_Offset, view: &View) -> Result<u64> {
    let wrong = || MpiError::parameter(ErrorClass::ARG, "offset", offset, "0 or more, below 2^63 bytes");
    let offset = u64::try_from(offset).map_err(|_| wrong())?;
    let fits = offset.checked_mul(view.unit()).is_some_and(|bytes| i64::try_from(bytes).is_ok());
    if fits { Ok(offset) } else { Err(wrong()) }
}

/// `MPI_File_get_size`.
pub fn file_get_size(fh: MPI_File) -> Result<MPI_Offset> {
    let found = current_size(Here::of(fh)?)?;
    Ok(found as MPI_Offset)
}

/// `MPI_File_get_group`.
pub fn file_get_group(fh: MPI_File) -> Result<MPI_Group> {
    let members = convert::comm(Here::of(fh)?.comm(), "fh")?.group;
    group::give(members, None)
}

/// `MPI_File_get_amode`.
pub fn file_get_amode(fh: MPI_File) -> Result<c_int> {
    let bits = Here::of(fh)?.amode.bits();
    Ok(bits)
}

/// Keeps those hints of the program that files have.
pub(super) fn take_hints(fh: MPI_File, info: MPI_Info) -> Result<()> {
    let given = convert::info(info, "info")?;
    convert::with_file(fh, "fh", |file| hints::take(&mut file.info, &given))
}

/// `MPI_File_set_info`.
pub fn file_set_info(fh: MPI_File, info: MPI_Info) -> Result<()> {
    take_hints(fh, info)?;
    prepare_meeting(Function::File_set_info, Here::of(fh)?.comm(), Needs::Nothing)?.run(How::Blocking)
}

/// `MPI_File_get_info`.
pub fn file_get_info(fh: MPI_File) -> Result<MPI_Info> {
    let known = convert::with_file(fh, "fh", |file| Ok(file.info.clone()))?;
    info::give_info(known)
}

/// `MPI_File_set_atomicity`.
pub fn file_set_atomicity(fh: MPI_File, flag: c_int) -> Result<()> {
    Here::of(fh)?.together(Function::File_set_atomicity, Act::Atomicity(flag != 0))
}

/// `MPI_File_get_atomicity`.
pub fn file_get_atomicity(fh: MPI_File) -> Result<c_int> {
    let id = Here::of(fh)?.id;
    let is_atomic = with(|runtime| runtime.files.table.get(id).map(|open| open.is_atomic))?;
    Ok(c_int::from(is_atomic))
}

/// `MPI_File_sync`.
pub fn file_sync(fh: MPI_File) -> Result<()> {
    Here::of(fh)?.together(Function::File_sync, Act::Sync)
}
