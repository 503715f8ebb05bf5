/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* The tool information interface is initialised and finalised by count, before MPI_Init and after MPI_Finalize, and
 * answers with codes of its own whatever the error handler (MPI 5.0 section 15.3.4, 15.3.10). */
#include "../check.h"

int main(int argc, char **argv)
{
    int number, provided = -1, flag = -1;
    char text[MPI_MAX_ERROR_STRING];
    int length;

    if (MPI_T_cvar_get_num(&number) != MPI_T_ERR_NOT_INITIALIZED ||
        MPI_T_finalize() != MPI_T_ERR_NOT_INITIALIZED ||
        MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS || provided < MPI_THREAD_SINGLE ||
        provided > MPI_THREAD_MULTIPLE)
        return 2;
    if (MPI_Initialized(&flag) != MPI_SUCCESS || flag)
        return 3;
    if (MPI_T_cvar_get_num(&number) != MPI_SUCCESS || number < 0 || MPI_T_pvar_get_num(&number) != MPI_SUCCESS ||
        number < 0)
        return 4;
    /* The default error handler ends programs; it is not asked. */
    check_begin(&argc, &argv);
    CHECK_INT(MPI_T_cvar_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), MPI_T_ERR_INVALID_INDEX);
    CHECK_OK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided));
    CHECK_OK(MPI_T_finalize());
    CHECK_OK(MPI_T_category_get_num(&number));
    CHECK_OK(MPI_T_finalize());
    CHECK_INT(MPI_T_category_get_num(&number), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_INT(MPI_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    CHECK_OK(MPI_Error_string(MPI_T_ERR_CVAR_SET_NEVER, text, &length));
    CHECK(length > 0);
    number = check_end();
    if (MPI_T_pvar_get_num(&provided) != MPI_SUCCESS || MPI_T_finalize() != MPI_SUCCESS ||
        MPI_T_pvar_get_num(&provided) != MPI_T_ERR_NOT_INITIALIZED) {
        printf("FAIL after MPI_Finalize\n");
        return 1;
    }
    return number;
}
