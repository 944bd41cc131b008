// The text of what combines an element with a value at once for all threads; of the GPU's branch
// nothing else is seen without one.
#include <selvage/codegen/atomics.h>
#include <selvage/codegen/helpers.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace selvage {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string text(Function f, DataType type) {
  Helpers helpers;
  return atomic_definition(f, type, helpers);
}

TEST(Atomics, AreTheGpusOwnOfTheSameFunction) {
  EXPECT_THAT(text(Function::Add, DataType::Int32), HasSubstr("atomicAdd(p, v)"));
  EXPECT_THAT(text(Function::Min, DataType::Int32), HasSubstr("atomicMin(p, v)"));
  EXPECT_THAT(text(Function::Max, DataType::Int32), HasSubstr("atomicMax(p, v)"));
  EXPECT_THAT(text(Function::Min, DataType::Int64), HasSubstr("atomicMin((long long*)p"));
  EXPECT_THAT(text(Function::Max, DataType::Int64), HasSubstr("atomicMax((long long*)p"));
  EXPECT_THAT(text(Function::Add, DataType::Float), HasSubstr("atomicAdd(p, v)"));
}

TEST(Atomics, CompareAndSwapWhereTheGpuHasNone) {
  for (const Function f : {Function::Min, Function::Max}) {
    for (const DataType type : {DataType::Float, DataType::Half, DataType::Int8}) {
      EXPECT_THAT(text(f, type), HasSubstr("atomicCAS")) << to_string(type);
      EXPECT_THAT(text(f, type), Not(HasSubstr("atomicM"))) << to_string(type);
    }
  }
}

}  // namespace
}  // namespace selvage
