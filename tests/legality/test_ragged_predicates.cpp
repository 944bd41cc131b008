// Random graphs over rows of different lengths against the brute-force oracle: coordinates and
// predicates right at every point whatever the offsets are, and as few predicates as there can be.
#include <selvage/base/diagnostic.h>
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/ir/ops.h>
#include <selvage/ir/ragged.h>
#include <selvage/legality/analysis.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <random>
#include <set>

#include "tests/oracle/brute_force.h"
#include "tests/oracle/draws.h"
#include "tests/oracle/ragged_graph.h"
#include "tests/support/counts.h"
#include "tests/support/derivations.h"

namespace selvage {
namespace {

using oracle::chance;
using oracle::draw;
using oracle::RaggedGraph;
using oracle::RaggedStep;
using oracle::RowList;

// What is known of rows when a kernel is compiled.
struct RaggedSizes {
  std::optional<std::int64_t> count, items;
};

enum class RaggedTensor : std::uint8_t { Items, FoldOfRow, FoldOfAll, FoldedItems };

// A graph, and the same one built by the engine.
class RaggedCase {
 public:
  RaggedCase(const RaggedSizes& sizes, RaggedTensor kind, const std::vector<std::int64_t>& dense)
      : sizes(sizes), graph(dense) {
    const Expr count = sizes.count ? f.constant(*sizes.count) : f.extent("B", 0);
    std::optional<Expr> items;
    if (sizes.items) items = f.constant(*sizes.items);
    rows = add_rows(f.input("off", {count + 1}, DataType::Int64), items);
    std::vector<Expr> inner, all = {f.fresh_index("b"), f.fresh_index("j")};
    for (std::int64_t n : dense) {
      inner.push_back(f.constant(n));
      all.push_back(f.fresh_index("d"));
    }
    const Tensor x = ragged_input(f, "x", rows, inner, DataType::Float);
    tensor = define(kind, count, inner, all, item(x, rows, all));
    schedule.emplace(f);
    const std::vector<DomainId> nest = nest_domain(f[tensor.id()]);
    const bool item_last = kind == RaggedTensor::FoldOfRow;
    const auto items_at = item_last ? nest.end() - 1 : nest.begin() + 1;
    ids = {nest[0], *items_at, is_items(kind) ? f[tensor.id()].logical[0] : DomainId(UINT32_MAX)};
    for (auto d = nest.begin() + 1; d != nest.end(); ++d) {
      if (d != items_at) ids.push_back(*d);
    }
    has_position = is_items(kind);
  }

  // Draws a step; the engine may refuse it, and nothing is done then.
  void draw_step(std::mt19937_64& rng);
  // Draws an order of the loops that the engine accepts, and analyses the nest.
  void finish(std::mt19937_64& rng, int& refused);

  std::string text() const {
    const auto number = [](std::optional<std::int64_t> n) {
      return n ? std::to_string(*n) : std::string("any");
    };
    std::string text = "rows " + number(sizes.count) + ", items " + number(sizes.items) + "\n" +
                       to_text(graph) + "engine: loops";
    if (!analysis) return text;
    for (Expr v : analysis->variables) text += " " + to_string(v);
    for (const KeptPredicate& k : analysis->predicates.kept) {
      text += "\n  keeps " + schedule->graph()[k.domain].name + ": " + to_string(k.condition) +
              ", witness " + to_text(k.witness);
    }
    for (const ImpliedPredicate& p : analysis->predicates.implied) {
      text += "\n  drops " + schedule->graph()[p.domain].name + " by " + p.by;
      for (DomainId d : p.from) text += " " + schedule->graph()[d].name;
    }
    return text + "\n";
  }
  // The last with that id: positions that are loops may be those of the tensor.
  int oracle_id(DomainId d) const {
    return int(std::find(ids.rbegin(), ids.rend(), d).base() - ids.begin()) - 1;
  }

  RaggedSizes sizes;
  RaggedGraph graph;
  Fusion f;
  RowsId rows{};
  Tensor tensor;
  std::optional<Schedule> schedule;
  std::vector<DomainId> ids;  // by the oracle's number
  bool has_position = false;
  std::optional<TensorAnalysis> analysis;

