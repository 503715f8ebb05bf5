/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Hundreds of error classes, codes and texts: each has its own number, text and class; MPI_LASTUSEDCODE follows; all are
 * removed again, texts before their codes and codes before their classes, and can be added anew (MPI 5.0 section 9.5). MPICH
 * 5.0.2 deviates: it has room for 128 classes only. */
#include "../check.h"

enum { CLASSES = 200, CODES = 1000 };

static int classes[CLASSES], codes[CODES];

static int last_used(void)
{
    int *last, found;

    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &found);
    CHECK(found);
    return *last;
}

static void add(void)
{
    char text[40];

    for (int i = 0; i < CLASSES; i++) {
        CHECK_OK(MPI_Add_error_class(&classes[i]));
        CHECK(classes[i] > MPI_ERR_LASTCODE && last_used() >= classes[i]);
    }
    for (int i = 0; i < CODES; i++) {
        CHECK_OK(MPI_Add_error_code(classes[i % CLASSES], &codes[i]));
        snprintf(text, sizeof text, "error %d", i);
        CHECK_OK(MPI_Add_error_string(codes[i], text));
    }
}

static void judge(void)
{
    char text[MPI_MAX_ERROR_STRING], expected[40];
    int class, length;

    for (int i = 0; i < CODES; i++) {
        CHECK_OK(MPI_Error_class(codes[i], &class));
        CHECK_INT(class, classes[i % CLASSES]);
        CHECK_OK(MPI_Error_string(codes[i], text, &length));
        snprintf(expected, sizeof expected, "error %d", i);
        CHECK(strcmp(text, expected) == 0 && length == (int)strlen(expected));
        for (int k = 0; k < i; k++)
            if (codes[k] == codes[i])
                CHECK_INT(k, i);
    }
    for (int i = 1; i < CLASSES; i++)
        CHECK(classes[i] != classes[i - 1]);
}

static void take_away(void)
{
    for (int i = 0; i < CLASSES; i++)
        CHECK(MPI_Remove_error_class(classes[i]) != MPI_SUCCESS);
    for (int i = 0; i < CODES; i++) {
        CHECK(MPI_Remove_error_code(codes[i]) != MPI_SUCCESS);
        CHECK_OK(MPI_Remove_error_string(codes[i]));
        CHECK_OK(MPI_Remove_error_code(codes[i]));
        CHECK(MPI_Remove_error_code(codes[i]) != MPI_SUCCESS);
    }
    for (int i = 0; i < CLASSES; i++) {
        CHECK_OK(MPI_Remove_error_class(classes[i]));
        CHECK(MPI_Remove_error_class(classes[i]) != MPI_SUCCESS);
    }
}

int main(int argc, char **argv)
{
    int before;

    check_begin(&argc, &argv);
    check_errors_return();
    before = last_used();
    for (int round = 0; round < 2; round++) {
        add();
        judge();
        take_away();
        CHECK(last_used() >= before);
    }
    /* A class stays what it is when others go: its number does not pass to another one while it is there. */
    CHECK_OK(MPI_Add_error_class(&classes[0]));
    CHECK_OK(MPI_Add_error_class(&classes[1]));
    CHECK_OK(MPI_Remove_error_class(classes[0]));
    CHECK_OK(MPI_Add_error_class(&classes[2]));
    CHECK(classes[2] != classes[1]);
    return check_end();
}
