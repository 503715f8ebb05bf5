//! Choice buffers of `mpi_f08`: descriptors of arrays, and sections that do not lie in one piece.
//!
//! ```text
//! descriptor   base_addr · elem_len · version · rank, type, attribute · rank × (lower bound, extent, stride in bytes)
//! ```
//!
//! MPI sees the elements of a section one after the other, in array element order (MPI 5.0 §19.1.12). A section that has
//! gaps is described by a datatype for the time of the call; where that is impossible (blocks for several ranks,
//! reductions) it is copied, and where MPI uses the memory after the call it is refused.
//! Layout of the descriptor: C interoperability, Fortran 2018 §18.5.3, with the member order of gfortran 9 and newer
//! (`ISO_Fortran_binding.h`).

use std::ffi::{c_char, c_int, c_void};

use smpi_mpi::error::{ErrorClass, MpiError, Result};

use super::Fint;
use super::arguments::{handle, with_text};
use super::sentinels::choice;
use crate::abi::generated::datatype::*;
use crate::abi::generated::datatype_create::*;
use crate::abi::*;
use crate::boundary::{self, Target};
use crate::process;

/// Largest rank of an array.
const MAX_RANK: usize = 15;

/// One dimension of an array.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dimension {
    lower_bound: isize,
    /// Elements; -1 for the last dimension of an assumed-size array.
    extent: isize,
    /// Bytes from one element to the next.
    stride: isize,
}

/// `CFI_cdesc_t`.
#[repr(C)]
pub struct Descriptor {
    base_addr: *mut c_void,
    elem_len: usize,
    version: c_int,
    rank: i8,
    attribute: i8,
    kind: i16,
    /// As many as the array has: the compiler makes room for no more.
    dimensions: [Dimension; 0],
}

impl Descriptor {
    /// Bytes of one element, for `MPI_Sizeof`.
    pub fn element_size(&self) -> usize {
        self.elem_len
    }

    fn dimensions(&self) -> &[Dimension] {
        let rank = usize::try_from(self.rank).unwrap_or(0).min(MAX_RANK);
        // SAFETY: the compiler made a descriptor with this number of dimensions behind the other members.
        unsafe { std::slice::from_raw_parts(self.dimensions.as_ptr(), rank) }
    }

    /// Whether the elements lie one after the other. Assumed-size arrays do; their size is not known.
    fn is_contiguous(&self) -> bool {
        let mut next = self.elem_len as isize;
        for dimension in self.dimensions() {
            if dimension.extent < 0 {
                return true;
            }
            if dimension.extent != 1 && dimension.stride != next {
                return false;
            }
            next *= dimension.extent;
        }
        true
    }

