//! Every way in which what two ranks have chosen may come together at a third one: the exploration by groups combines
//! them then, and finds the failure that depends on both. One program has all ways; its argument says which is taken.
#![forbid(unsafe_code)]

use smpi_tests::place::{Place, text};
use smpi_tests::verification::{findings, report};
use std::fmt::Write;

/// Ranks 0 and 3 have a `bit` each, and the others none; rank 6 sets `sum` to their sum. `two(…)` is done by the two,
/// `six(…)` by rank 6 for both, as `from`.
const WAYS: [&str; 40] = [
    "b = bit; MPI_Bcast(&b, 1, MPI_INT, 0, W); b2 = bit; MPI_Bcast(&b2, 1, MPI_INT, 3, W); sum = b + b2;",
    "b = bit; MPI_Ibcast(&b, 1, MPI_INT, 0, W, &q); MPI_Wait(&q, I); b2 = bit; MPI_Bcast(&b2, 1, MPI_INT, 3, W); sum = b + b2;",
    "MPI_Allreduce(&bit, &sum, 1, MPI_INT, MPI_SUM, W);",
    "MPI_Op_create(add, 1, &op); MPI_Allreduce(&bit, &sum, 1, MPI_INT, op, W);",
    "MPI_Iallreduce(&bit, &sum, 1, MPI_INT, MPI_SUM, W, &q); MPI_Wait(&q, I);",
    "MPI_Allreduce_init(&bit, &sum, 1, MPI_INT, MPI_SUM, W, N, &q); MPI_Start(&q); MPI_Wait(&q, I); MPI_Request_free(&q);",
    "MPI_Reduce(&bit, &sum, 1, MPI_INT, MPI_SUM, 6, W);",
    "MPI_Gather(&bit, 1, MPI_INT, all, 1, MPI_INT, 6, W); sum = all[0] + all[3];",
    "MPI_Gatherv(&bit, 1, MPI_INT, all, ones, steps, MPI_INT, 6, W); sum = all[0] + all[3];",
    "MPI_Allgather(&bit, 1, MPI_INT, all, 1, MPI_INT, W); sum = all[0] + all[3];",
    "MPI_Alltoall(mine, 1, MPI_INT, all, 1, MPI_INT, W); sum = all[0] + all[3];",
    "MPI_Alltoallv(mine, ones, steps, MPI_INT, all, ones, steps, MPI_INT, W); sum = all[0] + all[3];",
    "MPI_Scan(&bit, &sum, 1, MPI_INT, MPI_SUM, W);",
    "MPI_Exscan(&bit, &sum, 1, MPI_INT, MPI_SUM, W);",
    "MPI_Reduce_scatter_block(mine, &sum, 1, MPI_INT, MPI_SUM, W);",
    "MPI_Comm_split(W, bit, rank, &c); MPI_Comm_size(c, &b); sum = 7 - b;",
    "MPI_Comm_split(W, 0, bit ? 100 + rank : rank, &c); MPI_Comm_rank(c, &b); sum = 6 - b;",
    "MPI_Dist_graph_create(W, bit, &rank, ones, (int[]){6}, MPI_UNWEIGHTED, N, 0, &c);
     MPI_Dist_graph_neighbors_count(c, &sum, &b, &b2);",
    "MPI_Cart_create(W, 1, (int[]){7}, (int[]){1}, 0, &c);
     MPI_Neighbor_allgather(&bit, 1, MPI_INT, all, 1, MPI_INT, c); b = all[0] + all[1];
     MPI_Reduce(&bit, &sum, 1, MPI_INT, MPI_SUM, 6, c);",
    "two(MPI_Send(mine, bit, MPI_INT, 6, 7, W);)
     six(MPI_Recv(all, 7, MPI_INT, from, 7, W, &s); MPI_Get_count(&s, MPI_INT, &b); sum += b;)",
    "two(MPI_Send(mine, 1, MPI_INT, 6, bit, W);) six(MPI_Recv(all, 1, MPI_INT, from, MPI_ANY_TAG, W, &s); sum += s.MPI_TAG;)",
    "two(MPI_Send(mine, bit, MPI_INT, 6, 7, W);)
     six(MPI_Probe(from, 7, W, &s); MPI_Get_count(&s, MPI_INT, &b); sum += b; MPI_Recv(all, b, MPI_INT, from, 7, W, I);)",
    "two(MPI_Send(mine, 1, MPI_INT, 6, 7, W);)
     six(MPI_Mprobe(from, 7, W, &m, I); MPI_Mrecv(&b, 1, MPI_INT, &m, I); sum += b;)",
    "two(MPI_Sendrecv(mine, 1, MPI_INT, 6, 7, all, 1, MPI_INT, 6, 8, W, I);)
     six(MPI_Sendrecv(&zero, 1, MPI_INT, from, 8, &b, 1, MPI_INT, from, 7, W, I); sum += b;)",
    "two(b = bit; MPI_Sendrecv_replace(&b, 1, MPI_INT, 6, 7, 6, 7, W, I);)
     six(b = 0; MPI_Sendrecv_replace(&b, 1, MPI_INT, from, 7, from, 7, W, I); sum += b;)",
    "two(MPI_Send_init(mine, 1, MPI_INT, 6, 7, W, &q); MPI_Start(&q); MPI_Wait(&q, I); MPI_Request_free(&q);)
     six(MPI_Recv_init(&b, 1, MPI_INT, from, 7, W, &q); MPI_Start(&q); MPI_Wait(&q, I); MPI_Request_free(&q); sum += b;)",
    "two(MPI_Isend(mine, 1, MPI_INT, 6, 7, dup, &q); MPI_Request_free(&q);)
     six(for (int f = !MPI_Irecv(&b, 1, MPI_INT, from, 7, dup, &q) - 1; !f;) MPI_Test(&q, &f, I); sum += b;)",
    "two(if (bit) MPI_Send(mine, 1, MPI_INT, 6, 7, W);) MPI_Barrier(W);
     six(MPI_Iprobe(from, 7, W, &b, I); if (b) { MPI_Recv(all, 1, MPI_INT, from, 7, W, I); sum++; })",
    "two(for (int i = 0; i < bit; i++) MPI_Send(mine, 1, MPI_INT, 6, 7, W); MPI_Send(&zero, 1, MPI_INT, 6, 7, W);)
     six(do { MPI_Recv(&b, 1, MPI_INT, from, 7, W, I); sum += b; } while (b);)",
    "two(MPI_Send(mine, 1, MPI_INT, 6, bit, W); MPI_Send(mine, 1, MPI_INT, 6, !bit, W);)
     six(MPI_Recv(all, 1, MPI_INT, from, MPI_ANY_TAG, W, &s); sum += s.MPI_TAG; MPI_Recv(all, 1, MPI_INT, from, MPI_ANY_TAG, W, I);)",
    "two(MPI_Ssend(mine, 1, MPI_INT, 6, 7, dup);) six(MPI_Recv(&b, 1, MPI_INT, from, 7, dup, I); sum += b;)",
    "two(MPI_Buffer_attach(space, sizeof space); MPI_Bsend(mine, 1, MPI_INT, 6, 7, W); MPI_Buffer_detach(&at, &b);)
     six(MPI_Recv(&b, 1, MPI_INT, from, 7, W, I); sum += b;)",
    "two(b = 0; MPI_Pack(mine, 1, MPI_INT, space, 64, &b, W); MPI_Send(space, b, MPI_PACKED, 6, 7, W);)
     six(MPI_Recv(&b, 1, MPI_INT, from, 7, W, I); sum += b;)",
    "MPI_Type_vector(2, 1, 2, MPI_INT, &t); MPI_Type_commit(&t); two(MPI_Send(mine, 1, t, 6, 7, W);)
     six(MPI_Recv(all, 1, t, from, 7, W, I); sum += all[2];)",
    "two(MPI_Psend_init(mine, 2, 1, MPI_INT, 6, 7, W, N, &q); MPI_Start(&q); MPI_Pready_range(0, 1, q); MPI_Wait(&q, I);
         MPI_Request_free(&q);)
     six(MPI_Precv_init(all, 2, 1, MPI_INT, from, 7, W, N, &q); MPI_Start(&q); MPI_Wait(&q, I); MPI_Request_free(&q);
         sum += all[1];)",
    "MPI_Win_create(all, sizeof all, 4, N, W, &w); MPI_Win_fence(0, w); two(MPI_Put(mine, 1, MPI_INT, 6, rank, 1, MPI_INT, w);)
     MPI_Win_fence(0, w); sum = all[0] + all[3]; MPI_Win_free(&w);",
    "MPI_Win_allocate_shared(rank == 6 ? 32 : 0, 4, N, W, &at, &w); MPI_Win_shared_query(w, 6, &size, &b, &at); MPI_Barrier(W);
     two(((int *)at)[rank] = bit;) MPI_Win_fence(0, w); if (rank == 6) sum = ((int *)at)[0] + ((int *)at)[3]; MPI_Win_free(&w);",
    "MPI_Win_create(all, sizeof all, 4, N, W, &w); MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 6, 0, w);
     MPI_Accumulate(&bit, 1, MPI_INT, 6, 0, 1, MPI_INT, MPI_SUM, w); MPI_Win_unlock(6, w); MPI_Barrier(W); sum = all[0];
     MPI_Win_free(&w);",
    "MPI_File_open(W, \"bits\", MPI_MODE_CREATE | MPI_MODE_RDWR, N, &file);
     two(MPI_File_write_at(file, 4 * rank, mine, 1, MPI_INT, I);) MPI_File_sync(file); MPI_Barrier(W); MPI_File_sync(file);
     six(MPI_File_read_at(file, 4 * from, &b, 1, MPI_INT, I); sum += b;) MPI_File_close(&file);",
    "MPI_Comm_split(W, rank < 6, rank, &c); MPI_Intercomm_create(c, 0, W, rank < 6 ? 6 : 0, 5, &c2);
     MPI_Allreduce(&bit, &sum, 1, MPI_INT, MPI_SUM, c2);",
];

