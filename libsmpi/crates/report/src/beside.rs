//! Two executions beside each other: what they have in common, what each rank did and was told otherwise, and where it
//! ends.
//!
//! Ranks are compared one by one, each by its own calls in their order: in which order ranks took turns means nothing.

use serde::{Deserialize, Serialize};
use smpi_base::words::counted;

/// Two executions beside each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beside {
    /// What each of them is.
    pub titles: [String; 2],
    /// Their schedules.
    pub replays: [String; 2],
    /// Calls before the first difference, those of all ranks together.
    pub same: u64,
    /// Ranks of which everything is the same.
    pub alike: Vec<u32>,
    /// The others.
    pub ranks: Vec<RankBeside>,
    /// Of a difference between two executions that are as right as each other: what each of them gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub differs: Option<[Given; 2]>,
}

/// What an execution gives where another one gives something else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    /// `rank 0 prints "2" in line 1 of its output`, `send number 1 of rank 0 goes to rank 3 with tag 1 and 8 bytes`.
    pub what: String,
    /// `file:line` of the call; `None` where it is none, or without debug information.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
}

/// A rank in two executions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankBeside {
    /// The rank.
    pub rank: u32,
    /// Its calls before the first difference.
    pub same: u64,
    /// What it does from there on, in both.
    pub courses: [Course; 2],
}

/// What a rank does in an execution after it was the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Course {
    /// Its next calls.
    pub calls: Vec<CallBeside>,
    /// Further ones that are not listed.
    pub more: u64,
    /// How it ends: `ends`, `waits in MPI_Recv at a.c:8 for a message from rank 2`.
    pub end: String,
}

/// A call, and what it did or was told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallBeside {
    /// Its name, such as `MPI_Recv`.
    pub call: String,
    /// `file:line`; `None` without debug information.
    pub location: Option<String>,
    /// `takes the message that rank 2 sent at a.c:12`, `sends 4 bytes to rank 0 with tag 1`.
    pub what: String,
}

/// Calls of a rank that are listed in a [`Course`], at most.
pub const MOST_CALLS: usize = 20;

/// Everything that a rank did in an execution, and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Whole {
    /// Its calls.
    pub calls: Vec<CallBeside>,
    /// How it ended.
    pub end: String,
}

impl Beside {
    /// Compares two executions, of each all ranks in their order. A rank that one of them does not have has done
    /// nothing there.
    pub fn of(titles: [&str; 2], replays: [String; 2], [left, right]: [Vec<Whole>; 2]) -> Beside {
        let mut beside = Beside { titles: titles.map(str::to_string), replays, ..Beside::default() };
        let nothing = Whole::default();
        for rank in 0..left.len().max(right.len()) {
            let both = [&left, &right].map(|all| all.get(rank).unwrap_or(&nothing));
            let same = both[0].calls.iter().zip(&both[1].calls).take_while(|(one, other)| one == other).count();
            beside.same += same as u64;
            if both[0] == both[1] {
                beside.alike.push(rank as u32);
                continue;
            }
            let course = |whole: &Whole| {
                let rest = &whole.calls[same..];
                let calls = rest[..rest.len().min(MOST_CALLS)].to_vec();
                Course { more: (rest.len() - calls.len()) as u64, calls, end: whole.end.clone() }
            };
            beside.ranks.push(RankBeside { rank: rank as u32, same: same as u64, courses: both.map(course) });
        }
        beside
    }

    /// What each of the two gives, one sentence for each without a full stop.
    pub fn given(&self) -> Vec<String> {
        let Some(differs) = &self.differs else { return Vec::new() };
        let said =
            ["one execution", "another"].iter().zip(differs).zip(&self.replays).map(|((which, given), replay)| {
                let at = given.location.as_ref().map_or(String::new(), |location| format!(" at {location}"));
                format!("{which}: {}{at} (--replay {replay})", given.what)
            });
        said.collect()
    }

    /// The ranks that differ, those together that differ in the same way.
    pub fn groups(&self) -> Vec<(Vec<u32>, &RankBeside)> {
        let mut groups: Vec<(Vec<u32>, &RankBeside)> = Vec::new();
        for rank in &self.ranks {
            match groups.iter_mut().find(|(_, other)| other.courses == rank.courses) {
                Some((ranks, _)) => ranks.push(rank.rank),
                None => groups.push((vec![rank.rank], rank)),
            }
        }
        groups
    }
}

impl RankBeside {
    /// Rows of two cells, one for each execution: `most` calls of each, and how it ends. `place` writes a place.
    pub fn rows(&self, most: usize, place: &dyn Fn(&str) -> String) -> Vec<[String; 2]> {
        let columns = self.courses.each_ref().map(|course| {
            let mut cells: Vec<String> = course.calls.iter().take(most).map(|call| call.words(place)).collect();
            let more = course.calls.len().saturating_sub(most) as u64 + course.more;
            cells.extend((more > 0).then(|| format!("… and {} more", counted(more, "call"))));
            let end: Vec<String> = course.end.split(' ').map(place).collect();
            cells.push(end.join(" "));
            cells
        });
        let [left, right] = &columns;
        let cell = |column: &[String], row: usize| column.get(row).cloned().unwrap_or_default();
        (0..left.len().max(right.len())).map(|row| [cell(left, row), cell(right, row)]).collect()
    }
}

impl CallBeside {
    fn words(&self, place: &dyn Fn(&str) -> String) -> String {
        let what: Vec<String> = self.what.split(' ').map(place).collect();
        let at = self.location.as_ref().map_or(String::new(), |location| format!(" {}", place(location)));
        format!("{}{at} {}", self.call, what.join(" ")).trim_end().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(calls: &[&str], end: &str) -> Whole {
        let call = |what: &&str| CallBeside {
            call: "MPI_Recv".into(),
            location: Some("/home/me/a.c:3".into()),
            what: what.to_string(),
        };
        Whole { calls: calls.iter().map(call).collect(), end: end.into() }
    }

    fn beside(left: Vec<Whole>, right: Vec<Whole>) -> Beside {
        Beside::of(["fails", "is right"], [String::new(), String::new()], [left, right])
    }

    #[test]
    fn ranks_are_compared_by_their_own_calls() {
        let left = vec![whole(&["one", "two"], "waits"), whole(&["x"], "ends")];
        let right = vec![whole(&["one", "three", "four"], "ends"), whole(&["x"], "ends")];
        let both = beside(left, right);
        assert_eq!((both.same, &both.alike[..], both.ranks.len(), both.ranks[0].same), (2, &[1][..], 1, 1));
        let name = |place: &str| place.rsplit('/').next().unwrap_or_default().to_string();
        let rows = both.ranks[0].rows(1, &name);
        assert_eq!(
            rows,
            [["MPI_Recv a.c:3 two", "MPI_Recv a.c:3 three"], ["waits", "… and 1 call more"], ["", "ends"]]
        );
    }

    #[test]
    fn an_end_alone_is_a_difference_and_long_courses_are_cut() {
        let many = vec!["x"; MOST_CALLS + 5];
        let both = beside(vec![whole(&[], "waits"), whole(&["y"], "ends")], vec![whole(&many, "waits")]);
        assert_eq!((both.same, both.alike.len(), both.ranks.len()), (0, 0, 2));
        assert_eq!(both.ranks[0].courses[1].more, 5);
        let alone = beside(vec![whole(&["y"], "waits")], vec![whole(&["y"], "ends")]);
        assert_eq!((alone.ranks[0].same, alone.ranks[0].courses[0].calls.len()), (1, 0));
    }
}
