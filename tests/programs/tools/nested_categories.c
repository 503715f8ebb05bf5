/* smpi: ranks 1 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* Categories are nested, and everything is in one of them once. */
#include "../check.h"

static int seen[4];

static void walk(int category)
{
    int controls, variables, categories, events, inner[16], i;

    CHECK_OK(MPI_T_category_get_info(category, NULL, NULL, NULL, NULL, &controls, &variables, &categories));
    CHECK_OK(MPI_T_category_get_num_events(category, &events));
    seen[0] += controls;
    seen[1] += variables;
    seen[2] += events;
    seen[3] += 1;
    CHECK(categories <= 16);
    CHECK_OK(MPI_T_category_get_categories(category, 16, inner));
    for (i = 0; i < categories; i++)
        walk(inner[i]);
}

int main(int argc, char **argv)
{
    int provided, top, number;

    check_begin(&argc, &argv);
    CHECK_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    CHECK_OK(MPI_T_category_get_index("smpi", &top));
    walk(top);
    CHECK_OK(MPI_T_cvar_get_num(&number));
    CHECK_INT(seen[0], number);
    CHECK_OK(MPI_T_pvar_get_num(&number));
    CHECK_INT(seen[1], number);
    CHECK_OK(MPI_T_event_get_num(&number));
    CHECK_INT(seen[2], number);
    CHECK_OK(MPI_T_category_get_num(&number));
    CHECK_INT(seen[3], number);
    CHECK_INT(MPI_T_category_get_cvars(top, -1, &number), MPI_T_ERR_INVALID);
    CHECK_INT(MPI_T_category_get_categories(top, 1, NULL), MPI_T_ERR_INVALID);
    CHECK_INT(MPI_T_category_get_pvars(99, 0, NULL), MPI_T_ERR_INVALID_INDEX);
    CHECK_INT(MPI_T_category_get_events(-1, 0, NULL), MPI_T_ERR_INVALID_INDEX);
    return check_end();
}
