//! The objects behind one rank's C handles.
//!
//! They live here and not in the MPI layer because they carry C function pointers and raw handles. Every rank has its
//! own tables, so the handles that a rank sees depend only on what that rank did.

pub mod handles;
mod naming;
mod sites;
mod user_errors;

use std::cell::Cell;
use std::ffi::c_int;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use smpi_abi::Function;
use smpi_base::WorldRank;
use smpi_base::ordered::OrderedMap;
use smpi_base::table::{Key, Table};
use smpi_files::{Amode, Id, View};
use smpi_mailbox::{CommId, Context};
use smpi_mpi::comm::{CommCore, SELF_CONTEXT, TrafficKind};
use smpi_mpi::datatype::Datatype;
use smpi_mpi::group::Group;
use smpi_mpi::info::Info;
use smpi_mpi::p2p::request::RequestKey;
use smpi_mpi::rma::WindowId;
use smpi_mpi::topology::Topology;

use crate::tool::Tool;
use crate::tool::control::Chosen;

pub use naming::Counted;
pub use sites::Sites;
pub use user_errors::UserErrors;

/// A communicator as its rank sees it.
#[derive(Clone, Debug)]
pub struct Comm {
    /// Contexts, groups and rank.
    pub core: CommCore,
    /// Collective operations started on it: the tag of the next one.
    pub collectives: u32,
    /// Communicators made from it so far.
    pub children: u32,
    /// What happens on an error.
    pub errhandler: Errhandler,
    /// `MPI_Comm_set_name`.
    pub name: String,
    /// Cached attributes.
    pub attributes: Attributes,
    /// `MPI_Comm_set_info`.
    pub info: Info,
    /// The process topology.
    pub topology: Option<Arc<Topology>>,
    /// It belongs to a window, and the program does not know of it.
    pub is_hidden: bool,
    /// Its ranks found out by messages who shares a host, where that is asked for.
    pub knows_neighbours: bool,
    /// The session that it comes from, by [`Session::number`].
    pub session: Option<Context>,
    /// Algorithms that a tool has chosen for its collective operations.
    pub chosen: Chosen,
}

impl Comm {
    /// A communicator without name, attributes and history.
    pub fn new(core: CommCore, errhandler: Errhandler) -> Comm {
        Comm {
            core,
            collectives: 0,
            children: 0,
            errhandler,
            name: String::new(),
            attributes: Attributes::default(),
            info: Info::default(),
            topology: None,
            is_hidden: false,
            knows_neighbours: false,
            session: None,
            chosen: Chosen::new(),
        }
    }

    /// The tag for the next collective operation.
    pub fn next_collective(&mut self) -> i32 {
        let tag = self.collectives & i32::MAX as u32;
        self.collectives = self.collectives.wrapping_add(1);
        tag as i32
    }

    /// The number of the next communicator made from this one.
    pub fn next_child(&mut self) -> u32 {
        let number = self.children;
        self.children = self.children.wrapping_add(1);
        number
    }
}

/// What happens when a call on an object fails (MPI 5.0 §9.3).
#[derive(Clone, Debug, Default)]
pub enum Errhandler {
    /// `MPI_ERRORS_ARE_FATAL`: ends the run.
    #[default]
    Fatal,
    /// `MPI_ERRORS_ABORT`: ends the run as well (one process group).
    Abort,
    /// `MPI_ERRORS_RETURN`.
    Return,
    /// The program's function.
    User(Rc<UserErrhandler>),
}

/// The error handler of files: other than that of communicators, it returns at first (MPI 5.0 §14.7).
#[derive(Clone, Debug)]
pub struct FileErrhandler(pub Errhandler);

impl Default for FileErrhandler {
    fn default() -> FileErrhandler {
        FileErrhandler(Errhandler::Return)
    }
}

