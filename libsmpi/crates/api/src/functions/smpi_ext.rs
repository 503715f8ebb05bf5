//! Extensions beyond MPI, as `include/smpi/smpi.h` declares them: told computation, the rank's host, and the hooks of
//! verification. Sampled loops are in `smpi_sample`, shared memory in `smpi_shared`.
//!
//! Names and meanings are those of SMPI's and Mc SimGrid's user documentation. These functions are exported as they
//! are, without wrappers in `abi`.

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_double, c_int, c_void};
use std::ptr;

use smpi_abi::Function;
use smpi_base::WorldRank;
use smpi_liveness::{MOST_PROPOSITIONS, is_name};
use smpi_mpi::world::Chooser;

use crate::boundary::{self, Target};
use smpi_process as process;
use smpi_process::HostCell;
use smpi_runtime::state::{Proposition, Source};
use smpi_runtime::{blocking, current_rank, is_running, with};

use crate::ending;

/// The pointer that a rank's program keeps, by rank.
// SAFETY: only calls that the boundary lets through get here: those of the hosting thread.
static USER_DATA: HostCell<RefCell<Vec<(u32, usize)>>> = unsafe { HostCell::new(RefCell::new(Vec::new())) };

/// Charges the computation measured so far, and starts the one-rank world if the program runs without `smpirun`.
pub(super) fn charge(function: Function) {
    boundary::call(function, Target::Tool, || Ok(()));
}

/// Starts the one-rank world if the program runs without `smpirun` and has not called MPI yet.
pub(super) fn ensure_running(function: Function) {
    if !is_running() {
        charge(function);
    }
}

/// Text of a string of the program's; empty for a null pointer.
///
/// # Safety
/// `text` is null or a string that ends with a zero byte.
pub(super) unsafe fn text_of(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: not null, so by MPI's contract `text` ends with a zero.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

fn flops_of(seconds: f64) -> f64 {
    let rank = current_rank();
    seconds * with(|runtime| runtime.layout.host_speeds[runtime.app_of(rank) as usize])
}

/// Lets the rank's host compute `flops`; `amount` is what the program has told.
fn execute(function: Function, name: &str, amount: f64, flops: f64) {
    if !(amount.is_finite() && amount >= 0.0) {
        let text = format!("{}: parameter 1 ({name}): {amount}; allowed: a number from 0", function.name());
        ending::abort(1, &text);
    }
    blocking::execute(flops);
}

/// Lets as much simulated time pass as `duration` seconds of this machine's computation take on the rank's host.
#[unsafe(no_mangle)]
pub extern "C" fn smpi_execute(duration: c_double) {
    ensure_running(Function::smpi_execute);
    execute(Function::smpi_execute, "duration", duration, flops_of(duration));
}

/// Lets the rank's host compute `flops`.
#[unsafe(no_mangle)]
pub extern "C" fn smpi_execute_flops(flops: c_double) {
    ensure_running(Function::smpi_execute_flops);
    execute(Function::smpi_execute_flops, "flops", flops, flops);
}

/// [`smpi_execute`] after what was measured since the last MPI call.
#[unsafe(no_mangle)]
pub extern "C" fn smpi_execute_benched(duration: c_double) {
    charge(Function::smpi_execute_benched);
    execute(Function::smpi_execute_benched, "duration", duration, flops_of(duration));
}

/// [`smpi_execute_flops`] after what was measured since the last MPI call.
#[unsafe(no_mangle)]
pub extern "C" fn smpi_execute_flops_benched(flops: c_double) {
    charge(Function::smpi_execute_flops_benched);
    execute(Function::smpi_execute_flops_benched, "flops", flops, flops);
}

/// [`smpi_execute`] for Fortran.
///
/// # Safety
/// `duration` is valid for a read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn smpi_execute_(duration: *const c_double) {
    // SAFETY: Fortran passes the address of a variable.
    smpi_execute(unsafe { *duration });
}

/// [`smpi_execute_flops`] for Fortran.
///
/// # Safety
/// `flops` is valid for a read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn smpi_execute_flops_(flops: *const c_double) {
    // SAFETY: Fortran passes the address of a variable.
    smpi_execute_flops(unsafe { *flops });
}

/// [`smpi_execute_benched`] for Fortran.
///
/// # Safety
/// `duration` is valid for a read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn smpi_execute_benched_(duration: *const c_double) {
    // SAFETY: Fortran passes the address of a variable.
    smpi_execute_benched(unsafe { *duration });
}

/// [`smpi_execute_flops_benched`] for Fortran.
///
/// # Safety
/// `flops` is valid for a read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn smpi_execute_flops_benched_(flops: *const c_double) {
    // SAFETY: Fortran passes the address of a variable.
    smpi_execute_flops_benched(unsafe { *flops });
}

