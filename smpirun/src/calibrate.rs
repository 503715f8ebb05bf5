//! `smpirun calibrate`: measures a real MPI and writes its platform.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Parser;
use smpi_base::print::reason;
use smpi_calibrate::quiet::{self, Watch};
use smpi_calibrate::{Model, Samples, Session, Site, page, session};

use crate::apart::Files;
use crate::failure::{Failure, of_clap};
use crate::{children, outputs, units};

/// The measuring program, compiled where it is needed: for the ABI, and once more without MPI.
const PROGRAM: &str = include_str!("../../libsmpi/crates/calibrate/src/measure.c");

/// Options that say how to measure.
const MEASURING: [&str; 8] = ["with", "local_with", "samples", "largest", "sizes", "seconds", "passes", "timeout"];

/// Measure what messages cost under another MPI, and write a platform that behaves like it.
#[derive(Parser, Debug)]
#[command(name = "smpirun calibrate", version, disable_version_flag = true)]
pub struct Options {
    /// The launcher with its options, for two ranks: "mpiexec -n 2 --hosts a,b"
    #[arg(long, value_name = "COMMAND", required_unless_present = "from")]
    with: Option<String>,
    /// The same for two ranks on one host: measures messages inside a host
    #[arg(long, value_name = "COMMAND")]
    local_with: Option<String>,
    /// The platform to write; a page with the fit is written beside it (.html)
    #[arg(short, long, value_name = "FILE", default_value = "calibrated.toml")]
    output: PathBuf,
    /// Hosts of the platform; default: those that were measured
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    hosts: Option<u32>,
    /// Largest message
    #[arg(long, value_name = "SIZE", default_value = "16MiB")]
    largest: String,
    /// Sizes to measure, at most 400
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(20..=400))]
    sizes: u32,
    /// Seconds for messages; three passes over all sizes are made in any case
    #[arg(long, value_name = "S", default_value_t = 20)]
    seconds: u32,
    /// Passes over all sizes at most
    #[arg(long, value_name = "N", default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..))]
    passes: u32,
    /// Give up after this time
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
    /// Keep the samples in this file
    #[arg(long, value_name = "FILE")]
    samples: Option<PathBuf>,
    /// Fit the samples of this file; nothing is measured
    #[arg(long, value_name = "FILE", conflicts_with_all = MEASURING)]
    from: Option<PathBuf>,
}

/// The answer, if the words after `smpirun` ask for a calibration.
pub fn answer(words: &[String]) -> Option<Result<String, Failure>> {
    let (first, rest) = words.split_first()?;
    if first != "calibrate" {
        return None;
    }
    Some(match Options::try_parse_from(std::iter::once("smpirun calibrate").chain(rest.iter().map(String::as_str))) {
        Ok(options) => check_outputs(&options)
            .and_then(|()| children::prepare("calibrate"))
            .and_then(|()| calibrate(&options).map_err(Failure::Refused)),
        Err(why) if !why.use_stderr() => Ok(why.to_string()),
        Err(why) => Err(of_clap(&why, "smpirun calibrate --help")),
    })
}

/// The page beside the platform.
fn page_of(options: &Options) -> PathBuf {
    options.output.with_extension("html")
}

/// Refuses files that cannot be written, or are the same, before anything is measured.
fn check_outputs(options: &Options) -> Result<(), Failure> {
    let (mut files, page) = (Files::default(), page_of(options));
    options.from.iter().for_each(|file| files.reads("--from", file));
    let written =
        [("-o", Some(&options.output)), ("the page beside it,", Some(&page)), ("--samples", options.samples.as_ref())];
    for (name, file) in written.into_iter().filter_map(|(name, file)| Some((name, file?))) {
        outputs::check_file(name, file, false)?;
        files.writes(name, file);
    }
    files.check()
}

fn calibrate(options: &Options) -> Result<String, String> {
    let largest = units::size(&options.largest).filter(|size| (1024..=1 << 30).contains(size)).ok_or_else(|| {
        format!("--largest {}: expected a size from 1KiB to 1GiB, for example 16MiB", options.largest)
    })?;
    let (samples, local, own_speed) = match &options.from {
        Some(file) => (parse_file(file)?, None, None),
        None => measure(options, largest)?,
    };
    let measured = if samples.is_one_host() { 1 } else { 2 };
    let site = Site {
        command: options.with.clone().unwrap_or_else(|| "(earlier samples)".into()),
        hosts: options.hosts.unwrap_or(measured),
        // On the machine that was measured, measured seconds are its own seconds.
        own_speed: own_speed.filter(|_| !samples.hosts.contains(&own_name())),
    };
    let model = Model::fit(&samples, local.as_ref());
    let platform = model.platform(&samples, &site);
    let page_file = page_of(options);
    write(&options.output, &platform)?;
    write(&page_file, &page::page(&model, &samples, &site, &platform))?;
    let (median, worst) = model.errors();
    let largest = samples.sizes("oneway").last().copied().unwrap_or(0);
    let busy = match &samples.disturbances[..] {
        [] => String::new(),
        all => format!("It is the platform of a busy machine: {}", quiet::told(all)),
    };
    Ok(format!(
        "{} and {} written: {} sizes up to {largest} bytes, the fit is {:.1} % off in the median, {:.1} % at worst.\n{busy}",
        options.output.display(),
        page_file.display(),
        model.points.len(),
        100.0 * median,
        100.0 * worst,
    ))
}

