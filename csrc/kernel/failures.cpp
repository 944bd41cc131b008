#include <selvage/kernel/failures.h>

#include <fmt/format.h>

#include <algorithm>

namespace selvage {

namespace {

using Value = std::function<std::optional<std::int64_t>(Expr)>;

// "(5, 0, 0)" of x + y * 2^bits + z * 2^(bits + more).
std::string at_text(std::int64_t packed, int bits, int more) {
  const std::int64_t x = packed & ((std::int64_t{1} << bits) - 1), rest = packed >> bits;
  return fmt::format("({}, {}, {})", x, rest & ((std::int64_t{1} << more) - 1), rest >> more);
}

}  // namespace

std::vector<std::string> failures_in(std::span<const std::int64_t> memory,
                                     const std::vector<ValueCheck>& checks, const Value& value,
                                     std::size_t limit) {
  std::vector<std::string> texts;
  const std::int64_t all = memory[0], recorded = std::min(all, kMostFailures);
  for (std::int64_t k = 0; k < recorded; ++k) {
    const auto field = [&](std::int64_t i) { return memory[std::size_t(5 * k + 1 + i)]; };
    const ValueCheck& check = checks.at(std::size_t(field(0)));
    texts.push_back(failure_text(check, field(1), field(2), check_extents(check, value)) +
                    ", in block " + at_text(field(3), 31, 16) + ", thread " +
                    at_text(field(4), 10, 10));
  }
  // Blocks and threads record in any order.
  std::ranges::sort(texts);
  texts.resize(std::min(texts.size(), limit));
  if (all > std::int64_t(texts.size())) {
    texts.push_back(fmt::format("and {} more of them", all - std::int64_t(texts.size())));
  }
  return texts;
}

}  // namespace selvage
