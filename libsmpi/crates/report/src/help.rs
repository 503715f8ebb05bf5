//! What would help against a finding: changes of the program that were tried, and what came of each.

use serde::{Deserialize, Serialize};
use smpi_base::words::counted;

/// What was changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// Receives or probes of any source at a line name one.
    #[default]
    NamedSource,
    /// Sends of standard mode at a line are synchronous.
    SynchronousSend,
    /// Sends of standard mode at a line are buffered.
    BufferedSend,
    /// A barrier stands before the collective operations at a line.
    Barrier,
    /// Nothing in the program: only the other kind of buffering was explored.
    Buffering,
}

/// The sources that a rank's calls name, in program order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sources {
    /// The rank that makes the calls.
    pub rank: u32,
    /// Of each call, a rank of its communicator; `None` where it asks for any source as before.
    pub sources: Vec<Option<i32>>,
}

/// A change that was tried.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Help {
    /// What was changed.
    pub change: Change,
    /// The call that was changed; empty where none was.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub call: String,
    /// `file:line` of the call, or `None` where no call was changed.
    pub location: Option<String>,
    /// The kind of buffering, where that is the change, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffering: Option<String>,
    /// Where sources are named, which.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Sources>,
    /// Executions of the changed program that were seen to their end.
    pub executions: u64,
    /// How many of them show the finding, or an error that the program had not.
    pub failing: u64,
    /// How many of the others show another error, which the program has as well.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub elsewhere: u64,
    /// The key of an error that the program had not, if one was met.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The changed program has no other executions.
    pub complete: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Sources of one rank that are shown; the report file has all.
const MOST_SOURCES: usize = 6;
/// Ranks whose sources are shown.
const MOST_RANKS: usize = 3;
/// Changes that brought nothing and are shown.
const MOST_IN_VAIN: usize = 2;

impl Help {
    /// No execution has failed.
    pub fn helps(&self) -> bool {
        self.failing == 0 && self.executions > 0
    }

    fn change_in_words(&self) -> String {
        let place = self.location.as_deref().unwrap_or("an unknown place");
        let call = if self.call.is_empty() { "call" } else { &self.call };
        match self.change {
            Change::NamedSource => {
                let several = self.sources.iter().map(|rank| rank.sources.len()).sum::<usize>() > 1;
                let sources = if several { "sources" } else { "source" };
                format!("with the {sources} named at {place} ({})", self.sources_in_words())
            }
            Change::SynchronousSend => format!("with the {call} at {place} synchronous"),
            Change::BufferedSend => format!("with the {call} at {place} buffered"),
            Change::Barrier => format!("with a barrier before the {call} at {place}"),
            Change::Buffering => self.buffering.clone().unwrap_or_else(|| "another buffering".into()),
        }
    }

    /// The sentence of a change with which nothing fails. What the program cannot choose is no advice.
    fn advice(&self) -> String {
        let word = match self.change {
            Change::Buffering => "not with",
            _ if self.complete => "would help:",
            _ => "may help:",
        };
        format!("{word} {}", self.sentence())
    }

    /// `rank 0: 1, 2; rank 3: any, 1`.
    fn sources_in_words(&self) -> String {
        let word = |source: &Option<i32>| source.map_or("any".to_string(), |source| source.to_string());
        let of_rank = |Sources { rank, sources }: &Sources| {
            let words: Vec<String> = sources.iter().take(MOST_SOURCES).map(word).collect();
            let more = if sources.len() > MOST_SOURCES { ", …" } else { "" };
            format!("rank {rank}: {}{more}", words.join(", "))
        };
        let ranks: Vec<String> = self.sources.iter().take(MOST_RANKS).map(of_rank).collect();
        let more = if self.sources.len() > MOST_RANKS { "; …" } else { "" };
        format!("{}{more}", ranks.join("; "))
    }

    /// The change, and what came of it, without a full stop.
    fn sentence(&self) -> String {
        let executions = counted(self.executions, "execution");
        let came = match (self.failing, &self.error) {
            (0, _) if self.elsewhere > 0 => {
                format!("not this error in {executions}, of which {} still show another one", self.elsewhere)
            }
            (0, _) => format!("no error in {executions}"),
            (1, Some(error)) => format!("1 of {executions} fails, with {error}"),
            (failing, Some(error)) => format!("{failing} of {executions} fail, with {error}"),
            (1, None) => format!("1 of {executions} still fails"),
            (failing, None) => format!("{failing} of {executions} still fail"),
        };
        let complete = if self.complete { "complete" } else { "not complete" };
        format!("{}: {came}; {complete}", self.change_in_words())
    }
}

/// What is said of the changes that were tried, one sentence each: of all that help, and of some that do not.
pub fn sentences(tried: &[Help]) -> Vec<String> {
    let (helpful, vain): (Vec<&Help>, Vec<&Help>) = tried.iter().partition(|help| help.helps());
    let helpful = helpful.into_iter().map(Help::advice);
    // Where nobody saw an execution, there is nothing to say.
    let vain = vain.into_iter().filter(|help| help.failing > 0).take(MOST_IN_VAIN);
    helpful.chain(vain.map(|help| format!("would not help: {}", help.sentence()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(sources: &[&[Option<i32>]]) -> Help {
        let of_rank =
            |(rank, sources): (usize, &&[Option<i32>])| Sources { rank: rank as u32, sources: sources.to_vec() };
        Help {
            location: Some("a.c:31".into()),
            sources: sources.iter().enumerate().map(of_rank).collect(),
            executions: 24,
            complete: true,
            ..Help::default()
        }
    }

    #[test]
    fn what_helps_is_told_first() {
        let fails = Help { failing: 3, ..named(&[&[Some(2)]]) };
        let helps = named(&[&[Some(1), None]]);
        let said = sentences(&[fails, helps]);
        assert_eq!(
            said,
            [
                "would help: with the sources named at a.c:31 (rank 0: 1, any): no error in 24 executions; complete",
                "would not help: with the source named at a.c:31 (rank 0: 2): 3 of 24 executions still fail; complete",
            ]
        );
    }

    #[test]
    fn what_is_not_certain_may_help() {
        let call = "MPI_Send".to_string();
        let send = Help { change: Change::BufferedSend, call, complete: false, ..named(&[]) };
        assert_eq!(
            sentences(std::slice::from_ref(&send)),
            ["may help: with the MPI_Send at a.c:31 buffered: no error in 24 executions; not complete"]
        );
        let deadlocks = Help { failing: 24, error: Some("deadlock".into()), ..send.clone() };
        assert!(sentences(&[deadlocks])[0].contains("24 of 24 executions fail, with deadlock"));
        let nothing = Help { executions: 0, ..send.clone() };
        assert!(sentences(&[nothing]).is_empty(), "what nobody has seen is no advice");
        let other = Help { elsewhere: 2, complete: true, ..send };
        assert!(sentences(&[other])[0].contains("not this error in 24 executions, of which 2 still show another one"));
    }

    #[test]
    fn many_sources_are_cut() {
        let buffering = Help { change: Change::Buffering, buffering: Some("zero buffering".into()), ..named(&[]) };
        assert_eq!(sentences(&[buffering]), ["not with zero buffering: no error in 24 executions; complete"]);
        let many = [Some(1); 9];
        let help = named(&[&many, &many, &many, &many]);
        assert_eq!(help.sources_in_words().matches('…').count(), 4);
    }
}
