/* smpi: ranks 2 */
/* smpi: verify --buffering both --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=3 infinite=3 */
/* A send that MPI_Request_get_status has called complete is not cancelled any more (MPI 5.0 section 3.8.4: cancelled is what is
 * pending). It is complete; or not yet, and then it is cancelled or delivered. */
#include "parts/cancel_shown.h"
