//! `--status`: how far the runs of a study are, and on which machines they were made.

use std::collections::BTreeMap;

use smpi_base::words::counted;

use super::cache::{Kept, Outcome};

/// How many runs of a machine.
#[derive(Clone, Copy, Default)]
struct Runs {
    made: usize,
    failed: usize,
    under_way: usize,
}

/// The status in words: what is known of each run, and the machines of those that are being made.
pub fn text(runs: &[Option<Kept>], under_way: &[String]) -> String {
    let mut machines: BTreeMap<&str, Runs> = BTreeMap::new();
    for kept in runs.iter().flatten() {
        let machine = machines.entry(&kept.machine).or_default();
        machine.made += 1;
        machine.failed += usize::from(matches!(kept.outcome, Outcome::Failed(_)));
    }
    for name in under_way {
        machines.entry(name).or_default().under_way += 1;
    }
    let sum = |of: fn(&Runs) -> usize| machines.values().map(of).sum::<usize>();
    let (made, failed) = (sum(|runs| runs.made), sum(|runs| runs.failed));
    // What is made again is there already.
    let under_way = under_way.len().min(runs.len() - made);
    let mut text = format!(
        "{}: {made} made, {failed} of them failed, {under_way} under way, {} left\n",
        counted(runs.len() as u64, "run"),
        runs.len() - made - under_way
    );
    for (name, of) in &machines {
        let name = if name.is_empty() { "not known where" } else { name };
        text += &format!("  {name}: {} made, {} of them failed, {} under way\n", of.made, of.failed, of.under_way);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::cache::{Failed, Figures};

    #[test]
    fn runs_are_counted_by_machines() {
        let ran = |machine: &str| Kept { outcome: Outcome::Ran(Figures::default()), machine: machine.to_string() };
        let failed = Outcome::Failed(Failed { code: Some(7), message: String::new() });
        let runs = [Some(ran("n1")), None, Some(Kept { outcome: failed, machine: "n2".to_string() }), None, None];
        let expected = "5 runs: 2 made, 1 of them failed, 1 under way, 2 left\n\
                        \x20 n1: 1 made, 0 of them failed, 0 under way\n\
                        \x20 n2: 1 made, 1 of them failed, 1 under way\n";
        assert_eq!(text(&runs, &["n2".to_string()]), expected);
        assert_eq!(text(&[None], &[]), "1 run: 0 made, 0 of them failed, 0 under way, 1 left\n");
    }
}
