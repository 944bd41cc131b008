#include <selvage/expr/conjuncts.h>
#include <selvage/expr/substitute.h>
#include <selvage/expr/symbols.h>
#include <selvage/kernel/ranks.h>
#include <selvage/kernel/verify_writers.h>
#include <selvage/simplifier/linear.h>

#include <algorithm>
#include <map>

namespace selvage {

namespace {

constexpr int kMostProofs = 512;  // of conditions, for one read

// A part of one of the write's own variables that its address has as a digit:
// (variable / base) % count.
struct Part {
  Expr variable;
  std::int64_t base = 1;
};

// A way to have stored the element: what must hold for it, and is not known to.
struct Writer {
  std::vector<Expr> open;
};

class WriterSearch {
 public:
  WriterSearch(const AccessMap& map, std::size_t read, std::size_t loops,
               const Environment& earlier)
      : map_(map),
        pool_(map.pool()),
        read_(map.accesses()[read]),
        loops_(loops),
        earlier_(earlier),
        is_of_rank_(has_own_pieces(map, read_.buffer)) {
    address_ = to_linear_or_atom(map.address(read));
    if (read_.width == 1) return;
    // Any of the neighbours that are read.
    const Expr lane = pool_.symbol("lane of access");
    Facts facts = map.facts(read_.scope);
    facts.loop(lane, pool_.constant(read_.width));
    wide_ = &map_.with(std::move(facts));
    const auto sum = add(address_, LinearSum::of_atom(lane));
    if (sum) address_ = *sum;
    is_measured_ = sum.has_value();
  }

  bool finds_one_of(std::span<const std::size_t> writes) {
    if (!is_measured_) return false;
    std::vector<Writer> writers;
    for (std::size_t w : writes) {
      add_writers(w, writers);
      if (!writers.empty() && writers.back().open.empty()) return true;
    }
    std::vector<Expr> excluded;
    return covers(writers, 0, excluded);
  }

 private:
  Simplifier& known() { return wide_ != nullptr ? *wide_ : map_.at(read_.scope); }
  // An expression of a write at its iteration.
  Expr of_write(Expr e) const { return earlier_.empty() ? e : substitute(e, earlier_); }
  // As the write has it: in the form that the conditions around it give, and without these, which
  // may say of a loop's variable that it is a number there. Nothing that is known at the read may
  // be used: the write's threads have the same names, and are others.
  std::vector<Expr> addresses_of(std::size_t w) {
    const Expr canonical = map_.address(w), written = map_.accesses()[w].address;
    if (!of_sizes_) of_sizes_.emplace(map_.size_facts());
    std::vector<Expr> all = {canonical};
    if (!earlier_.empty()) all[0] = of_sizes_->normal_form(of_write(canonical));
    const Expr other = of_sizes_->normal_form(of_write(written));
    if (!same(all[0], other)) all.push_back(other);
    return all;
  }
  Memory memory() const { return map_.kernel().buffers[read_.buffer].memory; }

  // Whether, wherever none of `excluded` holds, one of the writers from the k-th on stores the
  // element.
  bool covers(const std::vector<Writer>& writers, std::size_t k, std::vector<Expr>& excluded) {
    if (k == writers.size()) return false;
    std::vector<Expr> open = writers[k].open;
    std::erase_if(open, [&](Expr e) { return e.is(Op::Not) && contains(excluded, e[0]); });
    if (!open.empty() && !excluded.empty()) {
      Facts facts = known().facts();
      for (Expr e : excluded) facts.assume(!e);
      Simplifier elsewhere = map_.briefly_with(std::move(facts));
      std::erase_if(open, [&](Expr e) { return proves(e, elsewhere); });
    }
    return std::all_of(open.begin(), open.end(), [&](Expr e) {
      excluded.push_back(e);
      const bool is_covered = covers(writers, k + 1, excluded);
      excluded.pop_back();
      return is_covered;
    });
  }
  bool proves(Expr e, Simplifier& facts) {
    if (e.is(Op::Not) && e[0].is(Op::And)) {
      // Where no part of a guard is false, the others seldom make one so, and to find that out
      // takes a hundred times as long: what else is stored there may cover it (covers()).
      return std::ranges::any_of(conjuncts_of(e[0]), [&](Expr c) { return proves(!c, facts); });
    }
    return --proofs_left_ >= 0 && facts.proves(e);
  }

  // The variables that only the write has: the read's thread and iteration do not determine them.
  std::vector<Expr> own_variables(const KernelAccess& write) const {
    std::vector<Expr> own;
    if (memory() == Memory::Shared) {
      for (Expr t : map_.threads()) {
        // The piece of a rank is filled by itself.
        const bool is_common = is_of_rank_ && same(t, map_.threads()[2]);
        if (t.is(Op::Symbol) && !is_common) own.push_back(t);
      }
    }
    const auto& loops = map_.scope(write.scope).loops;
    for (std::size_t i = loops_; i < loops.size(); ++i) {
      own.push_back(map_.places()[loops[i]].variable);
    }
    return own;
  }

