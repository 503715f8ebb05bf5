//! Which uses of files race: what was done with which bytes of a file, when, and when that was known to be over.
//!
//! What everybody has heard of cannot race any more, and is forgotten from time to time. So are the parts of what a
//! rank does step by step without telling anybody: they become one use.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use smpi_base::WorldRank;
use smpi_base::map::Map;
use smpi_files::Id;
use smpi_mpi::p2p::request::RequestKey;
use smpi_mpi::usage::{Origin, Side};
use smpi_mpi::world::Moment;

/// Uses of a file that are kept before it is asked which of them can be forgotten.
const FEW: usize = 64;

/// How something is used. Two uses of one kind may have any order, unless they change it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Use {
    /// Bytes are read, or the end of the file, the shared pointer or a name are looked at.
    Looks,
    /// The file becomes longer, or there is a file of this name.
    Extends,
    /// Anything else.
    Changes,
}

/// Bytes that somebody has used.
#[derive(Clone, Debug)]
pub(crate) struct Used {
    /// When: it was done when all of them had come.
    pub(crate) moments: Vec<Moment>,
    /// When that was known to be over; nothing, as long as it is not.
    pub(crate) over: Vec<Moment>,
    /// The request of its rank by which that will be known.
    pub(crate) awaited: Option<RequestKey>,
    pub(crate) how: Use,
    /// Where the program did it, if that is one access.
    pub(crate) made: Option<Origin>,
    /// The file was in atomic mode then.
    pub(crate) is_atomic: bool,
    /// It has the turn that the server of the file gives it, if there is one.
    pub(crate) in_turn: bool,
    /// It is no function of MPI that does it.
    pub(crate) without_mpi: bool,
    /// It is done until the rank closes this descriptor.
    pub(crate) descriptor: Option<i32>,
    /// Begin and end of each run, in order, and no two touch.
    pub(crate) runs: Vec<(u64, u64)>,
}

impl Used {
    /// A use that is no access of one rank to bytes that it has named.
    pub(crate) fn aspect(moments: Vec<Moment>, how: Use, runs: Vec<(u64, u64)>) -> Used {
        let over = moments.clone();
        let (without_mpi, descriptor) = (false, None);
        Used {
            over,
            moments,
            awaited: None,
            how,
            made: None,
            is_atomic: false,
            in_turn: false,
            without_mpi,
            descriptor,
            runs,
        }
    }

    fn side(&self) -> Option<Side> {
        let (rank, origin) = (self.moments.first()?.rank(), self.made?);
        Some(Side { rank, origin, away: true })
    }

    fn first(&self) -> u64 {
        self.runs.first().map_or(u64::MAX, |run| run.0)
    }

    fn end(&self) -> u64 {
        self.runs.last().map_or(0, |run| run.1)
    }

    /// The first bytes that both use, and how many. Costs what the shorter list has, and a search for each of it.
    fn common(&self, other: &Used) -> Option<(u64, u64)> {
        let (few, many) = if self.runs.len() < other.runs.len() { (self, other) } else { (other, self) };
        few.runs.iter().find_map(|run| {
            let theirs = many.runs.get(many.runs.partition_point(|other| other.1 <= run.0))?;
            let (from, to) = (run.0.max(theirs.0), run.1.min(theirs.1));
            (from < to).then_some((from, to - from))
        })
    }

    /// Whether the other use may count as a part of this one, for all that is compared with them later.
    fn is_like(&self, other: &Used) -> bool {
        let counts = |used: &Used| match (&used.moments[..], &used.over[..]) {
            ([begin], [over]) => Some((begin.place(), over.place())),
            _ => None,
        };
        let kind = |used: &Used| (used.how, used.made, used.is_atomic, used.in_turn, used.without_mpi);
        let is_settled = |used: &Used| used.awaited.is_none() && used.descriptor.is_none();
        counts(self).is_some_and(|own| counts(other) == Some(own))
            && kind(self) == kind(other)
            && is_settled(self)
            && is_settled(other)
    }

