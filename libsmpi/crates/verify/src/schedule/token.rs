//! What `--replay` takes: a token of [`smpi_checker::token`] whose mode is the buffering, `1/zero/0.3:2/0.4:1`; or, for
//! a message race, two such tokens with `+` between: the outputs of both schedules are compared. With `~` between, what
//! their ranks send is, with `~~` what they receive.
//!
//! `_12` stands for twelve choices as an exploration would make them first. It keeps tokens of long schedules short.
//!
//! `:2.31` stands for choices of one rank that follow each other, each by one sign: choice by choice the candidate, or
//! a dot for what an exploration would choose first. The rank is that of the last choice before that is written down,
//! and its numbers go on from there, those of choices that an exploration would make first counted:
//! `0.3:2/_1/:2.3` is `0.3:2/_1/0.5:2/_1/0.7:3`.
//!
//! `@5` at the end: the choices after the first five lead back to the state before them, a round that an execution can
//! go for ever. `%5`: the same of a program that can no longer end there.
//!
//! What the exploration had to know of the program follows the buffering: requests that it cancels by their names, and
//! servers whose order matters by their numbers, `1/zero,0.4,2.1,6/0.3:-`.

use smpi_base::plan::ROUND_SIGNS;
use smpi_checker::{Event, Token};
use smpi_report::finding::Buffering;

use crate::program::Program;
use smpi_choices::Discoveries;

/// Choices of a schedule that are written down one by one.
const MAX_EVENTS: usize = 100;

/// What of two schedules is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compared {
    /// What their ranks print, and their exit codes.
    Outputs,
    /// What their ranks send.
    Sends,
    /// What their ranks receive.
    Receives,
}

/// What stands between two schedules, in words.
pub const BETWEEN: &str = "+, ~ or ~~";

impl Compared {
    /// What stands between the schedules. One that begins with another comes before it.
    const ALL: [(Compared, &str); 3] = [(Compared::Outputs, "+"), (Compared::Receives, "~~"), (Compared::Sends, "~")];

    fn between(self) -> &'static str {
        Compared::ALL.iter().find(|(compared, _)| *compared == self).map_or("+", |(_, text)| text)
    }
}

/// One schedule, or two.
#[derive(Debug, PartialEq)]
pub struct Schedules {
    /// Buffering of standard-mode sends.
    pub buffering: Buffering,
    /// What is known of the program.
    pub foreseen: Discoveries,
    /// The schedule to compare with, which is executed first, and what is compared; only for differences between two.
    pub before: Option<(Compared, Token)>,
    /// The schedule.
    pub token: Token,
    /// It ends in a round.
    pub round: Option<Round>,
}

/// The last choices of a schedule lead back to the same state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Round {
    /// So many choices come before them.
    pub before: usize,
    /// The program can no longer end.
    pub is_lost: bool,
}

/// The signs of rounds, and whether the program can no longer end.
const ROUNDS: [(char, bool); 2] = [(ROUND_SIGNS[0], false), (ROUND_SIGNS[1], true)];

/// Writes a schedule down.
pub fn write(buffering: Buffering, foreseen: &Discoveries, path: &[Event]) -> String {
    let text = Token::verbatim(&mode(buffering, foreseen), path).to_string();
    if path.len() > MAX_EVENTS { dense(&text) } else { text }
}

/// Where a choice stands among those of its rank, as tokens write it.
struct Place<'a> {
    agent: &'a str,
    next: u64,
}

impl<'a> Place<'a> {
    /// Behind a choice that is written down, `0.3:2`; with its candidate.
    fn behind(item: &'a str) -> Option<(Place<'a>, &'a str)> {
        let (choice, candidate) = item.split_once(':')?;
        let (agent, number) = choice.split_once('.')?;
        Some((Place { agent, next: number.parse::<u64>().ok()?.checked_add(1)? }, candidate))
    }
}

