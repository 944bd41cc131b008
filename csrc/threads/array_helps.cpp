#include <selvage/base/integer.h>
#include <selvage/expr/text.h>
#include <selvage/kernel/launch_limits.h>
#include <selvage/lower/shared_memory.h>
#include <selvage/threads/array_helps.h>
#include <selvage/threads/item_path.h>

#include <algorithm>
#include <string>
#include <utility>

namespace selvage {

namespace {

class ArrayMends {
 public:
  explicit ArrayMends(const ThreadProgram& program) : program_(program) {}

  // Mends for the array of the diagnostic: for an array in global memory alone, else for all arrays
  // that share its memory.
  std::vector<Mend> all(std::uint32_t own) {
    const Memory memory = program_.arrays[own].memory;
    const bool is_one = memory == Memory::Global;
    std::vector<std::uint32_t> all;
    for (std::uint32_t k = 0; k < program_.arrays.size(); ++k) {
      if (is_one ? k == own : program_.arrays[k].memory == memory) all.push_back(k);
    }
    const std::int64_t most = is_one                     ? INT64_MAX
                              : memory == Memory::Shared ? kMaxSharedBytes
                                                         : kMostLocalBytes;
    shrink({own}, most - (is_one ? 0 : bytes_but(all, own)));
    if (is_one) return std::move(mends_);
    if (all.size() > 1)
      shrink(all, most / std::int64_t(all.size()) / kSharedAlignment * kSharedAlignment, true);
    mends_.push_back(
        {"keep " + program_.arrays[own].name + " in global memory",
         [own](ThreadProgram& program) { program.arrays[own].memory = Memory::Global; }});
    return std::move(mends_);
  }

 private:
  std::int64_t bytes_but(const std::vector<std::uint32_t>& all, std::uint32_t own) const {
    std::int64_t bytes = 0;
    for (std::uint32_t k : all) {
      std::int64_t n = k == own ? 0 : std::int64_t(size_of(program_.arrays[k].type));
      for (Expr e : program_.arrays[k].shape) {
        n = checked_mul(n, e.is(Op::Const) ? e.value() : 1).value_or(INT64_MAX);
      }
      if (program_.arrays[k].memory == Memory::Shared) {
        n = checked_mul(ceil_div(n, kSharedAlignment), kSharedAlignment).value_or(INT64_MAX);
      }
      bytes = checked_add(bytes, n).value_or(INT64_MAX);
    }
    return bytes;
  }
  // Adds a mend that shrinks each of these arrays to at most so many bytes, outer axes first.
  void shrink(const std::vector<std::uint32_t>& arrays, std::int64_t bytes,
              bool is_last_resort = false) {
    std::vector<std::pair<std::uint32_t, std::vector<Expr>>> shapes;
    std::string help = "give ";
    for (std::uint32_t k : arrays) {
      const ThreadArray& a = program_.arrays[k];
      std::int64_t left = bytes / std::int64_t(size_of(a.type));
      std::vector<Expr> shape = a.shape;
      bool has_changed = false;
      if (left < 1) return;
      for (std::size_t axis = shape.size(); axis-- > 0;) {
        if (!shape[axis].is(Op::Const)) continue;
        const std::int64_t extent = std::min(left, shape[axis].value());
        has_changed = has_changed || extent != shape[axis].value();
        shape[axis] = program_.pool->constant(extent);
        left /= extent;
      }
      if (!has_changed) continue;
      std::string written;
      for (Expr e : shape) written += (written.empty() ? "" : ", ") + to_string(e);
      help += (shapes.empty() ? "" : " and ") + a.name + " the shape [" + written + "]";
      shapes.emplace_back(k, std::move(shape));
    }
    if (shapes.empty()) return;
    mends_.push_back({help,
                      [shapes](ThreadProgram& program) {
                        for (const auto& [k, shape] : shapes) program.arrays[k].shape = shape;
                      },
                      is_last_resort});
  }

  const ThreadProgram& program_;
  std::vector<Mend> mends_;
};

}  // namespace

std::vector<Mend> array_mends(const ThreadProgram& program, const Diagnostic& d) {
  const auto own = std::find_if(program.arrays.begin(), program.arrays.end(),
                                [&](const ThreadArray& a) { return at(a.place) == at(d.place); });
  if (own == program.arrays.end()) return {};
  return ArrayMends(program).all(std::uint32_t(own - program.arrays.begin()));
}

}  // namespace selvage
