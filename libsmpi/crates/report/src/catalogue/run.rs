//! Entries about how a run ends, and about ends that depend on luck.

use super::Entry;
use crate::key::FindingKey::*;

/// In the order of [`crate::key::FindingKey::ALL`].
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        key: Deadlock,
        meaning: "Ranks wait for each other (or for a message that nobody will send), and nothing can go on",
        advice: "Read the cycle: each arrow is a call that waits for the next rank. Change the order of calls on one rank \
                 of the cycle, or start one of them without waiting (`MPI_Irecv`, `MPI_Sendrecv`).",
        example: r"
/* Both ranks receive first. */
MPI_Recv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
MPI_Send(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
",
        not_yet: None,
    },
    Entry {
        key: DeadlockBuffering,
        meaning: "A deadlock that happens only when standard-mode sends do not buffer, or collectives synchronise: it works \
                  until messages get larger",
        advice: "Do not rely on buffering: use `MPI_Sendrecv`, post the receive before the send, or let one side receive \
                 first. `MPI_Bsend` with a buffer of your own is correct, too.",
        example: r"
/* Both ranks send first. MPI_Send may wait for the receive. */
MPI_Send(out, n, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
MPI_Recv(in, n, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
",
        not_yet: None,
    },
    Entry {
        key: Assertion,
        meaning: "An assertion of the program (`assert`, `MC_assert`) is false in some execution",
        advice: "The choices listed with the finding are the ones that make it false. Either the assertion is too strict, \
                 or the program must not depend on them: name the source, or use different tags.",
        example: r"
MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
assert(status.MPI_SOURCE == 1); /* Rank 2 sends, too. */
",
        not_yet: None,
    },
    Entry {
        key: Crash,
        meaning: "A rank died of a signal: an invalid memory access, `abort`, a division by zero",
        advice: "The location is the instruction that failed. If it is an MPI call, an address that was passed is not valid \
                 memory, or the stack ended there. Replay it under a debugger: `smpirun --gdb --replay TOKEN …`.",
        example: r"
MPI_Recv(&n, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
table[n] = 1; /* Rank 2 sends a number that is too large. */
",
        not_yet: None,
    },
    Entry {
        key: ExitCode,
        meaning: "A rank ended with a code other than 0: `return`, `exit` or `MPI_Abort`",
        advice: "If that is how your program reports failure, the choices say what led there, and `printed` what the rank \
                 said last: arguments that the program refuses are a usual reason. If a code other than 0 is fine, let \
                 the program return 0 under `MC_is_active()`.",
        example: r"
MPI_Finalize();
return errors > 0;
",
        not_yet: None,
    },
    Entry {
        key: NonTermination,
        meaning: "The program comes back to a state it was in, or polls without end: this execution never ends",
        advice: "Look at the loop in the location: what it waits for must be able to happen. A rank that only takes longer \
                 than `--call-timeout` is no finding: then the exploration is not complete.",
        example: r"
while (!flag) /* Nobody sends this message. */
    MPI_Iprobe(0, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
",
        not_yet: None,
    },
    Entry {
        key: Livelock,
        meaning: "With `--stateful`: the program has come to where it can no longer end, whatever is chosen, although other \
                  executions of it end, or while its ranks poll for what cannot come",
        advice: "The last choice is the one after which it is too late; the page of `--report-html` shows the round that its \
                 ranks go for ever. Ask what was to end that round, and who has lost it. A server that is to run for ever \
                 must not be stopped by some clients only.",
        example: r"
MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
MPI_Recv(&y, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
while (x != 1) /* Rank 2's message may have come first. */
    MPI_Sendrecv(&x, 1, MPI_INT, 0, 1, &y, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
",
        not_yet: None,
    },
    Entry {
        key: Liveness,
        meaning: "With `--ltl` or `--automaton`: an execution that never ends, or that comes to its end, does not do what the \
                  property demands",
        advice: "The choices lead to the round that is gone for ever; what is true or false all the time in it says what \
                 is missing. If a rank only has to be given its turn, leave out `--unfair`. MPI lets a server take the \
                 same client's messages for ever: let it queue requests, or add `--fair-messages`.",
        example: r#"
/* --ltl 'G (asked -> F answered)' */
static int asked, answered;
MC_proposition("asked", &asked);
MC_proposition("answered", &answered);
asked = 1;
MPI_Barrier(MPI_COMM_WORLD); /* And nobody answers. */
"#,
        not_yet: None,
    },
    Entry {
        key: RaceMessage,
        meaning: "Which message a wildcard takes changes the result: the output or the outcome differs between executions",
        advice: "Name the source, use different tags, or make the result independent of the order (collect by \
                 `status.MPI_SOURCE`). If different results are all right, this finding is one to live with; \
                 `--determinism send` tells whether messages differ, too.",
        example: r"
for (int i = 1; i < size; i++) {
    MPI_Recv(&x, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum = sum * 0.5 + x; /* Depends on the order of the messages. */
}
",
        not_yet: None,
    },
    Entry {
        key: DeterminismSend,
        meaning: "With `--determinism`: a rank's sends (receivers, tags, lengths) are not the same in all executions",
        advice: "If the ranks only have to send the same (for message logging, say), name the source where the choices \
                 say, or send the same whatever comes first. Both schedules are in the token.",
        example: r"
MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
MPI_Send(&x, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD); /* To whoever was first. */
",
        not_yet: None,
    },
    Entry {
        key: DeterminismCommunication,
        meaning: "With `--determinism communication`: a rank's receives take other messages in some execution",
        advice: "Name the source of the receive, or use different tags. If only the sends have to be the same, ask for \
                 `--determinism send`.",
        example: r"
/* Ranks 1 and 2 send: which message is the first differs, whatever becomes of it. */
MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
MPI_Recv(&y, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
",
        not_yet: None,
    },
    Entry {
        key: RaceBuffer,
        meaning: "A buffer was changed, read, freed, or given to another operation, while MPI still used it",
        advice: "Leave send buffers alone and receive buffers unread until the request is complete, and do not give the \
                 same memory to two operations. `smpicc --verify` names the line of the access.",
        example: r"
MPI_Isend(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
x = 2; /* Rank 1 may get 2. */
MPI_Wait(&request, MPI_STATUS_IGNORE);
",
        not_yet: None,
    },
    Entry {
        key: RaceWindow,
        meaning: "Two accesses to the same bytes of a window, of which one writes, are not ordered",
        advice: "Let the first one end its epoch or flush before the second one begins, and let the second rank hear of \
                 it: by a fence, a lock, post and start, a message or a barrier. Accumulating operations of one type and \
                 one operation need no order, nor do atomic loads of C (`smpicc --verify` sees loads).",
        example: r"
/* In one epoch of MPI_Win_fence, on both ranks. */
MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
",
        not_yet: None,
    },
    Entry {
        key: RaceFile,
        meaning: "Two ranks access the same bytes of a file, one of them writes, and nothing orders that",
        advice: "Let the second rank hear of the first one when that is through: by a barrier or a message. For files, MPI \
                 asks for more: `MPI_File_sync` before and after it. With `MPI_File_set_atomicity` either order is right.",
        example: r"
/* On both ranks. */
MPI_File_write_at(file, 0, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
",
        not_yet: None,
    },
    Entry {
        key: MemoryOverrun,
        meaning: "The elements of a buffer reach beyond the end of the variable, or of the block of the heap, in which it lies",
        advice: "Compare count and datatype with what was declared or allocated. The root of a gather needs room for the \
                 elements of all ranks. A verification knows variables of functions where the program was compiled with \
                 `-g` and without optimisation, or with `smpicc --verify -g`.",
        example: r"
static int all; /* Room for one rank. */
MPI_Gather(&x, 1, MPI_INT, &all, 1, MPI_INT, 0, MPI_COMM_WORLD);
",
        not_yet: None,
    },
    Entry {
        key: MemoryFreed,
        meaning: "A buffer lies in memory of the rank that belongs to nothing: it was freed, was a variable of a function that \
                  has returned, or never was anything's",
        advice: "Free memory only after the last call that uses it has returned, or its request is complete. Displacements \
                 that have overflowed lead to such places, too.",
        example: r"
free(data);
MPI_Bcast(data, 4, MPI_INT, 0, MPI_COMM_WORLD);
",
        not_yet: None,
    },
    Entry {
        key: MemoryType,
        meaning: "The datatype of a buffer does not describe what its variable was declared to be: never more than a warning",
        advice: "Give the datatype that describes the variable, member by member. Integers of one size are the same, with \
                 sign or without; complex numbers are two real ones; `MPI_BYTE` and `MPI_CHAR` describe everything, and \
                 arrays of characters hold everything. Needs `-g`.",
        example: r"
float value = 1;
MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
",
        not_yet: None,
    },
    Entry {
        key: MemoryUninitialised,
        meaning: "Memory that was never written is sent, and what the program prints, returns or does depends \
                  on it; or it is reduced",
        advice: "Write to memory before it is sent, or take it from `calloc`; send only elements that are there. Found by \
                 executing a schedule again with other fresh memory; variables of functions only after `smpicc --verify` \
                 with gcc. Elements that nobody looks at may be sent.",
        example: r"
int *numbers = malloc(10 * sizeof(int));
for (int i = 0; i < 9; i++)
    numbers[i] = i;
/* Then all ranks print the numbers. */
MPI_Bcast(numbers, 10, MPI_INT, 0, MPI_COMM_WORLD);
",
        not_yet: None,
    },
];
