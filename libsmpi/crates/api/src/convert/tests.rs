//! What the conversions accept, and how they name what they refuse. The objects are made here: no rank runs.

use std::ffi::c_void;
use std::ptr;

use smpi_abi::c::handles;
use smpi_mpi::datatype::Basic;
use smpi_runtime::objects::Errhandler;
use smpi_runtime::objects::handles::encode;

use super::*;
use crate::abi::constants::{MPI_COMM_WORLD, MPI_DATATYPE_NULL, MPI_INT, MPI_SUM};

/// The objects of rank 1 of 3.
fn objects() -> RankObjects {
    let mut objects = RankObjects::default();
    objects.init(
        WorldRank(1),
        (smpi_mpi::comm::WORLD_CONTEXT, smpi_mpi::group::Group::range(0, 3)),
        Errhandler::Return,
    );
    objects
}

/// Class, argument and text of an error.
fn refusal<T: std::fmt::Debug>(result: Result<T>) -> (ErrorClass, String, String) {
    let error = result.unwrap_err();
    (error.class, error.argument.unwrap_or_default().into(), error.message)
}

fn says(class: ErrorClass, name: &str, message: impl Into<String>) -> (ErrorClass, String, String) {
    (class, name.into(), message.into())
}

fn derived(committed: bool) -> TypeEntry {
    let datatype = Datatype::contiguous(3, &Datatype::basic(Basic::Int)).unwrap();
    TypeEntry { committed, ..TypeEntry::predefined(datatype) }
}

#[test]
fn predefined_communicators_are_found_once_mpi_is_initialised() {
    let mut all = objects();
    for (handle, ranks) in [(handles::MPI_COMM_WORLD, 3), (handles::MPI_COMM_SELF, 1)] {
        assert_eq!(comm_in(&mut all, handle.into(), "comm").unwrap().core.group.size(), ranks);
        assert!(find_comm(&mut RankObjects::default(), handle.into()).is_none());
    }
}

#[test]
fn what_is_no_communicator_is_named_for_what_it_is() {
    let mut all = objects();
    let refused = |objects: &mut RankObjects, handle: u64| refusal(comm_in(objects, handle, "comm").map(|_| ()));
    let group = encode(Kind::Group, all.groups.insert(Group::range(0, 2)).unwrap());
    let core = all.world.as_ref().unwrap().core.clone();
    let key = all.comms.insert(Comm::new(core, Errhandler::Return)).unwrap();
    let handle = encode(Kind::Comm, key);
    assert_eq!(comm_in(&mut all, handle, "comm").unwrap().core.rank, 1);
    all.comms.remove(key);
    for (handle, found) in [
        (0, "a null pointer".to_string()),
        (handles::MPI_COMM_NULL.into(), "MPI_COMM_NULL".into()),
        (MPI_INT.addr() as u64, format!("the predefined handle {:#x}, which is no communicator", MPI_INT.addr())),
        (handle, format!("a communicator that was freed ({handle:#x})")),
        (group, format!("a handle of a group ({group:#x})")),
        (0x7fff_1234_5678, "0x7fff12345678, which is not a handle".into()),
        (u64::MAX, "0xffffffffffffffff, which is not a handle".into()),
    ] {
        let expected = says(ErrorClass::COMM, "comm", format!("{found}; allowed: a valid communicator"));
        assert_eq!(refused(&mut all, handle), expected, "{handle:#x}");
    }
}

#[test]
fn a_handle_of_a_slot_that_is_used_again_stays_freed() {
    let mut all = objects();
    let key = all.groups.insert(Group::range(0, 2)).unwrap();
    let old = encode(Kind::Group, key);
    all.groups.remove(key);
    let new = encode(Kind::Group, all.groups.insert(Group::range(1, 1)).unwrap());
    assert_eq!(group_in(&all, new, "group").unwrap(), Group::range(1, 1));
    let message = format!("a group that was freed ({old:#x}); allowed: a valid group");
    assert_eq!(refusal(group_in(&all, old, "group1")), says(ErrorClass::GROUP, "group1", message));
}

#[test]
fn the_empty_group_is_one_and_the_null_group_is_none() {
    let all = RankObjects::default();
    assert_eq!(group_in(&all, handles::MPI_GROUP_EMPTY.into(), "group").unwrap().size(), 0);
    let expected = says(ErrorClass::GROUP, "group", "MPI_GROUP_NULL; allowed: a valid group");
    assert_eq!(refusal(group_in(&all, handles::MPI_GROUP_NULL.into(), "group")), expected);
    assert_eq!(refusal(group_in(&all, handles::MPI_COMM_WORLD.into(), "group")).0, ErrorClass::GROUP);
}

