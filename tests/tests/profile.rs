//! Profiles of simulations: they hold together on random programs, name causes that were planted, agree with figures
//! that were computed by hand, and what would be in another world is what is there.
#![forbid(unsafe_code)]

use serde_json::Value;
use smpi_mpi::collective::select::{Operation, Selector};
use smpi_tests::campaign::features::Features;
use smpi_tests::campaign::generate;
use smpi_tests::campaign::run::Runner;
use smpi_tests::place::{self, Place};
use smpi_tests::process::{self, Finished};
use smpi_tests::schema;
use smpi_tests::toolchain::root;
use std::collections::BTreeMap;

/// Random programs that are profiled.
const PROGRAMS: u64 = 150;
/// Seconds after which one is taken to run for ever.
const MOST_SECS: u64 = 4;

/// Parts of a time, as profiles have them.
const PARTS: [&str; 10] = [
    "computation",
    "late_sender",
    "late_receiver",
    "late_partner",
    "transfer",
    "contention",
    "overhead",
    "sleep",
    "ended",
    "rest",
];

fn json(place: &Place, name: &str) -> Value {
    let text = std::fs::read_to_string(place.directory.join(name)).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    if value["schema"].as_str().is_some_and(|schema| schema.starts_with("libsmpi-profile")) {
        assert_eq!(schema::complaints(&schema::of_profiles(), &value), [] as [String; 0], "{name}");
    }
    value
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} is {}", value[key]))
}

fn rows<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().unwrap_or_else(|| panic!("{key} is {}", value[key]))
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs()).max(1e-6)
}

fn compile(place: &Place, name: &str) -> String {
    let source = root().join(format!("tests/profile/{name}.c")).display().to_string();
    place.run_words(&[&place.tool("smpicc"), "-g", &source, "-o", name], 0);
    format!("./{name}")
}

/// The matrix of hosts is that of ranks, added up.
fn check_hosts(profile: &Value, what: &str) {
    let ranks = rows(profile, "rank_rows");
    let mut sums: BTreeMap<[&str; 2], [u64; 2]> = BTreeMap::new();
    for pair in rows(profile, "matrix") {
        let host = |end: &str| ranks[pair[end].as_u64().unwrap() as usize]["host"].as_str().unwrap();
        let sum = sums.entry(["from", "to"].map(host)).or_default();
        for (sum, volume) in sum.iter_mut().zip(["messages", "bytes"]) {
            *sum += pair[volume].as_u64().unwrap();
        }
    }
    let said = rows(profile, "host_matrix").iter().map(|row| {
        let volume = ["messages", "bytes"].map(|volume| row[volume].as_u64().unwrap());
        (["from", "to"].map(|end| row[end].as_str().unwrap()), volume)
    });
    assert_eq!(said.collect::<BTreeMap<_, _>>(), sums, "{what}");
}

/// No cause has more than what it costs, so that causes of a kind have no more than their part of the time; and only
/// what is not shared is in use by more than one at a time.
fn check_causes(profile: &Value, what: &str) {
    let of = |kinds: &[&str]| {
        let told = rows(profile, "causes").iter().filter(|cause| kinds.contains(&cause["kind"].as_str().unwrap()));
        told.map(|cause| number(cause, "secs")).sum::<f64>()
    };
    let time = |parts: &[&str]| parts.iter().map(|part| number(&profile["time"], part)).sum::<f64>();
    let parts: [(&[&str], &[&str]); 4] = [
        (&["imbalance", "waiting"], &["late_sender", "late_receiver", "late_partner", "ended"]),
        (&["contention"], &["contention"]),
        (&["transfer"], &["transfer"]),
        (&["overhead"], &["overhead"]),
    ];
    // Less than 1 % of a kind is not told: of calls, and of ranks that have ended.
    let all = number(profile, "simulated_time_secs") * number(profile, "ranks");
    for (kinds, parts) in parts {
        let (told, secs) = (of(kinds), time(parts));
        assert!(told <= secs * (1.0 + 1e-9), "{what}: {told} s of {secs} s are told of {kinds:?}");
        assert!(told >= secs - 0.02 * all - 1e-9, "{what}: only {told} s of {secs} s are told of {kinds:?}");
    }
    for link in rows(profile, "links") {
        let (share, peak) = (number(link, "share"), number(link, "peak_share"));
        assert!(link["is_unshared"] == true || (share <= 1.0 && peak <= 1.0), "{what}: {link}");
    }
}

