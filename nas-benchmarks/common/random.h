/*
 * The random number stream shared by all NAS benchmarks.
 *
 * It is the linear congruential generator  s <- a * s mod 2^46  with a = 5^13;
 * the number handed out is s / 2^46, which lies strictly between 0 and 1.
 * Because s(k + n) = a^n * s(k) mod 2^46, any rank can jump straight to its own
 * part of the one common stream, so that the numbers do not depend on how many
 * ranks there are. Source: NASA report NAS-95-020, section 2.3.
 *
 * Unsigned 64-bit multiplication drops what exceeds 2^64, and 2^46 divides
 * 2^64, so a plain product and a mask give the exact remainder.
 */
#ifndef NAS_RANDOM_H
#define NAS_RANDOM_H

#include <stdint.h>

#define RANDOM_MULTIPLIER UINT64_C(1220703125) /* 5^13 */
#define RANDOM_MASK ((UINT64_C(1) << 46) - 1)

/* Advances the stream by one and returns the new number in (0, 1). */
static inline double random_next(uint64_t *state)
{
    *state = (*state * RANDOM_MULTIPLIER) & RANDOM_MASK;
    return (double)*state * 0x1p-46;
}

/* The state of the stream that starts at `seed`, `steps` numbers further on: O(log steps). */
static inline uint64_t random_jump(uint64_t seed, uint64_t steps)
{
    uint64_t state = seed;
    uint64_t factor = RANDOM_MULTIPLIER;

    for (; steps != 0; steps >>= 1) {
        if (steps & 1)
            state = (state * factor) & RANDOM_MASK;
        factor = (factor * factor) & RANDOM_MASK;
    }
    return state;
}

#endif