 private:
  static bool is_items(RaggedTensor kind) {
    return kind == RaggedTensor::Items || kind == RaggedTensor::FoldedItems;
  }
  Tensor define(RaggedTensor kind, Expr count, const std::vector<Expr>& inner,
                const std::vector<Expr>& all, const Element& value) {
    const std::vector<Expr> dense(all.begin() + 2, all.end()), at(all.begin(), all.begin() + 2);
    std::vector<Expr> indices = {all[0]}, shape = {count};
    Fusion::FoldRequest fold{.indices = {all[1]}, .shape = {length(f, rows)}};
    const auto append = [](std::vector<Expr>& to, const std::vector<Expr>& more) {
      to.insert(to.end(), more.begin(), more.end());
    };
    switch (kind) {
      case RaggedTensor::Items:
        return f.output("y", compute_ragged(f, "", rows, all, inner, value));
      case RaggedTensor::FoldedItems: {
        fold.indices = dense, fold.shape = inner;
        return f.output("y", compute_ragged(f, "", rows, at, {}, value, {}, &fold));
      }
      case RaggedTensor::FoldOfRow: append(indices, dense), append(shape, inner); break;
      case RaggedTensor::FoldOfAll: append(fold.indices, dense), append(fold.shape, inner); break;
    }
    return f.output("y", f.compute_fold("", indices, shape, fold, value));
  }
  ScheduledLoop loop(int d) const { return {tensor.id(), ids[std::size_t(d)]}; }
  std::vector<ScheduledLoop> engine_step(const RaggedStep& step);
};

std::vector<ScheduledLoop> RaggedCase::engine_step(const RaggedStep& step) {
  Schedule& s = *schedule;
  const ScheduledLoop first = loop(step.in[0]), last = loop(step.in.back());
  const auto both = [](std::pair<ScheduledLoop, ScheduledLoop> made) {
    return std::vector{made.first, made.second};
  };
  switch (step.kind) {
    case RaggedStep::Split: return both(s.split(first, step.factor));
    case RaggedStep::OuterSplit: return both(s.split(first, step.factor, {.inner_split = false}));
    case RaggedStep::Merge:
    case RaggedStep::MergeRows: return {s.merge(first, last)};
    case RaggedStep::Resize:
      return {s.resize(first, f.constant(step.left), f.constant(step.right))};
    case RaggedStep::Xor: return both(s.swizzle(SwizzleKind::Xor, first, last));
    case RaggedStep::CyclicShift: return both(s.swizzle(SwizzleKind::CyclicShift, first, last));
  }
  return {};
}

void RaggedCase::draw_step(std::mt19937_64& rng) {
  const std::vector<int>& loops = graph.loops;
  // The items of the row, as they are or resized, if they are still a loop beside the row.
  int items = RaggedGraph::kItem;
  std::int64_t added = 0;
  for (const RaggedStep& s : graph.steps) {
    if (s.kind != RaggedStep::Resize || s.in[0] != items) continue;
    items = s.out[0];
    added += s.left + s.right;
  }
  const auto has = [&](int d) { return std::ranges::find(loops, d) != loops.end(); };
  const int any = oracle::pick(rng, loops), other = oracle::pick(rng, loops);
  RaggedStep step{RaggedStep::Split, {any}, {}, draw(rng, 1, chance(rng, 4) ? 9 : 4)};
  const std::int64_t kind = draw(rng, 0, 9);
  if (kind >= 8 && has(RaggedGraph::kRow) && has(items)) {
    step = {RaggedStep::MergeRows, {RaggedGraph::kRow, items}, {}, added};
  } else if (kind >= 6 && has(items)) {
    step = {RaggedStep::Resize, {items}, {}, 0, chance(rng, 3) ? draw(rng, -1, 2) : 0, 1};
    if (chance(rng, 3)) step.right = draw(rng, -1, 3);
  } else if (kind == 5) {
    step = {RaggedStep::Resize, {any}, {}, 0, draw(rng, -1, 2), draw(rng, -1, 2)};
  } else if (kind >= 3 && any != other) {
    step = {RaggedStep::Merge, {any, other}};
    if (kind == 3 && chance(rng, 2)) {
      step.kind = chance(rng, 2) ? RaggedStep::Xor : RaggedStep::CyclicShift;
    }
  } else if (chance(rng, 3)) {
    step.kind = RaggedStep::OuterSplit;
  }
  if (step.kind == RaggedStep::Merge && any == RaggedGraph::kRow && other == items) {
    step.kind = RaggedStep::MergeRows;
    step.factor = added;
  }
  // Rows of a group and their items: tests/legality/test_row_group_predicates.cpp
  const bool is_group =
      step.kind == RaggedStep::Merge && other == items &&
      std::ranges::any_of(graph.steps, [&](const RaggedStep& s) {
        return s.kind <= RaggedStep::OuterSplit && s.in[0] == RaggedGraph::kRow && s.out[1] == any;
      });
  if (is_group) return;
  std::vector<ScheduledLoop> made;
  try {
    made = engine_step(step);
  } catch (const Illegal&) {
    return;
  }
  graph.apply(std::move(step));
  for (const ScheduledLoop& l : made) ids.push_back(l.domain);
}

void RaggedCase::finish(std::mt19937_64& rng, int& refused) {
  const std::vector<int> steps_order = graph.loops;
  for (int attempt = 0; attempt < 4 && !analysis; ++attempt) {
    graph.loops = steps_order;
    // A loop that is of the length of a row has to stand inside; the last attempt sees to it.
    if (attempt > 0 || chance(rng, 2)) oracle::shuffle(rng, graph.loops);
    if (attempt == 3) {
      std::ranges::stable_partition(graph.loops, [&](int d) { return !graph.depends(d); });
    }
    std::vector<ScheduledLoop> order;
    for (int d : graph.loops) order.push_back(loop(d));
    schedule->reorder(order);
    try {
      analysis = analyze_loops(f, *schedule, tensor.id());
    } catch (const Illegal& e) {
      EXPECT_TRUE(e.diagnostic().code == "E455" || e.diagnostic().code == "E457") << e.what();
      ++refused;
    }
  }
}

// Looks at a case with one list of offsets after another.
class RaggedJudge {
 public:
  explicit RaggedJudge(RaggedCase& judged)
      : case_(judged),
        analysis_(*judged.analysis),
        plan_(analysis_.predicates),
        inputs_(analysis_.variables) {
    const RaggedRows& rows = case_.f.domains()[case_.rows];
    inputs_.insert(inputs_.end(), {rows.row, rows.begin, rows.end});
    for (Expr size : case_.f.sizes()) inputs_.push_back(size);
    for (int d = 0; d < case_.graph.size(); ++d) {
      const DomainId id = case_.ids[std::size_t(is_any(d) ? d : 0)];
      roots_.push_back((*analysis_.coordinates)[id]);
      roots_.push_back(case_.schedule->graph()[id].extent);
    }
    for (const KeptPredicate& k : plan_.kept) {
      roots_.push_back(k.condition);
      kept_ids.push_back(case_.oracle_id(k.domain));
    }
    tape_.emplace(roots_, inputs_);
    number_ = find(analysis_.rows, case_.rows);
    const Expr told = number_->search ? number_->search->position : number_->row;
    number_tape_.emplace(std::span(&told, 1), inputs_);
  }

