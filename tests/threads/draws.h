#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace selvage::thread_oracle {

// What random programs are drawn from.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : engine_(seed) {}

  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + std::int64_t(engine_() % std::uint64_t(most - least + 1));
  }
  bool one_in(std::int64_t n) { return between(1, n) == 1; }
  template <class T>
  const T& of(const std::vector<T>& all) {
    return all[std::size_t(between(0, std::int64_t(all.size()) - 1))];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace selvage::thread_oracle
