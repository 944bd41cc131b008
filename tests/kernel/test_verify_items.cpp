// What a kernel says of its items, and of who stores them, is proved before it counts.
#include <gtest/gtest.h>

#include "tests/kernel/verify_case.h"

namespace selvage {
namespace {

using namespace test;

// Eight threads, each of which stores an element of y.
struct ItemCase : VerifyCase {
  ItemCase() : VerifyCase(8), y(output("y", DataType::Float, c(8))) {}
  // y[address] is said to be the item of these indices, which the thread `owner` stores.
  Verified stored(std::vector<Buffer::Axis> axes, Expr address, std::vector<Expr> indices,
                  Expr owner) {
    kernel.buffers[y].axes = std::move(axes);
    Item item{std::move(indices)};
    for (Expr& each : item.owner) each = c(0);
    item.owner[3] = owner;
    kernel.items.add(y, address, std::move(item));
    return verified({put(y, address, one())});
  }
  BufferId y;
  Expr item_0 = pool->symbol("item.0"), item_1 = pool->symbol("item.1");
};

TEST(VerifyItems, AnItemIsOfTheThreadThatStoresIt) {
  ItemCase own, half;
  EXPECT_EQ(findings(own.stored({{own.c(1), own.c(8)}}, own.tx, {own.tx}, own.item_0)), "");
  const Expr place = half.tx / 2;
  const auto v = half.stored({{half.c(1), half.c(4)}}, place, {place}, half.item_0 * 2);
  EXPECT_TRUE(is_refuted(v.of(Hazard::Race))) << findings(v);
}

TEST(VerifyItems, TwoItemsMayLieAtOnePlace) {
  const auto rows = [](std::int64_t apart) {
    ItemCase k;
    const Expr row = k.tx / 4, column = k.tx % 4;
    return k.stored({{k.c(apart), k.c(2)}, {k.c(1), k.c(4)}}, row * apart + column, {row, column},
                    k.item_0 * 4 + k.item_1);
  };
  EXPECT_EQ(findings(rows(4)), "");
  EXPECT_TRUE(is_refuted(rows(1).of(Hazard::Race)));
}

// Where its indices are inside of their extents, whatever the strides.
TEST(VerifyItems, AnItemIsInsideOfItsTensor) {
  const auto rows = [](std::int64_t all) {
    ItemCase k;
    const Expr S = k.size("S"), T = k.size("T");
    const Expr row = (k.tx / 4) ^ (k.tx % 2), column = k.tx % 4;
    k.kernel.buffers[k.y].elements = S * (all - 1) + T * 3 + 1;
    const auto v = k.stored({{S, k.c(all)}, {T, k.c(4)}}, row * S + column * T, {row, column}, {});
    return first_text(v, Hazard::Bounds);
  };
  EXPECT_EQ(rows(2), "proved");
  EXPECT_NE(rows(1), "proved");
}

// Axis by axis, where the address as a whole is more than a proof gets along with.
TEST(VerifyItems, AnItemOfManyAxesIsInside) {
  ItemCase k;
  std::vector<Buffer::Axis> axes;
  std::vector<Expr> indices;
  Expr address = k.c(0), last = k.c(0);
  for (int n = 0; n < 8; ++n) {
    const std::string number = std::to_string(n);
    axes.push_back({k.size("stride" + number), k.size("extent" + number)});
    indices.push_back((k.tx + n) % axes.back().extent);
    address = address + indices.back() * axes.back().stride;
    last = last + (axes.back().extent - 1) * axes.back().stride;
  }
  k.kernel.buffers[k.y].elements = last + 1;
  EXPECT_EQ(first_text(k.stored(axes, address, indices, {}), Hazard::Bounds), "proved");
  k.kernel.buffers[k.y].elements = last;
  EXPECT_NE(first_text(k.stored(axes, address, indices, {}), Hazard::Bounds), "proved");
}

}  // namespace
}  // namespace selvage
