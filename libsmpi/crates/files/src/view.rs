//! Views: which bytes of a file a rank sees, and in which order (MPI 5.0 §14.3).
//!
//! A view repeats its filetype from a displacement on. The data of all these filetypes is one *stream*. Positions of
//! the program are counted in etypes, positions in the stream in bytes of the file:
//!
//! ```text
//! file    │← displacement →│··██··██··│··██··██··│··██··██··│ …      a filetype with two etypes
//! stream                      0    1     2    3     4    5
//! ```

use std::ops::Range;

use smpi_mpi::datatype::{Basic, Datatype};
use smpi_mpi::error::{ErrorClass, MpiError, Result};

/// How values are represented in a file (MPI 5.0 §14.5).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Representation {
    /// As in memory.
    Native,
    /// As this library likes it: as in memory.
    Internal,
    /// Big-endian, with the sizes of the standard.
    External32,
    /// As functions of the program say; by the name that it has registered.
    Registered(Box<str>),
}

impl Representation {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Representation::Native => "native",
            Representation::Internal => "internal",
            Representation::External32 => "external32",
            Representation::Registered(name) => name,
        }
    }

    /// The one with this name, if the standard has it.
    pub fn of_standard(name: &str) -> Option<Representation> {
        let all = [Representation::Native, Representation::Internal, Representation::External32];
        all.into_iter().find(|one| one.name() == name)
    }
}

/// Runs of equal length at equal distances in a file.
#[derive(Clone, Copy, Debug)]
pub struct Strip {
    /// Where the first begins.
    pub at: u64,
    /// Bytes of each.
    pub len: u64,
    /// How many there are, at least 1.
    pub count: u64,
    /// From the begin of one to that of the next: views do not go back.
    pub stride: u64,
}

impl Strip {
    /// Where a run begins.
    pub fn place(&self, index: u64) -> u64 {
        self.at.wrapping_add(self.stride.wrapping_mul(index))
    }
}

/// What a rank sees of a file.
#[derive(Clone, Debug)]
pub struct View {
    /// Where it begins, in bytes from the beginning of the file.
    pub displacement: u64,
    /// As the program gave it.
    pub etype: Datatype,
    /// As the program gave it.
    pub filetype: Datatype,
    /// How values are represented.
    pub representation: Representation,
    /// Bytes of an etype in the file.
    unit: u64,
    /// The filetype with the sizes that its elements have in the file.
    tile: Datatype,
}

impl Default for View {
    /// What everybody sees at first: all bytes.
    fn default() -> View {
        let byte = Datatype::basic(Basic::Byte);
        View {
            displacement: 0,
            etype: byte.clone(),
            filetype: byte.clone(),
            representation: Representation::Native,
            unit: 1,
            tile: byte,
        }
    }
}

impl View {
    /// Checks the parts of a view; where the file is written, no byte may be in it twice. `in_file` gives the type of
    /// bytes that describes a type's data as it is in the file.
    ///
    /// # Errors
    /// `MPI_ERR_IO` for a filetype that is not made of etypes, that goes back, or that begins before the view.
    pub fn new(
        displacement: u64,
        (etype, filetype): (Datatype, Datatype),
        representation: Representation,
        writes: bool,
        in_file: &dyn Fn(&Datatype) -> Result<Datatype>,
    ) -> Result<View> {
        let unit = in_file(&etype)?.size();
        let tile = in_file(&filetype)?;
        let wrong =
            |name: &str, value: String, allowed: &str| Err(MpiError::parameter(ErrorClass::IO, name, value, allowed));
        if unit == 0 {
            return wrong("etype", "a datatype without data".into(), "a datatype with data");
        }
        if !tile.size().is_multiple_of(unit) {
            let value = format!("{} bytes of data", tile.size());
            return wrong("filetype", value, &format!("a multiple of the {unit} bytes of the etype"));
        }
        if tile.extent() <= 0 && tile.size() > 0 {
            let value = format!("an extent of {} bytes", tile.extent());
            return wrong("filetype", value, "a positive extent, so that each filetype lies behind the one before");
        }
        for (name, datatype) in [("etype", &etype), ("filetype", &tile)] {
            if let Some(at) = first_step_back(datatype, writes) {
                let value = format!("data at {at} bytes behind other data that lies there or further on");
                let allowed = if writes {
                    "displacements that are not negative and increase, without overlaps, where a file is written"
                } else {
                    "displacements that are not negative and do not decrease"
                };
                return wrong(name, value, allowed);
            }
        }
        Ok(View { displacement, etype, filetype, representation, unit, tile })
    }

