//! The same flows as a run of SimGrid 3.32 (`network/model:SMPI`, timing precision 1e-9), date by date.
//!
//! `peer/<name>.toml` is the platform, and each line of `peer/<name>.flows` is: start date, source, destination, bytes,
//! and the date at which SimGrid ended the flow on the equivalent XML platform (measured; facts about its behaviour).
//! Topologies and zones are the XML platforms beside the tests of `smpi-platform`, the same file for both programs.

use smpi_base::SimTime;
use smpi_engine::{Config, Engine, Token};
use smpi_platform::Platform;
use std::sync::Arc;

/// Both programs compute the same sums in another order.
const TOLERANCE: f64 = 1e-9;

#[track_caller]
fn compare(platform: &str, flows: &str) {
    compare_within(platform, flows, &[], 0.0);
}

/// The dates may differ by so many seconds besides; the settings are not in the platform.
#[track_caller]
fn compare_within(platform: &str, flows: &str, settings: &[(&str, &str)], secs: f64) {
    let platform = Arc::new(Platform::parse("peer.toml", platform).unwrap_or_else(|e| panic!("{e}")));
    let flows: Vec<Vec<&str>> = flows.lines().map(|l| l.split_whitespace().collect()).collect();
    let number = |text: &str| text.parse::<f64>().expect("a number");
    let host = |name: &str| platform.host_named(name).expect("a host of the platform");
    let mut config = Config::default();
    for (key, value) in
        platform.settings().iter().map(|(key, value)| (&**key, &**value)).chain(settings.iter().copied())
    {
        config.set(key, value).unwrap_or_else(|e| panic!("{e}"));
    }
    let mut engine = Engine::new(platform.clone(), config);
    for (index, flow) in flows.iter().enumerate() {
        engine.start_timer(SimTime(number(flow[0])), Token(index as u64));
    }
    let mut ended = 0;
    let mut done = Vec::new();
    while let Some(now) = engine.advance(&mut done) {
        for token in done.drain(..) {
            let index = token.0 as usize % flows.len();
            let flow = &flows[index];
            if (token.0 as usize) < flows.len() {
                let then = Token(token.0 + flows.len() as u64);
                engine.start_flow(host(flow[1]), host(flow[2]), number(flow[3]) as u64, then);
            } else {
                ended += 1;
                let expected = number(flow[4]);
                let line = index + 1;
                assert!(
                    (now.0 - expected).abs() <= secs + TOLERANCE * expected,
                    "line {line}: {} instead of {expected}",
                    now.0
                );
            }
        }
    }
    assert_eq!(ended, flows.len());
}

#[test]
fn a_crossbar_cluster() {
    compare(include_str!("peer/crossbar.toml"), include_str!("peer/crossbar.flows"));
}

#[test]
fn a_cluster_with_backbone_and_loopback() {
    compare(include_str!("peer/backbone.toml"), include_str!("peer/backbone.flows"));
}

#[test]
fn a_cluster_of_shared_links() {
    compare(include_str!("peer/shared.toml"), include_str!("peer/shared.flows"));
}

#[test]
fn two_clusters_and_a_route() {
    compare(include_str!("peer/two.toml"), include_str!("peer/two.flows"));
}

/// In an incast over limiters, flows end so close to each other that they are one instant (`precision/timing`); which
/// of the two dates it is differs.
#[test]
fn a_torus_with_limiters() {
    let platform = include_str!("../../platform/tests/simgrid/torus.xml");
    compare_within(platform, include_str!("peer/torus.flows"), &[], 1e-9);
}

/// Flows of all penalties on two fat pipes. By default each is bounded by itself, and then dates differ by up to 24 %.
#[test]
fn fat_pipes_that_stop_all_flows_together() {
    let settings = [("network/fat-pipes", "level")];
    compare_within(include_str!("peer/pipes.xml"), include_str!("peer/pipes.flows"), &settings, 0.0);
}

/// Single messages at random, an incast, and a shift of all hosts by half of them.
macro_rules! on_platform {
    ($test:ident, $name:literal) => {
        #[test]
        fn $test() {
            let platform = include_str!(concat!("../../platform/tests/simgrid/", $name, ".xml"));
            compare(platform, include_str!(concat!("peer/", $name, ".flows")));
        }
    };
}

on_platform!(a_fat_tree_of_shared_links, "fat-tree");
on_platform!(a_dragonfly, "dragonfly");
on_platform!(zones_in_zones, "zones");
on_platform!(shortest_ways, "shortest");
on_platform!(a_space_of_distances, "space");
