//! What the MPI layer noticed, in words.

use smpi_abi::Chapter;
use smpi_base::WorldRank;
use smpi_base::words::counted;
use smpi_mpi::datatype::Datatype;
use smpi_mpi::op::{Op, Predefined};
use smpi_mpi::usage::{
    Breach, Call, Difference, Holder, Items, Lent, Mistyped, Observation, Origin, Side, Touch, Trouble,
};
use smpi_report::FindingKey;
use smpi_report::finding::{Finding, Location};

use super::{FREE, located, location_of};
use smpi_process::Ranks;
use smpi_runtime::with;

/// Takes what was noticed and makes findings of it. All ranks must be suspended.
pub fn findings(ranks: &mut Ranks) -> Vec<Finding> {
    let notes = with(|runtime| runtime.world.take_observations());
    notes.iter().map(|note| finding(ranks, note)).collect()
}

/// A collective operation that some ranks have called and the others, which have all ended, never will.
pub fn unmet() -> Option<Finding> {
    with(|runtime| {
        let (side, call, arrived, members) = runtime.world.unmet()?;
        let have = if arrived == 1 { "has" } else { "have" };
        let message = format!(
            "rank {} calls {}, which only {arrived} of {members} ranks {have} called when all have ended",
            side.rank,
            call_words(call, Difference::Name)
        );
        let location = match side.origin.site {
            0 => Location::new(side.rank.0, call.function().name()),
            _ => location_of(side.rank, side.origin),
        };
        Some(Finding::new(FindingKey::CollectiveMismatch, message).located(location))
    })
}

fn finding(ranks: &mut Ranks, note: &Observation) -> Finding {
    match note {
        Observation::Types { sender, receiver, sent, wanted, tag } => {
            let message = format!(
                "rank {} sends {} to rank {} with tag {tag}, which receives {}",
                sender.rank,
                words(sent),
                receiver.rank,
                words(wanted)
            );
            let mut finding = Finding::new(FindingKey::TypeMismatch, message);
            finding.ranks = vec![sender.rank.0];
            let sent = place(ranks, sender, "");
            if !sent.call.is_empty() {
                finding = finding.located(sent.noted("sent here"));
            }
            finding.located(place(ranks, receiver, "").noted("received here"))
        }
        Observation::Collective { first, second, difference } => collective(ranks, first, second, *difference),
        Observation::Exchange { giver, taker, given, taken } => exchange(ranks, giver, taker, given, taken),
        Observation::Buffer { side, send, at_completion, noticed } => {
            changed(ranks, side, *send, *at_completion, *noticed)
        }
        Observation::Access { side, touch, receives, place } => {
            let did = match touch {
                Touch::Read => "read",
                Touch::Write => "wrote to",
                Touch::Free => "freed",
                Touch::Leave => "left the function that has",
            };
            let (what, allowed) = buffer_words(!receives, side);
            let message = format!(
                "rank {} {did} the {what} buffer of {} before the operation was complete; until then the program may {allowed}",
                side.rank,
                operation(side)
            );
            let finding = Finding::new(FindingKey::RaceBuffer, message);
            let known = place.site != 0;
            let finding = if known { finding.located(location_of(side.rank, *place)) } else { finding };
            finding.located(location_of(side.rank, side.origin).noted("started here"))
        }
        Observation::Shared { call, writes, other, receives } => {
            let uses = |receives: bool| if receives { "receives into" } else { "sends from" };
            let message = format!(
                "rank {} {} memory that {} {} before that operation was complete",
                call.rank,
                uses(*writes),
                operation(other),
                uses(*receives)
            );
            Finding::new(FindingKey::RaceBuffer, message)
                .located(location_of(call.rank, call.origin))
                .located(location_of(other.rank, other.origin).noted("started here"))
        }
        Observation::Overlap { side, twice } => overlap(side, *twice),
        Observation::Outside { side, holder, beyond } => outside(side, holder, *beyond),
        Observation::Gone { side, made, freed } => gone(side, *made, *freed),
        Observation::GivenUp { side, touch, lent } => given_up(side, *touch, *lent),
        Observation::Breach { breach, side, other } => self::breach(*breach, side, other.as_ref()),
        Observation::Mistyped(side, mistyped) => self::mistyped(side, mistyped),
        Observation::Ready { sender, receiver, tag, is_received } => ready(ranks, sender, receiver, *tag, *is_received),
        Observation::Window { first, second, target, bytes } => window_race(first, second, *target, *bytes),
        Observation::File { first, second, path, bytes } => file_race(first, second, path, *bytes),
        Observation::Characters(side, op) => characters(side, *op),
        Observation::NoDatatype(side) => no_datatype(side),
        Observation::Annotation(side, trouble) => annotation(side, *trouble),
    }
}

