//! What is to be run: a study as its TOML file says, checked before anything runs. `docs/sweeps.md` has the format.
//!
//! It knows neither what has run already nor how runs are started.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use smpi_base::print::reason;
use toml::Spanned;

use crate::failure::Failure;
use crate::{platform, program};

/// Programs, numbers of ranks, platforms and settings: every program is run with every combination.
#[derive(Debug)]
pub struct Study {
    /// Where the file is. Paths of the file begin here, and programs run here.
    pub directory: PathBuf,
    /// The programs; at least one.
    pub programs: Vec<Program>,
    /// The platforms; at least one.
    pub platforms: Vec<Platform>,
    /// The settings; at least one, which may have no name.
    pub settings: Vec<Setting>,
    /// How computation is charged.
    pub compute: Compute,
    /// How often each run is made.
    pub repeat: u32,
}

/// A program.
#[derive(Debug)]
pub struct Program {
    /// What tables call it.
    pub name: String,
    /// Its path from the study's directory, with at least one slash.
    pub path: String,
    /// Its arguments, in which `{ranks}` stands for the number of ranks.
    pub args: Vec<String>,
    /// Other files on which its runs depend, from the study's directory.
    pub files: Vec<String>,
    /// Numbers of ranks, in ascending order.
    pub ranks: Vec<u32>,
    /// Whether its work grows with the number of ranks.
    pub is_weak: bool,
}

impl Program {
    /// The arguments of a run.
    pub fn arguments(&self, ranks: u32) -> Vec<String> {
        self.args.iter().map(|word| word.replace("{ranks}", &ranks.to_string())).collect()
    }
}

/// A platform.
#[derive(Debug)]
pub struct Platform {
    /// What tables call it.
    pub name: String,
    /// Its file, from the study's directory.
    pub path: String,
    /// What a host costs in an hour, in any currency.
    pub cost_per_hour: Option<f64>,
}

/// Settings of a run.
#[derive(Debug, Default)]
pub struct Setting {
    /// What tables call it; empty where there is only one.
    pub name: String,
    /// `key:value`, as for `--cfg`.
    pub cfg: Vec<String>,
}

