// Loads in subscripts of statements, by the reference interpreter beside plain loops.
#include <selvage/emulate/reference.h>
#include <selvage/frontend/schedule_writer.h>
#include <selvage/lower/program.h>
#include <tests/frontend/schedule_files.h>
#include <tests/support/refusal.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace selvage {
namespace {

using namespace schedule_files;
using IntegerList = std::vector<std::int64_t>;

Array integers(DataType type, std::vector<std::int64_t> shape, const IntegerList& items) {
  Array array(type, std::move(shape));
  for (std::size_t k = 0; k < items.size(); ++k) array.set_int(std::int64_t(k), items[k]);
  return array;
}
IntegerList items(const Array& array) {
  IntegerList list;
  for (std::int64_t k = 0; k < array.size(); ++k) list.push_back(array.get_int(k));
  return list;
}

const std::string kInputs =
    "inputs:\n  x: {shape: [V, D], dtype: int32}\n  idx: {shape: [N], dtype: int64}\n"
    "  byte: {shape: [N], dtype: uint8}\n  next: {shape: [N], dtype: int32}\ncompute:\n  - ";

// x[3, 2] = 0 1 / 10 11 / 20 21.
IntegerList of(const std::string& statement, const IntegerList& idx) {
  const auto n = std::int64_t(idx.size());
  const ScheduleFile file = read(kInputs + statement + "\n");
  IntegerList bytes, next;
  for (std::int64_t k = 0; k < n; ++k) {
    bytes.push_back(k % 3);
    next.push_back((k + 1) % n);
  }
  return items(run_reference(*file.fusion, {{"V", 3}, {"D", 2}, {"N", n}},
                             {{"x", integers(DataType::Int32, {3, 2}, {0, 1, 10, 11, 20, 21})},
                              {"idx", integers(DataType::Int64, {n}, idx)},
                              {"byte", integers(DataType::UInt8, {n}, bytes)},
                              {"next", integers(DataType::Int32, {n}, next)}})
                   .at(0));
}

TEST(GatherFiles, EachModeSaysWhatIsReadOutOfBounds) {
  const IntegerList hostile = {1, 3, -1, INT64_MIN, INT64_MAX};
  EXPECT_EQ(of("y[n] = x[clamped(idx[n]), 0]", hostile), (IntegerList{10, 20, 0, 0, 20}));
  EXPECT_EQ(of("y[n] = x[safe(idx[n]), 0]", hostile), (IntegerList{10, 0, 0, 0, 0}));
  EXPECT_EQ(of("y[n] = safe(x[idx[n], 0])", hostile), (IntegerList{10, 0, 0, 0, 0}));
  EXPECT_EQ(of("y[n] = fill(x[idx[n], 1], -7)", hostile), (IntegerList{11, -7, -7, -7, -7}));
  EXPECT_EQ(of("y[n] = x[unchecked(idx[n]), 1]", {2, 0}), (IntegerList{21, 1}));
}

TEST(GatherFiles, SubscriptsMayComputeWithLoads) {
  EXPECT_EQ(of("y[n] = x[clamped(idx[n] + 1), 0]", {0, 1, -1, -2}), (IntegerList{10, 20, 0, 0}));
  EXPECT_EQ(of("y[n] = x[unchecked(idx[n] % 3), 0]", {4, -1}), (IntegerList{10, 20}));
  EXPECT_EQ(of("y[n] = x[clamped(2 * idx[n] - n), safe(idx[n] // 2)]", {1, 1, 2}),
            (IntegerList{20, 10, 21}));
}

TEST(GatherFiles, LoadsMayStandInLoads) {
  EXPECT_EQ(of("y[n] = x[unchecked(idx[unchecked(next[n])]), 0]", {0, 1, 2}),
            (IntegerList{10, 20, 0}));
  EXPECT_EQ(of("y[n] = x[safe(idx[safe(next[n] + 1)]), 0]", {1, 1, 2}), (IntegerList{20, 0, 10}));
}

TEST(GatherFiles, FoldsOverIndicesOfLoads) {
  EXPECT_EQ(of("y[d] = sum[n](x[clamped(idx[n]), d])", {0, 2, 2}), (IntegerList{40, 43}));
  EXPECT_EQ(of("y[n] = sum(x[clamped(idx[n]), d])", {0, 2}), (IntegerList{1, 41}));
}

// The index of an axis that may be left, beside one that must be proved to stay.
TEST(GatherFiles, SafeIsSaidOfOneAxis) {
  EXPECT_EQ(of("y[n, d] = x[safe(idx[n]), d]", {1, 3}), (IntegerList{10, 11, 0, 0}));
  const ScheduleFile file = read(kInputs + "y[n, d] = x[safe(idx[n]), 2 * d] + x[0, d]\n");
  EXPECT_EQ(refusal_by<Illegal>([&] { lower(*file.fusion, *file.schedule); }).substr(0, 21),
            "selvage: error[E440]:");
}

TEST(GatherFiles, WithoutAModeTheTypeMustRuleItOut) {
  const auto lowered = [](const std::string& statement, const std::string& symbols) {
    const ScheduleFile file =
        read("symbols: {V: " + symbols + "}\n" + kInputs + statement + "\nschedule: none\n");
    return refusal_by<Illegal>([&] { lower(*file.fusion, *file.schedule); });
  };
  EXPECT_EQ(lowered("y[n, d] = x[byte[n], d]", "{min: 256}"), "accepted");
  EXPECT_EQ(lowered("y[n, d] = x[byte[n], d]", "{min: 255}"),
            "selvage: error[E440]: y reads x at byte[n] on axis 0, which is "
            "not proved to lie within its extent V; it is out of bounds at V = 255, D = 1, N = 1, "
            "n = 0, d = 0, byte[n] = 255; help: read at "
            "clamped(byte[n]), or at unchecked(byte[n]) if that is never out of bounds; or read "
            "fill(x[byte[n], d], 0), which is 0 out of bounds");
  EXPECT_EQ(lowered("y[n, d] = x[idx[n], d]", "{}"),
            "selvage: error[E440]: y reads x at idx[n] on axis 0, which is "
            "not proved to lie within its extent V; it is out of bounds at V = 1, D = 1, N = 1, "
            "n = 0, d = 0, idx[n] = -4; help: read at "
            "clamped(idx[n]), or at unchecked(idx[n]) if that is never out of bounds; or read "
            "fill(x[idx[n], d], 0), which is 0 out of bounds");
  EXPECT_EQ(lowered("y[n, d] = x[clamped(idx[n]), d]", "{}"), "accepted");
}

// What is written is read as the same program.
TEST(GatherFiles, AreWrittenAndReadAgain) {
  for (const char* statement :
       {"y[n, d] = x[clamped(idx[n]), d]", "y[n, d] = x[unchecked(idx[n]), d]",
        "y[n, d] = x[byte[n], d]", "y[n, d] = x[safe(idx[n]), d]", "y[n] = fill(x[idx[n], 0], -7)",
        "y[n] = x[unchecked(idx[unchecked(next[n])]), 0]",
        "y[d] = sum[n](x[clamped(idx[n]), d])"}) {
    const ScheduleFile file = read("symbols: {V: {min: 256}}\n" + kInputs + statement + "\n");
    const std::string text = to_schedule_file(*file.fusion, *file.schedule);
    const ScheduleFile again = read(text);
    EXPECT_EQ(to_schedule_file(*again.fusion, *again.schedule), text);
    const auto result = [](const ScheduleFile& f) {
      const IntegerList idx = {0, 255, 256, -1};
      Array x(DataType::Int32, {256, 2});
      for (std::int64_t k = 0; k < x.size(); ++k) x.set_int(k, k);
      std::map<std::string, Array> all = {{"x", x},
                                          {"idx", integers(DataType::Int64, {4}, idx)},
                                          {"byte", integers(DataType::UInt8, {4}, {0, 255, 3, 9})},
                                          {"next", integers(DataType::Int32, {4}, {1, 0, 1, 0})}};
      std::erase_if(all, [&](const auto& a) { return !f.fusion->find(a.first); });
      try {
        return items(run_reference(*f.fusion, {{"V", 256}, {"D", 2}, {"N", 4}}, all).at(0));
      } catch (const BadInput& e) {
        return IntegerList{std::int64_t(std::hash<std::string>()(e.diagnostic().message))};
      }
    };
    EXPECT_EQ(result(again), result(file)) << text;
  }
}

TEST(GatherFiles, ThreadProgramsRefuseThem) {
  EXPECT_NE(refusal("arrays: {A: {shape: [6], dtype: int32}, B: {shape: [6], dtype: int32}}\n"
                    "parallel: [{p: 6}]\nbody:\n  - do: [\"A[B[p]] = 1\"]\n")
                .find("error[E390]: a load in a subscript, B[...], is not supported yet"),
            std::string::npos);
}

}  // namespace
}  // namespace selvage
