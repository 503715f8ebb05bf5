/* States that differ in what ranks have written to files are not one: the file says who came first. */
/* smpi: ranks 3 */
/* smpi: verify --stateful */
/* smpi: expect-finding assertion */
#include "parts/choices.h"
#include "parts/texts.h"

static void work(int rank)
{
    char text[100];
    put("stateful_first.txt", "w", receive() == 1 ? "1" : "2");
    receive();
    MPI_Barrier(MPI_COMM_SELF);
    assert(contents("stateful_first.txt", text) && text[0] == '1');
    (void)rank;
}

int main(int argc, char **argv)
{
    return choices(&argc, &argv, work);
}
