//! Manual pages, made of the tools' own help texts, so that there is one text to keep true.
//!
//! A help text has a line `Usage: …`, sentences, options (two blanks, the option, two blanks or more, what it does,
//! which may go on in lines indented further), titles (a line that ends with a colon) and, after the title `Examples:`,
//! commands. That becomes a page in the macros of man(7). A test of smpirun holds its help and its definition together,
//! and the installed pages are compared with the help: so a page has every option.

use crate::shell::{make_parent, output, symlink, write};
use std::path::Path;
use std::process::Command;

/// Names under which the wrappers' page is found.
const WRAPPERS: [&str; 6] = ["smpicc", "smpicxx", "smpic++", "smpif90", "smpif77", "smpifort"];

/// Writes the pages below `prefix`.
pub fn install(tools: &Path, prefix: &Path) -> Result<(), String> {
    let directory = prefix.join("share/man/man1");
    make_parent(&directory.join("smpirun.1"))?;
    let help = smpirun_help(tools)?;
    let see = "smpicc(1); share/doc/libsmpi/docs/smpirun.md in the installed tree";
    let runner = page("smpirun", "smpirun", "run MPI programs on simulated clusters, or verify them", &help, see);
    write(&directory.join("smpirun.1"), &runner)?;
    let help = output(Command::new(tools.join("smpicc")).arg("-help"))?;
    let what = "compile and link MPI programs for smpirun in C, C++ and Fortran";
    let see = "smpirun(1), gcc(1), gfortran(1); share/doc/libsmpi/docs/smpirun.md in the installed tree";
    write(&directory.join("smpicc.1"), &page("smpicc", &WRAPPERS.join(", "), what, &help, see))?;
    WRAPPERS[1..].iter().try_for_each(|name| symlink("smpicc.1", &directory.join(format!("{name}.1"))))
}

/// Checks that the pages below `prefix` explain every option that the tools' help texts name.
pub fn check(tools: &Path, prefix: &Path) -> Result<(), String> {
    let wrappers = output(Command::new(tools.join("smpicc")).arg("-help"))?;
    for (help, name) in [(smpirun_help(tools)?, "smpirun.1"), (wrappers, "smpifort.1")] {
        let path = prefix.join("share/man/man1").join(name);
        let page = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let missing = unexplained(&help, &page);
        if !missing.is_empty() {
            return Err(format!("{} does not explain {}", path.display(), missing.join(", ")));
        }
    }
    Ok(())
}

/// All that smpirun says of itself: its options, and the settings of `--cfg` without their line of usage.
fn smpirun_help(tools: &Path) -> Result<String, String> {
    let ask = |question: &str| output(Command::new(tools.join("smpirun")).arg(question));
    let settings = ask("--help-cfg")?;
    let (_, settings) = settings.split_once('\n').unwrap_or_default();
    Ok(ask("--help-all")? + settings)
}

/// The options of a help text that have no entry of a page.
fn unexplained<'a>(help: &'a str, page: &str) -> Vec<&'a str> {
    let entries: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix(".B ")).collect();
    let explained = |option: &&str| {
        let option = escaped(option);
        entries.iter().any(|entry| entry.split(",\\ ").any(|one| one.split("\\ ").next() == Some(&option)))
    };
    help.lines().flat_map(options).filter(|option| !explained(option)).collect()
}

/// The options that a line of a help text explains: `  -np N, -n N   ranks`.
fn options(line: &str) -> Vec<&str> {
    let heading = line.strip_prefix("  ").filter(|text| text.starts_with('-')).unwrap_or_default();
    let options = heading.split("  ").next().unwrap_or_default().split(", ");
    options.filter_map(|option| option.split(' ').next()).filter(|option| !option.is_empty()).collect()
}

/// A page: its title, the names it is about, what they do in a few words, the help text, and where to read on.
fn page(title: &str, names: &str, what: &str, help: &str, see: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut roff = format!(".TH {} 1 \"\" \"libsmpi {version}\"\n.SH NAME\n", title.to_uppercase());
    roff.push_str(&format!("{} \\- {}\n", escaped(names), escaped(what)));
    let mut writer = Writer { roff, ..Writer::default() };
    help.lines().for_each(|line| writer.line(line));
    writer.section("SEE ALSO");
    writer.text(see);
    writer.roff
}