/// A program's error handler, known by its allocation. It never changes, because copies of a rank's objects share it.
#[derive(Debug)]
pub struct UserErrhandler {
    /// Address of the C function; its first argument points to a handle of the kind it was created for.
    pub function: usize,
}

/// An error handler that the program has a handle of.
#[derive(Clone, Debug)]
pub struct HeldErrhandler {
    /// The error handler.
    pub handler: Rc<UserErrhandler>,
    /// Times that the program got the handle and did not free it; at least one.
    pub references: u32,
}

/// A datatype and what the rank did with it.
#[derive(Clone, Hash, Debug)]
pub struct TypeEntry {
    /// The type.
    pub datatype: Datatype,
    /// `MPI_Type_commit` was called.
    pub committed: bool,
    /// `MPI_Type_set_name`.
    pub name: String,
    /// Cached attributes.
    pub attributes: Attributes,
}

impl TypeEntry {
    /// The entry of a predefined type: always committed.
    pub fn predefined(datatype: Datatype) -> TypeEntry {
        let name = datatype.as_basic().map_or("", |basic| basic.name()).to_string();
        TypeEntry { datatype, committed: true, name, attributes: Attributes::default() }
    }
}

/// A reduction operation of the program.
#[derive(Clone, Copy, Hash, Debug)]
pub struct UserOp {
    /// Address of the C function.
    pub function: usize,
    /// Made by `MPI_Op_create_c`: its length argument is an `MPI_Count`.
    pub large_count: bool,
    /// As the program said.
    pub commutative: bool,
}

/// What a keyval is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum KeyvalKind {
    /// Communicators.
    Comm,
    /// Datatypes.
    Datatype,
    /// Windows.
    Win,
}

/// A key for cached attributes.
#[derive(Debug)]
pub struct Keyval {
    /// What it may be attached to.
    pub kind: KeyvalKind,
    /// Address of the copy function; 0 or 1 are the predefined ones that copy nothing or the value.
    pub copy: usize,
    /// Address of the delete function; 0 for none.
    pub delete: usize,
    /// Passed to both.
    pub extra_state: usize,
    /// How both are called.
    pub language: Language,
}

/// How the functions of a program are called.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Language {
    /// C.
    C,
    /// Fortran, with attributes that are address-sized integers.
    Fortran,
    /// Fortran, with attributes of type INTEGER, as in MPI-1.
    OldFortran,
}

/// The value of an attribute, which C and Fortran see differently (MPI 5.0 §19.3.7).
#[derive(Clone, Debug)]
pub enum AttributeValue {
    /// Set by C: an address. Fortran sees its number.
    Address(usize),
    /// Set by Fortran: a number. C sees the address of a variable that holds it.
    Number(Rc<Cell<isize>>),
}

/// Both views of it: a number has an address, too, which the program may have.
impl Hash for AttributeValue {
    fn hash<H: Hasher>(&self, into: &mut H) {
        (self.for_c(), self.for_fortran()).hash(into);
    }
}

impl AttributeValue {
    /// A number that Fortran sets.
    pub fn number(value: isize) -> AttributeValue {
        AttributeValue::Number(Rc::new(Cell::new(value)))
    }

    /// What C gets.
    pub fn for_c(&self) -> usize {
        match self {
            AttributeValue::Address(address) => *address,
            AttributeValue::Number(place) => place.as_ptr().expose_provenance(),
        }
    }

    /// What Fortran gets.
    pub fn for_fortran(&self) -> isize {
        match self {
            AttributeValue::Address(address) => *address as isize,
            AttributeValue::Number(place) => place.get(),
        }
    }

    /// The same value of another object.
    pub fn copied(&self) -> AttributeValue {
        match self {
            AttributeValue::Address(address) => AttributeValue::Address(*address),
            AttributeValue::Number(place) => AttributeValue::number(place.get()),
        }
    }
}

/// Attributes of one object by the program's key, in the order in which they were set.
pub type Attributes = OrderedMap<i32, Attribute>;

