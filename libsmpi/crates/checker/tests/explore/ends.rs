//! The ends that the slow reductions see, for comparison.

use smpi_checker::dpor::{Dependence, Dpor};
use smpi_checker::interleaving::Interleaving;
use smpi_checker::none::All;
use smpi_checker::{Flow, Limits, Observer, Outlook, Settled, Stats, Strategy, Verdict};

struct Watch<F> {
    states: u64,
    end: F,
}

impl<S, F: FnMut(&mut S, Settled)> Observer<S> for Watch<F> {
    fn execution(&mut self, system: &mut S, settled: Settled, _path: &[smpi_checker::Event]) -> Flow {
        (self.end)(system, settled);
        Flow::Continue
    }

    fn visit(&mut self, stats: &Stats, _outlook: &dyn Fn() -> Option<Outlook>) -> Flow {
        if stats.configurations > self.states { Flow::Stop } else { Flow::Continue }
    }
}

/// Without reduction, up to a number of states.
pub fn all<S: Interleaving>(system: &mut S, states: u64, end: impl FnMut(&mut S, Settled)) -> Verdict {
    let limits = Limits { keep_going: true, ..Limits::default() };
    All.explore(system, &limits, &mut Watch { states, end })
}

/// With the papers' reduction, up to a number of executions.
pub fn dpor<S: Dependence>(system: &mut S, executions: u64, end: impl FnMut(&mut S, Settled)) -> Verdict {
    let limits = Limits { keep_going: true, executions, ..Limits::default() };
    Dpor.explore(system, &limits, &mut Watch { states: u64::MAX, end })
}
