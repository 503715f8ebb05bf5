//! Tests of the page: it is well-formed, needs nothing from elsewhere, and has what the findings have.

use super::*;
use crate::finding::{Buffering, ChoiceLine, Location};
use crate::key::FindingKey;
use crate::lasso::{Lasso, LassoStep, WayOut};
use crate::trace::{EventKind, TraceEvent};
use crate::tree::{Circle, Cost, Costs, Graph, Line, Part, Tree};
use crate::verdict::{Bound, Mode};
use roxmltree::{Document, ParsingOptions};

/// Checks what is true of every page and hands back its elements as (name, text).
fn check(page: &str) -> Vec<(String, String)> {
    for word in ["http:", "https:", "src=", "<script", "<link", "@import", "url("] {
        assert!(!page.contains(word), "the page refers to elsewhere: {word}");
    }
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document = Document::parse_with_options(page, options).expect("well-formed");
    let mut ids: Vec<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
    for link in document.descendants().filter_map(|node| node.attribute("href")) {
        assert!(ids.contains(&link.trim_start_matches('#')), "{link} leads nowhere");
    }
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all, "ids are unique");
    let elements = document.descendants().filter(|node| node.is_element());
    let text =
        |node: roxmltree::Node| node.descendants().filter(|n| n.is_text()).filter_map(|n| n.text()).collect::<String>();
    elements.map(|node| (node.tag_name().name().to_string(), text(node))).collect()
}

fn count(elements: &[(String, String)], name: &str) -> usize {
    elements.iter().filter(|element| element.0 == name).count()
}

fn finding() -> Finding {
    let place = |rank| Location::new(rank, "MPI_Recv").at("src/<a>&\"b\".c", 12);
    let mut finding = Finding::new(FindingKey::Deadlock, "0 < 1 & \u{1}\u{1b}[31m'quoted'").located(place(0));
    finding.replay = "z:0.1".into();
    finding.buffering = Some(Buffering::Zero);
    finding.cycle = Some(vec![0, 1]);
    finding.last_calls = (0..2).map(|rank| LastCall::blocked(place(rank), "a < b", "a message & more")).collect();
    let candidates = vec!["rank 1".into(), "rank 2".into()];
    let outcome = "took the message of rank 2".into();
    finding.choices = vec![ChoiceLine { place: place(0), arguments: "<any>".into(), outcome, candidates }];
    finding.trace = Some(Trace {
        ranks: 3,
        round: None,
        events: vec![
            TraceEvent::new(place(1), EventKind::Send { message: 1, to: 0 }),
            TraceEvent::new(place(2), EventKind::Send { message: 2, to: 0 }),
            TraceEvent::new(place(0), EventKind::Receive { from: None }),
            TraceEvent::new(place(0), EventKind::Match { message: 2, from: 2, candidates: vec![1, 2] }),
            TraceEvent::new(place(0), EventKind::Choice { outcome: "<no>".into(), candidates: vec!["&".into()] }),
            TraceEvent::new(place(2), EventKind::Collective { members: vec![1, 2] }),
            TraceEvent::new(place(0), EventKind::Wait { on: vec![1], detail: "a < b".into() }),
            TraceEvent::new(place(1), EventKind::Fail { detail: "<&>".into() }),
            TraceEvent::new(place(2), EventKind::Exit { code: 0 }),
        ],
    });
    finding
}

fn report(findings: Vec<Finding>) -> Report {
    let bounds = if findings.is_empty() { vec![] } else { vec![Bound::FirstFinding] };
    Report { command: "-np 3 './a b'".into(), ranks: 3, executions: 2, findings, bounds, ..Report::default() }
}

#[test]
fn a_page_is_well_formed_and_self_contained() {
    let page = report(vec![finding(), finding()]).html();
    let elements = check(&page);
    let keys: Vec<&str> =
        elements.iter().filter(|(name, _)| name == "h2").filter_map(|(_, text)| text.split(' ').next()).collect();
    assert_eq!(keys, ["deadlock", "deadlock"]);
    assert_eq!(count(&elements, "nav"), 1);
    for class in ["chosen", "ghost", "lost", "waits", "failed", "bar", "blocked", "ended", "hollow"] {
        assert!(page.contains(&format!("class=\"{class}\"")), "{class}");
    }
    let replay = elements.iter().find(|(name, _)| name == "pre").map(|(_, text)| text.as_str());
    assert_eq!(replay, Some("smpirun --replay z:0.1 -np 3 './a b'"));
}

