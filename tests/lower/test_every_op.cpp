// Every operation of every type over odd sizes, as a fusion by itself: the unscheduled program, the
// emulated kernels and the emitted text agree, and NVRTC takes the text.
#include <selvage/codegen/cuda.h>
#include <selvage/expr/text.h>
#include <selvage/runtime/nvrtc.h>

#include <gtest/gtest.h>

#include <set>

#include "tests/lower/every_op.h"
#include "tests/support/counts.h"
#include "tests/support/lowered.h"
#include "tests/support/matches.h"
#include "tests/support/refusal.h"
#include "tests/support/text_files.h"

namespace selvage {

namespace {

using namespace test;

using Sizes = std::map<std::string, std::int64_t>;

// A fusion of many outputs, each of one operation.
struct Operations {
  explicit Operations(DataType type) : type(type) {}

  Tensor input(const std::string& name, std::vector<Expr> shape, DataType of) {
    inputs[name] = f.input(name, shape, of).id();
    return {&f, inputs[name]};
  }
  void output(std::string_view label, Tensor t) { f.output("y_" + std::string(label), t); }

  std::map<std::string, Array> arrays(Draw from, const Sizes& sizes) const {
    std::map<std::string, Array> result;
    unsigned seed = 1;
    for (const auto& [name, t] : inputs) {
      std::vector<std::int64_t> shape;
      for (Expr n : f.shape(t)) {
        shape.push_back(n.is(Op::Const) ? n.value() : sizes.at(std::string(n.name())));
      }
      result[name] = drawn(from, f[t].type, shape, seed++);
    }
    return result;
  }
  std::vector<TensorId> outputs() const {
    std::vector<TensorId> list;
    for (std::size_t t = 0; t < f.size(); ++t) {
      if (f[TensorId(t)].is_output) list.push_back(TensorId(t));
    }
    return list;
  }

