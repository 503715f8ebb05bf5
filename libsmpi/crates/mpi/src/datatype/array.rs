//! Datatypes for parts of multidimensional arrays: `MPI_Type_create_subarray` and `MPI_Type_create_darray`.
//!
//! Both are nested repetitions, from the dimension that varies fastest outwards, at the end placed into the bounds of
//! the whole array. Source: MPI 5.0 §5.1.3 and §5.1.4.

use super::Datatype;
use super::build::check_count;
use super::contents::{Constructor, Darray};
use super::map::{Map, MapBuilder};
use crate::error::{ErrorClass, MpiError, Result};
use smpi_abi::c::constants::*;

/// Arguments of `MPI_Type_create_darray`. The array arguments have `global_sizes.len()` entries.
#[derive(Clone, Copy, Debug)]
pub struct DarrayArguments<'a> {
    /// Processes in the grid.
    pub size: i32,
    /// The process whose part is described.
    pub rank: i32,
    /// Elements of the global array in each dimension.
    pub global_sizes: &'a [i64],
    /// `MPI_DISTRIBUTE_*` of each dimension.
    pub distributions: &'a [i32],
    /// Block size of each dimension or `MPI_DISTRIBUTE_DFLT_DARG`.
    pub arguments: &'a [i32],
    /// Processes in each dimension.
    pub process_sizes: &'a [i32],
    /// `MPI_ORDER_C` or `MPI_ORDER_FORTRAN`.
    pub order: i32,
}

fn overflow() -> MpiError {
    MpiError::new(ErrorClass::ARG, "the array would exceed 2^63 - 1 bytes")
}

fn times(a: i64, b: i64) -> Result<i64> {
    a.checked_mul(b).ok_or_else(overflow)
}

/// The dimensions from the fastest varying one outwards.
fn inside_out(dimensions: usize, order: i32) -> Result<Vec<usize>> {
    match order {
        MPI_ORDER_FORTRAN => Ok((0..dimensions).collect()),
        MPI_ORDER_C => Ok((0..dimensions).rev().collect()),
        _ => {
            let allowed = "MPI_ORDER_C or MPI_ORDER_FORTRAN";
            Err(MpiError::parameter(ErrorClass::ARG, "order", order, allowed))
        }
    }
}

fn check_at_least_one(name: &str, index: usize, value: i64) -> Result<()> {
    if value >= 1 {
        return Ok(());
    }
    Err(MpiError::parameter(ErrorClass::ARG, &format!("{name}[{index}]"), value, "1 or more"))
}

fn check_dimensions(dimensions: usize) -> Result<()> {
    if dimensions == 0 || dimensions > i32::MAX as usize {
        return Err(MpiError::parameter(ErrorClass::ARG, "ndims", dimensions, "1 or more"));
    }
    Ok(())
}

impl Datatype {
    /// `MPI_Type_create_subarray`. The slices have one entry per dimension.
    pub fn subarray(sizes: &[i64], subsizes: &[i64], starts: &[i64], order: i32, old: &Datatype) -> Result<Datatype> {
        check_dimensions(sizes.len())?;
        for (index, ((&size, &subsize), &start)) in sizes.iter().zip(subsizes).zip(starts).enumerate() {
            check_at_least_one("array_of_sizes", index, size)?;
            if subsize < 1 || subsize > size {
                let name = format!("array_of_subsizes[{index}]");
                return Err(MpiError::parameter(ErrorClass::ARG, &name, subsize, &format!("1 to {size}")));
            }
            if start < 0 || start > size - subsize {
                let (name, allowed) = (format!("array_of_starts[{index}]"), format!("0 to {}", size - subsize));
                return Err(MpiError::parameter(ErrorClass::ARG, &name, start, &allowed));
            }
        }
        let mut map = old.map().clone();
        let (mut step, mut offset) = (old.extent(), 0_i64);
        for dimension in inside_out(sizes.len(), order)? {
            map = map.repeated(subsizes[dimension] as u64, step)?;
            offset = offset.checked_add(times(starts[dimension], step)?).ok_or_else(overflow)?;
            step = times(step, sizes[dimension])?;
        }
        let map = map.shifted(offset)?.resized(0, step)?;
        let (sizes, subsizes, starts, old) = (sizes.into(), subsizes.into(), starts.into(), old.clone());
        Datatype::derived(Constructor::Subarray { sizes, subsizes, starts, order, old }, map)
    }

    /// `MPI_Type_create_darray`.
    pub fn darray(arguments: DarrayArguments, old: &Datatype) -> Result<Datatype> {
        let dimensions = arguments.global_sizes.len();
        let coordinates = check_darray(&arguments)?;
        let mut map = old.map().clone();
        let mut step = old.extent();
        for dimension in inside_out(dimensions, arguments.order)? {
            let part = Distribution::new(&arguments, dimension, coordinates[dimension])?;
            map = part.apply(&map, step)?;
            step = times(step, part.global)?;
        }
        let map = map.resized(0, step)?;
        let constructor = Constructor::Darray(Box::new(Darray {
            size: arguments.size,
            rank: arguments.rank,
            global_sizes: arguments.global_sizes.into(),
            distributions: arguments.distributions.into(),
            arguments: arguments.arguments.into(),
            process_sizes: arguments.process_sizes.into(),
            order: arguments.order,
            old: old.clone(),
        }));
        Datatype::derived(constructor, map)
    }
}