    /// Number of elements.
    fn elements(&self) -> usize {
        self.dimensions().iter().map(|dimension| usize::try_from(dimension.extent).unwrap_or(0)).product()
    }
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
/// See the parent module.
pub unsafe fn base_of(descriptor: *const Descriptor) -> *const c_void {
    // SAFETY: the caller's promise.
    choice(unsafe { (*descriptor).base_addr })
}

/// Calls with buffer, count and datatype. A section with gaps becomes one element of a datatype made for it.
///
/// # Safety
/// See the parent module.
#[inline]
pub unsafe fn typed<C: Number>(
    function: &'static str,
    descriptor: *const Descriptor,
    count: C,
    datatype: Fint,
    call: impl FnOnce(*const c_void, &C, &Fint) -> c_int,
) -> c_int {
    // SAFETY: the caller's promise.
    let array = unsafe { &*descriptor };
    let address = choice(array.base_addr);
    if array.is_contiguous() {
        return call(address, &count, &datatype);
    }
    // SAFETY: the datatype is checked by the functions that it is given to.
    let made = match unsafe { describe(array, count.into(), handle(datatype)) } {
        Ok(made) => made,
        Err(error) => return boundary::call(function, Target::None, || Err(error)),
    };
    let code = call(address, &C::ONE, &super::arguments::number(made));
    let mut made = made;
    // SAFETY: a datatype that we made; operations under way keep what they need of it.
    unsafe { PMPI_Type_free(&raw mut made) };
    code
}

/// The error of a function of ours that was called with arguments that were checked before.
fn ok(code: c_int, what: &str) -> Result<()> {
    let error = || MpiError::new(ErrorClass(code), format!("cannot describe a section of an array: {what}"));
    if code == MPI_SUCCESS { Ok(()) } else { Err(error()) }
}

/// A committed datatype for the first `count` elements of `datatype` in a section.
unsafe fn describe(array: &Descriptor, count: i64, datatype: MPI_Datatype) -> Result<MPI_Datatype> {
    let (mut lb, mut extent) = (0, 0);
    // SAFETY: the datatype is checked; both places are ours.
    ok(unsafe { PMPI_Type_get_true_extent(datatype, &raw mut lb, &raw mut extent) }, "no valid datatype")?;
    let len = array.elem_len as i64;
    let part = extent as i64;
    let fits = lb == 0 && part > 0 && len % part == 0 && (count * part) % len == 0;
    if !fits {
        let text = format!(
            "a section of an array with elements of {len} bytes cannot be sent as elements of {part} bytes from {lb} on; \
             pass a contiguous array or a datatype of one element's size"
        );
        return Err(MpiError::new(ErrorClass::BUFFER, text));
    }
    let mut element: MPI_Datatype = MPI_DATATYPE_NULL;
    let elements = count * part / len;
    if elements > array.elements() as i64 {
        let text = format!("the section has {} elements, {elements} were asked for", array.elements());
        return Err(MpiError::new(ErrorClass::BUFFER, text));
    }
    // SAFETY: checked arguments and places of ours, here and below.
    ok(unsafe { PMPI_Type_contiguous_c(len / part, datatype, &raw mut element) }, "MPI_Type_contiguous")?;
    // SAFETY: as above.
    let made = unsafe { nested(array.dimensions(), elements, element) };
    // SAFETY: as above.
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
        // SAFETY: a datatype of ours and a place of ours, here and below.
        ok(unsafe { PMPI_Type_contiguous_c(elements, element, &raw mut made) }, "MPI_Type_contiguous")?;
        return Ok(made);
    };
    let slice: i64 = inner.iter().map(|dimension| dimension.extent as i64).product();
    let (whole, rest) = if slice == 0 { (0, 0) } else { (elements / slice, elements % slice) };
    // SAFETY: as above.
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
/// See the parent module.
pub unsafe fn whole(
    function: &'static str,
    descriptor: *const Descriptor,
    call: impl FnOnce(*const c_void) -> c_int,
) -> c_int {
    // SAFETY: the caller's promise.
    let array = unsafe { &*descriptor };
    if array.is_contiguous() {
        return call(choice(array.base_addr));
    }
    boundary::call(function, Target::None, || {
        let text = "a section of an array with gaps is the buffer of an operation that goes on after the call, \
                    and libsmpi can describe it by no datatype here; pass a contiguous array";
        Err(MpiError::new(ErrorClass::BUFFER, text))
    })
}

/// Calls with a buffer in one piece: a copy of the section where it has gaps, copied back if `written`.
///
/// # Safety
/// See the parent module.
pub unsafe fn copied(descriptor: *const Descriptor, written: bool, call: impl FnOnce(*const c_void) -> c_int) -> c_int {
    // SAFETY: the caller's promise.
    let array = unsafe { &*descriptor };
    if array.is_contiguous() {
        return call(choice(array.base_addr));
    }
    let copy: *mut c_char = process::own_allocate(array.elements() * array.elem_len).cast();
    // SAFETY: the copy has room for all elements, and the section is the program's.
    unsafe {
        each_element(array, |index, element| {
            std::ptr::copy_nonoverlapping(element, copy.add(index * array.elem_len), array.elem_len);
        });
        let code = call(copy.cast());
        if written {
            each_element(array, |index, element| {
                std::ptr::copy_nonoverlapping(copy.add(index * array.elem_len), element, array.elem_len);
            });
        }
        process::own_free(copy.cast());
        code
    }
}

/// Runs the action on the number and address of each element, in array element order.
unsafe fn each_element(array: &Descriptor, mut action: impl FnMut(usize, *mut c_char)) {
    let dimensions = array.dimensions();
    let mut at = [0_isize; MAX_RANK];
    for index in 0..array.elements() {
        let offset: isize = dimensions.iter().zip(&at).map(|(dimension, at)| at * dimension.stride).sum();
        // SAFETY: an element of the program's array.
        action(index, unsafe { array.base_addr.cast::<c_char>().offset(offset) });
        for (dimension, at) in dimensions.iter().zip(&mut at) {
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
/// See the parent module.
pub unsafe fn with_described_text(
    descriptor: *const Descriptor,
    trimmed: bool,
    call: impl FnOnce(*const c_char) -> c_int,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let text = &*descriptor;
        with_text(text.base_addr.cast(), text.elem_len, trimmed, call)
    }
}