  DataType type;
  Fusion f;
  std::map<std::string, TensorId> inputs;
};

ScheduledLoop merged(Schedule& s, std::vector<ScheduledLoop> loops) {
  ScheduledLoop all = loops.at(0);
  for (std::size_t k = 1; k < loops.size(); ++k) all = s.merge(all, loops[k]);
  return all;
}

// Elements of one vector; 1 where an extent is a quotient: that such rows lie one behind the other
// is not proved (E453).
std::int64_t lanes_of(const Fusion& f, TensorId t) {
  for (Expr n : f.shape(t)) {
    if (to_string(n).find('/') != std::string::npos) return 1;
  }
  return std::min(4, 16 / size_of(f[t].type));
}

// What is kept over blocks, what is folded by the threads of a warp and a bit more; where nothing
// is folded, blocks of threads that store vectors of four.
Schedule by_threads(const Operations& ops) {
  Schedule s(ops.f);
  for (TensorId t : ops.outputs()) {
    std::vector<ScheduledLoop> kept, folded;
    for (ScheduledLoop l : s.loops(t)) {
      (s.is_folded(t, l.domain) ? folded : kept).push_back(l);
    }
    if (folded.empty() && kept.empty()) continue;  // a single item
    if (folded.empty()) {
      const auto [group, lane] = s.split(merged(s, kept), lanes_of(ops.f, t));
      const auto [block, thread] = s.split(group, 32);
      s.bind(block, ParallelType::BIDx).bind(thread, ParallelType::TIDx);
      if (lanes_of(ops.f, t) > 1) s.bind(lane, ParallelType::Vectorize);
      continue;
    }
    if (!kept.empty()) s.bind(merged(s, kept), ParallelType::BIDx);
    const bool is_short = ops.f.shape(t).size() == 2 && folded.size() == 1 && kept.size() == 2;
    s.bind(s.split(merged(s, folded), is_short ? 2 : 40).second, ParallelType::TIDx);
  }
  return s;
}

// `draws_at_once` of the draws at each of the sizes, in turn.
void expect_agreement_of_both_schedules(const Operations& ops, const SizeList& sizes,
                                        const std::vector<Draw>& draws,
                                        std::size_t draws_at_once = 9) {
  for (const bool is_default : {true, false}) {
    SCOPED_TRACE(is_default ? "by the default schedule" : "by threads");
    const Program program = lower(ops.f, is_default ? Schedule(ops.f) : by_threads(ops));
    // Axes of unknown extents that are merged are more than the verifier's arithmetic can take.
    expect_verified(program, true);
    std::size_t k = 0;
    for (const auto& at : some_of(sizes)) {
      for (std::size_t d = 0; d < std::min(draws_at_once, draws.size()); ++d) {
        const Draw from = draws[(k + d) % draws.size()];
        SCOPED_TRACE(to_string(from));
        test::expect_agreement(ops.f, program, {.sizes = at, .inputs = ops.arrays(from, at)});
      }
      ++k;
    }
    if (testing::Test::HasFailure()) return;
  }
}

SizeList sizes_of(const char* name, std::initializer_list<std::int64_t> list) {
  SizeList sizes;
  for (std::int64_t n : list) sizes.push_back({{name, n}});
  return sizes;
}
const SizeList kLengths = sizes_of("N", {0, 1, 2, 31, 33, 127, 1023, 1027});

// What sizes are for is the same for every type: one has all of them, in a full run.
SizeList shapes_for(DataType type, std::int64_t least) {
  using Shapes = std::vector<std::pair<std::int64_t, std::int64_t>>;
  const bool has_all = type == DataType::Float && is_run_full();
  SizeList sizes;
  for (const auto& [m, n] : has_all ? Shapes{{0, 3},
                                             {3, 0},
                                             {0, 0},
                                             {1, 1},
                                             {2, 2},
                                             {1, 31},
                                             {33, 2},
                                             {3, 127},
                                             {1023, 1},
                                             {2, 1023},
                                             {1027, 2},
                                             {2, 1027}}
                                    : Shapes{{3, 0}, {0, 2}, {1, 1}, {1, 31}, {33, 2}, {2, 127}}) {
    if (std::min(m, n) >= least) sizes.push_back({{"M", m}, {"N", n}});
  }
  return sizes;
}

class EveryType : public testing::TestWithParam<DataType> {};

// Of a table's operations all in a full run; each with one type of `step` in a small run, of ten
// times as many in a slow one.
template <class Op>
std::vector<Op> those_for(DataType type, const std::vector<Op>& all, int step) {
  const std::size_t one_of = std::size_t(10 * step / count(10, 10 * step));
  std::vector<Op> some;
  for (std::size_t k = std::size_t(type) % one_of; k < all.size(); k += one_of) {
    some.push_back(all[k]);
  }
  return some;
}

Operations pointwise(DataType type) {
  Operations ops(type);
  const Expr n = ops.f.extent("N", 0);
  const Tensor a = ops.input("a", {n}, type), b = ops.input("b", {n}, type);
  const Tensor c = ops.input("c", {n}, DataType::Bool);
  for (const PointwiseOp& op : pointwise_ops()) ops.output(op.label, op.make(a, b, c));
  return ops;
}

TEST_P(EveryType, OfEveryPointwiseOperationAgrees) {
  expect_agreement_of_both_schedules(pointwise(GetParam()), kLengths, {Draw::Small, Draw::Wild});
}

// Casts to every type, and what promotion makes of each pair.
Operations pairs(DataType type) {
  Operations ops(type);
  const Expr n = ops.f.extent("N", 0);
  const Tensor a = ops.input("a", {n}, type);
  for (DataType other : all_types()) {
    const std::string label(to_string(other));
    const Tensor b = ops.input("b_" + label, {n}, other);
    ops.output("cast_" + label, cast(a, other));
    if (promote(type, false, other, false)) {
      ops.output("add_" + label, a + b);
      ops.output("lt_" + label, a < b);
    }
    ops.output("narrowed_" + label, cast(cast(a, other), DataType::Double));
  }
  return ops;
}

TEST_P(EveryType, AgreesWhenItIsCastAndMeetsEveryOther) {
  expect_agreement_of_both_schedules(pairs(GetParam()), kLengths, {Draw::Wild});
}

// Repeated as pointwise operations do.
Operations repeated(DataType type) {
  Operations ops(type);
  const Expr m = ops.f.extent("M", 0), n = ops.f.extent("N", 0), one = ops.f.constant(1);
  const Tensor a = ops.input("a", {m, n}, type), row = ops.input("row", {n}, type);
  const Tensor column = ops.input("column", {m, one}, type), single = ops.input("single", {}, type);
  const Tensor layers = ops.input("layers", {ops.f.constant(2), one, one}, type);
  ops.output("rows", a + row);
  ops.output("columns", max(column, a));
  ops.output("singles", a * single);
  ops.output("outer", column == row);
  ops.output("cube", layers - a);
  return ops;
}

TEST_P(EveryType, AgreesWhereItIsRepeated) {
  expect_agreement_of_both_schedules(repeated(GetParam()), shapes_for(GetParam(), 0), {Draw::Wild});
}

Operations views(DataType type, std::int64_t least) {
  Operations ops(type);
  const Expr m = ops.f.extent("M", least), n = ops.f.extent("N", least);
  const ViewOperands v{m,
                       n,
                       ops.input("x", {m, n}, type),
                       ops.input("x2", {m, n}, type),
                       ops.input("u", {m, ops.f.constant(1), n}, type),
                       ops.input("z", {m, ops.f.constant(3), n}, type)};
  for (const ViewOp& op : view_ops()) {
    if (op.least == least) ops.output(op.label, op.make(v));
  }
  return ops;
}

// What moves items sees their width.
class EveryWidth : public testing::TestWithParam<DataType> {};

TEST_P(EveryWidth, OfEveryViewAgrees) {
  for (std::int64_t least : some_of(std::vector<std::int64_t>{0, 1, 2})) {
    expect_agreement_of_both_schedules(views(GetParam(), least), shapes_for(GetParam(), least),
                                       {Draw::Wild});
  }
}

// Of y[m, n]: rows, columns, both; and of z[m, 3, n] the ends without the middle.
Operations folds(DataType type, const FoldOp& op) {
  Operations ops(type);
  const Expr m = ops.f.extent("M", 0), n = ops.f.extent("N", 0);
  const Tensor x = ops.input("x", {m, n}, type);
  const Tensor z = ops.input("z", {m, ops.f.constant(3), n}, type);
  ops.output("row", op.make(x, {1}, false));
  ops.output("column", op.make(x, {0}, true));
  ops.output("all", op.make(x, {}, false));
  // Which axes they are is the same for every type as well.
  if (type != DataType::Float) return ops;
  ops.output("ends", op.make(z, {0, -1}, true));
  ops.output("middle", op.make(z, {1}, false));
  return ops;
}

TEST_P(EveryType, OfEveryFoldAgrees) {
  for (const FoldOp& op : those_for(GetParam(), fold_ops(), 3)) {
    SCOPED_TRACE(op.label);
    const Operations ops = folds(GetParam(), op);
    const Fold& fold = *ops.f[ops.outputs().front()].fold;
    const bool adds = fold.how == Reduction::Sum || fold.how == Reduction::Prod ||
                      fold.how == Reduction::Mean || fold.how == Reduction::Variance;
    // What becomes of large floats depends on the order in which they are added or multiplied.
    const Draw last = adds && is_floating(fold.type) ? Draw::Mixed : Draw::Wild;
    expect_agreement_of_both_schedules(ops, shapes_for(GetParam(), 0),
                                       {Draw::Small, Draw::Factors, Draw::Rare, last}, 1);
    if (HasFailure()) return;
  }
}

// Along rows, along columns, and along the middle of three axes.
Operations scans(DataType type, const ScanOp& op) {
  Operations ops(type);
  const Expr m = ops.f.extent("M", 0), n = ops.f.extent("N", 0);
  const Tensor x = ops.input("x", {m, n}, type);
  const Tensor z = ops.input("z", {m, ops.f.constant(3), n}, type);
  ops.output("row", op.make(x, 1));
  ops.output("column", op.make(x, 0));
  ops.output("middle", op.make(z, -2));
  return ops;
}

TEST_P(EveryType, OfEveryScanAgrees) {
  // Of scans of many items, which take long, one stands for all.
  constexpr std::int64_t kLong = 128;
  for (const ScanOp& op : those_for(GetParam(), scan_ops(), 6)) {
    SCOPED_TRACE(op.label);
    const Operations ops = scans(GetParam(), op);
    const Fold& fold = *ops.f[ops.outputs().front()].fold;
    const bool adds = fold.how == Reduction::Sum || fold.how == Reduction::Prod;
    const Draw last = adds && is_floating(fold.type) ? Draw::Mixed : Draw::Wild;
    const Draw draws[] = {Draw::Small, Draw::Factors, Draw::Rare, last};
    const SizeList sizes = some_of(shapes_for(GetParam(), 0));
    const Program threads = lower(ops.f, by_threads(ops)), automatic = lower(ops.f);
    expect_verified(threads, true);
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const auto is_long = [](const auto& size) { return size.second >= kLong; };
      if (op.label != "cumsum" && std::ranges::any_of(sizes[k], is_long)) continue;
      const Draw from = draws[k % std::size(draws)];
      SCOPED_TRACE(to_string(from));
      for (const Program* program : {&threads, &automatic}) {
        test::expect_agreement(ops.f, *program,
                               {.sizes = sizes[k], .inputs = ops.arrays(from, sizes[k])});
      }
    }
    if (HasFailure()) return;
  }
}

std::string name_of(const testing::TestParamInfo<DataType>& info) {
  return std::string(to_string(info.param));
}
INSTANTIATE_TEST_SUITE_P(EveryOp, EveryType, testing::ValuesIn(all_types()), name_of);
const std::vector<DataType> kWidths = {DataType::Bool,  DataType::Int8,   DataType::Half,
                                       DataType::Float, DataType::UInt64, DataType::Double};
INSTANTIATE_TEST_SUITE_P(EveryOp, EveryWidth, testing::ValuesIn(kWidths), name_of);

// The kernels of the schedule by threads as text, under names that no other ones have.
void add_texts(const Operations& ops, std::vector<KernelSource>& texts) {
  for (const ProgramStep& step : lower(ops.f, by_threads(ops)).steps) {
    const CudaText text = cuda(step.variants.front());
    KernelSource& source = texts.emplace_back(text.text, text.name, text.parameter_types);
    source.name = "k" + std::to_string(texts.size());
    source.text.replace(source.text.find("KERNEL(" + text.name), 7 + text.name.size(),
                        "KERNEL(" + source.name);
  }
}

// A few types stand for all but in a full run, and one where sanitizers watch: the compiler is the
// same.
class CompiledType : public testing::TestWithParam<DataType> {};
class CompiledWidth : public testing::TestWithParam<DataType> {};
std::vector<DataType> compiled(const std::vector<DataType>& types) {
  if (is_run_full()) return types;
  return is_sample_large()
             ? std::vector{DataType::Float, DataType::Half, DataType::Int64, DataType::Bool}
             : std::vector{DataType::Float};
}
INSTANTIATE_TEST_SUITE_P(EveryOp, CompiledType, testing::ValuesIn(compiled(all_types())), name_of);
INSTANTIATE_TEST_SUITE_P(EveryOp, CompiledWidth, testing::ValuesIn(compiled(kWidths)), name_of);

TEST_P(CompiledType, HasNoSpillsForSm90a) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) GTEST_SKIP() << "no NVRTC: " << Nvrtc::why_absent();
  std::vector<KernelSource> texts;
  add_texts(pointwise(GetParam()), texts);
  add_texts(pairs(GetParam()), texts);
  add_texts(repeated(GetParam()), texts);
  for (const FoldOp& op : those_for(GetParam(), fold_ops(), 6)) {
    add_texts(folds(GetParam(), op), texts);
  }
  const std::vector<ScanOp> scanning = scan_ops();
  add_texts(scans(GetParam(), scanning[std::size_t(GetParam()) % scanning.size()]), texts);
  const CompiledKernels compiled = nvrtc->compile(texts);
  EXPECT_EQ(compiled.kernels.size(), texts.size());
  for (const KernelResources& r : compiled.kernels) {
    EXPECT_EQ(r.spill_store_bytes + r.spill_load_bytes, 0) << r.name;
  }
}