/// One cached attribute.
#[derive(Clone, Hash, Debug)]
pub struct Attribute {
    /// The key's functions; kept alive until the attribute is gone, even when the key was freed.
    pub key: Rc<Keyval>,
    /// The value.
    pub value: AttributeValue,
}

/// A window as its rank sees it.
#[derive(Clone, Debug)]
pub struct Win {
    /// Names it in the world.
    pub id: WindowId,
    /// Handle of its own communicator, which the program never sees.
    pub comm: u64,
    /// The own rank in it.
    pub rank: u32,
    /// What happens on an error.
    pub errhandler: Errhandler,
    /// `MPI_Win_set_name`.
    pub name: String,
    /// Cached attributes.
    pub attributes: Attributes,
    /// What the program has said and is told about it.
    pub info: Info,
    /// Values of the attributes that MPI attaches: the program gets their addresses, or the address itself (base).
    pub predefined: Rc<WinAttributes>,
    /// The receives by which it waits for the ranks of `MPI_Win_post`: the address of their keys, in the rank's own
    /// heap, and how many they are.
    pub exposed: Option<(usize, usize)>,
}

/// A file as its rank sees it.
#[derive(Clone, Debug)]
pub struct File {
    /// Names it in the run.
    pub id: Id,
    /// Handle of its own communicator, which the program never sees.
    pub comm: u64,
    /// The own rank in it, and how many ranks it has.
    pub rank: u32,
    /// See above.
    pub size: u32,
    /// What it was opened for.
    pub amode: Amode,
    /// Which of its bytes the rank sees.
    pub view: Rc<View>,
    /// How it will, once all ranks have agreed.
    pub next_view: Option<Rc<View>>,
    /// Where the individual file pointer is, in etypes.
    pub position: u64,
    /// What was done with it by all ranks together so far.
    pub rounds: u32,
    /// What happens on an error.
    pub errhandler: Errhandler,
    /// The hints that it has.
    pub info: Info,
    /// A collective access that has begun and not ended: which function ends it, and what that will say.
    pub split: Option<Split>,
}

/// A split collective access that is under way.
#[derive(Clone, Copy, Debug)]
pub struct Split {
    /// The function that ends it.
    pub ends: Function,
    /// The request of the access.
    pub key: RequestKey,
}

/// A data representation of the program (MPI 5.0 §14.5.3).
#[derive(Clone, Hash, Debug)]
pub struct UserRepresentation {
    /// Its name.
    pub name: Box<str>,
    /// Addresses of the functions that read and write; 0 where nothing is to be converted.
    pub read: usize,
    /// See above.
    pub write: usize,
    /// Their counts are `MPI_Count`.
    pub large_count: bool,
    /// Address of the function that says how long a type is in the file.
    pub extent: usize,
    /// Passed to all of them.
    pub extra_state: usize,
    /// How they are called.
    pub language: Language,
}

/// Values of the attributes that MPI attaches to a window (MPI 5.0 §12.2.6).
#[derive(Debug, Default)]
pub struct WinAttributes {
    /// `MPI_WIN_BASE`
    pub base: usize,
    /// `MPI_WIN_SIZE`
    pub size: isize,
    /// `MPI_WIN_DISP_UNIT`
    pub unit: c_int,
    /// `MPI_WIN_CREATE_FLAVOR`
    pub flavor: c_int,
    /// `MPI_WIN_MODEL`
    pub model: c_int,
}

/// A session of one rank (MPI 5.0 §11.3).
#[derive(Clone, Hash, Debug)]
pub struct Session {
    /// What happens on an error.
    pub errhandler: Errhandler,
    /// What `MPI_Session_get_info` tells.
    pub info: Info,
}

impl Session {
    /// Names the session in a slot where others have contexts of communicators: none of them is as large.
    pub fn number(slot: u32) -> Context {
        Context::MAX - slot
    }
}

