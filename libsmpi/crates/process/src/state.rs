//! The ranks of this process and which of them runs: what every other file looks up.
//!
//! There is one host per process, made once and never taken down, so references to it and to its records live for ever.
//! What belongs to the hosting thread alone is in cells of that thread; other threads see [`current`] as `None`.

use crate::host_cell::HostCell;
use crate::record::Record;
use crate::{placed, running};
use smpi_base::WorldRank;
use smpi_ranks::Layout;
use smpi_ranks::thread_state::ThreadSlots;
use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::ops::Index;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Everything about hosting; see the file's header.
pub struct Host {
    pub layout: Layout,
    pub records: Records,
    pub slots: HostCell<ThreadSlots>,
    /// True when the order in which the host runs ranks is shuffled.
    pub shuffled: bool,
    /// Address of what ranks get in the place of a library's function, by its name and the private library that asks.
    pub replacement: fn(&str, &str) -> Option<usize>,
}

/// The records by rank. A rank that may be spawned has none before it is.
///
/// Any thread may look one up, in handlers of signals, too. Records are never freed, also those in whose place another
/// was put.
pub struct Records(&'static [Place]);

/// Where the record of a rank is.
struct Place {
    record: AtomicPtr<Record>,
    /// Room for the first one.
    room: UnsafeCell<MaybeUninit<Record>>,
}

// SAFETY: whoever puts a record is the only one who does, and it is seen once it is there.
unsafe impl Sync for Place {}

impl Records {
    /// Room for the records of so many ranks.
    pub fn new(ranks: u32) -> Records {
        let ranks = ranks as usize;
        Records(match placed::map(placed::RECORDS, ranks * size_of::<Place>()) {
            // SAFETY: the mapping has room for them, and is aligned as pages are; zeros are places without a record.
            Some(places) => unsafe { std::slice::from_raw_parts(places.cast().as_ptr(), ranks) },
            None => {
                let empty = |_| Place { record: AtomicPtr::default(), room: UnsafeCell::new(MaybeUninit::uninit()) };
                Box::leak((0..ranks).map(empty).collect())
            }
        })
    }

    /// Puts a rank's record in its place.
    pub fn put(&self, rank: WorldRank, record: Record) -> &'static Record {
        let place = &self.0[rank.index()];
        let record: &'static Record = match place.record.load(Ordering::Acquire).is_null() {
            // SAFETY: nobody has used the room yet.
            true => unsafe { (*place.room.get()).write(record) },
            false => Box::leak(Box::new(record)),
        };
        place.record.store(ptr::from_ref(record).cast_mut(), Ordering::Release);
        record
    }

    /// The record of a rank, if it has one.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&'static Record> {
        // SAFETY: null, or what `put` stored: a record that is never freed, and only lent.
        unsafe { self.0.get(index)?.record.load(Ordering::Acquire).as_ref() }
    }

    /// Those that are there, by rank.
    pub fn iter(&self) -> impl Iterator<Item = &'static Record> {
        (0..self.0.len()).filter_map(|index| self.get(index))
    }

    /// The record of the only rank that there will ever be.
    pub fn only(&self) -> Option<&'static Record> {
        if self.0.len() == 1 { self.get(0) } else { None }
    }
}

impl Index<usize> for Records {
    type Output = Record;

    #[inline]
    fn index(&self, index: usize) -> &Record {
        match self.get(index) {
            Some(record) => record,
            None => panic!("rank {index} was not spawned"),
        }
    }
}

// SAFETY: it is put in its place once, by the hosting thread, and only lent from then on.
unsafe impl Send for Host {}

/// In a place of its own, and not on the heap, for the reason of [`placed`].
static HOST: OnceLock<Host> = OnceLock::new();

/// Puts the host in place. It is never freed: libraries may keep pointers into regions until the process ends.
pub fn install(host: Host) -> &'static Host {
    let (start, end) = host.layout.span();
    let host = HOST.get_or_init(|| host);
    running::set_regions(start, end);
    host
}

/// The host, once there is one.
#[inline]
pub fn host() -> Option<&'static Host> {
    HOST.get()
}

/// The rank that runs on this thread.
#[inline]
pub fn current() -> Option<&'static Record> {
    let record = running::record().cast::<Record>();
    if record.is_null() || !running::on_host_thread() {
        return None;
    }
    // SAFETY: `set_current` put the address of a record there, and records are never freed.
    Some(unsafe { &*record })
}

/// The rank whose stack we are on; `None` in the event loop and in a program that runs without `smpirun`.
#[inline]
pub fn current_rank() -> Option<WorldRank> {
    current().map(|record| record.rank)
}

/// The rank that calls, for what a child of `fork` has from the kernel for itself: there it is `None`.
pub fn caller() -> Option<&'static Record> {
    current().filter(|_| !running::is_child())
}

/// The calling rank's number of [`crate::Hooks::landmark`]; `None` off a rank's stack.
#[inline]
pub fn landmark() -> Option<usize> {
    current().map(|record| record.landmark)
}

/// Notes which rank runs from now on.
#[inline]
pub fn set_current(record: Option<&'static Record>) {
    running::set_record(record.map_or(ptr::null_mut(), |record| ptr::from_ref(record).cast_mut().cast()));
}

/// Calls as the hosting process, not as the rank that runs: what is allocated is in nobody's heap.
pub fn outside_heaps<R>(call: impl FnOnce() -> R) -> R {
    let Some(record) = current() else { return call() };
    set_current(None);
    let result = call();
    set_current(Some(record));
    result
}

/// The rank whose region holds an address.
#[inline]
pub fn record_at(address: usize) -> Option<&'static Record> {
    let host = host()?;
    host.records.get(host.layout.rank_at(address)? as usize)
}
