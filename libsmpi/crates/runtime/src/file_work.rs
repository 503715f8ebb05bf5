//! When what ranks have posted for files is done ([`crate::files`]), and what is noticed then.

use std::path::Path;

use smpi_base::WorldRank;
use smpi_files::{Id, Moved};
use smpi_mpi::memory::Memory;
use smpi_mpi::p2p::request::RequestKey;
use smpi_mpi::usage::{Observation, Origin, Taped};
use smpi_mpi::world::{Chooser, Driver, Moment, Notice, Order};

use crate::file_costs::Done;
use crate::file_uses::{Race, Use, Used};
use crate::files::{Access, Act, Aspect, Data, Deed, FileSystem, Partner, Post, Reply};
use crate::state::Runtime;

/// Why an exploration is not complete where nothing orders what ranks do to a file.
const UNORDERED: &str =
    "ranks use the same bytes of a file, its name, or a shared file pointer, in no certain order: one order is tried";

/// An access that has its place.
struct OneAccess {
    rank: WorldRank,
    reply: Reply,
    access: Access,
    moment: Option<(Moment, Origin)>,
    /// The place is where the shared file pointer was.
    by_pointer: bool,
    in_turn: bool,
}

/// Accesses that are done at once: those of one file in one direction, or one that is converted.
#[derive(Default)]
struct Accesses {
    file: Option<Id>,
    kind: Option<(Id, bool)>,
    list: Vec<OneAccess>,
    /// They belong to one collective access.
    are_together: bool,
}

/// Why an exploration is not complete where two ways of using a file meet.
const STILL_OPEN: &str =
    "ranks use a file by MPI while it is open without MPI, in no certain order: one order is tried";

impl Runtime {
    /// A rank wants something to be done with a file, and says so there.
    pub fn post_to_file(&mut self, (rank, made): (WorldRank, Origin), file: Id, reply: Reply, deed: Deed) {
        let moment = self.world.moment(rank).map(|moment| (moment, made));
        let (Reply::Completes(key) | Reply::Tells(key)) = reply;
        if let Some(request) = self.world.request(rank, key).filter(|_| moment.is_some()) {
            request.uses_file = true;
        }
        self.files.posts.push(Post { rank, file, reply, deed, moment });
    }

    /// Does what ranks have posted, in their order.
    #[inline]
    pub(crate) fn commit_files(&mut self) {
        if self.world.has_file_ends() || !self.files.posts.is_empty() || self.world.has_file_turns() {
            self.do_with_files();
        }
    }

    #[inline(never)]
    fn do_with_files(&mut self) {
        for (key, moment) in self.world.take_file_ends() {
            self.files.uses.end(key, &moment);
        }
        if self.files.posts.is_empty() && !self.world.has_file_turns() {
            return;
        }
        for (server, turn) in self.world.take_file_turns() {
            self.do_in_turn(server, turn);
        }
        self.do_posts();
        if self.files.uses.are_many() {
            self.forget_uses(false);
        }
    }

    /// Where no file is open any more, forgets what was done with files, as far as everybody has heard of it.
    pub fn forget_closed_files(&mut self) {
        if self.files.table.are_closed() && !self.files.uses.are_without_mpi() {
            self.forget_uses(true);
        }
    }

    /// Forgets uses that everybody has heard of, and that everybody had heard of who has posted something since: of all
    /// files, or of those with many.
    fn forget_uses(&mut self, of_all: bool) {
        let FileSystem { rounds, uses, .. } = &mut self.files;
        let waiting: Vec<&Moment> =
            rounds.values().flatten().filter_map(|partner| Some(&partner.moment.as_ref()?.0)).collect();
        let runs = (0..).map(WorldRank).zip(&self.ranks).filter(|(_, run)| !run.standing.is_over());
        let ranks: Vec<WorldRank> = runs.map(|(rank, _)| rank).collect();
        let world = &self.world;
        uses.forget(of_all, |end| {
            ranks.iter().all(|rank| world.has_heard_of(*rank, end)) && waiting.iter().all(|moment| moment.is_after(end))
        });
    }

