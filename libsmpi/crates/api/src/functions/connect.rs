//! Ports, and connections between ranks that have no communicator in common (MPI 5.0 §11.9, §11.10.4).
//!
//! The root of `MPI_Comm_connect` sends a message to the rank that opened the port, and the root of `MPI_Comm_accept`
//! receives it from whoever it is; it answers. Both leave their groups in the tables of
//! [`smpi_mpi::agreements::Agreements`] before they send. Then the ranks of each side are told by theirs.

use std::ffi::{c_char, c_int};

use smpi_abi::Function;
use smpi_base::WorldRank;
use smpi_base::table::Key;
use smpi_mpi::agreements::{Greeting, GroupBirth, Offer};
use smpi_mpi::collective::Part;
use smpi_mpi::comm::CommCore;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::group::Group;
use smpi_mpi::p2p::protocol::Mode;
use smpi_mpi::p2p::request::{Body, Recv, Request, Send};
use smpi_mpi::ports::{NameCall, PORTS, Port};
use smpi_mpi::world::Chooser;

use super::collective::Needs;
use super::comm_create::{Creation, disagreement};
use super::p2p;
use super::spawn::is_root;
use crate::abi::constants::*;
use crate::abi::types::*;
use crate::convert;
use smpi_runtime::{blocking, current_rank, with};

/// Why an exploration is not complete.
const CLOSED: &str = "a rank asks for a connection at a port that another one closes, which may come first";
/// The same.
const JOINED: &str = "MPI_Comm_join is called, whose sockets are not explored";

/// `MPI_Open_port`.
///
/// # Safety
/// `port_name` must have `MPI_MAX_PORT_NAME` bytes.
pub unsafe fn open_port(info: MPI_Info, port_name: *mut c_char) -> Result<()> {
    convert::info(info, "info")?;
    let name = with(|runtime| runtime.world.state.ports.open(current_rank())).name();
    // SAFETY: by MPI's contract there is room.
    unsafe { convert::put_string(&name, port_name, MPI_MAX_PORT_NAME as usize) };
    Ok(())
}

/// `MPI_Close_port`.
///
/// # Safety
/// `port_name` must be a string.
pub unsafe fn close_port(port_name: *const c_char) -> Result<()> {
    // SAFETY: by MPI's contract `port_name` is a string.
    let name = unsafe { convert::string(port_name, "port_name") }?;
    with(|runtime| runtime.world.state.ports.close(current_rank(), &name))
}

/// One side of a connection that is made now: the other root, and the numbers of the port's messages.
#[derive(Clone, Copy)]
struct Meeting {
    other: WorldRank,
    /// From this root to the other one.
    tag: i32,
    /// The other way.
    back: i32,
}

impl Meeting {
    /// Leaves the own group for the other side, and asks for the context of the new communicator.
    fn greet(self, own: &Group) -> u32 {
        with(|runtime| {
            let agreements = &mut runtime.world.state.agreements;
            let (context, _) = agreements.context_for_group(self.birth(), 2, own);
            agreements.greet(self.greeting(), own.clone());
            context
        })
    }

    /// Takes back what was left for the other side, which does not accept.
    fn give_up(self) {
        with(|runtime| runtime.world.state.agreements.take_back(&self.birth(), self.greeting()));
    }

    fn birth(self) -> GroupBirth {
        let me = current_rank();
        let members = Group::list(vec![me.0.min(self.other.0), me.0.max(self.other.0)]);
        let call = Function::Comm_connect;
        let tag = self.tag.min(self.back);
        GroupBirth { call, parent: PORTS, tag, text: String::new(), members, others: None }
    }

    fn greeting(self) -> Greeting {
        Greeting { peer: PORTS, tag: self.tag, from: current_rank(), to: self.other }
    }

    /// What the other side has left.
    fn greeted(self) -> Result<Group> {
        let greeting = Greeting { peer: PORTS, tag: self.back, from: self.other, to: current_rank() };
        with(|runtime| runtime.world.state.agreements.greeted(greeting)).ok_or_else(disagreement)
    }

