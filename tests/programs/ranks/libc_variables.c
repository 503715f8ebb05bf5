/* smpi: ranks 2 */
/* smpi: std gnu11 */
/* smpi: compile-args -Wl,--no-as-needed -lm */
/* smpi: expect-pass */
/* Variables that libc writes or reads and that the program has a copy of: both see one object, as with the dynamic
   linker, and each rank has its own. */
#define _GNU_SOURCE
#include <error.h>
#include <math.h>
#include <regex.h>
#include <time.h>
#include "../check.h"

static int called;

static void print_own_name(void)
{
    called = 1;
}

int main(int argc, char **argv)
{
    volatile double x = -0.5;
    FILE *file;
    char line[4096] = "";

    check_begin(&argc, &argv);
    if (check_rank == 0) {
        CHECK(signgam == 0);
        (void)lgamma(x);
        CHECK_INT(signgam, -1);
        stderr = fopen("/dev/null", "w");
        error_print_progname = print_own_name;
        error(0, 0, "a message to nobody");
        CHECK_INT(called, 1);
        CHECK_INT(error_message_count, 1);
        setenv("DATEMSK", "/nowhere/at/all", 1);
        CHECK(getdate("x") == NULL);
        CHECK(getdate_err == 2 || getdate_err == 3);
        re_set_syntax(RE_SYNTAX_AWK);
        CHECK(re_syntax_options == RE_SYNTAX_AWK);
        setenv("TZ", "XYZ5", 1);
        tzset();
        CHECK(strcmp(tzname[0], "XYZ") == 0 && timezone == 5 * 3600);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 1) {
        CHECK_INT(signgam, 0);
        CHECK_INT(error_message_count, 0);
        CHECK(error_print_progname == NULL);
        CHECK(getdate_err == 0 && re_syntax_options == 0);
        /* The name that the rank was started with is the one that messages of libc begin with. */
        file = tmpfile();
        stderr = file;
        error(0, 0, "told");
        rewind(file);
        CHECK(fgets(line, sizeof line, file) && strstr(line, "libc_variables") && strstr(line, ": told"));
    }
    return check_end();
}
