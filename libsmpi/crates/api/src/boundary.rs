//! The single entry of every MPI call: state check, charging of computation, error handler.
//!
//! A panic of ours never crosses into C: the library aborts on panic, and the hook in [`install_panic_hook`] first says
//! that it is our bug, and where the rank was.

use smpi_base::eprintln;
use std::ffi::c_int;

use smpi_abi::Function;
use smpi_mpi::error::Result;
use smpi_process as process;
use smpi_runtime::{is_running, try_with};

use crate::errors;
use crate::passage::{Caller, enter, leave};

pub use crate::convert::{put as give, put_count as give_count};
pub use crate::own_memory::{place, result};
pub use crate::target::Target;
pub use crate::tool::put as tell;

/// Runs an MPI function that returns an error code.
#[inline]
pub fn call(function: Function, target: Target, action: impl FnOnce() -> Result<()>) -> c_int {
    let caller = enter(function);
    let code = match action() {
        Ok(()) => 0,
        // Handlers are for ranks.
        Err(error) if caller == Caller::Bystander => error.class.0,
        Err(error) => errors::raise(function, target, error),
    };
    leave(caller);
    code
}

/// Runs an MPI function that returns a value.
#[inline]
pub fn call_value<T>(function: Function, action: impl FnOnce() -> T) -> T {
    if !is_running() {
        return action();
    }
    let caller = enter(function);
    let value = action();
    leave(caller);
    value
}

/// Makes panics of ours tell where the simulation stood.
pub fn install_panic_hook() {
    std::panic::set_hook(Box::new(|info| {
        let place = process::current_rank().map_or(String::new(), |rank| {
            let call = try_with(|runtime| runtime.run(rank).call).unwrap_or_default();
            if call.is_unknown() { format!("on rank {rank}; ") } else { format!("on rank {rank}, {call}; ") }
        });
        eprintln!("smpirun: internal bug: {info}\n  {place}please report it with the command line and the program");
        process::end_after_bug(&info.to_string());
    }));
}
