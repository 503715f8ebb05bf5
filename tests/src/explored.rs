//! Reports of explorations that are to be the same, however they were made: by how many processes, on how many
//! machines, and after how many interruptions.

use crate::place::Place;
use serde_json::Value;

/// A report without what differs from run to run, and without estimates of what was not explored: these come from all
/// parts, which one process does not have.
fn report(place: &Place, name: &str) -> Value {
    let text = std::fs::read_to_string(place.directory.join(name)).unwrap();
    let mut report: Value = serde_json::from_str(&text).unwrap();
    for name in ["seconds", "command", "command_line"] {
        report.as_object_mut().unwrap().remove(name);
    }
    for mode in report["modes"].as_array_mut().unwrap() {
        mode.as_object_mut().unwrap().remove("estimate");
    }
    report
}

/// Asserts that two reports in a directory are the same.
pub fn assert_same(place: &Place, one: &str, other: &str) {
    let (one_is, other_is) = (report(place, one), report(place, other));
    let (one_is, other_is) = (one_is.as_object().unwrap(), other_is.as_object().unwrap());
    for name in one_is.keys().chain(other_is.keys()) {
        let directory = place.directory.display();
        assert!(one_is.get(name) == other_is.get(name), "{name} of {one} and {other} in {directory}");
    }
}

/// What stands on the screen after an exploration, without the time, and without notes.
pub fn without_time(said: &str) -> String {
    let is_time = |word: &str| word.parse::<f64>().is_ok_and(|_| word.contains('.'));
    let lines = said.lines().filter(|line| !line.starts_with("smpirun: note: "));
    lines.flat_map(str::split_whitespace).filter(|word| !is_time(word)).collect::<Vec<_>>().join(" ")
}
