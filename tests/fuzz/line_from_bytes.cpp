#include "tests/fuzz/line_from_bytes.h"

#include <selvage/expr/text.h>

#include <algorithm>
#include <iterator>

namespace selvage::fuzz {

namespace {

using corpus::Line;

constexpr int kDepth = 6;  // of expressions

class Decoder {
 public:
  explicit Decoder(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  Line line() {
    Line line{"fuzz", "T", {}, {}, "", ""};
    for (std::size_t k = 0, n = below(4); k < n; ++k) line.parameters.push_back(parameter());
    for (std::size_t k = 0, n = below(5); k < n; ++k) {
      const std::string name = "i" + std::to_string(k);
      line.loops.emplace_back(name, to_string(extent()));
      loops_.push_back(pool_.symbol(name));
    }
    const bool is_truth = below(3) == 0, is_guarded = below(2) == 0;
    line.expression = to_string(is_truth ? truth(kDepth) : integer(kDepth));
    if (is_guarded) line.guard = to_string(truth(3));
    return line;
  }

 private:
  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    const std::uint8_t b = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return b;
  }
  std::size_t below(std::size_t n) { return byte() % n; }

  Expr constant(std::int64_t value) { return pool_.constant(value); }

  // At or next to an end of 32 or 64 bits, or half of one.
  std::int64_t large() {
    constexpr std::int64_t kLarge[] = {
        INT32_MAX,     INT32_MIN, std::int64_t{1} << 32, INT64_MAX, INT64_MIN, INT64_MAX / 2,
        INT64_MIN / 2, 3037000500};  // the last: just past sqrt(2^63)
    const std::int64_t v = kLarge[below(std::size(kLarge))];
    const std::int64_t off = std::int64_t(below(4));
    return v > 0 ? v - off : v + off;
  }
  std::int64_t number() {
    switch (below(8)) {
      case 0: return large();
      case 1: return -1 - std::int64_t(below(64));
      case 2: return std::int64_t{1} << below(12);
      default: return std::int64_t(below(40));
    }
  }

  Line::Parameter parameter() {
    const std::string name = "N" + std::to_string(parameters_.size());
    parameters_.push_back(pool_.symbol(name));
    switch (below(6)) {
      case 0: return {name, 1, 4096};
      case 1: return {name, -std::int64_t(below(20)), std::int64_t(below(20))};
      case 2: {
        const std::int64_t one = large(), other = number();
        return {name, std::min(one, other), std::max(one, other)};
      }
      case 3: {
        const std::int64_t only = std::int64_t(below(9));
        return {name, only, only};
      }
      default: return {name, 1, 1 + std::int64_t(below(16))};
    }
  }

  Expr parameter_or_number() {
    if (parameters_.empty()) return constant(1 + std::int64_t(below(32)));
    return parameters_[below(parameters_.size())];
  }
  Expr extent() {
    const Expr n = parameter_or_number();
    switch (below(8)) {
      case 0: return ceil_div(n, constant(1 + std::int64_t(below(16))));
      case 1: return n * constant(1 + std::int64_t(below(16)));
      case 2: return n * parameter_or_number();
      case 3: return loops_.empty() ? n : loops_.back() + 1;
      case 4: return loops_.empty() ? n : n - loops_[below(loops_.size())];
      case 5: return constant(std::max<std::int64_t>(1, number()));
      case 6: return n;
      default: return constant(1 + std::int64_t(below(64)));
    }
  }

  Expr leaf() {
    const std::size_t pick = below(4);
    if (pick == 0) return constant(number());
    if (pick == 1 && !parameters_.empty()) return parameters_[below(parameters_.size())];
    if (!loops_.empty()) return loops_[below(loops_.size())];
    return parameter_or_number();
  }
  Expr divisor(int depth) {
    switch (below(8)) {
      case 0: return parameter_or_number();
      case 1: {
        const Expr n = parameter_or_number();
        return n * parameter_or_number();
      }
      case 2: {
        const Expr n = parameter_or_number();
        return ceil_div(n, constant(2 + std::int64_t(below(8))));
      }
      case 3: return constant(number());
      case 4: return integer(depth - 1);
      default: return constant(1 + std::int64_t(below(16)));
    }
  }

  // Operands are made in a fixed order: the same bytes mean the same with every compiler.
  Expr integer(int depth) {
    if (depth == 0) return leaf();
    const auto operands = [&](Op op) {
      const Expr a = integer(depth - 1);
      return pool_.make(op, a, integer(depth - 1));
    };
    switch (below(16)) {
      case 0:
      case 1:
      case 2: return operands(Op::Add);
      case 3: return operands(Op::Sub);
      case 4:
      case 5: {
        const Expr a = integer(depth - 1);
        return a * leaf();
      }
      case 6:
      case 7: {
        const Expr a = integer(depth - 1);
        return a / divisor(depth);
      }
      case 8:
      case 9: {
        const Expr a = integer(depth - 1);
        return a % divisor(depth);
      }
      case 10: return operands(below(2) == 0 ? Op::Min : Op::Max);
      case 11: return operands(Op::Xor);
      case 12: {
        const Expr condition = truth(depth - 1), a = integer(depth - 1);
        return select(condition, a, integer(depth - 1));
      }
      case 13: return digits(depth);
      default: return leaf();
    }
  }
  // x / f * f + x % f, or with another factor here and there.
  Expr digits(int depth) {
    const Expr x = integer(depth - 1), f = divisor(depth);
    const Expr g = below(3) == 0 ? divisor(depth) : f;
    return x / f * g + x % f;
  }

  // What may be known of parameters and loops.
  Expr relation() {
    const Expr a = leaf();
    switch (below(4)) {
      case 0: {
        const Expr rest = a % constant(1 + std::int64_t(below(16)));
        return eq(rest, std::int64_t(below(4)));
      }
      case 1: return a <= leaf();
      default: return a < leaf();
    }
  }
  Expr truth(int depth) {
    if (depth == 0) return relation();
    switch (below(9)) {
      case 0: return !truth(depth - 1);
      case 1: {
        const Expr a = truth(depth - 1);
        return a || truth(depth - 1);
      }
      case 2:
      case 3: {
        const Expr a = truth(depth - 1);
        return a && truth(depth - 1);
      }
      case 4: {
        const Expr a = integer(depth - 1);
        return eq(a, integer(depth - 1));
      }
      case 5: {
        const Expr a = integer(depth - 1);
        return a <= integer(depth - 1);
      }
      case 6: return relation();
      default: {
        const Expr a = integer(depth - 1);
        return a < integer(depth - 1);
      }
    }
  }

  std::span<const std::uint8_t> bytes_;
  ExprPool pool_;
  std::vector<Expr> parameters_, loops_;
};

}  // namespace

Line line_from_bytes(std::span<const std::uint8_t> bytes) { return Decoder(bytes).line(); }

}  // namespace selvage::fuzz
