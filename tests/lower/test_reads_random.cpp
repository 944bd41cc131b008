// Whether every read is in bounds, held against a walk over all items that are computed.
#include <selvage/base/diagnostic.h>
#include <selvage/ir/ops.h>
#include <selvage/ir/reads.h>
#include <selvage/legality/reads.h>
#include <selvage/lower/program.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "tests/support/counts.h"
#include "tests/support/refusal.h"

namespace selvage {
namespace {

using Random = std::mt19937_64;

std::int64_t within(Random& random, std::int64_t least, std::int64_t most) {
  return std::uniform_int_distribution<std::int64_t>(least, most)(random);
}

// A chain of tensors whose subscripts are affine in their indices, may go out of bounds and may say
// what stands there then; views and folds among them.
class Programs {
 public:
  explicit Programs(Random& random) : random_(random) {}

  Fusion make() {
    Fusion f;
    const std::int64_t rank = within(random_, 1, 2);
    std::vector<Expr> shape;
    for (std::int64_t k = 0; k < rank; ++k) shape.push_back(f.constant(within(random_, 1, 7)));
    tensors_ = {f.input("x", shape, DataType::Float)};
    const std::int64_t computed = within(random_, 1, 4);
    for (std::int64_t n = 0; n < computed; ++n) add(f, "t" + std::to_string(n));
    f.output("y", f.compute("last", {}, {}, whole(f, tensors_.back())));
    return f;
  }

 private:
  // Its first element: what comes before is read where it is in bounds.
  ValueId whole(Fusion& f, Tensor t) {
    return f.values().read(DataType::Float, std::uint32_t(t.id()),
                           std::vector(t.rank(), f.constant(0)));
  }

  void add(Fusion& f, const std::string& name) {
    std::vector<Expr> indices, shape;
    const std::int64_t rank = within(random_, 1, 2);
    for (std::int64_t k = 0; k < rank; ++k) {
      indices.push_back(f.fresh_index("i" + std::to_string(k)));
      shape.push_back(f.constant(within(random_, 1, 6)));
    }
    const bool folds = within(random_, 0, 3) == 0;
    const bool is_view = !folds && within(random_, 0, 3) == 0;
    Fusion::FoldRequest fold;
    std::vector<Expr> all = indices;
    if (folds) {
      fold.indices = {f.fresh_index("k")};
      fold.shape = {f.constant(within(random_, 1, 5))};
      all.push_back(fold.indices[0]);
    }
    ValueId value = read(f, all);
    if (within(random_, 0, 1) == 0) value = f.values().apply(Function::Add, {value, read(f, all)});
    Tensor t;
    if (folds) {
      t = f.compute_fold(name, indices, shape, fold, value);
    } else if (is_view) {
      const Expr factor = f.constant(within(random_, 1, 3));
      const auto cut = [&](DomainGraph& graph, const std::vector<DomainId>& root) {
        std::vector<DomainId> logical = root;
        const auto [outer, inner] = graph.split(root[0], factor);
        logical[0] = outer;
        logical.push_back(inner);
        return logical;
      };
      t = f.compute_view(name, indices, shape, cut, value);
    } else {
      t = f.compute(name, indices, shape, value);
    }
    tensors_.push_back(t);
  }

  // Near the bounds, on either side of them.
  ValueId read(Fusion& f, const std::vector<Expr>& indices) {
    const Tensor source =
        tensors_[std::size_t(within(random_, 0, 2)) < 2
                     ? tensors_.size() - 1
                     : std::size_t(within(random_, 0, std::int64_t(tensors_.size()) - 1))];
    std::vector<Expr> subscripts;
    for (Expr extent : source.shape()) {
      const Expr index = indices[std::size_t(within(random_, 0, std::int64_t(indices.size()) - 1))];
      switch (within(random_, 0, 6)) {
        case 0: subscripts.push_back(f.constant(within(random_, 0, 2))); break;
        case 1: subscripts.push_back(index * within(random_, 1, 2) + within(random_, -1, 2)); break;
        case 2: subscripts.push_back(index / within(random_, 1, 3)); break;
        case 3: subscripts.push_back((index + within(random_, 0, 4)) % extent); break;
        case 4: subscripts.push_back(extent - 1 - index); break;
        default: subscripts.push_back(min(index, extent - 1)); break;
      }
    }
    const auto number = std::uint32_t(source.id());
    if (within(random_, 0, 3) != 0) return f.values().read(DataType::Float, number, subscripts);
    const ValueId other =
        within(random_, 0, 2) == 0
            ? f.values().read(DataType::Float, number, std::vector(source.rank(), f.constant(0)))
            : f.values().constant(DataType::Float, 0.0, true);
    return f.values().read_or(DataType::Float, number, subscripts, other);
  }

