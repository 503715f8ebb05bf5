//! All algorithms by their names, for the settings that force one.

use crate::collective::select::{Algorithm, CollectiveKind, Needs, Operation, Selection, Selector, Target};
use crate::collective::{
    allgather, allreduce, alltoall, barrier, bcast, gather, reduce, reduce_scatter, scan, scatter,
};

/// SMPI's algorithms whose first rank looks with `MPI_Iprobe` who has called already and serves those as a chain or a
/// ring, until it has served all; and what such a round is when all have called.
///
/// They cannot be schedules. A schedule is fixed before its first message and is the same in simulations and
/// verifications, for blocking, nonblocking and persistent calls; it goes on while its rank computes. Here the
/// messages themselves would depend on simulated dates and on the time that a look takes, and the rank would have to
/// be in the call. (SMPI's `arrival_pattern_aware` for up to 8 KiB also leaves messages behind, by which the next
/// call takes ranks for present that are not.)
const ARRIVALS: [(Operation, &str, &str); 4] = [
    (Operation::Bcast, "arrival_pattern_aware", "NTSL"),
    (Operation::Bcast, "arrival_pattern_aware_wait", "NTSL_Isend"),
    (Operation::Bcast, "arrival_scatter", "scatter_LR_allgather"),
    (Operation::Reduce, "arrival_pattern_aware", "NTSL"),
];

/// SMPI's name for all algorithms, one after the other, of which it tells the times.
const AUTOMATIC: &str = "automatic";
const OF_AUTOMATIC: &str = "what SMPI calls automatic is smpirun --coll-auto FILE here: it tries all algorithms, prints their \
                            times, and writes the fastest as a table for --coll-table FILE";

