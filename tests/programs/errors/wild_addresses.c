/* smpi: ranks 2 */
/* smpi: expect-pass */
/* smpi: requires smpi */
/* Every address that is given to MPI is the caller's own memory, or the call says that it is not: of buffers (also of the
 * block of another rank that an overflow has moved), of places for results, of arrays and of texts. Other MPIs crash. */
#include "../check.h"

#include <stdint.h>

static void *const wild = (void *)0x7e0000001000;
static void *const odd = (void *)(intptr_t)-4096;
static const char constant[64] = "what nobody writes to";

static void buffers(int other)
{
    int x[4] = {0}, counts[2] = {1, 1}, far[2] = {0, INT32_MIN}, near[2] = {0, 1};
    MPI_Request request;
    MPI_Datatype pair;
    MPI_Aint places[2] = {(MPI_Aint)&x[0], (MPI_Aint)wild};

    CHECK_ERROR(MPI_Send(wild, 4, MPI_INT, other, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Send(odd, 4, MPI_INT, other, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Isend(wild, 4, MPI_INT, other, 0, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Send_init(wild, 4, MPI_INT, other, 0, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Recv(wild, 4, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Recv((void *)constant, 64, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Irecv(wild, 4, MPI_INT, other, 0, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Sendrecv(x, 1, MPI_INT, other, 0, wild, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Psend_init(wild, 2, 2, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Bcast(wild, 4, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Allreduce(x, wild, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Iallreduce(wild, x, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Allgather(x, 1, MPI_INT, (void *)constant, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Allgatherv(x, 1, MPI_INT, x + 1, counts, far, MPI_INT, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Alltoallv(x, counts, far, MPI_INT, x + 2, counts, near, MPI_INT, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Reduce_local(x, wild, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Reduce_local(x, (void *)constant, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    CHECK_OK(MPI_Type_create_hindexed_block(2, 1, places, MPI_INT, &pair));
    CHECK_OK(MPI_Type_commit(&pair));
    CHECK_ERROR(MPI_Send(MPI_BOTTOM, 1, pair, other, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    CHECK_OK(MPI_Type_free(&pair));
}

static void packed_and_attached(void)
{
    int x = 0, position = 0;
    char room[16];

    CHECK_ERROR(MPI_Pack(&x, 1, MPI_INT, wild, 16, &position, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Pack(wild, 1, MPI_INT, room, 16, &position, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Pack(&x, 1, MPI_INT, room, 16, wild, MPI_COMM_WORLD), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Unpack(room, 16, &position, (void *)constant, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Buffer_attach(wild, 100), MPI_ERR_BUFFER);
}

static void windows(void)
{
    int *memory, x;
    MPI_Win window, none;

    CHECK_ERROR(MPI_Win_create(wild, 80, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &none), MPI_ERR_BUFFER);
    CHECK_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window));
    CHECK_OK(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
    CHECK_ERROR(MPI_Win_attach(window, wild, 80), MPI_ERR_BUFFER);
    CHECK_OK(MPI_Win_free(&window));
    CHECK_OK(MPI_Win_allocate(8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window));
    CHECK_OK(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Win_fence(0, window));
    CHECK_ERROR(MPI_Put(wild, 1, MPI_INT, 0, 0, 1, MPI_INT, window), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Get((void *)constant, 1, MPI_INT, 0, 0, 1, MPI_INT, window), MPI_ERR_BUFFER);
    CHECK_ERROR(MPI_Fetch_and_op(&x, wild, MPI_INT, 0, 0, MPI_NO_OP, window), MPI_ERR_BUFFER);
    CHECK_OK(MPI_Win_fence(0, window));
    CHECK_OK(MPI_Win_free(&window));
}

static void places(void)
{
    int x, flag, numbers[2] = {0, 1};
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Group group;
    MPI_Datatype type;
    MPI_Info info;

    CHECK_ERROR(MPI_Comm_rank(MPI_COMM_WORLD, wild), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Comm_rank(MPI_COMM_WORLD, odd), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Comm_dup(MPI_COMM_WORLD, wild), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Comm_free(wild), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Isend(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, wild), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, wild), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Wait(wild, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Wait(&requests[0], wild), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Test(&requests[0], wild, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Waitall(2, wild, MPI_STATUSES_IGNORE), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Waitall(2, requests, wild), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Waitsome(2, requests, &x, wild, MPI_STATUSES_IGNORE), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Iprobe(0, 0, MPI_COMM_WORLD, &flag, wild), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Allgatherv(&x, 1, MPI_INT, numbers, wild, numbers, MPI_INT, MPI_COMM_WORLD), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Type_indexed(2, wild, numbers, MPI_INT, &type), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Type_create_struct(2, numbers, (MPI_Aint[]){0, 8}, wild, &type), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Type_size(MPI_INT, wild), MPI_ERR_ARG);
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &group));
    CHECK_ERROR(MPI_Group_incl(group, 2, wild, &group), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Group_translate_ranks(group, 2, numbers, group, wild), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Group_translate_ranks(group, 2, NULL, group, numbers), MPI_ERR_ARG);
    CHECK_OK(MPI_Group_free(&group));
    CHECK_ERROR(MPI_Comm_set_name(MPI_COMM_WORLD, wild), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Comm_get_name(MPI_COMM_WORLD, wild, &x), MPI_ERR_ARG);
    CHECK_OK(MPI_Info_create(&info));
    CHECK_ERROR(MPI_Info_set(info, "key", wild), MPI_ERR_ARG);
    CHECK_OK(MPI_Info_free(&info));
    CHECK_ERROR(MPI_Get_processor_name(wild, &x), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, wild, &flag), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Alloc_mem(8, MPI_INFO_NULL, wild), MPI_ERR_ARG);
}

/* An address that came in a message, as in a structure with a pointer. */
static void another_rank(int rank)
{
    int own = rank, y = 7, *other = &own;
    MPI_Aint address;

    MPI_Get_address(&own, &address);
    MPI_Bcast(&address, 1, MPI_AINT, 0, MPI_COMM_WORLD);
    other = (int *)address;
    if (rank == 1) {
        CHECK_ERROR(MPI_Recv(other, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
        CHECK_ERROR(MPI_Send(other, 1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
        CHECK_ERROR(MPI_Comm_size(MPI_COMM_WORLD, other), MPI_ERR_ARG);
        CHECK_OK(MPI_Recv(&y, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    } else
        CHECK_OK(MPI_Send(&y, 1, MPI_INT, 1, 0, MPI_COMM_WORLD));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(own, rank);
}

int main(int argc, char **argv)
{
    int rank;

    check_begin(&argc, &argv);
    check_errors_return();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    buffers(1 - rank);
    packed_and_attached();
    windows();
    places();
    another_rank(rank);
    return check_end();
}
