//! What may still become of a rank's objects, as a name ([`smpi_mpi::world::World::name`] says what names are).
//!
//! Numbers of collective operations and of communicators made from one only grow. They are counted from the rank that
//! is behind all others ([`Counted`]). Those on `MPI_COMM_SELF` concern nobody else, and are left out.

use std::hash::{Hash, Hasher};

use smpi_base::digest::{Digest, Named, Unnamed};
use smpi_mpi::world::{Tags, World};

use super::{Comm, Errhandler, HeldErrhandler, Keyval, Message, RankObjects};

/// From which numbers on operations on communicators, and communicators made from them, are counted.
#[derive(Default, Debug)]
pub struct Counted {
    /// Collective operations.
    pub collectives: Tags,
    children: Tags,
}

impl RankObjects {
    /// The keys of removed objects are forgotten ([`smpi_base::table::Table::forget_keys`]). There must be none yet.
    pub fn forget_keys(&mut self) {
        self.comms.forget_keys();
        self.groups.forget_keys();
        self.types.forget_keys();
        self.ops.forget_keys();
        self.infos.forget_keys();
        self.errhandlers.forget_keys();
        self.wins.forget_keys();
        self.sessions.forget_keys();
        self.files.forget_keys();
        self.messages.forget_keys();
        self.grequests.forget_keys();
        self.keyvals.forget_keys();
        if let Some(tool) = &mut self.tool {
            tool.forget_keys();
        }
    }

    fn shared_comms(&self) -> impl Iterator<Item = &Comm> {
        self.world.iter().chain(self.comms.iter().map(|(_, comm)| comm))
    }

    /// Takes part in what others' numbers are counted from.
    pub fn count(&self, counted: &mut Counted) {
        for comm in self.shared_comms() {
            counted.collectives.note(comm.core.context, comm.collectives);
            counted.children.note(comm.core.context, comm.children);
        }
    }

    /// Adds how far the rank is before the others, and what its objects have to do with the world.
    pub fn name_among(&self, world: &World, counted: &Counted, into: &mut Digest) -> Named {
        for comm in self.shared_comms() {
            let context = comm.core.context;
            into.add((counted.collectives.relative(context, comm.collectives), context));
            into.add(counted.children.relative(context, comm.children));
        }
        for (key, Message { comm, comm_handle }) in self.messages.iter() {
            into.add((key, world.name_of(*comm, &counted.collectives)?, comm_handle));
        }
        Ok(())
    }

    /// Adds what only the rank itself changes.
    pub fn name(&self, into: &mut Digest) -> Named {
        let RankObjects {
            world,
            self_comm,
            comms,
            parent,
            groups,
            types,
            predefined_types,
            ops,
            infos,
            errhandlers,
            file_errhandler,
            wins,
            sessions,
            had_sessions,
            groups_of_sessions,
            files,
            representations,
            messages: _,
            grequests,
            keyvals,
            user_errors,
            sites,
            tool,
            predefined_attributes,
        } = self;
        if !wins.is_empty() || !files.is_empty() || !user_errors.is_empty() {
            return Err(Unnamed("there are windows, open files, or errors that the program has added"));
        }
        into.add((world, self_comm, comms, groups, types, predefined_types));
        into.add((ops, infos, errhandlers, &file_errhandler.0, grequests, keyvals, predefined_attributes));
        into.add((sessions, had_sessions, parent));
        // Of several handlers with one function, which one it is shows by its handle.
        let comms = self.shared_comms().chain(self_comm).map(|comm| &comm.errhandler);
        let sessions = sessions.iter().map(|(_, session)| &session.errhandler);
        for handler in comms.chain(sessions).chain([&file_errhandler.0]) {
            if let Errhandler::User(handler) = handler {
                into.add(self.key_of_errhandler(handler));
            }
        }
        into.add_unordered(groups_of_sessions.iter());
        into.add(representations);
        into.add_unordered(sites.iter());
        into.add(tool.is_some());
        if let Some(tool) = tool {
            tool.name(into)?;
        }
        Ok(())
    }
}

impl Hash for Comm {
    fn hash<H: Hasher>(&self, into: &mut H) {
        let Comm {
            core,
            collectives: _,
            children: _,
            errhandler,
            name,
            attributes,
            info,
            topology,
            is_hidden,
            knows_neighbours,
            session,
            chosen,
        } = self;
        (core, errhandler, name, attributes, info, topology, is_hidden, knows_neighbours, session).hash(into);
        chosen.hash(into);
    }
}

impl Hash for HeldErrhandler {
    fn hash<H: Hasher>(&self, into: &mut H) {
        let HeldErrhandler { handler, references } = self;
        (handler.function, references).hash(into);
    }
}

impl Hash for Errhandler {
    fn hash<H: Hasher>(&self, into: &mut H) {
        std::mem::discriminant(self).hash(into);
        if let Errhandler::User(handler) = self {
            handler.function.hash(into);
        }
    }
}

impl Hash for Keyval {
    fn hash<H: Hasher>(&self, into: &mut H) {
        let Keyval { kind, copy, delete, extra_state, language } = self;
        (kind, copy, delete, extra_state, language).hash(into);
    }
}
