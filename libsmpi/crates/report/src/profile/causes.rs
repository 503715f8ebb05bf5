//! What a profile means: the reasons for lost time in an order, in words.

use serde::{Deserialize, Serialize};

use super::{CallRow, LinkRow, Profile, Time, WaitRow};

/// Shares of the time below which nothing is said.
const LEAST_SHARE: f64 = 0.01;
/// Reasons of one kind that are named one by one; what remains of their kind is one more.
const MOST_OF_A_KIND: usize = 6;
/// Small messages: their time is latency rather than bandwidth.
const SMALL_BYTES: u64 = 4096;

/// What kind of reason.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Ranks wait, or are through, while others compute.
    Imbalance,
    /// Messages share links.
    Contention,
    /// Ranks wait for messages on their way.
    Transfer,
    /// Ranks are busy with calls.
    Overhead,
    /// Ranks wait, or are through, for other reasons.
    Waiting,
}

/// What is said where a third of the waiting of a call or more is in the wrong order.
const WRONG_ORDER: &str = "; other messages for them are there already, which they receive later";

/// A reason for lost time.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Cause {
    /// What kind.
    pub kind: Kind,
    /// Time of all ranks together that it costs, in seconds.
    pub secs: f64,
    /// The same in words, with the place.
    pub words: String,
}

/// The reasons for the lost time of a profile, the worst first. No second is in two of them, and each has no more than
/// what it names costs; of what is not named one by one the sum is told.
pub(super) fn of(profile: &Profile) -> Vec<Cause> {
    let time = &profile.time;
    let mut causes = Vec::new();
    causes.extend(in_calls(profile));
    let ended = profile.waits.iter().filter(|row| row.place.is_none());
    let rest = (Kind::Waiting, time.ended, "ranks have ended while others go on");
    causes.extend(largest(profile, ended.map(|row| waiting(profile, row)), rest));
    let contention = |row: &CallRow| format!("messages share links in {}{}", row.place.words(), full_link(profile));
    let rest = (Kind::Contention, time.contention, "messages share links in other calls");
    causes.extend(of_calls(profile, |time| time.contention, rest, contention));
    let rest = (Kind::Transfer, time.transfer, "messages are on their way in other calls");
    causes.extend(of_calls(profile, |time| time.transfer, rest, |row| transfer(profile, row)));
    let overhead =
        |row: &CallRow| format!("ranks are busy with sending, receiving and polling in {}", row.place.words());
    let rest = (Kind::Overhead, time.overhead, "ranks are busy in other calls");
    causes.extend(of_calls(profile, |time| time.overhead, rest, overhead));
    causes.sort_by(|one, other| other.secs.total_cmp(&one.secs));
    causes
}

/// What is left of a kind: of all its seconds those that no other reason has, in words.
type Rest = (Kind, f64, &'static str);

/// The largest of some reasons, and what is left of all.
fn largest(profile: &Profile, causes: impl Iterator<Item = Cause>, (kind, all_secs, words): Rest) -> Vec<Cause> {
    let is_told = |cause: &Cause| is_worth_it(profile, cause.secs);
    let mut causes: Vec<Cause> = causes.filter(is_told).collect();
    causes.sort_by(|one, other| other.secs.total_cmp(&one.secs));
    causes.truncate(MOST_OF_A_KIND);
    let named: f64 = causes.iter().map(|cause| cause.secs).sum();
    let rest = Cause { kind, secs: all_secs - named, words: words.to_string() };
    causes.extend(Some(rest).filter(is_told));
    causes
}

/// Waiting in calls: for what is known for itself, then what remains of each call.
fn in_calls(profile: &Profile) -> Vec<Cause> {
    let known = profile.waits.iter().filter(|row| row.place.is_some() && is_worth_it(profile, row.secs));
    // They are in the order of their times.
    let known: Vec<&WaitRow> = known.take(MOST_OF_A_KIND).collect();
    let mut causes: Vec<Cause> = known.iter().map(|row| waiting(profile, row)).collect();
    let remains = |call: &CallRow| {
        let of_call = known.iter().filter(|row| row.place.as_ref() == Some(&call.place));
        let (of_call, names) = of_call.fold((0.0, 0), |(secs, count), row| (secs + row.secs, count + 1));
        let more = if names > 0 { " for other reasons" } else { "" };
        let words = format!("ranks wait in {}{more}", call.place.words());
        Cause { kind: Kind::Waiting, secs: call.time.waiting() - of_call, words }
    };
    let named: f64 = causes.iter().map(|cause| cause.secs).sum();
    let rest = (Kind::Waiting, profile.time.waiting() - named, "ranks wait for others in other calls");
    causes.extend(largest(profile, profile.calls.iter().map(remains), rest));
    causes
}

fn is_worth_it(profile: &Profile, secs: f64) -> bool {
    profile.share(secs) >= LEAST_SHARE
}

/// The reasons that are a part of the time in each call.
fn of_calls(
    profile: &Profile,
    part: impl Fn(&Time) -> f64,
    rest: Rest,
    words: impl Fn(&CallRow) -> String,
) -> Vec<Cause> {
    let cause = |row: &CallRow| Cause { kind: rest.0, secs: part(&row.time), words: words(row) };
    largest(profile, profile.calls.iter().map(cause), rest)
}

fn waiting(profile: &Profile, row: &WaitRow) -> Cause {
    let (who, order) = match &row.place {
        Some(place) => (format!("ranks wait in {}", place.words()), wrong_order(profile, row)),
        None => ("ranks have ended".to_string(), ""),
    };
    let of = row.of.words();
    let (kind, why) = match row.activity.as_str() {
        "computation" => (Kind::Imbalance, others(row, "computes after", "compute after")),
        "overhead" => (Kind::Waiting, others(row, "is busy in", "are busy in")),
        "sleep" => (Kind::Waiting, others(row, "sleeps after", "sleep after")),
        "file" => (Kind::Waiting, format!("while files of {of} are read or written")),
        _ if row.place.is_some() => {
            let link = full_link(profile);
            (Kind::Waiting, format!("for others, whose messages of {of} are on their way{link}"))
        }
        _ => (Kind::Waiting, format!("while messages of {of} are on their way")),
    };
    Cause { kind, secs: row.secs, words: format!("{who} {why}{order}") }
}

/// `while rank 3 computes after MPI_Send`: the rank is named if it was the only one, or most of it.
fn others(row: &WaitRow, does: &str, all_do: &str) -> String {
    let of = row.of.words();
    match row.rank {
        Some(rank) if row.rank_secs >= 0.99 * row.secs => format!("while rank {rank} {does} {of}"),
        Some(rank) if row.rank_secs >= 0.5 * row.secs => format!("while others {all_do} {of}, mostly rank {rank}"),
        _ => format!("while others {all_do} {of}"),
    }
}

fn wrong_order(profile: &Profile, row: &WaitRow) -> &'static str {
    let call = profile.calls.iter().find(|call| Some(&call.place) == row.place.as_ref());
    let is_wrong = |call: &CallRow| call.time.wrong_order > 0.0 && call.time.wrong_order >= call.time.waiting() / 3.0;
    if call.is_some_and(is_wrong) { WRONG_ORDER } else { "" }
}

