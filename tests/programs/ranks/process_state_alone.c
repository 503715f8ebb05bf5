/* smpi: direct */
/* smpi: requires smpi */
/* smpi: compile-args -Wl,--no-as-needed -lm */
/* smpi: expect-pass */
/* The rows of the table in a process that hosts no ranks: what libc itself does. */
#include "process_state.c"