/// The calling rank says how much of its work is done, from 0 to 1, for the line that says how far the simulation is.
/// What is no such number says nothing. It takes no time.
#[unsafe(no_mangle)]
pub extern "C" fn smpi_progress(done: c_double) {
    ensure_running(Function::smpi_progress);
    if (0.0..=1.0).contains(&done) {
        with(|runtime| runtime.run(current_rank()).done = Some(done));
    }
}

/// [`smpi_progress`] for Fortran.
///
/// # Safety
/// `done` is valid for a read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn smpi_progress_(done: *const c_double) {
    // SAFETY: Fortran passes the address of a variable.
    smpi_progress(unsafe { *done });
}

/// Keeps a pointer of the program's with the calling rank.
#[unsafe(no_mangle)]
pub extern "C" fn smpi_process_set_user_data(data: *mut c_void) {
    ensure_running(Function::smpi_process_set_user_data);
    let rank = current_rank().0;
    let mut all = USER_DATA.borrow_mut();
    all.retain(|kept| kept.0 != rank);
    all.push((rank, data.expose_provenance()));
}

/// The pointer that the calling rank set last; null if it set none.
#[unsafe(no_mangle)]
pub extern "C" fn smpi_process_get_user_data() -> *mut c_void {
    ensure_running(Function::smpi_process_get_user_data);
    let rank = current_rank().0;
    let kept = USER_DATA.borrow().iter().find(|kept| kept.0 == rank).map(|kept| kept.1);
    kept.map_or(ptr::null_mut(), ptr::with_exposed_provenance_mut)
}

/// Refuses states of power other than 0, the only one that hosts have.
fn check_pstate(function: Function, index: c_int) {
    ensure_running(function);
    if index != 0 {
        ending::abort(
            1,
            &format!("{function}: parameter 1 (pstate_index): {index}; allowed: 0 (hosts have one state)"),
        );
    }
}

/// Speed in flop/s of the calling rank's host in a state of power.
#[unsafe(no_mangle)]
pub extern "C" fn smpi_get_host_power_peak_at(pstate_index: c_int) -> c_double {
    check_pstate(Function::smpi_get_host_power_peak_at, pstate_index);
    with(|runtime| {
        let host = runtime.layout.placement[current_rank().index()];
        runtime.platform.hosts()[host.index()].speed_flops_per_sec
    })
}

/// Speed in flop/s of the calling rank's host.
#[unsafe(no_mangle)]
pub extern "C" fn smpi_get_host_current_power_peak() -> c_double {
    smpi_get_host_power_peak_at(0)
}

/// Number of states of power of the calling rank's host.
#[unsafe(no_mangle)]
pub extern "C" fn smpi_get_host_nb_pstates() -> c_int {
    1
}

/// State of power of the calling rank's host.
#[unsafe(no_mangle)]
pub extern "C" fn smpi_get_host_pstate() -> c_int {
    0
}

/// Chooses the state of power of the calling rank's host; there is only state 0.
#[unsafe(no_mangle)]
pub extern "C" fn smpi_set_host_pstate(pstate_index: c_int) {
    check_pstate(Function::smpi_set_host_pstate, pstate_index);
}

/// Ends the program as a failed `assert` does, unless `prop` is true.
///
/// # Safety
/// `text` and `file` are null or strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn smpi_mc_assert(prop: c_int, text: *const c_char, file: *const c_char, line: c_int) {
    if prop == 0 {
        // SAFETY: `text` and `file` are texts, which smpi/smpi.h makes of literals.
        let (text, file) = unsafe { (text_of(text), text_of(file)) };
        process::leave_asserting(format!("MC_assert({text}) does not hold"));
        process::print_error(&format!("{file}:{line}: MC_assert({text}) does not hold\n"));
        // SAFETY: ends the program; the runtime reports it as a crash of this rank.
        unsafe { libc::abort() };
    }
}

/// [`smpi_mc_assert`] for programs that do not use the macro.
#[unsafe(no_mangle)]
pub extern "C" fn MC_assert(prop: c_int) {
    // SAFETY: null pointers are allowed.
    unsafe { smpi_mc_assert(prop, c"...".as_ptr(), c"?".as_ptr(), 0) };
}

/// An integer from `min` to `max`, from a sequence of the calling rank's own that is the same in each run.
#[unsafe(no_mangle)]
pub extern "C" fn MC_random(min: c_int, max: c_int) -> c_int {
    ensure_running(Function::MC_random);
    if min > max {
        ending::abort(1, &format!("MC_random: parameter 2 (max): {max}; allowed: {min} (parameter 1, min) or more"));
    }
    blocking::random(min.into(), max.into()) as c_int
}

