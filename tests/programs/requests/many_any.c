/* smpi: ranks 2 */
/* smpi: expect-pass */
/*
 * Each of many requests is returned once, at the index that it has then, whatever the program does with the array
 * between the calls (MPI 5.0 section 3.7.5): it posts another receive in the place of one that is over, moves requests,
 * takes them away, or names fewer.
 */
#include "../check.h"

#define MANY 200
#define MESSAGES (3 * MANY)

static MPI_Request requests[MANY];
static int values[MANY], tags[MANY], seen[MESSAGES], posted, received;

static void post(int index)
{
    tags[index] = posted++;
    MPI_Irecv(&values[index], 1, MPI_INT, 1, tags[index], MPI_COMM_WORLD, &requests[index]);
}

/* The request at an index is over: its buffer and tag moved with it. */
static void over(int index, const int *buffer)
{
    CHECK(index >= 0 && index < MANY && requests[index] == MPI_REQUEST_NULL);
    CHECK_INT(*buffer, 7 * tags[index]);
    CHECK_INT(seen[tags[index]]++, 0);
    received++;
}

/* Each place has one more message in the end. */
static void by_waitany(void)
{
    int index;

    while (posted < 2 * MANY) {
        MPI_Waitany(MANY, requests, &index, MPI_STATUS_IGNORE);
        over(index, &values[index]);
        post(index);
    }
    while (received < posted) {
        MPI_Waitany(MANY, requests, &index, MPI_STATUS_IGNORE);
        over(index, &values[index]);
    }
    MPI_Waitany(MANY, requests, &index, MPI_STATUS_IGNORE);
    CHECK_INT(index, MPI_UNDEFINED);
}

/* One is taken away, and two others change their places; the last ones are left out for a while. */
static void by_testany(void)
{
    int index, flag = 0, places[MANY], first = posted;
    MPI_Request apart;

    for (int i = 0; i < MANY; i++) {
        post(i);
        places[i] = i;
    }
    apart = requests[50];
    requests[50] = requests[51];
    requests[51] = MPI_REQUEST_NULL;
    places[50] = 51;
    tags[50] = first + 51;
    for (int left = MANY - 1; left > 0;) {
        int count = left > MANY / 2 ? MANY : MANY / 2;
        MPI_Testany(count, requests, &index, &flag, MPI_STATUS_IGNORE);
        if (flag && index == MPI_UNDEFINED) {
            for (int i = 0; i < MANY / 2; i++) {
                requests[i] = requests[i + MANY / 2];
                requests[i + MANY / 2] = MPI_REQUEST_NULL;
                places[i] = places[i + MANY / 2];
                tags[i] = tags[i + MANY / 2];
            }
        } else if (flag) {
            over(index, &values[places[index]]);
            left--;
        }
    }
    MPI_Testany(MANY, requests, &index, &flag, MPI_STATUS_IGNORE);
    CHECK(flag && index == MPI_UNDEFINED);
    MPI_Wait(&apart, MPI_STATUS_IGNORE);
    CHECK_INT(values[50], 7 * (first + 50));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    if (check_rank == 1)
        for (int phase = 0; phase < 3; phase++)
            for (int i = MANY - 1; i >= 0; i--) {
                int tag = phase * MANY + i, value = 7 * tag;
                MPI_Send(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
            }
    if (check_rank == 0) {
        for (int i = 0; i < MANY; i++)
            post(i);
        by_waitany();
        by_testany();
    }
    return check_end();
}
