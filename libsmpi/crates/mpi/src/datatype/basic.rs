//! The predefined datatypes as data: ABI number, name, size, representation and the group that reductions allow.
//!
//! Sizes are those of C on x86-64 Linux and of gfortran's default kinds. Source: MPI 5.0 §3.2.2, §6.9.2 (groups),
//! §6.9.4 (pairs), chapter 20 (numbers, where bits 3 to 5 give log2 of the size of fixed-size types).

use smpi_abi::c::handles::*;

/// How the bytes of one element are to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Repr {
    /// Two's complement integer, little endian.
    Signed,
    /// Unsigned integer, little endian.
    Unsigned,
    /// IEEE 754 binary16, 32, 64 or 128, by size.
    Float,
    /// x87 extended precision: 10 bytes, then 6 of padding.
    LongDouble,
    /// Two [`Repr::Float`] of half the size.
    Complex,
    /// Two [`Repr::LongDouble`].
    LongDoubleComplex,
    /// Zero is false, everything else true; written as 0 or 1.
    Logical,
    /// Bytes without a value.
    Opaque,
    /// A value followed by an index, for `MPI_MINLOC` and `MPI_MAXLOC`.
    Pair,
}

/// The groups in which the standard lists datatypes for predefined reductions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    /// C integer.
    CInteger,
    /// Fortran integer.
    FortranInteger,
    /// Floating point of either language.
    FloatingPoint,
    /// Fortran LOGICAL and C/C++ bool.
    Logical,
    /// Complex of any language.
    Complex,
    /// `MPI_BYTE`.
    Byte,
    /// `MPI_AINT`, `MPI_OFFSET`, `MPI_COUNT`.
    MultiLanguage,
    /// Value and index.
    Pair,
    /// Characters and `MPI_PACKED`: no reduction but replace.
    None,
}

struct Facts {
    handle: u32,
    name: &'static str,
    size: u32,
    alignment: u32,
    repr: Repr,
    group: Group,
    pair: Option<(Basic, Basic)>,
}

macro_rules! basics {
    ($($variant:ident $handle:ident $size:literal $alignment:literal $repr:ident $group:ident $(($value:ident, $index:ident))?;)*) => {
        /// A predefined (named) datatype. The order is that of the ABI's numbers.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Basic {
            $(#[doc = concat!("`", stringify!($handle), "`")] $variant,)*
        }

        impl Basic {
            /// Every predefined datatype, once (aliases such as `MPI_C_FLOAT_COMPLEX` are the same type).
            pub const ALL: &'static [Basic] = &[$(Basic::$variant,)*];
        }

        const FACTS: &[Facts] = &[$(Facts {
            handle: $handle,
            name: stringify!($handle),
            size: $size,
            alignment: $alignment,
            repr: Repr::$repr,
            group: Group::$group,
            pair: { let _pair: Option<(Basic, Basic)> = None; $(let _pair = Some((Basic::$value, Basic::$index));)? _pair },
        },)*];
    };
}

