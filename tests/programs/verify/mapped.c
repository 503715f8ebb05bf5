#define _GNU_SOURCE
/* What a rank has mapped is put back: contents, protections, lengths and places, of anonymous memory and of files, of the
 * data segment, and of memory that is unmapped, replaced or moved in one execution and used in the next. */
/* smpi: ranks 3 */
/* smpi: smpirun-args --cfg=smpi/self-check:yes */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
#include <assert.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ANONYMOUS, SHARED, UNMAPPED, GIVEN_BACK, FREED, REPLACED, GROWN, MOVED, SHRUNK, CLOSED, HOLED, DATA, OF_FILE, KINDS };
enum { PAGE = 4096 };
static const size_t sizes[] = {PAGE, 25 * PAGE, 800 * PAGE};
enum { SIZES = sizeof sizes / sizeof *sizes };

static unsigned char *memory[KINDS][SIZES];
static unsigned char contents(int kind, int index) { return (unsigned char)(1 + kind * SIZES + index); }

static unsigned char *obtain(int kind, size_t size) {
    int flags = (kind == SHARED ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS, file = -1;
    if (kind == DATA)
        return sbrk((intptr_t)size);
    if (kind == OF_FILE) {
        file = memfd_create("mapped", 0);
        assert(file >= 0 && ftruncate(file, (off_t)size) == 0 && pwrite(file, "file", 4, PAGE - 4) == 4);
        flags = MAP_PRIVATE;
    }
    void *place = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, file, 0);
    assert(place != MAP_FAILED);
    if (file >= 0) {
        assert(memcmp((char *)place + PAGE - 4, "file", 4) == 0);
        close(file);
    }
    return place;
}

/* All is as it was written, with `value` in the middle. */
static void check(int value) {
    for (int kind = 0; kind < KINDS; kind++)
        for (int index = 0; index < SIZES; index++) {
            const unsigned char *bytes = memory[kind][index];
            for (size_t at = 0; at < sizes[index]; at++)
                assert(bytes[at] == (at == sizes[index] / 2 ? value : contents(kind, index)));
        }
}

static void change(int kind, unsigned char *bytes, size_t size) {
    switch (kind) {
    case ANONYMOUS:
    case SHARED: memset(bytes, 0xee, size); break;
    case UNMAPPED: assert(munmap(bytes, size) == 0); break;
    case GIVEN_BACK: assert(madvise(bytes, size, MADV_DONTNEED) == 0 && bytes[0] == 0); break;
    case FREED: assert(madvise(bytes, size, MADV_FREE) == 0 && bytes[size - 1] == 0); break;
    case REPLACED:
        assert(mmap(bytes, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == bytes);
        break;
    case GROWN:
    case MOVED: {
        unsigned char before = bytes[1];
        unsigned char *grown = mremap(bytes, size, kind == GROWN ? size + PAGE : 3 * size, MREMAP_MAYMOVE);
        assert(grown != MAP_FAILED && grown[1] == before && grown[size] == 0);
        memset(grown, 0xdd, size + PAGE);
        break;
    }
    case SHRUNK:
        if (size > PAGE)
            assert(mremap(bytes, size, PAGE, 0) == bytes);
        break;
    case CLOSED: assert(mprotect(bytes, size, PROT_NONE) == 0); break;
    case HOLED:
        if (size > 3 * PAGE)
            assert(munmap(bytes + PAGE, PAGE) == 0 && mprotect(bytes + 2 * PAGE, PAGE, PROT_READ) == 0);
        break;
    case DATA: break;
    case OF_FILE: assert(madvise(bytes, size, MADV_DONTNEED) == 0 && memcmp(bytes + PAGE - 4, "file", 4) == 0); break;
    }
}

static int receive(void) {
    int value;
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return value;
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        char *start = sbrk(0);
        /* Blocks of the heap may be closed, too, and stay so where a choice is made. */
        void *guard;
        assert(posix_memalign(&guard, PAGE, PAGE) == 0);
        memset(guard, 5, PAGE);
        for (int kind = 0; kind < KINDS; kind++)
            for (int index = 0; index < SIZES; index++) {
                memory[kind][index] = obtain(kind, sizes[index]);
                memset(memory[kind][index], contents(kind, index), sizes[index]);
                memory[kind][index][sizes[index] / 2] = 0;
            }
        assert(mprotect(guard, PAGE, PROT_NONE) == 0);
        int first = receive();
        check(0);
        for (int kind = 0; kind < KINDS; kind++)
            for (int index = 0; index < SIZES; index++)
                memory[kind][index][sizes[index] / 2] = (unsigned char)first;
        assert(mprotect(guard, PAGE, PROT_READ) == 0 && *(char *)guard == 5);
        int second = receive();
        assert(first + second == 3);
        check(first);
        for (int kind = 0; kind < KINDS; kind++)
            for (int index = 0; index < SIZES; index++)
                change(kind, memory[kind][index], sizes[index]);
        if (first == 1) {
            assert(mprotect(guard, PAGE, PROT_READ | PROT_WRITE) == 0);
            free(guard);
            assert(sbrk(-(intptr_t)((char *)sbrk(0) - start)) != (void *)-1 && sbrk(0) == start);
        }
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
