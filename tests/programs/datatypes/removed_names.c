/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* Old programs use names of MPI-1 that MPI 3.0 removed (MPI 5.0 chapter 18); mpi.h has them all the same. */
#include "../check.h"

struct particle {
    double place[3];
    int charge;
    char kind;
};

static int handled;

static void count_errors(MPI_Comm *comm, int *code, ...)
{
    handled++;
    (void)comm;
    (void)code;
}

static MPI_Datatype particle_type(void)
{
    struct particle one;
    int lengths[4] = {3, 1, 1, 1};
    MPI_Aint base, places[4];
    MPI_Datatype types[4] = {MPI_DOUBLE, MPI_INT, MPI_CHAR, MPI_UB}, type;

    MPI_Address(&one, &base);
    MPI_Address(&one.place, &places[0]);
    MPI_Address(&one.charge, &places[1]);
    MPI_Address(&one.kind, &places[2]);
    for (int i = 0; i < 3; i++)
        places[i] -= base;
    places[3] = sizeof(struct particle);
    CHECK_OK(MPI_Type_struct(4, lengths, places, types, &type));
    MPI_Type_commit(&type);
    return type;
}

static void check_bounds(void)
{
    int lengths[3] = {1, 4, 1}, pair[2] = {1, 2};
    MPI_Aint places[3] = {-3, 0, 6}, wide[2] = {4, 16}, lb, ub, extent;
    MPI_Datatype types[3] = {MPI_LB, MPI_BYTE, MPI_UB}, marked, vector, indexed, plain;

    MPI_Type_struct(3, lengths, places, types, &marked);
    MPI_Type_lb(marked, &lb);
    MPI_Type_ub(marked, &ub);
    MPI_Type_extent(marked, &extent);
    CHECK_INT(lb, -3);
    CHECK_INT(ub, 6);
    CHECK_INT(extent, 9);
    MPI_Type_hvector(3, 1, 12, MPI_INT, &vector);
    MPI_Type_extent(vector, &extent);
    CHECK_INT(extent, 28);
    MPI_Type_hindexed(2, pair, wide, MPI_INT, &indexed);
    MPI_Type_lb(indexed, &lb);
    MPI_Type_ub(indexed, &ub);
    CHECK_INT(lb, 4);
    CHECK_INT(ub, 24);
    MPI_Errhandler_set(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK_INT(MPI_Type_ub(indexed, NULL), MPI_ERR_ARG);
    MPI_Errhandler_set(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Type_struct(1, lengths, wide, &types[1], &plain);
    MPI_Type_lb(plain, &lb);
    CHECK_INT(lb, 4);
    MPI_Type_free(&marked);
    MPI_Type_free(&vector);
    MPI_Type_free(&indexed);
    MPI_Type_free(&plain);
}

int main(int argc, char **argv)
{
    struct particle many[5] = {{{0}, 0, 0}};
    MPI_Datatype type;
    MPI_Errhandler handler, found;

    check_begin(&argc, &argv);
    type = particle_type();
    if (check_rank == 0) {
        for (int i = 0; i < 5; i++)
            many[i] = (struct particle){{i, i + 0.5, i + 0.25}, -i, (char)('a' + i)};
        MPI_Send(many, 5, type, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(many, 5, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 5; i++)
        CHECK(many[i].place[2] == i + 0.25 && many[i].charge == -i && many[i].kind == 'a' + i);
    MPI_Type_free(&type);
    check_bounds();
    MPI_Errhandler_create(count_errors, &handler);
    MPI_Errhandler_set(MPI_COMM_WORLD, handler);
    MPI_Errhandler_get(MPI_COMM_WORLD, &found);
    CHECK(found == handler);
    MPI_Send(many, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    CHECK_INT(handled, 1);
    MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler);
    MPI_Errhandler_free(&found);
    return check_end();
}
