//! The setting of a key; a word about keys that are none.

use smpi_base::words::nearest;

use crate::row::{Group, Row};
use crate::table::rows;

/// Collective operations, in the order of their numbers: `smpi/NAME:ALGORITHM`. Those that are nonblocking and
/// persistent have an `i` in front, or `_init` behind.
pub const OPERATIONS: [&str; 17] = [
    "barrier",
    "bcast",
    "gather",
    "gatherv",
    "scatter",
    "scatterv",
    "allgather",
    "allgatherv",
    "alltoall",
    "alltoallv",
    "alltoallw",
    "reduce",
    "allreduce",
    "reduce_scatter",
    "reduce_scatter_block",
    "scan",
    "exscan",
];

/// Settings of SimGrid 3.32 and 4.2 that change nothing here: they choose how it computes, what it traces and checks,
/// or are about features that work differently here. Names that end with `/` stand for all that begin with them.
/// Options of smpirun ([`crate::Options`]) among them have no meaning in platform files.
const WITHOUT_MEANING: &[&str] = &[
    "network/optim",
    "network/solver",
    "network/maxmin-selective-update",
    "network/coordinates",
    "precision/work-amount",
    "smpi/auto-shared-malloc-thresh",
    "smpi/barrier-collectives",
    "smpi/buffering",
    "smpi/comp-adjustment-file",
    "smpi/display-allocs",
    "smpi/display-timing",
    "smpi/iprobe-cpu-usage",
    "smpi/keep-temps",
    "smpi/list-leaks",
    "smpi/papi-events",
    "smpi/pedantic",
    "smpi/privatization",
    "smpi/privatize-libs",
    "smpi/shared-malloc",
    "smpi/shared-malloc-blocksize",
    "smpi/shared-malloc-hugepage",
    "smpi/tmpdir",
    "smpi/trace-call-location",
    "smpi/trace-call-use-absolute-path",
    "path",
    "plugin",
    "tracing",
    "help-nostop",
    "surf/nthreads",
    "bmf/",
    "clean-atexit",
    "cmonkey/",
    "contexts/",
    "cpu/",
    "debug/",
    "disk/",
    "exception/",
    "host/",
    "maxmin/",
    "model-check/",
    "ns3/",
    "plugin/",
    "storage/",
    "tracing/",
    "verbose-exit",
];

/// A setting of SimGrid that would change times, the values with which it changes nothing here, and what is said of all
/// others.
type Lacking = (&'static str, fn(&str) -> bool, &'static str);

/// What SimGrid can be told, and is not available here.
const LACKING: &[Lacking] = &[
    (
        "host/model",
        |value| ["", "default", "compound"].contains(&value),
        "parallel tasks are not modelled, expected default; leave it out",
    ),
    ("cpu/model", |value| ["", "Cas01"].contains(&value), "there is one model of processors, Cas01; leave it out"),
    ("cpu/solver", is_fair, SOLVER),
    ("network/solver", is_fair, SOLVER),
    (
        "smpi/shared-malloc",
        |value| ["", "global", "local", "yes", "on", "true", "1"].contains(&value),
        "what SMPI_SHARED_MALLOC gives is shared in simulations, expected global; let the program call malloc instead, or \
         leave the setting out",
    ),
    (
        "smpi/auto-shared-malloc-thresh",
        |value| value.chars().all(|digit| digit == '0'),
        "malloc gives each rank memory of its own, expected 0; let the program call SMPI_SHARED_MALLOC, or leave the \
         setting out",
    ),
    (
        "smpi/comp-adjustment-file",
        str::is_empty,
        "computation has no factors by place in the program; --compute=scaled:FACTOR scales all of it",
    ),
];

const SOLVER: &str = "what is shared is shared max-min fairly, expected maxmin; leave it out";

fn is_fair(value: &str) -> bool {
    ["", "auto", "maxmin"].contains(&value)
}

/// What a key names.
#[derive(Clone, Copy, Debug)]
pub enum Found<'a> {
    /// A setting.
    Row(&'static Row),
    /// The algorithm of a kind of collective calls, by its name behind `smpi/`.
    Algorithm(&'a str),
}

/// What `key` names; `None` where it is no setting of ours.
pub fn find(key: &str) -> Option<Found<'_>> {
    let row = || rows().find(|row| row.names().any(|name| name == key)).map(Found::Row);
    let algorithm = || key.strip_prefix("smpi/").filter(|name| is_algorithm(name)).map(Found::Algorithm);
    row().or_else(algorithm)
}

/// Whether a collective operation, or one of its other forms, has this name.
fn is_algorithm(name: &str) -> bool {
    let is = |name: Option<&str>| name.is_some_and(|name| OPERATIONS.contains(&name));
    is(Some(name)) || is(name.strip_prefix('i')) || is(name.strip_suffix("_init"))
}

/// Whether SimGrid knows a setting that has no meaning here: it is ignored with a note.
pub fn ignored(key: &str) -> bool {
    let is_named = |known: &&str| if known.ends_with('/') { key.starts_with(*known) } else { key == *known };
    WITHOUT_MEANING.iter().any(is_named)
}

/// Why SimGrid's setting cannot have this value here, and what to do; `None` for all others.
pub fn lacking(key: &str, value: &str) -> Option<&'static str> {
    let (_, _, why) = LACKING.iter().find(|(name, means_nothing, _)| *name == key && !means_nothing(value))?;
    Some(why)
}

/// The names of all settings of ours, those of algorithms included.
pub fn known() -> impl Iterator<Item = String> {
    rows().flat_map(Row::names).map(String::from).chain(algorithms())
}

