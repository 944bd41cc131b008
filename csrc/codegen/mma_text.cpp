#include <selvage/codegen/mma_text.h>
#include <selvage/kernel/statements.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace selvage {

namespace {

std::string_view ptx_type(DataType type) { return type == DataType::BFloat16 ? "bf16" : "f16"; }
std::string_view macro(bool is_a_shared) {
  return is_a_shared ? "begin_mma" : "begin_mma_of_registers";
}

// Matrix multiplications by a warpgroup. A tile is told by a descriptor (PTX ISA, matrix descriptor
// of wgmma): its address, the distance of 8 elements along the depth, which is that of a part, and
// the distance of 8 rows, 128 bytes, each over 16. No swizzle. What registers hold is put together
// in front of the fence, as nothing else may touch them behind it.
constexpr const char* kMma =
    "#ifndef begin_mma\n"
    "#if defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL)\n"
    "#error matrix multiplications by a warpgroup need sm_90a\n"
    "#endif\n"
    "#define fence_mma() asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\")\n"
    "#define begin_mma(type, columns, sums, a, b) mma_##type##_##columns(sums, a, b)\n"
    "#define begin_mma_of_registers(type, columns, sums, a, b) \\\n"
    "  mma_of_registers_##type##_##columns(sums, a, b)\n"
    "#define end_mma_group() asm volatile(\"wgmma.commit_group.sync.aligned;\" ::: \"memory\")\n"
    "#define wait_for_mma_groups(pending) \\\n"
    "  asm volatile(\"wgmma.wait_group.sync.aligned %0;\" :: \"n\"(pending) : \"memory\")\n"
    "#define mma_result(sum) asm volatile(\"\" : \"+f\"(sum) :: \"memory\")\n"
    "#define mma_tile(at, rows) \\\n"
    "  ((unsigned long long)(shared_address(at) >> 4 & 0x3fff) | \\\n"
    "   (unsigned long long)(rows) << 16 | 8ull << 32)\n"
    "#define mma_pair(a, k) ((unsigned)(a)[k] | (unsigned)(a)[(k) + 1] << 16)\n"
    "#define mma_register(name, a, k) \\\n"
    "  unsigned name##k = mma_pair(a, 2 * k); \\\n"
    "  asm volatile(\"\" : \"+r\"(name##k) :: \"memory\")\n"
    "#define load_mma_registers(name, a) \\\n"
    "  mma_register(name, a, 0); mma_register(name, a, 1); \\\n"
    "  mma_register(name, a, 2); mma_register(name, a, 3)\n"
    "#endif\n";

// Of one shape: sums of so many columns; all operands by number, as in the text of the instruction.
std::string shape_head(DataType type, std::int64_t columns, bool is_a_shared) {
  const std::int64_t sums = columns / 2, of_a = is_a_shared ? 1 : 4;
  std::vector<std::string> numbers, operands, registers;
  for (std::int64_t v = 0; v < sums; ++v) {
    numbers.push_back(fmt::format("%{}", v));
    operands.push_back(fmt::format("\"+f\"((sums)[{}])", v));
  }
  for (std::int64_t k = 0; k < of_a; ++k) registers.push_back(fmt::format("%{}", sums + k));
  const std::string a =
      is_a_shared ? "\"l\"(mma_tile(a, 64))" : "\"r\"(a##0), \"r\"(a##1), \"r\"(a##2), \"r\"(a##3)";
  const std::string name =
      fmt::format("{}_{}_{}", is_a_shared ? "mma" : "mma_of_registers", ptx_type(type), columns);
  std::string text = fmt::format(
      "#ifndef {0}\n"
      "#define {0}(sums, a, b) \\\n"
      "  asm volatile(\"{{ .reg .pred adds; setp.eq.u32 adds, 0, 0; \" \\\n"
      "               \"wgmma.mma_async.sync.aligned.m64n{1}k16.f32.{2}.{2} {{\" \\\n",
      name, columns, ptx_type(type));
  // Eight to a line.
  const auto lines = [&](const std::vector<std::string>& items, const char* open,
                         const char* close) {
    for (std::size_t at = 0; at < items.size(); at += 8) {
      const bool is_last = at + 8 >= items.size();
      const std::vector<std::string> some(
          items.begin() + std::ptrdiff_t(at),
          is_last ? items.end() : items.begin() + std::ptrdiff_t(at + 8));
      text += fmt::format("               {}{}{}{} \\\n", open, fmt::join(some, ", "),
                          is_last ? "" : ", ", close);
    }
  };
  lines(numbers, "\"", "\"");
  text += fmt::format("               \"}}, {0}{1}{2}, %{3}, adds, 1, 1{4}; }}\" : \\\n",
                      is_a_shared ? "" : "{", fmt::join(registers, ", "), is_a_shared ? "" : "}",
                      sums + of_a, is_a_shared ? ", 0, 0" : ", 0");
  lines(operands, "", "");
  text += fmt::format(
      "               : {}, \\\n               \"l\"(mma_tile(b, {})) : "
      "\"memory\")\n#endif\n",
      a, columns);
  return text;
}

}  // namespace

std::string MmaText::place(BufferId b, Expr address, std::int64_t further) const {
  const std::string at = buffers_.place(b, index_.write_converted(address));
  return further == 0 ? at : fmt::format("{} + {}", at, further);
}

std::vector<std::string> MmaText::multiply(const Mma& mma) {
  const DataType type = kernel_.buffers[mma.b].type;
  shapes_.insert({type, mma.columns, mma.is_a_shared});
  std::vector<std::string> lines, products;
  for (std::int64_t k = 0; k < mma.depth; k += Mma::kStep) {
    const std::int64_t of_a =
        mma.is_a_shared ? Mma::kRows * k : Mma::kRows * k / kWarpgroup;  // elements before
    std::string a = place(mma.a, mma.a_address, of_a);
    if (!mma.is_a_shared) {
      const std::string name = fmt::format("selvage_a{}_", loaded_++);
      lines.push_back(fmt::format("load_mma_registers({}, {});", name, a));
      a = name;
    }
    products.push_back(fmt::format(
        "{}({}, {}, {}, {}, {});", macro(mma.is_a_shared), ptx_type(type), mma.columns,
        place(mma.sums, mma.sums_address, 0), a, place(mma.b, mma.b_address, mma.columns * k)));
  }
  lines.emplace_back("fence_mma();");
  std::ranges::move(products, std::back_inserter(lines));
  return lines;
}

std::vector<std::string> MmaText::results() const {
  std::set<BufferId> sums;
  for_each_statement(kernel_.body, [&](const Statement& s) {
    if (const auto* mma = std::get_if<Mma>(&s.node)) sums.insert(mma->sums);
  });
  std::vector<std::string> lines;
  for (BufferId b : sums) {
    for (std::int64_t v = 0; v < kernel_.buffers[b].elements.value(); ++v) {
      lines.push_back(fmt::format("mma_result({});", buffers_.element(b, std::to_string(v))));
    }
  }
  return lines;
}

std::vector<std::string> MmaText::head() const {
  std::vector<std::string> head;
  if (!shapes_.empty()) head.emplace_back(kMma);
  for (const Shape& s : shapes_) head.push_back(shape_head(s.type, s.columns, s.is_a_shared));
  return head;
}

}  // namespace selvage
