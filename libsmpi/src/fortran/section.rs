//! Choice buffers of `mpi_f08`: sections of arrays that do not lie in one piece.
//!
//! MPI sees the elements of a section one after the other, in array element order (MPI 5.0 §19.1.12). A section that
//! has gaps is described by a datatype for the time of the call, if elements of the datatype and of the array fit
//! together; otherwise (also: blocks for several ranks, reductions) a blocking call gets a copy, and where MPI uses the
//! memory after the call the section is refused.

use std::ffi::{c_char, c_int, c_void};

use smpi_abi::Function;
use smpi_mpi::error::{ErrorClass, MpiError, Result};

use super::Fint;
use super::arguments::{handle, number, with_text};
use super::descriptor::{Array, Descriptor, Dimension, MAX_RANK};
use crate::abi::generated::datatype::*;
use crate::abi::generated::datatype_create::*;
use crate::abi::*;
use smpi_api::boundary::{self, Target};
use smpi_process as process;

/// What MPI does with a buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// It uses it after the call, too.
    Kept,
    /// It reads it in the call.
    Read,
    /// It writes to it in the call, and may read it.
    Written,
}

/// A count of a plain or of a large-count procedure.
pub trait Number: Copy + Into<i64> {
    /// The number 1.
    const ONE: Self;
}

impl Number for c_int {
    const ONE: c_int = 1;
}

impl Number for MPI_Count {
    const ONE: MPI_Count = 1;
}

/// The address of a buffer of which only that matters.
///
/// # Safety
/// By Fortran's contract `descriptor` is a descriptor.
pub unsafe fn base_of(descriptor: *const Descriptor) -> *const c_void {
    // SAFETY: by Fortran's contract `descriptor` is a descriptor.
    unsafe { (*descriptor).array().address() }
}

/// Calls with buffer, count and datatype. A section with gaps becomes one element of a datatype made for it, or a copy.
///
/// # Safety
/// By Fortran's contract `descriptor` is a descriptor.
#[inline]
pub unsafe fn typed<C: Number>(
    function: Function,
    descriptor: *const Descriptor,
    count: C,
    datatype: Fint,
    usage: Use,
    mut call: impl FnMut(*const c_void, &C, &Fint) -> c_int,
) -> c_int {
    // SAFETY: by Fortran's contract `descriptor` is a descriptor.
    let array = unsafe { (*descriptor).array() };
    if array.is_contiguous() {
        return call(array.address(), &count, &datatype);
    }
    let mut call = |buffer: *const c_void, made: Option<Fint>| match made {
        None => call(buffer, &count, &datatype),
        Some(made) => call(buffer, &C::ONE, &made),
    };
    // SAFETY: by Fortran's contract what `descriptor` describes is a buffer for `count` and `datatype`.
    unsafe { with_gaps(function, &array, count.into(), handle(datatype), usage, &mut call) }
}

/// Calls with the address of a section that has gaps, and the datatype of which it is one element, if one was made.
///
/// This and its like take `dyn FnMut`: one function, and not one for each of MPI's procedures.
unsafe fn with_gaps(
    function: Function,
    array: &Array,
    count: i64,
    datatype: MPI_Datatype,
    usage: Use,
    call: &mut dyn FnMut(*const c_void, Option<Fint>) -> c_int,
) -> c_int {
    // SAFETY: the datatype is checked by the functions that it is given to; the section is the program's.
    unsafe {
        match way(array, count, datatype, usage) {
            Err(error) => boundary::call(function, Target::None, || Err(error)),
            Ok(Way::AsItIs) => call(array.address(), None),
            Ok(Way::Copy) => with_copy(array, usage, &mut |copy| call(copy, None)),
            Ok(Way::Datatype(mut made)) => {
                let code = call(array.address(), Some(number(made)));
                // Operations under way keep what they need of it.
                PMPI_Type_free(&raw mut made);
                code
            }
        }
    }
}

/// How a section with gaps is given to MPI.
enum Way {
    /// There are no gaps after all.
    AsItIs,
    /// As one element of this datatype.
    Datatype(MPI_Datatype),
    /// As a copy in one piece.
    Copy,
}

/// The error of a function of ours that was called with arguments that were checked before.
fn ok(code: c_int, what: &str) -> Result<()> {
    let error = || MpiError::new(ErrorClass(code), format!("cannot describe a section of an array: {what}"));
    if code == MPI_SUCCESS { Ok(()) } else { Err(error()) }
}

fn refused<T>(text: String) -> Result<T> {
    Err(MpiError::new(ErrorClass::BUFFER, text))
}

/// Where an element of a datatype begins and ends, and where its data do.
struct Shape {
    low: i64,
    extent: i64,
    data_low: i64,
    data_high: i64,
}

