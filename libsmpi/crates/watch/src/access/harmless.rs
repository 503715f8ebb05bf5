//! Which functions of libraries read memory of the program that they are given: then they could look at results of
//! Waitany without our noticing, and the checker must try all results.
//!
//! A list of those that do not, apart from text: whatever is not on it is suspected.

use std::sync::OnceLock;

/// The first function that may look at results, of those that the programs call; empty when there is no use in naming
/// one.
static SUSPECT: OnceLock<String> = OnceLock::new();

/// Functions of libc and of the compilers' libraries.
const FUNCTIONS: &str = "\
    abort abs acos acosf acosh aligned_alloc asin asinf asinh asprintf at_quick_exit atan atan2 atan2f atanf atanh \
    atexit atof atoi atol atoll bcmp bcopy bzero calloc cbrt ceil ceilf ceill clock clock_gettime copysign cos cosf \
    cosh erf erfc exit exp exp2 exp2f expf expm1 fabs fabsf fclose feof ferror fflush fgetc fgets floor floorf floorl \
    fma fmax fmaxf fmin fminf fmod fmodf fopen fprintf fputc fputs fread free frexp fscanf fseek ftell fwrite getc \
    getchar getenv gethostname getpid gettimeofday hypot isalnum isalpha isatty isdigit isspace labs ldexp lgamma log log10 log10f log1p log2 \
    log2f logf lrint lround malloc memalign memcmp memcpy memmove mempcpy memset mkdir modf nanosleep perror \
    posix_memalign pow powf printf putc putchar puts qsort quick_exit rand rand_r random remainder remove rewind rint \
    round roundf \
    scanf setbuf setlinebuf setvbuf sin sincos sinf sinh sleep snprintf sprintf sqrt sqrtf sqrtl srand srandom sscanf \
    stderr stdin stdout strcasecmp strcat strchr strcmp strcpy strdup strerror strlen strncat strncmp strncpy strrchr \
    strstr strtod strtol strtoll strtoul strtoull tan tanf tanh tgamma time tolower toupper trunc truncf usleep \
    vfprintf vprintf vsnprintf vsprintf _Exit _exit";

/// Beginnings of names: MPI and the checker's functions, the compiler's own, start and end of programs, checked forms
/// of printing and text, allocation and exceptions of C++, its streams' operators for values, and its strings.
const BEGINNINGS: &[&str] = &[
    "MPI_",
    "PMPI_",
    "MC_",
    "__tsan_",
    "__libc_start_main",
    "__cxa_",
    "__gxx_personality",
    "__gmon_start__",
    "_ITM_",
    "_Unwind_",
    "__stack_chk_fail",
    "__assert_fail",
    "__errno_location",
    "__ctype_",
    "__isoc99_",
    "__isoc23_",
    "__printf_chk",
    "__fprintf_chk",
    "__sprintf_chk",
    "__snprintf_chk",
    "__vfprintf_chk",
    "__memcpy_chk",
    "__memmove_chk",
    "__memset_chk",
    "__strcpy_chk",
    "__strncpy_chk",
    "__strcat_chk",
    "_Zn",
    "_Zd",
    "_ZNSolsE",
    "_ZNSo9_M_insertI",
    "_ZNSo3putEc",
    "_ZNSo5flushEv",
    "_ZNSt8ios_base4Init",
    "_ZSt16__ostream_insert",
    "_ZSt4cout",
    "_ZSt4cerr",
    "_ZSt4endl",
    "_ZSt5flush",
    "_ZStlsI",
    "_ZSt9terminate",
    "_ZSt17__throw_",
    "_ZSt20__throw_",
    "_ZSt24__throw_",
    "_ZSt28__throw_",
    "_ZNSt7__cxx1112basic_string",
    "_ZTV",
    "_ZTI",
];

/// A program was loaded, with what it takes from libraries.
pub fn note_program(imported: &[String]) {
    let reports = imported.iter().any(|name| name == "__tsan_init");
    let suspect = imported.iter().find(|name| !is_harmless(name));
    let is_worth_telling = reports && imported.iter().any(|name| name == "MPI_Waitany");
    if suspect.is_some() || !reports {
        let name = suspect.filter(|_| is_worth_telling).cloned().unwrap_or_default();
        let _ = SUSPECT.set(name);
    }
}

fn is_harmless(name: &str) -> bool {
    BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
        || FUNCTIONS.split_ascii_whitespace().any(|function| function == name)
}

/// Whether every look at results is noticed.
pub fn is_complete() -> bool {
    SUSPECT.get().is_none()
}

/// A function that may look at results although the programs report their accesses.
pub fn suspect() -> Option<&'static str> {
    SUSPECT.get().map(String::as_str).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_suspected() {
        assert!(["printf", "fwrite", "MPI_Waitany", "__tsan_read4", "_Znwm", "memcpy"].into_iter().all(is_harmless));
        assert!(!["fputws", "qsort_r", "_gfortran_transfer_integer_write", "my_function"].into_iter().any(is_harmless));
    }
}