/// An annotation concerns no call.
fn annotation(side: &Side, trouble: Trouble) -> Finding {
    let message = match trouble {
        Trouble::Vector => "the vector of an annotation must have a 0 or a 1 for each request".to_string(),
        Trouble::Count { announced, asked } => {
            format!("an annotation for {announced} requests is followed by a call with {asked}")
        }
        Trouble::Unused => UNUSED_ANNOTATION.to_string(),
    };
    let message = format!("rank {}: {message}; it is ignored", side.rank);
    Finding::new(FindingKey::Annotation, message).located(location_of(side.rank, side.origin))
}

/// Characters are computed with.
fn characters(side: &Side, op: Option<Predefined>) -> Finding {
    let what = op.map_or("its comparison", Predefined::name);
    let message = format!(
        "rank {}: {}: {what} is not defined for MPI_CHAR, which is text: MPI_SIGNED_CHAR and MPI_INT8_T are numbers, as \
         which it is taken",
        side.rank, side.origin.call
    );
    Finding::new(FindingKey::InvalidOp, message).located(location_of(side.rank, side.origin))
}

/// There is no datatype, and there are no elements.
fn no_datatype(side: &Side) -> Finding {
    let message = format!(
        "rank {}: {}: MPI_DATATYPE_NULL is no datatype, not even of 0 elements; MPI libraries let it pass",
        side.rank, side.origin.call
    );
    Finding::new(FindingKey::InvalidDatatype, message).located(location_of(side.rank, side.origin))
}

/// Data reaches beyond the object that holds it.
fn outside(side: &Side, holder: &Holder, beyond: u64) -> Finding {
    let bytes = |count: u64| counted(count, "byte");
    let (key, what) = match holder {
        Holder::Block(len) => {
            (FindingKey::MemoryOverrun, format!("ends {} beyond a block of {} of the heap", bytes(beyond), bytes(*len)))
        }
        Holder::Variable(name, len) => {
            (FindingKey::MemoryOverrun, format!("ends {} beyond the variable {name} of {}", bytes(beyond), bytes(*len)))
        }
        Holder::Nothing => (
            FindingKey::MemoryFreed,
            format!(
                "has {} of the heap that belong to no block: they were freed, or lie beyond a block",
                bytes(beyond)
            ),
        ),
        Holder::NoVariable => (
            FindingKey::MemoryFreed,
            format!("has {} among the program's variables that belong to none", bytes(beyond)),
        ),
        Holder::NoFrame => (
            FindingKey::MemoryFreed,
            format!("has {} of the stack that belong to no function which still runs", bytes(beyond)),
        ),
    };
    let message = format!("rank {}: the buffer of {} {what}", side.rank, side.origin.call);
    Finding::new(key, message).located(location_of(side.rank, side.origin))
}

/// A persistent request is started without its buffer.
fn gone(side: &Side, made: Origin, freed: Origin) -> Finding {
    let message =
        format!("rank {}: {} starts {}, whose buffer was freed meanwhile", side.rank, side.origin.call, made.call);
    Finding::new(FindingKey::MemoryFreed, message)
        .located(location_of(side.rank, side.origin).noted("started here"))
        .located(location_of(side.rank, freed).noted("freed here"))
        .located(location_of(side.rank, made).noted("made here"))
}

