#include "tests/threads/random_threads.h"

#include "tests/threads/random_terms.h"
#include "tests/threads/thread_view.h"

namespace selvage::thread_oracle {

namespace {

using Op = Term::Op;
using Kind = Item::Kind;

class ThreadMaker {
 public:
  ThreadMaker(std::uint64_t seed, bool is_quiet)
      : draws_(seed), terms_(case_, draws_), is_quiet_(is_quiet) {
    terms_.reads_outer_often = is_quiet;
  }

  ThreadCase draw() {
    if (draws_.one_in(4)) add_symbol();
    if (draws_.one_in(10)) add_symbol();
    do {
      groups_ = random_levels(draws_, terms_);
    } while (is_quiet_ && groups_.size() < 2);
    find_kinds();
    case_.outermost = parallel(0, {});
    return std::move(case_);
  }

 private:
  void add_symbol() {
    const int v = terms_.new_variable("n", Variable::Kind::Symbol, 1);
    Variable& symbol = case_.variables[std::size_t(v)];
    symbol.min = draws_.between(0, 2);
    symbol.max = symbol.min + draws_.between(0, 7);
  }

  // The levels alone, to learn which are in the block and which are added.
  void find_kinds() {
    Item* at = &case_.outermost;
    at->kind = Kind::Parallel;
    at->levels = groups_[0];
    for (std::size_t g = 1; g < groups_.size(); ++g) {
      at->body.push_back({.kind = Kind::Parallel, .levels = groups_[g]});
      at = &at->body[0];
    }
    complete_levels(case_);
    at = &case_.outermost;
    for (std::vector<Level>& group : groups_) {
      group = at->levels;
      if (!at->body.empty()) at = &at->body[0];
    }
  }

  Item parallel(std::size_t g, Site site) {
    Item item{.kind = Kind::Parallel, .levels = groups_[g]};
    enter_levels(item.levels, site);
    if (g + 1 == groups_.size()) {
      item.body = leaf(site);
      return item;
    }
    const bool was_calm = site.is_calm;
    if (draws_.one_in(5)) item.body.push_back(let(site));
    const std::size_t outer_places = terms_.outer_places.size();
    if (!site.indices.empty()) terms_.outer_places.push_back(site.indices);
    site.is_calm = was_calm;
    beside(site, item.body);
    item.body.push_back(around(g, site));
    if (draws_.one_in(3)) beside(site, item.body);
    if (can_have_sibling(g) && draws_.one_in(2)) {
      item.body.push_back(sibling(g + 1, site));
      if (draws_.one_in(2)) beside(site, item.body);
    }
    terms_.outer_places.resize(outer_places);
    return item;
  }

  void enter_levels(const std::vector<Level>& levels, Site& site) const {
    for (const Level& level : levels) {
      if (level.is_added) {
        site.has_all_indices = false;
        continue;
      }
      for (int v : level.indices) {
        site.indices.push_back(v);
        if (level.is_in_block) site.block_indices.push_back(v);
      }
    }
  }

  // Inner levels, alone or in something.
  Item around(std::size_t g, Site site) {
    const std::int64_t how = draws_.between(0, 9);
    if (how == 0 && !is_quiet_) {
      Item item{.kind = Kind::InThreads, .term = terms_.condition(site)};
      site.is_in_inthreads = true;
      item.body = {parallel(g + 1, site)};
      return item;
    }
    if (how == 1 || how == 2) {
      Item item = loop(site, draws_.between(1, 3));
      site.loops.push_back(item.variable);
      if (draws_.one_in(2)) beside(site, item.body);
      item.body.push_back(parallel(g + 1, site));
      return item;
    }
    return parallel(g + 1, site);
  }

  bool can_have_sibling(std::size_t g) const {
    if (g + 2 != groups_.size() || groups_[g + 1].size() != 1) return false;
    const Level& level = groups_[g + 1][0];
    return level.is_in_block && (level.kind.empty() || level.kind == "thread");
  }
  // The same number of threads by other indices.
  Item sibling(std::size_t g, Site site) {
    std::int64_t all = 1;
    for (int v : groups_[g][0].indices) all *= terms_.extent(v);
    Item item{.kind = Kind::Parallel};
    Level level{.kind = groups_[g][0].kind, .indices = {}};
    for (std::int64_t d : {2, 3, 5}) {
      if (all % d == 0 && level.indices.empty() && draws_.one_in(2)) {
        level.indices.push_back(terms_.new_variable("p", Variable::Kind::Parallel, d));
        all /= d;
      }
    }
    level.indices.push_back(terms_.new_variable("p", Variable::Kind::Parallel, all));
    item.levels = {level};
    enter_levels(item.levels, site);
    item.body = leaf(site);
    return item;
  }

