//! How a datatype was made: the combiner and its arguments, for `MPI_Type_get_envelope` and `MPI_Type_get_contents`.
//!
//! Source: MPI 5.0 §5.1.13. Types made by a `_c` constructor report their counts, displacements and bounds as large
//! counts; so do types whose arguments do not fit an `int`.

use super::map::Map;
use super::{Basic, Datatype, Elements};
use crate::error::{ErrorClass, MpiError, Result};
use smpi_abi::c::constants::*;

/// A constructor call with its arguments.
#[derive(Clone, Hash, Debug)]
pub(super) enum Constructor {
    Named(Basic),
    Dup(Datatype),
    Contiguous { count: i64, old: Datatype },
    Vector { count: i64, block: i64, stride: i64, old: Datatype },
    Hvector { count: i64, block: i64, stride: i64, old: Datatype },
    Indexed { blocks: Box<[i64]>, displacements: Box<[i64]>, old: Datatype },
    Hindexed { blocks: Box<[i64]>, displacements: Box<[i64]>, old: Datatype },
    IndexedBlock { block: i64, displacements: Box<[i64]>, old: Datatype },
    HindexedBlock { block: i64, displacements: Box<[i64]>, old: Datatype },
    Struct { blocks: Box<[i64]>, displacements: Box<[i64]>, types: Box<[Datatype]> },
    Subarray { sizes: Box<[i64]>, subsizes: Box<[i64]>, starts: Box<[i64]>, order: i32, old: Datatype },
    Darray(Box<Darray>),
    F90Real { precision: i32, range: i32 },
    F90Complex { precision: i32, range: i32 },
    F90Integer { range: i32 },
    Resized { lower: i64, extent: i64, old: Datatype },
}

/// The arguments of `MPI_Type_create_darray`.
#[derive(Clone, Hash, Debug)]
pub(super) struct Darray {
    pub(super) size: i32,
    pub(super) rank: i32,
    pub(super) global_sizes: Box<[i64]>,
    pub(super) distributions: Box<[i32]>,
    pub(super) arguments: Box<[i32]>,
    pub(super) process_sizes: Box<[i32]>,
    pub(super) order: i32,
    pub(super) old: Datatype,
}

/// The number that `MPI_Type_get_envelope` reports: one of `MPI_COMBINER_*`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Combiner(pub i32);

/// Arguments of a constructor, sorted into the lists of `MPI_Type_get_contents_c`. Their lengths are the envelope.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// `array_of_integers`.
    pub integers: Vec<i32>,
    /// `array_of_addresses`.
    pub addresses: Vec<i64>,
    /// `array_of_large_counts`.
    pub counts: Vec<i64>,
    /// `array_of_datatypes`.
    pub types: Vec<Datatype>,
}

/// Where a value goes in the form of the `int` functions; in the large form all of these are large counts.
#[derive(Clone, Copy, PartialEq)]
enum Small {
    Integer,
    Address,
}

impl Constructor {
    /// Without a constructor call of the program, or with the standing of a predefined type.
    pub(super) fn is_predefined(&self) -> bool {
        use Constructor::*;
        matches!(self, Named(_) | F90Real { .. } | F90Complex { .. } | F90Integer { .. })
    }

    fn combiner(&self) -> i32 {
        match self {
            Constructor::Named(_) => MPI_COMBINER_NAMED,
            Constructor::Dup(_) => MPI_COMBINER_DUP,
            Constructor::Contiguous { .. } => MPI_COMBINER_CONTIGUOUS,
            Constructor::Vector { .. } => MPI_COMBINER_VECTOR,
            Constructor::Hvector { .. } => MPI_COMBINER_HVECTOR,
            Constructor::Indexed { .. } => MPI_COMBINER_INDEXED,
            Constructor::Hindexed { .. } => MPI_COMBINER_HINDEXED,
            Constructor::IndexedBlock { .. } => MPI_COMBINER_INDEXED_BLOCK,
            Constructor::HindexedBlock { .. } => MPI_COMBINER_HINDEXED_BLOCK,
            Constructor::Struct { .. } => MPI_COMBINER_STRUCT,
            Constructor::Subarray { .. } => MPI_COMBINER_SUBARRAY,
            Constructor::Darray(_) => MPI_COMBINER_DARRAY,
            Constructor::F90Real { .. } => MPI_COMBINER_F90_REAL,
            Constructor::F90Complex { .. } => MPI_COMBINER_F90_COMPLEX,
            Constructor::F90Integer { .. } => MPI_COMBINER_F90_INTEGER,
            Constructor::Resized { .. } => MPI_COMBINER_RESIZED,
        }
    }

    /// Hands every count-like argument, in the order of the standard's tables, to `visit`.
    fn visit_counts(&self, visit: &mut dyn FnMut(Small, &[i64])) {
        use Constructor::*;
        use Small::{Address, Integer};
        match self {
            Named(_) | Dup(_) | F90Real { .. } | F90Complex { .. } | F90Integer { .. } => {}
            Contiguous { count, .. } => visit(Integer, &[*count]),
            Vector { count, block, stride, .. } => visit(Integer, &[*count, *block, *stride]),
            Hvector { count, block, stride, .. } => {
                visit(Integer, &[*count, *block]);
                visit(Address, &[*stride]);
            }
            Indexed { blocks, displacements, .. } => {
                visit(Integer, &[blocks.len() as i64]);
                visit(Integer, blocks);
                visit(Integer, displacements);
            }
            Hindexed { blocks, displacements, .. } | Struct { blocks, displacements, .. } => {
                visit(Integer, &[blocks.len() as i64]);
                visit(Integer, blocks);
                visit(Address, displacements);
            }
            IndexedBlock { block, displacements, .. } => {
                visit(Integer, &[displacements.len() as i64, *block]);
                visit(Integer, displacements);
            }
            HindexedBlock { block, displacements, .. } => {
                visit(Integer, &[displacements.len() as i64, *block]);
                visit(Address, displacements);
            }
            Subarray { sizes, subsizes, starts, .. } => {
                visit(Integer, sizes);
                visit(Integer, subsizes);
                visit(Integer, starts);
            }
            Darray(array) => visit(Integer, &array.global_sizes),
            Resized { lower, extent, .. } => visit(Address, &[*lower, *extent]),
        }
    }

