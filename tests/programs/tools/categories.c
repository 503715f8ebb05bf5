/* smpi: ranks 1 */
/* smpi: expect-pass */
/* Categories of any library: texts, what is in them, and what is refused (MPI 5.0 section 15.3.9). */
#include "../check.h"

static void check_list(int category, int count, int limit, int (*get)(int, int, int[]))
{
    int *indices = malloc((count + 1) * sizeof(int)), i;

    for (i = 0; i <= count; i++)
        indices[i] = -7;
    CHECK_OK(get(category, count, indices));
    for (i = 0; i < count; i++)
        CHECK(indices[i] >= 0 && indices[i] < limit);
    CHECK_INT(indices[count], -7);
    if (count > 1) {
        indices[1] = -7;
        CHECK_OK(get(category, 1, indices));
        CHECK_INT(indices[1], -7);
    }
    free(indices);
}

int main(int argc, char **argv)
{
    int provided, number, i, found, first = -1, again = -2, controls, variables, categories, events;
    int all_controls, all_variables, all_events;

    check_begin(&argc, &argv);
    CHECK_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    CHECK_OK(MPI_T_category_changed(&first));
    CHECK_OK(MPI_T_category_get_num(&number));
    CHECK_OK(MPI_T_cvar_get_num(&all_controls));
    CHECK_OK(MPI_T_pvar_get_num(&all_variables));
    CHECK_OK(MPI_T_event_get_num(&all_events));
    for (i = 0; i < number; i++) {
        char name[256], description[1024];
        int room = sizeof(name), description_room = sizeof(description);

        CHECK_OK(MPI_T_category_get_info(i, name, &room, description, &description_room, &controls, &variables,
                                         &categories));
        CHECK_INT(room, (int)strlen(name) + 1);
        CHECK_OK(MPI_T_category_get_index(name, &found));
        CHECK_INT(found, i);
        CHECK_OK(MPI_T_category_get_num_events(i, &events));
        check_list(i, controls, all_controls, MPI_T_category_get_cvars);
        check_list(i, variables, all_variables, MPI_T_category_get_pvars);
        check_list(i, categories, number, MPI_T_category_get_categories);
        check_list(i, events, all_events, MPI_T_category_get_events);
    }
    CHECK_INT(MPI_T_category_get_info(number, NULL, NULL, NULL, NULL, NULL, NULL, NULL), MPI_T_ERR_INVALID_INDEX);
    CHECK_INT(MPI_T_category_get_index("no category has this name", &found), MPI_T_ERR_INVALID_NAME);
    CHECK_OK(MPI_T_category_changed(&again));
    CHECK_INT(again, first);
    CHECK_OK(MPI_T_finalize());
    return check_end();
}
