/* Atomic operations of a program compiled with --verify keep their meaning, in all sizes. */
/* smpi: requires smpi */
/* smpi: compile-args --verify -mcx16 -std=gnu11 */
/* smpi: ranks 1 */
/* smpi: expect-pass */
#include "../check.h"
#include <stdatomic.h>

#define TEST(type)                                                                              \
    do {                                                                                        \
        static _Atomic(type) cell;                                                              \
        const type big = (type)((type)1 << (8 * sizeof(type) - 2));                              \
        atomic_store(&cell, big);                                                               \
        CHECK(atomic_load(&cell) == big);                                                       \
        CHECK(atomic_exchange(&cell, (type)12) == big);                                         \
        CHECK(atomic_fetch_add(&cell, (type)5) == 12);                                          \
        CHECK(atomic_fetch_sub(&cell, (type)3) == 17);                                          \
        CHECK(atomic_fetch_or(&cell, (type)32) == 14);                                          \
        CHECK(atomic_fetch_and(&cell, (type)43) == 46);                                         \
        CHECK(atomic_fetch_xor(&cell, (type)3) == 42);                                          \
        CHECK(__atomic_fetch_nand((type *)&cell, (type)8, __ATOMIC_SEQ_CST) == 41);             \
        CHECK(atomic_load(&cell) == (type) ~(type)8);                                           \
        type expected = 1;                                                                      \
        CHECK(!atomic_compare_exchange_strong(&cell, &expected, (type)4));                      \
        CHECK(expected == (type) ~(type)8);                                                     \
        CHECK(atomic_compare_exchange_weak_explicit(&cell, &expected, (type)4, memory_order_acq_rel, memory_order_relaxed)); \
        CHECK(atomic_load_explicit(&cell, memory_order_acquire) == 4);                          \
    } while (0)

int main(int argc, char **argv) {
    check_begin(&argc, &argv);
    TEST(unsigned char);
    TEST(unsigned short);
    TEST(unsigned int);
    TEST(unsigned long);
    TEST(unsigned __int128);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_seq_cst);
    return check_end();
}
