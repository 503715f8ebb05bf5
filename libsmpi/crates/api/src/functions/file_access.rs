//! Data moves between memory and files (MPI 5.0 §14.4): what all functions for it do. Each is a row of `abi/calls.csv`,
//! which says where in the file ([`Pointer`]), and whether alone or together, at once, later or in two halves.

use std::ffi::c_void;
use std::rc::Rc;

use smpi_abi::Function;
use smpi_base::table::Key;
use smpi_files::view::Representation;
use smpi_files::{Shape, View};
use smpi_mpi::collective::Part;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::p2p::request::{Body, FileBuffer, Request};
use smpi_mpi::usage::Form;
use smpi_runtime::files::{Access, Act, Data, Deed, Reply};
use smpi_runtime::objects::Split;
use smpi_runtime::{current_rank, with};

use super::collective::{How, Needs, prepare_meeting};
use super::file::{Here, offset_of, post};
use super::file_convert::{Way, conversion};
use super::p2p;
use crate::abi::types::*;
use crate::convert;

/// Where in a file.
#[derive(Clone, Copy)]
pub enum Pointer {
    /// At an offset, in etypes.
    At(MPI_Offset),
    /// At the individual file pointer.
    Own,
    /// At the shared file pointer.
    Shared,
    /// At the shared file pointer, in the order of ranks.
    Ordered,
}

/// How a rank makes an access.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// By itself, and it waits until the access is over, or not.
    Alone { waits: bool },
    /// With all ranks of the file. Under the checker, none waits for another one, because that is not certain.
    WithAll,
}

/// The arguments of an access.
#[derive(Clone, Copy)]
pub struct WantedAccess {
    fh: MPI_File,
    way: Way,
    pointer: Pointer,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
}

/// What reads into a buffer.
pub fn reading(
    fh: MPI_File,
    pointer: Pointer,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
) -> WantedAccess {
    WantedAccess { fh, way: Way::Reads, pointer, buf: buf.cast_const(), count, datatype }
}

/// What writes from a buffer.
pub fn writing(
    fh: MPI_File,
    pointer: Pointer,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
) -> WantedAccess {
    WantedAccess { fh, way: Way::Writes, pointer, buf, count, datatype }
}

/// An access whose arguments are checked.
struct Checked {
    here: Here,
    part: Part,
    access: Access,
}

impl WantedAccess {
    fn check(self) -> Result<Checked> {
        let here = Here::of(self.fh)?;
        match self.way {
            Way::Reads => here.amode.check_read()?,
            Way::Writes => here.amode.check_write()?,
        }
        if matches!(self.pointer, Pointer::At(_) | Pointer::Own) {
            here.amode.check_placed()?;
        }
        let count = convert::count(self.count, "count")?;
        let datatype = convert::datatype_of(count, self.datatype, "datatype")?;
        datatype.packed_size(count as u64)?;
        let part = match self.way {
            Way::Reads => convert::room(self.buf.cast_mut(), count, datatype, "buf")?,
            Way::Writes => convert::part(self.buf, count, datatype, "buf")?,
        };
        let (view, own, shape) = convert::with_file(self.fh, "fh", |file| {
            Ok((Rc::clone(&file.view), file.position, Shape::of(&file.info)))
        })?;
        let (data, bytes) = self.data(&view, &part)?;
        if bytes % view.unit() != 0 {
            let text = format!("{bytes} bytes are no whole number of the view's etypes of {} bytes", view.unit());
            return Err(MpiError::new(ErrorClass::IO, text));
        }
        if view.is_empty() && bytes > 0 {
            let text = format!("{bytes} bytes are to be moved, and the view's filetype has no data");
            return Err(MpiError::new(ErrorClass::IO, text));
        }
        let etypes = bytes / view.unit();
        let position = match self.pointer {
            Pointer::At(offset) => Some(offset_of(offset, &view)?),
            Pointer::Own => Some(own),
            Pointer::Shared | Pointer::Ordered => None,
        };
        let writes = self.way == Way::Writes;
        Ok(Checked { here, part, access: Access { writes, position, etypes, view, data, waits: false, shape } })
    }

