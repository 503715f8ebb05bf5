//! Values of options: which words and numbers clap takes.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use smpi_base::plan::{BufferingPlan, DeterminismPlan, ReductionPlan};

/// Largest value of `--sample`: the number of each is kept.
pub const MOST_WALKS: u64 = 100_000_000;
/// Largest value of `--bug-depth`: with more changes of priorities hardly any order of them remains.
pub const MOST_DEPTH: i64 = 100;
/// Largest value of `--max-waitsome`: N requests have 2^N sets, and a million are enough.
pub const MOST_WAITSOME: i64 = 20;
/// Most rounds that are walked: more than anybody looks at.
pub const MOST_ROUNDS: i64 = 1_000_000;
/// Largest limit in seconds: 30 years.
const MOST_SECONDS: f64 = 1e9;

/// How collective operations are verified.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Collectives {
    /// Each is one transition.
    Atomic,
    /// Message by message.
    PointToPoint,
}

/// Words for a value. SMPI's word for infinite buffering is `infty`.
pub type Words<T> = &'static [(&'static str, T)];

/// Words of `--buffering`.
pub const BUFFERING: Words<BufferingPlan> = &[
    ("zero", BufferingPlan::Zero),
    ("infinite", BufferingPlan::Infinite),
    ("both", BufferingPlan::Both),
    ("each", BufferingPlan::Each),
    ("infty", BufferingPlan::Infinite),
];
pub const COLLECTIVES: Words<Collectives> = &[("atomic", Collectives::Atomic), ("p2p", Collectives::PointToPoint)];
pub const REDUCTIONS: Words<ReductionPlan> = &[
    ("matches", ReductionPlan::Matches),
    ("histories", ReductionPlan::Histories),
    ("dpor", ReductionPlan::Dpor),
    ("none", ReductionPlan::None),
];
pub const DETERMINISM: Words<DeterminismPlan> =
    &[("send", DeterminismPlan::Send), ("communication", DeterminismPlan::Communication)];

/// The parser of a value that is one of these words.
pub fn words<T: Copy + Send + Sync + 'static>(words: Words<T>) -> impl TypedValueParser<Value = T> {
    let of = |word: &str| words.iter().find(|(known, _)| *known == word).unwrap_or(&words[0]).1;
    PossibleValuesParser::new(words.iter().map(|(word, _)| *word)).map(move |word| of(&word))
}

/// A number of seconds, 0 or more.
pub fn seconds(text: &str) -> Result<f64, String> {
    seconds_where(text, "0 is no limit")
}

/// The same of what is not done at all with 0.
pub fn seconds_or_none(text: &str) -> Result<f64, String> {
    seconds_where(text, "with 0 it is not done")
}

fn seconds_where(text: &str, zero: &str) -> Result<f64, String> {
    let secs = text.parse::<f64>().ok().filter(|secs| (0.0..=MOST_SECONDS).contains(secs));
    secs.ok_or_else(|| format!("expected seconds from 0 to {MOST_SECONDS}; {zero}"))
}