/// Samples of the ways that were asked for, and the speed of this machine.
fn measure(options: &Options, largest: u64) -> Result<(Samples, Option<Samples>, Option<f64>), String> {
    let watch = Watch::begin();
    let parent = options.output.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let tools = tools()?;
    let session = Session::new(parent, &tools)?;
    let alone = session.compile("cc", &["-DALONE"], PROGRAM, "kernel")?;
    let program = session.compile("smpicc", &[], PROGRAM, "measure")?;
    let limit = Duration::from_secs(options.timeout);
    let kernel = session.run(&[alone.display().to_string()], &[], limit)?;
    let own_speed = kernel
        .lines()
        .filter_map(|line| line.strip_prefix("sample flops ")?.split_once(' '))
        .filter_map(|(flops, seconds)| Some(flops.parse::<f64>().ok()? / seconds.parse::<f64>().ok()?));
    let own_speed = own_speed.max_by(f64::total_cmp);
    let run = |command: &str, option: &str| -> Result<(String, Samples), String> {
        let mut words: Vec<String> = command.split_whitespace().map(String::from).collect();
        let launcher = words.first().map(String::as_str).unwrap_or_default();
        let variables = session::variables(launcher);
        words.push(program.display().to_string());
        words.extend(
            [largest, options.sizes.into(), options.seconds.into(), options.passes.into()].map(|n| n.to_string()),
        );
        let said = session.run(&words, &variables, limit).map_err(|why| format!("{option}: {why}"))?;
        let advice = "the launcher has to start two ranks of an MPI with the standard ABI (MPICH 5, Open MPI 6, \
                      `pip install mpich`), and its libmpi_abi.so.1 has to be found: set LD_LIBRARY_PATH";
        let samples = Samples::parse(&said).map_err(|why| format!("{option} \"{command}\": {why}; {advice}"))?;
        Ok((said, samples))
    };
    let (said, mut samples) = run(options.with.as_deref().unwrap_or_default(), "--with")?;
    if !samples.is_simulated() {
        // Both ranks take a core while they wait for each other.
        samples.disturbances = watch.end(2);
    }
    if let Some(file) = &options.samples {
        write(file, &(said + &Samples::disturbed(&samples.disturbances)))?;
    }
    let local = options.local_with.as_deref().map(|command| run(command, "--local-with")).transpose()?;
    let local = local.map(|(_, local)| local);
    if local.is_some() && !samples.is_simulated() {
        samples.disturbances = watch.end(2);
    }
    if let Some(local) = &local
        && !local.is_one_host()
    {
        let hosts = local.hosts.join(" and ");
        return Err(format!("--local-with: the ranks ran on {hosts}, expected one host; name one in the command"));
    }
    if local.is_some() && samples.is_one_host() {
        let host = &samples.hosts[0];
        return Err(format!(
            "--with: both ranks ran on {host}, expected two hosts beside --local-with; name two, or leave --local-with out"
        ));
    }
    Ok((samples, local, own_speed))
}

/// The directory of this executable: the compiler wrappers are beside it.
pub fn tools() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| format!("cannot find smpirun itself: {}", reason(&error)))?;
    Ok(own.parent().map(Path::to_owned).unwrap_or_default())
}

fn own_name() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned()
}

fn read(file: &Path) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|error| format!("cannot read {}: {}", file.display(), reason(&error)))
}

fn parse_file(file: &Path) -> Result<Samples, String> {
    let expected = "expected a file that smpirun calibrate --samples has written";
    Samples::parse(&read(file)?).map_err(|why| format!("--from {}: {why}; {expected}", file.display()))
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    smpi_base::whole::write(file, text)
        .map_err(|error| format!("cannot write {}: {}; name another file", file.display(), reason(&error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(words: &str) -> Option<Result<String, Failure>> {
        answer(&words.split(' ').map(String::from).collect::<Vec<_>>())
    }

    fn refused(words: &str) -> String {
        match ask(words) {
            Some(Err(Failure::Refused(text))) => text,
            other => panic!("{words}: {other:?}"),
        }
    }

    #[test]
    fn only_questions_are_answered() {
        assert!(ask("./calibrate --with x").is_none() && refused("calibrate 4").contains('4'));
        assert!(matches!(ask("calibrate --help"), Some(Ok(text)) if text.contains("--local-with")));
        assert!(refused("calibrate").contains("--with"));
        assert!(refused("calibrate --with x --largest 3B").contains("expected a size from 1KiB"));
        assert!(refused("calibrate --with x --sizes 5").contains("expected a number from 20 to 400"));
        assert!(refused("calibrate --with x --hosts 0").contains("expected a number from 1"));
        assert!(refused("calibrate --with x --timeout ten").contains("expected a number"));
        assert!(refused("calibrate --from /no/such/file").contains("cannot read /no/such/file"));
        assert!(refused("calibrate --from x --passes 3").contains("leave one of them out"));
    }
}
