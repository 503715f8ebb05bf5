//! All algorithms by their names, for the settings that force one.

use crate::collective::select::{Algorithm, Needs, Operation, Selection, Selector};
use crate::collective::{
    allgather, allreduce, alltoall, barrier, bcast, gather, reduce, reduce_scatter, scan, scatter,
};

impl Operation {
    /// Names of the algorithms that can be forced for it.
    pub fn algorithms(self) -> Vec<&'static str> {
        self.catalogue().into_iter().map(|(name, _)| name).collect()
    }

    /// Its algorithms and what they cannot do without.
    fn catalogue(self) -> Vec<(&'static str, Needs)> {
        fn names<F>(algorithms: &[Algorithm<F>]) -> Vec<(&'static str, Needs)> {
            algorithms.iter().map(|algorithm| (algorithm.name, algorithm.needs)).collect()
        }
        match self {
            Operation::Barrier => names(barrier::ALGORITHMS),
            Operation::Bcast => names(bcast::ALGORITHMS),
            Operation::Gather => names(gather::ALGORITHMS),
            Operation::Gatherv => names(gather::VARYING),
            Operation::Scatter => names(scatter::ALGORITHMS),
            Operation::Scatterv => names(scatter::VARYING),
            Operation::Allgather => names(allgather::ALGORITHMS),
            Operation::Allgatherv => names(allgather::VARYING),
            Operation::Alltoall => names(alltoall::ALGORITHMS),
            Operation::Alltoallv | Operation::Alltoallw => names(alltoall::VARYING),
            Operation::Reduce => names(reduce::ALGORITHMS),
            Operation::Allreduce => names(allreduce::ALGORITHMS),
            Operation::ReduceScatter | Operation::ReduceScatterBlock => names(reduce_scatter::ALGORITHMS),
            Operation::Scan | Operation::Exscan => names(scan::ALGORITHMS),
        }
    }
}

impl Selection {
    /// Applies `smpi/<key>:<value>`, where the key is `coll-selector` or an operation's name.
    ///
    /// # Errors
    /// Names the possible values when this is none of them.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        if key == "coll-selector" {
            self.selector = Selector::from_name(value).ok_or_else(|| {
                format!("smpi/coll-selector: no table is called \"{value}\"; there are default, mpich")
            })?;
            return Ok(());
        }
        let operation = Operation::from_name(key).ok_or_else(|| {
            let names: Vec<_> = Operation::ALL.iter().map(|operation| operation.name()).collect();
            format!("smpi/{key}: no such collective operation; there are coll-selector, {}", names.join(", "))
        })?;
        let found = operation.catalogue().into_iter().find(|(name, _)| *name == value);
        let (name, needs) = found.ok_or_else(|| {
            let names = operation.algorithms().join(", ");
            format!("smpi/{key}: no algorithm is called \"{value}\"; there are {names}")
        })?;
        self.forced[operation as usize] = Some(name);
        self.forces_hosts |= needs.asks_for_hosts();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::select::Case;

    #[test]
    fn tables_only_name_algorithms_that_exist() {
        for operation in Operation::ALL {
            let known = operation.algorithms();
            for selector in [Selector::Default, Selector::Mpich] {
                let rules = selector.rules(operation);
                assert!(rules.iter().all(|rule| known.contains(&rule.algorithm)), "{operation:?} {rules:?}");
            }
            for name in known {
                assert!(Selection::default().set(operation.name(), name).is_ok());
            }
        }
    }

    #[test]
    fn wrong_names_are_answered_with_the_right_ones() {
        let error = Selection::default().set("alltoall", "pear").unwrap_err();
        assert!(error.contains("pair"), "{error}");
        assert!(Selection::default().set("alltonothing", "pair").unwrap_err().contains("alltoallw"));
        assert!(Selection::default().set("coll-selector", "impi").unwrap_err().contains("mpich"));
    }

    #[test]
    fn sizes_decide_as_published() {
        let selection = Selection::default();
        let name = |ranks, bytes| {
            let case = Case { ranks, bytes, count: 1 << 20, commutes: true };
            let alltoall = selection.choose(Operation::Alltoall, alltoall::ALGORITHMS, &case).name;
            (selection.choose(Operation::Allgather, allgather::ALGORITHMS, &case).name, alltoall)
        };
        assert_eq!(name(16, 100), ("rdb", "bruck"));
        assert_eq!(name(12, 80 << 10), ("bruck", "pair"));
        assert_eq!(name(6, 100), ("bruck", "basic_linear"));
        assert_eq!(name(16, 1 << 20), ("ring", "pair"));
    }

    #[test]
    fn a_forced_algorithm_that_cannot_run_gives_way() {
        let mut selection = Selection::default();
        selection.set("allgather", "pair").unwrap();
        let name = |ranks| {
            let case = Case { ranks, bytes: 8, count: 1, commutes: true };
            selection.choose(Operation::Allgather, allgather::ALGORITHMS, &case).name
        };
        assert_eq!((name(8), name(6)), ("pair", "bruck"));
    }
}
