// Every access mode, type and rank, at sizes known and symbolic, against tables that NumPy made:
// the unscheduled program, the emulator and the virtual device read the elements that numpy.pad
// puts there, and NVRTC compiles the kernels.
#include <selvage/base/points.h>
#include <selvage/codegen/cuda.h>
#include <selvage/ir/gather.h>
#include <selvage/lower/program.h>
#include <selvage/runtime/nvrtc.h>
#include <tests/support/counts.h>
#include <tests/support/lowered.h>
#include <tests/values/number_table.h>

#include <gtest/gtest.h>

#include <cstring>

namespace selvage::test {

namespace {

constexpr DataType kTypes[] = {
    DataType::Bool,     DataType::Int8,   DataType::Int16,  DataType::Int32,  DataType::Int64,
    DataType::UInt8,    DataType::UInt16, DataType::UInt32, DataType::UInt64, DataType::Half,
    DataType::BFloat16, DataType::Float,  DataType::Double};

struct Case {
  AccessMode mode;
  DataType type;
  std::vector<std::int64_t> extents, distances;  // y goes on so far before and behind x
  bool is_symbolic;
};

// y[i, j] = x[mirror(i - 30), mirror(j - 4)], of N + 60 by M + 8 items; the program that was run.
Program expect_numpy(const Case& c, const std::map<std::string, std::vector<std::int64_t>>& table) {
  Fusion f;
  std::vector<Expr> shape, wide, indices;
  std::vector<Subscript> at;
  std::vector<std::int64_t> items;
  RunRequest request{.on = Machine::Emulate, .on_all = true};
  for (std::size_t k = 0; k < c.extents.size(); ++k) {
    const std::string name = "N" + std::to_string(k);
    shape.push_back(c.is_symbolic ? f.extent(name) : f.constant(c.extents[k]));
    if (c.is_symbolic) request.sizes[name] = c.extents[k];
    wide.push_back(shape[k] + 2 * c.distances[k]);
    items.push_back(c.extents[k] + 2 * c.distances[k]);
    indices.push_back(f.fresh_index("i" + std::to_string(k)));
    at.push_back(Subscript(c.mode, indices[k] - c.distances[k]));
  }
  const Tensor x = f.input("x", shape, c.type);
  f.output("y", f.compute("y", indices, wide, gather(x, at)));
  Program program = lower(f);
  expect_verified(program);
  const RunResult result = run(f, program, request);
  EXPECT_TRUE(result.faults.empty()) << result.faults[0];
  for (const Comparison& comparison : result.comparisons) {
    EXPECT_EQ(comparison.mismatches, 0) << comparison.first;
  }
  const Array &from = result.inputs.at("x"), &to = result.outputs.at("y");
  const auto bytes = std::size_t(size_of(c.type));
  std::size_t number = 0;
  for_each_point(items, [&](const std::vector<std::int64_t>& point) {
    std::size_t address = 0;
    for (std::size_t k = 0; k < point.size(); ++k) {
      const std::vector<std::int64_t>& row =
          table.at(std::string(to_string(c.mode)) + " " + std::to_string(c.extents[k]));
      const std::int64_t place = point[k] - c.distances[k] + 10 * c.extents[k];
      address = address * std::size_t(c.extents[k]) + std::size_t(row.at(std::size_t(place)));
    }
    const bool is_it = std::memcmp(to.bytes.data() + number * bytes,
                                   from.bytes.data() + address * bytes, bytes) == 0;
    EXPECT_TRUE(is_it) << "item " << number;
    ++number;
    return is_it;
  });
  return program;
}

TEST(NumpyEdges, OfEveryModeTypeAndRank) {
  const auto table = number_table("numpy_edges.txt");
  const int stride = 416 / count(80, 416);  // of all cases
  int number = 0;
  std::vector<KernelSource> sources;
  for (const AccessMode mode :
       {AccessMode::Clamped, AccessMode::Circular, AccessMode::Mirror, AccessMode::Reflect}) {
    for (const DataType type : kTypes) {
      for (std::int64_t rank = 1; rank <= 4; ++rank) {
        for (const bool is_symbolic : {false, true}) {
          if (++number % stride != 0) continue;
          Case c{mode, type, {}, {}, is_symbolic};
          for (std::int64_t k = 0; k < rank; ++k) {
            // Up to ten times the extent, of one element, too.
            const std::int64_t n = rank == 1 ? 1 + number % 7 : 1 + (number + k) % 3;
            c.extents.push_back(n);
            c.distances.push_back(rank == 1 ? 10 * n : n + 1);
          }
          SCOPED_TRACE(std::string(to_string(mode)) + " " + std::string(to_string(type)) + " " +
                       testing::PrintToString(c.extents) + (is_symbolic ? " symbolic" : ""));
          const Program program = expect_numpy(c, table);
          if (testing::Test::HasFailure()) return;
          for (const ProgramStep& step : program.steps) {
            // Kernels that are compiled together have names of their own.
            Kernel kernel = step.variants[0];
            kernel.name += "_" + std::to_string(number);
            const CudaText text = cuda(kernel);
            if (number % 40 == 0) sources.push_back({text.text, text.name, text.parameter_types});
          }
        }
      }
    }
  }
  const Nvrtc* nvrtc = Nvrtc::instance();
  if (nvrtc != nullptr) {
    EXPECT_NO_THROW(nvrtc->compile(sources, {}));
  }
}

// Of each extent up to 7, at every distance up to ten times as far.
TEST(NumpyEdges, AtEveryDistance) {
  const auto table = number_table("numpy_edges.txt");
  for (std::int64_t n = 1; n <= 7; ++n) {
    for (int mode = 0; mode < 4; ++mode) {
      expect_numpy({AccessMode(mode), DataType::Int32, {n}, {10 * n}, n % 2 == 0}, table);
    }
  }
}

// An axis without elements has nothing to go on with, and nothing is read of it.
TEST(NumpyEdges, OfAnAxisWithoutElements) {
  for (int mode = 0; mode < 4; ++mode) {
    Fusion f;
    const Expr n = f.extent("N", 0), i = f.fresh_index("i");
    const Tensor x = f.input("x", {n}, DataType::Float);
    f.output("y", f.compute("y", {i}, {n}, x(Subscript(AccessMode(mode), i - 3))));
    for (const std::int64_t size : {0, 1, 5}) {
      expect_agreement(f, lower(f), {.sizes = {{"N", size}}});
    }
  }
}

}  // namespace

}  // namespace selvage::test
