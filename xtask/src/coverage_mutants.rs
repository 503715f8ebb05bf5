//! Which test programs notice that a function does nothing: runs of test programs with `coverage_tool` preloaded.
//!
//! Only programs in C and C++ that are simulated take part. Programs in Fortran call the same functions, of which C's
//! tests say enough, and a finding of a verification says little about a result.

use crate::coverage_tool::{BROKEN, FAILED, REFUSING, TRACE};
use smpi_tests::case::Case;
use smpi_tests::directives;
use smpi_tests::toolchain::{self, Launch, Toolchain};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What is broken about a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// Where it would succeed, it does nothing and reports success.
    Nothing,
    /// It does nothing and reports success, always.
    Never,
    /// It does its work and reports an error.
    Refusing,
}

/// A test program, built, that passes with the tool preloaded.
pub struct Subject {
    case: Case,
    programs: Vec<Launch>,
    directory: PathBuf,
    tool: PathBuf,
    /// Functions that it calls, with those of its calls that fail, as the tool wants them.
    pub calls: BTreeMap<String, String>,
}

/// The test programs that take part: name, source and what they say about themselves.
pub fn cases(tools: &Toolchain) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    for source in toolchain::programs()?.into_iter().filter(|source| !toolchain::is_fortran(source)) {
        let text = std::fs::read_to_string(&source).map_err(|e| format!("{}: {e}", source.display()))?;
        let directives = directives::parse(&text).map_err(|e| format!("{}: {e}", source.display()))?;
        if directives.verification.is_none() && tools.skip_reason(&directives, false).is_none() {
            let name = toolchain::program_name(&source);
            cases.push(Case { tools: tools.clone(), directives, source, name });
        }
    }
    Ok(cases)
}

impl Subject {
    /// Builds a program below `scratch`, and runs it to see which functions it calls.
    pub fn new(case: Case, tool: &Path, scratch: &Path) -> Result<Subject, String> {
        let directory = scratch.join(case.name.replace('/', "-"));
        let _ = std::fs::remove_dir_all(&directory);
        let programs = case.build(&directory)?;
        let tool = tool.to_owned();
        let mut subject = Subject { case, programs, directory, tool, calls: BTreeMap::new() };
        let trace = subject.directory.with_extension("trace");
        let _ = std::fs::remove_file(&trace);
        let variables = [(TRACE.to_owned(), trace.display().to_string())];
        if subject.run(&variables)? != Some(true) {
            return Err(format!("{} fails with a tool that only looks on", subject.name()));
        }
        let text = std::fs::read_to_string(&trace).unwrap_or_default();
        for words in text.lines().map(|line| line.split(' ').collect::<Vec<_>>()) {
            match words.as_slice() {
                ["called", name] => drop(subject.calls.entry((*name).to_owned()).or_insert_with(|| ",".to_owned())),
                ["failed", name, rank, number] => {
                    let failed = subject.calls.entry((*name).to_owned()).or_insert_with(|| ",".to_owned());
                    failed.push_str(&format!("{rank}:{number},"));
                }
                _ => return Err(format!("{}: unexpected line {words:?}", trace.display())),
            }
        }
        Ok(subject)
    }

    /// Chapter and file name without ending.
    pub fn name(&self) -> &str {
        &self.case.name
    }

    /// Whether the program itself says that results are right, and not only its exit code or a message of smpirun.
    pub fn judges(&self) -> bool {
        self.case.directives.pass || !self.case.directives.stdout.is_empty()
    }

    /// Whether the program fails when this function is broken. One that does not come to an end does not count: on a
    /// busy machine that may have other reasons.
    pub fn notices(&self, function: &str, mutation: Mutation) -> Result<bool, String> {
        let Some(failed) = self.calls.get(function) else { return Ok(false) };
        let mut variables = vec![(BROKEN.to_owned(), function.to_owned())];
        variables.extend((mutation != Mutation::Never).then(|| (FAILED.to_owned(), failed.clone())));
        variables.extend((mutation == Mutation::Refusing).then(|| (REFUSING.to_owned(), "1".to_owned())));
        Ok(self.run(&variables)? == Some(false))
    }

    /// Runs the program with the tool; what it leaves in its directory is removed.
    fn run(&self, variables: &[(String, String)]) -> Result<Option<bool>, String> {
        let before = names(&self.directory)?;
        let preload = [("LD_PRELOAD".to_owned(), self.tool.display().to_string())];
        let passes = self.case.passes(&self.programs, &self.directory, &[&preload, variables].concat())?;
        for path in names(&self.directory)?.difference(&before) {
            let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
        }
        Ok(passes)
    }
}

fn names(directory: &Path) -> Result<BTreeSet<PathBuf>, String> {
    Ok(toolchain::entries(directory)?.into_iter().collect())
}
