//! From what the user typed to the run plan: defaults, checks of values, settings of SMPI that are options here.

use crate::failure::Failure;
use crate::options::{AppWords, CommandLine, Options};
use crate::values::BUFFERING;
use crate::{hostfile, outputs, program, units, verifying};
use smpi_base::map::Set;
use smpi_base::plan::{App, Compute, Hostfile, Mesh, Noise, RunPlan, Spread};
use smpi_base::print;
use smpi_base::quantity::{Unit, parse_duration};
use smpi_base::words::for_shell;
use smpi_platform::Platform;
use smpi_settings::{Found, Group};
use std::path::Path;

/// Link bandwidth of a generated platform in bytes per second: SMPI's 26 MiB/s.
const MESH_BANDWIDTH: f64 = 26.0 * 1024.0 * 1024.0;
/// Link latency of a generated platform in seconds: SMPI's 5 µs.
const MESH_LATENCY: f64 = 5e-6;
/// Loopback bandwidth of a generated platform in bytes per second: SMPI's 498 MB/s.
const MESH_LOOPBACK: f64 = 498e6;
/// Host speed of a generated platform in flop/s: the default of `smpi/host-speed`, so that computation takes as long as
/// it does here. SMPI has 100 flop/s, with which a second takes years.
const MESH_SPEED: f64 = 10e9;

/// Most ranks of a run.
const MOST_RANKS: u64 = i32::MAX as u64;

/// Builds the plan. The second value is notes for the user.
pub fn plan(line: CommandLine) -> Result<(RunPlan, Vec<String>), Failure> {
    let CommandLine { mut options, mut apps, mut notes, words, repeated, .. } = line;
    let mut given = settings(&options)?;
    take_options(&mut options, &mut apps, &mut given)?;
    let (hosts, hostfile) = hosts(&options)?;
    check_platform(&options)?;
    let mesh = mesh(&options, &hosts)?;
    let replay_trace = if apps.is_empty() { outputs::replay_trace(&mut options)? } else { None };
    let mut plan = RunPlan {
        apps: programs(apps, &hosts, &options)?,
        trace: outputs::trace(&options)?,
        replay_trace,
        platform: options.platform.clone(),
        hosts,
        hostfile,
        mesh,
        spread: match options.ppn {
            _ if options.byslot => Spread::Slots,
            Some(count) => Spread::PerHost(count),
            None => Spread::Entries,
        },
        map: options.map,
        summary: options.summary,
        summary_json: options.summary_json.clone(),
        profile: options.profile,
        profile_json: options.profile_json.clone(),
        page: options.report_html.clone().filter(|_| !options.verify && options.replay.is_none()),
        shuffle: options.shuffle,
        quiet: options.quiet,
        strict: options.strict,
        ..RunPlan::default()
    };
    plan.command = for_shell(&words);
    plan.repeated = for_shell(&repeated_words(repeated, &plan.apps));
    take_settings(&options, given, &mut plan);
    plan.notes = (options.notes || plan.summary) && !options.quiet;
    plan.verify = verifying::plan(&options)?;
    verifying::check_symmetric(&plan)?;
    verifying::check_ranks(&plan)?;
    if let Some(how) = &options.compute {
        plan.compute = compute(how)?;
        // A platform file may say that nothing is computed; the command line wins.
        let computes = if plan.compute == Compute::Off { "no" } else { "yes" };
        plan.cfg.push(("smpi/simulate-computation".to_string(), computes.to_string()));
    }
    plan.timeline = outputs::timeline(&options)?;
    plan.noise = options.noise.as_deref().map(noise).transpose()?;
    outputs::check(&options)?;
    let trace = plan.replay_trace.as_ref().map(|trace| trace.file.as_str());
    outputs::check_apart(&options, plan.apps.iter().map(|app| app.path.as_str()), trace)?;
    plan.privatize.clone_from(&options.privatize);
    if let Some(text) = &options.stack_size {
        plan.stack_size = units::bytes("--stack-size", text)?;
        if plan.stack_size < LEAST_STACK {
            let least = LEAST_STACK >> 10;
            return Err(Failure::Refused(format!(
                "--stack-size {text}: expected at least {least}KiB, which functions of MPI need; leave it out for 8MiB"
            )));
        }
    }
    if let Some(text) = &options.heap_size {
        plan.heap_size = units::bytes("--heap-size", text)?;
    }
    if !options.log.is_empty() {
        notes.push("--log is accepted for SMPI's sake and has no effect".to_string());
    }
    Ok((plan, notes))
}