/// What must be true of every profile.
fn check(profile: &Value, what: &str) {
    let secs = number(profile, "simulated_time_secs");
    let path = &profile["critical_path"];
    let length: f64 = rows(path, "rows").iter().map(|row| number(row, "secs")).sum();
    assert!(close(length, secs) && close(number(path, "secs"), secs), "{what}: a path of {length} s in {secs} s");
    for rank in rows(profile, "rank_rows") {
        let time = &rank["time"];
        let total: f64 = PARTS.iter().map(|part| number(time, part)).sum();
        assert!(close(total, secs), "{what}: rank {} has {total} of {secs} s", rank["rank"]);
        assert!(
            number(time, "rest") <= 1e-9 * secs,
            "{what}: rank {} has {} s without a name",
            rank["rank"],
            time["rest"]
        );
    }
    for rank in rows(profile, "rank_rows") {
        let (late, wrong) = (number(&rank["time"], "late_sender"), number(&rank["time"], "wrong_order"));
        assert!(wrong <= late + 1e-12, "{what}: {wrong} of {late} s in the wrong order");
    }
    for link in rows(profile, "links") {
        let places: Vec<_> = rows(link, "users").iter().map(|user| &user["place"]).collect();
        assert!(places.iter().enumerate().all(|(index, place)| !places[..index].contains(place)), "{what}: {link}");
    }
    for row in rows(profile, "collectives") {
        for spread in ["arrivals", "duration", "ends"].map(|name| &row[name]) {
            let [least, mean, most] = ["least", "mean", "most"].map(|name| number(spread, name));
            assert!(0.0 <= least && least <= mean + 1e-12 && mean <= most + 1e-12, "{what}: {row}");
        }
    }
    check_hosts(profile, what);
    check_causes(profile, what);
    let calls: f64 = rows(profile, "calls").iter().map(|row| number(row, "secs")).sum();
    let time = &profile["time"];
    let in_calls: f64 = PARTS[1..7].iter().map(|part| number(time, part)).sum();
    assert!(close(calls, in_calls), "{what}: {calls} s in calls, which are made up of {in_calls} s");
    let efficiency = &profile["efficiency"];
    let product: f64 = ["load_balance", "serialisation", "transfer", "contention"]
        .iter()
        .map(|factor| number(efficiency, factor))
        .product();
    assert!(close(product, number(efficiency, "parallel")), "{what}: factors {efficiency}");
}

#[test]
fn profiles_of_random_programs_hold_together() {
    let place = Place::new("profile-random");
    let source = root().join("tests/programs/verify/script.c").display().to_string();
    place.run_words(&[&place.tool("smpicc"), "-O1", "-g", &source, "-o", "script"], 0);
    let runner = Runner {
        smpirun: place.tool("smpirun").into(),
        script: place.directory.join("script"),
        directory: place.directory.clone(),
        options: Vec::new(),
        verification: Vec::new(),
    };
    let mut with_time = 0;
    for seed in 0..PROGRAMS {
        let program = generate::program(seed, &Features::all());
        let arguments = [format!("delay={}", seed + 1)];
        let words = runner.words(&["--profile-json=profile.json"], &arguments, &program);
        let _ = std::fs::remove_file(place.directory.join("profile.json"));
        let finished = process::run(&words, &place.directory, &[], MOST_SECS).unwrap();
        // Some of them fail, hang or poll for ever, as they should.
        if finished.code == 0 {
            let profile = json(&place, "profile.json");
            check(&profile, &format!("seed {seed}"));
            with_time += u32::from(number(&profile, "simulated_time_secs") > 0.0);
        }
    }
    assert!(with_time > 30, "only {with_time} programs took time");
}

#[test]
fn calls_are_told_apart_where_a_program_wants_it() {
    let place = Place::new("profile-pcontrol");
    let program = compile(&place, "pcontrol");
    let options = ["--compute=off", "--profile-json=profile.json", "--timeline=t.json", "-platform"];
    place.smpirun(&[&options[..], &[&platform("gigabit-64"), "-np", "4", &program]].concat(), 0);
    let profile = json(&place, "profile.json");
    check(&profile, "pcontrol");
    let by_line = |table: &str, place: &str, count: &str| {
        let row = |row: &Value| {
            (row[place]["line"].as_u64(), row[place]["call"].as_str().unwrap().to_string(), row[count].as_u64())
        };
        let mut rows: Vec<_> = rows(&profile, table).iter().map(row).collect();
        rows.sort();
        rows.into_iter().map(|(line, call, count)| format!("{call} {} {}", line.unwrap(), count.unwrap())).collect()
    };
    // On each of 4 ranks 7 barriers are counted as the first call with level 0, and the allreduce as the second.
    let calls: Vec<String> = by_line("calls", "place", "calls");
    let expected = [
        "MPI_Init 10 4",
        "MPI_Comm_rank 11 4",
        "MPI_Pcontrol 12 4",
        "MPI_Barrier 13 4",
        "MPI_Pcontrol 14 32",
        "MPI_Pcontrol 19 8",
        "MPI_Pcontrol 21 4",
        "MPI_Bcast 23 4",
        "MPI_Barrier 24 4",
        "MPI_Finalize 25 4",
    ];
    assert_eq!(calls, expected);
    let computations: Vec<String> = by_line("computations", "after", "count");
    assert_eq!(computations, ["MPI_Pcontrol 14 28", "MPI_Pcontrol 21 4"]);
    let timeline = std::fs::read_to_string(place.directory.join("t.json")).unwrap();
    assert!(timeline.contains("MPI_Pcontrol") && !timeline.contains("MPI_Allreduce"));
}

