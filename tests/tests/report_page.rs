//! What the page of a verification says of its executions: the states are those that were explored, whatever the number
//! of processes, and the table has what the choices of each call cost.
#![forbid(unsafe_code)]

use smpi_tests::place::Place;
use smpi_tests::toolchain::root;
use smpi_tests::verification::PARTS;

/// A program of `tests/programs/verify`, its ranks and options, the exit code, the ends of executions in each graph
/// (modes with the same one share it), and what the most expensive call multiplies the executions by.
type Case = (&'static str, &'static str, &'static [&'static str], i32, &'static [usize], &'static str);

const CASES: &[Case] = &[
    ("determinism_send_not", "4", &[], 0, &[6], "× 6"),
    ("waitsome_four", "5", &[], 0, &[15], "× 15"),
    // Choices of several ranks, in states that several orders lead to.
    ("polls_ahead_beside", "3", &["--keep-going"], 1, &[4], ""),
    // What is buffered after all.
    ("each_mixture", "4", &["--buffering=each", "--keep-going"], 1, &[3], ""),
    // Which requests are cancelled is known after the first attempt; what does not come about is left out.
    ("cancel_or_test", "2", &["--keep-going"], 0, &[3], ""),
    // The second mode looks for the deadlock of the first.
    ("first_key_buffering", "3", &[], 1, &[1, 2], ""),
    // What ranks that poll would do is tried out, and is not in the chart.
    ("polls_given_up_first", "4", &["--keep-going"], 1, &[5], ""),
    // No choices, or nothing that could be executed again.
    ("no_choices_4_ranks", "4", &[], 0, &[0], ""),
    ("endless_loop", "2", &["--buffering=zero", "--call-timeout=1"], 1, &[], ""),
];

/// What stands between `before` and the next `<`.
fn after<'a>(page: &'a str, before: &str) -> &'a str {
    page.split(before).nth(1).and_then(|rest| rest.split('<').next()).unwrap_or_default()
}

#[test]
fn the_page_has_the_states_and_what_calls_cost() {
    let place = Place::new("report-page");
    for &(name, ranks, options, code, ends, factor) in CASES {
        let source = root().join(format!("tests/programs/verify/{name}.c")).display().to_string();
        place.run_words(&[&place.tool("smpicc"), "-g", &source, "-o", name], 0);
        let mut pages = Vec::new();
        for jobs in [&[][..], &PARTS] {
            let program = format!("./{name}");
            let words = [&["--verify", "--report-html=page.html"], jobs, options, &["-np", ranks, &program]].concat();
            place.smpirun(&words, code);
            let page = std::fs::read_to_string(place.directory.join("page.html")).unwrap();
            let [seconds, line] = ["<dt>time</dt><dd>", "<code>"].map(|before| after(&page, before).to_string());
            assert!(line.starts_with("smpirun --compute=off --verify --report-html=page.html "), "{name}: {line}");
            // The command line has what differs between them.
            let page = page.replace(&seconds, "");
            pages.push(jobs.iter().fold(page, |page, word| page.replace(&format!("{word} "), "")));
        }
        let [page, other] = &pages[..] else { unreachable!("two runs") };
        assert!(page == other, "{name}: the page depends on --jobs");
        let parts = page.split("<h3>With ").skip(1);
        let circles =
            |part: &str| ["well", "wrong"].map(|class| part.matches(&format!("<circle class=\"{class}\"")).count());
        let found: Vec<usize> = parts.map(|part| circles(part).iter().sum()).collect();
        assert_eq!(found, ends, "{name}");
        assert!(after(page, "<td class=\"factor\">").starts_with(factor), "{name}: not {factor}");
    }
}

/// A program of `tests/programs/verify`, its ranks, the property, and how many choices the round of the execution has
/// that violates it; none does where it holds.
const PROPERTIES: &[(&str, &str, &str, Option<usize>)] = &[
    ("ltl_starved", "4", "--ltl=G(request1->F(cs1))", Some(1)),
    // In the end nothing happens any more.
    ("ltl_exclusion", "2", "--ltl=G!(cs0&&cs1)", Some(0)),
    // It holds.
    ("ltl_served", "4", "--ltl=G(request1->F(cs1))", None),
];

#[test]
fn the_page_has_the_execution_that_violates_a_property() {
    let place = Place::new("report-page-properties");
    for &(name, ranks, property, violated) in PROPERTIES {
        let source = root().join(format!("tests/programs/verify/{name}.c")).display().to_string();
        place.run_words(&[&place.tool("smpicc"), "-g", &source, "-o", name], 0);
        let program = format!("./{name}");
        let files = ["--report-html=page.html", "--report=report.json"];
        let (holds, round) = (violated.is_none(), violated.unwrap_or(0));
        place.smpirun(&["--verify", files[0], files[1], property, "-np", ranks, &program], i32::from(!holds));
        let read = |file: &str| std::fs::read_to_string(place.directory.join(file)).unwrap();
        let (page, report) = (read("page.html"), read("report.json"));
        assert!(page.contains("<h2>The states</h2>"), "{name}: no states");
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        let states = |index: usize| report["modes"][index]["states"]["count"].as_u64().unwrap();
        // Modes with the same states share a drawing.
        let circles = page.matches("<circle class=\"open\"").count() + page.matches("<circle class=\"well\"").count();
        assert!(circles as u64 >= states(0), "{name}: {circles} circles");
        // How many choices come before the round depends on what compilers leave on the stack.
        let lasso = &report["findings"][0]["lasso"];
        let length = |part: &str| lasso[part].as_array().map_or(0, Vec::len);
        let before = length("prefix");
        assert_eq!((before > 0, length("round")), (!holds, round), "{name}: {lasso}");
        let band = usize::from(round > 0);
        assert_eq!(page.matches("<g class=\"round\">").count(), usize::from(!holds) * round.max(1), "{name}: states");
        assert_eq!(page.matches("class=\"step prefix\"").count(), before, "{name}: choices before the round");
        assert_eq!(page.matches("class=\"step round\"").count(), round, "{name}: choices of the round");
        assert_eq!(page.matches("class=\"again\"").count(), band, "{name}: the round in the chart");
        // Blocking calls are known by their names and lines, too.
        assert!(!page.contains("a send") && !page.contains("a receive"), "{name}: calls without names");
        let replay = report["findings"][0]["replay"].as_str().unwrap_or_default();
        assert_eq!(replay.ends_with(&format!("@{before}")), !holds, "{name}: {replay}");
    }
}