  // Looks at every point, at most `most` of them. Empty: all is well, otherwise what is wrong.
  std::string disagreement(const RowList& rows, std::int64_t most) {
    std::string wrong;
    const bool is_well = case_.graph.for_each_point(
        rows, [&](std::span<const std::int64_t> point, std::int64_t row) {
          wrong = disagreement_at(rows, point, row);
          if (!wrong.empty()) wrong += ", at" + oracle::to_text(point);
          ++points;
          return wrong.empty() && --most > 0;
        });
    if (!is_well) wrong = "the row is not told by the loops around";
    return wrong.empty() ? wrong : wrong + "; " + to_text(rows);
  }

  // What is wrong with the plan itself, and with its witnesses.
  std::string disagreement_of_plan() {
    for (DomainId d : analysis_.hole_path.domains) {
      const auto is = [&](const auto& p) { return p.domain == d; };
      const bool is_loop = contains(analysis_.loops, d);
      const bool is_kept = std::ranges::any_of(plan_.kept, is);
      const bool is_implied = std::ranges::any_of(plan_.implied, is);
      if (is_loop + is_kept + is_implied != 1) return "a check is not accounted for";
    }
    if (!derivations_end(analysis_.loops, plan_)) return "a derivation runs in a circle";
    for (std::size_t k = 0; k < plan_.kept.size(); ++k) {
      if (plan_.kept[k].witness.empty()) {
        if (plan_.minimal != Minimality::Unknown) return "a witness is missing";
        continue;
      }
      values_ = values_in(in_order(inputs_, plan_.kept[k].witness));
      if (!tape_->evaluate(values_)) return "a witness overflows";
      for (std::size_t i = 0; i < plan_.kept.size(); ++i) {
        if ((tape_->root(conditions() + i) != 0) != (i != k)) return "a witness is none";
      }
      ++witnesses;
      shown_by_rows += take_witness();
    }
    return {};
  }

