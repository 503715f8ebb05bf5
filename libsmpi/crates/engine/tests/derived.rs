//! Simulated times, each with its derivation.
//!
//! The common platform is two or more hosts with private split-duplex links of 125 MB/s and 50 us, so a route has
//! L = 100 us. For S bytes the SMPI model gives `f_lat(S) L + S / (f_bw(S) x)`, where `x` is the flow's share.

use smpi_base::{HostId, SimTime};
use smpi_engine::{ActivityId, Config, Engine, Token};
use smpi_platform::{DiskId, Platform};
use std::sync::Arc;

const BANDWIDTH: f64 = 125e6;
const MIB: f64 = 1_048_576.0;
/// Latency phase and bandwidth factor of messages above 65,472 bytes over L = 100 us.
const LARGE_LATENCY: f64 = 11.6436 * 1e-4;
const LARGE_FACTOR: f64 = 0.940694;

fn engine_of(text: &str, settings: &[(&str, &str)]) -> Engine {
    let platform = Platform::parse("test.toml", text).unwrap_or_else(|e| panic!("{e}"));
    let mut config = Config::default();
    for (key, value) in settings {
        assert_eq!(config.set(key, value), Ok(true));
    }
    Engine::new(Arc::new(platform), config)
}

fn cluster(hosts: u32, more: &str) -> String {
    format!(
        "[[cluster]]\nname = \"node\"\nhosts = {hosts}\nspeed = \"1Gf\"\nbandwidth = \"125MBps\"\nlatency = \"50us\"\n{more}\n"
    )
}

fn gigabit(hosts: u32) -> Engine {
    engine_of(&cluster(hosts, ""), &[])
}

/// Two hosts joined by one link.
fn link(bandwidth: &str, latency: &str, sharing: &str, settings: &[(&str, &str)]) -> Engine {
    let text = format!(
        "[[host]]\nname = \"a\"\nspeed = \"1Gf\"\n[[host]]\nname = \"b\"\nspeed = \"1Gf\"\n\
         [[link]]\nname = \"l\"\nbandwidth = \"{bandwidth}\"\nlatency = \"{latency}\"\nsharing = \"{sharing}\"\n\
         [[route]]\nsrc = \"a\"\ndst = \"b\"\nlinks = [\"l\"]\n"
    );
    engine_of(&text, settings)
}

fn flow(engine: &mut Engine, src: u32, dst: u32, size: f64, token: u64) -> ActivityId {
    engine.start_flow(HostId(src), HostId(dst), size as u64, Token(token))
}

/// Runs to the end; (date, tokens) of every instant.
fn run(engine: &mut Engine) -> Vec<(f64, Vec<u64>)> {
    let mut instants = Vec::new();
    let mut done = Vec::new();
    while let Some(now) = engine.advance(&mut done) {
        assert_eq!(now, engine.now());
        instants.push((now.0, done.drain(..).map(|t| t.0).collect()));
    }
    instants
}

#[track_caller]
fn assert_close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * expected, "{found:e} instead of {expected:e}");
}

/// The only instant of a run.
#[track_caller]
fn assert_one_end(engine: &mut Engine, expected: f64) {
    let instants = run(engine);
    assert_eq!(instants.len(), 1, "{instants:?}");
    assert_close(instants[0].0, expected);
}

#[test]
fn one_message_takes_latency_and_transfer() {
    // 24 bytes: f_lat = 2.01467, f_bw = 0.812084; alone on its links x = B.
    let mut engine = gigabit(2);
    flow(&mut engine, 0, 1, 24.0, 0);
    assert_one_end(&mut engine, 2.01467e-4 + 24.0 / (0.812084 * BANDWIDTH));
    // 1 MiB, in the same engine from where its clock stands.
    let before = engine.now().0;
    flow(&mut engine, 0, 1, MIB, 0);
    assert_one_end(&mut engine, before + LARGE_LATENCY + MIB / (LARGE_FACTOR * BANDWIDTH));
}

#[test]
fn nothing_to_send_takes_the_latency() {
    // No factor applies below the first boundary: f_lat(0) = 1.
    let mut engine = gigabit(2);
    flow(&mut engine, 0, 1, 0.0, 0);
    assert_one_end(&mut engine, 1e-4);
}

