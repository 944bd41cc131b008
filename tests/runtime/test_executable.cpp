// Programs that run: arguments bound, plans kept, sizes that leave nothing.
#include <selvage/driver/run.h>
#include <selvage/emulate/reference.h>
#include <selvage/ir/ops.h>
#include <selvage/runtime/driver.h>
#include <selvage/runtime/executable.h>
#include <selvage/scheduler/pointwise.h>

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <set>
#include <thread>

#include "tests/support/refusal.h"

namespace selvage {
namespace {

using Shape = std::vector<std::int64_t>;

Array made(const std::string& name, DataType type, Shape shape) {
  return made_up_input(name, type, std::move(shape), 1);
}

// y[m, n] = relu(x[m, n] + bias[n])
struct BiasRelu {
  Fusion f;
  const Expr m = f.extent("M", 0), n = f.extent("N", 0);
  const Tensor x = f.input("x", {m, n}, DataType::Float);
  const Tensor bias = f.input("bias", {n}, DataType::Float);
  const Tensor y = f.output("y", relu(x + bias));

  Executable compiled() {
    Schedule s(f);
    schedule_pointwise(s, y.id());
    return compile(lower(f, s), {.target = Target::Virtual});
  }
  void expect_right(const Executable& run, std::int64_t rows, std::int64_t columns) {
    const Array a = made("x", DataType::Float, {rows, columns});
    const Array b = made("bias", DataType::Float, {columns});
    Array out(DataType::Float, {rows, columns});
    run({a, b, out});
    EXPECT_EQ(out, run_reference(f, {{"M", rows}, {"N", columns}}, {{"x", a}, {"bias", b}})[0]);
  }
};

TEST(Executable, RunsShapesOfEverySizeAndKeepsWhatItHasWorkedOut) {
  BiasRelu c;
  const Executable run = c.compiled();
  EXPECT_EQ(run.target(), Target::Virtual);
  for (int again = 0; again < 2; ++again) {
    for (const auto& [rows, columns] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {1, 1}, {3, 1027}, {31, 33}, {128, 1}, {2, 128}}) {
      c.expect_right(run, rows, columns);
    }
  }
  EXPECT_GE(run.kept(), 5U);
  EXPECT_LE(run.kept(), 5U * 16);  // by alignment as well
}

TEST(Executable, OfAFusionAloneIsScheduledAutomatically) {
  BiasRelu c;
  const Executable run = compile(c.f, {.target = Target::Virtual}, {{"M", 64}, {"N", 4096}});
  for (const auto& [rows, columns] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 1}, {3, 1027}, {65, 32}}) {
    c.expect_right(run, rows, columns);
  }
}

// No shape is K alone.
TEST(Executable, SolvesForSizesThatShapesAreMadeOf) {
  Fusion f;
  const auto [K, L] = f.extents("K", "L");
  const Tensor x = f.input("x", {K * 4}, DataType::Float);
  const Tensor z = f.input("z", {K * L + 3}, DataType::Float);
  f.output("y", reshape(x, {4, K}) * 2);
  f.output("w", z + 1);
  const Executable run = compile(lower(f, Schedule(f)), {.target = Target::Virtual});
  const Array in = made("x", DataType::Float, {20}), other = made("z", DataType::Float, {38});
  Array y(DataType::Float, {4, 5}), w(DataType::Float, {38});
  run({in, other, y, w});
  const auto expected = run_reference(f, {{"K", 5}, {"L", 7}}, {{"x", in}, {"z", other}});
  EXPECT_EQ(y, expected[0]);
  EXPECT_EQ(w, expected[1]);
  const Array odd = made("x", DataType::Float, {21});
  EXPECT_EQ(refusal_by<BadInput>([&] {
              run({odd, other, y, w});
            }),
            "selvage: error[E612]: the argument x has shape [21], not [20]: K = 5; help: make the "
            "shapes agree: x[K * 4]");
}

TEST(Executable, OutlivesWhatItWasMadeFrom) {
  auto c = std::make_unique<BiasRelu>();
  const Executable run = c->compiled();
  c.reset();
  BiasRelu other;
  other.expect_right(run, 5, 7);
  other.expect_right(run, 0, 7);
}