  // Code beside inner levels.
  void beside(Site site, std::vector<Item>& body) {
    site.is_implicit = true;
    site.is_calm = true;
    const std::int64_t n = draws_.between(0, 2);
    for (std::int64_t k = 0; k < n; ++k) {
      switch (draws_.between(0, 5)) {
        case 0: {
          Item item{.kind = Kind::InThreads,
                    .term = terms_.condition(site),
                    .is_async = !site.is_in_inthreads && (is_quiet_ || draws_.one_in(3))};
          site.is_in_inthreads = true;
          item.body = statements(site);
          body.push_back(item);
          site.is_in_inthreads = false;
          break;
        }
        case 1: {
          Item item = loop(site, draws_.between(1, 3));
          if (draws_.one_in(3)) item.term = terms_.condition(site, 0);
          Site inside = site;
          inside.loops.push_back(item.variable);
          item.body = statements(inside);
          body.push_back(item);
          break;
        }
        case 2: body.push_back(assign(site)); break;
        default: body.push_back({.kind = Kind::Do, .body = statements(site)});
      }
    }
  }

  // ---- statements ----

  Item assign(const Site& site) {
    Item item{.kind = Kind::Assign};
    item.target = terms_.own_element(site);
    item.value = terms_.value(site);
    item.is_update = draws_.one_in(3);
    return item;
  }
  std::vector<Item> statements(const Site& site) {
    std::vector<Item> all;
    const std::int64_t n = draws_.between(1, 2);
    for (std::int64_t k = 0; k < n; ++k) {
      if (!site.has_all_indices || draws_.one_in(12)) {
        local(site, all);
      } else {
        all.push_back(assign(site));
      }
    }
    return all;
  }
  // An array of each thread's own.
  void local(const Site& site, std::vector<Item>& body) {
    const int array = terms_.new_array(ArrayOf::Memory::Local, {draws_.between(2, 3)});
    const TermRef one = terms_.in_array(array, {number(1)});
    body.push_back({.kind = Kind::Assign, .target = one, .value = terms_.value(site)});
    if (!site.has_all_indices) return;
    body.push_back({.kind = Kind::Assign, .target = terms_.own_element(site), .value = one});
  }
  Item together(std::vector<Item> body) { return {.kind = Kind::Do, .body = std::move(body)}; }
  Item sync(const std::string& among) { return {.kind = Kind::Sync, .name = among}; }

  Item let(Site& site) {
    Item item{.kind = Kind::Let, .name = terms_.fresh("v")};
    const std::int64_t what = draws_.between(0, 2);
    item.term = what == 0   ? terms_.divergent(site)
                : what == 1 ? terms_.uniform(site)
                            : terms_.condition(site, 1);
    auto& list = what == 0 ? site.divergent : what == 1 ? site.uniform : site.truths;
    list.push_back(named(item.name, item.term));
    return item;
  }

  // `extent`: how often it runs.
  Item loop(const Site&, std::int64_t extent) {
    Item item{.kind = Kind::For};
    item.variable = terms_.new_variable("i", Variable::Kind::Loop, extent);
    item.index = case_.variables[std::size_t(item.variable)].name;
    item.extent = number(extent);
    if (draws_.one_in(3)) item.name = terms_.fresh("loop");
    return item;
  }
  static std::string label_of(const Item& loop) {
    return loop.name.empty() ? loop.index : loop.name;
  }

  // ---- innermost code ----

  std::vector<Item> leaf(Site site) {
    std::vector<Item> body;
    site.is_calm = site.is_calm || is_quiet_;
    const std::int64_t n = draws_.between(1, 4);
    for (std::int64_t k = 0; k < n; ++k) part(site, body);
    return body;
  }
  std::vector<Item> inside(Site site) {
    ++site.depth;
    std::vector<Item> body;
    const std::int64_t n = draws_.between(1, 2);
    for (std::int64_t k = 0; k < n; ++k) part(site, body);
    return body;
  }

  void part(Site& site, std::vector<Item>& body) {
    if (site.depth >= 3) return body.push_back(together(statements(site)));
    switch (draws_.between(0, 13)) {
      case 0: return body.push_back(let(site));
      case 1: return body.push_back(together(statements(site)));
      case 2:
      case 3:
      case 4: return in_threads(site, body);
      case 5:
      case 6: return partition(site, body);
      case 7:
      case 8: return body.push_back(for_loop(site));
      case 9: return body.push_back(loose_loop(site));
      case 10: return body.push_back(with(site));
      case 11: return exchange(site, body);
      case 12: return warp_exchange(site, body);
      default: return region_exchange(site, body);
    }
  }

