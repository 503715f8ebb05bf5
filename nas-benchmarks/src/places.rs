//! Where tools, benchmarks and platforms are, and what they are called.

use crate::refused::Refused;
use std::path::{Path, PathBuf};

/// Where things are.
#[derive(Debug)]
pub struct Places {
    /// The folder with smpirun and the compiler wrappers.
    pub tools: PathBuf,
    /// Our benchmarks.
    pub sources: PathBuf,
    /// The platforms that come with libsmpi.
    pub platforms: PathBuf,
}

/// A platform's name in tables and pictures.
pub fn stem(platform: &Path) -> String {
    platform.file_stem().unwrap_or(platform.as_os_str()).to_string_lossy().into_owned()
}

/// Refuses if one of our tools is missing.
pub fn check_tool(tools: &Path, name: &str) -> Result<(), Refused> {
    let tool = tools.join(name);
    if tool.is_file() {
        return Ok(());
    }
    Err(Refused::new(
        format!("'{}' is missing", tool.display()),
        "build it with: cargo build --release, or give --tools DIR",
    ))
}
