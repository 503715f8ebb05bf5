//! The processor-dependent part of the loader; one file per architecture, all with the same items.

#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "x86_64")]
pub use x86_64::enter;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::{Action, MACHINE, THREAD_OFFSET, action, return_tls_offset, thread_pointer};

#[cfg(not(target_arch = "x86_64"))]
compile_error!("libsmpi's image loader knows x86_64 only; add src/arch/<architecture>.rs to smpi-image");