    /// Whether it may be the other way round, as far as the order of the program goes, and that makes a difference.
    fn races_with(&self, earlier: &Used) -> bool {
        let matters =
            (self.how != earlier.how || self.how == Use::Changes) && !(self.without_mpi && earlier.without_mpi);
        let is_own = |moment: &Moment| earlier.moments.iter().any(|other| other.rank() == moment.rank());
        let is_after = |moment: &Moment| is_own(moment) || earlier.over.iter().any(|before| moment.is_after(before));
        matters && (earlier.is_open() || !self.moments.iter().any(is_after))
    }

    /// Whether it goes on, without MPI: then what is changed by MPI is not seen there.
    pub(crate) fn is_open(&self) -> bool {
        self.without_mpi && self.over.is_empty()
    }
}

/// A rank, and where in its program.
type Place = (WorldRank, Origin);

/// Two uses of the same bytes in no certain order.
pub(crate) struct Race {
    /// Who and where, if it is wrong to leave that open.
    pub(crate) sides: Option<(Side, Side)>,
    /// The first byte, and how many.
    pub(crate) bytes: (u64, u64),
    /// The earlier one goes on, without MPI.
    pub(crate) is_open: bool,
    /// A server can bring them into each order.
    pub(crate) have_turns: bool,
}

/// What of a file is used beside its bytes: named by bytes that no file has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aspect {
    /// Where it ends.
    End,
    /// Whether it is there.
    Name,
    /// Which names are in a directory.
    Entries,
    /// Which names are in it and in those below.
    Below,
    /// The shared file pointer of those who have opened it together.
    Pointer(Id),
}

impl Aspect {
    /// Bytes of files end before these.
    pub(crate) const FIRST: u64 = u64::MAX - (1 << 33);

    pub(crate) fn run(self) -> (u64, u64) {
        let byte = Aspect::FIRST
            + match self {
                Aspect::End => 0,
                Aspect::Name => 1,
                Aspect::Entries => 2,
                Aspect::Below => 3,
                Aspect::Pointer(Id(number)) => 4 + u64::from(number),
            };
        (byte, byte + 1)
    }
}

/// The uses of one file, in the order in which they took place.
#[derive(Clone, Default, Debug)]
struct OfFile {
    list: Vec<Used>,
    /// As many were left when it was last asked which can be forgotten.
    kept: usize,
    /// As many are not known to be over.
    awaited: usize,
}

/// The uses of all files.
#[derive(Clone, Default, Debug)]
pub(crate) struct Uses {
    files: Map<PathBuf, Rc<OfFile>>,
    /// The list of some file has become long.
    is_long: bool,
    /// Races that were told, by their two places.
    pub(crate) reported: BTreeSet<(Place, Place)>,
}

impl Uses {
    /// Compares what is done to these bytes with all that was done before of which that is not certain, as far as it
    /// makes a difference. What ranks do together is done when all have come: so what one of them knows was before,
    /// and who has heard of one of them knows that it is done.
    ///
    /// `is_served` says that who decides about the file has brought those into an order that have a turn.
    pub(crate) fn compare(&mut self, path: &Path, new: Used, is_served: bool) -> Option<Race> {
        let file = Rc::make_mut(self.files.entry(path.to_path_buf()).or_default());
        let race = |earlier: &Used| {
            let is_near = earlier.first() < new.end() && new.first() < earlier.end();
            let have_turns = earlier.in_turn && new.in_turn;
            let is_meant = is_near && !(have_turns && is_served) && new.races_with(earlier);
            let bytes = Some(earlier).filter(|_| is_meant)?.common(&new)?;
            let is_atomic = new.is_atomic && earlier.is_atomic;
            let sides = earlier.side().zip(new.side()).filter(|_| !is_atomic);
            Some(Race { sides, bytes, is_open: earlier.is_open(), have_turns })
        };
        let found = file.list.iter().find_map(race);
        if !file.list.last().is_some_and(|last| last.is_like(&new) && last.runs == new.runs) {
            file.awaited += usize::from(new.awaited.is_some());
            file.list.push(new);
        }
        self.is_long |= file.list.len() > FEW + 2 * file.kept;
        found
    }

    /// Whether there are so many that it is worth while to [`Uses::forget`] some.
    pub(crate) fn are_many(&self) -> bool {
        self.is_long
    }