    /// What is moved, and how many bytes of the file that are.
    fn data(self, view: &View, part: &Part) -> Result<(Data, u64)> {
        match &view.representation {
            Representation::Native | Representation::Internal => Ok((Data::Native(part.clone()), part.size())),
            Representation::External32 => {
                Ok((Data::External32(part.clone()), part.datatype.external32_size(part.count as u64)?))
            }
            Representation::Registered(name) => {
                let converted = conversion(name, self.way)?.prepare(self.buf, self.count, self.datatype)?;
                let Some(bytes) = converted else { return Ok((Data::Native(part.clone()), part.size())) };
                let len = bytes.len() as u64;
                Ok((Data::Converted(bytes), len))
            }
        }
    }

    /// Posts the access. Where a request of another operation is given, that one will say what came of it.
    fn post(self, tells: Option<Key>) -> Result<Key> {
        self.post_as(Manner::Alone { waits: false }, tells)
    }

    /// The same, in this manner.
    fn post_as(self, manner: Manner, tells: Option<Key>) -> Result<Key> {
        let Checked { here, part, mut access } = self.check()?;
        access.waits = manner == Manner::Alone { waits: true };
        if let (Pointer::Own, Some(position)) = (self.pointer, access.position) {
            convert::with_file(self.fh, "fh", |file| {
                file.position = position + access.etypes;
                Ok(())
            })?;
        }
        let deed = match self.pointer {
            Pointer::Ordered => here.jointly(Act::Move(access))?,
            _ if manner == Manner::WithAll && with(|runtime| !runtime.files.is_explored()) => {
                here.jointly(Act::Move(access))?
            }
            _ => Deed::Move(access),
        };
        if let Some(key) = tells {
            let by = (current_rank(), smpi_watch::checks::origin_at_window());
            with(|runtime| runtime.post_to_file(by, here.id, Reply::Tells(key), deed));
            return Ok(key);
        }
        let buffer = FileBuffer { part: Some(Box::new(part)), receives: self.way == Way::Reads };
        post(self.fh, here.id, buffer, deed)
    }

    /// Waits for the access, and lets the program convert what was read.
    fn conclude(self, key: Key, status: *mut MPI_Status) -> Result<()> {
        let outcome = p2p::conclude(key, status);
        let name = convert::with_file(self.fh, "fh", |file| {
            let is_converted = matches!(file.view.representation, Representation::Registered(_));
            Ok(is_converted.then(|| file.view.representation.name().to_string()))
        })?;
        let Some(name) = name else { return outcome };
        if self.way == Way::Writes {
            // SAFETY: by MPI's contract `status` is a place.
            return outcome.and(unsafe { conversion(&name, self.way)?.count(self.datatype, status) });
        }
        let bytes = with(|runtime| runtime.files.take_read(current_rank(), key));
        outcome?;
        // SAFETY: by MPI's contract `buf` has room for the data, and `status` is a place.
        unsafe { conversion(&name, self.way)?.finish(bytes, self.buf, self.datatype, status) }
    }

    /// One rank's access, which is waited for.
    pub fn now(self, status: *mut MPI_Status) -> Result<()> {
        let key = self.post_as(Manner::Alone { waits: true }, None)?;
        self.conclude(key, status)
    }

    /// An access of all ranks, as the function of this name, which is waited for.
    pub fn with_all(self, name: Function, status: *mut MPI_Status) -> Result<()> {
        let key = self.post_with_all(name)?;
        self.conclude(key, status)
    }

    fn post_with_all(self, name: Function) -> Result<Key> {
        let here = Here::of(self.fh)?;
        check_no_split(here)?;
        let key = self.post_as(Manner::WithAll, None)?;
        let needs = if matches!(self.pointer, Pointer::Ordered) { Needs::Others } else { Needs::Nothing };
        prepare_meeting(name, here.comm(), needs)?.run(How::Blocking)?;
        Ok(key)
    }

    /// One rank's access, with a request for the program.
    pub fn later(self, request: *mut MPI_Request) -> Result<()> {
        if self.is_converted()? {
            return self.now_for_later(request);
        }
        p2p::give_request(self.post(None)?, request)
    }