  std::size_t fewest() const {
    return oracle::minimum_hitting_set(std::vector(masks_.begin(), masks_.end())).size();
  }
  // Whether fewer checks would do if a row that does not exist had no items.
  bool keeps_check_of_row() const {
    const std::vector<std::uint64_t> masks(real_masks_.begin(), real_masks_.end());
    return !oracle::is_irredundant(masks, kept_ids);
  }

  std::vector<int> kept_ids;
  std::int64_t points = 0;
  int witnesses = 0, shown_by_rows = 0;

 private:
  bool is_any(int d) const { return d != RaggedGraph::kPosition || case_.has_position; }
  std::size_t conditions() const { return 2 * std::size_t(case_.graph.size()); }
  std::string name(int d) const { return case_.schedule->graph()[case_.ids[std::size_t(d)]].name; }

  std::uint64_t mask_of(const RaggedGraph::Indices& indices,
                        const std::vector<std::int64_t>& extents) const {
    std::uint64_t mask = 0;
    for (std::size_t d = 0; d < indices.size(); ++d) {
      if (d == RaggedGraph::kPosition || (0 <= indices[d] && indices[d] < extents[d])) continue;
      mask |= std::uint64_t{1} << d;
    }
    return mask;
  }

  std::string disagreement_at(const RowList& rows, std::span<const std::int64_t> point,
                              std::int64_t row) {
    const RaggedGraph::Indices indices = case_.graph.indices(rows, row, point);
    const auto extents = case_.graph.extents(rows, rows.end(row) - rows.begin(row));
    const std::uint64_t mask = mask_of(indices, extents);
    if (mask != 0) {
      masks_.insert(mask);
      if (rows.missing_begin == rows.missing_end) real_masks_.insert(mask);
    }
    bind(rows, point);
    if (!tape_->evaluate(values_)) return "a coordinate overflows";
    for (std::size_t d = 0; d < indices.size(); ++d) {
      if (!is_any(int(d))) continue;
      if (tape_->root(2 * d) != indices[d])
        return "the coordinate of " + name(int(d)) + " is wrong";
      if (tape_->root(2 * d + 1) != extents[d])
        return "the extent of " + name(int(d)) + " is wrong";
    }
    bool passes = true;
    for (std::size_t k = 0; k < plan_.kept.size(); ++k) {
      passes = passes && tape_->root(conditions() + k) != 0;
    }
    if (passes != (mask == 0)) {
      return passes ? "a hole passes the predicates" : "a valid point does not";
    }
    const auto in_bounds = [&](DomainId domain) {
      const auto d = std::size_t(case_.oracle_id(domain));
      return 0 <= indices[d] && indices[d] < extents[d];
    };
    for (const ImpliedPredicate& p : plan_.implied) {
      if (in_bounds(p.domain) || !std::ranges::all_of(p.from, in_bounds)) continue;
      return name(case_.oracle_id(p.domain)) + " does not follow by " + p.by;
    }
    return {};
  }

