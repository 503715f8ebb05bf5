//! What a program promises by calling an MPI function: the words in which SAFETY comments of this crate speak.
//!
//! # MPI's contract
//!
//! The standard says what an argument has to be (MPI 5.0 §2.5, and with each function), and a program establishes it
//! by calling. Handles, numbers and null pointers are not part of it: they are checked, and refused by name. What no
//! check can find out is this:
//!
//! * A **place** is where the function writes one value of the pointer's type, or reads it: null, or aligned and valid
//!   for both while the call lasts (for reading, if the pointer is to `const`), and nobody else uses it meanwhile. A
//!   status is such a place, which the program may leave out (`MPI_STATUS_IGNORE` is null); so is the handle of a
//!   request or object that the function frees.
//! * An **array of `n`** has at least `n` elements, each with the properties of a place if the function writes to it.
//!   It may be null; where `n` is 0 it may be anything. `n` is what the argument list or the object says: a count,
//!   the number of ranks or neighbours, the dimensions of a grid. Arrays of statuses may be left out, too.
//! * A **text** is null or ends with a zero, and nobody changes it while the call lasts.
//! * **Room for `n` bytes** is null, or `n` bytes that the function may write to.
//! * A **buffer** is memory that the function gives to the operation: valid for count and datatype until the
//!   operation is complete. It is an address here, and touched by `smpi_runtime::memory` alone.
//! * A **function** of the program has the type that the argument declares, and may be called until what it was given
//!   for is gone.
//!
//! A comment "by MPI's contract `x` is a place" means: whoever calls the function passes the program's argument,
//! which has this property. Helpers have the same contract for arguments that they are given by the functions of MPI.
