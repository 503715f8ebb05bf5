//! Which tests belong to which step of `cargo xtask test`: cargo's words for them.
//!
//! Both steps choose targets of the whole workspace. With a choice of packages cargo chooses the features of all
//! dependencies anew, and compiles most of them a second time.

use crate::shell::{cargo, output};
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;

/// The package whose tests run whole programs.
const PROGRAMS: &str = "smpi-tests";

/// Tests over whole programs that use one processor for long: they run beside the others.
const ALONE: [&str; 3] = ["profile", "property_campaign", "report_page"];

/// Names of integration tests: those of the packages themselves, and those over whole programs.
struct Targets {
    own: BTreeSet<String>,
    programs: BTreeSet<String>,
}

/// Asks cargo.
fn targets() -> Result<Targets, String> {
    let text = output(&mut cargo(&["metadata", "--no-deps", "--format-version=1"]))?;
    let metadata: Value = serde_json::from_str(&text).map_err(|e| format!("cargo metadata: {e}"))?;
    let (mut own, mut programs) = (BTreeSet::new(), BTreeSet::new());
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let set = if package["name"] == PROGRAMS { &mut programs } else { &mut own };
        let targets = package["targets"].as_array().into_iter().flatten();
        let tests = targets.filter(|target| target["kind"][0] == "test");
        set.extend(tests.filter_map(|target| Some(target["name"].as_str()?.to_owned())));
    }
    if let Some(name) = own.intersection(&programs).next() {
        return Err(format!(
            "two packages have tests named `{name}`, of which one is {PROGRAMS}: cargo cannot tell them apart"
        ));
    }
    if programs.is_empty() {
        return Err(format!("cargo metadata shows no tests of {PROGRAMS}"));
    }
    Ok(Targets { own, programs })
}

fn test(words: &[&str], names: &BTreeSet<String>) -> Command {
    let mut command = cargo(&["test", "--quiet", "--no-fail-fast", "--workspace"]);
    command.args(words).args(names.iter().flat_map(|name| ["--test", name]));
    command
}

/// Unit tests of all packages, and their own integration tests.
///
/// # Errors
/// When cargo does not say what there is.
pub fn unit() -> Result<Command, String> {
    Ok(test(&["--lib", "--bins"], &targets()?.own))
}

/// Examples in documentation.
pub fn examples() -> Command {
    test(&["--doc"], &BTreeSet::new())
}

/// Tests over whole programs.
pub struct Programs {
    /// Compiles them all.
    pub compiled: Command,
    /// Those that run one after the other.
    pub main: Command,
    /// Those that run beside them, each on one processor.
    pub beside: Command,
}

/// The commands that run tests over whole programs.
///
/// # Errors
/// When cargo does not say what there is, or a test that is to run beside others is none of them.
pub fn programs() -> Result<Programs, String> {
    let all = targets()?.programs;
    let (beside, main): (BTreeSet<String>, _) = all.iter().cloned().partition(|name| ALONE.contains(&name.as_str()));
    if beside.len() < ALONE.len() {
        return Err(format!("of {ALONE:?}, which run beside other tests, {PROGRAMS} has only {beside:?}"));
    }
    Ok(Programs { compiled: test(&["--no-run"], &all), main: test(&[], &main), beside: test(&[], &beside) })
}