    fn do_posts(&mut self) {
        let mut posts = std::mem::take(&mut self.files.posts);
        posts.sort_by_key(|post| post.rank);
        let mut accesses = Accesses::default();
        for Post { rank, file, reply, deed, moment } in posts {
            self.driver.told(&self.world, Notice::ActingFor(rank));
            match deed {
                Deed::Move(access) => {
                    let post = Post { rank, file, reply, deed: Deed::Move(access), moment };
                    if let Some(post) = self.ask_for_turn(post) {
                        self.begin_access(&mut accesses, post);
                    }
                }
                Deed::Delete(path) => {
                    self.do_accesses(&mut accesses);
                    let moments = moment.into_iter().map(|moment| moment.0).collect();
                    self.note_removed(&path, moments);
                    let error = self.files.table.delete(&path).err();
                    self.reply(rank, reply, Moved { bytes: 0, error });
                }
                Deed::Together(number, (member, members), act) => {
                    self.do_accesses(&mut accesses);
                    let partners = self.files.rounds.entry((file, number)).or_default();
                    partners.push(Partner { member, rank, reply, act, moment });
                    if partners.len() == members as usize {
                        self.do_together(file, number);
                    }
                }
            }
        }
        self.do_accesses(&mut accesses);
    }

    /// Lets an access wait for its turn, where there is somebody who decides; gives it back where there is none.
    fn ask_for_turn(&mut self, post: Post) -> Option<Post> {
        let name = self.files.server(&self.files.path(post.file)).filter(|_| self.has_turn(&post));
        match name.map(|name| (name, self.driver.order(name))) {
            Some((name, Order::Chosen(_))) => {
                let rank = post.rank;
                let turn = self.files.keep_waiting(post);
                self.world.ask_for_turn(&mut self.driver, rank, name, turn);
                None
            }
            _ => Some(post),
        }
    }

    /// Whether an access is one of those whose order can be chosen: its rank waits for it, and it is by the shared file
    /// pointer, or atomic.
    fn has_turn(&self, Post { file, deed, moment, .. }: &Post) -> bool {
        let Deed::Move(access) = deed else { return false };
        let is_atomic = || self.files.table.get(*file).is_ok_and(|open| open.is_atomic);
        moment.is_some() && access.waits && (access.position.is_none() || is_atomic())
    }

    /// It is the turn of an access.
    fn do_in_turn(&mut self, server: WorldRank, turn: u32) {
        let Some(post) = self.files.waiting.remove(&turn) else { return };
        let (Reply::Completes(key) | Reply::Tells(key)) = post.reply;
        self.driver.told(&self.world, Notice::Served { server, rank: post.rank, slot: key.slot });
        let mut accesses = Accesses::default();
        self.begin_access(&mut accesses, post);
        self.do_accesses(&mut accesses);
    }

    /// Adds the access of a post to those that are done at once.
    fn begin_access(&mut self, accesses: &mut Accesses, post: Post) {
        let in_turn = self.has_turn(&post);
        let Post { rank, file, reply, deed, moment } = post;
        let Deed::Move(mut access) = deed else { return };
        if access.position.is_none() {
            let path = self.files.path(file);
            let moments = moment.iter().map(|moment| moment.0.clone()).collect();
            let used = Used::aspect(moments, Use::Changes, vec![Aspect::Pointer(file).run()]);
            self.note_use(&path, Used { in_turn, ..used });
        }
        let by_pointer = self.place(file, &mut access);
        self.add_access(accesses, file, OneAccess { rank, reply, access, moment, by_pointer, in_turn });
    }

    /// Does what the last rank has asked for now.
    fn do_together(&mut self, file: Id, number: u32) {
        let Some(mut partners) = self.files.rounds.remove(&(file, number)) else { return };
        partners.sort_by_key(|partner| partner.member);
        if self.files.waiting.values().any(|post| post.file == file) {
            self.world.observers.unexplored = Some(UNORDERED);
        }
        self.note_together(file, &partners);
        let outcome = self.files.act(file, &partners);
        if let (Some(Partner { rank, act: Act::Open(path, _), .. }), Ok(())) = (partners.first(), &outcome) {
            self.files.note_opened(self.files.table.name_of(path), *rank);
        }
        let mut accesses = Accesses { are_together: true, ..Accesses::default() };
        for Partner { rank, reply, act, moment, .. } in partners {
            match act {
                Act::Move(mut access) => {
                    let by_pointer = self.place(file, &mut access);
                    self.add_access(
                        &mut accesses,
                        file,
                        OneAccess { rank, reply, access, moment, by_pointer, in_turn: false },
                    );
                }
                _ => self.reply(rank, reply, Moved { bytes: 0, error: outcome.clone().err() }),
            }
        }
        self.do_accesses(&mut accesses);
    }

