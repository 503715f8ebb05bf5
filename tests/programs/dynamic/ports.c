/* smpi: ranks 4 */
/* smpi: expect-pass */
/* Two groups of a job meet at a port whose name one of them publishes, talk, and part again; more meetings at the same
 * port; the name is gone when it is withdrawn (MPI 5.0 sections 11.9 and 11.10). */
#include "../check.h"

static const char *const service = "smpi-test-ports";

/* Both sides have two ranks; each hears from the rank with its number on the other side. */
static void talk(MPI_Comm others, MPI_Comm own, int greeting)
{
    int rank, size = -1, inter = -1, found = -1, sum = -1;

    MPI_Comm_rank(own, &rank);
    CHECK_OK(MPI_Comm_test_inter(others, &inter));
    CHECK_OK(MPI_Comm_remote_size(others, &size));
    CHECK(inter && size == 2);
    CHECK_OK(MPI_Sendrecv(&greeting, 1, MPI_INT, rank, 0, &found, 1, MPI_INT, rank, 0, others, MPI_STATUS_IGNORE));
    CHECK_INT(found, 30 - greeting);
    CHECK_OK(MPI_Allreduce(&greeting, &sum, 1, MPI_INT, MPI_SUM, others));
    CHECK_INT(sum, 2 * (30 - greeting));
}

static void serve(MPI_Comm own)
{
    char port[MPI_MAX_PORT_NAME] = "", found[MPI_MAX_PORT_NAME] = "";
    MPI_Comm others;
    int rank;

    MPI_Comm_rank(own, &rank);
    if (rank == 0) {
        CHECK_OK(MPI_Open_port(MPI_INFO_NULL, port));
        CHECK(port[0] != 0);
        CHECK_OK(MPI_Publish_name(service, MPI_INFO_NULL, port));
        CHECK_OK(MPI_Lookup_name(service, MPI_INFO_NULL, found));
        CHECK(strcmp(port, found) == 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int meeting = 0; meeting < 2; meeting++) {
        CHECK_OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, own, &others));
        talk(others, own, 10 + meeting);
        CHECK_OK(MPI_Comm_disconnect(&others));
        CHECK(others == MPI_COMM_NULL);
    }
    if (rank == 0) {
        CHECK_OK(MPI_Unpublish_name(service, MPI_INFO_NULL, port));
        CHECK_ERROR(MPI_Lookup_name(service, MPI_INFO_NULL, found), MPI_ERR_NAME);
        CHECK_OK(MPI_Close_port(port));
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void visit(MPI_Comm own)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm others;

    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_Lookup_name(service, MPI_INFO_NULL, port));
    for (int meeting = 0; meeting < 2; meeting++) {
        CHECK_OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, own, &others));
        talk(others, own, 20 - meeting);
        CHECK_OK(MPI_Comm_disconnect(&others));
        CHECK(others == MPI_COMM_NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_ERROR(MPI_Lookup_name(service, MPI_INFO_NULL, port), MPI_ERR_NAME);
}

int main(int argc, char **argv)
{
    MPI_Comm own;

    check_begin(&argc, &argv);
    check_errors_return();
    MPI_Comm_split(MPI_COMM_WORLD, check_rank / 2, check_rank, &own);
    check_rank < 2 ? serve(own) : visit(own);
    MPI_Comm_free(&own);
    return check_end();
}
