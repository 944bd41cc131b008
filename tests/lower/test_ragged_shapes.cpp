// Operations that make other rows, or rows of other items, scheduled automatically and proved,
// beside plain loops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tests/lower/ragged_rows.h>
#include <tests/support/refusal.h>

namespace selvage::test {

namespace {

TEST(RaggedShapes, PaddedRowsAreCutOrFilled) {
  constexpr std::int64_t kWidth = 4;
  const auto padded = [](const RowData& data) {
    ItemNumbers made;
    for (std::int64_t b = 0; b < data.count(); ++b) {
      for (std::int64_t j = 0; j < kWidth; ++j) {
        for (std::int64_t d = 0; d < kInner; ++d)
          made.push_back(j < data.length(b) ? data.at(b, j, d) : -1.5);
      }
    }
    return made;
  };
  const auto back = [](const RowData& data) {
    ItemNumbers made;
    for (std::int64_t b = 0; b < data.count(); ++b) {
      for (std::int64_t j = 0; j < data.length(b); ++j) {
        for (std::int64_t d = 0; d < kInner; ++d) made.push_back(j < kWidth ? data.at(b, j, d) : 0);
      }
    }
    return made;
  };
  expect_on_all_rows(
      [&](Fusion& f, const RaggedInputs& in) {
        f.output("padded", to_padded(in.x, kWidth, -1.5));
        f.output("filled",
                 to_padded(in.v, f.constant(kWidth), f.input("fill", {}, DataType::Int32)));
      },
      [&](const RowData& data) {
        ItemNumbers filled;
        for (std::int64_t b = 0; b < data.count(); ++b) {
          for (std::int64_t j = 0; j < kWidth; ++j) {
            const auto p = std::size_t(data.begins[std::size_t(b)] + j);
            filled.push_back(j < data.length(b) ? data.v[p] : 77);
          }
        }
        return LoopOutputs{{"padded", padded(data)}, {"filled", filled}};
      },
      [](RunRequest& request, const RowData&) {
        request.inputs["fill"] = row_array(DataType::Int32, {}, {77});
      });
  expect_on_all_rows(
      [&](Fusion& f, const RaggedInputs& in) {
        const Tensor p =
            f.input("p", {f.extent("B_p", 0), f.extent("W"), f.constant(kInner)}, DataType::Float);
        f.output("back", from_padded(p, in.rows));
      },
      [&](const RowData& data) {
        return LoopOutputs{{"back", back(data)}};
      },
      [&](RunRequest& request, const RowData& data) {
        request.inputs["p"] =
            row_array(DataType::Float, {data.count(), kWidth, kInner}, padded(data));
      });
}

// Each in a kernel of its own, as the padded tensor is read at numbers.
TEST(RaggedShapes, PaddedRowsComeBackInOneFusion) {
  Fusion f;
  const RaggedInputs in(f, "", DataType::Int64, f.extent("B", 0));
  const Tensor made = f.output("padded", to_padded(in.x, 16));
  f.output("back", from_padded(made, in.rows));
  const Program program = lower(Schedule(f));
  expect_verified(program);
  EXPECT_NO_THROW(check_proved(prove(program.steps), false));
  const RowData data(kLengthLists[0]);
  RunRequest request{.sizes = {{"B", data.count()}}};
  in.give(request, data);
  expect_outputs(f, program, request, {{"back", data.x}});
}

TEST(RaggedShapes, RowsOfLengths) {
  for (const DataType type : {DataType::Int32, DataType::UInt16, DataType::Int64}) {
    Fusion f;
    const Tensor lengths = f.input("lengths", {f.extent("B", 0)}, type);
    const RowsId rows = rows_of_lengths(lengths);
    const Tensor x = ragged_input(f, "x", rows, {f.constant(kInner)}, DataType::Float);
    f.output("sum", row_sum(x));
    const Program program = proved_program(f, true);
    for (const RowLengths& own : kLengthLists) {
      SCOPED_TRACE(testing::PrintToString(own.size()) + " rows");
      const RowData data(own);
      const RunRequest request{
          .sizes = {{"B", data.count()}},
          .inputs = {{"lengths", row_array(type, {data.count()}, as_numbers(own))},
                     {"x", row_array(DataType::Float, {data.items(), kInner}, data.x)}}};
      expect_outputs(
          f, program, request,
          {{"lengths_offsets", as_numbers(data.begins)}, {"sum", each_row(data, total_of)}});
    }
  }
}

TEST(RaggedShapes, ConcatenatedRows) {
  for (const DataType offsets : {DataType::Int64, DataType::Int32}) {
    Fusion f;
    const Expr count = f.extent("B", 0), other = f.extent("C", 0);
    const RaggedInputs a(f, "a", offsets, count), b(f, "b", DataType::Int64, other);
    const Tensor both = f.output("both", concatenated(a.x, b.x));
    f.output("sum", row_sum(both));
    // A common type.
    f.output("mixed", concatenated(b.words, a.v));
    const Program program = proved_program(f);
    for (const RowLengths& own : kLengthLists) {
      for (const bool is_other_empty : {false, true}) {
        SCOPED_TRACE(testing::PrintToString(own.size()) + " rows");
        RowLengths of_b(own.rbegin(), own.rend());
        if (is_other_empty) std::ranges::fill(of_b, 0);
        const RowData da(own), db(of_b, 3);
        ItemNumbers wanted, begins = {0}, sums, mixed;
        for (std::int64_t r = 0; r < da.count(); ++r) {
          ItemNumbers sum(kInner, 0);
          for (const RowData* data : {&da, &db}) {
            for (std::int64_t j = 0; j < data->length(r); ++j) {
              for (std::int64_t d = 0; d < kInner; ++d) {
                wanted.push_back(data->at(r, j, d));
                sum[std::size_t(d)] += wanted.back();
              }
            }
          }
          const auto of = [](const auto& numbers, const RowData& data, std::int64_t row) {
            const auto first = numbers.begin() + data.begins[std::size_t(row)];
            return ItemNumbers(first, first + data.length(row));
          };
          for (double n : of(db.words, db, r)) mixed.push_back(n);
          for (double n : of(da.v, da, r)) mixed.push_back(n);
          sums.insert(sums.end(), sum.begin(), sum.end());
          begins.push_back(begins.back() + double(da.length(r) + db.length(r)));
        }
        RunRequest request{.sizes = {{"B", da.count()}, {"C", db.count()}}};
        a.give(request, da);
        b.give(request, db);
        expect_outputs(
            f, program, request,
            {{"both", wanted}, {"xa_xb_offsets", begins}, {"sum", sums}, {"mixed", mixed}});
      }
    }
  }
}

TEST(RaggedShapes, SlicedRows) {
  constexpr std::int64_t kCuts[][2] = {{0, 2}, {1, 5}, {2, 2}, {0, 1000}};
  for (const auto& [first, end] : kCuts) {
    SCOPED_TRACE(first);
    const auto left = [&](std::int64_t n) {
      return std::clamp<std::int64_t>(n - first, 0, end - first);
    };
    const auto begins_of = [&](const RowData& data) {
      RowLengths begins = {0};
      for (std::int64_t n : data.lengths) begins.push_back(begins.back() + left(n));
      return begins;
    };
    expect_on_all_rows(
        [&](Fusion& f, const RaggedInputs& in) {
          const Tensor cut =
              f.output("cut", first == 0 ? truncated(in.x, end) : sliced(in.x, first, end));
          f.output("sum", row_sum(cut));
        },
        [&](const RowData& data) {
          ItemNumbers cut, sums;
          for (std::int64_t b = 0; b < data.count(); ++b) {
            ItemNumbers sum(kInner, 0);
            for (std::int64_t j = first; j < first + left(data.length(b)); ++j) {
              for (std::int64_t d = 0; d < kInner; ++d) {
                cut.push_back(data.at(b, j, d));
                sum[std::size_t(d)] += cut.back();
              }
            }
            sums.insert(sums.end(), sum.begin(), sum.end());
          }
          return LoopOutputs{
              {"cut", cut}, {"x_slice_offsets", as_numbers(begins_of(data))}, {"sum", sums}};
        },
        [&](RunRequest& request, const RowData& data) {
          request.sizes["x_slice_offsets_items"] = begins_of(data).back();
        },
        0, true);
  }
}

// Two inputs of offsets that are equal, and two that differ.
TEST(RaggedShapes, EqualOffsetsAreTestedAndThenOneTensorHasTheRowsOfTheOther) {
  for (const bool is_checked : {false, true}) {
    Fusion f;
    f.set_checked(is_checked);
    const Expr count = f.extent("B", 0), other = f.extent("C", 0);
    const RaggedInputs a(f, "a", DataType::Int64, count), b(f, "b", DataType::Int32, other);
    check_same_rows(f, a.rows, b.rows);
    f.output("y", a.x + as_rows(b.x, a.rows));
    f.output("sum", row_sum(as_rows(b.x, a.rows)));
    const Program program = proved_program(f);
    const auto request_for = [&](const RowData& da, const RowData& db) {
      RunRequest request{.sizes = {{"B", da.count()}, {"C", db.count()}}};
      a.give(request, da);
      b.give(request, db);
      return request;
    };
    for (const RowLengths& lengths : kLengthLists) {
      const RowData da(lengths), db(lengths, 3);
      ItemNumbers y;
      for (std::size_t k = 0; k < da.x.size(); ++k) y.push_back(da.x[k] + db.x[k]);
      expect_outputs(f, program, request_for(da, db),
                     {{"y", y}, {"sum", each_row(db, total_of)}, {"offa_offb_same", {1}}});
    }
    RunRequest request = request_for(RowData({2, 3, 1}), RowData({2, 2, 2}));
    request.on = Machine::Emulate;
    request.on_all = true;
    const RunResult result = run(f, program, request);
    EXPECT_EQ(result.outputs.at("offa_offb_same").get(0), 0);
    EXPECT_EQ(result.faults.empty(), !is_checked);
    if (is_checked) {
      EXPECT_THAT(result.faults[0], testing::HasSubstr("offa_offb_same fails at k = 2"));
      EXPECT_THAT(result.faults[0], testing::HasSubstr("both have the same rows"));
    }
    // Other numbers of rows, or of items, are refused before anything runs.
    EXPECT_THAT(error_of([&] {
                  run(f, program, request_for(RowData({2, 3}), RowData({2, 2, 1})));
                }),
                testing::HasSubstr("error[E615]"));
    EXPECT_THAT(error_of([&] {
                  run(f, program, request_for(RowData({2, 3}), RowData({2, 2})));
                }),
                testing::HasSubstr("error[E615]"));
  }
}

// Data that break what offsets promise: what is read and stored is still within its array.
TEST(RaggedShapes, BrokenOffsetsStayWithinBounds) {
  Fusion f;
  const Expr count = f.extent("B", 0);
  const RaggedInputs in(f, "", DataType::Int64, count);
  f.output("padded", to_padded(in.x, 4));
  f.output("back", from_padded(f.input("p", {count, f.constant(4)}, DataType::Float), in.rows));
  f.output("both", concatenated(in.x, in.x));
  f.output("cut", truncated(in.x, 2));
  f.output("mean", row_mean(in.x));
  const Program program = proved_program(f, true);
  const RowLengths broken[] = {
      {0, 5, 3, 9, 12}, {-4, 2, 900, 7, 12}, {12, 9, 6, 3, 0}, {INT64_MIN, INT64_MAX, 0, 1, 99}};
  for (const RowLengths& offsets : broken) {
    Array own(DataType::Int64, {5});
    for (std::size_t k = 0; k < 5; ++k) own.set_int(std::int64_t(k), offsets[k]);
    const RunRequest request{.sizes = {{"B", 4}, {"off_items", 12}, {"x_slice_offsets_items", 6}},
                             .inputs = {{"off", own}},
                             .on = Machine::Emulate,
                             .trusts_offsets = true};
    EXPECT_EQ(run(f, program, request).faults, std::vector<std::string>());
  }
}

// Each tile is of one row, and none is missing, whatever the lengths; no offsets are needed to know
// how many there can be.
TEST(RaggedShapes, TilesOfRows) {
  for (const std::int64_t size : {1, 4, 16}) {
    expect_on_all_rows(
        [&](Fusion& f, const RaggedInputs& in) {
          const TileMap tiles = row_tiles(f, in.rows, size);
          f.output("rows", tiles.rows);
          f.output("begins", tiles.begins);
        },
        [&](const RowData& data) {
          ItemNumbers rows, begins;
          for (std::int64_t b = 0; b < data.count(); ++b) {
            for (std::int64_t j = 0; j < data.length(b); j += size) {
              rows.push_back(double(b));
              begins.push_back(double(data.begins[std::size_t(b)] + j));
            }
          }
          const std::int64_t n = data.count(), items = data.items();
          const auto bound = std::size_t(items >= n ? n + (items - n) / size : items);
          EXPECT_LE(rows.size(), bound);
          rows.resize(bound, -1);
          begins.resize(bound, double(items));
          return LoopOutputs{{"rows", rows}, {"begins", begins}};
        },
        {}, 0, true);
  }
}

}  // namespace

}  // namespace selvage::test
