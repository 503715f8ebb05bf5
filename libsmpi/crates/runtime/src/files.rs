//! What ranks do with files. It is posted, and takes place when all ranks that were ready have blocked, in rank order:
//! so it does not depend on the order in which the host runs ranks what is in a file, even where a program leaves that
//! open.
//!
//! Each post has a request of its rank. What ranks do together ([`Act`]) waits until all of them have posted it, and is
//! then done once. It takes no simulated time; the collective operations that the ranks call for it do.
//!
//! Where paths are explored, one order of what is not ordered is tried, which is noticed. When it is done is in
//! `file_work.rs`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use smpi_base::WorldRank;
use smpi_base::digest::{Named, Unnamed};
use smpi_base::map::Map;
use smpi_files::overlay::Overlay;
use smpi_files::{Amode, Files, Id, Moved, View};
use smpi_mpi::collective::Part;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::memory::Memory;
use smpi_mpi::p2p::request::RequestKey;
use smpi_mpi::usage::{Origin, Side};
use smpi_mpi::world::Moment;

/// Which data of a program is moved, and how.
#[derive(Clone, Debug)]
pub enum Data {
    /// As it is in memory.
    Native(Part),
    /// Converted to or from external32.
    External32(Part),
    /// The program converts it: what is to be written, or as many bytes as are to be read.
    Converted(Vec<u8>),
}

/// Data that is moved between memory and a file.
#[derive(Clone, Debug)]
pub struct Access {
    /// To the file.
    pub writes: bool,
    /// Where in the file, in etypes; `None` for where the shared file pointer is.
    pub position: Option<u64>,
    /// Etypes that are moved.
    pub etypes: u64,
    /// How the rank sees the file.
    pub view: Rc<View>,
    /// What is moved.
    pub data: Data,
}

/// What ranks do together.
#[derive(Clone, Debug)]
pub enum Act {
    /// `MPI_File_open`: the absolute name that this rank knows the file by.
    Open(PathBuf, Amode),
    /// `MPI_File_close`.
    Close,
    /// `MPI_File_set_size`.
    Resize(u64),
    /// `MPI_File_preallocate`.
    Allocate(u64),
    /// `MPI_File_sync`.
    Sync,
    /// `MPI_File_set_view`: the bytes of an etype, and the representation.
    View(u64, Box<str>),
    /// `MPI_File_seek_shared`.
    Seek(u64),
    /// `MPI_File_set_atomicity`.
    Atomicity(bool),
    /// An access in the order of ranks.
    Move(Access),
}

/// What is posted.
#[derive(Clone, Debug)]
pub enum Deed {
    /// An access of one rank.
    Move(Access),
    /// `MPI_File_delete`.
    Delete(PathBuf),
    /// What all ranks of a file do together: the number of it, the own rank, of how many.
    Together(u32, (u32, u32), Act),
}

/// How a request learns what came of its deed.
#[derive(Clone, Copy, Debug)]
pub enum Reply {
    /// It is over then.
    Completes(RequestKey),
    /// It is over by itself, later.
    Tells(RequestKey),
}

#[derive(Clone, Debug)]
pub(crate) struct Post {
    pub(crate) rank: WorldRank,
    pub(crate) file: Id,
    pub(crate) reply: Reply,
    pub(crate) deed: Deed,
    pub(crate) moment: Option<(Moment, Origin)>,
}

/// A rank's part in what is done together.
#[derive(Clone, Debug)]
pub(crate) struct Partner {
    pub(crate) member: u32,
    pub(crate) rank: WorldRank,
    pub(crate) reply: Reply,
    pub(crate) act: Act,
    pub(crate) moment: Option<(Moment, Origin)>,
}

/// How something is used. Two uses of one kind may have any order, unless they change it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// Bytes are read, or the end of the file, the shared pointer or a name are looked at.
    Looks,
    /// The file becomes longer, or there is a file of this name.
    Extends,
    /// Anything else.
    Changes,
}

/// Bytes that somebody has used.
#[derive(Clone, Debug)]
pub(crate) struct Used {
    /// When: it was done when all of them had come.
    pub(crate) moments: Vec<Moment>,
    /// When that was known to be over; nothing, as long as it is not.
    pub(crate) over: Vec<Moment>,
    /// The request of its rank by which that will be known.
    pub(crate) awaited: Option<RequestKey>,
    pub(crate) how: Use,
    /// Where the program did it, if that is one access.
    pub(crate) made: Option<Origin>,
    /// The file was in atomic mode then.
    pub(crate) is_atomic: bool,
    /// It is no function of MPI that does it.
    pub(crate) without_mpi: bool,
    /// It is done until the rank closes this descriptor.
    pub(crate) descriptor: Option<i32>,
    /// Begin and end of each run.
    pub(crate) runs: Vec<(u64, u64)>,
}