TEST_P(CompiledWidth, OfViewsHasNoSpillsForSm90a) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) GTEST_SKIP() << "no NVRTC: " << Nvrtc::why_absent();
  std::vector<KernelSource> texts;
  for (std::int64_t least : {0, 1, 2}) add_texts(views(GetParam(), least), texts);
  const CompiledKernels compiled = nvrtc->compile(texts);
  EXPECT_EQ(compiled.kernels.size(), texts.size());
  for (const KernelResources& r : compiled.kernels) {
    EXPECT_EQ(r.spill_store_bytes + r.spill_load_bytes, 0) << r.name;
  }
}

// Sizes of 0 in what a fold or a pad has around it.
TEST(EmptySizes, LeaveWhatIsAroundThem) {
  Operations ops(DataType::Int32);
  const Expr n = ops.f.extent("N", 0);
  const Tensor x = ops.input("x", {n}, DataType::Int32);
  const Tensor wide = pad(x, {{2, 3}}, 7);
  ops.output("head", slice(wide, 0, 0, 2));
  ops.output("sum_around", sum(wide));
  ops.output("count", sum(x) + argmax(x));
  expect_agreement_of_both_schedules(ops, kLengths, {Draw::Small});
}

// y[m] = sum over n, with as many threads as the row asks for: none where it is empty.
TEST(EmptySizes, MayBeWhatAFoldHasThreadsFor) {
  Operations ops(DataType::Int32);
  const Expr m = ops.f.extent("M", 0), n = ops.f.extent("N", 0);
  const Tensor y = ops.f.output("y", sum(ops.input("x", {m, n}, DataType::Int32), {1}));
  Schedule s(ops.f);
  const auto [b, h] = s.loops<2>(y);
  s.bind(b, ParallelType::BIDx).bind(s.split(h, 4).first, ParallelType::TIDx);
  const Program program = lower(ops.f, s);
  for (const Sizes& sizes :
       {Sizes{{"M", 3}, {"N", 0}}, {{"M", 3}, {"N", 5}}, {{"M", 0}, {"N", 0}}}) {
    test::expect_agreement(ops.f, program, {.sizes = sizes});
  }
}

