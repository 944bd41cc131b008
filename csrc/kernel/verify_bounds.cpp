#include <selvage/base/integer.h>
#include <selvage/expr/substitute.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/text.h>
#include <selvage/kernel/verify_numbers.h>
#include <selvage/kernel/verify_parts.h>
#include <selvage/kernel/verify_premises.h>
#include <selvage/kernel/verify_strides.h>
#include <selvage/legality/decide.h>

#include <fmt/format.h>

namespace selvage {

namespace {

constexpr std::int64_t kShortLoop = 16;

class Bounds {
 public:
  Bounds(const AccessMap& map, ItemProofs& items) : map_(map), items_(items) {}

  HazardFindings list() {
    for (std::size_t i = 0; i < map_.accesses().size(); ++i) {
      const KernelAccess& a = map_.accesses()[i];
      const Expr address = map_.address(i);
      const Expr n = map_.kernel().buffers[a.buffer].elements;
      if (items_.is_inside(i) ||
          is_inside(map_, a.scope, to_linear_or_atom(address), a.width, to_linear_or_atom(n)) ||
          is_inside_at_each(a, address, n)) {
        add_rule("bounds", out_.proved);
      } else {
        ask_inside(i, address, n);
      }
      if (a.alignment == 1) continue;
      ask(i, eq(address % a.alignment, 0),
          fmt::format("begins an access of {} elements and is no multiple of {}", a.width,
                      a.alignment));
      check_offset(a);
    }
    for (const MemoryNumber& n : map_.numbers()) {
      if (!n.is_promised) ask_range(n);
    }
    return std::move(out_);
  }

 private:
  void ask_range(const MemoryNumber& n) {
    if (lies_in_range(map_, n)) return add_rule("how the number is made", out_.proved);
    out_.open.push_back({.hazard = Hazard::Bounds,
                         .verdict = Unknown{n.least <= n.symbol && n.symbol <= n.most},
                         .statement = map_.places()[n.place].statement,
                         .buffer = {},
                         .sizes = {},
                         .first = {},
                         .second = {},
                         .text = "it is not proved that " + to_string(n.symbol) +
                                 ", a number from memory, lies within " + to_string(n.least) +
                                 " to " + to_string(n.most)});
  }

  // The same at every value of one variable of a short loop: what was asked of each of its
  // iterations before the loop is known of numbers only.
  bool is_inside_at_each(const KernelAccess& a, Expr address, Expr n) const {
    const std::vector<Expr> symbols = symbols_of(address);
    for (PlaceId id : map_.scope(a.scope).loops) {
      const StatementPlace& p = map_.places()[id];
      const bool is_short =
          p.begin.is_const(0) && p.extent.is(Op::Const) && p.extent.value() <= kShortLoop;
      if (!is_short || !contains(symbols, p.variable)) continue;
      bool is_each = true;
      for (std::int64_t k = 0; is_each && k < p.extent.value(); ++k) {
        const Expr at =
            map_.at(a.scope).simplify(substitute(address, {{p.variable, map_.pool().constant(k)}}));
        is_each = is_inside(map_, a.scope, to_linear_or_atom(at), a.width, to_linear_or_atom(n));
      }
      if (is_each) return true;
    }
    return false;
  }

  void ask_inside(std::size_t i, Expr address, Expr n) {
    const KernelAccess& a = map_.accesses()[i];
    const Expr last = a.width == 1 ? address : address + (a.width - 1);
    ask(i, 0 <= address && last < n,
        fmt::format("is out of bounds: there are {} elements", to_string_of(n)));
  }
  static std::string to_string_of(Expr n) {
    return n.is(Op::Const) ? std::to_string(n.value()) : "only so many";
  }

  void ask(std::size_t access, Expr claim, const std::string& what) {
    const KernelAccess& a = map_.accesses()[access];
    Simplifier& known = map_.at(a.scope);
    if (known.proves(claim) || follows_from_one(known.facts(), claim) ||
        follows_where_fixed(map_, a.scope, claim)) {
      add_rule("bounds", out_.proved);
      return;
    }
    Verdict verdict = decide(map_.at(a.scope).facts(), claim);
    if (is_proved(verdict)) return add_rules(verdict, out_.proved);
    KernelFinding f = finding(a);
    const Point point = point_of(verdict);
    const auto at =
        is_refuted(verdict) && a.is_certain() ? value_at(a.address, point) : std::nullopt;
    const std::string& name = map_.kernel().buffers[a.buffer].name;
    if (at) {
      f.verdict = verdict;
      f.address = *at;
      f.first = thread_at(point, a.scope);
      for (Expr s : map_.sizes()) {
        if (const auto v = value_of(s, point)) f.sizes.emplace_back(s, *v);
      }
      f.text = fmt::format("{}[{}] {}: {}", name, *at, what, to_text(*f.first));
      if (!f.sizes.empty()) f.text += "; " + to_text(f.sizes);
    } else {
      f.verdict = Unknown{claim};
      f.text = "it is not proved that no access of " + name + " " + what;
    }
    out_.open.push_back(std::move(f));
  }

  void check_offset(const KernelAccess& a) {
    const Buffer& b = map_.kernel().buffers[a.buffer];
    if (!b.offset) return;
    const auto bytes = checked_mul(a.alignment, size_of(b.type));
    const std::int64_t offset = *b.offset / map_.kernel().launch.ranks();
    if (bytes && euclid_mod(offset, *bytes) == 0) return;
    KernelFinding f = finding(a);
    f.verdict = Refuted{};
    f.text = fmt::format("{} begins at byte {}, no multiple of the {} bytes of an access", b.name,
                         offset, bytes.value_or(INT64_MAX));
    out_.open.push_back(std::move(f));
  }

  KernelFinding finding(const KernelAccess& a) const {
    return {.hazard = Hazard::Bounds,
            .verdict = Unknown{},
            .statement = map_.places()[a.place].statement,
            .buffer = a.buffer,
            .sizes = {},
            .first = {},
            .second = {},
            .text = {}};
  }
  ThreadAt thread_at(const Point& point, std::size_t scope) const {
    ThreadAt at;
    for (std::size_t k = 0; k < 3; ++k) {
      at.block[k] = value_of(map_.blocks()[k], point).value_or(0);
      at.thread[k] = value_of(map_.threads()[k], point).value_or(0);
    }
    for (PlaceId id : map_.scope(scope).loops) {
      const Expr v = map_.places()[id].variable;
      at.variables.emplace_back(v, value_of(v, point).value_or(0));
    }
    for (std::size_t n : map_.scope(scope).numbers) {
      const Expr v = map_.numbers()[n].symbol;
      if (const auto value = value_of(v, point)) at.variables.emplace_back(v, *value);
    }
    return at;
  }

  const AccessMap& map_;
  ItemProofs& items_;
  HazardFindings out_;
};

}  // namespace

HazardFindings bounds_findings(const AccessMap& map, ItemProofs& items) {
  return Bounds(map, items).list();
}

}  // namespace selvage
