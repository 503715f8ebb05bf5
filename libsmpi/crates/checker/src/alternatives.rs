//! Which results of Waitany, Waitsome, Testany and Testsome are tried, of all completed requests that they could
//! return. Such a call is called a *question* here, and its result the answer.
//!
//! Without further knowledge all results are tried. An *annotation* says of each request whether it matters to the
//! program that this one is returned ("Static-analysis Assisted Dynamic Verification to Efficiently Handle Waitany
//! Non-determinism", §2 and §3): only those that matter are branched on. If the program (by `MPI_Pcontrol`) or its
//! observer knows that a request does not matter, [`Completed::matters`] says so. Only this file leaves alternatives
//! out for that reason.
//!
//! Where nothing matters, the paper's tool may "randomly select any"; else it interleaves "with requests that have 1".
//! Here:
//!
//! - Each completed request that matters is an alternative.
//! - All others are *one* alternative, [`ANY`], which stands for the lowest of them that is complete when it is chosen.
//!   A set of choices must mean the same in any order. Which of these requests are complete depends on the order; that
//!   one of them is complete does not.
//! - [`ANY`] is left out when a request that matters is *certain*: complete whenever the question is asked, because its
//!   causes happened before the question. A request that matters but may complete later does not suppress [`ANY`]: in
//!   some execution only the others are complete, and this execution may have an error.
//!
//! So the alternatives do not depend on other ranks' concurrent choices, as [`crate::system::System`] demands. Where a
//! request is complete, there is at least one alternative.

/// The candidate that means "nothing yet"; larger than any other.
pub const NOT_YET: u64 = u64::MAX;
/// The candidate that means "one that does not matter": the lowest of them.
pub const ANY: u64 = u64::MAX - 1;

/// In the key of a set: the other bits are the position of its only member.
const SINGLE: u64 = 1 << 62;
/// The key of the set of all completed requests.
const ALL: u64 = 1 << 61;
/// Positions below this one can be bits of a key.
const MAX_BITS: u32 = 56;

/// A completed request that a question is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Completed {
    /// Its position among the requests that were asked about.
    pub position: u32,
    /// It matters to the program whether it is this one.
    pub matters: bool,
    /// Whatever other choices are made before this one, it is complete.
    pub certain: bool,
    /// The rank was told already that it is complete: a set has to have it.
    pub known: bool,
}

/// Appends the alternatives of a question that is answered with one request: positions, and [`ANY`].
pub fn of_one(done: &[Completed], keys: &mut Vec<u64>) {
    keys.extend(done.iter().filter(|one| one.matters).map(|one| u64::from(one.position)));
    keys.extend(any(done));
}

/// Appends the alternatives of a question that is answered with a set: keys for [`contains`], and [`ANY`]. Each set has
/// the requests that the rank knows of. Where it does not know of more than `most` requests that matter, not all sets
/// are tried, only each single request (with those that it knows of) and all together; then the answer is true.
pub fn of_sets(done: &[Completed], most: u32, keys: &mut Vec<u64>) -> bool {
    let matter = |known: bool| done.iter().filter(move |one| one.matters && one.known == known).map(|one| one.position);
    let (count, last) = (matter(false).count() as u32, done.iter().rfind(|one| one.matters));
    let (has_known, has_bits) = (matter(true).next().is_some(), last.is_none_or(|last| last.position < MAX_BITS));
    let all_sets = count <= most.min(MAX_BITS) && has_bits;
    let bits = |positions: &mut dyn Iterator<Item = u32>| -> u64 { positions.map(|position| 1 << position).sum() };
    if all_sets {
        let known = bits(&mut matter(true));
        let is_chosen = |chosen: u64, index: usize| chosen >> index & 1 == 1;
        let set = |chosen: u64| {
            let added = &mut matter(false).enumerate().filter(|(index, _)| is_chosen(chosen, *index));
            known | bits(&mut added.map(|(_, position)| position))
        };
        keys.extend((u64::from(!has_known)..1 << count).map(set));
    } else if has_bits && has_known {
        let known = bits(&mut matter(true));
        keys.extend(std::iter::once(known).chain(matter(false).map(|position| known | 1 << position)));
        keys.push(ALL);
    } else {
        keys.extend(matter(false).map(single).filter(|_| !has_known));
        keys.extend((has_known || count > 1).then_some(ALL));
    }
    keys.extend(any(done));
    !all_sets && (count > 1 || has_known && count > 0)
}

/// The key of a set with one member: the same however many others there are.
fn single(position: u32) -> u64 {
    if position < MAX_BITS { 1 << position } else { SINGLE | u64::from(position) }
}

/// [`ANY`], where it is an alternative.
fn any(done: &[Completed]) -> Option<u64> {
    let is_ignored = done.iter().any(|one| !one.matters);
    let is_certain = done.iter().any(|one| one.matters && one.certain);
    (is_ignored && !is_certain).then_some(ANY)
}

