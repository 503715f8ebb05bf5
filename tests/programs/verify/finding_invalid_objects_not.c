/* Unusual uses of objects that are right. */
/* smpi: ranks 2 */
/* smpi: passes mpi/invalid/datatype mpi/invalid/op mpi/invalid/group mpi/invalid/info mpi/invalid/errhandler */
/* smpi: passes mpi/invalid/topology mpi/invalid/dimensions mpi/invalid/keyval mpi/invalid/argument */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <mpi.h>
#include <stddef.h>

static void multiply(void *in, void *inout, int *count, MPI_Datatype *type) {
    (void)type;
    for (int i = 0; i < *count; i++)
        ((double *)inout)[i] *= ((double *)in)[i];
}

static void report(MPI_Comm *comm, int *code, ...) {
    (void)comm, (void)code;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size, flag;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    /* A type made of one that is freed; derived types in reductions with an operation of the program; committed twice. */
    MPI_Datatype inner, outer;
    MPI_Type_contiguous(1, MPI_DOUBLE, &inner);
    MPI_Type_contiguous(1, inner, &outer);
    MPI_Type_free(&inner);
    MPI_Type_commit(&outer);
    MPI_Type_commit(&outer);
    MPI_Op op;
    MPI_Op_create(multiply, 1, &op);
    double x = 2, y;
    MPI_Allreduce(&x, &y, 1, outer, op, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    MPI_Type_free(&outer);
    /* The empty group is a group. */
    MPI_Group group = MPI_GROUP_EMPTY;
    MPI_Group_size(group, &size);
    /* An info without keys, and a key that is not there. */
    MPI_Info info;
    char value[8];
    MPI_Info_create(&info);
    MPI_Info_get(info, "absent", 7, value, &flag);
    MPI_Info_free(&info);
    /* A handler that is freed while it is in use. */
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(report, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    /* Dimensions that are given; a grid that leaves a rank out; neighbours beyond its border. */
    int dims[2] = {1, 0}, periods[2] = {0, 0}, left, right;
    MPI_Dims_create(2, 2, dims);
    dims[1] = 1;
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    if (grid != MPI_COMM_NULL) {
        MPI_Cart_shift(grid, 0, 1, &left, &right);
        MPI_Comm_free(&grid);
    }
    /* A key that is freed while an attribute has it. */
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &key);
    MPI_Comm_free_keyval(&key);
    /* Arrays in the order of Fortran. */
    int sizes[2] = {4, 4}, parts[2] = {2, 2}, starts[2] = {0, 0};
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_INT, &inner);
    MPI_Type_free(&inner);
    MPI_Finalize();
    return 0;
}
