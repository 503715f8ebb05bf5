//! Hostfiles: one host a line, with its number of ranks as SMPI and MPICH write it (`host:n`) or as Open MPI does
//! (`host slots=n`); blank lines and `#` comments. Or a deployment file of SimGrid.

use crate::failure::Failure;
use smpi_base::plan::Hostfile;
use smpi_base::print;

/// Most entries of an unrolled hostfile: a slip such as `node-0:1000000000` is an error, not an allocation.
const MAX_ENTRIES: usize = 1 << 20;

/// What an entry may be, for messages.
const EXPECTED: &str = "`host`, `host:n` or `host slots=n`";

/// What Open MPI and MPICH let an entry say besides, about real machines.
const WITHOUT_MEANING: [&str; 6] = ["max_slots", "max-slots", "binding", "map", "user", "ifname"];

/// Reads a hostfile and unrolls `host:n` into n entries.
pub fn read(path: &str) -> Result<(Vec<String>, Hostfile), Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| Failure::Refused(format!("cannot read the hostfile {path}: {}", print::reason(&e))))?;
    parse(path, &text).map_err(Failure::Refused)
}

/// Reads the value of `-host`: entries as in a hostfile, separated by commas.
pub fn list(text: &str) -> Result<Vec<String>, Failure> {
    let mut hosts = Vec::new();
    for entry in text.split(',').map(str::trim) {
        let (host, count) = read_entry(entry).map_err(|why| Failure::Refused(format!("-host {text}: {why}")))?;
        if count > MAX_ENTRIES - hosts.len() {
            return Err(Failure::Refused(format!("-host {text}: more than {MAX_ENTRIES} ranks")));
        }
        hosts.extend(std::iter::repeat_n(host.to_string(), count));
    }
    Ok(hosts)
}

fn parse(path: &str, text: &str) -> Result<(Vec<String>, Hostfile), String> {
    // Some editors begin files with a mark of their order of bytes.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('<') {
        let actors = smpi_platform::deployment(path, text).map_err(|why| why.to_string())?;
        let (hosts, lines) = actors.into_iter().unzip();
        return Ok((hosts, Hostfile { path: path.to_string(), lines }));
    }
    let mut hosts = Vec::new();
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        if line.chars().any(|c| c.is_control() && c != '\t') {
            return Err(format!("{path}:{number}: this is no text; expected {EXPECTED}"));
        }
        let entry = line.split('#').next().unwrap_or_default().trim();
        if entry.is_empty() {
            continue;
        }
        let (host, count) = read_entry(entry).map_err(|why| format!("{path}:{number}: {why}"))?;
        if count > MAX_ENTRIES - hosts.len() {
            return Err(format!("{path}:{number}: more than {MAX_ENTRIES} ranks; expected fewer in one hostfile"));
        }
        hosts.extend(std::iter::repeat_n(host.to_string(), count));
        lines.extend(std::iter::repeat_n(number as u32, count));
    }
    if hosts.is_empty() {
        return Err(format!("{path}: no host in this hostfile; expected {EXPECTED}"));
    }
    Ok((hosts, Hostfile { path: path.to_string(), lines }))
}