/// The key of the alternative that a chosen one stands for: itself, unless it is [`ANY`].
pub fn resolved(key: u64, done: &[Completed], is_set: bool) -> u64 {
    match done.iter().find(|one| !one.matters) {
        Some(one) if key == ANY && is_set => single(one.position),
        Some(one) if key == ANY => u64::from(one.position),
        _ => key,
    }
}

/// Whether a set has the completed request at this position.
pub fn contains(key: u64, position: u32) -> bool {
    match key {
        NOT_YET => false,
        ALL => true,
        _ if key & SINGLE != 0 => key & !SINGLE == u64::from(position),
        _ => position < MAX_BITS && key >> position & 1 == 1,
    }
}

/// The members of a set by position; `None`: all that were complete.
pub fn members(key: u64) -> Option<Vec<u32>> {
    match key {
        ALL => None,
        _ if key & SINGLE != 0 => Some(vec![(key & !SINGLE) as u32]),
        _ => Some((0..MAX_BITS).filter(|&position| contains(key, position)).collect()),
    }
}

/// Whether a request that was not complete when the question was answered would have been a further alternative if it
/// had been: what late arrivals are looked for among.
pub fn is_awaited(done: &[Completed], matters: bool) -> bool {
    matters || done.iter().all(|one| one.matters && !one.certain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(all: &[(u32, bool, bool)]) -> Vec<Completed> {
        let known = false;
        all.iter().map(|&(position, matters, certain)| Completed { position, matters, certain, known }).collect()
    }

    fn one(all: &[(u32, bool, bool)]) -> Vec<u64> {
        let mut keys = Vec::new();
        of_one(&done(all), &mut keys);
        keys
    }

    fn sets(all: &[(u32, bool, bool)], most: u32) -> (Vec<u64>, bool) {
        let mut keys = Vec::new();
        let left_out = of_sets(&done(all), most, &mut keys);
        (keys, left_out)
    }

    #[test]
    fn what_does_not_matter_is_one_alternative_or_none() {
        assert_eq!(one(&[(0, true, true), (2, true, false)]), [0, 2]);
        assert_eq!(one(&[(0, false, true), (2, false, true)]), [ANY]);
        assert_eq!(one(&[(0, false, true), (2, true, true)]), [2]);
        assert_eq!(one(&[(0, false, true), (2, true, false)]), [2, ANY]);
        assert!(one(&[]).is_empty());
        assert_eq!(resolved(ANY, &done(&[(1, true, false), (2, false, true), (3, false, true)]), false), 2);
        assert_eq!(resolved(1, &done(&[(1, true, false), (2, false, true)]), false), 1);
    }

    #[test]
    fn sets_are_all_or_said_not_to_be() {
        let three = [(0, true, true), (1, true, true), (4, true, true)];
        assert_eq!(sets(&three, 3), (vec![1, 2, 3, 16, 17, 18, 19], false));
        let (keys, left_out) = sets(&three, 2);
        assert_eq!((keys.len(), left_out), (4, true));
        let one = |position| Some(vec![position]);
        assert_eq!(keys.iter().map(|&key| members(key)).collect::<Vec<_>>(), [one(0), one(1), one(4), None]);
        assert!([0, 1, 4].iter().all(|&position| contains(keys[3], position)));
        assert_eq!(sets(&[(70, true, true)], 10), (vec![SINGLE | 70], false));
        assert_eq!(sets(&[(0, false, true), (1, false, true)], 10), (vec![ANY], false));
        assert!(contains(resolved(ANY, &done(&[(60, false, true)]), true), 60));
        assert!(!contains(NOT_YET, 3));
    }

    #[test]
    fn sets_have_what_is_known() {
        let of = |known: &[u32], all: &[u32], most: u32| {
            let one = |&position: &u32| {
                let known = known.contains(&position);
                Completed { position, matters: true, certain: false, known }
            };
            let (done, mut keys) = (all.iter().map(one).collect::<Vec<_>>(), Vec::new());
            let left_out = of_sets(&done, most, &mut keys);
            (keys, left_out)
        };
        assert_eq!(of(&[1], &[0, 1, 4], 9), (vec![2, 3, 18, 19], false));
        assert_eq!(of(&[0, 1], &[0, 1], 9), (vec![3], false));
        assert_eq!(of(&[1], &[0, 1, 4], 1), (vec![2, 3, 18, ALL], true));
        assert_eq!(of(&[1], &[0, 1, 70], 9), (vec![ALL], true));
        assert_eq!(of(&[70], &[70], 9), (vec![ALL], false));
    }

    #[test]
    fn late_ones_are_looked_for_where_they_would_be_alternatives() {
        assert!(is_awaited(&done(&[(0, false, true)]), true));
        assert!(!is_awaited(&done(&[(0, false, true)]), false));
        assert!(is_awaited(&done(&[(0, true, false)]), false));
        assert!(!is_awaited(&done(&[(0, true, true)]), false));
    }
}
