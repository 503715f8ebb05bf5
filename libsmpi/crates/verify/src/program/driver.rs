//! The driver of an exploration: choices.

use smpi_choices::Verification;
use smpi_mpi::world::World;
use smpi_runtime::with;

/// Gives the closure the driver and the world above it.
pub(crate) fn driven<R>(action: impl FnOnce(&mut Verification, &mut World) -> R) -> R {
    with(|runtime| match runtime.driver.verification() {
        Some(driver) => action(driver, &mut runtime.world),
        None => panic!("a simulation is explored"),
    })
}
