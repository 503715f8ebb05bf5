//! The slow twin: a type as the list of its basic elements, straight from the definitions of MPI 5.0 §5.1.

use super::*;

/// How to make a type; both twins follow it.
#[derive(Clone, Debug)]
pub(super) enum Recipe {
    Basic(Basic),
    Dup(Box<Recipe>),
    Contiguous(i64, Box<Recipe>),
    Vector(i64, i64, i64, Box<Recipe>),
    Hvector(i64, i64, i64, Box<Recipe>),
    Indexed(Vec<(i64, i64)>, Box<Recipe>),
    Hindexed(Vec<(i64, i64)>, Box<Recipe>),
    IndexedBlock(i64, Vec<i64>, Box<Recipe>),
    HindexedBlock(i64, Vec<i64>, Box<Recipe>),
    Struct(Vec<(i64, i64, Recipe)>),
    /// Per dimension: size, subsize and start as fractions of what is allowed.
    Subarray(Vec<(i64, i64, i64)>, bool, Box<Recipe>),
    /// Per dimension: size, processes, distribution (0 none, 1 block, 2 cyclic), argument or 0 for the default.
    Darray(Vec<(i64, i32, u8, i32)>, i32, bool, Box<Recipe>),
    Resized(i64, i64, Box<Recipe>),
}

/// A type map with markers.
#[derive(Clone, Debug, Default)]
pub(super) struct Naive {
    pub(super) entries: Vec<(Basic, i64)>,
    markers: Option<(i64, i64)>,
}

impl Naive {
    pub(super) fn data(&self) -> Option<(i64, i64)> {
        let low = self.entries.iter().map(|entry| entry.1).min()?;
        let high = self.entries.iter().map(|entry| entry.1 + i64::from(entry.0.size())).max()?;
        Some((low, high))
    }

    pub(super) fn lower(&self) -> i64 {
        self.markers.or(self.data()).map_or(0, |bounds| bounds.0)
    }

    pub(super) fn upper(&self) -> i64 {
        if let Some(markers) = self.markers {
            return markers.1;
        }
        let Some((low, mut high)) = self.data() else { return 0 };
        let alignment = self.entries.iter().map(|entry| i64::from(entry.0.alignment())).max().unwrap_or(1);
        while (high - low) % alignment != 0 {
            high += 1;
        }
        high
    }

    fn extent(&self) -> i64 {
        self.upper() - self.lower()
    }

    pub(super) fn basics(&self) -> Vec<Basic> {
        self.entries.iter().map(|entry| entry.0).collect()
    }

    /// Type and offset of every basic element of `count` elements.
    pub(super) fn all(&self, count: u64) -> impl Iterator<Item = (Basic, i64)> {
        let extent = self.extent();
        (0..count as i64).flat_map(move |i| self.entries.iter().map(move |entry| (entry.0, entry.1 + i * extent)))
    }

    /// Adds a copy of `other` at a displacement; `None` when the list gets too long for a test.
    fn add(&mut self, other: &Naive, at: i64) -> Option<()> {
        self.entries.extend(other.entries.iter().map(|entry| (entry.0, entry.1 + at)));
        if let Some((low, high)) = other.markers {
            let (low, high) = (low + at, high + at);
            self.markers = Some(self.markers.map_or((low, high), |m| (m.0.min(low), m.1.max(high))));
        }
        (self.entries.len() <= 10_000).then_some(())
    }

    fn add_block(&mut self, other: &Naive, length: i64, at: i64) -> Option<()> {
        (0..length).try_for_each(|i| self.add(other, at + i * other.extent()))
    }
}

/// Sizes, subsizes and starts that are allowed.
fn subarray_arguments(dimensions: &[(i64, i64, i64)]) -> (Vec<i64>, Vec<i64>, Vec<i64>) {
    let sizes: Vec<i64> = dimensions.iter().map(|d| d.0).collect();
    let subsizes: Vec<i64> = dimensions.iter().map(|d| d.1 % d.0 + 1).collect();
    let starts = dimensions.iter().zip(&subsizes).map(|(d, subsize)| d.2 % (d.0 - subsize + 1)).collect();
    (sizes, subsizes, starts)
}

/// Every index of an array of these sizes, in storage order.
fn indices(sizes: &[i64], fortran: bool) -> Vec<Vec<i64>> {
    let mut all = vec![vec![]];
    let order: Vec<usize> = if fortran { (0..sizes.len()).rev().collect() } else { (0..sizes.len()).collect() };
    for &dimension in &order {
        all = all
            .iter()
            .flat_map(|index| (0..sizes[dimension]).map(move |i| [index.as_slice(), &[i]].concat()))
            .collect();
    }
    if fortran {
        all.iter_mut().for_each(|index| index.reverse());
    }
    all
}

