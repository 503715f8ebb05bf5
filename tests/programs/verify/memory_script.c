/* An interpreter of random walks of allocation, one word for each rank: the programs of tests/tests/memory_campaign.rs
 * are such words. They are right by construction: whatever is in memory was put there by the rank itself, so each
 * check holds in each execution. Here a large block, a mapping and the stack around two receives from any source. */
/* smpi: ranks 3 */
/* smpi: args m0.3000000,n1.200000,R,u1,e1,R,f0 s0 s0 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
/* A word is operations with commas between them; `-` has none. An operation is a letter, the number of a block, and
 * after a dot a size in bytes:
 *
 *   m c a      malloc, calloc, posix_memalign            n F D S   mmap: private, of a memfd, of a file, shared
 *   A W H      MPI_Alloc_mem, MPI_Win_allocate, MPI_Win_allocate_shared of MPI_COMM_SELF        b   sbrk
 *   r          realloc to that size                      x         mremap to that size
 *   u U i      munmap of the second half, of the first half, of the middle
 *   p q o      mprotect: nothing, reading, both allowed
 *   d e v      madvise: DONTNEED of all, of the second half, FREE of all
 *   M          mmap with MAP_FIXED over the second half  f         given back
 *   w z k      written anew, one byte written, checked   K         all are checked
 *   t          malloc_trim                               g l       globals, thread-local variables are written anew
 *   y          the rest of the word in a frame with an array of that size
 *   s          sends a message to the rank of that number
 *   R T P I    receives a message of any source: by Recv; by Irecv, one Test and Wait; by Irecv and Test until it says
 *              yes; by Iprobe until it says yes and Recv
 *
 * What an operation cannot be applied to it leaves alone. At the end everything is checked and given back. A first
 * argument `planted=12` fails an assertion where the messages came from rank 1 and then rank 2. With `secret=12` that
 * is known from what block 0 holds, and from nothing else. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <malloc.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BLOCKS 12
#define SPOTS 4
#define MOST 40
#define HALF(block) (((block)->size / 2 + PAGE - 1) / PAGE * PAGE)
#define PAGE 4096L

/* What a block holds: below `cut` the pattern of the first seed, from there on that of the second, but for a few
 * bytes. The pattern of seed 0 is zeros. */
typedef struct {
    char kind; /* the letter that made it; 0: there is none */
    char closed; /* `p` or `q`: what it is protected against */
    char split;  /* 1: it is two mappings, which mremap refuses */
    unsigned char *at;
    long size, cut, base, room;
    unsigned seeds[2], back;
    int spots;
    long spot[SPOTS];
    unsigned char value[SPOTS];
    MPI_Win win;
} Block;

static Block blocks[BLOCKS];
static int me, received;
static char history[MOST];
static unsigned fresh = 1, known;
static const char *planted, *secret;

static unsigned char zeros[50000];
static unsigned char given[5000] = {1, 2, 3};
static __thread unsigned char local[3000];
static unsigned global_seed, local_seed;

static unsigned new_seed(void) {
    fresh = fresh * 1103515245 + 12345 + known;
    return fresh | 1;
}

static uint64_t word_of(unsigned seed, long index) {
    return seed == 0 ? 0 : (seed * 0x9e3779b97f4a7c15u) ^ ((uint64_t)index * 0xbf58476d1ce4e5b9u);
}

/* The functions that look at whole blocks do not report their accesses: with a call for each word they would take most
 * of the time. */
#define UNSEEN __attribute__((noinline, no_sanitize("thread")))

/* The pattern of a seed; `base` is the number of the first byte. */
static UNSEEN void fill(unsigned char *at, long size, unsigned seed, long base) {
    long i = 0;
    for (; i < size && (base + i) % 8; i++)
        at[i] = word_of(seed, (base + i) / 8) >> (base + i) % 8 * 8;
    for (; i + 8 <= size; i += 8) {
        uint64_t word = word_of(seed, (base + i) / 8);
        memcpy(at + i, &word, 8);
    }
    for (; i < size; i++)
        at[i] = word_of(seed, (base + i) / 8) >> (base + i) % 8 * 8;
}