impl Darray {
    /// The same part of the same array, with elements of another type.
    pub(super) fn again(&self, old: &Datatype) -> Result<Datatype> {
        let arguments = DarrayArguments {
            size: self.size,
            rank: self.rank,
            global_sizes: &self.global_sizes,
            distributions: &self.distributions,
            arguments: &self.arguments,
            process_sizes: &self.process_sizes,
            order: self.order,
        };
        Datatype::darray(arguments, old)
    }
}

/// Checks the grid and gives the coordinates of the rank in it: always row-major, whatever the array's order.
fn check_darray(arguments: &DarrayArguments) -> Result<Vec<i64>> {
    check_dimensions(arguments.global_sizes.len())?;
    check_at_least_one("size", 0, i64::from(arguments.size))
        .map_err(|_| MpiError::parameter(ErrorClass::ARG, "size", arguments.size, "1 or more"))?;
    if arguments.rank < 0 || arguments.rank >= arguments.size {
        let allowed = format!("0 to {}", arguments.size - 1);
        return Err(MpiError::parameter(ErrorClass::RANK, "rank", arguments.rank, &allowed));
    }
    for (index, &size) in arguments.global_sizes.iter().enumerate() {
        check_at_least_one("array_of_gsizes", index, size)?;
    }
    let mut grid = 1_i64;
    for (index, &size) in arguments.process_sizes.iter().enumerate() {
        check_at_least_one("array_of_psizes", index, i64::from(size))?;
        grid = grid.saturating_mul(i64::from(size));
    }
    if grid != i64::from(arguments.size) {
        let allowed = format!("a grid of {} processes", arguments.size);
        return Err(MpiError::parameter(
            ErrorClass::ARG,
            "array_of_psizes",
            format_args!("a grid of {grid}"),
            &allowed,
        ));
    }
    let (mut rest, mut below) = (i64::from(arguments.rank), grid);
    Ok(arguments
        .process_sizes
        .iter()
        .map(|&size| {
            below /= i64::from(size);
            let coordinate = rest / below;
            rest %= below;
            coordinate
        })
        .collect())
}

/// How one dimension is dealt out: blocks of `block` elements, one for each of `processes` in turn.
struct Distribution {
    global: i64,
    block: i64,
    processes: i64,
    coordinate: i64,
}

impl Distribution {
    fn new(arguments: &DarrayArguments, dimension: usize, coordinate: i64) -> Result<Distribution> {
        let global = arguments.global_sizes[dimension];
        let processes = i64::from(arguments.process_sizes[dimension]);
        let argument = i64::from(arguments.arguments[dimension]);
        let default = arguments.arguments[dimension] == MPI_DISTRIBUTE_DFLT_DARG;
        let refuse = |allowed: &str| {
            let name = format!("array_of_dargs[{dimension}]");
            Err(MpiError::parameter(ErrorClass::ARG, &name, argument, allowed))
        };
        let block = match arguments.distributions[dimension] {
            MPI_DISTRIBUTE_BLOCK if default => (global - 1) / processes + 1,
            MPI_DISTRIBUTE_BLOCK if argument < 1 || argument.saturating_mul(processes) < global => {
                return refuse(&format!("MPI_DISTRIBUTE_DFLT_DARG or at least {}", (global - 1) / processes + 1));
            }
            MPI_DISTRIBUTE_CYCLIC if default => 1,
            MPI_DISTRIBUTE_CYCLIC if argument < 1 => return refuse("MPI_DISTRIBUTE_DFLT_DARG or 1 or more"),
            MPI_DISTRIBUTE_BLOCK | MPI_DISTRIBUTE_CYCLIC => argument,
            MPI_DISTRIBUTE_NONE if processes != 1 => {
                let name = format!("array_of_psizes[{dimension}]");
                let allowed = "1 for MPI_DISTRIBUTE_NONE";
                return Err(MpiError::parameter(ErrorClass::ARG, &name, processes, allowed));
            }
            MPI_DISTRIBUTE_NONE => global,
            other => {
                let name = format!("array_of_distribs[{dimension}]");
                let allowed = "MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC or MPI_DISTRIBUTE_NONE";
                return Err(MpiError::parameter(ErrorClass::ARG, &name, other, allowed));
            }
        };
        Ok(Distribution { global, block, processes, coordinate })
    }

    /// The elements of `map` that belong to this coordinate, `step` bytes apart.
    fn apply(&self, map: &Map, step: i64) -> Result<Map> {
        let mut builder = MapBuilder::new();
        let first = times(self.coordinate, self.block)?;
        if first < self.global {
            let round = self.processes.saturating_mul(self.block);
            let (rounds, rest) = ((self.global - first) / round, (self.global - first) % round);
            // A rest shorter than a block is the last, partial block; otherwise that round is full for this coordinate.
            let (whole, partial) = if rest >= self.block { (rounds + 1, 0) } else { (rounds, rest) };
            if whole > 0 {
                let stride = if whole > 1 { times(round, step)? } else { 0 };
                let blocks = map.repeated(self.block as u64, step)?.repeated(whole as u64, stride)?;
                builder.push(&blocks, times(first, step)?)?;
            }
            if partial > 0 {
                let start = first + whole * round;
                builder.push(&map.repeated(partial as u64, step)?, times(start, step)?)?;
            }
        }
        Ok(builder.finish())
    }
}

/// Checks `ndims` as the program passed it.
pub fn check_ndims(ndims: i32) -> Result<usize> {
    let count = check_count(ErrorClass::ARG, "ndims", i64::from(ndims))? as usize;
    check_dimensions(count)?;
    Ok(count)
}
