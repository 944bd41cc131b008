// The tests, and the programs that they start, leave the user's own cache of compiled kernels
// alone.
#include <stdlib.h>

namespace {

[[maybe_unused]] const int kNoDiskCache = setenv("SELVAGE_CACHE_DIR", "", 1);

}  // namespace