/// Options, then programs with their ranks.
fn repeated_words(options: Vec<String>, apps: &[App]) -> Vec<String> {
    let mut words = options;
    for (index, app) in apps.iter().enumerate() {
        words.extend((index > 0).then(|| ":".to_string()));
        words.extend(["-np".to_string(), app.ranks.to_string(), app.path.clone()]);
        words.extend(app.args.iter().cloned());
    }
    words
}

fn check_platform(options: &Options) -> Result<(), Failure> {
    if let Some(path) = &options.platform {
        let metadata = std::fs::metadata(path).map_err(|e| {
            let hint = built_in_hint(path);
            Failure::Refused(format!("cannot read the platform {path}: {}{hint}", print::reason(&e)))
        })?;
        if metadata.is_dir() {
            return Err(Failure::Refused(format!("the platform {path} is a directory; expected a TOML file")));
        }
        if options.bandwidth.is_some() || options.latency.is_some() {
            let message = "-bandwidth and -latency describe a generated platform; with -platform they have no meaning";
            return Err(Failure::Refused(message.into()));
        }
    }
    Ok(())
}

/// Tells where the ready-made platforms are when the user named one without its directory.
fn built_in_hint(path: &str) -> String {
    let file = Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let candidates = [file.clone(), format!("{file}.toml")];
    let directories = crate::launch::platform_directories();
    let found = directories.iter().flat_map(|directory| candidates.iter().map(move |name| directory.join(name)));
    found
        .into_iter()
        .find(|path| path.is_file())
        .map(|path| format!("; did you mean {}?", path.display()))
        .unwrap_or_default()
}

fn mesh(options: &Options, hosts: &[String]) -> Result<Option<Mesh>, Failure> {
    let refuse = |name: &str, text: &str, example: &str| {
        Failure::Refused(format!("{name} {text}: expected a positive number with a unit, such as {example}"))
    };
    if hosts.is_empty() || options.platform.is_some() {
        if options.bandwidth.is_some() || options.latency.is_some() {
            let message = "-bandwidth and -latency need a -hostfile that names the hosts of the generated platform";
            return Err(Failure::Refused(message.into()));
        }
        return Ok(None);
    }
    let bandwidth = match &options.bandwidth {
        Some(text) => units::bytes_per_sec(text).ok_or_else(|| refuse("-bandwidth", text, "125MBps"))?,
        None => MESH_BANDWIDTH,
    };
    let latency = match &options.latency {
        Some(text) => units::seconds(text).ok_or_else(|| refuse("-latency", text, "5us"))?,
        None => MESH_LATENCY,
    };
    let mut seen = Set::default();
    let distinct = hosts.iter().filter(|host| seen.insert(host.as_str())).cloned().collect();
    Ok(Some(Mesh {
        hosts: distinct,
        bandwidth_bytes_per_sec: bandwidth,
        latency_secs: latency,
        loopback_bytes_per_sec: MESH_LOOPBACK,
        speed_flops: MESH_SPEED,
    }))
}

/// Where ranks go: the entries of the hostfile or of `-host`; none: all hosts of the platform.
fn hosts(options: &Options) -> Result<(Vec<String>, Option<Hostfile>), Failure> {
    match (&options.hostfile, options.host.is_empty()) {
        (Some(path), _) => hostfile::read(path).map(|(hosts, origin)| (hosts, Some(origin))),
        (None, false) => hostfile::list(&options.host.join(",")).map(|hosts| (hosts, None)),
        (None, true) => Ok((Vec::new(), None)),
    }
}

