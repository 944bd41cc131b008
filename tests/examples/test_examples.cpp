// Every C++ example agrees with its unscheduled program at awkward sizes, on both machines, and
// compiles for sm_90a without local memory.
#include <selvage/codegen/cuda.h>
#include <selvage/expr/symbols.h>
#include <selvage/expr/text.h>
#include <selvage/ir/reads.h>
#include <selvage/runtime/nvrtc.h>
#include <selvage/simplifier/point.h>
#include <tests/support/static_counts.h>

#include <gtest/gtest.h>

#include <iostream>
#include <set>

#include "examples/cpp/examples.h"
#include "tests/support/lowered.h"
#include "tests/support/refusal.h"

namespace selvage {

void PrintTo(const Example& example, std::ostream* out) { *out << example.name; }

namespace {

class EveryExample : public testing::TestWithParam<Example> {};

TEST_P(EveryExample, AgreesAtAwkwardSizes) {
  const Example& example = GetParam();
  test::SizeList sizes;
  for (std::int64_t n : {1, 2, 31, 33, 127, 1023, 1024, 1027}) {
    for (std::int64_t rows : {std::int64_t(0), std::int64_t(1), std::int64_t(3), n}) {
      if (rows == n && n > 127) continue;
      auto& at = sizes.emplace_back();
      for (const std::string& name : example.sizes) at[name] = n;
      at["B"] = rows;
      if (at.contains("K")) at["K"] = n / 2 + 1;
    }
  }
  test::expect_agreement(*example.fusion, example.schedule, sizes);
}

TEST_P(EveryExample, CompilesForSm90aWithoutLocalMemory) {
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc == nullptr) GTEST_SKIP() << "NVRTC: " << Nvrtc::why_absent();
  const Program program = lower(*GetParam().fusion, GetParam().schedule);
  std::vector<KernelSource> sources;
  for (const ProgramStep& step : program.steps) {
    for (const Kernel& kernel : step.variants) {
      const CudaText text = cuda(kernel);
      sources.push_back({text.text, text.name, text.parameter_types});
    }
  }
  const CompiledKernels compiled = nvrtc->compile(sources, {.ptx = true});
  // Inputs are read by way of the read-only cache; past all caches what is read once.
  for (std::size_t at = 0; (at = compiled.ptx.find("ld.global", at)) != std::string::npos; ++at) {
    const std::string how = compiled.ptx.substr(at + 9, 3);
    EXPECT_TRUE(how == ".nc" || how == ".cs") << how;
  }
  const auto counts = count_sass(compiled.cubin);
  for (const KernelSource& source : sources) {
    const KernelResources& used = compiled.kernel(source.name);
    EXPECT_EQ(used.stack_bytes + used.spill_load_bytes + used.spill_store_bytes, 0) << source.name;
    const StaticCounts& c = counts.at(source.name);
    EXPECT_EQ(c.local_loads + c.local_stores, 0) << source.name;
    std::cout << "[FIGURE] " << GetParam().name << " " << source.name << ": " << used.registers
              << " registers, " << used.shared_bytes << " bytes shared, " << c.barriers
              << " barriers, " << c.shuffles << " shuffles, " << c.instructions
              << " instructions\n";
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, EveryExample, testing::ValuesIn(examples()),
                         [](const auto& info) { return info.param.name; });

// 1,024 threads of a block keep eight items each.
TEST(Examples, ARowThatIsTooLongToBeKeptIsReadAgain) {
  for (Example (*norm)(Row) : {softmax, layer_norm, rms_norm}) {
    const auto run_at = [&](Row row, std::int64_t items) {
      const Example e = norm(row);
      return run(*e.fusion, lower(*e.fusion, e.schedule),
                 {.sizes = {{"B", 2}, {"H", items}}, .on = Machine::Virtual})
          .passed();
    };
    EXPECT_TRUE(run_at(Row::Kept, 8192));
    EXPECT_EQ(
        refusal_by<BadInput>([&] { run_at(Row::Kept, 8193); }),
        "selvage: error[E621]: H < 8193 does not hold at H = 8193: the block's x of kernel_y, "
        "(H + 255) / 256 * 32, must be at most 1024; narrower blocks would not do: how many "
        "elements of x_row are kept in registers, (H + 8191) / 8192 * 8, is no number; help: "
        "choose sizes for which it holds, such as H = 8192");
    EXPECT_TRUE(run_at(Row::Again, 8193));
    EXPECT_TRUE(run_at(Row::Again, 20'000));
  }
}

// Addresses in the tile that a kernel stores to or reads from, each with the lane's variable.
struct TileAccesses {
  const Kernel& kernel;
  std::vector<std::pair<Expr, Expr>> found = {};

  void visit(const Body& body, Expr lane) {
    for (const Statement& s : body) {
      if (const auto* loop = std::get_if<Loop>(&s.node)) {
        visit(loop->body, loop->parallel == ParallelType::TIDx ? loop->variable : lane);
      } else if (const auto* guard = std::get_if<Guard>(&s.node)) {
        visit(guard->body, lane);
        visit(guard->otherwise, lane);
      } else if (const auto* store = std::get_if<Store>(&s.node)) {
        if (is_tile(store->buffer)) found.emplace_back(store->address, lane);
        for (ValueId v : values_under(kernel.values, store->value)) {
          const ValueNode& node = kernel.values[v];
          if (node.kind == ValueNode::Kind::Read && is_tile(BufferId(node.source))) {
            found.emplace_back(node.subscripts[0], lane);
          }
        }
      }
    }
  }
  bool is_tile(BufferId b) const { return kernel.buffers[b].memory == Memory::Shared; }
};

TEST(Examples, ATransposedTileIsStoredAndReadWithoutBankConflicts) {
  const Example e = transpose();
  const Program program = lower(*e.fusion, e.schedule);
  for (const Kernel& kernel : program.steps[0].variants) {
    TileAccesses accesses{kernel};
    accesses.visit(kernel.body, {});
    EXPECT_GE(accesses.found.size(), 2u);
    for (const auto& [address, lane] : accesses.found) {
      for (std::int64_t other = 0; other < 4; ++other) {  // of 4 steps and 8 warps
        std::set<std::int64_t> banks;
        for (std::int64_t l = 0; l < 32; ++l) {
          Point at;
          for (Expr s : symbols_of(std::span(&address, 1))) {
            at.emplace_back(s, same(s, lane) ? l : other);
          }
          banks.insert(value_at(address, at).value() % 32);
        }
        EXPECT_EQ(banks.size(), 32u) << to_string(address);
      }
    }
  }
}

}  // namespace
}  // namespace selvage