TEST(Executable, WithoutItemsLaunchesNothingAndWritesWhatItMust) {
  Fusion f;
  const Expr m = f.extent("M", 0), n = f.extent("N", 0);
  const Tensor x = f.input("x", {m, n}, DataType::Int32);
  const Tensor s = f.output("s", sum(x, {1})), y = f.output("y", pad(x, {{0, 0}, {1, 2}}, 7));
  Schedule schedule(f);
  schedule_pointwise(schedule, s.id());
  schedule_pointwise(schedule, y.id());
  const Executable run = compile(lower(f, schedule), {.target = Target::Virtual});
  for (const std::int64_t rows : {0, 3}) {
    for (const std::int64_t columns : {0, 5}) {
      const Array in = made("x", DataType::Int32, {rows, columns});
      Array sums(DataType::Int64, {rows}), padded(DataType::Int32, {rows, columns + 3});
      for (int again = 0; again < 2; ++again) {
        std::fill(sums.bytes.begin(), sums.bytes.end(), std::byte{0xA5});
        std::fill(padded.bytes.begin(), padded.bytes.end(), std::byte{0xA5});
        run({in, sums, padded});
        const auto expected = run_reference(f, {{"M", rows}, {"N", columns}}, {{"x", in}});
        EXPECT_EQ(sums, expected[0]);
        EXPECT_EQ(padded, expected[1]);
      }
    }
  }
}

