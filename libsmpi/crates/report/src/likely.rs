//! How likely a finding is: in how many random executions it happens, and whether a plain simulation shows it.

use serde::{Deserialize, Serialize};

/// Executions whose choices were drawn at random.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Random {
    /// How many.
    pub schedules: u64,
    /// How many of them show the finding.
    pub showing: u64,
}

/// What came of simulations of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Simulated {
    /// The platform of the command.
    pub platform: String,
    /// Whether a simulation on it shows the finding.
    pub shows: bool,
    /// The command that does; `None` where it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// How many other platforms were tried.
    pub tried: u32,
    /// The last of them, if it shows the finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<Found>,
    /// Of a deadlock that depends on buffering: the command that shows it where no send is buffered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unbuffered: Option<String>,
}

/// A platform on which a simulation shows a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Ranks whose messages are late there.
    pub late: Vec<u32>,
    /// Its file.
    pub file: String,
    /// The command that was run.
    pub command: String,
}

impl Random {
    /// Without a full stop. `buffering`: that of the finding, in words.
    pub fn sentence(&self, buffering: Option<&str>) -> String {
        let mode = buffering.map_or(String::new(), |buffering| format!(" with {buffering}"));
        format!("seen in {} of {} random schedules{mode}", self.showing, self.schedules)
    }
}

impl Simulated {
    /// Without a full stop; the command that shows the finding, if there is one, is to stand behind it.
    pub fn sentence(&self) -> String {
        let platform = &self.platform;
        match (&self.found, self.shows) {
            _ if self.unbuffered.is_some() => {
                format!("not in a simulation on {platform}, but where no send is buffered")
            }
            (_, true) => format!("a simulation on {platform} shows it"),
            (Some(Found { late, .. }), false) => {
                let ranks: Vec<String> = late.iter().map(ToString::to_string).collect();
                let ranks =
                    if late.len() == 1 { format!("rank {}", ranks[0]) } else { format!("ranks {}", ranks.join(",")) };
                format!("not in a simulation on {platform}, but where the messages of {ranks} are late")
            }
            (None, false) if self.tried > 0 => {
                format!(
                    "not in a simulation on {platform}, and on none of {} other platforms that were tried",
                    self.tried
                )
            }
            (None, false) => format!("not in a simulation on {platform}"),
        }
    }

    /// The command that was run and shows the finding.
    pub fn command(&self) -> Option<&str> {
        let found = self.found.as_ref().map(|found| found.command.as_str());
        found.or(self.unbuffered.as_deref()).or(self.command.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_platform_that_shows_it_comes_with_its_command() {
        let platform = "laptop.toml".to_string();
        let mut simulated = Simulated { platform, ..Simulated::default() };
        assert_eq!(simulated.sentence(), "not in a simulation on laptop.toml");
        simulated.tried = 5;
        assert!(simulated.sentence().ends_with("and on none of 5 other platforms that were tried"));
        let command = "smpirun --platform=r.toml ./app".to_string();
        simulated.found = Some(Found { late: vec![1, 3], file: "r.toml".into(), command });
        assert!(simulated.sentence().ends_with("but where the messages of ranks 1,3 are late"));
        assert_eq!(simulated.command(), Some("smpirun --platform=r.toml ./app"));
        let unbuffered = Some("smpirun --cfg=a:0 ./app".to_string());
        let stuck = Simulated { found: None, unbuffered, ..simulated.clone() };
        assert_eq!(stuck.sentence(), "not in a simulation on laptop.toml, but where no send is buffered");
        assert_eq!(stuck.command(), Some("smpirun --cfg=a:0 ./app"));
        simulated = Simulated { shows: true, command: Some("smpirun ./app".into()), ..simulated };
        assert_eq!(simulated.sentence(), "a simulation on laptop.toml shows it");
        let random = Random { schedules: 200, showing: 3 };
        assert_eq!(random.sentence(Some("zero buffering")), "seen in 3 of 200 random schedules with zero buffering");
    }
}