impl Used {
    /// A use that is no access of one rank to bytes that it has named.
    pub(crate) fn aspect(moments: Vec<Moment>, how: Use, runs: Vec<(u64, u64)>) -> Used {
        let over = moments.clone();
        let (without_mpi, descriptor) = (false, None);
        Used { over, moments, awaited: None, how, made: None, is_atomic: false, without_mpi, descriptor, runs }
    }

    fn side(&self) -> Option<Side> {
        let (rank, origin) = (self.moments.first()?.rank(), self.made?);
        Some(Side { rank, origin, away: true })
    }

    /// The first bytes that both use, and how many.
    fn common(&self, other: &Used) -> Option<(u64, u64)> {
        let of = |ours: &(u64, u64), theirs: &(u64, u64)| {
            let (from, to) = (ours.0.max(theirs.0), ours.1.min(theirs.1));
            (from < to).then_some((from, to - from))
        };
        self.runs.iter().flat_map(|ours| other.runs.iter().filter_map(move |theirs| of(ours, theirs))).min()
    }

    /// Whether it may be the other way round, as far as the order of the program goes, and that makes a difference.
    fn races_with(&self, earlier: &Used) -> bool {
        let matters =
            (self.how != earlier.how || self.how == Use::Changes) && !(self.without_mpi && earlier.without_mpi);
        let is_own = |moment: &Moment| earlier.moments.iter().any(|other| other.rank() == moment.rank());
        let is_after = |moment: &Moment| is_own(moment) || earlier.over.iter().any(|before| moment.is_after(before));
        matters && (earlier.is_open() || !self.moments.iter().any(is_after))
    }

    /// Whether it goes on, without MPI: then what is changed by MPI is not seen there.
    pub(crate) fn is_open(&self) -> bool {
        self.without_mpi && self.over.is_empty()
    }
}

/// A rank, and where in its program.
type Place = (WorldRank, Origin);

/// Two uses of the same bytes in no certain order.
pub(crate) struct Race {
    /// Who and where, if it is wrong to leave that open.
    pub(crate) sides: Option<(Side, Side)>,
    /// The first byte, and how many.
    pub(crate) bytes: (u64, u64),
    /// The earlier one goes on, without MPI.
    pub(crate) is_open: bool,
}

/// What of a file is used beside its bytes: named by bytes that no file has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aspect {
    /// Where it ends.
    End = 3,
    /// Its shared file pointer.
    Pointer = 2,
    /// Whether it is there.
    Name = 1,
}

impl Aspect {
    pub(crate) fn run(self) -> (u64, u64) {
        let byte = u64::MAX - self as u64;
        (byte, byte + 1)
    }
}

/// Files, and what is to be done with them.
#[derive(Clone, Debug)]
pub struct FileSystem {
    /// The files.
    pub table: Files,
    pub(crate) posts: Vec<Post>,
    pub(crate) rounds: Map<(Id, u32), Vec<Partner>>,
    /// Bytes that were read for programs which convert them, by the request.
    read: Map<(WorldRank, RequestKey), Vec<u8>>,
    used: Map<PathBuf, Rc<Vec<Used>>>,
    /// What ranks have opened without MPI: descriptor and name.
    pub(crate) descriptors: Vec<(i32, PathBuf)>,
    /// What a rank is about to have closed.
    pub(crate) closing: Option<PathBuf>,
    /// Races that were told, by their two places.
    pub(crate) reported: BTreeSet<(Place, Place)>,
}

impl FileSystem {
    /// Files on the disk; where `is_explored`, nothing on the disk changes.
    pub fn new(is_explored: bool) -> FileSystem {
        let table = if is_explored { Files::explored(smpi_process::hide) } else { Files::on_disk() };
        FileSystem {
            table,
            posts: Vec::new(),
            rounds: Map::default(),
            read: Map::default(),
            used: Map::default(),
            descriptors: Vec::new(),
            closing: None,
            reported: BTreeSet::new(),
        }
    }

