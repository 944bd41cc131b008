// What a run refuses of the data that it is given.
#include <selvage/base/diagnostic.h>
#include <selvage/base/stored_arrays.h>
#include <selvage/driver/run.h>
#include <selvage/lower/program.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/frontend/schedule_files.h"

namespace selvage {

namespace {

using testing::HasSubstr;

// A value that is NaN is refused with its row, unless the file says that it is meant; one of a
// dense matrix only if the file says that there is none.
TEST(Contracts, ValuesThatAreNanAreRefusedUnlessTheyAreMeant) {
  const CoordinateMatrix matrix{4, 5, {0, 1, 1, 2, 3}, {4, 0, 3, 2, 1}, {1, 2, NAN, 4, 5}};
  const auto said = [&](const std::string& format, const std::string& keys, bool in_dense = false) {
    const ScheduleFile file = schedule_files::read(
        "inputs:\n  A: {shape: [I, J], dtype: float, format: \"" + format + "\"" + keys +
        "}\n  B: {shape: [J], dtype: float" + (in_dense ? keys : "") +
        "}\ncompute: [\"Z[i] = sum[j](A[i, j] * B[j])\"]\n");
    EXPECT_TRUE(file.illegal.empty()) << to_text(file.illegal);
    RunRequest request{.sizes = {{"I", 4}, {"J", 5}}, .on = Machine::Emulate};
    if (!in_dense) {
      request.inputs =
          arrays_of(stored(matrix, *storage_format(format)), "A", DataType::Float, DataType::Int32);
    } else {
      request.sizes["A_items"] = 7;
      request.inputs["B"] = Array(DataType::Float, {5});
      request.inputs["B"].set(3, NAN);
    }
    try {
      EXPECT_TRUE(run(*file.fusion, lower(*file.schedule), request).passed());
    } catch (const BadInput& refused) {
      return to_text(refused.diagnostic());
    }
    return std::string();
  };
  const std::pair<const char*, const char*> formats[] = {
      {"csr", "A[2] is NaN, in row 1;"},
      {"coo", "A[2] is NaN, in row 1;"},
      {"ell", "A[1, 1] is NaN;"},
      {"dia", "A[3, 1] is NaN;"},
      {"sell(2)", "A[1, 1] is NaN, in row 0 of A_offsets;"},
      {"bcsr(2, 2)", "A[1, 1, 1] is NaN, in row 0 of A_offsets;"}};
  for (const auto& [format, says] : formats) {
    EXPECT_THAT(said(format, ""), HasSubstr(std::string("error[E634]: ") + says)) << format;
    EXPECT_THAT(said(format, ", nan: false"), HasSubstr(says));
    EXPECT_EQ(said(format, ", nan: true"), "") << format;
  }
  EXPECT_EQ(said("csr", ", nan: true", true), "");
  EXPECT_THAT(said("csr", ", nan: false", true), HasSubstr("error[E634]: B[3] is NaN; help: "));
}

}  // namespace

}  // namespace selvage
