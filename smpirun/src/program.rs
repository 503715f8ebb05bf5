//! Finds the programs of the command line, as `execvp` would: a name without a slash is searched in `PATH`.

use crate::failure::Failure;
use smpi_base::print::reason;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The path of a program, with at least one slash. Refused when it is missing or not an executable file.
pub fn find(name: &str) -> Result<String, Failure> {
    find_in(name, &std::env::var("PATH").unwrap_or_default()).map_err(Failure::Refused)
}

fn find_in(name: &str, path: &str) -> Result<String, String> {
    if name.contains('/') {
        return check(name).map(|()| name.to_string());
    }
    for directory in path.split(':').filter(|directory| !directory.is_empty()) {
        let candidate = format!("{directory}/{name}");
        if check(&candidate).is_ok() {
            return Ok(candidate);
        }
    }
    let hint = if Path::new(name).is_file() {
        format!("; there is one in this directory: did you mean ./{name}?")
    } else {
        String::new()
    };
    Err(format!("program {name}: not found in PATH{hint}"))
}

fn check(path: &str) -> Result<(), String> {
    let metadata = std::fs::metadata(path).map_err(|e| format!("program {path}: {}", reason(&e)))?;
    if metadata.is_dir() {
        return Err(format!("program {path}: is a directory; expected an executable made by smpicc"));
    }
    if metadata.permissions().mode() & 0o111 == 0 {
        return Err(format!(
            "program {path}: is not executable; expected an executable made by smpicc (or chmod +x it)"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_names() {
        assert_eq!(find_in("/bin/sh", "").as_deref(), Ok("/bin/sh"));
        assert_eq!(find_in("sh", "/nowhere:/bin").as_deref(), Ok("/bin/sh"));
        assert!(find_in("sh", "/nowhere").unwrap_err().contains("not found in PATH"));
        assert!(find_in("Cargo.toml", "/nowhere").unwrap_err().contains("did you mean ./Cargo.toml?"));
        assert!(find_in("./Cargo.toml", "").unwrap_err().contains("not executable"));
        assert!(find_in("./src", "").unwrap_err().contains("is a directory"));
        assert!(find_in("./missing", "").unwrap_err().contains("no such file"));
    }
}