#[test]
fn a_page_without_findings_says_so() {
    let elements = check(&report(Vec::new()).html());
    let head = elements.iter().find(|(name, _)| name == "h1").map(|(_, text)| text.as_str());
    assert_eq!(head, Some("no error found in 2 executions; exploration complete"));
    assert_eq!(count(&elements, "h2"), 0);
}

#[test]
fn modes_with_the_same_executions_share_their_description() {
    let state = |depth, is_end, found: &[&str]| Circle {
        depth,
        is_end,
        found: found.iter().map(|&key| key.into()).collect(),
        ..Circle::default()
    };
    let step = |to, words: &str| Line { from: 0, to, short: "0: <1>".into(), words: words.into(), part: None };
    let cost = |call: &str, ln_factor| Cost {
        ranks: vec![0, 1, 2],
        call: call.into(),
        place: "a&b.c:1".into(),
        choices: 1.5,
        candidates: 3,
        ln_factor,
    };
    let tree = Tree {
        costs: Some(Costs {
            walks: 8,
            calls: vec![cost("MPI_Recv(<any>)", 6_f64.ln()), cost("MPI_Waitany", 2_f64.ln())],
        }),
        graph: Some(Graph {
            states: vec![state(0, false, &[]), state(1, true, &[]), state(1, true, &["deadlock", "<key>"])],
            steps: vec![step(1, "took <1>"), step(2, "took & 2")],
        }),
    };
    let mode = |buffering, tree: &Tree| Mode { buffering, tree: Some(tree.clone()), ..Mode::default() };
    let mut report = report(Vec::new());
    report.modes = vec![mode(Buffering::Zero, &tree), mode(Buffering::Infinite, &tree)];
    let page = report.html();
    let elements = check(&page);
    let headings: Vec<&str> = elements.iter().filter(|(name, _)| name == "h3").map(|(_, text)| text.as_str()).collect();
    assert_eq!(headings, ["With zero buffering and infinite buffering"]);
    assert_eq!((count(&elements, "circle"), count(&elements, "path"), count(&elements, "tr")), (3, 2, 3));
    assert!(page.contains("× 6</td>") && page.contains("together: × 12."), "{page}");
    assert!(page.contains("<title>deadlock, &lt;key&gt;</title>"));
    report.modes[1].tree = Some(Tree { graph: None, ..tree });
    let elements = check(&report.html());
    assert_eq!((count(&elements, "h3"), count(&elements, "circle")), (2, 3));
}