fn programs(apps: Vec<AppWords>, hosts: &[String], options: &Options) -> Result<Vec<App>, Failure> {
    let several = apps.len() > 1;
    let default_ranks = default_ranks(hosts, options)?;
    let resolve = |app: AppWords| {
        if several && app.ranks.is_none() {
            return Err(Failure::Refused(format!(
                "with several programs each needs its -np; {} has none",
                app.program
            )));
        }
        Ok(App { path: program::find(&app.program)?, args: app.args, ranks: app.ranks.unwrap_or(default_ranks) })
    };
    let apps: Vec<App> = apps.into_iter().map(resolve).collect::<Result<_, _>>()?;
    let total: u64 = apps.iter().map(|app| u64::from(app.ranks)).sum();
    if total > MOST_RANKS {
        return Err(Failure::Refused(format!(
            "{total} ranks: expected at most {MOST_RANKS}, since a rank is an int of C"
        )));
    }
    Ok(apps)
}

/// Number of ranks where there is no `-np`.
fn default_ranks(hosts: &[String], options: &Options) -> Result<u32, Failure> {
    let entries = (hosts.len() as u32).max(1);
    let Some(count) = options.ppn else { return Ok(entries) };
    if count == 0 {
        return Err(Failure::Refused("-ppn 0: expected at least one rank on each host".into()));
    }
    let distinct = match &options.platform {
        _ if !hosts.is_empty() => {
            let mut seen = Set::default();
            hosts.iter().filter(|host| seen.insert(host.as_str())).count()
        }
        // The built-in platform is one host.
        None => 1,
        Some(path) => {
            let platform = Platform::load(Path::new(path)).map_err(|error| Failure::Refused(error.to_string()))?;
            platform.hosts().len()
        }
    };
    let total = distinct as u64 * u64::from(count);
    let refuse = |_| Failure::Refused(format!("-ppn {count} on {distinct} hosts: expected at most {MOST_RANKS} ranks"));
    u32::try_from(total).map_err(refuse)
}

/// The settings of `--cfg`: several may stand in one, separated by blanks.
fn settings(options: &Options) -> Result<Vec<(String, String)>, Failure> {
    let cut = |setting: &str| match setting.split_once(':').filter(|(key, _)| !key.is_empty()) {
        Some((key, value)) => Ok((key.to_string(), value.to_string())),
        None => {
            let text = format!(
                "--cfg={setting}: expected KEY:VALUE, such as --cfg=smpi/os:0:1e-6:0; smpirun --help-cfg lists the keys"
            );
            Err(Failure::Refused(text))
        }
    };
    if options.cfg.iter().any(|text| text.trim().is_empty()) {
        cut("")?;
    }
    options.cfg.iter().flat_map(|text| text.split_whitespace()).map(cut).collect()
}