#[test]
fn planted_causes_come_first() {
    let place = Place::new("profile-planted");
    let imbalance = compile(&place, "imbalance");
    place.smpirun(&["--profile-json=profile.json", "-platform", &platform("gigabit-64"), "-np", "8", &imbalance], 0);
    let profile = json(&place, "profile.json");
    check(&profile, "imbalance");
    let cause = &rows(&profile, "causes")[0];
    let words = cause["words"].as_str().unwrap();
    assert_eq!(cause["kind"], "imbalance");
    assert!(words.contains("while rank 3 computes after MPI_Allreduce at imbalance.c:"), "{words}");
    let first = &rows(&profile, "calls")[0];
    assert_eq!((&first["wait_state"], &first["place"]["call"]), (&"wait at N x N".into(), &"MPI_Allreduce".into()));

    let contended = compile(&place, "contended");
    let sites = root().join("tests/profile/two_sites.toml").display().to_string();
    place.smpirun(&["--profile-json=profile.json", "-platform", &sites, "-np", "8", &contended], 0);
    let profile = json(&place, "profile.json");
    check(&profile, "contended");
    let cause = &rows(&profile, "causes")[0];
    let words = cause["words"].as_str().unwrap();
    assert_eq!(cause["kind"], "contention");
    assert!(words.contains("the busiest link is between") && words.contains("MPI_Isend at contended.c:"), "{words}");
    // Four messages share the link all the time: each takes four times as long as alone.
    let (transfer, contention) = (number(&profile["time"], "transfer"), number(&profile["time"], "contention"));
    assert!((contention / (transfer + contention) - 0.75).abs() < 0.01, "{contention} of {}", transfer + contention);
    let link = &rows(&profile, "links")[0];
    assert!(number(link, "share") > 0.85 && link["name"] == "between", "{link}");
}

#[test]
fn causes_have_what_they_cost() {
    let place = Place::new("profile-causes");
    let causes = compile(&place, "causes");
    let gigabit = platform("gigabit-64");
    let told = |platform: &str, ranks: &str, what: &str, code: i32| {
        let options = ["--profile-json=profile.json", "--report-html=page.html", "--profile", "-platform", platform];
        let finished = place.smpirun(&[&options[..], &["-np", ranks, &causes, what]].concat(), code);
        let profile = json(&place, "profile.json");
        check(&profile, what);
        let all = number(&profile, "simulated_time_secs") * number(&profile, "ranks");
        let told = rows(&profile, "causes").iter().map(|cause| {
            let share = (100.0 * number(cause, "secs") / all).round();
            format!("{share} {}", cause["words"].as_str().unwrap())
        });
        (told.collect::<Vec<_>>(), profile, String::from_utf8_lossy(&finished.stderr).into_owned())
    };
    // Rank 0 computes for four seconds, for which four others wait.
    let (words, ..) = told(&gigabit, "5", "two", 0);
    let [barrier, receives] = &words[..] else { panic!("{words:?}") };
    assert!(
        barrier.starts_with("60 ranks wait in MPI_Barrier at") && barrier.contains("rank 0 computes after MPI_Send")
    );
    assert!(
        receives.starts_with("20 ranks wait in MPI_Recv at")
            && receives.contains("rank 0 computes after MPI_Comm_size")
    );
    let (words, ..) = told(&gigabit, "4", "ended", 0);
    let [ended] = &words[..] else { panic!("{words:?}") };
    assert!(ended.starts_with("75 ranks have ended while rank 1 computes after MPI_Comm_size"), "{ended}");
    // Eight messages are on a link that each has for itself.
    let pipes = root().join("tests/profile/pipes.toml").display().to_string();
    let (words, profile, text) = told(&pipes, "8", "pipe", 0);
    let link = &rows(&profile, "links")[0];
    assert!(link["is_unshared"] == true && (number(link, "share") - 8.0).abs() < 0.1, "{link}");
    assert!(words.len() == 1 && !words[0].contains("link") && !text.contains("busiest links"), "{text}");
    // A second of waiting that never ends, and two in which ranks have ended. Nothing of this is without a name.
    let (words, ..) = told(&gigabit, "3", "for ever", 3);
    let [ended, waits] = &words[..] else { panic!("{words:?}") };
    let (ended, waits) = if waits.starts_with("33 ranks have") { (waits, ended) } else { (ended, waits) };
    assert!(waits.starts_with("33 ranks wait in MPI_Recv at"), "{waits}");
    assert!(ended.starts_with("33 ranks have ended while rank 1 computes"), "{ended}");
    // What a failed host cuts off has an end in the timeline.
    let failing = root().join("tests/programs/over_time/failing.toml").display().to_string();
    place.smpirun(&["--timeline=t.json", "-platform", &failing, "-np", "3", &causes, "ended"], 5);
    let timeline = std::fs::read_to_string(place.directory.join("t.json")).unwrap();
    let count = |phase: &str| timeline.matches(&format!("\"ph\":\"{phase}\"")).count();
    assert!(count("B") > 0 && count("B") == count("E"), "{} begin, {} end", count("B"), count("E"));
}