    /// Notices that what ranks do together depends on what others do.
    fn note_together(&mut self, file: Id, partners: &[Partner]) {
        let Some(first) = partners.first() else { return };
        let moments = partners.iter().filter_map(|partner| Some(partner.moment.as_ref()?.0.clone())).collect();
        let (how, aspect) = match &first.act {
            Act::Open(_, amode) if amode.is_exclusive() => (Use::Changes, Aspect::Name),
            Act::Open(_, amode) if amode.creates() => (Use::Extends, Aspect::Name),
            Act::Open(..) => (Use::Looks, Aspect::Name),
            Act::Resize(_) => (Use::Changes, Aspect::End),
            Act::Allocate(_) => (Use::Extends, Aspect::End),
            Act::Seek(_) | Act::View(..) | Act::Move(_) => (Use::Changes, Aspect::Pointer(file)),
            Act::Close => {
                let path = self.files.table.get(file).ok().filter(|open| open.amode.deletes());
                if let Some(path) = path.map(|open| open.path.to_path_buf()) {
                    self.note_removed(&path, moments);
                }
                return;
            }
            Act::Sync | Act::Atomicity(_) => return,
        };
        let path = match &first.act {
            Act::Open(path, amode) => {
                let name = self.files.table.name_of(path);
                self.note_around(&name, &moments, amode.creates());
                name
            }
            _ => self.files.path(file),
        };
        let mut runs = vec![aspect.run()];
        if let Act::Resize(size) = first.act {
            runs.insert(0, (size, Aspect::FIRST));
        }
        self.note_use(&path, Used::aspect(moments, how, runs));
    }

    /// Notices that ranks remove a name.
    fn note_removed(&mut self, path: &Path, moments: Vec<Moment>) {
        let name = self.files.table.entry_of(path);
        self.note_around(&name, &moments, true);
        self.note_use(&name, Used::aspect(moments, Use::Changes, vec![Aspect::Name.run()]));
    }

    /// Notices that ranks rely on the directories of a name, and that somebody may list it there if it comes or goes.
    fn note_around(&mut self, name: &Path, moments: &[Moment], comes_or_goes: bool) {
        if moments.is_empty() {
            return;
        }
        let used = |how, aspect: Aspect| Used::aspect(moments.to_vec(), how, vec![aspect.run()]);
        for (depth, directory) in name.ancestors().skip(1).enumerate() {
            self.note_use(directory, used(Use::Looks, Aspect::Name));
            if comes_or_goes {
                // Of two that come, none is the first one for those who list them.
                self.note_use(directory, used(Use::Extends, Aspect::Below));
            }
            if comes_or_goes && depth == 0 {
                self.note_use(directory, used(Use::Extends, Aspect::Entries));
            }
        }
    }

    /// Notices what is done in no certain order: it is wrong, or one order is tried.
    pub(crate) fn note_use(&mut self, path: &Path, new: Used) {
        if new.moments.is_empty() {
            return;
        }
        let server = self.files.server(path);
        let is_served = server.is_some_and(|server| matches!(self.driver.order(server), Order::Chosen(_)));
        let Some(race) = self.files.uses.compare(path, new, is_served) else { return };
        let Race { sides, bytes, is_open, have_turns } = race;
        if let Some(server) = server.filter(|_| have_turns) {
            self.driver.told(&self.world, Notice::OrderMatters(server));
            return;
        }
        let Some((first, second)) = sides else {
            self.world.observers.unexplored = Some(if is_open { STILL_OPEN } else { UNORDERED });
            return;
        };
        let places = ((first.rank, first.origin), (second.rank, second.origin));
        if first.origin.site == 0 || self.files.uses.reported.insert(places) {
            let path = path.display().to_string();
            self.world.observe(Observation::File { first, second, path, bytes });
        }
    }

    /// A rank looks at something of a file now.
    pub fn note_look(&mut self, rank: WorldRank, file: Id, aspect: Aspect) {
        let moments = self.world.moment(rank).into_iter().collect();
        let path = self.files.path(file);
        let origin = Origin::default();
        self.world.tape_file(|| Taped::File { rank, origin, path: path.clone(), writes: false, runs: Vec::new() });
        self.note_use(&path, Used::aspect(moments, Use::Looks, vec![aspect.run()]));
    }

