/* smpi: ranks 2 */
/* smpi: library ../ranks/parts/registry.c */
/* smpi: plain-library */
/* smpi: verify --privatize libpart.so */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* With --privatize each rank has the library, and its list, for itself. */
#include "../ranks/parts/registering.h"