#[test]
fn replays_are_told_of_as_runs_are() {
    let place = Place::new("profile-replay");
    let (imbalance, contended) = (compile(&place, "imbalance"), compile(&place, "contended"));
    let sites = root().join("tests/profile/two_sites.toml").display().to_string();
    for program in [&imbalance, &contended] {
        let words = ["--compute=off", "-platform", &sites, "--profile-json=run.json", "-trace-ti", "-np", "8", program];
        place.smpirun(&words, 0);
        let outputs =
            ["--profile", "--profile-json=replay.json", "--report-html=replay.html", "--timeline=replay.trace"];
        let files = ["replay.json", "replay.html", "replay.trace"];
        files.iter().for_each(|file| _ = std::fs::remove_file(place.directory.join(file)));
        let trace = ["-platform", &sites, "-replay", "smpi_simgrid.txt"];
        let finished = place.smpirun(&[&outputs[..], &trace].concat(), 0);
        assert!(String::from_utf8_lossy(&finished.stderr).contains("what costs most"));
        assert!(files.iter().all(|file| place.directory.join(file).metadata().is_ok_and(|file| file.len() > 1000)));
        let (run, replay) = (json(&place, "run.json"), json(&place, "replay.json"));
        check(&replay, program);
        for key in ["simulated_time_secs", "time", "efficiency", "matrix", "message_sizes"] {
            assert_eq!(run[key], replay[key], "{program}: {key}");
        }
        // The same calls, but nobody knows their lines.
        let kinds = |profile: &Value| -> Vec<_> {
            rows(profile, "causes").iter().map(|cause| (cause["kind"].clone(), number(cause, "secs") as f32)).collect()
        };
        assert_eq!(kinds(&run)[0], kinds(&replay)[0], "{program}");
        place.refused(&[&["-trace-ti"], &trace[..]].concat(), &["--trace-ti", "leave it out"]);
    }
    let trace = ["-platform", &sites, "-replay", "smpi_simgrid.txt"];
    let said = place.smpirun(&[&["what-if"], &trace[..]].concat(), 0);
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.contains("no contention") && said.contains("messages share links in MPI_"), "{said}");
    let said = place.smpirun(&[&["--coll-auto=best.txt"], &trace[..]].concat(), 0);
    assert!(String::from_utf8_lossy(&said.stdout).contains("which are in best.txt"));
}

fn platform(name: &str) -> String {
    root().join(format!("platforms/{name}.toml")).display().to_string()
}

#[test]
fn factors_are_those_computed_by_hand() {
    let place = Place::new("profile-factors");
    let chain = compile(&place, "chain");
    let sites = root().join("tests/profile/two_sites.toml").display().to_string();
    let factors = |ranks: &str, what: &str| {
        place.smpirun(&["--profile-json=profile.json", "-platform", &sites, "-np", ranks, &chain, what], 0);
        let profile = json(&place, "profile.json");
        check(&profile, what);
        let factors = ["load_balance", "serialisation", "transfer", "contention"];
        (factors.map(|factor| number(&profile["efficiency"], factor)), number(&profile, "simulated_time_secs"))
    };
    // 1, 2, 3 and 4 seconds: 2.5 of 4.
    assert_eq!(factors("4", "balance"), ([0.625, 1.0, 1.0, 1.0], 4.0));
    // One after the other: a second each of four, and the way of three empty messages.
    let ([balance, serialisation, transfer, _], secs) = factors("4", "serial");
    assert!(
        close(balance, 1.0) && close(serialisation, 0.25) && close(transfer, 4.0 / secs),
        "{serialisation} {transfer}"
    );
    assert!(secs > 4.0 && secs < 4.001, "{secs}");
    // A second of computation, then a message: the time on an ideal network is a second.
    let ([balance, serialisation, transfer, _], secs) = factors("2", "transfer");
    assert!(close(balance, 1.0) && close(serialisation, 1.0) && close(transfer, 1.0 / secs), "{transfer} of {secs}");
    assert!(secs > 1.1, "{secs}");
    // The same over the link between the sites, alone and with a second message there, which takes the half of it.
    let ([.., transfer, contention], alone_secs) = factors("8", "alone");
    assert!(close(transfer, 1.0 / alone_secs) && contention == 1.0, "{transfer} {contention} of {alone_secs}");
    let ([.., transfer, contention], secs) = factors("8", "shared");
    assert!(close(transfer, 1.0 / alone_secs) && close(contention, alone_secs / secs), "{transfer} {contention}");
    assert!(secs > 2.5, "{secs}");
}

