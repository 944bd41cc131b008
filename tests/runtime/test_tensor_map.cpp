// Tensor maps from verdicts, encoded by the stand-in, against the judge of tests/oracle/.
#include <selvage/expr/tape.h>
#include <selvage/runtime/graph.h>
#include <selvage/runtime/tensor_map.h>

#include <cstdio>
#include <random>

#include "stub_driver.h"
#include "tests/legality/tma_case.h"
#include "tests/oracle/brute_force.h"
#include "tests/oracle/random_access_case.h"
#include "tests/oracle/tma_copy.h"
#include "tests/support/counts.h"
#include "tests/support/engine_access.h"

namespace selvage {
namespace {

using namespace test;

constexpr std::uint64_t kAddress = 1 << 20;

// As the judge has it: the outermost first.
oracle::TensorMap judged(const driver_stub::EncodedMap& encoded, std::int64_t element_bytes) {
  oracle::TensorMap map;
  map.element_bytes = element_bytes;
  for (std::size_t k = encoded.sizes.size(); k-- > 0;) {
    map.dims.push_back(std::int64_t(encoded.sizes[k]));
    map.strides.push_back(k == 0 ? element_bytes : std::int64_t(encoded.strides[k - 1]));
    map.box.push_back(encoded.box[k]);
    map.element_strides.push_back(encoded.element_strides[k]);
  }
  return map;
}

class TensorMaps : public StubbedDriver {
 protected:
  void SetUp() override {
    StubbedDriver::SetUp();
    driver = Driver::open(kStub);
  }
  void TearDown() override {
    driver.reset();
    StubbedDriver::TearDown();
  }
  driver_stub::EncodedMap encoded(const TensorMapParameters& parameters) const {
    const TensorMap map = encode(*driver, parameters);
    return stub.decode(map.bytes.data());
  }
  static TensorMapParameters parameters(const TmaCase& k,
                                        const std::map<std::string, std::int64_t>& sizes = {},
                                        std::uint64_t address = kAddress) {
    return tensor_map_parameters(k.schedule(), k.analysis.tensor, k.copy, sizes, address);
  }

