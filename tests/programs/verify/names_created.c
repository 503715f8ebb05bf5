/* Files that are made, written and closed are put back, too: each execution finds none of them at its start, and at a
 * choice what was there then. What is written depends on the choices. */
/* smpi: ranks 3 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
#include "parts/choices.h"
#include "parts/texts.h"

static void work(int rank)
{
    char text[100];
    assert(!is_there("created_first.txt") && !is_there("created_second.txt"));
    put("created_first.txt", "w", "start\n");
    int first = receive();
    assert(contents("created_first.txt", text) && !strcmp(text, "start\n"));
    assert(!is_there("created_second.txt"));
    sprintf(text, "first %d\n", first);
    put("created_first.txt", "a", text);
    put(first == 1 ? "created_by_1.txt" : "created_by_2.txt", "w", text);
    assert(is_there("created_by_1.txt") == (first == 1) && is_there("created_by_2.txt") == (first == 2));
    put("created_second.txt", "w", "one\n");
    int second = receive();
    assert(second == 3 - first);
    put("created_second.txt", "w", "another\n");
    assert(contents("created_second.txt", text) && !strcmp(text, "another\n"));
    assert(contents("created_first.txt", text) && !strcmp(text, first == 1 ? "start\nfirst 1\n" : "start\nfirst 2\n"));
    /* They stay: the next execution must find none of them. */
    (void)rank;
}

int main(int argc, char **argv)
{
    return choices(&argc, &argv, work);
}
