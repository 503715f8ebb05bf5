/* smpi: ranks 1 */
/* smpi: expect-pass */
/* Every error class is its own class, has a text, and lies below MPI_ERR_LASTCODE (MPI 5.0 section 9.4). */
#include "../check.h"

int main(int argc, char **argv)
{
    static const int classes[] = {
        MPI_SUCCESS,          MPI_ERR_BUFFER,       MPI_ERR_COUNT,        MPI_ERR_TYPE,
        MPI_ERR_TAG,          MPI_ERR_COMM,         MPI_ERR_RANK,         MPI_ERR_REQUEST,
        MPI_ERR_ROOT,         MPI_ERR_GROUP,        MPI_ERR_OP,           MPI_ERR_TOPOLOGY,
        MPI_ERR_DIMS,         MPI_ERR_ARG,          MPI_ERR_UNKNOWN,      MPI_ERR_TRUNCATE,
        MPI_ERR_OTHER,        MPI_ERR_INTERN,       MPI_ERR_IN_STATUS,    MPI_ERR_PENDING,
        MPI_ERR_KEYVAL,       MPI_ERR_NO_MEM,       MPI_ERR_BASE,         MPI_ERR_INFO_KEY,
        MPI_ERR_INFO_VALUE,   MPI_ERR_INFO_NOKEY,   MPI_ERR_SPAWN,        MPI_ERR_PORT,
        MPI_ERR_SERVICE,      MPI_ERR_NAME,         MPI_ERR_WIN,          MPI_ERR_SIZE,
        MPI_ERR_DISP,         MPI_ERR_INFO,         MPI_ERR_LOCKTYPE,     MPI_ERR_ASSERT,
        MPI_ERR_RMA_CONFLICT, MPI_ERR_RMA_SYNC,     MPI_ERR_RMA_RANGE,    MPI_ERR_RMA_ATTACH,
        MPI_ERR_RMA_SHARED,   MPI_ERR_RMA_FLAVOR,   MPI_ERR_FILE,         MPI_ERR_NOT_SAME,
        MPI_ERR_AMODE,        MPI_ERR_UNSUPPORTED_DATAREP,                MPI_ERR_UNSUPPORTED_OPERATION,
        MPI_ERR_NO_SUCH_FILE, MPI_ERR_FILE_EXISTS,  MPI_ERR_BAD_FILE,     MPI_ERR_ACCESS,
        MPI_ERR_NO_SPACE,     MPI_ERR_QUOTA,        MPI_ERR_READ_ONLY,    MPI_ERR_FILE_IN_USE,
        MPI_ERR_DUP_DATAREP,  MPI_ERR_CONVERSION,   MPI_ERR_IO,
    };
    const int count = (int)(sizeof classes / sizeof *classes);

    check_begin(&argc, &argv);
    for (int i = 0; i < count; i++) {
        char text[MPI_MAX_ERROR_STRING] = "";
        int class = -1, length = -1;
        CHECK(classes[i] <= MPI_ERR_LASTCODE);
        MPI_Error_class(classes[i], &class);
        CHECK_INT(class, classes[i]);
        MPI_Error_string(classes[i], text, &length);
        CHECK(length > 0 && length < MPI_MAX_ERROR_STRING);
        CHECK_INT(strlen(text), length);
        for (int j = 0; j < i; j++)
            CHECK(classes[i] != classes[j]);
    }
    return check_end();
}
