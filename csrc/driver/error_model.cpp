#include <selvage/driver/error_model.h>
#include <selvage/lower/long_sums.h>

namespace selvage {

namespace {

constexpr double kFunctionUnits = 64;

// The longest chain of additions in one nest: those of a thread in a row and to the sum of its
// parts, two rounds of five shuffles along x, and the threads along y and z.
constexpr std::int64_t kLongestInNest = kMostAddedInARow + 4 + 10 + 1024;

}  // namespace

ErrorModel error_model(const Program& program, Machine machine) {
  ErrorModel model;
  if (machine == Machine::Gpu) model.functions = kFunctionUnits;
  if (program.schedule == nullptr) return model;  // nothing is lowered
  const Schedule& schedule = *program.schedule;
  const Fusion& fusion = schedule.fusion();
  std::int64_t nests = 1;  // one after the other: parts, and those that merge them
  bool blocks_meet = false;
  for (std::size_t t = 0; t < fusion.size(); ++t) {
    const TensorInfo& tensor = fusion[TensorId(t)];
    if (tensor.fold && tensor.fold->is_partial) ++nests;
    blocks_meet = blocks_meet || (tensor.fold && schedule.meets_atomically(TensorId(t)));
  }
  if (!blocks_meet) model.longest_chain = [nests](std::int64_t) { return nests * kLongestInNest; };
  return model;
}

}  // namespace selvage
