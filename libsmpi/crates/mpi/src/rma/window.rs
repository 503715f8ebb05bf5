//! Windows: the memory that ranks offer to each other.

use std::collections::{BTreeMap, VecDeque};

use smpi_base::WorldRank;
use smpi_base::table::Key;
use smpi_mailbox::Context;

use super::{Askers, Epochs, Lock};
use crate::collective::Part;
use crate::error::{ErrorClass, MpiError, Result};
use crate::group::Group;
use crate::memory::Addr;

/// Names a window: the base context of its own communicator, of which nobody else has messages.
pub type WindowId = Context;

/// How a window was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flavor {
    /// `MPI_Win_create`
    Create,
    /// `MPI_Win_allocate`
    Allocate,
    /// `MPI_Win_allocate_shared`
    Shared,
    /// `MPI_Win_create_dynamic`
    Dynamic,
}

impl Flavor {
    /// Whether the program brings the memory, and the window does not make it.
    pub(crate) fn is_of_program(self) -> bool {
        matches!(self, Flavor::Create | Flavor::Dynamic)
    }
}

/// Accesses of one origin to one target that are under way.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Flying {
    /// Whose effect is not known to be complete.
    pub open: u32,
    /// Of these, those that still use memory of the origin.
    pub local: u32,
    /// Something was written since the target was last asked whether all is there.
    pub wrote: bool,
    /// Accesses that have left the origin and not taken place, in the order in which they must.
    pub(crate) in_order: VecDeque<Key>,
}

/// A rank's part of a window.
#[derive(Clone, Debug)]
pub struct Member {
    /// The rank.
    pub world: WorldRank,
    /// Its memory.
    pub base: Addr,
    /// Bytes of it.
    pub size: u64,
    /// Bytes of one unit of displacement.
    pub unit: u64,
    /// Attached memory of a dynamic window: start and bytes.
    pub attached: BTreeMap<u64, u64>,
    /// The epochs that the rank is in.
    pub epochs: Epochs,
    /// Its own accesses, by target, as far as there are any.
    pub flying: BTreeMap<u32, Flying>,
    /// Slots of its requests that wait for accesses to be over.
    pub(crate) quiet: Vec<u32>,
    /// Its number among the windows that the rank is in at the same time.
    pub number: u32,
    /// The receives of what its targets say when they have exposed their memory, where it did not wait for that when
    /// its epoch began: address and number of their keys.
    pub posts: Option<(usize, usize)>,
    /// Who has asked for its lock, where the order is taken not to matter: shared ones commute.
    pub(crate) lockers: Askers,
}

impl Member {
    /// A part of a window without history.
    pub fn new(world: WorldRank, base: Addr, size: u64, unit: u64, number: u32) -> Member {
        Member {
            world,
            base,
            size,
            unit,
            number,
            attached: BTreeMap::new(),
            epochs: Epochs::default(),
            flying: BTreeMap::new(),
            quiet: Vec::new(),
            posts: None,
            lockers: Askers::Nobody,
        }
    }
}

/// A window. Its members enter one by one; nobody uses it before all have.
#[derive(Clone, Debug)]
pub struct Window {
    /// Its ranks.
    pub group: Group,
    /// How it was made.
    pub flavor: Flavor,
    /// Who has asked for which lock.
    pub(crate) asked: Vec<(u32, Lock)>,
    /// Who has done something that others can see while it had a lock.
    pub(crate) seen: Vec<(u32, Lock)>,
    /// How many ranks are in it.
    pub(crate) inside: u32,
    /// Memory that its ranks share: start and bytes. It is memory of the first one.
    pub shared: Option<(Addr, u64)>,
    /// By rank of the group; `None` before it has entered, and when it has left.
    pub members: Vec<Option<Box<Member>>>,
}

impl Window {
    /// A window that nobody has entered.
    pub fn new(group: Group, flavor: Flavor) -> Window {
        let members = (0..group.size()).map(|_| None).collect();
        Window { group, flavor, asked: Vec::new(), seen: Vec::new(), inside: 0, shared: None, members }
    }

    /// A member; `None` before it has entered, or after it has left.
    pub fn member(&self, rank: u32) -> Option<&Member> {
        self.members.get(rank as usize)?.as_deref()
    }

    /// The same, to change it.
    pub fn member_mut(&mut self, rank: u32) -> Option<&mut Member> {
        self.members.get_mut(rank as usize)?.as_deref_mut()
    }

    /// Whether a rank that may get its lock later than it asks for it (MPI 5.0 §12.5.3) has shown others meanwhile how
    /// far it is, and one of them wants a lock that excludes it.
    pub(crate) fn may_lock_late(&self) -> bool {
        let excludes = |(rank, lock): &(u32, Lock), (other, other_lock): &(u32, Lock)| {
            rank != other && (*lock == Lock::Exclusive || *other_lock == Lock::Exclusive)
        };
        self.seen.iter().any(|seen| self.asked.iter().any(|asked| excludes(seen, asked)))
    }

