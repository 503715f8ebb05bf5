//! The names of a cluster's hosts: a pattern with ranges of numbers, as in `node[001-064,070].site`.

use std::fmt;

/// Most hosts that one pattern names.
const MOST: u64 = 10_000_000;

/// Names that differ in a number.
#[derive(Clone, Debug, PartialEq)]
pub struct HostNames {
    prefix: String,
    suffix: String,
    /// First number of each range, how many there are before the range, and to how many digits numbers are filled up.
    ranges: Vec<Range>,
    count: u32,
}

#[derive(Clone, Debug, PartialEq)]
struct Range {
    first: u32,
    last: u32,
    digits: usize,
    before: u32,
}

impl HostNames {
    /// The names `name-0` to `name-(count-1)`.
    pub fn counted(name: &str, count: u32) -> HostNames {
        let ranges = vec![Range { first: 0, last: count.saturating_sub(1), digits: 1, before: 0 }];
        HostNames { prefix: format!("{name}-"), suffix: String::new(), ranges, count }
    }

    /// Reads `prefix[list]suffix`, where the list holds numbers and ranges: `0-63,70`. Numbers with leading zeros are
    /// filled up to their length.
    ///
    /// # Errors
    /// A sentence without a place.
    pub fn parse(pattern: &str) -> Result<HostNames, String> {
        let expected = "expected one list of numbers in brackets, as in \"node[0-63,70].site\"";
        let parts = pattern.split_once('[').and_then(|(prefix, rest)| {
            let (list, suffix) = rest.split_once(']')?;
            (!suffix.contains(['[', ']'])).then_some((prefix, list, suffix))
        });
        let Some((prefix, list, suffix)) = parts else { return Err(format!("no list of numbers, {expected}")) };
        HostNames::numbered(prefix, list, suffix).map_err(|why| format!("{why}, {expected}"))
    }

    /// Names by prefix, list of numbers and ranges, and suffix.
    ///
    /// # Errors
    /// A sentence without a place.
    pub fn numbered(prefix: &str, list: &str, suffix: &str) -> Result<HostNames, String> {
        let (mut ranges, mut count) = (Vec::new(), 0u64);
        for part in list.split(',').map(str::trim) {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let number = |text: &str| {
                let is_plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
                is_plain.then(|| text.parse::<u32>().ok()).flatten()
            };
            let (Some(low), Some(high)) = (number(first.trim()), number(last.trim())) else {
                return Err(format!("\"{part}\" is not a number or a range of two"));
            };
            if low > high {
                return Err(format!("the range \"{part}\" is empty"));
            }
            let digits = if first.starts_with('0') { first.trim().len() } else { 1 };
            ranges.push(Range { first: low, last: high, digits, before: count as u32 });
            count += u64::from(high - low) + 1;
            if count > MOST {
                return Err(format!("more than {MOST} hosts"));
            }
        }
        Ok(HostNames { prefix: prefix.to_owned(), suffix: suffix.to_owned(), ranges, count: count as u32 })
    }

    /// How many hosts are named.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The name of a host, counted from 0.
    pub fn name(&self, index: u32) -> String {
        let range = self.ranges.partition_point(|range| range.before <= index);
        let range = &self.ranges[range.saturating_sub(1)];
        let number = range.first + (index - range.before);
        format!("{}{number:0digits$}{}", self.prefix, self.suffix, digits = range.digits)
    }
}

/// The pattern that [`HostNames::parse`] reads.
impl fmt::Display for HostNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[", self.prefix)?;
        for (index, range) in self.ranges.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}{:0digits$}", range.first, digits = range.digits)?;
            if range.last > range.first {
                write!(f, "-{:0digits$}", range.last, digits = range.digits)?;
            }
        }
        write!(f, "]{}", self.suffix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_leading_zeros() {
        let names = HostNames::parse("n[08-11,3].x").unwrap();
        let all: Vec<String> = (0..names.count()).map(|index| names.name(index)).collect();
        assert_eq!(all, ["n08.x", "n09.x", "n10.x", "n11.x", "n3.x"]);
        assert_eq!(names.to_string(), "n[08-11,3].x");
        assert_eq!(HostNames::counted("node", 3).name(2), "node-2");
        assert_eq!(HostNames::counted("node", 3).to_string(), "node-[0-2]");
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for pattern in ["node", "n[1-", "n[]", "n[5-3]", "n[a]", "n[1]x[2]", "n[0-4000000000]", "n[-1]", "n[1-2-3]"] {
            assert!(HostNames::parse(pattern).is_err(), "{pattern}");
        }
    }
}
