//! The values of C handles.
//!
//! ```text
//! predefined  0 … 0xfff                     numbers of the standard ABI (MPI 5.0 §20)
//! ours        01 kkkk gggggg ssssssssssssssssssss      bit 30 set · kind 4 · generation 6 · slot 20
//! ```
//!
//! Ours fit 31 bits, so that conversion to Fortran's INTEGER is the identity, and say what they are: a handle of
//! another kind, or one whose object was freed, is recognised and named in the error.

use smpi_base::table::Key;

/// What a handle refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `MPI_Comm`
    Comm = 1,
    /// `MPI_Group`
    Group = 2,
    /// `MPI_Datatype`
    Datatype = 3,
    /// `MPI_Op`
    Op = 4,
    /// `MPI_Request`
    Request = 5,
    /// `MPI_Message`
    Message = 6,
    /// `MPI_Info`
    Info = 7,
    /// `MPI_Errhandler`
    Errhandler = 8,
    /// `MPI_Win`
    Win = 9,
    /// `MPI_File`
    File = 10,
    /// `MPI_Session`
    Session = 11,
    /// `MPI_T_cvar_handle`
    ControlHandle = 12,
    /// `MPI_T_pvar_session`
    PerformanceSession = 13,
    /// `MPI_T_pvar_handle`
    PerformanceHandle = 14,
    /// `MPI_T_event_registration`
    Registration = 15,
}

impl Kind {
    /// The word for it in messages.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Comm => "communicator",
            Kind::Group => "group",
            Kind::Datatype => "datatype",
            Kind::Op => "operation",
            Kind::Request => "request",
            Kind::Message => "message",
            Kind::Info => "info object",
            Kind::Errhandler => "error handler",
            Kind::Win => "window",
            Kind::File => "file",
            Kind::Session => "session",
            Kind::ControlHandle => "handle of a control variable",
            Kind::PerformanceSession => "session of performance variables",
            Kind::PerformanceHandle => "handle of a performance variable",
            Kind::Registration => "registration for events",
        }
    }
}

const OURS: u64 = 1 << 30;
const SLOT_BITS: u32 = 20;
const GENERATION_BITS: u32 = 6;

/// The handle of an object of ours.
pub fn encode(kind: Kind, key: Key) -> u64 {
    OURS | (kind as u64) << (SLOT_BITS + GENERATION_BITS) | u64::from(key.generation) << SLOT_BITS | u64::from(key.slot)
}

/// Values below this are predefined handles of the ABI.
pub const FIRST_OURS: u64 = 0x1000;

/// What a handle value says about itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decoded {
    /// A predefined handle.
    Predefined(u32),
    /// One of ours, of the expected kind; it may still be stale.
    Ours(Key),
    /// One of ours, but for another kind of object (its number).
    OtherKind(u8),
    /// No handle at all.
    Garbage,
}

/// Reads a handle that should be of `kind`.
#[inline]
pub fn decode(kind: Kind, handle: u64) -> Decoded {
    if handle < FIRST_OURS {
        return Decoded::Predefined(handle as u32);
    }
    if handle >> 30 != 1 {
        return Decoded::Garbage;
    }
    let found = (handle >> (SLOT_BITS + GENERATION_BITS)) & 0xf;
    if found != kind as u64 {
        return Decoded::OtherKind(found as u8);
    }
    let generation = (handle >> SLOT_BITS) & ((1 << GENERATION_BITS) - 1);
    Decoded::Ours(Key { slot: (handle & ((1 << SLOT_BITS) - 1)) as u32, generation: generation as u8 })
}

/// The kind of object that a number found in a handle stands for.
pub fn kind_name(number: u8) -> &'static str {
    const KINDS: [Kind; 15] = [
        Kind::Comm,
        Kind::Group,
        Kind::Datatype,
        Kind::Op,
        Kind::Request,
        Kind::Message,
        Kind::Info,
        Kind::Errhandler,
        Kind::Win,
        Kind::File,
        Kind::Session,
        Kind::ControlHandle,
        Kind::PerformanceSession,
        Kind::PerformanceHandle,
        Kind::Registration,
    ];
    KINDS.iter().find(|kind| **kind as u8 == number).map_or("unknown object", |kind| kind.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_know_their_kind() {
        let key = Key { slot: 77, generation: 5 };
        let handle = encode(Kind::Datatype, key);
        assert!(handle < 1 << 31);
        assert_eq!(decode(Kind::Datatype, handle), Decoded::Ours(key));
        assert_eq!(decode(Kind::Comm, handle), Decoded::OtherKind(Kind::Datatype as u8));
        assert_eq!(decode(Kind::Comm, 0x101), Decoded::Predefined(0x101));
        assert_eq!(decode(Kind::Comm, 0x7fff_1234_5678), Decoded::Garbage);
    }

    #[test]
    fn handles_differ_wherever_kind_slot_or_generation_do() {
        let mut handles = Vec::new();
        for number in 1..=15 {
            let kind = [Kind::Comm, Kind::Group, Kind::Datatype, Kind::Op, Kind::Request, Kind::Message, Kind::Info]
                .into_iter()
                .chain([Kind::Errhandler, Kind::Win, Kind::File, Kind::Session])
                .chain([Kind::ControlHandle, Kind::PerformanceSession, Kind::PerformanceHandle, Kind::Registration])
                .find(|kind| *kind as u8 == number)
                .unwrap();
            assert_eq!(kind_name(number), kind.name());
            for slot in [0, 1, Key::MAX_SLOTS - 1] {
                for generation in [0, 1, 63] {
                    let handle = encode(kind, Key { slot, generation });
                    assert_eq!(decode(kind, handle), Decoded::Ours(Key { slot, generation }));
                    // Fortran's INTEGER holds it, and it is none of the ABI's.
                    assert!((FIRST_OURS..1 << 31).contains(&handle));
                    handles.push(handle);
                }
            }
        }
        let count = handles.len();
        handles.sort_unstable();
        handles.dedup();
        assert_eq!(handles.len(), count);
    }

    #[test]
    fn the_handle_of_a_removed_object_does_not_name_the_next_one() {
        let mut table: smpi_base::table::Table<&str> = Default::default();
        let old = encode(Kind::Info, table.insert("old").unwrap());
        let Decoded::Ours(key) = decode(Kind::Info, old) else { panic!("{old:#x}") };
        table.remove(key);
        let new = encode(Kind::Info, table.insert("new").unwrap());
        assert_ne!(old, new);
        assert_eq!(table.get(key), None);
        let Decoded::Ours(key) = decode(Kind::Info, new) else { panic!("{new:#x}") };
        assert_eq!(table.get(key), Some(&"new"));
    }
}