    /// Bytes that were read for a program which converts them.
    pub fn take_read(&mut self, rank: WorldRank, key: RequestKey) -> Vec<u8> {
        self.read.remove(&(rank, key)).unwrap_or_default()
    }

    /// Compares what is done to these bytes with all that was done before of which that is not certain, as far as it
    /// makes a difference. What ranks do together is done when all have come: so what one of them knows was before,
    /// and who has heard of one of them knows that it is done.
    pub(crate) fn compare(&mut self, path: &Path, new: Used) -> Option<Race> {
        let used = Rc::make_mut(self.used.entry(path.to_path_buf()).or_default());
        let race = |earlier: &Used| {
            let bytes = Some(earlier).filter(|earlier| new.races_with(earlier))?.common(&new)?;
            let is_atomic = new.is_atomic && earlier.is_atomic;
            let sides = earlier.side().zip(new.side()).filter(|_| !is_atomic);
            Some(Race { sides, bytes, is_open: earlier.is_open() })
        };
        let found = used.iter().find_map(race);
        used.push(new);
        found
    }

    /// Whether states of the program have no names, because of files.
    ///
    /// # Errors
    /// Why not.
    pub fn have_names(&self) -> Named {
        let is_untouched = self.table.overlay().is_none_or(Overlay::is_untouched);
        if is_untouched && self.used.values().all(|used| used.iter().all(|used| used.without_mpi)) {
            return Ok(());
        }
        Err(Unnamed("files were used by MPI"))
    }

    /// Goes back to an earlier state.
    pub fn put_back(&mut self, state: &FileSystem) {
        self.clone_from(state);
        self.table.overlay().into_iter().for_each(Overlay::note_repetition);
    }

    /// Other processes explore the same program.
    pub fn note_others(&self) {
        self.table.overlay().into_iter().for_each(Overlay::note_others);
    }

    /// A rank closes what it opened without MPI; `moment` is missing where it may go on using the file. Gives whether
    /// it may have changed it.
    pub(crate) fn close_without_mpi(&mut self, name: &Path, descriptor: i32, moment: Option<&Moment>) -> bool {
        let Some(used) = self.used.get_mut(name) else { return false };
        let mut has_changed = false;
        for used in Rc::make_mut(used).iter_mut().filter(|used| used.descriptor == Some(descriptor)) {
            used.descriptor = None;
            used.over.extend(moment.cloned());
            has_changed |= used.how == Use::Changes;
        }
        has_changed
    }

    /// A rank has taken the completion of what it did with a file.
    pub(crate) fn end_uses(&mut self, key: RequestKey, moment: &Moment) {
        let is_meant = |used: &&mut Used| {
            used.awaited == Some(key) && used.moments.iter().any(|begin| begin.rank() == moment.rank())
        };
        for used in self.used.values_mut() {
            if !used.iter().any(|used| used.awaited == Some(key)) {
                continue;
            }
            for ended in Rc::make_mut(used).iter_mut().filter(is_meant) {
                (ended.over, ended.awaited) = (vec![moment.clone()], None);
            }
        }
    }

    /// The bytes of a file that an access uses.
    pub(crate) fn runs(access: &Access, position: u64) -> Vec<(u64, u64)> {
        let mut runs: Vec<(u64, u64)> = Vec::new();
        let (start, len) = (position * access.view.unit(), access.etypes * access.view.unit());
        let done: std::result::Result<(), ()> = access.view.each_run(start..start + len, &mut |at, len| {
            match runs.last_mut().filter(|last| last.1 == at) {
                Some(last) => last.1 = at + len,
                None => runs.push((at, at + len)),
            }
            Ok(())
        });
        debug_assert!(done.is_ok());
        runs
    }

    /// The one name of a file.
    pub(crate) fn path(&self, file: Id) -> PathBuf {
        self.table.get(file).map_or(PathBuf::new(), |open| open.name.to_path_buf())
    }

