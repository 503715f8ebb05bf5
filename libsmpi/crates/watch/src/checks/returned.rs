//! Errors that calls returned to their programs, because the error handler says so.

use smpi_base::WorldRank;
use smpi_base::map::Map;
use smpi_base::words::counted;
use smpi_mpi::error::ErrorClass;
use smpi_mpi::usage::Origin;
use smpi_report::FindingKey;
use smpi_report::finding::Finding;
use smpi_runtime::with;

use super::location_of;

/// Ranks whose places a finding lists.
const MAX_PLACES: usize = 64;

/// Errors of one class at one place: of which ranks, and how many.
type Errors = (Origin, i32, Option<String>, Vec<WorldRank>, u64);

/// An error class by its name, or a code of the program's own.
fn in_words(class: i32) -> String {
    match ErrorClass(class).text() {
        Some(_) => ErrorClass(class).name().to_string(),
        None => format!("the error code {class}"),
    }
}

/// The error that calls of a rank returned last, of a class and at a place where none had before: `MPI_Send at a.c:26
/// returned MPI_ERR_TAG`.
pub fn last_error(rank: WorldRank) -> Option<String> {
    let (origin, class) = with(|runtime| runtime.run(rank).returned.last().map(|one| (one.origin, one.class)))?;
    let place = location_of(rank, origin).source();
    (!place.is_empty()).then(|| format!("{} at {place} returned {}", origin.call, in_words(class)))
}

/// What failed so far, each place and class once; an error only where that was asked for.
pub fn returned_errors() -> Vec<Finding> {
    let (errors, is_strict) = with(|runtime| {
        let mut list: Vec<Errors> = Vec::new();
        let mut index: Map<(Origin, i32, u32), usize> = Map::default();
        for (run, rank) in runtime.ranks.iter().zip((0..).map(WorldRank)) {
            for one in &run.returned {
                let next = list.len();
                let at = *index.entry((one.origin, one.class, runtime.app_of(rank))).or_insert(next);
                if at == next {
                    list.push((one.origin, one.class, one.why.clone(), Vec::new(), 0));
                }
                list[at].3.push(rank);
                list[at].4 += one.count;
            }
        }
        (list, runtime.settings.errors_returned_are_findings)
    });
    let finding = |(origin, class, why, ranks, count): Errors| {
        let class = in_words(class);
        let whom = match &ranks[..] {
            [only] => format!("rank {only}"),
            _ => format!("{} ranks", ranks.len()),
        };
        let times = if count == ranks.len() as u64 { String::new() } else { format!(", {}", counted(count, "time")) };
        let why = why.map_or(String::new(), |why| format!(": {why}"));
        let message =
            format!("{} returned {class} to {whom}{times}{why}; its error handler lets errors return", origin.call);
        let mut finding = Finding::new(FindingKey::ErrorReturned, message);
        finding.ranks = ranks.iter().map(|rank| rank.0).collect();
        finding.tolerated = !is_strict;
        ranks.into_iter().take(MAX_PLACES).fold(finding, |finding, rank| finding.located(location_of(rank, origin)))
    };
    errors.into_iter().map(finding).collect()
}
