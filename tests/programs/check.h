/*
 * What every conformance program shares: checks that count failures, and the
 * closing line that tells the driver how the run ended.
 *
 * A program calls check_begin(), uses the CHECK macros, and returns check_end().
 * A failed check prints a line `FAIL rank N file:line: what` and goes on. At the
 * end the failures of all ranks are added up; rank 0 prints `PASS <file>` if
 * there are none, and the exit code is 1 if there are any.
 *
 * Comments of the form smpi: WORD ... at the head of a program are directives
 * for the driver: `ranks N`, `args ...`, `expect-pass`, `expect-exit N`,
 * `expect-stderr-contains TEXT`, `compile-args ...`.
 */
#ifndef CHECK_H
#define CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_failures; /* on this rank */
static int check_rank;     /* of this process in MPI_COMM_WORLD */
static int check_size;     /* of MPI_COMM_WORLD */

/* The condition holds. */
#define CHECK(condition)                                                                         \
    do {                                                                                         \
        if (!(condition))                                                                        \
            check_fail(__FILE__, __LINE__, #condition);                                          \
    } while (0)

/* Both integers are equal; prints them if not. */
#define CHECK_INT(found, expected)                                                               \
    check_integers(__FILE__, __LINE__, #found, (long long)(found), (long long)(expected))

/* The MPI call returns MPI_SUCCESS. */
#define CHECK_OK(call) check_class(__FILE__, __LINE__, #call, (call), MPI_SUCCESS)

/* The MPI call returns an error code of the given class. */
#define CHECK_ERROR(call, expected_class)                                                        \
    check_class(__FILE__, __LINE__, #call, (call), (expected_class))

#define check_end() check_end_of(__FILE__)

static inline void check_fail(const char *file, int line, const char *what)
{
    check_failures++;
    printf("FAIL rank %d %s:%d: %s\n", check_rank, file, line, what);
    fflush(stdout);
}

static inline void check_integers(const char *file, int line, const char *what, long long found,
                                  long long expected)
{
    if (found == expected)
        return;
    check_failures++;
    printf("FAIL rank %d %s:%d: %s is %lld, expected %lld\n", check_rank, file, line, what, found,
           expected);
    fflush(stdout);
}

static inline void check_class(const char *file, int line, const char *what, int code,
                               int expected_class)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    int error_class = MPI_SUCCESS;

    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &error_class);
    if (error_class == expected_class)
        return;
    check_failures++;
    MPI_Error_string(code, text, &length);
    printf("FAIL rank %d %s:%d: %s gives class %d (%s), expected class %d\n", check_rank, file, line,
           what, error_class, text, expected_class);
    fflush(stdout);
}

static inline void check_begin(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &check_size);
}

/* Ends MPI and gives the exit code of main. Use it through the macro check_end(). */
static inline int check_end_of(const char *file)
{
    const char *name = strrchr(file, '/');
    int all = 0;

    MPI_Allreduce(&check_failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (check_rank == 0) {
        if (all == 0)
            printf("PASS %s\n", name ? name + 1 : file);
        else
            printf("FAIL %s: %d failed checks\n", name ? name + 1 : file, all);
        fflush(stdout);
    }
    MPI_Finalize();
    return all == 0 ? 0 : 1;
}

/* Makes MPI calls return their errors: those on the world, and those on no communicator at all. */
static inline void check_errors_return(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

/* A communicator of the first `count` ranks of the world; MPI_COMM_NULL on the others. Collective. */
static inline MPI_Comm check_first_ranks(int count)
{
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, check_rank < count ? 0 : MPI_UNDEFINED, check_rank, &comm);
    return comm;
}

/* Runs a test on communicators of the first 1, 2, ... all ranks of the world. Collective. */
static inline void check_each_size(void (*test)(MPI_Comm comm, int rank, int size))
{
    for (int size = 1; size <= check_size; size++) {
        MPI_Comm comm = check_first_ranks(size);
        if (comm == MPI_COMM_NULL)
            continue;
        test(comm, check_rank, size);
        MPI_Comm_free(&comm);
    }
}

#endif