/// A page as far as it is written.
#[derive(Default)]
struct Writer {
    roff: String,
    /// A section for options has begun.
    lists: bool,
    /// The lines are commands, shown as they are.
    verbatim: bool,
    /// The last line was an option or went on with one.
    in_option: bool,
}

impl Writer {
    fn line(&mut self, line: &str) {
        let text = line.trim();
        let indented = line.len() - line.trim_start().len();
        if let Some(usage) = line.strip_prefix("Usage: ") {
            self.section("SYNOPSIS");
            self.text(usage);
            self.section("DESCRIPTION");
        } else if text.is_empty() {
            self.in_option = false;
            self.raw(".PP");
        } else if indented == 0 {
            match text.strip_suffix(':').or_else(|| text.starts_with("Example: ").then_some("Example")) {
                Some(title) => {
                    self.section(&title.to_uppercase());
                    self.lists = !title.starts_with("Example");
                    self.verbatim = !self.lists;
                    if let Some(command) = text.strip_prefix("Example: ") {
                        self.commands(command);
                    } else if self.verbatim {
                        self.raw(".nf");
                    }
                }
                None => {
                    self.end_verbatim();
                    self.in_option = false;
                    self.text(text);
                }
            }
        } else if self.verbatim || (indented > 2 && self.in_option) {
            self.text(text);
        } else {
            self.option(text);
        }
    }

    fn option(&mut self, text: &str) {
        if !self.lists {
            self.section("OPTIONS");
            self.lists = true;
        }
        let (option, meaning) = text.split_once("  ").unwrap_or((text, ""));
        self.raw(".TP");
        self.raw(&format!(".B {}", escaped(option).replace(' ', "\\ ")));
        if !meaning.is_empty() {
            self.text(meaning.trim());
        }
        self.in_option = true;
    }

    fn commands(&mut self, command: &str) {
        self.raw(".nf");
        self.text(command);
        self.end_verbatim();
    }

    fn end_verbatim(&mut self) {
        if std::mem::take(&mut self.verbatim) {
            self.raw(".fi");
        }
    }

    fn section(&mut self, title: &str) {
        // A paragraph before a heading says nothing.
        if let Some(kept) = self.roff.strip_suffix(".PP\n") {
            self.roff.truncate(kept.len());
        }
        self.end_verbatim();
        self.in_option = false;
        self.raw(&format!(".SH {}", escaped(title)));
    }

    fn text(&mut self, text: &str) {
        let escaped = escaped(text);
        let guard = if text.starts_with(['.', '\'']) { "\\&" } else { "" };
        self.raw(&format!("{guard}{escaped}"));
    }

    fn raw(&mut self, line: &str) {
        // Two requests for a paragraph are one; after a heading there is none.
        let last = self.roff.lines().last().unwrap_or_default();
        if line != ".PP" || !(last == ".PP" || last.starts_with(".SH")) {
            self.roff.push_str(line);
            self.roff.push('\n');
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-").replace('`', "\\(ga")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_texts_become_pages() {
        let help = "Usage: tool [options]\n\nDoes things.\n\n  -np N, -n N   ranks, of\n                which many\n  -long LIST\n                likewise\n\n\
                    Examples:\n  tool -n 2\nMore text.\n\nExit codes:\n  0      well\n";
        let expected = ".TH TOOL 1 \"\" \"libsmpi VERSION\"\n.SH NAME\ntool \\- does\n.SH SYNOPSIS\ntool [options]\n.SH DESCRIPTION\n\
                        Does things.\n.SH OPTIONS\n.TP\n.B \\-np\\ N,\\ \\-n\\ N\nranks, of\nwhich many\n.TP\n.B \\-long\\ LIST\nlikewise\n\
                        .SH EXAMPLES\n.nf\ntool \\-n 2\n.fi\nMore text.\n.SH EXIT CODES\n.TP\n.B 0\nwell\n.SH SEE ALSO\nsmpicc(1)\n";
        let page = page("tool", "tool", "does", help, "smpicc(1)");
        assert_eq!(page.replace(env!("CARGO_PKG_VERSION"), "VERSION"), expected);
        assert_eq!(options("  -np N, -n N   ranks, of"), ["-np", "-n"]);
        assert!(unexplained(help, &page).is_empty());
        assert_eq!(unexplained("  -l   short\n  -n N, --long-er X", &page), ["-l", "--long-er"]);
    }
}
