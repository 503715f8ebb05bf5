//! The life of MPI on a rank.

/// Where a rank is between `MPI_Init` and `MPI_Finalize`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum MpiPhase {
    /// `MPI_Init` has not been called.
    #[default]
    Before,
    /// Between both.
    Active,
    /// `MPI_Finalize` has returned.
    After,
}