    /// Forgets what is known to be over wherever `is_known` says so of one of its ends, and puts together what a rank
    /// did between two moments at which others could hear of it: of all files, or of those with a long list.
    pub(crate) fn forget(&mut self, of_all: bool, is_known: impl Fn(&Moment) -> bool) {
        self.is_long = false;
        for file in self.files.values_mut().filter(|file| of_all || file.list.len() > FEW + 2 * file.kept) {
            let file = Rc::make_mut(file);
            file.list.retain(|used| used.awaited.is_some() || !used.over.iter().any(&is_known));
            let mut list: Vec<Used> = Vec::with_capacity(file.list.len());
            let mut last_of: Map<(Option<WorldRank>, Use, Option<Origin>), usize> = Map::default();
            for used in std::mem::take(&mut file.list) {
                let kind = (used.moments.first().map(Moment::rank), used.how, used.made);
                match last_of.get(&kind).filter(|last| list[**last].is_like(&used)) {
                    Some(last) => list[*last].runs.extend(used.runs),
                    None => {
                        last_of.insert(kind, list.len());
                        list.push(used);
                    }
                }
            }
            list.iter_mut().for_each(|used| put_together(&mut used.runs));
            file.kept = list.len();
            file.list = list;
        }
    }

    /// Whether all of them were without MPI.
    pub(crate) fn are_without_mpi(&self) -> bool {
        self.files.values().all(|file| file.list.iter().all(|used| used.without_mpi))
    }

    /// A rank closes what it opened without MPI; `moment` is missing where it may go on using the file.
    pub(crate) fn close_without_mpi(&mut self, name: &Path, descriptor: i32, moment: Option<&Moment>) {
        let Some(file) = self.files.get_mut(name) else { return };
        for used in Rc::make_mut(file).list.iter_mut().filter(|used| used.descriptor == Some(descriptor)) {
            used.descriptor = None;
            used.over.extend(moment.cloned());
        }
    }

    /// A rank has taken the completion of what it did with a file.
    pub(crate) fn end(&mut self, key: RequestKey, moment: &Moment) {
        let is_meant =
            |used: &Used| used.awaited == Some(key) && used.moments.iter().any(|begin| begin.rank() == moment.rank());
        for file in self.files.values_mut().filter(|file| file.awaited > 0) {
            // An access is one use, or two that are side by side, and mostly among the last.
            let Some(last) = file.list.iter().rposition(is_meant) else { continue };
            let file = Rc::make_mut(file);
            for ended in file.list[last.saturating_sub(1)..=last].iter_mut().filter(|used| is_meant(used)) {
                (ended.over, ended.awaited) = (vec![moment.clone()], None);
                file.awaited -= 1;
            }
        }
    }
}

/// Sorts runs, and makes one of those that touch.
fn put_together(runs: &mut Vec<(u64, u64)>) {
    runs.sort_unstable();
    let mut last = 0;
    for index in 1..runs.len() {
        let run = runs[index];
        if run.0 <= runs[last].1 {
            runs[last].1 = runs[last].1.max(run.1);
        } else {
            last += 1;
            runs[last] = run;
        }
    }
    runs.truncate(last + 1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_touch_are_one() {
        let mut runs = vec![(8, 9), (0, 2), (2, 4), (5, 6), (3, 4)];
        put_together(&mut runs);
        assert_eq!(runs, [(0, 4), (5, 6), (8, 9)]);
        put_together(&mut Vec::new());
    }

    #[test]
    fn common_bytes_are_the_first_ones() {
        let of = |runs: &[(u64, u64)]| Used::aspect(Vec::new(), Use::Looks, runs.to_vec());
        let (many, few) = (of(&[(0, 2), (4, 6), (8, 20), (30, 40)]), of(&[(2, 4), (10, 35)]));
        assert_eq!((many.common(&few), few.common(&many)), (Some((10, 10)), Some((10, 10))));
        assert_eq!(many.common(&of(&[(2, 4), (6, 8), (40, 41)])), None);
        assert_eq!(many.common(&of(&[])), None);
    }
}
