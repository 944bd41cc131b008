// Folds in two steps fold the same items: what a tensor comes to is followed as the list of the
// items that went into it, through partial tensors, at the valid points of their loops.
#include <selvage/expr/tape.h>
#include <selvage/expr/text.h>
#include <selvage/ir/reads.h>
#include <selvage/legality/analysis.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/support/counts.h"

namespace selvage {
namespace {

using Item = std::vector<std::int64_t>;
using Items = std::map<Item, std::vector<Item>>;  // by element

class Followed {
 public:
  Followed(const Fusion& fusion, const Schedule& schedule)
      : fusion_(fusion), schedule_(schedule), items_(fusion.size()) {
    for (TensorId t : definition_order(fusion)) {
      if (fusion[t].fold) follow(t);
    }
  }
  const Items& of(TensorId t) const { return items_[index_of(t)]; }

 private:
  void follow(TensorId t) {
    const TensorInfo& info = fusion_[t];
    const TensorAnalysis a = analyze(fusion_, schedule_, t);
    std::vector<Expr> asked;
    for (const KeptPredicate& kept : a.predicates.kept) asked.push_back(kept.condition);
    const std::size_t conditions = asked.size();
    for (DomainId d : info.logical) asked.push_back((*a.coordinates)[d]);
    if (info.fold->merges) {
      const Environment environment = indices_at(info, *a.coordinates);
      for (Expr e : fusion_.values()[*info.definition].subscripts) {
        asked.push_back(substitute(e, environment));
      }
    } else {
      for (DomainId d : counted_domain(*info.fold)) asked.push_back((*a.coordinates)[d]);
    }
    Tape tape(asked, a.variables);
    std::vector<std::int64_t> extents, point(a.loops.size(), 0);
    for (DomainId d : a.loops) extents.push_back(schedule_.graph()[d].extent.value());
    do {
      ASSERT_TRUE(tape.evaluate(point));
      std::vector<std::int64_t> values;
      bool is_valid = true;
      for (std::size_t k = 0; k < asked.size(); ++k) {
        if (k < conditions) is_valid = is_valid && tape.root(k) != 0;
        if (k >= conditions) values.push_back(tape.root(k));
      }
      if (!is_valid) continue;
      const auto end = values.begin() + std::ptrdiff_t(info.logical.size());
      const Item element(values.begin(), end), from(end, values.end());
      std::vector<Item>& list = items_[index_of(t)][element];
      if (!info.fold->merges) {
        list.push_back(from);
        continue;
      }
      const TensorId source = tensors_read(fusion_, t)[0];
      const std::vector<Item>& state = items_[index_of(source)][from];
      list.insert(list.end(), state.begin(), state.end());
    } while (next(point, extents));
  }

  static bool next(std::vector<std::int64_t>& point, const std::vector<std::int64_t>& extents) {
    for (std::size_t k = point.size(); k-- > 0;) {
      if (++point[k] < extents[k]) return true;
      point[k] = 0;
    }
    return false;
  }

  const Fusion& fusion_;
  const Schedule& schedule_;
  std::vector<Items> items_;
};

// s[m] = sum over n and k of x[m, n, k], its loops and those of its parts cut up at random.
struct RandomFold {
  explicit RandomFold(std::mt19937& random) : random_(random) {
    const Expr m = f.pool().symbol("m"), n = f.pool().symbol("n"), k = f.pool().symbol("k");
    const Expr M = f.constant(draw(1, 3));
    N = draw(1, 9), K = draw(1, 5);
    const std::vector<Expr> over = {f.constant(N), f.constant(K)};
    const Tensor x = f.input("x", {M, over[0], over[1]}, DataType::Float);
    const ValueId element = f.values().read(DataType::Float, index_of(x.id()), {m, n, k});
    s = f.compute_fold("s", {m}, {M}, {.how = Reduction::Sum, .indices = {n, k}, .shape = over},
                       element);
    f.output("s", s);
    schedule.emplace(f);
    for (int step = 0; step < 3; ++step) {
      folds.push_back(s.id());
      for (TensorId t : std::vector<TensorId>(folds)) cut(t);
      const TensorId t = folds[std::size_t(draw(0, std::int64_t(folds.size()) - 1))];
      std::vector<ScheduledLoop> some;
      std::size_t all = 0;
      for (ScheduledLoop l : schedule->loops(t)) {
        if (!schedule->is_folded(t, l.domain)) continue;
        ++all;
        if (draw(0, 1) == 1) some.push_back(l);
      }
      if (some.empty() || some.size() == all) continue;
      folds.push_back(schedule->rfactor(t, some, ""));
      ++parts;
    }
    for (TensorId t : folds) cut(t);
  }

