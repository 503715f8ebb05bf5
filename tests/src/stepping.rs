//! Sessions of `smpirun replay --step`, and programs to step through.

use crate::place::{Place, text};
use crate::process;
use std::path::{Path, PathBuf};

/// What a session answers to these lines.
///
/// # Panics
/// Where it fails, or says something on stderr.
pub fn session(place: &Place, words: &[&str], lines: &str) -> String {
    place.write("commands", lines);
    let smpirun = place.tool("smpirun");
    let words: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let line = format!("'{smpirun}' replay --step {} < commands", words.join(" "));
    let finished = place.run_words(&["sh", "-c", &line], 0);
    assert_eq!(text(&finished.stderr), "", "{line}");
    text(&finished.stdout)
}

/// Test programs with messages from any source, collective operations, polls, windows, files and failures.
pub const PROGRAMS: [&str; 12] = [
    "verify/explain_crash.c",
    "verify/explain_deadlock.c",
    "verify/file_shared_order.c",
    "verify/iprobe_loop.c",
    "verify/collectives_p2p.c",
    "verify/partitioned.c",
    "verify/win_lock_orders.c",
    "verify/each_deadlock.c",
    "verify/histories_pairs.c",
    "verify/cancel_receive.c",
    "verify/mprobe.c",
    "verify/files_across_choices.c",
];

/// Compiles a test program; how it is run, by its directives.
///
/// # Panics
/// Where it does not compile.
pub fn compiled(place: &Place, name: &str) -> Vec<String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs").join(name);
    let text = std::fs::read_to_string(&source).unwrap();
    let directive = |key: &str| {
        let found = text.lines().filter_map(|line| line.trim().strip_prefix("/* smpi: ")?.strip_prefix(key));
        found.flat_map(|rest| rest.trim_end_matches("*/").split_whitespace()).map(String::from).collect::<Vec<_>>()
    };
    let own = PathBuf::from(name).file_stem().unwrap().to_string_lossy().into_owned();
    let compiler = place.tool("smpicc");
    let source = source.display().to_string();
    let mut words = vec![compiler, "-g".to_string(), source, "-o".to_string(), own.clone(), "-lm".to_string()];
    words.extend(directive("compile-args "));
    place.run_words(&words.iter().map(String::as_str).collect::<Vec<_>>(), 0);
    let ranks = directive("ranks ").pop().unwrap_or("1".to_string());
    let mut run = vec!["-np".to_string(), ranks, format!("./{own}")];
    run.extend(directive("args "));
    run
}

/// A token of an execution of a program of the list, to be gone on with as an exploration does first. `run`: what
/// follows it on the command line.
///
/// # Panics
/// Where smpirun cannot be started.
pub fn token_of(place: &Place, name: &str, run: &[String]) -> String {
    let token = if name.contains("each") { "1/each" } else { "1/zero" };
    let smpirun = [place.tool("smpirun"), "replay".into(), token.into()];
    let words: Vec<String> = smpirun.into_iter().chain(run.iter().cloned()).collect();
    let said = text(&process::run(&words, &place.directory, &[], 60).unwrap().stderr);
    // What has to be known of the program from its beginning, such as what it cancels.
    match said.split_once("its mode is").and_then(|(_, mode)| mode.split_once(" without ")) {
        Some((_, known)) => format!("{token},{}", known.split_whitespace().next().unwrap_or_default()),
        None => token.to_string(),
    }
}

/// How many events there are.
///
/// # Panics
/// Where the session does not say so.
pub fn events(place: &Place, words: &[&str]) -> usize {
    let begin = session(place, words, "");
    begin.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{begin}"))
}