unsafe fn shape(datatype: MPI_Datatype) -> Result<Shape> {
    let (mut low, mut extent, mut data_low, mut data_extent) = (0, 0, 0, 0);
    // SAFETY: the datatype is checked; the places are ours.
    unsafe {
        ok(PMPI_Type_get_extent_c(datatype, &raw mut low, &raw mut extent), "no valid datatype")?;
        ok(PMPI_Type_get_true_extent_c(datatype, &raw mut data_low, &raw mut data_extent), "no valid datatype")?;
    }
    Ok(Shape { low, extent, data_low, data_high: data_low.saturating_add(data_extent) })
}

/// Decides about the first `count` elements of `datatype` in a section with gaps.
unsafe fn way(array: &Array, count: i64, datatype: MPI_Datatype, usage: Use) -> Result<Way> {
    // SAFETY: the datatype is checked by the functions that it is given to.
    let shape = unsafe { shape(datatype) }?;
    if array.elem_len == 0 {
        return polymorphic(array, count, &shape);
    }
    let len = array.elem_len as i64;
    let total = array.elements() as i64 * len;
    // What the elements take in one piece, from the first byte of data to the last.
    let last = i128::from(count - 1) * i128::from(shape.extent);
    let high = if count > 0 { last.max(0) + i128::from(shape.data_high) } else { 0 };
    let low = if count > 0 { last.min(0) + i128::from(shape.data_low) } else { 0 };
    if low < 0 || high > i128::from(total) {
        return refused(format!(
            "the section has {} elements of {len} bytes, and data from byte {low} to {high} were asked for",
            array.elements()
        ));
    }
    let is_within = shape.low == 0 && shape.data_low >= 0 && shape.data_high <= shape.extent;
    let fits = is_within && shape.extent > 0 && len % shape.extent == 0 && (count * shape.extent) % len == 0;
    if fits {
        // SAFETY: MPI has checked the datatype, and the dimensions are those of the program's array.
        return unsafe { describe(array, count * shape.extent / len, len / shape.extent, datatype) }.map(Way::Datatype);
    }
    if usage != Use::Kept {
        return Ok(Way::Copy);
    }
    refused(format!(
        "a section of an array with elements of {len} bytes cannot be sent as elements of {} bytes by an operation that \
         goes on after the call; pass a contiguous array or a datatype of one element's size",
        shape.extent
    ))
}

/// An array of CLASS(*) can be used as a whole, if the datatype tells that there are no gaps.
fn polymorphic(array: &Array, count: i64, shape: &Shape) -> Result<Way> {
    let stride = array.dimensions.first().map_or(0, |dimension| dimension.stride as i64);
    let is_whole = count.checked_mul(shape.extent) == (array.elements() as i64).checked_mul(stride);
    if stride > 0 && array.is_dense(stride as isize) && (shape.extent == stride || is_whole) {
        return Ok(Way::AsItIs);
    }
    refused(UNKNOWN_ELEMENTS.to_owned())
}

const UNKNOWN_ELEMENTS: &str = "the buffer is an array of CLASS(*), of which gfortran does not tell the size of \
    elements, and it may have gaps; pass it inside of SELECT TYPE";

/// A committed datatype for the first `elements` elements of a section, of which each is `parts` elements of
/// `datatype`.
unsafe fn describe(array: &Array, elements: i64, parts: i64, datatype: MPI_Datatype) -> Result<MPI_Datatype> {
    let mut element: MPI_Datatype = MPI_DATATYPE_NULL;
    // SAFETY: the arguments are checked, and `element` is a variable of ours.
    ok(unsafe { PMPI_Type_contiguous_c(parts, datatype, &raw mut element) }, "MPI_Type_contiguous")?;
    // SAFETY: `element` is a datatype that was made for this.
    let made = unsafe { nested(array.dimensions, elements, element) };
    // SAFETY: `element` and `made` are datatypes that were made here, in variables.
    unsafe {
        PMPI_Type_free(&raw mut element);
        let mut made = made?;
        ok(PMPI_Type_commit(&raw mut made), "MPI_Type_commit")?;
        Ok(made)
    }
}

/// A datatype for the first `elements` elements of an array with these dimensions.
///
/// Whole slices along the last dimension are a vector of what one slice is; the rest is a part of one more slice.
unsafe fn nested(dimensions: &[Dimension], elements: i64, element: MPI_Datatype) -> Result<MPI_Datatype> {
    let mut made: MPI_Datatype = MPI_DATATYPE_NULL;
    let Some((last, inner)) = dimensions.split_last() else {
        // SAFETY: `element` is a datatype of the caller's, and `made` is a variable of ours.
        ok(unsafe { PMPI_Type_contiguous_c(elements, element, &raw mut made) }, "MPI_Type_contiguous")?;
        return Ok(made);
    };
    let slice: i64 = inner.iter().map(|dimension| dimension.extent as i64).product();
    let (whole, rest) = if slice == 0 { (0, 0) } else { (elements / slice, elements % slice) };
    // SAFETY: `element` is a datatype of the caller's; the others are made here, in variables, and freed here.
    unsafe {
        let mut one = nested(inner, slice, element)?;
        let stride = last.stride as MPI_Count;
        ok(PMPI_Type_create_hvector_c(whole, 1, stride, one, &raw mut made), "MPI_Type_create_hvector")?;
        PMPI_Type_free(&raw mut one);
        if rest == 0 {
            return Ok(made);
        }
        let mut more = nested(inner, rest, element)?;
        let (lengths, places) = ([1, 1], [0, whole as MPI_Count * stride]);
        let types = [made, more];
        let mut both: MPI_Datatype = MPI_DATATYPE_NULL;
        let code = PMPI_Type_create_struct_c(2, lengths.as_ptr(), places.as_ptr(), types.as_ptr(), &raw mut both);
        PMPI_Type_free(&raw mut made);
        PMPI_Type_free(&raw mut more);
        ok(code, "MPI_Type_create_struct")?;
        Ok(both)
    }
}

