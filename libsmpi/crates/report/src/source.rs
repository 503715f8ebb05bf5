//! Code addresses as the user knows them: function, file and line.
//!
//! Addresses are those of the executable file (link-time addresses), so the same answer serves every rank's image.

use addr2line::Loader;
use std::fmt;
use std::path::Path;

/// Where in the source an address is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourceLocation {
    /// Name of the function, demangled; `None` when the executable does not tell.
    pub function: Option<String>,
    /// File, as the compiler was given it; `None` without debug information (`-g`).
    pub file: Option<String>,
    /// Line, counted from 1.
    pub line: Option<u32>,
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.function.as_deref().unwrap_or("a function without a name"))?;
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, " ({file}:{line})"),
            (Some(file), None) => write!(f, " ({file})"),
            _ => Ok(()),
        }
    }
}

/// The debug information of one executable, read on demand.
pub struct Source {
    loader: Loader,
}

impl Source {
    /// Opens an executable. `None` when it cannot be read (any more).
    pub fn open(path: &Path) -> Option<Source> {
        Some(Source { loader: Loader::new(path).ok()? })
    }

    /// Function and line of a link-time address; of an inlined function, the innermost.
    pub fn locate(&self, address: u64) -> SourceLocation {
        let mut found = SourceLocation::default();
        if let Ok(mut frames) = self.loader.find_frames(address)
            && let Ok(Some(frame)) = frames.next()
        {
            found.function = frame.function.and_then(|name| Some(name.demangle().ok()?.into_owned()));
            if let Some(location) = frame.location {
                found.file = location.file.map(str::to_string);
                found.line = location.line;
            }
        }
        if found.function.is_none() {
            found.function =
                self.loader.find_symbol(address).map(|name| addr2line::demangle_auto(name.into(), None).into_owned());
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_read_like_a_compiler_message() {
        let mut location = SourceLocation { function: Some("work".into()), file: Some("a.c".into()), line: Some(7) };
        assert_eq!(location.to_string(), "work (a.c:7)");
        location.file = None;
        assert_eq!(location.to_string(), "work");
        assert_eq!(SourceLocation::default().to_string(), "a function without a name");
    }

    #[test]
    fn a_missing_file_has_no_source() {
        assert!(Source::open(Path::new("/nonexistent/program")).is_none());
    }
}
