/* smpi: ranks 2 */
/* smpi: verify --buffering each --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions 3 */
/* smpi: reductions none=47 */
/* The same where the send is buffered after all, or not. */
#include "parts/cancel_shown.h"
