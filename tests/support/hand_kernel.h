#pragma once

#include <selvage/base/array.h>
#include <selvage/kernel/kernel.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace selvage::test {

// A kernel written down by hand, statement by statement.
struct HandKernel {
  explicit HandKernel(std::string name, IndexType type = IndexType::Int32)
      : pool(std::make_shared<ExprPool>()),
        kernel{.name = std::move(name),
               .pool = pool,
               .buffers = {},
               .sizes = {},
               .launch = {{c(1), c(1), c(1)}, {c(1), c(1), c(1)}, c(0)},
               .index_type = type,
               .condition = pool->truth(true),
               .values = {},
               .body = {},
               .facts = Facts(*pool)} {}

  Expr c(std::int64_t v) const { return pool->constant(v); }
  Expr size(const std::string& name) {
    kernel.sizes.push_back(pool->symbol(name));
    kernel.facts.bound(kernel.sizes.back(), c(1), {});
    return kernel.sizes.back();
  }
  Expr variable(const std::string& name, Expr extent) {
    const Expr v = pool->symbol(name);
    kernel.facts.loop(v, extent);
    return v;
  }
  BufferId input(const std::string& name, DataType type, Expr elements) {
    kernel.buffers.push_back({name, type, Memory::Global, elements, false});
    return BufferId(kernel.buffers.size() - 1);
  }
  BufferId output(const std::string& name, DataType type, Expr elements) {
    kernel.buffers.push_back({name, type, Memory::Global, elements, true});
    return BufferId(kernel.buffers.size() - 1);
  }
  BufferId shared(const std::string& name, DataType type, std::int64_t elements,
                  std::optional<std::int64_t> offset = {}) {
    kernel.buffers.push_back({.name = name,
                              .type = type,
                              .memory = Memory::Shared,
                              .elements = c(elements),
                              .is_written = true,
                              .offset = offset});
    return BufferId(kernel.buffers.size() - 1);
  }
  BufferId local(const std::string& name, DataType type, std::int64_t elements = 1) {
    kernel.buffers.push_back({name, type, Memory::Local, c(elements), true});
    return BufferId(kernel.buffers.size() - 1);
  }
  ValueId read(BufferId b, Expr address) {
    return kernel.values.read(kernel.buffers[b].type, b, {address});
  }

  std::shared_ptr<ExprPool> pool;
  Kernel kernel;
};

inline Statement loop(Expr variable, Expr extent, Body body,
                      ParallelType parallel = ParallelType::Serial) {
  return {Loop{variable, extent, parallel, std::move(body)}};
}
inline Statement define(Expr variable, Expr value) { return {Define{variable, value}}; }
inline Statement guard(Expr condition, Body body) { return {Guard{condition, std::move(body)}}; }
inline Statement store(BufferId b, Expr address, ValueId value, std::vector<Expr> valid = {},
                       bool duplicates_allowed = false) {
  return {Store{b, address, value, std::move(valid), duplicates_allowed}};
}

inline Statement guard(Expr condition, Body body, Body otherwise) {
  return {Guard{condition, std::move(body), std::move(otherwise)}};
}
inline Statement update(BufferId b, Expr address, Function atomic, ValueId value) {
  Store s{b, address, value, {}};
  s.atomic = atomic;
  return {s};
}
inline Statement barrier(Barrier::Scope scope = Barrier::Scope::Block) { return {Barrier{scope}}; }
inline Statement shuffle(BufferId to, Expr to_address, BufferId from, Expr from_address,
                         std::int64_t mask) {
  return {Shuffle{to, from, to_address, from_address, mask}};
}

// Elements drawn at random, the awkward ones often: ends of ranges, zeros, infinities, NaN.
inline Array random_array(DataType type, std::int64_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  Array a(type, {n});
  constexpr double kAwkward[] = {0.0,       -0.0,        1.0,          -1.0,          0.5,
                                 1e-7,      -3e-5,       65504.,       7e4,           -3e9,
                                 3e9,       1e19,        -1e19,        1e300,         HUGE_VAL,
                                 -HUGE_VAL, double(NAN), 2147483647.0, -2147483648.0, 127.5};
  constexpr std::int64_t kEnds[] = {0,         1,          -1,        7,        -8,
                                    127,       128,        32767,     65535,    INT32_MAX,
                                    INT32_MIN, UINT32_MAX, INT64_MAX, INT64_MIN};
  for (std::int64_t i = 0; i < n; ++i) {
    const bool awkward = random() % 2 == 0;
    if (is_floating(type)) {
      const double usual = std::uniform_real_distribution(-4.0, 4.0)(random);
      a.set(i, awkward ? kAwkward[random() % std::size(kAwkward)] : usual);
    } else {
      const auto usual = std::int64_t(random() % 41) - 20;
      a.set_int(i, awkward ? kEnds[random() % std::size(kEnds)] : usual);
    }
  }
  return a;
}

// Equal to the last bit, but that one NaN is as good as another.
inline bool same_element(const Array& a, const Array& b, std::int64_t k) {
  const auto size = std::size_t(size_of(a.type));
  const auto at = std::ptrdiff_t(k) * std::ptrdiff_t(size);
  if (std::equal(a.bytes.begin() + at, a.bytes.begin() + at + std::ptrdiff_t(size),
                 b.bytes.begin() + at)) {
    return true;
  }
  return is_floating(a.type) && std::isnan(a.get(k)) && std::isnan(b.get(k));
}

}  // namespace selvage::test
