//! Writes sample pages and prints sample texts, to look at when their layout changes:
//! `cargo run -p smpi-report --example gallery -- /tmp/gallery`.
#![forbid(unsafe_code)]

use smpi_report::*;

fn place(rank: u32, call: &str, line: u32) -> Location {
    Location::new(rank, call).at("src/exchange.c", line).within("exchange")
}

fn event(rank: u32, call: &str, line: u32, kind: EventKind) -> TraceEvent {
    TraceEvent::new(place(rank, call, line), kind)
}

fn report(ranks: u32, findings: Vec<Finding>) -> Report {
    let modes = vec![Mode {
        buffering: Buffering::Zero,
        executions: 3,
        transitions: 41,
        complete: false,
        results: 2,
        results_digest: "00c0ffee".into(),
        ..Mode::default()
    }];
    Report {
        command: format!("-np {ranks} ./exchange 100"),
        command_line: format!("verify -np {ranks} ./exchange 100"),
        ranks,
        executions: 3,
        transitions: 41,
        seconds: 0.0042,
        buffering: "both".into(),
        reduction: "optimal".into(),
        symmetric: String::new(),
        collectives: "atomic".into(),
        bounds: if findings.len() == 1 { vec![Bound::FirstFinding] } else { vec![] },
        modes,
        findings,
        unseen: Vec::new(),
        libraries: Vec::new(),
    }
}

/// A collector that takes the second worker first and then waits for the first by name, after it has answered.
fn wildcard() -> Finding {
    let mut finding = Finding::new(FindingKey::Deadlock, "ranks 0 and 1 wait for each other after rank 2 came first");
    finding.replay = "z:0.0=2".into();
    finding.buffering = Some(Buffering::Zero);
    finding.execution = 3;
    finding.cycle = Some(vec![0, 1]);
    finding.last_calls = vec![
        LastCall::blocked(
            place(0, "MPI_Recv", 31),
            "source 1, tag 1, MPI_COMM_WORLD",
            "a message from rank 1 with tag 1",
        ),
        LastCall::blocked(
            place(1, "MPI_Recv", 44),
            "source 0, tag 2, MPI_COMM_WORLD",
            "a message from rank 0 with tag 2",
        ),
        LastCall {
            place: place(2, "MPI_Finalize", 52),
            state: RankState::Finished,
            detail: "exit code 0".into(),
            ..LastCall::default()
        },
    ];
    finding.last_calls[1].near = Some("rank 0 has sent it one with tag 3 (app.c:40)".into());
    for row in &finding.last_calls[..2] {
        finding.ranks.push(row.place.rank);
        finding.locations.push(row.place.clone());
    }
    finding.choices = vec![ChoiceLine {
        place: place(0, "MPI_Recv", 27),
        arguments: "MPI_ANY_SOURCE, tag 1".into(),
        outcome: "took the message of rank 2".into(),
        candidates: vec!["rank 1".into(), "rank 2".into()],
    }];
    let (init, any) = (EventKind::Collective { members: vec![0, 1, 2] }, EventKind::Receive { from: None });
    finding.trace = Some(Trace {
        ranks: 3,
        round: None,
        events: vec![
            event(0, "MPI_Barrier", 20, init),
            event(0, "MPI_Recv", 27, any),
            event(1, "MPI_Send", 41, EventKind::Send { message: 1, to: 0 }),
            event(2, "MPI_Send", 41, EventKind::Send { message: 2, to: 0 }),
            event(0, "MPI_Recv", 27, EventKind::Match { message: 2, from: 2, candidates: vec![1, 2] }),
            event(0, "MPI_Send", 29, EventKind::Send { message: 3, to: 2 }),
            event(2, "MPI_Recv", 44, EventKind::Receive { from: Some(0) }),
            event(2, "MPI_Recv", 44, EventKind::Match { message: 3, from: 0, candidates: vec![3] }),
            event(2, "MPI_Finalize", 52, EventKind::Exit { code: 0 }),
            event(0, "MPI_Waitany", 30, EventKind::Choice { outcome: "returned 1".into(), candidates: vec![] }),
            event(
                0,
                "MPI_Recv",
                31,
                EventKind::Wait { on: vec![1], detail: "a message from rank 1 with tag 1".into() },
            ),
            event(
                1,
                "MPI_Recv",
                44,
                EventKind::Wait { on: vec![0], detail: "a message from rank 0 with tag 2".into() },
            ),
        ],
    });
    finding
}

fn mismatch() -> Finding {
    let mut finding = Finding::new(FindingKey::TypeMismatch, "4 × MPI_INT were sent, 4 × MPI_FLOAT are received")
        .located(place(1, "MPI_Recv", 9).noted("received here as 4 × MPI_FLOAT"))
        .located(place(0, "MPI_Send", 7).noted("sent here as 4 × MPI_INT"));
    finding.replay = "z:".into();
    finding.occurrences = 12;
    finding
}

/// A ring of `ranks` that goes around `rounds` times and then deadlocks.
fn ring(ranks: u32, rounds: u32) -> Finding {
    let mut finding = Finding::new(FindingKey::DeadlockBuffering, format!("all {ranks} ranks wait for each other"));
    finding.replay = "z:".into();
    finding.buffering = Some(Buffering::Zero);
    finding.cycle = Some((0..ranks).collect());
    let mut events = Vec::new();
    for round in 0..rounds {
        for rank in 0..ranks {
            let (to, message) = ((rank + 1) % ranks, u64::from(round * ranks + rank));
            events.push(event(rank, "MPI_Isend", 30, EventKind::Send { message, to }));
        }
        for rank in 0..ranks {
            let from = (rank + ranks - 1) % ranks;
            let message = u64::from(round * ranks + from);
            let candidates =
                if (rank + round) % 17 == 0 { vec![message, u64::from(round * ranks + rank)] } else { vec![] };
            events.push(event(rank, "MPI_Recv", 31, EventKind::Match { message, from, candidates }));
        }
        if round % 20 == 19 {
            events.push(event(0, "MPI_Barrier", 33, EventKind::Collective { members: (0..ranks).collect() }));
        }
    }
    for rank in 0..ranks {
        let to = (rank + 1) % ranks;
        let detail = format!("rank {to} to receive 800 bytes with tag 0");
        events.push(event(rank, "MPI_Send", 36, EventKind::Wait { on: vec![to], detail: detail.clone() }));
        let row = LastCall::blocked(place(rank, "MPI_Send", 36), format!("dest {to}, tag 0, 100 × MPI_DOUBLE"), detail);
        finding.ranks.push(rank);
        finding.locations.push(row.place.clone());
        finding.last_calls.push(row);
    }
    finding.trace = Some(Trace { ranks, events, round: None });
    finding
}

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "/tmp/gallery".into());
    std::fs::create_dir_all(&folder)?;
    let samples = [
        ("none", report(4, vec![])),
        ("wildcard", report(3, vec![wildcard()])),
        ("several", report(3, vec![wildcard(), mismatch(), ring(3, 2)])),
        ("ring-8", report(8, vec![ring(8, 3)])),
        ("ring-64", report(64, vec![ring(64, 250)])),
    ];
    for (name, report) in samples {
        println!("{}\n{}", "=".repeat(79), report.text());
        std::fs::write(format!("{folder}/{name}.html"), report.html())?;
        std::fs::write(format!("{folder}/{name}.json"), report.json())?;
    }
    Ok(())
}
