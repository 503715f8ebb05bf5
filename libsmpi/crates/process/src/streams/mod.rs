//! The standard streams: what ranks print comes out as whole lines, in rank order within an instant, and only rank 0
//! reads standard input, as under mpirun.
//!
//! `stdout`, `stderr` and `stdin` of libc are replaced by unbuffered streams that end here ([`stdio`]), before any
//! program or the C++ library sees them. A rank's bytes wait in its own buffer until their line is complete; complete
//! lines wait for the end of the instant ([`output`], [`pending`]). Input is read ahead for rank 0 ([`input`]).

pub mod input;
pub mod output;
mod pending;
pub mod routes;
pub mod stdio;
