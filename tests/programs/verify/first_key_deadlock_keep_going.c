/* As first_key_deadlock.c, with all findings. */
/* smpi: ranks 3 */
/* smpi: verify --keep-going */
/* smpi: expect-finding deadlock */
/* smpi: expect-finding assertion */
#include "parts/first_key_deadlock.h"