#[test]
fn a_window_limits_the_rate_on_long_ways() {
    // L = 20 ms: x ≤ gamma / 2L = 4194304 / 0.04 = 104.8576 MB/s, less than the link's 1 GB/s.
    let mut engine = link("1GBps", "20ms", "split-duplex", &[]);
    flow(&mut engine, 0, 1, MIB, 0);
    assert_one_end(&mut engine, 11.6436 * 0.02 + MIB / (LARGE_FACTOR * 104.8576e6));
    // Without a window the link is the limit.
    let mut engine = link("1GBps", "20ms", "split-duplex", &[("network/TCP-gamma", "0")]);
    flow(&mut engine, 0, 1, MIB, 0);
    assert_one_end(&mut engine, 11.6436 * 0.02 + MIB / (LARGE_FACTOR * 1e9));
}

#[test]
fn opposite_messages_pay_each_others_crosstraffic() {
    // Each direction carries x + 0.05 x = B.
    let mut engine = gigabit(2);
    flow(&mut engine, 0, 1, MIB, 0);
    flow(&mut engine, 1, 0, MIB, 1);
    assert_one_end(&mut engine, LARGE_LATENCY + MIB / (LARGE_FACTOR * BANDWIDTH / 1.05));
    // Without cross-traffic the directions are independent.
    let mut engine = engine_of(&cluster(2, ""), &[("network/crosstraffic", "no")]);
    flow(&mut engine, 0, 1, MIB, 0);
    flow(&mut engine, 1, 0, MIB, 1);
    assert_one_end(&mut engine, LARGE_LATENCY + MIB / (LARGE_FACTOR * BANDWIDTH));
}

#[test]
fn an_incast_shares_the_receivers_link() {
    // 16 flows down one link: x = B / 16; the senders' own links are nearly idle.
    let mut engine = gigabit(17);
    for src in 1..=16 {
        flow(&mut engine, src, 0, MIB, u64::from(src));
    }
    let instants = run(&mut engine);
    assert_eq!(instants.len(), 1);
    assert_close(instants[0].0, LARGE_LATENCY + MIB / (LARGE_FACTOR * BANDWIDTH / 16.0));
    assert_eq!(instants[0].1, (1..=16).collect::<Vec<u64>>());
}

#[test]
fn what_ends_leaves_its_share_to_the_rest() {
    // 1 and 2 MiB down one link at B/2 each; when the first ends the second has 1 MiB left and the whole link.
    let mut engine = gigabit(3);
    flow(&mut engine, 1, 0, MIB, 1);
    flow(&mut engine, 2, 0, 2.0 * MIB, 2);
    let instants = run(&mut engine);
    let first = LARGE_LATENCY + MIB / (LARGE_FACTOR * BANDWIDTH / 2.0);
    assert_close(instants[0].0, first);
    assert_close(instants[1].0, first + MIB / (LARGE_FACTOR * BANDWIDTH));
}

#[test]
fn long_ways_get_less() {
    // Hosts s1 and s2 reach d over a common link of 10 MB/s, 1 ms; s2 has another 1 ms link of 1 GB/s before it. p1 =
    // 1e-3 + 8775/1e7 = 1.8775e-3, p2 = 2e-3 + 8775/1e7 + 8775/1e9 = 2.886275e-3... and x1 p1 = x2 p2, x1 + x2 = 1e7.
    let mut engine = engine_of(
        r#"
        host = [{ name = "s1", speed = "1Gf" }, { name = "s2", speed = "1Gf" }, { name = "d", speed = "1Gf" }]
        link = [
            { name = "common", bandwidth = "10MBps", latency = "1ms" },
            { name = "far", bandwidth = "1GBps", latency = "1ms" },
        ]
        route = [
            { src = "s1", dst = "d", links = ["common"] },
            { src = "s2", dst = "d", links = ["far", "common"] },
            { src = "s1", dst = "s2", links = ["far"] },
        ]
        "#,
        &[("network/crosstraffic", "no")],
    );
    flow(&mut engine, 0, 2, 8.0 * MIB, 1);
    flow(&mut engine, 1, 2, 8.0 * MIB, 2);
    let (p1, p2) = (1e-3 + 8775.0 / 1e7, 2e-3 + 8775.0 / 1e7 + 8775.0 / 1e9);
    let x1 = 1e7 * p2 / (p1 + p2);
    // The first has the link alone (x = 1e7) during its lead in latency of 11.6436 ms.
    let lead = 11.6436 * 1e-3;
    let first = 2.0 * lead + (8.0 * MIB / LARGE_FACTOR - lead * 1e7) / x1;
    assert_close(run(&mut engine)[0].0, first);
}