#[test]
fn receives_in_the_wrong_order_are_told() {
    let place = Place::new("profile-order");
    let order = compile(&place, "order");
    let sites = root().join("tests/profile/two_sites.toml").display().to_string();
    // Rank 0 waits for two seconds, in its first receive or in its second.
    for (what, wrong_secs, line, state) in
        [("wrong", 2.0, 17, "late sender, wrong order"), ("right", 0.0, 18, "late sender")]
    {
        place.smpirun(&["--profile-json=profile.json", "-platform", &sites, "-np", "3", &order, what], 0);
        let profile = json(&place, "profile.json");
        check(&profile, what);
        let (late, wrong) = (number(&profile["time"], "late_sender"), number(&profile["time"], "wrong_order"));
        assert!((late - 2.0).abs() < 1e-3 && (wrong - wrong_secs).abs() < 1e-3, "{what}: {wrong} of {late}");
        let row = &rows(&profile, "calls")[0];
        assert_eq!((&row["place"]["line"], &row["wait_state"]), (&line.into(), &state.into()), "{what}");
        let words = rows(&profile, "causes")[0]["words"].as_str().unwrap();
        assert_eq!(words.contains("other messages for them are there already"), wrong_secs > 0.0, "{words}");
    }
}

#[test]
fn collective_operations_are_told_by_their_algorithms() {
    let place = Place::new("profile-collectives");
    let order = compile(&place, "order");
    let text = std::fs::read_to_string(root().join("tests/profile/two_sites.toml")).unwrap();
    let sites = place.write("sites.toml", &text.replace("cores = 1", "cores = 2"));
    let forced = ["--cfg=smpi/allreduce:rdb", "--cfg=smpi/bcast:flattree"];
    let options = ["--profile", "--profile-json=profile.json", "--report-html=page.html", "-ppn", "2", "-platform"];
    let said = place.smpirun(&[&options[..], &[&sites], &forced, &["-np", "4", &order, "apart"]].concat(), 0);
    let profile = json(&place, "profile.json");
    check(&profile, "apart");
    let row = |row: &Value| {
        let word = |value: &Value| value.as_str().unwrap().to_string();
        let name = (word(&row["place"]["call"]), word(&row["operation"]), word(&row["algorithm"]));
        (name, row["count"].as_u64().unwrap(), row["most_bytes"].as_u64().unwrap())
    };
    let found: Vec<_> = rows(&profile, "collectives").iter().map(row).collect();
    let name = |words: [&str; 3]| (words[0].to_string(), words[1].to_string(), words[2].to_string());
    assert_eq!(found[0], (name(["MPI_Allreduce", "allreduce", "rdb"]), 3, 4));
    assert!(found.contains(&(name(["MPI_Bcast", "bcast", "flattree"]), 3, 4)), "{found:?}");
    assert!(found.iter().any(|(name, count, _)| name.1 == "barrier" && *count == 3), "{found:?}");
    // Rank 3 comes to the first allreduce three seconds after rank 0, and six seconds to the others, because no rank
    // waits in the broadcast for those that come later. Barriers and broadcasts begin three seconds apart.
    for row in rows(&profile, "collectives") {
        let [least, mean, most] = ["least", "mean", "most"].map(|name| number(&row["arrivals"], name).round());
        let expected = if row["operation"] == "allreduce" { [3.0, 5.0, 6.0] } else { [3.0; 3] };
        assert_eq!([least, mean, most], expected, "{row}");
        // Then messages take microseconds.
        let secs = number(&row["duration"], "most");
        assert!(secs > 0.0 && secs < 1e-3, "{row}");
    }
    // Ranks wait for the barrier in MPI_Wait, and for no single message.
    assert!(number(&profile["time"], "late_sender") == 0.0 && number(&profile["time"], "late_partner") > 40.0);
    let text = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(text.contains("  rdb ") && text.contains("stay on their host"), "{text}");
    let page = std::fs::read_to_string(place.directory.join("page.html")).unwrap();
    assert!(page.contains("<td>flattree</td>") && page.contains("id=\"host-matrix\""));
}

#[test]
fn each_collective_operation_has_its_algorithm() {
    let place = Place::new("profile-operations");
    let program = compile(&place, "collectives");
    let gigabit = platform("gigabit-64");
    for selector in Selector::ALL.map(Selector::name) {
        let forced = format!("--cfg=smpi/coll-selector:{selector}");
        place.smpirun(&["--profile-json=profile.json", "-platform", &gigabit, &forced, "-np", "4", &program], 0);
        let profile = json(&place, "profile.json");
        check(&profile, selector);
        // In the order of the program: the operation, and how often.
        let mut found: Vec<_> = rows(&profile, "collectives")
            .iter()
            .map(|row| (row["place"]["line"].as_u64(), row["operation"].as_str().unwrap(), row["count"].as_u64()))
            .collect();
        found.sort_unstable();
        let found: Vec<_> = found.into_iter().map(|(_, operation, count)| (operation, count)).collect();
        let expected = Operation::ALL.map(|operation| (operation.name(), Some(2)));
        assert_eq!(found, expected, "{selector}");
    }
}

