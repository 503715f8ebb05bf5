//! From a state that is ambiguous (`given`) to two executions that have given different things.
//!
//! The exploration remembers one way there, and the name of the state. It explores in the same order again, so the
//! first way is that on which it comes to the name first.

use crate::choice::Event;
use crate::reduction::cursor::Cursor;
use crate::reduction::matches::{Part, explore_part, way_to};
use crate::system::{Settled, System};
use crate::verdict::{Ambiguous, Flow, Limits, NewFile, Observer, Outlook, Stats};

/// Two executions that end, through a state that is ambiguous: one by the first way there, and one by the other, with
/// the same choices behind it. `None` if none ends well, or the observer has stopped the search for it.
pub fn executions_through<S: System>(
    system: &mut S,
    everything: bool,
    ambiguous: &Ambiguous,
    observer: &mut dyn Observer<S>,
) -> Option<[Vec<Event>; 2]> {
    let limits = Limits { keep_going: true, ..Limits::default() };
    let way = way_to(system, everything, ambiguous.state, &limits, observer)?;
    let mut end = FirstEnd { observer, path: None };
    explore_part(system, Part { prefix: &way, shared: false }, &limits, &mut end);
    let first = end.path?;
    // Numbers of choices tell how long ago the program began, so the choices are the same by their places.
    let mut cursor = Cursor::new(system);
    let mut places = Vec::new();
    cursor.replay(&way);
    for &event in &first[way.len()..] {
        places.push(cursor.choices().events().position(|other| other == event)?);
        cursor.take(event);
    }
    let mut other = ambiguous.way.clone();
    cursor.replay(&other);
    for place in places {
        let event = cursor.choices().events().nth(place)?;
        cursor.take(event);
        other.push(event);
    }
    Some([first, other])
}

/// Stops at the first execution that ends well.
struct FirstEnd<'a, S> {
    observer: &'a mut dyn Observer<S>,
    path: Option<Vec<Event>>,
}

impl<S: System> Observer<S> for FirstEnd<'_, S> {
    fn execution(&mut self, system: &mut S, settled: Settled, path: &[Event]) -> Flow {
        if settled != Settled::Finished || system.failed() {
            return Flow::Continue;
        }
        self.path = Some(path.to_vec());
        Flow::Stop
    }

    fn visit(&mut self, stats: &Stats, outlook: &dyn Fn() -> Option<Outlook>) -> Flow {
        self.observer.visit(stats, outlook)
    }

    fn wants_room(&mut self, movable: usize) -> Option<NewFile> {
        self.observer.wants_room(movable)
    }
}