#[test]
fn a_backbone_is_crossed_once() {
    // L = 50 + 500 + 50 us, and 20 disjoint pairs share the backbone's 250 MB/s: with the cross-traffic of
    // all of them, 20 (x + 0.05 x) = 250e6.
    let text = cluster(40, "backbone = { bandwidth = \"250MBps\", latency = \"500us\" }");
    let mut engine = engine_of(&text, &[]);
    for pair in 0..20 {
        flow(&mut engine, 2 * pair, 2 * pair + 1, MIB, 0);
    }
    assert_one_end(&mut engine, 11.6436 * 6e-4 + MIB / (LARGE_FACTOR * 250e6 / 21.0));
}

#[test]
fn sharing_decides_who_competes() {
    // Two opposite flows on one link. Shared: 2 (x + 0.05 x) = B. Split: x + 0.05 x = B. Fat pipe: x = B.
    for (sharing, divisor) in [("shared", 2.1), ("split-duplex", 1.05), ("fatpipe", 1.0)] {
        let mut engine = link("125MBps", "100us", sharing, &[]);
        flow(&mut engine, 0, 1, MIB, 0);
        flow(&mut engine, 1, 0, MIB, 1);
        assert_one_end(&mut engine, LARGE_LATENCY + MIB / (LARGE_FACTOR * BANDWIDTH / divisor));
    }
}

#[test]
fn messages_inside_a_host() {
    // Outside clusters: the global loopback, 10 GB/s, no latency, not shared.
    let mut engine = link("1GBps", "1us", "shared", &[]);
    flow(&mut engine, 0, 0, MIB, 0);
    flow(&mut engine, 0, 0, MIB, 1);
    assert_one_end(&mut engine, MIB / (LARGE_FACTOR * 10e9));
    let settings = [("network/loopback-bw", "1GBps"), ("network/loopback-lat", "1us")];
    let mut engine = link("1GBps", "1us", "shared", &settings);
    flow(&mut engine, 0, 0, MIB, 0);
    assert_one_end(&mut engine, 11.6436e-6 + MIB / (LARGE_FACTOR * 1e9));
    // A cluster's own loopback.
    let text = cluster(2, "loopback = { bandwidth = \"5GBps\", latency = \"1us\" }");
    let mut engine = engine_of(&text, &[]);
    flow(&mut engine, 1, 1, MIB, 0);
    assert_one_end(&mut engine, 11.6436e-6 + MIB / (LARGE_FACTOR * 5e9));
    // A cluster without one: up the private link and down again, each with the cross-traffic of the way back.
    let mut engine = gigabit(2);
    flow(&mut engine, 1, 1, MIB, 0);
    assert_one_end(&mut engine, LARGE_LATENCY + MIB / (LARGE_FACTOR * BANDWIDTH / 1.05));
}

/// 50 ms in the plane and the heights of both; without links there is no transfer.
#[test]
fn distance_is_latency() {
    let text = "routing = \"vivaldi\"\n[[host]]\nname = \"a\"\nspeed = \"1Gf\"\nplace = [0, 0, 1]\n\
                [[host]]\nname = \"b\"\nspeed = \"1Gf\"\nplace = [30, 40.0, -2.5]\n";
    let mut engine = engine_of(text, &[]);
    flow(&mut engine, 0, 1, MIB, 0);
    assert_one_end(&mut engine, 11.6436 * 53.5e-3);
}

