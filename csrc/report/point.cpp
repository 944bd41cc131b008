#include <selvage/base/integer.h>
#include <selvage/expr/symbols.h>
#include <selvage/report/point.h>

#include <algorithm>

namespace selvage {

namespace {

// Assignments tried before the sizes that are missing stay missing.
constexpr int kMostTries = 20'000;

// Whatever a size may stand in.
std::vector<Expr> expressions_of(const TensorReport& tensor) {
  const DomainGraph& graph = tensor.graph();
  std::vector<Expr> list;
  for (DomainId d : tensor.analysis.path.domains) list.push_back(graph[d].extent);
  for (TransformId t : tensor.schedule->transforms(tensor.analysis.tensor)) {
    for (Expr e : numbers_of(graph[t])) list.push_back(e);
  }
  const std::vector<Expr>& strides = tensor.tensor().strides;
  list.insert(list.end(), strides.begin(), strides.end());
  return list;
}

// Gives the missing sizes values, one after the other, until all relations hold.
class Completion {
 public:
  Completion(const Facts& facts, Point start, std::vector<Expr> missing,
             std::vector<Expr> conditions, std::vector<std::int64_t> preferred)
      : facts_(facts),
        point_(std::move(start)),
        missing_(std::move(missing)),
        preferred_(std::move(preferred)),
        tape_(conditions, all_symbols()),
        conditions_(conditions.size()) {}

  bool run(std::size_t next = 0) {
    if (next == missing_.size()) return holds();
    for (std::int64_t v : candidates(next)) {
      point_.emplace_back(missing_[next], v);
      if (run(next + 1)) return true;
      point_.pop_back();
      if (tries_ >= kMostTries) return false;
    }
    return false;
  }
  Point take() { return std::move(point_); }

 private:
  std::vector<Expr> all_symbols() const {
    std::vector<Expr> list = symbols_in(point_);
    list.insert(list.end(), missing_.begin(), missing_.end());
    return list;
  }
  bool holds() {
    ++tries_;
    if (!tape_.evaluate(values_in(point_))) return false;
    for (std::size_t i = 0; i < conditions_; ++i) {
      if (tape_.root(i) == 0) return false;
    }
    return true;
  }
  // The values to try for a symbol, if its own facts allow them: the preferred one, small values,
  // powers of two, values of other sizes, the ends of its range.
  std::vector<std::int64_t> candidates(std::size_t next) const {
    const Expr symbol = missing_[next];
    const Facts::Symbol* own = facts_.find(symbol);
    const Interval range = own != nullptr ? own->range : Interval{1, Interval::kInfinity};
    const Congruence rest = own != nullptr ? own->congruence : Congruence{};
    const std::int64_t step = std::max<std::int64_t>(rest.modulus, 1);
    const std::int64_t low = range.has_lo() ? range.lo : std::min<std::int64_t>(1, range.hi);
    std::vector<std::int64_t> wanted;
    if (!preferred_.empty()) wanted.push_back(preferred_[std::min(next, preferred_.size() - 1)]);
    for (std::int64_t k = 0; k < 5; ++k)
      wanted.push_back(saturating_add(low, saturating_mul(k, step)));
    for (std::int64_t p = 8; p <= 1 << 20; p *= 2) wanted.push_back(p);
    for (const auto& [other, value] : point_) wanted.push_back(value);
    if (range.has_hi()) wanted.push_back(range.hi);
    std::vector<std::int64_t> list;
    for (std::int64_t v : wanted) {
      if (rest.modulus == 0) v = rest.residue;
      if (rest.modulus > 1) {  // up to the next value of that residue
        const std::int64_t up = *euclid_mod(rest.residue - *euclid_mod(v, step), step);
        v = saturating_add(v, up);
      }
      if (range.contains(v) && std::find(list.begin(), list.end(), v) == list.end()) {
        list.push_back(v);
      }
    }
    return list;
  }

  const Facts& facts_;
  Point point_;
  std::vector<Expr> missing_;
  std::vector<std::int64_t> preferred_;
  Tape tape_;
  std::size_t conditions_;
  int tries_ = 0;
};

}  // namespace

std::vector<Expr> numbers_of(const Transform& transform) {
  using List = std::vector<Expr>;
  return std::visit(
      overloaded{[](const Split& s) { return List{s.factor}; }, [](const Merge&) { return List{}; },
                 [](const Resize& r) {
                   return List{r.left, r.right};
                 },
                 [](const Swizzle&) { return List{}; },
                 [](const Skew& s) {
                   return List{s.by, s.modulo};
                 }},
      transform);
}

Point completed(const TensorReport& tensor, Point point) {
  const Fusion& fusion = tensor.fusion();
  const std::vector<Expr> between = relations(*fusion.facts());
  std::vector<Expr> used = expressions_of(tensor);
  used.insert(used.end(), between.begin(), between.end());
  std::vector<Expr> missing;
  for (Expr s : symbols_of(used)) {
    if (contains(fusion.sizes(), s) && !value_of(s, point)) missing.push_back(s);
  }
  if (missing.empty()) return point;
  return completed(*fusion.facts(), point, missing, between).value_or(point);
}

std::optional<Point> completed(const Facts& facts, Point point, const std::vector<Expr>& missing,
                               const std::vector<Expr>& conditions,
                               const std::vector<std::int64_t>& preferred) {
  Completion completion(facts, std::move(point), missing, conditions, preferred);
  if (!completion.run()) return std::nullopt;
  return completion.take();
}

Point witness_of(const TensorReport& tensor, const Verdict& verdict) {
  const Point point = point_of(verdict);
  return point.empty() ? point : completed(tensor, point);
}

std::optional<std::vector<std::int64_t>> indices_at(const TensorReport& tensor,
                                                    const std::vector<DomainId>& domains,
                                                    const Point& point) {
  std::vector<Expr> roots;
  for (DomainId d : domains) roots.push_back((*tensor.analysis.coordinates)[d]);
  Tape tape(roots, symbols_in(point));
  if (!tape.evaluate(values_in(point))) return std::nullopt;
  std::vector<std::int64_t> indices;
  for (std::size_t i = 0; i < roots.size(); ++i) indices.push_back(tape.root(i));
  return indices;
}

}  // namespace selvage