/// The callbacks of a generalized request.
#[derive(Clone, Copy, Hash, Debug)]
pub struct Callbacks {
    /// Addresses of the functions; 0 for none.
    pub query: usize,
    /// See above.
    pub free: usize,
    /// See above.
    pub cancel: usize,
    /// Passed to all of them.
    pub extra_state: usize,
    /// How they are called.
    pub language: Language,
}

/// A message that a matched probe took.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// The communication.
    pub comm: CommId,
    /// Handle of the communicator it came on.
    pub comm_handle: u64,
}

/// All objects of one rank.
#[derive(Clone, Debug, Default)]
pub struct RankObjects {
    /// `MPI_COMM_WORLD`, from `MPI_Init` on.
    pub world: Option<Comm>,
    /// `MPI_COMM_SELF`, from `MPI_Init` on.
    pub self_comm: Option<Comm>,
    /// Other communicators.
    pub comms: Table<Comm>,
    /// The one among them with those that spawned the rank.
    pub parent: Option<Key>,
    /// Groups.
    pub groups: Table<Group>,
    /// Derived datatypes.
    pub types: Table<TypeEntry>,
    /// Names and attributes that the program gave to predefined datatypes, by handle value.
    pub predefined_types: Vec<(u32, TypeEntry)>,
    /// Reduction operations.
    pub ops: Table<UserOp>,
    /// Info objects.
    pub infos: Table<Info>,
    /// Error handlers that the program has handles of.
    pub errhandlers: Table<HeldErrhandler>,
    /// The error handler of `MPI_FILE_NULL`, which every file has at first.
    pub file_errhandler: FileErrhandler,
    /// Windows.
    pub wins: Table<Win>,
    /// Sessions.
    pub sessions: Table<Session>,
    /// There was a session.
    pub had_sessions: bool,
    /// The slots of groups that come from sessions, with the sessions' numbers.
    pub groups_of_sessions: Vec<(u32, Context)>,
    /// Files.
    pub files: Table<File>,
    /// Data representations that the program has registered.
    pub representations: Vec<Rc<UserRepresentation>>,
    /// Matched messages.
    pub messages: Table<Message>,
    /// Callbacks of generalized requests.
    pub grequests: Table<Callbacks>,
    /// Keys for attributes; the program knows their numbers.
    pub keyvals: Table<Rc<Keyval>>,
    /// Error classes, codes and texts that the program added.
    pub user_errors: UserErrors,
    /// Where the program made them.
    pub sites: Sites,
    /// What its tool has, from the first time on that it was initialised.
    pub tool: Option<Box<Tool>>,
    /// Values of the attributes that MPI attaches, from `MPI_TAG_UB` on: the program gets their addresses.
    pub predefined_attributes: Box<[c_int; 7]>,
}

impl RankObjects {
    /// All communicators; those that the standard has are without a key.
    pub fn all_comms(&self) -> impl Iterator<Item = (Option<Key>, &Comm)> {
        let own = self.comms.iter().map(|(key, comm)| (Some(key), comm));
        self.world.iter().chain(&self.self_comm).map(|comm| (None, comm)).chain(own)
    }

    /// The one with this context for messages.
    pub fn comm_of(&self, context: Context) -> Option<(Option<Key>, &Comm)> {
        self.all_comms().find(|(_, comm)| comm.core.context_of(TrafficKind::PointToPoint) == context)
    }

    /// The session that the group in a slot comes from.
    pub fn session_of_group(&self, slot: u32) -> Option<Context> {
        self.groups_of_sessions.iter().find(|entry| entry.0 == slot).map(|entry| entry.1)
    }

    /// Notes it, or that it comes from none.
    pub fn note_group(&mut self, slot: u32, session: Option<Context>) {
        self.groups_of_sessions.retain(|entry| entry.0 != slot);
        self.groups_of_sessions.extend(session.map(|session| (slot, session)));
    }

