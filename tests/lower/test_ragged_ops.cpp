// Folds and products over the items of rows, scheduled automatically and proved, beside plain
// loops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tests/lower/ragged_rows.h>
#include <tests/support/refusal.h>

namespace selvage::test {

namespace {

TEST(RaggedOps, FoldsOfRows) {
  expect_on_all_rows(
      [](Fusion& f, const RaggedInputs& in) {
        f.output("sum", row_sum(in.x));
        f.output("max", row_max(in.x));
        f.output("min", row_min(in.x));
        f.output("whole", row_sum(in.v));
      },
      [](const RowData& data) {
        ItemNumbers whole;
        for (std::int64_t b = 0; b < data.count(); ++b) {
          double sum = 0;
          for (std::int64_t j = 0; j < data.length(b); ++j)
            sum += data.v[std::size_t(data.begins[std::size_t(b)] + j)];
          whole.push_back(sum);
        }
        return LoopOutputs{
            {"sum", each_row(data, total_of)},
            {"max", each_row(data, [](const ItemNumbers& n) { return greatest_of(n, -INFINITY); })},
            {"min", each_row(data,
                             [](ItemNumbers n) {
                               for (double& k : n) k = -k;
                               return -greatest_of(n, -INFINITY);
                             })},
            {"whole", whole}};
      });
}

TEST(RaggedOps, TheMeanOfNoItemsIsZero) {
  expect_on_all_rows([](Fusion& f, const RaggedInputs& in) { f.output("mean", row_mean(in.x)); },
                     [](const RowData& data) {
                       return LoopOutputs{{"mean", each_row(data, [](const ItemNumbers& n) {
                                             return n.empty() ? 0 : total_of(n) / double(n.size());
                                           })}};
                     },
                     {}, 1e-5);
}

TEST(RaggedOps, SoftmaxOfRows) {
  for (const bool is_log : {false, true}) {
    expect_on_all_rows(
        [&](Fusion& f, const RaggedInputs& in) {
          f.output("y", is_log ? row_log_softmax(in.x) : row_softmax(in.x));
        },
        [&](const RowData& data) {
          ItemNumbers y;
          for (std::int64_t b = 0; b < data.count(); ++b) {
            for (std::int64_t j = 0; j < data.length(b); ++j) {
              for (std::int64_t d = 0; d < kInner; ++d) {
                double sum = 0;
                for (std::int64_t k = 0; k < data.length(b); ++k)
                  sum += std::exp(data.at(b, k, d) - data.at(b, j, d));
                y.push_back(is_log ? -std::log(sum) : 1 / sum);
              }
            }
          }
          return LoopOutputs{{"y", y}};
        },
        {}, 1e-4);
  }
}

TEST(RaggedOps, BagsOfATable) {
  ItemNumbers table;
  for (std::int64_t k = 0; k < kVocabulary * kInner; ++k)
    table.push_back(made_digit(std::uint64_t(k), 5));
  for (const Reduction how : {Reduction::Sum, Reduction::Mean, Reduction::Max}) {
    for (const bool is_weighted : {false, true}) {
      if (is_weighted && how != Reduction::Sum) continue;
      SCOPED_TRACE(to_string(how));
      expect_on_all_rows(
          [&](Fusion& f, const RaggedInputs& in) {
            const Tensor t = f.input("table", {f.extent("V"), f.extent("D")}, DataType::Float);
            f.output("y", embedding_bag(t, in.words, how,
                                        is_weighted ? std::optional(in.v) : std::nullopt));
          },
          [&](const RowData& data) {
            ItemNumbers y;
            for (std::int64_t b = 0; b < data.count(); ++b) {
              for (std::int64_t d = 0; d < kInner; ++d) {
                ItemNumbers own;
                for (std::int64_t j = 0; j < data.length(b); ++j) {
                  const auto p = std::size_t(data.begins[std::size_t(b)] + j);
                  const auto word = std::clamp<std::int64_t>(data.words[p], 0, kVocabulary - 1);
                  own.push_back(table[std::size_t(word * kInner + d)] *
                                (is_weighted ? data.v[p] : 1));
                }
                y.push_back(how == Reduction::Max ? greatest_of(own, 0)
                            : how == Reduction::Sum || own.empty()
                                ? total_of(own)
                                : total_of(own) / double(own.size()));
              }
            }
            return LoopOutputs{{"y", y}};
          },
          [&](RunRequest& request, const RowData&) {
            request.inputs["table"] = row_array(DataType::Float, {kVocabulary, kInner}, table);
          },
          how == Reduction::Mean ? 1e-5 : 0);
    }
  }
}

TEST(RaggedOps, EachItemTimesTheMatrixOfItsGroup) {
  const auto weight = [](std::int64_t g, std::int64_t k, std::int64_t n) {
    return made_digit(std::uint64_t((g * kInner + k) * kColumns + n), 9);
  };
  expect_on_all_rows(
      [&](Fusion& f, const RaggedInputs& in) {
        const Tensor w = f.input("w", {f.extent("G", 0), f.constant(kInner), f.constant(kColumns)},
                                 DataType::Float);
        f.output("y", grouped_matmul(in.x, w));
      },
      [&](const RowData& data) {
        ItemNumbers y;
        for (std::int64_t g = 0; g < data.count(); ++g) {
          for (std::int64_t j = 0; j < data.length(g); ++j) {
            for (std::int64_t n = 0; n < kColumns; ++n) {
              double sum = 0;
              for (std::int64_t k = 0; k < kInner; ++k) sum += data.at(g, j, k) * weight(g, k, n);
              y.push_back(sum);
            }
          }
        }
        return LoopOutputs{{"y", y}};
      },
      [&](RunRequest& request, const RowData& data) {
        ItemNumbers w;
        for (std::int64_t k = 0; k < data.count() * kInner * kColumns; ++k)
          w.push_back(weight(0, 0, k));
        request.inputs["w"] = row_array(DataType::Float, {data.count(), kInner, kColumns}, w);
      });
}

// Pointwise operations keep the rows of what they are given.
TEST(RaggedOps, PointwiseResultsHaveTheRowsOfTheirOperands) {
  expect_on_all_rows(
      [](Fusion& f, const RaggedInputs& in) {
        const Tensor soft = row_softmax(in.x * 2);
        const Tensor one = row_sum(soft);
        f.output("twice", row_sum(in.x + cast(in.x, DataType::Double)));
        f.output("one", one);
      },
      [](const RowData& data) {
        return LoopOutputs{
            {"twice", each_row(data, [](const ItemNumbers& n) { return 2 * total_of(n); })},
            {"one", each_row(data, [](const ItemNumbers& n) { return n.empty() ? 0.0 : 1.0; })}};
      },
      {}, 1e-4);
}

// As the header has it.
TEST(RaggedOps, TheExampleOfTheHeader) {
  Fusion f;
  const auto [V, D] = f.extents("V", "D");
  const Expr B = f.extent("B", 0);
  const RowsId bags = rows_of_lengths(f.input("lengths", {B}, DataType::Int32));
  const Tensor words = ragged_input(f, "words", bags, {}, DataType::Int64);
  const Tensor table = f.input("table", {V, D}, DataType::Float);
  f.output("means", embedding_bag(table, words, Reduction::Mean));
  f.output("first", to_padded(words, 16, -1));
  // Where the fusion is checked, what the lengths add up to is tested as well.
  EXPECT_EQ(check_rows(f, bags).size(), 1u);
  const Program program = proved_program(f, true);
  const RowData data({3, 0, 20, 1});
  ItemNumbers first;
  for (std::int64_t b = 0; b < data.count(); ++b) {
    for (std::int64_t j = 0; j < 16; ++j) {
      const auto p = std::size_t(data.begins[std::size_t(b)] + j);
      first.push_back(j < data.length(b) ? double(data.words[p]) : -1);
    }
  }
  const RunRequest request{
      .sizes = {{"V", 5}, {"D", 2}},
      .inputs = {{"lengths", row_array(DataType::Int32, {4}, as_numbers(data.lengths))},
                 {"words", row_array(DataType::Int64, {24}, as_numbers(data.words))}}};
  expect_outputs(f, program, request, {{"first", first}, {"lengths_offsets_contract", {1}}});
}

// Operations one behind the other: what is read at numbers from memory is stored before.
TEST(RaggedOps, ResultsGoIntoOtherOperations) {
  using Chain = void (*)(Fusion&, const RaggedInputs&);
  const Chain chains[] = {
      [](Fusion& f, const RaggedInputs& in) { f.output("y", to_padded(row_softmax(in.x), 5)); },
      [](Fusion& f, const RaggedInputs& in) {
        f.output("y", to_padded(exp(row_softmax(in.x)) + 1, 5));
      },
      [](Fusion& f, const RaggedInputs& in) {
        f.output("y", row_sum(row_softmax(concatenated(in.x, in.x))));
      },
      [](Fusion& f, const RaggedInputs& in) {
        f.output("y", concatenated(exp(in.x), row_softmax(in.x)));
      },
      [](Fusion& f, const RaggedInputs& in) {
        const Tensor w = f.input("w", {f.extent("G", 0), f.constant(kInner), f.constant(kColumns)},
                                 DataType::Float);
        f.output("y", grouped_matmul(row_softmax(in.x), w));
      },
      [](Fusion& f, const RaggedInputs& in) {
        const Tensor table = f.input("table", {f.extent("V"), f.extent("D")}, DataType::Float);
        f.output("y", embedding_bag(table, truncated(in.words, 2)));
        f.output("padded", to_padded(truncated(in.v, 3), 3, -1));
        check_rows(f, in.rows);
      },
  };
  for (const Chain chain : chains) {
    Fusion f;
    const RaggedInputs in(f, "", DataType::Int64, f.extent("B", 0));
    chain(f, in);
    const Program program = proved_program(f, true);
    for (const RowLengths& lengths : kLengthLists) {
      const RowData data(lengths);
      RunRequest request{.sizes = {{"B", data.count()}}};
      for (const auto& [name, value] : {std::pair("G", data.count()), {"V", 5}, {"D", 2}}) {
        if (f.facts()->find(f.pool().symbol(name)) != nullptr) request.sizes[name] = value;
      }
      for (const auto& [name, most] : {std::pair("words", 2), {"v", 3}}) {
        if (!f.find(std::string(name) + "_slice_offsets")) continue;
        std::int64_t& items = request.sizes[std::string(name) + "_slice_offsets_items"];
        for (std::int64_t n : lengths) items += std::min<std::int64_t>(n, most);
      }
      in.give(request, data);
      expect_outputs(f, program, request, {});
    }
  }
}

}  // namespace

}  // namespace selvage::test