  // In the form that leaves the least open: a slot of a ring, say, may be a number where the write
  // stands, and be told by the iteration at the read.
  void add_writers(std::size_t w, std::vector<Writer>& writers) {
    const auto open = [](const std::vector<Writer>& ways) {
      std::size_t least = SIZE_MAX;
      for (const Writer& way : ways) least = std::min(least, way.open.size());
      return least;
    };
    std::vector<Writer> best;
    for (Expr address : addresses_of(w)) {
      if (open(best) == 0) break;
      std::vector<Writer> ways;
      add_writers(w, address, ways);
      if (open(ways) < open(best)) best = std::move(ways);
    }
    for (Writer& way : best) writers.push_back(std::move(way));
  }
  void add_writers(std::size_t w, Expr address, std::vector<Writer>& writers) {
    const KernelAccess& write = map_.accesses()[w];
    const std::vector<Expr> own = own_variables(write);
    find_chosen(write);
    std::map<std::uint32_t, std::vector<std::pair<Part, Expr>>> parts;
    if (!solve(write, address, own, parts)) return;
    // A variable that the address leaves open may have any value: the least one is tried, then that
    // of the reading thread.
    std::vector<Writer> ways;
    for (const bool is_least : {true, false}) {
      Environment at;
      for (Expr v : own) at.emplace_back(v, value_of(v, parts[v.id()], is_least));
      for (auto& [v, value] : at) value = known().simplify(value);
      if (!ways.empty() && !has_choice_) break;
      auto needed = needed_at(w, address, own, at);
      if (!needed) continue;
      std::erase_if(*needed, [&](Expr e) { return proves(e, known()); });
      const bool is_no_better = !ways.empty() && std::ranges::all_of(ways[0].open, [&](Expr e) {
        return contains(*needed, e);
      });
      if (is_no_better) break;
      ways.push_back({std::move(*needed)});
      if (ways.back().open.empty()) break;
    }
    for (Writer& way : ways) writers.push_back(std::move(way));
  }

  // From the parts that are known. Of a thread the rest is what it is for the reading one.
  Expr value_of(Expr variable, const std::vector<std::pair<Part, Expr>>& parts, bool is_least) {
    const bool is_thread = map_.is_thread(variable);
    Expr value;
    std::int64_t least_base = INT64_MAX;
    for (const auto& [part, digit] : parts) {
      const Expr term = part.base == 1 ? digit : digit * pool_.constant(part.base);
      value = value.valid() ? value + term : term;
      least_base = std::min(least_base, part.base);
    }
    if (!value.valid()) {
      has_choice_ = has_choice_ || is_thread;
      if (is_thread && !is_least) return variable;
      const auto chosen = chosen_.find(variable.id());
      return chosen == chosen_.end() ? begin_of(variable) : chosen->second;
    }
    if (least_base == 1) return value;
    has_choice_ = has_choice_ || is_thread;
    return is_thread && !is_least ? value + variable % pool_.constant(least_base) : value;
  }
  // The thread indices that conditions of the write choose.
  void find_chosen(const KernelAccess& write) {
    chosen_.clear();
    for (Expr c : map_.scope(write.scope).conditions) {
      for (Expr part : conjuncts_of(c)) {
        const bool is_choice = part.is(Op::Eq) && part[1].is(Op::Const);
        if (is_choice && map_.is_thread(part[0])) chosen_.insert_or_assign(part[0].id(), part[1]);
      }
    }
  }
  Expr begin_of(Expr variable) const {
    for (const StatementPlace& p : map_.places()) {
      if (p.is_serial_loop() && same(p.variable, variable)) return p.begin;
    }
    return pool_.constant(0);
  }