const HEAD: &str = r#"#include <assert.h>
#include <mpi.h>
#include <stdlib.h>
#define W MPI_COMM_WORLD
#define I MPI_STATUS_IGNORE
#define N MPI_INFO_NULL
#define two(...) if (rank == 0 || rank == 3) { __VA_ARGS__ }
#define six(...) if (rank == 6) for (int from = 0; from < 4; from += 3) { __VA_ARGS__ }
static void add(void *a, void *b, int *n, MPI_Datatype *t) {
    (void)t;
    for (int i = 0; i < *n; i++)
        ((int *)b)[i] += ((int *)a)[i];
}
static char space[1024];
static int rank, bit, sum, b, b2, zero, all[8], mine[8], ones[8], steps[8];
static MPI_Request q;
static MPI_Status s;
static MPI_Comm dup, c, c2;
static MPI_Op op;
static MPI_Message m;
static MPI_Datatype t;
static MPI_Win w;
static MPI_File file;
static MPI_Aint size;
static void *at;
int main(int argc, char **argv) {
    int first, second;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_dup(W, &dup);
    if (rank % 3 && rank < 6)
        MPI_Send(&rank, 1, MPI_INT, rank / 3 * 3, 0, W);
    two(MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, W, I); MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, W, I);
        bit = first > second;)
    for (int i = 0; i < 8; i++)
        mine[i] = bit, ones[i] = 1, steps[i] = i;
    switch (atoi(argv[1])) {
"#;

const TAIL: &str = r"    }
    if (rank == 6)
        assert(sum != 2);
    MPI_Finalize();
    return 0;
}
";

#[test]
fn a_failure_that_depends_on_two_groups_is_found_however_they_come_together() {
    let place = Place::new("contents");
    let mut program = HEAD.to_owned();
    for (number, way) in WAYS.iter().enumerate() {
        writeln!(program, "    case {number}: {{ {way} break; }}").unwrap();
    }
    program.push_str(TAIL);
    let program = place.compile("program", &program, &["-O1", "-w"]);
    let mut missed = Vec::new();
    for (number, way) in WAYS.iter().enumerate() {
        let number = number.to_string();
        let words = ["verify", "--reduction", "histories", "--report=report.json", "-np", "7", &program, &number];
        let finished = place.smpirun(&words, 1);
        let report = report(&place.directory.join("report.json")).unwrap();
        if !findings(&report).any(|(key, _)| key == "assertion") {
            missed.push(format!("{number}: {way}\n{}", text(&finished.stderr)));
        }
    }
    assert!(missed.is_empty(), "{}", missed.concat());
}
