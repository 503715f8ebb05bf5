//! Entries about requests and objects that a program made and left.

use super::Entry;
use crate::key::FindingKey::*;

/// In the order of [`crate::key::FindingKey::ALL`].
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        key: RequestNeverStarted,
        meaning: "A persistent request was made, and neither started nor freed: legal, so never more than a warning",
        advice: "The communication that it describes did not happen: start it with `MPI_Start`, free it with \
                 `MPI_Request_free`, or do not make it.",
        example: r"
MPI_Send_init(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
MPI_Finalize();
",
        not_yet: None,
    },
    Entry {
        key: RequestNeverCompleted,
        meaning: "A nonblocking operation was started and never completed by Wait, Test or their kin",
        advice: "Wait for it: until then its buffer belongs to MPI, and nobody knows whether it took place. The location \
                 is the call that started it.",
        example: r"
MPI_Irecv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
MPI_Finalize(); /* x may or may not be there. */
",
        not_yet: None,
    },
    Entry {
        key: LeakRequest,
        meaning: "A request is never freed: a persistent one at the end of the program, or a handle that was overwritten",
        advice: "Free persistent requests with `MPI_Request_free`. In a loop, wait for each request before its variable \
                 is used again, or keep them in an array.",
        example: r"
MPI_Recv_init(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
MPI_Start(&request);
MPI_Wait(&request, MPI_STATUS_IGNORE); /* Inactive now, but not freed. */
MPI_Finalize();
",
        not_yet: None,
    },
    Entry {
        key: LeakCommunicator,
        meaning: "A communicator is never freed",
        advice: "Free it with `MPI_Comm_free` or `MPI_Comm_disconnect`. In a loop, leaks like this end large runs: the \
                 number of communicators is limited everywhere.",
        example: r"
MPI_Comm_dup(MPI_COMM_WORLD, &copy);
MPI_Finalize();
",
        not_yet: None,
    },
    Entry {
        key: LeakGroup,
        meaning: "A group is never freed",
        advice: "Free it with `MPI_Group_free`, also those of `MPI_Comm_group`, as soon as the communicator is made.",
        example: r"
MPI_Comm_group(MPI_COMM_WORLD, &world);
MPI_Finalize();
",
        not_yet: None,
    },
    Entry {
        key: LeakDatatype,
        meaning: "A derived datatype is never freed",
        advice: "Free it with `MPI_Type_free`; datatypes made from it stay valid, so intermediate ones can go at once.",
        example: r"
MPI_Type_contiguous(3, MPI_DOUBLE, &point);
MPI_Type_commit(&point);
MPI_Finalize();
",
        not_yet: None,
    },
    Entry {
        key: LeakOp,
        meaning: "A reduction operation made by the program is never freed",
        advice: "Free it with `MPI_Op_free` after its last use.",
        example: r"
MPI_Op_create(multiply, 1, &op);
MPI_Finalize();
",
        not_yet: None,
    },
    Entry {
        key: LeakWindow,
        meaning: "A window is never freed",
        advice: "Free it with `MPI_Win_free` on all its ranks, before its memory and before `MPI_Finalize`.",
        example: r"
MPI_Win_create(table, size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
MPI_Finalize();
",
        not_yet: None,
    },
    Entry {
        key: LeakErrhandler,
        meaning: "An error handler is never freed",
        advice: "Free it with `MPI_Errhandler_free` right after it is attached; the object keeps it as long as needed.",
        example: r"
MPI_Comm_create_errhandler(report, &handler);
MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
MPI_Finalize();
",
        not_yet: None,
    },
    Entry {
        key: LeakFile,
        meaning: "A file is never closed",
        advice: "Close it with `MPI_File_close` on all its ranks: data may be missing from the file otherwise.",
        example: r#"
MPI_File_open(MPI_COMM_WORLD, "out", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
MPI_Finalize();
"#,
        not_yet: None,
    },
    Entry {
        key: LeakInfo,
        meaning: "An info object is never freed",
        advice: "Free it with `MPI_Info_free` as soon as it was passed: calls take a copy.",
        example: r"
MPI_Info_create(&info);
MPI_Finalize();
",
        not_yet: None,
    },
    Entry {
        key: LeakSession,
        meaning: "A session is never finalized",
        advice: "Call `MPI_Session_finalize` after the communicators, groups and other objects are freed that come from it.",
        example: r"
MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
MPI_Finalize();
",
        not_yet: None,
    },
];