/// Takes settings for options that were not given, and leaves those that are none. A setting that is an option and is
/// not used here does not compile.
fn take_options(
    options: &mut Options,
    apps: &mut [AppWords],
    settings: &mut Vec<(String, String)>,
) -> Result<(), Failure> {
    let mut said = smpi_settings::Options::default();
    let refused = |why: String| Failure::Refused(format!("--cfg={why}"));
    for (key, value) in &*settings {
        said.set(key, value).unwrap_or(Ok(())).map_err(|why| refused(why.to_string()))?;
    }
    let smpi_settings::Options {
        np,
        hostfile,
        map,
        replay,
        privatize_libs,
        buffering,
        display_timing,
        stack_size_kib,
        tracing,
        tracing_format,
        tracing_one_file,
        tracing_file,
    } = said;
    if let [only] = apps {
        only.ranks = only.ranks.or(np.filter(|ranks| *ranks > 0));
    }
    if options.host.is_empty() && !hostfile.is_empty() {
        options.hostfile.get_or_insert(hostfile);
    }
    options.map |= map;
    if !replay.is_empty() {
        return Err(refused(format!("smpi/replay:{replay}: expected the option -replay {replay} instead")));
    }
    options.privatize.extend(privatize_libs.split(';').filter(|name| !name.is_empty()).map(String::from));
    if options.verify && !buffering.is_empty() {
        let known = BUFFERING.iter().find(|(word, _)| *word == buffering);
        let words = || BUFFERING.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
        let unknown = || refused(format!("smpi/buffering:{buffering}: expected one of {}", words()));
        options.buffering.get_or_insert(known.ok_or_else(unknown)?.1);
    }
    options.summary |= display_timing;
    if let Some(kib) = stack_size_kib {
        let (least, most) = (LEAST_STACK >> 10, units::MOST_BYTES >> 10);
        if !(least..=most).contains(&kib) {
            let expected = format!("expected a number of KiB from {least} to {most}; leave it out for 8192");
            return Err(refused(format!("contexts/stack-size:{kib}: {expected}")));
        }
        options.stack_size.get_or_insert(format!("{}B", kib << 10));
    }
    options.trace_one_file |= tracing_one_file;
    if tracing {
        let is_trace_of_actions = tracing_format == "TI";
        options.trace_ti |= is_trace_of_actions;
        options.trace |= !is_trace_of_actions;
        options.trace_file = options.trace_file.take().or(Some(tracing_file).filter(|file| !file.is_empty()));
    }
    settings.retain(|(key, _)| !is_option(key));
    Ok(())
}

/// Whether a setting is an option of ours. What else SimGrid has of traces (`tracing/smpi`) says nothing beside them.
fn is_option(key: &str) -> bool {
    let found = smpi_settings::find(key);
    let is_row = matches!(found, Some(Found::Row(row)) if row.group == Group::Options);
    is_row || ["tracing/smpi", "tracing/smpi/computing", "tracing/smpi/sleeping"].contains(&key)
}

/// The settings that remain: the run's.
fn take_settings(options: &Options, settings: Vec<(String, String)>, plan: &mut RunPlan) {
    for (key, value) in settings {
        if let ("smpi/simulate-computation", Some(computes)) = (key.as_str(), smpi_settings::flag(&value)) {
            plan.compute = if computes { Compute::Measured } else { Compute::Off };
        }
        plan.cfg.push((key, value));
    }
    if let Some(file) = &options.coll_table {
        // A value with a slash is a file there.
        let path = if file.contains('/') { file.clone() } else { format!("./{file}") };
        plan.cfg.push(("smpi/coll-selector".to_string(), path));
    }
}

/// Smallest stack: what functions of MPI and of the C library need, and some room for the program. `MPI_Recv` and
/// collective operations of a release need between 40 and 44 KiB with all that they call.
const LEAST_STACK: u64 = 64 << 10;

fn compute(how: &str) -> Result<Compute, Failure> {
    match how.split_once(':') {
        None if how == "measured" => Ok(Compute::Measured),
        None if how == "off" => Ok(Compute::Off),
        Some(("scaled", factor)) => match factor.parse::<f64>() {
            Ok(factor) if factor.is_finite() && factor >= 0.0 => Ok(Compute::Scaled(factor)),
            _ => Err(Failure::Refused(format!("--compute={how}: expected a factor of 0 or more, such as scaled:0.5"))),
        },
        Some(("recorded", file)) if !file.is_empty() => Ok(Compute::Recorded(file.to_string())),
        _ => Err(Failure::Refused(format!("--compute={how}: expected measured, off, scaled:FACTOR or recorded:FILE"))),
    }
}