  // The write's address as digits of what the read's has beyond what both share.
  bool solve(const KernelAccess& write, Expr address, const std::vector<Expr>& own,
             std::map<std::uint32_t, std::vector<std::pair<Part, Expr>>>& parts) {
    has_choice_ = false;
    struct Digit {
      Expr atom;  // invalid: which of the neighbours that are stored at once
      std::int64_t stride;
    };
    std::vector<Digit> digits;
    LinearSum shared;
    const LinearSum sum = to_linear_or_atom(address);
    shared.constant = sum.constant;
    for (const auto& t : sum.terms) {
      if (mentions(t.monomial, own)) {
        if (t.coefficient < 1) return false;
        digits.push_back({t.monomial, t.coefficient});
      } else {
        shared.terms.push_back(t);
      }
    }
    if (write.width > 1) digits.push_back({{}, 1});
    std::stable_sort(digits.begin(), digits.end(),
                     [](const Digit& a, const Digit& b) { return a.stride > b.stride; });
    const auto rest = add(address_, shared, -1);
    if (!rest) return false;
    const Expr from = to_expr(pool_, *rest);
    std::vector<std::pair<Expr, Expr>> later;  // an xor, and what it is
    for (std::size_t k = 0; k < digits.size(); ++k) {
      Expr digit = from / pool_.constant(digits[k].stride);
      if (k > 0) {
        if (digits[k - 1].stride % digits[k].stride != 0) return false;
        digit = digit % pool_.constant(digits[k - 1].stride / digits[k].stride);
      }
      digit = known().simplify(digit);
      if (!digits[k].atom.valid()) continue;
      if (const auto part = part_of(digits[k].atom, own)) {
        parts[part->variable.id()].emplace_back(*part, digit);
      } else if (digits[k].atom.is(Op::Xor)) {
        later.emplace_back(digits[k].atom, digit);
      } else {
        return false;
      }
    }
    // x ^ y is known, and y: x is what is known, ^ y.
    for (const auto& [atom, digit] : later) {
      const auto is_open = [&](Expr e) { return contains(own, e) && parts[e.id()].empty(); };
      const bool is_first = is_open(atom[0]);
      const Expr x = is_first ? atom[0] : atom[1], y = is_first ? atom[1] : atom[0];
      if (!is_open(x)) return false;
      Environment at;
      for (Expr v : symbols_of(y)) {
        if (!contains(own, v)) continue;
        if (parts[v.id()].empty()) return false;
        at.emplace_back(v, value_of(v, parts[v.id()], true));
      }
      parts[x.id()].emplace_back(Part{x}, known().simplify(digit ^ substitute(y, at)));
    }
    return true;
  }

  // v, v / d, v % m, v / d % m and v % m / d.
  static std::optional<Part> part_of(Expr e, const std::vector<Expr>& own) {
    std::int64_t base = 1;
    while (e.is(Op::Div) || e.is(Op::Mod)) {
      if (!e[1].is(Op::Const) || e[1].value() < 1) return std::nullopt;
      if (e.is(Op::Div)) {
        if (base > INT32_MAX || e[1].value() > INT32_MAX) return std::nullopt;
        base *= e[1].value();
      }
      e = e[0];
    }
    return contains(own, e) ? std::optional(Part{e, base}) : std::nullopt;
  }

  // The conditions under which the write runs at that point and stores the element; nullopt: it
  // stores another element.
  std::optional<std::vector<Expr>> needed_at(std::size_t w, Expr address,
                                             const std::vector<Expr>& own, const Environment& at) {
    const KernelAccess& write = map_.accesses()[w];
    const Expr first = substitute(address, at), wanted = to_expr(pool_, address_);
    std::vector<Expr> needed;
    if (write.width == 1) {
      if (!proves(eq(first, wanted), known())) return std::nullopt;
    } else {
      needed = {first <= wanted, wanted < first + write.width};
    }
    const auto& threads = map_.threads();
    for (std::size_t k = 0; k < 3; ++k) {
      if (!contains(own, threads[k])) continue;
      const Expr value = substitute(threads[k], at);
      if (same(value, threads[k])) continue;
      needed.push_back(0 <= value);
      needed.push_back(value < map_.kernel().launch.block[k]);
    }
    const AccessScope& scope = map_.scope(write.scope);
    for (std::size_t i = loops_; i < scope.loops.size(); ++i) {
      const StatementPlace& p = map_.places()[scope.loops[i]];
      const Expr value = substitute(p.variable, at);
      needed.push_back(substitute(of_write(p.begin), at) <= value);
      needed.push_back(value < substitute(of_write(p.extent), at));
    }
    for (Expr c : scope.conditions) needed.push_back(substitute(of_write(c), at));
    return needed;
  }

  const AccessMap& map_;
  ExprPool& pool_;
  const KernelAccess& read_;
  const std::size_t loops_;
  const Environment& earlier_;
  const bool is_of_rank_;
  std::optional<Simplifier> of_sizes_;
  LinearSum address_;  // of the element that is read
  bool is_measured_ = true;
  Simplifier* wide_ = nullptr;  // of a read of several neighbours
  int proofs_left_ = kMostProofs;
  bool has_choice_ = false;
  std::map<std::uint32_t, Expr> chosen_;
};

}  // namespace

bool is_stored_before(const AccessMap& map, std::span<const std::size_t> writes, std::size_t read,
                      std::size_t loops, const Environment& earlier) {
  return WriterSearch(map, read, loops, earlier).finds_one_of(writes);
}

}  // namespace selvage
