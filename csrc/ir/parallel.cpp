#include <selvage/base/check.h>
#include <selvage/ir/parallel.h>

#include <array>

namespace selvage {

namespace {

constexpr std::array<std::string_view, 15> kNames = {
    "Serial",    "BIDx",   "BIDy",     "BIDz", "TIDx",  "TIDy", "TIDz",     "DIDx",
    "Vectorize", "Unroll", "Unswitch", "Bulk", "Group", "CIDx", "Multicast"};
static_assert(kNames.size() == std::size_t(ParallelType::Multicast) + 1);

}  // namespace

std::string_view to_string(ParallelType type) {
  SELVAGE_CHECK(std::size_t(type) < kNames.size());
  return kNames[std::size_t(type)];
}

std::string_view to_string(CopyBy by) {
  switch (by) {
    case CopyBy::LoadStore: return "ldst";
    case CopyBy::CpAsync: return "cp_async";
    case CopyBy::Bulk: return "bulk";
    case CopyBy::Tma: break;
  }
  return "tma";
}

std::optional<ParallelType> parse_parallel_type(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return ParallelType(i);
  }
  return std::nullopt;
}

}  // namespace selvage
