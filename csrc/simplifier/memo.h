#pragma once

#include <selvage/base/recycling.h>
#include <selvage/expr/expr.h>

#include <algorithm>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

namespace selvage {

// A table with a T for each expression, by id. A page is made when an entry of it is first asked
// for, so a memo in a large pool costs only what is used. References stay valid.
template <class T>
class Memo {
 public:
  Memo() = default;
  Memo(Memo&& other) noexcept : pages_(std::exchange(other.pages_, {})) {}
  Memo& operator=(Memo&& other) noexcept {
    std::swap(pages_, other.pages_);
    return *this;
  }
  ~Memo() {
    for (T* page : pages_) {
      if (page == nullptr) continue;
      std::destroy_n(page, kPage);
      give_back_block(page, sizeof(T) * kPage);
    }
  }

  T& operator[](Expr e) {
    const std::size_t page = e.id() / kPage;
    if (page >= pages_.size() || pages_[page] == nullptr) [[unlikely]]
      add(page);
    return pages_[page][e.id() % kPage];
  }
  template <class Change>
  void each(Change change) {
    for (T* page : pages_) {
      for (std::size_t i = 0; page != nullptr && i < kPage; ++i) change(page[i]);
    }
  }

 private:
  static constexpr std::size_t kPage = 16;

  [[gnu::noinline]] void add(std::size_t page) {
    if (page >= pages_.size()) pages_.resize(page + 1);
    T* const made = static_cast<T*>(take_block(sizeof(T) * kPage));
    std::uninitialized_value_construct_n(made, kPage);
    pages_[page] = made;
  }

  std::vector<T*, Recycling<T*>> pages_;
};

// e and the nodes below it, operands first, looking into Lets but not below nodes that are known.
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

// Questions about deeper expressions call ask_below() first.
inline constexpr std::uint32_t kDeep = 200;

// Calls ask() for the nodes below e that are not known, operands first, so that a question about e
// does not recurse deeply: Lets and chains can have any depth.
template <class Known, class Ask>
void ask_below(Expr e, Known known, Ask ask) {
  for (Expr n : unknown_below(e, known)) {
    if (!same(n, e)) ask(n);
  }
}

}  // namespace selvage
