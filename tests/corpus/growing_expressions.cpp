#include "tests/corpus/growing_expressions.h"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

namespace selvage::growth {

namespace {

struct Builder {
  Problem p;

  Expr constant(std::int64_t value) { return p.pool->constant(value); }
  Expr loop(const std::string& name, Expr extent) {
    const Expr symbol = p.pool->symbol(name);
    p.facts.loop(symbol, extent);
    return symbol;
  }
  Expr loop(std::size_t k, std::int64_t extent) {
    return loop("i" + std::to_string(k), constant(extent));
  }
  Expr size(const std::string& name) {
    const Expr symbol = p.pool->symbol(name);
    p.facts.bound(symbol, constant(1), constant(4096));
    return symbol;
  }
  Expr size(std::size_t k) { return size("N" + std::to_string(k)); }
  Problem done(Expr e) {
    p.expression = e;
    return std::move(p);
  }
};

// Terms far from the order in which a canonical sum has them.
Expr sum_of_scattered(const std::vector<Expr>& terms) {
  constexpr std::size_t kStride = 7919;
  Expr sum;
  std::vector<bool> used(terms.size());
  for (std::size_t k = 0, at = 0; k < terms.size(); ++k, at = (at + kStride) % terms.size()) {
    while (used[at]) at = (at + 1) % terms.size();
    used[at] = true;
    sum = sum.valid() ? sum + terms[at] : terms[at];
  }
  return sum;
}

std::size_t parts(std::size_t nodes, std::size_t each) {
  return std::max<std::size_t>(1, nodes / each);
}

Problem sum_of_loops(std::size_t nodes) {
  Builder b;
  std::vector<Expr> terms;
  for (std::size_t k = 0; k < parts(nodes, 4); ++k) {
    terms.push_back(b.loop(k, 8) * (std::int64_t(k % 13) + 1));
  }
  return b.done(sum_of_scattered(terms));
}

Problem sum_of_eight_loops(std::size_t nodes) {
  Builder b;
  std::vector<Expr> loops, terms;
  for (std::size_t k = 0; k < 8; ++k) loops.push_back(b.loop(k, 8));
  for (std::size_t k = 0; k < parts(nodes, 4); ++k) {
    terms.push_back(loops[k % 8] * (std::int64_t(k % 13) - 6));
  }
  return b.done(sum_of_scattered(terms));
}

// x/1000*1000 + x/10%100*10 + x%10 for many x.
Problem digits(std::size_t nodes) {
  Builder b;
  std::vector<Expr> terms;
  for (std::size_t k = 0; k < parts(nodes, 18); ++k) {
    const Expr x = b.loop(k, 1'000'000);
    terms.insert(terms.end(), {x / 1000 * 1000, x / 10 % 100 * 10, x % 10});
  }
  return b.done(sum_of_scattered(terms));
}

// The same with radices that are symbols.
Problem symbolic_digits(std::size_t nodes) {
  Builder b;
  const Expr n = b.size("N"), m = b.size("M");
  std::vector<Expr> terms;
  for (std::size_t k = 0; k < parts(nodes, 22); ++k) {
    const Expr x = b.loop("i" + std::to_string(k), n * m * 16);
    terms.insert(terms.end(), {x / (n * m) * (n * m), x / m % n * m, x % m});
  }
  return b.done(sum_of_scattered(terms));
}

// Sixty binary digits of one number, as many numbers as it takes.
Problem long_digits(std::size_t nodes) {
  Builder b;
  std::vector<Expr> terms;
  const std::size_t all = parts(nodes, 8);
  for (std::size_t k = 0; k < all; ++k) {
    const Expr x = b.loop(k / 60, std::int64_t{1} << 61);
    const std::int64_t place = std::int64_t{1} << (k % 60);
    terms.push_back(x / place % 2 * place);
  }
  return b.done(sum_of_scattered(terms));
}

Expr split_and_merged(Expr x, std::size_t rounds) {
  for (std::size_t k = 0; k < rounds; ++k) {
    const std::int64_t f = std::int64_t(k % 5) + 2;
    x = x / f * f + x % f;
  }
  return x;
}

// Split and merged again and again; written out the text doubles with each round.
Problem rounds(std::size_t nodes) {
  Builder b;
  return b.done(
      split_and_merged(b.loop(0, 1'000'000), std::size_t(std::bit_width(parts(nodes, 4)))));
}
Problem shared_rounds(std::size_t nodes) {
  Builder b;
  return b.done(split_and_merged(b.loop(0, 1'000'000), parts(nodes, 4)));
}

Problem symbolic_rounds(std::size_t nodes) {
  Builder b;
  const Expr n = b.size("N"), m = b.size("M");
  Expr x = b.loop("i0", n * m * 64);
  for (std::size_t k = 0; k < parts(nodes, 4); ++k) {
    const Expr f = k % 3 == 0 ? n : k % 3 == 1 ? m : n * 2;
    x = x / f * f + x % f;
  }
  return b.done(x);
}

// (a, b) become (a/4 merged with b%4, b/4 merged with a%4), again and again.
Problem crossed(std::size_t nodes) {
  Builder b;
  Expr x = b.loop(0, 64), y = b.loop(1, 64);
  for (std::size_t k = 0; k < parts(nodes, 10); ++k) {
    const Expr next = x / 4 * 4 + y % 4;
    y = y / 4 * 4 + x % 4;
    x = next;
  }
  return b.done(x);
}

// The same with factors that do not divide one another.
Problem crossed_with_holes(std::size_t nodes) {
  Builder b;
  Expr x = b.loop(0, 60), y = b.loop(1, 77);
  for (std::size_t k = 0; k < parts(nodes, 10); ++k) {
    const std::int64_t f = std::int64_t(k % 3) + 4;
    const Expr next = x / f * f + y % f;
    y = y / f * (f + 1) + x % f;
    x = next;
  }
  return b.done(x);
}

Problem nested_quotients(std::size_t nodes) {
  Builder b;
  Expr x = b.loop(0, std::int64_t{1} << 60);
  for (std::size_t k = 0; k < parts(nodes, 4); ++k) x = (x + std::int64_t(k % 7) + 1) / 2;
  return b.done(x);
}

Problem nested_symbolic_quotients(std::size_t nodes) {
  Builder b;
  Expr x = b.loop(0, std::int64_t{1} << 60);
  for (std::size_t k = 0; k < parts(nodes, 2); ++k) x = x / b.size(k);
  return b.done(x);
}

Problem nested_remainders(std::size_t nodes) {
  Builder b;
  Expr x = b.loop(0, std::int64_t{1} << 60);
  const std::size_t all = parts(nodes, 2);
  for (std::size_t k = 0; k < all; ++k) x = x % std::int64_t(1'000'003 + 17 * (all - k));
  return b.done(x);
}

Problem nested_shifted_remainders(std::size_t nodes) {
  Builder b;
  Expr x = b.loop(0, std::int64_t{1} << 60);
  for (std::size_t k = 0; k < parts(nodes, 6); ++k) {
    x = x / 2 * 3 + x % std::int64_t(1000 + k % 17);
    x = x % 1'000'003;
  }
  return b.done(x);
}

Expr all_of(const std::vector<Expr>& clauses) {
  Expr all = clauses.front();
  for (std::size_t k = 1; k < clauses.size(); ++k) all = all && clauses[k];
  return all;
}

Problem conjunction(std::size_t nodes) {
  Builder b;
  std::vector<Expr> clauses;
  for (std::size_t k = 0; k < parts(nodes, 8); ++k) {
    clauses.push_back(b.loop(2 * k, 100) * 8 + b.loop(2 * k + 1, 8) < b.size(k));
  }
  return b.done(all_of(clauses));
}

// i0 < i1 && i1 < i2 && ...
Problem conjunction_in_order(std::size_t nodes) {
  Builder b;
  std::vector<Expr> clauses;
  const std::size_t all = parts(nodes, 4) + 1;
  Expr last = b.loop(0, 1 << 20);
  for (std::size_t k = 1; k < all; ++k) {
    const Expr next = b.loop(k, 1 << 20);
    clauses.push_back(last < next);
    last = next;
  }
  return b.done(all_of(clauses));
}

// All follow from one.
Problem conjunction_of_implied(std::size_t nodes) {
  Builder b;
  const Expr i = b.loop(0, 1 << 20), n = b.size("N");
  std::vector<Expr> clauses;
  for (std::size_t k = 0; k < parts(nodes, 6); ++k) clauses.push_back(i + std::int64_t(k) < n);
  return b.done(all_of(clauses));
}

// The parts of one split index, checked again and again.
Problem conjunction_of_digits(std::size_t nodes) {
  Builder b;
  const Expr i = b.loop(0, 1 << 20), n = b.size("N");
  std::vector<Expr> clauses;
  for (std::size_t k = 0; k < parts(nodes, 16); ++k) {
    const std::int64_t f = std::int64_t(k) + 2;
    clauses.push_back(i / f < n);
    clauses.push_back(i / f * f + i % f < n * 3);
  }
  return b.done(all_of(clauses));
}

// Loops each of which starts at the one around it.
Problem conjunction_over_a_simplex(std::size_t nodes) {
  Builder b;
  std::vector<Expr> clauses;
  const Expr first = b.loop(0, 1 << 20);
  Expr last = first;
  for (std::size_t k = 1; k < parts(nodes, 4) + 1; ++k) {
    const Expr next = b.loop("i" + std::to_string(k), last + 1);
    clauses.push_back(next <= first);
    last = next;
  }
  return b.done(all_of(clauses));
}

Problem disjunction(std::size_t nodes) {
  Builder b;
  Expr any;
  for (std::size_t k = 0; k < parts(nodes, 8); ++k) {
    const Expr one = b.loop(2 * k, 100) * 8 + b.loop(2 * k + 1, 8) < b.size(k);
    any = any.valid() ? any || one : one;
  }
  return b.done(any);
}

Problem product(std::size_t nodes) {
  Builder b;
  Expr product = b.constant(1);
  for (std::size_t k = 0; k < parts(nodes, 4); ++k) product = product * (b.loop(k, 100) + 1);
  return b.done(product);
}

Problem product_of_sums(std::size_t nodes) {
  Builder b;
  std::vector<Expr> left, right;
  for (std::size_t k = 0; k < parts(nodes, 4); ++k) {
    left.push_back(b.loop(2 * k, 100));
    right.push_back(b.loop(2 * k + 1, 100));
  }
  return b.done(sum_of_scattered(left) * sum_of_scattered(right));
}

Problem choices(std::size_t nodes) {
  Builder b;
  Expr chosen = b.constant(0);
  const Expr i = b.loop(0, 1 << 20);
  for (std::size_t k = 0; k < parts(nodes, 6); ++k) {
    chosen = select(i < b.size(k), i + std::int64_t(k), chosen);
  }
  return b.done(chosen);
}

Problem minima(std::size_t nodes) {
  Builder b;
  Expr least = b.loop(0, 1 << 20);
  for (std::size_t k = 1; k < parts(nodes, 6); ++k) {
    const Expr next = b.loop(k, 1 << 20) * 3 + 1;
    least = k % 2 == 0 ? min(least, next) : max(least, next);
  }
  return b.done(least);
}

Problem exclusive_or(std::size_t nodes) {
  Builder b;
  Expr mixed = b.loop(0, 1024);
  for (std::size_t k = 1; k < parts(nodes, 4); ++k) mixed = mixed ^ (b.loop(k, 1024) / 2);
  return b.done(mixed);
}

// A short expression under a long guard.
Problem long_guard(std::size_t nodes) {
  Problem p = conjunction(nodes);
  p.facts.assume(p.expression);
  const Expr i = p.pool->symbol("i0"), j = p.pool->symbol("i1");
  p.expression = (i * 8 + j) / 8 * 8 + (i * 8 + j) % 8;
  return p;
}

// i0 <= i1, i1 <= i2, ... are given; is i0 <= the last?
Problem order_given(std::size_t nodes) {
  Builder b;
  const Expr first = b.loop(0, 1 << 20);
  Expr last = first;
  for (std::size_t k = 1; k < parts(nodes, 4) + 1; ++k) {
    const Expr next = b.loop(k, 1 << 20);
    b.p.facts.assume(last <= next);
    last = next;
  }
  return b.done(first <= last);
}

constexpr Family kFamilies[] = {
    {"sum/loops", sum_of_loops},
    {"sum/eight_loops", sum_of_eight_loops},
    {"sum/digits", digits},
    {"sum/symbolic_digits", symbolic_digits},
    {"sum/long_digits", long_digits},
    {"nested/rounds", rounds},
    {"nested/shared_rounds", shared_rounds},
    {"nested/symbolic_rounds", symbolic_rounds},
    {"nested/crossed", crossed},
    {"nested/crossed_with_holes", crossed_with_holes},
    {"nested/quotients", nested_quotients},
    {"nested/symbolic_quotients", nested_symbolic_quotients},
    {"nested/remainders", nested_remainders},
    {"nested/shifted_remainders", nested_shifted_remainders},
    {"truth/conjunction", conjunction},
    {"truth/in_order", conjunction_in_order},
    {"truth/implied", conjunction_of_implied},
    {"truth/digits", conjunction_of_digits},
    {"truth/simplex", conjunction_over_a_simplex},
    {"truth/disjunction", disjunction},
    {"truth/long_guard", long_guard},
    {"truth/order_given", order_given},
    {"product/factors", product},
    {"product/two_sums", product_of_sums},
    {"choice/select", choices},
    {"choice/min_max", minima},
    {"choice/xor", exclusive_or},
};

}  // namespace

std::span<const Family> families() { return kFamilies; }

}  // namespace selvage::growth
