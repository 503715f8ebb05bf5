//! Compares what a run did with what its directives expect.

use crate::directives::{Directives, ExpectedTime, StdoutOrder};
use crate::process::Finished;
use std::path::Path;

/// Everything that is wrong with a run; empty when it is right. `whole`: also check what only our tools promise
/// (simulated time, the order of lines of different ranks).
pub fn complaints(directives: &Directives, finished: &Finished, summary: &Path, whole: bool) -> Vec<String> {
    let mut complaints = Vec::new();
    if finished.timed_out {
        complaints.push(format!("did not end within {} s", directives.timeout_secs));
        return complaints;
    }
    if finished.code != directives.expected_exit() {
        complaints.push(format!("exit code {}, expected {}", finished.code, directives.expected_exit()));
    }
    let stdout = String::from_utf8_lossy(&finished.stdout);
    let lines: Vec<&str> = stdout.lines().map(str::trim_end).collect();
    if directives.pass {
        if !lines.iter().any(|line| line.starts_with("PASS")) {
            complaints.push("no line PASS on stdout".into());
        }
        if let Some(line) = lines.iter().find(|line| line.starts_with("FAIL")) {
            complaints.push(line.to_string());
        }
    }
    if !directives.stdout.is_empty() {
        complaints.extend(different_lines(directives, lines, whole));
    }
    // Sentences are broken where lines end.
    let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let stderr = folded(&String::from_utf8_lossy(&finished.stderr));
    for text in directives.stderr_contains.iter().filter(|text| !stderr.contains(&folded(text))) {
        complaints.push(format!("stderr does not contain `{text}`"));
    }
    if let Some(expected) = directives.time.filter(|_| whole && complaints.is_empty()) {
        complaints.extend(wrong_time(expected, summary));
    }
    complaints
}

fn different_lines(directives: &Directives, mut lines: Vec<&str>, ordered: bool) -> Option<String> {
    let mut expected: Vec<&str> = directives.stdout.iter().map(String::as_str).collect();
    if directives.stdout_order == StdoutOrder::Any || !ordered {
        lines.sort_unstable();
        expected.sort_unstable();
    }
    let place = (0..lines.len().max(expected.len())).find(|i| lines.get(*i) != expected.get(*i))?;
    let show = |line: Option<&&str>| line.map_or("no more lines".to_string(), |line| format!("`{line}`"));
    Some(format!(
        "stdout differs ({} lines, expected {}): got {}, expected {}",
        lines.len(),
        expected.len(),
        show(lines.get(place)),
        show(expected.get(place))
    ))
}

fn wrong_time(expected: ExpectedTime, summary: &Path) -> Option<String> {
    let secs = match simulated_secs(summary) {
        Ok(secs) => secs,
        Err(message) => return Some(message),
    };
    let deviation = (secs - expected.secs).abs() / expected.secs.abs().max(f64::MIN_POSITIVE);
    (deviation > expected.tolerance).then(|| {
        format!(
            "simulated time {secs:.9e} s, expected {:.9e} s: off by {deviation:.2e}, tolerated {:.2e}",
            expected.secs, expected.tolerance
        )
    })
}

/// The simulated time in a file written by `smpirun --summary-json`.
pub fn simulated_secs(summary: &Path) -> Result<f64, String> {
    let text = std::fs::read_to_string(summary).map_err(|e| format!("no summary in {}: {e}", summary.display()))?;
    let value: serde_json::Value = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", summary.display()))?;
    value["simulated_time_secs"].as_f64().ok_or_else(|| format!("{}: no simulated_time_secs", summary.display()))
}

/// The first difference between two runs that should be the same, byte by byte.
pub fn difference(first: &Finished, second: &Finished) -> Option<String> {
    if first.code != second.code {
        return Some(format!("exit code {} then {}", first.code, second.code));
    }
    for (name, one, two) in [("stdout", &first.stdout, &second.stdout), ("stderr", &first.stderr, &second.stderr)] {
        if one != two {
            let at = one.iter().zip(two.iter()).take_while(|(a, b)| a == b).count();
            let line = 1 + one[..at].iter().filter(|byte| **byte == b'\n').count();
            return Some(format!("{name} differs at byte {at} (line {line})"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(code: i32, stdout: &str) -> Finished {
        Finished { code, timed_out: false, stdout: stdout.into(), stderr: b"a note".to_vec() }
    }

    fn judged(text: &str, finished: &Finished) -> Vec<String> {
        complaints(&crate::directives::parse(text).unwrap(), finished, Path::new("/nowhere"), true)
    }

    #[test]
    fn lines_in_any_or_exact_order() {
        let text = "// smpi: expect-stdout a\n// smpi: expect-stdout b\n";
        assert_eq!(judged(text, &finished(0, "b\na\n")), [""; 0]);
        let exact = format!("{text}// smpi: stdout-order exact\n");
        assert_eq!(
            judged(&exact, &finished(0, "b\na\n")),
            ["stdout differs (2 lines, expected 2): got `b`, expected `a`"]
        );
        assert!(judged(text, &finished(0, "a\n"))[0].contains("got no more lines"));
        // Other MPIs promise no order.
        let directives = crate::directives::parse(&exact).unwrap();
        assert_eq!(complaints(&directives, &finished(0, "b\na\n"), Path::new("/nowhere"), false), [""; 0]);
    }

    #[test]
    fn pass_fail_codes_and_stderr() {
        assert_eq!(judged("// smpi: expect-pass\n", &finished(0, "PASS x\n")), [""; 0]);
        assert_eq!(
            judged("// smpi: expect-pass\n", &finished(1, "PASS x\nFAIL y\n")),
            ["exit code 1, expected 0", "FAIL y"]
        );
        assert_eq!(judged("// smpi: expect-stderr-contains note\n", &finished(0, "")), [""; 0]);
        assert_eq!(judged("// smpi: expect-stderr-contains tone\n", &finished(0, "")).len(), 1);
    }

    #[test]
    fn simulated_times() {
        let path = std::env::temp_dir().join(format!("smpi-judge-{}.json", std::process::id()));
        std::fs::write(&path, r#"{"simulated_time_secs": 0.51}"#).unwrap();
        let judge = |text| complaints(&crate::directives::parse(text).unwrap(), &finished(0, ""), &path, true);
        assert_eq!(judge("// smpi: expect-time 0.5 tolerance 0.05\n"), [""; 0]);
        assert_eq!(judge("// smpi: expect-time 0.5 tolerance 0.01\n").len(), 1);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn differences_are_located() {
        assert_eq!(
            difference(&finished(0, "a\nb"), &finished(0, "a\nc")).unwrap(),
            "stdout differs at byte 2 (line 2)"
        );
        assert!(difference(&finished(0, "a"), &finished(0, "a")).is_none());
    }
}
