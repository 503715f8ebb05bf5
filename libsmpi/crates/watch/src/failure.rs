//! What went wrong on the path that is explored now, before it becomes a finding.

use smpi_abi::Callee;
use smpi_base::WorldRank;
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
        runtime.failures.push(Failure { rank, key, message: message.to_string(), place, call, finding: None });
    });
}

/// Something that the checks noticed.
pub fn of_finding(finding: smpi_report::Finding) -> Failure {
    let rank = WorldRank(finding.ranks.first().copied().unwrap_or(0));
    let (key, message) = (finding.key, finding.message.clone());
    Failure { rank, key, message, place: None, call: Callee::Unknown, finding: Some(Box::new(finding)) }
}

/// A rank crashed.
pub fn of_crash(rank: WorldRank, crash: Crash) -> Failure {
    let key = match crash.signal {
        // The timer of `--call-timeout`.
        libc::SIGALRM if !crash.sent => FindingKey::NonTermination,
        _ if crash.asserted => FindingKey::Assertion,
        _ => FindingKey::Crash,
    };
    let call = with(|runtime| runtime.run(rank).call);
    Failure { rank, key, message: crash.what, place: crash.place, call, finding: None }
}

/// A rank ended with an exit code other than 0.
pub fn of_exit(rank: WorldRank, code: i32) -> Failure {
    let call = with(|runtime| runtime.run(rank).call);
    let said = match smpi_process::last_error() {
        said if said.is_empty() => said,
        said => format!("; it printed: {said}"),
    };
    let message = format!("rank {rank} ended with exit code {code}{said}");
    let place = smpi_process::place_of_site(rank, smpi_process::site_of_exit(rank));
    Failure { rank, key: FindingKey::ExitCode, message, place, call, finding: None }
}