    /// True when the arguments can be reported by the `int` form.
    pub(super) fn fits_int(&self) -> bool {
        let mut fits = true;
        self.visit_counts(&mut |small, values| {
            fits &= small == Small::Address || values.iter().all(|&value| i32::try_from(value).is_ok());
        });
        fits
    }

    /// Of which predefined types the data of a type is that was made so, if there is any.
    pub(super) fn elements(&self, map: &Map) -> Elements {
        use Constructor::*;
        match self {
            Named(basic) => Elements::One(*basic),
            F90Real { .. } | F90Complex { .. } | F90Integer { .. } => {
                map.signature.uniform().map_or(Elements::Several, Elements::One)
            }
            Struct { blocks, types, .. } => {
                let present = blocks.iter().zip(types).filter(|(block, _)| **block > 0);
                present.fold(Elements::Nothing, |all, (_, datatype)| match (all, datatype.node().elements) {
                    (one, Elements::Nothing) | (Elements::Nothing, one) => one,
                    (one, other) if one == other => one,
                    _ => Elements::Several,
                })
            }
            // All others are made of one type.
            _ => self.types().first().map_or(Elements::Nothing, |old| old.node().elements),
        }
    }

    fn types(&self) -> Vec<Datatype> {
        use Constructor::*;
        match self {
            Named(_) | F90Real { .. } | F90Complex { .. } | F90Integer { .. } => Vec::new(),
            Dup(old)
            | Contiguous { old, .. }
            | Vector { old, .. }
            | Hvector { old, .. }
            | Indexed { old, .. }
            | Hindexed { old, .. }
            | IndexedBlock { old, .. }
            | HindexedBlock { old, .. }
            | Subarray { old, .. }
            | Resized { old, .. } => vec![old.clone()],
            Darray(array) => vec![array.old.clone()],
            Struct { types, .. } => types.to_vec(),
        }
    }
}

impl Datatype {
    /// Which constructor made this type.
    pub fn combiner(&self) -> Combiner {
        Combiner(self.node().constructor.combiner())
    }

    /// True when bytes were counted somewhere in its construction (a struct, an h-vector, displacements in bytes), so
    /// that one element may lie in several variables.
    pub fn counts_bytes(&self) -> bool {
        use Constructor::{Hindexed, HindexedBlock, Hvector, Struct};
        let constructor = &self.node().constructor;
        matches!(constructor, Struct { .. } | Hvector { .. } | Hindexed { .. } | HindexedBlock { .. })
            || constructor.types().iter().any(Datatype::counts_bytes)
    }

    /// Reports the arguments as large counts from now on: for types that a `_c` constructor has just made.
    pub fn with_large_counts(mut self) -> Datatype {
        if let super::Node::Derived(node) = &mut self.0 {
            std::sync::Arc::make_mut(node).large = true;
        }
        self
    }

    /// The arguments of the constructor. Errors: `MPI_ERR_TYPE` for predefined types with a name, which have none.
    pub fn contents(&self) -> Result<Contents> {
        match self.node().constructor {
            Constructor::Named(basic) => {
                let (value, allowed) = (basic.name(), "a datatype that is not predefined");
                Err(MpiError::parameter(ErrorClass::TYPE, "datatype", value, allowed))
            }
            _ => Ok(self.envelope()),
        }
    }

    /// Like [`Datatype::contents`], but empty for predefined types: the lengths are what the envelope reports.
    pub fn envelope(&self) -> Contents {
        let (node, mut contents) = (self.node(), Contents::default());
        contents.types = node.constructor.types();
        match &node.constructor {
            Constructor::Subarray { sizes, .. } => contents.integers.push(sizes.len() as i32),
            Constructor::Darray(array) => {
                contents.integers.extend([array.size, array.rank, array.global_sizes.len() as i32])
            }
            Constructor::F90Integer { range } => contents.integers.push(*range),
            Constructor::F90Real { precision, range } | Constructor::F90Complex { precision, range } => {
                contents.integers.extend([*precision, *range]);
            }
            _ => {}
        }
        node.constructor.visit_counts(&mut |small, values| match (node.large, small) {
            (true, _) => contents.counts.extend(values),
            // Values of the int form fit: otherwise the type would be large.
            (false, Small::Integer) => contents.integers.extend(values.iter().map(|&value| value as i32)),
            (false, Small::Address) => contents.addresses.extend(values),
        });
        match &node.constructor {
            Constructor::Subarray { order, .. } => contents.integers.push(*order),
            Constructor::Darray(array) => {
                contents.integers.extend(array.distributions.iter());
                contents.integers.extend(array.arguments.iter());
                contents.integers.extend(array.process_sizes.iter());
                contents.integers.push(array.order);
            }
            _ => {}
        }
        contents
    }
}
