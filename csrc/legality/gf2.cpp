#include <selvage/legality/gf2.h>

#include <algorithm>
#include <bit>

namespace selvage {

std::uint64_t LinearMap::operator()(std::uint64_t x) const {
  std::uint64_t y = 0;
  for (std::size_t i = 0; i < images.size(); ++i) {
    if ((x >> i & 1) != 0) y ^= images[i];
  }
  return y;
}

// Clears the highest bits of the basis from each image: the rest is 0 or a new basis vector.
int rank(std::span<const std::uint64_t> images, std::uint64_t mask) {
  std::vector<std::uint64_t> basis;
  for (std::uint64_t image : images) {
    std::uint64_t rest = image & mask;
    for (std::uint64_t b : basis) rest = std::min(rest, rest ^ b);
    if (rest != 0) basis.push_back(rest);
  }
  return int(basis.size());
}

}  // namespace selvage
