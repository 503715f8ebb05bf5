//! The smallest sets that have something of each of some given sets.
//!
//! A condition is such a set: of each right execution it has an event that this one lacks. Looked for with one element,
//! with two and so on: some element of a given set of which nothing is chosen has to be, so these are tried one after
//! the other, and an element that was tried is not tried again below the later ones. Given sets that have nothing in
//! common need an element each, which tells early where there is no way.

/// Elements that are chosen in one search for sets of one size, before it is given up.
const MOST_CHOSEN: u64 = 200_000;

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Smallest {
    /// The sets, each ascending, in ascending order.
    pub sets: Vec<Vec<usize>>,
    /// There are no others of this size, and none smaller.
    pub is_all: bool,
}

struct Search<'a> {
    given: &'a [Vec<usize>],
    left: u64,
    chosen: Vec<usize>,
    /// Elements that were tried before, and are not to be chosen.
    tried: Vec<usize>,
    found: Vec<Vec<usize>>,
}

/// The smallest sets that have an element of each given one, which are ascending: all of them if that takes no more
/// than some steps. `None` where one of the given sets is empty, or where not even their size was found out.
pub(crate) fn smallest(given: &[Vec<usize>]) -> Option<Smallest> {
    let given = needed(given);
    if given.first().is_some_and(Vec::is_empty) {
        return None;
    }
    for size in apart(given.iter())..=given.len() {
        let mut search =
            Search { given: &given, left: MOST_CHOSEN, chosen: Vec::new(), tried: Vec::new(), found: Vec::new() };
        let is_all = search.choose(size);
        if !search.found.is_empty() {
            search.found.sort_unstable();
            return Some(Smallest { sets: search.found, is_all });
        }
        if !is_all {
            return None;
        }
    }
    None
}

/// Those that have no other one in them, the shortest first: whoever has something of a set has something of each
/// larger one.
fn needed(given: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut sorted = given.to_vec();
    sorted.sort_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
    sorted.dedup();
    let mut needed: Vec<Vec<usize>> = Vec::new();
    for set in sorted {
        let has = |smaller: &Vec<usize>| smaller.iter().all(|element| set.binary_search(element).is_ok());
        if !needed.iter().any(has) {
            needed.push(set);
        }
    }
    needed
}

/// How many sets that have nothing in common are met first.
fn apart<'a>(sets: impl Iterator<Item = &'a Vec<usize>>) -> usize {
    let mut met: Vec<usize> = Vec::new();
    let mut count = 0;
    for set in sets {
        if !set.iter().any(|element| met.contains(element)) {
            met.extend(set);
            count += 1;
        }
    }
    count
}

impl Search<'_> {
    /// Completes what is chosen with so many elements in all ways; whether it came to an end.
    fn choose(&mut self, size: usize) -> bool {
        let has_none = |set: &&Vec<usize>| !set.iter().any(|element| self.chosen.contains(element));
        let open: Vec<&Vec<usize>> = self.given.iter().filter(has_none).collect();
        if open.is_empty() {
            if size == 0 {
                let mut set = self.chosen.clone();
                set.sort_unstable();
                self.found.push(set);
            }
            return true;
        }
        if apart(open.iter().copied()) > size {
            return true;
        }
        let may_be = |set: &&Vec<usize>| set.iter().filter(|element| !self.tried.contains(element)).count();
        let Some(next) = open.into_iter().min_by_key(may_be) else { return true };
        let before = self.tried.len();
        let mut is_all = true;
        for &element in next {
            if self.tried.contains(&element) {
                continue;
            }
            if self.left == 0 {
                is_all = false;
                break;
            }
            self.left -= 1;
            self.chosen.push(element);
            is_all &= self.choose(size - 1);
            self.chosen.pop();
            self.tried.push(element);
        }
        self.tried.truncate(before);
        is_all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smpi_base::rng::Rng;

    /// The same by trying all sets.
    fn by_trying(given: &[Vec<usize>], elements: usize) -> Vec<Vec<usize>> {
        let of = |bits: u32| (0..elements).filter(|element| bits >> element & 1 == 1).collect::<Vec<_>>();
        let all = (0..1_u32 << elements).map(of);
        let mut sets: Vec<Vec<usize>> =
            all.filter(|set| given.iter().all(|one| one.iter().any(|element| set.contains(element)))).collect();
        let least = sets.iter().map(Vec::len).min().unwrap_or(0);
        sets.retain(|set| set.len() == least);
        sets.sort_unstable();
        sets
    }

    #[test]
    fn they_are_those_of_all_sets() {
        let mut sizes = [0; 8];
        for seed in 0..2_000 {
            let mut rng = Rng::new(seed);
            let elements = 1 + rng.below(9);
            let given: Vec<Vec<usize>> = (0..1 + rng.below(12))
                .map(|_| (0..elements).filter(|_| rng.below(3) == 0).collect::<Vec<_>>())
                .filter(|set: &Vec<usize>| !set.is_empty())
                .collect();
            let found = smallest(&given).unwrap_or(Smallest { sets: vec![Vec::new()], is_all: true });
            assert!(found.is_all);
            assert_eq!(found.sets, by_trying(&given, elements), "{given:?}");
            sizes[found.sets[0].len().min(7)] += 1;
        }
        assert!(sizes[1] > 20 && sizes[2] > 20 && sizes[3] > 20 && sizes[4] > 20, "{sizes:?}");
    }

    #[test]
    fn what_takes_too_long_is_given_up() {
        let given: Vec<Vec<usize>> = (0..40).map(|at| (at..at + 20).chain([60 + at % 7]).collect()).collect();
        assert!(smallest(&given).is_none_or(|found| !found.is_all || !found.sets.is_empty()));
        assert_eq!(smallest(&[vec![1], Vec::new()]), None);
    }
}