  void cut(TensorId t) {
    for (int step = 0; step < 2; ++step) {
      const std::vector<ScheduledLoop> loops = schedule->loops(t);
      const ScheduledLoop a = loops[std::size_t(draw(0, std::int64_t(loops.size()) - 1))];
      const ScheduledLoop b = loops[std::size_t(draw(0, std::int64_t(loops.size()) - 1))];
      const bool is_pair =
          a != b && schedule->is_folded(t, a.domain) == schedule->is_folded(t, b.domain);
      switch (draw(0, 4)) {
        case 0:
        case 1:
          if (loops.size() < 8) schedule->split(a, draw(1, 4), {.inner_split = draw(0, 1) == 1});
          break;
        case 2:
          if (is_pair) schedule->merge(a, b);
          break;
        case 3:
          if (is_pair) schedule->swizzle(SwizzleKind::CyclicShift, a, b);
          break;
        default: schedule->resize(a, f.constant(draw(0, 1)), f.constant(draw(0, 2))); break;
      }
    }
  }

  std::int64_t draw(std::int64_t lo, std::int64_t hi) {
    return lo + std::int64_t(random_() % std::uint32_t(hi - lo + 1));
  }

  std::mt19937& random_;
  Fusion f;
  Tensor s;
  std::int64_t N = 1, K = 1;
  std::optional<Schedule> schedule;
  std::vector<TensorId> folds;
  int parts = 0;
};

TEST(Rfactor, EveryItemGoesOnceIntoTheElementThatItWentIntoBefore) {
  std::mt19937 random(20261122);
  int parts = 0;
  for (int k = 0; k < count(200, 5000); ++k) {
    RandomFold fold(random);
    parts += fold.parts;
    const Followed followed(fold.schedule->fusion(), *fold.schedule);
    std::vector<Item> expected;
    for (std::int64_t n = 0; n < fold.N; ++n) {
      for (std::int64_t i = 0; i < fold.K; ++i) expected.push_back({n, i});
    }
    const Items& items = followed.of(fold.s.id());
    EXPECT_EQ(std::int64_t(items.size()), fold.f.shape(fold.s.id())[0].value()) << k;
    for (auto [element, list] : items) {
      std::sort(list.begin(), list.end());
      ASSERT_EQ(list, expected) << "fusion " << k << ", element " << element[0];
    }
  }
  EXPECT_GT(parts, more_than(100));
}

// 10 items in tiles of 4: of the last tile's two elements that have one item less.
TEST(Rfactor, APartialTensorChecksTheBoundsOfTheItems) {
  Fusion f;
  const Expr n = f.pool().symbol("n"), ten = f.constant(10);
  const Tensor x = f.input("x", {ten}, DataType::Float);
  const ValueId element = f.values().read(DataType::Float, index_of(x.id()), {n});
  const Tensor s = f.output(
      "s", f.compute_fold("sum", {}, {}, {.how = Reduction::Sum, .indices = {n}, .shape = {ten}},
                          element));
  Schedule schedule(f);
  const auto [no, ni] = schedule.split(schedule.loops(s.id())[0], 4);
  const TensorId p = schedule.rfactor(s.id(), {no}, "p");
  const TensorAnalysis a = analyze(schedule.fusion(), schedule, p);
  ASSERT_EQ(a.predicates.kept.size(), 1U);
  EXPECT_EQ(to_string(a.predicates.kept[0].condition), "no * 4 + ni < 10");
  EXPECT_EQ(to_string(a.address), "ni");
  EXPECT_TRUE(is_proved(a.coverage.verdict));
  const Followed followed(schedule.fusion(), schedule);
  EXPECT_EQ(followed.of(p).at({1}), (std::vector<Item>{{1}, {5}, {9}}));
  EXPECT_EQ(followed.of(p).at({2}), (std::vector<Item>{{2}, {6}}));
  EXPECT_TRUE(analyze(schedule.fusion(), schedule, s.id()).predicates.kept.empty());
}

}  // namespace
}  // namespace selvage