/* The first byte from `from` on that is another than the pattern's; `size` if there is none. */
static UNSEEN long different(const unsigned char *at, long from, long size, unsigned seed, long base) {
    for (long i = from; i < size; i++) {
        uint64_t word, found;
        while ((base + i) % 8 == 0 && i + 8 <= size) {
            word = word_of(seed, (base + i) / 8);
            memcpy(&found, at + i, 8);
            if (word != found)
                break;
            i += 8;
        }
        if (i < size && at[i] != (unsigned char)(word_of(seed, (base + i) / 8) >> (base + i) % 8 * 8))
            return i;
    }
    return size;
}

static void open_up(Block *block) {
    if (block->closed)
        mprotect(block->at, block->room, PROT_READ | PROT_WRITE);
    block->closed = 0;
}

/* Whether a block holds what was put there. */
static int holds(Block *block) {
    if (block->kind == 0 || block->closed == 'p' || (secret && block == blocks))
        return 1;
    for (int half = 0; half < 2; half++) {
        long from = half ? block->cut : 0, end = half ? block->size : block->cut;
        while ((from = different(block->at, from, end, block->seeds[half], block->base)) < end) {
            int spot = 0;
            while (spot < block->spots && (block->spot[spot] != from || block->value[spot] != block->at[from]))
                spot++;
            if (spot == block->spots) {
                fprintf(stderr, "rank %d: block %d of kind %c: byte %ld of %ld\n", me, (int)(block - blocks),
                        block->kind, from, block->size);
                return 0;
            }
            from++;
        }
    }
    for (int spot = 0; spot < block->spots; spot++)
        if (block->at[block->spot[spot]] != block->value[spot])
            return 0;
    return 1;
}

static int all_hold(void) {
    for (int i = 0; i < BLOCKS; i++)
        if (!holds(&blocks[i]))
            return 0;
    return different(zeros, 0, sizeof zeros, global_seed, 0) == sizeof zeros &&
           different(given, 3, sizeof given, global_seed, 0) == sizeof given && given[0] == 1 && given[2] == 3 &&
           different(local, 0, sizeof local, local_seed, 0) == sizeof local;
}

/* From here on everything in a block has one seed. */
static void is_all(Block *block, unsigned seed) {
    block->cut = block->size;
    block->seeds[0] = block->seeds[1] = seed;
    block->spots = 0;
}

static void write_anew(Block *block) {
    open_up(block);
    is_all(block, new_seed());
    fill(block->at, block->size, block->seeds[0], block->base);
}

/* From here on what lies from `cut` on has another seed. */
static void second_is(Block *block, long cut, unsigned seed) {
    if (block->cut < cut || block->spots > 0)
        write_anew(block);
    block->cut = cut;
    block->seeds[1] = seed;
}

/* A block is now its part of so many bytes at `from`. */
static void is_part(Block *block, long from, long size) {
    int kept = 0;
    for (int i = 0; i < block->spots; i++)
        if (block->spot[i] >= from && block->spot[i] < from + size) {
            block->spot[kept] = block->spot[i] - from;
            block->value[kept++] = block->value[i];
        }
    block->spots = kept;
    block->at += from;
    block->base += from;
    block->size = size;
    block->room -= from;
    block->cut = block->cut < from ? 0 : block->cut - from > size ? size : block->cut - from;
}

static int is_mapping(const Block *block) { return block->kind && strchr("nFDS", block->kind) != NULL; }
static int is_heap(const Block *block) { return block->kind && strchr("mcar", block->kind) != NULL; }

static int file_for(Block *block, char kind) {
    char name[] = "./memory-XXXXXX";
    int file = kind == 'F' ? memfd_create("memory", 0) : mkstemp(name);
    if (kind == 'D')
        unlink(name);
    unsigned char *text = malloc(block->size);
    block->back = new_seed();
    fill(text, block->size, block->back, 0);
    for (long done = 0; done < block->size;) {
        long now = write(file, text + done, block->size - done);
        assert(now > 0);
        done += now;
    }
    free(text);
    return file;
}

static void map(Block *block, char kind) {
    int flags = kind == 'S' ? MAP_SHARED | MAP_ANONYMOUS : kind == 'n' ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_PRIVATE;
    int file = kind == 'F' || kind == 'D' ? file_for(block, kind) : -1;
    block->at = mmap(NULL, block->size, PROT_READ | PROT_WRITE, flags, file, 0);
    assert(block->at != MAP_FAILED);
    if (file >= 0)
        close(file);
    is_all(block, block->back);
}

