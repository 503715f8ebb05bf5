//! Functions of libc and libstdc++ that mean something else on a rank: name → address, for the image loader.
//!
//! They are not exported: libraries and the hosting process keep the real ones. The `malloc` family,
//! `pthread_create` and `__libc_start_main` are exported and need no entry.

pub mod caches;
mod clock;
pub mod environment;
pub mod exit;
mod getopt;
mod libgfortran;
pub mod malloc;
mod programs;
mod random;
pub mod settings;
mod streams;
pub mod symbols;
pub mod threads;
pub mod unwinding;

use crate::hooks::hooks;
use crate::keys;
use crate::signals;

/// Address of what a rank gets instead of the library's function, if it gets something else; `user` is the private
/// library that asks, empty for the program.
pub fn address(name: &str, user: &str) -> Option<usize> {
    libgfortran::replacement(name, user)
        .or_else(|| ending(name))
        .or_else(|| time(name))
        .or_else(|| standard_streams(name))
        .or_else(|| hidden_state(name))
        .or_else(|| settings::replacement(name))
        .or_else(|| signals::calls::replacement(name))
        .or_else(|| caches::replacement(name))
        .or_else(|| processes(name))
        .map(|function| function as usize)
        .or_else(|| (hooks().tool)(name))
}

fn ending(name: &str) -> Option<*const ()> {
    Some(match name {
        "exit" => exit::exit as *const (),
        "_exit" | "_Exit" => exit::underscore_exit as *const (),
        "quick_exit" => exit::quick_exit as *const (),
        "atexit" => exit::atexit as *const (),
        "at_quick_exit" => exit::at_quick_exit as *const (),
        "on_exit" => exit::on_exit as *const (),
        "__cxa_atexit" => exit::cxa_atexit as *const (),
        "__cxa_at_quick_exit" => exit::cxa_at_quick_exit as *const (),
        "__cxa_thread_atexit" | "__cxa_thread_atexit_impl" => exit::cxa_thread_atexit as *const (),
        "__assert_fail" => exit::assert_fail as *const (),
        "__cxa_finalize" => exit::cxa_finalize as *const (),
        _ => return None,
    })
}

fn time(name: &str) -> Option<*const ()> {
    Some(match name {
        "time" => clock::time as *const (),
        "gettimeofday" => clock::gettimeofday as *const (),
        "clock_gettime" => clock::clock_gettime as *const (),
        "timespec_get" => clock::timespec_get as *const (),
        "clock" => clock::clock as *const (),
        "getrusage" => clock::getrusage as *const (),
        "times" => clock::times as *const (),
        "nanosleep" => clock::nanosleep as *const (),
        "clock_nanosleep" => clock::clock_nanosleep as *const (),
        "usleep" => clock::usleep as *const (),
        "sleep" => clock::sleep as *const (),
        "select" => clock::select as *const (),
        "poll" => clock::poll as *const (),
        "_ZNSt6chrono3_V212system_clock3nowEv" => clock::system_clock_now as *const (),
        "_ZNSt6chrono3_V212steady_clock3nowEv" => clock::steady_clock_now as *const (),
        "_ZNSt11this_thread11__sleep_forENSt6chrono8durationIlSt5ratioILl1ELl1EEEENS1_IlS2_ILl1ELl1000000000EEEE" => {
            clock::chrono_sleep as *const ()
        }
        _ => return None,
    })
}

fn standard_streams(name: &str) -> Option<*const ()> {
    Some(match name {
        "write" | "__write" => streams::write as *const (),
        "writev" => streams::writev as *const (),
        "read" | "__read" => streams::read as *const (),
        "readv" => streams::readv as *const (),
        "setvbuf" => streams::setvbuf as *const (),
        "setbuf" => streams::setbuf as *const (),
        "setbuffer" => streams::setbuffer as *const (),
        "setlinebuf" => streams::setlinebuf as *const (),
        "fclose" => streams::fclose as *const (),
        _ => return None,
    })
}

fn hidden_state(name: &str) -> Option<*const ()> {
    Some(match name {
        "getopt" => getopt::getopt as *const (),
        "getopt_long" => getopt::getopt_long as *const (),
        "getopt_long_only" => getopt::getopt_long_only as *const (),
        "getenv" | "secure_getenv" => environment::getenv as *const (),
        "setenv" => environment::setenv as *const (),
        "putenv" => environment::putenv as *const (),
        "unsetenv" => environment::unsetenv as *const (),
        "clearenv" => environment::clearenv as *const (),
        "rand" => random::rand as *const (),
        "srand" | "srandom" => random::srandom as *const (),
        "random" => random::random as *const (),
        "initstate" => random::initstate as *const (),
        "setstate" => random::setstate as *const (),
        "srand48" => random::srand48 as *const (),
        "seed48" => random::seed48 as *const (),
        "lcong48" => random::lcong48 as *const (),
        "drand48" => random::drand48 as *const (),
        "erand48" => random::erand48 as *const (),
        "lrand48" => random::lrand48 as *const (),
        "nrand48" => random::nrand48 as *const (),
        "mrand48" => random::mrand48 as *const (),
        "jrand48" => random::jrand48 as *const (),
        "getentropy" => random::getentropy as *const (),
        "getrandom" => random::getrandom as *const (),
        "strtok" => random::strtok as *const (),
        "pthread_key_create" | "__pthread_key_create" => keys::create as *const (),
        "pthread_key_delete" => keys::delete as *const (),
        "pthread_getspecific" | "__pthread_getspecific" => keys::get as *const (),
        "pthread_setspecific" | "__pthread_setspecific" => keys::set as *const (),
        _ => return None,
    })
}

fn processes(name: &str) -> Option<*const ()> {
    Some(match name {
        "fork" | "vfork" => threads::fork as *const (),
        "thrd_create" => threads::thrd_create as *const (),
        "dlsym" => symbols::dlsym as *const (),
        "dladdr" => symbols::dladdr as *const (),
        "dlopen" => symbols::dlopen as *const (),
        "dlclose" => symbols::dlclose as *const (),
        "system" => environment::system as *const (),
        "popen" => environment::popen as *const (),
        _ => return programs::replacement(name),
    })
}
