//! Groups (MPI 5.0 §7.3).

use std::ffi::c_int;

use smpi_mailbox::Context;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::group::run::Run;
use smpi_mpi::group::{Group, Places};

use crate::abi::constants::*;
use crate::abi::types::*;
use crate::{convert, own_memory};
use smpi_abi::c::handles;
use smpi_runtime::objects::handles::Kind;
use smpi_runtime::{with, with_objects};

/// How two groups relate (MPI 5.0 §7.3.1).
pub(super) fn compare(first: &Group, second: &Group) -> c_int {
    if first == second {
        MPI_IDENT
    } else if first.is_similar(second) {
        MPI_SIMILAR
    } else {
        MPI_UNEQUAL
    }
}

/// The handle of a new group for the program; the group comes from a session or from none.
pub(super) fn give(group: Group, session: Option<Context>) -> Result<MPI_Group> {
    let handle = if group.size() == 0 {
        handles::MPI_GROUP_EMPTY as usize
    } else {
        let full = || MpiError::new(ErrorClass::OTHER, "this rank has 1048576 groups, the most that handles can name");
        let group = with(|runtime| runtime.groups.share(group));
        let key = with_objects(|objects| objects.groups.insert(group)).ok_or_else(full)?;
        with_objects(|objects| objects.note_group(key.slot, session));
        smpi_watch::checks::made(Kind::Group, key) as usize
    };
    Ok(std::ptr::without_provenance_mut(handle))
}

/// `MPI_Group_size`.
pub fn group_size(group: MPI_Group) -> Result<c_int> {
    let value = convert::group(group, "group")?.size();
    Ok(value as c_int)
}

/// `MPI_Group_rank`.
pub fn group_rank(group: MPI_Group) -> Result<c_int> {
    let found = convert::group(group, "group")?.rank_of(smpi_runtime::current_rank());
    Ok(found.map_or(MPI_UNDEFINED, |rank| rank as c_int))
}

/// `MPI_Group_compare`.
pub fn group_compare(group1: MPI_Group, group2: MPI_Group) -> Result<c_int> {
    let (first, second) = (convert::group(group1, "group1")?, convert::group(group2, "group2")?);
    Ok(compare(&first, &second))
}

/// `MPI_Group_translate_ranks`.
///
/// # Safety
/// Both arrays must have `n` elements.
pub unsafe fn group_translate_ranks(
    group1: MPI_Group,
    n: c_int,
    ranks1: *const c_int,
    group2: MPI_Group,
    ranks2: *mut c_int,
) -> Result<()> {
    let (first, second) = (convert::group(group1, "group1")?, convert::group(group2, "group2")?);
    let n = convert::count(n.into(), "n")?;
    own_memory::needed(ranks1, n as usize, "ranks1")?;
    own_memory::needed(ranks2, n as usize, "ranks2")?;
    for index in 0..n as usize {
        // SAFETY: by MPI's contract `ranks1` is an array of `n`.
        let rank = unsafe { *ranks1.add(index) };
        let translated = if rank == MPI_PROC_NULL {
            MPI_PROC_NULL
        } else {
            let world = member(&first, rank, "ranks1")?;
            second.rank_of(world).map_or(MPI_UNDEFINED, |rank| rank as c_int)
        };
        // SAFETY: by MPI's contract `ranks2` is an array of `n`.
        unsafe { convert::put(ranks2.add(index), translated, "ranks2") }?;
    }
    Ok(())
}

/// The world rank of a member, checked.
fn member(group: &Group, rank: c_int, name: &str) -> Result<smpi_base::WorldRank> {
    u32::try_from(rank).ok().and_then(|rank| group.world(rank)).ok_or_else(|| {
        let allowed = format!("0 to {}", i64::from(group.size()) - 1);
        MpiError::parameter(ErrorClass::RANK, name, rank, &allowed)
    })
}

/// `MPI_Comm_group`.
pub fn comm_group(comm: MPI_Comm) -> Result<MPI_Group> {
    let (found, session) = convert::with_comm(comm, "comm", |comm| Ok((comm.core.group.clone(), comm.session)))?;
    give(found, session)
}

/// The session that a group comes from which is made of two.
fn session_of_both(group1: MPI_Group, group2: MPI_Group) -> Option<Context> {
    convert::session_of(group1).or_else(|| convert::session_of(group2))
}

/// `MPI_Group_union`.
pub fn group_union(group1: MPI_Group, group2: MPI_Group) -> Result<MPI_Group> {
    let (first, second) = (convert::group(group1, "group1")?, convert::group(group2, "group2")?);
    give(first.union(&second), session_of_both(group1, group2))
}

/// `MPI_Group_intersection`.
pub fn group_intersection(group1: MPI_Group, group2: MPI_Group) -> Result<MPI_Group> {
    let (first, second) = (convert::group(group1, "group1")?, convert::group(group2, "group2")?);
    give(first.intersection(&second), session_of_both(group1, group2))
}

/// `MPI_Group_difference`.
pub fn group_difference(group1: MPI_Group, group2: MPI_Group) -> Result<MPI_Group> {
    let (first, second) = (convert::group(group1, "group1")?, convert::group(group2, "group2")?);
    give(first.difference(&second), session_of_both(group1, group2))
}

