#include <selvage/base/diagnostic.h>
#include <selvage/driver/run.h>
#include <selvage/expr/text.h>
#include <selvage/ir/ops.h>
#include <selvage/kernel/print.h>
#include <selvage/lower/program.h>

#include <gmock/gmock.h>

#include "tests/codegen/run.h"
#include "tests/support/refusal.h"

namespace selvage {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// What emulation and the virtual device make of every step, for one set of sizes, all at once.
void expect_clean(const Program& program, const test::Sizes& sizes) {
  for (const ProgramStep& step : program.steps) {
    for (const Kernel& kernel : step.variants) {
      std::vector<Array> emulated = test::arrays_for(kernel, sizes), run = emulated;
      const Emulation e = test::run_emulated(kernel, sizes, emulated);
      EXPECT_EQ(e.fault_count, 0) << (e.faults.empty() ? "" : e.faults.front().text);
      for (std::size_t b = 0; b < kernel.buffers.size(); ++b) {
        for (std::uint32_t visits : e.visits[b]) EXPECT_EQ(visits, 1u);
      }
      test::run_text(kernel, sizes, run);
      EXPECT_EQ(emulated, run);
    }
  }
}

struct Bias {
  explicit Bias(bool known = false) {
    const auto [m, n] = f.extents("M", "N");
    const Expr rows = known ? f.constant(1027) : m, columns = known ? f.constant(772) : n;
    a = f.input("a", {rows, columns}, DataType::Float);
    b = f.input("b", {columns}, DataType::Float);
    y = f.output("y", relu(a + b));
  }
  Fusion f;
  Tensor a, b, y;
};

TEST(Lower, APointwiseFusionIsOneKernelWithOneGuard) {
  Bias bias;
  Schedule s(bias.f);
  const auto [m, n] = s.loops<2>(bias.y);
  const auto [block, thread] = s.split(s.merge(m, n, "q"), 128);
  s.bind(block, ParallelType::BIDx).bind(thread, ParallelType::TIDx);
  const Program p = lower(bias.f, s);
  ASSERT_EQ(p.steps.size(), 1u);
  EXPECT_EQ(loop_nest(p.steps[0].variants[0]),
            "parallel qo in (M * N + 127) / 128 (BIDx)\n"
            "  parallel qi in 128 (TIDx)\n"
            "    if (qo * 128 + qi < M * N)\n"
            "      y[qo * 128 + qi] = relu(a[qo * 128 + qi] + b[(qo * 128 + qi) % N])\n");
  for (std::int64_t rows : {1, 2, 31, 33, 127}) {
    expect_clean(p, {{"M", rows}, {"N", 7}});
    expect_clean(p, {{"M", 3}, {"N", rows}});
  }
}

TEST(Lower, SizesWithoutAMaximumGiveA32AndA64BitKernel) {
  Bias bias;
  const Program p = lower(bias.f, Schedule(bias.f));
  ASSERT_EQ(p.steps[0].variants.size(), 2u);
  EXPECT_EQ(p.steps[0].variants[0].index_type, IndexType::Int32);
  EXPECT_EQ(to_string(p.steps[0].variants[0].condition), "M * N < 2147483648");
  EXPECT_EQ(p.steps[0].variants[1].index_type, IndexType::Int64);
  EXPECT_TRUE(p.steps[0].variants[1].condition.is_true());
}

TEST(Lower, KnownSizesGiveTheOneKernelThatFits) {
  Bias bias(true);
  const Program small = lower(bias.f, Schedule(bias.f));
  ASSERT_EQ(small.steps[0].variants.size(), 1u);
  EXPECT_EQ(small.steps[0].variants[0].index_type, IndexType::Int32);
  EXPECT_TRUE(small.steps[0].variants[0].sizes.empty());

  Fusion f;
  const Tensor x = f.input("x", {f.constant(70'000), f.constant(70'000)}, DataType::Float);
  f.output("y", exp(x));
  const Program large = lower(f, Schedule(f));
  ASSERT_EQ(large.steps[0].variants.size(), 1u);
  EXPECT_EQ(large.steps[0].variants[0].index_type, IndexType::Int64);
}

TEST(Lower, ALaunchWiderThanATensorIsMasked) {
  Fusion f;
  const Tensor a = f.input("a", {f.constant(5), f.constant(40)}, DataType::Float);
  const Tensor b = f.input("b", {f.constant(7)}, DataType::Float);
  const Tensor y = f.output("y", exp(a)), z = f.output("z", exp(b));
  Schedule s(f);
  const auto [m, n] = s.loops<2>(y);
  s.bind(m, ParallelType::BIDx).bind(n, ParallelType::TIDx);
  const auto [k] = s.loops<1>(z);
  s.bind(k, ParallelType::BIDx);
  // Both loops are called i0, which is no reason to part company: one gets another variable.
  const Program p = lower(f, s);
  ASSERT_EQ(p.steps.size(), 1u) << "two stores that do not read each other share a kernel";
  const Kernel& kernel = p.steps[0].variants[0];
  EXPECT_EQ(to_string(kernel.launch.grid[0]), "7");
  EXPECT_EQ(to_string(kernel.launch.block[0]), "40");
  const std::string nest = loop_nest(kernel);
  EXPECT_NE(nest.find("< 5)"), std::string::npos) << nest;  // y has 5 rows, the launch 7 blocks
  EXPECT_NE(nest.find("every.TIDx"), std::string::npos) << nest;  // z: one writer of 40 threads
  expect_clean(p, {});
  s.rename(z.id(), k.domain, "k");
  const Program renamed = lower(f, s);
  EXPECT_EQ(renamed.steps.size(), 1u);
  expect_clean(renamed, {});
}

// Equal names and extents, other bindings: what is known of one loop is not known of the other.
TEST(Lower, LoopsOfOneNameInOneKernelKeepTheirOwnExtents) {
  for (const auto& [rows, columns] : {std::pair(6, 6), std::pair(6, 9), std::pair(9, 6)}) {
    Fusion f;
    const Tensor a = f.input("a", {f.constant(rows)}, DataType::Float);
    const Tensor b = f.input("b", {f.constant(columns), f.constant(2)}, DataType::Float);
    const Tensor y = f.output("y", exp(a)), z = f.output("z", exp(b));
    Schedule s(f);
    const auto [i] = s.loops<1>(y);
    s.bind(i, ParallelType::TIDx);
    const auto [j, k] = s.loops<2>(z);
    s.rename(y.id(), i.domain, "i");
    s.rename(z.id(), j.domain, "i");
    s.bind(k, ParallelType::TIDx);
    const Program p = lower(f, s);
    EXPECT_EQ(p.steps.size(), 1u);
    expect_clean(p, {});
  }
}

TEST(Lower, APassMayBeLookedAt) {
  Bias bias;
  std::vector<std::string> passes;
  bool has_body = false;
  LowerOptions options;
  options.after_pass = [&](std::string_view pass, const Kernel& kernel) {
    EXPECT_TRUE(!passes.empty() || kernel.body.empty());
    passes.emplace_back(pass);
    has_body = has_body || !kernel.body.empty();
  };
  lower(Schedule(bias.f), options);
  EXPECT_EQ(passes,
            (std::vector<std::string>{"warps of roles", "parameters", "replaced inputs", "nests",
                                      "rings", "checks of values", "pieces of ranks",
                                      "shared memory and barriers", "end of clusters", "roles",
                                      "order of what is replaced", "limits of memory", "sizes"}));
  EXPECT_TRUE(has_body);
}

TEST(Lower, AStoredTensorIsReadByALaterKernel) {
  Fusion f;
  const auto [n] = f.extents("N");
  const Tensor a = f.input("a", {n}, DataType::Half);
  const Tensor t = a * a;
  f.output("y", t + a);
  Schedule s(f);
  s.materialize(t.id());
  const Program p = lower(f, s);
  ASSERT_EQ(p.steps.size(), 2u);
  EXPECT_EQ(p.buffers.back().role, ProgramBuffer::Role::Scratch);
  EXPECT_EQ(p.buffers.back().type, DataType::Float) << "a tensor that is no output is not rounded";
}

TEST(Lower, ManyUsesOfAnInlinedTensorAreOneValue) {
  Fusion f;
  Tensor t = f.input("a", {f.constant(3)}, DataType::Float);
  for (int i = 0; i < 40; ++i) t = t + t;  // 2^40 paths, 40 values
  f.output("y", t);
  const Program p = lower(f, Schedule(f));
  EXPECT_LT(p.steps[0].variants[0].values.size(), 200u);
}

TEST(Lower, TooManyThreadsAreRefusedByName) {
  Bias bias(true);
  Schedule s(bias.f);
  const auto [m, n] = s.loops<2>(bias.y);
  s.bind(m, ParallelType::TIDx);
  EXPECT_EQ(error_of([&] { lower(bias.f, s); }),
            "selvage: error[E442]: the block's x of kernel_y, 1027, is past the hardware's limit "
            "of 1024; help: split i0 of y by 1024 or less, and bind the inner part alone; or leave "
            "i0 of y serial");
  Schedule mended(bias.f);
  const auto [o, i] = mended.split(m, 8);
  mended.bind(i, ParallelType::TIDx);
  EXPECT_EQ(error_of([&] { lower(bias.f, mended); }), "accepted");
}

TEST(Lower, ASymbolicGridLeavesACheckForTheLaunch) {
  Bias bias;
  Schedule s(bias.f);
  const auto [m, n] = s.loops<2>(bias.y);
  s.bind(m, ParallelType::BIDy);
  const Program p = lower(bias.f, s);
  ASSERT_EQ(p.checks.size(), 1u);
  EXPECT_EQ(to_string(p.checks[0].condition), "M < 65536");
}

TEST(Lower, ABlockThatSizesMayMakeTooWideHasANarrowOneBehindIt) {
  Bias bias;
  Schedule s(bias.f);
  const auto [m, n] = s.loops<2>(bias.y);
  s.bind(m, ParallelType::TIDx);
  const Program p = lower(bias.f, s);
  EXPECT_TRUE(p.checks.empty());
  ASSERT_EQ(p.steps.size(), 1u);
  std::string variants;
  for (const Kernel& k : p.steps[0].variants) {
    variants += k.name + " of " + to_string(k.launch.block[0]) + "; ";
  }
  EXPECT_EQ(
      variants,
      "kernel_y of M; kernel_y_64 of M; kernel_y_narrow of 1024; kernel_y_narrow_64 of 1024; ");
  const RunRequest wide{.sizes = {{"M", 1500}, {"N", 3}}, .on = Machine::Emulate, .on_all = true};
  EXPECT_TRUE(run(bias.f, p, wide).passed());
}

TEST(Lower, AScheduleThatLosesItemsIsRefusedWithOneOfThem) {
  Bias bias(true);
  Schedule s(bias.f);
  const auto [m, n] = s.loops<2>(bias.y);
  s.resize(n, bias.f.constant(0), bias.f.constant(-1));
  const std::string message = error_of([&] { lower(bias.f, s); });
  EXPECT_NE(message.find("error[E431]: the loops of y do not visit every item of it; lost: "),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("= 771"), std::string::npos) << message;
  Schedule mended(bias.f);
  mended.resize(n, bias.f.constant(0), bias.f.constant(1));
  EXPECT_EQ(error_of([&] { lower(bias.f, mended); }), "accepted");
}

TEST(Lower, AScheduleOfAnotherFusionIsRefused) {
  Bias bias, other;
  const auto by = [&](const Fusion& f) { lower(f, Schedule(bias.f)); };
  EXPECT_EQ(refusal_by<BadInput>([&] { by(other.f); }),
            "selvage: error[E508]: the schedule is of another fusion than the one to lower; help: "
            "lower the fusion that the schedule was made over");
  by(bias.f);
}

TEST(Lower, AFusionThatHasChangedSinceItsScheduleIsRefused) {
  Fusion f;
  const Expr N = f.extent("N");
  const Tensor x = f.input("x", {N}, DataType::Float);
  const Tensor y = f.output("y", x + 1.0);
  const auto said = [&](const auto& change) {
    const Schedule s(f);
    change();
    EXPECT_EQ(lower(s).steps.size(), 1u);  // of the fusion as it was
    return bad_input([&] { lower(f, s); });
  };
  const std::string refusal =
      "selvage: error[E508]: the fusion has been changed since the schedule was made; help: say "
      "all that is computed and known, then make the schedule";
  EXPECT_EQ(said([] {}), "accepted");
  EXPECT_EQ(said([&] { f.assume(eq(N % 4, 0)); }), refusal);
  EXPECT_EQ(said([&] { f.edit(y.id()).align = 16; }), refusal);
  EXPECT_EQ(said([&] { f.output("z", x + 2.0); }), refusal);
}

TEST(Lower, AFusionWithoutOutputsIsRefused) {
  Fusion f;
  const Tensor x = f.input("x", {f.extent("N")}, DataType::Float);
  const Tensor y = exp(x);
  EXPECT_EQ(refusal_by<BadInput>([&] { lower(f, Schedule(f)); }),
            "selvage: error[E514]: the fusion has no output: there is nothing to compute; help: "
            "name as outputs what is wanted, f.output(\"y\", ...)");
  f.output("y", y);
  EXPECT_EQ(error_of([&] { lower(f, Schedule(f)); }), "accepted");
}

// Whether or not the read says what there is out of bounds, and as a value.
TEST(Lower, ALoadWithinASubscriptIsRefusedByName) {
  for (int how = 0; how < 3; ++how) {
    Fusion f;
    const auto [N, V] = f.extents("N", "V");
    const Tensor table = f.input("table", {V}, DataType::Float);
    f.input("k", {N}, DataType::Int64);
    const Expr n = f.fresh_index("n"), load = f.pool().load("k", std::array{n});
    ValueGraph& v = f.values();
    const ValueId zero = v.constant(DataType::Float, 0.0, true);
    const ValueId value =
        how == 0   ? v.read_or(DataType::Float, std::uint32_t(table.id()), {load}, zero)
        : how == 1 ? v.read(DataType::Float, std::uint32_t(table.id()), {load + 1})
                   : v.index(load);
    f.output("y", f.compute("y", {n}, {N}, value));
    EXPECT_EQ(
        refusal_by<BadInput>([&] { lower(f, Schedule(f)); }),
        "selvage: error[E390]: k[n], by which y reads, is not supported in kernels yet; help: "
        "read it as an element, x(clamped(k(i))), or by gather()");
  }
}

TEST(Lower, NestsShareAKernelWhereEachHasLoopsThatAreBoundOrNoneHas) {
  const auto steps = [](const auto& bind) {
    Bias bias(true);
    const Tensor z = bias.f.output("z", bias.a * 2);
    Schedule s(bias.f);
    const auto [m, n] = s.loops<2>(bias.y);
    const auto [p, q] = s.loops<2>(z);
    bind(s, m, n, p, q);
    return lower(bias.f, s).steps.size();
  };
  EXPECT_EQ(steps([](Schedule&, auto, auto, auto, auto) {}), 1u);
  EXPECT_EQ(steps([](Schedule& s, auto m, auto, auto, auto) { s.bind(m, ParallelType::BIDx); }),
            2u);
  EXPECT_EQ(steps([](Schedule& s, auto m, auto, auto p, auto q) {
              s.bind(m, ParallelType::BIDx).bind(p, ParallelType::BIDx).bind(q, ParallelType::TIDx);
            }),
            1u);
}

// Items in the order of many shuffles: the address is so long that a part of it is named, and
// nothing else uses that name.
TEST(Lower, APartThatOnlyTheAddressUsesIsDefined) {
  Fusion f;
  const ValueId one = f.values().constant(DataType::Float, 1.0, true);
  const Tensor y = f.output("y", f.compute("t", {f.fresh_index("i")}, {f.constant(720)}, one));
  Schedule s(f);
  ScheduledLoop rest = s.loops(y.id())[0];
  for (const std::int64_t factor : {5, 4, 9, 8, 6, 10, 15, 4, 6, 9}) {
    const auto [outer, inner] = s.split(rest, factor);
    rest = s.merge(inner, outer, "q");
  }
  const Program p = lower(f, s);
  const std::string nest = loop_nest(p.steps[0].variants[0]);
  EXPECT_THAT(nest, AllOf(HasSubstr("\n  t.0 = "), HasSubstr("y[t.0 * "), Not(HasSubstr("if"))));
  expect_clean(p, {});
}

// Names that were given, in kernels and in messages.
TEST(Lower, IntermediatesAreCalledAsTheyAreNamed) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  const Tensor x = f.input("x", {M, N}, DataType::Float);
  const Tensor total = named(sum(x, {1}), "total");
  f.output("y", x / unsqueeze(total, 1));
  Schedule s(f);
  s.materialize(total.id());
  const Program p = lower(f, s);
  EXPECT_EQ(p.steps.front().variants.front().name, "kernel_total");
  EXPECT_NE(loop_nest(p.steps.front().variants.front()).find("total["), std::string::npos);
}

TEST(Lower, AReadOutOfBoundsIsRefusedWithAPoint) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(10)}, DataType::Float);
  const Expr i = f.fresh_index("i");
  const ValueId v = f.values().read(DataType::Float, std::uint32_t(x.id()), {i * 2});
  f.output("y", f.compute("t", {i}, {f.constant(6)}, v));
  const std::string message = error_of([&] { lower(f, Schedule(f)); });
  EXPECT_NE(message.find("error[E440]"), std::string::npos) << message;
  EXPECT_NE(message.find("out of bounds at i = 5"), std::string::npos) << message;
}

}  // namespace
}  // namespace selvage
