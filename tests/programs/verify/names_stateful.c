/* States that differ in what ranks have written to files are not one: the file says who came first, and after two of
 * three messages nothing else does. The first order in which rank 3 comes last is another one. */
/* smpi: ranks 4 */
/* smpi: verify --stateful */
/* smpi: expect-finding assertion */
#include "parts/choices.h"
#include "parts/texts.h"

static void work(int rank)
{
    char text[100];
    put("stateful_first.txt", "w", receive() == 2 ? "2" : "other");
    receive();
    int last = receive();
    assert(contents("stateful_first.txt", text) && (text[0] != '2' || last != 3));
    (void)rank;
}

int main(int argc, char **argv)
{
    return choices(&argc, &argv, work);
}
