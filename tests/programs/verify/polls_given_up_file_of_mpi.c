/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
/* smpi: expect-executions zero=20 infinite=20 */
/* The same, but rank 0 gives up after five polls for the message. */
#define MOST 5
#include "polls_uncounted_file_of_mpi.c"
