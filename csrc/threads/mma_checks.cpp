#include <selvage/threads/mma_checks.h>
#include <selvage/threads/refuse_at.h>

#include <fmt/format.h>

#include <string>

namespace selvage {

namespace {

class MmaChecker {
 public:
  MmaChecker(const MultiplyTiles& mma, const ThreadProgram& program, const Place& place)
      : mma_(mma), program_(program), place_(place) {}

  Mma check() {
    Mma out;
    out.sums = mma_.sums.array;
    out.a = mma_.a.array;
    out.b = mma_.b.array;
    const ThreadArray &sums = array(mma_.sums), &a = array(mma_.a), &b = array(mma_.b);
    const std::int64_t least = out.sums_of_a_thread(),
                       most = least * Mma::kMostColumns / Mma::kColumnStep;
    const std::int64_t own = tile(mma_.sums, 1)[0];
    if (sums.memory != Memory::Local || sums.type != DataType::Float || own % least != 0 ||
        own > most) {
      refuse(fmt::format("its sums are {}, {}", sums.name, written(sums)),
             fmt::format("let sums be local, of float, with a multiple of {} elements, at most {}: "
                         "half as many as there are columns",
                         least, most));
    }
    out.columns = own * kWarpgroup / Mma::kRows;
    const auto is_number = [](const ThreadArray& of) {
      return of.type == DataType::Half || of.type == DataType::BFloat16;
    };
    const auto of_b = tile(mma_.b, 3);
    if (b.memory != Memory::Shared || !is_number(b) || of_b[0] % 2 != 0 || of_b[1] != out.columns ||
        of_b[2] != 8) {
      refuse(fmt::format("b is {}, {}", b.name, written(b)),
             fmt::format("let b be shared, of half or bfloat16, and its last axes [2, {}, 8], or "
                         "[4, {}, 8] and so on: 8 along the depth are neighbours",
                         out.columns, out.columns));
    }
    out.depth = of_b[0] * 8;
    out.is_a_shared = a.memory == Memory::Shared;
    const auto of_a = tile(mma_.a, out.is_a_shared ? 3 : 1);
    const bool fits = out.is_a_shared ? of_a[0] == of_b[0] && of_a[1] == Mma::kRows && of_a[2] == 8
                                      : a.memory == Memory::Local && of_a[0] == out.a_of_a_thread();
    if (!fits || a.type != b.type) {
      refuse(fmt::format("a is {}, {}", a.name, written(a)),
             fmt::format("let a be of {}, and shared, its last axes [{}, {}, 8], or local, of {} "
                         "elements",
                         to_string(b.type), of_b[0], Mma::kRows, out.a_of_a_thread()));
    }
    return out;
  }

 private:
  const ThreadArray& array(const TileRef& tile) const { return program_.arrays[tile.array]; }
  // "shared, of half, [2, 64, 8]"
  static std::string written(const ThreadArray& a) {
    std::string shape;
    for (Expr n : a.shape) shape += (shape.empty() ? "" : ", ") + to_string(n);
    return fmt::format("{}, of {}, [{}]", to_string(a.memory), to_string(a.type), shape);
  }
  // The extents of the last axes.
  std::vector<std::int64_t> tile(const TileRef& of, std::size_t axes) const {
    const ThreadArray& a = array(of);
    if (a.shape.size() != of.subscripts.size() + axes) {
      refuse(fmt::format("{}, {}, has {} subscripts", a.name, written(a), of.subscripts.size()),
             fmt::format("give subscripts for all axes but the last {}, which are the tile",
                         axes == 1 ? "one" : "three"));
    }
    std::vector<std::int64_t> extents;
    for (std::size_t k = of.subscripts.size(); k < a.shape.size(); ++k) {
      extents.push_back(a.shape[k].is(Op::Const) ? a.shape[k].value() : 0);
    }
    return extents;
  }
  [[noreturn]] void refuse(const std::string& what, const std::string& help) const {
    refuse_at(place_, "E831", "a matrix multiplication does not take this: " + what, help);
  }

  const MultiplyTiles& mma_;
  const ThreadProgram& program_;
  const Place& place_;
};

}  // namespace

Mma checked_mma(const MultiplyTiles& mma, const ThreadProgram& program, const Place& place) {
  return MmaChecker(mma, program, place).check();
}

}  // namespace selvage