    /// Starts to send the message to the other root.
    fn send(self) -> Result<Key> {
        started(Body::Send(Send {
            part: Part::nothing(),
            to: Some(self.other),
            context: PORTS,
            source: current_rank().0,
            dest: self.other.0 as i32,
            tag: self.tag,
            mode: Mode::Standard,
            caller: 0,
        }))
    }

    /// Starts to receive the message of the other root.
    fn receive(self) -> Result<Key> {
        receive(Some(self.other), self.back)
    }
}

/// Starts to receive a message of a port, from anybody or from this rank.
fn receive(from: Option<WorldRank>, tag: i32) -> Result<Key> {
    let source = from.map_or(MPI_ANY_SOURCE, |from| from.0 as i32);
    started(Body::Recv(Recv { part: Part::nothing(), source, from, tag, context: PORTS, caller: 0 }))
}

/// Who has sent the message that this request receives.
fn sender_of(request: Key) -> Result<WorldRank> {
    let completion = crate::completion::complete(request).ok_or_else(disagreement)?;
    completion.error.map_or(Ok(WorldRank(completion.status.source as u32)), Err)
}

fn started(body: Body) -> Result<Key> {
    let request = Request::new(body, false, 0);
    let key = with(|runtime| runtime.world.new_request(current_rank(), request))?;
    p2p::launch(key)?;
    Ok(key)
}

/// The root's part of `MPI_Comm_accept`: what it tells its own side.
fn accept_one(name: &str, own: MPI_Comm) -> Result<Offer> {
    let port = with(|runtime| runtime.world.state.ports.own(current_rank(), name))?;
    let request = receive(None, port.request_tag())?;
    let other = sender_of(request)?;
    let meeting = Meeting { other, tag: port.answer_tag(), back: port.request_tag() };
    let context = meeting.greet(&convert::intracomm(own, "comm")?.group);
    p2p::conclude(meeting.send()?, std::ptr::null_mut())?;
    Ok(Offer::new(meeting.greeted()?, context))
}

/// The port that a rank wants to be connected to.
fn port_to_connect(name: &str) -> Result<Port> {
    with(|runtime| {
        if runtime.driver.explores() && runtime.world.state.ports.is_closed(name) {
            runtime.world.observers.unexplored = Some(CLOSED);
        }
        let port = runtime.world.state.ports.find(name)?;
        if port.owner == current_rank() {
            let text = format!("\"{name}\", which the calling rank has opened itself");
            return Err(MpiError::parameter(ErrorClass::PORT, "port_name", text, "a port of another rank"));
        }
        Ok(port)
    })
}

/// The root's part of `MPI_Comm_connect`.
fn connect_one(name: &str, own: MPI_Comm) -> Result<Offer> {
    let port = port_to_connect(name)?;
    let meeting = Meeting { other: port.owner, tag: port.request_tag(), back: port.answer_tag() };
    let context = meeting.greet(&convert::intracomm(own, "comm")?.group);
    meet(meeting, context).inspect_err(|_| meeting.give_up())
}

/// Tells the other root and hears of it.
fn meet(meeting: Meeting, context: u32) -> Result<Offer> {
    let (request, answer) = (meeting.send()?, meeting.receive()?);
    p2p::conclude(request, std::ptr::null_mut())?;
    p2p::conclude(answer, std::ptr::null_mut())?;
    Ok(Offer::new(meeting.greeted()?, context))
}

/// The common part: the root does `exchange` with the port's name, and all of its side get what it brings.
///
/// # Safety
/// At the root, `port_name` must be a string.
pub unsafe fn connected(
    name: Function,
    port_name: *const c_char,
    info: MPI_Info,
    root: c_int,
    comm: MPI_Comm,
) -> Result<MPI_Comm> {
    convert::info(info, "info")?;
    let exchange = if name == Function::Comm_accept { accept_one } else { connect_one };
    let (root, is_here) = is_root(&convert::intracomm(comm, "comm")?, root)?;
    let offer = is_here.then(|| {
        // SAFETY: by MPI's contract a string at the root.
        let port = unsafe { port_name_of(port_name) };
        let outcome = port.and_then(|port| exchange(port, comm));
        outcome.unwrap_or_else(|error| Offer {
            group: Group::range(0, 0),
            value: error.class.0 as u32,
            more: 0,
            failure: Some(error.text(name).into()),
        })
    });
    let call = Creation::begin(comm)?;
    if let Some(offer) = offer {
        call.tell_own(offer)?;
    }
    call.synchronise(name, Needs::Of(root))?;
    let Offer { group, value, failure, .. } = call.offered()?;
    if let Some(why) = failure {
        return Err(MpiError::new(ErrorClass(value as i32), &*why));
    }
    call.store(CommCore { context: value, remote: Some(group), ..call.parent_core()? })
}

