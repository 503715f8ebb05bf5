//! Which findings are one fault, after it was asked why they happen.
//!
//! A fault that is met in one place of the program can show in many: a rank that has taken the wrong message waits here
//! or there, whichever message comes next. So findings of the same kind are one fault if one of these holds:
//!
//! - the same choices make both of them inevitable, or are enough for both. That must be proved of both: where it was
//!   only tried, they stay two;
//! - calls that do not match are noticed at the same call, and do not match in the same way: the same types, the same
//!   operations;
//! - a buffer is used too early, and one of them shows only where the other does, at some of its places: that it was
//!   changed is noticed without the line that did it, too.
//!
//! Whatever is joined stays there, as a guise with its own schedule. Findings of which every execution shows one have
//! no choice in common that would make them one, so they are not joined.

use std::collections::BTreeSet;

use crate::cause::{place_without_rank, without_numbers};
use crate::company::Company;
use crate::explanation::{Explanation, Matching};
use crate::finding::Finding;
use crate::key::FindingKey;

/// The findings, one for each fault, each where the first of it was.
pub fn united(findings: Vec<Finding>, company: &Company) -> Vec<Finding> {
    let mut faults: Vec<Vec<Finding>> = Vec::new();
    for finding in findings {
        let is_it = |fault: &Vec<Finding>| fault.iter().any(|known| is_one(known, &finding, company));
        let Some(first) = faults.iter().position(is_it) else {
            faults.push(vec![finding]);
            continue;
        };
        // It may be what two of them have in common.
        let mut others: Vec<Vec<Finding>> = faults.extract_if(first + 1.., |fault| is_it(fault)).collect();
        others.iter_mut().for_each(|other| faults[first].append(other));
        faults[first].push(finding);
    }
    faults.into_iter().filter_map(|fault| one_of(fault, company)).collect()
}

/// The most telling finding of a fault, with the others as its guises.
fn one_of(mut fault: Vec<Finding>, company: &Company) -> Option<Finding> {
    let tells_more = |at: &usize| fault.iter().any(|other| is_part(other, &fault[*at]));
    let most = (0..fault.len()).find(|at| is_race(fault[*at].key) && tells_more(at)).unwrap_or(0);
    let mut first = (most < fault.len()).then(|| fault.remove(most))?;
    fault.into_iter().for_each(|other| company.unite(&mut first, other));
    Some(first)
}

/// Whether two findings are one fault.
fn is_one(one: &Finding, other: &Finding, company: &Company) -> bool {
    one.key == other.key
        && !one.is_limit
        && !other.is_limit
        && (has_same_reason(one, other)
            || is_mismatch(one.key) && is_same_mismatch(one, other)
            || is_race(one.key) && (shows_only_with(one, other, company) || shows_only_with(other, one, company)))
}

fn is_race(key: FindingKey) -> bool {
    matches!(key, FindingKey::RaceBuffer | FindingKey::RaceWindow)
}

fn is_mismatch(key: FindingKey) -> bool {
    matches!(key, FindingKey::TypeMismatch | FindingKey::CollectiveMismatch)
}

/// Whether the same choices make both inevitable, or are enough for both.
fn has_same_reason(one: &Finding, other: &Finding) -> bool {
    let (Some(one), Some(other)) = (&one.explanation, &other.explanation) else { return false };
    let is_same =
        |of: fn(&Explanation) -> Option<BTreeSet<Name<'_>>>| of(one).is_some_and(|names| of(other) == Some(names));
    is_same(inevitable) || is_same(enough)
}

/// A choice and what was chosen, by which it is the same in another execution: in the schedule, and in the program.
type Name<'a> = (&'a str, &'a str, Option<&'a str>, &'a str);

fn name(matching: &Matching) -> Name<'_> {
    (&matching.event, &matching.call, matching.location.as_deref(), &matching.took)
}

/// The choices of a decision, with those before it that it takes; `None` where nobody knows for certain.
fn inevitable(explanation: &Explanation) -> Option<BTreeSet<Name<'_>>> {
    let decision = explanation.decision.as_ref().filter(|_| explanation.complete)?;
    let before = decision.given.as_ref()?;
    Some([&decision.matching].into_iter().chain(&decision.together).chain(before).map(name).collect())
}

/// The choices of a condition that is part of what made the decision inevitable: one that is not may be that of another
/// fault, which the same execution shows.
fn enough(explanation: &Explanation) -> Option<BTreeSet<Name<'_>>> {
    let inevitable = inevitable(explanation)?;
    let condition = explanation.condition.as_ref().filter(|condition| condition.all_with)?;
    let enough: BTreeSet<Name<'_>> = condition.matchings.iter().map(name).collect();
    (!enough.is_empty() && enough.is_subset(&inevitable)).then_some(enough)
}

/// The places of a finding that have a line.
fn places(finding: &Finding) -> BTreeSet<String> {
    finding.locations.iter().filter(|place| place.file.is_some()).map(place_without_rank).collect()
}

/// Whether two mismatches have a call in common, and the same is wrong with both.
fn is_same_mismatch(one: &Finding, other: &Finding) -> bool {
    !places(one).is_disjoint(&places(other)) && without_numbers(&one.message) == without_numbers(&other.message)
}

