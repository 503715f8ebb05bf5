//! Which ranks the choices of an execution can have had an effect on: what [`crate::reduction::histories`] joins by.
//!
//! A choice has an effect on its own rank, on every rank that is sent something by a rank that it has an effect on, and
//! on a rank whose send waits for such a rank. Too many effects cost executions; one that is forgotten loses some. So
//! an effect counts as soon as a message is sent, whether or not it is ever received, and all that a rank sends is
//! taken to depend on all that had an effect on it ([`crate::history`] is the other way round: there too much loses).
//!
//! | event | what it adds |
//! |---|---|
//! | a choice is made | itself, to its rank |
//! | a message is sent | what had an effect on its sender, to its receiver |
//! | a message is matched whose sender waits for that | what had an effect on its receiver, to its sender |
//! | ranks meet in an operation that waits for all of them | the union, to each |
//! | a poll is answered "no" because nothing else can move | all choices so far, to its rank |
//!
//! A barrier among *all* ranks adds nothing: it tells no contents, and whoever waits for a rank that does not come
//! waits whatever else is chosen. That is not so of barriers among some of the ranks: the order in which two ranks
//! go through two of them may close a circle of ranks that wait for each other, though neither hears of the other.

use smpi_base::WorldRank;

use crate::history::History;

/// The effects of the choices of one execution, by their positions in it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Influence {
    ranks: Vec<History>,
    made: u32,
    is_lost: bool,
}

impl Influence {
    /// Nothing chosen yet, for ranks `0..ranks`.
    pub fn new(ranks: u32) -> Influence {
        Influence { ranks: vec![History::EMPTY; ranks as usize], made: 0, is_lost: false }
    }

    /// A choice of a rank is made, whatever it is: choices are counted here.
    pub fn chosen(&mut self, rank: WorldRank) {
        match self.ranks.get_mut(rank.index()) {
            Some(history) => history.insert(self.made),
            None => self.is_lost = true,
        }
        self.made += 1;
    }

    /// What had an effect on one rank has one on another.
    pub fn told(&mut self, from: WorldRank, to: WorldRank) {
        match self.ranks.get_disjoint_mut([from.index(), to.index()]) {
            Ok([from, to]) => to.join(from),
            Err(_) => self.is_lost |= from != to,
        }
    }

    /// What had an effect on one of them has one on all. All ranks that there are do not hear of each other so.
    pub fn met(&mut self, ranks: impl Iterator<Item = WorldRank> + Clone) {
        if ranks.clone().count() == self.ranks.len() {
            return;
        }
        let mut union = History::EMPTY;
        for rank in ranks.clone() {
            match self.ranks.get(rank.index()) {
                Some(history) => union.join(history),
                None => self.is_lost = true,
            }
        }
        for rank in ranks {
            if let Some(history) = self.ranks.get_mut(rank.index()) {
                history.join(&union);
            }
        }
    }

    /// All choices so far have an effect on a rank.
    pub fn everything(&mut self, rank: WorldRank) {
        let all = History::all(self.made);
        match self.ranks.get_mut(rank.index()) {
            Some(history) => history.join(&all),
            None => self.is_lost = true,
        }
    }

    /// Something happens whose effects are not followed.
    pub fn lose(&mut self) {
        self.is_lost = true;
    }

    /// Whether something happened whose effects are not followed.
    pub fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> usize {
        self.ranks.len()
    }

    /// The ranks that the choice at this position has an effect on, ascending.
    pub fn of(&self, position: u32) -> impl Iterator<Item = usize> + '_ {
        let ranks = self.ranks.iter().enumerate();
        ranks.filter(move |(_, history)| history.contains(position)).map(|(rank, _)| rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(influence: &Influence, position: u32) -> Vec<usize> {
        influence.of(position).collect()
    }

    #[test]
    fn effects_go_where_messages_go() {
        let mut influence = Influence::new(4);
        influence.chosen(WorldRank(1));
        influence.told(WorldRank(1), WorldRank(2));
        influence.chosen(WorldRank(1));
        influence.met([0, 1, 2, 3].map(WorldRank).into_iter());
        assert_eq!([of(&influence, 0), of(&influence, 1)], [vec![1, 2], vec![1]]);
        influence.met([1, 3].map(WorldRank).into_iter());
        influence.everything(WorldRank(0));
        assert_eq!([of(&influence, 0), of(&influence, 1)], [vec![0, 1, 2, 3], vec![0, 1, 3]]);
        assert!(!influence.is_lost());
    }

    #[test]
    fn a_rank_that_nobody_knows_of_loses_everything() {
        let mut influence = Influence::new(2);
        influence.told(WorldRank(1), WorldRank(1));
        assert!(!influence.is_lost());
        influence.told(WorldRank(0), WorldRank(2));
        assert!(influence.is_lost());
    }
}
