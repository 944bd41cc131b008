#include <tests/frontend/schedule_files.h>

#include <selvage/frontend/schedule_writer.h>
#include <selvage/ir/buffer_layout.h>
#include <selvage/ir/ops.h>

#include <gtest/gtest.h>

#include "tests/support/refusal.h"

namespace selvage {
namespace {

using namespace schedule_files;

// The file as it is written again after it is read.
std::string again(const std::string& text) {
  const ScheduleFile file = read(text);
  return to_schedule_file(*file.fusion, *file.schedule);
}

void expect_written(const Fusion& f, const Schedule& s, const std::string& text) {
  EXPECT_EQ(to_schedule_file(f, s), text);
  EXPECT_EQ(again(text), text);
}

TEST(ScheduleWriter, AFusionOfCxxBecomesAFile) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  const Tensor a = f.input("a", {M, N}, DataType::Half), b = f.input("b", {N}, DataType::Half);
  const Tensor y = f.output("y", relu(a + b * 2));
  Schedule s(f);
  const auto [m, n] = s.loops<2>(y);
  const auto [o, i] = s.split(n, 4);
  s.bind(m, ParallelType::BIDx).bind(i, ParallelType::Vectorize);
  s.reorder({o, m, i});
  expect_written(f, s, R"yaml(symbols:
  M: {}
  N: {}
inputs:
  a: {shape: [M, N], dtype: half}
  b: {shape: [N], dtype: half}
outputs:
  y: {dtype: half}
compute:
  - "t0[i0] = b[i0] * 2"
  - "t1[i0, i1] = a[i0, i1] + t0[i1]"
  - "y[i0, i1_1] = relu(t1[i0, i1_1])"
schedule:
  y:
    - split: {in: i1_1, factor: 4, out: [i1_1o, i1_1i]}
    - reorder: [i1_1o, i0, i1_1i]
    - bind: {i0: BIDx, i1_1i: Vectorize}
)yaml");
}

TEST(ScheduleWriter, WhatPrimitivesMadeIsMadeAgain) {
  const std::string text = R"yaml(symbols:
  M: {}
  N: {min: 0, max: 4096, multiple_of: 8}
facts:
  - "N <= M * 8"
inputs:
  x: {shape: [M, N], dtype: float}
outputs:
  y: {dtype: float}
compute:
  - "s[m] = sum[n](x[m, n])"
  - "t[m, n] = exp(x[m, n] - s[m])"
  - "y[m, n] = t[m, n] / (s[m] + 0.5)"
schedule:
  x:
    - cache: {as: x_s, memory: shared}
  x_s:
    - cache: {as: x_l, memory: local}
    - merge: {in: [m, n], out: all}
    - bind: {all: TIDx}
    - inline: {into: y}
  x_l:
    - inline: {into: y, at: mo}
  s:
    - split: {in: n, factor: 32, out: [no, ni]}
    - rfactor: {in: [no], as: p}
    - split: {in: m, factor: 4, out: [mo, mi]}
    - bind: {ni: TIDx}
    - memory: shared
    - blocks: atomic
    - inline: {into: y, at: mo}
  p:
    - split: {in: no, factor: "N / 8 + 1", out: [a, b], inner: false}
    - reorder: [m, ni, b, a]
    - bind: {ni: TIDx}
  t: []
  y:
    - cache: {as: y_l, memory: local}
    - split: {in: m, factor: 4, out: [mo, mi]}
    - bind: {mo: BIDx}
)yaml";
  EXPECT_EQ(again(text), text);
}

// A tile of windows, of an input and of a fold, whose list names its axes alone.
TEST(ScheduleWriter, TilesComeBack) {
  const std::string text = R"yaml(symbols:
  H: {min: 2, max: 4096}
  W: {min: 2, max: 4096}
inputs:
  x: {shape: [H, W], dtype: float}
outputs:
  y: {shape: [H, W], dtype: float}
shapes:
  rows: [H, W]
compute:
  - "rows[i, j] = sum[q < 5](x[i, mirror(j + q - 2)])"
  - "y[i, j] = sum[p < 5](rows[mirror(i + p - 2), j])"
schedule:
  x:
    - cache: {as: x_s, memory: shared, at: bx}
  x_s:
    - merge: {in: [i, d1], out: all}
    - split: {in: all, factor: 128, out: [rounds, t]}
    - bind: {t: TIDx}
  rows:
    - cache: {as: rows_s, memory: shared, at: bx}
  rows_s:
    - split: {in: j, factor: 128, out: [jo, ji]}
    - bind: {ji: TIDx}
  y:
    - split: {in: i, factor: 8, out: [by, ti]}
    - split: {in: j, factor: 128, out: [bx, t]}
    - reorder: [by, bx, t, ti, p]
    - bind: {by: BIDy, bx: BIDx, t: TIDx}
)yaml";
  EXPECT_EQ(again(text), text);
}

