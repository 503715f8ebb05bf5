/* Two lamps that are switched on and off for ever: while one is on, the other rank may take its step. */
/* smpi: ranks 2 */
/* smpi: verify --ltl=G(lamp0->X(!lamp0)) */
/* smpi: expect-finding liveness */
/* smpi: expect-stderr-contains each choice is one step */
#include "parts/lamps.h"