#[test]
fn a_wrapper_is_told_apart_by_its_callers() {
    let place = Place::new("profile-paths");
    let source = root().join("tests/profile/wrapped.c").display().to_string();
    let sites = root().join("tests/profile/two_sites.toml").display().to_string();
    let callers = |path: &Value| -> Vec<String> {
        let of = |caller: &Value| {
            let word = |key: &str| caller[key].as_str().unwrap_or("?").to_string();
            format!("{} in {}:{}", word("call"), word("function"), caller["line"])
        };
        rows(path, "callers").iter().map(of).collect()
    };
    for options in
        [["-O0", "-g3"], ["-O2", "-fomit-frame-pointer"], ["-O2", "-fno-omit-frame-pointer"], ["-O2", "-DINLINED"]]
    {
        place.run_words(&[&place.tool("smpicc"), "-g", options[0], options[1], &source, "-o", "wrapped"], 0);
        let outputs = ["--profile", "--profile-json=profile.json", "--report-html=page.html"];
        let said = place.smpirun(&[&outputs[..], &["-platform", &sites, "-np", "2", "./wrapped"]].concat(), 0);
        let profile = json(&place, "profile.json");
        check(&profile, "wrapped");
        let row = rows(&profile, "calls").iter().find(|row| row["place"]["call"] == "MPI_Barrier").unwrap();
        let paths = rows(row, "paths");
        let found: Vec<_> = paths.iter().map(callers).collect();
        let expected = [
            vec!["synchronise in step:19".to_string(), "step in main:27".to_string()],
            vec!["synchronise in main:28".to_string()],
        ];
        assert_eq!(found, expected, "{options:?}");
        // Rank 0 waits three times for half a second, and once for a quarter; both call each time.
        let figures = |path: &Value| (path["calls"].as_u64(), number(path, "waiting_secs"));
        let [(six, long), (two, short)] = [figures(&paths[0]), figures(&paths[1])];
        assert_eq!((six, two, row["calls"].as_u64()), (Some(6), Some(2), Some(8)), "{options:?}");
        assert!((long - 1.5).abs() < 1e-3 && (short - 0.25).abs() < 1e-3, "{options:?}: {long} s, {short} s");
        let text = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(text.contains("  by synchronise at wrapped.c:19, step at wrapped.c:27 "), "{text}");
        let page = std::fs::read_to_string(place.directory.join("page.html")).unwrap();
        assert!(page.contains("<br/>by synchronise at wrapped.c:28</li>"), "no path on the page");
    }
}

#[test]
fn another_world_is_what_its_platform_says() {
    let place = Place::new("profile-what-if");
    let text = std::fs::read_to_string(root().join("tests/profile/two_sites.toml")).unwrap();
    let fast = place.write("fast.toml", &text.replace("speed = \"1Gf\"", "speed = \"2Gf\""));
    let wide =
        place.write("wide.toml", &text.replace("\"1GBps\"", "\"10GBps\"").replace("\"125MBps\"", "\"1250MBps\""));
    let near = place.write("near.toml", &text.replace("\"1us\"", "\"0.5us\"").replace("\"10us\"", "\"5us\""));
    let usual = place.write("usual.toml", &text);
    let time = |options: &[&str], platform: &str, program: &[&str]| {
        let words = [&["--summary-json=summary.json", "-platform", platform], options, program].concat();
        place.smpirun(&words, 0);
        number(&json(&place, "summary.json"), "simulated_time_secs")
    };
    let (imbalance, contended, chain) =
        (compile(&place, "imbalance"), compile(&place, "contended"), compile(&place, "chain"));
    let programs: [&[&str]; 3] =
        [&["-np", "8", &imbalance], &["-np", "8", &contended], &["-np", "4", &chain, "serial"]];
    for program in programs {
        for (option, changed) in [
            ("--cfg=what-if/speed:2", &fast),
            ("--cfg=what-if/bandwidth:10", &wide),
            ("--cfg=what-if/latency:0.5", &near),
        ] {
            let (one, other) = (time(&[option], &usual, program), time(&[], changed, program));
            assert!(close(one, other), "{program:?} {option}: {one} s, and {other} s on {changed}");
        }
        // The clocks of a profile find the same time as a run on an ideal network.
        place.smpirun(&[&["--profile-json=profile.json", "-platform", &usual], program].concat(), 0);
        let profile = json(&place, "profile.json");
        let efficiency = &profile["efficiency"];
        let network = number(efficiency, "transfer") * number(efficiency, "contention");
        if network > 0.0 {
            let ideal = time(&["--cfg=what-if/latency:0", "--cfg=what-if/bandwidth:inf"], &usual, program);
            let said = network * number(&profile, "simulated_time_secs");
            assert!(close(ideal, said), "{program:?}: {ideal} s on an ideal network, {said} s in the profile");
        }
    }
    // Without contention, four messages take the time of one.
    let alone = time(&[], &usual, &["-np", "8", &contended])
        / time(&["--cfg=what-if/contention:no"], &usual, &["-np", "8", &contended]);
    assert!((alone - 4.0).abs() < 0.05, "{alone}");
}

