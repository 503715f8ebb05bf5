//! Descriptors of arrays, as `mpi_f08` passes choice buffers.
//!
//! ```text
//! descriptor   base_addr · elem_len · version · rank, type, attribute · rank × (lower bound, extent, stride in bytes)
//! ```
//!
//! Layout: C interoperability, Fortran 2018 §18.5.3, with the member order of gfortran 9 and newer
//! (`ISO_Fortran_binding.h`). gfortran 12 describes CLASS(*) wrongly: as an element it gives the object in which it
//! keeps such a variable, which [`Array`] puts right as far as possible.

use std::ffi::{c_int, c_void};

use super::sentinels::choice;

/// Largest rank of an array.
pub const MAX_RANK: usize = 15;

/// `CFI_type_other`: no type that C has.
const OTHER: i16 = -1;
/// Bytes of gfortran's object for a scalar CLASS(*): the address of the value, that of a table about its type, a
/// length.
const POLYMORPHIC_SCALAR: usize = 24;
/// The same for an array, without what each dimension takes: gfortran's own descriptor in the place of the address.
const POLYMORPHIC_ARRAY: usize = 56;
/// Bytes of a dimension in gfortran's own descriptors.
const POLYMORPHIC_DIMENSION: usize = 24;
/// The size of a type is the second word of its table, and the address of a function that copies values the fifth.
const TABLE_WORDS: usize = 5;
/// Largest size of a type that is believed.
const LARGEST_TYPE: usize = 1 << 40;

/// One dimension of an array.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dimension {
    pub lower_bound: isize,
    /// Elements; -1 for the last dimension of an assumed-size array.
    pub extent: isize,
    /// Bytes from one element to the next.
    pub stride: isize,
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

/// An array or a scalar of the program.
#[derive(Clone, Copy, Debug)]
pub struct Array<'a> {
    /// Its first element, or what stands for a sentinel.
    pub base: *mut c_void,
    /// Bytes of one element; 0 when the compiler does not tell, which happens with arrays of CLASS(*).
    pub elem_len: usize,
    pub dimensions: &'a [Dimension],
}

impl Descriptor {
    fn dimensions(&self) -> &[Dimension] {
        let rank = usize::try_from(self.rank).unwrap_or(0).min(MAX_RANK);
        // SAFETY: the compiler made a descriptor with this number of dimensions behind the other members.
        unsafe { std::slice::from_raw_parts(self.dimensions.as_ptr(), rank) }
    }

    /// The array that is described.
    pub fn array(&self) -> Array<'_> {
        let dimensions = self.dimensions();
        let plain = Array { base: self.base_addr, elem_len: self.elem_len, dimensions };
        if self.kind != OTHER {
            return plain;
        }
        match dimensions.first() {
            None if self.elem_len == POLYMORPHIC_SCALAR => polymorphic_scalar(plain.base).unwrap_or(plain),
            // An element of another type that happens to have this size lies at a multiple of it.
            Some(first)
                if self.elem_len == POLYMORPHIC_ARRAY + POLYMORPHIC_DIMENSION * dimensions.len()
                    && first.stride % self.elem_len as isize != 0 =>
            {
                Array { elem_len: 0, ..plain }
            }
            _ => plain,
        }
    }

    /// Text of the program: its address and its length.
    pub fn text(&self) -> (*const c_void, usize) {
        (self.base_addr, self.elem_len)
    }
}

/// The value of a scalar CLASS(*), if that is what lies at `object`.
fn polymorphic_scalar(object: *mut c_void) -> Option<Array<'static>> {
    let [value, table, length] = read(object.addr())?;
    if table == 0 || !table.is_multiple_of(align_of::<usize>()) {
        return None;
    }
    let [_, size, _, _, copy] = read::<TABLE_WORDS>(table)?;
    // Other objects of this size have no address of such a table inside: it names a function, and the value can be
    // read.
    let is_table = size > 0 && size < LARGEST_TYPE && copy != 0 && read::<1>(copy).is_some();
    let is_there = value == 0 || read::<1>(value & !(align_of::<usize>() - 1)).is_some();
    (is_table && is_there).then(|| Array {
        base: std::ptr::with_exposed_provenance_mut(value),
        elem_len: size * length.max(1),
        dimensions: &[],
    })
}

/// Words of this process's memory; `None` where there is none.
fn read<const WORDS: usize>(address: usize) -> Option<[usize; WORDS]> {
    let mut words = [0_usize; WORDS];
    let to = libc::iovec { iov_base: words.as_mut_ptr().cast(), iov_len: size_of_val(&words) };
    let from = libc::iovec { iov_base: std::ptr::without_provenance_mut(address), iov_len: size_of_val(&words) };
    // SAFETY: the kernel checks the address that is read from; the words are ours.
    let len = unsafe { libc::process_vm_readv(libc::getpid(), &raw const to, 1, &raw const from, 1, 0) };
    (len == size_of_val(&words) as isize).then_some(words)
}

impl Array<'_> {
    /// The address as C gets it.
    pub fn address(&self) -> *const c_void {
        choice(self.base)
    }

    /// Whether the elements lie one after the other. Assumed-size arrays do; their size is not known.
    pub fn is_contiguous(&self) -> bool {
        self.is_dense(self.elem_len as isize)
    }

    /// Whether elements of this size would lie one after the other.
    pub fn is_dense(&self, elem_len: isize) -> bool {
        let mut next = elem_len;
        for dimension in self.dimensions {
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
    pub fn elements(&self) -> usize {
        self.dimensions.iter().map(|dimension| usize::try_from(dimension.extent).unwrap_or(0)).product()
    }
}