// What a kernel computes needs no size here, but the tensor that it reads is as long as one.
TEST(EmptySizes, AKernelReadsATensorOfASizeThatItIsNotPassed) {
  Operations ops(DataType::Int32);
  const Tensor x = ops.input("x", {ops.f.extent("N")}, DataType::Int32);
  ops.output("head", slice(x, 0, 0, 1));
  expect_agreement_of_both_schedules(ops, sizes_of("N", {1, 2, 33}), {Draw::Small});
}

// So that none is forgotten.
TEST(EveryOp, HasARowInTheTable) {
  std::set<std::string> declared, listed = {"cast", "fast", "named", "with_strides"};
  for (const std::string& line : lines_of(contents(kRepository / "csrc/ir/ops.h"))) {
    const auto found = matches(line, R"(^Tensor (operator[^( ]+|\w+)\()");
    if (!found.empty()) declared.insert(found[0][1]);
  }
  for (const PointwiseOp& op : pointwise_ops()) listed.emplace(op.name);
  for (const FoldOp& op : fold_ops()) listed.emplace(op.name);
  for (const ScanOp& op : scan_ops()) listed.emplace(op.name);
  for (const ViewOp& op : view_ops()) listed.emplace(op.name);
  EXPECT_EQ(listed, declared);
}

TEST(EveryOp, IsMadeOfEveryFunctionAndReduction) {
  std::set<Function> functions;
  const Operations made = pointwise(DataType::Float);
  for (std::size_t v = 0; v < made.f.values().size(); ++v) {
    const ValueNode& node = made.f.values()[ValueId(v)];
    if (node.kind == ValueNode::Kind::Apply) functions.insert(node.function);
  }
#define X(name, ...) EXPECT_TRUE(functions.contains(Function::name)) << #name;
  SELVAGE_FUNCTIONS(X)
#undef X
  std::set<Reduction> reductions;
  for (const FoldOp& op : fold_ops()) {
    const Operations ops = folds(DataType::Float, op);
    reductions.insert(ops.f[ops.outputs().front()].fold->how);
  }
  EXPECT_EQ(reductions.size(), reduction_names().size());
}

}  // namespace

}  // namespace selvage
