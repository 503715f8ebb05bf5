//! A verification of all that can follow from a state, with its verdict in the usual words.

use smpi_base::plan::VerifyPlan;
use smpi_checker::{Event, Part, explore_part};
use smpi_report::finding::Buffering;
use smpi_report::verdict::Report;
use smpi_report::{Findings, Progress};
use smpi_runtime::summary::Wall;

use crate::findings::{race, repeat};
use crate::options::limits;
use crate::program::aside::aside;
use crate::program::{Program, driven};
use crate::report::add_mode;
use crate::schedule::token;
use crate::search::collect::Collector;

/// Explores what can follow from these choices, in a process of its own: nothing changes in this one.
pub(super) fn explore(
    program: &mut Program,
    (options, empty): (&VerifyPlan, &Report),
    mode: Buffering,
    prefix: &[Event],
) -> String {
    let wall = Wall::start();
    let end_secs = if options.time_limit_secs > 0.0 { 2.0 * options.time_limit_secs + 1.0 } else { f64::INFINITY };
    let said = program.without_instants(options, |program| {
        aside(program, options, (&wall, end_secs), &mut |program, out| {
            let text = explored(program, (options, empty), mode, prefix);
            let _ = out.write_all(text.as_bytes());
        })
    });
    match said.is_whole && !said.bytes.is_empty() {
        true => String::from_utf8_lossy(&said.bytes).into_owned(),
        false => "the exploration has ended before it came to a verdict\n".to_string(),
    }
}

fn explored(
    program: &mut Program,
    (options, empty): (&VerifyPlan, &Report),
    mode: Buffering,
    prefix: &[Event],
) -> String {
    let wall = Wall::start();
    program.ranks.disregard_threads();
    program.show_output(false);
    program.follow_briefly();
    let (mut findings, mut progress) = (Findings::new(), Progress::silent());
    let mut collector = Collector::new(mode, options, &wall, &mut findings, &mut progress);
    let part = Part { prefix, shared: false };
    let result = explore_part(program, part, &limits(options, options.keep_going), &mut collector);
    let explored = collector.explored(result.verdict);
    if !driven(|driver, _| driver.take_discovered()).is_empty() {
        return "not explored: what follows from here has to be known of the program from its beginning (operations \
                that are cancelled, orders of accesses that matter); smpirun verify explores all of it\n"
            .to_string();
    }
    if let Some(race) = explored.race.as_ref().filter(|_| findings.is_empty() || options.keep_going) {
        findings.add(race::of_race(program, mode, race));
    }
    let mut report = Report { buffering: mode.to_string(), ..empty.clone() };
    add_mode(&mut report, mode, (explored, None), options);
    report.findings = findings.into_vec();
    for finding in &mut report.findings {
        repeat::repeat(program, finding);
        token::shorten(program, &mut finding.replay);
    }
    report.seconds = wall.seconds();
    report.with_limits().text()
}
