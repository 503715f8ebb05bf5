//! Entries about calls that are right by themselves and do not fit the calls of other ranks or the life of MPI.

use super::Entry;
use crate::key::FindingKey::*;

/// In the order of [`crate::key::FindingKey::ALL`].
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        key: Truncate,
        meaning: "A message is longer than the buffer that receives it",
        advice: "Make the receive's count large enough (it is an upper bound), or ask with `MPI_Probe` and \
                 `MPI_Get_count` first. With wildcards, it may be a message that was meant for another receive.",
        example: r"
if (rank == 0) MPI_Send(a, 10, MPI_INT, 1, 0, MPI_COMM_WORLD);
if (rank == 1) MPI_Recv(a, 5, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
",
        not_yet: None,
    },
    Entry {
        key: TypeMismatch,
        meaning: "Sender and receiver disagree on the types of the elements (also in collectives)",
        advice: "Both sides must have the same sequence of basic datatypes, whatever derived datatypes describe it. \
                 `MPI_BYTE` matches `MPI_BYTE` only, `MPI_PACKED` matches all. A receive whose message ends within an \
                 element also fails with `MPI_ERR_TYPE`.",
        example: r"
if (rank == 0) MPI_Send(a, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
if (rank == 1) MPI_Recv(a, 4, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
",
        not_yet: None,
    },
    Entry {
        key: CollectiveMismatch,
        meaning: "Ranks call different collectives on a communicator, or the same with another root, operation or count; or \
                  some never call it",
        advice: "All ranks of a communicator call the same collectives in the same order, those that make communicators \
                 included. Look for collectives inside `if (rank == …)` and for early returns.",
        example: r"
if (rank == 0) MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
else           MPI_Reduce(&x, &y, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
",
        not_yet: None,
    },
    Entry {
        key: ReadySend,
        meaning: "A message is sent in ready mode (`MPI_Rsend` and its kin), and its receive may not be posted yet",
        advice: "What counts is what MPI makes sure, not what happens to be there. A barrier between receive and send makes \
                 sure, or a message that is sent after `MPI_Irecv` and received before `MPI_Rsend`; completing an \
                 `MPI_Send` does not. Or use `MPI_Send`: it waits when it has to.",
        example: r"
MPI_Barrier(MPI_COMM_WORLD); /* Receives start after it: too late. */
if (rank == 0) MPI_Rsend(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
if (rank == 1) MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
",
        not_yet: None,
    },
    Entry {
        key: FinalizeMissing,
        meaning: "A rank ended after MPI_Init without MPI_Finalize",
        advice: "Call `MPI_Finalize` on every way out of the program, or `MPI_Abort` where it cannot go on.",
        example: r"
MPI_Init(&argc, &argv);
if (argc < 2) return 0; /* Without MPI_Finalize. */
",
        not_yet: None,
    },
    Entry {
        key: AfterFinalize,
        meaning: "An MPI function was called after MPI_Finalize",
        advice: "Only `MPI_Initialized`, `MPI_Finalized`, `MPI_Get_version` and a few others may be called then. Look for \
                 destructors and `atexit` handlers.",
        example: r"
MPI_Finalize();
MPI_Comm_rank(MPI_COMM_WORLD, &rank);
",
        not_yet: None,
    },
    Entry {
        key: BeforeInit,
        meaning: "An MPI function was called before MPI_Init",
        advice: "Only `MPI_Initialized`, `MPI_Finalized`, `MPI_Get_version` and a few others may be called then. Look for \
                 constructors of global objects.",
        example: r"
MPI_Comm_rank(MPI_COMM_WORLD, &rank);
MPI_Init(&argc, &argv);
",
        not_yet: None,
    },
    Entry {
        key: PendingAtFinalize,
        meaning: "Communication is still under way at MPI_Finalize: a message nobody received, or an operation that is not \
                  complete",
        advice: "Receive every message that is sent and complete every operation before `MPI_Finalize`, also those whose \
                 request was freed.",
        example: r"
MPI_Isend(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); /* Rank 1 never receives. */
MPI_Request_free(&request);
MPI_Finalize();
",
        not_yet: None,
    },
    Entry {
        key: ErrorReturned,
        meaning: "A call failed, and its error handler is `MPI_ERRORS_RETURN`: a warning, and an error with `--strict`",
        advice: "Look at the code that the call returns, or let errors be fatal, as they are by default except for files: \
                 `MPI_File_set_errhandler` with `MPI_FILE_NULL` makes them so for files that are opened later.",
        example: r#"
MPI_File file; /* Errors of files return. */
MPI_File_open(MPI_COMM_WORLD, "no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
"#,
        not_yet: None,
    },
    Entry {
        key: Annotation,
        meaning: "An annotation (`MPI_Pcontrol` with `SMPI_INDEX_VEC`) does not fit the Waitany that follows it, or none follows",
        advice: "It must come before each Waitany, Waitsome, Testany or Testsome that it is for, with as many zeros and \
                 ones as that call has requests, null ones included. An annotation that does not fit is ignored.",
        example: r"
int matters[2] = {1, 0};
SMPI_ANNOTATE(2, matters);
MPI_Waitany(3, requests, &index, &status); /* Three requests. */
",
        not_yet: None,
    },
];