/// Memory is given up that MPI has for longer than an operation.
fn given_up(side: &Side, touch: Touch, lent: Lent) -> Finding {
    let did = if touch == Touch::Leave { "left the function whose variable is" } else { "freed" };
    let (key, what, allowed) = match lent {
        Lent::Window => (
            FindingKey::RaceWindow,
            "memory of a window",
            "it may end when the window was freed, or the memory was detached",
        ),
        Lent::Attached => (
            FindingKey::RaceBuffer,
            "the buffer that is attached for sends in buffered mode",
            "it may end when the buffer was detached",
        ),
    };
    let message = format!("rank {} {did} {what}; {allowed}", side.rank);
    let note = if touch == Touch::Leave { "noticed here" } else { "" };
    Finding::new(key, message).located(location_of(side.rank, side.origin).noted(note))
}

/// What a rank says or does at a window does not fit.
fn breach(breach: Breach, side: &Side, other: Option<&Side>) -> Finding {
    let call = side.origin.call;
    let (owner, others) = other.map_or((side.rank, "a call".to_string()), |other| {
        (other.rank, format!("{} of rank {}", other.origin.call, other.rank))
    });
    let what = match breach {
        Breach::PrecededFence => {
            "MPI_MODE_NOPRECEDE says that the fence completes no accesses, and this rank has made some since the last one"
                .to_string()
        }
        Breach::StoredBefore => format!(
            "MPI_MODE_NOSTORE says that the rank has not changed its memory since it was synchronised; {others} did that"
        ),
        Breach::PutDespite => format!(
            "it changes the memory of rank {owner}, of which {others} says by MPI_MODE_NOPUT that nobody will until it is \
             synchronised"
        ),
        Breach::CheckedPost => format!("MPI_MODE_NOCHECK needs the same at the matching call, and {others} is without"),
        Breach::CheckedStart => {
            format!("it is without MPI_MODE_NOCHECK, which the matching {others} has: both must have it, or neither")
        }
        Breach::UnorderedStart => {
            format!("MPI_MODE_NOCHECK says that {others} was called before, and nothing makes sure of that")
        }
        Breach::UncheckedLock => format!(
            "{others} may exclude it at the same time, and MPI_MODE_NOCHECK (of one of them) says that no other lock does"
        ),
        Breach::LockedExposed => {
            format!("the memory of rank {owner} may be exposed by {others} at the same time; wait for its end first")
        }
        Breach::LockedFenced => format!(
            "the memory of rank {owner} is exposed between the same fences, where {} reaches it; end that epoch by a fence \
             first, with MPI_MODE_NOSUCCEED",
            other.map_or("an access".to_string(), |other| other.origin.call.to_string())
        ),
    };
    let message = format!("rank {}: {call}: {what}", side.rank);
    let finding = Finding::new(FindingKey::InvalidEpoch, message).located(location_of(side.rank, side.origin));
    let which = if breach == Breach::StoredBefore { "the change" } else { "the other" };
    match other {
        Some(other) => finding.located(location_of(other.rank, other.origin).noted(which)),
        None => finding,
    }
}

/// A datatype is not what was declared.
fn mistyped(side: &Side, found: &Mistyped) -> Finding {
    let Mistyped { parameter, basic, variable, declared, offset, part, is } = found;
    let whole = if part.is_empty() {
        String::new()
    } else {
        format!("; that is byte {offset} of the variable {variable}, {declared}")
    };
    let message = format!(
        "rank {}: {parameter} of {} has {} where the program declares {variable}{part} as {is}{whole}",
        side.rank,
        side.origin.call,
        basic.name()
    );
    Finding::new(FindingKey::MemoryType, message).located(location_of(side.rank, side.origin))
}

