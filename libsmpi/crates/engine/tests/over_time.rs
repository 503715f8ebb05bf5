//! Speeds, links and states that change, and the models beside the fluid one: times with their derivation.
//!
//! `a` and `b` are joined by a link of 100 MB/s and 1 ms. The model is `raw` unless said otherwise: a message of `S`
//! bytes takes 1 ms and S / 100 MB/s.

use smpi_base::{HostId, SimTime};
use smpi_engine::{Config, Engine, HostChange, Token};
use smpi_platform::Platform;
use std::sync::Arc;

fn engine(model: &str, more: &str) -> Engine {
    let text = format!(
        "[[host]]\nname = \"a\"\nspeed = \"1Gf\"\ncores = 2\nwatts = {{ idle = 100, busy = 120, full = 200, off = 10 }}\n\
         [[host]]\nname = \"b\"\nspeed = \"1Gf\"\n[[host]]\nname = \"c\"\nspeed = \"1Gf\"\n[[link]]\nname = \"l\"\n\
         bandwidth = \"100MBps\"\nlatency = \"1ms\"\nwatts = {{ idle = 10, full = 20 }}\n[[link]]\nname = \"m\"\n\
         bandwidth = \"100MBps\"\nlatency = \"1ms\"\n[[route]]\nsrc = \"a\"\ndst = \"b\"\nlinks = [\"l\"]\n[[route]]\n\
         src = \"c\"\ndst = \"b\"\nlinks = [\"m\"]\n[[route]]\nsrc = \"a\"\ndst = \"c\"\nlinks = [\"l\", \"m\"]\n{more}"
    );
    let platform = Platform::parse("test.toml", &text).unwrap_or_else(|e| panic!("{e}"));
    let mut config = Config::default();
    assert_eq!(config.set("network/model", model), Ok(true));
    for (key, value) in [("network/gap", "1ms"), ("network/crosstraffic", "no")] {
        assert_eq!(config.set(key, value), Ok(true));
    }
    Engine::new(Arc::new(platform), config)
}

fn raw(more: &str) -> Engine {
    engine("raw", more)
}

fn flow(engine: &mut Engine, src: u32, dst: u32, size: u64) {
    engine.start_flow(HostId(src), HostId(dst), size, Token(u64::from(src)));
}

/// The dates at which something ends.
fn dates(engine: &mut Engine) -> Vec<f64> {
    let (mut dates, mut done) = (Vec::new(), Vec::new());
    while let Some(now) = engine.advance(&mut done) {
        dates.extend(done.drain(..).map(|_| now.0));
    }
    dates
}

#[track_caller]
fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    found.iter().zip(expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-9, "{found:?} instead of {expected:?}"));
}

#[test]
fn a_host_that_becomes_slower_takes_longer_and_one_that_stops_waits() {
    // 1 Gflop: half of it by 0.5 s, a quarter at half the speed by 1 s, nothing by 3 s, the rest at full speed.
    let mut engine = raw("[[profile]]\nhost = \"a\"\nspeed = [[\"500ms\", 0.5], [\"1s\", 0], [\"3s\", 1.0]]\n");
    engine.start_execution(HostId(0), 1e9, Token(0));
    assert_close(&dates(&mut engine), &[3.25]);
}

#[test]
fn a_profile_starts_again_after_its_period() {
    // Full speed in the first second of every two, half of it in the second one: 1.5 Gflop each round.
    let text = "[[profile]]\nhost = \"a\"\nspeed = [[\"0s\", 1.0], [\"1s\", 0.5]]\nperiod = \"2s\"\n";
    let mut engine = raw(text);
    engine.start_execution(HostId(0), 4e9, Token(0));
    assert_close(&dates(&mut engine), &[5.0]);
}

#[test]
fn flows_under_way_notice_another_bandwidth() {
    // 200 MB in all: 99.9 MB by 1 s, 50 MB/s by 2 s, the rest at 100 MB/s.
    let mut engine = raw("[[profile]]\nlink = \"l\"\nbandwidth = [[\"1s\", \"50MBps\"], [\"2s\", \"100MBps\"]]\n");
    flow(&mut engine, 0, 1, 200_000_000);
    assert_close(&dates(&mut engine), &[2.501]);
}