/// A port's name in the program's own memory, where it needs no dropping while the rank waits.
///
/// # Safety
/// By MPI's contract `name` is a string that stays until the call returns.
unsafe fn port_name_of<'a>(name: *const c_char) -> Result<&'a str> {
    if name.is_null() {
        return Err(convert::null("port_name"));
    }
    // SAFETY: not null, so it is a string.
    let bytes = unsafe { std::ffi::CStr::from_ptr(name) };
    bytes.to_str().map_err(|_| {
        MpiError::parameter(ErrorClass::PORT, "port_name", "not a text", "the name of a port, from MPI_Open_port")
    })
}

/// Does something with a name, in the order of ranks: with those of other ranks at the same instant.
///
/// # Safety
/// `service` must be a string.
unsafe fn call_name(info: MPI_Info, service: *const c_char, call: NameCall) -> Result<String> {
    convert::info(info, "info")?;
    // SAFETY: by MPI's contract `service_name` is a string.
    let service = unsafe { convert::string(service, "service_name") }?;
    blocking::call_name(service, call)
}

/// `MPI_Publish_name`.
///
/// # Safety
/// Both must be strings.
pub unsafe fn publish_name(service_name: *const c_char, info: MPI_Info, port_name: *const c_char) -> Result<()> {
    // SAFETY: the caller's arguments.
    unsafe {
        let port = convert::string(port_name, "port_name")?;
        call_name(info, service_name, NameCall::Publish(port)).map(drop)
    }
}

/// `MPI_Unpublish_name`.
///
/// # Safety
/// Both must be strings.
pub unsafe fn unpublish_name(service_name: *const c_char, info: MPI_Info, port_name: *const c_char) -> Result<()> {
    // SAFETY: the caller's arguments.
    unsafe {
        convert::string(port_name, "port_name")?;
        call_name(info, service_name, NameCall::Unpublish).map(drop)
    }
}

/// `MPI_Lookup_name`.
///
/// # Safety
/// `service_name` must be a string, and `port_name` have `MPI_MAX_PORT_NAME` bytes.
pub unsafe fn lookup_name(service_name: *const c_char, info: MPI_Info, port_name: *mut c_char) -> Result<()> {
    // SAFETY: the caller's arguments.
    unsafe {
        let port = call_name(info, service_name, NameCall::LookUp)?;
        convert::put_string(&port, port_name, MPI_MAX_PORT_NAME as usize);
    }
    Ok(())
}

/// `MPI_Comm_join`: both ends of the socket have to be ranks of this run.
pub fn comm_join(fd: c_int) -> Result<MPI_Comm> {
    let ends = crate::sockets::ends(fd)?;
    let me = current_rank();
    let other = with(|runtime| {
        if runtime.driver.explores() {
            runtime.world.observers.unexplored = Some(JOINED);
        }
        runtime.world.state.ports.join(ends, me)
    });
    // Whoever comes second knows who was first, and tells; both then do the same.
    let other = match other {
        Some(first) => {
            let tell = Meeting { other: first, tag: crate::sockets::FIRST_TAG, back: 0 };
            p2p::conclude(tell.send()?, std::ptr::null_mut())?;
            first
        }
        None => sender_of(receive(None, crate::sockets::FIRST_TAG)?)?,
    };
    let meeting = Meeting { other, tag: crate::sockets::JOIN_TAG, back: crate::sockets::JOIN_TAG };
    let context = meeting.greet(&Group::range(me.0, 1));
    let Offer { group, value, .. } = meet(meeting, context)?;
    let core = CommCore { context: value, group: Group::range(me.0, 1), remote: Some(group), rank: 0 };
    super::comm_create::store_like_self(core)
}