/// The ranks of an array argument, checked to be distinct members.
///
/// # Safety
/// By MPI's contract `ranks` is an array of `n`.
unsafe fn listed(group: &Group, n: c_int, ranks: *const c_int) -> Result<Vec<Run>> {
    let n = convert::count(n.into(), "n")?;
    own_memory::needed(ranks, n as usize, "ranks")?;
    // SAFETY: by MPI's contract `ranks` is an array of `n`.
    let ranks = (0..n as usize).map(|index| unsafe { *ranks.add(index) });
    distinct(group, ranks)
}

/// Members given by rank, checked to be distinct.
fn distinct(group: &Group, ranks: impl Iterator<Item = c_int>) -> Result<Vec<Run>> {
    let places = ranks.map(|rank| member(group, rank, "ranks").map(|_| Run::consecutive(rank as u32, 1)));
    let places = places.collect::<Result<Vec<Run>>>()?;
    refuse_twice(places.iter().copied(), "ranks")?;
    Ok(places)
}

/// Refuses numbers that come twice.
fn refuse_twice(runs: impl Iterator<Item = Run>, name: &str) -> Result<()> {
    let mut numbers: Vec<u32> = runs.flat_map(Run::numbers).collect();
    numbers.sort_unstable();
    match numbers.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(()),
        Some(pair) => {
            let allowed = "ranks that are all different";
            Err(MpiError::parameter(ErrorClass::RANK, name, format!("{} twice", pair[0]), allowed))
        }
    }
}

/// `MPI_Group_incl`.
///
/// # Safety
/// `ranks` must have `n` elements; `newgroup` must be null or valid for writing.
pub unsafe fn group_incl(group: MPI_Group, n: c_int, ranks: *const c_int) -> Result<MPI_Group> {
    let session = convert::session_of(group);
    let group = convert::group(group, "group")?;
    // SAFETY: by MPI's contract `ranks` is an array of `n`.
    give(group.part(unsafe { listed(&group, n, ranks) }?), session)
}

/// `MPI_Group_excl`.
///
/// # Safety
/// `ranks` must have `n` elements; `newgroup` must be null or valid for writing.
pub unsafe fn group_excl(group: MPI_Group, n: c_int, ranks: *const c_int) -> Result<MPI_Group> {
    let session = convert::session_of(group);
    let group = convert::group(group, "group")?;
    // SAFETY: by MPI's contract `ranks` is an array of `n`.
    give(group.without(&Places::of(unsafe { listed(&group, n, ranks) }?)), session)
}

/// The ranks that (first, last, stride) triplets stand for, checked to be distinct members.
///
/// # Safety
/// By MPI's contract `ranges` is an array of `n`.
unsafe fn ranged(group: &Group, n: c_int, ranges: *mut [c_int; 3]) -> Result<Vec<Run>> {
    let n = convert::count(n.into(), "n")?;
    own_memory::needed(ranges, n as usize, "ranges")?;
    // SAFETY: by MPI's contract `ranges` is an array of `n`.
    let runs = (0..n as usize).filter_map(|index| range(group, unsafe { *ranges.add(index) }).transpose());
    let runs = runs.collect::<Result<Vec<Run>>>()?;
    if runs.len() > 1 {
        refuse_twice_among(&runs)?;
    }
    Ok(runs)
}

/// The ranks of one triplet; `None` for no ranks.
fn range(group: &Group, [first, last, stride]: [c_int; 3]) -> Result<Option<Run>> {
    if stride == 0 {
        return Err(MpiError::parameter(ErrorClass::ARG, "ranges", "a stride of 0", "strides other than 0"));
    }
    let (from, to, by) = (i64::from(first), i64::from(last), i64::from(stride));
    let steps = if by > 0 { (to - from).div_euclid(by) } else { (from - to).div_euclid(-by) };
    if steps < 0 {
        return Ok(None);
    }
    member(group, first, "ranges")?;
    // A wrong range is refused for the first rank outside of the group.
    let inside = if by > 0 { (i64::from(group.size()) - 1 - from) / by } else { from / -by };
    if inside < steps {
        member(group, (from + by * (inside + 1)) as c_int, "ranges")?;
    }
    Ok(Some(Run { first: first as u32, stride: if steps == 0 { 1 } else { by }, len: steps as u32 + 1 }))
}

/// Refuses ranges that have ranks in common.
fn refuse_twice_among(ranges: &[Run]) -> Result<()> {
    // Few ranges are compared with each other; it is their ranks that are looked at otherwise.
    const FEW: usize = 32;
    let disjoint = |(index, range): (usize, &Run)| ranges[..index].iter().all(|other| range.common(*other).is_none());
    if ranges.len() <= FEW && ranges.iter().enumerate().all(disjoint) {
        return Ok(());
    }
    refuse_twice(ranges.iter().copied(), "ranges")
}

