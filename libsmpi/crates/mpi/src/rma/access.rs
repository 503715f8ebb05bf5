//! Accesses to windows, and what they do to memory (MPI 5.0 §12.3).

use smpi_base::WorldRank;
use smpi_base::table::Key;

use super::WindowId;
use crate::collective::Part;
use crate::datatype::Basic;
use crate::memory::{self, Addr, Memory};
use crate::op::{self, Form, Predefined};
use crate::usage::{Clock, Origin};

/// What an access does at its target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// It writes (`MPI_Put`).
    Write,
    /// It reads (`MPI_Get`).
    Read,
    /// It combines, element by element and atomically, elements of this type with what is there.
    Combine(Predefined, Basic),
    /// It writes if what is there equals the first of two elements that it brings (`MPI_Compare_and_swap`).
    Swap(Basic),
}

impl Action {
    /// Whether it is atomic for each element, and in order from one origin.
    pub fn is_atomic(self) -> bool {
        matches!(self, Action::Combine(..) | Action::Swap(_))
    }

    /// Whether memory at the target may change.
    pub fn writes(self) -> bool {
        !matches!(self, Action::Read | Action::Combine(Predefined::NoOp, _))
    }
}

/// One access.
#[derive(Clone, Debug)]
pub struct Access {
    /// The window.
    pub window: WindowId,
    /// The origin's rank in the window.
    pub origin: u32,
    /// The target's.
    pub target: u32,
    /// It is an atomic operation of C or C++ on memory that its origin reaches without a window, too.
    pub is_own: bool,
    /// What it does.
    pub action: Action,
    /// What it brings; `None` where it only reads.
    pub brings: Option<Part>,
    /// What it brings of other memory, which is taken already.
    pub compares: Vec<Part>,
    /// Where what was at the target goes; `None` where nobody asks for it.
    pub result: Option<Part>,
    /// The memory at the target.
    pub there: Part,
    /// The program's request, if it made one.
    pub request: Option<Key>,
    /// What it brings, once it is taken from the origin's memory; behind the target, what it takes back.
    pub data: Option<Vec<u8>>,
    /// It is at its target.
    pub arrived: bool,
    /// Where its elements are that take place by themselves, when their servers receive them.
    pub(crate) served: Vec<u64>,
    /// Of these, and of all others together, those that have not taken place.
    pub(crate) parts: u32,
    /// What was at the target, where it takes place element by element.
    before: Vec<u8>,
    /// It used the origin's memory after it was started, so that this belongs to it until it is over.
    pub was_local: bool,
    /// Where the program made it, as far as that is known.
    pub made: Origin,
    /// What its origin knew then, where that is followed.
    pub(crate) known: Option<Clock>,
}

impl Access {
    /// An access of which window, origin and target are not known yet.
    pub fn new(action: Action, brings: Option<Part>, result: Option<Part>, there: Part) -> Access {
        Access {
            window: 0,
            origin: 0,
            target: 0,
            is_own: false,
            action,
            brings,
            compares: Vec::new(),
            result,
            there,
            request: None,
            data: None,
            arrived: false,
            served: Vec::new(),
            parts: 0,
            before: Vec::new(),
            was_local: false,
            made: Origin::default(),
            known: None,
        }
    }

    /// The origin's memory that belongs to it until it is over there, and whether it writes there.
    pub fn own_memory(&self) -> impl Iterator<Item = (&Part, bool)> {
        let read = self.brings.iter().chain(&self.compares).map(|part| (part, false));
        read.chain(self.result.iter().map(|part| (part, true)))
    }

    /// Bytes that travel to the target.
    pub fn size_there(&self) -> u64 {
        match (&self.brings, &self.data) {
            (Some(brings), _) => brings.size(),
            (None, data) => data.as_ref().map_or(0, |data| data.len() as u64),
        }
    }

    /// Bytes that travel back.
    pub fn size_back(&self) -> u64 {
        self.result.as_ref().map_or(0, Part::size)
    }

    /// Whether it still needs the origin's memory.
    pub fn uses_origin(&self) -> bool {
        self.result.is_some() || self.brings.is_some() && self.data.is_none()
    }

    /// Takes what it brings from the origin's memory, if that has not happened.
    pub fn load(&mut self, memory: &dyn Memory, origin: WorldRank) {
        if let (Some(part), None) = (&self.brings, &self.data) {
            let mut data = Vec::new();
            part.datatype.pack(memory, origin, part.at, part.count as u64, &mut data);
            self.data = Some(data);
        }
    }