  Random& random_;
  std::vector<Tensor> tensors_;
};

// What the outputs are made of: nothing else is lowered.
std::set<TensorId> needed(const Fusion& f) {
  std::set<TensorId> found;
  std::vector<TensorId> open = {*f.find("y")};
  while (!open.empty()) {
    const TensorId t = open.back();
    open.pop_back();
    if (!found.insert(t).second) continue;
    for (TensorId source : tensors_read(f, t)) open.push_back(source);
  }
  return found;
}

// By who reads what: is a read made anywhere that is out of bounds? Goes through the items of the
// tensors that are stored, and through those that they read of inlined ones.
class Truth {
 public:
  Truth(const Fusion& fusion, const Schedule& schedule) : fusion_(fusion), schedule_(schedule) {}

  std::set<std::pair<TensorId, TensorId>> outside() {
    for (TensorId t : needed(fusion_)) {
      if (!fusion_[t].definition || schedule_.is_inlined(t)) continue;
      std::vector<std::int64_t> item(fusion_[t].logical.size(), 0);
      do visit(t, item);
      while (next(item, extents(fusion_[t].logical)));
    }
    return outside_;
  }

 private:
  std::vector<std::int64_t> extents(const std::vector<DomainId>& domains) const {
    std::vector<std::int64_t> list;
    for (DomainId d : domains) list.push_back(extent(d));
    return list;
  }
  std::int64_t extent(DomainId d) const { return *value_at(fusion_.domains()[d].extent, Point{}); }
  static bool next(std::vector<std::int64_t>& at, const std::vector<std::int64_t>& extents) {
    for (std::size_t k = at.size(); k-- > 0;) {
      if (++at[k] < extents[k]) return true;
      at[k] = 0;
    }
    return false;
  }

  void visit(TensorId t, const std::vector<std::int64_t>& item) {
    if (!seen_.emplace(t, item).second) return;
    const TensorInfo& info = fusion_[t];
    Point at;
    for (std::size_t k = 0; k < info.indices.size(); ++k) at.emplace_back(info.indices[k], item[k]);
    if (!info.root.empty()) {
      // The first axis of the root is split; its inner part is the last of the items.
      at[0].second = item[0] * extent(info.logical.back()) + item.back();
    }
    if (!info.fold) return visit_value(t, *info.definition, at);
    const std::size_t own = at.size();
    std::vector<std::int64_t> folded(info.fold->indices.size(), 0);
    do {
      at.resize(own);
      for (std::size_t k = 0; k < folded.size(); ++k) {
        at.emplace_back(info.fold->indices[k], folded[k]);
      }
      visit_value(t, *info.definition, at);
    } while (next(folded, extents(info.fold->domains)));
  }

  void visit_value(TensorId t, ValueId v, const Point& at) {
    const ValueNode& node = fusion_.values()[v];
    if (node.kind != ValueNode::Kind::Read) {
      for (ValueId operand : node.operands) visit_value(t, operand, at);
      return;
    }
    const TensorId source = TensorId(node.source);
    std::vector<std::int64_t> item;
    bool is_inside = true;
    for (std::size_t k = 0; k < node.subscripts.size(); ++k) {
      item.push_back(*value_at(node.subscripts[k], at));
      is_inside = is_inside && 0 <= item[k] && item[k] < extent(fusion_[source].logical[k]);
    }
    if (!is_inside) {
      if (node.operands.empty()) outside_.emplace(t, source);
      for (ValueId operand : node.operands) visit_value(t, operand, at);
    } else if (fusion_[source].definition && schedule_.is_inlined(source)) {
      visit(source, item);
    }
  }