    /// Gives an access its place in the file; whether that is where the shared file pointer was, which goes on.
    fn place(&mut self, file: Id, access: &mut Access) -> bool {
        if access.position.is_some() {
            return false;
        }
        let Ok(open) = self.files.table.get_mut(file) else { return true };
        access.position = Some(open.shared);
        open.shared += access.etypes;
        true
    }

    /// Adds an access to those that are done at once. Those before are done first if it cannot be among them.
    fn add_access(&mut self, accesses: &mut Accesses, file: Id, one: OneAccess) {
        let kind = matches!(one.access.data, Data::Native(_)).then_some((file, one.access.writes));
        if kind.is_none() || accesses.kind != kind {
            self.do_accesses(accesses);
        }
        (accesses.file, accesses.kind) = (Some(file), kind);
        accesses.list.push(one);
    }

    /// Does accesses that are posted, which are none afterwards.
    fn do_accesses(&mut self, accesses: &mut Accesses) {
        let (Some(file), list) = (accesses.file.take(), std::mem::take(&mut accesses.list)) else { return };
        accesses.kind = None;
        let is_alone = list.len() == 1;
        let mut over = Vec::with_capacity(list.len());
        let mut replies = Vec::with_capacity(list.len());
        let mut natives = Vec::new();
        for OneAccess { rank, reply, access, moment, by_pointer, in_turn } in list {
            let (Reply::Completes(key) | Reply::Tells(key)) = reply;
            if let Some((moment, made)) = moment {
                // Where it is open whose turn at the shared pointer it is, it is also open which bytes these are.
                self.tape_access(rank, file, &access, made);
                let made = (!by_pointer).then_some(made);
                self.note_access((file, key), &access, (moment, made), in_turn);
            }
            let memory: &mut dyn Memory = self.world.memory();
            match &access.data {
                Data::Native(part) if !is_alone => {
                    replies.push(reply);
                    natives.push((rank, part.clone(), access));
                }
                _ => {
                    let position = access.position.unwrap_or(0);
                    let moved = self.files.transfer(memory, rank, (file, key), &access, position);
                    over.push(Done { rank, reply, access, moved });
                }
            }
        }
        if !natives.is_empty() {
            let moved = self.files.transfer_together(self.world.memory(), file, &natives);
            for ((reply, (rank, _, access)), moved) in replies.into_iter().zip(natives).zip(moved) {
                over.push(Done { rank, reply, access, moved });
            }
        }
        self.conclude_accesses(file, over, accesses.are_together);
    }

    fn tape_access(&mut self, rank: WorldRank, file: Id, access: &Access, origin: Origin) {
        let (files, writes) = (&self.files, access.writes);
        let runs = || FileSystem::runs(access, access.position.unwrap_or(0));
        self.world.tape_file(|| Taped::File { rank, origin, path: files.path(file), writes, runs: runs() });
    }

    fn note_access(
        &mut self,
        (file, key): (Id, RequestKey),
        access: &Access,
        (moment, made): (Moment, Option<Origin>),
        in_turn: bool,
    ) {
        let path = self.files.path(file);
        let runs = FileSystem::runs(access, access.position.unwrap_or(0));
        let reaches_end = runs.last().is_some_and(|last| last.1 > self.files.table.size(file).unwrap_or(0));
        let how = if access.writes { Use::Changes } else { Use::Looks };
        let is_atomic = self.files.table.get(file).is_ok_and(|open| open.is_atomic);
        let used = Used {
            over: Vec::new(),
            awaited: Some(key),
            made,
            is_atomic,
            in_turn,
            ..Used::aspect(vec![moment], how, runs)
        };
        if reaches_end {
            let how = if access.writes { Use::Extends } else { Use::Looks };
            self.note_use(&path, Used { how, made: None, runs: vec![Aspect::End.run()], ..used.clone() });
        }
        self.note_use(&path, used);
    }

    pub(crate) fn reply(&mut self, rank: WorldRank, reply: Reply, Moved { bytes, error }: Moved) {
        let world = &mut self.world;
        match reply {
            Reply::Completes(key) => world.complete_file(&mut self.driver, rank, key, (bytes, error)),
            Reply::Tells(key) => world.set_file_outcome(rank, key, (bytes, error)),
        }
    }
}
