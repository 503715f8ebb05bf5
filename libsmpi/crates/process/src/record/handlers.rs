//! What a rank has registered to be called at its end: lists whose entries lie in the rank's heap, so that they are
//! lost, and put back, with the rank.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;

/// Lists of handlers of one rank.
#[derive(Clone, Debug, Default)]
pub struct Handlers {
    /// Of `exit`.
    pub exit: List,
    /// Of `quick_exit`.
    pub quick: List,
    /// Of the end of the rank's own thread.
    pub thread: List,
}

impl Handlers {
    /// Where the lists begin; the rest is in the rank's heap.
    pub fn name(&self) -> [usize; 3] {
        [&self.exit, &self.quick, &self.thread].map(|list| list.0.get().addr())
    }

    /// Makes these lists those of another moment.
    pub fn set(&self, other: &Handlers) {
        self.exit.0.set(other.exit.0.get());
        self.quick.0.set(other.quick.0.get());
        self.thread.0.set(other.thread.0.get());
    }
}

/// Handlers, the last one registered first.
#[derive(Clone, Debug)]
// Invariant: null, or an entry that `push` was given and that `pop` has not removed.
pub struct List(Cell<*mut Handler>);

impl Default for List {
    fn default() -> List {
        List(Cell::new(ptr::null_mut()))
    }
}

/// An entry of a list.
pub struct Handler {
    next: *mut Handler,
    call: Call,
    argument: *mut c_void,
    /// `__dso_handle` of the object that registered it.
    owner: *mut c_void,
}

/// A function with the form in which it was registered.
#[derive(Clone, Copy)]
pub enum Call {
    Plain(extern "C" fn()),
    WithArgument(extern "C" fn(*mut c_void)),
    WithCode(extern "C" fn(i32, *mut c_void)),
    /// Ran already.
    Done,
}

impl Call {
    /// Calls it; `code` is the exit code.
    pub fn run(self, argument: *mut c_void, code: i32) {
        match self {
            Call::Plain(function) => function(),
            Call::WithArgument(function) => function(argument),
            Call::WithCode(function) => function(code, argument),
            Call::Done => {}
        }
    }
}

impl List {
    /// Adds a handler in front.
    ///
    /// # Safety
    /// `entry` has room for a [`Handler`], and stays the list's until [`List::pop`] returns it.
    pub unsafe fn push(&self, entry: *mut Handler, call: Call, argument: *mut c_void, owner: *mut c_void) {
        // SAFETY: the caller gives the room away to the list.
        unsafe { entry.write(Handler { next: self.0.get(), call, argument, owner }) };
        self.0.set(entry);
    }

    /// Removes the first handler: its entry, which is the caller's again, the function and its argument.
    pub fn pop(&self) -> Option<(*mut Handler, Call, *mut c_void)> {
        let entry = self.0.get();
        // SAFETY: by the list's invariant null, or an entry that `push` has written.
        let handler = unsafe { entry.as_ref() }?;
        self.0.set(handler.next);
        Some((entry, handler.call, handler.argument))
    }

    /// Runs what an object registered, or everything for a null `owner`, without removing entries. Handlers may add
    /// more.
    pub fn run_of(&self, owner: *mut c_void) {
        let mut at = self.0.get();
        while !at.is_null() {
            // SAFETY: an entry of the list; handlers only add entries in front, so that this one and those behind it
            // stay. No borrow lives while one runs.
            let (call, argument, next) = unsafe {
                let handler = &mut *at;
                let is_meant = owner.is_null() || handler.owner == owner;
                let call = if is_meant { std::mem::replace(&mut handler.call, Call::Done) } else { Call::Done };
                (call, handler.argument, handler.next)
            };
            call.run(argument, 0);
            at = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    thread_local! {
        static CALLED: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
    }

    extern "C" fn note(argument: *mut c_void) {
        CALLED.with_borrow_mut(|called| called.push(argument.addr()));
    }

    extern "C" fn note_code(code: i32, argument: *mut c_void) {
        CALLED.with_borrow_mut(|called| called.push(argument.addr() * 100 + code as usize));
    }

    fn add(list: &List, call: Call, argument: usize, owner: usize) {
        let entry = Box::into_raw(Box::<Handler>::new_uninit()).cast();
        let pointer = ptr::without_provenance_mut;
        // SAFETY: a fresh box of the size, which `run_all` takes back.
        unsafe { list.push(entry, call, pointer(argument), pointer(owner)) };
    }

    fn run_all(list: &List, code: i32) -> Vec<usize> {
        while let Some((entry, call, argument)) = list.pop() {
            // SAFETY: `add` made it of a box.
            drop(unsafe { Box::from_raw(entry) });
            call.run(argument, code);
        }
        CALLED.take()
    }

    #[test]
    fn the_last_one_registered_runs_first_and_gets_what_it_was_registered_with() {
        let list = List::default();
        add(&list, Call::WithArgument(note), 1, 0);
        add(&list, Call::WithCode(note_code), 2, 0);
        assert_eq!(run_all(&list, 7), [207, 1]);
        assert!(list.pop().is_none());
    }

    #[test]
    fn an_object_takes_its_own_handlers_away_and_they_do_not_run_again() {
        let list = List::default();
        for (argument, owner) in [(1, 10), (2, 20), (3, 10)] {
            add(&list, Call::WithArgument(note), argument, owner);
        }
        list.run_of(ptr::without_provenance_mut(10));
        assert_eq!(CALLED.take(), [3, 1]);
        assert_eq!(run_all(&list, 0), [2]);
    }

    #[test]
    fn lists_can_be_put_back() {
        let (then, now) = (Handlers::default(), Handlers::default());
        add(&then.exit, Call::WithArgument(note), 5, 0);
        now.set(&then);
        assert_eq!(run_all(&now.exit, 0), [5]);
        assert!(now.quick.pop().is_none() && now.thread.pop().is_none());
    }
}
