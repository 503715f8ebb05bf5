#define _GNU_SOURCE
/* Files whose names nobody has: the same names in each execution, and other ones for other ranks. */
/* smpi: ranks 3 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
#include "parts/choices.h"
#include "parts/texts.h"
#include <sys/mman.h>

static void work(int rank)
{
    char one[] = "temporary.XXXXXX", two[] = "temporary.XXXXXX.txt", directory[] = "temporary.d.XXXXXX", text[100];
    int file = mkstemp(one), other = mkstemps(two, 4);
    assert(file >= 0 && other >= 0 && is_there(one) && is_there(two) && strcmp(one, two));
    assert(mkdtemp(directory) && is_there(directory));
    assert(unlink(two) == 0 && write(other, "kept", 4) == 4);
    FILE *nameless = tmpfile();
    assert(nameless && fputs("nameless", nameless) >= 0 && fflush(nameless) == 0);
    int shared = shm_open("/smpi_names_temporary", O_CREAT | O_EXCL | O_RDWR, 0600);
    assert(shared >= 0 && write(shared, "shared", 6) == 6);
    int first = receive();
    assert(pread(other, text, 99, 0) == 4 && !memcmp(text, "kept", 4));
    assert(pread(shared, text, 99, 0) == 6 && pread(fileno(nameless), text, 99, 0) == 8);
    assert(contents(one, text) && !strcmp(text, ""));
    sprintf(text, "by %d", first);
    assert(write(file, text, 4) == 4 && write(other, text, 4) == 4 && write(shared, text, 4) == 4);
    assert(fputs(text, nameless) >= 0 && fclose(nameless) == 0 && close(file) == 0);
    receive();
    assert(contents(one, text) && text[3] == '0' + first);
    assert(shm_unlink("/smpi_names_temporary") == 0);
    (void)rank;
}

int main(int argc, char **argv)
{
    return choices(&argc, &argv, work);
}
