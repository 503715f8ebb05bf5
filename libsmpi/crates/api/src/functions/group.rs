//! Groups (MPI 5.0 §7.3).

use std::ffi::c_int;

use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::group::Group;

use crate::abi::constants::*;
use crate::abi::types::*;
use crate::convert;
use smpi_abi::c::handles::{GROUP_EMPTY, GROUP_NULL};
use smpi_runtime::objects::handles::Kind;
use smpi_runtime::with_objects;

/// How two groups relate (MPI 5.0 §7.3.1).
pub(super) fn compare(first: &Group, second: &Group) -> c_int {
    if first == second {
        MPI_IDENT
    } else if first.size() == second.size() && first.worlds().all(|world| second.rank_of(world).is_some()) {
        MPI_SIMILAR
    } else {
        MPI_UNEQUAL
    }
}

/// Gives the program a new group.
///
/// # Safety
/// `place` must be null or valid for writing.
pub(super) unsafe fn give(group: Group, place: *mut MPI_Group, name: &str) -> Result<()> {
    let handle = if group.size() == 0 {
        GROUP_EMPTY as usize
    } else {
        let full = || MpiError::new(ErrorClass::OTHER, "this rank has 1048576 groups, the most that handles can name");
        let key = with_objects(|objects| objects.groups.insert(group)).ok_or_else(full)?;
        smpi_watch::checks::made(Kind::Group, key) as usize
    };
    // SAFETY: by MPI's contract `place`, the caller's argument, is a place.
    unsafe { convert::put(place, std::ptr::without_provenance_mut(handle), name) }
}

/// `MPI_Group_size`.
///
/// # Safety
/// `size` must be null or valid for writing.
pub unsafe fn group_size(group: MPI_Group, size: *mut c_int) -> Result<()> {
    let value = convert::group(group, "group")?.size();
    // SAFETY: by MPI's contract `size` is a place.
    unsafe { convert::put(size, value as c_int, "size") }
}

/// `MPI_Group_rank`.
///
/// # Safety
/// `rank` must be null or valid for writing.
pub unsafe fn group_rank(group: MPI_Group, rank: *mut c_int) -> Result<()> {
    let found = convert::group(group, "group")?.rank_of(smpi_runtime::current_rank());
    // SAFETY: by MPI's contract `rank` is a place.
    unsafe { convert::put(rank, found.map_or(MPI_UNDEFINED, |rank| rank as c_int), "rank") }
}