#[test]
fn what_if_and_compare_answer() {
    let place = Place::new("profile-answers");
    let imbalance = compile(&place, "imbalance");
    let gigabit = platform("gigabit-64");
    let said = place.run_words(
        &[&place.tool("smpirun"), "what-if", "--compute=off", "-platform", &gigabit, "-np", "4", &imbalance],
        0,
    );
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    for line in ["as it is", "ideal network", "no latency", "cores twice as fast", "while rank 3 computes"] {
        assert!(text.contains(line), "no `{line}` in\n{text}");
    }
    let text_of = |finished: &Finished| place::text(&finished.stdout);
    // A program and its arguments are no options, whatever their names.
    std::fs::copy(place.directory.join(&imbalance), place.directory.join("pre-compute")).unwrap();
    let what_if =
        |words: &[&str], code| place.run_words(&[&[place.tool("smpirun").as_str(), "what-if"], words].concat(), code);
    for (words, is_measured) in [
        (&["--compute", "measured", "-np", "2", "./pre-compute", "--compute=x"][..], true),
        (&["-np", "2", "--", "./pre-compute"], true),
        (&["--cfg=smpi/simulate-computation:no", "-np", "2", "./pre-compute"], false),
    ] {
        let said = String::from_utf8_lossy(&what_if(words, 0).stdout).into_owned();
        assert_eq!(said.contains("the same work on all ranks"), is_measured, "{words:?}: {said}");
    }
    // Settings behind the program are the same as those before it: a world's own win over them.
    let rounds = ["--compute=off", "-np", "2", "./pre-compute"];
    let before = what_if(&[&["--cfg=smpi/init:1"], &rounds[..]].concat(), 0);
    let behind = what_if(&[&rounds[..], &["--cfg=smpi/init:1"]].concat(), 0);
    assert_eq!(text_of(&behind), text_of(&before));
    assert!(text_of(&behind).contains("as it is                           1.01"), "{}", text_of(&behind));
    assert!(text_of(&behind).contains("ideal network                      0.01"), "{}", text_of(&behind));
    let refused = what_if(&["--cfg=what-if/latency:2", "-np", "2", &imbalance], 2);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("--cfg=what-if/latency:2") && said.contains("leave it out"), "{said}");
    for (file, ranks) in [("a.json", "4"), ("b.json", "8")] {
        place.smpirun(&[&format!("--profile-json={file}"), "-platform", &gigabit, "-np", ranks, &imbalance], 0);
    }
    let said = place.run_words(&[&place.tool("smpirun"), "compare", "a.json", "b.json"], 0);
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(text.contains("load balance") && text.contains("MPI_Allreduce at imbalance.c:"), "{text}");
    place.refused(&["--verify", "--summary-json=x", "-np", "2", &imbalance], &["--summary-json"]);
    place.write("other.json", "{\"schema\": \"x\"}");
    let refused = place.run_words(&[&place.tool("smpirun"), "compare", "a.json", "other.json"], 2);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("other.json"));
}

/// What a tool says about a file; nothing where it is not on this machine.
fn said_by(place: &Place, words: &[&str]) -> Option<String> {
    let words: Vec<String> = words.iter().map(ToString::to_string).collect();
    match process::run(&words, &place.directory, &[], 60) {
        Ok(finished) => {
            assert_eq!(finished.code, 0, "{words:?}: {}", String::from_utf8_lossy(&finished.stderr));
            Some(String::from_utf8_lossy(&finished.stdout).into_owned())
        }
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    }
}

