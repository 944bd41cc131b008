// Degrees against figures counted by hand and against enumeration; what is said of conflicts, and
// that the advice mends them.
#include <selvage/base/random.h>
#include <selvage/expr/text.h>

#include <gtest/gtest.h>

#include <bit>

#include "tests/legality/bank_case.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

// Stored row by row, read column by column.
std::string transpose(std::int64_t rows, std::int64_t columns, const std::string& dtype = "float",
                      const std::string& layout = "") {
  return "    dtype: " + dtype + "\n    logical: {row: " + std::to_string(rows) +
         ", column: " + std::to_string(columns) + "}\n" + layout +
         "    loop: [row, column]\n"
         "    bind: {column: TIDx}\n"
         "    read: {loop: [column, row], bind: {row: TIDx}}\n";
}

TEST(BankConflicts, AColumnOfA32By32FloatTileIs32Way) {
  const BankCase k(transpose(32, 32));
  const BankConflicts banks = k.banks();
  EXPECT_EQ(banks.store.degree, 1);
  EXPECT_EQ(banks.load.degree, 32);
  EXPECT_EQ(banks.ways, 32);
  EXPECT_EQ(banks.load.by, "rank over GF(2)");
  ASSERT_TRUE(banks.load.collision.has_value());
  const BankCollision& c = *banks.load.collision;
  EXPECT_EQ(c.warp, 0);
  EXPECT_EQ(c.phase, 0);
  EXPECT_EQ(c.bank, 0);
  ASSERT_EQ(c.threads.size(), 32u);
  EXPECT_EQ(c.threads[3].number, 3);
  EXPECT_EQ(c.threads[3].word, 96);
  EXPECT_EQ(c.threads[3].point[1].second, 3);  // column = 0, row = 3
}

TEST(BankConflicts, APitchOf33IsFree) {
  const BankCase k(transpose(32, 32, "float", "    strides: [33, 1]\n"));
  EXPECT_EQ(k.banks().ways, 1);
  EXPECT_EQ(k.banks().load.by, "rank over GF(2)");  // row * 33 carries nowhere
  EXPECT_TRUE(is_proved(k.banks().finding.verdict));
  EXPECT_FALSE(k.banks().advice.has_value());
}

TEST(BankConflicts, PitchesThatAreNoPowersOfTwo) {
  const BankCase even(transpose(32, 32, "float", "    strides: [34, 1]\n"));
  EXPECT_EQ(even.load(), 2);
  EXPECT_EQ(even.banks().load.by, "exact enumeration");
  EXPECT_EQ(BankCase(transpose(32, 32, "float", "    strides: [36, 1]\n")).load(), 4);
  EXPECT_EQ(BankCase(transpose(32, 32, "float", "    strides: [48, 1]\n")).load(), 16);
}

TEST(BankConflicts, RowsOfFourFloatsGoInFourPhases) {
  const std::string tile =
      "    dtype: float\n    logical: {row: 32, column: 32}\n"
      "    transforms: [{split: {in: column, factor: 4, out: [c, v]}}]\n";
  // A row is 8 vectors: a phase.
  EXPECT_EQ(BankCase(tile + "    loop: [row, c, v]\n    bind: {row: TIDy, c: TIDx, v: Vectorize}\n")
                .store(),
            1);
  // Down a column of vectors, all 8 of a phase meet.
  const BankCase down(tile + "    loop: [c, row, v]\n    bind: {row: TIDx, v: Vectorize}\n");
  EXPECT_EQ(down.store(), 8);
  EXPECT_EQ(down.counted_store(), 8);
}

TEST(BankConflicts, DoublesGoInTwoPhases) {
  const BankCase row("    dtype: double\n    logical: {x: 64}\n    bind: {x: TIDx}\n");
  EXPECT_EQ(row.store(), 1);
  const BankCase column(
      "    dtype: double\n    logical: {r: 32, c: 32}\n    loop: [c, r]\n    bind: {r: TIDx}\n");
  EXPECT_EQ(column.store(), 16);
}

