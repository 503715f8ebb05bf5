//! The runs of a study, dealt out to the tasks of a job array: every task makes those of its own, and they do not have
//! to know of each other.

use super::run::{Job, group_of};
use super::study::{Compute, Study};

/// Tasks of a job array. Slurm has 1,001 numbers for them, from 0, unless a site allows more.
const MOST_TASKS: usize = 1_000;

/// Which of so many shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Its number, from 1.
    pub number: usize,
    /// How many there are.
    pub of: usize,
}

impl Share {
    /// From `3/64`.
    ///
    /// # Errors
    /// Text for the user.
    pub fn parse(text: &str) -> Result<Share, String> {
        let numbers = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Share { number, of }),
            _ => Err("expected the number of a share and how many there are, such as 3/64".to_string()),
        }
    }

    /// Its runs. Runs that share a recording are in one share: the first of them makes it.
    pub fn runs(self, study: &Study, jobs: Vec<Job>) -> Vec<Job> {
        let numbers = numbers(study, &jobs);
        let mine = |number: &usize| number % self.of == self.number - 1;
        jobs.into_iter().zip(numbers).filter(|(_, number)| mine(number)).map(|(job, _)| job).collect()
    }
}

/// Into how many shares the runs of a study are dealt out: one for each run that depends on no other, if these are not
/// too many.
pub fn count(study: &Study, jobs: &[Job]) -> usize {
    numbers(study, jobs).into_iter().max().map_or(1, |last| (last + 1).min(MOST_TASKS))
}

/// The numbers of runs, from 0; those that share a recording have the same.
fn numbers(study: &Study, jobs: &[Job]) -> Vec<usize> {
    if study.compute != Compute::Recorded {
        return (0..jobs.len()).collect();
    }
    let mut groups = Vec::new();
    let number = |job| {
        let group = group_of(job);
        groups.iter().position(|known| *known == group).unwrap_or_else(|| {
            groups.push(group);
            groups.len() - 1
        })
    };
    jobs.iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_have_numbers() {
        assert_eq!(Share::parse("3/64"), Ok(Share { number: 3, of: 64 }));
        assert_eq!(Share::parse("1/1"), Ok(Share { number: 1, of: 1 }));
        for text in ["", "3", "0/4", "5/4", "a/4", "1/", "-1/4", "1/4/4"] {
            assert!(Share::parse(text).is_err(), "{text}");
        }
    }
}
