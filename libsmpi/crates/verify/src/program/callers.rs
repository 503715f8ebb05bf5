//! Which calls make the choices: as numbers while a program is explored, and as places for the report.

use smpi_abi::{Callee, Function};
use smpi_base::WorldRank;
use smpi_base::map::Map;
use smpi_checker::{Caller, ChoiceKind, Event, Toll, Tolls};
use smpi_mpi::usage::Origin;
use smpi_process as process;
use smpi_report::dear::{DearCall, Remedy};
use smpi_runtime::with;

use crate::program::driven;

/// What can be done about choices, by the numbers that [`Caller::what`] has.
const REMEDIES: [Remedy; 7] =
    [Remedy::Source, Remedy::Requests, Remedy::Wait, Remedy::Values, Remedy::Buffering, Remedy::Order, Remedy::None];

const _: () = {
    let mut number = 0;
    while number < REMEDIES.len() {
        assert!(REMEDIES[number] as usize == number, "a remedy's number is its place");
        number += 1;
    }
    assert!(REMEDIES.len() == Remedy::None as usize + 1, "the last one is that there is none");
};

/// Bits of [`Caller::what`] below those of the function, of which 0 is none.
const REMEDY_BITS: u32 = 8;

/// What can be done about a choice of this kind.
fn remedy(kind: ChoiceKind) -> Remedy {
    match kind {
        ChoiceKind::Receive | ChoiceKind::Probe => Remedy::Source,
        ChoiceKind::WaitAny => Remedy::Requests,
        ChoiceKind::Test => Remedy::Wait,
        ChoiceKind::Random => Remedy::Values,
        ChoiceKind::Buffering | ChoiceKind::Leaving => Remedy::Buffering,
        ChoiceKind::Lock => Remedy::Order,
        ChoiceKind::Time | ChoiceKind::Visible | ChoiceKind::Delivery => Remedy::None,
    }
}

/// The call that makes an open choice.
pub(crate) fn caller(event: Event) -> Caller {
    let (kind, made) = driven(|driver, world| driver.made_at(world, event));
    // Who is served waits, and not the server.
    let rank = if kind == ChoiceKind::Lock { WorldRank(event.candidate as u32) } else { event.choice.rank() };
    let (site, call) = match made {
        Origin { site: 0, .. } => with(|runtime| {
            let run = runtime.run(rank);
            (run.waits_at, run.call)
        }),
        Origin { site, call } => (site, call),
    };
    let function = if kind == ChoiceKind::Random { None } else { call.function() };
    let what = function.map_or(0, |function| function as u32 + 1) << REMEDY_BITS | remedy(kind) as u32;
    Caller { rank, site, what }
}

/// Whether a call asks whether something is there, or whether its time is over, and is told "not yet" where it is not.
pub(crate) fn is_poll(toll: Toll) -> bool {
    let remedy = toll.caller.what & ((1 << REMEDY_BITS) - 1);
    [Remedy::Wait, Remedy::None].iter().any(|one| remedy == *one as u32)
}

/// The calls that multiply the executions most, at most so many, the dearest first. What several ranks pay at one place
/// is added up.
pub(crate) fn dearest(tolls: &Tolls, most: usize) -> Vec<DearCall> {
    let mut places: Map<(u64, u32), usize> = Map::default();
    let mut calls: Vec<DearCall> = Vec::new();
    let executions = tolls.executions.max(1) as f64;
    let mut sites = Vec::new();
    for toll in tolls.as_slice().iter().filter(|toll| toll.choices > 0) {
        let Caller { rank, site, what } = toll.caller;
        let at = *places.entry((site, what)).or_insert_with(|| {
            sites.push((rank, site));
            let remedy = REMEDIES.get((what & ((1 << REMEDY_BITS) - 1)) as usize).copied().unwrap_or(Remedy::None);
            calls.push(DearCall { call: name(what, remedy).to_string(), remedy, ..DearCall::default() });
            calls.len() - 1
        });
        let call = &mut calls[at];
        call.ranks.push(rank.0);
        // Weighted by the choices, to be divided by their number.
        call.ways += toll.ways as f64;
        call.choices += toll.choices as f64;
        call.log10_factor += toll.ln_ways / executions / std::f64::consts::LN_10;
    }
    let mut dear: Vec<(DearCall, (WorldRank, u64))> = calls.into_iter().zip(sites).collect();
    dear.sort_by(|(a, _), (b, _)| b.log10_factor.total_cmp(&a.log10_factor));
    dear.truncate(most);
    dear.into_iter().map(|(call, place)| shown(call, place, executions)).collect()
}

/// A call, as short as `app.c:31`.
pub(crate) fn briefly(toll: Toll) -> String {
    dearest(&Tolls::of(1, vec![toll]), 1).first().map_or_else(String::new, DearCall::briefly)
}

/// The function of a caller, as programs have it.
fn name(what: u32, remedy: Remedy) -> &'static str {
    let function = (what >> REMEDY_BITS).checked_sub(1).and_then(|number| Function::names().nth(number as usize));
    match remedy {
        Remedy::Values => "MC_random",
        _ => function.unwrap_or(Callee::Unknown.name()),
    }
}

/// With its place in the program, and means instead of sums.
fn shown(mut call: DearCall, (rank, site): (WorldRank, u64), executions: f64) -> DearCall {
    call.ways /= call.choices;
    call.choices /= executions;
    call.ranks.sort_unstable();
    if let Some(place) = process::place_of_site(rank, site) {
        (call.file, call.line, call.function) = (place.file, place.line, place.function);
    }
    call
}
