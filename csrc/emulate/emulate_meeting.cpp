#include <selvage/emulate/emulate_meeting.h>
#include <selvage/emulate/memory_order.h>

#include <algorithm>

namespace selvage {

std::optional<Absence> absence(const Threads& threads, std::int64_t begin, std::int64_t end) {
  std::vector<bool> is_there(std::size_t(end - begin));
  for (std::uint32_t t : threads) {
    if (t >= begin && t < end) is_there[std::size_t(t - begin)] = true;
  }
  const auto first = [&](bool there) {
    return begin + (std::find(is_there.begin(), is_there.end(), there) - is_there.begin());
  };
  if (first(false) == end) return std::nullopt;
  return Absence{std::uint32_t(first(true)), std::uint32_t(first(false))};
}

std::vector<std::int64_t> warps_of(const Threads& threads) {
  std::vector<std::int64_t> begins;
  for (std::uint32_t t : threads) begins.push_back(t / kWarp * kWarp);
  std::sort(begins.begin(), begins.end());
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  return begins;
}

}  // namespace selvage
