/* A lamp that is switched on and off for ever, by one rank alone: a formula that counts steps. */
/* smpi: ranks 1 */
/* smpi: verify --ltl=G(lamp->X(!lamp&X(lamp)))&!lamp&X(lamp) */
/* smpi: passes liveness */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-stderr-contains holds in every fair execution; each */
#include "parts/lamps.h"