#[test]
fn an_intercommunicator_is_no_intracommunicator() {
    let core = objects().world.unwrap().core;
    assert_eq!(without_remote(core.clone(), "comm").unwrap().context, core.context);
    let inter = CommCore { remote: Some(Group::range(3, 1)), ..core };
    let expected = says(ErrorClass::COMM, "comm", "an intercommunicator; allowed: an intracommunicator");
    assert_eq!(refusal(without_remote(inter, "comm").map(|core| core.rank)), expected);
}

#[test]
fn datatypes_are_predefined_or_committed() {
    assert_eq!(datatype(MPI_INT, "datatype").unwrap().size(), 4);
    assert_eq!(any_datatype(MPI_INT, "datatype").unwrap().size(), 4);
    let mut all = objects();
    let key = all.types.insert(derived(false)).unwrap();
    let handle = encode(Kind::Datatype, key);
    assert_eq!(derived_in(&all, handle, "oldtype", false).unwrap().size(), 12);
    let expected =
        says(ErrorClass::TYPE, "sendtype", "not committed; allowed: a committed datatype (call MPI_Type_commit)");
    assert_eq!(refusal(derived_in(&all, handle, "sendtype", true)), expected);
    entry_in(&mut all, handle, "datatype").unwrap().committed = true;
    assert_eq!(derived_in(&all, handle, "sendtype", true).unwrap().size(), 12);
    all.types.remove(key);
    for wrong in [handle, 0, MPI_DATATYPE_NULL.addr() as u64, MPI_COMM_WORLD.addr() as u64, 1 << 40] {
        let (class, name, message) = refusal(derived_in(&all, wrong, "recvtype", true));
        assert_eq!((class, name.as_str()), (ErrorClass::TYPE, "recvtype"), "{wrong:#x}");
        assert!(message.ends_with("; allowed: a valid datatype"), "{message}");
        assert_eq!(refusal(entry_in(&mut all, wrong, "datatype").map(|_| ())).0, ErrorClass::TYPE, "{wrong:#x}");
    }
}

#[test]
fn a_predefined_datatype_has_one_entry_of_its_own() {
    let mut all = objects();
    let handle = MPI_INT.addr() as u64;
    assert_eq!(entry_in(&mut all, handle, "datatype").unwrap().name, "MPI_INT");
    entry_in(&mut all, handle, "datatype").unwrap().name = "mine".into();
    assert_eq!(entry_in(&mut all, handle, "datatype").unwrap().name, "mine");
    assert_eq!(all.predefined_types.len(), 1);
}

#[test]
fn no_info_is_an_empty_one() {
    let mut all = objects();
    let mut hints = Info::new();
    hints.set("key", "value").unwrap();
    let handle = encode(Kind::Info, all.infos.insert(hints.clone()).unwrap());
    assert_eq!(info_in(&all, handle, "info").unwrap(), hints);
    assert!(info_in(&all, handles::MPI_INFO_NULL.into(), "info").unwrap().is_empty());
    let expected = says(ErrorClass::INFO, "info", "a null pointer; allowed: a valid info object");
    assert_eq!(refusal(info_in(&all, 0, "info")), expected);
}

#[test]
fn operations_are_predefined_or_the_programs() {
    assert!(matches!(op(MPI_SUM, "op").unwrap(), Op::Predefined(Predefined::Sum)));
    let mut all = objects();
    let mine = objects::UserOp { function: 0x1000, large_count: false, commutative: true };
    let handle = encode(Kind::Op, all.ops.insert(mine).unwrap());
    assert_eq!(user_op_in(&all, handle, "op").unwrap().function, 0x1000);
    for wrong in [0, handles::MPI_OP_NULL.into(), handle + 1, encode(Kind::Info, Key { slot: 0, generation: 0 })] {
        let (class, name, message) = refusal(user_op_in(&all, wrong, "op"));
        assert_eq!((class, name.as_str()), (ErrorClass::OP, "op"), "{wrong:#x}");
        assert!(message.ends_with("; allowed: a valid operation"), "{message}");
    }
}

#[test]
fn a_request_is_null_alive_or_refused() {
    let alive = Key { slot: 3, generation: 2 };
    let exists = |key| key == alive;
    assert_eq!(request_if(handles::MPI_REQUEST_NULL.into(), "request", exists).unwrap(), None);
    let handle = encode(Kind::Request, alive);
    assert_eq!(request_if(handle, "request", exists).unwrap(), Some(alive));
    let gone = encode(Kind::Request, Key { generation: 1, ..alive });
    let message = format!("a request that was freed ({gone:#x}); allowed: a valid request");
    assert_eq!(
        refusal(request_if(gone, "array_of_requests", exists)),
        says(ErrorClass::REQUEST, "array_of_requests", message)
    );
    // Zeroed memory is a common mistake, and null is not MPI_REQUEST_NULL.
    let expected = says(ErrorClass::REQUEST, "request", "a null pointer; allowed: a valid request");
    assert_eq!(refusal(request_if(0, "request", exists)), expected);
}

