//! Entries about arguments that an MPI call does not accept. One for each kind of argument.

use super::Entry;
use crate::key::FindingKey::*;

/// In the order of [`crate::key::FindingKey::ALL`].
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        key: InvalidCommunicator,
        meaning: "A communicator is null, freed, or not of the kind that the call needs",
        advice: "`MPI_Comm_split` and `MPI_Comm_create` give `MPI_COMM_NULL` to ranks that are not in the result: skip \
                 the calls there. After `MPI_Comm_free`, a copy of the handle is as dead as the handle.",
        example: r"
MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, rank, &workers);
MPI_Barrier(workers); /* MPI_COMM_NULL on rank 0 */
",
        not_yet: None,
    },
    Entry {
        key: InvalidRank,
        meaning: "A source or destination is not a rank of the communicator",
        advice: "Ranks go from 0 to the size of the communicator minus 1, counted in that communicator. Use \
                 `MPI_PROC_NULL` for neighbours that do not exist.",
        example: r"
MPI_Send(&x, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD); /* The last rank has no neighbour. */
",
        not_yet: None,
    },
    Entry {
        key: InvalidTag,
        meaning: "A tag is negative or above MPI_TAG_UB",
        advice: "Tags go from 0 to the value of the attribute `MPI_TAG_UB`, at least 32767. `MPI_ANY_TAG` is for receives \
                 and probes only.",
        example: r"
MPI_Send(&x, 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD);
",
        not_yet: None,
    },
    Entry {
        key: InvalidCount,
        meaning: "A count is negative, or larger than the call can handle",
        advice: "Look at how the count is computed: an overflow of `int` is the usual reason. Large counts have functions \
                 of their own (`MPI_Send_c`).",
        example: r"
int bytes = n * n * sizeof(double); /* Overflows. */
MPI_Send(matrix, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
",
        not_yet: None,
    },
    Entry {
        key: InvalidBuffer,
        meaning: "A buffer has elements, and is a null pointer or an address that is not memory of the rank; or a call \
                  receives into memory that it sends from, or twice into the same memory",
        advice: "Check that the allocation succeeded and happened on this rank. To send and receive in the same memory, \
                 pass `MPI_IN_PLACE` where the collective allows it.",
        example: r"
MPI_Allreduce(&sum, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* MPI_IN_PLACE, &sum, … */
",
        not_yet: None,
    },
    Entry {
        key: InvalidDatatype,
        meaning: "A datatype is null, freed, not committed, or not fit for this call",
        advice: "Call `MPI_Type_commit` before the first communication with a derived datatype.",
        example: r"
MPI_Type_vector(n, 1, n, MPI_DOUBLE, &column);
MPI_Send(a, 1, column, 1, 0, MPI_COMM_WORLD); /* No MPI_Type_commit(&column). */
",
        not_yet: None,
    },
    Entry {
        key: InvalidOp,
        meaning: "A reduction operation is null, freed, or not defined for the datatype",
        advice: "The standard lists the datatypes of each predefined operation (bitwise ones take integers, MPI_MAXLOC \
                 takes pairs); derived datatypes need an operation of your own.",
        example: r"
MPI_Reduce(&x, &y, 1, MPI_DOUBLE, MPI_BAND, 0, MPI_COMM_WORLD);
",
        not_yet: None,
    },
    Entry {
        key: InvalidRoot,
        meaning: "The root of a collective is not a rank of the communicator",
        advice: "The root is counted in the communicator of the call, not in MPI_COMM_WORLD. Intercommunicators take \
                 `MPI_ROOT` and `MPI_PROC_NULL` on the root's side.",
        example: r"
MPI_Bcast(&x, 1, MPI_INT, size, MPI_COMM_WORLD);
",
        not_yet: None,
    },
    Entry {
        key: InvalidRequest,
        meaning: "A request (or matched message) is not valid here: null, freed, already completed, or of the wrong kind",
        advice: "Completion sets the handle to `MPI_REQUEST_NULL`, but not your copies of it. Only persistent requests \
                 can be started, and only while they are inactive.",
        example: r"
MPI_Isend(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
MPI_Start(&request); /* Not a persistent request. */
",
        not_yet: None,
    },
    Entry {
        key: InvalidWindow,
        meaning: "A window is null, freed, or of the wrong kind for the call",
        advice: "`MPI_Win_attach` needs a window of `MPI_Win_create_dynamic`, `MPI_Win_shared_query` one of \
                 `MPI_Win_allocate_shared`, which takes ranks of one host only.",
        example: r"
MPI_Win_attach(window, memory, sizeof memory); /* A window of MPI_Win_create. */
",
        not_yet: None,
    },
    Entry {
        key: InvalidEpoch,
        meaning: "A call on a window does not fit the epoch that a rank is in, or what a rank has asserted of it",
        advice: "Put every access between the calls that open and close its epoch (`MPI_Win_fence`, `MPI_Win_lock` and \
                 `MPI_Win_unlock`, …), and close an epoch before one of another kind begins or the window is freed. An \
                 assertion (`MPI_MODE_NOSTORE`) is a promise: pass 0 where it does not hold.",
        example: r"
MPI_Put(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, window); /* No epoch was opened. */
",
        not_yet: None,
    },
    Entry {
        key: InvalidGroup,
        meaning: "A group is null or freed",
        advice: "`MPI_GROUP_EMPTY` is a group, `MPI_GROUP_NULL` is not. Free groups after their last use.",
        example: r"
MPI_Group_free(&group);
MPI_Group_size(group, &size);
",
        not_yet: None,
    },
    Entry {
        key: InvalidInfo,
        meaning: "An info object is null or freed, or a key or value is empty, too long or absent",
        advice: "Keys have at most `MPI_MAX_INFO_KEY` characters; deleting a key that is not there is an error. Pass \
                 `MPI_INFO_NULL` only where the call says that it may be.",
        example: r#"
MPI_Info_create(&info);
MPI_Info_delete(info, "no_such_key");
"#,
        not_yet: None,
    },
    Entry {
        key: InvalidErrhandler,
        meaning: "An error handler is null, freed, or made for another kind of object",
        advice: "Handlers made by `MPI_Comm_create_errhandler` are for communicators only; windows, files and sessions \
                 have their own.",
        example: r"
MPI_Comm_create_errhandler(report, &handler);
MPI_Errhandler_free(&handler);
MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler); /* MPI_ERRHANDLER_NULL now */
",
        not_yet: None,
    },
    Entry {
        key: InvalidFile,
        meaning: "A file handle is null or closed, or a file name is not one",
        advice: "Check the result of `MPI_File_open`. Errors of files return by default: `MPI_File_set_errhandler` with \
                 `MPI_FILE_NULL` and `MPI_ERRORS_ARE_FATAL` lets them end the run, as those of communicators do.",
        example: r"
MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
file = MPI_FILE_NULL;
MPI_File_read(file, &x, 1, MPI_INT, MPI_STATUS_IGNORE);
",
        not_yet: None,
    },
    Entry {
        key: InvalidSession,
        meaning: "A session is null or finalized",
        advice: "`MPI_Session_finalize` comes after the last use of the session and of what was made from it.",
        example: r"
MPI_Session_finalize(&session);
MPI_Session_get_num_psets(session, MPI_INFO_NULL, &n);
",
        not_yet: None,
    },
    Entry {
        key: InvalidTopology,
        meaning: "The communicator has no topology of the kind that the call asks about",
        advice: "Pass the communicator that `MPI_Cart_create` or `MPI_Graph_create` returned, not the one it was made from.",
        example: r"
MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
MPI_Cart_shift(MPI_COMM_WORLD, 0, 1, &left, &right); /* grid */
",
        not_yet: None,
    },
    Entry {
        key: InvalidDimensions,
        meaning: "The dimensions of a topology are negative or do not fit the number of ranks",
        advice: "`MPI_Dims_create` fills in the dimensions that are 0 and keeps the others: set the array before the call.",
        example: r"
int dims[2] = {3, 0};
MPI_Dims_create(4, 2, dims); /* 3 does not divide 4. */
",
        not_yet: None,
    },
    Entry {
        key: InvalidKeyval,
        meaning: "An attribute key is not valid, freed, or made for another kind of object",
        advice: "Keys come from `MPI_Comm_create_keyval` (and its kin for datatypes and windows) and work for that kind \
                 only.",
        example: r"
int key = MPI_KEYVAL_INVALID;
MPI_Comm_set_attr(MPI_COMM_WORLD, key, &value);
",
        not_yet: None,
    },
    Entry {
        key: InvalidDisplacement,
        meaning: "A displacement is negative, or the memory it leads to is not part of the window or file view",
        advice: "Displacements of a window count in units of the *target's* `disp_unit`, from the start of its window.",
        example: r"
/* The window has 10 ints on every rank. */
MPI_Put(&x, 1, MPI_INT, 1, 10, 1, MPI_INT, window);
",
        not_yet: None,
    },
    Entry {
        key: InvalidSize,
        meaning: "A size in bytes is negative or not what the call needs",
        advice: "Look at how the size is computed: `MPI_Aint` holds large values, `int` does not.",
        example: r"
MPI_Win_allocate(-1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
",
        not_yet: None,
    },
    Entry {
        key: InvalidArgument,
        meaning: "Some other argument has a value that the call does not accept",
        advice: "The message names the parameter, its value and what is allowed.",
        example: r"
MPI_Type_create_subarray(2, sizes, subsizes, starts, 99 /* order */, MPI_INT, &part);
",
        not_yet: None,
    },
];
