/* smpi: ranks 1 */
/* smpi: expect-pass */
/*
 * Attributes are copied in the order in which they were set and deleted in the opposite one, whatever went between; one
 * that is set again counts from then (MPI 5.0 §7.7.2, §11.4.2 for the order of deletion).
 * MPICH deviates: it copies in the opposite order, and MPICH 5 crashes.
 */
#include "../check.h"

#define KEYS 100

static int keys[KEYS], called[2 * KEYS], calls;

static int copy_one(MPI_Comm comm, int keyval, void *state, void *value, void *copied, int *flag)
{
    (void)comm, (void)keyval, (void)state;
    called[calls++] = *(int *)value;
    *(void **)copied = value;
    *flag = *(int *)value % 10 != 9;
    return MPI_SUCCESS;
}

static int delete_one(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm, (void)keyval, (void)state;
    called[calls++] = *(int *)value;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    static int numbers[KEYS];
    int flag, expected;
    void *value;
    MPI_Comm one, other;

    check_begin(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_SELF, &one);
    for (int i = 0; i < KEYS; i++) {
        numbers[i] = i;
        MPI_Comm_create_keyval(copy_one, delete_one, &keys[i], NULL);
        MPI_Comm_set_attr(one, keys[i], &numbers[i]);
    }
    /* Those that end with 3 go, that with 5 comes last. */
    for (int i = 3; i < KEYS; i += 10)
        MPI_Comm_delete_attr(one, keys[i]);
    MPI_Comm_set_attr(one, keys[5], &numbers[5]);
    CHECK(calls == 11 && called[0] == 3 && called[9] == 93 && called[10] == 5);
    calls = 0;
    MPI_Comm_dup(one, &other);
    expected = 0;
    for (int i = 0; i < KEYS; i++)
        if (i % 10 != 3 && i != 5)
            CHECK(called[expected++] == i);
    CHECK(called[expected++] == 5 && calls == expected);
    for (int i = 0; i < KEYS; i++) {
        MPI_Comm_get_attr(other, keys[i], &value, &flag);
        CHECK(flag == (i % 10 != 3 && i % 10 != 9));
        CHECK(!flag || value == &numbers[i]);
    }
    calls = expected = 0;
    MPI_Comm_free(&other);
    CHECK(called[expected++] == 5);
    for (int i = KEYS - 1; i >= 0; i--)
        if (i % 10 != 3 && i % 10 != 9 && i != 5)
            CHECK(called[expected++] == i);
    CHECK(calls == expected);
    MPI_Comm_free(&one);
    for (int i = 0; i < KEYS; i++)
        MPI_Comm_free_keyval(&keys[i]);
    return check_end();
}
