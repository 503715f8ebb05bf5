//! `smpirun predict --check`: the same program under another MPI and simulated, side by side.

use std::path::Path;
use std::time::Duration;

use smpi_calibrate::check::{self, Times};
use smpi_calibrate::quiet::Watch;
use smpi_calibrate::{Session, session, shim};

use crate::calibrate::tools;
use crate::children;
use crate::failure::Failure;
use crate::options::{self, CommandLine, Options, Request};
use crate::program;

const HELP: &str = "\
Usage: smpirun predict --check --with \"mpiexec\" [--runs N] [--timeout SECS] [options of smpirun] -np N program …

Runs the program under another MPI with the standard ABI and simulated, N times each (default: 3), and prints for the
run of each that ended first: the time from MPI_Init to MPI_Finalize, and how much of it the ranks were inside MPI.
";

/// What is asked besides the run itself.
struct Check {
    with: String,
    runs: u32,
    limit: Duration,
    /// The words of the run.
    rest: Vec<String>,
}

/// The answer, if the words after `smpirun` ask for a prediction and say how.
pub fn answer(words: &[String]) -> Option<Result<String, Failure>> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match &words[..] {
        ["predict", "--help" | "-h"] => Some(Ok(HELP.into())),
        ["predict"] => {
            Some(Err(Failure::Refused("smpirun predict: expected --check; see smpirun predict --help".into())))
        }
        ["predict", first, ..] if first.starts_with("--check") || first.starts_with("--with") => {
            Some(parse(&words[1..]).and_then(|asked| compare(&asked)))
        }
        _ => None,
    }
}

fn parse(words: &[&str]) -> Result<Check, Failure> {
    let refused = |text: String| Err(Failure::Refused(format!("smpirun predict: {text}")));
    let mut check = Check { with: String::new(), runs: 3, limit: Duration::from_secs(600), rest: Vec::new() };
    let (mut is_check, mut words) = (false, words.iter());
    while let Some(word) = words.clone().next() {
        let (name, value) = word.split_once('=').map_or((*word, None), |(name, value)| (name, Some(value)));
        if !matches!(name, "--check" | "--with" | "--runs" | "--timeout") {
            break;
        }
        words.next();
        if name == "--check" {
            is_check = true;
            continue;
        }
        let Some(value) = value.or_else(|| words.next().copied()) else {
            return refused(format!("{name}: expected a value behind it"));
        };
        let number = || match value.parse::<u32>() {
            Ok(number) if number > 0 => Ok(number),
            _ => Err(Failure::Refused(format!("smpirun predict: {name} {value}: expected a number above zero"))),
        };
        match name {
            "--with" => check.with = value.to_owned(),
            "--runs" => check.runs = number()?,
            _ => check.limit = Duration::from_secs(number()?.into()),
        }
    }
    if !is_check || check.with.split_whitespace().next().is_none() {
        return refused("expected --check and --with \"LAUNCHER\"; without them, smpirun itself predicts".into());
    }
    check.rest = words.map(|word| word.to_string()).collect();
    Ok(check)
}

fn compare(asked: &Check) -> Result<String, Failure> {
    let Request::Run(command_line) = options::parse(&asked.rest)? else {
        return Err(Failure::Refused("smpirun predict: expected -np N and a program behind the options".into()));
    };
    let programs = programs(&command_line)?;
    check(&command_line.options)?;
    // Before anything is compiled.
    let launcher = asked.with.split_whitespace().next().unwrap_or_default();
    program::find(launcher).map_err(|_| {
        let example = "give its path, as in --with \"/opt/mpi/bin/mpiexec\"";
        Failure::Refused(format!("smpirun predict: --with {launcher}: there is no such program; {example}"))
    })?;
    children::prepare("predict")?;
    both(asked, &programs).map_err(Failure::Refused)
}

/// Refuses runs that have no time to be compared.
fn check(options: &Options) -> Result<(), Failure> {
    let asked = [
        ("--verify", options.verify),
        ("--replay", options.replay.is_some()),
        ("--coll-auto", options.coll_auto.is_some()),
    ];
    match asked.into_iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => {
            let why = "a simulation of programs is compared with a real run: leave it out";
            Err(Failure::Refused(format!("smpirun predict: {name}: {why}")))
        }
        None => Ok(()),
    }
}