// Between two kernels; several calls at once have memory of their own.
TEST(Executable, KeepsMemoryBetweenKernelsForEachCall) {
  Fusion f;
  const Expr m = f.extent("M"), n = f.extent("N");
  const Tensor x = f.input("x", {m, n}, DataType::Float);
  const Tensor most = max(x, {1});
  const Tensor y = f.output("y", x - unsqueeze(most, 1));
  Schedule s(f);
  schedule_pointwise(s, most.id());
  schedule_pointwise(s, y.id());
  const Executable run = compile(lower(f, s), {.target = Target::Virtual});
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (std::int64_t k = 0; k < 25; ++k) {
        const std::int64_t rows = 1 + (k * 7 + std::int64_t(t)) % 13;
        Array in = made("x" + std::to_string(t), DataType::Float, {rows, 17});
        Array out(DataType::Float, {rows, 17});
        run({in, out});
        wrong[t] += out != run_reference(f, {{"M", rows}, {"N", 17}}, {{"x", in}})[0];
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

// x[m, n] lies at m * S + n, S being a size like any other.
struct Strided {
  Fusion f;
  const Expr m = f.extent("M"), n = f.extent("N"), stride = f.extent("S");
  const Tensor x = f.input("x", {m, n}, DataType::Float);
  const Tensor y = f.output("y", x * 2);
  Strided() {
    f.edit(x.id()).strides = {stride, f.constant(1)};
    f.edit(y.id()).strides = {stride, f.constant(1)};
  }
  Executable compiled() {
    Schedule s(f);
    schedule_pointwise(s, y.id());
    return compile(lower(f, s), {.target = Target::Virtual});
  }
};

TEST(Executable, TakesStridesAsSizes) {
  Strided c;
  const Executable run = c.compiled();
  for (const std::int64_t stride : {5, 8}) {
    const Shape shape = {4, 5}, strides = {stride, 1};
    std::vector<float> in(40), out(40, -1);
    for (std::size_t k = 0; k < in.size(); ++k) in[k] = float(k);
    run({{in.data(), DataType::Float, shape, strides},
         {out.data(), DataType::Float, shape, strides}});
    for (std::int64_t k = 0; k < 40; ++k) {
      const bool is_item = k / stride < 4 && k % stride < 5;
      EXPECT_EQ(out[std::size_t(k)], is_item ? 2 * float(k) : -1) << k << " of " << stride;
    }
  }
}

// What E628 says to do: any strides, told by each call.
TEST(Executable, TakesStridesThatAreLeftToTheCall) {
  Fusion f;
  const auto [M, N] = f.extents("M", "N");
  const Tensor x = with_strides(f.input("x", {M, N}, DataType::Float));
  const Tensor y = f.output("y", x * 2);
  Schedule s(f);
  schedule_pointwise(s, y.id());
  const Executable run = compile(lower(f, s), {.target = Target::Virtual});
  const std::vector<float> in = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  std::vector<float> out(12);
  // By columns; by rows, dense.
  run({{in.data(), DataType::Float, {3, 4}, {1, 3}}, {out.data(), DataType::Float, {3, 4}}});
  EXPECT_EQ(out, (std::vector<float>{0, 6, 12, 18, 2, 8, 14, 20, 4, 10, 16, 22}));
  run({{in.data(), DataType::Float, {3, 4}}, {out.data(), DataType::Float, {3, 4}}});
  EXPECT_EQ(out, (std::vector<float>{0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22}));
  const Argument kept(in.data(), DataType::Float, {2, 2}, {4, 2});  // the lists are its own
  run({kept, {out.data(), DataType::Float, {2, 2}}});
  EXPECT_EQ(std::vector(out.begin(), out.begin() + 4), (std::vector<float>{0, 4, 8, 12}));
}

TEST(Executable, RefusesOutputsThatAreOnlyToBeRead) {
  BiasRelu c;
  const Executable run = c.compiled();
  Array x(DataType::Float, {4, 6}), bias(DataType::Float, {6}), y(DataType::Float, {4, 6});
  run({x, bias, y});
  const Array& read_only = y;
  const void* memory = y.bytes.data();
  const std::string message =
      "selvage: error[E632]: the argument y is an output, and is only to be read; help: pass "
      "memory that is not const";
  EXPECT_EQ(bad_input([&] { run({x, bias, read_only}); }), message);
  EXPECT_EQ(bad_input([&] { run({x, bias, {memory, DataType::Float, {4, 6}}}); }), message);
}

TEST(Executable, RefusesByNameWhatDoesNotFit) {
  BiasRelu c;
  const Executable run = c.compiled();
  Array x(DataType::Float, {4, 6}), bias(DataType::Float, {6}), y(DataType::Float, {4, 6});
  Array wrong(DataType::Float, {4, 5}), half(DataType::Half, {4, 6});
  EXPECT_EQ(bad_input([&] {
              run({x, bias});
            }),
            "selvage: error[E630]: there are 2 arguments, not 3; help: pass the inputs (x, bias), "
            "then the outputs (y)");
  EXPECT_EQ(bad_input([&] {
              run({x, bias, wrong});
            }),
            "selvage: error[E612]: the argument y has shape [4, 5], not [4, 6]: N = 6; help: make "
            "the shapes agree: y[M, N]");
  EXPECT_EQ(bad_input([&] {
              run({x, x, y});
            }),
            "selvage: error[E612]: the argument bias has shape [4, 6], of 2 axes, not [N]; help: "
            "give it 1 axes");
  EXPECT_EQ(bad_input([&] {
              run({half, bias, y});
            }),
            "selvage: error[E613]: the argument x is of type half, not float; help: convert it");
  const Shape shape = {4, 6}, strides = {5, 1};
  EXPECT_EQ(bad_input([&] {
              run({{x.bytes.data() + 2, DataType::Float, shape}, bias, y});
            }),
            "selvage: error[E629]: the address of the argument x is 2 bytes past a multiple of 4, "
            "the size of a float; help: align it to its elements");
  EXPECT_EQ(bad_input([&] {
              run({{nullptr, DataType::Float, shape}, bias, y});
            }),
            "selvage: error[E629]: the argument x has items and no memory; help: pass the address "
            "of its first item");
  EXPECT_EQ(bad_input([&] {
              run({{x.bytes.data(), DataType::Float, shape, strides}, bias, y});
            }),
            "selvage: error[E628]: the argument x has stride 5 on axis 0, not 6; help: lay it out "
            "so, or leave its strides to the call: with_strides(x) where the fusion is built");
  EXPECT_EQ(bad_input([&] {
              run({x, bias, y}, {.sizes = {{"K", 4}}});
            }),
            "selvage: error[E614]: the fusion has no size K; help: leave it out, or correct its "
            "name");
  EXPECT_EQ(bad_input([&] {
              run({x, bias, y}, {.sizes = {{"N", 4}}});
            }).substr(0, 20),
            "selvage: error[E612]");
  EXPECT_EQ(run.kept(), 0U);  // nothing of a refused call is kept
  run({x, bias, y});
}

// What is known of a call says nothing of one whose argument is of another type.
TEST(Executable, RefusesAnotherTypeWhereAFloatWasTaken) {
  BiasRelu c;
  const Executable run = c.compiled();
  Array x(DataType::Float, {4, 6}), bias(DataType::Float, {6}), y(DataType::Float, {4, 6});
  run({x, bias, y});
  const Shape shape = {4, 6};
  EXPECT_EQ(bad_input([&] {
              run({{x.bytes.data(), DataType::Int32, shape}, bias, y});
            }),
            "selvage: error[E613]: the argument x is of type int32, not float; help: convert it");
}

TEST(Executable, RefusesOutputsWhoseItemsMeet) {
  Strided c;
  const Executable run = c.compiled();
  std::vector<float> in(40), out(40);
  const Shape shape = {4, 5}, strides = {3, 1};
  const std::span<const std::int64_t> none;
  EXPECT_EQ(bad_input([&] {
              run({{in.data(), DataType::Float, shape, strides},
                   {out.data(), DataType::Float, shape, strides}});
            }),
            "selvage: error[E626]: two items of y lie at one address, or may; help: choose strides "
            "that keep the items of y apart");
  run({{in.data(), DataType::Float, shape}, {out.data(), DataType::Float, shape}});  // dense
  run({{in.data(), DataType::Float, shape}, {out.data(), DataType::Float, shape}},
      {.sizes = {{"S", 5}}});
}

TEST(Executable, RefusesAnOutputThatSharesMemory) {
  Strided c;
  const Executable run = c.compiled();
  std::vector<float> memory(200);
  const Shape shape = {4, 5}, strides = {12, 1};
  const auto call = [&](std::size_t x, std::size_t y) {
    run({{memory.data() + x, DataType::Float, shape, strides},
         {memory.data() + y, DataType::Float, shape, strides}});
  };
  const std::string shared =
      "selvage: error[E631]: the output y lies where x does, or partly; help: "
      "give y memory of its own";
  for (const std::size_t y : {0, 4, 12, 16, 24, 36}) {
    EXPECT_EQ(bad_input([&] { call(0, y); }), shared) << y;
    EXPECT_EQ(bad_input([&] { call(y, 0); }), shared) << y;
  }
  for (const std::size_t y : {5, 7, 17, 29, 41, 100}) {  // columns beside x's, or behind all rows
    call(0, y);
    call(y, 0);
  }
  EXPECT_EQ(bad_input([&] { call(0, 8); }),
            shared);  // columns 8 to 12: the next row of x begins at 12
}

// Against every byte of both.
TEST(ArgumentBytes, OverlapWhereSomeByteIsShared) {
  std::mt19937_64 rng(1);
  const auto draw = [&](std::int64_t lo, std::int64_t hi) {
    return std::uniform_int_distribution(lo, hi)(rng);
  };
  int overlaps = 0, unseen = 0;
  for (int k = 0; k < 20'000; ++k) {
    ArgumentBytes of[2];
    std::set<std::int64_t> bytes[2];
    const std::int64_t row = draw(1, 12);
    for (int i = 0; i < 2; ++i) {
      of[i].row = draw(0, 9) > 0 ? row : draw(1, 12);
      of[i].inner = draw(1, of[i].row);
      const std::int64_t rows = draw(1, 4);
      of[i].bytes = (rows - 1) * of[i].row + of[i].inner;
      if (rows == 1) of[i].row = 0;
      const std::int64_t at = draw(0, 40);
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t b = 0; b < of[i].inner; ++b) bytes[i].insert(at + r * of[i].row + b);
      }
    }
    std::vector<std::int64_t> shared;
    std::set_intersection(bytes[0].begin(), bytes[0].end(), bytes[1].begin(), bytes[1].end(),
                          std::back_inserter(shared));
    const auto first = [&](int i) { return std::uintptr_t(*bytes[i].begin()); };
    const bool says = may_overlap(first(0), of[0], first(1), of[1]);
    if (!shared.empty()) {
      ASSERT_TRUE(says);
    }
    overlaps += !shared.empty();
    unseen += says && shared.empty();
    if (of[0].row == of[1].row && of[0].row > 0 && says) {
      // Rows equally far apart: refused only where the columns meet.
      std::set<std::int64_t> columns[2];
      for (int i = 0; i < 2; ++i) {
        for (std::int64_t b : bytes[i]) columns[i].insert(b % of[i].row);
      }
      shared.clear();
      std::set_intersection(columns[0].begin(), columns[0].end(), columns[1].begin(),
                            columns[1].end(), std::back_inserter(shared));
      ASSERT_FALSE(shared.empty());
    }
  }
  EXPECT_GT(overlaps, 2'000);
  EXPECT_LT(unseen, 6'000);
}

TEST(Executable, RefusesSizesThatItsFactsRuleOut) {
  Fusion f;
  const Expr n = f.extent("N", 8, 64, 8);
  const Tensor x = f.input("x", {n}, DataType::Float), y = f.output("y", x + 1);
  Schedule s(f);
  schedule_pointwise(s, y.id());
  const Executable run = compile(lower(f, s), {.target = Target::Virtual});
  for (const auto& [size, message, other] :
       std::vector<std::tuple<std::int64_t, std::string, std::string>>{
           {4, "below its min of 8", "8"},
           {72, "above its max of 64", "64"},
           {12, "but modulo 8 it is to be 0", "16"}}) {
    Array in(DataType::Float, {size}), out(DataType::Float, {size});
    EXPECT_EQ(bad_input([&] {
                run({in, out});
              }),
              "selvage: error[E615]: the size N is " + std::to_string(size) + ", " + message +
                  "; help: give it a value that the fusion allows, such as N = " + other);
  }
}

// y = x + 1 of 64 floats, by vectors of four.
struct Vectors {
  Fusion f;
  const Tensor x = f.input("x", {f.constant(64)}, DataType::Float), y = f.output("y", x + 1);
  alignas(256) float in[80], out[80];
  Vectors() {
    for (int k = 0; k < 80; ++k) in[k] = float(k);
  }
  Executable compiled() {
    Schedule s(f);
    const auto [outer, inner] = s.split(s.loops<1>(y)[0], 4);
    s.bind(outer, ParallelType::TIDx).bind(inner, ParallelType::Vectorize);
    return compile(lower(f, s), {.target = Target::Virtual});
  }
  void call(const Executable& run, int shift) {
    const Shape shape = {64};
    run({{in + shift, DataType::Float, shape}, {out, DataType::Float, shape}});
  }
};

// An address that no vector may have is another plan, with another kernel.
TEST(Executable, ChoosesAKernelByAlignment) {
  Vectors c;
  for (Tensor t : {c.x, c.y}) c.f.edit(t.id()).align = 4;
  const Executable run = c.compiled();
  for (const int shift : {0, 1, 4}) {
    c.call(run, shift);
    for (int k = 0; k < 64; ++k) ASSERT_EQ(c.out[k], float(k + shift + 1));
  }
  EXPECT_EQ(run.kept(), 3U);
}

TEST(Executable, RefusesAnAddressThatIsNotAlignedAsTheTensorSays) {
  Vectors c;
  const Executable run = c.compiled();
  EXPECT_EQ(bad_input([&] { c.call(run, 1); }),
            "selvage: error[E629]: the address of the argument x is 4 bytes past a multiple of 16, "
            "which kernel_y takes at once; help: align it, or declare the alignment that x has, "
            "align: 4");
  c.call(run, 4);
}

// What a call promises of its arguments is looked at, access by access; and any order of blocks and
// threads gives the same.
TEST(Executable, ChecksEveryAccessOnRequestAndRunsInAnyOrder) {
  BiasRelu c;
  Schedule s(c.f);
  schedule_pointwise(s, c.y.id());
  const Program program = lower(c.f, s);
  for (const std::uint64_t seed : {0, 7}) {
    const Executable run =
        compile(program, {.target = Target::Virtual, .checks = true, .order_seed = seed});
    c.expect_right(run, 3, 131);
  }
  // The proof is about the kernel's buffers; this one has less memory than its kernel goes by.
  Program wrong = program;
  for (ProgramBuffer& b : wrong.buffers) {
    if (b.role == ProgramBuffer::Role::Output) b.elements = b.elements - 1;
  }
  const Executable run = compile(wrong, {.target = Target::Virtual, .checks = true});
  const Array x = made("x", DataType::Float, {2, 3}), b = made("bias", DataType::Float, {3});
  Array y(DataType::Float, {2, 3});
  EXPECT_THAT(refusal_by<Error>([&] {
                run({x, b, y});
              }),
              testing::HasSubstr("error[E721]: thread (5, 0, 0) of block (0, 0, 0)"));
}

TEST(Executable, AThousandShapesInOneProcess) {
  BiasRelu c;
  const Executable run = c.compiled();
  for (std::int64_t k = 1; k <= 1'000; ++k) c.expect_right(run, 1 + k % 7, 1 + k);
  EXPECT_GE(run.kept(), 1'000U);
}

TEST(Executable, WithoutAGpuIsRefusedForOne) {
  if (Driver::instance() != nullptr) GTEST_SKIP() << "there is a GPU";
  BiasRelu c;
  Schedule s(c.f);
  EXPECT_EQ(bad_input([&] { compile(lower(c.f, s), {.target = Target::Gpu}); }).substr(0, 57),
            "selvage: error[E623]: there is no GPU to run on: libcuda.");
}

}  // namespace
}  // namespace selvage
