/* smpi: ranks 2 */
/* smpi: args one -two --three=3 */
/* smpi: expect-pass */
/* Every rank sees the program's arguments, before and after MPI_Init. */
#include "../check.h"

static int count_wrong(int argc, char **argv)
{
    static const char *const expected[] = {"one", "-two", "--three=3"};
    int wrong = argc != 4;
    for (int i = 0; i < 3 && i + 1 < argc; i++)
        wrong += strcmp(argv[i + 1], expected[i]) != 0;
    return wrong + (argv[argc] != NULL);
}

int main(int argc, char **argv)
{
    int before = count_wrong(argc, argv);
    check_begin(&argc, &argv);
    CHECK_INT(before, 0);
    CHECK_INT(count_wrong(argc, argv), 0);
    return check_end();
}
