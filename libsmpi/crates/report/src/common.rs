//! What two executions that stand beside each other have in common, in words.

use crate::beside::Beside;
use crate::rows::rank_set;

impl Beside {
    /// What both have in common, in words: `the first 12 calls are the same, and all of ranks 1-3`.
    pub fn common(&self) -> String {
        let calls = match self.same {
            0 => "no call is the same".to_string(),
            1 => "the first call is the same".to_string(),
            same => format!("the first {same} calls are the same"),
        };
        match &self.alike[..] {
            [] => calls,
            [one] => format!("{calls}, and all that rank {one} does"),
            alike => format!("{calls}, and all that ranks {} do", rank_set(alike, 24)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_ranks_are_counted() {
        let common = |same: u64, alike: &[u32]| Beside { same, alike: alike.to_vec(), ..Beside::default() }.common();
        assert_eq!(common(0, &[]), "no call is the same");
        assert_eq!(common(1, &[1]), "the first call is the same, and all that rank 1 does");
        assert_eq!(common(12, &[1, 2, 3]), "the first 12 calls are the same, and all that ranks 1-3 do");
    }
}
