//! The campaigns: the one place that says which random tests and crossings there are, and how they are run.
//!
//! A campaign is a test whose cases follow from a seed. To add one is to write such a test and to add a row here; a
//! feature of the program under test that must hold everywhere (a self-check) is a row with the same test and more in
//! `with`.

/// A random test that can go on for as long as one likes.
#[derive(Clone, Copy, Debug)]
pub struct Campaign {
    /// Its name on the command line.
    pub name: &'static str,
    /// What is compared with what.
    pub crosses: &'static str,
    /// The package and its test, as cargo calls them.
    pub test: (&'static str, &'static str),
    /// The functions of the test, by parts of their names; all if there are none.
    pub functions: &'static [&'static str],
    /// Environment variable with the first seed.
    pub seed: &'static str,
    /// Environment variable with the number of cases.
    pub count: &'static str,
    /// Cases that are tried first, which should take some seconds.
    pub first: u64,
    /// More environment variables.
    pub with: &'static [(&'static str, &'static str)],
}

const PROGRAMS: Campaign = Campaign {
    name: "programs",
    crosses: "random programs: matches, none, dpor, states, walks, jobs, each, p2p, simulations",
    test: ("smpi-tests", "campaign"),
    functions: &["explorations_and_simulations_agree"],
    seed: "SMPI_CAMPAIGN_SEED",
    count: "SMPI_CAMPAIGN_PROGRAMS",
    first: 4,
    with: &[],
};

const MODEL: Campaign = Campaign {
    name: "model",
    crosses: "abstract programs: brute force, matches, the papers' reductions, each, cancellations, probes",
    test: ("smpi-checker", "explore"),
    functions: &["random::"],
    seed: "SMPI_CHECKER_SEED",
    count: "SMPI_CHECKER_PROGRAMS",
    first: 200,
    with: &[],
};

const OBSERVERS: Campaign = Campaign {
    name: "observers",
    crosses: "test programs of all chapters, right or wrong, under each observer, replayed, and asked what-if",
    test: ("smpi-tests", "crossings"),
    functions: &["observers_change_nothing"],
    seed: "SMPI_CROSSING_SEED",
    count: "SMPI_CROSSING_PROGRAMS",
    first: 3,
    with: &[],
};

