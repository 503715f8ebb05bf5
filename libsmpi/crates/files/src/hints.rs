//! Hints: the info keys of files (MPI 5.0 §14.2.8).
//!
//! None of them changes what a program gets; some change what it costs ([`Shape`]). Those that are known are kept and
//! shown again, so that programs which look whether their hints were taken find them.

use smpi_mpi::error::Result;
use smpi_mpi::info::Info;

/// The keys of the standard.
const KEYS: [&str; 16] = [
    "access_style",
    "collective_buffering",
    "cb_block_size",
    "cb_buffer_size",
    "cb_nodes",
    "chunked",
    "chunked_item",
    "chunked_size",
    "filename",
    "file_perm",
    "io_node_list",
    "nb_proc",
    "num_io_nodes",
    "striping_factor",
    "striping_unit",
    "mpi_minimum_memory_alignment",
];
/// How the keys of ROMIO, which many programs set, begin.
const OF_ROMIO: [&str; 4] = ["romio_", "cb_", "ind_", "striping_"];

/// Whether a key is kept.
fn is_known(key: &str) -> bool {
    KEYS.contains(&key) || OF_ROMIO.iter().any(|start| key.starts_with(start))
}

/// Adds those of the program's hints that are known.
///
/// # Errors
/// Those of info objects.
pub fn take(hints: &mut Info, given: &Info) -> Result<()> {
    for number in 0..given.len() {
        let key = given.nth_key(number as i64)?;
        if let Some(value) = given.get(key)?.filter(|_| is_known(key)) {
            hints.set(key, value)?;
        }
    }
    Ok(())
}

/// Bytes that a rank accesses at a time for others, where the program does not say it: as in ROMIO.
const BUFFER_BYTES: u64 = 16 << 20;

/// What hints say about the cost of accesses. Hints that are no whole numbers from 1 say nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Shape {
    /// `striping_factor`: over how many servers a file is spread.
    pub servers: Option<u32>,
    /// `striping_unit`: bytes of a stripe.
    pub stripe_bytes: Option<u64>,
    /// `cb_nodes` and `cb_buffer_size`: how many hosts access a file for all, and how many bytes they do at a time.
    pub buffering: Option<(u32, u64)>,
}

impl Shape {
    /// The shape that hints ask for.
    pub fn of(hints: &Info) -> Shape {
        let number = |key: &str| -> Option<u64> {
            let value = hints.get(key).ok().flatten()?;
            value.trim().parse().ok().filter(|number| (1..=1 << 40).contains(number))
        };
        let small = |key: &str| number(key).map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        let buffer = number("cb_buffer_size").unwrap_or(BUFFER_BYTES);
        Shape {
            servers: small("striping_factor"),
            stripe_bytes: number("striping_unit"),
            buffering: small("cb_nodes").map(|nodes| (nodes, buffer)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_hints_are_kept_and_others_are_not() {
        let (mut hints, mut given) = (Info::new(), Info::new());
        for (key, value) in [("cb_nodes", "2"), ("romio_cb_write", "enable"), ("colour", "blue")] {
            given.set(key, value).unwrap();
        }
        take(&mut hints, &given).unwrap();
        assert_eq!(hints.len(), 2);
        assert_eq!((hints.get("cb_nodes"), hints.get("colour")), (Ok(Some("2")), Ok(None)));
    }

    #[test]
    fn hints_that_are_no_numbers_say_nothing() {
        let mut hints = Info::new();
        for (key, value) in [("cb_nodes", " 3"), ("striping_unit", "0"), ("striping_factor", "all")] {
            hints.set(key, value).unwrap();
        }
        let expected = Shape { buffering: Some((3, BUFFER_BYTES)), ..Shape::default() };
        assert_eq!(Shape::of(&hints), expected);
    }
}
