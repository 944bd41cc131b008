// Runs kernels that are written down by hand, without sizes, on random arrays.
#pragma once

#include <selvage/emulate/emulate.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/support/hand_kernel.h"

namespace selvage::test {

struct Ran : Emulation {
  std::vector<Array> arrays;
  std::int64_t item(BufferId b, std::int64_t k) const { return arrays[b].get_int(k); }
};
// `given`: the items that some buffers begin with.
inline Ran run(const Kernel& kernel,
               const std::map<BufferId, std::vector<std::int64_t>>& given = {},
               std::uint64_t seed = 0) {
  std::vector<Array> arrays;
  for (const Buffer& b : kernel.buffers) {
    arrays.push_back(random_array(b.type, b.elements.value(), unsigned(arrays.size() + 1)));
  }
  for (const auto& [b, items] : given) {
    for (std::size_t k = 0; k < items.size(); ++k) arrays[b].set_int(std::int64_t(k), items[k]);
  }
  std::vector<Array*> pointers;
  for (Array& a : arrays) pointers.push_back(&a);
  Emulation e = emulate(kernel, {}, pointers, {.order = RunOrder::from_seed(seed)});
  return {std::move(e), std::move(arrays)};
}
inline Ran run(const Kernel& kernel, std::uint64_t seed) { return run(kernel, {}, seed); }

inline std::set<FaultKind> kinds(const Emulation& e) {
  std::set<FaultKind> all;
  for (const auto& [kind, count] : e.counts) all.insert(kind);
  return all;
}
inline std::string first_fault(const Emulation& e) {
  return e.faults.empty() ? "" : e.faults[0].text;
}
inline const std::set<FaultKind> kNone, kRace = {FaultKind::Race};

}  // namespace selvage::test
