/* smpi: ranks 8 */
/* smpi: expect-pass */
/* Thousands of messages with pseudo-random partners, sizes, tags and modes, all known to both sides, arrive as sent. */
#include "../check.h"

#define ROUNDS 60
#define PER_ROUND 20
#define LARGEST 30000

struct message {
    int from, to, tag, count, mode;
};

static unsigned state = 12345;

static int draw(int limit)
{
    state = state * 1103515245u + 12345u;
    return (int)((state >> 16) % (unsigned)limit);
}

/* All ranks draw the same messages. */
static void draw_round(struct message *messages)
{
    for (int m = 0; m < PER_ROUND; m++) {
        messages[m].from = draw(check_size);
        messages[m].to = draw(check_size);
        messages[m].tag = draw(3); /* few tags: order matters */
        messages[m].count = draw(4) ? draw(100) : draw(LARGEST);
        messages[m].mode = draw(3);
    }
}

int main(int argc, char **argv)
{
    static int out[PER_ROUND][LARGEST], in[PER_ROUND][LARGEST];
    struct message messages[PER_ROUND];
    MPI_Request requests[2 * PER_ROUND];
    int wrong = 0;

    check_begin(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
        int count = 0;
        draw_round(messages);
        for (int m = 0; m < PER_ROUND; m++) {
            struct message *message = &messages[m];
            if (message->from == check_rank) {
                for (int i = 0; i < message->count; i++)
                    out[m][i] = round * 31 + m * 7 + i;
                if (message->mode == 0)
                    MPI_Issend(out[m], message->count, MPI_INT, message->to, message->tag, MPI_COMM_WORLD,
                               &requests[count++]);
                else
                    MPI_Isend(out[m], message->count, MPI_INT, message->to, message->tag, MPI_COMM_WORLD,
                              &requests[count++]);
            }
            if (message->to == check_rank)
                MPI_Irecv(in[m], LARGEST, MPI_INT, message->from, message->tag, MPI_COMM_WORLD,
                          &requests[count++]);
        }
        if (round % 2)
            MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
        else
            for (int done = 0, index; done < count; done++)
                MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE);
        for (int m = 0; m < PER_ROUND; m++)
            for (int i = 0; i < messages[m].count && messages[m].to == check_rank; i++)
                wrong += in[m][i] != round * 31 + m * 7 + i;
    }
    CHECK_INT(wrong, 0);
    return check_end();
}