/// Each program with its number of ranks and its arguments.
fn programs(command_line: &CommandLine) -> Result<Vec<Vec<String>>, Failure> {
    let words = |app: &options::AppWords| {
        let Some(ranks) = app.ranks else {
            return Err(Failure::Refused(format!("smpirun predict: {}: expected -np N before it", app.program)));
        };
        let head = [ranks.to_string(), program::find(&app.program)?];
        Ok(head.into_iter().chain(app.args.iter().cloned()).collect())
    };
    command_line.apps.iter().map(words).collect()
}

fn both(asked: &Check, programs: &[Vec<String>]) -> Result<String, String> {
    let session = Session::new(Path::new("."), &tools()?)?;
    let shim = session.compile("smpicc", &["-shared", "-fPIC", "-Wl,-z,lazy"], &shim::source(), "timing.so")?;
    let preload = ["LD_PRELOAD".to_owned(), shim.display().to_string()];
    let told = session.path("told");
    let file = ["SMPI_TIMING_FILE".to_owned(), told.display().to_string()];

    let mut measured: Vec<String> = asked.with.split_whitespace().map(String::from).collect();
    let mut variables = session::variables(&measured[0]);
    let here = [preload.clone(), file.clone()].map(|[name, value]| (name, value));
    // A launcher itself is not to load the library, so `env` hands it to each of its processes; smpirun has none.
    let is_simulated = measured[0].rsplit('/').next() == Some("smpirun");
    if is_simulated {
        variables.extend(here.clone());
    }
    for (index, words) in programs.iter().enumerate() {
        measured.extend((index > 0).then(|| ":".to_owned()));
        measured.extend(["-n".to_owned(), words[0].clone()]);
        if !is_simulated {
            measured.extend(["env".to_owned(), preload.join("="), file.join("=")]);
        }
        measured.extend_from_slice(&words[1..]);
    }
    let mut simulated = vec![session.smpirun().display().to_string()];
    simulated.extend(asked.rest.iter().cloned());

    let ranks: u32 = programs.iter().filter_map(|words| words[0].parse::<u32>().ok()).sum();
    let run = |what: &str, words: &[String], variables: &[(String, String)]| -> Result<Times, String> {
        let mut runs = Vec::new();
        for _ in 0..asked.runs {
            // A run that tells nothing must not find what another one told.
            let _ = std::fs::remove_file(&told);
            session.run(words, variables, asked.limit).map_err(|why| format!("the {what} run: {why}"))?;
            let times = Times::parse(&std::fs::read_to_string(&told).unwrap_or_default());
            let times = times.map_err(|why| {
                format!("the {what} run: {why}; the program has to call MPI_Init and MPI_Finalize of an MPI with the standard ABI")
            })?;
            if times.count() != ranks as usize {
                let found = times.count();
                return Err(format!(
                    "the {what} run had {found} ranks, expected {ranks}: the program did not load the launcher's MPI; \
                     set LD_LIBRARY_PATH to its libmpi_abi.so.1"
                ));
            }
            runs.push(times);
        }
        Times::best(runs).ok_or_else(|| "nothing was run".to_owned())
    };
    let watch = Watch::begin();
    let measured = run("measured", &measured, &variables)?;
    // Simulated ranks have cores of their own.
    let disturbances = if is_simulated { Vec::new() } else { watch.end(ranks) };
    let predicted = run("simulated", &simulated, &here)?;
    Ok(check::table(&predicted, &measured, &disturbances))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(words: &str) -> String {
        match answer(&words.split(' ').map(String::from).collect::<Vec<_>>()) {
            Some(Err(Failure::Refused(text))) => text,
            other => panic!("{words}: {other:?}"),
        }
    }

    #[test]
    fn what_is_missing_is_told() {
        assert!(answer(&["predict".into(), "4".into()]).is_none());
        assert!(refused("predict").contains("--check"));
        assert!(refused("predict --check -np 2 ./a").contains("--with"));
        assert!(refused("predict --check --with").contains("a value behind it"));
        assert!(refused("predict --check --with x --runs 0 ./a").contains("above zero"));
        assert!(refused("predict --check --with x /bin/true").contains("expected -np N"));
        assert!(refused("predict --check --with x -np 2 ./no-such-app").contains("./no-such-app"));
        assert!(refused("predict --check --with ./no-such -np 2 /bin/true").contains("--with ./no-such: there is no"));
        assert!(refused("predict --check --with true -np 2 --verify /bin/true").contains("--verify"));
        assert!(refused("predict --check --with true -np 2 --coll-auto x /bin/true").contains("--coll-auto"));
    }
}
