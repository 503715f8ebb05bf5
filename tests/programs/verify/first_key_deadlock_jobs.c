/* As first_key_deadlock.c, explored by two processes. */
/* smpi: ranks 3 */
/* smpi: verify --jobs 2 */
/* smpi: expect-finding deadlock */
/* smpi: expect-finding assertion */
#include "parts/first_key_deadlock.h"