  // The symbols of rows as a kernel reads them (lower/row_defines.h).
  void bind(const RowList& rows, std::span<const std::int64_t> point) {
    values_.assign(point.begin(), point.end());
    values_.insert(values_.end(), {0, 0, 0});
    for (Expr size : case_.f.sizes()) {
      values_.push_back(size.name() == "B" ? rows.count() : rows.items());
    }
    number_tape_->evaluate(values_);
    std::int64_t row = number_tape_->root(0);
    if (number_->search) row = rows.row_of(row, number_->search->added);
    values_[point.size()] = row;
    values_[point.size() + 1] = rows.begin(row);
    values_[point.size() + 2] = rows.end(row);
  }

  // Looks for offsets with which the point of the witness, whose values are set, is at a row of
  // that length, and takes the hole that it is. False if there are none: what the simplifier knows
  // of a row is less than what its offsets promise.
  bool take_witness() {
    const std::size_t n = analysis_.variables.size();
    const std::vector<std::int64_t> point(values_.begin(), values_.begin() + std::ptrdiff_t(n));
    const std::int64_t begin = values_[n + 1], end = values_[n + 2];
    std::int64_t count = case_.sizes.count.value_or(0), items = case_.sizes.items.value_or(0);
    for (std::size_t k = 0; k < case_.f.sizes().size(); ++k) {
      (case_.f.sizes()[k].name() == "B" ? count : items) = values_[n + 3 + k];
    }
    // The number of the row is not in the witness where it follows from the loops.
    for (std::int64_t own = 0; own <= count; ++own) {
      RowList rows{std::vector<std::int64_t>(std::size_t(count) + 1, 0), begin, end};
      for (std::int64_t k = 1; k <= count; ++k) {
        rows.offsets[std::size_t(k)] = k == count ? items : k <= own ? begin : end;
      }
      const bool is_kept = own == count || (rows.begin(own) == begin && rows.end(own) == end);
      const auto row = case_.graph.row_at(rows, point);
      if (!is_kept || !row || (own == count ? rows.has(*row) : *row != own)) continue;
      const auto extents = case_.graph.extents(rows, end - begin);
      const auto indices = case_.graph.indices(rows, *row, point);
      bool is_point = indices[RaggedGraph::kRow] == row;
      for (std::size_t k = 0; k < n; ++k) {
        is_point = is_point && point[k] < extents[std::size_t(case_.graph.loops[k])];
      }
      if (!is_point) continue;
      masks_.insert(mask_of(indices, extents));
      return true;
    }
    return false;
  }