TEST(BankConflicts, HalvesOfOneWordDoNotConflict) {
  const BankCase row("    dtype: half\n    logical: {x: 64}\n    bind: {x: TIDx}\n");
  EXPECT_EQ(row.store(), 1);
  // Two rows of 32 halves are one row of banks: 16 rows apart by two.
  const BankCase column(transpose(32, 32, "half"));
  EXPECT_EQ(column.load(), 16);
  EXPECT_EQ(column.counted_load(), 16);
  // 33 halves: the rows start at words 0, 16.5, 33, ...
  const BankCase padded(transpose(32, 32, "half", "    strides: [33, 1]\n"));
  EXPECT_EQ(padded.load(), padded.counted_load());
  const BankCase bytes(transpose(32, 32, "int8"));
  EXPECT_EQ(bytes.load(), 8);
  EXPECT_EQ(bytes.counted_load(), 8);
}

TEST(BankConflicts, AProofNamesWhatProvesEitherSide) {
  const BankCase k(
      "    dtype: float\n    logical: {t: 64}\n    bind: {t: TIDx}\n"
      "    read: {loop: [t]}\n");
  EXPECT_EQ(std::get<Proved>(k.banks().finding.verdict).rules,
            (std::vector<std::string>{"rank over GF(2)", "one address for all threads"}));
}

TEST(BankConflicts, OneAddressForAllIsABroadcast) {
  const BankCase k(
      "    dtype: float\n    logical: {row: 32, column: 32}\n    loop: [row, column]\n"
      "    bind: {column: TIDx}\n    read: {loop: [row, column]}\n");
  EXPECT_EQ(k.load(), 1);
  EXPECT_EQ(k.banks().load.by, "one address for all threads");
}

TEST(BankConflicts, ThreadsAreNumberedXFastest) {
  const std::string tile =
      "    dtype: float\n    logical: {row: 8, column: 128}\n"
      "    transforms: [{split: {in: column, factor: 4, out: [o, i]}}]\n"
      "    loop: [row, o, i]\n";
  // x = i: 8 numbers of o in a warp, 4 apart; x = o: 32 numbers 4 apart.
  EXPECT_EQ(BankCase(tile + "    bind: {i: TIDx, o: TIDy}\n").store(), 1);
  EXPECT_EQ(BankCase(tile + "    bind: {i: TIDy, o: TIDx}\n").store(), 4);
}

// Six threads a row: thread 24 is the first of row 4, whose word 32 lies in the bank of word 0.
TEST(BankConflicts, AWarpGoesOnInTheNextRow) {
  const BankCase k(
      "    dtype: float\n    logical: {row: 8, column: 6}\n    strides: [8, 1]\n"
      "    loop: [row, column]\n    bind: {row: TIDy, column: TIDx}\n");
  EXPECT_EQ(k.store(), 2);
  EXPECT_EQ(k.banks().store.collision->threads[1].number, 24);
}

TEST(BankConflicts, HolesTakePartInNothing) {
  const std::string tile =
      "    dtype: float\n    logical: {row: 4, column: 33}\n"
      "    transforms: [{split: {in: column, factor: 2, out: [o, i]}}]\n    loop: [row, i, o]\n"
      "    bind: {o: TIDx}\n";
  const BankCase k(tile);
  EXPECT_EQ(k.store(), 2);  // words 0, 2, .. 32: the last meets the first
  EXPECT_EQ(k.counted_store(), 2);
  const BankCase cut(
      "    dtype: float\n    logical: {row: 4, column: 32}\n"
      "    transforms: [{resize: {in: column, left: 0, right: 1, out: c}},"
      " {split: {in: c, factor: 2, out: [o, i]}}]\n    loop: [row, i, o]\n"
      "    bind: {o: TIDx}\n");
  EXPECT_EQ(cut.store(), 1);  // word 32 is a hole now
  EXPECT_EQ(cut.counted_store(), 1);
}

// The longer block is the kernel's: here the store's 16 threads a row have a warp of their own.
TEST(BankConflicts, BothSidesShareOneBlock) {
  const std::string tile =
      "    dtype: float\n    logical: {row: 4, column: 16}\n    strides: [64, 4]\n"
      "    loop: [row, column]\n    bind: {row: TIDy, column: TIDx}\n";
  EXPECT_EQ(BankCase(tile).store(), 4);  // two rows a warp, two words a bank in each
  const std::string read =
      "    read: {transforms: [{merge: {in: [row, column], out: t}}], bind: {t: TIDx}}\n";
  EXPECT_EQ(BankCase(tile + read).store(), 2);  // one row a warp, its other threads idle
}

