#pragma once

#include <selvage/ir/fusion.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace selvage::test {

// Kernels that work row by row, whose bandwidth on an H100 SXM their authors have published, and
// which are written here as schedules.

enum class RowWork : std::uint8_t { RmsNorm, Softmax, CrossEntropy };
enum class RowSystem : std::uint8_t { Quack, Inductor, Liger };
std::string_view to_string(RowWork work);
std::string_view to_string(RowSystem system);

struct PublishedCell {
  RowWork work;
  RowSystem system;
  std::int64_t length;      // of a row, in bfloat16
  double gb_per_second;     // that the rows take to be read, and to be stored where they are
  std::string_view reason;  // why the time is not that of one kernel of a known configuration; ""
  std::int64_t rows() const { return length == 262'144 ? 8'192 : 32'768; }
};
std::span<const PublishedCell> published_cells();

// How a block computes its rows.
struct RowConfiguration {
  std::int64_t threads = 32;      // of a row in one block
  std::int64_t rows = 1;          // of a block, each by threads of its own
  std::int64_t turns = 1;         // as many rows again, one after the other
  std::int64_t vector = 8;        // elements of an access
  bool is_unrolled = false;       // all that a thread reads of a row is under way at the same time
  std::vector<Memory> kept = {};  // where a row stays, one copy made of the other; none: read again
  bool is_online = false;         // the maximum and the sum of a softmax in one pass
  std::int64_t cluster = 1;       // blocks that share a row
};
RowConfiguration configuration(const PublishedCell& cell);

}  // namespace selvage::test