/// Adds the elements of an array that `keep` selects, in storage order, and the bounds of the whole array.
fn array(old: &Naive, sizes: &[i64], fortran: bool, keep: impl Fn(&[i64]) -> bool) -> Option<Naive> {
    let mut result = Naive::default();
    for (place, index) in indices(sizes, fortran).iter().enumerate() {
        if keep(index) {
            result.add(old, place as i64 * old.extent())?;
        }
    }
    result.markers = Some((0, sizes.iter().product::<i64>() * old.extent()));
    Some(result)
}

impl Recipe {
    pub(super) fn naive(&self) -> Option<Naive> {
        let mut result = Naive::default();
        match self {
            Recipe::Basic(basic) => match basic.pair() {
                Some((value, index)) => {
                    result.entries = vec![(value, 0), (index, i64::from(basic.index_offset()))];
                }
                None => result.entries = vec![(*basic, 0)],
            },
            Recipe::Dup(old) => return old.naive(),
            Recipe::Contiguous(count, old) => result.add_block(&old.naive()?, *count, 0)?,
            Recipe::Vector(count, block, stride, old) => {
                let old = old.naive()?;
                (0..*count).try_for_each(|i| result.add_block(&old, *block, i * stride * old.extent()))?;
            }
            Recipe::Hvector(count, block, stride, old) => {
                let old = old.naive()?;
                (0..*count).try_for_each(|i| result.add_block(&old, *block, i * stride))?;
            }
            Recipe::Indexed(blocks, old) => {
                let old = old.naive()?;
                blocks.iter().try_for_each(|b| result.add_block(&old, b.0, b.1 * old.extent()))?;
            }
            Recipe::Hindexed(blocks, old) => {
                let old = old.naive()?;
                blocks.iter().try_for_each(|b| result.add_block(&old, b.0, b.1))?;
            }
            Recipe::IndexedBlock(block, places, old) => {
                let old = old.naive()?;
                places.iter().try_for_each(|at| result.add_block(&old, *block, at * old.extent()))?;
            }
            Recipe::HindexedBlock(block, places, old) => {
                let old = old.naive()?;
                places.iter().try_for_each(|&at| result.add_block(&old, *block, at))?;
            }
            Recipe::Struct(members) => {
                for (length, at, old) in members {
                    result.add_block(&old.naive()?, *length, *at)?;
                }
            }
            Recipe::Subarray(dimensions, fortran, old) => {
                let (sizes, subsizes, starts) = subarray_arguments(dimensions);
                let keep = |index: &[i64]| (0..sizes.len()).all(|d| (0..subsizes[d]).contains(&(index[d] - starts[d])));
                return array(&old.naive()?, &sizes, *fortran, keep);
            }
            Recipe::Darray(dimensions, rank, fortran, old) => {
                let coordinates = coordinates(dimensions, *rank);
                let keep = |index: &[i64]| {
                    dimensions
                        .iter()
                        .zip(index)
                        .zip(&coordinates)
                        .all(|((d, i), c)| i / block(d) % i64::from(d.1) == *c)
                };
                let sizes: Vec<i64> = dimensions.iter().map(|d| d.0).collect();
                return array(&old.naive()?, &sizes, *fortran, keep);
            }
            Recipe::Resized(lower, extent, old) => {
                result = old.naive()?;
                result.markers = Some((*lower, lower + extent));
            }
        }
        Some(result)
    }

    pub(super) fn datatype(&self) -> Datatype {
        let split = |blocks: &[(i64, i64)]| -> (Vec<i64>, Vec<i64>) { blocks.iter().copied().unzip() };
        match self {
            Recipe::Basic(basic) => Ok(Datatype::basic(*basic)),
            Recipe::Dup(old) => old.datatype().dup(),
            Recipe::Contiguous(count, old) => Datatype::contiguous(*count, &old.datatype()),
            Recipe::Vector(count, block, stride, old) => Datatype::vector(*count, *block, *stride, &old.datatype()),
            Recipe::Hvector(count, block, stride, old) => Datatype::hvector(*count, *block, *stride, &old.datatype()),
            Recipe::Indexed(blocks, old) => {
                let (lengths, places) = split(blocks);
                Datatype::indexed(&lengths, &places, &old.datatype())
            }
            Recipe::Hindexed(blocks, old) => {
                let (lengths, places) = split(blocks);
                Datatype::hindexed(&lengths, &places, &old.datatype())
            }
            Recipe::IndexedBlock(block, places, old) => Datatype::indexed_block(*block, places, &old.datatype()),
            Recipe::HindexedBlock(block, places, old) => Datatype::hindexed_block(*block, places, &old.datatype()),
            Recipe::Struct(members) => {
                let lengths: Vec<i64> = members.iter().map(|m| m.0).collect();
                let places: Vec<i64> = members.iter().map(|m| m.1).collect();
                let types: Vec<Datatype> = members.iter().map(|m| m.2.datatype()).collect();
                Datatype::structure(&lengths, &places, &types)
            }
            Recipe::Subarray(dimensions, fortran, old) => {
                let (sizes, subsizes, starts) = subarray_arguments(dimensions);
                Datatype::subarray(&sizes, &subsizes, &starts, order(*fortran), &old.datatype())
            }
            Recipe::Darray(dimensions, rank, fortran, old) => {
                let kinds = [MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC];
                let default = |argument: i32| if argument == 0 { MPI_DISTRIBUTE_DFLT_DARG } else { argument };
                let arguments = DarrayArguments {
                    size: dimensions.iter().map(|d| d.1).product(),
                    rank: rank % dimensions.iter().map(|d| d.1).product::<i32>(),
                    global_sizes: &dimensions.iter().map(|d| d.0).collect::<Vec<_>>(),
                    distributions: &dimensions.iter().map(|d| kinds[d.2 as usize]).collect::<Vec<_>>(),
                    arguments: &dimensions.iter().map(|d| default(d.3)).collect::<Vec<_>>(),
                    process_sizes: &dimensions.iter().map(|d| d.1).collect::<Vec<_>>(),
                    order: order(*fortran),
                };
                Datatype::darray(arguments, &old.datatype())
            }
            Recipe::Resized(lower, extent, old) => old.datatype().resized(*lower, *extent),
        }
        .unwrap()
    }
}