TEST(BankConflicts, SerialLoopsThatShiftAllThreadsDoNotMatter) {
  // 2^40 values of k; symbolic ones, too.
  const std::string tile = "    loop: [k, t]\n    bind: {t: TIDx}\n";
  EXPECT_EQ(BankCase("    dtype: float\n    logical: {k: 1099511627776, t: 33}\n" + tile).store(),
            1);
  const BankCase symbolic("    dtype: float\n    logical: {k: N, t: 64}\n" + tile,
                          "symbols: {N: {}}\n");
  EXPECT_EQ(symbolic.store(), 1);
  EXPECT_TRUE(is_proved(symbolic.banks().finding.verdict));
}

// 48 columns shifted by the row: the first 32 that a warp stores lie in 32 banks until they wrap,
// in rows 17 to 47 of every 48.
std::string shifted(const std::string& rows) {
  return "    dtype: float\n    logical: {row: " + rows +
         ", column: 48}\n"
         "    transforms: [{swizzle: {kind: cyclic_shift, in: [row, column], out: [r, c]}},"
         " {split: {in: c, factor: 32, out: [o, i]}}]\n"
         "    loop: [r, o, i]\n    bind: {i: TIDx}\n";
}

TEST(BankConflicts, ALoopIsLookedAtUpToItsPeriod) {
  EXPECT_EQ(BankCase(shifted("17")).store(), 1);
  EXPECT_EQ(BankCase(shifted("18")).store(), 2);
  EXPECT_EQ(BankCase(shifted("18")).counted_store(), 2);
  const BankCase k(shifted("3145728"));
  EXPECT_EQ(k.store(), 2);
  EXPECT_EQ(k.banks().store.by, "exact enumeration");
  EXPECT_EQ(BankCase(shifted("N"), "symbols: {N: {min: 48}}\n").store(), 2);
  EXPECT_EQ(BankCase(shifted("N"), "symbols: {N: {min: 17}}\n").banks().store.why_unknown,
            "the extent of r is not known");
}

TEST(BankConflicts, AGuardIsLookedAtWhereverItLetsAThreadThrough) {
  const std::string tile =
      "    dtype: float\n    logical: {x: 65}\n    strides: [16]\n"
      "    transforms: [{split: {in: x, factor: 2, out: [k, t]}}]\n    bind: {t: TIDx}\n";
  EXPECT_EQ(BankCase(tile).store(), 1);  // words 0 and 16 beside each other
  const std::string wide =
      "    dtype: float\n    logical: {x: 65}\n    strides: [16]\n"
      "    transforms: [{split: {in: x, factor: 4, out: [k, t]}},"
      " {resize: {in: t, left: 1, right: 0, out: u}}]\n    bind: {u: TIDx}\n";
  EXPECT_EQ(BankCase(wide).store(), 2);
  EXPECT_EQ(BankCase(wide).counted_store(), 2);
}

TEST(BankConflicts, WhatIsNotKnownIsSaid) {
  const auto why = [](const std::string& tensor) {
    const BankConflicts banks = BankCase(tensor, "symbols: {N: {}}\n").banks();
    EXPECT_FALSE(banks.ways.has_value());
    EXPECT_TRUE(std::holds_alternative<Unknown>(banks.finding.verdict));
    return banks.store.why_unknown;
  };
  EXPECT_EQ(why("    dtype: float\n    logical: {x: N}\n    bind: {x: TIDx}\n"),
            "the number of threads is not known");
  EXPECT_EQ(why("    dtype: float\n    logical: {x: 2048}\n    bind: {x: TIDx}\n"),
            "a block has at most 1024 threads");
  EXPECT_EQ(why("    dtype: float\n    logical: {x: 32, y: N}\n    loop: [y, x]\n"
                "    bind: {x: TIDx}\n"),
            "the address depends on the size N");
  EXPECT_EQ(why("    dtype: float\n    logical: {x: N}\n"
                "    transforms: [{split: {in: x, factor: 64, out: [o, i]}},"
                " {split: {in: i, factor: 2, out: [t, k]}}]\n    bind: {t: TIDx}\n"),
            "the guard depends on the size N; it is at most 2");
  EXPECT_EQ(why("    dtype: float\n    logical: {x: 96}\n"
                "    transforms: [{split: {in: x, factor: 3, out: [o, v]}}]\n"
                "    bind: {o: TIDx, v: Vectorize}\n"),
            "the vector v of tile, 3 x float, is no access of 2, 4, 8 or 16 bytes");
  EXPECT_EQ(
      why("    dtype: float\n    logical: {x: 32, y: 2}\n    loop: [y, x]\n"
          "    strides: [3, 1]\n    bind: {x: TIDx, y: Vectorize}\n"),
      "the vector y of tile, 2 x float, is not aligned: at y = 0, x = 1 it begins at element 3, no "
      "multiple of 2");
}

