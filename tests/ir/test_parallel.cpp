#include <selvage/ir/parallel.h>

#include <gtest/gtest.h>

#include <string>

namespace selvage {
namespace {

TEST(ParallelType, NamesAreReadBack) {
  std::string names;
  for (int i = 0; i <= int(ParallelType::Group); ++i) {
    const auto type = ParallelType(i);
    EXPECT_EQ(parse_parallel_type(to_string(type)), type);
    names += std::string(to_string(type)) + " ";
  }
  EXPECT_EQ(names,
            "Serial BIDx BIDy BIDz TIDx TIDy TIDz DIDx Vectorize Unroll Unswitch Bulk Group ");
  EXPECT_EQ(parse_parallel_type("bidx"), std::nullopt);
  EXPECT_EQ(parse_parallel_type(""), std::nullopt);
}

TEST(ParallelType, AxesOfBlocksAndThreads) {
  static_assert(is_block(ParallelType::BIDz) && !is_block(ParallelType::TIDx));
  static_assert(is_thread(ParallelType::TIDx) && !is_thread(ParallelType::DIDx));
  static_assert(axis(ParallelType::BIDx) == 0 && axis(ParallelType::BIDz) == 2);
  static_assert(axis(ParallelType::TIDx) == 0 && axis(ParallelType::TIDy) == 1);
}

}  // namespace
}  // namespace selvage
