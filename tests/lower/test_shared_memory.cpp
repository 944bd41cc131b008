// Which buffers may lie in the same bytes of a block's shared memory.
#include <selvage/lower/shared_memory.h>

#include <gtest/gtest.h>

#include "../kernel/verify_case.h"

namespace selvage {
namespace {

using namespace test;

constexpr std::int64_t kItems = 1'024;

struct SharedCase : VerifyCase {
  SharedCase() : VerifyCase(kItems) {
    a = shared("a", kItems);
    b = shared("b", kItems);
    y = output("y", DataType::Float, c(kItems));
  }
  Statement fill(BufferId x) { return put(x, tx, one()); }
  Statement use(BufferId x) { return put(y, tx, read(x, tx)); }
  Expr steps(const std::string& name) { return variable(name, c(4)); }
  bool share(Body body) {
    with(std::move(body));
    place_shared_memory(kernel);
    return kernel.buffers[a].offset && kernel.buffers[a].offset == kernel.buffers[b].offset;
  }
  BufferId a, b, y;
};

TEST(SharedMemory, IsSharedByThoseThatAreNeverThereTogether) {
  SharedCase apart, together;
  EXPECT_TRUE(apart.share(
      {apart.fill(apart.a), apart.use(apart.a), apart.fill(apart.b), apart.use(apart.b)}));
  EXPECT_FALSE(together.share({together.fill(together.a), together.fill(together.b),
                               together.use(together.a), together.use(together.b)}));
}

// One ends in the loop in which the other begins: its next iteration reads the first again.
TEST(SharedMemory, IsNotSharedByThoseThatTouchInOneLoop) {
  SharedCase x;
  EXPECT_FALSE(
      x.share({x.fill(x.a), loop(x.steps("k"), x.c(4), {x.use(x.a), x.fill(x.b)}), x.use(x.b)}));
}

}  // namespace
}  // namespace selvage