  std::unique_ptr<const Driver> driver;
};

TEST_F(TensorMaps, OfTheExamplesHaveTheirNumbers) {
  const auto map_of = [&](const std::string& name) {
    return encoded(parameters(
        TmaCase(read_schedule_file(std::string(SELVAGE_SOURCE_DIR) + "/examples/" + name))));
  };
  const auto box = map_of("tma_box.yaml");
  EXPECT_EQ(box.type, 7);  // FLOAT32
  EXPECT_EQ(box.address, kAddress);
  EXPECT_EQ(box.sizes, (std::vector<std::uint64_t>{200, 100}));
  EXPECT_EQ(box.strides, (std::vector<std::uint64_t>{800}));
  EXPECT_EQ(box.box, (std::vector<std::uint32_t>{32, 16}));
  EXPECT_EQ(box.element_strides, (std::vector<std::uint32_t>{1, 1}));
  EXPECT_EQ(box.interleave + box.swizzle + box.promotion + box.fill, 0);
  const auto strong = map_of("tma_strong.yaml");
  EXPECT_EQ(oracle::broken_rules(judged(strong, 4)), std::vector<oracle::TmaRule>{});
}

TEST_F(TensorMaps, OfASwizzledTileCarryTheSwizzle) {
  const TmaCase k(
      "logical: {I0: 64, I1: 64}, dtype: half, transforms: [{split: {in: I0, factor: "
      "8, out: [R, r]}}, {split: {in: I1, factor: 8, out: [C, c]}}, {swizzle: {kind: xor, in: [r, "
      "C], out: [rs, Cs]}}], loop: [R, rs, Cs, c], bind: {rs: Bulk, Cs: Bulk, c: "
      "Bulk}");
  ASSERT_EQ(k.refusal(), "legal");
  const auto map = encoded(parameters(k));
  EXPECT_EQ(map.swizzle, 3);
  EXPECT_EQ(map.type, 6);
  EXPECT_EQ(map.box[0], 64u);
}

// What the driver is given brings every item to its place, by what the hardware does with it.
TEST_F(TensorMaps, OfRandomLegalCopiesBringEveryItem) {
  std::mt19937_64 rng(53);
  int legal = 0;
  const int cases = count(200, 5'000);
  for (int i = 0; i < cases && !HasFailure(); ++i) {
    const oracle::AccessCase access = oracle::random_tma_case(rng);
    const EngineAccess engine(access);
    const TensorAnalysis analysis =
        analyze(engine.fusion(), engine.schedule(), engine.tensor().tensor);
    const TmaCopy copy = *tma_copy(engine.fusion(), engine.schedule(), analysis);
    const auto make = [&] {
      return tensor_map_parameters(engine.schedule(), engine.tensor().tensor, copy, {}, kAddress);
    };
    if (!copy.finding.is_legal()) {
      EXPECT_EQ(refusal(make),
                "selvage: error[E716]: the tensor map of T0: the copy is not legal: " +
                    copy.finding.reason + "; help: " + copy.finding.help);
      continue;
    }
    ++legal;
    const auto sent = encoded(make());
    const oracle::TensorMap map = judged(sent, access.layout.element_bytes);
    oracle::TmaSettings settings;
    settings.type = static_cast<oracle::TmaType>(sent.type);
    settings.base = std::int64_t(sent.address);
    settings.swizzle = static_cast<oracle::TmaSwizzle>(sent.swizzle);
    EXPECT_EQ(oracle::broken_rules(map, settings), std::vector<oracle::TmaRule>{});
    std::vector<Expr> coordinates;
    for (const TmaDim& d : copy.dims) coordinates.push_back(d.coordinate);
    const auto corner =
        [&, tape = Tape(coordinates, analysis.variables)](std::span<const std::int64_t> x) mutable {
          if (!tape.evaluate(oracle::loop_point(access.graph, x)))
            throw std::runtime_error("no value");
          std::vector<std::int64_t> at;
          for (std::size_t k = 0; k < coordinates.size(); ++k) at.push_back(tape.root(k));
          return at;
        };
    const auto bulk = oracle::all_bound_to(access.graph, access.binding, oracle::Role::Bulk);
    EXPECT_TRUE(oracle::tma_copy(access.graph, access.layout, bulk, map, corner).weak())
        << oracle::to_yaml(access);
  }
  std::printf("[FIGURE] tensor maps: %d of %d random copies legal and encoded\n", legal, cases);
  EXPECT_GT(legal, cases / 4);
}

// The check, the stand-in and the judge agree on any numbers at all.
TEST_F(TensorMaps, AreRefusedWhereARuleIsBrokenAndNowhereElse) {
  std::mt19937_64 rng(59);
  const auto draw = [&](std::initializer_list<std::uint64_t> often, std::uint64_t high) {
    const std::size_t k = rng() % (often.size() + 1);
    return k < often.size() ? *(often.begin() + k) : rng() % high;
  };
  int accepted = 0;
  const int cases = count(5'000, 100'000);
  for (int i = 0; i < cases && !HasFailure(); ++i) {
    TensorMapParameters map{.tensor = "T0"};
    const std::size_t rank = rng() % 12 == 0 ? rng() % 8 : 1 + rng() % 5;
    map.type = int(rng() % 10);
    map.address = rng() % 8 == 0 ? rng() % 64 : 16 * (1 + rng() % 64);
    map.swizzle = static_cast<TmaSwizzle>(rng() % 4);
    for (std::size_t k = 0; k < rank; ++k) {
      map.sizes.push_back(draw({1, 7, 64, 100, 1 << 20, std::uint64_t{1} << 32U}, 1000));
      if (rng() % 20 == 0) map.sizes.back() = (std::uint64_t{1} << 32U) + rng() % 2;
      if (k > 0) map.strides.push_back(draw({16, 64, 4096, 160}, 4096) & ~std::uint64_t{7});
      if (k > 0 && rng() % 16 == 0)
        map.strides.back() = (std::uint64_t{1} << 40U) - 16 * (rng() % 3);
      map.box.push_back(std::uint32_t(draw({16, 32, 64, 1, 256}, 258)));
      map.element_strides.push_back(std::uint32_t(rng() % 6 == 0 ? rng() % 10 : 1));
    }
    if (rank == 0) map.strides.clear();
    constexpr std::int64_t kBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};
    driver_stub::EncodedMap given;
    given.sizes = map.sizes;
    given.strides = map.strides;
    given.box = map.box;
    given.element_strides = map.element_strides;
    oracle::TmaSettings settings;
    settings.type = static_cast<oracle::TmaType>(map.type);
    settings.base = std::int64_t(map.address);
    settings.swizzle = static_cast<oracle::TmaSwizzle>(map.swizzle);
    const bool is_legal =
        map.address != 0 && oracle::broken_rules(judged(given, kBytes[map.type]), settings).empty();
    const std::string said = refusal([&] { check_tensor_map(map); });
    EXPECT_EQ(said == "accepted", is_legal) << said;
    alignas(64) std::byte bytes[128];
    const int result = driver->calls().TensorMapEncodeTiled(
        bytes, map.type, unsigned(rank), reinterpret_cast<void*>(map.address), map.sizes.data(),
        map.strides.data(), map.box.data(), map.element_strides.data(), 0, int(map.swizzle), 0, 0);
    EXPECT_EQ(result, is_legal ? 0 : 1) << said;
    accepted += is_legal;
    if (!is_legal) continue;
    const auto sent = encoded(map);
    EXPECT_EQ(sent.sizes, map.sizes);
    EXPECT_EQ(sent.strides, map.strides);
    EXPECT_EQ(sent.box, map.box);
    EXPECT_EQ(sent.element_strides, map.element_strides);
  }
  std::printf("[FIGURE] tensor maps: %d of %d random ones legal\n", accepted, cases);
  EXPECT_GT(accepted, cases / 100);
  EXPECT_LT(accepted, cases);
}

TEST_F(TensorMaps, ThatBreakARuleAreRefusedByNameAndMendedByTheHelp) {
  const TensorMapParameters legal{.tensor = "T0",
                                  .names = {"column", "row"},
                                  .type = 7,
                                  .address = 4096,
                                  .sizes = {200, 100},
                                  .strides = {800},
                                  .box = {32, 16},
                                  .element_strides = {1, 1}};
  EXPECT_EQ(refusal([&] { encode(*driver, legal); }), "accepted");
  struct Row {
    void (*spoil)(TensorMapParameters&);
    const char* message;
    void (*mend)(TensorMapParameters&);
  };
  using M = TensorMapParameters;
  const Row rows[] = {
      {[](M& m) { m.address = 4104; },
       "its address, 0x1008, is no multiple of 16; help: let T0 begin at a multiple of 16 bytes",
       [](M& m) { m.address = 4112; }},
      {[](M& m) { m.address = 0; },
       "its address, 0x0, is null; help: let T0 begin at a multiple of 16 bytes",
       [](M& m) { m.address = 16; }},
      {[](M& m) { m.sizes[1] = (std::uint64_t{1} << 32U) + 1; },
       "row has 4294967297 items; help: make them 1 to 2^32", [](M& m) { --m.sizes[1]; }},
      {[](M& m) { m.strides[0] = 808; },
       "the items of row lie 808 bytes apart; help: make that a multiple of 16, such as 816",
       [](M& m) { m.strides[0] = 816; }},
      {[](M& m) { m.strides[0] = std::uint64_t{1} << 40U; },
       "the items of row lie 1099511627776 bytes apart; help: make that less than 2^40",
       [](M& m) { m.strides[0] -= 16; }},
      {[](M& m) { m.box[1] = 257; }, "the box has 257 items of row; help: make them 1 to 256",
       [](M& m) { m.box[1] = 256; }},
      {[](M& m) { m.element_strides[1] = 9; },
       "one of 9 items of row is taken; help: take one of "
       "1 to 8",
       [](M& m) { m.element_strides[1] = 8; }},
      {[](M& m) { m.box[0] = 33; },
       "the box has 132 bytes of column, the innermost dimension; help: make that a multiple of "
       "16, such as 144",
       [](M& m) { m.box[0] = 36; }},
      {[](M& m) { m.swizzle = TmaSwizzle::B64; },
       "the box has 128 bytes of column, the innermost dimension, and a swizzle of 64B; help: make "
       "that at most 64 bytes",
       [](M& m) { m.box[0] = 16; }},
      {[](M& m) { m.type = 10; }, "10 is no type; help: use a type from 0 (UINT8) to 9 (BFLOAT16)",
       [](M& m) { m.type = 2; }},
      {[](M& m) { m.strides.clear(); },
       "2 sizes, 0 strides, 2 boxes and 2 element strides; help: give a size, a box and an element "
       "stride to each dimension, and a stride to all but the innermost",
       [](M& m) { m.strides = {800}; }},
      {[](M& m) { m.sizes.clear(); }, "it has 0 dimensions; help: make them 1 to 5",
       [](M& m) {
         m.sizes = {200, 100};
       }},
  };
  for (const Row& row : rows) {
    TensorMapParameters map = legal;
    row.spoil(map);
    EXPECT_EQ(refusal([&] { encode(*driver, map); }),
              "selvage: error[E716]: the tensor map of T0: " + std::string(row.message));
    row.mend(map);
    EXPECT_EQ(refusal([&] { encode(*driver, map); }), "accepted") << row.message;
  }
}

TEST_F(TensorMaps, OfSymbolicSizesAreMadeAtLaunch) {
  const TmaCase k(
      "logical: {I0: M, I1: N}, align: 4, transforms: [{split: {in: I0, factor: 16, out: [R, r]}}, "
      "{split: {in: I1, factor: 32, out: [C, c]}}], loop: [R, C, r, c], bind: {r: Bulk, c: Bulk, "
      "C: BIDx}",
      "symbols: {M: {max: 1000000}, N: {max: 1000000}}, ");
  ASSERT_EQ(k.refusal(), "legal");
  const auto map = encoded(parameters(k, {{"M", 5}, {"N", 100}}));
  EXPECT_EQ(map.sizes, (std::vector<std::uint64_t>{100, 5}));
  EXPECT_EQ(map.strides, (std::vector<std::uint64_t>{400}));
  const std::string head = "selvage: error[E716]: the tensor map of T0: ";
  EXPECT_EQ(
      refusal([&] {
        parameters(k, {{"M", 5}, {"N", 101}});
      }),
      head +
          "N * 4 % 16 == 0 does not hold for N = 101; help: use sizes and an address for which "
          "it does, or copy without TMA");
  EXPECT_EQ(refusal([&] {
              parameters(k, {{"M", 5}, {"N", 100}}, 4 + kAddress);
            }),
            head +
                "T0 % 16 == 0 does not hold for T0 = 1048580; help: use sizes and an address "
                "for which it does, or copy without TMA");
  EXPECT_EQ(refusal([&] {
              parameters(k, {{"N", 100}});
            }),
            head + "M has no value; help: give M a value");
}

TEST_F(TensorMaps, AreNotToBeHadFromAnOlderDriver) {
  stub.set_driver_version(11080);
  const auto older = Driver::open(kStub);
  auto& calls = const_cast<DriverCalls&>(older->calls());
  calls.TensorMapEncodeTiled = nullptr;
  calls.GraphInstantiate = nullptr;
  EXPECT_EQ(refusal([&] {
              encode(*older, {.tensor = "T0",
                              .type = 0,
                              .address = 16,
                              .sizes = {16},
                              .box = {16},
                              .element_strides = {1}});
            }),
            "selvage: error[E705]: the driver, of CUDA 11.8, has no cuTensorMapEncodeTiled; help: "
            "install a driver of CUDA 12.0 or later");
  EXPECT_EQ(refusal([&] { Capture(*older, nullptr); }),
            "selvage: error[E705]: the driver, of CUDA 11.8, has no cuGraphInstantiateWithFlags; "
            "help: install a driver of CUDA 11.4 or later");
}

}  // namespace
}  // namespace selvage