/// A host and its number of ranks: `host`, `host:n`, or `host slots=n`.
fn read_entry(entry: &str) -> Result<(&str, usize), String> {
    let first = entry.split_whitespace().next().unwrap_or_default();
    // Open MPI takes blanks around the sign, too.
    let others = entry[first.len()..].split('=').map(str::trim).collect::<Vec<_>>().join("=");
    let words = others.split_whitespace();
    let (host, mut count) = match first.rsplit_once(':') {
        None => (first, None),
        Some((host, count)) => (host, Some(count)),
    };
    if host.is_empty() {
        return Err(format!("no host name in `{entry}`; expected {EXPECTED}"));
    }
    for word in words {
        match word.split_once('=') {
            Some(("slots", _)) if count.is_some() => {
                return Err(format!("`{entry}` has two numbers of ranks; expected {EXPECTED}"));
            }
            Some(("slots", slots)) => count = Some(slots),
            Some((name, _)) if WITHOUT_MEANING.contains(&name) => {}
            _ => return Err(format!("unexpected `{word}`; expected {EXPECTED}")),
        }
    }
    match count.map(str::parse::<usize>) {
        None => Ok((host, 1)),
        Some(Ok(number)) if number > 0 => Ok((host, number)),
        _ => {
            let count = count.unwrap_or_default();
            Err(format!("`{count}` in `{entry}` is not a number of ranks (1 or more)"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_told_in_a_line() {
        let why = parse("h", &format!("node-0\n{}\n", "\0".repeat(1000))).unwrap_err();
        assert_eq!(why, format!("h:2: this is no text; expected {EXPECTED}"));
    }

    #[test]
    fn hosts_counts_blanks_and_comments() {
        let (hosts, origin) = parse("h", "# nodes\nnode-0\n\n  node-1:2  # two\nnode-0\n").unwrap();
        assert_eq!(hosts, ["node-0", "node-1", "node-1", "node-0"]);
        assert_eq!(origin.lines, [2, 4, 4, 5]);
    }

    #[test]
    fn hostfiles_of_open_mpi_and_mpich() {
        let text = "node-0 slots=2 max_slots=4\nnode-1\tslots=1\nnode-2:2 ifname=eth0\n";
        let (hosts, origin) = parse("h", text).unwrap();
        assert_eq!(hosts, ["node-0", "node-0", "node-1", "node-2", "node-2"]);
        assert_eq!(origin.lines, [1, 1, 2, 3, 3]);
        for text in ["a slots = 2 max_slots = 4", "\u{feff}a slots =2", "a\tslots= 2"] {
            assert_eq!(parse("h", text).unwrap().0, ["a", "a"], "{text}");
        }
        assert_eq!(list("a,b:2").unwrap(), ["a", "b", "b"]);
        assert!(list("a,,b").is_err());
        assert!(list("a:99999999").is_err());
    }

    #[test]
    fn deployments_of_simgrid() {
        let actor = |host: &str, rank: &str| format!("<actor host=\"{host}\" function=\"x\">{rank}</actor>\n");
        let file = |actors: String| format!("<platform version=\"4.1\">\n{actors}</platform>");
        let (hosts, origin) = parse("d.xml", &file(actor("b", "") + &actor("a", "") + &actor("a", ""))).unwrap();
        assert_eq!((hosts, origin.lines), (["b", "a", "a"].map(String::from).to_vec(), vec![2, 3, 4]));
        let rank = |rank: u32| format!("<prop id=\"rank\" value=\"{rank}\"/>");
        let (hosts, origin) = parse("d.xml", &file(actor("b", &rank(1)) + &actor("a", &rank(0)))).unwrap();
        assert_eq!((hosts, origin.lines), (["a", "b"].map(String::from).to_vec(), vec![3, 2]));
        let refused = parse("d.xml", &file("<actor host=\"a\" start_time=\"5\"/>".to_string())).unwrap_err();
        assert!(refused.starts_with("d.xml:2:17: start_time: all ranks begin together"), "{refused}");
        assert!(parse("d.xml", &file(String::new())).unwrap_err().starts_with("d.xml:1:1: no actor"));
    }

    #[test]
    fn errors_name_file_and_line() {
        assert!(parse("h", "a\nb:x\n").unwrap_err().starts_with("h:2: `x`"));
        assert!(parse("h", "a:0").unwrap_err().starts_with("h:1: `0`"));
        assert!(parse("h", "\n:3").unwrap_err().starts_with("h:2: no host name"));
        assert!(parse("h", "a slots=x").unwrap_err().starts_with("h:1: `x`"));
        assert!(parse("h", "a slots=-1").unwrap_err().starts_with("h:1: `-1`"));
        assert!(parse("h", "a:2 slots=2").unwrap_err().contains("two numbers"));
        assert!(parse("h", "a slot=2").unwrap_err().starts_with("h:1: unexpected `slot=2`"));
        assert!(parse("h", "# nothing\n").unwrap_err().starts_with("h: no host"));
        assert!(parse("h", "a:99999999").unwrap_err().starts_with("h:1: more than"));
    }
}
