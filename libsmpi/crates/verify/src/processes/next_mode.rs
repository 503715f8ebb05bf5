//! `--jobs` and `--launch` where one process explores a whole kind of buffering: the next kind is explored at the same
//! time, by a process of this machine or by another explorer of the launcher's.
//!
//! Processes that share states would explore most of them once each: what is reached on one path is reached on all
//! others, too. Kinds of buffering have nothing in common. What came of the next one counts only if the one before has
//! not ended the exploration, and is what this process would have found.

use smpi_checker::wire;
use smpi_report::Findings;

use crate::processes::part::Seen;
use crate::processes::whole_mode::{Whole, put_together};
use crate::processes::{Tasks, Worker};
use crate::program::Program;
use crate::search::outcome::Explored;

/// A process that explores one kind of buffering.
pub struct Ahead<'a> {
    whole: Whole<'a>,
    doer: Doer,
}

/// Who does it.
enum Doer {
    /// A process of this machine.
    Here(Worker),
    /// One of the [`Nodes`](crate::processes::nodes::Nodes).
    There,
}

/// Its answer.
#[derive(Default)]
struct Answer(Option<(Vec<u8>, Seen)>);

impl Tasks for Answer {
    fn hand_out(&mut self) -> Option<(usize, Vec<u8>)> {
        None
    }

    fn take_in(&mut self, _: usize, result: &[u8], seen: Seen) -> Option<()> {
        self.0 = Some((result.to_vec(), seen));
        Some(())
    }

    fn transitions(&self, result: &[u8]) -> Option<u64> {
        Some(wire::read_verdict(result)?.stats.transitions)
    }

    fn is_whole(&self, _: &[u8], _: &Seen) -> bool {
        true
    }

    fn is_over(&self) -> bool {
        self.0.is_some()
    }
}

impl<'a> Ahead<'a> {
    /// Begins. `None`: what comes of it is known, or there is no process to be had.
    pub fn begin(whole: Whole<'a>, program: &mut Program) -> Option<Ahead<'a>> {
        if whole.known(&mut Findings::new()).is_some() {
            return None;
        }
        let doer = match whole.pool.nodes {
            Some(nodes) => {
                let mut nodes = nodes.borrow_mut();
                nodes.begin();
                let process = nodes.wait_for_idle()?;
                nodes.give(process, (0, Vec::new()), &whole.context());
                Doer::There
            }
            None => Doer::Here(whole.pool.begin(program, &mut |program, _| {
                program.set_buffering(whole.pool.mode);
                Some(whole.answer(program))
            })?),
        };
        Some(Ahead { whole, doer })
    }

    /// Waits for it. `None`: nothing is known, as the user or the time limit has ended it, or nobody is left who
    /// would do it.
    pub fn explored(self, program: &mut Program, findings: &mut Findings) -> Option<Explored> {
        let Ahead { whole, doer } = self;
        let (verdict, seen) = match doer {
            Doer::Here(worker) => {
                let mut answer = Answer::default();
                whole.pool.run_on(vec![worker], program, &mut answer, &mut |_, _| None);
                answer.0?
            }
            Doer::There => whole.pool.answer_from_afar(&whole.context())?,
        };
        let verdict = wire::read_verdict(&verdict)?;
        whole.keep(&verdict, &seen);
        Some(put_together(verdict, seen, findings))
    }
}