static void make(Block *block, char kind, long size) {
    void *at = NULL;
    if (block->kind || size == 0)
        return;
    memset(block, 0, sizeof *block);
    block->kind = kind;
    block->size = size;
    block->room = (size + PAGE - 1) / PAGE * PAGE;
    if (is_mapping(block))
        return map(block, kind);
    switch (kind) {
    case 'm': at = malloc(size); break;
    case 'c': at = calloc(size, 1); break;
    case 'a': assert(posix_memalign(&at, size % 2 ? 65536 : 64, size) == 0); break;
    case 'b': at = sbrk(size); break;
    case 'A': MPI_Alloc_mem(size, MPI_INFO_NULL, &at); break;
    case 'W': MPI_Win_allocate(size, 1, MPI_INFO_NULL, MPI_COMM_SELF, &at, &block->win); break;
    case 'H': MPI_Win_allocate_shared(size, 1, MPI_INFO_NULL, MPI_COMM_SELF, &at, &block->win); break;
    }
    block->at = at;
    if (kind == 'c')
        is_all(block, 0);
    else
        write_anew(block);
}

static void give_back(Block *block) {
    if (block->kind == 0)
        return;
    open_up(block);
    assert(holds(block));
    if (is_mapping(block))
        munmap(block->at, block->room);
    else if (is_heap(block))
        free(block->at);
    else if (block->kind == 'A')
        MPI_Free_mem(block->at);
    else if (block->kind == 'b' && sbrk(0) == block->at + block->size)
        sbrk(-block->size);
    else if (block->kind != 'b')
        MPI_Win_free(&block->win);
    block->kind = 0;
}

static void resize(Block *block, long size) {
    open_up(block);
    assert(holds(block));
    long old = block->size;
    if (block->kind != 'a' && is_heap(block))
        block->at = realloc(block->at, size);
    else if (!block->split && (block->kind == 'n' || block->kind == 'S')) {
        /* More of a mapping that is shared would lie behind its end. */
        size = block->kind == 'S' && size > old ? old : size;
        block->at = mremap(block->at, block->room, size, MREMAP_MAYMOVE);
        assert(block->at != MAP_FAILED);
        block->room = (size + PAGE - 1) / PAGE * PAGE;
    } else
        return;
    is_part(block, 0, size < old ? size : old);
    assert(holds(block));
    if (size > old) {
        second_is(block, old, new_seed());
        block->size = size;
        fill(block->at + old, size - old, block->seeds[1], block->base + old);
    }
}

static void unmap(Block *block, char part) {
    long half = HALF(block), quarter = HALF(block) / 2 / PAGE * PAGE;
    int other = 0;
    while (other < BLOCKS && blocks[other].kind)
        other++;
    if (!is_mapping(block) || half >= block->size || block->size < 2 * PAGE)
        return;
    if (part == 'u') {
        munmap(block->at + half, block->room - half);
        is_part(block, 0, half);
        block->room = half;
    } else if (part == 'U') {
        munmap(block->at, half);
        is_part(block, half, block->size - half);
    } else if (quarter > 0 && other < BLOCKS) {
        munmap(block->at + quarter, half - quarter);
        blocks[other] = *block;
        is_part(&blocks[other], half, block->size - half);
        is_part(block, 0, quarter);
        block->room = quarter;
    }
}

static void advise(Block *block, char how) {
    long from = how == 'e' ? HALF(block) : 0;
    if (!is_mapping(block) || from >= block->size)
        return;
    open_up(block);
    assert(holds(block));
    if (how == 'v') {
        if (block->kind == 'n')
            madvise(block->at, block->room, MADV_FREE);
        write_anew(block);
        return;
    }
    if (how == 'e')
        second_is(block, from, block->back);
    madvise(block->at + from, block->room - from, MADV_DONTNEED);
    /* Shared memory has its contents all the same. */
    if (how == 'e' && block->kind == 'S')
        fill(block->at + from, block->size - from, block->back, block->base + from);
    if (how == 'd' && block->kind != 'S')
        is_all(block, block->back);
}

static void map_over(Block *block) {
    long half = HALF(block);
    /* What the block reads as where nobody has written is one thing, so that only memory without a file is mapped over. */
    if (block->kind != 'n' || half >= block->size)
        return;
    open_up(block);
    second_is(block, half, 0);
    block->split = 1;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    assert(mmap(block->at + half, block->room - half, PROT_READ | PROT_WRITE, flags, -1, 0) == block->at + half);
}

