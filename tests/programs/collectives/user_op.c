/* smpi: ranks 8 */
/* smpi: expect-pass */
/* A user operation gets the datatype of the call, derived types included (MPI 5.0 section 6.9.5). */
#include "../check.h"

struct sample {
    double largest;
    int count;
};

static MPI_Datatype sample_type;
static int wrong_type;

static void merge(void *in, void *inout, int *length, MPI_Datatype *type)
{
    struct sample *a = in, *b = inout;
    wrong_type += *type != sample_type;
    for (int i = 0; i < *length; i++) {
        if (a[i].largest > b[i].largest)
            b[i].largest = a[i].largest;
        b[i].count += a[i].count;
    }
}

int main(int argc, char **argv)
{
    struct sample mine[5], result[5];
    int lengths[2] = {1, 1}, commutes = 0;
    MPI_Aint places[2] = {0, sizeof(double)};
    MPI_Datatype members[2] = {MPI_DOUBLE, MPI_INT}, plain;
    MPI_Op op;

    check_begin(&argc, &argv);
    MPI_Type_create_struct(2, lengths, places, members, &plain);
    MPI_Type_create_resized(plain, 0, sizeof(struct sample), &sample_type);
    MPI_Type_commit(&sample_type);
    MPI_Op_create(merge, 1, &op);
    MPI_Op_commutative(op, &commutes);
    CHECK_INT(commutes, 1);
    for (int i = 0; i < 5; i++) {
        mine[i].largest = (check_rank * 5 + i * 3) % 11;
        mine[i].count = i + 1;
    }
    MPI_Allreduce(mine, result, 5, sample_type, op, MPI_COMM_WORLD);
    for (int i = 0; i < 5; i++) {
        double largest = 0;
        for (int rank = 0; rank < check_size; rank++)
            if ((rank * 5 + i * 3) % 11 > largest)
                largest = (rank * 5 + i * 3) % 11;
        CHECK(result[i].largest == largest);
        CHECK_INT(result[i].count, check_size * (i + 1));
    }
    CHECK_INT(wrong_type, 0);
    MPI_Op_free(&op);
    MPI_Type_free(&sample_type);
    MPI_Type_free(&plain);
    return check_end();
}