    /// Makes these the objects of another moment. The values that the program has addresses of stay where they are.
    pub fn restore(&mut self, earlier: &RankObjects) {
        let kept = std::mem::take(&mut self.predefined_attributes);
        *self = earlier.clone();
        self.predefined_attributes = kept;
    }

    /// The handle of an error handler, if the program has one. Looks at all of them.
    pub fn key_of_errhandler(&self, handler: &Rc<UserErrhandler>) -> Option<Key> {
        let found = self.errhandlers.iter().find(|(_, held)| Rc::ptr_eq(&held.handler, handler));
        found.map(|(key, _)| key)
    }

    /// Makes the predefined communicators of `rank`; `MPI_COMM_WORLD` has this context and these members.
    pub fn init(&mut self, rank: WorldRank, (context, group): (Context, Group), errhandler: Errhandler) {
        let place = group.rank_of(rank).unwrap_or(0);
        let world = CommCore { context, group, remote: None, rank: place };
        let own = CommCore { context: SELF_CONTEXT, group: Group::range(rank.0, 1), remote: None, rank: 0 };
        let mut world = Comm::new(world, errhandler.clone());
        world.name = "MPI_COMM_WORLD".into();
        let mut own = Comm::new(own, errhandler);
        own.name = "MPI_COMM_SELF".into();
        (self.world, self.self_comm) = (Some(world), Some(own));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smpi_mpi::comm::WORLD_CONTEXT;

    /// A verification puts objects back while the program keeps the addresses that `MPI_Comm_get_attr` gave it.
    #[test]
    fn what_the_program_has_addresses_of_stays_when_objects_are_restored() {
        let mut objects = RankObjects::default();
        objects.init(WorldRank(1), (WORLD_CONTEXT, Group::range(0, 3)), Errhandler::Return);
        objects.predefined_attributes[0] = 5;
        let earlier = objects.clone();
        let place = objects.predefined_attributes.as_ptr();
        let key = objects.infos.insert(Info::new()).unwrap();
        objects.world.as_mut().unwrap().name = "renamed".into();
        objects.predefined_attributes[0] = 6;
        objects.restore(&earlier);
        assert_eq!(objects.predefined_attributes.as_ptr(), place);
        assert!(objects.infos.get(key).is_none());
        assert_eq!(objects.world.as_ref().unwrap().name, "MPI_COMM_WORLD");
    }

    #[test]
    fn predefined_communicators_have_the_world_and_the_rank() {
        let mut objects = RankObjects::default();
        objects.init(WorldRank(2), (WORLD_CONTEXT, Group::range(0, 3)), Errhandler::Fatal);
        let (world, own) = (objects.world.unwrap().core, objects.self_comm.unwrap().core);
        assert_eq!((world.rank, world.group.size()), (2, 3));
        assert_eq!((own.rank, own.group.worlds().collect::<Vec<_>>()), (0, vec![WorldRank(2)]));
        assert_ne!(world.context, own.context);
    }

    /// Tags of messages are never negative, however many collective operations a program calls.
    #[test]
    fn tags_of_collective_operations_start_again() {
        let core = CommCore { context: WORLD_CONTEXT, group: Group::range(0, 1), remote: None, rank: 0 };
        let mut comm = Comm::new(core, Errhandler::Fatal);
        for start in [i32::MAX as u32, u32::MAX] {
            comm.collectives = start;
            assert_eq!((comm.next_collective(), comm.next_collective()), (i32::MAX, 0));
        }
    }

    #[test]
    fn a_number_that_fortran_sets_is_copied_and_not_shared() {
        let value = AttributeValue::number(-7);
        let copy = value.copied();
        let AttributeValue::Number(place) = &value else { panic!("{value:?}") };
        place.set(8);
        assert_eq!((value.for_fortran(), copy.for_fortran()), (8, -7));
        assert_eq!(value.for_c(), place.as_ptr().addr());
        assert_ne!(value.for_c(), copy.for_c());
    }
}