    /// Bytes of an etype in the file.
    pub fn unit(&self) -> u64 {
        self.unit
    }

    /// Reports where the bytes `range` of the stream are in the file: begin and length of each run, in order.
    ///
    /// # Errors
    /// What `report` says, which ends the walk.
    pub fn each_run<E>(
        &self,
        range: Range<u64>,
        report: &mut dyn FnMut(u64, u64) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        self.each_strip(range, &mut |strip| {
            (0..strip.count).try_for_each(|index| report(strip.place(index), strip.len))
        })
    }

    /// The same in strips, of which there are far fewer where a filetype is regular.
    ///
    /// # Errors
    /// What `report` says, which ends the walk.
    pub fn each_strip<E>(
        &self,
        range: Range<u64>,
        report: &mut dyn FnMut(Strip) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        if range.is_empty() || self.tile.size() == 0 {
            return Ok(());
        }
        if let Some(offset) = self.tile.contiguous_offset(2) {
            let at = self.displacement.wrapping_add_signed(offset) + range.start;
            return report(Strip { at, len: range.end - range.start, count: 1, stride: 0 });
        }
        let mut outcome = Ok(());
        self.tile.for_each_block_in(range, &mut |blocks| {
            if outcome.is_ok() {
                let at = self.displacement.wrapping_add_signed(blocks.at);
                // A single block has no stride.
                let stride = if blocks.count > 1 { blocks.stride as u64 } else { 0 };
                outcome = report(Strip { at, len: blocks.len, count: blocks.count, stride });
            }
        });
        outcome
    }

    /// About as many bytes of the stream as lie within so many bytes of the file; at least 1.
    pub fn stream_within(&self, len: u64) -> u64 {
        let (size, extent) = (self.tile.size(), self.tile.extent().max(1) as u64);
        let whole = u128::from(len) * u128::from(size) / u128::from(extent);
        u64::try_from(whole).unwrap_or(u64::MAX).clamp(1, len.max(1))
    }

    /// Whether the rank sees no byte.
    pub fn is_empty(&self) -> bool {
        self.tile.size() == 0
    }

    /// Where a byte of the stream is in the file.
    pub fn place_of(&self, position: u64) -> u64 {
        let mut place = self.displacement;
        let _ = self.each_run(position..position + 1, &mut |at, _| {
            place = at;
            Err(())
        });
        place
    }

    /// Bytes of the stream that are before this place in the file.
    pub fn stream_before(&self, place: u64) -> u64 {
        let Some(rest) = place.checked_sub(self.displacement).filter(|_| self.tile.size() > 0) else { return 0 };
        if let Some(offset) = self.tile.contiguous_offset(2) {
            return rest.saturating_sub(offset as u64);
        }
        let (low, extent, size) = (self.tile.true_lb() as u64, self.tile.extent() as u64, self.tile.size());
        let end = low + self.tile.true_extent() as u64;
        // Filetypes that end before the place count as a whole, the next ones by their parts.
        let whole = if rest >= end { (rest - end) / extent + 1 } else { 0 };
        let mut before = whole * size;
        let mut number = whole;
        while number * extent + low < rest {
            let _ = self.each_run(number * size..(number + 1) * size, &mut |at, len| {
                let within = place.saturating_sub(at).min(len);
                before += within;
                if within < len { Err(()) } else { Ok(()) }
            });
            number += 1;
        }
        before
    }

    /// The position behind the last etype that is in a file of this size, at least in part.
    pub fn end(&self, size: u64) -> u64 {
        self.stream_before(size).div_ceil(self.unit)
    }
}