  void in_threads(const Site& site, std::vector<Item>& body) {
    const bool may_be_async = !site.is_in_inthreads || draws_.one_in(60);
    Item item{.kind = Kind::InThreads, .term = terms_.condition(site)};
    // Where no barrier may stand it has to do without.
    if (site.is_calm && (is_quiet_ || !draws_.one_in(40))) {
      if (!may_be_async) return body.push_back(together(statements(site)));
      item.is_async = true;
    } else {
      item.is_async = may_be_async && draws_.one_in(5);
    }
    Site in = site;
    in.is_in_inthreads = true;
    in.is_calm = site.is_calm;
    item.body = inside(in);
    body.push_back(item);
  }

  // Asynchronous regions: disjoint and complete, disjoint alone, or anything.
  void partition(const Site& site, std::vector<Item>& body) {
    if (site.is_in_inthreads) return in_threads(site, body);
    const TermRef t = terms_.divergent(site);
    const std::int64_t cut = draws_.between(0, 6);
    std::vector<TermRef> whens;
    switch (draws_.between(0, 3)) {
      case 0:
        whens = {make(Op::Less, t, number(cut)), make(Op::GreaterEqual, t, number(cut))};
        break;
      case 1: {
        const TermRef all = terms_.condition(site);
        whens = {all, make(Op::Not, all)};
        break;
      }
      case 2:
        whens = {make(Op::Less, t, number(cut)), make(Op::Equal, t, number(cut)),
                 make(Op::Greater, t, number(cut + draws_.between(0, 1)))};
        break;
      default: whens = {terms_.condition(site), terms_.condition(site)};
    }
    for (const TermRef& when : whens) {
      Site in = site;
      in.is_in_inthreads = in.is_calm = true;
      body.push_back({.kind = Kind::InThreads, .term = when, .is_async = true, .body = inside(in)});
    }
    if (!site.is_calm && !draws_.one_in(5)) body.push_back(sync("shared"));
  }

  Item for_loop(const Site& site) {
    Item item = loop(site, draws_.between(1, 4));
    Site in = site;
    const std::int64_t how = draws_.between(0, 5);
    if (how == 0) {  // whatever the iteration
      item.term = terms_.condition(site, 1);
      in.is_calm = true;
    }
    in.loops.push_back(item.variable);
    if (how == 1) {
      item.term = terms_.condition(in, 1);
      in.is_calm = true;
    }
    if (how == 2) {  // left by some threads
      in.is_calm = true;
      in.labels.push_back(label_of(item));
      item.body = inside(in);
      const Kind leave = draws_.one_in(2) ? Kind::Break : Kind::Continue;
      Item way_out{.kind = leave, .name = draws_.of(in.labels)};
      if (!site.is_in_inthreads) {
        way_out = {.kind = Kind::InThreads,
                   .term = terms_.condition(in),
                   .is_async = true,
                   .body = {way_out}};
      } else {
        Item once = loop(site, 2);
        Site in_once = in;
        in_once.loops.push_back(once.variable);
        once.term = terms_.condition(in_once, 0);
        once.body = {way_out};
        way_out = once;
      }
      item.body.push_back(way_out);
      const std::vector<Item> more = inside(in);
      item.body.insert(item.body.end(), more.begin(), more.end());
      return item;
    }
    item.body = inside(in);
    return item;
  }

  // As often as its thread, or a symbol, says.
  Item loose_loop(const Site& site) {
    Item item = loop(site, -1);
    const std::vector<int> symbols = case_.symbols();
    Site in = site;
    in.is_calm = true;
    if (!symbols.empty() && draws_.one_in(2)) {
      item.extent = terms_.at(draws_.of(symbols));
      in.is_calm = site.is_calm;
    } else {
      item.extent = make(Op::Mod, terms_.at(draws_.of(site.indices)), number(4));
    }
    in.loose_loops.push_back(item.variable);
    item.body = inside(in);
    return item;
  }

