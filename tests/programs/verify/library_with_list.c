/* smpi: ranks 2 */
/* smpi: library ../ranks/parts/registry.c */
/* smpi: plain-library */
/* smpi: smpirun-args --verify */
/* smpi: requires smpi */
/* smpi: expect-exit 2 */
/* smpi: expect-stderr-contains libpart.so, a library that all ranks share: with --privatize libpart.so */
/* A library that was not built for us has a list with nodes of two ranks: what the ranks compute with it tells nothing
   about the program, so there is no verdict, and the message says what to do. */
#include "../ranks/parts/registering.h"
