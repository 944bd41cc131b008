// The random cases: well formed, about half of them legal, read by the engine as they are meant,
// and shrunk to what matters.
#include <gtest/gtest.h>

#include <selvage/expr/text.h>

#include <algorithm>
#include <functional>

#include "tests/oracle/brute_force.h"
#include "tests/oracle/random_access_case.h"
#include "tests/oracle/steps.h"
#include "tests/support/counts.h"
#include "tests/support/engine_access.h"

namespace selvage::oracle {
namespace {

using Draw = std::function<AccessCase(std::mt19937_64&)>;
using Judge = std::function<bool(const AccessCase&)>;

bool is_legal_vector(const AccessCase& c) { return vector_access(c).legal(); }
bool is_free_of_conflicts(const AccessCase& c) {
  const auto store = store_conflicts(c), load = load_conflicts(c);
  return store && load && store->degree <= 1 && load->degree <= 1;
}
bool needs_no_initialisation(const AccessCase& c) { return !fills(c).needs_initialisation(); }
bool is_legal_tma(const AccessCase& c) {
  return tma_copy(c).weak() && broken_rules(tensor_map(c)).empty();
}

struct Family {
  const char* name;
  Draw draw_case;
  Judge is_legal;
};
const Family kFamilies[] = {{"vectors", random_vector_case, is_legal_vector},
                            {"banks", random_bank_case, is_free_of_conflicts},
                            {"fills", random_fill_case, needs_no_initialisation},
                            {"tma", random_tma_case, is_legal_tma}};

TEST(RandomAccessCases, AreWellFormedAndAboutHalfAreLegal) {
  for (const Family& family : kFamilies) {
    std::mt19937_64 rng(11);
    const int cases = count(300, 5'000);
    int legal = 0;
    for (int i = 0; i < cases; ++i) {
      const AccessCase c = family.draw_case(rng);
      ASSERT_TRUE(is_well_formed(c)) << family.name << " " << i << "\n" << to_yaml(c);
      legal += family.is_legal(c);
    }
    std::printf("[FIGURE] %s: %.0f %% of %d random cases are legal\n", family.name,
                100.0 * legal / cases, cases);
    EXPECT_GE(legal * 10, cases * 3) << family.name;
    EXPECT_LE(legal * 10, cases * 7) << family.name;
  }
}

TEST(RandomAccessCases, AreTheSameForTheSameSeed) {
  for (const Family& family : kFamilies) {
    std::mt19937_64 a(5), b(5);
    for (int i = 0; i < 20; ++i)
      EXPECT_EQ(to_yaml(family.draw_case(a)), to_yaml(family.draw_case(b)));
  }
}

std::vector<int> numbers_of(const EngineAccess& engine, const std::vector<DomainId>& domains) {
  std::vector<int> r;
  for (DomainId d : domains) r.push_back(engine.oracle_id(d));
  return r;
}

// What the engine reads from the case's file, where that is something else.
std::string misread(const AccessCase& c) {
  const EngineAccess engine(c);
  const TensorInfo& info = engine.info();
  if (size_of(info.type) != c.layout.element_bytes) return "type";
  if (info.align != c.layout.align) return "align";
  const std::vector<DomainId>& allocation =
      info.allocation.empty() ? info.logical : info.allocation;
  if (numbers_of(engine, allocation) != c.layout.allocation) return "allocation";
  if (!info.strides.empty())
    for (std::size_t k = 0; k < info.strides.size(); ++k)
      if (!info.strides[k].is_const(c.layout.strides[k])) return "strides";
  if (info.strides.empty() &&
      c.layout.strides != dense_layout(c.graph, c.layout.allocation).strides)
    return "dense";
  const auto& loops = engine.schedule().loop_domains(engine.tensor().tensor);
  if (numbers_of(engine, loops) != c.graph.loop) return "loop";
  for (DomainId d : loops) {
    const auto bound = c.binding.find(engine.oracle_id(d));
    const bool is_vector = bound != c.binding.end() && bound->second == Role::Vector;
    const bool is_bulk = bound != c.binding.end() && bound->second == Role::Bulk;
    const ParallelType type = engine.schedule().parallel(engine.tensor().tensor, d);
    if (is_vector != (type == ParallelType::Vectorize)) return "Vectorize";
    if (is_bulk != (type == ParallelType::Bulk)) return "Bulk";
    if ((bound == c.binding.end()) != (type == ParallelType::Serial)) return "bind";
    const Expr extent = engine.schedule().graph()[d].extent;
    if (!extent.is_const(c.graph.extents[engine.oracle_id(d)])) return "extent";
  }
  if (engine.tensor().reading.has_value() != c.reader.has_value()) return "read";
  if (!c.reader) return {};
  const Schedule& reading = *engine.tensor().reading;
  const TensorId t = engine.tensor().tensor;
  const auto& read_by = reading.loop_domains(t);
  if (read_by.size() != c.reader->graph.loop.size()) return "read.loop";
  for (std::size_t k = 0; k < read_by.size(); ++k) {
    const int x = c.reader->graph.loop[k];
    if (reading.name(t, read_by[k]) != name_in_reader(c, x)) return "read.loop names";
    if (!reading.graph()[read_by[k]].extent.is_const(c.reader->graph.extents[x]))
      return "read.loop extents";
    const auto bound = c.reader->binding.find(x);
    const bool is_bound = bound != c.reader->binding.end();
    if (is_bound == (reading.parallel(t, read_by[k]) == ParallelType::Serial)) return "read.bind";
  }
  return {};
}

TEST(RandomAccessCases, AreReadByTheEngineAsTheyAreMeant) {
  for (const Family& family : kFamilies) {
    std::mt19937_64 rng(7);
    for (int i = 0; i < count(100, 2'000); ++i) {
      const AccessCase c = family.draw_case(rng);
      EXPECT_EQ(misread(c), "") << family.name << " " << i << "\n" << to_yaml(c);
      if (HasFailure()) return;
    }
  }
}

TEST(RandomAccessCases, AnOpenStrideIsASymbolOfTheFile) {
  AccessCase c;
  c.graph = make_graph({4, 8});
  c.layout = {{0, 1}, {10, 1}, 2};
  c.open_strides = 1;
  c.binding[split_by(c.graph, 1, 2).inner] = Role::Vector;
  EXPECT_EQ(to_yaml(c),
            "symbols: {S0: {}}\n"
            "tensors:\n"
            "  T0:\n"
            "    dtype: half\n"
            "    logical: {I0: 4, I1: 8}\n"
            "    transforms:\n"
            "      - split: {in: I1, factor: 2, out: [I2, I3]}\n"
            "    loop: [I0, I2, I3]\n"
            "    strides: [S0, 1]\n"
            "    bind: {I3: Vectorize}\n");
  EXPECT_EQ(selvage::to_string(EngineAccess(c).info().strides[0]), "S0");
}

TEST(RandomAccessCases, AReaderIsWrittenWithNamesOfItsOwn) {
  AccessCase c;
  c.is_shared = true;
  c.asks_fill = true;
  c.graph = make_graph({10});
  const OuterInner cut = split_by(c.graph, 0, 4);
  c.base_steps = 1;
  c.layout = dense_layout(c.graph, {cut.outer, cut.inner});
  AccessCase::Reader reader{c.graph, {}};
  reader.graph.view_steps = 1;
  reader.graph.loop = reader.graph.logical;
  const OuterInner by_five = split_by(reader.graph, 0, 5);
  reader.binding[by_five.inner] = Role::ThreadX;
  c.reader = reader;
  c.binding[cut.outer] = Role::ThreadY;
  EXPECT_EQ(to_yaml(c),
            "tensors:\n"
            "  T0:\n"
            "    dtype: float\n"
            "    logical: {I0: 10}\n"
            "    transforms:\n"
            "      - split: {in: I0, factor: 4, out: [I1, I2]}\n"
            "    loop: [I1, I2]\n"
            "    allocation: [I1, I2]\n"
            "    bind: {I1: TIDy}\n"
            "    memory: shared\n"
            "    fill: 0\n"
            "    read:\n"
            "      transforms:\n"
            "        - split: {in: I0, factor: 5, out: [R3, R4]}\n"
            "      loop: [R3, R4]\n"
            "      bind: {R4: TIDx}\n");
  EXPECT_EQ(misread(c), "");
  c.reader->guarded = false;  // which no file says, but a printed case does
  EXPECT_NE(to_yaml(c).find("read:  # without its guard\n"), std::string::npos);
  EXPECT_EQ(misread(c), "");
}

// The order of the loops changes no group, and so no verdict.
TEST(RandomAccessCases, TheVerdictOnAVectorDoesNotDependOnTheOrderOfLoops) {
  std::mt19937_64 rng(3);
  for (int i = 0; i < count(200, 3'000); ++i) {
    AccessCase c = random_vector_case(rng);
    const VectorAccess before = vector_access(c);
    std::sort(c.graph.loop.begin(), c.graph.loop.end());
    const VectorAccess after = vector_access(c);
    EXPECT_EQ(before.legal(), after.legal()) << to_yaml(c);
    EXPECT_EQ(before.full, after.full);
    EXPECT_EQ(before.partial, after.partial);
  }
}

TEST(RandomAccessCases, ShrinkToACaseThatIsStillIllegal) {
  for (const Family& family : kFamilies) {
    std::mt19937_64 rng(2);
    std::int64_t largest = 0;
    for (int i = 0, found = 0; found < 10 && i < 1'000; ++i) {
      const AccessCase c = family.draw_case(rng);
      const auto is_illegal = [&](const AccessCase& d) {
        return d.reader.has_value() == c.reader.has_value() && !family.is_legal(d);
      };
      if (!is_illegal(c)) continue;
      ++found;
      const AccessCase small = shrink(c, is_illegal);
      EXPECT_TRUE(is_well_formed(small)) << to_yaml(small);
      EXPECT_TRUE(is_illegal(small)) << to_yaml(small);
      EXPECT_EQ(misread(small), "") << to_yaml(small);
      EXPECT_LE(loop_points(small.graph), loop_points(c.graph));
      largest = std::max(largest, loop_points(small.graph));
    }
    EXPECT_LE(largest, 200) << family.name;
  }
}

}  // namespace
}  // namespace selvage::oracle
