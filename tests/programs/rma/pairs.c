/* smpi: ranks 3 */
/* smpi: expect-pass */
/* MPI_MAXLOC and MPI_MINLOC combine pairs, those within derived datatypes too (MPI 5.0 §12.3.4). Gaps of the
 * datatype at the target stay as they are. */
#include "../check.h"

struct real {
    double value;
    int index;
};

struct integer {
    int value, index;
};

static void reals(void)
{
    struct real memory[5], brought[5];
    MPI_Datatype outer;
    MPI_Win win;

    for (int i = 0; i < 5; i++) {
        memory[i] = (struct real){-1.0, 77};
        brought[i] = (struct real){(i + check_rank) % 3, check_rank};
    }
    MPI_Type_vector(2, 2, 3, MPI_DOUBLE_INT, &outer);
    MPI_Type_commit(&outer);
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Accumulate(brought, 1, outer, 0, 0, 1, outer, MPI_MAXLOC, win);
    MPI_Win_fence(0, win);
    if (check_rank == 0)
        for (int i = 0; i < 5; i++) {
            CHECK(memory[i].value == (i == 2 ? -1.0 : 2.0));
            CHECK_INT(memory[i].index, i == 2 ? 77 : (2 - i % 3 + 3) % 3);
        }
    MPI_Win_free(&win);
    MPI_Type_free(&outer);
}

static void integers(void)
{
    struct integer memory[4], brought[4];
    int places[2] = {3, 0};
    MPI_Datatype ends;
    MPI_Win win;

    for (int i = 0; i < 4; i++) {
        memory[i] = (struct integer){5, 5};
        brought[i] = (struct integer){10 * i + 3, check_rank};
    }
    MPI_Type_create_indexed_block(2, 1, places, MPI_2INT, &ends);
    MPI_Type_commit(&ends);
    MPI_Win_create(memory, sizeof memory, sizeof(struct integer), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Accumulate(brought, 2, MPI_2INT, 1, 0, 1, ends, MPI_MINLOC, win);
    MPI_Win_fence(0, win);
    if (check_rank == 1) {
        CHECK_INT(memory[3].value, 3);
        CHECK_INT(memory[3].index, 0);
        CHECK_INT(memory[0].value, 5);
        CHECK_INT(memory[0].index, 5);
        CHECK_INT(memory[1].value, 5);
    }
    MPI_Win_free(&win);
    MPI_Type_free(&ends);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    reals();
    integers();
    return check_end();
}
