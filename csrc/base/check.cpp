#include <selvage/base/check.h>

namespace selvage {

void internal_error(const char* file, int line, const char* condition) {
  throw InternalError(std::string(file) + ":" + std::to_string(line) +
                      ": internal error: expected " + condition);
}

}  // namespace selvage