/// What the Trace Event Format asks of a file: in each thread dates do not go back and what begins ends, the innermost
/// first; a flow starts once and finishes once, later, each inside of something that its thread does. Returns the
/// number of flows.
fn flows(trace: &Value) -> usize {
    let (mut open, mut dates) = (BTreeMap::<u64, usize>::new(), BTreeMap::<u64, f64>::new());
    let mut flows = BTreeMap::<u64, Vec<(f64, bool)>>::new();
    for event in rows(trace, "traceEvents").iter().filter(|event| event["ph"] != "M") {
        let (thread, date) = (event["tid"].as_u64().expect("a thread"), number(event, "ts"));
        assert!(event["pid"].is_u64() && dates.insert(thread, date).is_none_or(|last| last <= date), "{event}");
        let depth = open.entry(thread).or_default();
        match event["ph"].as_str() {
            Some("B") => {
                assert!(event["name"].is_string() && event["cat"].is_string(), "{event}");
                *depth += 1;
            }
            Some("E") => *depth = depth.checked_sub(1).unwrap_or_else(|| panic!("{event} ends nothing")),
            Some(phase @ ("s" | "f")) => {
                assert!(*depth > 0 && (phase == "s" || event["bp"] == "e"), "{event} is bound to nothing");
                flows.entry(event["id"].as_u64().expect("an id")).or_default().push((date, phase == "s"));
            }
            phase => panic!("{phase:?} of {event}"),
        }
    }
    assert!(open.values().all(|depth| *depth == 0), "{open:?} did not end");
    for (id, ends) in &flows {
        let is_whole = matches!(ends[..], [(start, true), (finish, false)] if start <= finish);
        assert!(is_whole, "flow {id}: {ends:?}");
    }
    flows.len()
}

#[test]
fn timelines_are_read_by_their_tools() {
    let place = Place::new("profile-timelines");
    let imbalance = compile(&place, "imbalance");
    let gigabit = platform("gigabit-64");
    let run = |options: &[&str]| {
        let common = ["--summary-json=summary.json", "-platform", &gigabit, "-np", "4", &imbalance];
        place.smpirun(&[options, &common].concat(), 0);
        json(&place, "summary.json")["messages"].as_u64().expect("a number of messages") as usize
    };
    let lines = |text: &str, word: &str| text.lines().filter(|line| line.starts_with(word)).count();
    let messages = run(&["--timeline=run.json"]);
    assert_eq!(flows(&json(&place, "run.json")), messages);
    let messages = run(&["-trace"]);
    if let Some(text) = said_by(&place, &["pj_dump", "smpi_simgrid.trace"]) {
        assert_eq!(lines(&text, "Link, "), messages, "{text}");
        assert!(text.contains("rank-3, MPI_STATE") && text.contains(" MPI_Allreduce"), "{text}");
    }
    let messages = run(&["-trace", "-trace-file=other.trace"]);
    assert!(place.directory.join("other.trace").is_file() && messages > 0);
    // Without the tools the library need not be there either.
    if let Some(text) = said_by(&place, &["otf2-print", "--version"]) {
        assert!(text.contains("otf2-print"), "{text}");
        let _ = std::fs::remove_dir_all(place.directory.join("run"));
        let messages = run(&["--timeline=run.otf2"]);
        let text = said_by(&place, &["otf2-print", "run.otf2"]).expect("it is there");
        assert_eq!((lines(&text, "MPI_SEND"), lines(&text, "MPI_RECV")), (messages, messages), "{text}");
        assert_eq!(lines(&text, "ENTER"), lines(&text, "LEAVE"), "{text}");
        place.refused(&["--timeline=run.otf2", "-np", "2", &imbalance], &["run.otf2", "take another name"]);
    }
    place.refused(&["-trace", "--timeline=x.json", "-np", "2", &imbalance], &["leave one of them out"]);
    place.refused(&["-trace-file=x", "-np", "2", &imbalance], &["-trace-file x", "-trace"]);
}

#[test]
fn the_page_shows_it_all() {
    let place = Place::new("profile-page");
    let imbalance = compile(&place, "imbalance");
    for ranks in ["4", "200"] {
        place.smpirun(&["--report-html=page.html", "-platform", &platform("gigabit-64"), "-np", ranks, &imbalance], 0);
        let page = std::fs::read_to_string(place.directory.join("page.html")).unwrap();
        for part in ["reasons", "efficiency", "timeline", "path", "calls", "computations", "ranks", "network", "matrix"]
        {
            assert!(page.contains(&format!("id=\"{part}\"")), "{ranks} ranks: no {part}");
        }
        assert!(page.contains("Rank 3 computes for "), "who computes longest");
        let line = page.split("<code>").nth(1).and_then(|rest| rest.split("</code>").next()).unwrap();
        std::fs::remove_file(place.directory.join("page.html")).unwrap();
        place.run_words(&["sh", "-c", &line.replacen("smpirun", &place.tool("smpirun"), 1)], 0);
        let again = std::fs::read_to_string(place.directory.join("page.html")).unwrap();
        assert!(again == page, "the command of the page makes another one");
        assert!(page.contains("MPI_Allreduce at imbalance.c:"), "no source line");
        assert!(!page.contains("http://") && !page.contains("https://"), "something is loaded from elsewhere");
        let data = page.split("id=\"data\">").nth(1).and_then(|rest| rest.split("</script>").next()).unwrap();
        let data: Value = serde_json::from_str(&data.replace("<\\/", "</")).unwrap();
        assert!(rows(&data, "rows").len() <= 64 && rows(&data, "path").len() <= 4001);
    }
}
