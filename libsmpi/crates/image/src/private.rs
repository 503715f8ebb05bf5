//! Variables of libc that every rank must have for itself.
//!
//! The dynamic linker would bind `optind` of the program and of libc to one object. Here each image has its own: either
//! the copy that the static linker reserved in the program's .bss (COPY relocation), or a *cell* behind the image, to
//! which the loader binds the program's references. libc reaches its own object through its table of addresses, since
//! every program may have a copy. So this table is pointed to the rank's object in the rank's turn
//! ([`crate::slots`]), and both see one object, as with the dynamic linker.
//!
//! The list has the variables that glibc 2.36 and its libm export for programs, but those of Sun RPC.

/// A variable that is private to each image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum PrivateVariable {
    /// `environ`, also known as `__environ` and `_environ`.
    Environ,
    /// `optarg` of getopt.
    Optarg,
    /// `optind` of getopt.
    Optind,
    /// `opterr` of getopt.
    Opterr,
    /// `optopt` of getopt.
    Optopt,
    /// `program_invocation_name`, also known as `__progname_full`.
    ProgramName,
    /// `program_invocation_short_name`, also known as `__progname`.
    ProgramShortName,
    /// `signgam` of lgamma.
    Signgam,
    /// `stdin`.
    Stdin,
    /// `stdout`.
    Stdout,
    /// `stderr`.
    Stderr,
    /// `tzname` of tzset.
    Tzname,
    /// `timezone` of tzset.
    Timezone,
    /// `daylight` of tzset.
    Daylight,
    /// `getdate_err` of getdate.
    GetdateErr,
    /// `error_message_count` of error.
    ErrorMessageCount,
    /// `error_one_per_line` of error_at_line.
    ErrorOnePerLine,
    /// `error_print_progname` of error.
    ErrorPrintProgname,
    /// `re_syntax_options` of regular expressions.
    ReSyntaxOptions,
    /// `obstack_alloc_failed_handler`.
    ObstackAllocFailedHandler,
    /// `obstack_exit_failure`.
    ObstackExitFailure,
    /// `argp_program_version`.
    ArgpProgramVersion,
    /// `argp_program_version_hook`.
    ArgpProgramVersionHook,
    /// `argp_program_bug_address`.
    ArgpProgramBugAddress,
    /// `argp_err_exit_status`.
    ArgpErrExitStatus,
    /// `_nl_msg_cat_cntr` of gettext.
    NlMsgCatCntr,
}

use PrivateVariable::*;

/// The variables, the symbols under which libc defines them, and their sizes in bytes.
const TABLE: [(PrivateVariable, &[&str], usize); 26] = [
    (Environ, &["environ", "__environ", "_environ"], 8),
    (Optarg, &["optarg"], 8),
    (Optind, &["optind"], 4),
    (Opterr, &["opterr"], 4),
    (Optopt, &["optopt"], 4),
    (ProgramName, &["program_invocation_name", "__progname_full"], 8),
    (ProgramShortName, &["program_invocation_short_name", "__progname"], 8),
    (Signgam, &["signgam", "__signgam"], 4),
    (Stdin, &["stdin"], 8),
    (Stdout, &["stdout"], 8),
    (Stderr, &["stderr"], 8),
    (Tzname, &["tzname", "__tzname"], 16),
    (Timezone, &["timezone", "__timezone"], 8),
    (Daylight, &["daylight", "__daylight"], 4),
    (GetdateErr, &["getdate_err"], 4),
    (ErrorMessageCount, &["error_message_count"], 4),
    (ErrorOnePerLine, &["error_one_per_line"], 4),
    (ErrorPrintProgname, &["error_print_progname"], 8),
    (ReSyntaxOptions, &["re_syntax_options"], 8),
    (ObstackAllocFailedHandler, &["obstack_alloc_failed_handler"], 8),
    (ObstackExitFailure, &["obstack_exit_failure"], 4),
    (ArgpProgramVersion, &["argp_program_version"], 8),
    (ArgpProgramVersionHook, &["argp_program_version_hook"], 8),
    (ArgpProgramBugAddress, &["argp_program_bug_address"], 8),
    (ArgpErrExitStatus, &["argp_err_exit_status"], 4),
    (NlMsgCatCntr, &["_nl_msg_cat_cntr"], 4),
];

/// So many variables there are.
pub(crate) const COUNT: usize = TABLE.len();

impl PrivateVariable {
    /// All of them, in the order of their cells.
    pub fn all() -> impl Iterator<Item = PrivateVariable> {
        TABLE.iter().map(|entry| entry.0)
    }

    /// The variable that a symbol names, if it is one of these.
    pub fn from_symbol(name: &str) -> Option<PrivateVariable> {
        TABLE.iter().find(|entry| entry.1.contains(&name)).map(|entry| entry.0)
    }

    /// A symbol under which libc defines it.
    pub fn symbol(self) -> &'static str {
        TABLE[self as usize].1[0]
    }

    /// Its size in bytes.
    pub fn size(self) -> usize {
        TABLE[self as usize].2
    }

    /// Whether libc looks at it though the program does not name it: functions change the environment, and the names
    /// of programs are told before they run.
    pub(crate) fn is_always_used(self) -> bool {
        matches!(self, Environ | ProgramName | ProgramShortName)
    }

    /// Offset of its cell.
    pub(crate) fn cell(self) -> usize {
        self as usize * CELL
    }
}

/// Bytes of a cell.
const CELL: usize = 16;

/// Bytes that all cells take.
pub(crate) const CELLS_LEN: usize = COUNT * CELL;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_variables() {
        assert!(PrivateVariable::all().enumerate().all(|(index, variable)| variable as usize == index));
        assert!(PrivateVariable::all().all(|variable| variable.size() <= CELL));
        assert_eq!(PrivateVariable::from_symbol("__progname"), Some(ProgramShortName));
    }
}