#[test]
fn flows_that_start_later_take_the_present_latency() {
    let mut engine = raw("[[profile]]\nlink = \"l\"\nlatency = [[\"1s\", \"5ms\"]]\n");
    engine.start_timer(SimTime(2.0), Token(9));
    let mut done = Vec::new();
    assert!(engine.advance(&mut done).is_some());
    flow(&mut engine, 0, 1, 100_000_000);
    assert_close(&dates(&mut engine), &[3.005]);
}

#[test]
fn messages_wait_for_a_link_that_is_off() {
    // The first has sent 49.9 MB when the link stops, the second reaches it meanwhile; then they share it.
    let mut engine = raw("[[profile]]\nlink = \"l\"\nstate = [[\"500ms\", \"off\"], [\"2s\", \"on\"]]\n");
    flow(&mut engine, 0, 1, 100_000_000);
    engine.start_timer(SimTime(1.0), Token(9));
    let mut done = Vec::new();
    assert!(engine.advance(&mut done).is_some());
    flow(&mut engine, 1, 0, 100_000_000);
    assert_close(&dates(&mut engine), &[2.0 + 1.002, 2.0 + 1.501]);
}

#[test]
fn what_waits_for_ever_is_said_so() {
    let other = "[[profile]]\nhost = \"b\"\nspeed = [[\"0s\", 1.0], [\"1s\", 0.5]]\nperiod = \"2s\"\n";
    let mut engine = raw(&format!("[[profile]]\nlink = \"l\"\nstate = [[\"500ms\", \"off\"]]\n{other}"));
    flow(&mut engine, 0, 1, 100_000_000);
    assert_close(&dates(&mut engine), &[]);
}

#[test]
fn a_host_that_is_turned_off_loses_its_executions_and_says_so() {
    let mut engine = raw("[[profile]]\nhost = \"a\"\nstate = [[\"500ms\", \"off\"], [\"2s\", \"on\"]]\n");
    engine.start_execution(HostId(0), 1e9, Token(0));
    engine.start_execution(HostId(1), 3e9, Token(1));
    let mut done = Vec::new();
    assert_eq!(engine.advance(&mut done), Some(SimTime(0.5)));
    assert_eq!(engine.take_host_changes(), [HostChange { host: HostId(0), is_on: false }]);
    assert_eq!(engine.advance(&mut done), Some(SimTime(2.0)));
    assert_eq!(engine.take_host_changes(), [HostChange { host: HostId(0), is_on: true }]);
    assert_eq!(done, []);
    assert_close(&dates(&mut engine), &[3.0]);
    // a: idle but for 0.5 s with one of two cores, and 1.5 s off.
    let energy = engine.energy(&[HostId(0)]);
    assert_close(&[energy.used_hosts], &[energy.hosts.expect("watts")]);
    assert_close(&[energy.used_hosts], &[100.0 * 1.0 + (120.0 + 80.0 / 2.0) * 0.5 + 10.0 * 1.5]);
}

#[test]
fn links_consume_by_what_they_carry() {
    let mut engine = raw("");
    flow(&mut engine, 0, 1, 100_000_000);
    assert_close(&dates(&mut engine), &[1.001]);
    assert_close(&[engine.energy(&[]).links.expect("watts")], &[10.0 * 1.001 + 10.0 * 1.0]);
}

#[test]
fn loggops_shares_the_ends_of_messages_only() {
    // g = 1 ms, L = 1 ms (a to c: 2 ms), G S = 10 ms. Two messages of a leave one after the other. b receives the first
    // one of them, and then, after g, that of c, which was there first.
    let mut engine = engine("LogGOPS", "");
    for (src, dst) in [(0, 1), (0, 2), (2, 1)] {
        flow(&mut engine, src, dst, 1_000_000);
    }
    assert_close(&dates(&mut engine), &[0.011, 0.022, 0.011 + 0.002 + 0.010]);
}

#[test]
fn infiniband_slows_down_what_leaves_or_arrives_together() {
    // The window bounds nothing here; weights are equal. Alone: 1 ms and 1 s.
    let alone = |flows: &[(u32, u32)]| {
        let mut engine = engine("IB", "");
        flows.iter().for_each(|(src, dst)| flow(&mut engine, *src, *dst, 100_000_000));
        dates(&mut engine)
    };
    assert_close(&alone(&[(0, 1)]), &[1.001]);
    // Two senders: each message to b is divided by 1 · 0.965 · 2, less than their links allow.
    assert_close(&alone(&[(0, 1), (2, 1)]), &[0.001 + 1.93, 0.001 + 1.93]);
}
