//! Collective operations: with which algorithm, how far apart their ranks arrive, and how long they take from then on.

use smpi_base::map::Map;

use crate::places::Place;

/// What tells collective operations under way apart: the context of their messages, their number on the communicator,
/// and, of a persistent one, how often it was started before.
type Name = (u64, i32, u32);

/// A collective operation that a rank begins.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Collective {
    /// Context of its messages.
    pub context: u64,
    /// Its number on the communicator.
    pub number: i32,
    /// Ranks of the communicator, of both groups if it has two.
    pub members: u32,
    /// The rank that begins it is rank 0 of its group: what it says is what counts.
    pub is_first_member: bool,
    /// Which operation.
    pub operation: &'static str,
    /// By which algorithm.
    pub algorithm: &'static str,
    /// Bytes that this was chosen for; 0 where ranks do not know the same number.
    pub bytes: u64,
}

/// Durations, in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Spread {
    /// All together.
    pub sum: f64,
    /// The shortest.
    pub least: f64,
    /// The longest.
    pub most: f64,
}

impl Spread {
    fn of(secs: f64) -> Spread {
        Spread { sum: secs, least: secs, most: secs }
    }

    fn join(&mut self, other: &Spread) {
        self.sum += other.sum;
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
    }
}

/// Collective operations that were begun at one place, by one algorithm, on so many ranks.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Row {
    /// Where rank 0 began them.
    pub place: Place,
    /// Which operation.
    pub operation: &'static str,
    /// By which algorithm.
    pub algorithm: &'static str,
    /// Ranks.
    pub members: u32,
    /// How many that all ranks have ended.
    pub count: u64,
    /// The fewest bytes that the algorithm was chosen for.
    pub least_bytes: u64,
    /// The most.
    pub most_bytes: u64,
    /// From the first rank's arrival to the last one's.
    pub arrivals: Spread,
    /// From the last arrival until the last rank is through.
    pub durations: Spread,
    /// From when the first rank is through until the last one is.
    pub ends: Spread,
}

impl Row {
    /// Adds the operations of another row with the same algorithm on as many ranks.
    pub fn join(&mut self, other: &Row) {
        self.count += other.count;
        self.least_bytes = self.least_bytes.min(other.least_bytes);
        self.most_bytes = self.most_bytes.max(other.most_bytes);
        self.arrivals.join(&other.arrivals);
        self.durations.join(&other.durations);
        self.ends.join(&other.ends);
    }
}

/// One of them, under way.
#[derive(Clone, Copy, Debug)]
struct Instance {
    place: Place,
    collective: Collective,
    started: u32,
    ended: u32,
    first_arrival: f64,
    last_arrival: f64,
    first_end: f64,
}

impl Instance {
    /// A row of it alone: the last rank is through now.
    fn ended(&self, now: f64) -> Row {
        let Collective { operation, algorithm, members, bytes, .. } = self.collective;
        Row {
            place: self.place,
            operation,
            algorithm,
            members,
            count: 1,
            least_bytes: bytes,
            most_bytes: bytes,
            arrivals: Spread::of(self.last_arrival - self.first_arrival),
            durations: Spread::of(now - self.last_arrival),
            ends: Spread::of(now - self.first_end),
        }
    }
}

/// What a request of a rank takes part in.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Part {
    /// The request, by its key, and its operation.
    request: u64,
    name: Name,
    /// Where the operation is kept; `None` when the rank is through with it.
    instance: Option<u32>,
}

/// All collective operations of a run.
#[derive(Debug, Default)]
pub struct Collectives {
    rows: Vec<Row>,
    numbers: Map<(Place, &'static str, u32), u32>,
    under_way: Map<Name, u32>,
    instances: Vec<Instance>,
    /// Places in `instances` that are free.
    free: Vec<u32>,
}

impl Collectives {
    /// A request of a rank begins an operation; `before`: what a request of the same slot took part in last.
    pub(crate) fn begin(&mut self, request: u64, before: Part, collective: Collective, place: Place, now: f64) -> Part {
        let Collective { context, number, members, is_first_member, .. } = collective;
        let is_again = before.request == request && (before.name.0, before.name.1) == (context, number);
        let name = (context, number, if is_again { before.name.2 + 1 } else { 0 });
        let slot = *self.under_way.entry(name).or_insert_with(|| {
            let new = Instance {
                place,
                collective,
                started: 0,
                ended: 0,
                first_arrival: now,
                last_arrival: now,
                first_end: f64::INFINITY,
            };
            let slot = self.free.pop().unwrap_or(self.instances.len() as u32);
            match self.instances.get_mut(slot as usize) {
                Some(instance) => *instance = new,
                None => self.instances.push(new),
            }
            slot
        });
        let instance = &mut self.instances[slot as usize];
        if is_first_member {
            (instance.place, instance.collective) = (place, collective);
        }
        instance.started += 1;
        instance.last_arrival = now;
        if instance.started == members {
            self.under_way.remove(&name);
        }
        Part { request, name, instance: Some(slot) }
    }

    /// A rank is through with what its request takes part in.
    pub(crate) fn end(&mut self, part: &mut Part, now: f64) {
        let Some(slot) = part.instance.take() else { return };
        let instance = &mut self.instances[slot as usize];
        instance.ended += 1;
        instance.first_end = instance.first_end.min(now);
        if instance.ended == instance.collective.members {
            let row = instance.ended(now);
            self.free.push(slot);
            self.count(row);
        }
    }

    fn count(&mut self, row: Row) {
        let next = self.rows.len() as u32;
        let number = *self.numbers.entry((row.place, row.algorithm, row.members)).or_insert(next);
        match self.rows.get_mut(number as usize) {
            Some(known) => known.join(&row),
            None => self.rows.push(row),
        }
    }

    /// Rows in the order in which the first operation of each was over.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BARRIER: Collective = Collective {
        context: 6,
        number: 0,
        members: 2,
        is_first_member: false,
        operation: "barrier",
        algorithm: "dissemination",
        bytes: 0,
    };

    #[test]
    fn spreads_are_those_of_arrivals_and_ends() {
        let mut all = Collectives::default();
        let mut second = all.begin(1, Part::default(), BARRIER, Place(4), 1.0);
        let mut first = all.begin(1, Part::default(), Collective { is_first_member: true, ..BARRIER }, Place(3), 3.0);
        all.end(&mut first, 3.5);
        assert!(all.rows().is_empty());
        all.end(&mut second, 4.0);
        let row = all.rows()[0];
        assert_eq!((row.place, row.count), (Place(3), 1));
        assert_eq!((row.arrivals.sum, row.durations.sum, row.ends.sum), (2.0, 1.0, 0.5));
        assert!(all.under_way.is_empty() && all.free == [0]);
    }

    #[test]
    fn rounds_of_a_persistent_operation_are_told_apart() {
        let mut all = Collectives::default();
        let mut ahead = Part::default();
        // One rank goes through two rounds before the other begins.
        for date in [0.0, 1.0] {
            ahead = all.begin(7, ahead, BARRIER, Place(1), date);
            all.end(&mut ahead, date);
        }
        let mut behind = Part::default();
        for date in [5.0, 7.0] {
            behind = all.begin(9, behind, BARRIER, Place(1), date);
            all.end(&mut behind, date);
        }
        let row = all.rows()[0];
        assert_eq!((row.count, row.arrivals.least, row.arrivals.most), (2, 5.0, 6.0));
        assert!(all.under_way.is_empty());
    }
}
