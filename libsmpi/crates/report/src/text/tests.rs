//! Tests of the text: what must be there and how much room it takes, not its sentences.

use super::*;
use crate::finding::{Buffering, LastCall};
use crate::key::FindingKey;
use crate::verdict::Bound;

fn report(ranks: u32) -> Report {
    Report {
        command: format!("-np {ranks} ./ring"),
        ranks,
        executions: 24,
        transitions: 120,
        seconds: 0.0125,
        buffering: "both".into(),
        reduction: "optimal".into(),
        collectives: "atomic".into(),
        ..Report::default()
    }
}

/// All ranks of a ring wait for their neighbour.
fn ring_deadlock(ranks: u32) -> Finding {
    let mut finding = Finding::new(FindingKey::Deadlock, format!("all {ranks} ranks wait for each other"));
    for rank in 0..ranks {
        let source = (rank + ranks - 1) % ranks;
        let place = Location::new(rank, "MPI_Recv").at("examples/rings/ring.c", 12).within("main");
        finding = finding.located(place.clone());
        let arguments = format!("source {source}, tag 0, 4 bytes");
        finding.last_calls.push(LastCall::blocked(
            place,
            arguments,
            format!("a message from rank {source} with tag 0"),
        ));
    }
    finding.cycle = Some((0..ranks).rev().collect());
    finding.buffering = Some(Buffering::Zero);
    finding.replay = "z:0.1,3.2".into();
    finding
}

fn check_screen(text: &str) {
    assert!(text.lines().count() <= 24, "{} lines:\n{text}", text.lines().count());
    for line in text.lines() {
        assert!(line.chars().count() < 80, "{} columns:\n{text}", line.chars().count());
        assert_eq!(line, line.trim_end(), "{text}");
    }
}

#[test]
fn completeness_is_said_only_when_true() {
    let mut report = report(5);
    assert_eq!(report.text().lines().next(), Some("no error found in 24 executions; exploration complete"));
    report.bounds = vec![Bound::Depth(1000), Bound::MaxExecutions(24)];
    let text = report.text();
    assert!(!text.contains("exploration complete"), "{text}");
    for bound in &report.bounds {
        assert!(text.contains(bound.option().unwrap()), "{text}");
    }
    report.executions = 1;
    report.bounds.clear();
    assert_eq!(report.headline(), "no error found in 1 execution; exploration complete");
    report.executions = 0;
    report.findings.push(ring_deadlock(2));
    assert!(report.headline().starts_with("1 error found before an execution came to its end"));
}

#[test]
fn a_deadlock_shows_table_cycle_and_replay() {
    let mut report = report(2);
    report.findings.push(ring_deadlock(2));
    let text = report.text();
    check_screen(&text);
    assert!(text.contains("deadlock: all 2 ranks wait for each other"), "{text}");
    assert!(text.contains("cycle: rank 1 → rank 0 → rank 1"), "{text}");
    assert!(text.contains("rank 1 → rank 0: it waits for a message from rank 0"), "{text}");
    assert!(text.contains("replay: smpirun --replay z:0.1,3.2 -np 2 ./ring\n"), "{text}");
}

#[test]
fn a_deadlock_of_64_ranks_fits_a_screen() {
    let mut report = report(64);
    report.bounds.push(Bound::FirstFinding);
    report.findings.push(ring_deadlock(64));
    let text = report.text();
    check_screen(&text);
    assert!(text.contains("0-63  MPI_Recv(source (rank-1)%64"), "{text}");
    assert!(text.contains("cycle of 64 ranks: rank 63 → 62 → 61 → 60 → 59 → … → 2 → 1 → 0 → 63\n"), "{text}");
}

#[test]
fn a_deadlock_without_any_pattern_fits_a_screen() {
    let mut report = report(64);
    report.bounds.push(Bound::FirstFinding);
    let mut finding = ring_deadlock(64);
    for (index, row) in finding.last_calls.iter_mut().enumerate() {
        row.place = Location::new(index as u32, format!("MPI_Some_long_name_{index}"))
            .at(format!("/home/somebody/projects/simulation/src/exchange_{index}.c"), 1000 + index as u32);
        row.arguments = "words ".repeat(index % 7);
    }
    finding.locations = finding.last_calls.iter().map(|row| row.place.clone()).collect();
    let choice = ChoiceLine {
        place: Location::new(0, "MPI_Recv").at("main.c", 3),
        arguments: "MPI_ANY_SOURCE, tag 5, MPI_COMM_WORLD".into(),
        outcome: "took the message of rank 2".into(),
        candidates: vec!["rank 1".into(), "rank 2".into()],
    };
    finding.choices = vec![choice; 2];
    report.findings.push(finding);
    let text = report.text();
    check_screen(&text);
    assert!(text.contains("57 more ranks in 57 other places"), "{text}");
    assert!(text.contains("(candidates: rank 1, rank 2)"), "{text}");
}

#[test]
fn places_with_a_part_are_listed_beside_the_table() {
    let finding = Finding::new(FindingKey::TypeMismatch, "4 MPI_INT were sent, 4 MPI_FLOAT are received")
        .located(Location::new(1, "MPI_Recv").at("a.c", 9).within("main").noted("received here"))
        .located(Location::new(0, "MPI_Send").at("a.c", 7).within("main").noted("sent here"));
    let mut report = report(2);
    report.findings = vec![finding.clone(), finding.clone()];
    let text = report.text();
    assert!(text.contains("  rank 1: MPI_Recv at a.c:9 in main: received here\n"), "{text}");
    assert!(text.contains("2. mpi/type-mismatch"), "{text}");
    let warning = warning(&finding);
    assert!(warning.starts_with("smpirun: warning: mpi/type-mismatch: "), "{warning}");
    assert_eq!(warning.lines().count(), 4, "{warning}");
}

#[test]
fn ranks_at_one_place_share_a_line() {
    let mut finding = Finding::new(FindingKey::LeakCommunicator, "a communicator is never freed");
    for rank in 0..64 {
        finding = finding.located(Location::new(rank, "MPI_Comm_dup").at("a.c", 9).noted("created here"));
    }
    assert!(warning(&finding).contains("ranks 0-63: MPI_Comm_dup at a.c:9: created here\n"));
}

#[test]
fn many_choices_show_the_last() {
    let mut text = String::new();
    let lines: Vec<ChoiceLine> =
        (0..40).map(|i| ChoiceLine { outcome: format!("returned index {i}"), ..ChoiceLine::default() }).collect();
    choices(&mut text, &lines);
    assert_eq!(text.lines().count(), 1 + MAX_CHOICES);
    assert!(text.contains("35 earlier") && text.contains("index 39"), "{text}");
}

#[test]
fn words_wrap_at_blanks_or_anywhere() {
    assert_eq!(word_wrap("one two three", 7, 7), ["one two", "three"]);
    assert_eq!(word_wrap("abcdefghij kl", 4, 4), ["abcd", "efgh", "ij", "kl"]);
    assert_eq!(word_wrap("", 4, 4), [""]);
    assert_eq!(short_path("/a/b/ring.c:12", 9), "ring.c:12");
    assert_eq!(short_path("/a/exchange.c:12", 9), "…nge.c:12");
}
