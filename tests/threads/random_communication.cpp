#include "tests/threads/random_terms.h"
#include "tests/threads/random_threads.h"

#include <algorithm>
#include "tests/threads/thread_view.h"

namespace selvage::thread_oracle {

namespace {

using Op = Term::Op;
using Kind = Item::Kind;

// Every part writes to arrays of its own before each of its meetings, and behind it some thread
// reads what another one has written. So the part has to have them all, whatever stands around.
class Maker {
 public:
  explicit Maker(std::uint64_t seed) : draws_(seed), terms_(case_, draws_) {}

  ThreadCase draw() {
    const std::int64_t blocks = draws_.one_in(2) ? draws_.between(1, 3) : 0;
    has_blocks_ = blocks > 0;
    is_cut_ = has_blocks_ && draws_.one_in(2);
    case_.outermost.kind = Kind::Parallel;
    if (has_blocks_) {
      site_.indices = {new_index(blocks)};
      case_.outermost.levels.push_back({.indices = site_.indices});
    }
    Level threads{.indices = {}};
    n_ = 1;
    for (std::int64_t extent : thread_extents()) {
      const int v = new_index(extent);
      n_ *= extent;
      threads.indices.push_back(v);
      site_.indices.push_back(v);
      site_.block_indices.push_back(v);
    }
    const std::int64_t parts = draws_.between(1, 3);
    Item inner{.kind = Kind::Parallel, .levels = {threads}};
    for (std::int64_t k = 0; k < parts; ++k) part(inner.body);
    if (!is_cut_) {
      case_.outermost.levels.push_back(threads);
      case_.outermost.body = inner.body;
    } else {
      outer_part(inner);
    }
    complete_levels(case_);
    return std::move(case_);
  }

 private:
  int new_index(std::int64_t extent) {
    return terms_.new_variable("p", Variable::Kind::Parallel, extent);
  }
  std::vector<std::int64_t> thread_extents() {
    switch (draws_.between(0, 3)) {
      case 0: return {draws_.between(2, 40)};
      case 1: return {32 * draws_.between(1, 3)};
      case 2: return {draws_.between(2, 5), draws_.between(1, 6)};
      default: return {draws_.between(1, 3), 32};
    }
  }

  TermRef t() const { return terms_.number_in_block(site_); }
  int shared(std::int64_t n) { return terms_.new_array(ArrayOf::Memory::Shared, {n}); }
  Item store(TermRef target, TermRef value, bool is_update = false) {
    return {.kind = Kind::Assign,
            .target = std::move(target),
            .value = std::move(value),
            .is_update = is_update};
  }
  Item together(Item item) { return {.kind = Kind::Do, .body = {std::move(item)}}; }
  Item write(int array) {
    return together(store(terms_.in_array(array, {t()}), terms_.value(site_)));
  }
  // Of `members` that are the first threads, each reads the element of another.
  Item read(int array, std::int64_t members) {
    const TermRef other =
        make(Op::Mod, make(Op::Add, t(), number(members == 1 ? 1 : draws_.between(1, members - 1))),
             number(members));
    return together(
        store(terms_.own_element(site_), terms_.in_array(array, {other}), draws_.one_in(2)));
  }
  Item in_threads(std::int64_t members, std::vector<Item> body) {
    return {.kind = Kind::InThreads,
            .term = make(Op::Less, t(), number(members)),
            .body = std::move(body)};
  }
  Item sync(const char* among) { return {.kind = Kind::Sync, .name = among}; }
  // Of the first threads, such that they can wait for one another.
  std::int64_t some_members(std::int64_t of) {
    return of > 32 ? 32 * draws_.between(1, of / 32) : draws_.between(2, of);
  }

