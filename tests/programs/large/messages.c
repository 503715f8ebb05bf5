/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Messages of more than 2^31 elements and bytes, and elements more than 2^31 bytes apart (MPI 5.0 sections 3.2 and 5.1). */
#include "large.h"

/* Neither end of the message is a multiple of the memory's period. */
static const MPI_Count size = BEYOND + 12345;

static void whole(char *memory)
{
    MPI_Status status;
    MPI_Count count = -1;
    MPI_Request request;
    int small = -1;
    unsigned char *last = (unsigned char *)memory + size - 1;

    for (int round = 0; round < 2; round++) {
        if (check_rank == 0) {
            *last = (unsigned char)(17 + round);
            if (round == 0)
                CHECK_OK(MPI_Send_c(memory, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD));
            else
                CHECK_OK(MPI_Isend_c(memory, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request));
            if (round == 1)
                CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
            continue;
        }
        *last = 0;
        if (round == 0) {
            CHECK_OK(MPI_Probe(0, 0, MPI_COMM_WORLD, &status));
            CHECK_OK(MPI_Get_count_c(&status, MPI_BYTE, &count));
            CHECK_INT(count, size);
            CHECK_OK(MPI_Recv_c(memory, size + 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &status));
        } else {
            CHECK_OK(MPI_Irecv_c(memory, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request));
            CHECK_OK(MPI_Wait(&request, &status));
        }
        CHECK_INT(*last, 17 + round);
        CHECK_OK(MPI_Get_count_c(&status, MPI_BYTE, &count));
        CHECK_INT(count, size);
        CHECK_OK(MPI_Get_count(&status, MPI_BYTE, &small));
        CHECK_INT(small, MPI_UNDEFINED);
        CHECK_OK(MPI_Get_elements_c(&status, MPI_BYTE, &count));
        CHECK_INT(count, size);
    }
}

/* Two numbers with 9 GB between them. */
static void far_apart(void)
{
    MPI_Count places[2] = {0, 9 * BEYOND / 2};
    MPI_Datatype far;
    char *memory = large_sparse(places[1] + 4);
    int *first = (int *)memory, *second = (int *)(memory + places[1]), found[2] = {-1, -1};

    CHECK_OK(MPI_Type_create_hindexed_block_c(2, 1, places, MPI_INT, &far));
    CHECK_OK(MPI_Type_commit(&far));
    *first = 10 + check_rank;
    *second = 20 + check_rank;
    CHECK_OK(MPI_Sendrecv_c(memory, 1, far, 1 - check_rank, 0, found, 2, MPI_INT, 1 - check_rank, 0, MPI_COMM_WORLD,
                            MPI_STATUS_IGNORE));
    CHECK(found[0] == 11 - check_rank && found[1] == 21 - check_rank);
    CHECK_OK(MPI_Sendrecv_replace_c(memory, 1, far, 1 - check_rank, 0, 1 - check_rank, 0, MPI_COMM_WORLD,
                                    MPI_STATUS_IGNORE));
    CHECK(*first == 11 - check_rank && *second == 21 - check_rank);
    MPI_Type_free(&far);
    large_unmap(memory, places[1] + 4);
}

int main(int argc, char **argv)
{
    char *memory;

    check_begin(&argc, &argv);
    memory = large_repeated(size + 1);
    whole(memory);
    far_apart();
    return check_end();
}