/// All campaigns, in the order in which they take turns.
pub const CAMPAIGNS: &[Campaign] = &[
    Campaign {
        name: "memory",
        crosses: "random walks of allocation: matches, dpor, states, jobs, watched, without userfaultfd",
        test: ("smpi-tests", "memory_campaign"),
        functions: &[],
        seed: "SMPI_MEMORY_SEED",
        count: "SMPI_MEMORY_PROGRAMS",
        first: 1,
        with: &[],
    },
    PROGRAMS,
    Campaign {
        name: "self-check",
        crosses: "random programs as above, and all memory is read and compared at each return to a state",
        with: &[("SMPI_CAMPAIGN_VERIFICATION", "--cfg=smpi/self-check:yes")],
        first: 2,
        ..PROGRAMS
    },
    Campaign {
        name: "planted",
        crosses: "programs with a deadlock that only --buffering each shows",
        functions: &["deadlocks_of_mixtures_are_found"],
        first: 50,
        ..PROGRAMS
    },
    Campaign {
        name: "endless",
        crosses: "programs that run for ever: states by matches, by brute force, compared, jobs",
        functions: &["states_of_programs_that_run_for_ever"],
        count: "SMPI_CAMPAIGN_ENDLESS",
        first: 2,
        ..PROGRAMS
    },
    Campaign {
        name: "symmetric",
        crosses: "masters and workers with and without --symmetric",
        functions: &["one_of_ranks_that_may_change_places"],
        first: 50,
        ..PROGRAMS
    },
    MODEL,
    Campaign {
        name: "model-states",
        crosses: "abstract programs: states by every reduction, programs that run for ever",
        functions: &["stateful::"],
        ..MODEL
    },
    Campaign {
        name: "model-walks",
        crosses: "abstract programs: deviations, determinism, workers in any order",
        functions: &["walks::deviations", "walks::workers", "determinism::"],
        ..MODEL
    },
    Campaign {
        name: "windows",
        crosses: "random accesses to windows: verified, and in all orders one by one",
        test: ("smpi-tests", "window_orders"),
        functions: &[],
        seed: "SMPI_WINDOW_SEED",
        count: "SMPI_WINDOW_PROGRAMS",
        first: 30,
        with: &[],
    },
    Campaign {
        name: "atomics",
        crosses: "random atomic operations of C on shared memory: verified, and in all orders one by one",
        test: ("smpi-tests", "atomic_orders"),
        functions: &[],
        seed: "SMPI_ATOMIC_SEED",
        count: "SMPI_ATOMIC_PROGRAMS",
        first: 30,
        with: &[],
    },
    Campaign {
        name: "unseen",
        crosses: "answers that somebody looks at, or nobody: with and without --no-prune, by executions and states",
        test: ("smpi-tests", "unseen_answers"),
        functions: &[],
        seed: "SMPI_UNSEEN_SEED",
        count: "SMPI_UNSEEN_PROGRAMS",
        first: 40,
        with: &[],
    },
    Campaign {
        name: "files",
        crosses: "random uses of shared file pointers and atomic mode: verified, and in all orders one by one",
        test: ("smpi-tests", "file_orders"),
        functions: &[],
        seed: "SMPI_FILE_SEED",
        count: "SMPI_FILE_PROGRAMS",
        first: 30,
        with: &[],
    },
    Campaign {
        name: "connections",
        crosses: "random servers and clients at ports: verified, and in all orders one by one",
        test: ("smpi-tests", "connection_orders"),
        functions: &[],
        seed: "SMPI_CONNECTION_SEED",
        count: "SMPI_CONNECTION_PROGRAMS",
        first: 30,
        with: &[],
    },
    Campaign {
        name: "properties",
        crosses: "random programs and formulas: with and without reduction, and a model",
        test: ("smpi-tests", "property_campaign"),
        functions: &[],
        seed: "SMPI_PROPERTIES_SEED",
        count: "SMPI_PROPERTIES_CASES",
        first: 10,
        with: &[],
    },
    OBSERVERS,
    Campaign {
        name: "verified",
        crosses: "right test programs of all chapters, built by smpicc --verify, in each mode of --verify",
        functions: &["right_programs_have_no_findings"],
        ..OBSERVERS
    },
    Campaign {
        name: "inputs",
        crosses: "damaged executables, platforms (TOML, XML), hostfiles, plans, tokens, traces, options",
        test: ("smpi-tests", "mutants"),
        functions: &[],
        seed: "SMPI_MUTANTS_SEED",
        count: "SMPI_MUTANTS",
        first: 50,
        with: &[],
    },
    Campaign {
        name: "stepping",
        crosses: "100 random steps through executions of test programs, and replays from the beginning",
        test: ("smpi-tests", "stepping"),
        functions: &["random_steps"],
        seed: "SMPI_STEPPING_SEED",
        count: "SMPI_STEPPING_PROGRAMS",
        first: 2,
        with: &[],
    },
    Campaign {
        name: "blamed",
        crosses: "right programs with one planted fault each: whether what is said of it names the line",
        test: ("smpi-tests", "blamed"),
        functions: &[],
        seed: "SMPI_BLAMED_SEED",
        count: "SMPI_BLAMED_PROGRAMS",
        first: 8,
        with: &[],
    },
    Campaign {
        name: "explained",
        crosses: "explanations of random programs that go wrong in some orders, and all their executions",
        test: ("smpi-tests", "explained"),
        functions: &[],
        seed: "SMPI_EXPLAINED_SEED",
        count: "SMPI_EXPLAINED_PROGRAMS",
        first: 8,
        with: &[],
    },
    Campaign {
        name: "signals",
        crosses: "signals at random moments to smpirun, its explorer and its workers",
        test: ("smpi-tests", "signals"),
        functions: &[],
        seed: "SMPI_SIGNALS_SEED",
        count: "SMPI_SIGNALS",
        first: 5,
        with: &[],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::root;

    #[test]
    fn names_differ_and_tests_read_their_variables() {
        for (index, campaign) in CAMPAIGNS.iter().enumerate() {
            assert!(CAMPAIGNS[..index].iter().all(|other| other.name != campaign.name), "{}", campaign.name);
            let (package, test) = campaign.test;
            let place = match package {
                "smpi-tests" => root().join(format!("tests/tests/{test}.rs")),
                _ => root().join(format!("libsmpi/crates/checker/tests/{test}/campaign.rs")),
            };
            let text = std::fs::read_to_string(&place).unwrap_or_else(|e| panic!("{}: {e}", place.display()));
            assert!(text.contains(campaign.seed) && text.contains(campaign.count), "{}", campaign.name);
        }
    }
}
