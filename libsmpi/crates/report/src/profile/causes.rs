//! What a profile means: the reasons for lost time in an order, in words.

use serde::{Deserialize, Serialize};

use super::{LinkRow, Profile};

/// Shares of the time below which nothing is said.
const LEAST_SHARE: f64 = 0.01;
/// Small messages: their time is latency rather than bandwidth.
const SMALL_BYTES: u64 = 4096;

/// What kind of reason.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Ranks wait because one computes longer than the others.
    Imbalance,
    /// Messages share links.
    Contention,
    /// Ranks wait for messages on their way.
    Transfer,
    /// Ranks are busy with calls.
    Overhead,
    /// Ranks wait, and what for is spread over many places.
    Waiting,
}

/// What is said where a third of the waiting or more is in the wrong order.
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

/// The reasons for the lost time of a profile, the worst first. A place that makes others wait is named for itself
/// where it is responsible for a third of all waiting.
pub(super) fn of(profile: &Profile) -> Vec<Cause> {
    let mut causes = Vec::new();
    let time = &profile.time;
    if time.waiting() > 0.0 {
        causes.push(waiting(profile));
    }
    if time.contention > 0.0 {
        causes.push(contention(profile));
    }
    if time.transfer > 0.0 {
        causes.push(transfer(profile));
    }
    if time.overhead > 0.0 {
        let place = most(profile, |row| row.time.overhead);
        let words = format!("ranks are busy with sending, receiving and polling{place}");
        causes.push(Cause { kind: Kind::Overhead, secs: time.overhead, words });
    }
    causes.retain(|cause| profile.share(cause.secs) >= LEAST_SHARE);
    causes.sort_by(|one, other| other.secs.total_cmp(&one.secs));
    causes
}

fn waiting(profile: &Profile) -> Cause {
    let secs = profile.time.waiting();
    let at = most(profile, |row| row.time.waiting());
    let computation = profile.computations.iter().max_by(|one, other| one.caused_secs.total_cmp(&other.caused_secs));
    let order = if profile.time.wrong_order >= secs / 3.0 { WRONG_ORDER } else { "" };
    let Some(computation) = computation.filter(|row| row.caused_secs >= secs / 3.0) else {
        let call = profile.computations.iter().max_by(|one, other| one.blocked_secs.total_cmp(&other.blocked_secs));
        let why = call.filter(|row| row.blocked_secs >= secs / 3.0).map_or(String::new(), |row| {
            format!(", whose messages of {} are on their way{}", row.after.words(), full_link(profile))
        });
        return Cause { kind: Kind::Waiting, secs, words: format!("ranks wait{at} for others{why}{order}") };
    };
    let rank = profile.rank_rows.iter().max_by(|one, other| one.caused_secs.total_cmp(&other.caused_secs));
    let who = match rank.filter(|row| row.caused_secs >= secs / 3.0) {
        Some(row) => format!("rank {}", row.rank),
        None => "others".to_string(),
    };
    let words = format!("ranks wait{at} while {who} computes after {}{order}", computation.after.words());
    Cause { kind: Kind::Imbalance, secs, words: words.replace("others computes", "others compute") }
}

fn contention(profile: &Profile) -> Cause {
    let at = most(profile, |row| row.time.contention);
    let words = format!("messages share links{at}{}", full_link(profile));
    Cause { kind: Kind::Contention, secs: profile.time.contention, words }
}

/// The busiest link, in words, if it is full at some time.
fn full_link(profile: &Profile) -> String {
    let link = profile.links.first().filter(|link| link.peak_share > 0.5);
    link.map_or(String::new(), |link: &LinkRow| {
        let users = link.users.first().map_or(String::new(), |user| format!(", most of it by {}", user.place.words()));
        format!("; the busiest link is {} ({:.0} % of the time{users})", link.name, 100.0 * link.share)
    })
}

fn transfer(profile: &Profile) -> Cause {
    let at = most(profile, |row| row.time.transfer);
    let row = profile.calls.iter().max_by(|one, other| one.time.transfer.total_cmp(&other.time.transfer));
    let of_call = row.map_or((0, 0), |row| (row.messages, row.sent_bytes));
    // Calls that wait for what others have started send nothing themselves.
    let sizes = &profile.message_sizes;
    let of_all = (sizes.iter().map(|row| row.messages).sum(), sizes.iter().map(|row| row.bytes).sum());
    let (messages, bytes): (u64, u64) = if of_call.0 > 0 { of_call } else { of_all };
    let size = bytes.checked_div(messages);
    let bound = match size {
        Some(size) if size < SMALL_BYTES => format!("; with {size} bytes a message on average, this is latency"),
        Some(size) => format!("; {size} bytes a message on average"),
        None => String::new(),
    };
    let words = format!("messages are on their way{at}{bound}");
    Cause { kind: Kind::Transfer, secs: profile.time.transfer, words }
}

/// Where most of something is, in words.
fn most(profile: &Profile, of: impl Fn(&super::CallRow) -> f64) -> String {
    let row = profile.calls.iter().max_by(|one, other| of(one).total_cmp(&of(other)));
    row.filter(|row| of(row) > 0.0).map_or(String::new(), |row| format!(" in {}", row.place.words()))
}
