// A library whose functions throw and pass exceptions on.
#include <stdexcept>

struct TooSmall : std::runtime_error {
    using std::runtime_error::runtime_error;
    ~TooSmall() override;
};

void check(int value);
void through(void (*function)(int), int value);
int live_objects();
