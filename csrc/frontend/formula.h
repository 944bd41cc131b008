#pragma once

#include <selvage/base/data_type.h>
#include <selvage/frontend/document.h>
#include <selvage/ir/identity.h>
#include <selvage/ir/scalar.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace selvage {

// What is read where a subscript leaves its axis: [0, n) goes on
//   clamped   0 0 0 | 0 1 2 3 | 3 3 3      circular  1 2 3 | 0 1 2 3 | 0 1 2
//   mirror    2 1 0 | 0 1 2 3 | 3 2 1      reflect   3 2 1 | 0 1 2 3 | 2 1 0
//   safe      the value 0, read nowhere
enum class Remap : std::uint8_t { Clamped, Circular, Mirror, Reflect, Safe };

// A statement in index notation, `y[m, n] = relu(a[m, n] + b[n])`, or of a scalar, `y = sum(a[m])`,
// taken apart: what names mean is left to the reader of the section.
//   expression  || && == != < <= > >= + - * / // % with C's precedence, unary - and !,
//               functions as ir/scalar.h names them, casts by the names of types, numbers, true,
//               false, inf, nan, names (also of scalars), elements of tensors, reductions as
//               ir/identity.h names them, fill(x[...], e), safe(x[...])
//   subscript   + - * // % of names and integers, in a remap such as mirror(i + 1)
struct FormulaNode {
  enum class Kind : std::uint8_t {
    Integer,
    Real,
    Truth,
    Name,
    Element,
    Apply,
    Cast,
    Fold,   // of its operand
    Fill,   // an element, and what there is out of bounds; without that it is 0
    Remap,  // of a subscript, as a whole
  };
  Kind kind = Kind::Integer;
  std::size_t at = 0;     // where it stands in the text
  std::string name = {};  // Name, Element
  std::int64_t integer = 0;
  double real = 0;
  Function function = Function::Add;
  DataType type = DataType::Float;           // Cast
  Remap remap = Remap::Clamped;              // Remap
  std::vector<std::uint32_t> operands = {};  // Element: its subscripts
  bool in_subscript = false;
  bool is_filled = false;                  // an Element that a Fill reads
  std::optional<std::size_t> inside = {};  // the innermost of Formula::folds around it
  std::size_t fold = 0;                    // Fold: its number in Formula::folds

  // Whether `name` may be that of a tensor: a scalar's stands alone.
  bool may_read() const { return kind == Kind::Element || kind == Kind::Name; }
};

struct Formula {
  struct Index {
    std::string name;
    std::size_t at;
  };
  // sum(e) or sum[n](e).
  struct Fold {
    Reduction how = Reduction::Sum;
    std::size_t at = 0;
    std::int64_t correction = kUsualCorrection;  // var(e, 0)
    std::optional<std::size_t> outer = {};       // the one around it
    bool is_named = false;
    // What is folded over, outer to inner: as written, or else what find_folded_indices finds.
    std::vector<Index> indices = {};
  };
  std::string target;
  std::size_t target_at = 0;
  std::vector<Index> indices;      // of the target
  std::vector<FormulaNode> nodes;  // operands before their users, the value last
  std::vector<Fold> folds;         // in the order in which they begin

  // The reduction that is the whole right side: its indices are the target's, behind its own.
  const Fold* whole() const;
};

// What `inf` and `nan` stand for in a value, where nothing else has that name.
std::optional<double> parse_special_number(std::string_view name);

// Throws BadInput at the place in the file: E104 too long or too deep, E108 number too large, E314
// not a statement, E315 unknown function, E390 some access modes, and loads.
Formula parse_formula(const Node& text);

// `A[p + 1, q] += 2`: an element is stored, which any subscripts may name.
struct Update {
  Formula formula = {};                   // its nodes: of the element, then of the value
  std::uint32_t element = 0;              // the number of the element's node
  std::optional<Function> function = {};  // of what was there and the value: += -= *=
};
// Throws as parse_formula does.
Update parse_update(const Node& text);

// A reduction that names no indices folds over those which stand in subscripts inside it and are
// none of the target's, no symbol, and not folded by a reduction around it that names them or by
// one inside it.
void find_folded_indices(Formula& formula,
                         const std::function<bool(const std::string&)>& is_symbol);

}  // namespace selvage
