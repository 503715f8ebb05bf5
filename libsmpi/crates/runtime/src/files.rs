//! What ranks do with files. It is posted, and takes place when all ranks that were ready have blocked, in rank order:
//! so it does not depend on the order in which the host runs ranks what is in a file, even where a program leaves that
//! open.
//!
//! Each post has a request of its rank. What ranks do together ([`Act`]) waits until all of them have posted it, and is
//! then done once. What moving data costs is in `file_costs.rs`; all else costs what the collective operations do that
//! the ranks call for it.
//!
//! Where paths are explored, one order of what is not ordered is tried, which is noticed. When it is done is in
//! `file_work.rs`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use smpi_base::WorldRank;
use smpi_base::digest::{Digest, Named, Unnamed};
use smpi_base::map::Map;
use smpi_files::posix::Through;
use smpi_files::{Amode, Files, Id, Moved, Shape, Share, View};
use smpi_mpi::collective::Part;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::memory::Memory;
use smpi_mpi::p2p::request::RequestKey;
use smpi_mpi::usage::Origin;
use smpi_mpi::world::{Matter, Moment, ServerName};

pub use crate::file_uses::Aspect;
use crate::file_uses::Uses;

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
    /// The rank waits for it, and no other rank has a part in it.
    pub waits: bool,
    /// What hints say about its cost.
    pub shape: Shape,
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

/// Files, and what is to be done with them.
#[derive(Clone, Debug)]
pub struct FileSystem {
    /// The files.
    pub table: Files,
    pub(crate) posts: Vec<Post>,
    pub(crate) rounds: Map<(Id, u32), Vec<Partner>>,
    /// What waits for its turn, by the number that was asked for.
    pub(crate) waiting: BTreeMap<u32, Post>,
    /// Who decides about files.
    servers: Map<PathBuf, ServerName>,
    /// Bytes that were read for programs which convert them, by the request.
    read: Map<(WorldRank, RequestKey), Vec<u8>>,
    /// What was done with files of which it may matter what is done next.
    pub(crate) uses: Uses,
    /// What ranks have opened without MPI: descriptor and name.
    pub(crate) descriptors: Vec<(i32, PathBuf)>,
}

impl FileSystem {
    /// Files on the disk; where `is_explored`, nothing on the disk changes.
    pub fn new(is_explored: bool) -> FileSystem {
        let through = Through {
            open: smpi_process::open_file,
            remove: smpi_process::remove_file,
            name_of: smpi_process::name_of_file,
            turn: smpi_process::turn_of_files,
        };
        let table = if is_explored { Files::explored(through) } else { Files::on_disk() };
        FileSystem {
            table,
            posts: Vec::new(),
            rounds: Map::default(),
            waiting: BTreeMap::new(),
            servers: Map::default(),
            read: Map::default(),
            uses: Uses::default(),
            descriptors: Vec::new(),
        }
    }

    /// Whether the program is explored, and nothing on the disk changes.
    pub fn is_explored(&self) -> bool {
        self.table.are_explored()
    }

    /// Bytes that were read for a program which converts them.
    pub fn take_read(&mut self, rank: WorldRank, key: RequestKey) -> Vec<u8> {
        self.read.remove(&(rank, key)).unwrap_or_default()
    }

    /// Adds what may still become of files, beside what is in them.
    ///
    /// # Errors
    /// Why that has no name.
    pub fn name(&self, into: &mut Digest) -> Named {
        // By their names, so that no field is forgotten.
        let FileSystem { table, posts, rounds, waiting, servers, read, uses, descriptors: _ } = self;
        if !table.are_closed() || !posts.is_empty() || !rounds.is_empty() || !waiting.is_empty() || !read.is_empty() {
            return Err(Unnamed("files are open for MPI"));
        }
        if !uses.are_without_mpi() || !uses.reported.is_empty() {
            return Err(Unnamed("files were used by MPI, and not all ranks have heard of that"));
        }
        into.add_unordered(servers.iter().map(|server| Digest::of(&server)));
        Ok(())
    }

    /// Goes back to an earlier state.
    pub fn put_back(&mut self, state: &FileSystem) {
        self.clone_from(state);
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

    /// A file is opened by ranks of which this is the first: now it has somebody who decides about it.
    pub(crate) fn note_opened(&mut self, path: PathBuf, first: WorldRank) {
        let of_first = self.servers.values().filter(|server| server.target == first).count() as u32;
        let server = ServerName { target: first, window: of_first, matter: Matter::File };
        self.servers.entry(path).or_insert(server);
    }

    /// Who decides about a file that was opened.
    pub(crate) fn server(&self, path: &Path) -> Option<ServerName> {
        self.servers.get(path).copied()
    }

    /// Keeps something until its turn; gives its number.
    pub(crate) fn keep_waiting(&mut self, post: Post) -> u32 {
        let turn = (0..).find(|turn| !self.waiting.contains_key(turn)).unwrap_or(0);
        self.waiting.insert(turn, post);
        turn
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
        access: &Access,
        position: u64,
    ) -> Moved {
        let start = position * access.view.unit();
        match (&access.data, access.writes) {
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
                Moved { bytes: native_bytes(part, moved.bytes), ..moved }
            }
            (Data::External32(part), false) => {
                let len = part.datatype.external32_size(part.count as u64).unwrap_or(0);
                let (bytes, moved) = self.read_bytes(file, &access.view, start, len);
                part.datatype.unpack_external32(memory, rank, part.at, part.count as u64, &bytes);
                Moved { bytes: native_bytes(part, moved.bytes), ..moved }
            }
            (Data::Converted(bytes), true) => self.write_bytes(file, &access.view, start, bytes),
            (Data::Converted(room), false) => {
                let (bytes, moved) = self.read_bytes(file, &access.view, start, room.len() as u64);
                self.read.insert((rank, key), bytes);
                moved
            }
        }
    }

    /// Moves data of several accesses of one file at once, all of them in one direction, and as it is in memory.
    pub(crate) fn transfer_together(
        &mut self,
        memory: &mut dyn Memory,
        file: Id,
        accesses: &[(WorldRank, Part, Access)],
    ) -> Vec<Moved> {
        let shares = accesses.iter().map(|(_, _, access)| {
            let unit = access.view.unit();
            Share { view: &access.view, start: access.position.unwrap_or(0) * unit, len: access.etypes * unit }
        });
        let shares: Vec<Share> = shares.collect();
        let writes = accesses.first().is_some_and(|(_, _, access)| access.writes);
        let moved = self.table.moving_together(file, |together| {
            if writes {
                return together.write(&shares, &mut |index, from, bytes| {
                    let (rank, part, _) = &accesses[index];
                    let range = from..from + bytes.len() as u64;
                    part.datatype.pack_range(memory, *rank, part.at, part.count as u64, range, bytes);
                });
            }
            together.read(&shares, &mut |index, from, bytes| {
                let (rank, part, _) = &accesses[index];
                let range = from..from + bytes.len() as u64;
                part.datatype.unpack_range(memory, *rank, part.at, part.count as u64, range, bytes);
            })
        });
        let closed = || Moved { bytes: 0, error: self.table.get(file).err() };
        moved.unwrap_or_else(|| accesses.iter().map(|_| closed()).collect())
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
