/*
 * One collective operation in its six forms: blocking, nonblocking and persistent, each with int and with MPI_Count
 * arguments. What a form leaves in the buffers is the same in all of them.
 */
#ifndef FORMS_H
#define FORMS_H

#include "check.h"

enum form { BLOCKING, NONBLOCKING, PERSISTENT, BLOCKING_C, NONBLOCKING_C, PERSISTENT_C, FORMS };

static const char *const form_names[FORMS] = {"blocking",          "nonblocking",            "persistent",
                                              "blocking, large counts", "nonblocking, large counts",
                                              "persistent, large counts"};

/* The communicator is the last argument of all of them. */
static MPI_Comm forms_comm;

/* A persistent operation is started twice: it can be. */
static inline void form_twice(MPI_Request *request)
{
    for (int round = 0; round < 2; round++) {
        CHECK_OK(MPI_Start(request));
        CHECK_OK(MPI_Wait(request, MPI_STATUS_IGNORE));
    }
    CHECK_OK(MPI_Request_free(request));
    CHECK(*request == MPI_REQUEST_NULL);
}

static inline void form_once(MPI_Request *request)
{
    CHECK_OK(MPI_Wait(request, MPI_STATUS_IGNORE));
    CHECK(*request == MPI_REQUEST_NULL);
}

#define FORM_ARGUMENTS(...) __VA_ARGS__

/* Defines `void do_name(enum form)`. `arguments` are those of the int forms, `large` those of the others, both in
 * parentheses and without the communicator. */
#define EVERY_FORM(name, nonblocking, arguments, large)                                                          \
    static void do_##name(enum form form)                                                                        \
    {                                                                                                            \
        MPI_Request request = MPI_REQUEST_NULL;                                                                  \
        switch (form) {                                                                                          \
        case BLOCKING:                                                                                           \
            CHECK_OK(MPI_##name(FORM_ARGUMENTS arguments, forms_comm));                                          \
            break;                                                                                               \
        case NONBLOCKING:                                                                                        \
            CHECK_OK(MPI_##nonblocking(FORM_ARGUMENTS arguments, forms_comm, &request));                         \
            form_once(&request);                                                                                 \
            break;                                                                                               \
        case PERSISTENT:                                                                                         \
            CHECK_OK(MPI_##name##_init(FORM_ARGUMENTS arguments, forms_comm, MPI_INFO_NULL, &request));          \
            form_twice(&request);                                                                                \
            break;                                                                                               \
        case BLOCKING_C:                                                                                         \
            CHECK_OK(MPI_##name##_c(FORM_ARGUMENTS large, forms_comm));                                          \
            break;                                                                                               \
        case NONBLOCKING_C:                                                                                      \
            CHECK_OK(MPI_##nonblocking##_c(FORM_ARGUMENTS large, forms_comm, &request));                         \
            form_once(&request);                                                                                 \
            break;                                                                                               \
        default:                                                                                                 \
            CHECK_OK(MPI_##name##_init_c(FORM_ARGUMENTS large, forms_comm, MPI_INFO_NULL, &request));            \
            form_twice(&request);                                                                                \
            break;                                                                                               \
        }                                                                                                        \
    }

/* An operation with its name, what prepares the buffers, and what they must hold afterwards. */
struct operation {
    const char *name;
    void (*run)(enum form form);
    int (*expected)(int index); /* element of `in` */
};

#define OPERATION(name, expected) {#name, do_##name, expected}

#endif