  void part(std::vector<Item>& body) {
    switch (draws_.between(0, 6)) {
      case 0: {
        const int s = shared(n_);
        body.insert(body.end(), {write(s), sync("shared"), read(s, n_)});
        return;
      }
      case 1: {  // the end of an inthreads
        const std::int64_t members = draws_.between(1, n_);
        const int s = shared(n_);
        body.insert(body.end(), {in_threads(members, {write(s)}), read(s, members)});
        return;
      }
      case 2: {  // in a loop: before the elements are read, and before they are written again
        Item loop{.kind = Kind::For};
        loop.variable = terms_.new_variable("i", Variable::Kind::Loop, draws_.between(2, 3));
        loop.index = case_.variables[std::size_t(loop.variable)].name;
        loop.extent = number(terms_.extent(loop.variable));
        const int s = shared(n_);
        loop.body = {write(s), sync("shared"), read(s, n_), sync("shared")};
        body.push_back(loop);
        return;
      }
      case 3: {  // in a region, and at its end
        const std::int64_t members = some_members(n_);
        const int s = shared(n_), last = shared(n_);
        body.push_back(
            in_threads(members, {write(s), sync("region"), read(s, members), write(last)}));
        body.push_back(read(last, members));
        return;
      }
      case 4: {  // one in another
        const std::int64_t members = some_members(n_), fewer = draws_.between(1, members);
        const int s = shared(n_), last = shared(n_);
        body.push_back(
            in_threads(members, {in_threads(fewer, {write(s)}), read(s, fewer), write(last)}));
        body.push_back(read(last, members));
        return;
      }
      case 5: {  // regions side by side
        if (n_ < 3) return part(body);
        const std::int64_t cut = draws_.between(1, n_ - 1);
        const int s = shared(n_);
        Item low = in_threads(cut, {write(s)});
        Item high{.kind = Kind::InThreads,
                  .term = make(Op::GreaterEqual, t(), number(cut)),
                  .body = {write(s)}};
        low.is_async = high.is_async = true;
        body.insert(body.end(), {low, high, sync("shared"), read(s, n_)});
        return;
      }
      default: {
        if (n_ > 32 && n_ % 32 != 0) return part(body);
        const std::int64_t lanes = std::min<std::int64_t>(n_, 32);
        const int s = shared(n_);
        const TermRef lane = make(Op::Mod, make(Op::Add, t(), number(1)), number(lanes));
        const TermRef other =
            make(Op::Add, make(Op::Mul, make(Op::Div, t(), number(lanes)), number(lanes)), lane);
        body.insert(body.end(),
                    {write(s), sync("warp"),
                     together(store(terms_.own_element(site_), terms_.in_array(s, {other})))});
      }
    }
  }

  // Beside the inner levels something is written that they read, and the other way round; perhaps
  // in a loop, in some of its iterations, or of the blocks.
  void outer_part(Item& inner) {
    Site outer;
    outer.indices = {site_.indices[0]};
    const int s = shared(1), back = shared(n_);
    std::vector<Item> body;
    body.push_back(together(store(terms_.in_array(s, {number(0)}), terms_.value(outer))));
    inner.body.push_back(
        together(store(terms_.own_element(site_), terms_.in_array(s, {number(0)}), true)));
    inner.body.push_back(write(back));
    body.push_back(inner);
    body.push_back(
        together(store(terms_.own_element(outer), terms_.in_array(back, {number(n_ - 1)}))));
    if (draws_.one_in(2)) {
      case_.outermost.body = std::move(body);
      return;
    }
    Item loop{.kind = Kind::For};
    loop.variable = terms_.new_variable("i", Variable::Kind::Loop, 3);
    const auto named = [&](int v) { return variable(v, case_.variables[std::size_t(v)].name); };
    loop.index = case_.variables[std::size_t(loop.variable)].name;
    loop.extent = number(3);
    if (draws_.one_in(2)) loop.term = make(Op::Greater, named(loop.variable), number(0));
    if (!loop.term && draws_.one_in(2)) {
      loop.term = make(Op::LessEqual, named(outer.indices[0]), number(draws_.between(0, 1)));
    }
    loop.body = std::move(body);
    case_.outermost.body = {std::move(loop)};
  }

  ThreadCase case_;
  Draws draws_;
  Terms terms_;
  Site site_;
  std::int64_t n_ = 1;
  bool has_blocks_ = false, is_cut_ = false;
};

}  // namespace

ThreadCase random_communication(std::uint64_t seed) { return Maker(seed).draw(); }

}  // namespace selvage::thread_oracle