fn order(fortran: bool) -> i32 {
    if fortran { MPI_ORDER_FORTRAN } else { MPI_ORDER_C }
}

fn coordinates(dimensions: &[(i64, i32, u8, i32)], rank: i32) -> Vec<i64> {
    let mut rest = rank % dimensions.iter().map(|d| d.1).product::<i32>();
    let mut coordinates: Vec<i64> = dimensions
        .iter()
        .rev()
        .map(|d| {
            let coordinate = rest % d.1;
            rest /= d.1;
            i64::from(coordinate)
        })
        .collect();
    coordinates.reverse();
    coordinates
}

/// Elements that one process gets in a row.
fn block(dimension: &(i64, i32, u8, i32)) -> i64 {
    let &(size, processes, kind, argument) = dimension;
    match (kind, argument) {
        (0, _) => size,
        (1, 0) => (size + i64::from(processes) - 1) / i64::from(processes),
        (_, 0) => 1,
        (_, argument) => i64::from(argument),
    }
}

fn dimension() -> impl Strategy<Value = (i64, i32, u8, i32)> {
    (1..7_i64, 1..4_i32, 0..3_u8, 0..4_i32).prop_map(|(size, processes, kind, argument)| match kind {
        0 => (size, 1, 0, 0),
        1 if i64::from(argument) * i64::from(processes) < size => (size, processes, 1, 0),
        kind => (size, processes, kind, argument),
    })
}

/// A count: seldom zero.
fn few(max: i64) -> impl Strategy<Value = i64> {
    prop_oneof![1 => Just(0), 12 => 1..=max]
}

/// Random types up to three constructors deep.
pub(super) fn recipes() -> impl Strategy<Value = Recipe> {
    let leaf = prop::sample::select(Basic::ALL).prop_map(Recipe::Basic);
    let plain = prop::sample::select(&[Basic::Byte, Basic::Int, Basic::Double][..]).prop_map(Recipe::Basic);
    let place = || prop_oneof![-40..40_i64, Just(8), -3000..3000_i64];
    prop_oneof![leaf, plain].prop_recursive(3, 30, 4, move |inner| {
        let old = || inner.clone().prop_map(Box::new);
        let pairs = || prop::collection::vec((few(4), place()), 0..6);
        prop_oneof![
            old().prop_map(Recipe::Dup),
            (few(5), old()).prop_map(|(n, old)| Recipe::Contiguous(n, old)),
            (few(5), few(4), -5..6_i64, old()).prop_map(|(n, b, s, old)| Recipe::Vector(n, b, s, old)),
            (few(5), few(4), place(), old()).prop_map(|(n, b, s, old)| Recipe::Hvector(n, b, s, old)),
            (prop::collection::vec((few(4), -9..9_i64), 0..6), old()).prop_map(|(b, old)| Recipe::Indexed(b, old)),
            (pairs(), old()).prop_map(|(b, old)| Recipe::Hindexed(b, old)),
            (few(4), prop::collection::vec(-9..9_i64, 0..6), old())
                .prop_map(|(n, d, old)| Recipe::IndexedBlock(n, d, old)),
            (few(4), prop::collection::vec(place(), 0..6), old())
                .prop_map(|(n, d, old)| Recipe::HindexedBlock(n, d, old)),
            prop::collection::vec((few(3), place(), inner.clone()), 0..5).prop_map(Recipe::Struct),
            (prop::collection::vec((1..5_i64, 0..5_i64, 0..5_i64), 1..4), any::<bool>(), old())
                .prop_map(|(d, order, old)| Recipe::Subarray(d, order, old)),
            (prop::collection::vec(dimension(), 1..4), 0..30_i32, any::<bool>(), old())
                .prop_map(|(d, rank, order, old)| Recipe::Darray(d, rank, order, old)),
            (-20..20_i64, -20..60_i64, old()).prop_map(|(lower, extent, old)| Recipe::Resized(lower, extent, old)),
        ]
    })
}
