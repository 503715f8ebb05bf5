//! `cargo xtask campaign [--minutes N] [--seed S] [WHAT...]`: every random campaign and every crossing, in turns, for
//! as long as one has, each time from another seed.
//!
//! [`table`] says what there is; [`run`] gives one campaign its turn; [`log`] keeps what came of it. A campaign that
//! fails has made its case as small as it can: it is written into a folder, with the command that repeats it.

mod log;
mod run;
mod table;

use crate::shell::{self, GREEN, RED, paint};
use log::{Log, Turn};
use smpi_tests::covered::Covered;
use std::time::Duration;
use table::{CAMPAIGNS, Campaign};

const HELP: &str = "\
Usage: cargo xtask campaign [--minutes N] [--seed S] [WHAT...]
       cargo xtask campaign --list | --log

  --minutes N   how long (default: 10)
  --seed S      the seeds of an earlier run; without it they are new
  --list        names the campaigns, of which WHAT chooses some
  --log         what all runs on this machine crossed and found, from the log
";

/// How long a campaign goes on before it is another one's turn.
const TURN: Duration = Duration::from_secs(40);

/// What the command line asks for.
struct Choice {
    minutes: f64,
    seed: Option<u64>,
    campaigns: Vec<Campaign>,
}

/// The subcommand.
pub fn run(words: &[String]) -> Result<(), String> {
    match words.first().map(String::as_str) {
        Some("--list") => {
            CAMPAIGNS.iter().for_each(|campaign| println!("{:<14} {}", campaign.name, campaign.crosses));
            return Ok(());
        }
        Some("--log") => {
            let (turns, covered) = Log::open()?.read()?;
            summary(&turns, &covered);
            return Ok(());
        }
        Some("--help") => {
            print!("{HELP}");
            return Ok(());
        }
        _ => {}
    }
    let choice = choice(words)?;
    let seed = match choice.seed {
        Some(seed) => seed,
        None => run::new_seed()?,
    };
    println!("cargo xtask campaign --seed {seed}");
    let (turns, covered) = take_turns(&choice, seed)?;
    summary(&turns, &covered);
    let failed: Vec<&Turn> = turns.iter().filter(|turn| !turn.failure.is_empty()).collect();
    if failed.is_empty() {
        return Ok(());
    }
    let files: Vec<&str> = failed.iter().map(|turn| turn.failure.as_str()).collect();
    Err(format!("something was found; how to repeat it is in\n  {}", files.join("\n  ")))
}

/// A round of the campaigns that run a test under more than it asks for, from a fixed seed: the step of
/// `cargo xtask test`. Its other steps run the tests of all others, from the same seed and for more cases.
///
/// # Errors
/// As for [`run`].
pub fn briefly() -> Result<(), String> {
    let with_more = CAMPAIGNS.iter().filter(|campaign| !campaign.with.is_empty()).map(|campaign| campaign.name);
    let words = ["--minutes", "0.3", "--seed", "1"].into_iter().chain(with_more);
    run(&words.map(String::from).collect::<Vec<_>>())
}

fn choice(words: &[String]) -> Result<Choice, String> {
    let mut choice = Choice { minutes: 10.0, seed: None, campaigns: Vec::new() };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value\n\n{HELP}"));
        match word.as_str() {
            "--minutes" => choice.minutes = parse(word, value()?)?,
            "--seed" => choice.seed = Some(parse(word, value()?)?),
            name => match CAMPAIGNS.iter().find(|campaign| campaign.name == name) {
                Some(campaign) => choice.campaigns.push(*campaign),
                None => return Err(format!("no campaign `{name}`; cargo xtask campaign --list names them")),
            },
        }
    }
    if choice.campaigns.is_empty() {
        choice.campaigns = CAMPAIGNS.to_vec();
    }
    Ok(choice)
}

fn parse<T: std::str::FromStr>(option: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{option} {text}: expected a number"))
}

