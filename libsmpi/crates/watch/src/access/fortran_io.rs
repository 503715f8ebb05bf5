//! What READ, WRITE and PRINT of Fortran do with variables of the program: libgfortran gets their addresses, one item
//! of the list after the other, and reads or writes them there.
//!
//! A program that reports its accesses gets these functions in the place of libgfortran's, which they call: each rank
//! has a libgfortran of its own. Names and arguments are those of gfortran 9 and newer; an array comes by gfortran's
//! own descriptor.
//!
//! ```text
//! descriptor   base · offset · element length · version, rank, type, attribute · span
//!              rank × (stride, lower bound, upper bound)
//! ```

use std::ffi::{c_char, c_int, c_void};

use super::access;
use smpi_process as process;

/// Largest rank of an array.
const MAX_RANK: usize = 15;
/// A real of ten bytes takes sixteen in memory.
const EXTENDED: (c_int, usize) = (10, 16);

/// Defines functions for scalars: name, how many numbers of the kind's size there are, whether the variable is written.
macro_rules! scalars {
    ($($name:ident $numbers:literal $write:literal;)*) => {
        mod scalar {
            use super::*;
            $(pub unsafe extern "C" fn $name(transfer: *mut c_void, at: *mut c_void, kind: c_int) {
                access(at.addr(), $numbers * bytes(kind), $write);
                type Function = unsafe extern "C" fn(*mut c_void, *mut c_void, c_int);
                if let Some(function) = original(stringify!($name)) {
                    // SAFETY: the library's function of this name, which has this form.
                    unsafe { std::mem::transmute::<usize, Function>(function)(transfer, at, kind) }
                }
            })*

            pub fn replacement(name: &str) -> Option<usize> {
                Some(match name {
                    $(stringify!($name) => $name as *const () as usize,)*
                    _ => return None,
                })
            }
        }
    };
}

scalars! {
    _gfortran_transfer_integer 1 true;
    _gfortran_transfer_integer_write 1 false;
    _gfortran_transfer_logical 1 true;
    _gfortran_transfer_logical_write 1 false;
    _gfortran_transfer_real 1 true;
    _gfortran_transfer_real_write 1 false;
    _gfortran_transfer_real128 1 true;
    _gfortran_transfer_real128_write 1 false;
    _gfortran_transfer_complex 2 true;
    _gfortran_transfer_complex_write 2 false;
    _gfortran_transfer_complex128 2 true;
    _gfortran_transfer_complex128_write 2 false;
}

/// Defines functions for texts and for arrays.
macro_rules! others {
    ($($kind:ident: $($name:ident $write:literal),*;)*) => {
        $($(unsafe extern "C" fn $name(transfer: *mut c_void, at: *mut c_void, second: usize, third: usize) {
            // SAFETY: as in the compiler's call; the arguments that a function does not have are not used.
            unsafe {
                $kind(at, second, third, $write);
                if let Some(function) = original(stringify!($name)) {
                    std::mem::transmute::<usize, Other>(function)(transfer, at, second, third)
                }
            }
        })*)*

        /// Address of what a program that reports its accesses gets instead of libgfortran's function.
        pub fn replacement(name: &str) -> Option<usize> {
            scalar::replacement(name).or_else(|| {
                Some(match name {
                    $($(stringify!($name) => $name as *const () as usize,)*)*
                    _ => return None,
                })
            })
        }
    };
}

/// A function whose last arguments are numbers. All fit into registers, so one that has fewer finds its own in place.
type Other = unsafe extern "C" fn(*mut c_void, *mut c_void, usize, usize);

others! {
    text: _gfortran_transfer_character true, _gfortran_transfer_character_write false;
    wide_text: _gfortran_transfer_character_wide true, _gfortran_transfer_character_wide_write false;
    array: _gfortran_transfer_array true, _gfortran_transfer_array_write false;
}

/// Bytes of one number of a kind.
fn bytes(kind: c_int) -> usize {
    if kind == EXTENDED.0 { EXTENDED.1 } else { usize::try_from(kind).unwrap_or(0) }
}

/// The function of this name in the calling rank's libgfortran.
fn original(name: &str) -> Option<usize> {
    process::own_function(name)
}

unsafe fn text(at: *mut c_void, len: usize, _: usize, write: bool) {
    access(at.addr(), len, write);
}

unsafe fn wide_text(at: *mut c_void, len: usize, kind: usize, write: bool) {
    access(at.addr(), len.saturating_mul(kind & 0xff), write);
}

/// gfortran's descriptor of an array.
#[repr(C)]
struct Descriptor {
    base: *mut c_char,
    offset: isize,
    element_len: usize,
    version: c_int,
    rank: i8,
    kind: i8,
    attribute: i16,
    span: isize,
    /// As many as the array has.
    dimensions: [Dimension; 0],
}

/// In elements, not in bytes.
#[repr(C)]
struct Dimension {
    stride: isize,
    lower: isize,
    upper: isize,
}

/// Reports the elements, one by one where there are gaps.
unsafe fn array(at: *mut c_void, _kind: usize, text_len: usize, write: bool) {
    /// Number of the type CHARACTER in descriptors.
    const CHARACTER: i8 = 6;
    // SAFETY: the compiler passes a descriptor with that number of dimensions.
    let (array, dimensions) = unsafe {
        let array = &*at.cast::<Descriptor>();
        let rank = usize::try_from(array.rank).unwrap_or(0).min(MAX_RANK);
        (array, std::slice::from_raw_parts(array.dimensions.as_ptr(), rank))
    };
    let len = if array.kind == CHARACTER { text_len } else { array.element_len };
    let extents: Vec<isize> = dimensions.iter().map(|one| (one.upper - one.lower + 1).max(0)).collect();
    let total: isize = extents.iter().product();
    let mut index = [0_isize; MAX_RANK];
    for _ in 0..total {
        let offset: isize = dimensions.iter().zip(&index).map(|(one, index)| one.stride * index).sum();
        access(array.base.addr().wrapping_add_signed(offset * len as isize), len, write);
        for (index, extent) in index.iter_mut().zip(&extents) {
            *index += 1;
            if *index < *extent {
                break;
            }
            *index = 0;
        }
    }
}
