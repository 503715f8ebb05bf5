//! Hostfiles of SMPI: one `host` or `host:n` a line, blank lines and `#` comments.

use crate::Failure;
use smpi_base::plan::Hostfile;
use smpi_base::print;

/// Most entries of an unrolled hostfile: a slip such as `node-0:1000000000` is an error, not an allocation.
const MAX_ENTRIES: usize = 1 << 20;

/// Reads a hostfile and unrolls `host:n` into n entries.
pub fn read(path: &str) -> Result<(Vec<String>, Hostfile), Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| Failure::Refused(format!("cannot read the hostfile {path}: {}", print::reason(&e))))?;
    parse(path, &text).map_err(Failure::Refused)
}

fn parse(path: &str, text: &str) -> Result<(Vec<String>, Hostfile), String> {
    let mut hosts = Vec::new();
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let entry = line.split('#').next().unwrap_or_default().trim();
        if entry.is_empty() {
            continue;
        }
        if let Some(extra) = entry.split_whitespace().nth(1) {
            return Err(format!("{path}:{number}: unexpected `{extra}`; expected one `host` or `host:n` a line"));
        }
        let (host, count) = match entry.rsplit_once(':') {
            None => (entry, 1),
            Some((host, count)) => match count.parse::<usize>() {
                Ok(count) if count > 0 => (host, count),
                _ => {
                    return Err(format!(
                        "{path}:{number}: `{count}` in `{entry}` is not a number of ranks (1 or more)"
                    ));
                }
            },
        };
        if host.is_empty() {
            return Err(format!("{path}:{number}: no host name in `{entry}`; expected `host` or `host:n`"));
        }
        if count > MAX_ENTRIES - hosts.len() {
            return Err(format!("{path}:{number}: more than {MAX_ENTRIES} ranks"));
        }
        hosts.extend(std::iter::repeat_n(host.to_string(), count));
        lines.extend(std::iter::repeat_n(number as u32, count));
    }
    if hosts.is_empty() {
        return Err(format!("{path}: no host in this hostfile; expected one `host` or `host:n` a line"));
    }
    Ok((hosts, Hostfile { path: path.to_string(), lines }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_counts_blanks_and_comments() {
        let (hosts, origin) = parse("h", "# nodes\nnode-0\n\n  node-1:2  # two\nnode-0\n").unwrap();
        assert_eq!(hosts, ["node-0", "node-1", "node-1", "node-0"]);
        assert_eq!(origin.lines, [2, 4, 4, 5]);
    }

    #[test]
    fn errors_name_file_and_line() {
        assert!(parse("h", "a\nb:x\n").unwrap_err().starts_with("h:2: `x`"));
        assert!(parse("h", "a:0").unwrap_err().starts_with("h:1: `0`"));
        assert!(parse("h", "\n:3").unwrap_err().starts_with("h:2: no host name"));
        assert!(parse("h", "a slots=2").unwrap_err().starts_with("h:1: unexpected `slots=2`"));
        assert!(parse("h", "# nothing\n").unwrap_err().starts_with("h: no host"));
        assert!(parse("h", "a:99999999").unwrap_err().starts_with("h:1: more than"));
    }
}