#[test]
fn the_other_models() {
    // LV08, the example of SimGrid's documentation: 100 kB over 1 Mbit/s and 10 ms. 13.01 · 0.01 + 1e5 / (0.97 · 125e3
    // / 1.05).
    let mut engine = link("1Mbps", "10ms", "shared", &[("network/model", "LV08")]);
    flow(&mut engine, 0, 1, 1e5, 0);
    assert_one_end(&mut engine, 13.01 * 0.01 + 1e5 / (0.97 * 125e3 / 1.05));
    // CM02 has cross-traffic and no factors, raw has neither.
    let mut engine = link("1Mbps", "10ms", "shared", &[("network/model", "CM02")]);
    flow(&mut engine, 0, 1, 1e5, 0);
    assert_one_end(&mut engine, 0.01 + 1e5 / (125e3 / 1.05));
    let mut engine = link("1Mbps", "10ms", "shared", &[("network/model", "raw")]);
    flow(&mut engine, 0, 1, 1e5, 0);
    assert_one_end(&mut engine, 0.01 + 1e5 / 125e3);
    let mut engine = link("1Mbps", "10ms", "shared", &[("network/model", "Constant")]);
    flow(&mut engine, 0, 1, 1e5, 0);
    assert_one_end(&mut engine, 1.0);
}

#[test]
fn symmetric_flows_end_at_one_instant() {
    // 32 hosts, all to all: every up and every down link carries 31 flows and the cross-traffic of 31 others.
    let mut engine = gigabit(32);
    let mut token = 0;
    for src in 0..32 {
        for dst in (0..32).filter(|dst| *dst != src) {
            flow(&mut engine, src, dst, MIB, token);
            token += 1;
        }
    }
    let instants = run(&mut engine);
    assert_eq!(instants.len(), 1);
    assert_eq!(instants[0].1, (0..token).collect::<Vec<u64>>());
    assert_close(instants[0].0, LARGE_LATENCY + MIB / (LARGE_FACTOR * BANDWIDTH / (31.0 * 1.05)));
}

#[test]
fn executions_share_the_cores() {
    // Two cores of 1 Gflop/s. Three executions of 1, 2 and 2 Gflop run at 2/3 each until the first ends at 1.5 s;
    // the other two have 1 Gflop left and a core each.
    let mut engine = engine_of("[[host]]\nname = \"h\"\nspeed = \"1Gf\"\ncores = 2\n", &[]);
    for (token, flops) in [(0, 1e9), (1, 2e9), (2, 2e9)] {
        engine.start_execution(HostId(0), flops, Token(token));
    }
    assert_eq!(run(&mut engine), [(1.5, vec![0]), (2.5, vec![1, 2])]);
}

#[test]
fn executions_on_different_hosts_do_not_meet() {
    let mut engine = gigabit(2);
    engine.start_execution(HostId(0), 1e9, Token(0));
    engine.start_execution(HostId(1), 5e8, Token(1));
    engine.start_execution(HostId(1), 0.0, Token(2));
    assert_eq!(run(&mut engine), [(0.0, vec![2]), (0.5, vec![1]), (1.0, vec![0])]);
}

#[test]
fn what_ends_together_is_told_in_the_order_of_its_start() {
    // A timer, an execution and a timer that ends half a nanosecond later: one instant.
    let mut engine = gigabit(2);
    engine.start_timer(SimTime(1.0 + 5e-10), Token(7));
    engine.start_execution(HostId(0), 1e9, Token(3));
    engine.start_timer(SimTime(1.0), Token(5));
    engine.start_timer(SimTime(-1.0), Token(6));
    assert_eq!(run(&mut engine), [(0.0, vec![6]), (1.0, vec![7, 3, 5])]);
}

#[test]
fn the_cancelled_is_not_told_and_leaves_its_share() {
    let mut engine = gigabit(3);
    // A flow in its latency phase, a timer and an execution.
    let early = flow(&mut engine, 0, 1, MIB, 0);
    let timer = engine.start_timer(SimTime(1.0), Token(1));
    let execution = engine.start_execution(HostId(0), 1e9, Token(2));
    engine.start_execution(HostId(0), 1e9, Token(3));
    for id in [early, timer, execution, execution] {
        engine.cancel(id);
    }
    assert_eq!(run(&mut engine), [(1.0, vec![3])]);
    // A flow that transfers: both have had B/2 for 1 ms when one goes.
    let late = flow(&mut engine, 1, 0, MIB, 4);
    flow(&mut engine, 2, 0, MIB, 5);
    engine.start_timer(SimTime(LARGE_LATENCY + 1e-3), Token(6));
    let mut done = Vec::new();
    engine.advance(&mut done);
    assert_eq!(done, [Token(6)]);
    engine.cancel(late);
    let rest = MIB / LARGE_FACTOR - 1e-3 * BANDWIDTH / 2.0;
    assert_one_end(&mut engine, 1.0 + LARGE_LATENCY + 1e-3 + rest / BANDWIDTH);
    // Its id is stale now.
    engine.cancel(late);
}