TEST(ScheduleWriter, OperatorsHaveAsManyParenthesesAsTheyNeed) {
  for (const char* value : {
           "a[i] - (b[i] - a[i])",
           "a[i] - b[i] - a[i]",
           "(a[i] + b[i]) * 2",
           "a[i] + b[i] * 2",
           "-(a[i] + b[i])",
           "-a[i] * b[i]",
           "a[i] / (b[i] / 3.5)",
           "select(a[i] < b[i], a[i], 0)",
           "max(a[i], -1)",
           "min(a[i], 1e-06)",
           "half(a[i]) + k[i]",
           "a[i] * int64(k[i] * 300)",
           "k[i] // 3 % 2",
           "a[i] + (i * 2 - 1)",
           "pow(a[i], 0.5)",
           "half(0.099975586) * b[i]",
           "select(!(a[i] < 0) && b[i] == 1 || k[i] != 2, 1, -0.25)",
           "fill(a[i + 1], 0)",
           "fill(a[2 * i - 1], b[i])",
           "a[N - 1 - i]",
           "double(a[i]) * 0.1",
           "1.0 / 0.0 + a[i]",
           "--a[i]",
           "int8(k[i] * 300)",
           "fill(k[i - 1], -7) + 5",
           "-0.0 * a[i]",
           "int64(k[i]) + 3000000000",
           "-(-1.0 / 0.0) + a[i] - -2.5",
           "true && a[i] < i",
       }) {
    const std::string file =
        "inputs: {a: {shape: [N], dtype: float}, b: {shape: [N], dtype: half}, k: {shape: [N], "
        "dtype: int32}}\noutputs: {y: {shape: [N], dtype: float}}\ncompute:\n  - \"y[i] = " +
        std::string(value) + "\"\nschedule: {}\n";
    const std::string first = again(file);
    const bool is_folded = std::string(value).starts_with("-(-1.0");
    const std::string text = is_folded ? "1.0 / 0.0 + a[i] - -2.5" : value;
    EXPECT_NE(first.find("\"y[i] = " + text + "\""), std::string::npos) << first << value;
    EXPECT_EQ(again(first), first);
  }
}

// A cast that reading puts in by itself is left out.
TEST(ScheduleWriter, WhatIsUnderstoodIsNotSaid) {
  const std::string file =
      "inputs: {a: {shape: [N], dtype: float}, k: {shape: [N], dtype: int32}}\nschedule: {}\n"
      "compute: [\"y[i] = a[i] * float(k[i]) + float(i) * float(3)\"]\n";
  EXPECT_NE(again(file).find("\"y[i] = a[i] * k[i] + float(i) * 3\""), std::string::npos)
      << again(file);
}

TEST(ScheduleWriter, ReductionsCastsAndLayouts) {
  const std::string text = R"yaml(symbols:
  N: {min: 2}
inputs:
  a: {shape: [4, N], dtype: half, contiguity: [false, true], align: 2}
  k: {shape: [N], dtype: uint8}
outputs:
  z: {dtype: half, strides: [8]}
  w: {dtype: int64}
  u: {shape: ["N - 1"], dtype: uint8}
compute:
  - "v[m] = var[n](a[m, n], 0)"
  - "q[m] = argmax[n](a[m, n] * k[n])"
  - "z[m] = v[m] + q[m]"
  - "r[n] = any[m](a[m, n] < 0.1)"
  - "w[i] = r[i]"
  - "u[i] = k[i + 1]"
schedule: {}
)yaml";
  EXPECT_EQ(again(text), text);
}

TEST(ScheduleWriter, NamesThatAFileCannotHaveGetAMark) {
  Fusion f;
  const Expr n = f.extent("N");
  const Tensor x = f.input("exp", {n}, DataType::Float);
  const Expr i = f.pool().symbol("int"), N = f.fresh_index("N");
  const ValueId v = f.values().read(DataType::Float, index_of(x.id()), {i});
  const Tensor y = f.output("y-1", f.compute("", {i}, {n}, v));
  const ValueId u = f.values().read(DataType::Float, index_of(y.id()), {N});
  f.output("y_1", f.compute("", {N}, {n}, u));
  expect_written(f, Schedule(f), R"yaml(symbols:
  N: {}
inputs:
  exp_: {shape: [N], dtype: float}
outputs:
  y_1_: {dtype: float}
  y_1: {dtype: float}
compute:
  - "y_1_[int_] = exp_[int_]"
  - "y_1[N_1] = y_1_[N_1]"
schedule: {}
)yaml");
}