/// How computation between calls is charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compute {
    /// It takes no time.
    Off,
    /// It is measured once for each program and number of ranks, and is the same on all platforms.
    Recorded,
    /// It is measured in each run.
    Measured,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StudyFile {
    study: Spanned<StudyTable>,
    #[serde(default)]
    program: Vec<Spanned<ProgramTable>>,
    #[serde(default)]
    platform: Vec<PlatformTable>,
    #[serde(default)]
    setting: Vec<SettingTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StudyTable {
    #[serde(default)]
    ranks: Vec<Spanned<u32>>,
    #[serde(default)]
    platforms: Vec<Spanned<String>>,
    compute: Option<Spanned<String>>,
    repeat: Option<Spanned<u32>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProgramTable {
    name: Option<Spanned<String>>,
    path: Spanned<String>,
    #[serde(default)]
    args: Vec<Spanned<String>>,
    #[serde(default)]
    files: Vec<Spanned<String>>,
    #[serde(default)]
    ranks: Vec<Spanned<u32>>,
    scaling: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlatformTable {
    name: Option<Spanned<String>>,
    path: Spanned<String>,
    cost_per_hour: Option<Spanned<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SettingTable {
    name: Spanned<String>,
    #[serde(default)]
    cfg: Vec<Spanned<String>>,
}

impl Study {
    /// Reads a study.
    ///
    /// # Errors
    /// Refusals with file, line and column.
    pub fn load(path: &Path) -> Result<Study, Failure> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| {
            Failure::Refused(format!(
                "{name}: cannot read the study: {}; smpirun sweep --help shows one",
                reason(&error)
            ))
        })?;
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Study::parse(&name, &text, directory)
    }

    fn parse(name: &str, text: &str, directory: &Path) -> Result<Study, Failure> {
        let source = Source { name, text, directory };
        let file: StudyFile = toml::from_str(text).map_err(|error| {
            let place = error.span().map_or(String::new(), |span| position(text, span.start));
            let message = error.message().trim_end_matches('.').replace('\n', "; ");
            Failure::Refused(format!("{name}:{place} {message}; smpirun sweep --help shows a study"))
        })?;
        let place = file.study.span();
        let table = file.study.into_inner();
        let ranks = source.ranks(&table.ranks)?;
        if file.program.is_empty() {
            return source.refuse(place, "there is no program, expected [[program]] with a path; add one");
        }
        let mut programs = Vec::new();
        for table in file.program {
            programs.push(source.program(table, &ranks)?);
        }
        unique(&source, programs.iter().map(|(name, _)| name), "program")?;
        let mut platforms = Vec::new();
        for path in table.platforms {
            platforms.push(source.platform(PlatformTable { name: None, path, cost_per_hour: None })?);
        }
        for table in file.platform {
            platforms.push(source.platform(table)?);
        }
        if platforms.is_empty() {
            return source.refuse(place, "there is no platform, expected platforms = [\"cluster.toml\"]; add the line");
        }
        unique(&source, platforms.iter().map(|(name, _)| name), "platform")?;
        let settings = source.settings(file.setting)?;
        let (compute, repeat) = source.compute(table.compute, table.repeat)?;
        Ok(Study {
            directory: directory.to_path_buf(),
            programs: programs.into_iter().map(|(_, program)| program).collect(),
            platforms: platforms.into_iter().map(|(_, platform)| platform).collect(),
            settings,
            compute,
            repeat,
        })
    }
}

/// The file, for refusals.
struct Source<'a> {
    name: &'a str,
    text: &'a str,
    directory: &'a Path,
}

/// A name, and where it stands.
type Named = (String, Range<usize>);

impl Source<'_> {
    fn refuse<T>(&self, span: Range<usize>, message: &str) -> Result<T, Failure> {
        Err(Failure::Refused(format!("{}:{} {message}", self.name, position(self.text, span.start))))
    }

    /// Numbers of ranks, sorted.
    fn ranks(&self, list: &[Spanned<u32>]) -> Result<Vec<u32>, Failure> {
        if let Some(zero) = list.iter().find(|ranks| *ranks.get_ref() == 0) {
            return self.refuse(zero.span(), "0 ranks, expected at least one; correct the number");
        }
        let mut ranks: Vec<u32> = list.iter().map(|ranks| *ranks.get_ref()).collect();
        ranks.sort_unstable();
        ranks.dedup();
        Ok(ranks)
    }

    fn program(&self, table: Spanned<ProgramTable>, usual: &[u32]) -> Result<(Named, Program), Failure> {
        let place = table.span();
        let table = table.into_inner();
        let mut ranks = self.ranks(&table.ranks)?;
        if ranks.is_empty() {
            ranks = usual.to_vec();
        }
        if ranks.is_empty() {
            return self
                .refuse(place, "there are no numbers of ranks, expected ranks = [1, 2, 4] in [study]; add the line");
        }
        let span = table.path.span();
        let path = with_slash(table.path.get_ref());
        if let Err(Failure::Refused(message)) = program::find(&below(self.directory, &path).display().to_string()) {
            return self.refuse(span, &format!("{message}; correct the path"));
        }
        if let Some(word) = table.args.iter().find(|word| word.get_ref() == ":") {
            return self
                .refuse(word.span(), "the argument \":\" begins another program, expected one program; remove it");
        }
        for file in &table.files {
            self.exists(file, "file")?;
        }
        let is_weak = match table.scaling.as_ref().map(|word| (word.get_ref().as_str(), word.span())) {
            None | Some(("strong", _)) => false,
            Some(("weak", _)) => true,
            Some((word, span)) => {
                let message =
                    format!("scaling = \"{word}\" does not exist, expected \"strong\" or \"weak\"; choose one");
                return self.refuse(span, &message);
            }
        };
        let name = self.name(table.name, &path, span)?;
        let words = |list: Vec<Spanned<String>>| list.into_iter().map(Spanned::into_inner).collect();
        let program =
            Program { name: name.0.clone(), path, args: words(table.args), files: words(table.files), ranks, is_weak };
        Ok((name, program))
    }

    fn platform(&self, table: PlatformTable) -> Result<(Named, Platform), Failure> {
        self.exists(&table.path, "platform")?;
        // Its own words name the file and the line in it.
        if let Err(why) = platform::check(&below(self.directory, table.path.get_ref())) {
            return self.refuse(table.path.span(), &format!("no run can use this platform: {why}"));
        }
        if let Some(cost) =
            table.cost_per_hour.as_ref().filter(|cost| !cost.get_ref().is_finite() || *cost.get_ref() < 0.0)
        {
            let message =
                format!("cost_per_hour = {} is not possible, expected a price of a host; correct it", cost.get_ref());
            return self.refuse(cost.span(), &message);
        }
        let path = table.path.get_ref().clone();
        let name = self.name(table.name, &path, table.path.span())?;
        let cost_per_hour = table.cost_per_hour.map(Spanned::into_inner);
        Ok((name.clone(), Platform { name: name.0, path, cost_per_hour }))
    }

    fn settings(&self, tables: Vec<SettingTable>) -> Result<Vec<Setting>, Failure> {
        let names: Vec<Named> = tables.iter().map(|table| (table.name.get_ref().clone(), table.name.span())).collect();
        unique(self, names.iter(), "setting")?;
        let mut settings = Vec::new();
        for table in tables {
            let has_value = |text: &str| text.split_once(':').is_some_and(|(key, _)| !key.is_empty());
            if let Some(wrong) = table.cfg.iter().find(|text| !has_value(text.get_ref())) {
                let message =
                    format!("\"{}\" is no setting, expected \"key:value\" as for --cfg; correct it", wrong.get_ref());
                return self.refuse(wrong.span(), &message);
            }
            let is_known = |key: &str| smpi_settings::find(key).is_some() || smpi_settings::ignored(key);
            let key = |text: &Spanned<String>| text.get_ref().split(':').next().unwrap_or_default().to_string();
            if let Some(wrong) = table.cfg.iter().find(|text| !is_known(&key(text))) {
                return self.refuse(wrong.span(), &smpi_settings::unknown(&key(wrong)));
            }
            let cfg = table.cfg.into_iter().map(Spanned::into_inner).collect();
            settings.push(Setting { name: table.name.into_inner(), cfg });
        }
        if settings.is_empty() {
            settings.push(Setting::default());
        }
        Ok(settings)
    }

    fn compute(&self, how: Option<Spanned<String>>, repeat: Option<Spanned<u32>>) -> Result<(Compute, u32), Failure> {
        let compute = match how.as_ref().map(|word| (word.get_ref().as_str(), word.span())) {
            None | Some(("off", _)) => Compute::Off,
            Some(("recorded", _)) => Compute::Recorded,
            Some(("measured", _)) => Compute::Measured,
            Some((word, span)) => {
                let message = format!(
                    "compute = \"{word}\" does not exist, expected \"off\", \"recorded\" or \"measured\"; choose one"
                );
                return self.refuse(span, &message);
            }
        };
        match repeat.as_ref().map(|number| (*number.get_ref(), number.span())) {
            Some((0, span)) => self.refuse(span, "repeat = 0, expected at least 1; correct it"),
            Some((number, span)) if number > 1 && compute == Compute::Off => self.refuse(
                span,
                "repeat has no use where computation takes no time, expected compute = \"recorded\": all runs are alike; \
                 remove it",
            ),
            number => Ok((compute, number.map_or(1, |(number, _)| number))),
        }
    }

    /// The name that was given, or that of the file without its ending.
    fn name(&self, given: Option<Spanned<String>>, path: &str, place: Range<usize>) -> Result<Named, Failure> {
        let Some(given) = given else {
            let stem = Path::new(path).file_stem().unwrap_or_default().to_string_lossy().into_owned();
            return Ok((stem, place));
        };
        if given.get_ref().trim().is_empty() {
            return self.refuse(given.span(), "the name is empty, expected a word; remove the line or write one");
        }
        Ok((given.get_ref().clone(), given.span()))
    }

    fn exists(&self, path: &Spanned<String>, what: &str) -> Result<(), Failure> {
        let found = below(self.directory, path.get_ref());
        if found.is_file() {
            return Ok(());
        }
        let message =
            format!("there is no {what} {}, expected a path from the study's directory; correct it", found.display());
        self.refuse(path.span(), &message)
    }
}

