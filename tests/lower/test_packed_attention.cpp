// Attention within rows, scheduled automatically and proved, beside plain loops.
#include <gtest/gtest.h>
#include <selvage/ir/packed_attention.h>
#include <tests/lower/ragged_rows.h>
#include <tests/support/refusal.h>

namespace selvage::test {

namespace {

namespace packed_attention_test {

const std::vector<RowLengths> kSentences = {{3, 0, 0, 7, 1, 5}, {5}, {0, 0}, {}, RowLengths(40, 2)};

TEST(PackedAttention, MeetsOnlyItemsOfItsRow) {
  for (const Attends to : {Attends::Everywhere, Attends::Backward}) {
    Fusion f;
    const RaggedInputs in(f, "", DataType::Int64, f.extent("B", 0));
    const PackedScores all = packed_scores(in.x, in.x, to);
    f.output("scores", all.scores);
    const Tensor v = ragged_input(f, "w", in.rows, {f.constant(kColumns)}, DataType::Float);
    f.output("y", packed_attention(in.x * 0.25, in.x, v, 0.125, to));
    const Program program = proved_program(f, true);
    for (const RowLengths& lengths : kSentences) {
      SCOPED_TRACE(testing::PrintToString(lengths));
      const RowData data(lengths);
      const auto value = [](std::int64_t p, std::int64_t e) {
        return made_digit(std::uint64_t(p * kColumns + e), 3);
      };
      ItemNumbers w, scores, y;
      for (std::int64_t k = 0; k < data.items() * kColumns; ++k) w.push_back(value(0, k));
      for (std::int64_t b = 0; b < data.count(); ++b) {
        for (std::int64_t i = 0; i < data.length(b); ++i) {
          const std::int64_t pairs = to == Attends::Everywhere ? data.length(b) : i + 1;
          ItemNumbers own;
          double sum = 0;
          for (std::int64_t j = 0; j < pairs; ++j) {
            double product = 0;
            for (std::int64_t d = 0; d < kInner; ++d)
              product += data.at(b, i, d) * data.at(b, j, d);
            scores.push_back(product);
            own.push_back(std::exp(product * 0.25 * 0.125));
            sum += own.back();
          }
          for (std::int64_t e = 0; e < kColumns; ++e) {
            double mean = 0;
            for (std::int64_t j = 0; j < pairs; ++j) {
              mean += own[std::size_t(j)] / sum * value(data.begins[std::size_t(b)] + j, e);
            }
            y.push_back(mean);
          }
        }
      }
      RunRequest request{.sizes = {{"B", data.count()}}};
      in.give(request, data);
      request.inputs["w"] = row_array(DataType::Float, {data.items(), kColumns}, w);
      expect_outputs(f, program, request, {{"scores", scores}, {"y", y}}, 1e-3);
    }
  }
}

TEST(PackedAttention, SaysWhatItCannotTake) {
  Fusion f;
  const Expr B = f.extent("B", 0);
  const RaggedInputs in(f, "", DataType::Int64, B), other(f, "_2", DataType::Int64, B);
  EXPECT_EQ(bad_input([&] { packed_scores(in.x, other.x); }),
            "selvage: error[E501]: "
            "packed_scores: x[off_items, 3] and x_2[off_2_items, 3] have items of other rows"
            "; help: give them the same; as_rows() does, where check_same_rows() holds");
  EXPECT_EQ(bad_input([&] { packed_scores(in.v, in.x); }),
            "selvage: error[E511]: "
            "packed_scores: v[off_items] is no vector for each item of rows"
            "; help: give a tensor [rows, ragged, D]");
  const Tensor w = ragged_input(f, "w", in.rows, {f.constant(kColumns)}, DataType::Float);
  EXPECT_EQ(bad_input([&] { packed_scores(in.x, w); }),
            "selvage: error[E501]: "
            "packed_scores: the vectors of x[off_items, 3] and w[off_items, 4] are not equally long"
            "; help: give both the same last axis");
}

}  // namespace packed_attention_test

}  // namespace

}  // namespace selvage::test
