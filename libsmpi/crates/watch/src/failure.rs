//! What went wrong on the path that is explored now, before it becomes a finding.

use smpi_abi::Callee;
use smpi_base::WorldRank;
use smpi_mpi::p2p::request::Request;
use smpi_report::FindingKey;

use smpi_process::Crash;
use smpi_runtime::failure::{Cause, Failure};
use smpi_runtime::{MpiPhase, with};

/// Notes that a rank ends the run: and why.
pub fn note(rank: WorldRank, cause: Cause, message: &str) {
    let key = match cause {
        Cause::Error(class) => FindingKey::of_error_class(class).unwrap_or(FindingKey::ExitCode),
        Cause::Misplaced(MpiPhase::Before) => FindingKey::BeforeInit,
        Cause::Misplaced(_) => FindingKey::AfterFinalize,
        Cause::Abort => FindingKey::ExitCode,
    };
    let place = smpi_process::own_place();
    with(|runtime| {
        let call = runtime.run(rank).call;
        runtime.trouble.failures.push(Failure {
            rank,
            key,
            message: message.to_string(),
            place,
            call,
            is_limit: false,
            finding: None,
        });
    });
}

/// Something that the checks noticed.
pub fn of_finding(finding: smpi_report::Finding) -> Failure {
    let rank = WorldRank(finding.ranks.first().copied().unwrap_or(0));
    let (key, message) = (finding.key, finding.message.clone());
    Failure {
        rank,
        key,
        message,
        place: None,
        call: Callee::Unknown,
        is_limit: false,
        finding: Some(Box::new(finding)),
    }
}

/// A rank crashed.
pub fn of_crash(rank: WorldRank, crash: Crash) -> Failure {
    let key = match crash.endless {
        Some(_) => FindingKey::NonTermination,
        None if crash.asserted => FindingKey::Assertion,
        None => FindingKey::Crash,
    };
    let call = with(|runtime| runtime.run(rank).call);
    let is_proven = crash.endless == Some(true) && is_alone(rank);
    let message = match (crash.endless, is_proven) {
        (Some(_), true) => format!("{}: it comes back to the same state again and again", crash.what),
        (Some(_), false) => format!("{} (--call-timeout moves that)", crash.what),
        _ => crash.what,
    };
    let is_limit = crash.endless.is_some() && !is_proven;
    Failure { rank, key, message, place: crash.place, call, is_limit, finding: None }
}

/// Whether nobody else can change what a rank has in its memory, while it makes no calls.
fn is_alone(rank: WorldRank) -> bool {
    let is_reached = with(|runtime| {
        // What the call that it is in has started is not the program's to look at.
        let is_in_call = |request: &Request| request.watched.as_ref().is_some_and(|watched| watched.in_call);
        let mut requests = runtime.world.state.ranks[rank.index()].requests.iter();
        runtime.world.has_windows() || requests.any(|(_, request)| !is_in_call(request))
    });
    !is_reached && !smpi_process::shares_memory()
}

/// A rank ended with an exit code other than 0.
pub fn of_exit(rank: WorldRank, code: i32) -> Failure {
    let call = with(|runtime| runtime.run(rank).call);
    let said = match smpi_process::last_error() {
        said if said.is_empty() => said,
        said => format!("; it printed: {said}"),
    };
    let message = format!("rank {rank} ended with exit code {code}{said}");
    let place = smpi_process::place_of_site(rank, smpi_process::exit_of(rank).site);
    Failure { rank, key: FindingKey::ExitCode, message, place, call, is_limit: false, finding: None }
}
