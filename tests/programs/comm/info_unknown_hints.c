/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* Hints that nobody knows are kept, too, as they were given: the standard lets an implementation ignore them, so other
 * libraries may have dropped them. The longest keys and values fit, and a rank may set hints that others do not. */
#include "../check.h"

static char long_key[MPI_MAX_INFO_KEY];   /* 255 characters */
static char long_value[MPI_MAX_INFO_VAL]; /* 1023 characters */

/* The communicator has this hint, with this value. */
static void expect(MPI_Comm comm, const char *key, const char *value)
{
    static char found[MPI_MAX_INFO_VAL];
    MPI_Info info;
    int length = sizeof found, flag;

    CHECK_OK(MPI_Comm_get_info(comm, &info));
    MPI_Info_get_string(info, key, &length, found, &flag);
    CHECK(flag && strcmp(found, value) == 0);
    MPI_Info_free(&info);
}

static int hints_of(MPI_Comm comm)
{
    MPI_Info info;
    int number;

    CHECK_OK(MPI_Comm_get_info(comm, &info));
    MPI_Info_get_nkeys(info, &number);
    MPI_Info_free(&info);
    return number;
}

int main(int argc, char **argv)
{
    MPI_Comm comm, other;
    MPI_Group group;
    MPI_Info info, used, stale = MPI_INFO_NULL;
    char key[MPI_MAX_INFO_KEY];

    check_begin(&argc, &argv);
    check_errors_return();
    memset(long_key, 'k', sizeof long_key - 1);
    memset(long_value, 'v', sizeof long_value - 1);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    CHECK_INT(hints_of(comm), 0);
    CHECK_INT(hints_of(MPI_COMM_WORLD), 0);

    MPI_Info_create(&info);
    MPI_Info_set(info, "colour", "green");
    MPI_Info_set(info, long_key, long_value);
    MPI_Info_set(info, "empty", "");
    CHECK_OK(MPI_Comm_set_info(comm, info));
    expect(comm, "colour", "green");
    expect(comm, long_key, long_value);
    expect(comm, "empty", "");
    CHECK_INT(hints_of(comm), 3);

    /* Nothing given changes nothing. */
    CHECK_OK(MPI_Comm_set_info(comm, MPI_INFO_NULL));
    CHECK_INT(hints_of(comm), 3);

    /* A copy was taken: what happens to the object afterwards does not matter. */
    MPI_Info_set(info, "colour", "blue");
    expect(comm, "colour", "green");
    MPI_Comm_dup_with_info(comm, info, &other);
    MPI_Info_free(&info);
    expect(other, "colour", "blue");
    expect(comm, "colour", "green");
    CHECK_INT(hints_of(other), 3);
    MPI_Comm_free(&other);

    /* An update: replaced in place, the others kept, new ones behind. */
    MPI_Info_create(&info);
    MPI_Info_set(info, check_rank == 0 ? "first" : "second", "mine");
    MPI_Info_set(info, "colour", "red");
    CHECK_OK(MPI_Comm_set_info(comm, info));
    CHECK_INT(hints_of(comm), 4);
    expect(comm, "colour", "red");
    expect(comm, check_rank == 0 ? "first" : "second", "mine");
    MPI_Comm_get_info(comm, &used);
    MPI_Info_get_nthkey(used, 0, key);
    CHECK(strcmp(key, "colour") == 0);
    MPI_Info_get_nthkey(used, 1, key);
    CHECK(strcmp(key, long_key) == 0);
    MPI_Info_free(&used);
    CHECK_INT(hints_of(MPI_COMM_WORLD), 0);

    /* Communicators that are made with hints, and those that are made without. */
    MPI_Comm_group(comm, &group);
    MPI_Comm_create_from_group(group, "hints", info, MPI_ERRORS_RETURN, &other);
    CHECK_INT(hints_of(other), 2);
    expect(other, "colour", "red");
    MPI_Comm_free(&other);
    MPI_Comm_create(comm, group, &other);
    CHECK_INT(hints_of(other), 0);
    MPI_Comm_free(&other);
    MPI_Group_free(&group);
    MPI_Comm_split(comm, 0, 0, &other);
    CHECK_INT(hints_of(other), 0);
    MPI_Comm_free(&other);

    /* Objects that are none are refused, and nothing has changed. */
    stale = info;
    MPI_Info_free(&info);
    CHECK_ERROR(MPI_Comm_set_info(comm, stale), MPI_ERR_INFO);
    CHECK_ERROR(MPI_Comm_dup_with_info(comm, stale, &other), MPI_ERR_INFO);
    CHECK_ERROR(MPI_Comm_set_info(MPI_COMM_NULL, MPI_INFO_NULL), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Comm_get_info(MPI_COMM_NULL, &used), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Comm_get_info(comm, NULL), MPI_ERR_ARG);
    CHECK_INT(hints_of(comm), 4);
    MPI_Comm_free(&comm);
    return check_end();
}