basics! {
    Aint MPI_AINT 8 8 Signed MultiLanguage;
    Count MPI_COUNT 8 8 Signed MultiLanguage;
    Offset MPI_OFFSET 8 8 Signed MultiLanguage;
    Packed MPI_PACKED 1 1 Opaque None;
    Short MPI_SHORT 2 2 Signed CInteger;
    Int MPI_INT 4 4 Signed CInteger;
    Long MPI_LONG 8 8 Signed CInteger;
    LongLong MPI_LONG_LONG_INT 8 8 Signed CInteger;
    UnsignedShort MPI_UNSIGNED_SHORT 2 2 Unsigned CInteger;
    Unsigned MPI_UNSIGNED 4 4 Unsigned CInteger;
    UnsignedLong MPI_UNSIGNED_LONG 8 8 Unsigned CInteger;
    UnsignedLongLong MPI_UNSIGNED_LONG_LONG 8 8 Unsigned CInteger;
    Float MPI_FLOAT 4 4 Float FloatingPoint;
    CFloatComplex MPI_C_COMPLEX 8 4 Complex Complex;
    CxxFloatComplex MPI_CXX_FLOAT_COMPLEX 8 4 Complex Complex;
    Double MPI_DOUBLE 8 8 Float FloatingPoint;
    CDoubleComplex MPI_C_DOUBLE_COMPLEX 16 8 Complex Complex;
    CxxDoubleComplex MPI_CXX_DOUBLE_COMPLEX 16 8 Complex Complex;
    Logical MPI_LOGICAL 4 4 Logical Logical;
    Integer MPI_INTEGER 4 4 Signed FortranInteger;
    Real MPI_REAL 4 4 Float FloatingPoint;
    Complex MPI_COMPLEX 8 4 Complex Complex;
    DoublePrecision MPI_DOUBLE_PRECISION 8 8 Float FloatingPoint;
    DoubleComplex MPI_DOUBLE_COMPLEX 16 8 Complex Complex;
    Character MPI_CHARACTER 1 1 Opaque None;
    LongDouble MPI_LONG_DOUBLE 16 16 LongDouble FloatingPoint;
    CLongDoubleComplex MPI_C_LONG_DOUBLE_COMPLEX 32 16 LongDoubleComplex Complex;
    CxxLongDoubleComplex MPI_CXX_LONG_DOUBLE_COMPLEX 32 16 LongDoubleComplex Complex;
    FloatInt MPI_FLOAT_INT 8 4 Pair Pair (Float, Int);
    DoubleInt MPI_DOUBLE_INT 12 8 Pair Pair (Double, Int);
    LongInt MPI_LONG_INT 12 8 Pair Pair (Long, Int);
    TwoInt MPI_2INT 8 4 Pair Pair (Int, Int);
    ShortInt MPI_SHORT_INT 6 4 Pair Pair (Short, Int);
    LongDoubleInt MPI_LONG_DOUBLE_INT 20 16 Pair Pair (LongDouble, Int);
    TwoReal MPI_2REAL 8 4 Pair Pair (Real, Real);
    TwoDoublePrecision MPI_2DOUBLE_PRECISION 16 8 Pair Pair (DoublePrecision, DoublePrecision);
    TwoInteger MPI_2INTEGER 8 4 Pair Pair (Integer, Integer);
    CBool MPI_C_BOOL 1 1 Logical Logical;
    CxxBool MPI_CXX_BOOL 1 1 Logical Logical;
    Wchar MPI_WCHAR 4 4 Signed None;
    Int8 MPI_INT8_T 1 1 Signed CInteger;
    Uint8 MPI_UINT8_T 1 1 Unsigned CInteger;
    Char MPI_CHAR 1 1 Opaque None;
    SignedChar MPI_SIGNED_CHAR 1 1 Signed CInteger;
    UnsignedChar MPI_UNSIGNED_CHAR 1 1 Unsigned CInteger;
    Byte MPI_BYTE 1 1 Opaque Byte;
    Int16 MPI_INT16_T 2 2 Signed CInteger;
    Uint16 MPI_UINT16_T 2 2 Unsigned CInteger;
    Int32 MPI_INT32_T 4 4 Signed CInteger;
    Uint32 MPI_UINT32_T 4 4 Unsigned CInteger;
    Int64 MPI_INT64_T 8 8 Signed CInteger;
    Uint64 MPI_UINT64_T 8 8 Unsigned CInteger;
    Logical1 MPI_LOGICAL1 1 1 Logical Logical;
    Integer1 MPI_INTEGER1 1 1 Signed FortranInteger;
    Logical2 MPI_LOGICAL2 2 2 Logical Logical;
    Integer2 MPI_INTEGER2 2 2 Signed FortranInteger;
    Real2 MPI_REAL2 2 2 Float FloatingPoint;
    Logical4 MPI_LOGICAL4 4 4 Logical Logical;
    Integer4 MPI_INTEGER4 4 4 Signed FortranInteger;
    Real4 MPI_REAL4 4 4 Float FloatingPoint;
    Complex4 MPI_COMPLEX4 4 2 Complex Complex;
    Logical8 MPI_LOGICAL8 8 8 Logical Logical;
    Integer8 MPI_INTEGER8 8 8 Signed FortranInteger;
    Real8 MPI_REAL8 8 8 Float FloatingPoint;
    Complex8 MPI_COMPLEX8 8 4 Complex Complex;
    Logical16 MPI_LOGICAL16 16 16 Logical Logical;
    Integer16 MPI_INTEGER16 16 16 Signed FortranInteger;
    Real16 MPI_REAL16 16 16 Float FloatingPoint;
    Complex16 MPI_COMPLEX16 16 8 Complex Complex;
    Complex32 MPI_COMPLEX32 32 16 Complex Complex;
}

