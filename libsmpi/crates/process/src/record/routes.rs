//! Where a rank's descriptors 0 to 2 lead: they are the process's, which all ranks share, until the rank redirects
//! them.

use std::cell::Cell;
use std::ffi::c_int;

/// Where one of them leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Route {
    /// To the standard stream with this number, which all ranks share.
    Shared(c_int),
    /// To a file that is the rank's alone, open under this number.
    File(c_int),
    /// Nowhere: it is closed.
    Closed,
}

/// Where a rank's three lead.
#[derive(Debug)]
pub struct Routes(Cell<[Route; 3]>);

impl Default for Routes {
    fn default() -> Routes {
        Routes(Cell::new([Route::Shared(0), Route::Shared(1), Route::Shared(2)]))
    }
}

impl Routes {
    /// Where a descriptor leads, if it is one of the three.
    #[inline]
    pub fn of(&self, descriptor: c_int) -> Option<Route> {
        self.0.get().get(usize::try_from(descriptor).ok()?).copied()
    }

    /// Leads one of the three elsewhere; returns where it led.
    pub fn lead(&self, descriptor: c_int, route: Route) -> Route {
        let mut all = self.0.get();
        let old = std::mem::replace(&mut all[descriptor as usize], route);
        self.0.set(all);
        old
    }

    /// The lowest of the three that is closed.
    pub fn lowest_closed(&self) -> Option<c_int> {
        self.0.get().iter().position(|route| *route == Route::Closed).map(|number| number as c_int)
    }

    /// All three.
    pub fn all(&self) -> [Route; 3] {
        self.0.get()
    }

    /// Makes the three those of another moment.
    pub fn set(&self, all: [Route; 3]) {
        self.0.set(all);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_descriptor_may_lead_elsewhere_or_nowhere() {
        let routes = Routes::default();
        assert_eq!((routes.of(1), routes.of(3), routes.of(-1)), (Some(Route::Shared(1)), None, None));
        let before = routes.all();
        assert_eq!(routes.lead(2, Route::File(77)), Route::Shared(2));
        routes.lead(0, Route::Closed);
        assert_eq!((routes.of(2), routes.lowest_closed()), (Some(Route::File(77)), Some(0)));
        routes.set(before);
        assert_eq!((routes.of(2), routes.lowest_closed()), (Some(Route::Shared(2)), None));
    }
}
