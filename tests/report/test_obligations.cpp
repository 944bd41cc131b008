#include <selvage/expr/text.h>
#include <selvage/frontend/schedule_file.h>
#include <selvage/report/obligations.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace selvage {
namespace {

// What is to hold where an element is stored is asked in this order: what the guards test, and then
// the rest, with that known.
TEST(Obligations, OfAStoreTheChecksThatStayAreAskedFirst) {
  const ScheduleFile file = read_schedule_text(
      "tensors: {T: {dtype: float, logical: {a: 15, b: 10}, transforms: [{split: {in: a, factor: "
      "4, "
      "out: [ao, ai]}}, {split: {in: b, factor: 4, out: [bo, bi]}}]}}",
      "test.yaml");
  const Report report = inspect(file);
  const auto all = obligations_of(report.tensors.at(0), report.fusions.at(0));
  const auto store =
      std::ranges::find(all, Confirmation::Of::Store, [](const Obligation& o) { return o.of; });
  ASSERT_NE(store, all.end());
  ASSERT_EQ(store->questions.size(), 6u);
  const std::string checks[] = {"0 <= ao * 4 + ai && ao * 4 + ai < 15",
                                "0 <= bo * 4 + bi && bo * 4 + bi < 10"};
  for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(to_string(store->questions[k].claim), checks[k]);
  const std::vector<Expr>& known = store->questions[2].under;
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(to_string(known.at(known.size() - 2 + k)), checks[k]);
  }
}

}  // namespace
}  // namespace selvage