/// Where the datatype handles of the ABI start; they end before 0x300.
const FIRST_HANDLE: u32 = MPI_DATATYPE_NULL;

/// Index into [`Basic::ALL`] plus one for each handle from [`FIRST_HANDLE`]; 0 = no type.
static BY_HANDLE: [u8; 256] = by_handle();

const fn by_handle() -> [u8; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < FACTS.len() {
        table[(FACTS[index].handle - FIRST_HANDLE) as usize] = index as u8 + 1;
        index += 1;
    }
    table
}

impl Basic {
    const fn facts(self) -> &'static Facts {
        &FACTS[self as usize]
    }

    /// The type with this ABI number, if there is one.
    pub fn from_handle(handle: u32) -> Option<Basic> {
        let index = BY_HANDLE.get(handle.checked_sub(FIRST_HANDLE)? as usize)?;
        Some(Basic::ALL[index.checked_sub(1)? as usize])
    }

    /// The ABI number.
    pub const fn handle(self) -> u32 {
        self.facts().handle
    }

    /// The name in the standard, such as `MPI_INT`.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// Bytes of data in an element, without padding.
    pub const fn size(self) -> u32 {
        self.facts().size
    }

    /// Alignment in C structures, bytes.
    pub const fn alignment(self) -> u32 {
        self.facts().alignment
    }

    /// Distance between elements of an array, bytes. Larger than [`Basic::size`] for some pairs only.
    pub const fn extent(self) -> u32 {
        let facts = self.facts();
        let end = match facts.pair {
            Some((_, index)) => self.index_offset() + index.size(),
            None => facts.size,
        };
        end.next_multiple_of(facts.alignment)
    }

    /// How the bytes are to be read.
    pub const fn repr(self) -> Repr {
        self.facts().repr
    }

    /// The group for reductions.
    pub const fn group(self) -> Group {
        self.facts().group
    }

    /// Value and index type of a pair.
    pub const fn pair(self) -> Option<(Basic, Basic)> {
        self.facts().pair
    }

    /// Where the index of a pair starts in memory, bytes; 0 for types that are not pairs.
    pub const fn index_offset(self) -> u32 {
        match self.facts().pair {
            Some((value, index)) => value.size().next_multiple_of(index.alignment()),
            None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_datatype_of_the_abi_is_there() {
        let data = include_str!("../../../../abi/constants.csv");
        let types = data.lines().filter_map(|line| line.split_once(",MPI_Datatype,"));
        for (name, number) in types.filter(|(name, _)| *name != "MPI_DATATYPE_NULL") {
            let number = number.split(',').nth(1).and_then(|number| number.parse().ok()).expect("a decimal number");
            let basic = Basic::from_handle(number).unwrap_or_else(|| panic!("{name} is missing"));
            assert_eq!(basic.handle(), number);
            assert!(basic.name() == name || name == "MPI_LONG_LONG" || name == "MPI_C_FLOAT_COMPLEX", "{name}");
        }
        assert_eq!(Basic::from_handle(MPI_DATATYPE_NULL), None);
        assert_eq!(Basic::from_handle(0x204), None);
        assert_eq!(Basic::from_handle(0), None);
        assert_eq!(Basic::from_handle(0x300), None);
    }

    #[test]
    fn fixed_sizes_are_those_of_the_handle_bits() {
        for &basic in Basic::ALL.iter().filter(|b| b.handle() >= MPI_INT8_T) {
            assert_eq!(basic.size(), 1 << (basic.handle() >> 3 & 7), "{basic:?}");
        }
    }

    #[test]
    fn pairs_are_laid_out_as_in_c() {
        let facts = |b: Basic| (b.size(), b.index_offset(), b.extent());
        assert_eq!(facts(Basic::ShortInt), (6, 4, 8));
        assert_eq!(facts(Basic::DoubleInt), (12, 8, 16));
        assert_eq!(facts(Basic::LongDoubleInt), (20, 16, 32));
        assert_eq!(facts(Basic::TwoDoublePrecision), (16, 8, 16));
        assert_eq!(facts(Basic::Int), (4, 0, 4));
    }
}