    /// Those who are in it, by their ranks.
    pub fn members(&self) -> impl Iterator<Item = &Member> {
        self.members.iter().flatten().map(|member| &**member)
    }

    /// The same, to change them.
    pub fn members_mut(&mut self) -> impl Iterator<Item = &mut Member> {
        self.members.iter_mut().flatten().map(|member| &mut **member)
    }

    /// Where in the target's memory `displacement` is.
    ///
    /// # Errors
    /// `MPI_ERR_RMA_RANGE` when not all of `count` elements of the type lie in the target's memory; `MPI_ERR_DISP` for
    /// a negative displacement.
    pub fn place(&self, target: u32, displacement: i64, mut part: Part) -> Result<Part> {
        let Some(member) = self.member(target) else {
            let text = format!("rank {target} of the window has freed it");
            return Err(MpiError::new(ErrorClass::RMA_SYNC, text));
        };
        if self.flavor == Flavor::Dynamic {
            part.at = Addr(displacement as u64);
        } else if displacement < 0 {
            return Err(MpiError::parameter(ErrorClass::DISP, "target_disp", displacement, "0 or more"));
        } else {
            let bytes = (displacement as u64).saturating_mul(member.unit);
            if bytes > member.size && part.size() > 0 {
                return Err(self.out_of_range(target, displacement, member));
            }
            part.at = Addr(member.base.0.wrapping_add(bytes));
        }
        let Some((low, high)) = part.datatype.span(part.count as u64).filter(|_| part.size() > 0) else {
            return Ok(part);
        };
        let (start, end) = (part.at.0.wrapping_add_signed(low), part.at.0.wrapping_add_signed(high));
        let is_inside = match self.flavor {
            Flavor::Dynamic => member.covers(start, end),
            _ => start >= member.base.0 && end <= member.base.0.saturating_add(member.size) && start <= end,
        };
        if is_inside { Ok(part) } else { Err(self.out_of_range(target, displacement, member)) }
    }

    fn out_of_range(&self, target: u32, displacement: i64, member: &Member) -> MpiError {
        let text = if self.flavor == Flavor::Dynamic {
            format!("target_disp is {displacement:#x}, where rank {target} has attached no memory for all elements")
        } else {
            format!(
                "target_disp is {displacement}: the elements there do not lie within the {} bytes of rank {target} \
                 (displacement unit {})",
                member.size, member.unit
            )
        };
        MpiError::new(ErrorClass::RMA_RANGE, text)
    }
}

impl Member {
    /// Whether attached memory covers all of these addresses.
    fn covers(&self, start: u64, end: u64) -> bool {
        let mut at = start;
        while at < end {
            let Some((&from, &len)) = self.attached.range(..=at).next_back() else { return false };
            if from.saturating_add(len) <= at {
                return false;
            }
            at = from.saturating_add(len);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatype::{Basic, Datatype};

    fn window(flavor: Flavor) -> Window {
        let mut window = Window::new(Group::range(0, 2), flavor);
        window.members[1] = Some(Box::new(Member::new(WorldRank(1), Addr(1000), 40, 8, 0)));
        window
    }

    fn ints(count: i64) -> Part {
        Part { at: Addr::BOTTOM, count, datatype: Datatype::basic(Basic::Int) }
    }

    #[test]
    fn displacements_are_units_and_accesses_stay_inside() {
        let window = window(Flavor::Create);
        assert_eq!(window.place(1, 2, ints(6)).unwrap().at, Addr(1016));
        assert_eq!(window.place(1, 2, ints(7)).unwrap_err().class, ErrorClass::RMA_RANGE);
        assert_eq!(window.place(1, 5, ints(0)).unwrap().at, Addr(1040));
        // Nothing is nowhere.
        assert!(window.place(1, 6, ints(0)).is_ok());
        assert_eq!(window.place(1, -1, ints(1)).unwrap_err().class, ErrorClass::DISP);
        assert_eq!(window.place(1, i64::MAX, ints(1)).unwrap_err().class, ErrorClass::RMA_RANGE);
        assert_eq!(window.place(0, 0, ints(1)).unwrap_err().class, ErrorClass::RMA_SYNC);
    }

    #[test]
    fn a_dynamic_window_has_what_is_attached() {
        let mut window = window(Flavor::Dynamic);
        let member = window.member_mut(1).unwrap();
        (member.base, member.size) = (Addr::BOTTOM, 0);
        member.attached = BTreeMap::from([(100, 8), (108, 8), (200, 4)]);
        for (displacement, count, is_there) in [(100, 4, true), (104, 3, true), (104, 4, false), (200, 1, true)] {
            assert_eq!(window.place(1, displacement, ints(count)).is_ok(), is_there, "{displacement} {count}");
        }
        assert!(window.place(1, 96, ints(2)).is_err());
        assert!(window.place(1, 0, ints(0)).is_ok());
    }
}
