//! `MPI_Scan` and `MPI_Exscan` (MPI 5.0 §6.11, §6.11.2): the reduction of all ranks up to, or before, each rank. They
//! are not defined on intercommunicators.

mod chain;
mod doubling;
mod hosts;
mod linear;

use crate::collective::select::{Algorithm, Case, Needs, Operation, Selection};
use crate::collective::{Builder, Part, data_flow};

/// The own operand (it may be the result's buffer), the result, and whether the own operand belongs to it.
type Build = fn(&mut Builder, &Part, &Part, bool);

pub(super) const ALGORITHMS: &[Algorithm<Build>] = &[
    Algorithm { name: "linear", needs: Needs::Nothing, build: linear::build },
    Algorithm { name: "ompi_linear", needs: Needs::Nothing, build: chain::build },
    Algorithm { name: "mpich_smp", needs: Needs::Hosts, build: hosts::build },
    Algorithm { name: "recursive_doubling", needs: Needs::Nothing, build: doubling::build },
];

/// Fills in the schedule of a scan, or of an exscan when it is not `inclusive`. `send` is absent for `MPI_IN_PLACE`.
/// The result of an exscan on rank 0 is left as it was.
pub fn build(b: &mut Builder, selection: &Selection, send: Option<&Part>, recv: &Part, inclusive: bool) {
    let own = send.unwrap_or(recv);
    if data_flow::applies(selection) {
        // Every operand goes to all higher ranks: that is the linear algorithm.
        b.open_gate();
        if own.size() > 0 {
            linear::build(b, own, recv, inclusive);
        }
        return;
    }
    let case = Case { ranks: b.size, bytes: own.size(), count: own.count, commutes: b.commutes() };
    let operation = if inclusive { Operation::Scan } else { Operation::Exscan };
    (selection.choose(operation, ALGORITHMS, &case, b).build)(b, own, recv, inclusive);
}