  RaggedCase& case_;
  const TensorAnalysis& analysis_;
  const PredicatePlan& plan_;
  const RowNumber* number_ = nullptr;
  std::vector<Expr> inputs_, roots_;  // roots: coordinate and extent of each iterdomain; conditions
  std::optional<Tape> tape_, number_tape_;
  std::vector<std::int64_t> values_;
  std::set<std::uint64_t> masks_,
      real_masks_;  // real: where a row that does not exist has no items
};

// Offsets that go with what is known; about half of the rows are empty.
RowList draw_rows(std::mt19937_64& rng, const RaggedSizes& sizes, std::int64_t most_rows,
                  std::int64_t longest) {
  const std::int64_t count = sizes.count.value_or(draw(rng, 1, most_rows));
  std::vector<std::int64_t> lengths;
  for (std::int64_t k = 0; k < count; ++k) {
    lengths.push_back(chance(rng, 3) ? 0 : draw(rng, 0, longest));
  }
  if (!sizes.items) {
    if (std::ranges::max(lengths) == 0) lengths.back() = 1;
    return oracle::rows_of(lengths);
  }
  std::vector<std::int64_t> cuts = {0, *sizes.items};
  for (std::int64_t k = 1; k < count; ++k) cuts.push_back(draw(rng, 0, *sizes.items));
  std::ranges::sort(cuts);
  for (std::size_t k = 0; k < lengths.size(); ++k) lengths[k] = cuts[k + 1] - cuts[k];
  return oracle::rows_of(lengths);
}

// Sizes of 0 have programs of their own (lower/specialised.h), so that there is a row and an item.
std::unique_ptr<RaggedCase> draw_case(std::mt19937_64& rng, int& refused) {
  RaggedSizes sizes;
  const std::int64_t known = draw(rng, 0, 5);
  // One row of all items has a length that is known: nothing of it is ragged.
  if (known == 1 || known == 3) sizes.count = draw(rng, known == 1 ? 1 : 2, 6);
  if (known == 2 || known == 3) sizes.items = draw(rng, 1, 12);
  std::vector<std::int64_t> dense;
  for (std::int64_t k = draw(rng, 0, 2); k > 0; --k) dense.push_back(draw(rng, 1, 4));
  auto made =
      std::make_unique<RaggedCase>(sizes, RaggedTensor(draw(rng, 0, dense.empty() ? 1 : 3)), dense);
  for (std::int64_t k = draw(rng, 0, 6); k > 0; --k) made->draw_step(rng);
  made->finish(rng, refused);
  if (!made->analysis) made.reset();
  return made;
}

TEST(RaggedPredicates, AreExactWhateverTheOffsetsAndNearlyAlwaysFewest) {
  std::mt19937_64 rng(7);
  const int graphs = count(300, 2'000);
  int judged = 0, refused = 0, surplus = 0, proved = 0, of_row = 0, witnesses = 0, shown = 0;
  std::int64_t points = 0;
  while (judged < graphs && !HasFailure()) {
    const std::unique_ptr<RaggedCase> drawn = draw_case(rng, refused);
    if (!drawn) continue;
    ++judged;
    RaggedJudge judge(*drawn);
    std::string wrong = judge.disagreement_of_plan();
    const auto look_at = [&](RowList rows, std::int64_t most) {
      if (wrong.empty()) wrong = judge.disagreement(rows, most);
      rows.missing_begin = draw(rng, 0, rows.items());
      rows.missing_end = draw(rng, rows.missing_begin, rows.items());
      if (wrong.empty()) wrong = judge.disagreement(rows, most);
    };
    for (int k = 0; k < 8; ++k)
      look_at(draw_rows(rng, drawn->sizes, 6, k % 4 == 0 ? 12 : 5), 1'000);
    const auto may_be_fewer = [&] { return judge.fewest() < judge.kept_ids.size(); };
    for (int k = 0; k < 200 && wrong.empty() && may_be_fewer(); ++k) {
      const std::int64_t most_rows = k % 3 == 0 ? 100 : 6, longest = k % 3 == 1 ? 100 : 1 + k % 20;
      look_at(draw_rows(rng, drawn->sizes, most_rows, longest), 20'000);
    }
    const auto tests_row = [&] { return !may_be_fewer() && judge.keeps_check_of_row(); };
    for (int k = 0; k < 60 && wrong.empty() && tests_row(); ++k) {
      look_at(draw_rows(rng, drawn->sizes, k % 2 == 0 ? 60 : 6, 1 + k % 20), 5'000);
    }
    EXPECT_EQ(wrong, "") << drawn->text();
    const bool is_proved = drawn->analysis->predicates.minimal == Minimality::Proved;
    EXPECT_FALSE(is_proved && may_be_fewer()) << "there are too many\n" << drawn->text();
    if (may_be_fewer() && std::getenv("SELVAGE_SHOW_SURPLUS"))
      std::printf("%s\n", drawn->text().c_str());
    proved += is_proved;
    surplus += may_be_fewer();
    of_row += tests_row();
    points += judge.points;
    witnesses += judge.witnesses, shown += judge.shown_by_rows;
  }
  std::printf(
      "[FIGURE] ragged graphs: %.2f %% of %d have a surplus predicate, %.2f %% are proved to have "
      "none; %d more orders of loops refused; %lld points\n"
      "[FIGURE] ragged graphs: %.2f %% check that there is a row although it is read to be empty; "
      "%d of %d witnesses are of offsets that there are\n",
      100.0 * surplus / judged, judged, 100.0 * proved / judged, refused,
      static_cast<long long>(points), 100.0 * of_row / judged, shown, witnesses);
  EXPECT_LE(100 * surplus, at_most(judged)) << "more than 1 %";
}

}  // namespace
}  // namespace selvage
