//! `--replay`: executes one schedule, or two.

use smpi_base::exit::{FOUND, REFUSED};
use smpi_base::plan::{ROUND_SIGNS, VerifyPlan};
use smpi_base::words::counted;
use smpi_base::{eprint, eprintln};
use smpi_checker::{Event, Token};
use smpi_process as process;
use smpi_report::finding::Buffering;
use smpi_report::verdict::Report;
use smpi_report::{Finding, FindingKey};

use crate::findings::race::Race;
use crate::findings::{determinism, livelock, race, repeat, uninitialised};
use crate::program::{self, Program};
use crate::property;
use crate::schedule::token::{self, Compared, Round};
use crate::stepping::{step, take_input};

/// Executes one schedule, with the program's output visible.
pub(crate) fn replay(program: &mut Program, (options, empty): (&VerifyPlan, Report), text: &str) -> i32 {
    let schedules = match token::parse(text) {
        Ok(schedules) => schedules,
        Err(message) => {
            eprintln!("smpirun: error: --replay {text}: {message}");
            return REFUSED;
        }
    };
    if options.replay_rounds > 1 && schedules.round.is_none() {
        eprintln!(
            "smpirun: error: --rounds {}: this schedule does not end in a round; those of the findings liveness and livelock do (a \
             token with {} or {})",
            options.replay_rounds, ROUND_SIGNS[0], ROUND_SIGNS[1]
        );
        return REFUSED;
    }
    program.set_buffering(schedules.buffering);
    program.foresee(&schedules.foreseen);
    if options.step {
        return stepped(program, (options, empty), &schedules, text);
    }
    let outcome = replayed(program, &schedules, options);
    process::flush_output();
    if let Some(message) = misfit(schedules.buffering) {
        eprintln!("smpirun: error: --replay {text}: {message}");
        return REFUSED;
    }
    match outcome {
        Ok(failures) if failures.is_empty() => {
            eprintln!(
                "smpirun: the schedule ended without an error; if one was reported for it, that depends on something that is not \
                 put back between executions, such as a file or a clock"
            );
            0
        }
        Ok(failures) => {
            let ranks = program.count();
            let (limits, failures): (Vec<Finding>, _) = failures.into_iter().partition(|failure| failure.is_limit);
            for mut limit in limits {
                // This is the schedule.
                limit.replay.clear();
                let limited = Report { findings: vec![limit], ..Report::default() }.with_limits();
                limited
                    .bounds
                    .iter()
                    .for_each(|bound| eprintln!("smpirun: the schedule was not executed to its end: {bound}"));
            }
            if failures.is_empty() {
                return 0;
            }
            failures.iter().for_each(|finding| eprint!("smpirun: {}", smpi_report::text::shown(finding, ranks)));
            FOUND
        }
        Err(message) => {
            eprintln!("smpirun: error: --{message}");
            REFUSED
        }
    }
}

/// What an execution has met that its schedule does not know of.
fn misfit(mode: Buffering) -> Option<String> {
    let missing = program::driven(|driver, _| driver.take_discovered());
    let missing: Vec<String> = missing.iter().map(ToString::to_string).collect();
    let words = || format!("the schedule does not fit the program: its mode is {mode} without {}", missing.join(","));
    (!missing.is_empty()).then(words)
}

/// Goes through a schedule step by step.
fn stepped(
    program: &mut Program,
    (options, empty): (&VerifyPlan, Report),
    schedules: &token::Schedules,
    text: &str,
) -> i32 {
    if schedules.before.is_some() {
        eprintln!(
            "smpirun: error: --step {text}: these are two schedules that are compared; expected one of them, which stand on \
             both sides of {}",
            token::BETWEEN
        );
        return REFUSED;
    }
    let Some(input) = take_input() else {
        eprintln!("smpirun: error: --step: standard input cannot be read; expected commands there");
        return REFUSED;
    };
    // Whether it fits is seen first.
    let path = program.resolve(&schedules.token).and_then(|path| {
        program.follow(&path, &mut |_, _, _| {})?;
        misfit(schedules.buffering).map_or(Ok(path), |message| Err(format!("step: {message}")))
    });
    match path {
        Ok(path) => step(program, (options, empty), schedules.buffering, (path, input)),
        Err(message) => {
            eprintln!("smpirun: error: --{message}");
            REFUSED
        }
    }
}

/// Executes a schedule that ends in a round which can be gone for ever.
fn replay_round(
    program: &mut Program,
    path: &[Event],
    round: Round,
    options: &VerifyPlan,
) -> Result<Vec<Finding>, String> {
    let (before, step) = (round.before, options.replay_step);
    let rounds = (before, options.replay_rounds);
    let (key, comes_back) = match round.is_lost {
        true => (FindingKey::Livelock, livelock::comes_back(program, path, rounds, step)?),
        false => (FindingKey::Liveness, property::comes_back(program, path, rounds, step)?),
    };
    if !comes_back {
        return Ok(Vec::new());
    }
    let words = match path.len() - before {
        0 if round.is_lost => "the schedule ends where ranks go on for ever without a choice".to_string(),
        0 => "the schedule ends in a state in which nothing happens any more".to_string(),
        round => {
            let (before, round) = (counted(before as u64, "choice"), counted(round as u64, "choice"));
            let times =
                if options.replay_rounds > 1 { format!(", {} times", options.replay_rounds) } else { String::new() };
            format!("after {before}, {round} lead back to the same state{times}: this execution can go on for ever")
        }
    };
    Ok(vec![Finding::new(key, words)])
}

/// Executes one schedule or two, and returns what went wrong.
fn replayed(program: &mut Program, schedules: &token::Schedules, options: &VerifyPlan) -> Result<Vec<Finding>, String> {
    let step = options.replay_step;
    let path = program.resolve(&schedules.token)?;
    if let Some(round) = schedules.round {
        program.show_output(true);
        return replay_round(program, &path, round, options);
    }
    let first = |(compared, before): &(Compared, Token)| Ok::<_, String>((*compared, program.resolve(before)?));
    let first = schedules.before.as_ref().map(first).transpose()?;
    program.show_output(true);
    let Some((compared, first)) = first else {
        let found = repeat::replay(program, &path, step)?;
        if !found.is_empty() {
            return Ok(found);
        }
        program.show_output(false);
        return Ok(uninitialised::look_at(program, schedules.buffering, options, &path));
    };
    let race = Race { first, other: path, rank: 0 };
    let found = match compared {
        Compared::Outputs => race::replay_race(program, schedules.buffering, race, step)?,
        _ => determinism::replay(program, schedules.buffering, race, compared, step)?,
    };
    Ok(found.into_iter().collect())
}
