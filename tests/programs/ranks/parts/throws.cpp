#include "throws.h"

namespace {
struct Counted {
    static int live;
    Counted() { live++; }
    ~Counted() { live--; }
};
int Counted::live;
Counted one;
thread_local int depth = 3;
} // namespace

TooSmall::~TooSmall() = default;

void check(int value)
{
    if (value < 0)
        throw TooSmall("too small");
}

void through(void (*function)(int), int value)
{
    Counted local;
    if (++depth == 4)
        function(value);
}

int live_objects()
{
    return Counted::live;
}
