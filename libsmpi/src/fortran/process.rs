//! Starting MPI, starting processes, and buffers that MPI gives back.

use std::ffi::{c_char, c_int, c_void};

use super::arguments::{done, handle, number, with_handles, with_text};
use super::sentinels::{error_codes, is_no_arguments};
use super::{Fint, c, entries};
use crate::abi::generated::buffer::*;
use crate::abi::generated::environment::*;
use crate::abi::generated::process::*;
use crate::abi::generated::session::*;
use crate::abi::*;
use smpi_process as process;

/// Calls with rows of a CHARACTER array as C strings. Element `column` of row `row` lies `row + rows * column` elements
/// after the first; a row ends with a blank element. C gets an array of rows, each an array of strings ended by null.
unsafe fn with_rows(
    texts: *const c_char,
    len: usize,
    rows: usize,
    call: impl FnOnce(*mut *mut *mut c_char) -> c_int,
) -> c_int {
    // SAFETY: the program's array has blank elements at the ends of its rows, and all before them are its own.
    unsafe {
        let element = |row: usize, column: usize| {
            std::slice::from_raw_parts(texts.add((row + rows * column) * len).cast::<u8>(), len).trim_ascii()
        };
        let vector: *mut *mut *mut c_char = process::own_allocate((rows + 1) * size_of::<usize>()).cast();
        vector.add(rows).write(std::ptr::null_mut());
        for row in 0..rows {
            let columns = (0..).take_while(|column| !element(row, *column).is_empty()).count();
            let pointers = (columns + 1) * size_of::<usize>();
            let block: *mut c_char = process::own_allocate(pointers + columns * (len + 1)).cast();
            let words: *mut *mut c_char = block.cast();
            for column in 0..columns {
                let (text, place) = (element(row, column), block.add(pointers + column * (len + 1)));
                std::ptr::copy_nonoverlapping(text.as_ptr().cast(), place, text.len());
                place.add(text.len()).write(0);
                words.add(column).write(place);
            }
            words.add(columns).write(std::ptr::null_mut());
            vector.add(row).write(words);
        }
        let code = call(vector);
        for row in 0..rows {
            process::own_free(vector.add(row).read().cast());
        }
        process::own_free(vector.cast());
        code
    }
}

/// Takes a buffer back through the C function; where it was is told to `mpi_f08` only.
unsafe fn detach<S>(size: *mut S, ierror: *mut Fint, call: impl FnOnce(*mut c_void, *mut S) -> c_int) -> *mut c_void {
    let mut address: *mut c_void = std::ptr::null_mut();
    let code = call((&raw mut address).cast(), size);
    // SAFETY: by Fortran's contract `ierror` is a variable.
    unsafe { done(ierror, code) };
    address
}