fn algorithms() -> impl Iterator<Item = String> {
    OPERATIONS.iter().flat_map(|operation| {
        [format!("smpi/{operation}"), format!("smpi/i{operation}"), format!("smpi/{operation}_init")]
    })
}

/// Whether a platform file may hold a setting: the machine's and MPI's, and what SimGrid has besides.
pub fn for_platforms(key: &str) -> bool {
    let is_ours = match find(key) {
        Some(Found::Row(row)) => is_for_platforms(row),
        Some(Found::Algorithm(_)) => true,
        None => false,
    };
    is_ours || ignored(key)
}

fn is_for_platforms(row: &Row) -> bool {
    matches!(row.group, Group::Network | Group::Mpi)
}

/// The names of all settings that platform files may hold and that mean something there.
pub fn known_to_platforms() -> impl Iterator<Item = String> {
    rows().filter(|row| is_for_platforms(row)).flat_map(Row::names).map(String::from).chain(algorithms())
}

/// What settings were called in versions of SMPI that are older than those whose names are taken.
const FORMER: [(&str, &str); 5] = [
    ("smpi/running-power", "smpi/host-speed"),
    ("smpi/use-shared-malloc", "smpi/shared-malloc"),
    ("smpi/privatize-global-variables", "smpi/privatization"),
    ("network/sender-gap", "network/gap"),
    ("workstation/model", "host/model"),
];

/// The setting that `key`, which is none, was probably meant to be, of these: one that is written nearly so, that had
/// this name, or that has the same name in another group; else one with which it shares a word.
pub fn meant<'a>(key: &str, known: &'a [String]) -> Option<&'a str> {
    let names = || known.iter().map(String::as_str);
    let key = key.replace('_', "-");
    let last = |name: &'a str| name.rsplit('/').next().unwrap_or(name);
    let own = key.rsplit('/').next().unwrap_or(&key);
    let former = || FORMER.iter().find(|(former, _)| *former == key).map(|(_, now)| *now);
    let elsewhere = || {
        let near = nearest(own, names().map(last))?;
        names().find(|name| last(name) == near)
    };
    let shared = |name: &str| own.split('-').filter(|word| word.len() > 3 && name.contains(word)).count();
    let related = || names().filter(|name| shared(name) > 0).min_by_key(|name| std::cmp::Reverse(shared(name)));
    nearest(&key, names())
        .or_else(|| former().and_then(|now| names().find(|name| *name == now)))
        .or_else(elsewhere)
        .or_else(related)
}

/// The refusal of a key that is none.
pub fn unknown(key: &str) -> String {
    let whole = WITHOUT_MEANING.iter().filter(|name| !name.ends_with('/')).map(|name| (*name).to_string());
    let known: Vec<String> = known().chain(whole).collect();
    match meant(key, &known) {
        Some(near) => format!("there is no setting {key}; did you mean {near}?"),
        None => format!("there is no setting {key}; smpirun --help-cfg lists them"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mpi, Network, Options, WhatIf};

    #[test]
    fn names_are_unique_and_each_is_found_and_read() {
        let mut names: Vec<String> = known().collect();
        for name in &names {
            assert!(find(name).is_some(), "{name}");
        }
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        let (mut network, mut mpi, mut what_if, mut options) =
            (Network::default(), Mpi::default(), WhatIf::default(), Options::default());
        for row in rows() {
            for name in row.names() {
                let set = [
                    network.set(name, row.default),
                    mpi.set(name, row.default),
                    what_if.set(name, row.default),
                    options.set(name, row.default),
                ];
                let taken: Vec<_> = set.into_iter().flatten().collect();
                assert_eq!(taken, [Ok(())], "{name}");
            }
        }
    }

    const NOT_SHARED: (&str, &str) = ("smpi/shared-malloc", "none");
    const SHARED_BY_ITSELF: (&str, &str) = ("smpi/auto-shared-malloc-thresh", "1048576");

    #[test]
    fn misspelt_names_are_recognised() {
        assert_eq!(
            unknown("smpi/asinc-small-thresh"),
            "there is no setting smpi/asinc-small-thresh; did you mean smpi/async-small-thresh?"
        );
        assert!(unknown("smpi/alreduce").contains("smpi/allreduce?"));
        assert!(unknown("nothing").contains("--help-cfg"));
        for (key, near) in [
            ("smpi/running_power", "smpi/host-speed"),
            ("smpi/cpu_threshold", "smpi/cpu-threshold"),
            ("smpi/send_is_detached_thres", "smpi/send-is-detached-thresh"),
            ("smpi/use_shared_malloc", "smpi/shared-malloc"),
            ("coll_selector", "smpi/coll-selector"),
            ("smpi/loopback-bw", "network/loopback-bw"),
            ("smpi/computation", "smpi/simulate-computation"),
            ("smpi/privatisation", "smpi/privatization"),
        ] {
            assert!(unknown(key).ends_with(&format!("did you mean {near}?")), "{}", unknown(key));
        }
        assert!(ignored("tracing/categorized") && !ignored("smpi/host-speed"));
        for (key, value) in
            [("host/model", "ptask_L07"), ("cpu/model", "TI"), ("network/solver", "bmf"), NOT_SHARED, SHARED_BY_ITSELF]
        {
            assert!(lacking(key, value).is_some(), "{key}");
        }
        for (key, value) in [
            ("host/model", "default"),
            ("smpi/host-speed", "1Gf"),
            ("network/solver", "maxmin"),
            ("smpi/shared-malloc", "global"),
        ] {
            assert!(lacking(key, value).is_none(), "{key}");
        }
    }
}
