/* States that have the same files are one, whichever way led there: what both orders write in the end is the same. */
/* smpi: ranks 3 */
/* smpi: verify --stateful --buffering infinite */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions 1 */
#include "parts/choices.h"
#include "parts/texts.h"

static void work(int rank)
{
    char text[100] = "";
    for (int i = 0; i < 2; i++)
        text[receive()] = 'x';
    memset(text, 0, sizeof text);
    put("stateful_same.txt", "w", "both\n");
    MPI_Barrier(MPI_COMM_SELF);
    assert(contents("stateful_same.txt", text) && !strcmp(text, "both\n"));
    (void)rank;
}

int main(int argc, char **argv)
{
    return choices(&argc, &argv, work);
}
