/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* lists_and_ranges.c with the functions that take MPI_Count (MPI 5.0 section 4.2). MPICH 5.0.2 does not have them. */
#include <mpi.h>

#define MPI_Psend_init MPI_Psend_init_c
#define MPI_Precv_init MPI_Precv_init_c

#include "lists_and_ranges.c"