TEST(BankConflicts, OutsideSharedMemoryThereAreNone) {
  const ScheduleFile file = read_schedule_text(
      "tensors: {T0: {dtype: float, logical: {x: 32}, bind: {x: TIDx}}}", "test.yaml");
  const FileTensor& t = file.tensors[0];
  const TensorAnalysis a = analyze(*t.fusion, *t.schedule, t.tensor);
  EXPECT_FALSE(bank_conflicts(*t.fusion, *t.schedule, a).has_value());
}

TEST(BankConflicts, ABaseThatMayLieInsideAWordIsACondition) {
  const BankCase k("    dtype: half\n    align: 2\n    logical: {x: 64}\n    bind: {x: TIDx}\n");
  ASSERT_EQ(k.banks().finding.conditions.size(), 1u);
  EXPECT_EQ(to_string(k.banks().finding.conditions[0]), "tile % 4 == 0");
  EXPECT_TRUE(BankCase(transpose(32, 32)).banks().finding.conditions.empty());
}

constexpr const char* k16By32 =
    "    loop: [row, column]\n"
    "    bind: {column: TIDx}\n"
    "    read:\n"
    "      transforms: [{split: {in: column, factor: 2, out: [k, h]}},"
    " {merge: {in: [h, row], out: t}}]\n"
    "      loop: [k, t]\n"
    "      bind: {t: TIDx}\n";

TEST(BankConflicts, TheMessageTellsWhoMeetsAndWhatMendsIt) {
  const BankCase k(std::string("    dtype: float\n    logical: {row: 16, column: 32}\n") + k16By32);
  const Finding finding = k.banks().finding;
  EXPECT_EQ(finding.reason,
            "the store is conflict-free (rank over GF(2)); the load is 16-way (rank over GF(2)): "
            "threads 0, 1 and 14 more of warp 0 ask bank 0 for words 0, 32 and so on, the first at "
            "k = 0, t = 0");
  EXPECT_EQ(finding.help,
            "column ^ row * 2 makes both conflict-free: root: {row: 16, column: 32}, view: "
            "[{split: {in: column, factor: 2, out: [column_o, column_i]}}, "
            "{swizzle: {kind: xor, in: [row, column_o], out: [row_s, column_x]}}, "
            "{merge: {in: [column_x, column_i], out: column_s}}], logical: [row_s, column_s]; "
            "or pad rows to 34: strides: [34, 1], 128 bytes more");
  const auto* refuted = std::get_if<Refuted>(&finding.verdict);
  ASSERT_NE(refuted, nullptr);
  EXPECT_EQ(refuted->point.size(), 2u);
}

// The classic xor still conflicts, for a warp reads two columns of 16 rows; the advice does not.
TEST(BankConflicts, A16By32TransposeNeedsTwiceTheRow) {
  const std::string classic =
      "    dtype: float\n    root: {row: 16, column: 32}\n"
      "    view: [{swizzle: {kind: xor, in: [row, column], out: [r, c]}}]\n"
      "    logical: [r, c]\n";
  EXPECT_EQ(BankCase(classic + k16By32).store(), 1);
  EXPECT_EQ(BankCase(classic + k16By32).load(), 2);
  const BankCase k(std::string("    dtype: float\n    logical: {row: 16, column: 32}\n") + k16By32);
  const BankAdvice advice = k.banks().advice.value();
  const SwizzleLines lines = advice.swizzle->lines.value();
  std::string view;
  for (const std::string& line : lines.view) view += "      - " + line + "\n";
  const BankCase mended("    dtype: float\n    " + lines.root + "\n    view:\n" + view + "    " +
                        lines.logical + "\n" + k16By32);
  EXPECT_EQ(mended.banks().ways, 1);
  EXPECT_EQ(mended.counted_store(), 1);
  EXPECT_EQ(mended.counted_load(), 1);
  EXPECT_TRUE(is_proved(mended.write().coverage.verdict));
  const BankCase padded("    dtype: float\n    logical: {row: 16, column: 32}\n    " +
                        padding_line(advice.axes, *advice.padding) + "\n" + k16By32);
  EXPECT_EQ(padded.banks().ways, 1);
  EXPECT_EQ(padded.counted_load(), 1);
}