#[test]
fn keys_are_of_their_kind_alive_or_not() {
    let place = Key { slot: 9, generation: 0 };
    let handle = encode(Kind::Message, place);
    assert_eq!(key(Kind::Message, ErrorClass::REQUEST, handle, "message").unwrap(), place);
    let other = encode(Kind::Request, place);
    let expected =
        says(ErrorClass::REQUEST, "message", format!("a handle of a request ({other:#x}); allowed: a valid message"));
    assert_eq!(refusal(key(Kind::Message, ErrorClass::REQUEST, other, "message")), expected);
    let stale = stale(Kind::Message, ErrorClass::REQUEST, handle, "message");
    assert_eq!(stale.message, format!("a message that was freed ({handle:#x}); allowed: a valid message"));
}

#[test]
fn counts_are_not_negative() {
    assert_eq!((count(0, "count").unwrap(), count(i64::MAX, "count").unwrap()), (0, i64::MAX));
    assert_eq!(refusal(count(-1, "recvcount")), says(ErrorClass::COUNT, "recvcount", "-1; allowed: 0 or more"));
    assert_eq!(refusal(count(i64::MIN, "count")).0, ErrorClass::COUNT);
}

#[test]
fn null_is_a_buffer_where_nothing_is_touched_or_addresses_are_absolute() {
    let int = Datatype::basic(Basic::Int);
    let at = |address| ptr::without_provenance::<c_void>(address);
    assert_eq!(part(at(0x5000), 7, int.clone(), "buf").unwrap().at, Addr(0x5000));
    assert_eq!(part(ptr::null(), 0, int.clone(), "buf").unwrap().count, 0);
    let nothing = Datatype::contiguous(0, &int).unwrap();
    assert!(part(ptr::null(), 4, nothing, "buf").is_ok());
    let absolute = Datatype::hindexed(&[1], &[0x5000], &int).unwrap();
    assert_eq!(part(ptr::null(), 1, absolute, "buf").unwrap().at, Addr(0));
    let message = "a null pointer; allowed: a buffer (MPI_BOTTOM only with a datatype of absolute addresses)";
    assert_eq!(refusal(part(ptr::null(), 1, int.clone(), "sendbuf")), says(ErrorClass::BUFFER, "sendbuf", message));
    let expected = says(ErrorClass::BUFFER, "buf", "MPI_IN_PLACE; allowed: a buffer");
    assert_eq!(refusal(part(at(IN_PLACE), 1, int, "buf")), expected);
}

#[test]
fn destinations_and_sources_are_ranks_of_the_communicator() {
    for rank in [0, 3, MPI_PROC_NULL] {
        assert_eq!(destination(4, rank, "dest").unwrap(), rank);
        assert_eq!(source(4, rank, "source").unwrap(), rank);
    }
    assert_eq!(source(4, MPI_ANY_SOURCE, "source").unwrap(), MPI_ANY_SOURCE);
    let allowed = "0 to 3 or MPI_PROC_NULL";
    for (rank, shown) in [(4, "4"), (-17, "-17"), (MPI_ANY_SOURCE, "MPI_ANY_SOURCE"), (MPI_ROOT, "MPI_ROOT")] {
        let expected = says(ErrorClass::RANK, "dest", format!("{shown}; allowed: {allowed}"));
        assert_eq!(refusal(destination(4, rank, "dest")), expected);
    }
    let expected = says(ErrorClass::RANK, "source", format!("4; allowed: {allowed} or MPI_ANY_SOURCE"));
    assert_eq!(refusal(source(4, 4, "source")), expected);
    assert_eq!(refusal(destination(4, c_int::MAX, "dest")).0, ErrorClass::RANK);
}

#[test]
fn only_receives_take_any_tag() {
    for tag in [0, 1, TAG_UB] {
        assert_eq!((send_tag(tag, "tag").unwrap(), recv_tag(tag, "tag").unwrap()), (tag, tag));
    }
    assert_eq!(recv_tag(MPI_ANY_TAG, "tag").unwrap(), MPI_ANY_TAG);
    let bounds = "0 to 2147483647 (MPI_TAG_UB)";
    let expected = says(ErrorClass::TAG, "tag", format!("MPI_ANY_TAG; allowed: {bounds}"));
    assert_eq!(refusal(send_tag(MPI_ANY_TAG, "tag")), expected);
    let expected = says(ErrorClass::TAG, "sendtag", format!("-5; allowed: {bounds}"));
    assert_eq!(refusal(send_tag(-5, "sendtag")), expected);
    let expected = says(ErrorClass::TAG, "recvtag", format!("-5; allowed: {bounds} or MPI_ANY_TAG"));
    assert_eq!(refusal(recv_tag(-5, "recvtag")), expected);
}