/// Buffers of one call overlap.
fn overlap(side: &Side, twice: bool) -> Finding {
    let what = if twice { "twice into the same memory" } else { "into memory that the same call sends from" };
    Finding::new(FindingKey::InvalidBuffer, format!("rank {} receives {what}", side.rank))
        .located(location_of(side.rank, side.origin))
}

/// Whether it is a load, a store or a buffer of the rank, and no access by the window.
fn is_own(side: &Side) -> bool {
    side.origin.call.function().is_none_or(|function| function.chapter() != Chapter::Rma)
}

/// Two accesses to the same bytes of a window.
fn window_race(first: &Side, second: &Side, target: WorldRank, (at, len): (u64, u64)) -> Finding {
    let bytes = counted(len, "byte");
    let who = if first.rank == second.rank {
        format!("rank {} accesses", first.rank)
    } else {
        format!("ranks {} and {} access", first.rank, second.rank)
    };
    let is_freed = first.origin.call.name() == FREE;
    let missing = if is_freed {
        "a window's memory may be freed when the window was, or when it was detached"
    } else if first.rank == second.rank {
        "nothing orders that: a flush that is not local, or the end of the epoch, between them"
    } else if is_own(first) {
        "nothing orders that: something by which the second rank hears of the first one"
    } else {
        "nothing orders that: a flush or the end of the first one's epoch, and something by which the second one hears \
         of it"
    };
    let message = format!(
        "{who} the same {bytes} at offset {at} of the window memory of rank {target} by {} and {}, and {missing}",
        first.origin.call, second.origin.call
    );
    Finding::new(FindingKey::RaceWindow, message)
        .located(location_of(first.rank, first.origin).noted("one access"))
        .located(location_of(second.rank, second.origin).noted("the other"))
}

/// Two accesses to the same bytes of a file.
fn file_race(first: &Side, second: &Side, path: &str, (at, len): (u64, u64)) -> Finding {
    let message = format!(
        "ranks {} and {} access the same {} at offset {at} of {path} by {} and {}, and nothing orders that: something by \
         which the second rank hears of the first one",
        first.rank,
        second.rank,
        counted(len, "byte"),
        first.origin.call,
        second.origin.call
    );
    Finding::new(FindingKey::RaceFile, message)
        .located(location_of(first.rank, first.origin).noted("one access"))
        .located(location_of(second.rank, second.origin).noted("the other"))
}

/// Nothing makes sure that the receive of a message in ready mode is posted before it is sent.
fn ready(ranks: &mut Ranks, sender: &Side, receiver: &Side, tag: i32, is_received: bool) -> Finding {
    let why = if is_received { "nothing makes sure that its receive is posted before" } else { "there is no receive" };
    let message = format!(
        "rank {} sends a message with tag {tag} to rank {} in ready mode, and {why}",
        sender.rank, receiver.rank
    );
    let finding = Finding::new(FindingKey::ReadySend, message).located(place(ranks, sender, "").noted("sent here"));
    if !is_received {
        return finding;
    }
    finding.located(place(ranks, receiver, "").noted("received here"))
}

/// A buffer does not hold any more what it held when its operation was started.
fn changed(ranks: &mut Ranks, side: &Side, send: bool, at_completion: bool, noticed: Origin) -> Finding {
    let (what, allowed) = buffer_words(send, side);
    let message = format!(
        "rank {} changed the {what} buffer of {} before the operation was complete; until then the program may {allowed}",
        side.rank,
        operation(side)
    );
    // Where it was noticed is no part of the cause: the same bug is noticed elsewhere on other ways.
    let noticed = if at_completion {
        Some(location_of(side.rank, noticed))
    } else if side.away {
        None
    } else {
        Some(place_now(ranks, side.rank))
    };
    let noticed = noticed.filter(|place| !place.call.is_empty());
    let noticed = noticed.map_or(String::new(), |place| format!(" (noticed in {} {})", place.call, place.source()));
    Finding::new(FindingKey::RaceBuffer, message + &noticed)
        .located(location_of(side.rank, side.origin).noted("started here"))
}