    /// Moves data from or to a position; gives bytes of memory.
    pub(crate) fn transfer(
        &mut self,
        memory: &mut dyn Memory,
        rank: WorldRank,
        (file, key): (Id, RequestKey),
        access: Access,
        position: u64,
    ) -> Moved {
        let start = position * access.view.unit();
        match (access.data, access.writes) {
            (Data::Native(part), true) => self.table.moving(file, &access.view, |target| {
                target.write(start, part.size(), &mut |from, bytes| {
                    let (range, count) = (from..from + bytes.len() as u64, part.count as u64);
                    part.datatype.pack_range(memory, rank, part.at, count, range, bytes);
                })
            }),
            (Data::Native(part), false) => self.table.moving(file, &access.view, |target| {
                target.read(start, part.size(), &mut |from, bytes| {
                    let (range, count) = (from..from + bytes.len() as u64, part.count as u64);
                    part.datatype.unpack_range(memory, rank, part.at, count, range, bytes);
                })
            }),
            (Data::External32(part), true) => {
                let mut bytes = Vec::new();
                let packed = part.datatype.pack_external32(memory, rank, part.at, part.count as u64, &mut bytes);
                if let Err(error) = packed {
                    return Moved { bytes: 0, error: Some(error) };
                }
                let moved = self.write_bytes(file, &access.view, start, &bytes);
                Moved { bytes: native_bytes(&part, moved.bytes), ..moved }
            }
            (Data::External32(part), false) => {
                let len = part.datatype.external32_size(part.count as u64).unwrap_or(0);
                let (bytes, moved) = self.read_bytes(file, &access.view, start, len);
                part.datatype.unpack_external32(memory, rank, part.at, part.count as u64, &bytes);
                Moved { bytes: native_bytes(&part, moved.bytes), ..moved }
            }
            (Data::Converted(bytes), true) => self.write_bytes(file, &access.view, start, &bytes),
            (Data::Converted(room), false) => {
                let (bytes, moved) = self.read_bytes(file, &access.view, start, room.len() as u64);
                self.read.insert((rank, key), bytes);
                moved
            }
        }
    }

    fn write_bytes(&mut self, file: Id, view: &View, start: u64, bytes: &[u8]) -> Moved {
        self.table.moving(file, view, |target| {
            target.write(start, bytes.len() as u64, &mut |from, stage| {
                stage.copy_from_slice(&bytes[from as usize..from as usize + stage.len()]);
            })
        })
    }

    fn read_bytes(&mut self, file: Id, view: &View, start: u64, len: u64) -> (Vec<u8>, Moved) {
        let mut bytes = Vec::new();
        let moved = self
            .table
            .moving(file, view, |target| target.read(start, len, &mut |_, stage| bytes.extend_from_slice(stage)));
        (bytes, moved)
    }

    /// Does once what all ranks of a file have asked for.
    pub(crate) fn act(&mut self, file: Id, partners: &[Partner]) -> Result<()> {
        let Some(first) = partners.first() else { return Ok(()) };
        let differs = |name: &str| {
            let text = format!("the ranks give different values of {name}: give all of them the same one");
            Err(MpiError::new(ErrorClass::NOT_SAME, text))
        };
        let all = |is_same: &dyn Fn(&Act) -> bool| partners.iter().all(|partner| is_same(&partner.act));
        match &first.act {
            Act::Open(_, amode) if !all(&|act| matches!(act, Act::Open(_, other) if other == amode)) => {
                differs("amode")
            }
            Act::Open(path, amode) => self.table.open(file, path.clone(), *amode),
            Act::Close => self.table.close(file),
            Act::Resize(size) | Act::Allocate(size)
                if !all(&|act| matches!(act, Act::Resize(other) | Act::Allocate(other) if other == size)) =>
            {
                differs("size")
            }
            Act::Resize(size) => self.table.resize(file, *size),
            Act::Allocate(size) => self.table.allocate(file, *size),
            Act::Sync => self.table.sync(file),
            Act::View(unit, name)
                if !all(&|act| matches!(act, Act::View(other, another) if (other, another) == (unit, name))) =>
            {
                differs("etype (its extent in the file) or datarep")
            }
            Act::View(..) => self.table.get_mut(file).map(|open| open.shared = 0),
            Act::Seek(place) if !all(&|act| matches!(act, Act::Seek(other) if other == place)) => differs("offset"),
            Act::Seek(place) => self.table.get_mut(file).map(|open| open.shared = *place),
            Act::Atomicity(flag) if !all(&|act| matches!(act, Act::Atomicity(other) if other == flag)) => {
                differs("flag")
            }
            Act::Atomicity(flag) => self.table.get_mut(file).map(|open| open.is_atomic = *flag),
            Act::Move(_) => Ok(()),
        }
    }
}

/// The bytes of memory that are moved with so many bytes of external32.
fn native_bytes(part: &Part, bytes: u64) -> u64 {
    if bytes == 0 { 0 } else { part.datatype.bytes_from_external32(bytes) }
}