entries! {
    fn mpi_init_, pmpi_init_(ierror: *mut Fint) {
        // SAFETY: by Fortran's contract `ierror` is a variable.
        unsafe { done(ierror, c!(Init, PMPI_Init, _, _)(std::ptr::null_mut(), std::ptr::null_mut())) }
    }
    fn mpi_init_thread_, pmpi_init_thread_(required: *const c_int, provided: *mut c_int, ierror: *mut Fint) {
        // SAFETY: by Fortran's contract `required`, `provided` and `ierror` are variables.
        unsafe {
            let init_thread = c!(Init_thread, PMPI_Init_thread, _, _, _, _);
            let code = init_thread(std::ptr::null_mut(), std::ptr::null_mut(), *required, provided);
            done(ierror, code)
        }
    }
    fn mpi_pcontrol_, pmpi_pcontrol_(level: *const c_int) {
        // SAFETY: by Fortran's contract `level` is a variable. With 0 and null nothing further is read.
        unsafe { c!(Pcontrol, PMPI_Pcontrol, _, _, _)(*level, 0, std::ptr::null()) };
    }
    fn mpi_buffer_detach_, pmpi_buffer_detach_(_address: *mut c_void, size: *mut c_int, ierror: *mut Fint) {
        // SAFETY: by Fortran's contract `size` and `ierror` are variables.
        unsafe { detach(size, ierror, |address, size| c!(Buffer_detach, PMPI_Buffer_detach, _, _)(address, size)) };
    }
    fn mpi_buffer_detach_f08_, pmpi_buffer_detach_f08_(
        address: *mut *mut c_void, size: *mut c_int, ierror: *mut Fint,
    ) {
        // SAFETY: by Fortran's contract `address`, `size` and `ierror` are variables.
        unsafe {
            let detached = c!(Buffer_detach, PMPI_Buffer_detach, _, _);
            *address = detach(size, ierror, |address, size| detached(address, size))
        }
    }
    fn mpi_buffer_detach_c_, pmpi_buffer_detach_c_(
        address: *mut *mut c_void, size: *mut MPI_Count, ierror: *mut Fint,
    ) {
        // SAFETY: by Fortran's contract `address`, `size` and `ierror` are variables.
        unsafe {
            let detached = c!(Buffer_detach_c, PMPI_Buffer_detach_c, _, _);
            *address = detach(size, ierror, |address, size| detached(address, size))
        }
    }
    fn mpi_comm_detach_buffer_, pmpi_comm_detach_buffer_(
        comm: *const Fint, _address: *mut c_void, size: *mut c_int, ierror: *mut Fint,
    ) {
        // SAFETY: by Fortran's contract `comm`, `size` and `ierror` are variables.
        unsafe {
            let detached = c!(Comm_detach_buffer, PMPI_Comm_detach_buffer, _, _, _);
            detach(size, ierror, |address, size| detached(handle(*comm), address, size));
        }
    }
    fn mpi_comm_detach_buffer_f08_, pmpi_comm_detach_buffer_f08_(
        comm: *const Fint, address: *mut *mut c_void, size: *mut c_int, ierror: *mut Fint,
    ) {
        // SAFETY: by Fortran's contract `comm`, `address`, `size` and `ierror` are variables.
        unsafe {
            let detached = c!(Comm_detach_buffer, PMPI_Comm_detach_buffer, _, _, _);
            *address = detach(size, ierror, |address, size| detached(handle(*comm), address, size));
        }
    }
    fn mpi_comm_detach_buffer_c_, pmpi_comm_detach_buffer_c_(
        comm: *const Fint, address: *mut *mut c_void, size: *mut MPI_Count, ierror: *mut Fint,
    ) {
        // SAFETY: by Fortran's contract `comm`, `address`, `size` and `ierror` are variables.
        unsafe {
            let detached = c!(Comm_detach_buffer_c, PMPI_Comm_detach_buffer_c, _, _, _);
            *address = detach(size, ierror, |address, size| detached(handle(*comm), address, size));
        }
    }
    fn mpi_session_detach_buffer_, pmpi_session_detach_buffer_(
        session: *const Fint, _address: *mut c_void, size: *mut c_int, ierror: *mut Fint,
    ) {
        // SAFETY: by Fortran's contract `session`, `size` and `ierror` are variables.
        unsafe {
            let detached = c!(Session_detach_buffer, PMPI_Session_detach_buffer, _, _, _);
            detach(size, ierror, |address, size| detached(handle(*session), address, size));
        }
    }
    fn mpi_session_detach_buffer_f08_, pmpi_session_detach_buffer_f08_(
        session: *const Fint, address: *mut *mut c_void, size: *mut c_int, ierror: *mut Fint,
    ) {
        // SAFETY: by Fortran's contract `session`, `address`, `size` and `ierror` are variables.
        unsafe {
            let session = handle(*session);
            let detached = c!(Session_detach_buffer, PMPI_Session_detach_buffer, _, _, _);
            *address = detach(size, ierror, |address, size| detached(session, address, size));
        }
    }
    fn mpi_session_detach_buffer_c_, pmpi_session_detach_buffer_c_(
        session: *const Fint, address: *mut *mut c_void, size: *mut MPI_Count, ierror: *mut Fint,
    ) {
        // SAFETY: by Fortran's contract `session`, `address`, `size` and `ierror` are variables.
        unsafe {
            let session = handle(*session);
            let detached = c!(Session_detach_buffer_c, PMPI_Session_detach_buffer_c, _, _, _);
            *address = detach(size, ierror, |address, size| detached(session, address, size));
        }
    }
    fn mpi_comm_spawn_, pmpi_comm_spawn_(
        command: *const c_char, argv: *const c_char, maxprocs: *const c_int, info: *const Fint, root: *const c_int,
        comm: *const Fint, intercomm: *mut Fint, array_of_errcodes: *mut c_int, ierror: *mut Fint,
        command_len: usize, argv_len: usize,
    ) {
        // SAFETY: by Fortran's contract `maxprocs`, `info`, `root`, `comm`, `intercomm` and `ierror` are variables,
        // `command` is a string of its length, `argv` ends with a blank string, and `array_of_errcodes` has `maxprocs`
        // elements.
        unsafe {
            let mut intercomm_c = handle(*intercomm);
            let errors = error_codes(array_of_errcodes);
            let code = with_text(command, command_len, true, |command| {
                let mut spawn = |argv: *mut *mut c_char| {
                    let (info, comm) = (handle(*info), handle(*comm));
                    let of_c = c!(Comm_spawn, PMPI_Comm_spawn, _, _, _, _, _, _, _, _);
                    of_c(command, argv, *maxprocs, info, *root, comm, &raw mut intercomm_c, errors)
                };
                if is_no_arguments(argv.addr()) {
                    spawn(MPI_ARGV_NULL)
                } else {
                    with_rows(argv, argv_len, 1, |rows| spawn(*rows))
                }
            });
            *intercomm = number(intercomm_c);
            done(ierror, code)
        }
    }
    fn mpi_comm_spawn_multiple_, pmpi_comm_spawn_multiple_(
        count: *const c_int, commands: *const c_char, argvs: *const c_char, maxprocs: *const c_int,
        infos: *const Fint, root: *const c_int, comm: *const Fint, intercomm: *mut Fint,
        array_of_errcodes: *mut c_int, ierror: *mut Fint, commands_len: usize, argvs_len: usize,
    ) {
        // SAFETY: by Fortran's contract `count`, `root`, `comm`, `intercomm` and `ierror` are variables, the arrays
        // have `count` elements, rows of `argvs` end with a blank string, and `array_of_errcodes` has an element for
        // each process.
        unsafe {
            let mut intercomm_c = handle(*intercomm);
            let errors = error_codes(array_of_errcodes);
            let rows = usize::try_from(*count).unwrap_or(0);
            let code = with_handles(infos, rows as i64, |infos| {
                with_commands(commands, commands_len, rows, |commands| {
                    let mut spawn = |argvs: *mut *mut *mut c_char| {
                        let intercomm = &raw mut intercomm_c;
                        let comm = handle(*comm);
                        let spawn = c!(Comm_spawn_multiple, PMPI_Comm_spawn_multiple, _, _, _, _, _, _, _, _, _);
                        spawn(*count, commands, argvs, maxprocs, infos, *root, comm, intercomm, errors)
                    };
                    if is_no_arguments(argvs.addr()) {
                        spawn(MPI_ARGVS_NULL)
                    } else {
                        with_rows(argvs, argvs_len, rows, spawn)
                    }
                })
            });
            *intercomm = number(intercomm_c);
            done(ierror, code)
        }
    }
    fn mpi_session_get_nth_pset_, pmpi_session_get_nth_pset_(
        session: *const Fint, info: *const Fint, n: *const c_int, pset_len: *mut c_int, pset_name: *mut c_char,
        ierror: *mut Fint, pset_name_len: usize,
    ) {
        // SAFETY: by Fortran's contract `session`, `info`, `n`, `pset_len` and `ierror` are variables, and `pset_name`
        // is a string of its length. `text` has room for all names.
        unsafe {
            let mut text = [0_u8; MPI_MAX_PSET_NAME_LEN as usize];
            let wanted = *pset_len;
            // C counts the zero.
            let mut room = if wanted > 0 { wanted.saturating_add(1).min(MPI_MAX_PSET_NAME_LEN) } else { wanted };
            let place = text.as_mut_ptr().cast();
            let name_of = c!(Session_get_nth_pset, PMPI_Session_get_nth_pset, _, _, _, _, _);
            let code = name_of(
                handle(*session), handle(*info), *n, &raw mut room, place,
            );
            *pset_len = room - 1;
            if wanted > 0 {
                super::arguments::fill(pset_name, pset_name_len, &text, code);
            }
            done(ierror, code)
        }
    }
}

/// Calls with the commands of `MPI_Comm_spawn_multiple` as C strings.
unsafe fn with_commands(
    commands: *const c_char,
    len: usize,
    count: usize,
    call: impl FnOnce(*mut *mut c_char) -> c_int,
) -> c_int {
    let pointers = (count + 1) * size_of::<usize>();
    let block: *mut c_char = process::own_allocate(pointers + count * (len + 1)).cast();
    let words: *mut *mut c_char = block.cast();
    // SAFETY: the block has room for all strings; the program's array has `count` elements.
    unsafe {
        for index in 0..count {
            let text = std::slice::from_raw_parts(commands.add(index * len).cast::<u8>(), len).trim_ascii();
            let place = block.add(pointers + index * (len + 1));
            std::ptr::copy_nonoverlapping(text.as_ptr().cast(), place, text.len());
            place.add(text.len()).write(0);
            words.add(index).write(place);
        }
        words.add(count).write(std::ptr::null_mut());
        let code = call(words);
        process::own_free(block.cast());
        code
    }
}
