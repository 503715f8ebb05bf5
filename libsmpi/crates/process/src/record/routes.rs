//! Where a rank's descriptors 0 to 2 lead: they are the process's, which all ranks share, until the rank redirects
//! them.

use std::ffi::c_int;
use std::sync::atomic::{AtomicI32, Ordering};

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

impl Route {
    /// The number of what it leads to; −1 for nothing.
    fn number(self) -> c_int {
        match self {
            Route::Shared(number) | Route::File(number) => number,
            Route::Closed => -1,
        }
    }

    fn of_number(number: c_int) -> Route {
        match number {
            ..0 => Route::Closed,
            0..3 => Route::Shared(number),
            _ => Route::File(number),
        }
    }
}

/// Where a rank's three lead, for the rank and its threads.
#[derive(Debug)]
pub struct Routes([AtomicI32; 3]);

impl Default for Routes {
    fn default() -> Routes {
        Routes([0, 1, 2].map(AtomicI32::new))
    }
}

impl Routes {
    /// Where a descriptor leads, if it is one of the three.
    #[inline]
    pub fn of(&self, descriptor: c_int) -> Option<Route> {
        let number = self.0.get(usize::try_from(descriptor).ok()?)?;
        Some(Route::of_number(number.load(Ordering::Relaxed)))
    }

    /// Leads one of the three elsewhere; returns where it led.
    pub fn lead(&self, descriptor: c_int, route: Route) -> Route {
        Route::of_number(self.0[descriptor as usize].swap(route.number(), Ordering::Relaxed))
    }

    /// The lowest of the three that is closed.
    pub fn lowest_closed(&self) -> Option<c_int> {
        self.all().iter().position(|route| *route == Route::Closed).map(|number| number as c_int)
    }

    /// All three.
    pub fn all(&self) -> [Route; 3] {
        self.0.each_ref().map(|number| Route::of_number(number.load(Ordering::Relaxed)))
    }

    /// Makes the three those of another moment.
    pub fn set(&self, all: [Route; 3]) {
        for (number, route) in self.0.iter().zip(all) {
            number.store(route.number(), Ordering::Relaxed);
        }
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
