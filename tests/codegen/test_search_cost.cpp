// How many offsets a search for the row of a position compares: as many as it takes to tell so many
// rows apart, the logarithm of their number, and no more. Counted in the text that is emitted, by
// every outcome, and in emulated runs.
#include <selvage/codegen/cuda.h>
#include <selvage/emulate/emulate.h>
#include <selvage/emulate/watch.h>
#include <selvage/ir/ragged.h>
#include <selvage/lower/program.h>
#include <selvage/runtime/virtual_unit.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "tests/codegen/run.h"
#include "tests/support/counts.h"

namespace selvage {
namespace {

constexpr std::int64_t kMostRows = 2048;

// The logarithm of the number of rows, rounded up.
std::int64_t compares_of(std::int64_t rows) {
  return std::bit_width(static_cast<std::uint64_t>(rows - 1));
}

// Each item is the number of its row, and each thread has a position: the kernels, for indices of
// 32 and of 64 bits, read offsets to search for that row, and for nothing else.
std::vector<Kernel> kernels_that_search(DataType type) {
  Fusion f;
  const Expr B = f.extent("B", 1), b = f.fresh_index("b"), j = f.fresh_index("j");
  const RowsId rows = add_rows(f.input("off", {B + 1}, type));
  const Tensor y = f.output("y", compute_ragged(f, "", rows, {b, j}, {}, Element(b)));
  Schedule s(f);
  const auto loops = s.loops(y);
  const auto [block, thread] = s.split(s.merge(loops[0], loops[1], "p"), 128);
  s.bind(block, ParallelType::BIDx).bind(thread, ParallelType::TIDx);
  return lower(f, s).steps.at(0).variants;
}

// The function that a kernel's text has for its search, compiled with a count at its comparison.
template <class Offset>
class CountedSearch {
 public:
  explicit CountedSearch(const Kernel& kernel) {
    KernelSource source = test::source_of(cuda(kernel));
    std::string& text = source.text;
    const std::string compared = "offsets[middle]";
    const std::size_t at = text.find(compared);
    EXPECT_NE(at, std::string::npos) << text;
    EXPECT_EQ(text.find(compared, at + 1), std::string::npos) << text;
    text.replace(at, compared.size(), "offsets[(++compares, middle)]");
    const std::size_t name = text.rfind("row_at", at);
    const std::string function = text.substr(name, text.find('(', name) - name);
    const std::string head = "#endif\n", offset = sizeof(Offset) == 8 ? "long long" : "int";
    text.insert(text.find(head) + head.size(), "static long long compares;\n");
    text += "long long counted(const " + offset +
            "* offsets, long long first, long long last, long long position, long long added,\n"
            "    long long* count) {\n  compares = 0;\n  const long long row = " +
            function + "(offsets, first, last, position, added);\n" +
            "  *count = compares;\n  return row;\n}\n";
    unit_ = has_tcc() ? compile_by_tcc(source) : compile_by_gcc(source);
    function_ = reinterpret_cast<Function*>(unit_->symbol("counted"));
  }

  // The row that is found; `count`: after so many comparisons.
  std::int64_t operator()(const std::vector<Offset>& offsets, std::int64_t first, std::int64_t last,
                          std::int64_t position, std::int64_t added, long long& count) const {
    return function_(offsets.data(), first, last, position, added, &count);
  }

 private:
  using Function = long long(const Offset*, long long, long long, long long, long long, long long*);
  std::unique_ptr<VirtualUnit> unit_;
  Function* function_ = nullptr;
};

// Rows of one item, or of none with one position more than items: either way a row is that of the
// position of the same number. The rows from `first` to `last` are searched.
template <class Offset>
void expect_logarithm(DataType type) {
  std::vector<Offset> single(kMostRows + 4), none(kMostRows + 4, 0);
  std::iota(single.begin(), single.end(), Offset{0});
  const std::vector<Kernel> kernels = kernels_that_search(type);
  EXPECT_EQ(kernels.size(), 2u);  // 32 and 64 bits
  for (const Kernel& kernel : kernels) {
    const CountedSearch<Offset> search(kernel);
    for (std::int64_t rows = 1; rows <= kMostRows; ++rows) {
      const std::int64_t first = rows % 4, last = first + rows - 1;
      long long most = 0;
      for (std::int64_t row = first; row <= last; ++row) {
        const bool has_ends = (row + rows / 4) % 2 == 0;
        long long count = 0;
        ASSERT_EQ(search(has_ends ? none : single, first, last, row, has_ends, count), row);
        most = std::max(most, count);
      }
      ASSERT_EQ(most, compares_of(rows)) << rows << " rows from " << first << " on";
    }
  }
}

TEST(SearchCost, TheTextComparesAsManyOffsetsAsTheLogarithmSays) {
  expect_logarithm<std::int64_t>(DataType::Int64);
  expect_logarithm<std::int32_t>(DataType::Int32);
}

// By thread, how many offsets it has loaded.
class OffsetCounter : public RunWatcher {
 public:
  void loaded(const RunView& view, BufferId b, std::int64_t, Scalar) override {
    if (view.kernel().buffers[b].name != "off") return;
    const std::int64_t threads = 128;
    ++counts[static_cast<std::size_t>(view.block() * threads + view.thread())];
  }
  std::vector<std::int64_t> counts = std::vector<std::int64_t>(kMostRows + 128);
};

TEST(SearchCost, AnEmulatedRunLoadsAsManyOffsetsAsTheLogarithmSays) {
  const Kernel kernel = kernels_that_search(DataType::Int64).front();
  Array offsets(DataType::Int64, {kMostRows + 1});
  for (std::int64_t k = 0; k <= kMostRows; ++k) offsets.set_int(k, k);
  Array found(DataType::Int64, {kMostRows});
  for (std::int64_t rows = 1; rows <= kMostRows; rows += count(rows < 70 ? 1 : 89, 1)) {
    OffsetCounter counter;
    std::vector<Array*> arrays;
    for (const Buffer& b : kernel.buffers) arrays.push_back(b.name == "off" ? &offsets : &found);
    const Emulation run =
        emulate(kernel, {{"B", rows}, {"off_items", rows}}, arrays, {.watcher = &counter});
    EXPECT_EQ(run.fault_count, 0);
    for (std::int64_t row = 0; row < rows; ++row) ASSERT_EQ(found.get_int(row), row);
    ASSERT_EQ(std::ranges::max(counter.counts), compares_of(rows)) << rows << " rows";
  }
}

}  // namespace
}  // namespace selvage