/// A violated property: its choices in two lists, the round as a band of the chart, and both parts in the states.
#[test]
fn an_execution_without_an_end_is_shown_in_two_parts() {
    let mut finding = finding();
    finding.key = FindingKey::Liveness;
    let step = |outcome: &str, holds: &[&str]| LassoStep {
        choice: ChoiceLine { outcome: outcome.into(), ..finding.choices[0].clone() },
        holds: holds.iter().map(|&name| name.into()).collect(),
    };
    let lasso = Lasso {
        propositions: vec!["p".into(), "q".into()],
        prefix: vec![step("took 1", &[]), step("took 2", &["p"])],
        round: vec![step("took 3", &["p"])],
        holds_at_end: vec!["p".into()],
        way_out: Some(WayOut { states: 3, complete: true, ..WayOut::default() }),
    };
    finding.lasso = Some(lasso.clone());
    if let Some(trace) = &mut finding.trace {
        trace.events.truncate(5);
        let shown = EventKind::Show { changed: "p = 1 & <2>".into() };
        trace.events.push(TraceEvent::new(Location::new(1, "MPI_Send"), shown));
        trace.events.push(TraceEvent::new(Location::new(1, "MPI_Send"), EventKind::Send { message: 3, to: 0 }));
        trace.round = Some(5);
    }
    let state = |depth, holds: &[&str], part| Circle {
        depth,
        holds: holds.iter().map(|&name| name.into()).collect(),
        part,
        ..Circle::default()
    };
    let line = |from, to, part| Line { from, to, short: "0: <1>".into(), words: "went <1>".into(), part };
    let (prefix, round) = (Some(Part::Prefix), Some(Part::Round));
    let graph = Graph {
        states: vec![state(0, &[], prefix), state(1, &["p"], round), state(1, &[], None)],
        steps: vec![line(0, 1, prefix), line(0, 2, None), line(1, 1, round), line(2, 1, None), line(1, 0, None)],
    };
    let mut report = report(vec![finding]);
    let tree = Some(Tree { costs: None, graph: Some(graph) });
    report.modes = vec![Mode { buffering: Buffering::Zero, tree, ..Mode::default() }];
    let page = report.html();
    let elements = check(&page);
    let lists: Vec<usize> =
        elements.iter().filter(|(name, _)| name == "ol").map(|(_, text)| text.matches("took").count()).collect();
    assert_eq!(lists, [0, 2, 1], "the cycle of waits, the choices before the round and in it");
    for part in ["class=\"band\"", "class=\"back\"", "class=\"show\"", "one of the next rounds", "start=\"3\""] {
        assert!(page.contains(part), "{part}");
    }
    assert_eq!(page.matches("· true: p</span>").count(), 1, "where it becomes true");
    assert_eq!((page.matches("class=\"step prefix\"").count(), page.matches("class=\"step round\"").count()), (1, 1));
    assert!(page.contains("<g class=\"round\"><circle") && page.contains("; true: p</title>"));
    assert!(page.contains("<h2>The states</h2>") && page.contains("with an arrow"));
    assert!(page.contains("<p class=\"mode\">no way out: 3 states can be reached"));
    // Nothing happens any more: no round.
    report.findings[0].lasso = Some(Lasso { round: vec![], holds_at_end: vec![], ..lasso });
    let page = report.html();
    check(&page);
    assert!(page.contains("Then nothing happens any more") && page.contains("In this state no proposition is true."));
}

#[test]
fn equal_reports_give_equal_pages() {
    assert_eq!(report(vec![finding()]).html(), report(vec![finding()]).html());
}

#[test]
fn large_traces_are_bounded() {
    let mut finding = finding();
    let events = |rank: u32| {
        let to = (rank + 1) % 64;
        (0..500).map(move |i| {
            TraceEvent::new(Location::new(rank, "MPI_Send"), EventKind::Send { message: u64::from(rank) * 500 + i, to })
        })
    };
    finding.trace = Some(Trace { ranks: 64, events: (0..64).flat_map(events).collect(), round: None });
    let page = report(vec![finding]).html();
    check(&page);
    assert!(page.contains("The first 12000 events are not drawn."), "it says what is missing");
    assert!(page.len() < 8_000_000, "{} bytes", page.len());
}

#[test]
fn a_chart_of_no_or_unknown_ranks_is_a_chart() {
    let mut finding = finding();
    for ranks in [0, 1, 30, 1000] {
        finding.trace.as_mut().unwrap().ranks = ranks;
        check(&report(vec![finding.clone()]).html());
    }
}

/// One button for each event, of which the last is chosen, and behind each what all ranks are at.
#[test]
fn the_way_to_a_finding_can_be_gone_step_by_step() {
    let finding = finding();
    let events = finding.trace.as_ref().unwrap().events.len();
    let report = Report { findings: vec![finding.clone(), finding], ranks: 3, ..Report::default() };
    let page = report.html();
    check(&page);
    for number in ["f1", "f2"] {
        assert_eq!(page.matches(&format!("<input type=\"radio\" name=\"{number}-step\"")).count(), events);
    }
    assert_eq!(page.matches(" checked=\"checked\"/>\n<div><p><b>9 of 9</b>").count(), 2);
    assert!(page.contains("aria-label=\"event 1 of 9: rank 1: MPI_Recv sends to rank 0"));
    // Of a collective operation, both ranks that take part.
    let step = page.split("<b>6 of 9</b>").nth(1).unwrap();
    assert_eq!(step.split("</table>").next().unwrap().matches("<tr class=\"now\">").count(), 2);
    assert!(page.split("<b>1 of 9</b>").nth(1).unwrap().contains("nothing yet"));
}
