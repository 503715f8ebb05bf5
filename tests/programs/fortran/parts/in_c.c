/* The C half of mixed_languages.f90: takes Fortran's handles, looks at its attributes, and makes attributes of its own. */
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

static int values[4];

/* The copy is the address one element further on. */
static int copy_next(MPI_Comm comm, int key, void *state, void *in, void *out, int *flag) {
    (void)comm, (void)key, (void)state;
    *(void **)out = (int *)in + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

void c_half(MPI_Fint *comm_f, int *fortran_key, int *c_key, MPI_Fint *op_f, MPI_Fint *status_f, intptr_t *found) {
    MPI_Comm comm = MPI_Comm_f2c(*comm_f), copy;
    MPI_Op op = MPI_Op_f2c(*op_f);
    MPI_Status status;
    MPI_Aint *number;
    int flag, rank, mine, sum;
    MPI_Comm_get_attr(comm, *fortran_key, &number, &flag);
    found[0] = flag ? *number : 0;
    MPI_Status_f2c(status_f, &status);
    found[1] = status.MPI_SOURCE;
    found[2] = status.MPI_TAG;
    MPI_Comm_rank(comm, &rank);
    mine = 10 * (rank + 1);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, op, comm);
    found[3] = sum;
    MPI_Comm_dup(comm, &copy);
    MPI_Comm_get_attr(copy, *fortran_key, &number, &flag);
    found[4] = flag ? *number : 0;
    MPI_Comm_free(&copy);
    MPI_Comm_create_keyval(copy_next, MPI_COMM_NULL_DELETE_FN, c_key, NULL);
    MPI_Comm_set_attr(comm, *c_key, values);
    found[5] = (intptr_t)values;
    *comm_f = MPI_Comm_c2f(comm);
}