/// From now on these bytes of the calling rank's memory do not tell its states apart: what it does does not depend on
/// them.
///
/// # Safety
/// `memory` is only used as an address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MC_ignore(memory: *mut c_void, size: usize) {
    ensure_running(Function::MC_ignore);
    let start = memory.addr();
    let expected = match start.checked_add(size) {
        Some(end) if start != 0 => Ok(start..end),
        Some(_) => Err("parameter 1 (memory): null; expected the address of a variable of this rank"),
        None => Err("parameter 2 (size): behind the end of memory; expected the number of bytes of the variable"),
    };
    let ignored = expected.unwrap_or_else(|what| refuse(Function::MC_ignore, what));
    let rank = current_rank();
    with(|runtime| {
        let run = runtime.run(rank);
        if !run.ignored.contains(&ignored) {
            run.ignored = run.ignored.iter().cloned().chain([ignored]).collect();
        }
    });
}

/// From now on the proposition `name` is true whenever `variable`, which is the calling rank's and stays, is not 0.
///
/// # Safety
/// `name` is null or a string; `variable` is null or points to an `int` that lives until the rank ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MC_proposition(name: *const c_char, variable: *const c_int) {
    ensure_running(Function::MC_proposition);
    if variable.is_null() {
        let expected = "parameter 2 (variable): null; expected the address of an int of this rank";
        refuse(Function::MC_proposition, expected);
    }
    // SAFETY: the caller promises that `name` is null or a string.
    unsafe { name_proposition(Function::MC_proposition, name, Source::Variable(variable.expose_provenance())) };
}

/// The same whenever `function`, which the calling rank runs at each of its calls of MPI, returns something else than
/// 0. It must not call MPI.
///
/// # Safety
/// `name` is null or a string; `function` is null or a function of the rank's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MC_proposition_function(name: *const c_char, function: Option<extern "C" fn() -> c_int>) {
    ensure_running(Function::MC_proposition_function);
    let Some(function) = function else {
        let expected = "parameter 2 (function): null; expected a function of this rank";
        refuse(Function::MC_proposition_function, expected)
    };
    let address = (function as *const c_void).expose_provenance();
    // SAFETY: the caller promises that `name` is null or a string.
    unsafe { name_proposition(Function::MC_proposition_function, name, Source::Function(address)) };
}

fn refuse(function: Function, what: &str) -> ! {
    ending::abort(1, &format!("{function}: {what}"))
}

/// # Safety
/// `name` is null or a string.
unsafe fn name_proposition(function: Function, name: *const c_char, source: Source) {
    // SAFETY: the caller promises that `name` is null or a string.
    let text = unsafe { text_of(name) };
    let refuse = |what: String| refuse(function, &what);
    if !is_name(&text) {
        refuse(format!("parameter 1 (name): \"{text}\"; allowed: letters, digits and _, a digit not first"));
    }
    let rank = current_rank();
    let (owner, count) = with(|runtime| {
        let mut others = (0..).map(WorldRank).zip(&runtime.ranks);
        let count = runtime.ranks.iter().map(|run| run.propositions.len()).sum::<usize>();
        (others.find(|(_, run)| run.propositions.iter().any(|one| *one.name == *text)).map(|(owner, _)| owner), count)
    });
    if let Some(owner) = owner {
        refuse(format!(
            "parameter 1 (name): {text} is one of rank {owner} already; put the rank's number into the name"
        ));
    }
    if count == MOST_PROPOSITIONS {
        refuse(format!("there are {count} propositions already, the most that a formula can speak of"));
    }
    let new = Proposition { name: text.into(), source, is_true: false, is_shown: false };
    with(|runtime| {
        let run = runtime.run(rank);
        run.propositions = run.propositions.iter().cloned().chain([new]).collect();
    });
}

/// SimGrid's name for [`MC_proposition`].
///
/// # Safety
/// As for [`MC_proposition`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MC_automaton_new_propositional_symbol_pointer(id: *const c_char, value: *mut c_int) {
    // SAFETY: the caller promises the same.
    unsafe { MC_proposition(id, value) };
}

/// SimGrid's name for [`MC_proposition_function`].
///
/// # Safety
/// As for [`MC_proposition_function`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MC_automaton_new_propositional_symbol(
    id: *const c_char,
    function: Option<extern "C" fn() -> c_int>,
) {
    // SAFETY: the caller promises the same.
    unsafe { MC_proposition_function(id, function) };
}

/// Whether the run is a verification.
#[unsafe(no_mangle)]
pub extern "C" fn MC_is_active() -> c_int {
    c_int::from(smpi_runtime::is_running() && with(|runtime| runtime.driver.explores()))
}
