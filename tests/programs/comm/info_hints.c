/* smpi: ranks 4 */
/* smpi: expect-pass */
/* Hints that the standard defines (assertions about a communicator's use, MPI 5.0 sections 7.4.2 and 7.4.4) are
 * returned by MPI_Comm_get_info, and belong to one communicator: setting adds and replaces single hints, duplication
 * passes on only what it is given.
 * Whether a hint that was never set is returned with its default or not at all is the implementation's choice. */
#include "../check.h"

static const char *const assertions[] = {"mpi_assert_no_any_tag", "mpi_assert_no_any_source",
                                         "mpi_assert_exact_length", "mpi_assert_allow_overtaking"};

/* An info object with one hint. */
static MPI_Info one_hint(const char *key, const char *value)
{
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    return info;
}

static void set_one(MPI_Comm comm, const char *key, const char *value)
{
    MPI_Info info = one_hint(key, value);

    CHECK_OK(MPI_Comm_set_info(comm, info));
    MPI_Info_free(&info);
}

/* Whether the communicator's own word is that this assertion holds. */
static int asserted(MPI_Comm comm, const char *key)
{
    MPI_Info info = MPI_INFO_NULL;
    char value[MPI_MAX_INFO_VAL] = "";
    int length = sizeof value, found;

    CHECK_OK(MPI_Comm_get_info(comm, &info));
    CHECK(info != MPI_INFO_NULL);
    MPI_Info_get_string(info, key, &length, value, &found);
    MPI_Info_free(&info);
    CHECK(!found || strcmp(value, "true") == 0 || strcmp(value, "false") == 0);
    return found && strcmp(value, "true") == 0;
}

int main(int argc, char **argv)
{
    MPI_Comm first, second, other;
    MPI_Info info, used;
    MPI_Request request;
    int index, given, number;

    check_begin(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    for (index = 0; index < 4; index++)
        CHECK(!asserted(first, assertions[index]));

    /* One after the other: an update leaves the other hints alone. */
    for (index = 0; index < 4; index++) {
        set_one(first, assertions[index], "true");
        for (given = 0; given < 4; given++)
            CHECK_INT(asserted(first, assertions[given]), given <= index);
    }
    set_one(first, assertions[1], "false");
    CHECK(asserted(first, assertions[0]) && !asserted(first, assertions[1]) && asserted(first, assertions[2]));
    for (index = 0; index < 4; index++)
        CHECK(!asserted(second, assertions[index]) && !asserted(MPI_COMM_WORLD, assertions[index]));

    /* Nothing given changes nothing. */
    MPI_Info_create(&info);
    CHECK_OK(MPI_Comm_set_info(first, info));
    MPI_Info_free(&info);
    CHECK(asserted(first, assertions[0]) && !asserted(first, assertions[1]));

    /* What is returned is the program's own: changing it is not setting hints. */
    MPI_Comm_get_info(first, &used);
    MPI_Info_set(used, assertions[1], "true");
    MPI_Info_delete(used, assertions[0]);
    MPI_Info_get_nkeys(used, &number);
    CHECK(number >= 3);
    CHECK(asserted(first, assertions[0]) && !asserted(first, assertions[1]));
    /* It is what could be given to another communicator. */
    CHECK_OK(MPI_Comm_set_info(second, used));
    MPI_Info_free(&used);
    for (index = 0; index < 4; index++)
        CHECK_INT(asserted(second, assertions[index]), index > 0);

    /* Duplication with hints: these, and none of the original's. */
    info = one_hint(assertions[1], "true");
    MPI_Comm_dup_with_info(first, info, &other);
    for (index = 0; index < 4; index++)
        CHECK_INT(asserted(other, assertions[index]), index == 1);
    MPI_Comm_free(&other);
    MPI_Comm_idup_with_info(first, info, &other, &request);
    MPI_Info_set(info, assertions[1], "false");
    MPI_Info_free(&info);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (index = 0; index < 4; index++)
        CHECK_INT(asserted(other, assertions[index]), index == 1);
    MPI_Comm_free(&other);

    /* Duplication without: none (since MPI 4.0). */
    MPI_Comm_dup(first, &other);
    for (index = 0; index < 4; index++)
        CHECK(!asserted(other, assertions[index]));
    MPI_Comm_free(&other);
    MPI_Comm_idup(first, &other, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (index = 0; index < 4; index++)
        CHECK(!asserted(other, assertions[index]));
    set_one(other, assertions[3], "true");
    CHECK(asserted(other, assertions[3]));
    MPI_Comm_free(&other);

    /* Nor does a part have hints of the whole. */
    MPI_Comm_split(first, check_rank % 2, 0, &other);
    CHECK(!asserted(other, assertions[0]));
    MPI_Comm_free(&other);

    /* The predefined ones can have hints as well. */
    set_one(MPI_COMM_SELF, assertions[2], "true");
    CHECK(asserted(MPI_COMM_SELF, assertions[2]) && !asserted(MPI_COMM_WORLD, assertions[2]));
    set_one(MPI_COMM_SELF, assertions[2], "false");
    MPI_Comm_free(&first);
    MPI_Comm_free(&second);
    return check_end();
}