    /// An access of all ranks, with a request for the program.
    pub fn with_all_later(self, name: Function, request: *mut MPI_Request) -> Result<()> {
        let here = Here::of(self.fh)?;
        check_no_split(here)?;
        self.check()?;
        let meeting = prepare_meeting(name, here.comm(), Needs::Nothing)?.into_request(Form::Immediate)?;
        p2p::launch(meeting)?;
        let is_over = with(|runtime| runtime.world.is_done(current_rank(), meeting));
        if is_over || self.is_converted()? {
            // Nobody waits for anybody.
            p2p::conclude(meeting, std::ptr::null_mut())?;
            return self.later(request);
        }
        if with(|runtime| runtime.files_may_cost()) {
            // The access is over later than the meeting, so it has a request of its own.
            with(|runtime| runtime.world.free_request(current_rank(), meeting));
            return p2p::give_request(self.post_as(Manner::WithAll, None)?, request);
        }
        p2p::give_request(self.post(Some(meeting))?, request)
    }

    fn is_converted(self) -> Result<bool> {
        let converts = |view: &View| matches!(view.representation, Representation::Registered(_));
        convert::with_file(self.fh, "fh", |file| Ok(converts(&file.view)))
    }

    /// Functions of the program convert during the call: there is nothing left to be done for the request.
    fn now_for_later(self, request: *mut MPI_Request) -> Result<()> {
        // SAFETY: a status of zeros is a valid value.
        let mut status: MPI_Status = unsafe { std::mem::zeroed() };
        self.now(&raw mut status)?;
        p2p::give_request(finished(self.fh, convert::bytes_of(&status))?, request)
    }

    /// The beginning of a split collective access, as the function of the first name; that of the second one ends it.
    /// All ranks have called it when it returns, as MPI allows (MPI 5.0 §14.4.5).
    pub fn begin(self, name: Function, ends: Function) -> Result<()> {
        let key = self.post_with_all(name)?;
        if self.is_converted()? {
            return self.begin_converted(key, ends);
        }
        remember(self.fh, Split { ends, key })
    }

    fn begin_converted(self, key: Key, ends: Function) -> Result<()> {
        // SAFETY: a status of zeros is a valid value.
        let mut status: MPI_Status = unsafe { std::mem::zeroed() };
        self.conclude(key, &raw mut status)?;
        remember(self.fh, Split { ends, key: finished(self.fh, convert::bytes_of(&status))? })
    }
}

/// A request of an access that is over, and has moved so many bytes.
fn finished(fh: MPI_File, bytes: u64) -> Result<Key> {
    let rank = current_rank();
    let request = Request::new(Body::File(FileBuffer::default()), false, fh as u64);
    let key = with(|runtime| runtime.world.new_request(rank, request))?;
    p2p::launch(key)?;
    with(|runtime| runtime.world.complete_file(&mut runtime.driver, rank, key, (bytes, None)));
    Ok(key)
}

fn remember(fh: MPI_File, split: Split) -> Result<()> {
    convert::with_file(fh, "fh", |file| {
        file.split = Some(split);
        Ok(())
    })
}

/// Refuses a collective access while a split one is under way.
fn check_no_split(here: Here) -> Result<()> {
    convert::with_file(here.handle, "fh", |file| match file.split {
        Some(split) => {
            let text = format!("a split collective access is under way: call {} first", split.ends);
            Err(MpiError::new(ErrorClass::IO, text))
        }
        None => Ok(()),
    })
}

/// The end of a split collective access, as the function of this name.
pub fn end_split(name: Function, fh: MPI_File, status: *mut MPI_Status) -> Result<()> {
    let key = convert::with_file(fh, "fh", |file| match file.split {
        Some(split) if split.ends == name => {
            file.split = None;
            Ok(split.key)
        }
        Some(split) => {
            let text = format!("the split collective access that is under way is ended by {}", split.ends);
            Err(MpiError::new(ErrorClass::IO, text))
        }
        None => Err(MpiError::new(ErrorClass::IO, "no split collective access of this file has begun")),
    })?;
    p2p::conclude(key, status)
}
