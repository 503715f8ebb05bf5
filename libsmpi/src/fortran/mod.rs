//! MPI as Fortran programs call it (MPI 5.0 §19.1): `mpi_xxx_` and `pmpi_xxx_`, for `mpif.h`, `use mpi` and `use
//! mpi_f08`.
//!
//! All three interfaces reach the same entry points, because they pass the same things: every argument by reference,
//! INTEGER and LOGICAL as `int`, handles as their number (`type(MPI_Comm)` is a structure of one INTEGER), a status as
//! the C structure, the lengths of strings as `size_t` after all arguments. Only the choice buffers of `mpi_f08` come
//! differently, as descriptors ([`section`]). Most entry points are `generated`; what needs thought is written by hand,
//! one file a subject. Each brings its arguments into C's form, calls the C function, and brings the results back.
//!
//! | difference to C | where |
//! |---|---|
//! | `MPI_BOTTOM`, `MPI_IN_PLACE`, … are variables, recognised by address | [`sentinels`] |
//! | an array of handles has elements of another width | [`arguments`] |
//! | strings have blanks at the end, and no zero | [`arguments`] |
//! | indices begin with 1 | [`arguments`] |
//! | sections of arrays are buffers | [`section`] |
//! | callbacks take their arguments by reference | [`callbacks`] |
//! | tools in C see the calls | [`layers`] |
//!
//! # Fortran's contract
//!
//! What a Fortran program promises by calling, in the words of the SAFETY comments here. It is that of C
//! (`smpi_api::contract`) with references for values. A compiler that has seen the interface establishes most of it:
//!
//! * A **variable** is the address of one of the declared type, valid while the call lasts. `ierror`, which is OPTIONAL
//!   in `mpi_f08`, may be null.
//! * An **array of `n`** is the address of the first of at least `n` such elements.
//! * A **string** has as many characters as the length says that comes after all arguments, and no zero at the end.
//! * A **descriptor** is what the compiler makes for `TYPE(*), DIMENSION(..)`: it describes memory of the program, a
//!   buffer in the sense of C's contract.
//! * A **procedure** has the interface that the standard declares for the argument.
//!
//! Nothing here needs dropping, because the rank may be suspended in the call and never resumed.

mod arguments;
mod attribute;
pub mod descriptor;
mod extensions;
#[rustfmt::skip]
mod generated;
mod info;
mod layers;
mod old;
mod operators;
mod process;
mod request;
mod section;
pub mod sentinels;
mod types;

use crate::abi::MPI_Fint as Fint;
use arguments::*;
use descriptor::Descriptor;
use section::{Use, base_of, copied, typed, whole, with_described_text};
use sentinels::{choice, status_of, weights_of};

/// Defines entry points: `fn NAME, PROFILING_NAME(arguments) -> result { body }`. The profiling one has the body, the
/// other calls it: two bodies would be compiled twice. What the other one calls may be a tool's ([`layers`]).
macro_rules! entries {
    ($(
        fn $name:ident, $profiling:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block
    )*) => {$(
        #[inline(never)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $profiling($($argument: $type),*) $(-> $result)? $body
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) $(-> $result)? {
            crate::fortran::layers::enter();
            // SAFETY: by Fortran's contract each argument is what the other entry point asks, which is the same
            // function.
            let result = unsafe { $profiling($($argument),*) };
            crate::fortran::layers::leave();
            result
        }
    )*};
}
use entries;

/// The C function that a call of Fortran goes on to, from its number, our own definition, and `_` for each argument.
macro_rules! c {
    ($function:ident, $own:path, $($argument:ty),*) => {
        crate::fortran::layers::c_function(
            smpi_abi::Function::$function,
            $own as unsafe extern "C" fn($($argument),*) -> _,
        )
    };
}
use c;