/// What is wrong with an annotation that concerns no call.
pub const UNUSED_ANNOTATION: &str = "an annotation is followed by no Waitany, Waitsome, Testany or Testsome";

/// What kind of buffer it is, and what is allowed while it belongs to MPI.
fn buffer_words(send: bool, side: &Side) -> (&'static str, &'static str) {
    let is_one_sided = side.origin.call.function().is_some_and(|function| function.chapter() == Chapter::Rma);
    match (send, is_one_sided) {
        (true, false) => ("send", "only read it"),
        (true, true) => ("origin", "only read it"),
        (false, false) => ("receive", "not even read it"),
        (false, true) => ("result", "not even read it"),
    }
}

/// The operation of a request in words.
fn operation(side: &Side) -> &'static str {
    if side.origin.call.is_unknown() { "a nonblocking operation" } else { side.origin.call.name() }
}

/// Two calls of the same collective operation differ.
fn collective(ranks: &mut Ranks, first: &(Side, Call), second: &(Side, Call), difference: Difference) -> Finding {
    let (first, second) = if first.0.rank < second.0.rank { (first, second) } else { (second, first) };
    let message = format!(
        "rank {} calls {}, rank {} calls {} in the same place of their communicator: {}",
        first.0.rank,
        call_words(&first.1, difference),
        second.0.rank,
        call_words(&second.1, difference),
        difference_words(difference)
    );
    let finding = Finding::new(FindingKey::CollectiveMismatch, message);
    finding.located(place(ranks, &first.0, first.1.function().name())).located(place(
        ranks,
        &second.0,
        second.1.function().name(),
    ))
}

/// A rank gives another something else than that one expects.
fn exchange(
    ranks: &mut Ranks,
    giver: &(Side, Call),
    taker: &(Side, Call),
    given: &[Items],
    taken: &[Items],
) -> Finding {
    let all = |blocks: &[Items]| match blocks {
        [] => "nothing".to_string(),
        several => several.iter().map(words).collect::<Vec<_>>().join(" and "),
    };
    let message = format!(
        "in {} rank {} gives {} to rank {}, which expects {} from it",
        giver.1.function(),
        giver.0.rank,
        all(given),
        taker.0.rank,
        all(taken)
    );
    let finding = Finding::new(FindingKey::CollectiveMismatch, message);
    let finding = finding.located(place(ranks, &giver.0, giver.1.function().name()));
    if giver.0.rank == taker.0.rank {
        finding
    } else {
        finding.located(place(ranks, &taker.0, taker.1.function().name()))
    }
}

/// Where one side called MPI, as far as it is known.
fn place(ranks: &mut Ranks, side: &Side, call: &'static str) -> Location {
    if side.origin.site != 0 {
        return location_of(side.rank, side.origin);
    }
    if side.away {
        return Location::new(side.rank.0, call);
    }
    place_now(ranks, side.rank)
}

/// Where a rank that is blocked in a call is.
fn place_now(ranks: &mut Ranks, rank: WorldRank) -> Location {
    let (call, in_call) = with(|runtime| {
        (runtime.run(rank).call, runtime.run(rank).doing.is_call() && !runtime.run(rank).standing.is_over())
    });
    let place = if in_call { ranks.locate(rank) } else { None };
    located(Location::new(rank.0, call), place.as_ref())
}

fn words(items: &Items) -> String {
    format!("{} x {}", items.count, type_words(&items.datatype))
}

/// The name of a type, or of the basic types in it.
fn type_words(datatype: &Datatype) -> String {
    if let Some(basic) = datatype.as_basic() {
        return basic.name().to_string();
    }
    match datatype.signature().uniform() {
        Some(basic) => format!("a derived type of {} {}", datatype.signature().elements(), basic.name()),
        None => format!("a derived type of {} elements", datatype.signature().elements()),
    }
}

