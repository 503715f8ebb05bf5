//! Trees that are not binomial: who a rank's parent and children are. Numbers are relative to the root, which is 0,
//! except where the order of all ranks matters.
//!
//! The shapes are those of Open MPI (4.1, `coll_base_topo.c`) and, for k-nomial trees, of MVAPICH2 (1.9). Those are
//! binomial trees with a base other than 2.

/// One rank's place.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Place {
    /// The number above, or `None` at the root.
    pub(super) parent: Option<u32>,
    /// The numbers below, in the order in which they are served.
    pub(super) children: Vec<u32>,
}

impl Place {
    /// The same with other numbers.
    pub(super) fn map(self, rank: impl Fn(u32) -> u32) -> Place {
        Place { parent: self.parent.map(&rank), children: self.children.into_iter().map(&rank).collect() }
    }
}

/// Most chains below a root.
const MOST_CHAINS: u32 = 32;

/// Chains of nearly equal length that hang below the root.
pub(super) fn chains(number: u32, size: u32, chains: u32) -> Place {
    let chains = chains.clamp(1, MOST_CHAINS).min((size - 1).max(1));
    let (length, long) = ((size - 1) / chains, (size - 1) % chains);
    // The first `long` chains have one rank more.
    let head = |chain: u32| 1 + chain * length + chain.min(long);
    if number == 0 {
        return Place { parent: None, children: (0..chains).map(head).filter(|&head| head < size).collect() };
    }
    let is_head = |number: u32| (0..chains).any(|chain| head(chain) == number);
    let next = Some(number + 1).filter(|&next| next < size && !is_head(next));
    Place { parent: Some(if is_head(number) { 0 } else { number - 1 }), children: next.into_iter().collect() }
}

/// A binary tree whose left half has the odd numbers and whose right half the even ones: number v on level l has the
/// children v + 2ˡ and v + 2·2ˡ.
pub(super) fn binary(number: u32, size: u32) -> Place {
    let width = 1 << (number + 1).ilog2();
    let children = [number + width, number + 2 * width].into_iter().filter(|&child| child < size).collect();
    if number == 0 {
        return Place { parent: None, children };
    }
    // The level above has half as many numbers, which begin at width / 2 − 1.
    let mut parent = number;
    while parent >= width - 1 {
        parent -= width / 2;
    }
    Place { parent: Some(parent), children }
}

/// A binary tree over ranks in which each subtree is a run of ranks that ends with its root: the last rank is the root,
/// the run before it the first child, the run before that the second one. So values are combined in rank order.
pub(super) fn in_order(rank: u32, size: u32) -> Place {
    // The run first..end has its root at end − 1.
    let (mut first, mut end, mut parent) = (0, size, None);
    loop {
        let root = end - 1;
        let middle = first + (end - first) / 2;
        // One rank below a root is its first child.
        let middle = if end - first == 2 { first } else { middle };
        if rank == root {
            let runs = [(middle, root), (first, middle)];
            let children = runs.into_iter().filter(|run| run.0 < run.1).map(|run| run.1 - 1).collect();
            return Place { parent, children };
        }
        parent = Some(root);
        (first, end) = if rank >= middle { (middle, root) } else { (first, middle) };
    }
}

/// A k-nomial tree: the parent, and the children by rounds, the farthest first.
pub(super) fn knomial(number: u32, size: u32, k: u32) -> (Option<u32>, Vec<Vec<u32>>) {
    let (mut step, mut parent) = (1, None);
    while step < size {
        let above = number / (k * step) * (k * step);
        if above != number {
            parent = Some(above);
            break;
        }
        step *= k;
    }
    let mut rounds = Vec::new();
    while step > 1 {
        step /= k;
        rounds.push((1..k).map(|times| number + times * step).filter(|&child| child < size).collect());
    }
    (parent, rounds)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everybody but the root is the child of its parent, once.
    fn check(size: u32, root: u32, place: impl Fn(u32) -> Place) {
        for number in 0..size {
            assert_eq!(place(number).parent.is_none(), number == root, "{number} of {size}");
            for &child in &place(number).children {
                assert_eq!(place(child).parent, Some(number), "{child} of {size}");
            }
        }
        let below: usize = (0..size).map(|number| place(number).children.len()).sum();
        assert_eq!(below as u32, size - 1);
    }

    #[test]
    fn parents_and_children_agree() {
        for size in 1..70 {
            (1..9).for_each(|number| check(size, 0, |v| chains(v, size, number)));
            check(size, 0, |v| binary(v, size));
            check(size, size - 1, |v| in_order(v, size));
            for k in 2..6 {
                check(size, 0, |v| {
                    let (parent, rounds) = knomial(v, size, k);
                    Place { parent, children: rounds.concat() }
                });
            }
        }
        assert_eq!(chains(0, 9, 3).children, [1, 4, 7]);
        assert_eq!(chains(0, 8, 3).children, [1, 4, 6]);
        assert_eq!(in_order(6, 7).children, [5, 2]);
    }
}
