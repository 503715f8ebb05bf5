/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* Handles of every kind as those of Fortran and back (MPI 5.0 section 19.3.4): every_handle.c with the other functions.
 * (MPICH's library of the standard ABI does not have them.) */
#define TO(name) MPI_##name##_c2f
#define FROM(name) MPI_##name##_f2c

#include "every_handle.c"