fn call_words(call: &Call, difference: Difference) -> String {
    let function = call.function().to_string();
    match difference {
        Difference::Name | Difference::Form => function,
        Difference::Root => {
            format!("{function}(root {})", call.agreed.root.map_or("none".to_string(), |root| root.to_string()))
        }
        Difference::Fence => {
            let said = match call.agreed.fence.unwrap_or_default() {
                (true, true) => "MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED",
                (true, false) => "MPI_MODE_NOPRECEDE",
                (false, true) => "MPI_MODE_NOSUCCEED",
                (false, false) => "0",
            };
            format!("{function}({said})")
        }
        Difference::Op => match call.op {
            Some(Op::Predefined(op)) => format!("{function}({})", op.name()),
            Some(Op::User(_)) => format!("{function}(an operation of the program)"),
            None => function,
        },
        Difference::Items => {
            let blocks: Vec<String> = call.agreed.blocks.iter().flatten().map(words).collect();
            format!("{function}({})", blocks.join(", "))
        }
    }
}

fn difference_words(difference: Difference) -> &'static str {
    match difference {
        Difference::Name => "all ranks of a communicator must call the same operations in the same order",
        Difference::Form => "blocking, nonblocking and persistent calls do not match each other",
        Difference::Root => "the root must be the same on all ranks",
        Difference::Fence => "what one rank asserts of accesses before or after a fence, all must",
        Difference::Op => "the operation must be the same on all ranks",
        Difference::Items => "number and types of the elements must be the same on all ranks",
    }
}

#[cfg(test)]
mod tests {
    use smpi_abi::Function;
    use smpi_mpi::datatype::Basic;
    use smpi_mpi::op::UserOp;
    use smpi_mpi::usage::{Agreed, Form};

    use super::*;

    fn items(count: i64, datatype: Datatype) -> Items {
        Items { count, datatype }
    }

    #[test]
    fn types_are_named_as_the_program_names_them() {
        let (int, double) = (Datatype::basic(Basic::Int), Datatype::basic(Basic::Double));
        assert_eq!(words(&items(3, double.clone())), "3 x MPI_DOUBLE");
        let vector = Datatype::vector(2, 3, 5, &double).unwrap();
        assert_eq!(words(&items(1, vector)), "1 x a derived type of 6 MPI_DOUBLE");
        let mixed = Datatype::structure(&[1, 2], &[0, 8], &[int, double]).unwrap();
        assert_eq!(words(&items(4, mixed)), "4 x a derived type of 3 elements");
    }

    /// A mismatch shows of each call what differs, and nothing else.
    #[test]
    fn calls_are_shown_by_what_differs() {
        let int = Datatype::basic(Basic::Int);
        let agreed = Agreed { root: Some(2), blocks: [Some(items(5, int)), None], ..Agreed::default() };
        let op = Some(Op::Predefined(Predefined::Sum));
        let call = |form| Call { name: Function::Reduce, form, op, agreed: agreed.clone() };
        let blocking = call(Form::Blocking);
        assert_eq!(call_words(&blocking, Difference::Root), "MPI_Reduce(root 2)");
        assert_eq!(call_words(&blocking, Difference::Op), "MPI_Reduce(MPI_SUM)");
        assert_eq!(call_words(&call(Form::Immediate), Difference::Form), "MPI_Ireduce");
        assert_eq!(call_words(&call(Form::Persistent), Difference::Name), "MPI_Reduce_init");
        let shown = call_words(&blocking, Difference::Items);
        assert!(shown.starts_with("MPI_Reduce(5 x ") && shown.ends_with(')'), "{shown}");
        let user = Call { op: Some(Op::User(UserOp { id: 1, commutative: true })), ..call(Form::Blocking) };
        assert_eq!(call_words(&user, Difference::Op), "MPI_Reduce(an operation of the program)");
        let rootless = Call { agreed: Agreed::default(), name: Function::Bcast, ..call(Form::Blocking) };
        assert_eq!(call_words(&rootless, Difference::Root), "MPI_Bcast(root none)");
        // One place stands for the call, whichever form it has.
        assert_eq!(call(Form::Persistent).function().name(), "MPI_Reduce_init");
    }
}
