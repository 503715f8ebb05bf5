/* Each rank registers one node, and finds as many as there are in the library: under mpirun its own. */
#include <mpi.h>
#include <stdio.h>

struct node {
    struct node *next;
    int value;
};

void registry_add(struct node *node);
int registry_sum(void);

static struct node mine;

int main(int argc, char **argv)
{
    int sum, all, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mine.value = 1;
    registry_add(&mine);
    MPI_Barrier(MPI_COMM_WORLD);
    sum = registry_sum();
    MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum %d\n", all);
    MPI_Finalize();
    return all != 2;
}
