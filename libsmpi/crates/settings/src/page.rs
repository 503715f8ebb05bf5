//! The settings as texts: the table of `docs/smpirun.md`, and what `smpirun --help-cfg` prints.

use crate::forms::Kind;
use crate::row::{Group, Row, Scope};
use crate::table::rows;

/// The row of all algorithms.
const ALGORITHMS: &str = "| `smpi/OPERATION` |  | everywhere | Forces an algorithm, or leaves the operation to a table by \
                          its name, see [below](#algorithms-of-collectives); `smpi/iOPERATION` and `smpi/OPERATION_init` \
                          for nonblocking and persistent calls |\n";

/// The table of the manual.
pub fn table() -> String {
    let mut text = "| key | default | has an effect in | meaning |\n|---|---|---|---|\n".to_string();
    for row in rows() {
        let names: Vec<String> = row.names().map(|name| format!("`{name}`")).collect();
        let (names, default, modes) = (names.join(", "), quoted(row.default), row.modes.words());
        text += &format!("| {names} | {default} | {modes} | {} |\n", row.text);
        if row.name == "smpi/coll-selector" {
            text += ALGORITHMS;
        }
    }
    text
}

/// The table of control variables that are bound to nothing (`docs/tools.md`). A test of `smpi-runtime` compares it
/// with what a tool is told.
pub fn control_variables() -> String {
    let mut text = "| name | type | scope | what |\n|---|---|---|---|\n".to_string();
    for row in rows().filter(|row| row.group != Group::Options) {
        let scope = match row.scope {
            Scope::Constant => "constant",
            Scope::Local => "local",
            Scope::GroupAlike => "group, alike",
            Scope::AllAlike => "all, alike",
        };
        let of = match (row.name, row.kind, row.scope) {
            ("smpi/coll-selector", ..) | (_, Kind::Flag, Scope::Constant) => "enumeration",
            (_, Kind::Flag, _) => "int",
            (_, Kind::Count, _) => "unsigned long long",
            (_, Kind::Number, _) => "double",
            (_, Kind::Text, _) => "text",
        };
        text += &format!("| `{}` | {of} | {scope} | {} |\n", row.name, row.sentence());
    }
    text
}

fn quoted(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("`{text}`") }
}

/// What `smpirun --help-cfg` prints.
pub fn help() -> String {
    let mut text = "Usage: smpirun --cfg=KEY:VALUE [--cfg=KEY:VALUE ...] program\n".to_string();
    for (group, title) in [
        (Group::Network, "Models of networks; in a platform file [network]:"),
        (Group::Mpi, "MPI and the simulated machine; in a platform file [mpi]:"),
        (Group::WhatIf, "Other worlds, of smpirun what-if:"),
        (Group::Options, "Settings of SMPI that are options here:"),
    ] {
        text += &format!("\n{title}\n");
        rows().filter(|row| row.group == group).for_each(|row| text += &entry(row));
        if group == Group::Mpi {
            text += "  smpi/OPERATION\n";
            text += "                       The algorithm of a collective operation: --help-coll\n";
        }
    }
    text
}

fn entry(row: &Row) -> String {
    let names: Vec<&str> = row.names().collect();
    let default = if row.default.is_empty() { String::new() } else { format!(" [{}]", row.default) };
    let mut text = format!("  {}{default}\n", names.join(", "));
    let mut line = String::new();
    for word in row.sentence().split(' ') {
        if !line.is_empty() && line.chars().count() + word.chars().count() > 55 {
            text += &format!("                      {line}\n");
            line.clear();
        }
        line += " ";
        line += word;
    }
    text + &format!("                      {line}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_help_fit_a_terminal() {
        let help = help();
        let long: Vec<&str> = help.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(long.is_empty(), "{}", long.join("\n"));
        assert!(rows().all(|row| help.contains(row.name) && table().contains(&format!("`{}`", row.name))));
    }
}
