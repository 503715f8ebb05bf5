/* Several processes explore, and each has its own files: names, and what is open at a choice. */
/* smpi: ranks 4 */
/* smpi: verify --jobs 2 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include "parts/choices.h"
#include "parts/texts.h"

static void work(int rank)
{
    char text[100], expected[100] = "";
    assert(!is_there("jobs.txt") && !is_there("jobs.d"));
    assert(mkdir("jobs.d", 0700) == 0);
    FILE *open = fopen("jobs.open", "w+");
    assert(open);
    for (int turn = 0; turn < 3; turn++) {
        int who = receive();
        sprintf(text, "%d\n", who);
        strcat(expected, text);
        put("jobs.txt", "a", text);
        assert(fputs(text, open) >= 0 && fflush(open) == 0);
        sprintf(text, "jobs.d/%d", who);
        assert(!is_there(text));
        put(text, "wx", "");
    }
    assert(contents("jobs.txt", text) && !strcmp(text, expected));
    assert(contents("jobs.open", text) && !strcmp(text, expected));
    fclose(open);
    (void)rank;
}

int main(int argc, char **argv)
{
    return choices(&argc, &argv, work);
}
