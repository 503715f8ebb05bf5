//! Whether an execution that goes round for ever could have left its round and ended: by which other choice, or that
//! none does. States tell ([`smpi_explain::way_out`]), so what is said of all is exact.

use smpi_base::plan::VerifyPlan;
use smpi_checker::{Limits, Settled};
use smpi_explain::{self as explain, way_out};
use smpi_report::lasso::WayOut;
use smpi_report::{Finding, FindingKey};
use smpi_runtime::summary::Wall;

use crate::findings::bare_at;
use crate::limits::interrupt;
use crate::program::{Program, foreseen, is_surprised};
use crate::schedule::token;

use super::words::Teller;

/// States that are looked at, at most.
const MOST_STATES: u64 = 10_000;

/// Says of a finding with a round whether there is a way out, as far as the time goes.
pub fn add(program: &mut Program, finding: &mut Finding, options: &VerifyPlan, within_secs: f64) {
    let Some(lasso) = finding.lasso.as_ref().filter(|lasso| !lasso.round.is_empty()) else { return };
    let Some((buffering, known, path)) = token::path(&finding.replay).filter(|_| within_secs > 0.0) else { return };
    let before = lasso.prefix.len();
    if path.len() != before + lasso.round.len() || interrupt::wanted() {
        return;
    }
    program.names_states();
    program.set_buffering(buffering);
    program.foresee(&known);
    let wall = Wall::start();
    let is_late = || wall.seconds() > within_secs || interrupt::wanted();
    let mut is_right = |program: &mut Program, settled| {
        settled == Settled::Finished
            && !program.is_cut_short()
            && bare_at(program, settled).iter().all(Finding::is_warning)
    };
    let limits = Limits { executions: MOST_STATES, depth: options.depth as usize, keep_going: true };
    let round = (before..path.len()).map(|place| path[..place].to_vec()).collect();
    let out = match way_out(program, round, &mut is_right, &is_late, &limits) {
        explain::WayOut::None { states, complete } => {
            // Of a livelock it is known that other executions end; what is meant to run for ever needs no way out.
            let ends = finding.key == FindingKey::Livelock || {
                let begin = way_out(program, vec![Vec::new()], &mut is_right, &is_late, &limits);
                matches!(begin, explain::WayOut::Found { .. })
            };
            if !ends {
                return;
            }
            WayOut { states, complete: complete && !is_surprised(), ..WayOut::default() }
        }
        explain::WayOut::Found { path: way, left } => {
            let (leaving, round) = (way[left], path[left]);
            let mut teller = Teller::new(program);
            let choice = teller.tell(&way, leaving, None);
            let own = (round.choice == leaving.choice).then(|| teller.tell(&path, round, None)).flatten();
            let replay = token::write(buffering, &foreseen(), &way);
            let choices = (way.len() - left) as u64;
            WayOut { choice, instead: own.map(|own| own.took), choices, replay, ..WayOut::default() }
        }
    };
    if let Some(lasso) = &mut finding.lasso {
        lasso.way_out = Some(out);
    }
}