static void write_one(Block *block) {
    long at = (long)((new_seed() * 0x9e3779b97f4a7c15u >> 16) % block->size);
    if (block->spots == SPOTS)
        return;
    for (int i = 0; i < block->spots; i++)
        if (block->spot[i] == at)
            return;
    open_up(block);
    block->at[at] = block->value[block->spots] = block->at[at] + 1 + new_seed() % 200;
    block->spot[block->spots++] = at;
}

static void protect(Block *block, char how) {
    if (!is_mapping(block) || (secret && block == blocks))
        return;
    open_up(block);
    if (how != 'o')
        mprotect(block->at, block->room, how == 'p' ? PROT_NONE : PROT_READ);
    block->closed = how == 'o' ? 0 : how;
}

static void receive(char how) {
    int from = -1, flag = 0;
    MPI_Request request;
    MPI_Status status;
    if (how == 'R')
        MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (how == 'I') {
        while (!flag)
            MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, &status);
        MPI_Recv(&from, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Irecv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
        do
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        while (!flag && how == 'P');
        if (!flag)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (secret) {
        if (received < blocks[0].size)
            blocks[0].at[received * (blocks[0].size / MOST)] = '0' + from;
    } else {
        history[received] = '0' + from;
        known = known * 31 + from;
    }
    received++;
}

static void step(char letter, Block *block, long size);

static void __attribute__((noinline)) walk(const char *word);

/* The rest of a word above an array. */
static void __attribute__((noinline)) walk_above(const char *word, long size) {
    unsigned char array[size];
    unsigned seed = new_seed();
    fill(array, size, seed, 0);
    walk(word);
    assert(different(array, 0, size, seed, 0) == size);
}

static void walk(const char *word) {
    while (*word && *word != '-') {
        char *end, letter = *word;
        long number = strtol(word + 1, &end, 10), size = *end == '.' ? strtol(end + 1, &end, 10) : 0;
        word = end + (*end == ',');
        if (number < 0 || (number >= BLOCKS && letter != 's') || received >= MOST - 1) {
            fprintf(stderr, "no operation: %s\n", word);
            exit(2);
        }
        if (letter == 'y')
            return walk_above(word, size > 0 ? size : 1);
        if (letter == 's')
            MPI_Send(&me, 1, MPI_INT, number, 0, MPI_COMM_WORLD);
        else
            step(letter, &blocks[number], size);
    }
}

static void step(char letter, Block *block, long size) {
    if (strchr("rzkw", letter) && block->kind == 0)
        return;
    /* The block with the secret stays as it is. */
    if (secret && block == blocks && strchr("rxuUidevMfwz", letter))
        return;
    switch (letter) {
    case 'r': case 'x': resize(block, size > 0 ? size : 1); break;
    case 'u': case 'U': case 'i': open_up(block); assert(holds(block)); unmap(block, letter); break;
    case 'p': case 'q': case 'o': protect(block, letter); break;
    case 'd': case 'e': case 'v': advise(block, letter); break;
    case 'M': map_over(block); break;
    case 'f': give_back(block); break;
    case 'w': write_anew(block); break;
    case 'z': write_one(block); break;
    case 'k': assert(holds(block)); break;
    case 'K': assert(all_hold()); break;
    case 't': malloc_trim(0); break;
    case 'g':
        global_seed = new_seed();
        fill(zeros, sizeof zeros, global_seed, 0);
        fill(given + 3, sizeof given - 3, global_seed, 3);
        break;
    case 'l': fill(local, sizeof local, local_seed = new_seed(), 0); break;
    case 'R': case 'T': case 'P': case 'I': receive(letter); break;
    default: make(block, letter, size);
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (argc > 1 && strncmp(argv[1], "planted=", 8) == 0)
        planted = argv[1] + 8;
    if (argc > 1 && strncmp(argv[1], "secret=", 7) == 0)
        planted = secret = argv[1] + 7;
    argv += planted != NULL;
    argc -= planted != NULL;
    fill(given + 3, sizeof given - 3, 0, 3);
    if (me + 1 < argc)
        walk(argv[1 + me]);
    assert(all_hold());
    if (secret && me == 0)
        for (int i = 0; i < received; i++)
            history[i] = blocks[0].at[i * (blocks[0].size / MOST)];
    int is_planted = planted && me == 0 && strcmp(history, planted) == 0;
    assert(!is_planted && "planted");
    for (int i = BLOCKS - 1; i >= 0; i--)
        give_back(&blocks[i]);
    MPI_Finalize();
    return 0;
}
