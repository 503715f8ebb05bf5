//! Right programs: those of `tests/programs`, and random ones.

use super::written;
use crate::crossing;
use crate::toolchain::{self, Toolchain};
use smpi_base::rng::Rng;
use std::path::PathBuf;

/// A program that may be right; whether it is, a verification says.
#[derive(Clone, Debug)]
pub struct Base {
    /// Its name: chapter and file, or `random-SEED`.
    pub name: String,
    /// Its source.
    pub text: String,
    /// Its number of ranks.
    pub ranks: u32,
    /// Its arguments.
    pub args: Vec<String>,
    /// Options of smpirun.
    pub options: Vec<String>,
    /// Options of the compiler.
    pub compiler: Vec<String>,
    /// Variables of its environment.
    pub environment: Vec<(String, String)>,
}

/// The programs in C that are one file and need nothing special, sorted by name.
///
/// # Errors
/// When one cannot be read.
pub fn programs(tools: &Toolchain) -> Result<Vec<Base>, String> {
    let mut bases = Vec::new();
    for case in crossing::programs(tools, false)? {
        let directives = case.directives;
        let options = directives.verification.map_or(Vec::new(), |verification| verification.options);
        let is_plain = options.is_empty() || matches!(&options[..], [name, _] if name == "--buffering");
        let is_alone =
            directives.sources.is_empty() && directives.library.is_empty() && directives.companions.is_empty();
        let is_c = case.source.extension().is_some_and(|ending| ending == "c");
        if !is_plain || !is_alone || !is_c || !directives.smpirun_args.is_empty() || directives.ranks < 2 {
            continue;
        }
        let folder = case.source.parent().map(PathBuf::from).unwrap_or_default();
        let mut compiler = vec!["-I".to_string(), folder.display().to_string()];
        compiler.extend(directives.standard.iter().map(|standard| format!("-std={standard}")));
        compiler.extend(directives.compile_args.iter().filter(|word| *word != "--verify").cloned());
        bases.push(Base {
            name: toolchain::program_name(&case.source),
            text: std::fs::read_to_string(&case.source).map_err(|e| format!("{}: {e}", case.source.display()))?,
            ranks: directives.ranks,
            args: directives.args,
            options,
            compiler,
            environment: directives.environment,
        });
    }
    Ok(bases)
}

/// A random program.
pub fn random(rng: &mut Rng) -> Base {
    let seed = rng.next_u64() % 1_000_000;
    let (text, ranks) = written::program(seed);
    Base {
        name: format!("random-{seed}"),
        text,
        ranks,
        args: Vec::new(),
        options: Vec::new(),
        compiler: vec!["-I".to_string(), toolchain::root().join("tests/programs/verify").display().to_string()],
        environment: Vec::new(),
    }
}