// Random tiles of powers of two, cut, swizzled and bound at random: rank, enumeration and the
// naive count agree.
TEST(BankConflicts, AgreeWithEnumerationOnRandomTiles) {
  SplitMix64 random(20);
  const auto below = [&](int n) { return int(random.next() % std::uint64_t(n)); };
  const char* const types[] = {"int8", "half", "float", "double"};
  int known = 0, by_rank = 0, conflicts = 0;
  for (int n = 0; n < count(200, 5000); ++n) {
    const bool powers = n % 2 == 0;
    const auto extent = [&] { return powers ? std::int64_t{1} << (1 + below(5)) : 2 + below(20); };
    const std::int64_t rows = extent(), columns = extent() * 2;
    std::vector<std::string> loops = {"row", "o", "i"};
    if (below(2) == 0) std::swap(loops[0], loops[2]);
    if (below(2) == 0) std::swap(loops[0], loops[1]);
    std::string text = std::string("    dtype: ") + types[below(4)] + "\n";
    const std::int64_t factor = std::int64_t{1} << below(4);
    const bool swizzled = below(3) == 0;
    const bool is_xor = powers && rows <= columns;
    const std::string split =
        "    transforms: [{split: {in: column, factor: " + std::to_string(factor) +
        ", out: [o, i]}}]\n";
    const std::string extents =
        "{row: " + std::to_string(rows) + ", column: " + std::to_string(columns) + "}\n";
    if (swizzled) {
      text += "    root: " + extents +
              "    view: [{swizzle: {kind: " + (is_xor ? "xor" : "cyclic_shift") +
              ", in: [row, column], out: [r, c]}}]\n    logical: [r, c]\n";
    } else {
      text += "    logical: " + extents;
    }
    const std::int64_t pitches[] = {columns, columns + below(5),
                                    std::int64_t(std::bit_ceil(std::uint64_t(columns)))};
    text += "    strides: [" + std::to_string(pitches[below(3)]) + ", 1]\n";
    text += split + "    loop: [" + loops[0] + ", " + loops[1] + ", " + loops[2] + "]\n";
    std::string bind = loops[std::size_t(below(3))] + ": TIDx";
    for (const std::string& l : loops) {
      if (!bind.starts_with(l) && below(2) == 0 && bind.find("TIDy") == bind.npos) {
        bind += ", " + l + ": TIDy";
      } else if (!bind.starts_with(l) && l == "i" && factor <= 4 && !swizzled) {
        bind += ", i: Vectorize";
      }
    }
    text += "    bind: {" + bind + "}\n";
    const BankCase k(text);
    const BankAccess store = k.banks().store;
    if (!store.degree) continue;
    ++known;
    by_rank += store.by == "rank over GF(2)" ? 1 : 0;
    ASSERT_EQ(*store.degree, k.counted_store()) << text << store.by;
    ASSERT_EQ(store.collision.has_value(), *store.degree > 1) << text;
    if (!store.collision) continue;
    ++conflicts;
    // The witness is one: so many words in one bank, each asked for by its thread.
    ASSERT_EQ(std::int64_t(store.collision->threads.size()), *store.degree) << text;
    std::set<std::int64_t> words;
    for (const BankCollision::Thread& t : store.collision->threads) {
      words.insert(t.word);
      EXPECT_EQ(t.word % 32, store.collision->bank) << text;
      EXPECT_EQ(t.number / 32, store.collision->warp) << text;
    }
    EXPECT_EQ(std::int64_t(words.size()), *store.degree) << text;
  }
  EXPECT_GT(known, count(200, 5000) / 2);
  EXPECT_GT(by_rank, more_than(20));
  EXPECT_GT(conflicts, more_than(20));
}

}  // namespace
}  // namespace selvage
