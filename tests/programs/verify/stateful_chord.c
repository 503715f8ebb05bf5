/* A ring of nodes that others join, for ever, in the manner of Chord (Stoica et al. 2001), as "SimGrid MC" verified it
 * (listing 4.5): each node asks its successor who comes before it, takes that one for its successor if it lies between,
 * and tells its successor that it is there. While a node waits for an answer it serves others, who come from anywhere.
 * Answers have a tag of their own; paper_chord.c has the bug that is there without it. */
/* smpi: ranks 3 */
/* smpi: compile-args -O1 */
/* smpi: timeout 120 */
/* smpi: verify --stateful --buffering infinite */
/* smpi: passes assertion deadlock */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include "parts/chord.h"
