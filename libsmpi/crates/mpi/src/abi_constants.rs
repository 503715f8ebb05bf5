//! Numbers of the MPI 5.0 standard ABI that the semantics layer needs: predefined handles, limits and named constants.
//!
//! Error classes are in [`crate::error`]. `include/mpi.h` is generated from other declarations, those of `smpi-abi`.
//! Source: MPI 5.0 chapter 20 and `abi/constants.csv`.

macro_rules! constants {
    ($($group:ident: $type:ty { $($name:ident = $value:literal;)* })*) => {
        $($(#[doc = concat!("`", stringify!($name), "` of the standard ABI.")] pub const $name: $type = $value;)*)*
        #[cfg(test)]
        const ALL: &[(&str, i64)] = &[$($((stringify!($name), $name as i64),)*)*];
    };
}

constants! {
    OPS: u32 {
        MPI_OP_NULL = 0x20;
        MPI_SUM = 0x21;
        MPI_MIN = 0x22;
        MPI_MAX = 0x23;
        MPI_PROD = 0x24;
        MPI_BAND = 0x28;
        MPI_BOR = 0x29;
        MPI_BXOR = 0x2a;
        MPI_LAND = 0x30;
        MPI_LOR = 0x31;
        MPI_LXOR = 0x32;
        MPI_MINLOC = 0x38;
        MPI_MAXLOC = 0x39;
        MPI_REPLACE = 0x3c;
        MPI_NO_OP = 0x3d;
    }
    DATATYPES: u32 {
        MPI_DATATYPE_NULL = 0x200;
        MPI_AINT = 0x201;
        MPI_COUNT = 0x202;
        MPI_OFFSET = 0x203;
        MPI_PACKED = 0x207;
        MPI_SHORT = 0x208;
        MPI_INT = 0x209;
        MPI_LONG = 0x20a;
        MPI_LONG_LONG = 0x20b;
        MPI_LONG_LONG_INT = 0x20b;
        MPI_UNSIGNED_SHORT = 0x20c;
        MPI_UNSIGNED = 0x20d;
        MPI_UNSIGNED_LONG = 0x20e;
        MPI_UNSIGNED_LONG_LONG = 0x20f;
        MPI_FLOAT = 0x210;
        MPI_C_FLOAT_COMPLEX = 0x212;
        MPI_C_COMPLEX = 0x212;
        MPI_CXX_FLOAT_COMPLEX = 0x213;
        MPI_DOUBLE = 0x214;
        MPI_C_DOUBLE_COMPLEX = 0x216;
        MPI_CXX_DOUBLE_COMPLEX = 0x217;
        MPI_LOGICAL = 0x218;
        MPI_INTEGER = 0x219;
        MPI_REAL = 0x21a;
        MPI_COMPLEX = 0x21b;
        MPI_DOUBLE_PRECISION = 0x21c;
        MPI_DOUBLE_COMPLEX = 0x21d;
        MPI_CHARACTER = 0x21e;
        MPI_LONG_DOUBLE = 0x220;
        MPI_C_LONG_DOUBLE_COMPLEX = 0x224;
        MPI_CXX_LONG_DOUBLE_COMPLEX = 0x225;
        MPI_FLOAT_INT = 0x228;
        MPI_DOUBLE_INT = 0x229;
        MPI_LONG_INT = 0x22a;
        MPI_2INT = 0x22b;
        MPI_SHORT_INT = 0x22c;
        MPI_LONG_DOUBLE_INT = 0x22d;
        MPI_2REAL = 0x230;
        MPI_2DOUBLE_PRECISION = 0x231;
        MPI_2INTEGER = 0x232;
        MPI_C_BOOL = 0x238;
        MPI_CXX_BOOL = 0x239;
        MPI_WCHAR = 0x23c;
        MPI_INT8_T = 0x240;
        MPI_UINT8_T = 0x241;
        MPI_CHAR = 0x243;
        MPI_SIGNED_CHAR = 0x244;
        MPI_UNSIGNED_CHAR = 0x245;
        MPI_BYTE = 0x247;
        MPI_INT16_T = 0x248;
        MPI_UINT16_T = 0x249;
        MPI_INT32_T = 0x250;
        MPI_UINT32_T = 0x251;
        MPI_INT64_T = 0x258;
        MPI_UINT64_T = 0x259;
        MPI_LOGICAL1 = 0x2c0;
        MPI_INTEGER1 = 0x2c1;
        MPI_LOGICAL2 = 0x2c8;
        MPI_INTEGER2 = 0x2c9;
        MPI_REAL2 = 0x2ca;
        MPI_LOGICAL4 = 0x2d0;
        MPI_INTEGER4 = 0x2d1;
        MPI_REAL4 = 0x2d2;
        MPI_COMPLEX4 = 0x2d3;
        MPI_LOGICAL8 = 0x2d8;
        MPI_INTEGER8 = 0x2d9;
        MPI_REAL8 = 0x2da;
        MPI_COMPLEX8 = 0x2db;
        MPI_LOGICAL16 = 0x2e0;
        MPI_INTEGER16 = 0x2e1;
        MPI_REAL16 = 0x2e2;
        MPI_COMPLEX16 = 0x2e3;
        MPI_COMPLEX32 = 0x2eb;
    }
    HANDLES: u32 {
        MPI_COMM_NULL = 0x100;
        MPI_COMM_WORLD = 0x101;
        MPI_COMM_SELF = 0x102;
        MPI_GROUP_NULL = 0x108;
        MPI_GROUP_EMPTY = 0x109;
        MPI_WIN_NULL = 0x110;
        MPI_FILE_NULL = 0x118;
        MPI_SESSION_NULL = 0x120;
        MPI_MESSAGE_NULL = 0x128;
        MPI_MESSAGE_NO_PROC = 0x129;
        MPI_INFO_NULL = 0x130;
        MPI_INFO_ENV = 0x131;
        MPI_ERRHANDLER_NULL = 0x140;
        MPI_ERRORS_ARE_FATAL = 0x141;
        MPI_ERRORS_ABORT = 0x142;
        MPI_ERRORS_RETURN = 0x143;
        MPI_REQUEST_NULL = 0x180;
    }
    ADDRESSES: u64 {
        MPI_BOTTOM = 0x0;
        MPI_IN_PLACE = 0x1;
        MPI_BUFFER_AUTOMATIC = 0x2;
        MPI_UNWEIGHTED = 0xa;
        MPI_WEIGHTS_EMPTY = 0xb;
    }
    INTEGERS: i32 {
        MPI_VERSION = 5;
        MPI_SUBVERSION = 0;
        MPI_ABI_VERSION = 1;
        MPI_ABI_SUBVERSION = 0;
        MPI_MAX_DATAREP_STRING = 128;
        MPI_MAX_ERROR_STRING = 512;
        MPI_MAX_INFO_KEY = 256;
        MPI_MAX_INFO_VAL = 1024;
        MPI_MAX_LIBRARY_VERSION_STRING = 8192;
        MPI_MAX_OBJECT_NAME = 128;
        MPI_MAX_PORT_NAME = 1024;
        MPI_MAX_PROCESSOR_NAME = 256;
        MPI_MAX_STRINGTAG_LEN = 1024;
        MPI_MAX_PSET_NAME_LEN = 1024;
        MPI_BSEND_OVERHEAD = 512;
        MPI_MODE_APPEND = 1;
        MPI_MODE_CREATE = 2;
        MPI_MODE_DELETE_ON_CLOSE = 4;
        MPI_MODE_EXCL = 8;
        MPI_MODE_RDONLY = 16;
        MPI_MODE_RDWR = 32;
        MPI_MODE_SEQUENTIAL = 64;
        MPI_MODE_UNIQUE_OPEN = 128;
        MPI_MODE_WRONLY = 256;
        MPI_MODE_NOCHECK = 1024;
        MPI_MODE_NOPRECEDE = 2048;
        MPI_MODE_NOPUT = 4096;
        MPI_MODE_NOSTORE = 8192;
        MPI_MODE_NOSUCCEED = 16384;
        MPI_ANY_SOURCE = -1;
        MPI_ANY_TAG = -2;
        MPI_PROC_NULL = -3;
        MPI_ROOT = -4;
        MPI_UNDEFINED = -32766;
        MPI_THREAD_SINGLE = 0;
        MPI_THREAD_FUNNELED = 1024;
        MPI_THREAD_SERIALIZED = 2048;
        MPI_THREAD_MULTIPLE = 4096;
        MPI_ORDER_C = 12;
        MPI_ORDER_FORTRAN = 15;
        MPI_DISTRIBUTE_NONE = 16;
        MPI_DISTRIBUTE_BLOCK = 17;
        MPI_DISTRIBUTE_CYCLIC = 18;
        MPI_DISTRIBUTE_DFLT_DARG = 19;
        MPI_COMBINER_NAMED = 101;
        MPI_COMBINER_DUP = 102;
        MPI_COMBINER_CONTIGUOUS = 103;
        MPI_COMBINER_VECTOR = 104;
        MPI_COMBINER_HVECTOR = 105;
        MPI_COMBINER_INDEXED = 106;
        MPI_COMBINER_HINDEXED = 107;
        MPI_COMBINER_INDEXED_BLOCK = 108;
        MPI_COMBINER_HINDEXED_BLOCK = 109;
        MPI_COMBINER_STRUCT = 110;
        MPI_COMBINER_SUBARRAY = 111;
        MPI_COMBINER_DARRAY = 112;
        MPI_COMBINER_F90_REAL = 113;
        MPI_COMBINER_F90_COMPLEX = 114;
        MPI_COMBINER_F90_INTEGER = 115;
        MPI_COMBINER_RESIZED = 116;
        MPI_COMBINER_VALUE_INDEX = 117;
        MPI_TYPECLASS_INTEGER = 192;
        MPI_TYPECLASS_REAL = 193;
        MPI_TYPECLASS_COMPLEX = 194;
        MPI_IDENT = 201;
        MPI_CONGRUENT = 202;
        MPI_SIMILAR = 203;
        MPI_UNEQUAL = 204;
        MPI_CART = 211;
        MPI_GRAPH = 212;
        MPI_DIST_GRAPH = 213;
        MPI_COMM_TYPE_SHARED = 221;
        MPI_COMM_TYPE_HW_UNGUIDED = 222;
        MPI_COMM_TYPE_HW_GUIDED = 223;
        MPI_COMM_TYPE_RESOURCE_GUIDED = 224;
        MPI_LOCK_EXCLUSIVE = 301;
        MPI_LOCK_SHARED = 302;
        MPI_WIN_FLAVOR_CREATE = 311;
        MPI_WIN_FLAVOR_ALLOCATE = 312;
        MPI_WIN_FLAVOR_DYNAMIC = 313;
        MPI_WIN_FLAVOR_SHARED = 314;
        MPI_WIN_UNIFIED = 321;
        MPI_WIN_SEPARATE = 322;
        MPI_SEEK_CUR = 401;
        MPI_SEEK_END = 402;
        MPI_SEEK_SET = 403;
        MPI_KEYVAL_INVALID = 0;
        MPI_TAG_UB = 501;
        MPI_IO = 502;
        MPI_HOST = 503;
        MPI_WTIME_IS_GLOBAL = 504;
        MPI_APPNUM = 505;
        MPI_LASTUSEDCODE = 506;
        MPI_UNIVERSE_SIZE = 507;
        MPI_WIN_BASE = 601;
        MPI_WIN_DISP_UNIT = 602;
        MPI_WIN_SIZE = 603;
        MPI_WIN_CREATE_FLAVOR = 604;
        MPI_WIN_MODEL = 605;
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::ALL;

    /// Name and value of every constant in `abi/constants.csv`.
    pub(crate) fn csv() -> Vec<(String, i64)> {
        include_str!("../../../abi/constants.csv")
            .lines()
            .skip(1)
            .map(|line| {
                let fields: Vec<&str> = line.split(',').collect();
                (fields[0].to_string(), fields[3].parse().unwrap())
            })
            .collect()
    }

    #[test]
    fn constants_have_the_values_of_the_abi() {
        let wanted: std::collections::BTreeMap<String, i64> = csv().into_iter().collect();
        for &(name, value) in ALL {
            assert_eq!(wanted.get(name), Some(&value), "{name}");
        }
    }
}
