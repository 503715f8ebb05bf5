//! Fortran calls as C sees them: `mpi_xxx_` calls the `MPI_Xxx` that a call from C would reach, `pmpi_xxx_` calls
//! `PMPI_Xxx` (MPI 5.0 §15.2.1). So a tool in C sees the calls of Fortran programs, and one that defines `mpi_xxx_`
//! over `pmpi_xxx_` sees them once.
//!
//! Both entry points are one function, which asks here for the C function. What `mpi_xxx_` notes is used by the next
//! question, before the rank can wait. Each rank has the functions of its own image; where these are is found out once
//! for each program, and a program without tools is asked for no more than its number.
//!
//! Not so: functions whose arguments mean other things in Fortran (attributes, callbacks). They do not go through C.

use std::cell::{Cell, RefCell};

use smpi_abi::Function;
use smpi_process as process;

use crate::abi::tools;

/// Where a C function is.
#[derive(Clone, Copy)]
enum Place {
    /// In this library.
    Ours,
    /// In a library that all ranks share.
    Shared(usize),
    /// In the image of each rank.
    Image(u64),
}

/// The C functions of a program, by their numbers.
struct Layer {
    program: usize,
    places: Vec<Place>,
}

thread_local! {
    /// A call of `mpi_xxx_` has not reached C yet.
    static ENTERED: Cell<bool> = const { Cell::new(false) };
    /// The program that is known to have no tools; most runs have one program.
    static PLAIN: Cell<usize> = const { Cell::new(usize::MAX) };
    /// The others.
    static LAYERS: RefCell<Vec<Layer>> = const { RefCell::new(Vec::new()) };
}

/// A call of `mpi_xxx_` begins.
#[inline]
pub fn enter() {
    let program = process::own_program();
    if PLAIN.get() != program {
        ENTERED.set(has_tools(program));
    }
}

/// A call of `mpi_xxx_` is over: it may not have come as far as C.
#[inline]
pub fn leave() {
    ENTERED.set(false);
}

/// The C function that a call of Fortran goes on to: our own, or that of a tool.
#[inline]
pub fn c_function<F: Copy>(function: Function, own: F) -> F {
    if ENTERED.replace(false) { of_tool(function).map_or(own, |address| as_function(address)) } else { own }
}

/// The function at an address.
fn as_function<F: Copy>(address: usize) -> F {
    const { assert!(size_of::<F>() == size_of::<usize>()) };
    // SAFETY: `F` is the type of a pointer to a function of MPI, of the size of an address, and a function with that
    // function's name is at this address.
    unsafe { std::mem::transmute_copy(&address) }
}

#[cold]
fn has_tools(program: usize) -> bool {
    if program == 0 && process::is_hosted() {
        return false;
    }
    LAYERS.with_borrow_mut(|layers| {
        if layers.iter().any(|layer| layer.program == program) {
            return true;
        }
        let places: Vec<Place> = Function::names().map(place_of).collect();
        let is_plain = places.iter().all(|place| matches!(place, Place::Ours));
        if is_plain {
            PLAIN.set(program);
        } else {
            layers.push(Layer { program, places });
        }
        !is_plain
    })
}

fn place_of(name: &str) -> Place {
    if let Some(place) = process::place_in_program(name) {
        return Place::Image(place);
    }
    tools::definition(name).or_else(|| tools::before(name)).map_or(Place::Ours, Place::Shared)
}

#[cold]
fn of_tool(function: Function) -> Option<usize> {
    let program = process::own_program();
    let place = LAYERS.with_borrow(|layers| {
        let layer = layers.iter().find(|layer| layer.program == program)?;
        layer.places.get(function as usize).copied()
    })?;
    match place {
        Place::Ours => None,
        Place::Shared(address) => Some(address),
        Place::Image(place) => process::own_address(place),
    }
}
