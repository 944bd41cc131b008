#pragma once

#include <selvage/base/random.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace selvage {

// Shuffles the items (Fisher and Yates): every order is as likely as the others; the same seed
// gives the same order.
template <class T>
void shuffle(std::vector<T>& items, SplitMix64& random) {
  for (std::size_t n = items.size(); n > 1; --n) std::swap(items[n - 1], items[random.next() % n]);
}

}  // namespace selvage