TEST(ScheduleWriter, Refusals) {
  Fusion f;
  const Expr n = f.extent("N");
  const Tensor x = f.input("x", {n * n}, DataType::Float);
  const Expr i = f.pool().symbol("i");
  const ValueId square = f.values().read(DataType::Float, index_of(x.id()), {i * i});
  const Tensor y = f.output("y", f.compute("", {i}, {n}, square));
  EXPECT_EQ(refusal_by<BadInput>([&] { to_schedule_file(f, Schedule(f)); }),
            "selvage: error[E590]: y cannot be written: its subscript i * i is not affine; help: "
            "read with affine subscripts, or quotients by sizes");
  f.edit(y.id()).fill = 0;
  EXPECT_EQ(refusal_by<BadInput>([&] { to_schedule_file(f, Schedule(f)); }),
            "selvage: error[E590]: y cannot be written: its holes have a fill; help: leave its "
            "fill out");
}

TEST(ScheduleWriter, WritesHowFarAFoldRunsWhereNoReadTells) {
  Fusion f;
  const Expr m = f.extent("M"), i = f.fresh_index("i");
  const Tensor a = f.input("a", {m * 2}, DataType::Float);
  const ValueId even = f.values().read(DataType::Float, index_of(a.id()), {i * 2});
  f.output("z",
           f.compute_fold("", {}, {}, {.how = Reduction::Sum, .indices = {i}, .shape = {m}}, even));
  const std::string text = to_schedule_file(f, Schedule(f));
  EXPECT_NE(text.find("z[] = sum[i < M](a[i * 2])"), std::string::npos) << text;
}

// A statement has the type of its parts, and a sum of floats is folded in float.
TEST(ScheduleWriter, WhatHasAnotherTypeThanItsPartsIsRefused) {
  Fusion h;
  const Tensor b = h.input("b", {h.extent("K")}, DataType::Float);
  const Tensor negative = h.output("y", -b), total = h.output("s", sum(b, {0}));
  for (const auto& [t, type] : {std::pair(negative, "double"), std::pair(total, "float")}) {
    h.edit(t.id()).type = DataType::Double;
    EXPECT_EQ(refusal_by<BadInput>([&] { to_schedule_file(h, Schedule(h)); }),
              "selvage: error[E590]: " + h[t.id()].name +
                  " cannot be written: reading no statement gives its definition in " + type +
                  "; help: compute it in the type that its parts have");
    h.edit(t.id()).type = DataType::Float;
  }
}

// Transforms that lead nowhere are left out.
TEST(ScheduleWriter, LoopsByAnotherWayAreWrittenStepByStep) {
  Fusion g;
  const Tensor a = g.input("a", {g.extent("M")}, DataType::Float);
  const Tensor z = g.output("z", relu(a));
  Schedule s(g);
  const DomainId d = g[z.id()].logical[0];
  const auto parts = s.derive(z.id(), Split{d, {}, {}, g.constant(4), true}, {"o", "i"});
  const auto more = s.derive(z.id(), Merge{parts[1], parts[0], {}}, {"back"});
  s.derive(z.id(), Split{d, {}, {}, g.constant(8), true}, {"p", "q"});
  s.set_loops(z.id(), more);
  const std::string text = to_schedule_file(g, s);
  EXPECT_EQ(again(text), text);
  EXPECT_NE(text.find("  z:\n    - split: {in: i0, factor: 4, out: [o, i]}\n    - merge: {in: [i, "
                      "o], out: back}\n"),
            std::string::npos)
      << text;
  s.set_loops(z.id(), {more[0]});
}

