//! Settings of the C and C++ libraries that belong to a rank.

/// So many functions of libstdc++ take a new value and answer the old one (see [`crate::calls`]).
pub const EXCHANGES: usize = 4;

/// What a rank has set; 0 is what the process started with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// By the number of the function.
    pub exchanged: [Option<usize>; EXCHANGES],
    /// The implementation behind the global `std::locale`.
    pub cxx_locale: usize,
    /// C's locale by `setlocale`: an object of libc, and its name as `setlocale` tells it.
    pub c_locale: usize,
    pub c_name: usize,
    /// C's locale by `uselocale`.
    pub own_locale: usize,
}

impl Settings {
    /// What the process started with.
    pub const START: Settings =
        Settings { exchanged: [None; EXCHANGES], cxx_locale: 0, c_locale: 0, c_name: 0, own_locale: 0 };

    /// What `uselocale` has to be called with; `global` stands for the process's own.
    pub fn thread_locale(&self, global: usize) -> usize {
        match (self.own_locale, self.c_locale) {
            (0, 0) => global,
            (0, locale) | (locale, _) => locale,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uselocale_goes_before_setlocale() {
        let with = |own_locale, c_locale| Settings { own_locale, c_locale, ..Settings::START }.thread_locale(99);
        assert_eq!([with(0, 0), with(0, 5), with(7, 5), with(7, 0)], [99, 5, 7, 7]);
    }
}