/// Gives each campaign a turn after the other until the time is over; the first one, which is short, in any case.
fn take_turns(choice: &Choice, seed: u64) -> Result<(Vec<Turn>, Covered), String> {
    let built = shell::build_release()?;
    let tests = run::build(&choice.campaigns)?;
    let log = Log::open()?;
    let clock = run::Clock::start(Duration::from_secs_f64(choice.minutes * 60.0));
    let (mut turns, mut all) = (Vec::<Turn>::new(), Covered::default());
    'rounds: loop {
        for (index, campaign) in choice.campaigns.iter().enumerate() {
            let is_first = turns.len() < choice.campaigns.len();
            let Some(left) = clock.left().or(is_first.then_some(Duration::ZERO)) else { break 'rounds };
            // In the first round all have the same part of the time.
            let of_each = clock.whole() / u32::try_from(choice.campaigns.len()).unwrap_or(u32::MAX);
            let earlier: Vec<&Turn> = turns.iter().filter(|turn| turn.name == campaign.name).collect();
            let done: u64 = earlier.iter().map(|turn| turn.count).sum();
            let count = count(campaign, earlier.last().copied(), TURN.min(of_each).min(left));
            let started = run::Start { campaign, seed: seed + done, count };
            let (turn, covered) = run::turn(&started, &built, &tests[index], &log)?;
            let word = if turn.failure.is_empty() { paint("ok", GREEN) } else { paint("FAILED", RED) };
            println!("{:<14} {:>8} from seed {:<12} {word} {:6.1} s", turn.name, turn.count, turn.seed, turn.secs);
            log.append(&turn, &covered)?;
            all.add_all(&covered);
            turns.push(turn);
        }
    }
    Ok((turns, all))
}

/// How many cases fit into a time, by how long those of the last turn took.
fn count(campaign: &Campaign, last: Option<&Turn>, time: Duration) -> u64 {
    let Some(last) = last else { return campaign.first };
    let fitting = last.count as f64 * time.as_secs_f64() / last.secs.max(0.01);
    (fitting as u64).clamp(1, last.count.saturating_mul(10))
}

/// What the turns of each campaign came to, and what they came across.
fn summary(turns: &[Turn], covered: &Covered) {
    println!("\n{:<14} {:>8} {:>9} {:>7} {:>8}", "campaign", "turns", "cases", "minutes", "failures");
    for campaign in CAMPAIGNS {
        let of: Vec<&Turn> = turns.iter().filter(|turn| turn.name == campaign.name).collect();
        let cases: u64 = of.iter().map(|turn| turn.count).sum();
        let minutes: f64 = of.iter().map(|turn| turn.secs / 60.0).sum();
        let failures = of.iter().filter(|turn| !turn.failure.is_empty()).count();
        println!("{:<14} {:>8} {cases:>9} {minutes:>7.1} {failures:>8}", campaign.name, of.len());
    }
    println!("\n{covered}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(String::from).collect()
    }

    #[test]
    fn command_lines() {
        let chosen = choice(&words("--minutes 0.5 --seed 7 memory files")).unwrap();
        assert_eq!((chosen.minutes, chosen.seed, chosen.campaigns.len()), (0.5, Some(7), 2));
        assert_eq!(choice(&[]).unwrap().campaigns.len(), CAMPAIGNS.len());
        for wrong in ["--seed", "--seed x", "nothing"] {
            assert!(choice(&words(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn turns_become_as_long_as_they_may() {
        let campaign = &CAMPAIGNS[0];
        let last = |count, secs| Turn { count, secs, ..Turn::default() };
        assert_eq!(count(campaign, None, TURN), campaign.first);
        assert_eq!(count(campaign, Some(&last(10, 20.0)), Duration::from_secs(40)), 20);
        assert_eq!(count(campaign, Some(&last(10, 0.0)), Duration::from_secs(40)), 100);
        assert_eq!(count(campaign, Some(&last(10, 1000.0)), Duration::from_secs(4)), 1);
    }
}