impl Operation {
    /// Names of the algorithms that can be forced for it.
    pub fn algorithms(self) -> Vec<&'static str> {
        self.catalogue().into_iter().map(|(name, _)| name).collect()
    }

    /// The algorithm of a name, and what it cannot do without.
    ///
    /// # Errors
    /// Names the possible ones, or says why SMPI's algorithm of this name cannot be here.
    pub(super) fn find(self, name: &str) -> Result<(&'static str, Needs), String> {
        self.catalogue().into_iter().find(|(known, _)| *known == name).ok_or_else(|| {
            if let Some((.., nearest)) = ARRIVALS.iter().find(|known| (known.0, known.1) == (self, name)) {
                return format!(
                    "{name} asks at run time who has arrived; here all messages are known before the first one. \
                     Where all ranks come at once, {nearest} is nearest"
                );
            }
            if name == AUTOMATIC {
                return OF_AUTOMATIC.to_string();
            }
            format!("no algorithm is called \"{name}\"; there are {}", self.algorithms().join(", "))
        })
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

impl CollectiveKind {
    /// The names of operations, for messages.
    pub(super) fn all_names() -> String {
        let names = Operation::ALL.map(Operation::name).join(", ");
        format!("{names}; of nonblocking and persistent ones as ibcast and bcast_init")
    }
}

impl Selection {
    /// Applies `smpi/<key>:<value>`, where the key is `coll-selector` or the name of a kind of calls; the latter takes
    /// names of algorithms, and of tables that choose one.
    ///
    /// # Errors
    /// Names the possible values when this is none of them.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        if key == "coll-selector" {
            let selector = Selector::from_name(value).ok_or_else(|| {
                if value == AUTOMATIC {
                    return format!("smpi/coll-selector: {OF_AUTOMATIC}");
                }
                let names = Selector::ALL.map(Selector::name).join(", ");
                format!(
                    "smpi/coll-selector: no table is called \"{value}\"; there are {names}, or a file's name with a /"
                )
            })?;
            self.take_table(selector);
            return Ok(());
        }
        let kind = CollectiveKind::from_name(key).ok_or_else(|| {
            format!(
                "smpi/{key}: no such collective operation; there are coll-selector, {}",
                CollectiveKind::all_names()
            )
        })?;
        let found = kind.operation.find(value);
        let (target, asks_for_hosts) = match (found, Selector::from_name(value)) {
            (Ok((name, needs)), _) => (Target::Algorithm(name), needs.asks_for_hosts()),
            // Every table but the first ones has algorithms that ask, for some operation.
            (Err(_), Some(table)) => (Target::Table(table), true),
            (Err(text), None) if value == AUTOMATIC => return Err(format!("smpi/{key}: {text}")),
            (Err(text), None) => {
                let tables = Selector::ALL.map(Selector::name).join(", ");
                return Err(format!("smpi/{key}: {text}; or one of the tables {tables}"));
            }
        };
        self.forced[kind.index()] = Some(target);
        self.forces_hosts |= asks_for_hosts;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::select::{Case, Form};

    fn picked<F>(
        selection: &Selection,
        operation: Operation,
        algorithms: &'static [Algorithm<F>],
        case: &Case,
    ) -> &'static str {
        selection.pick(operation.into(), algorithms, case, &|| unreachable!("no rule asks for hosts")).0.name
    }

    #[test]
    fn every_algorithm_can_be_forced() {
        for operation in Operation::ALL {
            for name in operation.algorithms() {
                assert!(Selection::default().set(operation.name(), name).is_ok());
            }
        }
        for (operation, refused, nearest) in ARRIVALS {
            let error = Selection::default().set(operation.name(), refused).unwrap_err();
            assert!(error.contains("arrived") && error.contains(nearest), "{error}");
            assert!(operation.algorithms().contains(&nearest));
        }
    }

    /// SMPI has its selectors among the algorithms of each operation.
    #[test]
    fn an_operation_can_be_left_to_a_table() {
        let case = Case { ranks: 8, bytes: 1 << 20, count: 1 << 20, commutes: true };
        let picked = |selection: &Selection, operation: Operation| match operation {
            Operation::Bcast => picked(selection, operation, bcast::ALGORITHMS, &case),
            _ => picked(selection, operation, allreduce::ALGORITHMS, &case),
        };
        for selector in [Selector::Default, Selector::SmpiMpich, Selector::Mpich] {
            let mut selection = Selection::new(Selector::Ompi);
            selection.set("bcast", selector.name()).unwrap();
            assert_eq!(picked(&selection, Operation::Bcast), picked(&Selection::new(selector), Operation::Bcast));
            let others = picked(&Selection::new(Selector::Ompi), Operation::Allreduce);
            assert_eq!(picked(&selection, Operation::Allreduce), others);
        }
        for key in ["coll-selector", "bcast"] {
            assert!(Selection::default().set(key, "automatic").unwrap_err().contains("--coll-auto FILE"), "{key}");
        }
    }

    #[test]
    fn wrong_names_are_answered_with_the_right_ones() {
        let error = Selection::default().set("alltoall", "pear").unwrap_err();
        assert!(error.contains("pair"), "{error}");
        assert!(Selection::default().set("alltonothing", "pair").unwrap_err().contains("alltoallw"));
        assert!(Selection::default().set("coll-selector", "impl").unwrap_err().contains("mpich-4"));
    }

    #[test]
    fn nonblocking_and_persistent_calls_have_choices_of_their_own() {
        let names = |table: &str, settings: &[(&str, &str)]| {
            let mut selection = Selection::default();
            selection.read_table(table).unwrap();
            settings.iter().for_each(|(key, value)| selection.set(key, value).unwrap());
            [Form::Blocking, Form::Immediate, Form::Persistent].map(|form| {
                let kind = CollectiveKind { operation: Operation::Bcast, form };
                let case = Case { ranks: 8, bytes: 1, count: 1, commutes: true };
                selection.pick(kind, bcast::ALGORITHMS, &case, &|| unreachable!("no rule asks for hosts")).0.name
            })
        };
        // What the blocking form has, unless somebody says more.
        assert_eq!(names("", &[]), ["binomial_tree"; 3]);
        assert_eq!(names("", &[("bcast", "NTSL")]), ["NTSL"; 3]);
        assert_eq!(names("", &[("ibcast", "NTSL")]), ["binomial_tree", "NTSL", "NTSL"]);
        assert_eq!(names("", &[("bcast_init", "NTSL")]), ["binomial_tree", "binomial_tree", "NTSL"]);
        assert_eq!(names("bcast NTSB", &[("ibcast", "NTSL")]), ["NTSB", "NTSL", "NTSL"]);
        let table = "ibcast flattree ranks 8\nbcast_init NTSB bytes 2-\nbcast @default";
        assert_eq!(names(table, &[]), ["binomial_tree", "flattree", "flattree"]);
        assert_eq!(names(table, &[("bcast", "NTSL")]), ["NTSL", "flattree", "flattree"]);
        // A table to which calls are left knows their forms, too.
        assert_eq!(names("bcast @default", &[]), ["binomial_tree", "flattree", "flattree"]);
        let error = Selection::default().set("ibcast", "pear").unwrap_err();
        assert!(error.contains("smpi/ibcast: no algorithm") && error.contains("NTSL"), "{error}");
        for kind in CollectiveKind::all() {
            assert_eq!(CollectiveKind::from_name(&kind.name()), Some(kind));
        }
        assert_eq!(
            (CollectiveKind::from_name("ibcast_init"), CollectiveKind::all().count()),
            (None, CollectiveKind::COUNT)
        );
    }

    #[test]
    fn sizes_decide_as_published() {
        let selection = Selection::default();
        let name = |ranks, bytes| {
            let case = Case { ranks, bytes, count: 1 << 20, commutes: true };
            let alltoall = picked(&selection, Operation::Alltoall, alltoall::ALGORITHMS, &case);
            (picked(&selection, Operation::Allgather, allgather::ALGORITHMS, &case), alltoall)
        };
        assert_eq!(name(16, 100), ("rdb", "bruck"));
        assert_eq!(name(12, 80 << 10), ("bruck", "pair"));
        assert_eq!(name(6, 100), ("bruck", "basic_linear"));
        assert_eq!(name(16, 1 << 20), ("NTSLR", "pair"));
    }

    #[test]
    fn a_forced_algorithm_that_cannot_run_gives_way() {
        let mut selection = Selection::default();
        selection.set("allgather", "pair").unwrap();
        let name = |ranks| {
            let case = Case { ranks, bytes: 8, count: 1, commutes: true };
            picked(&selection, Operation::Allgather, allgather::ALGORITHMS, &case)
        };
        assert_eq!((name(8), name(6)), ("pair", "bruck"));
    }
}