// So are those of a layout that another has replaced: an iterdomain is taken by one.
TEST(ScheduleWriter, OnlyTheLastLayoutIsWritten) {
  Fusion f;
  const Tensor a = f.input("a", {f.extent("M"), f.extent("N")}, DataType::Float);
  const Tensor b = relu(a);
  f.output("z", b + a);
  Schedule s(f);
  s.materialize(b).keep_in(b, Memory::Shared);
  const auto [m, n] = s.loops<2>(b);
  BufferLayout layout = s.layout(b);
  layout.order({m, layout.resize(n, 0, 1)});
  const auto [outer, inner] = layout.split(n, 4);
  layout.order({outer, m, inner});
  const std::string text = to_schedule_file(f, s);
  EXPECT_EQ(again(text), text);
  EXPECT_THAT(text, testing::HasSubstr(
                        "    - layout: {order: [i1a, i0, i1b], transforms: [{split: {in: i1, "
                        "factor: 4, out: [i1a, i1b]}}]}\n"));

  layout.order({m, inner, layout.split(n, 3).second});
  EXPECT_EQ(
      refusal_by<BadInput>([&] { to_schedule_file(f, s); }),
      "selvage: error[E590]: the schedule of t0 cannot be written: its layout takes i1 by two "
      "transforms; help: use what comes out of the first");
}

TEST(ScheduleWriter, WhatIsAccumulatedSaysSo) {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(30), f.constant(20)}, DataType::Float);
  const Tensor y = f.output("y", x + 1), total = f.output("total", sum(x, {0}));
  Schedule s(f);
  const auto [i, j] = s.loops<2>(y);
  const auto [block, row] = s.split(i, 8, {.outer = "block", .inner = "row"});
  s.like(total, y);
  const auto of_total = [&](ScheduledLoop l) { return ScheduledLoop{total.id(), l.domain}; };
  s.reorder({of_total(block), of_total(row), of_total(j)});
  s.accumulate_at(s.rfactor(total, {of_total(row)}, "parts"), row);
  const std::string text = to_schedule_file(f, s);
  EXPECT_EQ(again(text), text);
  EXPECT_THAT(text, testing::HasSubstr("inline: {into: y, at: row, accumulate: true}"));
}

// A view is what its subscripts say; what no read tells is under shapes.
TEST(ScheduleWriter, ViewsAreSubscripts) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  const Tensor x = f.input("x", {M, N}, DataType::Float);
  const Tensor flat = reshape(x, {M * N});
  f.output("y", relu(pad(flat, {{1, 2}}, 7)));
  expect_written(f, Schedule(f), R"yaml(symbols:
  M: {}
  N: {}
inputs:
  x: {shape: [M, N], dtype: float}
outputs:
  y: {dtype: float}
shapes:
  t0: ["M * N"]
  t1: ["M * N + 3"]
compute:
  - "t0[i0i1] = x[i0i1 // N, i0i1 % N]"
  - "t1[i0i1r] = fill(t0[i0i1r - 1], 7)"
  - "y[i0_2] = relu(t1[i0_2])"
schedule: {}
)yaml");
}

TEST(ScheduleWriter, WhatIsFastIsFastAgain) {
  const std::string functions = R"yaml(inputs:
  a: {shape: [8], dtype: float}
outputs:
  y: {dtype: float}
)yaml";
  for (const std::string& text :
       {functions + "compute:\n  - \"y[i] = fast(exp(a[i]) / 3) + fast(tanh(a[i]))\"\n",
        functions + "math: fast\ncompute:\n  - \"y[i] = exp(a[i]) / 3 + tanh(a[i])\"\n"}) {
    EXPECT_TRUE(again(text).starts_with(text)) << again(text);
  }
  // No other functions have a fast form.
  const std::string sine = functions + "compute:\n  - \"y[i] = fast(sin(a[i]))\"\n";
  EXPECT_TRUE(again(sine).starts_with(functions + "compute:\n  - \"y[i] = sin(a[i])\"\n"));
}

TEST(ScheduleWriter, AccessModesAreFoundAgain) {
  for (const char* value :
       {"x[mirror(i - 1)]", "x[reflect(2 * i)]", "x[clamped(i + 3)]", "x[circular(i - 2)]",
        "x[i // 3]", "x[i % 5]", "x[i // 4 * 4 + i % 4]", "x[(i + 1) // 2]", "safe(x[i + 1])"}) {
    const std::string file =
        "inputs: {x: {shape: [N], dtype: float}}\nsymbols: {N: {min: 8}}\noutputs: {y: {shape: "
        "[N], dtype: float}}\ncompute:\n  - \"y[i] = " +
        std::string(value) + "\"\nschedule: {}\n";
    const std::string first = again(file);
    const bool is_safe = std::string(value).starts_with("safe");
    const std::string text = is_safe ? "fill(x[i + 1], 0)" : value;
    EXPECT_NE(first.find("\"y[i] = " + text + "\""), std::string::npos) << first << value;
    EXPECT_EQ(again(first), first);
  }
}

}  // namespace
}  // namespace selvage
