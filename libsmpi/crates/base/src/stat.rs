//! What the kernel says of a process or thread in its `stat` (proc_pid_stat(5)).

/// What it does, by a letter of the kernel's; `None` where the text says nothing.
pub fn state(stat: &str) -> Option<char> {
    // The name before the state may hold anything.
    stat.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next())
}

/// Whether it has ended: nothing is said of it, or that nobody has asked how it ended.
pub fn has_ended(stat: &str) -> bool {
    matches!(state(stat), None | Some('Z' | 'X'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_is_behind_the_name_whatever_that_holds() {
        assert_eq!(state("12 (a) S 1 2"), Some('S'));
        assert_eq!(state("12 (a) R ) S 1 2"), Some('S'));
        assert_eq!((state("12 (S) R 1 2"), state("12 (S) Z 1 2"), state("")), (Some('R'), Some('Z'), None));
        assert!(has_ended("") && has_ended("12 (a) b) Z 1 2"));
        assert!(!has_ended("12 (a) Z) S 1 2") && !has_ended("12 (a) R 1 2"));
    }
}
