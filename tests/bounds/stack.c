/* Variables of functions: those lines say "beyond" where the elements reach beyond the end of one. */
#include <alloca.h>
#include <mpi.h>
#include <stddef.h>
#include <string.h>

static int rank;
static char sink[1 << 16];

/* Rank 0 sends, and rank 1 has room. */
#define SEND(buffer, count, type)                                                              \
    (rank == 0 ? MPI_Send(buffer, count, type, 1, 0, MPI_COMM_WORLD)                           \
               : MPI_Recv(sink, sizeof sink, MPI_PACKED, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE))
/* Rank 0 asks for more than the four bytes that it gets. */
#define RECV(buffer, count, type)                                                                      \
    (rank == 0 ? MPI_Recv(buffer, count, type, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)                \
               : MPI_Send(sink, 4, MPI_PACKED, 0, 0, MPI_COMM_WORLD))

struct pair {
    double first;
    int second;
};

static void plain(void) {
    int one = 1, numbers[10] = {0};
    double matrix[3][4] = {{0}};
    struct pair pairs[3] = {{0}};
    char odd[13] = {0};
    SEND(&one, 1, MPI_INT);
    SEND(&one, 2, MPI_INT); /* beyond */
    SEND(&one, 5, MPI_BYTE); /* beyond */
    SEND(numbers, 10, MPI_INT);
    SEND(numbers, 11, MPI_INT); /* beyond */
    SEND(numbers + 4, 6, MPI_INT);
    SEND(numbers + 4, 7, MPI_INT); /* beyond */
    SEND(numbers, 0, MPI_INT);
    SEND(matrix[1], 8, MPI_DOUBLE);
    SEND(matrix[1], 9, MPI_DOUBLE); /* beyond */
    SEND(&pairs[2].second, 4, MPI_BYTE);
    SEND(&pairs[2], sizeof(struct pair), MPI_BYTE);
    SEND(&pairs[2], sizeof(struct pair) + 1, MPI_BYTE); /* beyond */
    SEND(odd, 13, MPI_CHAR);
    SEND(odd, 14, MPI_CHAR); /* beyond */
    RECV(numbers, 10, MPI_INT);
    RECV(numbers, 11, MPI_INT); /* beyond */
}

/* A function that gets a pointer: the variable is its caller's. */
static void pass(int *values, int count) {
    SEND(values, count, MPI_INT); /* beyond, the second time */
}

static void passed(void) {
    int three[3] = {0};
    pass(three, 3);
    pass(three, 4);
}

static void argument(struct pair by_value, int number) {
    SEND(&number, 1, MPI_INT);
    SEND(&number, 2, MPI_INT); /* beyond */
    SEND(&by_value, (int)sizeof by_value, MPI_BYTE);
}

/* Blocks whose variables may have the same place. */
static void blocks(int way) {
    if (way == 0) {
        int many[40] = {0};
        SEND(many, 40, MPI_INT);
        SEND(many, 41, MPI_INT); /* beyond */
    } else {
        double few[30] = {0};
        SEND(few, 30, MPI_DOUBLE);
        SEND(few, 31, MPI_DOUBLE); /* beyond */
    }
    {
        char bytes[100] = {0};
        SEND(bytes, 100, MPI_CHAR);
        SEND(bytes, 101, MPI_CHAR); /* beyond */
    }
    {
        short halves[60] = {0};
        SEND(halves, 60, MPI_SHORT);
        {
            int inner[20] = {0};
            SEND(inner, 20, MPI_INT);
            SEND(inner, 21, MPI_INT); /* beyond */
            SEND(halves, 61, MPI_SHORT); /* beyond */
        }
    }
}

static void lengths_of_their_own(int n) {
    int vla[n], after = 0;
    char *room = (char *)alloca(n * 8);
    memset(vla, 0, n * sizeof(int));
    memset(room, 0, n * 8);
    SEND(vla, n, MPI_INT);
    SEND(vla + 1, n - 1, MPI_INT);
    SEND(room, n * 8, MPI_CHAR);
    SEND(room + 3, n * 8 - 3, MPI_CHAR);
    SEND(&after, 1, MPI_INT);
    SEND(&after, 2, MPI_INT); /* beyond */
#ifndef __cplusplus
    SEND(((int[]){1, 2, 3}), 3, MPI_INT);
#endif
}

/* One type over several variables, by addresses; neighbours count as one then. */
static void by_addresses(void) {
    int first = 1, second = 2, third = 3, list[4] = {0};
    MPI_Aint places[3];
    int lengths[3] = {1, 1, 1}, many[3] = {1, 1, 5};
    MPI_Datatype all;
    MPI_Get_address(&first, &places[0]);
    MPI_Get_address(&second, &places[1]);
    MPI_Get_address(&third, &places[2]);
    MPI_Type_create_hindexed(3, lengths, places, MPI_INT, &all);
    MPI_Type_commit(&all);
    SEND(MPI_BOTTOM, 1, all);
    MPI_Type_free(&all);
    MPI_Get_address(sink, &places[1]);
    MPI_Get_address(list, &places[2]);
    MPI_Type_create_hindexed(3, many, places, MPI_INT, &all);
    MPI_Type_commit(&all);
    SEND(MPI_BOTTOM, 1, all); /* beyond */
    MPI_Type_free(&all);
    MPI_Type_vector(2, 1, 3, MPI_INT, &all);
    MPI_Type_commit(&all);
    SEND(list, 1, all);
    MPI_Type_free(&all);
    MPI_Type_vector(2, 2, 3, MPI_INT, &all);
    MPI_Type_commit(&all);
    SEND(list, 1, all); /* beyond */
    MPI_Type_free(&all);
}

static void deep(int depth, int *outer) {
    int own[4] = {0};
    if (depth > 0) {
        deep(depth - 1, depth == 5 ? own : outer);
        return;
    }
    SEND(outer, 4, MPI_INT);
    SEND(outer, 5, MPI_INT); /* beyond */
    SEND(own + 1, 3, MPI_INT);
}

static void collectives(void) {
    int own = rank, all[2] = {0}, room = 0;
    union {
        int numbers[2];
        double one;
    } both = {{0}};
    MPI_Gather(&own, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Gather(&own, 1, MPI_INT, &room, 1, MPI_INT, 0, MPI_COMM_WORLD); /* beyond */
    MPI_Allgather(&own, 1, MPI_INT, both.numbers, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Bcast(all, 2, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(both.numbers, 3, MPI_INT, 0, MPI_COMM_WORLD); /* beyond */
}

int main(int argc, char **argv) {
    struct pair pair = {1.0, 2};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    plain();
    passed();
    argument(pair, 3);
    blocks(0);
    blocks(1);
    lengths_of_their_own(20);
    by_addresses();
    deep(5, NULL);
    collectives();
    MPI_Finalize();
    return 0;
}
