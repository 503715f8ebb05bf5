/* smpi: ranks 4 */
/* smpi: expect-pass */
/* Sessions without MPI_Init, one after the other and several at once: process sets, groups, communicators, and
 * communication on these (MPI 5.0 §11.3). */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static int failures, rank = -1;

#define CHECK(condition)                                                        \
    do {                                                                        \
        if (!(condition)) {                                                     \
            printf("FAIL rank %d line %d: %s\n", rank, __LINE__, #condition);   \
            failures++;                                                         \
        }                                                                       \
    } while (0)

static MPI_Comm comm_of(MPI_Session session, const char *set, const char *tag)
{
    MPI_Group group;
    MPI_Comm comm;

    CHECK(MPI_Group_from_session_pset(session, set, &group) == MPI_SUCCESS);
    CHECK(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) == MPI_SUCCESS);
    MPI_Group_free(&group);
    return comm;
}

static void sets(MPI_Session session)
{
    int count = 0, worlds = 0, selves = 0;

    MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count);
    CHECK(count >= 2);
    for (int i = 0; i < count; i++) {
        char name[MPI_MAX_PSET_NAME_LEN], size[16];
        int room = 0, flag, length = sizeof size;
        MPI_Info info;
        MPI_Group group;

        CHECK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &room, NULL) == MPI_SUCCESS);
        CHECK(room > 1);
        CHECK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &room, name) == MPI_SUCCESS);
        CHECK((int)strlen(name) + 1 == room);
        CHECK(MPI_Session_get_pset_info(session, name, &info) == MPI_SUCCESS);
        MPI_Info_get_string(info, "mpi_size", &length, size, &flag);
        CHECK(flag);
        MPI_Info_free(&info);
        CHECK(MPI_Group_from_session_pset(session, name, &group) == MPI_SUCCESS);
        int members;
        MPI_Group_size(group, &members);
        sscanf(size, "%d", &length);
        CHECK(length == members);
        worlds += strcasecmp(name, "mpi://WORLD") == 0 && members == 4;
        selves += strcasecmp(name, "mpi://SELF") == 0 && members == 1;
        MPI_Group_free(&group);
    }
    CHECK(worlds == 1 && selves == 1);
}

static void talk(MPI_Comm comm)
{
    int size, sum = 0;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    CHECK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
    CHECK(sum == size * (size - 1) / 2);
    int next = (rank + 1) % size, before = (rank + size - 1) % size, got = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, next, 0, &got, 1, MPI_INT, before, 0, comm, MPI_STATUS_IGNORE);
    CHECK(got == before);
}

/* The even and the odd ranks on both sides of an intercommunicator. */
static void two_sides(MPI_Session session)
{
    MPI_Group world, even, odd;
    MPI_Comm between;
    int here, remote, sum = 0;

    MPI_Group_from_session_pset(session, "mpi://world", &world);
    MPI_Group_rank(world, &here);
    MPI_Group_range_incl(world, 1, (int[][3]){ { 0, 3, 2 } }, &even);
    MPI_Group_range_incl(world, 1, (int[][3]){ { 1, 3, 2 } }, &odd);
    CHECK(MPI_Intercomm_create_from_groups(here % 2 ? odd : even, 0, here % 2 ? even : odd, 0, "sides", MPI_INFO_NULL,
                                           MPI_ERRORS_RETURN, &between) == MPI_SUCCESS);
    MPI_Comm_remote_size(between, &remote);
    CHECK(remote == 2);
    MPI_Allreduce(&here, &sum, 1, MPI_INT, MPI_SUM, between);
    CHECK(sum == (here % 2 ? 0 + 2 : 1 + 3));
    MPI_Comm_free(&between);
    MPI_Group_free(&world);
    MPI_Group_free(&even);
    MPI_Group_free(&odd);
}

int main(void)
{
    int flag = -1;

    for (int round = 0; round < 3; round++) {
        MPI_Session first, second;
        MPI_Info wish, used;
        char level[64];

        MPI_Info_create(&wish);
        MPI_Info_set(wish, "thread_level", "MPI_THREAD_SERIALIZED");
        CHECK(MPI_Session_init(wish, MPI_ERRORS_RETURN, &first) == MPI_SUCCESS);
        MPI_Info_free(&wish);
        CHECK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &second) == MPI_SUCCESS);
        CHECK(first != second);
        CHECK(MPI_Session_get_info(first, &used) == MPI_SUCCESS);
        int length = sizeof level;
        MPI_Info_get_string(used, "thread_level", &length, level, &flag);
        CHECK(flag && strncmp(level, "MPI_THREAD_", 11) == 0);
        MPI_Info_free(&used);
        MPI_Initialized(&flag);
        CHECK(!flag);
        sets(first);
        MPI_Comm one = comm_of(first, "mpi://WORLD", "one"), other = comm_of(second, "mpi://WORLD", "other");
        talk(one);
        talk(other);
        MPI_Comm own = comm_of(first, "mpi://SELF", "own");
        MPI_Comm_rank(one, &rank);
        int all;
        MPI_Comm_size(own, &all);
        CHECK(all == 1);
        MPI_Comm_free(&own);
        MPI_Comm_free(&one);
        two_sides(first);
        CHECK(MPI_Session_finalize(&first) == MPI_SUCCESS);
        CHECK(first == MPI_SESSION_NULL);
        talk(other);
        int total = 0;
        MPI_Reduce(&failures, &total, 1, MPI_INT, MPI_SUM, 0, other);
        if (round == 2 && rank == 0 && total == 0)
            printf("PASS again.c\n");
        MPI_Comm_free(&other);
        CHECK(MPI_Session_finalize(&second) == MPI_SUCCESS);
    }
    return failures > 0;
}