/// The busiest link, in words, if it is full at some time.
fn full_link(profile: &Profile) -> String {
    let link = profile.links.first().filter(|link| !link.is_unshared && link.peak_share > 0.5);
    link.map_or(String::new(), |link: &LinkRow| {
        let most = link.users.first().filter(|user| user.secs >= 0.5 * link.busy_secs);
        let users = most.map_or(String::new(), |user| format!(", most of it by {}", user.place.words()));
        format!("; the busiest link is {} ({:.0} % of the time{users})", link.name, 100.0 * link.share)
    })
}

fn transfer(profile: &Profile, row: &CallRow) -> String {
    // Calls that wait for what others have started send nothing themselves.
    let sizes = &profile.message_sizes;
    let of_all = (sizes.iter().map(|row| row.messages).sum(), sizes.iter().map(|row| row.bytes).sum());
    let (messages, bytes): (u64, u64) = if row.messages > 0 { (row.messages, row.sent_bytes) } else { of_all };
    let size = bytes.checked_div(messages);
    let bound = match size {
        Some(size) if size < SMALL_BYTES => format!("; with {size} bytes a message on average, this is latency"),
        Some(size) => format!("; {size} bytes a message on average"),
        None => String::new(),
    };
    format!("messages are on their way in {}{bound}", row.place.words())
}

#[cfg(test)]
mod tests {
    use super::super::PlaceName;
    use super::*;

    fn place(call: &str, line: u32) -> PlaceName {
        PlaceName { call: call.into(), file: Some("a.c".into()), line: Some(line), function: None }
    }

    fn wait(at: Option<u32>, of: u32, secs: f64, rank_secs: f64) -> WaitRow {
        let (place, of) = (at.map(|line| place("MPI_Recv", line)), place("MPI_Send", of));
        WaitRow { place, activity: "computation".into(), of, secs, rank: Some(3), rank_secs }
    }

    #[test]
    fn no_second_is_told_twice_and_none_is_lost() {
        let mut waits: Vec<WaitRow> = (0..9).map(|line| wait(Some(line), 50, 10.0 - f64::from(line), 5.0)).collect();
        waits.push(wait(None, 60, 7.0, 7.0));
        let time = Time { late_sender: 69.0, ended: 7.0, transfer: 5.0, ..Time::default() };
        let calls = (0..59).map(|line| {
            // In the first call ranks wait for longer than for what is known; in the last fifty, little.
            let late_sender = match line {
                0 => 20.0,
                1..9 => 10.0 - f64::from(line),
                _ => 0.1,
            };
            let time = Time { late_sender, transfer: 0.1, ..Time::default() };
            CallRow { place: place("MPI_Recv", line), time, ..CallRow::default() }
        });
        let calls = calls.collect();
        let profile = Profile { ranks: 1, simulated_time_secs: 100.0, time, waits, calls, ..Profile::default() };
        let causes = of(&profile);
        let told: Vec<(f64, &str)> = causes.iter().map(|cause| (cause.secs, cause.words.as_str())).collect();
        assert_eq!(told.len(), 13);
        let words = "ranks wait in MPI_Recv at a.c:0 while others compute after MPI_Send at a.c:50, mostly rank 3";
        assert!(told.contains(&(10.0, words)));
        assert!(told.contains(&(10.0, "ranks wait in MPI_Recv at a.c:0 for other reasons")));
        // The reasons of six are named, of 10 + 9 + 8 + 7 + 6 + 5 seconds.
        assert!(told.contains(&(2.0, "ranks wait in MPI_Recv at a.c:8")));
        assert!(
            told.iter()
                .any(|(secs, words)| (secs - 5.0).abs() < 1e-9 && *words == "ranks wait for others in other calls")
        );
        assert!(told.contains(&(7.0, "ranks have ended while rank 3 computes after MPI_Send at a.c:60")));
        assert!((told.iter().map(|(secs, _)| secs).sum::<f64>() - 81.0).abs() < 1e-9);
    }
}