/// Where data of a type first lies before data that comes earlier in the type, or before its origin; where no byte may
/// be there twice, also where it overlaps such data.
fn first_step_back(tile: &Datatype, once: bool) -> Option<i64> {
    let (mut least, mut found) = (0, None);
    tile.for_each_block(1, &mut |blocks| {
        let step = if once { blocks.len as i64 } else { 0 };
        let is_back = blocks.at < least || blocks.count > 1 && blocks.stride < step;
        if found.is_none() && is_back {
            found = Some(blocks.at);
        }
        least = blocks.at.wrapping_add(blocks.stride.wrapping_mul(blocks.count as i64 - 1)).wrapping_add(step);
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn same(datatype: &Datatype) -> Result<Datatype> {
        Ok(datatype.clone())
    }

    fn view(displacement: u64, etype: &Datatype, filetype: &Datatype) -> Result<View> {
        View::new(displacement, (etype.clone(), filetype.clone()), Representation::Native, true, &same)
    }

    /// The place of each byte of the stream, one by one.
    fn naive(displacement: u64, filetype: &Datatype, bytes: u64) -> Vec<u64> {
        let mut places = Vec::new();
        let mut number = 0;
        while (places.len() as u64) < bytes {
            filetype.for_each_block(1, &mut |blocks| {
                for index in 0..blocks.count as i64 {
                    let start = displacement as i64 + number * filetype.extent() + blocks.at + index * blocks.stride;
                    places.extend((start..start + blocks.len as i64).map(|place| place as u64));
                }
            });
            number += 1;
        }
        places
    }

    fn places(view: &View, range: Range<u64>) -> Vec<u64> {
        let mut found = Vec::new();
        let done: std::result::Result<(), ()> = view.each_run(range, &mut |at, len| {
            found.extend(at..at + len);
            Ok(())
        });
        done.unwrap();
        found
    }

    fn filetypes() -> impl Strategy<Value = Datatype> {
        let int = Datatype::basic(Basic::Int);
        let (one, two) = (int.clone(), int.clone());
        let vector = (1i64..4, 1i64..3, 0i64..3)
            .prop_map(move |(count, block, gap)| Datatype::vector(count, block, block + gap, &one).unwrap());
        let indexed = proptest::collection::vec((0i64..3, 1i64..4), 1..4).prop_map(move |parts| {
            let mut next = 0;
            let displacements: Vec<i64> = parts
                .iter()
                .map(|(gap, block)| {
                    let at = next + gap;
                    next = at + block;
                    at
                })
                .collect();
            let blocks: Vec<i64> = parts.iter().map(|part| part.1).collect();
            Datatype::indexed(&blocks, &displacements, &two).unwrap()
        });
        (prop_oneof![vector, indexed], 0i64..4)
            .prop_map(move |(inner, more)| inner.resized(0, inner.ub() + more * 4).unwrap())
    }

    proptest! {
        #[test]
        fn views_are_what_a_naive_walk_finds(
            filetype in filetypes(), displacement in 0u64..9, start in 0u64..60, len in 0u64..80, size in 0u64..300,
        ) {
            let view = view(displacement, &Datatype::basic(Basic::Int), &filetype).unwrap();
            let all = naive(displacement, &filetype, 400);
            let wanted = &all[start as usize..(start + len) as usize];
            prop_assert_eq!(&places(&view, start..start + len)[..], wanted);
            prop_assert_eq!(view.place_of(start), all[start as usize]);
            let before = all.iter().filter(|place| **place < size).count() as u64;
            prop_assert_eq!(view.stream_before(size), before);
            prop_assert_eq!(view.end(size), before.div_ceil(4));
        }
    }

    #[test]
    fn filetypes_that_are_no_views_are_refused() {
        let (int, byte) = (Datatype::basic(Basic::Int), Datatype::basic(Basic::Byte));
        let class = |filetype: &Datatype| view(0, &int, filetype).err().map(|error| error.class);
        assert_eq!(class(&int), None);
        assert_eq!(class(&Datatype::contiguous(0, &int).unwrap()), None);
        for wrong in [
            Datatype::contiguous(6, &byte),
            Datatype::indexed(&[1, 1], &[3, 0], &int),
            Datatype::indexed(&[1, 1], &[-2, 2], &int),
            Datatype::indexed(&[3, 1], &[0, 1], &int),
            int.resized(0, 0),
        ] {
            assert_eq!(class(&wrong.unwrap()), Some(ErrorClass::IO));
        }
        let twice = Datatype::indexed(&[3, 1], &[0, 1], &int).unwrap();
        assert!(View::new(0, (int.clone(), twice), Representation::Native, false, &same).is_ok());
    }
}
