#include "tests/threads/random_terms.h"

namespace selvage::thread_oracle {

using Op = Term::Op;

int Terms::new_variable(const std::string& letter, Variable::Kind kind, std::int64_t extent) {
  case_.variables.push_back({.name = fresh(letter), .kind = kind, .extent = extent});
  return int(case_.variables.size()) - 1;
}

TermRef Terms::divergent(const Site& site) {
  if (!site.divergent.empty() && draws_.one_in(5)) return draws_.of(site.divergent);
  const int v = draws_.of(site.indices), w = draws_.of(site.indices);
  const TermRef p = at(v);
  switch (draws_.between(0, 11)) {
    case 0: return make(Op::Mod, p, number(draws_.between(2, 7)));
    case 7:
    case 8: return v == w ? p : make(draws_.one_in(2) ? Op::Add : Op::Sub, p, at(w));
    case 1: return make(Op::Div, p, number(draws_.between(2, 5)));
    case 2: return make(Op::Add, p, uniform(site));
    case 3: return make(Op::Sub, uniform(site), p);
    case 4: return make(Op::Add, make(Op::Mul, p, number(draws_.between(-2, 4))), at(w));
    case 5:
      return make(Op::Mod, make(Op::Sub, make(Op::Mul, p, number(draws_.between(2, 9))), at(w)),
                  number(draws_.between(2, 6)));
    case 6:
      return make(Op::Div, make(Op::Sub, p, number(draws_.between(1, 9))),
                  number(draws_.one_in(4) ? -3 : draws_.between(2, 4)));
    default: return p;
  }
}

TermRef Terms::uniform(const Site& site) {
  if (!site.uniform.empty() && draws_.one_in(4)) return draws_.of(site.uniform);
  const std::vector<int> symbols = case_.symbols();
  TermRef base;
  if (!site.loops.empty() && draws_.one_in(2)) {
    base = at(draws_.of(site.loops));
  } else if (!symbols.empty() && draws_.one_in(3)) {
    base = at(draws_.of(symbols));
  } else {
    return number(draws_.one_in(8) ? draws_.between(-3, 40) : draws_.between(0, 8));
  }
  switch (draws_.between(0, 3)) {
    case 0:
      return make(Op::Add, make(Op::Mul, base, number(draws_.between(2, 4))),
                  number(draws_.between(0, 3)));
    case 1: return make(Op::Add, base, number(draws_.between(-2, 4)));
    default: return base;
  }
}

TermRef Terms::comparison(const Site& site) {
  const std::vector<Op> ops = {Op::Less,         Op::LessEqual, Op::Greater,
                               Op::GreaterEqual, Op::Equal,     Op::NotEqual};
  TermRef one = divergent(site);
  TermRef other = draws_.one_in(60) ? divergent(site) : uniform(site);
  if (one->op == Op::Variable && other->op == Op::Number) {
    // Near the middle, where a mask is neither all nor none.
    other = number(draws_.between(0, extent(int(one->number))));
  }
  if (draws_.one_in(4)) std::swap(one, other);
  return make(draws_.of(ops), one, other);
}

TermRef Terms::condition(const Site& site, int depth) {
  if (!site.truths.empty() && draws_.one_in(6)) return draws_.of(site.truths);
  if (depth > 0 && draws_.between(0, 4) < 2) {
    return make(draws_.one_in(2) ? Op::And : Op::Or, condition(site, depth - 1),
                condition(site, depth - 1));
  }
  if (draws_.one_in(6)) return make(Op::Not, condition(site, depth - 1 < 0 ? 0 : depth - 1));
  return comparison(site);
}

TermRef Terms::value(const Site& site) {
  const auto part = [&]() -> TermRef {
    switch (draws_.between(0, 7)) {
      case 0: return number(draws_.between(0, 30));
      case 1: return uniform(site);
      case 2: return make(Op::Mul, at(draws_.of(site.indices)), number(draws_.between(2, 5)));
      case 3:
        if (!site.loose_loops.empty()) return at(draws_.of(site.loose_loops));
        return divergent(site);
      case 4:
      case 5:
        if (site.has_all_indices) return own_element(site);
        return divergent(site);
      case 6:
        if (!outer_places.empty() && !site.is_implicit) {
          return outer_element(draws_.of(outer_places));
        }
        return divergent(site);
      default: return at(draws_.of(site.indices));
    }
  };
  TermRef sum = part();
  if (reads_outer_often && !outer_places.empty() && !site.is_implicit) {
    sum = outer_element(draws_.of(outer_places));
  }
  const std::int64_t more = draws_.between(0, 2);
  for (std::int64_t k = 0; k < more; ++k) {
    sum = make(draws_.one_in(3) ? Op::Sub : Op::Add, sum, part());
  }
  return make(Op::Mod, sum, number(draws_.one_in(3) ? 97 : 997));
}

// ---- elements ----

int Terms::new_array(ArrayOf::Memory memory, std::vector<std::int64_t> shape) {
  const char* letter = memory == ArrayOf::Memory::Global   ? "G"
                       : memory == ArrayOf::Memory::Shared ? "S"
                                                           : "L";
  case_.arrays.push_back({.name = fresh(letter), .memory = memory, .shape = std::move(shape)});
  return int(case_.arrays.size()) - 1;
}

TermRef Terms::in_array(int array, std::vector<TermRef> subscripts) const {
  return element(array, case_.arrays[std::size_t(array)].name, std::move(subscripts));
}

TermRef Terms::flat(const std::vector<int>& indices) const {
  TermRef sum;
  for (int v : indices) {
    sum = sum ? make(Op::Add, make(Op::Mul, sum, number(extent(v))), at(v)) : at(v);
  }
  return sum ? sum : number(0);
}

TermRef Terms::owned(const std::vector<int>& indices, bool may_be_new) {
  std::vector<Owned> found;
  for (const Owned& o : owned_) {
    if (o.indices == indices) found.push_back(o);
  }
  if (found.empty() || (may_be_new && found.size() < 3 && draws_.one_in(4))) {
    Owned fresh_one{.indices = indices, .array = 0, .is_flat = draws_.one_in(3)};
    std::vector<std::int64_t> shape;
    std::int64_t all = 1;
    for (int v : indices) {
      shape.push_back(extent(v));
      all *= extent(v);
    }
    if (fresh_one.is_flat) shape = {all};
    fresh_one.array = new_array(ArrayOf::Memory::Global, shape);
    owned_.push_back(fresh_one);
    found = {fresh_one};
  }
  const Owned& o = draws_.of(found);
  if (o.is_flat) return in_array(o.array, {flat(indices)});
  std::vector<TermRef> subscripts;
  for (int v : indices) subscripts.push_back(at(v));
  return in_array(o.array, subscripts);
}

TermRef Terms::own_element(const Site& site) { return owned(site.indices, true); }
TermRef Terms::outer_element(const std::vector<int>& indices) { return owned(indices, false); }
TermRef Terms::number_in_block(const Site& site) const { return flat(site.block_indices); }
std::int64_t Terms::block_threads(const Site& site) const {
  std::int64_t n = 1;
  for (int v : site.block_indices) n *= extent(v);
  return n;
}

}  // namespace selvage::thread_oracle
