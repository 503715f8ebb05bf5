/* smpi: ranks 1 */
/* smpi: expect-pass */
/* Keys of an info object keep their order and numbers while others come, are set again and go (MPI 5.0 §10). */
#include "../check.h"
#define KEYS 300

int main(int argc, char **argv)
{
    static int order[KEYS + 1];
    int number, flag, len, count = 0;
    char key[MPI_MAX_INFO_KEY], value[32], expected[32];
    MPI_Info info, copy;

    check_begin(&argc, &argv);
    MPI_Info_create(&info);
    for (int i = 0; i < KEYS; i++) {
        snprintf(key, sizeof key, "key %d", i);
        MPI_Info_set(info, key, "old");
        order[count++] = i;
    }
    /* Every key that is no multiple of 7 goes, from both ends to the middle; some come again, at the end. */
    for (int i = 0; i < KEYS; i++) {
        int which = i % 2 ? KEYS - 1 - i / 2 : i / 2;
        snprintf(key, sizeof key, "key %d", which);
        if (which % 7 == 0) {
            MPI_Info_set(info, key, "new");
            continue;
        }
        MPI_Info_delete(info, key);
        int at = 0;
        while (order[at] != which)
            at++;
        memmove(&order[at], &order[at + 1], sizeof *order * (size_t)(count - at - 1));
        count--;
        if (which % 5 == 0) {
            MPI_Info_set(info, key, "again");
            order[count++] = which;
        }
        MPI_Info_get_nkeys(info, &number);
        CHECK(number == count);
        MPI_Info_get_nthkey(info, count / 2, key);
        snprintf(expected, sizeof expected, "key %d", order[count / 2]);
        CHECK(strcmp(key, expected) == 0);
    }
    MPI_Info_dup(info, &copy);
    MPI_Info_free(&info);
    for (int n = 0; n < count; n++) {
        MPI_Info_get_nthkey(copy, n, key);
        snprintf(expected, sizeof expected, "key %d", order[n]);
        CHECK(strcmp(key, expected) == 0);
        len = sizeof value;
        MPI_Info_get_string(copy, key, &len, value, &flag);
        CHECK(flag && strcmp(value, order[n] % 7 == 0 ? "new" : "again") == 0);
    }
    MPI_Info_free(&copy);
    return check_end();
}