/// Calls with a buffer that must lie in one piece, because MPI uses it after the call.
///
/// # Safety
/// By Fortran's contract `descriptor` is a descriptor.
pub unsafe fn whole(
    function: Function,
    descriptor: *const Descriptor,
    call: impl FnOnce(*const c_void) -> c_int,
) -> c_int {
    // SAFETY: by Fortran's contract `descriptor` is a descriptor.
    let array = unsafe { (*descriptor).array() };
    if array.is_contiguous() { call(array.address()) } else { refuse_gaps(function, &array) }
}

fn refuse_gaps(function: Function, array: &Array) -> c_int {
    boundary::call(function, Target::None, || {
        let text = "a section of an array with gaps is the buffer of an operation that goes on after the call, \
                    and libsmpi can describe it by no datatype here; pass a contiguous array";
        refused(if array.elem_len == 0 { UNKNOWN_ELEMENTS } else { text }.to_owned())
    })
}

/// Calls with a buffer in one piece: a copy of the section where it has gaps, copied back if `written`.
///
/// # Safety
/// By Fortran's contract `descriptor` is a descriptor.
pub unsafe fn copied(
    function: Function,
    descriptor: *const Descriptor,
    usage: Use,
    mut call: impl FnMut(*const c_void) -> c_int,
) -> c_int {
    // SAFETY: by Fortran's contract `descriptor` is a descriptor.
    let array = unsafe { (*descriptor).array() };
    if array.is_contiguous() {
        return call(array.address());
    }
    if array.elem_len == 0 {
        return refuse_gaps(function, &array);
    }
    // SAFETY: by Fortran's contract the section that is described is the program's buffer, for as long as the call
    // lasts.
    unsafe { with_copy(&array, usage, &mut call) }
}

/// Calls with a copy of a section, and brings back the elements that have changed: other elements may be the buffer of
/// another operation, which writes to them meanwhile.
unsafe fn with_copy(array: &Array, usage: Use, call: &mut dyn FnMut(*const c_void) -> c_int) -> c_int {
    let len = array.elem_len;
    let bytes = array.elements() * len;
    let copies = if usage == Use::Written { 2 } else { 1 };
    let copy: *mut c_char = process::own_allocate(copies * bytes).cast();
    // SAFETY: there is room for all elements once or twice, and the section is the program's.
    unsafe {
        each_element(array, |index, element| std::ptr::copy_nonoverlapping(element, copy.add(index * len), len));
        if usage == Use::Written {
            std::ptr::copy_nonoverlapping(copy, copy.add(bytes), bytes);
        }
        let code = call(copy.cast());
        if usage == Use::Written {
            each_element(array, |index, element| {
                let (new, old) = (copy.add(index * len), copy.add(bytes + index * len));
                if libc::memcmp(new.cast(), old.cast(), len) != 0 {
                    std::ptr::copy_nonoverlapping(new, element, len);
                }
            });
        }
        process::own_free(copy.cast());
        code
    }
}

/// Runs the action on the number and address of each element, in array element order.
unsafe fn each_element(array: &Array, mut action: impl FnMut(usize, *mut c_char)) {
    let mut at = [0_isize; MAX_RANK];
    for index in 0..array.elements() {
        let offset: isize = array.dimensions.iter().zip(&at).map(|(dimension, at)| at * dimension.stride).sum();
        // SAFETY: an element of the program's array.
        action(index, unsafe { array.base.cast::<c_char>().offset(offset) });
        for (dimension, at) in array.dimensions.iter().zip(&mut at) {
            *at += 1;
            if *at < dimension.extent {
                break;
            }
            *at = 0;
        }
    }
}

/// Calls with a string that came by descriptor, in C's form.
///
/// # Safety
/// By Fortran's contract `descriptor` is a descriptor.
pub unsafe fn with_described_text(
    descriptor: *const Descriptor,
    trimmed: bool,
    call: impl FnOnce(*const c_char) -> c_int,
) -> c_int {
    // SAFETY: by Fortran's contract `descriptor` describes a string, whose length is that of an element.
    unsafe {
        let (text, len) = (*descriptor).text();
        with_text(text.cast(), len, trimmed, call)
    }
}
