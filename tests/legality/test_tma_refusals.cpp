// What is no copy: every refusal in full, and the smallest change that makes it one.
#include "tests/legality/analysis_case.h"
#include "tests/legality/tma_case.h"

namespace selvage {
namespace {

// The message, and a schedule near to it that is a copy: mostly the change that the help names.
void expect_refused(const std::string& keys, const std::string& message, const std::string& mended,
                    const std::string& head = "") {
  EXPECT_EQ(TmaCase(keys, head).refusal(), message);
  EXPECT_EQ(TmaCase(mended, head).refusal(), "legal") << mended;
}

TEST(TmaRefuses, ATileWithoutAKnownSize) {
  expect_refused(
      "logical: {I0: N}, bind: {I0: Bulk}",
      "E466: the tile of T0 has no known size: its loop I0 (N) is bound to Bulk; unknown; help: "
      "split I0 by 64 and bind the inner part to Bulk",
      "logical: {I0: N}, transforms: [{split: {in: I0, factor: 64, out: [o, i]}}], loop: "
      "[o, i], bind: {i: Bulk}",
      "symbols: {N: {max: 4096}}, ");
}

TEST(TmaRefuses, ATensorThatIsNotInGlobalMemory) {
  const auto keys = [](const std::string& memory) {
    return "logical: {I0: 64}, memory: " + memory + ", bind: {I0: Bulk}";
  };
  expect_refused(keys("shared"),
                 "E460: T0 has loops that are bound to Bulk, but is not in global memory: it is "
                 "the global side of a TMA copy, and these loops are the tile of the other; at I0 "
                 "= 0; help: write memory: global; or leave I0 serial",
                 keys("global"));
}

TEST(TmaRefuses, ACutThatDoesNotDivideWithBothPartsInTheTile) {
  const auto keys = [](int factor) {
    return "logical: {I0: 30, I1: 4}, transforms: [{split: {in: I0, factor: " +
           std::to_string(factor) +
           ", out: [a, b]}}, {split: {in: a, factor: 2, out: [c, d]}}, {split: {in: b, factor: 2, "
           "out: [e, f]}}], loop: [c, e, d, f, I1], bind: {d: Bulk, f: Bulk, I1: Bulk}";
  };
  expect_refused(keys(8),
                 "E460: the tile of T0 is no box: I0 (30) is cut by 8, which does not divide it, "
                 "and parts of a and of b lie in the tile; at c = 1, e = 3, d = 1, f = 0, I1 = 0; "
                 "help: split I0 by 10 instead of 8",
                 keys(10));
}

TEST(TmaRefuses, ARowThatDoesNotFillWhatIsResized) {
  const auto keys = [](int right) {
    return "logical: {I0: 32, I1: 4}, transforms: [{resize: {in: I0, left: 0, right: " +
           std::to_string(right) +
           ", out: p}}, {split: {in: p, factor: 8, out: [a, b]}}, {split: {in: b, factor: 2, out: "
           "[e, f]}}, {split: {in: a, factor: 2, out: [c, d]}}], loop: [c, e, d, f, I1], bind: {d: "
           "Bulk, f: Bulk, I1: Bulk}";
  };
  expect_refused(keys(0), "legal", keys(8));
  expect_refused(
      "logical: {I0: 32, I1: 4}, transforms: [{resize: {in: I0, left: 1, right: 7, out: "
      "p}}, {split: {in: p, factor: 8, out: [a, b]}}, {split: {in: b, factor: 2, out: "
      "[e, f]}}, {split: {in: a, factor: 2, out: [c, d]}}], loop: [c, e, d, f, I1], "
      "bind: {d: Bulk, f: Bulk, I1: Bulk}",
      "E460: the tile of T0 is no box: p (40), of which several parts lie in the tile, is resized "
      "on its left; at c = 0, e = 0, d = 0, f = 1, I1 = 0; help: resize I0 by 8 on the right, and "
      "by nothing on the left",
      keys(8));
}

TEST(TmaRefuses, RowsThatDoNotFillAnIterdomain) {
  const auto keys = [](int extent) {
    return "logical: {I0: 27, I1: " + std::to_string(extent) +
           ", row: 4}, transforms: [{split: {in: I1, factor: 8, out: [I2, I3]}}, {split: {in: I2, "
           "factor: 5, out: [I4, I5]}}, {split: {in: I5, factor: 2, out: [I6, I7]}}], loop: [I4, "
           "I3, "
           "I6, I0, I7, row], bind: {I0: Bulk, I7: Bulk, row: Bulk}";
  };
  expect_refused(keys(38), "legal", keys(40));
}

TEST(TmaRefuses, AMergeThatIsCutWhereNoAxisEnds) {
  expect_refused(
      "logical: {I0: 28, I1: 16, row: 4}, transforms: [{merge: {in: [I0, I1], out: I2}}, "
      "{split: {in: I2, factor: 2, out: [I3, I4]}}, {split: {in: I3, factor: 7, out: [I5, "
      "I6]}}], loop: [I5, I4, I6, row], bind: {I4: Bulk, I6: Bulk, row: Bulk}",
      "E460: the tile of T0 is no box: I2 (448) is cut in two ways, and the merge of I0 and I1 is "
      "none of them; at I5 = 1, I4 = 0, I6 = 1, row = 0; help: split I2 by 1 instead of 2",
      "logical: {I0: 28, I1: 16, row: 4}, transforms: [{split: {in: I1, factor: 2, out: "
      "[I3, I4]}}, {split: {in: I0, factor: 7, out: [I5, I6]}}], loop: [I5, I3, I4, I6, "
      "row], bind: {I4: Bulk, I6: Bulk, row: Bulk}");
}

TEST(TmaRefuses, MoreThanAThousandMerges) {
  const auto keys = [](int splits) {
    std::string transforms, whole = "I0";
    for (int k = 0; k < splits; ++k) {
      const std::string n = std::to_string(k);
      transforms += "{split: {in: " + whole + ", factor: 1, out: [o" + n + ", i" + n + "]}}, ";
      whole = "o" + n;
    }
    for (int k = splits; k-- > 0;) {
      const std::string n = std::to_string(k);
      transforms += "{merge: {in: [" + whole + ", i" + n + "], out: m" + n + "}}, ";
      whole = "m" + n;
    }
    return "logical: {I0: 64}, transforms: [" + transforms + "], bind: {" + whole + ": Bulk}";
  };
  expect_refused(
      keys(1001),
      "E466: the tile of T0 goes through more than 1000 merges; unknown; help: leave m0 serial",
      keys(1000));
}

// From C++ a loop may be there that moves nothing.
TEST(TmaRefuses, ABulkLoopThatMovesNothing) {
  AnalysisCase k("64");
  const DomainId other = k.f.domains().add("other", k.c(2)), own = k.info().logical[0];
  Schedule s(k.f);
  s.set_loops(k.y.id(), {other, own});
  s.bind({k.y.id(), own}, ParallelType::Bulk);
  EXPECT_TRUE(tma_copy(k.f, s, k.analysis(s))->finding.is_legal());
  s.bind({k.y.id(), other}, ParallelType::Bulk);
  const TensorAnalysis a = k.analysis(s);
  const Finding refused = tma_copy(k.f, s, a)->finding;
  EXPECT_EQ(refused.code + ": " + refused.reason + "; help: " + refused.help,
            "E460: the tile of y is no box: one of its loops moves no item of y; help: leave other "
            "serial");
}

TEST(TmaRefuses, ABoxAcrossABreakInMemory) {
  const auto keys = [](int factor) {
    return "logical: {I0: 8, I1: 20, I2: 16}, strides: [800, 32, 1], transforms: [{merge: {in: "
           "[I0, I1], out: M}}, {split: {in: M, factor: " +
           std::to_string(factor) + ", out: [o, i]}}], loop: [o, i, I2], bind: {i: Bulk, I2: Bulk}";
  };
  expect_refused(keys(6),
                 "E462: the boxes of 6 items of M in T0 go across a break in memory: I1 has 20 "
                 "items, which 6 does not divide, and more than one row (law F); at o = 3, i = 2, "
                 "I2 = 0; help: split M by 5 instead of 6",
                 keys(5));
}

TEST(TmaRefuses, ASwizzleThatTheHardwareDoesNotDo) {
  const auto keys = [](const std::string& kind, const std::string& in, const std::string& loop) {
    return "dtype: half, logical: {I0: 8, I1: 64}, transforms: [{split: {in: I1, factor: 8, out: "
           "[chunk, lane]}}, {swizzle: {kind: " +
           kind + ", in: [" + in + "], out: [u, v]}}], loop: [" + loop +
           "], bind: {u: Bulk, v: Bulk, lane: Bulk}";
  };
  const std::string good = keys("xor", "I0, chunk", "u, v, lane");
  expect_refused(
      keys("cyclic_shift", "I0, chunk", "u, v, lane"),
      "E463: the swizzle of u and v in the tile of T0 is none that TMA does: it is a cyclic shift; "
      "at u = 0, v = 0, lane = 0; help: swizzle I0 and chunk with kind: xor",
      good);
  const auto lanes = [](const std::string& in, const std::string& rest) {
    return "dtype: half, logical: {I0: 8, I1: 64}, transforms: [{split: {in: I1, factor: 8, out: "
           "[chunk, lane]}}, {swizzle: {kind: xor, in: [" +
           in + "], out: [u, v]}}], loop: [" + rest + "], bind: {u: Bulk, v: Bulk, lane: Bulk}";
  };
  EXPECT_EQ(lanes("I0, chunk", "u, v, lane"), good);
  const auto sized = [](int rows, int columns, int lane) {
    return "dtype: half, logical: {I0: " + std::to_string(rows) +
           ", I1: " + std::to_string(columns) +
           "}, transforms: [{split: {in: I1, factor: " + std::to_string(lane) +
           ", out: [chunk, lane]}}, {swizzle: {kind: xor, in: [I0, chunk], out: [u, v]}}], loop: "
           "[u, v, lane], bind: {u: Bulk, v: Bulk, lane: Bulk}";
  };
  expect_refused(
      sized(8, 128, 16),
      "E463: the swizzle of u and v in the tile of T0 is none that TMA does: v moves 32 bytes at a "
      "step, not 16; at u = 0, v = 0, lane = 0; help: leave the swizzle of I0 and chunk out",
      sized(8, 64, 8));  // chunks of 32 bytes
  expect_refused(
      sized(8, 128, 8),
      "E463: the swizzle of u and v in the tile of T0 is none that TMA does: v has 16 chunks, not "
      "2, 4 or 8; at u = 0, v = 0, lane = 0; help: leave the swizzle of I0 and chunk out",
      sized(8, 64, 8));  // 16 chunks
  expect_refused(
      sized(4, 32, 8),
      "E463: the swizzle of u and v in the tile of T0 is none that TMA does: u moves 64 bytes at a "
      "step, not 128; at u = 0, v = 0, lane = 0; help: leave the swizzle of I0 and chunk out",
      sized(4, 64, 8));  // rows of 64 bytes
  // Four rows of 128 bytes repeat every 512, but a tile of 8 permutes 8 of them.
  expect_refused(
      "dtype: half, logical: {I0: 8, I1: 64}, transforms: [{split: {in: I0, factor: 4, out: "
      "[a, b]}}, {split: {in: I1, factor: 8, out: [chunk, lane]}}, {swizzle: {kind: xor, "
      "in: [b, chunk], out: [u, v]}}], loop: [a, u, v, lane], bind: {a: Bulk, u: Bulk, v: "
      "Bulk, lane: Bulk}",
      "E463: the swizzle of u and v in the tile of T0 is none that TMA does: u has 4 rows to 8 "
      "chunks; at a = 0, u = 0, v = 0, lane = 0; help: split I0 by 8 instead of 4",
      good);
  expect_refused(
      "dtype: half, logical: {I0: 8, I1: 64}, transforms: [{split: {in: I1, factor: 8, out: "
      "[chunk, lane]}}, {swizzle: {kind: xor, in: [I0, chunk], out: [a, b]}}, {swizzle: "
      "{kind: xor, in: [a, b], out: [u, v]}}], loop: [u, v, lane], bind: {u: Bulk, v: "
      "Bulk, lane: Bulk}",
      "E463: the swizzle of a and b in the tile of T0 is none that TMA does: the tile has another "
      "one; at u = 0, v = 0, lane = 0; help: leave the swizzle of I0 and chunk out",
      good);
  const std::string outside =
      "dtype: half, logical: {I0: 8, I1: 64}, transforms: [{split: {in: I1, factor: 8, out: "
      "[chunk, "
      "lane]}}, {swizzle: {kind: xor, in: [I0, chunk], out: [u, v]}}], loop: [u, v, lane], bind: "
      "{v: Bulk, lane: Bulk}";
  expect_refused(outside,
                 "E463: the swizzle of u and v in the tile of T0 is none that TMA does: u is no "
                 "part of the tile alone; at u = 0, v = 0, lane = 0; help: bind u to Bulk, too",
                 good);
}

TEST(TmaRefuses, RankSix) {
  const auto keys = [](const std::string& strides) {
    return "logical: {I0: 2, I1: 2, I2: 2, I3: 2, I4: 2, I5: 8}, strides: [" + strides +
           "], bind: {I5: Bulk}";
  };
  expect_refused(
      keys("6400, 1600, 400, 100, 24, 1"),
      "E461: the tensor map of T0 would have rank 6 (rule of the tensor map: rank 1 to 5); at I0 = "
      "0, I1 = 0, I2 = 0, I3 = 0, I4 = 0, I5 = 0; help: strides: [128, 64, 32, 16, 8, 1]",
      keys("128, 64, 32, 16, 8, 1"));
  EXPECT_TRUE(TmaCase(keys("3200, 1600, 400, 100, 24, 1")).is_legal());
}

TEST(TmaRefuses, MoreThanTwoToThe32Items) {
  const auto keys = [](const std::string& rest) {
    return "dtype: int8, logical: {I0: 8589934592, I1: 16}, strides: [32, 1], " + rest;
  };
  expect_refused(keys("loop: [I0, I1], bind: {I1: Bulk}"),
                 "E461: I0 of T0 has 8589934592 items (rule of the tensor map: 1 to 2^32 items of "
                 "a dimension); at I0 = 4294967296, I1 = 0; help: split I0 by 1048576, the inner "
                 "part by 2, and bind the innermost part to Bulk",
                 keys("transforms: [{split: {in: I0, factor: 1048576, out: [o, i]}}, {split: {in: "
                      "i, factor: 2, out: [c, t]}}], loop: [o, c, t, I1], bind: {t: Bulk, I1: "
                      "Bulk}"));
  const auto prime = [](const std::string& items) {
    return "dtype: int8, logical: {I0: " + items + ", I1: 16}, bind: {I1: Bulk}, strides: [32, 1]";
  };
  expect_refused(prime("4294967311"),
                 "E461: I0 of T0 has 4294967311 items (rule of the tensor map: 1 to 2^32 items of "
                 "a dimension); at I0 = 4294967296, I1 = 0; help: leave I1 serial",
                 prime("4294967296"));
}

TEST(TmaRefuses, AStrideThatIsNoMultipleOf16Bytes) {
  const auto keys = [](int stride) {
    return "logical: {I0: 8, I1: 8}, strides: [" + std::to_string(stride) +
           ", 1], bind: {I0: Bulk, I1: Bulk}";
  };
  expect_refused(keys(9),
                 "E461: the items of I0 in T0 lie 36 bytes apart (rule of the tensor map: strides "
                 "are multiples of 16 bytes); at I0 = 1, I1 = 0; help: strides: [12, 1]",
                 keys(12));
}

TEST(TmaRefuses, AStrideOf2ToThe40Bytes) {
  const auto keys = [](const std::string& stride) {
    return "logical: {I0: 8, I1: 8}, strides: [" + stride + ", 1], bind: {I0: Bulk, I1: Bulk}";
  };
  expect_refused(keys("274877906944"),
                 "E461: the items of I0 in T0 lie 1099511627776 bytes apart (rule of the tensor "
                 "map: strides below 2^40 bytes); at I0 = 1, I1 = 0; help: strides: [8, 1]",
                 keys("8"));
  EXPECT_TRUE(TmaCase(keys("274877906940")).is_legal());
}

TEST(TmaRefuses, AStrideThatCanNeverFit) {
  const std::string sizes = "symbols: {N: {max: 1000}}, ";
  const auto keys = [](const std::string& stride) {
    return "logical: {I0: 8, I1: 8}, strides: [" + stride + ", 1], bind: {I0: Bulk, I1: Bulk}";
  };
  expect_refused(
      keys("4 * N + 9"),
      "E461: the items of I0 in T0 lie N * 16 + 36 bytes apart (rule of the tensor map: strides "
      "are multiples of 16 bytes); at I0 = 1, I1 = 0, N = 1; help: strides: [N * 4 + 12, 1]",
      keys("4 * N + 12"), sizes);
}

TEST(TmaRefuses, ABoxOfMoreThan256Items) {
  expect_refused("logical: {I0: 512}, bind: {I0: Bulk}",
                 "E461: the box of T0 has 512 items of I0 (rule of the tensor map: a box of 1 to "
                 "256 items); at I0 = 256; help: split I0 by 256 and bind the inner part to Bulk",
                 "logical: {I0: 512}, transforms: [{split: {in: I0, factor: 256, out: [o, i]}}], "
                 "loop: [o, i], bind: {i: Bulk}");
}

TEST(TmaRefuses, AnInnermostBoxThatIsNoMultipleOf16Bytes) {
  const auto keys = [](int box) {
    return "logical: {I0: 8, I1: 64}, transforms: [{split: {in: I1, factor: " +
           std::to_string(box) + ", out: [o, i]}}], loop: [I0, o, i], bind: {i: Bulk}";
  };
  expect_refused(keys(6),
                 "E461: the box of T0 has 24 bytes of I1, its innermost dimension (rule of the "
                 "tensor map: a multiple of 16 bytes in the innermost dimension of the box); at I0 "
                 "= 0, o = 0, i = 5; help: split I1 by 8 instead of 6",
                 keys(8));
}

TEST(TmaRefuses, AnElementStrideInTheInnermostDimension) {
  const auto keys = [](int stride) {
    return "logical: {I0: 8, I1: 64}, transforms: [{split: {in: I1, factor: 16, out: [o, i]}}, "
           "{split: {in: i, factor: " +
           std::to_string(stride) + ", out: [t, e]}}], loop: [I0, o, e, t], bind: {t: Bulk}";
  };
  expect_refused(keys(4),
                 "E461: the tile of T0 takes one of 4 items of I0, I1, its innermost dimension "
                 "(rule of the tensor map: an element stride of 1 in the innermost dimension); at "
                 "I0 = 0, o = 0, e = 0, t = 1; help: split i by 1 instead of 4",
                 keys(1));
}

TEST(TmaRefuses, AnElementStrideOfMoreThanEight) {
  const auto keys = [](int stride) {
    return "logical: {I0: 64, I1: 8}, transforms: [{split: {in: I0, factor: 32, out: [o, i]}}, "
           "{split: {in: i, factor: " +
           std::to_string(stride) +
           ", out: [t, e]}}], loop: [o, e, t, I1], bind: {t: Bulk, I1: "
           "Bulk}";
  };
  expect_refused(
      keys(9),
      "E461: the tile of T0 takes one of 9 items of I0 (rule of the tensor map: element strides of "
      "1 to 8); at o = 0, e = 0, t = 1, I1 = 0; help: split i by 8 instead of 9",
      keys(8));
}

TEST(TmaRefuses, AnInnermostDimensionWithGaps) {
  expect_refused("logical: {I0: 8, I1: 8}, loop: [I1, I0], bind: {I0: Bulk}",
                 "E461: the items of I0, the innermost dimension of the tile of T0, lie 32 bytes "
                 "apart (rule of the tensor map: the innermost dimension is contiguous); at I1 = "
                 "0, I0 = 1; help: bind I1 to Bulk as the last loop",
                 "logical: {I0: 8, I1: 8}, loop: [I0, I1], bind: {I0: Bulk, I1: Bulk}");
  expect_refused("logical: {I0: 8, I1: 8}, strides: [64, 2], bind: {I1: Bulk}",
                 "E461: the items of I1, the innermost dimension of the tile of T0, lie 8 bytes "
                 "apart (rule of the tensor map: the innermost dimension is contiguous); at I0 = "
                 "0, I1 = 1; help: strides: [64, 1]",
                 "logical: {I0: 8, I1: 8}, strides: [64, 1], bind: {I1: Bulk}");
}

TEST(TmaRefuses, ATileThatSharedMemoryDoesNotHold) {
  const auto keys = [](int box) {
    return "logical: {I0: 4, I1: 256, I2: 256}, strides: [99999744, 256, 1], transforms: [{split: "
           "{in: I1, factor: " +
           std::to_string(box) +
           ", out: [o, i]}}], loop: [I0, o, i, I2], bind: {i: Bulk, I2: Bulk}";
  };
  expect_refused(
      keys(256),
      "E461: the tile of T0 has 262144 bytes (rule of the tensor map: a tile of at most 227 KiB); "
      "at I0 = 0, o = 0, i = 227, I2 = 0; help: split I1 by 224 instead of 256",
      keys(224));
  EXPECT_TRUE(TmaCase(keys(227)).is_legal());  // 227 KiB
  const auto huge = [](const std::string& rest) {
    return "logical: {I0: 4, I1: 8}, transforms: [{split: {in: I0, factor: 1099511627776, out: [a, "
           "b]}}, {split: {in: I1, factor: 1099511627776, out: [c, d]}}], loop: [a, c, b, d], " +
           rest;
  };
  expect_refused(
      huge("bind: {b: Bulk, d: Bulk}"),
      "E461: the tile of T0 does not fit into shared memory: it has more than 2^63 bytes; at a = "
      "0, c = 0, b = 0, d = 0; help: split b and d by 128 and bind the inner parts to Bulk",
      "logical: {I0: 4, I1: 8}, transforms: [{split: {in: I1, factor: 4, out: [c, d]}}], "
      "loop: [I0, c, d], bind: {d: Bulk}");
}

TEST(TmaRefuses, ARowLongerThanItsSwizzle) {
  // Chunks of 16 bytes are permuted within 64 bytes, by the row of 128 bytes.
  const std::string tensor = "dtype: half, logical: {I0: 8, I1: 256}, transforms: [";
  const std::string rest = "], bind: {l0: Bulk, u: Bulk, p: Bulk, v: Bulk, lane: Bulk}";
  expect_refused(
      tensor +
          "{split: {in: I0, factor: 4, out: [l0, l1]}}, {split: {in: I1, factor: 64, out: [C, "
          "c]}}, {split: {in: c, factor: 8, out: [d, lane]}}, {split: {in: d, factor: 4, out: [p, "
          "e]}}, "
          "{swizzle: {kind: xor, in: [l1, e], out: [u, v]}}], loop: [C, l0, u, p, v, lane" +
          rest,
      "E461: the box of T0 has 128 bytes of I1, its innermost dimension, and a swizzle of 64 bytes "
      "(rule of the tensor map: at most the swizzle's bytes in the innermost dimension of the "
      "box); at C = 0, l0 = 0, u = 0, p = 1, v = 0, lane = 0; help: split I0 by 1 instead of 4",
      tensor +
          "{split: {in: I0, factor: 2, out: [l, p]}}, {split: {in: l, factor: 4, out: [l0, "
          "l1]}}, {split: {in: I1, factor: 32, out: [C, c]}}, {split: {in: c, factor: 8, out: [e, "
          "lane]}}, {swizzle: {kind: xor, in: [l1, e], out: [u, v]}}], loop: [C, l0, u, p, v, "
          "lane" +
          rest);
}

TEST(TmaRefuses, AFillOtherThanZero) {
  const auto keys = [](const std::string& fill) {
    return "logical: {I0: 100}, transforms: [{split: {in: I0, factor: 16, out: [o, i]}}], loop: "
           "[o, "
           "i], bind: {i: Bulk}, fill: " +
           fill;
  };
  expect_refused(keys("7"),
                 "E464: the holes of the tile of T0 cannot hold 7: a copy brings 0 for what is out "
                 "of bounds; at o = 0, i = 0; help: write fill: 0; or leave fill out",
                 keys("0"));
}

TEST(TmaRefuses, AFillThatNoCopyGives) {
  const auto keys = [](int box, int stride, const std::string& rest) {
    return "logical: {I0: 40, I1: 4}, transforms: [{split: {in: I0, factor: " +
           std::to_string(box) +
           ", out: [R, r]}}, {split: {in: r, factor: " + std::to_string(stride) +
           ", out: [t, e]}}], loop: [R, e, t, I1], bind: {t: Bulk, I1: "
           "Bulk}" +
           rest;
  };
  expect_refused(
      keys(10, 4, ", fill: 0"),
      "E465: the holes of the tile of T0 cannot all hold 0: boxes of 10 items of I0 with an "
      "element stride of 4, which does not divide it, go on into the next box (4 < 10 < 40); at R "
      "= 0, e = 2, t = 2, I1 = 0; help: split I0 by 12 instead of 10; or leave fill out",
      keys(8, 4, ", fill: 0"));
  EXPECT_EQ(TmaCase(keys(10, 4, "")).refusal(), "legal");
  const auto padded = [](const std::string& rest) {
    return "logical: {I0: 64}, transforms: [{split: {in: I0, factor: 12, out: [o, i]}}, {resize: "
           "{in: i, left: 0, right: 4, out: p}}], loop: [o, p], bind: {p: Bulk}" +
           rest;
  };
  expect_refused(padded(", fill: 0"),
                 "E465: the holes of the tile of T0 cannot all hold 0: one copy brings items and, "
                 "into a hole of the same tile, an item that is not wanted there; at o = 0, p = "
                 "12; help: split I0 by 64 instead of 12; or leave fill out",
                 padded(""));
}

// No cut of other lengths mends it.
TEST(TmaRefuses, AFillThatNoSplitGives) {
  const auto keys = [](const std::string& rest) {
    return "logical: {I0: 4096}, transforms: [{split: {in: I0, factor: 6, out: [o, i]}}, "
           "{resize: {in: i, left: 2, right: 0, out: p}}], loop: [o, p], bind: {p: Bulk}" +
           rest;
  };
  expect_refused(keys(", fill: 0"),
                 "E465: the holes of the tile of T0 cannot all hold 0: one copy brings items and, "
                 "into a hole of the same tile, an item that is not wanted there; at o = 1, p = 0; "
                 "help: leave fill out",
                 keys(""));
}

// No point of it is valid; where a copy is issued there is something to point at all the same.
TEST(TmaRefuses, ATileOfHolesThatBreaksARule) {
  const auto keys = [](const std::string& rest) {
    return "logical: {I0: 1, I1: 1}, transforms: [{resize: {in: I0, left: -1, right: 1, out: p}}" +
           rest;
  };
  expect_refused(keys("], loop: [p, I1], bind: {I1: Bulk}"),
                 "E461: the box of T0 has 4 bytes of I0, I1, its innermost dimension (rule of the "
                 "tensor map: a multiple of 16 bytes in the innermost dimension of the box); at p "
                 "= 0, I1 = 0; help: split I1 by 4 and bind the inner part to Bulk",
                 keys(", {split: {in: I1, factor: 4, out: [o, i]}}], loop: [p, o, i], "
                      "bind: {i: Bulk}"));
}

TEST(TmaRefuses, AFillThatIsNotDecided) {
  // N*N + N is even: there is no hole in b, but nothing here knows that.
  const auto keys = [](const std::string& rest) {
    return "logical: {I0: M, I1: 4}, transforms: [{split: {in: I0, factor: N * N + N, out: [a, "
           "b]}}, {split: {in: b, factor: 2, out: [c, d]}}], loop: [a, c, d, I1], bind: {d: Bulk, "
           "I1: Bulk}" +
           rest;
  };
  expect_refused(keys(", fill: 0"),
                 "E466: whether the holes of the tile of T0 hold 0 is not decided: it is not "
                 "decided whether a copy brings items into holes; unknown; help: leave fill out",
                 keys(""), "symbols: {M: {max: 1000}, N: {max: 1000}}, ");
}

}  // namespace
}  // namespace selvage
