//! What calls multiply the executions by: at each state with several branches, their number is a toll that belongs to
//! the call whose choice comes first there, and that every execution through the state pays.
//!
//! The number of executions of a tree is estimated by the product of the branches on the way to a leaf (Knuth 1975, see
//! [`crate::walks::estimate`]). Of the executions that were seen, the mean logarithm of a call's tolls says what this
//! call contributes to the product. An exploration that goes depth first knows more of late choices than of early ones:
//! its tolls are those of the part that it has seen.

use serde::{Deserialize, Serialize};
use smpi_base::WorldRank;
use smpi_base::map::Map;

/// Calls that are told apart; what others cost is not known.
const MOST_CALLS: usize = 1 << 12;

/// The call that makes a choice: numbers of the system's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Caller {
    /// Whose call it is.
    pub rank: WorldRank,
    /// Where in the program.
    pub site: u64,
    /// What kind of call.
    pub what: u32,
}

/// What the choices of one call have cost.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Toll {
    /// The call.
    pub caller: Caller,
    /// How often executions came to one of its choices, all executions together.
    pub choices: u64,
    /// The sum of the numbers of branches there.
    pub ways: u64,
    /// The sum of their natural logarithms.
    pub ln_ways: f64,
}

/// What the choices of all calls have cost.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(from = "(u64, Vec<Toll>)", into = "(u64, Vec<Toll>)")]
pub struct Tolls {
    /// Executions that have paid.
    pub executions: u64,
    list: Vec<Toll>,
    numbers: Map<Caller, u32>,
}

/// A call as a number of [`Tolls`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TollId(u32);

impl TollId {
    /// Nobody's.
    pub const NONE: TollId = TollId(u32::MAX);
}

impl From<(u64, Vec<Toll>)> for Tolls {
    fn from((executions, list): (u64, Vec<Toll>)) -> Tolls {
        Tolls::of(executions, list)
    }
}

impl From<Tolls> for (u64, Vec<Toll>) {
    fn from(tolls: Tolls) -> (u64, Vec<Toll>) {
        (tolls.executions, tolls.list)
    }
}

impl Tolls {
    /// These tolls, of so many executions.
    pub fn of(executions: u64, list: Vec<Toll>) -> Tolls {
        let numbers = list.iter().zip(0..).map(|(toll, number)| (toll.caller, number)).collect();
        Tolls { executions, list, numbers }
    }

    /// The calls in the order in which they were met.
    pub fn as_slice(&self) -> &[Toll] {
        &self.list
    }

    /// The number of a call; [`TollId::NONE`] where there are too many.
    pub fn id(&mut self, caller: Caller) -> TollId {
        if let Some(&number) = self.numbers.get(&caller) {
            return TollId(number);
        }
        if self.list.len() >= MOST_CALLS {
            return TollId::NONE;
        }
        let number = self.list.len() as u32;
        self.numbers.insert(caller, number);
        self.list.push(Toll { caller, choices: 0, ways: 0, ln_ways: 0.0 });
        TollId(number)
    }

    /// So many executions have passed a state with so many branches.
    #[inline]
    pub fn pay(&mut self, id: TollId, ways: usize, executions: u64) {
        if let Some(toll) = self.list.get_mut(id.0 as usize)
            && ways > 1
        {
            toll.choices += executions;
            toll.ways += executions * ways as u64;
            toll.ln_ways += executions as f64 * (ways as f64).ln();
        }
    }

    /// Adds what other executions have paid.
    pub fn join(&mut self, others: &Tolls) {
        self.executions += others.executions;
        for other in &others.list {
            let id = self.id(other.caller);
            if let Some(toll) = self.list.get_mut(id.0 as usize) {
                toll.choices += other.choices;
                toll.ways += other.ways;
                toll.ln_ways += other.ln_ways;
            }
        }
    }

    /// The call that multiplies most; of several, the first that was met.
    pub fn dearest(&self) -> Option<Toll> {
        let paid = self.list.iter().filter(|toll| toll.choices > 0);
        paid.copied().reduce(|most, toll| if toll.ln_ways > most.ln_ways { toll } else { most })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(site: u64) -> Caller {
        Caller { rank: WorldRank(0), site, what: 0 }
    }

    #[test]
    fn the_dearest_call_has_the_largest_product() {
        let mut tolls = Tolls::default();
        assert_eq!(tolls.dearest(), None);
        let (wide, often) = (tolls.id(caller(1)), tolls.id(caller(2)));
        assert_eq!(tolls.dearest(), None);
        tolls.pay(wide, 5, 6);
        // 2·2·2 > 5.
        (0..3).for_each(|_| tolls.pay(often, 2, 6));
        tolls.pay(wide, 1, 100);
        let dearest = tolls.dearest().unwrap();
        assert_eq!((dearest.caller, dearest.choices, dearest.ways), (caller(2), 18, 36));
        assert!((dearest.ln_ways - 6.0 * 8_f64.ln()).abs() < 1e-9);
    }

    #[test]
    fn tolls_are_joined_by_their_calls() {
        let mut tolls = Tolls::default();
        let mut others = Tolls::default();
        for (into, sites, executions) in [(&mut tolls, [1, 2], 3), (&mut others, [2, 3], 4)] {
            into.executions = executions;
            for site in sites {
                let id = into.id(caller(site));
                into.pay(id, 2, executions);
            }
        }
        tolls.join(&others);
        let choices: Vec<(u64, u64)> = tolls.as_slice().iter().map(|toll| (toll.caller.site, toll.choices)).collect();
        assert_eq!((tolls.executions, choices), (7, vec![(1, 3), (2, 7), (3, 4)]));
        assert_eq!(Tolls::of(7, tolls.as_slice().to_vec()), tolls);
    }

    #[test]
    fn memory_is_bounded() {
        let mut tolls = Tolls::default();
        let ids: Vec<TollId> = (0..MOST_CALLS as u64 + 1).map(|site| tolls.id(caller(site))).collect();
        assert_eq!(ids.last(), Some(&TollId::NONE));
        tolls.pay(TollId::NONE, 2, 1);
        assert_eq!(tolls.as_slice().len(), MOST_CALLS);
        assert_eq!(tolls.id(caller(0)), ids[0]);
    }
}