/// `MPI_Group_range_incl`.
///
/// # Safety
/// `ranges` must have `n` triplets; `newgroup` must be null or valid for writing.
pub unsafe fn group_range_incl(group: MPI_Group, n: c_int, ranges: *mut [c_int; 3]) -> Result<MPI_Group> {
    let session = convert::session_of(group);
    let group = convert::group(group, "group")?;
    // SAFETY: by MPI's contract `ranges` is an array of `n`.
    give(group.part(unsafe { ranged(&group, n, ranges) }?), session)
}

/// `MPI_Group_range_excl`.
///
/// # Safety
/// `ranges` must have `n` triplets; `newgroup` must be null or valid for writing.
pub unsafe fn group_range_excl(group: MPI_Group, n: c_int, ranges: *mut [c_int; 3]) -> Result<MPI_Group> {
    let session = convert::session_of(group);
    let group = convert::group(group, "group")?;
    // SAFETY: by MPI's contract `ranges` is an array of `n`.
    give(group.without(&Places::of(unsafe { ranged(&group, n, ranges) }?)), session)
}

/// `MPI_Group_free`.
///
/// # Safety
/// `group` must point to a handle.
pub unsafe fn group_free(group: *mut MPI_Group) -> Result<()> {
    // SAFETY: by MPI's contract `group` is a place.
    let handle = unsafe { convert::read(group, "group") }?;
    convert::group(handle, "group")?;
    if handle.addr() != handles::MPI_GROUP_EMPTY as usize {
        let key = convert::key(Kind::Group, ErrorClass::GROUP, handle as u64, "group")?;
        with_objects(|objects| {
            objects.note_group(key.slot, None);
            objects.groups.remove(key);
        });
    }
    // SAFETY: the handle was read from this place.
    unsafe { *group = std::ptr::without_provenance_mut(handles::MPI_GROUP_NULL as usize) };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(group: &Group) -> Vec<u32> {
        group.worlds().map(|world| world.0).collect()
    }

    #[test]
    fn groups_compare_by_members_and_order() {
        let list = |ranks: &[u32]| Group::list(ranks.to_vec());
        assert_eq!(compare(&list(&[3, 4, 5]), &Group::range(3, 3)), MPI_IDENT);
        assert_eq!(compare(&list(&[4, 3, 5]), &Group::range(3, 3)), MPI_SIMILAR);
        assert_eq!(compare(&list(&[4, 3, 6]), &Group::range(3, 3)), MPI_UNEQUAL);
        assert_eq!(compare(&list(&[3, 5]), &Group::range(3, 3)), MPI_UNEQUAL);
        assert_eq!(compare(&list(&[]), &Group::range(7, 0)), MPI_IDENT);
    }

    #[test]
    fn listed_ranks_are_members_and_all_different() {
        let group = Group::list(vec![9, 2, 7]);
        let listed = |ranks: &[c_int]| distinct(&group, ranks.iter().copied());
        assert_eq!(members(&group.part(listed(&[2, 0]).unwrap())), [7, 9]);
        assert_eq!(members(&group.without(&Places::of(listed(&[2, 0]).unwrap()))), [2]);
        for wrong in [&[0, 3][..], &[-1], &[MPI_PROC_NULL], &[1, 0, 1]] {
            assert_eq!(listed(wrong).unwrap_err().class, ErrorClass::RANK, "{wrong:?}");
        }
    }

    #[test]
    fn ranges_go_up_and_down_and_stop_before_their_end() {
        let group = Group::range(100, 10);
        let ranged = |mut ranges: Vec<[c_int; 3]>| {
            // SAFETY: as many triplets as are announced.
            unsafe { ranged(&group, ranges.len() as c_int, ranges.as_mut_ptr()) }
        };
        let part = |ranges| members(&group.part(ranged(ranges).unwrap()));
        assert_eq!(part(vec![[0, 4, 3], [9, 5, -3], [7, 7, 5], [8, 2, 1]]), [100, 103, 109, 106, 107]);
        assert_eq!(part(vec![[9, 0, -1]]), (100..110).rev().collect::<Vec<u32>>());
        let class = |ranges| ranged(ranges).unwrap_err().class;
        assert_eq!(class(vec![[0, 4, 0]]), ErrorClass::ARG);
        assert_eq!(class(vec![[0, 4, 2], [4, 6, 1]]), ErrorClass::RANK);
        // The first rank outside ends it: these would be two thousand million.
        assert_eq!(class(vec![[0, c_int::MAX, 1]]), ErrorClass::RANK);
        assert_eq!(class(vec![[0, c_int::MIN, -1]]), ErrorClass::RANK);
        assert_eq!(ranged(vec![[8, 20, 3]]).unwrap_err().message, "11; allowed: 0 to 9");
        assert_eq!(ranged(vec![[8, -20, -3]]).unwrap_err().message, "-1; allowed: 0 to 9");
        assert_eq!(
            ranged(vec![[4, 6, 1], [0, 8, 2]]).unwrap_err().message,
            "4 twice; allowed: ranks that are all different"
        );
        // A step beyond the largest number is no rank, and no end of counting.
        assert_eq!(part(vec![[9, c_int::MAX, c_int::MAX]]), [109]);
    }
}
