//! What random campaigns came across, counted in tables, so that holes can be seen: a campaign prints lines that
//! `cargo xtask campaign` reads back and adds up.

use std::collections::BTreeMap;
use std::fmt;

/// What a line begins with.
const MARK: &str = "covered";

/// Counts by table, row and column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Covered(BTreeMap<String, BTreeMap<(String, String), u64>>);

impl Covered {
    /// Adds to a cell.
    pub fn add(&mut self, table: &str, row: &str, column: &str, count: u64) {
        let cells = self.0.entry(table.to_string()).or_default();
        *cells.entry((row.to_string(), column.to_string())).or_default() += count;
    }

    /// Adds all that another one has.
    pub fn add_all(&mut self, other: &Covered) {
        for (table, cells) in &other.0 {
            cells.iter().for_each(|((row, column), count)| self.add(table, row, column, *count));
        }
    }

    /// The lines for `cargo xtask campaign`.
    pub fn lines(&self) -> String {
        let line = |table: &str, (row, column): &(String, String), count: &u64| {
            format!("{MARK}\t{table}\t{row}\t{column}\t{count}\n")
        };
        self.0
            .iter()
            .flat_map(|(table, cells)| cells.iter().map(move |(cell, count)| line(table, cell, count)))
            .collect()
    }

    /// Reads such lines among others.
    pub fn read(text: &str) -> Covered {
        let mut covered = Covered::default();
        for line in text.lines() {
            let words: Vec<&str> = line.split('\t').collect();
            if let [MARK, table, row, column, count] = words[..]
                && let Ok(count) = count.parse()
            {
                covered.add(table, row, column, count);
            }
        }
        covered
    }
}

/// Each table with rows and columns; a cell that nothing came across is a dot.
impl fmt::Display for Covered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (table, cells) in &self.0 {
            let names = |of: fn(&(String, String)) -> &String| {
                let mut names: Vec<&String> = cells.keys().map(of).collect();
                names.sort();
                names.dedup();
                names
            };
            let (rows, columns) = (names(|cell| &cell.0), names(|cell| &cell.1));
            let first = rows.iter().map(|row| row.len()).max().unwrap_or(0);
            let width = |column: &str| column.len().max(5) + 2;
            write!(f, "{table}\n{:first$}", "")?;
            columns.iter().try_for_each(|column| write!(f, "{column:>w$}", w = width(column)))?;
            for row in &rows {
                write!(f, "\n{row:first$}")?;
                for column in &columns {
                    let count = cells.get(&((*row).clone(), (*column).clone()));
                    let text = count.map_or(".".to_string(), u64::to_string);
                    write!(f, "{text:>w$}", w = width(column))?;
                }
            }
            writeln!(f, "\n")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_among_others_and_added() {
        let mut covered = Covered::default();
        covered.add("pairs", "test", "wait", 2);
        covered.add("pairs", "wait", "wait", 1);
        let read = Covered::read(&format!("running 1 test\n{}covered by snow\n", covered.lines()));
        assert_eq!(read, covered);
        covered.add_all(&read);
        let text = covered.to_string();
        assert_eq!(text.split_whitespace().collect::<Vec<_>>(), ["pairs", "wait", "test", "4", "wait", "2"]);
        covered.add("pairs", "test", "probe", 7);
        assert!(covered.to_string().lines().any(|line| line.ends_with('4') && line.contains('7')));
        assert!(covered.to_string().lines().any(|line| line.contains('.')));
    }
}
