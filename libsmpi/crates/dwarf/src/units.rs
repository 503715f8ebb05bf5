//! Which parts of an executable were compiled without a certain option, from its debug information: compilers note
//! their options in each unit (`DW_AT_producer`, DWARF 5 §3.1.1; gcc does so by default, clang with
//! `-grecord-command-line`).
//!
//! Code that no unit covers was compiled without debug information, so nothing is known of its options: it counts as
//! compiled without. What compilers and C libraries put into every executable does not count.

use addr2line::gimli::{self, AttributeValue, Dwarf, EndianSlice, LittleEndian, SectionId, Unit};
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};
use std::collections::BTreeSet;
use std::path::Path;

type Reader<'a> = EndianSlice<'a, LittleEndian>;

/// Functions of the start-up files and of libc's static part, without the two underscores that others begin with.
const START_UP: [&str; 8] = [
    "_start",
    "_init",
    "_fini",
    "deregister_tm_clones",
    "register_tm_clones",
    "frame_dummy",
    "atexit",
    "at_quick_exit",
];
/// What gfortran writes into the names of a module's procedures, which begin with two underscores as well.
const MODULE_PROCEDURE: &str = "_MOD_";

/// Functions that only announce a file with `-fsanitize=thread`, as gcc (with a number behind it) and clang call them.
const ANNOUNCEMENTS: [&str; 2] = ["_sub_I_00099_", "tsan.module_ctor"];

/// The code of one unit.
struct Code {
    ranges: Vec<(u64, u64)>,
    file: String,
    has_option: bool,
}

/// Names of the source files that were compiled without `option`, and of functions without debug information, sorted.
/// An executable that cannot be read has none.
pub fn without_option(path: &Path, option: &str) -> Vec<String> {
    let data = std::fs::read(path).unwrap_or_default();
    let Ok(file) = object::File::parse(&*data) else { return Vec::new() };
    let units = units(&file, option).unwrap_or_default();
    let mut names: BTreeSet<String> = units.iter().filter(|unit| !unit.has_option).map(|u| u.file.clone()).collect();
    let covered =
        |address: u64| units.iter().any(|unit| unit.ranges.iter().any(|&(low, high)| (low..high).contains(&address)));
    for symbol in file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0) {
        let name = symbol.name().unwrap_or_default();
        if symbol.is_definition() && !is_every_programs(name) && !covered(symbol.address()) {
            names.insert(format!("{name}()"));
        }
    }
    names.into_iter().collect()
}

/// Whether a function without debug information is one that compilers and C libraries bring along.
fn is_every_programs(name: &str) -> bool {
    START_UP.contains(&name)
        || ANNOUNCEMENTS.iter().any(|announcement| name.starts_with(announcement))
        || (name.starts_with("__") && !name.contains(MODULE_PROCEDURE))
}

/// The addresses of a unit's code.
pub(crate) fn code_of<'a>(dwarf: &Dwarf<Reader<'a>>, unit: &Unit<Reader<'a>>) -> Result<Vec<(u64, u64)>, gimli::Error> {
    let mut ranges = Vec::new();
    let mut iterator = dwarf.unit_ranges(unit)?;
    while let Some(range) = iterator.next()? {
        // Functions that the linker left out begin at 0.
        if range.begin != 0 && range.begin < range.end {
            ranges.push((range.begin, range.end));
        }
    }
    Ok(ranges)
}

/// The units that have code.
fn units(file: &object::File<'_>, option: &str) -> Result<Vec<Code>, gimli::Error> {
    let section = |id: SectionId| -> Result<Reader<'_>, gimli::Error> {
        let data = file.section_by_name(id.name()).and_then(|section| section.data().ok());
        Ok(EndianSlice::new(data.unwrap_or_default(), LittleEndian))
    };
    let dwarf = Dwarf::load(section)?;
    let mut found = Vec::new();
    let mut headers = dwarf.units();
    while let Some(header) = headers.next()? {
        let unit = dwarf.unit(header)?;
        let ranges = code_of(&dwarf, &unit)?;
        if !ranges.is_empty() {
            found.push(code(&dwarf, &unit, ranges, option)?);
        }
    }
    Ok(found)
}

fn code<'a>(
    dwarf: &Dwarf<Reader<'a>>,
    unit: &Unit<Reader<'a>>,
    ranges: Vec<(u64, u64)>,
    option: &str,
) -> Result<Code, gimli::Error> {
    let mut entries = unit.entries();
    let mut has_option = false;
    if let Some((_, root)) = entries.next_dfs()?
        && let Some(producer) = root.attr_value(gimli::DW_AT_producer)?
    {
        has_option = text(dwarf, unit, producer).split_whitespace().any(|word| word == option);
    }
    let path = unit.name.map_or("code of an unknown file".into(), |name| name.to_string_lossy().into_owned());
    let file = Path::new(&path).file_name().map_or(path.clone(), |name| name.to_string_lossy().into_owned());
    Ok(Code { ranges, file, has_option })
}

fn text<'a>(dwarf: &Dwarf<Reader<'a>>, unit: &Unit<Reader<'a>>, value: AttributeValue<Reader<'a>>) -> String {
    dwarf.attr_string(unit, value).map_or(String::new(), |text| text.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn what_every_program_has_does_not_count() {
        assert!(["_start", "frame_dummy", "__do_global_dtors_aux", "__udivti3"].into_iter().all(is_every_programs));
        assert!(["_sub_I_00099_0", "_sub_I_00099_0.1", "tsan.module_ctor"].into_iter().all(is_every_programs));
        assert!(!["main", "work_", "__part_MOD_work"].into_iter().any(is_every_programs));
    }

    #[test]
    fn files_and_functions_are_told_apart() {
        let directory = std::env::temp_dir().join(format!("smpi-units-{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("the temporary directory is writable");
        let compile = |name: &str, text: &str, words: &[&str]| {
            std::fs::write(directory.join(name), text).expect("the temporary directory is writable");
            let status = Command::new("cc").current_dir(&directory).arg("-c").args(words).arg(name).status();
            assert!(status.expect("there is a C compiler").success());
        };
        compile(
            "main.c",
            "int a(void); int b(void); int c; int main(void) { c = 1; return a() + b(); }",
            &["-g1", "-O1"],
        );
        compile("a.c", "int a(void) { return 0; }", &["-g1", "-O2"]);
        compile("b.c", "int b(void) { return 0; }", &["-g0", "-O1"]);
        let link = Command::new("cc").current_dir(&directory).args(["main.o", "a.o", "b.o", "-o", "program"]).status();
        assert!(link.expect("there is a C compiler").success());
        let program = directory.join("program");
        assert_eq!(without_option(&program, "-O1"), ["a.c", "b()"]);
        assert_eq!(without_option(&program, "-O3"), ["a.c", "b()", "main.c"]);
        let _ = std::fs::remove_dir_all(&directory);
        assert!(without_option(&program, "-O1").is_empty());
    }
}