    /// The bytes at the target, if somebody follows what is changed, and this may change them.
    pub(crate) fn followed(&self, is_followed: bool, memory: &dyn Memory, target: WorldRank) -> Option<Vec<u8>> {
        (is_followed && self.action.writes() && self.there.size() > 0).then(|| {
            let mut bytes = Vec::new();
            self.there.datatype.pack(memory, target, self.there.at, self.there.count as u64, &mut bytes);
            bytes
        })
    }

    /// Does it at the target; returns what was there, where that is asked for.
    pub fn perform(&self, memory: &mut dyn Memory, target: WorldRank) -> Option<Vec<u8>> {
        let Part { at, count, datatype } = &self.there;
        let count = *count as u64;
        let brought = self.data.as_deref().unwrap_or_default();
        let mut before = Vec::new();
        if self.action != Action::Write && self.there.size() > 0 {
            datatype.pack(&*memory, target, *at, count, &mut before);
        }
        let mut write = |bytes: &[u8]| {
            if !bytes.is_empty() {
                datatype.unpack(memory, target, *at, count, bytes);
            }
        };
        match self.action {
            Action::Write => write(brought),
            Action::Read | Action::Combine(Predefined::NoOp, _) => {}
            Action::Combine(op, basic) => {
                let mut after = before.clone();
                let len = after.len().min(brought.len());
                op::apply(Form::Packed, op, basic, &brought[..len], &mut after[..len]);
                write(&after);
            }
            Action::Swap(_) => {
                let (expected, new) = brought.split_at(brought.len() / 2);
                if before == expected {
                    write(new);
                }
            }
        }
        self.result.as_ref().map(|_| before)
    }

    /// The bytes of an element, if it is atomic for each.
    pub(crate) fn element_size(&self) -> Option<u64> {
        match self.action {
            Action::Combine(_, basic) | Action::Swap(basic) => Some(u64::from(basic.size())),
            Action::Write | Action::Read => None,
        }
    }

    /// The same with padding; 1 if it is not atomic.
    pub(crate) fn element_extent(&self) -> u64 {
        match self.action {
            Action::Combine(_, basic) | Action::Swap(basic) => u64::from(basic.extent()),
            Action::Write | Action::Read => 1,
        }
    }

    /// Where its elements begin at the target, in the order of the data.
    pub(crate) fn elements(&self) -> Vec<u64> {
        let Some(size) = self.element_size() else { return Vec::new() };
        let mut elements = Vec::new();
        self.there.datatype.for_each_block(self.there.count as u64, &mut |blocks| {
            elements.extend(blocks.runs(self.there.at).flat_map(|(start, end)| (start..end).step_by(size as usize)));
        });
        elements
    }

    /// Does those elements of a combining access that begin at places which are meant.
    pub(crate) fn perform_at(&mut self, memory: &mut dyn Memory, target: WorldRank, is_meant: impl Fn(u64) -> bool) {
        let (Action::Combine(op, basic), Some(size)) = (self.action, self.element_size()) else { return };
        let elements = self.elements();
        let size = size as usize;
        self.before.resize(elements.len() * size, 0);
        for (index, at) in elements.into_iter().enumerate().filter(|(_, at)| is_meant(*at)) {
            let here = index * size..(index + 1) * size;
            memory::fetch(memory.bytes(target, Addr(at), size), &mut self.before[here.clone()]);
            if let Some(brought) = self.data.as_ref().and_then(|data| data.get(here.clone()))
                && op != Predefined::NoOp
            {
                let mut after = self.before[here].to_vec();
                op::apply(Form::Packed, op, basic, brought, &mut after);
                memory.write(target, Addr(at), &after);
            }
        }
    }

    /// What was at the target, where that is asked for; all of it was done element by element.
    pub(crate) fn performed(&mut self) -> Option<Vec<u8>> {
        let before = std::mem::take(&mut self.before);
        self.result.as_ref().map(|_| before)
    }

    /// Puts what was at the target where the origin wants it.
    pub fn store(&self, memory: &mut dyn Memory, origin: WorldRank, bytes: &[u8]) {
        if let Some(part) = self.result.as_ref().filter(|_| !bytes.is_empty()) {
            part.datatype.unpack(memory, origin, part.at, part.count as u64, bytes);
        }
    }
}