/// `100Hz:25us`, perhaps with a seed behind another colon.
fn noise(text: &str) -> Result<Noise, Failure> {
    let refused = || {
        let message = "expected how often, how long and perhaps a seed, such as 100Hz:25us or 1kHz:2us:7";
        Failure::Refused(format!("--noise {text}: {message}"))
    };
    let parts: Vec<&str> = text.split(':').collect();
    let (frequency, detour, seed) = match parts[..] {
        [frequency, detour] => (frequency, detour, "0"),
        [frequency, detour, seed] => (frequency, detour, seed),
        _ => return Err(refused()),
    };
    let number = frequency.strip_suffix("Hz").ok_or_else(refused)?;
    let (number, scale) = match number.strip_suffix('k') {
        Some(number) => (number, 1e3),
        None => (number, 1.0),
    };
    let frequency_hz = number.parse::<f64>().map_err(|_| refused())? * scale;
    let detour_secs = parse_duration(detour, Unit::Required).map_err(|_| refused())?.secs();
    let seed = seed.parse().map_err(|_| refused())?;
    // Interruptions that take all the time let nothing come to its end.
    if !(frequency_hz > 0.0 && frequency_hz * detour_secs < 1.0) {
        let share = "expected interruptions that take less than all of the time";
        return Err(Failure::Refused(format!("--noise {text}: {share}")));
    }
    Ok(Noise { frequency_hz, detour_secs, seed })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Request, parse};
    use smpi_base::plan::{DeterminismPlan, ReductionPlan, SearchPlan};

    fn planned(line: &str) -> Result<RunPlan, Failure> {
        let words: Vec<String> = line.split_whitespace().map(String::from).collect();
        match parse(&words)? {
            Request::Run(line) => plan(*line).map(|(plan, _)| plan),
            Request::Print(_) => panic!("{line} only prints"),
        }
    }

    fn refused(line: &str) -> String {
        match planned(line) {
            Err(Failure::Refused(message)) => message,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn computation_and_sizes() {
        assert_eq!(planned("--compute=off /bin/sh").unwrap().compute, Compute::Off);
        assert_eq!(planned("--compute scaled:2 /bin/sh").unwrap().compute, Compute::Scaled(2.0));
        assert_eq!(planned("--compute=recorded:f /bin/sh").unwrap().compute, Compute::Recorded("f".into()));
        assert!(refused("--compute=fast /bin/sh").contains("measured, off"));
        assert!(refused("--compute=scaled:-1 /bin/sh").contains("factor"));
        assert_eq!(planned("--stack-size 16MiB /bin/sh").unwrap().stack_size, 16 << 20);
        assert_eq!(
            planned("--privatize liba.so -privatize libb.so.2 /bin/sh").unwrap().privatize,
            ["liba.so", "libb.so.2"]
        );
        assert!(refused("--stack-size huge /bin/sh").contains("16MiB"));
    }

    #[test]
    fn settings_of_smpi() {
        let plan =
            planned("--cfg=smpi/simulate-computation:no --cfg=smpi/os:0:1:2 /bin/sh --cfg=contexts/stack-size:64");
        let plan = plan.unwrap();
        assert_eq!(plan.compute, Compute::Off);
        assert_eq!(plan.stack_size, 65536);
        let cfg: Vec<String> = plan.cfg.iter().map(|(key, value)| format!("{key}:{value}")).collect();
        assert_eq!(cfg, ["smpi/simulate-computation:no", "smpi/os:0:1:2"]);
        for words in ["--cfg=novalue /bin/sh", "--cfg= /bin/sh", "/bin/sh --cfg=", "--cfg=smpi/os:0 --cfg= /bin/sh"] {
            assert!(refused(words).contains("expected KEY:VALUE") && refused(words).contains("--help-cfg"), "{words}");
        }
        let plan = planned("--cfg=smpi/np:4 --cfg=smpi/map:1 --cfg=smpi/privatize-libs:a.so;b.so /bin/sh").unwrap();
        assert_eq!((plan.apps[0].ranks, plan.map), (4, true));
        assert_eq!(plan.privatize, ["a.so", "b.so"]);
        assert!(plan.cfg.is_empty());
        assert_eq!(planned("-np 2 --cfg=smpi/np:4 /bin/sh").unwrap().apps[0].ranks, 2);
        assert!(refused("--cfg=smpi/replay:trace /bin/sh").contains("smpi/replay"));
    }

    #[test]
    fn ranks_and_platforms() {
        assert_eq!(planned("/bin/sh").unwrap().apps[0].ranks, 1);
        assert!(refused("/bin/sh : -np 2 /bin/sh").contains("each needs its -np"));
        assert!(refused("-platform /nowhere.toml /bin/sh").contains("/nowhere.toml"));
        assert!(refused("-platform /tmp /bin/sh").contains("directory"));
        assert!(refused("--verify --report /nowhere/r.json /bin/sh").contains("no directory /nowhere"));
        assert!(refused("--summary-json /tmp /bin/sh").contains("is a directory"));
        for option in [
            "--report r",
            "--jobs 2",
            "--keep-going",
            "--require-complete",
            "--explain-within 5",
            "--depth 3",
            "--buffering zero",
            "--max-executions 1",
        ] {
            assert!(refused(&format!("{option} /bin/sh")).contains("--verify"), "{option}");
            assert!(planned(&format!("--verify {option} /bin/sh")).is_ok(), "{option}");
        }
        assert!(refused("--replay-step /bin/sh").contains("--replay TOKEN"));
        assert!(planned("--replay 1/zero --report r --keep-going /bin/sh").is_ok());
    }

    #[test]
    fn what_is_kept_and_shared() {
        let kept =
            |words: &str| planned(words).unwrap().verify.unwrap().checkpoint.map(|kept| (kept.path, kept.resumes));
        assert_eq!(kept("--verify --checkpoint new-file /bin/sh"), Some(("new-file".to_string(), false)));
        assert_eq!(kept("--verify --resume kept /bin/sh"), Some(("kept".to_string(), true)));
        assert_eq!(kept("--verify --launch mpiexec /bin/sh"), None);
        for search in ["--sample 9", "--deviations 2", "--stateful"] {
            assert!(kept(&format!("--verify --checkpoint new-file {search} /bin/sh")).is_some(), "{search}");
        }
        for words in ["--launch mpiexec --sample 9", "--launch mpiexec --stateful", "--checkpoint a --memory 8GiB"] {
            assert!(planned(&format!("--verify {words} /bin/sh")).is_ok(), "{words}");
        }
        for (words, next_step) in [
            ("--checkpoint a --resume b", "leave one of them out"),
            ("--resume a --ltl p", "leave out --ltl"),
            ("--checkpoint a --reduction none", "leave out --reduction"),
            ("--launch mpiexec --reduction dpor", "leave out --reduction"),
            ("--launch mpiexec --jobs 2", "leave out --jobs"),
            ("--launch mpiexec -gdb", "leave out --gdb"),
            ("--checkpoint /nowhere/a", "no directory /nowhere"),
        ] {
            let message = refused(&format!("--verify {words} /bin/sh"));
            assert!(message.contains(next_step), "{words}: {message}");
        }
    }

    #[test]
    fn what_is_explored() {
        let search = |words: &str| planned(words).unwrap().verify.unwrap().search;
        assert_eq!(
            search("--verify --sample 9 --seed 4 --bug-depth 2 /bin/sh"),
            SearchPlan::Sample { walks: 9, seed: 4, bug_depth: Some(2) }
        );
        assert_eq!(search("--verify --deviations 0 /bin/sh"), SearchPlan::Deviations(0));
        assert_eq!(search("--verify /bin/sh"), SearchPlan::All);
        let determinism = |words: &str| planned(words).unwrap().verify.unwrap().determinism;
        assert_eq!(determinism("--verify --determinism send /bin/sh"), DeterminismPlan::Send);
        assert!(refused("--verify --determinism all /bin/sh").contains("send or communication"));
        for (words, next_step) in [
            ("--seed 3", "add --sample N"),
            ("--deviations 1 --bug-depth 2", "add --sample N"),
            ("--sample 9 --reduction none", "leave out --reduction"),
            ("--deviations 9 --reduction dpor", "leave out --reduction"),
            ("--sample 9 --max-executions 3", "leave out --max-executions"),
        ] {
            let message = refused(&format!("--verify {words} /bin/sh"));
            assert!(message.contains(next_step), "{words}: {message}");
            assert!(refused(&format!("{words} /bin/sh")).contains("--verify"), "{words}");
        }
        for (words, next_step) in [
            ("--sample 9 --deviations 1", "leave one of them out"),
            ("--sample 0", "from 1 to"),
            ("--sample 9 --bug-depth 0", "from 1 to 100"),
            ("--buffering some", "expected zero, infinite, both, each or infty"),
            ("--time-limit -1", "seconds from 0"),
        ] {
            let message = refused(&format!("--verify {words} /bin/sh"));
            assert!(message.contains(next_step), "{words}: {message}");
        }
        assert!(refused("--verify --reduction dpor -np 65 /bin/sh").contains("at most 64 ranks"));
        let symmetric = |words: &str| planned(words).map(|plan| plan.verify.unwrap().symmetric.len());
        assert_eq!(symmetric("-np 9 --verify --symmetric 1-4,5-8 /bin/sh").ok(), Some(2));
        for (words, next_step) in [
            ("--symmetric 1-9", "which are 0-8 here"),
            ("--symmetric 1-8 --sample 9", "follows single executions"),
            ("--symmetric 4-4", "at least two ranks"),
            ("--symmetric 1-4,4-5", "none in common"),
            ("--symmetric x", "such as 1-8"),
            ("--symmetric 1-2 --determinism send", "leave out --determinism"),
        ] {
            let message = refused(&format!("-np 9 --verify {words} /bin/sh"));
            assert!(message.contains(next_step), "{words}: {message}");
        }
        assert!(planned("--verify --stateful --jobs 2 /bin/sh").is_ok());
        assert!(planned("--verify --reduction none --jobs 2 /bin/sh").is_ok());
        assert!(refused("--verify --stateful --jobs 2 --buffering zero /bin/sh").contains("leave out --jobs"));
        assert!(refused("--verify --ltl p --jobs 2 /bin/sh").contains("leave out --jobs"));
        for other in ["--keep-going", "--determinism send", "--max-executions 3", "--depth 9", "--reduction matches"] {
            let message = refused(&format!("--verify --ltl p {other} /bin/sh"));
            let name = other.split_whitespace().next().unwrap();
            assert!(message.contains(&format!("leave out {name}")), "{other}: {message}");
        }
        let property = planned("--verify --ltl p /bin/sh").unwrap().verify.unwrap();
        assert_eq!((property.reduction, property.is_by_steps()), (ReductionPlan::None, false));
        assert!(refused("--verify --memory 8 /bin/sh").contains("at least 1MiB"));
        assert!(planned("--replay 1/zero --sample 10 --seed 2 /bin/sh").is_ok());
        assert!(refused("--verify --list-results /bin/sh").contains("--report FILE"));
        assert!(refused("--verify --summary-json s /bin/sh").contains("--report FILE"));
        assert!(refused("-bandwidth 1Gbps /bin/sh").contains("-hostfile"));
    }

    #[test]
    fn a_hostfile_without_a_platform_makes_a_mesh() {
        let path = std::env::temp_dir().join(format!("smpirun-hosts-{}", std::process::id()));
        std::fs::write(&path, "b:2\na\n").unwrap();
        let plan = planned(&format!("-hostfile {} -latency 10us /bin/sh", path.display())).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(plan.apps[0].ranks, 3);
        assert_eq!(plan.hosts, ["b", "b", "a"]);
        assert_eq!(plan.host_origin(2), Some(format!("{}:2", path.display())));
        let mesh = plan.mesh.unwrap();
        assert_eq!(mesh.hosts, ["b", "a"]);
        assert_eq!((mesh.bandwidth_bytes_per_sec, mesh.latency_secs), (MESH_BANDWIDTH, 1e-5));
    }
}