/// Refuses names that two have.
fn unique<'a>(source: &Source<'_>, names: impl Iterator<Item = &'a Named>, what: &str) -> Result<(), Failure> {
    let mut seen: Vec<&str> = Vec::new();
    for (name, span) in names {
        if seen.contains(&name.as_str()) {
            let message =
                format!("there are two of the name \"{name}\", expected one name for each {what}; add name = \"...\"");
            return source.refuse(span.clone(), &message);
        }
        seen.push(name);
    }
    Ok(())
}

/// A path of the study, seen from here.
pub fn below(directory: &Path, path: &str) -> PathBuf {
    if directory == Path::new(".") { PathBuf::from(path) } else { directory.join(path) }
}

/// A path that is not looked for in `PATH`.
fn with_slash(path: &str) -> String {
    if path.contains('/') { path.to_string() } else { format!("./{path}") }
}

/// `line:column:` of a byte, both from 1, the column in characters.
fn position(text: &str, offset: usize) -> String {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
    format!("{line}:{column}:")
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "[study]\nranks = [4, 1, 4]\nplatforms = [\"laptop.toml\"]\n[[program]]\npath = \"/bin/sh\"\n\
                        args = [\"-n{ranks}\", \"x\"]\n";

    fn refused(text: &str) -> String {
        match Study::parse("s.toml", text, Path::new("../platforms")) {
            Err(Failure::Refused(message)) => message,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_study_is_read() {
        let study = Study::parse("s.toml", GOOD, Path::new("../platforms")).unwrap();
        let program = &study.programs[0];
        assert_eq!((program.name.as_str(), program.ranks.as_slice()), ("sh", &[1, 4][..]));
        assert_eq!(program.arguments(4), ["-n4", "x"]);
        assert_eq!((study.platforms[0].name.as_str(), study.compute, study.repeat), ("laptop", Compute::Off, 1));
        assert_eq!((study.settings.len(), study.settings[0].name.as_str()), (1, ""));
        let more = "[[platform]]\npath = \"laptop.toml\"\nname = \"b\"\ncost_per_hour = 0.5\n[[setting]]\nname = \"x\"\n\
                    cfg = [\"smpi/os:0\"]\n";
        let study = Study::parse(
            "s.toml",
            &format!("{GOOD}ranks = [3]\nscaling = \"weak\"\n{more}"),
            Path::new("../platforms"),
        );
        let study = study.unwrap();
        assert_eq!(study.platforms[1].cost_per_hour, Some(0.5));
        assert_eq!((study.programs[0].ranks.as_slice(), study.programs[0].is_weak), (&[3][..], true));
        assert_eq!(study.settings[0].cfg, ["smpi/os:0"]);
    }

    #[test]
    fn refusals_have_a_place() {
        let more = |text: &str| refused(&format!("{GOOD}{text}"));
        let with = |old: &str, new: &str| refused(&GOOD.replace(old, new));
        assert!(with("ranks = [4, 1, 4]", "rank = [4]").starts_with("s.toml:2:1: unknown field `rank`"));
        assert!(with("[4, 1, 4]", "[0]").starts_with("s.toml:2:10: 0 ranks"));
        assert!(with("[4, 1, 4]", "\"4\"").starts_with("s.toml:2:9: invalid type"));
        assert!(with("[4, 1, 4]", "[4").starts_with("s.toml:"));
        assert!(with("ranks = [4, 1, 4]\n", "").contains("no numbers of ranks"));
        assert!(with("/bin/sh", "no-such").starts_with("s.toml:5:8: program ../platforms/./no-such: no such file"));
        assert!(with("laptop.toml", "no.toml").starts_with("s.toml:3:14: there is no platform ../platforms/no.toml"));
        let broken = with("laptop.toml", "../Cargo.toml");
        assert!(broken.starts_with("s.toml:3:14: no run can use this platform: ") && broken.contains("Cargo.toml:"));
        let unknown = more("[[setting]]\nname = \"x\"\ncfg = [\"smpi/oss:0\"]\n");
        assert!(unknown.starts_with("s.toml:9:8: there is no setting smpi/oss; did you mean"), "{unknown}");
        assert!(with("platforms = [\"laptop.toml\"]\n", "").contains("there is no platform"));
        assert!(
            with("[\"laptop.toml\"]", "[\"laptop.toml\", \"./laptop.toml\"]").contains("two of the name \"laptop\"")
        );
        assert!(with("\"x\"", "\":\"").starts_with("s.toml:6:22: the argument"));
        assert!(more("scaling = \"big\"\n").contains("\"strong\" or \"weak\""));
        assert!(more("files = [\"no-such\"]\n").contains("there is no file"));
        assert!(more("[[setting]]\nname = \"x\"\ncfg = [\"y\"]\n").starts_with("s.toml:9:8: \"y\" is no setting"));
        assert!(
            more("[[platform]]\nname = \"x\"\npath = \"laptop.toml\"\ncost_per_hour = -1.0\n")
                .contains("cost_per_hour")
        );
        assert!(with("[4, 1, 4]", "[4]\ncompute = \"of\"").starts_with("s.toml:3:11: compute = \"of\""));
        assert!(with("[4, 1, 4]", "[4]\nrepeat = 2").contains("all runs are alike"));
        assert!(refused("").contains("missing field `study`"));
        assert!(refused("[study]\nranks = [1]\n").contains("there is no program"));
    }
}