  Item with(const Site& site) {
    Item item{.kind = Kind::With};
    const std::int64_t extent = draws_.between(1, 3);
    Item over{.kind = Kind::For};
    over.variable = terms_.new_variable("m", Variable::Kind::Loop, extent);
    over.index = case_.variables[std::size_t(over.variable)].name;
    item.bound = {{over.index, extent}};
    Site in = site;
    if (draws_.one_in(2)) {
      const std::string alias = terms_.fresh("m");
      item.bound.push_back({alias, draws_.one_in(40) ? extent + 1 : extent});
      item.where = {{alias, over.index}};
      in.uniform.push_back(variable(over.variable, alias));
      if (draws_.one_in(2)) over.index = alias;
    }
    in.loops.push_back(over.variable);
    if (draws_.one_in(4)) {
      over.term = terms_.condition(in, 1);
      in.is_calm = true;
    }
    over.body = inside(in);
    item.body = {over};
    return item;
  }

  // ---- threads that tell one another something ----

  Item store(TermRef target, TermRef value, bool is_update = false) {
    return {.kind = Kind::Assign,
            .target = std::move(target),
            .value = std::move(value),
            .is_update = is_update};
  }
  bool can_exchange(const Site& site) const {
    return !site.is_calm && !site.is_in_inthreads && site.has_all_indices &&
           !site.block_indices.empty() && !site.is_implicit;
  }

  void exchange(const Site& site, std::vector<Item>& body) {
    if (!can_exchange(site)) return in_threads(site, body);
    const std::int64_t n = terms_.block_threads(site);
    const TermRef t = terms_.number_in_block(site);
    const int shared = terms_.new_array(ArrayOf::Memory::Shared, {n});
    const TermRef other = make(Op::Mod, make(Op::Add, t, number(draws_.between(1, n))), number(n));
    body.push_back(together({store(terms_.in_array(shared, {t}), terms_.value(site))}));
    if (!draws_.one_in(20)) body.push_back(sync("shared"));
    body.push_back(together(
        {store(terms_.own_element(site), terms_.in_array(shared, {other}), draws_.one_in(2))}));
    // In a loop the next iteration must not come too early.
    if (!site.loops.empty() || !site.loose_loops.empty()) body.push_back(sync("shared"));
  }

  void warp_exchange(const Site& site, std::vector<Item>& body) {
    const std::int64_t n = can_exchange(site) ? terms_.block_threads(site) : 0;
    if (n == 0 || (n > 32 && n % 32 != 0)) return in_threads(site, body);
    const std::int64_t lanes = std::min<std::int64_t>(n, 32);
    const TermRef t = terms_.number_in_block(site);
    const int shared = terms_.new_array(ArrayOf::Memory::Shared, {n});
    const TermRef lane =
        make(Op::Mod, make(Op::Add, t, number(draws_.between(1, lanes))), number(lanes));
    const TermRef other =
        make(Op::Add, make(Op::Mul, make(Op::Div, t, number(lanes)), number(lanes)), lane);
    body.push_back(together({store(terms_.in_array(shared, {t}), terms_.value(site))}));
    body.push_back(sync("warp"));
    body.push_back(together({store(terms_.own_element(site), terms_.in_array(shared, {other}))}));
    if (!site.loops.empty() || !site.loose_loops.empty()) body.push_back(sync("warp"));
  }

  // Among the threads of a region.
  void region_exchange(const Site& site, std::vector<Item>& body) {
    if (!can_exchange(site)) return in_threads(site, body);
    const std::int64_t n = terms_.block_threads(site);
    const std::int64_t active =
        n > 32 && !draws_.one_in(10) ? 32 * draws_.between(1, n / 32) : draws_.between(1, n);
    const TermRef t = terms_.number_in_block(site);
    const int shared = terms_.new_array(ArrayOf::Memory::Shared, {n});
    const TermRef other =
        make(Op::Mod, make(Op::Add, t, number(draws_.between(1, active))), number(active));
    Item item{.kind = Kind::InThreads, .term = make(Op::Less, t, number(active))};
    Site in = site;
    in.is_in_inthreads = true;
    item.body = {together({store(terms_.in_array(shared, {t}), terms_.value(in))}), sync("region"),
                 together({store(terms_.own_element(in), terms_.in_array(shared, {other}))})};
    if (draws_.one_in(2)) {
      Item nested{.kind = Kind::InThreads, .term = terms_.condition(in)};
      nested.body = statements(in);
      item.body.push_back(nested);
    }
    body.push_back(item);
  }

  ThreadCase case_;
  Draws draws_;
  Terms terms_;
  bool is_quiet_;
  std::vector<std::vector<Level>> groups_;
};

}  // namespace

ThreadCase random_threads(std::uint64_t seed) { return ThreadMaker(seed, false).draw(); }
ThreadCase random_implicit(std::uint64_t seed) { return ThreadMaker(seed, true).draw(); }

}  // namespace selvage::thread_oracle
