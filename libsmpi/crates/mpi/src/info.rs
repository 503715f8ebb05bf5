//! Info objects: ordered key/value lists that carry hints.
//!
//! Values are opaque here: the code that uses a key reads its value. Source: MPI 5.0 chapter 10.

use smpi_base::ordered::OrderedMap;

use crate::error::{ErrorClass, MpiError, Result};
use crate::text;
use smpi_abi::c::constants::{MPI_MAX_INFO_KEY, MPI_MAX_INFO_VAL};

/// The content of an info handle. Keys keep the order in which they were first set.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Info {
    entries: OrderedMap<String, String>,
}

/// What `MPI_INFO_ENV` tells about the start of the program (MPI 5.0 §11.5.2).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Environment<'a> {
    /// Path of the executable.
    pub command: &'a str,
    /// Arguments after the program's name.
    pub arguments: &'a [String],
    /// Ranks started with this program.
    pub ranks: u32,
    /// Simulated host of the rank.
    pub host: &'a str,
    /// Working directory.
    pub directory: &'a str,
}

impl Info {
    /// Length a key stays below, in bytes: the terminating zero belongs to `MPI_MAX_INFO_KEY`.
    const KEY_LIMIT: usize = MPI_MAX_INFO_KEY as usize;
    /// Length a value stays below, in bytes.
    const VALUE_LIMIT: usize = MPI_MAX_INFO_VAL as usize;

    /// An empty object.
    pub fn new() -> Info {
        Info::default()
    }

    /// The content of `MPI_INFO_ENV`. Keys whose value is empty or too long for an info value are left out.
    pub fn env(environment: &Environment) -> Info {
        let ranks = environment.ranks.to_string();
        let arguments = environment.arguments.join(" ");
        let pairs = [
            ("command", environment.command),
            ("argv", arguments.as_str()),
            ("maxprocs", ranks.as_str()),
            ("soft", ranks.as_str()),
            ("host", environment.host),
            ("arch", std::env::consts::ARCH),
            ("wdir", environment.directory),
        ];
        let mut info = Info::new();
        for (key, value) in pairs {
            if !value.is_empty() && value.len() < Info::VALUE_LIMIT {
                info.entries.insert(key.to_string(), value.to_string());
            }
        }
        info
    }

    /// Sets a key; an old value is replaced in its place.
    ///
    /// Errors: `MPI_ERR_INFO_KEY`, `MPI_ERR_INFO_VALUE` when the key is empty or either is too long.
    pub fn set(&mut self, key: &str, value: &str) -> Result<()> {
        check_key(key)?;
        let length = text::len(value);
        if length >= Info::VALUE_LIMIT {
            let shown = format!("{length} bytes");
            let allowed = format!("at most {} bytes", Info::VALUE_LIMIT - 1);
            return Err(MpiError::parameter(ErrorClass::INFO_VALUE, "value", shown, &allowed));
        }
        self.entries.insert(key.to_string(), value.to_string());
        Ok(())
    }

    /// The value of a key, or `None` when it is not set. Errors: `MPI_ERR_INFO_KEY` when the key is empty or too long.
    pub fn get(&self, key: &str) -> Result<Option<&str>> {
        check_key(key)?;
        Ok(self.entries.get(key).map(String::as_str))
    }

    /// Removes a key. Errors: `MPI_ERR_INFO_NOKEY` when it is not set.
    pub fn delete(&mut self, key: &str) -> Result<()> {
        check_key(key)?;
        let unset =
            || MpiError::parameter(ErrorClass::INFO_NOKEY, "key", format_args!("\"{key}\""), "a key that is set");
        self.entries.remove(key).map(|_| ()).ok_or_else(unset)
    }

    /// Number of keys.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True without any key.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The key in place `n`, from 0. Errors: `MPI_ERR_ARG` when there is no such place.
    pub fn nth_key(&self, n: i64) -> Result<&str> {
        usize::try_from(n).ok().and_then(|n| self.entries.nth(n)).map(|entry| entry.0.as_str()).ok_or_else(|| {
            let allowed = match self.entries.len() {
                0 => "nothing, the object is empty".to_string(),
                len => format!("0 to {}", len - 1),
            };
            MpiError::parameter(ErrorClass::ARG, "n", n, &allowed)
        })
    }

    /// All keys and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }
}

fn check_key(key: &str) -> Result<()> {
    let length = text::len(key);
    if length == 0 || length >= Info::KEY_LIMIT {
        let shown = format!("{length} bytes");
        let allowed = format!("1 to {} bytes", Info::KEY_LIMIT - 1);
        return Err(MpiError::parameter(ErrorClass::INFO_KEY, "key", shown, &allowed));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_order() {
        let mut info = Info::new();
        for (key, value) in [("b", "1"), ("a", "2"), ("c", "3"), ("b", "4")] {
            info.set(key, value).unwrap();
        }
        assert_eq!(info.iter().collect::<Vec<_>>(), [("b", "4"), ("a", "2"), ("c", "3")]);
        assert_eq!(info.nth_key(1).unwrap(), "a");
        assert_eq!(info.nth_key(3).unwrap_err().class, ErrorClass::ARG);
        assert_eq!(info.nth_key(-1).unwrap_err().class, ErrorClass::ARG);
        let copy = info.clone();
        info.delete("a").unwrap();
        assert_eq!(info.delete("a").unwrap_err().class, ErrorClass::INFO_NOKEY);
        assert_eq!((info.len(), copy.len()), (2, 3));
        assert_eq!(info.get("c").unwrap(), Some("3"));
        assert_eq!(info.get("d").unwrap(), None);
    }

    #[test]
    fn lengths_are_checked() {
        let mut info = Info::new();
        assert_eq!(info.set("", "x").unwrap_err().class, ErrorClass::INFO_KEY);
        assert_eq!(info.set(&"k".repeat(256), "x").unwrap_err().class, ErrorClass::INFO_KEY);
        assert_eq!(info.set("k", &"v".repeat(1024)).unwrap_err().class, ErrorClass::INFO_VALUE);
        info.set(&"k".repeat(255), &"v".repeat(1023)).unwrap();
    }

    #[test]
    fn the_environment_leaves_out_what_is_unknown() {
        let arguments = ["-n".to_string(), "5".to_string()];
        let environment =
            Environment { command: "./a", arguments: &arguments, ranks: 4, host: "node-0", directory: "" };
        let info = Info::env(&environment);
        assert_eq!(info.get("argv").unwrap(), Some("-n 5"));
        assert_eq!(info.get("maxprocs").unwrap(), Some("4"));
        assert_eq!(info.get("wdir").unwrap(), None);
    }
}