/// Whether the places of the second finding are some of the first one's.
fn is_part(part: &Finding, whole: &Finding) -> bool {
    let (part, whole) = (places(part), places(whole));
    !part.is_empty() && part.len() < whole.len() && part.is_subset(&whole)
}

/// Whether the first finding has some of the second one's places, and no execution shows it alone.
fn shows_only_with(part: &Finding, whole: &Finding, company: &Company) -> bool {
    is_part(part, whole) && !whole.modes.is_empty() && company.of_either(whole, part) == whole.modes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explanation::{Condition, Decision};
    use crate::finding::{Buffering, InMode, Location};

    fn at(number: u32, key: FindingKey, line: u32) -> Finding {
        let modes = vec![InMode { buffering: Buffering::Zero, executions: 2 }];
        let finding = Finding { number, modes, occurrences: 2, ..Finding::new(key, "a rank waits for ever") };
        finding.located(Location::new(0, "MPI_Recv").at("a.c", line))
    }

    fn took(event: &str) -> Matching {
        Matching { event: event.into(), call: "MPI_Recv".into(), took: "it".into(), ..Matching::default() }
    }

    fn explained(complete: bool, given: Option<&[&str]>, last: &str, condition: &[&str]) -> Option<Explanation> {
        let all = |events: &[&str]| -> Vec<Matching> { events.iter().map(|event| took(event)).collect() };
        let decision = Decision { matching: took(last), given: given.map(all), ..Decision::default() };
        let condition = Condition { matchings: all(condition), all_with: true, ..Condition::default() };
        let (decision, condition) = (Some(decision), Some(condition));
        Some(Explanation { complete, decision, condition, ..Explanation::default() })
    }

    fn count(first: Option<Explanation>, second: Option<Explanation>) -> usize {
        let mut findings = vec![at(0, FindingKey::Deadlock, 3), at(1, FindingKey::Deadlock, 5)];
        (findings[0].explanation, findings[1].explanation) = (first, second);
        united(findings, &Company::default()).len()
    }

    #[test]
    fn the_same_proved_reason_makes_one_fault() {
        let reason = |given: &[&str], condition: &[&str]| explained(true, Some(given), "0.1:2", condition);
        assert_eq!(count(reason(&[], &["0.1:2"]), reason(&[], &["0.1:2"])), 1);
        assert_eq!(count(reason(&["0.0:1"], &["0.1:2"]), reason(&["0.0:3"], &["0.1:2"])), 1, "the same is enough");
        assert_eq!(count(reason(&["0.0:1"], &["0.0:1"]), reason(&["0.0:3"], &["0.0:3"])), 2, "other conditions");
        assert_eq!(count(reason(&[], &["0.9:9"]), explained(true, Some(&[]), "0.2:1", &["0.9:9"])), 2, "of neither");
        assert_eq!(count(explained(false, Some(&[]), "0.1:2", &[]), reason(&[], &[])), 2, "only tried");
        assert_eq!(count(explained(true, None, "0.1:2", &[]), reason(&[], &[])), 2, "nobody knows what else it takes");
        assert_eq!(count(None, None), 2);
    }

    #[test]
    fn a_finding_can_be_what_two_have_in_common() {
        let mut findings: Vec<Finding> = (0..3).map(|number| at(number, FindingKey::Deadlock, number)).collect();
        findings[0].explanation = explained(true, Some(&["0.0:1"]), "0.1:2", &["0.0:1"]);
        findings[1].explanation = explained(true, Some(&["0.0:1", "0.2:2"]), "0.1:2", &["0.2:2"]);
        findings[2].explanation = explained(true, Some(&["0.0:1", "0.2:2"]), "0.1:2", &["0.0:1"]);
        let united = united(findings, &Company::default());
        assert_eq!((united.len(), united[0].numbers(), united[0].occurrences), (1, vec![0, 1, 2], 6));
    }

    #[test]
    fn mismatches_of_one_call_are_one_if_the_same_is_wrong() {
        let mismatch = |number: u32, send: u32, message: &str| {
            let finding = at(number, FindingKey::TypeMismatch, 3).located(Location::new(1, "MPI_Send").at("a.c", send));
            Finding { message: message.into(), ..finding }
        };
        let first = || mismatch(0, 7, "rank 1 sends 2 x MPI_INT");
        let all = |other: Finding| united(vec![first(), other], &Company::default()).len();
        assert_eq!(all(mismatch(1, 8, "rank 2 sends 1 x MPI_INT")), 1);
        assert_eq!(all(mismatch(1, 8, "rank 2 sends 1 x MPI_CHAR")), 2);
    }

    #[test]
    fn a_race_without_its_line_is_that_with_it() {
        let all = |together: u64| {
            let (short, long) = (at(0, FindingKey::RaceBuffer, 3), at(1, FindingKey::RaceBuffer, 3));
            let long = long.located(Location::new(0, "").at("a.c", 4));
            let mut company = Company::default();
            company.add(Buffering::Zero, vec![0, 1], together);
            united(vec![short, long], &company)
        };
        let one = all(2);
        assert_eq!((one.len(), one[0].locations.len(), one[0].occurrences), (1, 2, 2), "the more telling one");
        assert_eq!(all(1).len(), 2, "it is there without the other");
    }
}