#[test]
fn an_engine_with_nothing_in_flight_stands_still() {
    let mut engine = gigabit(1);
    let mut done = Vec::new();
    assert_eq!(engine.advance(&mut done), None);
    assert_eq!(engine.now(), SimTime::ZERO);
}

#[test]
fn late_dates_and_no_precision_still_end() {
    // 1e9 s + 1e-9 s is 1e9 s in doubles: only the comparison of the dates themselves is left.
    for settings in [&[][..], &[("precision/timing", "0")]] {
        let mut engine = engine_of(&cluster(2, ""), settings);
        engine.start_timer(SimTime(1e9), Token(0));
        run(&mut engine);
        flow(&mut engine, 0, 1, MIB, 1);
        engine.start_execution(HostId(0), 1e9, Token(2));
        assert_eq!(run(&mut engine).len(), 2);
    }
}

/// What starts at one instant may start in any order: the dates are the same.
#[test]
fn the_order_of_starts_does_not_matter() {
    let mut rng = smpi_base::rng::Rng::new(9);
    for _ in 0..20 {
        let mut flows: Vec<(u32, u32, f64, u64)> = (0..200)
            .map(|token| (rng.below(12) as u32, rng.below(12) as u32, rng.below(300_000) as f64, token))
            .collect();
        let dates = |flows: &[(u32, u32, f64, u64)]| {
            let mut engine = gigabit(12);
            for &(src, dst, size, token) in flows {
                flow(&mut engine, src, dst, size, token);
            }
            let mut dates = vec![0.0; flows.len()];
            for (date, tokens) in run(&mut engine) {
                tokens.into_iter().for_each(|t| dates[t as usize] = date);
            }
            dates
        };
        let straight = dates(&flows);
        rng.shuffle(&mut flows);
        for (a, b) in straight.iter().zip(dates(&flows)) {
            assert!((a - b).abs() <= 2e-9, "{a} and {b}");
        }
    }
}

/// A disk's latency passes for each access by itself; then accesses share the disk's time, readers and writers alike.
#[test]
fn accesses_share_a_disk() {
    let disk =
        "[[disk]]\nhost = \"node-1\"\nread-bandwidth = \"200MBps\"\nwrite-bandwidth = \"100MBps\"\nlatency = \"10ms\"";
    let mut engine = engine_of(&cluster(2, disk), &[]);
    let disk = DiskId(0);
    engine.start_access(disk, 10_000_000, true, Token(0));
    engine.start_access(disk, 40_000_000, false, Token(1));
    let cancelled = engine.start_access(disk, 1, false, Token(2));
    engine.cancel(cancelled);
    // 0.1 s and 0.2 s of the disk: the first is over when each has had 0.1 s.
    let ends = run(&mut engine);
    assert_eq!(ends.iter().map(|end| end.1.clone()).collect::<Vec<_>>(), [[0], [1]]);
    assert_close(ends[0].0, 0.21);
    assert_close(ends[1].0, 0.31);
    // One that is cancelled while data moves leaves its share to the other.
    let begin = engine.now().0;
    let cancelled = engine.start_access(disk, 10_000_000, true, Token(3));
    engine.start_access(disk, 20_000_000, true, Token(4));
    engine.start_timer(SimTime(0.11), Token(5));
    assert_eq!(engine.advance(&mut Vec::new()), Some(SimTime(begin + 0.11)));
    engine.cancel(cancelled);
    assert_eq!(run(&mut engine).len(), 1);
    assert_close(engine.now().0, begin + 0.01 + 0.1 + 0.15);
    // Nothing takes the latency alone.
    engine.start_access(disk, 0, true, Token(6));
    let begin = engine.now().0;
    run(&mut engine);
    assert_close(engine.now().0, begin + 0.01);
}
