#include "tests/frontend/random_file.h"

#include <selvage/base/diagnostic.h>

#include <algorithm>

#include "tests/support/random_layout.h"

namespace selvage {

namespace {

constexpr DataType kTypes[] = {DataType::Float, DataType::Half,  DataType::Double,
                               DataType::Int32, DataType::UInt8, DataType::Bool};

}  // namespace

std::int64_t RandomFile::draw(std::int64_t lo, std::int64_t hi) {
  return lo + std::int64_t(rng_() % std::uint64_t(hi - lo + 1));
}

RandomFile::RandomFile(std::mt19937_64& rng) : rng_(rng) {
  const Expr N = fusion->extent("N", 1, one_in(2) ? std::optional<std::int64_t>(64) : std::nullopt,
                                one_in(3) ? 4 : 1);
  shape_ = {N, fusion->constant(draw(1, 9)), fusion->extent("K", draw(0, 2))};
  if (one_in(3)) fusion->assume(shape_[2] <= N);
  const char* const names[] = {"i", "j", "k"};
  for (const char* name : names) indices_.push_back(fusion->pool().symbol(name));
  for (int k = 0; k < 3; ++k) {
    std::vector<std::size_t> axes = {0, 1, 2};
    if (k > 0) axes.erase(axes.begin() + draw(0, 2));
    if (one_in(2)) std::reverse(axes.begin(), axes.end());
    std::vector<Expr> shape;
    for (std::size_t a : axes) shape.push_back(shape_[a]);
    const DataType type = kTypes[std::size_t(draw(0, 5))];
    sources_.push_back({fusion->input("x" + std::to_string(k), shape, type), axes});
  }
  const int statements = int(draw(1, 6));
  for (int k = 0; k < statements; ++k) add_statement(k);
  const Source last = sources_.back();
  fusion->output("y", last.tensor);
  schedule.emplace(*fusion);
  const int steps = int(draw(0, 12));
  for (int k = 0; k < steps; ++k) {
    try {
      add_step();
    } catch (const Illegal&) {
      // Not every draw makes sense.
    }
  }
}

ValueId RandomFile::element(const std::vector<std::size_t>& axes) {
  ValueGraph& values = fusion->values();
  std::vector<Source> fitting;
  for (const Source& s : sources_) {
    const bool fits = std::all_of(s.axes.begin(), s.axes.end(), [&](std::size_t a) {
      return std::find(axes.begin(), axes.end(), a) != axes.end();
    });
    if (fits) fitting.push_back(s);
  }
  if (fitting.empty() || one_in(8)) return values.index(indices_[pick(axes)]);
  const Source& s = pick(fitting);
  std::vector<Expr> at;
  for (std::size_t a : s.axes) at.push_back(indices_[a]);
  const auto id = std::uint32_t(s.tensor.id());
  const DataType type = (*fusion)[s.tensor.id()].type;
  if (!at.empty() && one_in(5)) {
    at[0] = at[0] * draw(1, 2) + draw(-1, 2);
    return values.read_or(type, id, at, values.constant(DataType::Int32, draw(0, 1), true));
  }
  return values.read(type, id, at);
}

ValueId RandomFile::value(const std::vector<std::size_t>& axes, int depth) {
  ValueGraph& values = fusion->values();
  if (depth == 0 || one_in(5)) return element(axes);
  const ValueId a = value(axes, depth - 1);
  switch (draw(0, 9)) {
    case 0: return values.apply(Function::Exp, {a});
    case 1: return values.apply(Function::Neg, {a});
    case 2: return values.cast(a, kTypes[std::size_t(draw(0, 5))]);
    case 3:
      return values.apply(
          Function::Select,
          {values.apply(Function::Lt, {a, value(axes, depth - 1)}), a, value(axes, depth - 1)});
    case 4: return values.apply(Function::Mul, {a, values.constant(DataType::Float, 0.5, true)});
    case 5:
      return values.apply(Function::Max,
                          {a, values.constant(DataType::Int32, std::int64_t{3}, true)});
    case 6: return values.apply(Function::Sub, {a, value(axes, depth - 1)});
    case 7: {
      constexpr Function kOfNumbers[] = {Function::Exp2,  Function::Log1p,      Function::Round,
                                         Function::Sign,  Function::Reciprocal, Function::IsFinite,
                                         Function::Trunc, Function::GeluTanh,   Function::Softplus};
      return values.apply(kOfNumbers[draw(0, 8)], {a});
    }
    case 8: {
      constexpr Function kOfBits[] = {
          Function::BitAnd,     Function::BitOr,      Function::BitXor,      Function::ShiftLeft,
          Function::ShiftRight, Function::RandomBits, Function::RandomNormal};
      const ValueId bits = is_floating(values[a].type) ? values.cast(a, DataType::Int32) : a;
      const ValueId other = values.constant(DataType::Int32, draw(0, 9), true);
      return one_in(4) ? values.apply(Function::BitNot, {bits})
                       : values.apply(kOfBits[draw(0, 6)], {bits, other});
    }
    default: return values.apply(Function::Add, {value(axes, depth - 1), a});
  }
}

void RandomFile::add_statement(int number) {
  std::vector<std::size_t> axes;
  for (std::size_t a = 0; a < 3; ++a) {
    if (!one_in(4)) axes.push_back(a);
  }
  if (axes.empty()) axes.push_back(0);
  const std::string name = "t" + std::to_string(number) + "_";
  std::vector<Expr> left, shape, over, extents;
  std::vector<std::size_t> own;
  const bool folds = one_in(2);
  for (std::size_t a : axes) {
    const bool is_folded = folds && (over.empty() || one_in(2));
    (is_folded ? over : left).push_back(indices_[a]);
    (is_folded ? extents : shape).push_back(shape_[a]);
    if (!is_folded) own.push_back(a);
  }
  ValueId v = value(axes, 2);
  // Whatever it is, how far the indices run is told by a read of each.
  for (const Source& s : sources_) {
    if (s.axes.size() != 3) continue;
    std::vector<Expr> at = {indices_[s.axes[0]], indices_[s.axes[1]], indices_[s.axes[2]]};
    bool is_seen = true;
    for (std::size_t k = 0; k < 3; ++k) {
      if (std::find(axes.begin(), axes.end(), s.axes[k]) != axes.end()) continue;
      at[k] = fusion->constant(0);
      is_seen = is_seen && !one_in(2);
    }
    v = fusion->values().apply(Function::Add,
                               {v, fusion->values().read((*fusion)[s.tensor.id()].type,
                                                         std::uint32_t(s.tensor.id()), at)});
    break;
  }
  constexpr Reduction kFolds[] = {Reduction::Sum,      Reduction::Max,    Reduction::Mean,
                                  Reduction::Any,      Reduction::ArgMin, Reduction::Variance,
                                  Reduction::LogSumExp};
  static const std::vector<Reduction> kScans = {Reduction::Sum, Reduction::Prod, Reduction::Max,
                                                Reduction::Min, Reduction::FMax, Reduction::FMin};
  const bool scans = !folds && one_in(4);
  const Tensor t =
      scans ? fusion->compute_fold(
                  name, left, shape,
                  {.how = pick(kScans), .indices = {}, .shape = {}, .scanned = pick(left)}, v)
      : folds ? fusion->compute_fold(
                    name, left, shape,
                    {.how = kFolds[std::size_t(draw(0, 5))], .indices = over, .shape = extents}, v)
              : fusion->compute(name, left, shape, v);
  if (one_in(4)) fusion->output(name, t);
  sources_.push_back({t, own});
}

ScheduledLoop RandomFile::loop(TensorId t) {
  const std::vector<ScheduledLoop> loops = schedule->loops(t);
  if (loops.empty()) throw Illegal({.code = "none", .place = {}, .message = {}, .help = {}});
  return pick(loops);
}

void RandomFile::add_step() {
  Schedule& s = *schedule;
  const auto t = TensorId(draw(0, std::int64_t(s.fusion().size()) - 1));
  const auto other = TensorId(draw(0, std::int64_t(s.fusion().size()) - 1));
  const TensorInfo& info = s.fusion()[t];
  const bool has_loops = !info.is_input && !s.is_inlined(t);
  const Expr factor = one_in(4) ? shape_[0] + 1 : fusion->constant(draw(1, 5));
  switch (draw(0, 15)) {
    case 0:
    case 1:
      s.cache(t, one_in(2) ? "" : "c" + std::to_string(s.fusion().size()), Memory(draw(0, 2)));
      ++caches;
      return;
    case 2:
    case 3: {
      std::vector<TensorId> folds;
      for (std::size_t k = 0; k < s.fusion().size(); ++k) {
        if (s.fusion()[TensorId(k)].fold) folds.push_back(TensorId(k));
      }
      if (folds.empty()) return;
      const TensorId f = pick(folds);
      if (s.fusion()[f].fold->how == Reduction::Variance && one_in(2)) {
        s.two_pass(f, one_in(2) ? "" : "m" + std::to_string(s.fusion().size()));
        ++two_passes;
        return;
      }
      const ScheduledLoop cut = loop(f);
      if (is_scan(s.fusion()[f]) && s.is_folded(f, cut.domain)) {
        s.scan_in_parts(f, s.split(cut, factor).second, {});
        ++parts;
        return;
      }
      if (s.is_folded(f, cut.domain)) s.split(cut, factor, {.inner_split = one_in(2)});
      std::vector<ScheduledLoop> some;
      for (ScheduledLoop l : s.loops(f)) {
        if (s.is_folded(f, l.domain) && one_in(2)) some.push_back(l);
      }
      s.rfactor(f, some, one_in(2) ? "" : "p" + std::to_string(s.fusion().size()));
      ++parts;
      return;
    }
    case 4:
      s.compute_at(t, loop(other));
      ++sites;
      return;
    case 5:
      s.compute_in(t, other);
      ++sites;
      return;
    case 6: s.keep_in(t, Memory(draw(0, 2))); return;
    case 7: s.like(t, other); return;
    case 8:
      if (s.making(t) == nullptr && !info.is_input) s.materialize(t);
      return;
    case 9:
      if (has_loops) s.bind(loop(t), one_in(2) ? ParallelType::TIDx : ParallelType::Unroll);
      return;
    case 10:
      if (has_loops) s.merge(loop(t), loop(t));
      return;
    case 11: {
      if (!has_loops) return;
      std::vector<ScheduledLoop> loops = s.loops(t);
      std::reverse(loops.begin(), loops.end());
      s.reorder(loops);
      return;
    }
    case 12:
      if (!has_loops) return;
      test::lay_out(s, t, rng_);
      ++layouts;
      return;
    case 13:
      if (has_loops) s.stages(t, draw(1, 3));
      return;
    default:
      if (has_loops) s.split(loop(t), factor, {.inner_split = one_in(2)});
      return;
  }
}

}  // namespace selvage