/// `MPI_Group_compare`.
///
/// # Safety
/// `result` must be null or valid for writing.
pub unsafe fn group_compare(group1: MPI_Group, group2: MPI_Group, result: *mut c_int) -> Result<()> {
    let (first, second) = (convert::group(group1, "group1")?, convert::group(group2, "group2")?);
    // SAFETY: by MPI's contract `result` is a place.
    unsafe { convert::put(result, compare(&first, &second), "result") }
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
///
/// # Safety
/// `group` must be null or valid for writing.
pub unsafe fn comm_group(comm: MPI_Comm, group: *mut MPI_Group) -> Result<()> {
    let found = convert::comm(comm, "comm")?.group;
    // SAFETY: by MPI's contract `group` is a place.
    unsafe { give(found, group, "group") }
}

/// `MPI_Group_union`.
///
/// # Safety
/// `newgroup` must be null or valid for writing.
pub unsafe fn group_union(group1: MPI_Group, group2: MPI_Group, newgroup: *mut MPI_Group) -> Result<()> {
    let (first, second) = (convert::group(group1, "group1")?, convert::group(group2, "group2")?);
    let extra = second.worlds().filter(|&world| first.rank_of(world).is_none());
    let ranks = first.worlds().chain(extra).map(|world| world.0).collect();
    // SAFETY: by MPI's contract `newgroup` is a place.
    unsafe { give(Group::list(ranks), newgroup, "newgroup") }
}

/// The members of one group that are (or are not) in another, in order.
fn filtered(first: &Group, second: &Group, inside: bool) -> Group {
    let keep = first.worlds().filter(|&world| second.rank_of(world).is_some() == inside);
    Group::list(keep.map(|world| world.0).collect())
}

/// `MPI_Group_intersection`.
///
/// # Safety
/// `newgroup` must be null or valid for writing.
pub unsafe fn group_intersection(group1: MPI_Group, group2: MPI_Group, newgroup: *mut MPI_Group) -> Result<()> {
    let (first, second) = (convert::group(group1, "group1")?, convert::group(group2, "group2")?);
    // SAFETY: by MPI's contract `newgroup` is a place.
    unsafe { give(filtered(&first, &second, true), newgroup, "newgroup") }
}

/// `MPI_Group_difference`.
///
/// # Safety
/// `newgroup` must be null or valid for writing.
pub unsafe fn group_difference(group1: MPI_Group, group2: MPI_Group, newgroup: *mut MPI_Group) -> Result<()> {
    let (first, second) = (convert::group(group1, "group1")?, convert::group(group2, "group2")?);
    // SAFETY: by MPI's contract `newgroup` is a place.
    unsafe { give(filtered(&first, &second, false), newgroup, "newgroup") }
}

/// The ranks of an array argument, checked to be distinct members.
///
/// # Safety
/// `ranks` must have `n` elements.
unsafe fn listed(group: &Group, n: c_int, ranks: *const c_int) -> Result<Vec<u32>> {
    let n = convert::count(n.into(), "n")?;
    // SAFETY: by MPI's contract `ranks` is an array of `n`.
    let ranks = (0..n as usize).map(|index| unsafe { *ranks.add(index) });
    distinct(group, ranks)
}

/// World ranks of members given by rank, checked to be distinct.
fn distinct(group: &Group, ranks: impl Iterator<Item = c_int>) -> Result<Vec<u32>> {
    let mut seen = smpi_base::map::Set::default();
    ranks
        .map(|rank| {
            let world = member(group, rank, "ranks")?;
            if !seen.insert(world) {
                let allowed = "ranks that are all different";
                return Err(MpiError::parameter(ErrorClass::RANK, "ranks", format!("{rank} twice"), allowed));
            }
            Ok(world.0)
        })
        .collect()
}

/// The group without the given world ranks.
fn without(group: &Group, excluded: &[u32]) -> Group {
    let excluded: smpi_base::map::Set<u32> = excluded.iter().copied().collect();
    Group::list(group.worlds().map(|world| world.0).filter(|world| !excluded.contains(world)).collect())
}

/// `MPI_Group_incl`.
///
/// # Safety
/// `ranks` must have `n` elements; `newgroup` must be null or valid for writing.
pub unsafe fn group_incl(group: MPI_Group, n: c_int, ranks: *const c_int, newgroup: *mut MPI_Group) -> Result<()> {
    let group = convert::group(group, "group")?;
    // SAFETY: by MPI's contract `newgroup` is a place.
    unsafe { give(Group::list(listed(&group, n, ranks)?), newgroup, "newgroup") }
}

/// `MPI_Group_excl`.
///
/// # Safety
/// `ranks` must have `n` elements; `newgroup` must be null or valid for writing.
pub unsafe fn group_excl(group: MPI_Group, n: c_int, ranks: *const c_int, newgroup: *mut MPI_Group) -> Result<()> {
    let group = convert::group(group, "group")?;
    // SAFETY: by MPI's contract `newgroup` is a place.
    unsafe { give(without(&group, &listed(&group, n, ranks)?), newgroup, "newgroup") }
}

/// The ranks that (first, last, stride) triplets stand for.
///
/// # Safety
/// `ranges` must have `n` triplets.
unsafe fn ranged(group: &Group, n: c_int, ranges: *mut [c_int; 3]) -> Result<Vec<u32>> {
    let n = convert::count(n.into(), "n")?;
    let mut ranks = Vec::new();
    for index in 0..n as usize {
        // SAFETY: by MPI's contract `ranges` is an array of `n`.
        let [first, last, stride] = unsafe { *ranges.add(index) };
        if stride == 0 {
            return Err(MpiError::parameter(ErrorClass::ARG, "ranges", "a stride of 0", "strides other than 0"));
        }
        let mut rank = i64::from(first);
        while (stride > 0 && rank <= i64::from(last)) || (stride < 0 && rank >= i64::from(last)) {
            // Checked here so that a wrong range ends at the first rank outside the group.
            member(group, rank as c_int, "ranges")?;
            ranks.push(rank as c_int);
            rank += i64::from(stride);
        }
    }
    distinct(group, ranks.into_iter())
}

/// `MPI_Group_range_incl`.
///
/// # Safety
/// `ranges` must have `n` triplets; `newgroup` must be null or valid for writing.
pub unsafe fn group_range_incl(
    group: MPI_Group,
    n: c_int,
    ranges: *mut [c_int; 3],
    newgroup: *mut MPI_Group,
) -> Result<()> {
    let group = convert::group(group, "group")?;
    // SAFETY: by MPI's contract `newgroup` is a place.
    unsafe { give(Group::list(ranged(&group, n, ranges)?), newgroup, "newgroup") }
}

/// `MPI_Group_range_excl`.
///
/// # Safety
/// `ranges` must have `n` triplets; `newgroup` must be null or valid for writing.
pub unsafe fn group_range_excl(
    group: MPI_Group,
    n: c_int,
    ranges: *mut [c_int; 3],
    newgroup: *mut MPI_Group,
) -> Result<()> {
    let group = convert::group(group, "group")?;
    // SAFETY: by MPI's contract `newgroup` is a place.
    unsafe { give(without(&group, &ranged(&group, n, ranges)?), newgroup, "newgroup") }
}

/// `MPI_Group_free`.
///
/// # Safety
/// `group` must point to a handle.
pub unsafe fn group_free(group: *mut MPI_Group) -> Result<()> {
    // SAFETY: by MPI's contract `group` is a place.
    let handle = unsafe { convert::read(group, "group") }?;
    convert::group(handle, "group")?;
    if handle.addr() != GROUP_EMPTY as usize {
        let key = convert::key(Kind::Group, ErrorClass::GROUP, handle as u64, "group")?;
        with_objects(|objects| objects.groups.remove(key));
    }
    // SAFETY: the handle was read from this place.
    unsafe { *group = std::ptr::without_provenance_mut(GROUP_NULL as usize) };
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
    fn intersection_and_difference_keep_the_order_of_the_first() {
        let (first, second) = (Group::list(vec![9, 2, 7, 4]), Group::list(vec![4, 1, 9]));
        assert_eq!(members(&filtered(&first, &second, true)), [9, 4]);
        assert_eq!(members(&filtered(&first, &second, false)), [2, 7]);
        assert_eq!(members(&without(&first, &[7, 9, 100])), [2, 4]);
    }

    #[test]
    fn listed_ranks_are_members_and_all_different() {
        let group = Group::list(vec![9, 2, 7]);
        let listed = |ranks: &[c_int]| distinct(&group, ranks.iter().copied());
        assert_eq!(listed(&[2, 0]).unwrap(), [7, 9]);
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
        let found = ranged(vec![[0, 4, 3], [9, 5, -3], [7, 7, 5], [8, 2, 1]]).unwrap();
        assert_eq!(found, [100, 103, 109, 106, 107]);
        let class = |ranges| ranged(ranges).unwrap_err().class;
        assert_eq!(class(vec![[0, 4, 0]]), ErrorClass::ARG);
        assert_eq!(class(vec![[0, 4, 2], [4, 6, 1]]), ErrorClass::RANK);
        // The first rank outside ends it: these would be two thousand million.
        assert_eq!(class(vec![[0, c_int::MAX, 1]]), ErrorClass::RANK);
        assert_eq!(class(vec![[0, c_int::MIN, -1]]), ErrorClass::RANK);
        // A step beyond the largest number is no rank, and no end of counting.
        assert_eq!(ranged(vec![[9, c_int::MAX, c_int::MAX]]).unwrap(), [109]);
    }
}
