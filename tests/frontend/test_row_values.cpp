// Files that read and store items of rows by their positions, values(x)[p].
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <selvage/base/random.h>
#include <selvage/driver/run.h>
#include <selvage/lower/program.h>
#include <selvage/lower/proof.h>
#include <tests/frontend/schedule_files.h>
#include <tests/support/counts.h>

#include <cmath>
#include <numeric>

namespace selvage {

namespace {

namespace row_values {

using namespace schedule_files;
using testing::HasSubstr;
using testing::Not;

// A file of examples/, its program proved, and outputs of emulated and virtual runs.
struct Example {
  explicit Example(const std::string& name)
      : file(read_schedule_file(SELVAGE_SOURCE_DIR "/examples/" + name + ".yaml")),
        program(lower(*file.schedule)) {
    EXPECT_TRUE(file.illegal.empty()) << to_text(file.illegal);
    EXPECT_TRUE(prove(program.steps).is_complete());
  }
  std::map<std::string, Array> outputs(const std::map<std::string, Array>& inputs) const {
    const RunResult result =
        run(*file.fusion, program, {.inputs = inputs, .on = Machine::Emulate, .on_all = true});
    EXPECT_TRUE(result.passed());
    return result.outputs;
  }
  ScheduleFile file;
  Program program;
};

// Offsets of up to `most` rows, some without items.
std::vector<std::int64_t> drawn_offsets(SplitMix64& random, std::size_t most, std::size_t longest) {
  std::vector<std::int64_t> offsets = {0};
  for (std::size_t rows = 1 + random.next() % most; rows > 0; --rows) {
    const std::size_t items = random.next() % 3 == 0 ? 0 : random.next() % (longest + 1);
    offsets.push_back(offsets.back() + std::int64_t(items));
  }
  return offsets;
}

Array whole(const std::vector<std::int64_t>& values) {
  Array made(DataType::Int64, {std::int64_t(values.size())});
  for (std::size_t k = 0; k < values.size(); ++k) made.set_int(std::int64_t(k), values[k]);
  return made;
}

Array drawn_vectors(SplitMix64& random, std::int64_t items, std::int64_t depth) {
  Array made(DataType::Float, {items, depth});
  for (std::int64_t k = 0; k < made.size(); ++k) {
    made.set(k, double(random.next() % 9) / 4 - 1);
  }
  return made;
}

// A softmax of the products of item p with those of its row up to itself, and the mean of v by it.
double attended(const std::map<std::string, Array>& in, std::int64_t begin, std::int64_t p,
                std::int64_t e, std::int64_t depth) {
  double whole = 0, sum = 0;
  for (std::int64_t other = begin; other <= p; ++other) {
    double product = 0;
    for (std::int64_t d = 0; d < depth; ++d) {
      product += in.at("q").get(p * depth + d) * in.at("k").get(other * depth + d);
    }
    whole += std::exp(product);
    sum += std::exp(product) * in.at("v").get(other * depth + e);
  }
  return sum / whole;
}

TEST(RowValues, AttendToItemsInFront) {
  const Example example("packed_attention");
  SplitMix64 random(5);
  for (int i = 0; i < count(6, 100) && !HasFailure(); ++i) {
    const std::vector<std::int64_t> offsets = drawn_offsets(random, 6, 9);
    const std::int64_t items = offsets.back(), depth = 1 + std::int64_t(random.next() % 5);
    if (items == 0) continue;
    std::map<std::string, Array> in = {{"off", whole(offsets)}};
    for (const char* name : {"q", "k", "v"}) in[name] = drawn_vectors(random, items, depth);
    const auto out = example.outputs(in);
    for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
      for (std::int64_t p = offsets[b]; p < offsets[b + 1]; ++p) {
        for (std::int64_t e = 0; e < depth; ++e) {
          EXPECT_NEAR(out.at("y").get(p * depth + e), attended(in, offsets[b], p, e, depth), 1e-4);
        }
      }
    }
  }
}

TEST(RowValues, AreFoldedByTilesOfRows) {
  const Example example("row_tiles");
  SplitMix64 random(7);
  for (int i = 0; i < count(6, 100) && !HasFailure(); ++i) {
    const std::vector<std::int64_t> offsets = drawn_offsets(random, 9, 50);
    const std::int64_t items = offsets.back(), rows = std::int64_t(offsets.size()) - 1;
    if (items == 0) continue;
    const Array x = drawn_vectors(random, items, 1);
    Array flat = x;
    flat.shape = {items};
    const auto out = example.outputs({{"off", whole(offsets)}, {"x", flat}});
    std::int64_t tile = 0;
    for (std::int64_t b = 0; b < rows; ++b) {
      for (std::int64_t at = offsets[std::size_t(b)]; at < offsets[std::size_t(b) + 1]; at += 16) {
        EXPECT_EQ(out.at("row").get_int(tile), b);
        EXPECT_EQ(out.at("begin").get_int(tile), at);
        double sum = 0;
        for (std::int64_t p = at; p < std::min(at + 16, offsets[std::size_t(b) + 1]); ++p) {
          sum += x.get(p);
        }
        EXPECT_EQ(out.at("part").get(tile++), sum);
      }
    }
    ASSERT_EQ(out.at("row").size(), items / 16 + rows);
    for (; tile < out.at("row").size(); ++tile) {
      EXPECT_EQ(out.at("row").get_int(tile), -1);
      EXPECT_EQ(out.at("begin").get_int(tile), items);
      EXPECT_EQ(out.at("part").get(tile), 0);
    }
  }
}

TEST(RowValues, SayWhatIsWrong) {
  const auto with = [](const std::string& statement, const std::string& outputs = "y: {}") {
    return refusal(
        "symbols: {B: {}, N: {}}\n"
        "inputs:\n  off: {shape: [B + 1], dtype: int64}\n"
        "  x: {shape: [B, ragged(off)], dtype: float}\n  z: {shape: [N], dtype: float}\n"
        "outputs: {" +
        outputs + "}\ncompute:\n  - " + statement + "\n");
  };
  EXPECT_EQ(with("y[p] = values(x)[p] * 2"), "accepted");
  EXPECT_EQ(with("values(y)[p] = values(x)[p] * 2", "y: {shape: [B, ragged(off)]}"), "accepted");
  EXPECT_THAT(with("y[p] = values(z)[p]"), HasSubstr("error[E520]: z has no items of rows"));
  EXPECT_THAT(with("y[p] = values(x)[p, 1]"),
              HasSubstr("error[E503]: x has rank 1 and is read at 2 subscripts"));
  EXPECT_THAT(with("y[p] = values(3)[p]"), HasSubstr("error[E314]: expected the name of a tensor"));
  EXPECT_THAT(with("y[p] = values(x) * z[p]"),
              HasSubstr("error[E314]: expected '[' after values(x)"));
  EXPECT_THAT(with("y[p] = values(w)[p]"), HasSubstr("error[E205]: there is no tensor 'w'"));
  EXPECT_THAT(with("values(y[p] = z[p]"), HasSubstr("error[E314]: expected ')' after values(y"));
  EXPECT_THAT(
      with("values(y)[p] = values(x)[p]"),
      HasSubstr("error[E520]: nothing says of which rows values(y) are the items; help: put "
                "y: {shape: [B, ragged(off)]} under outputs"));
  EXPECT_THAT(with("values(y)[p] = z[p]", "y: {shape: [B]}"),
              HasSubstr("error[E520]: values(y) are items of rows, and its shape tells none"));
  EXPECT_THAT(with("values(y)[p, q] = z[p] * z[q]", "y: {shape: [B, ragged(off)]}"),
              HasSubstr("error[E309]: outputs.y.shape has 2 extents for 2 indices, the first of "
                        "which is a position"));
  // What is wrong with its shape is said once.
  EXPECT_THAT(with("values(y)[p] = values(x)[p]", "y: {shape: [B]}"),
              Not(HasSubstr("nothing says")));
  EXPECT_THAT(
      with("values(y)[p] = values(x)[p]", "y: {shape: [B + 2, ragged(off)]}"),
      HasSubstr("error[E501]: off has one offset more than there are rows, which is not so"));
  EXPECT_THAT(with("values(y)[z[p]] += values(x)[p]"),
              HasSubstr("error[E390]: a scatter to items of rows"));
  EXPECT_THAT(refusal("threads:\n  levels: {p: 4}\narrays: {A: {shape: [4], dtype: float}}\n"
                      "program: [\"A[p] = values(A)[p] + 1\"]\n"),
              testing::AnyOf(HasSubstr("values(...) of an array of threads"), HasSubstr("error")));
}

// A statement over complex numbers, or over parts of rows, becomes others, which keep the position.
TEST(RowValues, StayThroughOtherStatements) {
  const std::string head =
      "symbols: {B: {}}\n"
      "inputs:\n  off: {shape: [B + 1], dtype: int64}\n"
      "  x: {shape: [B, ragged(off)], dtype: float}\n"
      "  z: {shape: [B, ragged(off)], dtype: complex64}\n"
      "outputs: {y: {shape: [B, ragged(off)]}}\ncompute:\n  - ";
  for (const auto& [statement, rank] :
       {std::pair("values(y)[p] = abs(values(z)[p])", std::size_t{1}),
        std::pair("values(y)[p] = complex(values(x)[p], 1.0)", std::size_t{2}),
        std::pair("values(y)[p] = conj(values(z)[p])", std::size_t{2})}) {
    const ScheduleFile file = read(head + statement + "\n");
    const TensorInfo& y = (*file.fusion)[file.fusion->find("y").value()];
    EXPECT_EQ(y.logical.size(), rank) << statement;
    EXPECT_TRUE(y.items_of.has_value()) << statement;
  }
  EXPECT_THAT(refusal(head + "values(y)[p] = abs(values(z)[p, p])\n"),
              HasSubstr("error[E503]: z has rank 1 and is read at 2 subscripts"));
  const std::string sparse =
      "symbols: {I: {}, J: {}}\ninputs:\n  A: {shape: [I, J], dtype: float, format: sell(4)}\n"
      "  off: {shape: [B + 1], dtype: int64}\n  w: {shape: [J], dtype: float}\n"
      "outputs: {y: {shape: [B, ragged(off)]}}\ncompute:\n"
      "  - values(y)[i] = sum[j](A[i, j] * w[j])\n";
  EXPECT_THAT(refusal(sparse), Not(HasSubstr("y_slices")));
}

}  // namespace row_values

}  // namespace

}  // namespace selvage
