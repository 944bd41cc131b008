#pragma once

#include <selvage/expr/expr.h>

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_set>
#include <vector>

namespace selvage {

// What is remembered of expressions, by id. Pages are made when first asked for, so that a memo in
// a large pool costs what is used of it; references stay good.
template <class T>
class Memo {
 public:
  T& operator[](Expr e) {
    const std::size_t page = e.id() / kPage;
    if (page >= pages_.size()) pages_.resize(page + 1);
    if (pages_[page] == nullptr) pages_[page] = std::make_unique<Page>();
    return (*pages_[page])[e.id() % kPage];
  }
  template <class Change>
  void each(Change change) {
    for (const auto& page : pages_) {
      if (page == nullptr) continue;
      for (T& t : *page) change(t);
    }
  }
  void clear() { pages_.clear(); }

 private:
  static constexpr std::size_t kPage = 16;
  using Page = std::array<T, kPage>;
  std::vector<std::unique_ptr<Page>> pages_;
};

// e and what lies beneath it, Let looked through, down to what is known: operands first.
template <class Known>
std::vector<Expr> unknown_below(Expr e, Known known) {
  std::unordered_set<std::uint32_t> seen = {e.id()};
  std::vector<Expr> nodes = {e};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (Expr a : nodes[i].args()) {
      if (!known(a) && seen.insert(a.id()).second) nodes.push_back(a);
    }
  }
  std::sort(nodes.begin(), nodes.end(), [](Expr a, Expr b) { return a.id() < b.id(); });
  return nodes;
}

}  // namespace selvage
