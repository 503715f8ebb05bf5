/*
 * One rank sets as many attributes of a communicator as the argument says, with a key each, asks for each, duplicates
 * the communicator, which copies them, and frees both, which deletes them. Half of them it deletes itself.
 */
#include <mpi.h>
#include <stdlib.h>

static long deleted;

static int delete_one(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm, (void)keyval, (void)value, (void)state;
    deleted++;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int attributes = argc > 1 ? atoi(argv[1]) : 1000, *keys = malloc(sizeof *keys * (size_t)attributes), flag;
    void *value;
    MPI_Comm one, other;

    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_SELF, &one);
    for (int i = 0; i < attributes; i++) {
        MPI_Comm_create_keyval(MPI_COMM_DUP_FN, delete_one, &keys[i], NULL);
        MPI_Comm_set_attr(one, keys[i], &keys[i]);
    }
    for (int i = 0; i < attributes; i++)
        MPI_Comm_get_attr(one, keys[i], &value, &flag);
    MPI_Comm_dup(one, &other);
    for (int i = 0; i < attributes; i += 2)
        MPI_Comm_delete_attr(one, keys[i]);
    MPI_Comm_free(&one);
    MPI_Comm_free(&other);
    for (int i = 0; i < attributes; i++)
        MPI_Comm_free_keyval(&keys[i]);
    MPI_Finalize();
    return deleted == 2L * attributes ? 0 : 1;
}
