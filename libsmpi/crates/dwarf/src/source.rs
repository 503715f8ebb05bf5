//! Code addresses as the user knows them: function, file and line.
//!
//! Addresses are those of the executable file (link-time addresses), so the same answer serves every rank's image.

use addr2line::{Loader, gimli};
use std::fmt;
use std::path::Path;

/// How debug information calls Fortran (DWARF 5 §7.12).
const FORTRAN: [gimli::DwLang; 6] = [
    gimli::DW_LANG_Fortran77,
    gimli::DW_LANG_Fortran90,
    gimli::DW_LANG_Fortran95,
    gimli::DW_LANG_Fortran03,
    gimli::DW_LANG_Fortran08,
    gimli::DW_LANG_Fortran18,
];

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

impl SourceLocation {
    /// True for what a header of the system or of the compiler defines: a template of C++'s library, for example.
    pub fn is_in_library(&self) -> bool {
        const DIRECTORIES: [&str; 3] = ["/usr/include/", "/usr/lib/", "/usr/local/include/"];
        self.file.as_ref().is_some_and(|file| DIRECTORIES.iter().any(|directory| file.starts_with(directory)))
    }
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

/// Where something is, to be put behind what is said of it: ` in main (a.c:3)`; empty when that is not known.
pub fn in_words(place: Option<&SourceLocation>) -> String {
    place.map_or(String::new(), |place| format!(" in {place}"))
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

    /// Function and line of a link-time address; of inlined functions, the innermost that is not a library's.
    pub fn locate(&self, address: u64) -> SourceLocation {
        self.path(address).into_iter().next().unwrap_or_default()
    }

    /// The same, without a function where debug information has none, and behind it the places at which that function
    /// is inlined, the innermost first, without those in libraries. The `main` that gfortran makes, which calls the
    /// program's `MAIN__`, has no line.
    pub fn path(&self, address: u64) -> Vec<SourceLocation> {
        let (mut places, mut is_fortrans) = (Vec::new(), false);
        if let Ok(mut frames) = self.loader.find_frames(address) {
            while let Ok(Some(frame)) = frames.next() {
                let name = frame.function.as_ref();
                let symbol = name.and_then(|name| Some(name.raw_name().ok()?.into_owned()));
                let is_fortran =
                    name.and_then(|name| name.language).is_some_and(|language| FORTRAN.contains(&language));
                is_fortrans = is_fortran;
                places.push(SourceLocation {
                    function: symbol.as_deref().map(if is_fortran { readable_fortran } else { readable }),
                    file: frame.location.as_ref().and_then(|location| location.file.map(str::to_string)),
                    line: frame.location.and_then(|location| location.line),
                });
            }
        }
        // The last one is not inlined in anything.
        if is_fortrans
            && self.loader.find_symbol(address) == Some("main")
            && let Some(main) = places.last_mut()
        {
            (main.file, main.line) = (None, None);
        }
        match places.iter().any(|place| !place.is_in_library()) {
            true => places.retain(|place| !place.is_in_library()),
            false => places.truncate(1),
        }
        if places.is_empty() {
            places.push(SourceLocation::default());
        }
        places
    }
}

/// The name of a function or variable as its source has it. Names that are not mangled stay: `d` is a name in C and
/// in Fortran, and the mangled `double` in C++.
pub fn readable(symbol: &str) -> String {
    if symbol.starts_with("_Z") || symbol.starts_with("_R") {
        return addr2line::demangle_auto(symbol.into(), None).into_owned();
    }
    match symbol.strip_prefix("__").and_then(|rest| rest.split_once("_MOD_")) {
        Some((module, name)) => format!("{module}::{name}"),
        None => symbol.to_string(),
    }
}

/// The same of what is known to be Fortran: procedures outside of modules have an underscore more than in the source.
fn readable_fortran(symbol: &str) -> String {
    readable(symbol.strip_suffix('_').filter(|_| symbol != "MAIN__").unwrap_or(symbol))
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
    fn names_are_those_of_the_source() {
        assert_eq!(readable("__physics_MOD_d"), "physics::d");
        assert_eq!(readable("_ZN7physics1dEv"), "physics::d()");
        for plain in ["d", "i", "main", "__libc_start_main", "solve_"] {
            assert_eq!(readable(plain), plain);
        }
        for (symbol, name) in [("solve_", "solve"), ("__physics_MOD_d", "physics::d"), ("MAIN__", "MAIN__")] {
            assert_eq!(readable_fortran(symbol), name);
        }
    }

    #[test]
    fn headers_of_the_system_are_a_librarys() {
        let place = |file: &str| SourceLocation { file: Some(file.into()), ..SourceLocation::default() };
        assert!(place("/usr/include/c++/12/bits/stl_vector.h").is_in_library());
        assert!(!place("/home/me/usr/include/a.h").is_in_library() && !place("a.cpp").is_in_library());
        assert!(!SourceLocation::default().is_in_library());
    }

    #[test]
    fn a_missing_file_has_no_source() {
        assert!(Source::open(Path::new("/nonexistent/program")).is_none());
    }
}