/// Choices made as an exploration makes them first, `_3`.
fn defaults(item: &str) -> Option<u64> {
    item.strip_prefix('_')?.parse().ok()
}

/// A schedule in less space: choices of one rank that follow each other by one sign each.
fn dense(text: &str) -> String {
    let mut short = String::with_capacity(text.len());
    let (mut place, mut is_run): (Option<Place<'_>>, bool) = (None, false);
    for (at, item) in text.split('/').enumerate() {
        let sign = match (Place::behind(item), defaults(item), &mut place) {
            (Some((Place { agent, next }, candidate)), _, place) => {
                let goes_on = place.as_ref().is_some_and(|place| place.agent == agent && place.next + 1 == next);
                *place = Some(Place { agent, next });
                (goes_on && candidate.len() == 1).then(|| candidate.to_string())
            }
            (None, Some(count), Some(place)) => {
                place.next = place.next.saturating_add(count);
                (is_run && count <= MOST_DOTS).then(|| ".".repeat(count as usize))
            }
            _ => None,
        };
        if at > 0 && !(is_run && sign.is_some()) {
            short.push('/');
        }
        match &sign {
            Some(sign) if is_run => short.push_str(sign),
            Some(sign) => short.extend([":", sign]),
            None => short.push_str(item),
        }
        is_run = sign.is_some();
    }
    short
}

/// The same with each choice written down by itself.
fn spread(text: &str) -> Result<String, String> {
    let mut long: Vec<String> = Vec::new();
    let mut place: Option<(String, u64)> = None;
    for item in text.split('/') {
        let Some(signs) = item.strip_prefix(':') else {
            if let Some((behind, _)) = Place::behind(item) {
                place = Some((behind.agent.to_string(), behind.next));
            } else if let (Some((_, next)), Some(count)) = (&mut place, defaults(item)) {
                *next = next.saturating_add(count);
            }
            long.push(item.to_string());
            continue;
        };
        let Some((agent, next)) = &mut place else {
            let expected = "expected a choice before it, as in 0.3:2, whose rank goes on";
            return Err(format!("replay token: :{signs}; {expected}"));
        };
        for sign in signs.chars() {
            long.push(if sign == '.' { "_1".to_string() } else { format!("{agent}.{next}:{sign}") });
            *next += 1;
        }
    }
    Ok(long.join("/"))
}

/// Choices in a row that are dots where they are made as an exploration makes them first.
const MOST_DOTS: u64 = 3;

/// Writes one choice down, as it stands in a schedule.
pub fn event(event: Event) -> String {
    let text = write(Buffering::Zero, &Discoveries::new(), &[event]);
    text.rsplit('/').next().unwrap_or_default().to_string()
}

fn mode(buffering: Buffering, foreseen: &Discoveries) -> String {
    let mut mode = buffering.to_string();
    foreseen.iter().for_each(|known| mode.push_str(&format!(",{known}")));
    mode
}

/// A schedule of very many choices in less space, as far as they are what an exploration would choose first: a rank
/// that polls for ever has made a thousand. Found by executing it once more; what is written down otherwise stays as it
/// is.
pub fn shorten(program: &mut Program, text: &mut String) {
    let is_one = !text.contains(['+', '~']) && !text.contains(ROUND_SIGNS);
    let Some((buffering, foreseen, path)) = path(text).filter(|(.., path)| is_one && path.len() > MAX_EVENTS) else {
        return;
    };
    let mode = mode(buffering, &foreseen);
    program.set_buffering(buffering);
    program.foresee(&foreseen);
    // What is chosen first is what it will be in a replay.
    let before = program.set_looks_ahead(true);
    if let Ok(token) = Token::counted(program, &mode, &path) {
        *text = dense(&token.to_string());
    }
    program.set_looks_ahead(before);
}

/// Writes down a schedule that ends in a round.
pub fn write_round(buffering: Buffering, foreseen: &Discoveries, path: &[Event], round: Round) -> String {
    let sign = ROUNDS.iter().find(|(_, is_lost)| *is_lost == round.is_lost).map_or('@', |(sign, _)| *sign);
    format!("{}{sign}{}", write(buffering, foreseen, path), round.before)
}

/// Writes down two schedules that differ in this.
pub fn write_two(buffering: Buffering, foreseen: &Discoveries, compared: Compared, both: [&[Event]; 2]) -> String {
    both.map(|path| write(buffering, foreseen, path)).join(compared.between())
}

/// Reads what [`write`] or [`write_two`] wrote, or a person.
///
/// # Errors
/// Text for the user: what is wrong and what was expected.
pub fn parse(text: &str) -> Result<Schedules, String> {
    let of = |&(sign, is_lost)| Some((sign, is_lost, text.rsplit_once(sign)?));
    let (text, round) = match ROUNDS.iter().find_map(of) {
        Some((sign, is_lost, (text, before))) => {
            let expected = "expected the number of choices before those that come again";
            let before = before.parse().map_err(|_| format!("replay token: {sign}{before}; {expected}"))?;
            (text, Some(Round { before, is_lost }))
        }
        None => (text, None),
    };
    let one = |text: &str| spread(text)?.parse::<Token>().map_err(|error| error.to_string());
    let split = |(compared, between)| Some((compared, text.split_once(between)?));
    let (before, token) = match Compared::ALL.into_iter().find_map(split) {
        Some((compared, (before, token))) => (Some((compared, one(before)?)), one(token)?),
        None => (None, one(text)?),
    };
    let is_other = before.as_ref().is_some_and(|(_, before)| before.mode != token.mode);
    let mut words = token.mode.split(',');
    let buffering = match words.next().unwrap_or_default() {
        "zero" if !is_other => Buffering::Zero,
        "infinite" if !is_other => Buffering::Infinite,
        "each" if !is_other => Buffering::Each,
        _ => {
            let mode = &token.mode;
            return Err(format!("replay token: mode {mode}; expected zero, infinite or each, the same for both"));
        }
    };
    let name = |word: &str| {
        let expected = "expected a request as in zero,0.4, or the locks or the accesses of a window as in zero,1w0l or zero,1w0a16";
        word.parse().map_err(|()| format!("replay token: {word:?} in the mode {}; {expected}", token.mode))
    };
    let foreseen = words.map(name).collect::<Result<_, _>>()?;
    if let Some(round) = round.filter(|round| round.before > token.len()) {
        let (before, most) = (round.before, token.len());
        return Err(format!(
            "replay token: a round after {before}; expected at most {most}, the choices of the schedule"
        ));
    }
    Ok(Schedules { buffering, foreseen, before, token, round })
}

/// The schedule that [`write`] wrote, with what it was explored under; of two, the second one.
pub fn path(text: &str) -> Option<(Buffering, Discoveries, Vec<Event>)> {
    let Schedules { buffering, foreseen, token, .. } = parse(text).ok()?;
    Some((buffering, foreseen, token.events()?))
}

#[cfg(test)]
mod tests {
    use smpi_base::WorldRank;
    use smpi_base::rng::Rng;
    use smpi_checker::ChoiceId;
    use smpi_checker::alternatives::NOT_YET;

    use super::*;

    #[test]
    fn tokens_survive_writing_and_reading() {
        let id = |rank, number| ChoiceId::of(WorldRank(rank), number);
        let events = vec![Event { choice: id(0, 3), candidate: 2 }, Event { choice: id(2, 0), candidate: NOT_YET }];
        let none = Discoveries::new();
        let text = write(Buffering::Infinite, &none, &events);
        assert_eq!(text, "1/infinite/0.3:2/2.0:-");
        assert_eq!(events.iter().map(|&one| event(one)).collect::<Vec<_>>(), ["0.3:2", "2.0:-"]);
        for (sign, is_lost) in ROUNDS {
            let round = Round { before: 1, is_lost };
            let text = write_round(Buffering::Infinite, &none, &events, round);
            assert_eq!(text, format!("1/infinite/0.3:2/2.0:-{sign}1"));
            let parsed = parse(&text).unwrap();
            assert_eq!((parsed.token.events(), parsed.round), (Some(events.clone()), Some(round)));
        }
        assert!(
            parse("1/zero/0.3:2@2").is_err() && parse("1/zero/0.3:2@").is_err() && parse("1/zero/0.3:2@x").is_err()
        );
        let round = Round { before: 0, is_lost: false };
        let still = write_round(Buffering::Zero, &none, &[], round);
        assert_eq!(parse(&still).map(|still| (still.token.len(), still.round)), Ok((0, Some(round))), "{still}");
        assert_eq!(path(&text), Some((Buffering::Infinite, none.clone(), events.clone())));
        for (compared, _) in Compared::ALL {
            let text = write_two(Buffering::Zero, &none, compared, [&events, &events[..1]]);
            let before = parse(&text).unwrap().before;
            assert_eq!(
                before.map(|(compared, before)| (compared, before.events())),
                Some((compared, Some(events.clone())))
            );
            assert_eq!(path(&text), Some((Buffering::Zero, none.clone(), events[..1].to_vec())));
        }
        assert!(parse("0.3:2").is_err() && parse("1/zero/0.3").is_err() && parse("1/both").is_err());
        assert!(parse("1/zero/0.3:1+1/infinite/0.3:2").is_err());
        let names: Discoveries = ["0.4", "12.30", "6w0a8"].iter().map(|name| name.parse().unwrap()).collect();
        let text = write(Buffering::Zero, &names, &events);
        assert_eq!(text, "1/zero,0.4,12.30,6w0a8/0.3:2/2.0:-");
        assert_eq!(path(&text), Some((Buffering::Zero, names, events)));
        assert!(parse("1/zero,+0/0.3:1").is_err() && parse("1/zero,0.+1/0.3:1").is_err());
    }

    #[test]
    fn choices_of_one_rank_that_follow_each_other_take_a_sign_each() {
        let long = "1/zero/_1/0.1:3/_1/0.3:3/_3/0.7:2/0.8:-/_4/0.13:2/2.0:1/2.1:10/2.2:=";
        let short = "1/zero/_1/0.1:3/_1/:3...2-/_4/:2/2.0:1/2.1:10/:=";
        assert_eq!(dense(long), short);
        let same = |one: &str, other: &str| parse(one).unwrap().token.len() == parse(other).unwrap().token.len();
        assert!(same(long, short));
        assert_eq!(spread(short).unwrap().replace("_1/_1/_1", "_3"), long);
        assert!(parse("1/zero/:2").is_err_and(|why| why.contains("expected a choice before it")));
        assert!(parse("1/zero/0.1:2/:A").is_err());
    }

    /// Whatever is chosen, a long schedule is read back as it was, from a text that is much shorter.
    #[test]
    fn long_schedules_are_short_texts() {
        let mut rng = Rng::new(7);
        for ranks in [1, 2, 5] {
            let mut numbers = vec![0; ranks];
            let mut event = |_| {
                let rank = rng.below(ranks);
                let number = numbers[rank];
                numbers[rank] += 1;
                let candidate = [0, 1, 2, 40, NOT_YET][rng.below(5)];
                Event { choice: ChoiceId::of(WorldRank(rank as u32), number), candidate }
            };
            let events: Vec<Event> = (0..1000).map(&mut event).collect();
            let text = write(Buffering::Zero, &Discoveries::new(), &events);
            assert_eq!(path(&text), Some((Buffering::Zero, Discoveries::new(), events.clone())));
            let plain = Token::verbatim("zero", &events).to_string();
            assert!(text.len() <= plain.len() && (ranks > 1 || text.len() * 2 < plain.len()), "{}", text.len());
        }
    }
}
