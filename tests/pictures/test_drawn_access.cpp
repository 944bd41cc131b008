// Figures worked out by hand.
#include <selvage/pictures/drawn_access.h>

#include <gtest/gtest.h>

#include "tests/pictures/drawings.h"

namespace selvage {
namespace {

using test::Inspected;

std::optional<DrawnAccess> store_of(const TensorReport& t) {
  PointStates states = PointStates::of(t.graph(), t.tensor(), t.analysis).value();
  return first_access(*t.schedule, t.analysis, states, size_of(t.tensor().type));
}
std::optional<DrawnAccess> load_of(const TensorReport& t) {
  const TensorAnalysis a = analyze(t.fusion(), *t.reading, t.analysis.tensor);
  PointStates states = PointStates::of(t.reading->graph(), t.tensor(), a).value();
  return first_access(*t.reading, a, states, size_of(t.tensor().type));
}
std::string drawn_tile(const std::string& type, const std::string& rest) {
  return "tensors: {T: {dtype: " + type + ", memory: shared, " + rest + "}}\n";
}

TEST(DrawnAccess, RowsOfATileOfFloatsAreFreeOfConflictsAndColumnsAreNot) {
  const Inspected i(drawn_tile("float",
                               "logical: {r: 32, c: 32}, bind: {c: TIDx}, "
                               "read: {loop: [c, r], bind: {r: TIDx}}"));
  EXPECT_EQ(store_of(i.tensor())->ways(), 1u);
  const DrawnAccess load = load_of(i.tensor()).value();
  EXPECT_EQ(load.ways(), 32u);
  EXPECT_EQ(load.banks[0][31].number, 31 * 32);
  EXPECT_EQ(load.banks[0][31].threads, std::vector<std::int64_t>{31});
  EXPECT_TRUE(load.banks[1].empty());
}

TEST(DrawnAccess, APitchOf33MakesColumnsFree) {
  const Inspected i(drawn_tile("float",
                               "logical: {r: 32, c: 32}, strides: [33, 1], bind: {c: TIDx}, "
                               "read: {loop: [c, r], bind: {r: TIDx}}"));
  EXPECT_EQ(store_of(i.tensor())->ways(), 1u);
  EXPECT_EQ(load_of(i.tensor())->ways(), 1u);
}

TEST(DrawnAccess, AnXorOfTheRowMakesColumnsFree) {
  const Inspected i(
      drawn_tile("float",
                 "logical: {r: 32, c: 32}, transforms: [{swizzle: {kind: xor, in: [r, c], "
                 "out: [x, y]}}], allocation: [x, y], bind: {y: TIDx}, "
                 "read: {loop: [c, r], bind: {r: TIDx}}"));
  EXPECT_EQ(store_of(i.tensor())->ways(), 1u);
  EXPECT_EQ(load_of(i.tensor())->ways(), 1u);
}

TEST(DrawnAccess, ThreadsThatWantOneWordShareIt) {
  const Inspected i(drawn_tile("half", "logical: {r: 2, c: 64}, bind: {c: TIDx}"));
  const DrawnAccess store = store_of(i.tensor()).value();
  EXPECT_EQ(store.ways(), 1u);
  EXPECT_EQ(store.banks[3][0].threads, (std::vector<std::int64_t>{6, 7}));
  EXPECT_TRUE(store.banks[16].empty());  // 32 threads want 16 words
}

TEST(DrawnAccess, SixteenBytesPerThreadComeInFourPhases) {
  const Inspected i(drawn_tile("float",
                               "logical: {r: 4, c: 128}, transforms: [{split: {in: c, factor: 4, "
                               "out: [o, v]}}], bind: {o: TIDx, v: Vectorize}"));
  const DrawnAccess store = store_of(i.tensor()).value();
  EXPECT_EQ(store.phases, 4);
  EXPECT_EQ(store.bytes, 16);
  EXPECT_EQ(store.ways(), 1u);
  EXPECT_EQ(store.banks[31][0].threads, std::vector<std::int64_t>{7});
}

TEST(DrawnAccess, EightBytesPerThreadComeInTwoPhases) {
  const Inspected i(drawn_tile("double", "logical: {r: 4, c: 64}, bind: {c: TIDx}"));
  const DrawnAccess store = store_of(i.tensor()).value();
  EXPECT_EQ(store.phases, 2);
  EXPECT_EQ(store.ways(), 1u);
  EXPECT_EQ(store.banks[31][0].threads, std::vector<std::int64_t>{15});
}

TEST(DrawnAccess, ThreadsAtAHoleDoNotAccess) {
  // Of the first tile only the last 3 indices are items; before that nothing is stored.
  const Inspected i(drawn_tile("float",
                               "logical: {c: 40}, transforms: [{resize: {in: c, left: 61, right: "
                               "0, out: p}}, {split: {in: p, factor: 32, out: [o, t]}}], "
                               "bind: {t: TIDx}"));
  const DrawnAccess store = store_of(i.tensor()).value();
  EXPECT_EQ(store.banks[0][0].threads, std::vector<std::int64_t>{29});  // p = 61, c = 0
  EXPECT_EQ(store.banks[2][0].threads, std::vector<std::int64_t>{31});
  EXPECT_TRUE(store.banks[3].empty());
}

TEST(DrawnAccess, WithoutThreadsThereIsNone) {
  EXPECT_FALSE(store_of(Inspected(drawn_tile("float", "logical: {c: 40}")).tensor()));
  EXPECT_FALSE(store_of(Inspected(drawn_tile("double",
                                             "logical: {r: 8, c: 4}, bind: {r: TIDx, c: "
                                             "Vectorize}"))
                            .tensor()));  // 32 bytes
}

}  // namespace
}  // namespace selvage