#[test]
fn null_is_no_place_and_no_text() {
    let (mut place, null_error) = (7, |name| says(ErrorClass::ARG, name, "a null pointer; allowed: a valid address"));
    // SAFETY: a variable of this test, literals and null pointers.
    unsafe {
        put(&raw mut place, 8, "flag").unwrap();
        assert_eq!(read(&raw const place, "flag").unwrap(), 8);
        assert_eq!(string(c"text".as_ptr(), "key").unwrap(), "text");
        assert_eq!(refusal(put(ptr::null_mut(), 8, "flag")), null_error("flag"));
        assert_eq!(refusal(read(ptr::null::<c_int>(), "request")), null_error("request"));
        assert_eq!(refusal(string(ptr::null(), "key")), null_error("key"));
        put_status(ptr::null_mut(), &smpi_mpi::p2p::request::Status::EMPTY);
    }
}

#[test]
fn texts_that_are_no_utf8_come_back_as_they_were() {
    let mut place = *b"........";
    // SAFETY: a string that ends, and an array with room for 8 bytes.
    unsafe {
        let text = string(c"\xff a \x80".as_ptr(), "key").unwrap();
        assert_eq!(put_string(&text, place.as_mut_ptr().cast(), 8), 5);
    }
    assert_eq!(&place, b"\xff a \x80\0..");
}

#[test]
fn strings_are_cut_where_they_do_not_fit_and_always_end() {
    for (text, capacity, expected) in [
        ("abc", 8, &b"abc\0...."[..]),
        ("abc", 4, b"abc\0...."),
        ("abc", 3, b"ab\0....."),
        ("abc", 1, b"\0......."),
        ("", 8, b"\0......."),
    ] {
        let mut place = *b"........";
        // SAFETY: the array has room for `capacity` bytes.
        let len = unsafe { put_string(text, place.as_mut_ptr().cast(), capacity) };
        assert_eq!((&place[..], len as usize), (expected, text.len().min(capacity - 1)), "{text} in {capacity}");
    }
    // SAFETY: nothing is written through a null pointer.
    assert_eq!(unsafe { put_string("abc", std::ptr::null_mut(), 8) }, 0);
}

/// What names of states leave out before it is written.
#[test]
fn the_parts_of_a_status_that_are_written_are_known() {
    let written = |before: u8| {
        let mut bytes = [before; size_of::<MPI_Status>()];
        let status = smpi_mpi::p2p::request::Status { source: 3, tag: 4, error: 15, bytes: 8, cancelled: false };
        // SAFETY: memory of this test, as large as a status, for which any bytes are valid.
        let mut place: MPI_Status = unsafe { std::ptr::read_unaligned(bytes.as_ptr().cast()) };
        // SAFETY: a variable of this test.
        unsafe { put_status(&raw mut place, &status) };
        // SAFETY: a status is plain bytes.
        unsafe { std::ptr::copy_nonoverlapping((&raw const place).cast(), bytes.as_mut_ptr(), bytes.len()) };
        bytes
    };
    let (one, other) = (written(0x55), written(0xaa));
    let same: Vec<usize> = (0..one.len()).filter(|&at| one[at] == other[at]).collect();
    assert_eq!(same, smpi_abi::c::STATUS_OF_ONE.into_iter().flatten().collect::<Vec<_>>());
}

#[test]
fn a_status_holds_any_number_of_bytes_and_keeps_its_error() {
    // SAFETY: numbers only, for which zeros are valid.
    let mut place: MPI_Status = unsafe { std::mem::zeroed() };
    place.MPI_ERROR = 77;
    for bytes in [0, 1, u64::from(u32::MAX), 1 << 32, (1 << 31) + (5 << 33), i64::MAX as u64] {
        let status = smpi_mpi::p2p::request::Status { source: 3, tag: 4, error: 15, bytes, cancelled: true };
        // SAFETY: a variable of this test.
        unsafe { put_status(&raw mut place, &status) };
        assert_eq!((place.MPI_SOURCE, place.MPI_TAG, place.MPI_ERROR), (3, 4, 77));
        assert_eq!(bytes_of(&place), bytes);
        assert_ne!(place.MPI_internal[2], 0);
    }
}