  const Fusion& fusion_;
  const Schedule& schedule_;
  std::set<std::pair<TensorId, TensorId>> outside_;
  std::set<std::pair<TensorId, std::vector<std::int64_t>>> seen_;
};

// Cuts up and binds some loops, inlines some tensors; perhaps a fold becomes two.
void schedule_anyhow(const Fusion& f, Schedule& s, Random& random) {
  constexpr ParallelType kAxes[] = {ParallelType::BIDx, ParallelType::TIDx};
  for (std::size_t k = 0; k < f.size(); ++k) {
    const TensorId t = TensorId(k);
    if (!f[t].definition) continue;
    const auto tried = [&](const auto& step) {
      try {
        step();
      } catch (const Error&) {
        // It stays as it was.
      }
    };
    if (within(random, 0, 3) == 0) tried([&] { s.inline_into_readers(t); });
    if (s.is_inlined(t)) continue;
    for (ParallelType axis : kAxes) {
      const auto loops = s.loops(t);
      if (loops.empty()) break;
      const auto l = loops[std::size_t(within(random, 0, std::int64_t(loops.size()) - 1))];
      switch (within(random, 0, 3)) {
        case 0: tried([&] { s.bind(s.split(l, within(random, 1, 4)).second, axis); }); break;
        case 1:
          if (loops.size() > 1) tried([&] { s.merge(loops[0], loops[1]); });
          break;
        case 2: tried([&] { s.rfactor(t, {s.split(l, within(random, 1, 3)).first}, ""); }); break;
        default: break;
      }
    }
  }
}

TEST(ReadsRandom, AreInsideJustWhereNoItemIsReadOutOfBounds) {
  Random random(440);
  int inside = 0, outside = 0, folds = 0, views = 0, parts = 0, filled = 0, refused = 0;
  const int programs = count(400, 8'000);
  for (int n = 0; n < programs && !testing::Test::HasFailure(); ++n) {
    std::optional<Fusion> made;
    try {
      made = Programs(random).make();
    } catch (const BadInput&) {
      continue;  // axes that one index equates differ
    }
    Fusion& f = *made;
    Schedule s(f);
    schedule_anyhow(f, s, random);
    const std::set<std::pair<TensorId, TensorId>> truth = Truth(f, s).outside();
    const Fusion& now = s.fusion();
    bool is_legal = true, has_parts = false;
    std::set<std::pair<TensorId, TensorId>> found;
    for (TensorId t : needed(now)) {
      if (!now[t].definition || s.is_inlined(t)) continue;
      if (now[t].fold && now[t].fold->is_partial) has_parts = true;
      for (const Access& read : reads_of(now, s, analyze(now, s, t))) {
        filled += read.condition.valid();
        folds += now[read.user].fold.has_value();
        views += !now[read.user].root.empty();
        is_legal = is_legal && read.is_inside();
        if (!read.is_inside()) found.emplace(read.user, read.tensor);
        for (const Access::Open& open : read.open) {
          const auto* refuted = std::get_if<Refuted>(&open.verdict);
          ASSERT_NE(refuted, nullptr) << now[read.user].name;
          EXPECT_EQ(value_at(open.claim, refuted->point), 0);
        }
      }
    }
    EXPECT_EQ(is_legal, truth.empty()) << n;
    // What is read in the stead of an element out of bounds may be more.
    const bool has_all = std::includes(found.begin(), found.end(), truth.begin(), truth.end());
    EXPECT_TRUE(has_parts || has_all) << n;
    parts += has_parts;
    const std::string refusal = refusal_by<Illegal>([&] { lower(f, s); });
    const bool is_of_bounds = refusal.find("E440") != std::string::npos;
    // Other refusals may come first.
    EXPECT_TRUE(is_legal ? !is_of_bounds : refusal != "accepted") << refusal;
    refused += is_of_bounds;
    (is_legal ? inside : outside) += 1;
  }
  EXPECT_GT(inside, more_than(80));
  EXPECT_GT(outside, more_than(80));
  EXPECT_GT(refused, more_than(60));
  EXPECT_GT(folds, more_than(60));
  EXPECT_GT(views, more_than(60));
  EXPECT_GT(parts, more_than(10));
  EXPECT_GT(filled, more_than(60));
}

}  // namespace
}  // namespace selvage
