/* Small files. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_there(const char *name)
{
    struct stat about;
    int found = stat(name, &about) == 0;
    assert(found == (access(name, F_OK) == 0));
    return found;
}

static void put(const char *name, const char *mode, const char *text)
{
    FILE *file = fopen(name, mode);
    assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* Whether there is such a file of less than 100 bytes, and what is in it. */
static int contents(const char *name, char text[100])
{
    int file = open(name, O_RDONLY);
    if (file < 0)
        return 0;
    ssize_t len = read(file, text, 99);
    assert(len >= 0 && close(file) == 0);
    text[len] = 0;
    return 1;
}
