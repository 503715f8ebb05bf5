//! What went wrong on a rank, before it becomes a finding.

use std::ffi::c_int;

use smpi_abi::Callee;
use smpi_base::WorldRank;
use smpi_report::FindingKey;

use crate::phase::MpiPhase;

/// Something that went wrong on one rank.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Whose.
    pub rank: WorldRank,
    /// What kind.
    pub key: FindingKey,
    /// In words.
    pub message: String,
    /// Where, if it is known: file and line, and the function around it.
    pub place: Option<smpi_dwarf::source::SourceLocation>,
    /// The MPI call that it concerns, or the last one before it.
    pub call: Callee,
    /// It is not known to be wrong: a limit was met, so that what follows is not explored.
    pub is_limit: bool,
    /// The whole finding, when it is known already.
    pub finding: Option<Box<smpi_report::Finding>>,
}

/// Why a rank ends the whole run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// It asked for that.
    Abort,
    /// An MPI error of this class, whose handler ends the run.
    Error(c_int),
    /// It called a function too early or too late.
    Misplaced(MpiPhase),
}
