/* simgrid/modelchecker.h of libsmpi: MC_assert, MC_random and MC_is_active are in smpi/smpi.h. */
#include <smpi/smpi.h>
